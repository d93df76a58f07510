/* verify.c -- a verification from its arguments to the last finding: who is
 * who (identify.c), which ports are joined and should be, what is wrong
 * (findings.c) and what to move (moves.c). */
#include "plan/identify.h"
#include "plan/verifier.h"
#include "slimfly/progress.h"

#include <string.h>

uint32_t
sf_verifier_slot(const struct verifier *verifier, uint32_t found_port)
{
    const struct sf_port *port =
        &verifier->verification->found->ports[found_port];
    uint32_t node = verifier->verification->identities[port->node].node;
    uint32_t slot =
        node == SF_NONE
            ? SF_NONE
            : sf_fabric_port(verifier_planned(verifier), node, port->number);

    return slot != SF_NONE ? slot : verifier->wiring.n_planned + found_port;
}

bool
sf_verifier_is_missing(const struct verifier *verifier, uint32_t node)
{
    return verifier->verification->found_of[node] == SF_NONE;
}

/* Whether 'node' is a host with one planned cable only, which may be all that
 * is wrong with it. */
static bool
is_single_host(const struct sf_fabric *planned, uint32_t node)
{
    return planned->nodes[node].kind == SF_NODE_HOST &&
           planned->nodes[node].n_ports == 1;
}

bool
sf_verifier_lacks_node(const struct verifier *verifier, uint32_t slot)
{
    const struct sf_fabric *planned = verifier_planned(verifier);
    uint32_t a = planned->ports[slot].node;
    uint32_t b = planned->ports[planned->ports[slot].peer].node;
    bool a_missing = sf_verifier_is_missing(verifier, a);
    bool b_missing = sf_verifier_is_missing(verifier, b);

    return (a_missing && b_missing) ||
           (a_missing && !is_single_host(planned, a)) ||
           (b_missing && !is_single_host(planned, b));
}

/* Fills want and have.  Cables between two unknown nodes do not count. */
static void
fill_wiring(struct verifier *verifier)
{
    const struct sf_verification *verification = verifier->verification;
    const struct sf_fabric *planned = verifier_planned(verifier);
    struct sf_wiring *wiring = &verifier->wiring;

    for (uint32_t slot = 0; slot < wiring->n_slots; slot++) {
        wiring->want[slot] = wiring->have[slot] = SF_NONE;
    }
    for (uint32_t slot = 0; slot < planned->n_ports; slot++) {
        if (planned->ports[slot].peer != SF_NONE &&
            !sf_verifier_lacks_node(verifier, slot)) {
            wiring->want[slot] = planned->ports[slot].peer;
        }
    }
    for (uint32_t i = 0; i < verification->found->n_ports; i++) {
        const struct sf_port *port = &verification->found->ports[i];
        if (port->peer == SF_NONE) {
            continue;
        }
        uint32_t peer_node = verification->found->ports[port->peer].node;
        if (verification->identities[port->node].node != SF_NONE ||
            verification->identities[peer_node].node != SF_NONE) {
            wiring->have[sf_verifier_slot(verifier, i)] =
                sf_verifier_slot(verifier, port->peer);
        }
    }
}

/* Counts the nodes that were identified, by how that was done. */
static void
count_identities(struct sf_verification *verification)
{
    for (uint32_t i = 0; i < verification->found->n_nodes; i++) {
        const struct sf_identity *identity = &verification->identities[i];
        if (identity->node == SF_NONE) {
            continue;
        }
        verification->n_identified++;
        verification->n_guessed += !identity->is_certain;
        for (uint32_t bit = 0; bit < SF_N_IDENTITY_SOURCES; bit++) {
            verification->n_by_source[bit] += identity->source == 1u << bit;
        }
    }
}

/* Compares the nodes and the wiring found with the planned ones. */
static enum sf_status
compare(struct verifier *verifier, const struct sf_verify_params *params,
        struct sf_error *err)
{
    struct sf_verification *verification = verifier->verification;
    unsigned sources =
        params && params->sources ? params->sources : SF_IDENTITY_ALL;

    fill_wiring(verifier);
    enum sf_status status = sf_verifier_find_exchanges(verifier, err);
    if (status == SF_OK) {
        status = sf_verifier_find_misnamed(verifier, sources, err);
    }
    if (status != SF_OK) {
        return status;
    }
    sf_verifier_find_missing_nodes(verifier);
    status = sf_verifier_find_unknown_nodes(verifier, err);
    if (status != SF_OK) {
        return status;
    }
    sf_verifier_find_cables_of_missing_nodes(verifier);
    /* Findings refer to others by number: none may have been dropped. */
    if (verifier->is_out_of_memory ||
        !sf_list_moves(&verifier->wiring, &verifier->draft)) {
        return sf_fail(err, SF_ENOMEM, "out of memory for a verification");
    }
    sf_verifier_find_right_cables(verifier, !params || !params->ignores_rates);
    if (verifier->is_out_of_memory) {
        return sf_fail(err, SF_ENOMEM, "out of memory for a verification");
    }

    verification->findings = verifier->draft.findings.items;
    verification->n_findings = (uint32_t)verifier->draft.findings.n;
    verification->moves = verifier->draft.moves.items;
    verification->n_moves = (uint32_t)verifier->draft.moves.n;
    verification->n_moves_besides = verifier->draft.n_moves_besides;
    verifier->draft.findings.items = NULL;
    verifier->draft.moves.items = NULL;
    for (uint32_t i = 0; i < verification->n_findings; i++) {
        verification->n_by_verdict[verification->findings[i].verdict]++;
    }
    verification->matches = verification->n_findings == 0;
    return SF_OK;
}

static uint32_t *
new_empty_numbers(uint32_t n)
{
    uint32_t *numbers = sf_calloc(n, sizeof *numbers);
    for (uint32_t i = 0; numbers && i < n; i++) {
        numbers[i] = SF_NONE;
    }
    return numbers;
}

static enum sf_status
reserve(struct verifier *verifier, const struct sf_plan *plan,
        const struct sf_fabric *found, struct sf_error *err)
{
    const struct sf_fabric *planned = plan->fabric;
    struct sf_verification *verification = sf_calloc(1, sizeof *verification);
    struct sf_wiring *wiring = &verifier->wiring;
    struct sf_draft *draft = &verifier->draft;

    verifier->verification = verification;
    if (!verification) {
        goto no_memory;
    }
    verification->plan = plan;
    verification->found = found;
    verification->n_labellings = 1;
    verification->identities =
        sf_calloc(found->n_nodes, sizeof *verification->identities);
    verification->found_of = new_empty_numbers(planned->n_nodes);
    wiring->verification = verification;
    wiring->n_planned = planned->n_ports;
    wiring->n_slots = planned->n_ports + found->n_ports;
    wiring->want = sf_calloc(wiring->n_slots, sizeof *wiring->want);
    wiring->have = sf_calloc(wiring->n_slots, sizeof *wiring->have);
    draft->exchanged_slot = new_empty_numbers(planned->n_ports);
    draft->exchange_of = new_empty_numbers(planned->n_nodes);
    draft->missing_of = new_empty_numbers(planned->n_nodes);
    verifier->exchange_with = new_empty_numbers(planned->n_switches);
    if (verification->identities && verification->found_of && wiring->want &&
        wiring->have && draft->exchanged_slot && draft->exchange_of &&
        draft->missing_of && verifier->exchange_with) {
        return SF_OK;
    }
no_memory:
    return sf_fail(err, SF_ENOMEM, "out of memory for a verification");
}

enum sf_status
sf_verify(const struct sf_plan *plan, const struct sf_fabric *found,
          const struct sf_verify_params *params,
          struct sf_verification **verificationp, struct sf_error *err)
{
    struct verifier verifier = { 0 };

    *verificationp = NULL;
    enum sf_status status = reserve(&verifier, plan, found, err);
    if (status == SF_OK) {
        sf_progress_report("recognizing switches and hosts", 0, 0);
        status = sf_identify(verifier.verification, params, err);
    }
    if (status == SF_OK) {
        count_identities(verifier.verification);
        sf_progress_report("comparing with the plan", 0, 0);
        status = compare(&verifier, params, err);
    }
    if (status == SF_OK) {
        *verificationp = verifier.verification;
        verifier.verification = NULL;
    }
    free(verifier.exchange_with);
    free(verifier.draft.missing_of);
    free(verifier.draft.exchange_of);
    free(verifier.draft.exchanged_slot);
    free(verifier.draft.moves.items);
    free(verifier.draft.findings.items);
    free(verifier.wiring.have);
    free(verifier.wiring.want);
    sf_verification_free(verifier.verification);
    return status;
}

void
sf_verification_free(struct sf_verification *verification)
{
    if (verification) {
        free(verification->moves);
        free(verification->findings);
        free(verification->found_of);
        free(verification->identities);
        free(verification);
    }
}

const char *
sf_verdict_name(enum sf_verdict verdict)
{
    static const char *const names[SF_N_VERDICTS] = {
        [SF_VERDICT_MISSING] = "missing",
        [SF_VERDICT_UNEXPECTED] = "unexpected",
        [SF_VERDICT_MISCONNECTED] = "misconnected",
        [SF_VERDICT_DUPLICATE] = "duplicate",
        [SF_VERDICT_DIFFERENT] = "different",
        [SF_VERDICT_MISSING_SWITCH] = "missing_switch",
        [SF_VERDICT_MISSING_HOST] = "missing_host",
        [SF_VERDICT_UNKNOWN_SWITCH] = "unknown_switch",
        [SF_VERDICT_UNKNOWN_HOST] = "unknown_host",
        [SF_VERDICT_EXCHANGED] = "exchanged",
        [SF_VERDICT_MISNAMED] = "misnamed",
    };
    return names[verdict];
}

const char *
sf_move_kind_name(enum sf_move_kind kind)
{
    static const char *const names[] = { "move", "plug", "unplug" };
    return names[kind];
}

bool
sf_verification_has_remedy(const struct sf_verification *verification,
                           uint32_t number)
{
    const struct sf_finding *finding = &verification->findings[number];

    return finding->cause == SF_NONE && finding->move == SF_NONE &&
           finding->verdict != SF_VERDICT_UNKNOWN_SWITCH &&
           finding->verdict != SF_VERDICT_UNKNOWN_HOST;
}

const struct sf_node *
sf_verification_alias(const struct sf_verification *verification,
                      const struct sf_end *end)
{
    if (end->node == SF_NONE || end->found == SF_NONE) {
        return NULL;
    }
    const struct sf_node *planned =
        &verification->plan->fabric->nodes[end->node];
    const struct sf_node *found = &verification->found->nodes[end->found];
    return sf_name_is(found->kind, found->name, planned->name) ? NULL : found;
}

bool
sf_verification_warns(const struct sf_verification *verification,
                      enum sf_warning warning)
{
    if (verification->matches) {
        return false;
    }
    if (warning == SF_WARNING_AMBIGUOUS) {
        return verification->n_labellings > 1;
    }
    /* Placeholder GUIDs are alike in all plans, so a wrong plan or fabric
     * shows itself by the names. */
    return verification->n_by_verdict[SF_VERDICT_MISNAMED] * 4 >
               verification->n_identified ||
           verification->n_right * 4 < verification->found->n_cables;
}

const char *
sf_verification_name(const struct sf_verification *verification,
                     const struct sf_end *end)
{
    return end->node != SF_NONE
               ? verification->plan->fabric->nodes[end->node].name
               : verification->found->nodes[end->found].name;
}
