/* hop_check.c -- whether packets go where the tables say.
 *
 * What the tables say is followed from the links that are up now (ways.h). For
 * each path, a packet with each number of hops is sent: the switches on the
 * way answer one after the other, and in the end the host. */
#define _GNU_SOURCE
#include "ip/lab/lab.h"

#include "base/mem.h"
#include "ip/lab/netns.h"
#include "ip/lab/probes.h"
#include "ip/lab/ways.h"

#include <stdlib.h>
#include <string.h>

/* A path that is checked. */
struct path {
    uint32_t sender, target; /* Hosts. */
    size_t first;            /* Of its nodes, and of its probes. */
    uint16_t layer;
    uint8_t n_nodes; /* Switches that it leads over, by the tables. */
    bool arrives;    /* By the tables; else it ends at the last, */
    bool circles;    /* or goes on to one where it has been. */
    bool is_extra;   /* For the sake of the last hop only. */
};

struct checker {
    struct sf_lab *lab;
    struct sf_lab_check *check;
    struct sf_lab_down down;
    SF_VEC(struct path) paths;
    SF_VEC(uint32_t) nodes; /* Of all paths. */
    SF_VEC(struct sf_lab_probe) probes;
    bool failed; /* Memory ran out. */
};

static uint32_t
switch_of(const struct checker *checker, uint32_t host)
{
    return sf_ip_host_place(checker->lab->network, host).s;
}

/* The host of a switch that sends: the first whose link is up. */
static uint32_t
find_sender(const struct checker *checker, uint32_t s)
{
    const struct sf_network *network = checker->lab->network;

    for (uint32_t h = network->first_host[s]; h < network->first_host[s + 1];
         h++) {
        if (sf_lab_has_link(checker->lab, &checker->down, h)) {
            return h;
        }
    }
    return network->first_host[s];
}

/* Appends what the tables say of the path from 'sender' to 'target' in
 * 'layer', and a probe for each hop of it. */
static void
add_path(struct checker *checker, uint32_t sender, uint32_t target,
         uint32_t layer, bool is_extra)
{
    struct path path = { .sender = sender,
                         .target = target,
                         .first = checker->nodes.n,
                         .layer = (uint16_t)layer,
                         .is_extra = is_extra };
    struct sf_lab_probe probe = { .sender = sender,
                                  .target = target,
                                  .layer = (uint16_t)layer,
                                  .from = SF_NONE };
    struct sf_lab_way way;

    sf_lab_follow(checker->lab, &checker->down, sender, target, layer, &way);
    path.arrives = way.arrives;
    path.circles = way.circle != SF_NONE;
    path.n_nodes = (uint8_t)way.n;
    for (uint32_t i = 0; i < way.n; i++) {
        probe.ttl = (uint8_t)(i + 1);
        probe.is_optional = way.ports[i] == SF_NONE || path.circles;
        checker->failed |= !sf_vec_push(&checker->nodes, way.switches[i]) ||
                           !sf_vec_push(&checker->probes, probe);
    }
    /* One more, that arrives or is turned back; the kernel limits how often it
     * says the latter. */
    probe.ttl = (uint8_t)(path.n_nodes + 1);
    probe.is_optional = !path.arrives;
    checker->failed |= !sf_vec_push(&checker->nodes, way.circle) ||
                       !sf_vec_push(&checker->probes, probe) ||
                       !sf_vec_push(&checker->paths, path);
}

/* The host of switch 's' that stands for path set 'set'; SF_NONE. */
static uint32_t
find_host(const struct checker *checker, uint32_t s, uint32_t set)
{
    const struct sf_network *network = checker->lab->network;

    for (uint32_t h = network->first_host[s]; h < network->first_host[s + 1];
         h++) {
        if (checker->lab->routes->host_sets[h] == set) {
            return h;
        }
    }
    return SF_NONE;
}

/* A sender on a switch after 's', going round; SF_NONE if 's' alone has
 * hosts. */
static uint32_t
find_other(const struct checker *checker, uint32_t s)
{
    const struct sf_network *network = checker->lab->network;
    uint32_t n = network->graph->n_nodes;

    for (uint32_t i = 1; i < n; i++) {
        uint32_t other = (s + i) % n;
        if (network->n_hosts[other]) {
            return find_sender(checker, other);
        }
    }
    return SF_NONE;
}

/* All paths to one host: from every other switch if it 'stands' for others,
 * else from one. */
static void
add_target(struct checker *checker, uint32_t target, bool stands)
{
    const struct sf_network *network = checker->lab->network;
    uint32_t n_layers = checker->lab->tables->addresses.n_layers;
    uint32_t s = switch_of(checker, target);
    uint32_t own = find_sender(checker, s);

    for (uint32_t l = 0; l < n_layers; l++) {
        for (uint32_t from = 0; stands && from < network->graph->n_nodes;
             from++) {
            if (from != s && network->n_hosts[from]) {
                add_path(checker, find_sender(checker, from), target, l,
                         false);
            }
        }
        uint32_t other = find_other(checker, s);
        if (!stands && other != SF_NONE) {
            add_path(checker, other, target, l, true);
        }
        if (target != own) {
            add_path(checker, own, target, l, true);
        }
    }
}

static void
add_paths(struct checker *checker)
{
    const struct sf_network *network = checker->lab->network;

    for (uint32_t s = 0; s < network->graph->n_nodes; s++) {
        for (uint32_t h = network->first_host[s];
             h < network->first_host[s + 1]; h++) {
            uint32_t set = checker->lab->routes->host_sets[h];
            add_target(checker, h, find_host(checker, s, set) == h);
        }
    }
}

/* Whether the probe of hop 'i' of 'path' was answered as it should be. */
static bool
is_right(const struct checker *checker, const struct path *path, uint32_t i)
{
    const struct sf_lab *lab = checker->lab;
    const struct sf_lab_probe *probe = &checker->probes.items[path->first + i];
    uint32_t node = checker->nodes.items[path->first + i];

    if (path->circles) {
        return !probe->answer ||
               (probe->from == node && probe->answer == SF_LAB_EXPIRED);
    }
    if (i < path->n_nodes) {
        bool is_end = !path->arrives && i + 1u == path->n_nodes;
        return probe->from == node
                   ? probe->answer == SF_LAB_EXPIRED ||
                         (is_end && probe->answer == SF_LAB_UNREACHABLE)
                   : is_end && !probe->answer;
    }
    if (path->arrives) {
        const struct sf_network *network = lab->network;
        uint32_t port = network->host_ports[path->target];
        return probe->answer == SF_LAB_ARRIVED &&
               probe->from == network->fabric->ports[port].node;
    }
    return probe->answer == SF_LAB_UNREACHABLE || !probe->answer;
}

/* The first hop of 'path' that is wrong; n_nodes + 1 if none is. */
static uint32_t
find_wrong(const struct checker *checker, const struct path *path)
{
    uint32_t i = 0;

    while (i <= path->n_nodes && is_right(checker, path, i)) {
        i++;
    }
    return i;
}

static uint32_t
host_node(const struct checker *checker, uint32_t host)
{
    const struct sf_network *network = checker->lab->network;

    return network->fabric->ports[network->host_ports[host]].node;
}

/* Asks the kernel of a switch where it would send packets of a finding, where
 * no answer told: the answer may be lost on its way back. */
static enum sf_status
ask_kernel(struct checker *checker, struct sf_lab_finding *finding,
           struct sf_error *err)
{
    struct sf_lab *lab = checker->lab;
    const struct sf_fabric *fabric = lab->network->fabric;
    struct sf_ip_place place = sf_ip_host_place(lab->network, finding->target);
    uint32_t port = SF_NONE;
    enum sf_status status = sf_lab_ask_route(
        lab, finding->node,
        sf_ip_port_address(&lab->tables->addresses, finding->layer, place.s,
                           place.port),
        &port, err);

    if (status != SF_OK) {
        return status;
    }
    uint32_t found = port == SF_NONE
                         ? SF_NONE
                         : fabric->ports[fabric->ports[port].peer].node;
    if (port == SF_NONE) {
        finding->fault = SF_LAB_NO_ROUTE;
    } else if (found != finding->expected) {
        finding->fault = SF_LAB_WRONG_HOP;
        finding->found = found;
    }
    return SF_OK;
}

static enum sf_status
ask_kernels(struct checker *checker, struct sf_error *err)
{
    struct sf_lab_check *check = checker->check;
    struct sf_netns_home home;
    enum sf_status status = sf_netns_leave(&home, err);

    if (status != SF_OK) {
        return status;
    }
    for (uint32_t i = 0; status == SF_OK && i < check->n_findings; i++) {
        if (check->findings[i].fault == SF_LAB_LOST) {
            status = ask_kernel(checker, &check->findings[i], err);
        }
    }
    sf_netns_return(&home);
    return status;
}

/* The switch of least number on the circle that 'path' ends in. */
static uint32_t
find_least(const struct checker *checker, const struct path *path)
{
    const uint32_t *nodes = checker->nodes.items + path->first;
    uint32_t least = nodes[path->n_nodes];

    for (uint32_t i = path->n_nodes; nodes[--i] != nodes[path->n_nodes];) {
        least = nodes[i] < least ? nodes[i] : least;
    }
    return least;
}

/* What is wrong with 'path' at hop 'i', as far as answers tell. */
static struct sf_lab_finding
describe(const struct checker *checker, const struct path *path, uint32_t i)
{
    const uint32_t *nodes = checker->nodes.items + path->first;
    const struct sf_lab_probe *probe = &checker->probes.items[path->first + i];
    struct sf_lab_finding finding = {
        .fault = SF_LAB_WRONG_HOP,
        .node = i ? nodes[i - 1] : host_node(checker, path->sender),
        .layer = path->layer,
        .target = path->target,
        .expected = i < path->n_nodes || path->circles ? nodes[i]
                    : path->arrives ? host_node(checker, path->target)
                                    : SF_NONE,
        .found = probe->answer == SF_LAB_NO_ANSWER ? SF_NONE : probe->from,
        .n_paths = 1,
    };

    if (i > path->n_nodes && path->circles) {
        finding.fault = SF_LAB_CIRCLE;
        finding.node = find_least(checker, path);
        finding.found = finding.expected = SF_NONE;
    } else if (i > path->n_nodes) {
        finding.fault = SF_LAB_CUT;
        finding.node = path->n_nodes ? nodes[path->n_nodes - 1]
                                     : host_node(checker, path->sender);
        finding.found = finding.expected = SF_NONE;
    } else if (probe->answer == SF_LAB_NO_ANSWER) {
        finding.fault = SF_LAB_LOST;
    } else if (probe->answer == SF_LAB_UNREACHABLE) {
        finding.fault = SF_LAB_NO_ROUTE;
        finding.found = SF_NONE;
        /* Who says so has no route, and that may be one before: a switch
         * looks for a route before it counts hops. */
        if (i < path->n_nodes && probe->from == nodes[i]) {
            finding.node = nodes[i];
            finding.expected = i + 1u < path->n_nodes
                                   ? nodes[i + 1]
                                   : host_node(checker, path->target);
        } else if (probe->from != SF_NONE) {
            finding.node = probe->from;
        }
    }
    return finding;
}

static bool
is_same(const struct sf_lab_finding *a, const struct sf_lab_finding *b,
        const struct checker *checker)
{
    return a->fault == b->fault && a->node == b->node &&
           a->layer == b->layer && a->expected == b->expected &&
           a->found == b->found &&
           switch_of(checker, a->target) == switch_of(checker, b->target);
}

static int
compare_findings(const void *a, const void *b)
{
    const struct sf_lab_finding *x = a, *y = b;

    if (x->fault != y->fault) {
        return x->fault < y->fault ? -1 : 1;
    }
    if (x->n_paths != y->n_paths) {
        return x->n_paths > y->n_paths ? -1 : 1;
    }
    if (x->node != y->node) {
        return x->node < y->node ? -1 : 1;
    }
    if (x->layer != y->layer) {
        return x->layer < y->layer ? -1 : 1;
    }
    return x->target < y->target ? -1 : x->target > y->target;
}

/* Adds a finding, or counts it if there is such a one; the latest are the
 * likeliest. */
static bool
add_finding(const struct checker *checker, const struct sf_lab_finding *found)
{
    struct sf_lab_check *check = checker->check;
    uint32_t least = check->n_findings > 4096 ? check->n_findings - 4096 : 0;

    for (uint32_t i = check->n_findings; i > least; i--) {
        if (is_same(&check->findings[i - 1], found, checker)) {
            check->findings[i - 1].n_paths++;
            return true;
        }
    }
    struct sf_lab_finding *findings =
        sf_realloc(check->findings, check->n_findings + 1, sizeof *findings);
    if (!findings) {
        return false;
    }
    findings[check->n_findings++] = *found;
    check->findings = findings;
    return true;
}

static enum sf_status
judge(struct checker *checker, struct sf_error *err)
{
    struct sf_lab_check *check = checker->check;

    for (size_t k = 0; k < checker->paths.n; k++) {
        const struct path *path = &checker->paths.items[k];
        uint32_t wrong = find_wrong(checker, path);
        bool is_fine = wrong > path->n_nodes && path->arrives;
        check->n_paths += !path->is_extra;
        check->n_host_paths += path->is_extra;
        check->n_right += is_fine && !path->is_extra;
        check->n_host_right += is_fine && path->is_extra;
        check->n_cut += wrong > path->n_nodes && !path->arrives;
        struct sf_lab_finding finding = describe(checker, path, wrong);
        if (!is_fine && !add_finding(checker, &finding)) {
            return sf_fail(err, SF_ENOMEM, "the findings of a lab");
        }
    }
    enum sf_status status = ask_kernels(checker, err);
    if (check->n_findings) {
        qsort(check->findings, check->n_findings, sizeof *check->findings,
              compare_findings);
    }
    return status;
}

static enum sf_status
run(struct checker *checker, struct sf_error *err)
{
    struct sf_lab *lab = checker->lab;
    enum sf_status status = sf_lab_open_spaces(lab, err);

    if (status == SF_OK) {
        status = sf_lab_look_down(lab, &checker->down, err);
    }
    if (status == SF_OK) {
        checker->check->n_down = checker->down.n_links;
        add_paths(checker);
        if (checker->failed) {
            status = sf_fail(err, SF_ENOMEM, "the paths of a lab");
        }
    }
    if (status == SF_OK) {
        checker->check->n_probes = checker->probes.n;
        status =
            sf_lab_send_probes(lab, checker->probes.items, checker->probes.n,
                               &checker->check->n_lost, err);
    }
    return status == SF_OK ? judge(checker, err) : status;
}

enum sf_status
sf_lab_check(struct sf_lab *lab, struct sf_lab_check *check,
             struct sf_error *err)
{
    struct checker checker = { .lab = lab, .check = check };

    *check = (struct sf_lab_check){ 0 };
    enum sf_status status = run(&checker, err);
    free(checker.probes.items);
    free(checker.nodes.items);
    free(checker.paths.items);
    sf_lab_down_clear(&checker.down);
    if (status != SF_OK) {
        sf_lab_check_clear(check);
    }
    return status;
}

void
sf_lab_check_clear(struct sf_lab_check *check)
{
    free(check->findings);
    *check = (struct sf_lab_check){ 0 };
}
