/* lldp_exec.c -- reports from commands: one that prints those of all switches,
 * or one for each switch.  The latter are run by a script of the shell,
 * several at a time, in one child process: when time is up, or a signal comes,
 * all of them end with it.  What they print goes through files of a folder
 * that is there only meanwhile. */
#define _GNU_SOURCE
#include "base/child.h"
#include "base/file.h"
#include "ip/lldp_reader.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PLACE     "{}" /* Where the name of the switch goes. */
#define N_AT_ONCE 16
#define NAME      "discovery"
#define SCRIPT    "run"

/* The commands of all switches under way. */
struct session {
    const struct sf_fabric *planned;
    const char *command;
    char *folder;
};

/* The path of the file of switch 'i' that ends with 'ending'; the caller frees
 * it. */
static char *
path_of(const struct session *session, uint32_t i, const char *ending)
{
    char *path;
    return asprintf(&path, "%s/%u.%s", session->folder, i, ending) < 0 ? NULL
                                                                       : path;
}

/* Writes 'text' as one word for the shell. */
static void
write_quoted(const char *text, FILE *stream)
{
    fputc('\'', stream);
    for (; *text; text++) {
        if (*text == '\'') {
            fputs("'\\''", stream);
        } else {
            fputc(*text, stream);
        }
    }
    fputc('\'', stream);
}

/* Writes the command with the name of a switch in all its places. */
static void
write_command(const char *command, const char *name, FILE *stream)
{
    for (const char *at; (at = strstr(command, PLACE));
         command = at + strlen(PLACE)) {
        fprintf(stream, "%.*s", (int)(at - command), command);
        write_quoted(name, stream);
    }
    fputs(command, stream);
}

/* Writes the script.  A command that fails leaves an empty file. */
static bool
write_script(const struct session *session, const char *path)
{
    FILE *stream = fopen(path, "w");

    if (!stream) {
        return false;
    }
    fputs("cd ", stream);
    write_quoted(session->folder, stream);
    fputs(" || exit\n", stream);
    for (uint32_t i = 0; i < session->planned->n_switches; i++) {
        fputs("{ (", stream);
        write_command(session->command, session->planned->nodes[i].name,
                      stream);
        /* On lines of its own, should the command end with a comment. */
        fprintf(stream,
                "\n) </dev/null >%u.json 2>%u.err || : >%u.json; } &\n", i, i,
                i);
        if ((i + 1) % N_AT_ONCE == 0) {
            fputs("wait\n", stream);
        }
    }
    fputs("wait\n", stream);
    return fclose(stream) == 0;
}

/* Adds the report of switch 'i', if there is one. */
static enum sf_status
read_report(const struct session *session, uint32_t i,
            struct lldp_reports *reports, struct sf_error *err)
{
    const char *name = session->planned->nodes[i].name;
    char *path = path_of(session, i, "json"), *text = NULL;
    size_t length;

    if (!path) {
        return sf_fail(err, SF_ENOMEM, "out of memory");
    }
    enum sf_status status = sf_file_read(path, &text, &length, err);
    if (status == SF_OK) {
        status = sf_lldp_reports_parse(reports, text, length, name, name, err);
    }
    free(text);
    free(path);
    return status;
}

/* Says why none of the commands succeeded: the last line that the first one
 * wrote to standard error. */
static enum sf_status
fail_all(const struct session *session, struct sf_error *err)
{
    char *path = path_of(session, 0, "err"), *text = NULL;
    const char *line = "";
    size_t length;

    if (path && sf_file_read(path, &text, &length, NULL) == SF_OK) {
        while (length > 0 && isspace((unsigned char)text[length - 1])) {
            text[--length] = '\0';
        }
        const char *newline = strrchr(text, '\n');
        line = newline ? newline + 1 : text;
    }
    enum sf_status status = sf_fail(
        err, SF_EIO, "'%.100s' failed for all %u switches; for %s it said: %s",
        session->command, session->planned->n_switches,
        session->planned->nodes[0].name, *line ? line : "nothing");
    free(text);
    free(path);
    return status;
}

/* Runs the script and reads what is there afterwards. */
static enum sf_status
run(const struct session *session, const char *script, unsigned timeout,
    struct lldp_reports *reports, struct sf_error *err)
{
    struct sf_printed printed = { 0 };
    char *command;

    if (!write_script(session, script)) {
        return sf_fail(err, SF_EIO, "%s: cannot write this file: %s", script,
                       strerror(errno));
    }
    if (asprintf(&command, "exec sh '%s'", script) < 0) {
        return sf_fail(err, SF_ENOMEM, "out of memory");
    }
    enum sf_status status =
        sf_child_shell(command, NAME, timeout, &printed, err);
    sf_printed_clear(&printed);
    free(command);
    for (uint32_t i = 0; status == SF_OK && i < session->planned->n_switches;
         i++) {
        status = read_report(session, i, reports, err);
    }
    return status == SF_OK && reports->list.n == 0 ? fail_all(session, err)
                                                   : status;
}

/* Removes the folder with all that the script may have left in it. */
static void
remove_folder(const struct session *session, const char *script)
{
    static const char *const endings[] = { "json", "err" };

    for (uint32_t i = 0; i < session->planned->n_switches; i++) {
        for (int k = 0; k < 2; k++) {
            char *path = path_of(session, i, endings[k]);
            if (path) {
                unlink(path);
            }
            free(path);
        }
    }
    if (script) {
        unlink(script);
    }
    rmdir(session->folder);
}

static enum sf_status
run_for_each(const char *command, unsigned timeout,
             const struct sf_fabric *planned, struct lldp_reports *reports,
             struct sf_error *err)
{
    const char *temporary = getenv("TMPDIR");
    struct session session = { planned, command, NULL };
    char *script = NULL;
    enum sf_status status;

    temporary = temporary && *temporary ? temporary : "/tmp";
    /* Quotes in it would end those of the shell. */
    if (strchr(temporary, '\'') ||
        asprintf(&session.folder, "%s/slimfly-lldp-XXXXXX", temporary) < 0) {
        return sf_fail(err, SF_EIO, "%s: cannot be used for temporary files",
                       temporary);
    }
    if (!mkdtemp(session.folder)) {
        status = sf_fail(err, SF_EIO, "%s: cannot make this folder: %s",
                         session.folder, strerror(errno));
        free(session.folder);
        return status;
    }
    if (asprintf(&script, "%s/" SCRIPT, session.folder) < 0) {
        script = NULL;
        status = sf_fail(err, SF_ENOMEM, "out of memory");
    } else {
        status = run(&session, script, timeout, reports, err);
    }
    remove_folder(&session, script);
    free(script);
    free(session.folder);
    return status;
}

enum sf_status
sf_lldp_discover_by(const char *command, unsigned timeout,
                    const struct sf_fabric *planned,
                    struct sf_fabric **fabricp, uint32_t *n_silentp,
                    struct sf_error *err)
{
    struct lldp_reports reports = { 0 };
    struct sf_printed printed = { 0 };

    *fabricp = NULL;
    if (!strstr(command, PLACE)) {
        enum sf_status status =
            sf_child_shell(command, NAME, timeout, &printed, err);
        if (status == SF_OK) {
            status = sf_lldp_parse(printed.text[0].items, printed.text[0].n,
                                   command, planned, fabricp, n_silentp, err);
        }
        sf_printed_clear(&printed);
        return status;
    }
    enum sf_status status = sf_lldp_check_names(planned, err);
    if (status == SF_OK) {
        status = run_for_each(command, timeout, planned, &reports, err);
    }
    if (status == SF_OK) {
        return sf_lldp_make_fabric(&reports, planned, fabricp, n_silentp, err);
    }
    sf_lldp_reports_clear(&reports);
    return status;
}
