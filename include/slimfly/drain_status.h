/* drain_status.h -- what the plugin for OpenSM tells of the list of drained
 * links: what became of each entry, and what it has not taken up yet. */
#ifndef SLIMFLY_DRAIN_STATUS_H
#define SLIMFLY_DRAIN_STATUS_H

#include "slimfly/drain.h"

#pragma GCC visibility push(default)

/* An entry of the list that the plugin has read last. */
struct sf_drain_told_entry {
    bool is_switch;
    bool is_on_list; /* Set by sf_drain_told_compare(). */
    char *name;      /* As sf_drain_entry_text() has it. */
    enum sf_drain_state state;
    uint32_t n_links;    /* That are up. */
    uint32_t n_cut_off;  /* Hosts that are, or would be, cut off, */
    char *first_cut_off; /* and one of them; or NULL. */
};

struct sf_drain_told {
    char *file;    /* The list; NULL: the plugin has none. */
    char *problem; /* Why it cannot be read; or NULL. */
    bool is_safe;  /* All tables without the links are written. */
    uint32_t n;
    struct sf_drain_told_entry *entries; /* [n] */
};

/* Reads the status file at 'path', or 'length' bytes of 'text' of one. */
enum sf_status sf_drain_told_read(const char *path, struct sf_drain_told *told,
                                  struct sf_error *err);
enum sf_status sf_drain_told_parse(const char *text, size_t length,
                                   const char *path,
                                   struct sf_drain_told *told,
                                   struct sf_error *err);
void sf_drain_told_clear(struct sf_drain_told *told);

/* What is told of an entry; NULL: nothing. */
const struct sf_drain_told_entry *
sf_drain_told_find(const struct sf_drain_told *told,
                   const struct sf_drain_entry *entry);

/* How many entries of 'list' and of what is told the other has not: the plugin
 * has not taken the list up yet.  O(entries^2). */
uint32_t sf_drain_told_compare(struct sf_drain_told *told,
                               const struct sf_drain_list *list);

/* The list with what is told of it, as text and as JSON, schema
 * "slimfly.drained". */
void sf_drain_told_write_text(const struct sf_drain_list *list,
                              const struct sf_drain_told *told, FILE *stream);
enum sf_status sf_drain_told_write_json(const struct sf_drain_list *list,
                                        const char *path,
                                        const struct sf_drain_told *told,
                                        FILE *stream, struct sf_error *err);

#pragma GCC visibility pop
#endif
