"""Figures in the form of a paper, by the commands that draw some: sizes, fonts,
text that is text, data beside them, the same bytes twice; and the studies in
examples/."""
import csv
import os
import re
import resource
import shlex
import signal
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

import harness

SVG = "{http://www.w3.org/2000/svg}"
POINTS = 72 / 25.4
# What each command needs for some figures, and which these are.
COMMANDS = {
    "analyze": (["analyze", "sf:q=3", "-s", "gates,minimal", "-l", "1,2", "-t",
                 "permutation"],
                ["path-lengths", "paths-per-link", "disjoint-paths",
                 "throughput"]),
    "simulate": (["simulate", "df:a=4,h=2,p=2", "-s", "gates,minimal", "-w",
                  "permutation", "--load", "0.2,0.6"],
                 ["latency", "rates", "load"]),
    "progress": (["simulate", "hx2:4x4", "-w", "all-to-all", "--size", "2K"],
                 ["load", "progress", "rates"]),
    "evaluate": (["evaluate", "--networks", "ft2:ports=6,sf:q=3", "-w",
                  "ebb,alltoall", "-n", "4,8", "--sizes", "1K", "--queues",
                  "voq"],
                 ["ebb", "ebb-layers", "alltoall"]),
    "compare": (["compare", "sf:q=3", "hx2:3x3", "-t",
                 "all-to-all,permutation", "--failures",
                 "links,switches,rack", "--shares", "5,10", "--draws", "2",
                 "--without-times"],
                ["cost", "throughput", "latency", "failed-links",
                 "failed-switches", "failed-parts"]),
    "design": (["design", "--ports", "36", "--families", "sf,ft2,hx2"],
               ["cost"]),
}
# Other families, for the figures of what all can be asked.
FAMILIES = ["sf:q=4", "ft2:ports=8", "ft3:ports=4", "hx2:3x3",
            "df:a=3,h=1,p=1", "xpander:k=4,lift=3", "jellyfish:n=12,k=4", "pf:q=3"]


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return done.stdout


def says(path):
    """What pdfinfo says, as a dictionary."""
    return dict(re.split(r":\s*", line, maxsplit=1)
                for line in run("pdfinfo", path).splitlines())


def size_of(path):
    """Width and height of the page in points."""
    return [float(number) for number in
            re.findall(r"[\d.]+", says(path)["Page size"])[:2]]


def bytes_of(folder):
    """The figures and their data by name."""
    found = {}
    for name in sorted(os.listdir(folder)):
        if os.path.isfile(f"{folder}/{name}"):
            with open(f"{folder}/{name}", "rb") as file:
                found[name] = file.read()
    return found


class Figures(harness.Case):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name

    def draws(self, words, folder, *options):
        """Draws; a note about smaller text is all that may be said."""
        done = harness.slimfly(*words, *options, "-o", folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        for line in done.stderr.splitlines():
            self.assertRegex(line, "^slimfly: .*: its panels have no room in ")
        return done

    def test_pdf_of_every_command(self):
        for command, (words, names) in COMMANDS.items():
            folder = f"{self.folder}/{command}"
            done = self.draws(words, folder, "--figure", "pdf")
            for name in names:
                path = f"{folder}/{name}.pdf"
                self.assertFalse(os.path.exists(f"{folder}/{name}.svg"))
                self.assertAlmostEqual(size_of(path)[0], 84 * POINTS, 1)
                self.assertEqual(says(path)["Pages"], "1")
                self.assertNotIn("CreationDate", says(path))
                self.assertNotIn("ModDate", says(path))
                self.assertTrue(says(path)["Title"])
                fonts = run("pdffonts", path).splitlines()[2:]
                self.assertTrue(fonts, path)
                for font in fonts:
                    # Name, type, encoding, then: embedded, subset.
                    self.assertRegex(font, r" yes yes (yes|no) +\d+ +\d+$")
                self.assertEqual(run("pdfimages", "-list", path)
                                 .splitlines()[2:], [], path)
                if name in done.stderr:
                    continue
                with open(f"{folder}/{name}.csv", newline="",
                          encoding="utf-8") as file:
                    rows = list(csv.DictReader(file, strict=True))
                self.assertTrue(rows, name)

    def test_full_disk(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

        done = subprocess.run(
            [harness.PROGRAM, *COMMANDS["design"][0], "--figure", "pdf", "-o",
             self.folder], capture_output=True, text=True, check=False,
            timeout=harness.PATIENCE, preexec_fn=limit)
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"slimfly: {self.folder}/cost.pdf: File too large\n",
                      done.stderr)
        self.assertEqual(os.listdir(self.folder), [])

    def test_text_is_text(self):
        words, _ = COMMANDS["analyze"]
        self.draws(words, self.folder, "--figure", "pdf")
        text = run("pdftotext", f"{self.folder}/throughput.pdf", "-")
        for word in "layers", "throughput", "permutation", "gates", "minimal":
            self.assertIn(word, text)
        # Captions have titles.
        self.assertNotIn("Maximum", text)
        words, _ = COMMANDS["design"]
        self.draws(words, self.folder, "--figure", "pdf")
        text = run("pdftotext", f"{self.folder}/cost.pdf", "-")
        self.assertIn("endpoints", text)
        self.assertIn("thousand USD for each endpoint built", text)

    def test_sizes_and_fonts_are_those_asked_for(self):
        words, _ = COMMANDS["analyze"]
        self.draws(words, self.folder, "--figure", "pdf", "--figure-width",
                   "174", "--figure-size", "9.5", "--figure-font",
                   "DejaVu Serif,serif")
        path = f"{self.folder}/throughput.pdf"
        self.assertAlmostEqual(size_of(path)[0], 174 * POINTS, 1)
        self.assertIn("DejaVuSerif", run("pdffonts", path))
        self.assertNotIn("Sans", run("pdffonts", path))
        # The labels of axes are as large as asked; numbers a little less.
        words = run("pdftotext", "-bbox-layout", path, "-")
        heights = [float(bottom) - float(top) for top, bottom in re.findall(
            r'yMin="(\S+)" xMax="\S+" yMax="(\S+)">layers<', words)]
        self.assertTrue(heights)
        for height in heights:
            self.assertAlmostEqual(height / (9.5 * 1.164), 1, 1)

    def test_svg_of_every_command(self):
        for command, (words, names) in COMMANDS.items():
            folder = f"{self.folder}/{command}"
            self.draws(words, folder, "--figure", "svg", "--figure-width",
                       "100")
            for name in names:
                path = f"{folder}/{name}.svg"
                root = xml.etree.ElementTree.parse(path).getroot()
                self.assertEqual(root.get("width"), "100mm", path)
                self.assertNotIn("@media", root.find(SVG + "style").text)
                self.assertTrue(os.path.exists(f"{folder}/{name}.csv"))
                subprocess.run(["rsvg-convert", path], check=True,
                               stdout=subprocess.DEVNULL)
            self.draws(words, folder, "--figure", "svg", "--figure-width",
                       "174")
            for name in names:
                with open(f"{folder}/{name}.svg", encoding="utf-8") as file:
                    self.assertNotRegex(file.read(), ">[^<]*\u2026<", name)

    def test_the_same_bytes_twice(self):
        for form in "pdf", "svg":
            words, names = COMMANDS["analyze"]
            seen = []
            for i, threads in enumerate("12"):
                folder = f"{self.folder}/{form}{i}"
                self.draws(words, folder, "--figure", form, "-j", threads)
                files = bytes_of(folder)
                seen.append([files[f"{name}.{kind}"] for name in names
                             for kind in (form, "csv")])
            self.assertEqual(seen[0], seen[1])

    def test_without_the_option_nothing_changes(self):
        words, names = COMMANDS["simulate"]
        self.draws(words, f"{self.folder}/a")
        self.draws(words, f"{self.folder}/b", "--figure", "svg")
        plain, paper = (bytes_of(f"{self.folder}/{name}") for name in "ab")
        for name in names:
            self.assertIn(b"prefers-color-scheme", plain[f"{name}.svg"])
            self.assertNotIn(f"{name}.csv", plain)
            self.assertNotEqual(plain.pop(f"{name}.svg"),
                                paper.pop(f"{name}.svg"))
            paper.pop(f"{name}.csv")
        # Nothing but figures depends on it; the command is in the results.
        for files in plain, paper:
            for name in "simulation.json", "simulation.txt":
                files.pop(name, None)
        self.assertEqual(plain, paper)

    def test_every_family(self):
        with open(f"{self.folder}/ring", "w", encoding="utf-8") as file:
            file.write("".join(f"{i} {(i + 1) % 7}\n" for i in range(7)))
        for i, spec in enumerate(FAMILIES + [f"edges:{self.folder}/ring"]):
            folder = f"{self.folder}/{i}"
            self.draws(["analyze", spec, "--without-lanes"], folder,
                       "--figure", "svg")
            self.assertIn("disjoint-paths.csv", os.listdir(folder))

    def test_points_are_those_of_the_results(self):
        words, _ = COMMANDS["analyze"]
        self.draws(words, self.folder, "--figure", "svg")
        with open(f"{self.folder}/throughput.csv", newline="",
                  encoding="utf-8") as file:
            drawn = {(row["series"], row["x"]): float(row["y"])
                     for row in csv.DictReader(file, strict=True)}
        n = 0
        with open(f"{self.folder}/analysis.csv", newline="",
                  encoding="utf-8") as file:
            for row in csv.DictReader(file):
                name = row["label"] + (
                    ", equal shares" if row["split"] == "equal" else "")
                x = row["n_layers"] if row["kind"] == "layers" else ""
                self.assertAlmostEqual(drawn[name, x],
                                       float(row["throughput_mean"]), 6)
                n += 1
        self.assertEqual(n, len(drawn))

    def test_what_is_wrong_is_said_before_any_work(self):
        analyze = ["analyze", "sf:q=3"]
        folder = f"{self.folder}/none"
        for options, message in (
                (["--figure", "pdf"],
                 "slimfly: analyze: --figure writes several files: expected "
                 "a folder for them, --output DIR\n"),
                (["--figure-width", "84", "-o", folder],
                 "slimfly: analyze: --figure-width is about figures for a "
                 "paper: expected --figure pdf or svg too\n"),
                (["--figure-font", "serif", "-o", folder],
                 "slimfly: analyze: --figure-font is about figures for a "
                 "paper: expected --figure pdf or svg too\n"),
                (["--figure", "svg", "--figure-font", "a;b", "-o", folder],
                 "slimfly: analyze: --figure svg: expected letters, digits, "
                 "spaces and -_.+ in the name of a font, found ';' in "
                 "'a;b'\n")):
            done = harness.slimfly(*analyze, *options)
            self.assertEqual((done.returncode, done.stderr), (2, message))
        for options, found in ((["--figure-width", "29"], "30 to 500"),
                               (["--figure-width", "x"], "30 to 500"),
                               (["--figure-width", "nan"], "30 to 500"),
                               (["--figure-size", "3.9"], "4 to 24"),
                               (["--figure-size", "1e3"], "4 to 24")):
            done = harness.slimfly(*analyze, "--figure", "svg", *options, "-o",
                                   folder)
            self.assertEqual(done.returncode, 2, options)
            self.assertIn(options[0], done.stderr)
            self.assertIn(found, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)
        done = harness.slimfly(*analyze, "--figure", "png", "-o", folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("pdf, svg", done.stderr)
        done = harness.slimfly("design", "--ports", "36", "--figure", "pdf",
                               "--format", "csv", "-o", folder)
        self.assertEqual(done.returncode, 2)
        done = harness.slimfly("design", "--endpoints", "12", "--figure",
                               "pdf", "-o", folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--figure is a chart over endpoints", done.stderr)
        self.assertFalse(os.path.exists(folder))

    def test_smaller_text_is_said(self):
        done = harness.slimfly("analyze", "sf:q=3", "-l", "1,2,3,4,5,6,7,8",
                               "--without-lanes", "--figure", "svg", "-o",
                               self.folder)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr,
                         r"slimfly: path-lengths: its panels have no room in "
                         r"84 mm: text has \d\.\d points instead of 8; a "
                         r"larger --figure-width helps\n")


    def test_a_figure_that_no_page_holds_is_said(self):
        """Six panels below each other were 332 mm tall, in silence."""
        words = ["compare", "sf:q=3", "hx2:3x3", "-t", "permutation",
                 "--without-simulation", "--draws", "1", "--figure", "svg",
                 "-o", self.folder]
        done = harness.slimfly(*words)
        self.assertEqual(done.returncode, 0)
        found = re.search(r"slimfly: failed-links: its panels have no room in "
                          r"84 mm side by side: it is (\d+) mm tall, and a "
                          r"page has about 240; a larger --figure-width "
                          r"helps\n", done.stderr)
        with open(f"{self.folder}/failed-links.svg",
                  encoding="utf-8") as file:
            height = re.search(r'height="([\d.]+)mm"', file.read()).group(1)
        self.assertEqual(int(found.group(1)), round(float(height)))
        done = harness.slimfly(*words, "--figure-width", "174")
        self.assertEqual((done.returncode, done.stderr), (0, ""))


class Studies(harness.Case):
    """The scripts of examples/."""

    def runs(self, name, *words):
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/a folder"
            done = subprocess.run(
                ["sh", f"{harness.ROOT}/examples/study-{name}.sh", path,
                 *words],
                capture_output=True, text=True, check=False,
                env={**os.environ, "SLIMFLY": harness.PROGRAM})
            self.assertEqual(done.returncode, 0, done.stderr)
            # Only where the script says what these mean.
            for line in done.stderr.splitlines():
                self.assertIn("its panels have no room in 84 mm: ", line)
                self.assertEqual(name, "layers")
            for step in range(1, 6):
                self.assertIn(f"\n{step}. ", done.stdout)
            pdfs = [f"{base}/{file}" for base, _, files in os.walk(path)
                    for file in files if file.endswith(".pdf")]
            self.assertGreater(len(pdfs), 3)
            for pdf in pdfs:
                self.assertTrue(os.path.exists(pdf[:-3] + "csv"))
            self.assertNotIn("shown", os.listdir(path))
            self.can_be_pasted(done.stdout, path)
            return done.stdout, bytes_of(path)

    def can_be_pasted(self, said, path):
        """A study showed sed -n /gone, /,/^$/p without quotes."""
        shown = re.findall(r"\n    [$] ((?:.|\n(?!\n))*)\n\n", said)
        self.assertGreater(len(shown), 2)
        for command in shown:
            if not command.startswith(("sed", "awk", "head", "ls", "wc")):
                continue
            done = subprocess.run(["sh", "-c", command], capture_output=True,
                                  text=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""), command)
            self.assertIn("".join(f"    {line}\n" for line in
                                  done.stdout.splitlines()), said)
            self.assertIn(path, shlex.split(command)[-1])

    def test_layers(self):
        text, _ = self.runs("layers", "small")
        self.assertIn("permutation: gates with 2 layers, 0.500", text)

    def test_failures(self):
        said, files = self.runs("failures", "small")
        self.assertIn("\n    10 % of links gone, after repair\n", said)
        self.assertIn("\n      links gone   ", said)
        rows = list(csv.DictReader(
            files["failures.csv"].decode().splitlines()))
        self.assertEqual([row["share"] for row in rows],
                         ["0"] * 4 + ["10"] * 4)
        n = [len(files[f"failed-{share}-1.edges"].splitlines())
             for share in (0, 10)]
        self.assertEqual(n, [45, 45 - 5])

    def test_placement(self):
        text, _ = self.runs("placement", "small")
        self.assertIn("eBB, random placement", text)

    @harness.long
    def test_whole_studies(self):
        for name in "layers", "failures", "placement":
            self.runs(name)

    def test_they_are_plain_shell(self):
        for name in "layers", "failures", "placement":
            path = f"{harness.ROOT}/examples/study-{name}.sh"
            with open(path, encoding="utf-8") as file:
                text = file.read()
            self.assertTrue(text.startswith("#!/bin/sh\n"))
            self.assertIn("set -eu\n", text)
            self.assertIn('. "$(dirname -- "$0")/study.sh"\n', text)
            self.assertTrue(os.access(path, os.X_OK))

    def test_what_goes_wrong_ends_a_study(self):
        for name in "layers", "failures", "placement":
            done = subprocess.run(
                ["sh", f"{harness.ROOT}/examples/study-{name}.sh",
                 "/dev/null/none"], capture_output=True, check=False)
            self.assertNotEqual(done.returncode, 0)
            with tempfile.TemporaryDirectory() as folder:
                done = subprocess.run(
                    ["sh", f"{harness.ROOT}/examples/study-{name}.sh", folder,
                     "small"], capture_output=True, check=False,
                    env={**os.environ, "SLIMFLY": "false"})
            self.assertNotEqual(done.returncode, 0)


if __name__ == "__main__":
    unittest.TestCase.longMessage = True
    harness.main()
