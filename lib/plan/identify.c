/* identify.c -- by GUID map, GUID, name, hosts, structure, in this order.
 *
 * Each stage lets the nodes that are still unknown claim a planned node; a
 * claim counts if it is the only one for a node that is still free. */
#include "plan/identify.h"

#include "base/mem.h"
#include "plan/match.h"

#include <string.h>

/* What is known so far of the nodes found. */
struct identification {
    const struct sf_fabric *planned, *found;
    struct sf_identity *identities;
    uint32_t *found_of;
    uint32_t *claims;   /* [found nodes] A planned node, or SF_NONE. */
    uint32_t *n_claims; /* [planned nodes] */
};

/* Whether nothing is known of a node found. */
static bool
is_open(const struct identification *identification, uint32_t node)
{
    return identification->identities[node].source == SF_IDENTITY_NONE;
}

static void
assign(struct identification *identification, uint32_t node, uint32_t planned,
       enum sf_identity_source source, bool is_certain)
{
    identification->identities[node] =
        (struct sf_identity){ planned, source, is_certain };
    identification->found_of[planned] = node;
}

/* Grants claims[]: each that is the only one for a free node of its kind. */
static void
grant(struct identification *identification, enum sf_identity_source source)
{
    for (uint32_t i = 0; i < identification->planned->n_nodes; i++) {
        identification->n_claims[i] = 0;
    }
    for (uint32_t i = 0; i < identification->found->n_nodes; i++) {
        uint32_t planned = identification->claims[i];
        if (planned == SF_NONE) {
            continue;
        }
        if (!is_open(identification, i) ||
            identification->found_of[planned] != SF_NONE ||
            identification->planned->nodes[planned].kind !=
                identification->found->nodes[i].kind) {
            identification->claims[i] = SF_NONE;
        } else {
            identification->n_claims[planned]++;
        }
    }
    for (uint32_t i = 0; i < identification->found->n_nodes; i++) {
        if (identification->claims[i] != SF_NONE &&
            identification->n_claims[identification->claims[i]] == 1) {
            assign(identification, i, identification->claims[i], source,
                   source != SF_IDENTITY_STRUCTURE);
        }
    }
}

const struct sf_guid_name *
sf_guid_map_find(const struct sf_guid_map *map, uint64_t guid)
{
    uint32_t low = 0, high = map->n_entries;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (map->entries[middle].guid < guid) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < map->n_entries && map->entries[low].guid == guid
               ? &map->entries[low]
               : NULL;
}

static void
identify_by_map(struct identification *identification,
                const struct sf_guid_map *map,
                const struct sf_name_index *index)
{
    for (uint32_t i = 0; i < identification->found->n_nodes; i++) {
        const struct sf_node *node = &identification->found->nodes[i];
        const struct sf_guid_name *entry = sf_guid_map_find(map, node->guid);
        identification->claims[i] =
            entry ? sf_name_index_find(index, node->kind, entry->name)
                  : SF_NONE;
        if (entry && identification->claims[i] == SF_NONE) {
            identification->identities[i].source =
                SF_IDENTITY_MAP; /* Not planned. */
        }
    }
    grant(identification, SF_IDENTITY_MAP);
}

/* A planned node and its GUID. */
struct guid {
    uint64_t guid;
    uint32_t node;
};

static int
compare_guids(const void *a, const void *b)
{
    const struct guid *x = a, *y = b;
    return (x->guid > y->guid) - (x->guid < y->guid);
}

static enum sf_status
identify_by_guid(struct identification *identification, struct sf_error *err)
{
    uint32_t n = identification->planned->n_nodes;
    struct guid *guids = sf_calloc(n, sizeof *guids);

    if (!guids) {
        return sf_fail(err, SF_ENOMEM, "out of memory for %u GUIDs", n);
    }
    for (uint32_t i = 0; i < n; i++) {
        guids[i] = (struct guid){ identification->planned->nodes[i].guid, i };
    }
    qsort(guids, n, sizeof *guids, compare_guids);
    for (uint32_t i = 0; i < identification->found->n_nodes; i++) {
        struct guid key = { identification->found->nodes[i].guid, 0 };
        const struct guid *guid =
            key.guid ? bsearch(&key, guids, n, sizeof *guids, compare_guids)
                     : NULL;
        bool is_shared =
            guid && ((guid > guids && guid[-1].guid == key.guid) ||
                     (guid + 1 < guids + n && guid[1].guid == key.guid));
        identification->claims[i] = guid && !is_shared ? guid->node : SF_NONE;
    }
    free(guids);
    grant(identification, SF_IDENTITY_GUID);
    return SF_OK;
}

/* Exact names first: "node0003" is it rather than "node0003 HCA-2". */
static void
identify_by_name(struct identification *identification,
                 const struct sf_name_index *index)
{
    for (int is_loose = 0; is_loose < 2; is_loose++) {
        for (uint32_t i = 0; i < identification->found->n_nodes; i++) {
            const struct sf_node *node = &identification->found->nodes[i];
            identification->claims[i] =
                is_loose ? sf_name_index_find(index, node->kind, node->name)
                         : sf_name_index_exact(index, node->kind, node->name);
        }
        grant(identification, SF_IDENTITY_NAME);
    }
}

/* The planned port that a port found is, or SF_NONE. */
static uint32_t
planned_port(const struct identification *identification, uint32_t port)
{
    uint32_t node =
        identification->identities[identification->found->ports[port].node]
            .node;
    return node == SF_NONE
               ? SF_NONE
               : sf_fabric_port(identification->planned, node,
                                identification->found->ports[port].number);
}

/* The planned switch on which most of the identified hosts at 'node' belong,
 * or SF_NONE; with how many they are.  'votes' is zero before and after. */
static uint32_t
switch_of_hosts(const struct identification *identification, uint32_t node,
                uint32_t *votes, uint32_t *n_votesp)
{
    const struct sf_node *at = &identification->found->nodes[node];
    uint32_t best = SF_NONE, n_hosts = 0;

    *n_votesp = 0;
    for (int is_reset = 0; is_reset < 2; is_reset++) {
        for (uint32_t i = 0; i < at->n_ports; i++) {
            uint32_t peer =
                identification->found->ports[at->first_port + i].peer;
            uint32_t host =
                peer == SF_NONE || identification->found->ports[peer].node <
                                       identification->found->n_switches
                    ? SF_NONE
                    : planned_port(identification, peer);
            uint32_t port = host == SF_NONE
                                ? SF_NONE
                                : identification->planned->ports[host].peer;
            if (port == SF_NONE) {
                continue;
            }
            uint32_t planned = identification->planned->ports[port].node;
            if (is_reset) {
                votes[planned] = 0;
                continue;
            }
            n_hosts++;
            if (++votes[planned] > *n_votesp) {
                *n_votesp = votes[planned];
                best = planned;
            }
        }
    }
    return 2 * *n_votesp > n_hosts ? best : SF_NONE;
}

/* Of two switches that claim the same, the one with more hosts has it. */
static enum sf_status
identify_by_hosts(struct identification *identification, struct sf_error *err)
{
    uint32_t *votes =
        sf_calloc(identification->planned->n_nodes, sizeof *votes);
    uint32_t *n_hosts =
        sf_calloc(identification->found->n_switches, sizeof *n_hosts);
    uint32_t *most = sf_calloc(identification->planned->n_nodes, sizeof *most);

    if (!votes || !n_hosts || !most) {
        free(most);
        free(n_hosts);
        free(votes);
        return sf_fail(err, SF_ENOMEM, "out of memory to identify switches");
    }
    for (uint32_t i = 0; i < identification->found->n_nodes; i++) {
        identification->claims[i] = SF_NONE;
        if (i < identification->found->n_switches &&
            is_open(identification, i)) {
            identification->claims[i] =
                switch_of_hosts(identification, i, votes, &n_hosts[i]);
        }
        if (identification->claims[i] != SF_NONE &&
            n_hosts[i] > most[identification->claims[i]]) {
            most[identification->claims[i]] = n_hosts[i];
        }
    }
    for (uint32_t i = 0; i < identification->found->n_switches; i++) {
        if (identification->claims[i] != SF_NONE &&
            n_hosts[i] < most[identification->claims[i]]) {
            identification->claims[i] = SF_NONE;
        }
    }
    grant(identification, SF_IDENTITY_HOSTS);
    for (uint32_t i = 0; i < identification->found->n_switches; i++) {
        if (identification->identities[i].source == SF_IDENTITY_HOSTS) {
            identification->identities[i].is_certain = n_hosts[i] > 1;
        }
    }
    free(most);
    free(n_hosts);
    free(votes);
    return SF_OK;
}

static enum sf_status
match_switches(struct identification *identification, uint32_t *n_labellingsp,
               struct sf_error *err)
{
    uint32_t n = identification->found->n_switches;
    struct sf_match *matches = sf_calloc(n, sizeof *matches);
    uint32_t *host_of = identification->claims;

    if (!matches) {
        return sf_fail(err, SF_ENOMEM, "out of memory to identify switches");
    }
    for (uint32_t i = 0; i < identification->found->n_nodes; i++) {
        host_of[i] = i < n ? SF_NONE : identification->identities[i].node;
    }
    /* One host alone does not hold a switch against its other cables. */
    for (uint32_t i = 0; i < n; i++) {
        matches[i].node = identification->identities[i].node;
        matches[i].is_fixed = !is_open(identification, i) &&
                              (identification->identities[i].is_certain ||
                               identification->identities[i].node == SF_NONE);
    }
    enum sf_status status =
        sf_match_structure(identification->planned, identification->found,
                           host_of, matches, n_labellingsp, err);
    for (uint32_t i = 0; status == SF_OK && i < n; i++) {
        if (!matches[i].is_fixed &&
            identification->identities[i].node != SF_NONE &&
            identification->identities[i].node != matches[i].node) {
            identification->found_of[identification->identities[i].node] =
                SF_NONE;
            identification->identities[i] =
                (struct sf_identity){ SF_NONE, SF_IDENTITY_NONE, false };
        }
    }
    for (uint32_t i = 0; status == SF_OK && i < n; i++) {
        if (matches[i].is_fixed || matches[i].node == SF_NONE) {
            continue;
        }
        bool is_certain = *n_labellingsp == 1 && matches[i].is_agreed;
        if (is_open(identification, i)) {
            assign(identification, i, matches[i].node, SF_IDENTITY_STRUCTURE,
                   is_certain);
        } else {
            identification->identities[i].is_certain = is_certain;
        }
    }
    free(matches);
    return status;
}

/* The planned host for which the port of a known switch is meant into which
 * the host found 'node' is plugged. */
static uint32_t
host_at_place(const struct identification *identification, uint32_t node)
{
    const struct sf_node *host = &identification->found->nodes[node];

    for (uint32_t i = 0; i < host->n_ports; i++) {
        uint32_t peer =
            identification->found->ports[host->first_port + i].peer;
        uint32_t slot =
            peer == SF_NONE ? SF_NONE : planned_port(identification, peer);
        uint32_t meant = slot == SF_NONE
                             ? SF_NONE
                             : identification->planned->ports[slot].peer;
        if (meant != SF_NONE && identification->planned->ports[meant].node >=
                                    identification->planned->n_switches) {
            return identification->planned->ports[meant].node;
        }
    }
    return SF_NONE;
}

/* The switch that a host is plugged into, or is meant to be. */
static uint32_t
switch_under(const struct sf_fabric *fabric, uint32_t host)
{
    const struct sf_node *node = &fabric->nodes[host];

    for (uint32_t i = 0; i < node->n_ports; i++) {
        uint32_t peer = fabric->ports[node->first_port + i].peer;
        if (peer != SF_NONE && fabric->ports[peer].node < fabric->n_switches) {
            return fabric->ports[peer].node;
        }
    }
    return SF_NONE;
}

/* Gives hosts without any label that stand in the wrong port the names that
 * are left: first those of the same switch, then any. */
static void
share_out_hosts(struct identification *identification)
{
    for (int is_anywhere = 0; is_anywhere < 2; is_anywhere++) {
        uint32_t first_free = identification->planned->n_switches;
        for (uint32_t i = identification->found->n_switches;
             i < identification->found->n_nodes; i++) {
            uint32_t at = is_open(identification, i)
                              ? switch_under(identification->found, i)
                              : SF_NONE;
            if (at == SF_NONE ||
                identification->identities[at].node == SF_NONE) {
                continue;
            }
            while (first_free < identification->planned->n_nodes &&
                   identification->found_of[first_free] != SF_NONE) {
                first_free++;
            }
            for (uint32_t j = first_free; j < identification->planned->n_nodes;
                 j++) {
                if (identification->found_of[j] == SF_NONE &&
                    (is_anywhere || switch_under(identification->planned, j) ==
                                        identification->identities[at].node)) {
                    assign(identification, i, j, SF_IDENTITY_STRUCTURE, false);
                    break;
                }
            }
        }
    }
}

static void
match_hosts(struct identification *identification)
{
    bool is_any_labelled = false;

    for (uint32_t i = 0; i < identification->found->n_nodes; i++) {
        identification->claims[i] = SF_NONE;
        if (i >= identification->found->n_switches) {
            is_any_labelled |= identification->identities[i].node != SF_NONE;
            identification->claims[i] = is_open(identification, i)
                                            ? host_at_place(identification, i)
                                            : SF_NONE;
        }
    }
    grant(identification, SF_IDENTITY_STRUCTURE);
    if (!is_any_labelled) {
        share_out_hosts(identification);
    }
}

static enum sf_status
run_stages(struct identification *identification,
           const struct sf_verify_params *params,
           const struct sf_name_index *index, uint32_t *n_labellingsp,
           struct sf_error *err)
{
    unsigned sources =
        params && params->sources ? params->sources : SF_IDENTITY_ALL;
    enum sf_status status = SF_OK;

    if (sources & SF_IDENTITY_MAP && params && params->map) {
        identify_by_map(identification, params->map, index);
    }
    if (sources & SF_IDENTITY_GUID) {
        status = identify_by_guid(identification, err);
    }
    if (status == SF_OK && sources & SF_IDENTITY_NAME) {
        identify_by_name(identification, index);
    }
    if (status == SF_OK && sources & SF_IDENTITY_HOSTS) {
        status = identify_by_hosts(identification, err);
    }
    if (status == SF_OK && sources & SF_IDENTITY_STRUCTURE) {
        status = match_switches(identification, n_labellingsp, err);
        if (status == SF_OK) {
            match_hosts(identification);
        }
    }
    return status;
}

enum sf_status
sf_identify(struct sf_verification *verification,
            const struct sf_verify_params *params, struct sf_error *err)
{
    struct identification identification = {
        .planned = verification->plan->fabric,
        .found = verification->found,
        .identities = verification->identities,
        .found_of = verification->found_of,
    };
    struct sf_name_index *index = NULL;
    enum sf_status status;

    for (uint32_t i = 0; i < identification.planned->n_nodes; i++) {
        identification.found_of[i] = SF_NONE;
    }
    for (uint32_t i = 0; i < identification.found->n_nodes; i++) {
        identification.identities[i] =
            (struct sf_identity){ SF_NONE, SF_IDENTITY_NONE, false };
    }
    identification.claims = sf_calloc(identification.found->n_nodes,
                                      sizeof *identification.claims);
    identification.n_claims = sf_calloc(identification.planned->n_nodes,
                                        sizeof *identification.n_claims);
    if (!identification.claims || !identification.n_claims) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for %u nodes",
                         identification.found->n_nodes);
        goto done;
    }
    status = sf_name_index_build(identification.planned, &index, err);
    if (status == SF_OK) {
        status = run_stages(&identification, params, index,
                            &verification->n_labellings, err);
    }

done:
    sf_name_index_free(index);
    free(identification.n_claims);
    free(identification.claims);
    return status;
}
