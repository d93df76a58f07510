/* options.c -- see options.h. */
#include "options.h"

#include "base/file.h"
#include "slimfly/lids.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPACE " \t\r\n\f\v"

/* Where an option stands, and what it is read into. */
struct reader {
    const char *place; /* "opensm.conf" or a path, for messages. */
    uint32_t line;     /* 0 if there are no lines. */
    struct sf_plugin_options *options;
    enum sf_status status; /* Of the first option that cannot be; */
    struct sf_error *err;  /* only that is told. */
};

/* Fails with the place and 'expected'. */
static enum sf_status
refuse(const struct reader *reader, const char *expected, const char *found)
{
    if (reader->line) {
        return sf_fail(reader->err, SF_EPARSE,
                       "%s:%u: expected %s, found '%s'", reader->place,
                       reader->line, expected, found);
    }
    return sf_fail(reader->err, SF_EPARSE, "%s: expected %s, found '%s'",
                   reader->place, expected, found);
}

/* Fails with the names that there are, by 'name_of'. */
static enum sf_status
refuse_name(const struct reader *reader, const char *what, const char *found,
            const char *(*name_of)(size_t i))
{
    char expected[300];
    size_t used = (size_t)snprintf(expected, sizeof expected, "%s", what);

    for (size_t i = 0; name_of(i) && used < sizeof expected; i++) {
        used += (size_t)snprintf(expected + used, sizeof expected - used,
                                 "%s%s", i == 0 ? ": " : ", ", name_of(i));
    }
    return refuse(reader, expected, found);
}

static const char *
scheme_name(size_t i)
{
    return sf_layer_schemes[i] ? sf_layer_schemes[i]->name : NULL;
}

static const char *
lanes_name(size_t i)
{
    return sf_lane_schemes[i] ? sf_lane_schemes[i]->name : NULL;
}

static enum sf_status
read_scheme(const struct reader *reader, const char *value)
{
    reader->options->scheme = sf_layer_scheme_find(value);
    return reader->options->scheme
               ? SF_OK
               : refuse_name(reader, "a layer scheme", value, scheme_name);
}

static enum sf_status
read_lanes(const struct reader *reader, const char *value)
{
    reader->options->lanes = sf_lane_scheme_find(value);
    return reader->options->lanes
               ? SF_OK
               : refuse_name(reader, "a lane scheme", value, lanes_name);
}

/* Reads a whole number of 'least' to 'most'. */
static enum sf_status
read_number(const struct reader *reader, const char *value, uint64_t least,
            uint64_t most, uint64_t *numberp)
{
    char expected[80], *end;

    errno = 0;
    *numberp = strtoull(value, &end, 10);
    if (value[0] >= '0' && value[0] <= '9' && !*end && errno != ERANGE &&
        *numberp >= least && *numberp <= most) {
        return SF_OK;
    }
    snprintf(expected, sizeof expected, "a whole number from %llu to %llu",
             (unsigned long long)least, (unsigned long long)most);
    return refuse(reader, expected, value);
}

static enum sf_status
read_small(const struct reader *reader, const char *value, uint32_t most,
           uint32_t *numberp)
{
    uint64_t number;
    enum sf_status status = read_number(reader, value, 1, most, &number);

    *numberp = (uint32_t)number;
    return status;
}

static enum sf_status
read_layers(const struct reader *reader, const char *value)
{
    return read_small(reader, value, SF_MAX_LAYERS,
                      &reader->options->n_layers);
}

static enum sf_status
read_path_sets(const struct reader *reader, const char *value)
{
    return read_small(reader, value, SF_MAX_PORTS,
                      &reader->options->n_path_sets);
}

static enum sf_status
read_max_vls(const struct reader *reader, const char *value)
{
    return read_small(reader, value, SF_MAX_VLS, &reader->options->max_vls);
}

static enum sf_status
read_max_hops(const struct reader *reader, const char *value)
{
    return read_small(reader, value, 64, &reader->options->max_hops);
}

static enum sf_status
read_max_sls(const struct reader *reader, const char *value)
{
    return read_small(reader, value, SF_N_SLS, &reader->options->max_sls);
}

static enum sf_status
read_paper_min_hops(const struct reader *reader, const char *value)
{
    return read_small(reader, value, 64, &reader->options->paper_min_hops);
}

static enum sf_status
read_rues_fraction(const struct reader *reader, const char *value)
{
    char *end;

    reader->options->rues_fraction = strtod(value, &end);
    return *end || !(reader->options->rues_fraction >= 0.01 &&
                     reader->options->rues_fraction <= 1)
               ? refuse(reader, "a number from 0.01 to 1", value)
               : SF_OK;
}

static enum sf_status
read_seed(const struct reader *reader, const char *value)
{
    return read_number(reader, value, 0, UINT64_MAX, &reader->options->seed);
}

static enum sf_status
read_path(const struct reader *reader, const char *value,
          char path[SF_OPTION_SIZE])
{
    /* OpenSM changes to another folder when it becomes a daemon. */
    if (value[0] != '/') {
        return refuse(reader, "an absolute path", value);
    }
    if (snprintf(path, SF_OPTION_SIZE, "%s", value) >= SF_OPTION_SIZE) {
        path[0] = '\0';
        return refuse(reader, "a path of less than 1024 characters", value);
    }
    return SF_OK;
}

static enum sf_status
read_plan(const struct reader *reader, const char *value)
{
    return read_path(reader, value, reader->options->plan);
}

static enum sf_status
read_guids(const struct reader *reader, const char *value)
{
    return read_path(reader, value, reader->options->guids);
}

static enum sf_status
read_base(const struct reader *reader, const char *value)
{
    return read_path(reader, value, reader->options->base);
}

static enum sf_status
read_status(const struct reader *reader, const char *value)
{
    return read_path(reader, value, reader->options->status);
}

static const struct {
    const char *key;
    enum sf_status (*read)(const struct reader *reader, const char *value);
} keys[] = {
    { "scheme", read_scheme },
    { "layers", read_layers },
    { "path_sets", read_path_sets },
    { "lanes", read_lanes },
    { "max_vls", read_max_vls },
    { "max_sls", read_max_sls },
    { "max_hops", read_max_hops },
    { "rues_fraction", read_rues_fraction },
    { "paper_min_hops", read_paper_min_hops },
    { "seed", read_seed },
    { "plan", read_plan },
    { "guids", read_guids },
    { "base", read_base },
    { "status", read_status },
};

static const char *
key_name(size_t i)
{
    return i < sizeof keys / sizeof *keys ? keys[i].key : NULL;
}

/* Takes spaces off both ends of 'text', which is changed. */
static char *
trim(char *text)
{
    text += strspn(text, SPACE);
    size_t length = strlen(text);
    while (length > 0 && strchr(SPACE, text[length - 1])) {
        length--;
    }
    text[length] = '\0';
    return text;
}

/* Reads 'key = value', which is changed. */
static enum sf_status
read_pair(const struct reader *reader, char *text)
{
    char *equals = strchr(text, '=');
    if (!equals) {
        return refuse(reader, "key = value", text);
    }
    *equals = '\0';
    const char *key = trim(text), *value = trim(equals + 1);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strcmp(key, keys[i].key) == 0) {
            return *value ? keys[i].read(reader, value)
                          : refuse(reader, "a value after the key", key);
        }
    }
    return refuse_name(reader, "a key", key, key_name);
}

/* The same, but goes on after an error: whoever reads the status file is to
 * learn of it, and 'status' may come later. */
static void
read_option(struct reader *reader, char *text)
{
    enum sf_status status = read_pair(reader, text);

    if (reader->status == SF_OK && status != SF_OK) {
        reader->status = status;
        reader->err = NULL;
    }
}

static enum sf_status
take_line(void *aux, uint32_t line, char *text)
{
    struct reader *reader = aux;

    reader->line = line;
    text[strcspn(text, "#")] = '\0';
    text = trim(text);
    if (*text) {
        read_option(reader, text);
    }
    return SF_OK;
}

static void
set_defaults(struct sf_plugin_options *options)
{
    *options = (struct sf_plugin_options){ .seed = 1 };
    options->scheme = sf_layer_scheme_find(NULL);
}

static bool
is_scheme(const struct sf_plugin_options *options, const char *name)
{
    return strcmp(options->scheme->name, name) == 0;
}

/* Whether all options could be read, and go together. */
static enum sf_status
finish(const struct reader *reader, struct sf_error *err)
{
    const struct sf_plugin_options *options = reader->options;

    if (reader->status != SF_OK) {
        return reader->status;
    }
    if (options->lanes && options->lanes->needs_turns &&
        !options->scheme->takes_turns) {
        return sf_fail(
            err, SF_EPARSE,
            "%s: the lanes %s are designed together with the "
            "layers, which the scheme %s does not support; expected "
            "other lanes or another scheme",
            reader->place, options->lanes->name, options->scheme->name);
    }
    if ((options->rues_fraction > 0 && !is_scheme(options, "rues")) ||
        (options->paper_min_hops && !is_scheme(options, "paper"))) {
        return sf_fail(err, SF_EPARSE,
                       "%s: %s, and the scheme is %s; expected options of "
                       "that scheme only",
                       reader->place,
                       options->rues_fraction > 0
                           ? "rues_fraction is for the scheme rues"
                           : "paper_min_hops is for the scheme paper",
                       options->scheme->name);
    }
    return SF_OK;
}

enum sf_status
sf_plugin_options_parse(char *text, size_t length, const char *path,
                        struct sf_plugin_options *options,
                        struct sf_error *err)
{
    struct reader reader = { .place = path, .options = options, .err = err };

    set_defaults(options);
    enum sf_status status =
        sf_text_lines(text, length, path, take_line, &reader, err);
    return status == SF_OK ? finish(&reader, err) : status;
}

/* Reads the words of event_plugin_options itself. */
static enum sf_status
load_words(const char *text, struct sf_plugin_options *options,
           struct sf_error *err)
{
    struct reader reader = { .place = "event_plugin_options",
                             .options = options,
                             .err = err };
    char copy[SF_OPTION_SIZE], *rest = NULL;

    if (snprintf(copy, sizeof copy, "%s", text) >= (int)sizeof copy) {
        return sf_fail(err, SF_EPARSE,
                       "event_plugin_options: expected less than %zu "
                       "characters; put them into a file and give its path",
                       sizeof copy);
    }
    for (char *word = strtok_r(copy, "," SPACE, &rest); word;
         word = strtok_r(NULL, "," SPACE, &rest)) {
        read_option(&reader, word);
    }
    return finish(&reader, err);
}

enum sf_status
sf_plugin_options_load(const char *text, struct sf_plugin_options *options,
                       struct sf_error *err)
{
    struct reader reader = { .options = options, .err = err };
    char path[SF_OPTION_SIZE];

    set_defaults(options);
    text = text ? text + strspn(text, SPACE) : "";
    if (text[0] != '/') {
        return load_words(text, options, err);
    }
    if (snprintf(path, sizeof path, "%s", text) >= (int)sizeof path) {
        return sf_fail(err, SF_EPARSE,
                       "event_plugin_options: expected a path of less than "
                       "%zu characters",
                       sizeof path);
    }
    reader.place = trim(path);
    enum sf_status status =
        sf_file_lines(reader.place, take_line, &reader, err);
    return status == SF_OK ? finish(&reader, err) : status;
}

enum sf_status
sf_plugin_options_check(const struct sf_plugin_options *options, uint32_t lmc,
                        bool qos, struct sf_error *err)
{
    if (options->n_layers > 1u << lmc) {
        return sf_fail(err, SF_EINVAL,
                       "%u layers need addresses: set lmc %u in OpenSM's "
                       "configuration (it is %u, which is enough for %u), or "
                       "ask for fewer layers",
                       options->n_layers, sf_lmc_for_layers(options->n_layers),
                       lmc, 1u << lmc);
    }
    const struct sf_lane_scheme *lanes =
        options->lanes ? options->lanes : sf_lane_scheme_for(options->scheme);
    /* These two can do with a single lane, on trees. */
    if (!qos && strcmp(lanes->name, "dfsssp") != 0 &&
        strcmp(lanes->name, "none") != 0) {
        return sf_fail(err, SF_EINVAL,
                       "the lanes %s need SL-to-VL tables: set qos TRUE in "
                       "OpenSM's configuration, or ask for scheme=updown, "
                       "which needs one lane only",
                       lanes->name);
    }
    return SF_OK;
}
