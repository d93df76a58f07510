#!/bin/sh
# study-placement.sh FOLDER [small] -- where a job stands, and what it gets.
#
# A job that does not fill the network can have whole racks, whole switches, or
# hosts here and there. On a network of low diameter, which is best? This study
# simulates the same exchange for each placement, packet by packet. It takes
# less than a minute on two cores; with the word small, some seconds.
# $SLIMFLY names the program, $FIGURE the form of the figures: pdf or svg.
set -eu
. "$(dirname -- "$0")/study.sh"

if [ "${2:-}" = small ]; then
    network=sf:q=3 nodes=8 size=4K loads=0.3,0.9
    networks=ft2:ports=6,sf:q=3 jobs=4,8 sizes=1K
else
    network=sf:q=5 nodes=64 size=64K loads=0.1,0.3,0.5,0.7,0.9
    networks=ft2:ports=36,leaf=12,sf:q=5 jobs=8,32,128 sizes=1K,64K
fi

say "1. One exchange. All hosts of the job send to all others at once, over
minimal paths and over four layers, in three placements."
show "$slimfly" simulate "$network" --workload all-to-all --nodes "$nodes" \
    --size "$size" --placement racks,switches,random --schemes minimal,gates \
    --figure "$figure" --figure-width 174 -o "$folder/exchange"

say "2. Its figures. progress.$figure has how much has come after which time, a
line for each placement and routing; grey print keeps the lines apart by their
dashes. progress.csv has the points."
show head -n 5 "$folder/exchange/progress.csv"

say "3. A load without end, of pairs of hosts that stay the same: latency over
load, up to the load that the network does not take any more."
"$slimfly" simulate "$network" --workload permutation --nodes "$nodes" \
    --load "$loads" --placement switches,random --schemes minimal,gates \
    --figure "$figure" --figure-width 174 -o "$folder/load" >/dev/null
show head -n 8 "$folder/load/latency.csv"

say "4. Against a Fat Tree with as many hosts: the bandwidth of random halves
(eBB) of jobs that have racks (linear) and of jobs here and there (random)."
"$slimfly" evaluate --networks "$networks" --workload ebb,alltoall \
    --nodes "$jobs" --sizes "$sizes" --queues voq \
    --figure "$figure" --figure-size 7 -o "$folder/evaluation" >/dev/null
show cat "$folder/evaluation/ebb.csv"

say "5. All figures, each with its points:"
show ls "$folder/exchange" "$folder/load" "$folder/evaluation"
