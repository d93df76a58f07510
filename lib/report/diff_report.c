/* diff_report.c -- the difference of two sets of tables, as text and as JSON;
 * doc/formats.md describes the members. */
#include "slimfly/table_diff.h"

#include "report/change_json.h"

typedef unsigned long long count;

/* Switches that the text lists one by one. */
#define MOST_LISTED 10

static void
write_part(FILE *stream, bool *is_firstp, uint32_t n, const char *one,
           const char *many)
{
    if (n) {
        fprintf(stream, "%s%u %s", *is_firstp ? "" : ", ", n,
                n == 1 ? one : many);
        *is_firstp = false;
    }
}

static void
write_fabric(const struct sf_difference *fabric, FILE *stream)
{
    bool is_first = true;

    fputs("  fabric: ", stream);
    write_part(stream, &is_first, fabric->n_lost_switches, "switch gone",
               "switches gone");
    write_part(stream, &is_first, fabric->n_new_switches, "switch new",
               "switches new");
    write_part(stream, &is_first, fabric->n_lost_links, "link gone",
               "links gone");
    write_part(stream, &is_first, fabric->n_new_links, "link new",
               "links new");
    write_part(stream, &is_first, fabric->n_lost_hosts, "host gone",
               "hosts gone");
    write_part(stream, &is_first, fabric->n_new_hosts, "host new",
               "hosts new");
    fputs(is_first ? "the same\n" : "\n", stream);
}

static void
write_replaced(const struct sf_diff_report *report, FILE *stream)
{
    for (uint32_t i = 0; report->replaced && i < report->replaced->n; i++) {
        const struct sf_replacement *item = &report->replaced->items[i];
        fprintf(stream, "  replaced: %s, 0x%016llx by 0x%016llx\n",
                report->after->nodes[item->new_node].name,
                (count)item->old_guid, (count)item->new_guid);
    }
}

static void
write_entries(const struct sf_diff_report *report, FILE *stream)
{
    const struct sf_table_diff *diff = report->diff;

    fprintf(stream, "  entries: %llu of %llu change, on %u of %u switches\n",
            (count)diff->n_changed, (count)diff->n_entries, diff->n_switches,
            report->after->n_switches);
    for (uint32_t i = 0; i < diff->n_switches && i < MOST_LISTED; i++) {
        fprintf(stream, "    %s: %llu\n",
                report->after->nodes[diff->switches[i].number].name,
                (count)diff->switches[i].n_changed);
    }
    if (diff->n_switches > MOST_LISTED) {
        fprintf(stream, "    and %u more switches\n",
                diff->n_switches - MOST_LISTED);
    }
}

static void
write_paths(const struct sf_table_diff *diff, FILE *stream)
{
    fprintf(stream,
            "  paths: %llu of %llu change: %llu longer, %llu shorter, %llu "
            "lost, %llu that did not arrive before\n",
            (count)diff->n_changed_paths, (count)diff->n_paths,
            (count)diff->n_longer, (count)diff->n_shorter, (count)diff->n_lost,
            (count)diff->n_mended);
    fprintf(stream,
            "  hops: %.3f on average, %u at most; before %.3f and %u\n",
            diff->after.mean_hops, diff->after.most_hops,
            diff->before.mean_hops, diff->before.most_hops);
    fprintf(stream,
            "  hosts: %u of %u are reached over changed paths, %u send over "
            "them\n",
            diff->n_receivers, diff->n_hosts, diff->n_senders);
}

static void
write_load(const char *when, const struct sf_diff_paths *paths,
           const struct sf_fabric *fabric, FILE *stream)
{
    fprintf(stream, "  load %s: %llu to %llu paths a link, %.1f on average",
            when, (count)paths->least_load, (count)paths->most_load,
            paths->mean_load);
    if (paths->n_unused) {
        fprintf(stream, ", %u directions unused", paths->n_unused);
    }
    if (paths->busiest != SF_NONE) {
        const struct sf_port *port = &fabric->ports[paths->busiest];
        fprintf(stream, "; most on %s port %u", fabric->nodes[port->node].name,
                port->number);
    }
    fputc('\n', stream);
}

static void
write_lanes(const struct sf_table_diff *diff, FILE *stream)
{
    if (!diff->knows_lanes) {
        fputs("  lanes: not known on both sides\n", stream);
        return;
    }
    fprintf(stream,
            "  lanes: %llu entries of SL-to-VL tables change; VLs: %u, before "
            "%u\n",
            (count)diff->n_lanes_changed, diff->after.n_vls,
            diff->before.n_vls);
    if (diff->knows_path_sls && diff->n_path_sls_changed) {
        fprintf(stream, "  service levels of %llu paths change\n",
                (count)diff->n_path_sls_changed);
    }
}

void
sf_diff_write_text(const struct sf_diff_report *report, FILE *stream)
{
    const struct sf_table_diff *diff = report->diff;
    char text[SF_STEPS_TEXT_SIZE];

    if (diff->is_same) {
        fprintf(stream, "the same: %llu entries, %llu paths\n",
                (count)diff->n_entries, (count)diff->n_paths);
        write_replaced(report, stream);
        return;
    }
    fputs("different:\n", stream);
    write_fabric(&diff->fabric, stream);
    write_replaced(report, stream);
    write_entries(report, stream);
    write_paths(diff, stream);
    write_load("before", &diff->before, report->before, stream);
    write_load("after", &diff->after, report->after, stream);
    write_lanes(diff, stream);
    if (report->mixture) {
        fprintf(stream, "  written at once: %s\n",
                report->mixture->is_safe ? "safe in every mixture of old and "
                                           "new entries"
                : report->mixture->is_free
                    ? "no mixture of old and new entries can deadlock, but "
                      "packets can be lost meanwhile"
                    : "a mixture of old and new entries can deadlock");
    }
    if (report->steps) {
        sf_steps_describe(report->steps, text);
        fprintf(stream, "  written in steps: %s\n", text);
    }
}

static json_t *
json_of_paths(const struct sf_diff_paths *paths,
              const struct sf_fabric *fabric)
{
    const struct sf_port *port =
        paths->busiest == SF_NONE ? NULL : &fabric->ports[paths->busiest];
    json_t *busiest = port ? json_pack("{s:s, s:I}", "switch",
                                       fabric->nodes[port->node].name, "port",
                                       (json_int_t)port->number)
                           : json_null();

    return json_pack(
        "{s:I, s:I, s:f, s:I, s:I, s:I, s:I, s:I, s:f, s:o, s:o}", "n_paths",
        (json_int_t)paths->n_paths, "n_broken", (json_int_t)paths->n_broken,
        "mean_hops", paths->mean_hops, "most_hops",
        (json_int_t)paths->most_hops, "n_links", (json_int_t)paths->n_links,
        "n_unused_links", (json_int_t)paths->n_unused, "least_load",
        (json_int_t)paths->least_load, "most_load",
        (json_int_t)paths->most_load, "mean_load", paths->mean_load, "busiest",
        busiest, "n_vls",
        paths->n_vls ? json_integer(paths->n_vls) : json_null());
}

static json_t *
json_of_switches(const struct sf_diff_report *report)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < report->diff->n_switches; i++) {
        const struct sf_diff_switch *item = &report->diff->switches[i];
        json_array_append_new(
            list, json_pack("{s:s, s:I}", "switch",
                            report->after->nodes[item->number].name,
                            "n_changed_entries", (json_int_t)item->n_changed));
    }
    return list;
}

static json_t *
json_of_replaced(const struct sf_diff_report *report)
{
    json_t *list = json_array();

    for (uint32_t i = 0; report->replaced && i < report->replaced->n; i++) {
        const struct sf_replacement *item = &report->replaced->items[i];
        char old_guid[20], new_guid[20];
        (void)snprintf(old_guid, sizeof old_guid, "0x%016llx",
                       (count)item->old_guid);
        (void)snprintf(new_guid, sizeof new_guid, "0x%016llx",
                       (count)item->new_guid);
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:s}", "node",
                            report->after->nodes[item->new_node].name,
                            "old_guid", old_guid, "new_guid", new_guid));
    }
    return list;
}

static json_t *
json_of_fabric(const struct sf_difference *fabric)
{
    return json_pack("{s:{s:I, s:I, s:I}, s:{s:I, s:I, s:I}}", "gone",
                     "switches", (json_int_t)fabric->n_lost_switches, "links",
                     (json_int_t)fabric->n_lost_links, "hosts",
                     (json_int_t)fabric->n_lost_hosts, "new", "switches",
                     (json_int_t)fabric->n_new_switches, "links",
                     (json_int_t)fabric->n_new_links, "hosts",
                     (json_int_t)fabric->n_new_hosts);
}

static json_t *
json_of_mixture(const struct sf_mixture *mixture)
{
    return mixture
               ? json_pack("{s:b, s:b, s:I}", "safe", (int)mixture->is_safe,
                           "free", (int)mixture->is_free, "n_pairs_mixed",
                           (json_int_t)mixture->n_mixed)
               : json_null();
}

enum sf_status
sf_diff_write_json(const struct sf_diff_report *report, FILE *stream,
                   struct sf_error *err)
{
    const struct sf_table_diff *diff = report->diff;
    json_t *root = json_pack(
        "{s:s, s:i, s:b, s:o, s:o, s:I, s:I, s:o, s:{s:I, s:I, s:I, s:I, s:I, "
        "s:I}, s:{s:I, s:I, s:I}, s:{s:b, s:I, s:b, s:I}, s:o, s:o, s:o, s:o}",
        "schema", "slimfly.diff", "schema_version", 1, "same",
        (int)diff->is_same, "fabric", json_of_fabric(&diff->fabric),
        "replaced", json_of_replaced(report), "n_entries",
        (json_int_t)diff->n_entries, "n_changed_entries",
        (json_int_t)diff->n_changed, "switches", json_of_switches(report),
        "paths", "n", (json_int_t)diff->n_paths, "changed",
        (json_int_t)diff->n_changed_paths, "longer",
        (json_int_t)diff->n_longer, "shorter", (json_int_t)diff->n_shorter,
        "lost", (json_int_t)diff->n_lost, "mended", (json_int_t)diff->n_mended,
        "hosts", "n", (json_int_t)diff->n_hosts, "receive",
        (json_int_t)diff->n_receivers, "send", (json_int_t)diff->n_senders,
        "lanes", "known", (int)diff->knows_lanes, "n_changed_sl2vl",
        (json_int_t)diff->n_lanes_changed, "path_sls_known",
        (int)diff->knows_path_sls, "n_changed_path_sls",
        (json_int_t)diff->n_path_sls_changed, "before",
        json_of_paths(&diff->before, report->before), "after",
        json_of_paths(&diff->after, report->after), "mixture",
        json_of_mixture(report->mixture), "steps",
        sf_steps_to_json(report->steps));

    if (!root) {
        return sf_fail(err, SF_EINVAL,
                       "cannot make JSON: a name is not UTF-8, or memory ran "
                       "out");
    }
    json_dumpf(root, stream, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    fputc('\n', stream);
    json_decref(root);
    return SF_OK;
}
