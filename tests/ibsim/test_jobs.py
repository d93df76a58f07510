"""The plugin routes for the jobs of a file, which others change at any time.
Whatever happens, the tables are read back from the switches and audited.

Arguments: the program, the folder of the plugin.
"""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "cli"))
import harness  # noqa: E402
from plugged import Plugged  # noqa: E402


class Jobs(Plugged):
    def start(self, spec, name="opensm", lmc=2, text="", **settings):
        """Plans 'spec', and starts OpenSM with a file of jobs."""
        self.plan(spec)
        self.file = f"{self.work}/jobs"
        self.write(text)
        self.options = f"jobs={self.file} base={self.work}/base"
        opensm = self.manager(name, options=self.options, lmc=lmc, **settings)
        opensm.wait_status()
        return opensm

    def write(self, text):
        """Puts another file into the place of that of the jobs."""
        with open(f"{self.file}.new", "w", encoding="utf-8") as file:
            file.write(text)
        os.rename(f"{self.file}.new", self.file)

    def jobs(self, *words):
        return self.succeeds("jobs", *words, "--file", self.file)

    def wait_jobs(self, opensm, **expected):
        """Until the subnet is up and the jobs of the status are as expected;
        then the status."""
        def holds():
            status = opensm.status()
            found = dict(status.get("jobs") or {})
            found["names"] = [job["name"] for job in found.get("jobs", [])]
            return status.get("state") == "up" and all(
                found.get(key) == value
                for key, value in expected.items()) and status
        return opensm.until(holds, f"jobs {expected}")

    def live(self, *args):
        """The tables of the switches as a folder, and as text."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.audit("--save", folder.name, *args)
        tables = {}
        for name in "lfts", "sl2vl":
            with open(f"{folder.name}/opensm-{name}.dump",
                      encoding="utf-8") as file:
                tables[name] = file.read()
        return folder.name, tables

    def measured(self, folder, first, last):
        """What all-to-all of the hosts of a job gets in the tables."""
        hosts = [f"node{i:04}" for i in range(first, last + 1)]
        with open(f"{self.work}/job.csv", "w", encoding="utf-8") as file:
            for a in hosts:
                for b in hosts:
                    if a != b:
                        file.write(f"{a},{b},{1 / (len(hosts) - 1)}\n")
        result = json.loads(self.succeeds(
            "analyze", folder, folder, "--traffic", f"file:{self.work}/job.csv",
            "--format", "json", "--equal-split"))
        return result

    def test_try(self):
        opensm = self.start("sf:q=5")
        folder, before = self.live()
        self.write("a all-to-all node[0000-0015]\n")
        status = self.wait_jobs(opensm, names=["a"])
        print(json.dumps(status["jobs"]))
        folder, after = self.live("--all-on-sl", "0")
        self.assertEqual(before["sl2vl"], after["sl2vl"])
        self.assertNotEqual(before["lfts"], after["lfts"])
        print(self.measured(folder, 0, 15))


if __name__ == "__main__":
    harness.main()
