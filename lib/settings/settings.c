/* settings.c -- the table of an administrator's files, what is dangerous
 * about them, and all of them as text and as JSON; doc/formats.md describes
 * the members. */
#define _POSIX_C_SOURCE 200809L
#include "slimfly/settings.h"

#include "base/mem.h"
#include "base/plural.h"
#include "settings/machines.h"
#include "settings/settings_writers.h"
#include "slimfly/layers.h"
#include "slimfly/lids.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

/* The first line of every file that may have comments. */
#define MARK "# Written by 'slimfly settings', which may replace it.\n"

/* Where lines of comments end, and how much of a file people want to see. */
#define COLUMNS     79
#define LINES_SHOWN 60

const struct sf_settings_file sf_settings_files[] = {
    { "opensm.conf", "opensm", "OpenSM with the slimfly plugin",
      sf_settings_write_opensm },
    { "slimfly.conf", "opensm", "options of the plugin",
      sf_settings_write_plugin },
    { "opensm-file.conf", "file", "OpenSM where no plugin may be loaded",
      sf_settings_write_file_engine },
    { "ucx.env", "ucx", "environment for UCX", sf_settings_write_ucx },
    { "openmpi-mca-params.conf", "openmpi", "Open MPI over UCX",
      sf_settings_write_openmpi },
    { "openib-mca-params.conf", "openib", "Open MPI up to 4.1 over openib",
      sf_settings_write_openib },
    { "mvapich2.env", "mvapich2", "environment for MVAPICH2",
      sf_settings_write_mvapich2 },
    { "nccl.env", "nccl", "environment for NCCL and RCCL",
      sf_settings_write_nccl },
    { "job-alltoall.env", "addresses",
      "environment for jobs: all-to-all of the whole machine",
      sf_settings_write_all_to_all },
    { "job-small.env", "addresses",
      "environment for jobs: all-to-all in few racks",
      sf_settings_write_small },
    { "job-pairs.env", "addresses",
      "environment for jobs: each host sends to few others",
      sf_settings_write_pairs },
    { "job-switches.env", "addresses",
      "environment for jobs: rings, shifts, neighbours",
      sf_settings_write_switches },
    { "job-known.env", "jobs", "environment for the jobs of --advise",
      sf_settings_write_jobs },
    { "topology.conf", "slurm", "the tree of Slurm",
      sf_settings_write_topology_conf },
    { "topology.yaml", "slurm", "the same for Slurm 25.05 and newer",
      sf_settings_write_topology_yaml },
    { "slurm-jobs.conf", "slurm", "lets OpenSM route for the jobs of Slurm",
      sf_settings_write_slurm_jobs },
    { "hostfile.linear", "hosts",
      "hosts by rack, switch and port: neighbours follow each other",
      sf_settings_write_linear },
    { "hostfile.random", "hosts", "hosts in random order, by --seed",
      sf_settings_write_random },
    { "hostfile.spread", "hosts",
      "hosts in turn from each rack, and there from each switch",
      sf_settings_write_spread },
    { NULL, NULL, NULL, NULL },
};

/* The length of the first of 'names', which have commas between. */
static size_t
name_length(const char *names)
{
    return strcspn(names, ",");
}

static bool
is_part(const char *name, size_t length)
{
    for (const struct sf_settings_file *file = sf_settings_files; file->name;
         file++) {
        if (strlen(file->part) == length &&
            !strncmp(file->part, name, length)) {
            return true;
        }
    }
    return false;
}

bool
sf_settings_wants(const struct sf_settings *settings, const char *part)
{
    const char *at = settings->only;

    while (at) {
        size_t length = name_length(at);
        if (strlen(part) == length && !strncmp(part, at, length)) {
            return true;
        }
        at = at[length] ? at + length + 1 : NULL;
    }
    /* The file engine is of no use without tables. */
    return !settings->only &&
           (settings->tables || strcmp(part, "file") != 0) &&
           (settings->knows_jobs || strcmp(part, "jobs") != 0);
}

static enum sf_status
check_parts(const char *only, struct sf_error *err)
{
    for (const char *at = only; at;) {
        size_t length = name_length(at);
        if (!is_part(at, length)) {
            return sf_fail(err, SF_EINVAL,
                           "part '%.*s': expected opensm, file, ucx, openmpi, "
                           "openib, mvapich2, nccl, addresses, jobs, slurm or "
                           "hosts, with commas between",
                           (int)(length < 40 ? length : 40), at);
        }
        at = at[length] ? at + length + 1 : NULL;
    }
    return SF_OK;
}

/* OpenSM takes '#' for a comment and cuts long lines; the plugin takes blanks
 * and commas for ends of options, and '=' for an option. */
static enum sf_status
check_path(const char *path, struct sf_error *err)
{
    if (path && (strpbrk(path, " \t\r\n#,=") || strlen(path) > 900)) {
        return sf_fail(err, SF_EINVAL,
                       "%.200s: OpenSM's configuration takes only paths of at "
                       "most 900 characters without blanks, ',', '=' and '#'",
                       path);
    }
    return SF_OK;
}

/* Ports of hosts that are plugged in: each has addresses. */
static uint32_t
count_host_ports(const struct sf_fabric *fabric)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        const struct sf_port *port = &fabric->ports[i];
        n += port->node >= fabric->n_switches && port->peer != SF_NONE;
    }
    return n;
}

static uint64_t
count_lids(const struct sf_settings *settings)
{
    return sf_backend_addresses(
        &sf_ib_backend, count_host_ports(settings->fabric),
        settings->fabric->n_switches, settings->n_layers);
}

/* Lists the hosts, if they are wanted, to see whether that can be done. */
static enum sf_status
check_hosts(const struct sf_settings *settings, struct sf_error *err)
{
    struct sf_hosts hosts;

    if (!sf_settings_wants(settings, "slurm") &&
        !sf_settings_wants(settings, "hosts")) {
        return SF_OK;
    }
    enum sf_status status =
        sf_hosts_list(settings->fabric, settings->plan, &hosts, err);
    sf_hosts_clear(&hosts);
    return status;
}

enum sf_status
sf_settings_check(const struct sf_settings *settings, struct sf_error *err)
{
    uint32_t lmc = sf_lmc_for_layers(settings->n_layers);
    enum sf_status status = check_parts(settings->only, err);

    if (status == SF_OK &&
        (settings->n_layers < 1 || settings->n_layers > SF_MAX_LAYERS)) {
        status = sf_fail(err, SF_EINVAL, "expected 1 to %d layers, found %u",
                         SF_MAX_LAYERS, settings->n_layers);
    }
    if (status == SF_OK && count_lids(settings) > SF_MAX_LID) {
        status = sf_fail(err, SF_ELIMIT,
                         "%u layers, LMC %u, need %" PRIu64 " addresses, and "
                         "InfiniBand has %u",
                         settings->n_layers, lmc, count_lids(settings),
                         (unsigned)SF_MAX_LID);
    }
    const char *const paths[] = { settings->options,   settings->status,
                                  settings->base,      settings->jobs,
                                  settings->plan_path, settings->guids,
                                  settings->tables };
    if (status == SF_OK && !settings->tables &&
        sf_settings_wants(settings, "file")) {
        status = sf_fail(err, SF_EINVAL,
                         "part 'file' is for tables that are there: make them "
                         "with 'slimfly route FABRIC -o DIR', then ask for "
                         "'slimfly settings DIR'");
    }
    if (status == SF_OK && !settings->knows_jobs &&
        sf_settings_wants(settings, "jobs")) {
        status = sf_fail(err, SF_EINVAL,
                         "part 'jobs' is for jobs that are known: name their "
                         "file with --jobs FILE");
    }
    bool is_for_opensm = sf_settings_wants(settings, "opensm") ||
                         sf_settings_wants(settings, "file");
    for (size_t i = 0;
         status == SF_OK && is_for_opensm && i < sizeof paths / sizeof *paths;
         i++) {
        status = check_path(paths[i], err);
    }
    return status == SF_OK ? check_hosts(settings, err) : status;
}

/* What a part does with the service levels of paths. */
static const char *
sl_habit(const char *part)
{
    static const struct {
        const char *part, *habit;
    } habits[] = {
        { "ucx", "UCX asks for no path's service level and sends all on one, "
                 "UCX_IB_SL" },
        { "openmpi", "UCX asks for no path's service level and sends all on "
                     "one, UCX_IB_SL" },
        { "nccl", "NCCL and RCCL ask for no path's service level and send "
                  "all on one, NCCL_IB_SL" },
        { "openib", "openib asks for the service level of paths only in "
                    "builds with --enable-openib-dynamic-sl; others send all "
                    "on one" },
        { "mvapich2", "MVAPICH2 asks for the service level of paths only in "
                      "builds that define ENABLE_QOS_SUPPORT; others send "
                      "all on one" },
    };

    for (size_t i = 0; i < sizeof habits / sizeof *habits; i++) {
        if (!strcmp(habits[i].part, part)) {
            return habits[i].habit;
        }
    }
    return NULL;
}

bool
sf_settings_want_routing(const struct sf_settings *settings)
{
    for (size_t i = 0; sf_settings_files[i].name; i++) {
        const char *part = sf_settings_files[i].part;
        if (strcmp(part, "slurm") != 0 && strcmp(part, "hosts") != 0 &&
            sf_settings_wants(settings, part)) {
            return true;
        }
    }
    return false;
}

/* The lanes that came out, or NULL. */
static const struct sf_lanes *
lanes_of(const struct sf_settings *settings)
{
    return settings->routing ? settings->routing->routes->lanes : NULL;
}

bool
sf_settings_need_path_sls(const struct sf_settings *settings)
{
    const struct sf_lanes *lanes = lanes_of(settings);
    return lanes && lanes->scheme->is_safe && !sf_lanes_ignore_sls(lanes);
}

bool
sf_settings_warning(const struct sf_settings *settings, const char *part,
                    char text[SF_SETTINGS_WARNING_SIZE])
{
    const struct sf_lane_scheme *lanes =
        lanes_of(settings) ? lanes_of(settings)->scheme : NULL;
    const char *habit = sl_habit(part);

    text[0] = '\0';
    if (!strcmp(part, "opensm") && lanes && !lanes->is_safe) {
        snprintf(text, SF_SETTINGS_WARNING_SIZE,
                 "lanes '%s': nothing keeps packets from waiting for each "
                 "other in a circle for ever",
                 lanes->name);
    } else if (!strcmp(part, "file")) {
        snprintf(text, SF_SETTINGS_WARNING_SIZE,
                 "OpenSM's file engine loads no SL-to-VL tables and no path "
                 "SLs, so lanes do not protect: use it only if 'slimfly audit "
                 "DIR DIR/opensm-lfts.dump' finds that the tables in DIR "
                 "cannot deadlock without");
    } else if (habit && lanes && sf_settings_need_path_sls(settings)) {
        snprintf(text, SF_SETTINGS_WARNING_SIZE,
                 "lanes '%s' protect against deadlock only if each path has "
                 "its own service level, and %s. Not safe, unless 'slimfly "
                 "audit --all-on-sl' finds no deadlock with all traffic on "
                 "that one; lanes 'turns' are safe with any",
                 lanes->name, habit);
    }
    return text[0] != '\0';
}

void
sf_settings_comment(const char *text, FILE *stream)
{
    size_t column = 0;

    while (*text) {
        size_t length = strcspn(text, " ");
        if (column && column + 1 + length > COLUMNS) {
            fputc('\n', stream);
            column = 0;
        }
        column += (size_t)fprintf(stream, "%s%.*s", column ? " " : "# ",
                                  (int)length, text);
        text += length + (text[length] == ' ');
    }
    fputc('\n', stream);
}

void
sf_settings_comment_warning(const struct sf_settings *settings,
                            const char *part, FILE *stream)
{
    char text[SF_SETTINGS_WARNING_SIZE];
    char whole[SF_SETTINGS_WARNING_SIZE + 16];

    if (sf_settings_warning(settings, part, text)) {
        fputs("#\n", stream);
        snprintf(whole, sizeof whole, "WARNING: %s.", text);
        sf_settings_comment(whole, stream);
    }
}

/* Calls for each part that is wanted, once, in the order of the files. */
static const char *
next_part(const struct sf_settings *settings, size_t *at)
{
    for (; sf_settings_files[*at].name; (*at)++) {
        const char *part = sf_settings_files[*at].part;
        bool is_new =
            !*at || strcmp(part, sf_settings_files[*at - 1].part) != 0;
        if (is_new && sf_settings_wants(settings, part)) {
            return sf_settings_files[(*at)++].part;
        }
    }
    return NULL;
}

/* Warns of the parts that ignore service levels, all in one. */
static void
write_sl_warning(const struct sf_settings *settings, FILE *stream)
{
    const char *part;

    fprintf(stream,
            "\nwarning: lanes '%s' protect against deadlock only if senders "
            "use the service level of each path\n",
            settings->routing->params.lanes);
    for (size_t at = 0; (part = next_part(settings, &at));) {
        if (sl_habit(part)) {
            fprintf(stream, "  %s: %s\n", part, sl_habit(part));
        }
    }
    fputs("  not safe with senders on one service level, unless 'slimfly "
          "audit --all-on-sl' finds no\n  deadlock with all traffic on it; "
          "--guarantee any-sl is safe with all\n",
          stream);
}

void
sf_settings_write_summary(const struct sf_settings *settings, FILE *stream)
{
    const struct sf_fabric *fabric = settings->fabric;
    uint32_t n_hosts = fabric->n_nodes - fabric->n_switches;
    char text[SF_SETTINGS_WARNING_SIZE];
    const char *part;

    fprintf(stream, "%u %s, %u %s; %u %s, LMC %u: %" PRIu64 " LIDs of %u\n",
            fabric->n_switches,
            sf_plural(fabric->n_switches, "switch", "switches"), n_hosts,
            sf_plural(n_hosts, "host", "hosts"), settings->n_layers,
            sf_plural(settings->n_layers, "layer", "layers"),
            sf_lmc_for_layers(settings->n_layers), count_lids(settings),
            (unsigned)SF_MAX_LID);
    if (settings->routing) {
        const struct sf_routing *routing = settings->routing;
        const struct sf_lanes *lanes = routing->routes->lanes;
        fprintf(stream, "routed by %s, lanes by %s: %u VL%s of %u\n",
                routing->params.layers.scheme, routing->params.lanes,
                lanes->n_vls, lanes->n_vls == 1 ? "" : "s", settings->max_vls);
    }
    for (size_t at = 0; (part = next_part(settings, &at));) {
        if (!sl_habit(part) && sf_settings_warning(settings, part, text)) {
            fprintf(stream, "\nwarning, %s: %s\n", part, text);
        }
    }
    if (sf_settings_need_path_sls(settings)) {
        write_sl_warning(settings, stream);
    }
    sf_settings_write_advice(settings, stream);
}

/* Hostfiles are read by too many programs for comments to be safe there. */
static bool
is_bare(const struct sf_settings_file *file)
{
    return !strcmp(file->part, "hosts");
}

enum sf_status
sf_settings_write_file(const struct sf_settings *settings,
                       const struct sf_settings_file *file, FILE *stream,
                       struct sf_error *err)
{
    if (!is_bare(file)) {
        fputs(MARK, stream);
    }
    return file->write(settings, stream, err);
}

/* Whether nothing but host names, one a line, is left in 'stream'. */
static bool
has_names_only(FILE *stream)
{
    int c = fgetc(stream);
    while (c == '\n' || sf_is_host_character(c)) {
        c = fgetc(stream);
    }
    return c == EOF;
}

bool
sf_settings_is_own(const struct sf_settings_file *file, FILE *stream)
{
    char start[sizeof MARK] = "";
    bool is_own = false;

    if (is_bare(file)) {
        is_own = has_names_only(stream);
    } else {
        bool is_empty = !fgets(start, sizeof start, stream);
        is_own = is_empty || !strcmp(start, MARK);
    }
    return is_own && !ferror(stream);
}

/* The contents of a file; the caller frees '*textp'. */
static enum sf_status
write_to_memory(const struct sf_settings *settings,
                const struct sf_settings_file *file, char **textp,
                struct sf_error *err)
{
    size_t length;
    FILE *memory = open_memstream(textp, &length);

    if (!memory) {
        *textp = NULL;
        return sf_fail(err, SF_ENOMEM, "out of memory for %s", file->name);
    }
    enum sf_status status =
        sf_settings_write_file(settings, file, memory, err);
    bool is_complete = !ferror(memory);
    is_complete = fclose(memory) == 0 && is_complete;
    if (status == SF_OK && !is_complete) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for %s", file->name);
    }
    if (status != SF_OK) {
        free(*textp);
        *textp = NULL;
    }
    return status;
}

/* Writes 'text', of which more than LINES_SHOWN lines are cut. */
static void
write_shortened(const char *text, FILE *stream)
{
    uint32_t n_lines = 0, n_left = 0;
    const char *end = text;

    for (const char *at = text; *at; at++) {
        n_lines += *at == '\n';
        end = n_lines < LINES_SHOWN || (n_lines == LINES_SHOWN && *at == '\n')
                  ? at + 1
                  : end;
    }
    fwrite(text, 1, (size_t)(end - text), stream);
    n_left = n_lines > LINES_SHOWN ? n_lines - LINES_SHOWN : 0;
    if (n_left) {
        fprintf(stream, "... and %u more line%s (-o DIR writes all)\n", n_left,
                n_left == 1 ? "" : "s");
    }
}

enum sf_status
sf_settings_write_text(const struct sf_settings *settings, FILE *stream,
                       struct sf_error *err)
{
    enum sf_status status = SF_OK;

    sf_settings_write_summary(settings, stream);
    for (const struct sf_settings_file *file = sf_settings_files;
         status == SF_OK && file->name; file++) {
        char *text = NULL;
        if (!sf_settings_wants(settings, file->part)) {
            continue;
        }
        status = write_to_memory(settings, file, &text, err);
        if (text) {
            fprintf(stream, "\n==== %s: %s ====\n", file->name, file->summary);
            write_shortened(text, stream);
        }
        free(text);
    }
    return status;
}

static json_t *
warnings_to_json(const struct sf_settings *settings)
{
    char text[SF_SETTINGS_WARNING_SIZE];
    json_t *warnings = json_array();
    const char *part;

    for (size_t at = 0; (part = next_part(settings, &at));) {
        if (sf_settings_warning(settings, part, text)) {
            json_array_append_new(
                warnings, json_pack("{s:s, s:s}", "part", part, "text", text));
        }
    }
    return warnings;
}

static enum sf_status
files_to_json(const struct sf_settings *settings, json_t *files,
              struct sf_error *err)
{
    enum sf_status status = SF_OK;

    for (const struct sf_settings_file *file = sf_settings_files;
         status == SF_OK && file->name; file++) {
        char *text = NULL;
        if (!sf_settings_wants(settings, file->part)) {
            continue;
        }
        status = write_to_memory(settings, file, &text, err);
        if (status == SF_OK &&
            json_array_append_new(
                files, json_pack("{s:s, s:s, s:s, s:s}", "name", file->name,
                                 "part", file->part, "summary", file->summary,
                                 "text", text)) != 0) {
            status =
                sf_fail(err, SF_ENOMEM, "cannot make JSON of %s", file->name);
        }
        free(text);
    }
    return status;
}

enum sf_status
sf_settings_write_json(const struct sf_settings *settings, FILE *stream,
                       struct sf_error *err)
{
    const struct sf_fabric *fabric = settings->fabric;
    const struct sf_lanes *lanes = lanes_of(settings);
    json_t *files = json_array();
    enum sf_status status = files_to_json(settings, files, err);

    json_t *root = json_pack(
        "{s:s, s:i, s:I, s:I, s:I, s:I, s:I, s:I, s:s?, s:s?, s:b, s:b, s:I, "
        "s:I, s:o, s:o, s:O}",
        "schema", "slimfly.settings", "schema_version", 1, "n_switches",
        (json_int_t)fabric->n_switches, "n_hosts",
        (json_int_t)(fabric->n_nodes - fabric->n_switches), "n_layers",
        (json_int_t)settings->n_layers, "n_path_sets",
        (json_int_t)settings->n_path_sets, "lmc",
        (json_int_t)sf_lmc_for_layers(settings->n_layers), "n_lids",
        (json_int_t)count_lids(settings), "scheme",
        lanes ? settings->routing->params.layers.scheme : NULL, "lanes",
        lanes ? settings->routing->params.lanes : NULL, "safe_on_path_sls",
        (int)(lanes && lanes->scheme->is_safe), "safe_on_any_sl",
        (int)(lanes && sf_lanes_ignore_sls(lanes)), "max_vls",
        (json_int_t)settings->max_vls, "seed", (json_int_t)settings->seed,
        "warnings", warnings_to_json(settings), "advice",
        sf_settings_advice_to_json(settings), "files", files);
    json_decref(files);
    if (status == SF_OK && !root) {
        status = sf_fail(err, SF_ENOMEM, "cannot make JSON: out of memory");
    }
    if (status == SF_OK) {
        json_dumpf(root, stream, JSON_INDENT(2));
        fputc('\n', stream);
    }
    json_decref(root);
    return status;
}
