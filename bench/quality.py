"""How good routings are: throughput under permutations of switches two hops
apart, as a mean over ten seeds of layers and permutations, and how evenly
paths share the links.  Our scheme, with one and with two sets of paths for the
hosts of a switch, beside the paper's and a free choice for every pair: of as
many paths as there are layers, and of as many as trees can have at best.  All
of these are free of lanes, but for one column: our scheme as it is deployed.

Then what hosts get that take their addresses in turn: throughput with equal
shares, as deployed, of what 'gates' can be made for, beside the most that
paths of such length allow for all-to-all.

Arguments: the program, sizes q.
"""
import json
import subprocess
import sys

TRAFFIC = "switch-permutation:distance=2"
LAYERS = "4", "8", "16"
SEEDS = "10"


def analyze(program, q, layers, *args):
    """The rows of an analysis, by what they are of."""
    done = subprocess.run(
        [program, "analyze", f"sf:q={q}", "--layers", layers, "--traffic",
         TRAFFIC, "--seeds", SEEDS, "--split", "best", "--format", "json",
         *args],
        check=True, stdout=subprocess.PIPE, text=True)
    return {row["label"]: row for row in json.loads(done.stdout)["rows"]}


# Made for the best shares, in one path set.
SPLIT = "gates:for=split"
TRAFFICS = "all-to-all", "permutation", TRAFFIC
CHOICES = ("minimal", SPLIT, "gates:for=uniform", "gates",
           "gates:for=adversarial", "gates:sets=2")


def bound(data, row):
    """All-to-all with equal shares is at most that: doc/routing.md."""
    v, n = data["n_switches"], data["n_hosts"]
    p, degree = n / v, 2 * data["n_links"] / v
    return degree * (n - 1) / ((v - 1) * p * p * row["paths"]["mean_hops"])


def equal_shares(program, sizes):
    print("\nthroughput with equal shares, mean of 5 seeds\n"
          "  q layers  paths                  hops  at most  all-to-all  "
          "permutation  of switches", flush=True)
    for q in sizes:
        done = subprocess.run(
            [program, "analyze", f"sf:q={q}", "--schemes", ",".join(CHOICES),
             "--layers", "4,8", "--traffic", ",".join(TRAFFICS), "--split",
             "equal", "--seeds", "5", "--references", "none", "--format",
             "json"], check=True, stdout=subprocess.PIPE, text=True)
        data = json.loads(done.stdout)
        for row in data["rows"]:
            a2a, pairs, switches = (t["mean"] for t in row["throughput"])
            print(f"{q:>3} {row['n_layers']:>6}  {row['label']:<21} "
                  f"{row['paths']['mean_hops']:>5.3f} {bound(data, row):>8.3f}"
                  f" {a2a:>11.3f} {pairs:>12.3f} {switches:>12.3f}",
                  flush=True)


def mean(row):
    return row["throughput"][0]["mean"]


def main():
    program, sizes = sys.argv[1], sys.argv[2:] or ["5", "7", "9"]
    print(f"\nthroughput under {TRAFFIC}, mean of {SEEDS} seeds\n"
          "  q layers  paper  gates  2 sets  free  trees  lanes   gates/  "
          "gates/  gates/  2 sets/   lanes/  most/mean\n"
          "                                                        paper  "
          "  free   trees     free    gates  paths a link", flush=True)
    for q in sizes:
        for layers in LAYERS:
            rows = analyze(program, q, layers, "--schemes", f"paper,{SPLIT}",
                           "--references", "free,trees", "--without-lanes")
            sets = analyze(program, q, layers, "--schemes",
                           SPLIT, "--path-sets", "2", "--references", "none",
                           "--without-lanes")
            deployed = analyze(program, q, layers, "--schemes", SPLIT,
                               "--references", "none")
            paper, gates, free, trees = (
                mean(rows[name]) for name in
                ("paper", SPLIT, "free choice", "free, less trees"))
            two, lanes = mean(sets[SPLIT]), mean(deployed[SPLIT])
            load = rows[SPLIT]["paths"]["paths_per_link"]
            print(f"{q:>3} {layers:>6} {paper:>6.3f} {gates:>6.3f} "
                  f"{two:>7.3f} {free:>5.3f} {trees:>6.3f} {lanes:>6.3f} "
                  f"{gates / paper:>8.2f} {gates / free:>7.2f} "
                  f"{gates / trees:>7.2f} {two / free:>8.2f} "
                  f"{lanes / gates:>8.2f} "
                  f"{load['max'] / load['mean']:>13.2f}", flush=True)
    equal_shares(program, sizes)


if __name__ == "__main__":
    main()
