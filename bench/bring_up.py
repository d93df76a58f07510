"""How long a subnet takes to come up: stock minhop and the plugin with the same
LMC on the same simulated fabric, one after the other.

Arguments: the program, the folder of the plugin, sizes q.
"""
import os
import re
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, f"{ROOT}/tests/ibsim")
from ibsim import Ibsim  # noqa: E402
from opensm import OpenSM  # noqa: E402

LMC = 2
WIRE_SMPS = 16  # As 'slimfly settings' advises; for both.


def bring_up(sim, folder, plugin, **settings):
    """Seconds until the subnet is up, and the manager."""
    start = time.monotonic()
    opensm = OpenSM(sim, folder, plugin, lmc=LMC, log_flags="0x03",
                    max_wire_smps=WIRE_SMPS,
                    options=f"status={folder}/status.json", **settings)
    opensm.wait_up(600)
    return time.monotonic() - start, opensm


def audit(sim, program):
    """What the switches hold must be sound."""
    done = sim.run(os.path.abspath(program), "audit", "live", timeout=600)
    if done.returncode != 0:
        sys.exit(f"not sound:\n{done.stdout}{done.stderr}")


def measure(program, plugin, q, folder):
    """Prints a line."""
    subprocess.run([program, "plan", f"sf:q={q}", "-o", f"{folder}/plan"],
                   check=True, stdout=subprocess.DEVNULL)
    with Ibsim(f"{folder}/plan/fabric.ibsim", nodes=9000, switches=600,
               ports=40000) as sim:
        stock, opensm = bring_up(sim, f"{folder}/minhop", None,
                                 routing_engine="minhop,no_fallback",
                                 qos="FALSE")
        opensm.stop()
    with Ibsim(f"{folder}/plan/fabric.ibsim", nodes=9000, switches=600,
               ports=40000) as sim:
        ours, opensm = bring_up(sim, f"{folder}/layered", plugin)
        start = opensm.wait_status()["seconds"]
        audit(sim, program)
        with open(f"{folder}/plan/fabric.ibsim", encoding="utf-8") as file:
            name, port = re.search(
                r'^Switch\t\d+ "([^"]+)".*?^\[(\d+)\]\t"sf-', file.read(),
                re.M | re.S).groups()
        sim.command(f'Unlink "{name}"[{port}]')
        fault = opensm.wait_status(outcome="repaired")
        audit(sim, program)
        opensm.stop()
    print(f"{q:4} {fault['routing']['n_switches']:9} "
          f"{fault['routing']['n_hosts']:6} {stock:9.2f} {ours:9.2f} "
          f"{ours / stock:7.2f} {sum(start.values()):9.3f} "
          f"{sum(fault['seconds'].values()):9.3f} "
          f"{fault['n_changed_entries']:8} of {fault['n_entries']}",
          flush=True)


def main():
    program, plugin = map(os.path.abspath, sys.argv[1:3])
    print(f"Until a subnet is up, LMC {LMC}, max_wire_smps {WIRE_SMPS}, in "
          "seconds; the plugin's share of it, and after the loss of a link")
    print("   q  switches  hosts    minhop   layered   times     share  "
          "link lost  entries changed")
    for q in map(int, sys.argv[3:] or ["5", "11", "17"]):
        with tempfile.TemporaryDirectory() as folder:
            measure(program, plugin, q, folder)


if __name__ == "__main__":
    main()
