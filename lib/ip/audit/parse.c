/* parse.c -- reading batches of ip(8), files of FRR and words in general. */
#include "base/file.h"
#include "ip/audit/held.h"

#include <string.h>

#define MAX_WORDS 24

/* Splits 'line' into words at blanks, at most 'most'; returns how many. */
static uint32_t
split_words(char *line, char **words, uint32_t most)
{
    uint32_t n = 0;
    char *rest = NULL;

    for (char *word = strtok_r(line, " \t", &rest); word && n < most;
         word = strtok_r(NULL, " \t", &rest)) {
        words[n++] = word;
    }
    return n;
}

uint32_t
sf_ip_read_port(const struct sf_ip_reader *reader, uint32_t line,
                const char *name)
{
    uint32_t number = sf_port_number(reader->ports, name);

    if (number == 0 || number > reader->n_ports) {
        sf_fail(reader->err, SF_EPARSE,
                "%s:%u: expected a port of %s, 1 to %u, found '%.60s'",
                reader->path, line, reader->ports->rule, reader->n_ports,
                name);
        return 0;
    }
    return number;
}

enum sf_status
sf_ip_read_number(const struct sf_ip_reader *reader, uint32_t line,
                  const char *text, uint32_t *numberp)
{
    uint32_t number = 0;
    const char *digit = text;

    for (; *digit >= '0' && *digit <= '9' && number < 100000000; digit++) {
        number = 10 * number + (uint32_t)(*digit - '0');
    }
    *numberp = number;
    return *digit || digit == text
               ? sf_fail(reader->err, SF_EPARSE,
                         "%s:%u: expected a number, found '%.60s'",
                         reader->path, line, text)
               : SF_OK;
}

/* Puts the place of an error before it. */
static enum sf_status
at_line(const struct sf_ip_reader *reader, uint32_t line,
        const struct sf_error *err)
{
    return sf_fail(reader->err, SF_EPARSE, "%s:%u: %.300s", reader->path, line,
                   err->text);
}

enum sf_status
sf_ip_read_prefix(const struct sf_ip_reader *reader, uint32_t line,
                  const char *text, struct sf_ip_prefix *prefix)
{
    struct sf_error err = { 0 };

    return sf_ip_prefix_parse(text, prefix, &err) == SF_OK
               ? SF_OK
               : at_line(reader, line, &err);
}

enum sf_status
sf_ip_read_address(const struct sf_ip_reader *reader, uint32_t line,
                   const char *text, struct sf_ip_address *address)
{
    struct sf_error err = { 0 };

    return sf_ip_address_parse(text, address, &err) == SF_OK
               ? SF_OK
               : at_line(reader, line, &err);
}

static enum sf_status
expected(const struct sf_ip_reader *reader, uint32_t line, const char *what,
         const char *found)
{
    return sf_fail(reader->err, SF_EPARSE, "%s:%u: expected %s, found '%.60s'",
                   reader->path, line, what, found ? found : "nothing more");
}

enum sf_status
sf_ip_entries_add(struct sf_ip_entries *entries,
                  const struct sf_ip_entry *entry, struct sf_error *err)
{
    return sf_vec_push(entries, *entry)
               ? SF_OK
               : sf_fail(err, SF_ENOMEM, "out of memory for routes");
}

/* One line "route replace [unreachable] PREFIX [via ADDRESS] [dev PORT] metric
 * N [onlink]". */
static enum sf_status
take_route(void *aux, uint32_t line, char *text)
{
    const struct sf_ip_reader *reader = aux;
    struct sf_ip_entry entry = { .line = line };
    char *words[MAX_WORDS];
    uint32_t n = *text == '#' ? 0 : split_words(text, words, MAX_WORDS);
    uint32_t at = 2;
    bool is_unreachable = false, has_metric = false;

    if (n == 0) {
        return SF_OK;
    }
    if (n < 3 || strcmp(words[0], "route") != 0 ||
        strcmp(words[1], "replace") != 0) {
        return expected(reader, line, "'route replace'", words[0]);
    }
    if (!strcmp(words[at], "unreachable")) {
        is_unreachable = true;
        at++;
    }
    enum sf_status status =
        at < n ? sf_ip_read_prefix(reader, line, words[at], &entry.to)
               : expected(reader, line, "a prefix", NULL);
    for (at++; status == SF_OK && at < n; at++) {
        const char *value = at + 1 < n ? words[at + 1] : "";
        if (!strcmp(words[at], "via")) {
            status = sf_ip_read_address(reader, line, value, &entry.via);
            entry.has_via = true;
            at++;
        } else if (!strcmp(words[at], "dev")) {
            entry.out = sf_ip_read_port(reader, line, value);
            status = entry.out ? SF_OK : SF_EPARSE;
            at++;
        } else if (!strcmp(words[at], "metric")) {
            status = sf_ip_read_number(reader, line, value, &entry.metric);
            has_metric = true;
            at++;
        } else if (strcmp(words[at], "onlink") != 0) {
            status = expected(reader, line, "via, dev, metric or onlink",
                              words[at]);
        }
    }
    if (status == SF_OK && (!has_metric || is_unreachable == !!entry.out)) {
        status = expected(reader, line, "a metric, and a port or unreachable",
                          NULL);
    }
    return status == SF_OK
               ? sf_ip_entries_add(reader->aux, &entry, reader->err)
               : status;
}

enum sf_status
sf_ip_parse_routes(struct sf_ip_reader *reader, char *text, size_t length)
{
    return sf_text_lines(text, length, reader->path, take_route, reader,
                         reader->err);
}

/* One line "ip route PREFIX [ADDRESS] PORT|reject DISTANCE [onlink]". */
static enum sf_status
take_static(void *aux, uint32_t line, char *text)
{
    const struct sf_ip_reader *reader = aux;
    struct sf_ip_entry entry = { .line = line };
    char *words[MAX_WORDS];
    uint32_t n = *text == '!' ? 0 : split_words(text, words, MAX_WORDS);
    uint32_t at = 3;

    if (n == 0 || !strcmp(words[0], "hostname")) {
        return SF_OK;
    }
    if (n < 5 ||
        (strcmp(words[0], "ip") != 0 && strcmp(words[0], "ipv6") != 0) ||
        strcmp(words[1], "route") != 0) {
        return expected(reader, line, "'ip route PREFIX ...'", words[0]);
    }
    enum sf_status status =
        sf_ip_read_prefix(reader, line, words[2], &entry.to);
    if (status == SF_OK &&
        sf_ip_address_parse(words[at], &entry.via, NULL) == SF_OK) {
        entry.has_via = true;
        at++;
    }
    if (status == SF_OK && strcmp(words[at], "reject") != 0) {
        entry.out = sf_ip_read_port(reader, line, words[at]);
        status = entry.out ? SF_OK : SF_EPARSE;
    }
    at++;
    if (status == SF_OK) {
        status =
            at < n ? sf_ip_read_number(reader, line, words[at], &entry.metric)
                   : expected(reader, line, "a distance", NULL);
    }
    bool is_onlink = ++at < n && !strcmp(words[at], "onlink");
    if (status == SF_OK && (at + is_onlink < n || is_onlink != entry.has_via ||
                            (entry.has_via && !entry.out))) {
        status = expected(reader, line, "onlink with a next hop",
                          at < n ? words[at] : NULL);
    }
    return status == SF_OK
               ? sf_ip_entries_add(reader->aux, &entry, reader->err)
               : status;
}

enum sf_status
sf_ip_parse_staticd(struct sf_ip_reader *reader, char *text, size_t length)
{
    return sf_text_lines(text, length, reader->path, take_static, reader,
                         reader->err);
}

/* One line of a batch: "address replace ADDRESS/LENGTH dev PORT|lo" counts,
 * all others are passed over. */
static enum sf_status
take_own(void *aux, uint32_t line, char *text)
{
    const struct sf_ip_reader *reader = aux;
    struct sf_ip_own own = { 0 };
    char *words[MAX_WORDS];
    uint32_t n = *text == '#' ? 0 : split_words(text, words, MAX_WORDS);

    if (n == 0 || strcmp(words[0], "address") != 0) {
        return SF_OK;
    }
    if (n < 5 || strcmp(words[1], "replace") != 0 ||
        strcmp(words[3], "dev") != 0) {
        return expected(reader, line, "'address replace ADDRESS dev PORT'",
                        words[0]);
    }
    char *slash = strchr(words[2], '/');
    if (slash) {
        *slash = '\0';
    }
    enum sf_status status =
        sf_ip_read_address(reader, line, words[2], &own.address);
    if (status == SF_OK && strcmp(words[4], "lo") != 0) {
        own.port = sf_ip_read_port(reader, line, words[4]);
        status = own.port ? SF_OK : SF_EPARSE;
    }
    struct sf_ip_owns *owns = reader->aux;
    if (status == SF_OK && !sf_vec_push(owns, own)) {
        status =
            sf_fail(reader->err, SF_ENOMEM, "out of memory for addresses");
    }
    return status;
}

enum sf_status
sf_ip_parse_owns(struct sf_ip_reader *reader, char *text, size_t length)
{
    return sf_text_lines(text, length, reader->path, take_own, reader,
                         reader->err);
}
