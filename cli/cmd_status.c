/* cmd_status.c -- slimfly status: is the subnet manager alive, and does it
 * route as asked? */
#include "cli.h"

#include <time.h>

enum {
    OPT_MAX_AGE = CLI_OWN,
};

static const struct cli_option options[] = {
    { OPT_MAX_AGE, "max-age", 0, CLI_NUMBER, "SECONDS",
      .help = "a manager whose last heartbeat is older is dead", .min = 1,
      .max = 86400, .otherwise = "three beats, 15" },
    CLI_FORMAT(cli_text_or_json),
    { 0 },
};

static int
run(const struct cli_args *args)
{
    const char *path = args->n_words ? args->words[0] : CLI_STATUS_FILE;
    struct sf_manager manager;
    struct sf_manager_health health;
    struct sf_error err;
    static const int codes[] = {
        [SF_MANAGER_FINE] = CLI_FINE,
        [SF_MANAGER_DEGRADED] = CLI_FINDINGS,
        [SF_MANAGER_DEAD] = CLI_ERROR,
    };

    if (args->n_words > 1) {
        return cli_fail("status: expected one status file, found %zu words",
                        args->n_words);
    }
    if (sf_manager_read(path, &manager, &err) != SF_OK) {
        return cli_fail("%s", err.text);
    }
    sf_manager_judge(&manager, time(NULL), cli_number(args, OPT_MAX_AGE),
                     sf_manager_find_process(&manager), &health);
    if (!cli_is(args, OPT_FORMAT, "json")) {
        sf_manager_write_text(&manager, &health, stdout);
    } else if (sf_manager_write_json(&manager, &health, path, stdout, &err) !=
               SF_OK) {
        return cli_fail("%s", err.text);
    }
    return codes[health.verdict];
}

const struct cli_command cli_command_status = {
    .name = "status",
    .group = CLI_RUN,
    .arguments = "[FILE]",
    .summary = "is the subnet manager alive, and does it route as asked?",
    .description =
        "Reads FILE, the status file of the plugin for OpenSM, and says "
        "whether that OpenSM is alive and routes as asked. FILE "
        "is " CLI_STATUS_FILE
        " if it is not given: 'slimfly settings' names that "
        "place.\n"
        "\n"
        "The plugin renews the file every 5 seconds. A manager is dead if it "
        "has ended, if its last heartbeat is too old, or if it has sent "
        "nothing to the fabric for three sweeps. On the machine where OpenSM "
        "runs, the command also looks for its process, and so sees at once "
        "that it was killed. Elsewhere, on a copy or a shared folder, the "
        "heartbeat alone tells, and the clocks must agree.\n"
        "\n"
        "The exit code is that which Nagios and its kin expect of a check. 0: "
        "the manager leads and routes as asked, or it stands by. 1, warning: "
        "it is alive, but something is to be mended, which the output names. "
        "It could not route as asked, it refuses its options, it has not "
        "routed yet, or the plugin warns of something else. 2, critical: it "
        "is dead, and the output says why; or the file cannot be read, and "
        "standard error says why. Links that are missing are no fault of the "
        "manager and do not count, but the output names their number. So it "
        "does with traps, by which devices tell OpenSM what happens; the "
        "latest five are shown.",
    .examples =
        "slimfly status\tJudge the manager of this machine.\n"
        "slimfly status /shared/sm2-status.json --max-age 60\tJudge that of "
        "another machine, and let its heartbeat be a minute old.\n",
    .options = { options },
    .run = run,
};
