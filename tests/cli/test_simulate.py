"""What 'slimfly simulate' says of workloads: its JSON in the promised form,
results that are known beforehand, the same bytes for any number of threads,
runs that go on where they were interrupted, and input that cannot be."""
import csv
import glob
import io
import json
import os
import re
import signal
import subprocess
import tempfile
import time
import xml.etree.ElementTree

import harness
from harness import slimfly

# Every member that each row has, and its types; None stands for null.
ROW = {
    "network": str, "routing": str, "layers": int, "lanes": str, "vls": int,
    "workload": str, "nodes": int, "placement": str, "select": str,
    "seed": int, "model": str, "queues": (str, type(None)),
    "buffer_bytes": (int, type(None)), "net": str, "finished": bool,
    "deadlock": (dict, type(None)), "time_s": float,
    "throughput": float, "eager_bytes": (int, type(None)),
    "rate": (dict, type(None)), "latency_s": (dict, type(None)),
    "packets": (int, type(None)), "switch_hops": (int, type(None)),
    "wall_s": (float, int, type(None)),
}
FAMILIES = ["sf:q=5", "sf:q=4", "ft2:ports=12", "ft2b:ports=12,over=3",
            "ft3:ports=4", "hx2:4x4,p=2", "df:a=4,h=2",
            "xpander:k=5,lift=4", "jellyfish:n=20,k=5", "pf:q=3"]


def without_walls(text):
    """The JSON of a run without how long it took."""
    document = json.loads(text)
    for row in document["rows"]:
        del row["wall_s"]
    del document["command"]
    return document


class Simulate(harness.Case):

    def rows(self, *args):
        done = slimfly("simulate", *args, "--format", "json")
        self.assertEqual((done.returncode, done.stderr), (0, ""), args)
        return json.loads(done.stdout)["rows"]

    def row(self, *args):
        (row,) = self.rows(*args)
        return row


class Workloads(Simulate):
    """What --list names runs, and is a program."""

    def test_list(self):
        done = slimfly("simulate", "--list")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for name in ("allreduce", "ebb", "goal", "gpt3", "permutation"):
            self.assertIn(f"\n  {name}\n", done.stdout)
        self.assertEqual(slimfly("simulate", "--list", "sf:q=3").returncode, 2)

    def test_goal_takes_as_long(self):
        """Whatever the family, a workload and its program are one."""
        for family, workload in zip(FAMILIES, (
                "allreduce", "alltoall:size=4K", "bcast:rules=ompi-1.10",
                "stencil:iterations=3,compute=20", "allgather:size=1K",
                "reduce-scatter", "barrier", "incast", "cosmoflow",
                "hpl:n=600")):
            with tempfile.TemporaryDirectory() as folder:
                path = f"{folder}/a.goal"
                rest = ("--model", "flow", "--nodes", "8", "--schemes",
                        "minimal", "--layers", "1", "--size", "20K")
                done = slimfly("simulate", family, "-w", workload, *rest,
                               "--goal", path)
                self.assertEqual((done.returncode, done.stdout, done.stderr),
                                 (0, "", ""), workload)
                first = self.row(family, "-w", workload, *rest)
                again = self.row(family, "-w", f"goal:{path}", *rest)
                self.assertAlmostEqual(again["time_s"], first["time_s"],
                                       delta=1e-3 * first["time_s"])
                self.assertIsNone(again["size_bytes"])

    def test_goal_refuses(self):
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/a.goal"
            with open(path, "w", encoding="utf-8") as file:
                file.write("num_ranks 2\nrank 0 {\nsend 5b to 9\n}\n")
            done = slimfly("simulate", "sf:q=3", "-w", f"goal:{path}")
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"{path}:3: expected a rank from 0 to 1, found '9'",
                          done.stderr)
            done = slimfly("simulate", "sf:q=3", "-w", f"goal:{path}",
                           "--goal", f"{folder}/b.goal")
            self.assertEqual(done.returncode, 2)
            self.assertEqual(os.listdir(folder), ["a.goal"])
            done = slimfly("simulate", "sf:q=3", "-w", f"goal:{path}", "-n",
                           "3")
            self.assertIn("which has 2 ranks: expected as many", done.stderr)

    # Programs with a circle, and the lines of what is in it.
    CIRCLES = (
        # Two computations.
        ("num_ranks 2\nrank 0 {\ncalc 9\na: calc 5\nb: calc 5\n"
         "a requires b\nb requires a\n}\nrank 1 {\n}\n", (4, 5)),
        # Behind the circle: a send, and its receive.
        ("num_ranks 2\nrank 0 {\na: calc 5; b: calc 5\na requires b\n"
         "b irequires a\nc: send 8b to 1\nc requires a\n}\n"
         "rank 1 {\nrecv 8b from 0\n}\n", (3,)),
        # Both ranks receive before they send.
        ("num_ranks 2\nrank 0 {\na: recv 8b from 1\nb: send 8b to 1\n"
         "b requires a\n}\nrank 1 {\na: recv 8b from 0\n"
         "b: send 8b to 0\nb requires a\n}\n", (3, 4, 8, 9)),
        # Nothing but receives.
        ("num_ranks 2\nrank 1 {\ncalc 1\na: recv 8b from 0\n"
         "b: recv 8b from 0 tag 1\na requires b\nb requires a\n}\n"
         "rank 0 {\nsend 8b to 1\nsend 8b to 1 tag 1\n}\n", (4, 5)),
        # Receives that wait for each other's start.
        ("num_ranks 2\nrank 0 {\nsend 8b to 1\nsend 8b to 1 tag 1\n}\n"
         "rank 1 {\na: recv 8b from 0\nb: recv 8b from 0 tag 1\n"
         "a irequires b\nb irequires a\n}\n", (7, 8)),
    )

    def test_goal_names_a_line_of_a_circle(self):
        """A circle was told by a number of a message, without a line."""
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/a.goal"
            for text, lines in self.CIRCLES:
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
                for work in (f"goal:{path}", f"allreduce+goal:{path}"):
                    done = slimfly("simulate", "sf:q=3", "-w", work)
                    self.assertEqual(done.returncode, 2)
                    found = re.search(rf"{path}:(\d+): this operation waits "
                                      "for others that wait for it\n$",
                                      done.stderr)
                    self.assertTrue(found, done.stderr)
                    self.assertIn(int(found[1]), lines, text)

    def test_victim(self):
        """A job beside others takes as long as alone, or longer."""
        rest = ("--model", "flow", "-n", "8", "-p", "random")
        alone = self.row("ft2:ports=12", "-w", "allreduce", *rest)
        both = self.row("ft2:ports=12", "-w", "allreduce+incast", *rest)
        self.assertGreaterEqual(both["jobs"][0]["time_s"],
                                0.999 * alone["time_s"])


class Form(Simulate):

    def test_json_has_the_promised_members(self):
        for extra in ([], ["--model", "flow"], ["--timing", "exact"],
                      ["--load", "0.2"]):
            done = slimfly("simulate", "sf:q=4", "-w", "permutation", *extra,
                           "--format", "json",
                           *([] if "--load" in extra else ["--size", "8K"]))
            document = json.loads(done.stdout)
            self.assertEqual(document["schema"], "slimfly.simulation")
            self.assertEqual(document["schema_version"], 1)
            self.assertIn("slimfly simulate sf:q=4", document["command"])
            (row,) = document["rows"]
            for name, kind in ROW.items():
                self.assertIsInstance(row[name], kind, name)
            self.assertEqual(set(row["rate"]) & {"mean", "min", "p1", "p50",
                                                 "p99"},
                             {"mean", "min", "p1", "p50", "p99"})
            if "flow" in extra:
                self.assertIsNone(row["packets"])
                self.assertIsNone(row["latency_s"])
            else:
                for name in "mean", "p50", "p99", "max":
                    self.assertGreater(row["latency_s"][name], 0)
                self.assertGreater(row["switch_hops"], row["packets"])

    def test_csv_and_files(self):
        with tempfile.TemporaryDirectory() as folder:
            self.succeeds("simulate", "sf:q=4", "-w", "permutation,ebb",
                          "--size", "16K", "--select", "first,stripe",
                          "-o", folder)
            with open(os.path.join(folder, "simulation.csv"),
                      encoding="utf-8") as stream:
                rows = list(csv.DictReader(stream))
            self.assertEqual(len(rows), 4)
            self.assertEqual([row["select"] for row in rows],
                             ["first", "stripe"] * 2)
            names = os.listdir(folder)
            self.assertIn("simulation.json", names)
            self.assertIn("links.csv", names)
            svgs = [name for name in names if name.endswith(".svg")]
            self.assertTrue(svgs)
            for name in svgs:
                xml.etree.ElementTree.parse(os.path.join(folder, name))
        text = self.succeeds("simulate", "sf:q=4", "--size", "16K",
                             "--format", "csv")
        (row,) = csv.DictReader(io.StringIO(text))
        self.assertEqual(row["network"], "sf:q=4")

    def test_the_same_bytes_on_any_number_of_threads(self):
        args = ["simulate", "sf:q=4", "-w", "permutation,ebb:matchings=5",
                "--select", "stripe,adaptive,random", "--size", "16K",
                "--format", "json", "--nodes", "20"]
        one = without_walls(slimfly(*args, "--threads", "1").stdout)
        four = without_walls(slimfly(*args, "--threads", "4").stdout)
        self.assertEqual(one, four)

    def test_text_states_queues_lanes_and_buffers(self):
        text = self.succeeds("simulate", "sf:q=4", "--size", "16K")
        for word in "voq", "VL", "buffer":
            self.assertIn(word, text)


class Known(Simulate):

    def test_two_hosts_get_the_whole_link(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "two.csv")
            with open(path, "w", encoding="utf-8") as stream:
                stream.write("node0000,node0100,1\n")
            for model in "flow", "packet":
                row = self.row("sf:q=5", "-w", f"file:{path}", "--size", "4M",
                               "--model", model)
                self.assertAlmostEqual(row["rate"]["mean"], 1, delta=0.02)

    def test_four_hosts_of_a_switch_share_one_link(self):
        # All hosts of a switch to those of another: minimal paths have one
        # link for all four.
        for model in "flow", "packet":
            row = self.row("sf:q=5", "-w", "switch-permutation:distance=2",
                           "--schemes", "minimal", "--layers", "1",
                           "--size", "1M", "--model", model)
            self.assertLessEqual(row["rate"]["p50"], 0.27)

    def test_packet_and_flow_models_agree_on_single_paths(self):
        for spec in FAMILIES:
            with self.subTest(spec=spec):
                means = {}
                for model in "flow", "packet":
                    row = self.row(spec, "-w", "all-to-all", "--layers", "1",
                                   "--schemes", "minimal", "--size", "64K",
                                   "--model", model, "--nodes", "12",
                                   "--max-vls", "8")
                    means[model] = row["time_s"]
                self.assertAlmostEqual(means["packet"] / means["flow"], 1,
                                       delta=0.15)

    def test_every_family_runs_in_every_model(self):
        for spec in FAMILIES:
            with self.subTest(spec=spec):
                for extra in (["--model", "flow,packet"],
                              ["--timing", "exact"], ["--queues", "fifo"]):
                    for row in self.rows(spec, "-w", "permutation", "--size",
                                         "32K", "--select", "stripe,adaptive",
                                         *extra):
                        self.assertTrue(row["finished"])
                        self.assertGreater(row["rate"]["min"], 0)
                        self.assertLessEqual(row["rate"]["mean"], 1.001)

    def test_one_flow_is_not_too_much(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "one.csv")
            with open(path, "w", encoding="utf-8") as stream:
                stream.write("node0000,node0100,1\n")
            for row in self.rows("sf:q=5", "-w", f"file:{path}", "--load",
                                 "0.001,0.3,1"):
                load = row["offered_load"]
                self.assertTrue(row["finished"])
                self.assertFalse(row["saturated"])
                self.assertEqual(row["rate"]["n"], 1)
                self.assertAlmostEqual(row["throughput"] / load, 1,
                                       delta=0.5 if load < 0.01 else 0.05)

    def test_throughput_of_all_to_all(self):
        # Four hosts of one switch: their links are busy all the time.
        row = self.row("ft2:leaf=2,core=1,up=4,p=4", "-w", "all-to-all",
                       "--nodes", "4", "--size", "1M", "--model", "flow")
        self.assertAlmostEqual(row["throughput"], 1, delta=0.005)
        self.assertAlmostEqual(row["rate"]["mean"], 1 / 3, delta=0.001)

    def test_latency_grows_with_load(self):
        rows = self.rows("sf:q=5", "-w", "permutation", "--load", "0.1,0.3")
        first, second = (row["latency_s"]["mean"] for row in rows)
        self.assertLess(first, second)
        self.assertTrue(rows[0]["finished"])
        self.assertAlmostEqual(rows[0]["rate"]["mean"], 0.1, delta=0.01)

    def test_a_load_that_is_too_high_is_said(self):
        (row,) = self.rows("sf:q=5", "-w", "switch-permutation:distance=2",
                           "--load", "1", "--schemes", "minimal")
        self.assertFalse(row["finished"])
        self.assertLess(row["rate"]["mean"], 0.6)

    def test_tables_and_schemes_give_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            self.succeeds("route", "sf:q=4", "-o", folder)
            args = ["-w", "permutation", "--size", "64K", "--select",
                    "stripe,adaptive"]
            tables = self.rows(folder, *args)
            made = self.rows("sf:q=4", *args)
            for one, other in zip(tables, made):
                self.assertEqual(one["rate"], other["rate"])
                self.assertEqual(one["time_s"], other["time_s"])

    def test_programs_are_not_read_from_pipes(self):
        """They are read twice."""
        with tempfile.TemporaryDirectory() as folder:
            pipe = os.path.join(folder, "pipe")
            os.mkfifo(pipe)
            for name in pipe, "-":
                self.fails("simulate", "sf:q=3", "-w", f"goal:{name}",
                           says=f"goal:{name}: expected the name of a file; "
                                "a program is read more than once")

    def test_two_jobs_at_once(self):
        words = ["sf:q=5", "-w", "all-to-all:size=16K+permutation", "--nodes",
                 "16+64", "--placement", "random", "--size", "16K"]
        row = self.row(*words)
        self.assertEqual(row["nodes"], 80)
        self.assertEqual([job["nodes"] for job in row["jobs"]], [16, 64])
        self.assertEqual([job["workload"] for job in row["jobs"]],
                         ["all-to-all:size=16K", "permutation"])
        text = self.succeeds("simulate", *words)
        self.assertRegex(text, r"\n  1: all-to-all:size=16K, 16 nodes, .*"
                               r"\n  2: permutation, 64 nodes, ")

    def test_placements(self):
        rows = self.rows("sf:q=5", "-w", "ebb:matchings=10", "--nodes", "16",
                         "--placement", "racks,switches,random", "--size",
                         "64K")
        self.assertEqual([row["placement"] for row in rows],
                         ["racks", "switches", "random"])
        self.assertGreater(rows[2]["rate"]["mean"], rows[0]["rate"]["mean"])


class ForJobs(Simulate):

    def test_a_job_on_two_switches_gets_all(self):
        # 4 hosts on each of two adjacent switches: 16 of 7 x 8 pairs in each
        # direction of one link, where shares are equal.  Detours have the
        # rest of it.
        args = ["sf:q=5", "-w", "all-to-all", "-n", "8", "--size", "4M",
                "--model", "flow"]
        row = self.row(*args)
        self.assertIsNone(row["routes_for"])
        self.assertIsNone(row["job_shares"])
        self.assertAlmostEqual(row["throughput"], 7 / 16, delta=0.002)
        row = self.row(*args, "--for-jobs")
        self.assertEqual(row["routes_for"], "jobs")
        self.assertAlmostEqual(row["job_shares"]["before"], 7 / 16)
        self.assertEqual(row["job_shares"]["after"], 1)
        self.assertAlmostEqual(row["throughput"], 1, delta=0.002)

    def test_packets_get_what_is_asked_for(self):
        rows = self.rows("sf:q=5", "-w", "all-to-all", "-n", "8,32", "--size",
                         "128K", "--select", "sender", "--for-jobs")
        for row in rows:
            self.assertGreaterEqual(row["throughput"], 0.95)
        rows = self.rows("sf:q=5", "-w", "ebb:matchings=10", "-n", "16,32",
                         "--size", "512K", "--for-jobs")
        for row, least in zip(rows, (0.9, 0.85)):
            self.assertGreaterEqual(row["rate"]["mean"], least)

    def test_the_same_as_tables_of_route(self):
        with tempfile.TemporaryDirectory() as folder:
            jobs = os.path.join(folder, "jobs")
            tables = os.path.join(folder, "tables")
            with open(jobs, "w", encoding="utf-8") as stream:
                stream.write("a unknown node[0000-0015]\n"
                             "b unknown node[0016-0031]\n")
            self.succeeds("route", "sf:q=5", "--jobs", jobs, "-o", tables)
            args = ["-w", "all-to-all+permutation", "-n", "16+16", "--size",
                    "64K"]
            (made,) = self.rows("sf:q=5", *args, "--for-jobs")
            (read,) = self.rows(tables, *args)
            for name in "rate", "time_s", "link_loads":
                self.assertEqual(made[name], read[name], name)
            self.fails("simulate", tables, *args, "--for-jobs",
                       says="without tables")

    def test_every_family(self):
        for spec in FAMILIES:
            with self.subTest(spec=spec):
                for row in self.rows(spec, "-w", "all-to-all+all-to-all",
                                     "-n", "4+6", "-p", "switches,random",
                                     "--size", "64K", "--for-jobs"):
                    shares = row["job_shares"]
                    self.assertGreaterEqual(shares["after"], shares["before"])
                    self.assertTrue(row["finished"])

    def test_it_is_a_measurement_of_its_own(self):
        with tempfile.TemporaryDirectory() as folder:
            args = ["sf:q=5", "-w", "all-to-all", "-n", "8", "--size", "16K",
                    "-o", folder]
            plain = self.row(*args)
            fitted = self.row(*args, "--for-jobs")
            self.assertLess(fitted["time_s"], plain["time_s"])
            kept = os.path.join(folder, "measured")
            self.assertEqual(len(glob.glob(f"{kept}/*")), 2)
            self.assertEqual(self.row(*args, "--for-jobs")["time_s"],
                             fitted["time_s"])
            self.assertEqual(self.row(*args)["time_s"], plain["time_s"])
            self.assertEqual(len(glob.glob(f"{kept}/*")), 2)


class Deadlock(Simulate):

    def test_layers_without_lanes_stop(self):
        done = slimfly("simulate", "sf:q=5", "-w", "all-to-all", "--size",
                       "64K", "--without-lanes", "--buffer", "5K",
                       "--format", "json")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        (row,) = json.loads(done.stdout)["rows"]
        self.assertFalse(row["finished"])
        self.assertGreater(row["deadlock"]["at_s"], 0)
        channels = row["deadlock"]["channels"]
        self.assertGreaterEqual(len(channels), 3)
        for channel in channels:
            self.assertTrue(channel["switch"].startswith("sf-"))
            self.assertEqual(channel["vl"], 0)
            self.assertGreater(channel["port"], 0)
        done = slimfly("simulate", "sf:q=5", "-w", "all-to-all", "--size",
                       "64K", "--without-lanes", "--buffer", "5K")
        self.assertEqual(done.returncode, 1)
        self.assertIn("wait", done.stdout)
        self.assertIn(channels[0]["switch"], done.stdout)

    def test_a_load_tells_what_was_until_then(self):
        done = slimfly("simulate", "sf:q=5", "-w", "permutation", "--load",
                       "1", "--without-lanes", "--buffer", "5K", "--format",
                       "json")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        (row,) = json.loads(done.stdout)["rows"]
        self.assertFalse(row["finished"] or row["saturated"])
        self.assertAlmostEqual(row["time_s"] / row["deadlock"]["at_s"], 1)
        self.assertEqual(row["packets"], row["latency_s"]["n"])
        for name in "packets", "switch_hops", "throughput":
            self.assertGreater(row[name], 0)
        self.assertGreater(row["rate"]["mean"], 0)
        self.assertGreater(row["link_loads"]["load_mean"], 0)

    def test_with_lanes_they_do_not(self):
        self.succeeds("simulate", "sf:q=5", "-w", "all-to-all", "--size",
                      "64K", "--buffer", "40K")


class Kept(Simulate):

    def test_a_second_run_is_kept_and_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            args = ["simulate", "sf:q=4", "-w", "ebb,permutation", "--size",
                    "16K", "-o", folder, "--format", "json"]
            first = without_walls(slimfly(*args).stdout)
            kept = os.path.join(folder, "measured")
            self.assertEqual(len(glob.glob(f"{kept}/*")), 2)
            second = without_walls(slimfly(*args).stdout)
            self.assertEqual(first, second)
            # A file that is damaged is as good as none.
            for name in os.listdir(kept):
                with open(os.path.join(kept, name), "w",
                          encoding="utf-8") as stream:
                    stream.write("{")
            self.assertEqual(without_walls(slimfly(*args).stdout), first)

    def test_an_interrupted_sweep_goes_on(self):
        with tempfile.TemporaryDirectory() as folder:
            args = [harness.PROGRAM, "simulate", "sf:q=5", "-w",
                    "ebb:matchings=40", "--nodes", "20,40,60,80,100,120,140",
                    "-o", folder, "--threads", "1"]
            kept = os.path.join(folder, "measured")
            process = subprocess.Popen(args, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            while process.poll() is None and not (
                    glob.glob(f"{kept}/*.json")):
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            self.assertIn(process.wait(harness.PATIENCE), (0, -signal.SIGINT))
            before = {name: os.stat(os.path.join(kept, name)).st_mtime_ns
                      for name in os.listdir(kept)
                      if name.endswith(".json")}
            self.succeeds(*args[1:])
            for name, changed in before.items():
                self.assertEqual(
                    os.stat(os.path.join(kept, name)).st_mtime_ns, changed)


class Bad(Simulate):

    def test_options(self):
        for args, says in [
                (["-w", "nothing"], "nothing"),
                (["-w", "ebb:matchings=0"], "matchings"),
                (["--load", "0"], "--load"),
                (["--load", "1.5"], "--load"),
                (["--load", "0.5..0.1"], "--load"),
                (["--load", "0.1..1/inf"], "--load"),
                (["--load", "x"], "--load"),
                (["--size", "0"], "--size"),
                (["--size", "1M", "--load", "0.5"], "found both"),
                (["-w", "permutation:size=4K", "--load", "0.5"],
                 "permutation:size=4K"),
                (["-w", "ebb,all-to-all+permutation:size=4K", "--load",
                  "0.5"], "found both"),
                (["-m", "flow", "--timing", "exact"], "--timing: it is for"),
                (["-m", "flow", "--queues", "fifo"], "--queues: it is for"),
                (["-m", "flow", "--buffer", "64K"], "--buffer: it is for"),
                (["-m", "flow", "--window", "8"], "--window: it is for"),
                (["--eager", "8K", "--select", "first,random"],
                 "--eager: it is for --select stripe"),
                (["--eager", "8K", "--load", "0.5"], "--load"),
                (["--window", "8", "--load", "0.5"], "--load"),
                (["--overhead", "1", "--load", "0.5"], "--load"),
                (["-o", ""], "--output: expected the name of a folder"),
                (["--buffer", "x"], "--buffer"),
                (["--buffer", "100"], "no room for a packet"),
                (["--model", "flow", "--load", "0.5"], "packet model"),
                (["--nodes", "65"], "65"),
                (["--nodes", "1"], "1 node for permutation"),
                (["--nodes", "x"], "x"),
                (["--nodes", "10+10"], "10+10"),
                (["-w", "ebb+ebb", "--nodes", "40+40"], "80 nodes in 2 jobs"),
                (["--placement", "nowhere"], "nowhere"),
                (["--placement", "file:/no/such/file"], "/no/such/file"),
                (["--select", "best"], "--select"),
                (["--net", "qdr"], "--net"),
                (["--queues", "lifo"], "--queues"),
                (["--compare", "sf:q=6"], "q = 6"),
                (["--lanes", "turns", "--without-lanes"], "found both")]:
            with self.subTest(args=args):
                self.fails("simulate", "sf:q=4,p=2", *args, says=says)

    def test_options_that_matter_for_some_runs(self):
        for args in (["-m", "flow,packet", "--queues", "fifo"],
                     ["--select", "first,stripe", "--eager", "8K"],
                     ["-m", "flow", "--eager", "8K", "--overhead", "1"]):
            self.assertEqual(len(self.rows("sf:q=4,p=2", "--size", "8K",
                                           *args)),
                             1 if "--overhead" in args else 2)

    def test_placements_from_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "hosts")
            for text, says in [("node0000\nnode9999\n", "hosts:2: "),
                               ("node0000\nnode0000\n", "hosts:2: "),
                               ("node0000\n", "2")]:
                with open(path, "w", encoding="utf-8") as stream:
                    stream.write(text)
                with self.subTest(text=text):
                    self.fails("simulate", "sf:q=4", "--nodes", "2",
                               "--placement", f"file:{path}", says=says)
            with open(path, "w", encoding="utf-8") as stream:
                stream.write("# first\nnode0003\n\nnode0009\n")
            for nodes in ["--nodes", "2"], []:
                row = self.row("sf:q=4", *nodes, "--placement",
                               f"file:{path}")
                self.assertEqual(row["nodes"], 2)

    def test_a_placement_without_hosts(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "hosts")
            for text in "", "# none\n\n":
                with open(path, "w", encoding="utf-8") as stream:
                    stream.write(text)
                self.fails("simulate", "sf:q=3", "--placement",
                           f"file:{path}", says="hosts: expected names of "
                           "hosts, one a line, found none")

    def test_links_of_other_rates(self):
        with tempfile.TemporaryDirectory() as folder:
            self.succeeds("route", "sf:q=3", "-o", folder)
            path = os.path.join(folder, "fabric.ibnetdiscover")
            with open(path, encoding="utf-8") as stream:
                fabric = stream.read()
            for text, says in [
                    (fabric.replace("4xEDR", "4xQDR"), "links of 4xQDR"),
                    (fabric.replace("4xEDR", "4xFDR", 2),
                     "links of 4xFDR and of 4xEDR")]:
                with open(path, "w", encoding="utf-8") as stream:
                    stream.write(text)
                self.fails("simulate", folder, says=says)
                row = self.row(folder, "--net", "hdr", "--size", "4K")
                self.assertEqual(row["net"], "hdr")
            with open(path, "w", encoding="utf-8") as stream:
                stream.write(fabric.replace("4xEDR", "4xFDR"))
            self.assertEqual(self.row(folder, "--size", "4K")["net"], "fdr")

    def test_what_cannot_be_is_refused_before_it_is_routed(self):
        for args, says in [(["-w", "all-to-all"], "564038750 messages"),
                           (["-w", "ebb", "-n", "8,99999"], "99999 nodes"),
                           (["-w", "ebb,nothing"], "'nothing'")]:
            self.fails("simulate", "sf:q=25", *args, says=says)

    def test_words(self):
        self.fails("simulate", says="expected a fabric")
        self.fails("simulate", "sf:q=4", "/no/such", says="/no/such")
        self.fails("simulate", "sf:q=4", "a", "b", says="3 words")


if __name__ == "__main__":
    harness.main()
