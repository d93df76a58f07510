/* core.h -- what a controller of an IP network knows and decides: a state
 * machine without clock, files or network.  It is told which links run and
 * what switches hold, and says what each switch is to hold and in which order
 * that is to be written.
 *
 * What is where:
 *
 *     core.c              links, tables, what switches hold
 *     order.c             what changes in which order
 *     controller_files.c  what a controller keeps on disk; its lock
 *     control_loop.c      the loop: wait, look, repair, write, tell
 *     lab_switches.c      switches that are namespaces of a lab
 *     exec.c              switches that are reached by a command, such as ssh
 *     commands.c          commands on many switches at once
 *     ip_text.c           what 'ip' prints as JSON, what 'ip -batch' reads */
#ifndef SF_IP_CONTROL_CORE_H
#define SF_IP_CONTROL_CORE_H

#include "slimfly/ip.h"

/* The routes that a switch holds. */
struct sf_held {
    bool is_known;
    size_t n;
    struct sf_ip_route *routes; /* In the order of sf_ip_tables. */
};

struct sf_core {
    struct sf_routing *base; /* Of the whole network: where everything
                              * returns to. */
    struct sf_ip_tables *base_tables;
    struct sf_ip_addresses addresses;
    enum sf_ip_alternates alternates;
    const struct sf_fabric *fabric; /* Of the base. */

    bool *runs;    /* [n_ports] Whether a port says that its link runs. */
    bool is_stale; /* Links have changed since the tables were made. */
    struct sf_routing *repaired; /* NULL: all links run, the base counts. */
    struct sf_ip_tables *repaired_tables;
    char why_anew[SF_ERROR_TEXT_SIZE]; /* Why no repair was possible and all
                                        * was made anew; "" if repaired. */
    struct sf_held *held;              /* [n_switches] */
};

/* Starts from 'base', which the core keeps a copy of: all links run, and
 * nobody knows what switches hold. */
enum sf_status sf_core_init(struct sf_core *core,
                            const struct sf_routing *base,
                            const struct sf_ip_addresses *addresses,
                            enum sf_ip_alternates alternates,
                            struct sf_error *err);
void sf_core_clear(struct sf_core *core);

/* Whether the link of 'port', an index into fabric->ports, runs: both ends
 * must say so.  A port without a cable has none. */
bool sf_core_runs(const struct sf_core *core, uint32_t port);

/* Notes what one end says.  Returns whether the link has changed. */
bool sf_core_note_port(struct sf_core *core, uint32_t port, bool runs);

/* Links that do not run. */
uint32_t sf_core_count_down(const struct sf_core *core);

/* Makes the tables for the links of now, if these have changed: those of the
 * base if all run, else a repair of the base; if that is not possible, all
 * anew. */
enum sf_status sf_core_settle(struct sf_core *core, struct sf_error *err);

/* What switches are to hold, and the routing behind it; valid until the next
 * change. */
const struct sf_ip_tables *sf_core_tables(const struct sf_core *core);
const struct sf_routing *sf_core_routing(const struct sf_core *core);

/* Takes over what switch 's' holds, in any order: 'routes' of kinds that
 * follow from metrics, so alternates of both kinds are the same. */
enum sf_status sf_core_note_held(struct sf_core *core, uint32_t s,
                                 const struct sf_ip_route *routes, size_t n,
                                 struct sf_error *err);

/* Nobody knows what 's' holds. */
void sf_core_forget(struct sf_core *core, uint32_t s);

/* One route to be changed on a switch.
 *
 * Waves keep packets from going round in circles while some switches have
 * changed and others have not: order.c tells how.  A route may be there twice,
 * as it comes for a while only. */
struct sf_push_item {
    uint32_t wave;
    struct sf_ip_change change;
};

struct sf_push {
    size_t n;
    struct sf_push_item *items; /* By wave, then by switch. */
    uint32_t n_switches;        /* That are changed. */
};

/* What is to be written to switches of which it is known what they hold. */
enum sf_status sf_core_plan(const struct sf_core *core, struct sf_push *push,
                            struct sf_error *err);
void sf_push_clear(struct sf_push *push);

/* What makes 'target' of what switches hold. */
enum sf_status sf_push_make(const struct sf_fabric *fabric,
                            const struct sf_ip_tables *held,
                            const struct sf_ip_tables *target,
                            struct sf_push *push, struct sf_error *err);

/* Compares two routes for qsort(), in the order of sf_ip_tables. */
int sf_push_compare_routes(const void *x, const void *y);

/* All that was planned for 's' has been written. */
enum sf_status sf_core_note_written(struct sf_core *core, uint32_t s,
                                    struct sf_error *err);

#endif
