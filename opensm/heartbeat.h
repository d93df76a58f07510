/* heartbeat.h -- the status file, and a thread that writes it again every few
 * seconds for as long as OpenSM lives, so that readers on any machine can tell
 * a manager that lives from one that was killed.
 *
 * That the thread lives does not say that OpenSM works.  So it notes, too,
 * when OpenSM was last seen at work.  Knows nothing of OpenSM. */
#ifndef SF_OPENSM_HEARTBEAT_H
#define SF_OPENSM_HEARTBEAT_H

#include "status_file.h"

#define SF_HEARTBEAT_SECONDS 5

/* What OpenSM does at a moment. */
struct sf_pulse {
    bool is_standby;        /* Another manager leads. */
    bool is_busy;           /* Tables are being made. */
    uint32_t n_sent;        /* Messages to the fabric so far. */
    uint32_t sweep_seconds; /* It sends some at least that often; 0 if that is
                             * not known. */
    json_t *traps;          /* The latest, for the reader to free; or NULL. */
};

/* Takes the pulse; called from several threads. */
typedef struct sf_pulse sf_pulse_taker(void *aux);

struct sf_heartbeat; /* Opaque. */

/* Starts the thread.  Nothing is written before sf_heartbeat_write(). */
enum sf_status sf_heartbeat_start(sf_pulse_taker *take, void *aux,
                                  struct sf_heartbeat **heartbeatp,
                                  struct sf_error *err);

/* Ends the thread; NULL is fine. */
void sf_heartbeat_stop(struct sf_heartbeat *heartbeat);

/* Writes 'status' to 'path', now and at every beat from now on. */
enum sf_status sf_heartbeat_write(struct sf_heartbeat *heartbeat,
                                  const struct sf_plugin_status *status,
                                  const char *path, struct sf_error *err);

#endif
