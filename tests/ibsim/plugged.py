"""plugged.py -- a planned fabric in ibsim and OpenSM with the plugin on it, for
tests whose second argument is the folder of the plugin."""
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "cli"))
import harness  # noqa: E402
from ibsim import Ibsim  # noqa: E402
from opensm import OpenSM  # noqa: E402

PLUGIN = sys.argv[2] if len(sys.argv) > 2 else None


class Plugged(harness.Case):
    """A planned fabric in ibsim, and OpenSM with the plugin on it."""

    def plan(self, spec):
        """Plans 'spec' and starts ibsim on it."""
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.work = work.name
        self.succeeds("plan", spec, "-o", f"{self.work}/plan")
        self.simulate(f"{self.work}/plan/fabric.ibsim")
        with open(f"{self.work}/plan/plan.json", encoding="utf-8") as file:
            plan = json.load(file)
        self.cables = [((c["a"]["node"], c["a"]["port"]),
                        (c["b"]["node"], c["b"]["port"]))
                       for c in plan["cables"] if c["step"] > 0]

    def simulate(self, netlist):
        self.sim = Ibsim(netlist)
        self.addCleanup(self.sim.stop)

    def manager(self, name="opensm", options="", **settings):
        """Starts an OpenSM in the folder 'name'."""
        folder = f"{self.work}/{name}"
        if not options.startswith("/"):
            options += f" status={folder}/status.json"
        opensm = OpenSM(self.sim, folder, PLUGIN, options, **settings)
        self.addCleanup(opensm.stop)
        return opensm

    def audit(self, *args, sls="sample", replies=True):
        """What the switches hold and the manager tells must be sound; but
        dfsssp does not promise that of 'replies' on the SL of the request."""
        done = self.sim.run(harness.PROGRAM, "audit", "live", "--path-sls",
                            sls, "--format", "json", *args)
        self.assertEqual(done.stderr, "")
        result = json.loads(done.stdout)
        if replies:
            self.assertTrue(result["sound"], done.stdout[:2000])
        for fault in "no_entry", "dead_end", "loop":
            self.assertEqual(result["faults"][fault], 0)
        self.assertTrue(result["deadlock"]["path_sls"]["free"])
        return result

    def wait(self, opensm, n_lost_links, n_lost_switches=0):
        """Until OpenSM has routed the 50 switches as they are now."""
        return opensm.wait_status(
            n_links=len(self.cables) - n_lost_links,
            n_switches=50 - n_lost_switches)

    def live_tables(self):
        """All forwarding tables of the switches, for comparing."""
        with tempfile.TemporaryDirectory() as folder:
            self.audit("--save", folder)
            with open(f"{folder}/opensm-lfts.dump", encoding="utf-8") as file:
                return file.read()
