/* topology_json.c -- properties and families for programs; doc/formats.md
 * describes the members. */
#include "base/json_values.h"
#include "base/origin_json.h"
#include "io/topology_writers.h"

#include <jansson.h>
#include <math.h>

/* JSON numbers are doubles for many readers: exact up to here. */
#define MAX_EXACT 9007199254740992.0

static json_t *
count_or_null(double number)
{
    return isfinite(number) && number < MAX_EXACT
               ? json_integer((json_int_t)number)
               : json_null();
}

static json_t *
index_or_null(uint32_t number)
{
    return number == SF_NONE ? json_null() : json_integer(number);
}

static json_t *
make_distribution(const struct sf_distances *distances)
{
    json_t *array = json_array();
    for (uint32_t d = 0; d < distances->n_distances; d++) {
        json_array_append_new(array,
                              json_integer((json_int_t)distances->n_pairs[d]));
    }
    return array;
}

static json_t *
make_properties(const struct sf_measured *measured)
{
    const struct sf_topology *topo = measured->topo;
    const struct sf_properties *properties = &measured->properties;

    json_t *root = json_pack(
        "{s:s, s:i, s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b, "
        "s:I, s:b, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
        "schema", "slimfly.topology", "schema_version", 1, "family",
        topo->family->name, "title", topo->family->title, "spec", topo->spec,
        "n_switches", (json_int_t)properties->n_switches, "n_endpoints",
        (json_int_t)properties->n_endpoints, "n_links",
        (json_int_t)properties->n_links, "network_radix",
        (json_int_t)properties->max_degree, "min_network_degree",
        (json_int_t)properties->min_degree, "concentration",
        (json_int_t)properties->concentration, "radix",
        (json_int_t)properties->radix, "connected", properties->n_parts == 1,
        "n_parts", (json_int_t)properties->n_parts, "regular",
        (int)properties->regular, "n_parallel_links",
        (json_int_t)properties->n_parallel_links, "diameter",
        index_or_null(properties->all.diameter), "average_distance",
        real_or_null(properties->all.average), "girth",
        index_or_null(properties->girth), "moore_bound",
        count_or_null(properties->moore_bound), "moore_ratio",
        real_or_null(properties->n_switches / properties->moore_bound),
        "distance_distribution", make_distribution(&properties->all),
        "host_diameter", index_or_null(properties->hosts.diameter),
        "host_average_distance", real_or_null(properties->hosts.average),
        "host_distance_distribution", make_distribution(&properties->hosts),
        "full_bandwidth_concentration",
        real_or_null(properties->full_bandwidth_p));
    if (root && !sf_origin_add_json(root, &measured->origin)) {
        json_decref(root);
        return NULL;
    }
    return root;
}

/* Writes 'root', which may be NULL if it could not be made, and releases
 * it. */
static enum sf_status
finish(json_t *root, FILE *stream, struct sf_error *err)
{
    if (!root) {
        return sf_fail(err, SF_ENOMEM,
                       "cannot make JSON: out of memory, or a name "
                       "that is not UTF-8");
    }
    /* 15 digits write 1.4 as 1.4, 17 would not. */
    json_dumpf(root, stream, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    fputc('\n', stream);
    json_decref(root);
    return SF_OK;
}

enum sf_status
sf_write_json(const struct sf_measured *measured, size_t n_measured,
              FILE *stream, struct sf_error *err)
{
    if (n_measured == 1) {
        return finish(make_properties(measured), stream, err);
    }
    json_t *array = json_array();
    for (size_t i = 0; i < n_measured; i++) {
        json_array_append_new(array, make_properties(&measured[i]));
    }
    return finish(array, stream, err);
}

static json_t *
make_param(const struct sf_param *param)
{
    static const char *const kinds[] = { "number", "seed", "shape",
                                         "file",   "real", "choice" };
    json_t *object =
        json_pack("{s:s, s:s, s:s, s:b, s:b, s:s?}", "key", param->key, "kind",
                  kinds[param->kind], "meaning", param->meaning, "required",
                  param->by_default == NULL, "positional",
                  (int)param->positional, "default", param->by_default);

    if (param->kind == SF_PARAM_NUMBER || param->kind == SF_PARAM_SHAPE) {
        json_object_set_new(object, "min", json_integer(param->min));
        json_object_set_new(object, "max", json_integer(param->max));
    }
    return object;
}

enum sf_status
sf_families_write_json(FILE *stream, struct sf_error *err)
{
    json_t *array = json_array();

    for (size_t i = 0; sf_families[i]; i++) {
        const struct sf_family *family = sf_families[i];
        json_t *params = json_array(), *coords = json_array();
        for (size_t j = 0; j < SF_MAX_PARAMS && family->params[j].key; j++) {
            json_array_append_new(params, make_param(&family->params[j]));
        }
        for (size_t j = 0; j < SF_MAX_COORDS && family->coords[j]; j++) {
            json_array_append_new(coords, json_string(family->coords[j]));
        }
        json_array_append_new(
            array, json_pack("{s:s, s:s, s:s, s:s?, s:o, s:o}", "family",
                             family->name, "title", family->title, "example",
                             family->example, "reference", family->reference,
                             "parameters", params, "place", coords));
    }
    return finish(array, stream, err);
}
