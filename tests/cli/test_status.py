"""slimfly status: is the subnet manager alive?  The status files here are made
up; tests/ibsim/test_takeover.py has real ones.

Argument: the program.
"""
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness  # noqa: E402


def moment(now, ago):
    """The time so many seconds before 'now', as RFC 3339 has it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now - ago))


class Status(harness.Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = f"{folder.name}/status.json"

    def write(self, ago=0, idle=0, **members):
        """Writes a status file of a manager on another machine, whose last
        heartbeat was 'ago' seconds ago; it was idle for 'idle' then."""
        now = time.time()
        status = {
            "schema": "slimfly.status", "schema_version": 1, "state": "up",
            "host": "sm1.example", "pid": 4711, "heartbeat_seconds": 200,
            "heartbeat_at": moment(now, ago),
            "active_at": moment(now, ago + idle),
            "sweep_seconds": 10, "outcome": "anew", "reason": None,
            "missing": {"switches": 0, "links": 0, "hosts": 0},
            "warnings": [], "not known yet": [1, {"two": 3}], **members}
        with open(self.path, "w", encoding="utf-8") as file:
            json.dump(status, file)

    def judge(self, *args):
        """The exit code and what JSON says, of which text must say the
        same."""
        done = harness.slimfly("status", self.path, "--format", "json", *args)
        self.assertEqual(done.stderr, "")
        result = json.loads(done.stdout)
        text = harness.slimfly("status", self.path, *args)
        self.assertEqual((text.returncode, text.stderr),
                         (done.returncode, ""))
        self.assertTrue(text.stdout.startswith(result["verdict"] + ": OpenSM "
                                               f"on {result['host']}"))
        for reason in result["reasons"]:
            # Seconds go on while we ask.
            self.assertIn(re.sub(r"\d+", "", reason),
                          re.sub(r"\d+", "", text.stdout))
        return done.returncode, result

    def check(self, code, verdict, *says, args=()):
        """The verdict must be this one, for reasons that say this."""
        found, result = self.judge(*args)
        self.assertEqual((found, result["verdict"]), (code, verdict),
                         result["reasons"])
        self.assertEqual(len(result["reasons"]), len(says),
                         result["reasons"])
        for part, reason in zip(says, result["reasons"]):
            self.assertIn(part, reason)
        return result

    def test_a_manager_that_leads_is_fine(self):
        self.write(missing={"switches": 1, "links": 7, "hosts": 4},
                   outcome="repaired")
        result = self.check(0, "fine")
        self.assertEqual((result["pid"], result["state"], result["outcome"],
                          result["missing"]["links"]),
                         (4711, "up", "repaired", 7))
        self.assertIn("missing: switches: 1, links: 7, hosts: 4",
                      self.succeeds("status", self.path))
        self.write(state="routed", outcome="kept")
        self.check(0, "fine")

    def test_a_standby_is_fine_whatever_it_routed_before(self):
        self.write(state="standby", outcome="fallback", sweep_seconds=1,
                   warnings=["cannot route as asked: it rains"])
        self.check(0, "fine")
        self.assertIn("stands by", self.succeeds("status", self.path))

    def test_what_is_to_be_mended_is_a_warning(self):
        self.write(outcome="fallback", reason="too few lanes",
                   warnings=["cannot route as asked: too few lanes. Routed up "
                             "and down a tree instead", "and it rains"])
        self.check(1, "degraded", "cannot route as asked: too few lanes",
                   "and it rains")
        self.write(outcome="held", reason="it rains")
        self.check(1, "degraded", "not routed as asked: it rains")
        self.write(state="failed", outcome=None, reason="set qos TRUE")
        self.check(1, "degraded", "it routes nothing: set qos TRUE")
        self.write(state="started", outcome=None)
        self.check(1, "degraded", "it has not routed yet")

    def test_a_manager_without_a_heartbeat_is_dead(self):
        self.write(ago=3600)
        self.check(2, "dead", "its last heartbeat was 36")
        self.check(0, "fine", args=("--max-age", "80000"))
        self.write(ago=3600, state="standby")
        self.check(2, "dead", "its last heartbeat was 36")
        # Clocks that differ prove nothing.
        self.write(ago=-3600)
        self.check(2, "dead", "ahead of the clock of this machine")
        self.write(state="ended", warnings=["it rains"])
        self.check(2, "dead", "it has ended")

    def test_a_manager_that_hangs_is_dead(self):
        self.write(idle=3 * 10 + 3 * 200)
        self.check(0, "fine")
        self.write(idle=3 * 10 + 3 * 200 + 1)
        self.check(2, "dead", "it hangs: it has sent nothing to the fabric "
                   "for 631 s, and should every 10 s")
        self.write(idle=5000, sweep_seconds=0)
        self.check(0, "fine")

    def test_a_process_of_this_machine_is_looked_for(self):
        with subprocess.Popen(["true"]) as process:
            gone = process.pid
        for pid, code in (os.getpid(), 0), (1, 0), (gone, 2):
            self.write(host=socket.gethostname(), pid=pid)
            self.assertEqual(self.judge()[0], code, pid)
        self.check(2, "dead", f"there is no process {gone} on this machine")

    def test_traps(self):
        trap = {"number": 128, "vendor": 0, "changes": 0, "node": "sf-0-0-1",
                "guid": "0x0002c90000000011", "lid": 17, "last": 9,
                "count": 3, "first_at": "2026-01-31T12:00:00Z",
                "last_at": "2026-01-31T12:05:00Z"}
        self.write(traps={"seen": 9, "latest": [
            trap, {**trap, "number": 144, "count": 1, "node": None},
            {**trap, "number": 0, "vendor": 0x2c9, "device": 4115,
             "count": 1}]})
        result = self.check(0, "fine")
        self.assertEqual(result["traps"]["seen"], 9)
        self.assertEqual(result["traps"]["latest"][0]["text"],
                         "link state changed at sf-0-0-1")
        text = self.succeeds("status", self.path)
        self.assertIn("traps since OpenSM has started: 9; the latest:\n", text)
        self.assertIn("2026-01-31T12:05:00Z  link state changed at sf-0-0-1 "
                      "(trap 128), 3 times since 2026-01-31T12:00:00Z\n", text)
        self.assertIn("capabilities changed at the port 0x0002c90000000011 "
                      "(trap 144)\n", text)
        self.assertEqual(result["traps"]["latest"][2]["device"], 4115)
        self.assertIn("notice from device 4115 of vendor 0x0002c9 at "
                      "sf-0-0-1\n", text)
        # A long list is cut for people, and whole for programs.
        self.write(traps={"seen": 32, "latest": [trap] * 32})
        self.assertEqual(len(self.judge()[1]["traps"]["latest"]), 32)
        self.assertEqual(
            self.succeeds("status", self.path).count("(trap 128)"), 5)
        # Plugins of before say nothing, and one that has lost memory null.
        self.write(traps=None)
        self.assertEqual(self.check(0, "fine")["traps"],
                         {"seen": 0, "latest": []})

    def test_bad_traps_are_refused(self):
        trap = {"number": 128, "vendor": 0, "changes": 0, "node": None,
                "guid": None, "lid": 0, "last": 1, "count": 1,
                "first_at": "2026-01-31T12:00:00Z",
                "last_at": "2026-01-31T12:05:00Z"}
        for key, value, says in (
                ("number", 70000, "traps.latest[0].number: expected a whole"),
                ("last", -1, "traps.latest[0].last: expected a whole number"),
                ("count", "1", "traps.latest[0].count: expected a whole"),
                ("last_at", "now", "traps.latest[0]: expected times such as")):
            self.write(traps={"seen": 1, "latest": [{**trap, key: value}]})
            self.fails("status", self.path, says=says)
        self.write(traps={"latest": [trap]})
        self.fails("status", self.path, says="traps.seen: expected a whole")

    def test_bad_files_are_refused(self):
        self.fails("status", "/proc/none/status",
                   says="/proc/none/status: No such file")
        self.fails("status", "a", "b", says="expected one status file")
        for members, says in [
                ({"schema": "slimfly.plan"}, "schema: expected slimfly.stat"),
                ({"schema_version": 2}, "schema_version: expected a whole"),
                ({"state": "asleep"}, "state: expected started, routed, up"),
                ({"heartbeat_at": "now"}, "heartbeat_at: expected a time such "
                 "as 2026-01-31T12:00:00Z\n"),
                ({"heartbeat_at": None}, "plugins without a heartbeat"),
                ({"active_at": "2026-01-31T12:00:00Z and"}, "active_at: "),
                ({"pid": 0}, "pid: expected a whole number from 1"),
                ({"host": ""}, "host: expected a text"),
                ({"outcome": 1}, "outcome: expected a text or null"),
                ({"missing": {}}, "missing.switches: expected a whole number"),
                ({"warnings": None}, "warnings: expected an array"),
        ]:
            with self.subTest(members=members):
                self.write(**members)
                self.fails("status", self.path, says=says)
        with open(self.path, "w", encoding="utf-8") as file:
            file.write("{")
        self.fails("status", self.path, says=f"{self.path}:1: expected JSON")

    def test_texts_of_others_cannot_steer_a_terminal(self):
        self.write(host="a\x1b[2Jb", warnings=["c\nd\x07"])
        done = harness.slimfly("status", self.path)
        self.assertEqual(done.returncode, 1)
        self.assertIn("on a?[2Jb,", done.stdout)
        self.assertIn("  c?d?\n", done.stdout)


if __name__ == "__main__":
    harness.main()
