/* text.c -- properties and families for people: a page for one topology, a
 * table for several. */
#include "io/writers.h"

#include <math.h>
#include <string.h>

static void
write_distances(const char *label, const struct sf_distances *distances,
                FILE *stream)
{
    uint64_t n_pairs = 0;

    for (uint32_t d = 0; d < distances->n_distances; d++) {
        n_pairs += distances->n_pairs[d];
    }
    const char *separator = "";
    fprintf(stream, "  %-18s", label);
    for (uint32_t d = 1; d < distances->n_distances; d++) {
        if (distances->n_pairs[d]) {
            fprintf(stream, "%s%u: %.1f %%", separator, d,
                    100.0 * (double)distances->n_pairs[d] / (double)n_pairs);
            separator = ", ";
        }
    }
    fprintf(stream, "%s\n", n_pairs ? " of the pairs" : "none");
}

/* How the hosts compare with what the links can carry. */
static void
write_full_bandwidth(const struct sf_properties *is, FILE *stream)
{
    if (!isfinite(is->full_bandwidth_p)) {
        return;
    }
    double load = is->concentration / is->full_bandwidth_p;
    fprintf(stream, "  %-18sp = %.2f for uniform traffic on shortest paths; ",
            "full bandwidth", is->full_bandwidth_p);
    if (load > 1.005) {
        fprintf(stream, "p = %u asks for %.0f %% more\n", is->concentration,
                100 * (load - 1));
    } else {
        fprintf(stream, "p = %u is within it\n", is->concentration);
    }
}

static void
write_page(const struct sf_measured *measured, FILE *stream)
{
    const struct sf_topology *topo = measured->topo;
    const struct sf_properties *is = &measured->properties;

    fprintf(stream, "%s -- %s\n", topo->spec, topo->family->title);
    fprintf(stream, "  %-18s%u\n", "switches", is->n_switches);
    fprintf(stream, "  %-18s%u, %u on each switch%s\n", "endpoints",
            is->n_endpoints, is->concentration,
            (uint64_t)is->concentration * is->n_switches == is->n_endpoints
                ? ""
                : " that has any");
    fprintf(stream, "  %-18s%u", "links", is->n_links);
    if (is->n_parallel_links) {
        fprintf(stream, ", between %u pairs of switches",
                is->n_links - is->n_parallel_links);
    }
    fprintf(stream, "\n  %-18s%u\n", "ports a switch", is->radix);
    if (is->regular) {
        fprintf(stream, "  %-18syes, %u links at every switch\n", "regular",
                is->max_degree);
    } else {
        fprintf(stream, "  %-18sno, %u to %u links at a switch\n", "regular",
                is->min_degree, is->max_degree);
    }
    if (is->n_parts == 1) {
        fprintf(stream, "  %-18syes\n", "connected");
        fprintf(stream, "  %-18s%u\n", "diameter", is->all.diameter);
        fprintf(stream, "  %-18s%.4f\n", "average distance", is->all.average);
    } else {
        fprintf(stream, "  %-18sno, %u parts\n", "connected", is->n_parts);
    }
    write_distances("distances", &is->all, stream);
    if (is->hosts.n_distances &&
        is->hosts.n_pairs[is->hosts.n_distances - 1] !=
            is->all.n_pairs[is->all.n_distances - 1]) {
        write_distances("between hosts", &is->hosts, stream);
    }
    if (is->girth == SF_NONE) {
        fprintf(stream, "  %-18snone, there is no cycle\n", "girth");
    } else {
        fprintf(stream, "  %-18s%u\n", "girth", is->girth);
    }
    if (isfinite(is->moore_bound)) {
        fprintf(stream,
                "  %-18s%.0f switches of degree %u at diameter %u; "
                "this has %.3g %%\n",
                "Moore bound", is->moore_bound, is->max_degree,
                is->all.diameter, 100 * is->n_switches / is->moore_bound);
    }
    write_full_bandwidth(is, stream);
}

/* Writes 'number' right-aligned, or a dash. */
static void
write_cell(uint32_t number, int width, FILE *stream)
{
    if (number == SF_NONE) {
        fprintf(stream, "  %*s", width, "-");
    } else {
        fprintf(stream, "  %*u", width, number);
    }
}

static void
write_table(const struct sf_measured *measured, size_t n_measured,
            FILE *stream)
{
    int width = (int)strlen("topology");

    for (size_t i = 0; i < n_measured; i++) {
        int length = (int)strlen(measured[i].topo->spec);
        width = length > width ? length : width;
    }
    fprintf(stream,
            "%-*s  switches  endpoints   links  ports  diameter      hops  "
            "girth  Moore\n",
            width, "topology");
    for (size_t i = 0; i < n_measured; i++) {
        const struct sf_properties *is = &measured[i].properties;
        fprintf(stream, "%-*s  %8u  %9u  %6u  %5u", width,
                measured[i].topo->spec, is->n_switches, is->n_endpoints,
                is->n_links, is->radix);
        write_cell(is->all.diameter, 8, stream);
        /* Between hosts, as in the core of a tree nobody sends anything. */
        if (isfinite(is->hosts.average)) {
            fprintf(stream, "  %8.3f", is->hosts.average);
        } else {
            fprintf(stream, "  %8s", "-");
        }
        write_cell(is->girth, 5, stream);
        if (isfinite(is->moore_bound)) {
            fprintf(stream, "  %3.0f %%\n",
                    100 * is->n_switches / is->moore_bound);
        } else {
            fprintf(stream, "  %5s\n", "-");
        }
    }
}

enum sf_status
sf_write_text(const struct sf_measured *measured, size_t n_measured,
              FILE *stream, struct sf_error *err)
{
    (void)err;
    if (n_measured == 1) {
        write_page(measured, stream);
    } else {
        write_table(measured, n_measured, stream);
    }
    return SF_OK;
}

void
sf_families_write_text(FILE *stream)
{
    for (size_t i = 0; sf_families[i]; i++) {
        const struct sf_family *family = sf_families[i];
        fprintf(stream, "%s%s -- %s\n", i ? "\n" : "", family->example,
                family->title);
        for (size_t j = 0; j < SF_MAX_PARAMS && family->params[j].key; j++) {
            fprintf(stream, "    %-6s ", family->params[j].key);
            sf_param_write_text(&family->params[j], stream);
        }
    }
}
