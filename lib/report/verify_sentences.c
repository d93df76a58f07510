/* verify_sentences.c -- parts of a verification as sentences for people: ends
 * of cables with their places, moves, findings, remedies and warnings. */
#include "report/verify_text.h"

#include "slimfly/lldp.h"

#include <string.h>

void
sf_text_write_name(const char *name, FILE *stream)
{
    for (; *name; name++) {
        fputc(*name >= 0x20 && *name <= 0x7e ? *name : '?', stream);
    }
}

void
sf_text_write_found_as(const struct sf_node *node, FILE *stream)
{
    fputc('"', stream);
    sf_text_write_name(node->name, stream);
    fprintf(stream, "\" 0x%016llx", (unsigned long long)node->guid);
}

const char *
sf_text_port_name(const struct sf_verification *verification,
                  const struct sf_end *end, char name[SF_PORT_NAME_SIZE])
{
    const struct sf_fabric *found = verification->found;
    const char *own = end->node == SF_NONE
                          ? sf_lldp_port_name(found, end->found, end->number)
                          : NULL;

    if (own) {
        snprintf(name, SF_PORT_NAME_SIZE, "%s", own);
        return name;
    }
    return end->node == SF_NONE
               ? sf_fabric_port_name(found, end->found, end->number, name)
               : sf_fabric_port_name(verification->plan->fabric, end->node,
                                     end->number, name);
}

void
sf_text_write_notes(const struct sf_fabric *found, uint32_t max, FILE *stream)
{
    for (uint32_t i = 0; i < found->n_notes; i++) {
        if (i == max) {
            fprintf(stream, "  and %u more\n", found->n_notes - max);
            return;
        }
        fputs("  ", stream);
        sf_text_write_name(found->notes[i].text, stream);
        fputc('\n', stream);
    }
}

/* Writes "sf-0-0-1 port 8", or the name alone for a node as a whole. */
static void
write_end(const struct sf_verification *verification, const struct sf_end *end,
          FILE *stream)
{
    sf_text_write_name(sf_verification_name(verification, end), stream);
    if (end->number) {
        char port[SF_PORT_NAME_SIZE];
        fputs(" port ", stream);
        sf_text_write_name(sf_text_port_name(verification, end, port), stream);
    }
}

void
sf_text_write_placed(const struct sf_verification *verification,
                     const struct sf_end *end, FILE *stream)
{
    const struct sf_node *alias = sf_verification_alias(verification, end);
    char place[SF_PLACE_SIZE];
    const char *separator = " (";

    write_end(verification, end, stream);
    if (end->node == SF_NONE) {
        fputs(" (not in the plan)", stream);
        return;
    }
    if (verification->plan->fabric->nodes[end->node].rack != SF_NONE) {
        fprintf(stream, " (%s",
                sf_plan_place(verification->plan, end->node, place));
        separator = ", ";
    }
    if (alias) {
        fprintf(stream, "%sfound as ", separator);
        sf_text_write_found_as(alias, stream);
        fputs(verification->identities[end->found].is_certain ? ""
                                                              : ", a guess",
              stream);
    }
    if (alias || *separator == ',') {
        fputc(')', stream);
    }
}

/* Writes "A port 8 (R0 U41) -- B port 9 (R1 U12)". */
static void
write_cable(const struct sf_verification *verification,
            const struct sf_end ends[2], FILE *stream)
{
    sf_text_write_placed(verification, &ends[0], stream);
    fputs(" -- ", stream);
    sf_text_write_placed(verification, &ends[1], stream);
}

static const char *
label_of(const struct sf_verification *verification, uint32_t cable)
{
    return verification->plan->cables[cable].label;
}

/* Writes "C00042, 3 m copper". */
static void
write_article(const struct sf_verification *verification, uint32_t cable,
              FILE *stream)
{
    const struct sf_cable *article = &verification->plan->cables[cable];

    fprintf(stream, "%s, %g m %s", article->label, article->length,
            sf_medium_name(article->medium));
}

static void
write_plug(const struct sf_verification *verification,
           const struct sf_move *move, FILE *stream)
{
    if (move->to.found == SF_NONE) {
        sf_text_write_placed(verification,
                             &(struct sf_end){ move->to.node, SF_NONE, 0 },
                             stream);
        fputs(" was not found. See that it is on and that its cable (",
              stream);
        write_article(verification, move->cable, stream);
        fputs(") joins ", stream);
        sf_text_write_placed(verification, &move->kept, stream);
        char port[SF_PORT_NAME_SIZE];
        fprintf(stream, " to its port %s.",
                sf_text_port_name(verification, &move->to, port));
        return;
    }
    fputs("Plug in a cable (", stream);
    write_article(verification, move->cable, stream);
    fputs(") between ", stream);
    sf_text_write_placed(verification, &move->kept, stream);
    fputs(" and ", stream);
    sf_text_write_placed(verification, &move->to, stream);
    fputs(". If it is there already, see that both ends are in firmly.",
          stream);
}

void
sf_verification_write_move(const struct sf_verification *verification,
                           uint32_t number, FILE *stream)
{
    const struct sf_move *move = &verification->moves[number];

    if (move->kind == SF_PLUG) {
        write_plug(verification, move, stream);
        return;
    }
    if (move->kind == SF_UNPLUG) {
        fputs("Unplug and remove the cable between ", stream);
        sf_text_write_placed(verification, &move->kept, stream);
        fputs(" and ", stream);
        sf_text_write_placed(verification, &move->from, stream);
        fputc('.', stream);
        return;
    }
    fputs("Take the cable between ", stream);
    write_end(verification, &move->kept, stream);
    fputs(" and ", stream);
    write_end(verification, &move->from, stream);
    fputs(". Keep its end at ", stream);
    sf_text_write_placed(verification, &move->kept, stream);
    if (move->until != number) {
        fputs("; pull the other end out of ", stream);
        sf_text_write_placed(verification, &move->from, stream);
        fprintf(stream, " and leave it hanging. After step %u it goes into ",
                move->until + 1);
        sf_text_write_placed(verification, &move->to, stream);
    } else {
        fputs("; move the other end from ", stream);
        sf_text_write_placed(verification, &move->from, stream);
        fputs(" to ", stream);
        sf_text_write_placed(verification, &move->to, stream);
    }
    fprintf(stream, ". That makes it cable %s.",
            label_of(verification, move->cable));
    if (move->then != SF_NONE) {
        const struct sf_move *hanging = &verification->moves[move->then];
        fprintf(stream, " Then plug the end left hanging in step %u into ",
                move->then + 1);
        sf_text_write_placed(verification, &hanging->to, stream);
        fputc('.', stream);
    }
}

/* How many findings have 'cause' as their cause, of a verdict. */
static uint32_t
count_caused(const struct sf_verification *verification, uint32_t cause,
             enum sf_verdict verdict)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < verification->n_findings; i++) {
        n += verification->findings[i].cause == cause &&
             verification->findings[i].verdict == verdict;
    }
    return n;
}

static const char *
planned_rate(const struct sf_verification *verification,
             const struct sf_end *end)
{
    const struct sf_fabric *fabric = verification->plan->fabric;
    return fabric->ports[sf_fabric_port(fabric, end->node, end->number)].rate;
}

static const char *
found_rate(const struct sf_verification *verification,
           const struct sf_end *end)
{
    const struct sf_fabric *fabric = verification->found;
    return fabric->ports[sf_fabric_port(fabric, end->found, end->number)].rate;
}

/* The end of a different cable at which it differs. */
static const struct sf_end *
different_end(const struct sf_verification *verification,
              const struct sf_finding *finding)
{
    const char *should = planned_rate(verification, &finding->found[0]);
    const char *rate = found_rate(verification, &finding->found[0]);

    return &finding->found[!*should || !*rate || !strcmp(should, rate)];
}

static void
write_missing_switch(const struct sf_verification *verification,
                     uint32_t number, FILE *stream)
{
    uint32_t n_hosts =
        count_caused(verification, number, SF_VERDICT_MISSING_HOST);
    uint32_t n_cables = count_caused(verification, number, SF_VERDICT_MISSING);

    sf_text_write_placed(verification,
                         &verification->findings[number].planned[0], stream);
    fprintf(stream, ", and with it %u cable%s", n_cables,
            n_cables == 1 ? "" : "s");
    if (n_hosts) {
        fprintf(stream, " and %u host%s", n_hosts, n_hosts == 1 ? "" : "s");
    }
}

static void
write_unknown(const struct sf_verification *verification,
              const struct sf_finding *finding, FILE *stream)
{
    fputc('"', stream);
    write_end(verification, &finding->found[0], stream);
    fprintf(
        stream, "\" (GUID 0x%016llx)",
        (unsigned long long)verification->found->nodes[finding->found[0].found]
            .guid);
    if (sf_end_exists(&finding->found[1])) {
        fputs(", plugged into ", stream);
        sf_text_write_placed(verification, &finding->found[1], stream);
    }
}

void
sf_verification_write_finding(const struct sf_verification *verification,
                              uint32_t number, FILE *stream)
{
    const struct sf_finding *finding = &verification->findings[number];
    const struct sf_end *end;

    switch (finding->verdict) {
    case SF_VERDICT_MISSING:
        write_cable(verification, finding->planned, stream);
        fprintf(stream, ": %s", label_of(verification, finding->cable));
        break;
    case SF_VERDICT_UNEXPECTED:
    case SF_VERDICT_DUPLICATE:
        write_cable(verification, finding->found, stream);
        break;
    case SF_VERDICT_MISCONNECTED:
        write_cable(verification, finding->found, stream);
        fputs(" instead of ", stream);
        write_cable(verification, finding->planned, stream);
        fprintf(stream, ": %s", label_of(verification, finding->cable));
        break;
    case SF_VERDICT_DIFFERENT:
        end = different_end(verification, finding);
        write_cable(verification, finding->found, stream);
        fputs(" runs at ", stream);
        sf_text_write_name(found_rate(verification, end), stream);
        fputs(" instead of ", stream);
        sf_text_write_name(planned_rate(verification, end), stream);
        fprintf(stream, ": %s", label_of(verification, finding->cable));
        break;
    case SF_VERDICT_MISSING_SWITCH:
        write_missing_switch(verification, number, stream);
        break;
    case SF_VERDICT_MISSING_HOST:
        sf_text_write_placed(verification, &finding->planned[0], stream);
        if (sf_end_exists(&finding->planned[1])) {
            fputs(", planned on ", stream);
            sf_text_write_placed(verification, &finding->planned[1], stream);
        }
        break;
    case SF_VERDICT_UNKNOWN_SWITCH:
    case SF_VERDICT_UNKNOWN_HOST:
        write_unknown(verification, finding, stream);
        break;
    case SF_VERDICT_EXCHANGED:
        sf_text_write_placed(verification, &finding->planned[0], stream);
        fputs(" and ", stream);
        sf_text_write_placed(verification, &finding->planned[1], stream);
        fputs(" carry each other's cables", stream);
        break;
    case SF_VERDICT_MISNAMED:
        sf_text_write_placed(verification, &finding->planned[0], stream);
        fprintf(stream, " by its GUID 0x%016llx, but it is called \"",
                (unsigned long long)verification->found
                    ->nodes[finding->found[0].found]
                    .guid);
        sf_text_write_name(
            verification->found->nodes[finding->found[0].found].name, stream);
        fputc('"', stream);
        break;
    case SF_N_VERDICTS:
        break;
    }
}

/* The number of planned cables of a node. */
static uint32_t
count_cables(const struct sf_fabric *fabric, uint32_t node)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < fabric->nodes[node].n_ports; i++) {
        n += fabric->ports[fabric->nodes[node].first_port + i].peer != SF_NONE;
    }
    return n;
}

static void
write_switch_on(const struct sf_verification *verification,
                const struct sf_end *end, FILE *stream)
{
    uint32_t n_cables = count_cables(verification->plan->fabric, end->node);

    fputs("See that ", stream);
    sf_text_write_placed(verification, end, stream);
    fprintf(stream,
            " is on. If it is, see that its cable%s %s in firmly: not one of "
            "%u was found.",
            n_cables == 1 ? "" : "s", n_cables == 1 ? "is" : "are", n_cables);
}

void
sf_verification_write_remedy(const struct sf_verification *verification,
                             uint32_t number, FILE *stream)
{
    const struct sf_finding *finding = &verification->findings[number];
    const struct sf_end *end;

    switch (finding->verdict) {
    case SF_VERDICT_EXCHANGED:
        fputs("Exchange ", stream);
        sf_text_write_placed(verification, &finding->planned[0], stream);
        fputs(" and ", stream);
        sf_text_write_placed(verification, &finding->planned[1], stream);
        fputs(": give each the name of the other, or its GUID in the map; or "
              "put each into the place of the other, and the cables there "
              "into the same ports of it.",
              stream);
        break;
    case SF_VERDICT_MISSING_SWITCH:
    case SF_VERDICT_MISSING_HOST:
        write_switch_on(verification, &finding->planned[0], stream);
        break;
    case SF_VERDICT_MISNAMED:
        fputs("Correct the name of ", stream);
        sf_text_write_placed(verification, &finding->planned[0], stream);
        fputs(", or its GUID in the map.", stream);
        break;
    case SF_VERDICT_DIFFERENT:
        end = different_end(verification, finding);
        fprintf(stream, "See that cable %s is one for ",
                label_of(verification, finding->cable));
        sf_text_write_name(planned_rate(verification, end), stream);
        fputs(" and in firmly, and that neither port is limited to a lower "
              "rate.",
              stream);
        break;
    case SF_VERDICT_MISSING:
    case SF_VERDICT_UNEXPECTED:
    case SF_VERDICT_MISCONNECTED:
    case SF_VERDICT_DUPLICATE:
    case SF_VERDICT_UNKNOWN_SWITCH:
    case SF_VERDICT_UNKNOWN_HOST:
    case SF_N_VERDICTS:
        break; /* Mended by moves. */
    }
}

/* Says how to tell which of several labellings is right: by the GUID of any
 * one switch, since that of all others follows from the ports. */
static void
write_ambiguity(const struct sf_verification *verification, FILE *stream)
{
    struct sf_end end = { 0, SF_NONE, 0 };
    char place[SF_PLACE_SIZE];

    fprintf(stream,
            "Every place named here is a guess, one of %u that fit equally "
            "well, since no switch has a name or GUID that the plan knows. "
            "Move nothing before you know that it is the right one",
            verification->n_labellings);
    while (end.node < verification->plan->fabric->n_switches &&
           verification->found_of[end.node] == SF_NONE) {
        end.node++;
    }
    if (end.node < verification->plan->fabric->n_switches) {
        end.found = verification->found_of[end.node];
        fprintf(stream, ": read the GUID on the switch in %s. If it is not ",
                sf_plan_place(verification->plan, end.node, place));
        sf_text_write_found_as(&verification->found->nodes[end.found], stream);
        fputs(", write the line '0xGUID \"", stream);
        sf_text_write_name(sf_verification_name(verification, &end), stream);
        fputs("\"' with the GUID that you read to a file and verify again "
              "with --guids FILE. The GUID of one switch is enough; a few "
              "more show that none was misread",
              stream);
    }
    fputs(". Names and GUIDs that devices were found with are right in any "
          "case.",
          stream);
}

void
sf_verification_write_warning(const struct sf_verification *verification,
                              enum sf_warning warning, FILE *stream)
{
    if (warning == SF_WARNING_AMBIGUOUS) {
        write_ambiguity(verification, stream);
    } else {
        fputs("So little agrees that this may not be the fabric of this plan: "
              "see that both files are the right ones before moving "
              "anything.",
              stream);
    }
}
