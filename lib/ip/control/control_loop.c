#define _GNU_SOURCE
#include "ip/control/control_loop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Seconds: between two tries to get the lock, to reach a switch that does not
 * answer, or to write files; until what a change of links has left behind is
 * looked at again; without events before others are told; to tell them in the
 * end. */
#define RETRY   2.0
#define SECOND  1.0
#define QUIET   .3
#define LAST    3.0
#define FOREVER 3600.0

struct runner {
    struct sf_core *core;
    const struct sf_control_switches *switches;
    struct sf_control_folder *folder;
    const struct sf_control_params *params;
    uint32_t n_switches;

    bool *hot;       /* [n_switches] Whose links are to be looked at; */
    bool *wanted;    /* [n_switches] workspace; */
    bool *is_silent; /* [n_switches] who does not answer; */
    bool *is_shaky;  /* [n_switches] whose tables are looked at again. */
    bool *runs;      /* [n_ports] */
    bool *was_down;  /* [n_ports] When the last controller ended. */
    struct sf_error *errors;     /* [n_switches] */
    struct sf_route_list *lists; /* [n_switches] */

    double first; /* When the first event came that is not dealt with; 0. */
    double retry_at, second_at, check_at, note_at; /* 0: not at all; */
    double save_at; /* likewise, as writing the state has failed. */
    bool is_retry;  /* Switches that did not answer are asked again. */
    bool has_started;
};

static double
now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

const char *
sf_control_kind_name(enum sf_control_kind kind)
{
    static const char *const names[] = {
        [SF_CONTROL_STARTED] = "started",     [SF_CONTROL_STANDBY] = "standby",
        [SF_CONTROL_LINK_DOWN] = "link-down", [SF_CONTROL_LINK_UP] = "link-up",
        [SF_CONTROL_REPAIRED] = "repaired",   [SF_CONTROL_MENDED] = "mended",
        [SF_CONTROL_SILENT] = "silent",       [SF_CONTROL_ANSWERS] = "answers",
        [SF_CONTROL_NOTED] = "noted",         [SF_CONTROL_UNSAVED] = "unsaved",
        [SF_CONTROL_SAVED] = "saved",         [SF_CONTROL_STOPPED] = "stopped",
    };
    return names[kind];
}

static bool
is_cancelled(const struct sf_control_params *params)
{
    return params->is_cancelled && params->is_cancelled();
}

static uint32_t
count_silent(const struct runner *runner)
{
    uint32_t n = 0;

    for (uint32_t s = 0; s < runner->n_switches; s++) {
        n += runner->is_silent[s];
    }
    return n;
}

static void
tell(const struct runner *runner, struct sf_control_event event)
{
    event.fabric = runner->core->fabric;
    event.n_down = sf_core_count_down(runner->core);
    event.n_silent = count_silent(runner);
    if (runner->params->tell) {
        runner->params->tell(runner->params->aux, &event);
    }
}

static void
tell_of(const struct runner *runner, enum sf_control_kind kind, uint32_t node,
        const char *text)
{
    tell(runner,
         (struct sf_control_event){
             .kind = kind, .port = SF_NONE, .node = node, .text = text });
}

enum sf_status
sf_control_lock(const struct sf_control_params *params, const char *also,
                struct sf_control_folder *folder, struct sf_error *err)
{
    static const struct timespec pause = { 0, 200000000 };
    bool has_told = false, is_held;
    struct sf_error reason;

    for (;;) {
        enum sf_status status = sf_control_folder_open(
            folder, params->folder, also, &is_held, &reason);
        if (status == SF_OK) {
            return SF_OK;
        }
        sf_control_folder_close(folder);
        if (!is_held || !params->stands_by || is_cancelled(params)) {
            return sf_fail(err, reason.status, "%s", reason.text);
        }
        if (!has_told && params->tell) {
            params->tell(params->aux, &(struct sf_control_event){
                                          .kind = SF_CONTROL_STANDBY,
                                          .port = SF_NONE,
                                          .node = SF_NONE,
                                          .text = reason.text });
        }
        has_told = true;
        nanosleep(&pause, NULL);
    }
}

/* Sums up which of the switches in 'wanted' have failed; 'what' failed. */
static void
judge_answers(struct runner *runner, const bool *wanted)
{
    for (uint32_t s = 0; s < runner->n_switches; s++) {
        bool has_failed = runner->errors[s].status != SF_OK;
        if (!wanted[s] && !has_failed) {
            continue;
        }
        if (has_failed) {
            sf_core_forget(runner->core, s);
            runner->retry_at = now() + RETRY;
        }
        if (has_failed != runner->is_silent[s]) {
            runner->is_silent[s] = has_failed;
            tell_of(runner,
                    has_failed ? SF_CONTROL_SILENT : SF_CONTROL_ANSWERS, s,
                    has_failed ? runner->errors[s].text : NULL);
        }
    }
}

static void
clear_errors(struct runner *runner)
{
    memset(runner->errors, 0, runner->n_switches * sizeof *runner->errors);
}

/* Takes over what one port says. */
static void
note_port(struct runner *runner, uint32_t port)
{
    struct sf_core *core = runner->core;
    const struct sf_port *of = &core->fabric->ports[port];
    bool is_new = core->runs[port] != runner->runs[port];

    if (of->peer == SF_NONE || !is_new) {
        return;
    }
    /* A kernel drops the routes of an interface that goes down. */
    sf_core_forget(core, of->node);
    runner->is_shaky[of->node] = true;
    runner->second_at = now() + SECOND;
    runner->note_at = now() + QUIET;
    if (!sf_core_note_port(core, port, runner->runs[port])) {
        return;
    }
    bool runs = sf_core_runs(core, port);
    tell(runner, (struct sf_control_event){
                     .kind = runs ? SF_CONTROL_LINK_UP : SF_CONTROL_LINK_DOWN,
                     .port = port,
                     .node = SF_NONE,
                     .text = !runner->has_started && runner->was_down[port]
                                 ? "as it was when the last controller ended"
                                 : NULL });
}

/* Looks at the links of the switches that are hot. */
static void
look(struct runner *runner)
{
    const struct sf_fabric *fabric = runner->core->fabric;

    clear_errors(runner);
    memcpy(runner->runs, runner->core->runs,
           fabric->n_ports * sizeof *runner->runs);
    memcpy(runner->wanted, runner->hot,
           runner->n_switches * sizeof *runner->wanted);
    memset(runner->hot, 0, runner->n_switches * sizeof *runner->hot);
    runner->switches->ops->read_links(runner->switches->self, runner->wanted,
                                      runner->runs, runner->errors);
    for (uint32_t s = 0; s < runner->n_switches; s++) {
        const struct sf_node *node = &fabric->nodes[s];
        for (uint32_t p = node->first_port;
             runner->wanted[s] && runner->errors[s].status == SF_OK &&
             p < node->first_port + node->n_ports;
             p++) {
            note_port(runner, p);
        }
    }
    judge_answers(runner, runner->wanted);
}

/* Whether a switch is worth a question. */
static bool
is_asked(const struct runner *runner, uint32_t s)
{
    return !runner->is_silent[s] || runner->is_retry;
}

/* Reads the tables of switches of which nobody knows what they hold. */
static enum sf_status
read_unknown(struct runner *runner, struct sf_error *err)
{
    struct sf_core *core = runner->core;
    enum sf_status status = SF_OK;
    bool has_any = false;

    clear_errors(runner);
    for (uint32_t s = 0; s < runner->n_switches; s++) {
        runner->wanted[s] = !core->held[s].is_known && is_asked(runner, s);
        has_any |= runner->wanted[s];
    }
    if (!has_any) {
        return SF_OK;
    }
    runner->switches->ops->read_routes(runner->switches->self, runner->wanted,
                                       runner->lists, runner->errors);
    for (uint32_t s = 0; s < runner->n_switches; s++) {
        struct sf_route_list *list = &runner->lists[s];
        if (runner->wanted[s] && runner->errors[s].status == SF_OK &&
            status == SF_OK) {
            status = sf_core_note_held(core, s, list->routes.items,
                                       list->routes.n, err);
        }
        list->routes.n = 0;
    }
    judge_answers(runner, runner->wanted);
    return status;
}

/* Writes 'push' wave by wave. */
static enum sf_status
write_waves(struct runner *runner, const struct sf_push *push,
            struct sf_error *err)
{
    struct sf_core *core = runner->core;
    const struct sf_ip_tables *tables = sf_core_tables(core);
    enum sf_status status = SF_OK;

    clear_errors(runner);
    memset(runner->wanted, 0, runner->n_switches * sizeof *runner->wanted);
    for (size_t i = 0; i < push->n;) {
        size_t end = i;
        while (end < push->n && push->items[end].wave == push->items[i].wave) {
            runner->wanted[push->items[end++].change.s] = true;
        }
        runner->switches->ops->write(runner->switches->self, push->items + i,
                                     end - i, tables, runner->errors);
        i = end;
    }
    for (uint32_t s = 0; status == SF_OK && s < runner->n_switches; s++) {
        if (runner->wanted[s] && runner->errors[s].status == SF_OK) {
            status = sf_core_note_written(core, s, err);
        }
    }
    judge_answers(runner, runner->wanted);
    return status;
}

/* Ordered pairs of switches that no path joins. */
static uint64_t
count_unreachable(const struct sf_routing *routing)
{
    const struct sf_layers *set = routing->routes->sets[0];
    uint64_t n = 0;

    for (uint32_t d = 0; d < set->n_switches; d++) {
        const uint16_t *column = sf_layers_tree(set, 0, d);
        for (uint32_t s = 0; s < set->n_switches; s++) {
            n += s != d && column[s] == SF_NO_HOP;
        }
    }
    return n;
}

/* Whether this is true for any switch. */
static bool
is_any(const struct runner *runner, const bool *of_switches)
{
    for (uint32_t s = 0; s < runner->n_switches; s++) {
        if (of_switches[s]) {
            return true;
        }
    }
    return false;
}

/* Writes what is to outlive a restart.  A folder that cannot be written is no
 * reason to leave links unrepaired, so that is told and tried again. */
static void
save(struct runner *runner)
{
    const struct sf_control_switches *switches = runner->switches;
    bool was_unsaved = runner->save_at > 0;
    struct sf_error err = { 0 };
    enum sf_status status = sf_control_folder_mend(runner->folder, &err);

    if (status == SF_OK && switches->ops->keep) {
        status = switches->ops->keep(switches->self, runner->folder, &err);
    }
    if (status == SF_OK) {
        status = sf_control_write_state(runner->folder, switches->identity,
                                        runner->core, &err);
    }
    runner->save_at = status == SF_OK ? 0 : now() + RETRY;
    if (was_unsaved != (status != SF_OK)) {
        tell_of(runner,
                status == SF_OK ? SF_CONTROL_SAVED : SF_CONTROL_UNSAVED,
                SF_NONE, status == SF_OK ? NULL : err.text);
    }
}

/* Makes switches hold what they are to, as far as they answer. */
static enum sf_status
act(struct runner *runner, struct sf_error *err)
{
    struct sf_core *core = runner->core;
    bool is_repair = core->is_stale;
    double start = now(), first = runner->first > 0 ? runner->first : start;
    struct sf_push push = { 0 };
    enum sf_status status = sf_core_settle(core, err);
    double settled = now();

    if (status == SF_OK) {
        status = read_unknown(runner, err);
    }
    if (status == SF_OK) {
        status = sf_core_plan(core, &push, err);
    }
    if (status == SF_OK) {
        status = write_waves(runner, &push, err);
    }
    double end = now();
    if (status == SF_OK && runner->has_started && (is_repair || push.n > 0)) {
        tell(runner,
             (struct sf_control_event){
                 .kind = is_repair || is_any(runner, runner->is_shaky)
                             ? SF_CONTROL_REPAIRED
                             : SF_CONTROL_MENDED,
                 .port = SF_NONE,
                 .node = SF_NONE,
                 .n_switches = push.n_switches,
                 .n_routes = push.n,
                 .n_unreachable = count_unreachable(sf_core_routing(core)),
                 .after = end - first,
                 .repair = settled - start,
                 .write = end - settled,
                 .text = core->why_anew[0] ? core->why_anew : NULL });
    } else if (status == SF_OK && !runner->has_started) {
        tell(runner,
             (struct sf_control_event){
                 .kind = SF_CONTROL_STARTED,
                 .port = SF_NONE,
                 .node = SF_NONE,
                 .n_switches = push.n_switches,
                 .n_routes = push.n,
                 .n_unreachable = count_unreachable(sf_core_routing(core)),
                 .after = end - first,
                 .repair = settled - start,
                 .write = end - settled });
    }
    if (status == SF_OK && (is_repair || !runner->has_started)) {
        save(runner);
        runner->note_at = now() + QUIET;
    }
    runner->first = 0;
    sf_push_clear(&push);
    return status;
}

static bool
has_work(const struct runner *runner)
{
    bool has = runner->core->is_stale;

    for (uint32_t s = 0; !has && s < runner->n_switches; s++) {
        has = !runner->core->held[s].is_known && is_asked(runner, s);
    }
    return has;
}

static void
bring_forward(double *next, double at)
{
    if (at > 0 && at < *next) {
        *next = at;
    }
}

/* Waits for something to do. */
static enum sf_status
wait_for_work(struct runner *runner, struct sf_error *err)
{
    double time = now(), next = time + FOREVER;

    bring_forward(&next, runner->retry_at);
    bring_forward(&next, runner->second_at);
    bring_forward(&next, runner->check_at);
    bring_forward(&next, runner->note_at);
    bring_forward(&next, runner->save_at);
    return runner->switches->ops->wait(runner->switches->self,
                                       next > time ? next - time : 0,
                                       runner->hot, err);
}

static bool
is_due(double *at)
{
    bool due = *at > 0 && now() >= *at;

    *at = due ? 0 : *at;
    return due;
}

/* Does what the clock asks for. */
static void
look_at_clock(struct runner *runner)
{
    bool is_check = is_due(&runner->check_at);
    bool is_second = is_due(&runner->second_at);

    runner->is_retry = is_due(&runner->retry_at);
    for (uint32_t s = 0; s < runner->n_switches; s++) {
        if (is_check || (is_second && runner->is_shaky[s])) {
            sf_core_forget(runner->core, s);
        }
        runner->is_shaky[s] &= !is_second;
        if (runner->is_silent[s]) {
            runner->hot[s] = runner->is_retry;
        }
    }
    if (runner->save_at > 0 && now() >= runner->save_at) {
        save(runner);
    }
    if (is_check) {
        runner->check_at = now() + runner->params->check;
    }
}

/* Lets others know, if it is time. */
static void
note(struct runner *runner)
{
    struct sf_error err;

    if (!is_due(&runner->note_at) || !runner->switches->ops->note) {
        return;
    }
    if (runner->switches->ops->note(runner->switches->self, runner->core,
                                    &err) == SF_OK) {
        tell_of(runner, SF_CONTROL_NOTED, SF_NONE, NULL);
    } else {
        runner->note_at = now() + QUIET;
    }
}

/* See struct sf_control_ops. */
static const char *
why_gone(const struct runner *runner, bool *is_alarmingp)
{
    const struct sf_control_ops *ops = runner->switches->ops;

    *is_alarmingp = false;
    return ops->why_gone ? ops->why_gone(runner->switches->self, is_alarmingp)
                         : NULL;
}

static bool
is_over(const struct runner *runner)
{
    bool is_alarming;

    return is_cancelled(runner->params) || why_gone(runner, &is_alarming);
}

/* Lets others know of what has not been told yet, since there is no later
 * time: for a while also if they are in the way. */
static enum sf_status
note_last(const struct runner *runner, struct sf_error *err)
{
    static const struct timespec pause = { 0, 100000000 };
    double end = now() + LAST;
    enum sf_status status = SF_EIO;

    while (status == SF_EIO) {
        status = runner->switches->ops->note(runner->switches->self,
                                             runner->core, err);
        if (status == SF_EIO && now() >= end) {
            break;
        }
        if (status == SF_EIO) {
            nanosleep(&pause, NULL);
        }
    }
    if (status == SF_OK) {
        tell_of(runner, SF_CONTROL_NOTED, SF_NONE, NULL);
    }
    return status;
}

/* Tells the end, and what was left undone.  Switches that are gone are none
 * of others' business, who may have new ones of the same names. */
static void
stop(struct runner *runner)
{
    char silent[80];
    uint32_t n_silent = count_silent(runner);
    struct sf_error err;
    bool is_incomplete;
    const char *text = why_gone(runner, &is_incomplete);
    bool is_gone = text != NULL;

    if (!is_gone && runner->params->once && n_silent) {
        (void)snprintf(silent, sizeof silent,
                       "%u of %u switches did not answer", n_silent,
                       runner->n_switches);
        text = silent;
        is_incomplete = true;
    } else if (!is_gone && runner->note_at > 0 &&
               runner->switches->ops->note &&
               note_last(runner, &err) != SF_OK) {
        sf_error_add_context(&err, "the last repair was not noted");
        text = err.text;
    }
    if (runner->save_at > 0 && !is_gone) {
        save(runner);
    }
    tell(runner, (struct sf_control_event){ .kind = SF_CONTROL_STOPPED,
                                            .port = SF_NONE,
                                            .node = SF_NONE,
                                            .text = text,
                                            .is_incomplete = is_incomplete });
}

static enum sf_status
start(struct runner *runner, struct sf_error *err)
{
    bool is_there;
    enum sf_status status = sf_control_read_state(
        runner->folder, runner->switches->identity, runner->core->fabric,
        runner->was_down, &is_there, err);

    if (status != SF_OK) {
        return status;
    }
    runner->first = now();
    memset(runner->hot, true, runner->n_switches * sizeof *runner->hot);
    look(runner);
    status = act(runner, err);
    runner->has_started = true;
    if (runner->params->check > 0) {
        runner->check_at = now() + runner->params->check;
    }
    return status;
}

static enum sf_status
run(struct runner *runner, struct sf_error *err)
{
    enum sf_status status = start(runner, err);

    while (status == SF_OK && !is_over(runner)) {
        note(runner);
        if (runner->params->once && runner->note_at == 0) {
            break;
        }
        status = wait_for_work(runner, err);
        if (status != SF_OK || is_over(runner)) {
            break;
        }
        look_at_clock(runner);
        if (is_any(runner, runner->hot)) {
            double woken = now();
            look(runner);
            runner->first = runner->core->is_stale ? woken : 0;
        }
        if (has_work(runner)) {
            status = act(runner, err);
        }
    }
    if (status == SF_OK) {
        stop(runner);
    }
    return status;
}

enum sf_status
sf_control_run(struct sf_core *core,
               const struct sf_control_switches *switches,
               struct sf_control_folder *folder,
               const struct sf_control_params *params, struct sf_error *err)
{
    size_t n = core->fabric->n_switches, n_ports = core->fabric->n_ports;
    struct runner runner = {
        .core = core,
        .switches = switches,
        .folder = folder,
        .params = params,
        .n_switches = core->fabric->n_switches,
        .hot = sf_calloc(n, sizeof *runner.hot),
        .wanted = sf_calloc(n, sizeof *runner.wanted),
        .is_silent = sf_calloc(n, sizeof *runner.is_silent),
        .is_shaky = sf_calloc(core->fabric->n_nodes, sizeof *runner.is_shaky),
        .runs = sf_calloc(n_ports, sizeof *runner.runs),
        .was_down = sf_calloc(n_ports, sizeof *runner.was_down),
        .errors = sf_calloc(n, sizeof *runner.errors),
        .lists = sf_calloc(n, sizeof *runner.lists),
    };
    bool made = runner.hot && runner.wanted && runner.is_silent &&
                runner.is_shaky && runner.runs && runner.was_down &&
                runner.errors && runner.lists;
    enum sf_status status =
        made ? run(&runner, err)
             : sf_fail(err, SF_ENOMEM, "out of memory for %zu switches", n);

    for (uint32_t s = 0; runner.lists && s < n; s++) {
        free(runner.lists[s].routes.items);
    }
    free(runner.lists);
    free(runner.errors);
    free(runner.was_down);
    free(runner.runs);
    free(runner.is_shaky);
    free(runner.is_silent);
    free(runner.wanted);
    free(runner.hot);
    return status;
}
