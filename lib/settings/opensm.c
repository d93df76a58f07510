/* opensm.c -- lines for OpenSM's configuration: with the plugin, and
 * with the file engine where no plugin may be loaded. */
#include "settings/settings_writers.h"
#include "slimfly/lids.h"

#include <inttypes.h>

/* How OpenSM writes a limit of 'n_vls' data VLs: 1 is VL 0 alone, 2 VL 0-1,
 * 3 VL 0-3, 4 VL 0-7, 5 VL 0-14. */
static uint32_t
op_vls(uint32_t n_vls)
{
    uint32_t code = 1;
    for (uint32_t n = 1; n < n_vls && code < 5; n *= 2) {
        code++;
    }
    return code;
}

/* A setting with the reason for it. */
static void
write_setting(FILE *stream, const char *why, const char *name,
              const char *value)
{
    fputc('\n', stream);
    sf_settings_comment(why, stream);
    fprintf(stream, "%s %s\n", name, value);
}

static void
write_lmc(const struct sf_settings *settings, FILE *stream)
{
    uint32_t lmc = sf_lmc_for_layers(settings->n_layers);

    fprintf(stream,
            "\n# 2^%u addresses for each port of a host; %u layer%s, an "
            "address each.\nlmc %u\n",
            lmc, settings->n_layers, settings->n_layers == 1 ? "" : "s", lmc);
}

/* What decides who leads, and how soon a manager that stands by takes over.
 * OpenSM asks the one that leads every sminfo_polling_timeout milliseconds,
 * and takes over when the answer to polling_retry_number + 1 questions in a
 * row is missing: after polling_retry_number + 2 timeouts at most. */
static void
write_takeover(const struct sf_settings *settings, FILE *stream)
{
    write_setting(stream,
                  settings->is_standby
                      ? "This machine stands by. The one that leads has 14; "
                        "who has more leads, and leads again when it is back."
                      : "Who has more leads, and leads again when it is back. "
                        "A machine that stands by has 13 ('slimfly settings "
                        "--standby').",
                  "sm_priority", settings->is_standby ? "13" : "14");
    write_setting(stream,
                  "Milliseconds between two questions of a manager that "
                  "stands by to the one that leads. OpenSM's 10000 make a "
                  "takeover last a minute.",
                  "sminfo_polling_timeout", "1000");
    write_setting(stream,
                  "Questions that may stay without an answer, one after the "
                  "other. The next one that does makes the manager take over: "
                  "4 to 5 seconds after the other was killed. With fewer, a "
                  "manager that is busy or far behind lossy links is taken "
                  "for dead; both lead then for a moment, and send all tables "
                  "once more. Write 10 if a log tells of that.",
                  "polling_retry_number", "3");
    write_setting(stream,
                  "Seconds between looks for changes that no switch has told "
                  "of. 'slimfly status' takes a manager that does not look "
                  "for one that hangs.",
                  "sweep_interval", "10");
    write_setting(stream,
                  "Ports keep the LIDs that they have, when OpenSM starts and "
                  "when it takes over.",
                  "reassign_lids", "FALSE");
}

enum sf_status
sf_settings_write_opensm(const struct sf_settings *settings, FILE *stream,
                         struct sf_error *err)
{
    char vls[2] = { (char)('0' + op_vls(settings->max_vls)), '\0' };

    (void)err;
    sf_settings_comment(
        "For opensm.conf: OpenSM with the routing engine of the slimfly "
        "plugin. Only what differs from OpenSM's defaults, or must not be "
        "changed, is here.",
        stream);
    sf_settings_comment_warning(settings, "opensm", stream);
    write_setting(stream,
                  "Loads libosmslimfly.so, from where the dynamic linker "
                  "looks. It must have been built for this very version of "
                  "OpenSM.",
                  "event_plugin_name", "osmslimfly");
    write_setting(stream,
                  "The plugin's own options. It reads this file again at "
                  "every heavy sweep (kill -HUP), while OpenSM reads the "
                  "lines here about plugin, engine and LMC only when it "
                  "starts.",
                  "event_plugin_options", settings->options);
    write_setting(stream,
                  "no_fallback: else OpenSM would go on with minhop if the "
                  "plugin is missing or fails, without lanes against "
                  "deadlock. \"Failed to setup routing engine 'no_fallback'\" "
                  "in the log is harmless.",
                  "routing_engine", "layered,no_fallback");
    write_lmc(settings, stream);
    write_setting(stream,
                  "Without it OpenSM writes no SL-to-VL tables, and lanes "
                  "would be in name only.",
                  "qos", "TRUE");
    write_setting(stream,
                  "Data VLs at most: 1 is VL 0 alone, 2 VL 0-1, 3 VL 0-3, 4 "
                  "VL 0-7, 5 VL 0-14. A link uses no more than both its ends "
                  "have.",
                  "max_op_vls", vls);
    write_setting(stream,
                  "The cache would keep the engine from being called after "
                  "some changes of the fabric.",
                  "use_ucast_cache", "FALSE");
    write_setting(stream,
                  "Messages to switches under way at a time. SL-to-VL tables "
                  "are one for each pair of ports of each switch: with "
                  "OpenSM's 4 a start takes much longer. Fewer, if the log "
                  "tells of timeouts.",
                  "max_wire_smps", "16");
    write_takeover(settings, stream);
    fputc('\n', stream);
    sf_settings_comment("With 0x43 OpenSM writes its tables into "
                        "dump_files_dir, /var/log, at every heavy sweep, and "
                        "'slimfly audit /var/log' can judge them; gigabytes "
                        "for thousands of hosts. 'slimfly audit live' needs "
                        "no such files.",
                        stream);
    fputs("# log_flags 0x43\n", stream);
    write_setting(stream,
                  "So that what happened stands in the log at once, \"SUBNET "
                  "UP\" above all.",
                  "force_log_flush", "TRUE");
    return SF_OK;
}

/* The files that the plugin keeps, writes and watches. */
static void
write_files(const struct sf_settings *settings, FILE *stream)
{
    sf_settings_comment("Keeps the fabric that was routed in full last, so "
                        "that after a restart of OpenSM links that come back "
                        "are routed as before. Remove the file to forget it. "
                        "A manager that stands by reads it when it takes "
                        "over: have it copied there when it changes.",
                        stream);
    fprintf(stream, "base = %s\n", settings->base);
    fprintf(
        stream,
        "\n# What was done last, as JSON, and a heartbeat: 'slimfly status' "
        "tells whether\n# OpenSM is alive.\nstatus = %s\n",
        settings->status);
    fputc('\n', stream);
    sf_settings_comment("The jobs that run ('slimfly jobs'): the forwarding "
                        "tables follow them within seconds of each change. "
                        "slurm-jobs.conf lets Slurm write them.",
                        stream);
    fprintf(stream, "%sjobs = %s\n", settings->has_jobs ? "" : "# ",
            settings->jobs ? settings->jobs : SF_SETTINGS_JOBS);
    fputc('\n', stream);
    sf_settings_comment("Whether jobs leave the first layer as it is, for "
                        "programs that use the first address only, as NCCL "
                        "does.",
                        stream);
    fputs("# jobs_keep_minimal = yes\n", stream);
    fputc('\n', stream);
    sf_settings_comment(
        "Links that are routed as if they were gone while they "
        "are up ('slimfly drain').",
        stream);
    fprintf(stream, "drained = %s\n",
            settings->drained ? settings->drained : SF_SETTINGS_DRAINED);
}

/* How paths are chosen: 'scheme' is a spec without path sets. */
static void
write_path_lines(const struct sf_settings *settings, const char *scheme,
                 FILE *stream)
{
    fputs("\n# How paths are chosen. Without this line it is what is best for "
          "the fabric.\n",
          stream);
    fprintf(stream, "%sscheme = %s\n", settings->layers ? "" : "# ", scheme);
    fprintf(stream,
            "\n# Layers of paths, at most 2^LMC of opensm.conf.\n"
            "layers = %u\n",
            settings->n_layers);
    fprintf(stream,
            "\n# Sets of paths among which the hosts of a switch are dealt: "
            "more carry more,\n# and take longer to make.\n%spath_sets = %u\n",
            settings->n_path_sets ? "" : "# ",
            settings->n_path_sets ? settings->n_path_sets
                                  : settings->routing->params.n_path_sets);
}

/* What keeps packets from waiting in a circle. */
static void
write_lane_lines(const struct sf_settings *settings, FILE *stream)
{
    const struct sf_routing_params *routed = &settings->routing->params;
    const struct sf_lane_scheme *lanes =
        settings->routing->routes->lanes->scheme;

    fputc('\n', stream);
    sf_settings_comment(
        "Nothing deadlocks on any service level (any-sl), or only if senders "
        "use the service level of each path (path-sl), which UCX and NCCL do "
        "not. Where faults leave too few lanes for all paths, any-sl has "
        "fewer or longer ones.",
        stream);
    /* Lanes that protect nothing have no guarantee. */
    fprintf(
        stream, "%sguarantee = %s\n", routed->guarantee ? "" : "# ",
        sf_guarantee_name(routed->guarantee ? routed->guarantee : SF_ANY_SL));
    fputc('\n', stream);
    sf_settings_comment(lanes->summary, stream);
    fprintf(stream, "%slanes = %s\n", settings->lanes ? "" : "# ",
            settings->lanes ? settings->lanes->text : lanes->name);
    fprintf(stream,
            "\n# Data VLs to use at most; the fabric may have fewer.\n"
            "max_vls = %u\n",
            settings->max_vls);
    fprintf(stream, "\n# Service levels to use at most.\n%smax_sls = %u\n",
            settings->max_sls ? "" : "# ",
            settings->max_sls ? settings->max_sls : SF_N_SLS);
}

/* Where names come from. */
static void
write_name_lines(const struct sf_settings *settings, FILE *stream)
{
    fputs("\n# The plan tells switches by name in messages.\n", stream);
    fprintf(stream, "%splan = %s\n", settings->plan_path ? "" : "# ",
            settings->plan_path ? settings->plan_path
                                : "/etc/opensm/plan.json");
    fputs("\n# The real GUIDs of what the plan names ('slimfly verify "
          "--save-guids').\n",
          stream);
    fprintf(stream, "%sguids = %s\n", settings->guids ? "" : "# ",
            settings->guids ? settings->guids : "/etc/opensm/guids.map");
}

enum sf_status
sf_settings_write_plugin(const struct sf_settings *settings, FILE *stream,
                         struct sf_error *err)
{
    const char *scheme = settings->layers
                             ? settings->layers->text
                             : settings->routing->params.layers.scheme;
    struct sf_layer_spec layers;
    /* The path sets have a line of their own, so the spec is to have as many
     * as it has without a word. */
    enum sf_status status = sf_layer_spec_parse(
        sf_layer_scheme_find(scheme)->name, 0, &layers, err);

    if (status == SF_OK) {
        status = sf_layer_spec_parse(scheme, layers.n_sets, &layers, err);
    }
    if (status != SF_OK) {
        return status;
    }
    sf_settings_comment("Options of the slimfly plugin, which reads them "
                        "again at every heavy sweep (kill -HUP OpenSM).",
                        stream);
    write_path_lines(settings, layers.text, stream);
    write_lane_lines(settings, stream);
    fprintf(stream,
            "\n# Longest path in links between switches, if not as the scheme "
            "says.\n%smax_hops = %u\n",
            settings->max_hops ? "" : "# ",
            settings->max_hops ? settings->max_hops : 3);
    fprintf(stream,
            "\n# The same seed gives the same tables.\nseed = %" PRIu64 "\n",
            settings->seed);
    write_name_lines(settings, stream);
    fputc('\n', stream);
    write_files(settings, stream);
    return SF_OK;
}

enum sf_status
sf_settings_write_file_engine(const struct sf_settings *settings, FILE *stream,
                              struct sf_error *err)
{
    (void)err;
    sf_settings_comment(
        "For opensm.conf, where no plugin may be loaded: OpenSM's own engine "
        "\"file\" loads the forwarding tables that 'slimfly route' wrote. "
        "They are static: after a fault or a change of cables run 'slimfly "
        "route --previous' and send OpenSM a HUP.",
        stream);
    sf_settings_comment_warning(settings, "file", stream);
    write_setting(stream,
                  "no_fallback: else OpenSM would route by minhop if the "
                  "file cannot be used.",
                  "routing_engine", "file,no_fallback");
    write_setting(stream,
                  "Tables are by LID: put the guid2lid that stands beside "
                  "them into OpenSM's cache folder (OSM_CACHE_DIR, by default "
                  "/var/cache/opensm) before it starts, so that ports get "
                  "these LIDs.",
                  "lfts_file", settings->tables);
    write_lmc(settings, stream);
    write_setting(stream, "The cache would keep changed tables out.",
                  "use_ucast_cache", "FALSE");
    write_setting(stream, "So that what happened stands in the log at once.",
                  "force_log_flush", "TRUE");
    return SF_OK;
}
