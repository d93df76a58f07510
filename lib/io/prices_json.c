/* prices_json.c -- reads price files; doc/formats.md describes the members. */
#include "base/file.h"
#include "base/json_reader.h"
#include "base/mem.h"
#include "io/shipped_prices.h"
#include "slimfly/prices.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SCHEMA          "slimfly.prices"
#define MAX_GENERATIONS 16
#define MAX_PRICE       1e12
#define MAX_COPPER      1000 /* As of a plan. */

static struct sf_cable_class
read_class(struct sf_json_reader *reader, const json_t *object,
           const char *where)
{
    const char *medium = sf_json_text(reader, object, where, "medium", 16);
    const json_t *up_to = json_object_get(object, "up_to");
    struct sf_cable_class class = {
        .medium = !strcmp(medium, "copper") ? SF_COPPER : SF_OPTICAL,
        .up_to = (double)INFINITY,
        .price = sf_json_amount(reader, object, where, "price", "a price",
                                MAX_PRICE),
    };

    if (json_object_get(object, "per_metre")) {
        class.per_metre = sf_json_amount(reader, object, where, "per_metre",
                                         "a price", MAX_PRICE);
    }
    if (class.medium == SF_OPTICAL && strcmp(medium, "optical") != 0) {
        sf_json_refuse(reader, "%s.medium: expected copper or optical", where);
    }
    if (up_to && !json_is_null(up_to)) {
        class.up_to = json_number_value(up_to);
        if (!(class.up_to > 0)) {
            sf_json_refuse(
                reader,
                "%s.up_to: expected metres above 0, or null for any length",
                where);
        }
    }
    return class;
}

/* Refuses classes of 'medium' that do not grow or that leave a length without
 * a price. */
static void
check_classes(struct sf_json_reader *reader,
              const struct sf_cable_prices *prices, enum sf_medium medium,
              const char *where)
{
    const char *name = sf_medium_name(medium);
    double up_to = 0;

    for (uint32_t i = 0; i < prices->n_classes; i++) {
        if (prices->classes[i].medium != medium) {
            continue;
        }
        if (!(prices->classes[i].up_to > up_to)) {
            sf_json_refuse(reader,
                           "%s[%u].up_to: expected lengths of %s cables that "
                           "grow",
                           where, i, name);
        }
        up_to = prices->classes[i].up_to;
    }
    if (isfinite(up_to)) {
        sf_json_refuse(
            reader,
            "%s: expected a price of %s cables of any length (\"up_to\": "
            "null), and it is missing",
            where, name);
    }
}

static void
read_cables(struct sf_json_reader *reader, const json_t *object,
            const char *where, const char *key, struct sf_cable_prices *prices)
{
    const json_t *array = json_object_get(object, key);
    char place[48], item[80];

    snprintf(place, sizeof place, "%s.%s", where, key);
    if (!json_is_array(array) ||
        json_array_size(array) > SF_MAX_CABLE_CLASSES) {
        sf_json_refuse(reader,
                       "%s: expected an array of at most %d classes of cables",
                       place, SF_MAX_CABLE_CLASSES);
        return;
    }
    for (size_t i = 0; i < json_array_size(array); i++) {
        snprintf(item, sizeof item, "%s[%zu]", place, i);
        prices->classes[prices->n_classes++] =
            read_class(reader, json_array_get(array, i), item);
    }
    check_classes(reader, prices, SF_COPPER, place);
    check_classes(reader, prices, SF_OPTICAL, place);
}

static void
read_generation(struct sf_json_reader *reader, const json_t *object, size_t i,
                struct sf_generation *generation)
{
    const json_t *device = json_object_get(object, "switch");
    char where[32], switch_where[40];

    snprintf(where, sizeof where, "generations[%zu]", i);
    snprintf(switch_where, sizeof switch_where, "%s.switch", where);
    snprintf(generation->name, sizeof generation->name, "%s",
             sf_json_text(reader, object, where, "name",
                          sizeof generation->name - 1));
    snprintf(generation->rate, sizeof generation->rate, "%s",
             sf_json_text(reader, object, where, "rate", SF_RATE_SIZE - 1));
    generation->ports =
        sf_json_number(reader, object, where, "ports", 4, SF_MAX_PORTS);
    generation->switch_price = sf_json_amount(reader, device, switch_where,
                                              "price", "a price", MAX_PRICE);
    generation->switch_watts = sf_json_amount(reader, device, switch_where,
                                              "watts", "a power", MAX_PRICE);
    generation->optical_end_watts = sf_json_amount(
        reader, object, where, "optical_end_watts", "a power", MAX_PRICE);
    generation->copper_max = sf_floor_default.copper_max;
    if (json_object_get(object, "copper_up_to")) {
        generation->copper_max =
            sf_json_amount(reader, object, where, "copper_up_to",
                           "a length in metres", MAX_COPPER);
    }
    read_cables(reader, object, where, "links", &generation->links);
    read_cables(reader, object, where, "host_cables",
                &generation->host_cables);
}

static void
read_generations(struct sf_json_reader *reader, const json_t *root,
                 struct sf_prices *prices)
{
    const json_t *array = json_object_get(root, "generations");
    size_t n = json_array_size(array);

    if (n < 1 || n > MAX_GENERATIONS) {
        sf_json_refuse(reader, "generations: expected an array of 1 to %d",
                       MAX_GENERATIONS);
        return;
    }
    prices->generations = sf_calloc(n, sizeof *prices->generations);
    if (!prices->generations) {
        sf_json_fail_memory(reader);
        return;
    }
    for (size_t i = 0; i < n && reader->status == SF_OK; i++) {
        struct sf_generation *generation = &prices->generations[i];
        read_generation(reader, json_array_get(array, i), i, generation);
        if (i > 0 && generation->ports <= generation[-1].ports) {
            sf_json_refuse(
                reader,
                "generations[%zu].ports: expected more than the %u of the "
                "one before",
                i, generation[-1].ports);
        }
        prices->n_generations++;
    }
}

static void
read_root(struct sf_json_reader *reader, const json_t *root,
          struct sf_prices *prices)
{
    const char *schema = json_string_value(json_object_get(root, "schema"));

    if (!schema || strcmp(schema, SCHEMA) != 0) {
        sf_json_refuse(reader,
                       "schema: expected \"" SCHEMA "\"; are these prices?");
        return;
    }
    sf_json_number(reader, root, "", "schema_version", 1, 1);
    prices->year = sf_json_number(reader, root, "", "year", 1990, 9999);
    prices->currency =
        sf_strdup(sf_json_text(reader, root, "", "currency", 8));
    prices->source = sf_strdup(sf_json_text(reader, root, "", "source", 4000));
    if (!prices->currency || !prices->source) {
        sf_json_fail_memory(reader);
    }
    if (reader->status == SF_OK) {
        read_generations(reader, root, prices);
    }
}

enum sf_status
sf_prices_parse(const char *text, size_t length, const char *path,
                struct sf_prices **pricesp, struct sf_error *err)
{
    struct sf_json_reader reader = { .path = path, .err = err };
    json_error_t problem;

    *pricesp = NULL;
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &problem);
    if (!root) {
        return sf_fail(err, SF_EPARSE, "%s:%d: expected JSON: %s", path,
                       problem.line, problem.text);
    }
    struct sf_prices *prices = sf_calloc(1, sizeof *prices);
    if (prices) {
        read_root(&reader, root, prices);
    } else {
        sf_json_fail_memory(&reader);
    }
    json_decref(root);
    if (reader.status == SF_OK) {
        *pricesp = prices;
    } else {
        sf_prices_free(prices);
    }
    return reader.status;
}

enum sf_status
sf_prices_read(const char *path, struct sf_prices **pricesp,
               struct sf_error *err)
{
    char *text;
    size_t length;

    *pricesp = NULL;
    enum sf_status status = sf_file_read(path, &text, &length, err);
    if (status == SF_OK) {
        status = sf_prices_parse(text, length, path, pricesp, err);
    }
    free(text);
    return status;
}

/* Reads what is compiled in. */
static enum sf_status
parse_lines(const char *const *lines, size_t n_lines, const char *path,
            struct sf_prices **pricesp, struct sf_error *err)
{
    size_t length = 0, used = 0;

    *pricesp = NULL;
    for (size_t i = 0; i < n_lines; i++) {
        length += strlen(lines[i]);
    }
    char *text = sf_calloc(length + 1, 1);
    if (!text) {
        return sf_fail(err, SF_ENOMEM, "out of memory");
    }
    for (size_t i = 0; i < n_lines; i++) {
        size_t line = strlen(lines[i]);
        memcpy(text + used, lines[i], line);
        used += line;
    }
    enum sf_status status = sf_prices_parse(text, length, path, pricesp, err);
    free(text);
    return status;
}

enum sf_status
sf_prices_default(struct sf_prices **pricesp, struct sf_error *err)
{
    return parse_lines(shipped_prices,
                       sizeof shipped_prices / sizeof *shipped_prices,
                       "data/prices.json", pricesp, err);
}

enum sf_status
sf_prices_paper(struct sf_prices **pricesp, struct sf_error *err)
{
    return parse_lines(paper_prices,
                       sizeof paper_prices / sizeof *paper_prices,
                       "data/paper-prices.json", pricesp, err);
}
