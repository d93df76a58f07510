/* main.c -- finds the command, reads its options, runs it. */
#include "cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

extern const struct cli_command cli_command_topology, cli_command_design,
    cli_command_plan, cli_command_verify, cli_command_watch, cli_command_route,
    cli_command_audit, cli_command_analyze, cli_command_settings,
    cli_command_help;

const struct cli_command *const cli_commands[] = {
    &cli_command_topology,
    &cli_command_design,
    &cli_command_plan,
    &cli_command_verify,
    &cli_command_watch,
    &cli_command_route,
    &cli_command_audit,
    &cli_command_analyze,
    &cli_command_settings,
    &cli_command_help,
    NULL,
};

int
cli_fail(const char *format, ...)
{
    va_list args;

    fputs("slimfly: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return CLI_ERROR;
}

const struct cli_command *
cli_find_command(const char *name)
{
    for (size_t i = 0; cli_commands[i]; i++) {
        if (!strcmp(cli_commands[i]->name, name)) {
            return cli_commands[i];
        }
    }
    return NULL;
}

/* The number of 'command's option that 'name' or 'letter' means; -1 if none.
 */
static int
find_option(const struct cli_command *command, const char *name, size_t length,
            char letter)
{
    for (int i = 0; i < CLI_MAX_OPTIONS && command->options[i].name; i++) {
        const struct cli_option *option = &command->options[i];
        bool is_named = name && strlen(option->name) == length &&
                        !strncmp(option->name, name, length);
        if (is_named || (letter && option->letter == letter)) {
            return i;
        }
    }
    return -1;
}

static int
check_choice(const struct cli_command *command,
             const struct cli_option *option, const char *value)
{
    char choices[256] = "";
    size_t used = 0;

    if (!option->choice) {
        return CLI_FINE;
    }
    size_t length = option->is_spec ? strcspn(value, ":") : strlen(value);
    for (size_t i = 0; option->choice(i); i++) {
        if (strlen(option->choice(i)) == length &&
            !strncmp(option->choice(i), value, length)) {
            return CLI_FINE;
        }
        if (used < sizeof choices) {
            used += (size_t)snprintf(choices + used, sizeof choices - used,
                                     "%s%s", i ? ", " : "", option->choice(i));
        }
    }
    return cli_fail("%s: --%s '%s': expected one of %s", command->name,
                    option->name, value, choices);
}

/* Reads the option at argv[*ip], which starts with a dash, and its argument
 * if that is the next word. */
static int
parse_option(const struct cli_command *command, int argc, char **argv, int *ip,
             struct cli_args *args)
{
    const char *word = argv[*ip];
    bool is_long = word[1] == '-';
    const char *name = word + 2;
    const char *equals = is_long ? strchr(name, '=') : NULL;
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    const char *value = equals ? equals + 1 : NULL;

    int index = is_long ? find_option(command, name, length, 0)
                        : find_option(command, NULL, 0, word[1]);
    if (index < 0) {
        return cli_fail("%s: unknown option '%s'; see 'slimfly help %s'",
                        command->name, word, command->name);
    }
    const struct cli_option *option = &command->options[index];
    if (!is_long && word[2]) {
        value = word + 2;
    }
    if (!option->argument && value) {
        return cli_fail("%s: --%s takes no argument", command->name,
                        option->name);
    }
    if (option->argument && !value) {
        if (*ip + 1 >= argc) {
            return cli_fail("%s: --%s needs an argument, %s", command->name,
                            option->name, option->argument);
        }
        value = argv[++*ip];
    }
    if (args->values[index]) {
        return cli_fail("%s: --%s is given twice", command->name,
                        option->name);
    }
    args->values[index] = value ? value : "";
    return value ? check_choice(command, option, value) : CLI_FINE;
}

static int
run_command(const struct cli_command *command, int argc, char **argv)
{
    struct cli_args args = { .command = command };
    size_t n_words = 0;
    bool has_more_options = true;

    for (int i = 0; i < argc; i++) {
        if (has_more_options && !strcmp(argv[i], "--")) {
            has_more_options = false;
        } else if (has_more_options &&
                   (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))) {
            cli_help_text(command, stdout);
            return CLI_FINE;
        } else if (has_more_options && argv[i][0] == '-' && argv[i][1]) {
            int code = parse_option(command, argc, argv, &i, &args);
            if (code != CLI_FINE) {
                return code;
            }
        } else {
            argv[n_words++] = argv[i]; /* Over words already read. */
        }
    }
    args.words = (const char *const *)argv;
    args.n_words = n_words;
    return command->run(&args);
}

bool
cli_number(const struct cli_args *args, int option, uint32_t min, uint32_t max,
           uint32_t *numberp)
{
    const char *text = args->values[option];
    char *end;

    if (!text) {
        return true;
    }
    unsigned long number = strtoul(text, &end, 10);
    /* strtoul() would take "-1" and "+1" as well. */
    if (text[0] < '0' || text[0] > '9' || *end || number < min ||
        number > max) {
        cli_fail("%s: --%s '%s': expected a whole number from %u to %u",
                 args->command->name, args->command->options[option].name,
                 text, min, max);
        return false;
    }
    *numberp = (uint32_t)number;
    return true;
}

bool
cli_real(const struct cli_args *args, int option, double min, double max,
         double *numberp)
{
    const char *text = args->values[option];
    char *end;

    if (!text) {
        return true;
    }
    double number = strtod(text, &end);
    if (end == text || *end || !(number >= min && number <= max)) {
        cli_fail("%s: --%s '%s': expected a number from %g to %g",
                 args->command->name, args->command->options[option].name,
                 text, min, max);
        return false;
    }
    *numberp = number;
    return true;
}

bool
cli_seed(const struct cli_args *args, int option, uint64_t *seedp)
{
    const char *text = args->values[option];
    char *end;

    if (!text) {
        return true;
    }
    errno = 0;
    uint64_t seed = strtoull(text, &end, 10);
    /* JSON takes no larger ones. */
    if (text[0] < '0' || text[0] > '9' || *end || errno == ERANGE ||
        seed > INT64_MAX) {
        cli_fail("%s: --%s '%s': expected a whole number below 2^63",
                 args->command->name, args->command->options[option].name,
                 text);
        return false;
    }
    *seedp = seed;
    return true;
}

bool
cli_path_sets(const struct cli_args *args, int number, int per_host,
              uint32_t *n_setsp)
{
    *n_setsp = args->values[per_host] ? SF_NONE : 0;
    if (args->values[per_host] && args->values[number]) {
        cli_fail("%s: expected --%s or --%s, found both", args->command->name,
                 args->command->options[number].name,
                 args->command->options[per_host].name);
        return false;
    }
    return cli_number(args, number, 1, SF_MAX_PORTS, n_setsp);
}

/* How many letters must be changed, added or left out to turn 'a' into
 * 'b'. */
static size_t
edit_distance(const char *a, const char *b)
{
    size_t row[32], length = strlen(b);

    if (length >= 32) {
        return length;
    }
    for (size_t j = 0; j <= length; j++) {
        row[j] = j;
    }
    for (size_t i = 0; a[i]; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 1; j <= length; j++) {
            size_t best = diagonal + (a[i] != b[j - 1]);
            best = row[j] + 1 < best ? row[j] + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[length];
}

static int
fail_unknown_command(const char *name)
{
    for (size_t i = 0; cli_commands[i]; i++) {
        if (edit_distance(name, cli_commands[i]->name) <= 2) {
            return cli_fail("unknown command '%s'; did you mean '%s'?", name,
                            cli_commands[i]->name);
        }
    }
    return cli_fail("unknown command '%s'; 'slimfly help' lists them", name);
}

int
main(int argc, char **argv)
{
    int code;

    if (argc < 2) {
        cli_help_text(NULL, stderr);
        return CLI_ERROR;
    }
    const char *name = argv[1];
    if (!strcmp(name, "--version") || !strcmp(name, "-V")) {
        puts("slimfly " SF_VERSION);
        code = CLI_FINE;
    } else if (!strcmp(name, "--help") || !strcmp(name, "-h")) {
        cli_help_text(NULL, stdout);
        code = CLI_FINE;
    } else if (name[0] == '-') {
        code = cli_fail("unknown option '%s'; expected a command, see "
                        "'slimfly help'",
                        name);
    } else {
        const struct cli_command *command = cli_find_command(name);
        code = command ? run_command(command, argc - 2, argv + 2)
                       : fail_unknown_command(name);
    }
    if (fflush(stdout) == EOF || ferror(stdout)) {
        return cli_fail("standard output could not be written");
    }
    return code;
}
