"""What 'slimfly analyze' says of routings, compared with what is worked out
here from the tables that 'slimfly route' writes; that it goes on where it was
interrupted; and what it says of input that cannot be."""
import collections
import csv
import glob
import io
import itertools
import json
import os
import random
import re
import signal
import subprocess
import tempfile
import time
import xml.etree.ElementTree

import harness
import test_route
from harness import slimfly

SVGS = ["path-lengths.svg", "paths-per-link.svg", "disjoint-paths.svg",
        "throughput.svg"]
HISTOGRAMS = ["paths_by_hops", "links_by_paths", "pairs_by_total_hops",
              "pairs_by_longest", "pairs_by_distinct", "pairs_by_disjoint"]


def most_disjoint(paths):
    """The size of the largest set of paths without a common link, by trying
    all sets."""
    links = [{frozenset(step) for step in zip(path, path[1:])}
             for path in set(paths)]
    for size in range(len(links), 0, -1):
        for chosen in itertools.combinations(links, size):
            if sum(map(len, chosen)) == len(set().union(*chosen)):
                return size
    return 0


class Oracle:
    """Metrics of the tables in a folder; no parallel links."""

    def __init__(self, folder):
        tables = test_route.Tables(folder)
        addresses = collections.defaultdict(list)
        for lid, offset in sorted(tables.lids.items()):
            addresses[tables.home[lid]].append((offset, lid))
        hosts = collections.defaultdict(list)
        for (switch, _), lids in sorted(addresses.items()):
            hosts[switch].append([lid for _, lid in sorted(lids)])
        shared = all(
            self.paths(tables, s, lids) == self.paths(tables, s, of[0])
            for d, of in hosts.items() for lids in of for s in hosts if s != d)
        self.counts = {name: collections.Counter() for name in HISTOGRAMS}
        loads = collections.Counter()
        self.n_layers = len(next(iter(hosts.values()))[0])
        self.per_host = not shared
        self.n_pairs = 0
        for d, of in hosts.items():
            for lids in of[:1] if shared else of:
                for s in hosts:
                    if s != d:
                        self.count(self.paths(tables, s, lids), loads)
        for switch, links in tables.links.items():
            for _, (peer, _) in links:
                self.counts["links_by_paths"][loads[switch, peer]] += 1

    @staticmethod
    def paths(tables, source, lids):
        return [tuple(tables.path(source, lid)) for lid in lids]

    def count(self, paths, loads):
        lengths = [len(path) - 1 for path in paths]
        self.n_pairs += 1
        self.counts["paths_by_hops"].update(lengths)
        self.counts["pairs_by_total_hops"][sum(lengths)] += 1
        self.counts["pairs_by_longest"][max(lengths)] += 1
        self.counts["pairs_by_distinct"][len(set(paths))] += 1
        self.counts["pairs_by_disjoint"][most_disjoint(paths)] += 1
        for path in paths:
            loads.update(zip(path, path[1:]))


def equal_share(folder, flows):
    """What flows of rate 1 between hosts, by name, can be scaled to if the
    addresses of a host take the same share each: added up link by link."""
    tables = test_route.Tables(folder)
    lids, loads = {}, collections.Counter()
    with open(f"{folder}/fabric.ibnetdiscover", encoding="utf-8") as file:
        for name, base, lmc in re.findall(
                r'^Ca\t\d+ "[^"]+"\t\t# "([^" ]+).*?# lid (\d+) lmc (\d+)',
                file.read(), re.M | re.S):
            lids[name] = [int(base) + i for i in range(1 << int(lmc))]
    for source, destination in flows:
        for lid in lids[destination]:
            path = tables.path(tables.home[lids[source][0]][0], lid)
            for step in zip(path, path[1:]):
                loads[step] += 1 / len(lids[destination])
    return min(1, 1 / max(loads.values()))


class Analyzed(test_route.Routed):
    def analyze(self, *args, code=0):
        done = slimfly("analyze", *args, "--format", "json")
        self.assertEqual((done.returncode, done.stderr), (code, ""), args)
        return json.loads(done.stdout)

    def folder(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return folder.name

    def file(self, name, text):
        path = f"{self.folder()}/{name}"
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path


class Metrics(Analyzed):
    def check(self, folder, max_hops=None):
        paths = self.analyze(folder)["rows"][0]["paths"]
        oracle = Oracle(folder)
        self.assertEqual((paths["n_layers"], paths["per_host"],
                          paths["n_pairs"], paths["n_incomplete"]),
                         (oracle.n_layers, oracle.per_host, oracle.n_pairs,
                          0))
        for name in HISTOGRAMS:
            self.assertEqual(paths[name], [list(bin_) for bin_ in
                                           sorted(oracle.counts[name].items())
                                           if bin_[1]], name)
        return paths

    def test_of_tables_are_those_of_the_paths(self):
        for options in (["-s", "gates", "-l", "4"], ["-s", "rues", "-l", "4"],
                        ["-s", "paper", "-l", "3"], ["-s", "minimal"]):
            for spec in "sf:q=4,p=2", "hx2:3x4,p=2", "ft3:ports=4":
                with self.subTest(spec=spec, options=options):
                    self.check(self.route(spec, *options))

    def test_of_hosts_with_paths_of_their_own(self):
        for options in ["-s", "ftree", "-l", "2"], ["--per-host", "-l", "2"]:
            paths = self.check(self.route("ft3:ports=4", *options))
            self.assertTrue(paths["per_host"])
            self.assertEqual(paths["n_pairs"], 16 * 7)

    def test_sets_of_paths_are_not_made_of_tables(self):
        folder = self.route("sf:q=3")
        for option in ["--path-sets", "2"], ["--per-host"]:
            self.fails("analyze", folder, *option, says="are for --schemes")

    def test_of_sets_of_paths(self):
        self.check(self.route("sf:q=5", "--path-sets", "2"))
        made = self.analyze("sf:q=5", "-s", "gates", "--path-sets", "2",
                            "-t", "switch-permutation:distance=2")
        one, each = (self.analyze("sf:q=5", "-s", "gates", *option,
                                  "-t", "switch-permutation:distance=2")
                     for option in (["--path-sets", "1"], ["--per-host"]))
        values = [document["rows"][0]["throughput"][0]["mean"]
                  for document in (one, made, each)]
        self.assertEqual(values, sorted(values))
        self.assertGreater(values[1], 1.15 * values[0])

    def test_derived_figures_follow_from_the_histograms(self):
        paths = self.check(self.route("sf:q=5", "-s", "rues", "-l", "4"))

        def moments(name):
            n = sum(n for _, n in paths[name])
            mean = sum(v * n for v, n in paths[name]) / n
            square = sum((v - mean) ** 2 * n for v, n in paths[name]) / n
            return mean, square ** 0.5 / mean
        self.assertAlmostEqual(paths["mean_hops"],
                               moments("paths_by_hops")[0], 7)
        self.assertAlmostEqual(paths["mean_distinct"],
                               moments("pairs_by_distinct")[0], 7)
        self.assertAlmostEqual(paths["mean_disjoint"],
                               moments("pairs_by_disjoint")[0], 7)
        loads = paths["paths_per_link"]
        for found, expected in zip((loads["mean"], loads["variation"]),
                                   moments("links_by_paths")):
            self.assertAlmostEqual(found, expected, 7)
        self.assertEqual((loads["min"], loads["max"]),
                         (paths["links_by_paths"][0][0],
                          paths["links_by_paths"][-1][0]))
        self.assertEqual(paths["most_hops"], paths["paths_by_hops"][-1][0])
        self.assertAlmostEqual(
            paths["share_3_disjoint"],
            sum(n for v, n in paths["pairs_by_disjoint"] if v >= 3) / 2450, 7)

    def test_a_scheme_is_measured_like_the_tables_made_by_it(self):
        for scheme in "gates", "paper", "fatpaths":
            folder = self.route("sf:q=5", "-s", scheme, "-l", "4", "--seed",
                                "5", "--lanes", "none")
            seed = ["--schemes", scheme, "--seed", "5"]
            tables, made = self.analyze(folder, *seed, "--lanes",
                                        "none")["rows"]
            free = self.analyze("sf:q=5", *seed, "--without-lanes")["rows"][0]
            self.assertEqual(tables["label"], "tables")
            self.assertEqual(tables["paths"], made["paths"])
            self.assertEqual(tables["paths"], free["paths"])

    def test_what_is_measured_is_what_route_deploys(self):
        # 0.591 here and 0.521 for the tables of route was the story once.
        folder = self.route("sf:q=5", "-l", "8")
        traffic = ["--traffic", "switch-permutation:distance=2",
                   "--references", "none"]
        tables = self.analyze(folder, *traffic)["rows"][0]
        made = self.analyze("sf:q=5", "-l", "8", *traffic)["rows"][0]
        free = self.analyze("sf:q=5", "-l", "8", "--without-lanes",
                            *traffic)["rows"][0]
        self.assertEqual(tables["paths"], made["paths"])
        self.assertEqual(tables["throughput"], made["throughput"])
        self.assertEqual((made["lanes"], made["vls"]), ("turns", 4))
        self.assertEqual((free["lanes"], free["vls"]), ("free", None))
        self.assertEqual(tables["lanes"], "tables")
        self.assertGreater(free["throughput"][0]["mean"],
                           1.1 * made["throughput"][0]["mean"])

    def test_the_default_gives_way_as_in_route(self):
        self.check_giving_way("jellyfish:n=40,k=3,seed=2")

    @harness.long
    def test_the_default_gives_way_on_a_larger_one(self):
        self.check_giving_way("xpander:k=5,lift=10")

    def check_giving_way(self, spec):
        # Neither turns nor lanes of paths are enough for gates here.
        folder = self.route(spec)
        tables = self.analyze(folder)["rows"][0]
        made = self.analyze(spec)["rows"][0]
        self.assertEqual(tables["paths"], made["paths"])
        shown = self.succeeds("analyze", spec)
        self.assertIn("ordered takes its place", shown)
        for says in "the lanes dfsssp, which need no turns", "--without-lanes":
            self.fails("analyze", spec, "--schemes", "gates", says=says)

    def test_a_disconnected_network_gets_no_advice_on_lanes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "parts.edges")
            with open(path, "w", encoding="utf-8") as file:
                file.write("a b\nc d\n")
            done = harness.slimfly("analyze", f"edges:{path},p=1")
        self.assertEqual(done.returncode, 2)
        self.assertIn("fall into 2 parts", done.stderr)
        self.assertNotIn("--without-lanes", done.stderr)

    def test_the_share_of_preserved_links_is_that_of_route(self):
        folder = self.route("sf:q=5", "-s", "rues:fraction=0.4", "--lanes",
                            "none")
        tables, made = self.analyze(folder, "--schemes", "rues:0.4")["rows"]
        self.assertEqual(tables["paths"], made["paths"])
        self.assertEqual((made["label"], made["scheme"]),
                         ("rues:0.4", "rues:fraction=0.4"))

    def test_settings_of_schemes_may_follow_commas(self):
        rows = self.analyze("sf:q=4", "-l", "2", "--schemes",
                            "rues:fraction=0.4,sets=2,gates:sets=3,paper")
        self.assertEqual(
            [(row["label"], row["scheme"]) for row in rows["rows"]],
            [("rues:fraction=0.4,sets=2", "rues:fraction=0.4,sets=2"),
             ("gates:sets=3", "gates:sets=3"), ("paper", "paper")])
        self.assertEqual([row["paths"]["per_host"] for row in rows["rows"]],
                         [True, True, False])

    def test_sets_of_a_spec_are_those_of_the_option(self):
        one = self.analyze("sf:q=4", "-s", "gates:sets=2")["rows"]
        other = self.analyze("sf:q=4", "-s", "gates", "--path-sets", "2")
        self.assertEqual(one[0]["paths"], other["rows"][0]["paths"])
        self.assertEqual(one[0]["scheme"], other["rows"][0]["scheme"])

    def test_tables_may_stand_elsewhere(self):
        folder = self.route("sf:q=4")
        alone = self.analyze(folder)["rows"]
        self.assertEqual(self.analyze(folder, folder)["rows"], alone)
        self.assertEqual(
            self.analyze(f"{folder}/fabric.ibnetdiscover",
                         f"{folder}/opensm-lfts.dump")["rows"], alone)

    def test_seeds_add_up(self):
        def count(paths, name):
            return collections.Counter(dict(map(tuple, paths[name])))
        singles = [self.analyze("sf:q=4", "-s", "rues", "--seed",
                                str(seed))["rows"][0]["paths"]
                   for seed in (3, 4, 5)]
        both = self.analyze("sf:q=4", "-s", "rues", "--seed", "3", "--seeds",
                            "3")["rows"][0]["paths"]
        for name in HISTOGRAMS:
            self.assertEqual(count(both, name),
                             sum((count(one, name) for one in singles),
                                 collections.Counter()))

    def test_the_ceiling_of_three_hops(self):
        # An adjacent pair of a graph of girth 5 has one path of up to 3 hops.
        for layers in "4", "8":
            paths = self.analyze("sf:q=5", "-l", layers, "--path-sets", "1",
                                 "--without-lanes")["rows"][0]["paths"]
            self.assertEqual(paths["n_pairs"], 2450)
            self.assertAlmostEqual(paths["share_3_disjoint"], 2100 / 2450, 7)
        self.assertEqual(paths["pairs_by_disjoint"], [[1, 350], [7, 2100]])

    def test_the_documented_shares_are_those_measured(self):
        with open(f"{harness.ROOT}/doc/analysis.md", encoding="utf-8") as doc:
            documented = re.findall(
                r"^\| ([\w:=]+), up to (\d) hops \| (.*) \|$", doc.read(), re.M)
        self.assertEqual(len(documented), 4)
        for scheme, hops, shares in documented:
            rows = self.analyze("sf:q=5", "-s", scheme, "-l", "4,8,16",
                                "--seeds", "10", "--max-hops", hops,
                                "--without-lanes")["rows"]
            self.assertEqual(shares, " | ".join(
                f"{100 * row['paths']['share_3_disjoint']:.1f} %"
                for row in rows), (scheme, hops))

    def test_paths_that_do_not_arrive_are_named(self):
        folder = self.route("sf:q=4,p=1", "-l", "1")
        path = f"{folder}/opensm-lfts.dump"
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines(keepends=True)
        lids = test_route.Tables(folder).lids
        lid = min(lids)
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(line for line in lines
                            if not line.startswith(f"0x{lid:04x}"))
        paths = self.analyze(folder, code=1)["rows"][0]["paths"]
        self.assertEqual((paths["n_incomplete"], paths["n_pairs"]),
                         (31, 32 * 31 - 31))
        done = slimfly("analyze", folder)
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertIn("31 of 992 pairs have paths that do not arrive",
                      done.stdout)
        self.fails("analyze", folder, "--traffic", "all-to-all",
                   says="31 pairs have paths that do not arrive, so that "
                        "there is no throughput")


class Throughput(Analyzed):
    def mean(self, row, traffic=0):
        return row["throughput"][traffic]["mean"]

    def test_equal_split_follows_from_the_loads(self):
        # All-to-all over equal shares: every host sends 1 in all, 1 / 199 to
        # each other one; a path of a layer carries 16 such flows a quarter.
        folder = self.route("sf:q=5", "-s", "paper", "-l", "4")
        row = self.analyze(folder, "--traffic", "all-to-all",
                           "--references", "none")["rows"][0]
        most = max(Oracle(folder).counts["links_by_paths"])
        equal = row["throughput"][1]
        self.assertEqual(equal["split"], "equal")
        self.assertAlmostEqual(equal["mean"], 199 / (most * 4), 6)
        self.assertGreaterEqual(self.mean(row), equal["mean"])
        # The bound of doc/routing.md: degree 7, 50 switches of 4 hosts.
        self.assertAlmostEqual(
            equal["runs"][0]["even"],
            7 * 199 / (49 * 16 * row["paths"]["mean_hops"]), 6)
        self.assertIsNone(row["throughput"][0]["runs"][0]["even"])

    def test_equal_shares_are_those_of_the_tables(self):
        # Permutations of hosts over what 'route' wrote; 3 layers have 4
        # addresses, of which the last is the first layer again.
        for seed, options in enumerate([
                ["-l", "4"], ["-l", "3"], ["-l", "2", "--path-sets", "2"],
                ["-s", "gates:for=mixed", "-l", "4"],
                ["-s", "gates:for=adversarial", "-l", "4"]]):
            folder = self.route("sf:q=4,p=2", *options)
            hosts = [f"node{i:04}" for i in range(64)]
            others = hosts[:]
            random.Random(seed).shuffle(others)
            flows = [pair for pair in zip(hosts, others)
                     if pair[0] != pair[1]]
            demands = self.file("demands.csv", "".join(
                f"{s},{d},1\n" for s, d in flows))
            row = self.analyze(folder, "--traffic", f"file:{demands}",
                               "--references", "none")["rows"][0]
            best, equal = row["throughput"]
            self.assertEqual((best["split"], equal["split"]),
                             ("best", "equal"))
            self.assertAlmostEqual(equal["mean"], equal_share(folder, flows),
                                   6, options)
            self.assertGreaterEqual(best["mean"], equal["mean"], options)

    def test_what_layers_are_made_for(self):
        # Without lanes: the order of the choices, not their figures.
        rows = self.analyze(
            "sf:q=5", "-s", "minimal,gates:for=uniform,gates:for=mixed,"
            "gates:for=adversarial", "-l", "8", "--traffic",
            "all-to-all,switch-permutation:distance=2", "--seeds", "3",
            "--split", "equal", "--references", "none",
            "--without-lanes")["rows"]
        uniform, permutations = zip(*[
            [found["mean"] for found in row["throughput"]] for row in rows])
        self.assertEqual(list(uniform), sorted(uniform, reverse=True))
        self.assertGreater(uniform[1], 0.98 * uniform[0])
        self.assertLess(permutations[1], permutations[2])
        self.assertGreater(permutations[2], 2 * permutations[0])
        self.assertEqual([row["paths"]["most_hops"] for row in rows[2:]],
                         [3, 4])

    def test_one_split_alone(self):
        for split in "best", "equal":
            folder = self.folder()
            text = self.succeeds("analyze", "sf:q=4", "-t", "permutation",
                                 "--split", split, "-o", folder)
            self.assertEqual("equal shares" in text, split == "equal")
            with open(f"{folder}/analysis.json", encoding="utf-8") as file:
                rows = json.load(file)["rows"]
            self.assertEqual([[t["split"] for t in row["throughput"]]
                              for row in rows], [[split], ["best"], ["best"]])
            with open(f"{folder}/throughput.svg", encoding="utf-8") as file:
                svg = file.read()
            self.assertIn(f"4 layers, {split} shares", svg)
            self.assertEqual("hollow marks" in svg, split == "equal")

    def test_minimal_paths_of_a_symmetric_graph(self):
        # 13 paths on each direction of a link, of 16 flows of 1 / 199.
        row = self.analyze("sf:q=5", "-s", "minimal", "-l", "1", "--traffic",
                           "all-to-all", "--references", "none")["rows"][0]
        self.assertAlmostEqual(self.mean(row), 199 / (13 * 16), 6)

    def test_layers_and_references_are_in_order(self):
        rows = self.analyze("sf:q=4", "-s", "gates", "-l", "1,4", "--traffic",
                            "switch-permutation:distance=2,permutation",
                            "--seeds", "2", "--references",
                            "free,trees,hops,any")["rows"]
        self.assertEqual([row["kind"] for row in rows],
                         ["layers"] * 2 + ["free"] * 2 + ["trees"] * 2 +
                         ["hops", "any"])
        self.assertEqual([row["n_layers"] for row in rows],
                         [1, 4, 1, 4, 1, 4, None, None])
        for i in range(2):
            one, four, free_one, free, trees_one, trees, hops, any_ = [
                self.mean(r, i) for r in rows]
            slack = 1.006  # Where bounds are found, these may be apart.
            self.assertEqual(free_one, trees_one)
            self.assertLess(trees, free)
            self.assertLessEqual(one, four * slack)
            self.assertLessEqual(four, hops * slack)
            self.assertLessEqual(free, hops * slack)
            self.assertLessEqual(max(hops, four), any_)
        for row in rows:
            for found in row["throughput"]:
                runs = found["runs"]
                self.assertEqual([run["seed"] for run in runs], [1, 2])
                lowers = [run["lower"] for run in runs]
                self.assertAlmostEqual(found["mean"], sum(lowers) / 2, 6)
                self.assertAlmostEqual(found["min"], min(lowers), 7)
                self.assertAlmostEqual(found["max"], max(lowers), 7)
                for run in runs:
                    self.assertLessEqual(run["lower"], run["upper"] + 1e-9)
                    self.assertLessEqual(run["lower"], run["host"] + 1e-9)

    def test_a_file_of_demands(self):
        # One flow over the one link of a shortest path, and one that shares
        # it: hosts node0000 and node0001 are on the first switch.
        demands = self.file("demands.csv", "node0000,node0004,1\n"
                                           "node0001,node0005,1\n")
        row = self.analyze("sf:q=5,p=4", "-s", "minimal", "-l", "1",
                           "--traffic", f"file:{demands}", "--references",
                           "none")["rows"][0]
        self.assertAlmostEqual(self.mean(row), 0.5, 6)

    def test_of_hosts_with_paths_of_their_own(self):
        # Every host of a leaf sends to another one of its own, over an own
        # link up: full speed, which shared paths cannot give.
        folder = self.route("ft2:ports=8", "-s", "ftree", "-l", "1")
        row = self.analyze(folder, "--traffic", "all-to-all", "--references",
                           "none")["rows"][0]
        self.assertAlmostEqual(self.mean(row), 1, 2)

    def test_the_paper_stands_for_three_loads(self):
        rows = self.analyze("sf:q=3", "-l", "2", "--traffic",
                            "permutation,paper", "--references", "none",
                            "--split", "equal")["rows"]
        self.assertEqual([t["traffic"] for t in rows[0]["throughput"]],
                         ["permutation"] + [f"adversarial:load=0.{i}"
                                            for i in (1, 5, 9)])

    def test_keys_of_traffic_may_follow_commas(self):
        rows = self.analyze("sf:q=3", "-l", "1", "--references", "none",
                            "--split", "equal",
                            "--traffic", "adversarial:load=0.5,elephants=0.5,"
                            "ratio=5,all-to-all,switch-permutation:"
                            "distance=2")["rows"]
        self.assertEqual([t["traffic"] for t in rows[0]["throughput"]],
                         ["adversarial:load=0.5,elephants=0.5,ratio=5",
                          "all-to-all", "switch-permutation:distance=2"])

    def test_a_single_layer_of_a_large_network_is_even(self):
        """Equal shares have no other layer there, over which to even out what
        the first one has: 0.18 and 0.96 were carried."""
        for spec in "jellyfish:n=420,k=60", "hx2:21x21":
            row = self.analyze(spec, "--schemes", "gates", "-l", "1",
                               "--split", "equal", "-t", "all-to-all",
                               "--references", "none", "--without-lanes")
            share = row["rows"][0]["throughput"][0]["mean"]
            self.assertGreater(share, 0.999, spec)


class Forms(Analyzed):
    ARGS = ["sf:q=3", "--schemes", "minimal,rues:0.6,gates", "--layers",
            "1,4", "--traffic", "all-to-all,permutation", "--seeds", "2",
            "--references", "hops"]

    def test_the_files_say_the_same(self):
        folder = self.folder()
        text = self.succeeds("analyze", *self.ARGS, "-o", folder)
        data = self.analyze(*self.ARGS)
        with open(f"{folder}/analysis.txt", encoding="utf-8") as file:
            self.assertEqual(file.read(), text)
        with open(f"{folder}/analysis.json", encoding="utf-8") as file:
            written = json.load(file)
        self.assertIn(f"-o {folder}", written.pop("command"))
        self.assertEqual(written, {key: data[key] for key in data
                                   if key != "command"})
        with open(f"{folder}/analysis.csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        flat = [(row, t) for row in data["rows"] for t in row["throughput"]]
        self.assertEqual(len(rows), len(flat))
        self.assertEqual(len(rows), 6 * 4 + 2)
        for line, (row, throughput) in zip(rows, flat):
            self.assertEqual((line["label"], line["kind"], line["split"],
                              line["traffic"]),
                             (row["label"], row["kind"], throughput["split"],
                              throughput["traffic"]))
            self.assertEqual(line["n_layers"], str(row["n_layers"] or ""))
            self.assertAlmostEqual(float(line["throughput_mean"]),
                                   throughput["mean"], 7)
            for key in ("n_pairs", "mean_hops", "most_hops", "mean_disjoint",
                        "share_3_disjoint"):
                if row["paths"]:
                    self.assertAlmostEqual(float(line[key]),
                                           row["paths"][key], 7)
                else:
                    self.assertEqual(line[key], "")
        with open(f"{folder}/histograms.csv", encoding="utf-8") as file:
            bins = list(csv.DictReader(file))
        self.assertEqual(
            [(line["label"], line["n_layers"], line["histogram"],
              [int(line["value"]), int(line["n"])]) for line in bins],
            [(row["label"], str(row["n_layers"]), name, bin_)
             for row in data["rows"] if row["paths"] for name in HISTOGRAMS
             for bin_ in row["paths"][name]])

    def test_the_text_has_every_routing_and_traffic(self):
        text = self.succeeds("analyze", *self.ARGS)
        for word in ("rues:0.6", "all-to-all", "permutation", "equal    ",
                     "all paths to 3 hops", "2 seeds from 1"):
            self.assertIn(word, text)
        csv_rows = list(csv.DictReader(io.StringIO(
            self.succeeds("analyze", *self.ARGS, "-f", "csv"))))
        self.assertEqual(len(csv_rows), 26)

    def test_figures_are_svg_that_renders(self):
        folder = self.folder()
        self.succeeds("analyze", *self.ARGS, "-o", folder)
        for name in SVGS:
            root = xml.etree.ElementTree.parse(f"{folder}/{name}").getroot()
            texts = {element.text for element in root.iter(
                "{http://www.w3.org/2000/svg}text")}
            self.assertLessEqual({"minimal", "rues:0.6", "gates"}, texts)
            done = subprocess.run(["rsvg-convert", f"{folder}/{name}"],
                                  capture_output=True, check=True)
            self.assertEqual(done.stdout[:4], b"\x89PNG")
            sides = [float(root.get(side)) for side in ("width", "height")]
            for text in root.iter("{http://www.w3.org/2000/svg}text"):
                if text.get("x"):
                    self.assertTrue(0 <= float(text.get("x")) <= sides[0])
                    self.assertTrue(0 <= float(text.get("y")) <= sides[1])

    def test_bars_are_the_shares_of_pairs(self):
        folder = self.folder()
        self.succeeds("analyze", "sf:q=5", "-l", "8", "--without-lanes", "-o",
                      folder)
        root = xml.etree.ElementTree.parse(
            f"{folder}/disjoint-paths.svg").getroot()
        titles = [t.text for t in root.iter(
            "{http://www.w3.org/2000/svg}title")]
        self.assertEqual(titles, ["1: 14.3 %", "7: 85.7 %"])

    def test_without_traffic_there_is_no_figure_of_throughput(self):
        folder = self.folder()
        self.succeeds("analyze", "sf:q=3", "-o", folder)
        self.assertFalse(os.path.exists(f"{folder}/throughput.svg"))
        self.assertTrue(os.path.exists(f"{folder}/path-lengths.svg"))

    def test_documented_members_are_there(self):
        with open(f"{harness.ROOT}/doc/formats.md", encoding="utf-8") as doc:
            section = doc.read().split("## Analysis, JSON\n")[1]
        documented = {line.split("`")[1]
                      for line in section.split("\n## ")[0].splitlines()
                      if line.startswith("| `")}
        data = self.analyze("sf:q=3", "--traffic", "permutation")
        row = data["rows"][0]
        found = set(data) | {f"rows[].{m}" for m in row}
        found |= {f"rows[].paths.{m}" for m in row["paths"]}
        throughput = row["throughput"][0]
        found |= {f"rows[].throughput[].{m}" for m in throughput}
        found |= {f"rows[].throughput[].runs[].{m}"
                  for m in throughput["runs"][0]}
        self.assertEqual(found, documented)

    def test_threads_change_nothing(self):
        one, many = (self.succeeds("analyze", *self.ARGS, "-f", "json",
                                   "--threads", n) for n in ("1", "5"))
        self.assertEqual(harness.without_command(one),
                         harness.without_command(many))


class Resuming(Analyzed):
    ARGS = Forms.ARGS

    def kept(self, folder):
        """What is kept: the bytes and the time of writing of each file."""
        return {path: (open(path, "rb").read(), os.stat(path).st_mtime_ns)
                for path in glob.glob(f"{folder}/measured/*")}

    def test_what_is_finished_is_not_done_again(self):
        folder = self.folder()
        first = self.succeeds("analyze", *self.ARGS, "-o", folder)
        before = self.kept(folder)
        # Paths and four throughputs of 6 routings, two of a reference, for
        # each of two seeds; all-to-all over all paths knows no seed.
        self.assertEqual(len(before), 2 * (6 * 5 + 2) - 1)
        missing = sorted(before)[::3]
        for path in missing:
            os.remove(path)
        damaged = sorted(set(before) - set(missing))[:2]
        for path in damaged:
            with open(path, "w", encoding="utf-8") as file:
                file.write('{"schema": "slimfly.mea')
        self.assertEqual(self.succeeds("analyze", *self.ARGS, "-o", folder),
                         first)
        after = self.kept(folder)
        self.assertEqual({path: text for path, (text, _) in before.items()},
                         {path: text for path, (text, _) in after.items()})
        for path in set(before) - set(missing) - set(damaged):
            self.assertEqual(before[path], after[path])

    def test_what_is_finished_is_used(self):
        folder = self.folder()
        args = ["sf:q=3", "--traffic", "permutation", "--references", "none",
                "-o", folder]
        self.succeeds("analyze", *args)
        for path in glob.glob(f"{folder}/measured/*"):
            with open(path, encoding="utf-8") as file:
                data = json.load(file)
            if "throughput" in data:
                data["throughput"].update(lower=0.1234, upper=0.1234)
                with open(path, "w", encoding="utf-8") as file:
                    json.dump(data, file)
        self.assertIn("0.1234", self.succeeds("analyze", *args))
        # But not for anything else.
        for more in (["--seed", "2"], ["--gap", "0.1"], ["-s", "paper"],
                     ["--without-host-links"], ["-l", "2"]):
            self.assertNotIn("0.1234",
                             self.succeeds("analyze", *args, *more))
        self.assertNotIn("0.1234", self.succeeds(
            "analyze", "sf:q=4", *args[1:]))

    def test_bounds_too_far_apart_are_not_used(self):
        folder = self.folder()
        args = ["sf:q=3", "--traffic", "permutation", "--references", "none",
                "-o", folder]
        expected = self.succeeds("analyze", *args)
        before = self.kept(folder)
        for path in before:
            with open(path, encoding="utf-8") as file:
                data = json.load(file)
            if "throughput" in data:
                data["throughput"]["lower"] /= 1.1
                with open(path, "w", encoding="utf-8") as file:
                    json.dump(data, file)
        self.assertEqual(self.succeeds("analyze", *args), expected)
        self.assertEqual({path: text for path, (text, _) in before.items()},
                         {path: text for path, (text, _) in
                          self.kept(folder).items()})

    def test_changed_files_of_demands_are_noticed(self):
        folder = self.folder()
        demands = self.file("demands.csv", "node0000,node0017,1\n")
        args = ["sf:q=3", "-s", "minimal", "--traffic", f"file:{demands}",
                "--references", "none", "-o", folder]
        self.assertIn("  1.0000", self.succeeds("analyze", *args))
        with open(demands, "w", encoding="utf-8") as file:
            file.write("node0000,node0017,2\n")
        self.assertIn("  0.5000", self.succeeds("analyze", *args))

    def test_an_interrupted_run_goes_on(self):
        folder = self.folder()
        args = ["sf:q=4", "--schemes", "paper,gates,rues", "--layers", "4,8",
                "--traffic", "all-to-all", "--references", "none", "--seeds",
                "2", "-o", folder]
        with subprocess.Popen([harness.PROGRAM, "analyze", *args],
                              stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as process:
            while (process.poll() is None and
                   len(glob.glob(f"{folder}/measured/*.json")) < 4):
                time.sleep(0.01)
            process.send_signal(signal.SIGTERM)
        names = [os.path.basename(path) for path in
                 glob.glob(f"{folder}/measured/*")]
        self.assertGreaterEqual(len(names), 4)
        self.assertTrue(all(re.fullmatch(r"[0-9a-f]{16}\.json", name)
                            for name in names), names)
        again = self.succeeds("analyze", *args)
        args[-1] = self.folder()
        self.assertEqual(self.succeeds("analyze", *args), again)


class Refusals(Analyzed):
    def test_of_words(self):
        for args, says in [
                ([], "expected a fabric and perhaps its tables; found 0"),
                (["sf:q=5", "a", "b"], "found 3 words"),
                (["sf:q=6"], "q"),
                (["sf:q=5", "--schemes", "nosuch"],
                 "'nosuch' is not a layer scheme; there are gates, paper, "),
                (["sf:q=5", "--schemes", "paper:0.5"],
                 "'0.5': expected KEY=VALUE; paper has the keys min-hops, "
                 "sets"),
                (["sf:q=5", "--schemes", "paper:fraction=0.5"],
                 "'fraction' is not a key of paper; it has min-hops, sets"),
                (["sf:q=5", "--schemes", "rues:1.5"],
                 "fraction = 1.5: expected a number above 0 and up to 1"),
                (["sf:q=5", "--schemes", "rues:"],
                 "fraction has no value: expected a number above 0"),
                (["sf:q=5", "--schemes", "gates,,paper"],
                 "found an empty one"),
                (["sf:q=5", "--layers", "0"], "whole numbers from 1 to 128"),
                (["sf:q=5", "--layers", "1,129"], "'129'"),
                (["sf:q=5", "--layers", "4x"], "'4x'"),
                (["sf:q=5", "--seeds", "0"], "--seeds"),
                (["sf:q=5", "--seed", "-1"], "--seed '-1'"),
                (["sf:q=5", "--split", "best"], "expected --traffic LIST too"),
                (["sf:q=5", "--traffic", "permutation", "--split", "worst"],
                 "expected one of best, equal"),
                (["sf:q=5", "--references", "any"],
                 "expected --traffic LIST too"),
                (["sf:q=5", "--traffic", "permutation", "--references",
                  "all"], "expected one of free, trees, hops, any, none"),
                (["sf:q=5", "--traffic", "permutation", "--references",
                  "any,none"], "expected 'none' alone"),
                (["hx2:3x3", "--traffic", "permutation", "--max-hops", "4",
                  "--references", "trees"], "at most 3 hops, not 4"),
                (["df:a=4,h=2", "--traffic", "permutation", "--references",
                  "trees"], "at most 3 hops, not 4"),
                (["df:a=4,h=2", "--traffic", "permutation", "--max-hops", "3",
                  "--references", "trees"], "within two hops"),
                (["sf:q=5", "--traffic", "nosuch"], "nosuch"),
                (["sf:q=5", "--traffic", "adversarial:load=2"], "load"),
                (["sf:q=5", "--traffic", "adversarial:nosuch=2"], "nosuch"),
                (["sf:q=5", "--max-hops", "1"], "the diameter is 2"),
                (["sf:q=5", "--schemes", "ftree"], "ftree"),
                (["sf:q=5", "--layers",
                  ",".join(map(str, range(1, 66)))], "at most 64")]:
            with self.subTest(args=args):
                self.fails("analyze", *args, says=says)

    def test_of_demands(self):
        for text, says in [
                ("nosuch,node0001,1\n", "nosuch"),
                ("node0000,nosuch,1\n", "nosuch"),
                ("node0000,node0001,-1\n", "-1"),
                ("node0000,node0001,x\n", "x"),
                ("node0000,node0001,nan\n", "nan"),
                ("node0000,node0001\n", ":1: "),
                ("source,destination,amount\n", ""),
                ("node0000,node0001,0\n", ""),
                ("", "")]:
            path = self.file("demands.csv", text)
            with self.subTest(text=text):
                self.fails("analyze", "sf:q=3", "--traffic", f"file:{path}",
                           says=says)
                done = slimfly("analyze", "sf:q=3", "--traffic",
                               f"file:{path}")
                self.assertIn("demands.csv", done.stderr)
        self.fails("analyze", "sf:q=3", "--traffic", "file:/nosuch",
                   says="/nosuch")

    def test_of_tables(self):
        small, large = self.route("sf:q=3"), self.route("sf:q=4")
        self.fails("analyze", small, f"{large}/opensm-lfts.dump",
                   says="opensm-lfts.dump")
        self.fails("analyze", large, f"{small}/opensm-lfts.dump",
                   says="opensm-lfts.dump")
        # The same switches with other addresses.
        more = self.route("sf:q=3", "-l", "8")
        self.fails("analyze", more, f"{small}/opensm-lfts.dump",
                   says="the fabric has nothing with LID")
        self.fails("analyze", "sf:q=3", f"{small}/opensm-lfts.dump",
                   says="the fabric has nothing with LID")
        self.fails("analyze", small, "/nosuch",
                   says="expected tables, a file or a folder")
        self.fails("analyze", small, f"{small}/fabric.ibnetdiscover",
                   says="fabric.ibnetdiscover")

    def test_of_places_that_cannot_be_written(self):
        path = self.file("file", "")
        self.fails("analyze", "sf:q=3", "-o", path, says="folder")


if __name__ == "__main__":
    harness.main()
