"""account.py -- the account that a demonstration gives of itself."""
import time


def say(text=""):
    """A line of the account, at once."""
    print(text, flush=True)


def show(text, lines=None):
    """What a program printed, indented."""
    for line in text.rstrip().splitlines()[:lines]:
        say(f"    {line}")


class Step:
    """A numbered step of the account, with its time."""

    number = 0

    def __init__(self, title):
        Step.number += 1
        self.title = f"{Step.number}. {title}"

    def __enter__(self):
        say()
        say(self.title)
        self.start = time.monotonic()
        return self

    def __exit__(self, *_):
        say(f"    -- {time.monotonic() - self.start:.1f} s")
