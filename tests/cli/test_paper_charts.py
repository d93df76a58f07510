"""Charts of every kind in the form of a paper, as draw_charts draws them: as wide
as asked, nothing cut off, and the data beside them are what is drawn.

The last is read back from the drawing: where the numbers of the axes stand says
what a place means, and where the marks stand says what was drawn."""
import csv
import math
import os
import re
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

import harness

SVG = "{http://www.w3.org/2000/svg}"
FORMS = {"column": ("84", "8"), "page": ("174", "7"), "narrow": ("60", "10")}
SIZES = {"head": 12, "small": 11}
# What may need smaller text: panels that have to stand side by side, and names
# of rows that leave no room for these.
MAY_SHRINK = {("narrow", "grid"), ("narrow", "heat")}


def number(text):
    """What a number on an axis means."""
    text = text.translate(str.maketrans("−⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "-0123456789-"))
    text = re.sub(r"[^-0-9.·].*", "", text)
    digits, _, power = text.rpartition("·")
    if power.startswith("10") and (digits or len(power) > 2 and "·" in text):
        return float(digits) * 10.0 ** int(power[2:])
    return float(text)


def is_power(text):
    return bool(re.search("[⁰¹²³⁴⁵⁶⁷⁸⁹]", text))


def value_of(text):
    """As number(), and powers of ten without digits before them."""
    if is_power(text) and "·" not in text:
        return number("1·" + text)
    return number(text)


class Axis:
    """From places to values, by two ticks."""

    def __init__(self, ticks):
        ticks = sorted(set(ticks))
        (at, self.first), (last_at, last) = ticks[0], ticks[-1]
        middle_at, middle = ticks[len(ticks) // 2]
        linear = self.first + (last - self.first) * (middle_at - at) / (
            last_at - at)
        self.is_log = min(value for _, value in ticks) > 0 and abs(linear - middle) > 0.02 * abs(
            last - self.first)
        self.at = at
        first, last = ((math.log(self.first), math.log(last)) if self.is_log
                       else (self.first, last))
        self.first, self.slope = first, (last - first) / (last_at - at)

    def __call__(self, place):
        value = self.first + (place - self.at) * self.slope
        return math.exp(value) if self.is_log else value

    def close(self, place, value):
        """Whether 'value' is at 'place', within the third of a unit."""
        shown = self(place)
        if self.is_log:
            return abs(math.log(shown / value)) < 0.34 * abs(self.slope)
        return abs(shown - value) < 0.34 * abs(self.slope)


class Drawing:
    """A figure that was drawn, with the frames of its panels."""

    def __init__(self, path):
        self.root = xml.etree.ElementTree.parse(path).getroot()
        self.box = [float(part) for part in self.root.get("viewBox").split()]
        self.texts = list(self.root.iter(SVG + "text"))
        self.frames = []
        for axis in self.root.iter(SVG + "path"):
            found = re.fullmatch(r"M(\S+) (\S+)V(\S+)h(\S+)",
                                 axis.get("d", "").replace(",", " "))
            if axis.get("class") == "axis" and found:
                self.frames.append([float(part) for part in found.groups()])

    def axes(self, frame):
        """The axes of a frame, from the numbers beside and below it."""
        left, top, bottom, width = frame
        x, y = [], []
        for text in self.texts:
            if text.get("class") != "small" or text.get("transform"):
                continue
            at = float(text.get("x")), float(text.get("y"))
            if (text.get("text-anchor") == "end" and at[0] < left
                    and top - 6 < at[1] < bottom + 6):
                y.append((at[1] - 4, value_of(text.text)))
            elif (text.get("text-anchor") == "middle"
                  and bottom < at[1] < bottom + 25
                  and left - 9 < at[0] < left + width + 9):
                x.append((at[0], value_of(text.text)))
        return Axis(x), Axis(y)

    def marks(self, frame):
        """Colour and place of each mark of a point."""
        found = []
        for group in self.root.iter(SVG + "g"):
            for mark in group.findall(SVG + "path"):
                kinds = mark.get("class").split()
                if kinds[0] != "mark":
                    continue
                x, y, scale = map(float, re.fullmatch(
                    r"translate\((\S+) (\S+)\)scale\((\S+)\)",
                    mark.get("transform")).groups())
                x, y = x / (1 - scale), y / (1 - scale)
                if (frame[0] - 1 < x < frame[0] + frame[3] + 1
                        and frame[1] - 1 < y < frame[2] + 1):
                    found.append((int(kinds[1][1:]), x, y))
        return found


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, strict=True))


def by_key(rows, key):
    """Lists of rows by what they have under 'key', in their order."""
    lists = {}
    for row in rows:
        lists.setdefault(row[key], []).append(row)
    return list(lists.values())


def box_of(text):
    """About where an upright text is: left, top, right, bottom."""
    size = SIZES.get(text.get("class"), 12)
    found = re.search(r"font:\S+ (\S+)px", text.get("style") or "")
    size = float(found.group(1)) if found else size
    width = 0.53 * size * len(text.text)
    x, y = float(text.get("x")), float(text.get("y"))
    left = x - {"end": width, "middle": width / 2}.get(
        text.get("text-anchor"), 0)
    return left, y - 0.7 * size, left + width, y + 0.1 * size


class PaperCharts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = cls.temporary.name
        cls.drawings = {}
        for form, (width, size) in FORMS.items():
            folder = f"{cls.folder}/{form}"
            os.mkdir(folder)
            for kind in "svg", "csv":
                subprocess.run([harness.PROGRAM, folder, kind, width, size],
                               check=True)
            cls.drawings[form] = {
                name[:-4]: Drawing(f"{folder}/{name}")
                for name in sorted(os.listdir(folder))
                if name.endswith(".svg")}

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def each(self):
        for form, drawings in self.drawings.items():
            for name, drawing in drawings.items():
                yield form, name, drawing

    def test_they_are_as_wide_as_asked(self):
        for form, name, drawing in self.each():
            width, size = map(float, FORMS[form])
            self.assertEqual(drawing.root.get("width"), f"{width:g}mm", name)
            shown = width * 72 / 25.4 / drawing.box[2] * 12
            self.assertLessEqual(shown, size + 0.01, name)
            if (form, name) not in MAY_SHRINK:
                self.assertGreater(shown, size - 0.01, (form, name))
            height = float(drawing.root.get("height")[:-2])
            self.assertAlmostEqual(height / width,
                                   drawing.box[3] / drawing.box[2], 3)

    def test_they_have_no_title_and_no_dark_scheme(self):
        for _, name, drawing in self.each():
            style = drawing.root.find(SVG + "style").text
            self.assertNotIn("@media", style)
            self.assertFalse([text for text in drawing.texts
                              if text.get("class") == "title"], name)
            self.assertIn("A chart", drawing.root.get("aria-label"))

    def test_no_text_is_cut_off(self):
        for form, name, drawing in self.each():
            left, top, width, height = drawing.box
            for text in drawing.texts:
                if text.get("transform"):
                    continue
                box = box_of(text)
                self.assertGreaterEqual(box[0], left, (form, name, text.text))
                self.assertGreaterEqual(box[1], top, (form, name, text.text))
                self.assertLessEqual(box[2], left + width,
                                     (form, name, text.text))
                self.assertLessEqual(box[3], top + height,
                                     (form, name, text.text))

    def test_no_text_covers_another(self):
        for form, name, drawing in self.each():
            boxes = [(box_of(text), text.text) for text in drawing.texts
                     if not text.get("transform")]
            for i, (a, word) in enumerate(boxes):
                for b, other in boxes[:i]:
                    self.assertFalse(
                        a[0] < b[2] and b[0] < a[2] and a[1] < b[3]
                        and b[1] < a[3], (form, name, word, other))

    def test_marks_stand_where_the_data_say(self):
        n = 0
        for form, name, drawing in self.each():
            if name not in ("one", "three", "many", "ends", "magnitudes"):
                continue
            panels = by_key(rows_of(f"{self.folder}/{form}/{name}.csv"),
                            "panel")
            self.assertEqual(len(panels), len(drawing.frames), (form, name))
            for frame, rows in zip(drawing.frames, panels):
                x, y = drawing.axes(frame)
                marks = drawing.marks(frame)
                # The seven colours come again for later series.
                for color in range(1, 8):
                    series = by_key(rows, "series")[color - 1::7]
                    points = [(float(row["x"]), float(row["y"]))
                              for lines in series for row in lines]
                    top, bottom = y(frame[1]), y(frame[2])
                    points = [point for point in points
                              if bottom * 0.999 <= point[1] <= top * 1.001
                              or y.is_log]
                    shown = [mark[1:] for mark in marks if mark[0] == color]
                    self.assertEqual(len(shown), len(points),
                                     (form, name, color))
                    for place, point in zip(shown, points):
                        self.assertTrue(x.close(place[0], point[0])
                                        and y.close(place[1], point[1]),
                                        (form, name, place, point,
                                         x(place[0]), y(place[1])))
                        n += 1
        self.assertGreater(n, 900)

    def test_bars_are_as_high_as_the_data_say(self):
        for form in FORMS:
            drawing = self.drawings[form]["bars"]
            rows = rows_of(f"{self.folder}/{form}/bars.csv")
            frame = drawing.frames[0]
            y = []
            for text in drawing.texts:
                if (text.get("text-anchor") == "end"
                        and not text.get("transform")
                        and float(text.get("x")) < frame[0]):
                    y.append((float(text.get("y")) - 4, value_of(text.text)))
            y = Axis(y)
            bars = [bar for bar in drawing.root.iter(SVG + "rect")
                    if "bar" in (bar.get("class") or "").split()
                    and float(bar.get("y")) < frame[2]]
            self.assertEqual(len(bars), len(rows))
            for bar, row in zip(bars, rows):
                self.assertTrue(y.close(float(bar.get("y")),
                                        float(row["y"])), (form, row))
                self.assertAlmostEqual(float(row["low"]),
                                       float(row["y"]) - 2)

    def test_cells_of_maps_are_all_there(self):
        rows = rows_of(f"{self.folder}/column/heat.csv")
        self.assertEqual(len(rows), 12 * 12 - 12)
        rows = rows_of(f"{self.folder}/column/heat-50.csv")
        cells = {(int(row["y"]), int(row["x"])): float(row["value"])
                 for row in rows}
        self.assertEqual(cells, {
            (i, k): 1 + (i * 7 + k * 3) % 11 * 50
            for i in range(50) for k in range(50) if i != k})

    def test_they_render(self):
        for form, name, _ in self.each():
            if form == "column":
                subprocess.run(["rsvg-convert",
                                f"{self.folder}/{form}/{name}.svg"],
                               check=True, stdout=subprocess.DEVNULL)

    def test_rows_are_all_as_long_as_the_head(self):
        for form in FORMS:
            for name in self.drawings[form]:
                path = f"{self.folder}/{form}/{name}.csv"
                with open(path, newline="", encoding="utf-8") as file:
                    lengths = {len(row) for row in csv.reader(file)}
                self.assertEqual(len(lengths), 1, name)


if __name__ == "__main__":
    harness.main()
