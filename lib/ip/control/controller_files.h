/* controller_files.h -- what a controller keeps on disk, in a folder of its
 * own: a lock with a note of who holds it, the links that were down, and the
 * routing that it started from. */
#ifndef SF_IP_CONTROL_CONTROLLER_FILES_H
#define SF_IP_CONTROL_CONTROLLER_FILES_H

#include "ip/control/core.h"

struct sf_control_folder {
    char *path;
    int fd;      /* Of the file with the lock; -1: not ours. */
    int also_fd; /* The same of the second lock. */
};

/* Makes the folder if need be, and takes its lock; and that of the file
 * 'also', if nonnull, in a folder that is there.  SF_EIO with '*is_heldp'
 * true: another controller has one of them, and 'err' says which. */
enum sf_status sf_control_folder_open(struct sf_control_folder *folder,
                                      const char *path, const char *also,
                                      bool *is_heldp, struct sf_error *err);
void sf_control_folder_close(struct sf_control_folder *folder);

/* Makes the folder anew, with its lock, if somebody has removed it. */
enum sf_status sf_control_folder_mend(struct sf_control_folder *folder,
                                      struct sf_error *err);

/* Which links were down when that was last written, by ports [n_ports] of the
 * base's fabric, and whether there was anything.  A state of another network,
 * by 'identity', is none. */
enum sf_status sf_control_read_state(const struct sf_control_folder *folder,
                                     const char *identity,
                                     const struct sf_fabric *fabric,
                                     bool *was_down, bool *is_therep,
                                     struct sf_error *err);
enum sf_status sf_control_write_state(const struct sf_control_folder *folder,
                                      const char *identity,
                                      const struct sf_core *core,
                                      struct sf_error *err);

/* The routes that the controller of 'identity' started from, for 'network';
 * '*routesp' is NULL if there are none. */
enum sf_status sf_control_read_base(const struct sf_control_folder *folder,
                                    const char *identity,
                                    const struct sf_network *network,
                                    struct sf_routes **routesp,
                                    struct sf_error *err);
enum sf_status sf_control_write_base(const struct sf_control_folder *folder,
                                     const char *identity,
                                     const struct sf_network *network,
                                     const struct sf_routes *routes,
                                     struct sf_error *err);

/* Whether there is a file of these routes, of whatever network. */
bool sf_control_has_base(const struct sf_control_folder *folder);

#endif
