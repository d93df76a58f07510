/* test_jobs_file.c -- changes to a file of jobs, against a list that is kept
 * apart. */
#define _GNU_SOURCE
#include "base/mem.h"
#include "helpers.h"
#include "slimfly/jobs.h"
#include "slimfly/jobs_file.h"
#include "slimfly/jobs_report.h"
#include "slimfly/random.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define N_NAMES 8

static char *
read_back(const char *path)
{
    static char text[4096];
    FILE *file = fopen(path, "r");

    CHECK(file != NULL);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static void
remove_file(const struct temporary *file)
{
    char lock[80];

    snprintf(lock, sizeof lock, "%s.lock", file->name);
    unlink(lock);
    temporary_remove(file);
}

static enum sf_status
add(const char *path, const char *name, const char *pattern, const char *nodes,
    struct sf_error *err)
{
    struct sf_jobs_file *file = NULL;
    bool is_left;
    enum sf_status status = sf_jobs_file_open(path, true, &file, err);

    if (status == SF_OK) {
        status = sf_jobs_file_add(file, name, pattern, nodes, &is_left, err);
    }
    if (status == SF_OK) {
        status = sf_jobs_file_save(file, err);
    }
    sf_jobs_file_close(file);
    return status;
}

static bool
remove_job(const char *path, const char *name)
{
    struct sf_jobs_file *file;

    CHECK_EQ(sf_jobs_file_open(path, true, &file, NULL), SF_OK);
    bool is_there = sf_jobs_file_remove(file, name);
    CHECK_EQ(sf_jobs_file_save(file, NULL), SF_OK);
    sf_jobs_file_close(file);
    return is_there;
}

TEST(jobs_files_keep_what_is_not_ours)
{
    struct temporary file =
        temporary_write("# ours\n\nwrong line\n a  ring\tn[1-2] # fast");

    CHECK_EQ(chmod(file.name, 0640), 0);
    CHECK_EQ(add(file.name, "b", "unknown", "n[3-4]", NULL), SF_OK);
    CHECK_STR(read_back(file.name), "# ours\n\nwrong line\n a  ring\tn[1-2] # "
                                    "fast\nb unknown n[3-4]\n");
    CHECK_EQ(add(file.name, "a", "ring", "n[5-6]", NULL), SF_OK);
    CHECK(remove_job(file.name, "b"));
    CHECK(!remove_job(file.name, "wrong"));
    CHECK_STR(read_back(file.name), "# ours\n\nwrong line\na ring n[5-6]\n");
    /* One host: it takes its line away. */
    CHECK_EQ(add(file.name, "a", "ring", "n5", NULL), SF_OK);
    CHECK_STR(read_back(file.name), "# ours\n\nwrong line\n");
    struct stat found;
    CHECK_EQ(stat(file.name, &found), 0);
    CHECK_EQ(found.st_mode & 0777, 0640);
    remove_file(&file);
}

TEST(jobs_files_follow_a_list)
{
    struct temporary file = temporary_write("");
    char list[N_NAMES][32] = { "" }; /* What each job is, or "". */
    uint32_t order[N_NAMES] = { 0 }, n = 0;
    struct sf_random random;

    sf_random_init(&random, 1, 0);
    for (uint32_t i = 0; i < 300; i++) {
        uint32_t k = (uint32_t)sf_random_below(&random, N_NAMES);
        char name[8], nodes[16], expected[1024] = "";
        snprintf(name, sizeof name, "j%u", k);
        if (sf_random_below(&random, 2)) {
            snprintf(nodes, sizeof nodes, "n[0-%u]", i + 1);
            if (!list[k][0]) {
                order[n++] = k;
            }
            snprintf(list[k], sizeof list[k], "%s ring %s\n", name, nodes);
            CHECK_EQ(add(file.name, name, "ring", nodes, NULL), SF_OK);
        } else {
            CHECK_EQ(remove_job(file.name, name), list[k][0] != '\0');
            for (uint32_t j = 0; list[k][0] && j < n; j++) {
                if (order[j] == k) {
                    memmove(&order[j], &order[j + 1],
                            (--n - j) * sizeof *order);
                    list[k][0] = '\0';
                }
            }
        }
        for (uint32_t j = 0; j < n; j++) {
            append(expected, sizeof expected, list[order[j]]);
        }
        CHECK_STR(read_back(file.name), expected);
    }
    remove_file(&file);
}

TEST(jobs_files_refuse_what_is_no_job)
{
    static const struct {
        const char *name, *pattern, *nodes, *says;
    } cases[] = {
        { "", "ring", "n[1-2]", "expected the name of a job" },
        { "a b", "ring", "n[1-2]", "expected the name of a job" },
        { "#", "ring", "n[1-2]", "expected the name of a job" },
        { "a", "dance", "n[1-2]", "job a: expected all-to-all, ring" },
        { "a", "ring ring", "n[1-2]", "without blanks" },
        { "a", "ring#", "n[1-2]", "without blanks" },
        { "a", "shift:by=4", "n[1-2]", "no multiple of the 2 nodes" },
        { "a", "stencil:dims=2x2", "n[1-2]", "product is the 2 nodes" },
        { "a", "ring", "n[1-2", "job a: expected" },
        { "a", "ring", "n 1,n2", "names of hosts without blanks" },
        { "a", "ring", "", "job a: expected the name of a host" },
        { "a", "ring", "n[1-9999999]", "expected at most 1000000 hosts" },
        { "a", "ring", "m3,n[1-2],m[2-3]",
          "each host once, found 'm3' twice" },
        { "a\xff", "ring", "n[1-2]", "found the byte 0xff" },
        { "a", "pairs:file=\x1b", "n[1-2]", "found the byte 0x1b" },
        { "a", "ring", "n\x7f[1-2]", "found the byte 0x7f" },
    };
    struct temporary file = temporary_write("x ring n[1-2]\n");

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sf_error err = { 0 };
        CHECK_EQ(add(file.name, cases[i].name, cases[i].pattern,
                     cases[i].nodes, &err),
                 SF_EPARSE);
        CHECK_FOR(strstr(err.text, cases[i].says),
                  "\"%s\" does not say "
                  "\"%s\"",
                  err.text, cases[i].says);
        CHECK_STR(read_back(file.name), "x ring n[1-2]\n");
    }
    struct sf_error err = { 0 };
    CHECK_EQ(add("/no/such/folder/jobs", "a", "ring", "n[1-2]", &err), SF_EIO);
    CHECK(strstr(err.text, "/no/such/folder/jobs") != NULL);
    remove_file(&file);
}

TEST(comments_may_ask_for_patterns)
{
    static const struct {
        const char *comment, *pattern;
    } cases[] = {
        { "", NULL },
        { "(null)", NULL },
        { "slimfly:ring", "ring" },
        { "urgent slimfly:shift:by=40, please", "shift:by=40" },
        { "noslimfly:ring", NULL },
        { "noslimfly:ring;slimfly:unknown", "unknown" },
        { "slimfly:", NULL },
        { "slimfly: ring", NULL },
        { "slimfly:pairs:file=/etc/passwd", NULL },
        { "slimfly:ranks:file=a", NULL },
        { "slimfly:ri#ng", NULL },
        { "slimfly:0123456789abcdef", NULL }, /* Too long. */
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char pattern[16] = "";
        bool asks =
            sf_pattern_of_comment(cases[i].comment, pattern, sizeof pattern);
        CHECK_FOR(asks == (cases[i].pattern != NULL), "'%s'",
                  cases[i].comment);
        CHECK_STR(pattern, asks ? cases[i].pattern : "");
    }
}

static enum sf_status
sync_file(const char *path, const char *list, struct sf_error *err)
{
    struct sf_jobs_file *file = NULL;
    char copy[256];
    snprintf(copy, sizeof copy, "%s", list);
    enum sf_status status = sf_jobs_file_open(path, true, &file, err);

    if (status == SF_OK) {
        status = sf_jobs_file_sync(file, copy, strlen(copy), "squeue", err);
    }
    if (status == SF_OK) {
        status = sf_jobs_file_save(file, err);
    }
    sf_jobs_file_close(file);
    return status;
}

static const char listed[] = "1 n[1-2] (null)\n2  x slimfly:ring\n"
                             "3 n[3-5] slimfly:ring\n4 n6 slimfly:ring\n"
                             "5 n[7-8] slimfly:shift:by=2\n6 (null) y\n";

TEST(jobs_files_are_made_from_lists_of_squeue)
{
    struct temporary file = temporary_write("# ours\n9 ring n[1-2]\nwrong\n");
    struct sf_error err = { 0 };
    struct stat before, after;

    CHECK_EQ(sync_file(file.name, listed, NULL), SF_OK);
    CHECK_STR(read_back(file.name), "# ours\n1 unknown n[1-2]\n3 ring n[3-5]\n"
                                    "5 unknown n[7-8]\n");
    /* The same once more: not even the file is another. */
    CHECK_EQ(stat(file.name, &before), 0);
    CHECK_EQ(sync_file(file.name, listed, NULL), SF_OK);
    CHECK_EQ(stat(file.name, &after), 0);
    CHECK_EQ(before.st_ino, after.st_ino);
    CHECK_EQ(sync_file(file.name, "1 n[1-2]\n2 n[1-\n", &err), SF_EPARSE);
    CHECK(strstr(err.text, "squeue:2: job 2: expected") != NULL);
    CHECK_EQ(sync_file(file.name, "", NULL), SF_OK);
    CHECK_STR(read_back(file.name), "# ours\n");
    remove_file(&file);
}

/* Whether the allocation 'nth' of the work failed, which is noticed. */
static bool
fail_one(unsigned long nth, bool is_sync)
{
    static const char before[] = "# ours\n9 ring n[1-2]\n";
    struct temporary file = temporary_write(before);
    struct sf_error err = { 0 };

    sf_mem_fail_at(nth);
    enum sf_status status = is_sync
                                ? sync_file(file.name, listed, &err)
                                : add(file.name, "8", "ring", "n[3-4]", &err);
    void *memory = sf_calloc(1, 1);
    bool is_to_come = memory == NULL;
    free(memory);
    sf_mem_fail_at(0);
    /* Where a pattern cannot be checked, it counts as unknown. */
    CHECK(is_to_come ? status == SF_OK : status == SF_ENOMEM || is_sync);
    CHECK((status == SF_OK) == (strcmp(read_back(file.name), before) != 0));
    remove_file(&file);
    return !is_to_come;
}

TEST(jobs_files_stay_if_memory_runs_out)
{
    for (int is_sync = 0; is_sync < 2; is_sync++) {
        unsigned long nth = 1;
        while (fail_one(nth, is_sync)) {
            nth++;
        }
        CHECK(nth > 8);
    }
}

TEST(jobs_files_are_checked)
{
    struct temporary file =
        temporary_write("\n# x\n  # y\na ring n[1-2]\nb ring\nc dance n1\n");
    struct sf_jobs_file *jobs;
    struct sf_error err = { 0 };
    char expected[128];

    CHECK_EQ(sf_jobs_file_open(file.name, false, &jobs, NULL), SF_OK);
    CHECK_EQ(sf_jobs_file_check(jobs, file.name, &err), 2);
    snprintf(expected, sizeof expected,
             "%s:5: expected NAME PATTERN NODES, found 'b ring'", file.name);
    CHECK_STR(err.text, expected);
    sf_jobs_file_close(jobs);
    temporary_remove(&file);
    CHECK_EQ(sf_jobs_file_open(file.name, false, &jobs, NULL), SF_EIO);
    /* Nothing of a line that is no text is shown, nor is it lost. */
    file = temporary_write("\xef\xbb\xbf"
                           "a ring n[1-2]\nb\xff ring n[3-4]\n");
    CHECK_EQ(sf_jobs_file_open(file.name, false, &jobs, NULL), SF_OK);
    CHECK_EQ(sf_jobs_file_check(jobs, file.name, &err), 1);
    CHECK(strstr(err.text, ":2: expected text in UTF-8 without control") !=
          NULL);
    struct sf_jobs_line line;
    CHECK(sf_jobs_file_line(jobs, 0, &line));
    CHECK_STR(line.name, "a");
    CHECK(!sf_jobs_file_line(jobs, 1, &line));
    sf_jobs_file_close(jobs);
    CHECK(remove_job(file.name, "a"));
    CHECK_STR(read_back(file.name), "b\xff ring n[3-4]\n");
    remove_file(&file);
    /* Two of a name. */
    file = temporary_write("b ring n1\na ring n[1-2]\na ring n[3-4]\n");
    CHECK_EQ(sf_jobs_file_open(file.name, false, &jobs, NULL), SF_OK);
    CHECK_EQ(sf_jobs_file_check(jobs, file.name, &err), 1);
    CHECK(strstr(err.text, ":3: expected a name that no other job has, found "
                           "'a', as in line 2") != NULL);
    sf_jobs_file_close(jobs);
    temporary_remove(&file);
}
