/* control_loop.h -- the loop of a controller, over switches of any kind. */
#ifndef SF_IP_CONTROL_CONTROL_LOOP_H
#define SF_IP_CONTROL_CONTROL_LOOP_H

#include "ip/control/controller_files.h"
#include "ip/control/ip_text.h"
#include "slimfly/ip_controller.h"

/* How switches are reached.  What goes wrong with switch s is said in
 * errors[s], whose status is SF_OK before; others are not affected by it. */
struct sf_control_ops {
    /* Waits for a change of links, 'seconds' at most, or for a signal; marks
     * switches whose links are to be looked at. */
    enum sf_status (*wait)(void *self, double seconds, bool *hot,
                           struct sf_error *err);

    /* Looks at the links of the switches in 'wanted': 'runs' is by port. */
    void (*read_links)(void *self, const bool *wanted, bool *runs,
                       struct sf_error *errors);

    /* Reads the routes of the switches in 'wanted' into lists [n_switches]. */
    void (*read_routes)(void *self, const bool *wanted,
                        struct sf_route_list *lists, struct sf_error *errors);

    /* Writes changes of one wave, by switch, on the way to 'tables'. */
    void (*write)(void *self, const struct sf_push_item *items, size_t n,
                  const struct sf_ip_tables *tables, struct sf_error *errors);

    /* Lets others know of what switches hold now, when there is time; NULL:
     * nobody wants to know.  A failure is tried again, in the end only if it
     * is SF_EIO, as where somebody holds a lock. */
    enum sf_status (*note)(void *self, const struct sf_core *core,
                           struct sf_error *err);

    /* Writes into 'folder' what outlives a restart besides the state, if it is
     * not there; NULL: nothing. */
    enum sf_status (*keep)(void *self, const struct sf_control_folder *folder,
                           struct sf_error *err);

    /* NULL, or why there is nothing left to control: the switches are gone for
     * good.  '*is_alarmingp' is set to whether they still run, while nobody
     * can repair them.  No function: never. */
    const char *(*why_gone)(void *self, bool *is_alarmingp);
};

struct sf_control_switches {
    const struct sf_control_ops *ops;
    void *self;
    const char *identity; /* Of the network, for what is kept on disk. */
};

/* Runs until it is cancelled or the switches are gone.  'folder' is locked. */
enum sf_status sf_control_run(struct sf_core *core,
                              const struct sf_control_switches *switches,
                              struct sf_control_folder *folder,
                              const struct sf_control_params *params,
                              struct sf_error *err);

/* Takes the lock of 'params', and that of the file 'also' if nonnull, standing
 * by for them if that is wanted. */
enum sf_status sf_control_lock(const struct sf_control_params *params,
                               const char *also,
                               struct sf_control_folder *folder,
                               struct sf_error *err);

#endif
