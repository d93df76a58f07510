"""What 'slimfly topology' and the frame around the commands promise."""
import json
import os
import re
import signal
import subprocess
import tempfile
import time

import harness
from harness import slimfly

# Every family with a small member.
SMALL = ["sf:q=5", "ft2:leaf=12,core=6,up=3,p=18", "ft2:ports=8",
         "ft2b:ports=8,over=3", "ft3:ports=4", "hx2:3x4", "df:a=4,h=2,p=2",
         "xpander:k=5,lift=4,seed=3", "jellyfish:n=20,k=5,seed=1", "pf:q=5"]

COMMANDS = ["topology", "design", "compare", "plan", "verify", "watch", "route", "audit",
            "analyze", "simulate", "evaluate", "record", "settings", "status",
            "counters", "drain", "undrain", "replace", "diff", "monitor",
            "jobs", "ip", "lab", "bundle", "report", "help"]

# spec, what the message must say
BAD_SPECS = [
    ("sf:q=6", "q = 6 is not a prime power; the nearest are 5 and 7"),
    ("sf:q=28", "q = 28 is not a prime power; the nearest are 27 and 29"),
    ("sf:q=0", "expected a whole number from 3 to 128"),
    ("sf:q=2", "expected a whole number from 3 to 128"),
    ("sf:q=-5", "q = -5: expected a whole number"),
    ("sf:q=5x", "q = 5x: expected a whole number"),
    ("sf:q=5,", "''"),
    ("sf:q=", "q has no value"),
    ("sf:q=12345678901234567890", "expected a whole number from 3 to 128"),
    ("sf:q=99999999999999999999999", "expected a whole number"),
    ("sf:q=5,q=7", "q is given twice"),
    ("sf:q=5,z=1", "'z' is not a key of sf; it has q, p"),
    ("sf:q=5,p=0", "p = 0: expected a whole number from 1"),
    ("sf:5", "expected KEY=VALUE, as in sf:q=5"),
    ("sf", "q is missing"),
    ("sf:", "expected KEY=VALUE"),
    ("", "'' is not a family"),
    (":", "'' is not a family"),
    ("slimfly:q=5", "'slimfly' is not a family of topologies; there are sf,"),
    (" sf:q=5", "' sf' is not a family"),
    ("sf:q= 5", "expected a whole number"),
    ("pf:q=6", "q = 6 is not a prime power; the nearest are 5 and 7"),
    ("ft2", "expected ports, or leaf and core"),
    ("ft2:leaf=3", "expected ports, or leaf and core"),
    ("ft2:ports=36,leaf=37", "a core of 36 ports reaches at most 36 leaves"),
    ("ft2:ports=36,p=30,core=18", "a leaf would need 48 ports"),
    ("ft2:ports=36,leaf=20,up=2", "a core would need 40 ports"),
    ("ft2:leaf=2,core=60000,up=1000", "a leaf would need 60000000 ports up"),
    ("ft2b:ports=4,over=9", "4 ports leave no link upwards"),
    ("ft2b:ports=8,over=3,leaf=9", "a core of 8 ports reaches at most 8"),
    ("ft2b:ports=36", "over is missing"),
    ("ft3:ports=5", "ports = 5: expected an even number"),
    ("ft3:ports=4,pods=5", "a core of 4 ports reaches at most 4 pods"),
    ("ft3:ports=4,p=3", "a leaf would need 5 ports"),
    ("ft3:ports=1024", "switches and"),
    ("hx2", "size is missing"),
    ("hx2:13", "expected ROWSxCOLUMNS, such as 13x13"),
    ("hx2:13x", "expected ROWSxCOLUMNS"),
    ("hx2:x13", "expected ROWSxCOLUMNS"),
    ("hx2:0x13", "expected ROWSxCOLUMNS"),
    ("hx2:13x13x13", "expected ROWSxCOLUMNS"),
    ("hx2:1024x1024", "switches and"),
    ("df:a=4", "h is missing"),
    ("df:a=4,h=2,g=10", "there are at most 9 groups"),
    ("df:a=4,h=2,g=1", "expected a whole number from 2"),
    ("df:a=4096,h=4096", "switches and"),
    ("xpander:k=7", "lift is missing"),
    ("xpander:k=1,lift=3", "expected a whole number from 2"),
    ("xpander:k=1024,lift=131072", "are too many"),
    ("jellyfish:n=5,k=3", "n times k must be even"),
    ("jellyfish:n=5,k=5", "5 switches have at most 4 neighbours each"),
    ("jellyfish:n=6,k=1", "are not connected"),
    ("jellyfish:n=50,k=7,seed=99999999999999999999", "at most 64 bits"),
    ("jellyfish:n=50,k=7,seed=-1", "at most 64 bits"),
    ("edges", "file is missing"),
    ("edges:", "file has no value"),
    ("edges:x,p=4097", "p = 4097: expected a whole number from 1 to 4096"),
    ("edges:/nonexistent/file", "/nonexistent/file: No such file"),
    ("edges:/", "/: Is a directory"),
    ("sf:q=5\n\x1b[31m", "q = 5??[31m: expected a whole number"),
    ("a" * 5000, "is not a family"),
]

# text of an edge list, what the message must say after its name
BAD_EDGES = [
    ("", ":1: expected at least one link"),
    ("# only\n\n# comments\n", ":3: expected at least one link"),
    ("0 1\n1 1\n", ":2: expected two different nodes, found a link from '1'"),
    ("0 1\n2\n", ":2: expected two nodes, found only '2'"),
    ("0 1\n1 2 3\n", ":2: expected two nodes, found '3' after them"),
    ("0 1 {} 2\n", ":1: expected two nodes"),
    ("# Nodes: 3\n0 1\n1 3\n", ":3: unknown node '3'; line 1 announces the "
     "nodes 0 to 2"),
    ("# Nodes: 3\n0 1\n1 x\n", ":3: unknown node 'x'"),
    ("# Nodes: 3\n0 01\n", ":2: unknown node '01'"),
    ("# Nodes: 0\n", ":1: expected a number of nodes"),
    ("# Nodes: many\n", ":1: expected a number of nodes"),
    ("# Nodes:\n", ":1: expected a number of nodes"),
    ("# Nodes: 99999999999999999999\n", ":1: expected a number of nodes"),
    ("0 1\n# Nodes: 2\n", ":2: expected '# Nodes:' once and before"),
    ("a b\nc \udcff\n", ":2: expected node names of printable ASCII, found "
     "byte 0xff"),
    ("a " + "b" * 64 + "\n", ":1: expected node names of at most 63"),
    ("a b\x00c\n", ":1: expected text, found a zero byte"),
]


class Topology(harness.Case):
    def test_json_of_the_papers_slim_fly(self):
        data = json.loads(self.succeeds("topology", "sf:q=5", "--format",
                                        "json"))
        expected = {
            "schema": "slimfly.topology", "schema_version": 1,
            "family": "sf", "spec": "sf:q=5", "n_switches": 50,
            "n_endpoints": 200, "n_links": 175, "network_radix": 7,
            "concentration": 4, "radix": 11, "diameter": 2, "girth": 5,
            "regular": True, "connected": True, "n_parts": 1,
            "moore_bound": 50, "moore_ratio": 1.0, "n_parallel_links": 0,
            "distance_distribution": [0, 350, 2100]}
        self.assertEqual({key: data[key] for key in expected}, expected)
        self.assertAlmostEqual(data["average_distance"], 13 / 7)

    def test_documented_members_are_there(self):
        with open(f"{harness.ROOT}/doc/formats.md", encoding="utf-8") as doc:
            section = doc.read().split("## Topology, JSON")[1].split("\n## ")[0]
        documented = {line.split("`")[1] for line in section.splitlines()
                      if line.startswith("| `")}
        for spec in SMALL:
            data = json.loads(self.succeeds("topology", spec, "-f", "json"))
            self.assertEqual(set(data), documented, spec)

    def test_sizes_of_the_papers_table(self):
        # endpoints, switches, links of Tab. "Maximal scalability and costs"
        table = {
            "ft2:ports=36": (648, 54, 648), "ft2b:ports=36,over=3":
            (972, 45, 324), "ft3:ports=36": (11664, 1620, 23328),
            "hx2:13x13,p=12": (2028, 169, 2028), "sf:q=16": (6144, 512, 6144),
            "ft2:ports=40": (800, 60, 800), "ft2b:ports=40,over=3":
            (1200, 50, 400), "hx2:14x14,p=14": (2744, 196, 2548),
            "sf:q=17": (7514, 578, 7225), "ft2:ports=64": (2048, 96, 2048),
            "ft2b:ports=64,over=3": (3072, 80, 1024), "ft3:ports=40":
            (16000, 2000, 32000), "hx2:22x22,p=22": (10648, 484, 10164),
            "sf:q=11": (2178, 242, 2057), "hx2:13x13,p=13": (2197, 169, 2028)}
        many = json.loads(self.succeeds("topology", *table, "-f", "json"))
        self.assertEqual({t["spec"]: (t["n_endpoints"], t["n_switches"],
                                      t["n_links"]) for t in many}, table)

    def test_nothing_that_does_not_exist_is_a_number(self):
        tree = json.loads(self.succeeds("topology", "edges:-", "-f", "json",
                                        stdin="0 1\n"))
        self.assertEqual((tree["girth"], tree["diameter"]), (None, 1))
        parts = json.loads(self.succeeds("topology", "edges:-", "-f", "json",
                                         stdin="0 1\n2 3\n2 4\n3 4\n"))
        self.assertEqual((parts["connected"], parts["n_parts"],
                          parts["diameter"], parts["average_distance"],
                          parts["moore_bound"], parts["girth"]),
                         (False, 2, None, None, None, 3))
        alone = json.loads(self.succeeds("topology", "edges:-", "-f", "json",
                                         stdin="# Nodes: 1\n"))
        self.assertEqual((alone["n_switches"], alone["diameter"]), (1, 0))
        for text in "0 1\n", "0 1\n2 3\n", "# Nodes: 1\n":
            for fmt in "text", "csv":
                out = self.succeeds("topology", "edges:-", "-f", fmt,
                                    stdin=text)
                self.assertNotIn("nan", out)
                self.assertNotIn("4294967295", out)

    def test_families_are_listed(self):
        listed = json.loads(self.succeeds("topology", "--list", "-f", "json"))
        text = self.succeeds("topology", "--list")
        self.assertEqual([f["family"] for f in listed],
                         ["sf", "ft2", "ft2b", "ft3", "hx2", "df", "xpander",
                          "jellyfish", "pf", "edges"])
        for family in listed:
            self.assertIn(family["title"], text)
            if family["family"] != "edges":
                self.succeeds("topology", family["example"])

    def test_the_same_seed_gives_the_same_bytes(self):
        for spec in "jellyfish:n=60,k=6", "xpander:k=6,lift=9":
            one, again = (self.succeeds("topology", f"{spec},seed=7", "-f",
                                        "edges") for _ in range(2))
            other = self.succeeds("topology", f"{spec},seed=8", "-f", "edges")
            self.assertEqual(one, again)
            self.assertNotEqual(one, other)

    def test_keys_in_any_order(self):
        data = json.loads(self.succeeds("topology", "df:p=1,h=2,a=4", "-f",
                                        "json"))
        self.assertEqual(data["spec"], "df:a=4,h=2,p=1")

    def test_edge_lists_of_other_people(self):
        for text in ("sw10 sw2\r\nsw2 sw1\r\n", "sw1\tsw2\n sw2  sw10 {}",
                     "# c\n\nsw1 sw2 # trailing\nsw10 sw2\n"):
            out = self.succeeds("topology", "edges:-", "-f", "dot",
                                stdin=text)
            names = [line.split('"')[1] for line in out.splitlines()
                     if "hosts=" in line]
            self.assertEqual(names, ["sw1", "sw2", "sw10"])

    def test_large_slim_fly_works(self):
        data = json.loads(self.succeeds("topology", "sf:q=64", "-f", "json"))
        self.assertEqual((data["n_switches"], data["diameter"]), (8192, 2))

    def test_same_text_for_text_and_default(self):
        self.assertEqual(self.succeeds("topology", "sf:q=4"),
                         self.succeeds("topology", "--format=text", "sf:q=4"))


class BadInput(harness.Case):
    def test_bad_specs(self):
        for spec, says in BAD_SPECS:
            with self.subTest(spec=spec[:60]):
                self.fails("topology", spec, says=says)

    def test_bad_edge_lists(self):
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/list"
            for text, says in BAD_EDGES:
                with self.subTest(text=text[:60]):
                    with open(path, "w", encoding="utf-8",
                              errors="surrogateescape") as file:
                        file.write(text)
                    self.fails("topology", f"edges:{path}", says=path + says)
                    self.fails("topology", "edges:-", stdin=text,
                               says="standard input" + says)

    def test_a_bad_spec_among_good_ones_prints_nothing(self):
        self.fails("topology", "sf:q=5", "sf:q=6", says="sf:q=6: q = 6")

    def test_usage(self):
        for args, says in [
                (["topology"], "expected a spec such as sf:q=5"),
                (["topology", "--format", "xml", "sf:q=5"],
                 "--format 'xml': expected one of text, json, csv, edges"),
                (["topology", "sf:q=5", "--format"], "needs an argument"),
                (["topology", "sf:q=5", "-f", "csv", "-f", "csv"], "twice"),
                (["topology", "sf:q=5", "--list=3"], "takes no argument"),
                (["topology", "sf:q=5", "--list"], "--list takes no spec"),
                (["topology", "--list", "-f", "dot"], "text or json"),
                (["topology", "--frobnicate"], "unknown option"),
                (["topology", "-x"], "unknown option '-x'"),
                (["topology", "sf:q=5", "sf:q=4", "-f", "dot"],
                 "takes one spec, not 2"),
                (["topolgy"], "did you mean 'topology'?"),
                (["frobnicate"], "unknown command 'frobnicate'"),
                (["--frobnicate"], "unknown option"),
                (["help", "frobnicate"], "unknown command"),
                (["help", "help", "help"], "expected one command"),
                (["topology", "ft2:leaf=2,core=2,up=2", "-f", "booksim"],
                 "BookSim has no parallel links")]:
            with self.subTest(args=args):
                self.fails(*args, says=says)

    def test_without_arguments_usage_is_an_error(self):
        done = slimfly()
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("Usage: slimfly COMMAND", done.stderr)


class Output(harness.Case):
    def test_files_appear_only_when_complete(self):
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/out"
            with open(path, "w", encoding="utf-8") as file:
                file.write("precious")
            self.fails("topology", "sf:q=6", "-o", path, says="prime power")
            self.fails("topology", "ft2:leaf=2,core=2,up=2", "-f", "booksim",
                       "-o", path, says="parallel links")
            with open(path, encoding="utf-8") as file:
                self.assertEqual(file.read(), "precious")
            self.assertEqual(os.listdir(folder), ["out"])
            self.assertEqual(self.succeeds("topology", "sf:q=4", "-o", path),
                             "")
            with open(path, encoding="utf-8") as file:
                self.assertEqual(file.read(),
                                 self.succeeds("topology", "sf:q=4"))
            self.assertEqual(os.listdir(folder), ["out"])

    def test_a_link_stays_a_link(self):
        with tempfile.TemporaryDirectory() as folder:
            target, link = f"{folder}/target", f"{folder}/link"
            with open(target, "w", encoding="utf-8"):
                pass
            os.symlink(target, link)
            self.succeeds("topology", "sf:q=4", "-o", link)
            self.assertTrue(os.path.islink(link))
            with open(target, encoding="utf-8") as file:
                self.assertEqual(file.read(),
                                 self.succeeds("topology", "sf:q=4"))
            self.assertEqual(sorted(os.listdir(folder)), ["link", "target"])

    def test_an_interrupted_command_leaves_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            process = subprocess.Popen(
                [harness.PROGRAM, "topology", "sf:q=128", "-f", "graphml",
                 "-o", f"{folder}/out"], stderr=subprocess.DEVNULL)
            deadline = time.monotonic() + harness.PATIENCE
            while (not os.listdir(folder) and process.poll() is None
                   and time.monotonic() < deadline):
                time.sleep(0.001)
            process.send_signal(signal.SIGTERM)
            process.wait(harness.PATIENCE)
            self.assertIn(os.listdir(folder), ([], ["out"]))

    def test_what_cannot_be_written_is_said(self):
        self.fails("topology", "sf:q=4", "-o", "/nonexistent/out",
                   says="/nonexistent/out: No such file")
        done = slimfly("topology", "sf:q=4", "-o", "/dev/full")
        self.assertEqual(done.returncode, 2)
        self.assertIn("/dev/full: No space left", done.stderr)
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([harness.PROGRAM, "topology", "sf:q=4"],
                                  stdout=full, stderr=subprocess.PIPE,
                                  text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("standard output could not be written", done.stderr)

    def test_files_obey_the_umask(self):
        with tempfile.TemporaryDirectory() as folder:
            for mask in 0o022, 0o027, 0o077:
                path = f"{folder}/{mask:o}"
                before = os.umask(mask)
                try:
                    self.succeeds("topology", "sf:q=4", "-o", path)
                finally:
                    os.umask(before)
                self.assertEqual(os.stat(path).st_mode & 0o777, 0o666 & ~mask)

    def test_dash_is_standard_output(self):
        self.assertEqual(self.succeeds("topology", "sf:q=4", "-o", "-"),
                         self.succeeds("topology", "sf:q=4"))


class Help(harness.Case):
    def test_version(self):
        self.assertRegex(self.succeeds("--version"), r"^slimfly \d+\.\d+\.\d+$")

    def test_every_command_has_help(self):
        overview = self.succeeds("help")
        self.assertEqual(sorted(line.split()[0]
                                for line in overview.splitlines()
                                if line.startswith("  ")), sorted(COMMANDS))
        self.assertEqual(overview, self.succeeds("--help"))
        for line in overview.splitlines():
            if line.startswith("  "):
                command = line.split()[0]
                text = self.succeeds("help", command)
                self.assertEqual(text, self.succeeds(command, "--help"))
                self.assertIn(f"Usage: slimfly {command}", text)
                self.assertLessEqual(max(map(len, text.splitlines())), 100)

    def test_sentences_are_short(self):
        """One fact a sentence.  Lists of options and examples do not count."""
        for command in COMMANDS:
            text = self.succeeds("help", command).split("\nOptions:\n")[0]
            for paragraph in text.split("\n\n")[1:]:
                words = " ".join(paragraph.split())
                for sentence in re.split(r"[.:;?] ", words):
                    self.assertLessEqual(len(sentence.split()), 35,
                                         f"{command}: {sentence}")

    def test_every_command_belongs_to_those_who_use_it(self):
        """Help and man page list commands by group; the completion lists them
        as they stand in the table, and so knows those without one."""
        script = self.succeeds("help", "--format", "bash")
        table = script.split('words="--version --help ')[1].split('"')[0]
        groups, title = {}, None
        for line in self.succeeds("help").splitlines():
            if line and not line.startswith(" "):
                title = line.split(":")[0]
            elif line:
                groups.setdefault(title, []).append(line.split()[0])
        self.assertEqual(list(groups), ["Design", "Build", "Run", "Study",
                                        "Everybody"])
        listed = sum(groups.values(), [])
        self.assertEqual(sorted(listed), sorted(table.split()),
                         "commands without .group = CLI_...")
        for title, command in (("Design", "design"), ("Build", "verify"),
                               ("Run", "status"), ("Study", "simulate"),
                               ("Everybody", "help")):
            self.assertIn(command, groups[title])
        page = self.succeeds("help", "--format", "man")
        self.assertEqual(re.findall(r"^\.BR slimfly\\-(\S+)", page, re.M),
                         listed)
        self.assertEqual(page.count("\n.SS "), len(groups))

    def options(self, command):
        """What the help of a command says about each of its options."""
        text = self.succeeds("help", command)
        text = text.split("\nOptions:\n")[1].split("\nExamples:")[0]
        text = re.sub(r"\n {10,}", " ", text)
        return dict(re.findall(r"^ +(?:-\w, )?--(\S+) (.*)$", text, re.M))

    def test_ranges_are_checked_as_help_states_them(self):
        for command in COMMANDS:
            for name, text in self.options(command).items():
                found = re.search(r"\(([\d.e+-]+) to ([\d.e+]+)", text)
                if not found:
                    continue
                for value in "x", "-1", "1e30":
                    with self.subTest(command=command, option=name):
                        self.fails(command, f"--{name}", value,
                                   says=f"--{name} '{value}': expected ")
                        self.fails(command, f"--{name}", value,
                                   says=f"{found[1]} to {found[2]}")

    def test_choices_are_checked_as_help_states_them(self):
        for command in COMMANDS:
            for name, text in self.options(command).items():
                found = re.search(r"\((\w[\w-]*(?:, \w[\w-]*)+);", text)
                if found:
                    with self.subTest(command=command, option=name):
                        self.fails(command, f"--{name}", "x",
                                   says=f"'x': expected one of {found[1]}\n")

    def test_shared_options_have_one_help(self):
        help_of = {command: self.options(command) for command in COMMANDS}
        for name in "guids", "identity", "ignore-rates", "scheme", "lanes", \
                "max-vls", "max-sls", "path-sets", "per-host", "max-hops", \
                "seed", "threads":
            texts = {options[name] for options in help_of.values()
                     if name in options}
            self.assertEqual(len(texts), 1, name)

    def test_man_pages_are_sound(self):
        for command in [[]] + [[command] for command in COMMANDS]:
            page = self.succeeds("help", "--format", "man", *command)
            done = subprocess.run(["man", "--warnings", "-l", "-"],
                                  input=page, capture_output=True, text=True,
                                  env={**os.environ, "MANWIDTH": "80"},
                                  check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("EXIT STATUS", done.stdout)

    def test_completion(self):
        script = self.succeeds("help", "--format", "bash")

        def complete(*words):
            line = "COMP_WORDS=({}); COMP_CWORD={}".format(
                " ".join(f"'{word}'" for word in words), len(words) - 1)
            return subprocess.run(
                ["bash", "-c", f"{script}\n{line}\n_slimfly\n"
                 "echo \"${COMPREPLY[@]}\""],
                capture_output=True, text=True, check=True).stdout.split()

        self.assertEqual(complete("slimfly", "top"), ["topology"])
        self.assertEqual(complete("slimfly", "topology", "--form"),
                         ["--format"])
        self.assertEqual(complete("slimfly", "topology", "--format", "graph"),
                         ["graphml"])
        self.assertEqual(complete("slimfly", "help", "topo"), ["topology"])
        # Words, folders, and nothing for numbers; -t is not --timeout here.
        self.assertEqual(complete("slimfly", "route", "--scheme", "min"),
                         ["minimal"])
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(f"{folder}/tables")
            with open(f"{folder}/tables.txt", "w", encoding="utf-8"):
                pass
            self.assertEqual(
                complete("slimfly", "route", "-p", f"{folder}/tab"),
                [f"{folder}/tables"])
            self.assertEqual(
                complete("slimfly", "route", "-l", f"{folder}/tab"), [])
        self.assertNotIn("--timeout | -t",
                         script[script.index("    analyze)"):
                                script.index("    simulate)")])


if __name__ == "__main__":
    harness.main()
