#!/bin/sh
# study-layers.sh FOLDER [small] -- layers against throughput.
#
# How many layers does a Slim Fly need, and which scheme should make them?
# This study answers with two figures for a paper and the numbers behind them.
# It takes less than a minute on two cores; with the word small, some seconds.
# $SLIMFLY names the program, $FIGURE the form of the figures: pdf or svg.
set -eu
. "$(dirname -- "$0")/study.sh"

if [ "${2:-}" = small ]; then
    network=sf:q=3 layers=1,2 seeds=1
    schemes=gates,minimal
    traffic=permutation
else
    network=sf:q=5 layers=1,2,4,8 seeds=3
    schemes=gates,paper,rues:0.6,minimal
    traffic=permutation,longest-matching
fi

say "1. The network. Its diameter is 2, so most pairs of switches have one
shortest path only, and a second path has to be longer."
show "$slimfly" topology "$network"

say "2. The measurement. Each scheme makes 1, 2 ... layers, which is the number
of paths that a pair of hosts has. The throughput is the factor by which all
demands can grow until a link is full. 'best' shares the traffic out over the
layers as it needs it; 'equal' puts the same part on each. The lines 'any path'
and 'all paths' are what no routing can exceed. Seeds are averaged."
"$slimfly" analyze "$network" --schemes "$schemes" --layers "$layers" \
    --traffic "$traffic" --seeds "$seeds" --figure "$figure" \
    --figure-width 84 -o "$folder/layers" >/dev/null
show awk '/^throughput/ { is_on = 1 } is_on' "$folder/layers/analysis.txt"

say "3. The figures. throughput.$figure is the one for the paper: a panel for
each traffic, hollow marks for equal shares, error bars for the range over
seeds. It is as wide as a column. Its points are beside it as CSV."
show head -n 8 "$folder/layers/throughput.csv"

say "4. The histograms of paths have a column for each number of layers, and so
need the width of a page: the lines above said what became of their text in the
width of a column. What is measured is kept in the folder, so the same command with
another width only draws again."
"$slimfly" analyze "$network" --schemes "$schemes" --layers "$layers" \
    --traffic "$traffic" --seeds "$seeds" --figure "$figure" \
    --figure-width 174 --figure-size 7 -o "$folder/layers" >/dev/null
mkdir -p "$folder/wide"
for name in path-lengths paths-per-link disjoint-paths; do
    mv "$folder/layers/$name.$figure" "$folder/layers/$name.csv" "$folder/wide"
done
show ls "$folder/wide"

say "5. What comes out: the scheme and number of layers with the highest
throughput of each traffic, with the best shares."
awk -F, 'NR == 1 { next }
    $2 == "layers" && $6 == "best" && $8 > best[$7] {
        best[$7] = $8; which[$7] = $1 " with " $3 " layers" }
    END { for (t in best) printf "    %s: %s, %.3f\n", t, which[t], best[t] }
' "$folder/layers/analysis.csv" | sort
