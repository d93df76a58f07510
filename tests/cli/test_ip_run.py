"""slimfly ip run: a controller of a lab, with real packets.

Needs root and network namespaces, and is skipped where these are refused.
Nothing here depends on how long something takes: a test waits until the
controller has told what it waits for.
"""
import fcntl
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import unittest

import by_ssh
import harness
import namespaces
from harness import PATIENCE, slimfly

SMALL = "sf:q=3,p=1"  # 18 switches of 5 links, 18 hosts.
REFUSAL = namespaces.refusal()


class Controller:
    """A controller that runs, and what it has told so far."""

    def __init__(self, *args):
        # pylint: disable-next=consider-using-with
        self.process = subprocess.Popen(
            [harness.PROGRAM, "ip", "run", "-f", "json", *args],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.events, self.changed = [], threading.Condition()
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        """Takes lines until there are no more."""
        for line in self.process.stdout:
            with self.changed:
                self.events.append(json.loads(line))
                self.changed.notify_all()
        with self.changed:
            self.events.append({"event": "end"})
            self.changed.notify_all()

    def wait_for(self, kind, since=0, **members):
        """The first event of a kind from number 'since' on."""
        def find():
            for event in self.events[since:]:
                if event["event"] == kind and all(
                        event.get(key) == value
                        for key, value in members.items()):
                    return event
            return None

        with self.changed:
            assert self.changed.wait_for(
                lambda: find() or self.events[-1:] == [{"event": "end"}],
                PATIENCE), f"waited too long for {kind}"
            found = find()
        assert found, (kind, members, self.events, self.process.stderr.read())
        return found

    def end(self, number=signal.SIGTERM):
        """Ends it; its exit code and what it said on standard error."""
        self.process.send_signal(number)
        code = self.process.wait(PATIENCE)
        self.reader.join(PATIENCE)
        said = self.process.stderr.read()
        self.process.stderr.close()
        self.process.stdout.close()
        return code, said


class Words(harness.Case):
    """What needs no lab."""

    def test_options(self):
        self.fails("ip", "run", says="expected one of --lab NAME and --exec")
        self.fails("ip", "run", "--lab", "a", "--exec", "b",
                   says="expected one of --lab NAME and --exec")
        self.fails("ip", "run", SMALL, "--exec", "ssh {switch}",
                   says="--state DIR")
        self.fails("ip", "run", "a", "b", says="ip run: expected one fabric")
        self.fails("ip", "run", "--lab", "a", "--state", "",
                   says="ip run: --state: expected the name of a folder")
        for option, value in (("--prefix", "10.0.0.0/8"), ("--ports", "a%d"),
                              ("--alternates", "none"), ("--limit", "3")):
            self.fails("ip", "run", "--lab", "a", option, value,
                       says=f"ip run: {option} is for --exec")
        for option, value in (("--layers", "2"), ("--scheme", "minimal"),
                              ("--seed", "2")):
            self.fails("ip", "run", "--lab", "a", option, value,
                       says=f"ip run: {option} says how FABRIC is routed")
        self.fails("ip", "run", "--lab", "a", "-o", "x",
                   says="ip run: --output is for ip plan")
        with tempfile.TemporaryDirectory() as folder:
            self.fails("ip", "run", "--exec", "ssh {switch}", "--state",
                       folder, says="expected one fabric with --exec")
            self.fails("ip", "run", SMALL, "--exec", "ssh", "--state", folder,
                       says="does not say where {switch} stands")
            done = slimfly("ip", "run", "hx2:2x2,p=1", "--exec",
                           "false {switch}", "--state", folder, "--once")
            self.assertEqual((done.returncode, done.stderr), (1, ""))
            self.assertIn("0 links are down as far as known: 4 of 4 switches "
                          "do not answer\n", done.stdout)
            self.assertIn("silent switch hx2-0-0: the command failed with "
                          "exit code 1\n", done.stdout)
            self.assertIn("stopped: 4 of 4 switches did not answer\n",
                          done.stdout)
            self.fails("ip", "run", "--lab", "none", "--lab-folder", folder,
                       "--state", f"{folder}/state",
                       says="there is no lab 'none'")
            self.assertFalse(os.path.exists(f"{folder}/state"))


@unittest.skipIf(REFUSAL, REFUSAL)
class Lab(harness.Case):
    """With a lab."""

    n_labs = 0

    def setUp(self):
        # pylint: disable-next=consider-using-with
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = f"{self.temporary.name}/labs"
        self.state = f"{self.temporary.name}/state"
        Lab.n_labs += 1
        self.name = f"c{os.getpid()}-{Lab.n_labs}"
        self.addCleanup(slimfly, "lab", "down", "--name", self.name,
                        "--folder", self.folder)

    def lab(self, verb, *args):
        """Runs a verb of the lab; again while the controller is about to note
        something there."""
        end = time.monotonic() + PATIENCE
        while True:
            done = slimfly("lab", verb, "--name", self.name, "--folder",
                           self.folder, *args)
            if "somebody else works on" not in done.stderr:
                break
            assert time.monotonic() < end, done.stderr
            time.sleep(.01)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def up(self, spec=SMALL, *args):
        """Brings the lab up."""
        self.lab("up", spec, "--layers", "3", "--without-lanes", *args)

    def run_controller(self, *args):
        """Starts a controller of the lab."""
        controller = Controller("--lab", self.name, "--lab-folder",
                                self.folder, "--state", self.state, *args)
        self.addCleanup(lambda: controller.process.poll() is None and
                        controller.process.kill())
        return controller

    def routes(self, node):
        """The routes of a switch, without what the kernel may add."""
        done = subprocess.run(["ip", "-n", f"{self.name}.{node}", "-j",
                               "route", "show"], capture_output=True,
                              text=True, check=True, timeout=PATIENCE)
        return sorted((route.get("type", ""), route["dst"],
                       route.get("gateway", ""), route.get("dev", ""),
                       route["metric"])
                      for route in json.loads(done.stdout)
                      if route.get("dev") != by_ssh.PORT)

    def all_routes(self):
        """The routes of all switches."""
        return {node: self.routes(node) for node in self.switches()}

    def switches(self):
        """The names of all switches."""
        found = [name.split(".", 1)[1] for name in os.listdir("/run/netns")
                 if name.startswith(f"{self.name}.")]
        return sorted(name for name in found if not name.startswith("node"))

    def breaks(self, controller, link):
        """Breaks a link and waits until that is mended and noted."""
        since = len(controller.events)
        self.lab("fail", link)
        controller.wait_for("link-down", since)
        event = controller.wait_for("repaired", since)
        controller.wait_for("noted", since)
        return event

    def restores(self, controller):
        """Brings all links back, likewise."""
        since = len(controller.events)
        self.lab("restore")
        controller.wait_for("repaired", since, down=0)
        controller.wait_for("noted", since, down=0)

    def settled(self, controller):
        """Waits until another look at the switches finds nothing: all is
        known to be as it should."""
        end = time.monotonic() + PATIENCE
        while self.differences(controller):
            assert time.monotonic() < end
            time.sleep(.01)

    def differences(self, controller):
        """What a controller that looks once has to change."""
        self.assertIsNotNone(controller.process.poll())
        done = slimfly("ip", "run", "-f", "json", "--once", "--lab",
                       self.name, "--lab-folder", self.folder, "--state",
                       self.state)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        started = [event for event in map(json.loads,
                                          done.stdout.splitlines())
                   if event["event"] == "started"]
        return started[0]["routes"]

    def test_a_link_goes_and_comes_back(self):
        self.up()
        before = self.all_routes()
        controller = self.run_controller()
        self.assertEqual(controller.wait_for("started")["routes"], 0)
        event = self.breaks(controller, "sf-0-0-0--sf-0-0-1")
        self.assertGreater(event["routes"], 0)
        self.assertEqual(event["unreachable_pairs"], 0)
        checked = json.loads(self.lab("check", "-f", "json"))
        self.assertEqual(checked["findings"], [])
        for node in ("sf-0-0-0", "sf-0-0-1"):
            self.assertNotEqual(self.routes(node), before[node])
        self.restores(controller)
        self.assertEqual(controller.end(), (0, ""))
        self.assertEqual(controller.events[-2]["event"], "stopped")
        self.settled(controller)
        self.assertEqual(self.all_routes(), before)

    def test_restore_leaves_routes_to_the_controller(self):
        """It put alternates of the network without the link beside those of
        the controller, for a second."""
        self.up()
        before = self.all_routes()
        controller = self.run_controller()
        controller.wait_for("noted")
        self.breaks(controller, "sf-0-0-0--sf-0-0-1")
        harness.stop(controller.process)
        repaired = {node: self.routes(node)
                    for node in ("sf-0-0-0", "sf-0-0-1")}
        self.lab("restore")
        for node, routes in repaired.items():
            self.assertEqual(self.routes(node), routes)
        since = len(controller.events)
        controller.process.send_signal(signal.SIGCONT)
        controller.wait_for("repaired", since, down=0)
        controller.wait_for("noted", since, down=0)
        self.assertEqual(controller.end(), (0, ""))
        self.settled(controller)
        self.assertEqual(self.all_routes(), before)
        self.lab("check")

    def test_what_it_did_last_is_noted(self):
        self.up()
        controller = self.run_controller()
        controller.wait_for("noted")
        since = len(controller.events)
        self.lab("fail", "sf-0-0-0--sf-0-0-1")
        controller.wait_for("repaired", since)
        self.assertEqual(controller.end(), (0, ""))
        self.assertEqual([event["event"] for event in controller.events[-3:]],
                         ["noted", "stopped", "end"])
        self.lab("check")

    def held(self):
        """The lock of the lab, as 'lab check' holds it, as a file."""
        lock = os.open(f"{self.folder}/lab-{self.name}", os.O_RDONLY)
        fcntl.flock(lock, fcntl.LOCK_EX)
        return lock

    def repaired_but_not_noted(self):
        """A controller that has repaired a link while somebody holds the
        lock, and that lock."""
        controller = self.run_controller()
        controller.wait_for("noted")
        since = len(controller.events)
        # What is broken is broken without the lab, which is held.
        lock = self.held()
        done = subprocess.run(
            ["ip", "-n", f"{self.name}.sf-0-0-0", "-j", "link", "show", "up"],
            capture_output=True, text=True, check=True, timeout=PATIENCE)
        port = next(link["ifname"] for link in json.loads(done.stdout)
                    if link["ifname"] != "lo" and "link_netnsid" in link)
        subprocess.run(["ip", "-n", f"{self.name}.sf-0-0-0", "link", "set",
                        port, "down"], check=True, timeout=PATIENCE)
        controller.wait_for("repaired", since)
        return controller, lock

    def test_the_last_note_waits_for_the_lock(self):
        """It was lost after a second, without a word."""
        for is_released in True, False:
            self.up()
            controller, lock = self.repaired_but_not_noted()
            timer = threading.Timer(1.6, os.close, [lock])
            if is_released:
                timer.start()
            self.assertEqual(controller.end(), (0, ""))
            if is_released:
                timer.join()
            else:
                os.close(lock)
            *_, noted, stopped, _ = controller.events
            self.assertEqual(stopped["event"], "stopped")
            self.assertEqual(noted["event"] == "noted", is_released)
            self.assertEqual(
                stopped.get("text"), None if is_released else
                "the last repair was not noted: somebody else works on the "
                f"lab '{self.name}'; try again later")
            self.lab("down")

    def test_nothing_is_noted_in_a_later_lab_of_the_name(self):
        """Who was asked to end after it had become another noted there."""
        self.up()
        controller, lock = self.repaired_but_not_noted()
        controller.process.send_signal(signal.SIGSTOP)
        os.close(lock)
        self.lab("down")
        self.up()
        path = f"{self.folder}/lab-{self.name}"
        before = {name: os.stat(f"{path}/{name}").st_mtime_ns
                  for name in os.listdir(path)}
        controller.process.send_signal(signal.SIGTERM)
        self.assertEqual(controller.end(signal.SIGCONT), (0, ""))
        self.assertEqual({name: os.stat(f"{path}/{name}").st_mtime_ns
                          for name in os.listdir(path)}, before)
        self.assertEqual(controller.events[-2]["text"],
                         "the switches are gone")

    def test_the_tables_are_those_of_the_library(self):
        tables, repaired = (f"{self.temporary.name}/{name}"
                            for name in ("tables", "repaired"))
        self.succeeds("route", SMALL, "--layers", "3", "-o", tables)
        self.lab("up", tables)
        controller = Controller(tables, "--lab", self.name, "--lab-folder",
                                self.folder, "--state", self.state)
        self.addCleanup(lambda: controller.process.poll() is None and
                        controller.process.kill())
        controller.wait_for("started")
        self.breaks(controller, "sf-0-0-0--sf-0-0-1")
        self.assertEqual(controller.end()[0], 0)
        # The same fault by the files of 'route', whose routes 'ip plan' takes.
        with open(f"{tables}/fabric.ibnetdiscover", encoding="utf-8") as file:
            text = file.read()
        lines = text.splitlines(keepends=True)
        head = None
        kept = []
        for line in lines:
            found = re.match(r'Switch\s.*# "([^"]+)"', line)
            if found or not line.strip():
                head = found and found[1]
            ends = {head, *re.findall(r'# "([^"]+)"', line)}
            if line.startswith("[") and ends >= {"sf-0-0-0", "sf-0-0-1"}:
                continue
            kept.append(line)
        self.assertEqual(len(lines) - len(kept), 2)
        broken = f"{self.temporary.name}/broken.ibnetdiscover"
        with open(broken, "w", encoding="utf-8") as file:
            file.writelines(kept)
        self.succeeds("route", broken, "--previous", tables, "--repair-only",
                      "-o", repaired)
        plan = f"{self.temporary.name}/plan"
        self.succeeds("ip", "plan", repaired, "-o", plan)
        for node in self.switches():
            self.assertEqual(self.planned(plan, node),
                             [route[1:] for route in self.routes(node)
                              if not route[0]], node)

    def planned(self, plan, node):
        """Routes of a switch as 'ip plan' writes them."""
        found = []
        folder = f"{plan}/switches"
        files = [name for name in os.listdir(folder)
                 if name.startswith(f"{node}.")]
        for name in files:
            with open(f"{folder}/{name}", encoding="utf-8") as file:
                text = file.read()
            for line in re.findall(r"^route (?:add|replace) (.*)$", text,
                                   re.M):
                words = line.split()
                if words[0] == "unreachable":
                    continue
                after = dict(zip(words, words[1:]))
                found.append((words[0].removesuffix("/32"),
                              after.get("via", ""), after["dev"],
                              int(after["metric"])))
        self.assertTrue(found, files)
        return sorted(found)

    def test_pings_survive(self):
        self.up("hx2:3x3,p=1")
        controller = self.run_controller()
        controller.wait_for("started")
        ping = [harness.PROGRAM, "lab", "exec", "--name", self.name,
                "--folder", self.folder, "node0000", "--", "ping", "10.0.1.1",
                "-i", "0.005", "-c"]
        # The kernel may drop what comes first over a link that is just up.
        subprocess.run([*ping, "5"], stdout=subprocess.DEVNULL, check=False,
                       timeout=PATIENCE)
        # In a HyperX everybody has an alternate.
        with subprocess.Popen([*ping, "300"], stdout=subprocess.PIPE,
                              text=True) as ping:
            ping.stdout.readline()
            ping.stdout.readline()  # The first answer is there.
            self.breaks(controller, "--".join(self.switches()[:2]))
            said = ping.communicate(timeout=PATIENCE)[0]
        self.assertIn("300 packets transmitted, 300 received", said)
        self.assertEqual(controller.end()[0], 0)

    def test_restart(self):
        self.up()
        before = self.all_routes()
        first = self.run_controller()
        first.wait_for("started")
        self.breaks(first, "sf-0-0-0--sf-0-0-1")
        first.end(signal.SIGKILL)
        repaired = self.all_routes()
        # While nobody looks, a link comes back, another goes, and a route is
        # lost.
        self.lab("restore")
        self.lab("fail", "sf-1-0-0--sf-1-0-1")
        subprocess.run(["ip", "-n", f"{self.name}.sf-0-1-0", "route", "del",
                        "10.1.9.0/24", "metric", "10"], check=True,
                       timeout=PATIENCE)
        second = self.run_controller()
        started = second.wait_for("started")
        self.assertGreater(started["routes"], 0)
        self.assertEqual(started["down"], 1)
        second.wait_for("noted")
        checked = json.loads(self.lab("check", "-f", "json"))
        self.assertEqual(checked["findings"], [])
        self.assertNotEqual(self.all_routes(), repaired)
        self.restores(second)
        self.assertEqual(second.end()[0], 0)
        self.settled(second)
        self.assertEqual(self.all_routes(), before)

    def test_killed_while_writing(self):
        self.up()
        before = self.all_routes()
        for trial in range(4):
            controller = self.run_controller()
            controller.wait_for("started")
            since = len(controller.events)
            self.lab("fail", "sf-0-0-0")
            if trial % 2:
                controller.wait_for("link-down", since)
            controller.end(signal.SIGKILL)
            self.lab("restore")
        controller = self.run_controller("--once")
        controller.wait_for("noted")
        self.assertEqual(controller.process.wait(PATIENCE), 0)
        controller.end()
        self.assertEqual(self.all_routes(), before)
        self.lab("check")

    def test_the_state_cannot_be_written(self):
        """It ended then, and nobody repaired."""
        self.up()
        controller = self.run_controller()
        controller.wait_for("noted")
        base = f"{self.state}/base.json"
        with open(base, encoding="utf-8") as file:
            before = file.read()
        shutil.rmtree(self.state)
        with open(self.state, "w", encoding="utf-8"):
            pass
        since = len(controller.events)
        self.breaks(controller, "sf-0-0-0--sf-0-0-1")
        event = controller.wait_for("unsaved", since)
        self.assertIn("Not a directory", event["text"])
        self.restores(controller)
        os.remove(self.state)
        controller.wait_for("saved", since)
        with open(base, encoding="utf-8") as file:
            self.assertEqual(file.read(), before)
        told = [event["event"] for event in controller.events[since:]]
        self.assertEqual((told.count("unsaved"), told.count("saved")), (1, 1))
        done = slimfly("ip", "run", "--lab", self.name, "--lab-folder",
                       self.folder, "--state", self.state)
        self.assertEqual(done.returncode, 2)
        self.assertIn("another controller holds the lock", done.stderr)
        self.assertEqual(controller.end(), (0, ""))

    def test_files_that_are_cut_off(self):
        self.up()
        controller = self.run_controller("--once")
        self.assertEqual(controller.process.wait(PATIENCE), 0)
        controller.end()
        for name in ("state.json", "base.json"):
            path = f"{self.state}/{name}"
            with open(path, "r+", encoding="utf-8") as file:
                file.truncate(40)
            self.fails("ip", "run", "--lab", self.name, "--lab-folder",
                       self.folder, "--state", self.state, "--once",
                       says=f"{name}:1: ")
            self.fails("ip", "run", "--lab", self.name, "--lab-folder",
                       self.folder, "--state", self.state, "--once",
                       says="it is safe to remove the file")
            os.remove(path)
        controller = self.run_controller("--once")
        self.assertEqual(controller.process.wait(PATIENCE), 0)
        controller.end()

    def test_two_do_not_fight(self):
        self.up()
        first = self.run_controller()
        first.wait_for("started")
        done = slimfly("ip", "run", "--lab", self.name, "--lab-folder",
                       self.folder, "--state", self.state)
        self.assertEqual(done.returncode, 2)
        self.assertIn("another controller holds the lock: process "
                      f"{first.process.pid} on ", done.stderr)
        # A folder of its own is no way around that.
        done = slimfly("ip", "run", "--lab", self.name, "--lab-folder",
                       self.folder, "--state", f"{self.state}2")
        self.assertEqual(done.returncode, 2)
        self.assertIn("another controller holds the lock: process "
                      f"{first.process.pid} on ", done.stderr)
        second = self.run_controller("--standby")
        self.assertIn(f"process {first.process.pid} on ",
                      second.wait_for("standby")["text"])
        first.end(signal.SIGKILL)
        second.wait_for("started")
        self.breaks(second, "sf-0-0-0--sf-0-0-1")
        self.assertEqual(second.end()[0], 0)

    def test_by_commands(self):
        tables = f"{self.temporary.name}/tables"
        self.succeeds("route", "hx2:2x2,p=1", "--layers", "2", "-o", tables)
        self.lab("up", tables)
        before = self.all_routes()
        controller = Controller(
            tables, "--exec", f"ip netns exec {self.name}.{{switch}}",
            "--state", self.state, "--interval", "0.05")
        self.addCleanup(lambda: controller.process.poll() is None and
                        controller.process.kill())
        self.assertEqual(controller.wait_for("started")["routes"], 0)
        since = len(controller.events)
        link = "--".join(self.switches()[:2])
        self.lab("fail", link)
        controller.wait_for("repaired", since)
        self.assertNotEqual(self.all_routes(), before)
        since = len(controller.events)
        self.lab("restore")
        controller.wait_for("repaired", since, down=0)
        self.assertEqual(controller.end()[0], 0)
        done = slimfly("ip", "run", tables, "--exec",
                       f"ip netns exec {self.name}.{{switch}}", "--state",
                       self.state, "--once", "-f", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.all_routes(), before)

    def test_a_switch_does_not_answer(self):
        tables = f"{self.temporary.name}/tables"
        self.succeeds("route", "hx2:2x2,p=1", "--layers", "2", "-o", tables)
        self.lab("up", tables)
        silent = self.switches()[-1]
        marker = f"{self.temporary.name}/answers"
        controller = Controller(
            tables, "--exec",
            f"[ {{switch}} != {silent} ] || [ -e {marker} ] || "
            "{ echo no route to host >&2; exit 255; } && "
            f"ip netns exec {self.name}.{{switch}}",
            "--state", self.state, "--interval", "0.05")
        self.addCleanup(lambda: controller.process.poll() is None and
                        controller.process.kill())
        event = controller.wait_for("silent", switch=silent)
        self.assertEqual(event["text"], "the command failed with exit code "
                         "255: no route to host")
        controller.wait_for("started")
        with open(marker, "w", encoding="utf-8"):
            pass
        controller.wait_for("answers", switch=silent)
        self.assertEqual(controller.end()[0], 0)

    def test_by_ssh(self):
        """As the text says it, over a network for management; with what
        people put into their ssh_config, too."""
        if by_ssh.refusal():
            self.skipTest(by_ssh.refusal())
        tables = f"{self.temporary.name}/tables"
        self.succeeds("route", "hx2:2x2,p=1", "--layers", "2", "-o", tables)
        self.lab("up", tables)
        before = self.all_routes()
        first, *_, last = self.switches()
        with by_ssh.Management(self.name, self.switches(),
                               f"{self.temporary.name}/ssh") as management:
            ssh = ["ip", "netns", "exec", management.space, "ssh", "-F",
                   management.config]
            words = [tables, "--exec", " ".join([*ssh, "root@{switch}"]),
                     "--state", self.state]
            controller = Controller(*words, "--interval", "0.05")
            self.addCleanup(lambda: controller.process.poll() is None and
                            controller.process.kill())
            self.assertEqual(controller.wait_for("started")["routes"], 0)
            since = len(controller.events)
            self.lab("fail", "--".join(self.switches()[:2]))
            event = controller.wait_for("repaired", since)
            self.assertGreater(event["routes"], 0)
            self.assertNotEqual(self.routes(first), before[first])
            management.stop(last)
            event = controller.wait_for("silent", switch=last)
            # A command may have been on its way, which ssh ends in silence.
            self.assertRegex(event["text"],
                             "Connection refused|command failed")
            management.start(last)
            controller.wait_for("answers", switch=last)
            since = len(controller.events)
            self.lab("restore")
            controller.wait_for("repaired", since, down=0)
            self.assertEqual(controller.end(), (0, ""))
            done = slimfly("ip", "run", *words, "--once", "-f", "json")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.all_routes(), before)

    def test_another_lab_of_the_name(self):
        """The state of an earlier lab is none of a later one, though its
        namespaces may have the same numbers."""
        for spec in (SMALL, "hx2:3x3"):
            self.up(SMALL)
            controller = self.run_controller("--once")
            controller.wait_for("stopped")
            self.assertEqual(controller.process.wait(PATIENCE), 0)
            controller.end()
            self.lab("down")
            self.up(spec, "--seed", "7")
            before = self.all_routes()
            controller = self.run_controller("--once")
            self.assertEqual(controller.wait_for("started")["routes"], 0)
            self.assertEqual(controller.process.wait(PATIENCE), 0)
            controller.end()
            self.assertEqual(self.all_routes(), before)
            self.lab("down")

    def test_the_lab_goes(self):
        self.up()
        controller = self.run_controller()
        controller.wait_for("noted")
        self.lab("down")
        event = controller.wait_for("stopped")
        self.assertEqual(event["text"], "the switches are gone")
        self.assertEqual(controller.process.wait(PATIENCE), 0)
        controller.end()

    def test_the_folder_of_the_lab_goes(self):
        """It said that the switches are gone, which they were not."""
        self.up()
        controller = self.run_controller()
        controller.wait_for("noted")
        shutil.rmtree(f"{self.folder}/lab-{self.name}")
        event = controller.wait_for("stopped")
        self.assertIn("the folder of the lab is gone", event["text"])
        self.assertEqual(controller.process.wait(PATIENCE), 1)
        controller.end()


harness.main()
