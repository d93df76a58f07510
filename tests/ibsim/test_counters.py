"""Counters of a simulated fabric: compared with perfquery and ibqueryerrors on
the same ports; ports that are up and do not answer; metrics, judged by
promtool.

Arguments: the program.
"""
import csv
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "cli"))
import harness  # noqa: E402
from ibsim import PATIENCE, Ibsim  # noqa: E402
from opensm import OpenSM  # noqa: E402

ALERTS = f"{harness.ROOT}/data/alerts.yml"
THRESHOLDS = f"{harness.ROOT}/data/thresholds.json"
# What ibsim keeps of a port: the names of perfquery, and limits.
ERRORS = {"SymbolErrorCounter": 65535, "LinkErrorRecoveryCounter": 255,
          "LinkDownedCounter": 255, "PortRcvErrors": 65535,
          "PortRcvRemotePhysicalErrors": 65535,
          "PortRcvSwitchRelayErrors": 65535, "PortXmitDiscards": 65535,
          "PortXmitConstraintErrors": 255, "PortRcvConstraintErrors": 255,
          "LocalLinkIntegrityErrors": 15, "ExcessiveBufferOverrunErrors": 15,
          "VL15Dropped": 65535}
TRAFFIC = {"PortXmitData": "PortXmitBytes", "PortRcvData": "PortRcvBytes"}


class Fabric(harness.Case):
    """A planned fabric in ibsim that a stock OpenSM has brought up."""

    def start(self, spec, **sizes):
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.work = work.name
        self.succeeds("plan", spec, "-o", f"{self.work}/plan")
        self.sim = Ibsim(f"{self.work}/plan/fabric.ibsim", **sizes)
        self.addCleanup(self.sim.stop)

    def manager(self):
        """A stock OpenSM that has brought the subnet up."""
        opensm = OpenSM(self.sim, f"{self.work}/opensm", host="node0001",
                        routing_engine="minhop,no_fallback")
        self.addCleanup(opensm.stop)
        opensm.wait_up()
        return opensm

    def bring_up(self):
        """The same; it has gone when this returns, tables and LIDs stay."""
        self.manager().stop()

    def counters(self, *args, code=0, says=""):
        """What 'slimfly counters' says as JSON."""
        done = self.sim.run(harness.PROGRAM, "counters", *(args or ("live",)),
                            "--format", "json")
        self.assertEqual(done.returncode, code, done.stdout[:2000]
                         + done.stderr)
        self.assertIn(says, done.stderr)
        return json.loads(done.stdout)

    def lid(self, name):
        found = re.search(rf'"{name}" base port 0 lid (\d+)',
                          self.sim.run("ibnetdiscover").stdout)
        return found[1]

    def perfquery(self, *args):
        """What perfquery prints, as numbers by name."""
        done = self.sim.run("perfquery", *args)
        return {name: int(value) for name, value in re.findall(
            r"^(\w+):\.*(\d+)$", done.stdout, re.M)}

    def set(self, node, port, **values):
        for name, value in values.items():
            group = ("PortCountersExtended" if name.startswith("Ext") else
                     "PortCounters")
            self.sim.command(f'PerformanceSet "{node}"[{port}] '
                             f'{group}.{name.removeprefix("Ext")}={value}')


def find(result, node, port):
    """The port of a result."""
    (found,) = (p for p in result["ports"]
                if (p["port"]["node"], p["port"]["port"]) == (node, port))
    return found


class Reading(Fabric):
    def test_it_agrees_with_the_tools(self):
        self.start("sf:q=5")
        self.manager()  # ibqueryerrors asks it.
        ports = [("sf-0-0-1", 5), ("sf-0-0-1", 1), ("sf-1-4-4", 11)]
        for i, (node, port) in enumerate(ports):
            self.set(node, port, **{
                name: (17 * i + 3 * k) % limit + 1
                for k, (name, limit) in enumerate(ERRORS.items())})
        self.set("sf-1-4-4", 11, VL15Dropped=65535, LocalLinkIntegrityErrors=15,
                 ExtPortXmitData=10 ** 15)
        lids = {node: self.lid(node) for node, _ in ports}
        before = [self.perfquery("-x", lids[n], str(p)) for n, p in ports]
        errors = [self.perfquery(lids[n], str(p)) for n, p in ports]
        result = self.counters(code=1)
        after = [self.perfquery("-x", lids[n], str(p)) for n, p in ports]
        self.assertEqual(result["ports_by_answer"], {
            "given": 750, "none": 0, "refused": 0, "not_asked": 0})
        for i, (node, port) in enumerate(ports):
            found = find(result, node, port)
            for name in ERRORS:
                self.assertEqual(found["counters"][name], errors[i][name],
                                 (node, port, name))
            for theirs, ours in TRAFFIC.items():
                # Each question counts itself.
                self.assertLessEqual(4 * before[i][theirs],
                                     found["counters"][ours])
                self.assertLessEqual(found["counters"][ours],
                                     4 * after[i][theirs])
        self.assertEqual(find(result, "sf-1-4-4", 11)["saturated"],
                         ["LocalLinkIntegrityErrors", "VL15Dropped"])
        self.assertGreaterEqual(
            find(result, "sf-1-4-4", 11)["counters"]["PortXmitBytes"],
            4 * 10 ** 15)
        # Nothing was cleared.
        self.assertEqual(self.perfquery(lids["sf-0-0-1"], "5")
                         ["SymbolErrorCounter"], errors[0]
                         ["SymbolErrorCounter"])
        self.check_other_formats(errors[0])
        self.check_ibqueryerrors()

    def check_other_formats(self, errors):
        """Of the port 5 of sf-0-0-1."""
        done = self.sim.run(harness.PROGRAM, "counters", "live", "--format",
                            "csv", "--no-probe")
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        self.assertEqual(len(rows), 750)
        (row,) = (r for r in rows if (r["node"], r["port"]) ==
                  ("sf-0-0-1", "5"))
        self.assertEqual((row["peer"], row["peer_port"]), ("sf-0-0-2", "6"))
        for name in ERRORS:
            self.assertEqual(int(row[name]), errors[name])
        done = self.sim.run(harness.PROGRAM, "counters", "live", "--plan",
                            f"{self.work}/plan")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertRegex(done.stdout, "^50 switches, 200 hosts: 750 of 750 "
                         "ports told their counters\n")
        self.assertIn("\nwarning   sf-1-4-4 port 11 (R4 U11) to ",
                      done.stdout)
        self.assertIn(": LocalLinkIntegrityErrors is at least 15, more than "
                      "10\n          There were many receive errors",
                      done.stdout)

    def check_ibqueryerrors(self):
        """With nothing allowed, both name the same counters."""
        with open(THRESHOLDS, encoding="utf-8") as file:
            thresholds = json.load(file)
        thresholds["counters"] = {name: {"total": 0, "severity": "warning"}
                                  for name in ERRORS}
        path = f"{self.work}/thresholds.json"
        with open(path, "w", encoding="utf-8") as file:
            json.dump(thresholds, file)
        ours = {(f["ends"][0]["guid"], f["ends"][0]["port"], f["counter"],
                 f["value"]) for f in self.counters(
                     "live", "--thresholds", path, "--no-probe",
                     code=1)["findings"]}
        theirs = set()
        for _ in range(50):  # It crashes now and then.
            done = self.sim.run("ibqueryerrors")
            if done.returncode >= 0:
                break
            slot = re.search(r"attached as client (\d+)", done.stderr)
            self.sim.command(f"X {slot[1]}")
        for guid, port, found in re.findall(
                r"GUID (0x\w+) port (\d+): (.*)", done.stdout):
            for name, value in re.findall(r"\[(\w+) == (\d+)", found):
                if name in ERRORS:
                    theirs.add((f"0x{int(guid, 16):016x}", int(port), name,
                                int(value)))
        self.assertEqual(len(ours), 3 * len(ERRORS))
        self.assertEqual(ours, theirs)

    def test_a_fabric_that_is_known_already(self):
        self.start("sf:q=3")
        self.bring_up()
        path = f"{self.work}/found"
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.sim.run("ibnetdiscover").stdout)
        found, live = (self.counters(word) for word in (path, "live"))
        self.assertEqual(found["ports_by_answer"], live["ports_by_answer"])
        # Ours is in the order of GUIDs, ibnetdiscover's is not.
        found, live = (sorted((p["port"]["node"], p["port"]["port"])
                              for p in result["ports"])
                       for result in (found, live))
        self.assertEqual(found, live)

    def test_nothing_has_a_lid(self):
        self.start("sf:q=3")
        done = self.sim.run(harness.PROGRAM, "counters", "live")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("nothing in 'live' has a LID", done.stderr)

    def test_other_families(self):
        for spec in ("ft2:leaf=4,core=2,up=2,p=2", "ft3:ports=4",
                     "hx2:3x3,p=1", "df:a=2,h=1,p=1", "xpander:k=3,lift=3",
                     "jellyfish:n=8,k=3,seed=1", "pf:q=3"):
            with self.subTest(spec=spec):
                self.start(spec)
                self.bring_up()
                result = self.counters("live", "--plan", f"{self.work}/plan")
                answers = result["ports_by_answer"]
                self.assertEqual(answers["given"], len(result["ports"]))
                self.sim.stop()

    @harness.long
    def test_a_large_fabric(self):
        self.start("sf:q=11", nodes=3000, switches=300, ports=20000)
        self.bring_up()
        result = self.counters("live", "--interval", "1")
        self.assertEqual(result["ports_by_answer"]["given"], 8470)
        self.assertEqual(len(result["loads"]), 8470)


class Growth(Fabric):
    """Two readings with something in between."""

    def between(self, change, interval):
        """Runs the command; 'change' is called between its readings."""
        process = subprocess.Popen(
            [harness.PROGRAM, "counters", "live", "--plan",
             f"{self.work}/plan", "--interval", str(interval), "--format",
             "json", "--progress", "always", "--no-probe"],
            env=self.sim.env(), cwd=self.sim.folder, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: process.poll() is not None or process.kill())
        said = ""
        while "waiting for the second" not in said:
            letter = process.stderr.read(1)
            if not letter:
                break
            said += letter
        is_stopped = harness.stop(process)
        change()
        if is_stopped:
            process.send_signal(signal.SIGCONT)
        out, err = process.communicate(timeout=PATIENCE)
        self.assertIn(process.returncode, (0, 1), said + err)
        return json.loads(out)

    def test_growth_resets_and_hot_links(self):
        self.start("sf:q=5")
        self.bring_up()
        for interval in 3, 30, 300:
            result = self.between_changes(interval)
            # A busy machine may begin the second reading before the change.
            if find(result, "sf-0-0-1", 5)["growth"]["counters"][
                    "SymbolErrorCounter"]:
                break
        self.check_growth(result)

    def between_changes(self, interval):
        self.set("sf-0-0-1", 5, SymbolErrorCounter=100)
        self.set("sf-0-0-1", 6, SymbolErrorCounter=100, LinkDownedCounter=9)
        self.set("sf-0-0-1", 7, SymbolErrorCounter=100)
        self.set("sf-0-0-2", 5, PortRcvErrors=65530)
        # One link is full of it, and hosts send enough to compare with.
        traffic = {("sf-0-0-3", 8): 2 * 10 ** 12}
        traffic.update({(f"node{i:04}", 1): 10 ** 12
                        for i in range(0, 200, 20)})
        for node, port in traffic:
            self.set(node, port, ExtPortXmitData=0)

        def change():
            self.set("sf-0-0-1", 5, SymbolErrorCounter=150)
            self.set("sf-0-0-1", 6, SymbolErrorCounter=3,
                     LinkDownedCounter=10)
            self.set("sf-0-0-2", 5, PortRcvErrors=65535)
            for (node, port), words in traffic.items():
                self.set(node, port, ExtPortXmitData=words)
        return self.between(change, interval)

    def check_growth(self, result):
        found = {(f["kind"], f["ends"][0]["node"], f["ends"][0]["port"],
                  f.get("counter")): f for f in result["findings"]}
        grown = found[("counter", "sf-0-0-1", 5, "SymbolErrorCounter")]
        self.assertEqual((grown["value"], grown["is_growth"],
                          grown["at_least"]), (50, True, False))
        self.assertEqual(grown["ends"][1]["node"], "sf-0-0-2")
        self.assertEqual(grown["ends"][0]["rack"], "R0")
        self.assertEqual(grown["cable"], "C00203")
        downed = found[("counter", "sf-0-0-1", 6, "LinkDownedCounter")]
        self.assertEqual((downed["severity"], downed["value"]),
                         ("critical", 1))
        old = found[("old_counter", "sf-0-0-1", 7, "SymbolErrorCounter")]
        self.assertEqual((old["severity"], old["value"]), ("note", 100))
        full = found[("counter", "sf-0-0-2", 5, "PortRcvErrors")]
        self.assertEqual((full["value"], full["at_least"]), (5, True))
        self.assertEqual(found[("reset", "sf-0-0-1", 6, None)]["ports"], 1)
        growth = find(result, "sf-0-0-1", 6)["growth"]
        self.assertEqual((growth["reset"], growth["counters"]
                          ["SymbolErrorCounter"]),
                         (["SymbolErrorCounter"], 3))
        hot = found[("hot", "sf-0-0-3", 8, None)]
        self.assertGreater(hot["times"], 2)
        self.assertEqual(result["loads"][0]["from"]["node"], "sf-0-0-3")
        self.assertGreater(result["host_bytes_per_second"], 10 ** 6)


class BlackHoles(Fabric):
    def test_a_disabled_port(self):
        self.start("sf:q=5")
        self.bring_up()
        self.sim.run("ibportstate", self.lid("sf-0-0-1"), "5", "disable")
        result = self.counters("live", "--plan", f"{self.work}/plan", code=1)
        (hole,) = (f for f in result["findings"] if f["kind"] == "black_hole")
        self.assertEqual({(e["node"], e["port"], e["rack"])
                          for e in hole["ends"]},
                         {("sf-0-0-1", 5, "R0"), ("sf-0-0-2", 6, "R0")})
        self.assertEqual((hole["severity"], hole["cable"], hole["silent"],
                          hole["sweeps"]), ("critical", "C00203", 7, 7))
        self.assertRegex(hole["drain"],
                         r"^slimfly drain sf-0-0-(1:5|2:6)$")
        self.assertIn(hole["drain"], hole["remedy"])
        # What lies behind it by LID does not answer, and all else does.
        silent = [f for f in result["findings"] if f["kind"] == "no_answer"]
        n_silent = result["ports_by_answer"]["none"]
        self.assertGreater(n_silent, 0)
        self.assertEqual(n_silent, sum(f["ports"] + f["hosts"]
                                       for f in silent))
        self.assertEqual(result["ports_by_answer"]["given"], 750 - n_silent)
        # Without a plan, each end is seen by itself.
        result = self.counters("live", "--no-probe", code=1)
        self.assertNotIn("black_hole",
                         {f["kind"] for f in result["findings"]})
        result = self.counters("live", code=1)
        self.assertEqual({(f["ends"][0]["node"], f["ends"][0]["port"])
                          for f in result["findings"]
                          if f["kind"] == "black_hole"},
                         {("sf-0-0-1", 5), ("sf-0-0-2", 6)})
        done = self.sim.run(harness.PROGRAM, "counters", "live",
                            "--prometheus")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(len(re.findall(r"^slimfly_port_black_hole\{.*\} 1$",
                                        done.stdout, re.M)), 2)

    def test_a_cable_that_is_pulled_is_none(self):
        self.start("sf:q=3")
        self.bring_up()
        self.sim.command('Unlink "sf-0-1-1"[6]')
        done = self.sim.run(harness.PROGRAM, "counters", "live", "--format",
                            "json")
        self.assertNotIn("black_hole", {f["kind"] for f in json.loads(
            done.stdout)["findings"]})

    def test_a_host_that_hangs(self):
        self.start("sf:q=3")
        self.bring_up()
        self.sim.command('Error "node0005" 100')
        result = self.counters("live", "--plan", f"{self.work}/plan",
                               "--answer-within", "50", code=1)
        (hole,) = (f for f in result["findings"] if f["kind"] == "black_hole")
        self.assertEqual(hole["ends"][1]["node"], "node0005")
        self.assertIsNone(hole["drain"])


class Metrics(Fabric):
    def test_metrics(self):
        self.start("sf:q=5")
        self.bring_up()
        self.set("sf-0-0-1", 5, SymbolErrorCounter=65535)
        path = f"{self.work}/slimfly.prom"
        for _ in range(2):  # The second run replaces the first one's file.
            done = self.sim.run(harness.PROGRAM, "counters", "live", "--plan",
                                f"{self.work}/plan", "--interval", "0.5",
                                "--prometheus", "-o", path)
            self.assertEqual((done.returncode, done.stdout, done.stderr),
                             (0, "", ""))
        self.assertEqual([name for name in os.listdir(self.work)
                          if name.startswith("slimfly.prom")],
                         ["slimfly.prom"])
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for name, n in (("infiniband_switch_port_symbol_error_total", 550),
                        ("infiniband_hca_port_receive_data_bytes_total", 200),
                        ("infiniband_switch_uplink_info", 550),
                        ("infiniband_switch_port_rate_bytes_per_second", 550),
                        ("slimfly_link_load_ratio", 750),
                        ("slimfly_link_predicted_bytes_per_second", 750),
                        ("slimfly_node_place_info", 250),
                        ("slimfly_port_saturated", 1)):
            self.assertEqual(text.count(f"\n{name}{{"), n, name)
        lid = self.lid("sf-0-0-1")
        words = self.perfquery("-x", lid, "5")["PortXmitData"]
        guid = re.search(r'slimfly_node_place_info\{guid="(0x\w+)",'
                         r'node="sf-0-0-1",rack="R0"', text)[1]
        told = int(re.search(
            r'infiniband_switch_port_transmit_data_bytes_total\{guid="'
            + guid + r'",port="5"\} (\d+)', text)[1])
        self.assertLessEqual(told, 4 * words)
        self.assertGreater(told, 2 * words)
        self.assertIn(f'infiniband_switch_uplink_info{{guid="{guid}",'
                      'port="5",switch="sf-0-0-1",uplink="sf-0-0-2",', text)
        self.check_promtool("metrics", stdin=text)

    def check_promtool(self, what, *args, stdin=""):
        if not shutil.which("promtool"):
            self.skipTest("no promtool")
        done = subprocess.run(["promtool", "check", what, *args], input=stdin,
                              capture_output=True, text=True,
                              timeout=PATIENCE, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)

    def test_rules_of_alerts(self):
        self.check_promtool("rules", ALERTS)
        # They speak of metrics that there are.
        with open(ALERTS, encoding="utf-8") as file:
            named = set(re.findall(r"\b(?:infiniband|slimfly)_\w+",
                                   re.sub(r"#.*", "", file.read())))
        self.start("sf:q=3")
        self.bring_up()
        self.set("sf-0-0-1", 5, SymbolErrorCounter=65535)
        done = self.sim.run(harness.PROGRAM, "counters", "live", "--interval",
                            "0.5", "--prometheus")
        known = set(re.findall(r"^# TYPE (\w+)", done.stdout, re.M))
        self.assertEqual(named - known, set())


class Usage(harness.Case):
    def test_wrong_words(self):
        self.fails("counters", says="expected the word live or a fabric")
        self.fails("counters", "live", "tables", says="expected --interval")
        self.fails("counters", "live", "--prometheus", "--format", "json",
                   says="a format of its own")
        self.fails("counters", "live", "--interval", "0", says="0.1 to")
        self.fails("counters", "/nonexistent", says="/nonexistent")
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/thresholds.json"
            with open(THRESHOLDS, encoding="utf-8") as file:
                text = file.read()
            with open(path, "w", encoding="utf-8") as file:
                file.write(text.replace('"total": 10,', '"total": "10",', 1))
            self.fails("counters", "live", "--thresholds", path,
                       says="counters.SymbolErrorCounter.total: expected a "
                       "whole number")


if __name__ == "__main__":
    harness.main()
