/* replaced_files.c -- see replaced_files.h. */
#define _GNU_SOURCE
#include "replaced_files.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool
cli_replaced_open(const struct cli_plugin_conf *conf,
                  struct cli_replaced *files)
{
    struct sf_error err;

    *files = (struct cli_replaced){ .conf = *conf };
    if (conf->guids[0] && !(files->map = cli_load_guids(conf->guids))) {
        return false;
    }
    if (conf->plan[0] && !(files->plan = cli_load_plan(conf->plan))) {
        return false;
    }
    if (conf->base[0] && access(conf->base, F_OK) == 0 &&
        sf_ibnetdiscover_read(conf->base, &files->base, &err) != SF_OK) {
        cli_fail("%s", err.text);
        return false;
    }
    return true;
}

void
cli_replaced_close(struct cli_replaced *files)
{
    sf_fabric_free(files->base);
    sf_plan_free(files->plan);
    sf_guid_map_free(files->map);
}

uint64_t
cli_replaced_find(const struct cli_replaced *files, const char *name)
{
    const struct sf_fabric *fabrics[] = { files->plan ? files->plan->fabric
                                                      : NULL,
                                          files->base };

    for (uint32_t i = 0; files->map && i < files->map->n_entries; i++) {
        if (!strcmp(files->map->entries[i].name, name)) {
            return files->map->entries[i].guid;
        }
    }
    for (size_t i = 0; i < 2; i++) {
        uint32_t node =
            fabrics[i] ? sf_fabric_find(fabrics[i], name) : SF_NONE;
        if (node != SF_NONE) {
            return fabrics[i]->nodes[node].guid;
        }
    }
    return 0;
}

/* Changes the GUID of a node and of its ports; whether 'fabric' has it.
 * Adapters have the GUIDs of ports in a row behind their own. */
static bool
change_fabric(struct sf_fabric *fabric, uint64_t old_guid, uint64_t new_guid)
{
    for (uint32_t i = 0; i < fabric->n_nodes; i++) {
        struct sf_node *node = &fabric->nodes[i];
        if (node->guid != old_guid) {
            continue;
        }
        node->guid = new_guid;
        for (uint32_t p = node->first_port;
             p < node->first_port + node->n_ports; p++) {
            uint64_t *guid = &fabric->ports[p].guid;
            *guid = *guid ? *guid - old_guid + new_guid : 0;
        }
        if (sf_ib_has_side(fabric) &&
            sf_ib_node(fabric, i)->system_guid == old_guid) {
            sf_ib_change_node(fabric, i)->system_guid = new_guid;
        }
        return true;
    }
    return false;
}

/* The folder of 'path', with a '/', and the name in it. */
static char *
split(const char *path, const char **namep)
{
    const char *slash = strrchr(path, '/');

    *namep = slash ? slash + 1 : path;
    return slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
}

static int
write_beside(const char *path, cli_writer *write, const void *aux)
{
    const char *name;
    char *folder = split(path, &name);
    int code = folder ? cli_write_file(folder, name, write, aux)
                      : cli_fail("out of memory");

    free(folder);
    return code;
}

/* The lines of a map, with one GUID changed. */
struct map_change {
    const char *path;
    uint64_t old_guid, new_guid;
};

static enum sf_status
write_map(const void *aux, FILE *stream, struct sf_error *err)
{
    const struct map_change *change = aux;
    FILE *old = fopen(change->path, "r");
    char line[4096];

    if (!old) {
        return sf_fail(err, SF_EIO, "%s: cannot be read again", change->path);
    }
    while (fgets(line, sizeof line, old)) {
        char *start = line + strspn(line, " \t"), *end = start;
        uint64_t guid =
            *start == '#' || *start == '\n' ? 0 : strtoull(start, &end, 16);
        if (guid == change->old_guid && end > start) {
            fprintf(stream, "0x%016" PRIx64 "%s", change->new_guid, end);
        } else {
            fputs(line, stream);
        }
    }
    bool is_read = !ferror(old);
    fclose(old);
    return is_read ? SF_OK
                   : sf_fail(err, SF_EIO, "%s: cannot be read", change->path);
}

static enum sf_status
write_base(const void *aux, FILE *stream, struct sf_error *err)
{
    (void)err;
    sf_ibnetdiscover_write(aux, "what the slimfly plugin routes from", stream);
    return SF_OK;
}

struct plan_file {
    const struct sf_plan *plan;
    const struct sf_plan_file *file;
};

static enum sf_status
write_plan_file(const void *aux, FILE *stream, struct sf_error *err)
{
    const struct plan_file *job = aux;
    return job->file->write(job->plan, stream, err);
}

/* Writes the files of the plan that are there. */
static int
write_plan(const struct cli_replaced *files)
{
    const char *word = files->conf.plan, *name;
    char *folder = cli_is_folder(word) ? strdup(word) : split(word, &name);
    int code = folder ? CLI_FINE : cli_fail("out of memory");

    for (size_t i = 0; code == CLI_FINE && sf_plan_files[i].name; i++) {
        struct plan_file job = { files->plan, &sf_plan_files[i] };
        char *path = cli_find_in_folder(folder, sf_plan_files[i].name);
        if (path) {
            code = cli_write_file(folder, sf_plan_files[i].name,
                                  write_plan_file, &job);
        }
        free(path);
    }
    free(folder);
    return code;
}

/* Says which file changes. */
static void
tell(const char *what, const char *path, bool is_dry)
{
    printf("%s %s: %s\n", what, path,
           is_dry ? "the GUID would be changed" : "the GUID was changed");
}

/* The node of 'fabric', which may be NULL, with that GUID; or NULL. */
static const struct sf_node *
find_guid(const struct sf_fabric *fabric, uint64_t guid)
{
    for (uint32_t i = 0; fabric && i < fabric->n_nodes; i++) {
        if (fabric->nodes[i].guid == guid) {
            return &fabric->nodes[i];
        }
    }
    return NULL;
}

/* Whether 'name' is what a file calls the node with that GUID, or none of
 * them knows one of the two. */
static bool
is_name_of(const struct cli_replaced *files, uint64_t guid, const char *name)
{
    const struct sf_fabric *plan = files->plan ? files->plan->fabric : NULL;
    const struct sf_guid_name *line =
        files->map ? sf_guid_map_find(files->map, guid) : NULL;
    const struct sf_node *planned = find_guid(plan, guid),
                         *node = find_guid(files->base, guid);

    return (line && !strcmp(line->name, name)) ||
           (planned && !strcmp(planned->name, name)) ||
           (node && !strcmp(node->name, name));
}

/* The name of another node than that with 'old_guid' that has 'new_guid' in
 * one of the files; NULL if there is none.  The base may have the new GUID
 * already, since the plugin changes it by itself: then it lacks the old one,
 * and what it calls the node is no name of another. */
static const char *
find_owner(const struct cli_replaced *files, uint64_t old_guid,
           uint64_t new_guid)
{
    const struct sf_fabric *plan = files->plan ? files->plan->fabric : NULL;
    const struct sf_guid_name *line =
        files->map ? sf_guid_map_find(files->map, new_guid) : NULL;
    const struct sf_node *planned = find_guid(plan, new_guid),
                         *node = find_guid(files->base, new_guid);

    if (line && !is_name_of(files, old_guid, line->name)) {
        return line->name;
    }
    if (planned && !is_name_of(files, old_guid, planned->name)) {
        return planned->name;
    }
    if (!node) {
        return NULL;
    }
    bool is_known = plan && sf_fabric_find(plan, node->name) != SF_NONE;
    return find_guid(files->base, old_guid) ||
                   (is_known && !is_name_of(files, old_guid, node->name))
               ? node->name
               : NULL;
}

/* Whether any file has the GUID. */
static bool
is_known(const struct cli_replaced *files, uint64_t guid)
{
    return (files->map && sf_guid_map_find(files->map, guid)) ||
           find_guid(files->plan ? files->plan->fabric : NULL, guid) ||
           find_guid(files->base, guid);
}

bool
cli_replaced_check(const struct cli_replaced *files, uint64_t old_guid,
                   uint64_t new_guid)
{
    const char *owner = is_known(files, old_guid)
                            ? find_owner(files, old_guid, new_guid)
                            : NULL;

    if (owner) {
        cli_fail("replace: 0x%016" PRIx64
                 " is the GUID of '%s'; expected that of a node that is new",
                 new_guid, owner);
    }
    return !owner;
}

int
cli_replaced_write(struct cli_replaced *files, uint64_t old_guid,
                   uint64_t new_guid, bool is_dry)
{
    struct map_change change = { files->conf.guids, old_guid, new_guid };
    bool is_done = is_known(files, new_guid) && !is_known(files, old_guid);
    bool in_map = files->map && sf_guid_map_find(files->map, old_guid);
    bool in_plan =
        files->plan && change_fabric(files->plan->fabric, old_guid, new_guid);
    bool in_base =
        files->base && change_fabric(files->base, old_guid, new_guid);
    bool is_file = files->conf.plan[0] &&
                   access(files->conf.plan, F_OK) == 0; /* No spec. */
    int code = CLI_FINE;

    if (!in_map && !in_plan && !in_base) {
        return is_done
                   ? (puts("nothing to do: the new GUID is known, and the old "
                           "one is not"),
                      CLI_FINE)
                   : cli_fail("replace: no file has the GUID 0x%016" PRIx64,
                              old_guid);
    }
    if (!is_dry) {
        cli_begin_files();
        code = in_map ? write_beside(change.path, write_map, &change) : code;
        if (code == CLI_FINE && in_plan && is_file) {
            code = write_plan(files);
        }
        if (code == CLI_FINE && in_base) {
            code = write_beside(files->conf.base, write_base, files->base);
        }
        code = cli_end_files(code);
    }
    if (code == CLI_FINE && in_map) {
        tell("GUID map", files->conf.guids, is_dry);
    }
    if (code == CLI_FINE && in_plan && is_file) {
        tell("plan", files->conf.plan, is_dry);
    }
    if (code == CLI_FINE && in_base) {
        tell("base", files->conf.base, is_dry);
    }
    return code;
}
