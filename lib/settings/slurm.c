/* slurm.c -- the tree that Slurm takes a network for: hosts under their
 * switch, switches under their rack, racks under one root.
 *
 * Neither form can tell a Slim Fly from a tree; what is true of it is that
 * hosts of a switch are nearest.  That packed jobs are congested is from
 * [Blach24]. */
#include "base/mem.h"
#include "settings/hostlist_text.h"
#include "settings/machines.h"
#include "settings/places.h"
#include "settings/settings_writers.h"

#include <inttypes.h>
#include <string.h>

#define ROOT      "fabric"
#define NAME_SIZE 65 /* Slurm's names have 64 characters at most. */

/* The tree: leaves are switches with hosts, in linear order. */
struct tree {
    struct sf_hosts hosts;
    char (*names)[NAME_SIZE]; /* [n_leaves] Of the leaves. */
    uint32_t *first;          /* [n_leaves + 1] Their first hosts. */
    uint32_t n_leaves;
    const struct sf_plan *plan;
    bool has_racks; /* Whether there is a level between leaves and root. */
};

static uint32_t
rack_of(const struct tree *tree, uint32_t leaf)
{
    return tree->hosts.items[tree->first[leaf]].rack;
}

/* What the rack of a leaf is called. */
static void
rack_name(const struct tree *tree, uint32_t leaf, char name[NAME_SIZE])
{
    uint32_t rack = rack_of(tree, leaf);

    /* "other" are switches that are not in the plan. */
    snprintf(name, NAME_SIZE, "rack-%s",
             rack != SF_NONE ? tree->plan->racks[rack].name : "other");
}

/* The name of a switch in characters that need no quoting anywhere. */
static void
plain_name(const struct sf_node *node, uint32_t number, bool by_name,
           char name[NAME_SIZE])
{
    if (!by_name && node->guid) {
        snprintf(name, NAME_SIZE, "S-%016" PRIx64, node->guid);
        return;
    }
    if (!by_name || !node->name[0]) {
        snprintf(name, NAME_SIZE, "S-%" PRIu32, number);
        return;
    }
    snprintf(name, NAME_SIZE, "%s", node->name);
    for (char *at = name; *at; at++) {
        bool is_plain = (*at >= 'a' && *at <= 'z') ||
                        (*at >= 'A' && *at <= 'Z') ||
                        (*at >= '0' && *at <= '9') || *at == '-' ||
                        *at == '.' || *at == '_';
        if (!is_plain) {
            *at = '_';
        }
    }
}

static int
compare_names(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Whether the names of leaves differ from each other and from those above
 * them. */
static bool
are_unique(const struct tree *tree, char (*sorted)[NAME_SIZE])
{
    memcpy(sorted, tree->names, tree->n_leaves * sizeof *sorted);
    qsort(sorted, tree->n_leaves, sizeof *sorted, compare_names);
    for (uint32_t i = 0; i < tree->n_leaves; i++) {
        if ((i && !strcmp(sorted[i], sorted[i - 1])) ||
            !strcmp(sorted[i], ROOT) || !strncmp(sorted[i], "rack-", 5)) {
            return false;
        }
    }
    return true;
}

static void
name_leaves(struct tree *tree, const struct sf_fabric *fabric, bool by_name)
{
    for (uint32_t i = 0; i < tree->n_leaves; i++) {
        uint32_t at = tree->hosts.items[tree->first[i]].at;
        plain_name(&fabric->nodes[at], at, by_name, tree->names[i]);
    }
}

static void
clear_tree(struct tree *tree)
{
    sf_hosts_clear(&tree->hosts);
    free(tree->names);
    free(tree->first);
    *tree = (struct tree){ 0 };
}

/* Finds the leaves in the list of hosts. */
static void
find_leaves(struct tree *tree)
{
    for (uint32_t i = 0; i < tree->hosts.n; i++) {
        if (!i || tree->hosts.items[i].at != tree->hosts.items[i - 1].at) {
            tree->first[tree->n_leaves++] = i;
        }
    }
    tree->first[tree->n_leaves] = tree->hosts.n;
    /* Racks help if there are several, and several switches in one. */
    uint32_t n_racks = 1;
    for (uint32_t i = 1; i < tree->n_leaves; i++) {
        n_racks += rack_of(tree, i) != rack_of(tree, i - 1);
    }
    tree->has_racks = tree->plan && n_racks > 1 && n_racks < tree->n_leaves;
}

static enum sf_status
make_tree(const struct sf_settings *settings, struct tree *tree,
          struct sf_error *err)
{
    *tree = (struct tree){ .plan = settings->plan };
    enum sf_status status =
        sf_hosts_list(settings->fabric, settings->plan, &tree->hosts, err);
    if (status != SF_OK) {
        return status;
    }
    uint32_t n = tree->hosts.n;
    char(*sorted)[NAME_SIZE] = sf_calloc(n, sizeof *sorted);
    tree->names = sf_calloc(n, sizeof *tree->names);
    tree->first = sf_calloc(n + 1, sizeof *tree->first);
    if (!sorted || !tree->names || !tree->first) {
        free(sorted);
        clear_tree(tree);
        return sf_fail(err, SF_ENOMEM, "out of memory for Slurm's tree");
    }
    find_leaves(tree);
    name_leaves(tree, settings->fabric, true);
    if (!are_unique(tree, sorted)) {
        name_leaves(tree, settings->fabric, false);
    }
    free(sorted);
    return SF_OK;
}

/* One of the two ways to write a line: a switch and what is below it, a list
 * of names as Slurm folds it. */
struct form {
    const char *nodes;    /* Up to the names of nodes; %s is the switch. */
    const char *switches; /* The same for switches. */
    const char *end;
};

static void
write_start(const char *pattern, const char *name, FILE *stream)
{
    const char *place = strstr(pattern, "%s");
    fwrite(pattern, 1, (size_t)(place - pattern), stream);
    fputs(name, stream);
    fputs(place + 2, stream);
}

static void
write_leaf(const struct tree *tree, const struct form *form, uint32_t leaf,
           FILE *stream)
{
    struct sf_hostlist below = { .stream = stream };

    write_start(form->nodes, tree->names[leaf], stream);
    for (uint32_t i = tree->first[leaf]; i < tree->first[leaf + 1]; i++) {
        sf_hostlist_add(&below, tree->hosts.items[i].name);
    }
    sf_hostlist_end(&below);
    fputs(form->end, stream);
}

/* The first leaf after those of the same rack as 'leaf'. */
static uint32_t
next_rack(const struct tree *tree, uint32_t leaf)
{
    uint32_t next = leaf + 1;
    while (next < tree->n_leaves &&
           rack_of(tree, next) == rack_of(tree, leaf)) {
        next++;
    }
    return next;
}

static void
write_racks(const struct tree *tree, const struct form *form, FILE *stream)
{
    char name[NAME_SIZE];

    for (uint32_t i = 0; i < tree->n_leaves; i = next_rack(tree, i)) {
        struct sf_hostlist below = { .stream = stream };
        rack_name(tree, i, name);
        write_start(form->switches, name, stream);
        for (uint32_t k = i; k < next_rack(tree, i); k++) {
            sf_hostlist_add(&below, tree->names[k]);
        }
        sf_hostlist_end(&below);
        fputs(form->end, stream);
    }
}

static void
write_tree(const struct tree *tree, const struct form *form, FILE *stream)
{
    struct sf_hostlist below = { .stream = stream };
    char name[NAME_SIZE];

    for (uint32_t i = 0; i < tree->n_leaves; i++) {
        write_leaf(tree, form, i, stream);
    }
    if (tree->has_racks) {
        write_racks(tree, form, stream);
    }
    if (tree->n_leaves < 2) {
        return;
    }
    write_start(form->switches, ROOT, stream);
    for (uint32_t i = 0; i < tree->n_leaves;
         i = tree->has_racks ? next_rack(tree, i) : i + 1) {
        if (tree->has_racks) {
            rack_name(tree, i, name);
        } else {
            memcpy(name, tree->names[i], sizeof name);
        }
        sf_hostlist_add(&below, name);
    }
    sf_hostlist_end(&below);
    fputs(form->end, stream);
}

/* What both files say of themselves. */
static void
write_head(const struct tree *tree, FILE *stream)
{
    sf_settings_comment(
        tree->has_racks
            ? "The network as Slurm's topology/tree sees it: hosts under "
              "their switch, switches under their rack, racks under one root."
            : "The network as Slurm's topology/tree sees it: hosts under "
              "their switch, switches under one root.",
        stream);
    fputs("#\n", stream);
    sf_settings_comment(
        "Slurm then packs a job onto as few switches as it can. In the first "
        "Slim Fly that was built this congested jobs of 8 to 32 hosts, whose "
        "switches share few links; where it shows, leave the tree out and "
        "place jobs by hostfile.spread or hostfile.random.",
        stream);
    fputs("#\n", stream);
}

enum sf_status
sf_settings_write_topology_conf(const struct sf_settings *settings,
                                FILE *stream, struct sf_error *err)
{
    static const struct form form = { "SwitchName=%s Nodes=",
                                      "SwitchName=%s Switches=", "\n" };
    struct tree tree;
    enum sf_status status = make_tree(settings, &tree, err);

    if (status == SF_OK) {
        write_head(&tree, stream);
        sf_settings_comment("Goes beside slurm.conf, which needs "
                            "TopologyPlugin=topology/tree. Slurm does not "
                            "read it if there is a topology.yaml.",
                            stream);
        fputc('\n', stream);
        write_tree(&tree, &form, stream);
        clear_tree(&tree);
    }
    return status;
}

enum sf_status
sf_settings_write_topology_yaml(const struct sf_settings *settings,
                                FILE *stream, struct sf_error *err)
{
    static const struct form form = {
        "      - switch: \"%s\"\n        nodes: \"",
        "      - switch: \"%s\"\n        children: \"", "\"\n"
    };
    struct tree tree;
    enum sf_status status = make_tree(settings, &tree, err);

    if (status == SF_OK) {
        write_head(&tree, stream);
        sf_settings_comment("Goes beside slurm.conf, for Slurm 25.05 and "
                            "newer, which then does not read topology.conf; "
                            "for older ones there is that.",
                            stream);
        fputs("---\n- topology: " ROOT "\n  cluster_default: true\n"
              "  tree:\n    switches:\n",
              stream);
        write_tree(&tree, &form, stream);
        clear_tree(&tree);
    }
    return status;
}

enum sf_status
sf_settings_write_slurm_jobs(const struct sf_settings *settings, FILE *stream,
                             struct sf_error *err)
{
    (void)err;
    sf_settings_comment(
        "For slurm.conf, or to be included from there: when a job starts and "
        "when it has ended, the controller tells the file of jobs, and the "
        "slimfly plugin of OpenSM routes for the jobs that run. Users need do "
        "nothing; who knows the pattern of a job can say so, as in sbatch "
        "--comment=slimfly:ring ('slimfly help jobs').",
        stream);
    fputs("#\n", stream);
    sf_settings_comment(
        "The controller and OpenSM must see the same file, and SlurmUser must "
        "be able to write to its folder.",
        stream);
    fprintf(stream, "#   %s\n",
            settings->jobs ? settings->jobs : SF_SETTINGS_JOBS);
    sf_settings_comment(
        "That is the option jobs of slimfly.conf, and SLIMFLY_JOBS in "
        "/etc/default/slimfly on the machine of the controller. After a crash "
        "of the controller 'slimfly jobs sync' makes the file anew.",
        stream);
    fprintf(stream, "\nPrologSlurmctld=" SF_SLURM_SCRIPTS "/slurm-prolog\n"
                    "EpilogSlurmctld=" SF_SLURM_SCRIPTS "/slurm-epilog\n");
    return SF_OK;
}
