/* test.h -- a small frame for unit tests: each test is a function, each file
 * a suite, and the program prints TAP, one line a test.
 *
 *     TEST(graph_sorts_its_links)
 *     {
 *         CHECK_EQ(graph->links[0].a, 0u);
 *     }
 *
 * A failed check ends its test and says where; others go on.
 *
 * TEST_LONG() is for what takes more than a few seconds: 'make test' leaves
 * it out, 'make test-long' runs it. */
#ifndef SF_TEST_H
#define SF_TEST_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct test {
    const char *name;
    void (*run)(void);
    bool is_long;
    struct test *next;
};

/* Adds 'test' to the list; called before main(). */
void test_register(struct test *test);

/* Ends the running test with a message. */
_Noreturn void test_fail(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#define TEST(name_)      TEST_OF_LENGTH(name_, false)
#define TEST_LONG(name_) TEST_OF_LENGTH(name_, true)

#define TEST_OF_LENGTH(name_, is_long_)                             \
    static void test_##name_(void);                                 \
    __attribute__((constructor)) static void register_##name_(void) \
    {                                                               \
        static struct test test = { .name = #name_,                 \
                                    .run = test_##name_,            \
                                    .is_long = (is_long_) };        \
        test_register(&test);                                       \
    }                                                               \
    static void test_##name_(void)

#define CHECK(condition)                                               \
    do {                                                               \
        if (!(condition)) {                                            \
            test_fail(__FILE__, __LINE__, "not true: %s", #condition); \
        }                                                              \
    } while (0)

/* Like CHECK, with the case that failed, printf style. */
#define CHECK_FOR(condition, ...)                       \
    do {                                                \
        if (!(condition)) {                             \
            test_fail(__FILE__, __LINE__, __VA_ARGS__); \
        }                                               \
    } while (0)

#define CHECK_EQ(actual, expected)                                     \
    do {                                                               \
        unsigned long long a_ = (unsigned long long)(actual);          \
        unsigned long long e_ = (unsigned long long)(expected);        \
        if (a_ != e_) {                                                \
            test_fail(__FILE__, __LINE__, "%s is %llu, expected %llu", \
                      #actual, a_, e_);                                \
        }                                                              \
    } while (0)

#define CHECK_STR(actual, expected)                                        \
    do {                                                                   \
        const char *a_ = (actual), *e_ = (expected);                       \
        if (strcmp(a_, e_) != 0) {                                         \
            test_fail(__FILE__, __LINE__, "%s is \"%s\", expected \"%s\"", \
                      #actual, a_, e_);                                    \
        }                                                                  \
    } while (0)

#define CHECK_NEAR(actual, expected, tolerance)                        \
    do {                                                               \
        double a_ = (actual), e_ = (expected);                         \
        if (!(a_ >= e_ - (tolerance) && a_ <= e_ + (tolerance))) {     \
            test_fail(__FILE__, __LINE__, "%s is %.9g, expected %.9g", \
                      #actual, a_, e_);                                \
        }                                                              \
    } while (0)

#endif
