/* follow_columns.c -- where the entries of a column lead from each switch:
 * whether the LIDs are reached, over how many hops, and which links carry how
 * many paths. */
#include "base/mem.h"
#include "ib/audit/auditor.h"
#include "slimfly/progress.h"

#include <string.h>

/* Whether switch 'at' hands the packets of 'column' on to another switch, and
 * if not, what becomes of them. */
static uint8_t
look_up(struct auditor *auditor, const struct column *column, uint32_t home,
        uint32_t at)
{
    uint8_t entry = column->entries[at];

    auditor->next[at] = SF_NONE;
    if (at == home && column->is_right) {
        return ARRIVES;
    }
    if (entry == SF_NO_PORT) {
        return FAULT + SF_AUDIT_NO_ENTRY;
    }
    uint32_t port = sf_fabric_port(auditor->fabric, at, entry);
    if (port == SF_NONE || auditor->cdg->arc_of_port[port] == SF_NONE) {
        return FAULT + SF_AUDIT_DEAD_END;
    }
    auditor->next[at] = auditor->cdg->arc_of_port[port];
    return ON_THE_WAY;
}

/* Follows 'column' from switch 's' until it is known where it leads; O(1) on
 * average over all switches. */
static void
follow(struct auditor *auditor, const struct column *column, uint32_t home,
       uint32_t s)
{
    uint32_t n_trail = 0;

    while (auditor->outcomes[s] == UNKNOWN) {
        auditor->outcomes[s] = look_up(auditor, column, home, s);
        auditor->hops[s] = 0;
        auditor->ends[s] = s;
        if (auditor->outcomes[s] == ON_THE_WAY) {
            auditor->trail[n_trail++] = s;
            s = auditor->cdg->arcs[auditor->next[s]].to;
        }
    }
    if (auditor->outcomes[s] == ON_THE_WAY) { /* Back on the trail. */
        auditor->outcomes[s] = FAULT + SF_AUDIT_LOOP;
        auditor->ends[s] = s;
    }
    while (n_trail > 0) {
        uint32_t before = auditor->trail[--n_trail];
        auditor->outcomes[before] = auditor->outcomes[s];
        auditor->hops[before] = auditor->hops[s] + 1;
        auditor->ends[before] = auditor->ends[s];
        s = before;
    }
}

void
sf_auditor_follow(struct auditor *auditor, const struct column *column,
                  uint32_t home)
{
    uint32_t n = auditor->fabric->n_switches;

    memset(auditor->outcomes, UNKNOWN, n);
    for (uint32_t s = 0; s < n; s++) {
        follow(auditor, column, home, s);
    }
}

static void
note_fault(struct auditor *auditor, const struct column *column, uint32_t s)
{
    struct sf_audit *audit = auditor->audit;
    enum sf_audit_fault fault =
        (enum sf_audit_fault)(auditor->outcomes[s] - FAULT);

    audit->n_faults[fault] += column->n_lids;
    if (audit->n_examples < SF_AUDIT_MAX_EXAMPLES) {
        uint32_t at = auditor->ends[s];
        audit->examples[audit->n_examples++] = (struct sf_audit_example){
            .fault = fault,
            .source = s,
            .lid = column->lid,
            .at = at,
            .port = sf_tables_of(auditor->tables, at)[column->lid],
        };
    }
}

/* Counts faults, hops and loads of 'column'. */
static void
count_paths(struct auditor *auditor, const struct column *column,
            uint32_t home)
{
    struct sf_audit *audit = auditor->audit;

    for (uint32_t s = 0; s < auditor->fabric->n_switches; s++) {
        audit->n_pairs += column->n_lids;
        if (auditor->outcomes[s] != ARRIVES) {
            note_fault(auditor, column, s);
        }
        if (s == home || !auditor->n_hosts[s] || !column->n_host_lids) {
            continue;
        }
        audit->n_paths += column->n_host_lids;
        if (auditor->outcomes[s] != ARRIVES) {
            continue;
        }
        auditor->n_by_hops[auditor->hops[s]] += column->n_host_lids;
        for (uint32_t at = s; at != home;
             at = auditor->cdg->arcs[auditor->next[at]].to) {
            auditor->loads[auditor->next[at]] += column->n_host_lids;
        }
    }
}

static int
compare_loads(const void *a, const void *b)
{
    const struct sf_audit_link *x = a, *y = b;
    if (x->n_paths != y->n_paths) {
        return x->n_paths < y->n_paths ? 1 : -1;
    }
    return (x->port > y->port) - (x->port < y->port);
}

enum sf_status
sf_auditor_check_paths(struct auditor *auditor)
{
    struct sf_audit *audit = auditor->audit;
    uint32_t n = auditor->fabric->n_switches;

    for (uint32_t home = 0; home < n; home++) {
        sf_auditor_make_columns(auditor, home);
        for (uint32_t k = 0; k < auditor->n_columns; k++) {
            sf_auditor_follow(auditor, &auditor->columns[k], home);
            count_paths(auditor, &auditor->columns[k], home);
        }
        sf_progress_report("following all paths", home + 1, n);
    }
    for (uint32_t i = 0; i <= n; i++) {
        audit->most_hops = auditor->n_by_hops[i] ? i : audit->most_hops;
    }
    audit->n_by_hops = auditor->n_by_hops;
    auditor->n_by_hops = NULL;
    audit->n_links = auditor->cdg->n_arcs;
    audit->links = sf_calloc(audit->n_links, sizeof *audit->links);
    if (!audit->links) {
        return sf_auditor_fail_memory(auditor);
    }
    for (uint32_t i = 0; i < audit->n_links; i++) {
        audit->links[i] = (struct sf_audit_link){ auditor->cdg->arcs[i].port,
                                                  auditor->loads[i] };
        audit->n_unused += !auditor->loads[i];
    }
    qsort(audit->links, audit->n_links, sizeof *audit->links, compare_loads);
    return SF_OK;
}
