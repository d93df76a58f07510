/* node_names.c -- names of nodes that Linux takes: see slimfly/ip_addresses.h.
 */
#include "base/mem.h"
#include "slimfly/ip_addresses.h"

#include <stdio.h>
#include <string.h>

static bool
is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9');
}

/* Copies 'name' as far as it may be: a '-' stands for each row of other
 * characters between plain ones. */
static void
tidy(const char *name, char *tidied)
{
    size_t n = 0;
    bool has_gap = false;

    for (; *name && n < SF_IP_NAME_SIZE - 1; name++) {
        if (!is_plain(*name)) {
            has_gap = n > 0;
        } else if (!has_gap) {
            tidied[n++] = *name;
        } else if (n < SF_IP_NAME_SIZE - 2) {
            tidied[n++] = '-';
            tidied[n++] = *name;
            has_gap = false;
        } else {
            break;
        }
    }
    tidied[n] = '\0';
}

/* Names of a table by hash: open addressing, node + 1, 0 is free. */
struct index {
    uint32_t *slots;
    size_t mask;
};

/* The slot of 'name', which is free if nobody has the name.  Upper and lower
 * case are one, as they are for names of hosts. */
static uint32_t *
find_slot(const struct index *index, const struct sf_ip_names *names,
          const char *name)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (const char *c = name; *c; c++) {
        hash = (hash ^ ((unsigned char)*c | 0x20u)) * UINT64_C(0x100000001b3);
    }
    size_t at = hash & index->mask;
    while (index->slots[at]) {
        const char *other = names->names[index->slots[at] - 1];
        size_t i = 0;
        while (name[i] && (name[i] | 0x20) == (other[i] | 0x20)) {
            i++;
        }
        if (!name[i] && !other[i]) {
            break;
        }
        at = (at + 1) & index->mask;
    }
    return &index->slots[at];
}

/* Gives 'node' its name: 'tidied', or as much of it as leaves room for the
 * first free number. */
static void
give_name(const struct index *index, struct sf_ip_names *names, uint32_t node,
          const char *tidied)
{
    char *name = names->names[node];
    uint32_t *slot;

    (void)snprintf(name, SF_IP_NAME_SIZE, "%s", tidied);
    slot = *tidied ? find_slot(index, names, name) : NULL;
    for (uint32_t i = node; !slot || (*slot && *slot != node + 1); i++) {
        char number[12];
        int n =
            snprintf(number, sizeof number, "%s%u", *tidied ? "-" : "n", i);
        int kept = (int)strlen(tidied);
        kept = kept > SF_IP_NAME_SIZE - 1 - n ? SF_IP_NAME_SIZE - 1 - n : kept;
        (void)snprintf(name, SF_IP_NAME_SIZE, "%.*s%s", kept, tidied, number);
        slot = find_slot(index, names, name);
    }
    *slot = node + 1;
}

static void
name_all(const struct sf_fabric *fabric, const struct index *index,
         struct sf_ip_names *names)
{
    char tidied[SF_IP_NAME_SIZE];

    /* Those that are as they should be keep their names. */
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < names->n_nodes; i++) {
            tidy(fabric->nodes[i].name, tidied);
            bool is_same = strcmp(tidied, fabric->nodes[i].name) == 0;
            if (*names->names[i] == '\0' &&
                (round > 0 || (is_same && *tidied &&
                               *find_slot(index, names, tidied) == 0))) {
                give_name(index, names, i, tidied);
            }
        }
    }
}

enum sf_status
sf_ip_names_build(const struct sf_fabric *fabric, struct sf_ip_names **namesp,
                  struct sf_error *err)
{
    struct sf_ip_names *names = sf_calloc(1, sizeof *names);
    struct index index = { .mask = 1 };

    *namesp = NULL;
    while (index.mask < 2 * (size_t)fabric->n_nodes) {
        index.mask *= 2;
    }
    index.slots = sf_calloc(index.mask, sizeof *index.slots);
    index.mask--;
    if (names) {
        names->n_nodes = fabric->n_nodes;
        names->names = sf_calloc(fabric->n_nodes, sizeof *names->names);
    }
    if (!names || !names->names || !index.slots) {
        free(index.slots);
        sf_ip_names_free(names);
        return sf_fail(err, SF_ENOMEM, "out of memory for names");
    }
    name_all(fabric, &index, names);
    free(index.slots);
    *namesp = names;
    return SF_OK;
}

void
sf_ip_names_free(struct sf_ip_names *names)
{
    if (names) {
        free(names->names);
        free(names);
    }
}
