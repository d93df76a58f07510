/* cmd_help.c -- slimfly help: what the commands do. */
#include "cli.h"

static const char *
format_choice(size_t i)
{
    static const char *const formats[] = { "text", "man", "bash", NULL };
    return formats[i];
}

static const struct cli_option options[] = {
    CLI_FORMAT(format_choice),
    { 0 },
};

static int
run(const struct cli_args *args)
{
    const struct cli_command *command = NULL;

    if (args->n_words > 1) {
        return cli_fail("help: expected one command, found %zu",
                        args->n_words);
    }
    if (args->n_words == 1) {
        command = cli_find_command(args->words[0]);
        if (!command) {
            return cli_fail("help: unknown command '%s'; 'slimfly help' lists "
                            "them",
                            args->words[0]);
        }
    }
    if (cli_is(args, OPT_FORMAT, "man")) {
        cli_help_man(command, stdout);
    } else if (cli_is(args, OPT_FORMAT, "bash")) {
        cli_help_bash(stdout);
    } else {
        cli_help_text(command, stdout);
    }
    return CLI_FINE;
}

const struct cli_command cli_command_help = {
    .name = "help",
    .group = CLI_EVERYBODY,
    .arguments = "[COMMAND]",
    .summary = "say what the commands do",
    .description =
        "Prints what a command does and which options it takes. Without a "
        "command, it lists the commands. The format man is a man page, and "
        "the format bash is the completion for bash.",
    .examples = "slimfly help topology\tPrint the options of one command.\n",
    .options = { options },
    .run = run,
};
