/* drained_told.c -- the list of drained links with what the plugin for OpenSM
 * tells of it. */
#include "drained.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

/* Says what speaks against what is told being in force. */
static void
tell_manager(const struct cli_drain *drain, const char *path,
             const struct sf_drain_told *told)
{
    struct sf_manager manager;
    struct sf_manager_health health;

    if (told->file && strcmp(told->file, drain->path) != 0) {
        printf("OpenSM obeys another list: %s\n", told->file);
    } else if (!told->file) {
        puts("OpenSM obeys no list: its options lack 'drained = FILE'");
    }
    if (sf_manager_read(path, &manager, NULL) == SF_OK) {
        sf_manager_judge(&manager, time(NULL), 0,
                         sf_manager_find_process(&manager), &health);
        if (health.verdict == SF_MANAGER_DEAD) {
            puts("OpenSM is dead, so this is what it said before; 'slimfly "
                 "status' tells more");
        }
    }
}

/* Where the plugin writes its status. */
static const char *
status_path(const struct cli_drain *drain)
{
    return drain->conf.status[0] ? drain->conf.status : CLI_STATUS_FILE;
}

/* Whether the node is called 'host', or "HOST HCA-1". */
static bool
is_called(const struct sf_node *node, const char *host)
{
    size_t length = strcspn(host, ".");

    return length && !strncmp(node->name, host, length) &&
           (node->name[length] == '\0' || node->name[length] == ' ');
}

uint32_t
cli_drain_find_manager(const struct cli_drain *drain,
                       const struct sf_fabric *fabric)
{
    const char *path = status_path(drain);
    struct sf_manager manager;

    if (access(path, F_OK) != 0 ||
        sf_manager_read(path, &manager, NULL) != SF_OK) {
        return SF_NONE;
    }
    for (uint32_t i = 0; manager.port_guid && i < fabric->n_ports; i++) {
        const struct sf_port *port = &fabric->ports[i];
        if (port->guid == manager.port_guid ||
            fabric->nodes[port->node].guid == manager.port_guid) {
            return port->node;
        }
    }
    for (uint32_t i = fabric->n_switches; i < fabric->n_nodes; i++) {
        if (!manager.port_guid && is_called(&fabric->nodes[i], manager.host)) {
            return i;
        }
    }
    return SF_NONE;
}

int
cli_drain_list_told(const struct cli_drain *drain, bool is_json)
{
    const char *path = status_path(drain);
    const struct sf_drain_list *list = drain->list;
    struct sf_drain_told told = { 0 };
    struct sf_error err;
    enum sf_status status = SF_OK;
    bool is_told = access(path, F_OK) == 0 &&
                   sf_drain_told_read(path, &told, &err) == SF_OK;
    bool is_same = is_told && told.file && !strcmp(told.file, drain->path);

    if (is_same) {
        sf_drain_told_compare(&told, list);
    }
    if (is_json) {
        status = is_same ? sf_drain_told_write_json(list, drain->path, &told,
                                                    stdout, &err)
                         : sf_drain_list_write_json(list, drain->path, NULL,
                                                    NULL, stdout, &err);
    } else if (is_same) {
        sf_drain_told_write_text(list, &told, stdout);
    } else {
        sf_drain_list_write_text(list, NULL, NULL, stdout);
    }
    if (is_told && !is_json && list->n_entries) {
        tell_manager(drain, path, &told);
    }
    sf_drain_told_clear(&told);
    return status == SF_OK ? CLI_FINE : cli_fail("%s", err.text);
}
