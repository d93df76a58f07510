/* counters_csv.c -- a line for each port that told its counters. */
#include "io/csv.h"
#include "report/counters_words.h"

#include <inttypes.h>

static void
write_header(bool has_growth, FILE *stream)
{
    fputs("node,guid,port,peer,peer_port,seconds", stream);
    for (uint32_t c = 0; c < SF_N_COUNTERS; c++) {
        fprintf(stream, ",%s", sf_counter_kinds[c].name);
    }
    for (uint32_t c = 0; has_growth && c < SF_N_COUNTERS; c++) {
        fprintf(stream, ",%s_growth", sf_counter_kinds[c].name);
    }
    fputc('\n', stream);
}

static void
write_values(uint32_t known, const uint64_t *values, FILE *stream)
{
    for (uint32_t c = 0; c < SF_N_COUNTERS; c++) {
        if (known >> c & 1) {
            fprintf(stream, ",%" PRIu64, values[c]);
        } else {
            fputc(',', stream);
        }
    }
}

static void
write_port(const struct sf_counters_view *view, uint32_t i, FILE *stream)
{
    const struct sf_port *port = &view->fabric->ports[i];
    const struct sf_port_counters *counters = &view->counters->ports[i];
    const struct sf_port_growth *growth =
        view->growths ? &view->growths->ports[i] : NULL;
    struct sf_end end = sf_counters_end(view, port->node, port->number);

    sf_csv_write(sf_counters_view_name(view, &end), stream);
    fprintf(stream, ",0x%016" PRIx64 ",%" PRIu32 ",", counters->guid,
            counters->number);
    if (port->peer != SF_NONE) {
        const struct sf_port *peer = &view->fabric->ports[port->peer];
        end = sf_counters_end(view, peer->node, peer->number);
        sf_csv_write(sf_counters_view_name(view, &end), stream);
        fprintf(stream, ",%" PRIu32, peer->number);
    } else {
        fputc(',', stream);
    }
    fprintf(stream, ",%.3f", growth ? growth->seconds : 0);
    write_values(counters->known, counters->values, stream);
    if (growth) {
        write_values(growth->known, growth->grown, stream);
    }
    fputc('\n', stream);
}

void
sf_counters_write_csv(const struct sf_counters_view *view, FILE *stream)
{
    write_header(view->growths, stream);
    for (uint32_t i = 0; i < view->counters->n_ports; i++) {
        if (view->counters->ports[i].answer == SF_ANSWER_GIVEN) {
            write_port(view, i, stream);
        }
    }
}
