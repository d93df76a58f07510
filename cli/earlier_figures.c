/* earlier_figures.c -- see earlier_figures.h.
 *
 * Commands may share a folder, and names of figures and of JSON files: so each
 * JSON file is asked which command made it. */
#define _GNU_SOURCE
#include "earlier_figures.h"

#include <stdlib.h>
#include <string.h>

#define FIGURE_ENDING ".svg"
#define DATA_ENDING   ".csv"
#define JSON_ENDING   ".json"

/* The results that take the place of others. */
struct at_hand {
    const struct cli_results *results;
    const char *command, *folder;
    bool is_told_again; /* They are those that they take the place of. */
};

/* A file that a command writes. */
struct file {
    const char *name;   /* NULL behind the last. */
    const char *format; /* "json": it has the name of the command. */
};

static struct file
survey_file(size_t i)
{
    return (struct file){ sf_survey_files[i].name, sf_survey_files[i].format };
}

static struct file
simulation_file(size_t i)
{
    return (struct file){ sf_simulation_files[i].name,
                          sf_simulation_files[i].format };
}

static struct file
comparison_file(size_t i)
{
    return (struct file){ sf_comparison_files[i].name,
                          sf_comparison_files[i].format };
}

static struct file
evaluation_file(size_t i)
{
    return (struct file){ sf_evaluation_files[i].name,
                          sf_evaluation_files[i].format };
}

/* The files of all commands that draw figures of results. */
static struct file (*const tables[])(size_t i) = {
    survey_file,
    simulation_file,
    comparison_file,
    evaluation_file,
};

size_t
cli_figure_stem(const char *name)
{
    size_t n = strlen(name), ending = strlen(FIGURE_ENDING);

    return n > ending && !strcmp(name + n - ending, FIGURE_ENDING) ? n - ending
                                                                   : 0;
}

/* Whether the value of a line of JSON, "slimfly COMMAND ...", is a call of
 * 'command'. */
static bool
begins_with_call(const char *value, const char *command)
{
    static const char program[] = "\"slimfly ";
    size_t length = strlen(command);

    if (strncmp(value, program, strlen(program)) != 0) {
        return false;
    }
    value += strlen(program);
    return !strncmp(value, command, length) &&
           (value[length] == ' ' || value[length] == '"');
}

/* The same; 'compare' and 'design' both make comparisons. */
static bool
calls(const char *value, const char *command)
{
    static const char *const both[] = { "compare", "design" };
    bool is_call = begins_with_call(value, command);

    for (size_t i = 0; !is_call && i < 2; i++) {
        is_call =
            !strcmp(command, both[i]) && begins_with_call(value, both[1 - i]);
    }
    return is_call;
}

enum maker {
    NOBODY,
    THIS_COMMAND,
    SOMEBODY_ELSE
};

/* Who made a JSON file of the folder.  The command is a member of the whole,
 * as the schema is, which comes first. */
static enum maker
find_maker(const struct at_hand *at_hand, const char *name)
{
    static const char schema[] = "\"schema\": ", command[] = "\"command\": ";
    char *path = cli_find_in_folder(at_hand->folder, name), *line = NULL;
    FILE *stream = path ? fopen(path, "r") : NULL;
    enum maker maker = path ? SOMEBODY_ELSE : NOBODY;
    size_t size = 0, indent = 0;
    bool is_found = false;

    while (stream && !is_found && getline(&line, &size, stream) >= 0) {
        size_t n = strspn(line, " ");
        if (!indent && !strncmp(line + n, schema, strlen(schema))) {
            indent = n;
        }
        is_found = indent && n == indent &&
                   !strncmp(line + n, command, strlen(command));
        if (is_found && calls(line + n + strlen(command), at_hand->command)) {
            maker = THIS_COMMAND;
        }
    }
    if (stream) {
        fclose(stream);
    }
    free(line);
    free(path);
    return maker;
}

/* Whether a figure may be that of another command, whose results are there. */
static bool
is_somebody_elses(const struct at_hand *at_hand, const char *figure)
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        const char *json = NULL;
        bool has_figure = false;
        for (size_t k = 0; tables[i](k).name; k++) {
            struct file file = tables[i](k);
            if (file.format && !strcmp(file.format, "json")) {
                json = file.name;
            }
            has_figure = has_figure || !strcmp(file.name, figure);
        }
        if (has_figure && json && find_maker(at_hand, json) == SOMEBODY_ELSE) {
            return true;
        }
    }
    return false;
}

/* The next line of 'stream' that is not the member "command"; false at the
 * end. */
static bool
read_line(FILE *stream, char **linep, size_t *sizep)
{
    static const char command[] = "\"command\": ";

    while (getline(linep, sizep, stream) >= 0) {
        if (strncmp(*linep + strspn(*linep, " "), command, strlen(command)) !=
            0) {
            return true;
        }
    }
    return false;
}

/* Whether two JSON files say the same, whatever commands made them. */
static bool
say_the_same(FILE *one, FILE *other)
{
    char *lines[2] = { NULL, NULL };
    size_t sizes[2] = { 0, 0 };
    bool is_same = true, is_end = false;

    while (is_same && !is_end) {
        bool has_one = read_line(one, &lines[0], &sizes[0]);
        bool has_other = read_line(other, &lines[1], &sizes[1]);
        is_end = !has_one && !has_other;
        is_same =
            is_end || (has_one && has_other && !strcmp(lines[0], lines[1]));
    }
    free(lines[0]);
    free(lines[1]);
    return is_same;
}

/* Whether the results at hand are those that the JSON file of the folder has:
 * figures of these in another form are as good as new. */
static bool
is_told_again(const struct at_hand *at_hand, const char *name)
{
    char *path = cli_find_in_folder(at_hand->folder, name);
    FILE *earlier = path ? fopen(path, "r") : NULL;
    FILE *now = path ? cli_open_waiting(path) : NULL;
    bool is_same = earlier && now && say_the_same(earlier, now);

    if (earlier) {
        fclose(earlier);
    }
    if (now) {
        fclose(now);
    }
    free(path);
    return is_same;
}

/* Whether the folder has a figure whose name without its ending is the first
 * 'length' bytes of 'name'. */
static bool
is_drawn(const char *folder, const char *name, size_t length)
{
    static const char *const endings[] = { ".svg", ".pdf" };
    bool is_there = false;

    for (size_t i = 0; !is_there && i < 2; i++) {
        char *file = NULL, *path = NULL;
        if (asprintf(&file, "%.*s%s", (int)length, name, endings[i]) >= 0) {
            path = cli_find_in_folder(folder, file);
            is_there = path != NULL;
            free(path);
            free(file);
        }
    }
    return is_there;
}

/* Whether a file has the points of a figure. */
static bool
has_points(const char *folder, const char *name)
{
    static const char first[] = "panel,";
    char *path = cli_find_in_folder(folder, name), text[sizeof first] = "";
    FILE *stream = path ? fopen(path, "r") : NULL;
    bool is_such =
        stream && fgets(text, sizeof text, stream) && !strcmp(text, first);

    if (stream) {
        fclose(stream);
    }
    free(path);
    return is_such;
}

/* Whether the file 'name' is the figure 'figure' in some form, or has its
 * points. */
static bool
is_form_of(const char *folder, const char *name, const char *figure)
{
    size_t length = cli_figure_stem(figure);
    const char *ending = name + length;

    return length && !strncmp(name, figure, length) &&
           (!strcmp(ending, FIGURE_ENDING) || !strcmp(ending, ".pdf") ||
            (!strcmp(ending, DATA_ENDING) && is_drawn(folder, name, length) &&
             has_points(folder, name)));
}

/* Whether a file that is no figure, and that the results at hand do not have,
 * was made by this command. */
static bool
is_ours(const struct at_hand *at_hand, const char *name)
{
    size_t n = strlen(name), ending = strlen(JSON_ENDING);

    return n > ending && !strcmp(name + n - ending, JSON_ENDING)
               ? find_maker(at_hand, name) == THIS_COMMAND
               : !is_somebody_elses(at_hand, name);
}

/* Whether a file is one that the command writes of some results, and not of
 * those at hand: files of these wait to take its place and are not asked
 * about.  A figure in another form shows earlier results, too, unless they
 * were the same. */
static bool
is_to_go(void *aux, const char *name)
{
    const struct at_hand *at_hand = aux;
    const struct cli_results *results = at_hand->results;

    for (size_t i = 0; results->name(i); i++) {
        const char *file = results->name(i);
        bool has = results->has(results->of, i);
        if (is_form_of(at_hand->folder, name, file)) {
            return !(has && at_hand->is_told_again) &&
                   !is_somebody_elses(at_hand, file);
        }
        if (!has && !cli_figure_stem(file) && !strcmp(name, file)) {
            return is_ours(at_hand, file);
        }
    }
    return false;
}

int
cli_remove_earlier_figures(const char *command,
                           const struct cli_results *results,
                           const char *folder)
{
    struct at_hand at_hand = { results, command, folder, false };
    bool is_replaced = false;

    for (size_t i = 0; results->name(i); i++) {
        const char *format = results->format(i), *name = results->name(i);
        if (format && !strcmp(format, "json") &&
            find_maker(&at_hand, name) == THIS_COMMAND) {
            is_replaced = true;
            at_hand.is_told_again = is_told_again(&at_hand, name);
        }
    }
    return is_replaced ? cli_remove_others(folder, is_to_go, &at_hand)
                       : CLI_FINE;
}
