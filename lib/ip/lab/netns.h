/* netns.h -- network namespaces by name, as 'ip netns' knows them: files below
 * /run/netns that hold them open. */
#ifndef SF_IP_LAB_NETNS_H
#define SF_IP_LAB_NETNS_H

#include "slimfly/error.h"

#include <stdbool.h>
#include <stdint.h>

#define SF_NETNS_FOLDER    "/run/netns"
#define SF_NETNS_PATH_SIZE 300

/* The namespace of the calling thread, to come back to. */
struct sf_netns_home {
    int fd;
};

/* Whether this process may make network namespaces at all; SF_EIO and one
 * sentence if not.  Nothing stays. */
enum sf_status sf_netns_allowed(struct sf_error *err);

/* The same for who works with namespaces that are there: a machine that has no
 * room for more is fine. */
enum sf_status sf_netns_permitted(struct sf_error *err);

/* Notes where the calling thread is, and brings it back.  The second closes
 * what the first opened; a thread that cannot come back must not go on, so
 * that is an abort. */
enum sf_status sf_netns_leave(struct sf_netns_home *home,
                              struct sf_error *err);
void sf_netns_return(struct sf_netns_home *home);

/* Makes the folder of namespaces such as 'ip netns' makes it. */
enum sf_status sf_netns_prepare(struct sf_error *err);

/* Makes the namespace 'name' and moves the calling thread into it; 'fdp' gets
 * a descriptor of it and 'inodep' its identity.  SF_EINVAL: the name is
 * taken. */
enum sf_status sf_netns_make(const char *name, int *fdp, uint64_t *inodep,
                             struct sf_error *err);

/* Opens the namespace 'name'; -1 if there is none.  'inodep', if nonnull, gets
 * its identity, 0 for a file that holds no namespace. */
int sf_netns_open(const char *name, uint64_t *inodep);

/* Moves the calling thread into a namespace.  Without the rights to do so the
 * thread stays where it is. */
enum sf_status sf_netns_enter(int fd, const char *name, struct sf_error *err);

/* Removes the name.  The namespace ends when no process is in it any more. */
enum sf_status sf_netns_remove(const char *name, struct sf_error *err);

#endif
