/* lab.h -- a lab from the inside.  What is where:
 *
 *     lab_names.c  the names of labs, namespaces and interfaces
 *     netlink.c    requests to the kernel
 *     netns.c      network namespaces
 *     config.c     links, addresses, routes and rates as requests
 *     mptcp.c      the addresses that MPTCP may use
 *     folder.c     the folder of a lab: what it made, its lock
 *     state.c      what a lab is, as JSON
 *     up.c         bringing it up
 *     down.c       taking it down
 *     lost.c       namespaces of labs whose folder is gone
 *     open.c       using one that is up
 *     links.c      which links carry packets
 *     ways.c       the ways of packets by the tables
 *     probes.c     packets with a limit of hops, and who answers
 *     hop_check.c  whether packets go where the tables say
 *     measure.c    real flows beside predicted ones: sockets.c sends them,
 *                  model.c predicts
 *     faults.c     links that are taken down and brought back
 *     enter.c      running something in a node */
#ifndef SF_IP_LAB_LAB_H
#define SF_IP_LAB_LAB_H

#include "ip/lab/netlink.h"
#include "slimfly/lab.h"

/* The folder of a lab, locked. */
struct sf_lab_folder {
    char *path;
    char name[SF_LAB_NAME_SIZE];
    int fd; /* Of the folder; its lock is ours. */
};

struct sf_lab {
    struct sf_lab_folder folder;
    struct sf_network *network;
    struct sf_routes *routes;
    struct sf_ip_tables *tables;
    struct sf_ip_names *names;
    struct sf_port_names switch_ports, host_ports;
    double link_rate, host_rate;
    bool has_alternates; /* A second route where a loop-free one is. */
    uint32_t *switch_of; /* [n_nodes] The switch of a host; of a switch
                          * itself. */
    int *spaces;         /* [n_nodes] Namespaces, -1 where not open. */
};

/* lab_names.c: whether 'name' may be that of a lab; reads how interfaces are
 * called, NULL by default. */
enum sf_status sf_lab_check_name(const char *name, struct sf_error *err);
enum sf_status sf_lab_read_rules(struct sf_lab *lab, const char *switch_ports,
                                 const char *host_ports, struct sf_error *err);

/* The number of the port that 'text' names, by its number or its interface; 0
 * if there is none. */
uint32_t sf_lab_port_number(const struct sf_lab *lab, uint32_t node,
                            const char *text);

/* folder.c */
#define SF_LAB_STATE      "lab.json"
#define SF_LAB_NEW_STATE  SF_LAB_STATE ".new"
#define SF_LAB_SPACES     "namespaces"
#define SF_LAB_CONTROLLER "controller.lock"

/* Whether a controller is at work, which has a lock on a file of its own. */
bool sf_lab_is_controlled(const struct sf_lab_folder *folder);

/* Makes the folder of a lab that is not there yet, and locks it; opens that of
 * one that is there, and locks it for looking or for changes.  SF_EINVAL:
 * there is one, or none. */
enum sf_status sf_lab_folder_make(struct sf_lab_folder *folder,
                                  const char *base, const char *name,
                                  struct sf_error *err);
enum sf_status sf_lab_folder_open(struct sf_lab_folder *folder,
                                  const char *base, const char *name,
                                  enum sf_lab_use use, struct sf_error *err);
enum sf_status sf_lab_fail_taken(const struct sf_lab_folder *folder,
                                 struct sf_error *err);
void sf_lab_folder_close(struct sf_lab_folder *folder);

/* The path of a file in the folder; the caller frees it, NULL if memory ran
 * out. */
char *sf_lab_folder_path(const struct sf_lab_folder *folder, const char *file);

/* Removes the folder with all files that labs have; whoever waits for its lock
 * finds it gone. */
enum sf_status sf_lab_folder_remove(struct sf_lab_folder *folder,
                                    struct sf_error *err);

/* A namespace that a lab made or was about to make. */
struct sf_lab_space {
    char name[SF_LAB_NAMESPACE_SIZE];
    uint64_t inode; /* 0: nobody knows whether it was made. */
};

struct sf_lab_spaces {
    uint32_t n;
    struct sf_lab_space *items; /* Each name once. */
};

/* Reads what is noted in the folder; no note at all is no namespace. */
enum sf_status sf_lab_spaces_read(const struct sf_lab_folder *folder,
                                  struct sf_lab_spaces *spaces,
                                  struct sf_error *err);
void sf_lab_spaces_clear(struct sf_lab_spaces *spaces);

/* lost.c: marks a namespace as one that the folder of 'lab' notes; adds to
 * 'spaces' those of the lab 'name', NULL for any, whose mark is of the folder
 * 'path', which may be NULL, or of one that is gone; and to 'unseen', if
 * nonnull, those that this process may not enter. */
enum sf_status sf_lab_put_mark(const struct sf_lab *lab, struct sf_netlink *nl,
                               struct sf_error *err);
enum sf_status sf_lab_find_marked(const char *name, const char *path,
                                  struct sf_lab_spaces *spaces,
                                  struct sf_lab_spaces *unseen,
                                  struct sf_error *err);

/* state.c: what a lab is, to and from a file of its folder.  Reading fills all
 * but folder and spaces. */
enum sf_status sf_lab_state_write(const struct sf_lab *lab,
                                  struct sf_error *err);
enum sf_status sf_lab_state_read(struct sf_lab *lab, const char *path,
                                 struct sf_error *err);
enum sf_status sf_lab_state_parse(struct sf_lab *lab, const char *text,
                                  size_t length, const char *path,
                                  struct sf_error *err);

/* open.c: what follows from network, routes and addresses; the memory that a
 * lab holds. */
enum sf_status sf_lab_complete(struct sf_lab *lab,
                               const struct sf_ip_addresses *addresses,
                               struct sf_error *err);
void sf_lab_clear(struct sf_lab *lab);

/* Opens the namespaces of all nodes, for which the process may need more open
 * files than it has by default. */
enum sf_status sf_lab_open_spaces(struct sf_lab *lab, struct sf_error *err);
enum sf_status sf_lab_need_files(uint32_t n, struct sf_error *err);

/* Opens a netlink socket in the namespace of 'node'; the calling thread must
 * have left home (netns.h), and is in that namespace then. */
enum sf_status sf_lab_netlink(struct sf_lab *lab, uint32_t node,
                              struct sf_netlink *nl, struct sf_error *err);

/* links.c: which ports have a link that carries packets: 'runs' is by port of
 * the fabric.  For a thread that is at home. */
enum sf_status sf_lab_look_all_links(struct sf_lab *lab, bool *runs,
                                     struct sf_error *err);
/* Waits until all that are plugged in carry packets.  The thread must have
 * left home. */
enum sf_status sf_lab_await_links(struct sf_lab *lab, uint32_t node,
                                  struct sf_error *err);
enum sf_status sf_lab_await_port(struct sf_lab *lab, uint32_t port,
                                 struct sf_netlink *nl, struct sf_error *err);

/* The port by which the kernel of 'node' would send packets for 'to' now;
 * SF_NONE: it would not. */
enum sf_status sf_lab_ask_route(struct sf_lab *lab, uint32_t node,
                                struct sf_ip_address to, uint32_t *portp,
                                struct sf_error *err);

/* enter.c: writes the names of all nodes for /etc/hosts. */
#define SF_LAB_HOSTS "hosts"
enum sf_status sf_lab_write_hosts(const struct sf_lab *lab,
                                  struct sf_error *err);

/* mptcp.c: tells the kernel of a host, in whose namespace the thread is, the
 * addresses that MPTCP may use beside the first.  A kernel without MPTCP is
 * none the wiser. */
enum sf_status sf_lab_put_endpoints(const struct sf_lab *lab, uint32_t node,
                                    struct sf_netlink *nl,
                                    struct sf_error *err);

/* config.c: requests for a node, to be sent in its namespace. */

/* The number of the interface of a port: the same in every lab. */
#define SF_LAB_FIRST_INTERFACE 1000

/* Settings of the kernel in the namespace of the calling thread. */
enum sf_status sf_lab_put_settings(const struct sf_lab *lab,
                                   struct sf_error *err);

/* The loopback interface and its address; the cables of 'node' to nodes of
 * higher number, whose namespaces are open. */
enum sf_status sf_lab_put_loopback(const struct sf_lab *lab, uint32_t node,
                                   struct sf_netlink *nl,
                                   struct sf_error *err);
enum sf_status sf_lab_put_cables(const struct sf_lab *lab, uint32_t node,
                                 struct sf_netlink *nl, struct sf_error *err);

/* What an interface needs when it has come up: rate, neighbours, addresses,
 * routes.  'port' is one of the node's ports, or SF_NONE for all, and for
 * routes that have no interface. */
enum sf_status sf_lab_put_rate(const struct sf_lab *lab, uint32_t node,
                               uint32_t port, struct sf_netlink *nl,
                               struct sf_error *err);
enum sf_status sf_lab_put_routes(const struct sf_lab *lab, uint32_t node,
                                 uint32_t port, struct sf_netlink *nl,
                                 struct sf_error *err);

/* Of these, for a port of switch 's', all but the routes: who is at the other
 * end. */
enum sf_status sf_lab_put_peer(const struct sf_lab *lab, uint32_t s,
                               uint32_t port, struct sf_netlink *nl,
                               struct sf_error *err);

/* Sets all interfaces of a node up; sets that of a port up or down. */
enum sf_status sf_lab_put_up(const struct sf_lab *lab, uint32_t node,
                             struct sf_netlink *nl, struct sf_error *err);
enum sf_status sf_lab_put_flags(const struct sf_lab *lab, uint32_t port,
                                bool is_up, struct sf_netlink *nl,
                                struct sf_error *err);

#endif
