/* judge_claims.c -- whether what the paper says holds here. */
#include "eval/eval.h"

#include <math.h>
#include <string.h>

/* What the cells of a claim give, one after the other. */
struct tally {
    uint32_t n;
    double sum, least, most, farthest;
    uint32_t *hows; /* [SF_N_EVAL_HOWS] Counts of the cells; or NULL. */
};

static void
add(struct tally *tally, double value, enum sf_eval_how how)
{
    if (isnan(value)) {
        return;
    }
    if (tally->hows) {
        tally->hows[how]++;
    }
    if (!tally->n || value < tally->least) {
        tally->least = value;
    }
    if (!tally->n || value > tally->most) {
        tally->most = value;
    }
    if (!tally->n || fabs(value) > fabs(tally->farthest)) {
        tally->farthest = value;
    }
    tally->sum += value;
    tally->n++;
}

/* Whether 'name' is one of the words of 'list', which commas separate. */
static bool
is_among(const char *list, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = list; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (!strncmp(at, name, length) && (at[length] == ',' || !at[length])) {
            return true;
        }
    }
    return false;
}

static bool
has_nodes(const struct sf_claim *claim, uint32_t n_nodes)
{
    for (uint32_t i = 0; i < 8 && claim->nodes[i]; i++) {
        if (claim->nodes[i] == n_nodes) {
            return true;
        }
    }
    return !claim->nodes[0];
}

static bool
has_size(const struct sf_claim *claim, double size)
{
    return size >= claim->min_size &&
           (!(claim->max_size > 0) || size <= claim->max_size);
}

/* The cell that a claim is about: of the Slim Fly, or of the Fat Tree. */
static struct sf_eval_cell
cell_of(const struct sf_evaluation *ev, const struct sf_claim *claim,
        enum sf_eval_group group, struct sf_eval_at at)
{
    return sf_evaluation_best(ev, group == SF_EVAL_DEFAULT ? 0 : 1, group,
                              claim->placement, at);
}

/* One number of a claim of cells by themselves. */
static double
value_of(const struct sf_evaluation *ev, const struct sf_claim *claim,
         enum sf_eval_group group, struct sf_eval_at at,
         enum sf_eval_how *howp)
{
    struct sf_eval_cell cell = cell_of(ev, claim, group, at);
    struct sf_eval_cell than = { 0 };

    *howp = cell.how;
    if (claim->of == SF_CLAIM_VALUE || claim->of == SF_CLAIM_SCALING) {
        return cell.n ? cell.mean : (double)NAN;
    }
    if (claim->of == SF_CLAIM_GAIN) {
        than = cell_of(ev, claim, SF_EVAL_MINIMAL, at);
    } else {
        than = sf_evaluation_reference(ev, claim->placement, at);
    }
    return sf_evaluation_gain(ev, &cell, &than);
}

/* Adds the numbers of one kind and size, which a trend compares. */
static void
tally_nodes(const struct sf_evaluation *ev, const struct sf_claim *claim,
            enum sf_eval_group group, struct sf_eval_at at,
            struct tally *tally)
{
    double first = (double)NAN;
    uint32_t n_first = 0;

    for (at.node = 0; at.node < ev->n_nodes[at.kind]; at.node++) {
        uint32_t n = ev->nodes[at.kind][at.node];
        enum sf_eval_how how;
        if (!has_nodes(claim, n)) {
            continue;
        }
        double value = value_of(ev, claim, group, at, &how);
        if (claim->of != SF_CLAIM_TREND && claim->of != SF_CLAIM_SCALING) {
            add(tally, value, how);
        } else if (!n_first) {
            first = value;
            n_first = n;
        } else if (claim->of == SF_CLAIM_TREND) {
            /* Only that of the most nodes counts. */
            tally->n = 0;
            add(tally, value - first, how);
        } else {
            /* The matrix of a node stays the same, so the work grows as the
             * nodes to the power of 1.5. */
            double ratio = (double)n / n_first;
            add(tally, value / first * pow(ratio, 1.5) / ratio, how);
        }
    }
}

/* Adds the numbers of one kind. */
static void
tally_kind(const struct sf_evaluation *ev, const struct sf_claim *claim,
           enum sf_eval_group group, uint32_t kind, enum sf_sim_queues queues,
           struct tally *tally)
{
    struct sf_eval_at at = { .kind = kind, .queues = queues };

    for (; at.size < sf_evaluation_n_sizes(ev, kind); at.size++) {
        if (has_size(claim, sf_evaluation_size(ev, kind, at.size))) {
            tally_nodes(ev, claim, group, at, tally);
        }
    }
}

static void
tally_claim(const struct sf_evaluation *ev, const struct sf_claim *claim,
            enum sf_eval_group group, enum sf_sim_queues queues,
            struct tally *tally)
{
    if (!ev->params.is_paper || ev->n_networks != 2) {
        return;
    }
    for (uint32_t k = 0; sf_eval_kinds[k].name; k++) {
        if (is_among(claim->kinds, sf_eval_kinds[k].name)) {
            tally_kind(ev, claim, group, k, queues, tally);
        }
    }
}

static double
measure(const struct sf_evaluation *ev, const struct sf_claim *claim,
        enum sf_eval_group group, enum sf_sim_queues queues)
{
    struct tally tally = { 0 };

    tally_claim(ev, claim, group, queues, &tally);
    return !tally.n                           ? (double)NAN
           : claim->over == SF_CLAIM_LEAST    ? tally.least
           : claim->over == SF_CLAIM_MOST     ? tally.most
           : claim->over == SF_CLAIM_FARTHEST ? tally.farthest
                                              : tally.sum / tally.n;
}

double
sf_claim_measure(const struct sf_evaluation *ev, const struct sf_claim *claim,
                 enum sf_sim_queues queues)
{
    return measure(ev, claim, claim->group, queues);
}

double
sf_claim_measure_ours(const struct sf_evaluation *ev,
                      const struct sf_claim *claim, enum sf_sim_queues queues)
{
    return claim->group == SF_EVAL_PAPER
               ? measure(ev, claim, SF_EVAL_OURS, queues)
               : (double)NAN;
}

/* Whether cells of 'kind' with 'group' are among those of 'claim'. */
static bool
was_run(const struct sf_evaluation *ev, const struct sf_claim *claim,
        enum sf_eval_group group, uint32_t kind)
{
    struct tally tally = { 0 };

    for (uint32_t q = 0; q < SF_N_SIM_QUEUES; q++) {
        if (ev->params.has_queues[q]) {
            tally_kind(ev, claim, group, kind, q, &tally);
        }
    }
    return tally.n > 0;
}

const char *
sf_claim_reason(const struct sf_evaluation *ev, const struct sf_claim *claim)
{
    const char *all = claim->reason_kinds;
    bool has_any = false, has_all = true;

    for (uint32_t k = 0; sf_eval_kinds[k].name; k++) {
        if (is_among(all ? all : claim->kinds, sf_eval_kinds[k].name)) {
            bool is_run = was_run(ev, claim, claim->group, k) &&
                          (!claim->is_reason_of_ours ||
                           was_run(ev, claim, SF_EVAL_OURS, k));
            has_any = has_any || is_run;
            has_all = has_all && is_run;
        }
    }
    return (all ? has_all : has_any) ? claim->reason : NULL;
}

void
sf_claim_hows(const struct sf_evaluation *ev, const struct sf_claim *claim,
              enum sf_sim_queues queues, uint32_t counts[SF_N_EVAL_HOWS])
{
    struct tally tally = { .hows = counts };

    memset(counts, 0, SF_N_EVAL_HOWS * sizeof *counts);
    tally_claim(ev, claim, claim->group, queues, &tally);
}

enum sf_claim_verdict
sf_claim_judge(const struct sf_claim *claim, double figure)
{
    return isnan(figure)                                   ? SF_CLAIM_NOT_RUN
           : figure >= claim->low && figure <= claim->high ? SF_CLAIM_AGREES
                                                           : SF_CLAIM_DIFFERS;
}

const char *
sf_claim_verdict_name(enum sf_claim_verdict verdict)
{
    static const char *const names[] = { "not run", "agrees", "differs" };
    return names[verdict];
}
