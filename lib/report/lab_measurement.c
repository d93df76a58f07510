/* lab_measurement.c -- real flows beside predicted ones, as text and as
 * JSON. */
#include "slimfly/lab_report.h"

#include <jansson.h>

static const char *const titles[SF_LAB_N_MODES] = {
    [SF_LAB_SINGLE] = "one TCP connection, layer 0",
    [SF_LAB_EVERY_LAYER] = "one TCP connection a layer",
    [SF_LAB_MPTCP] = "MPTCP, one subflow a layer",
};

static const char *
name_of(const struct sf_lab *lab, uint32_t host)
{
    const struct sf_network *network = sf_lab_network(lab);

    return sf_lab_node(lab,
                       network->fabric->ports[network->host_ports[host]].node);
}

/* Parts of what a host's link carries; without its rate, Mbit/s. */
static double
unit_of(const struct sf_lab_measurement *measurement)
{
    return measurement->host_rate > 0 ? measurement->host_rate : 1e6;
}

static void
write_mode(const struct sf_lab_measurement *measurement, enum sf_lab_mode mode,
           FILE *stream)
{
    const struct sf_lab_rates *rates = &measurement->modes[mode];
    double unit = unit_of(measurement);

    fprintf(stream, "  %-28s %8.3f %8.3f", titles[mode], rates->mean / unit,
            rates->least / unit);
    if (rates->predicted) {
        fprintf(stream, " %10.3f %8.3f %9.2f", rates->predicted_mean / unit,
                rates->predicted_least / unit,
                rates->mean / rates->predicted_mean);
    }
    fputc('\n', stream);
    if (rates->n_paths_missing) {
        fprintf(stream, "    subflows that did not come up: %u\n",
                rates->n_paths_missing);
    }
}

void
sf_lab_measurement_write_text(const struct sf_lab *lab,
                              const struct sf_lab_measure_params *params,
                              const struct sf_lab_measurement *measurement,
                              FILE *stream)
{
    bool is_shaped = sf_lab_link_rate(lab) > 0;

    fprintf(stream, "lab '%s': %s, seed %llu: %u flows, %g s after %g s\n",
            sf_lab_name(lab), params->traffic,
            (unsigned long long)params->seed, measurement->n_flows,
            params->seconds, params->warmup);
    if (is_shaped) {
        fprintf(stream,
                "  payload as a part of what a host's link carries, %g "
                "Mbit/s; links: %g Mbit/s\n"
                "  %-28s %8s %8s %10s %8s %9s\n",
                measurement->host_rate / 1e6, sf_lab_link_rate(lab) / 1e6, "",
                "measured", "least", "predicted", "least", "mean/mean");
    } else {
        fprintf(stream,
                "  Mbit/s of payload; without --rate there is no prediction\n"
                "  %-28s %8s %8s\n",
                "", "measured", "least");
    }
    for (uint32_t m = 0; m < SF_LAB_N_MODES; m++) {
        if (measurement->modes[m].is_measured) {
            write_mode(measurement, (enum sf_lab_mode)m, stream);
        }
    }
}

static json_t *
make_rates(const double *rates, uint32_t n)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < n; i++) {
        json_array_append_new(array, json_real(rates[i]));
    }
    return array;
}

static json_t *
make_mode(const struct sf_lab_measurement *measurement, enum sf_lab_mode mode)
{
    const struct sf_lab_rates *rates = &measurement->modes[mode];
    json_t *object = json_pack(
        "{s:s, s:I, s:I, s:f, s:f, s:o}", "mode", sf_lab_mode_name(mode),
        "connections", (json_int_t)rates->n_connections, "subflows_missing",
        (json_int_t)rates->n_paths_missing, "mean", rates->mean, "least",
        rates->least, "measured",
        make_rates(rates->measured, measurement->n_flows));

    if (rates->predicted) {
        json_object_set_new(object, "predicted_mean",
                            json_real(rates->predicted_mean));
        json_object_set_new(object, "predicted_least",
                            json_real(rates->predicted_least));
        json_object_set_new(
            object, "predicted",
            make_rates(rates->predicted, measurement->n_flows));
    }
    return object;
}

static json_t *
make_flows(const struct sf_lab *lab,
           const struct sf_lab_measurement *measurement)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < measurement->n_flows; i++) {
        json_array_append_new(
            array,
            json_pack("{s:s, s:s}", "from", name_of(lab, measurement->from[i]),
                      "to", name_of(lab, measurement->to[i])));
    }
    return array;
}

enum sf_status
sf_lab_measurement_write_json(const struct sf_lab *lab,
                              const struct sf_lab_measure_params *params,
                              const struct sf_lab_measurement *measurement,
                              FILE *stream, struct sf_error *err)
{
    json_t *modes = json_array();

    for (uint32_t m = 0; m < SF_LAB_N_MODES; m++) {
        if (measurement->modes[m].is_measured) {
            json_array_append_new(modes,
                                  make_mode(measurement, (enum sf_lab_mode)m));
        }
    }
    json_t *root = json_pack(
        "{s:s, s:i, s:s, s:s, s:I, s:f, s:f, s:f, s:f, s:f, s:o, s:o}",
        "schema", "slimfly.lab-measurement", "schema_version", 1, "name",
        sf_lab_name(lab), "traffic", params->traffic, "seed",
        (json_int_t)params->seed, "warmup", params->warmup, "seconds",
        params->seconds, "link_rate", sf_lab_link_rate(lab), "host_rate",
        measurement->host_rate, "payload", measurement->payload, "flows",
        make_flows(lab, measurement), "modes", modes);
    if (!root) {
        return sf_fail(err, SF_ENOMEM, "out of memory for JSON");
    }
    json_dumpf(root, stream, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    fputc('\n', stream);
    json_decref(root);
    return SF_OK;
}
