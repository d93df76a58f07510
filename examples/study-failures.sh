#!/bin/sh
# study-failures.sh FOLDER [small] -- what failing links cost.
#
# A share of the links between switches is taken out at random, and what is
# left is routed anew. How much throughput is left, and do all pairs still have
# several paths? The study makes one figure for each share and one table over
# all. At the end, the routes that were there are repaired instead: what is left
# then, how many entries of forwarding tables change, and how long that takes.
# The study takes less than a minute on two cores; with the word small, some
# seconds. $SLIMFLY names the program, $FIGURE the form of figures: pdf or svg.
set -eu
. "$(dirname -- "$0")/study.sh"

if [ "${2:-}" = small ]; then
    network=sf:q=3 hosts=3 layers=1,2 shares='0 10' percentages=10 draws=1
else
    network=sf:q=5 hosts=4 layers=1,2,4 shares='0 1 2 5 10' percentages=1,2,5,10
    draws=2
fi

say "1. The network as a list of links, a line each. Any tool can change it, and
the spec edges:FILE reads it back; p is the number of hosts of a switch."
"$slimfly" topology "$network" --format edges -o "$folder/whole.edges"
show head -n 4 "$folder/whole.edges"

say "2. Failures. For each share and draw, every link gets a random number, and
those with the lowest numbers fail. The generator is written out, so that the
same links fail on every machine, and those that fail at 5 % are among those
that fail at 10 %."
for share in $shares; do
    draw=1
    while [ "$draw" -le "$draws" ]; do
        awk -v share="$share" -v seed="$draw" '
            # Minimal standard random numbers (Park and Miller, 1988).
            function random() { state = state * 16807 % 2147483647
                                return state }
            BEGIN { state = seed * 12345; for (i = 0; i < 20; i++) random() }
            /^#/ || NF < 2 { next }
            { link[++n] = $0; key[n] = random() }
            END {
                n_failed = int(n * share / 100 + 0.5)
                for (k = 0; k < n_failed; k++) {
                    low = 0
                    for (i = 1; i <= n; i++)
                        if (!gone[i] && (!low || key[i] < key[low])) low = i
                    gone[low] = 1
                }
                for (i = 1; i <= n; i++) if (!gone[i]) print link[i]
            }' "$folder/whole.edges" >"$folder/failed-$share-$draw.edges"
        draw=$((draw + 1))
    done
done
show wc -l "$folder"/failed-*-1.edges

say "3. The measurement. Each network is routed anew in layers; in the
traffic longest-matching each switch sends to one that is far away, which is close
to the worst. A network that fell apart would end the study with a message."
for share in $shares; do
    draw=1
    while [ "$draw" -le "$draws" ]; do
        "$slimfly" analyze "edges:$folder/failed-$share-$draw.edges,p=$hosts" \
            --schemes gates,minimal --layers "$layers" \
            --traffic longest-matching --references any \
            --figure "$figure" --figure-width 174 \
            -o "$folder/share-$share-$draw" >/dev/null
        draw=$((draw + 1))
    done
done

say "4. The table: the throughput with the best shares over the layers, as mean
of the draws, and the part of pairs with three disjoint paths or more."
for share in $shares; do
    for file in "$folder/share-$share"-*/analysis.csv; do
        sed -n '2,$p' "$file" | sed "s/^/$share,/"
    done
done | awk -F, '
    BEGIN { print "share,scheme,layers,throughput,three_disjoint" }
    $3 == "layers" && $7 == "best" {
        key = $1 "," $2 "," $4
        if (!n[key]++) order[++rows] = key
        throughput[key] += $9; disjoint[key] += $NF
    }
    END {
        for (i = 1; i <= rows; i++) {
            key = order[i]
            printf "%s,%.4f,%.4f\n", key, throughput[key] / n[key],
                disjoint[key] / n[key]
        }
    }' >"$folder/failures.csv"
show cat "$folder/failures.csv"

say "5. The figures share-*/throughput.$figure show each network by itself."
show ls "$folder/share-${shares%% *}-1"

say "6. Repairs. A subnet manager does not route anew if it can repair: routes
that do not use a dead link stay. The command compare draws failures, repairs and
measures, for one network or several. Here all layers carry equal shares, as hosts
send that do not know what failed."
"$slimfly" compare "$network" --layers "${layers##*,}" --traffic longest-matching \
    --failures links --shares "$percentages" --draws "$draws" \
    --without-simulation --figure "$figure" --figure-width 174 \
    -o "$folder/repaired" >/dev/null
show sed -n '/gone, /,/^$/p' "$folder/repaired/comparison.txt"

say "7. The figure failed-links.$figure has these as curves."
show ls "$folder/repaired"
