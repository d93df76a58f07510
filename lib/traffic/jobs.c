/* jobs.c -- reads files of jobs, and lists the flows of a job. */
#include "slimfly/jobs.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "fabric/host_names.h"
#include "traffic/flows.h"
#include "traffic/hostlist.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define BLANKS " \t\r"

struct reader {
    const char *path;
    const struct sf_network *network;
    struct sf_host_names names;
    uint32_t *job_of; /* [hosts] The job of each host, plus 1. */
    uint32_t n_slots; /* A power of two. */
    uint32_t *slots;  /* [n_slots] Jobs by the hash of their names, plus 1. */
    SF_VEC(struct sf_job) jobs;
    SF_VEC(uint32_t) hosts;   /* Of the job at hand. */
    struct sf_job job;        /* At hand. */
    struct sf_strays *strays; /* NULL: these are errors. */
    bool is_stray;            /* The job at hand is. */
    struct sf_error *err;
};

static enum sf_status
fail_memory(const struct reader *reader)
{
    return sf_fail(reader->err, SF_ENOMEM, "%s: out of memory for jobs",
                   reader->path);
}

/* Fails with the place, which has a line if the reader has one. */
static enum sf_status __attribute__((format(printf, 2, 3)))
fail_at(const struct reader *reader, const char *format, ...)
{
    char text[SF_ERROR_TEXT_SIZE];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return reader->job.line
               ? sf_fail(reader->err, SF_EPARSE, "%s:%u: %s", reader->path,
                         reader->job.line, text)
               : sf_fail(reader->err, SF_EPARSE, "%s: %s", reader->path, text);
}

static enum sf_status
fail_line(const struct reader *reader, const char *expected, const char *found)
{
    return fail_at(reader, "expected %s, found '%.64s'", expected, found);
}

/* Whether all of 'word' are characters that can be shown; else says which byte
 * is not. */
static enum sf_status
check_text(const struct reader *reader, const char *word)
{
    const char *byte = sf_utf8_find_unseen(word);

    return !byte ? SF_OK
                 : fail_at(reader,
                           "expected text in UTF-8 without control characters,"
                           " found the byte 0x%02x in '%.64s'",
                           (unsigned)(unsigned char)*byte, word);
}

/* Makes room to find jobs by name.  Each has a host at least. */
static bool
make_slots(struct reader *reader)
{
    uint32_t n_hosts = sf_network_count_hosts(reader->network);

    for (reader->n_slots = 4; reader->n_slots / 2 <= n_hosts;) {
        reader->n_slots *= 2;
    }
    reader->slots = sf_calloc(reader->n_slots, sizeof *reader->slots);
    return reader->slots != NULL;
}

/* Where the job 'name' is in the slots, or would be. */
static uint32_t *
find_slot(const struct reader *reader, const char *name)
{
    uint64_t hash = sf_hash_bytes(SF_HASH_START, name, strlen(name));
    uint32_t mask = reader->n_slots - 1, i = (uint32_t)hash & mask;

    while (reader->slots[i] &&
           strcmp(reader->jobs.items[reader->slots[i] - 1].name, name) != 0) {
        i = (i + 1) & mask;
    }
    return &reader->slots[i];
}

/* Whether no job above has the name of that at hand. */
static enum sf_status
check_name(struct reader *reader)
{
    uint32_t other = *find_slot(reader, reader->job.name);

    reader->is_stray = other > 0;
    return other == 0
               ? SF_OK
               : fail_at(reader,
                         "expected a name that no other job has, found "
                         "'%.64s', as in line %u",
                         reader->job.name, reader->jobs.items[other - 1].line);
}

/* Adds the host called 'name' to the job at hand. */
static enum sf_status
take_host(void *aux, const char *name, struct sf_error *err)
{
    struct reader *reader = aux;
    uint32_t host = sf_host_names_find(&reader->names, name), number;

    reader->is_stray =
        host == SF_NONE ||
        (reader->job_of[host] && reader->job_of[host] != reader->jobs.n + 1);
    if (host == SF_NONE) {
        return sf_fail(err, SF_EPARSE,
                       "expected a host that is plugged in, found '%.64s'",
                       name);
    }
    number = (uint32_t)reader->jobs.n + 1;
    if (reader->job_of[host] == number) {
        return sf_fail(err, SF_EPARSE,
                       "expected each host once, found '%.64s' twice", name);
    }
    if (reader->job_of[host]) {
        const struct sf_job *other =
            &reader->jobs.items[reader->job_of[host] - 1];
        return sf_fail(err, SF_EPARSE,
                       "expected a host that no other job has, found '%.64s', "
                       "which job '%.64s' of line %u has",
                       name, other->name, other->line);
    }
    reader->job_of[host] = number;
    return sf_vec_push(&reader->hosts, host) ? SF_OK : fail_memory(reader);
}

static enum sf_status
read_hosts(struct reader *reader, const char *list)
{
    struct sf_error why = { 0 };
    enum sf_status status = sf_hostlist_read(list, take_host, reader, &why);

    if (status == SF_EPARSE) {
        return fail_at(reader, "%s", why.text);
    }
    reader->job.hosts = reader->hosts.items;
    reader->job.n_hosts = (uint32_t)reader->hosts.n;
    memset(&reader->hosts, 0, sizeof reader->hosts);
    return status;
}

/* Reads a number from 1 on; its end, or NULL. */
static const char *
read_number(const char *text, uint32_t *valuep)
{
    size_t n = strspn(text, "0123456789");

    *valuep = 0;
    for (size_t i = 0; n <= 9 && i < n; i++) {
        *valuep = *valuep * 10 + (uint32_t)(text[i] - '0');
    }
    return *valuep ? text + n : NULL;
}

static enum sf_status
read_shift(struct reader *reader, const char *text)
{
    struct sf_job *job = &reader->job;
    const char *end = read_number(text, &job->by);

    if (!end || *end) {
        return fail_line(reader, "shift:by= with a number from 1 on",
                         job->pattern);
    }
    if (job->by % job->n_hosts == 0) {
        return fail_at(reader,
                       "expected a shift that is no multiple of the %u nodes "
                       "of the job, found '%.64s'",
                       job->n_hosts, job->pattern);
    }
    return SF_OK;
}

static enum sf_status
read_dims(struct reader *reader, const char *text)
{
    struct sf_job *job = &reader->job;
    uint64_t product = 1;
    bool goes_on = true;

    while (goes_on && job->n_dims < SF_MAX_DIMS && product <= job->n_hosts) {
        uint32_t *dim = &job->dims[job->n_dims++];
        const char *end = read_number(text, dim);
        if (!end || (*end && *end != 'x')) {
            return fail_line(reader, "stencil:dims= with sizes as in 4x4x2",
                             job->pattern);
        }
        product *= *dim;
        goes_on = *end == 'x';
        text = end + 1;
    }
    if (goes_on || product != job->n_hosts) {
        return fail_at(reader,
                       "expected at most %u dimensions whose product is the "
                       "%u nodes of the job, found '%.64s'",
                       SF_MAX_DIMS, job->n_hosts, job->pattern);
    }
    return SF_OK;
}

/* Flows of a file that are listed. */
struct pair_list {
    SF_VEC(struct sf_flow) flows;
    bool out_of_memory;
};

static void
list_pair(void *aux, uint32_t from, uint32_t to, double amount)
{
    struct pair_list *list = aux;
    struct sf_flow flow = { from, to, amount };

    if (amount > 0 && !sf_vec_push(&list->flows, flow)) {
        list->out_of_memory = true;
    }
}

/* The path of a file that the file of jobs names; the caller frees it. */
static char *
resolve(const char *jobs_path, const char *path)
{
    const char *slash = strrchr(jobs_path, '/');
    size_t n = slash && *path != '/' ? (size_t)(slash - jobs_path) + 1 : 0;
    size_t size = n + strlen(path) + 1;
    char *resolved = sf_calloc(size, 1);

    if (resolved) {
        memcpy(resolved, jobs_path, n);
        memcpy(resolved + n, path, size - n);
    }
    return resolved;
}

static const char *
name_of(const struct reader *reader, uint32_t host)
{
    const struct sf_network *network = reader->network;
    uint32_t port = network->host_ports[host];

    return network->fabric->nodes[network->fabric->ports[port].node].name;
}

/* Takes the flows of a file over, all of which must be within the job. */
static enum sf_status
keep_pairs(struct reader *reader, struct pair_list *list, const char *path)
{
    struct sf_job *job = &reader->job;
    uint32_t number = (uint32_t)reader->jobs.n + 1;

    if (list->out_of_memory) {
        return fail_memory(reader);
    }
    for (size_t i = 0; i < list->flows.n; i++) {
        const struct sf_flow *flow = &list->flows.items[i];
        uint32_t stranger = reader->job_of[flow->from] != number ? flow->from
                            : reader->job_of[flow->to] != number ? flow->to
                                                                 : SF_NONE;
        if (stranger != SF_NONE) {
            return fail_at(reader,
                           "expected pairs of nodes of the job, found '%.64s' "
                           "in %s",
                           name_of(reader, stranger), path);
        }
    }
    job->pairs = list->flows.items;
    job->n_pairs = list->flows.n;
    list->flows.items = NULL;
    return SF_OK;
}

/* Reads the pairs of a file, which names hosts, or ranks of the job if
 * 'has_ranks'. */
static enum sf_status
read_file(struct reader *reader, const char *text, bool has_ranks)
{
    struct pair_list list = { 0 };
    struct sf_flow_job flows = { 0 };
    char *path = resolve(reader->path, text);
    enum sf_status status = path ? SF_OK : fail_memory(reader);

    if (status == SF_OK && (!*text || !strcmp(text, "-"))) {
        status = fail_line(reader,
                           has_ranks ? "ranks:file= with the name of a file"
                                     : "pairs:file= with the name of a file",
                           reader->job.pattern);
    }
    if (!reader->network) { /* Only the words are looked at. */
        free(path);
        return status;
    }
    if (status == SF_OK) {
        status = sf_flow_job_begin(&flows, reader->network, 0, reader->err);
    }
    if (status == SF_OK) {
        flows.ranks = has_ranks ? reader->job.hosts : NULL;
        flows.n_ranks = reader->job.n_hosts;
        flows.take = list_pair;
        flows.aux = &list;
        struct sf_error why = { 0 };
        status = sf_traffic_read(path, &flows, &why);
        if (status != SF_OK) {
            sf_fail(reader->err, status, "%s:%u: %s", reader->path,
                    reader->job.line, why.text);
        }
    }
    if (status == SF_OK) {
        status = keep_pairs(reader, &list, path);
    }
    free(list.flows.items);
    sf_flow_job_clear(&flows);
    free(path);
    return status;
}

static enum sf_status
read_pairs(struct reader *reader, const char *text)
{
    return read_file(reader, text, false);
}

static enum sf_status
read_ranks(struct reader *reader, const char *text)
{
    return read_file(reader, text, true);
}

static const struct pattern {
    const char *text; /* Up to where its value begins. */
    enum sf_pattern_kind kind;
    enum sf_status (*read)(struct reader *, const char *text);
} patterns[] = {
    { "all-to-all", SF_PATTERN_ALL_TO_ALL, NULL },
    { "unknown", SF_PATTERN_UNKNOWN, NULL },
    { "ring", SF_PATTERN_RING, NULL },
    { "shift:by=", SF_PATTERN_SHIFT, read_shift },
    { "stencil:dims=", SF_PATTERN_STENCIL, read_dims },
    { "pairs:file=", SF_PATTERN_PAIRS, read_pairs },
    { "ranks:file=", SF_PATTERN_PAIRS, read_ranks },
};

static enum sf_status
read_pattern(struct reader *reader)
{
    struct sf_job *job = &reader->job;

    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        const struct pattern *pattern = &patterns[i];
        size_t n = strlen(pattern->text);
        if (!pattern->read && !strcmp(job->pattern, pattern->text)) {
            job->kind = pattern->kind;
            return SF_OK;
        }
        if (pattern->read && !strncmp(job->pattern, pattern->text, n)) {
            job->kind = pattern->kind;
            return pattern->read(reader, job->pattern + n);
        }
    }
    return fail_line(reader,
                     "all-to-all, ring, shift:by=N, stencil:dims=AxB, "
                     "pairs:file=PATH, ranks:file=PATH or unknown",
                     job->pattern);
}

/* What each host sends and receives. */
struct host_sums {
    double *sent, *received; /* By host of the network. */
};

static void
add_sums(void *aux, uint32_t from, uint32_t to, double amount)
{
    const struct host_sums *sums = aux;
    sums->sent[from] += amount;
    sums->received[to] += amount;
}

/* Finds what the host that sends or receives most does so with. */
static enum sf_status
measure_unit(struct reader *reader)
{
    struct sf_job *job = &reader->job;
    uint32_t n = sf_network_count_hosts(reader->network);
    struct host_sums sums = { sf_calloc(n, sizeof *sums.sent),
                              sf_calloc(n, sizeof *sums.received) };
    bool made = sums.sent && sums.received;
    double most = 0;

    job->unit = 1;
    if (made && job->kind == SF_PATTERN_PAIRS) {
        sf_job_each_flow(job, add_sums, &sums);
        for (uint32_t h = 0; h < n; h++) {
            most = fmax(most, fmax(sums.sent[h], sums.received[h]));
        }
    } else if (made && job->kind == SF_PATTERN_STENCIL) {
        for (uint32_t i = 0; i < job->n_dims; i++) {
            most += job->dims[i] > 2 ? 2 : job->dims[i] - 1;
        }
    } else if (job->kind == SF_PATTERN_ALL_TO_ALL ||
               job->kind == SF_PATTERN_UNKNOWN) {
        most = job->n_hosts - 1;
    } else {
        most = job->n_hosts > 1;
    }
    job->unit = most;
    free(sums.sent);
    free(sums.received);
    if (!isfinite(most)) {
        return fail_line(reader, "amounts that can be added up", job->pattern);
    }
    return made ? SF_OK : fail_memory(reader);
}

static void
clear_job(struct sf_job *job)
{
    free(job->pairs);
    free(job->hosts);
    free(job->pattern);
    free(job->name);
    *job = (struct sf_job){ 0 };
}

/* Splits off the next word; its end, or NULL if there is none. */
static char *
split_word(char **restp)
{
    char *word = *restp + strspn(*restp, BLANKS);
    char *end = word + strcspn(word, BLANKS);

    *restp = *end ? end + 1 : end;
    *end = '\0';
    return *word ? word : NULL;
}

/* Leaves the job at hand out, whose hosts are not for it alone: these are
 * free again. */
static void
leave_out(struct reader *reader, const struct sf_error *why)
{
    for (size_t i = 0; i < reader->hosts.n; i++) {
        reader->job_of[reader->hosts.items[i]] = 0;
    }
    if (reader->strays->n++ == 0) {
        reader->strays->first = *why;
    }
    reader->hosts.n = 0;
    clear_job(&reader->job);
}

/* Reads the hosts and the pattern of the job at hand, and takes it, unless it
 * is left out. */
static enum sf_status
finish_job(struct reader *reader, const char *nodes)
{
    struct sf_error why = { 0 }, *err = reader->err;

    reader->err = &why;
    enum sf_status status = check_name(reader);
    if (status == SF_OK) {
        status = read_hosts(reader, nodes);
    }
    if (status == SF_EPARSE && reader->is_stray && reader->strays) {
        leave_out(reader, &why);
        reader->err = err;
        return SF_OK;
    }
    if (status == SF_OK) {
        status = read_pattern(reader);
    }
    if (status == SF_OK) {
        status = measure_unit(reader);
    }
    reader->err = err;
    if (status != SF_OK) {
        return sf_fail(err, status, "%s", why.text);
    }
    uint32_t *slot = find_slot(reader, reader->job.name);
    if (!sf_vec_push(&reader->jobs, reader->job)) {
        return fail_memory(reader);
    }
    *slot = (uint32_t)reader->jobs.n;
    reader->job = (struct sf_job){ 0 };
    return SF_OK;
}

/* Reads the job of a line that is not empty. */
static enum sf_status
read_job(struct reader *reader, uint32_t line, char *text)
{
    char *name = split_word(&text), *pattern = split_word(&text);
    char *nodes = split_word(&text);

    reader->job = (struct sf_job){ .line = line };
    if (!nodes || split_word(&text)) {
        return sf_fail(reader->err, SF_EPARSE,
                       "%s:%u: expected NAME PATTERN NODES, as in "
                       "'1234 all-to-all node[0000-0031]'",
                       reader->path, line);
    }
    reader->job.name = sf_strdup(name);
    reader->job.pattern = sf_strdup(pattern);
    if (!reader->job.name || !reader->job.pattern) {
        return fail_memory(reader);
    }
    return finish_job(reader, nodes);
}

/* Cuts off the end that other systems give to lines. */
static void
cut_return(char *text)
{
    size_t length = strlen(text);

    if (length > 0 && text[length - 1] == '\r') {
        text[length - 1] = '\0';
    }
}

/* Reads all lines.  They may be longer than those of tables: a list of hosts
 * is one word. */
static enum sf_status
read_lines(struct reader *reader, char *text, size_t length)
{
    char *end = text + length;
    enum sf_status status = SF_OK;

    *end = '\0';
    if (!strncmp(text, SF_UTF8_MARK, strlen(SF_UTF8_MARK))) {
        text += strlen(SF_UTF8_MARK);
    }
    for (uint32_t line = 1; status == SF_OK && text < end; line++) {
        char *newline = memchr(text, '\n', (size_t)(end - text));
        char *line_end = newline ? newline : end;
        reader->job.line = line;
        if (memchr(text, '\0', (size_t)(line_end - text))) {
            return fail_at(reader, "expected text, found a zero byte");
        }
        *line_end = '\0';
        text[strcspn(text, "#")] = '\0';
        cut_return(text);
        if (text[strspn(text, BLANKS)]) {
            status = check_text(reader, text);
        }
        if (status == SF_OK && text[strspn(text, BLANKS)]) {
            status = read_job(reader, line, text);
        }
        text = line_end + 1;
    }
    return status;
}

enum sf_status
sf_jobs_parse(char *text, size_t length, const char *path,
              const struct sf_network *network, struct sf_jobs **jobsp,
              struct sf_error *err)
{
    return sf_jobs_parse_some(text, length, path, network, NULL, jobsp, err);
}

enum sf_status
sf_jobs_parse_some(char *text, size_t length, const char *path,
                   const struct sf_network *network, struct sf_strays *strays,
                   struct sf_jobs **jobsp, struct sf_error *err)
{
    struct reader reader = {
        .path = path, .network = network, .strays = strays, .err = err
    };
    enum sf_status status = SF_OK;

    *jobsp = NULL;
    if (!network->fabric) {
        return sf_fail(err, SF_EINVAL, "%s: jobs need a fabric with hosts",
                       path);
    }
    struct sf_jobs *jobs = sf_calloc(1, sizeof *jobs);
    reader.job_of =
        sf_calloc(sf_network_count_hosts(network), sizeof *reader.job_of);
    if (!jobs || !reader.job_of || !make_slots(&reader) ||
        sf_host_names_build(network, &reader.names, NULL) != SF_OK) {
        status = fail_memory(&reader);
    }
    if (status == SF_OK) {
        status = read_lines(&reader, text, length);
    }
    if (jobs) {
        jobs->n_jobs = (uint32_t)reader.jobs.n;
        jobs->jobs = reader.jobs.items;
    }
    clear_job(&reader.job);
    free(reader.hosts.items);
    free(reader.slots);
    free(reader.job_of);
    sf_host_names_clear(&reader.names);
    if (status != SF_OK) {
        sf_jobs_free(jobs);
        return status;
    }
    *jobsp = jobs;
    return SF_OK;
}

/* Names of hosts as they are counted. */
struct names {
    SF_VEC(uint64_t) hashes;
    uint64_t twice; /* The hash of a name to be found the second time. */
    bool is_there;
};

static uint64_t
hash_name(const char *name)
{
    return sf_hash_bytes(SF_HASH_START, name, strlen(name));
}

/* Counts a name. */
static enum sf_status
count_host(void *aux, const char *name, struct sf_error *err)
{
    struct names *names = aux;

    if (strpbrk(name, BLANKS "\n#")) {
        return sf_fail(err, SF_EPARSE,
                       "expected names of hosts without blanks and '#', "
                       "found '%.64s'",
                       name);
    }
    if (names->hashes.n == SF_MAX_JOB_HOSTS) {
        return sf_fail(err, SF_EPARSE, "expected at most %u hosts",
                       SF_MAX_JOB_HOSTS);
    }
    return sf_vec_push(&names->hashes, hash_name(name))
               ? SF_OK
               : sf_fail(err, SF_ENOMEM, "out of memory for names of hosts");
}

static int
compare_hashes(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Fails at the name that is there twice. */
static enum sf_status
find_twice(void *aux, const char *name, struct sf_error *err)
{
    struct names *names = aux;

    if (hash_name(name) != names->twice) {
        return SF_OK;
    }
    if (names->is_there) {
        return sf_fail(err, SF_EPARSE,
                       "expected each host once, found '%.64s' twice", name);
    }
    names->is_there = true;
    return SF_OK;
}

/* Counts the hosts of a list, which has each once. */
static enum sf_status
count_hosts(const char *nodes, uint32_t *n_hostsp, struct sf_error *err)
{
    struct names names = { 0 };
    enum sf_status status = sf_hostlist_read(nodes, count_host, &names, err);
    uint64_t *hashes = names.hashes.items;

    if (status == SF_OK && names.hashes.n > 1) {
        qsort(hashes, names.hashes.n, sizeof *hashes, compare_hashes);
    }
    for (size_t i = 1; status == SF_OK && i < names.hashes.n; i++) {
        if (hashes[i] == hashes[i - 1]) {
            names.twice = hashes[i];
            names.is_there = false;
            status = sf_hostlist_read(nodes, find_twice, &names, err);
        }
    }
    *n_hostsp = (uint32_t)names.hashes.n;
    free(hashes);
    return status;
}

/* Checks the words of a job; 'reader' has only a place. */
static enum sf_status
check_words(struct reader *reader, const char *name, const char *pattern,
            const char *nodes)
{
    const char *const words[] = { name, pattern, nodes };
    enum sf_status status = SF_OK;

    for (size_t i = 0; status == SF_OK && i < 3; i++) {
        status = check_text(reader, words[i]);
    }
    if (status == SF_OK && strpbrk(pattern, BLANKS "\n#")) {
        status =
            fail_line(reader, "a pattern without blanks and '#'", pattern);
    }
    return status;
}

enum sf_status
sf_job_check(const char *name, const char *pattern, const char *nodes,
             uint32_t *n_hostsp, struct sf_error *err)
{
    char place[80];
    struct reader reader = { .path = place, .err = err };
    struct sf_error why = { 0 };

    snprintf(place, sizeof place, "job %.64s", name);
    *n_hostsp = 0;
    if (!*name || strpbrk(name, BLANKS "\n#")) {
        return sf_fail(err, SF_EPARSE,
                       "expected the name of a job without blanks and '#', "
                       "found '%.64s'",
                       name);
    }
    enum sf_status status = count_hosts(nodes, n_hostsp, &why);
    if (status != SF_OK) {
        return sf_fail(err, status, "%s: %s", place, why.text);
    }
    status = check_words(&reader, name, pattern, nodes);
    reader.job.n_hosts = *n_hostsp;
    reader.job.pattern = status == SF_OK ? sf_strdup(pattern) : NULL;
    if (status == SF_OK) {
        status =
            reader.job.pattern ? read_pattern(&reader) : fail_memory(&reader);
    }
    free(reader.job.pattern);
    return status;
}

enum sf_status
sf_jobs_load(const char *path, const struct sf_network *network,
             struct sf_jobs **jobsp, struct sf_error *err)
{
    return sf_jobs_load_some(path, network, NULL, jobsp, err);
}

enum sf_status
sf_jobs_load_some(const char *path, const struct sf_network *network,
                  struct sf_strays *strays, struct sf_jobs **jobsp,
                  struct sf_error *err)
{
    char *text;
    size_t length;
    enum sf_status status = sf_file_read(path, &text, &length, err);

    *jobsp = NULL;
    if (status != SF_OK) {
        return status;
    }
    status = sf_jobs_parse_some(text, length,
                                strcmp(path, "-") ? path : "standard input",
                                network, strays, jobsp, err);
    free(text);
    return status;
}

void
sf_jobs_free(struct sf_jobs *jobs)
{
    if (jobs) {
        for (uint32_t i = 0; i < jobs->n_jobs; i++) {
            clear_job(&jobs->jobs[i]);
        }
        free(jobs->jobs);
        free(jobs);
    }
}

/* Hands over the flows of rank 'i' to its neighbours on the torus. */
static void
take_neighbours(const struct sf_job *job, uint32_t i, sf_take_flow *take,
                void *aux)
{
    uint32_t stride = 1;

    for (uint32_t k = job->n_dims; k-- > 0;) {
        uint32_t size = job->dims[k], at = i / stride % size;
        uint32_t base = i - at * stride;
        uint32_t up = base + (at + 1) % size * stride;
        uint32_t down = base + (at + size - 1) % size * stride;
        if (size > 1) {
            take(aux, job->hosts[i], job->hosts[up], 1 / job->unit);
        }
        if (size > 2) {
            take(aux, job->hosts[i], job->hosts[down], 1 / job->unit);
        }
        stride *= size;
    }
}

/* Hands over the flows of rank 'i' to all others. */
static void
take_others(const struct sf_job *job, uint32_t i, sf_take_flow *take,
            void *aux)
{
    for (uint32_t j = 0; j < job->n_hosts; j++) {
        if (j != i) {
            take(aux, job->hosts[i], job->hosts[j], 1 / job->unit);
        }
    }
}

/* Hands over the flow of rank 'i' to that 'by' further on. */
static void
take_shifted(const struct sf_job *job, uint32_t i, uint32_t by,
             sf_take_flow *take, void *aux)
{
    uint32_t to = (uint32_t)(((uint64_t)i + by) % job->n_hosts);

    if (to != i) {
        take(aux, job->hosts[i], job->hosts[to], 1 / job->unit);
    }
}

void
sf_job_each_flow(const struct sf_job *job, sf_take_flow *take, void *aux)
{
    for (size_t k = 0; k < job->n_pairs; k++) {
        const struct sf_flow *pair = &job->pairs[k];
        take(aux, pair->from, pair->to, pair->amount / job->unit);
    }
    for (uint32_t i = 0; i < job->n_hosts; i++) {
        if (job->kind == SF_PATTERN_RING) {
            take_shifted(job, i, 1, take, aux);
        } else if (job->kind == SF_PATTERN_SHIFT) {
            take_shifted(job, i, job->by, take, aux);
        } else if (job->kind == SF_PATTERN_STENCIL) {
            take_neighbours(job, i, take, aux);
        } else if (job->kind != SF_PATTERN_PAIRS) {
            take_others(job, i, take, aux);
        }
    }
}
