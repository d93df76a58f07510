/* write_plan.c -- see write_plan.h. */
#define _GNU_SOURCE
#include "write_plan.h"

#include <stdlib.h>
#include <string.h>

/* One file of a plan. */
struct task {
    const struct sf_plan *plan;
    const struct sf_plan_file *file;
};

static enum sf_status
write_task(const void *aux, FILE *stream, struct sf_error *err)
{
    const struct task *task = aux;
    return task->file->write(task->plan, stream, err);
}

static int
write_tables(const struct sf_plan *plan, const char *folder)
{
    for (const struct sf_plan_file *file = sf_plan_files; file->name; file++) {
        struct task task = { plan, file };
        int code = cli_write_file(folder, file->name, write_task, &task);
        if (code != CLI_FINE) {
            return code;
        }
    }
    return CLI_FINE;
}

/* A diagram: of a step inside part 'a', or of the cables between two. */
struct diagram {
    const struct sf_plan *plan;
    enum sf_step step;
    uint32_t a, b;
};

static enum sf_status
write_diagram(const void *aux, FILE *stream, struct sf_error *err)
{
    const struct diagram *diagram = aux;
    return diagram->step == SF_STEP_RACKS
               ? sf_diagram_write_pair(diagram->plan, diagram->a, diagram->b,
                                       stream, err)
               : sf_diagram_write_step(diagram->plan, diagram->step,
                                       diagram->a, stream, err);
}

/* The file that a diagram goes to. */
#define NAME_SIZE 64
static const char *
name_diagram(const struct diagram *diagram, char name[NAME_SIZE])
{
    if (diagram->step == SF_STEP_RACKS) {
        snprintf(name, NAME_SIZE, "step3-R%u-R%u.svg", diagram->a, diagram->b);
    } else {
        snprintf(name, NAME_SIZE, "step%d-R%u.svg", (int)diagram->step,
                 diagram->a);
    }
    return name;
}

/* Whether a diagram may have this name. */
static bool
is_diagram(void *aux, const char *name)
{
    const char *a = strstr(name, "-R");
    const char *b = a ? strstr(a + 1, "-R") : NULL;
    struct diagram diagram = {
        .a = a ? (uint32_t)strtoul(a + 2, NULL, 10) : 0,
        .b = b ? (uint32_t)strtoul(b + 2, NULL, 10) : 0,
    };
    char same[NAME_SIZE];

    (void)aux;
    for (int step = SF_STEP_SUBGROUP; step < SF_N_STEPS; step++) {
        diagram.step = (enum sf_step)step;
        if (!strcmp(name, name_diagram(&diagram, same))) {
            return true;
        }
    }
    return false;
}

/* Draws each step of each rack, and each two racks, that have cables.  Cables
 * are in the order of wiring, so a new diagram starts where these change. */
static int
write_diagrams(const struct sf_plan *plan, const char *folder)
{
    struct diagram last = { NULL, SF_STEP_HOSTS, SF_NONE, SF_NONE };

    for (uint32_t i = 0; i < plan->n_cables; i++) {
        const struct sf_cable *cable = &plan->cables[i];
        struct diagram diagram = {
            plan, cable->step,
            sf_plan_group(plan, plan->fabric->ports[cable->a].node),
            sf_plan_group(plan, plan->fabric->ports[cable->b].node)
        };
        if (diagram.step == SF_STEP_HOSTS ||
            (diagram.step == last.step && diagram.a == last.a &&
             diagram.b == last.b)) {
            continue;
        }
        char name[NAME_SIZE];
        int code = cli_write_file(folder, name_diagram(&diagram, name),
                                  write_diagram, &diagram);
        if (code != CLI_FINE) {
            return code;
        }
        last = diagram;
    }
    return CLI_FINE;
}

static enum sf_status
write_guide(const void *aux, FILE *stream, struct sf_error *err)
{
    return sf_guide_write_html(aux, stream, err);
}

/* The labels of a plan. */
struct labels {
    const struct sf_plan *plan;
    struct sf_label_sizes sizes;
};

static enum sf_status
write_labels(const void *aux, FILE *stream, struct sf_error *err)
{
    const struct labels *labels = aux;
    return sf_labels_write_html(labels->plan, &labels->sizes, stream, err);
}

static enum sf_status
write_wrap(const void *aux, FILE *stream, struct sf_error *err)
{
    const struct labels *labels = aux;
    return sf_labels_write_wrap(labels->plan, &labels->sizes, stream, err);
}

/* What people in front of the racks need. */
static int
write_guides(const struct sf_plan *plan, const struct sf_label_sizes *sizes,
             const char *folder)
{
    const struct labels labels = { plan, *sizes };
    char *diagrams;

    int code = cli_write_file(folder, "guide.html", write_guide, plan);
    if (code == CLI_FINE) {
        code = cli_write_file(folder, "labels.html", write_labels, &labels);
    }
    if (code == CLI_FINE) {
        code = cli_write_file(folder, "labels-wrap.html", write_wrap, &labels);
    }
    if (code != CLI_FINE) {
        return code;
    }
    if (asprintf(&diagrams, "%s/diagrams", folder) < 0) {
        return cli_fail("out of memory");
    }
    code = cli_make_folder(diagrams);
    if (code == CLI_FINE) {
        code = write_diagrams(plan, diagrams);
    }
    if (code == CLI_FINE) {
        code = cli_remove_others(diagrams, is_diagram, NULL);
    }
    free(diagrams);
    return code;
}

int
cli_write_plan(const struct sf_plan *plan, const struct sf_label_sizes *sizes,
               const char *folder)
{
    int code = cli_make_folder(folder);

    cli_begin_files();
    if (code == CLI_FINE) {
        code = write_tables(plan, folder);
    }
    if (code == CLI_FINE) {
        code = write_guides(plan, sizes, folder);
    }
    return cli_end_files(code);
}
