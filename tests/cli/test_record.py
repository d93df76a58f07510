"""slimfly record: what real MPI programs send becomes a program in GOAL."""
import collections
import os
import re
import shutil
import signal
import subprocess
import tempfile
import unittest

import harness

LIBRARY = os.path.join(os.path.dirname(harness.PROGRAM or ""), "record",
                       "libslimfly-record.so")
SOURCES = os.path.join(harness.ROOT, "tests", "record")
# More ranks than cores; one machine, and nothing but its memory.
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe",
          "--bind-to", "none", "--mca", "btl", "self,vader",
          "--mca", "btl_vader_single_copy_mechanism", "none",
          "--mca", "osc", "pt2pt"]


def missing():
    """Why nothing can be recorded here; None if it can."""
    if not os.path.exists(LIBRARY):
        return "slimfly is built without MPI"
    return None if shutil.which("mpirun") else "mpirun is not there"


class Goal:
    """A program in GOAL, read as its definition says and not as slimfly
    does."""

    def __init__(self, path):
        self.sends, self.receives = [], []  # (from, to, tag, bytes)
        self.calcs = collections.Counter()  # Nanoseconds, by rank.
        self.collective_tags = set()
        self.waits = collections.defaultdict(set)
        rank, labels = None, {}
        with open(path, encoding="ascii") as file:
            for line in file:
                self.line = line
                if found := re.match(r"// tag (\d+): .*collectives", line):
                    self.collective_tags.add(int(found[1]))
                elif found := re.match(r"num_ranks (\d+)", line):
                    self.n_ranks = int(found[1])
                elif found := re.match(r"rank (\d+) \{", line):
                    rank, labels = int(found[1]), {}
                elif found := re.match(r"(\w+): calc (\d+)$", line):
                    labels[found[1]] = ("calc", rank, len(labels))
                    self.calcs[rank] += int(found[2])
                elif found := re.match(r"(\w+): (send|recv) (\d+)b (?:to|from)"
                                       r" (\d+) tag (\d+)$", line):
                    label, kind, size, peer, tag = found.groups()
                    assert label not in labels
                    labels[label] = (kind, rank, len(labels))
                    if kind == "send":
                        self.sends.append((rank, int(peer), int(tag),
                                           int(size)))
                    else:
                        self.receives.append((int(peer), rank, int(tag),
                                              int(size)))
                elif found := re.match(r"(\w+) (i?requires) (\w+)$", line):
                    assert found[1] in labels and found[3] in labels, line
                elif line.strip() not in ("", "}") and line[:2] != "//":
                    raise AssertionError(line)

    def pairs(self, is_collective=False):
        """How many bytes and messages each pair has.  Messages of one byte,
        such as those of barriers, do not count for collectives."""
        found = collections.defaultdict(lambda: [0, 0])
        for sender, receiver, tag, size in self.sends:
            if ((tag in self.collective_tags) == is_collective
                    and (size > 1 or not is_collective)):
                found[sender, receiver][0] += size
                found[sender, receiver][1] += 1
        return {pair: tuple(value) for pair, value in found.items()}


@unittest.skipIf(missing(), missing())
class Recorded(harness.Case):
    """Programs that are recorded."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.pattern = os.path.join(os.path.dirname(harness.PROGRAM), "tests",
                                   "record", "pattern")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def path(self, name):
        """A file of this test."""
        return os.path.join(self.folder, name)

    def run_recorded(self, *command, n=4, options=(), cwd=None):
        """Runs a command under mpirun; its CompletedProcess."""
        return harness.slimfly(
            "record", "-o", self.path("run.goal"), *options, "--", *MPIRUN,
            "-np", str(n), *command, cwd=cwd or self.folder,
            env={"OMPI_MCA_orte_base_help_aggregate": "0"})

    def record(self, *command, **kwargs):
        """Records a command that succeeds; returns what it did, which can be
        simulated to its end."""
        done = self.run_recorded(*command, **kwargs)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.says = done.stderr
        goal = self.check_goal()
        self.assertEqual(goal.n_ranks, kwargs.get("n", 4))
        return goal

    def check_goal(self):
        """The program: each send has its receive with as many bytes."""
        goal = Goal(self.path("run.goal"))
        ends = [collections.defaultdict(list) for _ in range(2)]
        for side, of_side in zip(ends, (goal.sends, goal.receives)):
            for sender, receiver, tag, size in of_side:
                side[sender, receiver, tag].append(size)
        self.assertEqual(ends[0], ends[1])
        return goal

    def simulate(self, network="sf:q=5"):
        """Runs the program to its end; returns its seconds."""
        text = self.succeeds("simulate", network, "-w",
                             f"goal:{self.path('run.goal')}", "--layers", "1",
                             "--format", "csv")
        lines = [line.split(",") for line in text.splitlines()]
        row = dict(zip(lines[0], lines[1]))
        self.assertEqual(row["finished"], "true", row)
        return float(row["time_s"])

    def counted(self, n):
        """What Open MPI counted that ranks sent to others themselves, not for
        collectives."""
        found = {}
        for rank in range(n):
            with open(f"{self.path('counted')}.{rank}.prof",
                      encoding="ascii") as file:
                for line in file:
                    words = line.split("\t")
                    if words[0] == "E" and words[1] != words[2]:
                        found[int(words[1]), int(words[2])] = (
                            int(words[3].split()[0]), int(words[4].split()[0]))
        return found

    def record_counted(self, *command, n=4, **kwargs):
        """Records a program, whose messages Open MPI counts meanwhile."""
        goal = self.record("--mca", "pml_monitoring_enable", "2",
                           "--mca", "pml_monitoring_enable_output", "3",
                           "--mca", "pml_monitoring_filename",
                           self.path("counted"), *command, n=n, **kwargs)
        self.assertEqual({pair: value for pair, value in goal.pairs().items()
                          if pair[0] != pair[1]}, self.counted(n))
        return goal

    def ring(self, *sizes):
        """What pairs have if rank i sends 'sizes' to the next rank; functions
        of i."""
        return {(i, (i + 1) % 4): (sum(size(i) for size in sizes), len(sizes))
                for i in range(4)}

    def test_blocking_sends(self):
        goal = self.record_counted(self.pattern, "blocking")
        self.assertEqual(goal.pairs(), self.ring(
            *[lambda i: 100 * (i + 1)] * 4, lambda i: 500))
        self.assertEqual(self.says.count("\n"), 1, self.says)
        self.simulate()

    def test_requests_by_every_wait(self):
        goal = self.record_counted(self.pattern, "nonblocking")
        # Two of eight ways send nothing.
        self.assertEqual(goal.pairs(), {
            (i, j): (6 * (10 * (i + 1) + j), 8)
            for i in range(4) for j in range(4) if i != j})
        self.simulate()

    def test_any_source_probes_and_derived_types(self):
        goal = self.record_counted(self.pattern, "wildcards", "probes",
                                   "types")
        self.assertEqual(goal.pairs(),
                         {**{(i, 0): (2000 * i + 120 * i, 2 + 4)
                             for i in (1, 2, 3)}, (0, 1): (240, 1)})
        self.simulate()

    def test_communicators(self):
        # Open MPI makes some of them by messages with tags of users.
        goal = self.record(self.pattern, "comms")
        self.assertEqual(goal.pairs(), {
            (0, 3): (11 + 77 + 88 + 99, 4), (0, 2): (22 + 44 + 66, 3),
            (1, 3): (22 + 44 + 55, 3), (3, 0): (33, 1)})
        self.simulate()

    def collectives(self):
        """Bytes that collectives send in all, as the algorithms for them are
        defined."""
        scan = 3 * 40
        tree = 3 * (1000 + 800)
        allreduce = 4 * 2 * 400   # Two rounds of recursive doubling.
        rooted = 3 * 300 * 2
        allgather = 4 * 3 * 50
        alltoall = 4 * 3 * 70
        reduce_scatter = 3 * 4 * (10 + 20 + 30 + 40)
        vectors = (20 + 30 + 40) + (10 + 20 + 30) + 3 * (10 + 20 + 30 + 40)
        return (2 * scan + tree + allreduce + rooted + allgather + alltoall
                + reduce_scatter + vectors + 2 * 77)

    def test_collectives(self):
        for part in "collectives", "started":
            with self.subTest(part=part):
                goal = self.record(self.pattern, part,
                                   options=["--rules", "ompi-1.10"])
                self.assertEqual(goal.pairs(), {})
                pairs = goal.pairs(is_collective=True)
                self.assertEqual(sum(size for size, _ in pairs.values()),
                                 self.collectives())
                self.simulate()

    def test_persistent_requests_vectors_and_neighbours(self):
        # Open MPI does not count persistent requests.
        goal = self.record(self.pattern, "persistent", "vectors")
        self.assertEqual(goal.pairs(), self.ring(
            *[lambda i: 1000] * 3, lambda i: 2000))
        expected = {}
        for i in range(4):
            for j in range(4):
                is_next = (i - j) % 4 in (1, 3)
                size = 0 if (i, j) == (2, 0) else 1 + 10 * i + j
                if i != j and size + is_next:
                    expected[i, j] = (size + 5 * is_next,
                                      (size > 0) + is_next)
        self.assertEqual(goal.pairs(is_collective=True), expected)

    def test_what_is_not_recorded_is_said(self):
        goal = self.record(self.pattern, "others")
        self.assertEqual(goal.pairs(), {(0, 1): (123, 1)})
        for what in "1 one-sided calls", "8 persistent collectives":
            self.assertIn(f"slimfly: record: {what} are not in the "
                          "recording\n", self.says)

    def test_computing_is_cpu_time(self):
        folder = self.path("traces")
        goal = self.record(self.pattern, "compute",
                           options=["--traces", folder])
        self.assertGreater(goal.calcs[0], 0.19e9)
        self.assertLess(goal.calcs[1], 0.1e9)  # It slept.
        self.assertGreater(self.simulate(), 0.19)
        once = sum(goal.calcs.values())
        done = harness.slimfly("record", "-o", self.path("run.goal"),
                               "--traces", folder, "--compute-scale", "10")
        self.assertEqual(done.returncode, 0, done.stderr)
        scaled = sum(self.check_goal().calcs.values())
        self.assertLess(abs(scaled - 10 * once), 1000)
        self.fails("record", "-o", self.path("run.goal"), "--traces", folder,
                   "--", "true", says="rank-0.trace is there already")

    def test_a_program_that_aborts_is_recorded_up_to_there(self):
        done = self.run_recorded(self.pattern, "abort")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("4 of 4 ranks, the first of them rank 0, did not call "
                      "MPI_Finalize", done.stderr)
        self.assertEqual(self.check_goal().pairs(), {(0, 1): (240, 1)})
        self.simulate()

    def test_sends_that_mpi_refuses_are_not_recorded(self):
        goal = self.record(self.pattern, "refused")
        self.assertEqual(goal.pairs(), {(0, 1): (240, 1)})

    def test_nothing_is_run_if_the_output_cannot_be_written(self):
        """A program may take hours."""
        run = self.path("was run")
        for output, says in (self.path("none/run.goal"), "No such file"), \
                (self.folder, "Is a directory"):
            done = harness.slimfly("record", "-o", output, "--", "touch", run)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"slimfly: {output}: {says}", done.stderr)
            self.assertFalse(os.path.exists(run))
        output = self.path("old.goal")
        with open(output, "w", encoding="ascii") as file:
            file.write("old")
        done = harness.slimfly("record", "-o", output, "--", "false")
        self.assertEqual(done.returncode, 1)
        with open(output, encoding="ascii") as file:
            self.assertEqual(file.read(), "old")

    def test_exit_codes_and_signals_are_passed_on(self):
        done = self.run_recorded(self.pattern, "code")
        self.assertEqual(done.returncode, 7, done.stderr)
        goal = self.path("none.goal")
        for command, code in (["sh", "-c", "exit 5"], 5), \
                (["sh", "-c", "kill -TERM $$"], -signal.SIGTERM), \
                (["/no/such/program"], 127), (["true"], 2):
            done = harness.slimfly("record", "-o", goal, "--", *command)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertFalse(os.path.exists(goal))

    def test_signals_reach_the_command(self):
        with subprocess.Popen(
                [harness.PROGRAM, "record", "-o", self.path("none.goal"), "--",
                 "sh", "-c", "trap 'exit 9' USR1; echo; while :; do sleep 0.1;"
                 " done"], stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL) as process:
            process.stdout.readline()
            process.send_signal(signal.SIGUSR1)
            self.assertEqual(process.wait(timeout=harness.PATIENCE), 9)

    def check_fortran(self, *bindings):
        """Records the same program by several bindings."""
        if not shutil.which("mpifort") or not shutil.which("gfortran"):
            self.skipTest("there is no Fortran")
        expected = self.ring(lambda i: 800)
        for i in range(1, 4):
            size, n = expected.get((i, 0), (0, 0))
            expected[i, 0] = (size + 8 * i, n + 1)
        for binding in bindings:
            with self.subTest(binding=binding):
                program = self.path(binding)
                subprocess.run(["mpifort", f"-D{binding}", "-o", program,
                                "-J", self.folder,
                                os.path.join(SOURCES, "pattern.F90")],
                               check=True)
                goal = self.record(program)
                self.assertEqual(goal.pairs(), expected)
                # A bcast in pairs, and a number added up by doubling.
                collectives = {(i, i ^ by): (4, 1) for i in range(4)
                               for by in (1, 2)}
                collectives.update({(0, 2): (84, 2), (1, 3): (84, 2)})
                self.assertEqual(goal.pairs(is_collective=True), collectives)
                self.assertGreater(len(goal.sends), 4 + 3 + 2 + 4)

    def test_fortran(self):
        self.check_fortran("MPIF_H", "USE_MPI_F08")

    @harness.long
    def test_fortran_module(self):
        self.check_fortran("USE_MPI")

    @harness.long
    @unittest.skipUnless(shutil.which("lmp"), "lammps is not installed")
    def test_lammps(self):
        with open(self.path("in.melt"), "w", encoding="ascii") as file:
            file.write("""units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 10 0 10 0 10
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
fix 1 all nve
thermo 10
run 30
""")
        goal = self.record_counted("lmp", "-in", "in.melt", "-log", "none", n=16)
        self.assertGreater(len(goal.sends), 1000)
        self.simulate()

    @harness.long
    @unittest.skipUnless(shutil.which("hpcc"), "hpcc is not installed")
    def test_hpcc(self):
        # Its own example, but for 16 ranks and a matrix that is soon solved.
        example = "/usr/share/doc/hpcc/examples/_hpccinf.txt"
        if not os.path.exists(example):
            self.skipTest(f"{example} is not there")
        with open(example, encoding="ascii") as file:
            lines = file.read().splitlines()
        lines[5], lines[7], lines[10], lines[11] = "200", "16", "4", "4"
        with open(self.path("hpccinf.txt"), "w", encoding="ascii") as file:
            file.write("\n".join(lines) + "\n")
        # Messages of other algorithms count as the program's own.
        goal = self.record_counted(
            "--mca", "coll_tuned_use_dynamic_rules", "1",
            "--mca", "coll_tuned_alltoall_algorithm", "3", "hpcc", n=16)
        self.assertGreater(len(goal.sends), 1000)
        self.simulate()


@unittest.skipIf(missing(), missing())
class Collectives(harness.Case):
    """What the collectives of workloads send is what Open MPI 4.1 sends, whose
    rules are those of 5.0."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def sent(self, name, size, n):
        """What Open MPI counts that each pair sends: bytes and messages."""
        program = os.path.join(os.path.dirname(harness.PROGRAM), "tests",
                               "record", "one_collective")
        done = subprocess.run(
            [*MPIRUN, "--mca", "pml_monitoring_enable", "2",
             "--mca", "pml_monitoring_enable_output", "3",
             "--mca", "pml_monitoring_filename", f"{self.folder}/counted",
             "-np", str(n), program, name, str(size)], text=True,
            stdin=subprocess.DEVNULL, capture_output=True,
            timeout=harness.PATIENCE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = {}
        for rank in range(n):
            with open(f"{self.folder}/counted.{rank}.prof",
                      encoding="ascii") as file:
                for line in file:
                    words = line.split("\t")
                    if words[0] == "I" and words[1] != words[2]:
                        found[int(words[1]), int(words[2])] = (
                            int(words[3].split()[0]), int(words[4].split()[0]))
        return found

    def ours(self, name, size, n):
        """The same, of the workload."""
        path = f"{self.folder}/run.goal"
        sizes = [] if name == "barrier" else ["--size", str(size)]
        self.succeeds("simulate", "sf:q=5", "-w", f"{name}:rules=ompi-5.0",
                      "--nodes", str(n), *sizes, "--goal", path)
        found, rank = collections.defaultdict(lambda: [0, 0]), None
        with open(path, encoding="ascii") as file:
            for line in file:
                if words := re.match(r"rank (\d+)", line):
                    rank = int(words[1])
                elif words := re.search(r"\bsend (\d+)b to (\d+)", line):
                    found[rank, int(words[2])][0] += int(words[1])
                    found[rank, int(words[2])][1] += 1
        return {pair: tuple(value) for pair, value in found.items()}

    def compare(self, n, cases):
        for name, size in cases:
            with self.subTest(n=n, name=name, size=size):
                ours, theirs = self.ours(name, size, n), self.sent(name, size,
                                                                   n)
                if name == "barrier":  # Messages of at least one byte.
                    ours = {pair: (0, n) for pair, (_, n) in ours.items()}
                self.assertEqual(ours, theirs)

    def test_of_a_few_ranks(self):
        self.compare(7, [("allreduce", 1000), ("allreduce", 20000),
                         ("bcast", 3000), ("alltoall", 1000),
                         ("allgather", 60), ("barrier", 0)])

    @harness.long
    def test_of_many_sizes(self):
        # Not alltoall that is posted at once, whose persistent requests Open
        # MPI does not count, and not what is said to differ: reduce-scatter of
        # few bytes, and that of many by way of one rank; bcast of many bytes to
        # ranks that are no power of two.
        sizes = [60, 400, 3000, 20000, 200000]
        for n in 4, 5, 16, 24:
            self.compare(n, [
                (name, size) for name in ("allreduce", "bcast", "allgather")
                for size in (8, *sizes, 1500000)
                if (name, size, n) != ("bcast", 1500000, 24)])
            self.compare(n, [("reduce-scatter", size) for size in sizes])
            self.compare(n, [("alltoall", 60), ("alltoall", 1000),
                             ("barrier", 0)])


class Usage(harness.Case):
    """What needs no MPI."""

    def test_bad_usage(self):
        self.fails("record", says="expected a command")
        self.fails("record", "--", "true", says="expected --output FILE")
        self.fails("record", "-o", "x", "--eager", "many", "--", "true",
                   says="--eager 'many': expected a number of bytes")

    def test_bad_traces(self):
        with tempfile.TemporaryDirectory() as folder:
            goal = os.path.join(folder, "x.goal")
            self.fails("record", "-o", goal, "--traces", folder,
                       says="rank-0.trace")
            for text, says in (b"hello", "expected a trace of slimfly"), \
                    (b"slimfly trace 1\n\0\2", "rank-1.trace"), \
                    (b"slimfly trace 1\n\1\2", "rank 0 of 2, found rank 1"), \
                    (b"slimfly trace 1\n\0\1\x63", "byte 19: expected a kind"):
                with open(os.path.join(folder, "rank-0.trace"), "wb") as file:
                    file.write(text)
                self.fails("record", "-o", goal, "--traces", folder, says=says)
                self.assertFalse(os.path.exists(goal))


if __name__ == "__main__":
    harness.main()
