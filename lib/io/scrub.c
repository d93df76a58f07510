/* scrub.c -- texts without secrets.  One pass from left to right: at each
 * place the rules are tried in turn, and the first that knows what stands
 * there copies or replaces it.  A rule looks at what is before only to find
 * the start of a word, so that the pass is linear but for the search of user
 * names. */
#define _GNU_SOURCE
#include "base/mem.h"
#include "slimfly/bundle.h"

#include <ctype.h>
#include <string.h>

#define REMOVED "[removed]"
#define A_USER  "[user]"
#define A_HOME  "[home]"

#define MIN_WEB_TOKEN 20
#define MIN_HEX       8 /* Digits of a number of letters alone. */
#define MAX_USER      64

struct scrubber {
    const struct sf_scrub *scrub;
    const char *text, *at, *end;
    bool is_after_key;    /* A key was named in this line. */
    const char *value_at; /* Where the value of a password begins that was
                           * named; NULL if there is none. */
    char name_quote;      /* What stands before that name, if it is one. */
    bool is_out_of_memory;
    SF_VEC(char) clean;
    uint32_t *n_removed;
};

/* Words that names of secrets contain, in small letters and without dashes. */
static const char *const keys[] = { "mkey",  "sakey", "cckey",
                                    "vskey", "bkey",  "n2nkey" };
static const char *const passwords[] = {
    "password",      "passwd",     "passphrase", "secret",    "token",
    "credential",    "apikey",     "authkey",    "accesskey", "privatekey",
    "authorization", "bearer",     "cookie",     "community", "psk",
    "passcode",      "privatepem",
};

const char *
sf_secret_name(enum sf_secret secret, uint32_t n)
{
    static const char *const names[SF_N_SECRETS][2] = {
        [SF_SECRET_KEY] = { "number after a key", "numbers after keys" },
        [SF_SECRET_PASSWORD] = { "password or token", "passwords or tokens" },
        [SF_SECRET_BLOCK] = { "block of PEM", "blocks of PEM" },
        [SF_SECRET_HOME] = { "home folder", "home folders" },
        [SF_SECRET_USER] = { "user name", "user names" },
    };
    return names[secret][n != 1];
}

static void
put(struct scrubber *s, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (!sf_vec_push(&s->clean, text[i])) {
            s->is_out_of_memory = true;
            return;
        }
    }
}

/* Goes on 'length' bytes with or without a copy. */
static void
copy(struct scrubber *s, size_t length)
{
    put(s, s->at, length);
    s->at += length;
}

static void
cut(struct scrubber *s, size_t length, const char *in_place,
    enum sf_secret kind)
{
    put(s, in_place, strlen(in_place));
    s->at += length;
    s->n_removed[kind]++;
}

static bool
is_alnum(char c)
{
    return isalnum((unsigned char)c) != 0;
}

static bool
is_in_name(char c)
{
    return is_alnum(c) || c == '_' || c == '-';
}

static bool
is_in_user(char c)
{
    return is_in_name(c) || c == '.' || c == '+';
}

static bool
is_here(const struct scrubber *s, const char *text)
{
    size_t length = strlen(text);
    return (size_t)(s->end - s->at) >= length && !memcmp(s->at, text, length);
}

/* How many bytes from here on satisfy 'holds'. */
static size_t
run_of(const struct scrubber *s, bool (*holds)(char c))
{
    const char *p = s->at;
    while (p < s->end && holds(*p)) {
        p++;
    }
    return (size_t)(p - s->at);
}

static bool
starts_word(const struct scrubber *s, bool (*holds)(char c))
{
    return holds(*s->at) && (s->at == s->text || !holds(s->at[-1]));
}

static size_t
rest_of_line(const struct scrubber *s)
{
    const char *newline = memchr(s->at, '\n', (size_t)(s->end - s->at));
    return (size_t)((newline ? newline : s->end) - s->at);
}

/* "-----BEGIN X-----" up to the line of its end.  If the beginning was cut
 * off, all before the end goes. */
static bool
cut_block(struct scrubber *s)
{
    static const char ending[] = "-----END ";

    if (is_here(s, ending)) {
        s->clean.n = 0;
        cut(s, rest_of_line(s), REMOVED, SF_SECRET_BLOCK);
        return true;
    }
    if (!is_here(s, "-----BEGIN ")) {
        return false;
    }
    const char *found =
        memmem(s->at, (size_t)(s->end - s->at), ending, sizeof ending - 1);
    const char *start = s->at;
    s->at = found ? found : s->end;
    s->at += rest_of_line(s);
    size_t length = (size_t)(s->at - start);
    s->at = start;
    cut(s, length, REMOVED, SF_SECRET_BLOCK);
    return true;
}

/* "://USER:PASSWORD@". */
static bool
cut_address(struct scrubber *s)
{
    const char *p = s->at + 3;

    if (!is_here(s, "://")) {
        return false;
    }
    while (p < s->end && *p != '@' && !strchr("/ \t\r\n\"'<>?#", *p)) {
        p++;
    }
    if (p == s->end || *p != '@') {
        return false;
    }
    size_t length = (size_t)(p - s->at) - 3;
    copy(s, 3);
    cut(s, length, REMOVED, SF_SECRET_PASSWORD);
    return true;
}

/* "/home/USER", and the home folder of who asks. */
static bool
cut_home(struct scrubber *s)
{
    static const char *const roofs[] = { "/home/", "/Users/" };
    const char *home = s->scrub->home;
    size_t length = home ? strlen(home) : 0;

    for (size_t i = 0; i < sizeof roofs / sizeof *roofs; i++) {
        if (is_here(s, roofs[i])) {
            copy(s, strlen(roofs[i]));
            length = run_of(s, is_in_user);
            if (length) {
                cut(s, length, A_USER, SF_SECRET_HOME);
            }
            return true;
        }
    }
    if (length < 2 || !is_here(s, home) ||
        (s->at + length < s->end && is_in_name(s->at[length]))) {
        return false;
    }
    cut(s, length, A_HOME, SF_SECRET_HOME);
    return true;
}

static bool
is_user(const struct scrubber *s, const char *name, size_t length)
{
    size_t low = 0, high = s->scrub->n_users;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const char *user = s->scrub->users[middle];
        int order = strncmp(user, name, length);
        order = order == 0 && user[length] ? 1 : order;
        if (order == 0) {
            return true;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return false;
}

/* A user name as a whole word: it may have dots and dashes in it, and these
 * may stand before and after it. */
static bool
cut_user(struct scrubber *s)
{
    if (!s->scrub->n_users || !starts_word(s, is_alnum)) {
        return false;
    }
    size_t length = 0;
    while (length < MAX_USER && s->at + length < s->end &&
           is_in_user(s->at[length])) {
        length++;
    }
    for (; length > 0; length--) {
        bool is_end = s->at + length == s->end || !is_alnum(s->at[length]);
        if (is_end && is_user(s, s->at, length)) {
            cut(s, length, A_USER, SF_SECRET_USER);
            return true;
        }
    }
    return false;
}

/* "USER@HOST": what is before the sign has been copied already. */
static bool
cut_before_at(struct scrubber *s)
{
    size_t n = s->clean.n;

    if (*s->at != '@' || s->at + 1 == s->end || !is_alnum(s->at[1])) {
        return false;
    }
    while (n > 0 && is_in_user(s->clean.items[n - 1])) {
        n--;
    }
    if (n == s->clean.n) {
        return false;
    }
    s->clean.n = n;
    cut(s, 0, A_USER, SF_SECRET_USER);
    copy(s, 1);
    return true;
}

/* The three parts of a web token, of which the first two are JSON. */
static bool
cut_web_token(struct scrubber *s)
{
    size_t length;

    if (!is_here(s, "eyJ") || !starts_word(s, is_in_user) ||
        (length = run_of(s, is_in_user)) < MIN_WEB_TOKEN) {
        return false;
    }
    cut(s, length, REMOVED, SF_SECRET_PASSWORD);
    return true;
}

/* Numbers in a line that names a key: words with a digit, and long numbers to
 * the base of 16. */
static bool
cut_number(struct scrubber *s)
{
    if (!s->is_after_key || !starts_word(s, is_alnum)) {
        return false;
    }
    size_t length = run_of(s, is_alnum), n_digits = 0, n_hex = 0;
    for (size_t i = 0; i < length; i++) {
        n_digits += isdigit((unsigned char)s->at[i]) != 0;
        n_hex += isxdigit((unsigned char)s->at[i]) != 0;
    }
    if (n_digits == 0 && (n_hex < length || length < MIN_HEX)) {
        return false;
    }
    cut(s, length, REMOVED, SF_SECRET_KEY);
    return true;
}

/* Whether 'name' contains one of 'words', dashes and case apart. */
static bool
contains(const char *name, size_t length, const char *const *words,
         size_t n_words)
{
    char plain[64];
    size_t n = 0;

    for (size_t i = 0; i < length && n + 1 < sizeof plain; i++) {
        if (is_alnum(name[i])) {
            plain[n++] = (char)tolower((unsigned char)name[i]);
        }
    }
    plain[n] = '\0';
    for (size_t i = 0; i < n_words; i++) {
        if (strstr(plain, words[i])) {
            return true;
        }
    }
    return false;
}

/* How long the list or the object is that begins here. */
static size_t
measure_list(const struct scrubber *s)
{
    int depth = 0;
    bool is_in_quotes = false;

    for (const char *p = s->at; p < s->end; p++) {
        if (*p == '\\') {
            p++;
        } else if (*p == '"') {
            is_in_quotes = !is_in_quotes;
        } else if (!is_in_quotes) {
            depth += (*p == '[' || *p == '{') - (*p == ']' || *p == '}');
            if (depth == 0) {
                return (size_t)(p + 1 - s->at);
            }
        }
    }
    return (size_t)(s->end - s->at);
}

/* How long the text is that begins here: up to 'quote', or else the rest of
 * the line; in JSON up to what ends a value there. */
static size_t
measure_text(const struct scrubber *s, char quote, bool is_json)
{
    size_t length = 0, most = rest_of_line(s);

    for (; length < most; length++) {
        char c = s->at[length];
        if (quote && c == '\\' && length + 1 < most) {
            length++;
        } else if (quote ? c == quote : is_json && c && strchr(",}]", c)) {
            break;
        }
    }
    return length;
}

/* The value behind the name of a password: "NAME = VALUE", "NAME: VALUE",
 * "NAME VALUE", '"NAME": "VALUE"'. */
static void
cut_value(struct scrubber *s)
{
    bool is_json = s->name_quote && *s->at == s->name_quote;
    const char *between = is_json ? " \t\r\n:=" : " \t:=.>";
    char quote = '\0';

    s->value_at = NULL;
    if (is_json) {
        copy(s, 1);
    }
    while (s->at < s->end && strchr(between, *s->at)) {
        copy(s, 1);
    }
    if (s->at < s->end && (*s->at == '"' || *s->at == '\'')) {
        quote = *s->at;
        copy(s, 1);
    }
    if (s->at == s->end) {
        return;
    }
    size_t length = !quote && (*s->at == '[' || *s->at == '{')
                        ? measure_list(s)
                        : measure_text(s, quote, is_json);
    if (length) {
        cut(s, length, REMOVED, SF_SECRET_PASSWORD);
    }
}

/* Looks whether a name of a secret begins here.  The name itself is left to
 * the other rules, as it may have that of a user in it. */
static void
look_for_name(struct scrubber *s)
{
    if (!starts_word(s, is_in_name)) {
        return;
    }
    size_t length = run_of(s, is_in_name);
    if (contains(s->at, length, keys, sizeof keys / sizeof *keys)) {
        s->is_after_key = true;
    }
    if (contains(s->at, length, passwords,
                 sizeof passwords / sizeof *passwords)) {
        s->value_at = s->at + length;
        s->name_quote = '\0';
        if (s->at > s->text && (s->at[-1] == '"' || s->at[-1] == '\'')) {
            s->name_quote = s->at[-1];
        }
    }
}

/* Takes what stands here, by one of the rules. */
static void
scrub_next(struct scrubber *s)
{
    static bool (*const rules[])(struct scrubber *) = {
        cut_block, cut_address,   cut_home,      cut_number,
        cut_user,  cut_before_at, cut_web_token,
    };

    if (s->value_at && s->at >= s->value_at) {
        cut_value(s);
        return;
    }
    look_for_name(s);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (rules[i](s)) {
            return;
        }
    }
    s->is_after_key = s->is_after_key && *s->at != '\n';
    copy(s, 1);
}

enum sf_status
sf_scrub_text(const struct sf_scrub *scrub, const char *text, size_t length,
              char **cleanp, size_t *lengthp, uint32_t n_removed[SF_N_SECRETS],
              struct sf_error *err)
{
    struct scrubber s = { .scrub = scrub,
                          .text = text,
                          .at = text,
                          .end = text + length,
                          .n_removed = n_removed };

    *cleanp = NULL;
    *lengthp = 0;
    while (s.at < s.end && !s.is_out_of_memory) {
        scrub_next(&s);
    }
    if (s.is_out_of_memory || !sf_vec_push(&s.clean, '\0')) {
        free(s.clean.items);
        return sf_fail(err, SF_ENOMEM,
                       "out of memory for a text without "
                       "secrets");
    }
    *cleanp = s.clean.items;
    *lengthp = s.clean.n - 1;
    return SF_OK;
}
