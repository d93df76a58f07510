"""What 'slimfly audit OLD NEW' says of changes, compared with a graph made here
from the same files."""
import json
import os
import re
import tempfile

import networkx

import harness
import test_route
from harness import slimfly


class Changed(test_route.Routed):
    def judge(self, *args):
        """The judgement as JSON; the exit code must agree with it."""
        done = slimfly("audit", *args, "--format", "json")
        self.assertEqual(done.stderr, "", args)
        result = json.loads(done.stdout)
        self.assertEqual(done.returncode, 0 if result["safe"] else 1)
        return result

    def folders(self, spec, *variants):
        """Routes 'spec' once for each variant, a list of arguments."""
        for i, variant in enumerate(variants):
            self.succeeds("route", spec, "-o", f"{self.folder()}/{i}",
                          *variant)
        return [f"{self.folder()}/{i}" for i in range(len(variants))]

    def folder(self):
        if not hasattr(self, "work"):
            self.work = self.temporary()
        return self.work

    def temporary(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return folder.name

    def union_loops(self, old, new):
        """Pairs of switch and LID from which old and new entries, in any
        choice, can go round in a circle."""
        a, b = test_route.Tables(old), test_route.Tables(new)
        n = 0
        for lid in a.home:
            graph = networkx.DiGraph()
            for switch in a.switch_lid:
                for tables in a, b:
                    peer = tables.peer.get((switch, tables.out[switch, lid]))
                    if peer and peer[0] in a.switch_lid:
                        graph.add_edge(switch, peer[0])
            rounds = {node for part in
                      networkx.strongly_connected_components(graph)
                      if len(part) > 1 for node in part}
            n += len(rounds.union(*(networkx.ancestors(graph, node)
                                    for node in rounds)))
        return n


class Judgement(Changed):
    def test_loops_are_those_of_the_union(self):
        for spec, variants in [
                ("sf:q=4", (["-l", "2"], ["-l", "2", "-s",
                                          "gates:for=uniform"])),
                ("df:p=2,a=4,h=2", (["-l", "2"], ["-l", "2", "--seed", "3"]))]:
            self.work = self.temporary()
            old, new = self.folders(spec, *variants)
            result = self.judge(old, new)
            self.assertEqual(result["faults"]["loop"],
                             self.union_loops(old, new))
            self.assertEqual(result["faults"]["only_mixed"],
                             result["faults"]["pairs"])

    def test_the_same_is_safe(self):
        (folder,) = self.folders("sf:q=4", ["-l", "2"])
        result = self.judge(folder, folder)
        self.assertTrue(result["safe"] and result["free"])
        self.assertEqual(result["n_changed_entries"], 0)
        self.assertEqual(result["steps"]["n_steps"], 0)
        text = slimfly("audit", folder, folder).stdout
        self.assertIn("SAFE IN EVERY MIXTURE", text)
        self.assertIn("nothing changes", text)

    def test_text_names_old_and_new(self):
        old, new = self.folders("sf:q=5", ["-l", "4"],
                                ["-l", "4", "-s", "gates:for=split"])
        text = slimfly("audit", old, new, "--all-on-sl", "1")
        self.assertEqual(text.returncode, 1)
        self.assertIn("WRONG a mixture can deadlock with all on SL 1",
                      text.stdout)
        self.assertRegex(text.stdout, r"port \d+ \(new\) VL \d+")
        self.assertRegex(text.stdout, r"port \d+ \(old\) VL \d+")
        self.assertRegex(text.stdout, r"safe in every mixture in \d steps")
        steps = self.judge(old, new)["steps"]
        self.assertTrue(steps["safe"])
        self.assertGreater(steps["n_steps"], 1)

    def test_route_says_it(self):
        work = self.folder()
        with open(f"{work}/jobs", "w", encoding="utf-8") as file:
            file.write("a all-to-all node[0000-0031]\n")
        old, new = self.folders("sf:q=5", ["-l", "4"],
                                ["-l", "4", "--jobs", f"{work}/jobs"])
        with open(f"{new}/route.json", encoding="utf-8") as file:
            change = json.load(file)["change"]
        result = self.judge(old, new)
        self.assertEqual(change["steps"], result["steps"])
        for key in "safe", "free", "n_changed_entries":
            self.assertEqual(change[key], result[key])
        with open(f"{old}/route.json", encoding="utf-8") as file:
            self.assertEqual(json.load(file)["change"], None)
        done = self.succeeds("route", "sf:q=5", "--previous", new, "-o",
                             f"{work}/back")
        self.assertRegex(done, "while tables are changed from those of before:"
                         r".*safe in every mixture in \d step")

    def test_documented_members_are_there(self):
        (folder,) = self.folders("sf:q=3", ["-l", "1"])
        with open(f"{harness.ROOT}/doc/formats.md", encoding="utf-8") as doc:
            text = doc.read().split("## Change of tables, JSON")[1]
        rows = re.findall(r"^\| `(\w+)` \|", text.split("\n## ")[0], re.M)
        self.assertEqual(sorted(rows), sorted(self.judge(folder, folder)))


class BadInput(Changed):
    def test_what_does_not_fit_is_refused(self):
        a, b = self.folders("sf:q=3", ["-l", "1"], ["-l", "2"])
        self.fails("audit", a, b, says="expected tables of one subnet")
        self.succeeds("route", "hx2:size=3x3", "-l", "1", "-o",
                      f"{self.work}/h")
        self.assertTrue(os.path.isdir(f"{self.work}/h"))
        self.fails("audit", a, f"{self.work}/h", says="subnet")
        self.fails("audit", a, "--change", says="found 1 words")
        self.fails("audit", a, "sf:q=3", "--change",
                   says="expected a folder with tables")
        self.fails("audit", a, a, "--save", f"{self.work}/s",
                   says="--save does not go with old and new tables")


if __name__ == "__main__":
    harness.main()
