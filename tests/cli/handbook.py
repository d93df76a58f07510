"""handbook.py -- the commands that doc/operations.md shows."""
import os
import re
import shlex

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
PATH = f"{ROOT}/doc/operations.md"


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
