/* cmd_bundle.c -- slimfly bundle: what to send with a bug report. */
#define _GNU_SOURCE
#include "bundle_parts.h"
#include "people.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    OPT_CONF = CLI_OWN,
    OPT_LOG,
    OPT_STATUS,
    OPT_EVENTS,
    OPT_ROUTED,
    OPT_NO_LIVE,
};

static const struct cli_option options[] = {
    { OPT_OUTPUT, "output", 'o', CLI_FILE, "FILE",
      .help = "write the archive to FILE, - for standard output",
      .value = "slimfly-bundle.tar.gz" },
    { OPT_CONF, "conf", 0, CLI_FILE, "FILE",
      .help = "the configuration of OpenSM", .value = CLI_OPENSM_CONF },
    { OPT_LOG, "log", 0, CLI_FILE, "FILE",
      .help = "the log of OpenSM, of which the last MiB is taken",
      .otherwise = "log_file of its configuration, or the newest "
                   "/var/log/opensm*.log" },
    { OPT_STATUS, "status", 0, CLI_FILE, "FILE",
      .help = "the status file of the plugin",
      .otherwise = "that which slimfly.conf names, or " CLI_STATUS_FILE },
    { OPT_EVENTS, "events", 0, CLI_FILE, "FILE",
      .help = "the time line of 'slimfly monitor', of which the last MiB is "
              "taken",
      .value = CLI_EVENTS_FILE },
    { OPT_ROUTED, "routed", 0, CLI_FOLDER, "DIR",
      .help = "a folder of 'slimfly route', whose route.json is taken" },
    { OPT_NO_LIVE, "no-live", 0, CLI_FLAG,
      .help = "ask nothing of the fabric" },
    CLI_FORMAT(cli_text_or_json),
    { 0 },
};

/* The moment that files of the archive have; that of a build that shall be
 * the same twice, if the environment says so. */
static int64_t
find_moment(void)
{
    const char *given = getenv("SOURCE_DATE_EPOCH");
    return given && *given ? strtoll(given, NULL, 10) : (int64_t)time(NULL);
}

/* Writes the archive, then the account of it: to standard error, if the
 * archive goes to standard output. */
static int
write_bundle(const struct cli_args *args, const struct sf_bundle *bundle)
{
    const char *path = cli_text(args, OPT_OUTPUT);
    FILE *stream = strcmp(path, "-") != 0 ? stdout : stderr;
    struct cli_output output;
    struct sf_error err = { 0 };
    int code = CLI_ERROR;

    if (cli_output_open(&output, path)) {
        enum sf_status status =
            sf_bundle_write(bundle, find_moment(), output.stream, &err);
        code = cli_output_close(&output, status, &err);
    }
    if (code != CLI_FINE) {
        return code;
    }
    if (cli_is(args, OPT_FORMAT, "json")) {
        return sf_bundle_write_json(bundle, path, stream, &err) == SF_OK
                   ? CLI_FINE
                   : cli_fail("%s", err.text);
    }
    fprintf(stream, "%s\n\n", path);
    sf_bundle_write_account(bundle, stream);
    return CLI_FINE;
}

/* Copies the places that the command line names; false if memory ran out. */
static bool
take_places(const struct cli_args *args, struct cli_bundle_places *places)
{
    const struct {
        const char *word;
        char **placep;
    } given[] = {
        { cli_text(args, OPT_CONF), &places->conf },
        { cli_text(args, OPT_LOG), &places->log },
        { cli_text(args, OPT_STATUS), &places->status },
        { cli_text(args, OPT_EVENTS), &places->events },
        { args->n_words ? args->words[0] : NULL, &places->plan },
    };

    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        *given[i].placep = given[i].word ? strdup(given[i].word) : NULL;
        if (given[i].word && !*given[i].placep) {
            cli_fail("bundle: out of memory");
            return false;
        }
    }
    return cli_bundle_places_find(places);
}

/* What is named on the command line must be there: a typing error is not to
 * make a bundle that lacks what somebody needs. */
static bool
check_named(const struct cli_args *args)
{
    static const int named[] = { OPT_CONF, OPT_LOG, OPT_STATUS, OPT_EVENTS,
                                 OPT_ROUTED };

    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        if (cli_has(args, named[i]) &&
            access(cli_text(args, named[i]), R_OK) != 0) {
            cli_fail("bundle: %s: %s", cli_text(args, named[i]),
                     strerror(errno));
            return false;
        }
    }
    for (size_t i = 0; i < args->n_words; i++) {
        const char *word = args->words[i];
        bool is_apart = i == 0 ? cli_bundle_is_spec(word) : sf_is_live(word);
        if (!is_apart && access(word, R_OK) != 0) {
            cli_fail("bundle: %s: %s", word, strerror(errno));
            return false;
        }
    }
    return true;
}

/* Collects all and writes it. */
static int
collect(const struct cli_args *args, const struct cli_bundle_wish *wish,
        const struct cli_people *people)
{
    const char *home = getenv("HOME");
    struct sf_scrub scrub = {
        .users = (const char *const *)people->names,
        .n_users = people->n,
        .home = home && strcmp(home, "/root") != 0 ? home : NULL,
    };
    struct sf_bundle *bundle;
    struct sf_error err;

    if (sf_bundle_create(&scrub, &bundle, &err) != SF_OK) {
        return cli_fail("%s", err.text);
    }
    cli_bundle_collect(wish, bundle);
    int code = write_bundle(args, bundle);
    sf_bundle_free(bundle);
    return code;
}

static int
run(const struct cli_args *args)
{
    struct cli_bundle_wish wish = {
        .routed = cli_text(args, OPT_ROUTED),
        .source = cli_has(args, OPT_NO_LIVE) ? NULL
                  : args->n_words > 1        ? args->words[1]
                                             : "live",
        .timeout = cli_number(args, OPT_TIMEOUT),
    };
    struct cli_people people = { 0 };
    int code = CLI_ERROR;

    if (args->n_words > 2) {
        return cli_fail("bundle: expected a plan and what to discover from, "
                        "found %zu words",
                        args->n_words);
    }
    if (!check_named(args)) {
        return CLI_ERROR;
    }
    if (!cli_people_find(&people)) {
        cli_fail("bundle: out of memory");
    } else if (take_places(args, &wish.places)) {
        code = collect(args, &wish, &people);
    }
    cli_bundle_places_clear(&wish.places);
    cli_people_clear(&people);
    return code;
}

const struct cli_command cli_command_bundle = {
    .name = "bundle",
    .group = CLI_RUN,
    .arguments = "[PLAN [DISCOVERED]]",
    .summary = "collect what to send with a bug report, without secrets",
    .description =
        "Collects what somebody needs to understand a fault, and writes it as "
        "one archive. It has the versions of programs, libraries, kernel, "
        "drivers and adapters. It has the lines of opensm.conf that concern "
        "routing, and the options, the status and the log of the plugin. It "
        "has what is drained, the jobs, the time line of 'slimfly monitor', "
        "and the plan. It has the fabric as it is now, and what 'slimfly "
        "verify' says of it. What is not there is left out. The command "
        "prints what it collected and what it left out, and the same stands "
        "in CONTENTS.txt of the archive.\n"
        "\n" CLI_PLAN_IS " Without it, the plan that slimfly.conf names is "
        "taken. DISCOVERED is what ibnetdiscover printed, or " CLI_LIVE_IS
        ", which is asked if nothing is given. Without an InfiniBand device, "
        "that part is left out.\n"
        "\n"
        "Secrets are removed from all files. These are numbers in a line "
        "after a name such as M_Key, SM_Key or SA_Key, and what follows words "
        "such as password, passphrase, secret, token, credential, "
        "authorization, cookie or community. User and password in addresses "
        "are removed, web tokens, and blocks of PEM. So are home folders, "
        "user names of this machine, and what stands before an at sign. Of "
        "opensm.conf only lines about routing are taken at all. Names and "
        "GUIDs of switches and hosts, names of machines and paths of files "
        "stay. Look at the archive before you send it.",
    .examples = "slimfly bundle\tCollect it on the machine that runs OpenSM.\n"
                "slimfly bundle plan -o fault.tar.gz\tWith this plan, to this "
                "file.\n"
                "slimfly bundle plan found.ibnetdiscover\tTake the fabric "
                "from what ibnetdiscover printed.\n",
    .options = { options, cli_live_options },
    .run = run,
};
