"""tally.py BUILD... -- counts the test cases of the last run in each build.

Tests print TAP, one line a case; a program that ends badly without a failed
case (a crash, a time-out, a plan that was not kept) counts as one more.
"""
import json
import re
import sys

passed = failed = skipped = 0
for build in sys.argv[1:]:
    with open(f"{build}/meson-logs/testlog.json", encoding="utf-8") as log:
        for line in log:
            test = json.loads(line)
            output = test.get("stdout", "")
            cases = re.findall(r"^(not )?ok\b(.*)$", output, re.M)
            n_failed = sum(1 for bad, _ in cases if bad)
            n_skipped = sum(1 for bad, text in cases
                            if not bad and "# SKIP" in text.upper())
            ended_well = test["result"] in ("OK", "EXPECTEDFAIL")
            if not ended_well and n_failed == 0:
                n_failed = 1
            passed += len(cases) - n_skipped - sum(
                1 for bad, _ in cases if bad)
            failed += n_failed
            skipped += n_skipped

tail = f", {skipped} skipped" if skipped else ""
print(f"{passed} passed, {failed} failed{tail}")
sys.exit(1 if failed or not passed else 0)
