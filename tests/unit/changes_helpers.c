/* changes_helpers.c -- see changes_helpers.h. */
#include "changes_helpers.h"

#include "test.h"

struct routed *
changes_route(const struct sf_fabric *fabric, uint32_t n_layers, uint64_t seed,
              const char *scheme, const char *lanes)
{
    struct sf_routing_params params = { .layers = { .scheme = scheme,
                                                    .n_layers = n_layers,
                                                    .may_exceed = true,
                                                    .seed = seed },
                                        .n_path_sets = 1,
                                        .lanes = lanes };
    struct routed *routed;
    struct sf_error err = { 0 };

    CHECK_FOR(routed_build(fabric, &params, &routed, &err) == SF_OK, "%s",
              err.text);
    return routed;
}

struct sf_mixture *
changes_mix(const struct sf_fabric *fabric, const struct routed *before,
            const struct routed *after)
{
    struct sf_mixture *mixture;
    struct sf_error err = { 0 };

    CHECK_FOR(
        sf_mixture_build(
            fabric,
            &(struct sf_mixture_side){ before->tables, before->lanes->sl2vl,
                                       before->lanes->path_sls },
            &(struct sf_mixture_side){ after->tables, after->lanes->sl2vl,
                                       after->lanes->path_sls },
            NULL, &mixture, &err) == SF_OK,
        "%s", err.text);
    return mixture;
}
