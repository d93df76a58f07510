/* test_mem.c -- arrays, growable arrays and failure on demand; names of
 * files. */
#include "base/file.h"
#include "base/mem.h"
#include "helpers.h"
#include "test.h"

TEST(mem_vectors_grow)
{
    SF_VEC(uint64_t) vec = { 0 };

    for (uint64_t i = 0; i < 100000; i++) {
        CHECK(sf_vec_push(&vec, i * i));
        CHECK_EQ(vec.n, i + 1);
        CHECK(vec.n <= vec.capacity);
    }
    for (uint64_t i = 0; i < 100000; i++) {
        CHECK_EQ(vec.items[i], i * i);
    }
    free(vec.items);
}

TEST(mem_vectors_hold_structs)
{
    struct pair {
        char letter;
        double number;
    };
    SF_VEC(struct pair) vec = { 0 };

    for (int i = 0; i < 26; i++) {
        struct pair pair = { (char)('a' + i), i / 2.0 };
        CHECK(sf_vec_push(&vec, pair));
    }
    for (int i = 0; i < 26; i++) {
        CHECK_EQ(vec.items[i].letter, 'a' + i);
        CHECK_NEAR(vec.items[i].number, i / 2.0, 0.0);
    }
    free(vec.items);
}

TEST(mem_vector_is_unchanged_if_it_cannot_grow)
{
    SF_VEC(uint32_t) vec = { 0 };

    sf_mem_fail_at(1);
    CHECK(!sf_vec_push(&vec, 1));
    CHECK_EQ(vec.n, 0);
    CHECK(vec.items == NULL);
    sf_mem_fail_at(0);

    for (uint32_t i = 0; i < 10; i++) {
        CHECK(sf_vec_push(&vec, i));
    }
    while (vec.n < vec.capacity) {
        uint32_t next = (uint32_t)vec.n;
        CHECK(sf_vec_push(&vec, next));
    }
    size_t n = vec.n, capacity = vec.capacity;
    uint32_t *items = vec.items;
    sf_mem_fail_at(1);
    CHECK(!sf_vec_push(&vec, 99));
    sf_mem_fail_at(0);
    CHECK_EQ(vec.n, n);
    CHECK_EQ(vec.capacity, capacity);
    CHECK(vec.items == items);
    for (uint32_t i = 0; i < n; i++) {
        CHECK_EQ(vec.items[i], i);
    }
    CHECK(sf_vec_push(&vec, 99));
    CHECK_EQ(vec.items[n], 99);
    free(vec.items);
}

TEST(mem_zero_items_give_a_pointer)
{
    void *items = sf_calloc(0, 8);
    CHECK(items != NULL);
    items = sf_realloc(items, 0, 8);
    CHECK(items != NULL);
    free(items);
    items = sf_realloc(NULL, 0, 8);
    CHECK(items != NULL);
    free(items);
}

TEST(mem_calloc_zeroes)
{
    unsigned char *items = sf_calloc(1000, 3);
    CHECK(items != NULL);
    for (int i = 0; i < 3000; i++) {
        CHECK_EQ(items[i], 0);
    }
    free(items);
}

TEST(mem_sizes_that_overflow_fail)
{
    char *items = sf_strdup("kept");
    CHECK(items != NULL);
    CHECK(sf_calloc(SIZE_MAX / 2 + 2, 2) == NULL);
    CHECK(sf_realloc(items, SIZE_MAX / 4 + 2, 4) == NULL);
    CHECK_STR(items, "kept");
    free(items);
}

TEST(mem_realloc_keeps_and_strdup_copies)
{
    char *text = sf_strdup("slim");
    CHECK(text != NULL);
    CHECK_STR(text, "slim");
    text = sf_realloc(text, 2000, 1);
    CHECK(text != NULL);
    CHECK_STR(text, "slim");
    memset(text + 5, 'x', 1995);
    free(text);

    text = sf_strdup("");
    CHECK(text != NULL);
    CHECK_STR(text, "");
    free(text);
}

/* The 'nth' fails, those before and after it do not, whichever function it
 * is. */
TEST(mem_fail_at_fails_the_nth_allocation)
{
    for (unsigned long nth = 1; nth <= 6; nth++) {
        sf_mem_fail_at(nth);
        for (unsigned long i = 1; i <= 9; i++) {
            void *memory = i % 3 == 0   ? sf_calloc(4, 4)
                           : i % 3 == 1 ? sf_realloc(NULL, 4, 4)
                                        : (void *)sf_strdup("text");
            CHECK_FOR((memory == NULL) == (i == nth),
                      "to fail at %lu: allocation %lu", nth, i);
            free(memory);
        }
        sf_mem_fail_at(0);
    }
}

TEST(mem_fail_at_0_turns_it_off)
{
    sf_mem_fail_at(1);
    sf_mem_fail_at(0);
    for (int i = 0; i < 10; i++) {
        void *memory = sf_calloc(1, 1);
        CHECK(memory != NULL);
        free(memory);
    }
}

TEST(mem_realloc_that_fails_keeps_the_old)
{
    char *text = sf_strdup("kept");
    CHECK(text != NULL);
    sf_mem_fail_at(1);
    CHECK(sf_realloc(text, 100, 1) == NULL);
    sf_mem_fail_at(0);
    CHECK_STR(text, "kept");
    free(text);
}

TEST(mem_names_of_files_are_joined)
{
    static const char *const cases[][3] = {
        { "a", "b", "a/b" },     { "a/", "b", "a/b" }, { "/", "b", "/b" },
        { "a/b", "c", "a/b/c" }, { "", "b", "b" },     { ".", "b", "./b" },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char *path = sf_file_join(cases[i][0], cases[i][1]);
        CHECK_STR(path, cases[i][2]);
        free(path);
    }
}
