/* lanes.c -- the table of lane schemes, and what goes before any of them.  A
 * new scheme is declared and listed here, and nowhere else. */
#include "slimfly/lanes.h"

#include "base/mem.h"
#include "lanes/lane_scheme.h"
#include "slimfly/progress.h"

#include <string.h>

extern const struct sf_lane_scheme sf_lanes_turns, sf_lanes_dfsssp,
    sf_lanes_hops, sf_lanes_single, sf_lanes_untangle, sf_lanes_none;

const struct sf_lane_scheme *const sf_lane_schemes[] = {
    &sf_lanes_turns,    &sf_lanes_dfsssp, &sf_lanes_hops, &sf_lanes_single,
    &sf_lanes_untangle, &sf_lanes_none,   NULL,
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

bool
sf_lanes_ignore_sls(const struct sf_lanes *lanes)
{
    return lanes->scheme->ignores_sls ||
           (lanes->scheme->is_safe && lanes->n_vls == 1);
}

void
sf_lanes_set_all(const struct sf_lane_job *job, uint32_t s, uint32_t in,
                 uint32_t out, uint8_t vl)
{
    memset(sf_lanes_of(job->lanes, job->graph, s, in, out), vl, SF_N_SLS);
}

enum sf_status
sf_lanes_set_path_sls(const struct sf_lane_job *job, const uint8_t *sls,
                      struct sf_error *err)
{
    const struct sf_routes *routes = job->routes;
    const struct sf_path_columns *columns = job->columns;
    uint32_t n_layers = sf_routes_n_layers(routes);
    size_t n = columns->n_switches, n_paths = n_layers * n * n;
    uint8_t **path_sls = sf_calloc(routes->n_sets, sizeof *path_sls);

    job->lanes->path_sls = path_sls;
    for (uint32_t set = 0; path_sls && set < routes->n_sets; set++) {
        path_sls[set] = sf_calloc(n_paths, 1);
        if (!path_sls[set]) {
            return sf_fail(err, SF_ENOMEM, "out of memory for service levels");
        }
        for (size_t tree = 0; tree < n_layers * n; tree++) {
            uint32_t c = columns->of_tree[set * n_layers * n + tree];
            if (c != SF_NONE) {
                memcpy(path_sls[set] + tree * n, sls + c * n, n);
            }
        }
    }
    return path_sls
               ? SF_OK
               : sf_fail(err, SF_ENOMEM, "out of memory for service levels");
}

/* Makes lanes that put everything on SL 0 and VL 0. */
static enum sf_status
make_lanes(const struct sf_graph *graph, struct sf_lanes **lanesp,
           struct sf_error *err)
{
    struct sf_lanes *lanes = sf_calloc(1, sizeof *lanes);
    size_t n_vls = 0;

    *lanesp = lanes;
    if (lanes) {
        lanes->n_vls = lanes->n_sls = lanes->n_host_sls = 1;
        lanes->first = sf_calloc(graph->n_nodes, sizeof *lanes->first);
    }
    for (uint32_t s = 0; lanes && lanes->first && s < graph->n_nodes; s++) {
        size_t n_rows = sf_graph_degree(graph, s) + 1;
        lanes->first[s] = n_vls;
        n_vls += n_rows * n_rows * SF_N_SLS;
    }
    if (lanes) {
        lanes->vls = sf_calloc(n_vls, sizeof *lanes->vls);
    }
    return lanes && lanes->first && lanes->vls
               ? SF_OK
               : sf_fail(err, SF_ENOMEM, "out of memory for lanes");
}

/* Makes the lanes of 'job' by 'scheme'. */
static enum sf_status
run_scheme(struct sf_lane_job *job, const struct sf_lane_scheme *scheme,
           struct sf_error *err)
{
    enum sf_status status = make_lanes(job->graph, &job->lanes, err);

    if (status == SF_OK) {
        job->lanes->scheme = scheme;
        status = scheme->ops->build(job, err);
    }
    if (status == SF_OK && job->lanes->n_sls > job->max_sls) {
        status = sf_fail(err, SF_ELANES,
                         "lanes by %s take %u SLs here, and there may be %u; "
                         "those by turns, with layers that obey them, take "
                         "one",
                         scheme->name, job->lanes->n_sls, job->max_sls);
    }
    return status;
}

enum sf_status
sf_lanes_build(const struct sf_network *network,
               const struct sf_lanes_params *params, struct sf_routes *routes,
               struct sf_error *err)
{
    struct sf_path_columns *columns = NULL;
    struct sf_spec spec = { 0 };
    struct sf_lane_job job = {
        .network = network,
        .graph = network->graph,
        .routes = routes,
        .max_vls = params->max_vls ? params->max_vls : SF_DEFAULT_VLS,
        .max_sls = params->max_sls ? params->max_sls : SF_N_SLS,
        .seed = params->seed,
    };

    if (job.max_vls > SF_MAX_VLS) {
        return sf_fail(err, SF_EINVAL, "%u VLs: expected 1 to %u", job.max_vls,
                       SF_MAX_VLS);
    }
    enum sf_status status = parse_spec(params->scheme, &spec, err);
    if (status == SF_OK) {
        status = sf_path_columns_build(network, routes, &columns, err);
    }
    if (status == SF_OK) {
        job.values = spec.values;
        job.columns = columns;
        sf_progress_report("making lanes", 0, 0);
        status = run_scheme(&job, sf_lane_schemes[spec.index], err);
        sf_progress_report("making lanes", 1, 1);
    }
    if (status == SF_OK) {
        sf_lanes_free(routes->lanes, routes->n_sets);
        routes->lanes = job.lanes;
        job.lanes = NULL;
    }
    sf_lanes_free(job.lanes, routes->n_sets);
    sf_path_columns_free(columns);
    sf_spec_clear(&spec);
    return status;
}
