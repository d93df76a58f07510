/* parts.h -- what the files of this folder share.
 *
 *     collect.c       finds results and figures in folders
 *     result_kinds.c  the table of kinds
 *     results_page.c  the page: summary, contents, a section for each result
 *     sentences.c     sentences of the summary
 *     values.c        members of JSON, and how they are written
 *     json_tables.c   tables of them
 *     svg_figure.c    SVG files as parts of the page
 *     the others      one kind each, or those that are alike */
#ifndef SF_REPORT_RESULTS_PARTS_H
#define SF_REPORT_RESULTS_PARTS_H

#include "base/json_reader.h"
#include "base/mem.h"
#include "slimfly/plan.h"
#include "slimfly/results.h"

/* The parts of the summary, in its order. */
enum results_topic {
    RESULTS_PLANNED,
    RESULTS_WRONG,
    RESULTS_CARRIES,
    RESULTS_COMPARED,
    RESULTS_N_TOPICS,
};

enum results_mood {
    RESULTS_FACT,
    RESULTS_GOOD,
    RESULTS_BAD
};

/* How a number is written.  Texts and truths are written as they are. */
enum results_unit {
    RESULTS_PLAIN, /* Four significant digits. */
    RESULTS_COUNT,
    RESULTS_LABEL,   /* A whole number that counts nothing: a line, a seed. */
    RESULTS_PERCENT, /* A part of 1. */
    RESULTS_SIGNED,  /* The same with a sign. */
    RESULTS_SECONDS,
    RESULTS_BYTES,
    RESULTS_MIXED, /* As RESULTS_PLAIN, in a column whose rows differ in their
                    * units: texts stand where numbers do. */
};

struct results_column {
    const char *title;
    const char *member; /* "rate.mean"; of an inner row, or of the row that it
                         * is in. */
    enum results_unit unit;
    bool is_setting;  /* Said once above the table if all rows share it. */
    const char *hint; /* What it means; NULL: the title says it. */
};

/* A column that speaks for itself; one that may be the same in all rows. */
#define RESULTS_COLUMN(title, member, unit)    \
    {                                          \
        (title), (member), (unit), false, NULL \
    }
#define RESULTS_SETTING(title, member, unit)  \
    {                                         \
        (title), (member), (unit), true, NULL \
    }

struct results_table {
    const char *title;
    const char *rows;  /* The member with the rows: an array. */
    const char *inner; /* The member of a row with more rows; NULL: none. */
    const char *file;  /* Where all rows are, too; NULL: in the JSON file. */
    const struct results_column *columns; /* Ended by one without a title. */
    bool is_silent; /* Nothing is said where it has no rows. */
};

/* A file that is too large or too dull for a page. */
struct results_file {
    const char *name, *what;
};

struct result;
struct results_page;

/* A kind of result.  A new kind is an entry of sf_results_kinds[]; where facts
 * and tables are not enough, it has functions. */
struct results_kind {
    struct sf_result_kind about;
    const char *subject;        /* The member that says of what; NULL: none. */
    const char *const *figures; /* Patterns of names in the folder, in the
                                 * order of the page, ended by NULL; NULL:
                                 * none.  Figures that nobody claims are shown
                                 * with the first result. */
    size_t max_figures;         /* More are left out; 0: none. */
    bool has_figures_first;     /* Before the tables, which are long. */
    const char *absorbs;        /* The schema of a result in the same folder
                                 * that only says more of the same; NULL: none.*/
    const struct results_column *facts; /* Single members; NULL: none. */
    const struct results_table *tables; /* Ended by one without a title; */
    const struct results_file *files;   /* ended by one without a name. */

    /* Say what a manager wants to know; write what tables cannot.  NULL:
     * nothing.  Errors are those of page->reader. */
    void (*tell)(struct results_page *page, const struct result *result);
    void (*show)(struct results_page *page, const struct result *result);
};

extern const struct results_kind sf_results_kinds[]; /* Ended by one without a
                                                      * schema. */

struct results_figure {
    char *path;
    size_t pattern; /* Of those of its kind; SIZE_MAX: of none. */
    bool is_stray;  /* It only lies in the folder of the result, which may not
                     * have to do with it. */
};

struct result {
    const struct results_kind *kind;
    char *path;   /* Of the JSON file. */
    char *folder; /* It was found in; NULL: the file alone was given. */
    json_t *root;
    struct sf_plan *plan; /* Of a plan; else NULL. */
    SF_VEC(struct results_figure) figures;
};

struct sf_results {
    SF_VEC(struct result *) list;
};

struct results_sentence {
    enum results_topic topic;
    enum results_mood mood;
    uint32_t result; /* Its number on the page. */
    char *text;
};

/* A page on its way. */
struct results_page {
    FILE *stream;
    struct sf_json_reader reader;  /* Its path is that of 'result'. */
    const struct result **results; /* [n_results] In the order of the page. */
    uint32_t n_results, number;    /* Which result it is about. */
    SF_VEC(struct results_sentence) sentences;
    SF_VEC(char *) styles; /* Style sheets of figures so far. */
    uint32_t n_figures;
};

bool sf_results_fine(const struct results_page *page);

/* Adds a sentence to the summary. */
void sf_results_say(struct results_page *page, enum results_topic topic,
                    enum results_mood mood, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Writes the sentences of a topic as a list, after their heading. */
void sf_results_write_topic(const struct results_page *page,
                            enum results_topic topic, const char *heading);

/* The member of 'object' at 'path' ("rate.mean"); NULL if it is missing. */
const json_t *sf_results_find(const json_t *object, const char *path);

/* The same as a number, NAN if it is none; as a text, 'otherwise' if it is
 * none; as a truth. */
double sf_results_number(const json_t *object, const char *path);
const char *sf_results_text(const json_t *object, const char *path,
                            const char *otherwise);
bool sf_results_truth(const json_t *object, const char *path);

/* A whole number that must be there; the reader refuses anything else. */
uint64_t sf_results_whole(struct results_page *page, const json_t *object,
                          const char *path);

/* An array of objects that must be there; NULL if it is not. */
const json_t *sf_results_array(struct results_page *page, const json_t *object,
                               const char *path);

/* Writes 'value' as people read it; "" for what is not finite. */
#define RESULTS_VALUE_SIZE 64
const char *sf_results_format(double value, enum results_unit unit,
                              char text[RESULTS_VALUE_SIZE]);

/* Escaped text between two that are written as they are. */
void sf_results_write(FILE *stream, const char *before, const char *text,
                      const char *after);

/* Writes what a result is called; one without a subject goes by its file if
 * the name must tell it from others. */
void sf_results_write_name(const struct result *result, bool is_unique,
                           FILE *stream);

/* Writes what made what follows: file, program, command; 'root' has the
 * latter, NULL stands for unknown ones. */
void sf_results_write_origin(const json_t *root, const char *path,
                             FILE *stream);

/* Writes facts, and a table. */
void sf_results_write_facts(struct results_page *page, const json_t *root,
                            const struct results_column *facts);
void sf_results_write_table(struct results_page *page, const json_t *root,
                            const struct results_table *table);

/* Writes a figure of the result at hand, or the text of one.  Its style sheet
 * holds for it alone, and its ids are its own. */
void sf_results_write_figure(struct results_page *page,
                             const struct results_figure *figure);
enum sf_status sf_results_write_svg(struct results_page *page,
                                    const char *path, const char *text,
                                    size_t length);

/* The kinds. */
void sf_results_tell_plan(struct results_page *page,
                          const struct result *result);
void sf_results_show_plan(struct results_page *page,
                          const struct result *result);
void sf_results_tell_design(struct results_page *page,
                            const struct result *result);
void sf_results_tell_topology(struct results_page *page,
                              const struct result *result);
void sf_results_tell_verification(struct results_page *page,
                                  const struct result *result);
void sf_results_tell_route(struct results_page *page,
                           const struct result *result);
void sf_results_tell_audit(struct results_page *page,
                           const struct result *result);
void sf_results_tell_change(struct results_page *page,
                            const struct result *result);
void sf_results_show_deadlock(struct results_page *page,
                              const struct result *result);
void sf_results_tell_analysis(struct results_page *page,
                              const struct result *result);
void sf_results_tell_simulation(struct results_page *page,
                                const struct result *result);
void sf_results_tell_evaluation(struct results_page *page,
                                const struct result *result);
void sf_results_tell_comparison(struct results_page *page,
                                const struct result *result);
void sf_results_show_comparison(struct results_page *page,
                                const struct result *result);

#endif
