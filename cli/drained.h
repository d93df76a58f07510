/* drained.h -- what 'slimfly drain', 'undrain' and 'route' share: the list of
 * drained links, and what draining would do. */
#ifndef SF_CLI_DRAINED_H
#define SF_CLI_DRAINED_H

#include "cli.h"
#include "plugin_conf.h"

enum {
    OPT_LIST_FILE = CLI_OWN, /* Of both commands. */
    OPT_PLAN,
    OPT_CONF,
    OPT_FABRIC,
    OPT_DRY_RUN,
    OPT_NO_WHAT_IF,
    OPT_ALLOW_LOSS,
    CLI_DRAIN_OWN,
};

/* --file, --plan, --conf, and those about what would change, for both
 * commands. */
#define CLI_DRAIN_OPTIONS                                                     \
    { OPT_LIST_FILE,                                                          \
      "file",                                                                 \
      0,                                                                      \
      CLI_FILE,                                                               \
      "FILE",                                                                 \
      .help = "the list of drained links",                                    \
      .otherwise = "what the plugin's options say, else " CLI_DRAINED_FILE }, \
        { OPT_PLAN,                                                           \
          "plan",                                                             \
          0,                                                                  \
          CLI_FILE,                                                           \
          "PLAN",                                                             \
          .help = "the plan that names racks and cables",                     \
          .otherwise = "what the plugin's options say" },                     \
        { OPT_CONF,                                                           \
          "conf",                                                             \
          0,                                                                  \
          CLI_FILE,                                                           \
          "FILE",                                                             \
          .help = "the options of the plugin for OpenSM",                     \
          .otherwise = CLI_PLUGIN_FILE ", if it is there" },                  \
        { OPT_FABRIC,                                                         \
          "fabric",                                                           \
          0,                                                                  \
          CLI_FILE,                                                           \
          "FABRIC",                                                           \
          .help = "the fabric and its tables: live, a folder of tables, or "  \
                  "what 'slimfly route' takes",                               \
          .value = "live" },                                                  \
        { OPT_DRY_RUN, "dry-run", 'n', CLI_FLAG,                              \
          .help = "say what would change, and change nothing" },              \
        { OPT_NO_WHAT_IF, "no-what-if", 0, CLI_FLAG,                          \
          .help = "do not read tables to find out what would change" },       \
    {                                                                         \
        OPT_ALLOW_LOSS, "allow-loss", 0, CLI_FLAG,                            \
            .help = "do it also if packets are lost while tables change"      \
    }

/* The files that a command goes by. */
struct cli_drain {
    struct cli_plugin_conf conf;
    char path[CLI_CONF_SIZE]; /* Of the list. */
    struct sf_plan *plan;     /* Or NULL. */
    struct sf_guid_map *map;  /* Likewise; read when it is needed. */
    int lock;                 /* Of the list, -1 if not taken. */
    struct sf_drain_list *list;
};

/* Reads options, plan and list, which is locked if it 'changes'.  On failure
 * says so and returns false; a plan that cannot be read, and that only the
 * plugin's options name, is said and not there.  The caller calls
 * cli_drain_close() in any case. */
bool cli_drain_open(const struct cli_args *args, bool changes,
                    struct cli_drain *drain);
void cli_drain_close(struct cli_drain *drain);

/* Puts the list into its place; returns an exit code. */
int cli_drain_save(const struct cli_drain *drain);

/* Lists what is drained, with what the plugin tells of it where its status
 * file is; returns an exit code. */
int cli_drain_list_told(const struct cli_drain *drain, bool is_json);

/* Gives the nodes of 'fabric' the names that map and plan have for their
 * GUIDs, where there are such; on failure says so and returns false.  Without
 * the map, a node could be taken for another, so one that cannot be read is a
 * failure. */
bool cli_drain_name(struct cli_drain *drain, struct sf_fabric *fabric);

/* The node of 'fabric' that OpenSM runs on, as its status file tells; SF_NONE
 * if that is not known. */
uint32_t cli_drain_find_manager(const struct cli_drain *drain,
                                const struct sf_fabric *fabric);

/* Finds what the list means on 'fabric': '*drained'.  Whether none of 'words',
 * which are on it, is refused, as it cuts off hosts or, unless 'with_manager',
 * OpenSM; else says so, and '*codep' is an exit code. */
bool cli_drain_check(const struct cli_drain *drain,
                     const struct sf_fabric *fabric,
                     const struct sf_drain_words *words, bool with_manager,
                     struct sf_drained *drained, int *codep);

/* Joins "rack" or "group" and the word behind it; else 'word' itself.  '*ip'
 * is its number among the words, and is that of the last one taken. */
const char *cli_drain_word(const struct cli_args *args, size_t *ip,
                           char joined[64]);

#endif
