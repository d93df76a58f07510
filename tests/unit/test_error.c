/* test_error.c -- sentences about what went wrong are safe to show. */
#include "slimfly/error.h"
#include "test.h"

#include <string.h>

/* Names from damaged files must not reach the terminal as they are. */
TEST(error_text_has_nothing_that_a_terminal_acts_on)
{
    static const struct {
        const char *found, *shown;
    } cases[] = {
        { "R\xc3\xa4"
          "cke \xe2\x88\x9a \xf0\x9f\x94\x8c",
          "R\xc3\xa4"
          "cke \xe2\x88\x9a \xf0\x9f\x94\x8c" },
        { "\x1b[2J\r\n\t\x7f", "?[2J????" },
        { "\x9b"
          "31m",
          "?31m" }, /* An 8-bit control, */
        { "\xc2\x9b"
          "31m",
          "?31m" }, /* and encoded. */
        /* Turns the direction. */
        /* NOLINTNEXTLINE(misc-misleading-bidirectional) */
        { "a\xe2\x80\xae"
          "b",
          "a?b" },
        { "\xff\xfe"
          "A",
          "??A" },                        /* Not UTF-8 at all. */
        { "\xc0\x8a|", "??|" },           /* Encoded too long. */
        { "\xed\xa0\x80|", "???|" },      /* A surrogate. */
        { "\xf7\xbf\xbf\xbf|", "????|" }, /* Beyond Unicode. */
        { "\xe2\x88", "??" },             /* Cut off. */
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sf_error err;
        CHECK_EQ(sf_fail(&err, SF_EPARSE, "%s", cases[i].found), SF_EPARSE);
        CHECK_STR(err.text, cases[i].shown);
        sf_fail(&err, SF_EPARSE, "expected text");
        sf_error_add_context(&err, cases[i].found);
        size_t length = strlen(cases[i].shown);
        CHECK(!strncmp(err.text, cases[i].shown, length));
        CHECK_STR(err.text + length, ": expected text");
    }
}

TEST(error_text_that_is_cut_ends_with_a_whole_character)
{
    char found[2 * SF_ERROR_TEXT_SIZE + 1];
    struct sf_error err;

    for (size_t i = 0; i + 1 < sizeof found; i++) {
        found[i] = i % 2 ? '\xa4' : '\xc3';
    }
    found[sizeof found - 1] = '\0';
    sf_fail(&err, SF_EPARSE, "%s", found);
    CHECK_EQ(strlen(err.text), SF_ERROR_TEXT_SIZE - 1);
    CHECK(!strncmp(err.text, found, SF_ERROR_TEXT_SIZE - 2));
    CHECK_EQ(err.text[SF_ERROR_TEXT_SIZE - 2], '?');
}
