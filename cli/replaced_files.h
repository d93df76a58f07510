/* replaced_files.h -- the files that know nodes by GUID: the GUID map, the
 * plan, the base of the plugin. */
#ifndef SF_CLI_REPLACED_FILES_H
#define SF_CLI_REPLACED_FILES_H

#include "cli.h"
#include "plugin_conf.h"

struct cli_replaced {
    struct cli_plugin_conf conf;
    struct sf_guid_map *map; /* NULL if there is none; so are these. */
    struct sf_plan *plan;    /* GUIDs as in the file. */
    struct sf_fabric *base;
};

/* Reads the files that 'conf' names; a base that is not there is none.  On
 * failure says so and returns false.  The caller calls cli_replaced_close() in
 * any case. */
bool cli_replaced_open(const struct cli_plugin_conf *conf,
                       struct cli_replaced *files);
void cli_replaced_close(struct cli_replaced *files);

/* The GUID of the node called 'name': in the map, else in the plan, else in
 * the base; 0 if there is none. */
uint64_t cli_replaced_find(const struct cli_replaced *files, const char *name);

/* Whether no other node has 'new_guid' in one of the files; says who has it.
 */
bool cli_replaced_check(const struct cli_replaced *files, uint64_t old_guid,
                        uint64_t new_guid);

/* Puts 'new_guid' in the place of 'old_guid' in all of them, and says where;
 * nothing is written if that 'is_dry'.  cli_replaced_check() has been asked.
 * Returns an exit code. */
int cli_replaced_write(struct cli_replaced *files, uint64_t old_guid,
                       uint64_t new_guid, bool is_dry);

#endif
