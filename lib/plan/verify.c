/* verify.c -- what is wrong with a fabric, node by node and cable by cable. */
#include "slimfly/verify.h"

#include "plan/identify.h"
#include "plan/moves.h"

#include <string.h>

/* When two switches have changed places: at least so many cables, and so many
 * quarters of what is planned. */
#define EXCHANGE_CABLES   3
#define EXCHANGE_QUARTERS 3

static const struct sf_end no_end = { SF_NONE, SF_NONE, 0 };

/* Everything that sf_verify() holds until it is done. */
struct verifier {
    struct sf_verification *verification;
    struct sf_wiring wiring;
    struct sf_report report;
    uint32_t *exchange_with; /* [n_planned switches] Or SF_NONE. */
    bool is_out_of_memory;
};

static const struct sf_fabric *
planned_fabric(const struct verifier *verifier)
{
    return verifier->verification->plan->fabric;
}

static void
add_finding(struct verifier *verifier, struct sf_finding finding)
{
    if (!sf_vec_push(&verifier->report.findings, finding)) {
        verifier->is_out_of_memory = true;
    }
}

static struct sf_finding
finding_of(enum sf_verdict verdict)
{
    return (struct sf_finding){
        .verdict = verdict,
        .planned = { no_end, no_end },
        .found = { no_end, no_end },
        .cable = SF_NONE,
        .move = SF_NONE,
        .cause = SF_NONE,
    };
}

/* The slot of a port that was found. */
static uint32_t
slot_of(const struct verifier *verifier, uint32_t found_port)
{
    const struct sf_port *port =
        &verifier->verification->found->ports[found_port];
    uint32_t node = verifier->verification->identities[port->node].node;
    uint32_t slot = node == SF_NONE ? SF_NONE
                                    : sf_fabric_port(planned_fabric(verifier),
                                                     node, port->number);

    return slot != SF_NONE ? slot : verifier->wiring.n_planned + found_port;
}

static bool
is_missing(const struct verifier *verifier, uint32_t node)
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

/* Whether a planned cable with an end at 'slot' is out of the question until
 * a missing node appears. */
static bool
is_void(const struct verifier *verifier, uint32_t slot)
{
    const struct sf_fabric *planned = planned_fabric(verifier);
    uint32_t a = planned->ports[slot].node;
    uint32_t b = planned->ports[planned->ports[slot].peer].node;
    bool a_missing = is_missing(verifier, a);
    bool b_missing = is_missing(verifier, b);

    return (a_missing && b_missing) ||
           (a_missing && !is_single_host(planned, a)) ||
           (b_missing && !is_single_host(planned, b));
}

/* Fills want and have.  Cables between two unknown nodes are none of our
 * business. */
static void
lay_out(struct verifier *verifier)
{
    const struct sf_verification *verification = verifier->verification;
    const struct sf_fabric *planned = planned_fabric(verifier);
    struct sf_wiring *wiring = &verifier->wiring;

    for (uint32_t slot = 0; slot < wiring->n_slots; slot++) {
        wiring->want[slot] = wiring->have[slot] = SF_NONE;
    }
    for (uint32_t slot = 0; slot < planned->n_ports; slot++) {
        if (planned->ports[slot].peer != SF_NONE && !is_void(verifier, slot)) {
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
            wiring->have[slot_of(verifier, i)] = slot_of(verifier, port->peer);
        }
    }
}

/* Which planned switch the cables at switch 'node' are meant for, if most of
 * them are meant for one other; 'votes' is all zero before and after. */
static uint32_t
cables_meant_for(const struct verifier *verifier, uint32_t node,
                 uint32_t *votes)
{
    const struct sf_fabric *planned = planned_fabric(verifier);
    const struct sf_wiring *wiring = &verifier->wiring;
    const struct sf_node *at = &planned->nodes[node];
    uint32_t best = SF_NONE, n_cables = 0;

    for (int is_reset = 0; is_reset < 2; is_reset++) {
        for (uint32_t i = 0; i < at->n_ports; i++) {
            uint32_t peer = wiring->have[at->first_port + i];
            if (peer >= wiring->n_planned || wiring->want[peer] == SF_NONE) {
                continue;
            }
            const struct sf_port *meant = &planned->ports[wiring->want[peer]];
            if (meant->number != i + 1 || meant->node == node ||
                meant->node >= planned->n_switches) {
                continue;
            }
            if (is_reset) {
                votes[meant->node] = 0;
            } else if (++votes[meant->node] > n_cables) {
                n_cables = votes[meant->node];
                best = meant->node;
            }
        }
    }
    if (best == SF_NONE || n_cables < EXCHANGE_CABLES) {
        return SF_NONE;
    }
    uint32_t n_planned = 0;
    for (uint32_t i = 0; i < planned->nodes[best].n_ports; i++) {
        n_planned +=
            wiring->want[planned->nodes[best].first_port + i] != SF_NONE;
    }
    return 4 * (uint64_t)n_cables >= EXCHANGE_QUARTERS * (uint64_t)n_planned
               ? best
               : SF_NONE;
}

/* Finds the switches that have changed places. */
static enum sf_status
find_exchanges(struct verifier *verifier, struct sf_error *err)
{
    const struct sf_fabric *planned = planned_fabric(verifier);
    struct sf_report *report = &verifier->report;
    uint32_t *meant_for = verifier->exchange_with;
    uint32_t *votes = sf_calloc(planned->n_switches, sizeof *votes);

    if (!votes) {
        return sf_fail(err, SF_ENOMEM, "out of memory for a verification");
    }
    for (uint32_t a = 0; a < planned->n_switches; a++) {
        meant_for[a] = cables_meant_for(verifier, a, votes);
    }
    free(votes);
    for (uint32_t a = 0; a < planned->n_switches; a++) {
        uint32_t b = meant_for[a];
        if (b == SF_NONE || b < a || meant_for[b] != a) {
            continue;
        }
        struct sf_finding finding = finding_of(SF_VERDICT_EXCHANGED);
        finding.planned[0] =
            (struct sf_end){ a, verifier->verification->found_of[a], 0 };
        finding.planned[1] =
            (struct sf_end){ b, verifier->verification->found_of[b], 0 };
        finding.found[0] = finding.planned[1];
        finding.found[1] = finding.planned[0];
        report->exchange_of[a] = (uint32_t)report->findings.n;
        report->exchange_of[b] = (uint32_t)report->findings.n;
        add_finding(verifier, finding);
        const struct sf_node *x = &planned->nodes[a], *y = &planned->nodes[b];
        for (uint32_t i = 0; i < x->n_ports && i < y->n_ports; i++) {
            report->exchanged_slot[x->first_port + i] = y->first_port + i;
            report->exchanged_slot[y->first_port + i] = x->first_port + i;
        }
    }
    return SF_OK;
}

/* Finds the nodes whose name says something else than their GUID. */
static enum sf_status
find_misnamed(struct verifier *verifier, unsigned sources,
              struct sf_error *err)
{
    const struct sf_verification *verification = verifier->verification;
    struct sf_name_index *index;

    if (!(sources & SF_IDENTITY_NAME)) {
        return SF_OK;
    }
    enum sf_status status =
        sf_name_index_build(planned_fabric(verifier), &index, err);
    if (status != SF_OK) {
        return status;
    }
    for (uint32_t i = 0; i < verification->found->n_nodes; i++) {
        const struct sf_identity *identity = &verification->identities[i];
        const struct sf_node *node = &verification->found->nodes[i];
        if (identity->node == SF_NONE ||
            (identity->source != SF_IDENTITY_MAP &&
             identity->source != SF_IDENTITY_GUID)) {
            continue;
        }
        uint32_t named = sf_name_index_find(index, node->kind, node->name);
        if (named != SF_NONE && named != identity->node) {
            struct sf_finding finding = finding_of(SF_VERDICT_MISNAMED);
            finding.planned[0] = (struct sf_end){ identity->node, i, 0 };
            finding.planned[1] =
                (struct sf_end){ named, verification->found_of[named], 0 };
            finding.found[0] = finding.planned[0];
            add_finding(verifier, finding);
        }
    }
    sf_name_index_free(index);
    return SF_OK;
}

/* Switches come before hosts, so that a host can name its switch as the
 * cause. */
static void
find_missing_nodes(struct verifier *verifier)
{
    const struct sf_fabric *planned = planned_fabric(verifier);
    struct sf_report *report = &verifier->report;

    for (uint32_t i = 0; i < planned->n_nodes; i++) {
        const struct sf_node *node = &planned->nodes[i];
        if (!is_missing(verifier, i)) {
            continue;
        }
        struct sf_finding finding =
            finding_of(node->kind == SF_NODE_SWITCH ? SF_VERDICT_MISSING_SWITCH
                                                    : SF_VERDICT_MISSING_HOST);
        finding.planned[0] = (struct sf_end){ i, SF_NONE, 0 };
        uint32_t peer = node->kind == SF_NODE_HOST && node->n_ports
                            ? planned->ports[node->first_port].peer
                            : SF_NONE;
        if (peer != SF_NONE) {
            uint32_t at = planned->ports[peer].node;
            finding.planned[1] = sf_wiring_end(&verifier->wiring, peer);
            finding.cause = report->missing_of[at];
        }
        report->missing_of[i] = (uint32_t)report->findings.n;
        add_finding(verifier, finding);
    }
}

/* Marks the unknown nodes that hang on a known one, maybe through others, in
 * 'is_reached'; all of them if no node is known. */
static enum sf_status
reach_unknown(const struct verifier *verifier, bool *is_reached,
              struct sf_error *err)
{
    const struct sf_verification *verification = verifier->verification;
    const struct sf_fabric *found = verification->found;
    uint32_t *queue = sf_calloc(found->n_nodes, sizeof *queue);
    uint32_t n_queued = 0;

    if (!queue) {
        return sf_fail(err, SF_ENOMEM, "out of memory for a verification");
    }
    for (uint32_t i = 0; i < found->n_nodes; i++) {
        is_reached[i] = verification->identities[i].node != SF_NONE ||
                        !verification->n_identified;
        if (is_reached[i]) {
            queue[n_queued++] = i;
        }
    }
    for (uint32_t i = 0; i < n_queued; i++) {
        const struct sf_node *node = &found->nodes[queue[i]];
        for (uint32_t j = 0; j < node->n_ports; j++) {
            uint32_t peer = found->ports[node->first_port + j].peer;
            uint32_t next =
                peer == SF_NONE ? SF_NONE : found->ports[peer].node;
            if (next != SF_NONE && !is_reached[next]) {
                is_reached[next] = true;
                queue[n_queued++] = next;
            }
        }
    }
    free(queue);
    return SF_OK;
}

static enum sf_status
find_unknown_nodes(struct verifier *verifier, struct sf_error *err)
{
    const struct sf_verification *verification = verifier->verification;
    const struct sf_fabric *found = verification->found;
    bool *is_reached = sf_calloc(found->n_nodes, sizeof *is_reached);

    if (!is_reached) {
        return sf_fail(err, SF_ENOMEM, "out of memory for a verification");
    }
    enum sf_status status = reach_unknown(verifier, is_reached, err);
    for (uint32_t i = 0; status == SF_OK && i < found->n_nodes; i++) {
        const struct sf_node *node = &found->nodes[i];
        if (verification->identities[i].node != SF_NONE || !is_reached[i]) {
            continue;
        }
        struct sf_finding finding =
            finding_of(node->kind == SF_NODE_SWITCH ? SF_VERDICT_UNKNOWN_SWITCH
                                                    : SF_VERDICT_UNKNOWN_HOST);
        finding.found[0] = (struct sf_end){ SF_NONE, i, 0 };
        for (uint32_t j = 0; j < node->n_ports; j++) {
            uint32_t peer = found->ports[node->first_port + j].peer;
            if (peer != SF_NONE &&
                verification->identities[found->ports[peer].node].node !=
                    SF_NONE) {
                finding.found[1] =
                    sf_wiring_end(&verifier->wiring, slot_of(verifier, peer));
                break;
            }
        }
        add_finding(verifier, finding);
    }
    free(is_reached);
    return status;
}

/* Finds the planned cables that are missing because a node is. */
static void
find_void_cables(struct verifier *verifier)
{
    const struct sf_plan *plan = verifier->verification->plan;
    const uint32_t *missing_of = verifier->report.missing_of;

    for (uint32_t i = 0; i < plan->n_cables; i++) {
        const struct sf_cable *cable = &plan->cables[i];
        if (!is_void(verifier, cable->a)) {
            continue;
        }
        struct sf_finding finding = finding_of(SF_VERDICT_MISSING);
        uint32_t a = missing_of[plan->fabric->ports[cable->a].node];
        uint32_t b = missing_of[plan->fabric->ports[cable->b].node];
        finding.planned[0] = sf_wiring_end(&verifier->wiring, cable->a);
        finding.planned[1] = sf_wiring_end(&verifier->wiring, cable->b);
        finding.cable = i;
        finding.cause = a != SF_NONE ? a : b;
        add_finding(verifier, finding);
    }
}

/* Whether the port at 'end' of a right cable runs at another rate. */
static bool
is_different(const struct verifier *verifier, struct sf_end end)
{
    const struct sf_fabric *planned = planned_fabric(verifier);
    const struct sf_fabric *found = verifier->verification->found;
    const char *should =
        planned->ports[sf_fabric_port(planned, end.node, end.number)].rate;
    const char *rate =
        found->ports[sf_fabric_port(found, end.found, end.number)].rate;

    return *should && *rate && strcmp(should, rate) != 0;
}

/* Counts the right cables and, if 'rates_matter', finds the different ones. */
static void
find_right_cables(struct verifier *verifier, bool rates_matter)
{
    const struct sf_plan *plan = verifier->verification->plan;

    for (uint32_t i = 0; i < plan->n_cables; i++) {
        const struct sf_cable *cable = &plan->cables[i];
        if (verifier->wiring.have[cable->a] != cable->b) {
            continue;
        }
        verifier->verification->n_right++;
        struct sf_finding finding = finding_of(SF_VERDICT_DIFFERENT);
        finding.planned[0] = sf_wiring_end(&verifier->wiring, cable->a);
        finding.planned[1] = sf_wiring_end(&verifier->wiring, cable->b);
        finding.found[0] = finding.planned[0];
        finding.found[1] = finding.planned[1];
        finding.cable = i;
        if (rates_matter && (is_different(verifier, finding.found[0]) ||
                             is_different(verifier, finding.found[1]))) {
            add_finding(verifier, finding);
        }
    }
}

static void
count(struct sf_verification *verification)
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

static enum sf_status
compare(struct verifier *verifier, const struct sf_verify_params *params,
        struct sf_error *err)
{
    struct sf_verification *verification = verifier->verification;
    unsigned sources =
        params && params->sources ? params->sources : SF_IDENTITY_ALL;

    lay_out(verifier);
    enum sf_status status = find_exchanges(verifier, err);
    if (status == SF_OK) {
        status = find_misnamed(verifier, sources, err);
    }
    if (status != SF_OK) {
        return status;
    }
    find_missing_nodes(verifier);
    status = find_unknown_nodes(verifier, err);
    if (status != SF_OK) {
        return status;
    }
    find_void_cables(verifier);
    /* Findings refer to others by number: none may have been dropped. */
    if (verifier->is_out_of_memory ||
        !sf_list_moves(&verifier->wiring, &verifier->report)) {
        return sf_fail(err, SF_ENOMEM, "out of memory for a verification");
    }
    find_right_cables(verifier, !params || !params->ignores_rates);
    if (verifier->is_out_of_memory) {
        return sf_fail(err, SF_ENOMEM, "out of memory for a verification");
    }

    verification->findings = verifier->report.findings.items;
    verification->n_findings = (uint32_t)verifier->report.findings.n;
    verification->moves = verifier->report.moves.items;
    verification->n_moves = (uint32_t)verifier->report.moves.n;
    verification->n_moves_besides = verifier->report.n_moves_besides;
    verifier->report.findings.items = NULL;
    verifier->report.moves.items = NULL;
    for (uint32_t i = 0; i < verification->n_findings; i++) {
        verification->n_by_verdict[verification->findings[i].verdict]++;
    }
    verification->matches = verification->n_findings == 0;
    return SF_OK;
}

static uint32_t *
new_numbers(uint32_t n)
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
    struct sf_report *report = &verifier->report;

    verifier->verification = verification;
    if (!verification) {
        goto no_memory;
    }
    verification->plan = plan;
    verification->found = found;
    verification->n_labellings = 1;
    verification->identities =
        sf_calloc(found->n_nodes, sizeof *verification->identities);
    verification->found_of = new_numbers(planned->n_nodes);
    wiring->verification = verification;
    wiring->n_planned = planned->n_ports;
    wiring->n_slots = planned->n_ports + found->n_ports;
    wiring->want = sf_calloc(wiring->n_slots, sizeof *wiring->want);
    wiring->have = sf_calloc(wiring->n_slots, sizeof *wiring->have);
    report->exchanged_slot = new_numbers(planned->n_ports);
    report->exchange_of = new_numbers(planned->n_nodes);
    report->missing_of = new_numbers(planned->n_nodes);
    verifier->exchange_with = new_numbers(planned->n_switches);
    if (verification->identities && verification->found_of && wiring->want &&
        wiring->have && report->exchanged_slot && report->exchange_of &&
        report->missing_of && verifier->exchange_with) {
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
        status = sf_identify(verifier.verification, params, err);
    }
    if (status == SF_OK) {
        count(verifier.verification);
        status = compare(&verifier, params, err);
    }
    if (status == SF_OK) {
        *verificationp = verifier.verification;
        verifier.verification = NULL;
    }
    free(verifier.exchange_with);
    free(verifier.report.missing_of);
    free(verifier.report.exchange_of);
    free(verifier.report.exchanged_slot);
    free(verifier.report.moves.items);
    free(verifier.report.findings.items);
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
