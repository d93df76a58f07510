/* options.h -- options of commands.  A declaration carries the type, the range
 * and the default of an option; reading, error messages, help, man pages and
 * shell completion all follow from it.  Options that several commands share
 * are declared once, in groups.c. */
#ifndef SF_CLI_OPTIONS_H
#define SF_CLI_OPTIONS_H

#include "slimfly/slimfly.h"

enum cli_type {
    CLI_FLAG,    /* Takes no argument. */
    CLI_NUMBER,  /* A whole number from min to max. */
    CLI_REAL,    /* A number from min to max. */
    CLI_SEED,    /* A whole number below 2^63, the most that JSON holds. */
    CLI_CHOICE,  /* One of the words of choice(). */
    CLI_SPEC,    /* A name of choice(), perhaps with settings: "rues:0.6". */
    CLI_TEXT,    /* Text that the command reads itself. */
    CLI_FILE,    /* The path of a file, or of a folder in its place. */
    CLI_FOLDER,  /* The path of a folder. */
    CLI_NUMBERS, /* Whole numbers from min to max, separated by commas. */
    CLI_WORDS,   /* Words of choice(), separated by commas. */
    CLI_SPECS,   /* Specs, separated by commas: "gates,rues:0.6,paper". */
};

struct cli_option {
    int id;               /* One of those below, or from CLI_OWN on. */
    const char *name;     /* Without the dashes. */
    char letter;          /* 0 if there is no short form. */
    enum cli_type type;   /* How the argument is read. */
    const char *argument; /* What help calls the argument; NULL for flags. */
    const char *help;     /* What it is, without range and default. */
    double min, max;      /* The range of numbers. */
    /* Gives the 'i'th word that the argument may be, NULL at the end. */
    const char *(*choice)(size_t i);
    /* The default: as one would write it, or where the library keeps it.  If
     * it is not a value, 'otherwise' says in words what holds without. */
    const char *value;
    const uint32_t *number_at;
    const double *real_at;
    const char *otherwise;
};

/* Options that several commands have.  A command may declare one of these
 * itself where it takes something else, as 'analyze' takes several numbers of
 * layers. */
enum {
    OPT_FORMAT,
    OPT_OUTPUT,
    OPT_TIMEOUT,
    OPT_GUIDS,
    OPT_IDENTITY,
    OPT_IGNORE_RATES,
    OPT_SCHEME,
    OPT_LAYERS,
    OPT_PATH_SETS,
    OPT_PER_HOST,
    OPT_MAX_HOPS,
    OPT_LANES,
    OPT_GUARANTEE,
    OPT_MAX_VLS,
    OPT_MAX_SLS,
    OPT_SEED,
    OPT_THREADS,
    OPT_SHARE,
    OPT_ALONE,
    OPT_PROGRESS,
    OPT_PORT_NAMES,
    OPT_HOST_PORT_NAMES,
    OPT_SKIP_HOSTS,
    OPT_SURVEY_TRAFFIC, /* Those of surveys, to the last one. */
    OPT_SURVEY_SEEDS,
    OPT_SURVEY_GAP,
    OPT_SURVEY_EQUAL,
    OPT_SURVEY_FAILURES,
    OPT_SURVEY_SHARES,
    OPT_SURVEY_DRAWS,
    OPT_SURVEY_NET,
    OPT_SURVEY_NO_SIMULATION,
    OPT_SURVEY_NO_TIMES,
    OPT_FIGURE,
    OPT_FIGURE_WIDTH,
    OPT_FIGURE_SIZE,
    OPT_FIGURE_FONT,
    CLI_OWN, /* A command counts options of its own from here. */
    CLI_MAX_OPTIONS = CLI_OWN + 24,
};

/* The text of a number that a macro stands for, for defaults and help. */
#define CLI_TEXT_OF(number)   CLI_TEXT_OF_1(number)
#define CLI_TEXT_OF_1(number) #number

#define CLI_MAX_GROUPS 12
#define CLI_MAX_LIST   64

/* Groups of options, each ended by one without a name. */
extern const struct cli_option cli_file_options[];   /* --output FILE */
extern const struct cli_option cli_folder_options[]; /* --output DIR */
extern const struct cli_option cli_live_options[];   /* --timeout */
/* --port-names, --host-port-names */
extern const struct cli_option cli_port_options[];
extern const struct cli_option cli_guid_options[];   /* --guids */
extern const struct cli_option cli_node_options[];   /* How nodes compare. */
extern const struct cli_option cli_scheme_options[]; /* Layers. */
extern const struct cli_option cli_lane_options[];   /* Virtual lanes. */
extern const struct cli_option cli_path_options[];   /* What paths are like. */
extern const struct cli_option cli_work_options[];   /* For making them. */
extern const struct cli_option cli_thread_options[];
extern const struct cli_option cli_share_options[];    /* --share, --alone */
extern const struct cli_option cli_progress_options[]; /* --progress */
extern const struct cli_option cli_figure_options[];   /* --figure... */

/* The words of a --format that has just these two. */
const char *cli_text_or_json(size_t i);

/* --format and --timeout; the words of the first and the default of the second
 * depend on the command. */
#define CLI_FORMAT(choices)                                                  \
    {                                                                        \
        .id = OPT_FORMAT, .name = "format", .letter = 'f',                   \
        .type = CLI_CHOICE, .argument = "FORMAT",                            \
        .help = "format of the output", .choice = (choices), .value = "text" \
    }
#define CLI_TIMEOUT(seconds)                                          \
    {                                                                 \
        .id = OPT_TIMEOUT, .name = "timeout", .letter = 't',          \
        .type = CLI_NUMBER, .argument = "SECONDS",                    \
        .help = "give up on a live fabric after this time", .min = 1, \
        .max = 86400, .value = (seconds)                              \
    }

/* The parts of a list. */
struct cli_list {
    char *text; /* The list with its commas replaced. */
    uint32_t n;
    const char *items[CLI_MAX_LIST];
    uint32_t numbers[CLI_MAX_LIST]; /* Of CLI_NUMBERS. */
};

/* An option on a command line. */
struct cli_value {
    const struct cli_option *option; /* NULL if the command has none such. */
    bool is_given;
    const char *text; /* As given, else the default; NULL if neither. */
    uint32_t number;  /* Of text, by type; 0 if there is none. */
    double real;
    uint64_t seed;
    struct cli_list *list; /* NULL if there is none. */
};

struct cli_command;

/* A command line whose options have been checked. */
struct cli_args {
    const struct cli_command *command;
    struct cli_value values[CLI_MAX_OPTIONS]; /* By 'id' of the option. */
    const char *const *words;                 /* What is not an option. */
    size_t n_words;
    char *line;      /* All of it, as one would type it; NULL if memory ran
                      * out. */
    bool wants_help; /* --help was met; nothing after it was read. */
};

/* Reads a command line, the words after the command.  On failure says what is
 * wrong and returns false.  The caller calls cli_args_clear() in any case. */
bool cli_args_read(const struct cli_command *command, int argc, char **argv,
                   struct cli_args *args);
void cli_args_clear(struct cli_args *args);

/* The name of an option, whether it was given, and its value or else its
 * default. */
const char *cli_name(const struct cli_args *args, int id);
bool cli_has(const struct cli_args *args, int id);
const char *cli_text(const struct cli_args *args, int id);
bool cli_is(const struct cli_args *args, int id, const char *text);
uint32_t cli_number(const struct cli_args *args, int id);
double cli_real(const struct cli_args *args, int id);
uint64_t cli_seed(const struct cli_args *args, int id);
const struct cli_list *cli_list(const struct cli_args *args, int id);

/* What the results of a command say made them. */
struct sf_origin cli_origin(const struct cli_args *args);

/* The options of a command in the order of its help, NULL after the last. */
const struct cli_option *cli_option_at(const struct cli_command *command,
                                       size_t i);

/* Whether an option has a short form.  A letter belongs to the first option of
 * a command that declares it. */
bool cli_option_has_letter(const struct cli_command *command,
                           const struct cli_option *option);

/* What an argument may be, "1 to 128" or "text, json", and what holds without
 * the option; "" if there is nothing to say. */
#define CLI_RANGE_SIZE 256
void cli_option_range(const struct cli_option *option,
                      char text[CLI_RANGE_SIZE]);
void cli_option_default(const struct cli_option *option,
                        char text[CLI_RANGE_SIZE]);

/* What several commands make of shared options.  How many path sets the
 * hosts of a switch get, SF_NONE for one each, 0 if that is not said; false,
 * having said why, if the options contradict each other. */
bool cli_path_sets(const struct cli_args *args, uint32_t *n_setsp);

/* Which lanes schemes are to have, and none if 'is_without'; false, having
 * said why, if lanes are asked for as well. */
bool cli_read_lanes(const struct cli_args *args, bool is_without,
                    struct sf_routing_params *routing);

/* Replaces in 'names' the rules that --port-names and --host-port-names give;
 * false, having said why, if one is wrong. */
bool cli_port_names(const struct cli_args *args,
                    struct sf_port_names names[SF_N_NODE_KINDS]);

/* Sets '*figurep', unless 'figurep' is NULL, to what --figure and what belongs
 * to it say, with 'format' SF_N_FIGURE_FORMATS if figures are for screens;
 * false, having said why, if that contradicts itself or cannot be drawn. */
bool cli_read_figure(const struct cli_args *args, struct sf_figure *figurep);

/* What --guarantee says. */
enum sf_guarantee cli_guarantee(const struct cli_args *args);

/* How many threads to use: --threads, or one for each core. */
uint32_t cli_threads(const struct cli_args *args);

/* Reads the options that say how nodes are recognized and compared; on failure
 * says so and returns false.  The caller frees '*mapp'. */
bool cli_verify_params(const struct cli_args *args,
                       struct sf_verify_params *params,
                       struct sf_guid_map **mapp);

#endif
