"""Tables of 'slimfly route' in a simulated fabric: OpenSM's own file engine
loads them, programs the switches, and dumps the same again.

Arguments: the program.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "cli"))
import harness  # noqa: E402
from ibsim import Ibsim  # noqa: E402


def sections(path):
    """The table of each switch, as the lines of its section."""
    with open(path, encoding="utf-8") as file:
        parts = re.split(r"^(?=Unicast)", file.read(), flags=re.M)
    return sorted(part for part in parts if part)


class FileEngine(harness.Case):
    def start_opensm(self, sim, folder, lmc):
        """Runs OpenSM until the subnet is up, then ends it."""
        work = f"{folder}/opensm"
        shutil.rmtree(work, ignore_errors=True)
        os.mkdir(work)
        shutil.copy(f"{folder}/guid2lid", work)
        # As we tell administrators to configure it.
        self.succeeds("settings", folder, "--only", "file", "-o", work)
        with open(f"{work}/opensm-file.conf", encoding="utf-8") as file:
            settings = file.read()
        self.assertIn(f"\nlfts_file {folder}/opensm-lfts.dump\n", settings)
        self.assertIn(f"\nlmc {lmc}\n", settings)
        with open(f"{work}/conf", "w", encoding="utf-8") as file:
            file.write(f"{settings}log_flags 0x43\n"
                       f"dump_files_dir {work}\nsweep_interval 0\n")
        process = subprocess.Popen(
            ["opensm", "-F", f"{work}/conf", "-f", f"{work}/log"], cwd=work,
            env={**sim.env(), "OSM_TMP_DIR": work, "OSM_CACHE_DIR": work},
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            deadline = time.monotonic() + harness.PATIENCE
            while time.monotonic() < deadline:
                dump = f"{work}/opensm-lfts.dump"
                if os.path.exists(f"{work}/log") and os.path.exists(dump):
                    with open(f"{work}/log", encoding="latin1") as log:
                        if "SUBNET UP" in log.read():
                            break
                time.sleep(0.1)
            else:
                self.fail("the subnet does not come up")
        finally:
            process.terminate()
            process.wait(harness.PATIENCE)
        return work

    def test_opensm_loads_and_dumps_the_same(self):
        for spec, layers, lmc in [("sf:q=5", 4, 2), ("sf:q=4", 1, 0),
                                  ("ft2:leaf=6,core=3,up=3", 2, 1)]:
            with self.subTest(spec=spec), \
                    tempfile.TemporaryDirectory() as folder:
                self.succeeds("route", spec, "--layers", str(layers), "-o",
                              folder)
                with Ibsim(f"{folder}/fabric.ibnetdiscover") as sim:
                    work = self.start_opensm(sim, folder, lmc)
                    done = sim.run("ibnetdiscover")
                # The LIDs are ours, not new ones.
                with open(f"{folder}/fabric.ibnetdiscover",
                          encoding="utf-8") as file:
                    ours = sorted(file.read().strip().split("\n\n")[1:])
                theirs = sorted(done.stdout.strip().split("\n\n")[1:])
                self.assertEqual(ours, theirs)
                self.assertEqual(sections(f"{work}/opensm-lfts.dump"),
                                 sections(f"{folder}/opensm-lfts.dump"))

    def test_opensm_gives_the_lids_of_guid2lid(self):
        # A fabric without any LIDs, as it is before the first start.
        with tempfile.TemporaryDirectory() as folder:
            self.succeeds("plan", "sf:q=4", "-o", f"{folder}/plan")
            self.succeeds("route", f"{folder}/plan", "--layers", "2", "-o",
                          f"{folder}/tables")
            with Ibsim(f"{folder}/plan/fabric.ibnetdiscover") as sim:
                work = self.start_opensm(sim, f"{folder}/tables", 1)
                done = sim.run("ibnetdiscover")
                with open(f"{folder}/tables/fabric.ibnetdiscover",
                          encoding="utf-8") as file:
                    ours = sorted(file.read().strip().split("\n\n")[1:])
                self.assertEqual(
                    sorted(done.stdout.strip().split("\n\n")[1:]), ours)
                self.assertEqual(
                    sections(f"{work}/opensm-lfts.dump"),
                    sections(f"{folder}/tables/opensm-lfts.dump"))
                # A fabric that has LIDs keeps them.
                live = f"{folder}/live"
                routed = sim.run(harness.PROGRAM, "route", "live", "--layers",
                                 "2", "-o", live)
                self.assertEqual(routed.returncode, 0, routed.stderr)
                with open(f"{live}/fabric.ibnetdiscover",
                          encoding="utf-8") as file:
                    self.assertEqual(
                        sorted(file.read().strip().split("\n\n")[1:]), ours)

    def test_ibtracert_follows_the_path(self):
        with tempfile.TemporaryDirectory() as folder:
            self.succeeds("route", "sf:q=5", "--layers", "4", "-o", folder)
            with Ibsim(f"{folder}/fabric.ibnetdiscover") as sim:
                self.start_opensm(sim, folder, 2)
                lids = {}
                with open(f"{folder}/fabric.ibnetdiscover",
                          encoding="utf-8") as file:
                    for block in file.read().split("\n\n"):
                        name = re.search(r'^Ca.*# "([^"]+)"', block, re.M)
                        if name:
                            lids[name[1]] = int(re.search(
                                r"# lid (\d+) lmc 2", block)[1])
                done = sim.run("ibtracert", str(lids["node0000"]),
                               str(lids["node0150"] + 3))
                self.assertEqual(done.returncode, 0, done.stderr)
                # Switches passed, as the tables have it.
                tables = {}
                for part in sections(f"{folder}/opensm-lfts.dump"):
                    name = re.search(r"\('([^']+)'\)", part)[1]
                    tables[name] = dict(re.findall(
                        r"^(0x[0-9a-f]{4}) (\d+)", part, re.M))
                out_ports = [int(tables[name][f"0x{lids['node0150'] + 3:04x}"])
                             for name in re.findall(
                                 r'-> switch port .*"([^"]+)"$', done.stdout,
                                 re.M)]
                followed = [int(port) for port in re.findall(
                    r"^\[(\d+)\] -> ", done.stdout, re.M)][1:]
                self.assertGreaterEqual(len(followed), 2)
                self.assertEqual(followed, out_ports)


if __name__ == "__main__":
    harness.main()
