/* lab.h -- a lab: a network of real packets on one machine.
 *
 * Each switch and each host is a network namespace of Linux, each cable a pair
 * of veth interfaces, with the addresses and routes that ip.h makes of a
 * routing.  Nothing runs in a lab but the kernel: it stays until it is taken
 * down.
 *
 * A lab has a name, and a folder in which it notes what it is about to make
 * before it makes it.  So it can be taken down whatever happened, and nothing
 * else is touched.  Its namespaces are marked, too, so that they are known if
 * the folder is lost.  Everything here needs root. */
#ifndef SLIMFLY_LAB_H
#define SLIMFLY_LAB_H

#include "slimfly/ip.h"
#include "slimfly/port_names.h"

#include <stdio.h>

#pragma GCC visibility push(default)

#define SF_LAB_FOLDER    "/run/slimfly" /* Where labs note what they made. */
#define SF_LAB_NAME      "lab"          /* Of a lab that is not given one. */
#define SF_LAB_NAME_SIZE 16             /* Letters, digits and '-'. */

#define SF_LAB_PORT_SIZE 16 /* Of the name of an interface. */

struct sf_lab_params {
    const char *folder; /* NULL: SF_LAB_FOLDER. */
    const char *name;   /* NULL: SF_LAB_NAME. */
    struct sf_ip_params addresses;
    const char *switch_ports; /* How interfaces are called (port_names.h); */
    const char *host_ports;   /* NULL: as in the files of ip_files.h. */
    bool without_alternates;  /* No second routes (ip.h). */
    double link_rate; /* Bits a second between switches, each way; 0: as fast
                       * as it goes. */
    double host_rate; /* The same at hosts. */
    bool (*is_cancelled)(void); /* Asked now and then; NULL: never. */
};

/* A lab that is up. */
struct sf_lab; /* Opaque. */

/* What a lab consists of, for people. */
struct sf_lab_sizes {
    uint32_t n_switches, n_hosts; /* Namespaces. */
    uint32_t n_links;             /* Cables. */
    uint32_t n_layers, n_sets;
    uint64_t n_routes; /* Of switches. */
};

/* Whether a lab with the folder, name and rates of 'params' could be brought
 * up: before work is done for it.  SF_EIO: we are not root, or there are no
 * namespaces here. */
enum sf_status sf_lab_allowed(const struct sf_lab_params *params,
                              struct sf_error *err);

/* Brings up 'routes' of 'network', which has a fabric.  SF_EINVAL: the name is
 * none, or there is such a lab.  SF_EIO: the kernel refused something, for the
 * most part because we are not root; what was made is gone again.  The same
 * after a cancellation. */
enum sf_status sf_lab_up(const struct sf_lab_params *params,
                         const struct sf_network *network,
                         const struct sf_routes *routes,
                         struct sf_lab_sizes *sizes, struct sf_error *err);

/* What was taken down. */
struct sf_lab_removed {
    uint32_t n_namespaces;
    uint32_t n_processes; /* That ran in them and were ended. */
    uint32_t n_foreign;   /* Namespaces that have the name of one of the lab
                           * and are not: left alone. */
};

/* Takes down the lab 'name', also one that was never finished or whose folder
 * is gone: ends what runs in its namespaces and removes these.  SF_EINVAL:
 * there is no such lab. */
enum sf_status sf_lab_down(const char *folder, const char *name,
                           struct sf_lab_removed *removed,
                           struct sf_error *err);

/* Whether others may use the lab at the same time. */
enum sf_lab_use {
    SF_LAB_LOOK,   /* Others may look, too. */
    SF_LAB_CHANGE, /* Nobody else. */
};

/* Opens the lab 'name', and closes it.  SF_EINVAL: there is none, or it is not
 * finished.  SF_EIO: somebody else uses it. */
enum sf_status sf_lab_open(const char *folder, const char *name,
                           enum sf_lab_use use, struct sf_lab **labp,
                           struct sf_error *err);
void sf_lab_close(struct sf_lab *lab);

/* What the lab is made of.  They live as long as it is open. */
const char *sf_lab_name(const struct sf_lab *lab);
const struct sf_network *sf_lab_network(const struct sf_lab *lab);
const struct sf_ip_tables *sf_lab_tables(const struct sf_lab *lab);
void sf_lab_sizes(const struct sf_lab *lab, struct sf_lab_sizes *sizes);
double sf_lab_link_rate(const struct sf_lab *lab);
double sf_lab_host_rate(const struct sf_lab *lab);

/* The name of a node within the lab, and that of its network namespace, which
 * 'ip -n' takes: "LAB.NODE". */
#define SF_LAB_NAMESPACE_SIZE (SF_LAB_NAME_SIZE + SF_IP_NAME_SIZE)
const char *sf_lab_node(const struct sf_lab *lab, uint32_t node);
void sf_lab_namespace(const struct sf_lab *lab, uint32_t node,
                      char text[SF_LAB_NAMESPACE_SIZE]);

/* The node called 'name', in the fabric or in the lab; SF_NONE if none is. */
uint32_t sf_lab_find(const struct sf_lab *lab, const char *name);

/* The interface of a port, an index into fabric->ports. */
void sf_lab_interface(const struct sf_lab *lab, uint32_t port,
                      char text[SF_LAB_PORT_SIZE]);

/* From now on the lab is to be routed by 'routes', which somebody has put into
 * its switches: sf_lab_check() compares with these, sf_lab_restore() brings
 * them back.  'lab' must be open for changes. */
enum sf_status sf_lab_set_routes(struct sf_lab *lab,
                                 const struct sf_routes *routes,
                                 struct sf_error *err);

/* Where packets do not go as the tables say. */
enum sf_lab_fault {
    SF_LAB_WRONG_HOP, /* A switch sends them on by another neighbour. */
    SF_LAB_NO_ROUTE,  /* It has no route for them. */
    SF_LAB_LOST,      /* They vanish behind it, or the answers do. */
    SF_LAB_CIRCLE,    /* With links that are down, the tables send packets
                       * round in a circle. */
    SF_LAB_CUT,       /* The tables have no way round a link that is down. */
};

struct sf_lab_finding {
    enum sf_lab_fault fault;
    uint32_t node;            /* Where it happens; a sender, if its own link
                               * is down; of a circle, one on it. */
    uint32_t layer;           /* What it is about: packets in this layer */
    uint32_t target;          /* to this host; others of its switch may */
    uint32_t expected, found; /* be, too.  The next node by the tables, and
                               * the one that it really is; SF_NONE: none,
                               * or nobody knows. */
    uint64_t n_paths;         /* How many have it. */
};

struct sf_lab_check {
    uint64_t n_paths; /* Between switches: all layers and path sets. */
    uint64_t n_right; /* Hop by hop as the tables say, up to the host. */
    uint64_t n_host_paths, n_host_right; /* To hosts that are on none of
                                          * these. */
    uint64_t n_cut;    /* Of those that are not right: cut by links that are
                        * down or led round in a circle, as the tables say. */
    uint64_t n_probes; /* Packets sent and answered, */
    uint64_t n_lost;   /* and sent again. */
    uint32_t n_down;   /* Links that are down. */
    uint32_t n_findings;
    struct sf_lab_finding *findings; /* By number of paths. */
};

/* Sends packets over every path of every layer and compares, hop by hop, with
 * the tables, where links that are down are as the tables treat them: one host
 * of each switch and path set stands for all, and each other host gets packets
 * from one sender in all layers.  After success the caller calls
 * sf_lab_check_clear(). */
enum sf_status sf_lab_check(struct sf_lab *lab, struct sf_lab_check *check,
                            struct sf_error *err);
void sf_lab_check_clear(struct sf_lab_check *check);

/* How hosts use the layers. */
enum sf_lab_mode {
    SF_LAB_SINGLE,      /* One TCP connection in layer 0. */
    SF_LAB_EVERY_LAYER, /* One TCP connection in each layer. */
    SF_LAB_MPTCP,       /* One MPTCP connection with a subflow in each
                         * layer. */
    SF_LAB_N_MODES,
};

/* "single", "layers", "mptcp"; NULL behind the last. */
const char *sf_lab_mode_name(size_t i);

struct sf_lab_measure_params {
    const char *traffic; /* What is sent, as in traffic.h; amounts do not
                          * count: each flow takes what it gets. */
    uint64_t seed;
    bool modes[SF_LAB_N_MODES]; /* Which are measured. */
    double warmup, seconds;     /* How long flows run before bytes count, and
                                 * while they do. */
    bool (*is_cancelled)(void); /* NULL: never. */
};

/* What one mode gave.  Rates are bits of payload a second, by flow. */
struct sf_lab_rates {
    bool is_measured;
    double *measured, *predicted; /* [n_flows]; 'predicted' is NULL if links
                                   * have no rate. */
    double mean, least;           /* Of 'measured', and */
    double predicted_mean, predicted_least; /* of 'predicted'. */
    uint32_t n_connections;
    uint32_t n_paths_missing; /* Subflows of MPTCP that did not come up. */
};

struct sf_lab_measurement {
    uint32_t n_flows;
    uint32_t *from, *to; /* [n_flows] Hosts of the network. */
    double host_rate;    /* What a host's link carries, bits a second with all
                          * headers; 0: not shaped. */
    double payload;      /* The part of it that is payload. */
    struct sf_lab_rates modes[SF_LAB_N_MODES];
};

/* Sends real TCP flows through the lab, all at once, from this process, which
 * has sockets in all hosts, one mode after the other; and predicts the rates
 * by max-min fairness on the paths of the tables, which is the flow model of
 * simulations.  SF_EINVAL: a traffic that is none, or hosts that are cut off.
 * After success the caller calls sf_lab_measurement_clear(). */
enum sf_status sf_lab_measure(struct sf_lab *lab,
                              const struct sf_lab_measure_params *params,
                              struct sf_lab_measurement *measurement,
                              struct sf_error *err);
void sf_lab_measurement_clear(struct sf_lab_measurement *measurement);

/* Links of a lab, each by the port at one of its ends, an index into
 * fabric->ports. */
struct sf_lab_links {
    uint32_t n;
    uint32_t *ports;
};

/* Adds to 'links' those that 'word' names: "NODE" all of a switch or host,
 * "NODE:PORT" one, by the number of the port or the name of its interface,
 * "NODE--NODE" all between two.  SF_EINVAL: there are
 * none. */
enum sf_status sf_lab_find_links(const struct sf_lab *lab, const char *word,
                                 struct sf_lab_links *links,
                                 struct sf_error *err);
void sf_lab_links_clear(struct sf_lab_links *links);

/* Finds the links that are down, at one end at least. */
enum sf_status sf_lab_find_down(struct sf_lab *lab, struct sf_lab_links *links,
                                struct sf_error *err);

/* Takes links down at both ends, as if the cable were cut; brings them back
 * and adds the routes and neighbours that went with them, except where there
 * is another route now.  'lab' must be open for changes. */
enum sf_status sf_lab_fail(struct sf_lab *lab,
                           const struct sf_lab_links *links,
                           struct sf_error *err);
enum sf_status sf_lab_restore(struct sf_lab *lab,
                              const struct sf_lab_links *links,
                              struct sf_error *err);

/* Moves the calling process into 'node', to run something there: its network,
 * its host name, and the names of all nodes in /etc/hosts, those of a host in
 * layer L as "NODE.lL".  Nothing else changes, and there is no way back. */
enum sf_status sf_lab_enter(const struct sf_lab *lab, uint32_t node,
                            struct sf_error *err);

/* One of the labs of a folder. */
struct sf_lab_entry {
    char name[SF_LAB_NAME_SIZE];
    bool is_complete; /* It came up; else 'sizes' are zeros. */
    bool is_busy;     /* Somebody works on it. */
    bool is_lost;     /* Its folder is gone; sf_lab_down() removes it. */
    struct sf_lab_sizes sizes;
};

struct sf_lab_list {
    uint32_t n;
    struct sf_lab_entry *entries; /* By name. */
    uint32_t n_unseen; /* Network namespaces that are of no lab in the list,
                        * may be of one whose folder is gone, and could not be
                        * entered without root. */
};

/* Lists the labs of 'folder', which need not be there, and those whose folder
 * is gone. */
enum sf_status sf_labs_list(const char *folder, struct sf_lab_list *list,
                            struct sf_error *err);
void sf_labs_clear(struct sf_lab_list *list);

#pragma GCC visibility pop
#endif
