/* goal_read.c -- reads GOAL, line by line.
 *
 * Receives are not in the program: what requires one waits for the message
 * itself.  Only a receive that requires something becomes a computation of no
 * time, which joins its message with that, and another one before it if its
 * start matters.  Which message it gets is known at the end. */
#include "base/file.h"
#include "sim/workloads/goal.h"
#include "sim/workloads/goal_labels.h"
#include "sim/workloads/goal_match.h"
#include "sim/workloads/goal_replay.h"
#include "slimfly/graph.h"

#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_BYTES       UINT64_C(1000000000000000)
#define MAX_NANOSECONDS UINT64_C(1000000000000000000)
#define MAX_RANKS       (1u << 24)
#define MAX_LABEL       255

/* What a label stands for: the number of a message, or of a receive. */
#define IS_RECEIVE SF_GOAL_RECEIVE

struct reader {
    const char *path;
    struct sf_error *err;
    const uint32_t *hosts; /* [n_ranks] */
    uint32_t n_ranks;      /* That there are to be. */
    struct sf_program *program;

    uint32_t line;
    const char *at; /* Where it reads. */
    bool is_in_comment;
    bool has_ranks; /* num_ranks was read. */
    uint32_t rank;  /* SF_NONE: outside of ranks. */
    uint32_t rank_line;
    bool *is_read; /* [n_ranks] */
    struct sf_labels labels;
    struct sf_goal_ends sends, receives;
    struct sf_goal_waits late; /* In which receives take part. */
    uint32_t base;             /* What the program had before. */
    size_t first_wait;
    uint32_t sought; /* A message to be found, counted from 'base'; SF_NONE. */
    uint32_t sought_line; /* Its line; 0: not found. */
};

static enum sf_status
fail_memory(struct reader *reader)
{
    return sf_fail(reader->err, SF_ENOMEM, "%s: out of memory for a program",
                   reader->path);
}

/* Fails at what is read next. */
static enum sf_status __attribute__((format(printf, 2, 3)))
fail_here(struct reader *reader, const char *format, ...)
{
    char expected[128];
    int length = (int)strcspn(reader->at, " \t\r;{}");
    va_list args;

    va_start(args, format);
    vsnprintf(expected, sizeof expected, format, args);
    va_end(args);
    if (length == 0 && *reader->at && *reader->at != '\r') {
        length = 1;
    }
    return length ? sf_fail(reader->err, SF_EPARSE,
                            "%s:%u: expected %s, found '%.*s'", reader->path,
                            reader->line, expected, length < 40 ? length : 40,
                            reader->at)
                  : sf_fail(reader->err, SF_EPARSE,
                            "%s:%u: expected %s, found the end of the line",
                            reader->path, reader->line, expected);
}

static bool
is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Skips blanks and comments. */
static void
skip(struct reader *reader)
{
    const char *at = reader->at;

    for (;;) {
        if (reader->is_in_comment) {
            const char *end = strstr(at, "*/");
            reader->is_in_comment = !end;
            at = end ? end + 2 : at + strlen(at);
        }
        while (is_blank(*at)) {
            at++;
        }
        if (at[0] == '/' && at[1] == '/') {
            at += strlen(at);
        } else if (at[0] == '/' && at[1] == '*') {
            reader->is_in_comment = true;
            at += 2;
        }
        if (!reader->is_in_comment || !*at) {
            reader->at = at;
            return;
        }
    }
}

/* Whether a statement ends here. */
static bool
is_at_end(const struct reader *reader)
{
    return !*reader->at || *reader->at == ';' || *reader->at == '}';
}

static bool
is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The length of the word that starts here. */
static size_t
word_length(const struct reader *reader)
{
    const char *at = reader->at;

    if (!is_letter(*at)) {
        return 0;
    }
    while (is_letter(*at) || (*at >= '0' && *at <= '9') || *at == '_') {
        at++;
    }
    return (size_t)(at - reader->at);
}

/* Reads 'word' if it stands here as a whole. */
static bool
take_word(struct reader *reader, const char *word)
{
    size_t length = strlen(word);

    if (word_length(reader) != length ||
        memcmp(reader->at, word, length) != 0) {
        return false;
    }
    reader->at += length;
    skip(reader);
    return true;
}

/* Reads a number from 'min' to 'max'. */
static enum sf_status
take_number_from(struct reader *reader, const char *what, uint64_t min,
                 uint64_t max, uint64_t *numberp)
{
    const char *at = reader->at;
    uint64_t number = 0;

    for (; *at >= '0' && *at <= '9' && number <= max; at++) {
        number = 10 * number + (uint64_t)(*at - '0');
    }
    if (at == reader->at || number < min || number > max) {
        return fail_here(reader, "%s from %llu to %llu", what,
                         (unsigned long long)min, (unsigned long long)max);
    }
    reader->at = at;
    skip(reader);
    *numberp = number;
    return SF_OK;
}

/* Reads a number of at most 'max'. */
static enum sf_status
take_number(struct reader *reader, const char *what, uint64_t max,
            uint64_t *numberp)
{
    return take_number_from(reader, what, 0, max, numberp);
}

/* Reads how many ranks there are. */
static enum sf_status
take_ranks(struct reader *reader, uint64_t *np)
{
    return take_number_from(reader, "a number of ranks", 1, MAX_RANKS, np);
}

/* Reads the rest of "num_ranks N". */
static enum sf_status
read_ranks(struct reader *reader)
{
    uint64_t n = 0;
    const char *before = reader->at;
    enum sf_status status = take_ranks(reader, &n);

    if (status == SF_OK && reader->has_ranks) {
        reader->at = before;
        return fail_here(reader, "num_ranks once");
    }
    if (status == SF_OK && n != reader->n_ranks) {
        reader->at = before;
        return fail_here(reader, "%u ranks", reader->n_ranks);
    }
    reader->has_ranks = true;
    return status;
}

/* Reads the rest of "rank N {". */
static enum sf_status
begin_rank(struct reader *reader)
{
    const char *before = reader->at;
    uint64_t rank = 0;

    enum sf_status status =
        take_number(reader, "a rank", reader->n_ranks - 1, &rank);
    if (status != SF_OK) {
        return status;
    }
    if (reader->is_read[rank]) {
        reader->at = before;
        return fail_here(reader, "each rank once");
    }
    if (*reader->at != '{') {
        return fail_here(reader, "'{'");
    }
    reader->at++;
    reader->rank = (uint32_t)rank;
    reader->rank_line = reader->line;
    reader->is_read[rank] = true;
    return SF_OK;
}

/* Reads "-1", which stands for anything. */
static bool
take_any(struct reader *reader)
{
    if (strncmp(reader->at, "-1", 2) != 0) {
        return false;
    }
    reader->at += 2;
    skip(reader);
    return true;
}

/* What stands behind a send or a receive. */
struct options {
    uint64_t tag, cpu, nic;
};

static enum sf_status
read_tag(struct reader *reader, bool may_be_any, uint64_t *tag)
{
    if (may_be_any && take_any(reader)) {
        *tag = SF_GOAL_ANY;
        return SF_OK;
    }
    return take_number(reader, "a tag", SF_GOAL_ANY - 1, tag);
}

/* Reads what may follow: a tag, a CPU and a NIC, in this order; behind a
 * computation a CPU alone. */
static enum sf_status
read_options(struct reader *reader, bool is_calc, bool is_send,
             struct options *options)
{
    enum sf_status status = SF_OK;

    if (!is_calc && take_word(reader, "tag")) {
        status = read_tag(reader, !is_send, &options->tag);
    }
    if (status == SF_OK && take_word(reader, "cpu")) {
        status = take_number(reader, "a CPU", SF_MAX_CPUS - 1, &options->cpu);
    }
    if (status == SF_OK && !is_calc && take_word(reader, "nic")) {
        status = take_number(reader, "a NIC", UINT8_MAX, &options->nic);
    }
    if (status == SF_OK && !is_at_end(reader)) {
        status =
            fail_here(reader, is_calc ? "cpu or the end of the statement"
                                      : "tag, cpu and nic in this order or "
                                        "the end of the statement");
    }
    return status;
}

/* The host of the rank that is read. */
static uint32_t
own_host(const struct reader *reader)
{
    return reader->hosts[reader->rank];
}

/* Adds a computation. */
static bool
add_calc(struct reader *reader, uint64_t nanoseconds, uint32_t cpu)
{
    return sf_program_compute(reader->program, own_host(reader),
                              (double)nanoseconds * 1e-9,
                              nanoseconds ? cpu : SF_NO_CPU);
}

static enum sf_status
read_calc(struct reader *reader, uint32_t *valuep)
{
    struct options options = { 0 };
    uint64_t time = 0;
    enum sf_status status =
        take_number(reader, "nanoseconds", MAX_NANOSECONDS, &time);

    if (status == SF_OK) {
        status = read_options(reader, true, false, &options);
    }
    *valuep = (uint32_t)reader->program->messages.n;
    if (status == SF_OK && !add_calc(reader, time, (uint32_t)options.cpu)) {
        status = fail_memory(reader);
    }
    return status;
}

/* Adds a message to rank 'to'. */
static bool
add_send(struct reader *reader, uint64_t bytes, uint32_t to, uint32_t cpu)
{
    struct sf_program *program = reader->program;

    if (to == reader->rank) {
        return add_calc(reader, 0, 0);
    }
    if (!sf_program_send(program, own_host(reader), reader->hosts[to],
                         bytes ? bytes : 1, 0)) {
        return false;
    }
    program->messages.items[program->messages.n - 1].cpu = (uint16_t)cpu;
    return true;
}

/* Adds a send to 'peer', or a receive from it. */
static enum sf_status
add_end(struct reader *reader, bool is_send, uint64_t bytes, uint32_t peer,
        const struct options *options, uint32_t *valuep)
{
    struct sf_goal_end end = {
        .from = is_send ? reader->rank : peer,
        .to = is_send ? peer : reader->rank,
        .tag = (uint32_t)options->tag,
        .line = reader->line,
        .message = (uint32_t)reader->program->messages.n,
    };
    bool is_fine;

    if (is_send) {
        *valuep = end.message;
        is_fine = add_send(reader, bytes, peer, (uint32_t)options->cpu) &&
                  sf_vec_push(&reader->sends, end);
    } else {
        *valuep = (uint32_t)reader->receives.n | IS_RECEIVE;
        is_fine = sf_vec_push(&reader->receives, end);
    }
    return is_fine ? SF_OK : fail_memory(reader);
}

/* Reads the rest of "send Nb to N" and "recv Nb from N". */
static enum sf_status
read_end(struct reader *reader, bool is_send, uint32_t *valuep)
{
    struct options options = { 0 };
    uint64_t bytes = 0, peer = 0;
    enum sf_status status =
        take_number(reader, "a number of bytes", MAX_BYTES, &bytes);

    if (status == SF_OK && !take_word(reader, "b")) {
        return fail_here(reader, "'b' behind the number of bytes");
    }
    if (status == SF_OK && !take_word(reader, is_send ? "to" : "from")) {
        return fail_here(reader, is_send ? "'to'" : "'from'");
    }
    if (status == SF_OK && !is_send && take_any(reader)) {
        peer = SF_GOAL_ANY;
    } else if (status == SF_OK) {
        status = take_number(reader, "a rank", reader->n_ranks - 1, &peer);
    }
    if (status == SF_OK) {
        status = read_options(reader, false, is_send, &options);
    }
    return status == SF_OK ? add_end(reader, is_send, bytes, (uint32_t)peer,
                                     &options, valuep)
                           : status;
}

/* Notes the line of the message that was added last, if it is sought. */
static void
note_line(struct reader *reader, uint32_t line)
{
    if (reader->program->messages.n - reader->base ==
        (size_t)reader->sought + 1) {
        reader->sought_line = line;
    }
}

/* Reads an operation, whose label is 'length' bytes at 'label', if any. */
static enum sf_status
read_operation(struct reader *reader, const char *label, size_t length)
{
    size_t n_before = reader->program->messages.n;
    uint32_t value = 0;
    enum sf_status status;

    if (n_before >= IS_RECEIVE - 1 || reader->receives.n >= IS_RECEIVE - 1) {
        return sf_fail(reader->err, SF_ELIMIT,
                       "%s:%u: more operations than can be numbered",
                       reader->path, reader->line);
    }
    if (take_word(reader, "calc")) {
        status = read_calc(reader, &value);
    } else if (take_word(reader, "send")) {
        status = read_end(reader, true, &value);
    } else if (take_word(reader, "recv")) {
        status = read_end(reader, false, &value);
    } else {
        status = fail_here(reader, "calc, send or recv");
    }
    if (reader->program->messages.n > n_before) {
        note_line(reader, reader->line);
    }
    if (status == SF_OK && length > 0 &&
        !sf_labels_add(&reader->labels, label, length, value)) {
        status = fail_memory(reader);
    }
    return status;
}

/* Notes that 'after' waits for 'before'; both are values of labels. */
static enum sf_status
add_wait(struct reader *reader, uint32_t before, uint32_t after, bool is_start)
{
    struct sf_goal_wait late = { before, after, is_start };
    bool is_fine;

    if ((before | after) & IS_RECEIVE) {
        is_fine = sf_vec_push(&reader->late, late);
    } else {
        is_fine = is_start
                      ? sf_program_wait_start(reader->program, before, after)
                      : sf_program_wait(reader->program, before, after);
    }
    return is_fine ? SF_OK : fail_memory(reader);
}

/* Reads the label that another one waits for. */
static enum sf_status
read_wait(struct reader *reader, uint32_t after, bool is_start)
{
    size_t length = word_length(reader);
    const uint32_t *before =
        sf_labels_find(&reader->labels, reader->at, length);

    if (!before) {
        return fail_here(reader, "a label that stands above in this rank");
    }
    reader->at += length;
    skip(reader);
    return add_wait(reader, *before, after, is_start);
}

/* Reads a statement that starts with a label: "l1: ..." or "l2 requires l1".
 */
static enum sf_status
read_labelled(struct reader *reader)
{
    const char *label = reader->at;
    size_t length = word_length(reader);
    const uint32_t *found = sf_labels_find(&reader->labels, label, length);

    if (length > MAX_LABEL) {
        return fail_here(reader, "a label of at most %d letters", MAX_LABEL);
    }
    reader->at += length;
    skip(reader);
    if (*reader->at == ':') {
        if (found) {
            reader->at = label;
            return fail_here(reader, "a label that is not there yet");
        }
        reader->at++;
        skip(reader);
        return read_operation(reader, label, length);
    }
    bool is_start = take_word(reader, "irequires");
    if (!is_start && !take_word(reader, "requires")) {
        return fail_here(reader, "':', requires or irequires");
    }
    if (!found) {
        reader->at = label;
        return fail_here(reader, "a label that stands above in this rank");
    }
    return read_wait(reader, *found, is_start);
}

static bool
is_operation(const struct reader *reader)
{
    size_t length = word_length(reader);

    return length == 4 &&
           (!memcmp(reader->at, "calc", 4) || !memcmp(reader->at, "send", 4) ||
            !memcmp(reader->at, "recv", 4));
}

/* Reads a statement inside of a rank. */
static enum sf_status
read_inside(struct reader *reader)
{
    enum sf_status status;

    if (*reader->at == '}') {
        reader->at++;
        reader->rank = SF_NONE;
        sf_labels_forget(&reader->labels);
        return SF_OK;
    }
    if (is_operation(reader)) {
        status = read_operation(reader, NULL, 0);
    } else if (word_length(reader) > 0) {
        status = read_labelled(reader);
    } else {
        status = fail_here(reader, "a label, calc, send, recv or '}'");
    }
    return status == SF_OK && !is_at_end(reader)
               ? fail_here(reader, "the end of the statement")
               : status;
}

static enum sf_status
read_statement(struct reader *reader)
{
    if (reader->rank != SF_NONE) {
        return read_inside(reader);
    }
    if (take_word(reader, "num_ranks")) {
        return read_ranks(reader);
    }
    return reader->has_ranks && take_word(reader, "rank")
               ? begin_rank(reader)
               : fail_here(reader, reader->has_ranks ? "rank" : "num_ranks");
}

/* Fails to end the reading once what is sought is found. */
static enum sf_status
take_line(void *aux, uint32_t line, char *text)
{
    struct reader *reader = aux;
    enum sf_status status = SF_OK;

    reader->line = line;
    reader->at = text;
    skip(reader);
    while (status == SF_OK && *reader->at) {
        if (*reader->at == ';') {
            reader->at++;
        } else {
            status = read_statement(reader);
        }
        if (status == SF_OK) {
            skip(reader);
        }
    }
    return status == SF_OK && reader->sought_line ? SF_EPARSE : status;
}

/* How a receive is part of the program. */
struct lowered {
    uint32_t join; /* SF_NONE: its message is all. */
    uint32_t post; /* SF_NONE: nobody waits for its start. */
    bool waits, is_awaited;
};

/* Adds the computations that stand for receive 'i'. */
static bool
lower(struct reader *reader, uint32_t i, struct lowered *lowered)
{
    struct sf_program *program = reader->program;
    const struct sf_goal_end *receive = &reader->receives.items[i];
    uint32_t host = reader->hosts[receive->to];

    lowered->join = lowered->post = SF_NONE;
    if (!lowered->waits) {
        return true;
    }
    lowered->join = (uint32_t)program->messages.n;
    if (!sf_program_compute(program, host, 0, SF_NO_CPU) ||
        !sf_program_wait(program, receive->message, lowered->join)) {
        return false;
    }
    note_line(reader, receive->line);
    if (!lowered->is_awaited) {
        return true;
    }
    lowered->post = (uint32_t)program->messages.n;
    if (!sf_program_compute(program, host, 0, SF_NO_CPU) ||
        !sf_program_wait(program, lowered->post, lowered->join)) {
        return false;
    }
    note_line(reader, receive->line);
    return true;
}

/* Adds a wait in which receives take part. */
static bool
add_late(struct reader *reader, const struct lowered *lowered,
         const struct sf_goal_wait *wait)
{
    uint32_t before = wait->before, after = wait->after;
    bool is_start = wait->is_start;

    if (after & IS_RECEIVE) {
        const struct lowered *waits = &lowered[after & ~IS_RECEIVE];
        after = waits->post != SF_NONE ? waits->post : waits->join;
    }
    if (before & IS_RECEIVE) {
        uint32_t i = before & ~IS_RECEIVE;
        if (is_start && lowered[i].post == SF_NONE) {
            return true; /* It is posted from the beginning. */
        }
        before = is_start ? lowered[i].post
                 : lowered[i].join != SF_NONE
                     ? lowered[i].join
                     : reader->receives.items[i].message;
        is_start = false;
    }
    return is_start ? sf_program_wait_start(reader->program, before, after)
                    : sf_program_wait(reader->program, before, after);
}

/* Makes messages of receives, which know theirs. */
static bool
lower_all(struct reader *reader, struct lowered *lowered)
{
    bool is_fine = true;

    for (size_t i = 0; i < reader->late.n; i++) {
        const struct sf_goal_wait *wait = &reader->late.items[i];
        if (wait->after & IS_RECEIVE) {
            lowered[wait->after & ~IS_RECEIVE].waits = true;
        }
        if (wait->is_start && wait->before & IS_RECEIVE) {
            lowered[wait->before & ~IS_RECEIVE].is_awaited = true;
        }
    }
    for (uint32_t i = 0; is_fine && i < reader->receives.n; i++) {
        is_fine = lower(reader, i, &lowered[i]);
    }
    for (size_t i = 0; is_fine && i < reader->late.n; i++) {
        is_fine = add_late(reader, lowered, &reader->late.items[i]);
    }
    return is_fine;
}

/* Tells receives their messages. */
static enum sf_status
match(struct reader *reader)
{
    struct sf_goal_read read = {
        .program = reader->program,
        .base = reader->base,
        .first_wait = reader->first_wait,
        .sends = &reader->sends,
        .waits = &reader->late,
        .n_ranks = reader->n_ranks,
        .path = reader->path,
    };

    return sf_goal_is_open(&reader->receives)
               ? sf_goal_replay(&read, &reader->receives, reader->err)
               : sf_goal_match(&reader->sends, &reader->receives, reader->path,
                               reader->err);
}

/* All lines are read. */
static enum sf_status
finish(struct reader *reader)
{
    if (reader->rank != SF_NONE) {
        return sf_fail(reader->err, SF_EPARSE,
                       "%s:%u: expected '}' for rank %u, which starts there, "
                       "found the end of the file",
                       reader->path, reader->rank_line, reader->rank);
    }
    if (!reader->has_ranks) {
        return sf_fail(reader->err, SF_EPARSE,
                       "%s:1: expected num_ranks, found the end of the file",
                       reader->path);
    }
    enum sf_status status = match(reader);
    if (status != SF_OK) {
        return status;
    }
    struct lowered *lowered = sf_calloc(reader->receives.n, sizeof *lowered);
    bool is_fine = lowered && lower_all(reader, lowered);
    free(lowered);
    return is_fine ? SF_OK : fail_memory(reader);
}

/* Reads a file, or 'text' if that is there. */
static enum sf_status
read_all(struct reader *reader, char *text, size_t length)
{
    enum sf_status status;

    reader->rank = SF_NONE;
    reader->base = (uint32_t)reader->program->messages.n;
    reader->first_wait = reader->program->waits.n;
    reader->is_read = sf_calloc(reader->n_ranks, sizeof *reader->is_read);
    if (!reader->is_read) {
        return fail_memory(reader);
    }
    status = text
                 ? sf_text_lines(text, length, reader->path, take_line, reader,
                                 reader->err)
                 : sf_file_lines(reader->path, take_line, reader, reader->err);
    if (status == SF_OK) {
        status = finish(reader);
    }
    free(reader->is_read);
    sf_labels_clear(&reader->labels);
    free(reader->sends.items);
    free(reader->receives.items);
    free(reader->late.items);
    return status;
}

enum sf_status
sf_goal_read(const char *path, const uint32_t *hosts, uint32_t n_ranks,
             struct sf_program *program, struct sf_error *err)
{
    struct reader reader = { .path = path,
                             .err = err,
                             .hosts = hosts,
                             .n_ranks = n_ranks,
                             .program = program,
                             .sought = SF_NONE };
    return read_all(&reader, NULL, 0);
}

enum sf_status
sf_goal_parse(char *text, size_t length, const char *path,
              const uint32_t *hosts, uint32_t n_ranks,
              struct sf_program *program, struct sf_error *err)
{
    struct reader reader = { .path = path,
                             .err = err,
                             .hosts = hosts,
                             .n_ranks = n_ranks,
                             .program = program,
                             .sought = SF_NONE };
    return read_all(&reader, text, length);
}

enum sf_status
sf_goal_find(const char *path, const uint32_t *hosts, uint32_t n_ranks,
             uint32_t number, uint32_t *linep, struct sf_error *err)
{
    struct sf_program program = { 0 };
    struct reader reader = { .path = path,
                             .err = err,
                             .hosts = hosts,
                             .n_ranks = n_ranks,
                             .program = &program,
                             .sought = number };
    enum sf_status status = read_all(&reader, NULL, 0);

    sf_program_clear(&program);
    *linep = reader.sought_line;
    if (reader.sought_line) {
        return SF_OK;
    }
    return status != SF_OK
               ? status
               : sf_fail(err, SF_EPARSE,
                         "%s: it has changed since it was read", path);
}

/* Reads up to num_ranks; then it fails to end the reading. */
static enum sf_status
take_first(void *aux, uint32_t line, char *text)
{
    struct reader *reader = aux;
    uint64_t n = 0;

    reader->line = line;
    reader->at = text;
    skip(reader);
    if (!*reader->at) {
        return SF_OK;
    }
    if (!take_word(reader, "num_ranks")) {
        return fail_here(reader, "num_ranks");
    }
    enum sf_status status = take_ranks(reader, &n);
    if (status == SF_OK) {
        reader->n_ranks = (uint32_t)n;
        reader->has_ranks = true;
    }
    return SF_EPARSE;
}

/* Whether 'path' is a pipe, a terminal or the like, as of 'goal:<(zcat F)'. */
static bool
is_stream(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && !S_ISREG(status.st_mode) &&
           !S_ISDIR(status.st_mode);
}

enum sf_status
sf_goal_count(const char *path, uint32_t *n_ranksp, struct sf_error *err)
{
    struct reader reader = { .path = path, .err = err };

    if (!strcmp(path, "-") || is_stream(path)) {
        return sf_fail(err, SF_EINVAL,
                       "goal:%s: expected the name of a file; a program is "
                       "read more than once",
                       path);
    }
    enum sf_status status = sf_file_lines(path, take_first, &reader, err);
    *n_ranksp = reader.n_ranks;
    if (reader.has_ranks) {
        return SF_OK;
    }
    return status != SF_OK
               ? status
               : sf_fail(err, SF_EPARSE,
                         "%s:1: expected num_ranks, found the end of the file",
                         path);
}
