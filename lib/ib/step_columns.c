/* step_columns.c -- the LIDs of a fabric by columns: those of one switch that
 * have the same entries everywhere, before and after a change. */
#define _GNU_SOURCE
#include "ib/stepper.h"
#include "slimfly/ib_addresses.h"

#include <string.h>

static enum sf_status
add_lids(struct stepper *stepper, uint32_t lid, uint32_t lmc, uint32_t s,
         uint32_t port)
{
    for (uint32_t k = 0; lid && k < 1u << lmc; k++) {
        if (lid + k > stepper->after->tables->max_lid) {
            return sf_fail(stepper->err, SF_EINVAL,
                           "the tables end before LID %u of the fabric",
                           lid + k);
        }
        stepper->homes[lid + k] = s;
        stepper->home_ports[lid + k] = (uint8_t)port;
    }
    return SF_OK;
}

static enum sf_status
find_homes(struct stepper *stepper)
{
    const struct sf_fabric *fabric = stepper->fabric;
    enum sf_status status = SF_OK;

    memset(stepper->homes, 0xff,
           ((size_t)stepper->after->tables->max_lid + 1) *
               sizeof *stepper->homes);
    for (uint32_t s = 0; status == SF_OK && s < fabric->n_switches; s++) {
        const struct sf_node *node = &fabric->nodes[s];
        const struct sf_ib_node *own = sf_ib_node(fabric, s);
        status = add_lids(stepper, own->lid, own->lmc, s, 0);
        for (uint32_t i = 0; status == SF_OK && i < node->n_ports; i++) {
            uint32_t peer = fabric->ports[node->first_port + i].peer;
            if (peer != SF_NONE &&
                fabric->ports[peer].node >= fabric->n_switches) {
                const struct sf_ib_port *port = sf_ib_port(fabric, peer);
                stepper->has_hosts[s] = true;
                status = add_lids(stepper, port->lid, port->lmc, s, i + 1);
            }
        }
    }
    return status;
}

/* The entries for 'lid', the right one at home as 0. */
static void
read_column(const struct stepper *stepper, const struct sf_tables *tables,
            uint32_t lid, uint8_t *entries)
{
    uint32_t home = stepper->homes[lid];

    for (uint32_t s = 0; s < stepper->fabric->n_switches; s++) {
        entries[s] = sf_tables_of(tables, s)[lid];
    }
    if (entries[home] == stepper->home_ports[lid]) {
        entries[home] = 0;
    }
}

/* Whether the SLs of paths to 'a' and to 'b' are the same on one side. */
static bool
has_same_sls(const struct stepper *stepper, const struct sf_path_sls *path_sls,
             uint32_t a, uint32_t b)
{
    if (stepper->ignores_sls || !path_sls) {
        return true;
    }
    for (uint32_t s = 0; s < stepper->fabric->n_switches; s++) {
        const uint8_t *sls = sf_path_sls_of(path_sls, s);
        if (sls[a] != sls[b]) {
            return false;
        }
    }
    return true;
}

/* Whether 'lid', whose old and new entries are 'entries' [2 * n_switches],
 * belongs to 'column'. */
static bool
is_of_column(const struct stepper *stepper, const struct step_column *column,
             uint32_t lid, const uint8_t *entries)
{
    size_t n = stepper->fabric->n_switches;
    uint32_t other = stepper->lids[column->first_lid];

    return memcmp(column->now, entries, n) == 0 &&
           memcmp(column->goal, entries + n, n) == 0 &&
           has_same_sls(stepper, stepper->before->path_sls, other, lid) &&
           has_same_sls(stepper, stepper->after->path_sls, other, lid);
}

/* Adds a column of which LID number 'i' is the first. */
static bool
add_column(struct stepper *stepper, uint32_t home, uint32_t i,
           const uint8_t *entries)
{
    size_t n = stepper->fabric->n_switches;
    uint8_t *copy = sf_calloc(3, n);
    struct step_column column = {
        .home = home, .first_lid = i, .n_lids = 1, .now = copy
    };

    if (!copy || !sf_vec_push(&stepper->columns, column)) {
        free(copy);
        return false;
    }
    struct step_column *added =
        &stepper->columns.items[stepper->columns.n - 1];
    added->next = copy + n;
    added->goal = copy + 2 * n;
    memcpy(added->now, entries, n);
    memcpy(added->next, entries, n);
    memcpy(added->goal, entries + n, n);
    return true;
}

/* Moves LID number 'i' behind the others of column 'k', and all between by
 * one. */
static void
join_column(struct stepper *stepper, size_t k, uint32_t i)
{
    struct step_column *column = &stepper->columns.items[k];
    uint32_t lid = stepper->lids[i];
    uint32_t to = column->first_lid + column->n_lids++;

    memmove(&stepper->lids[to + 1], &stepper->lids[to],
            (i - to) * sizeof *stepper->lids);
    stepper->lids[to] = lid;
    for (size_t j = k + 1; j < stepper->columns.n; j++) {
        stepper->columns.items[j].first_lid++;
    }
}

/* Sorts the LIDs of 'home', which stand at lids[first], ..., into columns. */
static bool
make_columns_of(struct stepper *stepper, uint32_t home, uint32_t first,
                uint32_t end, uint8_t *entries)
{
    size_t n = stepper->fabric->n_switches;
    size_t first_column = stepper->columns.n;

    for (uint32_t i = first; i < end; i++) {
        uint32_t lid = stepper->lids[i];
        size_t k = first_column;
        read_column(stepper, stepper->before->tables, lid, entries);
        read_column(stepper, stepper->after->tables, lid, entries + n);
        while (
            k < stepper->columns.n &&
            !is_of_column(stepper, &stepper->columns.items[k], lid, entries)) {
            k++;
        }
        if (k < stepper->columns.n) {
            join_column(stepper, k, i);
        } else if (!add_column(stepper, home, i, entries)) {
            return false;
        }
    }
    return true;
}

static int
compare_lids(const void *a, const void *b, void *aux)
{
    const uint32_t *homes = aux;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return homes[x] != homes[y] ? (homes[x] > homes[y]) - (homes[x] < homes[y])
                                : (x > y) - (x < y);
}

static enum sf_status
make_columns(struct stepper *stepper)
{
    uint32_t n_lids = 0, end;
    uint8_t *entries = sf_calloc(2, stepper->fabric->n_switches);
    bool is_fine = entries != NULL;

    for (uint32_t lid = 1; lid <= stepper->after->tables->max_lid; lid++) {
        if (stepper->homes[lid] != SF_NONE) {
            stepper->lids[n_lids++] = lid;
        }
    }
    qsort_r(stepper->lids, n_lids, sizeof *stepper->lids, compare_lids,
            stepper->homes);
    for (uint32_t i = 0; is_fine && i < n_lids; i = end) {
        uint32_t home = stepper->homes[stepper->lids[i]];
        end = i;
        while (end < n_lids && stepper->homes[stepper->lids[end]] == home) {
            end++;
        }
        is_fine = make_columns_of(stepper, home, i, end, entries);
    }
    free(entries);
    return is_fine ? SF_OK : sf_stepper_fail_memory(stepper);
}

enum sf_status
sf_stepper_find_columns(struct stepper *stepper)
{
    size_t n = stepper->fabric->n_switches;
    size_t n_lids = (size_t)stepper->after->tables->max_lid + 1;

    stepper->homes = sf_calloc(n_lids, sizeof *stepper->homes);
    stepper->home_ports = sf_calloc(n_lids, sizeof *stepper->home_ports);
    stepper->has_hosts = sf_calloc(n, sizeof *stepper->has_hosts);
    stepper->lids = sf_calloc(n_lids, sizeof *stepper->lids);
    if (!stepper->homes || !stepper->home_ports || !stepper->has_hosts ||
        !stepper->lids) {
        return sf_stepper_fail_memory(stepper);
    }
    enum sf_status status = find_homes(stepper);
    return status == SF_OK ? make_columns(stepper) : status;
}

void
sf_stepper_set_columns(struct stepper *stepper, const struct sf_tables *now,
                       const struct sf_tables *goal)
{
    for (size_t i = 0; i < stepper->columns.n; i++) {
        struct step_column *column = &stepper->columns.items[i];
        uint32_t lid = stepper->lids[column->first_lid];
        if (now) {
            read_column(stepper, now, lid, column->now);
        }
        if (goal) {
            read_column(stepper, goal, lid, column->goal);
        }
        column->is_dropped = false;
    }
}

void
sf_stepper_clear_columns(struct stepper *stepper)
{
    for (size_t i = 0; i < stepper->columns.n; i++) {
        free(stepper->columns.items[i].now);
    }
    free(stepper->columns.items);
    free(stepper->lids);
    free(stepper->has_hosts);
    free(stepper->home_ports);
    free(stepper->homes);
}
