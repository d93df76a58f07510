/* watch_json.c -- the state of the wiring for programs, a line a discovery;
 * doc/formats.md describes the members. */
#include "report/verify_json.h"
#include "slimfly/watch.h"

static json_t *
make_tally(const struct sf_tally *tally)
{
    return json_pack("{s:I, s:I}", "planned", (json_int_t)tally->n_planned,
                     "right", (json_int_t)tally->n_right);
}

static json_t *
make_labels(const struct sf_plan *plan, const uint32_t *cables, uint32_t n)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < n; i++) {
        json_array_append_new(array,
                              json_string(plan->cables[cables[i]].label));
    }
    return array;
}

static json_t *
make_steps(const struct sf_watch *watch)
{
    json_t *array = json_array();
    for (int step = 0; step < SF_N_STEPS; step++) {
        json_t *object = make_tally(&watch->by_step[step]);
        json_object_set_new(object, "step", json_integer(step));
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *
make_racks(const struct sf_watch *watch)
{
    const struct sf_plan *plan = watch->plan;
    json_t *array = json_array();

    for (uint32_t i = 0; i < plan->n_racks; i++) {
        json_t *object = make_tally(&watch->by_rack[i]);
        json_object_set_new(object, "rack", json_string(plan->racks[i].name));
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *
make_wrong(const struct sf_verification *verification)
{
    json_t *array = json_array();

    for (uint32_t i = 0; verification && i < verification->n_findings; i++) {
        const struct sf_finding *finding = &verification->findings[i];
        if (finding->verdict == SF_VERDICT_MISSING ||
            finding->verdict == SF_VERDICT_MISSING_SWITCH ||
            finding->verdict == SF_VERDICT_MISSING_HOST) {
            continue;
        }
        json_t *object = json_pack(
            "{s:s, s:o}", "verdict", sf_verdict_name(finding->verdict), "text",
            sf_json_sentence(verification, i, sf_verification_write_finding));
        json_object_set_new(object, "remedy", sf_json_remedy(verification, i));
        json_object_set_new(
            object, "move",
            finding->move == SF_NONE
                ? json_null()
                : sf_json_sentence(verification, finding->move,
                                   sf_verification_write_move));
        json_object_set_new(object, "step",
                            finding->move == SF_NONE
                                ? json_null()
                                : json_integer(finding->move + 1));
        json_array_append_new(array, object);
    }
    return array;
}

enum sf_status
sf_watch_write_json(const struct sf_watch *watch, const char *failure,
                    FILE *stream, struct sf_error *err)
{
    bool matches =
        !failure && watch->verification && watch->verification->matches;
    bool is_news = !failure && watch->is_news;
    json_t *root = json_pack(
        "{s:s, s:i, s:b, s:s?, s:b, s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:o}",
        "schema", "slimfly.watch", "schema_version", 1, "discovered",
        failure == NULL, "failure", failure, "matches", (int)matches, "cables",
        make_tally(&watch->all), "steps", make_steps(watch), "racks",
        make_racks(watch), "n_unanswered", (json_int_t)watch->n_unanswered,
        "plugged",
        make_labels(watch->plan, watch->new_cables,
                    is_news ? watch->n_new : 0),
        "lost",
        make_labels(watch->plan, watch->lost_cables,
                    is_news ? watch->n_lost : 0),
        "warnings",
        failure || !watch->verification
            ? json_array()
            : sf_json_warnings(watch->verification),
        "wrong", make_wrong(failure ? NULL : watch->verification));

    if (root && !failure && watch->found && watch->found->n_notes) {
        json_object_set_new(root, "notes", sf_json_notes(watch->verification));
    }
    if (!root) {
        return sf_fail(err, SF_ENOMEM,
                       "cannot make JSON: out of memory, or a name that is "
                       "not UTF-8");
    }
    json_dumpf(root, stream, JSON_COMPACT);
    fputc('\n', stream);
    json_decref(root);
    return SF_OK;
}
