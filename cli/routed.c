/* routed.c -- see routed.h. */
#include "routed.h"

#include <stdlib.h>

/* Reads the tables that 'word' names; '*tablesp' is NULL if it names none. */
static enum sf_status
read_tables(const struct cli_routed *routed, const char *word,
            unsigned timeout, struct sf_tables **tablesp, struct sf_error *err)
{
    struct sf_sl2vl *sl2vl = NULL;
    enum sf_status status = SF_OK;

    *tablesp = NULL;
    if (sf_is_live(word)) {
        status = sf_live_tables(word, routed->fabric, timeout, tablesp, &sl2vl,
                                err);
        sf_sl2vl_free(sl2vl);
    } else if (cli_is_file(word)) {
        status = sf_tables_read(word, routed->fabric, tablesp, err);
    } else {
        char *path = cli_find_in_folder(word, CLI_TABLES_FILE);
        if (path) {
            status = sf_tables_read(path, routed->fabric, tablesp, err);
        }
        free(path);
    }
    return status;
}

/* Reads tables, if there are some, and turns them back into routes. */
static bool
load_tables(const struct cli_args *args, struct cli_routed *routed)
{
    const char *word = args->words[args->n_words - 1];
    struct sf_tables *tables = NULL;
    struct sf_error err = { 0 };
    enum sf_status status = SF_OK;

    /* A file that is alone is the fabric. */
    if (args->n_words == 2 || !cli_is_file(word)) {
        status = read_tables(routed, word, cli_number(args, OPT_TIMEOUT),
                             &tables, &err);
    }
    if (status == SF_OK && tables) {
        status =
            sf_ib_decode(routed->network, tables, 0, &routed->given, &err);
        if (status != SF_OK) {
            sf_error_add_context(&err, word);
        }
    }
    sf_tables_free(tables);
    if (status != SF_OK) {
        cli_fail("%s", err.text);
    } else if (args->n_words == 2 && !routed->given) {
        cli_fail("%s: '%s': expected tables, a file or a folder with %s",
                 args->command->name, word, CLI_TABLES_FILE);
        return false;
    }
    return status == SF_OK;
}

bool
cli_routed_load(struct cli_routed *routed, const struct cli_args *args)
{
    struct sf_error err;

    routed->fabric =
        cli_load_fabric(args->words[0], cli_number(args, OPT_TIMEOUT));
    if (!routed->fabric) {
        return false;
    }
    if (sf_network_build(routed->fabric, &routed->network, &err) != SF_OK) {
        cli_fail("%s", err.text);
        return false;
    }
    return load_tables(args, routed);
}

void
cli_routed_clear(struct cli_routed *routed)
{
    sf_routes_free(routed->given);
    sf_network_free(routed->network);
    sf_fabric_free(routed->fabric);
}

static bool
read_params(const struct cli_args *args, struct sf_routing_params *params)
{
    params->layers.scheme = cli_text(args, OPT_SCHEME);
    params->layers.n_layers = cli_number(args, OPT_LAYERS);
    params->layers.max_hops = cli_number(args, OPT_MAX_HOPS);
    params->layers.seed = cli_seed(args, OPT_SEED);
    params->layers.n_threads = cli_threads(args);
    return cli_path_sets(args, &params->n_path_sets) &&
           cli_read_lanes(args, params->without_lanes, params);
}

/* Routes the fabric of 'word'; false, having said why. */
static bool
route(const struct cli_args *args, const char *word,
      struct sf_routing_params *params, cli_network_check *check,
      const void *aux, struct sf_routing **routingp)
{
    struct sf_network *network = NULL;
    struct sf_error err;
    bool is_refused = false;

    if (!read_params(args, params)) {
        return false;
    }
    struct sf_fabric *fabric =
        cli_load_fabric(word, cli_number(args, OPT_TIMEOUT));
    if (!fabric) {
        return false;
    }
    enum sf_status status = sf_network_build(fabric, &network, &err);
    if (status == SF_OK && check) {
        is_refused = !check(aux, network, params->layers.n_layers);
    }
    if (status == SF_OK && !is_refused) {
        status = sf_routing_build(network, params, routingp, &err);
    }
    if (status == SF_EUNREACHABLE) {
        cli_fail("%s: %s", word, err.text);
    } else if (status != SF_OK) {
        cli_fail("%s", err.text);
    }
    sf_network_free(network);
    sf_fabric_free(fabric);
    return status == SF_OK && !is_refused;
}

struct sf_routing *
cli_load_routing(const struct cli_args *args, const char *word,
                 struct sf_routing_params params)
{
    return cli_load_routing_if(args, word, params, NULL, NULL);
}

struct sf_routing *
cli_load_routing_if(const struct cli_args *args, const char *word,
                    struct sf_routing_params params, cli_network_check *check,
                    const void *aux)
{
    char *inside = cli_find_in_folder(word, "route.json");
    struct sf_routing *routing = NULL;
    struct sf_error err;

    if (!inside) {
        return route(args, word, &params, check, aux, &routing) ? routing
                                                                : NULL;
    }
    free(inside);
    if (sf_ib_read_routing(word, &routing, &err) != SF_OK) {
        cli_fail("%s", err.text);
        return NULL;
    }
    return routing;
}

void
cli_tell_robustness(const struct sf_routing *routing)
{
    struct sf_robustness robustness;
    struct sf_layer_spec spec;

    if (sf_layer_spec_parse(routing->params.layers.scheme, 0, &spec, NULL) ==
            SF_OK &&
        spec.is_robust &&
        sf_robustness_measure(routing->network, routing->routes, &robustness,
                              NULL) == SF_OK) {
        sf_robustness_write_text(&robustness, routing->network, stdout);
    }
}
