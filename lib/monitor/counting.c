#define _GNU_SOURCE
#include "monitor/counting.h"

#include "base/mem.h"

#include <math.h>
#include <string.h>
#include <time.h>

enum sf_status
sf_counting_init(struct sf_counting *counting, const struct sf_plan *plan,
                 const char *thresholds, struct sf_error *err)
{
    *counting = (struct sf_counting){ 0 };
    enum sf_status status =
        thresholds ? sf_thresholds_read(thresholds, &counting->thresholds, err)
                   : sf_thresholds_default(&counting->thresholds, err);
    if (status == SF_OK) {
        status = sf_silence_new(counting->thresholds.n_silent,
                                counting->thresholds.n_sweeps,
                                &counting->silence, err);
    }
    counting->loads = sf_calloc(plan->n_cables, sizeof *counting->loads);
    counting->errors = sf_calloc(plan->n_cables, sizeof *counting->errors);
    if (status == SF_OK && (!counting->loads || !counting->errors)) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for counters");
    }
    for (uint32_t i = 0; status == SF_OK && i < plan->n_cables; i++) {
        counting->loads[i] = counting->errors[i] = -1;
    }
    return status;
}

void
sf_counting_clear(struct sf_counting *counting)
{
    sf_silence_free(counting->silence);
    sf_counters_free(counting->last);
    free(counting->loads);
    free(counting->errors);
    free(counting->metrics);
    *counting = (struct sf_counting){ 0 };
}

typedef void write_finding(const struct sf_counters_view *view,
                           const struct sf_counter_finding *finding,
                           FILE *stream);

static char *
say(const struct sf_counters_view *view, write_finding *write,
    const struct sf_counter_finding *finding)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);

    if (!stream) {
        return NULL;
    }
    write(view, finding, stream);
    if (fclose(stream) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* Who it is about, and which counter: numbers in its text may change.  'kind'
 * is that of 'finding', or another one. */
static char *
make_key(const struct sf_counters_view *view,
         enum sf_counter_finding_kind kind,
         const struct sf_counter_finding *finding)
{
    bool has_counter =
        kind == SF_FINDING_COUNTER || kind == SF_FINDING_OLD_COUNTER;
    char *key = NULL;
    int n =
        asprintf(&key, "%s:%s:%u:%s", sf_counter_finding_kind_name(kind),
                 sf_counters_view_name(view, &finding->ends[0]),
                 finding->ends[0].number,
                 has_counter ? sf_counter_kinds[finding->counter].name : "");
    return n < 0 ? NULL : key;
}

static void
tell_finding(const struct sf_counters_view *view,
             const struct sf_counter_finding *finding, bool is_note,
             int64_t time, struct sf_timeline *timeline)
{
    char *key = make_key(view, finding->kind, finding);
    char *text = say(view, sf_counter_finding_write, finding);
    char *remedy = say(view, sf_counter_finding_write_remedy, finding);

    if (key && text) {
        struct sf_condition condition = {
            .key = key,
            .kind = sf_counter_finding_kind_name(finding->kind),
            .text = text,
            .remedy = remedy && remedy[0] ? remedy : NULL,
            .severity = finding->severity,
            .cable = finding->cable,
            .node = finding->ends[0].node,
        };
        if (is_note) {
            sf_timeline_note(timeline, SF_MONITOR_COUNTERS, &condition, time);
        } else {
            sf_timeline_see(timeline, &condition);
        }
    }
    free(remedy);
    free(text);
    free(key);
}

/* Whether an earlier life knew a counter that the first reading finds beyond
 * its total: nobody knows yet whether it grows, so what was told holds. */
static bool
is_known(const struct sf_counters_view *view,
         const struct sf_counter_finding *finding,
         struct sf_timeline *timeline)
{
    char *old = make_key(view, SF_FINDING_OLD_COUNTER, finding);
    char *key = make_key(view, SF_FINDING_COUNTER, finding);
    bool is_known =
        old && key &&
        (sf_timeline_hold(timeline, old) || sf_timeline_hold(timeline, key));

    free(key);
    free(old);
    return is_known;
}

/* Keeps open what an earlier life left open and nobody can judge yet: growth
 * takes two readings, and silence as many looks as its history has. */
static void
hold_earlier(const struct sf_counting *counting,
             const struct sf_counters_view *view, struct sf_timeline *timeline)
{
    static const enum sf_counter_finding_kind by_growth[] = {
        SF_FINDING_COUNTER, SF_FINDING_OLD_COUNTER, SF_FINDING_BUSY,
        SF_FINDING_HOT
    };

    for (size_t i = 0; !view->growths && i < 4; i++) {
        char start[40];
        snprintf(start, sizeof start,
                 "%s:", sf_counter_finding_kind_name(by_growth[i]));
        sf_timeline_hold_all(timeline, start);
    }
    if (counting->n_probes < counting->thresholds.n_sweeps) {
        sf_timeline_hold_all(timeline, "black_hole:");
    }
}

/* That somebody cleared counters is over as soon as it is told. */
static void
tell_findings(const struct sf_counting *counting,
              const struct sf_counters_view *view,
              const struct sf_counter_findings *findings, int64_t time,
              struct sf_timeline *timeline)
{
    for (uint32_t i = 0; i < findings->n_findings; i++) {
        if (findings->findings[i].kind == SF_FINDING_RESET) {
            tell_finding(view, &findings->findings[i], true, time, timeline);
        }
    }
    sf_timeline_begin(timeline, SF_MONITOR_COUNTERS, time);
    for (uint32_t i = 0; i < findings->n_findings; i++) {
        const struct sf_counter_finding *finding = &findings->findings[i];
        bool is_first = finding->kind == SF_FINDING_COUNTER && !view->growths;
        if (finding->kind != SF_FINDING_RESET &&
            !(is_first && is_known(view, finding, timeline))) {
            tell_finding(view, finding, false, time, timeline);
        }
    }
    hold_earlier(counting, view, timeline);
    sf_timeline_end(timeline);
}

/* The planned cable of a port that was found, or SF_NONE. */
static uint32_t
cable_of(const struct sf_verification *verification, uint32_t found_port)
{
    const struct sf_port *port = &verification->found->ports[found_port];
    const struct sf_plan *plan = verification->plan;
    uint32_t node = verification->identities[port->node].node;
    uint32_t planned = node == SF_NONE
                           ? SF_NONE
                           : sf_fabric_port(plan->fabric, node, port->number);
    return planned == SF_NONE ? SF_NONE : plan->cable_of_port[planned];
}

static void
raise_to(double *value, double least)
{
    if (least > *value) {
        *value = least;
    }
}

/* Errors a minute of a port. */
static double
sum_errors(const struct sf_port_growth *growth)
{
    double sum = 0;

    for (int i = SF_FIRST_ERROR_COUNTER; i < SF_N_COUNTERS; i++) {
        sum += 60 * sf_growth_rate(growth, (enum sf_counter)i);
    }
    return sum;
}

/* What each planned cable carries, and the errors of both of its ends. */
static void
fill_cables(struct sf_counting *counting, const struct sf_counters_view *view,
            const struct sf_counter_findings *findings)
{
    const struct sf_verification *verification = view->verification;

    for (uint32_t i = 0; i < verification->plan->n_cables; i++) {
        counting->loads[i] = counting->errors[i] = -1;
    }
    for (uint32_t i = 0; i < findings->n_loads; i++) {
        uint32_t cable = cable_of(verification, findings->loads[i].port);
        if (cable != SF_NONE) {
            raise_to(&counting->loads[cable], findings->loads[i].share);
        }
    }
    for (uint32_t i = 0; view->growths && i < view->growths->n_ports; i++) {
        const struct sf_port_growth *growth = &view->growths->ports[i];
        uint32_t cable = cable_of(verification, i);
        if (cable != SF_NONE && growth->seconds > 0) {
            raise_to(&counting->errors[cable], 0);
            counting->errors[cable] += sum_errors(growth);
        }
    }
}

static void
renew_metrics(struct sf_counting *counting,
              const struct sf_counters_view *view,
              const struct sf_counter_findings *findings)
{
    char *text;
    size_t length;

    if (sf_counters_metrics_text(view, findings, &text, &length, NULL) ==
        SF_OK) {
        free(counting->metrics);
        counting->metrics = text;
        counting->metrics_length = length;
    }
}

static double
seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Looks who is silent; that this fails is no reason to lose the counters. */
static void
look_for_silence(struct sf_counting *counting, const char *source,
                 const struct sf_fabric *fabric,
                 const struct sf_counters_params *params)
{
    struct sf_probes *probes = NULL;

    if (sf_live_probe(source, fabric, NULL, params, &probes, NULL) == SF_OK) {
        counting->n_probes +=
            sf_silence_update(counting->silence, probes, NULL) == SF_OK &&
            counting->n_probes < UINT32_MAX;
    }
    sf_probes_free(probes);
}

enum sf_status
sf_counting_tell(struct sf_counting *counting,
                 const struct sf_counters_view *view, int64_t time,
                 struct sf_timeline *timeline, struct sf_error *err)
{
    struct sf_counter_findings *findings;
    enum sf_status status =
        sf_counter_findings_build(view, &counting->thresholds, &findings, err);

    if (status == SF_OK) {
        tell_findings(counting, view, findings, time, timeline);
        fill_cables(counting, view, findings);
        renew_metrics(counting, view, findings);
        sf_counter_findings_free(findings);
    }
    return status;
}

enum sf_status
sf_counting_read(struct sf_counting *counting, const char *source,
                 const struct sf_verification *verification,
                 const double *predicted, unsigned timeout, int64_t time,
                 struct sf_timeline *timeline, struct sf_error *err)
{
    struct sf_counters_params params = { .timeout = timeout };
    struct sf_counters *counters = NULL;
    struct sf_growths *growths = NULL;
    double start = seconds_now();

    enum sf_status status =
        sf_counters_read(source, verification->found, &params, &counters, err);
    if (status == SF_OK && counting->last) {
        status = sf_counters_compare(counting->last, counters, &growths, err);
    }
    if (status == SF_OK) {
        look_for_silence(counting, source, verification->found, &params);
        struct sf_counters_view view = {
            .fabric = verification->found,
            .counters = counters,
            .growths = growths,
            .verification = verification,
            .predicted = predicted,
            .silence = counting->silence,
            .read_seconds = seconds_now() - start,
            .read_at = (double)time / 1000,
        };
        status = sf_counting_tell(counting, &view, time, timeline, err);
    }
    sf_growths_free(growths);
    if (status == SF_OK) {
        sf_counters_free(counting->last);
        counting->last = counters;
    } else {
        sf_counters_free(counters);
    }
    return status;
}
