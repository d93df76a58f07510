/* cmd_audit.c -- slimfly audit: do the tables lead everywhere, and can packets
 * ever wait for each other in a circle? */
#define _GNU_SOURCE
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    OPT_ALL_ON_SL,
    OPT_PORT_0,
    OPT_PATH_SLS,
    OPT_SAVE,
    OPT_FORMAT,
    OPT_TIMEOUT,
    OPT_OUTPUT,
};

/* What is audited. */
struct job {
    struct sf_fabric *fabric;
    struct sf_tables *tables;
    struct sf_sl2vl *sl2vl;
    struct sf_path_sls *path_sls;
    struct sf_audit_params params;
};

static const char *
format_choice(size_t i)
{
    static const char *const formats[] = { "text", "json", NULL };
    return formats[i];
}

static const char *
path_sls_choice(size_t i)
{
    static const char *const ways[] = { "file", "ask", "sample", NULL };
    return ways[i];
}

static bool
is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool
is_there(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0;
}

static char *
path_in(const char *folder, const char *name)
{
    char *path;
    return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

/* Reads what OpenSM dumps, or 'slimfly route' writes, into 'folder'. */
static enum sf_status
load_folder(struct job *job, const char *folder, struct sf_error *err)
{
    char *lfts = path_in(folder, "opensm-lfts.dump");
    char *sl2vl = path_in(folder, "opensm-sl2vl.dump");
    char *path_sls = path_in(folder, "path-sl.csv");
    enum sf_status status = SF_OK;

    if (!lfts || !sl2vl || !path_sls) {
        status = sf_fail(err, SF_ENOMEM, "out of memory");
        goto done;
    }
    if (!is_there(lfts)) {
        status = sf_fail(err, SF_EIO,
                         "%s: No such file; OpenSM writes it with log_flags "
                         "0x43 in opensm.conf",
                         lfts);
        goto done;
    }
    status = sf_tables_read(lfts, job->fabric, &job->tables, err);
    if (status == SF_OK && is_there(sl2vl)) {
        status = sf_sl2vl_read(sl2vl, job->fabric, &job->sl2vl, err);
    }
    if (status == SF_OK && is_there(path_sls)) {
        status = sf_path_sls_read(path_sls, job->fabric, job->tables->max_lid,
                                  &job->path_sls, err);
    }

done:
    free(path_sls);
    free(sl2vl);
    free(lfts);
    return status;
}

/* Gets the tables that 'word' names, and then the SLs that senders use. */
static enum sf_status
load(const struct cli_args *args, struct job *job, const char *word,
     uint32_t timeout, struct sf_error *err)
{
    const char *way = args->values[OPT_PATH_SLS];
    enum sf_status status;

    if (sf_is_live(word)) {
        status = sf_live_tables(word, job->fabric, timeout, &job->tables,
                                &job->sl2vl, err);
    } else if (is_folder(word)) {
        status = load_folder(job, word, err);
    } else {
        status = sf_tables_read(word, job->fabric, &job->tables, err);
    }
    if (status == SF_OK && job->tables && way && strcmp(way, "file") != 0) {
        sf_path_sls_free(job->path_sls);
        const char *source = sf_is_live(word)             ? word
                             : sf_is_live(args->words[0]) ? args->words[0]
                                                          : "live";
        status = sf_live_path_sls(source, job->fabric, job->tables->max_lid,
                                  !strcmp(way, "sample"), timeout,
                                  &job->path_sls, err);
    }
    return status;
}

static enum sf_status
write_fabric(const void *aux, FILE *stream, struct sf_error *err)
{
    const struct job *job = aux;
    (void)err;
    sf_ibnetdiscover_write(job->fabric, "audited", stream);
    return SF_OK;
}

static enum sf_status
write_tables(const void *aux, FILE *stream, struct sf_error *err)
{
    const struct job *job = aux;
    return sf_tables_write(job->tables, job->fabric, stream, err);
}

static enum sf_status
write_sl2vl(const void *aux, FILE *stream, struct sf_error *err)
{
    const struct job *job = aux;
    (void)err;
    sf_sl2vl_write(job->sl2vl, job->fabric, stream);
    return SF_OK;
}

static enum sf_status
write_path_sls(const void *aux, FILE *stream, struct sf_error *err)
{
    const struct job *job = aux;
    (void)err;
    sf_path_sls_write(job->path_sls, job->fabric, stream);
    return SF_OK;
}

/* Writes all that was read to 'folder', for others to judge. */
static int
save(const struct job *job, const char *folder)
{
    int code = cli_make_folder(folder);

    cli_begin_files();
    if (code == CLI_FINE) {
        code =
            cli_write_file(folder, "fabric.ibnetdiscover", write_fabric, job);
    }
    if (code == CLI_FINE) {
        code = cli_write_file(folder, "opensm-lfts.dump", write_tables, job);
    }
    if (code == CLI_FINE && job->sl2vl) {
        code = cli_write_file(folder, "opensm-sl2vl.dump", write_sl2vl, job);
    }
    if (code == CLI_FINE && job->path_sls) {
        code = cli_write_file(folder, "path-sl.csv", write_path_sls, job);
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
    const char *format = args->values[OPT_FORMAT];
    struct sf_audit *audit;
    struct cli_output output;
    struct sf_error err = { 0 };
    int code = CLI_ERROR;

    job->params.sl2vl = job->sl2vl;
    job->params.path_sls = job->path_sls;
    job->params.progress = cli_progress();
    if (sf_audit_build(job->fabric, job->tables, &job->params, &audit, &err) !=
        SF_OK) {
        return cli_fail("%s", err.text);
    }
    if (cli_output_open(&output, args->values[OPT_OUTPUT])) {
        enum sf_status status = SF_OK;
        if (format && !strcmp(format, "json")) {
            status =
                sf_audit_write_json(audit, job->fabric, output.stream, &err);
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

static int
run(const struct cli_args *args)
{
    struct job job = { 0 };
    uint32_t timeout = 600, one_sl = 0;
    struct sf_error err = { 0 };
    int code = CLI_ERROR;

    if (args->n_words < 1 || args->n_words > 2) {
        return cli_fail("audit: expected a fabric and its tables, or one "
                        "folder with both; found %zu words",
                        args->n_words);
    }
    if (!cli_number(args, OPT_ALL_ON_SL, 0, SF_N_SLS - 1, &one_sl) ||
        !cli_number(args, OPT_TIMEOUT, 1, 86400, &timeout)) {
        return CLI_ERROR;
    }
    job.params.has_one_sl = args->values[OPT_ALL_ON_SL] != NULL;
    job.params.one_sl = (uint8_t)one_sl;
    job.params.has_port_0 = args->values[OPT_PORT_0] != NULL;
    const char *tables = args->words[args->n_words - 1];
    if (args->n_words == 1 && !is_folder(tables) && !sf_is_live(tables)) {
        return cli_fail("audit: expected the tables after the fabric, a "
                        "folder with both, or the word live; '%s' is no "
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
    code =
        args->values[OPT_SAVE] ? save(&job, args->values[OPT_SAVE]) : CLI_FINE;
    if (code == CLI_FINE) {
        code = audit(args, &job);
    }

done:
    sf_path_sls_free(job.path_sls);
    sf_sl2vl_free(job.sl2vl);
    sf_tables_free(job.tables);
    sf_fabric_free(job.fabric);
    return code;
}

const struct cli_command cli_command_audit = {
    .name = "audit",
    .arguments = "FABRIC [TABLES]",
    .summary = "prove that tables reach everything and cannot deadlock",
    .description =
        "Follows every path that the forwarding tables of the switches make, "
        "trusting nothing that made them: every LID is reached from every "
        "switch, without loops; how long the paths are and how they load the "
        "links; and whether packets can wait for each other in a circle, if "
        "senders use the service level of each path, if replies use that of "
        "the request, and, with --all-on-sl, if all use one. What is wrong "
        "is shown with an example: for a deadlock, a shortest circle of "
        "switch, port and virtual lane, and a path for each step.\n"
        "\n"
        "FABRIC is a folder that 'slimfly route' or OpenSM wrote, what "
        "ibnetdiscover prints, a cache of it, opensm-subnet.lst, or the word "
        "live; it has LIDs. TABLES is a "
        "folder that 'slimfly route' or OpenSM wrote, with opensm-lfts.dump "
        "and perhaps opensm-sl2vl.dump and path-sl.csv, a file like the "
        "first, or the word live (live:DEVICE:PORT, such as live:mlx5_0:1, "
        "where this machine has several ports): then forwarding and SL-to-VL "
        "tables are "
        "read back from the switches. Without SL-to-VL tables all is on "
        "virtual lane 0. If TABLES is left out, it is the same as FABRIC.\n"
        "\n"
        "--path-sls says where the service levels of paths come from: file "
        "takes path-sl.csv, and without it all is on service level 0; ask "
        "asks the subnet manager of the live fabric for every path from the "
        "first host of each switch, thousands a second; sample asks only for "
        "paths to switches and to the first host on each, and takes those to "
        "other hosts to be the same.\n"
        "\n"
        "Packets start at hosts. With --port-0 they start at switches too, "
        "as the answers of their management agents do: on the virtual lane "
        "that the SL-to-VL tables give for in port 0 or, where they do not "
        "say, on those for packets from hosts of the switch, or from any of "
        "its ports if it has no hosts.\n"
        "\n"
        "The exit code is 0 if the routing is sound and 1 if not.",
    .examples =
        "slimfly audit tables\tWhat 'slimfly route' wrote.\n"
        "slimfly audit /var/log\tWhat OpenSM dumped, if its log_flags are "
        "0x43.\n"
        "slimfly audit live --all-on-sl 0\tWhat the switches hold now, if "
        "all traffic is on SL 0.\n"
        "slimfly audit live /var/log --path-sls ask\tThe tables that OpenSM "
        "dumped, with the SLs that it tells senders.\n"
        "slimfly audit live --save seen\tAlso keep what was read.\n",
    .options = {
        [OPT_ALL_ON_SL] = { "all-on-sl", 's', "SL",
                            "see also what happens with all traffic on SL",
                            NULL },
        [OPT_PORT_0] = { "port-0", 0, NULL,
                         "let packets start at switches too, not only at "
                         "hosts",
                         NULL },
        [OPT_PATH_SLS] = { "path-sls", 'p', "WAY",
                           "where path SLs come from (file)",
                           path_sls_choice },
        [OPT_SAVE] = { "save", 0, "DIR",
                       "write what was read to DIR, as OpenSM dumps it",
                       NULL },
        [OPT_FORMAT] = { "format", 'f', "FORMAT", "how to write it (text)",
                         format_choice },
        [OPT_TIMEOUT] = { "timeout", 't', "SECONDS",
                          "give up on a live fabric after this long (600)", NULL },
        [OPT_OUTPUT] = { "output", 'o', "FILE",
                         "write to FILE instead of standard output", NULL },
    },
    .run = run,
};
