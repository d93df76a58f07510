#!/usr/bin/python3
"""demo.py PROGRAM PLUGIN_FOLDER -- the paper's installation on this machine.

Plans the 50-switch Slim Fly, brings it up on ibsim with the OpenSM of the
distribution and our plugin, verifies the cabling, audits the tables as they
are programmed in the switches, and then breaks things.  Everything it makes
stays below out/demo; nothing is left running.
"""
import atexit
import csv
import filecmp
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from account import Step, say, show

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, f"{ROOT}/tests/ibsim")
from ibsim import PATIENCE, Ibsim  # noqa: E402
from opensm import OpenSM  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[1])
PLUGIN = os.path.abspath(sys.argv[2])
N_LAYERS = 4
# Two cables between the first two racks, and what is to die.
SWAPPED = (("sf-0-0-0", 8), ("sf-0-0-1", 8))
DEAD_LINK = ("sf-0-1-0", 9)
DEAD_SWITCH = "sf-1-3-2"


class Demo:
    """The fabric, its manager, and the folder with all that is made."""

    def __init__(self, folder):
        self.folder = folder
        self.sim = None
        self.opensm = None

    def run(self, *args, codes=(0,)):
        """Runs slimfly on the fabric, if there is one; what it prints."""
        env = self.sim.env() if self.sim else None
        done = subprocess.run([PROGRAM, *args], env=env, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=PATIENCE, check=False)
        if done.returncode not in codes:
            sys.exit(f"demo: slimfly {' '.join(args)}: exit code "
                     f"{done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def save(self, name, text):
        """Keeps what was printed."""
        with open(f"{self.folder}/{name}", "w", encoding="utf-8") as file:
            file.write(text)

    def start(self):
        """Starts ibsim on the plan, and OpenSM with the plugin."""
        self.sim = Ibsim(f"{self.folder}/plan/fabric.ibsim")
        settings = f"{self.folder}/settings"
        self.opensm = OpenSM(self.sim, f"{self.folder}/opensm", PLUGIN,
                             conf=f"{settings}/opensm.conf", log_flags="0x43",
                             sweep_interval=2)
        self.opensm.status_path = f"{settings}/slimfly-status.json"

    def stop(self):
        """Ends what was started."""
        if self.opensm:
            self.opensm.stop()
        if self.sim:
            self.sim.stop()
        self.opensm = self.sim = None

    def audit(self, name):
        """Audits what the switches hold."""
        text = self.run("audit", "live", "--path-sls", "ask", "--save",
                        f"{self.folder}/{name}")
        self.save(f"{name}.txt", text)
        show(text)

    def verify(self, codes, *options):
        """Discovers with ibnetdiscover and compares with the plan."""
        found = self.sim.run("ibnetdiscover")
        self.save("found.ibnetdiscover", found.stdout)
        return self.run("verify", f"{self.folder}/plan",
                        f"{self.folder}/found.ibnetdiscover", *options,
                        codes=codes)


def tell_routing(status):
    """What the plugin did, in a line."""
    routing, seconds = status["routing"], status["seconds"]
    how = {"repaired": "repaired", "anew": "made anew"}.get(
        status["outcome"], status["outcome"])
    lanes = f"{routing['lanes']}, {routing['n_vls']} VLs"
    say(f"    {routing['n_switches']} switches, {routing['n_links']} links: "
        f"{routing['n_layers']} layers by {routing['scheme']}, lanes by "
        f"{lanes}")
    say(f"    {how} in {sum(seconds.values()):.3f} s; "
        f"{status['n_changed_entries']} of {status['n_entries']} table "
        "entries changed")
    for warning in status["warnings"]:
        say(f"    warning: {warning}")


def read_cables(folder):
    """What each port of the plan is plugged into."""
    peers = {}
    with open(f"{folder}/plan/cables.csv", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            a = row["a_node"], int(row["a_port"])
            b = row["b_node"], int(row["b_port"])
            peers[a], peers[b] = b, a
    return peers


def end(port):
    """A port, as ibsim's console wants it."""
    return f'"{port[0]}"[{port[1]}]'


def replug(demo, cables):
    """Plugs the cables at the first ports of pairs into the second ones.

    People are slower than ibsim: OpenSM has seen the ends pulled out before
    they are plugged in again.
    """
    for a, _ in cables:
        demo.sim.command(f"Unlink {end(a)}")
    demo.opensm.wait_status(n_links=175 - len(cables))
    for a, b in cables:
        demo.sim.command(f"Link {end(a)} {end(b)}")
    demo.opensm.wait_status(n_links=175, n_switches=50)


def bring_up(demo):
    """From nothing to a subnet that is up."""
    folder = demo.folder
    with Step("The Slim Fly of the paper, designed and planned"):
        answer = json.loads(demo.run("design", "--endpoints", "200",
                                     "--format", "json"))
        design = next(candidate for candidate in answer["candidates"]
                      if candidate["spec"] == "sf:q=5")
        say(f"    design: {design['n_switches']} switches of "
            f"{design['ports']} ports for {design['n_endpoints']} hosts, "
            f"{design['cost'] / 1e6:.2f} M$, "
            f"{design['watts'] / 1e3:.1f} kW, {design['n_lids']} LIDs")
        show(demo.run("topology", "sf:q=5"))
        show(demo.run("plan", "sf:q=5", "-o", f"{folder}/plan"), 6)
        demo.run("settings", f"{folder}/plan", "--layers", str(N_LAYERS), "-o",
                 f"{folder}/settings")
    with Step("ibsim plays the fabric as planned; the distribution's OpenSM "
              "runs it with our plugin"):
        demo.start()
        status = demo.opensm.wait_status(n_links=175, n_switches=50)
        say(f"    SUBNET UP: {status['opensm']}")
        tell_routing(status)
    with Step("Cabling, found by ibnetdiscover, against the plan"):
        show(demo.verify((0,)))
    with Step("Tables, read back from the switches, audited"):
        demo.audit("audit-1")


def swap_cables(demo, peers):
    """Two cables are plugged wrongly, and mended."""
    a, b = SWAPPED
    with Step(f"Somebody swaps the cables in port {a[1]} of {a[0]} and "
              f"{b[0]}"):
        replug(demo, [(a, peers[b]), (b, peers[a])])
        text = demo.verify((1,))
        demo.save("swapped.txt", text)
        show(text)
        demo.verify((1,), "--format", "svg", "-o",
                    f"{demo.folder}/swapped.svg")
    with Step("The moves are made"):
        replug(demo, [(a, peers[a]), (b, peers[b])])
        show(demo.verify((0,)), 1)


def break_things(demo):
    """A link and a switch die and come back."""
    with Step(f"The link in port {DEAD_LINK[1]} of {DEAD_LINK[0]} dies"):
        demo.sim.command(f"Unlink {end(DEAD_LINK)}")
        tell_routing(demo.opensm.wait_status(n_links=174))
        demo.audit("audit-2")
    with Step(f"The switch {DEAD_SWITCH} dies, and its 4 hosts are cut off"):
        demo.sim.command(f'Unlink "{DEAD_SWITCH}"')
        tell_routing(demo.opensm.wait_status(n_links=167, n_switches=49))
        demo.audit("audit-3")
    with Step("Both come back"):
        demo.sim.command(f'ReLink "{DEAD_SWITCH}"')
        demo.sim.command(f"ReLink {end(DEAD_LINK)}")
        tell_routing(demo.opensm.wait_status(n_links=175, n_switches=50))
        demo.audit("audit-4")
        same = all(
            filecmp.cmp(f"{demo.folder}/audit-1/{name}",
                        f"{demo.folder}/audit-4/{name}", shallow=False)
            for name in ("opensm-lfts.dump", "opensm-sl2vl.dump"))
        say("    the switches hold the same tables as in the beginning"
            if same else
            "    the tables are not those of the beginning, but as good")


def publish(folder):
    """Makes out/demo this run's folder and removes that of the last one."""
    link, temporary = "out/demo", f"{folder}.link"
    before = os.path.realpath(link)
    if os.path.isdir(link) and not os.path.islink(link):
        shutil.rmtree(link)
    os.symlink(os.path.basename(folder), temporary)
    os.replace(temporary, link)
    shutil.rmtree(before, ignore_errors=True)


def main():
    """Runs all, in a folder of its own: another demo may be at work."""
    start = time.monotonic()
    os.makedirs("out", exist_ok=True)
    folder = tempfile.mkdtemp(prefix="demo-", dir=os.path.abspath("out"))
    os.chmod(folder, 0o755)
    demo = Demo(folder)
    atexit.register(demo.stop)
    for number in signal.SIGINT, signal.SIGTERM:
        signal.signal(number, lambda *_: sys.exit("demo: interrupted"))
    bring_up(demo)
    swap_cables(demo, read_cables(folder))
    break_things(demo)
    demo.stop()
    publish(folder)
    say()
    say(f"All of it in {time.monotonic() - start:.0f} s. To look at, in "
        "out/demo:")
    for name, what in (
            ("plan/guide.html", "the wiring guide"),
            ("swapped.svg", "the swapped cables, drawn"),
            ("settings/", "what to tell OpenSM, UCX, MPI, NCCL, Slurm"),
            ("opensm/log", "what OpenSM and the plugin say"),
            ("audit-1/", "the tables of the switches, as OpenSM dumps them")):
        say(f"    {name:18} {what}")


if __name__ == "__main__":
    main()
