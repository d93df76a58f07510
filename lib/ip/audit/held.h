/* held.h -- what switches and hosts hold, as their files say. */
#ifndef SF_IP_AUDIT_HELD_H
#define SF_IP_AUDIT_HELD_H

#include "base/mem.h"
#include "slimfly/ip_addresses.h"
#include "slimfly/ip_audit.h"
#include "slimfly/port_names.h"

#define SF_IP_MARKS   64 /* Values of DSCP. */
#define SF_IP_NO_MARK UINT8_MAX

/* A route of a switch. */
struct sf_ip_entry {
    struct sf_ip_prefix to;
    struct sf_ip_address via;
    bool has_via;
    uint32_t out; /* A port of the switch; 0: unreachable. */
    uint32_t metric;
    uint32_t line; /* Of its file; 0: it has no lines. */
};

struct sf_ip_entries {
    struct sf_ip_entry *items;
    size_t n, capacity;
};

/* An address of a node on one of its interfaces. */
struct sf_ip_own {
    struct sf_ip_address address;
    uint32_t port; /* Of the node; 0: loopback. */
};

struct sf_ip_owns {
    struct sf_ip_own *items;
    size_t n, capacity;
};

/* The marks that a switch gives, by in port and out port. */
struct sf_ip_marks {
    bool is_there;
    bool is_lane[SF_IP_MARKS]; /* Packets with other marks are left alone. */
    uint8_t *marks; /* [(n_ports + 1)^2] SF_IP_NO_MARK: it has no lane. */
};

struct sf_ip_held {
    const struct sf_fabric *fabric;
    const char *dumps; /* A folder of routes that switches hold; NULL: they
                        * are to hold those of the files. */
    struct sf_ip_prefix prefix; /* Of all addresses; read with dumps only. */
    struct sf_port_names switch_ports, host_ports;
    uint32_t n_layers;
    struct sf_ip_names *names;
    struct sf_ip_entries *entries; /* [n_switches] Sorted. */
    struct sf_ip_owns *owns;       /* [n_nodes] */
    struct sf_ip_marks *marks;     /* [n_switches] */
    struct sf_ip_audit *audit;     /* Takes findings. */
};

/* Adds a finding, printf style. */
void sf_ip_find_fault(struct sf_ip_audit *audit, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The text of one file, read by words. */
struct sf_ip_reader {
    const char *path;
    const struct sf_port_names *ports; /* Of the node. */
    uint32_t n_ports;
    struct sf_error *err;
    void *aux; /* What is read into. */
};

/* The port called 'name'; 0, and an error, if there is none. */
uint32_t sf_ip_read_port(const struct sf_ip_reader *reader, uint32_t line,
                         const char *name);
enum sf_status sf_ip_read_number(const struct sf_ip_reader *reader,
                                 uint32_t line, const char *text,
                                 uint32_t *numberp);
enum sf_status sf_ip_read_prefix(const struct sf_ip_reader *reader,
                                 uint32_t line, const char *text,
                                 struct sf_ip_prefix *prefix);
enum sf_status sf_ip_read_address(const struct sf_ip_reader *reader,
                                  uint32_t line, const char *text,
                                  struct sf_ip_address *address);

/* The routes that one switch holds. */
struct sf_ip_dump {
    struct sf_ip_prefix prefix; /* Of the plan: others do not count. */
    struct sf_ip_audit *audit;  /* Takes findings. */
    struct sf_ip_entries *entries;
};

/* Readers of 'length' bytes of 'text', which are changed: routes of a batch
 * and of FRR into struct sf_ip_entries, those of 'ip -j route' into struct
 * sf_ip_dump, addresses of a batch into struct sf_ip_owns, lanes into struct
 * sf_ip_marks, whose 'marks' are there and empty. */
typedef enum sf_status sf_ip_parse(struct sf_ip_reader *reader, char *text,
                                   size_t length);
sf_ip_parse sf_ip_parse_routes, sf_ip_parse_staticd, sf_ip_parse_sonic,
    sf_ip_parse_dump, sf_ip_parse_owns, sf_ip_parse_nft;

/* Adds an entry; SF_ENOMEM. */
enum sf_status sf_ip_entries_add(struct sf_ip_entries *entries,
                                 const struct sf_ip_entry *entry,
                                 struct sf_error *err);

/* Sorts entries for sf_ip_entries_find(): longer prefixes come first. */
void sf_ip_entries_sort(struct sf_ip_entries *entries);
int sf_ip_entry_compare(const struct sf_ip_entry *a,
                        const struct sf_ip_entry *b);

/* The entry that counts for 'address' while port 'down' has no link (0: all
 * have one); NULL: none. */
const struct sf_ip_entry *
sf_ip_entries_find(const struct sf_ip_entries *entries,
                   struct sf_ip_address address, uint32_t down);

/* Reads all files of a folder, and routes from 'dumps' if nonnull. */
enum sf_status sf_ip_held_read(const struct sf_fabric *fabric,
                               const char *folder, const char *dumps,
                               struct sf_ip_audit *audit,
                               struct sf_ip_held **heldp,
                               struct sf_error *err);
void sf_ip_held_free(struct sf_ip_held *held);

/* Compares the tables for people that are in the folder with the rest. */
enum sf_status sf_ip_compare_csv(const struct sf_ip_held *held,
                                 const char *folder, struct sf_error *err);

/* Follows all paths and alternates. */
enum sf_status sf_ip_follow_all(const struct sf_ip_held *held,
                                struct sf_error *err);

/* What packets wait for: from a channel, which is a port that they leave by
 * and their mark, to the next. */
struct sf_ip_waits {
    const struct sf_ip_held *held;
    uint32_t n_marks;
    uint8_t number[SF_IP_MARKS]; /* Of a mark among those of lanes. */
    uint32_t side;               /* The most ports of a switch, plus 1. */
    uint16_t *next; /* [n_ports * n_marks * side] Marks, a bit each. */
};

bool sf_ip_waits_make(struct sf_ip_waits *waits,
                      const struct sf_ip_held *held);
void sf_ip_waits_clear(struct sf_ip_waits *waits);
void sf_ip_waits_add(struct sf_ip_waits *waits, uint32_t from, uint8_t mark,
                     uint32_t out, uint8_t next);

/* Whether channels wait for each other in a circle, which is then written into
 * 'cycle' [512].  SF_ENOMEM. */
enum sf_status sf_ip_waits_judge(const struct sf_ip_waits *waits,
                                 enum sf_ip_verdict *verdictp, char *cycle,
                                 struct sf_error *err);

#endif
