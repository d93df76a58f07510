/* evaluation_text.c -- evaluations for people: a summary as text, and the same
 * as Markdown. */
#include "report/evaluation_parts.h"

#include <math.h>
#include <string.h>

static void
write_networks(const struct sf_evaluation *ev, const char *mark, FILE *stream)
{
    const struct sf_eval_params *params = sf_evaluation_params(ev);

    for (uint32_t i = 0; i < params->n_networks; i++) {
        const struct sf_eval_network *network = sf_evaluation_network(ev, i);
        fprintf(stream, "%s%s%s: %u of its hosts, %u switches, %u links", mark,
                network->name, i ? "" : " (the reference)", network->n_hosts,
                network->n_switches, network->n_links);
        if (!isnan(network->cost)) {
            fprintf(stream, ", %.0f k%s", network->cost / 1000,
                    params->prices ? params->prices->currency : "");
        }
        fputc('\n', stream);
    }
}

static void
write_reference(const struct sf_evaluation *ev, const char *before,
                FILE *stream)
{
    char text[SF_EVAL_REFERENCE_SIZE];

    sf_evaluation_reference_means(ev, text);
    fprintf(stream, "%s%s. Gains are relative to it.\n", before, text);
}

/* Counts claims by verdict under a kind of queues. */
static void
count_claims(const struct sf_evaluation *ev, enum sf_sim_queues queues,
             uint32_t counts[3])
{
    memset(counts, 0, 3 * sizeof *counts);
    for (const struct sf_claim *claim = sf_claims_of_paper; claim->id;
         claim++) {
        counts[sf_claim_judge(claim, sf_claim_measure(ev, claim, queues))]++;
    }
}

static void
write_counts(const struct sf_evaluation *ev, FILE *stream)
{
    const struct sf_eval_params *params = sf_evaluation_params(ev);

    for (uint32_t q = 0; q < SF_N_SIM_QUEUES; q++) {
        uint32_t counts[3];
        if (params->has_queues[q]) {
            count_claims(ev, q, counts);
            fprintf(stream, "%s: %u agree, %u differ, %u not run\n",
                    sf_sim_queues_name(q), counts[SF_CLAIM_AGREES],
                    counts[SF_CLAIM_DIFFERS], counts[SF_CLAIM_NOT_RUN]);
        }
    }
}

static void
write_claim(const struct sf_evaluation *ev, const struct sf_claim *claim,
            FILE *stream)
{
    const struct sf_eval_params *params = sf_evaluation_params(ev);
    bool has_differed = false;

    fprintf(stream, "\n%u  %s\n      %s; agrees if %s\n", claim->line,
            claim->says, claim->measured, claim->rule);
    for (uint32_t q = 0; q < SF_N_SIM_QUEUES; q++) {
        double figure = sf_claim_measure(ev, claim, q);
        double ours = sf_claim_measure_ours(ev, claim, q);
        enum sf_claim_verdict verdict = sf_claim_judge(claim, figure);
        uint32_t counts[SF_N_EVAL_HOWS];
        char text[24], text_ours[24], hows[96];
        if (!params->has_queues[q]) {
            continue;
        }
        if (verdict == SF_CLAIM_NOT_RUN) {
            fprintf(stream, "      %-4s  %9s  not run\n",
                    sf_sim_queues_name(q), "");
            continue;
        }
        sf_evaluation_claim_text(claim, figure, text);
        sf_evaluation_claim_text(claim, ours, text_ours);
        sf_claim_hows(ev, claim, q, counts);
        sf_evaluation_hows_text(counts, hows);
        has_differed = has_differed || verdict == SF_CLAIM_DIFFERS;
        fprintf(stream, "      %-4s  %9s  %-8s", sf_sim_queues_name(q), text,
                sf_claim_verdict_name(verdict));
        if (!isnan(ours)) {
            fprintf(stream, "  with our layers %s", text_ours);
        }
        fprintf(stream, "  (%s)\n", hows);
    }
    if (has_differed && sf_claim_reason(ev, claim)) {
        fprintf(stream, "      why: %s\n", claim->reason);
    }
}

/* The figures of a kind without sizes: lines by nodes. */
static void
write_table(const struct sf_evaluation *ev, uint32_t kind,
            enum sf_eval_placement placement, enum sf_sim_queues queues,
            const char *separator, FILE *stream)
{
    struct sf_evaluation_line lines[SF_EVAL_MAX_LINES];
    uint32_t n_lines = sf_evaluation_lines(ev, lines);
    bool is_rate = sf_eval_kinds[kind].method == SF_EVAL_BY_RATE;

    for (uint32_t i = 0; i < n_lines; i++) {
        const struct sf_evaluation_line *line = &lines[i];
        fprintf(stream, "%s%-34s", separator, line->name);
        for (uint32_t n = 0; n < sf_evaluation_n_nodes(ev, kind); n++) {
            struct sf_eval_at at = { kind, queues, n, 0 };
            struct sf_eval_cell cell =
                sf_evaluation_line_cell(ev, line, placement, at);
            if (!cell.n) {
                fprintf(stream, "%s%9s", separator, "-");
            } else if (is_rate) {
                fprintf(stream, "%s%8.1f%%", separator, 100 * cell.mean);
            } else {
                fprintf(stream, "%s%9.4g", separator, cell.time);
            }
        }
        fprintf(stream, "%s\n", separator);
    }
}

static void
write_kind(const struct sf_evaluation *ev, uint32_t kind, FILE *stream)
{
    const struct sf_eval_params *params = sf_evaluation_params(ev);
    const struct sf_eval_kind *of = &sf_eval_kinds[kind];
    bool is_flow = of->method == SF_EVAL_BY_FLOW;

    for (uint32_t p = 0; p < SF_N_EVAL_PLACEMENTS; p++) {
        for (uint32_t q = 0; q < SF_N_SIM_QUEUES; q++) {
            if (!(is_flow ? q == SF_SIM_VOQ : params->has_queues[q])) {
                continue;
            }
            fprintf(stream, "\n%s, %s placement, %s, %s\n  %-34s", of->title,
                    sf_eval_placement_name(p),
                    is_flow ? "flows" : sf_sim_queues_name(q),
                    of->method == SF_EVAL_BY_RATE ? "% of a host's link"
                                                  : "seconds",
                    "nodes");
            for (uint32_t n = 0; n < sf_evaluation_n_nodes(ev, kind); n++) {
                fprintf(stream, "  %9u", sf_evaluation_nodes(ev, kind, n));
            }
            fputc('\n', stream);
            write_table(ev, kind, p, q, "  ", stream);
        }
    }
}

/* The gain over the reference, mean over sizes, with each number of nodes. */
static void
write_sizes(const struct sf_evaluation *ev, uint32_t kind, FILE *stream)
{
    const struct sf_eval_params *params = sf_evaluation_params(ev);
    struct sf_evaluation_line lines[SF_EVAL_MAX_LINES];
    uint32_t n_lines = sf_evaluation_lines(ev, lines);
    uint32_t n_sizes = sf_evaluation_n_sizes(ev, kind);
    char reference[SF_EVAL_REFERENCE_SIZE];

    if (n_lines < 2) {
        fprintf(stream, "\n%s: nothing to compare %s with\n",
                sf_eval_kinds[kind].title, lines[0].name);
        return;
    }
    sf_evaluation_reference_name(ev, reference);
    for (uint32_t p = 0; p < SF_N_EVAL_PLACEMENTS; p++) {
        for (uint32_t q = 0; q < SF_N_SIM_QUEUES; q++) {
            if (!params->has_queues[q]) {
                continue;
            }
            fprintf(stream,
                    "\n%s, %s placement, %s, gain over %s, in %%, mean of %u "
                    "size%s\n  %-34s",
                    sf_eval_kinds[kind].title, sf_eval_placement_name(p),
                    sf_sim_queues_name(q), reference, n_sizes,
                    n_sizes == 1 ? "" : "s", "nodes");
            for (uint32_t n = 0; n < sf_evaluation_n_nodes(ev, kind); n++) {
                fprintf(stream, "  %9u", sf_evaluation_nodes(ev, kind, n));
            }
            for (uint32_t i = 1; i < n_lines; i++) {
                fprintf(stream, "\n  %-34s", lines[i].name);
                for (uint32_t n = 0; n < sf_evaluation_n_nodes(ev, kind);
                     n++) {
                    double sum = 0;
                    for (uint32_t s = 0; s < n_sizes; s++) {
                        struct sf_eval_at at = { kind, q, n, s };
                        struct sf_eval_cell cell = sf_evaluation_best(
                            ev, lines[i].network, lines[i].group, p, at);
                        struct sf_eval_cell than =
                            sf_evaluation_reference(ev, p, at);
                        sum += sf_evaluation_gain(ev, &cell, &than);
                    }
                    fprintf(stream, "  %+9.1f", 100 * sum / n_sizes);
                }
            }
            fputc('\n', stream);
        }
    }
}

/* Runs that ended in a deadlock. */
static void
write_deadlocks(const struct sf_evaluation *ev, FILE *stream)
{
    uint32_t n = sf_evaluation_n_runs(ev);

    for (uint32_t i = 0; sf_evaluation_n_deadlocks(ev) && i < n; i++) {
        struct sf_eval_run_facts facts;
        sf_evaluation_run_facts(ev, i, &facts);
        if (facts.run->n_cycle) {
            fprintf(stream, "\ndeadlock: %s, %s, %s nodes, seed %llu\n",
                    facts.series->label, facts.params.jobs.workload,
                    facts.params.jobs.nodes,
                    (unsigned long long)facts.params.seed);
        }
    }
}

static void
write_left_out(const struct sf_evaluation *ev, FILE *stream)
{
    for (uint32_t k = 0; sf_eval_kinds[k].name; k++) {
        const char *text = sf_evaluation_kind_left_out(ev, k);
        if (*text) {
            fprintf(stream, "\n%s\n", text);
        }
    }
    for (uint32_t i = 0; i < sf_evaluation_n_series(ev); i++) {
        const struct sf_eval_series *series = sf_evaluation_series(ev, i);
        if (*series->left_out) {
            fprintf(stream, "\nleft out: %s: %s\n", series->label,
                    series->left_out);
        }
    }
}

enum sf_status
sf_evaluation_write_text(const struct sf_evaluation_report *report,
                         FILE *stream, struct sf_error *err)
{
    const struct sf_evaluation *ev = report->ev;
    const struct sf_eval_params *params = sf_evaluation_params(ev);

    (void)err;
    write_networks(ev, "", stream);
    write_reference(ev, "", stream);
    fprintf(
        stream, "%u runs, %s%s\n", sf_evaluation_n_runs(ev), params->net.title,
        params->equal == SF_EVAL_EQUAL_COST ? "; gains are for the same money"
                                            : "");
    for (uint32_t k = 0; sf_eval_kinds[k].name; k++) {
        if (!sf_evaluation_has_kind(ev, k)) {
            continue;
        }
        if (sf_eval_kinds[k].method == SF_EVAL_BY_SIZE) {
            write_sizes(ev, k, stream);
        } else {
            write_kind(ev, k, stream);
        }
    }
    write_left_out(ev, stream);
    write_deadlocks(ev, stream);
    if (params->is_paper) {
        fputs("\nThe paper says, and we get (line of the paper's source):\n",
              stream);
        for (const struct sf_claim *claim = sf_claims_of_paper; claim->id;
             claim++) {
            write_claim(ev, claim, stream);
        }
        fputc('\n', stream);
        write_counts(ev, stream);
    }
    return SF_OK;
}

static void
write_claims_table(const struct sf_evaluation *ev, FILE *stream)
{
    fputs("| line | the paper says | what is measured; when it agrees | voq | "
          "fifo | our layers: voq | fifo |\n"
          "| --- | --- | --- | --- | --- | --- | --- |\n",
          stream);
    for (const struct sf_claim *claim = sf_claims_of_paper; claim->id;
         claim++) {
        bool has_differed = false;
        fprintf(stream, "| %u | %s | %s; %s |", claim->line, claim->says,
                claim->measured, claim->rule);
        for (uint32_t q = 0; q < SF_N_SIM_QUEUES; q++) {
            char text[24];
            double figure = sf_claim_measure(ev, claim, q);
            enum sf_claim_verdict verdict = sf_claim_judge(claim, figure);
            has_differed = has_differed || verdict == SF_CLAIM_DIFFERS;
            sf_evaluation_claim_text(claim, figure, text);
            fprintf(stream,
                    verdict == SF_CLAIM_DIFFERS ? " %s **%s** |" : " %s %s |",
                    text, sf_claim_verdict_name(verdict));
        }
        for (uint32_t q = 0; q < SF_N_SIM_QUEUES; q++) {
            char text[24];
            sf_evaluation_claim_text(
                claim, sf_claim_measure_ours(ev, claim, q), text);
            fprintf(stream, " %s |", text);
        }
        fputc('\n', stream);
        if (has_differed && sf_claim_reason(ev, claim)) {
            fprintf(stream, "| | | why: %s | | | | |\n", claim->reason);
        }
    }
}

static void
write_kind_tables(const struct sf_evaluation *ev, uint32_t kind, FILE *stream)
{
    const struct sf_eval_params *params = sf_evaluation_params(ev);
    const struct sf_eval_kind *of = &sf_eval_kinds[kind];
    bool is_flow = of->method == SF_EVAL_BY_FLOW;

    for (uint32_t p = 0; p < SF_N_EVAL_PLACEMENTS; p++) {
        for (uint32_t q = 0; q < SF_N_SIM_QUEUES; q++) {
            if (!(is_flow ? q == SF_SIM_VOQ : params->has_queues[q])) {
                continue;
            }
            fprintf(stream, "\n%s, %s placement, %s, %s:\n\n| nodes |",
                    of->title, sf_eval_placement_name(p),
                    is_flow ? "flows" : sf_sim_queues_name(q),
                    of->method == SF_EVAL_BY_RATE ? "% of a host's link"
                                                  : "seconds");
            for (uint32_t n = 0; n < sf_evaluation_n_nodes(ev, kind); n++) {
                fprintf(stream, " %u |", sf_evaluation_nodes(ev, kind, n));
            }
            fputs("\n| --- |", stream);
            for (uint32_t n = 0; n < sf_evaluation_n_nodes(ev, kind); n++) {
                fputs(" --- |", stream);
            }
            fputc('\n', stream);
            write_table(ev, kind, p, q, "|", stream);
        }
    }
}

enum sf_status
sf_evaluation_write_markdown(const struct sf_evaluation_report *report,
                             FILE *stream, struct sf_error *err)
{
    const struct sf_evaluation *ev = report->ev;
    const char *command = report->origin.command;

    (void)err;
    fprintf(stream, "    %s\n\n", command ? command : "");
    write_networks(ev, "- ", stream);
    write_reference(ev, "\n", stream);
    write_left_out(ev, stream);
    if (sf_evaluation_params(ev)->is_paper) {
        fputs("\n## The paper says, and we get\n\n", stream);
        write_counts(ev, stream);
        fputc('\n', stream);
        write_claims_table(ev, stream);
    }
    fputs("\n## Figures\n", stream);
    for (uint32_t k = 0; sf_eval_kinds[k].name; k++) {
        if (sf_evaluation_has_kind(ev, k) &&
            sf_eval_kinds[k].method != SF_EVAL_BY_SIZE) {
            write_kind_tables(ev, k, stream);
        }
    }
    return SF_OK;
}
