"""The plugin routes for the jobs of a file, which others change at any time.
Whatever happens, the tables are read back from the switches and audited.

Arguments: the program, the folder of the plugin.
"""
import itertools
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

    def share(self, folder, first, last):
        """What all-to-all of some hosts gets in the tables of 'folder', at
        equal shares over the addresses; 'analyze' knows nothing of jobs."""
        hosts = [f"node{i:04}" for i in range(first, last + 1)]
        with open(f"{self.work}/job.csv", "w", encoding="utf-8") as file:
            for pair in itertools.permutations(hosts, 2):
                file.write(f"{pair[0]},{pair[1]},{1 / (len(hosts) - 1)}\n")
        result = json.loads(self.succeeds(
            "analyze", folder, folder, "--traffic",
            f"file:{self.work}/job.csv", "--split", "equal", "--references",
            "none", "--format", "json"))
        return result["rows"][0]["throughput"][0]["mean"]

    def judge(self, opensm):
        """Exit code and reasons of 'slimfly status'."""
        done = harness.slimfly("status", opensm.status_path, "--format",
                               "json", "--max-age", "3600")
        return done.returncode, json.loads(done.stdout)["reasons"]

    def test_jobs_start_and_end(self):
        opensm = self.start("sf:q=5")
        folder, before = self.live()
        self.assertLess(self.share(folder, 0, 15), 0.5)
        self.jobs("add", "7", "node[0000-0015]", "--pattern", "all-to-all")
        status = self.wait_jobs(opensm, names=["7"], state="fitted")
        job = status["jobs"]["jobs"][0]
        self.assertEqual((job["n_nodes"], job["after"]), (16, 1))
        self.assertLess(job["before"], 0.5)
        self.assertEqual((status["outcome"], status["warnings"]), ("kept", []))
        self.assertGreater(status["n_changed_entries"], 0)
        self.assertLess(status["n_changed_entries"],
                        0.05 * status["n_entries"])
        folder, during = self.live("--all-on-sl", "3")
        self.assertEqual(before["sl2vl"], during["sl2vl"])
        self.assertGreater(self.share(folder, 0, 15), 0.999)

        # What is wrong or gone changes nothing, and is told.
        for says, change in (
                (f"{self.file}:1: expected NAME PATTERN NODES",
                 lambda: self.write("what is\n")),
                (f"{self.file}:2: expected all-to-all, ring",
                 lambda: self.write("\n8 dance node[0016-0031]\n")),
                ("No such file", lambda: os.remove(self.file))):
            change()
            status = opensm.until(
                lambda says=says: says in (opensm.status()["jobs"]["problem"]
                                           or "") and opensm.status(), says)
            status = self.wait_jobs(opensm, state="held", names=["7"])
            self.assertEqual(status["n_changed_entries"], 0)
            self.assertIn(says, status["warnings"][0])
            self.assertIn("stays as it was", status["warnings"][0])
            code, reasons = self.judge(opensm)
            self.assertEqual(code, 1)
            self.assertIn(says, reasons[0])
        self.assertEqual(self.live()[1], during)

        # Jobs with hosts that are elsewhere are left out, others are not.
        self.write("8 ring login[1-2]\n9 ring node[0016-0031]\n")
        status = self.wait_jobs(opensm, names=["9"], state="fitted")
        self.assertEqual(status["jobs"]["n_left_out"], 1)
        self.assertIn("expected a host that is plugged in, found 'login1'",
                      status["jobs"]["left_out"])
        self.assertEqual(self.judge(opensm), (0, []))
        self.audit("--all-on-sl", "0")
        self.jobs("remove", "8", "9")
        status = self.wait_jobs(opensm, names=[], state="fitted")
        self.assertEqual(self.live()[1], before)
        opensm.stop()
        self.assertNotIn("ERR: jobs", opensm.log())

    def test_faults_and_a_restart(self):
        # Jobs that arrive one after the other, on a network that breaks.
        opensm = self.start("sf:q=5", text="1 all-to-all node[0000-0031]\n")
        self.wait_jobs(opensm, names=["1"])
        self.jobs("add", "2", "node[0032-0063]")
        self.jobs("add", "3", "node[0064-0095]", "--pattern", "shift:by=8")
        self.wait_jobs(opensm, names=["1", "2", "3"], state="fitted")
        whole = self.live("--all-on-sl", "0")[1]
        end = next(cable[0] for cable in self.cables
                   if cable[0][0] == "sf-0-0-1")
        self.sim.command(f'Unlink "{end[0]}"[{end[1]}]')
        status = self.wait(opensm, 1)
        self.assertEqual((status["outcome"], status["jobs"]["state"]),
                         ("repaired", "fitted"))
        self.assertEqual(status["jobs"]["n_jobs"], 3)
        hurt = self.live("--all-on-sl", "0")[1]
        self.assertNotEqual(hurt, whole)
        opensm.stop()

        # The same jobs, the same routes.
        opensm = self.manager("again", options=self.options, lmc=2)
        again = self.wait(opensm, 1)
        self.assertEqual(again["warnings"], [])
        self.assertEqual(self.live()[1], hurt)
        for old, new in zip(status["jobs"]["jobs"], again["jobs"]["jobs"]):
            self.assertEqual(old["name"], new["name"])
            self.assertAlmostEqual(old["after"], new["after"], 4)
        self.sim.command(f'ReLink "{end[0]}"[{end[1]}]')
        self.wait(opensm, 0)
        self.live("--all-on-sl", "0")
        opensm.stop()

        # Even if nobody knows any more which jobs they were.
        before = self.live_without_manager()
        os.remove(self.file)
        opensm = self.manager("third", options=self.options, lmc=2)
        status = self.wait_jobs(opensm, state="held")
        self.assertEqual(status["jobs"]["jobs"], [])
        self.assertEqual(self.live()[1]["lfts"], before)
        self.write("")
        self.wait_jobs(opensm, state="fitted")
        self.audit("--all-on-sl", "0")

    def live_without_manager(self):
        """The forwarding tables, when nobody can be asked for SLs."""
        with tempfile.TemporaryDirectory() as folder:
            done = self.sim.run(harness.PROGRAM, "audit", "live", "--save",
                                folder)
            self.assertEqual(done.stderr, "")
            with open(f"{folder}/opensm-lfts.dump", encoding="utf-8") as file:
                return file.read()

    @harness.long
    def test_who_takes_over_routes_for_the_same_jobs(self):
        soon = {"sminfo_polling_timeout": 500, "polling_retry_number": 3}
        master = self.start("sf:q=5", text="1 all-to-all node[0000-0031]\n",
                            sm_priority=14, **soon)
        self.wait_jobs(master, names=["1"])
        self.jobs("add", "2", "node[0040-0063]")
        self.wait_jobs(master, names=["1", "2"])
        before = self.live()[1]
        standby = self.manager("standby", options=self.options, lmc=2,
                               sm_priority=13, host="node0100", **soon)
        standby.until(lambda: standby.status().get("state") == "standby",
                      "it stands by")
        # It changes nothing while another leads.
        self.jobs("add", "3", "node[0100-0131]")
        self.wait_jobs(master, names=["1", "2", "3"])
        self.assertEqual(standby.status()["state"], "standby")
        self.jobs("remove", "3")
        self.wait_jobs(master, names=["1", "2"])
        led = self.live()[1]
        master.process.kill()
        master.process.wait()
        self.wait_jobs(standby, names=["1", "2"], state="fitted")
        self.assertEqual(self.live()[1], led)
        self.assertEqual(led["sl2vl"], before["sl2vl"])
        self.jobs("remove", "1")
        self.wait_jobs(standby, names=["2"])
        self.audit("--all-on-sl", "0")

    def test_many_change_the_file_at_a_time(self):
        opensm = self.start("sf:q=3", lmc=1)
        _, before = self.live()
        for verb, *words in (["add", "node0000,node0007"], ["remove"]):
            running = [subprocess.Popen(
                [harness.PROGRAM, "jobs", verb, str(i), *words, "--file",
                 self.file]) for i in range(50)]
            self.assertEqual([one.wait() for one in running], [0] * 50)
            if verb == "add":
                # All want the same two hosts, and the first has them.
                self.wait_jobs(opensm, n_jobs=1, n_left_out=49)
        self.wait_jobs(opensm, n_jobs=0, n_left_out=0)
        self.assertEqual(self.live()[1], before)

    def route_family(self, spec, lmc=2):
        """Jobs on the first hosts; the tables are sound before and after."""
        opensm = self.start(spec, lmc=lmc)
        _, before = self.live()
        self.jobs("add", "1", "node[0000-0007]")
        self.jobs("add", "2", "node[0008-0011]", "--pattern", "ring")
        status = self.wait_jobs(opensm, names=["1", "2"], state="fitted")
        for job in status["jobs"]["jobs"]:
            self.assertGreaterEqual(job["after"], job["before"])
        self.assertEqual(self.live("--all-on-sl", "1")[1]["sl2vl"],
                         before["sl2vl"])
        self.jobs("remove", "1", "2")
        self.wait_jobs(opensm, names=[])
        self.assertEqual(self.live()[1], before)
        opensm.stop()
        self.sim.stop()

    @harness.long
    def test_every_family(self):
        for spec in ("hx2:4x4,p=3", "df:a=4,h=2", "ft2:leaf=6,core=3,up=3",
                     "ft3:ports=6",  # One lane, and no turns to obey.
                     "xpander:k=4,lift=6", "pf:q=5",
                     "jellyfish:n=30,k=5", "sf:q=7"):
            with self.subTest(spec=spec):
                self.route_family(spec)

    def test_lanes_that_do_not_allow_it(self):
        self.plan("sf:q=3")
        self.file = f"{self.work}/jobs"
        self.write("1 unknown node[0000-0007]\n")
        opensm = self.manager(
            options=f"jobs={self.file} scheme=minimal lanes=dfsssp", lmc=0)
        status = self.wait_jobs(opensm, state="failed")
        self.assertIn("routes for jobs need lanes by turns",
                      status["warnings"][-1])
        self.audit(replies=False)


if __name__ == "__main__":
    harness.main()
