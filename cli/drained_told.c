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

int
cli_drain_list_told(const struct cli_drain *drain, bool is_json)
{
    const char *path =
        drain->conf.status[0] ? drain->conf.status : CLI_STATUS_FILE;
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
