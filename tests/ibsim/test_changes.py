"""Changes without a gap: OpenSM with the plugin writes a change in steps, and
what the switches hold meanwhile is read back and judged."""
import json

from plugged import Plugged, harness

LFT = 25  # The attribute of forwarding tables.


class Changes(Plugged):
    def start(self, spec, *lines):
        """Brings up 'spec' with options from a file."""
        self.plan(spec)
        self.write(*lines)
        opensm = self.manager(lmc=2, options=f"{self.work}/options",
                              transaction_timeout=40, transaction_retries=1)
        status = opensm.wait_status()
        self.assertEqual(status["change"]["kind"], "unknown")
        return opensm

    def write(self, *lines):
        with open(f"{self.work}/options", "w", encoding="utf-8") as file:
            file.write("\n".join(
                (f"status = {self.work}/opensm/status.json", *lines)) + "\n")

    def save(self, name):
        """What the switches hold now, in a folder; it may be any mixture, but
        must not deadlock, nor lead anywhere but to its LIDs."""
        folder = f"{self.work}/{name}"
        done = self.sim.run(harness.PROGRAM, "audit", "live", "--all-on-sl",
                            "0", "--save", folder, "--format", "json")
        self.assertEqual(done.stderr, "")
        result = json.loads(done.stdout)
        for behaviour in "path_sls", "all_on_sl":
            self.assertTrue(result["deadlock"][behaviour]["free"], name)
        for fault in "no_entry", "dead_end", "loop":
            self.assertEqual(result["faults"][fault], 0, name)
        return folder

    def judge(self, old, new):
        """What 'audit OLD NEW' says."""
        done = harness.slimfly("audit", old, new, "--format", "json")
        self.assertEqual(done.stderr, "")
        self.assertIn(done.returncode, (0, 1))
        return json.loads(done.stdout)

    def entries(self, folder):
        with open(f"{folder}/opensm-lfts.dump", encoding="utf-8") as file:
            return [line for line in file if line.startswith("0x")]

    def deafen(self, names, rate):
        """Lets switches lose 'rate' % of what is for their forwarding
        tables."""
        for name in names:
            self.sim.command(f'Error "{name}" {rate} {LFT}')

    def switches(self):
        return sorted({end[0] for cable in self.cables for end in cable})

    def test_a_changed_scheme_is_written_in_steps(self):
        opensm = self.start("sf:q=4", "scheme = gates")
        old = self.save("old")
        self.write("scheme = gates:for=uniform")
        opensm.hangup()
        status = opensm.wait_status(scheme="gates:for=uniform")
        change = status["change"]
        self.assertEqual(change["kind"], "steps")
        self.assertTrue(change["safe"])
        self.assertGreater(change["n_steps"], 1)
        self.assertEqual(change["step"], change["n_steps"])
        self.assertEqual(change["text"],
                         f"every mixture safe in {change['n_steps']} steps")
        self.assertEqual(status["outcome"], "anew")
        new = self.save("new")
        # At once it would not have been safe, and audit knows as many steps.
        result = self.judge(old, new)
        self.assertFalse(result["free"])
        self.assertEqual(result["n_changed_entries"],
                         status["n_changed_entries"])
        self.assertEqual(result["steps"]["n_steps"], change["n_steps"])
        log = opensm.log()
        for i in range(1, change["n_steps"]):
            self.assertIn(f"layered: step {i} of {change['n_steps']}, ", log)
        self.assertIn(f"layered: {change['text']}", log)
        # Nothing changes: nothing is said.
        opensm.hangup()
        status = opensm.wait_status(outcome="kept")
        self.assertEqual(status["change"]["kind"], "none")
        self.assertEqual(status["change"]["text"], None)

    def test_tables_in_the_middle_of_a_sweep(self):
        opensm = self.start("sf:q=4", "scheme = gates")
        old = self.save("old")
        names = self.switches()
        self.write("scheme = gates:for=uniform")
        seen, n_steps = [self.entries(old)], 0

        def is_done():
            status = opensm.status()
            return (status["state"] == "up" and
                    status["routing"]["scheme"] == "gates:for=uniform")

        # In each sweep some switches do not take what is written, until there
        # is nothing left to write.
        for i in range(12):
            deaf = [name for k, name in enumerate(names)
                    if (k * 7 + i * 5) % 4 < 3 - i % 3]
            n_failed = opensm.log().count("could not send all tables")
            self.deafen(deaf, 100)
            opensm.hangup()
            opensm.until(lambda n=n_failed: is_done() or opensm.log().count(
                "could not send all tables") > n, "a sweep fails or all ends")
            self.deafen(deaf, 0)
            found = self.entries(self.save(f"middle{i}"))
            if found not in seen:
                seen.append(found)
            n_steps = max(n_steps, opensm.status()["change"]["n_steps"])
            if is_done():
                break
        self.assertGreater(len(seen), 3)
        self.assertGreater(n_steps, 1)
        opensm.hangup()
        opensm.wait_status(scheme="gates:for=uniform")
        change = self.judge(self.save("new"), f"{self.work}/middle{i}")
        self.assertTrue(change["safe"])

    def test_faults_are_written_at_once(self):
        opensm = self.start("sf:q=4")
        before = self.live_tables()
        end = self.cables[40][0]
        self.sim.command(f'Unlink "{end[0]}"[{end[1]}]')
        status = opensm.wait_status(n_links=len(self.cables) - 1)
        change = status["change"]
        self.assertEqual(change["kind"], "fault")
        self.assertIn(change["safe"], (True, False))
        self.assertRegex(change["text"],
                         "^fault: all was written at once; "
                         + ("no mixture of old and new entries could deadlock"
                            if change["safe"] else
                            "meanwhile a mixture of old and new entries could "
                            r"deadlock: \S+ port \d+ VL \d+ waits for "))
        self.assertIn(f"layered: {change['text']}", opensm.log())
        # What comes back can wait.
        self.sim.command(f'ReLink "{end[0]}"[{end[1]}]')
        status = opensm.wait_status(n_links=len(self.cables))
        self.assertEqual(status["change"]["kind"], "steps")
        self.assertTrue(status["change"]["safe"])
        self.assertEqual(self.live_tables(), before)

    def test_other_lanes_are_written_in_steps(self):
        opensm = self.start("sf:q=3")
        self.write("seed = 7")
        opensm.hangup()
        change = opensm.wait_status(seed=7)["change"]
        self.assertEqual(change["kind"], "steps")
        self.assertTrue(change["safe"])
        self.assertGreater(change["n_steps"], 3)
        self.save("new")

    @harness.long
    def test_a_larger_network_read_all_the_time(self):
        opensm = self.start("sf:q=5", "scheme = gates")
        for i, scheme in enumerate(["gates:for=uniform", "gates",
                                    "minimal", "gates"]):
            self.write(f"scheme = {scheme}")
            opensm.hangup()
            n = 0
            while not (opensm.status().get("state") == "up" and
                       opensm.status()["routing"]["scheme"] == scheme):
                self.save(f"seen{i}-{n}")
                n += 1
            change = opensm.status()["change"]
            self.assertEqual(change["kind"], "steps")
            self.assertTrue(change["safe"])
            self.save(f"seen{i}")


if __name__ == "__main__":
    harness.main()
