"""'slimfly verify' and 'watch' on what real daemons of LLDP find: a network of
six switches and six hosts, each a network namespace with lldpd in it.

All of it happens inside a network, a mount and a process namespace of its own:
nothing of the machine's own network is within reach, and everything is gone
when the test ends, however it ends."""
import json
import os
import subprocess
import sys
import tempfile
import time

import harness

INSIDE = "SLIMFLY_TEST_INSIDE"
SHELL = ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child",
         "--mount-proc"]
DAEMON = "/usr/sbin/lldpd"
SPEC = "hx2:2x3,p=1"
# How ports are told to others: as they should be, or as others do it.
HABITS = {
    "hx2-0-1": "",  # lldpd's own: a MAC address, and the name beside it.
    "hx2-1-2": "configure ports swp1 lldp portidsubtype local etp1\n"
               "configure ports swp2 lldp portidsubtype local etp2\n"
               "configure ports swp3 lldp portidsubtype local etp3\n"
               "configure ports swp4 lldp portidsubtype local etp4\n",
}
BY_NAME = "configure lldp portidsubtype ifname\n"


def run(*command):
    """Runs a command that must succeed."""
    return subprocess.run(command, check=True, capture_output=True, text=True,
                          timeout=harness.PATIENCE).stdout


class Daemons(harness.Case):
    """The network, and what is found of it."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder, cls.plan = folder.name, f"{folder.name}/plan"
        os.chmod(cls.folder, 0o755)  # The daemon gives up its rights.
        run("mount", "-t", "tmpfs", "tmpfs", "/run")
        os.makedirs("/run/lldpd")
        run(harness.PROGRAM, "plan", SPEC, "-o", cls.plan, "--port-names",
            "swp%d|etp%d", "--host-port-names", "eth%d:first=0")
        with open(f"{cls.plan}/plan.json", encoding="utf-8") as file:
            plan = json.load(file)
        cls.switches = [node["name"] for node in plan["switches"]]
        cls.nodes = cls.switches + [node["name"] for node in plan["hosts"]]
        for node in cls.nodes:
            run("ip", "netns", "add", node)
        cls.cables = {cable["label"]: tuple(
            (cable[end]["node"], cable[end]["port_name"]) for end in "ab")
            for cable in plan["cables"]}
        for a, b in cls.cables.values():
            cls.plug(a, b)
        cls.daemons = [cls.start(node) for node in cls.nodes]

    @classmethod
    def tearDownClass(cls):
        for daemon in cls.daemons:
            daemon.kill()
            daemon.wait()

    @classmethod
    def start(cls, node):
        """Starts the daemon of a node."""
        config = f"{cls.folder}/{node}.conf"
        with open(config, "w", encoding="utf-8") as file:
            # With the domain that real machines have.
            file.write(f"configure system hostname {node}.example.org\n"
                       f"{HABITS.get(node, BY_NAME)}"
                       "configure lldp tx-interval 1\n"
                       "configure lldp tx-hold 4\nresume\n")
        with open(f"{cls.folder}/{node}.log", "w", encoding="utf-8") as log:
            return subprocess.Popen(
                ["ip", "netns", "exec", node, DAEMON, "-d", "-u",
                 f"{cls.folder}/{node}.socket", "-O", config],
                stdout=log, stderr=log, stdin=subprocess.DEVNULL)

    @staticmethod
    def plug(a, b):
        """A cable between two ends."""
        run("ip", "link", "add", a[1], "netns", a[0], "type", "veth", "peer",
            "name", b[1], "netns", b[0])
        for node, port in (a, b):
            run("ip", "-n", node, "link", "set", port, "up")

    @staticmethod
    def unplug(a):
        """The cable at an end is no more."""
        run("ip", "-n", a[0], "link", "del", a[1])

    def report(self, form="json0"):
        """Asks all daemons; returns the folder."""
        folder = tempfile.mkdtemp(dir=self.folder)
        for node in self.nodes:
            done = subprocess.run(
                ["lldpcli", "-u", f"{self.folder}/{node}.socket", "-f", form,
                 "show", "neighbors"], capture_output=True, text=True,
                timeout=harness.PATIENCE, check=False)
            with open(f"{folder}/{node}.json", "w", encoding="utf-8") as file:
                file.write(done.stdout if done.returncode == 0 else "")
        return folder

    def verify_until(self, is_wanted, form="json0"):
        """Verifies again and again until the result is as it should be."""
        end = time.monotonic() + harness.PATIENCE
        while True:
            self.assertLess(time.monotonic(), end, "nothing changes")
            for daemon in self.daemons:
                self.assertIsNone(daemon.poll(), "a daemon has ended")
            done = harness.slimfly("verify", self.plan,
                                   f"lldp:{self.report(form)}", "-f", "json")
            self.assertEqual(done.stderr, "")
            result = json.loads(done.stdout)
            if is_wanted(result):
                return result

    def test_what_real_daemons_say_is_verified_and_watched(self):
        # All find all; before that, one side knows a cable first.
        result = self.verify_until(lambda result: result["matches"] and
                                   "notes" not in result)
        self.assertEqual(result["counts"]["right"], len(self.cables))
        self.assertEqual(result["identity"]["name"], len(self.nodes))
        self.verify_until(lambda result: result["matches"], "json")

        # Two cables between switches change ends.
        labels = [label for label, (a, b) in self.cables.items()
                  if a[0] in self.switches and b[0] in self.switches]
        (a, b), (c, d) = self.cables[labels[0]], self.cables[labels[-1]]
        self.assertEqual(len({a[0], b[0], c[0], d[0]}), 4)
        self.unplug(a)
        self.unplug(c)
        self.plug(a, d)
        self.plug(c, b)
        result = self.verify_until(
            lambda result: not result["matches"] and
            result["counts"]["misconnected"] == 2)
        moved = {(end["node"], end["port_name"]) for move in result["moves"]
                 for end in (move["cable"], move["from"], move["to"])}
        self.assertEqual(moved, {a, b, c, d})
        self.assertEqual({move["label"] for move in result["moves"]},
                         {labels[0], labels[-1]})

        # Somebody watches while they are put back.
        watch = subprocess.Popen(
            [harness.PROGRAM, "watch", self.plan, "-n", "0.1", "-f", "jsonl",
             "--exec", f"lldpcli -u {self.folder}/{{}}.socket -f json0 show "
             "neighbors"], stdout=subprocess.PIPE, text=True)
        self.addCleanup(watch.stdout.close)
        self.addCleanup(watch.wait)
        self.addCleanup(watch.kill)
        state = json.loads(watch.stdout.readline())
        self.assertEqual(len(state["wrong"]), 2)
        self.unplug(a)
        self.unplug(c)
        self.plug(a, b)
        self.plug(c, d)
        states = [json.loads(line) for line in watch.stdout]
        self.assertEqual(watch.wait(harness.PATIENCE), 0)
        self.assertTrue(states[-1]["matches"])

        # A switch is switched off.
        self.daemons.pop(0).kill()
        off = self.switches[0]
        for cable in self.cables.values():
            for end in cable:
                if end[0] == off:
                    self.unplug(end)
        self.verify_until(
            lambda result: [f["ends"][0]["node"] for f in result["findings"]
                            if f["verdict"] == "missing_switch"] == [off])


def main():
    """Goes inside, if that is allowed."""
    if os.environ.get(INSIDE):
        harness.main()
    reason = None
    if os.geteuid() != 0:
        reason = "network namespaces and lldpd need root"
    elif not os.path.exists(DAEMON):
        reason = f"there is no {DAEMON}"
    else:
        tried = subprocess.run(
            [*SHELL, "sh", "-c", "mount -t tmpfs tmpfs /run && mkdir "
             "/run/netns && ip netns add a && ip netns add b && ip link add "
             "x netns a type veth peer name y netns b"],
            capture_output=True, text=True, check=False)
        if tried.returncode != 0:
            reason = "network namespaces are refused: " + \
                tried.stderr.strip().split("\n")[-1]
    if reason:
        print(f"TAP version 13\n1..0 # SKIP {reason}")
        return
    os.environ[INSIDE] = "1"
    os.execvp(SHELL[0], [*SHELL, sys.executable, *sys.argv])


main()
