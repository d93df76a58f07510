"""What 'slimfly audit' says of the tables that 'slimfly route' wrote, compared
with a dependency graph made here from the same files, and what it says of
tables that were damaged."""
import json
import os
import re
import shutil
import tempfile

import networkx

import harness
import test_route
from harness import slimfly


def dependencies(tables, sl2vl=None, sl=lambda switch, lid: (0,)):
    """The channel dependency graph over (switch, out port, VL)."""
    graph = networkx.DiGraph()
    hosts = {}
    for (node, port), (peer, _) in tables.peer.items():
        if node in tables.switch_lid and peer not in tables.switch_lid:
            hosts.setdefault(node, []).append(port)
    for source in hosts:
        for lid, (home, _) in tables.home.items():
            if home == source:
                continue
            path = tables.path(source, lid)[:-1]
            outs = [tables.out[switch, lid] for switch in path]
            for level in sl(source, lid):
                for host in hosts[source]:
                    before, came_in = None, host
                    for switch, out in zip(path, outs):
                        vl = (sl2vl[switch, came_in, out][level] if sl2vl
                              else 0)
                        here = switch, out, vl
                        if before:
                            graph.add_edge(before, here)
                        before = here
                        came_in = tables.peer[switch, out][1]
    return graph


def shortest_cycle(graph):
    """Its length."""
    best = None
    for node in graph:
        for last in graph.predecessors(node):
            if networkx.has_path(graph, node, last):
                length = networkx.shortest_path_length(graph, node, last) + 1
                best = min(best or length, length)
    return best


class Audited(test_route.Routed):
    def audit(self, *args):
        """The audit as JSON; the exit code must agree with it."""
        done = slimfly("audit", *args, "--format", "json")
        self.assertEqual(done.stderr, "", args)
        result = json.loads(done.stdout)
        self.assertEqual(done.returncode, 0 if result["sound"] else 1)
        return result

    def names(self, folder):
        """The nodes by their names."""
        with open(f"{folder}/fabric.ibnetdiscover", encoding="utf-8") as file:
            return {name: node for node, name in re.findall(
                r'^Switch\t\d+ "([^"]+)"\t\t# "([^"]*)"', file.read(), re.M)}

    def check_witness(self, folder, verdict, graph):
        """Each step leads to the next, by a path that really goes there."""
        tables, names = test_route.Tables(folder), self.names(folder)
        witness = verdict["witness"]
        steps = [(names[step["switch"]], step["port"], step["vl"])
                 for step in witness]
        for i, step in enumerate(witness):
            follower = steps[(i + 1) % len(steps)]
            self.assertTrue(graph.has_edge(steps[i], follower))
            lid = step["path"]["lid"]
            path = tables.path(names[step["path"]["source"]], lid)
            at = path.index(steps[i][0])
            self.assertEqual(tables.out[path[at], lid], steps[i][1])
            self.assertEqual(path[at + 1], follower[0])
            self.assertEqual(tables.out[path[at + 1], lid], follower[1])


class Deadlock(Audited):
    def test_verdicts_are_those_of_an_independent_graph(self):
        seen = set()
        for spec, scheme, layers in [
                ("sf:q=5", "minimal", "1"), ("sf:q=3", "gates", "2"),
                ("hx2:3x3", "minimal", "1"), ("df:a=4,h=1", "updown", "1"),
                ("ft2:leaf=6,core=3,up=3", "ftree", "1"),
                ("jellyfish:n=10,k=3,p=1", "minimal", "1")]:
            with self.subTest(spec=spec):
                folder = self.route(spec, "-s", scheme, "-l", layers,
                                    "--lanes", "none")
                result = self.audit(folder)
                graph = dependencies(test_route.Tables(folder))
                verdict = result["deadlock"]["path_sls"]
                is_free = networkx.is_directed_acyclic_graph(graph)
                seen.add(is_free)
                self.assertEqual(verdict["free"], is_free)
                self.assertEqual(verdict["n_dependencies"],
                                 graph.number_of_edges())
                if is_free:
                    self.assertIsNone(verdict["witness"])
                else:
                    self.check_witness(folder, verdict, graph)
        self.assertEqual(seen, {True, False})

    def test_shortest_paths_of_the_slim_fly_deadlock_on_one_lane(self):
        folder = self.route("sf:q=5", "-s", "minimal", "-l", "1",
                            "--lanes", "none")
        verdict = self.audit(folder)["deadlock"]["path_sls"]
        self.assertFalse(verdict["free"])
        # It has no shorter cycles of switches.
        self.assertEqual(len(verdict["witness"]), 5)
        graph = dependencies(test_route.Tables(folder))
        self.assertEqual(shortest_cycle(graph), 5)

    def test_fat_trees_do_not(self):
        folder = self.route("ft2:leaf=6,core=3,up=3", "-s", "ftree", "-l", "2")
        result = self.audit(folder)
        self.assertTrue(result["sound"])
        text = self.succeeds("audit", folder)
        self.assertTrue(text.startswith("SOUND: 9 switches"), text)

    def lanes(self, folder, vl, level):
        """Writes tables with VL vl(from a host?, SL) and path SLs."""
        tables = test_route.Tables(folder)
        sl2vl = {}
        with open(f"{folder}/opensm-sl2vl.dump", "w",
                  encoding="utf-8") as file:
            for switch in tables.switches:
                file.write(f'Switch 0x{switch[2:]}, base LID 1, "x"\n'
                           "#in out : 0 1 ...\n")
                ports = [port for node, port in tables.peer if node == switch]
                for came_in in ports:
                    is_host = (tables.peer[switch, came_in][0]
                               not in tables.switch_lid)
                    for out in ports:
                        row = [vl(is_host, sl) for sl in range(16)]
                        sl2vl[switch, came_in, out] = row
                        file.write(f"{came_in:<3} {out:<3} : "
                                   + " ".join(map(str, row)) + "\n")
        sls = {}
        with open(f"{folder}/path-sl.csv", "w", encoding="utf-8") as file:
            file.write("source switch GUID,dlid,sl\n")
            for switch in tables.switches:
                for lid in tables.home:
                    sls[switch, lid] = level(switch, lid)
                    file.write(f"0x{switch[2:]},{lid},{sls[switch, lid]}\n")
        return tables, sl2vl, sls

    def test_a_lane_for_each_hop(self):
        # Two hops at most, so the in port tells them apart.
        folder = self.route("sf:q=5", "-s", "minimal", "-l", "1")
        tables, sl2vl, _ = self.lanes(folder, lambda is_host, sl: not is_host
                                      and 1 or 0, lambda switch, lid: 0)
        result = self.audit(folder, "--all-on-sl", "7")
        self.assertTrue(result["sound"])
        self.assertEqual((result["n_vls"], result["has_sl2vl"],
                          result["has_path_sls"], result["all_on_sl"]),
                         (2, True, True, 7))
        self.assertTrue(result["deadlock"]["all_on_sl"]["free"])
        self.assertEqual(result["deadlock"]["path_sls"]["n_dependencies"],
                         dependencies(tables, sl2vl).number_of_edges())

    def test_every_behaviour_is_that_of_an_independent_graph(self):
        # The VL is the SL, and that is chosen by the destination.
        folder = self.route("sf:q=3", "-s", "minimal", "-l", "1")
        numbers = {switch: i for i, switch in enumerate(
            test_route.Tables(folder).switches)}
        for n in 2, 4, 8:
            home = test_route.Tables(folder).home
            tables, sl2vl, sls = self.lanes(
                folder, lambda is_host, sl: sl % 8,
                lambda switch, lid: numbers[home[lid][0]] % n)
            result = self.audit(folder, "--all-on-sl", "0")["deadlock"]

            def forward(switch, lid):
                return (sls[switch, lid],)

            def with_replies(switch, lid):
                # Replies to requests from hosts on the LID's switch.
                return {sls[switch, lid]} | {
                    sls[tables.home[lid][0], back] for back in tables.lids
                    if lid in tables.lids
                    and tables.home[back][0] == switch}

            for name, which in [("path_sls", forward),
                                ("replies", with_replies),
                                ("all_on_sl", lambda *_: (0,))]:
                graph = dependencies(tables, sl2vl, which)
                self.assertEqual(result[name]["free"],
                                 networkx.is_directed_acyclic_graph(graph))
                self.assertEqual(result[name]["n_dependencies"],
                                 graph.number_of_edges(), name)


class Port0(Audited):
    def test_packets_from_switches(self):
        # Hosts start on lane 0, switches on lane 1, where all go on.
        folder = self.route("sf:q=5", "-s", "minimal", "-l", "1")
        tables = test_route.Tables(folder)
        with open(f"{folder}/opensm-sl2vl.dump", "w",
                  encoding="utf-8") as file:
            for switch in tables.switches:
                file.write(f"Switch 0x{switch[2:]}\n")
                ports = [port for node, port in tables.peer if node == switch]
                for came_in in [0] + ports:
                    is_host = (came_in and tables.peer[switch, came_in][0]
                               not in tables.switch_lid)
                    for out in ports:
                        file.write(f"{came_in} {out} :"
                                   + 16 * f" {0 if is_host else 1}" + "\n")
        result = self.audit(folder)
        self.assertTrue(result["sound"])
        self.assertFalse(result["has_port_0"])
        result = self.audit(folder, "--port-0")
        self.assertFalse(result["sound"])
        self.assertTrue(result["has_port_0"])
        self.assertEqual(result["n_port_0_unknown"], 0)
        witness = result["deadlock"]["path_sls"]["witness"]
        self.assertTrue(all(step["path"]["from_port_0"] for step in witness))
        text = slimfly("audit", folder, "--port-0").stdout
        self.assertIn(" port 0 to LID ", text)
        self.assertIn("packets start at port 0 of switches too", text)

    def test_where_the_tables_do_not_say(self):
        # They are taken to start like those from hosts, and that is sound.
        folder = self.route("sf:q=3", "-s", "minimal", "-l", "1")
        Deadlock.lanes(self, folder, lambda is_host, sl: 0 if is_host else 1,
                       lambda switch, lid: 0)
        result = self.audit(folder, "--port-0")
        self.assertTrue(result["sound"])
        self.assertEqual(result["n_port_0_unknown"], 18)
        self.assertIn("18 switches do not say the VL of packets from port 0",
                      self.succeeds("audit", folder, "--port-0"))


    def test_cores_of_a_fat_tree_deadlock_by_themselves(self):
        # From core to core it goes down and up again, which no host does.
        folder = self.route("ft3:ports=4", "-s", "ftree", "-l", "1",
                            "--lanes", "none")
        self.assertTrue(self.audit(folder)["sound"])
        witness = self.audit(folder, "--port-0")["deadlock"]["path_sls"][
            "witness"]
        self.assertIn(True, [step["path"]["from_port_0"] for step in witness])

    def test_cores_of_two_levels_turn_at_the_first_leaf(self):
        # All go up again at one leaf, so there is no circle.
        folder = self.route("ft2:leaf=6,core=3,up=3", "-s", "ftree", "-l", "1",
                            "--lanes", "none")
        self.assertTrue(self.audit(folder, "--port-0")["sound"])


class Saved(Audited):
    def test_what_is_saved_is_judged_the_same(self):
        folder = self.route("sf:q=3", "-l", "2")
        Deadlock.lanes(self, folder, lambda is_host, sl: sl % 2,
                       lambda switch, lid: lid % 2)
        again = f"{folder}/new/again"
        first = self.audit(folder, "--save", again)
        second = self.audit(again)
        self.assertIn("--save", first.pop("command"))
        self.assertNotIn("--save", second.pop("command"))
        self.assertEqual(first, second)
        for name in "opensm-lfts.dump", "path-sl.csv":
            self.assertTrue(os.path.exists(f"{again}/{name}"))
        with open(f"{folder}/opensm-lfts.dump", encoding="utf-8") as one, \
                open(f"{again}/opensm-lfts.dump", encoding="utf-8") as two:
            self.assertEqual(one.read(), two.read())


class SubnetLst(Audited):
    """What OpenSM dumps always: the links, without the LMC."""

    def test_the_lmc_is_that_of_the_tables(self):
        folder = f"{harness.ROOT}/tests/data/opensm"
        result = self.audit(folder)
        # Five host ports with four LIDs each, and two switches.
        self.assertEqual((result["n_switches"], result["n_hosts"],
                          result["n_lids"]), (2, 4, 22))
        self.assertTrue(result["sound"])
        other = self.audit(f"{harness.ROOT}/tests/data/small.ibnetdiscover",
                           folder)
        self.assertEqual(result["faults"], other["faults"])
        self.assertEqual(result["hops"], other["hops"])

    def test_damage_is_said_with_its_line(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{harness.ROOT}/tests/data/opensm/opensm-subnet.lst",
                      encoding="utf-8") as file:
                lines = file.readlines()
            lines[2] = lines[2].replace("NodeGUID", "GUID")
            with open(f"{folder}/opensm-subnet.lst", "w",
                      encoding="utf-8") as file:
                file.writelines(lines)
            self.fails("audit", folder,
                       says="opensm-subnet.lst:3: expected Ports, SystemGUID")


class Figures(Audited):
    def test_hops_and_loads_are_those_of_the_route(self):
        folder = self.route("sf:q=5", "--layers", "4")
        result, report = self.audit(folder), self.report(folder)
        self.assertEqual(result["hops"]["paths_by_hops"],
                         report["paths_by_hops"])
        self.assertEqual(result["n_lids"], report["n_lids"])
        for key in "min", "max", "mean":
            self.assertAlmostEqual(result["links"][key],
                                   report["paths_per_link"][key], 5)
        self.assertEqual(result["n_pairs"], 50 * report["n_lids"])

    def test_documented_members_are_there(self):
        with open(f"{harness.ROOT}/doc/formats.md", encoding="utf-8") as doc:
            section = doc.read().split("## Audit, JSON")[1].split("\n## ")[0]
        rows = {line.split("`")[1]: set(re.findall("`([^`]+)`", line))
                for line in section.splitlines() if line.startswith("| `")}
        result = self.audit(self.route("sf:q=3", "-l", "1", "--lanes",
                                       "none"), "--all-on-sl",
                            "3")
        self.assertEqual(set(result), set(rows))
        for name in "faults", "hops", "links", "deadlock":
            self.assertLessEqual(set(result[name]), rows[name])
        verdict = result["deadlock"]["all_on_sl"]
        self.assertLessEqual(
            set(verdict) | set(verdict["witness"][0])
            | set(verdict["witness"][0]["path"]),
            set(re.findall("`([^`]+)`", section)))

    def test_output_goes_to_a_file(self):
        folder = self.route("sf:q=3", "-l", "1", "--lanes", "none")
        done = slimfly("audit", folder, "-o", f"{folder}/audit.txt")
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (1, "", ""))
        with open(f"{folder}/audit.txt", encoding="utf-8") as file:
            self.assertTrue(file.read().startswith("NOT SOUND"))


class Lanes(Audited):
    """What each lane scheme promises of senders, as the audit sees it."""

    def verdicts(self, *options):
        """Whether nothing deadlocks: path SLs, replies, all on SL 5."""
        folder = self.route("sf:q=5", *options)
        verdicts = self.audit(folder, "--all-on-sl", "5")["deadlock"]
        return tuple(verdicts[name]["free"]
                     for name in ("path_sls", "replies", "all_on_sl"))

    def test_turns_are_safe_whatever_senders_do(self):
        for n_vls in "2", "4", "8":
            self.assertEqual(self.verdicts("--max-vls", n_vls),
                             (True, True, True))

    def test_hops_and_dfsssp_need_the_sl_of_each_path(self):
        # A reply that takes the links of its request back needs an SL that
        # means the opposite at both switches between.
        for lanes in "hops", "dfsssp":
            self.assertEqual(self.verdicts("--lanes", lanes)[:2],
                             (True, False))

    def test_replies_are_safe_over_hops_where_no_path_has_three(self):
        self.assertEqual(self.verdicts("--lanes", "hops", "--layers", "1"),
                         (True, True, True))

    def test_none_is_not_safe(self):
        self.assertEqual(self.verdicts("--lanes", "none"),
                         (False, False, False))


class Damage(Audited):
    def damaged(self, folder, change):
        """Tables of which change(switch, lid, port) are the ports."""
        path = f"{folder}/damaged.dump"
        with open(f"{folder}/opensm-lfts.dump", encoding="utf-8") as file, \
                open(path, "w", encoding="utf-8") as out:
            for line in file:
                start = re.match(r"Unicast .* guid 0x([0-9a-f]{16})", line)
                if start:
                    switch = f"S-{start[1]}"
                elif line.startswith("0x"):
                    lid, port = int(line[:6], 16), int(line.split()[1])
                    port = change(switch, lid, port)
                    line = "" if port is None else f"0x{lid:04x} {port:03}\n"
                out.write(line)
        return path

    def test_faults_are_found_and_shown(self):
        folder = self.route("ft2:leaf=6,core=3,up=3", "-s", "ftree", "-l", "1")
        tables = test_route.Tables(folder)
        lid = max(tables.home)
        home, last = tables.home[lid]
        far = next(s for s in tables.switches
                   if len(tables.path(s, lid)) == 3)
        middle = tables.path(far, lid)[1]
        back = next(port for (node, port), (peer, _) in tables.peer.items()
                    if node == middle and peer == far)

        for kind, switch, port, n in [
                ("no_entry", home, None, 9), ("dead_end", home, last - 1, 9),
                ("dead_end", home, 0, 9), ("dead_end", far, 1, 1),
                ("no_entry", far, None, 1), ("dead_end", far, 200, 1),
                ("loop", middle, back, None)]:
            with self.subTest(kind=kind, port=port):
                path = self.damaged(
                    folder, lambda s, l, p, at=switch, to=port:
                    to if (s, l) == (at, lid) else p)
                result = self.audit(folder, path)
                self.assertFalse(result["sound"])
                if n:
                    self.assertEqual(result["faults"][kind], n)
                self.assertGreater(result["faults"][kind], 0)
                example = result["faults"]["examples"][0]
                self.assertEqual(example["lid"], lid)
                text = slimfly("audit", folder, path)
                self.assertEqual(text.returncode, 1)
                self.assertIn(f"LID {lid} from", text.stdout)


class BadInput(Audited):
    def test_usage_and_files(self):
        folder = self.route("sf:q=3", "-l", "1")
        other = self.route("sf:q=4", "-l", "1")
        more = self.route("sf:q=3", "-l", "4")
        empty = f"{folder}/empty"
        os.mkdir(empty)
        for name, text in [("file", ""), ("zero", "0x0001\0001\n"),
                           ("long", 5000 * "x" + "\n")]:
            with open(f"{empty}/{name}", "w", encoding="utf-8") as file:
                file.write(text)
        for args, says in [
                ([], "expected a fabric and its tables"),
                (["a", "b", "c"], "found 3 words"),
                (["sf:q=3"], "is not a folder"),
                ([folder, "--path-sls", "luck"], "expected one of file, ask"),
                ([folder, "--save", f"{empty}/file"], "this is a file"),
                (["sf:q=3", folder], "nothing in 'sf:q=3' has a LID"),
                ([folder, empty], "opensm-lfts.dump: No such file; OpenSM "
                 "writes it with log_flags 0x43"),
                ([folder, f"{empty}/file"], "expected 'Unicast lids'"),
                ([folder, f"{empty}/zero"], "zero:1: expected text"),
                ([folder, f"{empty}/long"], "long:1: expected text"),
                ([folder, f"{folder}/route.json"], "route.json:1: expected"),
                ([folder, f"{other}/opensm-lfts.dump"],
                 "the fabric has nothing with LID"),
                ([folder, f"{more}/opensm-lfts.dump"],
                 "the fabric has nothing with LID"),
                ([folder, other], "expected tables of one subnet"),
                ([folder, more], "expected tables of one subnet"),
                ([folder, "--all-on-sl", "16"], "whole number from 0 to 15"),
                ([folder, "--format", "svg"], "expected one of text, json"),
                ([empty], f"{empty}: expected fabric.ibnetdiscover (from "
                 "'slimfly route'), opensm-subnet.lst (from OpenSM) or")]:
            with self.subTest(args=args):
                self.fails("audit", *args, says=says)

    def test_a_folder_without_lanes_says_which_file_would_have_them(self):
        folder = self.route("sf:q=3")
        self.assertNotIn("not known", slimfly("audit", folder).stdout)
        for name, missed in [
                ("opensm-sl2vl.dump", "SL-to-VL tables are"),
                ("path-sl.csv", "SLs of paths are")]:
            with tempfile.TemporaryDirectory() as copy:
                shutil.copytree(folder, f"{copy}/t")
                os.remove(f"{copy}/t/{name}")
                done = slimfly("audit", f"{copy}/t")
            [line] = [line for line in done.stdout.splitlines()
                      if "not known" in line]
            self.assertIn(missed, line)
            self.assertIn(f"; {name} has them", line)

    def test_lanes_that_cannot_be(self):
        for name, text, says in [
                ("opensm-sl2vl.dump", "", "expected 'Switch'"),
                ("opensm-sl2vl.dump", "Switch 0x1, base LID 1\n",
                 "opensm-sl2vl.dump:1: the fabric has no switch"),
                ("opensm-sl2vl.dump",
                 'Switch 0x02534c4600000000, base LID 1, "x"\n',
                 "do not say all VLs"),
                ("path-sl.csv", "x\n", "path-sl.csv:1: expected 0xGUID"),
                ("path-sl.csv", "", "path-sl.csv:1: expected")]:
            with self.subTest(name=name, text=text), \
                    tempfile.TemporaryDirectory() as copy:
                folder = self.route("sf:q=3", "-l", "1")
                shutil.copytree(folder, f"{copy}/t")
                with open(f"{copy}/t/{name}", "w", encoding="utf-8") as file:
                    file.write(text)
                self.fails("audit", f"{copy}/t", says=says)


if __name__ == "__main__":
    harness.main()
