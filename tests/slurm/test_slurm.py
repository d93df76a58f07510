"""What Slurm's scripts and 'slimfly jobs sync' make of real jobs.

Arguments: the program, the folder of the scripts.
"""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "cli"))
import harness  # noqa: E402
from slurm import Slurm, why_not  # noqa: E402

SCRIPTS = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else None


class Scripts(harness.Case):
    """The scripts alone, with the environment that Slurm gives them."""

    def run_script(self, name, jobs, program=harness.PROGRAM, **env):
        done = subprocess.run(
            [f"{SCRIPTS}/slurm-{name}"], capture_output=True, text=True,
            env={"SLIMFLY_JOBS": jobs, "SLIMFLY": program,
                 "SLURM_JOB_ID": "7", "SLURM_JOB_COMMENT": "(null)",
                 "SLURM_JOB_NODELIST": "node[0000-0002]", **env},
            timeout=harness.PATIENCE, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def read(self, path):
        with open(path, encoding="utf-8") as file:
            return file.read()

    def test_a_job_comes_and_goes(self):
        with tempfile.TemporaryDirectory() as folder:
            jobs = f"{folder}/jobs"
            self.run_script("prolog", jobs)
            self.assertEqual(self.read(jobs), "7 unknown node[0000-0002]\n")
            self.run_script("prolog", jobs,
                            SLURM_JOB_COMMENT="-x slimfly:ring")
            self.assertEqual(self.read(jobs), "7 ring node[0000-0002]\n")
            self.run_script("epilog", jobs)
            self.assertEqual(self.read(jobs), "")

    def test_no_job_fails_by_them(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in "prolog", "epilog":
                self.run_script(name, f"{folder}/no/such/folder")
                self.run_script(name, f"{folder}/jobs", program="/no/program")
                self.run_script(name, f"{folder}/jobs",
                                SLURM_JOB_NODELIST="no[")
            self.run_script("prolog", f"{folder}/jobs",
                            SLURM_JOB_COMMENT="slimfly:shift:by=3;`exit 9`")
            self.assertEqual(self.read(f"{folder}/jobs"),
                             "7 unknown node[0000-0002]\n")


class Jobs(harness.Case):
    """A controller and three nodes, which all are this machine."""

    def setUp(self):
        if why_not():
            self.skipTest(why_not())
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        os.chmod(folder.name, 0o755)
        self.jobs = f"{folder.name}/jobs"
        # The daemon passes nothing of its environment on.
        for name in "prolog", "epilog":
            with open(f"{folder.name}/{name}", "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\nSLIMFLY_JOBS={self.jobs}\n"
                           f"SLIMFLY={harness.PROGRAM}\n"
                           "export SLIMFLY_JOBS SLIMFLY\n"
                           f"exec {SCRIPTS}/slurm-{name}\n")
            os.chmod(f"{folder.name}/{name}", 0o755)
        self.slurm = Slurm(3, f"PrologSlurmctld={folder.name}/prolog\n"
                           f"EpilogSlurmctld={folder.name}/epilog")
        self.addCleanup(self.slurm.stop)

    def wait(self, *lines):
        """Until the file of jobs has these lines."""
        def holds():
            try:
                with open(self.jobs, encoding="utf-8") as file:
                    return sorted(file.read().splitlines()) == sorted(lines)
            except FileNotFoundError:
                return False
        self.slurm.until(holds, f"the file has {lines}")

    def test_jobs_of_a_cluster(self):
        first, its_end = self.slurm.submit("-N", "3", "--comment",
                                           "urgent slimfly:ring")
        self.wait(f"{first} ring node[0000-0002]")
        os.remove(its_end)
        self.wait()
        self.slurm.wait_idle(3)
        # Without a comment, and one that fits no job of two.
        second, its_end = self.slurm.submit("-N", "2", "--comment",
                                            "slimfly:shift:by=2")
        self.wait(f"{second} unknown node[0000-0001]")
        # One host: nothing to route for.
        third, end_of_third = self.slurm.submit("-N", "1")
        self.slurm.until(
            lambda: self.slurm.run("squeue", "-h", "-j", third, "-o",
                                   "%T").stdout.strip() == "RUNNING",
            "the third job runs")
        self.wait(f"{second} unknown node[0000-0001]")

        # After a crash the file has what runs, and what people wrote.
        with open(self.jobs, "w", encoding="utf-8") as file:
            file.write("# ours\n99 ring node[0000-0002]\n")
        done = self.slurm.run(harness.PROGRAM, "jobs", "sync", "--file",
                              self.jobs)
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (0, "", ""))
        self.wait("# ours", f"{second} unknown node[0000-0001]")
        os.remove(its_end)
        os.remove(end_of_third)
        self.wait("# ours")


class Share(harness.Case):
    """Processes that srun starts share the work of one command out."""

    COMMAND = ["simulate", "sf:q=3", "-w", "permutation", "--size", "64K",
               "-m", "packet,flow", "--seeds", "4"]

    def test_srun(self):
        if why_not():
            self.skipTest(why_not())
        with tempfile.TemporaryDirectory() as folder, Slurm(3) as slurm:
            alone = self.succeeds(*self.COMMAND, "-o", f"{folder}/alone")
            command = [harness.PROGRAM, *self.COMMAND, "--threads", "1"]
            done = slurm.run("srun", "-N", "3", "-n", "3", "--quiet",
                             *command, "-o", f"{folder}/shared")
            self.assertEqual((done.returncode, done.stdout, done.stderr),
                             (0, alone, ""))
            self.assertEqual(self.csv(f"{folder}/shared"),
                             self.csv(f"{folder}/alone"))
            # One of five is lost; srun tells of it.
            done = slurm.run("srun", "-N", "3", "-n", "5", "--overcommit",
                             "--quiet", "--kill-on-bad-exit=0", "sh", "-c",
                             "test $SLURM_PROCID = 3 && kill -9 $$; "
                             'exec "$0" "$@"', *command, "-o",
                             f"{folder}/lost")
            self.assertEqual((done.returncode, done.stdout), (137, alone))
            self.assertEqual(self.csv(f"{folder}/lost"),
                             self.csv(f"{folder}/alone"))
            # The script of a job is no task of srun, however many it has.
            done = slurm.run("salloc", "--quiet", "-N", "3", "-n", "3",
                             *command, "-o", f"{folder}/lost")
            self.assertEqual((done.returncode, done.stdout), (0, alone))

    def csv(self, folder):
        with open(f"{folder}/simulation.csv", encoding="utf-8") as file:
            return file.read()


if __name__ == "__main__":
    harness.main()
