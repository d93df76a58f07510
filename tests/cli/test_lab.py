"""slimfly lab: networks of namespaces with real packets.

Needs root and network namespaces, and is skipped where these are refused.
Labs have names with the number of this process, so that several runs do not
meet.  Everything stays inside of the namespaces.
"""
import fcntl
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import harness
import namespaces
from harness import PATIENCE, slimfly

SMALL = "sf:q=3,p=1"  # 18 switches of 5 links, 18 hosts.
REFUSAL = namespaces.refusal()


def names(prefix):
    """Network namespaces of the lab 'prefix'."""
    try:
        found = os.listdir("/run/netns")
    except FileNotFoundError:
        found = []
    return sorted(name for name in found if name.startswith(f"{prefix}."))


def await_that(is_so, what):
    """Waits until something is so."""
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end, f"waited too long for {what}"
        time.sleep(0.002)


def comm(child):
    """What a process runs."""
    with open(f"/proc/{child.pid}/comm", encoding="utf-8") as file:
        return file.read().strip()


def without_root(folder, *args):
    """Runs the program, copied into 'folder', as nobody."""
    program = f"{folder}/slimfly"
    if not os.path.exists(program):
        os.chmod(folder, 0o777)
        shutil.copy(harness.PROGRAM, program)
    return subprocess.run([program, *args], capture_output=True, text=True,
                          check=False, cwd=folder, user=65534, group=65534,
                          extra_groups=[], timeout=PATIENCE)


class Alone(harness.Case):
    """What needs no lab."""

    def test_words(self):
        self.fails("lab", says="expected up, check, measure")
        self.fails("lab", "fly", says="found 'fly'")
        self.fails("lab", "up", says="lab up: expected FABRIC, found 0 words")
        self.fails("lab", "exec", "a", says="expected NODE -- COMMAND...")
        self.fails("lab", "check", "--rate", "1",
                   says="lab check: --rate is for lab up")
        self.fails("lab", "up", SMALL, "--seconds", "1",
                   says="lab up: --seconds is for lab measure")

    def test_no_such_lab(self):
        with tempfile.TemporaryDirectory() as folder:
            for verb in ("check", "status", "down", "restore", "measure"):
                self.fails("lab", verb, "--folder", folder, "--name", "none",
                           says="there is no lab 'none'")
            # Labs of others that are lost are listed whatever the folder.
            listed = [line for line in self.succeeds(
                "lab", "list", "--folder", folder).splitlines()
                if "its folder is gone" not in line]
            self.assertIn(listed, (["no labs"], []))

    def test_bad_names(self):
        for name in ("", "-a", "a-", "a/b", "a.b", "x" * 16):
            self.fails("lab", "down", "--name", name,
                       says="is no name of a lab")

    @unittest.skipIf(os.getuid(), "who is not root is refused anyway")
    def test_refused_without_root(self):
        with tempfile.TemporaryDirectory() as folder:
            done = without_root(folder, "lab", "up", SMALL, "--folder",
                                f"{folder}/labs")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("a lab needs network namespaces and root",
                          done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)
            self.assertFalse(os.path.exists(f"{folder}/labs"))


@unittest.skipIf(REFUSAL, REFUSAL)
class Lab(harness.Case):
    """With labs."""

    n_labs = 0

    def setUp(self):
        # pylint: disable-next=consider-using-with
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = f"{self.temporary.name}/labs"
        self.name = self.new_name()

    def new_name(self):
        """A name that no other lab has; it is taken down in the end."""
        Lab.n_labs += 1
        name = f"t{os.getpid()}-{Lab.n_labs}"
        self.addCleanup(self.down, name)
        return name

    def down(self, name):
        """Takes a lab down if it is there."""
        slimfly("lab", "down", "--name", name, "--folder", self.folder)
        self.assertEqual(names(name), [])

    def lab(self, verb, *args, name=None):
        """Runs a verb, which must succeed."""
        return self.succeeds("lab", verb, "--name", name or self.name,
                             "--folder", self.folder, *args)

    def refuses(self, verb, *args, says):
        """Runs a verb, which must fail."""
        self.fails("lab", verb, "--name", self.name, "--folder", self.folder,
                   *args, says=says)

    def found(self, verb, *args, name=None):
        """Runs a verb that may find something; its exit code and JSON."""
        done = slimfly("lab", verb, "--name", name or self.name, "--folder",
                       self.folder, "-f", "json", *args)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return done.returncode, json.loads(done.stdout)

    def ip(self, node, *words):
        """Runs ip(8) in a node."""
        return subprocess.run(["ip", "-n", f"{self.name}.{node}", *words],
                              capture_output=True, text=True, check=True,
                              timeout=PATIENCE).stdout

    def test_up_check_down(self):
        text = self.lab("up", SMALL)
        self.assertIn("18 switches, 18 hosts, 63 links; layers: 4", text)
        self.assertEqual(len(names(self.name)), 36)
        self.assertIn(f"{self.name}  ", self.lab("list"))
        self.assertIn("1224 of 1224 paths between switches", self.lab("check"))
        code, found = self.found("check")
        self.assertEqual((code, found["paths"], found["right"],
                          found["findings"]), (0, 1224, 1224, []))
        self.refuses("up", SMALL, says=f"there is a lab '{self.name}' already")
        self.assertIn("36 namespaces removed", self.lab("down"))
        self.assertEqual(names(self.name), [])
        self.assertEqual(os.listdir(self.folder), [])

    @unittest.skipIf(os.getuid(), "who is not root is refused anyway")
    def test_refused_without_root(self):
        self.lab("up", SMALL, "--rate", "10")
        where = ("--name", self.name, "--folder", self.folder)
        for verb, *words in (
                ("check",), ("measure",), ("exec", "sf-0-0-0", "--", "true"),
                ("fail", "sf-0-0-0:1"), ("restore",),
                ("restore", "sf-0-0-0:1"), ("status",), ("down",),
                ("up", SMALL)):
            with self.subTest(verb):
                done = without_root(self.temporary.name, "lab", verb, *where,
                                    *words)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn("a lab needs", done.stderr)
                self.assertIn("root", done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1)
        done = without_root(self.temporary.name, "ip", "run", "--lab",
                            self.name, "--lab-folder", self.folder, "--state",
                            f"{self.temporary.name}/state")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("a lab needs network namespaces and root", done.stderr)
        self.assertFalse(os.path.exists(f"{self.temporary.name}/state"))
        done = without_root(self.temporary.name, "lab", "list", *where)
        self.assertIn(f"{self.name}  ", done.stdout)
        # Other labs on this machine may not be seen.
        self.assertIn(done.returncode, (0, 2))
        shutil.rmtree(self.folder)
        done = without_root(self.temporary.name, "lab", "list", *where)
        self.assertEqual((done.returncode, done.stdout), (2, "no labs\n"))
        self.assertRegex(done.stderr, r"lab list: \d+ network namespaces may "
                         "be of labs whose folder is gone; to look into them "
                         "needs root")
        done = without_root(self.temporary.name, "lab", "down", *where)
        self.assertEqual(done.returncode, 2)
        self.assertIn("a lab needs network namespaces and root", done.stderr)
        self.assertIn("36 namespaces removed", self.lab("down"))

    def test_families(self):
        for spec, options in (
                ("ft2:leaf=3,core=2,up=1,p=2", ()), ("ft3:ports=4", ()),
                ("hx2:3x3,p=1", ("--path-sets", "1")),
                ("df:a=2,h=1,p=1", ()), ("xpander:k=3,lift=2,p=1", ()),
                ("jellyfish:n=8,k=3,seed=1", ("--layers", "2")),
                ("pf:q=3,p=1", ("--without-lanes",)),
                ("sf:q=3", ("--path-sets", "2", "--layers", "3"))):
            with self.subTest(spec):
                self.lab("up", spec, *options)
                code, found = self.found("check")
                self.assertEqual(code, 0, found)
                self.assertGreater(found["paths"], 0)
                self.assertEqual((found["paths"], found["host_paths"]),
                                 (found["right"], found["host_right"]))
                self.lab("down")

    def test_robust_layers(self):
        self.assertIn("one dead link between switches hits all addresses of 0 "
                      "of ", self.lab("up", "sf:q=4,p=1", "--scheme",
                                      "gates:robust=yes"))

    def test_ipv6(self):
        self.lab("up", SMALL, "--ipv6", "--prefix", "fd00:1:2::/48",
                 "--ports", "Ethernet%d:first=0,step=4")
        self.assertIn("Ethernet4@", self.ip("sf-0-0-0", "-br", "link"))
        self.assertEqual(self.found("check")[1]["right"], 1224)
        self.lab("fail", "sf-0-0-0:Ethernet4")
        self.assertEqual(self.found("check")[1]["links_down"], 1)
        self.lab("restore")
        self.assertEqual(self.found("check")[1]["right"], 1224)

    def test_audit_of_what_switches_hold(self):
        for options in ((), ("-6",)):
            plan = f"{self.temporary.name}/plan{len(options)}"
            dumps = f"{plan}-dumps"
            os.mkdir(dumps)
            self.succeeds("ip", "plan", SMALL, *options, "-o", plan)
            self.lab("up", SMALL, *options)
            audit = ["ip", "audit", SMALL, plan, "--routes", dumps, "-f",
                     "json"]

            def dump(switch, words=options, folder=dumps):
                with open(f"{folder}/{switch}.json", "w",
                          encoding="utf-8") as file:
                    file.write(self.ip(switch, *words, "-j", "route", "show",
                                       "table", "main"))

            for name in names(self.name):
                if ".node" not in name:
                    dump(name.split(".")[1])
            found = json.loads(self.succeeds(*audit))
            self.assertEqual((found["paths"], found["good_paths"]),
                             (18 * 18 * 4, 18 * 18 * 4))
            # A route is lost, which no file tells.
            route = self.ip("sf-0-0-0", *options, "-j", "route", "show",
                            "metric", "10")
            lost = next(entry for entry in json.loads(route)
                        if "gateway" in entry)
            for metric in ("10", "100"):
                subprocess.run(["ip", "-n", f"{self.name}.sf-0-0-0", *options,
                                "route", "del", lost["dst"], "metric",
                                metric], check=metric == "10",
                               stderr=subprocess.DEVNULL)
            dump("sf-0-0-0")
            done = slimfly(*audit)
            self.assertEqual(done.returncode, 1)
            self.assertIn("no route", done.stdout)
            self.lab("down")

    def test_routing_of_files(self):
        tables = f"{self.temporary.name}/tables"
        self.succeeds("route", SMALL, "--layers", "2", "-o", tables)
        self.lab("up", tables)
        self.assertEqual(self.found("check")[1]["right"], 18 * 17 * 2)

    def wrong_route(self):
        """Bends a route of sf-0-0-0 in layer 2; its destination and the
        neighbours that it had and has."""
        routes = [line.split() for line in
                  self.ip("sf-0-0-0", "route").splitlines()
                  if line.startswith("10.2.") and "metric 10 " in line
                  and " via " in line]
        prefix, right = routes[0][0], routes[0][2]
        other = next(route for route in routes if route[2] != right)
        self.ip("sf-0-0-0", "route", "change", prefix, "via", other[2], "dev",
                other[4], "metric", "10", "onlink")
        return prefix, right, other[2]

    def test_wrong_route_is_named(self):
        self.lab("up", SMALL)
        names_of = {line.split()[0]: line.split()[1] for line in
                    self.lab("exec", "sf-0-0-0", "--", "cat",
                             "/etc/hosts").splitlines()}
        prefix, right, wrong = self.wrong_route()
        code, found = self.found("check")
        self.assertEqual(code, 1)
        self.assertLess(found["right"], found["paths"])
        first = found["findings"][0]
        self.assertEqual((first["fault"], first["node"], first["layer"],
                          first["prefix"], first["expected"], first["found"]),
                         ("wrong-hop", "sf-0-0-0", 2, prefix, names_of[right],
                          names_of[wrong]))
        done = slimfly("lab", "check", "--name", self.name, "--folder",
                       self.folder)
        self.assertIn(f"sf-0-0-0 sends to {names_of[wrong]}, expected "
                      f"{names_of[right]}", done.stdout)
        self.ip("sf-0-0-0", "route", "del", prefix, "metric", "10")
        self.ip("sf-0-0-0", "route", "flush", prefix)
        first = self.found("check")[1]["findings"][0]
        self.assertEqual((first["fault"], first["node"], first["expected"]),
                         ("no-route", "sf-0-0-0", names_of[right]))

    def test_faults(self):
        self.lab("up", SMALL)
        text = self.lab("fail", "sf-0-0-0:2")
        self.assertIn("links down: 1\n  sf-0-0-0:2 to ", text)
        other = text.split(" to ")[1].split(":")[0]
        code, found = self.found("check")
        self.assertEqual((code, found["links_down"]), (1, 1))
        # Alternates serve all but some.
        self.assertGreater(found["right"], found["paths"] // 2)
        self.assertEqual({finding["fault"] for finding in found["findings"]},
                         {"cut"})
        self.assertEqual(found["paths"] - found["right"], found["cut"])
        status = json.loads(self.lab("status", "-f", "json"))
        self.assertEqual([(link["a"], link["b"]["node"])
                          for link in status["down"]],
                         [({"node": "sf-0-0-0", "port": 2}, other)])
        self.lab("restore", f"sf-0-0-0--{other}")
        self.assertEqual(self.found("check")[0], 0)
        # A switch with all links; hosts that are on it are cut off.
        self.assertIn("links down: 6", self.lab("fail", "sf-1-1-1"))
        code, found = self.found("check")
        self.assertEqual((code, found["links_down"]), (1, 6))
        self.assertIn("links restored: 6", self.lab("restore"))
        self.assertEqual(self.found("check")[0], 0)
        self.refuses("fail", "nobody", says="has no node 'nobody'")
        self.refuses("fail", "sf-0-0-0:77", says="no cable is plugged into")
        self.refuses("fail", "sf-0-0-0--sf-0-0-0", says="has no link to")

    def test_circles_are_told_as_the_tables_say(self):
        """With a dead switch, hops that were right were called wrong."""
        n_circles = 0
        self.lab("up", "sf:q=4,p=1", "--layers", "3")
        for switch in ("sf-0-0-0", "sf-0-1-1", "sf-1-2-2"):
            self.lab("fail", switch)
            code, found = self.found("check")
            self.assertEqual(code, 1)
            faults = [finding["fault"] for finding in found["findings"]]
            self.assertLessEqual(set(faults), {"circle", "cut"})
            self.assertEqual(found["paths"] - found["right"], found["cut"])
            if "circle" in faults:
                n_circles += 1
                text = slimfly("lab", "check", "--name", self.name,
                               "--folder", self.folder).stdout
                self.assertIn("packets go round in a circle over ", text)
            self.lab("restore")
        self.assertGreater(n_circles, 0)

    def test_restore_keeps_what_took_over(self):
        self.lab("up", SMALL, "--no-alternates")
        prefix, gateway, device = next(
            (words[0], words[2], words[4]) for words in
            (line.split() for line in
             self.ip("sf-0-0-0", "route").splitlines())
            if "via" in words and words[4] != "swp2")
        mine = next(line.split()[0] for line in
                    self.ip("sf-0-0-0", "route").splitlines()
                    if "dev swp2 " in line)
        self.lab("fail", "sf-0-0-0:2")
        self.assertNotEqual(mine, prefix)
        self.ip("sf-0-0-0", "route", "add", mine, "via", gateway, "dev",
                device, "metric", "10", "onlink")
        self.lab("restore")
        kept = [line for line in self.ip("sf-0-0-0", "route").splitlines()
                if line.startswith(f"{mine} ")]
        self.assertEqual(len(kept), 1)
        self.assertIn(f"dev {device} ", kept[0])

    def test_exec(self):
        self.lab("up", SMALL)
        self.assertEqual(self.lab("exec", "node0003", "--", "hostname"),
                         "node0003\n")
        self.assertIn("eth1", self.lab("exec", "node0003", "--", "ls",
                                       "/sys/class/net"))
        self.assertIn("10.1.3.1", self.lab("exec", "node0000", "--", "getent",
                                           "hosts", "node0003.l1"))
        done = slimfly("lab", "exec", "--name", self.name, "--folder",
                       self.folder, "sf-0-0-0", "--", "sh", "-c", "exit 7")
        self.assertEqual(done.returncode, 7)
        done = slimfly("lab", "exec", "--name", self.name, "--folder",
                       self.folder, "sf-0-0-0", "--", "no-such-program")
        self.assertEqual(done.returncode, 127)
        self.refuses("exec", "nobody", "--", "true",
                     says="has no node 'nobody'")

    def test_down_ends_processes(self):
        self.lab("up", SMALL)
        with subprocess.Popen([harness.PROGRAM, "lab", "exec", "--name",
                               self.name, "--folder", self.folder, "node0001",
                               "--", "sleep", "100000"]) as child:
            try:
                await_that(lambda: comm(child) == "sleep", "exec")
                self.assertIn("1 processes in them ended", self.lab("down"))
                self.assertEqual(child.wait(PATIENCE), -signal.SIGTERM)
            finally:
                child.kill()

    def test_two_labs(self):
        other = self.new_name()
        self.lab("up", SMALL)
        self.lab("up", SMALL, name=other)
        self.assertEqual(self.found("check")[0], 0)
        self.lab("fail", "sf-0-0-0")
        self.assertEqual(self.found("check", name=other)[0], 0)
        listed = json.loads(self.lab("list", "-f", "json"))["labs"]
        self.assertEqual([lab["name"] for lab in listed], [self.name, other])
        self.lab("down")
        self.assertEqual(len(names(other)), 36)
        self.assertEqual(self.found("check", name=other)[0], 0)

    def start(self, spec):
        """Starts 'up' and waits until it is in the middle of its work."""
        # pylint: disable-next=consider-using-with
        child = subprocess.Popen([harness.PROGRAM, "lab", "up", spec, "--name",
                                  self.name, "--folder", self.folder],
                                 stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
        await_that(lambda: len(names(self.name)) >= 3
                   or child.poll() is not None, "namespaces")
        return child

    def test_crash_in_the_middle(self):
        child = self.start("sf:q=5")
        child.kill()
        child.wait(PATIENCE)
        self.assertGreater(len(names(self.name)), 0)
        listed = json.loads(self.lab("list", "-f", "json"))["labs"]
        if listed[0]["state"] != "up":  # A fast machine may be done.
            self.assertEqual(listed[0]["state"], "incomplete")
            self.refuses("check", says="was never finished")
            self.refuses("up", SMALL, says="already")
        self.lab("down")
        self.assertEqual((names(self.name), os.listdir(self.folder)), ([], []))
        self.lab("up", SMALL)
        self.assertEqual(self.found("check")[0], 0)

    def test_interrupt_in_the_middle(self):
        child = self.start("sf:q=5")
        child.send_signal(signal.SIGINT)
        code = child.wait(PATIENCE)
        if code == 0:
            self.lab("down")
        else:
            self.assertEqual(code, -signal.SIGINT)
        self.assertEqual((names(self.name), os.listdir(self.folder)), ([], []))

    def test_nothing_else_is_touched(self):
        foreign = f"{self.name}.sf-0-0-0"
        subprocess.run(["ip", "netns", "add", foreign], check=True)
        try:
            self.refuses("up", SMALL, says=f"there is a network namespace "
                         f"{foreign} already")
            self.assertEqual(names(self.name), [foreign])
            self.assertEqual(os.listdir(self.folder), [])
            subprocess.run(["ip", "netns", "del", foreign], check=True)
            self.lab("up", SMALL)
            # Somebody replaces a namespace of the lab by another one.
            subprocess.run(["ip", "netns", "del", foreign], check=True)
            subprocess.run(["ip", "netns", "add", foreign], check=True)
            self.assertIn("left alone", self.lab("down"))
            self.assertEqual(names(self.name), [foreign])
        finally:
            subprocess.run(["ip", "netns", "del", foreign], check=False)

    def test_folder_is_lost(self):
        other = self.new_name()
        foreign = f"{self.name}.mine"
        self.lab("up", SMALL)
        self.lab("up", SMALL, name=other)
        subprocess.run(["ip", "netns", "add", foreign], check=True)
        try:
            shutil.rmtree(f"{self.folder}/lab-{self.name}")
            # Labs of other runs may be lost as well.
            listed = json.loads(self.lab("list", "-f", "json"))["labs"]
            states = {lab["name"]: lab["state"] for lab in listed}
            self.assertEqual((states[self.name], states[other]),
                             ("lost", "up"))
            self.assertRegex(self.lab("list"), f"{self.name} .*'slimfly lab "
                             f"down --name {self.name}' removes")
            self.refuses("check", says="there is no lab")
            self.refuses("up", SMALL, says="whose folder is gone")
            self.assertEqual(os.listdir(self.folder), [f"lab-{other}"])
            self.assertEqual(len(names(self.name)), 37)
            self.assertIn("36 namespaces removed", self.lab("down"))
            self.assertEqual(names(self.name), [foreign])
            self.refuses("down", says="there is no lab")
            self.assertEqual(self.found("check", name=other)[0], 0)
            # A lab of another folder is not lost.
            with tempfile.TemporaryDirectory() as folder:
                self.fails("lab", "down", "--name", other, "--folder", folder,
                           says="there is no lab")
            self.assertEqual(len(names(other)), 36)
        finally:
            subprocess.run(["ip", "netns", "del", foreign], check=False)

    def test_note_is_lost(self):
        self.lab("up", SMALL)
        os.remove(f"{self.folder}/lab-{self.name}/namespaces")
        self.assertIn("36 namespaces removed", self.lab("down"))
        self.assertEqual(names(self.name), [])

    def test_one_at_a_time(self):
        self.lab("up", SMALL)
        folder = os.open(f"{self.folder}/lab-{self.name}", os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_SH)
            self.assertEqual(self.found("check")[0], 0)
            for words in (("down",), ("fail", "sf-0-0-0"), ("restore",)):
                self.refuses(*words, says="somebody else works on the lab")
            fcntl.flock(folder, fcntl.LOCK_EX)
            self.refuses("check", says="somebody else works on the lab")
            listed = json.loads(self.lab("list", "-f", "json"))["labs"]
            self.assertEqual(listed[0]["state"], "busy")
        finally:
            os.close(folder)

    def test_broken_state(self):
        self.lab("up", SMALL)
        path = f"{self.folder}/lab-{self.name}/lab.json"
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for bad, says in ((text[:-40], "lab.json:"), ("{}", "schema"),
                          (text.replace('"n_layers":4', '"n_layers":3'),
                           "columns: expected"),
                          (text.replace('"columns":[[0,', '"columns":[[99,'),
                           "columns[0][0]: expected 0 or a port")):
            with open(path, "w", encoding="utf-8") as file:
                file.write(bad)
            self.refuses("check", says=says)
        self.lab("down")
        self.assertEqual(names(self.name), [])

    def follow(self, source, address):
        """The links that packets from a host to an address take, each as who
        sends on which interface: by the kernel's own answers."""
        links, node = [], source
        hosts = {line.split()[0]: line.split()[1].split(".")[0] for line in
                 self.lab("exec", source, "--", "cat",
                          "/etc/hosts").splitlines()}
        while True:
            words = self.ip(node, "route", "get", address).split()
            links.append((node, words[words.index("dev") + 1]))
            if "via" not in words:
                return links
            node = hosts[words[words.index("via") + 1]]

    @staticmethod
    def share(paths, capacity):
        """Max-min fair rates: the tightest link stops its flows, again and
        again."""
        rates, left = {}, {link: capacity(link) for path in paths
                           for link in path}
        while len(rates) < len(paths):
            users = {link: [i for i, path in enumerate(paths)
                            if link in path and i not in rates]
                     for link in left}
            link = min((link for link in left if users[link]),
                       key=lambda link: left[link] / len(users[link]))
            rate = left[link] / len(users[link])
            for i in users[link]:
                rates[i] = rate
                for used in paths[i]:
                    left[used] -= rate
        return [rates[i] for i in range(len(paths))]

    def test_measure(self):
        self.lab("up", "ft2:leaf=3,core=2,up=1,p=2", "--layers", "2", "--rate",
                 "1", "--host-rate", "4")
        code, found = self.found("measure", "--traffic", "permutation",
                                 "--seconds", "1", "--warmup", "0.3")
        self.assertEqual((code, len(found["flows"])), (0, 6))
        self.assertEqual([mode["mode"] for mode in found["modes"]],
                         ["single", "layers", "mptcp"])
        addresses = {line.split()[-1]: line.split()[0] for line in
                     self.lab("exec", found["flows"][0]["from"], "--", "cat",
                              "/etc/hosts").splitlines()}
        for mode in found["modes"]:
            n_layers = 1 if mode["mode"] == "single" else 2
            paths = [self.follow(flow["from"],
                                 addresses[f"{flow['to']}.l{layer}"])
                     for flow in found["flows"] for layer in range(n_layers)]
            ends = {path[i] for path in paths for i in (0, -1)}
            rates = self.share(paths,
                               lambda link, ends=ends:
                               4e6 if link in ends else 1e6)
            for i, predicted in enumerate(mode["predicted"]):
                own = sum(rates[n_layers * i:n_layers * (i + 1)])
                self.assertAlmostEqual(predicted, own * found["payload"],
                                       delta=1)
            self.assertGreater(min(mode["measured"]), 0)
            self.assertLess(max(mode["measured"]), 1.5 * 4e6)
        self.assertEqual(found["modes"][1]["connections"], 12)

    def test_measure_refuses(self):
        self.lab("up", SMALL)
        self.refuses("measure", "--traffic", "nonsense", says="nonsense")
        self.lab("fail", "node0000")
        self.refuses("measure", "--seconds", "0.1", says="node0000")

    @harness.long
    def test_the_paper_and_larger(self):
        for spec, n_paths in (("sf:q=5", 9800), ("sf:q=7", 38024)):
            self.lab("up", spec)
            self.assertEqual(self.found("check")[1]["right"], n_paths)
            self.lab("down")


harness.main()
