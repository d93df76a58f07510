"""What routing for jobs gives: packets inside jobs, on the 50-switch Slim Fly
beside the Fat Tree of [Blach24]; then other networks, scattered hosts and
failed links, beside the most that any paths allow.  All tables of doc/job-rates.md
are from here.

Arguments: the program, and which parts: packets, seeds, networks, faults.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

PARTS = "packets", "seeds", "networks", "faults"
TREE = "ft2:ports=36,leaf=12", "--hosts", "200"
NETWORKS = ("sf:q=5", "sf:q=7", "pf:q=7", "jellyfish:n=50,k=7",
            "xpander:k=7,lift=8", "hx2:8x8,p=4", "df:a=4,h=2", "df:a=6,h=3",
            "ft2:ports=36,leaf=12", "ft3:ports=8")
JOB = 32


class Bench:
    """Runs the program in a folder of its own."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def run(self, *args):
        return subprocess.run([self.program, *args], check=True,
                              stdout=subprocess.PIPE, text=True).stdout

    def simulate(self, *args):
        """The rows of a simulation."""
        out = self.run("simulate", *args, "--net", "fdr", "--format", "json")
        return json.loads(out)["rows"]

    def write(self, name, lines):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in lines)
        return path

    def count_hosts(self, network):
        """Hosts of 'network', which are node0000 and so on."""
        out = self.run("topology", network, "--format", "json")
        return json.loads(out)["n_endpoints"]


def show(cells):
    """A line of cells: texts, or shares of the rate of a host."""
    print("".join(f"{cell:<24}" if i == 0 else
                  f"{cell:>9}" if isinstance(cell, str) else f"{cell:>9.3f}"
                  for i, cell in enumerate(cells)), flush=True)


def packets(bench):
    """One job in the order of racks, both kinds of queues."""
    plans = {name: os.path.join(bench.folder, name) for name in ("sf", "ft")}
    bench.run("plan", "sf:q=5", "-o", plans["sf"])
    bench.run("plan", *TREE, "-o", plans["ft"])
    subjects = (("Fat Tree, ftree", plans["ft"], []),
                ("shortest paths", plans["sf"],
                 ["--schemes", "minimal", "--layers", "1"]),
                ("4 layers", plans["sf"], []),
                ("4 layers for the job", plans["sf"], ["--for-jobs"]))
    for queues in "voq", "fifo":
        for select, nodes in (("stripe", "8,16,32,64,128"),
                              ("message", "8,16,32,64,128"),
                              ("sender", "8,16,32,64,128")):
            print(f"\nall-to-all, 256 KiB, {queues}, {select}: throughput")
            show(["nodes", *nodes.split(",")])
            for name, plan, extra in subjects:
                rows = bench.simulate(
                    plan, *extra, "-w", "all-to-all", "--size", "256K", "-p",
                    "racks", "-n", nodes, "--queues", queues, "--select",
                    select)
                show([name, *(row["throughput"] for row in rows)])
        print(f"\nebb, 1 MiB, {queues}, stripe: mean rate")
        show(["nodes", "16", "32", "64", "128", "200"])
        for name, plan, extra in subjects:
            rows = bench.simulate(plan, *extra, "-w", "ebb:matchings=30", "-p",
                                  "racks", "-n", "16,32,64,128,200",
                                  "--queues", queues)
            show([name, *(row["rate"]["mean"] for row in rows)])


def seeds(bench):
    """The figures that are asked for, over ten seeds of layers and pairs."""
    plan = os.path.join(bench.folder, "seeds")
    bench.run("plan", "sf:q=5", "-o", plan)
    for what, workload, nodes, value in (
            ("all-to-all, 256 KiB, sender", ["-w", "all-to-all", "--size",
             "256K", "--select", "sender"], (8, 16, 32, 64),
             lambda row: row["throughput"]),
            ("ebb, 1 MiB, stripe", ["-w", "ebb:matchings=30"], (16, 32, 64),
             lambda row: row["rate"]["mean"])):
        rows = bench.simulate(plan, *workload, "-p", "racks", "-n",
                              ",".join(map(str, nodes)), "--for-jobs",
                              "--seeds", "10")
        print(f"\n{what}, voq, 10 seeds")
        show(["nodes", *map(str, nodes)])
        values = [[value(row) for row in rows if row["nodes"] == n]
                  for n in nodes]
        show(["mean", *(sum(v) / len(v) for v in values)])
        show(["least", *map(min, values)])


def bound(bench, network, jobs):
    """What all paths together give the slowest of 'jobs' in all-to-all."""
    pairs = bench.write("pairs.csv", ["source,destination,amount"] + [
        f"node{a:04},node{b:04},1"
        for job in jobs for a in job for b in job if a != b])
    rows = json.loads(bench.run(
        "analyze", network, "--traffic", f"file:{pairs}", "--references",
        "any", "--schemes", "minimal", "--layers", "1", "--without-lanes",
        "--split", "best", "--format", "json"))["rows"]
    (row,) = [row for row in rows if row["label"] == "any path"]
    return row["throughput"][0]["mean"] * (len(jobs[0]) - 1)


def measure(bench, name, network, jobs):
    """One line: shares of routes before and after, and packets."""
    hosts = bench.write("hosts", [f"node{host:04}" for job in jobs
                                  for host in job])
    rows = bench.simulate(network, "-w", "+".join(["all-to-all"] * len(jobs)),
                          "-p", f"file:{hosts}", "-n", str(JOB), "--size",
                          "128K", "--queues", "voq,fifo", "--select",
                          "stripe,sender", "--for-jobs")
    shares = rows[0]["job_shares"]
    show([name, bound(bench, network, jobs), shares["before"],
          shares["after"], *(row["throughput"] for row in rows)])


def titles(what):
    print(f"\n{what}")
    show(["network", "at most", "before", "for jobs", "stripe", "sender",
          "fifo,str", "fifo,snd"])


def split(hosts):
    """As many jobs as there are hosts for."""
    return [hosts[i:i + JOB] for i in range(0, len(hosts) - JOB + 1, JOB)]


def networks(bench):
    for what, is_scattered, is_full in (
            ("one job of 32, hosts in order", False, False),
            ("one job of 32, random hosts", True, False),
            ("all hosts in jobs of 32, in order", False, True),
            ("all hosts in jobs of 32, random", True, True)):
        titles(what)
        for network in NETWORKS:
            hosts = list(range(bench.count_hosts(network)))
            if is_scattered:
                random.Random(1).shuffle(hosts)
            jobs = split(hosts)
            measure(bench, network, network, jobs if is_full else jobs[:1])


def faults(bench):
    """Five links gone, three times, and routed anew."""
    for network, n_hosts in (("sf:q=5", 4), ("hx2:8x8", 4), ("df:a=6,h=3", 3)):
        lines = bench.run("topology", network, "--format", "edges")
        edges = [line for line in lines.splitlines() if line[0] != "#"]
        titles(f"{network}, 5 links gone, jobs of 32 in order")
        for seed in 1, 2, 3:
            left = edges[:]
            random.Random(seed).shuffle(left)
            path = bench.write("faulty.edges", left[5:])
            faulty = f"edges:{path},p={n_hosts}"
            jobs = split(list(range(bench.count_hosts(faulty))))
            measure(bench, f"one job, faults {seed}", faulty, jobs[:1])
            measure(bench, f"all jobs, faults {seed}", faulty, jobs)


def main():
    program, parts = sys.argv[1], sys.argv[2:] or PARTS
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(program, folder)
        for part in parts:
            {"packets": packets, "seeds": seeds, "networks": networks,
             "faults": faults}[part](bench)


if __name__ == "__main__":
    main()
