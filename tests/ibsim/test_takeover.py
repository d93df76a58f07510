"""Two managers with the plugin on a simulated fabric: one leads, and the other
takes over when the first is killed.

Arguments: the program, the folder of the plugin.
"""
import json
import os
import re
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from plugged import PLUGIN, Plugged, harness  # noqa: E402
from opensm import OpenSM  # noqa: E402

# Instead of what 'slimfly settings' writes, so that short tests are short; but
# not so soon that a manager on a busy machine passes for dead.
SOON = {"sminfo_polling_timeout": 500, "polling_retry_number": 3}


def entries(tables):
    """The entries of live_tables(), by switch and LID."""
    found = {}
    for part in re.split(r"^(?=Unicast)", tables, flags=re.M)[1:]:
        switch = re.search(r"guid (0x\w+)", part)[1]
        for lid, port in re.findall(r"^(0x\w{4}) (\d+)", part, re.M):
            found[switch, lid] = port
    return found


class NoAnswer(Exception):
    """OpenSM waits for an answer that ibsim has lost."""


class Takeover(Plugged):
    def told(self, name, *args, base=None, has_plan=False):
        """The folder 'name' with what 'slimfly settings' tells a manager;
        'base' is another file for that, and the plan is not told unless it
        is asked for: then base alone is judged."""
        folder = f"{self.work}/{name}.told"
        self.succeeds("settings", f"{self.work}/plan", "-o", folder, "--only",
                      "opensm", *args)
        with open(f"{folder}/slimfly.conf", encoding="utf-8") as file:
            text = file.read()
        if not has_plan:
            text = re.sub(r"^plan =.*\n", "", text, flags=re.M)
        if base:
            text = re.sub(r"^base = .*", f"base = {base}", text, flags=re.M)
        with open(f"{folder}/slimfly.conf", "w", encoding="utf-8") as file:
            file.write(text)
        return folder

    def start(self, name, *args, base=None, has_plan=False, **settings):
        """Starts a manager as 'slimfly settings' says."""
        folder = self.told(name, *args, base=base, has_plan=has_plan)
        opensm = OpenSM(self.sim, f"{self.work}/{name}", PLUGIN,
                        conf=f"{folder}/opensm.conf", **settings)
        self.addCleanup(opensm.stop)
        opensm.status_path = f"{folder}/slimfly-status.json"
        return opensm

    def stands_by(self, opensm):
        opensm.until(lambda: opensm.status().get("state") == "standby",
                     "it stands by")

    def kill(self, opensm):
        opensm.process.kill()
        opensm.process.wait()

    def judge(self, opensm):
        """Exit code and verdict of 'slimfly status'.  Heartbeats may be old
        where a machine is busy."""
        done = harness.slimfly("status", opensm.status_path, "--format",
                               "json", "--max-age", "3600")
        result = json.loads(done.stdout)
        return done.returncode, result["verdict"], result["reasons"]

    def unlink(self, number):
        end = self.cables[number][0]
        self.sim.command(f'Unlink "{end[0]}"[{end[1]}]')

    def relink(self, number):
        end = self.cables[number][0]
        self.sim.command(f'ReLink "{end[0]}"[{end[1]}]')

    def take_over(self, is_shared, **settings):
        """As try_to_take_over(), once more where OpenSM got no answers."""
        for _ in range(2):
            try:
                return self.try_to_take_over(is_shared, **settings)
            except NoAnswer:
                self.doCleanups()
        return self.try_to_take_over(is_shared, **settings)

    def wait_for(self, standby):
        """Waits until 'standby' leads.  When a client of ibsim is killed,
        answers to others get lost now and then, and OpenSM waits for them for
        ever as soon as it begins to discover."""
        try:
            return standby.wait_status(timeout=300, n_switches=50,
                                       n_links=len(self.cables) - 1)
        except RuntimeError as error:
            if standby.log().rstrip().endswith("Entering DISCOVERING state"):
                self.kill(standby)
                raise NoAnswer from error
            raise

    def try_to_take_over(self, is_shared, **settings):
        """A fault, then the death of the manager that leads; the other one
        has the same base file if it 'is_shared'.  Returns the seconds until
        another one has brought the subnet up, its status, and how many entries
        it has changed."""
        self.plan("sf:q=5")
        master = self.start("master", base=f"{self.work}/base", **settings)
        self.wait(master, 0)
        whole = self.live_tables()
        standby = self.start(
            "standby", "--standby", host="node0100",
            base=f"{self.work}/base" if is_shared else None, **settings)
        self.stands_by(standby)
        self.unlink(77)
        self.wait(master, 1)
        hurt = self.live_tables()
        self.assertEqual(self.judge(master), (0, "fine", []))
        self.assertEqual(self.judge(standby), (0, "fine", []))

        self.kill(master)
        start = time.monotonic()
        code, verdict, reasons = self.judge(master)
        self.assertEqual((code, verdict), (2, "dead"))
        self.assertIn(f"there is no process {master.process.pid}", reasons[0])
        status = self.wait_for(standby)
        seconds = time.monotonic() - start
        self.assertEqual(self.judge(standby), (0, "fine", []))
        self.assertEqual(status["pid"], standby.process.pid)
        now = entries(self.live_tables())
        before = entries(hurt)
        self.assertEqual(now.keys(), before.keys())  # The LIDs stay.
        n_changed = sum(now[key] != before[key] for key in now)
        self.relink(77)
        self.wait(standby, 0)
        if not n_changed:
            self.assertEqual(self.live_tables(), whole)
        return seconds, status, n_changed

    def test_a_manager_that_was_killed_leaves_the_tables(self):
        _, status, n_changed = self.take_over(True, **SOON)
        self.assertEqual((status["outcome"], status["missing"]["links"]),
                         ("repaired", 1))
        self.assertEqual(n_changed, 0)

    def test_managers_that_have_the_plan_need_not_share_a_base(self):
        _, status, n_changed = self.take_over(False, has_plan=True, **SOON)
        self.assertEqual((status["outcome"], status["missing"]["links"]),
                         ("repaired", 1))
        self.assertEqual(n_changed, 0)

    @harness.long
    def test_the_takeover_takes_less_than_ten_seconds(self):
        # That is promised for a quiet machine, and measured here; that the
        # settings allow it, tests/cli/test_settings.py proves.
        seconds, _, n_changed = self.take_over(True)
        print(f"# taken over after {seconds:.1f} s")
        self.assertEqual(n_changed, 0)
        self.assertLess(seconds, 100)

    @harness.long
    def test_without_a_base_entries_change(self):
        _, status, n_changed = self.take_over(False, **SOON)
        print(f"# without a base {n_changed} of {status['n_entries']} entries "
              "change")
        self.assertEqual(status["outcome"], "anew")
        self.assertGreater(n_changed, 0)

    @harness.long
    def test_who_leads_again_knows_what_was_done_meanwhile(self):
        # The first manager never saw link 5.  The second one, which it hands
        # over to, makes link 5 part of the base, and then loses link 77.
        self.plan("sf:q=5")
        shared = {"base": f"{self.work}/base", **SOON}
        self.unlink(5)
        first = self.start("first", "--standby", **shared)
        self.wait(first, 1)
        second = self.start("second", host="node0100", **shared)
        self.wait(second, 1)
        self.stands_by(first)
        self.assertEqual(self.judge(first), (0, "fine", []))
        self.relink(5)
        self.assertEqual(self.wait(second, 0)["outcome"], "anew")
        self.unlink(77)
        self.wait(second, 1)
        hurt = self.live_tables()
        self.kill(second)
        status = self.wait(first, 1)
        self.assertEqual((status["outcome"], status["missing"]["links"]),
                         ("repaired", 1))
        self.assertEqual(self.live_tables(), hurt)

    def test_a_manager_whose_port_is_down_has_failed(self):
        self.plan("sf:q=3")
        opensm = self.start("only", host="node0009", sweep_interval=1)
        opensm.wait_status()
        self.sim.command('Unlink "node0009"[1]')
        opensm.until(lambda: opensm.status()["state"] == "failed",
                     "it notices")
        code, verdict, reasons = self.judge(opensm)
        self.assertEqual((code, verdict), (1, "degraded"))
        self.assertIn("the port of this manager is down", reasons[0])
        self.sim.command('ReLink "node0009"[1]')
        opensm.wait_status()
        self.assertEqual(self.judge(opensm), (0, "fine", []))


if __name__ == "__main__":
    harness.main()
