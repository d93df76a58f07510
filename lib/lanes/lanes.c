/* lanes.c -- the table of lane schemes, and what goes before any of them.  A
 * new scheme is declared and listed here, and nowhere else. */
#include "slimfly/lanes.h"

#include "base/mem.h"
#include "lanes/scheme.h"
#include "routes/turns.h"

#include <string.h>

extern const struct sf_lane_scheme sf_lanes_turns, sf_lanes_dfsssp,
    sf_lanes_hops, sf_lanes_none;

const struct sf_lane_scheme *const sf_lane_schemes[] = {
    &sf_lanes_turns, &sf_lanes_dfsssp, &sf_lanes_hops, &sf_lanes_none, NULL,
};

static bool
head_of(size_t i, struct sf_spec_head *head)
{
    const struct sf_lane_scheme *scheme = sf_lane_schemes[i];

    if (scheme) {
        *head = (struct sf_spec_head){ scheme->name, NULL, scheme->params };
    }
    return scheme != NULL;
}

static const struct sf_spec_sort specs = { .what = "a lane scheme",
                                           .head = head_of };

const struct sf_lane_scheme *
sf_lane_scheme_find(const char *spec)
{
    size_t i = sf_spec_find(&specs, spec);
    return i == SF_NO_HEAD ? NULL : sf_lane_schemes[i];
}

/* Reads 'text', which stands before what is wrong with it. */
static enum sf_status
parse_spec(const char *text, struct sf_spec *parsed, struct sf_error *err)
{
    enum sf_status status = sf_spec_parse(&specs, text, parsed, err);
    if (status == SF_EINVAL && parsed->index != SF_NO_HEAD) {
        sf_error_add_context(err, text);
    }
    return status;
}

enum sf_status
sf_lane_spec_parse(const char *spec, struct sf_lane_spec *parsed,
                   struct sf_error *err)
{
    struct sf_spec read;
    enum sf_status status = parse_spec(spec, &read, err);

    *parsed = (struct sf_lane_spec){ 0 };
    if (status == SF_OK) {
        parsed->scheme = sf_lane_schemes[read.index];
        status = sf_spec_copy_text(&read, parsed->text, err);
    }
    sf_spec_clear(&read);
    return status;
}

const struct sf_lane_scheme *
sf_lane_scheme_for(const struct sf_layer_scheme *layers)
{
    return layers->takes_turns ? &sf_lanes_turns : &sf_lanes_dfsssp;
}

void
sf_sl2vl_set_all(struct sf_sl2vl *sl2vl, uint32_t s, uint32_t in, uint32_t out,
                 uint8_t vl)
{
    memset(sf_sl2vl_of(sl2vl, s, in, out), vl, SF_N_SLS);
}

/* The arrays behind a job, which the job shows as const. */
struct prepared {
    struct sf_spec spec;
    uint32_t *reverse, *arc_ports, *n_hosts;
    struct sf_lft_columns *columns;
};

static void
fill_ports(const struct sf_lane_job *job, const uint32_t *link_ports,
           struct prepared *prepared)
{
    const struct sf_graph *graph = job->graph;

    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
            uint32_t link = graph->arcs[i].link;
            bool is_b = graph->links[link].b == s;
            prepared->arc_ports[i] =
                job->fabric->ports[link_ports[2 * link + is_b]].number;
        }
    }
}

static enum sf_status
prepare(struct sf_lane_job *job, const uint32_t *link_ports,
        const struct sf_tables *tables, struct prepared *prepared,
        struct sf_error *err)
{
    size_t n_arcs = 2 * (size_t)job->graph->n_links;

    prepared->reverse = sf_calloc(n_arcs, sizeof *prepared->reverse);
    prepared->arc_ports = sf_calloc(n_arcs, sizeof *prepared->arc_ports);
    prepared->n_hosts =
        sf_calloc(job->graph->n_nodes, sizeof *prepared->n_hosts);
    if (!prepared->reverse || !prepared->arc_ports || !prepared->n_hosts) {
        return sf_fail(err, SF_ENOMEM, "out of memory for lanes");
    }
    sf_graph_pair_arcs(job->graph, prepared->reverse);
    fill_ports(job, link_ports, prepared);
    sf_fabric_count_hosts(job->fabric, prepared->n_hosts);
    job->reverse = prepared->reverse;
    job->arc_ports = prepared->arc_ports;
    job->n_hosts = prepared->n_hosts;
    enum sf_status status = sf_lft_columns_build(
        job->fabric, job->graph, link_ports, tables, &prepared->columns, err);
    job->columns = prepared->columns;
    return status;
}

/* Makes lanes that put everything on SL 0 and VL 0. */
static enum sf_status
make_lanes(const struct sf_lane_job *job, uint32_t max_lid,
           struct sf_lanes **lanesp, struct sf_error *err)
{
    struct sf_lanes *lanes = sf_calloc(1, sizeof *lanes);
    uint32_t n = job->graph->n_nodes;

    *lanesp = lanes;
    if (!lanes) {
        return sf_fail(err, SF_ENOMEM, "out of memory for lanes");
    }
    lanes->n_vls = lanes->n_sls = lanes->n_host_sls = 1;
    enum sf_status status = sf_sl2vl_make(job->fabric, &lanes->sl2vl, err);
    if (status == SF_OK) {
        status = sf_path_sls_make(job->fabric, max_lid, &lanes->path_sls, err);
    }
    for (uint32_t s = 0; status == SF_OK && s < n; s++) {
        size_t n_rows = (size_t)lanes->sl2vl->n_ports[s] + 1;
        memset(sf_sl2vl_of(lanes->sl2vl, s, 0, 0), 0,
               n_rows * n_rows * SF_N_SLS);
        memset(sf_path_sls_of(lanes->path_sls, s), 0, (size_t)max_lid + 1);
    }
    return status;
}

enum sf_status
sf_lanes_build(const struct sf_fabric *fabric, const struct sf_graph *graph,
               const uint32_t *link_ports, const struct sf_tables *tables,
               const struct sf_turns *turns,
               const struct sf_lanes_params *params, struct sf_lanes **lanesp,
               struct sf_error *err)
{
    struct prepared prepared = { 0 };
    struct sf_lane_job job = {
        .fabric = fabric,
        .graph = graph,
        .turns = turns,
        .max_vls = params->max_vls ? params->max_vls : SF_DEFAULT_VLS,
        .max_sls = params->max_sls ? params->max_sls : SF_N_SLS,
        .seed = params->seed,
    };

    *lanesp = NULL;
    if (job.max_vls > SF_MAX_VLS) {
        return sf_fail(err, SF_EINVAL, "%u VLs: expected 1 to %u", job.max_vls,
                       SF_MAX_VLS);
    }
    enum sf_status status = parse_spec(params->scheme, &prepared.spec, err);
    job.values = prepared.spec.values;
    if (status == SF_OK) {
        status = prepare(&job, link_ports, tables, &prepared, err);
    }
    if (status == SF_OK) {
        status = make_lanes(&job, tables->max_lid, &job.lanes, err);
    }
    if (status == SF_OK && job.lanes) {
        job.lanes->scheme = sf_lane_schemes[prepared.spec.index];
        status = job.lanes->scheme->ops->build(&job, err);
    }
    if (status == SF_OK && job.lanes && job.lanes->n_sls > job.max_sls) {
        status =
            sf_fail(err, SF_ELANES,
                    "lanes by %s take %u SLs here, and there may be %u; "
                    "those by turns, with layers that obey them, take "
                    "one",
                    job.lanes->scheme->name, job.lanes->n_sls, job.max_sls);
    }
    if (status == SF_OK) {
        *lanesp = job.lanes;
        job.lanes = NULL;
    }
    sf_lanes_free(job.lanes);
    sf_spec_clear(&prepared.spec);
    sf_lft_columns_free(prepared.columns);
    free(prepared.n_hosts);
    free(prepared.arc_ports);
    free(prepared.reverse);
    return status;
}

void
sf_lanes_free(struct sf_lanes *lanes)
{
    if (lanes) {
        sf_path_sls_free(lanes->path_sls);
        sf_sl2vl_free(lanes->sl2vl);
        free(lanes);
    }
}
