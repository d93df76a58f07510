#include "plan/name_index.h"

#include "base/mem.h"

#include <string.h>

/* A name and the planned node that has it. */
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

/* The only node of that kind and name, or SF_NONE. */
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
    if (length == 0) {
        part = name;
        length = strlen(name);
    }
    node = look_up(index, kind, part, length);
    /* Without its domain, a part of it after the other. */
    while (node == SF_NONE && length > 0) {
        length--;
        if (part[length] == '.') {
            node = look_up(index, kind, part, length);
        }
    }
    return node;
}

bool
sf_name_is(enum sf_node_kind kind, const char *found, const char *planned)
{
    size_t length;
    const char *part = name_inside(kind, found, &length);
    size_t wanted = strlen(planned);

    if (length == 0) {
        part = found;
        length = strlen(found);
    }
    return !strcmp(found, planned) ||
           (wanted <= length && !memcmp(part, planned, wanted) &&
            (wanted == length || part[wanted] == '.'));
}
