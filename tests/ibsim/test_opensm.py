"""The plugin in a stock OpenSM on simulated fabrics.  Whatever happens, the
tables are read back from the switches and audited.

Arguments: the program, the folder of the plugin.
"""
import glob
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "cli"))
import harness  # noqa: E402
from ibsim import PATH  # noqa: E402
from opensm import OpenSM  # noqa: E402
from plugged import PLUGIN, Plugged  # noqa: E402


class BringUp(Plugged):
    def check(self, spec, lmc, scheme="gates", lanes="turns", **settings):
        self.plan(spec)
        opensm = self.manager(lmc=lmc, options=f"scheme={scheme}", **settings)
        status = opensm.wait_status()
        routing = status["routing"]
        self.assertEqual(status["warnings"], [])
        self.assertEqual((status["outcome"], routing["scheme"],
                          routing["lanes"], routing["n_layers"]),
                         ("anew", scheme, lanes, 2**lmc))
        # All on one SL is what some senders do, whatever they are told.
        result = self.audit(*(["--all-on-sl", "3"] if lanes == "turns"
                              else []))
        self.assertEqual(
            (result["n_switches"], result["n_hosts"], result["n_vls"]),
            (routing["n_switches"], routing["n_hosts"], routing["n_vls"]))
        opensm.stop()
        self.assertEqual(opensm.process.returncode, 0)
        self.assertNotIn("ERR", opensm.log().replace("'no_fallback'", ""))
        return result

    def test_slim_fly_with_one_address(self):
        result = self.check("sf:q=5", 0)
        self.assertEqual(result["hops"]["most"], 2)

    def test_slim_fly_with_four_addresses(self):
        result = self.check("sf:q=5", 2)
        self.assertEqual(result["hops"]["most"], 3)
        self.assertEqual(result["n_lids"], 50 + 4 * 200)

    def test_slim_fly_with_eight_addresses(self):
        self.check("sf:q=5", 3)

    def test_fat_tree(self):
        self.check("ft2:leaf=6,core=3,up=3", 2, "ftree", "single")

    def test_hyperx(self):
        self.check("hx2:4x4,p=3", 1)

    def route_netlist(self, netlist, lids, settings=None, **expected):
        """Routes what ibsim reads from 'netlist'; 'lids' are in use then."""
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.work = work.name
        with open(f"{self.work}/net", "w", encoding="utf-8") as file:
            file.write(netlist)
        self.simulate(f"{self.work}/net")
        status = self.manager(lmc=1, **settings or {}).wait_status(**expected)
        self.assertTrue(status["safe"])
        self.assertEqual(status["warnings"], [])
        self.assertEqual(self.audit()["n_lids"], lids)

    def test_route_live_proposes_the_same(self):
        """Wherever one stands: what 'diff live' shows of a proposal are its
        options and nothing else."""
        for spec, n_switches in ("sf:q=4", 32), ("df:a=4,h=2,p=2", 36):
            self.plan(spec)
            opensm = self.manager(f"opensm-{n_switches}", lmc=2)
            opensm.wait_status(n_switches=n_switches)
            for host in "node0003", "node0040":
                tables = f"{self.work}/{host}"
                for words in (["route", "live", "-o", tables],
                              ["diff", "live", tables]):
                    done = self.sim.run("env", f"SIM_HOST={host}",
                                        harness.PROGRAM, *words)
                    self.assertEqual((done.returncode, done.stderr), (0, ""),
                                     done.stdout)
                self.assertTrue(done.stdout.startswith("the same: "))
            opensm.stop()
            self.sim.stop()

    def test_a_single_switch(self):
        self.route_netlist('Switch 4 "S"\n[1] "A"[1]\n[2] "B"[1]\n\n'
                           'Ca 1 "A"\n[1] "S"[1]\n\nCa 1 "B"\n[1] "S"[2]\n',
                           1 + 2 * 2, n_switches=1, n_hosts=2, n_links=0)

    def test_parallel_links(self):
        self.route_netlist('Switch 4 "S"\n[1] "A"[1]\n[2] "T"[2]\n'
                           '[3] "T"[3]\n\nSwitch 4 "T"\n[1] "B"[1]\n'
                           '[2] "S"[2]\n[3] "S"[3]\n\n'
                           'Ca 1 "A"\n[1] "S"[1]\n\nCa 1 "B"\n[1] "T"[1]\n',
                           2 + 2 * 2, n_switches=2, n_hosts=2, n_links=2)

    def test_enhanced_port_0(self):
        # A triangle; the first switch has as many addresses as a host.
        self.route_netlist(
            "\n".join(f'Switch 4 "S{s}"' + ("" if s else
                                            ' # "S" enhanced port 0 lid 0')
                      + f'\n[1] "H{s}"[1]\n[2] "S{(s + 1) % 3}"[3]\n'
                      f'[3] "S{(s + 2) % 3}"[2]\n\n'
                      f'Ca 1 "H{s}"\n[1] "S{s}"[1]\n' for s in range(3)),
            2 + 2 + 3 * 2, {"lmc_esp0": "TRUE"}, n_switches=3, n_links=3)

    def test_hosts_of_several_ports(self):
        # A ring of four switches with two hosts, each of them on two.
        ring = ["switchguid=0x1{0}\nSwitch 8 \"S{0}\"\n[1] \"S{1}\"[2]\n"
                "[2] \"S{2}\"[1]\n[3] \"H{3}\"[{4}]".format(
                    s, (s + 1) % 4, (s + 3) % 4, s % 2, s // 2 + 1)
                for s in range(4)]
        hosts = [f"caguid=0x2{h}0\nCa 2 \"H{h}\"\n[1] \"S{h}\"[3]\n"
                 f"[2] \"S{h + 2}\"[3]" for h in range(2)]
        self.route_netlist("\n\n".join(ring + hosts) + "\n",
                           4 + 2 * 2 * 2, n_switches=4, n_hosts=2, n_links=4)


class Families(Plugged):
    """What 'settings' writes brings up every family, safe on any service
    level.  Three-level Fat Trees never came up."""
    SIZES = {"sf": ["q=3", "q=5", "q=7"],
             "ft2": ["ports=4", "leaf=6,core=3,up=2", "ports=12"],
             "ft2b": ["ports=8,over=3", "ports=12,over=2", "ports=16,over=3"],
             "ft3": ["ports=4", "ports=6", "ports=8"],
             "hx2": ["3x3", "4x5,p=3", "6x6"],
             "df": ["a=2,h=1", "a=4,h=2", "a=6,h=3"],
             "xpander": ["k=4,lift=3", "k=5,lift=5", "k=4,lift=12"],
             "jellyfish": ["n=12,k=3", "n=30,k=5", "n=60,k=4"],
             "pf": ["q=3", "q=5", "q=7"]}

    def bring_up(self, spec):
        self.plan(spec)
        told = f"{self.work}/told"
        summary = self.succeeds("settings", f"{self.work}/plan", "-o", told,
                                "--only", "opensm")
        opensm = self.manager(conf=f"{told}/opensm.conf")
        opensm.status_path = f"{told}/slimfly-status.json"
        status = opensm.wait_status(outcome="anew")
        routing = status["routing"]
        self.assertTrue(status["safe"] and routing["safe_on_any_sl"])
        self.assertEqual(routing["guarantee"], "any-sl")
        self.assertEqual(routing["n_layers"], 4)
        # What was promised is what came.
        self.assertIn(f"routed by {routing['scheme']}, lanes by "
                      f"{routing['lanes']}: {routing['n_vls']} VL", summary)
        if spec.startswith("ft"):
            self.assertEqual(routing["scheme"], "ftree")
        self.audit("--all-on-sl", "3")
        opensm.stop()
        self.sim.stop()

    def test_every_family_comes_up(self):
        names = [line.split(":")[0] for line
                 in self.succeeds("topology", "--list").splitlines()
                 if line and not line.startswith(" ")]
        self.assertEqual(sorted(names), sorted([*self.SIZES, "edges"]))
        for family, sizes in self.SIZES.items():
            with self.subTest(family=family):
                self.bring_up(f"{family}:{sizes[0]}")

    @harness.long
    def test_every_family_comes_up_in_larger_sizes(self):
        for family, sizes in self.SIZES.items():
            for size in sizes[1:]:
                with self.subTest(family=family, size=size):
                    self.bring_up(f"{family}:{size}")

    def test_a_ring_comes_up(self):
        with tempfile.NamedTemporaryFile("w", suffix=".edges") as file:
            file.write("".join(f"{i} {(i + 1) % 9}\n" for i in range(9)))
            file.flush()
            self.bring_up(f"edges:{file.name}")


class Faults(Plugged):
    def test_a_link_and_a_switch_go_and_come_back(self):
        self.plan("sf:q=5")
        opensm = self.manager(lmc=2)
        self.wait(opensm, 0)
        before = self.live_tables()
        end = self.cables[77][0]
        self.sim.command(f'Unlink "{end[0]}"[{end[1]}]')
        status = self.wait(opensm, 1)
        self.assertEqual(status["outcome"], "repaired")
        self.assertEqual(status["missing"],
                         {"switches": 0, "links": 1, "hosts": 0})
        self.assertLess(0, status["n_changed_entries"])
        self.assertLess(status["n_changed_entries"], 0.1 * status["n_entries"])
        self.assertNotEqual(self.live_tables(), before)
        self.sim.command(f'ReLink "{end[0]}"[{end[1]}]')
        self.wait(opensm, 0)
        self.assertEqual(self.live_tables(), before)

        self.sim.command('Unlink "sf-1-2-3"')
        status = self.wait(opensm, 7, 1)
        self.assertEqual(status["missing"],
                         {"switches": 1, "links": 7, "hosts": 4})
        self.audit("--all-on-sl", "0")
        self.sim.command('ReLink "sf-1-2-3"')
        status = self.wait(opensm, 0)
        self.assertEqual(status["outcome"], "repaired")
        self.assertEqual(self.live_tables(), before)
        self.assertEqual(status["warnings"], [])

    def test_a_restart_remembers_the_base(self):
        self.plan("sf:q=5")
        base = f"{self.work}/base"
        options = f"path_sets=2 base={base}"
        opensm = self.manager(lmc=2, options=options)
        self.assertEqual(self.wait(opensm, 0)["outcome"], "anew")
        before = self.live_tables()
        with open(base, encoding="utf-8") as file:
            kept = file.read()
        end = self.cables[77][0]
        self.sim.command(f'Unlink "{end[0]}"[{end[1]}]')
        self.wait(opensm, 1)
        hurt = self.live_tables()
        opensm.stop()
        opensm = self.manager("again", lmc=2, options=options)
        status = self.wait(opensm, 1)
        self.assertEqual(status["outcome"], "repaired")
        self.assertEqual(status["missing"]["links"], 1)
        self.assertEqual(self.live_tables(), hurt)
        self.sim.command(f'ReLink "{end[0]}"[{end[1]}]')
        status = self.wait(opensm, 0)
        self.assertEqual(self.live_tables(), before)
        self.assertEqual(status["warnings"], [])
        with open(base, encoding="utf-8") as file:
            self.assertEqual(file.read(), kept)
        opensm.stop()
        # A damaged file is told of, and replaced.
        with open(base, "w", encoding="utf-8") as file:
            file.write(kept[:len(kept) // 2 + 7])
        opensm = self.manager("third", lmc=2, options=options)
        status = self.wait(opensm, 0)
        self.assertEqual(status["outcome"], "anew")
        self.assertIn("the base of before is not known", status["warnings"][0])
        self.assertEqual(self.live_tables(), before)
        with open(base, encoding="utf-8") as file:
            self.assertEqual(file.read(), kept)

    def test_sets_of_paths_are_repaired(self):
        self.plan("sf:q=5")
        opensm = self.manager(lmc=2, options="path_sets=2")
        status = self.wait(opensm, 0)
        self.assertEqual(status["routing"]["n_path_sets"], 2)
        self.assertEqual(status["warnings"], [])
        before = self.live_tables()
        end = self.cables[77][0]
        self.sim.command(f'Unlink "{end[0]}"[{end[1]}]')
        status = self.wait(opensm, 1)
        self.assertEqual(status["outcome"], "repaired")
        self.audit("--all-on-sl", "0")
        self.sim.command(f'ReLink "{end[0]}"[{end[1]}]')
        self.wait(opensm, 0)
        self.assertEqual(self.live_tables(), before)

    def test_cables_moved_while_it_sweeps(self):
        # Directed routes then lead to other switches than OpenSM thinks, and
        # take tables there.
        self.plan("sf:q=5")
        # Verbose enough to tell of light sweeps.
        opensm = self.manager(lmc=2, sweep_interval=1, log_flags="0x47")
        self.wait(opensm, 0)
        (a, to_a), (b, to_b) = [
            cable for cable in self.cables if cable[0][1] == 8][:2]

        def move(swapped):
            for port in a, b:
                self.sim.command(f'Unlink "{port[0]}"[{port[1]}]')
            for port, peer in (((a, to_b), (b, to_a)) if swapped
                               else ((a, to_a), (b, to_b))):
                self.sim.command(f'Link "{port[0]}"[{port[1]}] '
                                 f'"{peer[0]}"[{peer[1]}]')

        for swapped in True, False, True, False:
            move(swapped)
            time.sleep(0.1)
        self.wait(opensm, 0)
        # Cables that are moved and moved back within one sweep are seen by
        # nobody, and what was written meanwhile may be at the wrong switch.
        # The next move that is seen mends that, too.
        for swapped in True, False:
            self.wait_for_quiet(opensm)
            n_sweeps = opensm.log().count("SUBNET UP")
            move(swapped)
            opensm.until(lambda n=n_sweeps:
                         opensm.log().count("SUBNET UP") > n,
                         "the move is seen")
        self.wait(opensm, 0)
        self.wait_for_quiet(opensm)
        self.wait(opensm, 0)
        self.audit("--all-on-sl", "0")

    def wait_for_quiet(self, opensm):
        """Traps may get lost; light sweeps see the rest.  The second one from
        now that finds nothing new began after the last event."""
        n_seen = self.light_sweeps(opensm)
        opensm.until(lambda: self.light_sweeps(opensm) >= n_seen + 2,
                     "light sweeps find nothing new")

    def light_sweeps(self, opensm):
        """How many light sweeps found nothing new."""
        return opensm.log().count("LIGHT SWEEP COMPLETE")

    def test_five_events_in_a_row(self):
        self.events_in_a_row(5)

    @harness.long
    def test_twenty_events_in_a_row(self):
        self.events_in_a_row(20)

    def events_in_a_row(self, n_events):
        self.plan("sf:q=5")
        opensm = self.manager(lmc=2)
        self.wait(opensm, 0)
        chance = random.Random(1)
        lost, gone = set(), set()
        # The manager sits on the first switch.
        home = self.cables[0][0][0]
        neighbours = {}
        for a, b in self.cables:
            neighbours.setdefault(a[0], set()).add(b[0])
            neighbours.setdefault(b[0], set()).add(a[0])
        for _ in range(n_events):
            event = chance.random()
            mendable = [a for a, b in self.cables
                        if a in lost and not {a[0], b[0]} & gone]
            if event < 0.3 and mendable:
                end = chance.choice(mendable)
                self.sim.command(f'ReLink "{end[0]}"[{end[1]}]')
                lost.remove(end)
            elif event < 0.4 and len(gone) < 2:
                # A switch that comes back brings cables to others with it.
                name = chance.choice(sorted(
                    set(neighbours) - {home} - gone
                    - {n for name in gone for n in neighbours[name]}))
                self.sim.command(f'Unlink "{name}"')
                gone.add(name)
            elif event < 0.5 and gone:
                name = min(gone)
                gone.remove(name)
                self.sim.command(f'ReLink "{name}"')
                lost -= {a for a, b in self.cables if name in (a[0], b[0])}
            else:
                end = chance.choice([
                    a for a, b in self.cables if a not in lost
                    and not {a[0], b[0]} & (gone | {home})])
                self.sim.command(f'Unlink "{end[0]}"[{end[1]}]')
                lost.add(end)
            n_lost = sum(a in lost or a[0] in gone or b[0] in gone
                         for a, b in self.cables)
            status = self.wait(opensm, n_lost, len(gone))
            self.assertTrue(status["safe"])
            self.assertIn(status["outcome"], ("repaired", "anew", "kept"))
            self.audit("--all-on-sl", "0")


class Options(Plugged):
    def write(self, *lines):
        with open(f"{self.work}/options", "w", encoding="utf-8") as file:
            file.write("\n".join(
                (f"status = {self.work}/opensm/status.json", *lines)) + "\n")

    def test_it_routes_as_the_folder_of_route_says(self):
        self.plan("sf:q=4")
        for i, (scheme, lanes) in enumerate([
                ("rues:fraction=0.8", "dfsssp"),
                ("paper:min-hops=2", "none"),
                ("gates", "turns")]):
            routed, told = f"{self.work}/routed{i}", f"{self.work}/told{i}"
            self.succeeds("route", f"{self.work}/plan", "-o", routed, "-s",
                          scheme, "--lanes", lanes, "--max-vls", "15")
            self.succeeds("settings", routed, "-o", told, "--only", "opensm")
            opensm = self.manager(f"opensm{i}", conf=f"{told}/opensm.conf")
            opensm.status_path = f"{told}/slimfly-status.json"
            opensm.wait_status(scheme=scheme, lanes=lanes)
            live = f"{self.work}/live{i}"
            self.sim.run(harness.PROGRAM, "audit", "live", "--save", live)
            opensm.stop()
            # The LIDs are others, but not the fabric: route that.
            self.succeeds("route", f"{told}/slimfly-base.ibnetdiscover", "-o",
                          f"{routed}/again", "-s", scheme, "--lanes", lanes,
                          "--max-vls", "15")
            tables = []
            for folder in live, f"{routed}/again":
                with open(f"{folder}/opensm-lfts.dump",
                          encoding="utf-8") as file:
                    tables.append(sorted(
                        part.strip() for part in re.split(
                            r"^(?=Unicast)", file.read(), flags=re.M)))
            self.assertEqual(tables[0], tables[1])

    def test_a_changed_file_is_read_at_the_next_sweep(self):
        self.plan("sf:q=4")
        self.write("# First.", "layers = 4")
        opensm = self.manager(lmc=2, options=f"{self.work}/options")
        opensm.wait_status(scheme="gates", n_layers=4)
        self.write("path_sets = 3")
        opensm.hangup()
        opensm.wait_status(scheme="gates:sets=3", n_path_sets=3)
        self.write("scheme = minimal", "layers = 2", "lanes = dfsssp")
        opensm.hangup()
        status = opensm.wait_status(scheme="minimal", n_layers=2,
                                    lanes="dfsssp")
        self.assertEqual(status["warnings"], [])
        self.audit(replies=False)
        # What cannot be is said, and nothing changes.
        self.write("", "layers = many")
        n = status["n_routings"]
        opensm.hangup()
        status = opensm.wait_status(n_routings=n + 1)
        self.assertEqual(status["outcome"], "kept")
        self.assertEqual(status["routing"]["scheme"], "minimal")
        says = (f"{self.work}/options:3: expected a whole number from 1 to "
                "128, found 'many'; the options of before stay")
        self.assertEqual(status["warnings"], [says])
        self.assertIn(says, opensm.log())
        self.write("layers = 8")
        opensm.hangup()
        status = opensm.wait_status(n_routings=n + 2)
        self.assertIn("8 layers need addresses: set lmc 3",
                      status["warnings"][0])

    def test_the_start_is_refused(self):
        self.plan("sf:q=3")
        for name, options, settings, says in [
                ("key", "colour=red", {}, "event_plugin_options: expected a "
                 "key: scheme, layers, "),
                ("layers", "layers=4", {"lmc": 1}, "4 layers need addresses: "
                 "set lmc 2"),
                ("qos", "lanes=turns", {"qos": "FALSE"}, "the lanes turns need SL-to-VL "
                 "tables: set qos TRUE"),
                ("file", "/proc/none/options", {},
                 "/proc/none/options: No such file"),
        ]:
            with self.subTest(name=name):
                # Not even without no_fallback OpenSM routes by itself then.
                opensm = self.manager(name, options, routing_engine="layered",
                                      **settings)
                opensm.until(lambda: "No routing engine able" in opensm.log(),
                             "OpenSM gives up")
                self.assertIn(f"layered: ERR: refused: {says}", opensm.log())
                self.assertNotIn("SUBNET UP", opensm.log())
                if options.startswith("/"):
                    continue  # Nobody said where the status is wanted.
                for _ in range(2):  # Now, and after the end.
                    status = opensm.status()
                    self.assertEqual((status["state"], status["outcome"]),
                                     ("failed", None))
                    self.assertIn(says, status["reason"])
                    opensm.stop()

    def test_without_qos_one_lane_is_enough(self):
        self.plan("sf:q=3")
        status = self.manager(qos="FALSE", lmc=2).wait_status(
            scheme="ordered", n_vls=1, outcome="anew")
        self.assertTrue(status["safe"])
        self.audit("--all-on-sl", "7")

    def test_what_an_earlier_run_left_is_not_true_any_more(self):
        self.plan("sf:q=3")
        self.write("layers = 4")
        opensm = self.manager(lmc=2, options=f"{self.work}/options")
        opensm.wait_status()
        opensm.stop()
        status = opensm.status()
        self.assertEqual((status["state"], status["up_at"]), ("ended", None))
        self.assertEqual(status["outcome"], "anew")
        status["state"] = "up"  # As if it had been killed.
        for options, lmc, says in (("layers = 4",), 0, "4 layers need"), \
                (("layers = x", f"status = {opensm.status_path}"), 2, ":2: "):
            with open(opensm.status_path, "w", encoding="utf-8") as file:
                json.dump(status, file)
            self.write(*options)
            opensm = self.manager(lmc=lmc, options=f"{self.work}/options")
            opensm.until(lambda: "No routing engine able" in opensm.log(),
                         "OpenSM gives up")
            found = opensm.status()
            self.assertEqual(found["state"], "failed")
            self.assertIn(says, found["reason"])
            self.assertIsNone(found["routing"])
            opensm.stop()
            os.remove(f"{opensm.folder}/log")

    def test_a_missing_plan_is_a_warning(self):
        self.plan("sf:q=4")
        opensm = self.manager(options="plan=/proc/none")
        status = opensm.wait_status()
        self.assertEqual(status["warnings"], [
            "no names from the plan: /proc/none: No such file or directory"])
        self.audit()
        opensm.stop()
        opensm = self.manager("named", options=f"plan={self.work}/plan")
        self.assertEqual(opensm.wait_status()["warnings"], [])

    def test_real_guids_get_names(self):
        # What is found is not as planned; the map says what is what.
        self.plan("sf:q=3")
        with open(f"{self.work}/plan/plan.json", encoding="utf-8") as file:
            text = file.read()
        with open(f"{self.work}/other.json", "w", encoding="utf-8") as file:
            file.write(text.replace("0x02534c46", "0x7cfe90c1"))
        options = f"plan={self.work}/other.json base={self.work}/base"
        opensm = self.manager(options=options)
        self.assertIn("knows none of the GUIDs found: name the map",
                      opensm.wait_status()["warnings"][0])
        opensm.stop()
        os.remove(f"{self.work}/base")
        with open(f"{self.work}/plan/guids.map", encoding="utf-8") as file:
            text = file.read()
        with open(f"{self.work}/map", "w", encoding="utf-8") as file:
            file.write(text.replace('"sf-1-2-2"', '"the last"'))
        opensm = self.manager("mapped",
                              f"{options} guids={self.work}/map")
        self.assertEqual(opensm.wait_status()["warnings"], [])
        with open(f"{self.work}/base", encoding="utf-8") as file:
            self.assertIn('"the last"', file.read())
        opensm.stop()
        opensm = self.manager("lost", f"{options} guids=/proc/none")
        self.assertIn("no names from the GUID map: /proc/none: No such file",
                      opensm.wait_status()["warnings"][0])

    def test_too_few_lanes_lead_to_longer_paths_and_that_is_said(self):
        self.plan("sf:q=5")
        opensm = self.manager(lmc=2, options="scheme=gates,max_vls=1")
        status = opensm.wait_status(outcome="fallback", scheme="ordered",
                                    n_layers=4)
        self.assertTrue(status["safe"])
        self.assertIn("cannot route as asked: ", status["warnings"][0])
        self.assertIn("layered: ERR: cannot route as asked", opensm.log())
        self.assertEqual(self.audit("--all-on-sl", "0")["n_vls"], 1)

    def test_fewer_vls_are_heeded(self):
        self.plan("sf:q=5")
        opensm = self.manager(lmc=2, max_op_vls=3)
        status = opensm.wait_status(n_vls_offered=4)
        # The ports had more before, and VLs are masked with that.
        self.assertIn("sweeping once more", opensm.log())
        self.assertEqual(status["n_routings"], 2)
        n_vls = self.audit()["n_vls"]
        self.assertLessEqual(n_vls, 4)
        self.assertTrue(status["safe"])
        # All lanes have equal shares of a link.
        done = self.sim.run("smpquery", "vlarb", "1", "7")
        weights = re.search(r"Low.*\nVL.*\nWEIGHT: (.*)", done.stdout)[1]
        self.assertEqual([int(weight, 16) for weight in re.findall(
            r"0x(\w+)", weights)], [64] * n_vls + [0] * (8 - n_vls))

    def test_settings_that_harm_are_told(self):
        self.plan("sf:q=3")
        opensm = self.manager(use_ucast_cache="TRUE")
        self.assertIn("use_ucast_cache", opensm.wait_status()["warnings"][0])
        opensm.stop()
        opensm = self.manager("none", options="scheme=minimal,lanes=none")
        status = opensm.wait_status()
        self.assertFalse(status["safe"])
        self.assertIn("minimal with the lanes none can deadlock",
                      status["warnings"][0])

    def test_the_status_is_as_documented(self):
        self.plan("sf:q=3")
        status = self.manager().wait_status()
        with open(f"{harness.ROOT}/doc/formats.md", encoding="utf-8") as doc:
            text = doc.read().split("## Status of the plugin, JSON")[1]
        rows = re.findall(r"^\| `(\w+)` \|", text.split("\n## ")[0], re.M)
        self.assertEqual(sorted(rows),
                         sorted([*status, *status["routing"]]))
        self.assertTrue(status["routed_at"].endswith("Z"))


class Loading(Plugged):
    def test_it_exports_one_symbol(self):
        out = subprocess.run(["nm", "-D", "--defined-only",
                              f"{PLUGIN}/libosmslimfly.so"],
                             capture_output=True, text=True, check=True).stdout
        self.assertEqual([line.split()[-1] for line in out.splitlines()],
                         ["osm_event_plugin"])

    def test_another_layout_is_refused(self):
        # Compiled for an OpenSM without its performance manager.
        self.plan("sf:q=3")
        shutil.copytree("/usr/include/infiniband", f"{self.work}/headers")
        config = f"{self.work}/headers/opensm/osm_config.h"
        with open(config, encoding="utf-8") as file:
            text = file.read()
        with open(config, "w", encoding="utf-8") as file:
            file.write(text.replace("#define ENABLE_OSM_PERF_MGR 1", ""))
        build = os.path.dirname(os.path.abspath(PLUGIN))
        os.mkdir(f"{self.work}/other")
        done = subprocess.run(
            ["gcc", "-shared", "-fPIC", "-D_GNU_SOURCE", "-isystem",
             f"{self.work}/headers", "-I", f"{harness.ROOT}/include", "-I",
             f"{harness.ROOT}/lib", "-I", f"{build}/include", "-o",
             f"{self.work}/other/libosmslimfly.so",
             *sorted(glob.glob(f"{harness.ROOT}/opensm/*.c")),
             f"{build}/lib/libslimfly.a", "-ljansson", "-lpthread"],
            capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        opensm = OpenSM(self.sim, f"{self.work}/opensm", f"{self.work}/other")
        self.addCleanup(opensm.stop)
        opensm.until(lambda: "No routing engine able" in opensm.log(),
                     "OpenSM gives up")
        with open(f"{opensm.folder}/output", encoding="utf-8") as file:
            self.assertIn("layered: refused: the plugin was compiled for an "
                          "OpenSM whose structures are laid out otherwise",
                          file.read())


class OtherJudges(Plugged):
    def lids(self):
        """Base LIDs of hosts by name, and tables by switch and LID."""
        hosts = {}
        for block in self.sim.run("ibnetdiscover").stdout.split("\n\n"):
            name = re.search(r'^Ca.*# "([^"]+)"', block, re.M)
            if name:
                hosts[name[1]] = int(re.search(r"# lid (\d+) lmc", block)[1])
        return hosts

    def tables(self, opensm):
        found = {}
        with open(f"{opensm.folder}/opensm-lfts.dump",
                  encoding="utf-8") as file:
            for part in re.split(r"^(?=Unicast)", file.read(), flags=re.M)[1:]:
                name = re.search(r"\('([^']+)'\)", part)[1]
                found[name] = {int(lid, 16): int(port) for lid, port in
                               re.findall(r"^0x([0-9a-f]{4}) (\d+)", part,
                                          re.M)}
        return found

    def test_ibtracert_follows_the_paths(self):
        self.plan("sf:q=5")
        opensm = self.manager(lmc=2)
        opensm.wait_status()
        hosts, tables = self.lids(), self.tables(opensm)
        routed = f"{self.work}/routed"
        self.audit("--save", routed)
        chance = random.Random(2)
        lengths = set()
        for _ in range(10):
            source, target = chance.sample(sorted(hosts), 2)
            lid = hosts[target] + chance.randrange(4)
            done = self.sim.run("ibtracert", str(hosts[source]), str(lid))
            self.assertEqual(done.returncode, 0, done.stderr)
            passed = re.findall(r'-> switch port .*"([^"]+)"$', done.stdout,
                                re.M)
            outs = [int(port) for port in re.findall(r"^\[(\d+)\] -> ",
                                                     done.stdout, re.M)][1:]
            self.assertEqual(outs, [tables[name][lid] for name in passed])
            lengths.add(len(passed))
        self.assertIn(4, lengths)  # Some path is not a shortest one.

    def test_saquery_tells_the_sl_of_the_audit(self):
        self.plan("sf:q=3,p=1")
        opensm = self.manager(lmc=1, options="scheme=minimal,lanes=dfsssp")
        status = opensm.wait_status()
        saved = f"{self.work}/saved"
        self.audit("--save", saved, sls="ask", replies=False)
        switches, hosts = {}, self.lids()
        for line in self.sim.run("ibnetdiscover").stdout.split("\n\n"):
            match = re.search(r'^Switch\t\d+ "S-(\w+)"', line, re.M)
            for name in re.findall(r'^\[1\]\t"H-.*# "(\w+)', line, re.M):
                if match:
                    switches[int(match[1], 16)] = hosts[name]
        with open(f"{saved}/path-sl.csv", encoding="utf-8") as file:
            rows = [re.match(r"0x(\w+),(\d+)(?:-\d+)?,(\d+)", line)
                    for line in file]
        rows = [row for row in rows if row]
        chance = random.Random(3)
        seen = set()
        for row in chance.sample(rows, 25):
            slid = switches[int(row[1], 16)]
            done = self.sim.run("saquery", "-p", "--slid", str(slid),
                                "--dlid", row[2])
            level = re.search(r"\bsl\.+0x([0-9A-Fa-f]+)", done.stdout)
            self.assertTrue(level, done.stdout + done.stderr)
            self.assertEqual(int(level[1], 16), int(row[3]), row)
            seen.add(int(row[3]))
        self.assertGreater(len(seen), 1)
        self.assertLessEqual(max(seen), status["routing"]["n_sls"])

    def test_ibdmchk_agrees(self):
        self.plan("sf:q=5")
        opensm = self.manager(lmc=2)
        opensm.wait_status()
        judge = Ibdmchk(opensm.folder, n_ports=11, n_layers=4)
        self.assertTrue(judge.is_free())
        judge.vls = {row: [0] * 16 for row in judge.vls}
        self.assertFalse(judge.is_free())


class Ibdmchk:
    """What OpenSM dumped, for ibdmchk, which knows one LID a host only: for
    the first host of each switch, every further address becomes a host of its
    own on a port of its own.  All hosts of a switch have the same paths."""

    def __init__(self, folder, n_ports, n_layers):
        self.folder, self.n_ports, self.n_layers = folder, n_ports, n_layers
        self.extra = {}  # Of each LID that is such a host: switch, port.
        self.lines = []
        with open(f"{folder}/opensm-subnet.lst", encoding="utf-8") as file:
            lines = file.read().splitlines()
        for line in lines:
            self.add_line(line.replace(f"Ports:{n_ports:02X}",
                                       f"Ports:{n_ports + n_layers - 1:02X}"))
        self.lids = {int(lid, 16) for line in self.lines
                     for lid in re.findall(r"LID:(\w+)", line)}
        self.write_tables()
        self.vls = self.read_vls()

    def add_line(self, line):
        """Takes a line of opensm-subnet.lst, and adds hosts to it."""
        self.lines.append(line)
        host = re.match(r"\{ SW\S* .*?NodeGUID:(\w+) .*? \} \{ CA\S* .*? "
                        r"LID:(\w+) ", line)
        if not host or host[1] in [guid for guid, _ in self.extra.values()]:
            return
        for layer in range(1, self.n_layers):
            lid, port = int(host[2], 16) + layer, self.n_ports + layer
            self.extra[lid] = (host[1], port)
            switch, other = re.sub(r"\bPN:\w+ \} \{", f"PN:{port:02X} }} {{",
                                   line, count=1).split(" } { CA", 1)
            other = re.sub(r"GUID:0.", f"GUID:{layer}f", other)
            other = re.sub(r"LID:\w+", f"LID:{lid:04X}", other)
            self.lines.append(f"{switch} }} {{ CA{other}")

    def write_tables(self):
        guid, found = None, []
        with open(f"{self.folder}/opensm.fdbs", encoding="utf-8") as file:
            for line in file:
                head = re.search(r"Switch 0x(\w+)", line)
                entry = re.match(r"0x(\w+) : \d+", line)
                guid = head[1] if head else guid
                lid = int(entry[1], 16) if entry else None
                if lid in self.extra and self.extra[lid][0] == guid:
                    line = f"0x{lid:04X} : {self.extra[lid][1]:03}  : 01   : " \
                           "yes\n"
                elif lid and lid not in self.lids:
                    line = f"0x{lid:04X} : UNREACHABLE\n"
                found.append(line)
        self.write("fdbs", found)
        self.write("lst", [f"{line}\n" for line in self.lines])
        guids = set(re.findall(r"\{ CA\S* .*?NodeGUID:(\w+)",
                               "\n".join(self.lines)))
        self.write("psl", [f"0x{guid} {lid} 0\n" for guid in sorted(guids)
                           for lid in sorted(self.lids)])

    def read_vls(self):
        """VLs by switch, in and out port; those of the hosts added are those
        of port 1, on which there is a host."""
        guid, found = None, {}
        ports = range(self.n_ports + 1, self.n_ports + self.n_layers)
        with open(f"{self.folder}/opensm-sl2vl.dump",
                  encoding="utf-8") as file:
            for line in file:
                head = re.match(r"(Switch|Channel Adapter) (0x\w+)", line)
                row = re.match(r"(\d+)\s+(\d+)\s+:((?:\s+\d+){16})", line)
                if head:
                    guid = head[2] if head[1] == "Switch" else None
                elif row and guid:
                    vls = [int(vl) for vl in row[3].split()]
                    for came_in in (1, *ports) if row[1] == "1" \
                            else [int(row[1])]:
                        for out in (1, *ports) if row[2] == "1" \
                                else [int(row[2])]:
                            found[guid, came_in, out] = vls
        return found

    def write(self, name, lines):
        with open(f"{self.folder}/judged.{name}", "w",
                  encoding="utf-8") as file:
            file.writelines(lines)

    def is_free(self):
        """Whether it finds no credit loops."""
        self.write("slvl", [
            f"{guid} {came_in} {out} " + " ".join(
                f"0x{a:x}{b:x}" for a, b in zip(vls[::2], vls[1::2])) + "\n"
            for (guid, came_in, out), vls in self.vls.items()])
        # It crashes after its report.
        done = subprocess.run(
            ["stdbuf", "-oL", "ibdmchk", "-l", "0", "-s", "judged.lst", "-f",
             "judged.fdbs", "-m", "opensm.mcfdbs", "-c", "judged.psl", "-d",
             "judged.slvl"], cwd=self.folder, capture_output=True, text=True,
            env={**os.environ, "PATH": PATH}, timeout=harness.PATIENCE,
            check=False)
        is_free = "no credit loops found" in done.stdout
        assert is_free != ("credit loops in routing" in done.stdout), \
            done.stdout[-2000:] + done.stderr
        return is_free


if __name__ == "__main__":
    harness.main()
