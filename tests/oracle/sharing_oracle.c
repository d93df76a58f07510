#include "sharing_oracle.h"

#include "oracle/oracle.h"

#include <math.h>
#include <stdlib.h>

/* How much of link 'l' is left for each unit of weight that is not frozen. */
static double
share_of_link(uint32_t l, double capacity, const struct oracle_flow *flows,
              uint32_t n_flows, const bool *is_frozen, const double *rates)
{
    double weight = 0;

    for (uint32_t f = 0; f < n_flows; f++) {
        if (flows[f].crosses[l] && is_frozen[f]) {
            capacity -= rates[f];
        } else if (flows[f].crosses[l]) {
            weight += flows[f].weight;
        }
    }
    return weight > 0 ? fmax(capacity, 0) / weight : HUGE_VAL;
}

/* Freezes the flows that a link or a bound stops first; false if none. */
static bool
freeze_next(const double *capacities, uint32_t n_links,
            const struct oracle_flow *flows, uint32_t n_flows, bool *is_frozen,
            double *rates)
{
    double least = HUGE_VAL;
    uint32_t link = n_links, flow = n_flows;

    for (uint32_t l = 0; l < n_links; l++) {
        double share =
            share_of_link(l, capacities[l], flows, n_flows, is_frozen, rates);
        if (share < least) {
            least = share;
            link = l;
        }
    }
    for (uint32_t f = 0; f < n_flows; f++) {
        if (!is_frozen[f] && flows[f].bound / flows[f].weight < least) {
            least = flows[f].bound / flows[f].weight;
            flow = f;
        }
    }
    for (uint32_t f = 0; f < n_flows; f++) {
        if (flow < n_flows
                ? f == flow
                : link < n_links && flows[f].crosses[link] && !is_frozen[f]) {
            is_frozen[f] = true;
            rates[f] = least * flows[f].weight;
        }
    }
    return least < HUGE_VAL;
}

void
oracle_share(const double *capacities, uint32_t n_links,
             const struct oracle_flow *flows, uint32_t n_flows, double *rates)
{
    bool *is_frozen = oracle_calloc(n_flows + 1, sizeof *is_frozen);

    for (uint32_t f = 0; f < n_flows; f++) {
        rates[f] = HUGE_VAL;
    }
    while (
        freeze_next(capacities, n_links, flows, n_flows, is_frozen, rates)) {
    }
    free(is_frozen);
}

static double
load_of(uint32_t l, const struct oracle_flow *flows, uint32_t n_flows,
        const double *rates)
{
    double load = 0;

    for (uint32_t f = 0; f < n_flows; f++) {
        load += flows[f].crosses[l] ? rates[f] : 0;
    }
    return load;
}

/* Whether no flow on link 'l' has more for its weight than flow 'f'. */
static bool
has_most(uint32_t f, uint32_t l, const struct oracle_flow *flows,
         uint32_t n_flows, const double *rates, double tolerance)
{
    double most = rates[f] / flows[f].weight * (1 + tolerance);

    for (uint32_t g = 0; g < n_flows; g++) {
        if (flows[g].crosses[l] && rates[g] / flows[g].weight > most) {
            return false;
        }
    }
    return true;
}

bool
oracle_is_fair(const double *capacities, uint32_t n_links,
               const struct oracle_flow *flows, uint32_t n_flows,
               const double *rates, double tolerance)
{
    for (uint32_t l = 0; l < n_links; l++) {
        if (load_of(l, flows, n_flows, rates) >
            capacities[l] * (1 + tolerance)) {
            return false;
        }
    }
    for (uint32_t f = 0; f < n_flows; f++) {
        bool is_stopped = rates[f] >= flows[f].bound * (1 - tolerance);
        if (rates[f] > flows[f].bound) {
            return false;
        }
        for (uint32_t l = 0; l < n_links && !is_stopped; l++) {
            is_stopped = flows[f].crosses[l] &&
                         load_of(l, flows, n_flows, rates) >=
                             capacities[l] * (1 - tolerance) &&
                         has_most(f, l, flows, n_flows, rates, tolerance);
        }
        if (!is_stopped) {
            return false;
        }
    }
    return true;
}

/* When a sending starts; HUGE_VAL if that is not known yet. */
static double
start_of(const struct oracle_sending *sending, const double *ends)
{
    if (sending->after == SF_NONE) {
        return sending->start;
    }
    return ends[sending->after] + sending->start;
}

/* Sets the rates of the sendings that run at 'now'; 0 for others. */
static void
share_now(const double *capacities, uint32_t n_links,
          const struct oracle_sending *sendings, uint32_t n_sendings,
          const double *ends, const double *left, double now, double *rates)
{
    struct oracle_flow *flows = oracle_calloc(n_sendings, sizeof *flows);
    double *shares = oracle_calloc(n_sendings, sizeof *shares);
    uint32_t n = 0, i = 0;

    for (uint32_t s = 0; s < n_sendings; s++) {
        rates[s] = left[s] > 0 && start_of(&sendings[s], ends) <= now;
        if (rates[s] > 0) {
            flows[n++] = sendings[s].flow;
        }
    }
    oracle_share(capacities, n_links, flows, n, shares);
    for (uint32_t s = 0; s < n_sendings; s++) {
        rates[s] = rates[s] > 0 ? shares[i++] : 0;
    }
    free(shares);
    free(flows);
}

/* How fast the bytes of sending 's' get less. */
static double
pace_of(const struct oracle_sending *sendings, uint32_t n_sendings, uint32_t s,
        const double *rates)
{
    double pace = 0;

    if (!sendings[s].is_pooled) {
        return rates[s];
    }
    for (uint32_t i = 0; i < n_sendings; i++) {
        pace += sendings[i].message == sendings[s].message ? rates[i] : 0;
    }
    return pace;
}

/* The moment of the next start or end after 'now', or of an end at once. */
static double
next_moment(const struct oracle_sending *sendings, uint32_t n_sendings,
            const double *ends, const double *left, const double *rates,
            double now)
{
    double next = HUGE_VAL;

    for (uint32_t s = 0; s < n_sendings; s++) {
        double start = start_of(&sendings[s], ends);
        double pace = pace_of(sendings, n_sendings, s, rates);
        if (start > now) {
            next = fmin(next, start);
        } else if (pace > 0) {
            next = fmin(next, now + left[s] / pace);
        }
    }
    return next;
}

/* Sets the ends of messages that have started and have nothing left; false if
 * there are none. */
static bool
end_messages(const struct oracle_sending *sendings, uint32_t n_sendings,
             const double *left, uint32_t n_messages, double now, double *ends)
{
    bool found = false;

    for (uint32_t m = 0; m < n_messages; m++) {
        bool is_done = ends[m] == HUGE_VAL;
        for (uint32_t s = 0; s < n_sendings && is_done; s++) {
            is_done = sendings[s].message != m ||
                      (left[s] <= 0 && start_of(&sendings[s], ends) <= now);
        }
        if (is_done) {
            ends[m] = now;
            found = true;
        }
    }
    return found;
}

void
oracle_send(const double *capacities, uint32_t n_links,
            const struct oracle_sending *sendings, uint32_t n_sendings,
            uint32_t n_messages, double *ends)
{
    double *left = oracle_calloc(n_sendings, sizeof *left);
    double *rates = oracle_calloc(n_sendings, sizeof *rates);

    for (uint32_t m = 0; m < n_messages; m++) {
        ends[m] = HUGE_VAL;
    }
    for (uint32_t s = 0; s < n_sendings; s++) {
        left[s] = sendings[s].bytes;
    }
    for (double now = 0; now < HUGE_VAL;) {
        while (
            end_messages(sendings, n_sendings, left, n_messages, now, ends)) {
        }
        share_now(capacities, n_links, sendings, n_sendings, ends, left, now,
                  rates);
        double next =
            next_moment(sendings, n_sendings, ends, left, rates, now);
        for (uint32_t s = 0; s < n_sendings; s++) {
            double pace = pace_of(sendings, n_sendings, s, rates);
            if (pace > 0) {
                double sent = pace < HUGE_VAL ? pace * (next - now) : left[s];
                /* What is left of rounding is not worth a step. */
                left[s] = left[s] - sent > 1e-10 * sendings[s].bytes
                              ? left[s] - sent
                              : 0;
            }
        }
        now = next;
    }
    free(rates);
    free(left);
}
