/* main.c -- runs the unit tests, or those whose names contain argv[1]. */
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

int
main(int argc, char **argv)
{
    volatile unsigned n_run = 0, n_failed = 0;

    setvbuf(stdout, NULL, _IOLBF, 0);
    puts("TAP version 13");
    for (struct test *volatile test = tests; test; test = test->next) {
        if (argc > 1 && !strstr(test->name, argv[1])) {
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
    printf("1..%u\n", n_run);
    return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
