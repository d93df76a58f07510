"""What 'slimfly design' promises: the answers, their forms, its errors."""
import csv
import io
import json
import os
import re
import subprocess
import tempfile
import xml.etree.ElementTree

import harness

FAMILIES = ["sf", "ft2", "ft2b", "ft3", "hx2", "df", "pf", "xpander",
            "jellyfish"]
SHIPPED = f"{harness.ROOT}/data/prices.json"
PAPER = f"{harness.ROOT}/data/paper-prices.json"


def changed_prices(case, change):
    """A file of the shipped prices after a change, or of a text."""
    with open(SHIPPED, encoding="utf-8") as file:
        data = json.load(file)
    data = change(data) or data
    file = tempfile.NamedTemporaryFile("w", suffix=".json", delete=False)
    case.addCleanup(os.unlink, file.name)
    with file:
        file.write(data if isinstance(data, str) else json.dumps(data))
    return file.name


class Design(harness.Case):
    def answer(self, *args):
        return json.loads(self.succeeds("design", *args, "-f", "json"))

    def candidates(self, *args):
        return self.answer(*args)["candidates"]


class Answers(Design):
    def test_the_papers_2048_nodes(self):
        found = {(c["family"], c["ports"]): c
                 for c in self.candidates("--endpoints", "2048", "--prices",
                                          PAPER)
                 if c["fit"] == "wanted"}
        sf = found["sf", 36]
        self.assertEqual(
            (sf["spec"], sf["n_switches"], sf["n_endpoints"], sf["n_links"],
             len(sf["left_out"]), sf["diameter"], sf["largest_lmc"]),
            ("sf:q=11", 242, 2178, 2057, 130, 2, 4))
        self.assertAlmostEqual(
            sf["cost"], 242 * 13170 + 2057 * 934 + 2178 * 234)
        self.assertEqual(found["ft2", 64]["spec"], "ft2:ports=64")
        self.assertEqual(found["ft2b", 64]["n_links"], 688)
        self.assertEqual({family for family, _ in found}, set(FAMILIES))

    def test_the_numbers_of_the_readme(self):
        with open(f"{harness.ROOT}/README.md", encoding="utf-8") as file:
            text = " ".join(file.read().split())
        found = {c["family"]: c for c in self.candidates(
            "--endpoints", "2048", "--ports", "36") if c["fit"] == "wanted"}
        sf, tree = found["sf"], found["ft3"]
        self.assertIn(f"costs {100 - 100 * sf['cost'] / tree['cost']:.0f} % "
                      "less than a Fat Tree", text)
        self.assertIn(f"in full ({100 * sf['uniform_at_most']:.0f} %)", text)
        self.assertIn(f"than {100 * sf['permutation_at_most']:.0f} % of the "
                      "hosts' rate, where the Fat Tree is non-blocking", text)
        self.assertTrue(tree["non_blocking"])

    def test_every_spec_is_built_as_said(self):
        candidates = self.candidates("--endpoints", "700", "--ports", "36")
        built = json.loads(self.succeeds(
            "topology", *[c["spec"] for c in candidates], "-f", "json"))
        self.assertGreater(len(built), 15)
        for said, is_ in zip(candidates, built):
            for key in "n_switches", "n_endpoints", "n_links", \
                    "concentration", "radix", "family", \
                    "full_bandwidth_concentration":
                self.assertEqual(said[key], is_[key], said["spec"])
            self.assertEqual(said["diameter"], is_["host_diameter"])
            self.assertEqual(said["average_distance"],
                             is_["host_average_distance"])
            # The same spelling: nothing to settle.
            self.assertEqual(said["spec"], is_["spec"])

    def test_the_plan_of_a_spec_has_the_cables_as_said(self):
        for said in self.candidates("--endpoints", "150", "--ports", "36"):
            with tempfile.TemporaryDirectory() as folder:
                self.succeeds("plan", said["spec"], "-o", folder,
                              "--switch-ports", "36", "--rate", "4xEDR")
                with open(f"{folder}/cables.csv", encoding="utf-8") as file:
                    cables = list(csv.DictReader(file))
                with open(f"{folder}/plan.json", encoding="utf-8") as file:
                    hosts = {h["name"] for h in json.load(file)["hosts"]}
            self.assertEqual(said["lengths"], "plan")
            for key, is_host in [("links_by_medium", False),
                                 ("host_cables_by_medium", True)]:
                for medium in "copper", "optical":
                    self.assertEqual(
                        said[key][medium],
                        sum(c["medium"] == medium
                            and (c["step"] == "0") == is_host
                            for c in cables), (said["spec"], key, medium))
            self.assertLessEqual(set(said["left_out"]), hosts)

    def test_a_candidate_costs_what_the_cables_of_its_plan_cost(self):
        with open(SHIPPED, encoding="utf-8") as file:
            edr = json.load(file)["generations"][0]
        classes = {(is_host, c["medium"]): c for key, is_host
                   in [("links", False), ("host_cables", True)]
                   for c in edr[key]}
        for said in self.candidates("--endpoints", "500", "--ports", "36",
                                    "--families", "sf,ft2,df"):
            cost = said["n_switches"] * edr["switch"]["price"]
            with tempfile.TemporaryDirectory() as folder:
                self.succeeds("plan", said["spec"], "-o", folder,
                              "--switch-ports", "36", "--copper-max",
                              str(edr["copper_up_to"]))
                with open(f"{folder}/materials.csv",
                          encoding="utf-8") as file:
                    bill = list(csv.DictReader(file))
            for item in bill:
                found = re.fullmatch(r"(\w+) cable (\w+ \w+)", item["item"])
                if found:
                    one = classes[found[2] == "to hosts", found[1]]
                    length = float(item["details"].removesuffix(" m"))
                    cost += int(item["quantity"]) * (
                        one["price"] + one["per_metre"] * length)
            self.assertAlmostEqual(said["cost"], cost, places=3)

    def test_which_hosts_to_leave_out(self):
        for candidate in self.candidates("--endpoints", "1000"):
            left = candidate["left_out"]
            self.assertEqual(len(set(left)), len(left))
            if candidate["fit"] == "wanted":
                self.assertEqual(candidate["n_endpoints"] - len(left), 1000)
        text = self.succeeds("design", "--endpoints", "190", "--families",
                             "sf", "--ports", "36")
        self.assertIn("sf:q=5 has 10 hosts more than asked for. Leave out the "
                      "last one of 10 of its 50 switches with hosts, evenly: "
                      "node0011,", text.replace("\n", " "))

    def test_layers_keep_what_has_addresses(self):
        for layers, lmc in [(1, 0), (4, 2), (5, 3), (8, 3), (128, 7)]:
            found = self.candidates("--ports", "36", "--layers", str(layers))
            self.assertGreater(len(found), 8)
            for c in found:
                lids = c["n_endpoints"] * 2**lmc + c["n_switches"]
                self.assertLessEqual(lids, 49151)
                self.assertEqual((c["lmc"], c["n_lids"]), (lmc, lids))
                self.assertGreaterEqual(c["largest_lmc"], lmc)
        # [Blach24]: q = 16 does not leave 8 addresses a host with p = 12.
        sf = self.candidates("--ports", "36", "--layers", "8", "--families",
                             "sf")
        self.assertEqual([c["spec"] for c in sf],
                         ["sf:q=17,p=10", "sf:q=13"])

    def test_budget(self):
        everything = self.candidates("--endpoints", "600")
        affordable = self.candidates("--endpoints", "600", "--budget", "2e6")
        self.assertEqual([c["spec"] for c in affordable],
                         [c["spec"] for c in everything
                          if c["cost"] <= 2e6])
        largest = self.candidates("--budget", "2500000", "--ports", "36",
                                  "--families", "sf,ft2")
        # q = 8 costs 2.2 M, q = 11 would cost 4.7 M.
        self.assertIn("sf:q=8", [c["spec"] for c in largest])
        self.assertTrue(all(c["cost"] <= 2.5e6 for c in largest))
        done = harness.slimfly("design", "--endpoints", "5000", "--budget",
                               "1")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertIn("nothing fits", done.stdout)

    def test_sort(self):
        keys = {"cost": "cost", "cost-per-endpoint": "cost_per_endpoint",
                "switches": "n_switches", "distance": "average_distance",
                "power": "watts", "endpoints": "n_endpoints"}
        for sort, key in keys.items():
            found = self.candidates("--endpoints", "500", "--sort", sort)
            for is_short in False, True:
                values = [c[key] for c in found
                          if (c["n_missing"] > 0) == is_short]
                self.assertEqual(values, sorted(
                    values, reverse=sort == "endpoints"), sort)
            flags = [c["n_missing"] > 0 for c in found]
            self.assertEqual(flags, sorted(flags))

    def test_families_and_overload(self):
        found = self.candidates("--endpoints", "2048", "--families",
                                "hx2,pf", "--ports", "40")
        self.assertEqual({c["family"] for c in found}, {"hx2", "pf"})
        # The HyperX of the paper carries a host more than half its links.
        found = self.candidates("--endpoints", "2048", "--families", "hx2",
                                "--ports", "40", "--overload", "1.1")
        self.assertEqual(found[0]["spec"], "hx2:13x13,p=13")
        # Which uniform traffic still allows: 13 * 12 / (13 + 13 - 2) * 2.
        self.assertEqual(found[0]["uniform_at_most"], 1)
        self.assertEqual(found[0]["full_bandwidth_concentration"], 13)
        found = self.candidates("--endpoints", "1000", "--families", "sf",
                                "--ports", "36", "--overload", "2")
        self.assertEqual(found[0]["spec"], "sf:q=7,p=11")
        self.assertLess(found[0]["uniform_at_most"], 1 / 1.7)

    def test_oversubscription_of_trees(self):
        found = {c["spec"]: c for c in self.candidates("--ports", "36")}
        over = found["ft2b:ports=36,over=3"]
        # 1/3 but for the traffic that stays on a leaf, 1/36.
        self.assertAlmostEqual(over["uniform_at_most"], 36 / 35 / 3)
        self.assertAlmostEqual(over["permutation_at_most"], 1 / 3)
        self.assertAlmostEqual(over["bisection_share_at_most"], 1 / 3)
        self.assertFalse(over["non_blocking"])
        self.assertEqual(over["bisection_at_most"], 324 / 2)
        self.assertEqual(over["bisection_at_least"], 324 / 2)

    def test_uniform_traffic_is_not_all_traffic(self):
        # Once hx2:12x12 had "full bandwidth", for uniform traffic alone.
        found = {c["spec"]: c for c in
                 self.candidates("--endpoints", "1584", "--ports", "36")}
        hx = found["hx2:12x12"]
        self.assertEqual(hx["uniform_at_most"], 1)
        # 6 * 6 links of 12 rows for 72 * 11 hosts.
        self.assertAlmostEqual(hx["bisection_share_at_most"], 432 / 792)
        self.assertAlmostEqual(hx["permutation_at_most"], 432 / 792)
        self.assertFalse(hx["non_blocking"])
        # A distance-2 pair of a Slim Fly has one path of 2 hops; 17 links,
        # 9 hosts: (17 + 1) / 9 / 3.  The cut of q = 11 is smaller still.
        sf = next(c for c in self.candidates("--endpoints", "2048")
                  if c["spec"] == "sf:q=11")
        self.assertLess(sf["permutation_at_most"], 18 / 27)
        self.assertGreater(sf["permutation_at_most"], 0.6)

    def test_non_blocking_keeps_full_trees_only(self):
        for args in [["--endpoints", "2048"], ["--ports", "36"],
                     ["--endpoints", "300", "--overload", "3"],
                     ["--budget", "3e6", "--ports", "36"]]:
            data = self.answer(*args, "--non-blocking")
            self.assertTrue(data["question"]["non_blocking"])
            self.assertGreater(len(data["candidates"]), 1)
            for c in data["candidates"]:
                self.assertIn(c["family"], ("ft2", "ft3"))
                self.assertEqual(
                    (c["non_blocking"], c["uniform_at_most"],
                     c["permutation_at_most"]), (True, 1, 1), c["spec"])
                self.assertGreaterEqual(c["bisection_share_at_most"], 1)
            everything = self.candidates(*args)
            if "--overload" not in args:
                self.assertEqual(
                    {c["spec"] for c in data["candidates"]},
                    {c["spec"] for c in everything if c["non_blocking"]})
        done = harness.slimfly("design", "--ports", "36", "--families",
                               "sf,ft2b", "--non-blocking")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertIn("nothing fits", done.stdout)

    def test_cost_per_host_says_of_which_hosts(self):
        # Hosts that the network has, and those asked for.
        for c in self.candidates("--endpoints", "2048", "--ports", "36"):
            self.assertAlmostEqual(c["cost_per_endpoint"],
                                   c["cost"] / c["n_endpoints"])
            if c["n_missing"]:
                self.assertIsNone(c["cost_per_asked_endpoint"])
            else:
                self.assertAlmostEqual(c["cost_per_asked_endpoint"],
                                       c["cost"] / 2048)
        for c in self.candidates("--ports", "36"):
            self.assertIsNone(c["cost_per_asked_endpoint"])

    def test_cables_rate_and_ports(self):
        for c in self.candidates("--endpoints", "500"):
            self.assertEqual(c["n_cables"], c["n_links"] + c["n_endpoints"])
            self.assertEqual(c["n_cables"],
                             sum(c["links_by_medium"].values())
                             + sum(c["host_cables_by_medium"].values()))
            self.assertEqual(c["rate"], f"4x{c['generation']}")
            self.assertEqual(c["radix"] + c["radix_free"], c["ports"])

    def test_links_are_not_wasted_on_few_hosts(self):
        # Once a Dragonfly of 2040 switches with a host each was "the largest
        # that falls short of 2048".
        for args in ["--endpoints", "2048"], ["--ports", "48", "--layers",
                                              "64"]:
            for c in self.candidates(*args):
                if c["fit"] not in ("wanted", "filled"):
                    self.assertGreaterEqual(
                        3 * c["concentration"],
                        2 * c["recommended_concentration"], c["spec"])
        with_layers = self.succeeds("design", "--ports", "36", "--layers",
                                    "64", "-f", "svg")
        self.assertNotIn("p=0", with_layers)

    def test_ports_without_a_price(self):
        for c in self.candidates("--ports", "48"):
            self.assertIsNone(c["cost"])
            self.assertIsNone(c["generation"])
            self.assertGreater(c["n_links"], 0)
        self.assertIn("sf:q=23,p=13", self.succeeds("design", "--ports", "48"))

    def test_a_larger_one_than_any_plan(self):
        found = self.candidates("--ports", "64", "--families", "df")
        self.assertEqual({c["lengths"] for c in found}, {"rule"})
        self.assertEqual({c["largest_lmc"] for c in found}, {None})

    def test_more_than_any_holds(self):
        text = self.succeeds("design", "--endpoints", "5000", "--families",
                             "ft2,hx2", "--ports", "36")
        self.assertIn("No network of these families and ports holds 5000 "
                      "endpoints.", text)
        self.assertNotIn("Next:", text)

    def test_nearest_slim_fly(self):
        for n, spec in [(10, "sf:q=3"), (200, "sf:q=5"), (2048, "sf:q=11"),
                        (10000, "sf:q=19"), (100000, "sf:q=41")]:
            nearest = self.answer("--endpoints", str(n), "--families", "ft2",
                                  )["nearest_slimfly"]
            self.assertEqual(nearest["spec"], spec)


class PaperTables(Design):
    def rows(self):
        return json.loads(self.succeeds("design", "--paper-tables", "-f",
                                        "json"))["rows"]

    def test_the_papers_numbers_are_the_papers(self):
        rows = self.rows()
        sizes = [tuple(c["paper"] for c in r["cells"]) for r in rows
                 if r["table"] == "sizes"]
        self.assertEqual(len(sizes), 24)
        self.assertIn((1568, 32928, 42, 21), sizes)
        self.assertIn((1250, 23750, 37, 19), sizes)
        self.assertEqual(sizes.count((72, 360, 9, 5)), 3)
        costs = {(r["column"], r["network"]):
                 tuple(c["paper"] for c in r["cells"]) for r in rows
                 if r["table"] == "costs"}
        self.assertEqual(len(costs), 20)
        self.assertEqual(costs["64-port switches", "SF"],
                         (32928, 1568, 32928, 146, 4.4))
        self.assertEqual(costs["2048 nodes", "FT2-B"],
                         (2048, 59, 344, 2.7, 1.3))

    def test_what_differs_says_why(self):
        whys = {}
        for row in self.rows():
            for cell in row["cells"]:
                if not cell["agrees"]:
                    self.assertTrue(cell["why"], (row, cell))
                    whys[row["table"], row["column"], row["network"],
                         cell["item"]] = cell["why"]
        for column, q in [("36-port switches, LMC 3", 15),
                          ("36-port switches, LMC 4", 12),
                          ("36-port switches, LMC 7", 6),
                          ("48-port switches, LMC 0", 21),
                          ("48-port switches, LMC 2", 20),
                          ("64-port switches, LMC 0", 28)]:
            self.assertIn(f"q = {q} is not a prime power",
                          whys["sizes", column, "SF", "N_r"])
        self.assertIn("a price of another column",
                      whys["costs", "2048 nodes", "FT2", "M$"])
        self.assertIn("43 leaves joined to each of the other 16 switches have "
                      "688 links",
                      whys["costs", "2048 nodes", "FT2-B", "links"])
        # Everything of the columns by ports agrees but what does not exist.
        self.assertEqual({(column, network) for table, column, network, _
                          in whys if table == "costs"
                          and column != "2048 nodes"},
                         {("64-port switches", "SF")})

    def test_what_can_be_built(self):
        specs = {r["column"]: (r["spec"], r["larger"]) for r in self.rows()
                 if r["table"] == "sizes"}
        self.assertEqual(specs["64-port switches, LMC 0"],
                         ("sf:q=27", "sf:q=29,p=21"))
        self.assertEqual(specs["48-port switches, LMC 0"],
                         ("sf:q=19", "sf:q=23,p=13"))
        for column, (spec, larger) in specs.items():
            ports, lmc = map(int, re.findall(r"\d+", column))
            for one in filter(None, (spec, larger)):
                about = json.loads(self.succeeds("topology", one, "-f",
                                                 "json"))
                self.assertLessEqual(about["radix"], ports)
                self.assertLessEqual(about["n_endpoints"] * 2**lmc
                                     + about["n_switches"], 49151)

    def test_forms(self):
        text = self.succeeds("design", "--paper-tables")
        self.assertIn("numbers agree", text)
        rows = list(csv.DictReader(io.StringIO(
            self.succeeds("design", "--paper-tables", "-f", "csv"))))
        self.assertEqual(len(rows), 196)


class Formats(Design):
    def section(self, title):
        with open(f"{harness.ROOT}/doc/formats.md", encoding="utf-8") as doc:
            section = doc.read().split(f"## {title}\n")[1].split("\n## ")[0]
        return {line.split("`")[1] for line in section.splitlines()
                if line.startswith("| `")}

    def test_documented_members_are_there(self):
        for args in ["--endpoints", "100"], ["--ports", "48"]:
            data = self.answer(*args)
            found = set(data)
            for key in "question", "prices":
                found |= {f"{key}.{member}" for member in data[key]}
            for candidate in data["candidates"]:
                self.assertEqual(
                    found | {f"candidates[].{m}" for m in candidate},
                    self.section("Design, JSON"))

    def test_documented_members_of_the_papers_tables_are_there(self):
        data = json.loads(self.succeeds("design", "--paper-tables", "-f",
                                        "json"))
        found = set(data) | {f"rows[].{m}" for m in data["rows"][0]}
        found |= {f"rows[].cells[].{m}" for m in data["rows"][0]["cells"][0]}
        self.assertEqual(found, self.section("Tables of the paper, JSON"))

    def test_documented_members_of_prices_are_there(self):
        with open(SHIPPED, encoding="utf-8") as file:
            data = json.load(file)
        found = set(data)
        for generation in data["generations"]:
            found |= {f"generations[].{m}" for m in generation}
            found |= {f"generations[].switch.{m}"
                      for m in generation["switch"]}
            for cables in "links", "host_cables":
                found |= {f"generations[].links[].{m}"
                          for item in generation[cables] for m in item}
        self.assertEqual(found, self.section("Prices, JSON"))

    def test_csv_is_json(self):
        args = "--endpoints", "640", "--ports", "40"
        rows = list(csv.DictReader(io.StringIO(
            self.succeeds("design", *args, "-f", "csv"))))
        for row, candidate in zip(rows, self.candidates(*args), strict=True):
            scalars = {key for key, value in candidate.items()
                       if not isinstance(value, (dict, list))}
            self.assertLessEqual(scalars, set(row))
            for key, value in row.items():
                if key in candidate and value:
                    is_ = candidate[key]
                    if isinstance(is_, bool):
                        self.assertEqual(value, str(is_).lower())
                    elif isinstance(is_, str):
                        self.assertEqual(value, is_)
                    else:
                        self.assertAlmostEqual(float(value) / (is_ or 1),
                                               1 if is_ else 0, places=6)

    def test_limit(self):
        self.assertEqual(len(self.candidates("--endpoints", "640", "--limit",
                                             "3")), 3)
        text = self.succeeds("design", "--endpoints", "640", "--limit", "3")
        self.assertRegex(text, r"\.\.\. and \d+ more; --limit 0 shows all")

    def table(self, *args):
        """The lines of the table, its names and numbers by spec."""
        text = self.succeeds("design", *args)
        lines = text.split("\n\n", maxsplit=1)[0].splitlines()
        names = lines[1].split()
        return text, {words[0]: dict(zip(names[1:], words[1:]))
                      for words in map(str.split, lines[2:])}

    def test_no_line_of_a_table_is_too_long(self):
        for args in [["--endpoints", "2048"], ["--endpoints", "1"],
                     ["--endpoints", "700", "--ports", "24"],
                     ["--ports", "16", "--layers", "8"],
                     ["--ports", "254", "--families", "ft2b,hx2"],
                     ["--endpoints", "100000", "--families", "df,ft3"],
                     ["--endpoints", "9", "--ports", "4"],
                     ["--endpoints", "3000", "--overload", "16"]]:
            text = self.succeeds("design", *args, "--limit", "0")
            self.assertLessEqual(max(map(len, text.splitlines())), 120, args)
        wide = self.succeeds("design", "--endpoints", "2048", "--wide")
        self.assertGreater(max(map(len, wide.splitlines())), 120)

    def test_a_long_spec_stands_on_a_line_of_its_own(self):
        # Prices in a currency of little worth: long numbers, too.
        def change(data):
            for generation in data["generations"]:
                generation["switch"]["price"] *= 1e7
        text = self.succeeds(
            "design", "--endpoints", "2", "--ports", "64", "--limit", "0",
            "--prices", changed_prices(self, change))
        self.assertIn("\nft2b:ports=64,over=3,leaf=2,p=1\n   ", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 120)

    def test_the_table_says_what_is_asked_first(self):
        text, rows = self.table("--endpoints", "2048", "--ports", "36")
        sf = rows["sf:q=11"]
        self.assertEqual(
            {key: sf[key] for key in
             ("rate", "used/free", "switches", "hosts", "cables", "hops",
              "uniform", "bisect", "permut")},
            {"rate": "4xEDR", "used/free": "26/10", "switches": "242",
             "hosts": "2178", "cables": "4235", "hops": "2",
             "uniform": "0.98", "bisect": "0.62", "permut": "0.62"})
        candidate, = [c for c in self.candidates(
            "--endpoints", "2048", "--ports", "36") if c["spec"] == "sf:q=11"]
        self.assertAlmostEqual(float(sf["built"]),
                               candidate["cost"] / 2178e3, places=2)
        self.assertAlmostEqual(float(sf["asked"]),
                               candidate["cost"] / 2048e3, places=2)
        self.assertEqual(rows["ft3:ports=36,pods=7"]["permut"], "=1.00")
        self.assertIn("too small for 2048 hosts:\n", text)
        self.assertIn("upper bounds", text)
        largest = self.table("--ports", "16", "--families", "sf")[1]
        self.assertTrue(largest)
        self.assertFalse(any("asked" in row for row in largest.values()))

    def test_the_table_names_what_does_not_fit_into_a_subnet(self):
        text = self.succeeds("design", "--endpoints", "100000", "--families",
                             "df", "--ports", "64")
        self.assertIn("More hosts than one subnet has addresses for", text)
        text = self.succeeds("design", "--ports", "48", "--families", "sf")
        self.assertIn("No prices are known for these ports", text)

    def test_wide_has_all_columns(self):
        text, rows = self.table("--endpoints", "2048", "--ports", "36",
                                "--wide")
        self.assertLess({"links", "copper", "optical", "LIDs", "LMC"},
                        set(rows["sf:q=11"]))
        self.assertIn("p = 8 of 9, leave out 136", text)

    def test_chart(self):
        for ports in "36", "40", "64":
            svg = self.succeeds("design", "--ports", ports, "-f", "svg")
            root = xml.etree.ElementTree.fromstring(svg)
            spec = "{http://www.w3.org/2000/svg}"
            width = float(root.get("width"))
            labels = [t for t in root.iter(f"{spec}text") if t.get("fill")]
            self.assertEqual(len(labels), len(FAMILIES))
            ys = sorted(float(t.get("y")) for t in labels)
            self.assertTrue(all(b - a >= 15 for a, b in zip(ys, ys[1:])), ys)
            for label in labels:
                # About 7 units a letter at this size.
                self.assertLess(float(label.get("x")) + 7 * len(label.text),
                                width)
            ticks = {t.text for t in root.iter(f"{spec}text")}
            self.assertTrue({"100", "1000", "10000"} <= ticks, ticks)
            done = subprocess.run(["rsvg-convert"], input=svg.encode(),
                                  capture_output=True, check=True)
            self.assertEqual(done.stdout[:4], b"\x89PNG")

    def test_chart_of_one_family(self):
        svg = self.succeeds("design", "--ports", "36", "-f", "svg",
                            "--families", "sf")
        self.assertIn("<title>sf:q=16, 6144 endpoints, 1.97 thousand USD each"
                      "</title>", svg)
        self.assertNotIn(", non-blocking<", svg)
        svg = self.succeeds("design", "--ports", "36", "-f", "svg",
                            "--non-blocking")
        self.assertEqual(set(re.findall(r">([^>]*), non-blocking<", svg)),
                         {"two-level Fat Tree (ft2)",
                          "three-level Fat Tree (ft3)"})

    def test_the_same_question_gives_the_same_bytes(self):
        args = "design", "--endpoints", "300", "-f", "json"
        self.assertEqual(self.succeeds(*args), self.succeeds(*args))

    def test_output_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/d.json"
            self.assertEqual(self.succeeds("design", "--ports", "16", "-f",
                                           "json", "-o", path), "")
            with open(path, encoding="utf-8") as file:
                self.assertEqual(json.load(file)["schema"], "slimfly.design")


class ThreeCommands(Design):
    def test_from_a_question_to_files_for_the_hall(self):
        text = self.succeeds("design", "--endpoints", "200", "--ports", "36",
                             "--families", "sf")
        command = re.search(r"^Next: slimfly (plan .*)$", text, re.M)[1]
        with tempfile.TemporaryDirectory() as folder:
            self.succeeds(*command.split(), cwd=folder)
            self.assertIn("fabric.ibnetdiscover",
                          os.listdir(f"{folder}/plan"))


class Prices(Design):
    def with_prices(self, change):
        return changed_prices(self, change)

    def test_shipped_file_is_what_is_compiled_in(self):
        args = "design", "--endpoints", "300", "-f", "json"
        self.assertEqual(*(
            harness.without_command(self.succeeds(*args, *more))
            for more in ([], ["--prices", SHIPPED])))

    def test_an_edited_price_counts(self):
        def change(data):
            data["generations"][0]["switch"]["price"] *= 2
        before = self.candidates("--ports", "36", "--families", "sf")
        after = self.candidates("--ports", "36", "--families", "sf",
                                "--prices", self.with_prices(change))
        for a, b in zip(before, after, strict=True):
            self.assertAlmostEqual(b["cost"] - a["cost"],
                                   13170 * a["n_switches"])

    def test_optical_cables_cost_more_than_copper_ones(self):
        # Once both had one price, whatever their length.
        with open(SHIPPED, encoding="utf-8") as file:
            generations = json.load(file)["generations"]
        for generation in generations:
            self.assertIn("assumed", generation["source"])
            for key in "links", "host_cables":
                copper, optical = [
                    c["price"] + c["per_metre"] * generation["copper_up_to"]
                    for c in generation[key]]
                self.assertLess(copper, optical)

    def test_an_older_file_is_read(self):
        # It has neither per_metre nor copper_up_to.
        sf, = self.candidates("--endpoints", "200", "--ports", "36",
                              "--families", "sf", "--prices", PAPER,
                              "--limit", "1")
        self.assertAlmostEqual(sf["cost"], 50 * 13170 + 175 * 934 + 200 * 234)

    def test_metres_and_the_reach_of_copper_count(self):
        def change(data):
            edr = data["generations"][0]
            edr["copper_up_to"] = 0.4
            for cable in edr["links"] + edr["host_cables"]:
                cable["per_metre"] = 0
        prices = self.with_prices(change)
        args = "--endpoints", "200", "--ports", "36", "--families", "sf"
        found = self.candidates(*args, "--prices", prices)[0]
        self.assertEqual((found["links_by_medium"]["copper"],
                          found["host_cables_by_medium"]["copper"]), (0, 0))
        self.assertAlmostEqual(found["cost"], 50 * 13170 + 375 * 784)
        text = self.succeeds("design", *args, "--prices", prices)
        self.assertRegex(text, r"Next: .* --copper-max 0\.4\n")

    def test_bad_files(self):
        def at(path, value=None):
            """Sets what is at a path, or removes it."""
            def change(data):
                *way, last = path
                for key in way:
                    data = data[key]
                if value is None:
                    del data[last]
                else:
                    data[last] = value
            return change
        first = ("generations", 0)
        for change, says in [
                (at((*first, "switch", "price")),
                 "generations[0].switch.price: expected a price, and it is "
                 "missing"),
                (at((*first, "switch")),
                 "generations[0].switch.price: expected a price, and it is "
                 "missing"),
                (at((*first, "switch", "price"), -5),
                 "generations[0].switch.price: expected a price from 0 to "
                 "1e+12, found -5"),
                (at((*first, "switch", "price"), "much"),
                 "generations[0].switch.price: expected a price, a number"),
                (at((*first, "switch", "watts")),
                 "generations[0].switch.watts: expected a power"),
                (at((*first, "links", 1, "price"), -0.5),
                 "generations[0].links[1].price: expected a price from 0"),
                (at((*first, "links", 1, "per_metre"), -1),
                 "generations[0].links[1].per_metre: expected a price from 0"),
                (at((*first, "copper_up_to"), "far"),
                 "generations[0].copper_up_to: expected a length in metres, a "
                 "number"),
                (at((*first, "host_cables", 0, "price")),
                 "generations[0].host_cables[0].price: expected a price, and "
                 "it is missing"),
                (at((*first, "host_cables", 0)),
                 "generations[0].host_cables: expected a price of copper "
                 "cables of any length"),
                (at((*first, "links", 0, "up_to"), 3),
                 "generations[0].links: expected a price of copper cables of "
                 "any length"),
                (at((*first, "links", 0, "up_to"), -3),
                 "generations[0].links[0].up_to: expected metres above 0"),
                (at((*first, "links", 0, "medium"), "string"),
                 "generations[0].links[0].medium: expected copper or optical"),
                (at((*first, "ports"), 3),
                 "generations[0].ports: expected a whole number from 4 to "
                 "254"),
                (at((*first, "ports"), 40),
                 "generations[1].ports: expected more than the 40"),
                (at(("generations",), []),
                 "generations: expected an array of 1 to 16"),
                (at(("year",)), "year: expected a whole number from 1990 to "
                                "9999, and it is missing"),
                (at(("currency",), ""), "currency: expected a text"),
                (at(("schema",), "x"), 'schema: expected "slimfly.prices"'),
                (at(("schema_version",), 2), "schema_version: expected"),
                (lambda data: json.dumps(data) + " trailing",
                 ".json:1: expected JSON"),
                (lambda data: "[1, 2]", 'schema: expected "slimfly.prices"'),
                (lambda data: "{", ".json:1: expected JSON")]:
            name = self.with_prices(change)
            self.fails("design", "--ports", "36", "--prices", name,
                       says=f"{name if says[0] != '.' else ''}"
                            f"{': ' if says[0] != '.' else ''}{says}")
        self.fails("design", "--ports", "36", "--prices", "/nonexistent",
                   says="/nonexistent: No such file")

    def test_paper_tables_need_the_papers_generations(self):
        def change(data):
            del data["generations"][2]
        self.fails("design", "--paper-tables", "--prices",
                   self.with_prices(change), says="prices of switches of 64")

    def test_paper_tables_take_the_prices_of_the_paper(self):
        args = "design", "--paper-tables", "-f", "csv"
        self.assertEqual(self.succeeds(*args),
                         self.succeeds(*args, "--prices", PAPER))
        self.assertNotEqual(self.succeeds(*args),
                            self.succeeds(*args, "--prices", SHIPPED))


class BadInput(Design):
    def test_questions(self):
        for args, says in [
                ([], "expected a question: --endpoints N"),
                (["--endpoints", "0"],
                 "--endpoints '0': expected a whole number from 1"),
                (["--endpoints", "-5"], "expected a whole number"),
                (["--endpoints", "20x"], "expected a whole number"),
                (["--endpoints", "99999999999999999999"],
                 "expected a whole number"),
                (["--ports", "3"],
                 "--ports '3': expected a whole number from 4 to 254"),
                (["--ports", "255"], "expected a whole number from 4 to 254"),
                (["--endpoints", "9", "--families", "sf,nosuch"],
                 "'nosuch' is not a family that can be sized; there are sf, "
                 "ft2, ft2b, ft3, hx2, df, pf, xpander, jellyfish"),
                (["--endpoints", "9", "--families", ""],
                 "'' is not a family"),
                (["--endpoints", "9", "--families", "sf,"],
                 "'' is not a family"),
                (["--ports", "36", "--layers", "0"],
                 "expected a whole number from 1 to 128"),
                (["--ports", "36", "--layers", "129"],
                 "expected a whole number from 1 to 128"),
                (["--ports", "36", "--budget", "0"], "expected a number"),
                (["--ports", "36", "--budget", "nan"], "expected a number"),
                (["--ports", "36", "--budget", "5e6 USD"],
                 "expected a number"),
                (["--ports", "48", "--budget", "5e6"],
                 "a budget needs prices, and there are none for switches of "
                 "48 ports"),
                (["--ports", "36", "--sort", "beauty"],
                 "expected one of cost, cost-per-endpoint"),
                (["--ports", "36", "--overload", "0.5"], "expected a number"),
                (["--ports", "36", "--format", "xml"],
                 "expected one of text, json, csv, svg"),
                (["--format", "svg", "--endpoints", "9"],
                 "is a chart over endpoints"),
                (["--format", "svg", "--ports", "48"],
                 "a chart needs a number of ports for which there are "
                 "prices"),
                (["--paper-tables", "--ports", "36"], "--paper-tables takes"),
                (["--paper-tables", "-f", "svg"], "--paper-tables takes"),
                (["--paper-tables", "--wide"], "--paper-tables takes"),
                (["--ports", "36", "-f", "csv", "--wide"],
                 "--wide is for --format text"),
                (["2048"], "unexpected '2048'"),
                (["--ports", "36", "trailing"], "unexpected 'trailing'")]:
            self.fails("design", *args, says=says)


if __name__ == "__main__":
    harness.main()
