"""Judges throughput with another solver (HiGHS, in SciPy) and linear programs
of its own: over the paths of the layers, and as flows on links without any
paths.  Takes the program that dumps random cases."""
import json
import subprocess
import sys

from scipy.optimize import linprog
from scipy.sparse import lil_matrix


def over_paths(case):
    """The largest factor with shares at will: flows on the paths."""
    columns = [(k, [2 * link + forward for link, forward in path])
               for k, demand in enumerate(case["demands"])
               for path in demand[3]]
    n_arcs, n = 2 * len(case["links"]), len(columns) + 1
    capacity = lil_matrix((n_arcs, n))
    balance = lil_matrix((len(case["demands"]), n))
    for j, (k, arcs) in enumerate(columns):
        for arc in arcs:
            capacity[arc, j] += 1
        balance[k, j] = 1
    for k, demand in enumerate(case["demands"]):
        balance[k, n - 1] = -demand[2]
    return solve(n, capacity, n_arcs, balance)


def over_links(case):
    """The largest factor over any paths: a flow from each source."""
    sources = sorted({demand[0] for demand in case["demands"]})
    n_arcs, n_nodes = 2 * len(case["links"]), case["n"]
    n = len(sources) * n_arcs + 1
    capacity = lil_matrix((n_arcs, n))
    balance = lil_matrix((len(sources) * n_nodes, n))
    for i, source in enumerate(sources):
        for link, ends in enumerate(case["links"]):
            for forward in (0, 1):
                arc, column = 2 * link + forward, i * n_arcs + 2 * link + forward
                tail, head = ends if forward else reversed(ends)
                capacity[arc, column] = 1
                balance[i * n_nodes + tail, column] -= 1
                balance[i * n_nodes + head, column] += 1
        for start, end, amount, _ in case["demands"]:
            if start == source:
                balance[i * n_nodes + end, n - 1] -= amount
                balance[i * n_nodes + start, n - 1] += amount
    return solve(n, capacity, n_arcs, balance)


def solve(n, capacity, n_arcs, balance):
    """Maximises the last variable."""
    found = linprog([0] * (n - 1) + [-1], A_ub=capacity.tocsr(),
                    b_ub=[1] * n_arcs, A_eq=balance.tocsr(),
                    b_eq=[0] * balance.shape[0], method="highs")
    assert found.status == 0, found.message
    return -found.fun


def equally(case):
    """The same share over each layer: the busiest link decides."""
    loads = {}
    for _, _, amount, paths in case["demands"]:
        for path in paths:
            for link, forward in path:
                loads[link, forward] = (loads.get((link, forward), 0)
                                        + amount / len(paths))
    return 1 / max(loads.values())


def check(name, cases, key, judge, gap):
    """Whether the bounds of all cases enclose what the judge finds, and are as
    close together as promised."""
    bad = []
    for i, case in enumerate(cases):
        lower, upper = case[key]
        truth = judge(case)
        if not (lower <= truth * (1 + 1e-6) and upper >= truth * (1 - 1e-6)
                and upper <= lower * (1 + gap)):
            bad.append(f"case {i}, {case['traffic']}: {truth} is not from "
                       f"{lower} to {upper}")
    print(f"{'not ok' if bad else 'ok'} {name}, {len(cases)} cases")
    for line in bad:
        print(f"# {line}")
    return not bad


def main():
    """Prints TAP."""
    cases = json.loads(subprocess.run([sys.argv[1]], check=True,
                                      stdout=subprocess.PIPE).stdout)
    print("TAP version 13")
    results = [
        check("1 - layers, exactly", cases, "layers", over_paths, 0),
        check("2 - layers, bounds", cases, "layers bounds", over_paths, 0.006),
        check("3 - layers, equal shares", cases, "equal", equally, 1e-12),
        check("4 - any path", cases, "any", over_links, 0.0011),
    ]
    print("1..4")
    return 0 if all(results) else 1


sys.exit(main())
