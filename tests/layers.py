"""Data flows one way: a folder of lib/ includes only what stands above it.

Also: the program and the examples include public headers only.
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ORDER = ["base", "field", "topology", "fabric", "plan", "design", "traffic",
         "routes", "layers", "lanes", "routing", "analysis", "sim", "ib", "ip",
         "settings", "io", "report"]


def includes(path):
    """The quoted includes of a file."""
    with open(path, encoding="utf-8") as file:
        return re.findall(r'^#include "([^"]+)"', file.read(), re.M)


def sources(folder):
    """All C files below a folder."""
    for top, _, names in os.walk(f"{ROOT}/{folder}"):
        for name in names:
            if name.endswith((".c", ".h")):
                yield os.path.join(top, name)


print("TAP version 13")
number = 0
failed = False
folders = sorted(os.listdir(f"{ROOT}/lib"))
for folder in [name for name in folders if os.path.isdir(f"{ROOT}/lib/{name}")]:
    number += 1
    bad = [] if folder in ORDER else [f"lib/{folder} has no place in ORDER"]
    for path in sources(f"lib/{folder}"):
        for name in includes(path):
            top = name.split("/")[0]
            if top != "slimfly" and (top not in ORDER or folder not in ORDER
                                     or ORDER.index(top)
                                     > ORDER.index(folder)):
                bad.append(f"{os.path.relpath(path, ROOT)} includes {name}")
    failed |= bool(bad)
    print(f"{'not ok' if bad else 'ok'} {number} - lib/{folder} includes only "
          "what stands above it")
    for line in bad:
        print(f"# {line}")

number += 1
bad = [f"{os.path.relpath(path, ROOT)} includes {name}"
       for folder in ("cli", "examples") for path in sources(folder)
       for name in includes(path)
       if not name.startswith("slimfly/")
       and not os.path.exists(f"{os.path.dirname(path)}/{name}")]
failed |= bool(bad)
print(f"{'not ok' if bad else 'ok'} {number} - the program includes public "
      "headers only")
for line in bad:
    print(f"# {line}")

number += 1
bad = [f"{os.path.relpath(path, ROOT)} includes {name}"
       for path in sources("opensm") for name in includes(path)
       if "/" in name and not name.startswith(("slimfly/", "base/"))]
failed |= bool(bad)
print(f"{'not ok' if bad else 'ok'} {number} - the plugin includes public "
      "headers only, and what lies at the base")
for line in bad:
    print(f"# {line}")
print(f"1..{number}")
sys.exit(1 if failed else 0)
