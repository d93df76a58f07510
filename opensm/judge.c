/* judge.c -- see judge.h. */
#include "judge.h"

#include <stdio.h>

void
sf_judge_result(struct sf_plugin_status *status)
{
    const struct sf_engine_result *result = &status->result;
    const struct sf_routing *routing = status->routing;

    if (result->outcome == SF_OUTCOME_FALLBACK) {
        sf_plugin_warn(
            status,
            "cannot route as asked: %s. Routed by %s with lanes by %s "
            "instead, which is safe. Mend the fabric, or ask for other lanes "
            "or another scheme",
            result->reason, routing->params.layers.scheme,
            routing->params.lanes);
    } else if (result->outcome == SF_OUTCOME_HELD) {
        sf_plugin_warn(
            status,
            "cannot route: %s. The tables of before stay; what lies behind "
            "lost links is out of reach. Mend the fabric, then send opensm a "
            "SIGHUP",
            result->reason);
    }
    if (routing->refusal.status != SF_OK &&
        !sf_lanes_ignore_sls(routing->routes->lanes)) {
        sf_plugin_warn(status,
                       "%s with lanes by %s is not possible: %s; senders must "
                       "use the SL of each path, which UCX and NCCL do not",
                       routing->refused.layers, routing->refused.lanes,
                       routing->refusal.text);
    }
    if (!result->is_safe) {
        sf_plugin_warn(
            status,
            "%s with the lanes %s can deadlock: ask for other lanes or "
            "another scheme",
            routing->params.layers.scheme, routing->params.lanes);
    }
}

void
sf_describe_result(const struct sf_plugin_status *status,
                   char text[SF_RESULT_SIZE])
{
    const struct sf_routing *routing = status->routing;
    const struct sf_fabric *fabric = routing->network->fabric;
    const struct sf_difference *difference = &status->result.difference;
    const struct sf_change_state *change = &status->change;
    unsigned long long n_changed = status->n_changed;
    unsigned long long n_entries = status->n_entries;
    char entries[128];

    if (change->n_steps > 1) { /* An entry may be written in several. */
        snprintf(entries, sizeof entries,
                 "%llu entries, %llu written so far, in step %u of %u",
                 n_entries, n_changed, change->step, change->n_steps);
    } else {
        snprintf(entries, sizeof entries, "%llu of %llu entries change",
                 n_changed, n_entries);
    }
    snprintf(
        text, SF_RESULT_SIZE,
        "%s: %u switches, %u hosts, %u links; missing: %u switches, %u hosts, "
        "%u links; %u layers by %s, lanes by %s, VLs: %u; %s; "
        "%.3f s%s%s",
        sf_outcome_name(status->result.outcome), fabric->n_switches,
        fabric->n_nodes - fabric->n_switches, routing->network->graph->n_links,
        difference->n_lost_switches, difference->n_lost_hosts,
        difference->n_lost_links, routing->params.layers.n_layers,
        routing->params.layers.scheme, routing->params.lanes,
        routing->routes->lanes->n_vls, entries,
        status->read_seconds + status->route_seconds + status->write_seconds,
        status->result.reason[0] ? "; " : "", status->result.reason);
}

void
sf_judge_jobs(struct sf_plugin_status *status)
{
    const struct sf_plugin_jobs *jobs = status->jobs;

    if (jobs->state == SF_JOBS_HELD) {
        sf_plugin_warn(status,
                       "no jobs from their file: %s. The routing stays as it "
                       "was",
                       jobs->problem);
    } else if (jobs->state == SF_JOBS_FAILED) {
        sf_plugin_warn(status, "cannot route for jobs: %s", jobs->problem);
    }
}

void
sf_describe_jobs(const struct sf_plugin_jobs *jobs, char text[SF_RESULT_SIZE])
{
    const struct sf_job_routes *routes = &jobs->routes;

    snprintf(text, SF_RESULT_SIZE,
             "jobs: %u, the slowest has %.3f of the rate of a host, %.3f "
             "before; uniform traffic %.3f, %.3f before; %llu of %llu next "
             "hops change; %.3f s; left out: %u%s%s",
             jobs->jobs ? jobs->jobs->n_jobs : 0, routes->slowest.after,
             routes->slowest.before, routes->uniform.after,
             routes->uniform.before, (unsigned long long)routes->n_changed,
             (unsigned long long)routes->n_entries, jobs->seconds,
             jobs->strays.n, jobs->strays.n ? "; " : "",
             jobs->strays.first.text);
}

/* Says of an entry why it is not drained. */
static void
judge_entry(struct sf_plugin_status *status,
            const struct sf_plugin_drained *drained,
            const struct sf_drain_outcome *outcome)
{
    const struct sf_drain_entry *entry =
        &drained->list->lines[outcome->line].entry;
    char text[SF_DRAIN_TEXT_SIZE];

    sf_drain_entry_text(entry, text);
    if (outcome->state == SF_DRAIN_UNKNOWN) {
        sf_plugin_warn(status,
                       "%s:%u: nothing is drained: there is no %s here",
                       drained->path, outcome->line + 1, text);
    } else if (outcome->state == SF_DRAIN_REFUSED) {
        sf_plugin_warn(
            status,
            "%s:%u: %s is not drained: that would cut off hosts, %u of them, "
            "such as %s",
            drained->path, outcome->line + 1, text, outcome->n_cut_off,
            drained->whole->nodes[outcome->cut_off[0]].name);
    }
}

void
sf_judge_drained(struct sf_plugin_status *status)
{
    const struct sf_plugin_drained *drained = status->drained;

    if (drained->problem[0]) {
        sf_plugin_warn(status,
                       "the list of drained links cannot be read: %s. What "
                       "was drained stays so",
                       drained->problem);
    }
    for (uint32_t i = 0; i < drained->drained.n_outcomes; i++) {
        judge_entry(status, drained, &drained->drained.outcomes[i]);
    }
}
