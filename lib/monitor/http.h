/* http.h -- a small web server: documents that are published, streams of
 * events, and nothing that changes anything.
 *
 * All clients are served by one thread of libmicrohttpd.  Nobody waits for a
 * client: a document is handed out as it is when it is asked for, and a stream
 * has a place in a ring of events.  A client that falls behind the ring is
 * told to ask for everything anew. */
#ifndef SF_MONITOR_HTTP_H
#define SF_MONITOR_HTTP_H

#include "slimfly/monitor.h"

#include <stddef.h>

enum sf_http_document {
    SF_HTTP_PAGE,
    SF_HTTP_SCRIPT,
    SF_HTTP_STYLE,
    SF_HTTP_PLAN,
    SF_HTTP_STATE,
    SF_HTTP_EVENTS,
    SF_HTTP_METRICS,
    SF_HTTP_N_DOCUMENTS,
};

#define SF_HTTP_MAX_CLIENTS 256
#define SF_HTTP_MAX_STREAMS 192
#define SF_HTTP_RING        512

struct sf_http_params {
    const struct sf_monitor_listen *listen;
    const char *certificate, *key; /* Texts in PEM, or both NULL. */
    const char *token;             /* Or NULL. */
    /* Which links a job of 'nodes' uses, as JSON that the caller frees; NULL:
     * out of memory.  Called by the thread of the server. */
    char *(*find_job)(void *aux, const char *nodes);
    void *aux;
};

struct sf_http; /* Opaque. */

/* Listens.  SF_EIO: the address is taken, or not ours; SF_EINVAL: the build
 * has no web server, or the certificate is none. */
enum sf_status sf_http_start(const struct sf_http_params *params,
                             struct sf_http **httpp, struct sf_error *err);
void sf_http_stop(struct sf_http *http);

/* The port on which it listens. */
uint16_t sf_http_port(const struct sf_http *http);

/* Puts 'body', which it takes over, in the place of a document. */
void sf_http_publish(struct sf_http *http, enum sf_http_document document,
                     char *body, size_t length);

/* Sends an event to all streams: its type, its data on one line, and its id;
 * 0: it has none, and is not sent again to who comes back. */
void sf_http_emit(struct sf_http *http, const char *type, const char *data,
                  uint64_t id);

/* Sends a sign of life to all streams, so that those who left are noticed. */
void sf_http_beat(struct sf_http *http);

/* Streams that are open now, and requests so far. */
uint32_t sf_http_n_streams(struct sf_http *http);
uint64_t sf_http_n_requests(struct sf_http *http);

#endif
