/* changes.c -- slimfly audit OLD NEW: is a change of tables safe while it is
 * made? */
#include "changes.h"

#include "held.h"

#include <stdlib.h>

/* A side of the change as it was loaded. */
struct side {
    struct sf_fabric *fabric;
    struct cli_held held;
};

static bool
has_tables(const char *word)
{
    char *path =
        cli_is_folder(word) ? cli_find_in_folder(word, CLI_TABLES_FILE) : NULL;

    free(path);
    return path != NULL;
}

bool
cli_is_change(const char *before, const char *after)
{
    return has_tables(before) && has_tables(after);
}

static bool
load(struct side *side, const char *word, uint32_t timeout,
     struct sf_error *err)
{
    if (!has_tables(word) && !sf_is_live(word)) {
        cli_fail("audit: expected a folder with tables that 'slimfly route' "
                 "or OpenSM wrote, or the word live; found '%s'",
                 word);
        return false;
    }
    side->fabric = cli_load_fabric(word, timeout);
    if (!side->fabric) {
        return false;
    }
    if (cli_held_load(&side->held, word, side->fabric, timeout, err) !=
        SF_OK) {
        cli_fail("%s", err->text);
        return false;
    }
    return true;
}

static void
clear(struct side *side)
{
    cli_held_clear(&side->held);
    sf_fabric_free(side->fabric);
}

static int
write_mixture(const struct sf_mixture *mixture, const struct sf_fabric *fabric,
              bool is_json, const char *path)
{
    struct cli_output output;
    struct sf_error err = { 0 };
    enum sf_status status = SF_OK;

    if (!cli_output_open(&output, path)) {
        return CLI_ERROR;
    }
    if (is_json) {
        status = sf_mixture_write_json(mixture, fabric, output.stream, &err);
    } else {
        sf_mixture_write_text(mixture, fabric, output.stream);
    }
    int code = cli_output_close(&output, status, &err);
    return code == CLI_FINE && !mixture->is_safe ? CLI_FINDINGS : code;
}

/* Brings both sides to the fabric that is there while tables are written, and
 * judges. */
static int
judge(struct side *before, struct side *after, bool is_old_live,
      const struct sf_mixture_params *params, bool is_json, const char *output)
{
    struct sf_error err = { 0 };
    struct sf_mixture *mixture;
    struct side *there = is_old_live ? before : after;
    struct side *other = is_old_live ? after : before;
    enum sf_status status =
        sf_lids_check_same(before->fabric, after->fabric, &err);

    if (status == SF_OK) {
        status =
            cli_held_carry(&other->held, other->fabric, there->fabric, &err);
    }
    if (status == SF_OK) {
        status = sf_mixture_build(
            there->fabric,
            &(struct sf_mixture_side){ before->held.tables, before->held.sl2vl,
                                       before->held.path_sls },
            &(struct sf_mixture_side){ after->held.tables, after->held.sl2vl,
                                       after->held.path_sls },
            params, &mixture, &err);
    }
    if (status != SF_OK) {
        return cli_fail("%s", err.text);
    }
    int code = write_mixture(mixture, there->fabric, is_json, output);
    sf_mixture_free(mixture);
    return code;
}

int
cli_judge_change(const char *before, const char *after,
                 const struct sf_mixture_params *params, uint32_t timeout,
                 bool is_json, const char *output)
{
    struct side sides[2] = { 0 };
    struct sf_error err = { 0 };
    int code = CLI_ERROR;

    if (load(&sides[0], before, timeout, &err) &&
        load(&sides[1], after, timeout, &err)) {
        code = judge(&sides[0], &sides[1], sf_is_live(before), params, is_json,
                     output);
    }
    clear(&sides[1]);
    clear(&sides[0]);
    return code;
}
