/* identify.c -- by GUID map, GUID, name, hosts, structure, in this order.
 *
 * Each stage lets the nodes that are still unknown claim a planned node; a
 * claim counts if it is the only one for a node that is still free. */
#include "plan/identify.h"

#include "base/mem.h"
#include "plan/match.h"

#include <string.h>

struct name {
    const char *text; /* Not ended by a NUL. */
    size_t length;
    enum sf_node_kind kind;
    uint32_t node;
};

struct sf_name_index {
    uint32_t n_names;
    struct name *names; /* Sorted. */
};

static int
compare_names(const void *a, const void *b)
{
    const struct name *x = a, *y = b;

    if (x->kind != y->kind) {
        return x->kind < y->kind ? -1 : 1;
    }
    if (x->length != y->length) {
        return x->length < y->length ? -1 : 1;
    }
    return memcmp(x->text, y->text, x->length);
}

enum sf_status
sf_name_index_build(const struct sf_fabric *planned,
                    struct sf_name_index **indexp, struct sf_error *err)
{
    struct sf_name_index *index = sf_calloc(1, sizeof *index);

    *indexp = NULL;
    if (index) {
        index->names = sf_calloc(planned->n_nodes, sizeof *index->names);
    }
    if (!index || !index->names) {
        free(index);
        sf_fail(err, SF_ENOMEM, "out of memory for %u names",
                planned->n_nodes);
        return SF_ENOMEM;
    }
    index->n_names = planned->n_nodes;
    for (uint32_t i = 0; i < planned->n_nodes; i++) {
        const struct sf_node *node = &planned->nodes[i];
        index->names[i] =
            (struct name){ node->name, strlen(node->name), node->kind, i };
    }
    qsort(index->names, index->n_names, sizeof *index->names, compare_names);
    *indexp = index;
    return SF_OK;
}

void
sf_name_index_free(struct sf_name_index *index)
{
    if (index) {
        free(index->names);
        free(index);
    }
}

static uint32_t
look_up(const struct sf_name_index *index, enum sf_node_kind kind,
        const char *text, size_t length)
{
    struct name key = { text, length, kind, 0 };
    const struct name *names = index->names;
    const struct name *end = names + index->n_names;
    const struct name *name =
        bsearch(&key, names, index->n_names, sizeof *names, compare_names);

    if (!name || length == 0 ||
        (name > names && !compare_names(name, name - 1)) ||
        (name + 1 < end && !compare_names(name, name + 1))) {
        return SF_NONE;
    }
    return name->node;
}

uint32_t
sf_name_index_exact(const struct sf_name_index *index, enum sf_node_kind kind,
                    const char *name)
{
    return look_up(index, kind, name, strlen(name));
}

/* The name that the description 'name' holds among other things; its length
 * is 0 if there is none. */
static const char *
name_inside(enum sf_node_kind kind, const char *name, size_t *lengthp)
{
    if (kind == SF_NODE_HOST) {
        *lengthp = strcspn(name, " \t");
        return name;
    }
    const char *start = strchr(name, ';');
    *lengthp = start ? strcspn(start + 1, ":") : 0;
    return start ? start + 1 : name;
}

uint32_t
sf_name_index_find(const struct sf_name_index *index, enum sf_node_kind kind,
                   const char *name)
{
    uint32_t node = sf_name_index_exact(index, kind, name);
    size_t length;

    if (node != SF_NONE) {
        return node;
    }
    const char *part = name_inside(kind, name, &length);
    return look_up(index, kind, part, length);
}

bool
sf_name_is(enum sf_node_kind kind, const char *found, const char *planned)
{
    size_t length;
    const char *part = name_inside(kind, found, &length);

    return !strcmp(found, planned) ||
           (strlen(planned) == length && !memcmp(part, planned, length));
}

/* Who is who, so far. */
struct identifier {
    const struct sf_fabric *planned, *found;
    struct sf_identity *identities;
    uint32_t *found_of;
    uint32_t *claims;   /* [found nodes] A planned node, or SF_NONE. */
    uint32_t *n_claims; /* [planned nodes] */
};

/* Whether nothing is known of a node found. */
static bool
is_open(const struct identifier *is, uint32_t node)
{
    return is->identities[node].source == SF_IDENTITY_NONE;
}

static void
assign(struct identifier *is, uint32_t node, uint32_t planned,
       enum sf_identity_source source, bool is_certain)
{
    is->identities[node] = (struct sf_identity){ planned, source, is_certain };
    is->found_of[planned] = node;
}

/* Grants claims[]: each that is the only one for a free node of its kind. */
static void
grant(struct identifier *is, enum sf_identity_source source)
{
    for (uint32_t i = 0; i < is->planned->n_nodes; i++) {
        is->n_claims[i] = 0;
    }
    for (uint32_t i = 0; i < is->found->n_nodes; i++) {
        uint32_t planned = is->claims[i];
        if (planned == SF_NONE) {
            continue;
        }
        if (!is_open(is, i) || is->found_of[planned] != SF_NONE ||
            is->planned->nodes[planned].kind != is->found->nodes[i].kind) {
            is->claims[i] = SF_NONE;
        } else {
            is->n_claims[planned]++;
        }
    }
    for (uint32_t i = 0; i < is->found->n_nodes; i++) {
        if (is->claims[i] != SF_NONE && is->n_claims[is->claims[i]] == 1) {
            assign(is, i, is->claims[i], source,
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
identify_by_map(struct identifier *is, const struct sf_guid_map *map,
                const struct sf_name_index *index)
{
    for (uint32_t i = 0; i < is->found->n_nodes; i++) {
        const struct sf_node *node = &is->found->nodes[i];
        const struct sf_guid_name *entry = sf_guid_map_find(map, node->guid);
        is->claims[i] =
            entry ? sf_name_index_find(index, node->kind, entry->name)
                  : SF_NONE;
        if (entry && is->claims[i] == SF_NONE) {
            is->identities[i].source = SF_IDENTITY_MAP; /* Not planned. */
        }
    }
    grant(is, SF_IDENTITY_MAP);
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
identify_by_guid(struct identifier *is, struct sf_error *err)
{
    uint32_t n = is->planned->n_nodes;
    struct guid *guids = sf_calloc(n, sizeof *guids);

    if (!guids) {
        return sf_fail(err, SF_ENOMEM, "out of memory for %u GUIDs", n);
    }
    for (uint32_t i = 0; i < n; i++) {
        guids[i] = (struct guid){ is->planned->nodes[i].guid, i };
    }
    qsort(guids, n, sizeof *guids, compare_guids);
    for (uint32_t i = 0; i < is->found->n_nodes; i++) {
        struct guid key = { is->found->nodes[i].guid, 0 };
        const struct guid *guid =
            key.guid ? bsearch(&key, guids, n, sizeof *guids, compare_guids)
                     : NULL;
        bool is_shared =
            guid && ((guid > guids && guid[-1].guid == key.guid) ||
                     (guid + 1 < guids + n && guid[1].guid == key.guid));
        is->claims[i] = guid && !is_shared ? guid->node : SF_NONE;
    }
    free(guids);
    grant(is, SF_IDENTITY_GUID);
    return SF_OK;
}

/* Exact names first: "node0003" is it rather than "node0003 HCA-2". */
static void
identify_by_name(struct identifier *is, const struct sf_name_index *index)
{
    for (int is_loose = 0; is_loose < 2; is_loose++) {
        for (uint32_t i = 0; i < is->found->n_nodes; i++) {
            const struct sf_node *node = &is->found->nodes[i];
            is->claims[i] =
                is_loose ? sf_name_index_find(index, node->kind, node->name)
                         : sf_name_index_exact(index, node->kind, node->name);
        }
        grant(is, SF_IDENTITY_NAME);
    }
}

/* The planned port that a port found is, or SF_NONE. */
static uint32_t
planned_port(const struct identifier *is, uint32_t port)
{
    uint32_t node = is->identities[is->found->ports[port].node].node;
    return node == SF_NONE ? SF_NONE
                           : sf_fabric_port(is->planned, node,
                                            is->found->ports[port].number);
}

/* The planned switch on which most of the identified hosts at 'node' belong,
 * or SF_NONE; with how many they are.  'votes' is zero before and after. */
static uint32_t
switch_of_hosts(const struct identifier *is, uint32_t node, uint32_t *votes,
                uint32_t *n_votesp)
{
    const struct sf_node *at = &is->found->nodes[node];
    uint32_t best = SF_NONE, n_hosts = 0;

    *n_votesp = 0;
    for (int is_reset = 0; is_reset < 2; is_reset++) {
        for (uint32_t i = 0; i < at->n_ports; i++) {
            uint32_t peer = is->found->ports[at->first_port + i].peer;
            uint32_t host = peer == SF_NONE || is->found->ports[peer].node <
                                                   is->found->n_switches
                                ? SF_NONE
                                : planned_port(is, peer);
            uint32_t port =
                host == SF_NONE ? SF_NONE : is->planned->ports[host].peer;
            if (port == SF_NONE) {
                continue;
            }
            uint32_t planned = is->planned->ports[port].node;
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
identify_by_hosts(struct identifier *is, struct sf_error *err)
{
    uint32_t *votes = sf_calloc(is->planned->n_nodes, sizeof *votes);
    uint32_t *n_hosts = sf_calloc(is->found->n_switches, sizeof *n_hosts);
    uint32_t *most = sf_calloc(is->planned->n_nodes, sizeof *most);

    if (!votes || !n_hosts || !most) {
        free(most);
        free(n_hosts);
        free(votes);
        return sf_fail(err, SF_ENOMEM, "out of memory to identify switches");
    }
    for (uint32_t i = 0; i < is->found->n_nodes; i++) {
        is->claims[i] = SF_NONE;
        if (i < is->found->n_switches && is_open(is, i)) {
            is->claims[i] = switch_of_hosts(is, i, votes, &n_hosts[i]);
        }
        if (is->claims[i] != SF_NONE && n_hosts[i] > most[is->claims[i]]) {
            most[is->claims[i]] = n_hosts[i];
        }
    }
    for (uint32_t i = 0; i < is->found->n_switches; i++) {
        if (is->claims[i] != SF_NONE && n_hosts[i] < most[is->claims[i]]) {
            is->claims[i] = SF_NONE;
        }
    }
    grant(is, SF_IDENTITY_HOSTS);
    for (uint32_t i = 0; i < is->found->n_switches; i++) {
        if (is->identities[i].source == SF_IDENTITY_HOSTS) {
            is->identities[i].is_certain = n_hosts[i] > 1;
        }
    }
    free(most);
    free(n_hosts);
    free(votes);
    return SF_OK;
}

static enum sf_status
match_switches(struct identifier *is, uint32_t *n_labellingsp,
               struct sf_error *err)
{
    uint32_t n = is->found->n_switches;
    struct sf_match *matches = sf_calloc(n, sizeof *matches);
    uint32_t *host_of = is->claims;

    if (!matches) {
        return sf_fail(err, SF_ENOMEM, "out of memory to identify switches");
    }
    for (uint32_t i = 0; i < is->found->n_nodes; i++) {
        host_of[i] = i < n ? SF_NONE : is->identities[i].node;
    }
    /* One host alone does not hold a switch against its other cables. */
    for (uint32_t i = 0; i < n; i++) {
        matches[i].node = is->identities[i].node;
        matches[i].is_fixed =
            !is_open(is, i) && (is->identities[i].is_certain ||
                                is->identities[i].node == SF_NONE);
    }
    enum sf_status status = sf_match_structure(is->planned, is->found, host_of,
                                               matches, n_labellingsp, err);
    for (uint32_t i = 0; status == SF_OK && i < n; i++) {
        if (!matches[i].is_fixed && is->identities[i].node != SF_NONE &&
            is->identities[i].node != matches[i].node) {
            is->found_of[is->identities[i].node] = SF_NONE;
            is->identities[i] =
                (struct sf_identity){ SF_NONE, SF_IDENTITY_NONE, false };
        }
    }
    for (uint32_t i = 0; status == SF_OK && i < n; i++) {
        if (matches[i].is_fixed || matches[i].node == SF_NONE) {
            continue;
        }
        bool is_certain = *n_labellingsp == 1 && matches[i].is_agreed;
        if (is_open(is, i)) {
            assign(is, i, matches[i].node, SF_IDENTITY_STRUCTURE, is_certain);
        } else {
            is->identities[i].is_certain = is_certain;
        }
    }
    free(matches);
    return status;
}

/* The planned host for which the port of a known switch is meant into which
 * the host found 'node' is plugged. */
static uint32_t
host_at_place(const struct identifier *is, uint32_t node)
{
    const struct sf_node *host = &is->found->nodes[node];

    for (uint32_t i = 0; i < host->n_ports; i++) {
        uint32_t peer = is->found->ports[host->first_port + i].peer;
        uint32_t slot = peer == SF_NONE ? SF_NONE : planned_port(is, peer);
        uint32_t meant =
            slot == SF_NONE ? SF_NONE : is->planned->ports[slot].peer;
        if (meant != SF_NONE &&
            is->planned->ports[meant].node >= is->planned->n_switches) {
            return is->planned->ports[meant].node;
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
share_out_hosts(struct identifier *is)
{
    for (int is_anywhere = 0; is_anywhere < 2; is_anywhere++) {
        uint32_t first_free = is->planned->n_switches;
        for (uint32_t i = is->found->n_switches; i < is->found->n_nodes; i++) {
            uint32_t at =
                is_open(is, i) ? switch_under(is->found, i) : SF_NONE;
            if (at == SF_NONE || is->identities[at].node == SF_NONE) {
                continue;
            }
            while (first_free < is->planned->n_nodes &&
                   is->found_of[first_free] != SF_NONE) {
                first_free++;
            }
            for (uint32_t j = first_free; j < is->planned->n_nodes; j++) {
                if (is->found_of[j] == SF_NONE &&
                    (is_anywhere || switch_under(is->planned, j) ==
                                        is->identities[at].node)) {
                    assign(is, i, j, SF_IDENTITY_STRUCTURE, false);
                    break;
                }
            }
        }
    }
}

static void
match_hosts(struct identifier *is)
{
    bool is_any_labelled = false;

    for (uint32_t i = 0; i < is->found->n_nodes; i++) {
        is->claims[i] = SF_NONE;
        if (i >= is->found->n_switches) {
            is_any_labelled |= is->identities[i].node != SF_NONE;
            is->claims[i] = is_open(is, i) ? host_at_place(is, i) : SF_NONE;
        }
    }
    grant(is, SF_IDENTITY_STRUCTURE);
    if (!is_any_labelled) {
        share_out_hosts(is);
    }
}

static enum sf_status
run_stages(struct identifier *is, const struct sf_verify_params *params,
           const struct sf_name_index *index, uint32_t *n_labellingsp,
           struct sf_error *err)
{
    unsigned sources =
        params && params->sources ? params->sources : SF_IDENTITY_ALL;
    enum sf_status status = SF_OK;

    if (sources & SF_IDENTITY_MAP && params && params->map) {
        identify_by_map(is, params->map, index);
    }
    if (sources & SF_IDENTITY_GUID) {
        status = identify_by_guid(is, err);
    }
    if (status == SF_OK && sources & SF_IDENTITY_NAME) {
        identify_by_name(is, index);
    }
    if (status == SF_OK && sources & SF_IDENTITY_HOSTS) {
        status = identify_by_hosts(is, err);
    }
    if (status == SF_OK && sources & SF_IDENTITY_STRUCTURE) {
        status = match_switches(is, n_labellingsp, err);
        if (status == SF_OK) {
            match_hosts(is);
        }
    }
    return status;
}

enum sf_status
sf_identify(struct sf_verification *verification,
            const struct sf_verify_params *params, struct sf_error *err)
{
    struct identifier is = {
        .planned = verification->plan->fabric,
        .found = verification->found,
        .identities = verification->identities,
        .found_of = verification->found_of,
    };
    struct sf_name_index *index = NULL;
    enum sf_status status;

    for (uint32_t i = 0; i < is.planned->n_nodes; i++) {
        is.found_of[i] = SF_NONE;
    }
    for (uint32_t i = 0; i < is.found->n_nodes; i++) {
        is.identities[i] =
            (struct sf_identity){ SF_NONE, SF_IDENTITY_NONE, false };
    }
    is.claims = sf_calloc(is.found->n_nodes, sizeof *is.claims);
    is.n_claims = sf_calloc(is.planned->n_nodes, sizeof *is.n_claims);
    if (!is.claims || !is.n_claims) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for %u nodes",
                         is.found->n_nodes);
        goto done;
    }
    status = sf_name_index_build(is.planned, &index, err);
    if (status == SF_OK) {
        status =
            run_stages(&is, params, index, &verification->n_labellings, err);
    }

done:
    sf_name_index_free(index);
    free(is.n_claims);
    free(is.claims);
    return status;
}
