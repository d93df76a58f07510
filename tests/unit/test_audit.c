/* Audits: compared with an oracle that follows every LID by itself, writes
 * down every dependency and looks for cycles by depth-first search. */
#define _GNU_SOURCE
#include "base/mem.h"
#include "helpers.h"
#include "slimfly/audit.h"
#include "slimfly/ib.h"
#include "slimfly/random.h"
#include "test.h"

#include <stdlib.h>

/* A fabric with everything that an audit takes. */
struct subject {
    struct sf_fabric *fabric;
    struct sf_tables *tables;
    struct sf_sl2vl *sl2vl;
    struct sf_path_sls *path_sls;
    bool has_port_0; /* Whether packets start there too. */
};

static struct sf_fabric *
fabric_of(const char *spec, uint32_t lmc)
{
    struct sf_topology *topo = build("%s", spec);
    struct sf_fabric *fabric;
    CHECK_EQ(sf_fabric_from_topology(topo, NULL, &fabric, NULL), SF_OK);
    CHECK_EQ(sf_fabric_assign_lids(fabric, lmc, NULL, NULL), SF_OK);
    sf_topology_free(topo);
    return fabric;
}

static void
clear(struct subject *subject)
{
    sf_path_sls_free(subject->path_sls);
    sf_sl2vl_free(subject->sl2vl);
    sf_tables_free(subject->tables);
    sf_fabric_free(subject->fabric);
}

/* Minimal tables in one layer or more. */
static struct subject
subject_of(const char *spec, uint32_t n_layers, const char *scheme)
{
    struct subject subject = { fabric_of(spec, sf_lmc_for_layers(n_layers)),
                               NULL, NULL, NULL, false };
    struct sf_layers_params params = { .scheme = scheme,
                                       .n_layers = n_layers,
                                       .seed = 1 };
    struct sf_network *network;
    struct sf_routes *routes;
    CHECK_EQ(sf_network_build(subject.fabric, &network, NULL), SF_OK);
    CHECK_EQ(sf_routes_make(network, 1, &routes, NULL), SF_OK);
    CHECK_EQ(
        build_layers(network->graph, NULL, &params, &routes->sets[0], NULL),
        SF_OK);
    CHECK_EQ(sf_ib_encode_lfts(network, routes, &subject.tables, NULL), SF_OK);
    sf_routes_free(routes);
    sf_network_free(network);
    return subject;
}

/* The oracle: where a packet for 'lid' goes from switch 's', as a port of the
 * fabric; SF_NONE if nowhere. */
static uint32_t
hop(const struct subject *subject, uint32_t s, uint32_t lid)
{
    uint32_t port = sf_fabric_port(subject->fabric, s,
                                   sf_tables_of(subject->tables, s)[lid]);
    return port == SF_NONE || subject->fabric->ports[port].peer == SF_NONE
               ? SF_NONE
               : port;
}

/* The switch on the other side of 'port', SF_NONE if it is a host. */
static uint32_t
switch_behind(const struct subject *subject, uint32_t port)
{
    uint32_t node =
        subject->fabric->ports[subject->fabric->ports[port].peer].node;
    return node < subject->fabric->n_switches ? node : SF_NONE;
}

/* Follows 'lid' from 's'; 'ports' gets the ports between switches.  Returns
 * their number, SF_NONE if it does not arrive; '*is_loopp' whether that is
 * because of a loop. */
static uint32_t
oracle_walk(const struct subject *subject, uint32_t s, uint32_t lid,
            uint32_t *ports, bool *is_loopp)
{
    *is_loopp = false;
    for (uint32_t n = 0; n <= subject->fabric->n_switches; n++) {
        if (sf_tables_of(subject->tables, s)[lid] == 0) {
            return sf_ib_node(subject->fabric, s)->lid == lid ? n : SF_NONE;
        }
        uint32_t port = hop(subject, s, lid);
        if (port == SF_NONE) {
            return SF_NONE;
        }
        const struct sf_ib_port *peer =
            sf_ib_port(subject->fabric, subject->fabric->ports[port].peer);
        if (switch_behind(subject, port) == SF_NONE) {
            return lid >= peer->lid && lid < peer->lid + (1u << peer->lmc)
                       ? n
                       : SF_NONE;
        }
        ports[n] = port;
        s = switch_behind(subject, port);
    }
    *is_loopp = true;
    return SF_NONE;
}

static bool
is_host_port(const struct subject *subject, uint32_t port)
{
    return subject->fabric->ports[port].peer != SF_NONE &&
           switch_behind(subject, port) == SF_NONE;
}

/* The switch on which 'lid' lives. */
static uint32_t
oracle_home(const struct subject *subject, uint32_t lid)
{
    uint32_t target = subject->tables->targets[lid];
    if (target == SF_NONE || target < subject->fabric->n_switches) {
        return target;
    }
    uint32_t port = subject->fabric->nodes[target].first_port;
    return subject->fabric->ports[subject->fabric->ports[port].peer].node;
}

static uint32_t
oracle_vl(const struct subject *subject, uint32_t s, uint32_t in, uint32_t out,
          uint32_t sl)
{
    return subject->sl2vl ? sf_sl2vl_of(subject->sl2vl, s, in, out)[sl] : 0;
}

static uint32_t
oracle_sl(const struct subject *subject, uint32_t s, uint32_t lid)
{
    return subject->path_sls ? sf_path_sls_of(subject->path_sls, s)[lid] : 0;
}

/* Dependencies as a matrix over (port of the fabric, VL). */
struct matrix {
    uint32_t n;
    bool *waits; /* [n * n] */
    uint8_t *colour;
};

static uint32_t
channel(uint32_t port, uint32_t vl)
{
    return port * 15 + vl;
}

/* The in ports whose VLs packets that start at 's' have on their way to 'out':
 * those of its hosts, or, if 'is_port_0', 0 if that is known, otherwise those
 * of its hosts, and of all its neighbours if it has no hosts. */
static uint32_t
oracle_starts(const struct subject *subject, uint32_t s, bool is_port_0,
              uint32_t out, uint32_t sl, uint32_t ins[16])
{
    const struct sf_node *node = &subject->fabric->nodes[s];
    uint32_t n = 0;

    if (is_port_0 && oracle_vl(subject, s, 0, out, sl) != SF_NO_VL) {
        ins[n++] = 0;
        return n;
    }
    for (uint32_t i = 1; i <= node->n_ports; i++) {
        if (is_host_port(subject, node->first_port + i - 1)) {
            ins[n++] = i;
        }
    }
    if (n > 0 || !is_port_0) {
        return n;
    }
    for (uint32_t i = 1; i <= node->n_ports; i++) {
        if (i != out &&
            subject->fabric->ports[node->first_port + i - 1].peer != SF_NONE) {
            ins[n++] = i;
        }
    }
    return n;
}

/* Adds the paths from the hosts of 's', or from itself, to 'lid' with 'sl'. */
static void
oracle_add(const struct subject *subject, struct matrix *matrix, uint32_t s,
           bool is_port_0, uint32_t lid, uint32_t sl)
{
    uint32_t ports[64], ins[16];
    bool is_loop;
    uint32_t n = oracle_walk(subject, s, lid, ports, &is_loop);

    if (n == SF_NONE || n < 2) {
        return;
    }
    uint32_t n_starts =
        oracle_starts(subject, s, is_port_0,
                      subject->fabric->ports[ports[0]].number, sl, ins);
    for (uint32_t start = 0; start < n_starts; start++) {
        uint32_t in = ins[start], at = s, before = SF_NONE;
        for (uint32_t i = 0; i < n; i++) {
            const struct sf_port *port = &subject->fabric->ports[ports[i]];
            uint32_t vl = oracle_vl(subject, at, in, port->number, sl);
            if (vl == 15) {
                break;
            }
            if (before != SF_NONE) {
                matrix->waits[(size_t)before * matrix->n +
                              channel(ports[i], vl)] = true;
            }
            before = channel(ports[i], vl);
            in = subject->fabric->ports[port->peer].number;
            at = subject->fabric->ports[port->peer].node;
        }
    }
}

static bool
has_cycle_from(struct matrix *matrix, uint32_t c)
{
    matrix->colour[c] = 1;
    for (uint32_t d = 0; d < matrix->n; d++) {
        if (matrix->waits[(size_t)c * matrix->n + d] &&
            (matrix->colour[d] == 1 ||
             (matrix->colour[d] == 0 && has_cycle_from(matrix, d)))) {
            return true;
        }
    }
    matrix->colour[c] = 2;
    return false;
}

/* Adds what is sent from 's' to 'lid', and what comes back. */
static void
oracle_send(const struct subject *subject, struct matrix *matrix,
            enum sf_audit_behaviour behaviour, uint32_t s, bool is_port_0,
            uint32_t lid, uint32_t one_sl)
{
    uint32_t home = oracle_home(subject, lid),
             n_switches = subject->fabric->n_switches;
    uint32_t sl =
        behaviour == SF_AUDIT_ONE_SL ? one_sl : oracle_sl(subject, s, lid);

    if (home == SF_NONE || home == s) {
        return;
    }
    oracle_add(subject, matrix, s, is_port_0, lid, sl);
    /* Who got it sends to all LIDs of who sent it. */
    bool is_to_switch = subject->tables->targets[lid] < n_switches;
    for (uint32_t back = 1;
         behaviour == SF_AUDIT_REPLIES && back <= subject->tables->max_lid;
         back++) {
        if (oracle_home(subject, back) == s &&
            (subject->tables->targets[back] < n_switches) == is_port_0 &&
            (!is_to_switch || subject->has_port_0)) {
            oracle_add(subject, matrix, home, is_to_switch, back, sl);
        }
    }
}

/* Whether 'behaviour' is free of deadlock, and, if 'n_waitsp' is given, how
 * many dependencies there are and how long the shortest cycle is. */
static bool
oracle_is_free(const struct subject *subject,
               enum sf_audit_behaviour behaviour, uint32_t one_sl,
               uint64_t *n_waitsp, uint32_t *shortestp)
{
    uint32_t n_switches = subject->fabric->n_switches;
    struct matrix matrix = { .n = subject->fabric->n_ports * 15 };
    size_t n = matrix.n;
    bool is_free = true;
    CHECK(n > 0);
    matrix.waits = calloc(n * n, 1);
    matrix.colour = calloc(n, 1);
    CHECK(matrix.waits && matrix.colour);

    for (uint32_t s = 0; s < n_switches; s++) {
        for (uint32_t lid = 1; lid <= subject->tables->max_lid; lid++) {
            oracle_send(subject, &matrix, behaviour, s, false, lid, one_sl);
            if (subject->has_port_0) {
                oracle_send(subject, &matrix, behaviour, s, true, lid, one_sl);
            }
        }
    }
    for (uint32_t c = 0; is_free && c < matrix.n; c++) {
        is_free = matrix.colour[c] != 0 || !has_cycle_from(&matrix, c);
    }
    *n_waitsp = 0;
    for (size_t i = 0; i < n * n; i++) {
        *n_waitsp += matrix.waits[i];
    }
    /* Breadth-first from every channel. */
    uint32_t *queue = calloc(n, sizeof *queue);
    uint32_t *distance = calloc(n, sizeof *distance);
    CHECK(queue && distance);
    *shortestp = SF_NONE;
    for (uint32_t start = 0; !is_free && start < n; start++) {
        uint32_t head = 0, tail = 0;
        memset(distance, 0xff, n * sizeof *distance);
        distance[start] = 0;
        queue[tail++] = start;
        while (head < tail) {
            uint32_t c = queue[head++];
            for (uint32_t d = 0; d < n; d++) {
                if (!matrix.waits[c * n + d]) {
                    continue;
                }
                if (d == start && distance[c] + 1 < *shortestp) {
                    *shortestp = distance[c] + 1;
                }
                if (distance[d] == SF_NONE) {
                    distance[d] = distance[c] + 1;
                    queue[tail++] = d;
                }
            }
        }
    }
    free(distance);
    free(queue);
    free(matrix.colour);
    free(matrix.waits);
    return is_free;
}

/* Whether the path of 'step' may have its SL under 'behaviour'. */
static bool
may_have_sl(const struct subject *subject, const struct sf_audit_step *step,
            enum sf_audit_behaviour behaviour, uint32_t one_sl)
{
    if (behaviour == SF_AUDIT_ONE_SL) {
        return step->sl == one_sl;
    }
    if (oracle_sl(subject, step->source, step->lid) == step->sl) {
        return true;
    }
    uint32_t home = oracle_home(subject, step->lid);
    for (uint32_t lid = 1;
         behaviour == SF_AUDIT_REPLIES && lid <= subject->tables->max_lid;
         lid++) {
        if (oracle_home(subject, lid) == step->source &&
            (subject->tables->targets[lid] < subject->fabric->n_switches) ==
                step->is_port_0 &&
            oracle_sl(subject, home, lid) == step->sl) {
            return true;
        }
    }
    return false;
}

/* Fails unless the path of step 'i' takes its channel and then the next. */
static void
check_step(const struct subject *subject,
           const struct sf_audit_deadlock *deadlock, uint32_t i)
{
    const struct sf_audit_step *step = &deadlock->steps[i];
    const struct sf_audit_step *next =
        &deadlock->steps[(i + 1) % deadlock->n_steps];
    uint32_t ports[64] = { 0 }, ins[16];
    bool is_loop, is_taken = false;
    uint32_t n =
        oracle_walk(subject, step->source, step->lid, ports, &is_loop);
    CHECK(n != SF_NONE && n >= 2);
    CHECK(subject->has_port_0 || !step->is_port_0);

    uint32_t n_starts =
        oracle_starts(subject, step->source, step->is_port_0,
                      subject->fabric->ports[ports[0]].number, step->sl, ins);
    for (uint32_t start = 0; start < n_starts; start++) {
        uint32_t in = ins[start], at = step->source;
        bool was_there = false;
        for (uint32_t j = 0; j < n; j++) {
            const struct sf_port *port = &subject->fabric->ports[ports[j]];
            uint32_t vl = oracle_vl(subject, at, in, port->number, step->sl);
            is_taken =
                is_taken || (was_there && at == next->at &&
                             port->number == next->port && vl == next->vl);
            was_there =
                at == step->at && port->number == step->port && vl == step->vl;
            in = subject->fabric->ports[port->peer].number;
            at = subject->fabric->ports[port->peer].node;
        }
    }
    CHECK_FOR(is_taken, "step %u is not taken by its path", i);
}

/* Audits, compares all with the oracle, and hands the audit over. */
static struct sf_audit *
check_audit(const struct subject *subject, uint32_t one_sl)
{
    struct sf_audit_params params = { .sl2vl = subject->sl2vl,
                                      .path_sls = subject->path_sls,
                                      .has_one_sl = true,
                                      .one_sl = (uint8_t)one_sl,
                                      .has_port_0 = subject->has_port_0 };
    struct sf_audit *audit;
    struct sf_error err = { 0 };
    CHECK_FOR(sf_audit_build(subject->fabric, subject->tables, &params, &audit,
                             &err) == SF_OK,
              "%s", err.text);

    uint64_t n_loops = 0, n_lost = 0, n_by_hops[64] = { 0 };
    uint64_t *loads = calloc(subject->fabric->n_ports, sizeof *loads);
    CHECK(loads);
    for (uint32_t s = 0; s < subject->fabric->n_switches; s++) {
        bool has_hosts = false;
        for (uint32_t i = 0; i < subject->fabric->nodes[s].n_ports; i++) {
            has_hosts = has_hosts ||
                        is_host_port(subject,
                                     subject->fabric->nodes[s].first_port + i);
        }
        for (uint32_t lid = 1; lid <= subject->tables->max_lid; lid++) {
            uint32_t ports[64];
            bool is_loop;
            if (oracle_home(subject, lid) == SF_NONE) {
                continue;
            }
            uint32_t n = oracle_walk(subject, s, lid, ports, &is_loop);
            n_loops += is_loop;
            n_lost += n == SF_NONE && !is_loop;
            if (n == SF_NONE || !has_hosts || oracle_home(subject, lid) == s ||
                subject->tables->targets[lid] < subject->fabric->n_switches) {
                continue;
            }
            n_by_hops[n]++;
            for (uint32_t i = 0; i < n; i++) {
                loads[ports[i]]++;
            }
        }
    }
    CHECK_EQ(audit->n_faults[SF_AUDIT_LOOP], n_loops);
    CHECK_EQ(audit->n_faults[SF_AUDIT_NO_ENTRY] +
                 audit->n_faults[SF_AUDIT_DEAD_END],
             n_lost);
    for (uint32_t i = 0; i <= audit->most_hops; i++) {
        CHECK_EQ(audit->n_by_hops[i], n_by_hops[i]);
    }
    for (uint32_t i = 0; i < audit->n_links; i++) {
        CHECK_EQ(audit->links[i].n_paths, loads[audit->links[i].port]);
        CHECK(i == 0 ||
              audit->links[i - 1].n_paths >= audit->links[i].n_paths);
        CHECK_EQ(i >= audit->n_links - audit->n_unused,
                 audit->links[i].n_paths == 0);
    }
    free(loads);

    bool is_sound = n_loops + n_lost == 0;
    for (int i = 0; i < SF_AUDIT_N_BEHAVIOURS; i++) {
        const struct sf_audit_deadlock *deadlock = &audit->deadlock[i];
        uint64_t n_waits;
        uint32_t shortest;
        bool is_free = oracle_is_free(subject, (enum sf_audit_behaviour)i,
                                      one_sl, &n_waits, &shortest);
        CHECK(deadlock->is_checked);
        CHECK_EQ(deadlock->is_free, is_free);
        CHECK_EQ(deadlock->n_dependencies, n_waits);
        CHECK_EQ(deadlock->n_steps, is_free ? 0 : shortest);
        for (uint32_t j = 0; j < deadlock->n_steps; j++) {
            check_step(subject, deadlock, j);
            CHECK(may_have_sl(subject, &deadlock->steps[j],
                              (enum sf_audit_behaviour)i, one_sl));
        }
        is_sound = is_sound && is_free && !deadlock->n_dropped;
    }
    CHECK_EQ(audit->is_sound, is_sound);
    return audit;
}

/* A ring of 'n' switches, with a host each, on which all goes round the same
 * way; 'ports' 2 and 3 of a switch lead on and back. */
static struct subject
ring(uint32_t n)
{
    struct sf_fabric_builder *builder;
    struct subject subject = { 0 };
    uint32_t switches[16], hosts[16];
    CHECK_EQ(sf_fabric_builder_new(NULL, &builder, NULL), SF_OK);
    for (uint32_t i = 0; i < n; i++) {
        char name[] = "switch", host[] = "host";
        struct sf_node node = {
            .kind = SF_NODE_SWITCH, .name = name, .guid = i + 1, .n_ports = 3
        };
        switches[i] = sf_fabric_builder_node(builder, &node);
        node = (struct sf_node){
            .kind = SF_NODE_HOST, .name = host, .guid = 100 + i, .n_ports = 1
        };
        hosts[i] = sf_fabric_builder_node(builder, &node);
        CHECK(sf_fabric_builder_cable(builder, switches[i], 1, hosts[i], 1));
    }
    for (uint32_t i = 0; i < n; i++) {
        CHECK(sf_fabric_builder_cable(builder, switches[i], 2,
                                      switches[(i + 1) % n], 3));
    }
    CHECK_EQ(sf_fabric_builder_end(builder, &subject.fabric, NULL), SF_OK);
    CHECK_EQ(sf_fabric_assign_lids(subject.fabric, 0, NULL, NULL), SF_OK);

    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    CHECK(stream);
    for (uint32_t s = 0; s < n; s++) {
        fprintf(stream, "Unicast lids of switch Lid 0 guid 0x%x\n", s + 1);
        for (uint32_t i = 0; i < n; i++) {
            fprintf(stream, "0x%04x %03d\n",
                    sf_ib_node(subject.fabric, i)->lid, i == s ? 0 : 2);
            uint32_t port = subject.fabric->nodes[n + i].first_port;
            fprintf(stream, "0x%04x %03d\n",
                    sf_ib_port(subject.fabric, port)->lid, i == s ? 1 : 2);
        }
        fputs("lids dumped\n", stream);
    }
    fclose(stream);
    CHECK_EQ(sf_tables_parse(text, length, "ring", subject.fabric,
                             &subject.tables, NULL),
             SF_OK);
    free(text);
    return subject;
}

/* The textbook's: one way round a ring deadlocks on one lane. */
TEST(audit_a_ring_on_one_lane_deadlocks)
{
    for (uint32_t n = 3; n <= 6; n++) {
        struct subject subject = ring(n);
        struct sf_audit *audit = check_audit(&subject, 0);
        CHECK(!audit->is_sound);
        CHECK_EQ(audit->deadlock[SF_AUDIT_PATH_SLS].n_steps, n);
        CHECK_EQ(audit->most_hops, n - 1);
        CHECK_EQ(audit->n_unused, n); /* All that lead back. */
        sf_audit_free(audit);
        clear(&subject);
    }
}

/* Gives a ring of 4 a second lane behind switch 0.  A switch cannot see the
 * lane that a packet comes on, so SL 1 says that a path passes 0: it starts on
 * VL 0, and 0 and 1 send on what comes from a switch on VL 1.  Then VL 0 ends
 * at 0 and VL 1 at 2. */
static void
add_ring_lanes(struct subject *subject)
{
    CHECK_EQ(sf_sl2vl_make(subject->fabric, &subject->sl2vl, NULL), SF_OK);
    CHECK_EQ(sf_path_sls_make(subject->fabric, subject->tables->max_lid,
                              &subject->path_sls, NULL),
             SF_OK);
    for (uint32_t s = 0; s < 4; s++) {
        for (uint32_t in = 0; in <= 3; in++) {
            for (uint32_t out = 0; out <= 3; out++) {
                memset(sf_sl2vl_of(subject->sl2vl, s, in, out), 0, SF_N_SLS);
            }
        }
        for (uint32_t lid = 1; lid <= subject->tables->max_lid; lid++) {
            uint32_t home = oracle_home(subject, lid);
            sf_path_sls_of(subject->path_sls, s)[lid] =
                home != SF_NONE && home < s ? 1 : 0;
        }
    }
    sf_sl2vl_of(subject->sl2vl, 0, 3, 2)[1] = 1;
    sf_sl2vl_of(subject->sl2vl, 1, 3, 2)[1] = 1;
}

TEST(audit_a_ring_on_two_lanes_does_not)
{
    struct subject subject = ring(4);
    add_ring_lanes(&subject);
    struct sf_audit *audit = check_audit(&subject, 0);
    CHECK_EQ(audit->n_vls, 2);
    CHECK(audit->deadlock[SF_AUDIT_PATH_SLS].is_free);
    CHECK(!audit->deadlock[SF_AUDIT_ONE_SL].is_free);
    /* A reply from 0 to 3 with the SL from 3 to 0 goes from VL 1 at 1 back to
     * VL 0 at 2. */
    CHECK(!audit->deadlock[SF_AUDIT_REPLIES].is_free);
    CHECK(!audit->is_sound);
    sf_audit_free(audit);
    clear(&subject);
}

/* A ring of 3 on which packets from hosts start on VL 0 and go on on VL 1,
 * while those from switches are on VL 1 from the start. */
TEST(audit_finds_what_only_packets_from_port_0_do)
{
    struct subject subject = ring(3);
    CHECK_EQ(sf_sl2vl_make(subject.fabric, &subject.sl2vl, NULL), SF_OK);
    for (uint32_t s = 0; s < 3; s++) {
        for (uint32_t in = 0; in <= 3; in++) {
            memset(sf_sl2vl_of(subject.sl2vl, s, in, 2), in != 1, SF_N_SLS);
            memset(sf_sl2vl_of(subject.sl2vl, s, in, 3), in != 1, SF_N_SLS);
        }
    }
    struct sf_audit *audit = check_audit(&subject, 0);
    CHECK(audit->is_sound);
    CHECK(!audit->has_port_0);
    sf_audit_free(audit);

    subject.has_port_0 = true;
    audit = check_audit(&subject, 0);
    CHECK(!audit->is_sound);
    CHECK(audit->has_port_0);
    CHECK_EQ(audit->n_port_0_unknown, 0);
    CHECK_EQ(audit->deadlock[SF_AUDIT_PATH_SLS].n_steps, 3);
    for (uint32_t i = 0; i < 3; i++) {
        CHECK(audit->deadlock[SF_AUDIT_PATH_SLS].steps[i].is_port_0);
        CHECK_EQ(audit->deadlock[SF_AUDIT_PATH_SLS].steps[i].vl, 1);
    }
    sf_audit_free(audit);

    /* Where nothing is said, they are like those from hosts. */
    for (uint32_t s = 0; s < 2; s++) {
        memset(sf_sl2vl_of(subject.sl2vl, s, 0, 2), SF_NO_VL, SF_N_SLS);
    }
    audit = check_audit(&subject, 0);
    CHECK(audit->is_sound);
    CHECK_EQ(audit->n_port_0_unknown, 2);
    sf_audit_free(audit);
    clear(&subject);
}

/* Audits, and counts in 'n' whether that is free, [1], or not, [0]. */
static void
count_free(const struct subject *subject, uint32_t n[2])
{
    struct sf_audit *audit = check_audit(subject, 0);
    n[audit->deadlock[SF_AUDIT_PATH_SLS].is_free]++;
    sf_audit_free(audit);
}

/* Every single VL and every single SL of the ring on two lanes, changed: the
 * verdict is the oracle's each time. */
TEST(audit_finds_every_harmful_lane)
{
    struct subject subject = ring(4);
    uint32_t by_vl[2] = { 0 }, by_sl[2] = { 0 };
    add_ring_lanes(&subject);

    for (uint32_t s = 0; s < 4; s++) {
        for (uint32_t in = 1; in <= 3; in++) {
            for (uint32_t sl = 0; sl < 2; sl++) {
                uint8_t *vl = &sf_sl2vl_of(subject.sl2vl, s, in, 2)[sl];
                *vl ^= 1;
                count_free(&subject, by_vl);
                *vl ^= 1;
            }
        }
        for (uint32_t lid = 1; lid <= subject.tables->max_lid; lid++) {
            uint8_t *sl = &sf_path_sls_of(subject.path_sls, s)[lid];
            *sl ^= 1;
            count_free(&subject, by_sl);
            *sl ^= 1;
        }
    }
    CHECK(by_vl[0] > 0 && by_vl[1] > 0);
    CHECK_FOR(by_sl[0] > 0 && by_sl[1] > 0, "%u, %u", by_sl[0], by_sl[1]);
    clear(&subject);
}

/* Fills SL-to-VL tables and path SLs at random. */
static void
add_random_lanes(struct subject *subject, struct sf_random *random)
{
    uint32_t n_vls = 1 + sf_random_below(random, 4);
    uint32_t n_sls = 1 + sf_random_below(random, 4);
    bool is_rising = sf_random_below(random, 2);

    CHECK_EQ(sf_sl2vl_make(subject->fabric, &subject->sl2vl, NULL), SF_OK);
    CHECK_EQ(sf_path_sls_make(subject->fabric, subject->tables->max_lid,
                              &subject->path_sls, NULL),
             SF_OK);
    for (uint32_t s = 0; s < subject->fabric->n_switches; s++) {
        uint32_t n_ports = subject->fabric->nodes[s].n_ports;
        for (uint32_t in = 0; in <= n_ports; in++) {
            bool is_host =
                in == 0 ||
                is_host_port(subject,
                             subject->fabric->nodes[s].first_port + in - 1);
            for (uint32_t out = 0; out <= n_ports; out++) {
                for (uint32_t sl = 0; sl < SF_N_SLS; sl++) {
                    /* Sometimes the first hop has a lane of its own, so that
                     * not all of them deadlock. */
                    sf_sl2vl_of(subject->sl2vl, s, in, out)[sl] =
                        (uint8_t)(is_rising && is_host
                                      ? n_vls
                                      : sf_random_below(random, n_vls));
                }
            }
        }
        for (uint32_t lid = 0; lid <= subject->tables->max_lid; lid++) {
            sf_path_sls_of(subject->path_sls, s)[lid] =
                (uint8_t)sf_random_below(random, n_sls);
        }
    }
}

static const char *const small_specs[] = {
    "jellyfish:n=6,k=3,p=1",
    "sf:q=3,p=1",
    "hx2:2x3,p=1",
    "df:a=2,h=1,p=1",
    "ft2:leaf=3,core=2,up=2,p=2",
    "ft2:leaf=2,core=2,up=1,p=1",
};

TEST(audit_agrees_with_the_oracle_on_random_lanes)
{
    struct sf_random random;
    uint32_t n_free = 0, n_bound = 0;
    sf_random_init(&random, 5, 0);

    for (uint32_t trial = 0; trial < 120; trial++) {
        struct subject subject =
            subject_of(small_specs[trial % ARRAY_SIZE(small_specs)],
                       1 + trial % 2, trial % 3 ? "minimal" : NULL);
        if (trial % 4) {
            add_random_lanes(&subject, &random);
        }
        subject.has_port_0 = trial / 3 % 2;
        for (uint32_t s = 0; subject.sl2vl && s < subject.fabric->n_switches;
             s++) {
            for (uint32_t out = 1; out <= subject.sl2vl->n_ports[s]; out++) {
                if (sf_random_below(&random, 2)) {
                    memset(sf_sl2vl_of(subject.sl2vl, s, 0, out), SF_NO_VL,
                           SF_N_SLS);
                }
            }
        }
        struct sf_audit *audit =
            check_audit(&subject, sf_random_below(&random, 4));
        for (int i = 0; i < SF_AUDIT_N_BEHAVIOURS; i++) {
            n_free += audit->deadlock[i].is_free;
            n_bound += !audit->deadlock[i].is_free;
        }
        sf_audit_free(audit);
        clear(&subject);
    }
    CHECK_FOR(n_free > 10 && n_bound > 10, "%u free, %u not", n_free, n_bound);
}

/* One wrong entry is found if and only if it does harm. */
TEST(audit_finds_every_harmful_entry)
{
    struct sf_random random;
    uint32_t n_faults = 0, n_harmless = 0, n_loops = 0;
    sf_random_init(&random, 6, 0);

    for (uint32_t trial = 0; trial < 100; trial++) {
        struct subject subject = subject_of(
            small_specs[trial % ARRAY_SIZE(small_specs)], 1, "minimal");
        uint32_t s = sf_random_below(&random, subject.fabric->n_switches), lid;
        do {
            lid = 1 + sf_random_below(&random, subject.tables->max_lid);
        } while (subject.tables->targets[lid] == SF_NONE);
        uint32_t port =
            sf_random_below(&random, subject.fabric->nodes[s].n_ports + 2);
        sf_tables_of(subject.tables, s)[lid] =
            port > subject.fabric->nodes[s].n_ports ? SF_NO_PORT
                                                    : (uint8_t)port;
        struct sf_audit *audit = check_audit(&subject, 0);
        bool is_harmful =
            audit->n_faults[0] || audit->n_faults[1] || audit->n_faults[2];
        n_faults += is_harmful;
        n_loops += audit->n_faults[SF_AUDIT_LOOP] > 0;
        n_harmless += !is_harmful;
        if (is_harmful) {
            CHECK(audit->n_examples > 0);
            CHECK_EQ(audit->examples[0].lid, lid);
        }
        sf_audit_free(audit);
        clear(&subject);
    }
    CHECK(n_faults > 10 && n_harmless > 10 && n_loops > 3);
}

/* Lanes that are sound where no path has more than two links between
 * switches: the first on VL 0 or 2, the second on VL 1 or 3.  SL 2 stands for
 * a mistake: it stays on VL 0. */
static void
add_two_lanes(struct subject *subject, struct sf_random *random)
{
    CHECK_EQ(sf_sl2vl_make(subject->fabric, &subject->sl2vl, NULL), SF_OK);
    CHECK_EQ(sf_path_sls_make(subject->fabric, subject->tables->max_lid,
                              &subject->path_sls, NULL),
             SF_OK);
    for (uint32_t s = 0; s < subject->fabric->n_switches; s++) {
        const struct sf_node *node = &subject->fabric->nodes[s];
        for (uint32_t in = 0; in <= node->n_ports; in++) {
            bool is_first =
                in == 0 || is_host_port(subject, node->first_port + in - 1);
            for (uint32_t out = 0; out <= node->n_ports; out++) {
                uint8_t *vls = sf_sl2vl_of(subject->sl2vl, s, in, out);
                memset(vls, 0, SF_N_SLS);
                vls[0] = is_first ? 0 : 1;
                vls[1] = is_first ? 2 : 3;
            }
        }
        for (uint32_t lid = 0; lid <= subject->tables->max_lid; lid++) {
            sf_path_sls_of(subject->path_sls, s)[lid] =
                (uint8_t)sf_random_below(random, 2);
        }
    }
}

/* A port of switch 's' to another switch. */
static uint32_t
random_link(const struct subject *subject, uint32_t s,
            struct sf_random *random)
{
    const struct sf_node *node = &subject->fabric->nodes[s];
    uint32_t i;
    do {
        i = sf_random_below(random, node->n_ports);
    } while (subject->fabric->ports[node->first_port + i].peer == SF_NONE ||
             is_host_port(subject, node->first_port + i));
    return i + 1;
}

/* What can be changed in tables. */
enum part {
    ONE_VL,
    ONE_SL,
    ONE_ENTRY,
    N_PARTS,
};

/* Chooses one at random, and what it could be instead: mostly the lane of the
 * first step for the second, or the SL that is a mistake. */
static uint8_t *
choose(const struct subject *subject, enum part part, struct sf_random *random,
       uint8_t *otherp)
{
    uint8_t *place = NULL;

    for (uint32_t i = 0; i < 100 && (!place || *place == *otherp); i++) {
        uint32_t s = sf_random_below(random, subject->fabric->n_switches);
        uint32_t lid = 1 + sf_random_below(random, subject->tables->max_lid);
        uint32_t in = random_link(subject, s, random);
        uint32_t out = random_link(subject, s, random);
        uint32_t sl = sf_random_below(random, 2);
        bool is_any = sf_random_below(random, 20) == 0;
        if (part == ONE_VL) {
            place = &sf_sl2vl_of(subject->sl2vl, s, in, out)[sl];
            *otherp = (uint8_t)(is_any ? sf_random_below(random, 16) : 2 * sl);
        } else if (part == ONE_SL) {
            place = &sf_path_sls_of(subject->path_sls, s)[lid];
            *otherp = (uint8_t)(is_any ? sf_random_below(random, 3) : 2);
        } else {
            place = &sf_tables_of(subject->tables, s)[lid];
            *otherp = (uint8_t)(is_any ? 0 : out);
        }
    }
    return place;
}

/* Changes as much as can be without harm, so that the next change often is
 * harmful. */
static void
strain(struct subject *subject, enum part part, struct sf_random *random)
{
    struct sf_audit_params params = { .sl2vl = subject->sl2vl,
                                      .path_sls = subject->path_sls,
                                      .has_port_0 = subject->has_port_0 };

    for (uint32_t i = 0; i < 2000; i++) {
        uint8_t other;
        uint8_t *place = choose(subject, part, random, &other), was = *place;
        struct sf_audit *audit;
        *place = other;
        CHECK_EQ(sf_audit_build(subject->fabric, subject->tables, &params,
                                &audit, NULL),
                 SF_OK);
        if (!audit->is_sound) {
            *place = was;
        }
        sf_audit_free(audit);
    }
}

/* One VL, SL or entry of sound tables is changed: that does harm if and only
 * if the audit, and by check_audit() the oracle, says so. */
static void
check_changes(uint32_t n_rounds, uint32_t n_changes)
{
    static const char *const specs[] = { "sf:q=3,p=1",
                                         "jellyfish:n=6,k=3,p=1" };
    uint32_t n_harmless[N_PARTS] = { 0 }, n_harmful[N_PARTS] = { 0 };
    uint32_t n_bound[N_PARTS] = { 0 };
    struct sf_random random;
    sf_random_init(&random, 10, 0);

    for (uint32_t i = 0; i < n_rounds * N_PARTS; i++) {
        enum part part = (enum part)(i % N_PARTS);
        struct subject subject =
            subject_of(specs[i / N_PARTS % 2], 1, "minimal");
        subject.has_port_0 = i / N_PARTS >= n_rounds / 2;
        add_two_lanes(&subject, &random);
        strain(&subject, part == ONE_SL ? ONE_SL : ONE_VL, &random);
        for (uint32_t j = 0; j < n_changes; j++) {
            uint8_t other;
            uint8_t *place = choose(&subject, part, &random, &other),
                    was = *place;
            *place = other;
            struct sf_audit *audit = check_audit(&subject, 0);
            *place = was;
            bool is_bound = !audit->deadlock[SF_AUDIT_REPLIES].is_free;
            n_harmless[part] += audit->is_sound;
            n_harmful[part] += !audit->is_sound;
            n_bound[part] += is_bound;
            sf_audit_free(audit);
        }
        clear(&subject);
    }
    for (int i = 0; i < N_PARTS; i++) {
        CHECK_FOR(n_harmless[i] > 5 && n_harmful[i] > 5 && n_bound[i] > 5,
                  "%d: %u harmless, %u harmful, of these %u deadlocks", i,
                  n_harmless[i], n_harmful[i], n_bound[i]);
    }
}

TEST(audit_finds_exactly_the_harmful_changes)
{
    check_changes(2, 25);
}

TEST_LONG(audit_finds_exactly_the_harmful_changes_of_more)
{
    check_changes(4, 25);
}

/* Tables of any rubbish. */
TEST(audit_agrees_with_the_oracle_on_random_tables)
{
    struct sf_random random;
    sf_random_init(&random, 7, 0);

    for (uint32_t trial = 0; trial < 40; trial++) {
        struct subject subject = subject_of(
            small_specs[trial % ARRAY_SIZE(small_specs)], 2, "minimal");
        add_random_lanes(&subject, &random);
        for (uint32_t s = 0; s < subject.fabric->n_switches; s++) {
            for (uint32_t lid = 0; lid <= subject.tables->max_lid; lid++) {
                if (sf_random_below(&random, 8) < trial % 8) {
                    sf_tables_of(subject.tables, s)[lid] =
                        (uint8_t)sf_random_below(&random, 8);
                }
            }
        }
        sf_audit_free(check_audit(&subject, 1));
        clear(&subject);
    }
}

/* VL 15 throws packets away. */
TEST(audit_sees_what_is_dropped)
{
    struct subject subject = ring(4);
    struct sf_audit *audit;
    CHECK_EQ(sf_sl2vl_make(subject.fabric, &subject.sl2vl, NULL), SF_OK);
    for (uint32_t s = 0; s < 4; s++) {
        for (uint32_t in = 0; in <= 3; in++) {
            /* What comes from a switch is not sent on. */
            memset(sf_sl2vl_of(subject.sl2vl, s, in, 2), in == 3 ? 15 : 0,
                   SF_N_SLS);
        }
    }
    audit = check_audit(&subject, 0);
    CHECK(audit->deadlock[0].is_free);
    CHECK(audit->deadlock[0].n_dropped > 0);
    CHECK(!audit->is_sound);
    sf_audit_free(audit);

    /* Also on the last step, to the host on port 1 of switch 2. */
    for (uint32_t s = 0; s < 4; s++) {
        memset(sf_sl2vl_of(subject.sl2vl, s, 3, 2), 0, SF_N_SLS);
    }
    audit = check_audit(&subject, 0);
    CHECK_EQ(audit->deadlock[0].n_dropped, 0);
    sf_audit_free(audit);
    memset(sf_sl2vl_of(subject.sl2vl, 2, 3, 1), 15, SF_N_SLS);
    audit = check_audit(&subject, 0);
    CHECK_EQ(audit->deadlock[0].n_dropped, 3); /* From the other switches. */
    sf_audit_free(audit);

    /* What is not said at all is no basis for a verdict. */
    struct sf_audit_params params = { .sl2vl = subject.sl2vl };
    struct sf_error err = { 0 };
    memset(sf_sl2vl_of(subject.sl2vl, 2, 3, 2), SF_NO_VL, SF_N_SLS);
    CHECK_EQ(
        sf_audit_build(subject.fabric, subject.tables, &params, &audit, &err),
        SF_EINVAL);
    CHECK(!audit);
    CHECK_FOR(strstr(err.text, "do not say all VLs"), "%s", err.text);
    clear(&subject);
}

TEST(audit_refuses_what_does_not_fit)
{
    struct subject subject = ring(4), other = ring(5);
    struct sf_audit *audit;
    struct sf_error err = { 0 };
    struct sf_audit_params params = { .has_one_sl = true, .one_sl = 16 };
    CHECK_EQ(sf_audit_build(subject.fabric, other.tables, NULL, &audit, &err),
             SF_EINVAL);
    CHECK_EQ(
        sf_audit_build(subject.fabric, subject.tables, &params, &audit, &err),
        SF_EINVAL);
    sf_ib_change_node(subject.fabric, 1)->lid =
        sf_ib_node(subject.fabric, 0)->lid;
    CHECK_EQ(
        sf_audit_build(subject.fabric, subject.tables, NULL, &audit, &err),
        SF_EINVAL);
    CHECK_FOR(strstr(err.text, "belongs to two ports"), "%s", err.text);
    clear(&other);
    clear(&subject);
}

/* Writers and readers of lanes agree. */
TEST(audit_lanes_read_back_the_same)
{
    struct subject subject = subject_of("sf:q=3", 2, "minimal");
    struct sf_random random;
    struct sf_sl2vl *sl2vl;
    struct sf_path_sls *path_sls;
    struct sf_error err = { 0 };
    char *text = NULL;
    size_t length = 0;
    sf_random_init(&random, 8, 0);
    add_random_lanes(&subject, &random);

    FILE *stream = open_memstream(&text, &length);
    CHECK(stream);
    sf_sl2vl_write(subject.sl2vl, subject.fabric, stream);
    fclose(stream);
    CHECK_FOR(sf_sl2vl_parse(text, length, "file", subject.fabric, &sl2vl,
                             &err) == SF_OK,
              "%s", err.text);
    for (uint32_t s = 0; s < subject.fabric->n_switches; s++) {
        for (uint32_t in = 0; in <= sl2vl->n_ports[s]; in++) {
            for (uint32_t out = 1; out <= sl2vl->n_ports[s]; out++) {
                CHECK(!memcmp(sf_sl2vl_of(sl2vl, s, in, out),
                              sf_sl2vl_of(subject.sl2vl, s, in, out),
                              SF_N_SLS));
            }
        }
    }
    sf_sl2vl_free(sl2vl);
    free(text);

    stream = open_memstream(&text, &length);
    CHECK(stream);
    sf_path_sls_write(subject.path_sls, subject.fabric, stream);
    fclose(stream);
    CHECK_FOR(sf_path_sls_parse(text, length, "file", subject.fabric,
                                subject.tables->max_lid, &path_sls,
                                &err) == SF_OK,
              "%s", err.text);
    for (uint32_t s = 0; s < subject.fabric->n_switches; s++) {
        CHECK(!memcmp(sf_path_sls_of(path_sls, s) + 1,
                      sf_path_sls_of(subject.path_sls, s) + 1,
                      subject.tables->max_lid));
    }
    sf_path_sls_free(path_sls);
    free(text);
    clear(&subject);
}

#define SWITCH "Switch 0x02534c4600000000, base LID 1, \"a\"\n"
#define VLS    " : 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 "

TEST(audit_refuses_lanes_that_make_no_sense)
{
    static const struct {
        const char *text, *says;
    } tables[] = {
        { "", "file:1: expected 'Switch' and its GUID; found none" },
        { "hello\n", "file:1: expected 'Switch' or a row" },
        { "1 1" VLS "15\n", "file:1: expected 'Switch' and its GUID first" },
        { "Switch 77\n", "the GUID of a switch" },
        { "Switch 0x77\n", "no switch with GUID 0x0000000000000077" },
        { SWITCH "1 99" VLS "15\n", "file:2: expected an in port and an" },
        { SWITCH "1 1 0 0\n", "file:2: expected a colon" },
        { SWITCH "1 1" VLS "\n", "file:2: expected 16 VLs" },
        { SWITCH "1 1" VLS "16\n", "file:2: expected 16 VLs" },
        { SWITCH "1 1" VLS "15 3\n", "file:2: expected nothing after" },
    };
    static const struct {
        const char *text, *says;
    } sls[] = {
        { "", "file:1: expected 0xGUID,dlid,sl; found none" },
        { "source switch GUID,dlid,sl\n", "found none" },
        { "12,1,0\n", "file:1: expected 0xGUID,dlid,sl" },
        { "0x77,1,0\n", "no switch with GUID 0x0000000000000077" },
        { "0x02534c4600000000,0,0\n", "file:1: expected a LID from 1" },
        { "0x02534c4600000000,9-2,0\n", "expected a LID from 1" },
        { "0x02534c4600000000,99999,0\n", "expected a LID from 1" },
        { "0x02534c4600000000,1\n", "expected a LID from 1" },
        { "0x02534c4600000000,1,16\n", "an SL from 0 to 15" },
        { "0x02534c4600000000,1,0,\n", "an SL from 0 to 15" },
    };
    struct sf_fabric *fabric = fabric_of("sf:q=3", 0);

    for (size_t i = 0; i < ARRAY_SIZE(tables) + ARRAY_SIZE(sls); i++) {
        bool is_table = i < ARRAY_SIZE(tables);
        size_t j = is_table ? i : i - ARRAY_SIZE(tables);
        char *text = strdup(is_table ? tables[j].text : sls[j].text);
        struct sf_sl2vl *sl2vl = NULL;
        struct sf_path_sls *path_sls = NULL;
        struct sf_error err = { 0 };
        CHECK(text);
        enum sf_status status =
            is_table ? sf_sl2vl_parse(text, strlen(text), "file", fabric,
                                      &sl2vl, &err)
                     : sf_path_sls_parse(text, strlen(text), "file", fabric,
                                         20, &path_sls, &err);
        CHECK_FOR(status == SF_EPARSE && !sl2vl && !path_sls,
                  "status %d, '%s'", (int)status, err.text);
        CHECK_FOR(strstr(err.text, is_table ? tables[j].says : sls[j].says),
                  "%s", err.text);
        free(text);
    }
    sf_fabric_free(fabric);
}

TEST(audit_survives_running_out_of_memory)
{
    struct subject subject = subject_of("sf:q=3", 2, "minimal");
    struct sf_random random;
    sf_random_init(&random, 9, 0);
    add_random_lanes(&subject, &random);
    struct sf_audit_params params = { .sl2vl = subject.sl2vl,
                                      .path_sls = subject.path_sls,
                                      .has_one_sl = true };

    for (int with_lanes = 0; with_lanes < 2; with_lanes++) {
        enum sf_status status = SF_ENOMEM;
        struct sf_audit *audit;
        for (unsigned long i = 1; status != SF_OK; i++) {
            sf_mem_fail_at(i);
            status = sf_audit_build(subject.fabric, subject.tables,
                                    with_lanes ? &params : NULL, &audit, NULL);
            sf_mem_fail_at(0);
            CHECK_FOR(status == SF_OK || (status == SF_ENOMEM && !audit),
                      "allocation %lu", i);
        }
        sf_audit_free(audit);
    }
    clear(&subject);
}
