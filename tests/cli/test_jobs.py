"""What 'slimfly jobs' promises: a file of jobs that many change at a time."""
import json
import os
import subprocess
import tempfile
import threading

import harness


class Jobs(harness.Case):
    """A file of jobs in a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.file = f"{self.folder}/jobs"

    def jobs(self, *args, **kwargs):
        return self.succeeds("jobs", *args, "--file", self.file, **kwargs)

    def refused(self, *args, says, **kwargs):
        self.fails("jobs", *args, "--file", self.file, says=says, **kwargs)

    def text(self):
        with open(self.file, encoding="utf-8") as file:
            return file.read()

    def write(self, text):
        with open(self.file, "w", encoding="utf-8") as file:
            file.write(text)

    def test_jobs_come_and_go(self):
        self.jobs("add", "7", "node[0000-0015]", "--pattern", "ring")
        self.jobs("add", "8", "node[0016-0019]")
        self.assertEqual(self.text(), "7 ring node[0000-0015]\n"
                         "8 unknown node[0016-0019]\n")
        self.assertIn("7            ring                    16  "
                      "node[0000-0015]\n", self.jobs("list"))
        self.jobs("add", "7", "node[0000-0001]", "--comment", "slimfly:ring")
        self.assertIn("has one host", self.jobs("add", "9", "node0033"))
        report = json.loads(self.jobs("list", "--format", "json"))
        self.assertEqual((report["schema"], report["schema_version"]),
                         ("slimfly.jobs", 1))
        self.assertEqual(report["jobs"], [
            {"line": 1, "name": "7", "pattern": "ring",
             "nodes": "node[0000-0001]", "n_nodes": 2},
            {"line": 2, "name": "8", "pattern": "unknown",
             "nodes": "node[0016-0019]", "n_nodes": 4}])
        self.jobs("remove", "7", "8")
        self.assertEqual(self.text(), "")
        done = harness.slimfly("jobs", "remove", "7", "--file", self.file)
        self.assertEqual((done.returncode, done.stderr),
                         (1, f"slimfly: {self.file}: no job '7'\n"))

    def test_the_environment_names_the_file(self):
        self.succeeds("jobs", "add", "1", "n[1-2]",
                      env={"SLIMFLY_JOBS": self.file})
        self.assertEqual(self.text(), "1 unknown n[1-2]\n")

    def test_a_pattern_of_a_comment_that_cannot_be(self):
        done = harness.slimfly("jobs", "add", "1", "n[1-2]", "--comment",
                               "slimfly:shift:by=2", "--file", self.file)
        self.assertEqual(done.returncode, 0)
        self.assertIn("taken as unknown", done.stderr)
        self.assertEqual(self.text(), "1 unknown n[1-2]\n")
        self.refused("add", "1", "n[1-2]", "--pattern", "shift:by=2",
                     says="no multiple of the 2 nodes")

    def test_what_is_wrong_changes_nothing(self):
        self.write("1 ring n[1-2]\n")
        for args, says in (
                ([], "expected list, add, remove, sync, check or ranks"),
                (["frob"], "found 'frob'"),
                (["add", "2"], "expected NAME NODES, found 1 word"),
                (["add", "2", "n[1-2", "--pattern", "ring"], "ends with ]"),
                (["add", "2 3", "n[1-2]"], "without blanks"),
                (["add", "#x", "n[1-2]"],
                 "expected the name of a job without blanks and '#', found "
                 "'#x'"),
                (["add", "2", "n[1-2]", "--pattern", "x", "--comment", "y"],
                 "found both"),
                (["remove"], "expected NAME..."),
                (["list", "--from", "x"], "--from is for jobs sync"),
                (["sync", "--from", f"{self.folder}/none"], "No such file"),
                (["check"], "expected FABRIC"),
                (["check", "sf:q=6"], "not a prime power")):
            self.refused(*args, says=says)
            self.assertEqual(self.text(), "1 ring n[1-2]\n")
        self.fails("jobs", "list", "--file", f"{self.folder}/none",
                   says="No such file")
        self.fails("jobs", "add", "1", "n[1-2]", "--file",
                   f"{self.folder}/no/jobs", says="No such file")

    def test_wrong_lines_are_named(self):
        self.write("# ours\n1 ring n[1-2]\nwhat\n")
        done = harness.slimfly("jobs", "list", "--file", self.file)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"{self.file}:3: expected NAME PATTERN NODES",
                      done.stderr)
        self.refused("check", "sf:q=5", says=f"{self.file}:3: expected NAME PATTERN")
        self.jobs("remove", "1")
        self.assertEqual(self.text(), "# ours\nwhat\n")

    def test_many_at_a_time(self):
        # A reader never sees half of a line, nor loses one.
        seen, is_over = [], threading.Event()

        def watch():
            while not is_over.is_set():
                if os.path.exists(self.file):
                    seen.append(self.text())

        watcher = threading.Thread(target=watch)
        watcher.start()
        try:
            for verb, *words in (["add", "node[0000-0015]"], ["remove"]):
                running = [subprocess.Popen(
                    [harness.PROGRAM, "jobs", verb, f"j{i}", *words, "--file",
                     self.file]) for i in range(50)]
                self.assertEqual([one.wait() for one in running], [0] * 50)
                names = {line.split()[0] for line in self.text().splitlines()}
                self.assertEqual(len(names), 50 if verb == "add" else 0)
        finally:
            is_over.set()
            watcher.join()
        for text in seen:
            for line in text.splitlines(keepends=True):
                self.assertRegex(line, r"^j\d+ unknown node\[0000-0015\]\n$")
        self.assertEqual(sorted(os.listdir(self.folder)),
                         ["jobs", "jobs.lock"])

    def test_sync(self):
        self.write("# ours\n1 ring n[1-2]\n")
        self.jobs("sync", "--from", "-",
                  stdin="5 n[1-4] slimfly:ring\n6 n7 x\n7  \n")
        self.assertEqual(self.text(), "# ours\n5 ring n[1-4]\n")
        tools = f"{self.folder}/tools"
        os.mkdir(tools)
        for code, text in (0, "8 n[1-3] (null)"), (1, ""):
            with open(f"{tools}/squeue", "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\necho '{text}'\nexit {code}\n")
            os.chmod(f"{tools}/squeue", 0o755)
            env = {"PATH": f"{tools}:{os.environ['PATH']}"}
            if code:
                self.refused("sync", says="squeue failed", env=env)
            else:
                self.jobs("sync", env=env)
            self.assertEqual(self.text(), "# ours\n8 unknown n[1-3]\n")

    def test_check_shows_what_jobs_get(self):
        self.write("1 all-to-all node[0000-0015]\n2 ring node[0016-0031]\n")
        text = self.jobs("check", "sf:q=5")
        self.assertRegex(text, r"\n1 +all-to-all +16 +0\.4\d\d +1\.000\n")
        # A folder of 'slimfly route' has routes.
        self.succeeds("route", "sf:q=5", "--jobs", self.file, "-o",
                      f"{self.folder}/tables")
        report = json.loads(self.jobs("check", f"{self.folder}/tables",
                                      "--format", "json"))
        self.assertEqual([job["before"] for job in report["jobs"]], [1, 1])
        self.assertEqual(report["next_hops_changed"], 0)
        self.assertEqual((report["n_left_out"], report["left_out"]), (0, None))

    def test_patterns_of_recorded_programs(self):
        program, pattern = f"{self.folder}/run.goal", f"{self.folder}/run.csv"
        self.succeeds("simulate", "sf:q=3", "--workload", "stencil",
                      "--nodes", "16", "--goal", program)
        self.succeeds("jobs", "ranks", program, "-o", pattern)
        with open(pattern, encoding="utf-8") as file:
            lines = file.read().splitlines()
        # Each of 16 ranks sends to its 4 neighbours.
        self.assertEqual(lines[0], "source,destination,amount")
        self.assertEqual(len(lines), 1 + 16 * 4)
        self.assertEqual(len({line.split(",")[2] for line in lines[1:]}), 1)
        # It is what the pattern of that name says.
        speeds = []
        for name in "ranks:file=run.csv", "stencil:dims=4x4":
            self.jobs("add", "1", "node[0000-0015]", "--pattern", name)
            report = json.loads(self.jobs("check", "sf:q=3", "--format",
                                          "json"))
            speeds.append([report["jobs"][0]["before"],
                           report["jobs"][0]["after"]])
        self.assertEqual(speeds[0], speeds[1])
        # Rows of 4 ranks on a node each: a ring of nodes, both ways.
        text = self.succeeds("jobs", "ranks", program, "--per-node", "4")
        self.assertEqual({line.rsplit(",", 1)[0]
                          for line in text.splitlines()[1:]},
                         {"0,1", "0,3", "1,0", "1,2", "2,1", "2,3", "3,0",
                          "3,2"})
        self.fails("jobs", "ranks", program, "--per-node", "16",
                   says="nothing is sent between nodes of 16 ranks")
        self.fails("jobs", "ranks", pattern, "-o", f"{self.folder}/other",
                   says="run.csv:1: expected num_ranks")
        self.assertFalse(os.path.exists(f"{self.folder}/other"))
        self.refused("list", "--per-node", "2", says="is for jobs ranks")

    def test_check_names_jobs_that_are_left_out(self):
        self.write("1 ring login[1-2]\n2 ring node[0000-0003]\n"
                   "3 ring node[0003-0005]\n")
        done = harness.slimfly("jobs", "check", "sf:q=3", "--file", self.file)
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertIn(f"left out: 2 jobs; the first: {self.file}:1: expected "
                      "a host that is plugged in, found 'login1'", done.stdout)

    def test_paths_longer_than_the_limit_that_was_asked_for(self):
        """Levelling the loads of 'ordered' wrote beyond its list of hops
        where a limit may be exceeded: memory was damaged."""
        self.write("")
        for hops in "2", "5":
            self.jobs("check", "xpander:k=4,lift=4", "--scheme", "ordered",
                      "--max-hops", hops)

    def test_check_on_other_families(self):
        self.write("1 unknown node[0000-0007]\n")
        for spec in ("hx2:4x4", "df:a=4,h=2", "ft2:leaf=6,core=3,up=3",
                     "ft3:ports=4", "jellyfish:n=12,k=3", "pf:q=3",
                     "xpander:k=4,lift=3"):
            with self.subTest(spec=spec):
                report = json.loads(self.jobs("check", spec, "--format",
                                              "json"))
                [job] = report["jobs"]
                self.assertGreaterEqual(job["after"], job["before"])


harness.main()
