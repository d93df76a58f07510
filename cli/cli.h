/* cli.h -- what the commands share: the table of commands, help, and how they
 * read their input and write their output. */
#ifndef SF_CLI_H
#define SF_CLI_H

#include "options.h"
#include "slimfly/slimfly.h"

/* Exit codes of the program. */
enum {
    CLI_FINE = 0,
    CLI_FINDINGS = 1, /* Differences or violations were found. */
    CLI_ERROR = 2,    /* Wrong usage, bad input, nothing done. */
};

/* Who uses a command: help lists commands by it. */
enum cli_group {
    CLI_NO_GROUP,  /* Every command has one; the tests see to that. */
    CLI_DESIGN,    /* Who asks what to build. */
    CLI_BUILD,     /* Who wires it. */
    CLI_RUN,       /* Who keeps it running. */
    CLI_STUDY,     /* Who measures and compares. */
    CLI_EVERYBODY, /* All of them. */
    CLI_N_GROUPS,
};

struct cli_command {
    const char *name;
    enum cli_group group;
    const char *arguments;   /* For the usage line. */
    const char *summary;     /* One line. */
    const char *description; /* Paragraphs, separated by empty lines. */
    const char *examples;    /* "COMMAND\tWHAT IT DOES\n" lines. */
    const char *words;       /* That the first argument may be, or NULL. */
    /* Groups of options: its own come first, then those it shares. */
    const struct cli_option *options[CLI_MAX_GROUPS];
    int (*run)(const struct cli_args *args); /* Returns an exit code. */
};

/* Sentences that descriptions of commands share. */
#define CLI_PLAN_IS \
    "PLAN is a folder that 'slimfly plan' wrote, a plan.json, or a spec."
#define CLI_LIVE_IS                                                       \
    "the word live (live:DEVICE:PORT, such as live:mlx5_0:1, where this " \
    "machine has several ports)"
#define CLI_FABRIC_IS                                                         \
    "FABRIC is a spec, a folder that 'slimfly plan' or 'slimfly route' "      \
    "wrote, a plan.json, the output of ibnetdiscover or its cache, or a "     \
    "netlist of ibsim. The word live stands for the fabric of this "          \
    "machine (live:DEVICE:PORT, such as live:mlx5_0:1, where it has several " \
    "ports)."

#define CLI_FIGURE_IS                                                        \
    "With --figure pdf or svg, figures have the form of a paper: the width " \
    "of a column, no title, lines that grey print keeps apart; FIGURE.csv "  \
    "beside each has the points that it shows."

/* Where the plugin writes its status if 'slimfly settings' is not told
 * otherwise. */
#define CLI_STATUS_FOLDER "/var/log"
#define CLI_STATUS_NAME   "slimfly-status.json"
#define CLI_STATUS_FILE   CLI_STATUS_FOLDER "/" CLI_STATUS_NAME

/* The file of jobs, likewise. */
#define CLI_JOBS_FILE "/var/lib/slimfly/jobs"

/* The list of drained links, likewise. */
#define CLI_DRAINED_FILE "/var/lib/slimfly/drained"

/* The options of the plugin, likewise. */
#define CLI_PLUGIN_FILE "/etc/opensm/slimfly.conf"

/* All commands, ended by NULL. */
extern const struct cli_command *const cli_commands[];

const struct cli_command *cli_find_command(const char *name);

/* Prints "slimfly: MESSAGE" to standard error and returns CLI_ERROR. */
int cli_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Help for one command, or for all if 'command' is NULL. */
void cli_help_text(const struct cli_command *command, FILE *stream);
void cli_help_man(const struct cli_command *command, FILE *stream);
void cli_help_bash(FILE *stream);

/* The words that say when progress is shown, ended by NULL: auto, if work
 * takes long; always, from the beginning; never. */
extern const char *const cli_progress_words[];

/* Shows on standard error what the calling thread reports (progress.h), from
 * now on, 'when' it is to be shown. */
void cli_progress_begin(const char *when);

/* Lets time count from now on, after a wait that was not our work. */
void cli_progress_restart(void);

/* Erases the line of progress for who writes something else: for a moment, or
 * for good before results go to standard output. */
void cli_progress_hide(void);
void cli_progress_end(void);

/* The same for who interrupts, from a handler of signals: see
 * cli_guard_signals(). */
void cli_progress_drop(void);

/* Reads the permissions that new files do not get, for all that is written
 * later.  They can only be read by setting them for a moment, so main() does
 * it before there are threads. */
void cli_read_umask(void);

/* Sees that signals which end the program remove what is not finished. */
void cli_guard_signals(void);

/* A file that appears at its place only when it is complete. */
struct cli_output {
    FILE *stream;
    const char *path; /* NULL for standard output. */
    char *temporary;  /* NULL if written in place. */
    char *resolved;   /* Where 'path' leads, if it is there already. */
};

/* Opens 'path' (NULL or "-": standard output) for writing.  On failure says
 * so and returns false. */
bool cli_output_open(struct cli_output *output, const char *path);

/* Whether 'path' can be opened so, before work that takes long; else it says
 * why not.  What is there stays as it is. */
bool cli_output_check(const char *path);

/* Puts the file into its place, or, if 'status' is not SF_OK, removes it.
 * Returns an exit code, having said what went wrong. */
int cli_output_close(struct cli_output *output, enum sf_status status,
                     const struct sf_error *err);

/* The word for 'n' things: cli_plural(n, "switch", "switches"). */
static inline const char *
cli_plural(uint64_t n, const char *one, const char *many)
{
    return n == 1 ? one : many;
}

/* Seconds since some moment in the past. */
double cli_seconds(void);

/* Whether 'path' is there and is one. */
bool cli_is_file(const char *path);
bool cli_is_folder(const char *path);

/* The path of 'name' in 'folder', 'path' from the root on, and the path of the
 * file 'name' in 'folder' if it is there.  The caller frees these.  NULL if
 * memory ran out, which is said, or if there is no such file. */
char *cli_join(const char *folder, const char *name);
char *cli_make_absolute(const char *path);
char *cli_find_in_folder(const char *folder, const char *name);

/* Makes 'folder' and those above it where they are missing. */
int cli_make_folder(const char *folder);

/* Loads the plan that 'word' names: a folder, a plan.json, or a spec.  On
 * failure says so and returns NULL. */
struct sf_plan *cli_load_plan(const char *word);

/* Whether 'word' names a plan rather than what was discovered. */
bool cli_is_plan(const char *word);

/* Loads what was discovered: all that sf_fabric_discover() takes, or a folder
 * that 'slimfly route' or OpenSM wrote.  On failure says so and returns
 * NULL. */
struct sf_fabric *cli_load_discovered(const char *word, unsigned timeout);

/* The same for who compares it with 'plan': also "lldp:PATH".  If LLDP shows
 * no host, those of the plan go. */
struct sf_fabric *cli_load_found(struct sf_plan *plan, const char *word,
                                 unsigned timeout);

/* How a fabric is discovered again and again, by 'watch' and 'monitor'. */
struct cli_discovery {
    const char *command; /* Whose output is read; NULL: none. */
    const char *source;  /* "live" and the like, or "lldp:DIR". */
    unsigned timeout;
    bool skips_hosts;
};

/* Whether the words are a plan and, without option 'exec', a second one that
 * can be discovered again and again. */
bool cli_check_discovery(const struct cli_args *args, int exec);

/* What 'args' ask for: a second word, or the command of option 'exec'. */
struct cli_discovery cli_discovery_of(const struct cli_args *args, int exec);

/* Discovers once: an Ethernet, which has names of ports, by LLDP. */
enum sf_status cli_discover(const struct cli_discovery *discovery,
                            const struct sf_plan *plan,
                            struct sf_fabric **foundp, uint32_t *n_unansweredp,
                            struct sf_error *err);

/* Loads the fabric that 'word' names: what cli_load_plan() takes, a folder
 * that 'slimfly route' wrote, or what 'slimfly verify' takes as discovered.
 * On failure says so and returns NULL. */
struct sf_fabric *cli_load_fabric(const char *word, unsigned timeout);

/* The same, with the plan in '*planp' if 'word' names one: it then holds the
 * fabric.  Else '*planp' is NULL, and the caller frees the fabric. */
struct sf_fabric *cli_load_fabric_and_plan(const char *word, unsigned timeout,
                                           struct sf_plan **planp);

/* Says that a discovery left 'n_unanswered' questions open, if any. */
void cli_warn_unanswered(uint32_t n_unanswered);

/* Reads a GUID map that says something; NULL if it failed, and said why. */
struct sf_guid_map *cli_load_guids(const char *path);

/* Between the two, files that are written wait for each other.  The second
 * lets all take their places, or if 'code' is an error, none; it returns
 * 'code', or the error that it met. */
void cli_begin_files(void);
int cli_end_files(int code);

/* Between the two: what waits to take the place of the file 'path', for
 * reading; NULL if nothing does. */
FILE *cli_open_waiting(const char *path);

/* Between the two, after the files were written: those of 'folder' whose name
 * 'is_ours' accepts and that were not among them are to go with the change. */
int cli_remove_others(const char *folder,
                      bool (*is_ours)(void *aux, const char *name), void *aux);

/* Writes what 'write' says of 'aux' to the file 'name' in 'folder'. */
typedef enum sf_status cli_writer(const void *aux, FILE *stream,
                                  struct sf_error *err);
int cli_write_file(const char *folder, const char *name, cli_writer *write,
                   const void *aux);

/* What OpenSM dumps of a subnet, and 'slimfly route' writes in its place. */
#define CLI_TABLES_FILE "opensm-lfts.dump"
struct cli_dump {
    const struct sf_fabric *fabric;
    const char *title; /* For the first line of the fabric. */
    const struct sf_tables *tables;
    const struct sf_sl2vl *sl2vl;       /* May be NULL, */
    const struct sf_path_sls *path_sls; /* and so may these. */
};

/* Writes the files of a dump into 'folder'; returns an exit code. */
int cli_write_dump(const struct cli_dump *dump, const char *folder);

#endif
