/* cmd_audit.c -- slimfly audit: do the tables lead everywhere, and can packets
 * ever wait for each other in a circle? */
#define _GNU_SOURCE
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    OPT_ALL_ON_SL,
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

/* Whether anything in 'fabric' has a LID. */
static bool
has_lids(const struct sf_fabric *fabric)
{
    for (uint32_t i = 0; i < fabric->n_nodes; i++) {
        if (fabric->nodes[i].lid) {
            return true;
        }
    }
    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        if (fabric->ports[i].lid) {
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
    uint32_t timeout = 60, one_sl = 0;
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
    const char *tables = args->words[args->n_words - 1];
    if (args->n_words == 1 && !is_folder(tables)) {
        return cli_fail("audit: expected the tables after the fabric, or a "
                        "folder with both; '%s' is no folder",
                        tables);
    }
    job.fabric = cli_load_fabric(args->words[0], timeout);
    if (!job.fabric) {
        return CLI_ERROR;
    }
    if (!has_lids(job.fabric)) {
        code = cli_fail("audit: nothing in '%s' has a LID; expected a folder "
                        "that 'slimfly route' wrote, or what ibnetdiscover "
                        "prints of a subnet that is up",
                        args->words[0]);
        goto done;
    }
    enum sf_status status =
        is_folder(tables)
            ? load_folder(&job, tables, &err)
            : sf_tables_read(tables, job.fabric, &job.tables, &err);
    code = status == SF_OK ? audit(args, &job) : cli_fail("%s", err.text);

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
        "FABRIC is a folder that 'slimfly route' wrote, what ibnetdiscover "
        "prints, a cache of it, or the word live; it has LIDs. TABLES is a "
        "folder that 'slimfly route' or OpenSM wrote, with opensm-lfts.dump "
        "and perhaps opensm-sl2vl.dump and path-sl.csv, or a file like the "
        "first. Without SL-to-VL tables all is on virtual lane 0; without "
        "path SLs, on service level 0. If TABLES is left out, it is the same "
        "folder as FABRIC.\n"
        "\n"
        "The exit code is 0 if the routing is sound and 1 if not.",
    .examples =
        "slimfly audit tables\tWhat 'slimfly route' wrote.\n"
        "slimfly audit live /var/log --all-on-sl 0\tThe tables that OpenSM "
        "dumped, if all traffic is on SL 0.\n",
    .options = {
        [OPT_ALL_ON_SL] = { "all-on-sl", 's', "SL",
                            "see also what happens with all traffic on SL",
                            NULL },
        [OPT_FORMAT] = { "format", 'f', "FORMAT", "how to write it (text)",
                         format_choice },
        [OPT_TIMEOUT] = { "timeout", 't', "SECONDS",
                          "end a live discovery after this long (60)", NULL },
        [OPT_OUTPUT] = { "output", 'o', "FILE",
                         "write to FILE instead of standard output", NULL },
    },
    .run = run,
};
