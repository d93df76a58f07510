/* lab_up.c -- slimfly lab up, down and list. */
#define _GNU_SOURCE
#include "lab_verbs.h"
#include "routed.h"

#include <signal.h>
#include <stdlib.h>

static volatile sig_atomic_t interrupted;

static void
interrupt(int signal_number)
{
    interrupted = signal_number;
}

static bool
is_interrupted(void)
{
    return interrupted;
}

/* Lets an interrupt end the work at a place where it can be undone. */
static void
catch_signals(void)
{
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
    struct sigaction action = { .sa_handler = interrupt };

    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        sigaction(signals[i], &action, NULL);
    }
}

/* Dies of what interrupted, as whoever sent it expects. */
static void
die(void)
{
    signal(interrupted, SIG_DFL);
    raise(interrupted);
}

/* Whether the addresses fit what is about to be routed. */
static bool
check_network(const void *aux, const struct sf_network *network,
              uint32_t n_layers)
{
    const struct sf_lab_params *params = aux;
    struct sf_ip_params plan = params->addresses;
    struct sf_ip_addresses addresses;
    struct sf_error err;

    plan.n_layers = n_layers;
    if (sf_ip_plan_addresses(network->fabric, &plan, &addresses, &err) !=
        SF_OK) {
        if (plan.prefix) {
            sf_error_add_context(&err, "--prefix");
        }
        cli_fail("%s", err.text);
        return false;
    }
    return true;
}

int
cli_lab_up(const struct cli_lab *lab)
{
    const struct cli_args *args = lab->args;
    struct sf_lab_params params = {
        .folder = lab->folder,
        .name = lab->name,
        .addresses = { .prefix = cli_text(args, OPT_LAB_PREFIX),
                       .is_v6 = cli_has(args, OPT_LAB_IPV6) },
        .switch_ports = cli_text(args, OPT_LAB_PORTS),
        .host_ports = cli_text(args, OPT_LAB_HOST_PORTS),
        .without_alternates = cli_has(args, OPT_LAB_NO_ALTERNATES),
        .link_rate = cli_real(args, OPT_LAB_RATE) * 1e6,
        .host_rate = (cli_has(args, OPT_LAB_HOST_RATE)
                          ? cli_real(args, OPT_LAB_HOST_RATE)
                          : cli_real(args, OPT_LAB_RATE)) *
                     1e6,
        .is_cancelled = is_interrupted,
    };
    struct sf_lab_sizes sizes;
    struct sf_error err;

    /* What cannot be is refused before paths are chosen. */
    if (sf_lab_allowed(&params, &err) != SF_OK) {
        return cli_fail("%s", err.text);
    }
    struct sf_routing *routing = cli_load_routing_if(
        args, lab->words[0],
        (struct sf_routing_params){ .layers = { .may_exceed = true },
                                    .without_lanes =
                                        cli_has(args, OPT_LAB_WITHOUT_LANES) },
        check_network, &params);
    if (!routing) {
        return CLI_ERROR;
    }
    double start = cli_seconds();
    catch_signals();
    enum sf_status status =
        sf_lab_up(&params, routing->network, routing->routes, &sizes, &err);
    double seconds = cli_seconds() - start;
    int code = CLI_FINE;
    cli_progress_end();
    if (status != SF_OK) {
        code = cli_fail("%s", err.text);
    } else if (cli_is(args, OPT_FORMAT, "json")) {
        code = cli_lab_told(
            sf_lab_write_up_json(lab->name, &sizes, stdout, &err), &err);
    } else {
        sf_lab_write_up_text(lab->name, &sizes, seconds, stdout);
        cli_tell_robustness(routing);
    }
    sf_routing_free(routing);
    if (status != SF_OK && interrupted) {
        die();
    }
    return code;
}

int
cli_lab_down(const struct cli_lab *lab)
{
    struct sf_lab_removed removed;
    struct sf_error err;

    if (sf_lab_down(lab->folder, lab->name, &removed, &err) != SF_OK) {
        return cli_fail("%s", err.text);
    }
    cli_progress_end();
    if (cli_is(lab->args, OPT_FORMAT, "json")) {
        return cli_lab_told(
            sf_lab_write_down_json(lab->name, &removed, stdout, &err), &err);
    }
    sf_lab_write_down_text(lab->name, &removed, stdout);
    return CLI_FINE;
}

int
cli_lab_list(const struct cli_lab *lab)
{
    struct sf_lab_list list;
    struct sf_error err;
    int code = CLI_FINE;

    if (sf_labs_list(lab->folder, &list, &err) != SF_OK) {
        return cli_fail("%s", err.text);
    }
    if (cli_is(lab->args, OPT_FORMAT, "json")) {
        code = cli_lab_told(sf_labs_write_json(&list, stdout, &err), &err);
    } else {
        sf_labs_write_text(&list, stdout);
    }
    if (list.n_unseen) {
        code = cli_fail("lab list: %u network namespaces may be of labs whose "
                        "folder is gone; to look into them needs root",
                        list.n_unseen);
    }
    sf_labs_clear(&list);
    return code;
}
