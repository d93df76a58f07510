/* help.c -- help, man pages and shell completion, all made from the table of
 * commands and the declarations of their options. */
#include "cli.h"

#include <ctype.h>
#include <string.h>

#define WRAP_AT   78
#define HELP_AT   27 /* Where the words about an option start. */
#define HELP_SIZE 1024

#define FIRST_GROUP ((enum cli_group)(CLI_NO_GROUP + 1))

static const char *const group_titles[CLI_N_GROUPS] = {
    [CLI_DESIGN] = "Design: what to build",
    [CLI_BUILD] = "Build: where everything goes, and is it wired so?",
    [CLI_RUN] = "Run: route it, watch over it, mend it",
    [CLI_STUDY] = "Study: measure, simulate, compare",
    [CLI_EVERYBODY] = "Everybody",
};

/* Writes 'text', whose paragraphs are separated by empty lines, in lines of
 * limited length.  The first starts at 'column', the others after 'indent'
 * spaces. */
static void
write_wrapped(const char *text, int indent, int column, FILE *stream)
{
    const char *space = ""; /* Before the next word of a line. */

    while (*text) {
        int length = (int)strcspn(text, " \n");
        bool is_full = *space && column + 1 + length > WRAP_AT;
        if (is_full || *text == '\n') {
            fprintf(stream, "%s\n%*s", is_full ? "" : "\n", indent, "");
            column = indent;
            space = "";
            text += strspn(text, "\n");
            continue;
        }
        column += fprintf(stream, "%s%.*s", space, length, text);
        space = " ";
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', stream);
}

/* "-f, --format FORMAT". */
static void
spell_option(const struct cli_command *command,
             const struct cli_option *option, char *text, size_t size)
{
    char letter[8] = "    ";
    if (cli_option_has_letter(command, option)) {
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    }
    snprintf(text, size, "%s--%s%s%s", letter, option->name,
             option->argument ? " " : "",
             option->argument ? option->argument : "");
}

/* What an option is, with its range and its default: "number of layers (1 to
 * 128; default: 4)". */
static void
explain_option(const struct cli_option *option, char text[HELP_SIZE])
{
    char range[CLI_RANGE_SIZE], value[CLI_RANGE_SIZE];

    cli_option_range(option, range);
    cli_option_default(option, value);
    const char *separator = *range && *value ? "; " : "";
    bool has_any = *range || *value;
    snprintf(text, HELP_SIZE, "%s%s%s%s%s%s%s", option->help,
             has_any ? " (" : "", range, separator, *value ? "default: " : "",
             value, has_any ? ")" : "");
}

/* Calls 'write' for each example: a command and what it does. */
static void
for_each_example(const struct cli_command *command,
                 void (*write)(const char *line, int length, const char *does,
                               int does_length, FILE *stream),
                 FILE *stream)
{
    const char *line = command->examples;
    while (line && *line) {
        int length = (int)strcspn(line, "\t");
        const char *does = line + length + 1;
        int does_length = (int)strcspn(does, "\n");
        write(line, length, does, does_length, stream);
        line = does + does_length + 1;
    }
}

static void
write_example_text(const char *line, int length, const char *does,
                   int does_length, FILE *stream)
{
    fprintf(stream, "  %.*s\n      %.*s\n", length, line, does_length, does);
}

/* Calls 'write' for the commands of a group, in the order of the table. */
static void
for_each_of_group(enum cli_group group,
                  void (*write)(const struct cli_command *command,
                                FILE *stream),
                  FILE *stream)
{
    for (size_t i = 0; cli_commands[i]; i++) {
        if (cli_commands[i]->group == group) {
            write(cli_commands[i], stream);
        }
    }
}

static void
write_summary_text(const struct cli_command *command, FILE *stream)
{
    fprintf(stream, "  %-10s %s\n", command->name, command->summary);
}

static void
write_text_overview(FILE *stream)
{
    fputs("slimfly -- design, wire, route and check low-diameter "
          "networks\n\nUsage: slimfly COMMAND ...\n",
          stream);
    for (enum cli_group group = FIRST_GROUP; group < CLI_N_GROUPS; group++) {
        fprintf(stream, "\n%s\n", group_titles[group]);
        for_each_of_group(group, write_summary_text, stream);
    }
    fputs("\n'slimfly help COMMAND' explains a command. The exit code is "
          "0 if all is fine, 1\nif there are findings, 2 on wrong usage or "
          "bad input.\n",
          stream);
}

void
cli_help_text(const struct cli_command *command, FILE *stream)
{
    if (!command) {
        write_text_overview(stream);
        return;
    }
    fprintf(stream, "Usage: slimfly %s %s\n\n", command->name,
            command->arguments);
    write_wrapped(command->description, 0, 0, stream);
    fputs("\nOptions:\n", stream);
    const struct cli_option *option;
    for (size_t i = 0; (option = cli_option_at(command, i)); i++) {
        char spelled[64], text[HELP_SIZE];
        spell_option(command, option, spelled, sizeof spelled);
        explain_option(option, text);
        int column = fprintf(stream, "  %-*s ", HELP_AT - 3, spelled);
        write_wrapped(text, HELP_AT, column, stream);
    }
    fputs("  -h, --help               print this text\n", stream);
    if (command->examples) {
        fputs("\nExamples:\n", stream);
        for_each_example(command, write_example_text, stream);
    }
}

/* Writes 'length' characters of 'text' for roff, where a backslash and a dash
 * mean something and so does a dot at the start of a line. */
static void
write_roff(const char *text, size_t length, FILE *stream)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\n' && i + 1 < length && text[i + 1] == '\n') {
            fputs("\n.PP", stream);
        } else if (text[i] == '-') {
            fputs("\\-", stream);
        } else if (text[i] == '\\') {
            fputs("\\e", stream);
        } else if (text[i] == '.' && (i == 0 || text[i - 1] == '\n')) {
            fputs("\\&.", stream);
        } else {
            fputc(text[i], stream);
        }
    }
}

static void
write_example_man(const char *line, int length, const char *does,
                  int does_length, FILE *stream)
{
    fputs(".TP\n.B ", stream);
    write_roff(line, (size_t)length, stream);
    fputc('\n', stream);
    write_roff(does, (size_t)does_length, stream);
    fputc('\n', stream);
}

static void
write_man_header(const char *page, const char *summary, FILE *stream)
{
    fputs(".TH \"", stream);
    for (const char *c = page; *c; c++) {
        fputc(toupper((unsigned char)*c), stream);
    }
    fprintf(stream, "\" 1 \"\" \"slimfly " SF_VERSION "\" \"slimfly\"\n"
                    ".SH NAME\n");
    write_roff(page, strlen(page), stream);
    fputs(" \\- ", stream);
    write_roff(summary, strlen(summary), stream);
    fputs("\n.SH SYNOPSIS\n.B slimfly\n", stream);
}

static void
write_summary_man(const struct cli_command *command, FILE *stream)
{
    fprintf(stream, ".TP\n.BR slimfly\\-%s (1)\n", command->name);
    write_roff(command->summary, strlen(command->summary), stream);
    fputc('\n', stream);
}

static void
write_man_overview(FILE *stream)
{
    write_man_header("slimfly",
                     "design, wire, route and check low-diameter networks",
                     stream);
    fputs(".I COMMAND\n[...]\n.br\n.B slimfly \\-\\-version\n.SH COMMANDS\n",
          stream);
    for (enum cli_group group = FIRST_GROUP; group < CLI_N_GROUPS; group++) {
        fprintf(stream, ".SS %s\n", group_titles[group]);
        for_each_of_group(group, write_summary_man, stream);
    }
}

static void
write_man_command(const struct cli_command *command, FILE *stream)
{
    char page[64];

    snprintf(page, sizeof page, "slimfly-%s", command->name);
    write_man_header(page, command->summary, stream);
    fprintf(stream, ".B %s\n", command->name);
    write_roff(command->arguments, strlen(command->arguments), stream);
    fputs("\n.SH DESCRIPTION\n", stream);
    write_roff(command->description, strlen(command->description), stream);
    fputs("\n.SH OPTIONS\n", stream);
    const struct cli_option *option;
    for (size_t i = 0; (option = cli_option_at(command, i)); i++) {
        char spelled[64], text[HELP_SIZE];
        spell_option(command, option, spelled, sizeof spelled);
        explain_option(option, text);
        const char *start = spelled + strspn(spelled, " ");
        fputs(".TP\n.B ", stream);
        write_roff(start, strlen(start), stream);
        fputc('\n', stream);
        write_roff(text, strlen(text), stream);
        fputc('\n', stream);
    }
    if (command->examples) {
        fputs(".SH EXAMPLES\n", stream);
        for_each_example(command, write_example_man, stream);
    }
}

void
cli_help_man(const struct cli_command *command, FILE *stream)
{
    if (command) {
        write_man_command(command, stream);
    } else {
        write_man_overview(stream);
    }
    fputs(".SH EXIT STATUS\n0 if all is fine, 1 if there are findings, 2 on "
          "wrong usage or bad input.\n",
          stream);
}

/* The completion of an option's argument. */
static void
write_bash_argument(const struct cli_option *option, FILE *stream)
{
    if (option->choice) {
        fputs("            words=\"", stream);
        for (size_t i = 0; option->choice(i); i++) {
            fprintf(stream, "%s%s", i ? " " : "", option->choice(i));
        }
        fputs("\" ;;\n", stream);
    } else if (option->type == CLI_FILE || option->type == CLI_FOLDER) {
        fprintf(stream,
                "            COMPREPLY=($(compgen -%c -- \"$current\"))\n"
                "            return ;;\n",
                option->type == CLI_FOLDER ? 'd' : 'f');
    } else {
        fputs("            ;;\n", stream);
    }
}

/* A case of the completion function: the options of one command and the
 * arguments of each. */
static void
write_bash_case(const struct cli_command *command, FILE *stream)
{
    const struct cli_option *option;

    fprintf(stream, "    %s)\n        case $previous in\n", command->name);
    for (size_t i = 0; (option = cli_option_at(command, i)); i++) {
        if (option->type == CLI_FLAG) {
            continue;
        }
        fprintf(stream, "        --%s", option->name);
        if (cli_option_has_letter(command, option)) {
            fprintf(stream, " | -%c", option->letter);
        }
        fputs(")\n", stream);
        write_bash_argument(option, stream);
    }
    fputs("        *)\n            words=\"--help", stream);
    for (size_t i = 0; (option = cli_option_at(command, i)); i++) {
        fprintf(stream, " --%s", option->name);
    }
    fprintf(stream, "%s%s", command->words ? " " : "",
            command->words ? command->words : "");
    if (!strcmp(command->name, "help")) {
        for (size_t i = 0; cli_commands[i]; i++) {
            fprintf(stream, " %s", cli_commands[i]->name);
        }
    }
    fputs("\" ;;\n        esac ;;\n", stream);
}

void
cli_help_bash(FILE *stream)
{
    fputs("# bash completion for slimfly\n"
          "_slimfly()\n{\n"
          "    local current=${COMP_WORDS[COMP_CWORD]}\n"
          "    local previous=${COMP_WORDS[COMP_CWORD-1]}\n"
          "    local words=\"\"\n"
          "    COMPREPLY=()\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
          "        words=\"--version --help",
          stream);
    for (size_t i = 0; cli_commands[i]; i++) {
        fprintf(stream, " %s", cli_commands[i]->name);
    }
    fputs("\"\n    else\n    case ${COMP_WORDS[1]} in\n", stream);
    for (size_t i = 0; cli_commands[i]; i++) {
        write_bash_case(cli_commands[i], stream);
    }
    fputs("    esac\n    fi\n"
          "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
          "}\ncomplete -F _slimfly slimfly\n",
          stream);
}
