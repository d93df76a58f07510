/* lab_use.c -- slimfly lab check, exec, fail, restore and status. */
#define _GNU_SOURCE
#include "lab_verbs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Findings that are shown as text; JSON has all. */
#define MOST_FINDINGS 20

int
cli_lab_check(const struct cli_lab *lab)
{
    struct sf_lab *opened = cli_lab_open(lab, SF_LAB_LOOK);
    struct sf_lab_check check;
    struct sf_error err;
    double start = cli_seconds();

    if (!opened) {
        return CLI_ERROR;
    }
    int code = cli_lab_told(sf_lab_check(opened, &check, &err), &err);
    if (code == CLI_FINE) {
        cli_progress_end();
        if (cli_is(lab->args, OPT_FORMAT, "json")) {
            code = cli_lab_told(
                sf_lab_check_write_json(opened, &check, stdout, &err), &err);
        } else {
            sf_lab_check_write_text(opened, &check, cli_seconds() - start,
                                    MOST_FINDINGS, stdout);
        }
        code = code == CLI_FINE && check.n_findings ? CLI_FINDINGS : code;
        sf_lab_check_clear(&check);
    }
    sf_lab_close(opened);
    return code;
}

int
cli_lab_exec(const struct cli_lab *lab)
{
    struct sf_lab *opened = cli_lab_open(lab, SF_LAB_LOOK);
    char **words = calloc(lab->n_words, sizeof *words);
    struct sf_error err;
    int code = CLI_ERROR;

    /* The command line ends with a NULL, as execvp() wants it. */
    for (size_t i = 1; words && i < lab->n_words; i++) {
        words[i - 1] = strdup(lab->words[i]);
    }
    uint32_t node = opened ? sf_lab_find(opened, lab->words[0]) : SF_NONE;
    if (!words || !words[0]) {
        cli_fail("out of memory");
    } else if (opened && node == SF_NONE) {
        cli_fail("lab exec: the lab '%s' has no node '%s'", lab->name,
                 lab->words[0]);
    } else if (opened && sf_lab_enter(opened, node, &err) != SF_OK) {
        cli_fail("%s", err.text);
    } else if (opened) {
        cli_progress_end();
        execvp(words[0], words);
        /* As shells have it. */
        code = errno == ENOENT ? 127 : 126;
        cli_fail("lab exec: %s: %s", words[0], strerror(errno));
    }
    for (size_t i = 0; words && i < lab->n_words; i++) {
        free(words[i]);
    }
    free(words);
    sf_lab_close(opened);
    return code;
}

/* Finds the links that the words name. */
static enum sf_status
find_links(const struct cli_lab *lab, const struct sf_lab *opened,
           struct sf_lab_links *links, struct sf_error *err)
{
    enum sf_status status = SF_OK;

    for (size_t i = 0; status == SF_OK && i < lab->n_words; i++) {
        status = sf_lab_find_links(opened, lab->words[i], links, err);
    }
    return status;
}

/* Tells which links were changed, or are down. */
static int
tell_links(const struct cli_lab *lab, const struct sf_lab *opened,
           const char *what, const struct sf_lab_links *links)
{
    struct sf_error err;

    cli_progress_end();
    if (cli_is(lab->args, OPT_FORMAT, "json")) {
        return cli_lab_told(
            sf_lab_links_write_json(opened, what, links, stdout, &err), &err);
    }
    sf_lab_links_write_text(opened, what, links, stdout);
    return CLI_FINE;
}

static int
change_links(const struct cli_lab *lab, bool is_restore)
{
    struct sf_lab *opened = cli_lab_open(lab, SF_LAB_CHANGE);
    struct sf_lab_links links = { 0 };
    struct sf_error err;

    if (!opened) {
        return CLI_ERROR;
    }
    enum sf_status status = lab->n_words
                                ? find_links(lab, opened, &links, &err)
                                : sf_lab_find_down(opened, &links, &err);
    if (status == SF_OK) {
        status = is_restore ? sf_lab_restore(opened, &links, &err)
                            : sf_lab_fail(opened, &links, &err);
    }
    int code =
        status == SF_OK
            ? tell_links(lab, opened, is_restore ? "restored" : "down", &links)
            : cli_fail("%s", err.text);
    sf_lab_links_clear(&links);
    sf_lab_close(opened);
    return code;
}

int
cli_lab_fail(const struct cli_lab *lab)
{
    return change_links(lab, false);
}

int
cli_lab_restore(const struct cli_lab *lab)
{
    return change_links(lab, true);
}

int
cli_lab_status(const struct cli_lab *lab)
{
    struct sf_lab *opened = cli_lab_open(lab, SF_LAB_LOOK);
    struct sf_lab_links links = { 0 };
    struct sf_error err;

    if (!opened) {
        return CLI_ERROR;
    }
    int code = cli_lab_told(sf_lab_find_down(opened, &links, &err), &err);
    if (code == CLI_FINE && cli_is(lab->args, OPT_FORMAT, "json")) {
        code = cli_lab_told(
            sf_lab_status_write_json(opened, &links, stdout, &err), &err);
    } else if (code == CLI_FINE) {
        sf_lab_status_write_text(opened, &links, stdout);
    }
    sf_lab_links_clear(&links);
    sf_lab_close(opened);
    return code;
}
