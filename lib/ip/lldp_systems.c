/* lldp_systems.c -- which of all systems that reports name are the same one.
 *
 * A system has a name and a chassis id, and a report may leave out either.
 * Two mentions are of the same system if both agree.  What a mention lacks is
 * completed if that can be done in one way only: a name by the only id that is
 * seen with it, an id by its only name.  A mention that could be of several
 * systems is of none, and a note says so: many switches that nobody has
 * configured call themselves "sonic". */
#include "ip/lldp_reader.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void
sf_lldp_note(struct lldp_reader *reader, const char *kind, const char *format,
             ...)
{
    char text[2000];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    struct sf_note note = { kind, sf_strdup(text) };
    if (!note.text || !sf_vec_push(&reader->notes, note)) {
        free(note.text);
        reader->is_out_of_memory = true;
    }
}

/* Compares texts of which either may be NULL, which comes first. */
static int
compare_texts(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);
}

static int
compare_names(const struct lldp_mention *a, const struct lldp_mention *b)
{
    if (!a->text || !b->text) {
        return (a->text != NULL) - (b->text != NULL);
    }
    size_t n = a->length < b->length ? a->length : b->length;
    int order = memcmp(a->text, b->text, n);
    return order ? order : (a->length > b->length) - (a->length < b->length);
}

static int
by_name(const void *a, const void *b)
{
    const struct lldp_mention *x = *(struct lldp_mention *const *)a;
    const struct lldp_mention *y = *(struct lldp_mention *const *)b;
    int order = compare_names(x, y);

    order = order ? order : compare_texts(x->id, y->id);
    return order ? order : compare_texts(x->called, y->called);
}

static int
by_id(const void *a, const void *b)
{
    const struct lldp_mention *x = *(struct lldp_mention *const *)a;
    const struct lldp_mention *y = *(struct lldp_mention *const *)b;
    int order = compare_texts(x->id, y->id);

    return order ? order : compare_names(x, y);
}

/* The planned node called 'name', perhaps with a domain; or SF_NONE. */
static uint32_t
find_planned(const struct lldp_reader *reader, const char *name)
{
    uint32_t node =
        name ? sf_name_index_find(reader->index, SF_NODE_SWITCH, name)
             : SF_NONE;

    return name && node == SF_NONE
               ? sf_name_index_find(reader->index, SF_NODE_HOST, name)
               : node;
}

/* Where the domain of 'name' starts; addresses have none. */
static size_t
length_without_domain(const char *name)
{
    bool is_address = strspn(name, "0123456789.") == strlen(name);
    return is_address ? strlen(name) : strcspn(name, ".");
}

static void
name_mention(const struct lldp_reader *reader, const char *name,
             struct lldp_mention *mention)
{
    mention->called = name;
    mention->planned = find_planned(reader, name);
    mention->text = mention->planned == SF_NONE
                        ? name
                        : reader->planned->nodes[mention->planned].name;
    mention->length = !mention->text ? 0
                      : mention->planned == SF_NONE
                          ? length_without_domain(name)
                          : strlen(mention->text);
}

static void
add_mention(struct lldp_reader *reader, const struct lldp_system *system,
            const char *name)
{
    struct lldp_mention mention = { .system = system, .id = system->id };

    name_mention(reader, name, &mention);
    if (!sf_vec_push(&reader->mentions, mention)) {
        reader->is_out_of_memory = true;
    }
}

/* A reporter goes by the name that it tells or that its file has, whichever is
 * planned. */
static void
list_mentions(struct lldp_reader *reader)
{
    for (size_t i = 0; i < reader->reports.list.n; i++) {
        const struct lldp_report *report = &reader->reports.list.items[i];
        const char *name = report->self.name;
        if (!name || (find_planned(reader, name) == SF_NONE &&
                      find_planned(reader, report->given) != SF_NONE)) {
            name = report->given;
        }
        add_mention(reader, &report->self, name);
    }
    for (size_t i = 0; i < reader->reports.list.n; i++) {
        const struct lldp_report *report = &reader->reports.list.items[i];
        for (size_t k = 0; k < report->neighbours.n; k++) {
            const struct lldp_system *system =
                &report->neighbours.items[k].system;
            add_mention(reader, system, system->name);
        }
    }
}

/* Gives mentions that are not planned by their name the name of the reporter
 * with their id: the operator fetched the report from leaf3, and the switch
 * itself says "sonic". */
static void
rename_by_reporters(struct lldp_reader *reader,
                    struct lldp_mention **reporters)
{
    size_t n = reader->reports.list.n;

    for (size_t i = 0; i < n; i++) {
        reporters[i] = &reader->mentions.items[i];
    }
    qsort(reporters, n, sizeof(struct lldp_mention *), by_id);
    for (size_t i = 0; i < reader->mentions.n; i++) {
        struct lldp_mention *mention = &reader->mentions.items[i];
        size_t low = 0, high = n;
        if (!mention->id || mention->planned != SF_NONE) {
            continue;
        }
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (compare_texts(reporters[middle]->id, mention->id) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        bool is_known = low < n && reporters[low]->id &&
                        !strcmp(reporters[low]->id, mention->id);
        bool is_shared = is_known && low + 1 < n &&
                         !strcmp(reporters[low + 1]->id, mention->id);
        if (is_known && !is_shared && reporters[low]->text) {
            mention->text = reporters[low]->text;
            mention->length = reporters[low]->length;
            mention->planned = reporters[low]->planned;
        }
    }
}

/* Notes that several systems share a name or an id. */
static void
note_duplicate(struct lldp_reader *reader, const struct lldp_mention *one,
               const struct lldp_mention *other, bool is_name)
{
    if (is_name) {
        sf_lldp_note(
            reader, "duplicate",
            "Several systems call themselves %.*s, such as %s and %s.",
            (int)one->length, one->text, one->id, other->id);
    } else {
        sf_lldp_note(
            reader, "duplicate",
            "The chassis id %s goes by several names, such as %.*s and "
            "%.*s.",
            one->id, (int)one->length, one->text, (int)other->length,
            other->text);
    }
}

/* Completes the ids of mentions in sorted[first] to before sorted[end], which
 * share a name; those that could have several get no entity. */
static void
complete_ids(struct lldp_reader *reader, struct lldp_mention **sorted,
             size_t first, size_t end)
{
    size_t known = first; /* Those without an id come first. */

    while (known < end && !sorted[known]->id) {
        known++;
    }
    if (known == end) {
        return;
    }
    bool is_shared = strcmp(sorted[known]->id, sorted[end - 1]->id) != 0;
    if (is_shared) {
        note_duplicate(reader, sorted[known], sorted[end - 1], true);
    }
    for (size_t i = first; i < known; i++) {
        if (is_shared) {
            sorted[i]->entity = SF_NONE;
        } else {
            sorted[i]->id = sorted[known]->id;
        }
    }
}

/* Likewise the names of those that share an id. */
static void
complete_names(struct lldp_reader *reader, struct lldp_mention **sorted,
               size_t first, size_t end)
{
    size_t known = first;

    while (known < end && !sorted[known]->text) {
        known++;
    }
    if (known == end) {
        return;
    }
    if (compare_names(sorted[known], sorted[end - 1]) != 0) {
        note_duplicate(reader, sorted[known], sorted[end - 1], false);
        return;
    }
    for (size_t i = first; i < known; i++) {
        sorted[i]->text = sorted[known]->text;
        sorted[i]->length = sorted[known]->length;
        sorted[i]->planned = sorted[known]->planned;
    }
}

/* Whether two mentions have the same name, which both must have, or the same
 * id. */
static bool
is_same_name(const struct lldp_mention *a, const struct lldp_mention *b)
{
    return a->text && b->text && !compare_names(a, b);
}

static bool
is_same_id(const struct lldp_mention *a, const struct lldp_mention *b)
{
    return a->id && b->id && !strcmp(a->id, b->id);
}

/* Calls 'complete' for each run of mentions that are the same. */
static void
for_each_run(struct lldp_reader *reader, struct lldp_mention **sorted,
             bool (*is_same)(const struct lldp_mention *,
                             const struct lldp_mention *),
             void (*complete)(struct lldp_reader *, struct lldp_mention **,
                              size_t, size_t))
{
    size_t n = reader->mentions.n;

    for (size_t first = 0, end; first < n; first = end) {
        end = first + 1;
        while (end < n && is_same(sorted[first], sorted[end])) {
            end++;
        }
        complete(reader, sorted, first, end);
    }
}

/* Whether 'called' is a better name for people than the entity has so far:
 * that of the plan. */
static bool
is_better_name(const struct lldp_reader *reader,
               const struct lldp_entity *entity, const char *called)
{
    return called &&
           (!entity->called ||
            (entity->planned != SF_NONE &&
             !strcmp(called, reader->planned->nodes[entity->planned].name)));
}

/* Whether 'mention' is of the entity that was made last. */
static bool
is_of_last(const struct lldp_reader *reader,
           const struct lldp_mention *mention)
{
    if (reader->entities.n == 0) {
        return false;
    }
    const struct lldp_entity *last =
        &reader->entities.items[reader->entities.n - 1];
    struct lldp_mention as_last = { .text = last->text,
                                    .length = last->length };
    return compare_names(mention, &as_last) == 0 &&
           compare_texts(mention->id, last->id) == 0;
}

/* Adds what 'mention' tells to the entity that it is of. */
static void
add_to_entity(const struct lldp_reader *reader,
              const struct lldp_mention *mention, struct lldp_entity *entity)
{
    entity->mac = entity->mac ? entity->mac : mention->system->mac;
    entity->forwards |= mention->system->forwards;
    if (is_better_name(reader, entity, mention->called)) {
        entity->called = mention->called;
    }
}

/* Makes an entity of each run of sorted mentions that agree. */
static void
number_entities(struct lldp_reader *reader, struct lldp_mention **sorted)
{
    for (size_t i = 0; i < reader->mentions.n; i++) {
        struct lldp_mention *mention = sorted[i];
        if (mention->entity == SF_NONE) {
            continue;
        }
        struct lldp_entity entity = { .text = mention->text,
                                      .length = mention->length,
                                      .id = mention->id,
                                      .planned = mention->planned,
                                      .node = SF_NONE };
        if (!is_of_last(reader, mention) &&
            !sf_vec_push(&reader->entities, entity)) {
            reader->is_out_of_memory = true;
            return;
        }
        assert(reader->entities.items); /* There is one now. */
        mention->entity = (uint32_t)reader->entities.n - 1;
        add_to_entity(reader, mention,
                      &reader->entities.items[mention->entity]);
    }
    for (size_t i = 0; i < reader->entities.n; i++) {
        struct lldp_entity *entity = &reader->entities.items[i];
        entity->called = entity->called ? entity->called : entity->id;
    }
}

/* Counts the reports of each entity; more than one is worth a note. */
static void
count_reports(struct lldp_reader *reader)
{
    for (size_t i = 0; i < reader->reports.list.n; i++) {
        const struct lldp_mention *mention = &reader->mentions.items[i];
        const struct lldp_report *report = &reader->reports.list.items[i];
        if (mention->entity == SF_NONE) {
            sf_lldp_note(
                reader, "duplicate",
                "%s: it is not known which of these wrote this report; "
                "the output of 'lldpcli -f json0 show chassis' in it "
                "would tell.",
                report->place);
            continue;
        }
        struct lldp_entity *entity = &reader->entities.items[mention->entity];
        if (entity->n_reports++ == 1) {
            sf_lldp_note(reader, "duplicate",
                         "There are several reports of %s; one is in %s.",
                         entity->called, report->place);
        }
    }
}

void
sf_lldp_find_systems(struct lldp_reader *reader)
{
    list_mentions(reader);
    size_t n = reader->mentions.n;
    struct lldp_mention **sorted = sf_calloc(n, sizeof *sorted);
    if (!sorted || reader->is_out_of_memory) {
        reader->is_out_of_memory = true;
        free(sorted);
        return;
    }
    rename_by_reporters(reader, sorted);
    for (size_t i = 0; i < n; i++) {
        sorted[i] = &reader->mentions.items[i];
    }
    qsort(sorted, n, sizeof *sorted, by_id);
    for_each_run(reader, sorted, is_same_id, complete_names);
    qsort(sorted, n, sizeof *sorted, by_name);
    for_each_run(reader, sorted, is_same_name, complete_ids);
    qsort(sorted, n, sizeof *sorted, by_name);
    number_entities(reader, sorted);
    free(sorted);
    if (!reader->is_out_of_memory) {
        count_reports(reader);
    }
}
