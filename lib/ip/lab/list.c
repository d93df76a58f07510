/* list.c -- the labs of a folder. */
#define _GNU_SOURCE
#include "ip/lab/lab.h"

#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "lab-"

static int
compare_entries(const void *a, const void *b)
{
    const struct sf_lab_entry *x = a, *y = b;

    return strcmp(x->name, y->name);
}

/* Looks at one lab; one that somebody changes right now is busy. */
static enum sf_status
look(const char *folder, struct sf_lab_entry *entry, struct sf_error *err)
{
    struct sf_lab *lab = NULL;
    enum sf_status status =
        sf_lab_open(folder, entry->name, SF_LAB_LOOK, &lab, err);

    if (status == SF_OK) {
        entry->is_complete = true;
        sf_lab_sizes(lab, &entry->sizes);
        sf_lab_close(lab);
    } else if (status == SF_EIO) {
        entry->is_busy = true;
    } else if (status == SF_ENOMEM) {
        return status;
    }
    return SF_OK;
}

static enum sf_status
append(struct sf_lab_list *list, const struct sf_lab_entry *entry,
       struct sf_error *err)
{
    struct sf_lab_entry *entries =
        sf_realloc(list->entries, list->n + 1, sizeof *entries);

    if (!entries) {
        return sf_fail(err, SF_ENOMEM, "a list of labs");
    }
    list->entries = entries;
    entries[list->n++] = *entry;
    return SF_OK;
}

static enum sf_status
add(struct sf_lab_list *list, const char *folder, const char *name,
    struct sf_error *err)
{
    struct sf_lab_entry entry = { 0 };

    if (sf_lab_check_name(name, NULL) != SF_OK) {
        return SF_OK;
    }
    snprintf(entry.name, sizeof entry.name, "%s", name);
    enum sf_status status = look(folder, &entry, err);
    return status == SF_OK ? append(list, &entry, err) : status;
}

/* The lab of a namespace, which is lost unless it is listed. */
static struct sf_lab_entry
lost_entry(const struct sf_lab_space *space)
{
    struct sf_lab_entry entry = { .is_lost = true };

    snprintf(entry.name, sizeof entry.name, "%.*s",
             (int)strcspn(space->name, "."), space->name);
    return entry;
}

static bool
is_listed(const struct sf_lab_list *list, const struct sf_lab_entry *entry)
{
    for (uint32_t i = 0; i < list->n; i++) {
        if (!compare_entries(&list->entries[i], entry)) {
            return true;
        }
    }
    return false;
}

/* Adds the labs whose folder is gone and whose namespaces are not. */
static enum sf_status
add_lost(struct sf_lab_list *list, struct sf_error *err)
{
    struct sf_lab_spaces spaces = { 0 }, unseen = { 0 };
    enum sf_status status =
        sf_lab_find_marked(NULL, NULL, &spaces, &unseen, err);

    for (uint32_t i = 0; status == SF_OK && i < spaces.n; i++) {
        struct sf_lab_entry entry = lost_entry(&spaces.items[i]);
        if (!is_listed(list, &entry)) {
            status = append(list, &entry, err);
        }
    }
    for (uint32_t i = 0; i < unseen.n; i++) {
        struct sf_lab_entry entry = lost_entry(&unseen.items[i]);
        list->n_unseen += !is_listed(list, &entry);
    }
    sf_lab_spaces_clear(&spaces);
    sf_lab_spaces_clear(&unseen);
    return status;
}

/* Adds those that have a folder in 'folder'. */
static enum sf_status
add_noted(struct sf_lab_list *list, const char *folder, struct sf_error *err)
{
    const char *path = folder ? folder : SF_LAB_FOLDER;
    enum sf_status status = SF_OK;
    DIR *entries = opendir(path);

    if (!entries) {
        return errno == ENOENT
                   ? SF_OK
                   : sf_fail(err, SF_EIO, "%s: %s", path, strerror(errno));
    }
    for (struct dirent *entry;
         status == SF_OK && (entry = readdir(entries));) {
        if (!strncmp(entry->d_name, PREFIX, sizeof PREFIX - 1)) {
            status = add(list, folder, entry->d_name + sizeof PREFIX - 1, err);
        }
    }
    closedir(entries);
    return status;
}

enum sf_status
sf_labs_list(const char *folder, struct sf_lab_list *list,
             struct sf_error *err)
{
    *list = (struct sf_lab_list){ 0 };
    enum sf_status status = add_noted(list, folder, err);
    if (status == SF_OK) {
        status = add_lost(list, err);
    }
    if (status != SF_OK) {
        sf_labs_clear(list);
    } else if (list->n) {
        qsort(list->entries, list->n, sizeof *list->entries, compare_entries);
    }
    return status;
}

void
sf_labs_clear(struct sf_lab_list *list)
{
    free(list->entries);
    *list = (struct sf_lab_list){ 0 };
}
