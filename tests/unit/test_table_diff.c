/* The difference of two sets of tables, against a count that is written
 * apart. */
#include "base/mem.h"
#include "helpers.h"
#include "slimfly/random.h"
#include "slimfly/table_diff.h"
#include "test.h"

#include <stdlib.h>

static const char *const families[] = {
    "sf:q=3",
    "ft2:leaf=4,core=2,up=2,p=2",
    "ft3:ports=4",
    "hx2:size=3x3,p=2",
    "df:a=4,h=2,p=2",
    "xpander:k=4,lift=4",
    "jellyfish:n=14,k=4",
    "pf:q=3",
};

/* Tables of a fabric. */
struct case_ {
    struct sf_fabric *fabric;
    struct sf_routing *routing;
    struct sf_ib_tables *tables;
};

static struct case_
route(struct sf_fabric *fabric, uint64_t seed)
{
    struct sf_routing_params params = {
        .layers = { .n_layers = 2, .seed = seed, .within_parts = true },
    };
    struct case_ made = { .fabric = fabric };
    struct sf_network *network;
    struct sf_error err = { 0 };

    CHECK_EQ(sf_network_build(fabric, &network, NULL), SF_OK);
    sf_ib_count_addresses(fabric, &params);
    CHECK_FOR(sf_routing_build(network, &params, &made.routing, &err) == SF_OK,
              "%s", err.text);
    CHECK_EQ(sf_ib_encode(made.routing, &made.tables, NULL), SF_OK);
    sf_network_free(network);
    return made;
}

static void
clear(struct case_ *made)
{
    sf_ib_tables_free(made->tables);
    sf_routing_free(made->routing);
    sf_fabric_free(made->fabric);
}

static struct sf_diff_side
side_of(const struct case_ *made)
{
    return (struct sf_diff_side){ made->fabric, made->tables->lfts,
                                  made->tables->sl2vl,
                                  made->tables->path_sls };
}

/* The ports that a packet leaves by, as a text; "" if it does not arrive. */
static void
walk(const struct sf_fabric *fabric, const struct sf_tables *tables,
     uint32_t s, uint32_t lid, char path[256])
{
    path[0] = '\0';
    for (int n = 0; n < 40; n++) {
        char step[16];
        uint8_t out =
            lid <= tables->max_lid ? sf_tables_of(tables, s)[lid] : SF_NO_PORT;
        uint32_t port = sf_fabric_port(fabric, s, out);
        uint32_t peer = port == SF_NONE ? SF_NONE : fabric->ports[port].peer;
        if (peer == SF_NONE) {
            break;
        }
        snprintf(step, sizeof step, "%u ", out);
        append(path, 256, step);
        if (fabric->ports[peer].node >= fabric->n_switches) {
            const struct sf_ib_port *host = sf_ib_port(fabric, peer);
            if (lid >= host->lid && lid < host->lid + (1u << host->lmc)) {
                return;
            }
            break;
        }
        s = fabric->ports[peer].node;
    }
    path[0] = '\0';
}

static uint32_t
hops_of(const char *path)
{
    uint32_t n = 0;
    for (; *path; path++) {
        n += *path == ' ';
    }
    return n;
}

static bool
has_hosts(const struct sf_fabric *fabric, uint32_t s)
{
    const struct sf_node *node = &fabric->nodes[s];
    for (uint32_t p = 0; p < node->n_ports; p++) {
        uint32_t peer = fabric->ports[node->first_port + p].peer;
        if (peer != SF_NONE &&
            fabric->ports[peer].node >= fabric->n_switches) {
            return true;
        }
    }
    return false;
}

/* Counts by walking from every switch with hosts to every host; both sides
 * have the same nodes. */
static void
check_counts(const struct case_ *a, const struct case_ *b,
             const struct sf_table_diff *diff)
{
    const struct sf_fabric *fabric = a->fabric;
    uint64_t n = 0, n_changed = 0, n_longer = 0, n_shorter = 0, n_lost = 0;
    uint64_t hops[2] = { 0 };

    for (uint32_t port = 0; port < fabric->n_ports; port++) {
        const struct sf_ib_port *host = sf_ib_port(fabric, port);
        uint32_t peer = fabric->ports[port].peer;
        for (uint32_t k = 0; host->lid && k < 1u << host->lmc; k++) {
            for (uint32_t s = 0; s < fabric->n_switches; s++) {
                char old[256], new[256];
                if (!has_hosts(fabric, s) || fabric->ports[peer].node == s) {
                    continue;
                }
                walk(a->fabric, a->tables->lfts, s, host->lid + k, old);
                walk(b->fabric, b->tables->lfts, s, host->lid + k, new);
                n++;
                n_changed += strcmp(old, new) != 0;
                n_lost += *old && !*new;
                n_longer += *old && *new &&hops_of(new) > hops_of(old);
                n_shorter += *old && *new &&hops_of(new) < hops_of(old);
                hops[0] += *old ? hops_of(old) - 1 : 0;
                hops[1] += *new ? hops_of(new) - 1 : 0;
            }
        }
    }
    CHECK_EQ(diff->n_paths, n);
    CHECK_EQ(diff->n_changed_paths, n_changed);
    CHECK_EQ(diff->n_longer, n_longer);
    CHECK_EQ(diff->n_shorter, n_shorter);
    CHECK_EQ(diff->n_lost, n_lost);
    CHECK_NEAR(diff->before.mean_load * diff->before.n_links, (double)hops[0],
               1e-6 * (double)hops[0] + 1e-6);
    CHECK_NEAR(diff->after.mean_load * diff->after.n_links, (double)hops[1],
               1e-6 * (double)hops[1] + 1e-6);
}

static struct sf_fabric *
make_fabric(const char *spec)
{
    struct sf_topology *topo = build("%s", spec);
    struct sf_fabric *fabric;

    CHECK_EQ(sf_fabric_from_topology(topo, NULL, &fabric, NULL), SF_OK);
    CHECK_EQ(sf_fabric_assign_lids(fabric, 1, NULL, NULL), SF_OK);
    sf_topology_free(topo);
    return fabric;
}

TEST(diff_counts_entries_and_paths)
{
    struct sf_random random;

    sf_random_init(&random, 3, 0);
    for (size_t f = 0; f < ARRAY_SIZE(families); f++) {
        struct case_ a = route(make_fabric(families[f]), 1);
        struct case_ b = route(make_fabric(families[f]), 2);
        struct sf_diff_side before = side_of(&a), after = side_of(&b);
        struct sf_table_diff *diff;
        struct sf_error err = { 0 };

        CHECK_EQ(sf_table_diff_build(&before, &before, &diff, NULL), SF_OK);
        CHECK(diff->is_same && diff->n_changed == 0 && diff->n_switches == 0);
        CHECK_EQ(diff->n_changed_paths + diff->n_receivers + diff->n_senders,
                 0);
        sf_table_diff_free(diff);

        /* Entries that lead anywhere, too. */
        for (int i = 0; i < 6; i++) {
            uint32_t s = sf_random_below(&random, b.fabric->n_switches);
            uint32_t lid =
                1 + sf_random_below(&random, b.tables->lfts->max_lid);
            sf_tables_of(b.tables->lfts, s)[lid] = (uint8_t)sf_random_below(
                &random, b.fabric->nodes[s].n_ports + 1);
        }
        CHECK_FOR(sf_table_diff_build(&before, &after, &diff, &err) == SF_OK,
                  "%s", err.text);
        struct sf_repair repair;
        CHECK_EQ(sf_tables_compare(a.tables->lfts, a.fabric, b.tables->lfts,
                                   b.fabric, &repair, NULL),
                 SF_OK);
        CHECK_EQ(diff->n_entries, repair.n_entries);
        CHECK_EQ(diff->n_changed, repair.n_changed);
        uint64_t sum = 0;
        for (uint32_t i = 0; i < diff->n_switches; i++) {
            sum += diff->switches[i].n_changed;
            CHECK(i == 0 || diff->switches[i].n_changed <=
                                diff->switches[i - 1].n_changed);
        }
        CHECK_EQ(sum, diff->n_changed);
        CHECK(!diff->is_same);
        check_counts(&a, &b, diff);
        sf_table_diff_free(diff);
        clear(&b);
        clear(&a);
    }
}

TEST(diff_says_that_memory_runs_out)
{
    struct case_ a = route(make_fabric("sf:q=3"), 1);
    struct sf_diff_side side = side_of(&a);
    enum sf_status status = SF_ENOMEM;

    for (unsigned long nth = 1; status != SF_OK; nth++) {
        struct sf_table_diff *diff = UNSET(struct sf_table_diff);
        sf_mem_fail_at(nth);
        status = sf_table_diff_build(&side, &side, &diff, NULL);
        sf_mem_fail_at(0);
        CHECK(status == SF_OK || (status == SF_ENOMEM && !diff));
        if (status == SF_OK) {
            sf_table_diff_free(diff);
        }
        CHECK(nth < 200);
    }
    clear(&a);
}
