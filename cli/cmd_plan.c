/* cmd_plan.c -- slimfly plan: racks, ports, cables, and the files for those
 * who build it. */
#include "write_plan.h"

#include <stdlib.h>
#include <string.h>

enum {
    OPT_HOSTS = CLI_OWN,
    OPT_SWITCH_PORTS,
    OPT_RATE,
    OPT_RACK_UNITS,
    OPT_SWITCH_UNITS,
    OPT_HOSTS_PER_UNIT,
    OPT_RACKS_PER_ROW,
    OPT_RACK_PITCH,
    OPT_ROW_PITCH,
    OPT_TRAY_HEIGHT,
    OPT_SLACK,
    OPT_COPPER_MAX,
    OPT_LABEL_SIZE,
    OPT_WRAP_SIZE,
};

/* The defaults of the floor are the library's. */
static const struct cli_option options[] = {
    { OPT_HOSTS, "hosts", 0, CLI_NUMBER, "N", .help = "number of hosts",
      .min = 1, .max = UINT32_MAX, .otherwise = "as many as the spec has" },
    { OPT_SWITCH_PORTS, "switch-ports", 0, CLI_NUMBER, "N",
      .help = "number of ports of a switch", .min = 1, .max = SF_MAX_PORTS,
      .otherwise = "as many as needed" },
    { OPT_RATE, "rate", 0, CLI_TEXT, "RATE",
      .help = "width and speed of every link, such as 4xHDR",
      .otherwise = "4xEDR" },
    { OPT_RACK_UNITS, "rack-units", 0, CLI_NUMBER, "N",
      .help = "height of a rack in units", .min = 1, .max = 1000,
      .number_at = &sf_floor_default.rack_units },
    { OPT_SWITCH_UNITS, "switch-units", 0, CLI_NUMBER, "N",
      .help = "height of a switch in units", .min = 1, .max = 1000,
      .number_at = &sf_floor_default.switch_units },
    { OPT_HOSTS_PER_UNIT, "hosts-per-unit", 0, CLI_NUMBER, "N",
      .help = "number of hosts in a rack unit", .min = 1, .max = 1000,
      .number_at = &sf_floor_default.hosts_per_unit },
    { OPT_RACKS_PER_ROW, "racks-per-row", 0, CLI_NUMBER, "N",
      .help = "number of racks in a row", .min = 1, .max = 100000,
      .number_at = &sf_floor_default.racks_per_row },
    { OPT_RACK_PITCH, "rack-pitch", 0, CLI_REAL, "M",
      .help = "metres from rack to rack", .min = 0.01, .max = 1000,
      .real_at = &sf_floor_default.rack_pitch },
    { OPT_ROW_PITCH, "row-pitch", 0, CLI_REAL, "M",
      .help = "metres from row to row", .min = 0.01, .max = 1000,
      .real_at = &sf_floor_default.row_pitch },
    { OPT_TRAY_HEIGHT, "tray-height", 0, CLI_REAL, "M",
      .help = "metres from the racks up to the cable tray", .min = 0,
      .max = 1000, .real_at = &sf_floor_default.tray_height },
    { OPT_SLACK, "slack", 0, CLI_REAL, "M",
      .help = "metres added to each cable", .min = 0, .max = 1000,
      .real_at = &sf_floor_default.slack },
    { OPT_COPPER_MAX, "copper-max", 0, CLI_REAL, "M",
      .help = "length of the longest copper cable in metres", .min = 0,
      .max = 1000, .real_at = &sf_floor_default.copper_max },
    { OPT_LABEL_SIZE, "label-size", 0, CLI_TEXT, "WxH",
      .help = "width and height of a label in mm", .value = "70x32" },
    { OPT_WRAP_SIZE, "wrap-size", 0, CLI_TEXT, "WxPxL",
      .help = "size of a wrap-around label in mm: along the cable, around it "
              "as far as printed, around it with the clear rest",
      .value = "25x19x57" },
    { 0 },
};

/* Whether 'rate' is a width and a speed as ibnetdiscover spells them. */
static bool
is_rate(const char *rate)
{
    static const char *const widths[] = { "1x", "2x", "4x", "8x", "12x" };
    static const char *const speeds[] = { "SDR", "DDR", "QDR", "FDR10", "FDR",
                                          "EDR", "HDR", "NDR", "XDR" };
    char known[SF_RATE_SIZE];

    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        for (size_t j = 0; j < sizeof speeds / sizeof *speeds; j++) {
            snprintf(known, sizeof known, "%s%s", widths[i], speeds[j]);
            if (!strcmp(rate, known)) {
                return true;
            }
        }
    }
    return false;
}

/* Reads the options about ports and floor; false if one is wrong. */
static bool
read_options(const struct cli_args *args, struct sf_fabric_params *params,
             struct sf_floor *floor)
{
    const char *rate = cli_text(args, OPT_RATE);

    if (rate && !is_rate(rate)) {
        cli_fail("plan: --rate '%s': expected a width, 1x, 2x, 4x, 8x or 12x, "
                 "and a speed, SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR or "
                 "XDR, such as 4xHDR",
                 rate);
        return false;
    }
    params->rate = rate;
    params->n_hosts = cli_number(args, OPT_HOSTS);
    params->switch_ports = cli_number(args, OPT_SWITCH_PORTS);
    *floor = sf_floor_default;
    floor->rack_units = cli_number(args, OPT_RACK_UNITS);
    floor->switch_units = cli_number(args, OPT_SWITCH_UNITS);
    floor->hosts_per_unit = cli_number(args, OPT_HOSTS_PER_UNIT);
    floor->racks_per_row = cli_number(args, OPT_RACKS_PER_ROW);
    floor->rack_pitch = cli_real(args, OPT_RACK_PITCH);
    floor->row_pitch = cli_real(args, OPT_ROW_PITCH);
    floor->tray_height = cli_real(args, OPT_TRAY_HEIGHT);
    floor->slack = cli_real(args, OPT_SLACK);
    floor->copper_max = cli_real(args, OPT_COPPER_MAX);
    return cli_port_names(args, params->port_names);
}

/* Reads 'n' numbers with an 'x' between them. */
static bool
read_size(const char *text, double *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char *end;
        values[i] = strtod(text, &end);
        /* strtod() would also take blanks, signs and "inf". */
        if (*text < '0' || *text > '9' || *end != (i + 1 < n ? 'x' : '\0')) {
            return false;
        }
        text = end + 1;
    }
    return true;
}

/* Reads the options about labels; false if one is wrong. */
static bool
read_sizes(const struct cli_args *args, struct sf_label_sizes *sizes)
{
    const char *label = cli_text(args, OPT_LABEL_SIZE);
    const char *wrap = cli_text(args, OPT_WRAP_SIZE);
    double plain[2], wrapped[3];

    if (!read_size(label, plain, 2)) {
        cli_fail("plan: --label-size '%s': expected width and height in mm, "
                 "such as 70x32",
                 label);
        return false;
    }
    if (!read_size(wrap, wrapped, 3)) {
        cli_fail("plan: --wrap-size '%s': expected width, printed length and "
                 "whole length in mm, such as 25x19x57",
                 wrap);
        return false;
    }
    *sizes = (struct sf_label_sizes){ plain[0], plain[1], wrapped[0],
                                      wrapped[1], wrapped[2] };
    struct sf_error err;
    if (sf_label_sizes_check(sizes, &err) != SF_OK) {
        cli_fail("plan: %s", err.text);
        return false;
    }
    return true;
}

static void
print_summary(const struct sf_plan *plan, const char *folder)
{
    const struct sf_fabric *fabric = plan->fabric;
    uint32_t n_by_step[SF_N_STEPS] = { 0 };
    uint32_t n_hosts = fabric->n_nodes - fabric->n_switches, n_optical = 0;
    char title[SF_STEP_TITLE_SIZE];

    for (uint32_t i = 0; i < plan->n_cables; i++) {
        n_by_step[plan->cables[i].step]++;
        n_optical += plan->cables[i].medium == SF_OPTICAL;
    }
    cli_progress_end();
    printf("%s -- %s\n", plan->spec, plan->title);
    printf("  %u %s and %u %s in %u %s; %u %s, %u copper and %u optical\n",
           fabric->n_switches,
           cli_plural(fabric->n_switches, "switch", "switches"), n_hosts,
           cli_plural(n_hosts, "host", "hosts"), plan->n_racks,
           cli_plural(plan->n_racks, "rack", "racks"), plan->n_cables,
           cli_plural(plan->n_cables, "cable", "cables"),
           plan->n_cables - n_optical, n_optical);
    for (int step = 0; step < SF_N_STEPS; step++) {
        if (n_by_step[step]) {
            printf("  step %d, %s: %u %s\n", step,
                   sf_plan_step_title(plan, (enum sf_step)step, title),
                   n_by_step[step],
                   cli_plural(n_by_step[step], "cable", "cables"));
        }
    }
    printf("written to %s:\n", folder);
    printf("  %-22s %s\n", "guide.html",
           "the wiring guide with tick boxes, for paper and tablets");
    printf("  %-22s %s\n", "labels.html",
           "labels for both ends of each cable");
    printf("  %-22s %s\n", "labels-wrap.html",
           "the same to wrap around the cable");
    printf("  %-22s %s\n", "diagrams/", "the drawings of the guide, one each");
    for (const struct sf_plan_file *file = sf_plan_files; file->name; file++) {
        printf("  %-22s %s\n", file->name, file->summary);
    }
}

static int
run(const struct cli_args *args)
{
    struct sf_fabric_params params = { 0 };
    struct sf_floor floor;
    struct sf_label_sizes sizes;
    const char *folder = cli_text(args, OPT_OUTPUT);
    struct sf_topology *topo;
    struct sf_plan *plan;
    struct sf_error err;

    if (args->n_words != 1) {
        return cli_fail("plan: expected one spec such as sf:q=5, found %zu",
                        args->n_words);
    }
    if (!folder) {
        return cli_fail("plan: expected a folder for the files, -o DIR");
    }
    if (!read_options(args, &params, &floor) || !read_sizes(args, &sizes)) {
        return CLI_ERROR;
    }
    if (sf_topology_build(args->words[0], &topo, &err) != SF_OK) {
        return cli_fail("%s", err.text);
    }
    enum sf_status status = sf_plan_build(topo, &params, &floor, &plan, &err);
    sf_topology_free(topo);
    if (status != SF_OK) {
        return cli_fail("%s", err.text);
    }
    struct sf_origin origin = cli_origin(args);
    int code = sf_plan_set_origin(plan, &origin, &err) == SF_OK
                   ? cli_write_plan(plan, &sizes, folder)
                   : cli_fail("%s", err.text);
    if (code == CLI_FINE) {
        print_summary(plan, folder);
    }
    sf_plan_free(plan);
    return code;
}

const struct cli_command cli_command_plan = {
    .name = "plan",
    .group = CLI_BUILD,
    .arguments = "SPEC -o DIR",
    .summary = "racks, ports, cables, labels and diagrams for building it",
    .description =
        "Plans the installation of a topology: the place of each switch and "
        "host, the ports that each cable joins, the length of each cable and "
        "the step in which it is wired. A Slim Fly is laid out as in its "
        "first installation: rack r holds group r of both subgroups. Hosts "
        "are on the first ports of a switch. The links inside the subgroup "
        "follow, then the link to the other subgroup in the rack, then one "
        "port for each other rack, the same on every switch of a rack.\n"
        "\n"
        "The lengths of cables follow from the floor: racks stand side by "
        "side in rows, and cables run through a tray above them. Cables of up "
        "to --copper-max metres are copper, longer ones are optical.\n"
        "\n"
        "With --hosts N, the plan leaves out the hosts beyond N: the last "
        "hosts of switches, spread evenly, as 'slimfly design' names them. "
        "Their ports and places stay free. All other hosts keep their names, "
        "ports and places.\n"
        "\n"
        "On InfiniBand, ports have numbers. On Ethernet they have names, "
        "which --port-names makes of the numbers. In a name, %d stands for a "
        "number: that of port 1 is first (default 1), and step (default 1) is "
        "added from port to port. Ethernet%d:first=0,step=4 gives Ethernet0, "
        "Ethernet4, Ethernet8, as SONiC has them. The plan then shows names "
        "in place of numbers, on labels and diagrams, too, and 'slimfly "
        "verify' can compare it with what LLDP finds. The files of the tools "
        "of InfiniBand keep the numbers.\n"
        "\n"
        "The wiring guide is one file for paper and for browsers. In a "
        "browser each rack has a page. The browser keeps which ends of cables "
        "are ticked, and the guide exports and merges ticks as files.\n"
        "\n"
        "Labels print on A4. Plain ones have marks to cut along. Wrap-around "
        "ones are for material of which one part is printed and the rest is "
        "clear: the printed part goes around the cable first, and the clear "
        "rest covers it. Both carry the label as a QR code.\n"
        "\n"
        "The files of the plan in DIR are replaced when all new ones are "
        "complete. Diagrams of an earlier plan that this plan does not have "
        "are removed. Other files in DIR stay as they are.",
    .examples = "slimfly plan sf:q=5 -o plan --switch-ports 36\tPlan the "
                "50-switch Slim Fly with switches of 36 ports.\n"
                "slimfly plan sf:q=5 -o plan --port-names swp%d\tPlan it for "
                "Ethernet.\n",
    .options = { options, cli_port_options, cli_folder_options,
                 cli_progress_options },
    .run = run,
};
