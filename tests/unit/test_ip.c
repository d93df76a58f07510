/* The back end of IP: addresses there and back, every packet on the path of
 * its layer, and on a good path while a link or a switch is down. */
#include "base/mem.h"
#include "helpers.h"
#include "ip_cases.h"
#include "oracle/ip_oracle.h"
#include "slimfly/random.h"
#include "test.h"

#include <stdlib.h>

/* --- Addresses. ---------------------------------------------------------- */

static struct sf_ip_addresses
plan(const char *spec, const char *prefix, bool is_v6, uint32_t n_layers)
{
    struct sf_fabric *fabric = ip_fabric(spec);
    struct sf_ip_params params = { prefix, is_v6, n_layers };
    struct sf_ip_addresses addresses;
    struct sf_error err = { 0 };

    CHECK_FOR(sf_ip_plan_addresses(fabric, &params, &addresses, &err) == SF_OK,
              "%s", err.text);
    sf_fabric_free(fabric);
    return addresses;
}

/* The bits of a plan in one number: 80808 is 8, 8 and 8. */
static uint32_t
bits(struct sf_ip_addresses addresses)
{
    return addresses.layer_bits * 10000u + addresses.switch_bits * 100u +
           addresses.port_bits;
}

TEST(ip_shares_bits_out)
{
    CHECK_EQ(bits(plan("sf:q=5", NULL, false, 4)), 80808);
    CHECK_EQ(bits(plan("sf:q=11", NULL, false, 4)), 80808);
    CHECK_EQ(bits(plan("sf:q=13", NULL, false, 4)), 70908);
    CHECK_EQ(bits(plan("sf:q=19", NULL, false, 8)), 61008);
    CHECK_EQ(bits(plan("sf:q=5", "172.16.0.0/12", false, 4)), 40808);
    CHECK_EQ(bits(plan("sf:q=5", "192.168.0.0/16", false, 4)), 20608);
    CHECK_EQ(bits(plan("sf:q=5", "192.168.0.0/18", false, 4)), 40604);
    CHECK_EQ(bits(plan("sf:q=5", NULL, true, 4)), 80864);
    CHECK_EQ(bits(plan("sf:q=13", NULL, true, 4)), 41264);
    CHECK_EQ(bits(plan("sf:q=5", "fd00::/64", false, 4)), 520804);
    CHECK_EQ(bits(plan("sf:q=5", "fd00::/116", false, 4)), 20604);
}

TEST(ip_addresses_read_well)
{
    struct sf_ip_addresses v4 = plan("sf:q=5", NULL, false, 4),
                           v6 = plan("sf:q=5", NULL, true, 4);

    CHECK_STR(sf_ip_address_text(sf_ip_port_address(&v4, 3, 49, 4)).text,
              "10.3.49.4");
    CHECK_STR(sf_ip_prefix_text(sf_ip_switch_prefix(&v4, 3, 49)).text,
              "10.3.49.0/24");
    CHECK_STR(sf_ip_prefix_text(sf_ip_layer_prefix(&v4, 3)).text,
              "10.3.0.0/16");
    CHECK_STR(sf_ip_address_text(sf_ip_loopback(&v4, 7)).text, "10.0.7.0");
    CHECK_STR(sf_ip_address_text(sf_ip_next_hop(&v4, 7)).text, "10.0.7.0");
    CHECK_STR(sf_ip_address_text(sf_ip_port_address(&v6, 3, 49, 4)).text,
              "fd53:4c49:4d46:331::4");
    CHECK_STR(sf_ip_prefix_text(sf_ip_switch_prefix(&v6, 3, 49)).text,
              "fd53:4c49:4d46:331::/64");
    CHECK_STR(sf_ip_prefix_text(sf_ip_layer_prefix(&v6, 3)).text,
              "fd53:4c49:4d46:300::/56");
    CHECK_STR(sf_ip_address_text(sf_ip_next_hop(&v6, 49)).text, "fe80::32");
    CHECK_STR(sf_ip_mac_text((struct sf_ip_place){ 2, 300, 7 }, 1).text,
              "02:02:01:2c:07:01");
}

/* All addresses of a plan are different and are found again. */
static void
check_plan(const char *spec, const char *prefix, uint32_t n_layers)
{
    struct sf_fabric *fabric = ip_fabric(spec);
    struct sf_ip_addresses addresses = plan(spec, prefix, false, n_layers);

    for (uint32_t layer = 0; layer < n_layers; layer++) {
        for (uint32_t s = 0; s < fabric->n_switches; s++) {
            for (uint32_t port = 0; port <= fabric->nodes[s].n_ports; port++) {
                struct sf_ip_address address =
                    sf_ip_port_address(&addresses, layer, s, port);
                struct sf_ip_place place = { 0 };
                uint32_t found = SF_NONE;
                CHECK(sf_ip_find(&addresses, address, &place));
                CHECK_EQ(place.layer, layer);
                CHECK_EQ(place.s, s);
                CHECK_EQ(place.port, port);
                uint32_t node =
                    sf_ip_find_node(&addresses, fabric, address, &found);
                uint32_t peer =
                    port ? fabric->ports[sf_fabric_port(fabric, s, port)].peer
                         : SF_NONE;
                bool is_host = peer != SF_NONE &&
                               fabric->ports[peer].node >= fabric->n_switches;
                CHECK_EQ(node, port == 0 ? s
                               : is_host ? fabric->ports[peer].node
                                         : SF_NONE);
                CHECK_EQ(found, layer);
                CHECK(sf_ip_prefix_holds(
                    sf_ip_switch_prefix(&addresses, layer, s), address));
                CHECK(sf_ip_prefix_holds(sf_ip_layer_prefix(&addresses, layer),
                                         address));
            }
        }
    }
    sf_fabric_free(fabric);
}

TEST(ip_addresses_are_found_again)
{
    check_plan("sf:q=4", "10.0.0.0/8", 5);
    check_plan("sf:q=4", "192.168.16.0/20", 3);
    check_plan("sf:q=13", "10.0.0.0/8", 2);
    check_plan("jellyfish:n=20,k=5,p=3,seed=1", "2001:db8::/32", 9);
    check_plan("ft2:ports=8", "fd12:3456:789a:bcd0::/108", 2);
}

TEST(ip_refuses_what_is_not_planned)
{
    struct sf_ip_addresses addresses = plan("sf:q=5", NULL, false, 4);
    static const char *const texts[] = { "11.0.0.1", "10.4.0.1", "10.0.50.1",
                                         "10.0.0.12", "fd00::1" };
    struct sf_ip_address address;
    struct sf_ip_place place;

    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        CHECK_EQ(sf_ip_address_parse(texts[i], &address, NULL), SF_OK);
        CHECK_FOR(!sf_ip_find(&addresses, address, &place), "%s", texts[i]);
    }
}

static void
check_prefix(const char *prefix, enum sf_status status, const char *words)
{
    struct sf_fabric *fabric = ip_fabric("sf:q=5");
    struct sf_ip_params params = { .prefix = prefix, .n_layers = 4 };
    struct sf_ip_addresses addresses;
    struct sf_error err = { 0 };

    CHECK_FOR(sf_ip_plan_addresses(fabric, &params, &addresses, &err) ==
                  status,
              "%s", prefix);
    CHECK_FOR(strstr(err.text, words), "%s: %s", prefix, err.text);
    sf_fabric_free(fabric);
}

TEST(ip_refuses_prefixes)
{
    check_prefix("192.168.0.0/24", SF_ELIMIT, "at most 20 bits");
    check_prefix("10.0.0.0/21", SF_ELIMIT, "2 + 6 + 4 bits");
    check_prefix("fd00::/117", SF_ELIMIT, "at most 116 bits");
    check_prefix("10.0.0.1/8", SF_EINVAL, "not 0");
    check_prefix("10.0.0.0/33", SF_EINVAL, "0 to 32");
    check_prefix("10.0.0.0/", SF_EINVAL, "0 to 32");
    check_prefix("10.0.0.0/8x", SF_EINVAL, "0 to 32");
    check_prefix("10.0.0.0/99999999999", SF_EINVAL, "0 to 32");
    check_prefix("10.0.0/8", SF_EINVAL, "is no prefix");
    check_prefix("", SF_EINVAL, "is no prefix");
    check_prefix("127.0.0.0/8", SF_EINVAL, "not for hosts");
    check_prefix("224.0.0.0/4", SF_EINVAL, "not for hosts");
    check_prefix("0.0.0.0/0", SF_EINVAL, "not for hosts");
    check_prefix("ff00::/8", SF_EINVAL, "not for hosts");
    check_prefix("fe80::/10", SF_EINVAL, "not for hosts");
}

/* --- Names. -------------------------------------------------------------- */

static void
check_names(char given[][32], const char *const *expected, uint32_t n)
{
    struct sf_fabric_builder *builder;
    struct sf_fabric *fabric;
    struct sf_ip_names *names;

    CHECK_EQ(sf_fabric_builder_new(NULL, &builder, NULL), SF_OK);
    for (uint32_t i = 0; i < n; i++) {
        struct sf_node node = { .kind = SF_NODE_SWITCH, .name = given[i] };
        sf_fabric_builder_node(builder, &node);
    }
    CHECK_EQ(sf_fabric_builder_end(builder, &fabric, NULL), SF_OK);
    CHECK_EQ(sf_ip_names_build(fabric, &names, NULL), SF_OK);
    for (uint32_t i = 0; i < n; i++) {
        CHECK_STR(names->names[i], expected[i]);
    }
    sf_ip_names_free(names);
    sf_fabric_free(fabric);
}

TEST(ip_names_fit_linux)
{
    char given[][32] = { "sf_0_1_2",
                         "sf-0-1-2",
                         "node0001",
                         "a very long name 1",
                         "a very long name 2",
                         "___",
                         "NODE0001",
                         "-x-",
                         "spine.cluster.example.org" };
    static const char *const expected[] = {
        "sf-0-1-2-0",      "sf-0-1-2", "node0001",   "a-very-long-nam",
        "a-very-long-n-4", "n5",       "NODE0001-6", "x",
        "spine-cluster-e"
    };
    check_names(given, expected, ARRAY_SIZE(given));
}

/* --- Paths. -------------------------------------------------------------- */

static const struct broken nothing = { SF_NONE, SF_NONE };

/* Sends from every switch to every address and compares with the columns. */
static void
check_paths(const struct ip_routed *routed)
{
    const struct sf_graph *graph = routed->network->graph;
    struct ip_oracle oracle = ip_oracle_make(routed->network, routed->tables);

    for (uint32_t h = 0; h < sf_network_count_hosts(routed->network); h++) {
        struct sf_ip_place to = sf_ip_host_place(routed->network, h);
        for (to.layer = 0; to.layer < routed->addresses.n_layers; to.layer++) {
            const uint16_t *column =
                sf_routes_column(routed->routing->routes, h, to.layer, to.s);
            for (uint32_t s = 0; s < graph->n_nodes; s++) {
                struct trace trace = ip_oracle_send(&oracle, s, to, nothing);
                CHECK_EQ(trace.fate, ARRIVED);
                uint32_t at = s;
                for (uint32_t i = 0; i < trace.n_hops; i++) {
                    CHECK_EQ(trace.arcs[i], graph->first[at] + column[at]);
                    at = graph->arcs[trace.arcs[i]].to;
                }
                CHECK_EQ(at, to.s);
            }
        }
    }
    ip_oracle_clear(&oracle);
}

TEST(ip_packets_take_the_paths_of_layers)
{
    for (size_t i = 0; i < n_ip_cases; i++) {
        struct ip_routed routed =
            ip_route(&ip_cases[i], SF_IP_ALTERNATES_LINKS);
        check_paths(&routed);
        ip_routed_clear(&routed);
    }
}

/* What was seen while things were down. */
struct seen {
    uint64_t n_sent, n_diverted, n_dropped;
};

/* Whether switch 's' has an alternate for 'to', which protects from the loss
 * of a switch if that is asked for. */
static bool
has_alternate(const struct ip_routed *routed, uint32_t s,
              struct sf_ip_place to, bool of_switch)
{
    const struct sf_ip_route *route =
        sf_ip_look_up(routed->tables, s, to, NULL);
    bool is_down[256] = { false };

    is_down[route->out] = true;
    route = sf_ip_look_up(routed->tables, s, to, is_down);
    return route && sf_ip_is_alternate(route) &&
           (!of_switch || route->kind == SF_IP_ALTERNATE_SWITCH);
}

/* Sends to one address in 'step' while 'broken' is, and checks what is
 * promised. */
static void
check_broken(const struct ip_routed *routed, const struct ip_oracle *oracle,
             struct broken broken, uint32_t step, struct seen *seen)
{
    uint32_t n_hosts = sf_network_count_hosts(routed->network);
    uint32_t first = (broken.s == SF_NONE ? broken.link : broken.s) % step;

    for (uint32_t i = first; i < n_hosts * routed->addresses.n_layers;
         i += step) {
        struct sf_ip_place to = sf_ip_host_place(routed->network, i % n_hosts);
        to.layer = i / n_hosts;
        for (uint32_t s = 0; s < routed->fabric->n_switches; s++) {
            if (s == broken.s || to.s == broken.s) {
                continue;
            }
            struct trace trace = ip_oracle_send(oracle, s, to, broken);
            seen->n_sent++;
            seen->n_diverted += trace.took_alternate;
            seen->n_dropped += trace.fate == DROPPED;
            CHECK(trace.fate != LOST);
            if (broken.s == SF_NONE || !trace.took_unsafe) {
                CHECK(trace.fate == ARRIVED ||
                      (trace.fate == DROPPED && !trace.took_alternate &&
                       !has_alternate(routed, trace.end, to,
                                      broken.s != SF_NONE)));
            }
        }
    }
}

static struct seen
check_all_broken(const struct ip_routed *routed, uint32_t step)
{
    const struct sf_graph *graph = routed->network->graph;
    struct ip_oracle oracle = ip_oracle_make(routed->network, routed->tables);
    struct seen seen = { 0 };

    for (uint32_t i = 0; i < graph->n_links; i++) {
        check_broken(routed, &oracle, (struct broken){ i, SF_NONE }, step,
                     &seen);
    }
    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        check_broken(routed, &oracle, (struct broken){ SF_NONE, s }, step,
                     &seen);
    }
    ip_oracle_clear(&oracle);
    CHECK(seen.n_diverted > 0);
    return seen;
}

TEST(ip_alternates_are_free_of_loops)
{
    for (size_t i = 0; i < n_ip_cases; i++) {
        struct ip_routed routed =
            ip_route(&ip_cases[i], SF_IP_ALTERNATES_LINKS);
        check_all_broken(&routed, 101);
        ip_routed_clear(&routed);
    }
}

TEST_LONG(ip_alternates_are_free_of_loops_wherever_it_breaks)
{
    for (size_t i = 0; i < n_ip_cases; i++) {
        struct ip_routed routed =
            ip_route(&ip_cases[i], SF_IP_ALTERNATES_LINKS);
        struct seen seen = check_all_broken(&routed, 1);
        printf("# %s: %.2f %% sent around, %.2f %% dropped\n",
               ip_cases[i].spec,
               100. * (double)seen.n_diverted / (double)seen.n_sent,
               100. * (double)seen.n_dropped / (double)seen.n_sent);
        ip_routed_clear(&routed);
    }
}

TEST(ip_alternates_that_keep_lanes_are_free_of_loops)
{
    for (size_t i = 0; i < n_ip_cases; i++) {
        struct ip_routed routed =
            ip_route(&ip_cases[i], SF_IP_ALTERNATES_LANES);
        check_all_broken(&routed, 211);
        ip_routed_clear(&routed);
    }
}

/* --- What switches look up, and what changes. -----------------------------
 */

TEST(ip_looks_up_what_the_oracle_finds)
{
    struct ip_routed routed = ip_route(&ip_cases[5], SF_IP_ALTERNATES_LINKS);
    const struct sf_graph *graph = routed.network->graph;
    struct ip_oracle oracle = ip_oracle_make(routed.network, routed.tables);

    for (uint32_t h = 0; h < sf_network_count_hosts(routed.network); h++) {
        struct sf_ip_place to = sf_ip_host_place(routed.network, h);
        for (uint32_t arc = 0; arc < 2 * graph->n_links; arc++) {
            uint32_t s = graph->arcs[routed.network->reverse[arc]].to;
            bool is_down[256] = { false };
            is_down[sf_network_port(routed.network, arc)] = true;
            const struct sf_ip_route *route =
                sf_ip_look_up(routed.tables, s, to, is_down);
            struct trace trace = ip_oracle_send(
                &oracle, s, to,
                (struct broken){ graph->arcs[arc].link, SF_NONE });
            if (s == to.s || trace.n_hops == 0) {
                CHECK(s == to.s || !route || route->out == 0);
            } else {
                CHECK(route);
                CHECK_EQ(route->out,
                         sf_network_port(routed.network, trace.arcs[0]));
            }
        }
    }
    ip_oracle_clear(&oracle);
    ip_routed_clear(&routed);
}

/* Whether the routes of a switch are the same. */
static bool
same_routes(const struct sf_ip_route *a, const struct sf_ip_route *b)
{
    return a->destination == b->destination && a->layer == b->layer &&
           a->port == b->port && a->kind == b->kind && a->out == b->out &&
           a->neighbour == b->neighbour;
}

/* Finds the route of the same destination and metric in a list. */
static struct sf_ip_route *
find_route(struct sf_ip_route *list, size_t n, const struct sf_ip_route *like)
{
    for (size_t i = 0; i < n; i++) {
        if (list[i].destination == like->destination &&
            list[i].layer == like->layer && list[i].port == like->port &&
            sf_ip_metric(list[i].kind) == sf_ip_metric(like->kind)) {
            return &list[i];
        }
    }
    return NULL;
}

/* Does the changes of switch 's' one after the other to a copy of its routes
 * and compares with what it is to have. */
static void
check_changes(const struct sf_ip_tables *before,
              const struct sf_ip_tables *after,
              const struct sf_ip_changes *changes, uint32_t s)
{
    size_t n = before->first[s + 1] - before->first[s];
    size_t n_after = after->first[s + 1] - after->first[s];
    struct sf_ip_route *list = calloc(n + changes->n + 1, sizeof *list),
                       *found;

    CHECK(list);
    memcpy(list, before->routes + before->first[s], n * sizeof *list);
    for (size_t i = 0; i < changes->n; i++) {
        const struct sf_ip_change *change = &changes->changes[i];
        if (change->s != s) {
            continue;
        }
        if (change->is_new) {
            CHECK(!find_route(list, n, &change->after));
            list[n++] = change->after;
            continue;
        }
        found = find_route(list, n, &change->before);
        CHECK(found && same_routes(found, &change->before));
        *found = change->is_gone ? list[--n] : change->after;
    }
    CHECK_EQ(n, n_after);
    for (size_t i = 0; i < n_after; i++) {
        const struct sf_ip_route *wanted = &after->routes[after->first[s] + i];
        found = find_route(list, n, wanted);
        CHECK(found && same_routes(found, wanted));
    }
    free(list);
}

TEST(ip_changes_lead_from_one_to_the_other)
{
    static const enum sf_ip_alternates ways[] = { SF_IP_ALTERNATES_NONE,
                                                  SF_IP_ALTERNATES_LINKS };
    const struct ip_case from = { "hx2:4x3,p=3", 3, 2, false };
    struct sf_ip_changes *changes;

    for (uint32_t i = 0; i < 4; i++) {
        struct ip_case to = from;
        to.n_sets = i % 2 ? 3 : 2;
        struct ip_routed a = ip_route(&from, SF_IP_ALTERNATES_LINKS);
        struct ip_routed b = ip_route(&to, ways[i / 2]);
        CHECK_EQ(sf_ip_compare(a.tables, b.tables, &changes, NULL), SF_OK);
        CHECK(i == 2 ? changes->n == 0 : changes->n > 0);
        for (uint32_t s = 0; s < a.fabric->n_switches; s++) {
            check_changes(a.tables, b.tables, changes, s);
        }
        sf_ip_changes_free(changes);
        ip_routed_clear(&a);
        ip_routed_clear(&b);
    }
}

/* --- Without memory. ------------------------------------------------------
 */

TEST(ip_fails_each_allocation)
{
    struct ip_routed routed = ip_route(&ip_cases[1], SF_IP_ALTERNATES_LANES);
    struct sf_ip_tables *tables = NULL;
    struct sf_ip_names *names = NULL;
    struct sf_ip_changes *changes = NULL;
    enum sf_status status = SF_ENOMEM;

    for (unsigned long nth = 1; status != SF_OK; nth++) {
        struct sf_error err = { 0 };
        sf_mem_fail_at(nth);
        status = sf_ip_encode(routed.network, routed.routing->routes,
                              &routed.addresses, SF_IP_ALTERNATES_LANES,
                              &tables, &err);
        sf_mem_fail_at(0);
        CHECK(status == SF_OK || (status == SF_ENOMEM && !tables));
        CHECK(status == SF_OK || err.text[0]);
        CHECK(nth < 5000);
    }
    tables->routes[0].out ^= 1;
    status = SF_ENOMEM;
    for (unsigned long nth = 1; status != SF_OK; nth++) {
        sf_mem_fail_at(nth);
        status = sf_ip_names_build(routed.fabric, &names, NULL);
        status = status == SF_OK
                     ? sf_ip_compare(routed.tables, tables, &changes, NULL)
                     : status;
        sf_mem_fail_at(0);
        CHECK(status == SF_OK || (status == SF_ENOMEM && !changes));
        sf_ip_names_free(names);
        names = NULL;
    }
    CHECK_EQ(changes->n, 1);
    sf_ip_changes_free(changes);
    sf_ip_tables_free(tables);
    ip_routed_clear(&routed);
}
