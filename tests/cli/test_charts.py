"""Charts of every kind, as draw_charts draws them: they parse, they render, and
nothing of them is cut off or covers something else."""
import os
import re
import struct
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree
import zlib

import harness

SVG = "{http://www.w3.org/2000/svg}"
SIZES = {"title": 16, "head": 13, "small": 11}


def pixels(png):
    """The rows of pixels of a PNG with 8 bits a channel, as bytes, and how
    many bytes a pixel has."""
    place, data = 8, b""
    while place < len(png):
        size, kind = struct.unpack(">I4s", png[place:place + 8])
        body = png[place + 8:place + 8 + size]
        if kind == b"IHDR":
            width, _, depth, color = struct.unpack(">IIBB", body[:10])
            assert depth == 8
            n = {2: 3, 6: 4}[color]
        if kind == b"IDAT":
            data += body
        place += 12 + size
    data = zlib.decompress(data)
    before, rows = bytes(width * n), []
    for start in range(0, len(data), width * n + 1):
        how, row = data[start], bytearray(data[start + 1:][:width * n])
        for i, up in enumerate(before):
            left = row[i - n] if i >= n else 0
            corner = before[i - n] if i >= n else 0
            nearest = min((abs(up - corner), 0, left),
                          (abs(left - corner), 1, up),
                          (abs(left + up - 2 * corner), 2, corner))[2]
            row[i] = (row[i] + [0, left, up, (left + up) // 2, nearest][how]
                      ) % 256
        before = bytes(row)
        rows.append(before)
    return rows, n


def box(text):
    """About where a text is: left, top, right, bottom."""
    size = SIZES.get(text.get("class"), 12)
    # DejaVu Sans is about this wide; a little less, so as not to cry wolf.
    width = 0.56 * size * len(text.text)
    x, y = float(text.get("x")), float(text.get("y"))
    left = x - {"end": width, "middle": width / 2}.get(
        text.get("text-anchor"), 0)
    return left, y - 0.7 * size, left + width, y + 0.1 * size


class Charts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = cls.temporary.name
        subprocess.run([harness.PROGRAM, cls.folder], check=True)
        cls.paths = sorted(f"{cls.folder}/{name}"
                           for name in os.listdir(cls.folder))
        cls.roots = {os.path.basename(path)[:-4]:
                     xml.etree.ElementTree.parse(path).getroot()
                     for path in cls.paths}

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_there_are_all_kinds(self):
        self.assertLessEqual(
            {"one", "none", "equal", "many", "ends", "magnitudes", "bars",
             "stacked", "histogram", "boxes", "heat", "grid"},
            set(self.roots))

    def test_renders_with_nothing_cut_off_at_the_edge(self):
        for path in self.paths:
            done = subprocess.run(["rsvg-convert", path], capture_output=True,
                                  check=True)
            rows, n = pixels(done.stdout)
            paper = rows[0][:n]
            self.assertEqual(paper[:3], b"\xff\xff\xff", path)
            for row in rows[:3] + rows[-3:]:
                self.assertEqual(row, paper * (len(row) // n), path)
            for row in rows:
                self.assertEqual(row[:3 * n] + row[-3 * n:], 6 * paper, path)
            colors = {row[i:i + n] for row in rows[::3]
                      for i in range(0, len(row), 3 * n)}
            self.assertGreater(len(colors), 3, path)

    def test_texts_do_not_overlap(self):
        for name, root in self.roots.items():
            boxes = [(text.text, box(text)) for text in root.iter(f"{SVG}text")
                     if text.get("x") and text.text]
            self.assertTrue(boxes, name)
            for i, (text, a) in enumerate(boxes):
                for other, b in boxes[:i]:
                    self.assertFalse(
                        a[0] < b[2] and b[0] < a[2] and a[1] < b[3]
                        and b[1] < a[3], (name, text, other))

    def test_marks_and_bars_are_inside(self):
        for name, root in self.roots.items():
            sides = float(root.get("width")), float(root.get("height"))
            for rect in root.iter(f"{SVG}rect"):
                if rect.get("x"):
                    x, y, width, height = (float(rect.get(key)) for key in (
                        "x", "y", "width", "height"))
                    self.assertTrue(x >= 0 and x + width <= sides[0], name)
                    self.assertTrue(y >= 0 and y + height <= sides[1], name)
                    self.assertTrue(width >= 0 and height >= 0, name)

    def test_bars(self):
        for name, n in ("bars", 12), ("stacked", 12), ("histogram", 40):
            bars = [rect for rect in self.roots[name].iter(f"{SVG}rect")
                    if rect.find(f"{SVG}title") is not None]
            self.assertEqual(len(bars), n, name)
        stacked = [(float(rect.get("x")), float(rect.get("y")),
                    float(rect.get("height")))
                   for rect in self.roots["stacked"].iter(f"{SVG}rect")
                   if rect.find(f"{SVG}title") is not None]
        # One stands where the one below it ends.
        self.assertAlmostEqual(stacked[4][0], stacked[0][0])
        self.assertAlmostEqual(stacked[4][1] + stacked[4][2], stacked[0][1],
                               delta=0.02)

    def test_bars_without_a_name(self):
        """They said 'sf:q=3, : 258.7' and stood on a tick without text."""
        root = self.roots["lone"]
        titles = [title.text for title in root.iter(f"{SVG}title")]
        head = next(text.text for text in root.iter(f"{SVG}text")
                    if text.get("class") == "head")
        self.assertEqual(len(titles), 3)
        for i, title in enumerate(titles):
            self.assertRegex(title, f"[^,:], {head}: {250 + 50 * i}$")
        self.assertEqual([path.get("d") for path in root.iter(f"{SVG}path")
                          if path.get("class") == "axis" and
                          path.get("d").endswith("v4")], [])

    def test_heat_map(self):
        cells = [rect for rect in self.roots["heat"].iter(f"{SVG}rect")
                 if rect.find(f"{SVG}title") is not None]
        self.assertEqual(len(cells), 12 * 12)
        self.assertEqual(sum(rect.get("class") == "void" for rect in cells),
                         12)

    def test_colours_follow_the_scheme_but_not_on_paper(self):
        for path in self.paths:
            with open(path, encoding="utf-8") as file:
                text = file.read()
            self.assertIn("@media screen and (prefers-color-scheme:dark)",
                          text)
            self.assertNotRegex(text, r"nan|inf[^o]")

    def test_lines_can_be_told_apart(self):
        root = self.roots["many"]
        looks = [(re.sub(r" d=.*", "", line.get("class")),
                  line.get("stroke-dasharray"))
                 for line in root.iter(f"{SVG}path")
                 if line.get("class").startswith("line")
                 and "h34" in line.get("d")]
        self.assertEqual(len(looks), 12)
        self.assertEqual(len(set(looks)), 12)


if __name__ == "__main__":
    harness.main()
