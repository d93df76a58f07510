#!/usr/bin/python3
"""demo_ip.py PROGRAM -- the same layers on Ethernet and IP, with real packets.

Brings up the 50-switch Slim Fly as network namespaces of this machine, sends
packets over all of its paths, measures TCP flows with one layer and with four,
cuts a cable under running pings while a controller repairs the routes, swaps
two cables and lets LLDP name the moves.  Needs root.  All traffic stays inside
of the namespaces; nothing is left behind.
"""
import atexit
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from account import Step, say, show

PROGRAM = os.path.abspath(sys.argv[1])
# One host a switch, whose link carries as much as four: one flow a switch is
# then as much as four hosts would send.
SPEC, RATE, HOST_RATE = "sf:q=5,p=1", "2", "8"
NAME = f"demo{os.getpid() % 100000}"
PATIENCE = 600
CUT = ("sf-0-0-0", "swp2")
# Two cables between the first two racks.
SWAPPED = (("sf-0-0-0", "swp5"), ("sf-0-0-1", "swp5"))
PINGS = 400


class Demo:
    """The lab, and what runs in it."""

    def __init__(self, folder):
        self.folder, self.plan = folder, f"{folder}/plan"
        self.labs = f"{folder}/labs"
        self.children = []
        self.is_up = False

    def run(self, *args, codes=(0,)):
        """Runs slimfly; what it prints."""
        done = subprocess.run([PROGRAM, *args], text=True,
                              stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=PATIENCE, check=False)
        if done.returncode not in codes:
            sys.exit(f"demo-ip: slimfly {' '.join(args)}: exit code "
                     f"{done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def lab(self, verb, *args, codes=(0,)):
        """Runs a verb of 'slimfly lab'."""
        return self.run("lab", verb, "--name", NAME, "--folder", self.labs,
                        "--progress", "never", *args, codes=codes)

    def exec(self, node, *command, **kwargs):
        """Starts a command in a node."""
        # pylint: disable-next=consider-using-with
        child = subprocess.Popen(
            [PROGRAM, "lab", "exec", "--name", NAME, "--folder", self.labs,
             node, "--", *command], text=True, stdin=subprocess.DEVNULL,
            **kwargs)
        self.children.append(child)
        return child

    @staticmethod
    def ip(node, *words):
        """Runs ip(8) in a node."""
        return subprocess.run(["ip", "-n", f"{NAME}.{node}", *words],
                              capture_output=True, text=True, check=True,
                              timeout=PATIENCE).stdout

    def stop(self):
        """Ends what was started."""
        for child in self.children:
            if child.poll() is None:
                child.terminate()
        for child in self.children:
            try:
                child.wait(10)
            except subprocess.TimeoutExpired:
                child.kill()
        self.children = []
        if self.is_up:
            self.is_up = False
            return self.lab("down", codes=(0, 2))
        return ""


def bring_up(demo):
    """The network comes up and is as planned."""
    with Step("The 50-switch Slim Fly, planned and brought up: a network "
              "namespace for each switch and host"):
        show(demo.run("plan", SPEC, "--port-names", "swp%d",
                      "--host-port-names", "eth%d", "-o", demo.plan), 1)
        demo.is_up = True
        show(demo.lab("up", demo.plan, "--layers", "4", "--rate", RATE,
                      "--host-rate", HOST_RATE))
    with Step("Packets over every path of every layer, hop by hop"):
        show(demo.lab("check"))


def measure(demo):
    """One permutation with one layer and with four."""
    with Step("TCP flows between all switches at distance 2: one layer, four "
              "layers, and what the flow model predicts"):
        text = demo.lab("measure", "--modes", "single,layers", "--warmup", "2",
                        "--seconds", "5")
        show(text)
        with open(f"{demo.folder}/measured.txt", "w",
                  encoding="utf-8") as file:
            file.write(text)


def read_names(demo):
    """The nodes of addresses."""
    with open(f"{demo.labs}/lab-{NAME}/hosts", encoding="utf-8") as file:
        return {line.split()[0]: line.split()[1].split(".")[0]
                for line in file}


def follow(demo, names, source, address):
    """The nodes and interfaces that packets take."""
    path, node = [], source
    while len(path) < 9:
        words = demo.ip(node, "route", "get", address).split()
        path.append((node, words[words.index("dev") + 1]))
        if "via" not in words:
            break
        node = names[words[words.index("via") + 1]]
    return path


def choose_targets(demo, names):
    """Of the hosts that the first switch reaches over the cable: one for which
    there is an alternate, and which answers by another way; and the one at its
    other end, for which there is none."""
    routes = demo.ip(CUT[0], "route").splitlines()
    over = [line.split() for line in routes if f"dev {CUT[1]} " in line
            and " via " in line and "metric 10 " in line]
    spared = {line.split()[0] for line in routes if "metric 100 " in line}
    near = next(words[0] for words in over if words[0] not in spared)
    for words in over:
        target = f"{words[0].rsplit('.', 1)[0]}.1"
        layer = words[0].split(".")[1]
        if words[0] not in spared:
            continue
        back = follow(demo, names, names[target], f"10.{layer}.0.1")
        if names[words[2]] not in [node for node, _ in back]:
            return target, f"{near.rsplit('.', 1)[0]}.1"
    sys.exit("demo-ip: no host has an alternate")


def ping(demo, address):
    """Starts pings, 5 ms apart, from the first host."""
    return demo.exec("node0000", "ping", "-n", "-i", "0.005", "-c",
                     str(PINGS), "-W", "1", address, stdout=subprocess.PIPE)


def tell_pings(what, child):
    """How many were lost."""
    text = child.communicate(timeout=PATIENCE)[0]
    sent, received = (int(number) for number in re.search(
        r"(\d+) packets transmitted, (\d+) received", text).groups())
    say(f"    {what}: {sent - received} of {sent} pings lost")


def cut_cable(demo):
    """A cable is cut under running pings."""
    names = read_names(demo)
    with open(f"{demo.folder}/controller.log", "w", encoding="utf-8") as log:
        # pylint: disable-next=consider-using-with
        controller = subprocess.Popen(
            [PROGRAM, "ip", "run", "--lab", NAME, "--lab-folder", demo.labs,
             "--state", f"{demo.folder}/controller"], stdout=log, stderr=log,
            stdin=subprocess.DEVNULL)
    demo.children.append(controller)

    def log(after=0):
        """What it says, when it has noted its tables for 'lab check'."""
        def read():
            with open(f"{demo.folder}/controller.log",
                      encoding="utf-8") as file:
                return file.read()

        await_that(lambda: " noted" in read()[after:]
                   or controller.poll() is not None)
        return read()

    with Step("A controller watches the links"):
        show(log())
    far, near = choose_targets(demo, names)
    with Step(f"The cable in {CUT[1]} of {CUT[0]} is cut under running pings, "
              "one each 5 ms"):
        before = len(log())
        pings = [(f"to {names[far]} in layer {far.split('.')[1]}, where there "
                  "is an alternate", ping(demo, far)),
                 (f"to {names[near]} at the other end, where there is none",
                  ping(demo, near))]
        time.sleep(0.5)
        demo.lab("fail", f"{CUT[0]}:{CUT[1]}")
        for what, child in pings:
            tell_pings(what, child)
        show(log(before)[before:])
        show(demo.lab("check"), 1)
    with Step("The cable is whole again"):
        before = len(log())
        demo.lab("restore")
        show(log(before)[before:])
        controller.terminate()
        controller.wait(PATIENCE)
        show(demo.lab("check"), 1)


def await_that(is_so):
    """Waits until something is so."""
    end = time.monotonic() + PATIENCE
    while not is_so():
        if time.monotonic() > end:
            sys.exit("demo-ip: waited too long")
        time.sleep(0.02)


def start_lldp(demo, switches):
    """Starts a daemon of LLDP in each switch."""
    for node in switches:
        config = f"{demo.folder}/lldp/{node}.conf"
        with open(config, "w", encoding="utf-8") as file:
            file.write(f"configure system hostname {node}\n"
                       "configure lldp portidsubtype ifname\n"
                       "configure lldp tx-interval 1\n"
                       "configure lldp tx-hold 4\nresume\n")
        demo.exec(node, "lldpd", "-d", "-u",
                  f"{demo.folder}/lldp/{node}.socket", "-O", config,
                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def verify(demo, switches, is_wanted):
    """Verifies what LLDP tells until that is as wanted; the text."""
    result = {}

    def look():
        for node in switches:
            done = subprocess.run(
                ["lldpcli", "-u", f"{demo.folder}/lldp/{node}.socket", "-f",
                 "json0", "show", "neighbors"], capture_output=True, text=True,
                timeout=PATIENCE, check=False)
            with open(f"{demo.folder}/reports/{node}.json", "w",
                      encoding="utf-8") as file:
                file.write(done.stdout if done.returncode == 0 else "")
        result.update(json.loads(demo.run(
            "verify", demo.plan, f"lldp:{demo.folder}/reports", "-f", "json",
            codes=(0, 1))))
        return is_wanted(result)

    await_that(look)
    return demo.run("verify", demo.plan, f"lldp:{demo.folder}/reports",
                    codes=(0, 1))


def swap_cables(demo):
    """Two cables change places; LLDP tells which."""
    with open(f"{demo.plan}/plan.json", encoding="utf-8") as file:
        plan = json.load(file)
    switches = [node["name"] for node in plan["switches"]]
    peers = {}
    for cable in plan["cables"]:
        ends = [(cable[end]["node"], cable[end]["port_name"]) for end in "ab"]
        peers[ends[0]], peers[ends[1]] = ends[1], ends[0]
    for name in ("lldp", "reports"):
        os.makedirs(f"{demo.folder}/{name}")
    os.chmod(demo.folder, 0o755)  # The daemons give up their rights.
    with Step("lldpd in each switch; the cables, as it finds them, against "
              "the plan"):
        start_lldp(demo, switches)
        show(verify(demo, switches,
                    lambda result: result["counts"]["right"] == 175), 1)
    a, b = SWAPPED
    with Step(f"Somebody swaps the cables in {a[1]} of {a[0]} and {b[0]}"):
        for end in SWAPPED:
            demo.ip(end[0], "link", "del", end[1])
        for end, other in ((a, peers[b]), (b, peers[a])):
            subprocess.run(
                ["ip", "link", "add", end[1], "netns", f"{NAME}.{end[0]}",
                 "type", "veth", "peer", "name", other[1], "netns",
                 f"{NAME}.{other[0]}"], check=True, timeout=PATIENCE)
            for node, port in (end, other):
                demo.ip(node, "link", "set", port, "up")
        text = verify(demo, switches,
                      lambda result: result["counts"]["misconnected"] == 2)
        show(text)
        with open(f"{demo.folder}/swapped.txt", "w", encoding="utf-8") as file:
            file.write(text)


def check_tools():
    """Says what is missing before anything is made."""
    missing = [name for name in ("ip", "ping", "lldpd", "lldpcli")
               if not shutil.which(name)]
    if missing:
        sys.exit(f"demo-ip: not found: {', '.join(missing)}")


def main():
    """Runs all, in a folder of its own."""
    start = time.monotonic()
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    os.environ["SLIMFLY_PROGRESS"] = "never"
    check_tools()
    had_lldp = os.path.isdir("/run/lldpd")
    folder = tempfile.mkdtemp(prefix="slimfly-demo-ip-")
    demo = Demo(folder)
    for number in signal.SIGINT, signal.SIGTERM:
        signal.signal(number, lambda *_: sys.exit("demo-ip: interrupted"))

    def clean_up():
        demo.stop()
        if not had_lldp and os.path.isdir("/run/lldpd"):
            shutil.rmtree("/run/lldpd", ignore_errors=True)
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(clean_up)
    bring_up(demo)
    measure(demo)
    cut_cable(demo)
    os.makedirs("/run/lldpd", exist_ok=True)  # Where it locks itself in.
    swap_cables(demo)
    with Step("Down"):
        show(demo.stop())
    say()
    say(f"All of it in {time.monotonic() - start:.0f} s.")


if __name__ == "__main__":
    main()
