#include "design/bisection.h"

#include "base/mem.h"
#include "design/swaps.h"
#include "slimfly/random.h"

#include <math.h>
#include <string.h>

#define MAX_STEPS    100   /* Of Lanczos; few distinct eigenvalues need few. */
#define MAX_SPECTRAL 20000 /* Switches, */
#define MAX_SWAPPED  4096  /* and where swaps take no more than a moment. */
#define SETTLED      1e-9

/* A switch and the numbers that it is sorted by. */
struct sort_key {
    uint32_t number[SF_MAX_COORDS + 1];
};

static int
compare_keys(const void *a, const void *b)
{
    const struct sort_key *x = a, *y = b;

    for (int i = 0; i <= SF_MAX_COORDS; i++) {
        if (x->number[i] != y->number[i]) {
            return x->number[i] < y->number[i] ? -1 : 1;
        }
    }
    return 0;
}

/* Sorts the switches with hosts by place, 'first' number first. */
static uint32_t
sort_switches(const struct sf_topology *topo, uint32_t first,
              struct sort_key *keys)
{
    uint32_t n = 0;

    for (uint32_t s = 0; s < topo->graph->n_nodes; s++) {
        if (!topo->n_hosts[s]) {
            continue;
        }
        struct sort_key key = { { 0 } };
        for (uint32_t i = 0; i < topo->n_coords; i++) {
            uint32_t coord = i == 0 ? first : i <= first ? i - 1 : i;
            key.number[i] = sf_topology_place(topo, s)[coord];
        }
        key.number[SF_MAX_COORDS] = s;
        keys[n++] = key;
    }
    qsort(keys, n, sizeof *keys, compare_keys);
    return n;
}

/* Puts each switch without hosts, where 'side' is 0, to the side on which more
 * of its neighbours are.  The second round counts neighbours that the first
 * one placed later. */
static void
place_hostless(const struct sf_topology *topo, int8_t *side)
{
    const struct sf_graph *graph = topo->graph;

    for (int round = 0; round < 2; round++) {
        for (uint32_t s = 0; s < graph->n_nodes; s++) {
            int balance = 0;
            if (topo->n_hosts[s]) {
                continue;
            }
            for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
                balance += side[graph->arcs[i].to];
            }
            side[s] = balance < 0 ? -1 : 1;
        }
    }
}

static uint32_t
count_cut(const struct sf_graph *graph, const int8_t *side)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < graph->n_links; i++) {
        n += side[graph->links[i].a] != side[graph->links[i].b];
    }
    return n;
}

static enum sf_status
find_cut(const struct sf_topology *topo, uint32_t *at_mostp,
         struct sf_error *err)
{
    uint32_t n = topo->graph->n_nodes;
    struct sort_key *keys = sf_calloc(n, sizeof *keys);
    int8_t *side = sf_calloc(n, sizeof *side);
    enum sf_status status = SF_OK;

    *at_mostp = topo->graph->n_links;
    if (!keys || !side) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for the bisection");
    }
    for (uint32_t first = 0; first < topo->n_coords && status == SF_OK;
         first++) {
        uint32_t n_hosting = sort_switches(topo, first, keys);
        memset(side, 0, n * sizeof *side);
        for (uint32_t i = 0; i < n_hosting; i++) {
            side[keys[i].number[SF_MAX_COORDS]] = i < n_hosting / 2 ? -1 : 1;
        }
        place_hostless(topo, side);
        if (n_hosting == n && n <= MAX_SWAPPED) {
            status = sf_swaps_improve(topo->graph, side, err);
        }
        uint32_t cut = count_cut(topo->graph, side);
        *at_mostp = cut < *at_mostp ? cut : *at_mostp;
    }
    free(side);
    free(keys);
    return status;
}

/* The Lanczos process: an orthonormal basis in which the Laplacian becomes
 * tridiagonal. */
struct lanczos {
    const struct sf_graph *graph;
    uint32_t n_steps;
    double *basis; /* [MAX_STEPS][n] */
    double diagonal[MAX_STEPS], beside[MAX_STEPS];
};

static double
dot(const double *x, const double *y, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

/* Takes out of 'x' what lies along the constant vector, whose eigenvalue is 0,
 * and along the basis so far. */
static void
orthogonalize(const struct lanczos *lanczos, double *x)
{
    uint32_t n = lanczos->graph->n_nodes;
    double mean = 0;

    for (uint32_t i = 0; i < n; i++) {
        mean += x[i] / n;
    }
    for (uint32_t i = 0; i < n; i++) {
        x[i] -= mean;
    }
    for (uint32_t step = 0; step < lanczos->n_steps; step++) {
        const double *basis = lanczos->basis + (size_t)step * n;
        double along = dot(basis, x, n);
        for (uint32_t i = 0; i < n; i++) {
            x[i] -= along * basis[i];
        }
    }
}

/* y = (D - A) x */
static void
apply_laplacian(const struct sf_graph *graph, const double *x, double *y)
{
    for (uint32_t v = 0; v < graph->n_nodes; v++) {
        double sum = 0;
        for (uint32_t i = graph->first[v]; i < graph->first[v + 1]; i++) {
            sum += x[v] - x[graph->arcs[i].to];
        }
        y[v] = sum;
    }
}

/* Makes the basis, beginning with 'x', which has room for a vector. */
static void
run_lanczos(struct lanczos *lanczos, double *x)
{
    uint32_t n = lanczos->graph->n_nodes;

    orthogonalize(lanczos, x);
    double length = sqrt(dot(x, x, n));
    while (lanczos->n_steps < MAX_STEPS && length > SETTLED) {
        uint32_t step = lanczos->n_steps;
        double *basis = lanczos->basis + (size_t)step * n;
        for (uint32_t i = 0; i < n; i++) {
            basis[i] = x[i] / length;
        }
        apply_laplacian(lanczos->graph, basis, x);
        lanczos->diagonal[step] = dot(basis, x, n);
        lanczos->n_steps++;
        /* Once more against what rounding left of the first time. */
        orthogonalize(lanczos, x);
        orthogonalize(lanczos, x);
        length = sqrt(dot(x, x, n));
        lanczos->beside[step] = length;
    }
}

/* How many eigenvalues of the tridiagonal matrix are below 'x': the signs of
 * Sturm's sequence. */
static uint32_t
count_below(const struct lanczos *lanczos, double x)
{
    uint32_t n = 0;
    double pivot = 1;

    for (uint32_t i = 0; i < lanczos->n_steps; i++) {
        double beside = i ? lanczos->beside[i - 1] : 0;
        pivot = lanczos->diagonal[i] - x - beside * beside / pivot;
        if (fabs(pivot) < 1e-300) {
            pivot = -1e-300;
        }
        n += pivot < 0;
    }
    return n;
}

static double
smallest_eigenvalue(const struct lanczos *lanczos)
{
    double low = 0, high = lanczos->diagonal[0];

    for (uint32_t i = 0; i < lanczos->n_steps; i++) {
        high = fmax(high, lanczos->diagonal[i]);
    }
    for (int i = 0; i < 100; i++) {
        double middle = (low + high) / 2;
        if (count_below(lanczos, middle) > 0) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return low;
}

/* The spectral bound; 'topo' has at least two switches, all with hosts. */
static enum sf_status
bound_by_spectrum(const struct sf_topology *topo, double *at_leastp,
                  struct sf_error *err)
{
    uint32_t n = topo->graph->n_nodes;
    struct lanczos *lanczos = sf_calloc(1, sizeof *lanczos);
    double *basis = sf_calloc((size_t)MAX_STEPS * n, sizeof *basis);
    double *x = sf_calloc(n, sizeof *x);
    enum sf_status status = SF_OK;

    if (!lanczos || !basis || !x) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for the bisection");
        goto done;
    }
    struct sf_random random;
    sf_random_init(&random, 1, 0);
    for (uint32_t i = 0; i < n; i++) {
        x[i] = (double)sf_random_below(&random, 1 << 20);
    }
    lanczos->graph = topo->graph;
    lanczos->basis = basis;
    run_lanczos(lanczos, x);
    uint32_t half = n / 2;
    *at_leastp = smallest_eigenvalue(lanczos) * half * (n - half) / (double)n;

done:
    free(x);
    free(basis);
    free(lanczos);
    return status;
}

enum sf_status
sf_bisection_bound(const struct sf_topology *topo, struct bisection *bisection,
                   struct sf_error *err)
{
    uint32_t n = topo->graph->n_nodes, n_hosting = 0;

    *bisection = (struct bisection){ .at_least = (double)NAN };
    enum sf_status status = find_cut(topo, &bisection->at_most, err);
    if (status != SF_OK) {
        return status;
    }
    for (uint32_t s = 0; s < n; s++) {
        n_hosting += topo->n_hosts[s] > 0;
    }
    bisection->n_half = n_hosting / 2 * sf_topology_concentration(topo);
    if (n_hosting == n && n > 1 && n <= MAX_SPECTRAL) {
        return bound_by_spectrum(topo, &bisection->at_least, err);
    }
    if (topo->family->level_coord == 0 && topo->n_coords == 2) {
        /* Whichever leaves make a half and wherever a core goes, the links of
         * the core to the smaller half cross. */
        bisection->at_least = bisection->at_most;
    }
    return SF_OK;
}
