/* topology_text.c -- properties and families for people: a page for one
 * topology, a table for several. */
#include "io/topology_writers.h"

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
write_full_bandwidth(const struct sf_properties *properties, FILE *stream)
{
    if (!isfinite(properties->full_bandwidth_p)) {
        return;
    }
    double load = properties->concentration / properties->full_bandwidth_p;
    fprintf(stream, "  %-18sp = %.2f for uniform traffic on shortest paths; ",
            "full bandwidth", properties->full_bandwidth_p);
    if (load > 1.005) {
        fprintf(stream, "p = %u asks for %.0f %% more\n",
                properties->concentration, 100 * (load - 1));
    } else {
        fprintf(stream, "p = %u is within it\n", properties->concentration);
    }
}

static void
write_page(const struct sf_measured *measured, FILE *stream)
{
    const struct sf_topology *topo = measured->topo;
    const struct sf_properties *properties = &measured->properties;

    fprintf(stream, "%s -- %s\n", topo->spec, topo->family->title);
    fprintf(stream, "  %-18s%u\n", "switches", properties->n_switches);
    fprintf(stream, "  %-18s%u, %u on each switch%s\n", "endpoints",
            properties->n_endpoints, properties->concentration,
            (uint64_t)properties->concentration * properties->n_switches ==
                    properties->n_endpoints
                ? ""
                : " that has any");
    fprintf(stream, "  %-18s%u", "links", properties->n_links);
    if (properties->n_parallel_links) {
        fprintf(stream, ", between %u pairs of switches",
                properties->n_links - properties->n_parallel_links);
    }
    fprintf(stream, "\n  %-18s%u\n", "ports a switch", properties->radix);
    if (properties->regular) {
        fprintf(stream, "  %-18syes, %u links at every switch\n", "regular",
                properties->max_degree);
    } else {
        fprintf(stream, "  %-18sno, %u to %u links at a switch\n", "regular",
                properties->min_degree, properties->max_degree);
    }
    if (properties->n_parts == 1) {
        fprintf(stream, "  %-18syes\n", "connected");
        fprintf(stream, "  %-18s%u\n", "diameter", properties->all.diameter);
        fprintf(stream, "  %-18s%.4f\n", "average distance",
                properties->all.average);
    } else {
        fprintf(stream, "  %-18sno, %u parts\n", "connected",
                properties->n_parts);
    }
    write_distances("distances", &properties->all, stream);
    if (properties->hosts.n_distances &&
        properties->hosts.n_pairs[properties->hosts.n_distances - 1] !=
            properties->all.n_pairs[properties->all.n_distances - 1]) {
        write_distances("between hosts", &properties->hosts, stream);
    }
    if (properties->girth == SF_NONE) {
        fprintf(stream, "  %-18snone, there is no cycle\n", "girth");
    } else {
        fprintf(stream, "  %-18s%u\n", "girth", properties->girth);
    }
    if (isfinite(properties->moore_bound)) {
        fprintf(stream,
                "  %-18s%.0f switches of degree %u at diameter %u; "
                "this has %.3g %%\n",
                "Moore bound", properties->moore_bound, properties->max_degree,
                properties->all.diameter,
                100 * properties->n_switches / properties->moore_bound);
    }
    write_full_bandwidth(properties, stream);
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
        const struct sf_properties *properties = &measured[i].properties;
        fprintf(stream, "%-*s  %8u  %9u  %6u  %5u", width,
                measured[i].topo->spec, properties->n_switches,
                properties->n_endpoints, properties->n_links,
                properties->radix);
        write_cell(properties->all.diameter, 8, stream);
        /* Between hosts, as in the core of a tree nobody sends anything. */
        if (isfinite(properties->hosts.average)) {
            fprintf(stream, "  %8.3f", properties->hosts.average);
        } else {
            fprintf(stream, "  %8s", "-");
        }
        write_cell(properties->girth, 5, stream);
        if (isfinite(properties->moore_bound)) {
            fprintf(stream, "  %3.0f %%\n",
                    100 * properties->n_switches / properties->moore_bound);
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
