"""'slimfly verify' and 'watch' on reports of LLDP: the same verdicts and moves
as for what ibnetdiscover prints of the same network, and what to do with
reports that are not as they should be."""
import json
import os
import random
import shutil
import signal
import subprocess
import tempfile
import unittest

import hall
import harness
import lldp

# Rules, and the same as functions.
RULES = {
    "swp%d": lambda port: f"swp{port}",
    "Ethernet%d:first=0,step=4|etp%d": lambda port: f"Ethernet{4 * port - 4}",
    "et-0/0/%d:first=0": lambda port: f"et-0/0/{port - 1}",
    "Ethernet1/%d": lambda port: f"Ethernet1/{port}",
    "port%02d": lambda port: f"port{port:02d}",
    "%d": str,
}
SPECS = ["sf:q=3", "ft2:ports=4", "ft3:ports=4", "hx2:3x3,p=1",
         "df:a=3,h=1,p=1", "xpander:k=3,lift=3,p=1",
         "jellyfish:n=9,k=4,seed=2,p=1", "pf:q=3", "sf:q=4"]


class Ethernet(hall.Hall):
    """A plan with names of ports, and what was built of it."""

    def start(self, spec, *options, rule="swp%d"):
        super().start(spec, "--port-names", rule, *options)
        self.name_port = RULES[rule]
        self.reports = f"{self.folder}/reports"
        self.network = None

    def wire(self, hosts_report=False):
        """The network as it is wired now."""
        self.network = lldp.Network()
        for name in self.switches + self.hosts:
            if name in self.lost:
                continue
            self.network.add(name, name in self.switches)
            if name in self.hosts and not hosts_report:
                self.network.silent.add(name)
        for end, peer in self.peers.items():
            if end < peer and not {end[0], peer[0]} & self.lost:
                self.network.cables.append([self.named(end),
                                            self.named(peer)])

    def named(self, end):
        """An end with the name of its port."""
        node, port = end
        is_switch = node in self.switches
        return (node, self.name_port(port) if is_switch else "ens1f0np0")

    def report(self, form="json0"):
        """Writes the reports, in place of earlier ones."""
        shutil.rmtree(self.reports, ignore_errors=True)
        self.network.write(self.reports, form)

    def verify(self, *options, source=None, code=None):
        """What verify says of the reports, as JSON."""
        done = harness.slimfly("verify", self.plan,
                               source or f"lldp:{self.reports}", "-f", "json",
                               *options)
        self.assertEqual(done.stderr, "")
        result = json.loads(done.stdout)
        self.assertEqual(done.returncode, 0 if result["matches"] else 1)
        if code is not None:
            self.assertEqual(done.returncode, code, done.stdout)
        return result

    def notes(self, result):
        """The kinds of its notes."""
        return sorted(note["kind"] for note in result.get("notes", []))

    def swap_two(self, seed=1):
        """Swaps two cables between switches; returns the four ends."""
        ends = sorted(end for end, peer in self.peers.items()
                      if end[0] in self.switches and
                      peer[0] in self.switches and end < peer)
        a, b = random.Random(seed).sample(ends, 2)
        touched = {a, b, self.peers[a], self.peers[b]}
        self.swap(a, b)
        return touched

    def check_swap(self, result, touched, n_findings=2):
        """Both cables are named, with the moves."""
        self.assertEqual([f["verdict"] for f in result["findings"]],
                         ["misconnected"] * n_findings)
        self.assertEqual(len(result["moves"]), 2)
        ends = {(end["node"], end["port"]) for move in result["moves"]
                for end in (move["cable"], move["from"], move["to"])}
        self.assertEqual(ends, touched)


def without_names(value):
    """A result without what depends on how the network was discovered."""
    dropped = {"found_as", "port_name", "text", "notes", "identity",
               "remedy", "command"}
    if isinstance(value, dict):
        return {key: without_names(item) for key, item in value.items()
                if key not in dropped}
    if isinstance(value, list):
        return [without_names(item) for item in value]
    return value


class Same(Ethernet):
    """Random faults: LLDP and ibnetdiscover lead to the same result."""

    def damage(self, randoms):
        """Something goes wrong."""
        ends = sorted(self.peers)
        kind = randoms.randrange(6)
        if kind == 0:  # Two ends change places.
            a, b = randoms.sample(ends, 2)
            if self.peers[a] != b and self.peers[a][0] != b[0]:
                self.swap(a, b)
        elif kind == 1:  # A cable is out.
            a = randoms.choice(ends)
            del self.peers[self.peers.pop(a)]
        elif kind == 2:  # A switch is off.
            self.lost.add(randoms.choice(self.switches))
        elif kind == 3:  # A cable too many, maybe from a switch to itself.
            free = [(s, p) for s in self.switches
                    for p in range(1, self.n_ports + 1)
                    if (s, p) not in self.peers]
            if len(free) > 1:
                a, b = randoms.sample(free, 2)
                self.peers[a], self.peers[b] = b, a
        elif kind == 4:  # Two switches stand in each other's place.
            a, b = randoms.sample(self.switches, 2)
            both = {(s, p): self.peers.get((s, p)) for s in (a, b)
                    for p in range(1, self.n_ports + 1)}
            if all(peer is None or peer[0] not in (a, b)
                   for peer in both.values()):
                for port in range(1, self.n_ports + 1):
                    x, y = both[a, port], both[b, port]
                    for end, peer in (((a, port), y), ((b, port), x)):
                        self.peers.pop(end, None)
                        if peer:
                            self.peers[end], self.peers[peer] = peer, end
        else:  # A host is off.
            self.lost.add(randoms.choice(self.hosts))

    def check(self, seed):
        """One network with some damages."""
        randoms = random.Random(seed)
        self.start(randoms.choice(SPECS), "--switch-ports",
                   str(randoms.randint(12, 14)),
                   rule=randoms.choice(sorted(RULES)))
        self.n_ports = 12
        for _ in range(randoms.randrange(5)):
            self.damage(randoms)
        hosts_report = randoms.random() < 0.5
        self.wire(hosts_report)
        if not hosts_report:  # Then who is not plugged in is not seen.
            self.lost |= {host for host in self.hosts
                          if (host, 1) not in self.peers or
                          self.peers[host, 1][0] not in self.switches or
                          self.peers[host, 1][0] in self.lost}
        for name in self.network.systems:
            if name in self.switches and randoms.random() < 0.3:
                self.network.by_mac.add(name)
            if randoms.random() < 0.3:
                self.network.systems[name].told = f"{name}.dc1.example.org"
        self.report(randoms.choice(["json0", "json"]))
        self.write(seed)
        expected = self.json("--ignore-rates")
        result = self.verify()
        self.assertEqual(without_names(result), without_names(expected),
                         (seed, self.lost))
        self.assertEqual(self.notes(result),
                         ["silent"] * bool(self.lost & set(self.switches)))

    def test_random_faults_have_the_same_verdicts_and_moves(self):
        for seed in range(60):
            self.check(seed)

    @harness.long
    def test_many_random_faults_have_the_same_verdicts_and_moves(self):
        for seed in range(1000, 2000):
            self.check(seed)


class Reports(Ethernet):
    """What reports look like, and what is wrong with them."""

    def test_every_family_and_form(self):
        for spec in SPECS:
            for form in ("json0", "json"):
                self.start(spec)
                self.wire()
                self.report(form)
                result = self.verify(code=0)
                self.assertEqual(self.notes(result), [])
                touched = self.swap_two()
                self.wire()
                self.report(form)
                result = self.verify(code=1)
                if result["counts"].get("exchanged", 0) == 0:
                    self.check_swap(result, touched)

    def test_names_are_said_in_place_of_numbers(self):
        self.start("sf:q=5", rule="Ethernet%d:first=0,step=4|etp%d")
        self.swap(("sf-0-3-1", 8), ("sf-0-4-2", 9))
        self.wire()
        self.report()
        done = harness.slimfly("verify", self.plan, f"lldp:{self.reports}")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertIn("sf-0-3-1 port Ethernet28 (R3 ", done.stdout)
        self.assertIn("sf-0-4-2 port Ethernet32 (R4 ", done.stdout)
        self.assertNotRegex(done.stdout, r"port \d")
        for end in self.verify()["findings"][0]["ends"]:
            self.assertEqual(end["port_name"],
                             f"Ethernet{4 * end['port'] - 4}")
        svg = harness.slimfly("verify", self.plan, f"lldp:{self.reports}",
                              "-f", "svg").stdout
        self.assertIn(">Ethernet28</text>", svg)

    def test_one_file_for_all(self):
        self.start("sf:q=3")
        touched = self.swap_two()
        self.wire()
        network = self.network
        names = network.reporters()
        forms = {
            "object": json.dumps({n: network.json0(n) for n in names}),
            "objects": "\n".join(json.dumps({n: network.json(n)})
                                 for n in names),
            "array": json.dumps([{n: network.json(n)} for n in names]),
            "sequence": "".join(json.dumps(network.chassis0(n), indent=1) +
                                "\n\n" + json.dumps(network.json0(n))
                                for n in names),
            "lists": json.dumps({n: [network.json0(n), network.chassis0(n)]
                                 for n in names}),
        }
        for text in forms.values():
            path = f"{self.folder}/all"
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            result = self.verify(source=f"lldp:{path}")
            self.check_swap(result, touched)
            self.assertEqual(self.notes(result), [])
            done = harness.slimfly("verify", self.plan, "lldp:-", "-f",
                                   "json", stdin=text)
            self.assertEqual(without_names(json.loads(done.stdout)),
                             without_names(result))

    def test_sonic_sends_macs_or_aliases_as_port_ids(self):
        self.start("sf:q=3", rule="Ethernet%d:first=0,step=4|etp%d")
        touched = self.swap_two(seed=4)
        pairs = [frozenset((a[0], b[0])) for a, b in self.peers.items()]
        self.assertTrue(all(pairs.count(pair) == 2 == len(pair)
                            for pair in pairs))
        self.wire()
        self.network.by_mac |= set(self.switches)
        self.report()
        self.check_swap(self.verify(), touched)
        self.wire()
        for switch in self.switches:
            for port in range(1, self.n_ports + 1):
                self.network.alias[switch, self.name_port(port)] = f"etp{port}"
        self.report()
        self.check_swap(self.verify(), touched)
        # An alias that the rule does not know: the other side tells.
        for key in self.network.alias:
            self.network.alias[key] = self.network.alias[key].replace(
                "etp", "hundredGigE")
        original = lldp.Network.port_id
        self.network.port_id = lambda system, port: (
            *original(self.network, system, port)[:2],
            "uplink" if system.is_switch else port)
        self.report()
        result = self.verify()
        self.check_swap(result, touched)
        self.assertEqual(self.notes(result), [])

    def test_switches_without_names_are_told_by_their_addresses(self):
        self.start("sf:q=3")
        touched = self.swap_two()
        self.wire()
        for switch in self.switches:
            self.network.systems[switch].told = "sonic"
        os.makedirs(self.reports)
        for name in self.network.reporters():
            with open(f"{self.reports}/{name}.json", "w",
                      encoding="utf-8") as file:
                json.dump(self.network.chassis0(name), file)
                json.dump(self.network.json0(name), file)
        result = self.verify()
        self.check_swap(result, touched)
        self.assertEqual(self.notes(result), [])
        # Without 'show chassis', files and neighbours do not know each other.
        self.report()
        result = self.verify()
        self.assertIn("duplicate", self.notes(result))
        # But a map of addresses says who is who.
        path = f"{self.folder}/map"
        with open(path, "w", encoding="utf-8") as file:
            for name in self.switches:
                mac = self.network.systems[name].mac.replace(":", "")
                file.write(f'0x{mac} "{name}"\n')
        for name in self.network.reporters():
            shutil.copy(f"{self.reports}/{name}.json", self.folder)
        shutil.rmtree(self.reports)
        os.makedirs(self.reports)
        for name in self.network.reporters():
            mac = self.network.systems[name].mac
            with open(f"{self.reports}/{mac.replace(':', '-')}.json", "w",
                      encoding="utf-8") as file:
                json.dump(self.network.chassis0(name), file)
                json.dump(self.network.json0(name), file)
        result = self.verify("--guids", path)
        self.assertEqual(result["identity"]["map"], len(self.switches))
        self.check_swap(result, touched)

    def test_ports_for_management_are_none_of_ours(self):
        self.start("sf:q=3")
        self.wire()
        self.network.add("mgmt-sw1", True)
        for i, switch in enumerate(self.switches):
            self.network.cables.append(((switch, "eth0"),
                                        ("mgmt-sw1", f"Gi1/0/{i + 1}")))
        for i, host in enumerate(self.hosts):
            self.network.cables.append(((host, "eno1"),
                                        ("mgmt-sw1", f"Gi2/0/{i + 1}")))
        self.report()
        result = self.verify(code=0)
        self.assertEqual(self.notes(result), [])
        self.network.silent.clear()  # Hosts report, too.
        self.report()
        self.assertEqual(self.notes(self.verify(code=0)), [])

    def test_hosts_that_do_not_send_are_left_out(self):
        self.start("sf:q=3")
        self.wire()
        self.network.mute |= set(self.hosts)
        self.report()
        result = self.verify(code=0)
        self.assertEqual(self.notes(result), ["no_hosts"])
        self.assertEqual(result["counts"]["planned"]
                         if "planned" in result["counts"] else 27, 27)
        # If some do, all should.
        self.network.mute -= {self.hosts[0]}
        self.report()
        result = self.verify(code=1)
        self.assertEqual({f["verdict"] for f in result["findings"]},
                         {"missing_host", "missing"} &
                         {f["verdict"] for f in result["findings"]})
        self.verify("--skip-hosts", code=0)

    def test_hosts_have_names_of_ports_too(self):
        self.start("sf:q=3", "--host-port-names", "eth%d:first=0")
        self.wire(hosts_report=True)
        self.network.cables = [[(node, "eth0" if node in self.hosts else port)
                                for node, port in cable]
                               for cable in self.network.cables]
        self.report()
        self.verify(code=0)
        done = harness.slimfly("plan", "sf:q=3", "-o", self.plan,
                               "--port-names", "swp%d", "--host-port-names",
                               "ib%d:first=0")
        self.assertEqual(done.returncode, 0)
        self.network.silent |= set(self.hosts)
        self.report()
        # The only port of a host, whatever it is called.
        self.verify(code=0)

    def test_a_card_that_sends_on_its_own_is_no_neighbour(self):
        self.start("sf:q=3")
        self.wire()
        card = lldp.System(9999, None, False)
        host = self.hosts[0]
        switch, port = self.peers[host, 1]
        self.network.extra[switch, f"swp{port}"] = [(card, card.mac)]
        self.report()
        result = self.verify(code=0)
        self.assertEqual(self.notes(result), [])

    def test_one_side_is_enough_and_said(self):
        self.start("sf:q=3")
        self.wire()
        a, b = next(cable for cable in self.network.cables
                    if cable[0][0] in self.switches and
                    cable[1][0] in self.switches)
        self.network.unheard.add(tuple(a))
        self.report()
        result = self.verify(code=0)
        self.assertEqual(self.notes(result), ["one_sided"])
        self.assertIn(f"{b[0]} port {b[1]} names {a[0]} port {a[1]}",
                      result["notes"][0]["text"])

    def test_a_switch_that_does_not_report_is_seen_by_others(self):
        self.start("sf:q=3")
        touched = self.swap_two()
        self.wire()
        silent = next(node for node, _ in touched)
        self.network.silent.add(silent)
        # Hosts on it are seen by it alone, if they do not report.
        self.network.silent -= set(self.hosts)
        self.report()
        result = self.verify(code=1)
        self.check_swap(result, touched)
        self.assertEqual(self.notes(result), ["silent"])
        self.assertIn(f"1 of {len(self.switches)} switches did not report: "
                      f"{silent}.", result["notes"][0]["text"])

    def test_an_empty_file_is_no_report(self):
        self.start("sf:q=3")
        self.wire()
        self.report()
        with open(f"{self.reports}/{self.switches[0]}.json", "w",
                  encoding="utf-8"):
            pass
        self.assertEqual(self.notes(self.verify("--skip-hosts", code=0)),
                         ["silent"])

    def test_contradictions_are_said_and_not_guessed(self):
        self.start("sf:q=3")
        self.wire()
        links = [cable for cable in self.network.cables
                 if cable[0][0] in self.switches and
                 cable[1][0] in self.switches]
        (a, b), (c, d) = links[0], links[5]
        # a still names b, but b and c name each other; d names c.
        self.network.unheard |= {tuple(b), tuple(c)}
        self.network.extra[tuple(b)] = [(self.network.systems[c[0]], c[1])]
        self.network.extra[tuple(c)] = [(self.network.systems[b[0]], b[1])]
        self.report()
        result = self.verify(code=1)
        self.assertEqual(self.notes(result), ["contradiction"] * 2)
        self.assertIn(f"{a[0]} port {a[1]} names {b[0]} port {b[1]} as its "
                      f"neighbour, which names {c[0]} port {c[1]}.",
                      [note["text"] for note in result["notes"]])
        # Two neighbours on one port, of which one names it.
        self.wire()
        self.network.extra[tuple(a)] = [(self.network.systems[d[0]], d[1])]
        self.report()
        result = self.verify(code=0)
        self.assertEqual(self.notes(result), ["contradiction"])
        # And none.
        self.network.unheard.add(tuple(b))
        self.report()
        result = self.verify(code=1)
        self.assertEqual(self.notes(result), ["contradiction"])
        self.assertEqual([f["verdict"] for f in result["findings"]],
                         ["missing"])

    def test_old_reports_are_said(self):
        self.start("sf:q=3")
        self.wire()
        self.report()
        path = f"{self.reports}/{self.switches[2]}.json"
        newest = os.stat(f"{self.reports}/{self.switches[1]}.json").st_mtime
        os.utime(path, (newest - 3000, newest - 3000))
        result = self.verify(code=0)
        self.assertEqual(self.notes(result), ["old"])
        self.assertIn(path, result["notes"][0]["text"])

    def test_neighbours_that_said_good_bye_or_speak_cdp(self):
        self.start("sf:q=3")
        self.wire()
        self.report()
        path = f"{self.reports}/{self.switches[0]}.json"
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
        entries = report["lldp"][0]["interface"]
        entries[0]["via"] = "CDPv2"
        entries[1]["port"][0]["ttl"] = [{"value": "0"}]
        with open(path, "w", encoding="utf-8") as file:
            json.dump(report, file)
        result = self.verify("--skip-hosts")
        self.assertLessEqual(len(self.notes(result)), 2)
        self.assertLessEqual(set(self.notes(result)), {"one_sided"})

    def test_bad_input_is_named(self):
        self.start("sf:q=3")
        self.wire()
        self.report()
        source = f"lldp:{self.reports}"
        self.fails("verify", self.plan, "lldp:", says="a folder or a file")
        self.fails("verify", self.plan, f"lldp:{self.folder}/none",
                   says=f"{self.folder}/none")
        self.fails("verify", self.plan, f"lldp:{self.plan}/diagrams",
                   says="expected files NAME.json")
        for text in ("[]", "{}", ""):
            path = f"{self.folder}/none.json"
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            self.fails("verify", self.plan, f"lldp:{path}",
                       says="expected reports of LLDP, of one switch at least")
        self.fails("verify", source, self.plan, says="plan")
        self.fails("route", source, "-o", f"{self.folder}/o",
                   says="only 'slimfly verify' and 'slimfly watch'")
        self.fails("verify", "sf:q=3", source, says="--port-names")
        self.fails("verify", self.plan, source, "--port-names", "Ethernet%d",
                   says="ports such as swp")
        self.fails("verify", self.plan, source, "--port-names", "swp",
                   says="--port-names: port names 'swp': there is no %d")
        path = f"{self.reports}/{self.switches[0]}.json"
        for text, says in [
                ("{", f"{path}:1: expected JSON"),
                ('\n\n{"lldp": [}', f"{path}:3: expected JSON"),
                ("[1]", "expected what 'lldpcli -f json0 show neighbors'"),
                ('{"lldp": 1}', "lldp: expected an object"),
                ('{"lldp": {"interface": {"swp1": {}}}}',
                 "neighbour on swp1: expected its port"),
                ('{"lldp": {"interface": {"swp1": {"port": {}}}}}',
                 "expected a chassis"),
                ('{"lldp": {"interface": 7}}', "expected interfaces")]:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            self.fails("verify", self.plan, source, says=says)
        self.fails("verify", self.plan, "lldp:-", stdin='{"lldp": {}}',
                   says="whose neighbours are these?")

    def test_bytes_that_are_no_text_do_no_harm(self):
        self.start("sf:q=3")
        self.wire()
        self.report()
        path = f"{self.reports}/{self.switches[0]}.json"
        with open(path, "rb") as file:
            text = file.read()
        with open(path, "wb") as file:
            file.write(text.replace(b"Debian", b"Caf\xe9 \xff\xc3"))
        self.verify(code=0)

    def test_a_spec_with_a_rule_is_a_plan(self):
        self.start("sf:q=3")
        self.wire()
        self.report()
        self.succeeds("verify", "sf:q=3", f"lldp:{self.reports}",
                      "--port-names", "swp%d")


class Watching(Ethernet):
    """'slimfly watch' on reports."""

    def follow(self, *args):
        """Starts watch; returns the process."""
        watch = subprocess.Popen(
            [harness.PROGRAM, "watch", self.plan, *args, "-n", "0.1", "-f",
             "jsonl"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True)
        self.addCleanup(watch.stdout.close)
        self.addCleanup(watch.stderr.close)
        self.addCleanup(watch.wait)
        self.addCleanup(watch.kill)
        return watch

    def until(self, watch, is_wanted):
        """The first state that is wanted."""
        for line in watch.stdout:
            state = json.loads(line)
            if is_wanted(state):
                return state
        self.fail(watch.stderr.read())

    def replace_reports(self):
        """Each file changes at once."""
        fresh = f"{self.folder}/fresh"
        self.network.write(fresh)
        for name in os.listdir(fresh):
            os.replace(f"{fresh}/{name}", f"{self.reports}/{name}")

    def test_a_folder_is_read_again_and_again(self):
        self.start("sf:q=3")
        planned = dict(self.peers)
        self.swap_two()
        self.wire()
        self.report()
        watch = self.follow(f"lldp:{self.reports}")
        state = self.until(watch, lambda state: state["discovered"])
        self.assertEqual([w["verdict"] for w in state["wrong"]],
                         ["misconnected"] * 2)
        self.assertIn("port swp", state["wrong"][0]["move"])
        self.peers = planned
        self.wire()
        self.replace_reports()
        self.until(watch, lambda state: state["matches"])
        self.assertEqual(watch.wait(harness.PATIENCE), 0)

    def test_a_command_for_each_switch(self):
        self.start("sf:q=3")
        self.wire()
        self.network.mute |= set(self.hosts)
        self.report()
        path = f"{self.reports}/$x.json"
        command = f"x={{}}; cat {path} # and done"
        with tempfile.TemporaryDirectory() as temporary:
            os.environ["TMPDIR"] = temporary
            self.addCleanup(os.environ.pop, "TMPDIR", None)
            watch = self.follow("--exec", command, "--skip-hosts")
            self.assertEqual(watch.wait(harness.PATIENCE), 0)
            # One that fails did not report; the others go on.
            os.remove(f"{self.reports}/{self.switches[0]}.json")
            self.swap_two()
            self.wire()
            self.network.mute |= set(self.hosts)
            self.network.silent.add(self.switches[0])
            self.network.write(self.reports)
            watch = self.follow("--exec", command, "--skip-hosts")
            state = self.until(watch, lambda state: state["discovered"])
            self.assertEqual(state["n_unanswered"], 1)
            self.assertEqual([n["kind"] for n in state["notes"]], ["silent"])
            self.assertEqual(len(state["wrong"]), 2)
            watch.send_signal(signal.SIGINT)
            self.assertEqual(watch.wait(harness.PATIENCE), 1)
            self.assertEqual(os.listdir(temporary), [])
            # All of them fail.
            watch = self.follow("--exec", "echo no {} >&2; false")
            state = self.until(watch, lambda state: not state["discovered"])
            self.assertIn(f"no {self.switches[0]}", state["failure"])
            watch.send_signal(signal.SIGINT)
            watch.wait(harness.PATIENCE)
            # It is interrupted while commands run.
            watch = self.follow("--exec", f"touch {self.folder}/seen; "
                                "sleep 1000 # {}")
            while not os.path.exists(f"{self.folder}/seen"):
                pass
            watch.send_signal(signal.SIGINT)
            self.assertEqual(watch.wait(harness.PATIENCE), 1)
            self.assertEqual(os.listdir(temporary), [])

    def test_a_command_for_all(self):
        self.start("sf:q=3")
        self.wire()
        text = json.dumps({name: self.network.json0(name)
                           for name in self.network.reporters()})
        with open(f"{self.folder}/all", "w", encoding="utf-8") as file:
            file.write(text)
        watch = self.follow("--exec", f"cat {self.folder}/all")
        self.assertEqual(watch.wait(harness.PATIENCE), 0)

    def test_what_stays_wrong_ends_at_once(self):
        self.start("sf:q=3")
        self.wire()
        self.report()
        self.fails("watch", "sf:q=3", f"lldp:{self.reports}",
                   says="--port-names")
        self.fails("watch", self.plan, f"lldp:{self.reports}", "--exec", "x",
                   says="lldp:DIR")


if __name__ == "__main__":
    unittest.TestCase.longMessage = True
    harness.main()
