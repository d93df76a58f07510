/* cmd_report.c -- slimfly report: what commands wrote, on one page. */
#include "cli.h"

static const struct cli_option options[] = {
    { OPT_OUTPUT, "output", 'o', CLI_FILE, "FILE",
      .help = "write the page to FILE", .value = "report.html" },
    { 0 },
};

/* Writes the page; returns an exit code. */
static int
write_page(const struct cli_args *args, const struct sf_results *results)
{
    const char *path = cli_text(args, OPT_OUTPUT);
    struct sf_origin origin = cli_origin(args);
    struct cli_output output;
    struct sf_error err = { 0 };

    if (sf_results_have_read(results, path)) {
        return cli_fail("%s: the page would replace a file that report reads; "
                        "expected another FILE for --output",
                        path);
    }
    if (!cli_output_open(&output, path)) {
        return CLI_ERROR;
    }
    bool is_file = output.path != NULL;
    enum sf_status status =
        sf_results_write_html(results, &origin, output.stream, &err);
    int code = cli_output_close(&output, status, &err);
    if (code == CLI_FINE && is_file) {
        uint32_t n = sf_results_count(results);
        uint32_t n_figures = sf_results_count_figures(results);
        cli_progress_end();
        printf("%s: %u result%s, %u figure%s in files\n", path, n,
               n == 1 ? "" : "s", n_figures, n_figures == 1 ? "" : "s");
    }
    return code;
}

static int
run(const struct cli_args *args)
{
    struct sf_results *results;
    struct sf_error err;
    int code = CLI_FINE;

    if (!args->n_words) {
        return cli_fail("report: expected folders or JSON files that slimfly "
                        "wrote");
    }
    if (sf_results_new(&results, &err) != SF_OK) {
        return cli_fail("%s", err.text);
    }
    for (size_t i = 0; code == CLI_FINE && i < args->n_words; i++) {
        if (sf_results_add(results, args->words[i], &err) != SF_OK) {
            code = cli_fail("%s", err.text);
        }
    }
    if (code == CLI_FINE) {
        code = write_page(args, results);
    }
    sf_results_free(results);
    return code;
}

const struct cli_command cli_command_report = {
    .name = "report",
    .group = CLI_STUDY,
    .arguments = "DIR...",
    .summary = "one web page of what other commands wrote",
    .description =
        "Reads what other commands wrote and makes one HTML page of it, for "
        "people who did not run them. The page begins with a summary in "
        "words: what is planned, whether something is wrong, what the network "
        "carries, and how networks compare. A section for each result "
        "follows, with its tables and figures. Most tables sort by a click on "
        "a column, figures show values below the pointer and can be enlarged. "
        "Below each table and figure stand its file, the command that made "
        "it and the version of the program. Nothing is computed anew.\n"
        "\n"
        "The page is one file. It never takes the place of a file that was "
        "read for it. It asks no server for anything, follows light "
        "and dark, and prints. Without scripts it is a plain document.\n"
        "\n"
        "DIR is a folder that plan, route, analyze, simulate, evaluate or "
        "compare wrote with -o, or a folder of such folders, three levels "
        "deep. It may also be a file that audit, verify, design or topology "
        "wrote with --format json, or a folder with such files; drawings "
        "(*.svg) beside them are shown too. Other files are passed over. A "
        "file of results that is damaged is an error.\n"
        "\n"
        "A table has at most 2000 rows, and figures of more than 4 MB, or of "
        "more than 8 MB together for a result, are left out. Of the wiring "
        "diagrams of a plan, the first 24 are shown. The page then says "
        "which file has the rest. Large files, such as links.csv or "
        "forwarding tables, are only named.",
    .examples =
        "slimfly report plan routes evaluation\tPut three folders on "
        "report.html.\n"
        "slimfly verify plan live -f json -o check/wiring.json\tLet a report "
        "say whether the wiring is right ...\n"
        "slimfly report plan check -o status.html\t... with the plan.\n",
    .options = { options, cli_progress_options },
    .run = run,
};
