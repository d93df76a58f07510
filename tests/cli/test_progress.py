"""Long work says what it does and how long it will still take: a terminal sees
one line, a log has a line now and then, and results are the same."""
import fcntl
import os
import pty
import re
import shutil
import signal
import struct
import subprocess
import tempfile
import termios
import time

import harness

ERASE = "\r\033[K"
TIME = r"(?:\d+ h )?\d+ (?:s|min)"
NUMBERS = (rf"(: \d+ %)?([:,] {TIME} so far)?(, about {TIME} left"
           "( in this step)?)?")
# How often quick work may take long: on a busy machine that happens.
TRIES = 200


class Terminal:
    """A program on a terminal of its own."""

    def __init__(self, *args, width=200):
        self.seen = ""
        self.side, other = pty.openpty()
        fcntl.ioctl(other, termios.TIOCSWINSZ,
                    struct.pack("HHHH", 24, width, 0, 0))
        self.process = subprocess.Popen(
            [harness.PROGRAM, *args], stdin=other, stdout=other, stderr=other,
            env={**os.environ, "TERM": "xterm"},
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        os.close(other)

    def read(self):
        """Reads some more; false at the end."""
        try:
            some = os.read(self.side, 65536)
        except OSError:  # As Linux says that the other side is closed.
            some = b""
        self.seen += some.decode().replace("\r\n", "\n")
        return bool(some)

    def end(self):
        """Reads all there is; the exit code."""
        while self.read():
            pass
        os.close(self.side)
        return self.process.wait(harness.PATIENCE)

    def lines(self):
        """The lines of progress, without what took their place."""
        return [part.split("\n")[0] for part in self.seen.split(ERASE)[1:]]

    def screen(self):
        """What is left at the end."""
        return re.sub(r"[^\n]*\r\033\[K", "", self.seen)


class Case(harness.Case):
    def folder(self):
        path = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, path)
        return path

    def within(self, seconds, run):
        """What 'run' returns when it takes less than so many seconds."""
        for _ in range(TRIES):
            start = time.monotonic()
            result = run()
            if time.monotonic() - start < seconds:
                return result
        self.fail(f"never done within {seconds} seconds")
        return None


class Log(Case):
    def says(self, *args, code=0):
        """What a command says of its progress, without the numbers."""
        done = harness.slimfly(*args, "--progress", "always")
        self.assertEqual(done.returncode, code, done.stderr)
        silent = harness.slimfly(*args, "--progress", "never")
        self.assertEqual(silent.stderr, "", args)
        works = []
        for line in done.stderr.splitlines():
            match = re.fullmatch(r"slimfly: (.*?)" + NUMBERS, line)
            self.assertTrue(match, line)
            works.append(match[1])
        return done, silent, works

    def test_every_step_of_a_routing(self):
        folder = self.folder()
        _, _, works = self.says("route", "sf:q=3", "-o", folder)
        self.assertEqual(works[0], "building sf:q=3")
        for work in ("designing turns", "choosing paths", "making lanes",
                     "making forwarding tables", "measuring paths",
                     "writing fabric.ibnetdiscover",
                     "writing opensm-lfts.dump", "writing opensm-sl2vl.dump"):
            self.assertIn(work, works)
        _, _, works = self.says("audit", folder)
        for work in (f"reading {folder}/opensm-lfts.dump",
                     "following all paths",
                     "collecting what packets wait for"):
            self.assertIn(work, works)
        _, _, works = self.says("route", folder, "--previous", folder, "-o",
                                f"{folder}/again")
        self.assertIn("repairing paths", works)

    def test_what_is_measured(self):
        args = ["analyze", "sf:q=3", "-s", "minimal,gates", "-l", "1,2", "-t",
                "all-to-all,permutation", "-n", "2", "--threads", "1"]
        done, silent, works = self.says(*args)
        self.assertEqual(done.stdout, silent.stdout)
        said = "\n".join(works)
        self.assertIn("\n0 of 48 measurements done, now minimal, 1 layer, "
                      "seed 1, paths: ", said)
        for part in ("gates, 2 layers, seed 2, all-to-all",
                     "any path, seed 1, permutation: throughput",
                     "all paths to 3 hops, seed 2, all-to-all: "):
            self.assertIn(f" measurements done, now {part}", said)

    def test_what_is_kept_while_somebody_looks(self):
        # Keeping a result says what it writes; it once waited for itself.
        for args in (["analyze", "sf:q=3", "-t", "permutation"],
                     ["simulate", "sf:q=3", "--size", "4K"]):
            for threads in "1", "2":
                folder = self.folder()
                done, silent, _ = self.says(*args, "--threads", threads, "-o",
                                            folder)
                self.assertEqual(done.stdout, silent.stdout)
                self.assertTrue(os.listdir(f"{folder}/measured"))

    def test_every_command_that_may_take_long(self):
        folder = self.folder()
        for args, work in [
                (["topology", "sf:q=5"], "measuring distances"),
                (["design", "--ports", "36"], "measuring sf:q=17"),
                (["plan", "sf:q=3", "-o", f"{folder}/p"],
                 "writing guide.html"),
                (["settings", "sf:q=3", "-o", f"{folder}/s"],
                 "writing opensm.conf"),
                (["verify", f"{folder}/p", f"{folder}/p/fabric.ibsim"],
                 "comparing with the plan")]:
            done, silent, works = self.says(*args)
            self.assertEqual(done.stdout, silent.stdout)
            self.assertTrue([w for w in works if w.startswith(work)],
                            (args, works))

    def test_quick_work_says_nothing(self):
        for args, env in (["--progress", "auto"], {}), \
                ([], {"SLIMFLY_PROGRESS": ""}):
            done = self.within(10, lambda args=args, env=env: harness.slimfly(
                "route", "sf:q=3", "-o", self.folder(), *args, env=env))
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_each_process_that_works_for_itself_says_something(self):
        """Only the first of a launch did, also where there was nothing to
        share."""
        second = {"SLURM_PROCID": "1", "SLURM_STEP_NUM_TASKS": "2"}
        for args, says_it in [
                (["topology", "sf:q=3"], True),
                (["route", "sf:q=3", "-o", self.folder()], True),
                (["analyze", "sf:q=3", "-o", self.folder()], False),
                (["analyze", "sf:q=3", "--alone"], True)]:
            done = harness.slimfly(*args, "--progress", "always", env=second)
            self.assertEqual((done.returncode, done.stderr != ""),
                             (0, says_it), args)

    def test_the_environment_says_when(self):
        args = ["topology", "sf:q=3"]
        done = harness.slimfly(*args, env={"SLIMFLY_PROGRESS": "always"})
        self.assertIn("slimfly: measuring distances", done.stderr)
        self.succeeds(*args, "--progress", "never",
                      env={"SLIMFLY_PROGRESS": "always"})
        self.fails(*args, env={"SLIMFLY_PROGRESS": "often"},
                   says="SLIMFLY_PROGRESS is 'often': expected auto, always "
                   "or never")
        self.fails(*args, "--progress", "often", says="expected one of auto")

    def test_names_cannot_act_on_a_terminal(self):
        path = f"{self.folder()}/\033[31m.edges"
        with open(path, "w", encoding="utf-8") as file:
            file.write("a b\n")
        done = harness.slimfly("topology", f"edges:{path}", "--progress",
                               "always")
        self.assertNotIn("\033", done.stderr)
        self.assertIn("?[31m.edges", done.stderr)


class OnATerminal(Case):
    def test_the_line_is_gone_before_the_results(self):
        for args in (["topology", "sf:q=5"],
                     ["analyze", "sf:q=3", "-t", "permutation"],
                     ["design", "--ports", "36"],
                     ["plan", "sf:q=3", "-o", f"{self.folder()}/p"]):
            terminal = Terminal(*args, "--progress", "always")
            self.assertEqual(terminal.end(), 0, terminal.seen)
            self.assertGreater(len(terminal.lines()), 1)
            self.assertEqual(terminal.screen(), self.succeeds(*args), args)

    def test_errors_stand_alone(self):
        path = f"{self.folder()}/edges"
        with open(path, "w", encoding="utf-8") as file:
            file.write("a b\nc\n")
        terminal = Terminal("topology", f"edges:{path}", "--progress",
                            "always")
        self.assertEqual(terminal.end(), 2)
        self.assertIn("building edges:", terminal.lines()[0])
        self.assertRegex(terminal.screen(), r"^slimfly: [^\n]*edges:2: ")

    def test_the_line_is_not_wider_than_the_terminal(self):
        terminal = Terminal("analyze", "sf:q=3", "-t", "permutation",
                            "--threads", "1", "--progress", "always", width=50)
        self.assertEqual(terminal.end(), 0)
        lines = terminal.lines()
        self.assertEqual(max(len(line) for line in lines[:-1]), 49)
        whole = "0 of 5 measurements done, now gates, 4 layers, seed 1, "
        cut = [re.fullmatch("(.*?)" + NUMBERS, line)[1] for line in lines
               if len(line) == 49]
        self.assertTrue([line for line in cut if whole.startswith(line)],
                        lines)

    def test_quick_work_shows_nothing(self):
        def run():
            terminal = Terminal("topology", "sf:q=3", "--progress", "auto")
            self.assertEqual(terminal.end(), 0)
            return terminal

        terminal = self.within(1, run)
        self.assertEqual(terminal.seen, self.succeeds("topology", "sf:q=3"))

    def test_whoever_interrupts_finds_no_line(self):
        for number in signal.SIGINT, signal.SIGTERM:
            folder = self.folder()
            terminal = Terminal("route", "sf:q=19", "-o", folder,
                                "--progress", "always")
            while not terminal.lines() and terminal.read():
                pass
            terminal.process.send_signal(number)
            self.assertEqual(terminal.end(), -number)
            self.assertEqual(terminal.screen(), "")
            self.assertEqual(os.listdir(folder), [])

    def test_the_time_goes_on_while_nothing_is_reported(self):
        # A linear program does not say how far it is.
        terminal = Terminal("analyze", "sf:q=11", "-t", "permutation",
                            "--references", "none", "--exact", "--progress",
                            "auto")
        times = set()
        while len(times) < 2 and terminal.read():
            times = set(re.findall(
                r"1 of 3 measurements done, now gates, 4 layers, seed 1, "
                rf"permutation: a linear program: \d+ %, ({TIME}) so far, about "
                rf"{TIME} left", terminal.seen))
        terminal.process.kill()
        terminal.end()
        self.assertEqual(len(times), 2, terminal.seen)


class WithoutADevice(Case):
    def test_there_is_no_point_in_trying_again(self):
        if os.path.exists("/sys/class/infiniband"):
            self.skipTest("this machine has InfiniBand")
        self.fails("watch", "sf:q=3", says="this machine has no InfiniBand "
                   "device; --exec COMMAND can discover from another machine")


if __name__ == "__main__":
    harness.main()
