/* ip_folder.c -- the folder of a plan: what is there, and what is written.
 *
 * The inventory says which files belong to a plan: those of its nodes.  Files
 * of others stay, whatever they are called. */
#define _GNU_SOURCE
#include "ip_plan.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define INVENTORY "inventory.json"

/* A file of a plan, for cli_write_file(). */
struct file_of {
    const struct sf_ip_plan *plan;
    const struct sf_ip_file *file;
    uint32_t node;
};

static enum sf_status
write_one(const void *aux, FILE *stream, struct sf_error *err)
{
    const struct file_of *of = aux;
    return of->file->write(of->plan, of->node, stream, err);
}

/* Writes the files of one kind of subject into 'folder'. */
static int
write_nodes(const struct sf_ip_plan *plan, enum sf_ip_subject subject,
            const char *folder)
{
    const struct sf_fabric *fabric = plan->network->fabric;
    bool is_all = subject == SF_IP_OF_ALL;
    uint32_t first = subject == SF_IP_OF_HOSTS ? fabric->n_switches : 0;
    uint32_t end = is_all                         ? 1
                   : subject == SF_IP_OF_SWITCHES ? fabric->n_switches
                                                  : fabric->n_nodes;
    int code = cli_make_folder(folder);

    for (struct file_of of = { plan, sf_ip_files, 0 }; of.file->name;
         of.file++) {
        if (of.file->subject != subject ||
            (of.file->needs_lanes && !plan->tables->lanes)) {
            continue;
        }
        for (of.node = first; code == CLI_FINE && of.node < end; of.node++) {
            char name[256];
            (void)snprintf(name, sizeof name, "%s%s",
                           is_all ? "" : plan->names->names[of.node],
                           of.file->name);
            code = cli_write_file(folder, name, write_one, &of);
        }
    }
    return code;
}

/* The names of the nodes of the plan that is there, as keys; and whose files
 * are being looked at. */
struct old_plan {
    json_t *nodes;
    enum sf_ip_subject subject;
};

/* Whether the plan that is there has a file of such a name. */
static bool
is_old(void *aux, const char *name)
{
    const struct old_plan *old = aux;
    char node[256];

    for (const struct sf_ip_file *file = sf_ip_files; file->name; file++) {
        size_t n = strlen(name), ending = strlen(file->name);
        if (file->subject != old->subject || n < ending ||
            strcmp(name + n - ending, file->name) != 0) {
            continue;
        }
        (void)snprintf(node, sizeof node, "%.*s", (int)(n - ending), name);
        if (old->subject == SF_IP_OF_ALL
                ? n == ending
                : json_object_get(old->nodes, node) != NULL) {
            return true;
        }
    }
    return false;
}

static bool
note_names(const json_t *inventory, const char *key, json_t *names)
{
    const json_t *nodes = json_object_get(inventory, key), *node;
    size_t i;
    bool is_noted = json_is_array(nodes);

    json_array_foreach(nodes, i, node)
    {
        const char *name = json_string_value(json_object_get(node, "name"));
        is_noted = name && json_object_set_new(names, name, json_true()) == 0;
        if (!is_noted) {
            break;
        }
    }
    return is_noted;
}

/* The names of the nodes of the plan in 'folder'; NULL if there is none.
 * False, having said so, if the inventory there is none of a plan. */
static bool
read_old(const char *folder, json_t **namesp)
{
    char *path = cli_join(folder, INVENTORY);
    bool is_there = path && access(path, F_OK) == 0;
    json_t *inventory = is_there ? json_load_file(path, 0, NULL) : NULL;
    const char *kind = json_string_value(json_object_get(inventory, "kind"));
    json_t *names = inventory ? json_object() : NULL;
    bool is_ours = kind && strcmp(kind, "slimfly-ip-inventory") == 0 &&
                   names && note_names(inventory, "switches", names) &&
                   note_names(inventory, "hosts", names);

    *namesp = is_ours ? names : NULL;
    if (!is_ours) {
        json_decref(names);
    }
    if (is_there && !is_ours) {
        cli_fail("ip plan: %s is not of 'slimfly ip plan', and is not "
                 "overwritten; choose another folder",
                 path);
    }
    json_decref(inventory);
    free(path);
    return is_ours || !is_there;
}

/* Whether 'path', or the folder that is there and in which it is to be made,
 * is a folder that can be written. */
static bool
check_place(const char *folder)
{
    char *path = strdup(folder);
    const char *place = path; /* What is there of it. */

    while (place == path && path && access(path, F_OK) != 0 &&
           errno == ENOENT) {
        char *slash = strrchr(path, '/');
        if (!slash || slash == path) {
            place = slash ? "/" : ".";
        } else {
            *slash = '\0';
        }
    }
    bool is_fine = path && cli_is_folder(place) && !access(place, W_OK | X_OK);
    if (!path) {
        cli_fail("out of memory");
    } else if (!is_fine) {
        cli_fail("%s: %s", folder,
                 cli_is_file(place) ? "expected a folder, and this is a file"
                                    : strerror(errno));
    }
    free(path);
    return is_fine;
}

bool
cli_ip_check_folder(const char *folder)
{
    json_t *names = NULL;
    bool is_fine = check_place(folder) && read_old(folder, &names);

    json_decref(names);
    return is_fine;
}

int
cli_ip_write(const struct sf_ip_plan *plan, const char *folder)
{
    static const struct {
        enum sf_ip_subject subject;
        const char *name;
    } folders[] = { { SF_IP_OF_SWITCHES, "switches" },
                    { SF_IP_OF_HOSTS, "hosts" },
                    { SF_IP_OF_ALL, "." } };
    struct old_plan old = { 0 };
    int code = CLI_FINE;

    if (!read_old(folder, &old.nodes)) {
        return CLI_ERROR;
    }
    cli_begin_files();
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char *path = cli_join(folder, folders[i].name);
        if (code == CLI_FINE) {
            code =
                path ? write_nodes(plan, folders[i].subject, path) : CLI_ERROR;
        }
        if (code == CLI_FINE && old.nodes) {
            old.subject = folders[i].subject;
            code = cli_remove_others(path, is_old, &old);
        }
        free(path);
    }
    json_decref(old.nodes);
    return cli_end_files(code);
}
