"""The commands of doc/operations.md, one after the other, on a simulated
network with the real OpenSM and the plugin.

Arguments: the program, the folder of the plugin.
"""
import os
import subprocess
import sys
import tempfile
import time

from ibsim import Ibsim
from opensm import OpenSM

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "cli"))
import handbook  # noqa: E402
import harness  # noqa: E402

PLUGIN = sys.argv[2]
# What is run.  Nothing was replaced here, and the monitor is a service.
RUN = {"audit", "bundle", "counters", "design", "diff", "drain", "jobs", "plan",
       "route", "settings", "status", "undrain", "verify", "watch"}
# Words that go with findings, of which the handbook tells: what a larger plan
# has and the network has not; a change that is to be written in steps.
WITH_FINDINGS = {"larger", "next", "--change", "proposed"}
LISTS = "/var/lib/slimfly"


class Handbook(harness.Case):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.addCleanup(self.place.cleanup)
        self.folder = self.place.name
        self.sim = self.opensm = None
        self.addCleanup(self.stop)

    def stop(self):
        """Ends what was started."""
        if self.opensm:
            self.opensm.stop()
        if self.sim:
            self.sim.stop()

    def here(self, word):
        """A word of the handbook, with the machine's folders in ours."""
        for folder in "/etc/slimfly", "/etc/opensm":
            word = word.replace(folder, self.folder + folder)
        return "1" if word == "60" else word  # Seconds between two readings.

    def start_opensm(self):
        """As 'systemctl restart opensm' would, with all links in use."""
        if self.opensm:
            self.opensm.stop()
            if "undrain" in RUN:
                self.type_in(["slimfly", "undrain", "--all"])
        conf = self.here("/etc/opensm")
        self.opensm = OpenSM(self.sim, f"{self.folder}/opensm", PLUGIN,
                             conf=f"{conf}/opensm.conf")
        self.opensm.status_path = f"{conf}/slimfly-status.json"
        self.opensm.wait_status(n_links=175, n_switches=50)

    def keep_lists_here(self):
        """Lists of the machine that options of the plugin name."""
        path = self.here("/etc/opensm/slimfly.conf")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace(LISTS, self.folder))

    def type_in(self, words):
        """Runs a command of slimfly."""
        words = [self.here(word) for word in words]
        if words[1] in ("drain", "undrain"):
            words += ["--conf", self.here("/etc/opensm/slimfly.conf")]
        if words[1] == "status":
            words.append(self.opensm.status_path)
        if words[1] == "jobs":
            with open(f"{self.folder}/jobs", "w", encoding="utf-8") as file:
                file.write("1 ring node[0000-0003]\n")
            words += ["--file", f"{self.folder}/jobs"]
        if words[1] == "bundle":
            words += ["--conf", self.here("/etc/opensm/opensm.conf"), "--log",
                      f"{self.folder}/opensm/log"]
        expected = 1 if words[1] in ("verify", "audit", "diff") and \
            WITH_FINDINGS.intersection(map(os.path.basename, words)) else 0
        deadline = time.monotonic() + harness.PATIENCE
        while True:
            done = subprocess.run(
                [harness.PROGRAM, *words[1:]], cwd=self.folder, text=True,
                stdin=subprocess.DEVNULL, capture_output=True, check=False,
                timeout=harness.PATIENCE,
                env=self.sim.env() if self.sim else None)
            # OpenSM may be at work, and on a busy machine ports may answer
            # too late.
            if words[1] not in ("status", "counters") or \
                    done.returncode == expected or \
                    time.monotonic() > deadline:
                break
            time.sleep(0.1)
        self.assertEqual(done.returncode, expected,
                         (words, done.stdout[-2000:], done.stderr[-2000:]))
        if words[1] == "settings" and "opensm" in words:
            self.keep_lists_here()
        if words[1] == "plan" and not self.sim:
            self.sim = Ibsim(self.here("/etc/slimfly/plan/fabric.ibsim"))
        return done.stdout

    def test_what_it_shows_can_be_typed_in(self):
        said = {}
        for words in handbook.blocks():
            if words == ["systemctl", "restart", "opensm"]:
                self.start_opensm()
            elif words[:1] == ["slimfly"] and words[1] in RUN:
                said.setdefault(words[1], []).append(self.type_in(words))
        self.assertEqual(set(said), RUN)
        # The words that it tells people to look for.
        self.assertTrue(said["audit"][0].startswith("SOUND"), said["audit"])
        self.assertTrue(said["status"][0].startswith("fine"), said["status"])
        self.assertTrue(said["verify"][0].startswith("OK"), said["verify"])
        with open(f"{self.folder}/fault.tar.gz", "rb") as file:
            self.assertEqual(file.read(2), b"\x1f\x8b")
        for name in ("live/fabric.ibnetdiscover", "live/verify.txt",
                     "status.json", "opensm.log", "plan.json", "guids.csv"):
            self.assertIn(name, said["bundle"][0].split("Left out")[0])


harness.main()
