"""What 'slimfly verify' says to people and programs about fabrics that are
made up from a plan; tests/ibsim has them discovered by the real tools."""
import json
import os
import random
import re
import signal
import subprocess
import tempfile
import time
import xml.etree.ElementTree

import harness
from hall import Hall


class Strangers(Hall):
    """Devices that bear neither the names nor the GUIDs of the plan."""

    def ends(self, result):
        for finding in result["findings"]:
            yield from finding["ends"]
        for move in result["moves"]:
            yield from (move[e] for e in ("cable", "from", "to") if move[e])

    def test_every_end_says_what_it_was_found_as(self):
        self.start("sf:q=5")
        self.forget_names()
        self.swap(("sf-0-3-1", 8), ("sf-0-4-2", 9))
        self.write()
        result = self.json()
        names = {guid: name for name, guid in self.guids.items()}
        real = {("sf-0-3-1", 8), ("sf-0-4-2", 9)}
        real |= {self.peers[end] for end in real}
        moved = set()
        for end in self.ends(result):
            self.assertEqual(end["found_as"]["certain"], False)
            moved.add((names[int(end["found_as"]["guid"], 16)], end["port"]))
        # Whatever the places: by GUID, these and no others.
        self.assertEqual(moved, real)
        text = self.text()
        for move in result["moves"]:
            self.assertIn(move["text"], text)
            for end in (move[e] for e in ("cable", "from", "to")):
                self.assertIn(
                    f'{end["node"]} port {end["port"]} ({end["rack"]} '
                    f'U{end["unit"]}, found as "{end["found_as"]["name"]}" '
                    f'{end["found_as"]["guid"]}, a guess)', move["text"])
        for finding in result["findings"]:
            self.assertIn("found as", finding["text"])

    def test_several_ways_are_a_warning_that_says_how_to_tell(self):
        self.start("sf:q=5")
        self.forget_names()
        self.swap(("sf-0-3-1", 8), ("sf-0-4-2", 9))
        self.write()
        result = self.json()
        self.assertEqual(result["identity"]["labellings"], 5)
        warning, = result["warnings"]
        self.assertIn("one of 5 that fit equally well", warning)
        self.assertIn(f"\nWARNING. {warning}\n\nWhat to do, in this order:\n",
                      self.text())
        # Doing what it says settles all places.
        place, name = re.search(r'switch in (R\d+ U\d+)\. .* line '
                                r"'0xGUID \"(\S+)\"'", warning).groups()
        self.assertEqual(self.places[name], place)
        guids = f"{self.folder}/guids"
        with open(guids, "w", encoding="utf-8") as file:
            file.write(f'0x{self.guids[name]:x} "{name}"\n')
        result = self.json("--guids", guids)
        self.assertEqual((result["warnings"],
                          result["identity"]["labellings"]), ([], 1))
        names = {guid: name for name, guid in self.guids.items()}
        for end in self.ends(result):
            self.assertEqual(end["node"],
                             names[int(end["found_as"]["guid"], 16)])
            self.assertTrue(end["found_as"]["certain"])

    def test_told_by_their_hosts(self):
        # Hosts have their names, switches those of the vendor.
        self.start("sf:q=4")
        self.forget_names()
        self.names.update({host: host + " HCA-1" for host in self.hosts})
        self.swap(("sf-0-3-1", 8), ("sf-0-1-2", 9))
        self.write()
        result = self.json()
        self.assertEqual(result["identity"]["hosts"], 32)
        self.assertEqual(result["warnings"], [])
        for end in self.ends(result):
            self.assertTrue(end["found_as"]["certain"])
            self.assertEqual(int(end["found_as"]["guid"], 16),
                             self.guids[end["node"]])
        self.assertIn('found as "Quantum Mellanox" 0x', self.text())
        self.assertNotIn("guess", self.text())

    def test_names_of_the_plan_are_not_repeated(self):
        self.start("sf:q=4")
        self.forget_names()
        for name in self.names:
            self.names[name] = (f"MF0;{name}:MQM8700/U1"
                                if name in self.switches else f"{name} mlx5_0")
        self.swap(("sf-0-3-1", 8), ("sf-0-1-2", 9))
        self.swap(("sf-0-3-1", 1), ("sf-0-1-2", 1))
        self.write()
        self.assertNotIn("found as", self.text())
        self.assertTrue(all(end["found_as"]["certain"]
                            for end in self.ends(self.json())))

    def test_right_places_need_no_warning(self):
        self.start("sf:q=4")
        self.forget_names()
        self.write()
        self.assertEqual(self.json()["warnings"], [])
        self.assertEqual(self.text(code=0).count("\n"), 1)


class WhatToDo(Hall):
    """One recipe, in which everything that is wrong has its place."""

    def sections(self, text):
        """The lines by the title above them."""
        parts = {}
        for line in text.splitlines():
            if line.endswith(":") and not line.startswith(" "):
                part = parts.setdefault(line[:-1], [])
            elif line.startswith(" "):
                part.append(line.strip())
        return parts

    def test_an_exchange_comes_first_and_moves_are_another_way(self):
        self.start("sf:q=5")
        self.exchange("sf-0-0-1", "sf-1-3-2")
        del self.peers[self.peers.pop(("sf-1-4-4", 6))]
        self.write()
        parts = self.sections(self.text())
        first, = parts["What to do first"]
        self.assertTrue(first.startswith("-  Exchange sf-0-0-1 ("), first)
        then, = parts["Then, in this order"]
        self.assertTrue(then.startswith("1. Plug in a cable ("), then)
        others = parts["Or, instead of exchanging switches, in this order"]
        self.assertEqual([int(line.split(".")[0]) for line in others],
                         list(range(2, 24)))
        result = self.json()
        self.assertEqual([m["instead_of_exchange"] for m in result["moves"]],
                         [False] + [True] * 22)
        remedy, = (f["remedy"] for f in result["findings"] if f["remedy"])
        self.assertEqual("-  " + remedy, first)

    def test_other_faults_of_exchanged_switches_are_not_hidden(self):
        self.start("sf:q=5")
        self.exchange("sf-0-0-1", "sf-1-3-2")
        del self.peers[self.peers.pop(("sf-0-0-1", 9))]
        self.write()
        parts = self.sections(self.text())
        self.assertIn("Then verify again", parts["What to do"][1])
        self.assertNotIn("Then, in this order", parts)

    def test_a_dead_switch_has_an_entry(self):
        self.start("sf:q=5")
        self.lost = {"sf-1-2-3"}
        self.write()
        entry, = self.sections(self.text())["What to do"]
        self.assertEqual(
            entry, f"-  See that sf-1-2-3 ({self.places['sf-1-2-3']}) is on. "
            "If it is, see that its cables are in firmly: not one of 11 was "
            "found.")

    def test_cables_of_another_rate_are_not_called_right(self):
        self.start("sf:q=5")
        self.rate = "4xHDR"
        self.write()
        text = self.text()
        self.assertTrue(text.startswith(
            "DIFFERS: 375 of 375 cables are in the right ports, 375 of them "
            "at another rate."), text)
        entry, = self.sections(text)["What to do"]
        self.assertIn("the 375 cables of another rate", entry)
        self.assertEqual(self.text("--ignore-rates", code=0).count("\n"), 1)


class Arguments(Hall):
    def test_a_folder_with_what_was_discovered(self):
        self.start("sf:q=4")
        tables = f"{self.folder}/tables"
        self.succeeds("route", self.plan, "-o", tables)
        expected = self.succeeds("verify", self.plan,
                                 f"{tables}/fabric.ibnetdiscover")
        self.assertEqual(self.succeeds("verify", self.plan, tables), expected)
        self.assertTrue(expected.startswith("OK: "))

    def test_a_map_that_names_nothing_found_is_said(self):
        self.start("sf:q=4")
        self.write()
        guids = f"{self.folder}/guids"
        with open(guids, "w", encoding="utf-8") as file:
            file.write('0x1234 "sf-0-0-0"\n')
        done = harness.slimfly("verify", self.plan, self.found, "-g", guids)
        self.assertEqual(done.returncode, 0)
        self.assertIn(f"planned name in {guids}\n", done.stderr)


class Drawing(Hall):
    def texts(self):
        """The drawing's texts, each with its class."""
        self.write()
        root = xml.etree.ElementTree.fromstring(self.text("-f", "svg"))
        return [(e.get("class"), e.text) for e in root.iter()
                if e.tag.endswith("}text")]

    def test_a_dead_switch_is_there_whatever_its_name(self):
        self.start("sf:q=13,p=1")
        name = "sf-1-12-12"
        self.lost.add(name)
        n_cables = sum(node == name for node, _ in self.peers)
        texts = [text for _, text in self.texts()]
        at = texts.index(f"{name} {self.places[name]}")
        self.assertEqual(texts[at + 1], f"missing, with {n_cables} cables")

    def test_ports_stand_once_and_cables_have_their_labels(self):
        self.start("sf:q=5")
        self.swap(("sf-0-3-1", 8), ("sf-0-4-2", 9))
        texts = self.texts()
        self.assertEqual(sorted(text for kind, text in texts
                                if kind == "number"), ["10", "11", "8", "9"])
        labels = [finding["cable"] for finding in self.json()["findings"]]
        self.assertEqual(len(labels), 2)
        for kind in "found", "planned":
            self.assertEqual(sorted(text for each, text in texts
                                    if each == f"label {kind}-label"),
                             sorted(labels))

    def test_every_rack_has_its_column(self):
        # At q = 7 a group of the Slim Fly stands in two racks.
        self.start("sf:q=7")
        ends = ("sf-0-2-0", 1), ("sf-1-2-0", 1)
        self.swap(*ends)
        self.assertEqual([text for kind, text in self.texts()
                          if kind == "head"], ["rack R2.1", "rack R2.2"])


class Watch(Hall):
    def test_ends_at_once_when_interrupted_while_it_discovers(self):
        self.start("sf:q=3")
        mark = f"{self.folder}/mark"
        for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
            with subprocess.Popen(
                    [harness.PROGRAM, "watch", self.plan, "--timeout", "3600",
                     "--exec", "sleep 3600 & echo $$ $! > "
                     f"{mark}.new; mv {mark}.new {mark}; wait"],
                    stdout=subprocess.PIPE, text=True) as process:
                while not os.path.exists(mark):
                    time.sleep(0.01)
                process.send_signal(number)
                self.assertEqual(process.wait(harness.PATIENCE), 1)
                self.assertIn("stopped with 0 of", process.stdout.read())
            with open(mark, encoding="utf-8") as file:
                started = file.read().split()
            os.remove(mark)
            self.assertEqual(len(started), 2)
            # Also what the command itself had started.
            for pid in started:
                while self.runs(pid):
                    time.sleep(0.01)

    def test_counts_every_rack_under_its_own_name(self):
        # At q = 7 a group of the Slim Fly stands in two racks.
        self.start("sf:q=7")
        self.write()
        with open(f"{self.plan}/plan.json", encoding="utf-8") as file:
            plan = json.load(file)
        names = [rack["name"] for rack in plan["racks"]]
        self.assertEqual(names[:3], ["R0.1", "R0.2", "R1.1"])
        racks = {n["name"]: n["rack"] for n in plan["switches"] + plan["hosts"]}
        cables = dict.fromkeys(names, 0)
        for cable in plan["cables"]:
            for rack in {racks[cable[end]["node"]] for end in "ab"}:
                cables[rack] += 1
        arguments = ["watch", self.plan, "--exec", f"cat {self.found}"]
        state = json.loads(self.succeeds(*arguments, "--format", "jsonl"))
        self.assertEqual(state["racks"], [
            {"planned": cables[name], "right": cables[name], "rack": name}
            for name in names])
        self.assertEqual(
            re.findall(r"^  (R\S+) +(\d+) of \d+ ",
                       self.succeeds(*arguments), re.M),
            [(name, str(cables[name])) for name in names])

    def test_a_discovery_ends_with_the_program_that_is_killed(self):
        self.start("sf:q=3")
        mark = f"{self.folder}/mark"
        with subprocess.Popen(
                [harness.PROGRAM, "watch", self.plan, "--timeout", "3600",
                 "--exec", f"echo $$ > {mark}.new; mv {mark}.new {mark}; "
                 "exec sleep 3600"], stdout=subprocess.DEVNULL) as process:
            while not os.path.exists(mark):
                time.sleep(0.01)
            process.kill()
        with open(mark, encoding="utf-8") as file:
            pid = file.read().strip()
        deadline = time.monotonic() + 60
        while self.runs(pid) and time.monotonic() < deadline:
            time.sleep(0.01)
        if self.runs(pid):
            os.kill(int(pid), signal.SIGKILL)
            self.fail("the discovery outlived its parent")

    def runs(self, pid):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
                return file.read().rsplit(")")[-1].split()[0] != "Z"
        except OSError:
            return False


class SavedGuids(Hall):
    """What --save-guids writes, --guids reads."""

    def lines(self, path):
        """The entries, and those that are comments."""
        with open(path, encoding="utf-8") as file:
            text = file.read()
        pattern = r'0x([0-9a-f]{16}) "([^"]*)"'
        return ({name: int(guid, 16) for guid, name in
                 re.findall("^" + pattern, text, re.M)},
                {name: int(guid, 16) for guid, name in
                 re.findall("^# " + pattern, text, re.M)}, text)

    def test_names_once_known_serve_for_ever(self):
        self.start("sf:q=5")
        guids = f"{self.folder}/guids"
        names = dict(self.names)
        self.forget_names()
        vendors, self.names = self.names, names
        self.write()
        self.text("--save-guids", guids, code=0)
        settled, guessed, _ = self.lines(guids)
        self.assertEqual((settled, guessed), (self.guids, {}))
        self.names = vendors
        self.swap(("sf-0-3-1", 8), ("sf-0-4-2", 9))
        self.write(seed=2)
        result = self.json("--guids", guids)
        self.assertEqual((result["identity"]["map"],
                          result["identity"]["guessed"]), (250, []))
        ends = {(e["node"], e["port"]) for f in result["findings"]
                for e in f["ends"]}
        self.assertLessEqual({("sf-0-3-1", 8), ("sf-0-4-2", 9)}, ends)

    def test_one_guid_gives_all_others(self):
        self.start("sf:q=5")
        guids = f"{self.folder}/guids"
        self.forget_names()
        self.write()
        text = self.text("--save-guids", guids, code=0)
        settled, guessed, text = self.lines(guids)
        self.assertEqual((settled, len(guessed)), ({}, 250))
        self.assertIn("in one of 5 ways that fit equally well", text)
        with open(guids, "a", encoding="utf-8") as file:
            file.write(f'0x{self.guids["sf-1-2-3"]:x} "sf-1-2-3"\n')
        self.text("--guids", guids, "--save-guids", guids, code=0)
        settled, guessed, text = self.lines(guids)
        self.assertEqual(settled, {s: self.guids[s] for s in self.switches})
        self.assertEqual(guessed, {h: self.guids[h] for h in self.hosts})
        # The hosts, too, once somebody says so.
        with open(guids, "w", encoding="utf-8") as file:
            file.write(text.replace("# 0x", "0x"))
        self.assertEqual(self.json("--guids", guids)["identity"]["map"], 250)

    def test_what_is_not_found_today_is_kept(self):
        self.start("sf:q=4")
        guids = f"{self.folder}/guids"
        names = dict(self.names)
        self.forget_names()
        self.names = names
        self.lost = {"sf-0-1-2"}
        self.names["sf-0-0-0"] = "stranger"
        self.guids["sf-0-0-0"] = 0x1234
        with open(guids, "w", encoding="utf-8") as file:
            file.write(f'0x{self.guids["sf-0-1-2"]:x} "sf-0-1-2"\n'
                       f'0x{self.guids["sf-0-2-2"]:x} "sf-0-2-2"\n'
                       '0x1234 "not planned"\n')
        self.write()
        self.text("--guids", guids, "--save-guids", guids)
        settled, _, text = self.lines(guids)
        self.assertEqual(settled["sf-0-1-2"], self.guids["sf-0-1-2"])
        self.assertNotIn("sf-0-0-0", settled)
        self.assertIn('# Not found:\n# "sf-0-0-0"\n', text)
        self.assertIn('not known to the plan:\n# "stranger" 0x0000000000001234',
                      text)

    def test_the_file_changes_as_a_whole(self):
        self.start("sf:q=4")
        self.write()
        self.fails("verify", self.plan, self.found, "-o", "/dev/null",
                   "--save-guids", f"{self.folder}/no/such",
                   says="no/such: No such file")
        self.assertEqual(sorted(os.listdir(self.folder)), ["found", "plan"])


if __name__ == "__main__":
    harness.main()
