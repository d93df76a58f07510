/* minimal.c -- shortest paths only [Domke11]: destination by destination, the
 * lightest ones; a switch that has several takes another in every layer. */
#include "layers/trees.h"

#include "base/mem.h"

static enum sf_status
build(const struct sf_layer_job *job, struct sf_error *err)
{
    uint64_t *loads =
        sf_calloc(2 * (size_t)job->graph->n_links, sizeof *loads);
    if (!loads) {
        return sf_fail(err, SF_ENOMEM, "out of memory for link loads");
    }
    enum sf_status status =
        sf_minimal_layers(job, 0, job->layers->n_layers, loads, err);
    free(loads);
    return status;
}

static const struct sf_layer_ops ops = { .build = build };

const struct sf_layer_scheme sf_scheme_minimal = {
    .name = "minimal",
    .title = "balanced shortest paths",
    .summary = "shortest paths, the lightest first; layers spread over those "
               "of equal length",
    .reference = "Domke11",
    .params = { SF_SETS_PARAM },
    .takes_turns = true,
    .minimal_first = true,
    .ops = &ops,
};
