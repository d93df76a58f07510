/* verify_json.c -- a verification for programs; doc/formats.md describes the
 * members. */
#define _GNU_SOURCE
#include "report/verify_json.h"

#include "base/origin_json.h"
#include "report/verify_text.h"
#include "slimfly/lldp.h"

#include <stdlib.h>
#include <string.h>

json_t *
sf_json_string(const char *text)
{
    json_t *string = json_string(text);
    char *clean = string ? NULL : strdup(text);

    if (clean) {
        for (char *c = clean; *c; c++) {
            if (*c < 0x20 || *c > 0x7e) {
                *c = '?';
            }
        }
        string = json_string(clean);
        free(clean);
    }
    return string;
}

static json_t *
make_guid(uint64_t guid)
{
    return json_sprintf("0x%016llx", (unsigned long long)guid);
}

/* What the node at 'end' calls itself, or null if it was not found. */
static json_t *
make_found_as(const struct sf_verification *verification,
              const struct sf_end *end)
{
    if (end->found == SF_NONE) {
        return json_null();
    }
    const struct sf_node *node = &verification->found->nodes[end->found];
    return json_pack(
        "{s:o, s:o, s:o}", "name", sf_json_string(node->name), "guid",
        make_guid(node->guid), "certain",
        end->node == SF_NONE
            ? json_null()
            : json_boolean(verification->identities[end->found].is_certain));
}

/* Whether ports have names: the plan has, or they were found. */
static bool
names_ports(const struct sf_verification *verification)
{
    const struct sf_fabric *planned = verification->plan->fabric;

    return sf_port_names_exist(&planned->port_names[SF_NODE_SWITCH]) ||
           sf_port_names_exist(&planned->port_names[SF_NODE_HOST]) ||
           verification->found->side.kind == &sf_lldp_side;
}

/* {node, port} with rack and unit, and what it was found as; or null. */
static json_t *
make_end(const struct sf_verification *verification, const struct sf_end *end)
{
    if (!sf_end_exists(end)) {
        return json_null();
    }
    json_t *rack = json_null(), *unit = json_null();
    if (end->node != SF_NONE &&
        verification->plan->fabric->nodes[end->node].rack != SF_NONE) {
        const struct sf_node *node =
            &verification->plan->fabric->nodes[end->node];
        rack = json_string(verification->plan->racks[node->rack].name);
        unit = json_integer(node->unit);
    }
    json_t *object = json_pack(
        "{s:o, s:o, s:o, s:o, s:o}", "node",
        sf_json_string(sf_verification_name(verification, end)), "port",
        end->number ? json_integer(end->number) : json_null(), "rack", rack,
        "unit", unit, "found_as", make_found_as(verification, end));
    if (object && end->number && names_ports(verification)) {
        char name[SF_PORT_NAME_SIZE];
        json_object_set_new(
            object, "port_name",
            sf_json_string(sf_text_port_name(verification, end, name)));
    }
    return object;
}

static void
append_end(const struct sf_verification *verification,
           const struct sf_end *end, const char *role, json_t *array)
{
    if (sf_end_exists(end)) {
        json_t *object = make_end(verification, end);
        json_object_set_new(object, "role", json_string(role));
        json_array_append_new(array, object);
    }
}

static json_t *
make_index(uint32_t index)
{
    return index == SF_NONE ? json_null() : json_integer(index);
}

static json_t *
make_label(const struct sf_verification *verification, uint32_t cable)
{
    return cable == SF_NONE
               ? json_null()
               : json_string(verification->plan->cables[cable].label);
}

static void
write_warning(const struct sf_verification *verification, uint32_t i,
              FILE *stream)
{
    sf_verification_write_warning(verification, (enum sf_warning)i, stream);
}

json_t *
sf_json_warnings(const struct sf_verification *verification)
{
    json_t *warnings = json_array();

    for (enum sf_warning i = 0; i < SF_N_WARNINGS; i++) {
        if (sf_verification_warns(verification, i)) {
            json_array_append_new(
                warnings, sf_json_sentence(verification, i, write_warning));
        }
    }
    return warnings;
}

json_t *
sf_json_notes(const struct sf_verification *verification)
{
    const struct sf_fabric *found = verification->found;
    json_t *notes = json_array();

    for (uint32_t i = 0; i < found->n_notes; i++) {
        json_array_append_new(
            notes, json_pack("{s:s, s:o}", "kind", found->notes[i].kind,
                             "text", sf_json_string(found->notes[i].text)));
    }
    return notes;
}

json_t *
sf_json_sentence(const struct sf_verification *verification, uint32_t i,
                 void (*write)(const struct sf_verification *, uint32_t,
                               FILE *))
{
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);

    if (!stream) {
        return NULL;
    }
    write(verification, i, stream);
    json_t *string = fclose(stream) ? NULL : json_string(text);
    free(text);
    return string;
}

json_t *
sf_json_remedy(const struct sf_verification *verification, uint32_t i)
{
    return sf_verification_has_remedy(verification, i)
               ? sf_json_sentence(verification, i,
                                  sf_verification_write_remedy)
               : json_null();
}

static json_t *
make_finding(const struct sf_verification *verification, uint32_t i)
{
    const struct sf_finding *finding = &verification->findings[i];
    json_t *ends = json_array();

    for (int j = 0; j < 2; j++) {
        append_end(verification, &finding->planned[j], "planned", ends);
    }
    for (int j = 0; j < 2; j++) {
        append_end(verification, &finding->found[j], "found", ends);
    }
    json_t *object = json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "verdict",
        sf_verdict_name(finding->verdict), "ends", ends, "cable",
        make_label(verification, finding->cable), "move",
        make_index(finding->move), "because", make_index(finding->cause),
        "text",
        sf_json_sentence(verification, i, sf_verification_write_finding),
        "remedy", sf_json_remedy(verification, i));
    if (finding->verdict == SF_VERDICT_DIFFERENT) {
        const struct sf_fabric *planned = verification->plan->fabric;
        json_t *should = json_array(), *rates = json_array();
        for (int j = 0; j < 2; j++) {
            struct sf_end end = finding->found[j];
            uint32_t a = sf_fabric_port(planned, end.node, end.number);
            uint32_t b =
                sf_fabric_port(verification->found, end.found, end.number);
            json_array_append_new(should,
                                  sf_json_string(planned->ports[a].rate));
            json_array_append_new(
                rates, sf_json_string(verification->found->ports[b].rate));
        }
        json_object_set_new(object, "planned_rates", should);
        json_object_set_new(object, "found_rates", rates);
    }
    return object;
}

static json_t *
make_move(const struct sf_verification *verification, uint32_t i)
{
    const struct sf_move *move = &verification->moves[i];

    return json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:o, s:I, s:b, s:o}", "kind",
        sf_move_kind_name(move->kind), "cable",
        make_end(verification, &move->kept), "from",
        make_end(verification, &move->from), "to",
        make_end(verification, &move->to), "label",
        make_label(verification, move->cable), "hangs_until",
        move->until == i ? json_null() : json_integer(move->until), "finding",
        (json_int_t)move->finding, "instead_of_exchange",
        (int)(i >= verification->n_moves_besides), "text",
        sf_json_sentence(verification, i, sf_verification_write_move));
}

static json_t *
make_counts(const struct sf_verification *verification)
{
    json_t *counts =
        json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "planned_cables",
                  (json_int_t)verification->plan->n_cables, "found_cables",
                  (json_int_t)verification->found->n_cables, "right",
                  (json_int_t)verification->n_right, "planned_nodes",
                  (json_int_t)verification->plan->fabric->n_nodes,
                  "found_nodes", (json_int_t)verification->found->n_nodes,
                  "identified", (json_int_t)verification->n_identified,
                  "findings", (json_int_t)verification->n_findings, "moves",
                  (json_int_t)verification->n_moves);

    for (enum sf_verdict i = 0; i < SF_N_VERDICTS; i++) {
        json_object_set_new(counts, sf_verdict_name(i),
                            json_integer(verification->n_by_verdict[i]));
    }
    return counts;
}

static json_t *
make_identity(const struct sf_verification *verification)
{
    static const char *const sources[SF_N_IDENTITY_SOURCES] = {
        "map", "guid", "name", "hosts", "structure",
    };
    json_t *identity = json_object(), *guessed = json_array();

    for (uint32_t i = 0; i < SF_N_IDENTITY_SOURCES; i++) {
        json_object_set_new(identity, sources[i],
                            json_integer(verification->n_by_source[i]));
    }
    for (uint32_t i = 0; i < verification->found->n_nodes; i++) {
        uint32_t node = verification->identities[i].node;
        if (node != SF_NONE && !verification->identities[i].is_certain) {
            json_array_append_new(
                guessed,
                json_pack("{s:o, s:o, s:o}", "node",
                          sf_json_string(
                              verification->plan->fabric->nodes[node].name),
                          "guid",
                          make_guid(verification->found->nodes[i].guid),
                          "found",
                          sf_json_string(verification->found->nodes[i].name)));
        }
    }
    json_object_set_new(identity, "unknown",
                        json_integer(verification->found->n_nodes -
                                     verification->n_identified));
    json_object_set_new(identity, "labellings",
                        json_integer(verification->n_labellings));
    json_object_set_new(identity, "guessed", guessed);
    return identity;
}

enum sf_status
sf_verification_write_json(const struct sf_verification *verification,
                           const struct sf_origin *origin, FILE *stream,
                           struct sf_error *err)
{
    json_t *findings = json_array(), *moves = json_array();
    bool is_complete = true;

    for (uint32_t i = 0; i < verification->n_findings; i++) {
        is_complete &=
            !json_array_append_new(findings, make_finding(verification, i));
    }
    for (uint32_t i = 0; i < verification->n_moves; i++) {
        is_complete &=
            !json_array_append_new(moves, make_move(verification, i));
    }
    json_t *root = json_pack(
        "{s:s, s:i, s:b, s:s, s:o, s:o, s:o, s:o, s:o}", "schema",
        "slimfly.verification", "schema_version", 1, "matches",
        (int)verification->matches, "plan", verification->plan->spec, "counts",
        make_counts(verification), "identity", make_identity(verification),
        "warnings", sf_json_warnings(verification), "findings", findings,
        "moves", moves);
    if (root && verification->found->n_notes) {
        json_object_set_new(root, "notes", sf_json_notes(verification));
    }
    if (!root || !is_complete || !sf_origin_add_json(root, origin)) {
        json_decref(root);
        return sf_fail(err, SF_ENOMEM, "cannot make JSON: out of memory");
    }
    json_dumpf(root, stream, JSON_INDENT(2));
    fputc('\n', stream);
    json_decref(root);
    return SF_OK;
}
