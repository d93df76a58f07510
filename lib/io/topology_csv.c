/* topology_csv.c -- properties, one line a topology, with a header. */
#include "io/csv.h"
#include "io/topology_writers.h"

#include <math.h>

/* Writes ",N", or "," for what does not exist. */
static void
write_index(uint32_t number, FILE *stream)
{
    fputc(',', stream);
    if (number != SF_NONE) {
        fprintf(stream, "%u", number);
    }
}

static void
write_real(double number, FILE *stream)
{
    fputc(',', stream);
    if (isfinite(number)) {
        fprintf(stream, "%.6f", number);
    }
}

enum sf_status
sf_write_csv(const struct sf_measured *measured, size_t n_measured,
             FILE *stream, struct sf_error *err)
{
    (void)err;
    fputs("spec,family,n_switches,n_endpoints,n_links,network_radix,"
          "concentration,radix,n_parts,regular,n_parallel_links,diameter,"
          "average_distance,girth,moore_bound,host_diameter,"
          "host_average_distance,full_bandwidth_concentration\n",
          stream);
    for (size_t i = 0; i < n_measured; i++) {
        const struct sf_properties *properties = &measured[i].properties;
        sf_csv_write(measured[i].topo->spec, stream);
        fprintf(stream, ",%s,%u,%u,%u,%u,%u,%u,%u,%s,%u",
                measured[i].topo->family->name, properties->n_switches,
                properties->n_endpoints, properties->n_links,
                properties->max_degree, properties->concentration,
                properties->radix, properties->n_parts,
                properties->regular ? "true" : "false",
                properties->n_parallel_links);
        write_index(properties->all.diameter, stream);
        write_real(properties->all.average, stream);
        write_index(properties->girth, stream);
        fputc(',', stream);
        if (isfinite(properties->moore_bound)) {
            fprintf(stream, "%.0f", properties->moore_bound);
        }
        write_index(properties->hosts.diameter, stream);
        write_real(properties->hosts.average, stream);
        write_real(properties->full_bandwidth_p, stream);
        fputc('\n', stream);
    }
    return SF_OK;
}
