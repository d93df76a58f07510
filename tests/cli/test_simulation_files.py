"""All files of made-up simulations, as draw_simulations writes them: programs
of others read them, figures render, and no text covers another."""
import csv
import glob
import json
import os
import re
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

import harness

SVG = "{http://www.w3.org/2000/svg}"
SIZES = {"title": 16, "head": 13, "small": 11}
MEMBERS = ("network routing layers lanes vls workload nodes placement select "
           "seed model queues buffer_bytes net finished deadlock time_s rate "
           "latency_s packets switch_hops wall_s").split()


def box(text):
    """About where a text is: left, top, right, bottom."""
    size = SIZES.get(text.get("class"), 12)
    # A little less than in DejaVu Sans, so as not to cry wolf.
    width = 0.56 * size * len(text.text)
    x, y = float(text.get("x")), float(text.get("y"))
    left = x - {"end": width, "middle": width / 2}.get(
        text.get("text-anchor"), 0)
    return left, y - 0.7 * size, left + width, y + 0.1 * size


def refuse(word):
    raise ValueError(f"{word} is not JSON")


class SimulationFiles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = cls.temporary.name
        subprocess.run([harness.PROGRAM, cls.folder], check=True)
        cls.kinds = sorted(
            os.path.basename(path).split("-")[0]
            for path in glob.glob(f"{cls.folder}/*-simulation.json"))

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def json_of(self, kind):
        with open(f"{self.folder}/{kind}-simulation.json",
                  encoding="utf-8") as file:
            return json.load(file, parse_constant=refuse)

    def csv_of(self, name):
        with open(f"{self.folder}/{name}.csv", encoding="latin-1",
                  newline="") as file:
            return list(csv.DictReader(file, strict=True))

    def test_json_has_its_form(self):
        self.assertEqual(len(self.kinds), 7)
        for kind in self.kinds:
            root = self.json_of(kind)
            self.assertEqual(root["schema"], "slimfly.simulation")
            self.assertEqual(root["schema_version"], 1)
            for row in root["rows"]:
                self.assertLessEqual(set(MEMBERS), set(row), kind)
                for key in "rate", "latency_s":
                    if row[key]:
                        self.assertLessEqual({"mean", "p50", "p99"},
                                             set(row[key]))
                if row["deadlock"]:
                    self.assertFalse(row["finished"])
                    self.assertEqual(set(row["deadlock"]),
                                     {"at_s", "channels"})
                    for channel in row["deadlock"]["channels"]:
                        self.assertEqual(set(channel),
                                         {"switch", "port", "vl"})

    def test_csv_says_what_json_says(self):
        for kind in self.kinds:
            rows, lines = (self.json_of(kind)["rows"],
                           self.csv_of(f"{kind}-simulation"))
            self.assertEqual(len(rows), len(lines))
            for i, (row, line) in enumerate(zip(rows, lines)):
                self.assertEqual(line["row"], str(i + 1))
                self.assertNotIn(None, line)
                for key in ("layers", "vls", "buffer_bytes", "packets",
                            "select", "queues"):
                    self.assertEqual(line[key],
                                     "" if row[key] is None else str(row[key]))
                self.assertEqual(line["finished"] == "true", row["finished"])
                for part in "mean", "min", "p1", "p50", "p99", "max":
                    for key, unit in ("rate", ""), ("latency", "_s"):
                        known = (row[key + unit] or {}).get(part)
                        text = line[f"{key}_{part}{unit}"]
                        self.assertEqual(float(text) if text else None, known)

    def test_loads_of_links_add_up(self):
        for kind in set(self.kinds) - {"odd"}:
            rows = self.json_of(kind)["rows"]
            loads = {}
            for line in self.csv_of(f"{kind}-links"):
                link = line["row"], line["switch"], line["port"]
                loads[link] = loads.get(link, 0) + float(line["load"])
            for i, row in enumerate(rows):
                mine = [load for link, load in loads.items()
                        if link[0] == str(i + 1)]
                known = row["link_loads"]
                self.assertEqual(len(mine), known["n"])
                self.assertAlmostEqual(max(mine), known["load_max"], 6)
                self.assertAlmostEqual(sum(mine) / len(mine),
                                       known["load_mean"], 6)
                busiest = known["busiest"]
                self.assertAlmostEqual(
                    loads[str(i + 1), busiest["switch"],
                          str(busiest["port"])], max(mine), 6)

    def test_figures_are_well_formed_and_texts_do_not_overlap(self):
        paths = glob.glob(f"{self.folder}/*.svg")
        self.assertGreater(len(paths), 20)
        for path in paths:
            root = xml.etree.ElementTree.parse(path).getroot()
            with open(path, encoding="utf-8") as file:
                self.assertIsNone(re.search(r"\bnan\b|\binf\b", file.read()))
            boxes = [(text.text, box(text)) for text in root.iter(f"{SVG}text")
                     if text.get("x") and text.text]
            self.assertTrue(boxes, path)
            for i, (text, a) in enumerate(boxes):
                for other, b in boxes[:i]:
                    self.assertFalse(
                        a[0] < b[2] and b[0] < a[2] and a[1] < b[3]
                        and b[1] < a[3], (path, text, other))

    def test_figures_render(self):
        for name in ("sweep-latency", "sweep-rates", "messages-load",
                     "pair-load", "odd-progress"):
            done = subprocess.run(
                ["rsvg-convert", f"{self.folder}/{name}.svg"],
                capture_output=True, check=True)
            self.assertEqual(done.stdout[1:4], b"PNG")
            self.assertEqual(done.stderr, b"")


if __name__ == "__main__":
    harness.main()
