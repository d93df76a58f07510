/* cmd_verify.c -- slimfly verify: is it wired as planned, and if not, what is
 * to be done? */
#include "cli.h"

#include <string.h>

enum {
    OPT_SAVE_GUIDS = CLI_OWN,
};

static const char *
format_choice(size_t i)
{
    static const char *const formats[] = { "text", "json", "svg", NULL };
    return formats[i];
}

static const struct cli_option options[] = {
    { OPT_SAVE_GUIDS, "save-guids", 0, CLI_FILE, "FILE",
      .help = "write the GUIDs found to FILE, for --guids" },
    CLI_FORMAT(format_choice),
    { 0 },
};

static enum sf_status
write_verification(const struct cli_args *args,
                   const struct sf_verification *verification, FILE *stream,
                   struct sf_error *err)
{
    if (cli_is(args, OPT_FORMAT, "json")) {
        struct sf_origin origin = cli_origin(args);
        return sf_verification_write_json(verification, &origin, stream, err);
    }
    if (cli_is(args, OPT_FORMAT, "svg")) {
        return sf_verification_write_svg(verification, stream, err);
    }
    return sf_verification_write_text(verification, stream, err);
}

/* Writes who is who to the file of --save-guids. */
static int
save_guids(const char *path, const struct sf_verification *verification,
           const struct sf_guid_map *map)
{
    struct cli_output output;
    struct sf_error err = { 0 };

    if (!cli_output_open(&output, path)) {
        return CLI_ERROR;
    }
    enum sf_status status =
        sf_verification_write_guids(verification, map, output.stream, &err);
    return cli_output_close(&output, status, &err);
}

/* Says that the map of --guids, if it was to be used, was of no use. */
static void
warn_useless_map(const struct cli_args *args,
                 const struct sf_verify_params *params,
                 const struct sf_verification *verification)
{
    bool is_used = !params->sources || params->sources & SF_IDENTITY_MAP;

    if (params->map && is_used && !verification->n_by_source[0]) {
        cli_progress_hide();
        fprintf(stderr,
                "slimfly: no node that was found has a GUID and a planned "
                "name in %s\n",
                cli_text(args, OPT_GUIDS));
    }
}

/* Compares and writes; returns an exit code. */
static int
verify(const struct cli_args *args, const struct sf_plan *plan,
       const struct sf_fabric *found, const struct sf_verify_params *params)
{
    struct sf_verification *verification;
    struct cli_output output;
    struct sf_error err = { 0 };
    int code = CLI_ERROR;

    if (sf_verify(plan, found, params, &verification, &err) != SF_OK) {
        return cli_fail("%s", err.text);
    }
    if (cli_output_open(&output, cli_text(args, OPT_OUTPUT))) {
        enum sf_status status =
            write_verification(args, verification, output.stream, &err);
        code = cli_output_close(&output, status, &err);
    }
    if (code == CLI_FINE && cli_has(args, OPT_SAVE_GUIDS)) {
        code = save_guids(cli_text(args, OPT_SAVE_GUIDS), verification,
                          params->map);
    }
    if (code == CLI_FINE) {
        warn_useless_map(args, params, verification);
    }
    if (code == CLI_FINE && !verification->matches) {
        code = CLI_FINDINGS;
    }
    sf_verification_free(verification);
    return code;
}

/* Says that 'second' cannot be what was discovered. */
static int
refuse_plan(const char *first, const char *second)
{
    return cli_is_plan(first)
               ? cli_fail("verify: %s: expected what was discovered, and this "
                          "is a plan",
                          second)
               : cli_fail("verify: the plan comes first: slimfly verify %s %s",
                          second, first);
}

static int
run(const struct cli_args *args)
{
    struct sf_verify_params params = { 0 };
    struct sf_guid_map *map = NULL;
    struct sf_plan *plan = NULL;
    struct sf_fabric *found = NULL;
    int code = CLI_ERROR;

    if (args->n_words != 2) {
        return cli_fail("verify: expected a plan and what was discovered, "
                        "found %zu words",
                        args->n_words);
    }
    if (cli_is_plan(args->words[1])) {
        return refuse_plan(args->words[0], args->words[1]);
    }
    if (!cli_verify_params(args, &params, &map)) {
        return CLI_ERROR;
    }
    plan = cli_load_plan(args->words[0]);
    if (plan && cli_port_names(args, plan->fabric->port_names)) {
        found = cli_load_found(plan, args->words[1],
                               cli_number(args, OPT_TIMEOUT));
    }
    if (found && cli_has(args, OPT_SKIP_HOSTS)) {
        sf_plan_drop_hosts(plan);
        sf_fabric_drop_hosts(found);
    }
    if (found) {
        code = verify(args, plan, found, &params);
    }
    sf_fabric_free(found);
    sf_plan_free(plan);
    sf_guid_map_free(map);
    return code;
}

const struct cli_command cli_command_verify = {
    .name = "verify",
    .group = CLI_BUILD,
    .arguments = "PLAN DISCOVERED",
    .summary = "compare the fabric with the plan and say how to mend it",
    .description =
        "Compares the fabric with the plan. It names each cable that is "
        "missing, unexpected, misconnected, duplicate or of another rate, and "
        "each switch and host that is missing, unknown or exchanged. It then "
        "lists the fewest cable ends to move that turn the fabric into the "
        "plan.\n"
        "\n" CLI_PLAN_IS " DISCOVERED is the output of ibnetdiscover (- for "
        "standard input), a file that 'ibnetdiscover --cache' wrote, "
        "opensm-subnet.lst as OpenSM dumps it, or a folder with "
        "fabric.ibnetdiscover or opensm-subnet.lst. The word live stands for "
        "the fabric that this machine is part of.\n"
        "\n"
        "On Ethernet, DISCOVERED is lldp:DIR. The folder DIR has a file "
        "NAME.json for each switch, and for hosts if they run LLDP: what "
        "'lldpcli -f json0 show neighbors' prints there. lldp:FILE is one "
        "file with {\"NAME\": ...} of all. The plan must have names of ports, "
        "from 'slimfly plan --port-names' or from the same option here. Ports "
        "for management are left out. What the reports do not agree on is "
        "said, and counts as missing. If no host is seen, the cables of hosts "
        "are not checked.\n"
        "\n"
        "Switches and hosts are recognized by a GUID map (--guids), by the "
        "GUIDs or the names of the plan, by the hosts on their ports or, "
        "where nothing else is known, by their wiring. The report marks "
        "guesses as such. --save-guids writes the GUIDs of all recognized "
        "nodes to a file that --guids takes; guesses are comments in it. The "
        "GUID of one switch is enough to tell all others by their cables, so "
        "the rest need not be typed.\n"
        "\n"
        "The exit code is 0 if the fabric matches the plan and 1 if it does "
        "not.",
    .examples =
        "ibnetdiscover | slimfly verify plan -\tVerify the fabric of this "
        "machine.\n"
        "slimfly verify plan lldp:reports\tVerify an Ethernet.\n"
        "slimfly verify plan live --format svg -o wrong.svg\tDraw the racks "
        "with mistakes.\n"
        "slimfly verify plan live --save-guids guids.map\tWrite the real "
        "GUIDs in place of the planned ones.\n",
    .options = { options, cli_guid_options, cli_node_options, cli_port_options,
                 cli_live_options, cli_file_options, cli_progress_options },
    .run = run,
};
