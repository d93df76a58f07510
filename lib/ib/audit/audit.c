/* audit.c -- follows every path that the tables make.
 *
 * The LIDs of one switch, its own and those of its hosts, mostly have the same
 * entries everywhere else; such a group of LIDs is one column of the tables
 * and is followed once.  A path is a column and a source. */
#include "slimfly/audit.h"

#include "base/mem.h"
#include "ib/audit/cdg.h"

#include <inttypes.h>
#include <string.h>

/* Where a LID lives: its switch, and the port that leads to it from there, 0
 * for the switch itself. */
struct home {
    uint32_t s; /* SF_NONE if nothing plugged in has this LID. */
    uint8_t port;
    bool is_host;
};

/* LIDs of one switch with the same entries. */
struct column {
    const uint8_t *entries; /* [n_switches] */
    const uint16_t *sls;    /* [n_switches] Sets of the SLs to them. */
    bool is_right;          /* The entry at home leads to the LID; it is 0 */
                            /* then, so that it is the same for all. */
    uint32_t lid;           /* One of them; a host's if there are any. */
    uint32_t n_lids;
    uint32_t n_host_lids;
};

/* Where packets start and requests end: at hosts, or at port 0 of a switch. */
enum side {
    HOSTS,
    PORT_0,
    N_SIDES,
};

/* A path: a switch, a column of another, and an SL. */
struct path {
    uint32_t source, home;
    enum side side; /* Of the source. */
    const struct column *column;
    uint8_t sl;
};

/* What following a column from a switch came to. */
enum outcome {
    UNKNOWN,
    ON_THE_WAY,
    ARRIVES,
    FAULT, /* And then one of enum sf_audit_fault. */
};

struct auditor {
    const struct sf_fabric *fabric;
    const struct sf_tables *tables;
    const struct sf_audit_params *params;
    struct sf_audit *audit;
    struct sf_error *err;
    struct sf_cdg *cdg;

    struct home *homes;  /* [max_lid + 1] */
    uint32_t *lids;      /* [n_lids] By switch. */
    uint32_t *first_lid; /* [n_switches + 1] Where a switch's start. */
    uint16_t *n_hosts;   /* [n_switches] Host ports. */
    uint16_t *start_vls[N_SIDES]; /* [n_arcs * SF_N_SLS] VLs on which packets
                                   * from its switch take an arc; 0 if one is
                                   * not known. */
    bool *drops; /* [n_arcs * SF_N_SLS] Whether what comes over an arc is
                  * thrown      away on its way out to some host. */
    uint16_t *sls_to[N_SIDES]; /* [n_switches^2] SLs from a switch to another;
                                * NULL without path SLs. */
    uint64_t *n_by_hops;       /* [n_switches + 1] */
    uint64_t *loads;           /* [n_arcs] */

    /* The columns of the switch at hand, */
    uint8_t *buffer;        /* [most LIDs of a switch * n_switches] */
    uint16_t *sl_buffer;    /* [most LIDs of a switch * n_switches] */
    struct column *columns; /* [most LIDs of a switch] */
    uint32_t *column_of;    /* [most LIDs of a switch] */
    uint32_t n_columns;
    /* and what the one at hand leads to. */
    uint8_t *outcomes; /* [n_switches] */
    uint32_t *hops;    /* [n_switches] */
    uint32_t *ends;    /* [n_switches] Where a fault is. */
    uint32_t *next;    /* [n_switches] The arc, or SF_NONE. */
    uint32_t *trail;   /* [n_switches] */

    /* For a witness: dependencies that are still to be explained. */
    bool is_explaining;
    const uint32_t *cycle; /* [n_steps] */
    struct sf_audit_deadlock *deadlock;
};

static enum sf_status
fail_memory(struct auditor *is)
{
    sf_fail(is->err, SF_ENOMEM, "out of memory for an audit");
    return SF_ENOMEM;
}

static enum sf_status
add_home(struct auditor *is, uint32_t lid, struct home home)
{
    if (lid > is->tables->max_lid) {
        return sf_fail(is->err, SF_EINVAL,
                       "the tables end before LID %u of the fabric", lid);
    }
    if (is->homes[lid].s != SF_NONE) {
        return sf_fail(is->err, SF_EINVAL,
                       "LID %u belongs to two ports of the fabric", lid);
    }
    is->homes[lid] = home;
    is->audit->n_lids++;
    return SF_OK;
}

/* The LIDs of the hosts on switch 's', and its own. */
static enum sf_status
find_homes_on(struct auditor *is, uint32_t s)
{
    const struct sf_fabric *fabric = is->fabric;
    const struct sf_node *node = &fabric->nodes[s];
    enum sf_status status = SF_OK;

    for (uint32_t k = 0; node->lid && status == SF_OK && k < 1u << node->lmc;
         k++) {
        status = add_home(is, node->lid + k, (struct home){ s, 0, false });
    }
    for (uint32_t i = 0; status == SF_OK && i < node->n_ports; i++) {
        uint32_t peer = fabric->ports[node->first_port + i].peer;
        if (peer == SF_NONE || fabric->ports[peer].node < fabric->n_switches) {
            continue;
        }
        const struct sf_port *port = &fabric->ports[peer];
        is->n_hosts[s]++;
        for (uint32_t k = 0;
             port->lid && status == SF_OK && k < 1u << port->lmc; k++) {
            status = add_home(is, port->lid + k,
                              (struct home){ s, (uint8_t)(i + 1), true });
        }
    }
    return status;
}

/* Finds all LIDs and puts them in the order of their switches. */
static enum sf_status
find_homes(struct auditor *is, uint32_t *mostp)
{
    uint32_t n = is->fabric->n_switches, n_lids = is->tables->max_lid + 1;
    enum sf_status status = SF_OK;

    for (uint32_t lid = 0; lid < n_lids; lid++) {
        is->homes[lid].s = SF_NONE;
    }
    for (uint32_t s = 0; status == SF_OK && s < n; s++) {
        status = find_homes_on(is, s);
    }
    for (uint32_t lid = 0; status == SF_OK && lid < n_lids; lid++) {
        if (is->homes[lid].s != SF_NONE) {
            is->first_lid[is->homes[lid].s]++;
        }
    }
    uint32_t sum = 0;
    *mostp = 0;
    for (uint32_t s = 0; s < n; s++) {
        uint32_t count = is->first_lid[s];
        *mostp = count > *mostp ? count : *mostp;
        is->first_lid[s] = sum;
        sum += count;
    }
    is->first_lid[n] = sum;
    /* Filling moves each start to the end, which is the next one's start. */
    for (uint32_t lid = 0; status == SF_OK && lid < n_lids; lid++) {
        if (is->homes[lid].s != SF_NONE) {
            is->lids[is->first_lid[is->homes[lid].s]++] = lid;
        }
    }
    for (uint32_t s = n; s > 0; s--) {
        is->first_lid[s] = is->first_lid[s - 1];
    }
    is->first_lid[0] = 0;
    return status;
}

/* The VL on which switch 's' sends what came in at port 'in' with SL 'sl' out
 * at port 'out'. */
static uint8_t
vl_of(const struct auditor *is, uint32_t s, uint32_t in, uint32_t out,
      uint32_t sl)
{
    const struct sf_sl2vl *sl2vl = is->params->sl2vl;
    return sl2vl ? sf_sl2vl_of(sl2vl, s, in, out)[sl] : 0;
}

static uint32_t
count_vls(const struct sf_sl2vl *sl2vl)
{
    uint32_t n_vls = 1;

    for (uint32_t s = 0; sl2vl && s < sl2vl->n_switches; s++) {
        size_t n = sl2vl->n_ports[s] + 1;
        const uint8_t *vls = sl2vl->vls + sl2vl->first[s];
        for (size_t i = 0; i < n * n * SF_N_SLS; i++) {
            if (vls[i] < SF_DROP_VL && vls[i] >= n_vls) {
                n_vls = vls[i] + 1u;
            }
        }
    }
    return n_vls;
}

static uint32_t
port_number(const struct auditor *is, uint32_t arc)
{
    return is->fabric->ports[is->cdg->arcs[arc].port].number;
}

/* The port at which an arc comes in. */
static uint32_t
in_port(const struct auditor *is, uint32_t arc)
{
    return port_number(is, is->cdg->arcs[arc].reverse);
}

static bool
is_host_port(const struct auditor *is, uint32_t port)
{
    uint32_t peer = is->fabric->ports[port].peer;
    return peer != SF_NONE &&
           is->fabric->ports[peer].node >= is->fabric->n_switches;
}

/* What hosts at the end of an arc do not get over it. */
static void
find_drops(struct auditor *is)
{
    for (uint32_t arc = 0; is->params->sl2vl && arc < is->cdg->n_arcs; arc++) {
        uint32_t s = is->cdg->arcs[arc].to;
        const struct sf_node *node = &is->fabric->nodes[s];
        for (uint32_t i = 0; i < node->n_ports; i++) {
            for (uint32_t sl = 0;
                 is_host_port(is, node->first_port + i) && sl < SF_N_SLS;
                 sl++) {
                is->drops[(size_t)arc * SF_N_SLS + sl] |=
                    vl_of(is, s, in_port(is, arc), i + 1, sl) == SF_DROP_VL;
            }
        }
    }
}

/* The set of VLs, by port, on which packets from hosts of a switch take 'arc',
 * or, with 'is_any', packets from whatever is plugged into it; 0 if one is not
 * known. */
static unsigned
vls_from_ports(const struct auditor *is, uint32_t arc, uint32_t sl,
               bool is_any)
{
    uint32_t s = is->cdg->arcs[arc].from, out = port_number(is, arc);
    const struct sf_node *node = &is->fabric->nodes[s];
    unsigned vls = 0;

    for (uint32_t i = 0; i < node->n_ports; i++) {
        uint32_t port = node->first_port + i;
        if (!is_host_port(is, port) &&
            (!is_any || is->fabric->ports[port].peer == SF_NONE ||
             i + 1 == out)) {
            continue;
        }
        uint8_t vl = vl_of(is, s, i + 1, out, sl);
        if (vl > SF_DROP_VL) {
            return 0;
        }
        vls |= 1u << vl;
    }
    return vls;
}

/* Packets from hosts and from port 0 of its switch, on each arc. */
static void
find_start_vls(struct auditor *is)
{
    uint32_t last_unknown = SF_NONE;

    for (uint32_t arc = 0; arc < is->cdg->n_arcs; arc++) {
        uint32_t s = is->cdg->arcs[arc].from;
        for (uint32_t sl = 0; sl < SF_N_SLS; sl++) {
            size_t i = (size_t)arc * SF_N_SLS + sl;
            unsigned vls = vls_from_ports(is, arc, sl, false);
            uint8_t vl = vl_of(is, s, 0, port_number(is, arc), sl);
            is->start_vls[HOSTS][i] = (uint16_t)vls;
            if (vl <= SF_DROP_VL) {
                is->start_vls[PORT_0][i] = (uint16_t)(1u << vl);
                continue;
            }
            is->start_vls[PORT_0][i] =
                (uint16_t)(is->n_hosts[s] ? vls
                                          : vls_from_ports(is, arc, sl, true));
            is->audit->n_port_0_unknown +=
                is->params->has_port_0 && s != last_unknown;
            last_unknown = s;
        }
    }
}

/* Whether packets start at this side of switch 's'. */
static bool
is_source(const struct auditor *is, uint32_t s, enum side side)
{
    return side == HOSTS ? is->n_hosts[s] > 0 : is->params->has_port_0;
}

/* The set of the SL from switch 's' to 'lid'; SL 0 if it is not said. */
static unsigned
sl_to(const struct auditor *is, uint32_t s, uint32_t lid)
{
    if (!is->params->path_sls) {
        return 1;
    }
    uint8_t sl = sf_path_sls_of(is->params->path_sls, s)[lid];
    return sl == SF_NO_SL ? 1 : 1u << sl;
}

/* For replies: the SLs from each switch to the hosts of each other, and to it
 * itself.  Counts those that are not said. */
static void
collect_sls(struct auditor *is)
{
    uint32_t n = is->fabric->n_switches;

    for (uint32_t s = 0; is->params->path_sls && s < n; s++) {
        bool sends = is_source(is, s, HOSTS) || is_source(is, s, PORT_0);
        for (uint32_t lid = 1; lid <= is->tables->max_lid; lid++) {
            struct home home = is->homes[lid];
            if (home.s == SF_NONE) {
                continue;
            }
            is->audit->n_without_sl +=
                home.s != s && sends &&
                sf_path_sls_of(is->params->path_sls, s)[lid] == SF_NO_SL;
            is->sls_to[home.is_host ? HOSTS : PORT_0]
                      [(size_t)s * n + home.s] |= (uint16_t)sl_to(is, s, lid);
        }
    }
}

/* Sorts the LIDs of switch 's' into columns. */
static void
make_columns(struct auditor *is, uint32_t s)
{
    uint32_t n = is->fabric->n_switches;

    is->n_columns = 0;
    for (uint32_t i = is->first_lid[s]; i < is->first_lid[s + 1]; i++) {
        uint32_t lid = is->lids[i], k = 0;
        uint8_t *entries = is->buffer + (size_t)is->n_columns * n;
        for (uint32_t at = 0; at < n; at++) {
            entries[at] = sf_tables_of(is->tables, at)[lid];
        }
        bool is_right = entries[s] == is->homes[lid].port;
        if (is_right) {
            entries[s] = 0;
        }
        while (k < is->n_columns &&
               (is->columns[k].is_right != is_right ||
                memcmp(is->columns[k].entries, entries, n) != 0)) {
            k++;
        }
        struct column *column = &is->columns[k];
        if (k == is->n_columns) {
            *column = (struct column){ .entries = entries,
                                       .sls = is->sl_buffer + (size_t)k * n,
                                       .is_right = is_right,
                                       .lid = lid };
            is->n_columns++;
        }
        column->n_lids++;
        if (is->homes[lid].is_host && column->n_host_lids++ == 0) {
            column->lid = lid;
        }
        is->column_of[i - is->first_lid[s]] = k;
    }
}

/* Whether switch 'at' hands the packets of 'column' on to another switch, and
 * if not, what becomes of them. */
static uint8_t
look_up(struct auditor *is, const struct column *column, uint32_t home,
        uint32_t at)
{
    uint8_t entry = column->entries[at];

    is->next[at] = SF_NONE;
    if (at == home && column->is_right) {
        return ARRIVES;
    }
    if (entry == SF_NO_PORT) {
        return FAULT + SF_AUDIT_NO_ENTRY;
    }
    uint32_t port = sf_fabric_port(is->fabric, at, entry);
    if (port == SF_NONE || is->cdg->arc_of_port[port] == SF_NONE) {
        return FAULT + SF_AUDIT_DEAD_END;
    }
    is->next[at] = is->cdg->arc_of_port[port];
    return ON_THE_WAY;
}

/* Follows 'column' from switch 's' until it is known where it leads; O(1) on
 * average over all switches. */
static void
follow(struct auditor *is, const struct column *column, uint32_t home,
       uint32_t s)
{
    uint32_t n_trail = 0;

    while (is->outcomes[s] == UNKNOWN) {
        is->outcomes[s] = look_up(is, column, home, s);
        is->hops[s] = 0;
        is->ends[s] = s;
        if (is->outcomes[s] == ON_THE_WAY) {
            is->trail[n_trail++] = s;
            s = is->cdg->arcs[is->next[s]].to;
        }
    }
    if (is->outcomes[s] == ON_THE_WAY) { /* Back on the trail. */
        is->outcomes[s] = FAULT + SF_AUDIT_LOOP;
        is->ends[s] = s;
    }
    while (n_trail > 0) {
        uint32_t before = is->trail[--n_trail];
        is->outcomes[before] = is->outcomes[s];
        is->hops[before] = is->hops[s] + 1;
        is->ends[before] = is->ends[s];
        s = before;
    }
}

static void
note_fault(struct auditor *is, const struct column *column, uint32_t s)
{
    struct sf_audit *audit = is->audit;
    enum sf_audit_fault fault = (enum sf_audit_fault)(is->outcomes[s] - FAULT);

    audit->n_faults[fault] += column->n_lids;
    if (audit->n_examples < SF_AUDIT_MAX_EXAMPLES) {
        uint32_t at = is->ends[s];
        audit->examples[audit->n_examples++] = (struct sf_audit_example){
            .fault = fault,
            .source = s,
            .lid = column->lid,
            .at = at,
            .port = sf_tables_of(is->tables, at)[column->lid],
        };
    }
}

/* Finds out where 'column' leads from everywhere. */
static void
follow_all(struct auditor *is, const struct column *column, uint32_t home)
{
    uint32_t n = is->fabric->n_switches;

    memset(is->outcomes, UNKNOWN, n);
    for (uint32_t s = 0; s < n; s++) {
        follow(is, column, home, s);
    }
}

/* Counts faults, hops and loads of 'column'. */
static void
count_paths(struct auditor *is, const struct column *column, uint32_t home)
{
    struct sf_audit *audit = is->audit;

    for (uint32_t s = 0; s < is->fabric->n_switches; s++) {
        audit->n_pairs += column->n_lids;
        if (is->outcomes[s] != ARRIVES) {
            note_fault(is, column, s);
        }
        if (s == home || !is->n_hosts[s] || !column->n_host_lids) {
            continue;
        }
        audit->n_paths += column->n_host_lids;
        if (is->outcomes[s] != ARRIVES) {
            continue;
        }
        is->n_by_hops[is->hops[s]] += column->n_host_lids;
        for (uint32_t at = s; at != home;
             at = is->cdg->arcs[is->next[at]].to) {
            is->loads[is->next[at]] += column->n_host_lids;
        }
    }
}

/* A LID of the path's column to which its source sends with its SL; any of
 * the hosts' if that is the SL of a reply or of all. */
static uint32_t
lid_of_path(const struct auditor *is, const struct path *path)
{
    uint32_t first = is->first_lid[path->home];
    uint32_t k = (uint32_t)(path->column - is->columns);

    for (uint32_t i = first; i < is->first_lid[path->home + 1]; i++) {
        if (is->column_of[i - first] == k &&
            sl_to(is, path->source, is->lids[i]) == 1u << path->sl) {
            return is->lids[i];
        }
    }
    return path->column->lid;
}

/* Names 'path' as what holds (in, vl) in the cycle. */
static void
explain_step(struct auditor *is, const struct path *path, uint32_t in,
             uint32_t vl)
{
    for (uint32_t i = 0; i < is->deadlock->n_steps; i++) {
        if (is->cycle[i] == in * is->cdg->n_vls + vl) {
            is->deadlock->steps[i] = (struct sf_audit_step){
                .at = is->cdg->arcs[in].from,
                .port = (uint8_t)port_number(is, in),
                .vl = (uint8_t)vl,
                .sl = path->sl,
                .source = path->source,
                .is_port_0 = path->side == PORT_0,
                .lid = lid_of_path(is, path),
            };
        }
    }
}

/* 'path' waits for (out, vl_out) while it holds (in, vl_in): remembers that,
 * or explains it. */
static void
depend(struct auditor *is, const struct path *path, uint32_t in,
       uint32_t vl_in, uint32_t out, uint32_t vl_out)
{
    uint16_t *row = sf_cdg_row(is->cdg, in, vl_in, out);
    unsigned bit = 1u << vl_out;

    if (!is->is_explaining) {
        *row |= (uint16_t)bit;
    } else if (*row & bit) {
        *row &= (uint16_t)~bit;
        explain_step(is, path, in, vl_in);
    }
}

static enum sf_status
fail_no_vl(struct auditor *is, uint32_t s, uint32_t arc, uint32_t sl)
{
    return sf_fail(is->err, SF_EINVAL,
                   "the SL-to-VL tables do not say all VLs of switch %s "
                   "(0x%016" PRIx64 ") for port %u and SL %u, which paths use",
                   is->fabric->nodes[s].name, is->fabric->nodes[s].guid,
                   port_number(is, arc), sl);
}

/* Whether some of the path's LIDs do not get what comes over its last arc. */
static bool
is_dropped_at_home(const struct auditor *is, const struct path *path,
                   uint32_t in)
{
    uint32_t first = is->first_lid[path->home];
    uint32_t k = (uint32_t)(path->column - is->columns);

    if (!is->drops[(size_t)in * SF_N_SLS + path->sl]) {
        return false;
    }
    for (uint32_t i = first; i < is->first_lid[path->home + 1]; i++) {
        struct home home = is->homes[is->lids[i]];
        if (is->column_of[i - first] == k && home.is_host &&
            vl_of(is, home.s, in_port(is, in), home.port, path->sl) ==
                SF_DROP_VL) {
            return true;
        }
    }
    return false;
}

/* Takes a path, which arrives, channel by channel. */
static enum sf_status
take_path(struct auditor *is, const struct path *path)
{
    const struct sf_cdg *cdg = is->cdg;
    uint32_t sl = path->sl;
    uint32_t in = is->next[path->source];
    unsigned vls = is->start_vls[path->side][(size_t)in * SF_N_SLS + sl];

    if (!vls) {
        return fail_no_vl(is, path->source, in, sl);
    }
    is->deadlock->n_dropped += vls >> SF_DROP_VL;
    vls &= (1u << SF_DROP_VL) - 1;
    for (;;) {
        for (unsigned rest = vls; rest; rest &= rest - 1) {
            uint32_t vl = (uint32_t)__builtin_ctz(rest);
            cdg->is_used[(size_t)in * cdg->n_vls + vl] = true;
        }
        uint32_t at = cdg->arcs[in].to;
        if (at == path->home || !vls) {
            is->deadlock->n_dropped += vls && is_dropped_at_home(is, path, in);
            return SF_OK;
        }
        uint32_t out = is->next[at];
        uint8_t vl_out =
            vl_of(is, at, in_port(is, in), port_number(is, out), sl);
        if (vl_out > SF_DROP_VL) {
            return fail_no_vl(is, at, out, sl);
        }
        if (vl_out == SF_DROP_VL) {
            is->deadlock->n_dropped++;
            return SF_OK;
        }
        for (unsigned rest = vls; rest; rest &= rest - 1) {
            uint32_t vl = (uint32_t)__builtin_ctz(rest);
            depend(is, path, in, vl, out, vl_out);
        }
        vls = 1u << vl_out;
        in = out;
    }
}

/* The SLs of the paths from every switch to the columns of 'home'. */
static void
find_sls(struct auditor *is, uint32_t home)
{
    uint32_t n = is->fabric->n_switches, first = is->first_lid[home];

    memset(is->sl_buffer, 0,
           (size_t)is->n_columns * n * sizeof *is->sl_buffer);
    for (uint32_t s = 0; s < n; s++) {
        for (uint32_t i = first; i < is->first_lid[home + 1]; i++) {
            is->sl_buffer[(size_t)is->column_of[i - first] * n + s] |=
                (uint16_t)sl_to(is, s, is->lids[i]);
        }
    }
}

/* Whether requests come from 'home' to whose LIDs in 'column' replies go. */
static bool
has_replies(const struct auditor *is, const struct column *column,
            uint32_t home)
{
    return (column->n_host_lids && is_source(is, home, HOSTS)) ||
           (column->n_lids > column->n_host_lids &&
            is_source(is, home, PORT_0));
}

/* Takes the paths from one side of switch 's' to 'column' with all SLs that
 * senders give it. */
static enum sf_status
take_column(struct auditor *is, enum sf_audit_behaviour behaviour,
            const struct column *column, uint32_t s, enum side side,
            uint32_t home)
{
    unsigned sls = column->sls[s];
    enum sf_status status = SF_OK;

    if (behaviour == SF_AUDIT_ONE_SL) {
        sls = 1u << is->params->one_sl;
    } else if (behaviour == SF_AUDIT_REPLIES && is->params->path_sls &&
               has_replies(is, column, home)) {
        sls |= is->sls_to[side][(size_t)home * is->fabric->n_switches + s];
    }
    for (; status == SF_OK && sls; sls &= sls - 1) {
        struct path path = { s, home, side, column,
                             (uint8_t)__builtin_ctz(sls) };
        status = take_path(is, &path);
    }
    return status;
}

/* Takes the paths from everywhere to 'column'. */
static enum sf_status
take_to(struct auditor *is, enum sf_audit_behaviour behaviour,
        const struct column *column, uint32_t home)
{
    enum sf_status status = SF_OK;

    for (uint32_t s = 0; s < is->fabric->n_switches; s++) {
        for (enum side side = HOSTS; status == SF_OK && side < N_SIDES;
             side++) {
            if (s != home && is_source(is, s, side) &&
                is->outcomes[s] == ARRIVES) {
                status = take_column(is, behaviour, column, s, side, home);
            }
        }
    }
    return status;
}

/* Takes all paths under 'behaviour'. */
static enum sf_status
take_all(struct auditor *is, enum sf_audit_behaviour behaviour)
{
    enum sf_status status = SF_OK;
    uint32_t n = is->fabric->n_switches;

    for (uint32_t home = 0; status == SF_OK && home < n; home++) {
        make_columns(is, home);
        find_sls(is, home);
        for (uint32_t k = 0; status == SF_OK && k < is->n_columns; k++) {
            follow_all(is, &is->columns[k], home);
            status = take_to(is, behaviour, &is->columns[k], home);
        }
        sf_progress_report(is->params->progress, "deadlock", home + 1, n);
    }
    return status;
}

/* Takes all paths again until each dependency of 'cycle' has one that causes
 * it. */
static enum sf_status
explain(struct auditor *is, enum sf_audit_behaviour behaviour,
        const uint32_t *cycle)
{
    struct sf_audit_deadlock *deadlock = is->deadlock;
    struct sf_cdg *cdg = is->cdg;
    uint64_t n_dropped = deadlock->n_dropped;

    deadlock->steps = sf_calloc(deadlock->n_steps, sizeof *deadlock->steps);
    if (!deadlock->steps) {
        return fail_memory(is);
    }
    sf_cdg_clear(cdg);
    for (uint32_t i = 0; i < deadlock->n_steps; i++) {
        uint32_t c = cycle[i], d = cycle[(i + 1) % deadlock->n_steps];
        *sf_cdg_row(cdg, c / cdg->n_vls, c % cdg->n_vls, d / cdg->n_vls) |=
            (uint16_t)(1u << d % cdg->n_vls);
    }
    is->is_explaining = true;
    is->cycle = cycle;
    enum sf_status status = take_all(is, behaviour);
    is->is_explaining = false;
    deadlock->n_dropped = n_dropped;
    return status;
}

static enum sf_status
check_deadlock(struct auditor *is, enum sf_audit_behaviour behaviour)
{
    struct sf_audit_deadlock *deadlock = &is->audit->deadlock[behaviour];
    const struct sf_cdg *cdg = is->cdg;
    uint32_t *cycle = NULL;

    is->deadlock = deadlock;
    sf_cdg_clear(is->cdg);
    enum sf_status status = take_all(is, behaviour);
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
    deadlock->sl = is->params->one_sl;
    status = sf_cdg_shortest_cycle(cdg, &cycle, &deadlock->n_steps, is->err);
    deadlock->is_free = deadlock->n_steps == 0;
    if (status == SF_OK && !deadlock->is_free) {
        status = explain(is, behaviour, cycle);
    }
    free(cycle);
    return status;
}

/* Without path SLs replies are like all other packets. */
static enum sf_status
copy_verdict(struct auditor *is)
{
    const struct sf_audit_deadlock *from =
        &is->audit->deadlock[SF_AUDIT_PATH_SLS];
    struct sf_audit_deadlock *to = &is->audit->deadlock[SF_AUDIT_REPLIES];
    struct sf_audit_step *steps = NULL;

    if (from->steps) {
        steps = sf_calloc(from->n_steps, sizeof *steps);
        if (!steps) {
            return fail_memory(is);
        }
        memcpy(steps, from->steps, from->n_steps * sizeof *steps);
    }
    *to = *from;
    to->steps = steps;
    return SF_OK;
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

/* Reachability, hops, loads. */
static enum sf_status
check_paths(struct auditor *is)
{
    struct sf_audit *audit = is->audit;
    uint32_t n = is->fabric->n_switches;

    for (uint32_t home = 0; home < n; home++) {
        make_columns(is, home);
        for (uint32_t k = 0; k < is->n_columns; k++) {
            follow_all(is, &is->columns[k], home);
            count_paths(is, &is->columns[k], home);
        }
        sf_progress_report(is->params->progress, "paths", home + 1, n);
    }
    for (uint32_t i = 0; i <= n; i++) {
        audit->most_hops = is->n_by_hops[i] ? i : audit->most_hops;
    }
    audit->n_by_hops = is->n_by_hops;
    is->n_by_hops = NULL;
    audit->n_links = is->cdg->n_arcs;
    audit->links = sf_calloc(audit->n_links, sizeof *audit->links);
    if (!audit->links) {
        return fail_memory(is);
    }
    for (uint32_t i = 0; i < audit->n_links; i++) {
        audit->links[i] =
            (struct sf_audit_link){ is->cdg->arcs[i].port, is->loads[i] };
        audit->n_unused += !is->loads[i];
    }
    qsort(audit->links, audit->n_links, sizeof *audit->links, compare_loads);
    return SF_OK;
}

static enum sf_status
check_arguments(const struct auditor *is)
{
    const struct sf_audit_params *params = is->params;
    uint32_t n = is->fabric->n_switches;

    if (is->tables->n_switches != n ||
        (params->sl2vl && params->sl2vl->n_switches != n) ||
        (params->path_sls &&
         (params->path_sls->n_switches != n ||
          params->path_sls->max_lid != is->tables->max_lid))) {
        return sf_fail(is->err, SF_EINVAL,
                       "the tables are not those of this fabric");
    }
    if (params->has_one_sl && params->one_sl >= SF_N_SLS) {
        return sf_fail(is->err, SF_EINVAL, "SL %u: expected 0 to 15",
                       params->one_sl);
    }
    return SF_OK;
}

/* Reserves memory for LIDs and switches; 'columns' and 'buffer' are for when
 * it is known how many LIDs a switch has. */
static bool
reserve(struct auditor *is)
{
    size_t n = is->fabric->n_switches;
    size_t n_lids = (size_t)is->tables->max_lid + 1;

    is->homes = sf_calloc(n_lids, sizeof *is->homes);
    is->lids = sf_calloc(n_lids, sizeof *is->lids);
    is->first_lid = sf_calloc(n + 1, sizeof *is->first_lid);
    is->n_hosts = sf_calloc(n, sizeof *is->n_hosts);
    is->drops =
        sf_calloc((size_t)is->cdg->n_arcs * SF_N_SLS, sizeof *is->drops);
    is->n_by_hops = sf_calloc(n + 1, sizeof *is->n_by_hops);
    is->loads = sf_calloc(is->cdg->n_arcs, sizeof *is->loads);
    is->outcomes = sf_calloc(n, sizeof *is->outcomes);
    is->hops = sf_calloc(n, sizeof *is->hops);
    is->ends = sf_calloc(n, sizeof *is->ends);
    is->next = sf_calloc(n, sizeof *is->next);
    is->trail = sf_calloc(n, sizeof *is->trail);
    for (enum side side = HOSTS; side < N_SIDES; side++) {
        is->start_vls[side] = sf_calloc((size_t)is->cdg->n_arcs * SF_N_SLS,
                                        sizeof *is->start_vls[side]);
        is->sls_to[side] = is->params->path_sls
                               ? sf_calloc(n * n, sizeof *is->sls_to[side])
                               : NULL;
        if (!is->start_vls[side] ||
            (!is->sls_to[side] && is->params->path_sls)) {
            return false;
        }
    }
    return is->homes && is->lids && is->first_lid && is->n_hosts &&
           is->drops && is->n_by_hops && is->loads && is->outcomes &&
           is->hops && is->ends && is->next && is->trail;
}

static void
release(struct auditor *is)
{
    free(is->column_of);
    free(is->columns);
    free(is->sl_buffer);
    free(is->buffer);
    free(is->trail);
    free(is->next);
    free(is->ends);
    free(is->hops);
    free(is->outcomes);
    free(is->loads);
    free(is->n_by_hops);
    free(is->drops);
    for (enum side side = HOSTS; side < N_SIDES; side++) {
        free(is->sls_to[side]);
        free(is->start_vls[side]);
    }
    free(is->n_hosts);
    free(is->first_lid);
    free(is->lids);
    free(is->homes);
    sf_cdg_free(is->cdg);
}

static enum sf_status
prepare(struct auditor *is)
{
    struct sf_audit *audit = is->audit;
    size_t n = is->fabric->n_switches;
    uint32_t most;

    audit->n_switches = is->fabric->n_switches;
    audit->n_hosts = is->fabric->n_nodes - is->fabric->n_switches;
    audit->has_sl2vl = is->params->sl2vl != NULL;
    audit->has_path_sls = is->params->path_sls != NULL;
    audit->has_port_0 = is->params->has_port_0;
    audit->n_vls = count_vls(is->params->sl2vl);
    enum sf_status status =
        sf_cdg_build(is->fabric, audit->n_vls, &is->cdg, is->err);
    if (status != SF_OK) {
        return status;
    }
    if (!reserve(is)) {
        return fail_memory(is);
    }
    status = find_homes(is, &most);
    if (status != SF_OK) {
        return status;
    }
    is->buffer = sf_calloc(most, n);
    is->sl_buffer = sf_calloc(most, n * sizeof *is->sl_buffer);
    is->columns = sf_calloc(most, sizeof *is->columns);
    is->column_of = sf_calloc(most, sizeof *is->column_of);
    if (!is->buffer || !is->sl_buffer || !is->columns || !is->column_of) {
        return fail_memory(is);
    }
    find_drops(is);
    find_start_vls(is);
    collect_sls(is);
    return SF_OK;
}

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
    struct auditor is = { .fabric = fabric,
                          .tables = tables,
                          .params = params ? params : &defaults,
                          .err = err };

    *auditp = NULL;
    enum sf_status status = check_arguments(&is);
    if (status != SF_OK) {
        return status;
    }
    is.audit = sf_calloc(1, sizeof *is.audit);
    status = is.audit ? prepare(&is) : fail_memory(&is);
    if (status == SF_OK) {
        status = check_paths(&is);
    }
    if (status == SF_OK) {
        status = check_deadlock(&is, SF_AUDIT_PATH_SLS);
    }
    if (status == SF_OK) {
        status = is.params->path_sls ? check_deadlock(&is, SF_AUDIT_REPLIES)
                                     : copy_verdict(&is);
    }
    if (status == SF_OK && is.params->has_one_sl) {
        status = check_deadlock(&is, SF_AUDIT_ONE_SL);
    }
    release(&is);
    if (status != SF_OK) {
        sf_audit_free(is.audit);
        return status;
    }
    judge(is.audit);
    *auditp = is.audit;
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
