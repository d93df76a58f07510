"""What 'slimfly route --jobs' promises: routes for the jobs of a file, under
the lanes that are there."""
import json
import os
import tempfile

import harness


class Jobs(harness.Case):
    """Jobs on small networks."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, text):
        with open(self.path("jobs"), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path("jobs")

    def read(self, *names):
        with open(self.path(os.path.join(*names)), encoding="utf-8") as file:
            return file.read()

    def test_a_job_gets_full_speed_and_lanes_stay(self):
        jobs = self.write("# one job\n42 unknown node[0000-0015]\n")
        self.succeeds("route", "sf:q=5", "-o", self.path("without"))
        text = self.succeeds("route", "sf:q=5", "--jobs", jobs, "-o",
                             self.path("with"))
        self.assertRegex(text, "job 42, unknown on 16 nodes: 1.000 of the rate "
                         "of a host, 0[.]4.. before")
        report = json.loads(self.read("with", "route.json"))["jobs"]
        self.assertEqual(report["jobs"][0]["after"], 1)
        self.assertEqual(report["slowest"]["after"], 1)
        self.assertGreater(report["uniform"]["after"], 0.6)
        self.assertGreater(report["next_hops_changed"], 0)
        self.assertIsNone(
            json.loads(self.read("without", "route.json"))["jobs"])
        for name in ["opensm-sl2vl.dump", "path-sl.csv", "guid2lid",
                     "fabric.ibnetdiscover"]:
            self.assertEqual(self.read("with", name),
                             self.read("without", name))
        self.assertNotEqual(self.read("with", "opensm-lfts.dump"),
                            self.read("without", "opensm-lfts.dump"))
        self.succeeds("audit", self.path("with"), "--all-on-sl", "0")

    @harness.long
    def test_a_network_full_of_jobs(self):
        """Each host has paths of its own, however many sets there were."""
        jobs = self.write("".join(
            f"{i} all-to-all node[{32 * i:04}-{32 * i + 31:04}]\n"
            for i in range(6)))
        for sets, least in ("1", 0.9), ("2", 0.9):
            self.succeeds("route", "sf:q=5", "--path-sets", sets, "--jobs",
                          jobs, "-o", self.path("tables"))
            report = json.loads(self.read("tables", "route.json"))["jobs"]
            self.assertGreater(report["slowest"]["after"], least)
            self.succeeds("audit", self.path("tables"), "--all-on-sl", "5")

    def test_four_hops_where_neighbours_need_them(self):
        jobs = self.write("a all-to-all node[0000-0007]\n")
        for hops, speed in (3, 0.4375), (4, 1):
            self.succeeds("route", "sf:q=5", "--max-hops", str(hops),
                          "--jobs", jobs, "-o", self.path("tables"))
            report = json.loads(self.read("tables", "route.json"))
            self.assertAlmostEqual(report["jobs"]["slowest"]["after"], speed)
            self.assertEqual(report["most_hops"], hops)
            self.succeeds("audit", self.path("tables"), "--all-on-sl", "5")

    def test_routes_are_sound_on_other_families(self):
        jobs = self.write("a all-to-all node[0000-0011]\n"
                          "b shift:by=3 node[0012-0023]\n")
        for fabric in ["hx2:4x4", "df:a=4,h=2", "ft2:leaf=6,core=3,p=4",
                       "ft3:ports=6"]:
            with self.subTest(fabric=fabric):
                self.succeeds("route", fabric, "--jobs", jobs, "-o",
                              self.path("tables"))
                report = json.loads(self.read("tables", "route.json"))["jobs"]
                for job in report["jobs"]:
                    self.assertGreaterEqual(job["after"], 0.2)
                self.assertGreaterEqual(report["slowest"]["after"],
                                        report["slowest"]["before"])
                self.succeeds("audit", self.path("tables"), "--all-on-sl", "0")

    def test_routes_are_repaired_and_fitted_again(self):
        jobs = self.write("a all-to-all node[0000-0015]\n")
        self.succeeds("route", "sf:q=3", "--jobs", jobs, "-o",
                      self.path("first"))
        self.succeeds("route", "sf:q=3", "--previous", self.path("first"),
                      "--jobs", jobs, "-o", self.path("second"))
        self.succeeds("audit", self.path("second"), "--all-on-sl", "0")
        report = json.loads(self.read("second", "route.json"))
        self.assertIsNotNone(report["repair"])
        self.assertEqual(report["jobs"]["slowest"]["after"], 1)

    def test_only_what_jobs_change_changes(self):
        both = self.write("a all-to-all node[0000-0015]\n"
                          "b all-to-all node[0040-0055]\n")
        self.succeeds("route", "sf:q=5", "-o", self.path("base"))
        self.succeeds("route", "sf:q=5", "--jobs", both, "-o",
                      self.path("first"))
        self.succeeds("route", "sf:q=5", "--previous", self.path("first"),
                      "--jobs", both, "-o", self.path("same"))
        report = json.loads(self.read("same", "route.json"))
        self.assertEqual(report["jobs"]["next_hops_changed"], 0)
        self.assertEqual(self.read("same", "opensm-lfts.dump"),
                         self.read("first", "opensm-lfts.dump"))
        one = self.write("a all-to-all node[0000-0015]\n")
        self.succeeds("route", "sf:q=5", "--previous", self.path("first"),
                      "--jobs", one, "-o", self.path("one"))
        report = json.loads(self.read("one", "route.json"))["jobs"]
        self.assertGreater(report["next_hops_changed"], 0)
        self.assertEqual(report["slowest"]["after"], 1)
        none = self.write("")
        self.succeeds("route", "sf:q=5", "--previous", self.path("one"),
                      "--jobs", none, "-o", self.path("none"))
        self.assertEqual(self.read("none", "opensm-lfts.dump"),
                         self.read("base", "opensm-lfts.dump"))

    def test_tables_tell_too_little_of_the_order_of_channels(self):
        """Turns by levels of arcs: what jobs changed stayed when they had
        ended, since paths without jobs did not go with the order of channels
        that the tables of before need."""
        jobs = self.write("a all-to-all node[0000-0031]\n")
        self.succeeds("route", "hx2:6x6", "-o", self.path("base"))
        self.succeeds("route", "hx2:6x6", "--jobs", jobs, "-o",
                      self.path("first"))
        self.assertNotEqual(self.read("first", "opensm-lfts.dump"),
                            self.read("base", "opensm-lfts.dump"))
        none = self.write("")
        self.succeeds("route", "hx2:6x6", "--previous", self.path("first"),
                      "--jobs", none, "-o", self.path("none"))
        self.assertEqual(self.read("none", "opensm-lfts.dump"),
                         self.read("base", "opensm-lfts.dump"))

    def test_jobs_come_one_by_one_and_all_end(self):
        """Paths for the second job obeyed an order of channels of the tables
        of the first, which those without jobs did not: they stayed."""
        first = "a all-to-all node[0000-0015]\n"
        second = "b all-to-all node[0016-0031]\n"
        self.succeeds("route", "sf:q=3", "--seed", "3", "-o",
                      self.path("base"))
        before = "base"
        for i, lines in enumerate([first, first + second, ""]):
            self.succeeds("route", "sf:q=3", "--previous", self.path(before),
                          "--jobs", self.write(lines), "-o",
                          self.path(f"{i}"))
            before = f"{i}"
        self.assertNotEqual(self.read("1", "opensm-lfts.dump"),
                            self.read("base", "opensm-lfts.dump"))
        self.assertEqual(self.read("2", "opensm-lfts.dump"),
                         self.read("base", "opensm-lfts.dump"))

    def test_what_is_wrong_is_named(self):
        out = ["-o", self.path("tables")]
        jobs = self.write("a ring node[0000-0003]\nb ring node0002\n")
        self.fails("route", "sf:q=3", "--jobs", jobs, *out,
                   says="jobs:2: expected a host that no other job has")
        self.fails("route", "sf:q=3", "--jobs", "/nonexistent", *out,
                   says="/nonexistent: No such file")
        self.fails("route", "sf:q=3", "--keep-minimal", *out,
                   says="--keep-minimal is for --jobs FILE")
        jobs = self.write("a ring node[0000-0003]\n")
        self.fails("route", "sf:q=3", "--jobs", jobs, "--lanes", "dfsssp",
                   *out, says="need lanes by turns, untangle or single")
        self.assertFalse(os.path.exists(self.path("tables")))


if __name__ == "__main__":
    harness.main()
