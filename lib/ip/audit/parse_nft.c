/* parse_nft.c -- reading the rules for lanes: which chain a turn goes to, and
 * which mark that chain gives. */
#include "ip/audit/held.h"

#include <string.h>

#define MAX_CHAINS 16

struct nft {
    const struct sf_ip_reader *reader;
    char *at;
    uint32_t line;
    char word[64]; /* The last one: a name, a number, a text without its
                    * quotes, or one other character. */
    bool is_end;
    char chains[MAX_CHAINS][64];
    uint32_t marks[MAX_CHAINS];
    uint32_t n_chains;
};

static bool
is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '@';
}

/* Reads the next word. */
static void
next(struct nft *nft)
{
    size_t n = 0;

    while (*nft->at == ' ' || *nft->at == '\t' || *nft->at == '\n' ||
           *nft->at == '#') {
        if (*nft->at == '#') {
            nft->at += strcspn(nft->at, "\n");
        } else {
            nft->line += *nft->at++ == '\n';
        }
    }
    nft->is_end = *nft->at == '\0';
    if (*nft->at == '"') {
        for (nft->at++; *nft->at && *nft->at != '"' && *nft->at != '\n';) {
            nft->word[n] = *nft->at++;
            n += n < sizeof nft->word - 1;
        }
        nft->at += *nft->at == '"';
    } else if (is_plain(*nft->at)) {
        while (is_plain(*nft->at)) {
            nft->word[n] = *nft->at++;
            n += n < sizeof nft->word - 1;
        }
    } else if (*nft->at) {
        nft->word[n++] = *nft->at++;
    }
    nft->word[n] = '\0';
}

static bool
is(const struct nft *nft, const char *word)
{
    return strcmp(nft->word, word) == 0;
}

static enum sf_status
expected(const struct nft *nft, const char *what)
{
    return sf_fail(nft->reader->err, SF_EPARSE,
                   "%s:%u: expected %s, found '%s'", nft->reader->path,
                   nft->line, what, nft->is_end ? "the end" : nft->word);
}

/* Takes a word that must come now, and reads on. */
static enum sf_status
take(struct nft *nft, const char *word)
{
    if (!is(nft, word)) {
        char what[80];
        (void)snprintf(what, sizeof what, "'%s'", word);
        return expected(nft, what);
    }
    next(nft);
    return SF_OK;
}

/* Takes several words, separated by blanks. */
static enum sf_status
take_all(struct nft *nft, const char *words)
{
    enum sf_status status = SF_OK;
    char word[32];

    while (status == SF_OK && *words) {
        size_t n = strcspn(words, " ");
        (void)snprintf(word, sizeof word, "%.*s", (int)n, words);
        status = take(nft, word);
        words += n + (words[n] == ' ');
    }
    return status;
}

static enum sf_status
take_number(struct nft *nft, uint32_t *numberp)
{
    enum sf_status status =
        sf_ip_read_number(nft->reader, nft->line, nft->word, numberp);

    if (status == SF_OK && *numberp >= SF_IP_MARKS) {
        status = expected(nft, "a DSCP below 64");
    }
    if (status == SF_OK) {
        next(nft);
    }
    return status;
}

/* The mark of a chain; SF_IP_MARKS if there is none of that name. */
static uint32_t
mark_of(const struct nft *nft, const char *chain)
{
    for (uint32_t i = 0; i < nft->n_chains; i++) {
        if (strcmp(nft->chains[i], chain) == 0) {
            return nft->marks[i];
        }
    }
    return SF_IP_MARKS;
}

/* "ip dscp set N ip6 dscp set N", the same N. */
static enum sf_status
take_mark(struct nft *nft, const char *chain)
{
    uint32_t first, second = 0;
    enum sf_status status = take_all(nft, "ip dscp set");

    status = status == SF_OK ? take_number(nft, &first) : status;
    status = status == SF_OK ? take_all(nft, "ip6 dscp set") : status;
    status = status == SF_OK ? take_number(nft, &second) : status;
    if (status == SF_OK && (first != second || nft->n_chains == MAX_CHAINS)) {
        status = expected(nft, "the same DSCP for ip and ip6");
    }
    if (status == SF_OK) {
        (void)snprintf(nft->chains[nft->n_chains],
                       sizeof nft->chains[nft->n_chains], "%s", chain);
        nft->marks[nft->n_chains++] = first;
    }
    return status;
}

/* One turn: '"IN" . "OUT" : goto CHAIN'. */
static enum sf_status
take_turn(struct nft *nft)
{
    const struct sf_ip_reader *reader = nft->reader;
    struct sf_ip_marks *marks = reader->aux;
    uint32_t in = sf_ip_read_port(reader, nft->line, nft->word);

    if (!in) {
        return SF_EPARSE;
    }
    next(nft);
    enum sf_status status = take(nft, ".");
    uint32_t out =
        status == SF_OK ? sf_ip_read_port(reader, nft->line, nft->word) : 0;
    if (!out) {
        return SF_EPARSE;
    }
    next(nft);
    status = take_all(nft, ": goto");
    uint32_t mark = mark_of(nft, nft->word);
    if (status == SF_OK && mark == SF_IP_MARKS) {
        return expected(nft, "a chain that sets a mark");
    }
    marks->marks[in * (reader->n_ports + 1) + out] = (uint8_t)mark;
    next(nft);
    return status;
}

static enum sf_status
take_turns(struct nft *nft)
{
    enum sf_status status = take_all(nft, "iifname . oifname vmap {");

    while (status == SF_OK && !is(nft, "}")) {
        status = take_turn(nft);
        if (status == SF_OK && is(nft, ",")) {
            next(nft);
        } else if (status == SF_OK && !is(nft, "}")) {
            status = expected(nft, "',' or '}'");
        }
    }
    status = status == SF_OK ? take_all(nft, "} goto lossy") : status;
    if (status == SF_OK && mark_of(nft, "lossy") != 0) {
        status = expected(nft, "a chain lossy that sets DSCP 0");
    }
    return status;
}

/* "FAMILY dscp { N, N } goto turns". */
static enum sf_status
take_lanes(struct nft *nft, const char *family, bool *is_lane)
{
    uint32_t mark;
    enum sf_status status = take(nft, family);

    status = status == SF_OK ? take_all(nft, "dscp {") : status;
    while (status == SF_OK && !is(nft, "}")) {
        status = take_number(nft, &mark);
        if (status == SF_OK) {
            is_lane[mark] = true;
        }
        if (status == SF_OK && is(nft, ",")) {
            next(nft);
        }
    }
    return status == SF_OK ? take_all(nft, "} goto turns") : status;
}

static enum sf_status
take_forward(struct nft *nft)
{
    struct sf_ip_marks *marks = nft->reader->aux;
    bool other[SF_IP_MARKS] = { false };
    enum sf_status status =
        take_all(nft, "type filter hook forward priority mangle");

    if (status == SF_OK) {
        status = take_lanes(nft, "ip", marks->is_lane);
    }
    if (status == SF_OK) {
        status = take_lanes(nft, "ip6", other);
    }
    if (status == SF_OK &&
        (memcmp(other, marks->is_lane, sizeof other) != 0 || other[0])) {
        status = expected(nft, "the same marks for ip and ip6, without 0");
    }
    marks->is_there = status == SF_OK;
    return status;
}

static enum sf_status
take_chain(struct nft *nft)
{
    char name[64];
    enum sf_status status = take(nft, "chain");

    (void)snprintf(name, sizeof name, "%s", nft->word);
    next(nft);
    status = status == SF_OK ? take(nft, "{") : status;
    if (status == SF_OK) {
        status = !strcmp(name, "turns")     ? take_turns(nft)
                 : !strcmp(name, "forward") ? take_forward(nft)
                                            : take_mark(nft, name);
    }
    return status == SF_OK ? take(nft, "}") : status;
}

enum sf_status
sf_ip_parse_nft(struct sf_ip_reader *reader, char *text, size_t length)
{
    struct nft nft = { .reader = reader, .at = text, .line = 1 };

    if (strlen(text) != length) {
        return sf_fail(reader->err, SF_EPARSE, "%s: has a zero byte",
                       reader->path);
    }
    next(&nft);
    enum sf_status status = take_all(
        &nft, "table inet slimfly_lanes delete table inet slimfly_lanes table "
              "inet slimfly_lanes {");
    while (status == SF_OK && !is(&nft, "}")) {
        status = take_chain(&nft);
    }
    if (status == SF_OK) {
        next(&nft);
    }
    const struct sf_ip_marks *marks = reader->aux;
    if (status == SF_OK && (!nft.is_end || !marks->is_there)) {
        status =
            expected(&nft, "a chain forward, and nothing after the table");
    }
    return status;
}
