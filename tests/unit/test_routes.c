/* Routes as tables and back: what was encoded is decoded, on random fabrics
 * and by hand, and figures of routes against walks through the tables. */
#include "base/mem.h"
#include "helpers.h"
#include "slimfly/ib.h"
#include "slimfly/random.h"
#include "slimfly/route_figures.h"
#include "test.h"

#include <stdlib.h>

#define MAX_SWITCHES 8
#define MAX_HOSTS    (3 * MAX_SWITCHES) /* Ports of hosts. */
#define MAX_LINKS    (3 * MAX_SWITCHES)
#define MAX_DEGREE   80

/* A fabric that is being drawn: ports of switches are taken in random order,
 * and some stay free. */
struct draft {
    struct sf_random *random;
    struct sf_fabric_builder *builder;
    uint32_t n_switches, switches[MAX_SWITCHES]; /* Numbers of the builder. */
    uint32_t n_ports[MAX_SWITCHES], n_taken[MAX_SWITCHES];
    uint32_t ports[MAX_SWITCHES][MAX_DEGREE];
    struct sf_link links[MAX_LINKS];
    uint32_t n_links;
    uint32_t points[MAX_HOSTS]; /* The switch of each port of a host. */
    uint32_t n_points, n_hosts;
};

static uint32_t
take_port(struct draft *draft, uint32_t s)
{
    CHECK(draft->n_taken[s] < draft->n_ports[s]);
    return draft->ports[s][draft->n_taken[s]++];
}

/* Links at random, some parallel; all switches are joined if 'is_whole'. */
static void
draw_links(struct draft *draft, bool is_whole)
{
    struct sf_random *random = draft->random;
    uint32_t n = draft->n_switches;

    for (uint32_t s = 1; is_whole && s < n; s++) {
        draft->links[draft->n_links++] =
            (struct sf_link){ s, sf_random_below(random, s) };
    }
    for (uint32_t more = sf_random_below(random, 2 * n); more > 0; more--) {
        uint32_t a = sf_random_below(random, n);
        uint32_t b = (a + 1 + sf_random_below(random, n - 1)) % n;
        draft->links[draft->n_links++] = (struct sf_link){ a, b };
    }
    for (uint32_t i = 0; i < draft->n_links; i++) {
        draft->n_ports[draft->links[i].a]++;
        draft->n_ports[draft->links[i].b]++;
    }
}

/* None to three ports of hosts on each switch, but one on the first. */
static void
draw_points(struct draft *draft)
{
    for (uint32_t s = 0; s < draft->n_switches; s++) {
        uint32_t n = sf_random_below(draft->random, 4);
        for (n = s == 0 && n == 0 ? 1 : n; n > 0; n--) {
            draft->points[draft->n_points++] = s;
            draft->n_ports[s]++;
        }
    }
    sf_random_shuffle(draft->random, draft->points, draft->n_points);
}

static void
add_switches(struct draft *draft)
{
    for (uint32_t s = 0; s < draft->n_switches; s++) {
        char name[] = "S0";
        name[1] = (char)('0' + s);
        draft->n_ports[s] += 1 + sf_random_below(draft->random, 3);
        for (uint32_t i = 0; i < draft->n_ports[s]; i++) {
            draft->ports[s][i] = i + 1;
        }
        sf_random_shuffle(draft->random, draft->ports[s], draft->n_ports[s]);
        draft->switches[s] = sf_fabric_builder_node(
            draft->builder, &(struct sf_node){ .kind = SF_NODE_SWITCH,
                                               .name = name,
                                               .guid = 0x100 + s,
                                               .n_ports = draft->n_ports[s] });
    }
    for (uint32_t i = 0; i < draft->n_links; i++) {
        uint32_t a = draft->links[i].a, b = draft->links[i].b;
        CHECK(sf_fabric_builder_cable(draft->builder, draft->switches[a],
                                      take_port(draft, a), draft->switches[b],
                                      take_port(draft, b)));
    }
}

/* Hosts of one or two ports, and some with another that leads nowhere. */
static void
add_hosts(struct draft *draft)
{
    for (uint32_t at = 0; at < draft->n_points;) {
        char name[] = "h00";
        uint32_t n = 1 + sf_random_below(draft->random, 2);
        n = at + n <= draft->n_points ? n : 1;
        name[1] = (char)('0' + draft->n_hosts / 10);
        name[2] = (char)('0' + draft->n_hosts % 10);
        uint32_t host = sf_fabric_builder_node(
            draft->builder,
            &(struct sf_node){
                .kind = SF_NODE_HOST,
                .name = name,
                .guid = 0x200 + draft->n_hosts++,
                .n_ports = n + (sf_random_below(draft->random, 4) == 0) });
        for (uint32_t i = 1; i <= n; i++) {
            uint32_t s = draft->points[at++];
            CHECK(sf_fabric_builder_cable(draft->builder, host, i,
                                          draft->switches[s],
                                          take_port(draft, s)));
        }
    }
}

static struct sf_fabric *
draw_fabric(struct sf_random *random, bool is_whole)
{
    struct draft draft = { .random = random,
                           .n_switches =
                               2 + sf_random_below(random, MAX_SWITCHES - 1) };
    struct sf_fabric *fabric;

    CHECK_EQ(sf_fabric_builder_new(&sf_ib_side, &draft.builder, NULL), SF_OK);
    draw_links(&draft, is_whole);
    draw_points(&draft);
    add_switches(&draft);
    add_hosts(&draft);
    CHECK_EQ(sf_fabric_builder_end(draft.builder, &fabric, NULL), SF_OK);
    return fabric;
}

/* Gives LIDs with gaps, to hosts and switches with LMCs of their own. */
static void
draw_lids(struct sf_random *random, struct sf_fabric *fabric)
{
    uint32_t next = 1;

    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        struct sf_port *port = &fabric->ports[i];
        if (port->node < fabric->n_switches || port->peer == SF_NONE) {
            continue;
        }
        struct sf_ib_port *lids = sf_ib_change_port(fabric, i);
        lids->lmc = (uint8_t)sf_random_below(random, 4);
        uint32_t size = 1u << lids->lmc;
        next = (next + sf_random_below(random, 5) + size - 1) / size * size;
        lids->lid = (uint16_t)next;
        next += size;
    }
    for (uint32_t s = 0; s < fabric->n_switches; s++) {
        struct sf_ib_node *node = sf_ib_change_node(fabric, s);
        node->enhanced_port0 = sf_random_below(random, 2);
        node->lmc =
            (uint8_t)(node->enhanced_port0 ? sf_random_below(random, 3) : 0);
        uint32_t size = 1u << node->lmc;
        next = (next + size - 1) / size * size;
        node->lid = (uint16_t)next;
        next += size;
    }
}

/* Routes of 'network' by any scheme, of one to three path sets: broken here
 * and there if 'is_spoilt', and hosts with any path set. */
static struct sf_routes *
draw_routes(struct sf_random *random, const struct sf_network *network,
            bool is_spoilt)
{
    static const char *const schemes[] = { "gates", "paper",    "minimal",
                                           "rues",  "fatpaths", "updown" };
    const struct sf_graph *graph = network->graph;
    uint32_t n = graph->n_nodes, n_sets = 1 + sf_random_below(random, 3);
    struct sf_layers_params params = {
        .scheme = schemes[sf_random_below(random, ARRAY_SIZE(schemes))],
        .n_layers = 1 + sf_random_below(random, 5),
        .max_hops = n,
        .within_parts = true,
        .n_sets = n_sets,
    };
    struct sf_routes *routes;

    CHECK_EQ(sf_routes_make(network, n_sets, &routes, NULL), SF_OK);
    for (uint32_t set = 0; set < n_sets; set++) {
        params.set = set;
        params.seed = sf_random_next(random);
        CHECK_EQ(sf_layers_build(network, &params, &routes->sets[set], NULL),
                 SF_OK);
        for (uint32_t i = 0; is_spoilt && i < params.n_layers * n * n; i++) {
            uint32_t s = i % n, degree = sf_graph_degree(graph, s);
            if (sf_random_below(random, 10) == 0 && s != i / n % n) {
                uint32_t hop = sf_random_below(random, degree + 1);
                routes->sets[set]->hops[i] =
                    hop == degree ? SF_NO_HOP : (uint16_t)hop;
            }
        }
    }
    for (uint32_t h = 0; is_spoilt && h < sf_network_count_hosts(network);
         h++) {
        routes->host_sets[h] = sf_random_below(random, n_sets);
    }
    struct sf_routing_params addresses;
    sf_ib_count_addresses(network->fabric, &addresses);
    routes->n_addresses = addresses.n_addresses;
    routes->n_switch_addresses = addresses.n_switch_addresses;
    return routes;
}

/* Whether two columns of 'n' switches are the same. */
static bool
is_same(const uint16_t *a, const uint16_t *b, uint32_t n)
{
    return memcmp(a, b, n * sizeof *a) == 0;
}

/* Whether 'found' leads everywhere as 'routes' do: to every address of every
 * host, and to those of switches of which 'found' has layers. */
static void
check_columns(const struct sf_network *network, const struct sf_routes *routes,
              const struct sf_routes *found)
{
    uint32_t n = network->graph->n_nodes;
    uint32_t n_layers = sf_routes_n_layers(routes);
    uint32_t n_found = sf_routes_n_layers(found);

    for (uint32_t d = 0; d < n; d++) {
        const struct sf_ib_node *node = sf_ib_node(network->fabric, d);
        for (uint32_t k = 0; k < 1u << node->lmc && k < n_found; k++) {
            CHECK(is_same(sf_layers_tree(found->sets[0], k, d),
                          sf_layers_tree(routes->sets[0], k % n_layers, d),
                          n));
        }
        for (uint32_t h = network->first_host[d];
             h < network->first_host[d + 1]; h++) {
            uint32_t lmc =
                sf_ib_port(network->fabric, network->host_ports[h])->lmc;
            CHECK(found->host_sets[h] < found->n_sets);
            for (uint32_t k = 0; k < 1u << lmc; k++) {
                CHECK_FOR(is_same(sf_routes_column(found, h, k, d),
                                  sf_routes_column(routes, h, k, d), n),
                          "host %u, address %u, at switch %u", h, k, d);
            }
        }
    }
    CHECK_EQ(found->n_addresses, routes->n_addresses);
    CHECK_EQ(found->n_switch_addresses, routes->n_switch_addresses);
    CHECK(found->lanes == NULL && found->turns == NULL);
}

/* Encodes 'routes', decodes them with 'n_layers' layers and encodes that. */
static void
check_round_trip(const struct sf_network *network,
                 const struct sf_routes *routes, uint32_t n_layers)
{
    struct sf_tables *tables, *again;
    struct sf_routes *found;
    struct sf_error err = { 0 };

    CHECK_EQ(sf_ib_encode_lfts(network, routes, &tables, NULL), SF_OK);
    CHECK_FOR(sf_ib_decode(network, tables, n_layers, &found, &err) == SF_OK,
              "%s", err.text);
    CHECK_EQ(sf_routes_n_layers(found),
             n_layers ? n_layers : routes->n_addresses);
    check_columns(network, routes, found);
    CHECK_EQ(sf_ib_encode_lfts(network, found, &again, NULL), SF_OK);
    CHECK_EQ(again->max_lid, tables->max_lid);
    /* A switch of more addresses than there are layers does not get all of
     * them back. */
    if (n_layers || routes->n_switch_addresses <= routes->n_addresses) {
        CHECK(!memcmp(again->ports, tables->ports,
                      tables->n_switches * ((size_t)tables->max_lid + 1)));
    }
    sf_tables_free(again);
    sf_routes_free(found);
    sf_tables_free(tables);
}

TEST(routes_are_decoded_as_they_were_encoded)
{
    struct sf_random random;
    uint32_t n_several = 0;

    sf_random_init(&random, 11, 0);
    for (uint32_t round = 0; round < 400; round++) {
        struct sf_fabric *fabric = draw_fabric(&random, round % 5 > 0);
        struct sf_network *network;
        if (round % 3) {
            draw_lids(&random, fabric);
        } else {
            CHECK_EQ(sf_fabric_assign_lids(fabric, sf_random_below(&random, 4),
                                           NULL, NULL),
                     SF_OK);
        }
        CHECK_EQ(sf_network_build(fabric, &network, NULL), SF_OK);
        struct sf_routes *routes = draw_routes(&random, network, round % 2);
        n_several += routes->n_sets > 1;
        check_round_trip(network, routes, 0);
        check_round_trip(network, routes, sf_routes_n_layers(routes));
        sf_routes_free(routes);
        sf_network_free(network);
        sf_fabric_free(fabric);
    }
    CHECK(n_several > 200);
}

/* The network of a spec, whose hosts have addresses of 'lmc'. */
static struct sf_network *
network_with_lids(const char *spec, uint32_t lmc)
{
    struct sf_topology *topo = build("%s", spec);
    struct sf_fabric *fabric;
    struct sf_network *network;

    CHECK_EQ(sf_fabric_from_topology(topo, NULL, &fabric, NULL), SF_OK);
    CHECK_EQ(sf_fabric_assign_lids(fabric, lmc, NULL, NULL), SF_OK);
    CHECK_EQ(sf_network_build(fabric, &network, NULL), SF_OK);
    sf_fabric_free(fabric);
    sf_topology_free(topo);
    return network;
}

/* The same of routings with lanes, as they are deployed. */
TEST(routings_are_decoded_as_they_were_encoded)
{
    static const struct {
        const char *spec, *scheme;
        uint32_t n_layers, n_path_sets;
    } cases[] = {
        { "sf:q=4,p=3", "gates", 4, 1 },
        { "sf:q=4,p=3", "gates", 3, 2 },
        { "sf:q=5,p=2", "minimal", 2, 2 },
        { "hx2:3x4,p=2", "rues", 4, 1 },
        { "df:a=4,h=2,p=2", NULL, 4, 1 },
        { "ft3:ports=4", "ftree", 4, 0 },
        { "ft2:leaf=4,core=2,up=2,p=3", "updown", 2, 3 },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sf_network *network = network_with_lids(
            cases[i].spec, sf_lmc_for_layers(cases[i].n_layers));
        struct sf_routing_params params = {
            .layers = { .scheme = cases[i].scheme,
                        .n_layers = cases[i].n_layers,
                        .seed = 1 },
            .n_path_sets = cases[i].n_path_sets,
        };
        struct sf_routing *routing;
        struct sf_error err = { 0 };
        sf_ib_count_addresses(network->fabric, &params);
        CHECK_FOR(sf_routing_build(network, &params, &routing, &err) == SF_OK,
                  "%s: %s", cases[i].spec, err.text);
        CHECK(routing->routes->lanes != NULL);
        check_round_trip(network, routing->routes, 0);
        check_round_trip(network, routing->routes, cases[i].n_layers);
        sf_routing_free(routing);
        sf_network_free(network);
    }
}

/* Path sets of layers by rues, and the routes read off their tables: the very
 * same path sets, as far as there are hosts. */
static void
check_tables(const char *spec, uint32_t n_layers, uint32_t n_sets)
{
    struct sf_network *network =
        network_with_lids(spec, sf_lmc_for_layers(n_layers));
    size_t n = network->graph->n_nodes;
    struct sf_routes *routes, *found;
    struct sf_tables *tables;

    CHECK_EQ(sf_routes_make(network, n_sets, &routes, NULL), SF_OK);
    for (uint32_t i = 0; i < n_sets; i++) {
        struct sf_layers_params params = { .scheme = "rues",
                                           .n_layers = n_layers,
                                           .seed = i };
        CHECK_EQ(build_layers(network->graph, NULL, &params, &routes->sets[i],
                              NULL),
                 SF_OK);
    }
    CHECK_EQ(sf_ib_encode_lfts(network, routes, &tables, NULL), SF_OK);
    CHECK_EQ(sf_ib_decode(network, tables, 0, &found, NULL), SF_OK);
    CHECK_EQ(found->n_sets, n_sets);
    CHECK(
        !memcmp(found->host_sets, routes->host_sets,
                sf_network_count_hosts(network) * sizeof *routes->host_sets));
    for (uint32_t i = 0; i < n_sets; i++) {
        const struct sf_layers *set = found->sets[i];
        CHECK_EQ(set->n_layers, 1u << sf_lmc_for_layers(n_layers));
        for (uint32_t l = 0; l < set->n_layers; l++) {
            CHECK(!memcmp(sf_layers_tree(set, l, 0),
                          sf_layers_tree(routes->sets[i], l % n_layers, 0),
                          n * n * sizeof *set->hops));
        }
    }
    sf_routes_free(found);
    sf_tables_free(tables);
    sf_routes_free(routes);
    sf_network_free(network);
}

TEST(routes_from_tables_have_the_path_sets_that_made_them)
{
    check_tables("sf:q=4,p=2", 1, 1);
    check_tables("sf:q=4,p=2", 4, 1);
    check_tables("sf:q=4,p=2", 4, 2);
    check_tables("sf:q=5,p=4", 3, 4);
    check_tables("hx2:3x4,p=1", 8, 1);
}

static enum sf_status
read_off(const struct sf_fabric *fabric, const struct sf_tables *tables,
         struct sf_error *err)
{
    struct sf_network *network;
    struct sf_routes *routes = UNSET(struct sf_routes);

    CHECK_EQ(sf_network_build(fabric, &network, NULL), SF_OK);
    enum sf_status status = sf_ib_decode(network, tables, 0, &routes, err);
    CHECK((routes == NULL) == (status != SF_OK));
    sf_routes_free(routes);
    sf_network_free(network);
    return status;
}

TEST(routes_from_tables_of_another_fabric_are_refused)
{
    struct sf_topology *topo = build("sf:q=4,p=1");
    struct sf_fabric *fabric;
    uint8_t ports[33 * 41];
    uint32_t targets[41] = { 0 };
    struct sf_tables tables = { 33, 40, ports, targets };
    struct sf_error err;

    memset(ports, SF_NO_PORT, sizeof ports);
    CHECK_EQ(sf_fabric_from_topology(topo, NULL, &fabric, NULL), SF_OK);
    CHECK_EQ(read_off(fabric, &tables, &err), SF_EINVAL);
    CHECK_STR(err.text, "the tables are not of this fabric: they have 33 "
                        "switches, and it has 32");
    tables.n_switches = 32;
    CHECK_EQ(read_off(fabric, &tables, &err), SF_EINVAL);
    CHECK_STR(err.text, "host 'node0000' has no LID, so that the tables "
                        "cannot say where its packets go");
    CHECK_EQ(sf_fabric_assign_lids(fabric, 1, NULL, NULL), SF_OK);
    CHECK_EQ(read_off(fabric, &tables, &err), SF_EINVAL);
    CHECK(strstr(err.text, "and the tables end at 40"));
    sf_fabric_free(fabric);
    sf_topology_free(topo);
}

TEST(routes_from_tables_nomem)
{
    struct sf_network *network = network_with_lids("sf:q=4,p=1", 0);
    uint8_t ports[32 * 65];
    uint32_t targets[65] = { 0 };
    struct sf_tables tables = { 32, 64, ports, targets };
    struct sf_routes *routes = NULL;
    unsigned long nth = 0;

    memset(ports, SF_NO_PORT, sizeof ports);
    do {
        sf_mem_fail_at(++nth);
    } while (sf_ib_decode(network, &tables, 0, &routes, NULL) == SF_ENOMEM &&
             !routes);
    sf_mem_fail_at(0);
    CHECK(routes != NULL);
    CHECK(nth >= 5);
    /* Entries that lead nowhere are no next hops. */
    CHECK_EQ(routes->sets[0]->hops[1], SF_NO_HOP);
    sf_routes_free(routes);
    sf_network_free(network);
}

/* What a walk through the tables counts. */
struct walks {
    const struct sf_fabric *fabric;
    const struct sf_tables *tables;
    uint64_t *loads; /* By port of a switch. */
    struct sf_route_figures seen;
};

/* Whether 'port' joins its switch to a switch, or to a host if 'to_host'. */
static bool
leads(const struct sf_fabric *fabric, uint32_t port, bool to_host)
{
    uint32_t peer = fabric->ports[port].peer;

    return fabric->ports[port].node < fabric->n_switches && peer != SF_NONE &&
           (fabric->ports[peer].node >= fabric->n_switches) == to_host;
}

/* Follows a packet from switch 's' to 'lid', which is at switch 'd', as far as
 * figures go. */
static void
walk(struct walks *walks, uint32_t s, uint32_t lid, uint32_t d)
{
    const struct sf_fabric *fabric = walks->fabric;
    uint32_t n_hops = 0;

    walks->seen.n_paths++;
    while (s != d) {
        uint8_t entry = sf_tables_of(walks->tables, s)[lid];
        uint32_t port = sf_fabric_port(fabric, s, entry);
        if (n_hops == SF_FIGURES_MAX_HOPS || port == SF_NONE ||
            !leads(fabric, port, false)) {
            walks->seen.n_broken++;
            return;
        }
        walks->loads[port]++;
        s = fabric->ports[fabric->ports[port].peer].node;
        n_hops++;
    }
    walks->seen.n_by_hops[n_hops]++;
}

static bool
carries_hosts(const struct sf_fabric *fabric, uint32_t s)
{
    for (uint32_t port = 0; port < fabric->n_ports; port++) {
        if (fabric->ports[port].node == s && leads(fabric, port, true)) {
            return true;
        }
    }
    return false;
}

/* Walks from every switch with hosts to every LID of a host elsewhere. */
static struct sf_route_figures
look_at_tables(const struct sf_fabric *fabric, const struct sf_tables *tables)
{
    struct walks walks = { .fabric = fabric,
                           .tables = tables,
                           .loads =
                               calloc(fabric->n_ports, sizeof *walks.loads) };
    struct sf_route_figures *seen = &walks.seen;
    uint64_t n_links = 0, n_hops = 0, n_arrived = 0;

    CHECK(walks.loads != NULL);
    for (uint32_t port = 0; port < fabric->n_ports; port++) {
        if (!leads(fabric, port, true)) {
            continue;
        }
        const struct sf_ib_port *host =
            sf_ib_port(fabric, fabric->ports[port].peer);
        uint32_t d = fabric->ports[port].node;
        for (uint32_t s = 0; s < fabric->n_switches; s++) {
            for (uint32_t k = 0; s != d && k < 1u << host->lmc; k++) {
                if (carries_hosts(fabric, s)) {
                    walk(&walks, s, host->lid + k, d);
                }
            }
        }
    }
    seen->min_load = UINT64_MAX;
    for (uint32_t port = 0; port < fabric->n_ports; port++) {
        if (leads(fabric, port, false)) {
            uint64_t load = walks.loads[port];
            n_links++;
            seen->min_load = load < seen->min_load ? load : seen->min_load;
            seen->max_load = load > seen->max_load ? load : seen->max_load;
            seen->mean_load += (double)load;
        }
    }
    seen->min_load = n_links ? seen->min_load : 0;
    seen->mean_load = n_links ? seen->mean_load / (double)n_links : 0;
    for (uint32_t i = 0; i <= SF_FIGURES_MAX_HOPS; i++) {
        n_arrived += seen->n_by_hops[i];
        n_hops += i * seen->n_by_hops[i];
        seen->most_hops = seen->n_by_hops[i] ? i : seen->most_hops;
    }
    seen->mean_hops = n_arrived ? (double)n_hops / (double)n_arrived : 0;
    free(walks.loads);
    return *seen;
}

static void
check_figures(const struct sf_network *network, const struct sf_routes *routes,
              const struct sf_route_figures *seen)
{
    struct sf_route_figures figures;

    CHECK_EQ(sf_route_figures_measure(network, routes, &figures, NULL), SF_OK);
    CHECK_EQ(figures.n_paths, seen->n_paths);
    CHECK_EQ(figures.n_broken, seen->n_broken);
    for (uint32_t i = 0; i <= SF_FIGURES_MAX_HOPS; i++) {
        CHECK_EQ(figures.n_by_hops[i], seen->n_by_hops[i]);
    }
    CHECK_EQ(figures.most_hops, seen->most_hops);
    CHECK_EQ(figures.min_load, seen->min_load);
    CHECK_EQ(figures.max_load, seen->max_load);
    CHECK_NEAR(figures.mean_hops, seen->mean_hops, 1e-12);
    CHECK_NEAR(figures.mean_load, seen->mean_load, 1e-9);
}

/* Figures of 'routes' and of what is read off their tables. */
static uint64_t
compare_figures(const struct sf_network *network,
                const struct sf_routes *routes)
{
    struct sf_tables *tables;
    struct sf_routes *found;

    CHECK_EQ(sf_ib_encode_lfts(network, routes, &tables, NULL), SF_OK);
    CHECK_EQ(sf_ib_decode(network, tables, 0, &found, NULL), SF_OK);
    struct sf_route_figures seen = look_at_tables(network->fabric, tables);
    check_figures(network, routes, &seen);
    check_figures(network, found, &seen);
    sf_routes_free(found);
    sf_tables_free(tables);
    return seen.n_broken;
}

TEST(route_figures_agree_with_walks_through_tables)
{
    struct sf_random random;
    uint64_t n_broken = 0;

    sf_random_init(&random, 13, 0);
    for (uint32_t round = 0; round < 300; round++) {
        struct sf_fabric *fabric = draw_fabric(&random, round % 5 > 0);
        struct sf_network *network;
        CHECK_EQ(sf_fabric_assign_lids(fabric, sf_random_below(&random, 4),
                                       NULL, NULL),
                 SF_OK);
        CHECK_EQ(sf_network_build(fabric, &network, NULL), SF_OK);
        struct sf_routes *routes = draw_routes(&random, network, round % 2);
        uint64_t n_broken_here = compare_figures(network, routes);
        CHECK(round % 2 || round % 5 == 0 || n_broken_here == 0);
        n_broken += n_broken_here;
        sf_routes_free(routes);
        sf_network_free(network);
        sf_fabric_free(fabric);
    }
    CHECK(n_broken > 1000);
}

/* As in path_metrics_of_minimal_paths_follow_from_symmetry: 350 ordered pairs
 * at one hop and 2100 at two, 13 paths on each direction.  Three layers on
 * four addresses: the first counts twice, and the hosts are two a switch. */
TEST(route_figures_follow_from_symmetry)
{
    struct sf_network *network = network_with_lids("sf:q=5,p=2", 2);
    struct sf_routing_params params = { .layers = { .scheme = "minimal",
                                                    .n_layers = 3 } };
    struct sf_routing *routing;
    struct sf_route_figures figures;

    sf_ib_count_addresses(network->fabric, &params);
    CHECK_EQ(params.n_addresses, 4);
    CHECK_EQ(sf_routing_build(network, &params, &routing, NULL), SF_OK);
    CHECK_EQ(
        sf_route_figures_measure(network, routing->routes, &figures, NULL),
        SF_OK);
    CHECK_EQ(figures.n_paths, 8 * 2450);
    CHECK_EQ(figures.n_broken, 0);
    CHECK_EQ(figures.n_by_hops[1], 8 * 350);
    CHECK_EQ(figures.n_by_hops[2], 8 * 2100);
    CHECK_EQ(figures.most_hops, 2);
    CHECK_EQ(figures.min_load, 8 * 13);
    CHECK_EQ(figures.max_load, 8 * 13);
    CHECK_NEAR(figures.mean_load, 8 * 13, 1e-12);
    CHECK_NEAR(figures.mean_hops, 4550.0 / 2450, 1e-12);
    CHECK_EQ(compare_figures(network, routing->routes), 0);
    sf_routing_free(routing);
    sf_network_free(network);
}

TEST(route_figures_nomem)
{
    struct sf_network *network = network_with_lids("sf:q=4,p=1", 0);
    struct sf_routing_params params = { .layers = { .n_layers = 1 } };
    struct sf_routing *routing;
    struct sf_route_figures figures;
    struct sf_error err = { 0 };
    unsigned long nth = 0;

    CHECK_EQ(sf_routing_build(network, &params, &routing, NULL), SF_OK);
    do {
        sf_mem_fail_at(++nth);
    } while (sf_route_figures_measure(network, routing->routes, &figures,
                                      &err) == SF_ENOMEM);
    sf_mem_fail_at(0);
    CHECK_EQ(nth, 3);
    CHECK(err.text[0] != '\0');
    CHECK_EQ(figures.n_paths, 32 * 31);
    sf_routing_free(routing);
    sf_network_free(network);
}
