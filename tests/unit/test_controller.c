/* test_controller.c -- what a controller of an IP network decides: it is told
 * of links and of what switches hold, without clock or network; and what it
 * reads, writes and keeps. */
#define _GNU_SOURCE
#include "base/mem.h"
#include "helpers.h"
#include "ip/control/commands.h"
#include "ip/control/controller_files.h"
#include "ip/control/ip_text.h"
#include "ip_cases.h"
#include "slimfly/random.h"
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

static const char *const specs[] = {
    "sf:q=3,p=1",
    "hx2:4x3,p=1",
    "df:a=4,h=2,p=2",
    "pf:q=3,p=1",
    "xpander:k=4,lift=3,p=1",
    "jellyfish:n=16,k=4,seed=3,p=1",
    "ft2:leaf=4,core=2,up=2,p=2",
    "ft3:ports=4",
};

/* With several hosts a switch, for several path sets. */
static const char *const shared[] = {
    "sf:q=3,p=3",     "sf:q=4,p=2", "hx2:4x3,p=3",
    "df:a=4,h=2,p=2", "pf:q=3,p=2", "xpander:k=4,lift=3,p=3",
};

/* As 'begin', of a fabric that is given up. */
static void
begin_with(struct sf_core *core, struct sf_fabric *fabric, const char *spec,
           const char *scheme, uint32_t n_layers)
{
    struct sf_routing_params params = {
        .layers = { .scheme = scheme, .n_layers = n_layers, .seed = 3 },
        .lanes = "none",
    };
    struct sf_ip_params plan = { .n_layers = n_layers };
    struct sf_ip_addresses addresses;
    struct sf_network *network;
    struct sf_routing *base;
    struct sf_error err = { 0 };

    CHECK_EQ(sf_network_build(fabric, &network, NULL), SF_OK);
    CHECK_FOR(sf_routing_build(network, &params, &base, &err) == SF_OK,
              "%s: %s", spec, err.text);
    CHECK_EQ(sf_ip_plan_addresses(fabric, &plan, &addresses, NULL), SF_OK);
    CHECK_EQ(
        sf_core_init(core, base, &addresses, SF_IP_ALTERNATES_LINKS, NULL),
        SF_OK);
    sf_routing_free(base);
    sf_network_free(network);
    sf_fabric_free(fabric);
}

static void
begin(struct sf_core *core, const char *spec, const char *scheme,
      uint32_t n_layers)
{
    begin_with(core, ip_fabric(spec), spec, scheme, n_layers);
}

static bool
same_tables(const struct sf_ip_tables *a, const struct sf_ip_tables *b)
{
    struct sf_ip_changes *changes;
    CHECK_EQ(sf_ip_compare(a, b, &changes, NULL), SF_OK);
    size_t n = changes->n;
    sf_ip_changes_free(changes);
    return n == 0;
}

/* What the library makes of the links of now, step by step. */
static void
check_target(const struct sf_core *core)
{
    struct sf_fabric *fabric;
    struct sf_network *network;
    struct sf_routing *repaired;
    struct sf_ip_tables *tables;

    CHECK_EQ(sf_fabric_copy(core->base->network->fabric, &fabric, NULL),
             SF_OK);
    for (uint32_t p = 0; p < fabric->n_ports; p++) {
        uint32_t peer = fabric->ports[p].peer;
        if (peer != SF_NONE && !(core->runs[p] && core->runs[peer])) {
            sf_fabric_unplug(fabric, p);
        }
    }
    CHECK_EQ(sf_network_build(fabric, &network, NULL), SF_OK);
    CHECK_EQ(sf_routing_repair(core->base, network, &repaired, NULL), SF_OK);
    CHECK_EQ(sf_ip_encode(network, repaired->routes, &core->addresses,
                          SF_IP_ALTERNATES_LINKS, &tables, NULL),
             SF_OK);
    CHECK(same_tables(sf_core_tables(core), tables));
    sf_ip_tables_free(tables);
    sf_routing_free(repaired);
    sf_network_free(network);
    sf_fabric_free(fabric);
}

/* All switches hold what they are to. */
static void
hold_all(struct sf_core *core)
{
    for (uint32_t s = 0; s < core->fabric->n_switches; s++) {
        CHECK_EQ(sf_core_note_written(core, s, NULL), SF_OK);
    }
}

/* A port of a switch with a cable to another switch. */
static uint32_t
random_link(const struct sf_core *core, struct sf_random *random)
{
    const struct sf_fabric *fabric = core->fabric;

    for (;;) {
        uint32_t p = sf_random_below(random, fabric->n_ports);
        uint32_t peer = fabric->ports[p].peer;
        if (peer != SF_NONE && fabric->ports[p].node < fabric->n_switches &&
            fabric->ports[peer].node < fabric->n_switches) {
            return p;
        }
    }
}

TEST(controller_targets_are_repairs_of_the_base)
{
    struct sf_random random;

    sf_random_init(&random, 4, 0);
    for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
        struct sf_core core;
        begin(&core, specs[i], i % 2 ? NULL : "gates:robust=yes", 3);
        struct sf_push push;
        CHECK(same_tables(sf_core_tables(&core), core.base_tables));
        for (uint32_t k = 0; k < 12; k++) {
            uint32_t port = random_link(&core, &random);
            bool runs = sf_random_below(&random, 3) == 0;
            bool before = sf_core_runs(&core, port);
            CHECK_EQ(sf_core_note_port(&core, port, runs),
                     before != sf_core_runs(&core, port));
            CHECK_EQ(sf_core_settle(&core, NULL), SF_OK);
            check_target(&core);
        }
        for (uint32_t p = 0; p < core.fabric->n_ports; p++) {
            sf_core_note_port(&core, p, true);
        }
        CHECK_EQ(sf_core_settle(&core, NULL), SF_OK);
        CHECK_EQ(sf_core_count_down(&core), 0u);
        CHECK(same_tables(sf_core_tables(&core), core.base_tables));
        hold_all(&core);
        CHECK_EQ(sf_core_plan(&core, &push, NULL), SF_OK);
        CHECK_EQ(push.n, 0u);
        sf_push_clear(&push);
        sf_core_clear(&core);
    }
}

/* Tables as switches hold them while changes are written. */
static void
change_held(struct sf_held *held, const struct sf_ip_change *change)
{
    const struct sf_ip_route *route =
        change->is_gone ? &change->before : &change->after;
    size_t at = 0;

    while (
        at < held->n &&
        (held->routes[at].layer != route->layer ||
         held->routes[at].destination != route->destination ||
         held->routes[at].port != route->port ||
         sf_ip_metric(held->routes[at].kind) != sf_ip_metric(route->kind))) {
        at++;
    }
    CHECK_EQ(at == held->n, change->is_new);
    if (change->is_gone) {
        memmove(held->routes + at, held->routes + at + 1,
                (held->n - at - 1) * sizeof *held->routes);
        held->n--;
        return;
    }
    if (at == held->n) {
        held->routes =
            realloc(held->routes, (held->n + 1) * sizeof *held->routes);
        held->n++;
    }
    held->routes[at] = *route;
}

/* The route that counts on a switch: the longest prefix, then the least
 * metric; NULL if there is none. */
static const struct sf_ip_route *
best_of(const struct sf_held *held, struct sf_ip_place to)
{
    const struct sf_ip_route *best = NULL;

    for (size_t i = 0; i < held->n; i++) {
        const struct sf_ip_route *route = &held->routes[i];
        if (route->layer == to.layer && route->destination == to.s &&
            (route->port == to.port || route->port == 0) &&
            (!best || route->port > best->port ||
             (route->port == best->port &&
              sf_ip_metric(route->kind) < sf_ip_metric(best->kind)))) {
            best = route;
        }
    }
    return best;
}

/* Whether no packet for 'to' goes round in a circle, whoever sends it. */
static bool
is_free_of_circles(const struct sf_core *core, struct sf_ip_place to)
{
    uint32_t n = core->fabric->n_switches;

    for (uint32_t s = 0; s < n; s++) {
        uint32_t at = s, hops = 0;
        while (at != to.s) {
            const struct sf_ip_route *route = best_of(&core->held[at], to);
            if (!route || route->neighbour == SF_NONE) {
                break;
            }
            at = route->neighbour;
            if (++hops > n) {
                return false;
            }
        }
    }
    return true;
}

/* What a kernel does with the routes of an interface that goes down. */
static void
drop_routes(struct sf_core *core, uint32_t port)
{
    const struct sf_port *of = &core->fabric->ports[port];
    struct sf_held *held = &core->held[of->node];
    size_t n = 0;

    for (size_t i = 0; i < held->n; i++) {
        if (held->routes[i].out != of->number) {
            held->routes[n++] = held->routes[i];
        }
    }
    held->n = n;
}

/* Writes what is planned, route by route, and looks for circles after each. */
static void
write_slowly(struct sf_core *core)
{
    struct sf_push push;

    CHECK_EQ(sf_core_plan(core, &push, NULL), SF_OK);
    for (size_t i = 0; i < push.n; i++) {
        const struct sf_ip_change *change = &push.items[i].change;
        const struct sf_ip_route *route =
            change->is_gone ? &change->before : &change->after;
        const struct sf_node *d = &core->fabric->nodes[route->destination];
        CHECK(i == 0 || push.items[i - 1].wave <= push.items[i].wave);
        change_held(&core->held[change->s], change);
        /* To the switch itself, and to each of its hosts. */
        for (uint32_t p = 0; p <= d->n_ports; p++) {
            struct sf_ip_place to = { route->layer, route->destination, p };
            CHECK_FOR(is_free_of_circles(core, to),
                      "a circle to port %u of switch %u in layer %u after "
                      "change %zu of %zu",
                      p, to.s, to.layer, i, push.n);
        }
    }
    sf_push_clear(&push);
    /* Switches hold what they are to now: in any order of reading. */
    for (uint32_t s = 0; s < core->fabric->n_switches; s++) {
        struct sf_held held = core->held[s];
        core->held[s] = (struct sf_held){ 0 };
        CHECK_EQ(sf_core_note_held(core, s, held.routes, held.n, NULL), SF_OK);
        free(held.routes);
    }
    CHECK_EQ(sf_core_plan(core, &push, NULL), SF_OK);
    CHECK_EQ(push.n, 0u);
    sf_push_clear(&push);
}

/* One link goes and comes back, links go one after the other: at no time do
 * packets go round in circles. */
static void
change_links(struct sf_core *core, struct sf_random *random)
{
    hold_all(core);
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t port = random_link(core, random);
        uint32_t ends[] = { port, core->fabric->ports[port].peer };
        for (uint32_t e = 0; e < 2; e++) {
            sf_core_note_port(core, ends[e], false);
            drop_routes(core, ends[e]);
        }
        CHECK_EQ(sf_core_settle(core, NULL), SF_OK);
        write_slowly(core);
        for (uint32_t e = 0; e < 2; e++) {
            sf_core_note_port(core, ends[e], k % 2 == 0);
        }
        CHECK_EQ(sf_core_settle(core, NULL), SF_OK);
        write_slowly(core);
    }
}

TEST(controller_writes_without_circles)
{
    struct sf_random random;

    sf_random_init(&random, 5, 0);
    for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
        struct sf_core core;
        begin(&core, specs[i], i % 2 ? NULL : "gates:robust=yes", 3);
        change_links(&core, &random);
        sf_core_clear(&core);
    }
}

/* In a lab nobody knows the GUIDs of ports: hosts stay in their path sets all
 * the same, and few routes change. */
TEST(controller_keeps_path_sets_without_guids)
{
    struct sf_fabric *fabric = ip_fabric("sf:q=3,p=3");
    struct sf_random random;
    struct sf_core core;

    sf_random_init(&random, 7, 0);
    for (uint32_t p = 0; p < fabric->n_ports; p++) {
        fabric->ports[p].guid = 0;
    }
    begin_with(&core, fabric, "sf:q=3,p=3", "gates:sets=3", 2);
    uint32_t port = random_link(&core, &random);
    sf_core_note_port(&core, port, false);
    CHECK_EQ(sf_core_settle(&core, NULL), SF_OK);
    uint32_t n_hosts = core.base->network->first_host[core.fabric->n_switches];
    for (uint32_t host = 0; host < n_hosts; host++) {
        CHECK_EQ(sf_core_routing(&core)->routes->host_sets[host],
                 core.base->routes->host_sets[host]);
    }
    sf_core_clear(&core);
}

/* Hosts share routes that must not change for all of them at once. */
TEST(controller_writes_path_sets_without_circles)
{
    struct sf_random random;

    sf_random_init(&random, 6, 0);
    for (size_t i = 0; i < ARRAY_SIZE(shared); i++) {
        struct sf_core core;
        begin(&core, shared[i], i % 2 ? "gates:sets=3" : "gates:sets=2", 2);
        CHECK(core.base->routes->n_sets > 1);
        change_links(&core, &random);
        sf_core_clear(&core);
    }
}

/* Whatever a switch holds, in the end it holds what it is to. */
TEST(controller_mends_any_table)
{
    struct sf_random random;
    struct sf_core core;
    struct sf_push push;

    sf_random_init(&random, 6, 0);
    begin(&core, "hx2:4x3,p=1", NULL, 2);
    for (uint32_t k = 0; k < 50; k++) {
        uint32_t s = sf_random_below(&random, core.fabric->n_switches);
        hold_all(&core);
        struct sf_held *held = &core.held[s];
        for (size_t i = held->n; i-- > 0;) {
            uint32_t what = sf_random_below(&random, 4);
            if (what == 0) {
                memmove(held->routes + i, held->routes + i + 1,
                        (held->n - i - 1) * sizeof *held->routes);
                held->n--;
            } else if (what == 1) {
                held->routes[i].out ^= 1;
            } else if (what == 2) {
                held->routes[i].neighbour ^= 1;
            }
        }
        CHECK_EQ(sf_core_plan(&core, &push, NULL), SF_OK);
        CHECK(push.n > 0 && push.n_switches == 1);
        for (size_t i = 0; i < push.n; i++) {
            CHECK_EQ(push.items[i].change.s, s);
            change_held(held, &push.items[i].change);
        }
        sf_push_clear(&push);
        struct sf_held copy = *held;
        *held = (struct sf_held){ 0 };
        CHECK_EQ(sf_core_note_held(&core, s, copy.routes, copy.n, NULL),
                 SF_OK);
        free(copy.routes);
        CHECK_EQ(sf_core_plan(&core, &push, NULL), SF_OK);
        CHECK_EQ(push.n, 0u);
        sf_push_clear(&push);
    }
    sf_core_clear(&core);
}

/* A network in two parts: what is cut off has no routes, and gets them back.
 */
TEST(controller_in_parts)
{
    struct sf_core core;

    begin(&core, "hx2:3x3,p=1", NULL, 2);
    hold_all(&core);
    const struct sf_node *first = &core.fabric->nodes[0];
    for (uint32_t p = first->first_port;
         p < first->first_port + first->n_ports; p++) {
        sf_core_note_port(&core, p, false);
    }
    CHECK_EQ(sf_core_settle(&core, NULL), SF_OK);
    check_target(&core);
    struct sf_ip_place to = { 0, 0, 0 };
    CHECK(!sf_ip_look_up(sf_core_tables(&core), 1, to, NULL));
    for (uint32_t p = first->first_port;
         p < first->first_port + first->n_ports; p++) {
        sf_core_note_port(&core, p, true);
    }
    CHECK_EQ(sf_core_settle(&core, NULL), SF_OK);
    CHECK(same_tables(sf_core_tables(&core), core.base_tables));
    sf_core_clear(&core);
}

struct folder {
    char path[64];
};

static struct folder
make_folder(void)
{
    struct folder folder = { "/tmp/slimfly-test-XXXXXX" };
    CHECK(mkdtemp(folder.path) != NULL);
    return folder;
}

static void
remove_folder(const struct folder *folder)
{
    static const char *const files[] = { "lock", "state.json", "base.json" };
    char path[128];

    for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
        snprintf(path, sizeof path, "%s/%s", folder->path, files[i]);
        (void)unlink(path);
    }
    CHECK_EQ(rmdir(folder->path), 0);
}

TEST(controller_keeps_state_and_base)
{
    struct folder folder = make_folder();
    struct sf_control_folder first, second;
    struct sf_core core;
    struct sf_error err = { 0 };
    bool is_held, is_there, *was_down;
    struct sf_routes *routes;

    begin(&core, "sf:q=3,p=2", "gates:sets=2", 3);
    was_down = calloc(core.fabric->n_ports, sizeof *was_down);
    CHECK_EQ(sf_control_folder_open(&first, folder.path, NULL, &is_held, &err),
             SF_OK);
    CHECK_EQ(
        sf_control_folder_open(&second, folder.path, NULL, &is_held, &err),
        SF_EIO);
    CHECK(is_held && strstr(err.text, "another controller holds the lock: "
                                      "process "));
    sf_control_folder_close(&second);

    CHECK_EQ(sf_control_read_state(&first, "here", core.fabric, was_down,
                                   &is_there, NULL),
             SF_OK);
    CHECK(!is_there);
    struct sf_random random;
    sf_random_init(&random, 7, 0);
    uint32_t port = random_link(&core, &random);
    sf_core_note_port(&core, port, false);
    CHECK_EQ(sf_control_write_state(&first, "here", &core, NULL), SF_OK);
    CHECK_EQ(sf_control_read_state(&first, "here", core.fabric, was_down,
                                   &is_there, NULL),
             SF_OK);
    CHECK(is_there);
    for (uint32_t p = 0; p < core.fabric->n_ports; p++) {
        CHECK_EQ(was_down[p], p == port || p == core.fabric->ports[port].peer);
    }
    CHECK_EQ(sf_control_read_state(&first, "elsewhere", core.fabric, was_down,
                                   &is_there, NULL),
             SF_OK);
    CHECK(!is_there && !was_down[port]);

    const struct sf_network *network = core.base->network;
    CHECK_EQ(sf_control_write_base(&first, "here", network, core.base->routes,
                                   NULL),
             SF_OK);
    CHECK_EQ(sf_control_read_base(&first, "elsewhere", network, &routes, NULL),
             SF_OK);
    CHECK(routes == NULL);
    CHECK_EQ(sf_control_read_base(&first, "here", network, &routes, NULL),
             SF_OK);
    for (uint32_t i = 0; i < routes->n_sets; i++) {
        const struct sf_layers *a = routes->sets[i];
        CHECK_EQ(memcmp(a->hops, core.base->routes->sets[i]->hops,
                        (size_t)a->n_layers * a->n_switches * a->n_switches *
                            sizeof *a->hops),
                 0);
    }
    sf_routes_free(routes);

    /* A damaged file is named, and nothing else happens. */
    char path[128];
    snprintf(path, sizeof path, "%s/state.json", folder.path);
    FILE *stream = fopen(path, "w");
    fputs("{\"schema\": \"slimfly.controller\", ", stream);
    fclose(stream);
    CHECK_EQ(sf_control_read_state(&first, "here", core.fabric, was_down,
                                   &is_there, &err),
             SF_EPARSE);
    CHECK(strstr(err.text, "state.json:1: ") != NULL);
    sf_control_folder_close(&first);
    CHECK_EQ(sf_control_folder_open(&first, folder.path, NULL, &is_held, &err),
             SF_OK); /* The lock goes with who has it. */
    sf_control_folder_close(&first);
    free(was_down);
    sf_core_clear(&core);
    remove_folder(&folder);
}

/* Routes as lines for ip(8), and as it prints them. */
TEST(controller_reads_and_writes_ip)
{
    static const char links[] =
        "[{\"ifname\":\"lo\",\"flags\":[\"LOOPBACK\",\"UP\",\"LOWER_UP\"]},"
        "{\"ifname\":\"swp1\",\"flags\":[\"UP\",\"LOWER_UP\"]},"
        "{\"ifname\":\"swp2\",\"flags\":[\"NO-CARRIER\",\"UP\"]},"
        "{\"ifname\":\"swp03\",\"flags\":[\"UP\",\"LOWER_UP\"]}]";
    static const char routes[] =
        "[{\"dst\":\"default\",\"gateway\":\"10.0.1.0\"},"
        "{\"dst\":\"10.1.1.0/24\",\"gateway\":\"10.0.1.0\",\"dev\":\"swp2\","
        "\"protocol\":\"static\",\"metric\":10,\"flags\":[\"onlink\"]},"
        "{\"dst\":\"10.1.1.0/24\",\"gateway\":\"10.0.2.0\",\"dev\":\"swp2\","
        "\"metric\":100},"
        "{\"type\":\"unreachable\",\"dst\":\"10.0.0.0/24\",\"metric\":200},"
        "{\"dst\":\"10.0.0.1\",\"dev\":\"swp1\",\"scope\":\"link\","
        "\"metric\":10},"
        "{\"dst\":\"10.0.0.1\",\"dev\":\"swp1\",\"metric\":7},"
        "{\"dst\":\"10.200.0.0/24\",\"dev\":\"swp1\",\"metric\":10},"
        "{\"dst\":\"192.168.0.0/16\",\"dev\":\"swp1\",\"metric\":10}]";
    struct sf_port_names names;
    struct sf_route_list list = { 0 };
    struct sf_core core;
    struct sf_error err = { 0 };

    begin(&core, "hx2:2x1,p=1", NULL, 2);
    CHECK_EQ(sf_port_names_parse("swp%d", &names, NULL), SF_OK);
    bool *runs = calloc(core.fabric->n_ports, sizeof *runs);
    runs[0] = runs[1] = true;
    CHECK_EQ(sf_ip_read_links(links, strlen(links), "x", core.fabric, &names,
                              0, runs, &err),
             SF_OK);
    CHECK(runs[0] && !runs[1]);
    CHECK_EQ(sf_ip_read_links("[", 1, "x", core.fabric, &names, 0, runs, &err),
             SF_EPARSE);
    CHECK(strstr(err.text, "x:1: ") != NULL);
    CHECK_EQ(
        sf_ip_read_links("{}", 2, "x", core.fabric, &names, 0, runs, &err),
        SF_EPARSE);
    CHECK(runs[0]); /* What cannot be read changes nothing. */
    CHECK_EQ(sf_ip_read_routes(routes, strlen(routes), "x", core.fabric,
                               &core.addresses, &names, 0, &list, &err),
             SF_OK);
    CHECK_EQ(list.routes.n, 4u);
    const struct sf_ip_route *r = list.routes.items;
    CHECK(r[0].kind == SF_IP_ROUTE && r[0].layer == 1 &&
          r[0].destination == 1 && r[0].out == 2 && r[0].neighbour == 1 &&
          r[0].port == 0);
    CHECK(r[1].kind == SF_IP_ALTERNATE && r[1].neighbour != 1);
    CHECK(r[2].kind == SF_IP_UNREACHABLE && r[2].out == 0);
    CHECK(r[3].kind == SF_IP_LOCAL && r[3].port == 1 && r[3].out == 1 &&
          r[3].neighbour == SF_NONE);

    struct sf_push_item items[] = {
        { 1, { .s = 0, .after = r[0] } },
        { 1, { .s = 0, .is_new = true, .after = r[3] } },
        { 1, { .s = 0, .after = r[2] } },
        { 1, { .s = 0, .is_gone = true, .before = r[0] } },
    };
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    sf_ip_write_changes(items, ARRAY_SIZE(items), sf_core_tables(&core),
                        &names, stream);
    fclose(stream);
    CHECK_STR(text,
              "route replace 10.1.1.0/24 via 10.0.1.0 dev swp2 onlink metric "
              "10 proto static\n"
              "route replace 10.0.0.1/32 dev swp1 scope link metric 10 proto "
              "static\n"
              "route replace unreachable 10.0.0.0/24 metric 200 proto static\n"
              "route del 10.1.1.0/24 metric 10\n");
    free(text);
    free(list.routes.items);
    free(runs);
    sf_core_clear(&core);
}

TEST(controller_runs_commands)
{
    struct sf_error errors[6] = { 0 };
    static const char *const lines[] = {
        "cat",
        "printf 'no such host\\n' >&2; exit 255",
        "sleep 600",
        "head -c 200000 /dev/zero | tr '\\0' x",
        "exec 1>&-; cat >/dev/null",
        "kill -9 $$",
    };
    struct sf_command commands[ARRAY_SIZE(lines)];

    for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
        commands[i] =
            (struct sf_command){ .line = strdup(lines[i]), .err = &errors[i] };
    }
    commands[0].input = strdup("route add\n");
    commands[0].n_input = strlen(commands[0].input);
    commands[4].n_input = 1 << 20;
    commands[4].input = calloc(1, commands[4].n_input);
    /* One that sleeps is given up; others do not wait for it. */
    sf_commands_run(commands, 2, 3, 600);
    sf_commands_run(commands + 2, 1, 3, .2);
    sf_commands_run(commands + 3, 3, 2, 600);
    CHECK_EQ(errors[0].status, SF_OK);
    CHECK(commands[0].output.n == 10 &&
          !memcmp(commands[0].output.items, "route add\n", 10));
    CHECK_STR(errors[1].text,
              "the command failed with exit code 255: no such host");
    CHECK_STR(errors[2].text, "no answer in time");
    CHECK_EQ(errors[3].status, SF_OK);
    CHECK_EQ(commands[3].output.n, 200000u);
    CHECK_EQ(errors[4].status, SF_OK);
    CHECK_STR(errors[5].text, "signal 9 ended the command");
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
        sf_command_clear(&commands[i]);
    }
}

TEST(controller_nomem)
{
    struct sf_core core;
    begin(&core, "hx2:3x2,p=2", "gates:sets=2", 2);
    hold_all(&core);
    uint32_t port = core.fabric->nodes[0].first_port + 1;
    bool is_done = false;

    for (unsigned long nth = 1; !is_done && nth < 2000; nth++) {
        struct sf_push push = { 0 };
        sf_core_note_port(&core, port, false);
        core.is_stale = true;
        sf_mem_fail_at(nth);
        enum sf_status status = sf_core_settle(&core, NULL);
        if (status == SF_OK) {
            status = sf_core_plan(&core, &push, NULL);
        }
        sf_mem_fail_at(0);
        CHECK(status == SF_OK || status == SF_ENOMEM);
        is_done = status == SF_OK;
        CHECK(!is_done || (push.n > 0 && nth > 10));
        sf_push_clear(&push);
    }
    CHECK(is_done);
    check_target(&core);
    sf_core_clear(&core);
}
