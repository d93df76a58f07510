/* measure.c -- real flows beside predicted ones. */
#include "ip/lab/measure.h"

#include "base/mem.h"
#include "slimfly/traffic.h"

#include <string.h>

#define MOST_FLOWS 100000

const char *
sf_lab_mode_name(size_t i)
{
    static const char *const names[] = {
        [SF_LAB_SINGLE] = "single",
        [SF_LAB_EVERY_LAYER] = "layers",
        [SF_LAB_MPTCP] = "mptcp",
        [SF_LAB_N_MODES] = NULL,
    };

    return i <= SF_LAB_N_MODES ? names[i] : NULL;
}

/* Which hosts send to which. */
static enum sf_status
list_flows(const struct sf_lab *lab,
           const struct sf_lab_measure_params *params,
           struct sf_lab_measurement *measurement, struct sf_error *err)
{
    struct sf_flows *flows;
    enum sf_status status = sf_flows_build(params->traffic, lab->network,
                                           params->seed, &flows, err);

    if (status != SF_OK) {
        return status;
    }
    if (flows->n_flows == 0 || flows->n_flows > MOST_FLOWS) {
        status = sf_fail(err, SF_ELIMIT,
                         "'%s' has %zu flows; expected 1 to %d of them",
                         params->traffic, flows->n_flows, MOST_FLOWS);
        sf_flows_free(flows);
        return status;
    }
    uint32_t n = (uint32_t)flows->n_flows;
    measurement->n_flows = n;
    measurement->from = sf_calloc(n, sizeof *measurement->from);
    measurement->to = sf_calloc(n, sizeof *measurement->to);
    if (measurement->from && measurement->to) {
        for (uint32_t i = 0; i < n; i++) {
            measurement->from[i] = flows->flows[i].from;
            measurement->to[i] = flows->flows[i].to;
        }
    } else {
        status = sf_fail(err, SF_ENOMEM, "%u flows", n);
    }
    sf_flows_free(flows);
    return status;
}

static void
summarize(const double *rates, uint32_t n, double *mean, double *least)
{
    double sum = 0;

    *least = rates[0];
    for (uint32_t i = 0; i < n; i++) {
        sum += rates[i];
        *least = rates[i] < *least ? rates[i] : *least;
    }
    *mean = sum / n;
}

static enum sf_status
predict(const struct sf_lab *lab, const struct sf_lab_down *down,
        const struct sf_lab_flows *flows, double payload,
        struct sf_lab_rates *rates, struct sf_error *err)
{
    rates->predicted = sf_calloc(flows->n, sizeof *rates->predicted);
    if (!rates->predicted) {
        return sf_fail(err, SF_ENOMEM, "%u flows", flows->n);
    }
    enum sf_status status =
        sf_lab_predict(lab, down, flows, rates->predicted, err);
    for (uint32_t i = 0; status == SF_OK && i < flows->n; i++) {
        rates->predicted[i] *= payload;
    }
    summarize(rates->predicted, flows->n, &rates->predicted_mean,
              &rates->predicted_least);
    return status;
}

static enum sf_status
measure_mode(struct sf_lab *lab, const struct sf_lab_down *down,
             enum sf_lab_mode mode, const struct sf_lab_measure_params *params,
             struct sf_lab_measurement *measurement, struct sf_error *err)
{
    struct sf_lab_rates *rates = &measurement->modes[mode];
    struct sf_lab_flows flows = {
        .n = measurement->n_flows,
        .from = measurement->from,
        .to = measurement->to,
        .n_layers =
            mode == SF_LAB_SINGLE ? 1 : lab->tables->addresses.n_layers,
        .is_mptcp = mode == SF_LAB_MPTCP,
    };
    enum sf_status status = SF_OK;

    rates->measured = sf_calloc(flows.n, sizeof *rates->measured);
    if (!rates->measured) {
        return sf_fail(err, SF_ENOMEM, "%u flows", flows.n);
    }
    if (lab->link_rate > 0) {
        status = predict(lab, down, &flows, measurement->payload, rates, err);
    }
    if (status == SF_OK) {
        status = sf_lab_send_flows(lab, &flows, params, rates, err);
    }
    if (status == SF_OK) {
        summarize(rates->measured, flows.n, &rates->mean, &rates->least);
        rates->is_measured = true;
    }
    return status;
}

static enum sf_status
measure(struct sf_lab *lab, const struct sf_lab_measure_params *params,
        struct sf_lab_measurement *measurement, struct sf_error *err)
{
    struct sf_lab_down down;
    enum sf_status status = sf_lab_open_spaces(lab, err);

    if (status == SF_OK) {
        status = list_flows(lab, params, measurement, err);
    }
    if (status == SF_OK) {
        status = sf_lab_look_down(lab, &down, err);
    }
    if (status != SF_OK) {
        return status;
    }
    for (uint32_t m = 0; status == SF_OK && m < SF_LAB_N_MODES; m++) {
        if (params->modes[m]) {
            status = measure_mode(lab, &down, (enum sf_lab_mode)m, params,
                                  measurement, err);
        }
    }
    sf_lab_down_clear(&down);
    return status;
}

enum sf_status
sf_lab_measure(struct sf_lab *lab, const struct sf_lab_measure_params *params,
               struct sf_lab_measurement *measurement, struct sf_error *err)
{
    bool is_v6 = lab->tables->addresses.prefix.address.is_v6;

    *measurement = (struct sf_lab_measurement){
        .host_rate = lab->host_rate,
        .payload = (is_v6 ? SF_LAB_PAYLOAD6 : SF_LAB_PAYLOAD) / SF_LAB_FRAME,
    };
    enum sf_status status = measure(lab, params, measurement, err);
    if (status != SF_OK) {
        sf_lab_measurement_clear(measurement);
    }
    return status;
}

void
sf_lab_measurement_clear(struct sf_lab_measurement *measurement)
{
    for (uint32_t m = 0; m < SF_LAB_N_MODES; m++) {
        free(measurement->modes[m].measured);
        free(measurement->modes[m].predicted);
    }
    free(measurement->from);
    free(measurement->to);
    *measurement = (struct sf_lab_measurement){ 0 };
}
