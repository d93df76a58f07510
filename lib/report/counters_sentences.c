/* counters_sentences.c -- findings about counters in words, and what to do. */
#include "report/counters_words.h"

#include <inttypes.h>

/* What is behind a counter, and what to do if it grows. */
static const char *const remedies[SF_N_COUNTERS] = {
    [SF_COUNTER_XMIT_WAIT] =
        "Packets waited for credits of the other end: look for a slow host "
        "behind it, or for a link on the way that is full.",
    [SF_COUNTER_SYMBOL_ERRORS] =
        "Clean and reseat both ends of the cable. If it goes on, replace the "
        "cable.",
    [SF_COUNTER_LINK_RECOVERIES] =
        "The link trained itself anew. Reseat both ends of the cable. If it "
        "goes on, replace the cable.",
    [SF_COUNTER_LINK_DOWNED] =
        "The link went down. If nobody unplugged it or restarted the other "
        "end, reseat both ends of the cable; if it goes on, replace the "
        "cable, "
        "then the port.",
    [SF_COUNTER_RCV_ERRORS] =
        "Damaged packets arrived. Clean and reseat both ends of the cable. If "
        "it goes on, replace the cable.",
    [SF_COUNTER_RCV_REMOTE_ERRORS] =
        "Packets arrived that another port had marked as damaged. This cable "
        "is not the cause: look for symbol or receive errors on the way here.",
    [SF_COUNTER_RCV_RELAY_ERRORS] =
        "The switch had no way on for these packets. Multicast that comes "
        "back "
        "to where it was sent counts here and is harmless; for others, run "
        "'slimfly audit live'.",
    [SF_COUNTER_XMIT_DISCARDS] =
        "Packets were dropped because the port was down or the way on was "
        "blocked for too long. Look for a host behind it that does not take "
        "its packets, and run 'slimfly audit live'.",
    [SF_COUNTER_XMIT_CONSTRAINT_ERRORS] =
        "Packets were refused because of their partition. Compare "
        "partitions.conf of OpenSM with what the hosts use.",
    [SF_COUNTER_RCV_CONSTRAINT_ERRORS] =
        "Packets were refused because of their partition. Compare "
        "partitions.conf of OpenSM with what the hosts use.",
    [SF_COUNTER_INTEGRITY_ERRORS] =
        "There were many receive errors in a short time. Clean and reseat "
        "both "
        "ends of the cable. If it goes on, replace the cable.",
    [SF_COUNTER_OVERRUN_ERRORS] =
        "The other end sent more than it had credits for. Update the firmware "
        "of both ends. If it goes on, replace the cable.",
    [SF_COUNTER_VL15_DROPPED] =
        "Management packets were dropped: too many questions at once. Look "
        "for a second subnet manager or for monitors that ask too often.",
};

static void
write_place(const struct sf_counters_view *view, const struct sf_end *end,
            FILE *stream)
{
    char place[SF_PLACE_SIZE];
    const struct sf_verification *known = view->verification;

    if (known && end->node != SF_NONE &&
        known->plan->fabric->nodes[end->node].rack != SF_NONE) {
        fprintf(stream, " (%s)", sf_plan_place(known->plan, end->node, place));
    }
}

void
sf_counters_write_end(const struct sf_counters_view *view,
                      const struct sf_end *end, FILE *stream)
{
    fputs(sf_counters_view_name(view, end), stream);
    if (end->number) {
        fprintf(stream, " port %" PRIu32, end->number);
    }
    write_place(view, end, stream);
}

/* Both ends of the cable, and which one it is. */
static void
write_link(const struct sf_counters_view *view,
           const struct sf_counter_finding *finding, FILE *stream)
{
    sf_counters_write_end(view, &finding->ends[0], stream);
    if (sf_end_exists(&finding->ends[1])) {
        fputs(" to ", stream);
        sf_counters_write_end(view, &finding->ends[1], stream);
    }
    if (finding->cable != SF_NONE) {
        fprintf(stream, ", cable %s",
                view->verification->plan->cables[finding->cable].label);
    }
}

/* Seconds between the two answers of the port of 'finding'. */
static double
seconds_of(const struct sf_counters_view *view,
           const struct sf_counter_finding *finding)
{
    const struct sf_end *end = &finding->ends[0];

    return view->growths
        ->ports[sf_fabric_port(view->fabric, end->found, end->number)]
        .seconds;
}

static void
write_counter(const struct sf_counters_view *view,
              const struct sf_counter_finding *finding, FILE *stream)
{
    fprintf(stream, ": %s %s%s%" PRIu64,
            sf_counter_kinds[finding->counter].name,
            finding->is_growth ? "grew by " : "is ",
            finding->is_at_least ? "at least " : "", finding->value);
    if (finding->is_growth) {
        fprintf(stream, " in %.1f s", seconds_of(view, finding));
    }
    fprintf(stream, ", more than %" PRIu64, finding->threshold);
    if (finding->kind == SF_FINDING_OLD_COUNTER && finding->grown) {
        fprintf(stream, "; it grows slowly, by %" PRIu64 " in %.1f s",
                finding->grown, seconds_of(view, finding));
    } else if (finding->kind == SF_FINDING_OLD_COUNTER) {
        fputs("; it does not grow now", stream);
    }
}

static void
write_load(const struct sf_counter_finding *finding, FILE *stream)
{
    fprintf(stream, ": carries %.0f %% of what it can", 100 * finding->share);
    if (finding->times > 0) {
        fprintf(stream, ", %.1f times what uniform traffic would bring",
                finding->times);
    } else if (finding->kind == SF_FINDING_HOT) {
        fputs(", and the routing leads almost nothing there", stream);
    }
}

static void
write_unanswered(const struct sf_counter_finding *finding, FILE *stream)
{
    fprintf(stream, ": %" PRIu32 " port%s not tell %s counters", finding->n,
            finding->n == 1 ? " does" : "s do",
            finding->n == 1 ? "its" : "their");
    if (finding->value) {
        fprintf(stream, ", nor do%s %" PRIu64 " host%s on it",
                finding->value == 1 ? "es" : "", finding->value,
                finding->value == 1 ? "" : "s");
    }
}

void
sf_counter_finding_write(const struct sf_counters_view *view,
                         const struct sf_counter_finding *finding,
                         FILE *stream)
{
    if (finding->kind == SF_FINDING_RESET && finding->n > 1) {
        fprintf(stream,
                "%" PRIu32 " ports count from a smaller number than before, "
                "among them ",
                finding->n);
    }
    write_link(view, finding, stream);
    switch (finding->kind) {
    case SF_FINDING_BLACK_HOLE:
        fprintf(stream,
                ": is up%s, but nobody behind it answered in %" PRIu32
                " of %" PRIu64 " sweeps",
                finding->is_drained ? " and drained" : "", finding->n,
                finding->value);
        break;
    case SF_FINDING_COUNTER:
    case SF_FINDING_OLD_COUNTER:
        write_counter(view, finding, stream);
        break;
    case SF_FINDING_BUSY:
    case SF_FINDING_HOT:
        write_load(finding, stream);
        break;
    case SF_FINDING_NO_ANSWER:
        write_unanswered(finding, stream);
        break;
    case SF_FINDING_RESET:
    case SF_N_COUNTER_FINDING_KINDS:
        if (finding->n == 1) {
            fputs(": counts from a smaller number than before", stream);
        }
    }
}

void
sf_counters_write_drain(const struct sf_counters_view *view,
                        const struct sf_counter_finding *finding, FILE *stream)
{
    const struct sf_end *end = &finding->ends[0];

    /* By the name of the fabric, which needs no plan. */
    fprintf(stream, "slimfly drain %s:%" PRIu32,
            view->fabric->nodes[end->found].name, end->number);
}

bool
sf_counters_leads_to_host(const struct sf_counters_view *view,
                          const struct sf_counter_finding *finding)
{
    const struct sf_end *end = &finding->ends[1];

    return end->found != SF_NONE
               ? view->fabric->nodes[end->found].kind == SF_NODE_HOST
           : end->node != SF_NONE
               ? view->verification->plan->fabric->nodes[end->node].kind ==
                     SF_NODE_HOST
               : false;
}

/* Whether one of its ends is a host. */
static bool
is_of_host(const struct sf_counters_view *view,
           const struct sf_counter_finding *finding)
{
    const struct sf_end *end = &finding->ends[0];

    return (end->found != SF_NONE &&
            view->fabric->nodes[end->found].kind == SF_NODE_HOST) ||
           sf_counters_leads_to_host(view, finding);
}

static void
write_black_hole_remedy(const struct sf_counters_view *view,
                        const struct sf_counter_finding *finding, FILE *stream)
{
    if (sf_counters_leads_to_host(view, finding)) {
        fputs("Packets for the host are lost. Look whether the port is "
              "disabled, and restart the host or its adapter.",
              stream);
        return;
    }
    if (finding->is_drained) {
        fputs("No packets go there. Look whether the port is disabled, and "
              "restart or replace what is behind it; then 'slimfly undrain'.",
              stream);
        return;
    }
    fputs("Packets that go there are lost and nobody reports it. Route around "
          "it: '",
          stream);
    sf_counters_write_drain(view, finding, stream);
    fputs("'. Then look whether the port is disabled, and restart or replace "
          "what is behind it.",
          stream);
}

void
sf_counter_finding_write_remedy(const struct sf_counters_view *view,
                                const struct sf_counter_finding *finding,
                                FILE *stream)
{
    const char *counter = remedies[finding->counter];

    switch (finding->kind) {
    case SF_FINDING_BLACK_HOLE:
        write_black_hole_remedy(view, finding, stream);
        break;
    case SF_FINDING_COUNTER:
        fputs(counter ? counter : "Look at this link.", stream);
        break;
    case SF_FINDING_OLD_COUNTER:
        fputs(finding->grown
                  ? "It grows by less than the threshold. See with a longer "
                    "'--interval' whether it goes on."
                  : "Nothing to do now; nobody knows when it was counted.",
              stream);
        break;
    case SF_FINDING_BUSY:
        fputs(is_of_host(view, finding)
                  ? "Nothing is wrong with the link: the host uses all of its "
                    "adapter. Another placement or routing does not change "
                    "that."
                  : "Nothing is wrong with the link. If jobs are slow, place "
                    "them apart or route for them ('slimfly route --jobs').",
              stream);
        break;
    case SF_FINDING_HOT:
        fputs("Traffic is not spread as the routing could. See which jobs use "
              "the link, place them apart, or route for them ('slimfly route "
              "--jobs').",
              stream);
        break;
    case SF_FINDING_NO_ANSWER:
        fputs("Look whether it is up and whether its LID is reached ('slimfly "
              "audit live').",
              stream);
        break;
    case SF_FINDING_RESET:
    case SF_N_COUNTER_FINDING_KINDS:
        fputs("Somebody cleared counters, or the devices were restarted. What "
              "was counted before is lost; growth is since then.",
              stream);
    }
}
