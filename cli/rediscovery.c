/* rediscovery.c -- a fabric that is discovered again and again. */
#include "cli.h"

bool
cli_check_discovery(const struct cli_args *args, int exec)
{
    const char *name = args->command->name;

    if (args->n_words != 1 && args->n_words != 2) {
        cli_fail("%s: expected a plan, found %zu words", name, args->n_words);
        return false;
    }
    if (args->n_words == 2 &&
        ((!sf_is_live(args->words[1]) && !sf_is_lldp(args->words[1])) ||
         cli_has(args, exec))) {
        cli_fail("%s: expected nothing after the plan but live:DEVICE:PORT or "
                 "lldp:DIR, and nothing at all with --exec; found '%s'",
                 name, args->words[1]);
        return false;
    }
    return true;
}

struct cli_discovery
cli_discovery_of(const struct cli_args *args, int exec)
{
    return (struct cli_discovery){
        .command = cli_text(args, exec),
        .source = args->n_words == 2 ? args->words[1] : "live",
        .timeout = cli_number(args, OPT_TIMEOUT),
        .skips_hosts = cli_has(args, OPT_SKIP_HOSTS),
    };
}

/* Discovers with the hosts. */
static enum sf_status
discover_all(const struct cli_discovery *discovery, const struct sf_plan *plan,
             struct sf_fabric **foundp, uint32_t *n_unansweredp,
             struct sf_error *err)
{
    const char *command = discovery->command, *source = discovery->source;
    unsigned timeout = discovery->timeout;
    bool is_ethernet =
        sf_port_names_exist(&plan->fabric->port_names[SF_NODE_SWITCH]);

    if (command && is_ethernet) {
        return sf_lldp_discover_by(command, timeout, plan->fabric, foundp,
                                   n_unansweredp, err);
    }
    if (command) {
        return sf_fabric_discover_by(command, timeout, foundp, n_unansweredp,
                                     err);
    }
    return sf_is_lldp(source)
               ? sf_lldp_read(source, plan->fabric, foundp, n_unansweredp, err)
               : sf_fabric_discover(source, timeout, foundp, n_unansweredp,
                                    err);
}

enum sf_status
cli_discover(const struct cli_discovery *discovery, const struct sf_plan *plan,
             struct sf_fabric **foundp, uint32_t *n_unansweredp,
             struct sf_error *err)
{
    enum sf_status status =
        discover_all(discovery, plan, foundp, n_unansweredp, err);

    if (status == SF_OK && discovery->skips_hosts) {
        sf_fabric_drop_hosts(*foundp);
    }
    return status;
}
