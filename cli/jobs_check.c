/* jobs_check.c -- see jobs_check.h. */
#include "jobs_check.h"

#include <stdlib.h>
#include <string.h>

/* The fabric of a word, routed as 'slimfly route' does. */
static enum sf_status
route(const struct cli_args *args, struct sf_fabric *fabric,
      struct sf_routing **routingp, struct sf_error *err)
{
    struct sf_routing_params params = {
        .layers = { .scheme = cli_text(args, OPT_SCHEME),
                    .n_layers = cli_number(args, OPT_LAYERS),
                    .max_hops = cli_number(args, OPT_MAX_HOPS),
                    .may_exceed = true,
                    .seed = cli_seed(args, OPT_SEED),
                    .n_threads = cli_threads(args),
                    .within_parts = true },
        .n_path_sets = cli_number(args, OPT_PATH_SETS),
        .lanes = cli_text(args, OPT_LANES),
        .guarantee = cli_guarantee(args),
        .max_vls = cli_number(args, OPT_MAX_VLS),
        .max_sls = cli_number(args, OPT_MAX_SLS),
    };
    struct sf_network *network;
    enum sf_status status = sf_network_build(fabric, &network, err);

    if (status == SF_OK) {
        status = sf_routing_build(network, &params, routingp, err);
        sf_network_free(network);
    }
    return status;
}

/* Loads or makes the routing of 'word'; NULL, having said why. */
static struct sf_routing *
load(const struct cli_args *args, const char *word)
{
    char *inside = cli_find_in_folder(word, "route.json");
    struct sf_routing *routing = NULL;
    struct sf_error err = { 0 };
    enum sf_status status = SF_OK;

    if (inside) {
        status = sf_ib_read_routing(word, &routing, &err);
    } else {
        struct sf_fabric *fabric =
            cli_load_fabric(word, cli_number(args, OPT_TIMEOUT));
        if (!fabric) {
            return NULL;
        }
        status = route(args, fabric, &routing, &err);
        sf_fabric_free(fabric);
    }
    free(inside);
    if (status != SF_OK) {
        cli_fail("%s", err.text);
    }
    return routing;
}

static int
write_report(const struct cli_args *args, const struct sf_jobs_report *report)
{
    struct sf_error err;

    cli_progress_end();
    if (!cli_is(args, OPT_FORMAT, "json")) {
        sf_jobs_report_write_text(report, stdout);
    } else if (sf_jobs_report_write_json(report, stdout, &err) != SF_OK) {
        return cli_fail("%s", err.text);
    }
    return report->strays->n ? CLI_FINDINGS : CLI_FINE;
}

int
cli_check_jobs(const struct cli_args *args, const char *word, const char *path)
{
    struct sf_routing *routing = load(args, word);
    struct sf_job_routes_params params = { .seed = cli_seed(args, OPT_SEED) };
    struct sf_job_routes routes = { 0 };
    struct sf_strays strays = { 0 };
    struct sf_jobs *jobs = NULL;
    struct sf_error err;
    int code = CLI_ERROR;

    if (!routing) {
        return CLI_ERROR;
    }
    enum sf_status status =
        sf_jobs_load_some(path, routing->network, &strays, &jobs, &err);
    double start = cli_seconds();
    if (status == SF_OK) {
        status = sf_routing_split_sets(routing, &err);
    }
    if (status == SF_OK) {
        status = sf_routing_fit_jobs(routing, jobs, &params, &routes, &err);
    }
    if (status == SF_OK) {
        struct sf_jobs_report report = { path, jobs, &routes, &strays,
                                         cli_seconds() - start };
        code = write_report(args, &report);
    } else {
        cli_fail("%s", err.text);
    }
    sf_job_routes_clear(&routes);
    sf_jobs_free(jobs);
    sf_routing_free(routing);
    return code;
}
