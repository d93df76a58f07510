"""tally.py WHAT LOG... -- counts the test cases in logs of 'meson test'.

Tests print TAP, one line a case; a program that ends badly without a failed
case (a crash, a time-out, a plan that was not kept) counts as one more, and so
does a log that is not there.  Failed cases are printed with what they say, and
their names again before the counts.

'tally.py --failed LOG' prints the programs of a log that failed.  If LOG has a
companion LOG-again, its programs count as they ended there, and are named.

If the environment variable SLIMFLY_COUNTS names a file, the counts are also
added to it as a line of JSON.  'tally.py --sum FILE' adds such lines up.
"""
import json
import os
import re
import sys


def read_tests(log):
    """What a log says of each program, or None if there is no such log."""
    try:
        with open(log, encoding="utf-8") as file:
            return [json.loads(line) for line in file]
    except OSError:
        return None


def ended_well(test):
    """Whether a program passed; one all of whose cases are of another length
    is skipped."""
    return test["result"] in ("OK", "EXPECTEDFAIL", "SKIP")


def name_of(test):
    """The name by which 'meson test' knows a program."""
    return test["name"].split(" / ")[-1]


def second_log(log):
    """The log of those programs that were run again."""
    return log.removesuffix(".json") + "-again.json"


def show_failures(test):
    """Prints the failed cases of a program, which meson leaves out."""
    for case in re.findall(r"^not ok\b.*\n(?:#.*\n)*", test.get("stdout", ""),
                           re.M):
        print(f"{test['name']}: " + "\n".join(case.splitlines()[:40]))


class Tally:
    """The counts of all logs, with the names of what did not pass."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.failures = []
        self.second_tries = []

    def add_program(self, test):
        """Counts the cases of one program."""
        cases = re.findall(r"^(not )?ok\b(.*)$", test.get("stdout", ""), re.M)
        bad = [text.strip(" -") for is_bad, text in cases if is_bad]
        n_skipped = sum(1 for is_bad, text in cases
                        if not is_bad and "# SKIP" in text.upper())
        self.passed += len(cases) - n_skipped - len(bad)
        self.skipped += n_skipped
        if not ended_well(test) and not bad:
            bad = [test["result"].lower()]
        self.failed += len(bad)
        self.failures += [f"{name_of(test)}: {text}" for text in bad]

    def add_log(self, log):
        """Counts a log; what was run again counts as it ended then."""
        tests = read_tests(log)
        if tests is None:
            self.failed += 1
            self.failures.append(f"{log}: no such log")
            return
        again = {test["name"]: test
                 for test in read_tests(second_log(log)) or []}
        for test in tests:
            show_failures(test)
            last = again.get(test["name"], test)
            if last is not test and ended_well(last):
                self.second_tries.append(name_of(test))
            self.add_program(last)


def tell(counts, names, what=""):
    """Prints the counts and the names; returns the exit code."""
    passed, failed, skipped = counts
    failures, second_tries = names
    tail = f", {skipped} skipped" if skipped else ""
    if second_tries:
        print("passed at the second try, alone: " + ", ".join(second_tries))
    for failure in failures:
        print("failed: " + failure)
    print(f"{what}{passed} passed, {failed} failed{tail}", flush=True)
    return 1 if failed or not passed else 0


def main():
    if sys.argv[1] == "--failed":
        print("\n".join(sorted({name_of(test)
                                for test in read_tests(sys.argv[2]) or []
                                if not ended_well(test)})))
        return 0
    if sys.argv[1] == "--sum":
        with open(sys.argv[2], encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        return tell([sum(line["counts"][i] for line in lines)
                     for i in range(3)],
                    [sum((line["names"][i] for line in lines), [])
                     for i in range(2)])
    tally = Tally()
    for log in sys.argv[2:]:
        tally.add_log(log)
    counts = tally.passed, tally.failed, tally.skipped
    names = tally.failures, tally.second_tries
    total = os.environ.get("SLIMFLY_COUNTS")
    if not total:
        return tell(counts, names)
    with open(total, "a", encoding="utf-8") as file:
        file.write(json.dumps({"counts": counts, "names": names}) + "\n")
    return tell(counts, names, f"{sys.argv[1]}: ")


sys.exit(main())
