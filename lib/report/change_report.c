/* change_report.c -- the judgement of a change, as text and as JSON;
 * doc/formats.md describes the members. */
#include "slimfly/change_report.h"

#include "base/origin_json.h"
#include "base/plural.h"
#include "report/change_json.h"

typedef unsigned long long count;

static const char *const fault_names[SF_AUDIT_N_FAULTS] = {
    [SF_AUDIT_NO_ENTRY] = "no entry",
    [SF_AUDIT_DEAD_END] = "dead end",
    [SF_AUDIT_LOOP] = "loop",
};

static const char *const origin_names[] = {
    [SF_MIXTURE_SAME] = "same",
    [SF_MIXTURE_OLD] = "old",
    [SF_MIXTURE_NEW] = "new",
};

static const char *const behaviour_names[SF_AUDIT_N_BEHAVIOURS] = {
    [SF_AUDIT_PATH_SLS] = "path_sls",
    [SF_AUDIT_REPLIES] = "replies",
    [SF_AUDIT_ONE_SL] = "all_on_sl",
};

static const char *
name_of(const struct sf_fabric *fabric, uint32_t node)
{
    return fabric->nodes[node].name;
}

/* "sf-0-0-1 port 5 (new) VL 1, sf-0-1-2 port 3 (old) VL 0" */
static void
write_hops(const struct sf_mixture_path *path, const struct sf_fabric *fabric,
           FILE *stream)
{
    for (uint32_t i = 0; i < path->n_hops; i++) {
        const struct sf_mixture_hop *hop = &path->hops[i];
        fprintf(stream, "%s%s ", i ? ", " : "", name_of(fabric, hop->at));
        if (hop->port == SF_NO_PORT) {
            fputs("no entry", stream);
        } else {
            fprintf(stream, "port %u", hop->port);
        }
        if (hop->entry != SF_MIXTURE_SAME) {
            fprintf(stream, " (%s)", origin_names[hop->entry]);
        }
        if (hop->vl != SF_NO_VL) {
            fprintf(stream, " VL %u", hop->vl);
        }
        if (hop->lane != SF_MIXTURE_SAME) {
            fprintf(stream, " (%s)", origin_names[hop->lane]);
        }
    }
}

static void
write_behaviour(const struct sf_mixture *mixture, int behaviour, FILE *stream)
{
    switch (behaviour) {
    case SF_AUDIT_PATH_SLS:
        fputs(mixture->has_path_sls ? "with the old or new SL of each path"
                                    : "with all on SL 0",
              stream);
        break;
    case SF_AUDIT_REPLIES:
        fputs("with replies on the SL of the request", stream);
        break;
    default:
        fprintf(stream, "with all on SL %u", mixture->deadlock[behaviour].sl);
    }
}

static void
write_deadlock(const struct sf_mixture *mixture, int behaviour,
               const struct sf_fabric *fabric, FILE *stream)
{
    const struct sf_mixture_deadlock *deadlock = &mixture->deadlock[behaviour];

    fputs(deadlock->is_free ? "ok    no mixture can deadlock "
                            : "WRONG a mixture can deadlock ",
          stream);
    write_behaviour(mixture, behaviour, stream);
    fprintf(stream, ": %u %s, %llu %s", deadlock->n_channels,
            sf_plural(deadlock->n_channels, "channel", "channels"),
            (count)deadlock->n_dependencies,
            sf_plural(deadlock->n_dependencies, "dependency", "dependencies"));
    if (deadlock->is_free) {
        fputc('\n', stream);
        return;
    }
    fprintf(stream, ", a cycle of %u:\n", deadlock->n_steps);
    for (uint32_t i = 0; i < deadlock->n_steps; i++) {
        const struct sf_mixture_step *step = &deadlock->steps[i];
        fprintf(stream,
                "      %s port %u VL %u, held by %s%s to LID %u on SL "
                "%u, by way of ",
                name_of(fabric, step->at), step->port, step->vl,
                name_of(fabric, step->path.source),
                step->path.is_port_0 ? " port 0" : "", step->path.lid,
                step->path.sl);
        write_hops(&step->path, fabric, stream);
        fputs(", which waits for\n", stream);
    }
    fputs("      the first again\n", stream);
}

static void
write_faults(const struct sf_mixture *mixture, const struct sf_fabric *fabric,
             FILE *stream)
{
    count n_faulty = mixture->n_faulty, n_entries = mixture->n_entries;

    if (!n_faulty) {
        fputs("ok    in every mixture, every LID is reached from every "
              "switch, without loops\n",
              stream);
        return;
    }
    fprintf(stream,
            "%s %llu of %llu pairs of switch and LID can meet a fault on the "
            "way: %llu a loop, %llu a dead end\n",
            mixture->n_mixed || mixture->n_faulty_new ? "WRONG" : "note ",
            n_faulty, n_entries, (count)mixture->n_loops,
            (count)mixture->n_dead_ends);
    fprintf(stream,
            "      of these, %llu fail with the old tables alone, %llu with "
            "the new tables alone, %llu only in mixtures\n",
            (count)mixture->n_faulty_old, (count)mixture->n_faulty_new,
            (count)mixture->n_mixed);
    for (uint32_t i = 0; i < mixture->n_examples; i++) {
        const struct sf_mixture_example *example = &mixture->examples[i];
        fprintf(stream, "      LID %u from %s, %s: ", example->path.lid,
                name_of(fabric, example->path.source),
                fault_names[example->fault]);
        write_hops(&example->path, fabric, stream);
        fputc('\n', stream);
    }
}

void
sf_steps_describe(const struct sf_steps *steps, char text[SF_STEPS_TEXT_SIZE])
{
    if (!steps->is_safe) {
        snprintf(text, SF_STEPS_TEXT_SIZE, "not safe in steps: %s",
                 steps->reason);
    } else if (!steps->n_steps) {
        snprintf(text, SF_STEPS_TEXT_SIZE, "nothing changes");
    } else if (!steps->n_dropped) {
        snprintf(text, SF_STEPS_TEXT_SIZE,
                 "safe in every mixture in %u step%s%s", steps->n_steps,
                 steps->n_steps == 1 ? "" : "s",
                 steps->lanes_step == SF_NONE ? ""
                                              : ", one of them for SL-to-VL "
                                                "tables");
    } else {
        snprintf(text, SF_STEPS_TEXT_SIZE,
                 "no deadlock in any mixture in %u steps, but %llu pairs of "
                 "switch and LID have no path between two of them",
                 steps->n_steps, (count)steps->n_pairs_lost);
    }
}

void
sf_change_write_text(const struct sf_mixture *mixture,
                     const struct sf_steps *steps,
                     const struct sf_fabric *fabric, FILE *stream)
{
    char text[SF_STEPS_TEXT_SIZE];

    fprintf(stream,
            "%s: %u %s, %u %s, %u LIDs, %u %s; %llu of %llu entries "
            "change\n",
            mixture->is_safe   ? "SAFE IN EVERY MIXTURE"
            : mixture->is_free ? "NO DEADLOCK, BUT FAULTS ON THE WAY"
                               : "NOT SAFE",
            mixture->n_switches,
            sf_plural(mixture->n_switches, "switch", "switches"),
            mixture->n_hosts, sf_plural(mixture->n_hosts, "host", "hosts"),
            mixture->n_lids, mixture->n_vls,
            sf_plural(mixture->n_vls, "VL", "VLs"), (count)mixture->n_changed,
            (count)mixture->n_entries);
    for (int i = 0; i < SF_AUDIT_N_BEHAVIOURS; i++) {
        if (mixture->deadlock[i].is_checked) {
            write_deadlock(mixture, i, fabric, stream);
        }
    }
    write_faults(mixture, fabric, stream);
    if (mixture->n_lanes_changed) {
        fprintf(stream, "      %llu entries of SL-to-VL tables change too\n",
                (count)mixture->n_lanes_changed);
    }
    if (steps) {
        sf_steps_describe(steps, text);
        fprintf(stream, "      %s\n", text);
    }
    if (mixture->has_port_0) {
        fputs("      packets start at port 0 of switches too\n", stream);
    }
}

static json_t *
json_of_path(const struct sf_mixture_path *path,
             const struct sf_fabric *fabric)
{
    json_t *hops = json_array();

    for (uint32_t i = 0; i < path->n_hops; i++) {
        const struct sf_mixture_hop *hop = &path->hops[i];
        json_array_append_new(
            hops, json_pack("{s:s, s:i, s:s, s:o, s:s}", "switch",
                            name_of(fabric, hop->at), "port", (int)hop->port,
                            "entry", origin_names[hop->entry], "vl",
                            hop->vl == SF_NO_VL ? json_null()
                                                : json_integer(hop->vl),
                            "lane", origin_names[hop->lane]));
    }
    return json_pack("{s:s, s:b, s:I, s:i, s:o}", "source",
                     name_of(fabric, path->source), "from_port_0",
                     (int)path->is_port_0, "lid", (json_int_t)path->lid, "sl",
                     (int)path->sl, "hops", hops);
}

static json_t *
json_of_deadlock(const struct sf_mixture_deadlock *deadlock,
                 const struct sf_fabric *fabric)
{
    if (!deadlock->is_checked) {
        return json_null();
    }
    json_t *witness = deadlock->is_free ? json_null() : json_array();
    for (uint32_t i = 0; i < deadlock->n_steps; i++) {
        const struct sf_mixture_step *step = &deadlock->steps[i];
        json_array_append_new(
            witness, json_pack("{s:s, s:i, s:i, s:o}", "switch",
                               name_of(fabric, step->at), "port",
                               (int)step->port, "vl", (int)step->vl, "path",
                               json_of_path(&step->path, fabric)));
    }
    return json_pack("{s:b, s:I, s:I, s:o}", "free", (int)deadlock->is_free,
                     "n_channels", (json_int_t)deadlock->n_channels,
                     "n_dependencies", (json_int_t)deadlock->n_dependencies,
                     "witness", witness);
}

static json_t *
json_of_faults(const struct sf_mixture *mixture,
               const struct sf_fabric *fabric)
{
    json_t *examples = json_array();

    for (uint32_t i = 0; i < mixture->n_examples; i++) {
        const struct sf_mixture_example *example = &mixture->examples[i];
        json_array_append_new(examples,
                              json_pack("{s:s, s:o}", "fault",
                                        fault_names[example->fault], "path",
                                        json_of_path(&example->path, fabric)));
    }
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "pairs",
                     (json_int_t)mixture->n_faulty, "loop",
                     (json_int_t)mixture->n_loops, "dead_end",
                     (json_int_t)mixture->n_dead_ends, "old_alone",
                     (json_int_t)mixture->n_faulty_old, "new_alone",
                     (json_int_t)mixture->n_faulty_new, "only_mixed",
                     (json_int_t)mixture->n_mixed, "examples", examples);
}

json_t *
sf_steps_to_json(const struct sf_steps *steps)
{
    if (!steps) {
        return json_null();
    }
    json_t *entries = json_array();
    for (uint32_t k = 0; k < steps->n_steps; k++) {
        json_array_append_new(
            entries,
            json_integer((json_int_t)(steps->first[k + 1] - steps->first[k])));
    }
    return json_pack(
        "{s:b, s:s?, s:I, s:o, s:o, s:I, s:I, s:I, s:I}", "safe",
        (int)steps->is_safe, "reason", steps->is_safe ? NULL : steps->reason,
        "n_steps", (json_int_t)steps->n_steps, "entries_by_step", entries,
        "lanes_step",
        steps->lanes_step == SF_NONE ? json_null()
                                     : json_integer(steps->lanes_step),
        "n_columns", (json_int_t)steps->n_columns, "n_split",
        (json_int_t)steps->n_split, "n_dropped", (json_int_t)steps->n_dropped,
        "n_pairs_lost", (json_int_t)steps->n_pairs_lost);
}

enum sf_status
sf_change_write_json(const struct sf_mixture *mixture,
                     const struct sf_steps *steps,
                     const struct sf_fabric *fabric,
                     const struct sf_origin *origin, FILE *stream,
                     struct sf_error *err)
{
    const struct sf_mixture_deadlock *one =
        &mixture->deadlock[SF_AUDIT_ONE_SL];
    json_t *verdicts = json_object();

    for (int i = 0; i < SF_AUDIT_N_BEHAVIOURS; i++) {
        json_object_set_new(verdicts, behaviour_names[i],
                            json_of_deadlock(&mixture->deadlock[i], fabric));
    }
    json_t *root = json_pack(
        "{s:s, s:i, s:b, s:b, s:I, s:I, s:I, s:I, s:b, s:b, s:I, s:I, s:I, "
        "s:o, s:o, s:o, s:o}",
        "schema", "slimfly.change", "schema_version", 1, "safe",
        (int)mixture->is_safe, "free", (int)mixture->is_free, "n_switches",
        (json_int_t)mixture->n_switches, "n_hosts",
        (json_int_t)mixture->n_hosts, "n_lids", (json_int_t)mixture->n_lids,
        "n_vls", (json_int_t)mixture->n_vls, "has_path_sls",
        (int)mixture->has_path_sls, "has_port_0", (int)mixture->has_port_0,
        "n_pairs", (json_int_t)mixture->n_entries, "n_changed_entries",
        (json_int_t)mixture->n_changed, "n_changed_sl2vl",
        (json_int_t)mixture->n_lanes_changed, "faults",
        json_of_faults(mixture, fabric), "all_on_sl",
        one->is_checked ? json_integer(one->sl) : json_null(), "deadlock",
        verdicts, "steps", sf_steps_to_json(steps));
    if (!root || !sf_origin_add_json(root, origin)) {
        json_decref(root);
        return sf_fail(err, SF_ENOMEM, "cannot make JSON: out of memory");
    }
    json_dumpf(root, stream, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    fputc('\n', stream);
    json_decref(root);
    return SF_OK;
}
