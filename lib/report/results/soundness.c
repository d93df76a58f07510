/* soundness.c -- what a verification, routes, an audit and the audit of a
 * change say: whether something is wrong. */
#include "report/results/parts.h"

#include <string.h>

/* How many findings the summary names. */
#define MAX_NAMED 3

void
sf_results_tell_verification(struct results_page *page,
                             const struct result *result)
{
    const json_t *root = result->root, *item;
    const json_t *moves = sf_results_array(page, root, "moves");
    const json_t *findings = sf_results_array(page, root, "findings");
    uint64_t n = sf_results_whole(page, root, "counts.planned_cables");
    uint64_t n_right = sf_results_whole(page, root, "counts.right");
    const char *plan = sf_results_text(root, "plan", "the plan");
    size_t i;

    if (!sf_results_fine(page)) {
        return;
    }
    if (sf_results_truth(root, "matches")) {
        sf_results_say(
            page, RESULTS_WRONG, RESULTS_GOOD,
            "The wiring is as planned (%s): all %llu cables are where "
            "they should be.",
            plan, (unsigned long long)n);
        return;
    }
    sf_results_say(
        page, RESULTS_WRONG, RESULTS_BAD,
        "The wiring is not as planned (%s): %llu of %llu cables are "
        "right. There are %zu findings; %zu moves of cable ends mend "
        "what can be mended by moving.",
        plan, (unsigned long long)n_right, (unsigned long long)n,
        json_array_size(findings), json_array_size(moves));
    json_array_foreach(moves, i, item)
    {
        if (i < MAX_NAMED) {
            sf_results_say(
                page, RESULTS_WRONG, RESULTS_BAD, "%s",
                sf_results_text(item, "text", "A cable is to be moved."));
        }
    }
}

void
sf_results_tell_route(struct results_page *page, const struct result *result)
{
    const json_t *root = result->root;
    uint64_t n_switches = sf_results_whole(page, root, "n_switches");
    uint64_t n_layers = sf_results_whole(page, root, "n_layers");
    uint64_t n_vls = sf_results_whole(page, root, "lanes.n_vls");
    uint64_t n_broken = sf_results_whole(page, root, "n_broken_paths");
    char hops[RESULTS_VALUE_SIZE];

    sf_results_say(
        page, RESULTS_CARRIES, RESULTS_FACT,
        "%llu switches are routed by scheme %s in %llu layers: %s hops "
        "on average, at most %llu.",
        (unsigned long long)n_switches, sf_results_text(root, "scheme", "?"),
        (unsigned long long)n_layers,
        sf_results_format(sf_results_number(root, "mean_hops"), RESULTS_PLAIN,
                          hops),
        (unsigned long long)sf_results_whole(page, root, "most_hops"));
    if (n_broken) {
        sf_results_say(page, RESULTS_WRONG, RESULTS_BAD,
                       "%llu paths of the routes are broken.",
                       (unsigned long long)n_broken);
    }
    if (sf_results_truth(root, "lanes.safe_on_any_sl")) {
        sf_results_say(
            page, RESULTS_WRONG, RESULTS_GOOD,
            "These routes cannot deadlock on any service level; they "
            "need %llu virtual lane%s.",
            (unsigned long long)n_vls, n_vls == 1 ? "" : "s");
    } else if (sf_results_truth(root, "lanes.safe_on_path_sls")) {
        sf_results_say(
            page, RESULTS_WRONG, RESULTS_FACT,
            "These routes cannot deadlock if senders use the service "
            "level of each path, which UCX and NCCL do not.");
    } else {
        sf_results_say(page, RESULTS_WRONG, RESULTS_BAD,
                       "These routes can deadlock.");
    }
}

/* The behaviours of senders that an audit looks at. */
static const struct {
    const char *member, *title;
} behaviours[] = {
    { "path_sls", "senders use the service level of each path" },
    { "replies", "replies use the service level of the request" },
    { "all_on_sl", "all packets use one service level" },
};

static void
tell_deadlocks(struct results_page *page, const json_t *root)
{
    const json_t *all = sf_results_find(root, "deadlock");

    if (!json_is_object(all)) {
        sf_json_refuse(&page->reader, "deadlock: expected an object");
    }
    for (size_t i = 0; i < sizeof behaviours / sizeof *behaviours; i++) {
        const json_t *one = json_object_get(all, behaviours[i].member);
        if (json_is_object(one) && !sf_results_truth(one, "free")) {
            sf_results_say(page, RESULTS_WRONG, RESULTS_BAD,
                           "Packets can wait for each other for ever if %s.",
                           behaviours[i].title);
        }
    }
}

void
sf_results_tell_audit(struct results_page *page, const struct result *result)
{
    const json_t *root = result->root;
    uint64_t n_lids = sf_results_whole(page, root, "n_lids");
    uint64_t n_pairs = sf_results_whole(page, root, "n_pairs");
    uint64_t n_missing = sf_results_whole(page, root, "faults.no_entry");
    uint64_t n_ends = sf_results_whole(page, root, "faults.dead_end");
    uint64_t n_loops = sf_results_whole(page, root, "faults.loop");

    if (!sf_results_fine(page)) {
        return;
    }
    if (sf_results_truth(root, "sound")) {
        sf_results_say(
            page, RESULTS_WRONG, RESULTS_GOOD,
            "The tables in the switches are sound: each of %llu LIDs "
            "is reached from every switch, without loops, and packets "
            "cannot deadlock.",
            (unsigned long long)n_lids);
        return;
    }
    if (n_missing + n_ends + n_loops) {
        sf_results_say(
            page, RESULTS_WRONG, RESULTS_BAD,
            "The audit followed %llu pairs of switch and LID: %llu "
            "have no entry, %llu end before the LID, %llu loop.",
            (unsigned long long)n_pairs, (unsigned long long)n_missing,
            (unsigned long long)n_ends, (unsigned long long)n_loops);
    }
    tell_deadlocks(page, root);
}

void
sf_results_tell_change(struct results_page *page, const struct result *result)
{
    const json_t *root = result->root;
    uint64_t n = sf_results_whole(page, root, "n_changed_entries");

    if (sf_results_truth(root, "safe")) {
        sf_results_say(page, RESULTS_WRONG, RESULTS_GOOD,
                       "The change of tables is safe while packets flow: %llu "
                       "entries change.",
                       (unsigned long long)n);
        return;
    }
    sf_results_say(
        page, RESULTS_WRONG, RESULTS_BAD,
        "The change of tables (%llu entries) is not safe while packets "
        "flow.",
        (unsigned long long)n);
    tell_deadlocks(page, root);
}

static const struct results_column deadlock_columns[] = {
    RESULTS_COLUMN("senders", "title", RESULTS_PLAIN),
    RESULTS_COLUMN("free of deadlock", "free", RESULTS_PLAIN),
    { "channels", "n_channels", RESULTS_COUNT,
      .hint = "Directions of links with a virtual lane, in use" },
    RESULTS_COLUMN("dependencies", "n_dependencies", RESULTS_COUNT),
    RESULTS_COLUMN("steps of the cycle", "cycle", RESULTS_COUNT),
    { 0 },
};

void
sf_results_show_deadlock(struct results_page *page,
                         const struct result *result)
{
    static const struct results_table table = { "Deadlock", "rows",
                                                .columns = deadlock_columns };
    json_t *rows = json_array();

    for (size_t i = 0; i < sizeof behaviours / sizeof *behaviours; i++) {
        const json_t *all = sf_results_find(result->root, "deadlock");
        json_t *one = json_object_get(all, behaviours[i].member);
        const json_t *witness = json_object_get(one, "witness");
        if (json_is_object(one)) {
            json_t *row = json_copy(one);
            json_object_set_new(row, "title",
                                json_string(behaviours[i].title));
            json_object_set_new(
                row, "cycle",
                json_is_array(witness)
                    ? json_integer((json_int_t)json_array_size(witness))
                    : json_null());
            json_array_append_new(rows, row);
        }
    }
    json_t *root = json_pack("{s:o}", "rows", rows);
    if (root) {
        sf_results_write_table(page, root, &table);
    } else {
        sf_json_fail_memory(&page->reader);
    }
    json_decref(root);
}
