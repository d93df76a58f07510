/* cmd_ip.c -- slimfly ip: the same layers on Ethernet and IP.  The work is
 * done in ip_plan.c and the library. */
#include "cli.h"
#include "ip_plan.h"
#include "ip_run.h"
#include "routed.h"
#include "verbs.h"

#include <string.h>

enum {
    OPT_PREFIX = CLI_OWN,
    OPT_IPV6,
    OPT_ALTERNATES,
    OPT_PORTS,
    OPT_HOST_PORTS,
    OPT_ROUTES,
};

static const char *const alternates[] = {
    [SF_IP_ALTERNATES_LINKS] = "links",
    [SF_IP_ALTERNATES_LANES] = "lanes",
    [SF_IP_ALTERNATES_NONE] = "none",
    NULL,
};

static const char *
alternates_choice(size_t i)
{
    return alternates[i];
}

static const struct cli_option options[] = {
    { OPT_PREFIX, "prefix", 0, CLI_TEXT, "PREFIX",
      .help = "the addresses that may be used, such as 172.16.0.0/12",
      .otherwise = SF_IP_PREFIX ", with --ipv6 " SF_IP6_PREFIX },
    { OPT_IPV6, "ipv6", '6', CLI_FLAG, .help = "use IPv6" },
    { OPT_ALTERNATES, "alternates", 0, CLI_CHOICE, "WHICH",
      .help = "which routes take over while a link is down: all that are free "
              "of loops (links), those that also keep the lanes free of "
              "deadlock (lanes), or none",
      .choice = alternates_choice, .value = "links" },
    { OPT_PORTS, "ports", 0, CLI_TEXT, "RULE",
      .help = "what the ports of switches are called, such as "
              "Ethernet%d:first=0,step=4",
      .value = SF_IP_SWITCH_PORTS },
    { OPT_HOST_PORTS, "host-ports", 0, CLI_TEXT, "RULE",
      .help = "what the ports of hosts are called",
      .value = SF_IP_HOST_PORTS },
    { OPT_ROUTES, "routes", 0, CLI_FOLDER, "DUMPS",
      .help = "audit: the routes that switches hold: DUMPS/NAME.json is what "
              "'ip -j route' printed on each",
      .otherwise = "those of the files" },
    CLI_FORMAT(cli_text_or_json),
    { 0 },
};

/* Reads a rule of names; false, having said why. */
static bool
read_rule(const struct cli_args *args, int id, struct sf_port_names *names)
{
    struct sf_error err;

    if (sf_port_names_parse(cli_text(args, id), names, &err) != SF_OK) {
        cli_fail("ip: --%s: %s", cli_name(args, id), err.text);
        return false;
    }
    return true;
}

static bool
read_options(const struct cli_args *args, struct cli_ip_params *params)
{
    *params = (struct cli_ip_params){
        .addresses = { .prefix = cli_text(args, OPT_PREFIX),
                       .is_v6 = cli_has(args, OPT_IPV6) },
    };
    for (unsigned i = 0; alternates[i]; i++) {
        if (cli_is(args, OPT_ALTERNATES, alternates[i])) {
            params->alternates = (enum sf_ip_alternates)i;
        }
    }
    struct sf_ip_prefix prefix;
    struct sf_error err;
    if (params->addresses.prefix &&
        sf_ip_prefix_parse(params->addresses.prefix, &prefix, &err) != SF_OK) {
        cli_fail("ip: --prefix: %s", err.text);
        return false;
    }
    if (params->addresses.prefix && params->addresses.is_v6 &&
        !prefix.address.is_v6) {
        cli_fail("ip: --ipv6: expected a prefix of IPv6, found %s",
                 params->addresses.prefix);
        return false;
    }
    return read_rule(args, OPT_PORTS, &params->switch_ports) &&
           read_rule(args, OPT_HOST_PORTS, &params->host_ports);
}

/* Says what was planned. */
static void
tell_plan(const struct cli_ip *ip, const struct sf_ip_plan *plan,
          const char *folder)
{
    const struct sf_ip_tables *tables = ip->tables;
    const struct sf_ip_addresses *addresses = &ip->addresses;
    uint64_t n_routes = 0, n_far = 0, n_alternates = 0;
    uint32_t n_hosts = plan->network->fabric->n_nodes - tables->n_switches;

    for (size_t i = 0; i < tables->first[tables->n_switches]; i++) {
        n_routes++;
        n_far += tables->routes[i].kind == SF_IP_ROUTE;
        n_alternates += sf_ip_is_alternate(&tables->routes[i]);
    }
    cli_progress_end();
    printf("%u %s, %u %s, %u %s in %s\n", tables->n_switches,
           cli_plural(tables->n_switches, "switch", "switches"), n_hosts,
           cli_plural(n_hosts, "host", "hosts"), addresses->n_layers,
           cli_plural(addresses->n_layers, "layer", "layers"),
           sf_ip_prefix_text(addresses->prefix).text);
    printf("  an address is %u bits of prefix, %u of layer, %u of switch, %u "
           "of port: layer 0 of switch 0 is %s\n",
           addresses->prefix.length, addresses->layer_bits,
           addresses->switch_bits, addresses->port_bits,
           sf_ip_prefix_text(sf_ip_switch_prefix(addresses, 0, 0)).text);
    printf("  %llu routes; %llu of %llu routes to other switches have an "
           "alternate (%.1f %%)\n",
           (unsigned long long)n_routes, (unsigned long long)n_alternates,
           (unsigned long long)n_far,
           n_far ? 100. * (double)n_alternates / (double)n_far : 0.);
    if (tables->lanes) {
        printf("  %u lane%s by in port and out port\n", tables->lanes->n_lanes,
               tables->lanes->n_lanes == 1 ? "" : "s");
    } else {
        puts("  no lanes by ports: lossless traffic can deadlock");
    }
    cli_tell_robustness(ip->routing);
    printf("  the tables were made in %.3f s and written to %s:\n",
           ip->seconds, folder);
    for (const struct sf_ip_file *file = sf_ip_files; file->name; file++) {
        if (file->needs_lanes && !tables->lanes) {
            continue;
        }
        char path[64];
        (void)snprintf(path, sizeof path, "%s%s",
                       file->subject == SF_IP_OF_SWITCHES ? "switches/NAME"
                       : file->subject == SF_IP_OF_HOSTS  ? "hosts/NAME"
                                                          : "",
                       file->name);
        printf("    %-27s  %s%s\n", path, file->summary,
               file->is_not_run ? " (written after its schema, not run)" : "");
    }
}

static int
make_plan(const struct cli_args *args)
{
    const char *folder = cli_text(args, OPT_OUTPUT);
    struct cli_ip_params params;
    struct cli_ip ip;
    struct sf_error err;
    int code = CLI_ERROR;

    if (!folder || !*folder) {
        return cli_fail("ip plan: expected a folder for the files, -o DIR");
    }
    /* What cannot be is refused before paths are chosen. */
    if (!read_options(args, &params) || !cli_ip_check_folder(folder)) {
        return CLI_ERROR;
    }
    if (cli_ip_load(&ip, args, args->words[1], &params)) {
        struct sf_ip_plan plan = {
            ip.routing->network,    ip.tables,           ip.names,
            &sf_ip_default_classes, params.switch_ports, params.host_ports
        };
        code = sf_ip_plan_check(&plan, &err) == SF_OK
                   ? cli_ip_write(&plan, folder)
                   : cli_fail("ip plan: %s", err.text);
        if (code == CLI_FINE) {
            tell_plan(&ip, &plan, folder);
        }
    }
    cli_ip_clear(&ip);
    return code;
}

static int
audit_files(const struct cli_args *args)
{
    struct sf_fabric *fabric =
        cli_load_fabric(args->words[1], cli_number(args, OPT_TIMEOUT));
    struct sf_ip_audit *audit = NULL;
    struct sf_error err;
    int code = CLI_ERROR;

    if (!fabric) {
        return CLI_ERROR;
    }
    if (sf_ip_audit(fabric, args->words[2], cli_text(args, OPT_ROUTES), &audit,
                    &err) != SF_OK) {
        cli_fail("ip audit: %s", err.text);
    } else {
        code = sf_ip_audit_is_clean(audit) ? CLI_FINE : CLI_FINDINGS;
        cli_progress_end();
        if (!cli_is(args, OPT_FORMAT, "json")) {
            sf_ip_audit_write_text(audit, stdout);
        } else if (sf_ip_audit_write_json(audit, stdout, &err) != SF_OK) {
            code = cli_fail("%s", err.text);
        }
    }
    sf_ip_audit_free(audit);
    sf_fabric_free(fabric);
    return code;
}

/* A lab has its addresses, its ports and, unless a fabric is given besides,
 * its routes: refuses options that say others. */
static bool
check_lab_options(const struct cli_args *args)
{
    static const int of_lab[] = { OPT_PREFIX,     OPT_IPV6,
                                  OPT_ALTERNATES, OPT_PORTS,
                                  OPT_HOST_PORTS, OPT_RUN_INTERVAL,
                                  OPT_RUN_LIMIT,  OPT_RUN_AT_ONCE };
    static const int of_fabric[] = {
        OPT_SCHEME, OPT_LAYERS,    OPT_PATH_SETS, OPT_PER_HOST, OPT_MAX_HOPS,
        OPT_LANES,  OPT_GUARANTEE, OPT_MAX_VLS,   OPT_MAX_SLS,  OPT_SEED
    };

    for (size_t i = 0; i < sizeof of_lab / sizeof *of_lab; i++) {
        if (cli_has(args, OPT_RUN_LAB) && cli_has(args, of_lab[i])) {
            cli_fail("ip run: --%s is for --exec; the lab says by itself what "
                     "it is like",
                     cli_name(args, of_lab[i]));
            return false;
        }
    }
    for (size_t i = 0; i < sizeof of_fabric / sizeof *of_fabric; i++) {
        if (cli_has(args, OPT_RUN_LAB) && args->n_words < 2 &&
            cli_has(args, of_fabric[i])) {
            cli_fail("ip run: --%s says how FABRIC is routed; the lab is "
                     "routed already",
                     cli_name(args, of_fabric[i]));
            return false;
        }
    }
    return true;
}

static int
run_controller(const struct cli_args *args)
{
    struct cli_ip_params params;

    if (!check_lab_options(args)) {
        return CLI_ERROR;
    }
    return read_options(args, &params) ? cli_ip_run(args, &params) : CLI_ERROR;
}

static const struct verb {
    struct cli_verb is;
    int (*run)(const struct cli_args *args);
} verbs[] = {
    { { "plan", "one fabric", 1, 1 }, make_plan },
    { { "audit", "a fabric and a folder of 'slimfly ip plan'", 2, 2 },
      audit_files },
    { { "run", "one fabric at most", 0, 1 }, run_controller },
};

/* Whether the options that are of one verb alone are of this one. */
static bool
check_options(const struct cli_args *args, const struct cli_verb *verb)
{
    static const struct cli_verb_option own[] = {
        { OPT_ROUTES, "audit" },       { OPT_RUN_LAB, "run" },
        { OPT_RUN_LAB_FOLDER, "run" }, { OPT_RUN_EXEC, "run" },
        { OPT_RUN_STATE, "run" },      { OPT_RUN_STANDBY, "run" },
        { OPT_RUN_INTERVAL, "run" },   { OPT_RUN_CHECK, "run" },
        { OPT_RUN_ONCE, "run" },       { OPT_RUN_AT_ONCE, "run" },
        { OPT_RUN_LIMIT, "run" },      { OPT_OUTPUT, "plan" },
    };

    return cli_check_verb_options(args, verb, own, sizeof own / sizeof *own);
}

static int
run(const struct cli_args *args)
{
    size_t verb = cli_find_verb(args, verbs, sizeof verbs / sizeof *verbs,
                                sizeof *verbs);

    return verb != SIZE_MAX && check_options(args, &verbs[verb].is)
               ? verbs[verb].run(args)
               : CLI_ERROR;
}

const struct cli_command cli_command_ip = {
    .name = "ip",
    .group = CLI_RUN,
    .arguments = "plan FABRIC -o DIR | audit FABRIC DIR | run [FABRIC]",
    .summary = "the layers on Ethernet and IP: files for switches and hosts",
    .words = "plan audit run",
    .description =
        "Routes a network of Ethernet switches in layers. Every host has one "
        "address a layer, and the address chooses the layer. Switches need "
        "nothing but routes. " CLI_FABRIC_IS " A folder of 'slimfly route' is "
        "taken with its routes; any other fabric is routed first.\n"
        "\n"
        "With plan it writes a folder. For each switch, switches/NAME has "
        "batches of ip(8) with ports and routes, the same routes for FRR's "
        "staticd and for SONiC, and settings of the kernel. Rules of nftables "
        "in it put lossless packets into lanes. For each host, hosts/NAME has "
        "addresses, routes and MPTCP, on one interface or on one for each "
        "layer. inventory.json and addresses.csv list everything; "
        "topology.clab.yml is for containerlab. All files appear when all are "
        "complete, and those of an earlier plan are replaced. Files of "
        "others stay.\n"
        "\n"
        "The bits behind the prefix are shared out among layer, switch and "
        "port: 10.LAYER.SWITCH.PORT, if that is enough. Port 0 is the switch "
        "itself. A second route, the alternate, takes over while a link is "
        "down. As long as one link alone is down, no packet goes round in a "
        "circle, and each that finds an alternate arrives.\n"
        "\n"
        "With audit it reads the files of such a folder back, follows every "
        "path and every alternate from hop to hop, compares the formats with "
        "each other and looks for deadlock among lanes. It trusts nothing but "
        "the cables of FABRIC. If it finds something, the exit code is 1. "
        "With --routes DUMPS, the routes are those that switches really hold, "
        "as 'ip -j route' (for IPv6, 'ip -6 -j route') prints them.\n"
        "\n"
        "With run it controls switches until it is ended. When a link goes or "
        "comes back, it repairs the routes as 'slimfly route --previous' "
        "does, from those of the whole network. It writes to each switch only "
        "what changes, in an order in which no packet goes round in a circle. "
        "With --lab NAME the switches are those of a lab, whose kernel tells "
        "of links at once. With --exec COMMAND they are reached by a command "
        "such as 'ssh {switch}', and 'ip -j link', 'ip -j route' and 'ip "
        "-batch' are run there; FABRIC is what was planned. After a start it "
        "reads what switches hold and mends what differs. Only one controller "
        "works with the folder of --state; another says which one that is and "
        "ends, or waits with --standby.",
    .examples =
        "slimfly ip plan sf:q=5 --layers 4 -o net\tPlan the 50-switch Slim "
        "Fly.\n"
        "slimfly ip audit sf:q=5 net\tProve that its files are right.\n"
        "slimfly ip audit sf:q=5 net --routes dumps\tProve that what switches "
        "hold is right.\n"
        "slimfly ip run --lab lab\tRepair routes of a lab when links fail.\n"
        "slimfly ip run tables --exec 'ssh root@{switch}' --state "
        "/var/lib/slimfly\tThe same for real switches.\n"
        "slimfly ip plan plan --ports Ethernet%d:first=0,step=4 -o net\tName "
        "ports as SONiC does.\n",
    .options = { options, cli_ip_run_options, cli_scheme_options,
                 cli_lane_options, cli_path_options, cli_work_options,
                 cli_thread_options, cli_live_options, cli_folder_options,
                 cli_progress_options },
    .run = run,
};
