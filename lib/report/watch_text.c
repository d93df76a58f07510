/* watch_text.c -- the state of the wiring for people. */
#include "report/verify_text.h"
#include "slimfly/watch.h"

#include <string.h>

#define BAR_WIDTH  30
#define MAX_LISTED 12 /* Of what just changed, and of what is wrong. */

static void
write_bar(const char *label, const struct sf_tally *tally, FILE *stream)
{
    char bar[BAR_WIDTH + 1];
    size_t n = tally->n_planned
                   ? (size_t)tally->n_right * BAR_WIDTH / tally->n_planned
                   : BAR_WIDTH;

    memset(bar, '.', BAR_WIDTH);
    memset(bar, '#', n);
    bar[BAR_WIDTH] = '\0';
    fprintf(stream, "  %-34s %6u of %-6u %s\n", label, tally->n_right,
            tally->n_planned, bar);
}

static void
write_cable(const struct sf_plan *plan, const char *mark, uint32_t i,
            FILE *stream)
{
    const struct sf_cable *cable = &plan->cables[i];
    const struct sf_fabric *fabric = plan->fabric;
    const struct sf_port *a = &fabric->ports[cable->a];
    const struct sf_port *b = &fabric->ports[cable->b];
    char names[2][SF_PORT_NAME_SIZE];

    fprintf(stream, "  %s %s  %s port %s - %s port %s\n", mark, cable->label,
            fabric->nodes[a->node].name,
            sf_fabric_port_name(fabric, a->node, a->number, names[0]),
            fabric->nodes[b->node].name,
            sf_fabric_port_name(fabric, b->node, b->number, names[1]));
}

static void
write_changes(const struct sf_watch *watch, FILE *stream)
{
    uint32_t n_listed = 0;

    /* The first discovery finds what was there before; that is no news. */
    if (watch->n_changes < 2) {
        return;
    }
    fputs(watch->is_news ? "just now:\n" : "last change:\n", stream);
    for (uint32_t i = 0; i < watch->n_lost && n_listed < MAX_LISTED; i++) {
        write_cable(watch->plan, "lost ", watch->lost_cables[i], stream);
        n_listed++;
    }
    for (uint32_t i = 0; i < watch->n_new && n_listed < MAX_LISTED; i++) {
        write_cable(watch->plan, "right", watch->new_cables[i], stream);
        n_listed++;
    }
    if (watch->n_new + watch->n_lost > n_listed) {
        fprintf(stream, "  and %u more\n",
                watch->n_new + watch->n_lost - n_listed);
    }
}

/* What is not there yet is no mistake while people wire. */
static bool
is_mistake(const struct sf_finding *finding)
{
    return finding->verdict != SF_VERDICT_MISSING &&
           finding->verdict != SF_VERDICT_MISSING_SWITCH &&
           finding->verdict != SF_VERDICT_MISSING_HOST;
}

static void
write_ambiguity(const struct sf_verification *verification, FILE *stream)
{
    if (sf_verification_warns(verification, SF_WARNING_AMBIGUOUS)) {
        fputs("  WARNING. ", stream);
        sf_verification_write_warning(verification, SF_WARNING_AMBIGUOUS,
                                      stream);
        fputc('\n', stream);
    }
}

static void
write_mistakes(const struct sf_watch *watch, FILE *stream)
{
    const struct sf_verification *verification = watch->verification;
    uint32_t n_mistakes = 0;

    for (uint32_t i = 0; i < verification->n_findings; i++) {
        const struct sf_finding *finding = &verification->findings[i];
        if (!is_mistake(finding) || finding->cause != SF_NONE ||
            n_mistakes++ >= MAX_LISTED) {
            continue;
        }
        if (n_mistakes == 1) {
            fputs("wrong:\n", stream);
            write_ambiguity(verification, stream);
        }
        fputs("  ! ", stream);
        sf_verification_write_finding(verification, i, stream);
        if (finding->move != SF_NONE) {
            /* The numbers are those that the sentences refer to. */
            fprintf(stream, "\n    %u. ", finding->move + 1);
            sf_verification_write_move(verification, finding->move, stream);
        } else if (sf_verification_has_remedy(verification, i)) {
            fputs("\n    ", stream);
            sf_verification_write_remedy(verification, i, stream);
        }
        fputc('\n', stream);
    }
    if (n_mistakes > MAX_LISTED) {
        fprintf(stream, "  and %u more; see slimfly verify\n",
                n_mistakes - MAX_LISTED);
    }
}

void
sf_watch_write_text(const struct sf_watch *watch, FILE *stream)
{
    const struct sf_plan *plan = watch->plan;
    char title[SF_STEP_TITLE_SIZE];

    fprintf(stream, "%s: %u of %u cables are right\n", plan->spec,
            watch->all.n_right, watch->all.n_planned);
    for (int step = 0; step < SF_N_STEPS; step++) {
        if (watch->by_step[step].n_planned) {
            write_bar(sf_plan_step_title(plan, (enum sf_step)step, title),
                      &watch->by_step[step], stream);
        }
    }
    for (uint32_t i = 0; i < plan->n_racks; i++) {
        write_bar(plan->racks[i].name, &watch->by_rack[i], stream);
    }
    if (watch->found && watch->found->n_notes) {
        fputs("what to know of the discovery:\n", stream);
        sf_text_write_notes(watch->found, MAX_LISTED, stream);
    } else if (watch->n_unanswered) {
        fprintf(stream,
                "some of the fabric did not answer (%u questions): what hangs "
                "behind it is missing here\n",
                watch->n_unanswered);
    }
    write_changes(watch, stream);
    if (watch->verification) {
        write_mistakes(watch, stream);
    }
}
