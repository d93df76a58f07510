"""handbook.py -- the commands that doc/operations.md shows."""
import os
import re
import shlex

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
PATH = f"{ROOT}/doc/operations.md"

# Commands and options that the handbook shows and the program does not have
# yet.  A test fails when one of them is there, so that none stays here.
PENDING = {"counters", "diff", "drain", "monitor", "replace", "undrain",
           "route --dry-run"}


def text():
    """The handbook."""
    with open(PATH, encoding="utf-8") as file:
        return file.read()


def blocks():
    """Lines of indented blocks, as words of a shell without comments."""
    for line in text().splitlines():
        if line.startswith("    "):
            yield shlex.split(line, comments=True)


def inline():
    """Commands between backticks in sentences."""
    for found in re.findall(r"`(slimfly [^`]+)`", text()):
        yield shlex.split(found)


def is_pending(words):
    """Whether a command line needs what is not there yet."""
    return words[1] in PENDING or any(
        f"{words[1]} {word}" in PENDING for word in words[2:])
