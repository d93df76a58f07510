"""tally.py WHAT LOG... -- counts the test cases in logs of 'meson test'.

Tests print TAP, one line a case; a program that ends badly without a failed
case (a crash, a time-out, a plan that was not kept) counts as one more, and so
does a log that is not there.  Failed cases are printed with what they say.

If the environment variable SLIMFLY_COUNTS names a file, the counts are also
added to it as a line of JSON.  'tally.py --sum FILE' adds such lines up.
"""
import json
import os
import re
import sys


def show_failures(test):
    """Prints the failed cases of a program, which meson leaves out."""
    for case in re.findall(r"^not ok\b.*\n(?:#.*\n)*", test.get("stdout", ""),
                           re.M):
        print(f"{test['name']}: " + "\n".join(case.splitlines()[:40]))


def count(log):
    """How many cases of a log passed, failed and were skipped."""
    passed = failed = skipped = 0
    try:
        with open(log, encoding="utf-8") as file:
            tests = [json.loads(line) for line in file]
    except OSError:
        return 0, 1, 0
    for test in tests:
        cases = re.findall(r"^(not )?ok\b(.*)$", test.get("stdout", ""), re.M)
        n_failed = sum(1 for bad, _ in cases if bad)
        show_failures(test)
        n_skipped = sum(1 for bad, text in cases
                        if not bad and "# SKIP" in text.upper())
        passed += len(cases) - n_skipped - n_failed
        # A program all of whose cases are of another length is skipped.
        ended_well = test["result"] in ("OK", "EXPECTEDFAIL", "SKIP")
        if not ended_well and n_failed == 0:
            n_failed = 1
        failed += n_failed
        skipped += n_skipped
    return passed, failed, skipped


def tell(counts, what=""):
    """Prints the counts; returns the exit code."""
    passed, failed, skipped = counts
    tail = f", {skipped} skipped" if skipped else ""
    print(f"{what}{passed} passed, {failed} failed{tail}", flush=True)
    return 1 if failed or not passed else 0


def main():
    if sys.argv[1] == "--sum":
        with open(sys.argv[2], encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        return tell([sum(column) for column in zip(*lines)])
    what, logs = sys.argv[1], sys.argv[2:]
    counts = [sum(column) for column in zip(*map(count, logs))]
    total = os.environ.get("SLIMFLY_COUNTS")
    if not total:
        return tell(counts)
    with open(total, "a", encoding="utf-8") as file:
        file.write(json.dumps(counts) + "\n")
    return tell(counts, f"{what}: ")


sys.exit(main())
