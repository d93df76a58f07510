"""Drained links and replaced nodes: OpenSM with the plugin on a simulated
fabric, and real MADs by LID that must leave a drained link alone."""
import json
import os
import re
import subprocess
import tempfile

from plugged import Plugged, harness


class Operated(Plugged):
    """OpenSM with a base, a plan and a list of drained links."""

    def start(self, spec, *lines):
        """Brings up 'spec' with a base, a plan and a list of drained
        links."""
        self.plan(spec)
        self.list = f"{self.work}/drained"
        self.configure(*lines)
        return self.run_manager()

    def configure(self, *lines):
        with open(f"{self.work}/options", "w", encoding="utf-8") as file:
            file.write("\n".join(
                (f"status = {self.work}/opensm/status.json",
                 f"plan = {self.work}/plan", f"base = {self.work}/base",
                 f"drained = {self.list}", *lines)) + "\n")

    def run_manager(self):
        opensm = self.manager(lmc=2, options=f"{self.work}/options")
        opensm.wait_status()
        return opensm

    def on_sim(self, *args, code=0, host=None):
        """Runs the program on the simulated fabric."""
        env = {**self.sim.env(), **({"SIM_HOST": host} if host else {})}
        done = subprocess.run(
            [os.path.abspath(harness.PROGRAM), *args], env=env,
            cwd=self.sim.folder, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=harness.PATIENCE,
            check=False)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return done.stdout

    def drain(self, *args, code=0):
        return self.on_sim("drain", *args, "--conf", f"{self.work}/options",
                           code=code)

    def undrain(self, *args, code=0):
        return self.on_sim("undrain", *args, "--conf",
                           f"{self.work}/options", code=code)

    def wait_drained(self, opensm, n_links):
        """Until so many links are drained, and can be unplugged."""
        return opensm.until(
            lambda: (s := opensm.status()) and s.get("state") == "up"
            and s["drained"]["n_links"] == n_links
            and s["drained"]["safe_to_unplug"] and s,
            f"{n_links} links are drained: {opensm.status()}")

    def tables(self):
        """What switches hold: {switch: {lid: port}}."""
        tables = {}
        for line in self.live_tables().splitlines():
            head = re.match(r"Unicast lids .*\('(.*)'\)", line)
            if head:
                tables[head[1]] = {}
                here = tables[head[1]]
            elif line.startswith("0x"):
                words = line.split()
                here[int(words[0], 16)] = int(words[1])
        return tables

    def users(self, tables, end):
        """Pairs of switch and LID whose path goes out of the port 'end'."""
        to = {a: b for cable in self.cables
              for a, b in (cable, cable[::-1])}
        found = []
        for name in tables:
            for lid in tables[name]:
                at, n_hops = name, 0
                while n_hops < 64:
                    port = tables[at].get(lid)
                    if (at, port) == end:
                        found.append((name, lid))
                    if (at, port) not in to:
                        break
                    at, n_hops = to[at, port][0], n_hops + 1
        return found

    def counted(self, lids, ends):
        """Packets that the two ports of a link have sent and received."""
        total = 0
        for name, port in ends:
            done = self.sim.run("perfquery", "-x", str(lids[name]), str(port))
            self.assertEqual(done.returncode, 0, done.stderr)
            for key in "PortXmitPkts", "PortRcvPkts":
                total += int(re.search(key + r":\.*(\d+)", done.stdout)[1])
        return total

    def send(self, pairs, hosts):
        """Sends a MAD by LID for each pair, from a host of that switch."""
        for name, lid in pairs:
            done = subprocess.run(
                ["smpquery", "nodeinfo", str(lid)],
                env={**self.sim.env(), "SIM_HOST": hosts[name]},
                cwd=self.sim.folder, stdin=subprocess.DEVNULL,
                capture_output=True, text=True, timeout=harness.PATIENCE,
                check=False)
            self.assertEqual(done.returncode, 0, done.stderr)

    def places(self):
        """LIDs of the switches, and a host on each switch."""
        lids, hosts = {}, {}
        done = self.sim.run("ibnetdiscover")
        for line in done.stdout.splitlines():
            head = re.match(r'Switch.*# "(.*)" (?:base|enhanced) port 0 '
                            r'lid (\d+)', line)
            if head:
                here = head[1]
                lids[here] = int(head[2])
            found = re.match(r'\[\d+\]\s+"H-.*# "(node\d+)', line)
            if found:
                hosts.setdefault(here, found[1])
        return lids, hosts


class Drain(Operated):
    def test_a_black_hole_is_drained(self):
        """Discovery does not see the link, but the plan has it."""
        opensm = self.start("sf:q=4")
        (name, port), _ = self.cables[0]
        lids, _ = self.places()
        self.sim.run("ibportstate", str(lids[name]), str(port), "disable")

        def count_silent():
            done = self.sim.run(harness.PROGRAM, "counters", "live", "--plan",
                                f"{self.work}/plan", "--format", "json")
            found = json.loads(done.stdout)
            (hole,) = (f for f in found["findings"]
                       if f["kind"] == "black_hole")
            return found["ports_by_answer"]["none"], hole["drain"]

        n_silent, words = count_silent()
        self.assertGreater(n_silent, 0)
        self.assertIn("did not arrive before",
                      self.drain(*words.split()[2:]))
        self.wait_drained(opensm, 1)
        self.assertEqual(count_silent()[0], 0)

    def test_packets_leave_a_drained_link_alone(self):
        opensm = self.start("sf:q=4")
        before, text = self.tables(), self.live_tables()
        link = self.cables[0]
        end = f"{link[0][0]}[{link[0][1]}]"
        lids, hosts = self.places()
        own = {lid for lid in lids.values()}
        pairs = [pair for e in link for pair in self.users(before, e)
                 if pair[1] not in own][::17][:8]
        self.assertTrue(pairs)
        counted = self.counted(lids, link)
        self.send(pairs, hosts)
        self.assertGreaterEqual(self.counted(lids, link),
                                counted + len(pairs))

        told = self.drain(end, "--why", "tested")
        self.assertIn("entries: ", told)
        self.assertIn("written to", told)
        status = self.wait_drained(opensm, 1)
        self.assertEqual(status["change"]["kind"], "steps")
        self.assertTrue(status["change"]["safe"])
        self.assertEqual(status["missing"],
                         {"switches": 0, "links": 0, "hosts": 0})
        self.assertEqual(status["drained"]["entries"][0]["state"], "drained")
        self.assertIn("tested", status["drained"]["entries"][0]["comment"])
        after = self.tables()
        self.assertEqual([e for e in link if self.users(after, e)], [])
        self.audit()

        counted = self.counted(lids, link)
        self.send(pairs, hosts)
        for name, lid in lids.items():
            self.sim.run("perfquery", str(lid), "1")
        self.assertEqual(self.counted(lids, link), counted)

        # It is unplugged: nothing changes any more.
        self.sim.command(f'Unlink "{link[0][0]}"[{link[0][1]}]')
        status = opensm.until(
            lambda: (s := opensm.status())["missing"]["links"] == 1
            and s["state"] == "up" and s, "the link is missing")
        self.assertEqual(status["n_changed_entries"], 0)
        self.assertEqual(status["drained"]["entries"][0]["state"], "absent")
        self.assertEqual(self.tables(), after)
        self.sim.command(f'ReLink "{link[0][0]}"[{link[0][1]}]')
        status = self.wait_drained(opensm, 1)
        self.assertEqual(self.tables(), after)

        # A restart keeps it, and what is used again is as before.
        opensm.stop()
        opensm = self.run_manager()
        status = self.wait_drained(opensm, 1)
        self.assertEqual(self.tables(), after)
        self.assertIn("is drained no more", self.undrain(end))
        status = self.wait_drained(opensm, 0)
        self.assertEqual(self.live_tables(), text)

    def test_what_is_lost_is_what_was_told(self):
        """On a Dragonfly, steps take paths away, which drain did not say."""
        opensm = self.start("df:a=4,h=2,p=1")
        text = self.live_tables()
        told = self.drain("df-0-0[3]", code=1)
        said = re.search(r"packets are lost: (\d+) of \d+ pairs .* one of "
                         r"(\d+) steps", told)
        self.assertTrue(said, told)
        self.drain("df-0-0[3]", "--allow-loss")
        change = self.wait_drained(opensm, 1)["change"]
        self.assertEqual((change["kind"], change["safe"]), ("steps", True))
        self.assertEqual([change["n_pairs_lost"], change["n_steps"]],
                         [int(said[1]), int(said[2])])
        # An entry that several steps change counts for each, and says so.
        for n, most in re.findall(r"(\d+) of (\d+) entries change",
                                  opensm.log()):
            self.assertLessEqual(int(n), int(most))
        self.assertRegex(opensm.log(), r"6480 entries, \d+ written so far, in "
                         rf"step {said[2]} of {said[2]}; ")
        told = self.undrain("df-0-0[3]", code=1)
        self.assertRegex(told, r"packets are lost: \d+ of ")
        self.undrain("df-0-0[3]", "--allow-loss")
        self.wait_drained(opensm, 0)
        self.assertEqual(self.live_tables(), text)

    def test_lists_that_people_edit(self):
        opensm = self.start("hx2:size=3x3,p=1")
        text = self.live_tables()
        (a, p), (b, q) = self.cables[0]
        alone = self.cables[-1][0][0]  # OpenSM runs on the first.

        def write(*lines):
            with open(self.list, "w", encoding="utf-8") as file:
                file.write("\n".join(lines) + "\n")

        # What would cut hosts off is not done; nor what is not there.
        write("# by hand", f"link {a}[{p}] {b}[{q}]", f"switch {alone}",
              "switch nowhere")
        status = self.wait_drained(opensm, 1)
        self.assertEqual([e["state"] for e in status["drained"]["entries"]],
                         ["drained", "refused", "unknown"])
        warnings = "\n".join(status["warnings"])
        self.assertIn(f"{alone} is not drained: that would cut off hosts",
                      warnings)
        self.assertIn("there is no nowhere here", warnings)
        self.audit()

        # A list that is wrong changes nothing, and one that is gone drains
        # nothing.
        write("link what")
        status = opensm.until(
            lambda: (s := opensm.status())["state"] == "up"
            and s["drained"]["problem"] and s, "the list is wrong")
        self.assertIn("drained:1: expected", status["drained"]["problem"])
        self.assertEqual(status["drained"]["n_links"], 1)
        self.assertFalse(status["drained"]["safe_to_unplug"])
        done = harness.slimfly("status", f"{self.work}/opensm/status.json")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("drained links: 1", done.stdout)
        os.remove(self.list)
        self.wait_drained(opensm, 0)
        self.assertEqual(self.live_tables(), text)

        # With its hosts, a switch can be drained; but not OpenSM's.
        self.drain(self.cables[0][0][0], "--with-hosts", "-n", code=1)
        self.assertEqual(self.drain(alone, code=1), "")
        self.assertFalse(os.path.exists(self.list))
        self.drain(alone, "--with-hosts")
        status = self.wait_drained(opensm, 4)
        self.assertEqual(status["drained"]["entries"][0]["n_hosts_cut_off"],
                         1)
        self.undrain("--all")
        self.wait_drained(opensm, 0)
        self.assertEqual(self.live_tables(), text)


class Replace(Operated):
    """Nodes with other GUIDs take the places of others."""

    def start_with_spares(self, spec):
        """A fabric with a switch and an adapter that nothing is plugged
        into."""
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.work = work.name
        self.succeeds("plan", spec, "-o", f"{self.work}/plan")
        with open(f"{self.work}/plan/fabric.ibsim", encoding="utf-8") as file:
            text = file.read()
        n_ports = re.search(r"Switch\t(\d+)", text)[1]
        with open(f"{self.work}/spares.ibsim", "w", encoding="utf-8") as file:
            file.write(text + f'\nswitchguid=0x7000000000000001\n'
                       f'Switch\t{n_ports} "spare"\n'
                       '\ncaguid=0x7000000000000100\nHca\t1 "newnode"\n')
        self.simulate(f"{self.work}/spares.ibsim")
        with open(f"{self.work}/plan/plan.json", encoding="utf-8") as file:
            plan = json.load(file)
        self.all_cables = [((c["a"]["node"], c["a"]["port"]),
                            (c["b"]["node"], c["b"]["port"]))
                           for c in plan["cables"]]
        self.cables = [c for c, p in zip(self.all_cables, plan["cables"])
                       if p["step"] > 0]
        self.list = f"{self.work}/drained"
        self.configure()
        return self.run_manager()

    def move(self, old, new):
        """Unplugs all cables of 'old', and plugs them into 'new'."""
        ends = [(a, b) for cable in self.all_cables
                for a, b in (cable, cable[::-1]) if a[0] == old]
        for a, _ in ends:
            self.sim.command(f'Unlink "{a[0]}"[{a[1]}]')
        for a, b in ends:
            self.sim.command(f'Link "{new}"[{a[1]}] "{b[0]}"[{b[1]}]')
        return len(ends)

    def entries(self, dump):
        """The entries of all switches, by LID of the switch."""
        found = {}
        for line in dump.splitlines():
            head = re.match(r"Unicast lids .* of switch Lid (\d+)", line)
            if head:
                here = found[int(head[1])] = []
            elif line.startswith("0x"):
                here.append(line.split("#")[0])
        return found

    def wait_replaced(self, opensm, n):
        return opensm.until(
            lambda: (s := opensm.status()).get("state") == "up"
            and len(s["replaced"]) >= n
            and not any(s["missing"].values()) and s,
            f"{n} nodes are replaced: {opensm.status()}")

    def test_a_new_switch_takes_the_place_of_the_old(self):
        opensm = self.start_with_spares("sf:q=4")
        text = self.live_tables()
        old = "sf-0-1-2"
        with open(f"{self.work}/plan/plan.json", encoding="utf-8") as file:
            guid = next(n["guid"] for n in json.load(file)["switches"]
                        if n["name"] == old)
        self.move(old, "spare")
        status = self.wait_replaced(opensm, 1)
        self.assertEqual(status["replaced"][0]["name"], old)
        self.assertEqual(status["replaced"][0]["new_guid"],
                         "0x7000000000000001")
        self.assertEqual(status["outcome"], "repaired")
        self.assertNotIn("anew:", opensm.log().split("was replaced")[1])

        # LIDs and tables stay, every one.
        self.assertEqual(self.entries(self.live_tables()),
                         self.entries(text))
        self.audit()
        with open(f"{self.work}/base", encoding="utf-8") as file:
            self.assertIn("7000000000000001", file.read())

        # Confirmed, it is so after a restart, too.
        told = self.on_sim("replace", "--list", "--conf",
                           f"{self.work}/options", code=1)
        self.assertIn(f"{old}: slimfly replace {guid} 0x7000000000000001",
                      told)
        told = self.on_sim("replace", old, "0x7000000000000001", "--conf",
                           f"{self.work}/options")
        self.assertIn("the GUID was changed", told)
        told = self.on_sim("replace", "--list", "--conf",
                           f"{self.work}/options")
        self.assertIn("nothing was replaced", told)
        with open(f"{self.work}/plan/plan.json", encoding="utf-8") as file:
            self.assertNotIn(guid, file.read())
        opensm.stop()
        opensm = self.run_manager()
        status = opensm.wait_status()
        self.assertEqual(status["replaced"], [])
        self.assertEqual(status["missing"],
                         {"switches": 0, "links": 0, "hosts": 0})
        self.assertEqual(self.entries(self.live_tables()),
                         self.entries(text))

    def test_a_drained_switch_is_replaced_without_a_word(self):
        opensm = self.start_with_spares("hx2:size=3x3,p=2")
        before = self.live_tables()
        old = self.cables[4][0][0]
        self.drain(old, "--with-hosts", "--why", "to be replaced")
        self.wait_drained(opensm, 4)
        self.move(old, "spare")
        status = self.wait_replaced(opensm, 1)
        # The list names it as before, so nothing uses it yet.
        status = self.wait_drained(opensm, 4)
        self.assertEqual(status["drained"]["entries"][0]["state"], "drained")
        self.undrain(old)
        status = self.wait_drained(opensm, 0)
        self.assertFalse(any(status["missing"].values()))
        self.assertEqual(self.entries(self.live_tables()),
                         self.entries(before))
        self.audit()

    def test_a_new_adapter_takes_the_place_of_the_old(self):
        opensm = self.start_with_spares("hx2:size=3x3,p=2")
        before = self.tables()
        self.move("node0003", "newnode")
        status = self.wait_replaced(opensm, 1)
        self.assertEqual(status["replaced"][0]["kind"], "host")
        self.assertEqual(status["missing"]["hosts"], 0)
        self.assertEqual(self.tables(), before)
        self.audit()


if __name__ == "__main__":
    harness.main()
