#define _GNU_SOURCE
#include "monitor/job.h"

#include "base/mem.h"
#include "slimfly/tables.h"
#include "traffic/hostlist.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

/* Names in a list, and paths that are followed for an answer, at most. */
#define MAX_NAMES 65536
#define MAX_WALKS 4000000

enum sf_status
sf_job_paths_new(const struct sf_plan *plan, const bool *is_right,
                 struct sf_job_paths **pathsp, struct sf_error *err)
{
    struct sf_job_paths *paths = sf_calloc(1, sizeof *paths);

    *pathsp = NULL;
    if (paths) {
        paths->plan = plan;
        paths->is_right = sf_calloc(plan->n_cables, sizeof *paths->is_right);
    }
    if (!paths || !paths->is_right) {
        sf_job_paths_free(paths);
        return sf_fail(err, SF_ENOMEM, "out of memory for paths");
    }
    memcpy(paths->is_right, is_right, plan->n_cables * sizeof *is_right);
    *pathsp = paths;
    return SF_OK;
}

static void
forget_tables(struct sf_job_paths *paths)
{
    sf_network_free(paths->network);
    sf_tables_free(paths->tables);
    sf_sl2vl_free(paths->sl2vl);
    free(paths->planned_port);
    free(paths->host_of_node);
    paths->network = NULL;
    paths->tables = NULL;
    paths->sl2vl = NULL;
    paths->planned_port = paths->host_of_node = NULL;
}

void
sf_job_paths_free(struct sf_job_paths *paths)
{
    if (paths) {
        forget_tables(paths);
        free(paths->is_right);
        free(paths);
    }
}

/* Finds the planned port of each port found, and the host of each planned
 * node. */
static bool
map_network(struct sf_job_paths *paths,
            const struct sf_verification *verification)
{
    const struct sf_plan *plan = paths->plan;
    const struct sf_fabric *found = paths->network->fabric;
    uint32_t n_hosts = sf_network_count_hosts(paths->network);

    paths->planned_port = sf_calloc(found->n_ports, sizeof(uint32_t));
    paths->host_of_node = sf_calloc(plan->fabric->n_nodes, sizeof(uint32_t));
    if (!paths->planned_port || !paths->host_of_node) {
        return false;
    }
    for (uint32_t i = 0; i < found->n_ports; i++) {
        uint32_t node = verification->identities[found->ports[i].node].node;
        paths->planned_port[i] =
            node == SF_NONE
                ? SF_NONE
                : sf_fabric_port(plan->fabric, node, found->ports[i].number);
    }
    memset(paths->host_of_node, 0xff,
           plan->fabric->n_nodes * sizeof(uint32_t));
    for (uint32_t h = 0; h < n_hosts; h++) {
        uint32_t port = paths->network->host_ports[h];
        uint32_t node = verification->identities[found->ports[port].node].node;
        if (node != SF_NONE && paths->host_of_node[node] == SF_NONE) {
            paths->host_of_node[node] = h;
        }
    }
    return true;
}

enum sf_status
sf_job_paths_use_tables(struct sf_job_paths *paths,
                        const struct sf_verification *verification,
                        struct sf_tables *tables, struct sf_sl2vl *sl2vl,
                        struct sf_error *err)
{
    forget_tables(paths);
    paths->tables = tables;
    paths->sl2vl = sl2vl;
    enum sf_status status =
        sf_network_build(verification->found, &paths->network, err);
    if (status == SF_OK) {
        paths->held = (struct sf_ib_held){ .tables = tables, .sl2vl = sl2vl };
        status = sf_ib_path_source(paths->network, &paths->held, 0,
                                   &paths->source, err);
    }
    if (status == SF_OK && !map_network(paths, verification)) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for paths");
    }
    if (status != SF_OK) {
        forget_tables(paths);
    }
    return status;
}

/* A job that is asked for. */
struct question {
    const struct sf_job_paths *paths;
    SF_VEC(uint32_t) nodes; /* Of the plan, hosts. */
    bool *is_taken;         /* [n_nodes] */
    uint32_t n_names;
    json_t *unknown; /* Names that are not planned, the first ones. */
    uint32_t n_unknown;
    double *loads;   /* [2 * n_cables] From end a, from end b. */
    uint64_t n_lost; /* Pairs and addresses without a path. */
    uint32_t n_addresses;
};

static enum sf_status
take_name(void *aux, const char *name, struct sf_error *err)
{
    struct question *question = aux;
    const struct sf_fabric *fabric = question->paths->plan->fabric;
    uint32_t node = sf_fabric_find(fabric, name);

    if (++question->n_names > MAX_NAMES) {
        return sf_fail(err, SF_ELIMIT, "more than %d nodes", MAX_NAMES);
    }
    if (node == SF_NONE || fabric->nodes[node].kind != SF_NODE_HOST) {
        if (question->n_unknown++ < 20) {
            json_array_append_new(question->unknown, json_string(name));
        }
        return SF_OK;
    }
    if (!question->is_taken[node]) {
        question->is_taken[node] = true;
        if (!sf_vec_push(&question->nodes, node)) {
            return sf_fail(err, SF_ENOMEM, "out of memory");
        }
    }
    return SF_OK;
}

/* Adds to the load of a cable, in the direction from end a or from end b. */
static void
add_load(struct question *question, uint32_t cable, bool from_b, double load)
{
    if (cable != SF_NONE) {
        question->loads[2 * (size_t)cable + from_b] += load;
    }
}

/* The switch that a planned host is on, and its cable; SF_NONE: it has none
 * that is right. */
static uint32_t
switch_of(const struct sf_job_paths *paths, uint32_t host, uint32_t *cablep)
{
    const struct sf_plan *plan = paths->plan;
    const struct sf_node *node = &plan->fabric->nodes[host];

    for (uint32_t i = 0; i < node->n_ports; i++) {
        uint32_t cable = plan->cable_of_port[node->first_port + i];
        if (cable != SF_NONE && paths->is_right[cable]) {
            *cablep = cable;
            return plan->fabric->ports[plan->cables[cable].a].node;
        }
    }
    *cablep = SF_NONE;
    return SF_NONE;
}

/* Hosts send to each other; the shares on their own cables. */
static void
load_host_cables(struct question *question)
{
    size_t n = question->nodes.n;

    for (size_t i = 0; i < n; i++) {
        uint32_t cable;
        if (switch_of(question->paths, question->nodes.items[i], &cable) !=
            SF_NONE) {
            add_load(question, cable, false, (double)(n - 1));
            add_load(question, cable, true, (double)(n - 1));
        }
    }
}

/* Follows the paths from host 'from', which stands for 'n_hosts' on its
 * switch, to all addresses of 'to'. */
static void
follow_paths(struct question *question, uint32_t from, uint32_t to,
             uint32_t n_hosts)
{
    const struct sf_job_paths *paths = question->paths;
    const struct sf_plan *plan = paths->plan;
    double share = (double)n_hosts / question->n_addresses;

    for (uint32_t address = 0; address < question->n_addresses; address++) {
        struct sf_path path;
        if (paths->source.follow(&paths->source, from, to, address, &path,
                                 NULL) != SF_OK) {
            question->n_lost += n_hosts;
            continue;
        }
        for (uint32_t i = 0; i < path.n_arcs; i++) {
            uint32_t port =
                paths->planned_port[paths->network->arc_ports[path.arcs[i]]];
            uint32_t cable =
                port == SF_NONE ? SF_NONE : plan->cable_of_port[port];
            if (cable != SF_NONE) {
                add_load(question, cable, port == plan->cables[cable].b,
                         share);
            }
        }
    }
}

/* Loads by tables.  Switches forward by destination alone, so one host of the
 * job stands for all of them on its switch. */
static bool
load_by_tables(struct question *question)
{
    const struct sf_job_paths *paths = question->paths;
    uint32_t n_switches = paths->network->graph->n_nodes;
    uint32_t *n_on = sf_calloc(n_switches, sizeof *n_on);
    uint32_t *first = sf_calloc(n_switches, sizeof *first);
    uint32_t *home = sf_calloc(question->nodes.n, sizeof *home);
    uint32_t n_used = 0;
    bool is_done = n_on && first && home;

    for (size_t i = 0; is_done && i < question->nodes.n; i++) {
        uint32_t host = paths->host_of_node[question->nodes.items[i]];
        uint32_t s = 0;
        home[i] = SF_NONE;
        if (host == SF_NONE) {
            continue;
        }
        const struct sf_fabric *fabric = paths->network->fabric;
        s = fabric->ports[fabric->ports[paths->network->host_ports[host]].peer]
                .node;
        home[i] = s;
        n_used += !n_on[s];
        first[s] = n_on[s]++ ? first[s] : host;
    }
    question->n_addresses =
        (uint64_t)n_used * question->nodes.n * paths->source.n_addresses >
                MAX_WALKS
            ? 1
            : paths->source.n_addresses;
    for (size_t i = 0; is_done && i < question->nodes.n; i++) {
        for (uint32_t s = 0; home[i] != SF_NONE && s < n_switches; s++) {
            if (n_on[s] && s != home[i]) {
                follow_paths(question, first[s],
                             paths->host_of_node[question->nodes.items[i]],
                             n_on[s]);
            }
        }
    }
    free(home);
    free(first);
    free(n_on);
    return is_done;
}

/* The links of the plan that are right, as a list of neighbours. */
struct links {
    uint32_t n_switches;
    uint32_t *first; /* [n_switches + 1] */
    struct link_end {
        uint32_t to, cable;
        bool from_b;
    } * ends;
    uint32_t *distance, *order; /* [n_switches] */
    double *flow;               /* [n_switches] */
};

static bool
is_link(const struct sf_job_paths *paths, uint32_t cable)
{
    return paths->plan->cables[cable].step != SF_STEP_HOSTS &&
           paths->is_right[cable];
}

static uint32_t
end_of(const struct sf_plan *plan, uint32_t cable, bool is_b)
{
    const struct sf_cable *of = &plan->cables[cable];
    return plan->fabric->ports[is_b ? of->b : of->a].node;
}

static void
clear_links(struct links *links)
{
    free(links->first);
    free(links->ends);
    free(links->distance);
    free(links->order);
    free(links->flow);
}

static bool
make_links(const struct sf_job_paths *paths, struct links *links)
{
    const struct sf_plan *plan = paths->plan;
    uint32_t n = plan->fabric->n_switches;

    *links = (struct links){ .n_switches = n };
    links->first = sf_calloc(n + 2, sizeof *links->first);
    links->ends = sf_calloc(2 * (size_t)plan->n_cables, sizeof *links->ends);
    links->distance = sf_calloc(n, sizeof *links->distance);
    links->order = sf_calloc(n, sizeof *links->order);
    links->flow = sf_calloc(n, sizeof *links->flow);
    if (!links->first || !links->ends || !links->distance || !links->order ||
        !links->flow) {
        clear_links(links);
        return false;
    }
    for (uint32_t i = 0; i < plan->n_cables; i++) {
        for (int side = 0; is_link(paths, i) && side < 2; side++) {
            links->first[end_of(plan, i, side) + 2]++;
        }
    }
    for (uint32_t s = 0; s < n; s++) {
        links->first[s + 2] += links->first[s + 1];
    }
    for (uint32_t i = 0; i < plan->n_cables; i++) {
        for (int side = 0; is_link(paths, i) && side < 2; side++) {
            links->ends[links->first[end_of(plan, i, side) + 1]++] =
                (struct link_end){ end_of(plan, i, !side), i, side };
        }
    }
    return true;
}

/* Distances to 'root', and the switches that reach it from near to far. */
static uint32_t
spread(struct links *links, uint32_t root)
{
    uint32_t n = 1;

    memset(links->distance, 0xff, links->n_switches * sizeof *links->distance);
    links->distance[root] = 0;
    links->order[0] = root;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t s = links->order[i];
        for (uint32_t e = links->first[s]; e < links->first[s + 1]; e++) {
            uint32_t to = links->ends[e].to;
            if (links->distance[to] == SF_NONE) {
                links->distance[to] = links->distance[s] + 1;
                links->order[n++] = to;
            }
        }
    }
    return n;
}

/* Lets what stands at the switches flow towards the root, in equal shares over
 * the links that lead nearer. */
static void
drain(struct question *question, struct links *links, uint32_t n)
{
    for (uint32_t i = n - 1; i > 0; i--) {
        uint32_t s = links->order[i], n_nearer = 0;
        for (uint32_t e = links->first[s]; e < links->first[s + 1]; e++) {
            n_nearer +=
                links->distance[links->ends[e].to] < links->distance[s];
        }
        double share = links->flow[s] / n_nearer;
        for (uint32_t e = links->first[s];
             share > 0 && e < links->first[s + 1]; e++) {
            const struct link_end *end = &links->ends[e];
            if (links->distance[end->to] < links->distance[s]) {
                links->flow[end->to] += share;
                add_load(question, end->cable, end->from_b, share);
            }
        }
    }
}

static bool
load_by_distance(struct question *question)
{
    const struct sf_job_paths *paths = question->paths;
    struct links links;

    if (!make_links(paths, &links)) {
        return false;
    }
    uint32_t *n_on = sf_calloc(links.n_switches, sizeof *n_on);
    for (size_t i = 0; n_on && i < question->nodes.n; i++) {
        uint32_t cable;
        uint32_t s = switch_of(paths, question->nodes.items[i], &cable);
        n_on[s == SF_NONE ? 0 : s] += s != SF_NONE;
    }
    for (uint32_t d = 0; n_on && d < links.n_switches; d++) {
        if (!n_on[d]) {
            continue;
        }
        uint32_t n = spread(&links, d);
        for (uint32_t s = 0; s < links.n_switches; s++) {
            bool is_far = links.distance[s] == SF_NONE;
            question->n_lost += is_far ? (uint64_t)n_on[s] * n_on[d] : 0;
            links.flow[s] = is_far || s == d ? 0 : (double)n_on[s] * n_on[d];
        }
        drain(question, &links, n);
    }
    question->n_addresses = 1;
    bool is_done = n_on != NULL;
    free(n_on);
    clear_links(&links);
    return is_done;
}

static json_t *
make_answer(const struct question *question, const char *failure)
{
    const struct sf_plan *plan = question->paths->plan;
    json_t *nodes = json_array(), *cables = json_array();

    for (size_t i = 0; i < question->nodes.n; i++) {
        json_array_append_new(nodes, json_integer(question->nodes.items[i]));
    }
    for (uint32_t i = 0; i < plan->n_cables; i++) {
        const double *loads = &question->loads[2 * (size_t)i];
        double load = loads[0] > loads[1] ? loads[0] : loads[1];
        if (load > 0) {
            json_array_append_new(cables, json_pack("[i,f]", (int)i, load));
        }
    }
    return json_pack("{s:s, s:i, s:s?, s:s, s:I, s:I, s:o, s:O, s:I, s:o}",
                     "schema", "slimfly.job", "schema_version", 1, "failure",
                     failure, "basis",
                     question->paths->network ? "tables" : "shortest",
                     "n_addresses", (json_int_t)question->n_addresses,
                     "n_lost", (json_int_t)question->n_lost, "nodes", nodes,
                     "unknown", question->unknown, "n_unknown",
                     (json_int_t)question->n_unknown, "cables", cables);
}

char *
sf_job_find(const struct sf_job_paths *paths, const char *nodes)
{
    const struct sf_plan *plan = paths->plan;
    struct question question = { .paths = paths, .unknown = json_array() };
    struct sf_error err = { 0 };
    char *text = NULL;

    question.is_taken =
        sf_calloc(plan->fabric->n_nodes, sizeof *question.is_taken);
    question.loads =
        sf_calloc(2 * (size_t)plan->n_cables, sizeof *question.loads);
    if (question.is_taken && question.loads) {
        enum sf_status status =
            sf_hostlist_read(nodes, take_name, &question, &err);
        bool is_done = true;
        if (status == SF_OK) {
            load_host_cables(&question);
            is_done = paths->network ? load_by_tables(&question)
                                     : load_by_distance(&question);
        }
        json_t *answer =
            is_done ? make_answer(&question, status == SF_OK ? NULL : err.text)
                    : NULL;
        text = answer
                   ? json_dumps(answer, JSON_COMPACT | JSON_REAL_PRECISION(6))
                   : NULL;
        json_decref(answer);
    }
    json_decref(question.unknown);
    free(question.nodes.items);
    free(question.loads);
    free(question.is_taken);
    return text;
}
