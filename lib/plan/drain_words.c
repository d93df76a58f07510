/* drain_words.c -- what administrators call links, switches and racks. */
#define _GNU_SOURCE
#include "slimfly/drain.h"

#include "base/mem.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct finder {
    const struct sf_fabric *fabric;
    const struct sf_plan *plan;
    bool with_hosts;
    struct sf_drain_words *found;
    struct sf_error *err;
};

void
sf_drain_words_clear(struct sf_drain_words *words)
{
    for (uint32_t i = 0; i < words->n; i++) {
        sf_drain_entry_clear(&words->entries[i]);
    }
    free(words->entries);
    *words = (struct sf_drain_words){ 0 };
}

static enum sf_status
fail_memory(const struct finder *finder)
{
    return sf_fail(finder->err, SF_ENOMEM, "out of memory for links");
}

/* Adds an entry, which is taken over, unless it is there. */
static enum sf_status
add_entry(const struct finder *finder, struct sf_drain_entry *entry)
{
    struct sf_drain_words *found = finder->found;
    bool is_made = entry->names[0] && (entry->is_switch || entry->names[1]);

    for (uint32_t i = 0; is_made && i < found->n; i++) {
        if (sf_drain_entry_is_same(&found->entries[i], entry)) {
            sf_drain_entry_clear(entry);
            return SF_OK;
        }
    }
    struct sf_drain_entry *entries =
        is_made ? sf_realloc(found->entries, found->n + 1, sizeof *entries)
                : NULL;
    if (!entries) {
        sf_drain_entry_clear(entry);
        return fail_memory(finder);
    }
    found->entries = entries;
    entries[found->n++] = *entry;
    return SF_OK;
}

static enum sf_status
add_switch(const struct finder *finder, uint32_t s)
{
    struct sf_drain_entry entry = {
        .is_switch = true,
        .with_hosts = finder->with_hosts,
        .names = { sf_strdup(finder->fabric->nodes[s].name) },
    };
    return add_entry(finder, &entry);
}

/* Adds the link at 'port', which has one. */
static enum sf_status
add_link(const struct finder *finder, uint32_t port)
{
    const struct sf_fabric *fabric = finder->fabric;
    const struct sf_port *a = &fabric->ports[port];
    const struct sf_port *b = &fabric->ports[a->peer];
    const char *name_a = fabric->nodes[a->node].name;
    const char *name_b = fabric->nodes[b->node].name;

    if (a->node >= fabric->n_switches || b->node >= fabric->n_switches) {
        return sf_fail(finder->err, SF_EINVAL,
                       "%s port %u - %s port %u is the link of a host, which "
                       "has no other way; expected a link between switches",
                       name_a, a->number, name_b, b->number);
    }
    struct sf_drain_entry entry = {
        .names = { sf_strdup(name_a), sf_strdup(name_b) },
        .ports = { a->number, b->number },
    };
    return add_entry(finder, &entry);
}

/* The node that 'name', of 'length' bytes, or a GUID means; or SF_NONE. */
static uint32_t
find_node(const struct sf_fabric *fabric, const char *name, size_t length)
{
    char *end;
    uint64_t guid =
        strncasecmp(name, "0x", 2) == 0 ? strtoull(name, &end, 16) : 0;

    if (guid && end != name + length) {
        guid = 0;
    }
    for (uint32_t i = 0; i < fabric->n_nodes; i++) {
        const struct sf_node *node = &fabric->nodes[i];
        if ((strlen(node->name) == length &&
             !strncmp(node->name, name, length)) ||
            (guid && node->guid == guid)) {
            return i;
        }
    }
    return SF_NONE;
}

/* Adds the link at port 'number' of 'node'. */
static enum sf_status
find_port(const struct finder *finder, uint32_t node, uint32_t number)
{
    const struct sf_fabric *fabric = finder->fabric;
    uint32_t port = sf_fabric_port(fabric, node, number);

    if (port == SF_NONE) {
        return sf_fail(
            finder->err, SF_EINVAL, "'%s' has no port %u; expected 1 to %u",
            fabric->nodes[node].name, number, fabric->nodes[node].n_ports);
    }
    if (fabric->ports[port].peer == SF_NONE) {
        return sf_fail(finder->err, SF_EINVAL,
                       "no cable is plugged into port %u of '%s', or its link "
                       "is down",
                       number, fabric->nodes[node].name);
    }
    return add_link(finder, port);
}

/* Adds all links between two switches. */
static enum sf_status
find_between(const struct finder *finder, uint32_t a, uint32_t b)
{
    const struct sf_fabric *fabric = finder->fabric;
    const struct sf_node *node = &fabric->nodes[a];
    enum sf_status status = SF_OK;
    bool has_found = false;

    for (uint32_t i = 0; status == SF_OK && i < node->n_ports; i++) {
        uint32_t port = node->first_port + i, peer = fabric->ports[port].peer;
        if (peer != SF_NONE && fabric->ports[peer].node == b) {
            status = add_link(finder, port);
            has_found = true;
        }
    }
    return status == SF_OK && !has_found
               ? sf_fail(finder->err, SF_EINVAL,
                         "there is no link between '%s' and '%s'", node->name,
                         fabric->nodes[b].name)
               : status;
}

/* Cuts "NAME[5]" or "NAME:5" into name and port; false if it is neither. */
static bool
split_port(const char *word, size_t *lengthp, uint32_t *numberp)
{
    size_t length = strlen(word);
    const char *mark = strrchr(word, '[');
    bool is_bracket = mark && word[length - 1] == ']';
    char *end;

    if (!is_bracket) {
        mark = strrchr(word, ':');
    }
    if (!mark || mark == word || !isdigit((unsigned char)mark[1])) {
        return false;
    }
    unsigned long number = strtoul(mark + 1, &end, 10);
    *lengthp = (size_t)(mark - word);
    *numberp = number > SF_MAX_PORTS ? SF_MAX_PORTS + 1 : (uint32_t)number;
    return end == word + length - is_bracket;
}

/* Adds the cable with that label; SF_OK and nothing found if there is none. */
static enum sf_status
find_label(const struct finder *finder, const char *word, bool *is_foundp)
{
    const struct sf_plan *plan = finder->plan;

    for (uint32_t i = 0; i < plan->n_cables; i++) {
        const struct sf_cable *cable = &plan->cables[i];
        if (strcasecmp(cable->label, word) != 0) {
            continue;
        }
        const struct sf_port *port = &plan->fabric->ports[cable->a];
        const char *name = plan->fabric->nodes[port->node].name;
        uint32_t node = find_node(finder->fabric, name, strlen(name));
        *is_foundp = true;
        return node == SF_NONE
                   ? sf_fail(finder->err, SF_EINVAL,
                             "the cable %s is planned at '%s', which is not "
                             "in the fabric",
                             word, name)
                   : find_port(finder, node, port->number);
    }
    return SF_OK;
}

/* What a word says of racks. */
struct rack_word {
    char name[24];  /* "R3.1", as racks are called; "": none. */
    uint32_t group; /* The racks of this part of the network; SF_NONE:
                     * that is not said. */
    bool is_all;    /* "group 3": all of them; else one alone. */
};

/* Cuts the word 'head' and blanks off 'word'; NULL if it starts otherwise. */
static const char *
cut_head(const char *word, const char *head)
{
    size_t length = strlen(head);

    return strncasecmp(word, head, length) == 0
               ? word + length + strspn(word + length, " ")
               : NULL;
}

/* Reads "R3", "R3.1", "rack R3.1", "rack 3.1", "rack 3" or "group 3". */
static struct rack_word
read_rack(const char *word)
{
    struct rack_word rack = { .group = SF_NONE };
    const char *of_rack = cut_head(word, "rack"),
               *of_group = cut_head(word, "group");
    const char *rest = of_group ? of_group : of_rack ? of_rack : word;
    bool has_letter = *rest == 'R' || *rest == 'r';
    char *end;

    if (has_letter ? of_group != NULL : !of_group && !of_rack) {
        return rack;
    }
    rest += has_letter;
    if (!isdigit((unsigned char)*rest) || strlen(rest) > 20) {
        return rack;
    }
    unsigned long group = strtoul(rest, &end, 10);
    if (!*end) {
        rack.group = group < SF_NONE ? (uint32_t)group : SF_NONE;
    }
    rack.is_all = of_group != NULL;
    snprintf(rack.name, sizeof rack.name, "R%s", rest);
    return rack;
}

/* Whether the rack is one of those that 'word' means. */
static bool
is_meant(const struct sf_rack *rack, const struct rack_word *word)
{
    return (!word->is_all && !strcasecmp(rack->name, word->name)) ||
           (word->group != SF_NONE && rack->group == word->group);
}

/* Refuses "R3" where that part of the network stands in several racks. */
static enum sf_status
refuse_part(const struct finder *finder, const char *word,
            const struct rack_word *meant)
{
    const struct sf_plan *plan = finder->plan;
    char names[200] = "";
    size_t length = 0;

    for (uint32_t i = 0; i < plan->n_racks && length + 60 < sizeof names;
         i++) {
        if (is_meant(&plan->racks[i], meant)) {
            length +=
                (size_t)snprintf(names + length, sizeof names - length, "%s%s",
                                 length ? ", " : "", plan->racks[i].name);
        }
    }
    return sf_fail(finder->err, SF_EINVAL,
                   "'%s' are several racks: %s%s; expected one of them, or "
                   "'group %" PRIu32 "' for all",
                   word, names, length + 60 < sizeof names ? "" : ", ...",
                   meant->group);
}

/* Adds the switches of the racks that 'word' means, likewise. */
static enum sf_status
find_rack(const struct finder *finder, const char *word, bool *is_foundp)
{
    const struct sf_plan *plan = finder->plan;
    const struct rack_word meant = read_rack(word);
    uint32_t n_racks = 0;
    enum sf_status status = SF_OK;

    for (uint32_t i = 0; meant.name[0] && i < plan->n_racks; i++) {
        n_racks += is_meant(&plan->racks[i], &meant);
    }
    if (n_racks > 1 && !meant.is_all) {
        return refuse_part(finder, word, &meant);
    }
    for (uint32_t s = 0;
         n_racks && status == SF_OK && s < plan->fabric->n_switches; s++) {
        const struct sf_node *node = &plan->fabric->nodes[s];
        if (node->rack == SF_NONE ||
            !is_meant(&plan->racks[node->rack], &meant)) {
            continue;
        }
        uint32_t there =
            find_node(finder->fabric, node->name, strlen(node->name));
        *is_foundp = true;
        if (there < finder->fabric->n_switches) {
            status = add_switch(finder, there);
        }
    }
    return status;
}

/* Finds a switch, or what a plan knows. */
static enum sf_status
find_whole(const struct finder *finder, const char *word)
{
    const struct sf_fabric *fabric = finder->fabric;
    uint32_t node = find_node(fabric, word, strlen(word));
    bool is_found = false;
    enum sf_status status = SF_OK;

    if (node < fabric->n_switches) {
        return add_switch(finder, node);
    }
    if (node != SF_NONE) {
        return sf_fail(finder->err, SF_EINVAL,
                       "'%s' is a host; expected a switch, a link between "
                       "switches, or a rack",
                       word);
    }
    if (finder->plan) {
        status = find_label(finder, word, &is_found);
    }
    if (finder->plan && status == SF_OK && !is_found) {
        status = find_rack(finder, word, &is_found);
    }
    if (status != SF_OK || is_found) {
        return status;
    }
    return sf_fail(finder->err, SF_EINVAL,
                   "'%s' is nothing in the fabric; expected a switch, a link "
                   "as NAME[PORT] or NAME--NAME, %s",
                   word,
                   finder->plan ? "the label of a cable, or a rack"
                                : "or with a plan the label of a cable or a "
                                  "rack");
}

enum sf_status
sf_drain_find(const struct sf_fabric *fabric, const struct sf_plan *plan,
              const char *word, bool with_hosts, struct sf_drain_words *found,
              struct sf_error *err)
{
    struct finder finder = { fabric, plan, with_hosts, found, err };
    const char *dashes = strstr(word, "--");
    uint32_t number, node;
    size_t length;

    /* A name may look like any of these. */
    if (find_node(fabric, word, strlen(word)) != SF_NONE) {
        return find_whole(&finder, word);
    }
    if (split_port(word, &length, &number)) {
        node = find_node(fabric, word, length);
        return node == SF_NONE
                   ? sf_fail(err, SF_EINVAL,
                             "there is no switch '%.*s' in the fabric",
                             (int)length, word)
                   : find_port(&finder, node, number);
    }
    if (dashes) {
        uint32_t a = find_node(fabric, word, (size_t)(dashes - word));
        uint32_t b = find_node(fabric, dashes + 2, strlen(dashes + 2));
        if (a == SF_NONE || b == SF_NONE) {
            return sf_fail(err, SF_EINVAL,
                           "'%s': expected two switches of the fabric with "
                           "'--' between",
                           word);
        }
        return find_between(&finder, a, b);
    }
    return find_whole(&finder, word);
}

/* Whether end 'i' of the link is "NAME[5]" or "NAME:5". */
static bool
is_end(const struct sf_drain_entry *entry, int i, const char *word)
{
    size_t length;
    uint32_t number;

    return split_port(word, &length, &number) && number == entry->ports[i] &&
           strlen(entry->names[i]) == length &&
           !strncmp(entry->names[i], word, length);
}

bool
sf_drain_entry_goes_by(const struct sf_drain_entry *entry, const char *word)
{
    const char *dashes = strstr(word, "--");

    if (entry->is_switch) {
        return !strcmp(entry->names[0], word);
    }
    if (is_end(entry, 0, word) || is_end(entry, 1, word)) {
        return true;
    }
    size_t n = dashes ? (size_t)(dashes - word) : 0;
    for (int i = 0; dashes && i < 2; i++) {
        if (strlen(entry->names[i]) == n &&
            !strncmp(entry->names[i], word, n) &&
            !strcmp(entry->names[1 - i], dashes + 2)) {
            return true;
        }
    }
    return false;
}
