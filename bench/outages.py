"""Outages of a cut link in a lab: pings every 5 ms while links go, with and
without a controller.  Needs root.

    python3 bench/outages.py build/slimfly sf:q=5 --links 10

For each of some random links A--B, hosts of A ping
- "alternate": a host whose path leaves A by that link, where A has an
  alternate, and whose answers do not come over the link;
- "none": a host of B, where A has no alternate towards B.
The table has how many pings were lost, and the longest time without an answer.
"""
import argparse
import json
import os
import random
import re
import subprocess
import time


def arguments():
    """What the command line says."""
    parser = argparse.ArgumentParser()
    parser.add_argument("slimfly")
    parser.add_argument("spec")
    parser.add_argument("--links", type=int, default=10)
    parser.add_argument("--layers", default="4")
    parser.add_argument("--scheme", default="gates")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


class Lab:
    """A lab with its tables, as the kernel holds them."""

    def __init__(self, options):
        self.program, self.name = options.slimfly, f"o{os.getpid()}"
        self.run("up", options.spec, "--layers", options.layers, "--scheme",
                 options.scheme, "--without-lanes")
        found = [name.split(".", 1)[1] for name in os.listdir("/run/netns")
                 if name.startswith(f"{self.name}.")]
        self.switches = [name for name in found
                         if not name.startswith("node")]
        self.routes, self.number = {}, {}
        for name in self.switches:
            printed = subprocess.run(
                ["ip", "-n", f"{self.name}.{name}", "-j", "route"],
                capture_output=True, text=True, check=True).stdout
            table = {}
            for route in json.loads(printed):
                if route.get("type") == "unreachable":
                    self.number.setdefault(
                        name, int(route["dst"].split(".")[2]))
                elif "gateway" in route:
                    table.setdefault(route["dst"], {})[route["metric"]] = int(
                        route["gateway"].split(".")[2])
            self.routes[name] = table
        self.by_number = {n: name for name, n in self.number.items()}

    def run(self, verb, *args):
        """Runs a verb; again while the controller notes something."""
        while True:
            done = subprocess.run([self.program, "lab", verb, "--name",
                                   self.name, *args], capture_output=True,
                                  text=True, check=False)
            if "somebody else works on" not in done.stderr:
                assert done.returncode == 0, done.stderr
                return done.stdout
            time.sleep(.01)

    def path(self, start, layer, end):
        """Switch numbers from one to another in a layer."""
        at = [start]
        while at[-1] != end:
            table = self.routes[self.by_number[at[-1]]]
            at.append(table[f"10.{layer}.{end}.0/24"][10])
        return at

    def links(self):
        """Pairs of switches that a link joins."""
        return sorted({tuple(sorted((self.number[name], hops[10])))
                       for name in self.switches
                       for hops in self.routes[name].values()})

    def protected(self, a, b):
        """Layer and destination that leave 'a' by the link to 'b', with an
        alternate, and come back without it; None if there are none."""
        for prefix, hops in sorted(self.routes[self.by_number[a]].items()):
            _, layer, end, _ = map(int, prefix.split("/")[0].split("."))
            if hops[10] == b and 100 in hops:
                back = self.path(end, layer, a)
                if (b, a) not in zip(back, back[1:]):
                    return layer, end
        return None

    def bare(self, a, b):
        """A layer in which 'a' goes straight to 'b' without an alternate."""
        for layer in range(4):
            hops = self.routes[self.by_number[a]].get(
                f"10.{layer}.{b}.0/24", {})
            if hops.get(10) == b and 100 not in hops:
                return layer, b
        return None

    def host(self, number):
        """A host of a switch."""
        printed = subprocess.run(
            ["ip", "netns", "exec", f"{self.name}.{self.by_number[number]}",
             "true"], check=False)
        assert printed.returncode == 0
        return f"node{self.hosts_before(number):04}"

    def hosts_before(self, number):
        """The number of the first host of a switch: all have as many."""
        hosts = [name for name in os.listdir("/run/netns")
                 if name.startswith(f"{self.name}.node")]
        return number * (len(hosts) // len(self.switches))

    def cut(self, a, b, layer, end):
        """Cuts a link under a ping; lost pings and the longest pause."""
        with subprocess.Popen(
                [self.program, "lab", "exec", "--name", self.name,
                 self.host(a), "--", "ping", "-D", "-i", "0.005", "-c", "600",
                 "-W", "1", f"10.{layer}.{end}.1"],
                stdout=subprocess.PIPE, text=True) as ping:
            time.sleep(.5)
            self.run("fail", f"{self.by_number[a]}--{self.by_number[b]}")
            said = ping.communicate()[0]
        self.run("restore")
        time.sleep(2)  # Until all is as before.
        sent, got = map(int, re.search(
            r"(\d+) packets transmitted, (\d+) received", said).groups())
        times = [float(t) for t in re.findall(r"^\[([\d.]+)\]", said, re.M)]
        pauses = [b - a for a, b in zip(times, times[1:])]
        return sent - got, max(pauses)


def measure(lab, options, label):
    """Cuts links and prints a line for each kind of pair."""
    links = lab.links()
    random.Random(options.seed).shuffle(links)
    for kind, find in (("alternate", lab.protected), ("none", lab.bare)):
        results = []
        for a, b in links:
            found = find(a, b)
            if found and len(results) < options.links:
                results.append(lab.cut(a, b, *found))
        if results:
            lost = [n for n, _ in results]
            pauses = [1e3 * pause for _, pause in results]
            print(f"| {options.spec} | {label} | {kind} | {len(results)} | "
                  f"{sum(lost)} of {600 * len(results)} | "
                  f"{sum(n == 0 for n in lost)} | "
                  f"{sum(pauses) / len(pauses):.0f} | {max(pauses):.0f} |",
                  flush=True)


def main():
    """Measures with a controller and without."""
    options = arguments()
    lab = Lab(options)
    try:
        print("| network | repaired by | alternate | cuts | pings lost | "
              "cuts without a loss | longest pause, mean ms | most ms |")
        print("| --- | --- | --- | --- | --- | --- | --- | --- |")
        measure(lab, options, "nobody")
        with subprocess.Popen(
                [options.slimfly, "ip", "run", "--lab", lab.name, "-f",
                 "json"], stdout=subprocess.PIPE, text=True) as controller:
            for line in controller.stdout:
                if json.loads(line)["event"] == "noted":
                    break
            measure(lab, options, "the controller")
            controller.terminate()
            repaired = [event["seconds"] for event in
                        map(json.loads, controller.stdout)
                        if event["event"] == "repaired"]
        print(f"\nthe controller took {1e3 * sum(repaired) / len(repaired):.0f}"
              f" ms a repair in the mean, {1e3 * max(repaired):.0f} at most")
    finally:
        lab.run("down")


main()
