"""Audits of what a stock OpenSM dumps on a simulated fabric, and of tables
that ibdmchk, which we did not write, judges as well.

Arguments: the program.
"""
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "cli"))
import harness  # noqa: E402
from ibsim import PATH, Ibsim  # noqa: E402
from opensm import OpenSM  # noqa: E402


def by_guid(found):
    """What ibnetdiscover printed, in the order of our own discovery: switches,
    then hosts, each by GUID."""
    def place(node):
        guid = re.search("^(switch|ca)guid=0x([0-9a-f]+)", node, re.M)
        return (guid[1] == "ca", int(guid[2], 16)) if guid else (False, 0)

    return "\n\n".join(sorted(found.split("\n\n"), key=place)) + "\n"


class Stock(OpenSM):
    """A stock OpenSM on a fabric, with its dump files."""

    def wait(self):
        """Until the subnet is up and its fabric is known."""
        self.wait_up()
        with open(f"{self.folder}/fabric.ibnetdiscover", "w",
                  encoding="utf-8") as file:
            file.write(by_guid(self.sim.run("ibnetdiscover").stdout))


class Dumped(harness.Case):
    """Audits of what OpenSM dumps."""

    def start(self, spec, engine, lmc=0):
        """A running OpenSM, whose subnet comes up."""
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        plan = f"{work.name}/plan"
        self.succeeds("plan", spec, "-o", plan)
        sim = Ibsim(f"{plan}/fabric.ibsim")
        self.addCleanup(sim.stop)
        return Stock(sim, f"{work.name}/opensm", lmc=lmc,
                     routing_engine=f"{engine},no_fallback")

    def audit(self, *args):
        done = harness.slimfly("audit", *args, "--format", "json")
        self.assertEqual(done.stderr, "")
        result = self.result(done)
        self.assertEqual(done.returncode, 0 if result["sound"] else 1)
        return result

    def result(self, done):
        """What an audit found, without its command."""
        result = json.loads(done.stdout)
        self.assertTrue(result.pop("command").startswith("slimfly audit "))
        return result

    def check_reached(self, result):
        for fault in "no_entry", "dead_end", "loop":
            self.assertEqual(result["faults"][fault], 0)


class StockOpenSM(Dumped):
    def test_minhop_reaches_everything_and_deadlocks(self):
        with self.start("sf:q=5", "minhop") as opensm:
            opensm.wait()
            result = self.audit(opensm.folder)
        self.check_reached(result)
        self.assertTrue(result["has_sl2vl"])
        self.assertEqual(result["hops"]["most"], 2)
        verdict = result["deadlock"]["path_sls"]
        self.assertFalse(verdict["free"])
        self.assertEqual(len(verdict["witness"]), 5)

    def test_a_live_fabric(self):
        with self.start("sf:q=3", "minhop") as opensm:
            opensm.wait()
            done = opensm.sim.run(harness.PROGRAM, "audit", "live",
                                  opensm.folder, "--format", "json")
            told = opensm.sim.run(harness.PROGRAM, "audit", "live",
                                  "--path-sls", "ask", "--progress", "always")
            again = self.audit(opensm.folder)
        self.assertEqual(self.result(done), again)
        for work in ("discovery", "reading ", "asking for path SLs"):
            self.assertIn(f"slimfly: live: {work}", told.stderr)

    def test_a_live_fabric_is_analyzed(self):
        with self.start("sf:q=3", "minhop") as opensm:
            opensm.wait()
            live, dumped = (json.loads(opensm.sim.run(
                harness.PROGRAM, "analyze", *words, "--traffic", "all-to-all",
                "--references", "none", "--format", "json").stdout)
                for words in (["live"], ["live", opensm.folder]))
        for found in live, dumped:
            self.assertIn("analyze", found.pop("command"))
        self.assertEqual(live, dumped)
        paths = live["rows"][0]["paths"]
        # OpenSM spreads the 3 hosts of a switch over paths of their own.
        self.assertTrue(paths["per_host"])
        self.assertEqual((paths["n_pairs"], paths["most_hops"]),
                         (18 * 17 * 3, 2))

    def test_a_live_fabric_is_simulated(self):
        with self.start("sf:q=3", "minhop") as opensm:
            opensm.wait()
            rates = []
            for words in (["live"], ["live", opensm.folder], [opensm.folder]):
                done = opensm.sim.run(
                    harness.PROGRAM, "simulate", *words, "--workload",
                    "permutation", "--size", "64K", "--format", "json")
                self.assertEqual(done.returncode, 0, done.stderr)
                (row,) = json.loads(done.stdout)["rows"]
                self.assertEqual((row["routing"], row["layers"]),
                                 ("tables", 1))
                rates.append(row["rate"])
        self.assertEqual(rates[0], rates[1])
        self.assertEqual(rates[0], rates[2])

    def test_the_folder_that_it_dumps_into(self):
        for lmc in 0, 2:
            with self.subTest(lmc=lmc), \
                    self.start("sf:q=3", "minhop", lmc) as opensm:
                opensm.wait()
                with_lmc = self.audit(opensm.folder)
                # Without fabric.ibnetdiscover it is opensm-subnet.lst.
                os.remove(f"{opensm.folder}/fabric.ibnetdiscover")
                result = self.audit(opensm.folder)
            self.check_reached(result)
            self.assertEqual(result["n_lids"], 18 + (54 << lmc))
            for name in "n_lids", "n_vls", "hops", "n_pairs":
                self.assertEqual(result[name], with_lmc[name])
            for name in "path_sls", "replies":
                self.assertEqual(
                    result["deadlock"][name]["n_dependencies"],
                    with_lmc["deadlock"][name]["n_dependencies"])


def sections(path, start):
    """The parts of a dump that begin with this, line by line."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    found = {}
    for part in re.split(r"^(?=Unicast|Switch|Channel)", text, flags=re.M):
        if part.startswith(start):
            lines = [line.strip() for line in part.splitlines()]
            found[lines[0]] = [line for line in lines[1:] if line]
    return found


class ReadBack(Dumped):
    """Tables as the switches hold them."""

    def live(self, opensm, *args):
        done = opensm.sim.run(harness.PROGRAM, "audit", *args, "--format",
                              "json")
        self.assertEqual(done.stderr, "")
        result = self.result(done)
        self.assertEqual(done.returncode, 0 if result["sound"] else 1)
        return result

    def check_same(self, folder, dumped):
        """What was read back is what OpenSM dumped."""
        self.assertEqual(sections(f"{folder}/opensm-lfts.dump", "Unicast"),
                         sections(f"{dumped}/opensm-lfts.dump", "Unicast"))
        ours = sections(f"{folder}/opensm-sl2vl.dump", "Switch")
        theirs = sections(f"{dumped}/opensm-sl2vl.dump", "Switch")
        self.assertEqual(set(ours), set(theirs))
        for switch, rows in ours.items():
            # It dumps in ports too that nothing is plugged into.
            self.assertLessEqual(set(rows), set(theirs[switch]))
            self.assertGreater(len(rows), 4)

    def test_is_what_opensm_dumps(self):
        for spec, engine, lmc, n_ports in [
                ("sf:q=5", "minhop", 2, 11),
                ("ft2:leaf=6,core=3,up=3", "minhop", 1, 18)]:
            with self.subTest(spec=spec), \
                    self.start(spec, engine, lmc) as opensm:
                opensm.wait()
                seen = f"{opensm.folder}/seen"
                result = self.live(opensm, "live", "live", "--save", seen)
                self.check_reached(result)
                self.check_same(seen, opensm.folder)
                rows = sections(f"{seen}/opensm-sl2vl.dump", "Switch")
                most = max(sum(not row.startswith("#") for row in part)
                           for part in rows.values())
                self.assertEqual(most, n_ports * (n_ports + 1))
                # Elsewhere it is judged the same.
                self.assertEqual(self.audit(seen), result)
                self.assertEqual(
                    self.live(opensm, f"{seen}/fabric.ibnetdiscover", "live"),
                    result)

    def test_from_a_host(self):
        with self.start("sf:q=3", "minhop") as opensm:
            opensm.wait()
            seen = f"{opensm.folder}/seen"
            done = subprocess.run(
                [harness.PROGRAM, "audit", "live", "--save", seen],
                env={**opensm.sim.env(), "SIM_HOST": "node0017"},
                cwd=opensm.folder, capture_output=True, text=True,
                timeout=harness.PATIENCE, check=False)
            self.assertEqual((done.returncode, done.stderr), (1, ""))
            self.assertIn("the SLs of paths are not known", done.stdout)
            self.check_same(seen, opensm.folder)

    def test_after_a_cable_is_pulled(self):
        with self.start("sf:q=3", "minhop", 1) as opensm:
            opensm.wait()
            before = self.live(opensm, "live")
            self.check_reached(before)
            opensm.sim.command('Unlink "sf-0-1-1"[6]')
            opensm.wait()
            # The switches hold new tables, and the old ones are wrong.
            seen = f"{opensm.folder}/seen"
            after = self.live(opensm, "live", "--save", seen)
            self.check_reached(after)
            self.assertEqual(after["links"]["n"], before["links"]["n"] - 2)
            self.check_same(seen, opensm.folder)

    def test_before_opensm_knows_that_a_cable_is_pulled(self):
        with self.start("sf:q=3", "minhop") as opensm:
            opensm.wait()
        # It has ended; the switches still have its tables.
        fabric = f"{opensm.folder}/fabric.ibnetdiscover"
        self.check_reached(self.live(opensm, fabric, "live"))
        opensm.sim.command('Unlink "sf-0-1-1"[6]')
        result = self.live(opensm, "live")
        self.assertGreater(result["faults"]["dead_end"], 0)
        example = result["faults"]["examples"][0]
        self.assertEqual(example["fault"], "dead end")

    def test_another_fabric_than_it_was(self):
        with self.start("sf:q=3", "minhop") as opensm:
            opensm.wait()
        fabric = f"{opensm.folder}/fabric.ibnetdiscover"
        # The way to some switch leads to another now, or to nothing.
        for command in ('Unlink "sf-0-1-1"', 'Unlink "sf-0-0-0"[6]'):
            opensm.sim.command(command)
        opensm.sim.command('Unlink "sf-0-0-0"[7]')
        done = opensm.sim.run(harness.PROGRAM, "audit", fabric, "live")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertRegex(done.stderr, r"switch sf-\S+, 0x[0-9a-f]{16}, does "
                         r"not answer|in the place of switch")

    def test_a_machine_that_is_not_part_of_it(self):
        with self.start("sf:q=3", "minhop") as opensm:
            opensm.wait()
        with tempfile.TemporaryDirectory() as folder:
            self.succeeds("route", "ft2:leaf=6,core=3,up=3", "-l", "1", "-o",
                          folder)
            with open(f"{folder}/fabric.ibnetdiscover",
                      encoding="utf-8") as file:
                text = file.read().replace("2534c46", "9934c46")
            with open(f"{folder}/fabric.ibnetdiscover", "w",
                      encoding="utf-8") as file:
                file.write(text)
            done = opensm.sim.run(harness.PROGRAM, "audit",
                                  f"{folder}/fabric.ibnetdiscover", "live")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("is not part of the fabric", done.stderr)

    def path_sls(self, opensm):
        """Asks OpenSM for the SL of every path; needs one host a switch."""
        sources, lids = {}, []
        with open(f"{opensm.folder}/fabric.ibnetdiscover",
                  encoding="utf-8") as file:
            for block in file.read().split("\n\n"):
                switch = re.search(r"^Switch.* base port 0 lid (\d+)", block,
                                   re.M)
                host = re.search(r'"S-([0-9a-f]{16})"\[\d+\].*# lid (\d+) lmc',
                                 block)
                if switch:
                    lids.append(int(switch[1]))
                elif host:
                    sources[host[1]] = int(host[2])
                    lids.append(int(host[2]))
        with open(f"{opensm.folder}/path-sl.csv", "w",
                  encoding="utf-8") as file:
            for guid, slid in sources.items():
                for dlid in lids:
                    done = opensm.sim.run("saquery", "-p", "--slid", str(slid),
                                          "--dlid", str(dlid))
                    level = re.search(r"\bsl\.+0x([0-9A-Fa-f]+)", done.stdout)
                    self.assertTrue(level, done.stdout + done.stderr)
                    file.write(f"0x{guid},{dlid},{int(level[1], 16)}\n")

    def test_path_sls_are_asked_for(self):
        # dfsssp would say something else each time that it is asked.
        with self.start("sf:q=3,p=1", "lash") as opensm:
            opensm.wait()
            seen = f"{opensm.folder}/seen"
            asked = self.live(opensm, "live", "--path-sls", "ask", "--save",
                              seen)
            sampled = self.live(opensm, "live", "--path-sls", "sample")
        self.assertEqual(asked["n_without_sl"], 0)
        self.assertTrue(asked["has_path_sls"])
        self.assertTrue(asked["deadlock"]["path_sls"]["free"])
        self.assertGreater(asked["n_vls"], 1)
        # With one host a switch there is nothing to take from others.
        self.assertEqual(sampled, asked)

    @harness.long
    def test_saquery_is_told_the_same_path_sls(self):
        # One path at a time.
        with self.start("sf:q=3,p=1", "lash") as opensm:
            opensm.wait()
            asked = self.live(opensm, "live", "--path-sls", "ask")
            self.path_sls(opensm)
            one_by_one = self.audit(opensm.folder)
        self.assertTrue(asked["deadlock"]["path_sls"]["free"])
        for name in "path_sls", "replies":
            for member in "free", "n_dependencies":
                self.assertEqual(asked["deadlock"][name][member],
                                 one_by_one["deadlock"][name][member])
        self.assertGreater(one_by_one["n_vls"], 1)

    def test_dfsssp_is_free_with_any_of_its_answers(self):
        with self.start("sf:q=3,p=1", "dfsssp") as opensm:
            opensm.wait()
            for _ in range(3):
                result = self.live(opensm, "live", "--path-sls", "ask",
                                   "--all-on-sl", "0")
                self.assertEqual(result["n_without_sl"], 0)
                self.assertTrue(result["deadlock"]["path_sls"]["free"])
                self.assertFalse(result["deadlock"]["all_on_sl"]["free"])

    def test_a_sample_of_path_sls(self):
        with self.start("sf:q=3", "minhop", 1) as opensm:
            opensm.wait()
            sampled = self.live(opensm, "live", "--path-sls", "sample")
            asked = self.live(opensm, "live", "--path-sls", "ask")
        self.assertEqual(sampled["n_without_sl"], 0)
        self.assertEqual(sampled, asked)

    def test_no_manager_to_ask(self):
        with self.start("sf:q=3", "minhop") as opensm:
            opensm.wait()
        done = opensm.sim.run(harness.PROGRAM, "audit", "live", "--path-sls",
                              "ask")
        self.assertEqual(done.returncode, 2)
        self.assertIn("the subnet manager at LID", done.stderr)
        self.assertIn("does not answer", done.stderr)


class Ibdmchk(Dumped):
    """ibdmchk of ibutils looks for credit loops too."""

    def rows(self, opensm):
        """The SL-to-VL rows (switch, in, out) that OpenSM dumped, and how
        many ports of a switch have hosts, which are the first."""
        found = []
        with open(f"{opensm.folder}/opensm-sl2vl.dump",
                  encoding="utf-8") as file:
            for line in file:
                head = re.match(r"(Switch|Channel Adapter) (0x\w+)", line)
                row = re.match(r"(\d+)\s+(\d+)\s+:", line)
                if head:
                    guid = head[2] if head[1] == "Switch" else None
                elif row and guid:
                    found.append((guid, int(row[1]), int(row[2])))
        return found

    def write_lanes(self, opensm, vls):
        """SL-to-VL tables, {(switch, in, out): VLs}, for both programs."""
        with open(f"{opensm.folder}/slvl", "w", encoding="utf-8") as theirs, \
                open(f"{opensm.folder}/opensm-sl2vl.dump", "w",
                     encoding="utf-8") as ours:
            for (guid, came_in, out), row in vls.items():
                ours.write(f"Switch {guid}\n{came_in} {out} : "
                           + " ".join(map(str, row)) + "\n")
                theirs.write(f"{guid} {came_in} {out} " + " ".join(
                    f"0x{a:x}{b:x}" for a, b in zip(row[::2], row[1::2]))
                    + "\n")

    def write_sls(self, opensm, sls):
        """An SL for each pair of switches, for both programs."""
        hosts, homes = {}, {}
        with open(f"{opensm.folder}/fabric.ibnetdiscover",
                  encoding="utf-8") as file:
            for block in file.read().split("\n\n"):
                switch = re.search(r'^Switch\t\d+ "S-(\w+)".* lid (\d+) lmc',
                                   block, re.M)
                host = re.search(r'^Ca\t\d+ "H-(\w+)".*\n'
                                 r'.*"S-(\w+)"\[\d+\].*# lid (\d+) lmc',
                                 block, re.M)
                if switch:
                    homes[int(switch[2])] = switch[1]
                elif host:
                    homes[int(host[3])] = host[2]
                    hosts[host[1]] = host[2]
        with open(f"{opensm.folder}/psl", "w", encoding="utf-8") as theirs:
            for host, source in hosts.items():
                for lid, home in homes.items():
                    theirs.write(f"0x{host} {lid} {sls(source, home)}\n")
        with open(f"{opensm.folder}/path-sl.csv", "w",
                  encoding="utf-8") as ours:
            for source in sorted(set(homes.values())):
                for lid, home in homes.items():
                    ours.write(f"0x{source},{lid},{sls(source, home)}\n")

    def judge(self, opensm):
        """Whether ibdmchk finds the fabric free of credit loops."""
        # It crashes after its report.
        done = subprocess.run(
            ["stdbuf", "-oL", "ibdmchk", "-l", "0", "-s", "opensm-subnet.lst",
             "-f", "opensm.fdbs", "-m", "opensm.mcfdbs", "-c", "psl", "-d",
             "slvl"], cwd=opensm.folder, capture_output=True, text=True,
            env={**os.environ, "PATH": PATH}, timeout=harness.PATIENCE,
            check=False)
        is_free = "no credit loops found" in done.stdout
        self.assertNotEqual(is_free,
                            "credit loops in routing" in done.stdout,
                            done.stdout[-2000:] + done.stderr)
        return is_free

    def test_it_agrees(self):
        # Two hops at most, and one path for each pair: 7 links a switch and
        # no short cycles.  Lane 0 for the first hop and 1 for the second is
        # safe; the more turns stay on lane 0, the less so.
        if not shutil.which("ibdmchk"):
            self.skipTest("no ibdmchk")
        random.seed(1)
        seen = []
        with self.start("sf:q=5", "minhop") as opensm:
            opensm.wait()
            rows = self.rows(opensm)
            for share in (0, 0.05, 0.08, 0.1, 0.12, 0.15, 0.18, 0.2, 0.25,
                          0.5, 1):
                self.write_lanes(opensm, {
                    row: [0 if row[1] <= 4 or random.random() < share else
                          1 + sl % 2 for sl in range(16)] for row in rows})
                chosen = {}
                self.write_sls(opensm, lambda source, home: chosen.setdefault(
                    (source, home), random.randrange(4)))
                result = self.audit(opensm.folder)
                self.check_reached(result)
                verdict = result["deadlock"]["path_sls"]["free"]
                self.assertEqual(verdict, self.judge(opensm), share)
                seen.append(verdict)
        self.assertGreaterEqual(min(seen.count(True), seen.count(False)), 3,
                                seen)


if __name__ == "__main__":
    harness.main()
