/* simulation_writers.h -- one writer a file; simulation_files.c lists them. */
#ifndef SF_REPORT_SIMULATION_WRITERS_H
#define SF_REPORT_SIMULATION_WRITERS_H

#include "slimfly/simulation_files.h"

typedef enum sf_status
sf_simulation_writer(const struct sf_simulation_table *table, FILE *stream,
                     struct sf_error *err);

sf_simulation_writer sf_simulation_write_text;
sf_simulation_writer sf_simulation_write_json;
sf_simulation_writer sf_simulation_write_csv;
sf_simulation_writer sf_simulation_write_links;
sf_simulation_writer sf_simulation_draw_latency;
sf_simulation_writer sf_simulation_draw_rates;
sf_simulation_writer sf_simulation_draw_load;
sf_simulation_writer sf_simulation_draw_progress;

/* Whether a row has something for these files. */
bool sf_simulation_has_links(const struct sf_simulation_row *row);
bool sf_simulation_has_latency(const struct sf_simulation_row *row);
bool sf_simulation_has_rates(const struct sf_simulation_row *row);
bool sf_simulation_has_progress(const struct sf_simulation_row *row);

/* Whether the hosts of a row were offered more than the network takes. */
static inline bool
sf_simulation_is_saturated(const struct sf_simulation_row *row)
{
    return row->params.jobs.load > 0 && !row->result.is_finished &&
           !row->result.n_cycle;
}

/* The part of the time in which a link between switches carried packets, on
 * any VL. */
double sf_simulation_load_of(const struct sf_simulation *result, uint32_t arc);

/* What the links between switches of a row are like. */
struct sf_simulation_links {
    double mean, max;                 /* Load. */
    double blocked_mean, blocked_max; /* Packet model only. */
    uint32_t busiest;                 /* An arc; SF_NONE: there are none. */
};
struct sf_simulation_links
sf_simulation_links_of(const struct sf_simulation *result);

/* The number of the port by which 'arc' leaves; 0 if it is not known. */
uint32_t sf_simulation_port(const struct sf_simulation_row *row, uint32_t arc);

/* The switch that 'arc' leaves; SF_NONE if it is not known. */
uint32_t sf_simulation_from(const struct sf_simulation_row *row, uint32_t arc);

/* What to call switch 's'; the text is 'scratch' or belongs to the network. */
#define SF_SIM_NAME_SIZE 64
const char *sf_simulation_switch(const struct sf_simulation_row *row,
                                 uint32_t s, char scratch[SF_SIM_NAME_SIZE]);

#endif
