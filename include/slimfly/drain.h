/* drain.h -- links that are drained: routed as if they were gone while they
 * are still up, so that they can then be unplugged with nothing lost.
 *
 * An administrator's list says which, in a file that people may edit: a link
 * by the ports at both ends, or a switch with all its links to other switches.
 * The plugin for OpenSM and 'slimfly route' obey it.  Names are those of the
 * fabric; doc/formats.md describes the file. */
#ifndef SLIMFLY_DRAIN_H
#define SLIMFLY_DRAIN_H

#include "slimfly/plan.h"

#include <stdio.h>

#pragma GCC visibility push(default)

struct sf_guid_map; /* verify.h */

/* Something that is drained. */
struct sf_drain_entry {
    bool is_switch;    /* All links of names[0] to other switches. */
    bool with_hosts;   /* A switch: its own hosts may be cut off by that. */
    char *names[2];    /* Switches at the ends of a link; or one, and NULL. */
    uint32_t ports[2]; /* Of a link. */
};

void sf_drain_entry_clear(struct sf_drain_entry *entry);

/* Whether both drain the same link, or the same switch. */
bool sf_drain_entry_is_same(const struct sf_drain_entry *a,
                            const struct sf_drain_entry *b);

/* Writes "sf-0-0-1[5] sf-0-1-3[7]" or "sf-0-0-1" into 'text' and returns
 * it. */
#define SF_DRAIN_TEXT_SIZE 320
char *sf_drain_entry_text(const struct sf_drain_entry *entry,
                          char text[SF_DRAIN_TEXT_SIZE]);

/* A line of the list; comments and empty lines are kept. */
struct sf_drain_line {
    char *text;    /* All of it. */
    bool is_entry; /* Only then 'entry' means anything. */
    struct sf_drain_entry entry;
    const char *comment; /* Of an entry, in 'text': what follows '#'; "". */
};

struct sf_drain_list {
    uint32_t n_lines, n_entries;
    struct sf_drain_line *lines; /* [n_lines] */
};

/* Reads a list from 'length' bytes of 'text'; 'path' is for messages.
 * SF_EPARSE says path:line and what was expected. */
enum sf_status sf_drain_list_parse(const char *text, size_t length,
                                   const char *path,
                                   struct sf_drain_list **listp,
                                   struct sf_error *err);

/* The same from a file, which may be missing: then nothing is drained. */
enum sf_status sf_drain_list_load(const char *path,
                                  struct sf_drain_list **listp,
                                  struct sf_error *err);
void sf_drain_list_free(struct sf_drain_list *list);

/* Waits until nobody else changes the list at 'path': the lock is that of the
 * file PATH.lock, which stays.  '*lockp' is a descriptor to be closed. */
enum sf_status sf_drain_list_lock(const char *path, int *lockp,
                                  struct sf_error *err);

/* Adds an entry, which is copied, with a comment ("" for none; control
 * characters become blanks).  If it is there already, the line gets
 * 'with_hosts' if that is asked for, and stays otherwise; '*is_newp' says
 * whether the list changed. */
enum sf_status sf_drain_list_add(struct sf_drain_list *list,
                                 const struct sf_drain_entry *entry,
                                 const char *comment, bool *is_newp,
                                 struct sf_error *err);

/* Removes the line of an entry; whether it was there. */
bool sf_drain_list_remove(struct sf_drain_list *list,
                          const struct sf_drain_entry *entry);

/* Puts the list into the place of the file 'path', all at once. */
enum sf_status sf_drain_list_save(const struct sf_drain_list *list,
                                  const char *path, struct sf_error *err);

/* What became of an entry on a fabric. */
enum sf_drain_state {
    SF_DRAIN_DONE,    /* Its links are drained. */
    SF_DRAIN_ABSENT,  /* It has no links that are up: unplugged already. */
    SF_DRAIN_UNKNOWN, /* There is no such switch or port. */
    SF_DRAIN_REFUSED, /* That would cut hosts off: its links are used. */
};

/* The name of a state: "drained", "absent", "unknown", "refused". */
const char *sf_drain_state_name(enum sf_drain_state state);

struct sf_drain_outcome {
    uint32_t line; /* Of the list, from 0. */
    enum sf_drain_state state;
    uint32_t n_links;   /* Of the entry, that are up and were not drained by
                         * an entry before. */
    uint32_t n_cut_off; /* Hosts that would be, or are, cut off. */
    uint32_t *cut_off;  /* [n_cut_off] Nodes of the fabric. */
};

/* The links of a fabric that are drained. */
struct sf_drained {
    uint32_t n_links;
    uint32_t *ports;    /* [n_links] One end of each, a port of the fabric. */
    uint32_t *entry_of; /* [n_links] The outcome that it belongs to. */
    uint32_t n_outcomes;
    struct sf_drain_outcome *outcomes; /* [n_outcomes] In the list's order. */
};

/* Takes the links that 'list' drains out of 'fabric'.  An entry that would cut
 * hosts off from others is left out, unless it is a switch with_hosts and they
 * are on switches of that kind; so are entries that name nothing.  Entries
 * come in the order of the list.  O(entries * links). */
enum sf_status sf_drain_apply(const struct sf_drain_list *list,
                              struct sf_fabric *fabric,
                              struct sf_drained *drained,
                              struct sf_error *err);
void sf_drained_clear(struct sf_drained *drained);

/* For people, and for programs: schema "slimfly.drained".  'drained' says what
 * became of the entries on 'fabric'; both may be NULL. */
void sf_drain_list_write_text(const struct sf_drain_list *list,
                              const struct sf_drained *drained,
                              const struct sf_fabric *fabric, FILE *stream);
enum sf_status sf_drain_list_write_json(const struct sf_drain_list *list,
                                        const char *path,
                                        const struct sf_drained *drained,
                                        const struct sf_fabric *fabric,
                                        FILE *stream, struct sf_error *err);

/* Gives the nodes of 'fabric' the names that 'map', or else 'plan', has for
 * their GUIDs, where there are such; both may be NULL.  O(nodes log nodes). */
enum sf_status sf_drain_name(struct sf_fabric *fabric,
                             const struct sf_plan *plan,
                             const struct sf_guid_map *map,
                             struct sf_error *err);

/* Plugs the planned links between switches into 'fabric', whose nodes have
 * planned names, that neither end shows, as a port that loses all packets
 * hides its link from a discovery.  '*portsp', which the caller frees, has one
 * end of each.  O(ports + nodes log nodes). */
enum sf_status sf_drain_plug(struct sf_fabric *fabric,
                             const struct sf_plan *plan, uint32_t **portsp,
                             uint32_t *n_portsp, struct sf_error *err);

/* Entries that a word of an administrator means. */
struct sf_drain_words {
    uint32_t n;
    struct sf_drain_entry *entries; /* [n] */
};

/* Finds what 'word' means on 'fabric' and adds it to 'found':
 *
 *   sf-0-0-1[5], sf-0-0-1:5   the link at a port of a switch
 *   sf-0-0-1--sf-0-1-3        all links between two switches
 *   sf-0-0-1                  a switch: all its links to other switches
 *   0x2c9...                  a GUID in the place of a name
 *   C00042                    a cable, by its label
 *   R3, "rack 3", R3.1        a rack: all its switches
 *   "group 3"                 all racks of a part of the network
 *
 * Labels and racks need 'plan', which may be NULL.  SF_EINVAL says what is not
 * there. */
enum sf_status sf_drain_find(const struct sf_fabric *fabric,
                             const struct sf_plan *plan, const char *word,
                             bool with_hosts, struct sf_drain_words *found,
                             struct sf_error *err);
void sf_drain_words_clear(struct sf_drain_words *words);

/* Whether 'word', of which the fabric knows nothing, means the entry: its
 * link, by either end or both, or its switch. */
bool sf_drain_entry_goes_by(const struct sf_drain_entry *entry,
                            const char *word);

#pragma GCC visibility pop
#endif
