/* jobs_check.c -- see jobs_check.h. */
#include "jobs_check.h"
#include "routed.h"

#include <stdlib.h>
#include <string.h>

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
    struct sf_routing *routing = cli_load_routing(
        args, word,
        (struct sf_routing_params){
            .layers = { .may_exceed = true, .within_parts = true } });
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
