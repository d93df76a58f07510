/* test_nomem.c -- every allocation fails once.  That nothing leaks is for the
 * sanitizer to say. */
#include "base/mem.h"
#include "helpers.h"
#include "slimfly/discovery.h"
#include "slimfly/field.h"
#include "slimfly/lids.h"
#include "slimfly/properties.h"
#include "slimfly/settings.h"
#include "test.h"

#define MAX_ALLOCATIONS 5000

/* After a success with failure at 'nth', that allocation must still be to
 * come: otherwise it did fail and nobody noticed. */
static void
check_not_swallowed(const char *what, unsigned long nth)
{
    void *memory = sf_calloc(1, 1);
    bool failed = memory == NULL;
    free(memory);
    sf_mem_fail_at(0);
    CHECK_FOR(failed, "%s: failure of allocation %lu went unnoticed", what,
              nth);
    CHECK_FOR(nth > 1, "%s: no allocation that could fail", what);
}

static void
fail_builds(const char *spec)
{
    for (unsigned long nth = 1; nth <= MAX_ALLOCATIONS; nth++) {
        struct sf_topology *topo = UNSET(struct sf_topology);
        struct sf_error err = { 0 };

        sf_mem_fail_at(nth);
        /* Half of them without anybody to tell. */
        enum sf_status status =
            sf_topology_build(spec, &topo, nth % 2 ? &err : NULL);
        if (status == SF_OK) {
            CHECK(topo != NULL);
            sf_topology_free(topo);
            check_not_swallowed(spec, nth);
            return;
        }
        sf_mem_fail_at(0);
        CHECK_FOR(status == SF_ENOMEM, "%s: status %d at allocation %lu: %s",
                  spec, (int)status, nth, err.text);
        CHECK_FOR(topo == NULL, "%s: not NULL at allocation %lu", spec, nth);
        if (nth % 2) {
            CHECK_EQ(err.status, SF_ENOMEM);
            CHECK(err.text[0] != '\0');
        }
    }
    test_fail(__FILE__, __LINE__, "%s: never succeeds", spec);
}

TEST(nomem_builds)
{
    static const char *const specs[] = {
        "sf:q=5",
        "sf:q=9,p=2",
        "sf:q=8",
        "sf:q=7",
        "ft2:ports=8",
        "ft2:leaf=12,core=6,up=3,p=18",
        "ft2b:ports=8,over=3",
        "ft3:ports=4",
        "hx2:4x5,p=2",
        "df:a=4,h=2,p=2",
        "df:a=4,h=2,g=5",
        "xpander:k=5,lift=6,seed=2",
        "jellyfish:n=20,k=5,seed=3",
        "jellyfish:n=12,k=11",
        "pf:q=4",
        "pf:q=5",
    };

    for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
        fail_builds(specs[i]);
    }
}

TEST(nomem_builds_from_files)
{
    static const char *const texts[] = {
        "0 1\n1 2\n2 0\n",
        "left middle\nmiddle right\nright middle\n",
        "# Nodes: 6\n0 1\n1 2\n2 0\n4 5\n",
        "a b\nb c\nc d\nd e\ne f\nf g\ng h\nh i\ni j\nj k\nk l\nl a\n",
    };

    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        struct temporary file = temporary_write(texts[i]);
        char spec[128];
        snprintf(spec, sizeof spec, "edges:%s", file.name);
        fail_builds(spec);
        temporary_remove(&file);
    }
}

/* A spec that is refused is refused for want of memory or for what is wrong
 * with it, and never built. */
TEST(nomem_refusals)
{
    static const char *const specs[] = {
        "sf:q=6",          "sf:q=5,q=5",    "nosuch:q=5", "jellyfish:n=5,k=3",
        "df:a=4,h=2,g=99", "hx2:1024x1024", "sf:q=5,zz=1"
    };

    for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
        for (unsigned long nth = 1; nth <= 30; nth++) {
            struct sf_topology *topo = UNSET(struct sf_topology);
            sf_mem_fail_at(nth);
            enum sf_status status = sf_topology_build(specs[i], &topo, NULL);
            sf_mem_fail_at(0);
            CHECK_FOR(status == SF_ENOMEM || status == SF_EINVAL ||
                          status == SF_ELIMIT,
                      "%s: status %d", specs[i], (int)status);
            CHECK(topo == NULL);
        }
    }
}

TEST(nomem_measures)
{
    static const char *const specs[] = { "sf:q=5", "ft3:ports=4",
                                         "ft2:leaf=12,core=6,up=3",
                                         "hx2:1x2" };

    for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
        struct sf_topology *topo = build("%s", specs[i]);
        enum sf_status status = SF_ENOMEM;
        for (unsigned long nth = 1; status != SF_OK; nth++) {
            struct sf_properties properties;
            struct sf_error err = { 0 };
            sf_mem_fail_at(nth);
            status = sf_properties_measure(topo, &properties, &err);
            if (status == SF_OK) {
                sf_properties_clear(&properties);
                check_not_swallowed(specs[i], nth);
            } else {
                sf_mem_fail_at(0);
                CHECK_EQ(status, SF_ENOMEM);
                CHECK_EQ(err.status, SF_ENOMEM);
                CHECK(nth < MAX_ALLOCATIONS);
            }
        }
        sf_topology_free(topo);
    }
}

TEST(nomem_graphs)
{
    static const struct sf_link links[] = { { 0, 1 }, { 2, 1 }, { 0, 1 } };
    enum sf_status status = SF_ENOMEM;

    for (unsigned long nth = 1; status != SF_OK; nth++) {
        struct sf_graph *graph = NULL;
        sf_mem_fail_at(nth);
        status = sf_graph_build(3, links, 3, &graph, NULL);
        if (status == SF_OK) {
            sf_graph_free(graph);
            check_not_swallowed("graph", nth);
        } else {
            sf_mem_fail_at(0);
            CHECK_EQ(status, SF_ENOMEM);
            CHECK(graph == NULL);
            CHECK(nth < MAX_ALLOCATIONS);
        }
    }
}

/* Reads a fabric with a side table, plans one that gets it with its LIDs, and
 * copies both, with allocation 'nth' failing. */
static enum sf_status
make_fabrics(const struct sf_topology *topo, unsigned long nth)
{
    struct sf_fabric *read = NULL, *planned = NULL, *copies[2] = { NULL };

    sf_mem_fail_at(nth);
    enum sf_status status =
        sf_ibnetdiscover_read(TEST_DATA "/small.ibnetdiscover", &read, NULL);
    if (status == SF_OK) {
        status = sf_fabric_copy(read, &copies[0], NULL);
    }
    if (status == SF_OK) {
        status = sf_fabric_from_topology(topo, NULL, &planned, NULL);
    }
    if (status == SF_OK) {
        status = sf_fabric_assign_lids(planned, 1, NULL, NULL);
    }
    if (status == SF_OK) {
        status = sf_fabric_copy(planned, &copies[1], NULL);
    }
    sf_fabric_free(copies[1]);
    sf_fabric_free(copies[0]);
    sf_fabric_free(planned);
    sf_fabric_free(read);
    return status;
}

TEST(nomem_fabrics)
{
    struct sf_topology *topo = build("sf:q=3");
    enum sf_status status = SF_ENOMEM;

    for (unsigned long nth = 1; status != SF_OK; nth++) {
        status = make_fabrics(topo, nth);
        if (status == SF_OK) {
            check_not_swallowed("fabrics", nth);
        } else {
            sf_mem_fail_at(0);
            CHECK_EQ(status, SF_ENOMEM);
            CHECK(nth < MAX_ALLOCATIONS);
        }
    }
    sf_topology_free(topo);
}

TEST(nomem_fields)
{
    static const uint32_t orders[] = { 2, 7, 8, 9, 64 };

    for (size_t i = 0; i < ARRAY_SIZE(orders); i++) {
        enum sf_status status = SF_ENOMEM;
        for (unsigned long nth = 1; status != SF_OK; nth++) {
            struct sf_field *field = NULL;
            sf_mem_fail_at(nth);
            status = sf_field_build(orders[i], &field, NULL);
            if (status == SF_OK) {
                sf_field_free(field);
                check_not_swallowed("field", nth);
            } else {
                sf_mem_fail_at(0);
                CHECK_EQ(status, SF_ENOMEM);
                CHECK(field == NULL);
                CHECK(nth < MAX_ALLOCATIONS);
            }
        }
    }
}

/* Writes all files of 'settings' with allocation 'nth' failing. */
static enum sf_status
write_settings(const struct sf_settings *settings, unsigned long nth,
               FILE *stream, struct sf_error *err)
{
    enum sf_status status = SF_OK;

    sf_mem_fail_at(nth);
    status = sf_settings_check(settings, err);
    for (const struct sf_settings_file *file = sf_settings_files;
         status == SF_OK && file->name; file++) {
        status = sf_settings_write_file(settings, file, stream, err);
    }
    return status;
}

TEST(nomem_settings)
{
    struct sf_topology *topo = build("sf:q=3");
    struct sf_plan *plan;
    FILE *stream = tmpfile();

    CHECK_EQ(sf_plan_build(topo, NULL, NULL, &plan, NULL), SF_OK);
    struct sf_lane_spec lanes;
    CHECK_EQ(sf_lane_spec_parse("turns", &lanes, NULL), SF_OK);
    struct sf_lanes made = { .scheme = lanes.scheme, .n_vls = 4 };
    struct sf_routes routes = { .lanes = &made };
    struct sf_routing routing = { .routes = &routes,
                                  .params.guarantee = SF_ANY_SL };
    struct sf_settings settings = {
        .fabric = plan->fabric,
        .plan = plan,
        .routing = &routing,
        .n_layers = 2,
        .lanes = &lanes,
        .max_vls = 8,
        .options = "/o",
        .base = "/base",
        .status = "/s",
        .tables = "/t",
    };
    for (unsigned long nth = 1; nth <= MAX_ALLOCATIONS; nth++) {
        struct sf_error err = { 0 };
        enum sf_status status = write_settings(&settings, nth, stream, &err);
        if (status == SF_OK) {
            check_not_swallowed("settings", nth);
            break;
        }
        sf_mem_fail_at(0);
        CHECK_EQ(status, SF_ENOMEM);
        CHECK_EQ(err.status, SF_ENOMEM);
    }
    fclose(stream);
    sf_plan_free(plan);
    sf_topology_free(topo);
}
