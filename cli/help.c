/* help.c -- help, man pages and shell completion, all made from the table of
 * commands. */
#include "cli.h"

#include <ctype.h>
#include <string.h>

#define WRAP_AT 78

/* Writes 'text', whose paragraphs are separated by empty lines, in lines of
 * limited length that start with 'indent' spaces. */
static void
write_wrapped(const char *text, int indent, FILE *stream)
{
    int column = 0;

    while (*text) {
        if (*text == '\n') {
            fputs("\n\n", stream);
            column = 0;
            text += strspn(text, "\n");
            continue;
        }
        int length = (int)strcspn(text, " \n");
        if (column > 0 && column + 1 + length > WRAP_AT) {
            fputc('\n', stream);
            column = 0;
        }
        if (column == 0) {
            fprintf(stream, "%*s", indent, "");
            column = indent;
        } else {
            fputc(' ', stream);
            column++;
        }
        fwrite(text, 1, (size_t)length, stream);
        column += length;
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', stream);
}

/* "-f, --format FORMAT". */
static void
spell_option(const struct cli_option *option, char *text, size_t size)
{
    char letter[8] = "    ";
    if (option->letter) {
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    }
    snprintf(text, size, "%s--%s%s%s", letter, option->name,
             option->argument ? " " : "",
             option->argument ? option->argument : "");
}

static void
write_choices(const struct cli_option *option, FILE *stream)
{
    if (option->choice) {
        fputs(": ", stream);
        for (size_t i = 0; option->choice(i); i++) {
            fprintf(stream, "%s%s", i ? ", " : "", option->choice(i));
        }
    }
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

void
cli_help_text(const struct cli_command *command, FILE *stream)
{
    if (!command) {
        fputs("slimfly -- design, wire, route and check low-diameter "
              "networks\n\nUsage: slimfly COMMAND ...\n\n",
              stream);
        for (size_t i = 0; cli_commands[i]; i++) {
            fprintf(stream, "  %-10s %s\n", cli_commands[i]->name,
                    cli_commands[i]->summary);
        }
        fputs("\n'slimfly help COMMAND' says more. Exit codes: 0 fine, 1 "
              "findings, 2 wrong usage or\nbad input.\n",
              stream);
        return;
    }
    fprintf(stream, "Usage: slimfly %s %s\n\n", command->name,
            command->arguments);
    write_wrapped(command->description, 0, stream);
    fputs("\nOptions:\n", stream);
    for (size_t i = 0; i < CLI_MAX_OPTIONS && command->options[i].name; i++) {
        char spelled[64];
        spell_option(&command->options[i], spelled, sizeof spelled);
        fprintf(stream, "  %-24s %s", spelled, command->options[i].help);
        if (command->options[i].choice) {
            fprintf(stream, "\n%27s", "");
            write_choices(&command->options[i], stream);
        }
        fputc('\n', stream);
    }
    fputs("  -h, --help               this text\n", stream);
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
write_man_overview(FILE *stream)
{
    write_man_header("slimfly",
                     "design, wire, route and check low-diameter networks",
                     stream);
    fputs(".I COMMAND\n[...]\n.br\n.B slimfly \\-\\-version\n.SH COMMANDS\n",
          stream);
    for (size_t i = 0; cli_commands[i]; i++) {
        fprintf(stream, ".TP\n.BR slimfly\\-%s (1)\n", cli_commands[i]->name);
        write_roff(cli_commands[i]->summary, strlen(cli_commands[i]->summary),
                   stream);
        fputc('\n', stream);
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
    for (size_t i = 0; i < CLI_MAX_OPTIONS && command->options[i].name; i++) {
        char spelled[64];
        spell_option(&command->options[i], spelled, sizeof spelled);
        const char *start = spelled + strspn(spelled, " ");
        fputs(".TP\n.B ", stream);
        write_roff(start, strlen(start), stream);
        fputc('\n', stream);
        write_roff(command->options[i].help, strlen(command->options[i].help),
                   stream);
        write_choices(&command->options[i], stream);
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

/* A case of the completion function: the options of one command and the
 * choices of each. */
static void
write_bash_case(const struct cli_command *command, FILE *stream)
{
    fprintf(stream, "    %s)\n        case $previous in\n", command->name);
    for (size_t i = 0; i < CLI_MAX_OPTIONS && command->options[i].name; i++) {
        const struct cli_option *option = &command->options[i];
        if (!option->argument) {
            continue;
        }
        fprintf(stream, "        --%s", option->name);
        if (option->letter) {
            fprintf(stream, " | -%c", option->letter);
        }
        fputs(")\n", stream);
        if (option->choice) {
            fputs("            words=\"", stream);
            for (size_t j = 0; option->choice(j); j++) {
                fprintf(stream, "%s%s", j ? " " : "", option->choice(j));
            }
            fputs("\" ;;\n", stream);
        } else {
            fputs("            COMPREPLY=($(compgen -f -- \"$current\"))\n"
                  "            return ;;\n",
                  stream);
        }
    }
    fputs("        *)\n            words=\"--help", stream);
    for (size_t i = 0; i < CLI_MAX_OPTIONS && command->options[i].name; i++) {
        fprintf(stream, " --%s", command->options[i].name);
    }
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
