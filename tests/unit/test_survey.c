/* test_survey.c -- surveys: equal hosts, what is told of loads and money, how
 * far the work is, and memory that runs out. */
#define _GNU_SOURCE
#include "base/mem.h"
#include "helpers.h"
#include "slimfly/progress.h"
#include "slimfly/survey.h"
#include "slimfly/survey_files.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct sf_survey_subject subjects[] = {
    { .name = "a ring of meshes", .spec = "hx2:3x3" },
    { .name = "sf:q=3", .spec = "sf:q=3" },
};
static const char *const traffics[] = { "permutation" };

/* Two networks, quickly. */
static struct sf_survey_params
small_params(const struct sf_prices *prices)
{
    return (struct sf_survey_params){
        .subjects = subjects,
        .n_subjects = 2,
        .prices = prices,
        .routing = { .layers = { .n_layers = 2 } },
        .seed = 1,
        .n_traffics = 1,
        .traffics = traffics,
        .without_simulation = true,
        .without_failures = true,
        .net = sf_sim_nets[0],
        .n_threads = 1,
    };
}

static struct sf_prices *
load_prices(void)
{
    struct sf_prices *prices;

    CHECK(sf_prices_default(&prices, NULL) == SF_OK);
    return prices;
}

/* Hosts that go are spread evenly, and the last of their switches. */
TEST(fewer_hosts_are_spread_evenly)
{
    static const char *const specs[] = { "sf:q=3", "ft3:ports=6", "hx2:3x5",
                                         "df:a=4,h=2,p=2", "ft2:ports=8" };

    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct sf_topology *topo;
        CHECK(sf_topology_build(specs[i], &topo, NULL) == SF_OK);
        uint32_t n = topo->graph->n_nodes;
        uint32_t *kept = calloc(n, sizeof *kept);
        uint32_t n_hosting = 0;
        for (uint32_t s = 0; s < n; s++) {
            n_hosting += topo->n_hosts[s] > 0;
        }
        for (uint32_t hosts = 0; hosts <= topo->n_endpoints; hosts++) {
            uint32_t sum = 0, least = UINT32_MAX, most = 0;
            uint32_t n_seen = 0, n_gone = 0, n_out = topo->n_endpoints - hosts;
            sf_topology_keep_hosts(topo, hosts, kept);
            for (uint32_t s = 0; s < n; s++) {
                sum += kept[s];
                CHECK(kept[s] <= topo->n_hosts[s]);
                if (topo->n_hosts[s]) {
                    uint32_t gone = topo->n_hosts[s] - kept[s];
                    least = gone < least ? gone : least;
                    most = gone > most ? gone : most;
                    /* As many are gone as of the switches so far. */
                    n_seen++;
                    n_gone += gone;
                    CHECK(fabs(n_gone - (double)n_out * n_seen / n_hosting) <=
                          1);
                }
            }
            CHECK_EQ(sum, hosts);
            CHECK(most - least <= 1);
        }
        free(kept);
        sf_topology_free(topo);
    }
}

TEST(networks_have_as_many_hosts_as_the_smallest)
{
    struct sf_prices *prices = load_prices();
    struct sf_survey_params params = small_params(prices);
    struct sf_survey *survey;
    struct sf_error err = { 0 };

    CHECK_FOR(sf_survey_build(&params, &survey, &err) == SF_OK, "%s",
              err.text);
    CHECK_EQ(survey->n_hosts, 18u);
    for (uint32_t i = 0; i < survey->n_networks; i++) {
        const struct sf_survey_network *network = &survey->networks[i];
        uint32_t n = 0;
        for (uint32_t s = 0; s < network->n_switches; s++) {
            n += network->network->n_hosts[s];
        }
        CHECK_EQ(n, survey->n_hosts);
        CHECK_EQ(network->figures.n_endpoints, survey->n_hosts);
        CHECK_EQ(network->plan->fabric->n_nodes - network->n_switches, n);
        CHECK(network->is_priced && network->figures.cost > 0);
        CHECK(isnan(sf_survey_saturation(network).refused));
    }
    sf_survey_free(survey);
    sf_prices_free(prices);
}

/* Those that could have more hosts for their money were measured without. */
TEST(networks_of_equal_cost_keep_their_hosts)
{
    static const char *const of_files[] = { "permutation", "file:some.csv" };
    struct sf_prices *prices = load_prices();
    struct sf_survey_params params = small_params(prices);
    struct sf_survey *survey;
    struct sf_error err = { 0 };

    params.equal = SF_SURVEY_EQUAL_COST;
    CHECK_FOR(sf_survey_build(&params, &survey, &err) == SF_OK, "%s",
              err.text);
    CHECK_EQ(survey->n_hosts, 0u);
    CHECK_EQ(survey->networks[0].n_hosts, 18u);
    CHECK_EQ(survey->networks[1].n_hosts, 54u);
    for (uint32_t i = 0; i < survey->n_networks; i++) {
        const struct sf_survey_network *network = &survey->networks[i];
        CHECK_EQ(network->figures.n_endpoints, network->n_hosts);
        CHECK_EQ(sf_network_count_hosts(network->network), network->n_hosts);
    }
    sf_survey_free(survey);
    /* Hosts that are asked for are those of all. */
    params.n_hosts = 12;
    CHECK(sf_survey_build(&params, &survey, NULL) == SF_OK);
    CHECK_EQ(survey->n_hosts, 12u);
    CHECK_EQ(survey->networks[1].n_hosts, 12u);
    sf_survey_free(survey);
    /* A file names hosts that another network does not have. */
    params.n_hosts = 0;
    params.traffics = of_files;
    params.n_traffics = 2;
    CHECK_EQ(sf_survey_build(&params, &survey, &err), SF_EINVAL);
    CHECK_FOR(strstr(err.text, "file:some.csv"), "%s", err.text);
    sf_prices_free(prices);
}

/* The load that is taken is the highest below the first that is not. */
TEST(saturation_lies_between_runs)
{
    struct sf_survey_network network = { .n_runs = 4 };
    static const bool taken[] = { true, true, false, true };

    for (uint32_t i = 0; i < 4; i++) {
        network.runs[i].load = 0.1 + 0.3 * i;
        network.runs[i].result.is_finished = taken[i];
        network.runs[i].result.throughput = 0.1 * (i + 1);
    }
    struct sf_survey_saturation known = sf_survey_saturation(&network);
    CHECK(known.taken == network.runs[1].load);
    CHECK(known.refused == network.runs[2].load);
    CHECK(known.accepted == network.runs[3].result.throughput);
    network.runs[0].result.n_cycle = 2; /* A deadlock takes nothing. */
    known = sf_survey_saturation(&network);
    CHECK(known.taken <= 0 && known.refused == network.runs[0].load);
}

TEST(worth_is_by_money_only_if_asked)
{
    struct sf_survey survey = { 0 };
    struct sf_survey_network network = { .n_hosts = 500 };

    network.figures.cost = 2e6;
    CHECK(sf_survey_worth(&survey, &network, 0.5) == 0.5);
    survey.params.equal = SF_SURVEY_EQUAL_COST;
    CHECK(fabs(sf_survey_worth(&survey, &network, 0.5) - 125) < 1e-9);
}

struct watching {
    uint64_t done, n;
    bool went_back;
};

static void
watch(void *aux, const char *what, uint64_t done, uint64_t total)
{
    struct watching *watching = aux;

    watching->went_back =
        watching->went_back || done < watching->done || done > total || !*what;
    watching->done = done;
    watching->n++;
}

TEST(progress_never_goes_back)
{
    struct watching watching = { 0 };
    struct sf_progress progress = { watch, &watching };
    struct sf_survey_params params = small_params(NULL);
    struct sf_survey *survey;

    params.without_simulation = false;
    const struct sf_progress *before = sf_progress_listen(&progress);
    enum sf_status status = sf_survey_build(&params, &survey, NULL);
    CHECK(sf_progress_listen(before) == &progress);
    CHECK_EQ(status, SF_OK);
    CHECK(watching.n > 10 && !watching.went_back);
    CHECK(survey->networks[0].n_runs >= 4);
    sf_survey_free(survey);
}

/* Each file can be written, also where little was asked for. */
TEST(little_is_written_as_well_as_much)
{
    struct sf_survey_params params = small_params(NULL);
    struct sf_survey *survey;

    params.n_subjects = 1;
    params.n_traffics = 0;
    CHECK(sf_survey_build(&params, &survey, NULL) == SF_OK);
    struct sf_survey_report report = { .origin = { "slimfly", "compare" },
                                       .survey = survey };
    for (uint32_t i = 0; sf_survey_files[i].name; i++) {
        const struct sf_survey_file *file = &sf_survey_files[i];
        FILE *stream = tmpfile();
        if (!file->has || file->has(&report)) {
            CHECK_FOR(file->write(&report, stream, NULL) == SF_OK, "%s",
                      file->name);
            CHECK(ftell(stream) > 0);
        }
        fclose(stream);
    }
    sf_survey_free(survey);
}

/* A command line may have any bytes: it became null, so that nobody knew the
 * file for one of "compare". */
TEST(json_of_surveys_names_any_command)
{
    struct sf_survey_params params = small_params(NULL);
    struct sf_survey *survey;
    char *text = NULL;
    size_t size = 0;

    params.n_subjects = 1;
    params.n_traffics = 0;
    CHECK(sf_survey_build(&params, &survey, NULL) == SF_OK);
    struct sf_survey_report report = {
        .origin = { "slimfly 9", "slimfly compare -o \xff" },
        .survey = survey,
    };
    FILE *stream = open_memstream(&text, &size);
    for (uint32_t i = 0; sf_survey_files[i].name; i++) {
        if (!strcmp(sf_survey_files[i].name, "comparison.json")) {
            CHECK(sf_survey_files[i].write(&report, stream, NULL) == SF_OK);
        }
    }
    fclose(stream);
    CHECK(strstr(text, "\n  \"program\": \"slimfly 9\""));
    CHECK(strstr(text, "\n  \"command\": \"slimfly compare -o ?\""));
    free(text);
    sf_survey_free(survey);
}

TEST(a_survey_survives_every_failed_allocation)
{
    struct sf_prices *prices = load_prices();
    struct sf_survey_params params = small_params(prices);
    bool is_done = false;

    for (unsigned long nth = 1; !is_done; nth++) {
        struct sf_survey *survey;
        struct sf_error err = { 0 };
        sf_mem_fail_at(nth);
        enum sf_status status =
            sf_survey_build(&params, &survey, nth % 2 ? &err : NULL);
        void *memory = status == SF_OK ? sf_calloc(1, 1) : NULL;
        sf_mem_fail_at(0);
        is_done = status == SF_OK;
        CHECK_FOR(!memory, "failure of allocation %lu went unnoticed", nth);
        CHECK(is_done || status == SF_ENOMEM);
        CHECK((survey != NULL) == is_done);
        CHECK(!is_done || nth > 100);
        sf_survey_free(survey);
    }
    sf_prices_free(prices);
}
