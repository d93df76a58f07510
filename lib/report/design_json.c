/* design_json.c -- candidates and the paper's tables for programs;
 * doc/formats.md describes the members. */
#include "report/design_writers.h"

#include "base/json_values.h"
#include "base/origin_json.h"

#include <jansson.h>

static json_t *
index_or_null(uint32_t number)
{
    return number == SF_NONE ? json_null() : json_integer(number);
}

static json_t *
count_or_null(uint32_t number)
{
    return number ? json_integer(number) : json_null();
}

static json_t *
make_media(const uint32_t n_by[2])
{
    return json_pack("{s:I, s:I}", "copper", (json_int_t)n_by[SF_COPPER],
                     "optical", (json_int_t)n_by[SF_OPTICAL]);
}

/* The names of the hosts to leave out, as in a plan. */
static json_t *
make_left_out(const struct sf_candidate *candidate)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < candidate->n_left_out; i++) {
        char name[24];
        snprintf(name, sizeof name, "node%04u",
                 sf_candidate_left_out(candidate, i));
        json_array_append_new(array, json_string(name));
    }
    return array;
}

static json_t *
make_candidate(const struct sf_candidate *candidate)
{
    return json_pack(
        "{s:s, s:s, s:s, s:I, s:s?, s:s?, s:I, s:I, s:I, s:I, s:o, s:o, s:s, "
        "s:I, s:I, s:I, s:o, s:I, s:I, s:I, s:I, s:o, s:o, s:I, s:o, s:o, "
        "s:o, s:o, s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:I, s:I, s:o}",
        "spec", candidate->spec, "family", candidate->family, "fit",
        sf_fit_name(candidate->fit), "ports", (json_int_t)candidate->ports,
        "generation",
        candidate->generation ? candidate->generation->name : NULL, "rate",
        candidate->generation ? candidate->generation->rate : NULL,
        "n_switches", (json_int_t)candidate->n_switches, "n_endpoints",
        (json_int_t)candidate->n_endpoints, "n_links",
        (json_int_t)candidate->n_links, "n_cables",
        (json_int_t)sf_candidate_cables(candidate), "links_by_medium",
        make_media(candidate->n_links_by), "host_cables_by_medium",
        make_media(candidate->n_host_cables_by), "lengths",
        candidate->lengths == SF_LENGTHS_PLAN ? "plan" : "rule",
        "concentration", (json_int_t)candidate->concentration,
        "recommended_concentration", (json_int_t)candidate->recommended,
        "n_missing", (json_int_t)candidate->n_missing, "left_out",
        make_left_out(candidate), "radix", (json_int_t)candidate->radix,
        "radix_free", (json_int_t)candidate->ports - candidate->radix,
        "ports_used", (json_int_t)candidate->ports_used, "ports_free",
        (json_int_t)candidate->ports_free, "diameter",
        index_or_null(candidate->diameter), "average_distance",
        real_or_null(candidate->average_distance), "bisection_at_most",
        (json_int_t)candidate->bisection_at_most, "bisection_at_least",
        real_or_null(candidate->bisection_at_least), "bisection_share_at_most",
        real_or_null(sf_candidate_bisection_at_most(candidate)),
        "bisection_share_at_least",
        real_or_null(sf_candidate_bisection_at_least(candidate)),
        "full_bandwidth_concentration",
        real_or_null(candidate->full_bandwidth_p), "uniform_at_most",
        real_or_null(candidate->uniform_at_most), "permutation_at_most",
        real_or_null(candidate->permutation_at_most), "non_blocking",
        (int)candidate->is_non_blocking, "cost", real_or_null(candidate->cost),
        "cost_per_endpoint", real_or_null(candidate->cost_per_endpoint),
        "cost_per_asked_endpoint", real_or_null(candidate->cost_per_asked),
        "watts", real_or_null(candidate->watts), "lmc",
        (json_int_t)sf_design_lmc(candidate->n_host_addresses), "n_lids",
        (json_int_t)candidate->n_addresses, "largest_lmc",
        index_or_null(sf_design_lmc(candidate->most_addresses)));
}

/* Writes 'root', which may be NULL if it could not be made, and releases
 * it. */
static enum sf_status
finish(json_t *root, const struct sf_origin *origin, FILE *stream,
       struct sf_error *err)
{
    if (!root || !sf_origin_add_json(root, origin)) {
        json_decref(root);
        return sf_fail(err, SF_ENOMEM, "cannot make JSON: out of memory");
    }
    json_dumpf(root, stream, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    fputc('\n', stream);
    json_decref(root);
    return SF_OK;
}

static json_t *
make_question(const struct sf_design_params *params)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:b, s:s}", "endpoints",
                     count_or_null(params->n_endpoints), "ports",
                     count_or_null(params->ports), "layers",
                     count_or_null(params->n_layers), "budget",
                     params->budget > 0 ? json_real(params->budget)
                                        : json_null(),
                     "non_blocking", (int)params->non_blocking, "sort",
                     sf_design_sorts[params->sort]);
}

static json_t *
make_nearest(uint32_t n_endpoints)
{
    if (!n_endpoints) {
        return json_null();
    }
    struct sf_slimfly_size size = sf_slimfly_nearest(n_endpoints);
    char spec[SF_SPEC_SIZE];
    snprintf(spec, sizeof spec, "sf:q=%u", size.q);
    return json_pack("{s:s, s:I, s:I, s:I}", "spec", spec, "n_switches",
                     (json_int_t)size.n_switches, "n_endpoints",
                     (json_int_t)size.n_endpoints, "radix",
                     (json_int_t)size.network_radix + size.concentration);
}

enum sf_status
sf_design_write_json(const struct sf_design *design,
                     const struct sf_design_view *view, FILE *stream,
                     struct sf_error *err)
{
    const struct sf_prices *prices = design->prices;
    json_t *candidates = json_array();

    for (uint32_t i = 0; i < sf_design_count(design, view); i++) {
        json_array_append_new(candidates,
                              make_candidate(&design->candidates[i]));
    }
    json_t *about =
        json_pack("{s:s, s:I, s:s}", "currency", prices->currency, "year",
                  (json_int_t)prices->year, "source", prices->source);
    return finish(json_pack("{s:s, s:i, s:o, s:o, s:o, s:o}", "schema",
                            "slimfly.design", "schema_version", 1, "question",
                            make_question(&design->params), "prices", about,
                            "nearest_slimfly",
                            make_nearest(design->params.n_endpoints),
                            "candidates", candidates),
                  &view->origin, stream, err);
}

static json_t *
make_paper_row(const struct sf_paper_row *row)
{
    json_t *cells = json_array();

    for (uint32_t i = 0; i < row->n_cells; i++) {
        const struct sf_paper_cell *cell = &row->cells[i];
        json_array_append_new(
            cells, json_pack("{s:s, s:f, s:f, s:b, s:s}", "item", cell->item,
                             "paper", cell->paper, "ours", cell->ours,
                             "agrees", (int)cell->agrees, "why", cell->why));
    }
    return json_pack("{s:s, s:s, s:s, s:s, s:s?, s:o, s:o}", "table",
                     row->table, "column", row->column, "network",
                     row->network, "spec", row->spec, "larger",
                     row->n_larger ? row->larger : NULL, "larger_endpoints",
                     count_or_null(row->n_larger), "cells", cells);
}

enum sf_status
sf_paper_write_json(const struct sf_paper *paper, FILE *stream,
                    struct sf_error *err)
{
    json_t *rows = json_array();

    for (uint32_t i = 0; i < paper->n_rows; i++) {
        json_array_append_new(rows, make_paper_row(&paper->rows[i]));
    }
    return finish(json_pack("{s:s, s:i, s:I, s:I, s:o}", "schema",
                            "slimfly.paper_tables", "schema_version", 1,
                            "n_cells", (json_int_t)paper->n_cells, "n_agree",
                            (json_int_t)paper->n_agree, "rows", rows),
                  NULL, stream, err);
}
