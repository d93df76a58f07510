/* evaluation_html.c -- an evaluation as one page that needs no other file. */
#include "io/xml.h"
#include "report/evaluation_parts.h"
#include "report/page.h"

#include <math.h>

static void
write_text(const char *before, const char *text, const char *after,
           FILE *stream)
{
    fputs(before, stream);
    sf_xml_write(text, stream);
    fputs(after, stream);
}

static void
write_networks(const struct sf_evaluation *ev, FILE *stream)
{
    const struct sf_eval_params *params = sf_evaluation_params(ev);
    char reference[SF_EVAL_REFERENCE_SIZE];

    fputs("<h2>Networks</h2>\n<table><thead><tr><th>network</th><th>hosts"
          "</th><th>switches</th><th>links</th><th>cost</th></tr></thead>\n",
          stream);
    for (uint32_t i = 0; i < params->n_networks; i++) {
        const struct sf_eval_network *network = sf_evaluation_network(ev, i);
        write_text("<tr><td><code>", network->name, "</code>", stream);
        fprintf(stream,
                "%s</td><td class=\"n\">%u</td><td class=\"n\">%u</td>"
                "<td class=\"n\">%u</td><td class=\"n\">",
                i ? "" : " (the reference)", network->n_hosts,
                network->n_switches, network->n_links);
        if (isnan(network->cost)) {
            fputs("not known", stream);
        } else {
            fprintf(stream, "%.0f k%s", network->cost / 1000,
                    params->prices ? params->prices->currency : "");
        }
        fputs("</td></tr>\n", stream);
    }
    sf_evaluation_reference_means(ev, reference);
    write_text("</table>\n<p>", reference, ". Gains are relative to it.</p>\n",
               stream);
    if (params->equal == SF_EVAL_EQUAL_COST) {
        fputs("<p>Gains are for the same money: speeds are divided by what "
              "the networks cost.</p>\n",
              stream);
    }
}

/* What was assumed, and how figures come about. */
static void
write_ways(const struct sf_evaluation *ev, FILE *stream)
{
    const struct sf_eval_params *params = sf_evaluation_params(ev);

    fprintf(stream,
            "<h2>How it was measured</h2>\n<p>%u simulations, %s, "
            "buffers of %u bytes a link, %.2g &#181;s of a host for each "
            "message (assumed). Seeds: %u; where no random number is in "
            "play, one. Queues: ",
            sf_evaluation_n_runs(ev), params->net.title, params->net.buffer,
            1e6 * params->overhead, params->n_seeds);
    fputs("voq keeps packets for each output apart, fifo has one queue an "
          "input and lane. Linear placement goes by racks. Minimal paths are "
          "one layer. The paper's layers: each message takes one at random, "
          "as round robin over many messages does. Our layers: messages are "
          "cut into equal parts over all. The best number of layers of each "
          "cell is shown.</p>\n<table><thead><tr><th>mark</th><th>what it "
          "means</th></tr></thead>\n",
          stream);
    for (uint32_t i = 1; i < SF_N_EVAL_HOWS; i++) {
        fprintf(stream, "<tr><td>%s</td><td>%s</td></tr>\n",
                sf_eval_how_name(i), sf_evaluation_how_means(i));
    }
    fputs("</table>\n<div class=\"wide\"><table><thead><tr><th>benchmark</th>"
          "<th>lines of the paper</th><th>what is run</th></tr></thead>\n",
          stream);
    for (uint32_t k = 0; sf_eval_kinds[k].name; k++) {
        const struct sf_eval_kind *kind = &sf_eval_kinds[k];
        if (sf_evaluation_has_kind(ev, k)) {
            write_text("<tr><td>", kind->title, "", stream);
            write_text(kind->is_proxy ? " (proxy)</td><td>" : "</td><td>",
                       kind->lines, "</td><td>", stream);
            write_text("", kind->means, "</td></tr>\n", stream);
        }
    }
    fputs("</table></div>\n", stream);
}

static void
write_judgement(const struct sf_evaluation *ev, const struct sf_claim *claim,
                enum sf_sim_queues queues, FILE *stream)
{
    double figure = sf_claim_measure(ev, claim, queues);
    enum sf_claim_verdict verdict = sf_claim_judge(claim, figure);
    uint32_t counts[SF_N_EVAL_HOWS];
    char text[24], ours[24], hows[96];

    sf_evaluation_claim_text(claim, figure, text);
    sf_evaluation_claim_text(claim, sf_claim_measure_ours(ev, claim, queues),
                             ours);
    sf_claim_hows(ev, claim, queues, counts);
    sf_evaluation_hows_text(counts, hows);
    fprintf(stream,
            "<td class=\"n %s\"><b>%s</b> %s<br/><span class=\"why\">%s"
            "</span></td><td class=\"n\">%s</td>",
            verdict == SF_CLAIM_AGREES    ? "agrees"
            : verdict == SF_CLAIM_DIFFERS ? "differs"
                                          : "",
            text, sf_claim_verdict_name(verdict), hows, ours);
}

static void
write_claims(const struct sf_evaluation *ev, FILE *stream)
{
    const struct sf_eval_params *params = sf_evaluation_params(ev);

    fputs("<h2 id=\"claims\">The paper says, and we get</h2>\n"
          "<p>Lines are those of the paper's source. Verdicts follow from "
          "the figures by the rule that stands there.</p>\n"
          "<div class=\"wide\"><table><thead><tr><th>line</th><th>the paper "
          "says</th><th>what is measured; when it agrees</th>",
          stream);
    for (uint32_t q = 0; q < SF_N_SIM_QUEUES; q++) {
        if (params->has_queues[q]) {
            fprintf(stream, "<th>%s</th><th>with our layers</th>",
                    sf_sim_queues_name(q));
        }
    }
    fputs("</tr></thead>\n", stream);
    for (const struct sf_claim *claim = sf_claims_of_paper; claim->id;
         claim++) {
        fprintf(stream, "<tr id=\"%s\"><td class=\"n\">%u</td>", claim->id,
                claim->line);
        write_text("<td>", claim->says, "</td><td>", stream);
        write_text("", claim->measured, "; ", stream);
        write_text("<b>", claim->rule, "</b>", stream);
        if (sf_claim_reason(ev, claim)) {
            write_text("<br/><span class=\"why\">Where it differs: ",
                       claim->reason, "</span>", stream);
        }
        fputs("</td>", stream);
        for (uint32_t q = 0; q < SF_N_SIM_QUEUES; q++) {
            if (params->has_queues[q]) {
                write_judgement(ev, claim, q, stream);
            }
        }
        fputs("</tr>\n", stream);
    }
    fputs("</table></div>\n", stream);
}

static void
write_left_out(const struct sf_evaluation *ev, FILE *stream)
{
    for (uint32_t k = 0; sf_eval_kinds[k].name; k++) {
        const char *text = sf_evaluation_kind_left_out(ev, k);
        if (*text) {
            write_text("<p>", text, ".</p>\n", stream);
        }
    }
    for (uint32_t i = 0; i < sf_evaluation_n_series(ev); i++) {
        const struct sf_eval_series *series = sf_evaluation_series(ev, i);
        if (*series->left_out) {
            write_text("<p>Left out: ", series->label, ": ", stream);
            write_text("", series->left_out, "</p>\n", stream);
        }
    }
}

enum sf_status
sf_evaluation_write_html(const struct sf_evaluation_report *report,
                         FILE *stream, struct sf_error *err)
{
    const struct sf_evaluation *ev = report->ev;
    bool is_paper = sf_evaluation_params(ev)->is_paper;
    const char *command = report->origin.command;
    enum sf_status status = SF_OK;

    sf_page_begin(is_paper ? "The paper's evaluation" : "Evaluation",
                  is_paper ? "a Slim Fly and a Fat Tree"
                           : sf_evaluation_network(ev, 0)->name,
                  stream);
    fputs("<style>\n", stream);
    sf_page_write_part(SF_EVALUATION_CSS, stream);
    write_text("</style></head><body>\n<h1>",
               is_paper ? "The paper's evaluation: a Slim Fly and a Fat Tree"
                        : "Networks side by side",
               "</h1>\n", stream);
    write_text("<p><code>", command ? command : "", "</code> (", stream);
    write_text("", report->origin.program, ")</p>\n", stream);
    write_networks(ev, stream);
    if (is_paper) {
        write_claims(ev, stream);
    }
    fputs("<h2>Figures</h2>\n", stream);
    for (const struct sf_evaluation_figure *figure = sf_evaluation_figures;
         status == SF_OK && figure->name; figure++) {
        if (sf_evaluation_has_figure(report, figure)) {
            fputs("<figure>\n", stream);
            status = figure->draw(report, stream, err);
            write_text("<figcaption>", figure->caption,
                       "</figcaption></figure>\n", stream);
        }
    }
    write_ways(ev, stream);
    write_left_out(ev, stream);
    if (sf_evaluation_n_deadlocks(ev)) {
        fprintf(stream, "<p>%u runs ended in a deadlock.</p>\n",
                sf_evaluation_n_deadlocks(ev));
    }
    fputs("</body></html>\n", stream);
    return status;
}
