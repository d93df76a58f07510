#define _GNU_SOURCE
#include "monitor/conditions.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef void write_sentence(const struct sf_verification *verification,
                            uint32_t i, FILE *stream);

/* What 'write' says of item 'i'; NULL if memory ran out. */
static char *
say(const struct sf_verification *verification, write_sentence *write,
    uint32_t i)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);

    if (!stream) {
        return NULL;
    }
    write(verification, i, stream);
    if (fclose(stream) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* What a verdict means, before the sentence that says where. */
static const char *const titles[SF_N_VERDICTS] = {
    [SF_VERDICT_MISSING] = "Missing cable",
    [SF_VERDICT_UNEXPECTED] = "Cable that is not planned",
    [SF_VERDICT_MISCONNECTED] = "Cable in the wrong port",
    [SF_VERDICT_DUPLICATE] = "Second cable between two nodes",
    [SF_VERDICT_DIFFERENT] = "Other rate than planned",
    [SF_VERDICT_MISSING_SWITCH] = "Missing switch",
    [SF_VERDICT_MISSING_HOST] = "Missing host",
    [SF_VERDICT_UNKNOWN_SWITCH] = "Switch that is not planned",
    [SF_VERDICT_UNKNOWN_HOST] = "Host that is not planned",
    [SF_VERDICT_EXCHANGED] = "Exchanged switches",
    [SF_VERDICT_MISNAMED] = "Name that says something else",
};

/* What is wrong, as a sentence; NULL if memory ran out. */
static char *
say_finding(const struct sf_verification *verification, uint32_t i)
{
    char *where = say(verification, sf_verification_write_finding, i);
    char *text = NULL;

    if (where &&
        asprintf(&text, "%s: %s", titles[verification->findings[i].verdict],
                 where) < 0) {
        text = NULL;
    }
    free(where);
    return text;
}

static enum sf_severity
severity_of(enum sf_verdict verdict)
{
    static const bool is_mild[SF_N_VERDICTS] = {
        [SF_VERDICT_UNEXPECTED] = true,   [SF_VERDICT_DUPLICATE] = true,
        [SF_VERDICT_DIFFERENT] = true,    [SF_VERDICT_UNKNOWN_SWITCH] = true,
        [SF_VERDICT_UNKNOWN_HOST] = true, [SF_VERDICT_MISNAMED] = true,
    };
    return is_mild[verdict] ? SF_SEVERITY_WARNING : SF_SEVERITY_CRITICAL;
}

/* The move that mends a finding, with its number, since moves are done in
 * order and name each other; or another remedy.  NULL: none, or memory ran
 * out. */
static char *
say_remedy(const struct sf_verification *verification, uint32_t i)
{
    const struct sf_finding *finding = &verification->findings[i];

    if (finding->move != SF_NONE) {
        char *move =
            say(verification, sf_verification_write_move, finding->move);
        char *text = NULL;
        if (move &&
            asprintf(&text, "Step %u: %s", finding->move + 1, move) < 0) {
            text = NULL;
        }
        free(move);
        return text;
    }
    return sf_verification_has_remedy(verification, i)
               ? say(verification, sf_verification_write_remedy, i)
               : NULL;
}

/* A name for the finding that stays the same while it does: its cable, its
 * planned node, or else what is said of it. */
static char *
make_key(const struct sf_verification *verification, uint32_t i,
         const char *text)
{
    const struct sf_finding *finding = &verification->findings[i];
    const struct sf_plan *plan = verification->plan;
    const char *verdict = sf_verdict_name(finding->verdict);
    uint32_t node = finding->planned[0].node;
    bool is_node = finding->verdict == SF_VERDICT_MISSING_SWITCH ||
                   finding->verdict == SF_VERDICT_MISSING_HOST;
    char *key = NULL;
    int n;

    if (finding->cable != SF_NONE) {
        n = asprintf(&key, "%s:%s", verdict,
                     plan->cables[finding->cable].label);
    } else if (is_node && node != SF_NONE) {
        n = asprintf(&key, "%s:%s", verdict, plan->fabric->nodes[node].name);
    } else {
        n = asprintf(&key, "%s:%s", verdict, text);
    }
    return n < 0 ? NULL : key;
}

static void
tell_finding(const struct sf_verification *verification, uint32_t i,
             struct sf_timeline *timeline)
{
    const struct sf_finding *finding = &verification->findings[i];
    char *text = say_finding(verification, i);
    char *remedy = say_remedy(verification, i);
    char *key = text ? make_key(verification, i, text) : NULL;

    if (key) {
        struct sf_condition condition = {
            key,
            sf_verdict_name(finding->verdict),
            text,
            remedy,
            severity_of(finding->verdict),
            finding->cable,
            finding->planned[0].node,
        };
        sf_timeline_see(timeline, &condition);
    }
    free(key);
    free(remedy);
    free(text);
}

void
sf_conditions_of_cabling(const struct sf_verification *verification,
                         int64_t time, struct sf_timeline *timeline)
{
    sf_timeline_begin(timeline, SF_MONITOR_CABLING, time);
    for (uint32_t i = 0; i < verification->n_findings; i++) {
        if (verification->findings[i].cause == SF_NONE) {
            tell_finding(verification, i, timeline);
        }
    }
    sf_timeline_end(timeline);
}

static void
see(struct sf_timeline *timeline, const char *key, const char *kind,
    enum sf_severity severity, const char *text, const char *remedy)
{
    struct sf_condition condition = { key,      kind,    text,   remedy,
                                      severity, SF_NONE, SF_NONE };
    sf_timeline_see(timeline, &condition);
}

/* Makes the condition, or the note, about the drained cable 'i'. */
static void
tell_drained(const struct sf_drained_cables *drained, uint32_t i, bool is_note,
             int64_t time, struct sf_timeline *timeline)
{
    const struct sf_plan *plan = drained->plan;
    const struct sf_cable *cable = &plan->cables[i];
    const struct sf_port *a = &plan->fabric->ports[cable->a],
                         *b = &plan->fabric->ports[cable->b];
    const char *kind = is_note ? "can_be_unplugged" : "drained";
    char key[80], text[400];

    snprintf(key, sizeof key, "%s:%s", kind, cable->label);
    snprintf(text, sizeof text,
             "Cable %s, %.120s port %u to %.120s port %u, %s", cable->label,
             plan->fabric->nodes[a->node].name, a->number,
             plan->fabric->nodes[b->node].name, b->number,
             is_note ? "can be unplugged: no packet uses it."
                     : "is drained: OpenSM leads nothing over it.");
    struct sf_condition condition = {
        .key = key,
        .kind = kind,
        .text = text,
        .severity = SF_SEVERITY_NOTE,
        .cable = i,
        .node = a->node,
    };
    if (is_note) {
        sf_timeline_note(timeline, SF_MONITOR_MANAGER, &condition, time);
    } else {
        sf_timeline_see(timeline, &condition);
    }
}

/* Notes which drained cables can be unplugged now; at the first look, that is
 * old. */
static void
note_freed(struct sf_drained_cables *drained, int64_t time,
           struct sf_timeline *timeline)
{
    for (uint32_t i = 0; i < drained->plan->n_cables; i++) {
        if (drained->now[i] && drained->is_safe && !drained->freed[i] &&
            drained->is_known) {
            tell_drained(drained, i, true, time, timeline);
        }
        drained->freed[i] =
            drained->now[i] && (drained->is_safe || drained->freed[i]);
    }
    drained->is_known = true;
}

void
sf_conditions_of_manager(const struct sf_manager_health *health,
                         const char *failure,
                         struct sf_drained_cables *drained, int64_t time,
                         struct sf_timeline *timeline)
{
    static const char dead[] = "Start OpenSM again, or see in its log why it "
                               "ended.";

    sf_timeline_begin(timeline, SF_MONITOR_MANAGER, time);
    if (failure) {
        see(timeline, "status", "no_status", SF_SEVERITY_WARNING, failure,
            "Start OpenSM with the plugin, or name its status file with "
            "--status.");
    }
    for (uint32_t i = 0; !failure && i < health->n_reasons; i++) {
        bool is_dead = health->verdict == SF_MANAGER_DEAD;
        /* Sentences have ages in them; there is one of death at a time. */
        see(timeline, is_dead ? "dead" : health->reasons[i],
            is_dead ? "manager_dead" : "manager_degraded",
            is_dead ? SF_SEVERITY_CRITICAL : SF_SEVERITY_WARNING,
            health->reasons[i], is_dead ? dead : NULL);
    }
    for (uint32_t i = 0; !failure && i < drained->plan->n_cables; i++) {
        if (drained->now[i]) {
            tell_drained(drained, i, false, time, timeline);
        }
    }
    if (failure) {
        sf_timeline_hold_all(timeline, "drained:");
    }
    sf_timeline_end(timeline);
    if (!failure) {
        note_freed(drained, time, timeline);
    }
}

/* Whether two traps of the list are the same one, which came again. */
static bool
is_same_trap(const struct sf_manager_trap *a, const struct sf_manager_trap *b)
{
    return a->number == b->number && a->vendor == b->vendor &&
           a->device == b->device && a->guid == b->guid &&
           a->changes == b->changes;
}

/* How often 'trap' has come since it was noted. */
static uint64_t
count_new(const struct sf_noted_traps *noted,
          const struct sf_manager_trap *trap)
{
    if (trap->last <= noted->n_seen) {
        return 0;
    }
    for (uint32_t i = 0; i < noted->n; i++) {
        const struct sf_manager_trap *old = &noted->traps[i];
        if (is_same_trap(old, trap) && old->count < trap->count) {
            return trap->count - old->count;
        }
    }
    return trap->count; /* It was not in the list, or came into it anew. */
}

static void
note_times(struct sf_timeline *timeline, const struct sf_condition *condition,
           uint64_t n, int64_t time)
{
    sf_timeline_note_times(timeline, SF_MONITOR_MANAGER, condition,
                           n < UINT32_MAX ? (uint32_t)n : UINT32_MAX, time);
}

static void
note_trap(const struct sf_manager_trap *trap, const struct sf_plan *plan,
          uint64_t n, int64_t time, struct sf_timeline *timeline)
{
    char words[SF_TRAP_TEXT_SIZE], text[SF_TRAP_TEXT_SIZE + 32], key[80];
    bool is_bad = sf_manager_trap_is_bad(trap);

    sf_manager_trap_text(trap, words);
    if (trap->vendor) {
        snprintf(text, sizeof text, "Trap: %s.", words);
    } else {
        snprintf(text, sizeof text, "Trap %" PRIu32 ": %s.", trap->number,
                 words);
    }
    snprintf(key, sizeof key,
             "trap:%" PRIx32 ":%" PRIu32 ":%" PRIx64 ":%" PRIx32, trap->vendor,
             trap->vendor ? trap->device : trap->number, trap->guid,
             trap->changes);
    struct sf_condition condition = {
        .key = key,
        .kind = "trap",
        .text = text,
        .severity = is_bad ? SF_SEVERITY_WARNING : SF_SEVERITY_NOTE,
        .cable = SF_NONE,
        .node = sf_fabric_find(plan->fabric, trap->node),
    };
    note_times(timeline, &condition, n, time);
}

/* Traps that came and went between two looks, since the list is short. */
static void
note_lost_traps(uint64_t n, int64_t time, struct sf_timeline *timeline)
{
    struct sf_condition condition = {
        .key = "trap:more",
        .kind = "trap",
        .text = "More traps came than the plugin keeps; OpenSM's log has all.",
        .severity = SF_SEVERITY_NOTE,
        .cable = SF_NONE,
        .node = SF_NONE,
    };
    note_times(timeline, &condition, n, time);
}

/* Sees whether 'noted' is about another manager, or about none. */
static void
know_manager(const struct sf_manager *manager, struct sf_noted_traps *noted)
{
    bool is_same = noted->pid == manager->pid &&
                   !strcmp(noted->host, manager->host) &&
                   noted->n_seen <= manager->n_traps_seen;

    if (!noted->is_known) {
        noted->n_seen = manager->n_traps_seen;
    } else if (!is_same) {
        noted->n_seen = 0;
        noted->n = 0;
    }
}

void
sf_conditions_note_traps(const struct sf_manager *manager,
                         const struct sf_plan *plan, int64_t time,
                         struct sf_noted_traps *noted,
                         struct sf_timeline *timeline)
{
    know_manager(manager, noted);
    uint64_t n_left = manager->n_traps_seen - noted->n_seen;
    for (uint32_t i = manager->n_traps; i-- > 0;) { /* The oldest first. */
        const struct sf_manager_trap *trap = &manager->traps[i];
        uint64_t n = count_new(noted, trap);
        n = n < n_left ? n : n_left;
        if (n > 0) {
            note_trap(trap, plan, n, time, timeline);
            n_left -= n;
        }
    }
    if (n_left > 0) {
        note_lost_traps(n_left, time, timeline);
    }
    noted->is_known = true;
    noted->pid = manager->pid;
    memcpy(noted->host, manager->host, sizeof noted->host);
    noted->n_seen = manager->n_traps_seen;
    noted->n = manager->n_traps;
    memcpy(noted->traps, manager->traps, sizeof noted->traps);
}

void
sf_conditions_of_service(const struct sf_service_health *health, int64_t time,
                         struct sf_timeline *timeline)
{
    sf_timeline_begin(timeline, SF_MONITOR_SERVICE, time);
    if (health->discovery) {
        see(timeline, "discovery", "no_discovery", SF_SEVERITY_CRITICAL,
            health->discovery,
            "See whether this machine is still part of the fabric.");
    }
    if (health->counters) {
        see(timeline, "counters", "no_counters", SF_SEVERITY_WARNING,
            health->counters,
            "Counters are read by LID: see whether OpenSM is alive.");
    }
    if (health->events) {
        see(timeline, "events", "no_events", SF_SEVERITY_CRITICAL,
            health->events,
            "Make room or set permissions; the events meanwhile are on the "
            "page.");
    }
    sf_timeline_end(timeline);
}
