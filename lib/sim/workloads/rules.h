/* rules.h -- which algorithm an MPI library chooses for a collective, by the
 * number of ranks and bytes. */
#ifndef SF_SIM_WORKLOADS_RULES_H
#define SF_SIM_WORKLOADS_RULES_H

#include "sim/workloads/collective.h"

/* Which numbers of ranks a rule is for. */
enum sf_rule_ranks {
    SF_ANY_RANKS,
    SF_POWER_RANKS, /* Powers of two. */
    SF_EVEN_RANKS,
};

/* A rule.  It holds if there are fewer ranks and fewer bytes than it says, and
 * fewer ranks than per_byte times the bytes and 'plus'; 0 is no bound. */
struct sf_rule {
    uint64_t bytes;
    uint64_t segment; /* Bytes; 0: none. */
    double per_byte, plus;
    uint32_t ranks;
    enum sf_algorithm algorithm;
    enum sf_rule_ranks only;
    bool counts_all; /* Bytes are those of all ranks together. */
};

/* The rules of a library.  Of each list the first that holds counts, and the
 * last always does. */
struct sf_rules {
    const char *name, *source;
    const struct sf_rule *of[SF_N_COLLECTIVES];
};

/* All sets; the first is the default.  Ended by one without a name. */
extern const struct sf_rules sf_rules[];

/* What 'rules' choose for 'collective' of 'bytes', counted as in
 * collective.h. */
struct sf_choice sf_rules_choose(const struct sf_rules *rules,
                                 enum sf_collective collective,
                                 uint32_t n_ranks, uint64_t bytes);

#endif
