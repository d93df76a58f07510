"""slimfly compare, and design --compare: networks side by side."""
import csv
import io
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time

import harness

# Quick measurements, quick failures.
QUICK = ["-t", "permutation", "--without-simulation"]
FEW = ["--failures", "links,rack", "--shares", "10", "--draws", "2",
       "--without-times"]
# Something of everything.
WHOLE = ["compare", "sf:q=3", "ft2:ports=6", "hx2:3x3", "-t",
         "all-to-all,permutation", "--failures", "links,switches,rack,bundle",
         "--shares", "5,20", "--draws", "3", "--without-times"]
FIGURES = ["cost.svg", "throughput.svg", "latency.svg", "failed-links.svg",
           "failed-switches.svg", "failed-parts.svg"]
FILES = ["comparison.txt", "comparison.json", "comparison.csv",
         "simulation.json", *FIGURES]
FAMILIES = ["sf:q=3", "ft2:ports=6", "ft2b:ports=6,over=2",
            "ft3:ports=4", "hx2:3x3", "df:a=4,h=2,p=2",
            "xpander:k=4,lift=4", "jellyfish:n=12,k=4", "pf:q=3"]


class Compare(harness.Case):
    def folder(self):
        path = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, path)
        return path

    def read(self, folder, name):
        with open(f"{folder}/{name}", encoding="utf-8") as file:
            return file.read()

    def compared(self, *args):
        return json.loads(self.succeeds("compare", *args, "-f", "json"))

    def check_same(self, folder, other):
        """All files of two folders are the same."""
        for name in sorted(os.listdir(other)):
            if os.path.isfile(f"{other}/{name}"):
                mine, theirs = (self.read(f, name) for f in (folder, other))
                # The command names its folder.
                if name.endswith(".json"):
                    mine, theirs = (json.loads(text)
                                    for text in (mine, theirs))
                    for root in mine, theirs:
                        root.pop("command")
                        for row in root.get("rows", []):
                            row.pop("wall_s")
                self.assertEqual(mine, theirs, name)
        self.assertEqual(sorted(os.listdir(f"{folder}/measured")),
                         sorted(os.listdir(f"{other}/measured")))


class Results(Compare):
    def test_cost_is_the_sum_of_parts(self):
        """From the plan and the file of prices, added up anew."""
        with open(f"{harness.ROOT}/data/prices.json",
                  encoding="utf-8") as file:
            generation = next(g for g in json.load(file)["generations"]
                              if g["ports"] == 36)
        found = self.compared("sf:q=5", "hx2:5x5", "--hosts", "99",
                              "--failures", "none", *QUICK)
        for network in found["networks"]:
            folder = self.folder()
            self.succeeds("plan", network["spec"], "--hosts", "99",
                          "--switch-ports", "36", "-o", folder)
            plan = json.loads(self.read(folder, "plan.json"))
            figures, cables = network["figures"], plan["cables"]
            optical = sum(c["medium"] == "optical" for c in cables)
            switch = generation["switch"]
            cost = len(plan["switches"]) * switch["price"]
            for cable in cables:
                of = next(p for p in generation["links"]
                          if p["medium"] == cable["medium"])
                cost += of["price"] + of["per_metre"] * cable["length"]
            for name, value in [
                    ("switches", len(plan["switches"])),
                    ("cables", len(cables)),
                    ("optical_cables", optical),
                    ("cable_metres", sum(c["length"] for c in cables)),
                    ("cost", cost), ("cost_per_host", cost / 99),
                    ("watts", len(plan["switches"]) * switch["watts"]
                     + 2 * optical * generation["optical_end_watts"])]:
                self.assertAlmostEqual(figures[name], value,
                                       delta=1e-6 * value, msg=name)

    def test_paths_and_throughput_are_what_analyze_gets(self):
        traffics = "all-to-all,permutation"
        found = self.compared("sf:q=4", "ft2:ports=8", "--failures", "none",
                              "--without-simulation", "-t", traffics,
                              "--hosts", "32")
        for network in found["networks"]:
            folder = self.folder()
            self.succeeds("plan", network["spec"], "--hosts", "32", "-o",
                          folder)
            analysis = json.loads(self.succeeds(
                "analyze", folder, "-t", traffics, "--references", "none",
                "--gap", "0.01", "-f", "json"))
            row = analysis["rows"][0]
            for mine, theirs in [("mean_hops", "mean_hops"),
                                 ("longest_path", "most_hops"),
                                 ("disjoint_paths", "mean_disjoint")]:
                self.assertAlmostEqual(network["figures"][mine],
                                       row["paths"][theirs], places=6)
            carried = {(t["traffic"], t["split"]): t["runs"][0]["lower"]
                       for t in row["throughput"]}
            for mine in network["throughput"]:
                theirs = carried[mine["traffic"], mine["split"]]
                self.assertAlmostEqual(mine["mean"], theirs,
                                       delta=0.01 * theirs)

    def test_loads_are_what_simulate_gets(self):
        folder = self.folder()
        self.succeeds("compare", "sf:q=3", "--failures", "none", "-t",
                      "permutation", "-o", folder)
        rows = json.loads(self.read(folder, "simulation.json"))["rows"]
        for mine in rows[:3]:
            row = json.loads(self.succeeds(
                "simulate", "sf:q=3", "-w", "all-to-all", "--load",
                str(mine["offered_load"]), "--timing", mine["timing"],
                "--net", "edr", "-f", "json"))["rows"][0]
            for rows_of in mine, row:
                rows_of.pop("wall_s")
            self.assertEqual(mine, row)

    def test_the_load_is_found_by_halves(self):
        found = self.compared("hx2:3x3", "--failures", "none", "-t",
                              "permutation")
        load = found["networks"][0]["uniform_load"]
        taken = [run["load"] for run in load["runs"] if run["taken"]]
        refused = [run["load"] for run in load["runs"] if not run["taken"]]
        loads = [run["load"] for run in load["runs"]]
        self.assertEqual(loads, sorted(set(loads)))
        if load["refused"] is None:
            self.assertEqual((refused, load["taken"]), ([], 1))
        else:
            self.assertEqual(load["refused"], min(refused))
            self.assertEqual(load["taken"],
                             max(t for t in taken if t < min(refused)))
            self.assertLess(load["refused"] - load["taken"], 0.04)

    def test_equal_cost_tells_hosts_for_each_million(self):
        found = self.compared("sf:q=3", "hx2:3x3", "--equal", "cost",
                              "--failures", "none", *QUICK)
        rows = list(csv.DictReader(io.StringIO(self.succeeds(
            "compare", "sf:q=3", "hx2:3x3", "--equal", "cost", "--failures",
            "none", *QUICK, "-f", "csv"))))
        self.assertEqual(found["equal"], "cost")
        value = {(row["figure"], row["network"]): row["value"]
                 for row in rows}
        for network in found["networks"]:
            name = network["name"]
            worth = (float(value["throughput_equal", name]) * network["hosts"]
                     / network["figures"]["cost"] * 1e6)
            self.assertAlmostEqual(
                float(value["throughput_equal_per_million", name]), worth,
                delta=1e-6 * worth)
        text = self.succeeds("compare", "sf:q=3", "hx2:3x3", "--equal",
                             "cost", "--failures", "none", *QUICK)
        # Each has its own hosts, and the tables say how many.
        self.assertIsNone(found["hosts"])
        self.assertEqual([n["hosts"] for n in found["networks"]], [54, 18])
        self.assertEqual([value["hosts", n["name"]]
                          for n in found["networks"]], ["54", "18"])
        self.assertTrue(text.startswith(
            "2 networks with 18 to 54 hosts; at equal cost: "), text)
        self.assertRegex(text, r"\n  hosts +54 +18\n")
        self.assertRegex(found["answers"][0],
                         r"USD for 18 hosts\. .* % more for 54 hosts\.$")
        self.assertIn("permutation traffic for each host: ",
                      " ".join(found["answers"]))
        self.assertIn("For each million USD, ", text)
        self.assertRegex(" ".join(text.split()),
                         r"the most permutation traffic: \d+ hosts at full "
                         r"rate\.")

    def test_equal_cost_takes_what_money_buys(self):
        """All were cut to the hosts of the smallest, so that the one with most
        hosts for the money did not win."""
        found = json.loads(self.succeeds(
            "design", "--ports", "36", "--budget", "300000", "--families",
            "sf,ft2,hx2,df", "--compare", "--without-simulation",
            "--failures", "none", "-t", "all-to-all", "--equal", "cost",
            "-f", "json"))
        worth = {}
        for network in found["networks"]:
            cost = network["figures"]["cost"]
            self.assertLessEqual(cost, 300000)
            share = next(t["mean"] for t in network["throughput"]
                         if t["split"] == "equal")
            worth[network["name"]] = 1e6 * network["hosts"] * share / cost
        self.assertEqual(
            {n["name"]: n["hosts"] for n in found["networks"]},
            {"hx2:4x4,links=4": 192, "ft2:ports=36,leaf=9": 162,
             "df:a=8,h=4,g=2": 64, "sf:q=3": 54})
        best = max(worth, key=worth.get)
        self.assertEqual(best, "hx2:4x4,links=4")
        self.assertIn(f"For each million USD, {best} carries the most "
                      f"all-to-all traffic: {worth[best]:.0f} hosts at full "
                      "rate.", found["answers"])
        self.assertIn("Each has all its hosts.", found["note"])

    def test_answers_follow_from_the_figures(self):
        found = self.compared("sf:q=3", "hx2:3x3", "ft2:ports=6", *QUICK,
                              *FEW)
        networks = found["networks"]
        families = {"sf:q=3": "Slim Fly", "hx2:3x3": "two-dimensional HyperX",
                    "ft2:ports=6": "two-level Fat Tree"}
        first, *others = sorted(networks, key=lambda n: n["figures"]["cost"])
        cost = first["figures"]["cost"]
        line = found["answers"][0]
        self.assertTrue(line.startswith(
            f"{first['name']} ({families[first['name']]}) costs least: "
            f"{cost / 1e6:.2f} million USD for {found['hosts']} hosts."), line)
        at = 0
        for network, verb in zip(others, (" costs", "")):
            more = 100 * (network["figures"]["cost"] / cost - 1)
            words = (f" {network['name']} ({families[network['name']]}){verb} "
                     f"{more:.0f} % more")
            self.assertIn(words, line[at:])
            at = line.index(words)
        for i, (split, start) in enumerate([
                ("best", "With the best shares over the layers, "),
                ("equal", "With equal shares over the layers, ")]):
            best = max(n["throughput"][i]["mean"] for n in networks)
            self.assertEqual(networks[0]["throughput"][i]["split"], split)
            line = next(a for a in found["answers"] if a.startswith(start))
            for network in networks:
                self.assertEqual(
                    network["throughput"][i]["mean"] > 0.99 * best,
                    f"{network['name']} " in line
                    or ", all networks carry " in line, line)
        line = next(a for a in found["answers"]
                    if a.startswith("With 10 % of links gone"))
        for network in networks:
            points = network["failures"]["points"]
            whole, left = (next(p["throughput"][0]["carried"]["mean"]
                                for p in points if p["kind"] == kind)
                           for kind in ("none", "links"))
            self.assertIn(f"{network['name']} keeps "
                          f"{100 * left / whole:.0f} %", line)

    def test_latencies_that_look_the_same_are_a_tie(self):
        """One of them was said to have the shortest."""
        found = self.compared("sf:q=3", "hx2:3x3", "ft2:ports=6",
                              "--failures", "none", "-t", "permutation")
        seen = {n["name"]: f"{1e6 * n['figures']['latency_s']:.2f}"
                for n in found["networks"]}
        best = [name for name in seen if seen[name] == min(seen.values())]
        self.assertEqual(len(best), 2)
        self.assertIn(f"At low load, {' and '.join(best)} have the shortest "
                      f"latency: {min(seen.values())} us with all delays.",
                      found["answers"][-1])

    def test_hosts_that_are_cut_off_are_told(self):
        """Without the rack of its cores, no leaf of this Fat Tree reaches
        another; that network was left out, and no host was said to be cut
        off."""
        found = self.compared("ft2:ports=8", "hx2:4x4", "-t", "permutation",
                              "--without-simulation", "--failures", "rack",
                              "--draws", "2", "--without-times")
        point = found["networks"][0]["failures"]["points"][1]
        self.assertEqual(point["disconnected"], 1)
        self.assertIsNone(point["throughput"][0]["carried"])
        reached = 100 * point["figures"]["reached"]["mean"]
        line = found["answers"][-1]
        gone = point["figures"]["dead_hosts"]["mean"] / found["hosts"]
        words = f"{100 * gone:.3g} % of its hosts gone, " if gone else ""
        self.assertIn(f"; ft2:ports=8 is cut apart ({words}only {reached:.3g} "
                      "% of the pairs of hosts still reach each other).", line)
        self.assertIn("hx2:4x4 keeps ", line)
        self.assertNotIn("no host was cut off", line)

    def test_networks_of_which_nothing_is_left_are_told(self):
        """They were said to be cut apart, and no host to be cut off."""
        quick = ["-t", "all-to-all", "--without-simulation",
                 "--without-times", "--failures"]
        gone = "nothing is left of {}: all its hosts were in what failed"
        line = self.compared("ft2:ports=8", "sf:q=3", *quick, "switches",
                             "--shares", "100")["answers"][-1]
        self.assertEqual(
            line, "With 100 % of switches gone and routes repaired, "
            + "; ".join(map(gone.format, ["ft2:ports=8", "sf:q=3"])) + ".")
        line = self.compared("sf:q=5", "jellyfish:n=12,k=4", "--hosts", "16",
                             *quick, "rack")["answers"][-1]
        self.assertRegex(line, r"sf:q=5 keeps \d+ %.* for each host that is "
                         "left; ")
        self.assertTrue(line.endswith(
            f"; {gone.format('jellyfish:n=12,k=4')}."), line)
        line = self.compared("hx2:1x2,p=4", *quick, "switches", "--shares",
                             "50")["answers"][-1]
        self.assertTrue(line.endswith(
            "the hosts that are left of hx2:1x2,p=4 are on one switch (50 % "
            "of its hosts gone)."), line)
        # Some draws leave traffic, others none.
        found = self.compared("ft2:ports=8", *quick, "switches", "--shares",
                              "50", "--draws", "8")
        point = found["networks"][0]["failures"]["points"][1]
        n = point["throughput"][0]["carried"]["n"]
        self.assertIn(n, range(1, 8))
        self.assertIn(f" in the {n} of 8 draws that leave it some",
                      found["answers"][-1])

    def test_each_kind_of_failures_is_told(self):
        """Only the first was, and a bundle that cuts a network apart was
        not."""
        answers = self.compared(
            "ft2:ports=8", "sf:q=3", *QUICK, "--without-times", "--failures",
            "links,switches,rack,bundle", "--draws", "2")["answers"]
        self.assertEqual(
            [a.split(" gone and routes repaired, ")[0] for a in answers[-4:]],
            ["With 5 % of links", "With 5 % of switches", "With a rack",
             "With a bundle of cables"])
        self.assertRegex(answers[-4], "; no host was cut off\\.$")
        self.assertRegex(answers[-3], "; all hosts that are left reach each "
                         "other\\.$")
        self.assertIn("; ft2:ports=8 is cut apart (", answers[-1])

    def test_fewer_runs_than_draws_are_told(self):
        """Means of one bundle were said to be means of all draws."""
        words = ", or of all racks and bundles where a network has fewer."
        for kind, has in ("links", False), ("bundle", True):
            found = self.compared("ft2:ports=8", *QUICK, "--failures", kind,
                                  "--draws", "2")
            runs = [p["runs"] for p in found["networks"][0]["failures"][
                "points"]]
            self.assertEqual(1 in runs, has)
            text = self.succeeds("compare", "ft2:ports=8", *QUICK,
                                 "--failures", kind, "--draws", "2")
            self.assertEqual(words in " ".join(text.split()), has)

    def test_routings_other_than_asked_for_are_told(self):
        """They went into the means without a word."""
        ask = ["ft3:ports=4", "--lanes", "single", *QUICK, "--failures",
               "links", "--shares", "40", "--draws", "4", "--without-times"]
        network = self.compared(*ask)["networks"][0]
        points = network["failures"]["points"]
        none, some = (p["fallback"] for p in points)
        self.assertEqual(none, 0)
        self.assertGreater(some, 0)
        self.assertLessEqual(some, points[1]["made_anew"])
        text = self.succeeds("compare", *ask)
        self.assertIn(f"After {some} of 4 failures, ft3:ports=4 cannot be "
                      "routed as asked; the default routing is used then.",
                      " ".join(text.split()))
        self.assertEqual(re.findall(r"use another routing, % +(\d+)", text),
                         [f"{25 * some}"])
        rows = list(csv.DictReader(io.StringIO(
            self.succeeds("compare", *ask, "-f", "csv"))))
        self.assertEqual([(r["of"], float(r["value"])) for r in rows
                          if r["figure"] == "failed_fallback"],
                         [("40 % of links", some / 4)])
        # Where all could be routed as asked, there is nothing to tell.
        text = self.succeeds("compare", "ft3:ports=4", *ask[3:])
        self.assertNotIn("another routing", text)
        self.assertNotIn("as asked", text)

    def test_the_healthy_network_is_measured_with_the_same_draws(self):
        text = self.succeeds("compare", "hx2:4x4", *QUICK, *FEW)
        found = self.compared("hx2:4x4", *QUICK, *FEW)
        points = found["networks"][0]["failures"]["points"]
        self.assertEqual([p["kind"] for p in points],
                         ["none", "links", "rack"])
        # As many orders as make a mean, though there are two draws.
        cuts = found["networks"][0]["failures"]["cuts"]
        self.assertEqual(cuts["links_at_random"]["n"], 100)
        self.assertGreaterEqual(cuts["links_at_random"]["min"],
                                cuts["least_links"])
        titles = ["nothing gone, the same draws", "10 % of links gone, after "
                  "repair", "a rack gone, after repair"]
        for title, point in zip(titles, points):
            rows = text.split(f"\n{title}\n")[1].split("\n")
            rows = rows[:next(i for i, r in enumerate(rows)
                              if not r.startswith("  "))]
            told = {row[2:40].strip(): row[40:].strip() for row in rows}
            self.assertEqual(
                told["permutation, equal, %"],
                f"{100 * point['throughput'][0]['carried']['mean']:.1f}")
            for figure in "links", "switches", "hosts":
                gone = point["figures"][f"dead_{figure}"]["mean"]
                self.assertEqual(told.get(f"{figure} gone", "0.0"),
                                 f"{gone:.1f}")
        self.assertIn("\npermutation: every host to one other, at random.\n",
                      text)

    def test_traffic_from_files_is_not_named_after_failures(self):
        """The first traffic was named, though failures leave files out."""
        folder = self.folder()
        self.succeeds("plan", "hx2:3x3", "-o", f"{folder}/plan")
        with open(f"{folder}/plan/plan.json", encoding="utf-8") as file:
            hosts = [h["name"] for h in json.load(file)["hosts"]]
        with open(f"{folder}/some.csv", "w", encoding="utf-8") as file:
            file.write(f"{hosts[0]},{hosts[-1]},1\n")
        self.succeeds("compare", "hx2:3x3", "-t",
                      f"file:{folder}/some.csv,permutation",
                      "--without-simulation", *FEW, "-o", f"{folder}/out")
        line = json.loads(self.read(f"{folder}/out", "comparison.json"))[
            "answers"][-1]
        self.assertIn("of what it carries of permutation", line)
        figure = self.read(f"{folder}/out", "failed-links.svg")
        self.assertIn("throughput of permutation", figure)
        self.assertNotIn("some.csv", figure)

    def test_nothing_left_is_a_sentence(self):
        """It said "is cut apart of what it carries of permutation"."""
        lines = [self.compared("hx2:1x2", *more, *QUICK, "--shares", "50",
                               "--draws", "1", "--without-times")[
                                   "answers"][-1]
                 for more in ([], ["sf:q=3,p=1"])]
        apart = "hx2:1x2 is cut apart (only 0 % of the pairs of hosts still " \
            "reach each other)."
        self.assertEqual(lines[0], "With 50 % of links gone and routes "
                         f"repaired, {apart}")
        self.assertRegex(lines[1], "repaired, sf:q=3,p=1 keeps .* of what it "
                         "carries of permutation; hx2:1x2 is cut apart ")

    def test_rates_that_differ_are_told(self):
        """Shares of EDR and of NDR stood side by side without a word."""
        quick = ["--hosts", "4", *QUICK, "--failures", "none"]
        networks = ["hx2:2x2", "ft2:ports=64,leaf=2,p=2"]
        mixed, alike = (self.compared(*networks, *quick, *more)
                        for more in ([], ["--ports", "64"]))
        self.assertEqual([n["figures"]["rate"] for n in mixed["networks"]],
                         ["4xEDR", "4xNDR"])
        self.assertEqual([n["figures"]["rate"] for n in alike["networks"]],
                         ["4xNDR", "4xNDR"])
        self.assertEqual(
            mixed["answers"][1],
            f"Links differ in rate: {networks[0]} has 4xEDR, {networks[1]} "
            "has 4xNDR. What is carried is a share of the rate of each.")
        self.assertNotIn("differ in rate", " ".join(alike["answers"]))

    def test_links_are_simulated_at_their_rate(self):
        """All were at that of EDR."""
        folder = self.folder()
        for more, nets, title in [
                (["ft2:ports=64,leaf=2,p=2"], {"edr", "ndr"},
                 "each network at the rate of its links"),
                (["--ports", "40"], {"hdr"}, "InfiniBand HDR, 4x"),
                (["--net", "fdr"], {"fdr"}, "InfiniBand FDR, 4x")]:
            text = self.succeeds("compare", "hx2:2x2,p=1", *more, "-t",
                                 "permutation", "--failures", "none", "-o",
                                 folder)
            self.assertIn(f"Simulated: {title}, all to all", text)
            runs = json.loads(self.read(folder, "simulation.json"))["rows"]
            self.assertEqual({run["net"] for run in runs}, nets)

    def test_discovered_links_are_simulated_at_their_rate(self):
        """All were at that of EDR, though the fabric told theirs."""
        folder = self.folder()
        self.succeeds("route", "sf:q=3,p=1", "-o", f"{folder}/fabric")
        path = f"{folder}/fabric/fabric.ibnetdiscover"
        fabric = self.read(folder, "fabric/fabric.ibnetdiscover")
        quick = ["-t", "permutation", "--failures", "none"]
        for text, more, nets in [
                (fabric.replace("4xEDR", "4xHDR"), [], {"hdr"}),
                (fabric.replace("4xEDR", "4xQDR"), ["--net", "fdr"],
                 {"fdr"})]:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            self.succeeds("compare", path, *more, *quick, "-o",
                          f"{folder}/out")
            runs = json.loads(self.read(folder, "out/simulation.json"))
            self.assertEqual({run["net"] for run in runs["rows"]}, nets)
        self.fails("compare", path, *quick, says=f"{path}: links of 4xQDR, "
                   "for which there is no preset: expected --net")
        with open(path, "w", encoding="utf-8") as file:
            file.write(fabric.replace("4xEDR", "4xFDR", 2))
        self.fails("compare", path, *quick,
                   says=f"{path}: links of 4xFDR and of 4xEDR")
        self.succeeds("compare", path, *quick, "--without-simulation")

    def test_prices_of_rates_without_preset(self):
        """Such links were taken for EDR without a word."""
        path = f"{self.folder()}/prices.json"
        with open(f"{harness.ROOT}/data/prices.json",
                  encoding="utf-8") as file:
            text = file.read().replace("4xEDR", "4xXDR")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        quick = ["compare", "hx2:2x2", "--prices", path, "-t", "permutation",
                 "--failures", "none"]
        self.fails(*quick, says="hx2:2x2: links of 4xXDR, for which there is "
                   "no preset: expected --net")
        self.succeeds(*quick, "--without-simulation")

    def test_figures_of_earlier_networks_go(self):
        """They stayed, and a report showed them as if they were of the
        command that came last."""
        folder = self.folder()
        once = ["sf:q=3", *QUICK, "-o", folder]
        for name in "failed-parts.svg", "mine.svg", "failed-parts.svg.old":
            with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
                file.write("<svg/>\n")
        self.succeeds("compare", *once, "--failures", "links", "--shares",
                      "10", "--draws", "1")
        # Where no comparison was, it is nobody's.
        self.assertIn("failed-parts.svg", os.listdir(folder))
        self.succeeds("compare", *once, "--failures", "links", "--shares",
                      "10", "--draws", "1", "--figure", "svg", "--figure-width",
                      "174")
        self.succeeds("compare", *once, "--failures", "none")
        self.assertEqual(
            sorted(os.listdir(folder)),
            ["comparison.csv", "comparison.json", "comparison.txt",
             "cost.svg", "failed-parts.svg.old", "measured", "mine.svg",
             "throughput.svg"])

    def test_no_form_of_a_figure_shows_earlier_networks(self):
        """Figures in the form of papers stayed beside new ones for screens,
        and the runs of a simulation where the new networks had none."""
        folder = self.folder()
        paper = ["--figure", "pdf", "--figure-width", "174"]

        def names(*endings):
            return sorted(name for name in os.listdir(folder)
                          if name.endswith(endings))

        def compare(*args):
            self.succeeds("compare", *args, "-t", "permutation",
                          "--failures", "none", "-o", folder)

        compare("sf:q=3", *paper)
        self.assertIn("simulation.json", names(".json"))
        self.assertIn("latency.csv", names(".csv"))
        compare("hx2:3x3", "--without-simulation")
        self.assertEqual(names(".pdf", ".svg", ".csv", ".json"),
                         ["comparison.csv", "comparison.json", "cost.svg",
                          "throughput.svg"])
        # The same results may be drawn in several forms.
        compare("hx2:3x3", "--without-simulation", *paper)
        self.assertEqual(names(".pdf", ".svg", ".csv"),
                         ["comparison.csv", "cost.csv", "cost.pdf",
                          "cost.svg", "throughput.csv", "throughput.pdf",
                          "throughput.svg"])
        compare("sf:q=3", "--without-simulation", *paper)
        self.assertEqual(names(".svg"), [])
        # A comparison of a design takes the place of one of networks.
        with open(f"{folder}/cost.csv", "w", encoding="utf-8") as file:
            file.write("mine\n")
        self.succeeds("design", "--endpoints", "20", "--ports", "36",
                      "--families", "sf", "--compare", "--failures", "none",
                      *QUICK, "-o", folder)
        self.assertEqual(names(".pdf", ".svg", ".csv"),
                         ["comparison.csv", "cost.csv", "cost.svg",
                          "throughput.svg"])

    def test_figures_go_whatever_the_folder_is_called(self):
        """They stayed where the name of the folder was not UTF-8."""
        folder = f"{self.folder()}/\udcff"
        once = ["compare", "hx2:2x2", *QUICK, "-o", folder]
        self.succeeds(*once, "--failures", "rack", "--draws", "1")
        self.assertIn("failed-parts.svg", os.listdir(folder))
        self.succeeds(*once, "--failures", "none")
        self.assertNotIn("failed-parts.svg", os.listdir(folder))

    def test_figures_of_others_stay(self):
        """A simulation took a comparison for an earlier one of its own, and
        its figure of the same name with it."""
        def figures(folder):
            return {name for name in os.listdir(folder)
                    if name.endswith((".svg", ".pdf", ".csv"))}

        compare = ["compare", "sf:q=3", "-t", "permutation", "--failures",
                   "none"]
        send = ["simulate", "sf:q=3", "-w", "bcast", "--size", "4K"]
        offer = ["simulate", "sf:q=3", "-w", "permutation", "--load", "0.1"]
        folder = self.folder()
        self.succeeds(*compare, "-o", folder)
        compared = figures(folder)
        self.assertIn("latency.svg", compared)
        for command in send, send, [*compare, "--without-simulation"]:
            self.succeeds(*command, "-o", folder)
            self.assertLessEqual(compared, figures(folder))
        # Nor does a comparison take what a simulation drew.
        folder = self.folder()
        for command in offer, *[[*compare, "--without-simulation"]] * 2:
            self.succeeds(*command, "-o", folder)
            self.assertIn("latency.svg", figures(folder))
        # Its own go, and points go with the figure that shows them only.
        folder = self.folder()
        for command, has_more in (send, True), (offer, False), (offer, False):
            self.succeeds(*command, "-o", folder)
            self.assertEqual("progress.svg" in figures(folder), has_more)
            with open(f"{folder}/progress.csv", "a", encoding="utf-8"):
                pass
        self.assertIn("progress.csv", figures(folder))
        self.succeeds(*send, "--figure", "pdf", "-o", folder)
        self.succeeds(*offer, "-o", folder)
        self.assertFalse({"progress.csv", "progress.pdf"} & figures(folder))

    def test_figures_show_only_what_failed(self):
        folder = self.folder()
        self.succeeds("compare", "sf:q=3", *QUICK, "--failures", "rack",
                      "--draws", "1", "-o", folder)
        figure = self.read(folder, "failed-parts.svg")
        self.assertIn(">a rack<", figure)
        self.assertNotIn(">a bundle<", figure)

    def test_latencies_say_what_they_count(self):
        """The table had 1.28 us at 10 % load, and the figure 2.02 us."""
        folder = self.folder()
        text = self.succeeds("compare", "sf:q=3", "-t", "permutation",
                             "--failures", "none", "-o", folder)
        self.assertIn("\n  latency at 10 %, with all delays, us ", text)
        figure = self.read(folder, "latency.svg")
        self.assertIn(">latency in packet times, us<", figure)
        self.assertIn(">hops and waiting, no delays of switches<", figure)
        self.succeeds("simulate", "sf:q=3", "-w", "all-to-all", "--load",
                      "0.1", "--timing", "exact", "-o", folder)
        figure = self.read(folder, "latency.svg")
        self.assertIn(">latency, us<", figure)
        self.assertNotIn("packet times", figure)

    def test_figures_say_where_nothing_is_left(self):
        """Bars that were not there looked like 0, and nobody said whose
        throughput it is."""
        note = "of hosts that are left and of traffic that still has a path"
        command = ["compare", "sf:q=5", "jellyfish:n=12,k=4", "--hosts", "16",
                   *QUICK, "--failures", "switches,rack,bundle", "--shares",
                   "50,100", "--draws", "1"]
        for more in [], ["--figure", "svg", "--figure-width", "174"]:
            folder = self.folder()
            self.succeeds(*command, *more, "-o", folder)
            parts, switches = (self.read(folder, f"failed-{name}.svg")
                               for name in ("parts", "switches"))
            # All hosts of the smaller network are in one rack.
            self.assertIn(">none left</text>", parts)
            self.assertIn(">has none</text>", parts)
            self.assertIn(">none left where a line ends<", switches)
            for figure in parts, switches:
                self.assertIn(note, figure)
                self.assertIn("% of the rate of hosts left<", figure)
                self.assertNotIn("NaN", figure)
                self.assertNotIn("nan", figure.replace("jellyfish", ""))
        self.assertNotIn("nan", self.read(folder, "failed-parts.csv"))

    def test_every_family(self):
        """Also a graph from an edge list, a plan and a discovered fabric."""
        folder = self.folder()
        edges = f"{folder}/ring.edges"
        with open(edges, "w", encoding="utf-8") as file:
            file.write("".join(f"{i} {(i + k) % 9}\n" for i in range(9)
                               for k in (1, 2)))
        self.succeeds("plan", "hx2:3x4", "--hosts", "16", "-o",
                      f"{folder}/plan")
        names = [*FAMILIES, f"edges:file={edges},p=2", f"{folder}/plan"]
        quick = ["--without-simulation", "-t", "permutation", "--failures",
                 "links", "--shares", "5", "--draws", "1", "--hosts", "8"]
        done = self.compared(*names, *quick)
        self.assertEqual([n["name"] for n in done["networks"]], names)
        for network in done["networks"]:
            with self.subTest(network["name"]):
                self.assertEqual(network["hosts"], 8)
                self.assertGreater(network["figures"]["cost"], 0)
                self.assertGreater(network["throughput"][0]["mean"], 0)
                self.assertEqual(len(network["failures"]["points"]), 2)

    def test_discovered_fabrics_keep_their_hosts(self):
        folder = self.folder()
        self.succeeds("route", "sf:q=3", "-o", folder)
        found = self.compared(folder, "hx2:5x5", *QUICK, *FEW)
        first, second = found["networks"]
        self.assertEqual((first["hosts"], second["hosts"]), (54, 54))
        self.fails("compare", folder, "hx2:3x3", *QUICK,
                   says="was discovered and keeps its 54 hosts, but all "
                   "networks are to have 18")
        self.assertIsNone(first["figures"]["cost"])
        # Distances and bisection need no plan.
        spec = self.compared("sf:q=3", *QUICK, "--failures", "none")[
            "networks"][0]["figures"]
        for name in "mean_distance", "bisection_at_least":
            self.assertAlmostEqual(first["figures"][name], spec[name])
        # Another cut may be found where the structure is not known.
        self.assertLess(first["figures"]["bisection_at_most"],
                        1.3 * spec["bisection_at_most"])
        self.assertIsNone(first["failures"])
        self.assertGreater(second["figures"]["cost"], 0)
        # One network with a price is not the best of any for its cost.
        words = " ".join(found["answers"])
        self.assertNotIn("For each million", words)
        self.assertIn("With equal shares over the layers, ", words)


class Formats(Compare):
    def test_files_are_what_formats_print(self):
        folder = self.folder()
        text = self.succeeds(*WHOLE, "-o", folder)
        self.assertEqual(sorted(os.listdir(folder)),
                         sorted([*FILES, "measured"]))
        self.assertEqual(text, self.read(folder, "comparison.txt"))
        self.assertLessEqual(max(map(len, text.splitlines())), 100)
        root = json.loads(self.read(folder, "comparison.json"))
        self.assertEqual(
            (root["schema"], root["schema_version"]),
            ("slimfly.comparison", 1))
        self.assertTrue(root["program"].startswith("slimfly "))
        self.assertTrue(root["command"].startswith("slimfly compare sf:q=3"))
        rows = list(csv.DictReader(io.StringIO(
            self.read(folder, "comparison.csv"))))
        for row in rows:
            network = next(n for n in root["networks"]
                           if n["name"] == row["network"])
            if not row["of"]:
                figure = network["figures"][row["figure"]]
                if isinstance(figure, str):
                    self.assertEqual(figure, row["value"])
                elif figure is not None:
                    self.assertAlmostEqual(figure, float(row["value"]),
                                           delta=1e-8 * abs(figure))
        for name in FIGURES:
            done = subprocess.run(["rsvg-convert", f"{folder}/{name}"],
                                  capture_output=True, check=True)
            self.assertEqual(done.stdout[:4], b"\x89PNG", name)
            drawn = self.read(folder, name)
            for network in "sf:q=3", "ft2:ports=6", "hx2:3x3":
                self.assertIn(network, drawn, name)

    def test_many_networks_are_told_in_parts(self):
        text = self.succeeds("compare", "sf:q=3", "hx2:3x3", "hx2:3x4",
                             "hx2:4x4", "ft2:ports=8", "--failures", "none",
                             *QUICK)
        self.assertLessEqual(max(map(len, text.splitlines())), 100)
        self.assertEqual(text.count("parts, cost and power"), 2)
        # Names of several lines stand above their columns.
        text = self.succeeds("compare", "df:a=4,h=2,p=2,g=9", "sf:q=3",
                             "--failures", "none", *QUICK)
        self.assertIn(f"\n{'df:a=4,h=2,':>54}{'sf:q=3':>14}\n{'p=2,g=9':>54}\n",
                      text)
        self.assertFalse([line for line in text.splitlines()
                          if line != line.rstrip()])

    def test_one_network_is_enough(self):
        text = self.succeeds("compare", "sf:q=3", "--failures", "none",
                             *QUICK)
        self.assertTrue(text.startswith("1 network with "), text)
        self.assertNotIn("least", text.split("parts, cost")[0])


class Work(Compare):
    def start(self, folder, *more, env=None):
        process = subprocess.Popen(
            [harness.PROGRAM, *WHOLE, "-o", folder, "-j", "1", *more],
            text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, **(env or {})})
        self.addCleanup(process.kill)
        return process

    def kept(self, folder):
        path = f"{folder}/measured"
        return len(os.listdir(path)) if os.path.isdir(path) else 0

    def test_threads_and_kills_change_nothing(self):
        folder, whole = self.folder(), self.folder()
        for n, how in (4, signal.SIGKILL), (12, signal.SIGINT):
            process = self.start(folder)
            while process.poll() is None and self.kept(folder) < n:
                time.sleep(0.002)
            process.send_signal(how)
            process.communicate(timeout=harness.PATIENCE)
            if process.returncode != 0: # It may have been quicker.
                self.assertEqual(os.listdir(folder), ["measured"])
        self.succeeds(*WHOLE, "-o", folder, "-j", "2")
        self.succeeds(*WHOLE, "-o", whole, "-j", "1")
        self.check_same(folder, whole)

    def test_two_share_it(self):
        folder, whole = self.folder(), self.folder()
        both = [self.start(folder, env={"OMPI_COMM_WORLD_RANK": str(i),
                                        "OMPI_COMM_WORLD_SIZE": "2"})
                for i in range(2)]
        done = [p.communicate(timeout=harness.PATIENCE) for p in both]
        self.assertEqual([p.returncode for p in both], [0, 0])
        told = self.succeeds(*WHOLE, "-o", whole, "-j", "1")
        self.assertEqual(sorted(done), [("", ""), (told, "")])
        self.check_same(folder, whole)

    def test_progress_names_the_network(self):
        done = harness.slimfly("compare", "sf:q=3", *QUICK, *FEW,
                               "--progress", "always")
        self.assertEqual(done.returncode, 0)
        self.assertIn("sf:q=3", done.stderr)

    def test_most_of_the_time_is_simulation(self):
        """Half of the work was said to be done when it began."""
        done = harness.slimfly("compare", "hx2:2x2", "-t", "permutation",
                               "--failures", "none", "--progress", "always")
        self.assertEqual(done.returncode, 0)
        first = re.search(r"0 of 5 runs done.*: (\d+) %", done.stderr)
        self.assertLess(int(first[1]), 5)


class Errors(Compare):
    def test_each_says_what_was_expected(self):
        for args, says in [
                ([], "expected one or more networks, found none"),
                (["sf:q=6"], "q = 6 is not a prime power"),
                (["nothing:k=3"], "nothing"),
                (["/nowhere"], "/nowhere"),
                (["sf"], "slimfly: compare: sf: no such file; expected a spec "
                 "such as sf:q=5 "),
                (["HyperX"], "'slimfly design --endpoints N --compare' finds "
                 "sizes by itself"),
                (["nowhere.json"], "nowhere.json: No such file"),
                (["sf:q=3", "sf:q=3"],
                 "expected different networks, found sf:q=3 twice"),
                (["sf:q=3", "sf:q=3,p=3"],
                 "sf:q=3 and sf:q=3,p=3 are the same network with 54 hosts"),
                (["sf:q=3", "--hosts", "1000"],
                 "sf:q=3: expected a network with at least 1000 hosts, "
                 "found 54"),
                (["sf:q=3", "--ports", "6"],
                 "sf:q=3: expected switches of at least 8 ports, found 6"),
                (["sf:q=3", "--ports", "9", "--equal", "cost"],
                 "sf:q=3: no price is known for its switches of 9 ports"),
                (["sf:q=3", "hx2:3x3", "--equal", "cost", "-t",
                  "file:some.csv"],
                 "traffic 'file:some.csv' names hosts, and with equal cost "
                 "networks differ in how many they have"),
                (["sf:q=3", "--failures", "none,links"],
                 "expected 'none' alone, or no 'none'"),
                (["sf:q=3", "--failures", "none", "--draws", "2"],
                 "--shares and --draws are for failures"),
                (["sf:q=3", "--shares", "5,2"],
                 "expected growing percentages, found 2 behind 5"),
                (["sf:q=3", "--shares", "0"],
                 "expected percentages above 0 and up to 100, found '0'"),
                (["sf:q=3", "-t", "rain"], "rain"),
                (["sf:q=3", "--share"], "--share: expected --output DIR"),
                ([f"hx2:{i}x3" for i in range(2, 15)],
                 "slimfly: compare: expected at most 12 networks, found 13")]:
            with self.subTest(args):
                self.fails("compare", *args, says=says)

    def test_commands_that_are_refused_leave_no_folder(self):
        """Each left DIR/measured."""
        folder = f"{self.folder()}/new/one"
        for args in [["sf:q=3", "-t", "rain"], ["sf:q=6"],
                     ["sf:q=3", "--hosts", "1000"], ["sf:q=3", "sf:q=3,p=3"],
                     ["sf:q=3", "-t", "permutation,file:/nowhere.csv"],
                     ["sf:q=5", "--lanes", "single"]]:
            with self.subTest(args):
                self.fails("compare", *args, "-o", folder, says="")
                self.assertFalse(os.path.exists(os.path.dirname(folder)))
        with open(f"{os.path.dirname(os.path.dirname(folder))}/file", "w",
                  encoding="utf-8") as file:
            path = file.name
        self.fails("compare", "sf:q=3", *QUICK, "-o", path,
                   says=f"{path}: expected a folder, and this is a file")

    def test_errors_name_the_network_once(self):
        """A full disk was one of "hx2:3x3: hx2:3x3"."""
        def fill_disk():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

        command = ["compare", "hx2:3x3", *QUICK, "-o", self.folder()]
        self.succeeds(*command, "--failures", "none")
        done = subprocess.run(
            [harness.PROGRAM, *command, "--failures", "rack"],
            capture_output=True, text=True, check=False,
            preexec_fn=fill_disk, env=os.environ)
        self.assertEqual(done.returncode, 2)
        self.assertIn("slimfly: compare: hx2:3x3: what is finished cannot be "
                      "kept", done.stderr)

    def test_design_refuses_what_does_not_go_together(self):
        for args, says in [
                (["--draws", "3"], "--draws is for comparisons: expected "
                 "--compare too"),
                (["--alone"], "--alone is for comparisons: expected "
                 "--compare too"),
                (["--compare", "--share"],
                 "design: --share: expected --output DIR too"),
                (["--compare", "--limit", "3"], "--limit is for lists"),
                (["--compare", "-f", "svg"], "--compare has --format text"),
                (["--compare", "--families", "ft2", "--ports", "8"],
                 "--compare: no network answers the question")]:
            with self.subTest(args):
                self.fails("design", "--endpoints", "60", *args, says=says)


class Designs(Compare):
    def test_hosts_that_money_could_buy_are_told(self):
        """Networks for the same money were cut to the hosts of the smallest
        without a word."""
        ask = ["design", "--ports", "36", "--families", "sf,hx2",
               "--compare", "--failures", "none", *QUICK]
        words = "Each has as many hosts as the smallest has"
        for question in ["--budget", "300000"], ["--endpoints", "20"]:
            head = self.succeeds(*ask, *question).split("\n\n")[0]
            self.assertEqual(words in " ".join(head.split()),
                             "--budget" in question, head)

    def test_candidates_of_several_rates_are_told_apart(self):
        """One that was compared was said to be left out, too: with links of
        another rate."""
        text = self.succeeds("design", "--endpoints", "60", "--families",
                             "sf", "--compare", "--failures", "none", *QUICK)
        self.assertEqual(text.count("sf:q=4,p=2 (4xEDR)"), 1)
        self.assertEqual(text.count("sf:q=4,p=2 (4xHDR)"), 1)

    def test_processes_share_a_comparison(self):
        """Without a folder each did and told all of it."""
        ask = ["design", "--endpoints", "20", "--ports", "36", "--families",
               "ft2"]
        compare = ["--compare", "--failures", "none", *QUICK]
        ranks = [{"OMPI_COMM_WORLD_RANK": str(i), "OMPI_COMM_WORLD_SIZE": "2"}
                 for i in range(2)]
        self.fails(*ask, *compare, env=ranks[1], says="design: one of 2 "
                   "processes of mpirun: expected --output DIR")
        alone = [self.succeeds(*ask, *compare, "--alone", env=rank)
                 for rank in ranks]
        folder = self.folder()
        told = [self.succeeds(*ask, *compare, "-o", folder, env=rank)
                for rank in ranks]
        self.assertEqual([*alone, told[1]], [told[0], told[0], ""])
        # A list is for each of them.
        self.assertTrue(self.succeeds(*ask, env=ranks[1]))

    def test_the_best_of_each_family_is_compared(self):
        ask = ["design", "--endpoints", "20", "--ports", "36", "--families",
               "sf,ft2,hx2"]
        folder = self.folder()
        listed = json.loads(self.succeeds(*ask, "-f", "json"))["candidates"]
        best = {}
        for candidate in listed:
            if not candidate["n_missing"]:
                best.setdefault(candidate["family"], candidate["spec"])
        text = self.succeeds(*ask, "--compare", "--failures", "none", *QUICK,
                             "-o", folder)
        found = json.loads(self.read(folder, "comparison.json"))
        self.assertEqual([n["name"] for n in found["networks"]],
                         list(best.values()))
        self.assertEqual(found["hosts"], 20)
        lines = text.splitlines()
        self.assertTrue(lines[1].startswith(
            "Compared: the first of each family by cost: "), lines[1])
        self.assertLessEqual(max(map(len, lines)), 100)
        # What was left out stands behind what was asked.
        self.assertGreater(text.index("Left out, "), text.index("\nequal: "))
        for candidate in listed:
            self.assertIn(candidate["spec"], text)


harness.main()
