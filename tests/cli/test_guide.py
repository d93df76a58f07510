"""The wiring guide and the labels as people use them: in a browser, which is
Chromium, and printed."""
import base64
import collections
import csv
import glob
import json
import os
import re
import subprocess
import tempfile

import browser
import harness

SIZES = {"desk": (1440, 900), "tablet": (820, 1180)}


def setUpModule():
    """Starts one browser for all cases."""
    Guide.folder = tempfile.TemporaryDirectory()
    Guide.browser = browser.Browser()


def tearDownModule():
    """Ends it."""
    Guide.browser.close()
    Guide.folder.cleanup()


class Guide(harness.Case):
    """What the cases share: a browser, and plans."""

    folder = browser = None

    def plan(self, spec, copy=""):
        """The folder of a plan, which is made once."""
        path = f"{self.folder.name}/{re.sub('[:=,/]', '-', spec)}{copy}"
        if not os.path.exists(path):
            self.succeeds("plan", spec, "-o", path)
        return path

    def cables(self, spec):
        with open(f"{self.plan(spec)}/cables.csv", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def guide(self, spec="sf:q=5", where="", like=None, size="tablet",
              copy=""):
        """Opens a guide in a profile that is fresh, or that of 'like'."""
        page = self.browser.page(like)
        self.addCleanup(page.close)
        width, height = SIZES[size]
        page.call("Emulation.setDeviceMetricsOverride", width=width,
                  height=height, deviceScaleFactor=1, mobile=False)
        page.open(browser.address(f"{self.plan(spec, copy)}/guide.html")
                  + where)
        return page

    def click_box(self, page, label, which):
        """Clicks a box of a cable: both, A or B."""
        page.run(f"""(() => {{
            const row = Array.from(document.querySelectorAll(".run.on tr"))
                .find((tr) => tr.cells[0].textContent === "{label}");
            row.querySelectorAll("input")[{"both A B".split().index(which)}]
                .click(); }})()""")

    def boxes(self, page, label):
        """Which boxes of a cable are ticked."""
        return page.run(f"""Array.from(document.querySelectorAll(".run tr"))
            .find((tr) => tr.cells[0].textContent === "{label}")
            .querySelectorAll("input").values().map((box) => box.checked)
            .toArray().map(Number).join("")""")

    def text(self, page, selector):
        return page.run(f"""document.querySelector({json.dumps(selector)})
            .innerText.trim().replace(/\\s+/g, " ")""")

    def page_name(self, page):
        """What is shown: a rack, or Overview."""
        return page.run("""(() => { const list = document.getElementById(
            "page"); return list.options[list.selectedIndex].text; })()""")

    def wait_for_page(self, page, name):
        page.wait(f"""document.getElementById("page").selectedOptions[0].text
            === "{name}" """)

    def export(self, page):
        """Exports the ticks; returns the path of the file."""
        folder = tempfile.mkdtemp(dir=self.folder.name)
        self.browser.call("Browser.setDownloadBehavior", behavior="allow",
                          downloadPath=folder, eventsEnabled=True,
                          browserContextId=page.context)
        self.browser.forget(None)
        page.run("document.getElementById('export').click()")
        # The file is there, and empty, before it is complete.
        self.browser.event(
            lambda event: event["method"] == "Browser.downloadProgress" and
            event["params"]["state"] == "completed")
        (name,) = os.listdir(folder)
        return f"{folder}/{name}"

    def take(self, page, *paths):
        """Imports files; returns what the guide says."""
        page.run("document.getElementById('said').textContent = ''")
        page.give_files("#import", *paths)
        page.wait("document.getElementById('said').textContent !== ''")
        return page.run("document.getElementById('said').textContent")


class Ticks(Guide):
    def test_ticks_survive_a_reload(self):
        page = self.guide(where="#rack-R3")
        self.click_box(page, "C00299", "B")
        self.click_box(page, "C00300", "both")
        self.click_box(page, "C00301", "A")
        self.click_box(page, "C00301", "B")
        self.click_box(page, "C00302", "both")
        self.click_box(page, "C00302", "A")
        for _ in range(2):
            self.assertEqual([self.boxes(page, f"C00{n}")
                              for n in range(298, 304)],
                             ["000", "001", "111", "111", "001", "000"])
            self.assertEqual(self.text(page, "#done"), "2 of 375")
            self.assertEqual(self.text(page, "#rack-done"),
                             "2 of 95 cables are done, 2 with one end in.")
            self.assertEqual(page.run("""document.querySelectorAll(
                "tr.done, tr.half").length"""), 4)
            page.reload()
        self.click_box(page, "C00300", "both")
        page.reload()
        self.assertEqual(self.boxes(page, "C00300"), "000")

    def test_what_is_done_is_shown_for_each_rack_and_step(self):
        page = self.guide(where="#rack-R3")
        for label in "C00121", "C00299":  # A host of R3; R0 to R3.
            self.click_box(page, label, "both")
        self.assertEqual(self.text(page, "[data-run=step0-3]"), "1 of 40")
        self.assertEqual(self.text(page, "[data-run=pair-0-3]"), "1 of 10")
        self.assertEqual(self.text(page, "[data-run=pair-1-3]"), "0 of 10")
        page.run("location.hash = '#front'")
        self.wait_for_page(page, "Overview")
        rows = page.run("""Array.from(document.querySelectorAll("#counts tr"),
            (tr) => Array.from(tr.cells, (td) => td.innerText.trim()))""")
        none = ["0 of 40", "0 of 10", "0 of 5", "0 of 40", "0 of 95"]
        self.assertEqual(rows[1:], [
            ["R0", *none[:3], "1 of 40", "1 of 95"], ["R1", *none],
            ["R2", *none],
            ["R3", "1 of 40", *none[1:3], "1 of 40", "2 of 95"],
            ["R4", *none],
            ["All", "1 of 200", "0 of 50", "0 of 25", "1 of 100",
             "2 of 375"]])

    def test_plans_do_not_mix(self):
        page = self.guide(where="#rack-R0")
        self.click_box(page, "C00001", "both")
        other = self.guide("sf:q=4", "#rack-R0", like=page)
        self.assertEqual(self.text(other, "#done"), "0 of 192")
        again = self.guide(like=page, copy="-again")
        self.assertEqual(self.text(again, "#done"), "1 of 375")
        fresh = self.guide()
        self.assertEqual(self.text(fresh, "#done"), "0 of 375")

    def test_two_tabs_show_the_same(self):
        page = self.guide(where="#rack-R0")
        other = self.guide(where="#rack-R1", like=page)
        self.click_box(page, "C00276", "A")  # R0 to R1.
        other.wait("document.querySelectorAll('tr.half').length === 1")
        self.click_box(other, "C00276", "B")
        page.wait("document.querySelectorAll('tr.done').length === 1")
        self.assertEqual(self.boxes(page, "C00276"), "111")

    def test_a_browser_that_keeps_nothing(self):
        page = self.browser.page()
        self.addCleanup(page.close)
        page.call("Page.addScriptToEvaluateOnNewDocument", source="""
            Object.defineProperty(window, "localStorage", { get() {
                throw new DOMException("no", "SecurityError"); } });""")
        page.open(browser.address(f"{self.plan('sf:q=5')}/guide.html"))
        self.assertIn("Export them before you close it",
                      self.text(page, "#said"))
        page.run("location.hash = '#rack-R0'")
        self.wait_for_page(page, "R0")
        self.click_box(page, "C00001", "both")
        self.assertEqual(self.text(page, "#done"), "1 of 375")
        with open(self.export(page), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["ticked"],
                             {"a": ["C00001"], "b": ["C00001"]})

    def test_all_ticks_can_go(self):
        page = self.guide(where="#rack-R0")
        self.click_box(page, "C00001", "both")
        page.run("window.confirm = () => true, "
                 "document.getElementById('forget').click()")
        page.reload()
        self.assertEqual(self.text(page, "#done"), "0 of 375")


class Files(Guide):
    """Ticks as files."""

    def test_two_people_give_each_other_their_ticks(self):
        mine = self.guide(where="#rack-R0")
        for label in "C00276", "C00277", "C00278":
            self.click_box(mine, label, "A")
        yours = self.guide(where="#rack-R1")
        for label in "C00277", "C00278":
            self.click_box(yours, label, "B")
        self.click_box(yours, "C00278", "A")
        file_of_mine, file_of_yours = self.export(mine), self.export(yours)
        self.assertIn(": 2 ticked ends taken, 1 known already.",
                      self.take(mine, file_of_yours))
        self.assertIn(": 2 ticked ends taken, 1 known already.",
                      self.take(yours, file_of_mine))
        for page in mine, yours:
            page.reload()
            self.assertEqual([self.boxes(page, f"C0027{n}")
                              for n in range(5, 10)],
                             ["000", "010", "111", "111", "000"])
        third = self.guide()
        said = self.take(third, file_of_mine, file_of_yours)
        self.assertIn(": 3 ticked ends taken, 0 known already.\n", said)
        self.assertIn(": 2 ticked ends taken, 1 known already.", said)
        self.assertEqual(self.text(third, "#done"), "2 of 375")
        self.assertIn(": 0 ticked ends taken, 3 known already.",
                      self.take(third, file_of_mine))

    def test_the_file_is_as_documented(self):
        page = self.guide(where="#rack-R0")
        self.click_box(page, "C00001", "A")
        path = self.export(page)
        self.assertRegex(os.path.basename(path),
                         r"^progress-sf-q=5-[-\d]+\.json$")
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
        with open(f"{harness.ROOT}/doc/formats.md", encoding="utf-8") as doc:
            section = doc.read().split("## Progress of wiring, JSON")[1]
        section = section.split("\n## ")[0]
        members = set(re.findall(r"^\| `([^`]+)` \|", section, re.M))
        self.assertEqual(members, {*data, "ticked.a", "ticked.b"})
        self.assertEqual((data["schema"], data["schema_version"],
                          data["spec"], data["n_cables"]),
                         ("slimfly.progress", 1, "sf:q=5", 375))
        self.assertEqual(data["ticked"], {"a": ["C00001"], "b": []})

    def test_files_that_are_refused(self):
        page = self.guide(where="#rack-R0")
        other = self.guide("sf:q=4", "#rack-R0")
        self.click_box(page, "C00001", "A")
        self.click_box(other, "C00002", "A")
        with open(self.export(page), encoding="utf-8") as file:
            good = json.load(file)
        cases = [
            (self.export(other), "it belongs to another plan, of sf:q=4."),
            ("", "it is not JSON."),
            ("[]", "expected a file that this guide exported."),
            ({**good, "schema_version": 2}, "schema_version 1, found 2."),
            ({**good, "ticked": {"a": []}}, "a list of labels, ticked.b."),
            ({**good, "ticked": {"a": ["C00003"], "b": ["C99999"]}},
             "the plan has no cable C99999."),
        ]
        for content, says in cases:
            path = content
            if isinstance(content, dict) or not os.path.exists(content):
                path = f"{self.folder.name}/refused.json"
                with open(path, "w", encoding="utf-8") as file:
                    file.write(json.dumps(content)
                               if isinstance(content, dict) else content)
            said = self.take(page, path)
            self.assertIn("nothing was taken: ", said)
            self.assertIn(says, said)
        page.reload()
        self.assertEqual(self.boxes(page, "C00001"), "010")
        self.assertEqual(page.run("""document.querySelectorAll(
            ".run tr.half, .run tr.done").length"""), 1)


class Pages(Guide):
    def search(self, page, term):
        """Types into the search field."""
        page.run("document.getElementById('term').focus()")
        page.run("document.getElementById('term').value = ''")
        page.call("Input.insertText", text=term)

    def test_search_finds_a_label_and_shows_its_rack(self):
        page = self.guide()
        for term in "C00299", "c299", " 299 ":
            page.run("location.hash = '#front'")
            self.wait_for_page(page, "Overview")
            self.search(page, term)
            page.call("Input.dispatchKeyEvent", type="keyDown", key="Enter",
                      code="Enter", windowsVirtualKeyCode=13, text="\r")
            self.wait_for_page(page, "R0")
            self.assertEqual(page.run("""(() => {
                const row = document.querySelector("tr.hit");
                const box = row.getBoundingClientRect();
                return [row.cells[0].textContent, row.closest(".run").id,
                    box.top > 0 && box.bottom < innerHeight,
                    document.querySelectorAll("path.hit").length];
                })()"""), ["C00299", "pair-0-3", True, 1])

    def test_search_finds_parts_of_names(self):
        page = self.guide()
        self.search(page, "sf-0-1-2")
        found = page.run("""Array.from(document.querySelectorAll("#found a"),
            (link) => link.innerText.replace(/\\s+/g, " "))""")
        self.assertEqual(len(found), 4 + 7)
        self.assertEqual(found[-1], "C00338 Step 3: R1 to R4 sf-0-1-2 port 11"
                         " \N{EN DASH} sf-1-4-3 port 9")
        page.run("document.querySelector('#found a:last-child').click()")
        self.wait_for_page(page, "R1")
        self.assertEqual(self.text(page, "tr.hit th"), "C00338")
        self.assertEqual(page.run("document.getElementById('found')"
                                  ".childElementCount"), 0)
        self.search(page, "sf-0-1-2 port 11")
        self.assertIn("1 cable C00338", self.text(page, "#found"))
        self.search(page, "nothing of it")
        self.assertIn("No cable has this label", self.text(page, "#found"))
        self.search(page, "node")
        self.assertIn("200 cables, the first 60:", self.text(page, "#found"))

    def test_next_and_previous(self):
        page = self.guide()
        for name in "R0", "R1", "R2", "R3", "R4":
            page.run("document.getElementById('next').click()")
            self.wait_for_page(page, name)
        self.assertEqual(page.run("""["next", "back"].map((id) =>
            document.getElementById(id).ariaDisabled)"""), ["true", "false"])
        for name in "R3", "R2":
            page.press("ArrowLeft")
            self.wait_for_page(page, name)
        page.press("ArrowRight")
        self.wait_for_page(page, "R3")
        page.run("document.getElementById('back').click()")
        self.wait_for_page(page, "R2")
        page.run("""document.querySelector("#foot a:last-child").click()""")
        self.wait_for_page(page, "R1")
        page.run("""(() => { const list = document.getElementById("page");
            list.value = 4; list.dispatchEvent(new Event("change")); })()""")
        self.wait_for_page(page, "R4")
        page.run("history.back()")
        self.wait_for_page(page, "R1")

    def test_a_page_shows_what_concerns_its_rack(self):
        page = self.guide(where="#rack-R2")
        shown = page.run("""Array.from(document.querySelectorAll(".run"))
            .filter((run) => run.offsetHeight > 0).map((run) => run.id)""")
        self.assertEqual(shown, ["step0-2", "step1-2", "step2-2", "pair-0-2",
                                 "pair-1-2", "pair-2-3", "pair-2-4"])
        self.assertEqual(page.run("""document.getElementById("front")
            .offsetHeight"""), 0)
        for where, name in [("#C00299", "R0"), ("#hall", "Overview"),
                            ("#pair-2-4", "R2"), ("#rack-R4/pair-2-4", "R4"),
                            ("#rack-R9", "Overview"),
                            ("#rack-R4/C00001", "R0"), ("#R2", "Overview")]:
            page.run(f"location.hash = '{where}'")
            self.wait_for_page(page, name)
            self.assertEqual(page.run(
                "document.querySelectorAll('tr.hit').length"), "C" in where)
        page = self.guide(where="#C00299")
        self.assertEqual(self.page_name(page), "R0")
        self.assertEqual(self.text(page, "tr.hit th"), "C00299")

    def test_cabinets_have_the_page_of_their_part(self):
        page = self.guide("sf:q=7", "#rack-R3.2")
        self.assertEqual(self.page_name(page), "R3")
        self.assertIn("Racks R3.1, R3.2.", self.text(page, "#rack"))

    def test_targets_are_large_and_nothing_is_cut_off(self):
        page = self.guide()
        for size, (width, height) in SIZES.items():
            page.call("Emulation.setDeviceMetricsOverride", width=width,
                      height=height, deviceScaleFactor=1, mobile=False)
            for where, name in ("#front", "Overview"), ("#rack-R1", "R1"):
                page.run(f"location.hash = '{where}'")
                self.wait_for_page(page, name)
                self.assertEqual(page.run("""[document.documentElement
                    .scrollWidth <= innerWidth, Array.from(document
                    .querySelectorAll("#bar a, #bar select, #bar input, "
                        + "button, .tools .button, .ticks label, #parts a, "
                        + "#counts a[href], #foot a"))
                    .filter((target) => target.offsetHeight > 0)
                    .map((target) => target.getBoundingClientRect())
                    .filter((box) => box.height < 40 || box.width < 40)
                    .length]"""), [True, 0], (size, where))
                self.assertEqual(page.run("""Array.from(document
                    .querySelectorAll("input, select, button"))
                    .filter((each) => each.type !== "button" && !(each.labels
                        && each.labels[0] && each.labels[0].textContent
                        || each.offsetHeight === 0)).length"""), 0)

    def test_dark_and_light(self):
        page = self.guide()
        for scheme in "light", "dark":
            page.call("Emulation.setEmulatedMedia", features=[
                {"name": "prefers-color-scheme", "value": scheme}])
            ink, paper = (int(page.run(
                f"getComputedStyle(document.body).{name}").split("(")[1]
                .split(",")[0]) for name in ("color", "backgroundColor"))
            self.assertEqual(ink > paper, scheme == "dark")
            self.assertGreater(abs(ink - paper), 180)

    def test_nothing_is_asked_from_anywhere(self):
        page = self.browser.page()
        self.addCleanup(page.close)
        for name in "guide.html", "labels.html", "labels-wrap.html":
            where = browser.address(f"{self.plan('sf:q=5')}/{name}")
            page.open(where)
            if name == "guide.html":
                page.run("location.hash = '#rack-R0'")
                self.wait_for_page(page, "R0")
                self.search(page, "C00299")
            self.assertEqual(page.requests(), [where])
            # It is the page's policy that refuses, not the network.
            self.assertEqual(page.run("""new Promise((done) => {
                addEventListener("securitypolicyviolation",
                    (event) => done(event.effectiveDirective));
                fetch("http://127.0.0.1:8/").catch(
                    () => setTimeout(done, 5000, "no policy")); })"""),
                             "connect-src")

    def test_without_scripts_everything_is_there(self):
        page = self.browser.page()
        self.addCleanup(page.close)
        page.call("Emulation.setScriptExecutionDisabled", value=True)
        page.open(browser.address(f"{self.plan('sf:q=5')}/guide.html"))
        self.assertEqual(page.run("document.documentElement.className"), "")
        self.assertEqual(page.run("""Array.from(document.querySelectorAll(
            ".run")).filter((run) => run.offsetHeight > 40).length"""),
            3 * 5 + 10)
        self.assertEqual(page.run("""Array.from(document.querySelectorAll(
            ".ticks td input")).filter((box) => box.offsetHeight > 0)
            .length"""), 2 * 375)
        self.assertEqual(page.run("""Array.from(document.querySelectorAll(
            ".scripted, .ticks th input")).filter((each) =>
            each.offsetHeight > 0).length"""), 0)


class Printed(Guide):
    """What comes out of the printer."""

    def pdf(self, page):
        """The page as a PDF file."""
        # Tags would be for readers of the file, and take most of the time.
        data = page.call("Page.printToPDF", preferCSSPageSize=True,
                         generateTaggedPDF=False)["data"]
        path = tempfile.mkstemp(".pdf", dir=self.folder.name)[1]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
        return path

    def sheets(self, path):
        """The text of each sheet of paper."""
        done = subprocess.run(["pdftotext", "-layout", path, "-"],
                              capture_output=True, text=True, check=True,
                              timeout=harness.PATIENCE)
        return done.stdout.split("\f")[:-1]

    def check_guide(self, spec):
        """A drawing and the table of its cables are on one sheet: a cable
        is named at both ends of its line and in its row.  Every sheet says
        which step and rack it is."""
        sheets = self.sheets(self.pdf(self.guide(spec)))
        places = collections.defaultdict(list)
        for number, sheet in enumerate(sheets):
            for label in re.findall(r"\bC\d{5}\b", sheet):
                places[label].append(number)
        cables = self.cables(spec)
        self.assertEqual(len(places), len(cables))
        for cable in cables:
            found = places[cable["label"]]
            self.assertEqual(len(set(found)), 1, (cable, found))
            self.assertEqual(len(found), 1 if cable["step"] == "0" else 3)
            racks = [cable[f"{end}_rack"].split(".")[0] for end in "ab"]
            title = f"Step {cable['step']}: {racks[0]}" + (
                f" to {racks[1]}" if racks[0] != racks[1] else
                ", hosts" if cable["step"] == "0" else "")
            self.assertRegex(sheets[found[0]], rf"\b{title}\b", cable)
        return sheets

    def test_a_drawing_and_its_table_share_a_sheet(self):
        sheets = self.check_guide("hx2:3x6,p=12,links=2")
        # 72 hosts and 30 cables inside a rack: too many for one sheet.
        self.assertEqual(sum("Step 0: R1, hosts" in sheet
                             for sheet in sheets), 2)
        self.assertEqual(sum("Step 1: R1, sheet 2 of 2" in sheet
                             for sheet in sheets), 1)

    @harness.long
    def test_long_names_make_shorter_sheets(self):
        path = f"{self.folder.name}/long"
        with open(path, "w", encoding="utf-8") as file:
            for i in range(12):
                for j in 1, 3, 5:
                    file.write(f"switch-number-{i:02}.of-a-long.name.example "
                               f"switch-number-{(i + j) % 12:02}"
                               ".of-a-long.name.example\n")
        self.check_guide(f"edges:{path}")

    @harness.long
    def test_a_drawing_and_its_table_share_a_sheet_in_all_families(self):
        for spec in ("sf:q=3", "sf:q=7", "sf:q=11", "ft2:leaf=12,core=6,up=3",
                     "ft3:ports=16", "hx2:6x6", "df:a=4,h=2,p=2", "pf:q=7",
                     "xpander:k=5,lift=6", "jellyfish:n=50,k=7,seed=1"):
            with self.subTest(spec=spec):
                self.check_guide(spec)

    def test_ticks_are_printed(self):
        page = self.guide(where="#rack-R0")
        self.click_box(page, "C00001", "both")
        page.run("location.hash = '#front'")
        self.wait_for_page(page, "Overview")
        page.reload()
        self.assertEqual(self.boxes(page, "C00001"), "000")  # Not shown yet.
        self.pdf(page)
        self.assertEqual(self.boxes(page, "C00001"), "111")

    def test_the_page_of_a_rack_prints_alone(self):
        sheets = self.sheets(self.pdf(self.guide(where="#rack-R3")))
        text = "\n".join(sheets)
        labels = set(re.findall(r"\bC\d{5}\b", text))
        self.assertEqual(labels, {
            cable["label"] for cable in self.cables("sf:q=5")
            if "R3" in (cable["a_rack"], cable["b_rack"])})
        self.assertNotIn("Bill of materials", text)
        self.assertNotIn("Find", text)
        self.assertNotIn("Step 3: to R", text)  # Links to parts of the page.

    def test_a_reader_reads_the_codes_of_labels(self):
        """Cut out along the marks, as a printer of 300 dots an inch makes
        them; both labels of a cable, also on two sheets."""
        for name, columns, rows, width, height, left, top in [
                ("labels.html", 3, 9, 70, 32, 0, 4.5),
                ("labels-wrap.html", 8, 5, 25, 57, 5, 6)]:
            page = self.browser.page()
            self.addCleanup(page.close)
            page.open(browser.address(f"{self.plan('sf:q=3')}/{name}"))
            path = self.pdf(page)
            self.assertEqual(len(self.sheets(path)),
                             -(-2 * 99 // (columns * rows)))
            places = [0, 1, columns, columns * rows - 1, columns * rows, 196]
            for place in places:
                sheet, rest = divmod(place, columns * rows)
                box = [left + rest % columns * width,
                       top + rest // columns * height, width, height]
                x, y, w, h = (str(round(mm / 25.4 * 300)) for mm in box)
                subprocess.run(["pdftoppm", "-r", "300", "-gray", "-png",
                                "-singlefile", "-f", str(sheet + 1), "-x", x,
                                "-y", y, "-W", w, "-H", h, path,
                                f"{path}-{place:03}"], check=True,
                               timeout=harness.PATIENCE)
            done = subprocess.run(
                ["zbarimg", "--quiet", "--raw", "-Sdisable",
                 "-Sqrcode.enable", *sorted(glob.glob(f"{path}-*.png"))],
                capture_output=True, text=True, check=True,
                timeout=harness.PATIENCE)
            self.assertEqual(done.stdout.split(),
                             [f"C{place // 2 + 1:05}" for place in places])

    def check_labels(self, spec):
        """No text of a label is cut off."""
        for name in "labels.html", "labels-wrap.html":
            page = self.browser.page()
            self.addCleanup(page.close)
            page.call("Emulation.setEmulatedMedia", media="print")
            page.open(browser.address(f"{self.plan(spec)}/{name}"))
            self.assertEqual(page.run("""Array.from(document.querySelectorAll(
                "article")).filter((label) => label.scrollHeight >
                label.clientHeight + 1 || label.scrollWidth >
                label.clientWidth + 1).length"""), 0, name)

    def test_labels_keep_inside_their_marks(self):
        self.check_labels("sf:q=3")

    @harness.long
    def test_labels_with_long_names_keep_inside_their_marks(self):
        self.check_labels("sf:q=13")


if __name__ == "__main__":
    harness.main()
