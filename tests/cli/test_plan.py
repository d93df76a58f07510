"""What 'slimfly plan' promises, read from the files that it writes."""
import csv
import json
import os
import re
import subprocess
import tempfile
import xml.etree.ElementTree

import harness

SPECS = ["sf:q=3", "sf:q=4", "sf:q=5", "sf:q=7", "sf:q=8", "sf:q=9",
         "ft2:leaf=12,core=6,up=3", "ft2b:ports=8,over=3", "ft3:ports=4",
         "hx2:4x5,links=2", "df:a=4,h=2", "xpander:k=4,lift=5",
         "jellyfish:n=30,k=4", "pf:q=4", "pf:q=5"]
FILES = ["cables.csv", "fabric.dot", "fabric.ibnetdiscover", "fabric.ibsim",
         "fabric.topo", "guide.html", "guids.map",
         "labels-wrap.html", "labels.csv", "labels.html", "materials.csv",
         "netbox.csv", "omnipath.csv", "plan.json"]


class Planned(harness.Case):
    """Plans a topology into a temporary folder."""

    def plan(self, spec, *options):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.succeeds("plan", spec, "-o", folder.name, *options)
        return folder.name

    def cables(self, folder):
        with open(f"{folder}/cables.csv", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def numbers(self, name):
        """(S, R, I) of a switch of a Slim Fly."""
        return tuple(map(int, name.split("-")[1:]))


class SlimFly(Planned):
    """The rules of the first installation, for every kind of q."""

    def check_ports(self, q, degree, n_inside, p):
        """Every port of every switch has the purpose that the rules say."""
        folder = self.plan(f"sf:q={q}")
        ports = {}
        for cable in self.cables(folder):
            for a, b in ("ab", "ba"):
                ports[cable[f"{a}_node"], int(cable[f"{a}_port"])] = \
                    (cable[f"{b}_node"], int(cable["step"]))
        switches = {name for name, _ in ports if name.startswith("sf-")}
        self.assertEqual(len(switches), 2 * q * q)
        foreign = {}
        for switch in switches:
            subgroup, rack, _ = self.numbers(switch)
            for port in range(1, p + degree + 1):
                peer, step = ports[switch, port]
                if port <= p:
                    self.assertTrue(peer.startswith("node"))
                    self.assertEqual(step, 0)
                    continue
                to = self.numbers(peer)
                if port <= p + n_inside:
                    self.assertEqual((to[:2], step), ((subgroup, rack), 1))
                elif port == p + n_inside + 1:
                    self.assertEqual((to[:2], step),
                                     ((1 - subgroup, rack), 2))
                else:
                    self.assertEqual((to[0], step), (1 - subgroup, 3))
                    self.assertNotEqual(to[1], rack)
                    # The same port for the same rack on every switch.
                    self.assertEqual(foreign.setdefault((rack, port), to[1]),
                                     to[1])
            self.assertNotIn((switch, p + degree + 1), ports)
        return folder

    def test_q5_as_installed(self):
        folder = self.check_ports(5, 7, 2, 4)
        cables = self.cables(folder)
        self.assertEqual(len(cables), 375)
        # Hosts 1-4, rack 5-7, other racks 8-11 on every switch.
        self.assertEqual({int(c["a_port"]) for c in cables
                          if c["step"] == "3"}, {8, 9, 10, 11})

    def test_every_kind_of_q(self):
        for q, degree, n_inside, p in [
                (3, 5, 2, 3), (4, 6, 2, 3), (7, 11, 4, 6), (8, 12, 4, 6),
                (9, 13, 4, 7), (11, 17, 6, 9), (13, 19, 6, 10)]:
            with self.subTest(q=q):
                self.check_ports(q, degree, n_inside, p)

    def test_2q_cables_between_any_two_racks(self):
        for q in 4, 5, 7, 9:
            between = {}
            for cable in self.cables(self.plan(f"sf:q={q}")):
                if cable["step"] == "3":
                    # A group of a larger q stands in cabinets R0.1, R0.2, ...
                    pair = frozenset(cable[f"{end}_rack"].split(".")[0]
                                     for end in "ab")
                    between[pair] = between.get(pair, 0) + 1
            self.assertEqual(len(between), q * (q - 1) // 2)
            self.assertEqual(set(between.values()), {2 * q})

    def test_subgroup_0_stands_on_top(self):
        units = {}
        for cable in self.cables(self.plan("sf:q=5")):
            for end in "ab":
                name = cable[f"{end}_node"]
                if name.startswith("sf-"):
                    rack = cable[f"{end}_rack"]
                    subgroup, group, _ = self.numbers(name)
                    self.assertEqual(rack, f"R{group}")
                    units.setdefault((rack, subgroup), set()).add(
                        int(cable[f"{end}_unit"]))
        for group in range(5):
            top, bottom = (units[f"R{group}", s] for s in (0, 1))
            self.assertEqual(len(top), 5)
            self.assertGreater(min(top), max(bottom))

    def test_wiring_inside_subgroups_is_the_same_in_all_racks(self):
        patterns = {}
        for cable in self.cables(self.plan("sf:q=7")):
            if cable["step"] == "1":
                a, b = (self.numbers(cable[f"{e}_node"]) for e in "ab")
                patterns.setdefault(a[:2], set()).add(
                    (a[2], cable["a_port"], b[2], cable["b_port"]))
        for subgroup in 0, 1:
            self.assertEqual(len({frozenset(pattern)
                                  for (s, _), pattern in patterns.items()
                                  if s == subgroup}), 1)

    def test_rates_that_are_known(self):
        for rate in "4xHDR", "1xSDR", "12xFDR10", "2xXDR":
            folder = self.plan("sf:q=3", "--rate", rate)
            with open(f"{folder}/fabric.ibnetdiscover",
                      encoding="utf-8") as file:
                self.assertIn(f"lid 0 {rate}\n", file.read())

    def test_larger_switches(self):
        folder = self.plan("sf:q=5", "--switch-ports", "36")
        with open(f"{folder}/fabric.ibnetdiscover", encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(text.count("Switch\t36 "), 50)


class AllFamilies(Planned):
    def test_cables_are_the_links_of_the_topology(self):
        for spec in SPECS:
            with self.subTest(spec=spec):
                folder = self.plan(spec)
                self.assertEqual(sorted(os.listdir(folder)),
                                 sorted([*FILES, "diagrams"]))
                dot = self.succeeds("topology", spec, "-f", "dot")
                links = sorted(
                    tuple(sorted(re.findall(r'"([^"]+)"', line)))
                    for line in dot.splitlines() if " -- " in line)
                cables = self.cables(folder)
                self.assertEqual(sorted(
                    tuple(sorted((c["a_node"], c["b_node"]))) for c in cables
                    if c["step"] != "0"), links)
                about = json.loads(self.succeeds("topology", spec, "-f",
                                                 "json"))
                self.assertEqual(sum(c["step"] == "0" for c in cables),
                                 about["n_endpoints"])

    def test_no_port_and_no_place_is_used_twice(self):
        for spec in SPECS:
            with self.subTest(spec=spec):
                folder = self.plan(spec)
                cables = self.cables(folder)
                ends = [(c[f"{e}_node"], c[f"{e}_port"]) for c in cables
                        for e in "ab"]
                self.assertEqual(len(ends), len(set(ends)))
                with open(f"{folder}/plan.json", encoding="utf-8") as file:
                    plan = json.load(file)
                places = [(n["rack"], n["unit"]) for n in plan["switches"]]
                self.assertEqual(len(places), len(set(places)))
                hosts = {}
                for node in plan["hosts"]:
                    place = node["rack"], node["unit"]
                    self.assertNotIn(place, places)
                    hosts[place] = hosts.get(place, 0) + 1
                self.assertLessEqual(max(hosts.values()), 2)
                self.assertTrue(all(1 <= unit <= 42
                                    for _, unit in [*places, *hosts]))

    def test_hosts_stand_beside_their_switch(self):
        for spec in "sf:q=5", "sf:q=7", "sf:q=9", "sf:q=13", "df:a=8,h=4":
            for cable in self.cables(self.plan(spec)):
                if cable["step"] == "0":
                    self.assertEqual(cable["a_rack"], cable["b_rack"], spec)

    def test_a_group_stands_in_one_row(self):
        with open(f"{self.plan('sf:q=9')}/plan.json",
                  encoding="utf-8") as file:
            racks = json.load(file)["racks"]
        rows = {}
        for rack in racks:
            rows.setdefault(rack["part"], set()).add(rack["row"])
        self.assertEqual({len(row) for row in rows.values()}, {1})
        self.assertEqual(len({(r["row"], r["column"]) for r in racks}),
                         len(racks))

    def test_lengths_follow_from_the_floor(self):
        near = self.cables(self.plan("sf:q=5"))
        far = self.cables(self.plan("sf:q=5", "--row-pitch", "50",
                                    "--racks-per-row", "1"))
        for a, b in zip(near, far):
            self.assertEqual(a["label"], b["label"])
            if a["step"] == "3":
                self.assertGreaterEqual(float(b["length_m"]), 50)
                self.assertEqual(b["medium"], "optical")
            else:
                self.assertEqual(a["length_m"], b["length_m"])
        copper = self.cables(self.plan("sf:q=5", "--copper-max", "100"))
        self.assertEqual({c["medium"] for c in copper}, {"copper"})

    def test_the_lists_agree(self):
        folder = self.plan("df:a=4,h=2")
        cables = self.cables(folder)
        ends = [(c["a_node"], c["a_port"], c["b_node"], c["b_port"])
                for c in cables]
        with open(f"{folder}/netbox.csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([(r["side_a_device"], r["side_a_name"],
                           r["side_b_device"], r["side_b_name"])
                          for r in rows], ends)
        with open(f"{folder}/omnipath.csv", encoding="utf-8") as file:
            rows = list(csv.reader(file))[2:]
        self.assertEqual([(r[2], r[4], r[8], r[10]) for r in rows], ends)
        with open(f"{folder}/fabric.dot", encoding="utf-8") as file:
            dot = file.read()
        self.assertEqual(re.findall(
            r'"([^"]+)":"p(\d+)" -- "([^"]+)":"p(\d+)"', dot), ends)
        subprocess.run(["gvpr", ""], input=dot, text=True, check=True)
        with open(f"{folder}/fabric.topo", encoding="utf-8") as file:
            n_lines = sum(" -> " in line for line in file)
        self.assertEqual(n_lines, len(cables))
        with open(f"{folder}/materials.csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(sum(int(r["quantity"]) for r in rows
                             if "cable" in r["item"]), len(cables))

    def test_every_rack_and_every_two_racks_have_a_diagram(self):
        for spec in SPECS:
            with self.subTest(spec=spec):
                folder = self.plan(spec)
                with open(f"{folder}/plan.json", encoding="utf-8") as file:
                    plan = json.load(file)
                part = {r["name"]: r["part"] for r in plan["racks"]}
                rack = {n["name"]: part[n["rack"]]
                        for n in plan["switches"] + plan["hosts"]}
                expected = {}
                for cable in plan["cables"]:
                    step, a, b = (cable["step"], rack[cable["a"]["node"]],
                                  rack[cable["b"]["node"]])
                    if step:
                        name = (f"step3-R{a}-R{b}.svg" if step == 3
                                else f"step{step}-R{a}.svg")
                        expected.setdefault(name, []).append(cable["label"])
                self.assertEqual(set(os.listdir(f"{folder}/diagrams")),
                                 set(expected))
                for name, labels in expected.items():
                    tree = xml.etree.ElementTree.parse(
                        f"{folder}/diagrams/{name}")
                    texts = [e.text for e in tree.iter()
                             if e.tag.endswith("}text")]
                    for label in labels:
                        # Once at each end.
                        self.assertEqual(texts.count(label), 2, name)

    def test_the_guide_and_the_labels_hold_every_cable(self):
        folder = self.plan("sf:q=5")
        with open(f"{folder}/guide.html", encoding="utf-8") as file:
            guide = file.read()
        for cable in self.cables(folder):
            self.assertIn(cable["label"], guide)
        for name, n in ("labels.html", 1), ("labels-wrap.html", 2):
            with open(f"{folder}/{name}", encoding="utf-8") as file:
                labels = file.read()
            for cable in self.cables(folder):
                self.assertEqual(labels.count(f"<b>{cable['label']}</b>"),
                                 2 * n)
        self.assertEqual(guide.count('<input type="checkbox"/>'), 3 * 375)

    def test_label_printers_get_a_line_an_end(self):
        folder = self.plan("df:a=4,h=2")
        with open(f"{folder}/labels.csv", encoding="utf-8") as file:
            lines = list(csv.DictReader(file))
        cables = self.cables(folder)
        self.assertEqual(len(lines), 2 * len(cables))
        for cable, a, b in zip(cables, lines[::2], lines[1::2]):
            for key in "label", "length_m", "medium", "step":
                self.assertEqual({cable[key]}, {a[key], b[key]})
            self.assertEqual((a["end"], b["end"]), ("A", "B"))
            for key in "rack", "unit", "node", "port":
                self.assertEqual({cable[f"a_{key}"]},
                                 {a[key], b[f"far_{key}"]})
                self.assertEqual({cable[f"b_{key}"]},
                                 {b[key], a[f"far_{key}"]})

    def test_labels_of_other_sizes(self):
        folder = self.plan("sf:q=3", "--label-size", "52.5x29.7",
                           "--wrap-size", "30x12x40")
        for name, n_cables, n_a_sheet in (("labels.html", 99, 40),
                                          ("labels-wrap.html", 99, 49)):
            with open(f"{folder}/{name}", encoding="utf-8") as file:
                text = file.read()
            self.assertEqual(text.count("<article>"), 2 * n_cables)
            self.assertEqual(text.count("<section>"),
                             -(-2 * n_cables // n_a_sheet))

    def test_documented_members_are_there(self):
        with open(f"{harness.ROOT}/doc/formats.md", encoding="utf-8") as doc:
            section = doc.read().split("## Plan, JSON")[1].split("\n## ")[0]
        documented = {line.split("`")[1] for line in section.splitlines()
                      if line.startswith("| `")}
        folder = self.plan("sf:q=4", "--port-names", "swp%d")
        with open(f"{folder}/plan.json", encoding="utf-8") as file:
            plan = json.load(file)
        found = set(plan)
        for key in "racks", "switches", "cables":
            found |= {f"{key}[].{member}" for member in plan[key][0]}
        self.assertEqual(plan["hosts"][0].keys(), plan["switches"][0].keys())
        self.assertEqual(found, documented)

    def test_the_same_plan_gives_the_same_bytes(self):
        one, two = self.plan("sf:q=5"), self.plan("sf:q=5")
        for name in FILES:
            texts = []
            for folder in one, two:
                with open(f"{folder}/{name}", encoding="utf-8") as file:
                    text = file.read()
                texts.append(harness.without_command(text)
                             if name == "plan.json" else text)
            self.assertEqual(*texts, name)


class PortNames(Planned):
    """--port-names: names in place of numbers, wherever people read them."""

    RULE, HOSTS = "Ethernet%d:first=0,step=4|etp%d", "ens%df0"

    def both(self, spec):
        """Folders of the same plan without and with names."""
        return self.plan(spec), self.plan(spec, "--port-names", self.RULE,
                                          "--host-port-names", self.HOSTS)

    def named(self, row, port, node):
        number = int(row[port])
        return (f"ens{number}f0" if row[node].startswith("node")
                else f"Ethernet{4 * number - 4}")

    def test_lists_have_names_and_nothing_else_changes(self):
        for spec in SPECS:
            plain, named = self.both(spec)
            expected = self.cables(plain)
            for row in expected:
                row["a_port"] = self.named(row, "a_port", "a_node")
                row["b_port"] = self.named(row, "b_port", "b_node")
            self.assertEqual(self.cables(named), expected)
            for name in ("fabric.ibnetdiscover", "fabric.ibsim", "guids.map",
                         "omnipath.csv", "fabric.topo", "materials.csv"):
                with open(f"{plain}/{name}", "rb") as a, \
                        open(f"{named}/{name}", "rb") as b:
                    self.assertEqual(a.read(), b.read(), (spec, name))

    def test_every_file_for_people_has_them(self):
        _, named = self.both("sf:q=4")
        for name, text in [
                ("plan.json", '"port_names": {"switches": "Ethernet%d:first=0,'
                              'step=4|etp%d", "hosts": "ens%df0"}'),
                ("plan.json", '"port": 2, "port_name": "Ethernet4"'),
                ("labels.csv", ",sf-0-0-0,Ethernet4,"),
                ("netbox.csv", ",sf-0-0-0,dcim.interface,Ethernet4,"),
                ("netbox.csv", ",node0000,dcim.interface,ens1f0,"),
                ("fabric.dot", '"sf-0-0-0":"Ethernet4" -- "node0001":'
                               '"ens1f0";'),
                ("labels.html", " port Ethernet4</span>"),
                ("labels-wrap.html", "<br/>Ethernet4</span>"),
                ("guide.html", "<td>Ethernet4</td>"),
                ("guide.html", "a port with its name;"),
                ("diagrams/step1-R0.svg", ">Ethernet12</text>")]:
            with open(f"{named}/{name}", encoding="utf-8") as file:
                self.assertIn(text, file.read(), name)

    def test_it_is_read_back(self):
        plain, named = self.both("sf:q=3")
        for plan in plain, named:
            self.assertIn("OK", self.succeeds(
                "verify", plan, f"{plain}/fabric.ibnetdiscover"))
        with open(f"{plain}/fabric.ibnetdiscover", encoding="utf-8") as file:
            text = file.read()
        # Without its last switch: the others have ports without cables.
        done = harness.slimfly("verify", named, "-", stdin=text[:len(text) //
                                                                 2])
        self.assertNotRegex(done.stdout, r"port \d")
        path = f"{named}/plan.json"
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for old, new, says in [
                ("ens%df0", "ens", "port_names.hosts: port names 'ens': "),
                ('"ens%df0"', "7", "port_names.hosts: expected a text"),
                ("|etp%d", "|Ethernet%d", "would be port")]:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text.replace(old, new))
            self.fails("verify", named, f"{plain}/fabric.ibnetdiscover",
                       says=says)

    def test_bad_rules(self):
        for rule in "swp", "", "swp%d%d", "a b%d", "swp%d:first=x", "%5d":
            self.fails("plan", "sf:q=3", "-o", "/nowhere/at/all",
                       "--port-names", rule,
                       says=f"plan: --port-names: port names '{rule}': ")
        self.fails("plan", "sf:q=3", "-o", "/nowhere/at/all",
                   "--host-port-names", "eth",
                   says="plan: --host-port-names: port names 'eth': ")


class FewerHosts(Planned):
    """--hosts leaves out the hosts that design says, and nothing else."""

    def load(self, folder):
        with open(f"{folder}/plan.json", encoding="utf-8") as file:
            return json.load(file)

    def ports(self, plan):
        return {frozenset((c[e]["node"], c[e]["port"]) for e in "ab")
                for c in plan["cables"]}

    def check_hosts_of_design(self, only_first):
        text = self.succeeds("design", "--endpoints", "1000", "--families",
                             "sf,ft2,df", "-f", "json")
        n_seen, families = 0, set()
        for candidate in json.loads(text)["candidates"]:
            left_out = set(candidate["left_out"])
            if not left_out or (only_first and
                                candidate["family"] in families):
                continue
            families.add(candidate["family"])
            with self.subTest(spec=candidate["spec"]):
                full = self.load(self.plan(candidate["spec"]))
                less = self.load(self.plan(candidate["spec"], "--hosts",
                                           "1000"))
                self.assertEqual(len(less["hosts"]), 1000)
                self.assertEqual(less["switches"], full["switches"])
                self.assertEqual(less["racks"], full["racks"])
                self.assertEqual(less["hosts"], [
                    h for h in full["hosts"] if h["name"] not in left_out])
                self.assertEqual(self.ports(less), {
                    cable for cable in self.ports(full)
                    if not any(node in left_out for node, _ in cable)})
                n_seen += 1
        self.assertGreater(n_seen, 1)

    def test_the_hosts_that_design_names(self):
        self.check_hosts_of_design(only_first=True)

    @harness.long
    def test_the_hosts_that_design_names_for_all_candidates(self):
        self.check_hosts_of_design(only_first=False)

    def test_no_switch_has_two_less_before_all_have_one(self):
        for spec in "sf:q=4", "ft3:ports=4", "hx2:4x5,p=3":
            full = self.load(self.plan(spec))
            for n in 1, 2, 7, len(full["hosts"]) - 1, len(full["hosts"]):
                counts = {}
                for node in {c["a"]["node"] for c in full["cables"]
                             if c["step"] == 0}:
                    counts[node] = 0
                for cable in self.cables(self.plan(spec, "--hosts", str(n))):
                    if cable["step"] == "0":
                        counts[cable["a_node"]] += 1
                self.assertEqual(sum(counts.values()), n)
                self.assertLessEqual(max(counts.values())
                                     - min(counts.values()), 1)

    def test_verify_knows_that_they_are_left_out(self):
        less = self.plan("sf:q=4", "--hosts", "90")
        full = self.plan("sf:q=4")
        found = "fabric.ibnetdiscover"
        self.assertIn("OK: all 186 cables and 122 nodes",
                      self.succeeds("verify", less, f"{less}/{found}"))
        done = harness.slimfly("verify", less, f"{full}/{found}", "-f", "json")
        counts = json.loads(done.stdout)["counts"]
        self.assertEqual((done.returncode, counts["unknown_host"],
                          counts["unexpected"]), (1, 6, 6))


class AnotherPlan(Planned):
    """A plan where another one was before."""

    def test_diagrams_of_the_old_plan_go(self):
        folder = self.plan("sf:q=7")
        kept = ["notes.txt", "step4-R1.svg", "step1-R01.svg", "step1-R9.png",
                "step1-R1.svg.orig", "my-step1-R1.svg"]
        for name in kept:
            with open(f"{folder}/diagrams/{name}", "w", encoding="utf-8"):
                pass
        self.assertEqual(len(os.listdir(f"{folder}/diagrams")), 35 + 6)
        # A link stays one, and what it leads to is replaced.
        os.rename(f"{folder}/diagrams/step1-R0.svg", f"{folder}/linked.svg")
        os.symlink("../linked.svg", f"{folder}/diagrams/step1-R0.svg")
        self.succeeds("plan", "sf:q=5", "-o", folder)
        fresh = self.plan("sf:q=5")
        self.assertEqual(sorted(os.listdir(f"{folder}/diagrams")),
                         sorted(os.listdir(f"{fresh}/diagrams") + kept))
        for name in os.listdir(f"{fresh}/diagrams"):
            with open(f"{fresh}/diagrams/{name}", "rb") as a, \
                    open(f"{folder}/diagrams/{name}", "rb") as b:
                self.assertEqual(a.read(), b.read(), name)
        self.assertTrue(os.path.islink(f"{folder}/diagrams/step1-R0.svg"))

    def test_a_plan_that_fails_leaves_all_as_it_was(self):
        folder = self.plan("sf:q=5")
        before = sorted(os.listdir(f"{folder}/diagrams"))
        os.remove(f"{folder}/cables.csv")
        os.mkdir(f"{folder}/cables.csv")
        self.fails("plan", "sf:q=4", "-o", folder, says="cables.csv")
        self.assertEqual(sorted(os.listdir(f"{folder}/diagrams")), before)


class Words(harness.Case):
    def test_one_thing_is_no_plural(self):
        spec = "ft2:ports=2,leaf=1"
        with tempfile.TemporaryDirectory() as top:
            for says, args in [
                    ("2 switches and 1 host in 2 racks; 2 cables, ",
                     ["plan", spec, "-o", f"{top}/plan"]),
                    ("step 3, between racks: 1 cable\n",
                     ["plan", spec, "-o", f"{top}/plan"]),
                    ("1 layer by ftree, LMC 0: 2 switches, 1 host, 3 LIDs of "
                     "49151\n  no paths between switches\n",
                     ["route", spec, "--layers", "1", "-o", f"{top}/tables"]),
                    ("SOUND: 2 switches, 1 host, 3 LIDs, 1 VL\n",
                     ["audit", f"{top}/tables"]),
                    (": 1 channel, 0 dependencies\n",
                     ["audit", f"{top}/tables"]),
                    (": 2 switches, 1 host, 1 link\n", ["analyze", spec]),
                    ("2 switches, 1 host, 1 layer in 10.0.0.0/8\n",
                     ["ip", "plan", spec, "--layers", "1", "-o",
                      f"{top}/ip"]),
                    ("2 switches, 1 host, 1 layer: 1 address, ",
                     ["ip", "audit", spec, f"{top}/ip"])]:
                self.assertIn(says, self.succeeds(*args))


class BadInput(harness.Case):
    def test_usage(self):
        with tempfile.TemporaryDirectory() as folder:
            out = f"{folder}/out"
            for args, says in [
                    ([], "expected one spec such as sf:q=5, found 0"),
                    (["sf:q=5", "sf:q=4", "-o", out], "found 2"),
                    (["sf:q=5"], "expected a folder for the files, -o DIR"),
                    (["sf:q=6", "-o", out], "q = 6 is not a prime power"),
                    (["sf:q=5", "-o", out, "--switch-ports", "10"],
                     "needs switches of 11 ports (7 links, 4 hosts); these "
                     "have 10"),
                    (["sf:q=5", "-o", out, "--switch-ports", "255"],
                     "expected a whole number from 1 to 254"),
                    (["sf:q=5", "-o", out, "--switch-ports", "-1"],
                     "expected a whole number"),
                    (["sf:q=5", "-o", out, "--switch-ports", "36x"],
                     "expected a whole number"),
                    (["sf:q=5", "-o", out, "--hosts", "201"],
                     "sf:q=5 has 200 hosts, not 201"),
                    (["sf:q=5", "-o", out, "--hosts", "0"],
                     "expected a whole number from 1"),
                    (["sf:q=128", "-o", out],
                     "; slimfly numbers at most 254, as InfiniBand does"),
                    (["sf:q=5", "-o", out, "--rack-pitch", "0"],
                     "expected a number from 0.01"),
                    (["sf:q=5", "-o", out, "--slack", "nan"],
                     "expected a number from 0"),
                    (["sf:q=5", "-o", out, "--rack-units", "1",
                      "--switch-units", "2"], "racks that hold at least one"),
                    *((["sf:q=5", "-o", out, "--rate", rate],
                       "FDR, EDR, HDR, NDR or XDR, such as 4xHDR")
                      for rate in ("fast", "4xFOO", "3xEDR", "4xedr", "4x",
                                   "EDR", "4xEDR ", "")),
                    *((["sf:q=3", "-o", out, "--label-size", size],
                       "expected width and height in mm, such as 70x32")
                      for size in ("70", "70x", "x32", "70x32x1", "70x-32",
                                   "70 x 32", "infx32", "")),
                    (["sf:q=3", "-o", out, "--wrap-size", "25x19"],
                     "whole length in mm, such as 25x19x57"),
                    (["edges:-", "-o", out], "expected at least one link")]:
                with self.subTest(args=args):
                    self.fails("plan", *args, says=says)
            self.assertEqual(os.listdir(folder), [])

    def test_labels_that_no_sheet_can_have(self):
        with tempfile.TemporaryDirectory() as folder:
            for option, size, says in [
                    ("--label-size", "211x32", "labels of 211 x 32 mm"),
                    ("--label-size", "70x1e9", "at most A4, 210 x 297 mm"),
                    ("--wrap-size", "25x58x57", "no more print than label"),
                    ("--wrap-size", "25x4x57", "at least 5 x 5 mm")]:
                self.fails("plan", "sf:q=3", "-o", f"{folder}/out", option,
                           size, says=says)
                self.assertEqual(os.listdir(folder), [])

    def test_names_that_the_tools_would_misread(self):
        self.fails("plan", "edges:-", "-o", "/nonexistent",
                   stdin="rows=99 b\n", says="the name rows=99 cannot be")

    def test_a_folder_that_cannot_be(self):
        self.fails("plan", "sf:q=4", "-o", "/dev/null",
                   says="expected a folder")
        self.fails("plan", "sf:q=4", "-o", "/proc/none/such", says="/proc")


if __name__ == "__main__":
    harness.main()
