/* test_results.c -- the page of results where memory runs out.  What is on it
 * is tested from outside, in tests/cli/test_report.py. */
#define _GNU_SOURCE
#include "base/mem.h"
#include "helpers.h"
#include "slimfly/plan_files.h"
#include "slimfly/results.h"
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

#define MAX_ALLOCATIONS 5000

/* A folder with a plan, a simulation and a figure. */
struct folder {
    char path[64];
};

static const char *const names[] = { "plan.json", "simulation.json",
                                     "load.svg" };

static FILE *
open_file(const struct folder *folder, const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder->path, name);
    FILE *stream = fopen(path, "w");
    CHECK(stream != NULL);
    return stream;
}

static void
write_plan(FILE *stream)
{
    struct sf_topology *topo;
    struct sf_plan *plan;

    CHECK_EQ(sf_topology_build("sf:q=3", &topo, NULL), SF_OK);
    CHECK_EQ(sf_plan_build(topo, NULL, NULL, &plan, NULL), SF_OK);
    for (const struct sf_plan_file *file = sf_plan_files; file->name; file++) {
        if (!strcmp(file->name, names[0])) {
            CHECK_EQ(file->write(plan, stream, NULL), SF_OK);
        }
    }
    sf_plan_free(plan);
    sf_topology_free(topo);
}

static void
make_folder(struct folder *folder)
{
    *folder = (struct folder){ "/tmp/slimfly-results-XXXXXX" };
    CHECK(mkdtemp(folder->path) != NULL);
    FILE *stream = open_file(folder, names[0]);
    write_plan(stream);
    fclose(stream);
    stream = open_file(folder, names[1]);
    fputs("{\"schema\": \"slimfly.simulation\", \"rows\": [{\"network\": "
          "\"a\", \"finished\": true}, {\"network\": \"b\"}]}",
          stream);
    fclose(stream);
    stream = open_file(folder, names[2]);
    fputs("<svg xmlns=\"http://www.w3.org/2000/svg\"><style>a{b:c}</style>"
          "<g id=\"x\"/></svg>",
          stream);
    fclose(stream);
}

static void
remove_folder(const struct folder *folder)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s", folder->path, names[i]);
        unlink(path);
    }
    rmdir(folder->path);
}

/* Makes the page; nothing of it is written unless all of it is made. */
static enum sf_status
make_page(const char *folder, struct sf_error *err)
{
    static const struct sf_origin origin = { "slimfly", "report" };
    struct sf_results *results = UNSET(struct sf_results);
    char *text = NULL;
    size_t length = 0;
    enum sf_status status = sf_results_new(&results, err);

    if (status != SF_OK) {
        CHECK(results == NULL);
        return status;
    }
    status = sf_results_add(results, folder, err);
    FILE *stream = open_memstream(&text, &length);
    if (status == SF_OK) {
        CHECK_EQ(sf_results_count(results), 2u);
        CHECK_EQ(sf_results_count_figures(results), 1u);
        status = sf_results_write_html(results, &origin, stream, err);
    }
    fclose(stream);
    CHECK_EQ(length > 0, status == SF_OK);
    free(text);
    sf_results_free(results);
    return status;
}

TEST(results_nomem)
{
    struct folder folder;
    unsigned long nth = 0;
    enum sf_status status;
    struct sf_error err = { 0 };

    make_folder(&folder);
    do {
        sf_mem_fail_at(++nth);
        status = make_page(folder.path, &err);
        if (status != SF_OK) {
            sf_mem_fail_at(0);
            CHECK_FOR(status == SF_ENOMEM && err.status == SF_ENOMEM,
                      "status %d at allocation %lu: %s", (int)status, nth,
                      err.text);
        }
    } while (status != SF_OK && nth < MAX_ALLOCATIONS);
    /* The failure is still to come; else nobody noticed it. */
    void *memory = sf_calloc(1, 1);
    CHECK_FOR(memory == NULL, "allocation %lu went unnoticed", nth);
    sf_mem_fail_at(0);
    CHECK_FOR(nth > 20, "only %lu allocations", nth);
    remove_folder(&folder);
}

TEST(results_kinds_are_whole)
{
    size_t n = 0;

    for (; sf_result_kind(n); n++) {
        CHECK(sf_result_kind(n)->title && sf_result_kind(n)->source);
        CHECK(!strncmp(sf_result_kind(n)->schema, "slimfly.", 8));
    }
    CHECK(n > 8);
    CHECK(sf_result_kind(n + 1) == NULL);
}
