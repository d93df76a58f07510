"""The formats: against golden files, and as other programs read them.

SLIMFLY_WRITE_GOLDENS=1 writes the golden files anew (make goldens).
"""
import csv
import io
import json
import os
import re
import subprocess
import tempfile
import xml.etree.ElementTree

import networkx

import harness
from test_topology import SMALL

GOLDEN = f"{harness.ROOT}/tests/golden"
FORMATS = ["text", "json", "csv", "edges", "dot", "graphml", "nodelink",
           "booksim", "svg"]
GOLDEN_SPECS = {"sf4": "sf:q=4", "ft2": "ft2:leaf=3,core=2,up=2,p=4"}


def counted(graph):
    """The graph as a multiset of links between numbers."""
    links = sorted(tuple(sorted((int(a), int(b))))
                   for a, b in graph.edges())
    return len(graph), links


class Formats(harness.Case):
    def reference(self, spec):
        """The number of switches and the links, from the edge list."""
        text = self.succeeds("topology", spec, "-f", "edges")
        n = int(re.search(r"# Nodes: (\d+)", text).group(1))
        links = sorted(tuple(map(int, line.split()))
                       for line in text.splitlines() if line[0] != "#")
        return n, links

    def without_origin(self, text, spec):
        """JSON without what made it, which another version has otherwise."""
        found = json.loads(text)
        self.assertRegex(found["program"], r"^slimfly \d")
        self.assertEqual(found["command"],
                         f"slimfly topology {spec} -f json")
        return re.sub(r',\n  "(program|command)": "[^"]*"', "", text)

    def test_goldens(self):
        for name, spec in GOLDEN_SPECS.items():
            for fmt in FORMATS:
                if name == "ft2" and fmt == "booksim":
                    continue  # No parallel links in BookSim.
                with self.subTest(name=name, format=fmt):
                    path = f"{GOLDEN}/{name}.{fmt}"
                    got = self.succeeds("topology", spec, "-f", fmt)
                    if fmt == "json":
                        got = self.without_origin(got, spec)
                    if os.environ.get("SLIMFLY_WRITE_GOLDENS"):
                        with open(path, "w", encoding="utf-8") as file:
                            file.write(got)
                    with open(path, encoding="utf-8") as file:
                        self.assertEqual(got, file.read())

    def test_edges_read_back_are_the_same(self):
        for spec in SMALL:
            text = self.succeeds("topology", spec, "-f", "edges")
            again = self.succeeds("topology", "edges:-", "-f", "edges",
                                  stdin=text)
            self.assertEqual(text.split("\n", 1)[1], again.split("\n", 1)[1])

    def test_networkx_reads_edges(self):
        for spec in SMALL:
            text = self.succeeds("topology", spec, "-f", "edges")
            graph = networkx.parse_edgelist(
                text.splitlines(), nodetype=int,
                create_using=networkx.MultiGraph)
            self.assertEqual(counted(graph), self.reference(spec), spec)

    def test_networkx_reads_nodelink(self):
        for spec in SMALL:
            data = json.loads(self.succeeds("topology", spec, "-f",
                                            "nodelink"))
            graph = networkx.node_link_graph(data)
            self.assertEqual(counted(graph), self.reference(spec), spec)
            self.assertEqual(graph.is_multigraph(), "up=3" in spec)
            # The one name is read before NetworkX 3.6, the other from then.
            self.assertEqual(data["edges"], data["links"])

    def test_networkx_reads_graphml(self):
        for spec in SMALL:
            graph = networkx.parse_graphml(
                self.succeeds("topology", spec, "-f", "graphml"))
            plain = networkx.MultiGraph()
            plain.add_nodes_from(int(v[1:]) for v in graph)
            plain.add_edges_from((int(a[1:]), int(b[1:]))
                                 for a, b in graph.edges())
            self.assertEqual(counted(plain), self.reference(spec), spec)
            hosts = sum(h for _, h in graph.nodes(data="hosts"))
            about = json.loads(self.succeeds("topology", spec, "-f", "json"))
            self.assertEqual(hosts, about["n_endpoints"])

    def test_graphviz_reads_dot(self):
        for spec in SMALL:
            text = self.succeeds("topology", spec, "-f", "dot")
            done = subprocess.run(["gvpr", "BEG_G{print(nNodes($G), \" \", "
                                   "nEdges($G))}"], input=text, text=True,
                                  capture_output=True, check=True)
            n, links = self.reference(spec)
            self.assertEqual(done.stdout.split(), [str(n), str(len(links))])

    def test_booksim_has_every_link_once_and_hosts_in_order(self):
        for spec in SMALL:
            if "up=3" in spec:
                continue
            links, hosts = [], []
            for line in self.succeeds("topology", spec, "-f",
                                      "booksim").splitlines():
                words = line.split()
                self.assertEqual(words[0], "router")
                for kind, number in zip(words[2::2], words[3::2]):
                    if kind == "router":
                        links.append((int(words[1]), int(number)))
                    else:
                        self.assertEqual(kind, "node")
                        hosts.append(int(number))
            self.assertEqual(sorted(links), self.reference(spec)[1])
            self.assertEqual(hosts, list(range(len(hosts))))

    def test_csv_agrees_with_json(self):
        rows = list(csv.DictReader(io.StringIO(
            self.succeeds("topology", *SMALL, "-f", "csv"))))
        data = json.loads(self.succeeds("topology", *SMALL, "-f", "json"))
        self.assertEqual([row["spec"] for row in rows], SMALL)
        for row, about in zip(rows, data):
            for key, value in row.items():
                if value == "":
                    self.assertIsNone(about[key])
                elif isinstance(about[key], bool):
                    self.assertEqual(value, str(about[key]).lower())
                elif isinstance(about[key], (int, float)):
                    self.assertAlmostEqual(float(value), about[key], 5)

    def test_drawings_are_svg_that_renders(self):
        for spec in SMALL + ["sf:q=9"]:
            text = self.succeeds("topology", spec, "-f", "svg")
            root = xml.etree.ElementTree.fromstring(text)
            n = self.reference(spec)[0]
            circles = root.findall("{http://www.w3.org/2000/svg}circle")
            self.assertEqual(len(circles), n)
            done = subprocess.run(["rsvg-convert"],
                                  input=text.encode(), capture_output=True,
                                  check=True)
            self.assertEqual(done.stdout[:4], b"\x89PNG")

    def test_awkward_names_survive(self):
        text = 'a"b c<d\nc<d e&\\f\n'
        dot = self.succeeds("topology", "edges:-", "-f", "dot", stdin=text)
        subprocess.run(["gvpr", ""], input=dot, text=True, check=True)
        data = json.loads(self.succeeds("topology", "edges:-", "-f",
                                        "nodelink", stdin=text))
        self.assertEqual({node["name"] for node in data["nodes"]},
                         {'a"b', "c<d", "e&\\f"})
        for fmt in "graphml", "svg":
            xml.etree.ElementTree.fromstring(self.succeeds(
                "topology", "edges:-", "-f", fmt, stdin=text))


class Isomorphism(harness.Case):
    """Judged by programs that this project did not write."""

    def test_q5_is_the_hoffman_singleton_graph(self):
        ours = networkx.parse_edgelist(
            self.succeeds("topology", "sf:q=5", "-f", "edges").splitlines(),
            nodetype=int)
        theirs = networkx.convert_node_labels_to_integers(
            networkx.hoffman_singleton_graph())
        self.assertEqual(self.canonical(ours), self.canonical(theirs))
        # Such a test can fail: one exchanged pair of links is noticed.
        a, b = 0, next(iter(ours[0]))
        c = next(v for v in ours if v not in (a, b) and not ours.has_edge(a, v)
                 and not ours.has_edge(b, v))
        d = next(v for v in ours[c] if v not in (a, b)
                 and not ours.has_edge(b, v))
        ours.remove_edges_from([(a, b), (c, d)])
        ours.add_edges_from([(a, c), (b, d)])
        self.assertNotEqual(self.canonical(ours), self.canonical(theirs))

    def test_networkx_agrees_on_distances(self):
        for spec in SMALL:
            graph = networkx.parse_edgelist(
                self.succeeds("topology", spec, "-f", "edges").splitlines(),
                nodetype=int)
            about = json.loads(self.succeeds("topology", spec, "-f", "json"))
            self.assertEqual(about["diameter"], networkx.diameter(graph))
            self.assertAlmostEqual(
                about["average_distance"],
                networkx.average_shortest_path_length(graph))

    def canonical(self, graph):
        """The canonical form that nauty gives the graph."""
        with tempfile.TemporaryDirectory() as folder:
            networkx.write_graph6(graph, f"{folder}/g", header=False)
            done = subprocess.run(["nauty-labelg", "-q", f"{folder}/g"],
                                  capture_output=True, text=True, check=True)
        return done.stdout


if __name__ == "__main__":
    harness.main()
