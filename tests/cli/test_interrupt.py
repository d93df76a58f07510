"""Whoever interrupts a command gets the prompt back at once; nothing unfinished
stays, and nothing wrong is kept."""
import fcntl
import glob
import os
import shutil
import signal
import subprocess
import tempfile
import time

import harness

SIGNALS = signal.SIGINT, signal.SIGTERM
# Ten times what a quiet machine may take to end.
AT_ONCE = 10
TICKS = os.sysconf("SC_CLK_TCK")


def by_default():
    """Undoes what shells do to commands in the background."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)


def work_of(process):
    """The seconds that all threads of a process have computed; endless if it
    has ended."""
    try:
        with open(f"/proc/{process.pid}/stat", encoding="utf-8") as file:
            fields = file.read().rsplit(")")[-1].split()
    except OSError:
        return float("inf")
    return (float("inf") if fields[0] == "Z" else
            (int(fields[11]) + int(fields[12])) / TICKS)


class Interrupted(harness.Case):
    def folder(self):
        path = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, path)
        return path

    def interrupt(self, number, args, is_time):
        """Runs a command and sends a signal as soon as is_time(process)."""
        with subprocess.Popen([harness.PROGRAM, *args], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              preexec_fn=by_default) as process:
            try:
                while process.poll() is None and not is_time(process):
                    time.sleep(0.002)
                process.send_signal(number)
                out, err = process.communicate(timeout=AT_ONCE)
            finally:
                process.kill()
            self.assertEqual(process.returncode, -number, (args, out, err))
            self.assertEqual((out, err), ("", ""), args)

    def files(self, folder):
        """All files below a folder, but for the empty one on which processes
        lock what they work on."""
        return sorted(os.path.relpath(path, folder) for path in
                      glob.glob(f"{folder}/**", recursive=True,
                                include_hidden=True)
                      if not os.path.isdir(path)
                      and os.path.basename(path) != ".claims")


def is_solving(folder, seconds):
    """Whether the path metrics are kept, and work went on after that: in a
    linear program."""
    before = []

    def is_time(process):
        if not before and glob.glob(f"{folder}/measured/*.json"):
            before.append(work_of(process))
        return bool(before) and work_of(process) > before[0] + seconds
    return is_time


class Analyze(Interrupted):
    args = ["analyze", "sf:q=7", "-t", "permutation", "--references", "none"]

    def test_in_a_linear_program(self):
        for number in SIGNALS:
            folder = self.folder()
            args = [*self.args, "--threads", "1", "-o", folder]
            self.interrupt(number, args, is_solving(folder, 0.2))
            # The metrics of paths: no throughput is known.
            self.assertEqual(len(self.files(folder)), 1)
        after = self.succeeds(*args)
        self.assertEqual(after, self.succeeds(*args[:-2]))
        self.assertNotIn("~", after)

    def test_in_linear_programs_of_several_threads(self):
        for number in SIGNALS:
            folder = self.folder()
            self.interrupt(number, [*self.args, "--seeds", "4", "--threads",
                                    "4", "-o", folder],
                           is_solving(folder, 1))
            for name in self.files(folder):
                self.assertRegex(name, r"^measured/[0-9a-f]{16}\.json$")

    def test_while_threads_keep_measurements(self):
        for i in range(20):
            folder = self.folder()
            self.interrupt(SIGNALS[i % 2], [
                "analyze", "sf:q=3", "-s", "minimal", "-t", "permutation",
                "--references", "none", "--seeds", "10000", "--threads", "4",
                "-o", folder],
                lambda _, folder=folder, n=i: len(self.files(folder)) > n)
            for name in self.files(folder):
                self.assertRegex(name, r"^measured/[0-9a-f]{16}\.json$")

    @harness.long
    def test_several_threads_go_on(self):
        args = [*self.args, "--seeds", "3", "--threads", "3"]
        folder = self.folder()
        for number in SIGNALS:
            self.interrupt(number, [*args, "-o", folder],
                           is_solving(folder, 2))
        self.assertEqual(self.succeeds(*args, "-o", folder),
                         self.succeeds(*args))

    @harness.long
    def test_in_a_large_linear_program(self):
        for number in SIGNALS:
            folder = self.folder()
            self.interrupt(number, ["analyze", "sf:q=11", *self.args[2:],
                                    "--exact", "-o", folder],
                           is_solving(folder, 3))
            self.assertEqual(len(self.files(folder)), 1)


class Others(Interrupted):
    def test_while_computing(self):
        for args in [["route", "sf:q=19", "-o"],
                     ["analyze", "sf:q=11", "-t", "all-to-all", "-o"],
                     ["plan", "sf:q=37", "-o"],
                     ["design", "--endpoints", "1000000", "--backend", "any",
                      "-o"]]:
            for number in SIGNALS:
                folder = self.folder()
                self.interrupt(number, [*args, f"{folder}/out"],
                               lambda process: work_of(process) > 0.5)
                self.assertEqual(self.files(folder), [])

    def test_while_writing(self):
        for args in [["route", "sf:q=11", "-o"], ["plan", "sf:q=11", "-o"]]:
            for number in SIGNALS:
                folder = self.folder()
                self.interrupt(number, [*args, folder],
                               lambda _, folder=folder: self.files(folder))
                self.assertEqual(self.files(folder), [])


class Killed(Interrupted):
    """What a run could not remove, the next one does."""

    def kill(self, folder):
        """Kills a run while it writes; returns its leftovers."""
        with subprocess.Popen([harness.PROGRAM, "plan", "sf:q=11", "-o",
                               folder], stdout=subprocess.DEVNULL) as process:
            while process.poll() is None and not self.files(folder):
                time.sleep(0.002)
            process.kill()
        left = self.files(folder)
        self.assertNotEqual(left, [])
        for name in left:
            self.assertRegex(name, r"\.slimfly-[0-9A-Za-z]{6}$")
        return left

    def test_leftovers_are_swept_away(self):
        folder, clean = self.folder(), self.folder()
        self.kill(folder)
        for path in folder, clean:
            self.succeeds("plan", "sf:q=4", "-o", path)
        self.assertEqual(self.files(folder), self.files(clean))

    def test_files_of_others_stay(self):
        folder = self.folder()
        names = ["plan.json.abcdef", "plan.json.slimfly-abcde",
                 "plan.json.slimfly-abcdefg", "plan.json.slimfly-abc.ef",
                 "slimfly-abcdef", ".slimfly-abcdef", "a.slimfly-old"]
        for name in names:
            with open(f"{folder}/{name}", "w", encoding="utf-8"):
                pass
        os.mkdir(f"{folder}/d.slimfly-abcdef")
        os.symlink("nowhere", f"{folder}/l.slimfly-abcdef")
        self.succeeds("topology", "sf:q=4", "-o", f"{folder}/out")
        self.assertEqual(sorted(os.listdir(folder)), sorted(
            [*names, "d.slimfly-abcdef", "l.slimfly-abcdef", "out"]))

    def test_a_folder_that_the_user_locks_is_no_obstacle(self):
        folder = self.folder()
        fd = os.open(folder, os.O_RDONLY)
        fcntl.flock(fd, fcntl.LOCK_EX)
        self.succeeds("topology", "sf:q=4", "-o", f"{folder}/out")
        os.close(fd)

    def test_files_of_a_run_that_goes_on_stay(self):
        folder = self.folder()
        with subprocess.Popen([harness.PROGRAM, "plan", "sf:q=11", "-o",
                               folder], stdout=subprocess.DEVNULL) as process:
            while process.poll() is None and not self.files(folder):
                time.sleep(0.002)
            process.send_signal(signal.SIGSTOP)
            before = self.files(folder)
            self.succeeds("topology", "sf:q=4", "-o", f"{folder}/out")
            after = self.files(folder)
            process.send_signal(signal.SIGCONT)
            self.assertEqual(process.wait(harness.PATIENCE), 0)
        self.assertEqual(after, sorted([*before, "out"]))
        self.assertTrue(os.path.exists(f"{folder}/plan.json"))


if __name__ == "__main__":
    harness.main()
