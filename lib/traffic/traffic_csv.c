/* traffic_csv.c -- traffic from a file: who, to whom, how much. */
#include "base/file.h"
#include "base/mem.h"
#include "traffic/flows.h"

#include <math.h>
#include <string.h>

/* A host by its name. */
struct name {
    const char *name;
    uint32_t host; /* As the network numbers them. */
};

struct reader {
    const char *path;
    struct name *names; /* [n_names] Sorted. */
    uint32_t n_names;
    SF_VEC(struct sf_flow) flows;
    struct sf_error *err;
};

static int
compare_names(const void *a, const void *b)
{
    const struct name *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->host > y->host) - (x->host < y->host);
}

/* The first port of the host called 'name', or SF_NONE. */
static uint32_t
find_host(const struct reader *reader, const char *name)
{
    uint32_t low = 0, high = reader->n_names;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (strcmp(reader->names[middle].name, name) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < reader->n_names && !strcmp(reader->names[low].name, name)
               ? reader->names[low].host
               : SF_NONE;
}

/* Takes blanks off both ends. */
static char *
trim(char *text)
{
    text += strspn(text, " \t\r");
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t\r", text[length - 1])) {
        text[--length] = '\0';
    }
    return text;
}

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
    return trim(field);
}

static enum sf_status
read_flow(struct reader *reader, uint32_t line, char *text)
{
    char *source = split(&text);
    char *destination = source ? split(&text) : NULL;
    char *number = trim(text), *end = number;

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
        return sf_fail(reader->err, SF_EPARSE,
                       "%s:%u: expected the name of a host that is plugged "
                       "in, found '%.64s'",
                       reader->path, line,
                       flow.from == SF_NONE ? source : destination);
    }
    if (flow.from == flow.to) {
        return sf_fail(reader->err, SF_EPARSE,
                       "%s:%u: expected two different hosts, found '%.64s' "
                       "twice",
                       reader->path, line, source);
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
    text = trim(text);
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
    struct reader reader = { .path = path, .err = err };

    if (!network->fabric) {
        return sf_fail(err, SF_EINVAL,
                       "%s: traffic from a file needs a fabric with hosts",
                       path);
    }
    struct name *names = sf_calloc(job->n_hosts, sizeof *names);
    if (!names) {
        return sf_fail(err, SF_ENOMEM, "%s: out of memory", path);
    }
    for (uint32_t h = 0; h < job->n_hosts; h++) {
        uint32_t node = network->fabric->ports[network->host_ports[h]].node;
        names[h] = (struct name){ network->fabric->nodes[node].name, h };
    }
    reader.names = names;
    reader.n_names = job->n_hosts;
    qsort(names, job->n_hosts, sizeof *names, compare_names);

    enum sf_status status =
        text ? sf_text_lines(text, length, path, take_line, &reader, err)
             : sf_file_lines(path, take_line, &reader, err);
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
    free(names);
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
