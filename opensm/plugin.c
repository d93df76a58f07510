/* plugin.c -- the routing engine "layered" for OpenSM: a plugin of its event
 * interface that registers an external routing engine.
 *
 * create() and setup() run at the start; then, for each heavy sweep, report()
 * says that it begins, and ucast_build_fwd_tables(), update_sl2vl() and
 * update_vlarb() come from the sweeping thread, with osm->lock held
 * exclusively.  path_sl() comes from several threads at a time.  Switches and
 * ports are freed between sweeps: no pointer to them is kept. */
#include "subnet.h"

#include <opensm/osm_version.h>

#include "base.h"
#include "options.h"
#include "slimfly/plan_files.h"
#include "slimfly/version.h"
#include "status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#define ENGINE "layered"

/* Sweeps in a row that old OperVLs may ask for. */
#define MAX_EXTRA_SWEEPS 3

struct plugin {
    osm_opensm_t *osm;
    char *option_text; /* What event_plugin_options said. */
    struct sf_plugin_options options;
    char refusal[SF_ERROR_TEXT_SIZE];   /* Why it does nothing, or "". */
    char complaint[SF_ERROR_TEXT_SIZE]; /* About the options, or "". */
    struct sf_plan *plan;               /* For names, or NULL. */
    char plan_path[SF_OPTION_SIZE];     /* The one that was read. */
    struct timespec plan_time;          /* When it was written. */
    struct sf_engine *engine;
    struct sf_plugin_status status;
    bool has_old_vls;        /* VLs were masked; see update_sl2vl(). */
    bool has_strays;         /* Tables may be elsewhere; see subnet_up(). */
    uint32_t n_extra_sweeps; /* In a row. */
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

/* Says something that ought to be mended, in the log and the status file. */
static void __attribute__((format(printf, 2, 3)))
warn(struct plugin *plugin, const char *format, ...)
{
    char text[SF_ERROR_TEXT_SIZE];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    say(plugin, OSM_LOG_ERROR, "%s", text);
    sf_plugin_warn(&plugin->status, "%s", text);
}

static void
write_status(struct plugin *plugin)
{
    struct sf_error err;

    if (plugin->options.status[0] &&
        sf_plugin_status_write(&plugin->status, plugin->options.status,
                               &err) != SF_OK) {
        say(plugin, OSM_LOG_ERROR, "%s", err.text);
    }
}

/* Reads the plan for names, if it is not the one that was read before. */
static void
load_plan(struct plugin *plugin)
{
    char path[SF_OPTION_SIZE + 16];
    struct stat found = { 0 };
    struct sf_error err;

    if (!plugin->options.plan[0]) {
        sf_plan_free(plugin->plan);
        plugin->plan = NULL;
        return;
    }
    snprintf(path, sizeof path, "%s", plugin->options.plan);
    if (stat(path, &found) == 0 && S_ISDIR(found.st_mode)) {
        snprintf(path, sizeof path, "%s/plan.json", plugin->options.plan);
        stat(path, &found);
    }
    if (plugin->plan && strcmp(plugin->plan_path, plugin->options.plan) == 0 &&
        found.st_mtim.tv_sec == plugin->plan_time.tv_sec &&
        found.st_mtim.tv_nsec == plugin->plan_time.tv_nsec) {
        return;
    }
    sf_plan_free(plugin->plan);
    plugin->plan = NULL;
    if (sf_plan_read(path, &plugin->plan, &err) != SF_OK) {
        warn(plugin, "no names from the plan: %s", err.text);
        return;
    }
    memcpy(plugin->plan_path, plugin->options.plan, sizeof plugin->plan_path);
    plugin->plan_time = found.st_mtim;
}

/* Reads the GUID map, which is small, each time; NULL if there is none. */
static struct sf_guid_map *
load_guids(struct plugin *plugin)
{
    struct sf_guid_map *map = NULL;
    struct sf_error err;

    if (plugin->options.guids[0] &&
        sf_guid_map_load(plugin->options.guids, &map, &err) != SF_OK) {
        warn(plugin, "no names from the GUID map: %s", err.text);
    }
    return map;
}

/* Lets the engine start from what was base before a restart. */
static void
load_base(struct plugin *plugin)
{
    struct sf_fabric *fabric = NULL;
    struct sf_error err;

    if (plugin->options.base[0] &&
        sf_base_load(plugin->options.base, &fabric, &err) != SF_OK) {
        warn(plugin, "the base of before is not known: %s", err.text);
    }
    sf_engine_set_base_fabric(plugin->engine, fabric);
}

/* Keeps the fabric of a new base. */
static void
save_base(struct plugin *plugin)
{
    const struct sf_plugin_status *status = &plugin->status;
    struct sf_error err;

    if (plugin->options.base[0] && status->result.outcome == SF_OUTCOME_ANEW &&
        sf_base_save(status->routing->network->fabric, plugin->options.base,
                     &err) != SF_OK) {
        warn(plugin, "a restart will forget the base: %s", err.text);
    }
}

/* Reads the options; the ones before stay if these cannot be had. */
static void
load_options(struct plugin *plugin)
{
    const osm_subn_opt_t *opt = &plugin->osm->subn.opt;
    struct sf_plugin_options options;
    struct sf_error err = { 0 };
    enum sf_status status =
        sf_plugin_options_load(plugin->option_text, &options, &err);

    if (status == SF_OK) {
        status = sf_plugin_options_check(&options, opt->lmc, opt->qos, &err);
    }
    if (status == SF_OK) {
        plugin->options = options;
    } else if (!plugin->options.status[0]) { /* So that it can be told. */
        memcpy(plugin->options.status, options.status, sizeof options.status);
    }
    memcpy(plugin->complaint, err.text, sizeof plugin->complaint);
}

/* Whether OpenSM's structs are laid out as this plugin was compiled: members
 * near the end of them point back to others. */
static bool
has_same_layout(const osm_opensm_t *osm)
{
    return osm->sm.p_lock == &osm->lock && osm->sm.p_subn == &osm->subn &&
           osm->sm.p_log == &osm->log && osm->subn.p_osm == osm;
}

static struct sf_routing_params
routing_params(const struct plugin *plugin)
{
    const struct sf_plugin_options *options = &plugin->options;
    long n_cores = sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t n_addresses = 1u << plugin->osm->subn.opt.lmc;
    struct sf_routing_params params = {
        .layers = { .scheme = options->scheme.text,
                    .n_layers =
                        options->n_layers ? options->n_layers : n_addresses,
                    .max_hops = options->max_hops,
                    .may_exceed = true, /* Faults lengthen paths. */
                    .seed = options->seed,
                    .n_threads = n_cores > 1 ? (uint32_t)n_cores : 1,
                    .within_parts = true },
        .n_path_sets = options->n_path_sets,
        .lanes = options->lanes.scheme ? options->lanes.text : NULL,
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

    if (plugin->complaint[0]) {
        warn(plugin, "%s; the options of before stay", plugin->complaint);
    }
    if (!opt->qos) {
        sf_plugin_warn(&plugin->status,
                       "qos is FALSE, so there is one lane only");
    }
    if (opt->use_ucast_cache) {
        warn(plugin,
             "use_ucast_cache TRUE makes OpenSM keep tables of its own "
             "after faults: set it to FALSE");
    }
}

/* Says how the routing came out. */
static void
judge_result(struct plugin *plugin)
{
    const struct sf_engine_result *result = &plugin->status.result;
    const struct sf_routing *routing = plugin->status.routing;

    if (result->outcome == SF_OUTCOME_FALLBACK) {
        warn(plugin,
             "cannot route as asked: %s. Routed up and down a tree instead: "
             "safe, but slow. Mend the fabric, or ask for other lanes or "
             "another scheme",
             result->reason);
    } else if (result->outcome == SF_OUTCOME_HELD) {
        warn(plugin,
             "cannot route: %s. The tables of before stay; what lies behind "
             "lost links is out of reach. Mend the fabric, then send opensm a "
             "SIGHUP",
             result->reason);
    }
    if (routing->refusal.status != SF_OK) {
        warn(plugin,
             "the lanes are by %s, since %s; senders must use the SL of each "
             "path, which UCX and NCCL do not",
             routing->params.lanes, routing->refusal.text);
    }
    if (!result->is_safe) {
        warn(plugin,
             "%s with the lanes %s can deadlock: ask for other lanes or "
             "another scheme",
             routing->params.layers.scheme, routing->params.lanes);
    }
}

static void
tell_result(struct plugin *plugin)
{
    const struct sf_plugin_status *status = &plugin->status;
    const struct sf_routing *routing = status->routing;
    const struct sf_fabric *fabric = routing->network->fabric;
    const struct sf_difference *difference = &status->result.difference;

    say(plugin, OSM_LOG_INFO,
        "%s: %u switches, %u hosts, %u links; missing: %u switches, %u hosts, "
        "%u links; %u layers by %s, lanes by %s, VLs: %u; %llu of %llu "
        "entries change; %.3f s%s%s",
        sf_outcome_name(status->result.outcome), fabric->n_switches,
        fabric->n_nodes - fabric->n_switches, routing->network->graph->n_links,
        difference->n_lost_switches, difference->n_lost_hosts,
        difference->n_lost_links, routing->params.layers.n_layers,
        routing->params.layers.scheme, routing->params.lanes,
        routing->routes->lanes->n_vls, (unsigned long long)status->n_changed,
        (unsigned long long)status->n_entries,
        status->read_seconds + status->route_seconds + status->write_seconds,
        status->result.reason[0] ? "; " : "", status->result.reason);
}

/* Reads the subnet, routes it, and hands the tables over. */
static enum sf_status
route(struct plugin *plugin, struct sf_error *err)
{
    struct sf_plugin_status *status = &plugin->status;
    struct sf_routing_params params = routing_params(plugin);
    struct sf_subnet_reading reading;
    struct sf_fabric *fabric;
    struct sf_guid_map *map = load_guids(plugin);
    double start = now();
    enum sf_status code =
        sf_subnet_read(plugin->osm, plugin->plan, map, &fabric, &reading, err);

    sf_guid_map_free(map);
    status->read_seconds = now() - start;
    if (code == SF_OK) {
        /* Without qos nobody sets SL-to-VL tables. */
        status->n_vls = plugin->osm->subn.opt.qos ? reading.n_vls : 1;
        start = now();
        code = sf_engine_route(plugin->engine, fabric, &params, status->n_vls,
                               &status->result, err);
        status->route_seconds = now() - start;
        plugin->has_strays |= code == SF_OK && status->result.has_moved;
    }
    sf_fabric_free(fabric);
    status->routing = sf_engine_routing(plugin->engine);
    if (code == SF_OK) {
        start = now();
        sf_subnet_write(plugin->osm, plugin->engine, &status->n_entries,
                        &status->n_changed);
        status->write_seconds = now() - start;
        if (reading.n_without_map) {
            warn(plugin,
                 "switches without SL-to-VL tables, so that there is one lane "
                 "only: %u",
                 reading.n_without_map);
        }
        if (reading.n_without_lid) {
            warn(plugin, "ports without a LID, which nothing leads to: %u",
                 reading.n_without_lid);
        }
        if (plugin->plan && !reading.n_named) {
            warn(plugin,
                 "the plan %s knows none of the GUIDs found: name the map "
                 "that 'slimfly verify --save-guids' writes with the option "
                 "guids",
                 plugin->options.plan);
        }
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

    status->n_warnings = 0;
    status->routed_at = time(NULL);
    status->up_at = 0;
    status->lmc = plugin->osm->subn.opt.lmc;
    status->lane_seconds = 0;
    status->n_routings++;
    plugin->has_old_vls = false;
    judge_settings(plugin);
    load_plan(plugin);
    if (!sf_engine_routing(plugin->engine)) {
        load_base(plugin);
    }
    enum sf_status code = route(plugin, &err);
    if (code == SF_OK) {
        status->state = SF_STATE_ROUTED;
        judge_result(plugin);
        save_base(plugin);
        tell_result(plugin);
        return 0;
    }
    warn(plugin,
         "cannot route: %s. The switches keep the tables that they "
         "have, and path records fail until it can",
         err.text);
    sf_plugin_status_fail(status, err.text);
    write_status(plugin);
    return -1;
}

/* A VL in an SL-to-VL table; OpenSM lets it be at most what OperVLs allow. */
static void
set_vl(ib_slvl_table_t *table, uint32_t sl, uint32_t vl)
{
    ib_slvl_table_set(table, (uint8_t)sl, (uint8_t)vl);
}

static void
fill_sl2vl(struct plugin *plugin, osm_physp_t *physp, uint32_t in,
           uint32_t out, ib_slvl_table_t *table)
{
    const struct sf_sl2vl *sl2vl = sf_engine_tables(plugin->engine)->sl2vl;
    const struct sf_lanes *lanes =
        sf_engine_routing(plugin->engine)->routes->lanes;
    osm_node_t *node = physp->p_node;
    uint32_t s = SF_NONE;

    if (node->sw) {
        s = sf_engine_switch(plugin->engine,
                             cl_ntoh64(osm_node_get_node_guid(node)));
    }
    if (s != SF_NONE && in <= sl2vl->n_ports[s] && out <= sl2vl->n_ports[s]) {
        const uint8_t *vls = sf_sl2vl_of(sl2vl, s, in, out);
        for (uint32_t sl = 0; sl < SF_N_SLS; sl++) {
            set_vl(table, sl, vls[sl] < SF_DROP_VL ? vls[sl] : 0);
        }
        return;
    }
    /* A host's link is nobody's second: any VL will do.  Keep SLs apart. */
    for (uint32_t sl = 0; sl < SF_N_SLS; sl++) {
        set_vl(table, sl, sl < lanes->n_vls && sl < lanes->n_sls ? sl : 0);
    }
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
    fill_sl2vl(plugin, physp, in, out, table);
    uint8_t has = ib_port_info_get_op_vls(&physp->port_info);
    plugin->has_old_vls |=
        in == 0 &&
        sf_engine_routing(plugin->engine)->routes->lanes->n_vls > 1 &&
        has != osm_physp_calc_link_op_vls(&plugin->osm->log,
                                          &plugin->osm->subn, physp, has);
    plugin->status.lane_seconds += now() - start;
}

/* Equal shares for all lanes in use, none of them before the others. */
static void
update_vlarb(void *context, osm_physp_t *physp, uint8_t port_num,
             ib_vl_arb_table_t *block, unsigned block_length,
             unsigned block_num)
{
    struct plugin *plugin = context;
    const struct sf_routing *routing = sf_engine_routing(plugin->engine);

    (void)physp;
    (void)port_num;
    if (!routing || routing->routes->lanes->n_vls == 1) {
        return;
    }
    /* Blocks 0 and 1 are the low table, 2 and 3 the high one. */
    for (unsigned i = 0; i < block_length; i++) {
        bool is_used = block_num == 0 && i < routing->routes->lanes->n_vls;
        block->vl_entry[i].vl = (uint8_t)(is_used ? i : 0);
        block->vl_entry[i].weight = is_used ? 64 : 0;
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
        say(plugin, OSM_LOG_ERROR, "refused: %s", plugin->refusal);
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
    sf_engine_free(plugin->engine);
    sf_plan_free(plugin->plan);
    free(plugin->option_text);
    free(plugin);
}

/* OpenSM ends.  Why nothing was routed stays to be read. */
static void delete (void *data)
{
    struct plugin *plugin = data;

    if (!plugin->refusal[0]) {
        plugin->status.state = SF_STATE_ENDED;
        plugin->status.up_at = 0;
        write_status(plugin);
    }
    free_plugin(plugin);
}

static void *
create(struct osm_opensm *osm)
{
    static const external_routing_engine_module_t module = { ENGINE, setup,
                                                             NULL };
    struct sf_error err = { 0 };

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
    struct plugin *plugin = calloc(1, sizeof *plugin);
    const char *text = osm->subn.opt.event_plugin_options;
    char *copy = strdup(text ? text : "");
    if (!plugin || !copy || sf_engine_new(&plugin->engine, &err) != SF_OK) {
        osm_log(&osm->log, OSM_LOG_ERROR, ENGINE ": ERR: out of memory\n");
        free(copy);
        free(plugin);
        return NULL;
    }
    plugin->osm = osm;
    plugin->option_text = copy;
    plugin->status.opensm = osm->osm_version;
    load_options(plugin);
    memcpy(plugin->refusal, plugin->complaint, sizeof plugin->refusal);
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
    write_status(plugin); /* What an earlier run left there is not true. */
    return plugin;
}

/* Sweeps once more. */
static void
sweep_again(struct plugin *plugin, const char *why)
{
    plugin->n_extra_sweeps++;
    say(plugin, OSM_LOG_INFO, "%s: sweeping once more", why);
    plugin->osm->subn.force_heavy_sweep = TRUE;
    osm_opensm_sweep(plugin->osm);
}

/* The subnet is up; but see update_sl2vl().  And where cables were moved while
 * OpenSM swept, its directed routes led elsewhere: a switch may hold tables
 * that were meant for another, which OpenSM takes for written.  So all are
 * written again. */
static void
subnet_up(struct plugin *plugin)
{
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
        warn(plugin, "ports do not take the OperVLs that they should have: "
                     "their lanes are not as routed, and may deadlock");
    }
    plugin->n_extra_sweeps = 0;
    plugin->status.state = SF_STATE_UP;
    plugin->status.up_at = time(NULL);
    write_status(plugin);
}

static void
report(void *data, osm_epi_event_id_t event, void *detail)
{
    struct plugin *plugin = data;

    (void)detail;
    if (plugin->refusal[0]) {
        return;
    }
    if (event == OSM_EVENT_ID_HEAVY_SWEEP_START) {
        load_options(plugin);
    } else if (event == OSM_EVENT_ID_UCAST_ROUTING_DONE) {
        write_status(plugin);
    } else if (event == OSM_EVENT_ID_SUBNET_UP &&
               plugin->status.state == SF_STATE_ROUTED) {
        subnet_up(plugin);
    } else if (event == OSM_EVENT_ID_STATE_CHANGE) {
        /* Another manager leads, or our own port is down. */
        plugin->status.state = SF_STATE_STANDBY;
        plugin->status.up_at = 0;
        write_status(plugin);
    }
}

__attribute__((visibility("default")))
osm_event_plugin_t osm_event_plugin = { OSM_VERSION, create, delete, report };
