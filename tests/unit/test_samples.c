/* test_samples.c -- percentiles without keeping numbers, against sorted ones;
 * presets and names. */
#include "base/mem.h"
#include "helpers.h"
#include "sim/samples.h"
#include "slimfly/random.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

static int
compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Numbers of very different sizes. */
static double
draw(struct sf_random *random)
{
    double value = (double)(sf_random_next(random) >> 11) * 0x1p-53;
    int power = (int)sf_random_below(random, 12) - 6;
    return sf_random_below(random, 20) == 0 ? 0 : value * pow(10, power);
}

static void
compare_with_sorted(uint32_t seed, uint32_t n)
{
    static double values[1000];
    static const double parts[] = { 0, 0.01, 0.25, 0.5, 0.9, 0.99, 1 };
    struct sf_samples samples = { 0 }, halves[2] = { { 0 }, { 0 } };
    struct sf_random random;
    double sum = 0;

    sf_random_init(&random, seed, 0);
    for (uint32_t i = 0; i < n; i++) {
        values[i] = draw(&random);
        sum += values[i];
        CHECK(sf_samples_add(&samples, values[i], 1));
        CHECK(sf_samples_add(&halves[i % 2], values[i], 1));
    }
    qsort(values, n, sizeof *values, compare_doubles);
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
        uint32_t rank = (uint32_t)ceil(parts[i] * n);
        double exact = values[rank > 0 ? rank - 1 : 0];
        CHECK_NEAR(sf_samples_quantile(&samples, parts[i]), exact,
                   0.001 * exact);
    }
    CHECK(sf_samples_merge(&halves[0], &halves[1]));
    struct sf_sim_spread a = sf_samples_spread(&samples);
    struct sf_sim_spread b = sf_samples_spread(&halves[0]);
    CHECK_EQ(a.n, n);
    CHECK_NEAR(a.mean, sum / n, 1e-9 * sum);
    CHECK(a.min == values[0] && a.max == values[n - 1]);
    CHECK(b.n == a.n && b.min == a.min && b.max == a.max);
    CHECK_NEAR(b.mean, a.mean, 1e-9 * a.mean);
    CHECK_NEAR(b.p99, a.p99, 1e-9 * a.p99);
    sf_samples_clear(&samples);
    sf_samples_clear(&halves[0]);
    sf_samples_clear(&halves[1]);
}

TEST(samples_agree_with_sorted_numbers)
{
    for (uint32_t seed = 0; seed < 60; seed++) {
        compare_with_sorted(seed, 1 + seed * 16);
    }
}

TEST(samples_counts_many_at_once)
{
    struct sf_samples samples = { 0 };

    CHECK(sf_samples_add(&samples, 5, 0));
    CHECK_EQ(sf_samples_spread(&samples).n, 0);
    CHECK(sf_samples_quantile(&samples, 0.5) == 0);
    CHECK(sf_samples_add(&samples, 5, 1000));
    CHECK(sf_samples_add(&samples, 1, 10));
    CHECK_EQ(samples.n, 1010);
    CHECK(sf_samples_spread(&samples).p50 == 5);
    CHECK(sf_samples_quantile(&samples, 0.005) == 1);
    sf_samples_clear(&samples);
}

TEST(samples_nomem)
{
    struct sf_samples samples = { 0 }, more = { 0 };

    sf_mem_fail_at(1);
    CHECK(!sf_samples_add(&samples, 5, 1));
    sf_mem_fail_at(0);
    CHECK_EQ(samples.n, 0);
    CHECK(sf_samples_add(&more, 5, 1));
    sf_mem_fail_at(1);
    CHECK(!sf_samples_merge(&samples, &more));
    sf_mem_fail_at(0);
    sf_samples_clear(&samples);
    sf_samples_clear(&more);
}

/* Each generation is faster than the one before; figures are in their units
 * and have a source. */
TEST(nets_are_sane)
{
    double before = 0;
    uint32_t n = 0;

    for (const struct sf_sim_net *net = sf_sim_nets; net->name; net++) {
        CHECK(net->title && net->sources);
        CHECK(has_word(net->sources, "assumed"));
        CHECK(net->rate > before);
        CHECK(sf_sim_net_data_rate(net) < net->rate);
        CHECK(sf_sim_net_data_rate(net) > 0.98 * net->rate);
        CHECK(net->mtu >= 256 && net->mtu <= 4096);
        CHECK(net->buffer >= 15 * (net->mtu + net->header)); /* All VLs. */
        CHECK(net->switch_delay > 50e-9 && net->switch_delay < 1e-6);
        CHECK(net->host_delay > 100e-9 && net->host_delay < 2e-6);
        CHECK(net->cable_delay > 3e-9 && net->cable_delay < 6e-9);
        before = net->rate;
        n++;
    }
    CHECK_EQ(n, 4);
    CHECK_STR(sf_sim_nets[0].name, "fdr");
    CHECK_NEAR(sf_sim_nets[0].rate, 6.818e9, 1e6);
    CHECK_NEAR(sf_sim_nets[1].rate, 12.5e9, 1e3);
    CHECK_STR(sf_sim_nets[3].name, "ndr");
    CHECK_NEAR(sf_sim_nets[3].rate, 50e9, 1);
}

TEST(sim_choices_have_names)
{
    CHECK_STR(sf_sim_model_name(SF_SIM_FLOW), "flow");
    CHECK_STR(sf_sim_model_name(SF_SIM_PACKET), "packet");
    CHECK(sf_sim_model_name(SF_N_SIM_MODELS) == NULL);
    CHECK_STR(sf_sim_timing_name(SF_SIM_SLOTS), "slots");
    CHECK_STR(sf_sim_timing_name(SF_SIM_EXACT), "exact");
    CHECK(sf_sim_timing_name(SF_N_SIM_TIMINGS) == NULL);
    CHECK_STR(sf_sim_queues_name(SF_SIM_VOQ), "voq");
    CHECK_STR(sf_sim_queues_name(SF_SIM_FIFO), "fifo");
    CHECK(sf_sim_queues_name(SF_N_SIM_QUEUES) == NULL);
    CHECK_STR(sf_select_name(SF_SELECT_FIRST), "first");
    CHECK_STR(sf_select_name(SF_SELECT_STRIPE), "stripe");
    CHECK_STR(sf_select_name(SF_SELECT_MESSAGE), "message");
    CHECK_STR(sf_select_name(SF_SELECT_RANDOM), "random");
    CHECK_STR(sf_select_name(SF_SELECT_ADAPTIVE), "adaptive");
    CHECK(sf_select_name(SF_N_SELECTS) == NULL);
}
