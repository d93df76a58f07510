/* test_path_source.c -- paths of routes and of tables: against each other,
 * against a naive walk over cables, and against what the audit counts. */
#include "base/mem.h"
#include "lanes_helpers.h"
#include "slimfly/path_source.h"
#include "test.h"

#include <stdlib.h>

/* A packet on its way through tables, cable by cable. */
struct walk {
    enum sf_status status;
    uint32_t n; /* Ports between switches that it left by, and its VLs. */
    uint32_t ports[256];
    uint8_t vls[257]; /* The last one is that of the receiver's link. */
    uint8_t sl;
};

struct held {
    const struct sf_fabric *fabric;
    const struct sf_tables *tables;
    const struct sf_sl2vl *sl2vl;
    const struct sf_path_sls *path_sls;
    int one_sl;
};

/* The oracle: knows ports and their peers, and nothing of networks or arcs.
 * First where the entries lead, then the VLs on the way. */
static struct walk
walk_cables(const struct held *held, uint32_t from, uint32_t to, uint32_t lid)
{
    const struct sf_fabric *fabric = held->fabric;
    const struct sf_port *in = &fabric->ports[fabric->ports[from].peer];
    struct walk walk = { .status = SF_EUNREACHABLE };
    uint32_t last = SF_NONE, s = in->node;

    if (held->one_sl >= 0) {
        walk.sl = (uint8_t)held->one_sl;
    } else if (held->path_sls &&
               sf_path_sls_of(held->path_sls, s)[lid] != 255) {
        walk.sl = sf_path_sls_of(held->path_sls, s)[lid];
    }
    for (;;) {
        uint32_t entry = sf_tables_of(held->tables, s)[lid];
        if (entry < 1 || entry > fabric->nodes[s].n_ports) {
            return walk; /* No entry, or to the switch itself. */
        }
        last = fabric->nodes[s].first_port + entry - 1;
        uint32_t peer = fabric->ports[last].peer;
        if (peer == to) {
            break;
        }
        if (peer == SF_NONE ||
            fabric->ports[peer].node >= fabric->n_switches ||
            walk.n == fabric->n_switches) {
            return walk;
        }
        walk.ports[walk.n++] = last;
        s = fabric->ports[peer].node;
    }
    walk.status = SF_OK;
    for (uint32_t i = 0; walk.status == SF_OK && i <= walk.n; i++) {
        const struct sf_port *out =
            &fabric->ports[i < walk.n ? walk.ports[i] : last];
        uint8_t vl = 0;
        if (held->sl2vl) {
            vl = sf_sl2vl_of(held->sl2vl, out->node, in->number,
                             out->number)[walk.sl];
        }
        if (vl == 255 && i == walk.n) {
            vl = 0;
        }
        walk.status = vl < 15 ? SF_OK : vl == 15 ? SF_EUNREACHABLE : SF_EINVAL;
        walk.vls[i] = vl;
        in = &fabric->ports[out->peer];
    }
    return walk;
}

static void
compare_walk(const struct sf_network *network, const struct walk *walk,
             const struct sf_path *path, const char *what)
{
    CHECK_FOR(path->n_arcs == walk->n, "%s: %u arcs instead of %u", what,
              path->n_arcs, walk->n);
    CHECK_EQ(path->sl, walk->sl);
    for (uint32_t i = 0; i < walk->n; i++) {
        CHECK_FOR(network->arc_ports[path->arcs[i]] == walk->ports[i] &&
                      path->vls[i] == walk->vls[i],
                  "%s: hop %u: VL %u instead of %u", what, i, path->vls[i],
                  walk->vls[i]);
    }
    CHECK_EQ(path->last_vl, walk->vls[walk->n]);
}

/* Whether both paths are the same. */
static bool
is_same(const struct sf_path *a, const struct sf_path *b)
{
    return a->n_arcs == b->n_arcs && a->sl == b->sl &&
           a->first_vl == b->first_vl && a->last_vl == b->last_vl &&
           !memcmp(a->arcs, b->arcs, a->n_arcs * sizeof *a->arcs) &&
           !memcmp(a->vls, b->vls, a->n_arcs);
}

static struct sf_path_source
source_of_tables(const struct sf_network *network, struct sf_ib_held *held,
                 int one_sl)
{
    struct sf_path_source source;
    struct sf_error err = { 0 };

    CHECK_FOR(sf_ib_path_source(network, held, one_sl, &source, &err) == SF_OK,
              "%s", err.text);
    return source;
}

static struct sf_path_source
source_of_routes(const struct sf_network *network,
                 const struct sf_routes *routes, int one_sl)
{
    struct sf_path_source source;
    struct sf_error err = { 0 };

    CHECK_FOR(sf_path_source_of_routes(network, routes, one_sl, &source,
                                       &err) == SF_OK,
              "%s", err.text);
    return source;
}

/* All paths of 'routed', or a random part of them: routes, tables and the
 * oracle say the same. */
static void
compare_sources(const struct routed *routed, int one_sl, uint32_t n_tries,
                const char *what)
{
    const struct sf_network *network = routed->routing->network;
    struct sf_ib_held tables = { .tables = routed->tables,
                                 .sl2vl = routed->lanes->sl2vl,
                                 .path_sls = routed->lanes->path_sls };
    struct held held = { network->fabric, tables.tables, tables.sl2vl,
                         tables.path_sls, one_sl };
    struct sf_path_source a = source_of_tables(network, &tables, one_sl);
    struct sf_path_source b =
        source_of_routes(network, routed->routing->routes, one_sl);
    uint32_t n_hosts = sf_network_count_hosts(network);
    struct sf_random random;

    CHECK_EQ(a.n_addresses, b.n_addresses);
    CHECK_FOR(a.n_vls == b.n_vls, "%s: %u and %u VLs", what, a.n_vls, b.n_vls);
    sf_random_init(&random, 7, 0);
    for (uint32_t i = 0; i < n_tries; i++) {
        uint32_t from = sf_random_below(&random, n_hosts);
        uint32_t to = sf_random_below(&random, n_hosts);
        uint32_t address = sf_random_below(&random, 2 * a.n_addresses);
        uint32_t port = network->host_ports[to];
        struct sf_path path, other;
        struct sf_error err = { 0 };
        if (from == to) {
            continue;
        }
        CHECK_FOR(a.follow(&a, from, to, address, &path, &err) == SF_OK,
                  "%s: %s", what, err.text);
        CHECK_FOR(b.follow(&b, from, to, address, &other, &err) == SF_OK,
                  "%s: %s", what, err.text);
        struct walk walk = walk_cables(&held, network->host_ports[from], port,
                                       sf_ib_port(network->fabric, port)->lid +
                                           address % a.n_addresses);
        CHECK_EQ(walk.status, SF_OK);
        compare_walk(network, &walk, &path, what);
        CHECK_FOR(is_same(&path, &other), "%s: they differ", what);
        CHECK(path.first_vl < a.n_vls && path.last_vl < a.n_vls);
        CHECK(path.first_vl == path.sl || path.first_vl == 0);
    }
}

static void
compare_case(const char *spec, const char *layers, const char *lanes,
             uint32_t n_layers, uint32_t n_sets)
{
    /* An address more than there are layers, if there are three of these. */
    struct sf_fabric *fabric = lanes_fabric(spec, n_layers);
    struct sf_routing_params params = {
        .layers = { .scheme = layers, .n_layers = n_layers, .seed = 3 },
        .lanes = lanes,
        .n_path_sets = n_sets,
        .max_vls = SF_MAX_VLS,
    };
    struct routed *routed;
    struct sf_error err = { 0 };
    char what[128];

    snprintf(what, sizeof what, "%s, %s, %s, %u layers", spec, layers, lanes,
             n_layers);
    CHECK_FOR(routed_build(fabric, &params, &routed, &err) == SF_OK, "%s: %s",
              what, err.text);
    compare_sources(routed, SF_SL_OF_PATH, 400, what);
    compare_sources(routed, 0, 50, what);
    compare_sources(routed, 5, 50, what);
    compare_sources(routed, 15, 50, what);
    routed_free(routed);
    sf_fabric_free(fabric);
}

TEST(path_sources_agree_on_families)
{
    static const char *const specs[] = {
        "sf:q=4",         "ft2:leaf=6,core=3,up=3,p=4",
        "ft3:ports=4",    "hx2:3x4",
        "df:a=4,h=2,p=2", "xpander:k=5,lift=4,seed=3",
        "pf:q=3",
    };

    for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
        compare_case(specs[i], "minimal", "none", 1, 1);
        compare_case(specs[i], "minimal", "dfsssp", 3, 1);
        compare_case(specs[i], "rues", "dfsssp", 2, 2);
    }
}

TEST(path_sources_agree_on_lanes)
{
    compare_case("sf:q=5", "gates", "turns", 4, 1);
    compare_case("sf:q=5", "paper", "dfsssp", 4, 1);
    compare_case("sf:q=4", "ordered", "turns", 2, 2);
    compare_case("ft2:leaf=6,core=3,up=3,p=4", "ftree", "single", 1, 1);
    compare_case("hx2:3x4", "updown", "single", 1, 1);
    compare_case("sf:q=4", "minimal", "hops", 2, 1);
}

/* Routes without lanes are on VL 0, whatever the SL; a network that nobody has
 * wired is as good. */
TEST(path_source_without_lanes)
{
    struct sf_topology *topo = build("sf:q=3");
    struct sf_network *network = network_of(topo->graph, topo->n_hosts);
    struct sf_routing_params params = {
        .layers = { .scheme = "minimal", .n_layers = 1 },
        .without_lanes = true,
    };
    struct sf_routing *routing;
    struct sf_error err = { 0 };

    CHECK_FOR(sf_routing_build(network, &params, &routing, &err) == SF_OK,
              "%s", err.text);
    struct sf_path_source source =
        source_of_routes(network, routing->routes, 3);
    CHECK_EQ(source.n_vls, 1);
    uint32_t n_hosts = sf_network_count_hosts(network);
    for (uint32_t h = 1; h < n_hosts; h++) {
        struct sf_path path;
        CHECK_EQ(source.follow(&source, 0, h, 0, &path, &err), SF_OK);
        CHECK(path.n_arcs <= 2);
        CHECK_EQ(path.sl, 3);
        CHECK(path.first_vl == 0 && path.last_vl == 0);
        for (uint32_t i = 0; i < path.n_arcs; i++) {
            CHECK_EQ(path.vls[i], 0);
        }
    }
    CHECK_EQ(
        sf_path_source_of_routes(network, routing->routes, 16, &source, &err),
        SF_EINVAL);
    CHECK_STR(err.text, "SL 16: expected 0 to 15");
    sf_routing_free(routing);
    sf_network_free(network);
    sf_topology_free(topo);
}

/* A line of 'n' switches with a host each at both ends, and its columns
 * towards the last one. */
struct line {
    struct sf_network *network;
    struct sf_routes *routes;
    uint16_t *column;
};

static struct line
make_line(uint32_t n)
{
    struct sf_link *links = calloc(n, sizeof *links);
    uint32_t *n_hosts = calloc(n, sizeof *n_hosts);
    struct sf_graph *graph;
    struct line line;

    CHECK(links && n_hosts);
    for (uint32_t i = 0; i + 1 < n; i++) {
        links[i] = (struct sf_link){ i, i + 1 };
    }
    n_hosts[0] = n_hosts[n - 1] = 1;
    CHECK_EQ(sf_graph_build(n, links, n - 1, &graph, NULL), SF_OK);
    line.network = network_of(graph, n_hosts);
    CHECK_EQ(sf_routes_make(line.network, 1, &line.routes, NULL), SF_OK);
    CHECK_EQ(sf_layers_make(1, n, &line.routes->sets[0], NULL), SF_OK);
    line.column = sf_layers_tree(line.routes->sets[0], 0, n - 1);
    for (uint32_t i = 0; i + 1 < n; i++) {
        line.column[i] = i > 0; /* Arcs are sorted by neighbour. */
    }
    sf_graph_free(graph);
    free(n_hosts);
    free(links);
    return line;
}

static enum sf_status
follow_line(const struct line *line, struct sf_path *path,
            struct sf_error *err)
{
    struct sf_path_source source =
        source_of_routes(line->network, line->routes, SF_SL_OF_PATH);
    return source.follow(&source, 0, 1, 0, path, err);
}

static void
free_line(struct line *line)
{
    sf_routes_free(line->routes);
    sf_network_free(line->network);
}

TEST(path_source_of_long_paths)
{
    struct line line = make_line(SF_MAX_PATH_ARCS + 1);
    struct sf_error err = { 0 };
    struct sf_path path;

    CHECK_EQ(follow_line(&line, &path, &err), SF_OK);
    CHECK_EQ(path.n_arcs, SF_MAX_PATH_ARCS);
    line.column[40] = 0; /* Back again. */
    CHECK_EQ(follow_line(&line, &path, &err), SF_EUNREACHABLE);
    CHECK_FOR(strstr(err.text, "circle"), "%s", err.text);
    line.column[40] = SF_NO_HOP;
    CHECK_EQ(follow_line(&line, &path, &err), SF_EUNREACHABLE);
    CHECK_STR(err.text,
              "host 0 to address 0 of host 1: no next hop at switch 40");
    free_line(&line);

    line = make_line(SF_MAX_PATH_ARCS + 2);
    CHECK_EQ(follow_line(&line, &path, &err), SF_ELIMIT);
    CHECK_STR(
        err.text,
        "host 0 to address 0 of host 1: the path has 63 links, more than "
        "62, and ends at switch 63");
    line.column[SF_MAX_PATH_ARCS] = 0; /* A circle behind what is kept. */
    CHECK_EQ(follow_line(&line, &path, &err), SF_EUNREACHABLE);
    free_line(&line);
}

/* Tables that are wrong in every way: the oracle, and what the audit counts.
 */

/* Writes a number below 'n_values', or 255 once in 'rarity', into a random one
 * of 'n' bytes. */
static void
spoil_byte(uint8_t *bytes, size_t n, uint32_t n_values, uint32_t rarity,
           struct sf_random *random)
{
    uint8_t *byte = &bytes[sf_random_below(random, (uint32_t)n)];
    uint32_t value = sf_random_below(random, n_values);

    *byte = (uint8_t)(sf_random_below(random, rarity) ? value : 255);
}

/* Spoils some entries, VLs and SLs. */
static void
spoil(struct sf_ib_tables *tables, struct sf_random *random)
{
    struct sf_sl2vl *sl2vl = tables->sl2vl;
    size_t n = (size_t)tables->lfts->n_switches * (tables->lfts->max_lid + 1);

    for (uint32_t i = 0; i < n / 20; i++) {
        spoil_byte(tables->lfts->ports, n, 12, 4, random);
        spoil_byte(tables->path_sls->sls, n, SF_N_SLS, 16, random);
    }
    for (uint32_t s = 0; s < sl2vl->n_switches; s++) {
        size_t width = sl2vl->n_ports[s] + 1;
        size_t size = width * width * SF_N_SLS;
        for (uint32_t i = 0; i < size / 20; i++) {
            spoil_byte(sl2vl->vls + sl2vl->first[s], size, 16, 3, random);
        }
    }
}

/* Which fault a refusal tells of. */
static enum sf_audit_fault
fault_of(const char *text)
{
    return strstr(text, "no entry")   ? SF_AUDIT_NO_ENTRY
           : strstr(text, "dead end") ? SF_AUDIT_DEAD_END
           : strstr(text, "circle")   ? SF_AUDIT_LOOP
                                      : SF_AUDIT_N_FAULTS;
}

/* Switches get no LIDs, so that all LIDs are of hosts. */
static void
forget_switch_lids(struct sf_fabric *fabric)
{
    for (uint32_t s = 0; s < fabric->n_switches; s++) {
        sf_ib_change_node(fabric, s)->lid = 0;
    }
}

/* Follows all paths, compares each with the oracle, and counts faults between
 * switches and LIDs. */
static void
compare_spoilt(const struct sf_network *network, struct sf_ib_held *tables,
               int one_sl, uint64_t n_faults[SF_AUDIT_N_FAULTS])
{
    struct held held = { network->fabric, tables->tables, tables->sl2vl,
                         tables->path_sls, one_sl };
    struct sf_path_source source = source_of_tables(network, tables, one_sl);
    uint32_t n_hosts = sf_network_count_hosts(network);

    for (uint32_t i = 0; i < n_hosts * n_hosts * source.n_addresses; i++) {
        uint32_t address = i % source.n_addresses;
        uint32_t to = i / source.n_addresses % n_hosts;
        uint32_t from = i / source.n_addresses / n_hosts;
        uint32_t lid =
            sf_ib_port(network->fabric, network->host_ports[to])->lid +
            address;
        struct sf_path path;
        struct sf_error err = { 0 };
        if (from == to) {
            continue;
        }
        enum sf_status status =
            source.follow(&source, from, to, address, &path, &err);
        struct walk walk = walk_cables(&held, network->host_ports[from],
                                       network->host_ports[to], lid);
        CHECK_FOR(status == walk.status, "status %d instead of %d: %s",
                  (int)status, (int)walk.status, err.text);
        if (status == SF_OK) {
            compare_walk(network, &walk, &path, "spoilt");
            continue;
        }
        /* Hosts come two a switch: the first stands for the switch, unless it
         * is the receiver. */
        bool stands = from % 2 == 0 ? true : to == from - 1;
        if (stands && fault_of(err.text) < SF_AUDIT_N_FAULTS) {
            n_faults[fault_of(err.text)]++;
        }
    }
}

static void
check_spoilt(const char *spec, struct sf_random *random, uint64_t *n_seen)
{
    struct sf_fabric *fabric = lanes_fabric(spec, 2);
    struct sf_routing_params params = {
        .layers = { .scheme = "rues", .n_layers = 2 },
        .lanes = "dfsssp",
        .max_vls = SF_MAX_VLS,
    };
    struct routed *routed;
    struct sf_audit *audit;
    struct sf_error err = { 0 };

    forget_switch_lids(fabric);
    CHECK_FOR(routed_build(fabric, &params, &routed, &err) == SF_OK, "%s",
              err.text);
    spoil(routed->encoded, random);
    struct sf_ib_held tables = { .tables = routed->tables,
                                 .sl2vl = routed->lanes->sl2vl,
                                 .path_sls = routed->lanes->path_sls };
    uint64_t n_faults[SF_AUDIT_N_FAULTS] = { 0 };
    uint64_t ignored[SF_AUDIT_N_FAULTS] = { 0 };
    compare_spoilt(routed->routing->network, &tables, SF_SL_OF_PATH, n_faults);
    compare_spoilt(routed->routing->network, &tables, 2, ignored);
    tables.path_sls = NULL;
    compare_spoilt(routed->routing->network, &tables, SF_SL_OF_PATH, ignored);
    tables.sl2vl = NULL;
    compare_spoilt(routed->routing->network, &tables, 2, ignored);

    CHECK_FOR(sf_audit_build(fabric, routed->tables, NULL, &audit, &err) ==
                  SF_OK,
              "%s", err.text);
    for (uint32_t i = 0; i < SF_AUDIT_N_FAULTS; i++) {
        CHECK_FOR(n_faults[i] == audit->n_faults[i],
                  "%s: %llu faults of kind %u, the audit has %llu", spec,
                  (unsigned long long)n_faults[i], i,
                  (unsigned long long)audit->n_faults[i]);
        n_seen[i] += n_faults[i];
    }
    sf_audit_free(audit);
    routed_free(routed);
    sf_fabric_free(fabric);
}

TEST(path_source_of_spoilt_tables)
{
    static const char *const specs[] = { "hx2:3x3,p=2", "df:a=3,h=1,p=2",
                                         "sf:q=3,p=2", "pf:q=2,p=2" };
    uint64_t n_seen[SF_AUDIT_N_FAULTS] = { 0 };
    struct sf_random random;

    sf_random_init(&random, 11, 0);
    for (uint32_t i = 0; i < 12; i++) {
        check_spoilt(specs[i % ARRAY_SIZE(specs)], &random, n_seen);
    }
    for (uint32_t i = 0; i < SF_AUDIT_N_FAULTS; i++) {
        CHECK_FOR(n_seen[i] > 20, "only %llu faults of kind %u",
                  (unsigned long long)n_seen[i], i);
    }
}

/* A routing of a small fabric, for errors. */
static struct routed *
make_small(struct sf_fabric **fabricp)
{
    struct sf_routing_params params = {
        .layers = { .scheme = "minimal", .n_layers = 2 },
        .lanes = "dfsssp",
    };
    struct routed *routed;

    *fabricp = lanes_fabric("hx2:3x3,p=2", 2);
    CHECK_EQ(routed_build(*fabricp, &params, &routed, NULL), SF_OK);
    return routed;
}

TEST(path_source_names_what_is_wrong)
{
    struct sf_fabric *fabric;
    struct routed *routed = make_small(&fabric);
    const struct sf_network *network = routed->routing->network;
    struct sf_ib_held held = { .tables = routed->tables,
                               .sl2vl = routed->lanes->sl2vl };
    struct sf_path_source source =
        source_of_tables(network, &held, SF_SL_OF_PATH);
    struct sf_error err = { 0 };
    struct sf_path path;
    uint32_t lid = sf_ib_port(fabric, network->host_ports[17])->lid;
    char text[128];

    CHECK_EQ(held.n_sls, SF_N_SLS);
    uint8_t *entry = &sf_tables_of(routed->tables, 0)[lid + 1];
    *entry = SF_NO_PORT;
    CHECK_EQ(source.follow(&source, 1, 17, 3, &path, &err), SF_EUNREACHABLE);
    snprintf(text, sizeof text,
             "node0001 to address 1 of node0017: no entry at switch %s",
             fabric->nodes[0].name);
    CHECK_STR(err.text, text);
    *entry = 1; /* A host. */
    CHECK_EQ(source.follow(&source, 1, 17, 1, &path, NULL), SF_EUNREACHABLE);

    memset(routed->lanes->sl2vl->vls + routed->lanes->sl2vl->first[0],
           SF_DROP_VL, SF_N_SLS * 49);
    CHECK_EQ(source.follow(&source, 1, 17, 0, &path, &err), SF_EUNREACHABLE);
    CHECK_FOR(strstr(err.text, "dropped (VL 15) at switch"), "%s", err.text);
    CHECK_EQ(source.follow(&source, 1, 0, 0, &path, &err), SF_EUNREACHABLE);
    memset(routed->lanes->sl2vl->vls + routed->lanes->sl2vl->first[0],
           SF_NO_VL, SF_N_SLS * 49);
    CHECK_EQ(source.follow(&source, 1, 17, 0, &path, &err), SF_EINVAL);
    CHECK_FOR(strstr(err.text, "do not say the VL at switch"), "%s", err.text);
    CHECK_EQ(source.follow(&source, 1, 0, 0, &path, &err), SF_OK);
    CHECK(path.n_arcs == 0 && path.last_vl == 0);
    routed_free(routed);
    sf_fabric_free(fabric);
}

TEST(path_source_refuses_what_does_not_fit)
{
    struct sf_fabric *fabric;
    struct routed *routed = make_small(&fabric);
    struct sf_fabric *other = lanes_fabric("hx2:3x3,p=3", 2);
    const struct sf_network *network = routed->routing->network;
    struct sf_ib_held held = { .tables = routed->tables,
                               .sl2vl = routed->lanes->sl2vl };
    struct sf_path_source source;
    struct sf_network *network_3;
    struct sf_error err = { 0 };

    CHECK_EQ(sf_ib_path_source(network, &held, -2, &source, &err), SF_EINVAL);
    CHECK_EQ(sf_network_build(other, &network_3, NULL), SF_OK);
    CHECK_EQ(sf_ib_path_source(network_3, &held, 0, &source, &err), SF_EINVAL);
    CHECK_STR(err.text, "the tables are not those of this fabric");
    held.sl2vl = NULL;
    CHECK_EQ(sf_ib_path_source(network_3, &held, 0, &source, &err), SF_EINVAL);
    CHECK_FOR(strstr(err.text, "the tables end before LID"), "%s", err.text);

    struct sf_ib_port *port =
        sf_ib_change_port(network->fabric, network->host_ports[3]);
    uint16_t lid = port->lid;
    port->lid = sf_ib_port(network->fabric, network->host_ports[4])->lid;
    CHECK_EQ(sf_ib_path_source(network, &held, 0, &source, &err), SF_EINVAL);
    CHECK_FOR(strstr(err.text, "belongs to two ports"), "%s", err.text);
    port->lid = 0;
    source = source_of_tables(network, &held, 0);
    struct sf_path path;
    CHECK_EQ(source.follow(&source, 0, 3, 0, &path, &err), SF_EUNREACHABLE);
    CHECK_FOR(strstr(err.text, "no LID"), "%s", err.text);
    port->lid = lid;
    sf_network_free(network_3);
    sf_fabric_free(other);
    routed_free(routed);
    sf_fabric_free(fabric);
}

/* A host with fewer addresses than others: higher ones start again. */
TEST(path_source_of_few_addresses)
{
    struct sf_fabric *fabric;
    struct routed *routed = make_small(&fabric);
    const struct sf_network *network = routed->routing->network;
    struct sf_ib_held held = { .tables = routed->tables,
                               .sl2vl = routed->lanes->sl2vl,
                               .path_sls = routed->lanes->path_sls };
    struct sf_path a, b;

    sf_ib_change_port(network->fabric, network->host_ports[9])->lmc = 0;
    struct sf_path_source source =
        source_of_tables(network, &held, SF_SL_OF_PATH);
    CHECK_EQ(source.n_addresses, 2);
    CHECK_EQ(source.follow(&source, 0, 9, 0, &a, NULL), SF_OK);
    CHECK_EQ(source.follow(&source, 0, 9, 1, &b, NULL), SF_OK);
    CHECK(is_same(&a, &b));
    routed_free(routed);
    sf_fabric_free(fabric);
}

TEST(path_source_without_memory)
{
    struct sf_fabric *fabric;
    struct routed *routed = make_small(&fabric);
    struct sf_ib_held held = { .tables = routed->tables };
    struct sf_path_source source;
    struct sf_error err = { 0 };

    sf_mem_fail_at(1);
    CHECK_EQ(
        sf_ib_path_source(routed->routing->network, &held, 0, &source, &err),
        SF_ENOMEM);
    sf_mem_fail_at(2);
    CHECK_EQ(
        sf_ib_path_source(routed->routing->network, &held, 0, &source, &err),
        SF_OK);
    sf_mem_fail_at(0);
    routed_free(routed);
    sf_fabric_free(fabric);
}
