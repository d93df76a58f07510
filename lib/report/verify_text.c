/* verify_text.c -- a verification for people: a summary, what is wrong, and
 * what to do in front of the racks.  The sentences are those of
 * verify_sentences.c. */
#include "report/verify_text.h"

/* More right cables than this with the same other rate go into one line. */
#define MAX_DIFFERENT 10

/* Notes of a discovery beyond these are only counted. */
#define MAX_NOTES 20

/* Writes "identified by name", or how many by what. */
static void
write_identity(const struct sf_verification *verification, FILE *stream)
{
    static const char *const sources[SF_N_IDENTITY_SOURCES] = {
        "the GUID map", "GUID", "name", "their hosts", "structure",
    };
    const char *separator = ": ";

    fputs("identified", stream);
    for (uint32_t i = 0; i < SF_N_IDENTITY_SOURCES; i++) {
        uint32_t n = verification->n_by_source[i];
        if (n && n == verification->n_identified) {
            fprintf(stream, " by %s", sources[i]);
        } else if (n) {
            fprintf(stream, "%s%u by %s", separator, n, sources[i]);
            separator = ", ";
        }
    }
    if (!verification->n_identified) {
        fputs(": none", stream);
    }
    if (verification->n_guessed) {
        fprintf(stream, "; %u of these guessed", verification->n_guessed);
    }
    if (verification->n_labellings > 1) {
        fprintf(stream, ", in one of %u ways that fit equally well",
                verification->n_labellings);
    }
}

static void
write_summary(const struct sf_verification *verification, FILE *stream)
{
    static const struct {
        enum sf_verdict verdict;
        const char *one, *many;
    } items[] = {
        { SF_VERDICT_MISCONNECTED, "misconnected", "misconnected" },
        { SF_VERDICT_MISSING, "missing", "missing" },
        { SF_VERDICT_UNEXPECTED, "unexpected", "unexpected" },
        { SF_VERDICT_DUPLICATE, "duplicate", "duplicate" },
        { SF_VERDICT_MISSING_SWITCH, "switch missing", "switches missing" },
        { SF_VERDICT_MISSING_HOST, "host missing", "hosts missing" },
        { SF_VERDICT_UNKNOWN_SWITCH, "switch unknown", "switches unknown" },
        { SF_VERDICT_UNKNOWN_HOST, "host unknown", "hosts unknown" },
        { SF_VERDICT_EXCHANGED, "pair of switches exchanged",
          "pairs of switches exchanged" },
        { SF_VERDICT_MISNAMED, "node misnamed", "nodes misnamed" },
    };
    const char *separator = "; ";

    fprintf(stream, "DIFFERS: %u of %u cables are ", verification->n_right,
            verification->plan->n_cables);
    uint32_t n_different = verification->n_by_verdict[SF_VERDICT_DIFFERENT];
    if (n_different) {
        fprintf(stream, "in the right ports, %u of them at another rate",
                n_different);
    } else {
        fputs("right", stream);
    }
    for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
        uint32_t n = verification->n_by_verdict[items[i].verdict];
        if (n) {
            fprintf(stream, "%s%u %s", separator, n,
                    n == 1 ? items[i].one : items[i].many);
            separator = ", ";
        }
    }
    fprintf(stream, ".\n%u of %u nodes were ", verification->n_identified,
            verification->plan->fabric->n_nodes);
    write_identity(verification, stream);
    fputs(".\n", stream);
    if (sf_verification_warns(verification, SF_WARNING_LITTLE_AGREES)) {
        sf_verification_write_warning(verification, SF_WARNING_LITTLE_AGREES,
                                      stream);
        fputc('\n', stream);
    }
}

/* Writes what is to be known of the discovery, such as that two reports
 * contradict each other. */
static void
write_notes(const struct sf_verification *verification, FILE *stream)
{
    if (verification->found->n_notes) {
        fputs("\nWhat to know of the discovery:\n", stream);
        sf_text_write_notes(verification->found, MAX_NOTES, stream);
    }
}

/* Whether 'finding' is said together with its cause. */
static bool
is_told_elsewhere(const struct sf_finding *finding)
{
    return finding->cause != SF_NONE;
}

static void
write_guesses(const struct sf_verification *verification, FILE *stream)
{
    bool is_first = true;

    /* When nearly everything is a guess, the summary has said so. */
    if (verification->n_guessed > verification->n_identified / 2) {
        return;
    }
    for (uint32_t i = 0; i < verification->found->n_nodes; i++) {
        const struct sf_identity *identity = &verification->identities[i];
        if (identity->node == SF_NONE || identity->is_certain) {
            continue;
        }
        fputs(is_first ? "\nGuessed:\n  \"" : "  \"", stream);
        sf_text_write_name(verification->found->nodes[i].name, stream);
        fprintf(stream, "\" (GUID 0x%016llx) is taken for ",
                (unsigned long long)verification->found->nodes[i].guid);
        sf_text_write_placed(verification,
                             &(struct sf_end){ identity->node, i, 0 }, stream);
        fputc('\n', stream);
        is_first = false;
    }
}

/* Writes the findings of one verdict under a title. */
static void
write_group(const struct sf_verification *verification,
            enum sf_verdict verdict, const char *title, FILE *stream)
{
    bool is_first = true;
    uint32_t n_left = verification->n_by_verdict[verdict];

    for (uint32_t i = 0; i < verification->n_findings; i++) {
        const struct sf_finding *finding = &verification->findings[i];
        if (finding->verdict != verdict || is_told_elsewhere(finding)) {
            continue;
        }
        if (is_first) {
            fprintf(stream, "\n%s:\n", title);
            is_first = false;
        }
        fputs("  ", stream);
        sf_verification_write_finding(verification, i, stream);
        fputc('\n', stream);
        if (verdict == SF_VERDICT_DIFFERENT &&
            verification->n_by_verdict[verdict] - --n_left == MAX_DIFFERENT &&
            n_left > 0) {
            fprintf(stream, "  and %u more\n", n_left);
            return;
        }
    }
}

/* Writes what is to be done besides moves: one line for each finding, and one
 * for all cables of another rate. */
static void
write_remedies(const struct sf_verification *verification, FILE *stream)
{
    uint32_t n_different = verification->n_by_verdict[SF_VERDICT_DIFFERENT];
    uint32_t n_more = 0;

    for (uint32_t i = 0; i < verification->n_findings; i++) {
        if (sf_verification_has_remedy(verification, i) &&
            verification->findings[i].verdict != SF_VERDICT_DIFFERENT) {
            fputs("   -  ", stream);
            sf_verification_write_remedy(verification, i, stream);
            fputc('\n', stream);
        }
    }
    for (uint32_t i = verification->n_moves_besides; i < verification->n_moves;
         i++) {
        n_more +=
            verification->findings[verification->moves[i].finding].cause ==
            SF_NONE;
    }
    if (n_more) {
        fputs("   -  Then verify again: switches that are to be exchanged "
              "have other wrong cables, too.\n",
              stream);
    }
    if (n_different) {
        fprintf(
            stream,
            "   -  See that the %u cable%s of another rate %s made for the "
            "planned one and in firmly, and that no port is limited to a "
            "lower rate. If the plan is wrong there, plan with another "
            "--rate, or verify with --ignore-rates.\n",
            n_different, n_different == 1 ? "" : "s",
            n_different == 1 ? "is" : "are");
    }
}

/* Writes the moves from 'first' to before 'end' under 'title', if any. */
static void
write_moves(const struct sf_verification *verification, uint32_t first,
            uint32_t end, const char *title, FILE *stream)
{
    if (first < end) {
        fprintf(stream, "\n%s, in this order:\n", title);
    }
    for (uint32_t i = first; i < end; i++) {
        fprintf(stream, "%4u. ", i + 1);
        sf_verification_write_move(verification, i, stream);
        fputc('\n', stream);
    }
}

static void
write_what_to_do(const struct sf_verification *verification, FILE *stream)
{
    bool has_remedies = false;

    for (uint32_t i = 0; i < verification->n_findings && !has_remedies; i++) {
        has_remedies = sf_verification_has_remedy(verification, i);
    }
    if (sf_verification_warns(verification, SF_WARNING_AMBIGUOUS)) {
        fputs("\nWARNING. ", stream);
        sf_verification_write_warning(verification, SF_WARNING_AMBIGUOUS,
                                      stream);
        fputc('\n', stream);
    }
    if (has_remedies) {
        fprintf(stream, "\nWhat to do%s:\n",
                verification->n_moves_besides ? " first" : "");
        write_remedies(verification, stream);
    }
    write_moves(verification, 0, verification->n_moves_besides,
                has_remedies ? "Then" : "What to do", stream);
    write_moves(verification, verification->n_moves_besides,
                verification->n_moves, "Or, instead of exchanging switches",
                stream);
}

enum sf_status
sf_verification_write_text(const struct sf_verification *verification,
                           FILE *stream, struct sf_error *err)
{
    static const struct {
        enum sf_verdict verdict;
        const char *title;
    } groups[] = {
        { SF_VERDICT_EXCHANGED, "Switches exchanged" },
        { SF_VERDICT_MISNAMED, "Names that contradict the GUID" },
        { SF_VERDICT_MISSING_SWITCH, "Switches missing" },
        { SF_VERDICT_MISSING_HOST, "Hosts missing" },
        { SF_VERDICT_UNKNOWN_SWITCH, "Switches unknown" },
        { SF_VERDICT_UNKNOWN_HOST, "Hosts unknown" },
        { SF_VERDICT_MISCONNECTED, "Cables misconnected" },
        { SF_VERDICT_MISSING, "Cables missing" },
        { SF_VERDICT_UNEXPECTED, "Cables unexpected" },
        { SF_VERDICT_DUPLICATE, "Cables duplicate" },
        { SF_VERDICT_DIFFERENT, "Cables of another rate" },
    };

    (void)err;
    if (verification->matches) {
        fprintf(stream, "OK: all %u cables and %u nodes are as planned (",
                verification->n_right, verification->n_identified);
        write_identity(verification, stream);
        fputs(").\n", stream);
        write_notes(verification, stream);
        return SF_OK;
    }
    write_summary(verification, stream);
    write_notes(verification, stream);
    write_guesses(verification, stream);
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        write_group(verification, groups[i].verdict, groups[i].title, stream);
    }
    write_what_to_do(verification, stream);
    return SF_OK;
}
