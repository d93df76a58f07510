/* cmd_topology.c -- slimfly topology: builds, measures, writes. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

enum {
    OPT_LIST = CLI_OWN,
};

static const char *
format_choice(size_t i)
{
    return sf_topology_formats[i].name;
}

static const struct cli_option options[] = {
    { OPT_LIST, "list", 'l', CLI_FLAG, .help = "list the families" },
    CLI_FORMAT(format_choice),
    { 0 },
};

static const struct sf_topology_format *
find_format(const char *name)
{
    const struct sf_topology_format *format = sf_topology_formats;
    while (strcmp(format->name, name) != 0) {
        format++; /* Its type has seen that it is there. */
    }
    return format;
}

static int
list_families(const char *format, const char *path)
{
    bool is_json = !strcmp(format, "json");
    struct cli_output output;
    struct sf_error err = { 0 };
    enum sf_status status = SF_OK;

    if (!is_json && strcmp(format, "text") != 0) {
        return cli_fail(
            "topology: --list is written as text or json, not as %s", format);
    }
    if (!cli_output_open(&output, path)) {
        return CLI_ERROR;
    }
    if (is_json) {
        status = sf_families_write_json(output.stream, &err);
    } else {
        sf_families_write_text(output.stream);
    }
    return cli_output_close(&output, status, &err);
}

/* Builds all topologies before the output is opened, so that a bad spec
 * leaves nothing behind. */
static enum sf_status
build_all(const struct cli_args *args, bool is_measured,
          struct sf_measured *measured, struct sf_error *err)
{
    for (size_t i = 0; i < args->n_words; i++) {
        measured[i].origin = cli_origin(args);
        enum sf_status status =
            sf_topology_build(args->words[i], &measured[i].topo, err);
        if (status == SF_OK && is_measured) {
            status = sf_properties_measure(measured[i].topo,
                                           &measured[i].properties, err);
        }
        if (status != SF_OK) {
            return status;
        }
    }
    return SF_OK;
}

static int
write_all(const struct cli_args *args, const struct sf_topology_format *format,
          const struct sf_measured *measured)
{
    struct cli_output output;
    struct sf_error err = { 0 };

    if (!cli_output_open(&output, cli_text(args, OPT_OUTPUT))) {
        return CLI_ERROR;
    }
    enum sf_status status =
        format->write_measured
            ? format->write_measured(measured, args->n_words, output.stream,
                                     &err)
            : format->write_graph(measured[0].topo, output.stream, &err);
    return cli_output_close(&output, status, &err);
}

static int
run(const struct cli_args *args)
{
    const char *name = cli_text(args, OPT_FORMAT);
    const struct sf_topology_format *format = find_format(name);

    if (cli_has(args, OPT_LIST)) {
        if (args->n_words) {
            return cli_fail("topology: --list takes no spec");
        }
        return list_families(name, cli_text(args, OPT_OUTPUT));
    }
    if (args->n_words == 0) {
        return cli_fail("topology: expected a spec such as sf:q=5; 'slimfly "
                        "topology --list' shows what there is");
    }
    if (args->n_words > 1 && !format->write_measured) {
        return cli_fail("topology: --format %s takes one spec, not %zu", name,
                        args->n_words);
    }

    struct sf_measured *measured = calloc(args->n_words, sizeof *measured);
    if (!measured) {
        return cli_fail("out of memory");
    }
    struct sf_error err = { 0 };
    enum sf_status status =
        build_all(args, format->write_measured != NULL, measured, &err);
    int code = status == SF_OK ? write_all(args, format, measured)
                               : cli_fail("%s", err.text);
    for (size_t i = 0; i < args->n_words; i++) {
        sf_properties_clear(&measured[i].properties);
        sf_topology_free(measured[i].topo);
    }
    free(measured);
    return code;
}

const struct cli_command cli_command_topology = {
    .name = "topology",
    .group = CLI_DESIGN,
    .arguments = "SPEC... | --list",
    .summary = "build a topology, check it, write it in many formats",
    .description =
        "Builds the topology that a spec such as sf:q=5 describes and "
        "measures it: whether it is connected and regular, its diameter, "
        "distances, girth, Moore bound, ports and bandwidth. With several "
        "specs, it prints a table. The column hops is the mean distance "
        "between switches that carry hosts.\n"
        "\n"
        "A spec is FAMILY:KEY=VALUE,KEY=VALUE...; --list shows the families "
        "and their keys. edges:FILE reads a graph from an edge list: a line "
        "\"A B\" is a link, the same line again is a parallel link, and # "
        "starts a comment.\n"
        "\n"
        "The formats text, json and csv hold the measurements. The other "
        "formats hold the graph itself and take one topology.",
    .examples =
        "slimfly topology sf:q=5\tMeasure the 50-switch Slim Fly.\n"
        "slimfly topology sf:q=5 ft2:ports=36 hx2:13x13\tCompare three "
        "topologies.\n"
        "slimfly topology ft2:leaf=12,core=6,up=3 --format json\tWrite a Fat "
        "Tree with three parallel links for programs.\n"
        "slimfly topology sf:q=5 --format svg -o sf5.svg\tDraw it.\n",
    .options = { options, cli_file_options, cli_progress_options },
    .run = run,
};
