"""What 'slimfly route' promises, judged from the files that it writes alone:
every address is reached from every switch, over paths of its layer."""
import json
import os
import re
import resource
import subprocess
import tempfile

import harness
from harness import slimfly

SCHEMES = ["gates", "minimal", "paper", "rues", "fatpaths", "updown"]


class Tables:
    """A routed fabric, read from its folder."""

    def __init__(self, folder):
        self.peer, self.lids, self.switch_lid = {}, {}, {}
        self.home = {}  # The switch that each LID lives on, with its port.
        with open(f"{folder}/fabric.ibnetdiscover", encoding="utf-8") as file:
            blocks = file.read().split("\n\n")[1:]
        for block in blocks:
            head = re.search(r'^(Switch|Ca)\t\d+ "([^"]+)"\t\t# "([^"]*)"'
                             r"(?: base port 0 lid (\d+))?", block, re.M)
            kind, node, _, lid = head.groups()
            if kind == "Switch":
                self.switch_lid[node] = int(lid)
                self.home[int(lid)] = node, 0
            for port, peer, number, tail in re.findall(
                    r'^\[(\d+)\]\S*\s+"([^"]+)"\[(\d+)\](.*)$', block, re.M):
                self.peer[node, int(port)] = peer, int(number)
                if kind == "Ca":
                    base, lmc = map(int, re.search(
                        r"# lid (\d+) lmc (\d+)", tail).groups())
                    for offset in range(1 << lmc):
                        self.home[base + offset] = peer, int(number)
                        self.lids[base + offset] = offset
        self.out = {}
        with open(f"{folder}/opensm-lfts.dump", encoding="utf-8") as file:
            for line in file:
                start = re.match(r"Unicast .* guid 0x([0-9a-f]{16})", line)
                if start:
                    switch = f"S-{start[1]}"
                elif line.startswith("0x"):
                    lid, port = line.split()[:2]
                    self.out[switch, int(lid, 16)] = int(port)
        self.switches = sorted(self.switch_lid)

    def path(self, switch, lid):
        """The switches from one to where the LID lives."""
        path = [switch]
        while path[-1] != self.home[lid][0]:
            assert len(path) < 50, "a loop"
            path.append(self.peer[path[-1], self.out[path[-1], lid]][0])
            assert path[-1] in self.switch_lid, path
        assert self.out[path[-1], lid] == self.home[lid][1]
        return path

    def distances(self, source):
        """Hops from a switch to all others."""
        near, seen = {source: 0}, [source]
        for switch in seen:
            for (node, _), (peer, _) in self.links.get(switch, []):
                if peer not in near:
                    near[peer] = near[switch] + 1
                    seen.append(peer)
        return near

    @property
    def links(self):
        if not hasattr(self, "_links"):
            self._links = {}
            for end, peer in self.peer.items():
                if end[0] in self.switch_lid and peer[0] in self.switch_lid:
                    self._links.setdefault(end[0], []).append((end, peer))
        return self._links


class Routed(harness.Case):
    def route(self, spec, *options):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        done = slimfly("route", spec, "-o", folder.name, *options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return folder.name

    def check(self, folder, max_hops=None, minimal_first=True):
        """Every LID from every switch; the first address by shortest paths,
        but for a scheme that is not made so.  Returns the number of paths by hops, for addresses of hosts."""
        tables = Tables(folder)
        by_hops = {}
        for switch in tables.switches:
            near = tables.distances(switch)
            for lid, (home, _) in tables.home.items():
                hops = len(tables.path(switch, lid)) - 1
                if minimal_first and tables.lids.get(lid, 0) == 0:
                    self.assertEqual(hops, near[home])
                if max_hops:
                    self.assertLessEqual(hops, max_hops)
                if lid in tables.lids and home != switch:
                    by_hops[hops] = by_hops.get(hops, 0) + 1
        return by_hops

    def check_lanes(self, folder):
        if self.report(folder)["lanes"]["safe_on_path_sls"]:
            self.assertIn("no deadlock with the SL of each path",
                          slimfly("audit", folder).stdout)

    def report(self, folder):
        with open(f"{folder}/route.json", encoding="utf-8") as file:
            return json.load(file)


class Schemes(Routed):
    def test_every_scheme_reaches_everything(self):
        for scheme in (*SCHEMES, "updown:first=minimal"):
            for spec in "sf:q=4", "hx2:3x4", "jellyfish:n=14,k=4,p=1":
                with self.subTest(scheme=scheme, spec=spec):
                    folder = self.route(spec, "--scheme", scheme, "--layers",
                                        "3")
                    self.check(folder, minimal_first=scheme not in
                               ("updown", "ordered"))
        self.check(self.route("ft2:leaf=6,core=3,up=2", "-s", "ftree"))

    def test_schemes_are_explained(self):
        done = slimfly("route", "--list")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for name in (*SCHEMES, "ftree", "turns", "dfsssp", "hops", "none"):
            self.assertRegex(done.stdout, rf"(?m)^  {name} +\S.*\n {{12}}\S")
        for line in ("fraction=VALUE  share of links that a layer keeps; "
                     "above 0 and up to 1 (default: 0.6)",
                     "tree or minimal (default: tree)",
                     "1 to 64 (default: the longest path allowed)"):
            self.assertIn(line, done.stdout)
        self.fails("route", "--list", "sf:q=5", says="takes no fabric")

    def test_figures_are_those_of_the_tables(self):
        folder = self.route("sf:q=5", "--layers", "4")
        by_hops = self.check(folder, max_hops=3)
        report = self.report(folder)
        self.assertEqual(report["paths_by_hops"],
                         [by_hops.get(i, 0) for i in range(4)])
        self.assertEqual((report["scheme"], report["n_layers"], report["lmc"],
                          report["n_lids"], report["n_broken_paths"]),
                         ("gates", 4, 2, 850, 0))

    def test_three_disjoint_paths_for_all_that_can(self):
        # In a graph of girth 5 paths of at most 3 hops are disjoint if they
        # start with different links and end with different ones; an adjacent
        # pair has its direct link only.
        tables = Tables(self.route("sf:q=5", "--layers", "4", "--path-sets",
                                   "1"))
        hosts = {}
        for lid, offset in sorted(tables.lids.items()):
            if offset == 0:
                hosts.setdefault(tables.home[lid][0], lid)
        n_enough = 0
        for switch in tables.switches:
            for home, lid in hosts.items():
                paths = {tuple(tables.path(switch, lid + layer))
                         for layer in range(4)}
                best = []
                for path in sorted(paths, key=len):
                    links = set(zip(path, path[1:]))
                    if all(links.isdisjoint(other) for other in best):
                        best.append(links)
                n_enough += switch != home and len(best) >= 3
        self.assertEqual(n_enough, 2100)

    def test_same_bytes_for_the_same_seed_and_any_threads(self):
        one, two, other = (
            self.route("sf:q=5", "--threads", threads, "--seed", seed)
            for threads, seed in (("1", "7"), ("2", "7"), ("2", "8")))
        for name in "opensm-lfts.dump", "fabric.ibnetdiscover", "route.json":
            contents = []
            for folder in one, two, other:
                with open(f"{folder}/{name}", encoding="utf-8") as file:
                    text = file.read()
                contents.append(harness.without_command(text)
                                if name == "route.json" else text)
            self.assertEqual(contents[0], contents[1])
        self.assertNotEqual(contents[0], contents[2])

    def test_per_host_paths_differ_among_the_hosts_of_a_switch(self):
        folder = self.route("sf:q=4", "--scheme", "paper", "--per-host")
        self.check(folder)
        ways = self.ways_to_hosts(folder, 0)
        self.assertEqual(len(ways), 3)
        self.assertGreater(len(set(ways)), 1)

    def ways_to_hosts(self, folder, home):
        """Of each host of a switch, the paths of all switches to it."""
        tables = Tables(folder)
        hosts = [lid for lid, (switch, _) in sorted(tables.home.items())
                 if switch == tables.switches[home] and lid in tables.lids
                 and tables.lids[lid] == 3]
        return [tuple(tuple(tables.path(s, lid)) for s in tables.switches)
                for lid in hosts]

    def test_the_hosts_of_a_switch_are_dealt_among_sets_of_paths(self):
        folder = self.route("sf:q=5", "--path-sets", "3")
        self.check(folder)
        self.assertEqual(self.report(folder)["n_path_sets"], 3)
        for home in 0, 49:
            ways = self.ways_to_hosts(folder, home)
            self.assertEqual(len(ways), 4)
            self.assertEqual(len(set(ways)), 3)
            self.assertEqual(ways[0], ways[3])
        again = self.route(f"{folder}/fabric.ibnetdiscover", "--previous",
                           folder)
        self.assertEqual(self.report(again)["n_path_sets"], 3)
        self.assertEqual(self.report(again)["repair"]["changed"], 0)

    def test_sets_of_paths_are_part_of_the_spec(self):
        one = self.route("sf:q=4", "--path-sets", "3")
        other = self.route("sf:q=4", "-s", "gates:sets=3")
        reports = [{**self.report(folder), "scheme_by_default": None,
                    "command": None}
                   for folder in (one, other)]
        self.assertEqual(reports[0], reports[1])
        self.assertEqual(self.report(one)["scheme"], "gates:sets=3")
        report = self.report(self.route("sf:q=4", "--path-sets", "1"))
        self.assertEqual((report["scheme"], report["n_path_sets"]),
                         ("gates", 1))

    def test_specs_have_one_spelling(self):
        for given, stored in [("rues:0.6", "rues"), ("rues:sets=1", "rues"),
                              ("rues:sets=02,fraction=4e-1",
                               "rues:fraction=0.4,sets=2"),
                              ("updown:first=tree", "updown")]:
            report = self.report(self.route("sf:q=4", "-s", given))
            self.assertEqual(report["scheme"], stored)

    def test_updown_needs_one_lane_as_the_plugin_says(self):
        """route had shortest paths in layer 0, and needed 8 VLs."""
        lanes = self.report(self.route("sf:q=4", "-s", "updown", "-l", "1",
                                       "--max-vls", "1"))["lanes"]
        self.assertEqual((lanes["scheme"], lanes["n_vls"]), ("single", 1))
        mixed = self.report(self.route("sf:q=4", "-l", "1", "-s",
                                       "updown:first=minimal"))
        self.assertGreater(mixed["lanes"]["n_vls"], 1)
        self.assertEqual(mixed["most_hops"], 2)

    def test_as_many_sets_as_hosts_are_the_most(self):
        each = self.route("sf:q=4", "--per-host")
        many = self.route("sf:q=4", "--path-sets", "200")
        reports = [self.report(folder) for folder in (each, many)]
        self.assertEqual(reports[0]["n_path_sets"], 3)
        for report, option in zip(reports, ("--per-host", "--path-sets 200")):
            self.assertTrue(report.pop("command").endswith(option))
        self.assertEqual(*reports)

    def test_documented_members_are_there(self):
        with open(f"{harness.ROOT}/doc/formats.md", encoding="utf-8") as doc:
            section = doc.read().split("## Routing, JSON")[1]
        documented = {line.split("`")[1]
                      for line in section.split("\n## ")[0].splitlines()
                      if line.startswith("| `")}
        self.assertEqual(set(self.report(self.route("sf:q=3"))), documented)


class Balance(Routed):
    def test_no_more_sls_than_there_may_be(self):
        for lanes, n_sls, fits in (("dfsssp", 5, True), ("dfsssp", 2, False),
                                   ("hops", 4, True), ("hops", 3, False),
                                   ("turns", 1, True)):
            options = "--lanes", lanes, "--max-sls", str(n_sls)
            if fits:
                folder = self.route("sf:q=5", *options)
                used = self.report(folder)["lanes"]["n_sls"]
                self.assertLessEqual(used, n_sls, lanes)
            else:
                with tempfile.TemporaryDirectory() as folder:
                    self.fails("route", "sf:q=5", "-o", folder, *options,
                               says=f"and there may be {n_sls}")

    def test_ftree_spreads_the_hosts_of_a_leaf(self):
        for spec in "ft2:ports=12", "ft2:leaf=6,core=3,up=2":
            loads = self.report(self.route(spec, "-s", "ftree", "-l",
                                           "1"))["paths_per_link"]
            self.assertEqual(loads["max"], loads["min"])

    def test_a_fault_makes_only_the_paths_near_it_longer(self):
        edges = self.succeeds("topology", "sf:q=5", "-f", "edges")
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/edges"
            with open(path, "w", encoding="utf-8") as file:
                file.write(edges.replace("\n0 1\n", "\n", 1))
            for scheme in "gates", "paper":
                whole = self.report(self.route("sf:q=5", "-s", scheme))
                faulty = self.route(f"edges:{path},p=4", "-s", scheme)
                self.check(faulty)
                self.assertLess(self.report(faulty)["mean_hops"],
                                whole["mean_hops"] + 0.1)


class Repair(Routed):
    def without(self, folder, *ends):
        """The fabric of a folder with some cables gone."""
        tables = Tables(folder)
        gone = set(ends) | {tables.peer[end] for end in ends}
        lines, node = [], None
        with open(f"{folder}/fabric.ibnetdiscover", encoding="utf-8") as file:
            for line in file:
                head = re.match(r'(?:Switch|Ca)\t\d+ "([^"]+)"', line)
                port = re.match(r"\[(\d+)\]", line)
                node = head[1] if head else node
                if not port or (node, int(port[1])) not in gone:
                    lines.append(line)
        path = f"{folder}/damaged"
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(lines)
        return path

    def test_repair_keeps_the_number_of_path_sets(self):
        # A repaired ftree said 4294967295 once.
        for args in (["ft2:ports=8", "-s", "ftree"], ["ft2:ports=8", "-s",
                     "ftree", "-l", "1"], ["sf:q=4", "--path-sets", "2"],
                     ["sf:q=4", "--per-host", "-l", "2"]):
            before = self.route(*args)
            end = next(iter(Tables(before).peer))
            after = self.route(self.without(before, end), "--previous", before)
            for member in "n_path_sets", "scheme":
                self.assertEqual(self.report(before)[member],
                                 self.report(after)[member], args)

    def test_a_fat_tree_with_faults_stays_one_on_two_lanes(self):
        # All routes were new once, by "ordered", with a third of the
        # throughput: hosts reach a core switch without one of its links by
        # going down and up again.
        before = self.route("ft3:ports=8")
        tables = Tables(before)
        core = [s for s in tables.switches if len(tables.links[s]) == 8
                and not any(tables.peer[s, port][0] not in tables.switch_lid
                            for port in range(1, 9))]
        ends = [(core[i], 1 + i % 2) for i in (0, 5, 11)]
        damaged = self.without(before, *ends)
        whole = self.report(before)
        self.assertEqual(whole["lanes"]["scheme"], "single")
        for more in [], ["--previous", before, "--repair-only"]:
            after = self.route(damaged, *more)
            self.check(after)
            report = self.report(after)
            self.assertEqual((report["scheme"], report["lanes"]["scheme"],
                              report["lanes"]["n_vls"]),
                             ("ftree", "untangle", 2), more)
            self.assertEqual(report["mean_hops"], whole["mean_hops"])
            audit = slimfly("audit", after, "--all-on-sl", "7")
            self.assertEqual(audit.returncode, 0, audit.stdout)
            # The three links beside a dead one of four take what was on it.
            self.assertLess(report["paths_per_link"]["max"],
                            1.5 * whole["paths_per_link"]["max"])
        back = self.route(f"{before}/fabric.ibnetdiscover", "--previous",
                          after)
        self.assertEqual(self.report(back)["lanes"]["n_vls"], 1)

    def test_repair_only(self):
        before = self.route("sf:q=4", "--layers", "4")
        tables = Tables(before)
        end = next(end for end, _ in tables.links[tables.switches[7]])
        damaged = self.without(before, end)
        compared = self.route(damaged, "--previous", before)
        alone = self.route(damaged, "--previous", before, "--repair-only")
        self.check(alone)
        self.assertEqual(Tables(alone).out, Tables(compared).out)
        repair = self.report(alone)["repair"]
        self.assertIsNone(repair["changed_if_made_anew"])
        self.assertEqual(repair["changed"],
                         self.report(compared)["repair"]["changed"])
        self.fails("route", "sf:q=4", "--repair-only", "-o", "nowhere",
                   says="--repair-only is for --previous DIR")

    def test_robust(self):
        robust = self.route("sf:q=4", "--layers", "4", "--scheme",
                            "gates:robust=yes")
        self.check(robust)
        found = self.report(robust)["robustness"]
        self.assertEqual((found["hit"], found["apart"]), (0, found["pairs"]))
        self.assertEqual(found["pairs"], 32 * 31 // 2 * 9)
        plain = self.route("sf:q=4", "--layers", "4")
        self.assertIsNone(self.report(plain)["robustness"])

    def test_repair_changes_little(self):
        before = self.route("sf:q=5", "--layers", "4")
        tables = Tables(before)
        end = next(end for end, _ in tables.links[tables.switches[7]])
        damaged = self.without(before, end)
        after = self.route(damaged, "--previous", before)
        self.check(after)
        repair = self.report(after)["repair"]
        self.assertLess(repair["changed"] * 5,
                        repair["changed_if_made_anew"])
        mended = Tables(after)
        self.assertEqual(mended.home, tables.home)  # LIDs stay.
        changed = sum(mended.out.get(key) != port
                      for key, port in tables.out.items())
        self.assertEqual(changed, repair["changed"])
        # And back again.
        back = self.route(f"{before}/fabric.ibnetdiscover", "--previous",
                          after)
        self.check(back)

    def test_a_repair_is_done_at_once(self):
        self.check_at_once([])

    @harness.long
    def test_other_repairs_are_done_at_once(self):
        self.check_at_once(["--lanes", "none"],
                           ["-s", "paper", "-l", "2", "--max-hops", "3"])

    def check_at_once(self, *several):
        # Neighbours without their link are farther apart than other pairs
        # may be, which must not unsettle the rest.
        for options in several:
            before = self.route("sf:q=5", *options)
            tables = Tables(before)
            damaged = self.without(before, *[
                tables.links[tables.switches[i]][0][0] for i in (3, 20, 41)])
            after = self.route(damaged, "--previous", before)
            again = self.route(damaged, "--previous", after)
            self.assertLess(self.report(after)["repair"]["changed"], 2000)
            self.assertEqual(self.report(again)["repair"]["changed"], 0)

    def test_parts_are_refused_unless_asked_for(self):
        before = self.route("sf:q=4")
        tables = Tables(before)
        alone = tables.switches[5]
        damaged = self.without(before, *[end for end, _ in
                                         tables.links[alone]])
        with tempfile.TemporaryDirectory() as folder:
            self.fails("route", damaged, "--previous", before, "-o",
                       f"{folder}/out", says="--within-parts routes each of")
            self.assertEqual(os.listdir(folder), [])
        report = self.report(self.route(damaged, "--previous", before,
                                        "--within-parts"))
        self.assertEqual(report["n_broken_paths"], 2 * 31 * 3 * 4)

    def test_settings_that_cannot_be_are_refused(self):
        before = self.route("sf:q=3")
        report = self.report(before)
        for change, says in [({"seed": "x"}, "seed: expected a whole number"),
                             ({"scheme": "luck"}, "scheme: 'luck' is not"),
                             ({"scheme": "rues:2"}, "scheme: rues:2: fract"),
                             ({"rues_fraction": -3}, "rues_fraction"),
                             ({"rues_fraction": "x"}, "rues_fraction"),
                             ({"asked_max_hops": -1}, "asked_max_hops"),
                             ({"lanes": {**report["lanes"], "by_default": 7}},
                              "by_default: expected true or false")]:
            with open(f"{before}/route.json", "w", encoding="utf-8") as file:
                json.dump({**report, **change}, file)
            self.fails("route", "sf:q=3", "-o", f"{before}/out", "--previous",
                       before, says=says)
        # Earlier versions did not tell what was asked for.
        del report["lanes"]["by_default"]
        del report["asked_max_hops"]
        with open(f"{before}/route.json", "w", encoding="utf-8") as file:
            json.dump(report, file)
        after = self.route("sf:q=3", "--previous", before)
        self.assertEqual(self.report(after)["repair"]["changed"], 0)

    def test_links_come_back_one_by_one(self):
        self.check_coming_back("turns")

    @harness.long
    def test_links_come_back_with_other_lanes(self):
        self.check_coming_back("dfsssp", "none")

    def check_coming_back(self, *several):
        for lanes in several:
            whole = self.route("sf:q=5", "--lanes", lanes)
            tables = Tables(whole)
            one, two = [tables.links[tables.switches[i]][0][0]
                        for i in (7, 31)]
            with_neither = self.without(whole, one, two)
            damaged = self.route(with_neither, "--previous", whole)
            # Also where they were never there.
            for before in damaged, self.route(with_neither, "--lanes", lanes):
                after = self.route(self.without(whole, two), "--previous",
                                   before)
                self.check(after)
                self.check_lanes(after)
                repair = self.report(after)["repair"]
                self.assertIsNone(repair["why_made_anew"])
                # Paths to the ends of the link, which had four hops, have
                # three again: these must change.
                self.assertLess(repair["changed"] * 15,
                                repair["changed_if_made_anew"])
                back = self.route(f"{whole}/fabric.ibnetdiscover",
                                  "--previous", after)
                self.check(back)
                self.check_lanes(back)

    def test_what_changes_least_is_taken(self):
        whole = self.route("sf:q=5", "--lanes", "none", "-s", "minimal")
        end = Tables(whole).links[Tables(whole).switches[3]][0][0]
        damaged = self.route(self.without(whole, end), "--previous", whole)
        back = self.route(f"{whole}/fabric.ibnetdiscover", "--previous",
                          damaged)
        repair = self.report(back)["repair"]
        self.assertLessEqual(repair["changed"],
                             repair["changed_if_made_anew"])

    def test_the_limit_of_hops_is_kept_as_far_as_it_can_be(self):
        for lanes in "turns", "none":
            whole = self.route("sf:q=5", "--max-hops", "3", "--lanes", lanes)
            end = Tables(whole).links[Tables(whole).switches[3]][0][0]
            damaged = self.route(self.without(whole, end), "--previous",
                                 whole)
            # Neighbours without their link are four hops apart.
            report = self.report(damaged)
            self.assertEqual((report["max_hops"], report["asked_max_hops"],
                              report["most_hops"]), (4, 3, 4))
            back = self.route(f"{whole}/fabric.ibnetdiscover", "--previous",
                              damaged)
            self.check(back, max_hops=3)
            done = slimfly("route", self.without(whole, end), "--previous",
                           whole, "-o", damaged)
            self.assertIn("longer than the limit of 3", done.stdout)

    @harness.long
    def test_faults_keep_the_guarantee(self):
        """Where repairs do not fit into the lanes, other layers take over,
        or other lanes if the user prefers these."""
        for guarantee, others in (("any-sl", ("ordered", "turns")),
                                  ("path-sl", ("gates", "dfsssp"))):
            whole = self.route("xpander:k=5,lift=5", "--guarantee", guarantee)
            tables = Tables(whole)
            found = set()
            for i in range(0, 24, 3):
                ends = [tables.links[tables.switches[(i + 7 * j) % 30]][j][0]
                        for j in range(3)]
                after = self.route(self.without(whole, *ends), "--previous",
                                   whole)
                report = self.report(after)
                lanes = report["lanes"]
                self.check(after, minimal_first=report["scheme"] == "gates")
                self.check_lanes(after)
                found.add((report["scheme"], lanes["scheme"]))
                self.assertEqual(lanes["guarantee"], guarantee)
                if guarantee == "any-sl":
                    self.assertTrue(lanes["safe_on_any_sl"])
                    self.assertIn("no deadlock with all on SL 5",
                                  slimfly("audit", after, "--all-on-sl",
                                          "5").stdout)
            self.assertEqual(found, {("gates", "turns"), others})

    def test_nothing_changes_without_a_fault(self):
        for options in ([], ["--max-hops", "4", "--layers", "8"],
                        ["--max-hops", "2"], ["--lanes", "dfsssp"],
                        ["-s", "paper:min-hops=2"],
                        ["-s", "rues:0.4", "-l", "2"]):
            before = self.route("sf:q=4", *options)
            after = self.route(f"{before}/fabric.ibnetdiscover", "--previous",
                               before)
            repair = self.report(after)["repair"]
            self.assertEqual((repair["changed"],
                              repair["changed_if_made_anew"]), (0, 0))

    def test_options_of_schemes_in_old_folders_are_read(self):
        for old, spec in [
                ({"scheme": "rues", "rues_fraction": 0.4}, "rues:fraction=0.4"),
                ({"scheme": "paper", "paper_min_hops": 2}, "paper:min-hops=2"),
                ({"scheme": "updown"}, "updown:first=minimal")]:
            before = self.route("sf:q=4", "-s", spec, "-l", "2")
            report = self.report(before)
            self.assertEqual(report["scheme"], spec)
            self.assertFalse({"rues_fraction", "paper_min_hops"} & set(report))
            with open(f"{before}/route.json", "w", encoding="utf-8") as file:
                json.dump({**report, "rues_fraction": 0.0,
                           "paper_min_hops": 0, **old}, file)
            after = self.report(self.route("sf:q=4", "--previous", before))
            self.assertEqual(after["scheme"], spec)
            self.assertEqual((after["repair"]["changed"],
                              after["repair"]["changed_if_made_anew"]),
                             (0, 0))

    def test_a_repair_keeps_the_settings(self):
        before = self.route("sf:q=4", "-l", "2", "--seed", "5", "-s", "paper")
        after = self.report(self.route("sf:q=4", "--previous", before))
        self.assertEqual((after["n_layers"], after["seed"], after["scheme"]),
                         (2, 5, "paper"))
        for option in (["-l", "2"], ["--seed", "5"], ["--per-host"],
                       ["--path-sets", "2"],
                       ["-s", "paper"], ["--max-hops", "3"]):
            self.fails("route", "sf:q=4", "-o", "/nonexistent", "--previous",
                       before, *option, says="does not go with --previous")

    def test_a_folder_that_holds_no_tables_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            self.fails("route", "sf:q=3", "-o", f"{folder}/out",
                       "--previous", folder, says="route.json")
            self.assertEqual(os.listdir(folder), [])
            with open(f"{folder}/route.json", "w", encoding="utf-8") as file:
                file.write('{\n"schema": }')
            self.fails("route", "sf:q=3", "-o", f"{folder}/out",
                       "--previous", folder, says="route.json:2: unexpected")

    def test_tables_that_are_cut_off_are_refused(self):
        before = self.route("sf:q=4")
        path = f"{before}/opensm-lfts.dump"
        with open(path, encoding="utf-8") as file:
            tables = file.read().split("Unicast")
        with open(path, "w", encoding="utf-8") as file:
            file.write("Unicast".join(tables[:20]))
        self.fails("route", "sf:q=4", "-o", f"{before}/out", "--previous",
                   before, says="expected a table of each switch")
        self.assertFalse(os.path.exists(f"{before}/out"))

    def test_a_table_that_is_cut_off_at_a_line_is_refused(self):
        before = self.route("sf:q=4")
        path = f"{before}/opensm-lfts.dump"
        with open(path, encoding="utf-8") as file:
            lines = file.readlines()
        end = next(i for i, line in enumerate(lines) if "dumped" in line)
        for begin, go_on in (len(lines) - 5, len(lines)), (end - 7, end + 1):
            with open(path, "w", encoding="utf-8") as file:
                file.writelines(lines[:begin] + lines[go_on:])
            self.fails("route", "sf:q=4", "-o", f"{before}/out", "--previous",
                       before, says=": expected 'lids dumped'")

    def test_without_the_fault_the_limit_is_what_it_was(self):
        whole = self.route("sf:q=4", "-s", "minimal", "-l", "8")
        end = Tables(whole).links[Tables(whole).switches[3]][0][0]
        damaged = self.route(self.without(whole, end), "--previous", whole)
        back = self.route(f"{whole}/fabric.ibnetdiscover", "--previous",
                          damaged)
        self.assertEqual([self.report(folder)["max_hops"]
                          for folder in (whole, damaged, back)], [2, 3, 2])
        self.check(back, max_hops=2)


class Fabrics(Routed):
    """Fabrics as they are found."""

    def changed(self, folder, *changes):
        """The fabric of a folder with regular expressions replaced."""
        with open(f"{folder}/fabric.ibnetdiscover", encoding="utf-8") as file:
            text = file.read()
        for pattern, to in changes:
            text, n = re.subn(pattern, to, text, flags=re.M)
            self.assertGreater(n, 0)
        path = f"{folder}/changed.ibnetdiscover"
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def test_ports_without_a_cable_get_no_addresses(self):
        first = self.route("sf:q=4")
        folder = self.route(self.changed(first, (r"^Ca\t1 ", "Ca\t2 ")))
        self.assertEqual(self.report(folder)["n_lids"], 32 + 96 * 4)
        self.check(folder)
        with open(f"{folder}/guid2lid", encoding="utf-8") as file:
            self.assertNotIn("0x0000000000000000", file.read())
        done = slimfly("audit", folder)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_two_nodes_of_one_guid_are_refused(self):
        first = self.route("sf:q=3")
        with open(f"{first}/fabric.ibnetdiscover", encoding="utf-8") as file:
            guids = re.findall(r"caguid=0x[0-9a-f]+", file.read())
        self.fails("route", self.changed(first, (guids[1], guids[0])), "-o",
                   f"{first}/out", says="expected each GUID once")

    def test_lids_that_cannot_stay_are_counted(self):
        first = self.route("sf:q=4")
        done = slimfly("route", f"{first}/fabric.ibnetdiscover", "-o",
                       f"{first}/same")
        self.assertNotIn("another LID", done.stdout)
        done = slimfly("route", self.changed(
            first, (r"base port 0 lid 2 ", "base port 0 lid 1 ")), "-o",
            f"{first}/other")
        self.assertIn("  1 ports have another LID", done.stdout)

    def test_where_lanes_do_not_suffice_paths_are_in_order(self):
        self.check_in_order("jellyfish:n=40,k=3,seed=2")

    @harness.long
    def test_paths_are_in_order_on_a_larger_one(self):
        self.check_in_order("xpander:k=5,lift=10")

    def check_in_order(self, *specs):
        for spec in specs:
            folder = self.route(spec)
            self.check(folder, minimal_first=False)
            self.check_lanes(folder)
            report = self.report(folder)
            self.assertEqual(report["scheme"], "ordered")
            self.assertTrue(report["lanes"]["safe_on_any_sl"])
            done = slimfly("route", spec, "-o", folder)
            self.assertIn("(gates with lanes by turns is not possible: ",
                          done.stdout)
            self.fails("route", spec, "-s", "gates", "-o", f"{folder}/out",
                       says="use the lanes dfsssp, which need no turns")

    def test_who_prefers_path_sls_gets_shortest_paths(self):
        spec = "jellyfish:n=40,k=3,seed=2"
        folder = self.route(spec, "--guarantee", "path-sl")
        self.check(folder)
        self.check_lanes(folder)
        report = self.report(folder)
        self.assertEqual((report["scheme"], report["lanes"]["scheme"]),
                         ("minimal", "dfsssp"))
        self.assertEqual(report["lanes"]["guarantee"], "path-sl")

    def test_a_guarantee_that_cannot_be_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            self.fails("route", "sf:q=5", "-s", "paper", "--guarantee",
                       "any-sl", "-o", f"{folder}/out",
                       says="in a circle if all are on one lane; use the "
                       "scheme ordered, which needs one VL, or the guarantee "
                       "path-sl with the lanes dfsssp and more VLs")
            self.fails("route", "sf:q=5", "--lanes", "dfsssp", "--guarantee",
                       "any-sl", "-o", f"{folder}/out",
                       says="the guarantee is to be safe on any")
            self.fails("route", "sf:q=5", "--guarantee", "none", "-o",
                       f"{folder}/out", says="any-sl, path-sl")

    def test_fat_trees_are_routed_as_such(self):
        """Settings for three levels never came up."""
        for spec in ("ft2:leaf=6,core=3,up=2", "ft3:ports=4", "ft3:ports=8",
                     "ft2b:ports=12,over=3"):
            report = self.report(self.route(spec))
            lanes = report["lanes"]
            self.assertEqual((report["scheme"], lanes["scheme"],
                              lanes["n_vls"], lanes["safe_on_any_sl"]),
                             ("ftree", "single", 1, True))


class AllOrNothing(Routed):
    """A folder of tables is replaced when all of them are complete."""

    def contents(self, folder):
        contents = {}
        for name in os.listdir(folder):
            if os.path.isfile(f"{folder}/{name}"):
                with open(f"{folder}/{name}", "rb") as file:
                    contents[name] = file.read()
        return contents

    def fails_and_leaves(self, folder, says, **how):
        before = self.contents(folder)
        done = subprocess.run(
            [harness.PROGRAM, "route", "sf:q=4", "--layers", "8", "-o",
             folder], capture_output=True, text=True, check=False, **how)
        self.assertEqual(done.returncode, 2)
        self.assertIn(says, done.stderr)
        self.assertEqual(self.contents(folder), before)

    def test_no_room(self):
        folder = self.route("sf:q=4")
        size = os.path.getsize(f"{folder}/opensm-lfts.dump")
        self.fails_and_leaves(
            folder, "opensm-lfts.dump: File too large", restore_signals=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE,
                                                  (size, size)))

    def test_a_file_that_cannot_be_replaced(self):
        folder = self.route("sf:q=4")
        os.remove(f"{folder}/path-sl.csv")
        os.mkdir(f"{folder}/path-sl.csv")
        self.fails_and_leaves(folder, "path-sl.csv: Is a directory")


class BadInput(harness.Case):
    def test_usage(self):
        with tempfile.TemporaryDirectory() as folder:
            out = f"{folder}/out"
            parts = f"{folder}/parts"
            with open(parts, "w", encoding="utf-8") as file:
                file.write("a b\nb c\nc a\nd e\n")
            for args, says in [
                    ([], "expected one fabric"),
                    (["sf:q=5"], "expected a folder for the tables"),
                    (["sf:q=6", "-o", out], "q = 6 is not a prime power"),
                    (["sf:q=5", "-o", out, "--layers", "0"],
                     "whole number from 1 to 128"),
                    (["sf:q=5", "-o", out, "--layers", "129"],
                     "whole number from 1 to 128"),
                    (["sf:q=5", "-o", out, "--path-sets", "0"],
                     "whole number from 1 to 254"),
                    (["sf:q=5", "-o", out, "--path-sets", "2", "--per-host"],
                     "expected --path-sets or --per-host, found both"),
                    (["sf:q=5", "-o", out, "--scheme", "luck"],
                     "expected one of gates"),
                    (["sf:q=5", "-o", out, "--seed", "x"], "whole number"),
                    (["sf:q=5", "-o", out, "--seed", "9" * 23],
                     "below 2^63"),
                    (["sf:q=5", "-o", out, "-s", "gates:fraction=0.5"],
                     "--scheme gates:fraction=0.5: 'fraction' is not a key of "
                     "gates; it has for, robust, sets"),
                    (["sf:q=5", "-o", out, "-s", "minimal:min-hops=2"],
                     "'min-hops' is not a key of minimal"),
                    (["sf:q=5", "-o", out, "-s", "paper:min-hops=65"],
                     "min-hops = 65: expected a whole number from 1 to 64"),
                    (["sf:q=5", "-o", out, "-s", "rues:fraction=0"],
                     "fraction = 0: expected a number above 0 and up to 1"),
                    (["sf:q=5", "-o", out, "-s", "updown:first=up"],
                     "first = up: expected tree or minimal"),
                    (["sf:q=5", "-o", out, "-s", "ftree:sets=2"],
                     "ftree takes no settings"),
                    (["sf:q=5", "-o", out, "--lanes", "hops:x=1"],
                     "--lanes hops:x=1: 'x': hops takes no settings"),
                    (["sf:q=5", "-o", out, "-s", "gates:sets=3",
                      "--path-sets", "2"],
                     "--scheme gates:sets=3 and --path-sets both say how "
                     "many path sets"),
                    (["sf:q=5", "-o", out, "--rues-fraction", "0.5"],
                     "unknown option '--rues-fraction'"),
                    (["sf:q=5", "-o", out, "--max-hops", "1"], "hop"),
                    (["sf:q=19", "-o", out, "--layers", "8"],
                     "at most 4 layers fit"),
                    (["sf:q=32", "-o", out, "--layers", "1"],
                     "more than the 49151 LIDs"),
                    ([f"edges:{parts}", "-o", out],
                     f"slimfly: edges:{parts}: the switches fall into 2 parts "
                     "that no link joins: 3 with switch a, 2 with switch d; "
                     "--within-parts routes each of them\n"),
                    ([parts, "-o", out],
                     f"if this is an edge list, say edges:{parts}\n"),
                    (["sf:q=3", "-o", out, "-s", "ftree"],
                     "joins switches sf-0-0-0 and sf-0-0-1"),
                    (["/nonexistent", "-o", out], "No such file")]:
                with self.subTest(args=args):
                    self.fails("route", *args, says=says)
            self.assertEqual(os.listdir(folder), ["parts"])
            done = slimfly("route", f"edges:{parts}", "-o", out,
                           "--within-parts")
            self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    harness.main()
