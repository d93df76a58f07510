/* plugin_options.c -- see plugin_options.h. */
#include "plugin_options.h"

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

/* Fails with the place and what 'err' says is wrong with the settings of a
 * scheme. */
static enum sf_status
refuse_spec(const struct reader *reader, const struct sf_error *err)
{
    return reader->line ? sf_fail(reader->err, SF_EPARSE, "%s:%u: %s",
                                  reader->place, reader->line, err->text)
                        : sf_fail(reader->err, SF_EPARSE, "%s: %s",
                                  reader->place, err->text);
}

static enum sf_status
read_scheme(const struct reader *reader, const char *value)
{
    struct sf_layer_spec spec;
    struct sf_error err;

    if (!sf_layer_scheme_find(value)) {
        return refuse_name(reader, "a layer scheme", value, scheme_name);
    }
    if (sf_layer_spec_parse(value, 0, &spec, &err) != SF_OK) {
        return refuse_spec(reader, &err);
    }
    reader->options->scheme = spec;
    return SF_OK;
}

static enum sf_status
read_lanes(const struct reader *reader, const char *value)
{
    struct sf_lane_spec spec;
    struct sf_error err;

    if (!sf_lane_scheme_find(value)) {
        return refuse_name(reader, "a lane scheme", value, lanes_name);
    }
    if (sf_lane_spec_parse(value, &spec, &err) != SF_OK) {
        return refuse_spec(reader, &err);
    }
    reader->options->lanes = spec;
    return SF_OK;
}

static const char *
guarantee_name(size_t i)
{
    return i == 0   ? sf_guarantee_name(SF_ANY_SL)
           : i == 1 ? sf_guarantee_name(SF_PATH_SL)
                    : NULL;
}

static enum sf_status
read_guarantee(const struct reader *reader, const char *value)
{
    reader->options->guarantee = sf_guarantee_find(value);
    return reader->options->guarantee
               ? SF_OK
               : refuse_name(reader, "a guarantee", value, guarantee_name);
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
read_jobs(const struct reader *reader, const char *value)
{
    return read_path(reader, value, reader->options->jobs);
}

static enum sf_status
read_jobs_keep_minimal(const struct reader *reader, const char *value)
{
    bool is_yes = !strcmp(value, "yes");

    reader->options->jobs_keep_minimal = is_yes;
    return is_yes || !strcmp(value, "no") ? SF_OK
                                          : refuse(reader, "yes or no", value);
}

static enum sf_status
read_drained(const struct reader *reader, const char *value)
{
    return read_path(reader, value, reader->options->drained);
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
    { "guarantee", read_guarantee },
    { "max_vls", read_max_vls },
    { "max_sls", read_max_sls },
    { "max_hops", read_max_hops },
    { "seed", read_seed },
    { "plan", read_plan },
    { "guids", read_guids },
    { "base", read_base },
    { "status", read_status },
    { "jobs", read_jobs },
    { "jobs_keep_minimal", read_jobs_keep_minimal },
    { "drained", read_drained },
};

static const char *
key_name(size_t i)
{
    return i < sizeof keys / sizeof *keys ? keys[i].key : NULL;
}

static bool
is_key(const char *text, size_t length)
{
    for (size_t i = 0; key_name(i); i++) {
        if (strlen(key_name(i)) == length &&
            !strncmp(key_name(i), text, length)) {
            return true;
        }
    }
    return false;
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

static const struct sf_plugin_options defaults = { .seed = 1 };

/* Whether all options could be read, and go together. */
static enum sf_status
finish(const struct reader *reader, struct sf_error *err)
{
    const struct sf_plugin_options *options = reader->options;

    if (reader->status != SF_OK) {
        return reader->status;
    }
    if (options->lanes.scheme && options->lanes.scheme->needs_turns &&
        options->scheme.scheme && !options->scheme.scheme->takes_turns &&
        !options->scheme.scheme->makes_turns) {
        return sf_fail(
            err, SF_EPARSE,
            "%s: the lanes %s are designed together with the "
            "layers, which the scheme %s does not support; expected "
            "other lanes or another scheme",
            reader->place, options->lanes.scheme->name,
            options->scheme.scheme->name);
    }
    if (options->scheme.names_sets && options->n_path_sets) {
        return sf_fail(err, SF_EPARSE,
                       "%s: the scheme %s and path_sets both say how many "
                       "path sets; expected one of them",
                       reader->place, options->scheme.text);
    }
    return SF_OK;
}

enum sf_status
sf_plugin_options_parse(char *text, size_t length, const char *path,
                        struct sf_plugin_options *options,
                        struct sf_error *err)
{
    struct reader reader = { .place = path, .options = options, .err = err };

    *options = defaults;
    enum sf_status status =
        sf_text_lines(text, length, path, take_line, &reader, err);
    return status == SF_OK ? finish(&reader, err) : status;
}

/* Ends the first word of 'text' and returns the next, NULL after the last.
 * Words have blanks or commas between; but behind a spec, what is no key of
 * ours goes on with it: "scheme=rues:fraction=0.5,sets=2 seed=3". */
static char *
split_word(char *text)
{
    char *end = text + strcspn(text, "," SPACE);

    while (*end == ',' && memchr(text, ':', (size_t)(end - text))) {
        size_t length = strcspn(end + 1, "=," SPACE);
        if (end[1 + length] != '=' || is_key(end + 1, length)) {
            break;
        }
        end += 1 + strcspn(end + 1, "," SPACE);
    }
    char *next = end + strspn(end, "," SPACE);
    *end = '\0';
    return *next ? next : NULL;
}

/* Reads the words of event_plugin_options itself. */
static enum sf_status
load_words(const char *text, struct sf_plugin_options *options,
           struct sf_error *err)
{
    struct reader reader = { .place = "event_plugin_options",
                             .options = options,
                             .err = err };
    char copy[SF_OPTION_SIZE];

    if (snprintf(copy, sizeof copy, "%s", text) >= (int)sizeof copy) {
        return sf_fail(err, SF_EPARSE,
                       "event_plugin_options: expected less than %zu "
                       "characters; put them into a file and give its path",
                       sizeof copy);
    }
    for (char *word = copy + strspn(copy, "," SPACE), *next = NULL;
         word && *word; word = next) {
        next = split_word(word);
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

    *options = defaults;
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
    const struct sf_lane_scheme *lanes = options->lanes.scheme;
    if (!qos && lanes && !lanes->allows_one_vl) {
        return sf_fail(err, SF_EINVAL,
                       "the lanes %s need SL-to-VL tables: set qos TRUE in "
                       "OpenSM's configuration, or ask for no lanes: then "
                       "one is enough, with longer paths",
                       lanes->name);
    }
    return SF_OK;
}
