/* simulation_facts.h -- what runs differ in and what they share.  Reports say
 * once what all have, and name each run by the rest. */
#ifndef SF_REPORT_SIMULATION_FACTS_H
#define SF_REPORT_SIMULATION_FACTS_H

#include "slimfly/simulation_files.h"

enum sf_sim_fact {
    SF_FACT_NETWORK,
    SF_FACT_ROUTING,
    SF_FACT_LAYERS,
    SF_FACT_LANES,
    SF_FACT_VLS,
    SF_FACT_SL,
    SF_FACT_MODEL,
    SF_FACT_TIMING,
    SF_FACT_QUEUES,
    SF_FACT_BUFFER,
    SF_FACT_PLACES,
    SF_FACT_NET,
    SF_FACT_MTU,
    SF_FACT_CABLES,
    SF_FACT_WORKLOAD,
    SF_FACT_SIZE,
    SF_FACT_NODES,
    SF_FACT_PLACEMENT,
    SF_FACT_SELECT,
    SF_FACT_WINDOW,
    SF_FACT_OVERHEAD,
    SF_FACT_SEED,
    SF_FACT_LOAD,
    SF_N_FACTS,
};

#define SF_FACT_SIZE_OF_CELL 64
#define SF_FACT_NAME_SIZE    256

/* The heading of a column of it. */
const char *sf_fact_title(enum sf_sim_fact fact);

/* What a row has: "4".  "" if it means nothing there, as queues do in the flow
 * model.  The text is 'cell' or belongs to the row. */
const char *sf_fact_of(const struct sf_simulation_row *row,
                       enum sf_sim_fact fact, char cell[SF_FACT_SIZE_OF_CELL]);

/* The runs that are done.  Runs that differ in the load only are of one
 * configuration. */
struct sf_sim_facts {
    const struct sf_simulation_table *table;
    uint32_t n_rows;
    const struct sf_simulation_row **rows; /* [n_rows] */
    bool varies[SF_N_FACTS];

    uint32_t n_configs;
    uint32_t *config_of;    /* [n_rows] */
    uint32_t *firsts;       /* [n_configs] The first row of each. */
    bool names[SF_N_FACTS]; /* What tells configurations apart: no more than
                             * is needed of what follows from others. */

    uint32_t *same; /* [n_rows * SF_N_FACTS] The first row of the same. */
};

enum sf_status sf_sim_facts_build(const struct sf_simulation_table *table,
                                  struct sf_sim_facts *facts,
                                  struct sf_error *err);
void sf_sim_facts_clear(struct sf_sim_facts *facts);

/* Writes "sf:q=5, 4 layers, adaptive": what tells the configuration of row
 * 'row' from others. */
void sf_sim_facts_name(const struct sf_sim_facts *facts, uint32_t row,
                       char name[SF_FACT_NAME_SIZE]);

/* Writes what all rows share of the facts from 'first' to 'last', as words, as
 * far as they fit; returns whether there is anything. */
bool sf_sim_facts_shared(const struct sf_sim_facts *facts,
                         enum sf_sim_fact first, enum sf_sim_fact last,
                         char *text, size_t size);

/* Cuts 'text' if it is too long, but not inside a letter, and makes of bytes
 * that are not UTF-8 or no letters a "?". */
void sf_sim_clean(const char *text, char *clean, size_t size);

#endif
