/* cells.c -- means over seeds, and the best of a group. */
#include "eval/eval.h"

#include <math.h>

const struct sf_eval_params *
sf_evaluation_params(const struct sf_evaluation *ev)
{
    return &ev->params;
}

uint32_t
sf_evaluation_n_series(const struct sf_evaluation *ev)
{
    return ev->n_series;
}

const struct sf_eval_series *
sf_evaluation_series(const struct sf_evaluation *ev, uint32_t i)
{
    return &ev->series[i];
}

const struct sf_eval_network *
sf_evaluation_network(const struct sf_evaluation *ev, uint32_t i)
{
    return &ev->networks[i];
}

const char *
sf_evaluation_kind_left_out(const struct sf_evaluation *ev, uint32_t kind)
{
    return ev->n_nodes[kind] ? "" : ev->left_out[kind];
}

uint32_t
sf_evaluation_n_nodes(const struct sf_evaluation *ev, uint32_t kind)
{
    return ev->n_nodes[kind];
}

uint32_t
sf_evaluation_nodes(const struct sf_evaluation *ev, uint32_t kind, uint32_t i)
{
    return ev->nodes[kind][i];
}

uint32_t
sf_evaluation_n_sizes(const struct sf_evaluation *ev, uint32_t kind)
{
    return ev->n_nodes[kind] ? ev->sizes[kind][0].n : 0;
}

double
sf_evaluation_size(const struct sf_evaluation *ev, uint32_t kind, uint32_t i)
{
    return ev->sizes[kind][0].sizes[i];
}

/* The run of 'piece' with this size. */
static const struct sf_eval_run *
run_of(const struct sf_eval_piece *piece, double size)
{
    uint32_t i = 0;
    while (piece->runs[i].size != size) {
        i++;
    }
    return &piece->runs[i];
}

/* The time of size number 'i'; 0 if a run did not end. */
static double
time_of(const struct sf_eval_sizes *sizes, const struct sf_eval_piece *piece,
        uint32_t i)
{
    if (sizes->hows[i] != SF_EVAL_BETWEEN &&
        sizes->hows[i] != SF_EVAL_BEYOND) {
        const struct sf_eval_run *run = run_of(piece, sizes->sizes[i]);
        return run->is_finished && !run->n_cycle ? run->time * piece->multiple
                                                 : 0;
    }
    const uint32_t *from = sizes->from[i];
    double x0 = sizes->sizes[from[0]], x1 = sizes->sizes[from[1]];
    double t0 = time_of(sizes, piece, from[0]);
    double t1 = time_of(sizes, piece, from[1]);
    double slope = fmax((t1 - t0) / (x1 - x0), 0);

    return t0 > 0 && t1 > 0 ? t1 + (sizes->sizes[i] - x1) * slope : 0;
}

/* Higher is better. */
static double
figure_of(const struct sf_eval_kind *kind, const struct sf_eval_piece *piece,
          double time)
{
    return kind->method == SF_EVAL_BY_RATE
               ? (time > 0 ? piece->runs[0].host_rate : 0)
           : time > 0 ? 1 / time
                      : 0;
}

struct sf_eval_cell
sf_evaluation_cell(const struct sf_evaluation *ev, uint32_t series,
                   struct sf_eval_at at)
{
    const struct sf_eval_kind *kind = &sf_eval_kinds[at.kind];
    const struct sf_eval_sizes *sizes = &ev->sizes[at.kind][at.node];
    struct sf_eval_cell cell = { .series = series };
    double sum = 0, squares = 0, times = 0;

    if (kind->method == SF_EVAL_BY_FLOW) {
        at.queues = SF_SIM_VOQ;
    }
    if (at.node >= ev->n_nodes[at.kind] || at.size >= sizes->n ||
        sizes->hows[at.size] == SF_EVAL_NONE) {
        return cell;
    }
    for (uint32_t i = 0; i < ev->params.n_seeds; i++) {
        uint32_t number = ev->piece_at[sf_eval_piece_slot(ev, series, at, i)];
        if (number != SF_NONE) {
            const struct sf_eval_piece *piece = &ev->pieces[number];
            double time = time_of(sizes, piece, at.size);
            double figure = figure_of(kind, piece, time);
            cell.n++;
            sum += figure;
            squares += figure * figure;
            times += time;
        }
    }
    if (cell.n) {
        cell.how = sizes->hows[at.size];
        cell.mean = sum / cell.n;
        cell.time = kind->method == SF_EVAL_BY_RATE ? 0 : times / cell.n;
        double over = squares - cell.n * cell.mean * cell.mean;
        cell.sd = cell.n > 1 ? sqrt(fmax(over, 0) / (cell.n - 1)) : 0;
    }
    return cell;
}

/* Whether a series is among those that a group is judged by. */
static bool
is_in_group(const struct sf_eval_series *series, enum sf_eval_group group)
{
    return series->group == group ||
           (series->group == SF_EVAL_MINIMAL &&
            (group == SF_EVAL_PAPER || group == SF_EVAL_OURS));
}

struct sf_eval_cell
sf_evaluation_best(const struct sf_evaluation *ev, uint32_t network,
                   enum sf_eval_group group, enum sf_eval_placement placement,
                   struct sf_eval_at at)
{
    struct sf_eval_cell best = { 0 };
    bool has_group = false;

    for (uint32_t i = 0; i < ev->n_series; i++) {
        const struct sf_eval_series *series = &ev->series[i];
        if (series->network != network || series->placement != placement ||
            !is_in_group(series, group)) {
            continue;
        }
        struct sf_eval_cell cell = sf_evaluation_cell(ev, i, at);
        has_group = has_group || (cell.n && series->group == group);
        if (cell.n && (!best.n || cell.mean > best.mean)) {
            best = cell;
        }
    }
    return has_group ? best : (struct sf_eval_cell){ 0 };
}

struct sf_eval_cell
sf_evaluation_reference(const struct sf_evaluation *ev,
                        enum sf_eval_placement placement, struct sf_eval_at at)
{
    placement = ev->params.is_paper ? SF_EVAL_LINEAR : placement;
    for (uint32_t g = SF_EVAL_DEFAULT; g <= SF_EVAL_MINIMAL; g++) {
        struct sf_eval_cell cell = sf_evaluation_best(ev, 0, g, placement, at);
        if (cell.n) {
            return cell;
        }
    }
    return (struct sf_eval_cell){ 0 };
}

double
sf_evaluation_gain(const struct sf_evaluation *ev,
                   const struct sf_eval_cell *cell,
                   const struct sf_eval_cell *than)
{
    if (!cell->n || !than->n || !(than->mean > 0)) {
        return (double)NAN;
    }
    double ratio = cell->mean / than->mean;
    if (ev->params.equal == SF_EVAL_EQUAL_COST) {
        ratio *= ev->networks[ev->series[than->series].network].cost /
                 ev->networks[ev->series[cell->series].network].cost;
    }
    return ratio - 1;
}

uint32_t
sf_evaluation_n_runs(const struct sf_evaluation *ev)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < ev->n_pieces; i++) {
        n += ev->pieces[i].n_runs;
    }
    return n;
}

uint32_t
sf_evaluation_n_deadlocks(const struct sf_evaluation *ev)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < ev->n_pieces; i++) {
        for (uint32_t k = 0; k < ev->pieces[i].n_runs; k++) {
            n += ev->pieces[i].runs[k].n_cycle > 0;
        }
    }
    return n;
}

void
sf_evaluation_run_facts(const struct sf_evaluation *ev, uint32_t i,
                        struct sf_eval_run_facts *facts)
{
    const struct sf_eval_piece *piece = ev->pieces;

    while (i >= piece->n_runs) {
        i -= piece->n_runs;
        piece++;
    }
    const struct sf_eval_series *series = &ev->series[piece->series];
    *facts = (struct sf_eval_run_facts){
        .network = &ev->networks[series->network],
        .series = series,
        .routing = piece->routing->scheme,
        .lanes = piece->routing->lanes,
        .n_vls = piece->routing->source.n_vls,
        .run = &piece->runs[i],
    };
    sf_eval_piece_params(ev, piece, i, &facts->params);
}
