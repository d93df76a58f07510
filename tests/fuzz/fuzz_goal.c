/* fuzz_goal.c -- any bytes as a program in GOAL: no crash, an error says
 * something, and a program that was read is written so that it is read as the
 * same. */
#include "fuzz.h"
#include "sim/workloads/goal.h"

#include <stdio.h>

#define N_RANKS 4

static const uint32_t hosts[N_RANKS] = { 0, 1, 2, 3 };

/* Reads and ends a program; false if it cannot be. */
static bool
read_program(const uint8_t *data, size_t size, struct sf_program *program)
{
    struct sf_error err = { 0 };
    char *text = fuzz_text(data, size);
    enum sf_status status =
        sf_goal_parse(text, size, "fuzz", hosts, N_RANKS, program, &err);

    if (status == SF_OK) {
        status = sf_program_end(program, N_RANKS, &err);
    }
    if (status != SF_OK && !err.text[0]) {
        abort();
    }
    free(text);
    return status == SF_OK;
}

/* Writes a program, which cannot fail. */
static char *
write_program(const struct sf_program *program, size_t *size)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, size);

    if (!stream ||
        sf_goal_write(program, hosts, N_RANKS, stream, NULL) != SF_OK ||
        fclose(stream) != 0) {
        abort();
    }
    return text;
}

/* Reads what was written; returns what is written of that. */
static char *
write_again(const char *text, size_t *size)
{
    struct sf_program program = { 0 };

    if (!read_program((const uint8_t *)text, *size, &program)) {
        abort();
    }
    char *again = write_program(&program, size);
    sf_program_clear(&program);
    return again;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sf_program program = { 0 };

    if (read_program(data, size, &program)) {
        size_t length;
        char *once = write_program(&program, &length);
        char *twice = write_again(once, &length);
        char *thrice = write_again(twice, &length);
        if (strcmp(twice, thrice) != 0) {
            abort();
        }
        free(once);
        free(twice);
        free(thrice);
    }
    sf_program_clear(&program);
    return 0;
}
