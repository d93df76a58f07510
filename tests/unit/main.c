/* main.c -- runs the unit tests, or those whose names contain one of the
 * arguments.  The environment variable SLIMFLY_TESTS says which lengths:
 * "short" (the default), "long" or "all". */
#include "test.h"

#include <stdarg.h>
#include <stdlib.h>

static struct test *tests;
static jmp_buf escape;
static char failure[1024];

void
test_register(struct test *test)
{
    struct test **place = &tests;
    while (*place && strcmp((*place)->name, test->name) < 0) {
        place = &(*place)->next;
    }
    test->next = *place;
    *place = test;
}

void
test_fail(const char *file, int line, const char *format, ...)
{
    va_list args;
    int used = snprintf(failure, sizeof failure, "%s:%d: ", file, line);

    va_start(args, format);
    vsnprintf(failure + used, sizeof failure - (size_t)used, format, args);
    va_end(args);
    longjmp(escape, 1);
}

/* Whether 'test' is of a length that is asked for and its name contains one
 * of the 'n_parts' words, if there are any. */
static bool
is_wanted(const struct test *test, int n_parts, char **parts)
{
    const char *lengths = getenv("SLIMFLY_TESTS");
    bool is_named = n_parts == 0;

    lengths = lengths && *lengths ? lengths : "short";
    for (int i = 0; i < n_parts; i++) {
        is_named |= strstr(test->name, parts[i]) != NULL;
    }
    return is_named && (strcmp(lengths, "all") == 0 ||
                        test->is_long == (strcmp(lengths, "long") == 0));
}

int
main(int argc, char **argv)
{
    volatile unsigned n_run = 0, n_failed = 0;

    setvbuf(stdout, NULL, _IOLBF, 0);
    puts("TAP version 13");
    for (struct test *volatile test = tests; test; test = test->next) {
        if (!is_wanted(test, argc - 1, argv + 1)) {
            continue;
        }
        n_run++;
        if (setjmp(escape) == 0) {
            test->run();
            printf("ok %u - %s\n", n_run, test->name);
        } else {
            n_failed++;
            printf("not ok %u - %s\n# %s\n", n_run, test->name, failure);
        }
    }
    printf("1..%u%s\n", n_run, n_run ? "" : " # SKIP no case of this length");
    return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
