/* cmd_audit.c -- slimfly audit: do the tables lead everywhere, and can packets
 * ever wait for each other in a circle? */
#include "changes.h"
#include "cli.h"
#include "held_tables.h"

enum {
    OPT_ALL_ON_SL = CLI_OWN,
    OPT_PORT_0,
    OPT_PATH_SLS,
    OPT_SAVE,
    OPT_CHANGE,
};

/* What is audited. */
struct job {
    struct sf_fabric *fabric;
    struct cli_held held;
    struct sf_audit_params params;
};

static const char *
path_sls_choice(size_t i)
{
    static const char *const ways[] = { "file", "ask", "sample", NULL };
    return ways[i];
}

/* Reading the tables of a live fabric takes longer than discovering it. */
static const struct cli_option options[] = {
    { OPT_ALL_ON_SL, "all-on-sl", 's', CLI_NUMBER, "SL",
      .help = "check also with all traffic on service level SL", .min = 0,
      .max = SF_N_SLS - 1 },
    { OPT_PORT_0, "port-0", 0, CLI_FLAG,
      .help = "let packets start at switches too" },
    { OPT_PATH_SLS, "path-sls", 'p', CLI_CHOICE, "WAY",
      .help = "where the service levels of paths come from",
      .choice = path_sls_choice, .value = "file" },
    { OPT_SAVE, "save", 0, CLI_FOLDER, "DIR",
      .help = "write what was read into the folder DIR, as OpenSM dumps it" },
    { OPT_CHANGE, "change", 0, CLI_FLAG,
      .help = "take the two words as the old and the new tables of a change, "
              "also if one of them is live" },
    CLI_FORMAT(cli_text_or_json),
    CLI_TIMEOUT("600"),
    { 0 },
};

/* Gets the tables that 'word' names, and then the SLs that senders use. */
static enum sf_status
load(const struct cli_args *args, struct job *job, const char *word,
     uint32_t timeout, struct sf_error *err)
{
    enum sf_status status =
        cli_held_load(&job->held, word, job->fabric, timeout, err);

    if (status == SF_OK && job->held.tables &&
        !cli_is(args, OPT_PATH_SLS, "file")) {
        sf_path_sls_free(job->held.path_sls);
        const char *source = sf_is_live(word)             ? word
                             : sf_is_live(args->words[0]) ? args->words[0]
                                                          : "live";
        status =
            sf_live_path_sls(source, job->fabric, job->held.tables->max_lid,
                             cli_is(args, OPT_PATH_SLS, "sample"), timeout,
                             &job->held.path_sls, err);
    }
    return status;
}

/* Writes all that was read to 'folder', for others to judge. */
static int
save(const struct job *job, const char *folder)
{
    struct cli_dump dump = { job->fabric, "audited", job->held.tables,
                             job->held.sl2vl, job->held.path_sls };
    int code = cli_make_folder(folder);

    cli_begin_files();
    if (code == CLI_FINE) {
        code = cli_write_dump(&dump, folder);
    }
    return cli_end_files(code);
}

/* Whether anything in 'fabric' has a LID. */
static bool
has_lids(const struct sf_fabric *fabric)
{
    for (uint32_t i = 0; i < fabric->n_nodes; i++) {
        if (sf_ib_node(fabric, i)->lid) {
            return true;
        }
    }
    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        if (sf_ib_port(fabric, i)->lid) {
            return true;
        }
    }
    return false;
}

/* Audits and writes; returns an exit code. */
static int
audit(const struct cli_args *args, struct job *job)
{
    struct sf_audit *audit;
    struct cli_output output;
    struct sf_error err = { 0 };
    int code = CLI_ERROR;

    job->params.sl2vl = job->held.sl2vl;
    job->params.path_sls = job->held.path_sls;
    if (sf_audit_build(job->fabric, job->held.tables, &job->params, &audit,
                       &err) != SF_OK) {
        return cli_fail("%s", err.text);
    }
    if (cli_output_open(&output, cli_text(args, OPT_OUTPUT))) {
        enum sf_status status = SF_OK;
        if (cli_is(args, OPT_FORMAT, "json")) {
            struct sf_origin origin = cli_origin(args);
            status = sf_audit_write_json(audit, job->fabric, &origin,
                                         output.stream, &err);
        } else {
            sf_audit_write_text(audit, job->fabric, output.stream);
        }
        code = cli_output_close(&output, status, &err);
    }
    if (code == CLI_FINE && !audit->is_sound) {
        code = CLI_FINDINGS;
    }
    sf_audit_free(audit);
    return code;
}

/* Judges a change, for which not all options are. */
static int
judge_change(const struct cli_args *args)
{
    struct sf_mixture_params params = {
        .has_one_sl = cli_has(args, OPT_ALL_ON_SL),
        .one_sl = (uint8_t)cli_number(args, OPT_ALL_ON_SL),
        .has_port_0 = cli_has(args, OPT_PORT_0),
    };

    if (args->n_words != 2) {
        return cli_fail("audit: expected the old and the new tables after "
                        "--change; found %zu words",
                        args->n_words);
    }
    if (cli_has(args, OPT_SAVE) || cli_has(args, OPT_PATH_SLS)) {
        return cli_fail(
            "audit: --%s does not go with old and new tables",
            cli_name(args, cli_has(args, OPT_SAVE) ? OPT_SAVE : OPT_PATH_SLS));
    }
    return cli_judge_change(args, &params);
}

static int
run(const struct cli_args *args)
{
    struct job job = { 0 };
    uint32_t timeout = cli_number(args, OPT_TIMEOUT);
    struct sf_error err = { 0 };
    int code = CLI_ERROR;

    if (args->n_words < 1 || args->n_words > 2) {
        return cli_fail("audit: expected a fabric and its tables, or one "
                        "folder with both; found %zu words",
                        args->n_words);
    }
    if (cli_has(args, OPT_CHANGE) ||
        (args->n_words == 2 &&
         cli_is_change(args->words[0], args->words[1]))) {
        return judge_change(args);
    }
    job.params.has_one_sl = cli_has(args, OPT_ALL_ON_SL);
    job.params.one_sl = (uint8_t)cli_number(args, OPT_ALL_ON_SL);
    job.params.has_port_0 = cli_has(args, OPT_PORT_0);
    const char *tables = args->words[args->n_words - 1];
    if (args->n_words == 1 && !cli_is_folder(tables) && !sf_is_live(tables)) {
        return cli_fail("audit: expected the tables after the fabric, a "
                        "folder with both, or the word live; '%s' is not a "
                        "folder",
                        tables);
    }
    job.fabric = cli_load_fabric(args->words[0], timeout);
    if (!job.fabric) {
        return CLI_ERROR;
    }
    if (!has_lids(job.fabric)) {
        code = cli_fail("audit: nothing in '%s' has a LID; expected a folder "
                        "that 'slimfly route' or OpenSM wrote, or what "
                        "ibnetdiscover prints of a subnet that is up",
                        args->words[0]);
        goto done;
    }
    if (load(args, &job, tables, timeout, &err) != SF_OK) {
        code = cli_fail("%s", err.text);
        goto done;
    }
    code = cli_has(args, OPT_SAVE) ? save(&job, cli_text(args, OPT_SAVE))
                                   : CLI_FINE;
    if (code == CLI_FINE) {
        code = audit(args, &job);
    }

done:
    cli_held_clear(&job.held);
    sf_fabric_free(job.fabric);
    return code;
}

const struct cli_command cli_command_audit = {
    .name = "audit",
    .group = CLI_RUN,
    .arguments = "FABRIC [TABLES] | OLD NEW",
    .summary = "prove that tables reach everything and cannot deadlock",
    .description =
        "Follows every path that the forwarding tables of the switches make. "
        "It trusts nothing that made them. It checks that every LID is "
        "reached from every switch without loops, and measures the lengths of "
        "the paths and the loads of the links. It also checks whether packets "
        "can wait for each other in a circle: if senders use the service "
        "level of each path, and if replies use the service level of the "
        "request. With --all-on-sl, it also does so for all packets on one "
        "service level. Each fault comes with an example. For a deadlock, the "
        "example is a shortest circle of switch, port and virtual lane, with "
        "a path for each step.\n"
        "\n"
        "FABRIC is a folder that 'slimfly route' or OpenSM wrote, the output "
        "of ibnetdiscover or its cache, opensm-subnet.lst, or the word live. "
        "It must have LIDs. TABLES is a folder that 'slimfly route' or OpenSM "
        "wrote, a file like " CLI_TABLES_FILE ", or " CLI_LIVE_IS
        ". The folder holds " CLI_TABLES_FILE " and may hold "
        "opensm-sl2vl.dump and path-sl.csv. With live, the forwarding and "
        "SL-to-VL tables are read back from the switches. Without SL-to-VL "
        "tables, all packets are on virtual lane 0. Without TABLES, FABRIC "
        "names the tables too.\n"
        "\n"
        "--path-sls says where the service levels of paths come from. file "
        "takes path-sl.csv; without that file, all packets are on service "
        "level 0. ask asks the subnet manager of the live fabric for every "
        "path from the first host of each switch, thousands a second. sample "
        "asks only for paths to switches and to the first host of each "
        "switch, and assumes the same for paths to the other hosts.\n"
        "\n"
        "Packets start at hosts. With --port-0 they start at switches too, as "
        "the answers of management agents do. Such a packet is on the virtual "
        "lane that the SL-to-VL tables give for in port 0. If the tables have "
        "no such entry, it is on the lanes of packets from hosts of the "
        "switch, or, if the switch has no hosts, from any of its ports.\n"
        "\n"
        "With two folders that hold tables, OLD and NEW, audit judges the "
        "change from one to the other. While a subnet manager writes tables, "
        "each switch holds the old or the new entry for each LID, and packets "
        "take paths that are in neither table. audit proves that no such "
        "mixture can deadlock, or shows a shortest circle with a path for "
        "each step, and which switches on it use the old entry and which the "
        "new one. It also counts the pairs of switch and LID that could meet "
        "a loop or a dead end on the way. SL-to-VL tables and service levels "
        "of paths may be old or new, too. The fabric is that of NEW. With "
        "--change, one of the two words may be live, and the fabric is then "
        "the live one.\n"
        "\n"
        "The exit code is 0 if the routing is sound and 1 if it is not; for a "
        "change, 0 if no mixture can deadlock or lose packets that the old "
        "tables do not lose.",
    .examples =
        "slimfly audit tables\tAudit what 'slimfly route' wrote.\n"
        "slimfly audit /var/log\tAudit what OpenSM dumped, if its log_flags "
        "are 0x43.\n"
        "slimfly audit live --all-on-sl 0\tAudit the tables in the switches, "
        "also with all traffic on service level 0.\n"
        "slimfly audit live /var/log --path-sls ask\tAudit the tables that "
        "OpenSM dumped, with the service levels that it tells senders.\n"
        "slimfly audit live --save seen\tAlso keep what was read.\n"
        "slimfly audit tables tables2\tIs it safe to go from one routing to "
        "the other?\n"
        "slimfly audit live tables2 --change\tIs it safe to load these tables "
        "now?\n",
    .options = { options, cli_file_options, cli_progress_options },
    .run = run,
};
