"""Several processes of one command share its work out."""
import glob
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import harness

SIMULATE = ["simulate", "sf:q=3", "-w", "permutation,all-to-all", "--size",
            "256K", "-m", "packet,flow", "--seeds", "5"]
ANALYZE = ["analyze", "sf:q=4", "-s", "gates,minimal", "-l", "1,2", "-t",
           "permutation", "--seeds", "3"]
FILES = {"simulate": ["simulation.txt", "simulation.csv", "links.csv"],
         "analyze": ["analysis.txt", "analysis.csv", "analysis.json"]}
# Kept measurements after which a process is killed.
FEW = 3
# More small measurements than anybody waits for.
MANY = ["analyze", "sf:q=3", "-s", "minimal", "-t", "permutation",
        "--references", "none", "--seeds", "10000"]


class Shared(harness.Case):
    @classmethod
    def setUpClass(cls):
        """Runs each command in one process, to compare with."""
        cls.alone = {}
        for args in SIMULATE, ANALYZE:
            folder = tempfile.mkdtemp()
            cls.addClassCleanup(shutil.rmtree, folder)
            done = harness.slimfly(*args, "-o", folder)
            cls.alone[args[0]] = folder, done.stdout

    def folder(self):
        path = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, path)
        return path

    def start(self, args, folder, number):
        """Starts process 'number', as mpirun would."""
        process = subprocess.Popen(
            [harness.PROGRAM, *args, "-o", folder, "--share", "--threads",
             "1"],
            text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, "OMPI_COMM_WORLD_RANK": str(number)})
        self.addCleanup(process.kill)
        return process

    def wait_for(self, folder, n, process):
        """Waits until some measurements are kept."""
        kept = f"{folder}/measured"
        while process.poll() is None and not (
                os.path.isdir(kept) and len(os.listdir(kept)) > n):
            time.sleep(0.005)

    def stop_while_writing(self, folder, process):
        """Stops a process while it writes what it keeps; returns the name of
        the temporary file."""
        written = []
        while not written:
            time.sleep(0.001)
            self.assertTrue(harness.stop(process))
            written = glob.glob(f"{folder}/measured/*.slimfly-*")
            if not written:
                process.send_signal(signal.SIGCONT)
        return written[0]

    def check(self, args, folder, told):
        """What was told is what one process finds."""
        alone, text = self.alone[args[0]]
        self.assertEqual(told, text)
        for name in FILES[args[0]]:
            with open(f"{alone}/{name}", "rb") as file:
                expected = file.read()
            with open(f"{folder}/{name}", "rb") as file:
                self.assertEqual(file.read(), expected, name)
        self.assertEqual(sorted(os.listdir(f"{folder}/measured")),
                         sorted(os.listdir(f"{alone}/measured")))

    def share(self, args, n, killed=None):
        """Runs a command in 'n' processes, one of which may be killed."""
        folder = self.folder()
        processes = [self.start(args, folder, i) for i in range(n)]
        if killed is not None:
            self.wait_for(folder, FEW, processes[killed])
            processes[killed].send_signal(signal.SIGKILL)
        done = [p.communicate(timeout=harness.PATIENCE) for p in processes]
        for i, process in enumerate(processes):
            if i != killed:
                self.assertEqual((process.returncode, done[i][1]), (0, ""))
            if i:
                self.assertEqual(done[i][0], "")
        self.check(args, folder, done[0][0])
        return folder

    def test_two(self):
        self.share(SIMULATE, 2)
        self.share(ANALYZE, 2)

    def test_the_first_finds_what_the_second_has_run(self):
        folder = self.folder()
        second = self.start(SIMULATE, folder, 1)
        self.wait_for(folder, 1, second)
        first = self.start(SIMULATE, folder, 0)
        told = first.communicate(timeout=harness.PATIENCE)[0]
        second.communicate(timeout=harness.PATIENCE)
        with open(f"{folder}/simulation.json", encoding="utf-8") as file:
            rows = json.load(file)["rows"]
        self.assertIn(0, [row["wall_s"] for row in rows])
        self.check(SIMULATE, folder, told)

    def test_one_is_lost_while_it_writes(self):
        """What it left goes while others still work in the folder."""
        folder = self.folder()
        lost = self.start(MANY, folder, 1)
        self.wait_for(folder, 10, lost)
        name = self.stop_while_writing(folder, lost)
        other = self.start(MANY, folder, 2)
        self.wait_for(folder, len(os.listdir(f"{folder}/measured")) + FEW,
                      other)
        self.assertTrue(harness.stop(other))
        # The files of one and two seeds are there already.
        few = [*MANY[:-1], "2", "-o", folder]
        self.succeeds(*few)
        self.assertTrue(os.path.exists(name))
        lost.kill()
        lost.wait()
        self.succeeds(*few)
        self.assertFalse(os.path.exists(name))

    def test_one_is_stopped_while_it_writes(self):
        """What it has begun stays until it goes on."""
        folder = self.folder()
        process = self.start(MANY, folder, 1)
        self.wait_for(folder, 10, process)
        name = self.stop_while_writing(folder, process)
        self.succeeds(*MANY[:-1], "2", "-o", folder)
        self.assertTrue(os.path.exists(name))
        process.send_signal(signal.SIGCONT)
        self.wait_for(folder, len(os.listdir(f"{folder}/measured")) + FEW,
                      process)
        self.assertIsNone(process.poll())
        self.assertFalse(os.path.exists(name))
        self.assertTrue(os.path.exists(name.rsplit(".", 1)[0]))

    def test_five_of_which_one_is_lost(self):
        for args in SIMULATE, ANALYZE:
            self.share(args, 5, killed=3)

    def test_the_first_is_lost(self):
        folder = self.folder()
        processes = [self.start(SIMULATE, folder, i) for i in range(2)]
        self.wait_for(folder, FEW, processes[0])
        processes[0].send_signal(signal.SIGKILL)
        for process in processes:
            process.communicate(timeout=harness.PATIENCE)
        again = self.succeeds(*SIMULATE, "-o", folder, "--share")
        self.check(SIMULATE, folder, again)

    def test_without_numbers_each_tells(self):
        folder = self.folder()
        processes = [subprocess.Popen(
            [harness.PROGRAM, *SIMULATE, "-o", folder], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
        told = [p.communicate(timeout=harness.PATIENCE) for p in processes]
        self.assertEqual(told[0], told[1])
        self.check(SIMULATE, folder, told[0][0])

    @unittest.skipUnless(shutil.which("mpirun"), "there is no mpirun")
    def test_mpirun(self):
        for n, lost in (2, None), (5, "3"):
            folder = self.folder()
            command = ["mpirun", "--allow-run-as-root", "--oversubscribe",
                       "--enable-recovery", "--bind-to", "none", "-np",
                       str(n), harness.PROGRAM, *SIMULATE, "-o", folder,
                       "--share", "--threads", "1"]
            with subprocess.Popen(command, text=True, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL) as process:
                if lost:
                    self.wait_for(folder, FEW, process)
                    self.kill(folder, lost)
                told = process.communicate(timeout=harness.PATIENCE)[0]
            self.assertEqual(process.returncode, 0)
            self.check(SIMULATE, folder, told)

    def kill(self, folder, number):
        """Kills the process of this number that works in 'folder'."""
        for name in os.listdir("/proc"):
            try:
                with open(f"/proc/{name}/cmdline", encoding="utf-8") as file:
                    words = file.read().split("\0")
                with open(f"/proc/{name}/environ", encoding="utf-8") as file:
                    settings = file.read().split("\0")
            except OSError:
                continue
            if (words[0] == harness.PROGRAM and folder in words and
                    f"OMPI_COMM_WORLD_RANK={number}" in settings):
                os.kill(int(name), signal.SIGKILL)

    def test_a_folder_is_needed(self):
        for args in SIMULATE, ANALYZE:
            self.fails(*args, "--share", says="--share: expected --output DIR "
                       "too, a folder that all processes see")


harness.main()
