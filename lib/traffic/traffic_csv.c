/* traffic_csv.c -- traffic from a file: who, to whom, how much. */
#include "base/file.h"
#include "base/mem.h"
#include "fabric/host_names.h"
#include "traffic/flows.h"

#include <math.h>
#include <string.h>

struct reader {
    const char *path;
    struct sf_host_names names;
    const uint32_t *ranks; /* [n_ranks] Or hosts by rank. */
    uint32_t n_ranks;
    SF_VEC(struct sf_flow) flows;
    struct sf_error *err;
};

/* Splits off the field before the next comma; NULL if there is none. */
static char *
split(char **restp)
{
    char *field = *restp;
    char *comma = strchr(field, ',');
    if (!comma) {
        return NULL;
    }
    *comma = '\0';
    *restp = comma + 1;
    return sf_text_trim(field);
}

/* The host that 'text' means; SF_NONE if there is none. */
static uint32_t
find_host(const struct reader *reader, const char *text)
{
    uint32_t rank = 0;

    if (!reader->ranks) {
        return sf_host_names_find(&reader->names, text);
    }
    if (!*text || strlen(text) > 9 || text[strspn(text, "0123456789")]) {
        return SF_NONE;
    }
    for (; *text; text++) {
        rank = rank * 10 + (uint32_t)(*text - '0');
    }
    return rank < reader->n_ranks ? reader->ranks[rank] : SF_NONE;
}

static enum sf_status
fail_host(const struct reader *reader, uint32_t line, const char *text)
{
    if (reader->ranks) {
        return sf_fail(reader->err, SF_EPARSE,
                       "%s:%u: expected a rank from 0 to %u, found '%.64s'",
                       reader->path, line, reader->n_ranks - 1, text);
    }
    return sf_fail(reader->err, SF_EPARSE,
                   "%s:%u: expected the name of a host that is plugged in, "
                   "found '%.64s'",
                   reader->path, line, text);
}

static enum sf_status
read_flow(struct reader *reader, uint32_t line, char *text)
{
    char *source = split(&text);
    char *destination = source ? split(&text) : NULL;
    char *number = sf_text_trim(text), *end = number;

    if (!destination || strchr(number, ',')) {
        return sf_fail(reader->err, SF_EPARSE,
                       "%s:%u: expected source,destination,amount",
                       reader->path, line);
    }
    if (line == 1 && !strcmp(source, "source") &&
        !strcmp(destination, "destination") && !strcmp(number, "amount")) {
        return SF_OK;
    }
    struct sf_flow flow = { find_host(reader, source),
                            find_host(reader, destination), 0 };
    if (flow.from == SF_NONE || flow.to == SF_NONE) {
        return fail_host(reader, line,
                         flow.from == SF_NONE ? source : destination);
    }
    if (flow.from == flow.to) {
        return sf_fail(reader->err, SF_EPARSE,
                       "%s:%u: expected two different %s, found '%.64s' twice",
                       reader->path, line, reader->ranks ? "ranks" : "hosts",
                       source);
    }
    if (number[strspn(number, "0123456789.eE+-")] == '\0') {
        flow.amount = strtod(number, &end);
    }
    if (end == number || *end || !isfinite(flow.amount) || flow.amount < 0) {
        return sf_fail(reader->err, SF_EPARSE,
                       "%s:%u: expected an amount of 0 or more, found "
                       "'%.40s'",
                       reader->path, line, number);
    }
    if (!sf_vec_push(&reader->flows, flow)) {
        return sf_fail(reader->err, SF_ENOMEM, "%s: out of memory",
                       reader->path);
    }
    return SF_OK;
}

static enum sf_status
take_line(void *aux, uint32_t line, char *text)
{
    text = sf_text_trim(text);
    return *text == '\0' || *text == '#' ? SF_OK : read_flow(aux, line, text);
}

static int
compare_flows(const void *a, const void *b)
{
    const struct sf_flow *x = a, *y = b;
    if (x->from != y->from) {
        return x->from < y->from ? -1 : 1;
    }
    if (x->to != y->to) {
        return x->to < y->to ? -1 : 1;
    }
    return (x->amount > y->amount) - (x->amount < y->amount);
}

/* Reads lines from the file at 'path', or from 'text' if nonnull. */
static enum sf_status
read_flows(const char *path, char *text, size_t length,
           struct sf_flow_job *job, struct sf_error *err)
{
    const struct sf_network *network = job->network;
    struct reader reader = {
        .path = path, .ranks = job->ranks, .n_ranks = job->n_ranks, .err = err
    };

    if (!network->fabric) {
        return sf_fail(err, SF_EINVAL,
                       "%s: traffic from a file needs a fabric with hosts",
                       path);
    }
    enum sf_status status = sf_host_names_build(network, &reader.names, err);
    if (status == SF_OK) {
        status =
            text ? sf_text_lines(text, length, path, take_line, &reader, err)
                 : sf_file_lines(path, take_line, &reader, err);
    }
    if (status == SF_OK && reader.flows.n == 0) {
        status = sf_fail(err, SF_EPARSE,
                         "%s: expected source,destination,amount, found no "
                         "such line",
                         path);
    }
    if (status == SF_OK) {
        qsort(reader.flows.items, reader.flows.n, sizeof *reader.flows.items,
              compare_flows);
        for (size_t i = 0; i < reader.flows.n; i++) {
            const struct sf_flow *flow = &reader.flows.items[i];
            sf_flow_add(job, flow->from, flow->to, flow->amount);
        }
    }
    free(reader.flows.items);
    sf_host_names_clear(&reader.names);
    return status;
}

enum sf_status
sf_traffic_read(const char *path, struct sf_flow_job *job,
                struct sf_error *err)
{
    return read_flows(path, NULL, 0, job, err);
}

enum sf_status
sf_traffic_read_text(char *text, size_t length, const char *path,
                     struct sf_flow_job *job, struct sf_error *err)
{
    return read_flows(path, text, length, job, err);
}
