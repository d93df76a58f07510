#include "plan/match.h"

#include "base/mem.h"

#include <string.h>

#define MAX_ROUNDS 64 /* Longer than any path that matters. */
#define N_ROOTS    6  /* Beginnings tried, spread over the fabric found. */

/* A cable of a switch found, to another switch or to a host that is known. */
struct arc {
    uint32_t number;      /* Of the port. */
    uint32_t peer;        /* The switch, or SF_NONE for a host. */
    uint32_t peer_number; /* Of its port; for a host, the planned switch whose
                           * port 'number' it belongs into, or SF_NONE. */
};

/* Where a planned port leads. */
struct outlet {
    uint32_t node; /* SF_NONE unless a switch. */
    uint32_t number;
    bool is_host;
};

struct matcher {
    const struct sf_fabric *planned, *found;
    const struct sf_match *given;
    uint32_t n;              /* Switches found. */
    uint32_t *first;         /* [n + 1] Where the arcs of a switch start. */
    struct arc *arcs;        /* To switches first, then to hosts. */
    uint32_t *n_switch_arcs; /* [n] */
    struct outlet *outlets;  /* [planned ports] */
    uint32_t *to;            /* [n] The planned switch, or SF_NONE. */
    uint32_t *best_to;       /* [n] Of the best beginning so far. */
    uint32_t *choice;        /* [n] What the neighbours vote for, */
    uint32_t *n_votes;       /* [n] and how many of them. */
    uint32_t *winner;        /* [planned switches] Who becomes it. */
    uint32_t *votes;         /* [planned switches] All 0 between uses. */
    bool *is_barred;         /* [planned switches] Held by a fixed one. */
};

/* How well a labelling fits. */
struct score {
    uint32_t n_agree; /* Arcs that lead where the plan says. */
    uint32_t n_seen;  /* Arcs whose both ends have a name. */
    uint32_t n_hosts; /* Hosts in ports that are meant for hosts. */
};

/* The planned switch that 'arc' says its owner is, or SF_NONE if it says that
 * it is none; '*is_seenp' tells whether it says anything. */
static uint32_t
vote_of(const struct matcher *matcher, const struct arc *arc, bool *is_seenp)
{
    *is_seenp = true;
    if (arc->peer == SF_NONE) {
        return arc->peer_number;
    }
    uint32_t planned = matcher->to[arc->peer];
    if (planned == SF_NONE) {
        *is_seenp = false;
        return SF_NONE;
    }
    uint32_t port =
        sf_fabric_port(matcher->planned, planned, arc->peer_number);
    if (port == SF_NONE || matcher->outlets[port].number != arc->number) {
        return SF_NONE;
    }
    return matcher->outlets[port].node;
}

/* Counts the votes for switch 'f': the most voted for that is not barred and,
 * if 'only_free', has no winner yet; the present name if it has as many. */
static void
tally(struct matcher *matcher, uint32_t f, bool only_free, struct score *score)
{
    uint32_t best = SF_NONE, n_best = 0, present = matcher->to[f];
    const struct arc *start = matcher->arcs + matcher->first[f];
    const struct arc *end = matcher->arcs + matcher->first[f + 1];
    uint32_t n_seen = 0;

    for (const struct arc *arc = start; arc < end; arc++) {
        bool is_seen;
        uint32_t candidate = vote_of(matcher, arc, &is_seen);
        n_seen += is_seen;
        if (candidate == SF_NONE) {
            continue;
        }
        uint32_t n = ++matcher->votes[candidate];
        if (n > n_best && !matcher->is_barred[candidate] &&
            (!only_free || matcher->winner[candidate] == SF_NONE)) {
            n_best = n;
            best = candidate;
        }
    }
    uint32_t n_present = present == SF_NONE ? 0 : matcher->votes[present];
    if (score && present != SF_NONE) {
        score->n_agree += n_present;
        score->n_seen += n_seen;
    }
    if (n_present == n_best && present != SF_NONE &&
        (!only_free || matcher->winner[present] == SF_NONE)) {
        best = present;
    }
    matcher->choice[f] = best;
    matcher->n_votes[f] = n_best;
    for (const struct arc *arc = start; arc < end; arc++) {
        bool is_seen;
        uint32_t candidate = vote_of(matcher, arc, &is_seen);
        if (candidate != SF_NONE) {
            matcher->votes[candidate] = 0;
        }
    }
}

/* Whether 'f' has a better claim than 'other' to what both want. */
static bool
is_stronger(const struct matcher *matcher, uint32_t f, uint32_t other)
{
    if (matcher->n_votes[f] != matcher->n_votes[other]) {
        return matcher->n_votes[f] > matcher->n_votes[other];
    }
    return matcher->to[f] == matcher->choice[f];
}

/* One round of votes.  Returns whether a name changed; 'score' is that of the
 * names before. */
static bool
run_round(struct matcher *matcher, struct score *score)
{
    bool is_changed = false;

    *score = (struct score){ 0 };
    for (uint32_t i = 0; i < matcher->planned->n_switches; i++) {
        matcher->winner[i] = SF_NONE;
    }
    for (uint32_t f = 0; f < matcher->n; f++) {
        tally(matcher, f, false, score);
        if (matcher->given[f].is_fixed) {
            matcher->choice[f] = SF_NONE;
        }
    }
    for (uint32_t f = 0; f < matcher->n; f++) {
        uint32_t choice = matcher->choice[f];
        if (choice != SF_NONE &&
            (matcher->winner[choice] == SF_NONE ||
             is_stronger(matcher, f, matcher->winner[choice]))) {
            matcher->winner[choice] = f;
        }
    }
    /* Who lost takes the best of what is left. */
    for (uint32_t f = 0; f < matcher->n; f++) {
        uint32_t choice = matcher->choice[f];
        if (choice != SF_NONE && matcher->winner[choice] != f) {
            tally(matcher, f, true, NULL);
            if (matcher->choice[f] != SF_NONE) {
                matcher->winner[matcher->choice[f]] = f;
            }
        }
    }
    for (uint32_t f = 0; f < matcher->n; f++) {
        if (!matcher->given[f].is_fixed &&
            matcher->to[f] != matcher->choice[f]) {
            matcher->to[f] = matcher->choice[f];
            is_changed = true;
        }
    }
    return is_changed;
}

/* Rounds until nothing changes, or, if 'may_give_up', until most of what can
 * be compared disagrees. */
static struct score
run_rounds(struct matcher *matcher, bool may_give_up)
{
    struct score score = { 0 };

    for (int round = 0; round < MAX_ROUNDS; round++) {
        if (!run_round(matcher, &score)) {
            break;
        }
        if (may_give_up && round > 1 && 2 * score.n_agree < score.n_seen) {
            return (struct score){ 0 };
        }
    }
    return score;
}

static uint32_t
count_hosts(const struct matcher *matcher)
{
    const struct sf_fabric *found = matcher->found;
    uint32_t n_hosts = 0;

    for (uint32_t f = 0; f < matcher->n; f++) {
        const struct sf_node *node = &found->nodes[f];
        for (uint32_t i = 0; i < node->n_ports; i++) {
            uint32_t peer = found->ports[node->first_port + i].peer;
            if (matcher->to[f] == SF_NONE || peer == SF_NONE ||
                found->ports[peer].node < found->n_switches) {
                continue;
            }
            uint32_t port =
                sf_fabric_port(matcher->planned, matcher->to[f], i + 1);
            n_hosts += port != SF_NONE && matcher->outlets[port].is_host;
        }
    }
    return n_hosts;
}

/* Whether at least half of the cables of 'root' arrive in the port numbers in
 * which those of the planned switch 's' do. */
static bool
is_plausible(const struct matcher *matcher, uint32_t root, uint32_t s)
{
    const struct arc *arcs = matcher->arcs + matcher->first[root];
    uint32_t n_arcs = matcher->n_switch_arcs[root], n_alike = 0;

    for (uint32_t i = 0; i < n_arcs; i++) {
        uint32_t port = sf_fabric_port(matcher->planned, s, arcs[i].number);
        n_alike += port != SF_NONE && matcher->outlets[port].node != SF_NONE &&
                   matcher->outlets[port].number == arcs[i].peer_number;
    }
    return 2 * n_alike >= n_arcs;
}

/* Tries every planned switch as the name of 'root'.  '*n_bestp' counts those
 * that fit as well as the best, all with the same root. */
static void
try_root(struct matcher *matcher, uint32_t root, struct score *best,
         uint32_t *n_bestp)
{
    bool is_best_root = false;

    for (uint32_t s = 0; s < matcher->planned->n_switches; s++) {
        if (!is_plausible(matcher, root, s)) {
            continue;
        }
        for (uint32_t f = 0; f < matcher->n; f++) {
            matcher->to[f] = SF_NONE;
        }
        matcher->to[root] = s;
        struct score score = run_rounds(matcher, true);
        if (score.n_agree < best->n_agree) {
            continue;
        }
        score.n_hosts = count_hosts(matcher);
        if (score.n_agree > best->n_agree || score.n_hosts > best->n_hosts ||
            *n_bestp == 0) {
            *best = score;
            *n_bestp = 1;
            is_best_root = true;
            memcpy(matcher->best_to, matcher->to,
                   matcher->n * sizeof *matcher->to);
        } else if (is_best_root && score.n_hosts == best->n_hosts &&
                   matcher->to[root] == s) {
            ++*n_bestp;
        }
    }
}

/* The switch with the most cables to other switches in the 'part'th part of
 * the fabric found that may be named; SF_NONE if there is none. */
static uint32_t
choose_root(const struct matcher *matcher, uint32_t part)
{
    uint32_t first = (uint32_t)((uint64_t)matcher->n * part / N_ROOTS);
    uint32_t end = (uint32_t)((uint64_t)matcher->n * (part + 1) / N_ROOTS);
    uint32_t root = SF_NONE;

    for (uint32_t f = first; f < end; f++) {
        if (!matcher->given[f].is_fixed &&
            (root == SF_NONE ||
             matcher->n_switch_arcs[f] > matcher->n_switch_arcs[root])) {
            root = f;
        }
    }
    return root;
}

/* Without anything to start from. */
static uint32_t
match_from_roots(struct matcher *matcher)
{
    struct score best = { 0 };
    uint32_t n_best = 0, n_arcs = 0;

    for (uint32_t f = 0; f < matcher->n; f++) {
        n_arcs += matcher->n_switch_arcs[f];
        matcher->best_to[f] = SF_NONE;
    }
    /* One root is enough if almost everything fits. */
    for (uint32_t part = 0;
         part < N_ROOTS &&
         (!n_best || 50 * (uint64_t)best.n_agree < 49 * (uint64_t)n_arcs);
         part++) {
        uint32_t root = choose_root(matcher, part);
        if (root != SF_NONE) {
            try_root(matcher, root, &best, &n_best);
        }
    }
    /* Less than half is another network. */
    bool is_other = 2 * (uint64_t)best.n_agree < n_arcs;
    for (uint32_t f = 0; f < matcher->n; f++) {
        matcher->to[f] = is_other ? SF_NONE : matcher->best_to[f];
    }
    return n_best && !is_other ? n_best : 1;
}

/* Hands over the names that more cables confirm than deny, or at least
 * 'n_enough': neighbours seldom agree by chance. */
static void
hand_over(struct matcher *matcher, uint32_t n_enough, struct sf_match *matches)
{
    for (uint32_t f = 0; f < matcher->n; f++) {
        struct score score = { 0 };
        if (matches[f].is_fixed) {
            continue;
        }
        tally(matcher, f, false, &score);
        bool is_majority = 2 * score.n_agree > score.n_seen;
        bool is_kept =
            !score.n_seen || is_majority || score.n_agree >= n_enough;
        matches[f].node = is_kept ? matcher->to[f] : SF_NONE;
        matches[f].is_agreed = is_majority && score.n_agree > 1;
    }
}

static void
list_arcs(struct matcher *matcher, const uint32_t *host_of)
{
    const struct sf_fabric *planned = matcher->planned;
    const struct sf_fabric *found = matcher->found;
    uint32_t n_arcs = 0;

    for (uint32_t f = 0; f < matcher->n; f++) {
        const struct sf_node *node = &found->nodes[f];
        matcher->first[f] = n_arcs;
        for (uint32_t i = 0; i < node->n_ports; i++) {
            uint32_t peer = found->ports[node->first_port + i].peer;
            if (peer != SF_NONE && found->ports[peer].node < matcher->n) {
                matcher->arcs[n_arcs++] =
                    (struct arc){ i + 1, found->ports[peer].node,
                                  found->ports[peer].number };
            }
        }
        matcher->n_switch_arcs[f] = n_arcs - matcher->first[f];
        for (uint32_t i = 0; i < node->n_ports; i++) {
            uint32_t peer = found->ports[node->first_port + i].peer;
            uint32_t host =
                peer == SF_NONE ? SF_NONE : host_of[found->ports[peer].node];
            if (host == SF_NONE) {
                continue;
            }
            uint32_t port =
                sf_fabric_port(planned, host, found->ports[peer].number);
            uint32_t meant =
                port == SF_NONE ? SF_NONE : planned->ports[port].peer;
            bool is_right = meant != SF_NONE &&
                            planned->ports[meant].node < planned->n_switches &&
                            planned->ports[meant].number == i + 1;
            matcher->arcs[n_arcs++] = (struct arc){
                i + 1, SF_NONE, is_right ? planned->ports[meant].node : SF_NONE
            };
        }
    }
    matcher->first[matcher->n] = n_arcs;
}

static void
list_outlets(struct matcher *matcher)
{
    const struct sf_fabric *planned = matcher->planned;

    for (uint32_t i = 0; i < planned->n_ports; i++) {
        uint32_t peer = planned->ports[i].peer;
        uint32_t node = peer == SF_NONE ? SF_NONE : planned->ports[peer].node;
        bool is_switch = node != SF_NONE && node < planned->n_switches;
        matcher->outlets[i] = (struct outlet){
            .node = is_switch ? node : SF_NONE,
            .number = is_switch ? planned->ports[peer].number : 0,
            .is_host = node != SF_NONE && !is_switch,
        };
    }
}

static bool
reserve(struct matcher *matcher)
{
    uint32_t n = matcher->n, n_planned = matcher->planned->n_switches;

    matcher->first = sf_calloc((size_t)n + 1, sizeof(uint32_t));
    matcher->arcs = sf_calloc(matcher->found->n_ports, sizeof *matcher->arcs);
    matcher->n_switch_arcs = sf_calloc(n, sizeof(uint32_t));
    matcher->outlets =
        sf_calloc(matcher->planned->n_ports, sizeof *matcher->outlets);
    matcher->to = sf_calloc(n, sizeof(uint32_t));
    matcher->best_to = sf_calloc(n, sizeof(uint32_t));
    matcher->choice = sf_calloc(n, sizeof(uint32_t));
    matcher->n_votes = sf_calloc(n, sizeof(uint32_t));
    matcher->winner = sf_calloc(n_planned, sizeof(uint32_t));
    matcher->votes = sf_calloc(n_planned, sizeof(uint32_t));
    matcher->is_barred = sf_calloc(n_planned, sizeof(bool));
    return matcher->first && matcher->arcs && matcher->n_switch_arcs &&
           matcher->outlets && matcher->to && matcher->best_to &&
           matcher->choice && matcher->n_votes && matcher->winner &&
           matcher->votes && matcher->is_barred;
}

static void
release(struct matcher *matcher)
{
    free(matcher->is_barred);
    free(matcher->votes);
    free(matcher->winner);
    free(matcher->n_votes);
    free(matcher->choice);
    free(matcher->best_to);
    free(matcher->to);
    free(matcher->outlets);
    free(matcher->n_switch_arcs);
    free(matcher->arcs);
    free(matcher->first);
}

enum sf_status
sf_match_structure(const struct sf_fabric *planned,
                   const struct sf_fabric *found, const uint32_t *host_of,
                   struct sf_match *matches, uint32_t *n_labellingsp,
                   struct sf_error *err)
{
    struct matcher matcher = {
        .planned = planned,
        .found = found,
        .given = matches,
        .n = found->n_switches,
    };
    bool is_started = false, is_open = false;
    enum sf_status status = SF_OK;

    *n_labellingsp = 1;
    for (uint32_t f = 0; f < found->n_switches; f++) {
        is_open |= !matches[f].is_fixed;
    }
    if (!is_open) {
        return SF_OK;
    }
    if (!reserve(&matcher)) {
        status = sf_fail(err, SF_ENOMEM, "out of memory to match %u switches",
                         found->n_switches);
        goto done;
    }
    list_arcs(&matcher, host_of);
    list_outlets(&matcher);
    for (uint32_t f = 0; f < matcher.n; f++) {
        matcher.to[f] = matches[f].node;
        if (matches[f].node != SF_NONE) {
            is_started = true;
            matcher.is_barred[matches[f].node] = matches[f].is_fixed;
        }
    }
    if (is_started) {
        run_rounds(&matcher, false);
        hand_over(&matcher, 2, matches);
    } else {
        *n_labellingsp = match_from_roots(&matcher);
        hand_over(&matcher, 1, matches);
    }

done:
    release(&matcher);
    return status;
}
