"""slimfly evaluate: the paper's benchmarks on several networks."""
import csv
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time

import browser
import harness

# A small part of the paper's evaluation.
LITTLE = ["evaluate", "--paper", "--quick", "--routings",
          "minimal,paper,gates"]
SMALL = [*LITTLE, "--nodes", "8"]
# A part that has something of everything.
MIXED = ["evaluate", "--networks", "ft2:ports=8,sf:q=3", "-w",
         "alltoall,ebb,halo", "-n", "4,8", "--sizes", "64,16K", "--seeds",
         "2", "--layers", "2", "--routings", "minimal,paper,gates,jobs"]
FILES = ["evaluation.txt", "evaluation.md", "evaluation.json",
         "evaluation.csv", "evaluation.html", "simulation.csv",
         "alltoall.svg", "ebb.svg", "ebb-layers.svg"]


class Evaluate(harness.Case):
    def folder(self):
        path = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, path)
        return path

    def read(self, folder, name):
        with open(f"{folder}/{name}", encoding="utf-8") as file:
            return file.read()

    def cells(self, *args):
        text = self.succeeds(*args, "-f", "csv")
        return list(csv.DictReader(text.splitlines()))

    def check_same(self, folder, other):
        """All files of two folders are the same."""
        for name in sorted(os.listdir(other)):
            if os.path.isfile(f"{other}/{name}"):
                mine, theirs = (self.read(f, name) for f in (folder, other))
                # The command names its folder.
                self.assertEqual(mine.replace(folder, "DIR"),
                                 theirs.replace(other, "DIR"), name)
        self.assertEqual(sorted(os.listdir(f"{folder}/measured")),
                         sorted(os.listdir(f"{other}/measured")))


class Results(Evaluate):
    def test_cells_are_what_simulate_gets(self):
        """Each number is that of the same run of 'slimfly simulate'."""
        fat_tree = self.folder()
        self.succeeds("plan", "ft2:ports=36,leaf=12", "--hosts", "200", "-o",
                      fat_tree)
        cells = self.cells(*SMALL, "--sizes", "64K")
        gains = 0
        for cell in cells:
            network = (fat_tree if cell["network"].startswith("ft2")
                       else cell["network"])
            scheme = ([] if cell["routing"] == "default"
                      else ["-s", cell["routing"]])
            select = ["--select", cell["select"]]
            is_ebb = cell["benchmark"] == "ebb"
            if cell["select"] == "stripe":
                select += ["--eager", "4K"]
            work = (["-w", "ebb:size=512K,matchings=40"] if is_ebb else
                    ["-w", "alltoall:algorithm=linear", "--size", "64K",
                     "--timing", "exact"])
            text = self.succeeds(
                "simulate", network, *work, *scheme, *select, "-n",
                cell["nodes"], "-l", cell["layers"], "-p",
                {"linear": "racks"}.get(cell["placement"], "random"),
                "--queues", cell["queues"], "--net", "fdr", "--overhead",
                "0.4", "-f", "json")
            row = json.loads(text)["rows"][0]
            if is_ebb:
                self.assertAlmostEqual(float(cell["mean"]),
                                       row["host_rate"], 8)
            else:
                self.assertLess(abs(float(cell["time_s"]) / row["time_s"] -
                                    1), 1e-7, cell)
            like = [c for c in cells if c["routing"] == "default" and
                    c["placement"] == "linear" and
                    all(c[key] == cell[key] for key in
                        ("benchmark", "nodes", "size_bytes", "queues"))]
            gain = float(cell["mean"]) / float(like[0]["mean"]) - 1
            self.assertAlmostEqual(float(cell["gain"]), gain, 6)
            gains += gain != 0
        self.assertGreater(gains, 4)

    def reckoned(self, kind, how, few, *options):
        """Parts by which times that are reckoned miss simulated ones."""
        base = ["evaluate", "--paper", "-w", kind, "--layers", "4", "--seeds",
                "1", *options]
        cells = self.cells(*base, "--packets", few)
        sizes = sorted({int(c["size_bytes"]) for c in cells
                        if c["how"] == how and int(c["size_bytes"]) <=
                        1 << 20})
        many = self.cells(*base, "--packets", "100000000", "--sizes",
                          ",".join(map(str, sizes)))
        keys = ("routing", "layers", "placement", "network", "queues",
                "size_bytes")
        simulated = {tuple(c[k] for k in keys): c for c in many}
        errors = []
        for cell in cells:
            other = simulated.get(tuple(cell[k] for k in keys))
            if cell["how"] == how and other:
                self.assertEqual(other["how"], "events")
                errors.append(float(cell["time_s"]) /
                              float(other["time_s"]) - 1)
        self.assertGreater(len(errors), 5)
        return errors

    def check_near(self, errors, most):
        self.assertLess(max(map(abs, errors)), most, errors)
        self.assertLess(abs(sum(errors)) / len(errors), most / 3, errors)

    def test_sizes_on_a_line_are_near_simulations(self):
        """What was not simulated is within some percent of what would be."""
        for kind in "alltoall", "allreduce", "bcast":
            for how in "between", "beyond":
                self.check_near(self.reckoned(
                    kind, how, "4000", "-n", "16", "--routings",
                    "minimal,paper"), 0.12)

    @harness.long
    def test_large_sizes_are_near_simulations(self):
        """The same with as many packets as the paper's evaluation has."""
        self.check_near(self.reckoned("alltoall", "beyond", "200000", "-n",
                                      "64"), 0.2)

    def test_claims_follow_from_cells(self):
        """Verdicts are those of the rule, figures those of the cells."""
        found = json.loads(self.succeeds(*LITTLE, "--nodes", "8,16,32", "-w",
                                         "ebb", "-f", "json"))
        claims = {claim["id"]: claim for claim in found["claims"]}
        self.assertGreaterEqual(len(claims), 25)
        for claim in claims.values():
            low, high = claim["at_least"], claim["at_most"]
            for judged in claim["judged"]:
                figure = judged["figure"]
                verdict = ("not run" if figure is None else
                           "agrees" if (low is None or figure >= low) and
                           (high is None or figure <= high) else "differs")
                self.assertEqual(judged["verdict"], verdict, claim["id"])
        cells = [c for c in found["cells"] if c["queues"] == "fifo"]

        def figure(nodes, routing):
            return max(c["mean"] for c in cells if c["nodes"] == nodes and
                       c["routing"] in routing and
                       c["placement"] == "linear")

        most = max(figure(n, ["paper", "minimal"]) / figure(n, ["default"]) - 1
                   for n in (8, 16, 32))
        got = [j["figure"] for j in claims["ebb-lags"]["judged"]
               if j["queues"] == "fifo"]
        self.assertAlmostEqual(got[0], most, 7)
        self.assertEqual(
            [j["verdict"] for j in claims["gpt3-ahead"]["judged"]],
            ["not run", "not run"])

    def test_files(self):
        folder = self.folder()
        text = self.succeeds(*MIXED, "-o", folder)
        self.assertEqual(text, self.read(folder, "evaluation.txt"))
        for name in FILES:
            self.assertTrue(os.path.getsize(f"{folder}/{name}"), name)
        rows = json.loads(self.read(folder, "simulation.json"))
        self.assertEqual(rows["schema"], "slimfly.simulation")
        for row in rows["rows"]:
            self.assertTrue(row["finished"])
            self.assertIsNone(row["deadlock"])
            self.assertGreater(row["time_s"], 0)
        found = json.loads(self.read(folder, "evaluation.json"))
        self.assertEqual(found["schema"], "slimfly.evaluation")
        self.assertEqual(found["claims"], [])
        self.assertEqual({cell["how"] for cell in found["cells"]},
                         {"events", "slots", "flow"})
        self.assertEqual(len(self.read(folder, "evaluation.csv")
                             .splitlines()), 1 + len(found["cells"]))

    def test_all_families(self):
        """A routing that a network cannot have is left out and named."""
        specs = ["sf:q=3", "ft2:ports=8", "ft3:ports=4", "hx2:3x3,p=2",
                 "df:a=4,h=2,p=2", "xpander:k=4,lift=4,p=2",
                 "jellyfish:n=16,k=4,p=2", "pf:q=3"]
        text = self.succeeds(
            "evaluate", "--networks", ",".join(specs), "-w", "alltoall,ebb",
            "-n", "8", "--sizes", "4K", "--queues", "voq", "--routings",
            "minimal,gates,jobs", "--layers", "2")
        for spec in specs:
            self.assertIn(spec.split(",")[0], text)

    @harness.long
    def test_lanes_by_path(self):
        """Once a Dragonfly had no minimal paths on any service level."""
        cells = self.cells("evaluate", "--networks", "df:a=8,h=4,p=4",
                           "--quick", "-w", "ebb")
        self.assertEqual({cell["routing"] for cell in cells},
                         {"minimal", "gates"})

    def test_equal_cost_divides_by_cost(self):
        args = [*MIXED, "-f", "json"]
        plain = json.loads(self.succeeds(*args))
        paid = json.loads(self.succeeds(*args, "--equal", "cost"))
        costs = {n["spec"]: n["cost"] for n in paid["networks"]}
        first = paid["networks"][0]["cost"]
        for a, b in zip(plain["cells"], paid["cells"]):
            self.assertAlmostEqual(
                (1 + a["gain"]) * first / costs[a["network"]],
                1 + b["gain"], 6)

    def rows(self, text, heading):
        """The rows of the tables whose headings begin so: names, numbers."""
        tables = [table.splitlines() for table in text.split("\n\n")
                  if table.startswith(heading)]
        self.assertTrue(tables, heading)
        return [[re.split(" {2,}", row.strip()) for row in table[2:]]
                for table in tables]

    def test_same_network_twice(self):
        """Tables of random placement had the reference by racks, so that a
        network was not as fast as itself."""
        folder = self.folder()
        args = ["evaluate", "--networks", "sf:q=3,sf:q=3", "-n", "8", "-w",
                "alltoall,ebb,halo", "--sizes", "64K", "--layers", "2"]
        text = self.succeeds(*args, "-o", folder)
        for placement in "linear", "random":
            for title in "eBB", "Halo exchange":
                for rows in self.rows(text, f"{title}, {placement}"):
                    self.assertEqual(rows[:2], rows[2:])
            for rows in self.rows(text, f"Alltoall, {placement}"):
                self.assertEqual([name for name, _ in rows],
                                 ["sf:q=3, our layers",
                                  "sf:q=3, minimal paths",
                                  "sf:q=3, our layers"])
                self.assertEqual(rows[0], rows[2])
                self.assertEqual(rows[1][1], "+0.0")
        says = ("Reference: sf:q=3, minimal paths, under the same placement "
                "as what is compared with it")
        for name in ("evaluation.txt", "evaluation.md", "evaluation.html",
                     "alltoall.svg", "science.svg"):
            self.assertIn(says, self.read(folder, name), name)
        found = json.loads(self.read(folder, "evaluation.json"))
        self.assertEqual(found["reference"],
                         {"network": "sf:q=3", "routing": "minimal",
                          "placement": "same"})
        for cell in found["cells"]:
            if cell["routing"] == "minimal":
                self.assertEqual(cell["gain"], 0)
        self.assertEqual(self.read(folder, "alltoall.svg").count(
            "sf:q=3, our layers</text>"), 8)

    def test_one_network(self):
        """Its other routings are compared with the first; once there was
        nothing to draw."""
        folder = self.folder()
        for routings, name in (("gates", "our layers"),
                               ("jobs", "routes for the job")):
            text = self.succeeds("evaluate", "--networks", "sf:q=5", "-n",
                                 "8", "--sizes", "64K", "-w", "alltoall",
                                 "--routings", routings, "-o", folder)
            for rows in self.rows(text, "Alltoall"):
                self.assertEqual([row[0] for row in rows],
                                 [f"sf:q=5, {name}"])
            self.assertIn("gain over sf:q=5, minimal paths, in %", text)
            self.assertIn(f"sf:q=5, {name}",
                          self.read(folder, "alltoall.svg"))

    def test_nothing_to_compare(self):
        folder = f"{self.folder()}/new"
        for spec, says in (
                ("ft2:ports=8", "expected another network to compare "
                                "ft2:ports=8 with, found none"),
                ("sf:q=3", "expected another network or routing to compare "
                           "sf:q=3 with, found none")):
            self.fails("evaluate", "--networks", spec, "-n", "8", "-w",
                       "alltoall", "--routings", "minimal", "-o", folder,
                       says=says)
            self.assertFalse(os.path.exists(folder))
        # What has figures of its own is told.
        text = self.succeeds("evaluate", "--networks", "ft2:ports=8", "-n",
                             "8", "--sizes", "1K", "-o", folder)
        self.assertIn("Alltoall: nothing to compare ft2:ports=8 with", text)
        self.assertFalse(os.path.exists(f"{folder}/alltoall.svg"))

    def test_benchmark_that_fits_no_nodes(self):
        """It was left out without a word."""
        folder = self.folder()
        done = harness.slimfly(*SMALL, "-w", "ebb,gpt3", "-o", folder)
        says = ("gpt3 is left out: no number of nodes fits it: 8 nodes for "
                "gpt3: expected a multiple of 40")
        self.assertEqual((done.returncode, done.stderr),
                         (0, f"slimfly: evaluate: {says}\n"))
        self.assertIn(f"\n{says}\n", done.stdout)
        for name in "evaluation.txt", "evaluation.md", "evaluation.html":
            self.assertIn(says, self.read(folder, name))

    def test_reasons_of_what_was_run(self):
        """'Training loses the most' stood there though only BFS ran."""
        folder = self.folder()
        self.succeeds(*LITTLE, "-n", "25", "-w", "bfs", "-o", folder)
        for name in ("evaluation.txt", "evaluation.md", "evaluation.html",
                     "evaluation.json"):
            text = self.read(folder, name)
            self.assertNotIn("training loses the most", text)
            self.assertNotIn("the halo exchange and HPL do", text)
        reasons = {claim["id"]: claim["reason"] for claim in
                   json.loads(self.read(folder, "evaluation.json"))["claims"]}
        self.assertIsNone(reasons["ft-placement-rest"])
        self.assertIsNone(reasons["gpt3-ahead"])
        self.assertIn("how long an edge takes", reasons["bfs-layers"])

    def test_paper_is_beside_a_linear_fat_tree(self):
        folder = self.folder()
        self.succeeds(*SMALL, "-o", folder)
        says = ("Reference: Fat Tree, under linear placement everywhere, as "
                "in the paper")
        for name in ("evaluation.txt", "evaluation.md", "evaluation.html",
                     "alltoall.svg", "ebb.svg"):
            self.assertIn(says, self.read(folder, name), name)
        page = self.read(folder, "evaluation.html")
        self.assertIn("<title>The paper's evaluation: a Slim Fly and a Fat "
                      "Tree</title>", page.replace("&apos;", "'")
                      .replace("&#39;", "'"))
        self.assertNotIn("Networks side by side", page)

    def test_command_of_any_bytes(self):
        """A byte that is no UTF-8 made the command null."""
        folder = os.fsencode(self.folder())
        done = subprocess.run(
            [harness.PROGRAM, *SMALL, "-w", "ebb", "-o",
             folder + b"/\xff"], capture_output=True, check=False,
            timeout=harness.PATIENCE)
        self.assertEqual(done.returncode, 0)
        with open(folder + b"/\xff/evaluation.json", "rb") as file:
            found = json.load(file)
        self.assertTrue(found["command"].startswith("slimfly evaluate "))
        self.assertTrue(found["program"].startswith("slimfly "))

    def test_panels_of_a_figure_have_one_scale(self):
        folder = self.folder()
        self.succeeds("evaluate", "--networks", "ft3:ports=6,hx2:4x4,p=3",
                      "-w", "halo,bfs", "-n", "25", "--queues", "voq",
                      "--routings", "minimal", "--equal", "cost", "-o", folder)
        at = {number: [float(y) for y in re.findall(
                  rf'y="([0-9.]+)" text-anchor="end">{number}</text>',
                  self.read(folder, "science.svg"))] for number in (0, 100)}
        heights = {round(zero - high, 1)
                   for zero, high in zip(at[0], at[100], strict=True)}
        self.assertEqual((len(at[0]), len(heights)), (4, 1))


class Work(Evaluate):
    def start(self, folder, *more, env=None):
        process = subprocess.Popen(
            [harness.PROGRAM, *MIXED, "-o", folder, "-j", "1", *more],
            text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, **(env or {})})
        self.addCleanup(process.kill)
        return process

    def kept(self, folder):
        path = f"{folder}/measured"
        return len(os.listdir(path)) if os.path.isdir(path) else 0

    def test_goes_on_after_it_was_killed(self):
        folder, whole = self.folder(), self.folder()
        process = self.start(folder)
        while process.poll() is None and self.kept(folder) < 6:
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=harness.PATIENCE)
        self.succeeds(*MIXED, "-o", folder, "-j", "1")
        self.succeeds(*MIXED, "-o", whole, "-j", "1")
        self.check_same(folder, whole)

    def test_two_share_it(self):
        folder, whole = self.folder(), self.folder()
        both = [self.start(folder, env={"OMPI_COMM_WORLD_RANK": str(i),
                                        "OMPI_COMM_WORLD_SIZE": "2"})
                for i in range(2)]
        done = [p.communicate(timeout=harness.PATIENCE) for p in both]
        self.assertEqual([p.returncode for p in both], [0, 0])
        told = self.succeeds(*MIXED, "-o", whole, "-j", "1")
        self.assertEqual(sorted(done), [("", ""), (told, "")])
        self.check_same(folder, whole)

    def test_damaged_pieces_are_run_again(self):
        folder, whole = self.folder(), self.folder()
        self.succeeds(*MIXED, "-o", folder, "-j", "1")
        kept = f"{folder}/measured"
        for i, name in enumerate(sorted(os.listdir(kept))):
            if name != ".claims" and i % 2:
                with open(f"{kept}/{name}", "r+", encoding="utf-8") as file:
                    file.truncate(os.path.getsize(f"{kept}/{name}") // i)
        self.succeeds(*MIXED, "-o", folder, "-j", "1")
        self.succeeds(*MIXED, "-o", whole, "-j", "1")
        self.check_same(folder, whole)

    def test_full_disk(self):
        """Nothing half-written stays, and what was there is not lost."""
        folder = self.folder()
        self.succeeds(*MIXED, "-o", folder)
        before = {name: self.read(folder, name) for name in FILES}

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))

        done = subprocess.run(
            [harness.PROGRAM, *MIXED, "-o", folder, "--seed", "7"],
            capture_output=True, text=True, check=False,
            timeout=harness.PATIENCE, preexec_fn=limit)
        self.assertEqual(done.returncode, 2)
        self.assertIn("File too large", done.stderr)
        for name in FILES:
            self.assertEqual(self.read(folder, name), before[name])
        self.assertEqual([name for name in os.listdir(folder)
                          if name.startswith(".")], [])

    def test_bad_options(self):
        for args, says in (
                ([], "expected either --paper or --networks, found neither"),
                (["--paper", "--networks", "sf:q=3"], "found both"),
                (["--paper", "sf:q=5"], "expected options only"),
                (["--paper", "-w", "nothing"], "nothing"),
                (["--paper", "-w", "ebb", "-n", "500"], "500"),
                (["--paper", "-w", "ebb", "-n", "8,8"],
                 "--nodes: expected growing numbers"),
                (["--paper", "--sizes", "64K,1"],
                 "--sizes: expected growing numbers"),
                (["--paper", "--sizes", "many"], "'many'"),
                (["--paper", "--hosts", "201"],
                 "expected at least 201 hosts, found 200"),
                (["--paper", "-w", "gpt3", "-n", "8"],
                 "no benchmark can run with these numbers of nodes"),
                (["--networks", "sf:q=6"], "not a prime power"),
                (["--paper", "--share"], "--share: expected --output"),
                (["--paper", "--prices", "/nowhere"], "/nowhere")):
            self.fails("evaluate", *args, says=says)


class Page(Evaluate):
    def test_page(self):
        """The page asks for nothing, and is light, dark and for paper."""
        folder = self.folder()
        self.succeeds(*SMALL, "-o", folder)
        chromium = browser.Browser()
        self.addCleanup(chromium.close)
        page = chromium.page()
        page.open(browser.address(f"{folder}/evaluation.html"))
        self.assertEqual(len(page.requests()), 1)
        n_claims = page.run("document.querySelectorAll('tr[id]').length")
        self.assertGreaterEqual(n_claims, 25)
        self.assertEqual(
            page.run("document.querySelectorAll('figure svg').length"), 3)
        self.assertGreater(page.run(
            "document.querySelectorAll('td.agrees,td.differs').length"), 5)
        self.assertTrue(page.run(
            "document.documentElement.scrollWidth <= innerWidth"))
        colors = []
        for media, scheme in (("", "light"), ("", "dark"), ("print", "dark")):
            page.call("Emulation.setEmulatedMedia", media=media,
                      features=[{"name": "prefers-color-scheme",
                                 "value": scheme}])
            colors.append(page.run(
                "getComputedStyle(document.body).backgroundColor"))
        self.assertEqual(colors[0], "rgb(255, 255, 255)")
        self.assertEqual(colors[1], "rgb(22, 24, 27)")
        self.assertEqual(colors[2], colors[0])


harness.main()
