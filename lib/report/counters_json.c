/* counters_json.c -- counters and findings for programs; doc/counters.md
 * describes the members. */
#define _GNU_SOURCE
#include "slimfly/counter_findings.h"

#include "report/counters_words.h"
#include "report/verify_json.h"

#include <stdlib.h>

typedef void write_sentence(const struct sf_counters_view *view,
                            const struct sf_counter_finding *finding,
                            FILE *stream);

static json_t *
make_sentence(const struct sf_counters_view *view,
              const struct sf_counter_finding *finding, write_sentence *write)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);

    if (!stream) {
        return NULL;
    }
    write(view, finding, stream);
    json_t *string = fclose(stream) == 0 ? sf_json_string(text) : NULL;
    free(text);
    return string;
}

/* {node, guid, port, rack, unit}, or null. */
static json_t *
make_end(const struct sf_counters_view *view, const struct sf_end *end)
{
    if (!sf_end_exists(end)) {
        return json_null();
    }
    const struct sf_plan *plan =
        view->verification ? view->verification->plan : NULL;
    const struct sf_node *planned =
        plan && end->node != SF_NONE ? &plan->fabric->nodes[end->node] : NULL;
    bool is_placed = planned && planned->rack != SF_NONE;
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o}", "node",
        sf_json_string(sf_counters_view_name(view, end)), "guid",
        end->found == SF_NONE
            ? json_null()
            : json_sprintf(
                  "0x%016llx",
                  (unsigned long long)view->fabric->nodes[end->found].guid),
        "port", end->number ? json_integer(end->number) : json_null(), "rack",
        is_placed ? json_string(plan->racks[planned->rack].name) : json_null(),
        "unit", is_placed ? json_integer(planned->unit) : json_null());
}

/* JSON has integers up to 2^63. */
static json_t *
make_count(uint64_t count)
{
    return json_integer(count > INT64_MAX ? INT64_MAX : (json_int_t)count);
}

static void
add_details(const struct sf_counters_view *view,
            const struct sf_counter_finding *finding, json_t *object)
{
    switch (finding->kind) {
    case SF_FINDING_COUNTER:
    case SF_FINDING_OLD_COUNTER:
        json_object_set_new(
            object, "counter",
            json_string(sf_counter_kinds[finding->counter].name));
        json_object_set_new(object, "value", make_count(finding->value));
        json_object_set_new(object, "at_least",
                            json_boolean(finding->is_at_least));
        json_object_set_new(object, "is_growth",
                            json_boolean(finding->is_growth));
        json_object_set_new(object, "threshold",
                            make_count(finding->threshold));
        if (finding->kind == SF_FINDING_OLD_COUNTER) {
            json_object_set_new(object, "grown", make_count(finding->grown));
        }
        break;
    case SF_FINDING_BLACK_HOLE:
        json_object_set_new(object, "silent", json_integer(finding->n));
        json_object_set_new(object, "sweeps", make_count(finding->value));
        json_object_set_new(object, "is_drained",
                            json_boolean(finding->is_drained));
        json_object_set_new(
            object, "drain",
            finding->is_drained || sf_counters_leads_to_host(view, finding)
                ? json_null()
                : make_sentence(view, finding, sf_counters_write_drain));
        break;
    case SF_FINDING_BUSY:
    case SF_FINDING_HOT:
        json_object_set_new(object, "share", json_real(finding->share));
        json_object_set_new(object, "times",
                            finding->times > 0 ? json_real(finding->times)
                                               : json_null());
        break;
    case SF_FINDING_NO_ANSWER:
        json_object_set_new(object, "hosts", make_count(finding->value));
        /* fall through */
    case SF_FINDING_RESET:
    case SF_N_COUNTER_FINDING_KINDS:
        json_object_set_new(object, "ports", json_integer(finding->n));
    }
}

static json_t *
make_finding(const struct sf_counters_view *view,
             const struct sf_counter_finding *finding)
{
    json_t *object = json_pack(
        "{s:s, s:s, s:o, s:o, s:[o, o], s:o}", "kind",
        sf_counter_finding_kind_name(finding->kind), "severity",
        sf_severity_name(finding->severity), "text",
        make_sentence(view, finding, sf_counter_finding_write), "remedy",
        make_sentence(view, finding, sf_counter_finding_write_remedy), "ends",
        make_end(view, &finding->ends[0]), make_end(view, &finding->ends[1]),
        "cable",
        finding->cable == SF_NONE
            ? json_null()
            : json_string(
                  view->verification->plan->cables[finding->cable].label));

    if (object) {
        add_details(view, finding, object);
    }
    return object;
}

/* Names of the counters in a set. */
static json_t *
make_set(uint32_t set)
{
    json_t *array = json_array();

    for (uint32_t c = 0; c < SF_N_COUNTERS; c++) {
        if (set >> c & 1) {
            json_array_append_new(array,
                                  json_string(sf_counter_kinds[c].name));
        }
    }
    return array;
}

static json_t *
make_values(uint32_t known, const uint64_t *values)
{
    json_t *object = json_object();

    for (uint32_t c = 0; c < SF_N_COUNTERS; c++) {
        if (known >> c & 1) {
            json_object_set_new(object, sf_counter_kinds[c].name,
                                make_count(values[c]));
        }
    }
    return object;
}

static json_t *
make_growth(const struct sf_port_growth *growth)
{
    return json_pack("{s:f, s:o, s:o, s:o}", "seconds", growth->seconds,
                     "counters", make_values(growth->known, growth->grown),
                     "at_least", make_set(growth->at_least), "reset",
                     make_set(growth->reset));
}

static json_t *
make_port(const struct sf_counters_view *view, uint32_t i)
{
    static const char *const answers[] = {
        [SF_ANSWER_NOT_ASKED] = "not asked",
        [SF_ANSWER_NONE] = "none",
        [SF_ANSWER_REFUSED] = "refused",
        [SF_ANSWER_GIVEN] = "given",
    };
    const struct sf_port *port = &view->fabric->ports[i];
    const struct sf_port_counters *counters = &view->counters->ports[i];
    struct sf_end end = sf_counters_end(view, port->node, port->number);
    struct sf_end peer = { SF_NONE, SF_NONE, 0 };

    if (port->peer != SF_NONE) {
        const struct sf_port *other = &view->fabric->ports[port->peer];
        peer = sf_counters_end(view, other->node, other->number);
    }
    json_t *object = json_pack(
        "{s:o, s:o, s:s, s:o, s:o}", "port", make_end(view, &end), "peer",
        make_end(view, &peer), "answer", answers[counters->answer], "counters",
        make_values(counters->known, counters->values), "saturated",
        make_set(counters->saturated));
    if (object && view->growths && view->growths->ports[i].known) {
        json_object_set_new(object, "growth",
                            make_growth(&view->growths->ports[i]));
    }
    return object;
}

static json_t *
make_load(const struct sf_counters_view *view, const struct sf_link_load *load)
{
    const struct sf_port *port = &view->fabric->ports[load->port];
    const struct sf_port *peer = &view->fabric->ports[port->peer];
    struct sf_end from = sf_counters_end(view, port->node, port->number);
    struct sf_end to = sf_counters_end(view, peer->node, peer->number);

    return json_pack(
        "{s:o, s:o, s:f, s:o, s:o}", "from", make_end(view, &from), "to",
        make_end(view, &to), "bytes_per_second", load->bytes, "share",
        load->share > 0 || *port->rate ? json_real(load->share) : json_null(),
        "predicted_bytes_per_second",
        view->predicted ? json_real(load->predicted) : json_null());
}

/* Arrays; NULL if memory ran out. */
static json_t *
make_ports(const struct sf_counters_view *view)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < view->counters->n_ports; i++) {
        if (json_array_append_new(array, make_port(view, i)) != 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

static json_t *
make_findings(const struct sf_counters_view *view,
              const struct sf_counter_findings *findings)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < findings->n_findings; i++) {
        if (json_array_append_new(
                array, make_finding(view, &findings->findings[i])) != 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

static json_t *
make_loads(const struct sf_counters_view *view,
           const struct sf_counter_findings *findings)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < findings->n_loads; i++) {
        if (json_array_append_new(array,
                                  make_load(view, &findings->loads[i])) != 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

enum sf_status
sf_counters_write_json(const struct sf_counters_view *view,
                       const struct sf_counter_findings *findings,
                       FILE *stream, struct sf_error *err)
{
    const uint32_t *n = view->counters->n_by_answer;
    json_t *root = json_pack(
        "{s:s, s:i, s:{s:I, s:I, s:I, s:I}, s:{s:I, s:I, s:I}, s:o, s:o, "
        "s:f, s:f, s:o}",
        "schema", "slimfly.counters", "schema_version", 1, "ports_by_answer",
        "given", (json_int_t)n[SF_ANSWER_GIVEN], "none",
        (json_int_t)n[SF_ANSWER_NONE], "refused",
        (json_int_t)n[SF_ANSWER_REFUSED], "not_asked",
        (json_int_t)n[SF_ANSWER_NOT_ASKED], "findings_by_severity", "note",
        (json_int_t)findings->n_by_severity[SF_SEVERITY_NOTE], "warning",
        (json_int_t)findings->n_by_severity[SF_SEVERITY_WARNING], "critical",
        (json_int_t)findings->n_by_severity[SF_SEVERITY_CRITICAL], "findings",
        make_findings(view, findings), "ports", make_ports(view),
        "host_bytes_per_second", findings->host_bytes, "host_share",
        findings->host_share, "loads", make_loads(view, findings));

    if (!root) {
        return sf_fail(err, SF_ENOMEM, "out of memory for JSON");
    }
    json_dumpf(root, stream, JSON_INDENT(1));
    fputc('\n', stream);
    json_decref(root);
    return SF_OK;
}
