"""namespaces.py -- networks of real namespaces for the tests of IP: the nodes
and cables of an inventory.json, with nothing but what files give them.

Needs root.  Names start with this process's number, and only these are ever
removed.
"""
import json
import os
import re
import subprocess
import unittest

PATIENCE = 1800


def run(*args, stdin="", check=True):
    """Runs a tool; returns what it printed."""
    done = subprocess.run(args, input=stdin, capture_output=True, text=True,
                          timeout=PATIENCE, check=False)
    if check and done.returncode:
        raise AssertionError(f"{' '.join(args)}: {done.stderr}{done.stdout}")
    return done.stdout


def refusal():
    """Why there can be no namespaces here; None if there can be."""
    name = f"sfip{os.getpid()}-try"
    try:
        done = subprocess.run(["ip", "netns", "add", name],
                              capture_output=True, text=True,
                              timeout=PATIENCE, check=False)
    except OSError as error:
        return f"ip(8): {error}"
    if done.returncode:
        return f"no network namespaces: {done.stderr.strip()}"
    link = subprocess.run(["ip", "-n", name, "link", "add", "sfa", "type",
                           "veth", "peer", "name", "sfb"],
                          capture_output=True, text=True, timeout=PATIENCE,
                          check=False)
    subprocess.run(["ip", "netns", "delete", name], check=False,
                   capture_output=True, timeout=PATIENCE)
    return f"no veth: {link.stderr.strip()}" if link.returncode else None


def needed(case):
    """Skips a case where namespaces are refused."""
    def wrapped(self, *args):
        why = refusal()
        if why:
            raise unittest.SkipTest(why)
        return case(self, *args)
    return wrapped


def remove_left():
    """Removes namespaces of processes that are no more."""
    for line in run("ip", "netns", "list").splitlines():
        name = line.split()[0]
        pid = re.match(r"sfip(\d+)-", name)
        if pid and not os.path.exists(f"/proc/{pid[1]}"):
            subprocess.run(["ip", "netns", "delete", name], check=False,
                           capture_output=True, timeout=PATIENCE)


class Network:
    """The namespaces of a plan, as a context."""

    def __init__(self, folder, nodes=None):
        with open(f"{folder}/inventory.json", encoding="utf-8") as file:
            self.inventory = json.load(file)
        self.folder = folder
        self.switches = self.inventory["switches"]
        self.hosts = self.inventory["hosts"]
        self.is_v6 = ":" in self.inventory["prefix"]
        self.wanted = nodes  # None: all.
        self.made = []

    def space(self, name):
        """The namespace of a node."""
        return f"sfip{os.getpid()}-{name}"

    def nodes(self):
        """All nodes that are wanted."""
        return [node for node in self.switches + self.hosts
                if self.wanted is None or node["name"] in self.wanted]

    def __enter__(self):
        try:
            self.make()
        except BaseException:
            self.remove()
            raise
        return self

    def __exit__(self, *_):
        self.remove()

    def make(self):
        """Makes namespaces and cables."""
        remove_left()
        for node in self.nodes():
            run("ip", "netns", "add", self.space(node["name"]))
            self.made.append(self.space(node["name"]))
        names = {node["name"] for node in self.nodes()}
        lines = []
        for node in self.nodes():
            for port in node["ports"]:
                end = (node["name"], port["interface"])
                other = (port["peer"], port["peer_interface"])
                if other[0] in names and end < other:
                    lines.append(
                        f"link add {end[1]} netns {self.space(end[0])} type "
                        f"veth peer name {other[1]} netns "
                        f"{self.space(other[0])}")
        run("ip", "-batch", "-", stdin="\n".join(lines) + "\n")

    def remove(self):
        """Removes what was made."""
        for name in self.made:
            subprocess.run(["ip", "netns", "delete", name], check=False,
                           capture_output=True, timeout=PATIENCE)
        self.made = []

    def inside(self, name, *args, **kwargs):
        """Runs a tool in the namespace of a node."""
        return run("ip", "netns", "exec", self.space(name), *args, **kwargs)

    def ip(self, name, *args, **kwargs):
        """Runs ip(8) there."""
        return run("ip", *(["-6"] if self.is_v6 else []), "-n",
                   self.space(name), *args, **kwargs)

    def load_switches(self, *endings):
        """Lets all switches load the files of their plan."""
        for node in self.nodes():
            name = node["name"]
            path = f"{self.folder}/switches/{name}"
            if node not in self.switches:
                continue
            self.inside(name, "sysctl", "-q", "-p", f"{path}.sysctl.conf")
            for ending in endings:
                if ending.endswith(".batch"):
                    self.ip(name, "-batch", f"{path}{ending}")
                else:
                    self.inside(name, "nft", "-f", f"{path}{ending}")

    def load_hosts(self, ending):
        """Lets all hosts load theirs."""
        for node in self.nodes():
            name = node["name"]
            path = f"{self.folder}/hosts/{name}"
            if node in self.hosts:
                self.inside(name, "sysctl", "-q", "-p", f"{path}.sysctl.conf")
                self.ip(name, "-batch", f"{path}{ending}")

    def addresses(self, host):
        """All addresses of a host."""
        return [address for port in host["ports"]
                for address in port["addresses"]]

    def loses(self, host, to):
        """Whether a ping from one host gets no answer."""
        done = subprocess.run(
            ["ip", "netns", "exec", self.space(host), "ping", "-c", "1", "-i",
             "0.2", "-w", "20", "-n", "-q", to], capture_output=True,
            timeout=PATIENCE, check=False)
        return done.returncode != 0
