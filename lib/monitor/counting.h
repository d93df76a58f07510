/* counting.h -- counters of ports, reading after reading: what each cable
 * carries, which errors grow, who does not answer. */
#ifndef SF_MONITOR_COUNTING_H
#define SF_MONITOR_COUNTING_H

#include "monitor/timeline.h"

struct sf_counting {
    struct sf_thresholds thresholds;
    struct sf_silence *silence;
    uint32_t n_probes;        /* Looks for silence since the start. */
    struct sf_counters *last; /* The last reading; NULL before. */
    /* By planned cable, of the last two readings; -1 if not known: the share
     * of what it carries in its busier direction, and errors a minute. */
    double *loads, *errors; /* [n_cables] */
    char *metrics;          /* Of the last reading; NULL before. */
    size_t metrics_length;
};

/* 'thresholds' is a file, or NULL for those of the library. */
enum sf_status sf_counting_init(struct sf_counting *counting,
                                const struct sf_plan *plan,
                                const char *thresholds, struct sf_error *err);
void sf_counting_clear(struct sf_counting *counting);

/* Reads the counters of the fabric of 'verification' and tells 'timeline' what
 * they mean at 'time', in milliseconds since 1970.  'predicted' is as in
 * struct sf_counters_view. */
enum sf_status sf_counting_read(struct sf_counting *counting,
                                const char *source,
                                const struct sf_verification *verification,
                                const double *predicted, unsigned timeout,
                                int64_t time, struct sf_timeline *timeline,
                                struct sf_error *err);

/* The same of a reading that is there: 'view' has all but thresholds.  What an
 * earlier life of the monitor left open in 'timeline' stays open until enough
 * was read to judge it. */
enum sf_status sf_counting_tell(struct sf_counting *counting,
                                const struct sf_counters_view *view,
                                int64_t time, struct sf_timeline *timeline,
                                struct sf_error *err);

#endif
