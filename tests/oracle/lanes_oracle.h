/* lanes_oracle.h -- a slow and obvious judge of what switches and senders
 * hold: follows every packet from every port it can start at to every LID,
 * writes down which channel waits for which, and looks for a cycle.
 *
 * It shares with the library what a fabric and the tables look like, and no
 * more. */
#ifndef SF_LANES_ORACLE_H
#define SF_LANES_ORACLE_H

#include "slimfly/sl2vl.h"
#include "slimfly/tables.h"

/* What is judged: tables, and what senders do. */
struct oracle_traffic {
    const struct sf_fabric *fabric;
    const struct sf_tables *tables;
    const struct sf_sl2vl *sl2vl;       /* NULL: VL 0 for all. */
    const struct sf_path_sls *path_sls; /* NULL: all use 'one_sl'. */
    uint8_t one_sl;
    bool with_replies;  /* Hosts also answer with the SL they were asked by. */
    bool with_switches; /* Switches send too, not only hosts. */
};

struct oracle_verdict {
    uint64_t n_lost;    /* Paths that do not lead to their LID. */
    uint64_t n_unsaid;  /* Steps whose VL, paths whose SL is not said. */
    uint64_t n_dropped; /* Paths that meet VL 15. */
    uint32_t most_hops; /* Links between switches. */
    uint32_t n_vls;     /* Highest in use, plus 1, on links between switches */
    uint32_t n_sls;     /* and on paths of at least one such link. */
    uint64_t n_waits;   /* Dependencies. */
    bool is_free;       /* Of cycles. */
};

struct oracle_verdict oracle_judge(const struct oracle_traffic *traffic);

/* Nothing lost, dropped or unsaid, and no cycle. */
bool oracle_is_sound(const struct oracle_verdict *verdict);

/* The ports of the fabric over which 'tables' lead from switch 's' to 'lid',
 * only those between switches; 'ports' has room for as many as there are
 * switches.  Returns how many, SF_NONE if the LID is not reached. */
uint32_t oracle_follow(const struct sf_fabric *fabric,
                       const struct sf_tables *tables, uint32_t s,
                       uint32_t lid, uint32_t *ports);

/* The switch where 'lid' lives, SF_NONE if nothing plugged in has it. */
uint32_t oracle_lid_home(const struct sf_fabric *fabric, uint32_t lid);

#endif
