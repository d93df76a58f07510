/* audit.c -- an audit from its arguments to its verdict.  auditor.h says which
 * file does what. */
#include "base/mem.h"
#include "ib/audit/auditor.h"

#include <string.h>

enum sf_status
sf_auditor_fail_memory(struct auditor *auditor)
{
    sf_fail(auditor->err, SF_ENOMEM, "out of memory for an audit");
    return SF_ENOMEM;
}

enum sf_status
sf_auditor_check_arguments(const struct auditor *auditor)
{
    const struct sf_audit_params *params = auditor->params;
    uint32_t n = auditor->fabric->n_switches;

    if (auditor->tables->n_switches != n ||
        (params->sl2vl && params->sl2vl->n_switches != n) ||
        (params->path_sls &&
         (params->path_sls->n_switches != n ||
          params->path_sls->max_lid != auditor->tables->max_lid))) {
        return sf_fail(auditor->err, SF_EINVAL,
                       "the tables are not those of this fabric");
    }
    if (params->has_one_sl && params->one_sl >= SF_N_SLS) {
        return sf_fail(auditor->err, SF_EINVAL, "SL %u: expected 0 to 15",
                       params->one_sl);
    }
    return SF_OK;
}

/* Reserves memory for LIDs and switches.  sf_auditor_begin() reserves what
 * depends on the number of LIDs at a switch. */
static bool
reserve(struct auditor *auditor)
{
    size_t n = auditor->fabric->n_switches;
    size_t n_lids = (size_t)auditor->tables->max_lid + 1;

    auditor->homes = sf_calloc(n_lids, sizeof *auditor->homes);
    auditor->lids = sf_calloc(n_lids, sizeof *auditor->lids);
    auditor->first_lid = sf_calloc(n + 1, sizeof *auditor->first_lid);
    auditor->n_hosts = sf_calloc(n, sizeof *auditor->n_hosts);
    auditor->drops = sf_calloc((size_t)auditor->cdg->n_arcs * SF_N_SLS,
                               sizeof *auditor->drops);
    auditor->n_by_hops = sf_calloc(n + 1, sizeof *auditor->n_by_hops);
    auditor->loads = sf_calloc(auditor->cdg->n_arcs, sizeof *auditor->loads);
    auditor->outcomes = sf_calloc(n, sizeof *auditor->outcomes);
    auditor->hops = sf_calloc(n, sizeof *auditor->hops);
    auditor->ends = sf_calloc(n, sizeof *auditor->ends);
    auditor->next = sf_calloc(n, sizeof *auditor->next);
    auditor->trail = sf_calloc(n, sizeof *auditor->trail);
    for (enum endpoint endpoint = HOSTS; endpoint < N_ENDPOINTS; endpoint++) {
        auditor->start_vls[endpoint] =
            sf_calloc((size_t)auditor->cdg->n_arcs * SF_N_SLS,
                      sizeof *auditor->start_vls[endpoint]);
        auditor->sls_to[endpoint] =
            auditor->params->path_sls
                ? sf_calloc(n * n, sizeof *auditor->sls_to[endpoint])
                : NULL;
        if (!auditor->start_vls[endpoint] ||
            (!auditor->sls_to[endpoint] && auditor->params->path_sls)) {
            return false;
        }
    }
    return auditor->homes && auditor->lids && auditor->first_lid &&
           auditor->n_hosts && auditor->drops && auditor->n_by_hops &&
           auditor->loads && auditor->outcomes && auditor->hops &&
           auditor->ends && auditor->next && auditor->trail;
}

void
sf_auditor_end(struct auditor *auditor)
{
    free(auditor->column_of);
    free(auditor->columns);
    free(auditor->sl_buffer);
    free(auditor->entry_buffer);
    free(auditor->trail);
    free(auditor->next);
    free(auditor->ends);
    free(auditor->hops);
    free(auditor->outcomes);
    free(auditor->loads);
    free(auditor->n_by_hops);
    free(auditor->drops);
    for (enum endpoint endpoint = HOSTS; endpoint < N_ENDPOINTS; endpoint++) {
        free(auditor->sls_to[endpoint]);
        free(auditor->start_vls[endpoint]);
    }
    free(auditor->n_hosts);
    free(auditor->first_lid);
    free(auditor->lids);
    free(auditor->homes);
    sf_cdg_free(auditor->cdg);
}

enum sf_status
sf_auditor_begin(struct auditor *auditor, uint32_t least_vls)
{
    struct sf_audit *audit = auditor->audit;
    size_t n = auditor->fabric->n_switches;
    uint32_t most;

    audit->n_switches = auditor->fabric->n_switches;
    audit->n_hosts = auditor->fabric->n_nodes - auditor->fabric->n_switches;
    audit->has_sl2vl = auditor->params->sl2vl != NULL;
    audit->has_path_sls = auditor->params->path_sls != NULL;
    audit->has_port_0 = auditor->params->has_port_0;
    audit->n_vls = sf_auditor_count_vls(auditor->params->sl2vl);
    audit->n_vls = audit->n_vls < least_vls ? least_vls : audit->n_vls;
    enum sf_status status = sf_cdg_build(auditor->fabric, audit->n_vls,
                                         &auditor->cdg, auditor->err);
    if (status != SF_OK) {
        return status;
    }
    if (!reserve(auditor)) {
        return sf_auditor_fail_memory(auditor);
    }
    status = sf_auditor_find_homes(auditor, &most);
    if (status != SF_OK) {
        return status;
    }
    auditor->entry_buffer = sf_calloc(most, n);
    auditor->sl_buffer = sf_calloc(most, n * sizeof *auditor->sl_buffer);
    auditor->columns = sf_calloc(most, sizeof *auditor->columns);
    auditor->column_of = sf_calloc(most, sizeof *auditor->column_of);
    if (!auditor->entry_buffer || !auditor->sl_buffer || !auditor->columns ||
        !auditor->column_of) {
        return sf_auditor_fail_memory(auditor);
    }
    sf_auditor_find_drops(auditor);
    sf_auditor_find_start_vls(auditor);
    sf_auditor_find_sls(auditor);
    return SF_OK;
}

/* Without path SLs, replies travel like all other packets, so the verdict on
 * them is the same. */
static enum sf_status
copy_verdict(struct auditor *auditor)
{
    const struct sf_audit_deadlock *from =
        &auditor->audit->deadlock[SF_AUDIT_PATH_SLS];
    struct sf_audit_deadlock *to = &auditor->audit->deadlock[SF_AUDIT_REPLIES];
    struct sf_audit_step *steps = NULL;

    if (from->steps) {
        steps = sf_calloc(from->n_steps, sizeof *steps);
        if (!steps) {
            return sf_auditor_fail_memory(auditor);
        }
        memcpy(steps, from->steps, from->n_steps * sizeof *steps);
    }
    *to = *from;
    to->steps = steps;
    return SF_OK;
}

/* The routing is sound if nothing was found wrong with it. */
static void
judge(struct sf_audit *audit)
{
    audit->is_sound = true;
    for (int i = 0; i < SF_AUDIT_N_FAULTS; i++) {
        audit->is_sound = audit->is_sound && !audit->n_faults[i];
    }
    for (int i = 0; i < SF_AUDIT_N_BEHAVIOURS; i++) {
        const struct sf_audit_deadlock *deadlock = &audit->deadlock[i];
        audit->is_sound =
            audit->is_sound && (!deadlock->is_checked ||
                                (deadlock->is_free && !deadlock->n_dropped));
    }
}

enum sf_status
sf_audit_build(const struct sf_fabric *fabric, const struct sf_tables *tables,
               const struct sf_audit_params *params, struct sf_audit **auditp,
               struct sf_error *err)
{
    static const struct sf_audit_params defaults = { 0 };
    struct auditor auditor = { .fabric = fabric,
                               .tables = tables,
                               .params = params ? params : &defaults,
                               .err = err };

    *auditp = NULL;
    enum sf_status status = sf_auditor_check_arguments(&auditor);
    if (status != SF_OK) {
        return status;
    }
    auditor.audit = sf_calloc(1, sizeof *auditor.audit);
    status = auditor.audit ? sf_auditor_begin(&auditor, 1)
                           : sf_auditor_fail_memory(&auditor);
    if (status == SF_OK) {
        status = sf_auditor_check_paths(&auditor);
    }
    if (status == SF_OK) {
        status = sf_auditor_check_deadlock(&auditor, SF_AUDIT_PATH_SLS);
    }
    if (status == SF_OK) {
        status = auditor.params->path_sls
                     ? sf_auditor_check_deadlock(&auditor, SF_AUDIT_REPLIES)
                     : copy_verdict(&auditor);
    }
    if (status == SF_OK && auditor.params->has_one_sl) {
        status = sf_auditor_check_deadlock(&auditor, SF_AUDIT_ONE_SL);
    }
    sf_auditor_end(&auditor);
    if (status != SF_OK) {
        sf_audit_free(auditor.audit);
        return status;
    }
    judge(auditor.audit);
    *auditp = auditor.audit;
    return SF_OK;
}

void
sf_audit_free(struct sf_audit *audit)
{
    if (audit) {
        for (int i = 0; i < SF_AUDIT_N_BEHAVIOURS; i++) {
            free(audit->deadlock[i].steps);
        }
        free(audit->links);
        free(audit->n_by_hops);
        free(audit);
    }
}
