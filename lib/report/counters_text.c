/* counters_text.c -- counters for people: findings with what to do, then the
 * loads. */
#include "report/counters_words.h"

#include <inttypes.h>

#define MAX_LOADS 8 /* That are named. */

static uint32_t
count_unaddressed(const struct sf_counters_view *view)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < view->fabric->n_ports; i++) {
        n += view->counters->ports[i].answer == SF_ANSWER_NOT_ASKED &&
             view->fabric->ports[i].peer != SF_NONE;
    }
    return n;
}

static void
write_summary(const struct sf_counters_view *view, FILE *stream)
{
    const uint32_t *n = view->counters->n_by_answer;
    uint32_t n_asked =
        n[SF_ANSWER_GIVEN] + n[SF_ANSWER_NONE] + n[SF_ANSWER_REFUSED];
    uint32_t n_left = count_unaddressed(view);

    fprintf(stream,
            "%" PRIu32 " switches, %" PRIu32 " hosts: %" PRIu32 " of %" PRIu32
            " ports told their counters",
            view->fabric->n_switches,
            view->fabric->n_nodes - view->fabric->n_switches,
            n[SF_ANSWER_GIVEN], n_asked);
    if (n_left) {
        fprintf(stream,
                "; %" PRIu32 " ports with a cable were not asked: they have "
                "no LID, or time was up",
                n_left);
    }
    fputc('\n', stream);
}

static void
write_finding(const struct sf_counters_view *view,
              const struct sf_counter_finding *finding, FILE *stream)
{
    fprintf(stream, "%-8s  ", sf_severity_name(finding->severity));
    sf_counter_finding_write(view, finding, stream);
    fputs("\n          ", stream);
    sf_counter_finding_write_remedy(view, finding, stream);
    fputc('\n', stream);
}

static bool
is_between_switches(const struct sf_fabric *fabric, uint32_t i)
{
    return fabric->ports[i].node < fabric->n_switches &&
           fabric->ports[fabric->ports[i].peer].node < fabric->n_switches;
}

static void
write_load(const struct sf_counters_view *view,
           const struct sf_link_load *load, FILE *stream)
{
    const struct sf_port *port = &view->fabric->ports[load->port];
    const struct sf_port *peer = &view->fabric->ports[port->peer];
    struct sf_end from = sf_counters_end(view, port->node, port->number);
    struct sf_end to = sf_counters_end(view, peer->node, peer->number);

    fprintf(stream, "%8.2f %%  %10.3f", 100 * load->share, load->bytes / 1e6);
    if (view->predicted) {
        fprintf(stream, "  %10.3f", load->predicted / 1e6);
    }
    fputs("  ", stream);
    sf_counters_write_end(view, &from, stream);
    fputs(" to ", stream);
    sf_counters_write_end(view, &to, stream);
    fputc('\n', stream);
}

static void
write_loads(const struct sf_counters_view *view,
            const struct sf_counter_findings *findings, FILE *stream)
{
    uint32_t n_shown = 0;

    fprintf(stream,
            "A host sends %.3f MB/s in the mean, %.2f %% of what it can. The "
            "links between switches that carry most%s:\n",
            findings->host_bytes / 1e6, 100 * findings->host_share,
            view->predicted ? ", beside what the routing brings there if "
                              "these hosts send evenly to all"
                            : "");
    fprintf(stream, "%10s  %10s%s  link\n", "share", "MB/s",
            view->predicted ? "   predicted" : "");
    for (uint32_t i = 0; i < findings->n_loads && n_shown < MAX_LOADS; i++) {
        if (is_between_switches(view->fabric, findings->loads[i].port)) {
            write_load(view, &findings->loads[i], stream);
            n_shown++;
        }
    }
    if (view->predicted && findings->host_share < findings->hot_traffic) {
        fprintf(stream,
                "No link is called hot while hosts send less than %.3g %% of "
                "what they can in the mean.\n",
                100 * findings->hot_traffic);
    }
}

void
sf_counters_write_text(const struct sf_counters_view *view,
                       const struct sf_counter_findings *findings,
                       FILE *stream)
{
    write_summary(view, stream);
    for (uint32_t i = 0; i < findings->n_findings; i++) {
        write_finding(view, &findings->findings[i], stream);
    }
    if (findings->n_loads) {
        write_loads(view, findings, stream);
    }
    if (!findings->n_findings) {
        fputs("ok    no counter is beyond its threshold\n", stream);
    }
}
