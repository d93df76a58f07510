"""hall.py -- fabrics that are made up from a plan, for tests of 'slimfly
verify': what ibnetdiscover would print of them."""
import json
import random
import tempfile

import harness


class Hall(harness.Case):
    """A plan, and what was built of it: nodes by their planned names."""

    def start(self, spec, *options):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.plan = f"{self.folder}/plan"
        self.found = f"{self.folder}/found"
        self.succeeds("plan", spec, "-o", self.plan, *options)
        with open(f"{self.plan}/plan.json", encoding="utf-8") as file:
            plan = json.load(file)
        self.switches = [n["name"] for n in plan["switches"]]
        self.hosts = [n["name"] for n in plan["hosts"]]
        self.places = {n["name"]: f"{n['rack']} U{n['unit']}"
                       for n in plan["switches"] + plan["hosts"]}
        self.names = {name: name for name in self.switches + self.hosts}
        self.guids = {n["name"]: int(n["guid"], 16)
                      for n in plan["switches"] + plan["hosts"]}
        self.n_ports = max(max(c["a"]["port"], c["b"]["port"])
                           for c in plan["cables"])
        self.peers = {}
        for cable in plan["cables"]:
            a, b = ((cable[e]["node"], cable[e]["port"]) for e in "ab")
            self.peers[a], self.peers[b] = b, a
        self.rate = "4xEDR"
        self.lost = set()

    def forget_names(self, seed=1):
        """Vendor's names and GUIDs, as devices out of the box have them."""
        randoms = random.Random(seed)
        for name in self.names:
            is_switch = name in self.switches
            self.names[name] = "Quantum Mellanox" if is_switch else "localhost"
            self.guids[name] = randoms.randrange(1, 1 << 64)

    def swap(self, a, b):
        """Exchanges what is plugged into two ports."""
        x, y = self.peers[a], self.peers[b]
        self.peers[a], self.peers[y] = y, a
        self.peers[b], self.peers[x] = x, b

    def exchange(self, a, b):
        """All that is plugged into one switch goes into the other."""
        for port in range(1, self.n_ports + 1):
            if (a, port) in self.peers and self.peers[a, port] != (b, port):
                self.swap((a, port), (b, port))

    def write(self, seed=1):
        """What ibnetdiscover would print, in any order."""
        def quoted(name):
            kind = "S" if name in self.switches else "H"
            return f'"{kind}-{self.guids[name]:016x}"'

        blocks = []
        for name in self.names:
            if name in self.lost:
                continue
            is_switch = name in self.switches
            kind = f"Switch\t{self.n_ports}" if is_switch else "Ca\t1"
            lines = [f'{kind} {quoted(name)}\t# "{self.names[name]}"'
                     + (" base port 0 lid 0 lmc 0" if is_switch else "")]
            for port in range(1, self.n_ports + 1):
                peer = self.peers.get((name, port))
                if peer and peer[0] not in self.lost:
                    own = f"({self.guids[name] ^ 1:x})" * (not is_switch)
                    lid = "lid 0 lmc 0 " * (not is_switch)
                    lines.append(
                        f'[{port}]{own}\t{quoted(peer[0])}[{peer[1]}]\t# {lid}'
                        f'"{self.names[peer[0]]}" lid 0 {self.rate}')
            blocks.append("\n".join(lines) + "\n")
        random.Random(seed).shuffle(blocks)
        with open(self.found, "w", encoding="utf-8") as file:
            file.write("\n".join(blocks))

    def text(self, *options, code=1):
        done = harness.slimfly("verify", self.plan, self.found, *options)
        self.assertEqual((done.returncode, done.stderr), (code, ""))
        return done.stdout

    def json(self, *options):
        done = harness.slimfly("verify", self.plan, self.found, "-f", "json",
                               *options)
        self.assertEqual(done.stderr, "")
        result = json.loads(done.stdout)
        self.assertEqual(done.returncode, 0 if result["matches"] else 1)
        return result
