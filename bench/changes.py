"""changes.py -- how safe changes of tables are while they are made: jobs that
start, links that fail and come back, other seeds.

Arguments: the program, and how many changes of each kind (default 5).
"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time

PROGRAM = os.path.abspath(sys.argv[1])
N = int(sys.argv[2]) if len(sys.argv) > 2 else 5
SPECS = [(spec, 4) for spec in sys.argv[3:]] or [
    ("sf:q=5", 4), ("sf:q=7", 4), ("sf:q=11", 4)]


def run(*args):
    """Runs the program; returns what it printed."""
    done = subprocess.run([PROGRAM, *args], capture_output=True, text=True,
                          check=False, env={**os.environ,
                                            "SLIMFLY_PROGRESS": "never"})
    if done.returncode > 1:
        raise RuntimeError(done.stderr)
    return done.stdout


def cut(folder, path, rng):
    """The fabric of 'folder' without one link, in the file 'path'."""
    with open(f"{folder}/fabric.ibnetdiscover", encoding="utf-8") as file:
        lines = file.read().split("\n")
    links, where, current = {}, {}, None
    for i, line in enumerate(lines):
        switch = re.match(r'Switch\t\d+ "(S-[0-9a-f]+)"', line)
        link = re.match(r'\[(\d+)\]\t"(S-[0-9a-f]+)"\[(\d+)\]', line)
        current = switch.group(1) if switch else current
        if link:
            where[current, link.group(1)] = i
            links[current, link.group(1)] = (link.group(2), link.group(3))
    end = rng.choice(sorted(links))
    gone = {where[end], where[links[end]]}
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(line for i, line in enumerate(lines)
                             if i not in gone))


def judge(rows, kind, old, new):
    """Notes what 'audit OLD NEW' says."""
    start = time.monotonic()
    result = json.loads(run("audit", old, new, "--format", "json"))
    rows.setdefault(kind, []).append((result, time.monotonic() - start))


def report(spec, rows):
    """A line for each kind of change."""
    for kind, found in rows.items():
        results = [result for result, _ in found]
        steps = [result["steps"] for result in results]
        safe = [s["n_steps"] for s in steps if s["safe"]]
        print(f"| {spec} | {kind} | {len(found)} "
              f"| {sum(r['n_changed_entries'] for r in results) // len(found)}"
              f" of {results[0]['n_pairs']} "
              f"| {sum(r['free'] for r in results)} "
              f"| {max(r['faults']['only_mixed'] for r in results)} "
              f"| {len(safe)} | {min(safe, default='-')}"
              f" to {max(safe, default='-')} "
              f"| {sum(s['n_dropped'] > 0 for s in steps)} "
              f"| {min(t for _, t in found):.2f} |", flush=True)


def main():
    """Measures each network."""
    print("| network | change | changes | entries, mean | free as it is "
          "| pairs lost at most | safe in steps | steps | with entries taken "
          "out | seconds |\n| --- | --- | --- | --- | --- | --- | --- | --- "
          "| --- | --- |")
    for spec, n_layers in SPECS:
        rng, rows = random.Random(1), {}
        with tempfile.TemporaryDirectory() as work:
            base = f"{work}/base"
            run("route", spec, "-l", str(n_layers), "-o", base)
            with open(f"{base}/route.json", encoding="utf-8") as file:
                n_hosts = json.load(file)["n_hosts"]
            for i in range(N):
                for size in (32, 128):
                    first = rng.randrange(max(1, n_hosts - size))
                    last = min(first + size, n_hosts) - 1
                    with open(f"{work}/jobs", "w", encoding="utf-8") as file:
                        file.write(f"a all-to-all node[{first:04}-"
                                   f"{last:04}]\n")
                    run("route", f"{base}/fabric.ibnetdiscover", "--previous",
                        base, "--jobs", f"{work}/jobs", "-o", f"{work}/new")
                    judge(rows, f"job of {size} starts", base, f"{work}/new")
                    judge(rows, f"job of {size} ends", f"{work}/new", base)
                cut(base, f"{work}/cut", rng)
                run("route", f"{work}/cut", "--previous", base, "-o",
                    f"{work}/new")
                judge(rows, "link fails", base, f"{work}/new")
                judge(rows, "link comes back", f"{work}/new", base)
                run("route", f"{base}/fabric.ibnetdiscover", "-l",
                    str(n_layers), "--seed", str(i + 2), "-o", f"{work}/new")
                judge(rows, "another seed", base, f"{work}/new")
            for goal in ("uniform", "adversarial"):
                run("route", f"{base}/fabric.ibnetdiscover", "-l",
                    str(n_layers), "-s", f"gates:for={goal}", "-o",
                    f"{work}/new")
                judge(rows, "other paths, same seed", base, f"{work}/new")
        report(spec, rows)


main()
