"""Whoever interrupts a command gets the prompt back at once; nothing unfinished
stays, and nothing wrong is kept."""
import fcntl
import glob
import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time

import harness

SIGNALS = signal.SIGINT, signal.SIGTERM
# Seconds of work: ten times what the end of a program may take.
AT_ONCE = 10
# How often a program may be done before it is interrupted: on a busy machine
# this test may have to wait while the program goes on.
TRIES = 100
TICKS = os.sysconf("SC_CLK_TCK")
FOLDER = "FOLDER"  # In arguments: a new folder.
TEMPORARY = re.compile(r"\.slimfly-[0-9A-Za-z]{6}$")


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


def work_of_children():
    """The seconds that children computed which have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Interrupted(harness.Case):
    def folder(self):
        path = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, path)
        return path

    def stop_in_time(self, args, is_time):
        """Runs a command on a new folder, and stops it when is_time(process,
        folder), which holds while it is stopped.  Returns process and folder,
        or None if that was too late."""
        folder = self.folder()
        process = subprocess.Popen(
            [harness.PROGRAM, *(arg.replace(FOLDER, folder) for arg in args)],
            text=True, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, preexec_fn=by_default)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        while process.poll() is None and not is_time(process, folder):
            time.sleep(0.002)
        if harness.stop(process) and is_time(process, folder):
            return process, folder
        process.kill()
        process.wait()
        return None

    def catch(self, args, is_time):
        """As stop_in_time(), until it is in time."""
        for _ in range(TRIES):
            caught = self.stop_in_time(args, is_time)
            if caught:
                return caught
        self.fail(f"never in time: {args}")
        return None

    def interrupt(self, number, args, is_time):
        """Runs a command on a new folder and sends a signal as soon as
        is_time(process, folder); returns the folder."""
        process, folder = self.catch(args, is_time)
        before = work_of_children() + work_of(process)
        process.send_signal(number)
        process.send_signal(signal.SIGCONT)
        out, err = process.communicate(timeout=harness.PATIENCE)
        self.assertEqual(process.returncode, -number, (args, out, err))
        self.assertEqual((out, err), ("", ""), args)
        self.assertLess(work_of_children() - before, AT_ONCE)
        return folder

    def files(self, folder):
        """All files below a folder, but for the empty one on which processes
        lock what they work on."""
        return sorted(os.path.relpath(path, folder) for path in
                      glob.glob(f"{folder}/**", recursive=True,
                                include_hidden=True)
                      if not os.path.isdir(path)
                      and os.path.basename(path) != ".claims")

    def has_temporary_only(self, folder):
        """Whether nothing in a folder has its name yet."""
        return all(TEMPORARY.search(name) for name in self.files(folder))

    def is_writing(self, _, folder):
        """Whether there are temporary files, and nothing else yet."""
        return bool(self.files(folder)) and self.has_temporary_only(folder)


def is_solving(seconds, n_kept=None):
    """Whether the path metrics are kept, and work went on after that: in a
    linear program.  If there are 'n_kept' metrics, nothing else may be."""
    before = {}

    def is_time(process, folder):
        kept = len(glob.glob(f"{folder}/measured/*.json"))
        if folder not in before and kept:
            before[folder] = work_of(process)
        return (folder in before and kept in (n_kept or kept,) and
                work_of(process) > before[folder] + seconds)
    return is_time


class Analyze(Interrupted):
    args = ["analyze", "sf:q=7", "-t", "permutation", "--references", "none"]

    def test_in_a_linear_program(self):
        for number in SIGNALS:
            args = [*self.args, "--threads", "1", "-o", FOLDER]
            folder = self.interrupt(number, args, is_solving(0.2, n_kept=1))
            # The metrics of paths: no throughput is known.
            self.assertEqual(len(self.files(folder)), 1)
        after = self.succeeds(*args[:-1], folder)
        self.assertEqual(after, self.succeeds(*args[:-2]))
        self.assertNotIn("~", after)

    def test_in_linear_programs_of_several_threads(self):
        for number in SIGNALS:
            folder = self.interrupt(number, [*self.args, "--seeds", "4",
                                             "--threads", "4", "-o",
                                             FOLDER], is_solving(1))
            for name in self.files(folder):
                self.assertRegex(name, r"^measured/[0-9a-f]{16}\.json$")

    def test_while_threads_keep_measurements(self):
        for i in range(20):
            folder = self.interrupt(SIGNALS[i % 2], [
                "analyze", "sf:q=3", "-s", "minimal", "-t", "permutation",
                "--references", "none", "--seeds", "10000", "--threads", "4",
                "-o", FOLDER],
                lambda _, folder, n=i: len(self.files(folder)) > n)
            for name in self.files(folder):
                self.assertRegex(name, r"^measured/[0-9a-f]{16}\.json$")

    @harness.long
    def test_several_threads_go_on(self):
        args = [*self.args, "--seeds", "3", "--threads", "3", "-o", FOLDER]
        for number in SIGNALS:
            folder = self.interrupt(number, args, is_solving(2))
            self.assertEqual(self.succeeds(*args[:-1], folder),
                             self.succeeds(*args[:-2]))

    @harness.long
    def test_in_a_large_linear_program(self):
        for number in SIGNALS:
            folder = self.interrupt(number, ["analyze", "sf:q=11",
                                             *self.args[2:], "--exact", "-o",
                                             FOLDER],
                                    is_solving(3, n_kept=1))
            self.assertEqual(len(self.files(folder)), 1)


class Others(Interrupted):
    def test_while_computing(self):
        for args in [["route", "sf:q=19", "-o"],
                     ["analyze", "sf:q=19", "-t", "all-to-all", "-o"],
                     ["plan", "sf:q=37", "-o"],
                     ["design", "--endpoints", "1000000", "--backend", "any",
                      "-o"]]:
            for number in SIGNALS:
                folder = self.interrupt(
                    number, [*args, f"{FOLDER}/out"],
                    lambda process, folder: work_of(process) > 0.5 and
                    self.has_temporary_only(folder))
                self.assertEqual(self.files(folder), [])

    def test_while_writing(self):
        for args in [["route", "sf:q=11", "-o"], ["plan", "sf:q=11", "-o"]]:
            for number in SIGNALS:
                folder = self.interrupt(number, [*args, FOLDER],
                                        self.is_writing)
                self.assertEqual(self.files(folder), [])


class Killed(Interrupted):
    """What a run could not remove, the next one does."""

    def stop_writing(self):
        """Stops a run while it writes; returns process and folder."""
        return self.catch(["plan", "sf:q=11", "-o", FOLDER], self.is_writing)

    def test_leftovers_are_swept_away(self):
        process, folder = self.stop_writing()
        process.kill()
        process.wait()
        self.assertTrue(self.is_writing(process, folder))
        clean = self.folder()
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
        process, folder = self.stop_writing()
        before = self.files(folder)
        self.succeeds("topology", "sf:q=4", "-o", f"{folder}/out")
        after = self.files(folder)
        process.send_signal(signal.SIGCONT)
        self.assertEqual(process.communicate(timeout=harness.PATIENCE)[1], "")
        self.assertEqual(process.returncode, 0)
        self.assertEqual(after, sorted([*before, "out"]))
        self.assertTrue(os.path.exists(f"{folder}/plan.json"))


if __name__ == "__main__":
    harness.main()
