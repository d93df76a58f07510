/* hostlist.h -- the names of a list of hosts as Slurm folds them:
 * node[0000-0005,0007],login. */
#ifndef SF_TRAFFIC_HOSTLIST_H
#define SF_TRAFFIC_HOSTLIST_H

#include "slimfly/error.h"

/* No name is longer. */
#define SF_HOSTLIST_NAME 255

/* Takes a name; it lives until the end of the call. */
typedef enum sf_status sf_take_name(void *aux, const char *name,
                                    struct sf_error *err);

/* Hands the names of 'list' to 'take' in their order, until one fails.  A name
 * may have several brackets, of which the last counts fastest.  SF_EPARSE: the
 * list is not in order; 'err' says what was expected, without a place. */
enum sf_status sf_hostlist_read(const char *list, sf_take_name *take,
                                void *aux, struct sf_error *err);

#endif
