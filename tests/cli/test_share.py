"""Several processes of one command share its work out."""
import glob
import json
import os
import re
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

    def start(self, args, folder, number, n=5, **env):
        """Starts process 'number' of 'n', as mpirun would; a setting that is
        None is left out."""
        env = {**os.environ, "OMPI_COMM_WORLD_RANK": str(number),
               "OMPI_COMM_WORLD_SIZE": str(n), "PMIX_NAMESPACE": "7", **env}
        process = subprocess.Popen(
            [harness.PROGRAM, *args, "-o", folder, "--threads", "1"],
            text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={k: v for k, v in env.items() if v is not None})
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
            texts = []
            for place in folder, alone:
                with open(f"{place}/{name}", encoding="utf-8") as file:
                    text = file.read()
                texts.append(harness.without_command(text)
                             if name.endswith(".json") else text)
            self.assertEqual(*texts, name)
        self.assertEqual(sorted(os.listdir(f"{folder}/measured")),
                         sorted(os.listdir(f"{alone}/measured")))

    def share(self, args, n, killed=None):
        """Runs a command in 'n' processes, one of which may be killed."""
        folder = self.folder()
        processes = [self.start(args, folder, i, n) for i in range(n)]
        if killed is not None:
            self.wait_for(folder, FEW, processes[killed])
            processes[killed].send_signal(signal.SIGKILL)
        done = [p.communicate(timeout=harness.PATIENCE) for p in processes]
        for i, process in enumerate(processes):
            if i != killed:
                self.assertEqual((process.returncode, done[i][1]), (0, ""))
        self.check(args, folder, self.told_once(done))

    def told_once(self, done):
        """What one process told, and no other."""
        told = [text for text, _ in done if text]
        self.assertEqual(len(told), 1)
        return told[0]

    def test_two(self):
        self.share(SIMULATE, 2)
        self.share(ANALYZE, 2)

    def test_the_first_finds_what_the_second_has_run(self):
        folder = self.folder()
        second = self.start(SIMULATE, folder, 1)
        self.wait_for(folder, 1, second)
        first = self.start(SIMULATE, folder, 0)
        told = self.told_once([process.communicate(timeout=harness.PATIENCE)
                               for process in (first, second)])
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
            told = process.communicate(timeout=harness.PATIENCE)[0]
        self.check(SIMULATE, folder, told)

    def test_who_comes_later_says_nothing(self):
        folder = self.folder()
        few = [*MANY[:-1], "1"]

        def run(number, *more, **env):
            process = self.start([*few, *more], folder, number, **env)
            told = process.communicate(timeout=harness.PATIENCE)
            self.assertEqual((process.returncode, told[1]), (0, ""))
            return told[0] != ""

        self.assertTrue(run(3))  # Alone, whatever it is told.
        self.assertFalse(run(0))
        self.assertFalse(run(1))
        # The same once more, another command, and another launch.
        self.assertTrue(run(3))
        self.assertTrue(run(1, "--seed", "1"))
        self.assertTrue(run(1, PMIX_NAMESPACE="8"))
        self.assertTrue(run(2, "--alone"))

    def test_a_later_launch_without_a_name_tells_again(self):
        """Some launchers give none; others began when one had told, and told
        nothing, though its files may be gone."""
        folder = self.folder()

        def run(number):
            process = self.start([*MANY[:-1], "1"], folder, number, n=3,
                                 PMIX_NAMESPACE=None)
            told = process.communicate(timeout=harness.PATIENCE)
            self.assertEqual((process.returncode, told[1]), (0, ""))
            return told[0] != ""

        def age(seconds):
            """Makes what is noted older."""
            path = f"{folder}/measured/.claims"
            with open(path, encoding="utf-8") as file:
                lines = [line.split() for line in file]
            with open(path, "w", encoding="utf-8") as file:
                for meeting, rank, when, told in lines:
                    print(meeting, rank, int(when) - seconds, told, file=file)

        for first, *others in (2, 0, 1), (0, 2, 1), (1, 0, 2):
            self.assertTrue(run(first))
            self.assertTrue(os.path.exists(f"{folder}/analysis.txt"))
            self.assertEqual([run(number) for number in others],
                             [False, False])
            os.remove(f"{folder}/analysis.txt")
        # Of a launch in which others were lost, a while ago or in the future.
        for first, next_launch, seconds in (2, 0, 60), (0, 2, -120):
            self.assertTrue(run(first))
            age(seconds)
            self.assertTrue(run(next_launch))
            self.assertFalse(run(1))

    def test_what_is_kept_says_which_results_it_is_of(self):
        """Builds of one version between which results changed took kept
        results of each other."""
        with open(f"{harness.ROOT}/lib/base/results_number.h",
                  encoding="utf-8") as file:
            number = re.search(r'SF_RESULTS_NUMBER "(\d+)"', file.read())[1]
        version = self.succeeds("--version").split()[1]
        others = self.folder()
        self.succeeds("compare", "hx2:2x2", "-t", "permutation", "--draws",
                      "1", "--shares", "10", "--without-simulation", "-o",
                      others)
        self.succeeds("evaluate", "--networks", "hx2:2x2,hx2:2x3", "--hosts",
                      "4", "-w", "bcast", "-n", "4", "--sizes", "64",
                      "--routings", "minimal", "--seeds", "1", "-o", others)
        for folder in others, *(folder for folder, _ in self.alone.values()):
            for path in glob.glob(f"{folder}/measured/*.*"):
                with open(path, encoding="utf-8") as file:
                    text = file.read()
                settings = (json.loads(text)["settings"]
                            if path.endswith(".json") else text)
                self.assertTrue(settings.startswith(
                    f"{version} results={number} "), settings)

    def test_numbers_that_mean_nothing(self):
        """As many processes as that tell their results."""
        folder = self.folder()
        few = [*MANY[:-1], "1", "-o", folder]
        for env in ({"OMPI_COMM_WORLD_RANK": "1"},
                    {"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "1"},
                    {"OMPI_COMM_WORLD_RANK": "-1",
                     "OMPI_COMM_WORLD_SIZE": "2"},
                    {"PMI_RANK": "0", "PMI_SIZE": "two"},
                    # The script of a batch job.
                    {"SLURM_PROCID": "0", "SLURM_NTASKS": "4",
                     "SLURM_JOB_ID": "1"}):
            for _ in range(2):
                self.assertIn("permutation", self.succeeds(
                    *few, env=env))

    def n_threads(self, cores, *more, **env):
        """The most threads that are seen of a process, which may use some of
        the cores, until it has kept a few measurements."""
        folder, seen = self.folder(), 0
        process = subprocess.Popen(
            [harness.PROGRAM, *MANY, "-o", folder, *more],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, **env},
            preexec_fn=lambda: os.sched_setaffinity(0, cores))
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        kept = f"{folder}/measured"
        while process.poll() is None and not (
                os.path.isdir(kept) and len(os.listdir(kept)) > 20):
            seen = max(seen, len(os.listdir(f"/proc/{process.pid}/task")))
            time.sleep(0.001)
        process.kill()
        return seen

    @unittest.skipIf(len(os.sched_getaffinity(0)) < os.cpu_count() or
                     os.cpu_count() < 2, "some cores are not for us")
    def test_a_machine_has_as_many_threads_as_cores(self):
        cores = os.sched_getaffinity(0)
        of_five = {"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "5"}
        one = self.n_threads(cores, "--threads", "1")
        self.assertGreater(self.n_threads(cores), one)
        self.assertGreater(self.n_threads(cores, **of_five), one)
        self.assertEqual(self.n_threads({min(cores)}), one)
        self.assertEqual(self.n_threads(
            cores, OMPI_COMM_WORLD_LOCAL_SIZE=str(len(cores)), **of_five), one)

    def test_the_one_that_tells_is_lost(self):
        """Others wait until it has told, and then tell."""
        folder = self.folder()
        self.succeeds(*SIMULATE, "-o", folder)
        process = self.start(SIMULATE, folder, 0)
        written = []
        while not written:
            self.assertTrue(harness.stop(process))
            written = glob.glob(f"{folder}/*.slimfly-*")
            if not written:
                process.send_signal(signal.SIGCONT)
        other = self.start(SIMULATE, folder, 1)
        with self.assertRaises(subprocess.TimeoutExpired):
            other.communicate(timeout=0.5)
        process.kill()
        process.wait()
        self.check(SIMULATE, folder,
                   other.communicate(timeout=harness.PATIENCE)[0])

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
        for n, lost in (2, None), (5, "3"), (5, "0"):
            folder = self.folder()
            command = ["mpirun", "--allow-run-as-root", "--oversubscribe",
                       "--enable-recovery", "--bind-to", "none", "-np",
                       str(n), harness.PROGRAM, *SIMULATE, "-o", folder]
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
                # Other processes may have any bytes there.
                with open(f"/proc/{name}/cmdline", "rb") as file:
                    words = os.fsdecode(file.read()).split("\0")
                with open(f"/proc/{name}/environ", "rb") as file:
                    settings = os.fsdecode(file.read()).split("\0")
            except OSError:
                continue
            if (words[0] == harness.PROGRAM and folder in words and
                    f"OMPI_COMM_WORLD_RANK={number}" in settings):
                os.kill(int(name), signal.SIGKILL)

    def test_a_folder_is_needed(self):
        for args in SIMULATE, ANALYZE:
            self.fails(*args, "--share", says="--share: expected --output DIR "
                       "too, a folder that all processes see")
            for launcher, env in (
                    ("mpirun", {"OMPI_COMM_WORLD_RANK": "1",
                                "OMPI_COMM_WORLD_SIZE": "5"}),
                    ("mpirun", {"PMI_RANK": "0", "PMI_SIZE": "5"}),
                    ("srun", {"SLURM_PROCID": "4",
                              "SLURM_STEP_NUM_TASKS": "5"})):
                self.fails(*args, env=env,
                           says=f"{args[0]}: one of 5 processes of {launcher}"
                           ": expected --output DIR, a folder by which they "
                           "share the work out, or --alone, with which each "
                           "does all of it")
        self.succeeds(*MANY[:-1], "1", "--alone", env=env)


harness.main()
