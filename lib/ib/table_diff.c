/* table_diff.c -- see slimfly/table_diff.h.  Every path of both sides is
 * followed hop by hop, LID by LID, and told from others by a hash of the
 * switches and ports that it passes. */
#include "slimfly/table_diff.h"

#include "base/hash.h"
#include "base/mem.h"
#include "fabric/guids.h"
#include "slimfly/progress.h"

#include <string.h>

#define BROKEN UINT32_MAX

/* What is followed on one side. */
struct side {
    const struct sf_diff_side *of;
    struct sf_diff_paths *result;
    uint32_t *n_hosts; /* [switches] */
    uint32_t *homes;   /* [max_lid + 1] The switch of a host's LID, or
                        * SF_NONE. */
    uint32_t *hosts;   /* [max_lid + 1] And the host's port. */
    uint64_t *loads;   /* [ports] Paths over each out port that arrive. */
    uint32_t *trail;   /* [switches + 1] Ports of the path at hand. */
    uint32_t *hops;    /* [switches] Of the LID at hand; BROKEN: it does not
                        * arrive. */
    uint64_t *hashes;  /* [switches] Of its paths. */
    uint64_t n_arrived, n_hops;
};

struct differ {
    struct side before, after;
    uint32_t *then;      /* [switches after] Their numbers before. */
    bool *is_sender;     /* [switches after] */
    bool *is_receiver;   /* [ports after] */
    uint64_t *n_changed; /* [switches after] Entries. */
    struct sf_table_diff *diff;
};

static void
find_homes(struct side *side)
{
    const struct sf_fabric *fabric = side->of->fabric;
    uint32_t max_lid = side->of->tables->max_lid;

    memset(side->homes, 0xff, ((size_t)max_lid + 1) * sizeof *side->homes);
    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        const struct sf_port *port = &fabric->ports[i];
        const struct sf_ib_port *own = sf_ib_port(fabric, i);
        if (port->node < fabric->n_switches || port->peer == SF_NONE ||
            fabric->ports[port->peer].node >= fabric->n_switches) {
            continue;
        }
        for (uint32_t k = 0;
             own->lid && k < 1u << own->lmc && own->lid + k <= max_lid; k++) {
            side->homes[own->lid + k] = fabric->ports[port->peer].node;
            side->hosts[own->lid + k] = i;
        }
    }
}

/* Follows the path from switch 's' to 'lid' and counts it. */
static void
follow(struct side *side, uint32_t s, uint32_t lid)
{
    const struct sf_fabric *fabric = side->of->fabric;
    uint64_t hash = SF_HASH_START;
    uint32_t n_hops = 0, at = s;
    bool has_arrived = false;

    while (n_hops <= fabric->n_switches) {
        uint8_t entry = sf_tables_of(side->of->tables, at)[lid];
        uint32_t port = sf_fabric_port(fabric, at, entry);
        uint32_t peer = port == SF_NONE ? SF_NONE : fabric->ports[port].peer;
        hash = sf_hash_bytes(hash, &fabric->nodes[at].guid,
                             sizeof fabric->nodes[at].guid);
        hash = sf_hash_bytes(hash, &entry, sizeof entry);
        if (peer == SF_NONE ||
            fabric->ports[peer].node >= fabric->n_switches) {
            has_arrived = peer == side->hosts[lid];
            break;
        }
        side->trail[n_hops] = port;
        at = fabric->ports[peer].node;
        n_hops++;
    }
    side->hops[s] = has_arrived ? n_hops : BROKEN;
    side->hashes[s] = hash;
    side->result->n_paths++;
    side->result->n_broken += !has_arrived;
    for (uint32_t i = 0; has_arrived && i < n_hops; i++) {
        side->loads[side->trail[i]]++;
    }
    if (has_arrived) {
        side->n_arrived++;
        side->n_hops += n_hops;
        if (n_hops > side->result->most_hops) {
            side->result->most_hops = n_hops;
        }
    }
}

/* Follows the paths to 'lid', if it is a host's. */
static void
follow_all(struct side *side, uint32_t lid)
{
    uint32_t n = side->of->fabric->n_switches;

    for (uint32_t s = 0; s < n && lid <= side->of->tables->max_lid &&
                         side->homes[lid] != SF_NONE;
         s++) {
        if (side->n_hosts[s] && s != side->homes[lid]) {
            follow(side, s, lid);
        }
    }
}

static bool
is_path(const struct side *side, uint32_t s, uint32_t lid)
{
    return lid <= side->of->tables->max_lid && side->homes[lid] != SF_NONE &&
           side->n_hosts[s] && s != side->homes[lid];
}

/* Compares the paths to 'lid', which were followed. */
static void
compare_paths(struct differ *differ, uint32_t lid)
{
    struct sf_table_diff *diff = differ->diff;
    const struct side *before = &differ->before, *after = &differ->after;

    for (uint32_t s = 0; s < after->of->fabric->n_switches; s++) {
        uint32_t then = differ->then[s];
        if (then == SF_NONE || !is_path(before, then, lid) ||
            !is_path(after, s, lid)) {
            continue;
        }
        uint32_t old = before->hops[then], new = after->hops[s];
        diff->n_paths++;
        if (before->hashes[then] == after->hashes[s] && old == new) {
            continue;
        }
        diff->n_changed_paths++;
        diff->n_lost += new == BROKEN &&old != BROKEN;
        diff->n_mended += old == BROKEN && new != BROKEN;
        diff->n_longer += new != BROKEN &&old != BROKEN &&new > old;
        diff->n_shorter += new != BROKEN &&old != BROKEN &&new < old;
        differ->is_sender[s] = true;
        differ->is_receiver[after->hosts[lid]] = true;
    }
}

/* Compares the entries for 'lid', which both sides have. */
static void
compare_entries(struct differ *differ, uint32_t lid)
{
    const struct sf_tables *before = differ->before.of->tables;
    const struct sf_tables *after = differ->after.of->tables;

    for (uint32_t s = 0; s < after->n_switches; s++) {
        uint32_t then = differ->then[s];
        if (then == SF_NONE) {
            continue;
        }
        bool has_changed =
            sf_tables_of(after, s)[lid] != sf_tables_of(before, then)[lid];
        differ->diff->n_entries++;
        differ->diff->n_changed += has_changed;
        differ->n_changed[s] += has_changed;
    }
}

static bool
has_lid(const struct sf_tables *tables, uint32_t lid)
{
    return lid <= tables->max_lid && tables->targets[lid] != SF_NONE;
}

static void
compare_lids(struct differ *differ)
{
    const struct sf_tables *before = differ->before.of->tables;
    const struct sf_tables *after = differ->after.of->tables;
    uint32_t most =
        before->max_lid > after->max_lid ? before->max_lid : after->max_lid;

    for (uint32_t lid = 1; lid <= most; lid++) {
        sf_progress_report("comparing paths", lid, most);
        follow_all(&differ->before, lid);
        follow_all(&differ->after, lid);
        if (has_lid(before, lid) && has_lid(after, lid)) {
            compare_entries(differ, lid);
            compare_paths(differ, lid);
        }
    }
}

/* Counts hosts, by their ports. */
static void
count_hosts(struct differ *differ)
{
    const struct side *before = &differ->before, *after = &differ->after;
    const struct sf_fabric *fabric = after->of->fabric;

    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        uint32_t lid = sf_ib_port(fabric, i)->lid;
        uint32_t peer = fabric->ports[i].peer;
        if (!lid || peer == SF_NONE || lid > after->of->tables->max_lid ||
            after->homes[lid] == SF_NONE ||
            lid > before->of->tables->max_lid ||
            before->homes[lid] == SF_NONE) {
            continue;
        }
        differ->diff->n_hosts++;
        differ->diff->n_receivers += differ->is_receiver[i];
        differ->diff->n_senders += differ->is_sender[after->homes[lid]];
    }
}

static uint32_t
count_vls(const struct sf_sl2vl *sl2vl)
{
    uint32_t n_vls = sl2vl ? 1 : 0;

    for (uint32_t s = 0; sl2vl && s < sl2vl->n_switches; s++) {
        size_t n = ((size_t)sl2vl->n_ports[s] + 1) *
                   ((size_t)sl2vl->n_ports[s] + 1) * SF_N_SLS;
        for (size_t i = 0; i < n; i++) {
            uint8_t vl = sl2vl->vls[sl2vl->first[s] + i];
            n_vls = vl < SF_DROP_VL && vl >= n_vls ? vl + 1u : n_vls;
        }
    }
    return n_vls;
}

/* Sums up what was followed. */
static void
summarize(struct side *side)
{
    const struct sf_fabric *fabric = side->of->fabric;
    struct sf_diff_paths *result = side->result;
    uint64_t sum = 0;

    result->busiest = SF_NONE;
    result->n_vls = count_vls(side->of->sl2vl);
    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        uint32_t peer = fabric->ports[i].peer;
        if (peer == SF_NONE || fabric->ports[i].node >= fabric->n_switches ||
            fabric->ports[peer].node >= fabric->n_switches) {
            continue;
        }
        uint64_t load = side->loads[i];
        if (!result->n_links || load < result->least_load) {
            result->least_load = load;
        }
        if (!result->n_links || load > result->most_load) {
            result->most_load = load;
            result->busiest = i;
        }
        sum += load;
        result->n_links++;
        result->n_unused += load == 0;
    }
    result->mean_load = result->n_links ? (double)sum / result->n_links : 0;
    result->mean_hops =
        side->n_arrived ? (double)side->n_hops / (double)side->n_arrived : 0;
}

/* Compares what both say of the VLs of a switch. */
static uint64_t
compare_lanes(const struct sf_sl2vl *before, uint32_t then,
              const struct sf_sl2vl *after, uint32_t s)
{
    uint32_t n_ports = before->n_ports[then] < after->n_ports[s]
                           ? before->n_ports[then]
                           : after->n_ports[s];
    uint64_t n = 0;

    for (uint32_t in = 0; in <= n_ports; in++) {
        for (uint32_t out = 0; out <= n_ports; out++) {
            const uint8_t *old = sf_sl2vl_of(before, then, in, out);
            const uint8_t *new = sf_sl2vl_of(after, s, in, out);
            for (uint32_t sl = 0; sl < SF_N_SLS; sl++) {
                n += old[sl] != new[sl] &&
                     old[sl] != SF_NO_VL &&new[sl] != SF_NO_VL;
            }
        }
    }
    return n;
}

static uint64_t
compare_path_sls(const struct sf_path_sls *before, uint32_t then,
                 const struct sf_path_sls *after, uint32_t s)
{
    const uint8_t *old = sf_path_sls_of(before, then);
    const uint8_t *new = sf_path_sls_of(after, s);
    uint64_t n = 0;

    for (uint32_t lid = 1; lid <= before->max_lid && lid <= after->max_lid;
         lid++) {
        n += old[lid] != new[lid] &&
             old[lid] != SF_NO_SL &&new[lid] != SF_NO_SL;
    }
    return n;
}

static void
compare_service(struct differ *differ)
{
    const struct sf_diff_side *a = differ->before.of, *b = differ->after.of;
    struct sf_table_diff *diff = differ->diff;

    diff->knows_lanes = a->sl2vl && b->sl2vl;
    diff->knows_path_sls = a->path_sls && b->path_sls;
    for (uint32_t s = 0; s < b->fabric->n_switches; s++) {
        uint32_t then = differ->then[s];
        if (then != SF_NONE && diff->knows_lanes) {
            diff->n_lanes_changed +=
                compare_lanes(a->sl2vl, then, b->sl2vl, s);
        }
        if (then != SF_NONE && diff->knows_path_sls) {
            diff->n_path_sls_changed +=
                compare_path_sls(a->path_sls, then, b->path_sls, s);
        }
    }
}

static int
compare_switches(const void *a, const void *b)
{
    const struct sf_diff_switch *x = a, *y = b;

    if (x->n_changed != y->n_changed) {
        return x->n_changed > y->n_changed ? -1 : 1;
    }
    return (x->number > y->number) - (x->number < y->number);
}

/* Lists the switches whose entries change. */
static bool
list_switches(const struct differ *differ)
{
    struct sf_table_diff *diff = differ->diff;
    uint32_t n = differ->after.of->fabric->n_switches;

    diff->switches = sf_calloc(n, sizeof *diff->switches);
    for (uint32_t s = 0; diff->switches && s < n; s++) {
        if (differ->n_changed[s]) {
            diff->switches[diff->n_switches++] =
                (struct sf_diff_switch){ s, differ->n_changed[s] };
        }
    }
    if (diff->switches) {
        qsort(diff->switches, diff->n_switches, sizeof *diff->switches,
              compare_switches);
    }
    return diff->switches != NULL;
}

static bool
make_side(struct side *side, const struct sf_diff_side *of,
          struct sf_diff_paths *result)
{
    uint32_t n = of->fabric->n_switches;
    size_t n_lids = (size_t)of->tables->max_lid + 1;

    *side = (struct side){
        .of = of,
        .result = result,
        .n_hosts = sf_calloc(n, sizeof *side->n_hosts),
        .homes = sf_calloc(n_lids, sizeof *side->homes),
        .hosts = sf_calloc(n_lids, sizeof *side->hosts),
        .loads = sf_calloc(of->fabric->n_ports, sizeof *side->loads),
        .trail = sf_calloc((size_t)n + 1, sizeof *side->trail),
        .hops = sf_calloc(n, sizeof *side->hops),
        .hashes = sf_calloc(n, sizeof *side->hashes),
    };
    if (!side->n_hosts || !side->homes || !side->hosts || !side->loads ||
        !side->trail || !side->hops || !side->hashes) {
        return false;
    }
    sf_fabric_count_hosts(of->fabric, side->n_hosts);
    find_homes(side);
    return true;
}

static void
clear_side(struct side *side)
{
    free(side->hashes);
    free(side->hops);
    free(side->trail);
    free(side->loads);
    free(side->hosts);
    free(side->homes);
    free(side->n_hosts);
}

static bool
make_differ(struct differ *differ, const struct sf_diff_side *before,
            const struct sf_diff_side *after)
{
    uint32_t n = after->fabric->n_switches;
    struct sf_ids ids = { 0 };
    bool made = make_side(&differ->before, before, &differ->diff->before);

    made = make_side(&differ->after, after, &differ->diff->after) && made;
    differ->then = sf_calloc(n, sizeof *differ->then);
    differ->is_sender = sf_calloc(n, sizeof *differ->is_sender);
    differ->is_receiver =
        sf_calloc(after->fabric->n_ports, sizeof *differ->is_receiver);
    differ->n_changed = sf_calloc(n, sizeof *differ->n_changed);
    made =
        made && differ->then && differ->is_sender && differ->is_receiver &&
        differ->n_changed &&
        sf_fabric_sort_guids(before->fabric, before->fabric->n_switches, &ids);
    for (uint32_t s = 0; made && s < n; s++) {
        differ->then[s] = sf_ids_find(&ids, after->fabric->nodes[s].guid);
    }
    sf_ids_clear(&ids);
    return made;
}

static void
clear_differ(struct differ *differ)
{
    free(differ->n_changed);
    free(differ->is_receiver);
    free(differ->is_sender);
    free(differ->then);
    clear_side(&differ->after);
    clear_side(&differ->before);
}

static bool
is_same_fabric(const struct sf_difference *difference)
{
    return !difference->n_lost_switches && !difference->n_lost_links &&
           !difference->n_lost_hosts && !difference->n_new_switches &&
           !difference->n_new_links && !difference->n_new_hosts;
}

enum sf_status
sf_table_diff_build(const struct sf_diff_side *before,
                    const struct sf_diff_side *after,
                    struct sf_table_diff **diffp, struct sf_error *err)
{
    struct differ differ = { .diff = sf_calloc(1, sizeof *differ.diff) };
    struct sf_table_diff *diff = differ.diff;

    *diffp = NULL;
    if (before->tables->n_switches != before->fabric->n_switches ||
        after->tables->n_switches != after->fabric->n_switches) {
        free(diff);
        return sf_fail(err, SF_EINVAL,
                       "the tables are not those of the fabric");
    }
    enum sf_status status =
        diff && make_differ(&differ, before, after)
            ? sf_ib_compare_fabrics(before->fabric, after->fabric,
                                    &diff->fabric, err)
            : sf_fail(err, SF_ENOMEM, "out of memory to compare tables");
    if (status == SF_OK) {
        compare_lids(&differ);
        compare_service(&differ);
        count_hosts(&differ);
        summarize(&differ.before);
        summarize(&differ.after);
        diff->is_same = is_same_fabric(&diff->fabric) && !diff->n_changed &&
                        !diff->n_lanes_changed && !diff->n_path_sls_changed;
        if (!list_switches(&differ)) {
            status = sf_fail(err, SF_ENOMEM, "out of memory for a difference");
        }
    }
    clear_differ(&differ);
    if (status != SF_OK) {
        sf_table_diff_free(diff);
        return status;
    }
    *diffp = diff;
    return SF_OK;
}

void
sf_table_diff_free(struct sf_table_diff *diff)
{
    if (diff) {
        free(diff->switches);
        free(diff);
    }
}
