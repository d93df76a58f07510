/* fabric.h -- a network as it stands in the machine hall: switches and hosts
 * with names, numbered ports and what is plugged into them.
 *
 * A fabric comes from a topology (fabric planned) or from discovery (fabric
 * found); everything after it works the same on both.  Nodes are numbered,
 * switches first.  Ports have numbers of their own across the whole fabric;
 * a cable is two ports that are each other's peers. */
#ifndef SLIMFLY_FABRIC_H
#define SLIMFLY_FABRIC_H

#include "slimfly/port_names.h"
#include "slimfly/topology.h"

#pragma GCC visibility push(default)

/* Tables hold the number of a port in a byte, whatever the technology; this is
 * where InfiniBand ends. */
#define SF_MAX_PORTS 254

enum sf_node_kind {
    SF_NODE_SWITCH,
    SF_NODE_HOST,
};
#define SF_N_NODE_KINDS 2

/* How fast a link runs, as ibnetdiscover spells it: "4xEDR". */
#define SF_RATE_SIZE 12

struct sf_port {
    uint32_t node;   /* Whose port this is. */
    uint32_t number; /* From 1. */
    uint32_t peer;   /* The port at the other end; SF_NONE if unplugged. */
    uint64_t guid;   /* Hosts only: like that of a node. */
    char rate[SF_RATE_SIZE]; /* "" if not known. */
};

struct sf_node {
    enum sf_node_kind kind;
    char *name;          /* Never NULL. */
    uint64_t guid;       /* The identity that its maker burned in: a GUID on
                          * InfiniBand, a MAC address on Ethernet; 0 if not
                          * known. */
    uint32_t n_ports;    /* Ports 1..n_ports */
    uint32_t first_port; /* are fabric->ports[first_port ...]. */
    uint32_t origin; /* In a planned fabric: the number of the switch in the
                      * topology, or of the host; else SF_NONE. */
    uint32_t rack;   /* Where it stands (plan.h), SF_NONE if not known, */
    uint32_t unit;   /* and the lowest rack unit it takes, from 1. */
};

/* What one back end alone knows of nodes and ports, such as the LIDs of
 * InfiniBand: a record of fixed size for each, which the fabric carries along
 * without looking inside.  The back end defines its kind and the structs of
 * the records (ib_addresses.h). */
struct sf_side_kind {
    const char *name; /* Of the back end, for messages: "InfiniBand". */
    size_t node_size, port_size;
};

struct sf_side_table {
    const struct sf_side_kind *kind; /* NULL: there is no side table. */
    void *nodes, *ports;             /* [n_nodes], [n_ports] */
};

/* What a discovery has to say besides what it found: a switch that did not
 * report, two reports that contradict each other. */
struct sf_note {
    const char *kind; /* For programs, one word; not owned. */
    char *text;       /* For people, a sentence without a newline. */
};

struct sf_fabric {
    uint32_t n_nodes, n_switches; /* Nodes n_switches... are the hosts. */
    struct sf_node *nodes;        /* [n_nodes] */
    uint32_t n_ports;
    struct sf_port *ports;                            /* [n_ports] */
    uint32_t n_cables;                                /* Pairs of peers. */
    struct sf_port_names port_names[SF_N_NODE_KINDS]; /* Of each kind. */
    struct sf_side_table side;
    uint32_t n_notes; /* Of its discovery; a copy of the fabric has none. */
    struct sf_note *notes;
};

/* A fabric under construction: nodes in any order, then cables. */
struct sf_fabric_builder; /* Opaque. */

struct sf_fabric_params {
    uint32_t switch_ports; /* Ports of every switch; 0: as many as needed. */
    const char *rate;      /* Of every link; NULL: "4xEDR". */
    uint32_t n_hosts;      /* So many of the topology's, see below; 0: all. */
    struct sf_port_names port_names[SF_N_NODE_KINDS]; /* Zeros: none. */
};

/* Builds the fabric of 'topo': hosts on ports 1..p, then the links, sorted so
 * that every switch of a group uses the same port for the same purpose:
 *
 *  1. links inside the innermost part (the subgroup of a Slim Fly's group),
 *     by how much further the neighbour's last number is, going round;
 *  2. other links inside the group, by the neighbour's number;
 *  3. links to other groups, by the group, then by the neighbour's number.
 *
 * For a Slim Fly this is the port plan of [Blach24].  Names are those of the
 * topology, hosts are node0000...; GUIDs are placeholders from a range for
 * local use.
 *
 * Hosts that are left out are the last ones of switches, evenly spread: none
 * has two less before each has one less.  Their ports stay free and the others
 * keep their names, so they can come later.  SF_EINVAL if there are not that
 * many in the topology, SF_ELIMIT if a switch would need more than
 * 'switch_ports' or SF_MAX_PORTS ports. */
enum sf_status sf_fabric_from_topology(const struct sf_topology *topo,
                                       const struct sf_fabric_params *params,
                                       struct sf_fabric **fabricp,
                                       struct sf_error *err);

/* For readers: starts a fabric, adds nodes and cables, ends it.  The fabric
 * gets a side table of the kind 'side', or none if that is NULL.  The
 * builder's errors are those of memory only, kept until the end; what a file
 * must not say is for its reader to refuse. */
enum sf_status sf_fabric_builder_new(const struct sf_side_kind *side,
                                     struct sf_fabric_builder **builderp,
                                     struct sf_error *err);
void sf_fabric_builder_free(struct sf_fabric_builder *builder);

/* Adds a node; 'node' gives all but first_port, and its name is copied.
 * Returns a number for sf_fabric_builder_port() and _cable(), not the number
 * of the node in the fabric. */
uint32_t sf_fabric_builder_node(struct sf_fabric_builder *builder,
                                const struct sf_node *node);

/* A port of a node that was added, to set guid and rate; NULL if 'number' is
 * not one of its ports or memory ran out.  Good until the next node is
 * added. */
struct sf_port *sf_fabric_builder_port(struct sf_fabric_builder *builder,
                                       uint32_t node, uint32_t number);

/* The side records of a node that was added and of a port of it, which are
 * zeros until they are set; NULL also if there is no side table. */
void *sf_fabric_builder_node_side(struct sf_fabric_builder *builder,
                                  uint32_t node);
void *sf_fabric_builder_port_side(struct sf_fabric_builder *builder,
                                  uint32_t node, uint32_t number);

/* Joins two ports.  False, and nothing done, if one does not exist or is
 * taken by another cable, or if both are the same; true if they are joined
 * already. */
bool sf_fabric_builder_cable(struct sf_fabric_builder *builder,
                             uint32_t node_a, uint32_t number_a,
                             uint32_t node_b, uint32_t number_b);

/* Ends the building, frees 'builder' and hands over the fabric; nodes are put
 * in order, switches first, each kind in the order of adding. */
enum sf_status sf_fabric_builder_end(struct sf_fabric_builder *builder,
                                     struct sf_fabric **fabricp,
                                     struct sf_error *err);

/* Gives 'fabric' a side table with records of zeros; one of the same kind that
 * is there already stays as it is.  SF_EINVAL if there is one of another
 * kind. */
enum sf_status sf_fabric_add_side(struct sf_fabric *fabric,
                                  const struct sf_side_kind *kind,
                                  struct sf_error *err);

enum sf_status sf_fabric_copy(const struct sf_fabric *fabric,
                              struct sf_fabric **copyp, struct sf_error *err);
void sf_fabric_free(struct sf_fabric *fabric);

/* The port 'number' of 'node', or SF_NONE if it has none of that number. */
static inline uint32_t
sf_fabric_port(const struct sf_fabric *fabric, uint32_t node, uint32_t number)
{
    const struct sf_node *of = &fabric->nodes[node];
    return number >= 1 && number <= of->n_ports ? of->first_port + number - 1
                                                : SF_NONE;
}

/* Writes what people call port 'number' of 'node' into 'name' and returns it:
 * "swp8", or "8" if ports have no names. */
char *sf_fabric_port_name(const struct sf_fabric *fabric, uint32_t node,
                          uint32_t number, char name[SF_PORT_NAME_SIZE]);

/* Plugs a cable into two free ports, and out of the one at 'port'. */
void sf_fabric_plug(struct sf_fabric *fabric, uint32_t a, uint32_t b);
void sf_fabric_unplug(struct sf_fabric *fabric, uint32_t port);

/* Takes the hosts and their cables out of 'fabric'; switches keep their
 * numbers and their ports. */
void sf_fabric_drop_hosts(struct sf_fabric *fabric);

/* Adds a note of a discovery. */
enum sf_status sf_fabric_add_note(struct sf_fabric *fabric, const char *kind,
                                  const char *text, struct sf_error *err);

/* The switches of 'fabric' and the links between them as a graph, for
 * routing and analysis; node s of the graph is switch s.  'link_portsp', if
 * nonnull, gets the two ports of each link, [2 * n_links]: first the one at
 * the link's end a. */
enum sf_status sf_fabric_graph(const struct sf_fabric *fabric,
                               struct sf_graph **graphp,
                               uint32_t **link_portsp, struct sf_error *err);

/* How many hosts are on each switch, counted by plugged ports: 'n_hosts'
 * [n_switches]. */
void sf_fabric_count_hosts(const struct sf_fabric *fabric, uint32_t *n_hosts);

/* The node called 'name', or SF_NONE; O(nodes). */
uint32_t sf_fabric_find(const struct sf_fabric *fabric, const char *name);

#pragma GCC visibility pop
#endif
