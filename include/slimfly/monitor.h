/* monitor.h -- a service that watches a fabric for years: it joins discovery,
 * counters and the status of the subnet manager into a time line of events,
 * and shows all of it on a web page.
 *
 * It only looks.  What it finds out is collected at its own pace, whoever asks
 * for it. */
#ifndef SLIMFLY_MONITOR_H
#define SLIMFLY_MONITOR_H

#include "slimfly/verify.h"

#pragma GCC visibility push(default)

#define SF_MONITOR_PORT 9681

/* Where the page is served. */
struct sf_monitor_listen {
    char address[64]; /* Numbers: "127.0.0.1", "::1". */
    uint16_t port;    /* 0: one that is free. */
    bool is_loopback;
};

/* Reads "ADDRESS:PORT", "ADDRESS" or ":PORT"; an address of IPv6 stands in
 * brackets, and "localhost" is one of IPv4. */
enum sf_status sf_monitor_listen_parse(const char *word,
                                       struct sf_monitor_listen *listen,
                                       struct sf_error *err);

struct sf_monitor_params {
    struct sf_verify_params verify;
    /* Looks at the fabric once, as sf_fabric_discover() does. */
    enum sf_status (*discover)(void *aux, struct sf_fabric **foundp,
                               uint32_t *n_unansweredp, struct sf_error *err);
    void *aux;          /* For the calls of this struct. */
    const char *live;   /* As for sf_is_live(): where counters and tables are
                         * read; NULL: they are not. */
    const char *status; /* The status file of the plugin for OpenSM; NULL:
                         * there is none. */
    const char *events; /* The file of events; NULL: standard output. */
    double interval;    /* Seconds between discoveries, */
    double counters;    /* and between readings of counters; 0: none. */
    const char *thresholds; /* For counters, a file; NULL: the shipped ones. */
    unsigned timeout;       /* Seconds for reading anything live. */

    const struct sf_monitor_listen *listen; /* NULL: no page. */
    const char *certificate, *key; /* Files in PEM, for TLS; or both NULL. */
    const char *token;             /* A file with a word that whoever asks has
                                    * to know; NULL: none. */

    bool (*is_cancelled)(void); /* Asked after each wait. */
    bool (*is_hung_up)(void);   /* Whether the file of events is to be opened
                                 * anew; asked once for each time. */
    /* Says a sentence to whoever started the service. */
    void (*say)(void *aux, const char *text);
};

/* Watches the fabric of 'plan' until it is cancelled.  Fails if it cannot
 * start: SF_EINVAL, SF_EIO; later failures are events. */
enum sf_status sf_monitor_run(struct sf_plan *plan,
                              const struct sf_monitor_params *params,
                              struct sf_error *err);

#pragma GCC visibility pop
#endif
