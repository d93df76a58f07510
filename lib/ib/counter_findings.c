/* counter_findings.c -- judges counters by thresholds. */
#include "slimfly/counter_findings.h"

#include "base/mem.h"

#include <string.h>

/* Shares of a link below which a prediction is nothing to compare with. */
#define MIN_PREDICTED 1e-3

const char *
sf_severity_name(enum sf_severity severity)
{
    static const char *const names[SF_N_SEVERITIES] = {
        [SF_SEVERITY_NOTE] = "note",
        [SF_SEVERITY_WARNING] = "warning",
        [SF_SEVERITY_CRITICAL] = "critical",
    };
    return names[severity];
}

const char *
sf_counter_finding_kind_name(enum sf_counter_finding_kind kind)
{
    static const char *const names[SF_N_COUNTER_FINDING_KINDS] = {
        [SF_FINDING_BLACK_HOLE] = "black_hole",
        [SF_FINDING_COUNTER] = "counter",
        [SF_FINDING_OLD_COUNTER] = "old_counter",
        [SF_FINDING_BUSY] = "busy",
        [SF_FINDING_HOT] = "hot",
        [SF_FINDING_NO_ANSWER] = "no_answer",
        [SF_FINDING_RESET] = "reset",
    };
    return names[kind];
}

/* Findings as they are made. */
struct judging {
    const struct sf_counters_view *view;
    const struct sf_thresholds *thresholds;
    struct sf_counter_findings *findings;
    SF_VEC(struct sf_counter_finding) list;
    bool is_out_of_memory;
};

static const struct sf_end no_end = { SF_NONE, SF_NONE, 0 };

/* The node 'found' of the fabric, or a port of it. */
static struct sf_end
make_end(const struct sf_counters_view *view, uint32_t found, uint32_t number)
{
    const struct sf_verification *known = view->verification;

    return (struct sf_end){ known ? known->identities[found].node : SF_NONE,
                            found, number };
}

/* The planned port at 'end', or SF_NONE. */
static uint32_t
planned_port(const struct sf_counters_view *view, const struct sf_end *end)
{
    return view->verification && end->node != SF_NONE
               ? sf_fabric_port(view->verification->plan->fabric, end->node,
                                end->number)
               : SF_NONE;
}

/* Fills in both ends of the cable at port 'i' of the fabric, and which planned
 * cable that is. */
static void
set_ends(const struct sf_counters_view *view, uint32_t i,
         struct sf_counter_finding *finding)
{
    const struct sf_fabric *fabric = view->fabric;
    const struct sf_port *port = &fabric->ports[i];
    struct sf_end *ends = finding->ends;

    ends[0] = make_end(view, port->node, port->number);
    ends[1] = no_end;
    finding->cable = SF_NONE;
    if (port->peer != SF_NONE) {
        const struct sf_port *peer = &fabric->ports[port->peer];
        ends[1] = make_end(view, peer->node, peer->number);
    }
    uint32_t own = planned_port(view, &ends[0]);
    if (own == SF_NONE) {
        return;
    }
    const struct sf_plan *plan = view->verification->plan;
    uint32_t other = plan->fabric->ports[own].peer;
    if (other != SF_NONE && port->peer == SF_NONE) {
        const struct sf_port *peer = &plan->fabric->ports[other];
        ends[1] = (struct sf_end){ peer->node,
                                   view->verification->found_of[peer->node],
                                   peer->number };
    }
    if (other != SF_NONE && planned_port(view, &ends[1]) == other) {
        finding->cable = plan->cable_of_port[own];
    }
}

static void
add(struct judging *judging, const struct sf_counter_finding *finding)
{
    if (!sf_vec_push(&judging->list, *finding)) {
        judging->is_out_of_memory = true;
        return;
    }
    judging->findings->n_by_kind[finding->kind]++;
    judging->findings->n_by_severity[finding->severity]++;
}

/* The fabric port at 'end', or SF_NONE. */
static uint32_t
found_port(const struct sf_fabric *fabric, const struct sf_end *end)
{
    return end->found != SF_NONE
               ? sf_fabric_port(fabric, end->found, end->number)
               : SF_NONE;
}

static const struct sf_silence_port *
black_hole_at(const struct sf_counters_view *view, uint32_t i)
{
    const struct sf_port *port = &view->fabric->ports[i];
    const struct sf_silence_port *found =
        port->node < view->fabric->n_switches
            ? sf_silence_find(view->silence,
                              view->fabric->nodes[port->node].guid,
                              port->number)
            : NULL;

    return found && found->state == SF_SILENCE_BLACK_HOLE ? found : NULL;
}

static const char *
name_of(const struct sf_counters_view *view, const struct sf_end *end)
{
    return end->node != SF_NONE && view->verification
               ? view->verification->plan->fabric->nodes[end->node].name
           : end->found != SF_NONE ? view->fabric->nodes[end->found].name
                                   : "";
}

/* Whether the list of drained links has one of the ends. */
static bool
is_drained(const struct sf_counters_view *view,
           const struct sf_counter_finding *finding)
{
    const struct sf_drain_list *list = view->drained;

    for (uint32_t i = 0; list && i < list->n_lines; i++) {
        const struct sf_drain_entry *entry = &list->lines[i].entry;
        for (uint32_t k = 0; list->lines[i].is_entry && k < 4; k++) {
            const struct sf_end *end = &finding->ends[k % 2];
            if (entry->names[k / 2] &&
                !strcmp(entry->names[k / 2], name_of(view, end)) &&
                (entry->is_switch || entry->ports[k / 2] == end->number)) {
                return true;
            }
        }
    }
    return false;
}

static void
judge_silence(struct judging *judging, uint32_t i)
{
    const struct sf_silence_port *hole = black_hole_at(judging->view, i);
    struct sf_counter_finding finding = { .kind = SF_FINDING_BLACK_HOLE,
                                          .severity = SF_SEVERITY_CRITICAL };

    if (!hole) {
        return;
    }
    set_ends(judging->view, i, &finding);
    uint32_t other = found_port(judging->view->fabric, &finding.ends[1]);
    if (other < i && black_hole_at(judging->view, other)) {
        return; /* The cable was found from its other end. */
    }
    finding.is_drained = is_drained(judging->view, &finding);
    if (finding.is_drained) {
        finding.severity = SF_SEVERITY_NOTE;
    }
    finding.value = hole->n_seen;
    for (uint32_t bits = hole->history; bits; bits &= bits - 1) {
        finding.n++;
    }
    add(judging, &finding);
}

static void
judge_counter(struct judging *judging, uint32_t i, uint32_t counter)
{
    const struct sf_port_counters *port = &judging->view->counters->ports[i];
    const struct sf_port_growth *growth =
        judging->view->growths ? &judging->view->growths->ports[i] : NULL;
    const struct sf_counter_threshold *allowed =
        &judging->thresholds->counters[counter];
    bool is_compared = growth && growth->known >> counter & 1;
    bool has_grown = is_compared && allowed->growth != SF_NO_THRESHOLD &&
                     growth->grown[counter] > allowed->growth;
    bool is_many = allowed->total != SF_NO_THRESHOLD &&
                   port->values[counter] > allowed->total;
    struct sf_counter_finding finding = {
        .kind = SF_FINDING_COUNTER,
        .severity = allowed->severity,
        .counter = (enum sf_counter)counter,
        .value = has_grown ? growth->grown[counter] : port->values[counter],
        .is_growth = has_grown,
        .is_at_least =
            (has_grown ? growth->at_least : port->saturated) >> counter & 1,
        .threshold = has_grown ? allowed->growth : allowed->total,
    };

    if (!(port->known >> counter & 1) || (!has_grown && !is_many)) {
        return;
    }
    /* One that stands at its limit may well go on. */
    if (is_compared && !has_grown && !finding.is_at_least) {
        finding.kind = SF_FINDING_OLD_COUNTER;
        finding.severity = SF_SEVERITY_NOTE;
        finding.grown = growth->grown[counter];
    }
    set_ends(judging->view, i, &finding);
    add(judging, &finding);
}

static void
judge_counters(struct judging *judging, uint32_t i)
{
    if (judging->view->counters->ports[i].answer != SF_ANSWER_GIVEN) {
        return;
    }
    for (uint32_t c = 0; c < SF_N_COUNTERS; c++) {
        judge_counter(judging, i, c);
    }
}

/* Ports of 'node' that were asked in vain. */
static uint32_t
count_unanswered(const struct sf_counters_view *view, uint32_t node)
{
    const struct sf_node *of = &view->fabric->nodes[node];
    uint32_t n = 0;

    for (uint32_t i = 0; i < of->n_ports; i++) {
        enum sf_answer answer =
            view->counters->ports[of->first_port + i].answer;
        n += answer == SF_ANSWER_NONE || answer == SF_ANSWER_REFUSED;
    }
    return n;
}

/* The switch that the host 'node' hangs on, if it has one port only; else
 * SF_NONE. */
static uint32_t
switch_of(const struct sf_fabric *fabric, uint32_t node)
{
    const struct sf_node *of = &fabric->nodes[node];
    uint32_t peer = of->n_ports == 1 && node >= fabric->n_switches
                        ? fabric->ports[of->first_port].peer
                        : SF_NONE;

    return peer == SF_NONE ? SF_NONE : fabric->ports[peer].node;
}

/* Hosts on switch 'node' that were asked in vain. */
static uint32_t
count_unanswered_hosts(const struct sf_counters_view *view, uint32_t node)
{
    const struct sf_node *of = &view->fabric->nodes[node];
    uint32_t n = 0;

    for (uint32_t i = 0; i < of->n_ports; i++) {
        uint32_t peer = view->fabric->ports[of->first_port + i].peer;
        uint32_t other =
            peer == SF_NONE ? SF_NONE : view->fabric->ports[peer].node;
        n += other != SF_NONE && switch_of(view->fabric, other) == node &&
             count_unanswered(view, other);
    }
    return n;
}

static void
judge_answers(struct judging *judging, uint32_t node)
{
    const struct sf_counters_view *view = judging->view;
    const struct sf_node *of = &view->fabric->nodes[node];
    uint32_t above = switch_of(view->fabric, node);
    struct sf_counter_finding finding = {
        .kind = SF_FINDING_NO_ANSWER,
        .severity = SF_SEVERITY_WARNING,
        .n = count_unanswered(view, node),
        .cable = SF_NONE,
    };

    /* A host is named with its switch if that does not answer either. */
    if (!finding.n ||
        (above < view->fabric->n_switches && count_unanswered(view, above))) {
        return;
    }
    finding.ends[0] = make_end(view, node, 0);
    finding.ends[1] = no_end;
    if (node < view->fabric->n_switches) {
        finding.value = count_unanswered_hosts(view, node);
    } else if (of->n_ports == 1) {
        set_ends(view, of->first_port, &finding);
    }
    add(judging, &finding);
}

static void
judge_resets(struct judging *judging)
{
    const struct sf_growths *growths = judging->view->growths;
    struct sf_counter_finding finding = { .kind = SF_FINDING_RESET,
                                          .severity = SF_SEVERITY_NOTE,
                                          .ends = { no_end, no_end },
                                          .cable = SF_NONE };

    if (!growths || !growths->n_resets) {
        return;
    }
    finding.n = growths->n_resets;
    uint32_t first = 0;
    while (!growths->ports[first].reset) {
        first++;
    }
    set_ends(judging->view, first, &finding);
    add(judging, &finding);
}

/* Bytes a second that leave port 'i', from its own counter or from that at the
 * other end. */
static double
bytes_from(const struct sf_counters_view *view, uint32_t i)
{
    const struct sf_port_growth *growths = view->growths->ports;
    uint32_t peer = view->fabric->ports[i].peer;

    return growths[i].known >> SF_COUNTER_XMIT_DATA & 1
               ? sf_growth_rate(&growths[i], SF_COUNTER_XMIT_DATA)
               : sf_growth_rate(&growths[peer], SF_COUNTER_RCV_DATA);
}

/* What a host sends in a second, in the mean, and of what it can. */
static void
measure_hosts(const struct sf_counters_view *view,
              struct sf_counter_findings *findings)
{
    double sum = 0, most = 0;
    uint32_t n = 0;

    for (uint32_t i = 0; i < view->fabric->n_ports; i++) {
        const struct sf_port *port = &view->fabric->ports[i];
        if (port->node >= view->fabric->n_switches && port->peer != SF_NONE) {
            sum += bytes_from(view, i);
            most += sf_rate_bytes(port->rate);
            n++;
        }
    }
    findings->host_bytes = n ? sum / n : 0;
    findings->host_share = most > 0 ? sum / most : 0;
}

static int
compare_loads(const void *a, const void *b)
{
    const struct sf_link_load *x = a, *y = b;

    if (x->share != y->share) {
        return x->share < y->share ? 1 : -1;
    }
    if (x->bytes != y->bytes) {
        return x->bytes < y->bytes ? 1 : -1;
    }
    return (x->port > y->port) - (x->port < y->port);
}

static enum sf_status
measure_loads(struct judging *judging, struct sf_error *err)
{
    const struct sf_counters_view *view = judging->view;
    struct sf_counter_findings *findings = judging->findings;

    if (!view->growths) {
        return SF_OK;
    }
    findings->loads =
        sf_calloc((size_t)2 * view->fabric->n_cables, sizeof *findings->loads);
    if (!findings->loads) {
        return sf_fail(err, SF_ENOMEM, "out of memory for loads");
    }
    measure_hosts(view, findings);
    findings->hot_traffic = judging->thresholds->hot_traffic;
    for (uint32_t i = 0; i < view->fabric->n_ports; i++) {
        const struct sf_port *port = &view->fabric->ports[i];
        double most = sf_rate_bytes(port->rate);
        if (port->peer == SF_NONE) {
            continue;
        }
        struct sf_link_load load = { .port = i, .bytes = bytes_from(view, i) };
        load.share = most > 0 ? load.bytes / most : 0;
        load.predicted =
            view->predicted ? view->predicted[i] * findings->host_bytes : 0;
        findings->loads[findings->n_loads++] = load;
    }
    qsort(findings->loads, findings->n_loads, sizeof *findings->loads,
          compare_loads);
    return SF_OK;
}

/* How much more the link carries than predicted.  A link for which next to
 * nothing is predicted, as while hosts are idle, has no such number: 0. */
static double
times_predicted(const struct judging *judging, const struct sf_link_load *load)
{
    bool is_idle =
        judging->findings->host_share < judging->thresholds->hot_traffic;
    double share =
        load->bytes > 0 ? load->share * load->predicted / load->bytes : 0;

    return !is_idle && share >= MIN_PREDICTED ? load->bytes / load->predicted
                                              : 0;
}

static void
judge_load(struct judging *judging, const struct sf_link_load *load)
{
    const struct sf_counters_view *view = judging->view;
    const struct sf_thresholds *thresholds = judging->thresholds;
    const struct sf_fabric *fabric = view->fabric;
    const struct sf_port *port = &fabric->ports[load->port];
    bool is_between = port->node < fabric->n_switches &&
                      fabric->ports[port->peer].node < fabric->n_switches;
    bool is_hot = is_between && view->predicted &&
                  judging->findings->host_share >= thresholds->hot_traffic &&
                  load->share >= thresholds->hot_least &&
                  load->bytes > thresholds->hot_times * load->predicted;
    struct sf_counter_finding finding = {
        .kind = is_hot ? SF_FINDING_HOT : SF_FINDING_BUSY,
        .severity = is_hot ? SF_SEVERITY_WARNING : SF_SEVERITY_NOTE,
        .share = load->share,
        .times = times_predicted(judging, load),
    };

    if (is_hot || load->share >= thresholds->busy) {
        set_ends(view, load->port, &finding);
        add(judging, &finding);
    }
}

static int
compare_findings(const void *a, const void *b)
{
    const struct sf_counter_finding *x = a, *y = b;
    const struct sf_end *p = &x->ends[0], *q = &y->ends[0];

    if (x->severity != y->severity) {
        return x->severity < y->severity ? 1 : -1;
    }
    if (x->kind != y->kind) {
        return x->kind > y->kind ? 1 : -1;
    }
    if (x->share != y->share) {
        return x->share < y->share ? 1 : -1;
    }
    if (p->found != q->found) {
        return p->found > q->found ? 1 : -1;
    }
    if (p->number != q->number) {
        return p->number > q->number ? 1 : -1;
    }
    return (x->counter > y->counter) - (x->counter < y->counter);
}

static void
judge_all(struct judging *judging)
{
    const struct sf_fabric *fabric = judging->view->fabric;

    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        if (judging->view->silence) {
            judge_silence(judging, i);
        }
        judge_counters(judging, i);
    }
    for (uint32_t i = 0; i < fabric->n_nodes; i++) {
        judge_answers(judging, i);
    }
    for (uint32_t i = 0; i < judging->findings->n_loads; i++) {
        judge_load(judging, &judging->findings->loads[i]);
    }
    judge_resets(judging);
}

enum sf_status
sf_counter_findings_build(const struct sf_counters_view *view,
                          const struct sf_thresholds *thresholds,
                          struct sf_counter_findings **findingsp,
                          struct sf_error *err)
{
    struct judging judging = { .view = view, .thresholds = thresholds };

    *findingsp = NULL;
    judging.findings = sf_calloc(1, sizeof *judging.findings);
    if (!judging.findings) {
        return sf_fail(err, SF_ENOMEM, "out of memory for findings");
    }
    enum sf_status status = measure_loads(&judging, err);
    if (status == SF_OK) {
        judge_all(&judging);
    }
    judging.findings->findings = judging.list.items;
    judging.findings->n_findings = (uint32_t)judging.list.n;
    if (judging.is_out_of_memory) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for findings");
    }
    if (status != SF_OK) {
        sf_counter_findings_free(judging.findings);
        return status;
    }
    if (judging.list.n) {
        qsort(judging.list.items, judging.list.n, sizeof *judging.list.items,
              compare_findings);
    }
    *findingsp = judging.findings;
    return SF_OK;
}

void
sf_counter_findings_free(struct sf_counter_findings *findings)
{
    if (findings) {
        free(findings->loads);
        free(findings->findings);
        free(findings);
    }
}

const char *
sf_counters_view_name(const struct sf_counters_view *view,
                      const struct sf_end *end)
{
    if (view->verification && sf_end_exists(end)) {
        return sf_verification_name(view->verification, end);
    }
    return end->found != SF_NONE ? view->fabric->nodes[end->found].name : "?";
}
