"""mms.py Q -- builds a McKay-Miller-Siran graph the plain way, for prime q.

Something to compare with: dictionaries, sets and the definition, as research
code does it.
"""
import sys

q = int(sys.argv[1])
delta = 1 if q % 4 == 1 else -1
w = (q - delta) // 4


def is_primitive(element):
    powers = set()
    value = 1
    for _ in range(q - 1):
        value = value * element % q
        powers.add(value)
    return len(powers) == q - 1


xi = next(e for e in range(2, q) if is_primitive(e))
if delta == 1:
    X = {pow(xi, e, q) for e in range(0, q - 2, 2)}
    Y = {pow(xi, e, q) for e in range(1, q - 1, 2)}
else:
    X = {pow(xi, e, q) for e in range(0, 2 * w - 1, 2)}
    X |= {-x % q for x in X}
    Y = {pow(xi, e, q) for e in range(1, 2 * w, 2)}
    Y |= {-y % q for y in Y}

graph = {(s, a, b): set() for s in (0, 1) for a in range(q)
         for b in range(q)}
for x in range(q):
    for y in range(q):
        for z in range(q):
            if (y - z) % q in X:
                graph[0, x, y].add((0, x, z))
            if (y - z) % q in Y:
                graph[1, x, y].add((1, x, z))
        for m in range(q):
            for c in range(q):
                if y == (m * x + c) % q:
                    graph[0, x, y].add((1, m, c))
                    graph[1, m, c].add((0, x, y))
assert all(len(n) == (3 * q - delta) // 2 for n in graph.values())
