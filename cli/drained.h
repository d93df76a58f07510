/* drained.h -- what 'slimfly drain', 'undrain' and 'route' share: the list of
 * drained links, and what draining would do. */
#ifndef SF_CLI_DRAINED_H
#define SF_CLI_DRAINED_H

#include "cli.h"
#include "held_tables.h"
#include "plugin_conf.h"

enum {
    OPT_LIST_FILE = CLI_OWN, /* Of both commands. */
    OPT_PLAN,
    OPT_CONF,
    CLI_DRAIN_OWN,
};

/* --file, --plan, --conf, for both commands. */
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
    {                                                                         \
        OPT_CONF, "conf", 0, CLI_FILE, "FILE",                                \
            .help = "the options of the plugin for OpenSM",                   \
            .otherwise = CLI_PLUGIN_FILE ", if it is there"                   \
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

/* Gives the nodes of 'fabric' the names that map and plan have for their
 * GUIDs, where there are such; on failure says so and returns false.  Without
 * the map, a node could be taken for another, so one that cannot be read is a
 * failure. */
bool cli_drain_name(struct cli_drain *drain, struct sf_fabric *fabric);

/* Joins "rack" and the word behind it; else 'word' itself.  '*ip' is its
 * number among the words, and is that of the last one taken. */
const char *cli_drain_word(const struct cli_args *args, size_t *ip,
                           char joined[64]);

/* What draining would do. */
struct cli_what_if {
    struct sf_table_diff *diff;
    struct sf_mixture *mixture;
    struct sf_steps *steps;
    struct cli_held before, after;
    bool is_without_lanes; /* Those of before are not known well enough. */
    char why_anew[SF_ERROR_TEXT_SIZE]; /* Why a repair is not enough, or "". */
};

/* Finds out what changes if 'fabric', which 'word' names, is routed over the
 * links of 'left' alone: the tables of 'word', or new ones if it has none,
 * repaired.  Gives 'fabric' LIDs if it has none.  The caller clears it in any
 * case. */
enum sf_status cli_what_if(const char *word, uint32_t timeout,
                           struct sf_fabric *fabric,
                           const struct sf_drain_list *list,
                           struct cli_what_if *what_if, struct sf_error *err);
void cli_what_if_clear(struct cli_what_if *what_if);

#endif
