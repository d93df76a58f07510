#!/usr/bin/python3
"""symbols.py [--check] LIBRARY -- the list of what libslimfly.so exports, with
the version that each function came with: debian/libslimfly0.symbols.

Adds what is new, with the version of meson.build.  Fails if something is gone:
programs that were linked against it would not start any more, so that needs
another soname.  With --check it only looks, and new functions are fine.
"""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIST = f"{ROOT}/debian/libslimfly0.symbols"
HEAD = ["libslimfly.so.0 libslimfly0 #MINVER#",
        "* Build-Depends-Package: libslimfly-dev"]


def version():
    """The version of the project."""
    with open(f"{ROOT}/meson.build", encoding="utf-8") as file:
        return re.search(r"^  version: '(.*)',$", file.read(), re.M)[1]


def exported(library):
    """The names that a library exports."""
    out = subprocess.run(["nm", "-D", "--defined-only", library], check=True,
                         capture_output=True, text=True).stdout
    return {line.split()[-1] for line in out.splitlines()}


def listed():
    """Names and their versions, as they stand in the list."""
    if not os.path.exists(LIST):
        return {}
    with open(LIST, encoding="utf-8") as file:
        return dict(re.findall(r"^ (\w+)@Base (\S+)$", file.read(), re.M))


def main():
    *options, library = sys.argv[1:]
    names, known = exported(library), listed()
    gone = sorted(set(known) - names)
    if gone:
        sys.exit("gone, which needs another soname: " + " ".join(gone))
    if "--check" not in options:
        lines = HEAD + [f" {name}@Base {known.get(name, version())}"
                        for name in sorted(names)]
        with open(LIST, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        print(f"{len(names)} names, {len(names) - len(known)} of them new")


main()
