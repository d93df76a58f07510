/* test_sim_nomem.c -- every allocation of the flow model fails once.  That
 * nothing leaks is for the sanitizer to say. */
#include "base/mem.h"
#include "helpers.h"
#include "sharing_cases.h"
#include "sim/fluid.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

#define MAX_ALLOCATIONS 5000

/* Sends a byte over each flow of 'sharing', every second one later. */
static enum sf_status
send(const struct sharing_case *sharing, struct sf_error *err)
{
    struct sf_fluid *fluid = NULL;
    enum sf_status status =
        sf_fluid_build(sharing->n_links, sharing->capacities, &fluid, err);

    CHECK((status == SF_OK) == (fluid != NULL));
    for (uint32_t f = 0; status == SF_OK && f < sharing->n_flows; f++) {
        struct sf_fluid_flow flow = {
            .links = sharing->links + sharing->first[f],
            .n_links = sharing->first[f + 1] - sharing->first[f],
            .bytes = 1,
        };
        status = sf_fluid_add(fluid, f % 2, &flow, 1, NULL, err);
    }
    if (status == SF_OK) {
        status = sf_fluid_run(fluid, NULL, NULL, err);
    }
    sf_fluid_free(fluid);
    return status;
}

static enum sf_status
share(const struct sharing_case *sharing, struct sf_error *err)
{
    struct sf_fair_share problem = sharing_problem(sharing);
    double rates[MAX_SHARING_FLOWS];

    return sf_fair_share_solve(&problem, rates, err);
}

static void
fail_each(enum sf_status work(const struct sharing_case *, struct sf_error *),
          const struct sharing_case *sharing)
{
    for (unsigned long nth = 1; nth <= MAX_ALLOCATIONS; nth++) {
        struct sf_error err = { 0 };
        sf_mem_fail_at(nth);
        enum sf_status status = work(sharing, &err);
        void *memory = sf_calloc(1, 1);
        bool is_still_to_come = memory == NULL;
        free(memory);
        sf_mem_fail_at(0);
        if (status == SF_OK) {
            CHECK_FOR(is_still_to_come, "failure %lu went unnoticed", nth);
            CHECK(nth > 1);
            return;
        }
        CHECK_EQ(status, SF_ENOMEM);
        CHECK_EQ(err.status, SF_ENOMEM);
    }
    test_fail(__FILE__, __LINE__, "never succeeds");
}

TEST(sim_without_memory)
{
    struct sharing_case *sharing = sharing_all_to_all(6);

    fail_each(share, sharing);
    fail_each(send, sharing);
    free(sharing);
}
