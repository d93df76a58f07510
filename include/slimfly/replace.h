/* replace.h -- nodes that were replaced: one with a GUID that nobody knows
 * stands where one was that is gone, and its cables tell.
 *
 * A switch is recognised by the ports at both ends of its cables, a host's
 * port by the port of the switch that it is plugged into.  It then takes the
 * place of the old one in the fabric that was known, so that nothing else
 * changes. */
#ifndef SLIMFLY_REPLACE_H
#define SLIMFLY_REPLACE_H

#include "slimfly/ib_addresses.h"

#pragma GCC visibility push(default)

struct sf_guid_map; /* verify.h */

struct sf_replacement {
    bool is_switch;
    uint32_t old_node; /* In the fabric that was known, */
    uint32_t new_node; /* and in the one that was found. */
    uint32_t old_port; /* Of a host: the port that is replaced, likewise; */
    uint32_t new_port; /* SF_NONE for a switch. */
    uint64_t old_guid, new_guid;           /* Of the node, as they were. */
    uint64_t old_port_guid, new_port_guid; /* Of a host's port; else those of
                                            * the node. */
};

struct sf_replacements {
    uint32_t n;
    struct sf_replacement *items; /* [n] Switches first. */
};

/* Finds the nodes of 'found' that took the place of others of 'known'.  A
 * switch did if its GUID is not in 'known', that of the old one is not in
 * 'found', and more of its cables to known nodes lead where those of the old
 * one did, port by port, than elsewhere.  A host's port did if it is plugged
 * in where one was that is gone.  Who has no GUID in 'known', 0, is known to
 * nobody, so nothing is found in its place.  O(ports). */
enum sf_status sf_replacements_find(const struct sf_fabric *known,
                                    const struct sf_fabric *found,
                                    struct sf_replacements *replacements,
                                    struct sf_error *err);

/* Copies a plan for sf_replacements_find(), with the GUIDs that its nodes have
 * in truth: those of 'map', which may be NULL; and their own if 'found' has
 * them, or has most of the plan's of that kind.  All others get 0, as nobody
 * knows theirs.  Ports of hosts get what 'found' has.  The caller owns
 * '*knownp'.  O(ports + nodes log nodes). */
enum sf_status sf_replacements_planned(const struct sf_fabric *planned,
                                       const struct sf_guid_map *map,
                                       const struct sf_fabric *found,
                                       struct sf_fabric **knownp,
                                       struct sf_error *err);
void sf_replacements_clear(struct sf_replacements *replacements);

/* Gives the old nodes of 'known' the GUIDs and the LIDs of those that took
 * their places in 'found'. */
void sf_replacements_apply(const struct sf_replacements *replacements,
                           const struct sf_fabric *found,
                           struct sf_fabric *known);

#pragma GCC visibility pop
#endif
