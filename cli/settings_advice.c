/* settings_advice.c -- see settings_advice.h. */
#include "settings_advice.h"

/* Whether options ask for other routes than those of the tables. */
static bool
asks_for_others(const struct cli_args *args)
{
    static const int options[] = { OPT_SCHEME,   OPT_LAYERS,  OPT_PATH_SETS,
                                   OPT_MAX_HOPS, OPT_LANES,   OPT_GUARANTEE,
                                   OPT_MAX_VLS,  OPT_MAX_SLS, OPT_SEED };

    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (cli_has(args, options[i])) {
            return true;
        }
    }
    return false;
}

/* The routes of the tables at 'path'; the caller frees '*routesp'. */
static enum sf_status
read_routes(const char *path, const struct sf_network *network,
            const struct sf_fabric *fabric, struct sf_routes **routesp,
            struct sf_error *err)
{
    struct sf_tables *tables = NULL;
    enum sf_status status = sf_tables_read(path, fabric, &tables, err);

    if (status == SF_OK) {
        status = sf_ib_decode(network, tables, 0, routesp, err);
        if (status != SF_OK) {
            sf_error_add_context(err, path);
        }
    }
    sf_tables_free(tables);
    return status;
}

static enum sf_status
measure(const struct sf_settings *settings, const struct cli_args *args,
        const char *jobs_path, const struct sf_network *network,
        struct sf_advice *advice, struct sf_error *err)
{
    bool has_tables = settings->tables && !asks_for_others(args);
    struct sf_routes *given = NULL;
    struct sf_jobs *jobs = NULL;
    enum sf_status status = SF_OK;

    if (jobs_path) {
        status = sf_jobs_load(jobs_path, network, &jobs, err);
    }
    if (status == SF_OK && has_tables) {
        status = read_routes(settings->tables, network, settings->fabric,
                             &given, err);
    }
    if (status == SF_OK) {
        status = sf_advice_measure(network,
                                   given ? given : settings->routing->routes,
                                   settings->n_layers, jobs, advice, err);
    }
    sf_routes_free(given);
    sf_jobs_free(jobs);
    return status;
}

int
cli_settings_advise(struct sf_settings *settings, const struct cli_args *args,
                    const char *jobs, struct sf_advice *advice)
{
    struct sf_network *network;
    struct sf_error err;

    if (!sf_settings_wants(settings, "addresses") &&
        !sf_settings_wants(settings, "jobs")) {
        return CLI_FINE;
    }
    enum sf_status status = sf_network_build(settings->fabric, &network, &err);
    if (status == SF_OK) {
        status = measure(settings, args, jobs, network, advice, &err);
        sf_network_free(network);
    }
    if (status == SF_OK && settings->has_jobs) {
        sf_advice_use_all(advice);
    }
    settings->advice = advice;
    return status == SF_OK ? CLI_FINE : cli_fail("%s", err.text);
}
