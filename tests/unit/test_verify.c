/* test_verify.c -- fabrics broken in every way against their plan.  The
 * oracle applies the moves literally and counts them by union of the two
 * matchings. */
#define _GNU_SOURCE
#include "base/mem.h"
#include "helpers.h"
#include "slimfly/random.h"
#include "slimfly/verify.h"
#include "test.h"

#include <jansson.h>
#include <stdlib.h>

/* A plan and the fabric that stands for what was found. */
struct hall {
    struct sf_plan *plan;
    struct sf_fabric *found;
};

static struct hall
make_hall(const char *spec, uint32_t switch_ports)
{
    struct sf_topology *topo = build("%s", spec);
    struct sf_fabric_params params = { .switch_ports = switch_ports };
    struct sf_error err = { 0 };
    struct hall hall;

    CHECK_FOR(sf_plan_build(topo, &params, NULL, &hall.plan, &err) == SF_OK,
              "%s: %s", spec, err.text);
    CHECK_EQ(sf_fabric_copy(hall.plan->fabric, &hall.found, &err), SF_OK);
    sf_topology_free(topo);
    return hall;
}

static void
free_hall(struct hall *hall)
{
    sf_fabric_free(hall->found);
    sf_plan_free(hall->plan);
}

static struct sf_verification *
verify(const struct hall *hall, const struct sf_verify_params *params)
{
    struct sf_verification *verification = NULL;
    struct sf_error err = { 0 };

    CHECK_FOR(sf_verify(hall->plan, hall->found, params, &verification,
                        &err) == SF_OK,
              "%s", err.text);
    return verification;
}

/* Port 'number' of the node of that name. */
static uint32_t
at(const struct sf_fabric *fabric, const char *name, uint32_t number)
{
    uint32_t node = sf_fabric_find(fabric, name);
    CHECK_FOR(node != SF_NONE, "no node %s", name);
    uint32_t port = sf_fabric_port(fabric, node, number);
    CHECK_FOR(port != SF_NONE, "no port %u on %s", number, name);
    return port;
}

static uint32_t
port_of(const struct sf_fabric *found, const struct sf_end *end)
{
    CHECK(end->found != SF_NONE);
    uint32_t port = sf_fabric_port(found, end->found, end->number);
    CHECK(port != SF_NONE);
    return port;
}

static void
check_free(const struct sf_fabric *found, uint32_t port, uint32_t move)
{
    CHECK_FOR(found->ports[port].peer == SF_NONE,
              "move %u: %s port %u is not free", move,
              found->nodes[found->ports[port].node].name,
              found->ports[port].number);
}

static void
pull(struct sf_fabric *found, uint32_t kept, uint32_t from, uint32_t move)
{
    CHECK_FOR(found->ports[from].peer == kept &&
                  found->ports[kept].peer == from,
              "move %u: the cable is not there", move);
    sf_fabric_unplug(found, from);
}

/* Does what the moves say, in their order. */
static void
apply(const struct sf_verification *verification, struct sf_fabric *found)
{
    for (uint32_t i = 0; i < verification->n_moves; i++) {
        const struct sf_move *move = &verification->moves[i];
        uint32_t kept = port_of(found, &move->kept);
        CHECK_EQ(verification->findings[move->finding].move, i);
        if (move->kind != SF_PLUG) {
            pull(found, kept, port_of(found, &move->from), i);
        }
        if (move->kind != SF_UNPLUG && move->until == i) {
            check_free(found, kept, i);
            check_free(found, port_of(found, &move->to), i);
            sf_fabric_plug(found, kept, port_of(found, &move->to));
        }
        if (move->then != SF_NONE) {
            const struct sf_move *hanging = &verification->moves[move->then];
            CHECK_EQ(hanging->until, i);
            check_free(found, port_of(found, &hanging->to), i);
            check_free(found, port_of(found, &hanging->kept), i);
            sf_fabric_plug(found, port_of(found, &hanging->kept),
                           port_of(found, &hanging->to));
        }
    }
}

/* The smallest number of moves, for a fabric with the numbering of the plan:
 * components by plain union, max(planned, found) for each. */
static uint32_t
root_of(uint32_t *parent, uint32_t port)
{
    while (parent[port] != port) {
        port = parent[port] = parent[parent[port]];
    }
    return port;
}

static uint32_t
least_moves(const struct sf_fabric *planned, const struct sf_fabric *found)
{
    uint32_t n = planned->n_ports, n_moves = 0;
    uint32_t *parent = calloc(n, sizeof *parent);
    uint32_t *n_planned = calloc(n, sizeof *n_planned);
    uint32_t *n_found = calloc(n, sizeof *n_found);
    const struct sf_fabric *both[] = { planned, found };

    CHECK_EQ(found->n_ports, n);
    for (uint32_t i = 0; i < n; i++) {
        parent[i] = i;
    }
    for (int k = 0; k < 2; k++) {
        for (uint32_t i = 0; i < n; i++) {
            if (both[k]->ports[i].peer != SF_NONE) {
                parent[root_of(parent, i)] =
                    root_of(parent, both[k]->ports[i].peer);
            }
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        bool is_right = planned->ports[i].peer == found->ports[i].peer;
        uint32_t root = root_of(parent, i);
        n_planned[root] += !is_right && planned->ports[i].peer != SF_NONE;
        n_found[root] += !is_right && found->ports[i].peer != SF_NONE;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t most = n_planned[i] > n_found[i] ? n_planned[i] : n_found[i];
        n_moves += most / 2; /* Each cable was seen from both ends. */
    }
    free(n_found);
    free(n_planned);
    free(parent);
    return n_moves;
}

/* Applies the moves and verifies again. */
static void
check_mends(const struct sf_verification *verification, struct hall *hall,
            const struct sf_verify_params *params)
{
    apply(verification, hall->found);
    struct sf_verification *after = verify(hall, params);
    CHECK_FOR(after->matches, "%u findings after %u moves", after->n_findings,
              verification->n_moves);
    CHECK_EQ(after->n_moves, 0);
    CHECK_EQ(after->n_right, hall->plan->n_cables);
    sf_verification_free(after);
}

/* Writes both forms, parses the JSON, and counts the lines of the text. */
static uint32_t
check_writes(const struct sf_verification *verification)
{
    char *text = NULL;
    size_t length;
    uint32_t n_lines = 0;
    struct sf_error err = { 0 };

    FILE *stream = open_memstream(&text, &length);
    CHECK_EQ(sf_verification_write_json(verification, NULL, stream, &err),
             SF_OK);
    fclose(stream);
    json_t *root = json_loads(text, 0, NULL);
    CHECK(root != NULL);
    CHECK_STR(json_string_value(json_object_get(root, "schema")),
              "slimfly.verification");
    CHECK_EQ(json_is_true(json_object_get(root, "matches")),
             verification->matches);
    CHECK_EQ(json_array_size(json_object_get(root, "findings")),
             verification->n_findings);
    CHECK_EQ(json_array_size(json_object_get(root, "moves")),
             verification->n_moves);
    json_decref(root);
    free(text);

    stream = open_memstream(&text, &length);
    CHECK_EQ(sf_verification_write_text(verification, stream, &err), SF_OK);
    fclose(stream);
    for (const char *c = text; *c; c++) {
        n_lines += *c == '\n';
        CHECK(*c == '\n' || (*c >= 0x20 && *c <= 0x7e));
    }
    free(text);
    CHECK_EQ(n_lines == 1, verification->matches);
    return n_lines;
}

/* Exactly these numbers of findings, and none besides. */
static void
check_counts(const struct sf_verification *verification,
             uint32_t n_misconnected, uint32_t n_missing,
             uint32_t n_unexpected, uint32_t n_duplicate)
{
    CHECK_EQ(verification->n_by_verdict[SF_VERDICT_MISCONNECTED],
             n_misconnected);
    CHECK_EQ(verification->n_by_verdict[SF_VERDICT_MISSING], n_missing);
    CHECK_EQ(verification->n_by_verdict[SF_VERDICT_UNEXPECTED], n_unexpected);
    CHECK_EQ(verification->n_by_verdict[SF_VERDICT_DUPLICATE], n_duplicate);
    CHECK_EQ(verification->n_findings,
             n_misconnected + n_missing + n_unexpected + n_duplicate);
    CHECK_EQ(verification->n_moves, verification->n_findings);
}

static void
unplug(struct sf_fabric *found, const char *name, uint32_t number)
{
    sf_fabric_unplug(found, at(found, name, number));
}

/* Exchanges what is plugged into n ports, round: the other end of each stays
 * where it is. */
static void
rotate(struct sf_fabric *found, const uint32_t *ports, uint32_t n)
{
    uint32_t others[8];

    for (uint32_t i = 0; i < n; i++) {
        others[i] = found->ports[ports[i]].peer;
        sf_fabric_unplug(found, ports[i]);
    }
    for (uint32_t i = 0; i < n; i++) {
        sf_fabric_plug(found, others[i], ports[(i + 1) % n]);
    }
}

TEST(verify_says_one_line_when_all_is_right)
{
    struct hall hall = make_hall("sf:q=5", 36);
    struct sf_verification *verification = verify(&hall, NULL);
    char *text = NULL;
    size_t length;

    CHECK(verification->matches);
    CHECK_EQ(verification->n_right, 375);
    CHECK_EQ(verification->n_guessed, 0);
    CHECK_EQ(check_writes(verification), 1);
    sf_verification_free(verification);

    struct sf_verify_params params = { .sources = SF_IDENTITY_NAME };
    verification = verify(&hall, &params);
    FILE *stream = open_memstream(&text, &length);
    sf_verification_write_text(verification, stream, NULL);
    fclose(stream);
    CHECK_STR(text, "OK: all 375 cables and 250 nodes are as planned "
                    "(identified by name).\n");
    free(text);
    sf_verification_free(verification);
    free_hall(&hall);
}

TEST(verify_missing_cable)
{
    struct hall hall = make_hall("sf:q=5", 0);
    unplug(hall.found, "sf-0-0-1", 8);
    struct sf_verification *verification = verify(&hall, NULL);
    check_counts(verification, 0, 1, 0, 0);
    CHECK_EQ(verification->moves[0].kind, SF_PLUG);
    CHECK_EQ(verification->n_right, 374);
    const struct sf_finding *finding = &verification->findings[0];
    CHECK_STR(sf_verification_name(verification, &finding->planned[0]),
              "sf-0-0-1");
    CHECK_EQ(finding->planned[0].number, 8);
    CHECK(!sf_end_exists(&finding->found[0]));
    check_writes(verification);
    check_mends(verification, &hall, NULL);
    sf_verification_free(verification);
    free_hall(&hall);
}

/* An end in a spare port of another switch: one move brings it back. */
TEST(verify_end_in_a_spare_port)
{
    struct hall hall = make_hall("sf:q=5", 36);
    uint32_t kept = at(hall.found, "sf-0-0-1", 8);
    uint32_t right = hall.found->ports[kept].peer;
    sf_fabric_unplug(hall.found, kept);
    sf_fabric_plug(hall.found, kept, at(hall.found, "sf-1-4-4", 20));
    struct sf_verification *verification = verify(&hall, NULL);
    check_counts(verification, 1, 0, 0, 0);
    CHECK_EQ(verification->moves[0].kind, SF_MOVE);
    CHECK_EQ(port_of(hall.found, &verification->moves[0].kept), kept);
    CHECK_EQ(port_of(hall.found, &verification->moves[0].to), right);
    CHECK_STR(sf_verification_name(verification, &verification->moves[0].from),
              "sf-1-4-4");
    CHECK_EQ(verification->moves[0].from.number, 20);
    check_writes(verification);
    check_mends(verification, &hall, NULL);
    sf_verification_free(verification);
    free_hall(&hall);
}

/* Half plugged: the hanging end is not to be seen, so it is missing; if
 * somebody put another cable's end there, that one is to be moved. */
TEST(verify_half_plugged_and_its_port_taken)
{
    struct hall hall = make_hall("sf:q=5", 0);
    uint32_t a = at(hall.found, "sf-0-0-1", 8), b = hall.found->ports[a].peer;
    uint32_t c = at(hall.found, "sf-0-0-1", 9), d = hall.found->ports[c].peer;
    sf_fabric_unplug(hall.found, a);
    sf_fabric_unplug(hall.found, c);
    sf_fabric_plug(hall.found, b, c);
    struct sf_verification *verification = verify(&hall, NULL);
    check_counts(verification, 1, 1, 0, 0);
    CHECK_EQ(verification->moves[1].kind, SF_PLUG);
    /* On one switch: rather from c to a than from b to d. */
    CHECK_EQ(port_of(hall.found, &verification->moves[0].from), c);
    CHECK_EQ(port_of(hall.found, &verification->moves[0].to), a);
    CHECK_EQ(port_of(hall.found, &verification->moves[1].to), d);
    check_mends(verification, &hall, NULL);
    sf_verification_free(verification);
    free_hall(&hall);
}

TEST(verify_doubled_and_unexpected_cables)
{
    struct hall hall = make_hall("sf:q=5", 36);
    const struct sf_fabric *planned = hall.plan->fabric;
    uint32_t a = at(planned, "sf-0-0-1", 8);
    uint32_t b = planned->ports[a].peer;
    const char *name = planned->nodes[planned->ports[b].node].name;
    sf_fabric_plug(hall.found, at(hall.found, "sf-0-0-1", 30),
                   at(hall.found, name, 31));
    /* A switch to itself is of no use to anybody. */
    sf_fabric_plug(hall.found, at(hall.found, "sf-0-0-1", 32),
                   at(hall.found, "sf-0-0-1", 33));
    struct sf_verification *verification = verify(&hall, NULL);
    check_counts(verification, 0, 0, 1, 1);
    CHECK_EQ(verification->moves[0].kind, SF_UNPLUG);
    CHECK_EQ(verification->n_right, 375);
    check_writes(verification);
    check_mends(verification, &hall, NULL);
    sf_verification_free(verification);
    free_hall(&hall);
}

TEST(verify_swaps_and_rotations)
{
    static const char *const specs[] = { "sf:q=5", "ft2:leaf=12,core=6,up=3" };

    for (size_t k = 0; k < ARRAY_SIZE(specs); k++) {
        for (uint32_t n = 2; n <= 6; n++) {
            struct hall hall = make_hall(specs[k], 0);
            const struct sf_plan *plan = hall.plan;
            uint32_t ports[6];
            /* Cables between racks, far from each other. */
            for (uint32_t i = 0; i < n; i++) {
                ports[i] = plan->cables[plan->n_cables - 1 - 9 * i].a;
            }
            rotate(hall.found, ports, n);
            struct sf_verification *verification = verify(&hall, NULL);
            check_counts(verification, n, 0, 0, 0);
            CHECK_EQ(verification->moves[0].until, n - 1);
            for (uint32_t i = 0; i < n; i++) {
                CHECK_EQ(verification->moves[i].kind, SF_MOVE);
                CHECK(i == 0 || verification->moves[i].until == i);
                CHECK_EQ(verification->moves[i].then,
                         i == n - 1 ? 0 : SF_NONE);
            }
            check_writes(verification);
            check_mends(verification, &hall, NULL);
            sf_verification_free(verification);
            free_hall(&hall);
        }
    }
}

/* Of the two ways round a cycle, the one that stays on one switch. */
TEST(verify_prefers_moves_on_one_switch)
{
    struct hall hall = make_hall("sf:q=5", 0);
    uint32_t ports[] = { at(hall.found, "sf-1-2-3", 8),
                         at(hall.found, "sf-1-2-3", 9) };
    rotate(hall.found, ports, 2);
    struct sf_verification *verification = verify(&hall, NULL);
    CHECK_EQ(verification->n_moves, 2);
    for (uint32_t i = 0; i < 2; i++) {
        CHECK_EQ(verification->moves[i].from.node,
                 verification->moves[i].to.node);
    }
    sf_verification_free(verification);
    free_hall(&hall);
}

TEST(verify_different_rate)
{
    struct hall hall = make_hall("sf:q=5", 0);
    struct sf_verify_params params = { .ignores_rates = true };
    uint32_t port = at(hall.found, "sf-0-3-1", 9);
    strcpy(hall.found->ports[port].rate, "4xSDR");
    /* What is not known is not different. */
    strcpy(hall.found->ports[at(hall.found, "sf-0-3-1", 7)].rate, "");
    struct sf_verification *verification = verify(&hall, NULL);
    CHECK_EQ(verification->n_findings, 1);
    CHECK_EQ(verification->findings[0].verdict, SF_VERDICT_DIFFERENT);
    CHECK_EQ(verification->n_moves, 0);
    CHECK_EQ(verification->n_right, 375);
    CHECK(!verification->matches);
    check_writes(verification);
    sf_verification_free(verification);
    verification = verify(&hall, &params);
    CHECK(verification->matches);
    sf_verification_free(verification);

    for (uint32_t i = 0; i < hall.found->n_ports; i++) {
        strcpy(hall.found->ports[i].rate, "4xSDR");
    }
    verification = verify(&hall, NULL);
    CHECK_EQ(verification->n_by_verdict[SF_VERDICT_DIFFERENT], 375);
    CHECK(check_writes(verification) < 20);
    sf_verification_free(verification);
    free_hall(&hall);
}

/* How a fabric found differs from the plan's in form. */
enum {
    NO_SWITCH_NAMES = 1 << 0,
    NO_HOST_NAMES = 1 << 1,
    NO_GUIDS = 1 << 2,
    HCA_NAMES = 1 << 3,
    SHUFFLED = 1 << 4,
    NO_NAMES = NO_SWITCH_NAMES | NO_HOST_NAMES,
};

/* Replaces the fabric found by the same in another form, without the nodes
 * 'lost' (a list of numbers). */
static void
reform(struct hall *hall, unsigned form, const uint32_t *lost, uint32_t n_lost,
       uint64_t seed)
{
    const struct sf_fabric *old = hall->found;
    struct sf_fabric_builder *builder;
    struct sf_fabric *made;
    struct sf_random random;
    uint32_t *order = calloc(old->n_nodes + 1, sizeof *order);
    uint32_t *new_of = calloc(old->n_nodes + 1, sizeof *new_of);

    sf_random_init(&random, seed, 7);
    CHECK_EQ(sf_fabric_builder_new(NULL, &builder, NULL), SF_OK);
    for (uint32_t i = 0; i < old->n_nodes; i++) {
        order[i] = i;
    }
    if (form & SHUFFLED) {
        sf_random_shuffle(&random, order, old->n_nodes);
    }
    for (uint32_t k = 0; k < old->n_nodes; k++) {
        uint32_t i = order[k];
        struct sf_node node = old->nodes[i];
        bool is_switch = node.kind == SF_NODE_SWITCH;
        char name[SF_MAX_NAME + 16];
        bool is_lost = false;
        for (uint32_t j = 0; j < n_lost; j++) {
            is_lost |= lost[j] == i;
        }
        new_of[i] = SF_NONE;
        if (is_lost) {
            continue;
        }
        snprintf(name, sizeof name, "%s", node.name);
        if (form & (is_switch ? NO_SWITCH_NAMES : NO_HOST_NAMES)) {
            snprintf(name, sizeof name, "%s",
                     is_switch ? "Infiniscale-IV Mellanox" : "localhost mlx5");
        } else if (form & HCA_NAMES) {
            snprintf(name, sizeof name,
                     is_switch ? "MF0;%s:SB7800/U1" : "%s HCA-1", node.name);
        }
        node.name = name;
        node.guid = form & NO_GUIDS ? sf_random_next(&random) : node.guid;
        new_of[i] = sf_fabric_builder_node(builder, &node);
    }
    for (uint32_t i = 0; i < old->n_ports; i++) {
        const struct sf_port *port = &old->ports[i];
        if (new_of[port->node] == SF_NONE) {
            continue;
        }
        struct sf_port *copy =
            sf_fabric_builder_port(builder, new_of[port->node], port->number);
        memcpy(copy->rate, port->rate, sizeof copy->rate);
        if (port->peer != SF_NONE) {
            const struct sf_port *peer = &old->ports[port->peer];
            if (new_of[peer->node] != SF_NONE) {
                CHECK(sf_fabric_builder_cable(builder, new_of[port->node],
                                              port->number, new_of[peer->node],
                                              peer->number));
            }
        }
    }
    CHECK_EQ(sf_fabric_builder_end(builder, &made, NULL), SF_OK);
    sf_fabric_free(hall->found);
    hall->found = made;
    free(new_of);
    free(order);
}

TEST(verify_dead_host_and_dead_switch)
{
    struct hall hall = make_hall("sf:q=5", 0);
    uint32_t host = sf_fabric_find(hall.found, "node0017");
    reform(&hall, 0, &host, 1, 1);
    struct sf_verification *verification = verify(&hall, NULL);
    CHECK_EQ(verification->n_by_verdict[SF_VERDICT_MISSING_HOST], 1);
    CHECK_EQ(verification->n_by_verdict[SF_VERDICT_MISSING], 1);
    CHECK_EQ(verification->n_findings, 2);
    /* The cable may be all that is wrong: look at it. */
    CHECK_EQ(verification->n_moves, 1);
    CHECK_EQ(verification->moves[0].kind, SF_PLUG);
    CHECK_EQ(verification->findings[0].verdict, SF_VERDICT_MISSING_HOST);
    CHECK_EQ(verification->findings[0].move, 0);
    CHECK_EQ(verification->findings[1].cause, 0);
    CHECK_STR(sf_verification_name(verification, &verification->moves[0].to),
              "node0017");
    check_writes(verification);
    sf_verification_free(verification);
    free_hall(&hall);

    /* A switch takes its hosts along, or does not. */
    for (uint32_t n_lost = 1; n_lost <= 5; n_lost += 4) {
        hall = make_hall("sf:q=5", 0);
        uint32_t dead = sf_fabric_find(hall.found, "sf-1-2-3");
        uint32_t lost[5] = { dead };
        for (uint32_t i = 1; i < 5; i++) {
            uint32_t peer =
                hall.found->ports[at(hall.found, "sf-1-2-3", i)].peer;
            lost[i] = hall.found->ports[peer].node;
        }
        reform(&hall, SHUFFLED, lost, n_lost, 2);
        verification = verify(&hall, NULL);
        CHECK_EQ(verification->n_by_verdict[SF_VERDICT_MISSING_SWITCH], 1);
        CHECK_EQ(verification->n_by_verdict[SF_VERDICT_MISSING_HOST],
                 n_lost - 1);
        CHECK_EQ(verification->n_by_verdict[SF_VERDICT_MISSING], 11);
        CHECK_EQ(verification->n_moves, 0);
        CHECK_EQ(verification->n_right, 364);
        for (uint32_t i = 1; i < verification->n_findings; i++) {
            CHECK_EQ(verification->findings[i].cause, 0);
        }
        CHECK_EQ(verification->findings[0].planned[0].node, dead);
        CHECK_EQ(check_writes(verification), 8);
        sf_verification_free(verification);
        free_hall(&hall);
    }
}

/* Plugs everything of one switch into the same ports of another. */
static void
exchange(struct sf_fabric *found, uint32_t a, uint32_t b)
{
    for (uint32_t i = 1; i <= found->nodes[a].n_ports; i++) {
        uint32_t ports[] = { sf_fabric_port(found, a, i),
                             sf_fabric_port(found, b, i) };
        uint32_t x = found->ports[ports[0]].peer;
        uint32_t y = found->ports[ports[1]].peer;
        if (x != SF_NONE && y != SF_NONE && x != ports[1]) {
            rotate(found, ports, 2);
        }
    }
}

TEST(verify_two_switches_exchanged)
{
    static const char *const pairs[][2] = { { "sf-0-0-1", "sf-1-3-2" },
                                            { "sf-0-0-0", "sf-0-0-1" },
                                            { "sf-0-0-0", "sf-1-0-0" } };

    for (size_t k = 0; k < ARRAY_SIZE(pairs); k++) {
        struct hall hall = make_hall("sf:q=5", 0);
        uint32_t a = sf_fabric_find(hall.found, pairs[k][0]);
        uint32_t b = sf_fabric_find(hall.found, pairs[k][1]);
        exchange(hall.found, a, b);
        /* And one cable elsewhere is missing. */
        unplug(hall.found, "sf-1-4-4", 6);
        struct sf_verification *verification = verify(&hall, NULL);
        uint32_t least = least_moves(hall.plan->fabric, hall.found);
        CHECK_EQ(verification->n_moves, least);
        CHECK_EQ(verification->n_by_verdict[SF_VERDICT_EXCHANGED], 1);
        CHECK_EQ(verification->findings[0].verdict, SF_VERDICT_EXCHANGED);
        CHECK_EQ(verification->findings[0].planned[0].node, a);
        CHECK_EQ(verification->findings[0].planned[1].node, b);
        CHECK_EQ(verification->moves[0].kind, SF_PLUG);
        for (uint32_t i = 2; i < verification->n_findings; i++) {
            CHECK_EQ(verification->findings[i].cause, 0);
        }
        /* Which is right whether or not they are exchanged. */
        CHECK_EQ(verification->n_moves_besides, 1);
        CHECK(check_writes(verification) < least + 18);
        check_mends(verification, &hall, NULL);
        sf_verification_free(verification);
        free_hall(&hall);
    }
}

/* By structure the switches are what their cables make them. */
TEST(verify_exchanged_without_names_is_right)
{
    struct hall hall = make_hall("sf:q=5", 0);
    exchange(hall.found, 3, 40);
    reform(&hall, NO_SWITCH_NAMES | NO_GUIDS | SHUFFLED, NULL, 0, 3);
    struct sf_verification *verification = verify(&hall, NULL);
    CHECK(verification->matches);
    CHECK_EQ(verification->n_by_source[3], 50);
    CHECK_EQ(verification->n_guessed, 0);
    check_writes(verification);
    sf_verification_free(verification);
    free_hall(&hall);
}

/* Adds a switch (or host) that is not in the plan; returns its number. */
static uint32_t
add_stranger(struct hall *hall, enum sf_node_kind kind)
{
    struct sf_fabric *old = hall->found;
    struct sf_fabric_builder *builder;

    CHECK_EQ(sf_fabric_builder_new(NULL, &builder, NULL), SF_OK);
    for (uint32_t i = 0; i < old->n_nodes; i++) {
        sf_fabric_builder_node(builder, &old->nodes[i]);
    }
    char name[] = "bad\x1b[2Jname";
    struct sf_node node = { .kind = kind,
                            .name = name,
                            .guid = 0x1234,
                            .n_ports = 8,
                            .origin = SF_NONE,
                            .rack = SF_NONE,
                            .unit = SF_NONE };
    sf_fabric_builder_node(builder, &node);
    for (uint32_t i = 0; i < old->n_ports; i++) {
        if (old->ports[i].peer != SF_NONE) {
            const struct sf_port *peer = &old->ports[old->ports[i].peer];
            sf_fabric_builder_cable(builder, old->ports[i].node,
                                    old->ports[i].number, peer->node,
                                    peer->number);
        }
    }
    CHECK_EQ(sf_fabric_builder_end(builder, &hall->found, NULL), SF_OK);
    sf_fabric_free(old);
    return sf_fabric_find(hall->found, name);
}

TEST(verify_foreign_switch)
{
    struct hall hall = make_hall("sf:q=5", 36);
    uint32_t stranger = add_stranger(&hall, SF_NODE_SWITCH);
    struct sf_fabric *found = hall.found;
    /* In a spare port: to be removed; in a planned one: to be moved. */
    sf_fabric_plug(found, at(found, "sf-0-0-0", 20),
                   sf_fabric_port(found, stranger, 1));
    uint32_t a = at(found, "sf-1-1-1", 9), b = found->ports[a].peer;
    sf_fabric_unplug(found, a);
    sf_fabric_plug(found, a, sf_fabric_port(found, stranger, 2));
    struct sf_verification *verification = verify(&hall, NULL);
    CHECK_EQ(verification->n_by_verdict[SF_VERDICT_UNKNOWN_SWITCH], 1);
    CHECK_EQ(verification->n_by_verdict[SF_VERDICT_UNEXPECTED], 1);
    CHECK_EQ(verification->n_by_verdict[SF_VERDICT_MISCONNECTED], 1);
    CHECK_EQ(verification->n_findings, 3);
    CHECK_EQ(verification->n_moves, 2);
    for (uint32_t i = 0; i < 2; i++) {
        if (verification->moves[i].kind == SF_MOVE) {
            CHECK_EQ(port_of(found, &verification->moves[i].to), b);
            CHECK_EQ(verification->moves[i].from.found, stranger);
            CHECK_EQ(verification->moves[i].from.node, SF_NONE);
        }
    }
    check_writes(verification);
    check_mends(verification, &hall, NULL);
    sf_verification_free(verification);
    free_hall(&hall);
}

TEST(verify_foreign_host)
{
    struct hall hall = make_hall("sf:q=5", 36);
    uint32_t stranger = add_stranger(&hall, SF_NODE_HOST);
    struct sf_fabric *found = hall.found;
    sf_fabric_plug(found, at(found, "sf-0-0-0", 20),
                   sf_fabric_port(found, stranger, 1));
    struct sf_verification *verification = verify(&hall, NULL);
    CHECK_EQ(verification->n_by_verdict[SF_VERDICT_UNKNOWN_HOST], 1);
    CHECK_EQ(verification->n_by_verdict[SF_VERDICT_UNEXPECTED], 1);
    CHECK_EQ(verification->n_findings, 2);
    check_writes(verification);
    check_mends(verification, &hall, NULL);
    sf_verification_free(verification);
    free_hall(&hall);
}

TEST(verify_name_that_contradicts_the_guid)
{
    struct hall hall = make_hall("sf:q=4", 0);
    char *name = hall.found->nodes[2].name;
    hall.found->nodes[2].name = hall.found->nodes[7].name;
    hall.found->nodes[7].name = name;
    struct sf_verification *verification = verify(&hall, NULL);
    CHECK_EQ(verification->n_findings, 2);
    CHECK_EQ(verification->n_by_verdict[SF_VERDICT_MISNAMED], 2);
    CHECK_EQ(verification->findings[0].planned[0].node, 2);
    CHECK_EQ(verification->findings[0].planned[1].node, 7);
    CHECK_EQ(verification->n_moves, 0);
    check_writes(verification);
    sf_verification_free(verification);

    /* By name alone they have changed places. */
    struct sf_verify_params params = { .sources = SF_IDENTITY_NAME };
    verification = verify(&hall, &params);
    CHECK_EQ(verification->n_by_verdict[SF_VERDICT_EXCHANGED], 1);
    sf_verification_free(verification);
    free_hall(&hall);
}

TEST(verify_by_guid_map)
{
    struct hall hall = make_hall("sf:q=4", 0);
    struct sf_guid_map *map;
    struct sf_error err = { 0 };
    char *text = NULL;
    size_t length;

    reform(&hall, NO_NAMES | NO_GUIDS, NULL, 0, 5);
    FILE *stream = open_memstream(&text, &length);
    fputs("# Made by hand.\n\n", stream);
    for (uint32_t i = hall.found->n_nodes; i-- > 0;) {
        fprintf(stream, "0x%016llx\t\"%s%s\" # node %u\r\n",
                (unsigned long long)hall.found->nodes[i].guid,
                hall.plan->fabric->nodes[i].name,
                i < hall.found->n_switches ? "" : " HCA-1", i);
    }
    fclose(stream);
    CHECK_FOR(sf_guid_map_parse(text, "map", &map, &err) == SF_OK, "%s",
              err.text);
    CHECK_EQ(map->n_entries, hall.found->n_nodes);
    struct sf_verify_params params = { .map = map };
    struct sf_verification *verification = verify(&hall, &params);
    CHECK(verification->matches);
    CHECK_EQ(verification->n_by_source[0], hall.found->n_nodes);
    for (uint32_t i = 0; i < hall.found->n_nodes; i++) {
        CHECK_EQ(verification->identities[i].node, i);
    }
    sf_verification_free(verification);
    sf_guid_map_free(map);
    free(text);
    free_hall(&hall);
}

TEST(verify_guid_map_refusals)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        { "0x1 \"a\"\nfoo\n", "m:2: expected 0xGUID" },
        { "0x12345678901234567 \"a\"\n", "m:1: expected 0xGUID" },
        { "0x \"a\"\n", "m:1: expected 0xGUID" },
        { "0x1\"a\"\n", "m:1: expected 0xGUID" },
        { "# c\n0x1 \"a\n", "m:2: expected a quote" },
        { "0x1 \"\"\n", "m:1: expected a name" },
        { "0x1 ", "m:1: expected a name" },
        { "0x1 a b\n", "m:1: expected nothing" },
        { "0x1 a\n0x2 b\n0x01 c\n", "m: expected each GUID once" },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sf_guid_map *map = UNSET(struct sf_guid_map);
        struct sf_error err = { 0 };
        CHECK_EQ(sf_guid_map_parse(cases[i].text, "m", &map, &err), SF_EPARSE);
        CHECK(map == NULL);
        CHECK_FOR(
            !strncmp(err.text, cases[i].message, strlen(cases[i].message)),
            "%s: %s", cases[i].text, err.text);
    }

    struct sf_guid_map *map;
    struct temporary file = temporary_write("0xABCdef name # why\n");
    CHECK_EQ(sf_guid_map_load(file.name, &map, NULL), SF_OK);
    CHECK_EQ(map->n_entries, 1);
    CHECK_EQ(map->entries[0].guid, 0xabcdef);
    CHECK_STR(map->entries[0].name, "name");
    sf_guid_map_free(map);
    temporary_remove(&file);
    CHECK_EQ(sf_guid_map_load(file.name, &map, NULL), SF_EIO);
    CHECK(map == NULL);
    CHECK_EQ(sf_guid_map_parse("", "m", &map, NULL), SF_OK);
    CHECK_EQ(map->n_entries, 0);
    sf_guid_map_free(map);
    sf_guid_map_free(NULL);
}

TEST(verify_finds_names_in_descriptions)
{
    struct hall hall = make_hall("sf:q=5", 0);
    reform(&hall, HCA_NAMES | NO_GUIDS | SHUFFLED, NULL, 0, 6);
    struct sf_verification *verification = verify(&hall, NULL);
    CHECK(verification->matches);
    CHECK_EQ(verification->n_by_source[2], 250);
    sf_verification_free(verification);

    /* A name that two bear counts for neither. */
    free(hall.found->nodes[7].name);
    hall.found->nodes[7].name = sf_strdup(hall.found->nodes[9].name);
    verification = verify(&hall, NULL);
    CHECK(verification->matches);
    CHECK_EQ(verification->n_by_source[2], 248);
    CHECK_EQ(verification->n_by_source[3], 2); /* By their hosts. */
    sf_verification_free(verification);
    free_hall(&hall);
}

/* A random free port of a switch, or SF_NONE after many tries. */
static uint32_t
random_port(const struct sf_fabric *found, struct sf_random *random,
            bool is_plugged, bool only_switches)
{
    for (int i = 0; i < 1000; i++) {
        uint32_t port = sf_random_below(random, found->n_ports);
        uint32_t peer = found->ports[port].peer;
        bool is_host =
            found->ports[port].node >= found->n_switches ||
            (peer != SF_NONE && found->ports[peer].node >= found->n_switches);
        if ((peer != SF_NONE) == is_plugged && !(only_switches && is_host)) {
            return port;
        }
    }
    return SF_NONE;
}

/* One random fault. */
static void
break_once(struct sf_fabric *found, struct sf_random *random,
           bool only_switches)
{
    uint32_t ports[6], n = 0;
    uint32_t n_wanted = 2 + sf_random_below(random, 5);
    uint32_t kind = sf_random_below(random, 5);
    uint32_t a = random_port(found, random, true, only_switches);
    uint32_t b = random_port(found, random, false, only_switches);

    switch (kind) {
    case 0: /* Missing. */
        if (a != SF_NONE) {
            sf_fabric_unplug(found, a);
        }
        break;
    case 1: /* An end elsewhere. */
        if (a != SF_NONE && b != SF_NONE) {
            uint32_t kept = found->ports[a].peer;
            sf_fabric_unplug(found, a);
            sf_fabric_plug(found, kept, b);
        }
        break;
    case 2: /* One more. */
        a = random_port(found, random, false, only_switches);
        if (a != SF_NONE && b != SF_NONE && a != b) {
            sf_fabric_plug(found, a, b);
        }
        break;
    default: /* Two to six ends rotated. */
        for (int i = 0; i < 50 && n < n_wanted; i++) {
            a = random_port(found, random, true, only_switches);
            bool is_usable = a != SF_NONE;
            for (uint32_t j = 0; j < n; j++) {
                is_usable &= ports[j] != a && found->ports[a].peer != ports[j];
            }
            if (is_usable) {
                ports[n++] = a;
            }
        }
        if (n > 1) {
            rotate(found, ports, n);
        }
    }
}

/* Each cable that is wrong is named once as found, each that is not in place
 * once as planned, and no other. */
static void
check_findings(const struct sf_verification *verification)
{
    const struct sf_fabric *planned = verification->plan->fabric,
                           *found = verification->found;
    uint8_t *n_planned = calloc(planned->n_ports, 1);
    uint8_t *n_found = calloc(planned->n_ports, 1);

    for (uint32_t i = 0; i < verification->n_findings; i++) {
        const struct sf_finding *finding = &verification->findings[i];
        if (finding->verdict == SF_VERDICT_EXCHANGED) {
            continue;
        }
        for (int j = 0; j < 2; j++) {
            const struct sf_end *a = &finding->planned[j];
            const struct sf_end *b = &finding->found[j];
            if (sf_end_exists(a)) {
                n_planned[sf_fabric_port(planned, a->node, a->number)]++;
            }
            if (sf_end_exists(b)) {
                n_found[sf_fabric_port(found, b->found, b->number)]++;
            }
        }
    }
    for (uint32_t i = 0; i < planned->n_ports; i++) {
        uint32_t should = planned->ports[i].peer, peer = found->ports[i].peer;
        CHECK_EQ(n_planned[i], should != SF_NONE && should != peer);
        CHECK_EQ(n_found[i], peer != SF_NONE && should != peer);
    }
    free(n_found);
    free(n_planned);
}

static const struct {
    const char *spec;
    uint32_t switch_ports;
} random_cases[] = {
    { "sf:q=4", 12 },         { "sf:q=5", 0 },
    { "sf:q=5", 16 },         { "sf:q=7", 20 },
    { "sf:q=9", 24 },         { "ft2:leaf=12,core=6,up=3", 40 },
    { "df:a=4,h=2,p=2", 10 }, { "df:a=4,h=2,p=2", 0 },
};

TEST(verify_random_faults_are_mended_with_the_fewest_moves)
{
    struct sf_verify_params by_name = { .sources = SF_IDENTITY_NAME };
    uint32_t n_sets = 0;

    for (size_t k = 0; k < ARRAY_SIZE(random_cases); k++) {
        struct hall hall =
            make_hall(random_cases[k].spec, random_cases[k].switch_ports);
        for (uint64_t seed = 0; seed < 80; seed++, n_sets++) {
            struct sf_random random;
            sf_random_init(&random, seed, k);
            uint32_t n_faults = 1 + sf_random_below(&random, 12);
            /* A plan is a thorough mess every now and then. */
            n_faults = seed % 20 == 19 ? 200 : n_faults;
            for (uint32_t i = 0; i < n_faults; i++) {
                break_once(hall.found, &random, false);
            }
            struct sf_verification *verification =
                verify(&hall, seed % 2 ? &by_name : NULL);
            uint32_t least = least_moves(hall.plan->fabric, hall.found);
            CHECK_FOR(verification->n_moves == least,
                      "%s seed %u: %u moves, %u would do",
                      random_cases[k].spec, (unsigned)seed,
                      verification->n_moves, least);
            CHECK_EQ(verification->n_moves,
                     verification->n_findings -
                         verification->n_by_verdict[SF_VERDICT_EXCHANGED]);
            check_findings(verification);
            check_writes(verification);
            check_mends(verification, &hall, NULL);
            sf_verification_free(verification);
        }
        free_hall(&hall);
    }
    CHECK(n_sets >= 500);
}

/* The port that 'port' becomes when switches a and b change places. */
static uint32_t
exchanged(const struct sf_fabric *found, uint32_t a, uint32_t b, uint32_t port)
{
    uint32_t node = found->ports[port].node;
    uint32_t other = node == a ? b : node == b ? a : node;
    return sf_fabric_port(found, other, found->ports[port].number);
}

/* Carries each of two switches of the same size to the place of the other,
 * where all cables go into the same ports. */
static void
carry(struct sf_fabric *found, uint32_t a, uint32_t b)
{
    uint32_t n_ports = found->nodes[a].n_ports, n = 0;
    uint32_t cables[128][2];

    for (uint32_t i = 0; i < 2 * n_ports; i++) {
        uint32_t port = sf_fabric_port(found, i % 2 ? a : b, i / 2 + 1);
        uint32_t peer = found->ports[port].peer;
        if (peer != SF_NONE) {
            cables[n][0] = exchanged(found, a, b, port);
            cables[n++][1] = exchanged(found, a, b, peer);
            sf_fabric_unplug(found, port);
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        sf_fabric_plug(found, cables[i][0], cables[i][1]);
    }
}

/* Whether or not the other moves, which are for those who do not exchange
 * anything, could be done as well. */
TEST(verify_an_exchange_and_the_moves_besides_mend_the_fabric)
{
    uint32_t n_alone = 0, n_untold = 0;

    for (uint64_t seed = 0; seed < 60; seed++) {
        struct hall hall = make_hall("sf:q=5", 0);
        struct sf_random random;
        uint32_t a = 3, b = 40, n_tangled = 0;
        sf_random_init(&random, seed, 700);
        carry(hall.found, a, b);
        for (uint32_t i = 0; i < 1 + seed % 4; i++) {
            break_once(hall.found, &random, false);
        }
        struct sf_verification *verification = verify(&hall, NULL);
        /* So many faults may hit one switch that it cannot be told. */
        if (verification->n_by_verdict[SF_VERDICT_EXCHANGED] == 0) {
            n_untold++;
            sf_verification_free(verification);
            free_hall(&hall);
            continue;
        }
        for (uint32_t i = 0; i < verification->n_moves; i++) {
            const struct sf_move *move = &verification->moves[i];
            bool is_besides = i < verification->n_moves_besides;
            bool is_explained =
                verification->findings[move->finding].cause == 0;
            CHECK(!is_explained || !is_besides);
            n_tangled += !is_explained && !is_besides;
        }
        check_writes(verification);
        struct sf_verification first = *verification;
        first.n_moves = verification->n_moves_besides;
        apply(&first, hall.found);
        carry(hall.found, a, b);
        struct sf_verification *after = verify(&hall, NULL);
        CHECK_EQ(after->matches, n_tangled == 0);
        CHECK(after->n_moves <= 2 * n_tangled);
        n_alone += n_tangled == 0;
        sf_verification_free(after);
        sf_verification_free(verification);
        free_hall(&hall);
    }
    CHECK(n_untold < 5);
    CHECK(n_alone > 10 && n_alone < 50); /* Both happen. */
}

/* What discovery sees of a fabric from node 0: what it can reach. */
static struct hall
discover(const struct hall *hall)
{
    const struct sf_fabric *fabric = hall->found;
    uint32_t *queue = calloc(fabric->n_nodes, sizeof *queue);
    bool *is_seen = calloc(fabric->n_nodes, sizeof *is_seen);
    uint32_t n_queued = 1, n_lost = 0;
    struct hall view = { .plan = hall->plan };

    is_seen[0] = true;
    for (uint32_t i = 0; i < n_queued; i++) {
        const struct sf_node *node = &fabric->nodes[queue[i]];
        for (uint32_t j = 0; j < node->n_ports; j++) {
            uint32_t peer = fabric->ports[node->first_port + j].peer;
            uint32_t next =
                peer == SF_NONE ? queue[i] : fabric->ports[peer].node;
            if (!is_seen[next]) {
                is_seen[next] = true;
                queue[n_queued++] = next;
            }
        }
    }
    for (uint32_t i = 0; i < fabric->n_nodes; i++) {
        if (!is_seen[i]) {
            queue[n_lost++] = i;
        }
    }
    CHECK_EQ(sf_fabric_copy(fabric, &view.found, NULL), SF_OK);
    reform(&view, SHUFFLED, queue, n_lost, 1);
    free(is_seen);
    free(queue);
    return view;
}

/* Whether two hosts are cabled to each other, where nobody can see them. */
static bool
has_host_pair(const struct sf_fabric *fabric)
{
    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        uint32_t peer = fabric->ports[i].peer;
        if (peer != SF_NONE && fabric->ports[i].node >= fabric->n_switches &&
            fabric->ports[peer].node >= fabric->n_switches) {
            return true;
        }
    }
    return false;
}

/* Hosts whose only cable is out are not discovered, yet the moves bring them
 * back: done blindly, by the names and ports that they give. */
TEST(verify_moves_mend_what_discovery_cannot_see)
{
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct hall hall = make_hall("sf:q=5", seed % 2 ? 0 : 16);
        struct sf_random random;
        sf_random_init(&random, seed, 500);
        for (uint32_t i = 0; i < 1 + seed % 8; i++) {
            break_once(hall.found, &random, false);
        }
        if (has_host_pair(hall.found)) {
            free_hall(&hall);
            continue;
        }
        struct hall view = discover(&hall);
        struct sf_verification *verification = verify(&view, NULL);
        struct sf_verification blind = *verification;
        struct sf_move *moves =
            calloc(verification->n_moves + 1, sizeof *moves);
        uint32_t n_hidden = least_moves(hall.plan->fabric, hall.found);
        for (uint32_t i = 0; i < verification->n_moves; i++) {
            moves[i] = verification->moves[i];
            moves[i].kept.found = moves[i].kept.node;
            moves[i].from.found = moves[i].from.node;
            moves[i].to.found = moves[i].to.node;
        }
        CHECK_EQ(verification->n_moves, n_hidden);
        blind.moves = moves;
        check_mends(&blind, &hall, NULL);
        free(moves);
        sf_verification_free(verification);
        sf_fabric_free(view.found);
        free_hall(&hall);
    }
}

/* In any order of nodes, with host names only, hosts first. */
TEST(verify_random_faults_with_shuffled_nodes_and_host_names)
{
    for (size_t k = 0; k < ARRAY_SIZE(random_cases); k++) {
        for (uint64_t seed = 0; seed < 10; seed++) {
            struct hall hall =
                make_hall(random_cases[k].spec, random_cases[k].switch_ports);
            struct sf_random random;
            sf_random_init(&random, seed, 100 + k);
            for (uint32_t i = 0; i < 1 + seed % 5; i++) {
                break_once(hall.found, &random, seed % 2);
            }
            uint32_t least = least_moves(hall.plan->fabric, hall.found);
            reform(&hall, SHUFFLED | NO_GUIDS | NO_SWITCH_NAMES, NULL, 0,
                   seed);
            struct sf_verification *verification = verify(&hall, NULL);
            CHECK_FOR(verification->n_moves == least,
                      "%s seed %u: %u moves, %u would do",
                      random_cases[k].spec, (unsigned)seed,
                      verification->n_moves, least);
            CHECK(verification->n_by_source[2] > 0);
            check_writes(verification);
            check_mends(verification, &hall, NULL);
            sf_verification_free(verification);
            free_hall(&hall);
        }
    }
}

/* Nothing has a label: the ports alone say who is who. */
TEST(verify_infers_from_ports_alone)
{
    static const char *const specs[] = {
        "sf:q=5", "sf:q=4",         "sf:q=7",     "ft2:leaf=12,core=6,up=3",
        "sf:q=9", "df:a=4,h=2,p=2", "hx2:4x5,p=2"
    };

    for (size_t k = 0; k < ARRAY_SIZE(specs); k++) {
        for (uint64_t seed = 0; seed < (k ? 12 : 100); seed++) {
            struct hall hall = make_hall(specs[k], seed % 2 ? 0 : 48);
            struct sf_random random;
            sf_random_init(&random, seed, 200 + k);
            for (uint32_t i = 0; i < seed % 6; i++) {
                break_once(hall.found, &random, true);
            }
            uint32_t least = least_moves(hall.plan->fabric, hall.found);
            reform(&hall, SHUFFLED | NO_GUIDS | NO_NAMES, NULL, 0, seed);
            struct sf_verification *verification = verify(&hall, NULL);
            CHECK_EQ(verification->n_identified, hall.found->n_nodes);
            CHECK_EQ(verification->n_by_source[4], hall.found->n_nodes);
            CHECK(verification->n_guessed > 0);
            CHECK_FOR(verification->n_moves <= least,
                      "%s seed %u: %u moves, %u would do", specs[k],
                      (unsigned)seed, verification->n_moves, least);
            CHECK_EQ(verification->matches, verification->n_moves == 0);
            check_writes(verification);
            check_mends(verification, &hall, NULL);
            sf_verification_free(verification);
            free_hall(&hall);
        }
    }
}

/* Writes the GUID map of a verification and reads it back. */
static struct sf_guid_map *
save_and_load(const struct sf_verification *verification,
              const struct sf_guid_map *old)
{
    struct sf_guid_map *map;
    struct sf_error err = { 0 };
    char *text = NULL;
    size_t length;

    FILE *stream = open_memstream(&text, &length);
    CHECK_EQ(sf_verification_write_guids(verification, old, stream, &err),
             SF_OK);
    fclose(stream);
    CHECK_FOR(sf_guid_map_parse(text, "saved", &map, &err) == SF_OK, "%s",
              err.text);
    free(text);
    return map;
}

/* All that is certain, and nothing else, is known by the saved map alone. */
TEST(verify_saved_guids_give_the_same_identities)
{
    static const unsigned forms[] = { 0, HCA_NAMES | NO_GUIDS,
                                      NO_SWITCH_NAMES | NO_GUIDS,
                                      NO_HOST_NAMES | NO_GUIDS,
                                      NO_NAMES | NO_GUIDS };

    for (uint64_t seed = 0; seed < 40; seed++) {
        struct hall hall = make_hall(seed % 2 ? "sf:q=5" : "df:a=4,h=2", 24);
        struct sf_random random;
        sf_random_init(&random, seed, 600);
        for (uint32_t i = 0; i < seed % 7; i++) {
            break_once(hall.found, &random, true);
        }
        uint32_t lost = 3;
        reform(&hall, SHUFFLED | forms[seed % ARRAY_SIZE(forms)], &lost,
               seed % 3 == 0, seed);
        struct sf_verification *verification = verify(&hall, NULL);
        struct sf_guid_map *map = save_and_load(verification, NULL);
        struct sf_verify_params params = { .sources = SF_IDENTITY_MAP,
                                           .map = map };
        struct sf_verification *again = verify(&hall, &params);
        CHECK_EQ(map->n_entries,
                 verification->n_identified - verification->n_guessed);
        for (uint32_t i = 0; i < hall.found->n_nodes; i++) {
            CHECK_EQ(again->identities[i].node,
                     verification->identities[i].is_certain
                         ? verification->identities[i].node
                         : SF_NONE);
        }
        struct sf_guid_map *twice = save_and_load(again, map);
        CHECK_EQ(twice->n_entries, map->n_entries);
        sf_guid_map_free(twice);
        sf_verification_free(again);
        sf_guid_map_free(map);
        sf_verification_free(verification);
        free_hall(&hall);
    }
}

/* Large, and still quick: all 722 switches are tried as a beginning. */
TEST(verify_infers_the_largest_slim_fly_of_48_ports)
{
    struct hall hall = make_hall("sf:q=19", 48);
    struct sf_random random;
    sf_random_init(&random, 1, 400);
    for (uint32_t i = 0; i < 20; i++) {
        break_once(hall.found, &random, true);
    }
    uint32_t least = least_moves(hall.plan->fabric, hall.found);
    struct sf_verification *verification = verify(&hall, NULL);
    CHECK_EQ(verification->n_moves, least);
    check_findings(verification);
    sf_verification_free(verification);
    reform(&hall, SHUFFLED | NO_GUIDS | NO_NAMES, NULL, 0, 1);
    verification = verify(&hall, NULL);
    CHECK_EQ(verification->n_moves, least);
    CHECK_EQ(verification->n_labellings,
             19); /* The index may start anywhere. */
    check_mends(verification, &hall, NULL);
    sf_verification_free(verification);
    free_hall(&hall);
}

/* Hosts without labels in the wrong port are taken for the missing ones. */
TEST(verify_infers_hosts_in_the_wrong_port)
{
    struct hall hall = make_hall("sf:q=5", 36);
    uint32_t a = at(hall.found, "sf-0-1-2", 3), b = hall.found->ports[a].peer;
    sf_fabric_unplug(hall.found, a);
    sf_fabric_plug(hall.found, at(hall.found, "sf-0-1-2", 30), b);
    a = at(hall.found, "sf-0-3-2", 3), b = hall.found->ports[a].peer;
    sf_fabric_unplug(hall.found, a);
    sf_fabric_plug(hall.found, at(hall.found, "sf-1-1-1", 30), b);
    reform(&hall, NO_NAMES | NO_GUIDS | SHUFFLED, NULL, 0, 1);
    struct sf_verification *verification = verify(&hall, NULL);
    check_counts(verification, 2, 0, 0, 0);
    check_mends(verification, &hall, NULL);
    sf_verification_free(verification);
    free_hall(&hall);
}

TEST(verify_one_name_is_enough_to_be_certain)
{
    struct hall hall = make_hall("sf:q=5", 0);
    reform(&hall, NO_NAMES | NO_GUIDS, NULL, 0, 1);
    struct sf_verification *verification = verify(&hall, NULL);
    CHECK(verification->matches);
    CHECK(verification->n_labellings > 1);
    CHECK_EQ(verification->n_guessed, 250);
    check_writes(verification);
    sf_verification_free(verification);

    free(hall.found->nodes[33].name);
    hall.found->nodes[33].name = sf_strdup(hall.plan->fabric->nodes[33].name);
    verification = verify(&hall, NULL);
    CHECK(verification->matches);
    CHECK_EQ(verification->n_labellings, 1);
    CHECK_EQ(verification->n_by_source[2], 1);
    CHECK_EQ(verification->n_guessed, 200); /* The hosts. */
    for (uint32_t i = 0; i < 250; i++) {
        CHECK_EQ(verification->identities[i].node, i);
    }
    check_writes(verification);
    sf_verification_free(verification);

    struct sf_verify_params params = { .sources = SF_IDENTITY_NAME |
                                                  SF_IDENTITY_HOSTS };
    verification = verify(&hall, &params);
    CHECK_EQ(verification->n_identified, 1);
    CHECK_EQ(verification->n_by_verdict[SF_VERDICT_MISSING_SWITCH], 49);
    check_writes(verification);
    sf_verification_free(verification);
    free_hall(&hall);
}

TEST(verify_nothing_found_or_something_else)
{
    struct hall hall = make_hall("sf:q=5", 0);
    struct sf_fabric empty = { 0 };
    struct sf_fabric *found = hall.found;

    hall.found = &empty;
    struct sf_verification *verification = verify(&hall, NULL);
    CHECK_EQ(verification->n_by_verdict[SF_VERDICT_MISSING_SWITCH], 50);
    CHECK_EQ(verification->n_by_verdict[SF_VERDICT_MISSING_HOST], 200);
    CHECK_EQ(verification->n_by_verdict[SF_VERDICT_MISSING], 375);
    CHECK_EQ(verification->n_moves, 0);
    check_writes(verification);
    sf_verification_free(verification);

    /* Another network altogether, without labels. */
    struct hall other = make_hall("jellyfish:n=40,k=6,seed=1", 0);
    reform(&other, NO_NAMES | NO_GUIDS, NULL, 0, 1);
    hall.found = other.found;
    verification = verify(&hall, NULL);
    CHECK_EQ(verification->n_identified, 0);
    CHECK_EQ(verification->n_by_verdict[SF_VERDICT_UNKNOWN_SWITCH], 40);
    CHECK_EQ(verification->n_moves, 0);
    check_writes(verification);
    sf_verification_free(verification);

    /* And the other way round: an empty plan. */
    hall.found = found;
    struct sf_plan plan = *other.plan;
    plan.fabric = &empty;
    plan.n_cables = 0;
    verification = NULL;
    CHECK_EQ(sf_verify(&plan, found, NULL, &verification, NULL), SF_OK);
    CHECK_EQ(verification->n_by_verdict[SF_VERDICT_UNKNOWN_HOST], 200);
    sf_verification_free(verification);
    free_hall(&other);
    free_hall(&hall);
    sf_verification_free(NULL);
}

/* Discovery that has not come far: only some nodes, with and without names. */
TEST(verify_partial_discovery_is_no_trouble)
{
    for (uint64_t seed = 0; seed < 40; seed++) {
        struct hall hall = make_hall(seed % 2 ? "sf:q=5" : "sf:q=4", 20);
        struct sf_random random;
        uint32_t lost[300], n_lost = 0;
        sf_random_init(&random, seed, 300);
        for (uint32_t i = 0; i < hall.found->n_nodes; i++) {
            if (sf_random_below(&random, 40) < seed) {
                lost[n_lost++] = i;
            }
        }
        for (uint32_t i = 0; i < seed; i++) {
            break_once(hall.found, &random, false);
        }
        reform(&hall, SHUFFLED | (seed % 4 < 2 ? NO_NAMES | NO_GUIDS : 0),
               lost, n_lost, seed);
        struct sf_verification *verification = verify(&hall, NULL);
        check_writes(verification);
        for (uint32_t i = 0; i < verification->n_moves; i++) {
            CHECK(verification->moves[i].until >= i);
            CHECK_EQ(
                verification->findings[verification->moves[i].finding].move ==
                    i,
                true);
        }
        sf_verification_free(verification);
        free_hall(&hall);
    }
}

/* After a success with failure at 'nth', that allocation is still to come. */
static bool
is_swallowed(void)
{
    void *memory = sf_calloc(1, 1);
    bool failed = memory == NULL;
    free(memory);
    sf_mem_fail_at(0);
    return !failed;
}

static void
check_guids_fail(const struct sf_verification *verification)
{
    FILE *stream = fopen("/dev/null", "w");
    enum sf_status status = SF_ENOMEM;

    for (unsigned long nth = 1; status != SF_OK; nth++) {
        sf_mem_fail_at(nth);
        status = sf_verification_write_guids(verification, NULL, stream, NULL);
        CHECK(status == SF_ENOMEM || !is_swallowed());
        CHECK(nth < 10);
    }
    fclose(stream);
}

TEST(verify_every_allocation_fails_once)
{
    static const unsigned forms[] = { 0, NO_SWITCH_NAMES | NO_GUIDS,
                                      NO_NAMES | NO_GUIDS };

    for (size_t k = 0; k < ARRAY_SIZE(forms); k++) {
        struct hall hall = make_hall("sf:q=4", 16);
        struct sf_random random;
        uint32_t lost = 5;
        sf_random_init(&random, 1, 1);
        for (int i = 0; i < 20; i++) {
            break_once(hall.found, &random, true);
        }
        reform(&hall, forms[k], &lost, 1, 1);
        enum sf_status status = SF_ENOMEM;
        for (unsigned long nth = 1; status != SF_OK; nth++) {
            struct sf_verification *verification =
                UNSET(struct sf_verification);
            struct sf_error err = { 0 };
            sf_mem_fail_at(nth);
            status = sf_verify(hall.plan, hall.found, NULL, &verification,
                               nth % 2 ? &err : NULL);
            if (status == SF_OK) {
                CHECK_FOR(!is_swallowed(), "allocation %lu went unnoticed",
                          nth);
                CHECK(nth > 10);
                check_guids_fail(verification);
                sf_verification_free(verification);
            } else {
                sf_mem_fail_at(0);
                CHECK_EQ(status, SF_ENOMEM);
                CHECK(verification == NULL);
                CHECK(!(nth % 2) || err.text[0]);
                CHECK(nth < 5000);
            }
        }
        free_hall(&hall);
    }

    enum sf_status status = SF_ENOMEM;
    for (unsigned long nth = 1; status != SF_OK; nth++) {
        struct sf_guid_map *map = UNSET(struct sf_guid_map);
        sf_mem_fail_at(nth);
        status = sf_guid_map_parse("0x1 a\n0x2 \"b c\"\n", "m", &map, NULL);
        if (status == SF_OK) {
            CHECK(!is_swallowed());
            sf_guid_map_free(map);
        } else {
            sf_mem_fail_at(0);
            CHECK_EQ(status, SF_ENOMEM);
            CHECK(map == NULL);
            CHECK(nth < 100);
        }
    }
}
