/* switch_routes.h -- making the routes of switches, for the files of lib/ip.
 */
#ifndef SF_IP_SWITCH_ROUTES_H
#define SF_IP_SWITCH_ROUTES_H

#include "base/mem.h"
#include "ip/column_tree.h"
#include "slimfly/ip.h"

/* The next hops that alternates may have, and who was chosen so far. */
struct sf_ip_chooser {
    const struct sf_network *network;
    const struct sf_routes *routes;
    enum sf_ip_alternates wanted;
    uint32_t *loads;        /* [2E] Routes of which an arc is the alternate. */
    struct sf_turns *turns; /* The lanes and ranks that alternates keep to;
                             * NULL: none. */
    uint16_t *lanes; /* [n_trees * V] By tree and switch: the lanes, a bit
                      * each, of packets that leave it along the tree. */
};

/* Makes ready: 'n_trees' trees at most are looked at together.  SF_ELANES: the
 * alternates are to keep lanes and there are none that could be kept. */
enum sf_status sf_ip_chooser_make(struct sf_ip_chooser *chooser,
                                  uint32_t n_trees, struct sf_error *err);
void sf_ip_chooser_clear(struct sf_ip_chooser *chooser);

/* Gets to know tree number 'i' of 'grove', which replaces an earlier one. */
void sf_ip_chooser_learn(struct sf_ip_chooser *chooser,
                         const struct sf_ip_grove *grove, uint32_t i);

/* An alternate: an arc of a switch, numbered among its arcs; SF_NO_HOP: there
 * is none. */
struct sf_ip_choice {
    uint16_t hop;
    uint8_t kind; /* An enum sf_ip_kind. */
};

/* The best alternate of switch 's' in 'trees' [n_trees], all of which have the
 * same next hop there; it serves the first tree and as many of the others as
 * possible. */
struct sf_ip_choice sf_ip_choose(struct sf_ip_chooser *chooser,
                                 const struct sf_ip_tree *const *trees,
                                 uint32_t n_trees, uint32_t s);

/* Whether arc 'hop' of switch 's' is an alternate in 'tree', and of which
 * kind; SF_IP_UNREACHABLE if it is none. */
enum sf_ip_kind sf_ip_judge(const struct sf_ip_chooser *chooser,
                            const struct sf_ip_tree *tree, uint32_t s,
                            uint32_t hop);

/* Fills in the lanes of 'tables' from those of 'routes'. */
enum sf_status sf_ip_encode_lanes(const struct sf_network *network,
                                  const struct sf_routes *routes,
                                  struct sf_ip_tables *tables,
                                  struct sf_error *err);

void sf_ip_lanes_free(struct sf_ip_lanes *lanes);

#endif
