/* plugin.c -- the routing engine "layered" for OpenSM: a plugin of its event
 * interface that registers an external routing engine.
 *
 * create() and setup() run at the start; then, for each heavy sweep, report()
 * says that it begins, and ucast_build_fwd_tables(), update_sl2vl() and
 * update_vlarb() come from the sweeping thread, with osm->lock held
 * exclusively.  path_sl() comes from several threads at a time, and report()
 * of traps from another than the sweeping one; both hold osm->lock for
 * reading. Switches and ports are freed between sweeps: no pointer to them is
 * kept. */
#include "subnet.h"

#include <opensm/osm_version.h>

#include "drained_links.h"
#include "heartbeat.h"
#include "judge.h"
#include "keep_lids.h"
#include "notice.h"
#include "resweep.h"
#include "routed_jobs.h"
#include "slimfly/version.h"
#include "sources.h"

#include <endian.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#define ENGINE "layered"

/* Sweeps in a row that old OperVLs may ask for. */
#define MAX_EXTRA_SWEEPS 3

struct plugin {
    osm_opensm_t *osm;
    struct sf_sources sources;
    char refusal[SF_ERROR_TEXT_SIZE]; /* Why it does nothing, or "". */
    struct sf_engine *engine;
    struct sf_changes *changes;
    struct sf_plugin_status status;
    uint32_t n_logged; /* Warnings of the status that the log has. */
    struct sf_heartbeat *heartbeat; /* Of the status file. */
    struct sf_traps traps;          /* With a lock of their own. */
    struct sf_plugin_jobs jobs;
    struct sf_watcher *watcher; /* Of the file of jobs. */
    struct sf_plugin_drained drained;
    struct sf_watcher *drain_watcher; /* Of the list of drained links. */
    atomic_bool is_routing;           /* Tables are being made. */
    bool has_old_vls;        /* VLs were masked; see update_sl2vl(). */
    bool has_strays;         /* Tables may be elsewhere; see subnet_up(). */
    uint32_t n_extra_sweeps; /* In a row. */
    bool has_more_steps;     /* Of the change that is being written. */
};

static double
now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Writes a line into OpenSM's log. */
static void __attribute__((format(printf, 3, 4)))
say(struct plugin *plugin, osm_log_level_t level, const char *format, ...)
{
    char text[2 * SF_ERROR_TEXT_SIZE];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    osm_log(&plugin->osm->log, level, ENGINE ": %s%s\n",
            level == OSM_LOG_ERROR ? "ERR: " : "", text);
}

/* Puts warnings of the status into the log, each once a routing. */
static void
log_warnings(struct plugin *plugin)
{
    const struct sf_plugin_status *status = &plugin->status;

    for (; plugin->n_logged < status->n_warnings; plugin->n_logged++) {
        say(plugin, OSM_LOG_ERROR, "%s", status->warnings[plugin->n_logged]);
    }
}

static void
write_status(struct plugin *plugin)
{
    struct sf_error err;

    log_warnings(plugin);
    if (plugin->sources.options.status[0] &&
        sf_heartbeat_write(plugin->heartbeat, &plugin->status,
                           plugin->sources.options.status, &err) != SF_OK) {
        say(plugin, OSM_LOG_ERROR, "%s", err.text);
    }
}

/* Whether OpenSM's structs are laid out as this plugin was compiled: members
 * near the end of them point back to others. */
static bool
has_same_layout(const osm_opensm_t *osm)
{
    return osm->sm.p_lock == &osm->lock && osm->sm.p_subn == &osm->subn &&
           osm->sm.p_log == &osm->log && osm->subn.p_osm == osm;
}

static void
load_options(struct plugin *plugin)
{
    const osm_subn_opt_t *opt = &plugin->osm->subn.opt;
    sf_sources_load_options(&plugin->sources, opt->lmc, opt->qos);
}

static struct sf_routing_params
routing_params(const struct plugin *plugin)
{
    const struct sf_plugin_options *options = &plugin->sources.options;
    long n_cores = sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t n_addresses = 1u << plugin->osm->subn.opt.lmc;
    struct sf_routing_params params = {
        .layers = { .scheme =
                        options->scheme.scheme ? options->scheme.text : NULL,
                    .n_layers =
                        options->n_layers ? options->n_layers : n_addresses,
                    .max_hops = options->max_hops,
                    .may_exceed = true, /* Faults lengthen paths. */
                    .seed = options->seed,
                    .n_threads = n_cores > 1 ? (uint32_t)n_cores : 1,
                    .within_parts = true },
        .n_path_sets = options->n_path_sets,
        .lanes = options->lanes.scheme ? options->lanes.text : NULL,
        .guarantee = options->guarantee,
        .max_vls = options->max_vls,
        .max_sls = options->max_sls,
    };
    return params;
}

/* Says what is not as it should be about OpenSM's own settings. */
static void
judge_settings(struct plugin *plugin)
{
    const osm_subn_opt_t *opt = &plugin->osm->subn.opt;

    if (plugin->sources.complaint[0]) {
        sf_plugin_warn(&plugin->status, "%s; the options of before stay",
                       plugin->sources.complaint);
    }
    if (!opt->qos) {
        sf_plugin_warn(&plugin->status,
                       "qos is FALSE, so there is one lane only");
    }
    if (opt->use_ucast_cache) {
        sf_plugin_warn(
            &plugin->status,
            "use_ucast_cache TRUE makes OpenSM keep tables of its own "
            "after faults: set it to FALSE");
    }
}

/* Says how the routing came out. */
static void
tell_result(struct plugin *plugin)
{
    struct sf_plugin_status *status = &plugin->status;
    char text[SF_RESULT_SIZE];

    sf_judge_result(status);
    sf_sources_keep_base(&plugin->sources, sf_engine_base(plugin->engine),
                         status);
    log_warnings(plugin);
    sf_describe_result(status, text);
    say(plugin, OSM_LOG_INFO, "%s", text);
}

/* Lets the engine start from what was base before a restart, or from what the
 * manager that led meanwhile made base. */
static void
load_base(struct plugin *plugin, const struct sf_fabric *found)
{
    if (!sf_engine_routing(plugin->engine) ||
        plugin->osm->subn.coming_out_of_standby) {
        sf_engine_set_base_fabric(
            plugin->engine,
            sf_sources_find_base(&plugin->sources, found, &plugin->status));
        sf_plugin_jobs_forget(&plugin->jobs);
    }
}

/* Makes the routes fit the jobs that run, and says how that came out. */
static void
fit_jobs(struct plugin *plugin)
{
    struct sf_plugin_jobs *jobs = &plugin->jobs;
    char text[SF_RESULT_SIZE], kept[SF_KEPT_SIZE];

    sf_plugin_jobs_update(jobs, plugin->engine, &plugin->sources.options,
                          kept);
    sf_watcher_set(plugin->watcher, jobs->path, &jobs->stamp);
    plugin->status.jobs = jobs;
    plugin->status.routing = sf_engine_routing(plugin->engine);
    sf_judge_jobs(&plugin->status);
    if (kept[0]) {
        sf_plugin_warn(&plugin->status, "%s", kept);
    }
    if (jobs->is_new) {
        sf_describe_jobs(jobs, text);
        say(plugin, OSM_LOG_INFO, "%s", text);
    }
}

/* Warns of what reading the subnet has found. */
static void
warn_of(struct plugin *plugin, const struct sf_subnet_reading *reading)
{
    struct sf_plugin_status *status = &plugin->status;

    if (reading->n_without_map) {
        sf_plugin_warn(status,
                       "switches without SL-to-VL tables, so that there is "
                       "one lane only: %u",
                       reading->n_without_map);
    }
    if (reading->n_without_lid) {
        sf_plugin_warn(status,
                       "ports without a LID, which nothing leads to: %u",
                       reading->n_without_lid);
    }
    if (plugin->sources.names.plan && !reading->n_named) {
        sf_plugin_warn(status,
                       "the plan %s knows none of the GUIDs found: name the "
                       "map that 'slimfly verify --save-guids' writes with "
                       "the option guids",
                       plugin->sources.options.plan);
    }
}

/* Hands over the tables, or the next step towards them. */
static void
write_tables(struct plugin *plugin)
{
    struct sf_plugin_status *status = &plugin->status;
    struct sf_engine *engine = plugin->engine;
    uint64_t n_before = plugin->has_more_steps ? status->n_changed : 0;

    if (plugin->osm->subn.coming_out_of_standby || status->result.has_moved) {
        sf_changes_forget(plugin->changes);
    }
    /* Links that are drained are up: packets may still use them. */
    sf_changes_begin(plugin->changes, sf_engine_whole(engine),
                     sf_engine_tables(engine));
    status->change = *sf_changes_state(plugin->changes);
    sf_subnet_write(plugin->osm, engine, sf_changes_lfts(plugin->changes),
                    &status->n_entries, &status->n_changed);
    status->n_changed += n_before;
}

/* Routes 'fabric'.  What is routed for the steps of a change is the same
 * again, and not worth a word. */
static enum sf_status
route_fabric(struct plugin *plugin, const struct sf_fabric *fabric,
             struct sf_error *err)
{
    struct sf_plugin_status *status = &plugin->status;
    struct sf_routing_params params = routing_params(plugin);
    struct sf_engine_result before = status->result;
    enum sf_status code = sf_engine_route(
        plugin->engine, fabric, sf_plugin_drained_whole(&plugin->drained),
        &params, status->n_vls, &status->result, err);

    if (plugin->has_more_steps && code == SF_OK &&
        status->result.outcome == SF_OUTCOME_KEPT) {
        sf_engine_result_go_on(&status->result, &before);
        status->n_routings--;
    } else {
        plugin->has_more_steps = false;
    }
    return code;
}

/* Takes what is drained out of 'fabric', and says what cannot be. */
static enum sf_status
drain(struct plugin *plugin, struct sf_fabric *fabric, struct sf_error *err)
{
    struct sf_plugin_drained *drained = &plugin->drained;
    enum sf_status code = sf_plugin_drained_update(
        drained, plugin->sources.options.drained, fabric, err);

    sf_watcher_set(plugin->drain_watcher, drained->path, &drained->stamp);
    plugin->status.drained = drained;
    if (code == SF_OK) {
        sf_judge_drained(&plugin->status);
    }
    return code;
}

/* Says which nodes took the places of others. */
static void
tell_replaced(struct plugin *plugin)
{
    struct sf_plugin_status *status = &plugin->status;

    status->replaced = sf_engine_replaced(plugin->engine, &status->n_replaced);
    for (uint32_t i = status->n_replaced - status->result.n_replaced;
         status->result.n_replaced <= status->n_replaced &&
         i < status->n_replaced;
         i++) {
        const struct sf_engine_replaced *replaced = &status->replaced[i];
        say(plugin, OSM_LOG_INFO,
            "%s was replaced: 0x%016llx stands in the place of 0x%016llx, "
            "which its cables tell; 'slimfly replace' confirms it",
            replaced->name, (unsigned long long)replaced->new_guid,
            (unsigned long long)replaced->old_guid);
    }
}

/* Reads the subnet, routes it, and hands the tables over. */
static enum sf_status
route(struct plugin *plugin, struct sf_error *err)
{
    struct sf_plugin_status *status = &plugin->status;
    struct sf_subnet_reading reading;
    struct sf_fabric *fabric;
    double start = now();
    enum sf_status code =
        sf_subnet_read(plugin->osm, plugin->sources.names.plan,
                       plugin->sources.map, &fabric, &reading, err);

    status->read_seconds = now() - start;
    if (code == SF_OK) {
        load_base(plugin, fabric);
        sf_engine_adopt(plugin->engine, fabric);
        sf_sources_name_replaced(&plugin->sources, plugin->engine, fabric);
        code = drain(plugin, fabric, err);
    }
    if (code == SF_OK) {
        /* Without qos nobody sets SL-to-VL tables. */
        status->n_vls = plugin->osm->subn.opt.qos ? reading.n_vls : 1;
        start = now();
        code = route_fabric(plugin, fabric, err);
        status->route_seconds = now() - start;
        /* What was moved while others led, or long ago, does not matter. */
        plugin->has_strays |= code == SF_OK && status->result.has_moved &&
                              !plugin->osm->subn.coming_out_of_standby;
    }
    sf_fabric_free(fabric);
    status->routing = sf_engine_routing(plugin->engine);
    if (code == SF_OK) {
        tell_replaced(plugin);
        fit_jobs(plugin);
        start = now();
        write_tables(plugin);
        status->write_seconds = now() - start;
        warn_of(plugin, &reading);
    }
    return code;
}

static int
build_lid_matrices(void *context)
{
    (void)context;
    return 1; /* OpenSM is to make its own, which multicast needs. */
}

static int
build_fwd_tables(void *context)
{
    struct plugin *plugin = context;
    struct sf_plugin_status *status = &plugin->status;
    struct sf_error err = { 0 };

    status->n_warnings = plugin->n_logged = 0;
    status->up_at = 0;
    status->lmc = plugin->osm->subn.opt.lmc;
    status->port_guid = be64toh(plugin->osm->subn.sm_port_guid);
    status->lane_seconds = 0;
    status->n_routings++;
    plugin->has_old_vls = false;
    if (status->state == SF_STATE_UP) {
        status->state = SF_STATE_ROUTED; /* Not up while it is made. */
        write_status(plugin);
    }
    status->routed_at = time(NULL); /* With the outcome, which is to come. */
    judge_settings(plugin);
    sf_sources_load_names(&plugin->sources, status);
    atomic_store(&plugin->is_routing, true);
    enum sf_status code = route(plugin, &err);
    atomic_store(&plugin->is_routing, false);
    if (code == SF_OK) {
        status->state = SF_STATE_ROUTED;
        tell_result(plugin);
        return 0;
    }
    sf_plugin_warn(&plugin->status,
                   "cannot route: %s. The switches keep the tables that they "
                   "have, and path records fail until it can",
                   err.text);
    sf_plugin_status_fail(status, err.text);
    write_status(plugin);
    return -1;
}

/* OpenSM masks these VLs with the OperVLs that a port has, and sets OperVLs
 * only later in the same sweep.  Ports that are yet to get others would be
 * left with fewer lanes than routed for, or with some that do not exist: such
 * need another sweep. */
static void
update_sl2vl(void *context, osm_physp_t *physp, uint8_t in, uint8_t out,
             ib_slvl_table_t *table)
{
    struct plugin *plugin = context;
    double start = now();

    if (!sf_engine_routing(plugin->engine)) {
        return;
    }
    sf_subnet_fill_sl2vl(plugin->engine, sf_changes_sl2vl(plugin->changes),
                         physp, in, out, table);
    uint8_t has = ib_port_info_get_op_vls(&physp->port_info);
    plugin->has_old_vls |=
        in == 0 &&
        sf_engine_routing(plugin->engine)->routes->lanes->n_vls > 1 &&
        has != osm_physp_calc_link_op_vls(&plugin->osm->log,
                                          &plugin->osm->subn, physp, has);
    plugin->status.lane_seconds += now() - start;
}

static void
update_vlarb(void *context, osm_physp_t *physp, uint8_t port_num,
             ib_vl_arb_table_t *block, unsigned block_length,
             unsigned block_num)
{
    struct plugin *plugin = context;
    const struct sf_routing *routing = sf_engine_routing(plugin->engine);

    (void)physp;
    (void)port_num;
    if (routing && routing->routes->lanes->n_vls > 1) {
        sf_subnet_fill_vlarb(routing->routes->lanes->n_vls, block,
                             block_length, block_num);
    }
}

static uint8_t
path_sl(void *context, uint8_t hint, const ib_net16_t slid,
        const ib_net16_t dlid)
{
    struct plugin *plugin = context;
    uint8_t sl =
        sf_engine_path_sl(plugin->engine, cl_ntoh16(slid), cl_ntoh16(dlid));

    (void)hint;
    return sl == SF_NO_SL ? 0 : sl;
}

static int
setup(struct osm_routing_engine *engine, struct osm_opensm *osm)
{
    struct plugin *plugin = engine->context;

    /* Otherwise OpenSM would go over to minhop if it must, which can
     * deadlock.  Engines that stand in the list are still tried. */
    osm->no_fallback_routing_engine = TRUE;
    if (plugin->refusal[0]) {
        say(plugin, OSM_LOG_ERROR,
            "refused: %s; mend that, then restart OpenSM", plugin->refusal);
        return -1;
    }
    engine->build_lid_matrices = build_lid_matrices;
    engine->ucast_build_fwd_tables = build_fwd_tables;
    engine->update_sl2vl = update_sl2vl;
    engine->update_vlarb = update_vlarb;
    engine->path_sl = path_sl;
    return 0;
}

static void
free_plugin(struct plugin *plugin)
{
    sf_watcher_stop(plugin->drain_watcher);
    sf_watcher_stop(plugin->watcher);
    sf_plugin_drained_clear(&plugin->drained);
    sf_plugin_jobs_clear(&plugin->jobs);
    sf_heartbeat_stop(plugin->heartbeat);
    sf_traps_clear(&plugin->traps);
    sf_changes_free(plugin->changes);
    sf_engine_free(plugin->engine);
    sf_sources_clear(&plugin->sources);
    free(plugin);
}

/* OpenSM ends.  Why nothing was routed stays to be read. */
static void delete (void *data)
{
    struct plugin *plugin = data;

    sf_watcher_stop(plugin->drain_watcher);
    sf_watcher_stop(plugin->watcher);
    plugin->drain_watcher = plugin->watcher = NULL;
    if (!plugin->refusal[0]) {
        plugin->status.state = SF_STATE_ENDED;
        plugin->status.up_at = 0;
        write_status(plugin);
    }
    free_plugin(plugin);
}

/* What OpenSM does now, for the heartbeat. */
static struct sf_pulse
take_pulse(void *aux)
{
    struct plugin *plugin = aux;
    const osm_opensm_t *osm = plugin->osm;
    uint32_t polls = (osm->subn.opt.sminfo_polling_timeout + 999) / 1000;
    uint32_t sweeps = osm->subn.opt.sweep_interval;
    bool is_standby = osm->subn.sm_state == IB_SMINFO_STATE_STANDBY;

    return (struct sf_pulse){ .is_standby = is_standby,
                              .is_busy = atomic_load(&plugin->is_routing),
                              .n_sent = (uint32_t)osm->stats.qp0_mads_sent,
                              .sweep_seconds = is_standby ? polls : sweeps,
                              .traps = sf_traps_pack(&plugin->traps) };
}

/* Asks for a sweep, at which the files that are watched are read again; from
 * the thread of a watcher. */
static void
ask_for_sweep(void *aux)
{
    struct plugin *plugin = aux;

    if (!osm_exit_flag &&
        plugin->osm->subn.sm_state == IB_SMINFO_STATE_MASTER) {
        plugin->osm->subn.force_heavy_sweep = TRUE;
        osm_opensm_sweep(plugin->osm);
    }
}

/* Makes a plugin that does nothing yet; NULL if that is not possible, which is
 * said. */
static struct plugin *
make_plugin(osm_opensm_t *osm)
{
    struct plugin *plugin = calloc(1, sizeof *plugin);
    const char *text = osm->subn.opt.event_plugin_options;
    char *copy = strdup(text ? text : "");
    struct sf_error err;

    if (!plugin || !copy || sf_engine_new(&plugin->engine, &err) != SF_OK ||
        sf_changes_new(&plugin->changes, &err) != SF_OK) {
        osm_log(&osm->log, OSM_LOG_ERROR, ENGINE ": ERR: out of memory\n");
        sf_engine_free(plugin ? plugin->engine : NULL);
        free(copy);
        free(plugin);
        return NULL;
    }
    plugin->osm = osm;
    plugin->sources.option_text = copy;
    plugin->status.opensm = osm->osm_version;
    atomic_init(&plugin->is_routing, false);
    sf_traps_init(&plugin->traps);
    if (sf_heartbeat_start(take_pulse, plugin, &plugin->heartbeat, &err) !=
            SF_OK ||
        sf_watcher_start(ask_for_sweep, plugin, &plugin->watcher, &err) !=
            SF_OK ||
        sf_watcher_start(ask_for_sweep, plugin, &plugin->drain_watcher,
                         &err) != SF_OK) {
        say(plugin, OSM_LOG_ERROR, "%s", err.text);
        free_plugin(plugin);
        return NULL;
    }
    return plugin;
}

static void *
create(struct osm_opensm *osm)
{
    static const external_routing_engine_module_t module = { ENGINE, setup,
                                                             NULL };

    if (!has_same_layout(osm)) {
        /* The log cannot be found either. */
        static const char text[] =
            ENGINE ": refused: the plugin was compiled for an OpenSM whose "
                   "structures are laid out otherwise; compile it against the "
                   "headers of the OpenSM that loads it";
        syslog(LOG_ERR, "%s", text);
        fprintf(stderr, "%s\n", text);
        return NULL;
    }
    struct plugin *plugin = make_plugin(osm);
    if (!plugin) {
        return NULL;
    }
    load_options(plugin);
    memcpy(plugin->refusal, plugin->sources.complaint, sizeof plugin->refusal);
    if (osm_register_external_routing_engine(osm, &module, plugin) !=
        CL_SUCCESS) {
        say(plugin, OSM_LOG_ERROR, "OpenSM does not take another engine");
        free_plugin(plugin);
        return NULL;
    }
    say(plugin, OSM_LOG_INFO, "slimfly %s", SF_VERSION);
    if (plugin->refusal[0]) {
        sf_plugin_status_fail(&plugin->status, plugin->refusal);
    }
    sf_sources_sweep(&plugin->sources);
    write_status(plugin); /* What an earlier run left there is not true. */
    return plugin;
}

/* Sweeps once more. */
static void
sweep_again(struct plugin *plugin, const char *why)
{
    plugin->n_extra_sweeps++;
    say(plugin, OSM_LOG_INFO, "%s: sweeping once more", why);
    sf_resweep(plugin->osm);
}

/* All of this sweep is written: says what held, and goes on to the next step
 * of the change, if there is one.  Returns whether there is. */
static bool
end_step(struct plugin *plugin)
{
    struct sf_change_state *change = &plugin->status.change;

    plugin->has_more_steps = sf_changes_end(plugin->changes);
    *change = *sf_changes_state(plugin->changes);
    if (change->text[0]) {
        say(plugin, OSM_LOG_INFO, "%s", change->text);
    }
    if (plugin->has_more_steps) {
        sf_resweep(plugin->osm);
    }
    return plugin->has_more_steps;
}

/* The subnet is up; but see update_sl2vl().  And where cables were moved while
 * OpenSM swept, its directed routes led elsewhere: a switch may hold tables
 * that were meant for another, which OpenSM takes for written.  So all are
 * written again. */
static void
subnet_up(struct plugin *plugin)
{
    /* OpenSM says "up" also where it could not send all tables, and then
     * sweeps again by itself. */
    if (plugin->osm->subn.subnet_initialization_error) {
        sf_plugin_warn(&plugin->status,
                       "OpenSM could not send all tables: some switches hold "
                       "old ones until a sweep succeeds");
        sf_changes_fail(plugin->changes);
        write_status(plugin);
        return;
    }
    if (plugin->has_strays) {
        plugin->has_strays = false;
        plugin->osm->subn.need_update = 1;
        sweep_again(plugin, "cables were moved, and tables may have gone to "
                            "wrong switches: all are written again");
        return;
    }
    if (plugin->has_old_vls && plugin->n_extra_sweeps < MAX_EXTRA_SWEEPS) {
        sweep_again(plugin,
                    "ports have other VLs now than when their SL-to-VL "
                    "tables were set");
        return;
    }
    if (plugin->has_old_vls) {
        sf_plugin_warn(&plugin->status,
                       "ports do not take the OperVLs that they should have: "
                       "their lanes are not as routed, and may deadlock");
    }
    plugin->n_extra_sweeps = 0;
    if (end_step(plugin)) {
        write_status(plugin); /* It is up when the last step is. */
        return;
    }
    plugin->status.state = SF_STATE_UP;
    plugin->status.up_at = time(NULL);
    write_status(plugin);
}

/* Another manager leads, or our own port is down. */
static void
stop_leading(struct plugin *plugin)
{
    if (plugin->osm->subn.sm_state == IB_SMINFO_STATE_STANDBY) {
        plugin->status.state = SF_STATE_STANDBY;
    } else {
        sf_plugin_status_fail(&plugin->status,
                              "the port of this manager is down");
    }
    plugin->status.up_at = 0;
    write_status(plugin);
}

/* All was found, and no LIDs are given yet: what took the place of something
 * else shall get its LIDs. */
static void
keep_lids(struct plugin *plugin)
{
    const struct sf_fabric *base = sf_engine_base(plugin->engine);
    uint32_t n = base && !plugin->osm->subn.coming_out_of_standby
                     ? sf_keep_lids(plugin->osm, base)
                     : 0;

    if (n) {
        say(plugin, OSM_LOG_INFO,
            "ports that took the places of others keep the LIDs of these: %u",
            n);
    }
}

static void
name_trap(void *aux, struct sf_trap *trap)
{
    const struct plugin *plugin = aux;

    sf_notice_name(plugin->osm, plugin->engine, trap);
}

/* Keeps a trap, for the next status.  OpenSM has answered it, and sweeps if
 * the fabric may have changed. */
static void
keep_trap(struct plugin *plugin, const ib_mad_notice_attr_t *notice)
{
    struct sf_trap trap;

    if (sf_notice_read(notice, &trap)) {
        sf_traps_add(&plugin->traps, &trap, time(NULL), name_trap, plugin);
    }
}

static void
report(void *data, osm_epi_event_id_t event, void *detail)
{
    struct plugin *plugin = data;

    if (plugin->refusal[0]) {
        return;
    }
    if (event == OSM_EVENT_ID_HEAVY_SWEEP_START) {
        load_options(plugin);
    } else if (event == OSM_EVENT_ID_HEAVY_SWEEP_DONE) {
        keep_lids(plugin);
    } else if (event == OSM_EVENT_ID_UCAST_ROUTING_DONE) {
        write_status(plugin);
    } else if (event == OSM_EVENT_ID_SUBNET_UP &&
               plugin->status.state == SF_STATE_ROUTED) {
        subnet_up(plugin);
    } else if (event == OSM_EVENT_ID_STATE_CHANGE) {
        stop_leading(plugin);
    } else if (event == OSM_EVENT_ID_TRAP) {
        keep_trap(plugin, detail);
    }
}

__attribute__((visibility("default")))
osm_event_plugin_t osm_event_plugin = { OSM_VERSION, create, delete, report };
