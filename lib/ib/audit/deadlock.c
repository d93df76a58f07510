/* deadlock.c -- which channels wait for which, and whether they can wait for
 * each other in a circle.
 *
 * Every path that arrives is added to the channel dependency graph (cdg.h),
 * once for each SL that senders may give it.  If the graph has a cycle, all
 * paths are gone through once more, to name one for each dependency of a
 * shortest cycle. */
#include "base/mem.h"
#include "ib/audit/auditor.h"
#include "slimfly/progress.h"

#include <inttypes.h>

/* A LID of the path's column to which its source sends with its SL; any of
 * the hosts' if that is the SL of a reply or of all. */
static uint32_t
lid_of_path(const struct auditor *auditor, const struct path *path)
{
    uint32_t first = auditor->first_lid[path->home];
    uint32_t k = (uint32_t)(path->column - auditor->columns);

    for (uint32_t i = first; i < auditor->first_lid[path->home + 1]; i++) {
        if (auditor->column_of[i - first] == k &&
            sf_auditor_sl_set(auditor, path->source, auditor->lids[i]) ==
                1u << path->sl) {
            return auditor->lids[i];
        }
    }
    return path->column->lid;
}

/* Names 'path' as the one that holds channel (in, vl) of the cycle. */
static void
explain_step(struct auditor *auditor, const struct path *path, uint32_t in,
             uint32_t vl)
{
    for (uint32_t i = 0; i < auditor->deadlock->n_steps; i++) {
        if (auditor->cycle[i] == in * auditor->cdg->n_vls + vl) {
            auditor->deadlock->steps[i] = (struct sf_audit_step){
                .at = auditor->cdg->arcs[in].from,
                .port = (uint8_t)auditor_out_port(auditor, in),
                .vl = (uint8_t)vl,
                .sl = path->sl,
                .source = path->source,
                .is_port_0 = path->endpoint == PORT_0,
                .lid = lid_of_path(auditor, path),
            };
        }
    }
}

/* 'path' waits for channel (out, vl_out) while it holds (in, vl_in).  Adds
 * that to the graph or, when a cycle is explained, takes the path as the
 * cause. */
static void
add_dependency(struct auditor *auditor, const struct path *path, uint32_t in,
               uint32_t vl_in, uint32_t out, uint32_t vl_out)
{
    uint16_t *row = sf_cdg_row(auditor->cdg, in, vl_in, out);
    unsigned bit = 1u << vl_out;

    if (!auditor->is_explaining) {
        *row |= (uint16_t)bit;
    } else if (*row & bit) {
        *row &= (uint16_t)~bit;
        explain_step(auditor, path, in, vl_in);
    }
}

enum sf_status
sf_auditor_fail_no_vl(const struct auditor *auditor, uint32_t s, uint32_t arc,
                      uint32_t sl)
{
    return sf_fail(auditor->err, SF_EINVAL,
                   "the SL-to-VL tables do not say all VLs of switch %s "
                   "(0x%016" PRIx64 ") for port %u and SL %u, which paths use",
                   auditor->fabric->nodes[s].name,
                   auditor->fabric->nodes[s].guid,
                   auditor_out_port(auditor, arc), sl);
}

/* Whether the last switch throws away what comes over arc 'in' for some of the
 * path's LIDs. */
static bool
is_dropped_at_home(const struct auditor *auditor, const struct path *path,
                   uint32_t in)
{
    uint32_t first = auditor->first_lid[path->home];
    uint32_t k = (uint32_t)(path->column - auditor->columns);

    if (!auditor->drops[(size_t)in * SF_N_SLS + path->sl]) {
        return false;
    }
    for (uint32_t i = first; i < auditor->first_lid[path->home + 1]; i++) {
        struct home home = auditor->homes[auditor->lids[i]];
        if (auditor->column_of[i - first] == k && home.is_host &&
            auditor_vl(auditor, home.s, auditor_in_port(auditor, in),
                       home.port, path->sl) == SF_DROP_VL) {
            return true;
        }
    }
    return false;
}

/* Adds the channels and dependencies of 'path', which arrives. */
static enum sf_status
add_path(struct auditor *auditor, const struct path *path)
{
    const struct sf_cdg *cdg = auditor->cdg;
    uint32_t sl = path->sl;
    uint32_t in = auditor->next[path->source];
    unsigned vls =
        auditor->start_vls[path->endpoint][(size_t)in * SF_N_SLS + sl];

    if (!vls) {
        return sf_auditor_fail_no_vl(auditor, path->source, in, sl);
    }
    auditor->deadlock->n_dropped += vls >> SF_DROP_VL;
    vls &= (1u << SF_DROP_VL) - 1;
    for (;;) {
        for (unsigned rest = vls; rest; rest &= rest - 1) {
            uint32_t vl = (uint32_t)__builtin_ctz(rest);
            cdg->is_used[(size_t)in * cdg->n_vls + vl] = true;
        }
        uint32_t at = cdg->arcs[in].to;
        if (at == path->home || !vls) {
            auditor->deadlock->n_dropped +=
                vls && is_dropped_at_home(auditor, path, in);
            return SF_OK;
        }
        uint32_t out = auditor->next[at];
        uint8_t vl_out = auditor_vl(auditor, at, auditor_in_port(auditor, in),
                                    auditor_out_port(auditor, out), sl);
        if (vl_out > SF_DROP_VL) {
            return sf_auditor_fail_no_vl(auditor, at, out, sl);
        }
        if (vl_out == SF_DROP_VL) {
            auditor->deadlock->n_dropped++;
            return SF_OK;
        }
        for (unsigned rest = vls; rest; rest &= rest - 1) {
            uint32_t vl = (uint32_t)__builtin_ctz(rest);
            add_dependency(auditor, path, in, vl, out, vl_out);
        }
        vls = 1u << vl_out;
        in = out;
    }
}

bool
sf_auditor_has_replies(const struct auditor *auditor, uint32_t n_lids,
                       uint32_t n_host_lids, uint32_t home)
{
    return (n_host_lids && sf_auditor_is_source(auditor, home, HOSTS)) ||
           (n_lids > n_host_lids &&
            sf_auditor_is_source(auditor, home, PORT_0));
}

/* Adds the paths from one endpoint of switch 's' to 'column', one for each SL
 * that senders give it. */
static enum sf_status
add_paths_from(struct auditor *auditor, enum sf_audit_behaviour behaviour,
               const struct column *column, uint32_t s, enum endpoint endpoint,
               uint32_t home)
{
    unsigned sls = column->sls[s];
    enum sf_status status = SF_OK;

    if (behaviour == SF_AUDIT_ONE_SL) {
        sls = 1u << auditor->params->one_sl;
    } else if (behaviour == SF_AUDIT_REPLIES && auditor->params->path_sls &&
               sf_auditor_has_replies(auditor, column->n_lids,
                                      column->n_host_lids, home)) {
        sls |= auditor->sls_to[endpoint]
                              [(size_t)home * auditor->fabric->n_switches + s];
    }
    for (; status == SF_OK && sls; sls &= sls - 1) {
        struct path path = { s, home, endpoint, column,
                             (uint8_t)__builtin_ctz(sls) };
        status = add_path(auditor, &path);
    }
    return status;
}

/* Adds the paths from all switches to 'column'. */
static enum sf_status
add_paths_to(struct auditor *auditor, enum sf_audit_behaviour behaviour,
             const struct column *column, uint32_t home)
{
    enum sf_status status = SF_OK;

    for (uint32_t s = 0; s < auditor->fabric->n_switches; s++) {
        for (enum endpoint endpoint = HOSTS;
             status == SF_OK && endpoint < N_ENDPOINTS; endpoint++) {
            if (s != home && sf_auditor_is_source(auditor, s, endpoint) &&
                auditor->outcomes[s] == ARRIVES) {
                status = add_paths_from(auditor, behaviour, column, s,
                                        endpoint, home);
            }
        }
    }
    return status;
}

/* Adds all paths as senders with 'behaviour' make them. */
static enum sf_status
add_all_paths(struct auditor *auditor, enum sf_audit_behaviour behaviour)
{
    enum sf_status status = SF_OK;
    uint32_t n = auditor->fabric->n_switches;

    for (uint32_t home = 0; status == SF_OK && home < n; home++) {
        sf_auditor_make_columns(auditor, home);
        sf_auditor_find_column_sls(auditor, home);
        for (uint32_t k = 0; status == SF_OK && k < auditor->n_columns; k++) {
            sf_auditor_follow(auditor, &auditor->columns[k], home);
            status =
                add_paths_to(auditor, behaviour, &auditor->columns[k], home);
        }
        sf_progress_report("collecting what packets wait for", home + 1, n);
    }
    return status;
}

/* Goes through all paths again and names, for each dependency of 'cycle', one
 * that causes it. */
static enum sf_status
explain(struct auditor *auditor, enum sf_audit_behaviour behaviour,
        const uint32_t *cycle)
{
    struct sf_audit_deadlock *deadlock = auditor->deadlock;
    struct sf_cdg *cdg = auditor->cdg;
    uint64_t n_dropped = deadlock->n_dropped;

    deadlock->steps = sf_calloc(deadlock->n_steps, sizeof *deadlock->steps);
    if (!deadlock->steps) {
        return sf_auditor_fail_memory(auditor);
    }
    sf_cdg_clear(cdg);
    for (uint32_t i = 0; i < deadlock->n_steps; i++) {
        uint32_t c = cycle[i], d = cycle[(i + 1) % deadlock->n_steps];
        *sf_cdg_row(cdg, c / cdg->n_vls, c % cdg->n_vls, d / cdg->n_vls) |=
            (uint16_t)(1u << d % cdg->n_vls);
    }
    auditor->is_explaining = true;
    auditor->cycle = cycle;
    enum sf_status status = add_all_paths(auditor, behaviour);
    auditor->is_explaining = false;
    deadlock->n_dropped = n_dropped;
    return status;
}

enum sf_status
sf_auditor_check_deadlock(struct auditor *auditor,
                          enum sf_audit_behaviour behaviour)
{
    struct sf_audit_deadlock *deadlock = &auditor->audit->deadlock[behaviour];
    const struct sf_cdg *cdg = auditor->cdg;
    uint32_t *cycle = NULL;

    auditor->deadlock = deadlock;
    sf_cdg_clear(auditor->cdg);
    enum sf_status status = add_all_paths(auditor, behaviour);
    if (status != SF_OK) {
        return status;
    }
    for (size_t i = 0; i < (size_t)cdg->n_arcs * cdg->n_vls; i++) {
        deadlock->n_channels += cdg->is_used[i];
    }
    for (size_t i = 0; i < cdg->n_rows; i++) {
        deadlock->n_dependencies += (uint64_t)__builtin_popcount(cdg->rows[i]);
    }
    deadlock->is_checked = true;
    deadlock->sl = auditor->params->one_sl;
    status =
        sf_cdg_shortest_cycle(cdg, &cycle, &deadlock->n_steps, auditor->err);
    deadlock->is_free = deadlock->n_steps == 0;
    if (status == SF_OK && !deadlock->is_free) {
        status = explain(auditor, behaviour, cycle);
    }
    free(cycle);
    return status;
}
