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
fail_memory(struct auditor *auditor)
{
    sf_fail(auditor->err, SF_ENOMEM, "out of memory for an audit");
    return SF_ENOMEM;
}

static enum sf_status
add_home(struct auditor *auditor, uint32_t lid, struct home home)
{
    if (lid > auditor->tables->max_lid) {
        return sf_fail(auditor->err, SF_EINVAL,
                       "the tables end before LID %u of the fabric", lid);
    }
    if (auditor->homes[lid].s != SF_NONE) {
        return sf_fail(auditor->err, SF_EINVAL,
                       "LID %u belongs to two ports of the fabric", lid);
    }
    auditor->homes[lid] = home;
    auditor->audit->n_lids++;
    return SF_OK;
}

/* The LIDs of the hosts on switch 's', and its own. */
static enum sf_status
find_homes_on(struct auditor *auditor, uint32_t s)
{
    const struct sf_fabric *fabric = auditor->fabric;
    const struct sf_node *node = &fabric->nodes[s];
    enum sf_status status = SF_OK;

    for (uint32_t k = 0; node->lid && status == SF_OK && k < 1u << node->lmc;
         k++) {
        status =
            add_home(auditor, node->lid + k, (struct home){ s, 0, false });
    }
    for (uint32_t i = 0; status == SF_OK && i < node->n_ports; i++) {
        uint32_t peer = fabric->ports[node->first_port + i].peer;
        if (peer == SF_NONE || fabric->ports[peer].node < fabric->n_switches) {
            continue;
        }
        const struct sf_port *port = &fabric->ports[peer];
        auditor->n_hosts[s]++;
        for (uint32_t k = 0;
             port->lid && status == SF_OK && k < 1u << port->lmc; k++) {
            status = add_home(auditor, port->lid + k,
                              (struct home){ s, (uint8_t)(i + 1), true });
        }
    }
    return status;
}

/* Finds all LIDs and puts them in the order of their switches. */
static enum sf_status
find_homes(struct auditor *auditor, uint32_t *mostp)
{
    uint32_t n = auditor->fabric->n_switches,
             n_lids = auditor->tables->max_lid + 1;
    enum sf_status status = SF_OK;

    for (uint32_t lid = 0; lid < n_lids; lid++) {
        auditor->homes[lid].s = SF_NONE;
    }
    for (uint32_t s = 0; status == SF_OK && s < n; s++) {
        status = find_homes_on(auditor, s);
    }
    for (uint32_t lid = 0; status == SF_OK && lid < n_lids; lid++) {
        if (auditor->homes[lid].s != SF_NONE) {
            auditor->first_lid[auditor->homes[lid].s]++;
        }
    }
    uint32_t sum = 0;
    *mostp = 0;
    for (uint32_t s = 0; s < n; s++) {
        uint32_t count = auditor->first_lid[s];
        *mostp = count > *mostp ? count : *mostp;
        auditor->first_lid[s] = sum;
        sum += count;
    }
    auditor->first_lid[n] = sum;
    /* Filling moves each start to the end, which is the next one's start. */
    for (uint32_t lid = 0; status == SF_OK && lid < n_lids; lid++) {
        if (auditor->homes[lid].s != SF_NONE) {
            auditor->lids[auditor->first_lid[auditor->homes[lid].s]++] = lid;
        }
    }
    for (uint32_t s = n; s > 0; s--) {
        auditor->first_lid[s] = auditor->first_lid[s - 1];
    }
    auditor->first_lid[0] = 0;
    return status;
}

/* The VL on which switch 's' sends what came in at port 'in' with SL 'sl' out
 * at port 'out'. */
static uint8_t
vl_of(const struct auditor *auditor, uint32_t s, uint32_t in, uint32_t out,
      uint32_t sl)
{
    const struct sf_sl2vl *sl2vl = auditor->params->sl2vl;
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
port_number(const struct auditor *auditor, uint32_t arc)
{
    return auditor->fabric->ports[auditor->cdg->arcs[arc].port].number;
}

/* The port at which an arc comes in. */
static uint32_t
in_port(const struct auditor *auditor, uint32_t arc)
{
    return port_number(auditor, auditor->cdg->arcs[arc].reverse);
}

static bool
is_host_port(const struct auditor *auditor, uint32_t port)
{
    uint32_t peer = auditor->fabric->ports[port].peer;
    return peer != SF_NONE &&
           auditor->fabric->ports[peer].node >= auditor->fabric->n_switches;
}

/* What hosts at the end of an arc do not get over it. */
static void
find_drops(struct auditor *auditor)
{
    for (uint32_t arc = 0;
         auditor->params->sl2vl && arc < auditor->cdg->n_arcs; arc++) {
        uint32_t s = auditor->cdg->arcs[arc].to;
        const struct sf_node *node = &auditor->fabric->nodes[s];
        for (uint32_t i = 0; i < node->n_ports; i++) {
            for (uint32_t sl = 0;
                 is_host_port(auditor, node->first_port + i) && sl < SF_N_SLS;
                 sl++) {
                auditor->drops[(size_t)arc * SF_N_SLS + sl] |=
                    vl_of(auditor, s, in_port(auditor, arc), i + 1, sl) ==
                    SF_DROP_VL;
            }
        }
    }
}

/* The set of VLs, by port, on which packets from hosts of a switch take 'arc',
 * or, with 'is_any', packets from whatever is plugged into it; 0 if one is not
 * known. */
static unsigned
vls_from_ports(const struct auditor *auditor, uint32_t arc, uint32_t sl,
               bool is_any)
{
    uint32_t s = auditor->cdg->arcs[arc].from, out = port_number(auditor, arc);
    const struct sf_node *node = &auditor->fabric->nodes[s];
    unsigned vls = 0;

    for (uint32_t i = 0; i < node->n_ports; i++) {
        uint32_t port = node->first_port + i;
        if (!is_host_port(auditor, port) &&
            (!is_any || auditor->fabric->ports[port].peer == SF_NONE ||
             i + 1 == out)) {
            continue;
        }
        uint8_t vl = vl_of(auditor, s, i + 1, out, sl);
        if (vl > SF_DROP_VL) {
            return 0;
        }
        vls |= 1u << vl;
    }
    return vls;
}

/* Packets from hosts and from port 0 of its switch, on each arc. */
static void
find_start_vls(struct auditor *auditor)
{
    uint32_t last_unknown = SF_NONE;

    for (uint32_t arc = 0; arc < auditor->cdg->n_arcs; arc++) {
        uint32_t s = auditor->cdg->arcs[arc].from;
        for (uint32_t sl = 0; sl < SF_N_SLS; sl++) {
            size_t i = (size_t)arc * SF_N_SLS + sl;
            unsigned vls = vls_from_ports(auditor, arc, sl, false);
            uint8_t vl = vl_of(auditor, s, 0, port_number(auditor, arc), sl);
            auditor->start_vls[HOSTS][i] = (uint16_t)vls;
            if (vl <= SF_DROP_VL) {
                auditor->start_vls[PORT_0][i] = (uint16_t)(1u << vl);
                continue;
            }
            auditor->start_vls[PORT_0][i] =
                (uint16_t)(auditor->n_hosts[s]
                               ? vls
                               : vls_from_ports(auditor, arc, sl, true));
            auditor->audit->n_port_0_unknown +=
                auditor->params->has_port_0 && s != last_unknown;
            last_unknown = s;
        }
    }
}

/* Whether packets start at this side of switch 's'. */
static bool
is_source(const struct auditor *auditor, uint32_t s, enum side side)
{
    return side == HOSTS ? auditor->n_hosts[s] > 0
                         : auditor->params->has_port_0;
}

/* The set of the SL from switch 's' to 'lid'; SL 0 if it is not said. */
static unsigned
sl_to(const struct auditor *auditor, uint32_t s, uint32_t lid)
{
    if (!auditor->params->path_sls) {
        return 1;
    }
    uint8_t sl = sf_path_sls_of(auditor->params->path_sls, s)[lid];
    return sl == SF_NO_SL ? 1 : 1u << sl;
}

/* For replies: the SLs from each switch to the hosts of each other, and to it
 * itself.  Counts those that are not said. */
static void
collect_sls(struct auditor *auditor)
{
    uint32_t n = auditor->fabric->n_switches;

    for (uint32_t s = 0; auditor->params->path_sls && s < n; s++) {
        bool sends =
            is_source(auditor, s, HOSTS) || is_source(auditor, s, PORT_0);
        for (uint32_t lid = 1; lid <= auditor->tables->max_lid; lid++) {
            struct home home = auditor->homes[lid];
            if (home.s == SF_NONE) {
                continue;
            }
            auditor->audit->n_without_sl +=
                home.s != s && sends &&
                sf_path_sls_of(auditor->params->path_sls, s)[lid] == SF_NO_SL;
            auditor->sls_to[home.is_host ? HOSTS : PORT_0]
                           [(size_t)s * n + home.s] |=
                (uint16_t)sl_to(auditor, s, lid);
        }
    }
}

/* Sorts the LIDs of switch 's' into columns. */
static void
make_columns(struct auditor *auditor, uint32_t s)
{
    uint32_t n = auditor->fabric->n_switches;

    auditor->n_columns = 0;
    for (uint32_t i = auditor->first_lid[s]; i < auditor->first_lid[s + 1];
         i++) {
        uint32_t lid = auditor->lids[i], k = 0;
        uint8_t *entries = auditor->buffer + (size_t)auditor->n_columns * n;
        for (uint32_t at = 0; at < n; at++) {
            entries[at] = sf_tables_of(auditor->tables, at)[lid];
        }
        bool is_right = entries[s] == auditor->homes[lid].port;
        if (is_right) {
            entries[s] = 0;
        }
        while (k < auditor->n_columns &&
               (auditor->columns[k].is_right != is_right ||
                memcmp(auditor->columns[k].entries, entries, n) != 0)) {
            k++;
        }
        struct column *column = &auditor->columns[k];
        if (k == auditor->n_columns) {
            *column =
                (struct column){ .entries = entries,
                                 .sls = auditor->sl_buffer + (size_t)k * n,
                                 .is_right = is_right,
                                 .lid = lid };
            auditor->n_columns++;
        }
        column->n_lids++;
        if (auditor->homes[lid].is_host && column->n_host_lids++ == 0) {
            column->lid = lid;
        }
        auditor->column_of[i - auditor->first_lid[s]] = k;
    }
}

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

/* Finds out where 'column' leads from everywhere. */
static void
follow_all(struct auditor *auditor, const struct column *column, uint32_t home)
{
    uint32_t n = auditor->fabric->n_switches;

    memset(auditor->outcomes, UNKNOWN, n);
    for (uint32_t s = 0; s < n; s++) {
        follow(auditor, column, home, s);
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

/* A LID of the path's column to which its source sends with its SL; any of
 * the hosts' if that is the SL of a reply or of all. */
static uint32_t
lid_of_path(const struct auditor *auditor, const struct path *path)
{
    uint32_t first = auditor->first_lid[path->home];
    uint32_t k = (uint32_t)(path->column - auditor->columns);

    for (uint32_t i = first; i < auditor->first_lid[path->home + 1]; i++) {
        if (auditor->column_of[i - first] == k &&
            sl_to(auditor, path->source, auditor->lids[i]) == 1u << path->sl) {
            return auditor->lids[i];
        }
    }
    return path->column->lid;
}

/* Names 'path' as what holds (in, vl) in the cycle. */
static void
explain_step(struct auditor *auditor, const struct path *path, uint32_t in,
             uint32_t vl)
{
    for (uint32_t i = 0; i < auditor->deadlock->n_steps; i++) {
        if (auditor->cycle[i] == in * auditor->cdg->n_vls + vl) {
            auditor->deadlock->steps[i] = (struct sf_audit_step){
                .at = auditor->cdg->arcs[in].from,
                .port = (uint8_t)port_number(auditor, in),
                .vl = (uint8_t)vl,
                .sl = path->sl,
                .source = path->source,
                .is_port_0 = path->side == PORT_0,
                .lid = lid_of_path(auditor, path),
            };
        }
    }
}

/* 'path' waits for (out, vl_out) while it holds (in, vl_in): remembers that,
 * or explains it. */
static void
depend(struct auditor *auditor, const struct path *path, uint32_t in,
       uint32_t vl_in, uint32_t out, uint32_t vl_out)
{
    uint16_t *row = sf_cdg_row(auditor->cdg, in, vl_in, out);
    unsigned bit = 1u << vl_out;

    if (!auditor->is_explaining) {
        *row |= (uint16_t)bit;
    } else if (*row & bit) {
        *row &= (uint16_t)~bit;
        explain_step(auditor, path, in, vl_in);
    }
}

static enum sf_status
fail_no_vl(struct auditor *auditor, uint32_t s, uint32_t arc, uint32_t sl)
{
    return sf_fail(auditor->err, SF_EINVAL,
                   "the SL-to-VL tables do not say all VLs of switch %s "
                   "(0x%016" PRIx64 ") for port %u and SL %u, which paths use",
                   auditor->fabric->nodes[s].name,
                   auditor->fabric->nodes[s].guid, port_number(auditor, arc),
                   sl);
}

/* Whether some of the path's LIDs do not get what comes over its last arc. */
static bool
is_dropped_at_home(const struct auditor *auditor, const struct path *path,
                   uint32_t in)
{
    uint32_t first = auditor->first_lid[path->home];
    uint32_t k = (uint32_t)(path->column - auditor->columns);

    if (!auditor->drops[(size_t)in * SF_N_SLS + path->sl]) {
        return false;
    }
    for (uint32_t i = first; i < auditor->first_lid[path->home + 1]; i++) {
        struct home home = auditor->homes[auditor->lids[i]];
        if (auditor->column_of[i - first] == k && home.is_host &&
            vl_of(auditor, home.s, in_port(auditor, in), home.port,
                  path->sl) == SF_DROP_VL) {
            return true;
        }
    }
    return false;
}

/* Takes a path, which arrives, channel by channel. */
static enum sf_status
take_path(struct auditor *auditor, const struct path *path)
{
    const struct sf_cdg *cdg = auditor->cdg;
    uint32_t sl = path->sl;
    uint32_t in = auditor->next[path->source];
    unsigned vls = auditor->start_vls[path->side][(size_t)in * SF_N_SLS + sl];

    if (!vls) {
        return fail_no_vl(auditor, path->source, in, sl);
    }
    auditor->deadlock->n_dropped += vls >> SF_DROP_VL;
    vls &= (1u << SF_DROP_VL) - 1;
    for (;;) {
        for (unsigned rest = vls; rest; rest &= rest - 1) {
            uint32_t vl = (uint32_t)__builtin_ctz(rest);
            cdg->is_used[(size_t)in * cdg->n_vls + vl] = true;
        }
        uint32_t at = cdg->arcs[in].to;
        if (at == path->home || !vls) {
            auditor->deadlock->n_dropped +=
                vls && is_dropped_at_home(auditor, path, in);
            return SF_OK;
        }
        uint32_t out = auditor->next[at];
        uint8_t vl_out = vl_of(auditor, at, in_port(auditor, in),
                               port_number(auditor, out), sl);
        if (vl_out > SF_DROP_VL) {
            return fail_no_vl(auditor, at, out, sl);
        }
        if (vl_out == SF_DROP_VL) {
            auditor->deadlock->n_dropped++;
            return SF_OK;
        }
        for (unsigned rest = vls; rest; rest &= rest - 1) {
            uint32_t vl = (uint32_t)__builtin_ctz(rest);
            depend(auditor, path, in, vl, out, vl_out);
        }
        vls = 1u << vl_out;
        in = out;
    }
}

/* The SLs of the paths from every switch to the columns of 'home'. */
static void
find_sls(struct auditor *auditor, uint32_t home)
{
    uint32_t n = auditor->fabric->n_switches, first = auditor->first_lid[home];

    memset(auditor->sl_buffer, 0,
           (size_t)auditor->n_columns * n * sizeof *auditor->sl_buffer);
    for (uint32_t s = 0; s < n; s++) {
        for (uint32_t i = first; i < auditor->first_lid[home + 1]; i++) {
            auditor
                ->sl_buffer[(size_t)auditor->column_of[i - first] * n + s] |=
                (uint16_t)sl_to(auditor, s, auditor->lids[i]);
        }
    }
}

/* Whether requests come from 'home' to whose LIDs in 'column' replies go. */
static bool
has_replies(const struct auditor *auditor, const struct column *column,
            uint32_t home)
{
    return (column->n_host_lids && is_source(auditor, home, HOSTS)) ||
           (column->n_lids > column->n_host_lids &&
            is_source(auditor, home, PORT_0));
}

/* Takes the paths from one side of switch 's' to 'column' with all SLs that
 * senders give it. */
static enum sf_status
take_column(struct auditor *auditor, enum sf_audit_behaviour behaviour,
            const struct column *column, uint32_t s, enum side side,
            uint32_t home)
{
    unsigned sls = column->sls[s];
    enum sf_status status = SF_OK;

    if (behaviour == SF_AUDIT_ONE_SL) {
        sls = 1u << auditor->params->one_sl;
    } else if (behaviour == SF_AUDIT_REPLIES && auditor->params->path_sls &&
               has_replies(auditor, column, home)) {
        sls |=
            auditor
                ->sls_to[side][(size_t)home * auditor->fabric->n_switches + s];
    }
    for (; status == SF_OK && sls; sls &= sls - 1) {
        struct path path = { s, home, side, column,
                             (uint8_t)__builtin_ctz(sls) };
        status = take_path(auditor, &path);
    }
    return status;
}

/* Takes the paths from everywhere to 'column'. */
static enum sf_status
take_to(struct auditor *auditor, enum sf_audit_behaviour behaviour,
        const struct column *column, uint32_t home)
{
    enum sf_status status = SF_OK;

    for (uint32_t s = 0; s < auditor->fabric->n_switches; s++) {
        for (enum side side = HOSTS; status == SF_OK && side < N_SIDES;
             side++) {
            if (s != home && is_source(auditor, s, side) &&
                auditor->outcomes[s] == ARRIVES) {
                status =
                    take_column(auditor, behaviour, column, s, side, home);
            }
        }
    }
    return status;
}

/* Takes all paths under 'behaviour'. */
static enum sf_status
take_all(struct auditor *auditor, enum sf_audit_behaviour behaviour)
{
    enum sf_status status = SF_OK;
    uint32_t n = auditor->fabric->n_switches;

    for (uint32_t home = 0; status == SF_OK && home < n; home++) {
        make_columns(auditor, home);
        find_sls(auditor, home);
        for (uint32_t k = 0; status == SF_OK && k < auditor->n_columns; k++) {
            follow_all(auditor, &auditor->columns[k], home);
            status = take_to(auditor, behaviour, &auditor->columns[k], home);
        }
        sf_progress_report(auditor->params->progress, "deadlock", home + 1, n);
    }
    return status;
}

/* Takes all paths again until each dependency of 'cycle' has one that causes
 * it. */
static enum sf_status
explain(struct auditor *auditor, enum sf_audit_behaviour behaviour,
        const uint32_t *cycle)
{
    struct sf_audit_deadlock *deadlock = auditor->deadlock;
    struct sf_cdg *cdg = auditor->cdg;
    uint64_t n_dropped = deadlock->n_dropped;

    deadlock->steps = sf_calloc(deadlock->n_steps, sizeof *deadlock->steps);
    if (!deadlock->steps) {
        return fail_memory(auditor);
    }
    sf_cdg_clear(cdg);
    for (uint32_t i = 0; i < deadlock->n_steps; i++) {
        uint32_t c = cycle[i], d = cycle[(i + 1) % deadlock->n_steps];
        *sf_cdg_row(cdg, c / cdg->n_vls, c % cdg->n_vls, d / cdg->n_vls) |=
            (uint16_t)(1u << d % cdg->n_vls);
    }
    auditor->is_explaining = true;
    auditor->cycle = cycle;
    enum sf_status status = take_all(auditor, behaviour);
    auditor->is_explaining = false;
    deadlock->n_dropped = n_dropped;
    return status;
}

static enum sf_status
check_deadlock(struct auditor *auditor, enum sf_audit_behaviour behaviour)
{
    struct sf_audit_deadlock *deadlock = &auditor->audit->deadlock[behaviour];
    const struct sf_cdg *cdg = auditor->cdg;
    uint32_t *cycle = NULL;

    auditor->deadlock = deadlock;
    sf_cdg_clear(auditor->cdg);
    enum sf_status status = take_all(auditor, behaviour);
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
    deadlock->sl = auditor->params->one_sl;
    status =
        sf_cdg_shortest_cycle(cdg, &cycle, &deadlock->n_steps, auditor->err);
    deadlock->is_free = deadlock->n_steps == 0;
    if (status == SF_OK && !deadlock->is_free) {
        status = explain(auditor, behaviour, cycle);
    }
    free(cycle);
    return status;
}

/* Without path SLs replies are like all other packets. */
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
            return fail_memory(auditor);
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
check_paths(struct auditor *auditor)
{
    struct sf_audit *audit = auditor->audit;
    uint32_t n = auditor->fabric->n_switches;

    for (uint32_t home = 0; home < n; home++) {
        make_columns(auditor, home);
        for (uint32_t k = 0; k < auditor->n_columns; k++) {
            follow_all(auditor, &auditor->columns[k], home);
            count_paths(auditor, &auditor->columns[k], home);
        }
        sf_progress_report(auditor->params->progress, "paths", home + 1, n);
    }
    for (uint32_t i = 0; i <= n; i++) {
        audit->most_hops = auditor->n_by_hops[i] ? i : audit->most_hops;
    }
    audit->n_by_hops = auditor->n_by_hops;
    auditor->n_by_hops = NULL;
    audit->n_links = auditor->cdg->n_arcs;
    audit->links = sf_calloc(audit->n_links, sizeof *audit->links);
    if (!audit->links) {
        return fail_memory(auditor);
    }
    for (uint32_t i = 0; i < audit->n_links; i++) {
        audit->links[i] = (struct sf_audit_link){ auditor->cdg->arcs[i].port,
                                                  auditor->loads[i] };
        audit->n_unused += !auditor->loads[i];
    }
    qsort(audit->links, audit->n_links, sizeof *audit->links, compare_loads);
    return SF_OK;
}

static enum sf_status
check_arguments(const struct auditor *auditor)
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

/* Reserves memory for LIDs and switches; 'columns' and 'buffer' are for when
 * it is known how many LIDs a switch has. */
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
    for (enum side side = HOSTS; side < N_SIDES; side++) {
        auditor->start_vls[side] =
            sf_calloc((size_t)auditor->cdg->n_arcs * SF_N_SLS,
                      sizeof *auditor->start_vls[side]);
        auditor->sls_to[side] =
            auditor->params->path_sls
                ? sf_calloc(n * n, sizeof *auditor->sls_to[side])
                : NULL;
        if (!auditor->start_vls[side] ||
            (!auditor->sls_to[side] && auditor->params->path_sls)) {
            return false;
        }
    }
    return auditor->homes && auditor->lids && auditor->first_lid &&
           auditor->n_hosts && auditor->drops && auditor->n_by_hops &&
           auditor->loads && auditor->outcomes && auditor->hops &&
           auditor->ends && auditor->next && auditor->trail;
}

static void
release(struct auditor *auditor)
{
    free(auditor->column_of);
    free(auditor->columns);
    free(auditor->sl_buffer);
    free(auditor->buffer);
    free(auditor->trail);
    free(auditor->next);
    free(auditor->ends);
    free(auditor->hops);
    free(auditor->outcomes);
    free(auditor->loads);
    free(auditor->n_by_hops);
    free(auditor->drops);
    for (enum side side = HOSTS; side < N_SIDES; side++) {
        free(auditor->sls_to[side]);
        free(auditor->start_vls[side]);
    }
    free(auditor->n_hosts);
    free(auditor->first_lid);
    free(auditor->lids);
    free(auditor->homes);
    sf_cdg_free(auditor->cdg);
}

static enum sf_status
prepare(struct auditor *auditor)
{
    struct sf_audit *audit = auditor->audit;
    size_t n = auditor->fabric->n_switches;
    uint32_t most;

    audit->n_switches = auditor->fabric->n_switches;
    audit->n_hosts = auditor->fabric->n_nodes - auditor->fabric->n_switches;
    audit->has_sl2vl = auditor->params->sl2vl != NULL;
    audit->has_path_sls = auditor->params->path_sls != NULL;
    audit->has_port_0 = auditor->params->has_port_0;
    audit->n_vls = count_vls(auditor->params->sl2vl);
    enum sf_status status = sf_cdg_build(auditor->fabric, audit->n_vls,
                                         &auditor->cdg, auditor->err);
    if (status != SF_OK) {
        return status;
    }
    if (!reserve(auditor)) {
        return fail_memory(auditor);
    }
    status = find_homes(auditor, &most);
    if (status != SF_OK) {
        return status;
    }
    auditor->buffer = sf_calloc(most, n);
    auditor->sl_buffer = sf_calloc(most, n * sizeof *auditor->sl_buffer);
    auditor->columns = sf_calloc(most, sizeof *auditor->columns);
    auditor->column_of = sf_calloc(most, sizeof *auditor->column_of);
    if (!auditor->buffer || !auditor->sl_buffer || !auditor->columns ||
        !auditor->column_of) {
        return fail_memory(auditor);
    }
    find_drops(auditor);
    find_start_vls(auditor);
    collect_sls(auditor);
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
    struct auditor auditor = { .fabric = fabric,
                               .tables = tables,
                               .params = params ? params : &defaults,
                               .err = err };

    *auditp = NULL;
    enum sf_status status = check_arguments(&auditor);
    if (status != SF_OK) {
        return status;
    }
    auditor.audit = sf_calloc(1, sizeof *auditor.audit);
    status = auditor.audit ? prepare(&auditor) : fail_memory(&auditor);
    if (status == SF_OK) {
        status = check_paths(&auditor);
    }
    if (status == SF_OK) {
        status = check_deadlock(&auditor, SF_AUDIT_PATH_SLS);
    }
    if (status == SF_OK) {
        status = auditor.params->path_sls
                     ? check_deadlock(&auditor, SF_AUDIT_REPLIES)
                     : copy_verdict(&auditor);
    }
    if (status == SF_OK && auditor.params->has_one_sl) {
        status = check_deadlock(&auditor, SF_AUDIT_ONE_SL);
    }
    release(&auditor);
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
