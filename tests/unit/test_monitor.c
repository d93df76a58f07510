/* The time line of the monitor against an oracle; its journal; addresses;
 * links of jobs. */
#define _GNU_SOURCE
#include "base/mem.h"
#include "helpers.h"
#include "monitor/conditions.h"
#include "monitor/counting.h"
#include "monitor/documents.h"
#include "monitor/event_json.h"
#include "monitor/job.h"
#include "monitor/journal.h"
#include "monitor/plugin_status.h"
#include "oracle/timeline_oracle.h"
#include "slimfly/monitor.h"
#include "slimfly/random.h"
#include "test.h"

#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#define MAX_OBSERVATIONS 400
#define MAX_KEYS         40

static struct sf_timeline *
make_timeline(const struct sf_timeline_params *params)
{
    struct sf_timeline *timeline;
    struct sf_error err;
    CHECK_EQ(sf_timeline_new(params, &timeline, &err), SF_OK);
    return timeline;
}

/* A condition of a key and a kind, for which texts are made up. */
static void
see(struct sf_timeline *timeline, uint32_t key, uint32_t kind)
{
    char name[32], kind_name[32], text[64];
    snprintf(name, sizeof name, "cable-%u", key);
    snprintf(kind_name, sizeof kind_name, "kind-%u", kind);
    snprintf(text, sizeof text, "Cable %u is not as it should be.", key);
    struct sf_condition condition = {
        .key = name,
        .kind = kind_name,
        .text = text,
        .severity = SF_SEVERITY_WARNING,
        .cable = key,
        .node = SF_NONE,
    };
    sf_timeline_see(timeline, &condition);
}

/* What is seen when. */
struct storm {
    uint32_t n, n_keys, n_kinds;
    int64_t times[MAX_OBSERVATIONS];
    bool seen[MAX_KEYS][MAX_OBSERVATIONS];
    struct sf_timeline_params params;
};

/* Keys that stay, keys that flap, keys that come once, and noise. */
static void
make_storm(struct storm *storm, uint64_t seed)
{
    struct sf_random random;
    int64_t time = 1000;

    sf_random_init(&random, seed, 0);
    memset(storm, 0, sizeof *storm);
    storm->n = 50 + sf_random_below(&random, MAX_OBSERVATIONS - 50);
    storm->n_keys = 1 + sf_random_below(&random, MAX_KEYS);
    storm->n_kinds = 1 + sf_random_below(&random, 3);
    storm->params = sf_timeline_default;
    storm->params.open_after[0] = 1 + sf_random_below(&random, 3);
    storm->params.close_after[0] = 1 + sf_random_below(&random, 3);
    storm->params.flap_n = 2 + sf_random_below(&random, 5);
    storm->params.flap_window =
        1000 * (int64_t)(1 + sf_random_below(&random, 100));
    storm->params.burst = sf_random_below(&random, 8);
    for (uint32_t i = 0; i < storm->n; i++) {
        /* Whole seconds meet the ends of windows exactly. */
        time += seed % 2 ? (int64_t)sf_random_below(&random, 5000)
                         : 1000 * (int64_t)sf_random_below(&random, 5);
        storm->times[i] = time;
    }
    for (uint32_t k = 0; k < storm->n_keys; k++) {
        uint32_t calm = sf_random_below(&random, 30) + 1;
        bool is_seen = false;
        for (uint32_t i = 0; i < storm->n; i++) {
            is_seen ^= sf_random_below(&random, calm) == 0;
            storm->seen[k][i] = is_seen;
        }
    }
}

/* The events of one observation that are expected, told, and summed up. */
struct score {
    uint32_t expected, told, summed;
};

/* Checks that what observation 'i' told, the events after 'before', is what
 * the oracle expects. */
static void
check_observation(const struct storm *storm,
                  struct oracle_event (*expected)[2 * MAX_OBSERVATIONS],
                  const uint32_t *n_expected, uint32_t i,
                  const struct sf_timeline *timeline, uint64_t before)
{
    static struct score scores[SF_N_EVENT_TYPES][3];
    bool is_told[MAX_KEYS][SF_N_EVENT_TYPES] = { { false } };

    memset(scores, 0, sizeof scores);
    for (uint64_t id = before + 1; id <= sf_timeline_last(timeline); id++) {
        const struct sf_event *event = sf_timeline_event(timeline, id);
        CHECK(event && event->id == id);
        CHECK_EQ(event->time, storm->times[i]);
        uint32_t kind = (uint32_t)atoi(event->kind + 5);
        if (event->is_sum) {
            scores[event->type][kind].summed += event->count;
            continue;
        }
        scores[event->type][kind].told++;
        bool is_expected = false;
        for (uint32_t e = 0; e < n_expected[event->cable]; e++) {
            const struct oracle_event *other = &expected[event->cable][e];
            is_expected |= other->observation == i &&
                           other->type == event->type &&
                           other->count == event->count;
        }
        CHECK_FOR(is_expected, "%s of %s at observation %u is not expected",
                  sf_event_type_name(event->type), event->key, i);
        CHECK(!is_told[event->cable][event->type]);
        is_told[event->cable][event->type] = true;
    }
    for (uint32_t k = 0; k < storm->n_keys; k++) {
        for (uint32_t e = 0; e < n_expected[k]; e++) {
            if (expected[k][e].observation == i) {
                scores[expected[k][e].type][k % storm->n_kinds].expected++;
            }
        }
    }
    for (int type = 0; type < SF_N_EVENT_TYPES; type++) {
        for (int kind = 0; kind < 3; kind++) {
            const struct score *score = &scores[type][kind];
            uint32_t most = storm->params.burst;
            CHECK_EQ(score->told + score->summed, score->expected);
            CHECK_EQ(score->told,
                     score->expected < most ? score->expected : most);
        }
    }
}

TEST(timeline_agrees_with_its_oracle)
{
    static struct storm storm;
    static struct oracle_event expected[MAX_KEYS][2 * MAX_OBSERVATIONS];
    uint32_t n_expected[MAX_KEYS], n_flapping = 0, n_events = 0;

    for (uint64_t seed = 1; seed <= 150; seed++) {
        make_storm(&storm, seed);
        for (uint32_t k = 0; k < storm.n_keys; k++) {
            n_expected[k] = oracle_condition(
                storm.seen[k], storm.times, storm.n,
                storm.params.open_after[0], storm.params.close_after[0],
                storm.params.flap_n, storm.params.flap_window, expected[k]);
            n_events += n_expected[k];
            for (uint32_t e = 0; e < n_expected[k]; e++) {
                n_flapping += expected[k][e].type == SF_EVENT_FLAPPING;
            }
        }
        struct sf_timeline *timeline = make_timeline(&storm.params);
        for (uint32_t i = 0; i < storm.n; i++) {
            uint64_t before = sf_timeline_last(timeline);
            sf_timeline_begin(timeline, SF_MONITOR_CABLING, storm.times[i]);
            for (uint32_t k = 0; k < storm.n_keys; k++) {
                if (storm.seen[k][i]) {
                    see(timeline, k, k % storm.n_kinds);
                }
            }
            sf_timeline_end(timeline);
            check_observation(&storm, expected, n_expected, i, timeline,
                              before);
        }
        CHECK_EQ(sf_timeline_count_dropped(timeline), 0);
        sf_timeline_free(timeline);
    }
    CHECK(n_flapping > 100 && n_events > 5000); /* It was a storm. */
}

/* A day of a network of 1,000 cables, looked at every 5 seconds: cables that
 * fail for good, that flap, and a rack that is switched off each hour. */
struct day {
    uint32_t n_cables, n_looks;
};

static bool
is_away(uint32_t cable, uint32_t look)
{
    uint32_t second = 5 * look;

    if (cable < 10) { /* Flaps for two hours, each at its own pace. */
        return second >= 3600 * cable && second < 3600 * (cable + 2) &&
               (look / (2 + cable)) % 2 == 0;
    }
    if (cable < 110) { /* A rack, for ten minutes an hour. */
        return second % 3600 >= 1810 && second % 3600 < 2410;
    }
    if (cable < 150) { /* Pulled once, for a quarter of an hour. */
        uint32_t start = 500 * cable;
        return second >= start && second < start + 900;
    }
    return cable < 160 && (look + cable) % 40 == 0; /* Seen once only. */
}

static size_t
memory_in_use(void)
{
    return mallinfo2().uordblks;
}

TEST(timeline_of_a_day)
{
    const struct day day = { 1000, 24 * 720 };
    struct sf_timeline *timeline = make_timeline(NULL);
    uint32_t n[SF_N_EVENT_TYPES] = { 0 }, n_sums = 0, most_known = 0;
    uint64_t n_summed = 0;
    size_t early = 0, late = 0;

    for (uint32_t look = 0; look < day.n_looks; look++) {
        uint64_t before = sf_timeline_last(timeline);
        sf_timeline_begin(timeline, SF_MONITOR_CABLING, 5000 * (int64_t)look);
        for (uint32_t cable = 0; cable < day.n_cables; cable++) {
            if (is_away(cable, look)) {
                see(timeline, cable, 0);
            }
        }
        sf_timeline_end(timeline);
        for (uint64_t id = before + 1; id <= sf_timeline_last(timeline);
             id++) {
            const struct sf_event *event = sf_timeline_event(timeline, id);
            CHECK(event);
            n[event->type]++;
            n_sums += event->is_sum;
            n_summed += event->is_sum ? event->count : 0;
        }
        uint32_t known = sf_timeline_n_known(timeline);
        most_known = known > most_known ? known : most_known;
        /* The same minute of two hours in which the same is known. */
        early = look == 20 * 720 + 300 ? memory_in_use() : early;
        late = look == 23 * 720 + 300 ? memory_in_use() : late;
    }
    /* The rack goes and comes 24 times, each time 20 cables and a sum; what
     * was pulled begins and ends once; what flaps is told a few times and then
     * when it is over; what was seen once is not told. */
    CHECK_EQ(n_sums, 48);
    CHECK_EQ(n_summed, 48 * 80);
    CHECK_EQ(n[SF_EVENT_FLAPPING], 10);
    CHECK_EQ(n[SF_EVENT_STEADY], 0);
    /* Before it flaps, each of the ten begins and ends twice. */
    CHECK_EQ(n[SF_EVENT_BEGAN], 24 * 21 + 40 + 10 * 2);
    CHECK_EQ(n[SF_EVENT_ENDED], 24 * 21 + 40 + 10 * 2 + 10);
    CHECK(most_known <= 160);
    CHECK_EQ(sf_timeline_count_open(timeline, SF_SEVERITY_NOTE), 0);
    /* The texts of the kept events may be a little longer or shorter. */
    CHECK_FOR(late < early + 65536, "%zu bytes, then %zu", early, late);
    sf_timeline_free(timeline);
}

TEST(timeline_has_limits)
{
    struct sf_timeline_params params = sf_timeline_default;
    params.max_conditions = 100;
    params.max_events = 50;
    params.open_after[0] = 1;
    params.burst = 1000;
    struct sf_timeline *timeline = make_timeline(&params);

    sf_timeline_begin(timeline, SF_MONITOR_CABLING, 1);
    for (uint32_t i = 0; i < 200; i++) {
        see(timeline, i, 0);
    }
    sf_timeline_end(timeline);
    CHECK_EQ(sf_timeline_n_known(timeline), 100);
    CHECK_EQ(sf_timeline_count_dropped(timeline), 100);
    CHECK_EQ(sf_timeline_last(timeline), 100);
    CHECK_EQ(sf_timeline_first(timeline), 51);
    CHECK(!sf_timeline_event(timeline, 50) &&
          !sf_timeline_event(timeline, 101));
    CHECK_STR(sf_timeline_event(timeline, 51)->key, "cable-50");
    sf_timeline_free(timeline);
}

TEST(timeline_counts_notes)
{
    struct sf_timeline *timeline = make_timeline(NULL);
    struct sf_condition trap = { "t",    "trap",           "A trap.",
                                 NULL,   SF_SEVERITY_NOTE, SF_NONE,
                                 SF_NONE };

    for (int64_t time = 0; time <= 100000; time += 1000) {
        sf_timeline_note(timeline, SF_MONITOR_MANAGER, &trap, time);
    }
    CHECK_EQ(sf_timeline_last(timeline), 1);
    sf_timeline_tick(timeline, 159999);
    CHECK_EQ(sf_timeline_last(timeline), 1);
    sf_timeline_tick(timeline, 160000);
    CHECK_EQ(sf_timeline_last(timeline), 2);
    const struct sf_event *event = sf_timeline_event(timeline, 2);
    CHECK_EQ(event->type, SF_EVENT_REPEATED);
    CHECK_EQ(event->count, 100);
    CHECK_EQ(sf_timeline_n_known(timeline), 0);
    sf_timeline_note(timeline, SF_MONITOR_MANAGER, &trap, 170000);
    CHECK_EQ(sf_timeline_event(timeline, 3)->type, SF_EVENT_NOTED);
    sf_timeline_free(timeline);
}

/* A plan with its watch, for what needs them. */
static struct sf_plan *
make_plan(const char *spec)
{
    struct sf_topology *topo = build("%s", spec);
    struct sf_plan *plan;
    struct sf_error err;
    CHECK_EQ(sf_plan_build(topo, NULL, NULL, &plan, &err), SF_OK);
    sf_topology_free(topo);
    return plan;
}

/* What the plugin says of traps: 'n' of them, the latest first. */
static void
set_traps(struct sf_manager *manager, const struct sf_manager_trap *traps,
          uint32_t n, uint64_t n_seen)
{
    manager->n_traps = n;
    manager->n_traps_seen = n_seen;
    memcpy(manager->traps, traps, n * sizeof *traps);
}

/* Each trap is a note with the node of the plan; one that comes again is
 * counted. */
TEST(monitor_notes_traps)
{
    struct sf_timeline *timeline = make_timeline(NULL);
    struct sf_plan *plan = make_plan("sf:q=3");
    struct sf_manager manager = { .host = "sm1", .pid = 7 };
    struct sf_noted_traps noted = { 0 };
    struct sf_manager_trap list[] = {
        { .number = 128,
          .guid = 2,
          .node = "sf-0-0-1",
          .last = 6,
          .count = 1 },
        { .number = 128,
          .guid = 1,
          .node = "sf-0-0-0",
          .last = 5,
          .count = 5 },
    };

    /* What came before the monitor is not told. */
    set_traps(&manager, list + 1, 1, 5);
    sf_conditions_note_traps(&manager, plan, 1000, &noted, timeline);
    CHECK_EQ(sf_timeline_last(timeline), 0);
    set_traps(&manager, list, 2, 6);
    sf_conditions_note_traps(&manager, plan, 2000, &noted, timeline);
    sf_conditions_note_traps(&manager, plan, 3000, &noted, timeline);
    CHECK_EQ(sf_timeline_last(timeline), 1);
    const struct sf_event *event = sf_timeline_event(timeline, 1);
    CHECK_EQ(event->type, SF_EVENT_NOTED);
    CHECK_EQ(event->source, SF_MONITOR_MANAGER);
    CHECK_EQ(event->severity, SF_SEVERITY_NOTE);
    CHECK_STR(event->kind, "trap");
    CHECK_STR(event->text, "Trap 128: link state changed at sf-0-0-1.");
    CHECK_STR(plan->fabric->nodes[event->node].name, "sf-0-0-1");

    /* A storm at the other switch: one note, and one with the rest. */
    struct sf_manager_trap storm[] = { list[1], list[0] };
    storm[0].count = 1005;
    storm[0].last = 1006;
    set_traps(&manager, storm, 2, 1006);
    sf_conditions_note_traps(&manager, plan, 4000, &noted, timeline);
    CHECK_EQ(sf_timeline_last(timeline), 2);
    CHECK_STR(sf_timeline_event(timeline, 2)->text,
              "Trap 128: link state changed at sf-0-0-0.");
    sf_timeline_tick(timeline, 70000);
    CHECK_EQ(sf_timeline_last(timeline), 3);
    event = sf_timeline_event(timeline, 3);
    CHECK_EQ(event->type, SF_EVENT_REPEATED);
    CHECK_EQ(event->count, 999);
    sf_timeline_free(timeline);
    sf_plan_free(plan);
}

/* Traps that the list has lost are told by their number, those of another
 * manager are all new, and a list that contradicts itself makes no more notes
 * than there were traps. */
TEST(monitor_notes_traps_that_it_cannot_see)
{
    struct sf_timeline *timeline = make_timeline(NULL);
    struct sf_plan *plan = make_plan("sf:q=3");
    struct sf_manager manager = { .host = "sm1", .pid = 7 };
    struct sf_noted_traps noted = { 0 };
    struct sf_manager_trap trap = {
        .number = 257, .guid = 9, .last = 100, .count = 1
    };

    sf_conditions_note_traps(&manager, plan, 1000, &noted, timeline);
    set_traps(&manager, &trap, 1, 100);
    sf_conditions_note_traps(&manager, plan, 2000, &noted, timeline);
    CHECK_EQ(sf_timeline_last(timeline), 2);
    CHECK_EQ(sf_timeline_event(timeline, 1)->severity, SF_SEVERITY_WARNING);
    CHECK_EQ(sf_timeline_event(timeline, 1)->node, SF_NONE);
    CHECK(strstr(sf_timeline_event(timeline, 2)->text, "More traps came"));
    sf_timeline_tick(timeline, 70000);
    CHECK_EQ(sf_timeline_last(timeline), 3);
    CHECK_EQ(sf_timeline_event(timeline, 3)->count, 98);

    manager.pid = 8; /* OpenSM was started again. */
    trap.last = trap.count = 2;
    set_traps(&manager, &trap, 1, 2);
    sf_conditions_note_traps(&manager, plan, 80000, &noted, timeline);
    CHECK_EQ(sf_timeline_last(timeline), 4);
    sf_timeline_tick(timeline, 200000);
    CHECK_EQ(sf_timeline_event(timeline, 5)->count, 1);

    trap.last = UINT64_MAX;
    trap.count = UINT64_MAX;
    set_traps(&manager, &trap, 1, 3);
    sf_conditions_note_traps(&manager, plan, 300000, &noted, timeline);
    sf_timeline_tick(timeline, 400000);
    CHECK_EQ(sf_timeline_last(timeline), 6);
    sf_timeline_free(timeline);
    sf_plan_free(plan);
}

/* Verifies the fabric of 'plan' without the cable 'cable'. */
static struct sf_watch *
watch_without(struct sf_plan *plan, uint32_t cable)
{
    struct sf_watch *watch;
    struct sf_fabric *found;
    struct sf_error err;

    CHECK_EQ(sf_watch_new(plan, NULL, &watch, &err), SF_OK);
    CHECK_EQ(sf_fabric_copy(plan->fabric, &found, &err), SF_OK);
    if (cable != SF_NONE) {
        sf_fabric_unplug(found, plan->cables[cable].a);
    }
    CHECK_EQ(sf_watch_update(watch, found, 0, &err), SF_OK);
    return watch;
}

TEST(timeline_goes_on_after_a_restart)
{
    struct sf_plan *plan = make_plan("sf:q=5");
    struct sf_watch *watch = watch_without(plan, 210);
    struct sf_journal journal;
    struct sf_error err;
    char path[] = "/tmp/slimfly-journal-XXXXXX";
    int fd = mkstemp(path);
    char state[64];

    CHECK(fd >= 0);
    close(fd);
    snprintf(state, sizeof state, "%s.state", path);
    for (int life = 0; life < 3; life++) {
        struct sf_timeline *timeline = make_timeline(NULL);
        CHECK_EQ(sf_journal_open(&journal, path, timeline, &err), SF_OK);
        for (int64_t look = 0; look < 4; look++) {
            sf_conditions_of_cabling(watch->verification,
                                     1000000 * life + 1000 * look, timeline);
            sf_journal_write(&journal, timeline, plan);
        }
        CHECK_EQ(sf_timeline_count_open(timeline, SF_SEVERITY_NOTE), 1);
        CHECK_EQ(sf_timeline_last(timeline), 1); /* Not told again. */
        sf_journal_close(&journal, timeline);
        sf_timeline_free(timeline);
    }
    FILE *file = fopen(path, "r");
    char line[2048];
    CHECK(file && fgets(line, sizeof line, file));
    CHECK(strstr(line, "\"event\":\"began\"") &&
          strstr(line, plan->cables[210].label) && strstr(line, "Step 1: "));
    CHECK(!fgets(line, sizeof line, file));
    fclose(file);
    unlink(path);
    unlink(state);
    sf_watch_free(watch);
    sf_plan_free(plan);
}

/* A reading in which each port has answered: port 'i' with 'errors' symbol
 * errors, all others with none. */
static struct sf_counters *
read_errors(const struct sf_fabric *fabric, double at, uint32_t i,
            uint64_t errors)
{
    struct sf_counters *counters;

    CHECK_EQ(sf_counters_make(fabric, &counters, NULL), SF_OK);
    for (uint32_t p = 0; p < counters->n_ports; p++) {
        counters->ports[p].answer = SF_ANSWER_GIVEN;
        counters->ports[p].at = at;
        counters->ports[p].known = (1u << SF_N_COUNTERS) - 1;
    }
    counters->ports[i].values[SF_COUNTER_SYMBOL_ERRORS] = errors;
    sf_counters_tally(counters);
    return counters;
}

/* Looks behind each port; nobody answers behind port 'i'. */
static void
probe(struct sf_counting *counting, const struct sf_fabric *fabric, uint32_t i)
{
    struct sf_probes *probes;

    CHECK_EQ(sf_probes_make(fabric, &probes, NULL), SF_OK);
    for (uint32_t p = 0; p < probes->n_ports; p++) {
        probes->ports[p].probe = p == i ? SF_PROBE_SILENT : SF_PROBE_ANSWERS;
    }
    CHECK_EQ(sf_silence_update(counting->silence, probes, NULL), SF_OK);
    counting->n_probes++;
    sf_probes_free(probes);
}

/* One life of a monitor, with 'n' readings; the events that are new. */
static void
count_for_a_life(struct sf_plan *plan, const struct sf_watch *watch,
                 const char *path, int64_t start, uint32_t n, bool is_healed,
                 char told[1024])
{
    const struct sf_fabric *found = watch->found;
    uint32_t errors_at = plan->cables[210].a, silent_at = plan->cables[220].a;
    struct sf_timeline *timeline = make_timeline(NULL);
    struct sf_counting counting;
    struct sf_journal journal;
    struct sf_error err;
    size_t length = 0;

    CHECK_EQ(sf_journal_open(&journal, path, timeline, &err), SF_OK);
    CHECK_EQ(sf_counting_init(&counting, plan, NULL, &err), SF_OK);
    uint64_t last = sf_timeline_last(timeline);
    for (uint32_t k = 0; k < n; k++) {
        struct sf_counters *now =
            read_errors(found, 30 * (k + 1.0), errors_at, 500);
        struct sf_growths *growths = NULL;
        if (counting.last) {
            CHECK_EQ(sf_counters_compare(counting.last, now, &growths, NULL),
                     SF_OK);
        }
        probe(&counting, found, is_healed ? SF_NONE : silent_at);
        struct sf_counters_view view = { .fabric = found,
                                         .counters = now,
                                         .growths = growths,
                                         .verification = watch->verification,
                                         .silence = counting.silence };
        CHECK_EQ(sf_counting_tell(&counting, &view, start + 30000 * k,
                                  timeline, &err),
                 SF_OK);
        sf_growths_free(growths);
        sf_counters_free(counting.last);
        counting.last = now;
    }
    told[0] = '\0';
    while (last < sf_timeline_last(timeline)) {
        const struct sf_event *event = sf_timeline_event(timeline, ++last);
        length +=
            (size_t)snprintf(told + length, 1024 - length, "%s %s;",
                             event->kind, sf_event_type_name(event->type));
    }
    sf_journal_write(&journal, timeline, plan);
    sf_journal_close(&journal, timeline);
    sf_counting_clear(&counting);
    sf_timeline_free(timeline);
}

/* Each restart ended black holes that were still there, and told counters that
 * were known as errors that grow. */
TEST(counters_are_not_told_again_after_a_restart)
{
    struct sf_plan *plan = make_plan("sf:q=5");
    struct sf_watch *watch = watch_without(plan, SF_NONE);
    char path[] = "/tmp/slimfly-journal-XXXXXX", state[64], told[1024];
    int fd = mkstemp(path);

    CHECK(fd >= 0);
    close(fd);
    snprintf(state, sizeof state, "%s.state", path);
    count_for_a_life(plan, watch, path, 1000000, 8, false, told);
    CHECK(strstr(told, "black_hole began") &&
          strstr(told, "old_counter began"));
    for (uint32_t life = 1; life < 12; life++) {
        count_for_a_life(plan, watch, path, 1000000 * (1 + (int64_t)life),
                         life, false, told);
        CHECK_STR(told, "");
    }
    count_for_a_life(plan, watch, path, 90000000, 12, true, told);
    CHECK_STR(told, "black_hole ended;");
    unlink(path);
    unlink(state);
    sf_watch_free(watch);
    sf_plan_free(plan);
}

/* The service did not start any more, and was started again for ever. */
TEST(journal_survives_a_broken_state)
{
    struct sf_plan *plan = make_plan("sf:q=5");
    char path[] = "/tmp/slimfly-journal-XXXXXX", state[64], broken[64];
    struct sf_journal journal;
    struct sf_error err;
    int fd = mkstemp(path);
    static const char events[] = "{\"id\":41,\"x\":1}\n{\"id\":42,";

    CHECK(fd >= 0 && write(fd, events, sizeof events - 1) > 0);
    close(fd);
    snprintf(state, sizeof state, "%s.state", path);
    snprintf(broken, sizeof broken, "%s.state.broken", path);
    FILE *file = fopen(state, "w");
    CHECK(file &&
          fputs("{\"schema\": \"slimfly.timeline\",\n\"kno", file) >= 0 &&
          fclose(file) == 0);
    struct sf_timeline *timeline = make_timeline(NULL);
    CHECK_EQ(sf_journal_open(&journal, path, timeline, &err), SF_OK);
    CHECK_EQ(access(broken, F_OK), 0);
    CHECK(access(state, F_OK) != 0);
    CHECK_EQ(sf_timeline_last(timeline), 43);
    const struct sf_event *event = sf_timeline_event(timeline, 43);
    CHECK_STR(event->kind, "state_broken");
    CHECK_EQ(event->severity, SF_SEVERITY_WARNING);
    CHECK(strstr(event->text, ".state:2: expected JSON") &&
          strstr(event->text, broken));
    sf_journal_write(&journal, timeline, plan);
    sf_journal_close(&journal, timeline);
    CHECK_EQ(access(state, F_OK), 0);
    sf_timeline_free(timeline);
    timeline = make_timeline(NULL);
    CHECK_EQ(sf_journal_open(&journal, path, timeline, &err), SF_OK);
    CHECK_EQ(sf_timeline_last(timeline), 43);
    sf_journal_close(&journal, timeline);
    unlink(path);
    unlink(state);
    unlink(broken);
    sf_timeline_free(timeline);
    sf_plan_free(plan);
}

TEST(journal_survives_a_full_disk)
{
    struct sf_plan *plan = make_plan("sf:q=5");
    struct sf_timeline *timeline = make_timeline(NULL);
    struct sf_journal journal;
    struct sf_error err;

    if (access("/dev/full", W_OK) == 0) {
        struct sf_condition note = {
            "n", "n", "A note.", NULL, SF_SEVERITY_NOTE, SF_NONE, SF_NONE
        };
        char path[] = "/tmp/slimfly-full-XXXXXX", state[64];
        int fd = mkstemp(path);
        CHECK(fd >= 0);
        close(fd);
        snprintf(state, sizeof state, "%s.state", path);
        CHECK_EQ(sf_journal_open(&journal, path, timeline, &err), SF_OK);
        int full = open("/dev/full", O_WRONLY), good = dup(journal.fd);
        dup2(full, journal.fd);
        sf_timeline_note(timeline, SF_MONITOR_SERVICE, &note, 1);
        sf_journal_write(&journal, timeline, plan);
        CHECK(journal.has_failed && strstr(journal.failure.text, "No space"));
        dup2(good, journal.fd);
        sf_journal_write(&journal, timeline, plan);
        CHECK(!journal.has_failed);
        CHECK_EQ(journal.written_id, 1);
        CHECK_EQ(journal.n_lost, 0);
        sf_journal_close(&journal, timeline);
        close(full);
        close(good);
        unlink(path);
        unlink(state);
    }
    sf_timeline_free(timeline);
    sf_plan_free(plan);
}

TEST(conditions_leave_out_what_is_explained)
{
    struct sf_plan *plan = make_plan("sf:q=5");
    struct sf_watch *watch;
    struct sf_fabric *found;
    struct sf_error err;
    struct sf_timeline *timeline = make_timeline(NULL);
    uint8_t *states = sf_calloc(plan->n_cables, 1);
    bool *is_drained = sf_calloc(plan->n_cables, 1);
    uint32_t n[SF_N_CABLE_STATES] = { 0 };

    CHECK_EQ(sf_watch_new(plan, NULL, &watch, &err), SF_OK);
    CHECK_EQ(sf_fabric_copy(plan->fabric, &found, &err), SF_OK);
    for (uint32_t i = 0; i < found->nodes[7].n_ports; i++) {
        uint32_t port = found->nodes[7].first_port + i;
        if (found->ports[port].peer != SF_NONE) {
            sf_fabric_unplug(found, port);
        }
    }
    found->nodes[7].guid = 0;
    found->nodes[7].name[0] = '?';
    is_drained[300] = true;
    CHECK_EQ(sf_watch_update(watch, found, 0, &err), SF_OK);
    sf_conditions_of_cabling(watch->verification, 1, timeline);
    sf_conditions_of_cabling(watch->verification, 2, timeline);
    CHECK(sf_timeline_last(timeline) <= 6);
    sf_cable_states(watch, is_drained, states);
    for (uint32_t i = 0; i < plan->n_cables; i++) {
        n[states[i]]++;
    }
    CHECK_EQ(n[SF_CABLE_DARK] + n[SF_CABLE_MISSING], 11);
    CHECK_EQ(n[SF_CABLE_DRAINED], 1);
    CHECK_EQ(n[SF_CABLE_RIGHT], plan->n_cables - 12);
    free(is_drained);
    free(states);
    sf_watch_free(watch);
    sf_timeline_free(timeline);
    sf_plan_free(plan);
}

TEST(monitor_addresses)
{
    static const struct {
        const char *word, *address;
        uint16_t port;
        bool is_loopback;
    } good[] = {
        { "127.0.0.1:80", "127.0.0.1", 80, true },
        { "localhost", "127.0.0.1", SF_MONITOR_PORT, true },
        { ":0", "127.0.0.1", 0, true },
        { "127.9.9.9:65535", "127.9.9.9", 65535, true },
        { "[::1]:9", "::1", 9, true },
        { "[::]", "::", SF_MONITOR_PORT, false },
        { "0.0.0.0:1", "0.0.0.0", 1, false },
        { "10.1.2.3", "10.1.2.3", SF_MONITOR_PORT, false },
    };
    static const char *const bad[] = {
        "host", "1.2.3",  "1.2.3.4:",   "::1",        "1.2.3.4:65536",
        "[::1", "[::1]9", "1.2.3.4:-1", "1.2.3.4:9x", "[127.0.0.1]"
    };
    struct sf_monitor_listen listen;
    struct sf_error err;

    for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
        CHECK_FOR(sf_monitor_listen_parse(good[i].word, &listen, &err) ==
                      SF_OK,
                  "%s", good[i].word);
        CHECK_STR(listen.address, good[i].address);
        CHECK_EQ(listen.port, good[i].port);
        CHECK_EQ(listen.is_loopback, good[i].is_loopback);
    }
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        CHECK_FOR(sf_monitor_listen_parse(bad[i], &listen, &err) == SF_EINVAL,
                  "%s", bad[i]);
    }
}

TEST(job_on_shortest_paths)
{
    static const char *const specs[] = {
        "sf:q=5",      "ft2:ports=8",    "ft3:ports=4",
        "hx2:4x4,p=2", "df:a=4,h=2,p=2", "jellyfish:n=20,k=4,seed=1",
        "pf:q=3"
    };

    for (size_t s = 0; s < ARRAY_SIZE(specs); s++) {
        struct sf_plan *plan = make_plan(specs[s]);
        struct sf_watch *watch = watch_without(plan, SF_NONE);
        struct sf_job_paths *paths;
        struct sf_error err;
        CHECK_EQ(sf_job_paths_new(plan, watch->is_right, &paths, &err), SF_OK);
        char *text = sf_job_find(paths, "node[0000-0005],nobody");
        json_t *root = text ? json_loads(text, 0, NULL) : NULL;
        CHECK(root && json_is_null(json_object_get(root, "failure")));
        CHECK_EQ(json_array_size(json_object_get(root, "nodes")), 6);
        CHECK_EQ(json_integer_value(json_object_get(root, "n_unknown")), 1);
        CHECK_EQ(json_integer_value(json_object_get(root, "n_lost")), 0);
        /* The cables of the hosts carry five parts each. */
        const json_t *cables = json_object_get(root, "cables");
        uint32_t n_full = 0;
        for (size_t i = 0; i < json_array_size(cables); i++) {
            const json_t *row = json_array_get(cables, i);
            json_int_t cable = json_integer_value(json_array_get(row, 0));
            if (plan->cables[cable].step == SF_STEP_HOSTS) {
                n_full += json_real_value(json_array_get(row, 1)) == 5;
            }
        }
        CHECK_EQ(n_full, 6);
        json_decref(root);
        free(text);
        text = sf_job_find(paths, "node[0000-");
        CHECK(text && strstr(text, "\"failure\":\""));
        free(text);
        sf_job_paths_free(paths);
        sf_watch_free(watch);
        sf_plan_free(plan);
    }
}

TEST(status_lists_drained_cables)
{
    struct sf_plan *plan = make_plan("sf:q=5");
    bool *is_drained = sf_calloc(plan->n_cables, 1);
    struct sf_status_more more;
    static const char text[] =
        "{\"routed_at\": \"2026-01-01T00:00:00Z\", \"drained\": {\"links\": "
        "[[{\"switch\": \"sf-0-0-0\", \"port\": 8}, {\"switch\": \"sf-1-1-0\","
        " \"port\": 8}]]}}";
    uint32_t n = 0;

    sf_status_parse_more(text, sizeof text - 1, plan, is_drained, &more);
    CHECK(more.is_changed);
    CHECK_STR(more.routed_at, "2026-01-01T00:00:00Z");
    for (uint32_t i = 0; i < plan->n_cables; i++) {
        n += is_drained[i];
    }
    CHECK_EQ(n, 1);
    sf_status_parse_more(text, sizeof text - 1, plan, is_drained, &more);
    CHECK(!more.is_changed);
    sf_status_parse_more("{", 1, plan, is_drained, &more);
    CHECK(!more.is_changed && !more.routed_at[0]);
    /* The same link, unplugged. */
    static const char absent[] =
        "{\"drained\": {\"safe_to_unplug\": true, \"links\": [], "
        "\"entries\": [{\"kind\": \"link\", \"name\": \"sf-0-0-0[8] "
        "sf-1-1-0[8]\", \"state\": \"absent\"}]}}";
    sf_status_parse_more(absent, sizeof absent - 1, plan, is_drained, &more);
    CHECK(!more.is_changed && more.is_safe);
    free(is_drained);
    sf_plan_free(plan);
}

/* Drains were seen by nobody who reads the time line. */
TEST(drained_cables_are_told)
{
    struct sf_plan *plan = make_plan("sf:q=5");
    struct sf_drained_cables drained = {
        .plan = plan,
        .now = sf_calloc(plan->n_cables, 1),
        .freed = sf_calloc(plan->n_cables, 1),
    };
    struct sf_manager_health health = { .verdict = SF_MANAGER_FINE };
    struct sf_timeline *timeline = make_timeline(NULL);
    /* Nothing; drained; safe; a failure; still; undrained. */
    static const struct {
        bool is_drained, is_safe;
        const char *failure;
        uint64_t last;
    } looks[] = {
        { false, true, NULL, 0 },   { true, false, NULL, 1 },
        { true, true, NULL, 2 },    { true, false, "gone", 3 },
        { true, false, "gone", 3 }, { true, true, NULL, 3 },
        { false, true, NULL, 4 },   { false, true, NULL, 5 },
    };

    for (size_t i = 0; i < ARRAY_SIZE(looks); i++) {
        drained.now[210] = looks[i].is_drained;
        drained.is_safe = looks[i].is_safe;
        sf_conditions_of_manager(&health, looks[i].failure, &drained,
                                 1000 * (int64_t)i, timeline);
        CHECK_EQ(sf_timeline_last(timeline), looks[i].last);
    }
    const struct sf_event *event = sf_timeline_event(timeline, 1);
    CHECK_STR(event->kind, "drained");
    CHECK_EQ(event->type, SF_EVENT_BEGAN);
    CHECK_EQ(event->cable, 210);
    CHECK(strstr(event->text, plan->cables[210].label));
    CHECK_STR(sf_timeline_event(timeline, 2)->kind, "can_be_unplugged");
    CHECK_EQ(sf_timeline_event(timeline, 5)->type, SF_EVENT_ENDED);
    free(drained.freed);
    free(drained.now);
    sf_timeline_free(timeline);
    sf_plan_free(plan);
}

/* Observations with each allocation failing in turn: nothing leaks, nothing
 * crashes, and what is told later is right again. */
TEST(timeline_nomem)
{
    for (unsigned long nth = 1; nth < 400; nth++) {
        struct sf_timeline *timeline;
        struct sf_error err;
        sf_mem_fail_at(nth);
        enum sf_status status = sf_timeline_new(NULL, &timeline, &err);
        for (int64_t look = 0; status == SF_OK && look < 6; look++) {
            sf_timeline_begin(timeline, SF_MONITOR_CABLING, look);
            for (uint32_t i = 0; i < 30; i++) {
                see(timeline, i, i % 2);
            }
            sf_timeline_end(timeline);
        }
        sf_mem_fail_at(0);
        if (status == SF_OK) {
            CHECK_EQ(sf_timeline_count_open(timeline, SF_SEVERITY_NOTE), 30);
        }
        sf_timeline_free(timeline);
    }
}
