/* counter_findings.h -- what counters mean: thresholds that can be edited,
 * findings with what to do, loads beside what the routing predicts, and all of
 * that as text, JSON, CSV and metrics for Prometheus. */
#ifndef SLIMFLY_COUNTER_FINDINGS_H
#define SLIMFLY_COUNTER_FINDINGS_H

#include "slimfly/counters.h"
#include "slimfly/drain.h"
#include "slimfly/tables.h"
#include "slimfly/verify.h"

#include <stdio.h>

#pragma GCC visibility push(default)

enum sf_severity {
    SF_SEVERITY_NOTE,     /* To know; nothing to do. */
    SF_SEVERITY_WARNING,  /* Something to do. */
    SF_SEVERITY_CRITICAL, /* At once. */
    SF_N_SEVERITIES,
};
const char *sf_severity_name(enum sf_severity severity); /* "warning" */

#define SF_NO_THRESHOLD UINT64_MAX

struct sf_counter_threshold {
    uint64_t total; /* More than this is a finding, whenever it was counted; */
    uint64_t growth; /* and so is more than this between two readings. */
    enum sf_severity severity;
};

struct sf_thresholds {
    struct sf_counter_threshold counters[SF_N_COUNTERS];
    double busy; /* A link that carries this share of what it can, 0..1. */
    double hot_times;   /* A link that carries so many times what the routing
                         * predicts for uniform traffic */
    double hot_least;   /* and at least this share of what it can, */
    double hot_traffic; /* while hosts send this share of what they can, in the
                         * mean: else there is nothing to compare with. */
    uint32_t n_silent, n_sweeps; /* See struct sf_silence. */
};

/* Reads the file of thresholds at 'path'; doc/counters.md describes it.
 * SF_EPARSE says what is wrong where. */
enum sf_status sf_thresholds_read(const char *path,
                                  struct sf_thresholds *thresholds,
                                  struct sf_error *err);

/* The same from 'length' bytes of 'text'; 'path' is for messages. */
enum sf_status sf_thresholds_parse(const char *text, size_t length,
                                   const char *path,
                                   struct sf_thresholds *thresholds,
                                   struct sf_error *err);

/* Those that come with the library, data/thresholds.json. */
enum sf_status sf_thresholds_default(struct sf_thresholds *thresholds,
                                     struct sf_error *err);

/* Fills 'loads' [n_ports of the fabric]: how many bytes 'tables' lead out of
 * each port if every host sends one byte in all, evenly to all other hosts and
 * over all addresses of each.  Ports of hosts have 1.  What does not arrive is
 * counted as far as it gets. */
enum sf_status sf_table_loads(const struct sf_fabric *fabric,
                              const struct sf_tables *tables, double *loads,
                              struct sf_error *err);

/* What is known of the fabric at a moment; only the first two are needed. */
struct sf_counters_view {
    const struct sf_fabric *fabric;
    const struct sf_counters *counters; /* Of the ports of 'fabric'. */
    const struct sf_growths *growths;   /* Up to 'counters', or NULL. */
    const struct sf_verification *verification; /* Of 'fabric' with a plan, for
                                                 * names, racks and cables. */
    const double *predicted;             /* sf_table_loads(), or NULL. */
    const struct sf_silence *silence;    /* Or NULL. */
    const struct sf_drain_list *drained; /* Or NULL. */
    double read_seconds;                 /* How long the reading took, */
    double read_at; /* and when, in seconds since 1970; for metrics only. */
};

enum sf_counter_finding_kind {
    SF_FINDING_BLACK_HOLE,  /* Up, and nothing behind it answers. */
    SF_FINDING_COUNTER,     /* A counter beyond its threshold. */
    SF_FINDING_OLD_COUNTER, /* Beyond it, but it does not grow, or slowly. */
    SF_FINDING_BUSY,        /* A link that is nearly full. */
    SF_FINDING_HOT,       /* A link with far more than the routing predicts. */
    SF_FINDING_NO_ANSWER, /* A node whose counters could not be read. */
    SF_FINDING_RESET,     /* Somebody cleared counters. */
    SF_N_COUNTER_FINDING_KINDS,
};
const char *sf_counter_finding_kind_name(enum sf_counter_finding_kind kind);

struct sf_counter_finding {
    enum sf_counter_finding_kind kind;
    enum sf_severity severity;
    struct sf_end ends[2]; /* The port (of a node without number: all ports of
                            * it), and the other end of its cable: as found,
                            * else as planned, else none. */
    uint32_t cable;        /* Of the plan, or SF_NONE. */
    enum sf_counter counter; /* SF_FINDING_COUNTER and _OLD_COUNTER: which, */
    uint64_t value;          /* how much, */
    bool is_at_least;        /* or more, */
    bool is_growth;          /* between two readings or in all, */
    uint64_t threshold;      /* and what was allowed. */
    bool is_drained;         /* SF_FINDING_BLACK_HOLE: nobody sends there. */
    uint64_t grown; /* SF_FINDING_OLD_COUNTER: growth, below its threshold. */
    double share;   /* SF_FINDING_BUSY and _HOT: of what the link carries, */
    double times;   /* and of what the routing predicts; 0 if that is not
                     * known, or too little to compare with. */
    uint32_t n; /* Sweeps that were silent, of 'value'; ports of a node that
                 * did not answer, and 'value' hosts on it; ports whose
                 * counters were reset, of which the first is named. */
};

/* One direction of a cable, from its port. */
struct sf_link_load {
    uint32_t port;    /* Of the fabric: where bytes leave. */
    double bytes;     /* A second; */
    double share;     /* of what the link carries, 0 if that is not known; */
    double predicted; /* bytes a second that uniform traffic of the same hosts
                       * would bring; 0 if not known. */
};

struct sf_counter_findings {
    uint32_t n_findings;
    struct sf_counter_finding *findings; /* The worst first. */
    uint32_t n_by_severity[SF_N_SEVERITIES];
    uint32_t n_by_kind[SF_N_COUNTER_FINDING_KINDS];
    uint32_t n_loads;           /* 0 without growths. */
    struct sf_link_load *loads; /* The highest share first. */
    double host_bytes;  /* What a host sends in a second, in the mean, */
    double host_share;  /* and the share of what it can, 0 if no rate is known:
                         * links are hot only if this is 'hot_traffic', */
    double hot_traffic; /* as the thresholds have it. */
};

/* Judges 'view'.  Only memory can run out. */
enum sf_status
sf_counter_findings_build(const struct sf_counters_view *view,
                          const struct sf_thresholds *thresholds,
                          struct sf_counter_findings **findingsp,
                          struct sf_error *err);
void sf_counter_findings_free(struct sf_counter_findings *findings);

/* One finding as a sentence with both ends of the cable, and what to do about
 * it as sentences; both without a newline. */
void sf_counter_finding_write(const struct sf_counters_view *view,
                              const struct sf_counter_finding *finding,
                              FILE *stream);
void sf_counter_finding_write_remedy(const struct sf_counters_view *view,
                                     const struct sf_counter_finding *finding,
                                     FILE *stream);

/* The name of the node at 'end', planned if there is a plan; it lives as long
 * as the view.  "?" if there is none. */
const char *sf_counters_view_name(const struct sf_counters_view *view,
                                  const struct sf_end *end);

/* The whole for people; for programs, schema "slimfly.counters"; and a line a
 * port. */
void sf_counters_write_text(const struct sf_counters_view *view,
                            const struct sf_counter_findings *findings,
                            FILE *stream);
enum sf_status
sf_counters_write_json(const struct sf_counters_view *view,
                       const struct sf_counter_findings *findings,
                       FILE *stream, struct sf_error *err);
void sf_counters_write_csv(const struct sf_counters_view *view, FILE *stream);

/* Metrics in the text format of Prometheus: those of switches and hosts under
 * the names that infiniband_exporter gave them, and what nobody else has as
 * slimfly_*.  No name is written twice, so more may follow. */
void sf_counters_write_metrics(const struct sf_counters_view *view,
                               const struct sf_counter_findings *findings,
                               FILE *stream);

/* The same as a text that the caller frees. */
enum sf_status
sf_counters_metrics_text(const struct sf_counters_view *view,
                         const struct sf_counter_findings *findings,
                         char **textp, size_t *lengthp, struct sf_error *err);

#pragma GCC visibility pop
#endif
