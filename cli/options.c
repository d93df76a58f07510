/* options.c -- reads the options of a command line as they are declared. */
#define _GNU_SOURCE
#include "cli.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct cli_option *
cli_option_at(const struct cli_command *command, size_t i)
{
    for (size_t g = 0; g < CLI_MAX_GROUPS && command->options[g]; g++) {
        for (const struct cli_option *option = command->options[g];
             option->name; option++) {
            if (i-- == 0) {
                return option;
            }
        }
    }
    return NULL;
}

bool
cli_option_has_letter(const struct cli_command *command,
                      const struct cli_option *option)
{
    const struct cli_option *first;
    size_t i = 0;

    while ((first = cli_option_at(command, i)) &&
           first->letter != option->letter) {
        i++;
    }
    return option->letter && first == option;
}

/* The option of 'command' that 'word', which starts with a dash, means; NULL
 * if there is none.  '*valuep' becomes the argument that 'word' brings along,
 * or NULL. */
static const struct cli_option *
find_option(const struct cli_command *command, const char *word,
            const char **valuep)
{
    bool is_long = word[1] == '-';
    const char *name = word + 2;
    size_t length = strcspn(name, "=");
    const struct cli_option *option;

    for (size_t i = 0; (option = cli_option_at(command, i)); i++) {
        if (is_long ? strlen(option->name) == length &&
                          !strncmp(option->name, name, length)
                    : option->letter == word[1]) {
            break;
        }
    }
    if (is_long) {
        *valuep = name[length] ? name + length + 1 : NULL;
    } else {
        *valuep = word[2] ? word + 2 : NULL;
    }
    return option;
}

void
cli_option_range(const struct cli_option *option, char text[CLI_RANGE_SIZE])
{
    size_t used = 0;

    text[0] = '\0';
    if (option->type == CLI_NUMBER || option->type == CLI_NUMBERS) {
        snprintf(text, CLI_RANGE_SIZE, "%.0f to %.0f", option->min,
                 option->max);
    } else if (option->type == CLI_REAL) {
        snprintf(text, CLI_RANGE_SIZE, "%g to %g", option->min, option->max);
    }
    for (size_t i = 0; option->choice && option->choice(i); i++) {
        if (used < CLI_RANGE_SIZE) {
            used += (size_t)snprintf(text + used, CLI_RANGE_SIZE - used,
                                     "%s%s", i ? ", " : "", option->choice(i));
        }
    }
}

void
cli_option_default(const struct cli_option *option, char text[CLI_RANGE_SIZE])
{
    const char *words = option->otherwise ? option->otherwise : option->value;

    if (option->number_at) {
        snprintf(text, CLI_RANGE_SIZE, "%u", *option->number_at);
    } else if (option->real_at) {
        snprintf(text, CLI_RANGE_SIZE, "%g", *option->real_at);
    } else {
        snprintf(text, CLI_RANGE_SIZE, "%s", words ? words : "");
    }
}

/* Says that 'text' is not what 'option' takes; returns false. */
static bool
refuse(const struct cli_command *command, const struct cli_option *option,
       const char *text)
{
    static const char *const expected[] = {
        [CLI_NUMBER] = "a whole number from ",
        [CLI_REAL] = "a number from ",
        [CLI_SEED] = "a whole number below 2^63",
        [CLI_CHOICE] = "one of ",
        [CLI_SPEC] = "one of ",
        [CLI_NUMBERS] = "whole numbers from ",
        [CLI_WORDS] = "one of ",
    };
    char range[CLI_RANGE_SIZE];

    cli_option_range(option, range);
    cli_fail("%s: --%s '%s': expected %s%s%s", command->name, option->name,
             text, expected[option->type], range,
             option->type == CLI_NUMBERS ? ", separated by commas" : "");
    return false;
}

/* strtoul() would take "-1", "+1" and " 1" as well. */
static bool
starts_with_digit(const char *text)
{
    return text[0] >= '0' && text[0] <= '9';
}

static bool
read_number(const struct cli_option *option, const char *text,
            uint32_t *numberp)
{
    char *end;
    unsigned long number = strtoul(text, &end, 10);

    *numberp = (uint32_t)number;
    return starts_with_digit(text) && !*end && (double)number >= option->min &&
           (double)number <= option->max;
}

static bool
read_real(const struct cli_option *option, const char *text, double *realp)
{
    char *end;

    *realp = strtod(text, &end);
    return end != text && !*end && *realp >= option->min &&
           *realp <= option->max;
}

static bool
read_seed(const char *text, uint64_t *seedp)
{
    char *end;

    errno = 0;
    *seedp = strtoull(text, &end, 10);
    return starts_with_digit(text) && !*end && errno != ERANGE &&
           *seedp <= INT64_MAX;
}

/* Whether 'text', or the name before its settings, is one of the words. */
static bool
is_choice(const struct cli_option *option, const char *text)
{
    size_t length =
        option->type == CLI_SPEC ? strcspn(text, ":") : strlen(text);

    for (size_t i = 0; option->choice(i); i++) {
        if (strlen(option->choice(i)) == length &&
            !strncmp(option->choice(i), text, length)) {
            return true;
        }
    }
    return false;
}

/* Where the first item of 'list' ends: at a comma, or NULL at the end.  A
 * setting KEY=VALUE goes on with the spec before it, so that
 * "adversarial:load=0.5,ratio=10,permutation" has two items. */
static char *
find_comma(char *list, enum cli_type type)
{
    char *comma = strchr(list, ',');

    while (comma && type == CLI_SPECS && strchr(list, ':') &&
           comma[1 + strcspn(comma + 1, ",:=")] == '=') {
        comma = strchr(comma + 1, ',');
    }
    return comma;
}

/* Adds an item to a list; false, having said why, if it is no good. */
static bool
add_item(const struct cli_command *command, const struct cli_option *option,
         const char *item, struct cli_list *list)
{
    if (list->n == CLI_MAX_LIST) {
        cli_fail("%s: --%s: expected at most %d words", command->name,
                 option->name, CLI_MAX_LIST);
        return false;
    }
    if (!*item) {
        cli_fail("%s: --%s: expected words separated by commas, found an "
                 "empty one",
                 command->name, option->name);
        return false;
    }
    if ((option->type == CLI_NUMBERS &&
         !read_number(option, item, &list->numbers[list->n])) ||
        (option->type == CLI_WORDS && !is_choice(option, item))) {
        return refuse(command, option, item);
    }
    list->items[list->n++] = item;
    return true;
}

static bool
read_list(const struct cli_command *command, const struct cli_option *option,
          const char *text, struct cli_list **listp)
{
    struct cli_list *list = calloc(1, sizeof *list);

    *listp = list;
    if (!list || !(list->text = strdup(text))) {
        cli_fail("out of memory");
        return false;
    }
    for (char *item = list->text; item;) {
        char *comma = find_comma(item, option->type);
        if (comma) {
            *comma = '\0';
        }
        if (!add_item(command, option, item, list)) {
            return false;
        }
        item = comma ? comma + 1 : NULL;
    }
    return true;
}

/* Reads an argument by the type of the option; false, having said why, if it
 * is wrong. */
static bool
read_value(const struct cli_command *command, const char *text,
           struct cli_value *value)
{
    const struct cli_option *option = value->option;
    bool is_fine = true;

    value->text = text;
    switch (option->type) {
    case CLI_NUMBER:
        is_fine = read_number(option, text, &value->number);
        break;
    case CLI_REAL:
        is_fine = read_real(option, text, &value->real);
        break;
    case CLI_SEED:
        is_fine = read_seed(text, &value->seed);
        break;
    case CLI_CHOICE:
    case CLI_SPEC:
        is_fine = is_choice(option, text);
        break;
    case CLI_NUMBERS:
    case CLI_WORDS:
    case CLI_SPECS:
        return read_list(command, option, text, &value->list);
    case CLI_FLAG:
    case CLI_TEXT:
    case CLI_FILE:
    case CLI_FOLDER:
        break;
    }
    return is_fine || refuse(command, option, text);
}

/* Reads the option at argv[*ip], which starts with a dash, and its argument
 * if that is the next word. */
static bool
read_option(const struct cli_command *command, int argc, char **argv, int *ip,
            struct cli_args *args)
{
    const char *text;
    const struct cli_option *option = find_option(command, argv[*ip], &text);

    if (!option) {
        cli_fail("%s: unknown option '%s'; see 'slimfly help %s'",
                 command->name, argv[*ip], command->name);
        return false;
    }
    struct cli_value *value = &args->values[option->id];
    bool takes_argument = option->type != CLI_FLAG;
    if (takes_argument && !text && *ip + 1 < argc) {
        text = argv[++*ip];
    }
    if (takes_argument && !text) {
        cli_fail("%s: --%s needs an argument, %s", command->name, option->name,
                 option->argument);
    } else if (!takes_argument && text) {
        cli_fail("%s: --%s takes no argument", command->name, option->name);
    } else if (value->is_given) {
        cli_fail("%s: --%s is given twice", command->name, option->name);
    } else {
        value->is_given = true;
        return !text || read_value(command, text, value);
    }
    return false;
}

/* Gives the options that were not given their defaults. */
static bool
read_defaults(const struct cli_command *command, struct cli_args *args)
{
    bool is_fine = true;

    for (int i = 0; is_fine && i < CLI_MAX_OPTIONS; i++) {
        struct cli_value *value = &args->values[i];
        if (!value->option || value->is_given) {
            continue;
        }
        if (value->option->number_at) {
            value->number = *value->option->number_at;
        } else if (value->option->real_at) {
            value->real = *value->option->real_at;
        } else if (value->option->value) {
            is_fine = read_value(command, value->option->value, value);
        }
    }
    return is_fine;
}

struct sf_origin
cli_origin(const struct cli_args *args)
{
    return (struct sf_origin){ "slimfly " SF_VERSION, args->line };
}

/* The command line as one would type it. */
static char *
write_line(const struct cli_command *command, int argc, char **argv)
{
    static const char *const plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
        "-_=+:,./@%";
    char *line = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&line, &size);

    if (!stream) {
        return NULL;
    }
    fprintf(stream, "slimfly %s", command->name);
    for (int i = 0; i < argc; i++) {
        bool is_plain = *argv[i] && !argv[i][strspn(argv[i], plain)];
        fputs(is_plain ? " " : " '", stream);
        for (const char *at = argv[i]; *at; at++) {
            if (*at == '\'') {
                fputs("'\\''", stream);
            } else {
                fputc(*at, stream);
            }
        }
        fputs(is_plain ? "" : "'", stream);
    }
    return fclose(stream) == 0 ? line : NULL;
}

bool
cli_args_read(const struct cli_command *command, int argc, char **argv,
              struct cli_args *args)
{
    const struct cli_option *option;
    bool has_more_options = true;

    *args = (struct cli_args){ .command = command,
                               .words = (const char *const *)argv,
                               .line = write_line(command, argc, argv) };
    for (size_t i = 0; (option = cli_option_at(command, i)); i++) {
        args->values[option->id].option = option;
    }
    for (int i = 0; i < argc; i++) {
        if (has_more_options && !strcmp(argv[i], "--")) {
            has_more_options = false;
        } else if (has_more_options &&
                   (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))) {
            args->wants_help = true;
            return true;
        } else if (has_more_options && argv[i][0] == '-' && argv[i][1]) {
            if (!read_option(command, argc, argv, &i, args)) {
                return false;
            }
        } else {
            argv[args->n_words++] = argv[i]; /* Over words already read. */
        }
    }
    return read_defaults(command, args);
}

void
cli_args_clear(struct cli_args *args)
{
    for (int i = 0; i < CLI_MAX_OPTIONS; i++) {
        if (args->values[i].list) {
            free(args->values[i].list->text);
            free(args->values[i].list);
        }
    }
    free(args->line);
}

/* The value of an option that the command must have declared. */
static const struct cli_value *
value_of(const struct cli_args *args, int id)
{
    assert(args->values[id].option);
    return &args->values[id];
}

const char *
cli_name(const struct cli_args *args, int id)
{
    return value_of(args, id)->option->name;
}

bool
cli_has(const struct cli_args *args, int id)
{
    return value_of(args, id)->is_given;
}

const char *
cli_text(const struct cli_args *args, int id)
{
    return value_of(args, id)->text;
}

bool
cli_is(const struct cli_args *args, int id, const char *text)
{
    const char *value = cli_text(args, id);
    return value && !strcmp(value, text);
}

uint32_t
cli_number(const struct cli_args *args, int id)
{
    assert(value_of(args, id)->option->type == CLI_NUMBER);
    return args->values[id].number;
}

double
cli_real(const struct cli_args *args, int id)
{
    assert(value_of(args, id)->option->type == CLI_REAL);
    return args->values[id].real;
}

uint64_t
cli_seed(const struct cli_args *args, int id)
{
    assert(value_of(args, id)->option->type == CLI_SEED);
    return args->values[id].seed;
}

const struct cli_list *
cli_list(const struct cli_args *args, int id)
{
    return value_of(args, id)->list;
}
