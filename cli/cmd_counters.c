/* cmd_counters.c -- slimfly counters: what ports have counted, what of it is
 * wrong, and which ports are up while nobody behind them answers. */
#include "plugin_conf.h"
#include "readings.h"

enum {
    OPT_INTERVAL = CLI_OWN,
    OPT_PLAN,
    OPT_CONF,
    OPT_THRESHOLDS,
    OPT_PROMETHEUS,
    OPT_NO_PROBE,
    OPT_ANSWER_WITHIN,
    OPT_TRIES,
};

static const char *
format_choice(size_t i)
{
    static const char *const formats[] = { "text", "json", "csv", NULL };
    return formats[i];
}

static const struct cli_option options[] = {
    { OPT_INTERVAL, "interval", 'n', CLI_REAL, "SECONDS",
      .help = "read twice, so long apart, and judge what grew", .min = 0.1,
      .max = 86400, .otherwise = "one reading, judged as a whole" },
    { OPT_PLAN, "plan", 0, CLI_FILE, "PLAN",
      .help = "use the names, racks and cables of PLAN" },
    { OPT_CONF, "conf", 0, CLI_FILE, "FILE",
      .help = "the options of the plugin for OpenSM, which name the list of "
              "drained links",
      .otherwise = CLI_PLUGIN_FILE ", if it is there" },
    { OPT_THRESHOLDS, "thresholds", 0, CLI_FILE, "FILE",
      .help = "judge by the thresholds in FILE",
      .otherwise = "those that are shipped" },
    { OPT_PROMETHEUS, "prometheus", 0, CLI_FLAG,
      .help = "write metrics for Prometheus" },
    { OPT_NO_PROBE, "no-probe", 0, CLI_FLAG,
      .help = "do not look for ports that are up and do not answer" },
    { OPT_ANSWER_WITHIN, "answer-within", 0, CLI_NUMBER, "MS",
      .help = "milliseconds for one answer", .min = 10, .max = 60000,
      .value = "500" },
    { OPT_TRIES, "tries", 0, CLI_NUMBER, "N",
      .help = "times that a question is asked", .min = 1, .max = 16,
      .value = "3" },
    CLI_FORMAT(format_choice),
    CLI_TIMEOUT("60"),
    { 0 },
};

/* All that a run knows. */
struct job {
    struct cli_readings readings;
    struct sf_plan *plan;
    struct sf_guid_map *map;
    struct sf_verification *verification;
    struct sf_drain_list *drained; /* Or NULL. */
    struct sf_thresholds thresholds;
};

static enum sf_status
write_findings(const struct cli_args *args,
               const struct sf_counters_view *view,
               const struct sf_counter_findings *findings, FILE *stream,
               struct sf_error *err)
{
    if (cli_has(args, OPT_PROMETHEUS)) {
        sf_counters_write_metrics(view, findings, stream);
    } else if (cli_is(args, OPT_FORMAT, "json")) {
        return sf_counters_write_json(view, findings, stream, err);
    } else if (cli_is(args, OPT_FORMAT, "csv")) {
        sf_counters_write_csv(view, stream);
    } else {
        sf_counters_write_text(view, findings, stream);
    }
    return SF_OK;
}

/* Judges and writes; returns an exit code. */
static int
judge(const struct cli_args *args, struct job *job)
{
    const struct cli_readings *readings = &job->readings;
    const struct sf_counters_view view = {
        .fabric = readings->fabric,
        .counters = readings->counters,
        .growths = readings->growths,
        .verification = job->verification,
        .predicted = readings->predicted,
        .silence = readings->silence,
        .drained = job->drained,
        .read_seconds = readings->read_seconds,
        .read_at = readings->read_at,
    };
    struct sf_counter_findings *findings;
    struct cli_output output;
    struct sf_error err = { 0 };
    int code = CLI_ERROR;

    if (sf_counter_findings_build(&view, &job->thresholds, &findings, &err) !=
        SF_OK) {
        return cli_fail("%s", err.text);
    }
    if (cli_output_open(&output, cli_text(args, OPT_OUTPUT))) {
        enum sf_status status =
            write_findings(args, &view, findings, output.stream, &err);
        code = cli_output_close(&output, status, &err);
    }
    /* Who collects metrics wants to know whether they were collected. */
    if (code == CLI_FINE && !cli_has(args, OPT_PROMETHEUS) &&
        findings->n_by_severity[SF_SEVERITY_WARNING] +
            findings->n_by_severity[SF_SEVERITY_CRITICAL]) {
        code = CLI_FINDINGS;
    }
    sf_counter_findings_free(findings);
    return code;
}

/* Says that nodes may be others than they were taken for. */
static void
warn(const struct sf_verification *verification)
{
    for (int i = 0; i < SF_N_WARNINGS; i++) {
        if (sf_verification_warns(verification, (enum sf_warning)i)) {
            cli_progress_hide();
            fputs("slimfly: ", stderr);
            sf_verification_write_warning(verification, (enum sf_warning)i,
                                          stderr);
            fputc('\n', stderr);
        }
    }
}

/* Loads the plan and finds out which node found is which. */
static bool
load_plan(const struct cli_args *args, struct job *job)
{
    const char *path = cli_text(args, OPT_GUIDS);
    struct sf_verify_params params = { .ignores_rates = true };
    struct sf_error err;

    if (path && !cli_has(args, OPT_PLAN)) {
        cli_fail("counters: --guids tells which planned node is which; "
                 "expected --plan");
        return false;
    }
    if (!cli_has(args, OPT_PLAN)) {
        return true;
    }
    if (path) {
        job->map = cli_load_guids(path);
        params.map = job->map;
    }
    job->plan =
        path && !job->map ? NULL : cli_load_plan(cli_text(args, OPT_PLAN));
    if (job->plan && sf_verify(job->plan, job->readings.fabric, &params,
                               &job->verification, &err) != SF_OK) {
        cli_fail("%s", err.text);
    }
    if (job->verification) {
        warn(job->verification);
    }
    return job->verification;
}

static bool
load_thresholds(const struct cli_args *args, struct sf_thresholds *thresholds)
{
    const char *path = cli_text(args, OPT_THRESHOLDS);
    struct sf_error err;
    enum sf_status status = path ? sf_thresholds_read(path, thresholds, &err)
                                 : sf_thresholds_default(thresholds, &err);

    if (status != SF_OK) {
        cli_fail("%s", err.text);
    }
    return status == SF_OK;
}

/* Reads the list of drained links, if there is one. */
static bool
load_drained(const struct cli_args *args, struct job *job)
{
    struct cli_plugin_conf conf;
    struct sf_error err;

    if (!cli_plugin_conf_load(cli_text(args, OPT_CONF), &conf)) {
        return false;
    }
    if (conf.drained[0] &&
        sf_drain_list_load(conf.drained, &job->drained, &err) != SF_OK) {
        cli_fail("%s", err.text);
        return false;
    }
    return true;
}

static void
set_readings(const struct cli_args *args,
             const struct sf_thresholds *thresholds,
             struct cli_readings *readings)
{
    const char *word = args->words[0], *last = args->words[args->n_words - 1];

    readings->word = word;
    readings->source = sf_is_live(word) ? word : "live";
    readings->params = (struct sf_counters_params){
        .timeout_ms = cli_number(args, OPT_ANSWER_WITHIN),
        .n_tries = cli_number(args, OPT_TRIES),
        .timeout = cli_number(args, OPT_TIMEOUT),
    };
    readings->interval =
        cli_has(args, OPT_INTERVAL) ? cli_real(args, OPT_INTERVAL) : 0;
    readings->needs_tables = args->n_words == 2;
    readings->tables = readings->needs_tables || cli_is_folder(last)
                           ? last
                           : readings->source;
    readings->probes = !cli_has(args, OPT_NO_PROBE);
    readings->n_silent = thresholds->n_silent;
    readings->n_sweeps = thresholds->n_sweeps;
}

static int
run(const struct cli_args *args)
{
    struct job job = { 0 };
    struct sf_error err = { 0 };
    int code = CLI_ERROR;

    if (args->n_words < 1 || args->n_words > 2) {
        return cli_fail("counters: expected the word live or a fabric, and "
                        "perhaps its tables; found %zu words",
                        args->n_words);
    }
    if (args->n_words == 2 && !cli_has(args, OPT_INTERVAL)) {
        return cli_fail("counters: tables tell what loads to expect, which "
                        "needs two readings; expected --interval");
    }
    if (cli_has(args, OPT_PROMETHEUS) && cli_has(args, OPT_FORMAT)) {
        return cli_fail("counters: --prometheus is a format of its own; "
                        "expected no --format beside it");
    }
    if (!load_thresholds(args, &job.thresholds) || !load_drained(args, &job)) {
        return CLI_ERROR;
    }
    struct cli_readings *readings = &job.readings;
    set_readings(args, &job.thresholds, readings);
    readings->fabric =
        cli_load_discovered(args->words[0], readings->params.timeout);
    if (readings->fabric && load_plan(args, &job)) {
        code = cli_readings_make(readings, &err) == SF_OK
                   ? judge(args, &job)
                   : cli_fail("%s", err.text);
    }
    sf_verification_free(job.verification);
    sf_guid_map_free(job.map);
    sf_plan_free(job.plan);
    sf_drain_list_free(job.drained);
    cli_readings_clear(readings);
    return code;
}

const struct cli_command cli_command_counters = {
    .name = "counters",
    .group = CLI_RUN,
    .arguments = "live|FABRIC [TABLES]",
    .summary = "read the counters of all ports, and say what to do",
    .description =
        "Reads the counters of all ports of switches and hosts, 16 questions "
        "at a time, and compares them with thresholds. Each finding names the "
        "port, the other end of its cable and what to do. Counters are never "
        "cleared. A port that does not answer is named, and all others are "
        "read.\n"
        "\n"
        "With --interval, counters are read twice, and what grew in between "
        "is judged. A counter that became smaller was cleared by somebody; "
        "its growth is what it counted since. A counter that stands at its "
        "limit says at least how much it counted. The loads of links are "
        "shown as well, beside what the forwarding tables would lead over "
        "them if the same hosts sent evenly to all others. TABLES is a folder "
        "that 'slimfly route' or OpenSM wrote, or " CLI_LIVE_IS ". Without "
        "TABLES, they are those of FABRIC if that is a folder, else those of "
        "the switches. A link that carries much more "
        "than that is called hot, unless hosts hardly send anything.\n"
        "\n"
        "The command also looks through each port of each switch. A port that "
        "is up while nothing behind it answers loses all packets, and nobody "
        "reports it. It is called a black hole if it was silent in 5 of 7 "
        "sweeps; ports that were silent are asked again at once. One that is "
        "drained is a note, as nobody sends there. --no-probe leaves that "
        "out.\n"
        "\n"
        "FABRIC is what ibnetdiscover printed, a folder that 'slimfly route' "
        "or OpenSM wrote, or " CLI_LIVE_IS ", which discovers it. Questions "
        "enter the fabric by this machine's port in any case, and go by LID, "
        "so a subnet manager must have been there. With --plan, nodes have "
        "the names of the plan, and findings name racks and cables.\n"
        "\n"
        "FILE of --thresholds is like data/thresholds.json of the "
        "distribution. --prometheus writes metrics under the names of "
        "infiniband_exporter, in bytes, and with -o as a file that appears "
        "only when it is complete, for the textfile collector of "
        "node_exporter.\n"
        "\n"
        "The exit code is 1 if there is a warning or something critical; with "
        "--prometheus it is 0 if the metrics were written.",
    .examples =
        "slimfly counters live --plan plan\tWhat is wrong, whenever it was "
        "counted?\n"
        "slimfly counters live --plan plan --interval 60\tWhat is wrong now, "
        "and which links are hot?\n"
        "slimfly counters live /var/log --interval 60\tCompare loads with the "
        "tables that OpenSM dumped.\n"
        "slimfly counters live --prometheus -o "
        "/var/lib/prometheus/node-exporter/slimfly.prom\tMetrics for "
        "node_exporter.\n",
    .options = { options, cli_guid_options, cli_file_options,
                 cli_progress_options },
    .run = run,
};
