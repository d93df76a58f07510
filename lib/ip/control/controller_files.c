#define _GNU_SOURCE
#include "ip/control/controller_files.h"

#include "base/json_reader.h"
#include "base/mem.h"
#include "ip/routes_json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOCK_FILE  "lock"
#define STATE_FILE "state.json"
#define BASE_FILE  "base.json"
#define SCHEMA     "slimfly.controller"
#define BASE       "slimfly.controller-base"
#define PATH_SIZE  4096

#define BASE_ADVICE                                                       \
    "it is safe to remove the file: the controller then starts from the " \
    "routes that the lab has"

struct path {
    char text[PATH_SIZE];
};

static struct path
path_of(const struct sf_control_folder *folder, const char *file)
{
    struct path path;
    snprintf(path.text, sizeof path.text, "%s/%s", folder->path, file);
    return path;
}

/* Makes the folder 'path' and those above it. */
static bool
make_folders(char *path)
{
    for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        bool is_made = mkdir(path, 0755) == 0 || errno == EEXIST;
        *slash = '/';
        if (!is_made) {
            return false;
        }
    }
    return mkdir(path, 0755) == 0 || errno == EEXIST;
}

/* Says who holds the lock, by the note in its file. */
static enum sf_status
fail_held(int fd, const char *path, struct sf_error *err)
{
    char note[200];
    ssize_t n = pread(fd, note, sizeof note - 1, 0);

    note[n > 0 ? n : 0] = '\0';
    note[strcspn(note, "\n")] = '\0';
    return sf_fail(err, SF_EIO, "%s: another controller holds the lock: %s",
                   path, note[0] ? note : "it has not said who it is");
}

/* Notes in the file of the lock who holds it. */
static void
write_note(int fd)
{
    char host[65] = "?", note[200], date[40] = "?";
    time_t now = time(NULL);
    struct tm parts;

    (void)gethostname(host, sizeof host - 1);
    if (gmtime_r(&now, &parts)) {
        (void)strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &parts);
    }
    int n = snprintf(note, sizeof note, "process %ld on %s since %s\n",
                     (long)getpid(), host, date);
    if (ftruncate(fd, 0) || pwrite(fd, note, (size_t)n, 0) != n) {
        return; /* The lock holds; who has it remains unknown. */
    }
}

/* Who looks whether there is a controller has the lock for a moment. */
static bool
try_lock(int fd)
{
    static const struct timespec pause = { 0, 10000000 };

    for (int i = 0; i < 10; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
            return true;
        }
        if (errno != EWOULDBLOCK) {
            return false;
        }
        nanosleep(&pause, NULL);
    }
    errno = EWOULDBLOCK;
    return false;
}

/* Takes the lock of a file, which is made if need be. */
static enum sf_status
lock(const char *path, int *fdp, bool *is_heldp, struct sf_error *err)
{
    *fdp = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (*fdp < 0) {
        return sf_fail(err, SF_EIO, "%s: %s", path, strerror(errno));
    }
    if (!try_lock(*fdp)) {
        *is_heldp = errno == EWOULDBLOCK;
        return *is_heldp
                   ? fail_held(*fdp, path, err)
                   : sf_fail(err, SF_EIO, "%s: %s", path, strerror(errno));
    }
    write_note(*fdp);
    return SF_OK;
}

enum sf_status
sf_control_folder_open(struct sf_control_folder *folder, const char *path,
                       const char *also, bool *is_heldp, struct sf_error *err)
{
    *is_heldp = false;
    *folder = (struct sf_control_folder){ .path = sf_strdup(path),
                                          .fd = -1,
                                          .also_fd = -1 };
    if (!folder->path) {
        return sf_fail(err, SF_ENOMEM, "out of memory for a path");
    }
    if (!make_folders(folder->path)) {
        return sf_fail(err, SF_EIO, "%s: %s", path, strerror(errno));
    }
    enum sf_status status =
        lock(path_of(folder, LOCK_FILE).text, &folder->fd, is_heldp, err);
    return status == SF_OK && also
               ? lock(also, &folder->also_fd, is_heldp, err)
               : status;
}

void
sf_control_folder_close(struct sf_control_folder *folder)
{
    if (folder->fd >= 0) {
        close(folder->fd); /* And with it the lock. */
    }
    if (folder->also_fd >= 0) {
        close(folder->also_fd);
    }
    free(folder->path);
    *folder = (struct sf_control_folder){ .fd = -1, .also_fd = -1 };
}

/* Whether the lock that is held is the one of the folder's name. */
static bool
is_same_lock(const struct sf_control_folder *folder)
{
    struct path lock = path_of(folder, LOCK_FILE);
    struct stat own, named;

    return fstat(folder->fd, &own) == 0 && stat(lock.text, &named) == 0 &&
           own.st_dev == named.st_dev && own.st_ino == named.st_ino;
}

enum sf_status
sf_control_folder_mend(struct sf_control_folder *folder, struct sf_error *err)
{
    struct sf_control_folder fresh;
    bool is_held;

    if (is_same_lock(folder)) {
        return SF_OK;
    }
    enum sf_status status =
        sf_control_folder_open(&fresh, folder->path, NULL, &is_held, err);
    if (status != SF_OK) {
        sf_control_folder_close(&fresh);
        return status;
    }
    fresh.also_fd = folder->also_fd;
    folder->also_fd = -1;
    sf_control_folder_close(folder);
    *folder = fresh;
    return SF_OK;
}

/* Writes 'root' so that readers see all of it or what was before; frees it. */
static enum sf_status
write_json(const struct sf_control_folder *folder, const char *file,
           json_t *root, struct sf_error *err)
{
    struct path path = path_of(folder, file);
    struct path fresh = path_of(folder, "new.json");
    enum sf_status status = SF_OK;

    if (!root) {
        return sf_fail(err, SF_ENOMEM, "%s: out of memory", path.text);
    }
    FILE *stream = fopen(fresh.text, "we");
    bool is_written = stream && json_dumpf(root, stream, JSON_COMPACT) == 0 &&
                      fputc('\n', stream) != EOF && fflush(stream) == 0 &&
                      fsync(fileno(stream)) == 0;
    int code = errno;
    if (stream && fclose(stream) != 0 && is_written) {
        is_written = false;
        code = errno;
    }
    if (is_written && rename(fresh.text, path.text)) {
        is_written = false;
        code = errno;
    }
    if (!is_written) {
        status = sf_fail(err, SF_EIO, "%s: %s", path.text, strerror(code));
        (void)unlink(fresh.text);
    }
    json_decref(root);
    return status;
}

/* Reads a file of 'schema' and 'identity'; '*rootp' is NULL if there is none,
 * or one of another network. */
static enum sf_status
read_json(const struct path *path, const char *schema, const char *identity,
          json_t **rootp, struct sf_error *err)
{
    struct sf_json_reader reader = { .path = path->text, .err = err };
    json_error_t problem;

    *rootp = NULL;
    if (access(path->text, F_OK)) {
        return SF_OK;
    }
    json_t *root =
        json_load_file(path->text, JSON_REJECT_DUPLICATES, &problem);
    if (!root) {
        return problem.line < 0
                   ? sf_fail(err, SF_EIO, "%s", problem.text)
                   : sf_fail(err, SF_EPARSE, "%s:%d: %s", path->text,
                             problem.line, problem.text);
    }
    if (strcmp(sf_json_text(&reader, root, "", "schema", 60), schema) != 0) {
        sf_json_refuse(&reader, "schema: expected \"%s\"", schema);
    }
    sf_json_number(&reader, root, "", "schema_version", 1, 1);
    const char *found = sf_json_text(&reader, root, "", "identity", 400);
    if (reader.status == SF_OK && strcmp(found, identity) == 0) {
        *rootp = root;
    } else {
        json_decref(root);
    }
    return reader.status;
}

/* Adds to an error of a broken file what can be done about it. */
static enum sf_status
add_advice(enum sf_status status, const char *advice, struct sf_error *err)
{
    if (status == SF_EPARSE && err) {
        size_t n = strlen(err->text);
        (void)snprintf(err->text + n, sizeof err->text - n, "; %s", advice);
    }
    return status;
}

static void
read_down(struct sf_json_reader *reader, const json_t *root,
          const struct sf_fabric *fabric, bool *was_down)
{
    const json_t *array = sf_json_array(reader, root, "down");

    for (size_t i = 0; reader->status == SF_OK && i < json_array_size(array);
         i++) {
        const json_t *end = json_array_get(array, i);
        char where[40];
        snprintf(where, sizeof where, "down[%zu]", i);
        uint32_t node =
            sf_json_number(reader, end, where, "node", 0, fabric->n_nodes - 1);
        uint32_t number =
            sf_json_number(reader, end, where, "port", 1, SF_MAX_PORTS);
        uint32_t port = reader->status == SF_OK
                            ? sf_fabric_port(fabric, node, number)
                            : SF_NONE;
        if (port != SF_NONE && fabric->ports[port].peer != SF_NONE) {
            was_down[port] = true;
            was_down[fabric->ports[port].peer] = true;
        }
    }
}

enum sf_status
sf_control_read_state(const struct sf_control_folder *folder,
                      const char *identity, const struct sf_fabric *fabric,
                      bool *was_down, bool *is_therep, struct sf_error *err)
{
    struct path path = path_of(folder, STATE_FILE);
    struct sf_json_reader reader = { .path = path.text, .err = err };
    json_t *root;
    enum sf_status status = read_json(&path, SCHEMA, identity, &root, err);

    *is_therep = root != NULL;
    memset(was_down, 0, fabric->n_ports * sizeof *was_down);
    if (status == SF_OK && root) {
        read_down(&reader, root, fabric, was_down);
        status = reader.status;
    }
    json_decref(root);
    return add_advice(status,
                      "it is safe to remove the file: links are looked at "
                      "after each start",
                      err);
}

enum sf_status
sf_control_write_state(const struct sf_control_folder *folder,
                       const char *identity, const struct sf_core *core,
                       struct sf_error *err)
{
    const struct sf_fabric *fabric = core->fabric;
    json_t *down = json_array();

    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        const struct sf_port *port = &fabric->ports[i];
        if (port->peer != SF_NONE && port->peer > i &&
            !sf_core_runs(core, i)) {
            json_array_append_new(down,
                                  json_pack("{s:I, s:I, s:s}", "node",
                                            (json_int_t)port->node, "port",
                                            (json_int_t)port->number, "name",
                                            fabric->nodes[port->node].name));
        }
    }
    return write_json(folder, STATE_FILE,
                      json_pack("{s:s, s:i, s:s, s:o}", "schema", SCHEMA,
                                "schema_version", 1, "identity", identity,
                                "down", down),
                      err);
}

enum sf_status
sf_control_write_base(const struct sf_control_folder *folder,
                      const char *identity, const struct sf_network *network,
                      const struct sf_routes *routes, struct sf_error *err)
{
    json_t *root = sf_routes_to_json(network, routes);

    if (root) {
        json_object_set_new(root, "schema", json_string(BASE));
        json_object_set_new(root, "schema_version", json_integer(1));
        json_object_set_new(root, "identity", json_string(identity));
    }
    return write_json(folder, BASE_FILE, root, err);
}

enum sf_status
sf_control_read_base(const struct sf_control_folder *folder,
                     const char *identity, const struct sf_network *network,
                     struct sf_routes **routesp, struct sf_error *err)
{
    struct path path = path_of(folder, BASE_FILE);
    struct sf_json_reader reader = { .path = path.text, .err = err };
    struct sf_layers_claims claims = { .within_parts = true };
    json_t *root;
    enum sf_status status = read_json(&path, BASE, identity, &root, err);

    *routesp = NULL;
    if (status != SF_OK || !root) {
        return add_advice(status, BASE_ADVICE, err);
    }
    status = sf_routes_from_json(&reader, root, "", network, routesp);
    for (uint32_t i = 0; status == SF_OK && i < (*routesp)->n_sets; i++) {
        status =
            sf_layers_check((*routesp)->sets[i], network->graph, &claims, err);
    }
    json_decref(root);
    if (status != SF_OK) {
        sf_routes_free(*routesp);
        *routesp = NULL;
    }
    return add_advice(status, BASE_ADVICE, err);
}

bool
sf_control_has_base(const struct sf_control_folder *folder)
{
    return access(path_of(folder, BASE_FILE).text, F_OK) == 0;
}
