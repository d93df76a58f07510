/* lanes_helpers.c -- see lanes_helpers.h. */
#include "lanes_helpers.h"

#include "../oracle/routing_oracle.h"
#include "test.h"

#include <stdlib.h>

/* Encodes 'routing', which becomes part of the result. */
static enum sf_status
encode(struct sf_routing *routing, struct routed **routedp,
       struct sf_error *err)
{
    struct routed *routed = calloc(1, sizeof *routed);
    struct routed_lanes *lanes = calloc(1, sizeof *lanes);
    CHECK(routed != NULL && lanes != NULL);

    *routed = (struct routed){
        .routing = routing,
        .lanes = lanes,
        .params = routing->params,
        .fabric = routing->network->fabric,
        .graph = routing->network->graph,
        .turns = routing->routes->turns,
        .max_hops = routing->max_hops,
        .refusal = routing->refusal,
        .refused = routing->refused,
    };
    enum sf_status status = sf_ib_encode(routing, &routed->encoded, err);
    if (status != SF_OK) {
        routed_free(routed);
        *routedp = NULL;
        return status;
    }
    routed->tables = routed->encoded->lfts;
    *lanes = (struct routed_lanes){
        .scheme = routing->routes->lanes->scheme,
        .n_vls = routing->routes->lanes->n_vls,
        .n_sls = routing->routes->lanes->n_sls,
        .n_host_sls = routing->routes->lanes->n_host_sls,
        .sl2vl = routed->encoded->sl2vl,
        .path_sls = routed->encoded->path_sls,
    };
    *routedp = routed;
    return SF_OK;
}

enum sf_status
routed_build(const struct sf_fabric *fabric,
             const struct sf_routing_params *params, struct routed **routedp,
             struct sf_error *err)
{
    struct sf_routing_params asked = *params;
    struct sf_routing *routing;
    struct sf_network *network;

    *routedp = NULL;
    enum sf_status status = sf_network_build(fabric, &network, err);
    if (status == SF_OK) {
        sf_ib_count_addresses(fabric, &asked);
        status = sf_routing_build(network, &asked, &routing, err);
        sf_network_free(network);
    }
    return status == SF_OK ? encode(routing, routedp, err) : status;
}

enum sf_status
routed_repair(const struct routed *base, const struct sf_fabric *fabric,
              struct routed **routedp, struct sf_error *err)
{
    struct sf_routing *routing;
    struct sf_network *network;

    *routedp = NULL;
    enum sf_status status = sf_network_build(fabric, &network, err);
    if (status == SF_OK) {
        status = sf_routing_repair(base->routing, network, &routing, err);
        sf_network_free(network);
    }
    return status == SF_OK ? encode(routing, routedp, err) : status;
}

void
routed_free(struct routed *routed)
{
    if (routed) {
        sf_ib_tables_free(routed->encoded);
        sf_routing_free(routed->routing);
        free(routed->lanes);
        free(routed);
    }
}

enum sf_status
routed_find_turns(const struct routed *routed, struct sf_turns **turnsp,
                  struct sf_error *err)
{
    const struct sf_network *network = routed->routing->network;
    struct sf_routes *routes;

    *turnsp = NULL;
    enum sf_status status =
        sf_ib_decode(network, routed->tables, 0, &routes, err);
    if (status == SF_OK) {
        status =
            sf_ib_decode_turns(network, routed->lanes->sl2vl, routes, err);
        *turnsp = routes->turns;
        routes->turns = NULL;
        sf_routes_free(routes);
    }
    return status;
}

struct sf_fabric *
lanes_fabric(const char *spec, uint32_t n_layers)
{
    struct sf_topology *topo = build("%s", spec);
    struct sf_fabric *fabric;
    struct sf_error err = { 0 };

    CHECK_FOR(sf_fabric_from_topology(topo, NULL, &fabric, &err) == SF_OK,
              "%s: %s", spec, err.text);
    CHECK_FOR(sf_fabric_assign_lids(fabric, sf_lmc_for_layers(n_layers), NULL,
                                    &err) == SF_OK,
              "%s: %s", spec, err.text);
    sf_topology_free(topo);
    return fabric;
}

struct sf_fabric *
lanes_random_fabric(uint32_t n_switches, uint32_t n_more, uint32_t n_layers,
                    struct sf_random *random)
{
    char text[4096], spec[128];
    size_t length = 0;

    for (uint32_t i = 1; i < n_switches + n_more; i++) {
        uint32_t a = i < n_switches ? i : sf_random_below(random, n_switches);
        uint32_t b = sf_random_below(random, i < n_switches ? i : n_switches);
        if (a != b) {
            length += (size_t)snprintf(text + length, sizeof text - length,
                                       "%u %u\n", a, b);
            CHECK(length < sizeof text);
        }
    }
    struct temporary file = temporary_write(text);
    snprintf(spec, sizeof spec, "edges:%s,p=2", file.name);
    struct sf_fabric *fabric = lanes_fabric(spec, n_layers);
    temporary_remove(&file);
    return fabric;
}

bool
lanes_is_connected(const struct sf_fabric *fabric)
{
    uint32_t n = fabric->n_switches, n_reached = 1;
    bool *reached = calloc((size_t)n + 1, sizeof *reached);
    CHECK(reached != NULL && n > 0);

    reached[0] = true;
    for (uint32_t before = 0; before < n_reached;) {
        before = n_reached;
        for (uint32_t i = 0; i < fabric->n_ports; i++) {
            const struct sf_port *port = &fabric->ports[i];
            if (port->peer == SF_NONE || port->node >= n) {
                continue;
            }
            uint32_t to = fabric->ports[port->peer].node;
            if (to < n && reached[port->node] && !reached[to]) {
                reached[to] = true;
                n_reached++;
            }
        }
    }
    free(reached);
    return n_reached == n;
}

void
lanes_unplug(struct sf_fabric *fabric, uint32_t n, struct sf_random *random)
{
    for (uint32_t tries = 0; n > 0 && tries < 1000; tries++) {
        uint32_t a = sf_random_below(random, fabric->n_ports);
        uint32_t b = fabric->ports[a].peer;
        if (b == SF_NONE || fabric->ports[a].node >= fabric->n_switches ||
            fabric->ports[b].node >= fabric->n_switches) {
            continue;
        }
        sf_fabric_unplug(fabric, a);
        if (lanes_is_connected(fabric)) {
            n--;
        } else {
            sf_fabric_plug(fabric, a, b);
        }
    }
}

struct sf_fabric *
lanes_without(const struct sf_fabric *fabric, uint32_t s)
{
    struct sf_fabric_builder *builder;
    struct sf_fabric *smaller;
    uint32_t *numbers = calloc(fabric->n_nodes, sizeof *numbers);
    CHECK(numbers != NULL);

    CHECK_EQ(sf_fabric_builder_new(&sf_ib_side, &builder, NULL), SF_OK);
    for (uint32_t i = 0; i < fabric->n_nodes; i++) {
        const struct sf_node *node = &fabric->nodes[i];
        uint32_t peer = fabric->ports[node->first_port].peer;
        numbers[i] = SF_NONE;
        if (i == s || (node->kind == SF_NODE_HOST && peer != SF_NONE &&
                       fabric->ports[peer].node == s)) {
            continue;
        }
        numbers[i] = sf_fabric_builder_node(builder, node);
        struct sf_ib_node *ib =
            sf_fabric_builder_node_side(builder, numbers[i]);
        CHECK(ib != NULL);
        *ib = *sf_ib_node(fabric, i);
        for (uint32_t j = 1; j <= node->n_ports; j++) {
            uint32_t from = node->first_port + j - 1;
            struct sf_port *to =
                sf_fabric_builder_port(builder, numbers[i], j);
            struct sf_ib_port *lids =
                sf_fabric_builder_port_side(builder, numbers[i], j);
            CHECK(to != NULL && lids != NULL);
            to->guid = fabric->ports[from].guid;
            *lids = *sf_ib_port(fabric, from);
        }
    }
    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        const struct sf_port *a = &fabric->ports[i];
        if (a->peer == SF_NONE || a->peer < i) {
            continue;
        }
        const struct sf_port *b = &fabric->ports[a->peer];
        if (numbers[a->node] != SF_NONE && numbers[b->node] != SF_NONE) {
            CHECK(sf_fabric_builder_cable(builder, numbers[a->node], a->number,
                                          numbers[b->node], b->number));
        }
    }
    CHECK_EQ(sf_fabric_builder_end(builder, &smaller, NULL), SF_OK);
    free(numbers);
    return smaller;
}

/* Whether all SLs mean the same to every switch. */
static bool
is_blind_to_sls(const struct sf_sl2vl *sl2vl)
{
    for (uint32_t s = 0; s < sl2vl->n_switches; s++) {
        for (uint32_t in = 0; in <= sl2vl->n_ports[s]; in++) {
            for (uint32_t out = 0; out <= sl2vl->n_ports[s]; out++) {
                const uint8_t *vls = sf_sl2vl_of(sl2vl, s, in, out);
                for (uint32_t sl = 1; sl < SF_N_SLS; sl++) {
                    if (vls[sl] != vls[0]) {
                        return false;
                    }
                }
            }
        }
    }
    return true;
}

/* Audits under path SLs, replies and all on 'one_sl', and holds that against
 * the oracle; whether nothing is wrong with the behaviours named. */
static bool
agree(const struct routed *routing, uint8_t one_sl, bool is_for_replies,
      bool is_for_one_sl, const char *what)
{
    const struct routed_lanes *lanes = routing->lanes;
    struct sf_audit_params params = { .sl2vl = lanes->sl2vl,
                                      .path_sls = lanes->path_sls,
                                      .has_one_sl = true,
                                      .one_sl = one_sl };
    struct oracle_traffic traffic = { .fabric = routing->fabric,
                                      .tables = routing->tables,
                                      .sl2vl = lanes->sl2vl };
    struct sf_audit *audit;
    struct sf_error err = { 0 };
    bool is_sound = true;

    CHECK_FOR(sf_audit_build(routing->fabric, routing->tables, &params, &audit,
                             &err) == SF_OK,
              "%s: %s", what, err.text);
    for (int i = 0; i < SF_AUDIT_N_BEHAVIOURS; i++) {
        const struct sf_audit_deadlock *deadlock = &audit->deadlock[i];
        traffic.path_sls = i == SF_AUDIT_ONE_SL ? NULL : lanes->path_sls;
        traffic.with_replies = i == SF_AUDIT_REPLIES;
        traffic.one_sl = one_sl;
        struct oracle_verdict verdict = oracle_judge(&traffic);
        CHECK_FOR(deadlock->is_checked &&
                      deadlock->is_free == verdict.is_free &&
                      deadlock->n_dependencies == verdict.n_waits,
                  "%s, behaviour %d: the audit says %s with %llu waits, the "
                  "oracle %s with %llu",
                  what, i, deadlock->is_free ? "free" : "deadlock",
                  (unsigned long long)deadlock->n_dependencies,
                  verdict.is_free ? "free" : "deadlock",
                  (unsigned long long)verdict.n_waits);
        uint64_t n_lost = 0;
        for (int j = 0; j < SF_AUDIT_N_FAULTS; j++) {
            n_lost += audit->n_faults[j];
        }
        CHECK_FOR(i == SF_AUDIT_REPLIES || n_lost == verdict.n_lost,
                  "%s: the audit finds %llu paths lost, the oracle %llu", what,
                  (unsigned long long)n_lost,
                  (unsigned long long)verdict.n_lost);
        if (i == SF_AUDIT_PATH_SLS ||
            (i == SF_AUDIT_REPLIES && is_for_replies) ||
            (i == SF_AUDIT_ONE_SL && is_for_one_sl)) {
            is_sound = is_sound && oracle_is_sound(&verdict);
        }
    }
    sf_audit_free(audit);
    return is_sound;
}

bool
lanes_are_sound(const struct routed *routing, const char *what)
{
    const struct routed_lanes *lanes = routing->lanes;
    bool ignores = lanes->scheme->ignores_sls;
    bool is_sound =
        agree(routing, 0, ignores, ignores || lanes->n_host_sls == 1, what);

    for (uint8_t sl = 1;
         ignores && !is_blind_to_sls(lanes->sl2vl) && sl < SF_N_SLS; sl++) {
        is_sound = agree(routing, sl, true, true, what) && is_sound;
    }
    return is_sound;
}

/* The longest distance between switches that reach each other. */
static uint32_t
farthest(const struct sf_graph *graph)
{
    uint32_t *distances = oracle_route_distances(graph);
    uint32_t far = 0;

    for (uint32_t i = 0; i < graph->n_nodes * graph->n_nodes; i++) {
        if (distances[i] != SF_NONE && distances[i] > far) {
            far = distances[i];
        }
    }
    free(distances);
    return far;
}

void
lanes_check(const struct routed *routing, const char *what)
{
    const struct routed_lanes *lanes = routing->lanes;
    uint32_t max_vls =
        routing->params.max_vls ? routing->params.max_vls : SF_DEFAULT_VLS;
    struct oracle_traffic traffic = { .fabric = routing->fabric,
                                      .tables = routing->tables,
                                      .sl2vl = lanes->sl2vl,
                                      .path_sls = lanes->path_sls };

    struct oracle_verdict verdict = oracle_judge(&traffic);
    CHECK_FOR(lanes->n_vls >= 1 && lanes->n_vls <= max_vls, "%s: %u VLs of %u",
              what, lanes->n_vls, max_vls);
    CHECK_FOR(lanes->n_sls <= SF_N_SLS && lanes->n_host_sls <= lanes->n_sls,
              "%s: %u SLs, %u of hosts", what, lanes->n_sls,
              lanes->n_host_sls);
    CHECK_FOR(verdict.n_sls <= lanes->n_host_sls, "%s: SL %u of %u for hosts",
              what, verdict.n_sls - 1, lanes->n_host_sls);
    uint32_t limit = farthest(routing->graph);
    limit = routing->max_hops > limit ? routing->max_hops : limit;
    CHECK_FOR(verdict.most_hops <= limit, "%s: %u hops of %u", what,
              verdict.most_hops, limit);
    CHECK_FOR(verdict.n_lost == 0 && verdict.n_unsaid == 0 &&
                  verdict.n_dropped == 0,
              "%s: %llu lost, %llu unsaid, %llu dropped", what,
              (unsigned long long)verdict.n_lost,
              (unsigned long long)verdict.n_unsaid,
              (unsigned long long)verdict.n_dropped);

    /* Switches send too: their management does, on path SLs. */
    traffic.with_switches = true;
    verdict = oracle_judge(&traffic);
    CHECK_FOR(verdict.n_vls <= lanes->n_vls, "%s: VL %u of %u", what,
              verdict.n_vls - 1, lanes->n_vls);
    for (uint32_t s = 0; s < routing->fabric->n_switches; s++) {
        for (uint32_t lid = 1; lid <= routing->tables->max_lid; lid++) {
            uint8_t sl = sf_path_sls_of(lanes->path_sls, s)[lid];
            CHECK_FOR(sl < lanes->n_sls || sl == SF_NO_SL ||
                          routing->tables->targets[lid] == SF_NONE,
                      "%s: SL %u of %u", what, sl, lanes->n_sls);
        }
    }
    if (lanes->scheme->is_safe) {
        CHECK_FOR(oracle_is_sound(&verdict) || lanes->scheme->only_hosts,
                  "%s: not safe for switches", what);
        CHECK_FOR(lanes_are_sound(routing, what), "%s: not safe", what);
    }
}

void
lanes_check_same(const struct routed *a, const struct routed *b,
                 const char *what)
{
    const struct sf_tables *tables = a->tables;
    uint32_t n = tables->n_switches;
    const struct sf_sl2vl *sl2vl = a->lanes->sl2vl;

    CHECK_EQ(b->tables->n_switches, n);
    CHECK_EQ(b->tables->max_lid, tables->max_lid);
    CHECK_FOR(memcmp(tables->ports, b->tables->ports,
                     (size_t)n * (tables->max_lid + 1)) == 0,
              "%s: other tables", what);
    CHECK_FOR(memcmp(a->lanes->path_sls->sls, b->lanes->path_sls->sls,
                     (size_t)n * (tables->max_lid + 1)) == 0,
              "%s: other path SLs", what);
    for (uint32_t s = 0; s < n; s++) {
        size_t width = sl2vl->n_ports[s] + 1;
        CHECK_EQ(b->lanes->sl2vl->n_ports[s], sl2vl->n_ports[s]);
        CHECK_FOR(memcmp(sf_sl2vl_of(sl2vl, s, 0, 0),
                         sf_sl2vl_of(b->lanes->sl2vl, s, 0, 0),
                         width * width * SF_N_SLS) == 0,
                  "%s: other SL-to-VL tables at switch %u", what, s);
    }
    CHECK_EQ(a->lanes->n_vls, b->lanes->n_vls);
    CHECK_EQ(a->lanes->n_sls, b->lanes->n_sls);
    CHECK_EQ(a->lanes->n_host_sls, b->lanes->n_host_sls);
}
