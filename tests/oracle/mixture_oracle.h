/* mixture_oracle.h -- a slow and obvious judge of changes of tables.
 *
 * Faults: it makes every mixture of the old and the new entries for a LID and
 * follows it from every switch.  Deadlock: it lets a packet choose, at each
 * switch that it comes to, the old or the new entry and the old or the new
 * lane, writes down each channel that it then waits for, and looks for
 * circles from each channel.
 *
 * It shares with the library what a fabric and the tables look like, and no
 * more.  For small fabrics. */
#ifndef SF_MIXTURE_ORACLE_H
#define SF_MIXTURE_ORACLE_H

#include "slimfly/sl2vl.h"
#include "slimfly/tables.h"

/* What there is before a change [0] and after it [1]. */
struct oracle_change {
    const struct sf_fabric *fabric;
    const struct sf_tables *tables[2];
    const struct sf_sl2vl *sl2vl[2];       /* NULL: VL 0 for all. */
    const struct sf_path_sls *path_sls[2]; /* NULL: SL 0 for all. */
    int one_sl; /* Of all packets; -1: those of the paths. */
};

struct oracle_mixtures {
    uint64_t n_loops, n_dead_ends, n_faulty; /* Pairs of switch and LID. */
    uint64_t n_faulty_old, n_faulty_new;     /* Of n_faulty, of each alone. */
    uint64_t n_mixed;                        /* Of n_faulty, of neither. */
    uint32_t n_channels;
    uint64_t n_waits;
    uint32_t n_shortest; /* Channels of a shortest circle; 0: none. */
};

/* At most 12 entries for a LID may differ. */
struct oracle_mixtures oracle_mix(const struct oracle_change *change);

/* Whether 'port' of switch 's' is a cable to another switch. */
bool oracle_is_link(const struct sf_fabric *fabric, uint32_t s, uint32_t port);

#endif
