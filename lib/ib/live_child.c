#include "ib/live_child.h"

#include "base/mem.h"

#ifdef HAVE_IBNETDISC

#include "ib/direct_paths.h"
#include "ib/mads.h"
#include "slimfly/progress.h"

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

static const char *const names[N_STAGES] = {
    [SELF] = "looking for this machine",
    [NODE_INFO] = "looking for the switches",
    [SWITCH_INFO] = "looking for the switches",
    [BLOCKS] = "reading forwarding tables",
    [ROWS] = "reading SL-to-VL tables",
};

/* How far the reading of tables has come.  Each stage asks in rounds; a round
 * asks every switch one question, so that the questions under way at once go
 * to different switches. */
struct table_reading {
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
is_asked(const struct table_reading *reading, uint32_t s)
{
    const struct sf_fabric *fabric = reading->job->fabric;
    uint32_t in = reading->round / reading->side,
             out = reading->round % reading->side;

    if (reading->stage == BLOCKS) {
        return reading->round * LIDS_IN_BLOCK <= reading->tops[s];
    }
    return reading->stage != ROWS || (is_linked(fabric, s, out) &&
                                      (in == 0 || is_linked(fabric, s, in)));
}

static unsigned
modifier_of(const struct table_reading *reading)
{
    uint32_t in = reading->round / reading->side,
             out = reading->round % reading->side;
    return reading->stage == BLOCKS ? reading->round
           : reading->stage == ROWS ? in << 8 | out
                                    : 0;
}

static bool
next_question(void *aux, struct sf_mad *mad)
{
    struct table_reading *reading = aux;
    uint32_t n = reading->stage == SELF ? 1 : reading->job->fabric->n_switches;

    for (; reading->round < reading->n_rounds;
         reading->round++, reading->s = 0) {
        if (reading->s == 0) {
            sf_progress_report(names[reading->stage], reading->round,
                               reading->n_rounds);
        }
        while (reading->s < n) {
            uint32_t s = reading->s++;
            if (is_asked(reading, s)) {
                if (reading->stage != SELF) {
                    mad->to.drpath = reading->paths[s];
                }
                mad->attribute = attributes[reading->stage];
                mad->modifier = modifier_of(reading);
                mad->tags[0] = s;
                return true;
            }
        }
    }
    return false;
}

static bool
take_self(struct table_reading *reading, uint8_t *data)
{
    reading->self_port = (uint8_t)mad_get_field(data, 0, IB_NODE_LOCAL_PORT_F);
    reading->self = sf_direct_paths_self(
        reading->job->fabric, mad_get_field64(data, 0, IB_NODE_GUID_F));
    return reading->self != SF_NONE;
}

static bool
take_node_info(const struct table_reading *reading, uint32_t s, uint8_t *data)
{
    const struct sf_node *node = &reading->job->fabric->nodes[s];
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
take_block(const struct table_reading *reading, uint32_t s, uint32_t block,
           const uint8_t *data)
{
    const struct sf_tables *tables = reading->job->tables;
    uint8_t *ports = sf_tables_of(tables, s);

    for (uint32_t i = 0; i < LIDS_IN_BLOCK; i++) {
        uint32_t lid = block * LIDS_IN_BLOCK + i;
        if (lid <= reading->tops[s] && tables->targets[lid] != SF_NONE) {
            ports[lid] = data[i];
        }
    }
}

static void
take_row(const struct table_reading *reading, uint32_t s, uint32_t modifier,
         const uint8_t *data)
{
    uint8_t *vls =
        sf_sl2vl_of(reading->job->sl2vl, s, modifier >> 8, modifier & 0xff);

    for (uint32_t sl = 0; sl < SF_N_SLS; sl++) {
        vls[sl] = data[sl / 2] >> (sl % 2 ? 0 : 4) & 0xf;
    }
}

static bool
take_answer(void *aux, const struct sf_mad *mad, uint8_t *data)
{
    struct table_reading *reading = aux;
    uint32_t s = mad->tags[0], last = reading->job->tables->max_lid;

    if (!data && reading->stage == ROWS) {
        return true; /* The switch has none; the audit knows what to say. */
    }
    if (!data) {
        fprintf(stderr, "switch %s, 0x%016" PRIx64 ", refuses to answer\n",
                reading->job->fabric->nodes[s].name,
                reading->job->fabric->nodes[s].guid);
        return false;
    }
    switch (reading->stage) {
    case SELF:
        return take_self(reading, data);
    case NODE_INFO:
        return take_node_info(reading, s, data);
    case SWITCH_INFO: {
        uint32_t top = mad_get_field(data, 0, IB_SW_LINEAR_FDB_TOP_F);
        reading->tops[s] = (uint16_t)(top < last ? top : last);
        return true;
    }
    case BLOCKS:
        take_block(reading, s, mad->modifier, data);
        return true;
    case ROWS:
    case N_STAGES:
        take_row(reading, s, mad->modifier, data);
    }
    return true;
}

static void
lose_question(void *aux, const struct sf_mad *mad)
{
    const struct table_reading *reading = aux;
    const struct sf_node *node = &reading->job->fabric->nodes[mad->tags[0]];

    if (reading->stage == SELF) {
        fputs("this machine's own port does not answer\n", stderr);
    } else {
        fprintf(stderr, "switch %s, 0x%016" PRIx64 ", does not answer\n",
                node->name, node->guid);
    }
}

/* Finds the way to every switch.  False if there is none to one of them. */
static bool
find_paths(struct table_reading *reading)
{
    const struct sf_fabric *fabric = reading->job->fabric;
    bool *is_found = sf_calloc(fabric->n_switches, sizeof *is_found);

    if (!is_found ||
        !sf_direct_paths_find(fabric, reading->self, reading->self_port,
                              reading->paths, is_found)) {
        fputs("out of memory\n", stderr);
        free(is_found);
        return false;
    }
    uint32_t s = 0;
    while (s < fabric->n_switches && is_found[s]) {
        s++;
    }
    free(is_found);
    if (s < fabric->n_switches) {
        fprintf(stderr,
                "there is no way from here to switch %s, 0x%016" PRIx64 "\n",
                fabric->nodes[s].name, fabric->nodes[s].guid);
    }
    return s == fabric->n_switches;
}

static bool
read_stages(struct table_reading *reading, struct sf_mads *mads)
{
    struct sf_mads_asker asker = { next_question, take_answer, lose_question,
                                   reading, false };
    const uint32_t n_rounds[N_STAGES] = {
        [SELF] = 1,
        [NODE_INFO] = 1,
        [SWITCH_INFO] = 1,
        [BLOCKS] = reading->job->tables->max_lid / LIDS_IN_BLOCK + 1,
        [ROWS] = reading->job->sl2vl ? reading->side * reading->side : 0,
    };

    for (reading->stage = SELF; reading->stage < N_STAGES; reading->stage++) {
        reading->round = reading->s = 0;
        reading->n_rounds = n_rounds[reading->stage];
        if (!sf_mads_ask(mads, &asker) ||
            (reading->stage == SELF && !find_paths(reading))) {
            return false;
        }
    }
    return true;
}

int
sf_live_read_tables(const void *tables_job, FILE *unused)
{
    const struct sf_live_tables_job *job = tables_job;
    struct table_reading reading = { .job = job };
    uint32_t n = job->fabric->n_switches;
    struct sf_mads mads;

    (void)unused;
    for (uint32_t s = 0; s < n; s++) {
        uint32_t side = job->fabric->nodes[s].n_ports + 1;
        reading.side = side > reading.side ? side : reading.side;
    }
    reading.paths = sf_calloc(n, sizeof *reading.paths);
    reading.tops = sf_calloc(n, sizeof *reading.tops);
    int code = reading.paths && reading.tops
                   ? sf_mads_open(&mads, job->port, IB_SMI_DIRECT_CLASS)
                   : 1;
    if (code == 0) {
        code = read_stages(&reading, &mads) ? 0 : 1;
        sf_mads_close(&mads);
    }
    free(reading.tops);
    free(reading.paths);
    return code;
}

/* How far the questions for path SLs have come. */
struct path_cursor {
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
    struct path_cursor *cursor = aux;
    const struct sf_live_sls_job *job = cursor->job;

    for (; cursor->s < job->fabric->n_switches; cursor->s++, cursor->lid = 0) {
        sf_progress_report("asking for path SLs", cursor->s,
                           job->fabric->n_switches);
        while (job->sources[cursor->s] &&
               cursor->lid < job->path_sls->max_lid) {
            uint32_t lid = ++cursor->lid;
            if (job->models[lid] != lid || job->homes[lid] == cursor->s) {
                continue;
            }
            ib_portid_set(&mad->to, (int)cursor->mads.own.sm_lid, 1,
                          (int)IB_DEFAULT_QP1_QKEY);
            mad->to.sl = (uint8_t)cursor->mads.own.sm_sl;
            mad->attribute = IB_SA_ATTR_PATHRECORD;
            mad->mask = MASK_DLID | MASK_SLID | MASK_N_PATHS;
            mad_set_field(mad->data, 0, IB_SA_PR_DLID_F, lid);
            mad_set_field(mad->data, 0, IB_SA_PR_SLID_F,
                          job->sources[cursor->s]);
            mad_set_field(mad->data, 0, IB_SA_PR_NPATH_F, 1);
            mad->tags[0] = cursor->s;
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
    const struct path_cursor *cursor = aux;

    if (data) {
        sf_path_sls_of(cursor->job->path_sls, mad->tags[0])[mad->tags[1]] =
            (uint8_t)mad_get_field(data, 0, IB_SA_PR_SL_F);
    }
    return true;
}

static void
lose_path(void *aux, const struct sf_mad *mad)
{
    const struct path_cursor *cursor = aux;

    fprintf(stderr,
            "the subnet manager at LID %u does not answer about the path from "
            "%s to LID %u\n",
            cursor->mads.own.sm_lid,
            cursor->job->fabric->nodes[mad->tags[0]].name, mad->tags[1]);
}

int
sf_live_read_path_sls(const void *sls_job, FILE *unused)
{
    struct path_cursor cursor = { .job = sls_job };
    struct sf_mads_asker asker = { next_path, take_path, lose_path, &cursor,
                                   false };

    (void)unused;
    int code = sf_mads_open(&cursor.mads, cursor.job->port, IB_SA_CLASS);
    if (code != 0) {
        return code;
    }
    bool is_told = sf_mads_ask(&cursor.mads, &asker);
    sf_mads_close(&cursor.mads);
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
