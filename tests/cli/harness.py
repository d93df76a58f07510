"""harness.py -- tests of the program as its users run it.

A test file defines unittest cases and ends with harness.main().  Its first
argument is the program.  Output is TAP, one line a case.

The environment variable SLIMFLY_TESTS says which cases run: "short" (the
default, 'make test'), "long" (those marked @harness.long) or "all".
"""
import json
import os
import signal
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
PROGRAM = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else None
LENGTHS = os.environ.get("SLIMFLY_TESTS") or "short"
# Seconds after which something hangs.  A guard only: a busy machine takes many
# times as long as a quiet one, and nothing here may depend on that.
PATIENCE = 1800
# On a busy machine any command may take long, and would say so on standard
# error.  Only the tests of that want it.
os.environ["SLIMFLY_PROGRESS"] = "never"
# What LeakSanitizer is to pass over; it would say so on standard error.
os.environ["LSAN_OPTIONS"] = (f"suppressions={ROOT}/tests/lsan.supp:"
                              "print_suppressions=0")


def long(case):
    """Marks a case that takes more than a few seconds."""
    case.is_long = True
    return case


def slimfly(*args, stdin="", env=None, cwd=None):
    """Runs the program; returns its CompletedProcess with text output."""
    return subprocess.run([PROGRAM, *args], input=stdin, capture_output=True,
                          text=True, errors="surrogateescape",
                          timeout=PATIENCE, cwd=cwd, check=False,
                          env={**os.environ, **(env or {})})


def without_command(text):
    """A JSON file without the command that made it, which names its folder."""
    command = json.loads(text).get("command")
    return text.replace(json.dumps(command), '""') if command else text


def stop(process):
    """Stops a child until SIGCONT, and waits for that; false if it ended."""
    process.send_signal(signal.SIGSTOP)
    if process.returncode is None:
        os.waitid(os.P_PID, process.pid,
                  os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    return process.poll() is None


class Case(unittest.TestCase):
    """A test case with checks for what the program promises."""

    maxDiff = 4000

    def succeeds(self, *args, **kwargs):
        """Runs the program, which must say nothing on standard error."""
        done = slimfly(*args, **kwargs)
        self.assertEqual((done.returncode, done.stderr), (0, ""), args)
        return done.stdout

    def fails(self, *args, says, **kwargs):
        """Runs the program, which must fail with one clear line."""
        done = slimfly(*args, **kwargs)
        self.assertEqual(done.returncode, 2, (args, done.stdout))
        self.assertEqual(done.stdout, "", args)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertTrue(done.stderr.startswith("slimfly: "), done.stderr)
        self.assertIn(says, done.stderr, args)


class TapResult(unittest.TestResult):
    """Prints a TAP line for each case."""

    n_run = 0

    def _line(self, test, verdict, detail=""):
        self.n_run += 1
        name = ascii(test.id().replace("__main__.", ""))[1:-1]
        name = name.replace("#", "?")  # Which would mean something in TAP.
        print(f"{verdict} {self.n_run} - {name}{detail}", flush=True)

    def addSuccess(self, test):
        super().addSuccess(test)
        self._line(test, "ok")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self._line(test, "ok", f" # SKIP {reason}")

    def _failed(self, test, err):
        self._line(test, "not ok")
        for line in self._exc_info_to_string(err, test).splitlines():
            print(f"# {line}")

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._failed(test, err)

    def addError(self, test, err):
        super().addError(test, err)
        self._failed(test, err)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is None:
            self._line(subtest, "ok")
        else:
            self._failed(subtest, err)


def wanted(suite):
    """The cases of a suite that are of the length asked for."""
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from wanted(test)
        else:
            case = getattr(test, test.id().split(".")[-1])
            is_long = getattr(case, "is_long", False)
            if LENGTHS == "all" or is_long == (LENGTHS == "long"):
                yield test


def main():
    """Runs the cases of the calling file."""
    print("TAP version 13")
    suite = unittest.TestSuite(wanted(
        unittest.defaultTestLoader.loadTestsFromModule(
            sys.modules["__main__"])))
    result = TapResult()
    suite.run(result)
    print(f"1..{result.n_run}" + ("" if result.n_run else
                                  " # SKIP no case of this length"))
    sys.exit(0 if result.wasSuccessful() else 1)
