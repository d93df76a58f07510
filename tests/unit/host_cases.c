#include "host_cases.h"

#include "helpers.h"
#include "oracle/oracle.h"
#include "test.h"

#include <stdlib.h>

static struct host_case *
make_case(uint32_t n_switches, const struct sf_link *links, uint32_t n_links,
          const uint32_t *n_hosts, uint32_t n_vls, uint32_t buffer)
{
    struct host_case *c = oracle_calloc(1, sizeof *c);
    struct sf_graph *graph;

    CHECK_EQ(sf_graph_build(n_switches, links, n_links, &graph, NULL), SF_OK);
    c->network = network_of(graph, n_hosts);
    sf_graph_free(graph);
    CHECK_EQ(sf_wires_build(c->network, &c->wires, NULL), SF_OK);
    c->params.net = (struct sf_sim_net){
        .rate = PACKET,
        .mtu = PACKET,
        .buffer = buffer * PACKET * n_vls,
    };
    c->source = (struct sf_path_source){
        .network = c->network,
        .n_addresses = 1,
        .n_vls = n_vls,
        .one_sl = SF_SL_OF_PATH,
    };
    c->setup = (struct sf_run_setup){ &c->source, c->wires, &c->params, 1 };
    return c;
}

static enum sf_status
follow_star(const struct sf_path_source *source, uint32_t from, uint32_t to,
            uint32_t address, struct sf_path *path, struct sf_error *err)
{
    (void)from, (void)to, (void)err;
    *path = (struct sf_path){ .first_vl = (uint8_t)(address % source->n_vls) };
    return SF_OK;
}

struct host_case *
star_case(uint32_t n_hosts, uint32_t n_addresses, uint32_t n_vls,
          uint32_t buffer)
{
    struct host_case *c = make_case(1, NULL, 0, &n_hosts, n_vls, buffer);
    c->source.n_addresses = n_addresses;
    c->source.follow = follow_star;
    return c;
}

static uint32_t
arc_between(const struct sf_network *network, uint32_t from, uint32_t to)
{
    const struct sf_graph *graph = network->graph;

    for (uint32_t i = graph->first[from]; i < graph->first[from + 1]; i++) {
        if (graph->arcs[i].to == to) {
            return i;
        }
    }
    test_fail(__FILE__, __LINE__, "no arc");
}

static uint32_t
switch_of(const struct sf_network *network, uint32_t host)
{
    uint32_t s = 0;
    while (network->first_host[s + 1] <= host) {
        s++;
    }
    return s;
}

static void
add_hop(const struct sf_network *network, struct sf_path *path, uint32_t from,
        uint32_t to, uint32_t vl)
{
    path->vls[path->n_arcs] = (uint8_t)vl;
    path->arcs[path->n_arcs++] = arc_between(network, from, to);
}

static enum sf_status
follow_detour(const struct sf_path_source *source, uint32_t from, uint32_t to,
              uint32_t address, struct sf_path *path, struct sf_error *err)
{
    const struct sf_network *network = source->network;
    uint32_t a = switch_of(network, from), b = switch_of(network, to);

    *path = (struct sf_path){ 0 };
    if (a >= 2 && b >= 2 && a != b) {
        return sf_fail(err, SF_EUNREACHABLE, "no way from %u to %u", from, to);
    }
    if (a != b && a < 2 && b < 2) {
        add_hop(network, path, a, 2 + address, 0);
        a = 2 + address;
    }
    if (a != b) {
        add_hop(network, path, a, b, 0);
    }
    return SF_OK;
}

struct host_case *
detour_case(uint32_t n_hosts, uint32_t n_paths, uint32_t buffer)
{
    struct sf_link links[32];
    uint32_t hosts[18] = { n_hosts, n_hosts };
    uint32_t n = 0;

    CHECK(n_paths <= 16);
    for (uint32_t i = 0; i < n_paths; i++) {
        links[n++] = (struct sf_link){ 0, 2 + i };
        links[n++] = (struct sf_link){ 1, 2 + i };
        hosts[2 + i] = 1;
    }
    struct host_case *c = make_case(2 + n_paths, links, n, hosts, 1, buffer);
    c->source.n_addresses = n_paths;
    c->source.follow = follow_detour;
    return c;
}

uint32_t
detour_arc(const struct host_case *c, uint32_t a)
{
    return arc_between(c->network, 0, 2 + a);
}

static enum sf_status
follow_ring(const struct sf_path_source *source, uint32_t from, uint32_t to,
            uint32_t address, struct sf_path *path, struct sf_error *err)
{
    uint32_t n = source->network->graph->n_nodes, vl = 0;

    (void)address, (void)err;
    *path = (struct sf_path){ 0 };
    for (uint32_t s = from; s != to; s = (s + 1) % n) {
        vl = s == n - 1 ? source->n_vls - 1 : vl;
        add_hop(source->network, path, s, (s + 1) % n, vl);
    }
    return SF_OK;
}

struct host_case *
ring_case(uint32_t n, uint32_t n_vls, uint32_t buffer)
{
    struct sf_link links[16];
    uint32_t hosts[16];

    CHECK(n <= 16);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t next = (i + 1) % n;
        links[i] = i < next ? (struct sf_link){ i, next }
                            : (struct sf_link){ next, i };
        hosts[i] = 1;
    }
    struct host_case *c = make_case(n, links, n, hosts, n_vls, buffer);
    c->source.follow = follow_ring;
    return c;
}

void
make_exact(struct host_case *c, double switch_delay, double cable_delay)
{
    c->params.timing = SF_SIM_EXACT;
    c->params.net.rate = PACKET / 1e-7;
    c->params.net.switch_delay = switch_delay;
    c->params.net.cable_delay = cable_delay;
    c->params.length = 1;
}

double
packet_time(const struct host_case *c)
{
    return PACKET / c->params.net.rate;
}

void
host_case_free(struct host_case *c)
{
    sf_program_clear(&c->program);
    sf_wires_free(c->wires);
    sf_network_free(c->network);
    free(c);
}

uint32_t
add_message(struct host_case *c, uint32_t from, uint32_t to,
            uint32_t n_packets, double delay)
{
    CHECK(sf_program_send(&c->program, from, to,
                          (uint64_t)n_packets * c->params.net.mtu, delay));
    return (uint32_t)c->program.messages.n - 1;
}

void
add_wait(struct host_case *c, uint32_t before, uint32_t after)
{
    CHECK(sf_program_wait(&c->program, before, after));
}

void
end_program(struct host_case *c)
{
    struct sf_error err = { 0 };
    CHECK_FOR(sf_program_end(&c->program, c->wires->n_hosts, &err) == SF_OK,
              "%s", err.text);
}

struct sf_run
run_case(struct host_case *c)
{
    struct sf_run run;
    struct sf_error err = { 0 };

    end_program(c);
    CHECK_FOR(sf_run_packets(&c->setup, &c->program, &run, &err) == SF_OK,
              "%s", err.text);
    return run;
}
