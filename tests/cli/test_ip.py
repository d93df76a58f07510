"""slimfly ip: the files of a plan, what real tools make of them in namespaces,
and what the audit finds when one of them is wrong."""
import csv
import ipaddress
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import yaml

import harness
import namespaces

FAMILIES = ["sf:q=4", "ft2:ports=8", "ft3:ports=4", "hx2:4x3,p=2,links=2",
            "df:a=4,h=2,p=2", "xpander:k=5,lift=3", "jellyfish:n=14,k=4",
            "pf:q=3"]
FRR = "/usr/lib/frr"


class Folder(harness.Case):
    """A case with a folder of its own, which others may look into."""

    def setUp(self):
        self.top = tempfile.mkdtemp()
        os.chmod(self.top, 0o755)
        self.addCleanup(shutil.rmtree, self.top)

    def plan(self, spec, *options, name="net"):
        """Plans a network; returns the folder."""
        folder = f"{self.top}/{name}"
        self.succeeds("ip", "plan", spec, *options, "-o", folder)
        return folder

    def read(self, path):
        """The text of a file."""
        with open(path, encoding="utf-8") as file:
            return file.read()

    def change(self, path, old, new):
        """Replaces the first 'old' in a file."""
        text = self.read(path)
        self.assertIn(old, text)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace(old, new, 1))

    def audit(self, spec, folder, *options, code=0):
        """The audit of a folder as JSON."""
        done = harness.slimfly("ip", "audit", spec, folder, "--format", "json",
                               *options)
        self.assertEqual((done.returncode, done.stderr), (code, ""),
                         done.stdout)
        return json.loads(done.stdout)


class Plan(Folder):
    """What is written."""

    def test_every_family_is_proved_right(self):
        for spec in FAMILIES:
            for options in (["--alternates", "lanes", "--path-sets", "2"],
                            ["--ipv6", "-l", "3"]):
                folder = self.plan(spec, *options)
                found = self.audit(spec, folder)
                self.assertEqual(found["paths"], found["good_paths"])
                self.assertEqual(found["paths"],
                                 found["addresses"] * found["switches"])
                self.assertEqual(found["astray"], 0)
                self.assertGreater(found["protected"], found["unprotected"])
                self.assertEqual(found["lanes"], "safe")
                if "lanes" in options:
                    self.assertEqual(found["lanes_diverted"], "safe")

    def test_same_bytes_every_time(self):
        first = self.plan("sf:q=4", "--threads", "1", name="a")
        second = self.plan("sf:q=4", "--threads", "2", name="b")
        self.assertEqual(subprocess.run(["diff", "-r", first, second],
                                        check=False).returncode, 0)

    def test_another_plan_leaves_nothing_of_the_first(self):
        folder = self.plan("sf:q=4")
        os.mkdir(f"{folder}/switches/mine")
        with open(f"{folder}/switches/notes.txt", "w",
                  encoding="utf-8") as file:
            file.write("mine\n")
        self.plan("hx2:2x2")
        self.audit("hx2:2x2", folder)
        names = {name.split(".")[0] for name in
                 os.listdir(f"{folder}/switches")}
        self.assertEqual(names, {"hx2-0-0", "hx2-0-1", "hx2-1-0", "hx2-1-1",
                                 "mine", "notes"})

    def test_what_cannot_be_is_refused_before_routing(self):
        """Routing this takes minutes."""
        file = f"{self.top}/file"
        with open(file, "w", encoding="utf-8"):
            pass
        for args, says in [
                (["-o", f"{self.top}/x", "--prefix", "10.0.0.0/16"],
                 "choose a prefix of at most"),
                (["-o", f"{self.top}/x", "--ports", "averyverylongname%d"],
                 "15"),
                (["-o", f"{self.top}/x", "--host-ports", "thirteenlongg%d"],
                 "interfaces of layers"),
                (["-o", file], "this is a file")]:
            done = subprocess.run(
                [harness.PROGRAM, "ip", "plan", "sf:q=19", "--layers", "64",
                 *args], capture_output=True, text=True, check=False,
                timeout=120)
            self.assertEqual(done.returncode, 2)
            self.assertIn(says, done.stderr)
        self.assertEqual(os.listdir(self.top), ["file"])

    def test_prefixes_that_are_not_for_hosts(self):
        for prefix in ("0.0.0.0/0", "127.1.0.0/16", "169.254.0.0/16",
                       "169.0.0.0/8", "128.0.0.0/1", "240.0.0.0/8", "::/16",
                       "::/0", "fe80::/64", "fc00::/6", "ff00::/16"):
            self.fails("ip", "plan", "hx2:2x2", "-o", f"{self.top}/x",
                       "--prefix", prefix,
                       says=f"--prefix: {prefix} is not for hosts, as ")
        for prefix in ("169.128.0.0/12", "126.0.0.0/8", "2001:db8::/48"):
            self.plan("hx2:2x2", "--prefix", prefix)

    def test_what_a_plan_says(self):
        said = self.succeeds("ip", "plan", "sf:q=4", "-s",
                             "gates:robust=yes", "-o", f"{self.top}/x")
        self.assertIn("one dead link between switches hits all addresses of 0 "
                      "of 4464 pairs of hosts\n", said)
        lines = [line for line in said.splitlines()
                 if line.startswith("    ") and "for ip -batch" in line]
        self.assertEqual(len(lines), 3)
        self.assertEqual({re.search(r"  (?=\S)(?!s)", line[4:]).end()
                          for line in lines}, {29})
        said = self.succeeds("ip", "plan", "hx2:2x2", "-l", "1", "-o",
                             f"{self.top}/y")
        self.assertIn(" 1 layer in 10.0.0.0/8\n", said)
        self.assertNotIn("one dead link", said)

    def test_files_of_others_stay(self):
        folder = f"{self.top}/plan"
        os.makedirs(f"{folder}/hosts")
        with open(f"{folder}/hosts/mine.host.batch", "w",
                  encoding="utf-8") as file:
            file.write("mine\n")
        self.plan("sf:q=4", name="plan")
        self.plan("hx2:2x2", name="plan")
        names = {name.split(".")[0] for name in
                 os.listdir(f"{folder}/hosts")}
        self.assertIn("mine", names)
        self.assertIn("node0003", names)
        self.assertNotIn("node0095", names)
        for text in ("{\"all\": {}}\n", "[]", "mine"):
            with open(f"{folder}/inventory.json", "w",
                      encoding="utf-8") as file:
                file.write(text)
            self.fails("ip", "plan", "sf:q=4", "-o", folder,
                       says="inventory.json is not of 'slimfly ip plan'")
            self.assertEqual(self.read(f"{folder}/inventory.json"), text)

    def test_addresses_are_as_the_plan_says(self):
        folder = self.plan("sf:q=4", "-l", "3", "--prefix", "172.16.0.0/12")
        inventory = json.loads(self.read(f"{folder}/inventory.json"))
        self.assertEqual(inventory["bits"],
                         {"layer": 4, "switch": 8, "port": 8})
        with open(f"{folder}/addresses.csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        addresses = [ipaddress.ip_address(row["address"]) for row in rows]
        self.assertEqual(len(set(addresses)), len(addresses))
        for row, address in zip(rows, addresses):
            self.assertIn(address, ipaddress.ip_network("172.16.0.0/12"))
            layer = int(address) >> 16 & 15
            self.assertEqual(layer, int(row["layer"]))
        for node in inventory["hosts"]:
            for port in node["ports"]:
                switch = [s["name"] for s in inventory["switches"]].index(
                    port["peer"])
                for layer, text in enumerate(port["addresses"]):
                    address = int(ipaddress.ip_address(text))
                    self.assertEqual(address >> 8 & 255, switch)
                    self.assertEqual(address >> 16 & 15, layer)
                    self.assertEqual(f"swp{address & 255}",
                                     port["peer_interface"])

    def test_ports_are_called_as_asked(self):
        folder = self.plan("sf:q=4", "--ports", "Ethernet%d:first=0,step=4",
                           "--host-ports", "eno%d")
        text = self.read(f"{folder}/switches/sf-0-0-0.routes.batch")
        self.assertIn(" dev Ethernet12 ", text)
        self.assertIn("eno1", self.read(f"{folder}/hosts/node0000.host.batch"))
        self.audit("sf:q=4", folder)

    def test_refusals(self):
        out = f"{self.top}/x"
        for args, says in [
                (["ip"], "expected plan, audit or run, found none"),
                (["ip", "fly"], "found 'fly'"),
                (["ip", "plan"], "ip plan: expected one fabric"),
                (["ip", "plan", "sf:q=4"], "-o DIR"),
                (["ip", "plan", "xpander", "-o", out],
                 "xpander: k is missing"),
                (["ip", "audit", "sf:q=4"], "expected a fabric and a folder"),
                (["ip", "audit", "sf:q=4", self.top], "inventory.json"),
                (["ip", "plan", "sf:q=4", "-o", self.top, "--routes", "x"],
                 "ip plan: --routes is for ip audit"),
                (["ip", "plan", "sf:q=4", "-o", out, "--prefix", "10.0.0.0"],
                 "too long"),
                (["ip", "plan", "sf:q=4", "-o", out, "--prefix", "ten"],
                 "is no prefix"),
                (["ip", "plan", "sf:q=5", "-o", out, "--prefix",
                  "192.168.0.0/24"], "choose a prefix of at most 20 bits"),
                (["ip", "plan", "sf:q=4", "-o", out, "--prefix",
                  "10.0.0.0/8", "--ipv6"], "expected a prefix of IPv6"),
                (["ip", "plan", "sf:q=4", "-o", out, "--ports",
                  "averyveryverylongname%d"], "15"),
                (["ip", "plan", "sf:q=4", "-o", out, "--ports", "swp"], "%d"),
                (["ip", "plan", "sf:q=4", "-o", out, "--host-ports",
                  "thirteenlongg%d"], "interfaces of layers"),
                (["ip", "plan", "sf:q=4", "-o", "/proc/nowhere"], "/proc"),
                (["ip", "plan", "jellyfish:n=400,k=300,p=2", "-o", out],
                 "302 ports (300 links, 2 hosts); slimfly numbers at most 254"),
                (["ip", "plan", "sf:q=4", "-o", out, "--alternates", "lanes",
                  "--lanes", "dfsssp", "--guarantee", "path-sl"],
                 "cannot keep lanes")]:
            self.fails(*args, says=says)
            self.assertFalse(os.path.exists(f"{out}/inventory.json"))

    def test_routes_of_a_folder_are_taken(self):
        self.succeeds("route", "sf:q=4", "-l", "2", "-o", f"{self.top}/ib")
        folder = self.plan(f"{self.top}/ib")
        found = self.audit("sf:q=4", folder)
        self.assertEqual(found["layers"], 2)


    def test_what_a_switch_has_besides(self):
        """No packet of the plan leaves by a default route or is dropped since
        its answer would go elsewhere, whatever the switch had before."""
        folder = self.plan("hx2:2x2", "-l", "2", "--ports", "e.%d")
        links = self.read(f"{folder}/switches/hx2-0-0.links.batch")
        self.assertEqual(re.findall("route replace (.*)", links),
                         ["unreachable 10.0.0.0/16 metric 200",
                          "unreachable 10.1.0.0/16 metric 200"])
        for node, ports in (("switches/hx2-0-0", ["e.1", "e.2", "e.3"]),
                            ("hosts/node0000", ["eth1"])):
            settings = self.read(f"{folder}/{node}.sysctl.conf")
            self.assertEqual(re.findall("net/ipv4/conf/(.*)/rp_filter = 0",
                                        settings), ports)


class Formats(Folder):
    """What cannot be run here, against what its readers publish."""

    def test_sonic(self):
        # As sonic-static-route.yang has it.
        distance = re.compile(r"((25[0-5]|2[0-4]\d|[01]?\d\d?),)*"
                              r"(25[0-5]|2[0-4]\d|[01]?\d\d?)")
        for options in ([], ["--ipv6"]):
            folder = self.plan("hx2:3x3,p=2,links=2", *options, "--path-sets",
                               "2", "--ports", "Ethernet%d:first=0,step=4")
            for name in os.listdir(f"{folder}/switches"):
                if not name.endswith(".sonic.json"):
                    continue
                config = json.loads(self.read(f"{folder}/switches/{name}"))
                self.assertEqual(set(config), {"INTERFACE",
                                               "LOOPBACK_INTERFACE",
                                               "STATIC_ROUTE"})
                # As sonic-interface.yang has it.  All ports that routes
                # leave by are there.
                ports = {key for key in config["INTERFACE"] if "|" not in key}
                for key, value in config["INTERFACE"].items():
                    port, *address = key.split("|")
                    self.assertIn(port, ports)
                    self.assertEqual((value, len(address)),
                                     ({}, int("|" in key)))
                    for text in address:
                        found = ipaddress.ip_interface(text)
                        self.assertTrue(found.is_link_local)
                # As sonic-loopback-interface.yang has it.
                loopbacks = [key.split("|")
                             for key in config["LOOPBACK_INTERFACE"]]
                self.assertEqual(loopbacks[0], ["Loopback0"])
                self.assertEqual(set(map(str, config[
                    "LOOPBACK_INTERFACE"].values())), {"{}"})
                for name_of, text in loopbacks[1:]:
                    found = ipaddress.ip_interface(text)
                    self.assertEqual(name_of, "Loopback0")
                    self.assertEqual(found.network.prefixlen,
                                     found.max_prefixlen)
                self.assertEqual(ports, {
                    port for route in config["STATIC_ROUTE"].values()
                    for port in route["ifname"].split(",") if port})
                for key, route in config["STATIC_ROUTE"].items():
                    vrf, prefix = key.split("|")
                    self.assertEqual(vrf, "default")
                    ipaddress.ip_network(prefix)
                    self.assertEqual(set(route), {"nexthop", "ifname",
                                                  "distance", "blackhole"})
                    self.assertTrue(distance.fullmatch(route["distance"]))
                    lists = {k: v.split(",") for k, v in route.items()}
                    self.assertEqual(len({len(v) for v in lists.values()}), 1)
                    for hop, port, _, hole in zip(*(lists[k] for k in (
                            "nexthop", "ifname", "distance", "blackhole"))):
                        ipaddress.ip_address(hop)
                        self.assertIn(hole, ("true", "false"))
                        self.assertEqual(hole == "true", port == "")
                        self.assertRegex(port, r"^(Ethernet\d+)?$")

    def test_containerlab(self):
        folder = self.plan("hx2:3x3,p=2,links=2", "-l", "2")
        lab = yaml.safe_load(self.read(f"{folder}/topology.clab.yml"))
        self.assertEqual(set(lab), {"name", "topology"})
        topology = lab["topology"]
        self.assertEqual(set(topology), {"defaults", "nodes", "links"})
        self.assertEqual(len(topology["nodes"]), 9 + 18)
        self.assertEqual(len(topology["links"]), 36 + 18)
        ends = set()
        for name, node in topology["nodes"].items():
            self.assertRegex(name, r"^[A-Za-z0-9][A-Za-z0-9-]{0,14}$")
            self.assertEqual(node["kind"], "linux")
            self.assertEqual(set(node), {"kind", "binds", "exec"})
            for line in node["exec"]:
                path = line.split()[-1].replace(
                    "/etc/slimfly", node["binds"][0].split(":")[0])
                self.assertTrue(os.path.exists(f"{folder}/{path}"), path)
        for link in topology["links"]:
            self.assertEqual(set(link), {"endpoints"})
            self.assertEqual(len(link["endpoints"]), 2)
            for end in link["endpoints"]:
                name, port = end.split(":")
                self.assertIn(name, topology["nodes"])
                self.assertLessEqual(len(port), 15)
                self.assertNotEqual(port, "eth0")
                self.assertNotIn(end, ends)
                ends.add(end)


class Audit(Folder):
    """What is wrong is found."""

    SPEC = "sf:q=4"

    def damaged(self, path, old, new, says, code=1):
        """Damages a plan and audits it."""
        folder = self.plan(self.SPEC, "-l", "2")
        self.change(f"{folder}/{path}", old, new)
        if code == 2:
            self.fails("ip", "audit", self.SPEC, folder, says=says)
            return
        found = self.audit(self.SPEC, folder, code=1)
        self.assertFalse(found["ok"])
        self.assertTrue(any(says in line for line in found["findings"]),
                        found["findings"])

    def first_route(self, kind="metric 10 onlink"):
        """A route of the first switch to another one."""
        folder = self.plan(self.SPEC, "-l", "2")
        for line in self.read(
                f"{folder}/switches/sf-0-0-0.routes.batch").splitlines():
            if line.endswith(kind):
                return line
        raise AssertionError(kind)

    def test_a_route_is_missing(self):
        self.damaged("switches/sf-0-0-0.routes.batch",
                     self.first_route() + "\n", "", "sf-0-0-0")

    def test_a_next_hop_is_elsewhere(self):
        line = self.first_route()
        self.damaged("switches/sf-0-0-0.routes.batch", line,
                     re.sub(r"via \S+", "via 10.0.30.0", line),
                     "not at the other end")

    def test_a_route_leads_to_a_host(self):
        line = self.first_route()
        self.damaged("switches/sf-0-0-0.routes.batch", line,
                     re.sub(r"dev \S+", "dev swp1", line), "another host")

    def test_an_alternate_leads_back(self):
        folder = self.plan(self.SPEC, "-l", "2")
        path = f"{folder}/switches/sf-0-0-0.routes.batch"
        text = self.read(path)
        # A neighbour, whose other neighbours mostly come by this switch.
        via, port = re.search(r"(10\.0\.\d+\.0)/24 via \1 dev (\S+) "
                              r"metric 10 onlink\n(?!.*metric 100)",
                              text).groups()
        others = sorted(set(re.findall(r"via (\S+) dev (\S+)", text))
                        - {(via, port)})
        seen = []
        for other, out in others:
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"{text}route replace {via}/24 via {other} dev "
                           f"{out} metric 100 onlink\n")
            seen.append(harness.slimfly("ip", "audit", self.SPEC,
                                        folder).stdout)
        self.assertTrue(any("do not arrive by the alternate" in found
                            for found in seen), seen[0])

    def test_formats_differ(self):
        self.damaged("switches/sf-0-1-0.staticd.conf", " swp4 10 ",
                     " swp5 10 ", "has not the routes")
        self.damaged("switches/sf-0-1-0.sonic.json", '"distance": "10,100"',
                     '"distance": "10,101"', "has not the routes")

    def test_tables_for_people_differ(self):
        self.damaged("addresses.csv", "node0003,eth1,1,10.1.1.1",
                     "node0003,eth1,1,10.1.1.9", "addresses.csv: has not "
                     "node0003,eth1,1,10.1.1.1, which the batches have")
        self.damaged("addresses.csv", "sf-0-0-0,lo,0,10.0.0.0\n", "",
                     "addresses.csv: has not sf-0-0-0,lo,0,10.0.0.0")
        self.damaged("addresses.csv", "sf-0-0-0,lo,0,", "sf,lo,0,",
                     "addresses.csv: has sf,lo,0,10.0.0.0, which the batches "
                     "have not")
        self.damaged("lanes.csv", ",swp4,0,3,3", ",swp4,0,4,3",
                     "lanes.csv: has not sf-0-0-0,")

    def test_an_address_is_there_twice(self):
        self.damaged("hosts/node0003.host.batch", "address replace 10.0.1.1/",
                     "address replace 10.0.2.1/", "both have the address")

    def test_lanes_in_a_circle(self):
        folder = self.plan(self.SPEC, "-l", "4")
        for name in os.listdir(f"{folder}/switches"):
            if name.endswith(".lanes.nft"):
                path = f"{folder}/switches/{name}"
                text = re.sub(r"goto lane\d", "goto lane0", self.read(path))
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
        found = self.audit(self.SPEC, folder, code=1)
        self.assertEqual(found["lanes"], "deadlock")
        self.assertIn("lane 0", found["cycle"])

    def test_a_path_leaves_its_lane(self):
        folder = self.plan(self.SPEC, "-l", "2")
        path = f"{folder}/switches/sf-0-0-0.lanes.nft"
        text = re.sub(r'"swp1" \. "swp\d+" : goto lane\d,\n', "",
                      self.read(path))
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        found = self.audit(self.SPEC, folder, code=1)
        self.assertIn("leaves the lanes", "".join(found["findings"]))

    def test_files_that_are_none(self):
        self.damaged("switches/sf-0-0-0.routes.batch", "route replace 10",
                     "route flush 10", "sf-0-0-0.routes.batch:", code=2)
        self.damaged("switches/sf-0-0-0.lanes.nft", "goto lossy",
                     "drop", "sf-0-0-0.lanes.nft:", code=2)
        self.damaged("switches/sf-0-0-0.sonic.json", "{", "[",
                     "sf-0-0-0.sonic.json:", code=2)
        self.damaged("inventory.json", "swp%d", "swp", "switch_ports", code=2)

    def test_another_fabric(self):
        folder = self.plan(self.SPEC)
        self.fails("ip", "audit", "sf:q=3", folder,
                   says="inventory.json: the plan is of 32 switches and 96 "
                   "hosts, and the fabric has 18 and 54")
        self.fails("ip", "audit", "hx2:2x2", folder,
                   says="and the fabric has 4 and 4")
        # One of the same numbers.
        self.fails("ip", "audit", "jellyfish:n=32,k=6,p=3", folder,
                   says="jellyfish-0.routes.batch")

    @unittest.skipIf(os.getuid(), "only root can become somebody else")
    def test_a_folder_that_may_not_be_read(self):
        folder = self.plan("hx2:2x2")
        program = f"{self.top}/slimfly"
        shutil.copy(harness.PROGRAM, program)
        os.chmod(f"{folder}/inventory.json", 0)
        done = subprocess.run(
            [program, "ip", "audit", "hx2:2x2", folder], text=True,
            capture_output=True, check=False, cwd=self.top, user=65534,
            group=65534, extra_groups=[])
        self.assertEqual(done.returncode, 2)
        self.assertIn("inventory.json: Permission denied", done.stderr)


class Held(Folder):
    """The audit of what switches hold, as 'ip -j route' prints it."""

    SPEC = "hx2:3x3"

    def dump(self, folder):
        """What switches print that have loaded the batches of a plan; the
        folder, and the routes by switch."""
        dumps, found = f"{self.top}/dumps", {}
        os.makedirs(dumps, exist_ok=True)
        for name in os.listdir(f"{folder}/switches"):
            if name.endswith(".routes.batch"):
                found[name.split(".")[0]] = [
                    {"dst": "default", "gateway": "192.0.2.1", "dev": "eth0",
                     "flags": []},
                    {"dst": "192.0.2.0/24", "dev": "eth0", "flags": [],
                     "protocol": "kernel"},
                    *self.routes(f"{folder}/switches/{name}")]
        return dumps, found

    def routes(self, path):
        """The routes of a batch as JSON."""
        for line in self.read(path).splitlines()[1:]:
            words = line.split()[2:]
            route = {"flags": ["onlink"] if words[-1] == "onlink" else []}
            if words[0] == "unreachable":
                route["type"] = words.pop(0)
            route["dst"] = re.sub("/(32|128)$", "", words.pop(0))
            for word, value in zip(words, words[1:]):
                if word in ("via", "dev", "metric"):
                    key = "gateway" if word == "via" else word
                    route[key] = int(value) if word == "metric" else value
            yield route

    def judge(self, folder, dumps, routes, code):
        """Audits what switches hold."""
        for name, held in routes.items():
            with open(f"{dumps}/{name}.json", "w", encoding="utf-8") as file:
                json.dump(held, file)
        return self.audit(self.SPEC, folder, "--routes", dumps, code=code)

    def wrong(self, change, says, *options):
        """Changes the routes of one switch, which is found."""
        folder = self.plan(self.SPEC, "-l", "2", *options)
        dumps, routes = self.dump(folder)
        change(routes["hx2-0-0"])
        found = self.judge(folder, dumps, routes, 1)
        self.assertTrue(any(says in line for line in found["findings"]),
                        found["findings"])

    def test_all_is_well(self):
        for options in ([], ["--ipv6"]):
            folder = self.plan(self.SPEC, "-l", "2", *options)
            planned = self.audit(self.SPEC, folder)
            dumps, routes = self.dump(folder)
            found = self.judge(folder, dumps, routes, 0)
            self.assertEqual((planned.pop("routes_of"), found["routes_of"]),
                             ("files", "switches"))
            for key in ("paths", "good_paths", "hops", "protected", "routes",
                        "lanes"):
                self.assertEqual(found[key], planned[key], key)

    def test_a_route_is_missing(self):
        def drop(held):
            held[:] = [route for route in held
                       if route["dst"] != "10.0.8.0/24"]
        self.wrong(drop, "packets from hx2-0-0 to 10.0.8.1, an address of "
                   "node0016: no route")

    def test_a_link_is_down(self):
        """Dead routes do not count; those over a dead link that do are
        told."""
        def kill(flags):
            def change(held):
                for route in held:
                    if route.get("dev") == "swp3":
                        route["flags"] = flags
            return change
        self.wrong(kill(["linkdown"]), "ignore_routes_with_linkdown is not "
                   "set")
        self.wrong(kill(["dead", "linkdown"]), "no route", "--alternates",
                   "none")

    def test_others_routes_take_packets(self):
        self.wrong(lambda held: held.append(
            {"dst": "10.0.8.0/25", "dev": "eth0", "flags": []}),
            "leads to 'eth0', which is no port of the network")
        self.wrong(lambda held: held.append(
            {"dst": "10.0.8.0/25", "type": "blackhole", "flags": []}),
            "10.0.8.1, an address of node0016: no route")
        self.wrong(lambda held: held.append(
            {"dst": "10.0.8.0/25", "flags": [], "nexthops": [
                {"gateway": "10.0.1.0", "dev": "swp3", "flags": []},
                {"gateway": "10.0.2.0", "dev": "swp4", "flags": []}]}),
            "10.0.8.0/25 has 2 next hops")

    def test_a_next_hop_is_elsewhere(self):
        def bend(held):
            for route in held:
                if route.get("gateway") == "10.0.1.0":
                    route["gateway"] = "10.0.7.0"
        self.wrong(bend, "hx2-0-0.json: 10.0.1.0/24: the next hop 10.0.7.0 is "
                   "not at the other end")

    def test_nothing_is_held(self):
        self.wrong(lambda held: held.clear(), "no route within 10.0.0.0/8")

    def test_files_that_are_none(self):
        folder = self.plan(self.SPEC, "-l", "2")
        dumps, routes = self.dump(folder)
        command = ("ip", "audit", self.SPEC, folder, "--routes", dumps)
        self.fails(*command, says="hx2-0-0.json: No such file")
        self.judge(folder, dumps, routes, 0)
        for text, says in (("", "hx2-0-0.json:"), ("{}", "expected an array"),
                           ("[{}]", "expected routes with 'dst'"),
                           ("ssh: no route to host", "hx2-0-0.json:1:")):
            with open(f"{dumps}/hx2-0-0.json", "w",
                      encoding="utf-8") as file:
                file.write(text)
            self.fails(*command, says=says)


class Real(Folder):
    """Real tools load the files, and real packets arrive."""

    def all_arrive(self, net):
        """Pings all addresses of all other hosts."""
        for host in net.hosts:
            for other in net.hosts:
                for to in net.addresses(other) if host is not other else ():
                    self.assertFalse(net.loses(host["name"], to),
                                     (host["name"], to))

    def cut(self, net):
        """Cuts the first link of the first switch to another one."""
        names = {node["name"] for node in net.switches}
        port = next(port for port in net.switches[0]["ports"]
                    if port["peer"] in names)
        net.ip(port["peer"], "link", "set", port["peer_interface"], "down")
        return port["interface"]

    @namespaces.needed
    def test_linux(self):
        for options, ending in ((["-l", "2"], ".host.batch"),
                                (["-l", "2", "--ipv6"], ".macvlan.batch")):
            folder = self.plan("hx2:2x2,p=1,links=2", *options)
            with namespaces.Network(folder) as net:
                for _ in range(2):  # Loading twice does no harm.
                    net.load_switches(".links.batch", ".routes.batch",
                                      ".lanes.nft")
                net.load_hosts(ending)
                self.all_arrive(net)
                self.cut(net)  # There are parallel links everywhere.
                self.all_arrive(net)
                limits = net.ip(net.hosts[0]["name"], "mptcp", "limits")
                self.assertIn("subflows 8", limits)

    @namespaces.needed
    def test_lanes_mark_packets(self):
        folder = self.plan("sf:q=3", "-l", "2")
        with open(f"{folder}/lanes.csv", encoding="utf-8") as file:
            marks = {(row["switch"], row["in_port"], row["out_port"]):
                     int(row["dscp"]) for row in csv.DictReader(file)}
        with namespaces.Network(folder) as net:
            net.load_switches(".links.batch", ".routes.batch", ".lanes.nft")
            net.load_hosts(".host.batch")
            path = self.longest_path(net, folder)
            for (switch, port, _, _) in path[1:]:
                net.inside(switch, "nft", "-f", "-", stdin=(
                    "table inet seen {\nchain in {\ntype filter hook "
                    "prerouting priority raw\n" + "".join(
                        f'iifname "{port}" ip dscp {mark} counter comment '
                        f'"mark {mark}"\n' for mark in range(8)) + "}\n}\n"))
            for mark in ("12", "0"):  # That of lane 0, and of none.
                net.inside(path[0][3]["from"], "ping", "-c", "1", "-w", "20",
                           "-Q", mark, path[0][3]["to"])
            expected = None
            for (switch, port, out, _) in path:
                if expected is not None:
                    seen = net.inside(switch, "nft", "list", "table", "inet",
                                      "seen")
                    counts = {int(mark): int(n) for n, mark in re.findall(
                        r'packets (\d+) .*"mark (\d+)"', seen)}
                    self.assertGreaterEqual(counts[expected], 1, counts)
                    self.assertGreaterEqual(counts[0], 1, counts)
                    self.assertEqual(
                        {m for m, n in counts.items() if n}, {0, expected})
                expected = marks[switch, port, out]

    def longest_path(self, net, folder):
        """The hops (switch, in, out, ends) of a path over most switches, as
        the batches have it."""
        routes = {}
        for node in net.switches:
            for line in self.read(f"{folder}/switches/{node['name']}"
                                  ".routes.batch").splitlines():
                found = re.match(r"route replace (\S+)(?: via \S+)? dev (\S+) "
                                 r"metric 10\b", line)
                if found:
                    routes[node["name"], found[1]] = found[2]
        peers = {(node["name"], port["interface"]):
                 (port["peer"], port["peer_interface"])
                 for node in net.switches for port in node["ports"]}
        best = []
        start = net.hosts[0]
        for host in net.hosts[1:]:
            for to in net.addresses(host):
                where = (start["ports"][0]["peer"],
                         start["ports"][0]["peer_interface"])
                path = []
                ends = {"from": start["name"], "to": to}
                while where[0] != host["name"]:
                    switch, port = where
                    net_of = str(ipaddress.ip_network(f"{to}/24", False))
                    out = (routes.get((switch, f"{to}/32"))
                           or routes[switch, net_of])
                    path.append((switch, port, out, ends))
                    where = peers[switch, out]
                best = max(best, path, key=len)
        self.assertGreaterEqual(len(best), 3)
        return best

    @namespaces.needed
    def test_frr(self):
        if not os.path.exists(f"{FRR}/staticd"):
            self.skipTest("no FRR")
        for options in (["-l", "2"], ["-l", "2", "--ipv6"]):
            folder = self.plan("hx2:2x2,p=1,links=2", *options)
            with namespaces.Network(folder) as net:
                net.load_switches(".links.batch")
                net.load_hosts(".host.batch")
                try:
                    self.start_frr(net, folder)
                    self.wait_for_routes(net, folder, None)
                    self.all_arrive(net)
                    down = self.cut(net)
                    self.wait_for_routes(net, folder, down)
                    self.all_arrive(net)
                finally:
                    self.stop_frr()

    def start_frr(self, net, folder):
        """Starts zebra and staticd on each switch."""
        self.pids = []
        for node in net.switches:
            home = tempfile.mkdtemp(dir=self.top)
            os.chmod(home, 0o777)
            with open(f"{home}/zebra.conf", "w", encoding="utf-8") as file:
                file.write(f"hostname {node['name']}\n")
            static = f"{folder}/switches/{node['name']}.staticd.conf"
            for name, config in (("zebra", f"{home}/zebra.conf"),
                                 ("staticd", static)):
                self.pids.append(f"{home}/{name}.pid")
                net.inside(node["name"], f"{FRR}/{name}", "-d", "-f", config,
                           "-i", f"{home}/{name}.pid", "-z",
                           f"{home}/zebra.sock", "--vty_socket", home, "-P",
                           "0", "--log", f"file:{home}/log")

    def stop_frr(self):
        """Ends what start_frr() started."""
        for path in self.pids:
            if os.path.exists(path):
                pid = int(self.read(path))
                os.kill(pid, signal.SIGTERM)

    def wait_for_routes(self, net, folder, down):
        """Waits until the first switch has the routes of its batch, without
        those over the port that is down."""
        name = net.switches[0]["name"]
        wanted = {}
        for line in self.read(
                f"{folder}/switches/{name}.routes.batch").splitlines():
            words = line.split()
            if "dev" in words:
                port = words[words.index("dev") + 1]
                prefix = re.sub(r"/(32|128)$", "", words[2])
                if port != down:
                    wanted.setdefault(prefix, port)
        end = time.monotonic() + harness.PATIENCE
        while True:
            have = dict(re.findall(r"^([0-9a-f.:/]+) .*dev (\S+) proto static",
                                   net.ip(name, "route"), re.M))
            if have == wanted:
                return
            self.assertLess(time.monotonic(), end, (have, wanted))
            time.sleep(0.1)

    def test_frr_reads_it(self):
        if not os.path.exists(f"{FRR}/staticd"):
            self.skipTest("no FRR")
        for options in ([], ["--ipv6"]):
            folder = self.plan("sf:q=4", *options)
            path = f"{folder}/switches/sf-0-0-0.staticd.conf"
            check = ["vtysh", "--dryrun", "-f", path]
            done = subprocess.run(check, capture_output=True, text=True,
                                  timeout=harness.PATIENCE, check=False)
            self.assertEqual((done.returncode, done.stdout), (0, ""))
            self.change(path, " route ", " rout e ")
            done = subprocess.run(check, capture_output=True, text=True,
                                  timeout=harness.PATIENCE, check=False)
            self.assertNotEqual(done.returncode, 0)


harness.main()
