"""CPU seconds of throughput on four networks of about 1500 hosts, with every
answer checked: its bounds are as close as was asked for.

usage: throughput.py SLIMFLY [NETWORK ...]"""
import json
import os
import subprocess
import sys

NETWORKS = ["sf:q=11,p=7", "ft3:ports=36,pods=5", "hx2:12x12",
            "df:a=18,h=9,g=10"]
TRAFFICS = ["adversarial:load=0.5", "permutation", "all-to-all"]
GAP = 0.01


def cpu_seconds():
    times = os.times()
    return times.children_user + times.children_system


def measure(slimfly, network, traffic):
    before = cpu_seconds()
    done = subprocess.run(
        [slimfly, "analyze", network, "--traffic", traffic, "--gap", str(GAP),
         "--format", "json", "--progress", "never"],
        check=True, stdout=subprocess.PIPE)
    seconds = cpu_seconds() - before
    for row in json.loads(done.stdout)["rows"]:
        for throughput in row["throughput"]:
            if throughput["gap"] > GAP * (1 + 1e-6):
                sys.exit(f"{network}, {traffic}, {row['label']}: "
                         f"a gap of {throughput['gap']}")
    return seconds


def main():
    slimfly, networks = sys.argv[1], sys.argv[2:] or NETWORKS
    print(f"throughput to a gap of {GAP:.0%}, CPU seconds")
    print(f"{'':20}" + "".join(f"{traffic:>22}" for traffic in TRAFFICS))
    for network in networks:
        cells = [measure(slimfly, network, traffic) for traffic in TRAFFICS]
        print(f"{network:20}" + "".join(f"{cell:22.2f}" for cell in cells))


main()
