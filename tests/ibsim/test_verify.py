"""Plans on a simulated fabric, discovered by the real ibnetdiscover: what is
right is said to be right, every fault is named, and doing what verify says
mends it.

Arguments: the program.
"""
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "cli"))
import harness  # noqa: E402
from ibsim import Ibsim  # noqa: E402


class Fabric(harness.Case):
    """A planned fabric that runs in ibsim."""

    def start(self, spec, *options):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.succeeds("plan", spec, "-o", self.folder, *options)
        sim = Ibsim(f"{self.folder}/fabric.ibsim")
        self.addCleanup(sim.stop)
        with open(f"{self.folder}/plan.json", encoding="utf-8") as file:
            plan = json.load(file)
        self.cables = [((c["a"]["node"], c["a"]["port"]),
                        (c["b"]["node"], c["b"]["port"]))
                       for c in plan["cables"] if c["step"] > 0]
        return sim

    def discover(self, sim, name="found"):
        done = sim.run("ibnetdiscover")
        self.assertEqual(done.returncode, 0, done.stderr)
        path = f"{self.folder}/{name}"
        with open(path, "w", encoding="utf-8") as file:
            file.write(done.stdout)
        return path

    def verify(self, sim, *options):
        """The verdict as JSON; the exit code must agree with it."""
        done = harness.slimfly("verify", self.folder, self.discover(sim),
                               "--format", "json", *options)
        self.assertEqual(done.stderr, "")
        result = json.loads(done.stdout)
        self.assertEqual(done.returncode, 0 if result["matches"] else 1)
        return result

    def unlink(self, sim, end):
        sim.command(f'Unlink "{end[0]}"[{end[1]}]')

    def link(self, sim, a, b):
        sim.command(f'Link "{a[0]}"[{a[1]}] "{b[0]}"[{b[1]}]')

    def mend(self, sim, result):
        """Does what the moves say: first all plugs out, then all in."""
        def end(where):
            return where["node"], where["port"]

        for move in result["moves"]:
            if move["kind"] in ("move", "unplug"):
                self.unlink(sim, end(move["from"]))
        for move in result["moves"]:
            if move["kind"] in ("move", "plug"):
                self.link(sim, end(move["cable"]), end(move["to"]))
        self.assertTrue(self.verify(sim)["matches"])

    def verdicts(self, result):
        return sorted(f["verdict"] for f in result["findings"])

    def rotate(self, sim, cables):
        """Each cable's second end goes into the port of the next one's."""
        for a, _ in cables:
            self.unlink(sim, a)
        for i, (a, _) in enumerate(cables):
            self.link(sim, a, cables[(i + 1) % len(cables)][1])


class RightFabrics(Fabric):
    def test_as_planned_is_one_line(self):
        for spec in "sf:q=5", "sf:q=4", "ft2:leaf=6,core=3,up=3", "df:a=4,h=2":
            with self.subTest(spec=spec):
                sim = self.start(spec)
                found = self.discover(sim)
                text = self.succeeds("verify", self.folder, found)
                self.assertEqual(text.count("\n"), 1, text)
                self.assertTrue(text.startswith("OK: "), text)

    def test_every_source_of_discovery(self):
        sim = self.start("sf:q=5")
        cache = f"{self.folder}/cache"
        self.assertEqual(sim.run("ibnetdiscover", "--cache",
                                 cache).returncode, 0)
        text = self.discover(sim)
        expected = self.succeeds("verify", self.folder, text)
        self.assertEqual(self.succeeds("verify", self.folder, cache), expected)
        with open(text, encoding="utf-8") as file:
            self.assertEqual(self.succeeds("verify", self.folder, "-",
                                           stdin=file.read()), expected)
        live = sim.run(harness.PROGRAM, "verify", self.folder, "live")
        self.assertEqual((live.returncode, live.stdout), (0, expected),
                         live.stderr)

    def test_the_port_can_be_named(self):
        sim = self.start("sf:q=3")

        def run(*args):  # On a host; switches have port 0 only.
            return sim.run("env", "SIM_HOST=node0005", harness.PROGRAM, *args)
        live = run("verify", self.folder, "live")
        for word in "live:ibsim0", "live:ibsim0:1":
            done = run("verify", self.folder, word)
            self.assertEqual((done.returncode, done.stdout, done.stderr),
                             (live.returncode, live.stdout, ""))
        done = run("watch", self.folder, "live:ibsim0:1")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        # Tables and path SLs are asked for by the same port.
        routed = f"{self.folder}/routed"
        done = run("route", "live:ibsim0:1", "-o", routed)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = run("audit", f"{routed}/fabric.ibnetdiscover", "live:ibsim0:1")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        for args in (["audit", "live:ibsim0:7"],
                     ["verify", self.folder, "live:mlx5_0"],
                     ["audit", f"{routed}/fabric.ibnetdiscover",
                      "live:mlx5_0:1"]):
            done = run(*args)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn("failed: InfiniBand devices: ibsim0; expected one "
                          "of them and one of its ports", done.stderr)
        for word in "live:", "live::1", "live:x:", "live:x:0", "live:x:1:2":
            self.fails("verify", self.folder, word,
                       says=f"{word}: expected live, live:DEVICE or "
                       "live:DEVICE:PORT")
        self.fails("watch", self.folder, "here", says="found 'here'")
        self.fails("watch", self.folder, "live:x:1", "--exec", "true",
                   says="nothing at all with --exec")

    def test_live_discovery_gives_its_place_back(self):
        # ibsim has room for ten clients.
        sim = self.start("sf:q=3")
        for _ in range(12):
            done = sim.run(harness.PROGRAM, "verify", self.folder, "live")
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(os.listdir(sim.folder), ["console"])

    def test_the_plans_own_text_is_what_ibnetdiscover_prints(self):
        for name in "fabric.ibsim", "fabric.ibnetdiscover":
            self.start("sf:q=5", "--switch-ports", "36")
            with Ibsim(f"{self.folder}/{name}") as sim:
                found = self.discover(sim)
            blocks = []
            for path in found, f"{self.folder}/fabric.ibnetdiscover":
                with open(path, encoding="utf-8") as file:
                    blocks.append(sorted(file.read().strip().split("\n\n")[1:]))
            self.assertEqual(blocks[0], blocks[1])

    def test_real_guids_by_map_and_by_name(self):
        # Other GUIDs than planned, as real devices have: the netlist without
        # its GUIDs gets ibsim's own.
        self.start("sf:q=4")
        with open(f"{self.folder}/fabric.ibsim", encoding="utf-8") as file:
            text = "".join(line for line in file
                           if not line.startswith(("switchguid", "caguid")))
        other = f"{self.folder}/other.ibsim"
        with open(other, "w", encoding="utf-8") as file:
            file.write(text)
        with Ibsim(other) as sim:
            self.assertTrue(self.verify(sim, "--identity", "name")["matches"])
            self.assertFalse(self.verify(sim, "--identity", "guid")["matches"])
            names = {}
            with open(self.discover(sim), encoding="utf-8") as file:
                for line in file:
                    if line.startswith(("Switch\t", "Ca\t")):
                        guid, name = line.split('"')[1], line.split('"')[3]
                        names[guid[2:]] = name
            path = f"{self.folder}/guids"
            with open(path, "w", encoding="utf-8") as file:
                for guid, name in names.items():
                    file.write(f'0x{guid} "{name}"\n')
            self.assertTrue(self.verify(sim, "--identity", "map", "--guids",
                                        path)["matches"])


class Faults(Fabric):
    def test_missing_cable(self):
        sim = self.start("sf:q=5")
        a, b = self.cables[40]
        self.unlink(sim, a)
        result = self.verify(sim)
        self.assertEqual(self.verdicts(result), ["missing"])
        ends = {(e["node"], e["port"])
                for e in result["findings"][0]["ends"]}
        self.assertEqual(ends, {a, b})
        self.assertEqual([m["kind"] for m in result["moves"]], ["plug"])
        self.mend(sim, result)

    def test_one_end_in_a_spare_port(self):
        sim = self.start("sf:q=5", "--switch-ports", "16")
        a, b = self.cables[33]
        self.unlink(sim, a)
        self.link(sim, a, (b[0], 15))
        result = self.verify(sim)
        self.assertEqual(self.verdicts(result), ["misconnected"])
        move, = result["moves"]
        self.assertEqual((move["from"]["node"], move["from"]["port"]),
                         (b[0], 15))
        self.assertEqual((move["to"]["node"], move["to"]["port"]), b)
        self.assertEqual((move["cable"]["node"], move["cable"]["port"]), a)
        self.mend(sim, result)

    def test_doubled_cable(self):
        sim = self.start("sf:q=5", "--switch-ports", "16")
        a, b = self.cables[20]
        self.link(sim, (a[0], 16), (b[0], 16))
        result = self.verify(sim)
        self.assertEqual(self.verdicts(result), ["duplicate"])
        self.assertEqual([m["kind"] for m in result["moves"]], ["unplug"])
        self.mend(sim, result)

    def test_unexpected_cable(self):
        sim = self.start("sf:q=5", "--switch-ports", "16")
        self.link(sim, ("sf-0-0-0", 16), ("sf-0-3-3", 16))
        result = self.verify(sim)
        self.assertEqual(self.verdicts(result), ["unexpected"])
        self.mend(sim, result)

    def test_swaps_and_rotations(self):
        randoms = random.Random(7)
        for n in 2, 3, 4, 5, 6:
            with self.subTest(n=n):
                sim = self.start("sf:q=5")
                self.rotate(sim, randoms.sample(self.cables, n))
                result = self.verify(sim)
                self.assertEqual(self.verdicts(result), ["misconnected"] * n)
                self.assertEqual(len(result["moves"]), n)
                self.mend(sim, result)

    def test_drawing_shows_the_ports_concerned(self):
        sim = self.start("sf:q=5")
        self.rotate(sim, [self.cables[40], self.cables[170]])
        sim.command('Unlink "node0042"')
        done = harness.slimfly("verify", self.folder, self.discover(sim),
                               "--format", "svg")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        root = xml.etree.ElementTree.fromstring(done.stdout)
        texts = " ".join(e.text for e in root.iter() if e.text)
        for name, _ in self.cables[40] + self.cables[170]:
            self.assertIn(name, texts)
        self.assertIn("node0042", texts)
        lines = [e.get("class") for e in root.iter()
                 if e.tag.endswith("path")]
        # Two of each, and two in the legend; the host has a cable to plug.
        self.assertEqual(lines.count("found"), 3)
        self.assertGreaterEqual(lines.count("planned"), 3)
        subprocess.run(["rsvg-convert", "-o", f"{self.folder}/png"],
                       input=done.stdout, text=True, check=True)

    def test_documented_members_are_there(self):
        with open(f"{harness.ROOT}/doc/formats.md", encoding="utf-8") as doc:
            section = doc.read().split("## Verification, JSON")[1]
        documented = {line.split("`")[1]
                      for line in section.split("\n## ")[0].splitlines()
                      if line.startswith("| `")}
        sim = self.start("sf:q=5")
        self.rotate(sim, self.cables[10:12])
        result = self.verify(sim)
        found = set(result)
        for key in "findings", "moves":
            found |= {f"{key}[].{member}" for item in result[key]
                      for member in item}
        self.assertEqual(documented - found, {"findings[].planned_rates",
                                              "findings[].found_rates",
                                              "notes"})
        self.assertEqual(found - documented, set())

    def test_dead_switch(self):
        sim = self.start("sf:q=5")
        sim.command('Unlink "sf-1-2-3"')
        result = self.verify(sim)
        self.assertIn("missing_switch", self.verdicts(result))
        self.assertIn("sf-1-2-3", {e["node"] for f in result["findings"]
                                   if f["verdict"] == "missing_switch"
                                   for e in f["ends"]})
        sim.command('ReLink "sf-1-2-3"')
        self.assertTrue(self.verify(sim)["matches"])

    def test_dead_host(self):
        sim = self.start("sf:q=4")
        sim.command('Unlink "node0042"')
        self.assertIn("missing_host", self.verdicts(self.verify(sim)))

    def test_exchanged_switches(self):
        sim = self.start("sf:q=5")
        one, two = "sf-0-1-1", "sf-0-3-2"
        peers = {}
        with open(f"{self.folder}/plan.json", encoding="utf-8") as file:
            for cable in json.load(file)["cables"]:
                for x, y in ("ab", "ba"):
                    end = cable[x]["node"], cable[x]["port"]
                    peers[end] = cable[y]["node"], cable[y]["port"]
        sim.command(f'Unlink "{one}"')
        sim.command(f'Unlink "{two}"')
        for port in range(1, 12):
            self.link(sim, (one, port), peers[two, port])
            self.link(sim, (two, port), peers[one, port])
        result = self.verify(sim)
        self.assertIn("exchanged", self.verdicts(result))
        exchanged, = (f for f in result["findings"]
                      if f["verdict"] == "exchanged")
        self.assertEqual({e["node"] for e in exchanged["ends"]}, {one, two})
        self.mend(sim, result)

    def test_slower_cable(self):
        self.start("sf:q=4")
        with open(f"{self.folder}/fabric.ibsim", encoding="utf-8") as file:
            text = file.read()
        a, b = self.cables[5]
        # Both lines of one cable run at FDR.
        for x, y in ((a, b), (b, a)):
            start = text.index(f'"{x[0]}"\n')
            line = text.index(f'[{x[1]}]\t"{y[0]}"[{y[1]}]', start)
            rate = text.index("4xEDR", line)
            text = text[:rate] + "4xFDR" + text[rate + 5:]
        slow = f"{self.folder}/slow.ibsim"
        with open(slow, "w", encoding="utf-8") as file:
            file.write(text)
        with Ibsim(slow) as sim:
            self.assertEqual(self.verdicts(self.verify(sim)), ["different"])
            self.assertTrue(self.verify(sim, "--ignore-rates")["matches"])

    def test_random_faults_are_mended_by_the_moves(self):
        randoms = random.Random(2026)
        for spec in ("sf:q=5", "sf:q=4", "sf:q=7",
                     "ft2:leaf=12,core=6,up=3"):
            sim = self.start(spec)
            for trial in range(5):
                with self.subTest(spec=spec, trial=trial):
                    cables = randoms.sample(self.cables, 9)
                    self.rotate(sim, cables[:randoms.randint(2, 4)])
                    self.rotate(sim, cables[4:7])
                    self.unlink(sim, cables[7][0])
                    if randoms.random() < 0.5:
                        self.unlink(sim, cables[8][0])
                    result = self.verify(sim)
                    self.assertFalse(result["matches"])
                    self.mend(sim, result)

    def test_nothing_known_but_the_wiring(self):
        # No names, no GUIDs of the plan: told by structure alone.
        self.start("sf:q=5")
        with open(f"{self.folder}/fabric.ibsim", encoding="utf-8") as file:
            lines = [line for line in file
                     if not line.startswith(("switchguid", "caguid"))]
        names = {line.split('"')[1] for line in lines
                 if line.startswith(("Switch", "Hca"))}
        shuffled = sorted(names)
        random.Random(5).shuffle(shuffled)
        alias = {name: f"x{i}" for i, name in enumerate(shuffled)}
        text = "".join(lines)
        for name in names:
            text = text.replace(f'"{name}"', f'"{alias[name]}"')
        anonymous = f"{self.folder}/anonymous.ibsim"
        with open(anonymous, "w", encoding="utf-8") as file:
            file.write(text)
        with Ibsim(anonymous) as sim:
            result = self.verify(sim)
            self.assertTrue(result["matches"], result["findings"][:3])
            a, b = self.cables[30], self.cables[60]
            moved = [(alias[n], p) for n, p in (a[0], a[1], b[0], b[1])]
            self.rotate(sim, [(moved[0], moved[1]), (moved[2], moved[3])])
            result = self.verify(sim)
            self.assertEqual(self.verdicts(result), ["misconnected"] * 2)


class Watch(Fabric):
    def watch(self, sim, *options):
        process = subprocess.Popen(
            [harness.PROGRAM, "watch", self.folder, "--interval", "0.05",
             "--format", "jsonl", *options], env=sim.env(), cwd=sim.folder,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        return process

    def until(self, process, wanted):
        """Reads states until one is as wanted."""
        deadline = time.monotonic() + harness.PATIENCE
        while time.monotonic() < deadline:
            line = process.stdout.readline()
            if not line:
                self.fail(f"ended: {process.stderr.read()}")
            state = json.loads(line)
            if wanted(state):
                return state
        self.fail("waited in vain")
        return None

    def test_follows_the_wiring_to_its_end(self):
        sim = self.start("sf:q=4")
        with open(f"{self.folder}/plan.json", encoding="utf-8") as file:
            labels = [c["label"] for c in json.load(file)["cables"]
                      if c["step"] > 0]
        wrong = self.cables[:2]
        for a, _ in wrong:
            self.unlink(sim, a)
        process = self.watch(sim)
        n = len(labels) + 96
        state = self.until(process, lambda s: s["discovered"])
        self.assertEqual(state["cables"], {"planned": n, "right": n - 2})
        self.assertEqual(state["wrong"], [])
        # Crosswise: both are wrong, each with its move.
        self.link(sim, wrong[0][0], wrong[1][1])
        self.link(sim, wrong[1][0], wrong[0][1])
        state = self.until(process, lambda s: len(s["wrong"]) == 2)
        self.assertEqual({w["verdict"] for w in state["wrong"]},
                         {"misconnected"})
        self.assertTrue(all(w["move"] for w in state["wrong"]))
        for a, _ in wrong:
            self.unlink(sim, a)
        self.link(sim, *wrong[0])
        state = self.until(process, lambda s: s["plugged"])
        self.assertEqual(state["plugged"], [labels[0]])
        self.link(sim, *wrong[1])
        state = self.until(process, lambda s: s["matches"])
        self.assertEqual(process.wait(harness.PATIENCE), 0)

    def test_ends_well_when_interrupted(self):
        sim = self.start("sf:q=4")
        self.unlink(sim, self.cables[3][0])
        process = self.watch(sim)
        self.until(process, lambda s: s["discovered"])
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(harness.PATIENCE), 1)
        self.assertEqual(process.stderr.read(), "")

    def test_survives_a_discovery_that_fails_once(self):
        sim = self.start("sf:q=4")
        mark = f"{self.folder}/mark"
        process = self.watch(
            sim, "--exec", f"[ -e {mark} ] && ibnetdiscover || "
            f"{{ touch {mark}; echo broken >&2; exit 1; }}")
        state = self.until(process, lambda s: not s["discovered"])
        self.assertIn("broken", state["failure"])
        self.until(process, lambda s: s["matches"])
        self.assertEqual(process.wait(harness.PATIENCE), 0)

    def test_text_for_people(self):
        sim = self.start("sf:q=4")
        done = sim.run(harness.PROGRAM, "watch", self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("192 of 192 cables are right", done.stdout)
        self.assertIn("all is wired as planned", done.stdout)

    def test_gives_up_when_there_is_nothing(self):
        self.start("sf:q=4")
        self.fails_with = harness.slimfly(
            "watch", self.folder, "--interval", "0", "--exec", "exit 3")
        self.assertEqual(self.fails_with.returncode, 2)
        self.assertIn("10 times in a row", self.fails_with.stderr)

    def test_a_discovery_that_hangs_is_ended(self):
        self.start("sf:q=4")
        started = time.monotonic()
        done = harness.slimfly("watch", self.folder, "--interval", "0",
                               "--timeout", "1", "--format", "jsonl",
                               "--exec", "sleep 6000 & sleep 6000")
        self.assertEqual(done.returncode, 2)
        self.assertIn("did not end within 1 seconds", done.stdout)
        self.assertLess(time.monotonic() - started, 600)


class BadInput(harness.Case):
    def test_what_cannot_be_read_is_said(self):
        with tempfile.TemporaryDirectory() as folder:
            self.succeeds("plan", "sf:q=3", "-o", folder)
            empty = f"{folder}/empty"
            with open(empty, "w", encoding="utf-8"):
                pass
            text = f"{folder}/fabric.ibnetdiscover"
            for args, says in [
                    ([], "expected a plan and what was discovered"),
                    ([folder], "found 1 words"),
                    ([folder, f"{empty}x"], f"{empty}x: No such file"),
                    ([f"{empty}x", text], f"{empty}x: No such file"),
                    ([folder, empty], f"{empty}:1: expected at least one"),
                    ([empty, text], f"{empty}:1: expected JSON"),
                    (["sf:q=6", text], "q = 6 is not a prime power"),
                    ([text, text], "expected JSON"),
                    ([folder, f"{folder}/plan.json"],
                     "plan.json: expected what was discovered, and this is a "
                     "plan"),
                    ([folder, folder], "this is a plan"),
                    ([folder, f"{folder}/diagrams"],
                     "diagrams: expected fabric.ibnetdiscover or opensm"),
                    ([text, folder],
                     f"plan comes first: slimfly verify {folder} {text}"),
                    ([text, "sf:q=3"], "slimfly verify sf:q=3 "),
                    ([folder, text, "--guids", empty + "x"], "No such file"),
                    ([folder, text, "--guids", empty],
                     f"{empty}: expected lines 0xGUID"),
                    ([folder, text, "--identity", "map"], "--guids FILE"),
                    ([folder, text, "--identity", "luck"], "expected one of"),
                    ([folder, text, "--timeout", "0"], "whole number from 1"),
            ]:
                with self.subTest(args=args):
                    self.fails("verify", *args, says=says)
            with open(empty, "w", encoding="utf-8") as file:
                file.write("zzz\n")
            self.fails("verify", folder, text, "--guids", empty,
                       says=f"{empty}:1:")

    def test_a_spec_serves_as_a_plan(self):
        with tempfile.TemporaryDirectory() as folder:
            self.succeeds("plan", "sf:q=3", "-o", folder)
            text = self.succeeds("verify", "sf:q=3",
                                 f"{folder}/fabric.ibnetdiscover")
            self.assertTrue(text.startswith("OK: "))


if __name__ == "__main__":
    harness.main()
