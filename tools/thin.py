#!/usr/bin/python3
"""thin.py COMMAND... -- runs ninja for a log: its lines "[12/213] ..." appear
every few seconds only, all that compilers say appears as it is.  The exit code
is that of the command."""
import re
import subprocess
import sys
import time

EVERY = 5  # Seconds.
STATUS = re.compile(r"\[\d+/\d+\] ")
USELESS = re.compile(r"ninja: (Entering directory|no work to do)")


def main():
    """Runs the command and passes on what is worth it."""
    shown = time.monotonic()
    with subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, text=True,
                          errors="replace") as process:
        try:
            for line in process.stdout:
                now = time.monotonic()
                is_status = STATUS.match(line)
                if USELESS.match(line) or (is_status and now < shown + EVERY):
                    continue
                shown = now if is_status else shown
                print(line, end="", flush=True)
        except KeyboardInterrupt:
            process.wait()  # Which was interrupted too.
    return process.returncode


if __name__ == "__main__":
    sys.exit(main())
