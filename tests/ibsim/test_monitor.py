"""The monitor on a simulated fabric that OpenSM runs with the plugin: a cable
is pulled and plugged, a counter grows, jobs follow the tables of the switches,
OpenSM dies.

Arguments: the program, the folder of the plugin.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "cli"))
import browser  # noqa: E402
import harness  # noqa: E402
from monitored import Monitor, Stream, wait_for  # noqa: E402
from plugged import Plugged  # noqa: E402


class Live(Plugged):
    def start(self):
        self.plan("sf:q=5")
        self.opensm = self.manager(host="node0001", lmc=2)
        self.opensm.wait_up()
        self.monitor = Monitor(
            f"{self.work}/plan", "live", "-n", "1", "--counters", "1",
            "--status", self.opensm.status_path, "--listen", "127.0.0.1:0",
            env={**self.sim.env(), "SIM_HOST": "node0002"})
        self.addCleanup(lambda: self.monitor.__exit__())
        wait_for(lambda: self.monitor.json("/state.json")["loads"], "counters")

    def state(self):
        return self.monitor.json("/state.json")

    def test_a_cable_and_a_counter(self):
        self.start()
        monitor = self.monitor
        self.assertEqual(self.state()["manager"]["verdict"], "fine")
        stream = Stream(monitor.follow())
        self.addCleanup(stream.client.close)
        chromium = browser.Browser()
        self.addCleanup(chromium.close)
        page = chromium.page()
        page.open(monitor.address)
        page.wait("document.querySelectorAll('.rack .c.s0').length === 550")

        self.sim.command('Unlink "sf-0-0-0"[8]')
        noted = monitor.wait_event(event="noted", kind="trap",
                                   node="sf-0-0-0")
        self.assertEqual(noted["text"],
                         "Trap 128: link state changed at sf-0-0-0.")
        wait_for(lambda: any("routed again: repaired" in event["text"]
                             for event in monitor.events()), "how it routed")
        began = monitor.wait_event(event="began", kind="missing")
        self.assertIn("sf-0-0-0 port 8", began["text"])
        stream.until(lambda frame: '"kind":"missing"' in frame
                     and '"event":"began"' in frame)
        page.wait("document.querySelectorAll('.rack .c.s1').length === 2")
        self.sim.command('Relink "sf-0-0-0"[8]')
        monitor.wait_event(event="ended", kind="missing",
                           cable=began["cable"])
        page.wait("document.querySelectorAll('.rack .c.s0').length === 550")

        self.sim.command('PerformanceSet "sf-0-0-1"[9] '
                         "PortCounters.SymbolErrorCounter=77")
        # The dead link may have counted discards, which is another event.
        grew = monitor.wait_event(event="began", source="counters",
                                  kind="counter", about="sf-0-0-1")
        self.assertIn("Symbol", grew["text"])
        self.assertTrue(grew["remedy"])
        metrics = monitor.ask("/metrics")[2].decode()
        self.assertIn("infiniband_switch_port_symbol_error", metrics)
        self.assertIn("slimfly_monitor_manager_fine 1\n", metrics)
        names = [line.split()[2] for line in metrics.splitlines()
                 if line.startswith("# TYPE")]
        self.assertEqual(len(names), len(set(names)))

        job = monitor.json("/job.json?nodes=node[0000-0003,0020-0023]")
        self.assertEqual((job["basis"], job["n_lost"]), ("tables", 0))
        self.assertEqual(job["n_addresses"], 4)
        # Two switches that are no neighbours, on four addresses: more links
        # than one shortest path has.
        self.assertGreater(len(job["cables"]), 8 + 2)

        self.opensm.stop()
        monitor.wait_event(event="began", kind="manager_dead")
        self.assertEqual(monitor.stop(), 0)


if __name__ == "__main__":
    harness.main()
