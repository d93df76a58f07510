/* oracle.c -- see oracle.h.  Written to be read, not to be fast. */
#include "oracle/oracle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *
oracle_calloc(size_t n_items, size_t item_size)
{
    void *items = calloc(n_items ? n_items : 1, item_size);
    if (!items) {
        fputs("oracle: out of memory\n", stderr);
        abort();
    }
    return items;
}

/* Graphs. */

struct oracle_graph *
oracle_graph_make(uint32_t n, const struct sf_link *links, uint32_t n_links)
{
    struct oracle_graph *graph = oracle_calloc(1, sizeof *graph);

    graph->n = n;
    graph->n_links = n_links;
    graph->links = oracle_calloc(n_links, sizeof *graph->links);
    graph->degree = oracle_calloc(n, sizeof *graph->degree);
    graph->near = oracle_calloc(n, sizeof *graph->near);
    for (uint32_t l = 0; l < n_links; l++) {
        graph->links[l] = links[l];
        graph->degree[links[l].a]++;
        graph->degree[links[l].b]++;
    }
    for (uint32_t v = 0; v < n; v++) {
        graph->near[v] = oracle_calloc(graph->degree[v], sizeof(uint32_t));
        graph->degree[v] = 0;
    }
    for (uint32_t l = 0; l < n_links; l++) {
        uint32_t a = links[l].a, b = links[l].b;
        graph->near[a][graph->degree[a]++] = b;
        graph->near[b][graph->degree[b]++] = a;
    }
    return graph;
}

struct oracle_graph *
oracle_graph_of(const struct sf_graph *graph)
{
    return oracle_graph_make(graph->n_nodes, graph->links, graph->n_links);
}

void
oracle_graph_free(struct oracle_graph *graph)
{
    if (graph) {
        for (uint32_t v = 0; v < graph->n; v++) {
            free(graph->near[v]);
        }
        free(graph->near);
        free(graph->degree);
        free(graph->links);
        free(graph);
    }
}

uint32_t *
oracle_matrix(const struct oracle_graph *graph)
{
    size_t n = graph->n;
    uint32_t *matrix = oracle_calloc(n * n, sizeof *matrix);

    for (uint32_t l = 0; l < graph->n_links; l++) {
        matrix[graph->links[l].a * n + graph->links[l].b]++;
        matrix[graph->links[l].b * n + graph->links[l].a]++;
    }
    return matrix;
}

void
oracle_bfs(const struct oracle_graph *graph, uint32_t from, uint32_t *distance)
{
    uint32_t *queue = oracle_calloc(graph->n, sizeof *queue);
    uint32_t n_queued = 0;

    for (uint32_t v = 0; v < graph->n; v++) {
        distance[v] = SF_NONE;
    }
    distance[from] = 0;
    queue[n_queued++] = from;
    for (uint32_t i = 0; i < n_queued; i++) {
        uint32_t v = queue[i];
        for (uint32_t j = 0; j < graph->degree[v]; j++) {
            uint32_t w = graph->near[v][j];
            if (distance[w] == SF_NONE) {
                distance[w] = distance[v] + 1;
                queue[n_queued++] = w;
            }
        }
    }
    free(queue);
}

uint32_t *
oracle_floyd_warshall(const struct oracle_graph *graph)
{
    size_t n = graph->n;
    uint32_t *d = oracle_calloc(n * n, sizeof *d);

    for (size_t i = 0; i < n * n; i++) {
        d[i] = i / n == i % n ? 0 : SF_NONE;
    }
    for (uint32_t l = 0; l < graph->n_links; l++) {
        d[graph->links[l].a * n + graph->links[l].b] = 1;
        d[graph->links[l].b * n + graph->links[l].a] = 1;
    }
    for (size_t k = 0; k < n; k++) {
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < n; j++) {
                if (d[i * n + k] != SF_NONE && d[k * n + j] != SF_NONE &&
                    d[i * n + k] + d[k * n + j] < d[i * n + j]) {
                    d[i * n + j] = d[i * n + k] + d[k * n + j];
                }
            }
        }
    }
    return d;
}

struct oracle_distances *
oracle_distances(const struct oracle_graph *graph, const bool *member)
{
    struct oracle_distances *result = oracle_calloc(1, sizeof *result);
    uint32_t *distance = oracle_calloc(graph->n, sizeof *distance);
    bool connected = true;
    uint64_t n_pairs = 0;

    result->n_pairs = oracle_calloc(graph->n, sizeof *result->n_pairs);
    result->n_distances = 1;
    for (uint32_t v = 0; v < graph->n; v++) {
        if (member && !member[v]) {
            continue;
        }
        result->n_members++;
        oracle_bfs(graph, v, distance);
        for (uint32_t w = 0; w < graph->n; w++) {
            if (w == v || (member && !member[w])) {
                continue;
            }
            if (distance[w] == SF_NONE) {
                connected = false;
                continue;
            }
            n_pairs++;
            result->sum += distance[w];
            result->n_pairs[distance[w]]++;
            if (distance[w] + 1 > result->n_distances) {
                result->n_distances = distance[w] + 1;
            }
        }
    }
    result->diameter = connected ? result->n_distances - 1 : SF_NONE;
    result->average = connected && n_pairs
                          ? (double)result->sum / (double)n_pairs
                          : (double)NAN;
    free(distance);
    return result;
}

void
oracle_distances_free(struct oracle_distances *distances)
{
    if (distances) {
        free(distances->n_pairs);
        free(distances);
    }
}

uint32_t
oracle_diameter(const struct oracle_graph *graph)
{
    struct oracle_distances *distances = oracle_distances(graph, NULL);
    uint32_t diameter = distances->diameter;
    oracle_distances_free(distances);
    return diameter;
}

uint32_t
oracle_girth(const struct oracle_graph *graph)
{
    uint32_t *distance = oracle_calloc(graph->n, sizeof *distance);
    struct sf_link *rest = oracle_calloc(graph->n_links, sizeof *rest);
    uint32_t girth = SF_NONE;

    for (uint32_t l = 0; l < graph->n_links; l++) {
        uint32_t n_rest = 0;
        for (uint32_t m = 0; m < graph->n_links; m++) {
            if (m != l) {
                rest[n_rest++] = graph->links[m];
            }
        }

        struct oracle_graph *without =
            oracle_graph_make(graph->n, rest, n_rest);
        oracle_bfs(without, graph->links[l].a, distance);
        oracle_graph_free(without);

        uint32_t way = distance[graph->links[l].b];
        if (way != SF_NONE && way + 1 < girth) {
            girth = way + 1;
        }
    }
    free(rest);
    free(distance);
    return girth;
}

uint32_t
oracle_n_parts(const struct oracle_graph *graph)
{
    uint32_t *part = oracle_calloc(graph->n, sizeof *part);
    uint32_t n_parts = graph->n;

    for (uint32_t v = 0; v < graph->n; v++) {
        part[v] = v;
    }
    for (uint32_t l = 0; l < graph->n_links; l++) {
        uint32_t from = part[graph->links[l].a], to = part[graph->links[l].b];
        if (from != to) {
            n_parts--;
            for (uint32_t v = 0; v < graph->n; v++) {
                part[v] = part[v] == from ? to : part[v];
            }
        }
    }
    free(part);
    return n_parts;
}

/* Isomorphism: give nodes colours that count their neighbours' colours until
 * nothing changes; where nodes share a colour, single one out and go on, in
 * 'b' with each candidate in turn. */

struct colouring {
    uint32_t n;
    const struct oracle_graph *graph[2];
    uint32_t *colour[2]; /* [n] */
};

/* A node's colour and those of its neighbours, sorted. */
struct signature {
    uint32_t which, node, length;
    uint32_t *values;
};

static int
compare_numbers(const void *a_, const void *b_)
{
    const uint32_t *a = a_, *b = b_;
    return *a < *b ? -1 : *a > *b;
}

static int
compare_signatures(const void *a_, const void *b_)
{
    const struct signature *a = a_, *b = b_;

    if (a->length != b->length) {
        return a->length < b->length ? -1 : 1;
    }
    for (uint32_t i = 0; i < a->length; i++) {
        if (a->values[i] != b->values[i]) {
            return a->values[i] < b->values[i] ? -1 : 1;
        }
    }
    return 0;
}

/* One round for both graphs, so that equal colours mean the same in both.
 * Returns the number of colours, 0 if the graphs use them unequally often. */
static uint32_t
recolour(struct colouring *c)
{
    uint32_t n = c->n, n_colours = 0;
    bool equal = true;
    struct signature *signatures = oracle_calloc(2 * n, sizeof *signatures);

    for (uint32_t i = 0; i < 2 * n; i++) {
        struct signature *s = &signatures[i];
        s->which = i / n;
        s->node = i % n;
        const struct oracle_graph *graph = c->graph[s->which];
        uint32_t degree = graph->degree[s->node];
        s->length = degree + 1;
        s->values = oracle_calloc(s->length, sizeof *s->values);
        s->values[0] = c->colour[s->which][s->node];
        for (uint32_t j = 0; j < degree; j++) {
            s->values[j + 1] = c->colour[s->which][graph->near[s->node][j]];
        }
        qsort(s->values + 1, degree, sizeof *s->values, compare_numbers);
    }
    qsort(signatures, 2 * n, sizeof *signatures, compare_signatures);
    for (uint32_t i = 0, j; i < 2 * n; i = j) {
        uint32_t n_of[2] = { 0, 0 };
        for (j = i; j < 2 * n &&
                    compare_signatures(&signatures[i], &signatures[j]) == 0;
             j++) {
            n_of[signatures[j].which]++;
            c->colour[signatures[j].which][signatures[j].node] = n_colours;
        }
        equal = equal && n_of[0] == n_of[1];
        n_colours++;
    }
    for (uint32_t i = 0; i < 2 * n; i++) {
        free(signatures[i].values);
    }
    free(signatures);
    return equal ? n_colours : 0;
}

static bool
same_by_colours(const struct colouring *c)
{
    uint32_t n = c->n;
    uint32_t *node[2];
    uint32_t *matrix[2];
    bool same = true;

    for (int i = 0; i < 2; i++) {
        matrix[i] = oracle_matrix(c->graph[i]);
        node[i] = oracle_calloc(n, sizeof *node[i]);
        for (uint32_t v = 0; v < n; v++) {
            node[i][c->colour[i][v]] = v;
        }
    }
    for (uint32_t v = 0; v < n; v++) {
        for (uint32_t w = 0; w < n; w++) {
            same = same && matrix[0][(size_t)node[0][v] * n + node[0][w]] ==
                               matrix[1][(size_t)node[1][v] * n + node[1][w]];
        }
    }
    for (int i = 0; i < 2; i++) {
        free(matrix[i]);
        free(node[i]);
    }
    return same;
}

static bool
match_colours(struct colouring *c)
{
    uint32_t n = c->n, n_colours = 0, before, single = SF_NONE;
    bool found = false;

    do {
        before = n_colours;
        n_colours = recolour(c);
        if (!n_colours) {
            return false;
        }
    } while (n_colours != before);
    if (n_colours == n) {
        return same_by_colours(c);
    }

    for (uint32_t v = 0; v < n && single == SF_NONE; v++) {
        for (uint32_t w = 0; w < v; w++) {
            if (c->colour[0][v] == c->colour[0][w]) {
                single = v;
            }
        }
    }
    for (uint32_t w = 0; w < n && !found; w++) {
        if (c->colour[1][w] == c->colour[0][single]) {
            struct colouring next = *c;
            for (int i = 0; i < 2; i++) {
                next.colour[i] = oracle_calloc(n, sizeof *next.colour[i]);
                memcpy(next.colour[i], c->colour[i],
                       n * sizeof *next.colour[i]);
            }
            next.colour[0][single] = next.colour[1][w] = n;
            found = match_colours(&next);
            free(next.colour[0]);
            free(next.colour[1]);
        }
    }
    return found;
}

bool
oracle_isomorphic(const struct oracle_graph *a, const struct oracle_graph *b)
{
    if (a->n != b->n || a->n_links != b->n_links) {
        return false;
    }

    struct colouring c = { a->n, { a, b }, { NULL, NULL } };
    c.colour[0] = oracle_calloc(a->n, sizeof *c.colour[0]);
    c.colour[1] = oracle_calloc(a->n, sizeof *c.colour[1]);
    bool same = a->n == 0 || match_colours(&c);
    free(c.colour[0]);
    free(c.colour[1]);
    return same;
}

/* Fields. */

bool
oracle_is_prime_power(uint32_t n, uint32_t *pp, uint32_t *kp)
{
    uint32_t p = 2, k = 0;

    if (n < 2) {
        return false;
    }
    /* The smallest divisor is prime; nothing else may divide. */
    while (n % p != 0) {
        p++;
    }
    while (n % p == 0) {
        n /= p;
        k++;
    }
    *pp = p;
    *kp = k;
    return n == 1;
}

/* The coefficients of 'a', which fit as no field here has 2^20 elements. */
#define MAX_DIGITS 20

static void
to_digits(const struct oracle_field *field, uint32_t a, uint32_t *digits)
{
    for (uint32_t i = 0; i < field->k; i++) {
        digits[i] = a % field->p;
        a /= field->p;
    }
}

static uint32_t
from_digits(const struct oracle_field *field, const uint32_t *digits)
{
    uint32_t a = 0;
    for (uint32_t i = field->k; i > 0; i--) {
        a = a * field->p + digits[i - 1];
    }
    return a;
}

uint32_t
oracle_add(const struct oracle_field *field, uint32_t a, uint32_t b)
{
    uint32_t x[MAX_DIGITS], y[MAX_DIGITS];

    to_digits(field, a, x);
    to_digits(field, b, y);
    for (uint32_t i = 0; i < field->k; i++) {
        x[i] = (x[i] + y[i]) % field->p;
    }
    return from_digits(field, x);
}

uint32_t
oracle_sub(const struct oracle_field *field, uint32_t a, uint32_t b)
{
    uint32_t x[MAX_DIGITS], y[MAX_DIGITS];

    to_digits(field, a, x);
    to_digits(field, b, y);
    for (uint32_t i = 0; i < field->k; i++) {
        x[i] = (x[i] + field->p - y[i]) % field->p;
    }
    return from_digits(field, x);
}

uint32_t
oracle_mul(const struct oracle_field *field, uint32_t a, uint32_t b)
{
    uint32_t x[MAX_DIGITS], y[MAX_DIGITS], t[MAX_DIGITS];
    uint32_t product[2 * MAX_DIGITS] = { 0 };
    uint32_t p = field->p, k = field->k;

    to_digits(field, a, x);
    to_digits(field, b, y);
    to_digits(field, field->t, t);
    for (uint32_t i = 0; i < k; i++) {
        for (uint32_t j = 0; j < k; j++) {
            product[i + j] = (product[i + j] + x[i] * y[j]) % p;
        }
    }
    /* x^i = t x^(i - k), from the highest power down. */
    for (uint32_t i = 2 * k - 2; k > 1 && i >= k; i--) {
        for (uint32_t j = 0; j < k; j++) {
            product[i - k + j] = (product[i - k + j] + product[i] * t[j]) % p;
        }
    }
    return from_digits(field, product);
}

/* How many powers 'a' has before they repeat or vanish; q - 1 for exactly
 * those elements that generate all the others. */
static uint32_t
n_powers(const struct oracle_field *field, uint32_t a)
{
    bool *seen = oracle_calloc(field->q, sizeof *seen);
    uint32_t n = 0;

    for (uint32_t power = a; power != 0 && !seen[power];
         power = oracle_mul(field, power, a)) {
        seen[power] = true;
        n++;
    }
    free(seen);
    return n;
}

bool
oracle_field_make(uint32_t q, struct oracle_field *field)
{
    field->q = q;
    field->t = 0;
    if (!oracle_is_prime_power(q, &field->p, &field->k)) {
        return false;
    }
    if (field->k > 1) {
        /* If x has q - 1 powers, all elements but 0 can be inverted, so that
         * x^k - t needs no other proof of being irreducible. */
        for (field->t = 1; n_powers(field, field->p) != q - 1; field->t++) {
            continue;
        }
    }
    for (field->primitive = 1; n_powers(field, field->primitive) != q - 1;
         field->primitive++) {
        continue;
    }
    return true;
}

/* Topologies. */

/* Marks the powers of the primitive element from 'from' to 'to', each second
 * one. */
static void
mark_powers(const struct oracle_field *field, uint32_t from, uint32_t to,
            bool *set)
{
    uint32_t power = 1;

    for (uint32_t e = 0; e <= to; e++) {
        if (e >= from && (e - from) % 2 == 0) {
            set[power] = true;
        }
        power = oracle_mul(field, power, field->primitive);
    }
}

struct oracle_graph *
oracle_mms(uint32_t q)
{
    struct oracle_field field;
    uint32_t n = 2 * q * q, n_links = 0;

    if (!oracle_field_make(q, &field)) {
        return NULL;
    }

    bool *x = oracle_calloc(q, sizeof *x);
    bool *x1 = oracle_calloc(q, sizeof *x1);
    switch (q % 4) {
    case 1: /* q = 4w + 1: even powers, odd powers. */
        mark_powers(&field, 0, q - 3, x);
        mark_powers(&field, 1, q - 2, x1);
        break;
    case 0: /* q = 4w */
        mark_powers(&field, 0, q - 2, x);
        mark_powers(&field, 1, q - 1, x1);
        break;
    case 3: { /* q = 4w - 1 */
        uint32_t w = (q + 1) / 4;
        mark_powers(&field, 0, 2 * w - 2, x);
        mark_powers(&field, 2 * w - 1, 4 * w - 3, x);
        mark_powers(&field, 1, 2 * w - 1, x1);
        mark_powers(&field, 2 * w, 4 * w - 2, x1);
        break;
    }
    default:
        break;
    }

    struct sf_link *links =
        oracle_calloc((size_t)n * (n - 1) / 2, sizeof *links);
    for (uint32_t a = 0; a < n; a++) {
        for (uint32_t b = a + 1; b < n; b++) {
            uint32_t s = a / (q * q), r = a / q % q, i = a % q;
            uint32_t s1 = b / (q * q), r1 = b / q % q, i1 = b % q;
            uint32_t difference = oracle_sub(&field, i, i1);
            bool linked;
            if (s == s1) {
                linked = r == r1 && (s == 0 ? x : x1)[difference];
            } else {
                /* a = (0, x, y) and b = (1, m, c): y = m x + c. */
                linked =
                    i == oracle_add(&field, oracle_mul(&field, r1, r), i1);
            }
            if (linked) {
                links[n_links++] = (struct sf_link){ a, b };
            }
        }
    }

    struct oracle_graph *graph = oracle_graph_make(n, links, n_links);
    free(links);
    free(x1);
    free(x);
    return graph;
}

struct oracle_graph *
oracle_polarfly(uint32_t q)
{
    struct oracle_field field;
    uint32_t n = 0, n_links = 0;

    if (!oracle_field_make(q, &field)) {
        return NULL;
    }

    /* Of the vectors that are multiples of each other, the one whose first
     * number other than 0 is 1. */
    uint32_t(*points)[3] =
        oracle_calloc((size_t)q * q + q + 1, sizeof *points);
    for (uint32_t v = 1; v < q * q * q; v++) {
        uint32_t point[3] = { v / (q * q), v / q % q, v % q };
        uint32_t first = point[0] ? point[0] : point[1] ? point[1] : point[2];
        if (first == 1) {
            memcpy(points[n++], point, sizeof point);
        }
    }

    struct sf_link *links =
        oracle_calloc((size_t)n * (n - 1) / 2, sizeof *links);
    for (uint32_t a = 0; a < n; a++) {
        for (uint32_t b = a + 1; b < n; b++) {
            uint32_t product = 0;
            for (int i = 0; i < 3; i++) {
                product =
                    oracle_add(&field, product,
                               oracle_mul(&field, points[a][i], points[b][i]));
            }
            if (product == 0) {
                links[n_links++] = (struct sf_link){ a, b };
            }
        }
    }

    struct oracle_graph *graph = oracle_graph_make(n, links, n_links);
    free(links);
    free(points);
    return graph;
}

/* Checks of structure. */

/* The links between each two switches. */
static uint32_t *
matrix_of(const struct sf_topology *topo)
{
    struct oracle_graph *graph = oracle_graph_of(topo->graph);
    uint32_t *matrix = oracle_matrix(graph);
    oracle_graph_free(graph);
    return matrix;
}

const char *
oracle_check_hyperx(const struct sf_topology *topo, uint32_t rows,
                    uint32_t columns, uint32_t n_parallel)
{
    uint32_t n = topo->graph->n_nodes;
    const char *wrong = NULL;

    if (n != rows * columns || topo->n_coords != 2) {
        return "not rows times columns";
    }

    uint32_t *matrix = matrix_of(topo);
    for (uint32_t a = 0; a < n && !wrong; a++) {
        const uint32_t *place = sf_topology_place(topo, a);
        if (place[0] >= rows || place[1] >= columns) {
            wrong = "a place outside";
        }
        for (uint32_t b = 0; b < n && !wrong; b++) {
            const uint32_t *other = sf_topology_place(topo, b);
            bool row = place[0] == other[0], column = place[1] == other[1];
            if (a != b && row && column) {
                wrong = "two switches at one place";
            } else if (matrix[(size_t)a * n + b] !=
                       (row != column ? n_parallel : 0)) {
                wrong = "a link too few or too many";
            }
        }
    }
    free(matrix);
    return wrong;
}

const char *
oracle_check_fat_tree2(const struct sf_topology *topo, uint32_t n_leaf,
                       uint32_t n_core, uint32_t up, uint32_t p)
{
    uint32_t n = topo->graph->n_nodes, n_leaves = 0;
    uint32_t level = topo->family->level_coord;
    uint32_t levels[2] = { SF_NONE, SF_NONE };
    const char *wrong = NULL;

    if (n != n_leaf + n_core) {
        return "not as many switches";
    }
    for (uint32_t v = 0; v < n; v++) {
        bool leaf = topo->n_hosts[v] > 0;
        n_leaves += leaf;
        if (leaf && topo->n_hosts[v] != p) {
            return "a leaf with other hosts";
        }
        uint32_t here = sf_topology_place(topo, v)[level];
        if (levels[leaf] == SF_NONE) {
            levels[leaf] = here;
        }
        if (levels[leaf] != here || levels[!leaf] == here) {
            return "levels are not leaf and core";
        }
    }
    if (n_leaves != n_leaf) {
        return "not as many leaves";
    }

    uint32_t *matrix = matrix_of(topo);
    for (uint32_t a = 0; a < n && !wrong; a++) {
        for (uint32_t b = 0; b < n && !wrong; b++) {
            bool across = (topo->n_hosts[a] > 0) != (topo->n_hosts[b] > 0);
            if (matrix[(size_t)a * n + b] != (across ? up : 0)) {
                wrong = "not 'up' links from each leaf to each core";
            }
        }
    }
    free(matrix);
    return wrong;
}

const char *
oracle_check_fat_tree3(const struct sf_topology *topo, uint32_t ports)
{
    uint32_t n = topo->graph->n_nodes, half = ports / 2;
    uint32_t level = topo->family->level_coord;
    uint32_t group = topo->family->group_coord;
    uint32_t edge_level = SF_NONE, middle = SF_NONE;
    const char *wrong = NULL;

    if (n != ports * ports + half * half || level == SF_NONE ||
        group == SF_NONE) {
        return "not as many switches, or no levels, or no pods";
    }
    for (uint32_t v = 0; v < n; v++) {
        if (topo->n_hosts[v] > 0) {
            edge_level = sf_topology_place(topo, v)[level];
            break;
        }
    }
    for (uint32_t l = 0; l < topo->graph->n_links; l++) {
        uint32_t a = topo->graph->links[l].a, b = topo->graph->links[l].b;
        uint32_t at = sf_topology_place(topo, a)[level];
        uint32_t bt = sf_topology_place(topo, b)[level];
        if (at == edge_level || bt == edge_level) {
            middle = at == edge_level ? bt : at;
            break;
        }
    }

    uint32_t *matrix = matrix_of(topo);
    uint32_t n_of[3] = { 0, 0, 0 };
    for (uint32_t a = 0; a < n && !wrong; a++) {
        const uint32_t *place = sf_topology_place(topo, a);
        bool edge = place[level] == edge_level, mid = place[level] == middle;
        uint32_t n_up = 0;
        uint32_t *n_to_pod = oracle_calloc(ports, sizeof *n_to_pod);

        n_of[edge ? 0 : mid ? 1 : 2]++;
        if (topo->n_hosts[a] != (edge ? half : 0)) {
            wrong = "hosts not where they belong";
        } else if ((edge || mid) && place[group] >= ports) {
            wrong = "a pod too many";
        }
        for (uint32_t b = 0; b < n && !wrong; b++) {
            const uint32_t *other = sf_topology_place(topo, b);
            bool edge1 = other[level] == edge_level;
            bool mid1 = other[level] == middle;
            uint32_t n_links = matrix[(size_t)a * n + b];
            if ((edge && mid1) || (mid && edge1)) {
                if (n_links != (place[group] == other[group])) {
                    wrong = "edge and aggregation are not joined by pods";
                }
            } else if (mid && !edge1 && !mid1) {
                n_up += n_links;
            } else if (!edge && !mid && mid1) {
                n_to_pod[other[group]] += n_links;
            } else if (n_links) {
                wrong = "a link between levels that are not neighbours";
            }
        }
        if (!wrong && mid && n_up != half) {
            wrong = "an aggregation switch without half its ports up";
        }
        for (uint32_t pod = 0; pod < ports && !wrong; pod++) {
            if (!edge && !mid && n_to_pod[pod] != 1) {
                wrong = "a core switch without one link to each pod";
            }
        }
        free(n_to_pod);
    }
    if (!wrong && (n_of[0] != ports * half || n_of[1] != ports * half ||
                   n_of[2] != half * half)) {
        wrong = "not as many switches at each level";
    }
    free(matrix);
    return wrong;
}

const char *
oracle_check_dragonfly(const struct sf_topology *topo, uint32_t a, uint32_t h,
                       uint32_t g)
{
    uint32_t n = topo->graph->n_nodes;
    uint32_t group = topo->family->group_coord;
    bool odd = a * h % 2 && g % 2;
    uint32_t total_free = 0;
    const char *wrong = NULL;

    if (n != a * g || group == SF_NONE) {
        return "not a times g switches, or no groups";
    }

    uint32_t *matrix = matrix_of(topo);
    uint32_t *shared = oracle_calloc((size_t)g * g, sizeof *shared);
    uint32_t *n_in = oracle_calloc(g, sizeof *n_in);
    uint32_t *n_free = oracle_calloc(g, sizeof *n_free);
    for (uint32_t v = 0; v < n && !wrong; v++) {
        uint32_t here = sf_topology_place(topo, v)[group], n_global = 0;
        if (here >= g) {
            wrong = "a group too many";
            break;
        }
        n_in[here]++;
        for (uint32_t w = 0; w < n && !wrong; w++) {
            uint32_t there = sf_topology_place(topo, w)[group];
            uint32_t n_links = matrix[(size_t)v * n + w];
            if (there >= g) {
                wrong = "a group too many";
            } else if (here == there) {
                if (n_links != (v != w)) {
                    wrong = "a group that is not complete";
                }
            } else {
                n_global += n_links;
                shared[(size_t)here * g + there] += n_links;
            }
        }
        if (n_global > h) {
            wrong = "more than h links to other groups";
        } else {
            n_free[here] += h - n_global;
            total_free += h - n_global;
        }
    }
    for (uint32_t i = 0; i < g && !wrong; i++) {
        if (n_in[i] != a) {
            wrong = "a group without a switches";
        } else if (n_free[i] > 1) {
            wrong = "more than one free port in a group";
        }
        for (uint32_t j = 0; j < g && !wrong; j++) {
            uint32_t fewest = a * h / (g - 1);
            uint32_t between = shared[(size_t)i * g + j];
            if (i != j && (between < fewest ||
                           between > fewest + (a * h % (g - 1) != 0))) {
                wrong = "links to other groups are not spread evenly";
            }
        }
    }
    if (!wrong && total_free > 0 && !odd) {
        wrong = "free ports that could be joined";
    }
    free(n_free);
    free(n_in);
    free(shared);
    free(matrix);
    return wrong;
}

const char *
oracle_check_xpander(const struct sf_topology *topo, uint32_t k, uint32_t lift)
{
    uint32_t n = topo->graph->n_nodes;
    const char *wrong = NULL;

    if (n != (k + 1) * lift) {
        return "not k + 1 times lift switches";
    }

    uint32_t *matrix = matrix_of(topo);
    uint32_t *n_in = oracle_calloc(k + 1, sizeof *n_in);
    uint32_t *n_to = oracle_calloc(k + 1, sizeof *n_to);
    for (uint32_t v = 0; v < n && !wrong; v++) {
        uint32_t here = sf_topology_place(topo, v)[0];
        if (here > k) {
            wrong = "a metanode too many";
            break;
        }
        n_in[here]++;
        memset(n_to, 0, (k + 1) * sizeof *n_to);
        for (uint32_t w = 0; w < n; w++) {
            uint32_t there = sf_topology_place(topo, w)[0];
            if (there <= k) {
                n_to[there] += matrix[(size_t)v * n + w];
            }
        }
        for (uint32_t m = 0; m <= k; m++) {
            if (n_to[m] != (m != here)) {
                wrong = "not one link to each other metanode";
            }
        }
    }
    for (uint32_t m = 0; m <= k && !wrong; m++) {
        if (n_in[m] != lift) {
            wrong = "a metanode without 'lift' switches";
        }
    }
    free(n_to);
    free(n_in);
    free(matrix);
    return wrong;
}
