/* prices_json.c -- reads price files; doc/formats.md describes the members. */
#include "base/file.h"
#include "base/mem.h"
#include "io/shipped_prices.h"
#include "slimfly/prices.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SCHEMA          "slimfly.prices"
#define MAX_GENERATIONS 16
#define MAX_PRICE       1e12
#define WHERE_SIZE      128

/* A failure says where in the document it is: "generations[1].switch". */
struct reader {
    const char *path;
    struct sf_error *err;
    enum sf_status status; /* The first failure; later steps do nothing. */
};

__attribute__((format(printf, 2, 3))) static void
refuse(struct reader *reader, const char *format, ...)
{
    char text[300];
    va_list args;

    if (reader->status != SF_OK) {
        return;
    }
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    reader->status =
        sf_fail(reader->err, SF_EPARSE, "%s: %s", reader->path, text);
}

static void
fail_memory(struct reader *reader)
{
    if (reader->status == SF_OK) {
        reader->status = sf_fail(reader->err, SF_ENOMEM, "out of memory");
    }
}

/* "WHERE.KEY", or "KEY" at the top. */
static void
join(char text[WHERE_SIZE], const char *where, const char *key)
{
    snprintf(text, WHERE_SIZE, "%s%s%s", where, *where ? "." : "", key);
}

static uint32_t
get_number(struct reader *reader, const json_t *object, const char *where,
           const char *key, uint32_t min, uint32_t max)
{
    const json_t *value = json_object_get(object, key);
    char place[WHERE_SIZE];

    join(place, where, key);
    if (!json_is_integer(value) || json_integer_value(value) < min ||
        json_integer_value(value) > max) {
        refuse(reader, "%s: expected a whole number from %u to %u%s", place,
               min, max, value ? "" : ", and it is missing");
        return min;
    }
    return (uint32_t)json_integer_value(value);
}

/* A price or a power: 'what' names it in messages. */
static double
get_amount(struct reader *reader, const json_t *object, const char *where,
           const char *key, const char *what)
{
    const json_t *value = json_object_get(object, key);
    double number = json_number_value(value);
    char place[WHERE_SIZE];

    join(place, where, key);
    if (!value) {
        refuse(reader, "%s: expected %s, and it is missing", place, what);
    } else if (!json_is_number(value)) {
        refuse(reader, "%s: expected %s, a number", place, what);
    } else if (!(number >= 0 && number <= MAX_PRICE)) {
        refuse(reader, "%s: expected %s from 0 to %g, found %g", place, what,
               MAX_PRICE, number);
    }
    return number;
}

static const char *
get_text(struct reader *reader, const json_t *object, const char *where,
         const char *key, size_t max_length)
{
    const char *text = json_string_value(json_object_get(object, key));
    char place[WHERE_SIZE];

    join(place, where, key);
    if (!text || !*text || strlen(text) > max_length) {
        refuse(reader, "%s: expected a text of 1 to %zu characters", place,
               max_length);
        return "?";
    }
    return text;
}

static struct sf_cable_class
read_class(struct reader *reader, const json_t *object, const char *where)
{
    const char *medium = get_text(reader, object, where, "medium", 16);
    const json_t *up_to = json_object_get(object, "up_to");
    struct sf_cable_class class = {
        .medium = !strcmp(medium, "copper") ? SF_COPPER : SF_OPTICAL,
        .up_to = (double)INFINITY,
        .price = get_amount(reader, object, where, "price", "a price"),
    };

    if (class.medium == SF_OPTICAL && strcmp(medium, "optical") != 0) {
        refuse(reader, "%s.medium: expected copper or optical", where);
    }
    if (up_to && !json_is_null(up_to)) {
        class.up_to = json_number_value(up_to);
        if (!(class.up_to > 0)) {
            refuse(reader,
                   "%s.up_to: expected metres above 0, or null for any length",
                   where);
        }
    }
    return class;
}

/* Refuses classes of 'medium' that do not grow or that leave a length without
 * a price. */
static void
check_classes(struct reader *reader, const struct sf_cable_prices *prices,
              enum sf_medium medium, const char *where)
{
    const char *name = medium == SF_COPPER ? "copper" : "optical";
    double up_to = 0;

    for (uint32_t i = 0; i < prices->n_classes; i++) {
        if (prices->classes[i].medium != medium) {
            continue;
        }
        if (!(prices->classes[i].up_to > up_to)) {
            refuse(reader,
                   "%s[%u].up_to: expected lengths of %s cables that "
                   "grow",
                   where, i, name);
        }
        up_to = prices->classes[i].up_to;
    }
    if (isfinite(up_to)) {
        refuse(reader,
               "%s: expected a price of %s cables of any length (\"up_to\": "
               "null), and it is missing",
               where, name);
    }
}

static void
read_cables(struct reader *reader, const json_t *object, const char *where,
            const char *key, struct sf_cable_prices *prices)
{
    const json_t *array = json_object_get(object, key);
    char place[48], item[80];

    snprintf(place, sizeof place, "%s.%s", where, key);
    if (!json_is_array(array) ||
        json_array_size(array) > SF_MAX_CABLE_CLASSES) {
        refuse(reader, "%s: expected an array of at most %d classes of cables",
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
read_generation(struct reader *reader, const json_t *object, size_t i,
                struct sf_generation *generation)
{
    const json_t *device = json_object_get(object, "switch");
    char where[32], switch_where[40];

    snprintf(where, sizeof where, "generations[%zu]", i);
    snprintf(switch_where, sizeof switch_where, "%s.switch", where);
    snprintf(
        generation->name, sizeof generation->name, "%s",
        get_text(reader, object, where, "name", sizeof generation->name - 1));
    snprintf(generation->rate, sizeof generation->rate, "%s",
             get_text(reader, object, where, "rate", SF_RATE_SIZE - 1));
    generation->ports =
        get_number(reader, object, where, "ports", 4, SF_MAX_PORTS);
    generation->switch_price =
        get_amount(reader, device, switch_where, "price", "a price");
    generation->switch_watts =
        get_amount(reader, device, switch_where, "watts", "a power");
    generation->optical_end_watts =
        get_amount(reader, object, where, "optical_end_watts", "a power");
    read_cables(reader, object, where, "links", &generation->links);
    read_cables(reader, object, where, "host_cables",
                &generation->host_cables);
}

static void
read_generations(struct reader *reader, const json_t *root,
                 struct sf_prices *prices)
{
    const json_t *array = json_object_get(root, "generations");
    size_t n = json_array_size(array);

    if (n < 1 || n > MAX_GENERATIONS) {
        refuse(reader, "generations: expected an array of 1 to %d",
               MAX_GENERATIONS);
        return;
    }
    prices->generations = sf_calloc(n, sizeof *prices->generations);
    if (!prices->generations) {
        fail_memory(reader);
        return;
    }
    for (size_t i = 0; i < n && reader->status == SF_OK; i++) {
        struct sf_generation *generation = &prices->generations[i];
        read_generation(reader, json_array_get(array, i), i, generation);
        if (i > 0 && generation->ports <= generation[-1].ports) {
            refuse(reader,
                   "generations[%zu].ports: expected more than the %u of the "
                   "one before",
                   i, generation[-1].ports);
        }
        prices->n_generations++;
    }
}

static void
read_root(struct reader *reader, const json_t *root, struct sf_prices *prices)
{
    const char *schema = json_string_value(json_object_get(root, "schema"));

    if (!schema || strcmp(schema, SCHEMA) != 0) {
        refuse(reader, "schema: expected \"" SCHEMA "\"; are these prices?");
        return;
    }
    get_number(reader, root, "", "schema_version", 1, 1);
    prices->year = get_number(reader, root, "", "year", 1990, 9999);
    prices->currency = sf_strdup(get_text(reader, root, "", "currency", 8));
    prices->source = sf_strdup(get_text(reader, root, "", "source", 4000));
    if (!prices->currency || !prices->source) {
        fail_memory(reader);
    }
    if (reader->status == SF_OK) {
        read_generations(reader, root, prices);
    }
}

enum sf_status
sf_prices_parse(const char *text, size_t length, const char *path,
                struct sf_prices **pricesp, struct sf_error *err)
{
    struct reader reader = { .path = path, .err = err };
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
        fail_memory(&reader);
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

enum sf_status
sf_prices_default(struct sf_prices **pricesp, struct sf_error *err)
{
    size_t n_lines = sizeof shipped_prices / sizeof *shipped_prices;
    size_t length = 0, used = 0;

    *pricesp = NULL;
    for (size_t i = 0; i < n_lines; i++) {
        length += strlen(shipped_prices[i]);
    }
    char *text = sf_calloc(length + 1, 1);
    if (!text) {
        return sf_fail(err, SF_ENOMEM, "out of memory");
    }
    for (size_t i = 0; i < n_lines; i++) {
        size_t line = strlen(shipped_prices[i]);
        memcpy(text + used, shipped_prices[i], line);
        used += line;
    }
    enum sf_status status =
        sf_prices_parse(text, length, "data/prices.json", pricesp, err);
    free(text);
    return status;
}
