"""Drained links, replaced nodes and differences of tables, as administrators
meet them."""
import json
import os
import random
import re
import socket
import subprocess
import tempfile
import time

import harness
from harness import slimfly

FAMILIES = ["sf:q=4", "ft2:leaf=4,core=2,up=2,p=2", "ft3:ports=4",
            "hx2:size=3x3,p=2", "df:a=4,h=2,p=2", "xpander:k=4,lift=4",
            "jellyfish:n=14,k=4,p=2", "pf:q=3"]


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Operated(harness.Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = folder.name
        self.list = f"{self.work}/drained"
        self.conf = f"{self.work}/slimfly.conf"
        with open(self.conf, "w", encoding="utf-8") as file:
            file.write(f"# options\ndrained = {self.list}\n")

    def route(self, spec, name="tables", *args):
        self.succeeds("plan", spec, "-o", f"{self.work}/plan")
        self.succeeds("route", f"{self.work}/plan", "-o",
                      f"{self.work}/{name}", *args)
        return f"{self.work}/{name}"

    def drain(self, *args):
        return self.succeeds("drain", *args, "--conf", self.conf)

    def links(self):
        """Ends of the links between switches, of the plan."""
        plan = json.loads(read(f"{self.work}/plan/plan.json"))
        return [((c["a"]["node"], c["a"]["port"]),
                 (c["b"]["node"], c["b"]["port"]), c["label"])
                for c in plan["cables"] if c["step"] > 0]

    def ports_used(self, folder):
        """All (switch, port) that an entry leads out of."""
        used = set()
        for line in read(f"{folder}/opensm-lfts.dump").splitlines():
            head = re.match(r"Unicast lids .*\('(.*)'\)", line)
            if head:
                here = head[1]
            elif line.startswith("0x"):
                used.add((here, int(line.split()[1])))
        return used


class Drain(Operated):
    def test_no_family_uses_a_drained_link(self):
        chooser = random.Random(4)
        for spec in FAMILIES:
            tables = self.route(spec)
            a, b, label = chooser.choice(self.links())
            word = chooser.choice([f"{a[0]}[{a[1]}]", f"{b[0]}:{b[1]}",
                                   label])
            told = slimfly("drain", word, "--fabric", tables, "--plan",
                           f"{self.work}/plan", "--conf", self.conf,
                           "--allow-loss")
            self.assertEqual(told.stderr, "", spec)
            self.assertEqual(told.returncode, 0)
            self.assertIn("entries: ", told.stdout)
            self.succeeds("route", f"{self.work}/plan", "--drained",
                          self.list, "-o", f"{self.work}/around")
            used = self.ports_used(f"{self.work}/around")
            self.assertFalse({a, b} & used, spec)
            self.assertTrue({a, b} & self.ports_used(tables), spec)
            self.succeeds("audit", f"{self.work}/around")
            self.succeeds("undrain", word, "--plan", f"{self.work}/plan",
                          "--conf", self.conf)
            self.assertEqual(read(self.list), "")
            self.succeeds("route", f"{self.work}/plan", "--drained",
                          self.list, "-o", f"{self.work}/again")
            for name in "opensm-lfts.dump", "opensm-sl2vl.dump":
                self.assertEqual(read(f"{self.work}/again/{name}"),
                                 read(f"{tables}/{name}"), spec)

    def test_the_plan_is_that_of_the_plugin(self):
        tables = self.route("hx2:size=3x3,p=2")
        a, _, label = self.links()[0]
        with open(self.conf, "a", encoding="utf-8") as file:
            file.write(f"plan = {self.work}/plan\n")
        self.assertIn(f"link {a[0]}[{a[1]}]",
                      self.drain(label, "--fabric", tables))

    def test_a_broken_plan_of_the_plugin_is_in_nobodys_way(self):
        tables = self.route("hx2:size=3x3,p=2")
        (name, port), _, label = self.links()[0]
        word = f"{name}[{port}]"
        with open(self.conf, "a", encoding="utf-8") as file:
            file.write(f"plan = {self.work}/gone\nguids = {self.work}/gone\n")
        # Only who looks at the fabric needs the map.
        self.fails("drain", word, "--fabric", tables, "--plan",
                   f"{self.work}/plan", "--conf", self.conf, says="gone")
        with_map = f"{self.work}/with-map"
        for path, text in ((f"{self.work}/map", '0x99 "somebody"\n'),
                           (with_map, read(self.conf).replace(
                               "guids = " + self.work + "/gone",
                               f"guids = {self.work}/map"))):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        for words, conf, is_drained in (
                (("drain", word, "--fabric", tables), with_map, 1),
                (("drain", "--list"), self.conf, 1),
                (("undrain", word), self.conf, 0),
                (("drain", word, "--fabric", tables), with_map, 1),
                (("undrain", "--all"), self.conf, 0)):
            done = slimfly(*words, "--conf", conf)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"{self.work}/gone", done.stderr)
            self.assertIn("without it, labels and racks are not known",
                          done.stderr)
            self.assertEqual(read(self.list).count("link "), is_drained)
        done = slimfly("drain", label, "--fabric", tables, "--conf", with_map)
        self.assertEqual(done.returncode, 2)
        for words in (("drain", word), ("drain", "--list"),
                      ("undrain", "--all")):
            self.fails(*words, "--conf", self.conf, "--plan",
                       f"{self.work}/gone", says="gone")

    def test_links_that_are_not_seen_are_named(self):
        tables = self.route("hx2:size=3x3,p=2")
        a, b, _ = self.links()[0]
        words = (f"{a[0]}[{a[1]}]", "--fabric", tables, "--plan",
                 f"{self.work}/plan", "-n")
        self.assertNotIn("not seen", self.drain(*words))
        lines = read(f"{tables}/fabric.ibnetdiscover").splitlines(True)
        here = None
        with open(f"{tables}/fabric.ibnetdiscover", "w",
                  encoding="utf-8") as file:
            for line in lines:
                head = re.match(r'Switch.*# "(.*)" base', line)
                here = head[1] if head else here if line.strip() else None
                port = re.match(r"\[(\d+)\]", line)
                if not port or (here, int(port[1])) not in (a, b):
                    file.write(line)
        self.assertIn(f"link {a[0]}[{a[1]}] {b[0]}[{b[1]}] is planned, and "
                      "not seen now", self.drain(*words))

    def test_packets_that_are_lost_are_told(self):
        """It said that nothing is lost, and the plugin took paths away."""
        tables = self.route("df:a=4,h=2,p=2")
        word = "df-0-0[3]"
        words = (word, "--fabric", tables, "--conf", self.conf)
        for more in (), ("--dry-run",):
            done = slimfly("drain", *words, *more)
            self.assertEqual(done.returncode, 1)
            lost = re.search(r"packets are lost: (\d+) of \d+ pairs of switch "
                             r"and LID have no path for one of (\d+) steps",
                             done.stdout)
            self.assertTrue(lost, done.stdout)
            self.assertIn("drain: refused: packets would be lost",
                          done.stderr)
        self.assertFalse(os.path.exists(self.list))
        done = slimfly("drain", *words, "--format", "json")
        self.assertEqual(done.returncode, 1)
        steps = json.loads(done.stdout)["steps"]
        self.assertEqual((steps["safe"], steps["n_pairs_lost"],
                          steps["n_steps"]),
                         (True, int(lost[1]), int(lost[2])))
        self.succeeds("drain", *words, "--allow-loss")
        self.succeeds("route", f"{self.work}/plan", "--drained", self.list,
                      "-o", f"{self.work}/around")

        # The way back.
        words = (word, "--fabric", f"{self.work}/around", "--conf", self.conf)
        for more in (), ("--dry-run",):
            done = slimfly("undrain", *words, *more)
            self.assertEqual(done.returncode, 1)
            self.assertIn("packets are lost: ", done.stdout)
            self.assertIn("undrain: refused: packets would be lost",
                          done.stderr)
            self.assertNotIn("is drained no more", done.stdout)
        self.assertIn("link df-0-0[3]", read(self.list))
        self.assertIn("link df-0-0[3] ", self.succeeds(
            "undrain", *words, "--allow-loss", "--dry-run"))
        self.assertIn("is drained no more", self.succeeds(
            "undrain", *words, "--allow-loss"))
        self.assertEqual(read(self.list), "")

    def test_undrain_says_what_changes(self):
        tables = self.route("sf:q=4")
        (name, port), _, _ = self.links()[0]
        word = f"{name}[{port}]"
        self.drain(word, "--fabric", tables)
        self.succeeds("route", f"{self.work}/plan", "--drained", self.list,
                      "-o", f"{self.work}/around")
        told = self.succeeds("undrain", word, "--fabric",
                             f"{self.work}/around", "--conf", self.conf,
                             "--dry-run")
        self.assertIn("safe in every mixture in ", told)
        self.assertIn("would be drained no more", told)
        self.assertIn("nothing was written (--dry-run)", told)
        # Tables that are not in force yet, or of other options.
        told = self.succeeds("undrain", word, "--fabric", tables, "--conf",
                             self.conf, "--dry-run")
        self.assertIn("what changes is not known: ", told)
        self.assertEqual(read(self.list).count("link "), 1)
        self.assertNotIn("what changes", self.succeeds(
            "undrain", word, "--no-what-if", "--conf", self.conf))
        self.assertEqual(read(self.list), "")

    def test_hosts_are_not_cut_off(self):
        tables = self.route("hx2:size=3x3,p=2")
        name = self.links()[0][0][0]
        done = slimfly("drain", name, "--fabric", tables, "--conf", self.conf)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, "2 hosts are cut off: node0000, "
                         "node0001; --with-hosts drains")
        self.assertFalse(os.path.exists(self.list))
        told = self.drain(name, "--fabric", tables, "--with-hosts")
        self.assertIn("with its hosts: drained, 4 links; cut off: node0000",
                      told)
        self.assertIn("lost", told)
        self.assertTrue(read(self.list).startswith(
            f"switch {name} with-hosts # 2"))
        self.succeeds("route", tables, "--drained", self.list, "-o",
                      f"{self.work}/around")
        # The last link of a switch, after the others.
        self.succeeds("undrain", "--all", "--conf", self.conf)
        ends = [a if a[0] == name else b for a, b, _ in self.links()
                if name in (a[0], b[0])]
        words = [f"{end[0]}[{end[1]}]" for end in ends]
        self.drain(*words[:-1], "--fabric", tables)
        done = slimfly("drain", words[-1], "--fabric", tables, "--conf",
                       self.conf)
        self.assertEqual(done.returncode, 1)
        self.assertIn("2 hosts are cut off: node0000, node0001\n",
                      done.stderr)
        self.assertEqual(read(self.list).count("link "), len(words) - 1)

    def test_words_that_are_wrong_are_explained(self):
        tables = self.route("sf:q=4")
        for word, says in [("sf-9", "'sf-9' is nothing in the fabric"),
                           ("sf-0-0-0[99]", "has no port 99"),
                           ("sf-0-0-0[1]", "the link of a host"),
                           ("node0000", "is a host"),
                           ("R1", "with a plan the label"),
                           ("x--y", "expected two switches")]:
            self.fails("drain", word, "--fabric", tables, "--conf", self.conf,
                       says=says)
        self.fails("drain", says="expected links, switches or racks")
        self.fails("drain", "--list", "x", says="takes no words")
        self.fails("drain", "x", "--conf", "/nowhere", says="/nowhere")
        self.fails("undrain", says="or --all")
        self.fails("drain", "sf-0-0-0[5]", "--fabric", tables, "--file",
                   f"{self.conf}/x", says="slimfly.conf")
        with open(self.list, "w", encoding="utf-8") as file:
            file.write("# mine\nlink a\n")
        self.fails("drain", "sf-0-0-0[5]", "--fabric", tables, "--conf",
                   self.conf, says=f"{self.list}:2: expected a port")
        self.fails("route", tables, "--drained", self.list, "-o",
                   f"{self.work}/x", says=":2: expected a port")
        self.assertEqual(read(self.list), "# mine\nlink a\n")
        with open(self.list, "w", encoding="utf-8") as file:
            file.write("switch nobody\n")
        self.fails("route", tables, "--drained", self.list, "-o",
                   f"{self.work}/x", says=":1: there is no nobody here")
        done = slimfly("undrain", "sf-0-0-0", "--conf", self.conf)
        self.assertEqual(done.returncode, 1)
        self.assertIn("'sf-0-0-0' is not drained", done.stderr)

    def test_a_list_that_nobody_reads_is_not_written(self):
        """The default one was, if the options were others, and a folder was
        made for a list whose name was mistyped."""
        tables = self.route("sf:q=4")
        other = f"{self.work}/opensm.conf"
        with open(other, "w", encoding="utf-8") as file:
            file.write("# options of OpenSM\nrouting_engine layered\n")
        for words in (("drain", "sf-0-0-0[5]", "--fabric", tables),
                      ("drain", "--list"), ("undrain", "--all")):
            self.fails(*words, "--conf", other,
                       says=f"{other}: expected the plugin's options with a "
                       "line 'drained = FILE'")
        self.fails("drain", "sf-0-0-0[5]", "--fabric", tables, "--file",
                   f"{self.work}/none/drained", says=f"{self.work}/none")
        self.assertFalse(os.path.exists(f"{self.work}/none"))
        self.succeeds("drain", "sf-0-0-0[5]", "--fabric", tables, "--conf",
                      other, "--file", f"{self.work}/mine")
        with open(self.conf, "w", encoding="utf-8") as file:
            file.write(f"drained = {self.work}/made/drained\n")
        self.drain("sf-0-0-0[5]", "--fabric", tables)
        self.assertTrue(os.path.exists(f"{self.work}/made/drained"))
        # What could not be written was not done.
        os.remove(f"{self.work}/made/drained")
        os.mkdir(f"{self.work}/made/drained.new")
        os.mkdir(f"{self.work}/made/drained")
        done = slimfly("drain", "sf-0-0-0[5]", "--fabric", tables, "--conf",
                       self.conf)
        self.assertEqual(done.returncode, 2)
        self.assertNotIn(": drained, ", done.stdout)

    def test_lists_are_kept_and_told(self):
        tables = self.route("sf:q=4")
        a, b, label = self.links()[3]
        with open(self.list, "w", encoding="utf-8") as file:
            file.write("# my list\n")
        told = self.drain(label, "--plan", f"{self.work}/plan", "--fabric",
                          tables, "--dry-run")
        self.assertIn("nothing was written", told)
        self.assertEqual(read(self.list), "# my list\n")
        self.drain(label, "--plan", f"{self.work}/plan", "--fabric", tables,
                   "--why", "it flaps\nnow and then")
        self.assertRegex(read(self.list), "# my list\nlink .* # 2.*: it flaps "
                         "now and then\n")
        told = self.drain(f"{b[0]}:{b[1]}", "--fabric", tables)
        self.assertIn("had all of that already", told)
        listed = json.loads(self.drain("--list", "--format", "json",
                                       "--fabric", tables))
        self.assertEqual(listed["schema"], "slimfly.drained")
        self.assertEqual(listed["entries"][0]["state"], "drained")
        self.assertEqual({(e["switch"], e["port"])
                          for e in listed["entries"][0]["ends"]}, {a, b})
        told = json.loads(self.drain(
            f"{a[0]}--{b[0]}", "--fabric", tables, "--format", "json", "-n"))
        self.assertEqual(told["schema"], "slimfly.diff")
        self.assertGreater(told["n_changed_entries"], 0)

    def tell(self, *entries, pid=None, **drained):
        """Writes a status file of an OpenSM that says this of the list."""
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        status = {
            "schema": "slimfly.status", "schema_version": 1, "state": "up",
            "host": socket.gethostname(), "pid": pid or os.getpid(),
            "heartbeat_seconds": 200, "heartbeat_at": now, "active_at": now,
            "sweep_seconds": 10, "outcome": "anew", "reason": None,
            "missing": {"switches": 0, "links": 0, "hosts": 0},
            "warnings": [],
            "drained": {"file": self.list, "problem": None,
                        "n_links": sum(e["state"] == "drained"
                                       for e in entries),
                        "safe_to_unplug": True, "entries": entries,
                        "links": [], **drained}}
        with open(f"{self.work}/status.json", "w", encoding="utf-8") as file:
            json.dump(status, file)
        with open(self.conf, "w", encoding="utf-8") as file:
            file.write(f"drained = {self.list}\n"
                       f"status = {self.work}/status.json\n")

    def test_the_list_says_what_is_in_force(self):
        """Refused entries looked like others, and what was written a moment
        ago could be unplugged."""
        with open(self.list, "w", encoding="utf-8") as file:
            file.write("link a[5] b[6] # why\nswitch c\nswitch d\n")
        link = {"kind": "link", "name": "a[5] b[6]", "comment": "why",
                "state": "drained", "n_links": 1, "n_hosts_cut_off": 0,
                "hosts_cut_off": []}
        refused = {**link, "kind": "switch", "name": "c", "state": "refused",
                   "n_links": 4, "n_hosts_cut_off": 2,
                   "hosts_cut_off": ["node0", "node1"]}
        old = {**link, "name": "a[7] b[8]"}
        self.tell(link, refused, old)
        self.assertEqual(
            self.drain("--list"),
            "link a[5] b[6]: drained, 1 link; can be unplugged   # why\n"
            "switch c: refused, its links are used; 2 hosts would be cut off, "
            "such as node0\n"
            "switch d: not in force yet: OpenSM has not taken it up\n"
            "link a[7] b[8]: not on the list any more; OpenSM has not taken "
            "that up yet\n")
        told = json.loads(self.drain("--list", "--format", "json"))
        self.assertEqual([(e["state"], e["can_be_unplugged"])
                          for e in told["entries"]],
                         [("drained", True), ("refused", False),
                          ("pending", False)])
        status = ("status", f"{self.work}/status.json")
        self.assertIn("drained links: 2, not to be unplugged yet: OpenSM has "
                      "not taken up what was changed in the list",
                      self.succeeds(*status))
        told = json.loads(self.succeeds(*status, "--format", "json"))
        self.assertEqual(told["drained"], {
            "links": 2, "safe_to_unplug": False, "n_changes": 2})
        self.tell(link, refused, {**refused, "name": "d", "state": "absent",
                                  "n_hosts_cut_off": 0})
        self.assertIn("drained links: 1, which can be unplugged now",
                      self.succeeds(*status))
        self.assertIn("switch d: no link is up there\n", self.drain("--list"))
        # Nothing of it is in force while nobody is there.
        self.tell(link, pid=2 ** 22 + 1)
        self.assertIn("OpenSM is dead", self.drain("--list"))
        self.tell(link, file=f"{self.work}/other")
        self.assertIn(f"OpenSM obeys another list: {self.work}/other\n",
                      self.drain("--list"))

    def test_opensm_is_not_cut_off(self):
        """It was drained without a word, and nobody could undrain it."""
        tables = self.route("hx2:size=3x3,p=2")
        plan = json.loads(read(f"{self.work}/plan/plan.json"))
        host = plan["hosts"][3]
        switch = next(end["node"] for c in plan["cables"]
                      for end, other in ((c["a"], c["b"]), (c["b"], c["a"]))
                      if other["node"] == host["name"])
        safe = next(s["name"] for s in plan["switches"]
                    if s["name"] != switch)
        self.tell()
        status = json.loads(read(f"{self.work}/status.json"))
        for members in ({"port_guid": host["guid"]},
                        {"port_guid": None, "host": host["name"]}):
            with open(f"{self.work}/status.json", "w",
                      encoding="utf-8") as file:
                json.dump({**status, **members}, file)
            words = (switch, "--with-hosts", "--fabric", tables, "--conf",
                     self.conf, "--no-what-if")
            done = slimfly("drain", *words)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn(f"OpenSM runs on {host['name']}, which nobody "
                          f"else reaches without {switch}", done.stderr)
            self.assertFalse(os.path.exists(self.list))
            self.succeeds("drain", safe, *words[1:], "--dry-run")
            self.succeeds("drain", *words, "--with-manager", "--dry-run")

    def test_many_at_once_lose_nothing(self):
        tables = self.route("sf:q=4")
        links = self.links()[:6]
        runs = [subprocess.Popen(
            [harness.PROGRAM, "drain", f"{a[0]}[{a[1]}]", "--fabric", tables,
             "--no-what-if", "--conf", self.conf],
            stdout=subprocess.DEVNULL) for a, _, _ in links]
        for run in runs:
            self.assertEqual(run.wait(harness.PATIENCE), 0)
        self.assertEqual(read(self.list).count("\n"), 6)


class Diff(Operated):
    def test_tables_are_compared(self):
        one = self.route("sf:q=4", "one")
        self.assertIn("the same: ", self.succeeds("diff", one, one))
        two = self.route("sf:q=4", "two", "--seed", "2")
        done = slimfly("diff", one, two, "--format", "json")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        diff = json.loads(done.stdout)
        change = json.loads(slimfly("audit", one, two, "--format",
                                    "json").stdout)
        self.assertEqual(diff["n_changed_entries"],
                         change["n_changed_entries"])
        self.assertEqual(diff["lanes"]["n_changed_sl2vl"],
                         change["n_changed_sl2vl"])
        self.assertEqual(diff["mixture"]["safe"], change["safe"])
        self.assertEqual(sum(s["n_changed_entries"]
                             for s in diff["switches"]),
                         diff["n_changed_entries"])
        for side, folder in ("before", one), ("after", two):
            route = json.loads(read(f"{folder}/route.json"))
            self.assertEqual(diff[side]["most_load"],
                             route["paths_per_link"]["max"])
            self.assertAlmostEqual(diff[side]["mean_hops"],
                                   route["mean_hops"], 6)
        done = slimfly("diff", one, two, "--no-mixtures")
        self.assertEqual(done.returncode, 1)
        self.assertNotIn("written at once", done.stdout)

    def test_a_replaced_switch_is_the_same(self):
        """It was one switch gone and one new, and all its paths changed."""
        one = self.route("sf:q=4", "one")
        two = f"{self.work}/two"
        os.mkdir(two)
        text = read(f"{one}/fabric.ibnetdiscover")
        old = re.search(r'"S-([0-9a-f]{16})"', text)[1]
        for name in os.listdir(one):
            with open(f"{two}/{name}", "w", encoding="utf-8") as file:
                file.write(re.sub("0*" + old.lstrip("0"), "7000000000000001",
                                  read(f"{one}/{name}")))
        done = slimfly("diff", one, two)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"^the same: \d+ entries")
        self.assertIn(f"0x{old} by 0x7000000000000001", done.stdout)
        diff = json.loads(self.succeeds("diff", one, two, "--format", "json"))
        self.assertEqual([item["old_guid"] for item in diff["replaced"]],
                         [f"0x{old}"])
        self.assertEqual(diff["fabric"]["gone"],
                         {"switches": 0, "links": 0, "hosts": 0})

    def test_what_is_no_tables_is_refused(self):
        one = self.route("sf:q=4", "one")
        other = self.route("hx2:size=3x3,p=2", "other")
        self.fails("diff", one, says="expected two sets of tables")
        self.fails("diff", one, "sf:q=4", says="expected a folder with tables")
        self.fails("diff", one, other, says="expected tables of one subnet")

    def test_a_dry_run_writes_nothing(self):
        one = self.route("sf:q=4", "one")
        before = sorted(os.listdir(self.work))
        told = self.succeeds("route", f"{self.work}/plan", "--dry-run",
                             cwd=self.work)
        self.assertIn("nothing was written", told)
        a = self.links()[0][0]
        self.drain(f"{a[0]}[{a[1]}]", "--fabric", one, "--no-what-if")
        told = self.succeeds("route", one, "--previous", one, "--drained",
                             self.list, "--dry-run")
        self.assertEqual(set(os.listdir(self.work)) - set(before),
                         {"drained", "drained.lock"})
        self.succeeds("route", one, "--previous", one, "--drained", self.list,
                      "-o", f"{self.work}/two")
        done = slimfly("diff", one, f"{self.work}/two")
        self.assertEqual(done.returncode, 1)
        self.assertIn(done.stdout, told)
        self.fails("route", one, "--dry-run", "-o", f"{self.work}/x",
                   says="expected -o DIR or --dry-run")


class Replace(Operated):
    NEW = "0x7000000000000001"

    def test_all_files_get_the_new_guid(self):
        tables = self.route("sf:q=4")
        plan = json.loads(read(f"{self.work}/plan/plan.json"))
        node = plan["switches"][5]
        with open(f"{self.work}/map", "w", encoding="utf-8") as file:
            file.write(f'# names\n{node["guid"]} "{node["name"]}" # old\n'
                       '0x99 "somebody"\n')
        os.rename(f"{tables}/fabric.ibnetdiscover", f"{self.work}/base")
        with open(self.conf, "a", encoding="utf-8") as file:
            file.write(f"plan = {self.work}/plan\nguids = {self.work}/map\n"
                       f"base = {self.work}/base\n")
        # The fabric as it is now.
        old = node["guid"][2:].lstrip("0")
        with open(f"{self.work}/found", "w", encoding="utf-8") as file:
            file.write(re.sub(f"0*{old}", self.NEW[2:],
                              read(f"{self.work}/base")))
        done = slimfly("replace", "--list", "--fabric", f"{self.work}/found",
                       "--conf", self.conf)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(f'slimfly replace {node["guid"]} {self.NEW}',
                      done.stdout)
        told = self.succeeds("replace", node["name"], self.NEW, "--conf",
                             self.conf, "--dry-run")
        self.assertEqual(told.count("would be changed"), 3)
        self.assertIn(old, read(f"{self.work}/base"))
        self.succeeds("replace", node["name"], self.NEW, "--conf", self.conf)
        self.assertEqual(
            read(f"{self.work}/map"),
            f'# names\n{self.NEW} "{node["name"]}" # old\n0x99 "somebody"\n')
        for name in os.listdir(f"{self.work}/plan"):
            if os.path.isfile(f"{self.work}/plan/{name}"):
                self.assertNotIn(old, read(f"{self.work}/plan/{name}"), name)
        self.assertNotIn(old, read(f"{self.work}/base"))
        self.assertIn("nothing was replaced", self.succeeds(
            "replace", "--list", "--fabric", f"{self.work}/found", "--conf",
            self.conf))
        told = self.succeeds("replace", node["guid"], self.NEW, "--conf",
                             self.conf)
        self.assertIn("nothing to do", told)

    def test_a_guid_of_another_node_is_refused(self):
        """As one that was copied from the wrong line: each command failed
        after that, since the plan had the GUID twice."""
        tables = self.route("sf:q=4")
        plan = json.loads(read(f"{self.work}/plan/plan.json"))
        one, other = plan["switches"][0], plan["switches"][9]
        base = f"{tables}/fabric.ibnetdiscover"
        with open(f"{self.work}/map", "w", encoding="utf-8") as file:
            file.write(f'{one["guid"]} "{one["name"]}"\n'
                       f'{other["guid"]} "{other["name"]}"\n')
        before = read(f"{self.work}/plan/plan.json"), read(base)
        for files in (("--plan", f"{self.work}/plan"), ("--base", base),
                      ("--guids", f"{self.work}/map"),
                      ("--plan", f"{self.work}/plan", "--base", base)):
            for more in (), ("--dry-run",):
                self.fails("replace", one["name"], other["guid"], *files,
                           *more, says=f"{other['guid']} is the GUID of "
                           f"'{other['name']}'")
        host = plan["hosts"][0]
        self.fails("replace", host["name"], other["guid"], "--plan",
                   f"{self.work}/plan", says=f"'{other['name']}'")
        self.assertEqual(before, (read(f"{self.work}/plan/plan.json"),
                                  read(base)))
        # The plugin has changed the base already.
        text = read(base).replace(one["guid"][2:].lstrip("0"), self.NEW[2:])
        with open(base, "w", encoding="utf-8") as file:
            file.write(text.replace(f'"{one["name"]}"', '"new switch"'))
        self.succeeds("replace", one["name"], self.NEW, "--plan",
                      f"{self.work}/plan", "--base", base)

    def test_what_the_fabric_says_against_it_is_told(self):
        tables = self.route("sf:q=4")
        plan = json.loads(read(f"{self.work}/plan/plan.json"))
        old = plan["switches"][5]
        with open(f"{self.work}/found", "w", encoding="utf-8") as file:
            file.write(re.sub("0*" + old["guid"][2:].lstrip("0"),
                              self.NEW[2:],
                              read(f"{tables}/fabric.ibnetdiscover")))
        words = ["--plan", f"{self.work}/plan", "--fabric",
                 f"{self.work}/found", "--dry-run"]
        done = slimfly("replace", old["name"], "0x7000000000000002", *words)
        self.assertEqual(done.returncode, 0)
        self.assertIn("0x7000000000000002 is not in the fabric", done.stderr)
        self.assertIn(f"by its cables, {self.NEW} stands in the place of "
                      f"{old['guid']}", done.stderr)
        done = slimfly("replace", old["name"], self.NEW, *words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_plan_is_compared_by_the_map(self):
        """The plan has GUIDs that nobody has; the map has those of switches,
        and hosts are known to nobody."""
        self.succeeds("plan", "sf:q=4", "-o", f"{self.work}/plan")

        def real(text):
            return re.sub("0?2534c46", "7cfe90c1", text)

        switches = json.loads(read(f"{self.work}/plan/plan.json"))["switches"]
        gone = real(switches[5]["guid"])
        found = real(read(f"{self.work}/plan/fabric.ibnetdiscover"))
        for path, text in (
                ("map", "".join(f'{real(node["guid"])} "{node["name"]}"\n'
                                for node in switches)),
                ("found", found.replace(gone[2:], self.NEW[2:]))):
            with open(f"{self.work}/{path}", "w", encoding="utf-8") as file:
                file.write(text)
        words = ["replace", "--list", "--fabric", f"{self.work}/found",
                 "--plan", f"{self.work}/plan", "--guids", f"{self.work}/map"]
        done = slimfly(*words)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (
            1, f'replaced:\n  {switches[5]["name"]}: slimfly replace {gone} '
            f"{self.NEW}\n", ""))
        done = slimfly(*words, "--format", "json")
        self.assertEqual(json.loads(done.stdout), [
            {"kind": "switch", "old_guid": gone, "new_guid": self.NEW}])
        self.succeeds("replace", switches[5]["name"], self.NEW, *words[4:])
        self.assertEqual(self.succeeds(*words), "nothing was replaced\n")
        self.assertEqual(json.loads(self.succeeds(*words, "-f", "json")), [])

    def write_found(self, text, *changed):
        """The fabric as it is now, with adapters whose ports have the GUID
        of the adapter itself, and with other GUIDs for some nodes."""
        text = re.sub(r"(\]\([0-9a-f]{15})1\)", r"\g<1>0)", text)
        for old, new in changed:
            text = re.sub(old[2:].lstrip("0"), new[2:], text)
        with open(f"{self.work}/found", "w", encoding="utf-8") as file:
            file.write(text)

    def test_healthy_nodes_are_not_listed(self):
        """Neither by the GUIDs of their ports, nor as the map lacks them."""
        self.succeeds("plan", "sf:q=4", "-o", f"{self.work}/plan")

        def real(text):
            return re.sub("0?2534c46", "7cfe90c1", text)

        plan = json.loads(read(f"{self.work}/plan/plan.json"))
        switches, hosts = plan["switches"], plan["hosts"]
        planned = read(f"{self.work}/plan/fabric.ibnetdiscover")
        with open(f"{self.work}/map", "w", encoding="utf-8") as file:
            for node in switches[:6] + switches[7:] + hosts[:3] + hosts[4:]:
                file.write(f'{real(node["guid"])} "{node["name"]}"\n')
        words = ["replace", "--list", "--fabric", f"{self.work}/found",
                 "--plan", f"{self.work}/plan"]
        by_map = [*words, "--guids", f"{self.work}/map"]
        self.write_found(real(planned))
        for args in words, by_map:
            self.assertEqual(self.succeeds(*args), "nothing was replaced\n")

        # What was replaced is found among them, beside the unknown, too.
        changed = [(switches[5], self.NEW), (switches[20], "0x7000000000000200"),
                   (hosts[9], "0x7000000000000300")]
        told = "".join(f'  {node["name"]}: slimfly replace %s {new}\n'
                       for node, new in changed)
        guids = tuple(node["guid"] for node, _ in changed)
        pairs = [(node["guid"], new) for node, new in changed]
        self.write_found(real(planned),
                         *((real(old), new) for old, new in pairs))
        done = slimfly(*by_map)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (
            1, "replaced:\n" + told % tuple(map(real, guids)), ""))

        # A plan with true GUIDs needs no map.
        self.write_found(planned, *pairs)
        done = slimfly(*words)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (
            1, "replaced:\n" + told % guids, ""))

        # One true GUID does not make the others true.
        self.write_found(real(planned))
        self.succeeds("replace", switches[5]["name"], real(guids[0]),
                      *words[4:])
        self.assertEqual(self.succeeds(*words), "nothing was replaced\n")

    def test_words_that_are_wrong_are_explained(self):
        self.route("sf:q=4")
        with open(self.conf, "a", encoding="utf-8") as file:
            file.write(f"plan = {self.work}/plan\n")
        for words, says in [((), "expected the old node and the GUID"),
                            (("sf-0-0-0", "new"), "expected the GUID of"),
                            (("sf-9", self.NEW), "has 'sf-9'"),
                            (("0x5", self.NEW), "no file has the GUID"),
                            ((self.NEW, self.NEW), "both are")]:
            self.fails("replace", *words, "--conf", self.conf, says=says)
        with open(f"{self.work}/none", "w", encoding="utf-8"):
            pass
        self.fails("replace", "a", self.NEW, "--conf", f"{self.work}/none",
                   says="expected --plan, --guids or --base")


if __name__ == "__main__":
    harness.main()
