/* findings.c -- what is wrong with a fabric, node by node and cable by cable,
 * except for the cables that moves mend (moves.c). */
#include "plan/name_index.h"
#include "plan/verifier.h"

#include <string.h>

/* When two switches have changed places: at least so many cables, and so many
 * quarters of what is planned. */
#define EXCHANGE_CABLES   3
#define EXCHANGE_QUARTERS 3

static const struct sf_end no_end = { SF_NONE, SF_NONE, 0 };

static void
add_finding(struct verifier *verifier, struct sf_finding finding)
{
    if (!sf_vec_push(&verifier->draft.findings, finding)) {
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

/* Which planned switch the cables at switch 'node' are meant for, if most of
 * them are meant for one other; 'votes' is all zero before and after. */
static uint32_t
cables_meant_for(const struct verifier *verifier, uint32_t node,
                 uint32_t *votes)
{
    const struct sf_fabric *planned = verifier_planned(verifier);
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

enum sf_status
sf_verifier_find_exchanges(struct verifier *verifier, struct sf_error *err)
{
    const struct sf_fabric *planned = verifier_planned(verifier);
    struct sf_draft *draft = &verifier->draft;
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
        draft->exchange_of[a] = (uint32_t)draft->findings.n;
        draft->exchange_of[b] = (uint32_t)draft->findings.n;
        add_finding(verifier, finding);
        const struct sf_node *x = &planned->nodes[a], *y = &planned->nodes[b];
        for (uint32_t i = 0; i < x->n_ports && i < y->n_ports; i++) {
            draft->exchanged_slot[x->first_port + i] = y->first_port + i;
            draft->exchanged_slot[y->first_port + i] = x->first_port + i;
        }
    }
    return SF_OK;
}

enum sf_status
sf_verifier_find_misnamed(struct verifier *verifier, unsigned sources,
                          struct sf_error *err)
{
    const struct sf_verification *verification = verifier->verification;
    struct sf_name_index *index;

    if (!(sources & SF_IDENTITY_NAME)) {
        return SF_OK;
    }
    enum sf_status status =
        sf_name_index_build(verifier_planned(verifier), &index, err);
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

void
sf_verifier_find_missing_nodes(struct verifier *verifier)
{
    const struct sf_fabric *planned = verifier_planned(verifier);
    struct sf_draft *draft = &verifier->draft;

    for (uint32_t i = 0; i < planned->n_nodes; i++) {
        const struct sf_node *node = &planned->nodes[i];
        if (!sf_verifier_is_missing(verifier, i)) {
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
            finding.cause = draft->missing_of[at];
        }
        draft->missing_of[i] = (uint32_t)draft->findings.n;
        add_finding(verifier, finding);
    }
}

/* Marks the unknown nodes that hang on a known one, maybe through others, in
 * 'is_reached'; all of them if no node is known. */
static enum sf_status
mark_reachable(const struct verifier *verifier, bool *is_reached,
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

enum sf_status
sf_verifier_find_unknown_nodes(struct verifier *verifier, struct sf_error *err)
{
    const struct sf_verification *verification = verifier->verification;
    const struct sf_fabric *found = verification->found;
    bool *is_reached = sf_calloc(found->n_nodes, sizeof *is_reached);

    if (!is_reached) {
        return sf_fail(err, SF_ENOMEM, "out of memory for a verification");
    }
    enum sf_status status = mark_reachable(verifier, is_reached, err);
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
                finding.found[1] = sf_wiring_end(
                    &verifier->wiring, sf_verifier_slot(verifier, peer));
                break;
            }
        }
        add_finding(verifier, finding);
    }
    free(is_reached);
    return status;
}

void
sf_verifier_find_cables_of_missing_nodes(struct verifier *verifier)
{
    const struct sf_plan *plan = verifier->verification->plan;
    const uint32_t *missing_of = verifier->draft.missing_of;

    for (uint32_t i = 0; i < plan->n_cables; i++) {
        const struct sf_cable *cable = &plan->cables[i];
        if (!sf_verifier_lacks_node(verifier, cable->a)) {
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
has_other_rate(const struct verifier *verifier, struct sf_end end)
{
    const struct sf_fabric *planned = verifier_planned(verifier);
    const struct sf_fabric *found = verifier->verification->found;
    const char *should =
        planned->ports[sf_fabric_port(planned, end.node, end.number)].rate;
    const char *rate =
        found->ports[sf_fabric_port(found, end.found, end.number)].rate;

    return *should && *rate && strcmp(should, rate) != 0;
}

void
sf_verifier_find_right_cables(struct verifier *verifier, bool rates_matter)
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
        if (rates_matter && (has_other_rate(verifier, finding.found[0]) ||
                             has_other_rate(verifier, finding.found[1]))) {
            add_finding(verifier, finding);
        }
    }
}
