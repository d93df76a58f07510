#include "ib/live_child.h"

#include "base/mem.h"

#ifdef HAVE_IBNETDISC

#include "ib/mads.h"

#include <inttypes.h>
#include <string.h>

#define LIDS_IN_BLOCK 64

/* What is read, one after the other. */
enum stage {
    SELF,        /* Where this machine is. */
    NODE_INFO,   /* Whether the switches are where they should be. */
    SWITCH_INFO, /* Where their forwarding tables end. */
    BLOCKS,      /* These tables. */
    ROWS,        /* SL-to-VL tables. */
    N_STAGES,
};

static const unsigned attributes[N_STAGES] = {
    [SELF] = IB_ATTR_NODE_INFO,          [NODE_INFO] = IB_ATTR_NODE_INFO,
    [SWITCH_INFO] = IB_ATTR_SWITCH_INFO, [BLOCKS] = IB_ATTR_LINEARFORWTBL,
    [ROWS] = IB_ATTR_SLVL_TABLE,
};

/* Reading of tables.  The questions of a stage go round: 'round' after round,
 * each to all switches, so that those under way are for different ones. */
struct reading {
    const struct sf_live_tables_job *job;
    enum stage stage;
    uint32_t round, n_rounds;
    uint32_t s;          /* The next in this round. */
    uint32_t side;       /* In ROWS: most ports of a switch, plus 1. */
    ib_dr_path_t *paths; /* [n_switches] */
    uint16_t *tops;      /* [n_switches] The last LIDs in their tables. */
    uint32_t self;       /* Node, and */
    uint8_t self_port;   /* its port that we use, for a host. */
};

static bool
is_linked(const struct sf_fabric *fabric, uint32_t s, uint32_t number)
{
    uint32_t port = sf_fabric_port(fabric, s, number);
    return port != SF_NONE && fabric->ports[port].peer != SF_NONE;
}

/* Whether switch 's' is asked in this round. */
static bool
is_asked(const struct reading *is, uint32_t s)
{
    const struct sf_fabric *fabric = is->job->fabric;
    uint32_t in = is->round / is->side, out = is->round % is->side;

    if (is->stage == BLOCKS) {
        return is->round * LIDS_IN_BLOCK <= is->tops[s];
    }
    return is->stage != ROWS || (is_linked(fabric, s, out) &&
                                 (in == 0 || is_linked(fabric, s, in)));
}

static unsigned
modifier_of(const struct reading *is)
{
    uint32_t in = is->round / is->side, out = is->round % is->side;
    return is->stage == BLOCKS ? is->round
           : is->stage == ROWS ? in << 8 | out
                               : 0;
}

static bool
next_question(void *aux, struct sf_mad *mad)
{
    struct reading *is = aux;
    uint32_t n = is->stage == SELF ? 1 : is->job->fabric->n_switches;

    for (; is->round < is->n_rounds; is->round++, is->s = 0) {
        while (is->s < n) {
            uint32_t s = is->s++;
            if (is_asked(is, s)) {
                if (is->stage != SELF) {
                    mad->to.drpath = is->paths[s];
                }
                mad->attribute = attributes[is->stage];
                mad->modifier = modifier_of(is);
                mad->tags[0] = s;
                return true;
            }
        }
    }
    return false;
}

static bool
take_self(struct reading *is, uint8_t *data)
{
    const struct sf_fabric *fabric = is->job->fabric;
    uint64_t guid = mad_get_field64(data, 0, IB_NODE_GUID_F);

    is->self_port = (uint8_t)mad_get_field(data, 0, IB_NODE_LOCAL_PORT_F);
    for (is->self = 0; is->self < fabric->n_nodes; is->self++) {
        if (fabric->nodes[is->self].guid == guid) {
            return true;
        }
    }
    fprintf(stderr,
            "this machine, 0x%016" PRIx64 ", is not part of the fabric\n",
            guid);
    return false;
}

static bool
take_node_info(const struct reading *is, uint32_t s, uint8_t *data)
{
    const struct sf_node *node = &is->job->fabric->nodes[s];
    uint64_t guid = mad_get_field64(data, 0, IB_NODE_GUID_F);

    if (guid != node->guid) {
        fprintf(stderr,
                "in the place of switch %s, 0x%016" PRIx64 ", is 0x%016" PRIx64
                "; expected the fabric as it is now\n",
                node->name, node->guid, guid);
    }
    return guid == node->guid;
}

static void
take_block(const struct reading *is, uint32_t s, uint32_t block,
           const uint8_t *data)
{
    const struct sf_tables *tables = is->job->tables;
    uint8_t *ports = sf_tables_of(tables, s);

    for (uint32_t i = 0; i < LIDS_IN_BLOCK; i++) {
        uint32_t lid = block * LIDS_IN_BLOCK + i;
        if (lid <= is->tops[s] && tables->targets[lid] != SF_NONE) {
            ports[lid] = data[i];
        }
    }
}

static void
take_row(const struct reading *is, uint32_t s, uint32_t modifier,
         const uint8_t *data)
{
    uint8_t *vls =
        sf_sl2vl_of(is->job->sl2vl, s, modifier >> 8, modifier & 0xff);

    for (uint32_t sl = 0; sl < SF_N_SLS; sl++) {
        vls[sl] = data[sl / 2] >> (sl % 2 ? 0 : 4) & 0xf;
    }
}

static bool
take_answer(void *aux, const struct sf_mad *mad, uint8_t *data)
{
    struct reading *is = aux;
    uint32_t s = mad->tags[0], last = is->job->tables->max_lid;

    if (!data && is->stage == ROWS) {
        return true; /* The switch has none; the audit knows what to say. */
    }
    if (!data) {
        fprintf(stderr, "switch %s, 0x%016" PRIx64 ", refuses to answer\n",
                is->job->fabric->nodes[s].name,
                is->job->fabric->nodes[s].guid);
        return false;
    }
    switch (is->stage) {
    case SELF:
        return take_self(is, data);
    case NODE_INFO:
        return take_node_info(is, s, data);
    case SWITCH_INFO: {
        uint32_t top = mad_get_field(data, 0, IB_SW_LINEAR_FDB_TOP_F);
        is->tops[s] = (uint16_t)(top < last ? top : last);
        return true;
    }
    case BLOCKS:
        take_block(is, s, mad->modifier, data);
        return true;
    case ROWS:
    case N_STAGES:
        take_row(is, s, mad->modifier, data);
    }
    return true;
}

static void
lose_question(void *aux, const struct sf_mad *mad)
{
    const struct reading *is = aux;
    const struct sf_node *node = &is->job->fabric->nodes[mad->tags[0]];

    if (is->stage == SELF) {
        fputs("this machine's own port does not answer\n", stderr);
    } else {
        fprintf(stderr, "switch %s, 0x%016" PRIx64 ", does not answer\n",
                node->name, node->guid);
    }
}

/* Adds the way over 'port' to 'path'; false if it gets too long. */
static bool
extend(ib_dr_path_t *path, uint32_t number)
{
    if (path->cnt + 1 >= IB_SUBNET_PATH_HOPS_MAX) {
        return false;
    }
    path->p[++path->cnt] = (uint8_t)number;
    return true;
}

/* Finds the way to every switch, breadth first from this machine.  False if
 * there is none to one of them. */
static bool
find_paths(struct reading *is)
{
    const struct sf_fabric *fabric = is->job->fabric;
    uint32_t n = fabric->n_switches, n_queued = 0;
    uint32_t *queue = sf_calloc(n, sizeof *queue);
    bool *is_found = sf_calloc(n, sizeof *is_found);

    if (!queue || !is_found) {
        fputs("out of memory\n", stderr);
        free(is_found);
        free(queue);
        return false;
    }
    uint32_t start = is->self;
    if (start >= n) {
        uint32_t port = sf_fabric_port(fabric, start, is->self_port);
        uint32_t peer = port == SF_NONE ? SF_NONE : fabric->ports[port].peer;
        start = peer == SF_NONE ? SF_NONE : fabric->ports[peer].node;
    }
    if (start < n) {
        is_found[start] = true;
        queue[n_queued++] = start;
        if (is->self >= n) {
            extend(&is->paths[start], is->self_port);
        }
    }
    for (uint32_t i = 0; i < n_queued; i++) {
        const struct sf_node *node = &fabric->nodes[queue[i]];
        for (uint32_t number = 1; number <= node->n_ports; number++) {
            uint32_t peer = fabric->ports[node->first_port + number - 1].peer;
            uint32_t to = peer == SF_NONE ? SF_NONE : fabric->ports[peer].node;
            if (to >= n || is_found[to]) {
                continue;
            }
            is->paths[to] = is->paths[queue[i]];
            is_found[to] = extend(&is->paths[to], number);
            queue[n_queued] = to;
            n_queued += is_found[to];
        }
    }
    for (uint32_t s = 0; n_queued < n && s < n; s++) {
        if (!is_found[s]) {
            fprintf(stderr,
                    "there is no way from here to switch %s, 0x%016" PRIx64
                    "\n",
                    fabric->nodes[s].name, fabric->nodes[s].guid);
            break;
        }
    }
    free(is_found);
    free(queue);
    return n_queued == n;
}

static bool
read_stages(struct reading *is, struct sf_mads *mads)
{
    struct sf_mads_asker asker = { next_question, take_answer, lose_question,
                                   is };
    const uint32_t n_rounds[N_STAGES] = {
        [SELF] = 1,
        [NODE_INFO] = 1,
        [SWITCH_INFO] = 1,
        [BLOCKS] = is->job->tables->max_lid / LIDS_IN_BLOCK + 1,
        [ROWS] = is->side * is->side,
    };

    for (is->stage = SELF; is->stage < N_STAGES; is->stage++) {
        is->round = is->s = 0;
        is->n_rounds = n_rounds[is->stage];
        if (!sf_mads_ask(mads, &asker) ||
            (is->stage == SELF && !find_paths(is))) {
            return false;
        }
    }
    return true;
}

int
sf_live_read_tables(const void *tables_job, FILE *unused)
{
    const struct sf_live_tables_job *job = tables_job;
    struct reading is = { .job = job };
    uint32_t n = job->fabric->n_switches;
    struct sf_mads mads;

    (void)unused;
    for (uint32_t s = 0; s < n; s++) {
        uint32_t side = job->fabric->nodes[s].n_ports + 1;
        is.side = side > is.side ? side : is.side;
    }
    is.paths = sf_calloc(n, sizeof *is.paths);
    is.tops = sf_calloc(n, sizeof *is.tops);
    bool is_read = is.paths && is.tops &&
                   sf_mads_open(&mads, job->port, IB_SMI_DIRECT_CLASS);
    if (is_read) {
        is_read = read_stages(&is, &mads);
        sf_mads_close(&mads);
    }
    free(is.tops);
    free(is.paths);
    return is_read ? 0 : 1;
}

/* Asking for path SLs. */
struct asking {
    const struct sf_live_sls_job *job;
    struct sf_mads mads;
    uint32_t s, lid; /* The next path. */
};

/* Members of a path record that a question gives. */
#define MASK_DLID    (1u << 4)
#define MASK_SLID    (1u << 5)
#define MASK_N_PATHS (1u << 12)

static bool
next_path(void *aux, struct sf_mad *mad)
{
    struct asking *is = aux;
    const struct sf_live_sls_job *job = is->job;

    for (; is->s < job->fabric->n_switches; is->s++, is->lid = 0) {
        while (job->sources[is->s] && is->lid < job->path_sls->max_lid) {
            uint32_t lid = ++is->lid;
            if (job->models[lid] != lid || job->homes[lid] == is->s) {
                continue;
            }
            ib_portid_set(&mad->to, (int)is->mads.own.sm_lid, 1,
                          (int)IB_DEFAULT_QP1_QKEY);
            mad->to.sl = (uint8_t)is->mads.own.sm_sl;
            mad->attribute = IB_SA_ATTR_PATHRECORD;
            mad->mask = MASK_DLID | MASK_SLID | MASK_N_PATHS;
            mad_set_field(mad->data, 0, IB_SA_PR_DLID_F, lid);
            mad_set_field(mad->data, 0, IB_SA_PR_SLID_F, job->sources[is->s]);
            mad_set_field(mad->data, 0, IB_SA_PR_NPATH_F, 1);
            mad->tags[0] = is->s;
            mad->tags[1] = lid;
            return true;
        }
    }
    return false;
}

/* What is refused has no path: the SL stays open. */
static bool
take_path(void *aux, const struct sf_mad *mad, uint8_t *data)
{
    const struct asking *is = aux;

    if (data) {
        sf_path_sls_of(is->job->path_sls, mad->tags[0])[mad->tags[1]] =
            (uint8_t)mad_get_field(data, 0, IB_SA_PR_SL_F);
    }
    return true;
}

static void
lose_path(void *aux, const struct sf_mad *mad)
{
    const struct asking *is = aux;

    fprintf(stderr,
            "the subnet manager at LID %u does not answer about the path from "
            "%s to LID %u\n",
            is->mads.own.sm_lid, is->job->fabric->nodes[mad->tags[0]].name,
            mad->tags[1]);
}

int
sf_live_read_path_sls(const void *sls_job, FILE *unused)
{
    struct asking is = { .job = sls_job };
    struct sf_mads_asker asker = { next_path, take_path, lose_path, &is };

    (void)unused;
    if (!sf_mads_open(&is.mads, is.job->port, IB_SA_CLASS)) {
        return 1;
    }
    bool is_told = sf_mads_ask(&is.mads, &asker);
    sf_mads_close(&is.mads);
    return is_told ? 0 : 1;
}

#else

static int
say_missing(void)
{
    fputs("this slimfly was built without libibumad; give it what OpenSM "
          "dumps\n",
          stderr);
    return 1;
}

int
sf_live_read_tables(const void *tables_job, FILE *unused)
{
    (void)tables_job;
    (void)unused;
    return say_missing();
}

int
sf_live_read_path_sls(const void *sls_job, FILE *unused)
{
    (void)sls_job;
    (void)unused;
    return say_missing();
}

#endif
