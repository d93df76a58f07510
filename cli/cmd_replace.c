/* cmd_replace.c -- slimfly replace: a switch or adapter with another GUID in
 * the place of an old one.  The work on files is done in replaced_files.c. */
#include "replaced_files.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPT_LIST = CLI_OWN,
    OPT_DRY_RUN,
    OPT_FABRIC,
    OPT_PLAN,
    OPT_BASE,
    OPT_CONF,
};

static const struct cli_option options[] = {
    { OPT_LIST, "list", 'l', CLI_FLAG,
      .help = "list nodes of the fabric whose cables tell that they took the "
              "place of others" },
    { OPT_DRY_RUN, "dry-run", 'n', CLI_FLAG,
      .help = "say what would be changed, and change nothing" },
    { OPT_FABRIC, "fabric", 0, CLI_FILE, "FABRIC",
      .help = "the fabric as it is now", .value = "live" },
    { OPT_PLAN, "plan", 0, CLI_FILE, "PLAN",
      .help = "the plan whose GUIDs are to be changed",
      .otherwise = "what the plugin's options say" },
    { OPT_BASE, "base", 0, CLI_FILE, "FILE",
      .help = "the fabric that the plugin keeps",
      .otherwise = "what the plugin's options say" },
    { OPT_CONF, "conf", 0, CLI_FILE, "FILE",
      .help = "the options of the plugin for OpenSM",
      .otherwise = CLI_PLUGIN_FILE ", if it is there" },
    CLI_FORMAT(cli_text_or_json),
    { 0 },
};

/* Reads which files there are. */
static bool
read_conf(const struct cli_args *args, struct cli_plugin_conf *conf)
{
    const struct {
        int id;
        char *path;
    } given[] = { { OPT_PLAN, conf->plan },
                  { OPT_GUIDS, conf->guids },
                  { OPT_BASE, conf->base } };

    if (!cli_plugin_conf_load(cli_text(args, OPT_CONF), conf)) {
        return false;
    }
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        if (cli_text(args, given[i].id)) {
            snprintf(given[i].path, CLI_CONF_SIZE, "%s",
                     cli_text(args, given[i].id));
        }
    }
    if (!conf->plan[0] && !conf->guids[0] && !conf->base[0]) {
        cli_fail("replace: expected --plan, --guids or --base, or the options "
                 "of the plugin, which name them, in " CLI_PLUGIN_FILE);
        return false;
    }
    return true;
}

/* Reads "0x..."; false if it is none. */
static bool
read_guid(const char *word, uint64_t *guidp)
{
    char *end;

    if (strncmp(word, "0x", 2) != 0 && strncmp(word, "0X", 2) != 0) {
        return false;
    }
    *guidp = strtoull(word, &end, 16);
    return *guidp && !*end && strlen(word) <= 18;
}

/* The GUID that 'fabric' has in the place of 'old_guid', as far as the cables
 * of 'known' tell; 0 if they do not. */
static uint64_t
find_proposed(const struct sf_fabric *known, const struct sf_fabric *fabric,
              uint64_t old_guid)
{
    struct sf_replacements found = { 0 };
    uint64_t guid = 0;

    if (known && sf_replacements_find(known, fabric, &found, NULL) == SF_OK) {
        for (uint32_t i = 0; !guid && i < found.n; i++) {
            guid = found.items[i].old_guid == old_guid
                       ? found.items[i].new_guid
                       : 0;
        }
    }
    sf_replacements_clear(&found);
    return guid;
}

static bool
has_guid(const struct sf_fabric *fabric, uint64_t guid)
{
    for (uint32_t i = 0; i < fabric->n_nodes; i++) {
        if (fabric->nodes[i].guid == guid) {
            return true;
        }
    }
    return false;
}

/* Says what of the fabric speaks against it. */
static void
warn(const struct sf_fabric *fabric, const struct cli_replaced *before,
     uint64_t old_guid, uint64_t new_guid)
{
    struct sf_fabric *planned = NULL;
    bool is_there = has_guid(fabric, new_guid);

    if (before->plan &&
        sf_replacements_planned(before->plan->fabric, before->map, fabric,
                                &planned, NULL) != SF_OK) {
        return;
    }
    uint64_t proposed = find_proposed(planned, fabric, old_guid);
    proposed =
        proposed ? proposed : find_proposed(before->base, fabric, old_guid);
    sf_fabric_free(planned);
    if (is_there && (!proposed || proposed == new_guid)) {
        return;
    }
    cli_progress_end();
    if (!is_there) {
        fprintf(stderr,
                "slimfly: warning: 0x%016" PRIx64
                " is not in the fabric as it is now\n",
                new_guid);
    }
    if (proposed && proposed != new_guid) {
        fprintf(stderr,
                "slimfly: warning: by its cables, 0x%016" PRIx64
                " stands in the place of 0x%016" PRIx64 "\n",
                proposed, old_guid);
    }
}

/* Looks at the fabric, where it can be seen; only one that was asked for must
 * be there.  'files' are those of before. */
static bool
look(const struct cli_args *args, const struct cli_replaced *files,
     uint64_t old_guid, uint64_t new_guid)
{
    const char *word = cli_text(args, OPT_FABRIC);
    struct sf_fabric *fabric = NULL;
    bool is_asked = cli_has(args, OPT_FABRIC);

    if (is_asked) {
        fabric = cli_load_fabric(word, cli_number(args, OPT_TIMEOUT));
    } else if (sf_fabric_discover(word, cli_number(args, OPT_TIMEOUT), &fabric,
                                  NULL, NULL) != SF_OK) {
        fabric = NULL;
    }
    if (fabric) {
        warn(fabric, files, old_guid, new_guid);
    }
    bool is_fine = fabric || !is_asked;
    sf_fabric_free(fabric);
    return is_fine;
}

static int
replace(const struct cli_args *args, struct cli_replaced *files)
{
    uint64_t new_guid, old_guid = 0;
    const char *old = args->words[0];

    if (!read_guid(args->words[1], &new_guid)) {
        return cli_fail("replace: expected the GUID of the new node, such as "
                        "0x0002c90200000030, found '%s'",
                        args->words[1]);
    }
    if (!read_guid(old, &old_guid)) {
        old_guid = cli_replaced_find(files, old);
        if (!old_guid) {
            return cli_fail("replace: neither the GUID map, the plan nor the "
                            "base has '%s'; expected a node of these, or its "
                            "GUID",
                            old);
        }
    }
    if (old_guid == new_guid) {
        return cli_fail("replace: both are 0x%016" PRIx64, new_guid);
    }
    if (!cli_replaced_check(files, old_guid, new_guid) ||
        !look(args, files, old_guid, new_guid)) {
        return CLI_ERROR;
    }
    return cli_replaced_write(files, old_guid, new_guid,
                              cli_has(args, OPT_DRY_RUN));
}

/* What was replaced, beside the nodes that were known. */
struct replaced {
    const struct sf_fabric *known; /* NULL: nobody was. */
    struct sf_replacements found;
};

/* Whether 'guid' is the new one of one of the first 'n'. */
static bool
has_new(const struct sf_replacements *found, uint32_t n, uint64_t guid)
{
    for (uint32_t i = 0; i < n; i++) {
        if (found->items[i].new_guid == guid) {
            return true;
        }
    }
    return false;
}

/* Whether the item 'i' is worth a line: not an adapter in the place of itself,
 * not another port of one that has a line, and nothing that 'before' has. */
static bool
is_news(const struct sf_replacements *found, uint32_t i,
        const struct sf_replacements *before)
{
    const struct sf_replacement *item = &found->items[i];

    return item->old_guid != item->new_guid &&
           !has_new(found, i, item->new_guid) &&
           !(before && has_new(before, before->n, item->new_guid));
}

/* Prints what was found, but for nodes that 'before' has.  Returns how many
 * were printed, 'n_printed' included. */
static uint32_t
print(const struct replaced *replaced, const struct sf_replacements *before,
      uint32_t n_printed, bool is_json)
{
    for (uint32_t i = 0; replaced->known && i < replaced->found.n; i++) {
        const struct sf_replacement *item = &replaced->found.items[i];
        if (!is_news(&replaced->found, i, before)) {
            continue;
        }
        if (is_json) {
            printf("%s  { \"kind\": \"%s\", \"old_guid\": \"0x%016" PRIx64
                   "\", \"new_guid\": \"0x%016" PRIx64 "\" }",
                   n_printed ? ",\n" : "[\n",
                   item->is_switch ? "switch" : "host", item->old_guid,
                   item->new_guid);
        } else {
            printf("%s  %s: slimfly replace 0x%016" PRIx64 " 0x%016" PRIx64
                   "\n",
                   n_printed ? "" : "replaced:\n",
                   replaced->known->nodes[item->old_node].name, item->old_guid,
                   item->new_guid);
        }
        n_printed++;
    }
    return n_printed;
}

/* Lists what the cables of 'fabric' tell. */
static int
compare(const struct replaced *known, const struct sf_fabric *fabric,
        bool is_json)
{
    struct replaced replaced[2] = { known[0], known[1] };
    struct sf_error err;
    enum sf_status status = SF_OK;
    int code = CLI_ERROR;

    for (int i = 0; i < 2 && status == SF_OK; i++) {
        if (replaced[i].known) {
            status = sf_replacements_find(replaced[i].known, fabric,
                                          &replaced[i].found, &err);
        }
    }
    if (status == SF_OK) {
        cli_progress_end();
        uint32_t n = print(&replaced[0], NULL, 0, is_json);
        n = print(&replaced[1], &replaced[0].found, n, is_json);
        if (is_json) {
            puts(n ? "\n]" : "[\n]");
        } else if (n == 0) {
            puts("nothing was replaced");
        }
        code = n ? CLI_FINDINGS : CLI_FINE;
    } else {
        cli_fail("%s", err.text);
    }
    sf_replacements_clear(&replaced[0].found);
    sf_replacements_clear(&replaced[1].found);
    return code;
}

/* Lists what was replaced: nodes that the plan does not have, and those that
 * the base does not.  The plugin changes the base by itself. */
static int
list(const struct cli_args *args, const struct cli_replaced *files)
{
    struct replaced known[2] = { { .known = NULL }, { .known = files->base } };

    if (!files->plan && !files->base) {
        return cli_fail("replace: --list needs --base or --plan");
    }
    struct sf_fabric *planned = NULL;
    struct sf_fabric *fabric = cli_load_fabric(cli_text(args, OPT_FABRIC),
                                               cli_number(args, OPT_TIMEOUT));
    if (!fabric) {
        return CLI_ERROR;
    }
    struct sf_error err;
    enum sf_status status =
        files->plan ? sf_replacements_planned(files->plan->fabric, files->map,
                                              fabric, &planned, &err)
                    : SF_OK;
    known[0].known = planned;
    int code = status == SF_OK
                   ? compare(known, fabric, cli_is(args, OPT_FORMAT, "json"))
                   : cli_fail("%s", err.text);
    sf_fabric_free(fabric);
    sf_fabric_free(planned);
    return code;
}

static int
run(const struct cli_args *args)
{
    struct cli_plugin_conf conf;
    struct cli_replaced files;
    bool is_list = cli_has(args, OPT_LIST);
    int code = CLI_ERROR;

    if (args->n_words != (is_list ? 0 : 2)) {
        return cli_fail(is_list ? "replace: --list takes no words"
                                : "replace: expected the old node and the "
                                  "GUID of the new one, or --list");
    }
    if (!read_conf(args, &conf)) {
        return CLI_ERROR;
    }
    if (cli_replaced_open(&conf, &files)) {
        code = is_list ? list(args, &files) : replace(args, &files);
    }
    cli_replaced_close(&files);
    return code;
}

const struct cli_command cli_command_replace = {
    .name = "replace",
    .group = CLI_RUN,
    .arguments = "OLD NEW",
    .summary =
        "a switch or adapter with a new GUID in the place of an old one",
    .description =
        "Confirms that the node with the GUID NEW stands in the place of OLD, "
        "a planned name or a GUID. The plugin for OpenSM recognises a new "
        "node by its cables: if its cables lead where those of a missing node "
        "led, it keeps the LIDs and the tables, and nothing else changes. "
        "'slimfly status' tells of it. But the GUID map, the plan and the "
        "base still have the old GUID, so that names are not known after a "
        "restart. replace changes it in these files, as far as they have it: "
        "in the map of --guids, in all files of the plan, and in the base. "
        "Each is replaced as a whole. A GUID that another node of these files "
        "has is refused. If the fabric can be seen, and has no node with the "
        "GUID NEW, or has another one in the place of OLD, a warning says "
        "so.\n"
        "\n"
        "With --list, it compares the plan with the GUIDs of the map, and the "
        "base, with the fabric, and lists what was replaced. What the plugin "
        "has recognised is listed until the plan and the map have it, too. "
        "A planned node that the map lacks is listed only if most GUIDs of "
        "the plan, of its switches or of its hosts, are in the fabric: "
        "otherwise nobody knows which GUID it had. The exit code is 1 if "
        "there is something.",
    .examples = "slimfly replace --list\tWhat was replaced?\n"
                "slimfly replace sf-0-0-1 0x0002c90200000030\tA switch has "
                "another GUID.\n",
    .options = { options, cli_guid_options, cli_live_options,
                 cli_progress_options },
    .run = run,
};
