/* result_kinds.c -- the kinds of results, in the order of the page.
 *
 * A new kind is an entry of sf_results_kinds[].  What is in its JSON and is
 * not named here is left out. */
#include "report/results/parts.h"

static const struct results_column topology_facts[] = {
    RESULTS_COLUMN("switches", "n_switches", RESULTS_COUNT),
    RESULTS_COLUMN("hosts", "n_endpoints", RESULTS_COUNT),
    RESULTS_COLUMN("links", "n_links", RESULTS_COUNT),
    RESULTS_COLUMN("ports of a switch", "radix", RESULTS_COUNT),
    RESULTS_COLUMN("diameter", "diameter", RESULTS_COUNT),
    RESULTS_COLUMN("average distance", "average_distance", RESULTS_PLAIN),
    RESULTS_COLUMN("connected", "connected", RESULTS_PLAIN),
    { 0 },
};

static const struct results_column candidate_columns[] = {
    RESULTS_COLUMN("network", "spec", RESULTS_PLAIN),
    { "fit", "fit", RESULTS_PLAIN, .is_setting = true },
    RESULTS_COLUMN("hosts", "n_endpoints", RESULTS_COUNT),
    RESULTS_COLUMN("switches", "n_switches", RESULTS_COUNT),
    { "ports", "ports", RESULTS_COUNT, .is_setting = true,
      .hint = "Ports of a switch" },
    RESULTS_COLUMN("links", "n_links", RESULTS_COUNT),
    RESULTS_COLUMN("cables", "n_cables", RESULTS_COUNT),
    { "optical", "links_by_medium.optical", RESULTS_COUNT,
      .hint = "Optical cables between switches" },
    RESULTS_COLUMN("diameter", "diameter", RESULTS_COUNT),
    { "bisection", "bisection_share_at_most", RESULTS_PERCENT,
      .hint = "At most, of what hosts can send" },
    { "uniform", "uniform_at_most", RESULTS_PERCENT,
      .hint = "Uniform traffic at most, of what hosts can send" },
    { "permutation", "permutation_at_most", RESULTS_PERCENT,
      .hint = "The worst permutation at most, of what hosts can send" },
    RESULTS_COLUMN("non-blocking", "non_blocking", RESULTS_PLAIN),
    RESULTS_COLUMN("cost", "cost", RESULTS_COUNT),
    RESULTS_COLUMN("cost a host", "cost_per_endpoint", RESULTS_COUNT),
    { "W", "watts", RESULTS_COUNT, .hint = "Power in watts" },
    { 0 },
};

static const struct results_column design_facts[] = {
    RESULTS_COLUMN("hosts asked for", "question.endpoints", RESULTS_COUNT),
    RESULTS_COLUMN("ports of switches", "question.ports", RESULTS_COUNT),
    RESULTS_COLUMN("budget", "question.budget", RESULTS_COUNT),
    RESULTS_COLUMN("sorted by", "question.sort", RESULTS_PLAIN),
    RESULTS_COLUMN("currency", "prices.currency", RESULTS_PLAIN),
    RESULTS_COLUMN("prices of", "prices.year", RESULTS_LABEL),
    RESULTS_COLUMN("source of prices", "prices.source", RESULTS_PLAIN),
    { 0 },
};

static const struct results_table design_tables[] = {
    { "Networks", "candidates", .columns = candidate_columns },
    { 0 },
};

static const struct results_file plan_files[] = {
    { "guide.html", "the wiring guide, for paper and tablets" },
    { "cables.csv", "all cables" },
    { "labels.html", "labels to print" },
    { "netbox.csv", "cables for NetBox" },
    { 0 },
};

static const char *const plan_figures[] = { "diagrams/*.svg", NULL };

static const struct results_column verification_facts[] = {
    RESULTS_COLUMN("planned cables", "counts.planned_cables", RESULTS_COUNT),
    RESULTS_COLUMN("found cables", "counts.found_cables", RESULTS_COUNT),
    RESULTS_COLUMN("right", "counts.right", RESULTS_COUNT),
    RESULTS_COLUMN("missing", "counts.missing", RESULTS_COUNT),
    RESULTS_COLUMN("unexpected", "counts.unexpected", RESULTS_COUNT),
    RESULTS_COLUMN("misconnected", "counts.misconnected", RESULTS_COUNT),
    RESULTS_COLUMN("duplicate", "counts.duplicate", RESULTS_COUNT),
    RESULTS_COLUMN("of another rate", "counts.different", RESULTS_COUNT),
    RESULTS_COLUMN("missing switches", "counts.missing_switch", RESULTS_COUNT),
    RESULTS_COLUMN("missing hosts", "counts.missing_host", RESULTS_COUNT),
    RESULTS_COLUMN("moves", "counts.moves", RESULTS_COUNT),
    { 0 },
};

static const struct results_column finding_columns[] = {
    RESULTS_COLUMN("kind", "verdict", RESULTS_PLAIN),
    RESULTS_COLUMN("finding", "text", RESULTS_PLAIN),
    { 0 },
};

static const struct results_column move_columns[] = {
    RESULTS_COLUMN("cable", "label", RESULTS_PLAIN),
    RESULTS_COLUMN("kind", "kind", RESULTS_PLAIN),
    RESULTS_COLUMN("what to do", "text", RESULTS_PLAIN),
    { 0 },
};

static const struct results_table verification_tables[] = {
    { "Findings", "findings", .columns = finding_columns },
    { "Moves", "moves", .columns = move_columns, .is_silent = true },
    { 0 },
};

static const struct results_column route_facts[] = {
    RESULTS_COLUMN("scheme", "scheme", RESULTS_PLAIN),
    RESULTS_COLUMN("layers", "n_layers", RESULTS_COUNT),
    RESULTS_COLUMN("LMC", "lmc", RESULTS_LABEL),
    RESULTS_COLUMN("switches", "n_switches", RESULTS_COUNT),
    RESULTS_COLUMN("hosts", "n_hosts", RESULTS_COUNT),
    RESULTS_COLUMN("LIDs", "n_lids", RESULTS_COUNT),
    RESULTS_COLUMN("paths", "n_paths", RESULTS_COUNT),
    RESULTS_COLUMN("broken paths", "n_broken_paths", RESULTS_COUNT),
    RESULTS_COLUMN("hops on average", "mean_hops", RESULTS_PLAIN),
    RESULTS_COLUMN("hops at most", "most_hops", RESULTS_COUNT),
    RESULTS_COLUMN("paths over a link, least", "paths_per_link.min",
                   RESULTS_COUNT),
    RESULTS_COLUMN("mean", "paths_per_link.mean", RESULTS_PLAIN),
    RESULTS_COLUMN("most", "paths_per_link.max", RESULTS_COUNT),
    RESULTS_COLUMN("lanes", "lanes.scheme", RESULTS_PLAIN),
    RESULTS_COLUMN("virtual lanes", "lanes.n_vls", RESULTS_COUNT),
    RESULTS_COLUMN("service levels", "lanes.n_sls", RESULTS_COUNT),
    RESULTS_COLUMN("guarantee", "lanes.guarantee", RESULTS_PLAIN),
    RESULTS_COLUMN("changed entries", "repair.changed", RESULTS_COUNT),
    RESULTS_COLUMN("seed", "seed", RESULTS_LABEL),
    { 0 },
};

static const struct results_file route_files[] = {
    { "opensm-lfts.dump", "the forwarding tables of all switches" },
    { "opensm-sl2vl.dump", "their SL-to-VL tables" },
    { "path-sl.csv", "the service levels of paths" },
    { "fabric.ibnetdiscover", "the fabric" },
    { 0 },
};

static const struct results_column audit_facts[] = {
    RESULTS_COLUMN("sound", "sound", RESULTS_PLAIN),
    RESULTS_COLUMN("switches", "n_switches", RESULTS_COUNT),
    RESULTS_COLUMN("hosts", "n_hosts", RESULTS_COUNT),
    RESULTS_COLUMN("LIDs", "n_lids", RESULTS_COUNT),
    RESULTS_COLUMN("virtual lanes", "n_vls", RESULTS_COUNT),
    RESULTS_COLUMN("pairs of switch and LID", "n_pairs", RESULTS_COUNT),
    RESULTS_COLUMN("without entry", "faults.no_entry", RESULTS_COUNT),
    RESULTS_COLUMN("dead ends", "faults.dead_end", RESULTS_COUNT),
    RESULTS_COLUMN("loops", "faults.loop", RESULTS_COUNT),
    RESULTS_COLUMN("paths", "hops.n_paths", RESULTS_COUNT),
    RESULTS_COLUMN("hops on average", "hops.mean", RESULTS_PLAIN),
    RESULTS_COLUMN("hops at most", "hops.most", RESULTS_COUNT),
    RESULTS_COLUMN("links", "links.n", RESULTS_COUNT),
    RESULTS_COLUMN("unused links", "links.n_unused", RESULTS_COUNT),
    RESULTS_COLUMN("paths over a link, least", "links.min", RESULTS_COUNT),
    RESULTS_COLUMN("mean", "links.mean", RESULTS_PLAIN),
    RESULTS_COLUMN("most", "links.max", RESULTS_COUNT),
    { 0 },
};

static const struct results_column fault_columns[] = {
    RESULTS_COLUMN("fault", "fault", RESULTS_PLAIN),
    RESULTS_COLUMN("from switch", "source", RESULTS_PLAIN),
    RESULTS_COLUMN("to LID", "lid", RESULTS_LABEL),
    RESULTS_COLUMN("at switch", "switch", RESULTS_PLAIN),
    RESULTS_COLUMN("out port", "port", RESULTS_LABEL),
    { 0 },
};

static const struct results_column load_columns[] = {
    RESULTS_COLUMN("switch", "switch", RESULTS_PLAIN),
    RESULTS_COLUMN("out port", "port", RESULTS_LABEL),
    RESULTS_COLUMN("paths", "paths", RESULTS_COUNT),
    { 0 },
};

static const struct results_table audit_tables[] = {
    { "Examples of faults", "faults.examples", .columns = fault_columns,
      .is_silent = true },
    { "Links with most paths", "links.most_loaded", .columns = load_columns,
      .is_silent = true },
    { 0 },
};

static const struct results_column change_facts[] = {
    RESULTS_COLUMN("safe", "safe", RESULTS_PLAIN),
    RESULTS_COLUMN("free of deadlock", "free", RESULTS_PLAIN),
    RESULTS_COLUMN("switches", "n_switches", RESULTS_COUNT),
    RESULTS_COLUMN("LIDs", "n_lids", RESULTS_COUNT),
    RESULTS_COLUMN("changed entries", "n_changed_entries", RESULTS_COUNT),
    RESULTS_COLUMN("changed SL-to-VL rows", "n_changed_sl2vl", RESULTS_COUNT),
    RESULTS_COLUMN("pairs that may loop", "faults.loop", RESULTS_COUNT),
    RESULTS_COLUMN("pairs that may meet a dead end", "faults.dead_end",
                   RESULTS_COUNT),
    RESULTS_COLUMN("steps", "steps.n_steps", RESULTS_COUNT),
    { 0 },
};

static const struct results_column analysis_facts[] = {
    RESULTS_COLUMN("network", "network", RESULTS_PLAIN),
    RESULTS_COLUMN("switches", "n_switches", RESULTS_COUNT),
    RESULTS_COLUMN("hosts", "n_hosts", RESULTS_COUNT),
    RESULTS_COLUMN("links", "n_links", RESULTS_COUNT),
    RESULTS_COLUMN("seeds", "n_seeds", RESULTS_COUNT),
    RESULTS_COLUMN("first seed", "seed", RESULTS_LABEL),
    { 0 },
};

static const struct results_column path_columns[] = {
    RESULTS_COLUMN("routing", "label", RESULTS_PLAIN),
    RESULTS_COLUMN("layers", "n_layers", RESULTS_COUNT),
    { "lanes", "lanes", RESULTS_PLAIN, .is_setting = true },
    { "virtual lanes", "vls", RESULTS_COUNT, .is_setting = true },
    RESULTS_COLUMN("hops on average", "paths.mean_hops", RESULTS_PLAIN),
    RESULTS_COLUMN("at most", "paths.most_hops", RESULTS_COUNT),
    { "paths over a link, least", "paths.paths_per_link.min", RESULTS_COUNT,
      .hint = "Over one direction of a link between switches" },
    RESULTS_COLUMN("mean", "paths.paths_per_link.mean", RESULTS_PLAIN),
    RESULTS_COLUMN("most", "paths.paths_per_link.max", RESULTS_COUNT),
    { "different paths", "paths.mean_distinct", RESULTS_PLAIN,
      .hint = "Of a pair of switches, on average" },
    { "disjoint paths", "paths.mean_disjoint", RESULTS_PLAIN,
      .hint = "Of a pair of switches, on average" },
    { "3 or more disjoint", "paths.share_3_disjoint", RESULTS_PERCENT,
      .hint = "Of all pairs of switches" },
    { 0 },
};

static const struct results_column throughput_columns[] = {
    RESULTS_COLUMN("routing", "label", RESULTS_PLAIN),
    { "kind", "kind", RESULTS_PLAIN, .is_setting = true,
      .hint = "layers: a routing; others are references" },
    RESULTS_COLUMN("layers", "n_layers", RESULTS_COUNT),
    { "traffic", "traffic", RESULTS_PLAIN, .is_setting = true },
    { "split", "split", RESULTS_PLAIN, .is_setting = true,
      .hint = "How senders share traffic over the layers" },
    { "throughput", "mean", RESULTS_PERCENT,
      .hint = "Of what hosts can send, the mean of all seeds" },
    RESULTS_COLUMN("least", "min", RESULTS_PERCENT),
    RESULTS_COLUMN("most", "max", RESULTS_PERCENT),
    { "gap", "gap", RESULTS_PERCENT, .hint = "How far the bounds are apart" },
    { 0 },
};

static const struct results_table analysis_tables[] = {
    { "Paths", "rows", .file = "analysis.csv", .columns = path_columns },
    { "Throughput", "rows", "throughput", .columns = throughput_columns,
      .is_silent = true },
    { 0 },
};

static const char *const analysis_figures[] = { "path-lengths.svg",
                                                "paths-per-link.svg",
                                                "disjoint-paths.svg",
                                                "throughput.svg", NULL };

static const struct results_file analysis_files[] = {
    { "analysis.csv", "the tables" },
    { "histograms.csv", "how paths and loads are distributed" },
    { 0 },
};

static const struct results_column simulation_columns[] = {
    RESULTS_SETTING("network", "network", RESULTS_PLAIN),
    RESULTS_SETTING("routing", "routing", RESULTS_PLAIN),
    RESULTS_SETTING("layers", "layers", RESULTS_COUNT),
    RESULTS_SETTING("lanes", "lanes", RESULTS_PLAIN),
    RESULTS_SETTING("virtual lanes", "vls", RESULTS_COUNT),
    RESULTS_SETTING("workload", "workload", RESULTS_PLAIN),
    RESULTS_SETTING("hosts", "nodes", RESULTS_COUNT),
    RESULTS_SETTING("placement", "placement", RESULTS_PLAIN),
    { "select", "select", RESULTS_PLAIN, true, "How hosts choose addresses" },
    { "load", "offered_load", RESULTS_PERCENT, true,
      "Packets that are offered without end, of what hosts can send" },
    { "size", "size_bytes", RESULTS_BYTES, true, "Of a message" },
    RESULTS_SETTING("model", "model", RESULTS_PLAIN),
    RESULTS_SETTING("timing", "timing", RESULTS_PLAIN),
    RESULTS_SETTING("queues", "queues", RESULTS_PLAIN),
    { "buffer", "buffer_bytes", RESULTS_BYTES, true, "Of a link" },
    RESULTS_SETTING("hardware", "net", RESULTS_PLAIN),
    RESULTS_SETTING("service level", "sl", RESULTS_LABEL),
    RESULTS_SETTING("window", "window", RESULTS_COUNT),
    RESULTS_SETTING("eager", "eager_bytes", RESULTS_BYTES),
    RESULTS_SETTING("routes for", "routes_for", RESULTS_PLAIN),
    RESULTS_SETTING("seed", "seed", RESULTS_LABEL),
    RESULTS_COLUMN("finished", "finished", RESULTS_PLAIN),
    RESULTS_SETTING("saturated", "saturated", RESULTS_PLAIN),
    { "time", "time_s", RESULTS_SECONDS, .hint = "Until all has come" },
    { "throughput", "throughput", RESULTS_PERCENT,
      .hint = "All data over time and hosts, of the rate of a host" },
    { "rate", "rate.mean", RESULTS_PERCENT,
      .hint = "Of messages on average, of the rate of a host" },
    RESULTS_COLUMN("least rate", "rate.min", RESULTS_PERCENT),
    { "latency", "latency_s.mean", RESULTS_SECONDS,
      .hint = "Of packets on average" },
    { "latency p99", "latency_s.p99", RESULTS_SECONDS,
      .hint = "99 of 100 packets take at most this" },
    { "links, mean", "link_loads.load_mean", RESULTS_PERCENT,
      .hint = "Part of the time that links between switches are busy" },
    RESULTS_COLUMN("busiest link", "link_loads.load_max", RESULTS_PERCENT),
    RESULTS_COLUMN("at switch", "link_loads.busiest.switch", RESULTS_PLAIN),
    { 0 },
};

static const struct results_table simulation_tables[] = {
    { "Simulations", "rows", .file = "simulation.csv",
      .columns = simulation_columns },
    { 0 },
};

static const char *const simulation_figures[] = { "latency.svg", "rates.svg",
                                                  "load.svg", "progress.svg",
                                                  NULL };

static const struct results_file simulation_files[] = {
    { "simulation.csv", "the table" },
    { "links.csv", "the load of each link" },
    { 0 },
};

static const struct results_column network_columns[] = {
    RESULTS_COLUMN("network", "spec", RESULTS_PLAIN),
    RESULTS_COLUMN("hosts", "hosts", RESULTS_COUNT),
    RESULTS_COLUMN("switches", "switches", RESULTS_COUNT),
    RESULTS_COLUMN("links", "links", RESULTS_COUNT),
    RESULTS_COLUMN("cost", "cost", RESULTS_COUNT),
    { 0 },
};

static const struct results_column claim_columns[] = {
    { "line", "line", RESULTS_LABEL, .hint = "Of the paper's source" },
    RESULTS_COLUMN("the paper says", "says", RESULTS_PLAIN),
    RESULTS_COLUMN("what is measured", "measured", RESULTS_PLAIN),
    RESULTS_COLUMN("it agrees if", "rule", RESULTS_PLAIN),
    RESULTS_COLUMN("queues", "queues", RESULTS_PLAIN),
    RESULTS_COLUMN("measured", "figure", RESULTS_SIGNED),
    RESULTS_COLUMN("verdict", "verdict", RESULTS_PLAIN),
    { 0 },
};

static const struct results_column cell_columns[] = {
    RESULTS_SETTING("benchmark", "benchmark", RESULTS_PLAIN),
    RESULTS_SETTING("network", "network", RESULTS_PLAIN),
    RESULTS_SETTING("routing", "routing", RESULTS_PLAIN),
    RESULTS_SETTING("layers", "layers", RESULTS_COUNT),
    { "select", "select", RESULTS_PLAIN, true, "How hosts choose addresses" },
    RESULTS_SETTING("placement", "placement", RESULTS_PLAIN),
    RESULTS_SETTING("hosts", "nodes", RESULTS_COUNT),
    { "size", "size_bytes", RESULTS_BYTES, true, "Of a message" },
    RESULTS_SETTING("queues", "queues", RESULTS_PLAIN),
    { "how", "how", RESULTS_PLAIN, true, "How it was found" },
    RESULTS_SETTING("seeds", "seeds", RESULTS_COUNT),
    RESULTS_COLUMN("time", "time_s", RESULTS_SECONDS),
    { "speed", "mean", RESULTS_PLAIN,
      .hint = "In the benchmark's own unit, the mean of all seeds" },
    RESULTS_COLUMN("deviation", "sd", RESULTS_PLAIN),
    { "gain", "gain", RESULTS_SIGNED,
      .hint = "Against the first network, more is better" },
    { 0 },
};

static const struct results_column evaluation_facts[] = {
    RESULTS_COLUMN("compared for equal", "equal", RESULTS_PLAIN),
    RESULTS_COLUMN("hardware", "net", RESULTS_PLAIN),
    RESULTS_COLUMN("time of a host for each message", "overhead_s",
                   RESULTS_SECONDS),
    { 0 },
};

static const struct results_table evaluation_tables[] = {
    { "Networks", "networks", .columns = network_columns },
    { "The paper says, and we get", "claims", "judged",
      .columns = claim_columns, .is_silent = true },
    { "Measurements", "cells", .file = "evaluation.csv",
      .columns = cell_columns },
    { 0 },
};

static const struct results_file evaluation_files[] = {
    { "evaluation.html", "the same with all that was assumed" },
    { "evaluation.csv", "the measurements" },
    { "simulation.csv", "each simulation" },
    { 0 },
};

static const struct results_column comparison_facts[] = {
    RESULTS_COLUMN("compared for equal", "equal", RESULTS_PLAIN),
    RESULTS_COLUMN("hosts", "hosts", RESULTS_COUNT),
    RESULTS_COLUMN("currency", "currency", RESULTS_PLAIN),
    RESULTS_COLUMN("note", "note", RESULTS_PLAIN),
    { 0 },
};

static const struct results_file comparison_files[] = {
    { "comparison.csv", "all figures" },
    { "simulation.json", "each simulation" },
    { 0 },
};

static const char *const comparison_figures[] = { "cost.svg",
                                                  "throughput.svg",
                                                  "latency.svg",
                                                  "failed-links.svg",
                                                  "failed-switches.svg",
                                                  "failed-parts.svg",
                                                  NULL };

static const char *const all_figures[] = { "*.svg", NULL };

const struct results_kind sf_results_kinds[] = {
    { { "Design", "slimfly.design", "slimfly design --format json" },
      .facts = design_facts,
      .tables = design_tables,
      .tell = sf_results_tell_design },
    { { "Topology", "slimfly.topology", "slimfly topology --format json" },
      .subject = "spec",
      .facts = topology_facts,
      .tell = sf_results_tell_topology },
    { { "Plan", "slimfly.plan", "slimfly plan" },
      .subject = "spec",
      .figures = plan_figures,
      .max_figures = 24,
      .files = plan_files,
      .tell = sf_results_tell_plan,
      .show = sf_results_show_plan },
    { { "Wiring", "slimfly.verification", "slimfly verify --format json" },
      .subject = "plan",
      .facts = verification_facts,
      .tables = verification_tables,
      .tell = sf_results_tell_verification },
    { { "Routes", "slimfly.route", "slimfly route" },
      .facts = route_facts,
      .files = route_files,
      .tell = sf_results_tell_route },
    { { "Audit", "slimfly.audit", "slimfly audit --format json" },
      .facts = audit_facts,
      .tables = audit_tables,
      .tell = sf_results_tell_audit,
      .show = sf_results_show_deadlock },
    { { "Change of tables", "slimfly.change",
        "slimfly audit OLD NEW --format json" },
      .facts = change_facts,
      .tell = sf_results_tell_change,
      .show = sf_results_show_deadlock },
    { { "Analysis", "slimfly.analysis", "slimfly analyze" },
      .subject = "network",
      .figures = analysis_figures,
      .facts = analysis_facts,
      .tables = analysis_tables,
      .files = analysis_files,
      .tell = sf_results_tell_analysis },
    { { "Simulation", "slimfly.simulation", "slimfly simulate" },
      .figures = simulation_figures,
      .tables = simulation_tables,
      .files = simulation_files,
      .tell = sf_results_tell_simulation },
    { { "Evaluation", "slimfly.evaluation", "slimfly evaluate" },
      .figures = all_figures,
      .has_figures_first = true,
      .absorbs = "slimfly.simulation",
      .facts = evaluation_facts,
      .tables = evaluation_tables,
      .files = evaluation_files,
      .tell = sf_results_tell_evaluation },
    { { "Comparison", "slimfly.comparison", "slimfly compare" },
      .figures = comparison_figures,
      .has_figures_first = true,
      .absorbs = "slimfly.simulation",
      .facts = comparison_facts,
      .files = comparison_files,
      .tell = sf_results_tell_comparison,
      .show = sf_results_show_comparison },
    { .about = { NULL, NULL, NULL } },
};

const struct sf_result_kind *
sf_result_kind(size_t i)
{
    return i < sizeof sf_results_kinds / sizeof *sf_results_kinds - 1
               ? &sf_results_kinds[i].about
               : NULL;
}
