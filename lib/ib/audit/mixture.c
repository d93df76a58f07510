/* mixture.c -- the judgement of a change of tables, from its arguments to its
 * verdict.  mixer.h says which file does what. */
#include "slimfly/mixture.h"

#include "base/mem.h"
#include "ib/audit/mixer.h"
#include "slimfly/progress.h"

enum sf_status
sf_mixer_fail_memory(struct mixer *mixer)
{
    return sf_auditor_fail_memory(&mixer->sides[NEW]);
}

/* Makes an auditor of one side. */
static enum sf_status
begin_side(struct mixer *mixer, enum side side,
           const struct sf_mixture_side *from,
           const struct sf_mixture_params *params, uint32_t n_vls)
{
    struct auditor *auditor = &mixer->sides[side];

    mixer->audit_params[side] =
        (struct sf_audit_params){ .sl2vl = from->sl2vl,
                                  .path_sls = from->path_sls,
                                  .has_one_sl = params->has_one_sl,
                                  .one_sl = params->one_sl,
                                  .has_port_0 = params->has_port_0 };
    *auditor = (struct auditor){ .fabric = mixer->fabric,
                                 .tables = from->tables,
                                 .params = &mixer->audit_params[side],
                                 .audit = &mixer->audits[side],
                                 .err = mixer->err };
    enum sf_status status = sf_auditor_check_arguments(auditor);
    return status == SF_OK ? sf_auditor_begin(auditor, n_vls) : status;
}

static bool
reserve(struct mixer *mixer)
{
    const struct auditor *auditor = &mixer->sides[NEW];
    size_t n = mixer->fabric->n_switches, most = 0;

    for (uint32_t s = 0; s < n; s++) {
        size_t n_lids = auditor->first_lid[s + 1] - auditor->first_lid[s];
        most = n_lids > most ? n_lids : most;
    }
    /* At most two arcs leave each switch. */
    mixer->max_queued = N_SIDES * n * SF_N_SLS * mixer->cdg->n_vls;
    mixer->mixed = sf_calloc(most, sizeof *mixer->mixed);
    mixer->sl_buffer = sf_calloc(most, n * sizeof *mixer->sl_buffer);
    mixer->reached = sf_calloc((size_t)mixer->cdg->n_arcs * SF_N_SLS,
                               sizeof *mixer->reached);
    mixer->queue = sf_calloc(mixer->max_queued, sizeof *mixer->queue);
    mixer->parents = sf_calloc(mixer->max_queued, sizeof *mixer->parents);
    mixer->to_dead_end = sf_calloc(n, sizeof *mixer->to_dead_end);
    mixer->ends = sf_calloc(n, sizeof *mixer->ends);
    return mixer->mixed && mixer->sl_buffer && mixer->reached &&
           mixer->queue && mixer->parents && mixer->to_dead_end && mixer->ends;
}

static void
release(struct mixer *mixer)
{
    free(mixer->ends);
    free(mixer->to_dead_end);
    free(mixer->parents);
    free(mixer->queue);
    free(mixer->reached);
    free(mixer->sl_buffer);
    free(mixer->mixed);
    sf_auditor_end(&mixer->sides[NEW]);
    sf_auditor_end(&mixer->sides[OLD]);
}

/* Counts the entries of SL-to-VL tables that both sides say, differently. */
static uint64_t
count_lanes_changed(const struct sf_sl2vl *a, const struct sf_sl2vl *b)
{
    uint64_t n = 0;

    for (uint32_t s = 0; a && b && s < a->n_switches; s++) {
        for (uint32_t in = 0; in <= a->n_ports[s]; in++) {
            for (uint32_t out = 0; out <= a->n_ports[s]; out++) {
                const uint8_t *x = sf_sl2vl_of(a, s, in, out);
                const uint8_t *y = sf_sl2vl_of(b, s, in, out);
                for (uint32_t sl = 0; sl < SF_N_SLS; sl++) {
                    n += x[sl] != y[sl] && x[sl] != SF_NO_VL &&
                         y[sl] != SF_NO_VL;
                }
            }
        }
    }
    return n;
}

static enum sf_status
check_sides(struct mixer *mixer, const struct sf_mixture_side *before,
            const struct sf_mixture_side *after)
{
    if (before->tables->max_lid != after->tables->max_lid) {
        return sf_fail(mixer->err, SF_EINVAL,
                       "the old and the new tables are not of one fabric");
    }
    for (uint32_t s = 0;
         before->sl2vl && after->sl2vl && s < before->sl2vl->n_switches &&
         s < after->sl2vl->n_switches;
         s++) {
        if (before->sl2vl->n_ports[s] != after->sl2vl->n_ports[s]) {
            return sf_fail(mixer->err, SF_EINVAL,
                           "the old and the new SL-to-VL tables are not of "
                           "one fabric");
        }
    }
    return SF_OK;
}

/* Reads what both sides say, except for the paths. */
static enum sf_status
prepare(struct mixer *mixer, const struct sf_mixture_side *before,
        const struct sf_mixture_side *after,
        const struct sf_mixture_params *params)
{
    struct sf_mixture *mixture = mixer->mixture;
    uint32_t old_vls = sf_auditor_count_vls(before->sl2vl);
    uint32_t new_vls = sf_auditor_count_vls(after->sl2vl);
    uint32_t n_vls = old_vls > new_vls ? old_vls : new_vls;

    enum sf_status status = check_sides(mixer, before, after);
    if (status == SF_OK) {
        status = begin_side(mixer, OLD, before, params, n_vls);
    }
    if (status == SF_OK) {
        status = begin_side(mixer, NEW, after, params, n_vls);
    }
    if (status != SF_OK) {
        return status;
    }
    mixer->cdg = mixer->sides[NEW].cdg;
    const struct sf_audit *audit = &mixer->audits[NEW];
    mixture->n_switches = audit->n_switches;
    mixture->n_hosts = audit->n_hosts;
    mixture->n_lids = audit->n_lids;
    mixture->n_vls = audit->n_vls;
    mixture->n_entries = (uint64_t)audit->n_switches * audit->n_lids;
    mixture->n_lanes_changed =
        count_lanes_changed(before->sl2vl, after->sl2vl);
    mixture->has_path_sls = before->path_sls || after->path_sls;
    mixture->has_port_0 = params->has_port_0;
    return reserve(mixer) ? SF_OK : sf_mixer_fail_memory(mixer);
}

static enum sf_status
find_all_faults(struct mixer *mixer)
{
    enum sf_status status = SF_OK;
    uint32_t n = mixer->fabric->n_switches;

    for (uint32_t home = 0; status == SF_OK && home < n; home++) {
        sf_mixer_make_columns(mixer, home);
        for (uint32_t i = 0; status == SF_OK && i < mixer->n_mixed; i++) {
            sf_mixer_follow(mixer, &mixer->mixed[i]);
            status = sf_mixer_find_faults(mixer, &mixer->mixed[i]);
        }
        sf_progress_report("following old and new entries", home + 1, n);
    }
    return status;
}

static enum sf_status
check_all(struct mixer *mixer)
{
    struct sf_mixture *mixture = mixer->mixture;
    enum sf_status status = find_all_faults(mixer);

    if (status == SF_OK) {
        status = sf_mixer_check_deadlock(mixer, SF_AUDIT_PATH_SLS);
    }
    if (status == SF_OK && mixture->has_path_sls) {
        status = sf_mixer_check_deadlock(mixer, SF_AUDIT_REPLIES);
    }
    if (status == SF_OK && mixer->audit_params[NEW].has_one_sl) {
        status = sf_mixer_check_deadlock(mixer, SF_AUDIT_ONE_SL);
    }
    return status;
}

static void
judge(struct sf_mixture *mixture)
{
    mixture->is_free = true;
    for (int i = 0; i < SF_AUDIT_N_BEHAVIOURS; i++) {
        const struct sf_mixture_deadlock *deadlock = &mixture->deadlock[i];
        mixture->is_free =
            mixture->is_free && (!deadlock->is_checked || deadlock->is_free);
    }
    mixture->is_safe =
        mixture->is_free && !mixture->n_mixed && !mixture->n_faulty_new;
}

enum sf_status
sf_mixture_build(const struct sf_fabric *fabric,
                 const struct sf_mixture_side *before,
                 const struct sf_mixture_side *after,
                 const struct sf_mixture_params *params,
                 struct sf_mixture **mixturep, struct sf_error *err)
{
    static const struct sf_mixture_params defaults = { 0 };
    struct mixer mixer = { .fabric = fabric, .err = err };

    *mixturep = NULL;
    mixer.sides[NEW].err = err;
    mixer.mixture = sf_calloc(1, sizeof *mixer.mixture);
    if (!mixer.mixture) {
        return sf_mixer_fail_memory(&mixer);
    }
    enum sf_status status =
        prepare(&mixer, before, after, params ? params : &defaults);
    if (status == SF_OK) {
        status = check_all(&mixer);
    }
    release(&mixer);
    if (status != SF_OK) {
        sf_mixture_free(mixer.mixture);
        return status;
    }
    judge(mixer.mixture);
    *mixturep = mixer.mixture;
    return SF_OK;
}

void
sf_mixture_free(struct sf_mixture *mixture)
{
    if (!mixture) {
        return;
    }
    for (uint32_t i = 0; i < mixture->n_examples; i++) {
        free(mixture->examples[i].path.hops);
    }
    for (int i = 0; i < SF_AUDIT_N_BEHAVIOURS; i++) {
        struct sf_mixture_deadlock *deadlock = &mixture->deadlock[i];
        for (uint32_t k = 0; deadlock->steps && k < deadlock->n_steps; k++) {
            free(deadlock->steps[k].path.hops);
        }
        free(deadlock->steps);
    }
    free(mixture);
}
