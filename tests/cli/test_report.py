"""slimfly report: what commands wrote, on one page."""
import atexit
import base64
import csv
import functools
import html.parser
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile

import browser
import hall
import harness

FAMILIES = ["sf:q=3", "ft2:ports=8", "ft3:ports=4", "hx2:3x3,p=2",
            "df:a=4,h=2,p=2", "xpander:k=4,lift=4,p=2",
            "jellyfish:n=16,k=4,p=2", "pf:q=3"]
# What could end a text, an attribute or an element.
EVIL = """<img src=x onerror="document.title='evil'">&amp;'"</td></script>"""


class Reader(html.parser.HTMLParser):
    """What stands on a page: sections with facts, tables and words."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.sections, self.tags = [], {}, {}
        self.section = self.cell = self.row = self.table = None
        self.said, self.facts, self.words, self.head = [], {}, [], ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.tags[tag] = self.tags.get(tag, 0) + 1
        if "id" in attrs:
            self.ids.append(attrs["id"])
        if tag == "section":
            self.section = {"title": "", "tables": {}, "facts": {}}
            self.sections[attrs["id"]] = self.section
        if tag == "nav":
            self.section = None
        if tag == "table":
            self.table = []
            self.section["tables"][self.head] = self.table
        if tag == "tr":
            self.row = []
            self.table.append(self.row)
        if tag in ("td", "th", "h2", "h3", "dt", "dd", "li", "code"):
            self.cell = ""
        if tag == "td":
            self.row.append("")

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.row[-1:] = [self.cell] if tag == "td" else \
                self.row[-1:] + [self.cell]
        elif tag == "nav":
            self.section = None
        elif tag == "h2" and self.section is not None:
            self.section["title"] = self.cell
        elif tag == "h3":
            self.head = self.cell
        elif tag == "dt":
            self.fact = self.cell
        elif tag == "dd":
            self.section["facts"][self.fact] = self.cell
        elif tag == "li":
            self.said.append(self.cell)

    def handle_data(self, data):
        self.words.append(data)
        if self.cell is not None:
            self.cell += data

    def find(self, title):
        """The sections with this title."""
        return [s for s in self.sections.values() if s["title"] == title]


class Report(harness.Case):
    def folder(self):
        path = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, path)
        return path

    def text(self, *paths):
        """The page of these results."""
        return self.succeeds("report", *paths, "-o", "-")

    def read(self, *paths):
        return Reader(self.text(*paths))

    def write(self, path, data):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(data if isinstance(data, str) else json.dumps(data))
        return path

    def load(self, path):
        with open(path, encoding="utf-8") as file:
            return json.load(file)

    def says_in(self, part, whole):
        """As assertIn(), which would show all of the page."""
        self.assertTrue(part in whole, part)


@functools.cache
def make_all():
    """A folder with what real commands wrote, and a page of it."""
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder)
    made = [
        ["plan", "sf:q=5", "-o", "plan"],
        ["plan", "ft2:ports=12", "-o", "tree"],
        ["route", "plan", "-o", "routes"],
        ["audit", "routes", "-f", "json", "-o", "routes/audit.json"],
        ["audit", "routes", "routes", "-f", "json", "-o", "change.json"],
        ["analyze", "ft2:ports=12", "-t", "permutation", "--layers",
         "1,4", "-o", "analysis"],
        ["simulate", "ft2:ports=12", "-w", "alltoall", "--nodes", "16",
         "--layers", "1,4", "-o", "simulation"],
        ["evaluate", "--networks", "ft2:ports=8,sf:q=3", "-w",
         "alltoall,ebb", "-n", "4,8", "--sizes", "64,16K", "--layers",
         "2", "--routings", "minimal,gates", "-o", "evaluation"],
        ["design", "--endpoints", "200", "-f", "json", "-o",
         "design.json"],
        ["topology", "sf:q=5", "-f", "json", "-o", "sf5.json"],
        ["topology", "sf:q=5", "-f", "svg", "-o", "sf5.svg"],
    ]
    for args in made:
        done = harness.slimfly(*args, cwd=folder)
        assert done.returncode == 0, (args, done.stderr)
    done = harness.slimfly("report", ".", "-o", "report.html", cwd=folder)
    assert done.returncode == 0, done.stderr
    with open(f"{folder}/report.html", encoding="utf-8") as file:
        text = file.read()
    return folder, done.stdout, text, Reader(text)


class Made(Report):
    """With a page of what real commands wrote."""

    def setUp(self):
        self.all, self.says, self.html, self.reader = make_all()
        self.page = f"{self.all}/report.html"


class Words(Made):
    """What stands on the page."""

    def test_all_results_are_there(self):
        titles = [s["title"] for s in self.reader.sections.values()]
        self.assertEqual(titles, [
            "Summary", "Design", "Topology: sf:q=5", "Plan: sf:q=5",
            "Plan: ft2:ports=12", "Routes", "Audit", "Change of tables",
            "Analysis: ft2:ports=12", "Simulation", "Evaluation"])
        self.assertRegex(self.says, r"^report.html: 10 results, \d+ figures")

    def test_every_figure_is_there_with_its_origin(self):
        figures = []
        for top, folders, names in os.walk(self.all):
            folders[:] = [f for f in folders if f != "measured"]
            figures += [os.path.normpath(f"{top}/{name}") for name in names
                        if name.endswith(".svg")]
        words = "".join(self.reader.words)
        for path in figures:
            name = os.path.relpath(path, self.all)
            self.says_in(f"./{name} of slimfly ", words)
        # And the halls of two plans.
        self.assertEqual(self.reader.tags["svg"], len(figures) + 2)
        self.assertGreaterEqual(words.count(", slimfly 0."),
                                words.count(" of slimfly "))

    def test_ids_are_unique(self):
        self.assertEqual(len(self.reader.ids), len(set(self.reader.ids)))

    def test_numbers_are_those_of_the_files(self):
        with open(f"{self.all}/plan/materials.csv", encoding="utf-8") as file:
            bill = [row for row in csv.DictReader(file)
                    if "cable" in row["item"] and row["item"] != "label"]
        plan = self.reader.find("Plan: sf:q=5")[0]
        cables = plan["tables"]["Cables"]
        for medium in "copper", "optical":
            self.assertEqual(
                sum(int(row[4]) for row in cables[1:] if row[2] == medium),
                sum(int(row["quantity"]) for row in bill
                    if row["item"].startswith(medium)))
        racks = plan["tables"]["Racks"]
        self.assertEqual(sum(int(row[4]) for row in racks[1:]), 200)
        self.assertEqual(sum(int(row[5]) for row in racks[1:]), 2 * 375)

        rows = self.load(f"{self.all}/simulation/simulation.json")["rows"]
        table = self.reader.find("Simulation")[0]["tables"]["Simulations"]
        column = table[0].index("throughput")
        self.assertEqual([row[column] for row in table[1:]],
                         [f"{100 * row['throughput']:.1f}\u00a0%"
                          for row in rows])
        audit = self.reader.find("Audit")[0]["facts"]
        self.assertEqual((audit["sound"], audit["LIDs"]), ("yes", "850"))

        cells = self.load(f"{self.all}/evaluation/evaluation.json")["cells"]
        table = self.reader.find("Evaluation")[0]["tables"]["Measurements"]
        self.assertEqual([row[-1] for row in table[1:]],
                         [f"{100 * cell['gain']:+.1f}\u00a0%"
                          for cell in cells])

    def test_the_summary_says_what_the_files_say(self):
        said = "\n".join(self.reader.said)
        for words in (
                "sf:q=5 (Slim Fly (McKay-Miller-Siran graph), diameter 2) is "
                "planned: 50 switches and 200 hosts in 5 racks, 375 cables",
                "The tables in the switches are sound: each of 850 LIDs",
                "These routes cannot deadlock on any service level",
                "Under traffic permutation, with equal shares over the "
                "layers, ft2:ports=12 carries 66.7\u00a0%",
                "With the best shares, the most is 100.0\u00a0%",
                "alltoall on ft2:ports=12 with routing ftree (layers: 4)",
                "sf:q=3 against ft2:ports=8: faster by more than 1 % in"):
            self.says_in(words, said)
        design = self.load(f"{self.all}/design.json")["candidates"]
        cost = next(c["cost"] for c in design if c["spec"] == "sf:q=5")
        self.says_in(f"sf:q=5 costs {cost:,.0f} USD", said)
        cells = [c for c in
                 self.load(f"{self.all}/evaluation/evaluation.json")["cells"]
                 if c["network"] == "sf:q=3"]
        ahead = sum(c["gain"] > 0.01 for c in cells)
        self.says_in(f"in {ahead} of {len(cells)} measurements", said)

    def test_what_is_carried_names_the_shares(self):
        """The best shares, which hosts do not choose, passed for what the
        network carries."""
        folder = self.folder()
        self.succeeds("analyze", "sf:q=3", "-s", "gates,minimal", "-l", "2,4",
                      "-t", "all-to-all,permutation", "-o", folder)
        rows = [row for row in self.load(f"{folder}/analysis.json")["rows"]
                if row["kind"] == "layers"]
        said = [words for words in self.read(folder).said
                if "Under traffic" in words]
        for traffic, words in zip(("all-to-all", "permutation"), said):
            most = {split: f"{100 * max(means):.1f}\u00a0%"
                    for split in ("equal", "best")
                    for means in [[item["mean"] for row in rows
                                   for item in row["throughput"]
                                   if item["traffic"] == traffic and
                                   item["split"] == split]]}
            self.says_in(f"Under traffic {traffic}, with equal shares over "
                         f"the layers, sf:q=3 carries {most['equal']}", words)
            self.says_in("With the best shares, the most is "
                         f"{most['best']}, with ", words)
        self.assertEqual(len(said), 2)
        self.succeeds("analyze", "sf:q=3", "-l", "2", "-t", "permutation",
                      "--split", "best", "-o", f"{folder}/best")
        said = [words for words in self.read(f"{folder}/best").said
                if "Under traffic" in words]
        self.says_in("with the best shares over the layers, "
                     "sf:q=3 carries", said[0])
        self.assertNotIn("equal", said[0])

    def test_routings_that_are_not_told_are_counted(self):
        folder = self.folder()
        self.succeeds("analyze", "sf:q=3", "-s", "gates,minimal", "--layers",
                      "1,2,4", "--without-lanes", "-o", folder)
        said = self.read(folder).said
        told = [words for words in said if "share no link" in words]
        self.assertEqual(len(told), 4)
        self.says_in(f"2 more routings are in {folder}/analysis.json.",
                     "\n".join(said))

    def test_large_files_are_named_and_not_shown(self):
        words = "".join(self.reader.words)
        self.says_in("./simulation/links.csv: the load of each link", words)
        self.says_in("./routes/opensm-lfts.dump: the forwarding", words)
        self.assertLess(len(self.html), 2 << 20)

    def test_a_slash_at_the_end_changes_no_name(self):
        words = "".join(self.read(f"{self.all}/simulation/").words)
        self.says_in(f"{self.all}/simulation/links.csv: the load", words)

    def test_same_bytes(self):
        other = harness.slimfly("report", ".", "-o", "-", cwd=self.all)
        self.assertEqual(
            other.stdout.replace("report . -o -", "report . -o report.html")
            == self.html, True)

    def test_two_ways_to_the_same_result(self):
        words = self.succeeds("report", f"{self.all}/plan",
                              f"{self.all}/plan/plan.json", f"{self.all}/plan",
                              "-o", f"{self.folder()}/page.html")
        self.assertIn(": 1 result, 20 figures", words)


class Page(Made):
    """The same page in a browser."""

    @classmethod
    def setUpClass(cls):
        cls.chromium = browser.Browser()
        cls.addClassCleanup(cls.chromium.close)

    def open(self, path=None, scheme="light", width=1200):
        page = self.chromium.page()
        self.addCleanup(page.close)
        page.call("Emulation.setDeviceMetricsOverride", width=width,
                  height=900, deviceScaleFactor=1, mobile=False)
        page.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme",
                             "value": scheme}])
        page.open(browser.address(path or self.page))
        self.assertEqual(len(page.requests()), 1)
        return page

    def press(self, page, key, code, text=""):
        """As Page.press(), also for what the browser itself does."""
        for kind in "keyDown", "keyUp":
            page.call("Input.dispatchKeyEvent", type=kind, key=key, code=key,
                      text=text if kind == "keyDown" else "",
                      windowsVirtualKeyCode=code)

    def column(self, page, table, column):
        return page.run(
            f"Array.from(document.querySelectorAll('{table} tbody tr'), row "
            f"=> row.cells[{column}].dataset.v || "
            f"row.cells[{column}].textContent)")

    def test_tables_sort(self):
        page = self.open()
        table = "#r1 table"
        title = "Array.from(document.querySelectorAll('#r1 th'), h => " \
                "h.querySelector('button').textContent).indexOf('cost')"
        cost = page.run(title)
        head = f"document.querySelectorAll('{table} th')[{cost}]"
        before = [float(v) for v in self.column(page, table, cost)]
        page.run(f"{head}.querySelector('button').click()")
        self.assertEqual(page.run(f"{head}.ariaSort"), "ascending")
        self.assertEqual([float(v) for v in self.column(page, table, cost)],
                         sorted(before))
        page.run(f"{head}.querySelector('button').focus()")
        self.press(page, "Enter", 13, "\r")
        page.wait(f"{head}.ariaSort === 'descending'")
        self.assertEqual([float(v) for v in self.column(page, table, cost)],
                         sorted(before, reverse=True))
        self.assertEqual(page.run(
            f"document.querySelectorAll('{table} [aria-sort=none]').length"),
            page.run(f"document.querySelectorAll('{table} th').length") - 1)
        # Words sort as people count.
        page.run(f"document.querySelector('{table} th button').click()")
        self.assertEqual(page.run(
            f"document.querySelector('{table} th').ariaSort"), "ascending")

    def test_figures_are_enlarged(self):
        page = self.open()
        page.call("Emulation.setDeviceMetricsOverride", width=1000,
                  height=250, deviceScaleFactor=1, mobile=False)
        n = page.run("document.querySelectorAll('.figure svg').length")
        self.assertEqual(page.run(
            "document.querySelectorAll('figure > button').length"), n)
        width = page.run("document.querySelector('#r8 .figure svg')"
                         ".getBoundingClientRect().width")
        scale = page.run("document.querySelector('#r8 .figure svg')"
                         ".getScreenCTM().a")
        page.run("document.querySelector('#r8 figure button').click()")
        self.assertTrue(page.run("document.querySelector('dialog').open"))
        self.assertGreater(page.run(
            "document.querySelector('dialog svg').getBoundingClientRect()"
            ".width"), 1.4 * width)
        # What is drawn grows as well, and not only the space beside it.
        self.assertGreater(page.run(
            "document.querySelector('dialog svg').getScreenCTM().a"),
            1.4 * scale)
        self.assertEqual(page.run("document.querySelectorAll('svg').length"),
                         n)
        self.press(page, "Escape", 27)
        page.wait("!document.querySelector('dialog').open")
        self.assertEqual(page.run(
            "document.querySelectorAll('figure > .figure svg').length"), n)
        self.assertEqual(page.run(
            "document.querySelector('#r8 .figure svg')"
            ".getBoundingClientRect().width"), width)
        self.assertEqual(page.run("document.activeElement.textContent"),
                         "Enlarge")

    def test_marks_say_their_values(self):
        page = self.open()
        # A mark of the figure with the rates of messages, or of loads.
        place = page.run("""(() => {
            const mark = Array.from(document.querySelectorAll('#r8 svg *'))
                .find(m => {
                    m.scrollIntoView({block: 'center'});
                    const box = m.getBoundingClientRect();
                    return m.querySelector(':scope > title') &&
                        m === document.elementFromPoint(
                            box.x + box.width / 2, box.y + box.height / 2);
                });
            const box = mark.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2,
                    mark.querySelector('title').textContent];
        })()""")
        page.call("Input.dispatchMouseEvent", type="mouseMoved", x=place[0],
                  y=place[1])
        page.wait("!document.getElementById('tip').hidden")
        self.assertEqual(
            page.run("document.getElementById('tip').textContent"), place[2])
        page.call("Input.dispatchMouseEvent", type="mouseMoved", x=2, y=2)
        page.wait("document.getElementById('tip').hidden")

    def colors(self, page):
        return page.run(
            "['body', '#r8 .figure .paper'].map(s => getComputedStyle("
            "document.querySelector(s))[s === 'body' ? 'backgroundColor' : "
            "'fill'])")

    def test_light_dark_and_paper(self):
        light, dark = "rgb(255, 255, 255)", "rgb(22, 24, 27)"
        page = self.open(scheme="dark")
        self.assertEqual(self.colors(page), [dark, dark])
        for want in light, dark, dark:  # Light, dark, as the system.
            page.run("document.getElementById('scheme').click()")
            self.assertEqual(self.colors(page), [want, want])
        page.call("Emulation.setEmulatedMedia", media="print",
                  features=[{"name": "prefers-color-scheme",
                             "value": "dark"}])
        self.assertEqual(self.colors(page), [light, light])
        self.assertEqual(page.run(
            "Array.from(document.querySelectorAll('button'), b => "
            "b.getClientRects().length).filter(Boolean)"), [])
        self.assertEqual(page.run(
            "Array.from(document.querySelectorAll('section'), s => "
            "s.getBoundingClientRect().height > 20).includes(false)"), False)

    def test_prints_all_sections(self):
        page = self.open(scheme="dark")
        page.run("document.querySelector('details').open = false")
        pdf = page.call("Page.printToPDF", preferCSSPageSize=True)["data"]
        path = f"{self.folder()}/report.pdf"
        with open(path, "wb") as file:
            file.write(base64.b64decode(pdf))
        words = subprocess.run(["pdftotext", "-layout", path, "-"],
                               capture_output=True, text=True,
                               check=True).stdout
        for section in self.reader.sections.values():
            self.assertIn(section["title"], words)
        # Figures share pages, which were half empty.
        pages = words.rstrip("\f").count("\f") + 1
        self.assertLess(pages, 0.8 * self.reader.tags["svg"])
        # Figures that were folded away, and no controls.
        self.assertIn("Step 1, R4", words)
        self.assertNotIn("Enlarge", words)

    def test_room_is_used(self):
        """The cost of a design stood beyond the right edge, and figures had
        empty room beside them."""
        page = self.open(width=1285)  # 1300 without the bar that scrolls.
        self.assertEqual(page.run(
            "Array.from(document.querySelectorAll('#r1 .wide'), "
            "w => w.scrollWidth - w.clientWidth)"), [0])
        tops = page.run("Array.from(document.querySelectorAll("
                        "'#r8 .figures > figure'), f => f.offsetTop)")
        self.assertGreater(len(tops), 2)
        self.assertLess(len(set(tops)), len(tops))
        # What stands below a figure does not make it wider.
        self.assertEqual(page.run(
            "Array.from(document.querySelectorAll('.figures > figure'), "
            "f => f.getBoundingClientRect().width - f.querySelector('svg')"
            ".getBoundingClientRect().width).filter(d => d > 1)"), [])

    def test_tablet(self):
        page = self.open(width=768)
        self.assertTrue(page.run(
            "document.documentElement.scrollWidth <= innerWidth"))

    def test_without_scripts(self):
        page = self.chromium.page()
        self.addCleanup(page.close)
        page.call("Emulation.setScriptExecutionDisabled", value=True)
        page.open(browser.address(self.page))
        page.call("Emulation.setScriptExecutionDisabled", value=False)
        self.assertEqual(page.run(
            "Array.from(document.querySelectorAll('button'), b => "
            "b.getClientRects().length).filter(Boolean)"), [])
        self.assertGreater(page.run(
            "document.querySelectorAll('td').length"), 100)

    def test_names_are_no_markup(self):
        folder = f"{self.folder()}/{EVIL.replace('/', '|')}"
        data = self.load(f"{self.all}/analysis/analysis.json")
        data["network"] = data["command"] = data["program"] = EVIL
        for row in data["rows"]:
            row["label"] = EVIL
        self.write(f"{folder}/analysis.json", data)
        for name in "throughput.svg", "path-lengths.svg":
            shutil.copy(f"{self.all}/analysis/{name}",
                        f"{folder}/a<b>&\"{name}")
        path = f"{self.folder()}/page.html"
        self.succeeds("report", folder, "-o", path)
        page = self.open(path)
        self.assertEqual(page.run("document.querySelectorAll('img').length"),
                         0)
        self.assertTrue(page.run("document.title").startswith("Report: "))
        self.assertEqual(
            page.run("document.querySelector('#r1 td').textContent"), EVIL)
        self.assertEqual(page.run("document.querySelector('#r1 h2')"
                                  ".textContent"), f"Analysis: {EVIL}")
        self.assertEqual(page.run("document.querySelectorAll('svg').length"),
                         2)


class Wiring(hall.Hall):
    def test_what_is_wrong_is_said_first(self):
        self.start("sf:q=5")
        self.swap(("sf-0-3-1", 8), ("sf-0-4-2", 9))
        self.write()
        for form in "json", "svg":
            done = harness.slimfly("verify", self.plan, self.found, "-f",
                                   form, "-o", f"{self.folder}/wiring.{form}")
            self.assertEqual(done.returncode, 1)
        page = Reader(self.succeeds("report", f"{self.folder}/wiring.json",
                                    "-o", "-"))
        self.assertIn("373 of 375 cables are right", "".join(page.words))
        section = page.find("Wiring: sf:q=5")[0]
        self.assertEqual(section["facts"]["misconnected"], "2")
        self.assertEqual(len(section["tables"]["Findings"]), 3)
        self.assertEqual(len(section["tables"]["Moves"]), 3)
        whole = Reader(self.succeeds("report", self.folder, "-o", "-"))
        self.assertIn("wiring.svg of slimfly verify", "".join(whole.words))

    def test_two_verifications_of_a_plan(self):
        """Links to both were called the same."""
        self.start("sf:q=3")
        self.write()
        folder = f"{self.folder}/checks"
        os.mkdir(folder)
        for name in "old", "new":
            done = harness.slimfly("verify", self.plan, self.found, "-f",
                                   "json", "-o", f"{folder}/{name}.json")
            self.assertEqual(done.returncode, 0, done.stderr)
        page = Reader(self.succeeds("report", folder, "-o", "-"))
        said = "\n".join(page.said)
        for name in "old", "new":
            self.assertIn(f"Wiring: sf:q=3, {folder}/{name}.json", said)
        page = Reader(self.succeeds("report", f"{folder}/old.json", "-o",
                                    "-"))
        self.assertNotIn("Wiring: sf:q=3,", "\n".join(page.said))


class Numbers(Report):
    """One thing is no several things: There are 1 findings."""

    def said(self, data):
        path = f"{self.folder()}/one.json"
        return "\n".join(self.read(self.write(path, data)).said)

    def test_verification(self):
        said = self.said({
            "schema": "slimfly.verification", "plan": "sf:q=3",
            "matches": False, "counts": {"planned_cables": 9, "right": 8},
            "findings": [{"verdict": "missing", "text": "a"}],
            "moves": [{"label": "C1", "text": "Plug it in."}]})
        self.assertIn("There is 1 finding; 1 move of a cable end mends what "
                      "can be mended", said)

    def test_routes(self):
        said = self.said({
            "schema": "slimfly.route", "n_switches": 1, "n_layers": 1,
            "scheme": "gates", "lanes": {"n_vls": 1, "safe_on_any_sl": True},
            "n_broken_paths": 1, "mean_hops": 1.5, "most_hops": 2})
        for words in ("1 switch is routed by scheme gates in 1 layer:",
                      "1 path of the routes is broken.",
                      "need 1 virtual lane."):
            self.assertIn(words, said)

    def test_audits(self):
        self.assertIn("1 pair of switch and LID. Without an entry: 1. ",
                      self.said({
                          "schema": "slimfly.audit", "sound": False,
                          "n_lids": 1, "n_pairs": 1, "deadlock": {},
                          "faults": {"no_entry": 1, "dead_end": 0,
                                     "loop": 0}}))
        self.assertIn("1 entry changes.", self.said({
            "schema": "slimfly.change", "safe": True,
            "n_changed_entries": 1}))

    def test_others(self):
        said = self.said({"schema": "slimfly.simulation",
                          "rows": [{"finished": False}]})
        self.assertIn("1 of 1 simulation did not finish.", said)
        folder = self.folder()
        self.succeeds("plan", "jellyfish:n=6,k=2,p=1", "-o", folder)
        self.assertRegex("\n".join(self.read(folder).said),
                         " in 1 rack, ")


class Families(Report):
    def test_all_families(self):
        top = self.folder()
        for i, spec in enumerate(FAMILIES):
            self.succeeds("plan", spec, "-o", f"{top}/{i}/plan")
            self.succeeds("analyze", spec, "-l", "2", "-o", f"{top}/{i}/paths")
        self.succeeds("topology", FAMILIES[0], "-f", "edges", "-o",
                      f"{top}/list.edges")
        self.succeeds("plan", f"edges:{top}/list.edges,p=2", "-o",
                      f"{top}/edges/plan")
        page = self.read(top)
        for spec in FAMILIES:
            self.assertEqual(len(page.find(f"Plan: {spec}")), 1, spec)
            self.assertEqual(len(page.find(f"Analysis: {spec}")), 1, spec)
        self.assertEqual(len(page.sections), 2 * len(FAMILIES) + 2)


class Comparison(Report):
    def test_a_comparison(self):
        folder = self.folder()
        networks = [
            {"name": name, "spec": name, "hosts": 200,
             "figures": {"cost": cost, "latency_s": 2e-6, "x_y": None},
             "throughput": [{"traffic": "permutation", "split": "best",
                             "mean": mean, "min": mean, "max": mean,
                             "gap": 0}],
             "uniform_load": None, "failures": {"cuts": None, "points": [
                 {"kind": kind, "share": share, "runs": 3, "made_anew": 2,
                  "fallback": 1, "disconnected": 0,
                  "figures": {"reached": {"mean": 1.0},
                              "repair_seconds": {"mean": 0.002}},
                  "throughput": [{"traffic": "permutation", "split": "best",
                                  "carried": {"mean": mean / 2,
                                              "min": mean / 4},
                                  "left_out": {"mean": share}}]}
                 for kind, share in (("links", 0.05), ("rack", 0.0))]}}
            for name, cost, mean in (("sf:q=5", 1000.0, 0.65),
                                     ("ft2:ports=24", 2000.0, 1.0))]
        self.write(f"{folder}/comparison.json", {
            "schema": "slimfly.comparison", "schema_version": 1,
            "program": "slimfly 9", "command": "slimfly compare",
            "equal": "hosts", "hosts": 200, "currency": "USD", "note": None,
            "layers": 4, "prices": {"year": 2023},
            "answers": ["The Slim Fly costs half."], "networks": networks})
        self.write(f"{folder}/simulation.json", {
            "schema": "slimfly.simulation", "schema_version": 1, "rows": []})
        page = self.read(folder)
        self.assertIn("The Slim Fly costs half.", "".join(page.said))
        section = page.find("Comparison")[0]
        self.assertEqual(section["tables"]["Side by side"],
                         [["figure", "sf:q=5", "ft2:ports=24"],
                          ["cost, USD", "1,000", "2,000"],
                          ["latency at 10 % uniform load, mean",
                           "2\u00a0\u00b5s", "2\u00a0\u00b5s"],
                          # What the page does not know is readable, too.
                          ["x y", "\u2013", "\u2013"]])
        self.assertEqual(
            (section["facts"]["prices of"], section["facts"]["layers"]),
            ("2023", "4"))
        # What the text says below its table.
        for words in ("Equal shares: each layer carries the same part",
                      "Best shares: each layer carries what the traffic needs",
                      "two bounds, which are less than 0.1\u00a0% apart",
                      "Uniform load is simulated packet by packet",
                      "means of 3 draws of failures and of traffic"):
            self.says_in(words, "".join(page.words))
        # Units differ from row to row, so the table does not sort.
        self.says_in('<h3>Side by side</h3>\n<div class="wide">'
                     '<table class="rows"><thead>', self.text(folder))
        # A rack is no share of anything.
        none = "\u2013"
        self.assertEqual(
            section["tables"]["After failures, repaired"],
            [["network", "what failed", "part", "throughput", "least",
              "without a path", "pairs that reach each other",
              "CPU time of a repair"]] +
            [[name, what, part, carried, least, left_out, "100.0\u00a0%",
              "2\u00a0ms"]
             for name, carried, least in (
                 ("sf:q=5", "32.5\u00a0%", "16.2\u00a0%"),
                 ("ft2:ports=24", "50.0\u00a0%", "25.0\u00a0%"))
             for what, part, left_out in (
                 ("links", "5.0\u00a0%", "5.0\u00a0%"),
                 ("rack", none, "0.0\u00a0%"))])
        self.assertEqual([row[1] for row in section["tables"]["Throughput"]],
                         ["throughput", "65.0\u00a0%", "100.0\u00a0%"])
        # The answer first; numbers with units stand below other numbers.
        self.assertEqual(list(section["tables"]),
                         ["Side by side", "Throughput",
                          "After failures, repaired"])
        self.says_in('<td class="n">2\u00a0\u00b5s</td>', self.text(folder))
        self.assertEqual(page.find("Simulation"), [])

    def test_rows_are_called_by_words(self):
        """load_taken_per_million stood there, and names of rows that made no
        sense without their headings."""
        folder = self.folder()
        self.succeeds("compare", "sf:q=3", "ft2:ports=8", "--equal", "cost",
                      "-t", "permutation", "--failures", "links", "--shares",
                      "5", "--draws", "1", "-o", folder)
        page = self.read(folder)
        rows = page.find("Comparison")[0]["tables"]["Side by side"][1:]
        figures = self.load(f"{folder}/comparison.json")["networks"][0][
            "figures"]
        self.assertIn("load_taken_per_million", figures)
        names = [row[0] for row in rows]
        self.assertEqual(len(names), len(figures))
        self.assertEqual(len(set(names)), len(names))
        self.assertEqual([name for name in names if "_" in name], [])
        for name in ("cost for each host, USD",
                     "lowest uniform load that is too much",
                     "fewest links whose failure cuts two hosts off"):
            self.assertIn(name, names)
        self.says_in("<h3>How networks compare</h3>", self.text(folder))

    def test_figures_come_in_the_order_of_the_question(self):
        """They came by name: throughput after latency and failures."""
        folder = self.folder()
        self.succeeds("compare", "sf:q=3", "-t", "permutation",
                      "--without-simulation", "--failures",
                      "links,switches,rack", "--shares", "5", "--draws", "1",
                      "-o", folder)
        with open(f"{folder}/another.svg", "w", encoding="utf-8") as file:
            file.write(Damage.SVG.format("", ""))
        text = self.text(folder)
        shown = [name.split("/")[-1] for name in
                 re.findall(r"([^ <>]*[.]svg)</b>", text)]
        self.assertEqual(shown, ["cost.svg", "throughput.svg",
                                 "failed-links.svg", "failed-switches.svg",
                                 "failed-parts.svg", "another.svg"])
        # Before the tables, which are pages long.
        self.assertLess(text.index("<h3>Figures</h3>"),
                        text.index("<h3>Side by side</h3>"))
        # The command that made the others did not make the last one.
        self.says_in("failed-parts.svg</b> of <code>slimfly compare", text)
        self.says_in("another.svg</b>, which does not say what command made "
                     "it</p>", text)


class Runs(Report):
    def test_runs_are_told_apart(self):
        """The same sentence stood there twice, with different numbers."""
        folder = self.folder()
        self.succeeds("simulate", "sf:q=3", "-w", "alltoall", "--placement",
                      "racks,random", "--schemes", "minimal,gates", "-o",
                      folder)
        said = "\n".join(self.read(folder).said)
        for scheme in "minimal", "gates":
            for placement in "racks", "random":
                self.says_in(f"alltoall on sf:q=3 with routing {scheme} "
                             f"(layers: 4, placement: {placement}): all has "
                             "come", said)

    def test_what_does_not_differ_is_not_told(self):
        folder = self.folder()
        self.succeeds("simulate", "sf:q=3", "-w", "permutation", "--load",
                      "0.1,0.2", "--schemes", "minimal,gates", "-o", folder)
        self.says_in("permutation on sf:q=3 with routing gates (layers: 4): "
                     "of a load of 10.0\u00a0%",
                     "\n".join(self.read(folder).said))


class Loads(Report):
    def test_a_load_that_is_too_much_is_an_answer(self):
        """It was said to be a simulation that did not finish."""
        folder = self.folder()
        self.succeeds("simulate", "sf:q=3", "-w", "permutation", "--load",
                      "0.1,1", "-o", folder)
        row = self.load(f"{folder}/simulation.json")["rows"][1]
        self.assertEqual((row["finished"], row["saturated"]), (False, True))
        said = "\n".join(self.read(folder).said)
        self.says_in("of a load of 100.0\u00a0% of what hosts can send, "
                     f"{100 * row['throughput']:.1f}\u00a0% arrives", said)
        self.assertNotIn("did not finish", said)


class Damage(Report):
    SVG = '<svg xmlns="http://www.w3.org/2000/svg"><style>{}</style>{}</svg>'

    def analysis(self):
        folder = self.folder()
        self.succeeds("analyze", "sf:q=3", "-l", "2", "-o", folder)
        return folder

    def test_nothing_to_report(self):
        folder = self.folder()
        self.fails("report", says="expected folders or JSON files")
        self.fails("report", folder, says="expected results of slimfly")
        self.fails("report", f"{folder}/no", says=f"{folder}/no: No such file")
        other = self.write(f"{folder}/other.json", {"schema": "other"})
        self.fails("report", other, says="schemas design, topology, plan")
        self.fails("report", folder, says="expected results of slimfly")
        self.assertEqual(os.listdir(folder), ["other.json"])

    def test_the_page_never_replaces_what_it_shows(self):
        """report s -o s/comparison.json left HTML in place of the results."""
        folder = self.analysis()
        path, figure = f"{folder}/analysis.json", f"{folder}/path-lengths.svg"
        self.write(f"{folder}/other.json", {"schema": "other"})
        os.symlink(path, f"{folder}/page.html")
        before = {}
        for name in sorted(os.listdir(folder)):
            if os.path.isfile(f"{folder}/{name}"):
                with open(f"{folder}/{name}", "rb") as file:
                    before[name] = file.read()
        for output in (path, figure, f"{folder}/other.json",
                       f"{folder}/./analysis.json", f"{folder}/page.html"):
            self.fails("report", folder, "-o", output,
                       says=f"{output}: the page would replace")
        self.fails("report", path, "-o", path, says="another FILE")
        for name, data in before.items():
            with open(f"{folder}/{name}", "rb") as file:
                self.assertEqual(file.read(), data, name)
        # A page of before may be replaced.
        for _ in range(2):
            self.succeeds("report", folder, "-o", f"{folder}/report.html")

    def test_damaged_json(self):
        folder = self.analysis()
        path = f"{folder}/analysis.json"
        with open(path, encoding="utf-8") as file:
            text = file.read()
        page = self.write(f"{folder}/page.html", "as it was")
        cut = text[:len(text) // 2]
        self.write(path, cut)
        line = cut.count("\n") + 1
        self.fails("report", folder, "-o", page,
                   says=f"{path}:{line}: expected JSON")
        data = json.loads(text)
        for change, says in (
                (lambda d: d.update(rows=3), "rows: expected an array"),
                (lambda d: d.pop("rows"), "it is missing"),
                (lambda d: d.update(rows=[1]), "rows[0]: expected an object"),
                (lambda d: d["rows"][0].update(label=[1]),
                 "label: expected a number, a text"),
                (lambda d: d["rows"][0].update(throughput=2),
                 "throughput: expected an array")):
            copy = json.loads(text)
            change(copy)
            self.write(path, copy)
            self.fails("report", folder, "-o", page, says=says)
            self.fails("report", folder, "-o", "-", says=path)
        self.write(path, data)
        with open(page, encoding="utf-8") as file:
            self.assertEqual(file.read(), "as it was")
        self.assertEqual([n for n in os.listdir(folder) if n[0] == "."], [])

    def test_damaged_plan(self):
        folder = self.folder()
        self.succeeds("plan", "sf:q=3", "-o", folder)
        plan = self.load(f"{folder}/plan.json")
        plan["cables"][3]["a"]["port"] = 99
        self.write(f"{folder}/plan.json", plan)
        self.fails("report", folder, "-o", "-", says="cables[3]")

    def test_damaged_figures(self):
        """Figures that could do anything but draw are refused."""
        folder = self.analysis()
        path = f"{folder}/throughput.svg"
        for style, body in (
                ("", "<script>alert(1)</script>"),
                ("", "<g onclick='alert(1)'/>"),
                ("", "<image href='http://nowhere.test/x.png'/>"),
                ("", "<use href='http://nowhere.test/x.svg#a'/>"),
                ("", "<use href='&#106;avascript:alert(1)'/>"),
                ("", "<a href='http://nowhere.test/'><g/></a>"),
                ("", "<rect style='fill:url(http://nowhere.test/)'/>"),
                ("", "<rect fill='URL(//nowhere.test/)'/>"),
                ("", "<foreignObject><p>x</p></foreignObject>"),
                ("", "<g>"), ("", "</g>"), ("", "<g"), ("", "<g x=1/>"),
                ("", "<text>a & b</text>"), ("", "<text>&evil;</text>"),
                ("", "<!-- <g/>"), ("", "</svg><p>x</p><svg>"),
                ("@import url(//nowhere.test/a.css);", ""),
                ("a{background:url(//nowhere.test/)}", ""),
                ("a{background:\\75rl(//nowhere.test/)}", ""),
                ("a{background:image-set('//nowhere.test/x.png' 1x)}", ""),
                ("a{background:-webkit-Image-Set('//nowhere.test/x' 1x)}", ""),
                ("a{background:src('//nowhere.test/')}", ""),
                ("", "<g style='background:image(\"//nowhere.test/\")'/>"),
                ("a,~ *{display:none}", ""), ("+p{display:none}", ""),
                ("a{b:c", ""), ("}a{b:c}", ""), ("@media x{a{b:c}", ""),
                ("@font-face{a:b}", "")):
            self.write(path, self.SVG.format(style, body))
            self.fails("report", folder, "-o", "-", says=f"{path}:1: expected")
        self.write(path, self.SVG.format(
            "a,b{c:d}@media print{e{f:g}}",
            '<g id="x"/><use href="#x"/><rect fill="url(#x)"/>'))
        text = self.text(folder)
        for words in (".s0 a,.s0 b{c:d}\n", "@media print{.s0 e{f:g}\n}"):
            self.assertIn(words.replace(".s0", ""), text.replace(".s1", "")
                          .replace(".s0", ""))
        number = text.split('<g id="f')[1].split("-x")[0]
        self.assertIn(f'<use href="#f{number}-x"/>'
                      f'<rect fill="url(#f{number}-x)"/>', text)

    def test_cut_figures(self):
        """Wherever a figure is cut off, that is said."""
        folder = self.analysis()
        path = f"{folder}/path-lengths.svg"
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for i in range(1, 24):
            self.write(path, text[:len(text.rstrip()) * i // 24])
            self.fails("report", folder, "-o", "-", says=f"{path}:")

    def test_large_results(self):
        """What is too large for a page is named."""
        folder = self.analysis()
        data = self.load(f"{folder}/analysis.json")
        data["rows"] = data["rows"][:1] * 2003
        self.write(f"{folder}/analysis.json", data)
        self.write(f"{folder}/throughput.svg",
                   self.SVG.format("", " " * (5 << 20)))
        page = self.read(folder)
        words = "".join(page.words)
        self.assertIn(f"first 2000 of 2003 rows. All are in {folder}/"
                      "analysis.csv", words)
        self.assertIn(f"Too large for this page: {folder}/throughput.svg",
                      words)
        table = page.find("Analysis: sf:q=3")[0]["tables"]["Paths"]
        self.assertEqual(len(table), 2001)

    def test_many_diagrams(self):
        """The guide has all diagrams of a plan, the page only some."""
        folder = self.folder()
        self.succeeds("plan", "sf:q=7", "-o", folder)
        n = len(os.listdir(f"{folder}/diagrams"))
        self.assertGreater(n, 24)
        page = self.read(folder)
        self.assertEqual(page.tags["svg"], 24 + 1)
        self.assertIn(f"first 24 of {n} figures", "".join(page.words))

    def test_full_disk(self):
        folder = self.analysis()
        page = self.write(f"{folder}/page.html", "as it was")

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))

        done = subprocess.run(
            [harness.PROGRAM, "report", folder, "-o", page],
            capture_output=True, text=True, check=False,
            timeout=harness.PATIENCE, preexec_fn=limit)
        self.assertEqual(done.returncode, 2)
        self.assertIn("File too large", done.stderr)
        with open(page, encoding="utf-8") as file:
            self.assertEqual(file.read(), "as it was")


harness.main()
