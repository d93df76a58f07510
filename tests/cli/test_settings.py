"""What 'slimfly settings' promises: files that OpenSM, Slurm, UCX and Open MPI
themselves accept, and warnings where lanes depend on what a library does not
do."""
import getpass
import itertools
import json
import os
import re
import signal
import socket
import subprocess
import tempfile
import time

import yaml

import harness

FILES = ["opensm.conf", "slimfly.conf", "ucx.env",
         "openmpi-mca-params.conf", "openib-mca-params.conf", "mvapich2.env",
         "nccl.env", "job-alltoall.env", "job-small.env", "job-pairs.env",
         "job-switches.env", "topology.conf", "topology.yaml",
         "slurm-jobs.conf",
         "hostfile.linear", "hostfile.random", "hostfile.spread"]
JOB_FILES = [name for name in FILES if name.startswith("job-")]
PATH = os.environ["PATH"] + ":/usr/sbin"
# Lane schemes, and whether they protect only if every path has its SL.
LANES = {"turns": False, "hops": True, "dfsssp": True, "none": False}
TREES = ("single", "untangle")


def values(text, separator="="):
    """The settings in a file: all that is not a comment."""
    lines = [line for line in text.splitlines()
             if line and not line.startswith("#")]
    return dict(re.split(rf"\s*{separator}\s*", line, maxsplit=1)
                for line in lines)


def unfold(hostlist):
    """The names of a hostlist, by Slurm itself."""
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as conf:
        conf.write("ClusterName=test\nSlurmctldHost=localhost\n")
        conf.flush()
        done = subprocess.run(
            ["scontrol", "show", "hostnames", hostlist], check=True,
            env={**os.environ, "SLURM_CONF": conf.name},
            capture_output=True, text=True, timeout=harness.PATIENCE)
    return done.stdout.split()


class Settings(harness.Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def files(self, *args):
        """The files by name, as JSON has them."""
        told = json.loads(self.succeeds("settings", *args, "-f", "json"))
        return {file["name"]: file["text"] for file in told["files"]}

    def routed(self, *args):
        """A folder with tables, for which there is a file more."""
        self.succeeds("route", "sf:q=3", "-o", f"{self.folder}/tables", *args)
        return f"{self.folder}/tables"

    def lanes(self):
        """The lane schemes that there are, but for those of trees."""
        done = harness.slimfly("settings", "sf:q=3", "--lanes", "?")
        names = re.search("expected one of (.*)", done.stderr)[1].split(", ")
        return [name for name in names if name not in TREES]

    def write(self, name, text):
        path = f"{self.folder}/{name}"
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path


class Files(Settings):
    def test_jobs_are_for_plugin_and_slurm(self):
        silent = self.files("sf:q=3", "--only", "opensm,slurm")
        self.assertIn("\n# jobs = /var/lib/slimfly/jobs\n",
                      silent["slimfly.conf"])
        told = self.files("sf:q=3", "--only", "opensm,slurm", "--jobs",
                          f"{self.folder}/jobs")
        self.assertIn(f"\njobs = {self.folder}/jobs\n", told["slimfly.conf"])
        self.assertIn(f"\n#   {self.folder}/jobs\n", told["slurm-jobs.conf"])
        for name in "Prolog", "Epilog":
            self.assertRegex(told["slurm-jobs.conf"],
                             rf"(?m)^{name}Slurmctld=/\S+/slimfly/slurm-"
                             f"{name.lower()}$")
        self.fails("settings", "sf:q=3", "--only", "opensm", "--jobs",
                   f"{self.folder}/a b", says="a b")

    def test_all_are_written_and_named(self):
        done = self.succeeds("settings", "sf:q=5", "-o", f"{self.folder}/a/b")
        self.assertEqual(sorted(os.listdir(f"{self.folder}/a/b")),
                         sorted(FILES))
        for name in FILES:
            self.assertIn(f"\n  {name} ", done)

    def test_the_same_on_the_terminal_in_json_and_in_files(self):
        self.succeeds("settings", "sf:q=3", "-o", f"{self.folder}/x")
        texts = self.files("sf:q=3", "-o", f"{self.folder}/y")
        self.assertEqual(list(texts), FILES)
        shown = self.succeeds("settings", "sf:q=3")
        for name in FILES:
            with open(f"{self.folder}/x/{name}", encoding="utf-8") as file:
                text = file.read()
            self.assertEqual(text.replace(f"{self.folder}/x", "?"),
                             texts[name].replace(f"{self.folder}/y", "?"))
            head = "".join(text.splitlines(keepends=True)[:60])
            head = head.replace(f"{self.folder}/x/slimfly-status",
                                "/var/log/slimfly-status")
            head = head.replace(f"{self.folder}/x/slimfly-base",
                                "/var/cache/opensm/slimfly-base")
            self.assertIn(head.replace(f"{self.folder}/x", "/etc/opensm"),
                          shown)

    def test_routing_options_are_those_of_route(self):
        """Options say the same as the route.json of a run with them."""
        args = ["--scheme", "minimal", "--layers", "2", "--max-hops", "4",
                "--max-vls", "5", "--max-sls", "3", "--seed", "7"]
        own = self.files("sf:q=3", *args)["slimfly.conf"]
        for line in "scheme = minimal", "layers = 2", "max_hops = 4", \
                "max_vls = 5", "max_sls = 3", "seed = 7":
            self.assertIn(f"\n{line}\n", own)
        routed = self.files(self.routed(*args))["slimfly.conf"]
        self.assertEqual(own, routed)
        # They go before what a route.json says.
        other = self.files(f"{self.folder}/tables", "--scheme", "gates",
                           "--max-hops", "3")["slimfly.conf"]
        self.assertEqual(other, own.replace("scheme = minimal",
                                            "scheme = gates")
                         .replace("max_hops = 4", "max_hops = 3"))

    def test_files_of_others_stay(self):
        self.succeeds("settings", "sf:q=3", "-o", self.folder)
        # Its own are replaced, hostfiles of other hosts included.
        self.succeeds("settings", "sf:q=5", "-o", self.folder)
        with open(f"{self.folder}/opensm.conf", encoding="utf-8") as file:
            ours = file.read()
        os.remove(f"{self.folder}/hostfile.random")
        others = {"opensm.conf": "# mine\n" + ours,
                  "ucx.env": "# Written by 'slimfly settings'",
                  "hostfile.linear": "node0000 slots=4\n"}
        for name, text in others.items():
            self.write(name, text)
        self.fails("settings", "sf:q=3", "-o", self.folder,
                   says="nothing was changed")
        done = harness.slimfly("settings", "sf:q=3", "-o", self.folder)
        self.assertEqual([name for name in FILES if f"/{name}" in done.stderr],
                         [name for name in FILES if name in others])
        self.assertNotIn("hostfile.random", os.listdir(self.folder))
        for name, text in others.items():
            with open(f"{self.folder}/{name}", encoding="utf-8") as file:
                self.assertEqual(file.read(), text)
        # Those that are not wanted do not matter, nor do empty ones.
        self.write("nccl.env", "")
        self.succeeds("settings", "sf:q=3", "-o", self.folder, "--only",
                      "slurm,nccl")
        self.succeeds("settings", "sf:q=5", "-o", self.folder, "--force")
        with open(f"{self.folder}/opensm.conf", encoding="utf-8") as file:
            self.assertEqual(file.read(), ours)

    def test_the_file_engine_needs_tables(self):
        self.assertNotIn("opensm-file.conf", self.files("sf:q=3"))
        self.fails("settings", "sf:q=3", "--only", "ucx,file",
                   says="make them with 'slimfly route FABRIC -o DIR'")
        text = self.files(self.routed(), "--only", "file")["opensm-file.conf"]
        self.assertTrue(os.path.isfile(values(text, " ")["lfts_file"]))

    def test_only_some(self):
        self.assertEqual(list(self.files("sf:q=3", "--only", "slurm,ucx")),
                         ["ucx.env", "topology.conf", "topology.yaml",
                          "slurm-jobs.conf"])
        self.succeeds("settings", "sf:q=3", "--only", "nccl", "-o",
                      self.folder)
        self.assertEqual(os.listdir(self.folder), ["nccl.env"])

    def test_the_same_every_time(self):
        first = self.files("sf:q=5", "--seed", "7")
        self.assertEqual(first, self.files("sf:q=5", "--seed", "7"))
        other = self.files("sf:q=5", "--seed", "8")
        # Figures differ with the routes.
        self.assertEqual([name for name in FILES
                          if first[name] != other[name]
                          and name not in JOB_FILES],
                         ["slimfly.conf", "hostfile.random"])

    def test_every_setting_has_its_reason(self):
        for text in list(self.files(self.routed()).values())[:12]:
            lines = text.splitlines()
            for i, line in enumerate(lines):
                if line and not line.startswith("#"):
                    above = lines[i - 1]
                    self.assertTrue(above.startswith("# ") or
                                    above == "pml = ob1", line)
                self.assertLessEqual(len(line), 79)

    def test_every_member_is_documented(self):
        with open(f"{harness.ROOT}/doc/formats.md", encoding="utf-8") as doc:
            section = doc.read().split("## Settings, JSON")[1]
        documented = {line.split("`")[1]
                      for line in section.split("\n## ")[0].splitlines()
                      if line.startswith("| `")}
        told = json.loads(self.succeeds("settings", "sf:q=3", "--lanes",
                                        "none", "-f", "json"))
        members = set(told)
        for name in "warnings", "advice", "files":
            for item in told[name]:
                members |= {f"{name}[].{key}" for key in item}
        members |= {f"advice[].measured[].{key}"
                    for key in told["advice"][0]["measured"][0]}
        self.assertEqual(members, documented)
        self.assertEqual((told["schema"], told["schema_version"]),
                         ("slimfly.settings", 1))


class Values(Settings):
    def test_layers(self):
        tables = self.routed()
        for layers, lmc, bits, rails in [(1, 0, "0", None), (2, 1, "0-1", 2),
                                         (3, 2, "0-2", 3), (4, 2, "0-3", 4),
                                         (8, 3, "0-7", 4)]:
            texts = self.files(tables, "--layers", str(layers))
            opensm = values(texts["opensm.conf"], " ")
            self.assertEqual(opensm["lmc"], str(lmc))
            self.assertEqual(values(texts["opensm-file.conf"], " ")["lmc"],
                             str(lmc))
            self.assertEqual(values(texts["slimfly.conf"])["layers"],
                             str(layers))
            ucx = values(texts["ucx.env"])
            self.assertEqual(ucx["UCX_IB_LID_PATH_BITS"], bits)
            self.assertEqual(ucx.get("UCX_MAX_RNDV_RAILS"),
                             rails and str(rails))
            mvapich = values(texts["mvapich2.env"])
            self.assertEqual(mvapich.get("MV2_NUM_QP_PER_PORT"),
                             rails and str(rails))
            self.assertEqual(mvapich.get("MV2_USE_HSAM"), rails and "1")

    def test_virtual_lanes(self):
        # As PortInfo counts them: 1, 2, 4, 8, 15.
        for vls, code in [(1, 1), (2, 2), (3, 3), (4, 3), (5, 4), (8, 4),
                          (9, 5), (15, 5)]:
            texts = self.files("sf:q=3", "--max-vls", str(vls))
            self.assertEqual(values(texts["opensm.conf"], " ")["max_op_vls"],
                             str(code))
            self.assertEqual(values(texts["slimfly.conf"])["max_vls"],
                             str(vls))
        texts = self.files("sf:q=3")
        self.assertEqual(values(texts["opensm.conf"], " ")["max_op_vls"], "4")
        self.assertEqual(values(texts["slimfly.conf"])["max_vls"], "8")

    def test_a_standby_takes_over_within_ten_seconds(self):
        told = {}
        for args in (), ("--standby",):
            opensm = values(self.files("sf:q=3", *args)["opensm.conf"], " ")
            told[args] = opensm
            # OpenSM asks at the end of each time-out, and once more than it
            # may.  The rest is for routing.
            self.assertLessEqual(
                int(opensm["sminfo_polling_timeout"])
                * (int(opensm["polling_retry_number"]) + 2), 5000)
            self.assertEqual(opensm["reassign_lids"], "FALSE")
            self.assertNotEqual(opensm["sweep_interval"], "0")
        leads, stands_by = told.values()
        self.assertGreater(int(leads.pop("sm_priority")),
                           int(stands_by.pop("sm_priority")))
        self.assertEqual(leads, stands_by)

    def test_what_route_says_holds(self):
        tables = f"{self.folder}/tables"
        self.succeeds("route", "sf:q=3", "-l", "2", "-s", "paper:min-hops=3",
                      "--seed", "9", "--lanes", "none", "--max-vls", "3",
                      "--path-sets", "3", "--max-hops", "4", "--max-sls", "2",
                      "-o", tables)
        texts = self.files(tables)
        told = values(texts["slimfly.conf"])
        self.assertEqual([told[key] for key in ("scheme", "layers", "seed",
                                                "lanes", "max_vls",
                                                "path_sets", "max_hops",
                                                "max_sls")],
                         ["paper:min-hops=3", "2", "9", "none", "3", "3", "4",
                          "2"])
        self.assertEqual(values(texts["opensm-file.conf"], " ")["lfts_file"],
                         f"{tables}/opensm-lfts.dump")
        # Unless an option says otherwise.
        texts = self.files(tables, "--lanes", "dfsssp", "--max-vls", "6",
                           "--layers", "4", "--seed", "3", "--path-sets",
                           "2", "--max-sls", "16")
        told = values(texts["slimfly.conf"])
        self.assertEqual([told[key] for key in ("scheme", "layers", "seed",
                                                "lanes", "max_vls",
                                                "path_sets")],
                         ["paper:min-hops=3", "4", "3", "dfsssp", "6", "2"])
        self.fails("settings", tables, "--lanes", "turns",
                   says='the scheme "paper" does not support')
        self.succeeds("route", "sf:q=3", "-s", "rues:0.8", "-o", tables)
        told = values(self.files(tables)["slimfly.conf"])
        self.assertEqual(told["scheme"], "rues:fraction=0.8")

    def test_warnings(self):
        tables = self.routed()
        stacks = {"ucx", "openmpi", "openib", "mvapich2", "nccl"}
        for lanes in self.lanes():
            parts = {"file"} | (stacks if LANES[lanes] else set())
            parts |= {"opensm"} if lanes == "none" else set()
            told = json.loads(self.succeeds("settings", tables, "--lanes",
                                            lanes, "-f", "json"))
            self.assertEqual({warning["part"]
                              for warning in told["warnings"]}, parts)
            for warning in told["warnings"]:
                start = " ".join(warning["text"].split()[:4])
                for file in told["files"]:
                    is_here = (file["part"] == warning["part"] and
                               file["name"] != "slimfly.conf")
                    joined = " ".join(re.sub(r"^#", "", file["text"],
                                             flags=re.M).split())
                    if is_here:
                        self.assertIn(f"WARNING: {warning['text']}.", joined)
                    elif file["part"] not in parts:
                        self.assertNotIn(start, joined)
            shown = self.succeeds("settings", "sf:q=3", "--lanes", lanes,
                                  "--only", "ucx")
            self.assertEqual("warning" in shown.split("====")[0],
                             LANES[lanes])

    def test_service_levels(self):
        cases = [("sf:q=3", lanes, LANES[lanes]) for lanes in self.lanes()]
        for spec, lanes, asks in cases + [("ft2:ports=4", lanes, False)
                                          for lanes in TREES]:
            texts = self.files(spec, "--lanes", lanes)
            openib = values(texts["openib-mca-params.conf"])
            mvapich = values(texts["mvapich2.env"])
            self.assertEqual(
                openib.get("btl_openib_ib_path_record_service_level"),
                "1" if asks else None)
            self.assertEqual(mvapich.get("MV2_PATH_SL_QUERY"),
                             "1" if asks else None)
            self.assertEqual(mvapich.get("MV2_DEFAULT_SERVICE_LEVEL"),
                             None if asks else "0")
            self.assertEqual(values(texts["nccl.env"]), {"NCCL_IB_SL": "0"})
            self.assertEqual(values(texts["ucx.env"])["UCX_IB_SL"], "0")


class Advice(Settings):
    """Which addresses a job should use, by what analyze measures."""

    def advice(self, *args):
        told = json.loads(self.succeeds("settings", *args, "--only",
                                        "addresses" if "--advise" not in args
                                        else "addresses,jobs", "-f", "json"))
        texts = {file["name"]: file["text"] for file in told["files"]}
        return {row["pattern"]: row for row in told["advice"]}, texts

    def test_the_first_for_all_to_all_and_all_for_pairs(self):
        rows, texts = self.advice("sf:q=5")
        self.assertEqual([row["n_addresses"] for row in rows.values()],
                         [1, 4, 4, 4])
        for pattern, expected in [
                ("all-to-all", ["0", "2", "1", "0", "1"]),
                ("switches", ["0-3", "4", "4", "1", "4"])]:
            env = values(texts[rows[pattern]["file"]])
            self.assertEqual([env[name] for name in (
                "UCX_IB_LID_PATH_BITS", "UCX_MAX_RNDV_RAILS",
                "OMPI_MCA_btl_openib_max_lmc", "MV2_USE_HSAM",
                "MV2_NUM_QP_PER_PORT")], expected)
        measured = {step["n_addresses"]: step["throughput"]
                    for step in rows["all-to-all"]["measured"]}
        self.assertEqual(list(measured), [1, 2, 4])
        self.assertAlmostEqual(measured[1], 199 / 208)

    def test_figures_are_those_of_analyze(self):
        for spec in "sf:q=5", "hx2:4x4", "df:a=4,h=2", "ft2:leaf=6,core=3":
            self.succeeds("route", spec, "-o", f"{self.folder}/tables")
            rows, _ = self.advice(f"{self.folder}/tables")
            told = json.loads(self.succeeds(
                "analyze", f"{self.folder}/tables", "-t", "all-to-all",
                "--split", "equal", "--references", "none", "-f", "json"))
            [row] = told["rows"]
            [found] = row["throughput"]
            self.assertAlmostEqual(
                rows["all-to-all"]["measured"][-1]["throughput"],
                found["mean"], places=6)

    def test_libraries_that_take_four_at_most(self):
        rows, texts = self.advice("sf:q=5", "--layers", "8")
        env = values(texts["job-switches.env"])
        self.assertEqual(rows["switches"]["n_addresses"], 8)
        self.assertEqual(rows["switches"]["n_few"], 4)
        self.assertEqual(env["UCX_IB_LID_PATH_BITS"], "0-3")
        self.assertEqual(env["OMPI_MCA_btl_openib_max_lmc"], "8")
        shown = self.succeeds("settings", "sf:q=5", "--layers", "8", "--only",
                              "addresses")
        self.assertIn("use  UCX  environment", shown)

    def test_routes_for_jobs_are_for_all_addresses(self):
        rows, texts = self.advice("sf:q=5", "--jobs", "/var/lib/slimfly/jobs")
        self.assertEqual([row["n_addresses"] for row in rows.values()],
                         [4, 4, 4, 4])
        text = texts["job-alltoall.env"]
        self.assertEqual(values(text)["UCX_IB_LID_PATH_BITS"], "0-3")
        self.assertIn("# These are routes without jobs. OpenSM makes", text)

    def test_jobs_that_tables_were_made_for(self):
        jobs = self.write("jobs.txt", "a all-to-all node[0000-0031]\n")
        self.succeeds("route", "sf:q=5", "--jobs", jobs, "-o",
                      f"{self.folder}/tables")
        self.succeeds("route", "sf:q=5", "-o", f"{self.folder}/plain")
        speeds = {}
        for name in "tables", "plain":
            rows, texts = self.advice(f"{self.folder}/{name}", "--advise", jobs)
            speeds[name] = rows["jobs"]["measured"][-1]["throughput"]
            self.assertIn("job-known.env", texts)
        self.assertAlmostEqual(speeds["tables"], 1)
        self.assertLess(speeds["plain"], 0.9)
        # Options that ask for other routes go before the tables.
        rows, _ = self.advice(f"{self.folder}/tables", "--advise", jobs,
                              "--seed", "1")
        self.assertAlmostEqual(rows["jobs"]["measured"][-1]["throughput"],
                               speeds["plain"])

    def test_what_is_wrong(self):
        self.fails("settings", "sf:q=3", "--only", "jobs",
                   says="name their file with --jobs FILE")
        jobs = self.write("jobs.txt", "a all-to-all nobody[1-3]\n")
        self.fails("settings", "sf:q=3", "--advise", jobs, says="jobs.txt:1")
        self.fails("settings", "sf:q=3", "--advise", "none.txt",
                   says="none.txt")

    def test_every_family(self):
        for spec in ("sf:q=4", "ft2:ports=8", "ft2b:ports=8,over=3",
                     "ft3:ports=4", "hx2:3x4", "df:a=3,h=1",
                     "xpander:k=4,lift=4", "jellyfish:n=14,k=4", "pf:q=3"):
            with self.subTest(spec=spec):
                rows, texts = self.advice(spec)
                self.assertEqual(len(rows), 4)
                for row in rows.values():
                    steps = row["measured"]
                    best = max(step["throughput"] for step in steps)
                    for step in steps:
                        self.assertTrue(0 < step["throughput"] <= 1 + 1e-9)
                        if step["n_addresses"] == row["n_addresses"]:
                            self.assertGreaterEqual(step["throughput"],
                                                    0.98 * best)
                    self.assertIn(row["file"], texts)


class Orders(Settings):
    """Against the plan, by the definition."""

    def hosts(self, spec):
        """(rack, switch, port) of each host, and the three hostfiles."""
        self.succeeds("plan", spec, "-o", f"{self.folder}/plan")
        with open(f"{self.folder}/plan/plan.json", encoding="utf-8") as file:
            plan = json.load(file)
        parts = {rack["name"]: rack["part"] for rack in plan["racks"]}
        switches = {switch["name"]: (parts[switch["rack"]], i)
                    for i, switch in enumerate(plan["switches"])}
        places = {}
        for cable in plan["cables"]:
            if cable["step"] == 0:
                ends = sorted((cable["a"], cable["b"]),
                              key=lambda end: end["node"] in switches)
                places[ends[0]["node"]] = (*switches[ends[1]["node"]],
                                           ends[1]["port"])
        texts = self.files(f"{self.folder}/plan", "--only", "hosts")
        return places, *(texts[f"hostfile.{order}"].split()
                         for order in ("linear", "random", "spread"))

    def test_orders(self):
        for spec in ("sf:q=5", "sf:q=4,p=3", "sf:q=13,p=13",
                     "ft2:leaf=6,core=3,up=2", "hx2:3x4", "df:a=4,h=2,p=2",
                     "jellyfish:n=14,k=4,p=3"):
            with self.subTest(spec=spec):
                places, linear, random, spread = self.hosts(spec)
                self.assertEqual(linear, sorted(places, key=places.get))
                self.assertEqual(sorted(random), sorted(linear))
                self.assertNotEqual(random, linear)
                # Of each rack a queue: switch after switch, round and round.
                racks = []
                for _, rack in itertools.groupby(
                        linear, lambda host: places[host][0]):
                    queues = [list(queue) for _, queue in itertools.groupby(
                        rack, lambda host: places[host][1])]
                    racks.append([host for column in
                                  itertools.zip_longest(*queues)
                                  for host in column if host])
                expected = [host for column in itertools.zip_longest(*racks)
                            for host in column if host]
                self.assertEqual(spread, expected)

    def test_neighbours_of_the_installation_are_in_different_racks(self):
        places, _, _, spread = self.hosts("sf:q=5")
        for a, b in zip(spread, spread[1:]):
            self.assertNotEqual(places[a][0], places[b][0])
        self.assertEqual(len({places[host][1] for host in spread[:50]}), 50)

    def test_slurm_has_every_rack_under_its_own_name(self):
        # At q = 7 a group of the Slim Fly stands in two racks.
        self.succeeds("plan", "sf:q=7", "-o", f"{self.folder}/plan")
        with open(f"{self.folder}/plan/plan.json", encoding="utf-8") as file:
            plan = json.load(file)
        racks = {f"rack-{rack['name']}": [switch["name"]
                                          for switch in plan["switches"]
                                          if switch["rack"] == rack["name"]]
                 for rack in plan["racks"]}
        text = self.files(f"{self.folder}/plan", "--only", "slurm")
        self.assertEqual(
            {name: unfold(below) for name, below in re.findall(
                r"^SwitchName=(rack-\S+) Switches=(\S+)$",
                text["topology.conf"], re.M)}, racks)

    def test_racks_of_another_plan(self):
        self.succeeds("plan", "sf:q=3", "-o", f"{self.folder}/plan")
        self.succeeds("route", f"{self.folder}/plan", "-o",
                      f"{self.folder}/tables")
        with_plan = self.files(f"{self.folder}/tables", "--plan",
                               f"{self.folder}/plan")
        without = self.files(f"{self.folder}/tables")
        planned = self.files(f"{self.folder}/plan")
        for name in "hostfile.spread", "topology.conf", "topology.yaml":
            self.assertEqual(with_plan[name], planned[name])
            self.assertNotEqual(with_plan[name], without[name])
        for texts in with_plan, planned:
            self.assertEqual(values(texts["slimfly.conf"])["plan"],
                             f"{self.folder}/plan/plan.json")
        self.assertNotIn("plan", values(without["slimfly.conf"]))
        # Without racks, from one switch after the other.
        self.assertEqual(without["hostfile.spread"].split()[:18],
                         without["hostfile.linear"].split()[::3])


    def test_real_guids(self):
        # As on hardware: other GUIDs and other names than planned.
        self.succeeds("plan", "sf:q=3", "-o", f"{self.folder}/plan")
        self.succeeds("route", f"{self.folder}/plan", "-o",
                      f"{self.folder}/tables")
        with open(f"{self.folder}/tables/fabric.ibnetdiscover",
                  encoding="utf-8") as file:
            text = file.read()
        text = text.replace("02534c46", "7cfe90c1").replace(
            "2534c46", "7cfe90c1")
        real = self.write("real.txt", re.sub(
            r'"sf-(\d)-(\d)-(\d)"', r'"MF0;switch-\1\2\3:MQM8700/U1"', text))
        described = self.write("described.txt", re.sub(
            r'"(sf-\d-\d-\d)"', r'"MF0;\1:MQM8700/U1"', text))
        with open(f"{self.folder}/plan/guids.map", encoding="utf-8") as file:
            filled = self.write("filled.map", file.read().replace(
                "02534c46", "7cfe90c1"))
        planned = self.files(f"{self.folder}/plan")
        plan = "--plan", f"{self.folder}/plan"
        self.fails("settings", real, *plan, says="--guids FILE names them")
        empty = self.write("empty.map", "# nothing\n")
        for source in (real, *plan), (f"{self.folder}/plan",):
            self.fails("settings", *source, "--guids", empty,
                       says="empty.map: expected lines 0xGUID")
        named = self.files(real, *plan, "--guids", filled)
        for name in "hostfile.spread", "topology.conf", "topology.yaml":
            self.assertEqual(named[name], planned[name])
        self.assertEqual(values(named["slimfly.conf"])["guids"], filled)
        self.assertNotIn("guids", values(planned["slimfly.conf"]))
        # Descriptions that hold the names of the plan do as well.
        self.assertEqual(self.files(described, *plan)["hostfile.spread"],
                         planned["hostfile.spread"])
        # For the plan itself, it is for the plugin alone.
        own = self.files(f"{self.folder}/plan", "--guids", filled)
        self.assertEqual(values(own["slimfly.conf"])["guids"], filled)
        self.assertEqual(own["topology.conf"], planned["topology.conf"])
        self.fails("settings", real, *plan, "--guids",
                   f"{self.folder}/plan/guids.map",
                   says="has the GUID of no switch of the fabric")
        self.fails("settings", real, *plan, "--guids", real, says="real.txt:")


NETLIST = '''vendid=0x2c9
devid=0xd2f0
sysimgguid=0x10
switchguid=0x10(10)
Switch	8 "S-0000000000000010"		# "%(switch)s" base port 0 lid 1 lmc 0
[1]	"H-0000000000000100"[1](101) 		# "%(first)s" lid 4 4xEDR
[2]	"H-0000000000000200"[1](201) 		# "%(second)s" lid 8 4xEDR
[3]	"H-0000000000000300"[1](301) 		# "%(third)s" lid 12 4xEDR
[8]	"S-0000000000000020"[8]		# "%(other)s" lid 2 4xEDR

switchguid=0x20(20)
Switch	8 "S-0000000000000020"		# "%(other)s" base port 0 lid 2 lmc 0
[8]	"S-0000000000000010"[8]		# "%(switch)s" lid 1 4xEDR
[1]	"H-0000000000000400"[1](401) 		# "%(fourth)s" lid 16 4xEDR

caguid=0x100
Ca	1 "H-0000000000000100"		# "%(first)s"
[1](101) 	"S-0000000000000010"[1]		# lid 4 lmc 2 "%(switch)s" lid 1 4xEDR

caguid=0x200
Ca	1 "H-0000000000000200"		# "%(second)s"
[1](201) 	"S-0000000000000010"[2]		# lid 8 lmc 2 "%(switch)s" lid 1 4xEDR

caguid=0x300
Ca	1 "H-0000000000000300"		# "%(third)s"
[1](301) 	"S-0000000000000010"[3]		# lid 12 lmc 2 "%(switch)s" lid 1 4xEDR

caguid=0x400
Ca	1 "H-0000000000000400"		# "%(fourth)s"
[1](401) 	"S-0000000000000020"[1]		# lid 16 lmc 2 "%(other)s" lid 2 4xEDR
'''
NAMES = {"switch": "sw1", "other": "sw2", "first": "a HCA-1",
         "second": "b HCA-1", "third": "c HCA-1", "fourth": "a HCA-2"}


class Discovered(Settings):
    def fabric(self, **names):
        return self.write("found", NETLIST % {**NAMES, **names})

    def tree(self, **names):
        text = self.files(self.fabric(**names))["topology.conf"]
        return [line for line in text.splitlines()
                if line and not line.startswith("#")]

    def test_two_adapters_are_one_host(self):
        texts = self.files(self.fabric())
        self.assertEqual(texts["hostfile.linear"], "a\nb\nc\n")
        self.assertEqual(self.tree(), ["SwitchName=sw1 Nodes=a,b,c"])

    def test_switches_under_one_root(self):
        self.assertEqual(self.tree(fourth="d mlx5_0"),
                         ["SwitchName=sw1 Nodes=a,b,c",
                          "SwitchName=sw2 Nodes=d",
                          "SwitchName=fabric Switches=sw[1-2]"])

    def test_names_are_folded_as_slurm_does(self):
        for names, folded in [
                ("n08 n09 n10", "n[08-10]"), ("n8 n9 n10", "n[8-10]"),
                ("n1 n3 n4", "n[1,3-4]"), ("n1 n2 m3", "n[1-2],m3"),
                ("n9 n10 n011", "n[9-10,011]"), ("n1 n02 x", "n[1,02],x"),
                ("1 2 3", "1,2,3"), ("n1a n2a n3a", "n1a,n2a,n3a"),
                ("n3 n2 n1", "n[3,2,1]"), ("n0 n1 n1a", "n[0-1],n1a"),
                ("n1234567890 n1234567891 n1",
                 "n1234567890,n1234567891,n1")]:
            with self.subTest(names=names):
                [line] = self.tree(**dict(zip(
                    ("first", "second", "third"), names.split())),
                    fourth=names.split()[0] + " HCA-2")
                self.assertEqual(line, f"SwitchName=sw1 Nodes={folded}")
                self.assertEqual(unfold(folded), names.split())

    def test_names_of_switches(self):
        for names, leaves in [
                ({"switch": "MF0;x:QM87/U1", "other": "sw2"},
                 ["MF0_x_QM87_U1", "sw2"]),
                ({"switch": "same", "other": "same"},
                 ["S-0000000000000010", "S-0000000000000020"]),
                ({"switch": "fabric", "other": "sw2"},
                 ["S-0000000000000010", "S-0000000000000020"])]:
            self.assertEqual(
                [line.split()[0] for line in self.tree(fourth="d", **names)],
                [f"SwitchName={leaf}" for leaf in leaves] +
                ["SwitchName=fabric"])

    def test_aggregation_nodes_are_no_hosts(self):
        text = self.files(self.fabric(
            third="Mellanox Technologies Aggregation Node",
            fourth="Mellanox Technologies Aggregation Node"))
        self.assertEqual(text["hostfile.linear"], "a\nb\n")

    def test_hosts_that_cannot_be_told(self):
        same = self.fabric(second="MT4123 ConnectX6", third="MT4123 ConnectX6")
        self.fails("settings", same, says="two adapters have the node "
                   "description 'MT4123 ConnectX6'")
        odd = self.fabric(second="b,c[1-3] HCA-1")
        self.fails("settings", odd, "--only", "hosts",
                   says="does not start with a host name")
        self.assertEqual(list(self.files(odd, "--only", "ucx,nccl")),
                         ["ucx.env", "nccl.env"])

    def test_a_plan_of_something_else(self):
        self.fails("settings", self.fabric(), "--plan", "sf:q=3",
                   says="no switch of the fabric has the name of one in the "
                   "plan sf:q=3")


class BadInput(Settings):
    def test_options(self):
        self.fails("settings", says="expected one fabric")
        self.fails("settings", "sf:q=3", "sf:q=4", says="expected one fabric")
        self.fails("settings", "sf:q=6", says="q")
        self.fails("settings", f"{self.folder}/none", says="none")
        for option, value, says in [
                ("--layers", "0", "--layers"), ("--layers", "129", "--layers"),
                ("--path-sets", "0", "--path-sets"),
                ("--max-vls", "16", "--max-vls"), ("--max-vls", "0", "--max"),
                ("--lanes", "best", "turns"),
                ("--seed", "-1", "--seed"), ("--format", "yaml", "--format"),
                ("--only", "ucx,", "part ''"), ("--only", "", "part ''"),
                ("--only", "ucx,mpich", "part 'mpich'"),
                ("--plan", "sf:q=3", "--plan is for")]:
            self.fails("settings", "sf:q=3", option, value, says=says)

    def test_too_many_addresses(self):
        self.fails("settings", "sf:q=17", "--layers", "8",
                   says="need 60690 addresses")

    def test_paths_that_opensm_cannot_hold(self):
        for name in "a b", "a,b", "a=b", "a#b":
            self.fails("settings", "sf:q=3", "-o", f"{self.folder}/{name}",
                       says="without blanks")
            self.assertEqual(os.listdir(self.folder), [])
        # For the others they do not matter.
        self.succeeds("settings", "sf:q=3", "--only", "ucx", "-o",
                      f"{self.folder}/a b")

    def test_route_files(self):
        self.succeeds("route", "sf:q=3", "-o", self.folder)
        with open(f"{self.folder}/route.json", encoding="utf-8") as file:
            route = json.load(file)
        lanes = route["lanes"]
        for change, says in [
                ({"lanes": {**lanes, "scheme": "best"}}, "'best'"),
                ({"lanes": 3}, "lanes"),
                ({"lanes": {**lanes, "max_vls": 16}}, "max_vls"),
                ({"n_layers": 0}, "n_layers")]:
            self.write("route.json", json.dumps({**route, **change}))
            self.fails("settings", self.folder, says=says)
        self.write("route.json", "{")
        self.fails("settings", self.folder, says="route.json")

    def test_folders_that_cannot_be(self):
        self.fails("settings", "sf:q=3", "-o", self.write("file", ""),
                   says="expected a folder")


class TheRealThing(Settings):
    """The programs that read the files."""

    def test_opensm(self):
        tables = self.routed()
        for options in (), ("--layers", "8", "--max-vls", "3"):
            self.succeeds("settings", tables, "-o", self.folder, *options)
            for name in "opensm.conf", "opensm-file.conf":
                # It writes what it read, with its defaults, and ends.
                copy = f"{self.folder}/copy"
                done = subprocess.run(
                    ["opensm", "-F", f"{self.folder}/{name}", "-c", copy,
                     "-f", f"{self.folder}/log"], cwd=self.folder, text=True,
                    env={**os.environ, "PATH": PATH,
                         "OSM_CACHE_DIR": self.folder,
                         "OSM_TMP_DIR": self.folder},
                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT, timeout=harness.PATIENCE,
                    check=False)
                self.assertNotIn("nrecognized", done.stdout)
                self.assertNotIn("nvalid", done.stdout)
                with open(copy, encoding="utf-8") as file:
                    understood = values(file.read(), " ")
                with open(f"{self.folder}/{name}", encoding="utf-8") as file:
                    ours = values(file.read(), " ")
                self.assertGreaterEqual(len(ours), 5)
                self.assertEqual({key: understood.get(key) for key in ours},
                                 ours)
                os.remove(copy)

    def test_slurm(self):
        for spec, levels in [("sf:q=5", 3), ("sf:q=7", 3),
                             ("ft2:leaf=6,core=3,up=2", 2)]:
            self.succeeds("settings", spec, "-o", self.folder, "--only",
                          "slurm,hosts")
            with open(f"{self.folder}/topology.conf",
                      encoding="utf-8") as file:
                lines = [dict(word.split("=") for word in line.split())
                         for line in file
                         if line.strip() and not line.startswith("#")]
            read = self.read_by_slurm()
            ours = {line["SwitchName"]: set(unfold(line.get("Nodes") or
                                                   line["Switches"]))
                    for line in lines}
            if spec == "sf:q=5":
                self.assertEqual(lines[0]["Nodes"], "node[0000-0003]")
                self.assertEqual(lines[-2]["Switches"],
                                 "sf-0-4-[0-4],sf-1-4-[0-4]")
                self.assertEqual(lines[-1]["Switches"], "rack-R[0-4]")
            self.assertEqual({name: below for name, (_, below)
                              in read.items()}, ours)
            self.assertEqual({level for level, _ in read.values()},
                             set(range(levels)))

    def read_by_slurm(self):
        """What a Slurm controller makes of the topology.conf: for each switch
        its level and what is right below it."""
        with open(f"{self.folder}/hostfile.linear", encoding="utf-8") as file:
            hosts = file.read().split()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.write("slurm.conf", f"""ClusterName=test
SlurmctldHost={socket.gethostname().split(".")[0]}
SlurmctldPort={port}
SlurmUser={getpass.getuser()}
AuthType=auth/none
CredType=cred/none
StateSaveLocation={self.folder}/state
SlurmctldPidFile={self.folder}/pid
SlurmctldLogFile={self.folder}/log
SlurmctldDebug=debug3
SelectType=select/cons_tres
TopologyPlugin=topology/tree
NodeName={",".join(hosts)} CPUs=1
PartitionName=all Nodes=ALL Default=YES
""")
        os.makedirs(f"{self.folder}/state", exist_ok=True)
        log = f"{self.folder}/log"
        if os.path.exists(log):
            os.remove(log)
        process = subprocess.Popen(
            ["slurmctld", "-D", "-c", "-f", f"{self.folder}/slurm.conf"],
            env={**os.environ, "PATH": PATH}, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True)
        try:
            text = ""
            deadline = time.monotonic() + harness.PATIENCE
            # Distances come after the switches.
            while "switch_desc_index" not in text:
                self.assertLess(time.monotonic(), deadline, text[-1000:])
                self.assertIsNone(process.poll(), text[-1000:])
                time.sleep(0.05)
                if os.path.exists(log):
                    with open(log, encoding="latin1") as file:
                        text = file.read()
        finally:
            # It takes half a minute to end by itself, and has a child.
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        for line in text.splitlines():
            if "error" in line:
                self.assertNotIn("topology", line)
        read = {}
        for level, name, nodes, switches in re.findall(
                r"Switch level:(\d+) name:(\S+) nodes:(\S+) switches:(\S+)",
                text):
            below = nodes if level == "0" else switches
            read[name] = int(level), set(unfold(below))
        return read

    def test_yaml(self):
        # By the form in Slurm's topology.yaml(5), held against topology.conf.
        for spec in "sf:q=5", "ft2:leaf=6,core=3,up=2":
            texts = self.files(spec)
            [topology] = yaml.safe_load(texts["topology.yaml"])
            self.assertEqual(list(topology),
                             ["topology", "cluster_default", "tree"])
            self.assertIs(topology["cluster_default"], True)
            lines = []
            for switch in topology["tree"]["switches"]:
                kind, below = list(switch.items())[1]
                lines.append("SwitchName=%s %s=%s" % (
                    switch["switch"],
                    {"nodes": "Nodes", "children": "Switches"}[kind], below))
            self.assertEqual(lines, [
                line for line in texts["topology.conf"].splitlines()
                if line and not line.startswith("#")])

    def test_ucx(self):
        done = subprocess.run(["ucx_info", "-c"], capture_output=True,
                              text=True, timeout=harness.PATIENCE, check=True)
        # Without a device it lists those of a transport: UCX_RC_VERBS_SL
        # inherits from UCX_IB_SL.
        known = set(re.findall(r"^(UCX_\w+)=", done.stdout, re.M))
        texts = self.files("sf:q=5")
        for file in ["ucx.env", *JOB_FILES]:
            for name in values(texts[file]):
                if name.startswith("UCX_"):
                    self.assertIn(name.replace("UCX_IB_", "UCX_RC_VERBS_"),
                                  known)

    def test_ucx_reads_them(self):
        texts = self.files("sf:q=5")
        for file in "ucx.env", "job-alltoall.env", "job-switches.env":
            env = values(texts[file])
            done = subprocess.run(["ucx_info", "-c"], capture_output=True,
                                  env={**os.environ, **env}, text=True,
                                  timeout=harness.PATIENCE, check=True)
            for name, value in env.items():
                if name.startswith("UCX_"):
                    name = name.replace("UCX_IB_", "UCX_RC_VERBS_")
                    self.assertIn(f"{name}={value}\n", done.stdout)

    def test_openmpi(self):
        # All but btl_openib_ib_path_record_service_level, which Debian's
        # build has not.
        done = subprocess.run(
            ["ompi_info", "--parsable", "--all", "--level", "9"],
            capture_output=True, text=True, timeout=harness.PATIENCE,
            check=True)
        known = set(re.findall(r":param:(\w+):value", done.stdout))
        for name in "openmpi-mca-params.conf", "openib-mca-params.conf":
            ours = values(self.files("sf:q=5")[name])
            self.assertLessEqual(set(ours), known)
        for name in JOB_FILES:
            ours = {key.removeprefix("OMPI_MCA_")
                    for key in values(self.files("sf:q=5")[name])
                    if key.startswith("OMPI_")}
            self.assertEqual(len(ours), 1)
            self.assertLessEqual(ours, known)


if __name__ == "__main__":
    harness.main()
