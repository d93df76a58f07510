#!/bin/sh
# demo.sh PROGRAM -- what slimfly does: compares networks of about 50 switches,
# plans the Slim Fly of the paper, swaps two cables in what would be discovered
# and lets verify say how to mend it, then routes and audits.
set -eu
program=$1
out=out/demo
mkdir -p "$out"

echo "Networks of about 50 switches, built and measured:"
echo
"$program" topology ft2:ports=36 ft2b:ports=36,over=3 hx2:7x7 \
    df:a=6,h=2,g=8 sf:q=5 pf:q=7 xpander:k=7,lift=6 jellyfish:n=50,k=7 \
    ft3:ports=6
echo
echo "The Slim Fly that was installed, planned:"
echo
"$program" topology sf:q=5 --format svg -o "$out/sf5.svg"
"$program" plan sf:q=5 -o "$out/plan" | sed 's/^/  /'
echo
echo "As planned, it verifies:"
echo
"$program" verify "$out/plan" "$out/plan/fabric.ibnetdiscover" | sed 's/^/  /'
echo
echo "With two cables of rack 0 swapped, it does not:"
echo
# Ports 8 of the first two switches exchange their cables.
sed -e 's/"S-02534c46000001e0"\[8\]/"S-swap"[8]/' \
    -e 's/"S-02534c46000001f0"\[8\]/"S-02534c46000001e0"[8]/' \
    -e 's/"S-swap"\[8\]/"S-02534c46000001f0"[8]/' \
    -e 's/^\[8\]\t"S-02534c4600000000"\[8\]/[8]\t"S-swap"[8]/' \
    -e 's/^\[8\]\t"S-02534c4600000010"\[8\]/[8]\t"S-02534c4600000000"[8]/' \
    -e 's/"S-swap"\[8\]/"S-02534c4600000010"[8]/' \
    "$out/plan/fabric.ibnetdiscover" >"$out/swapped.ibnetdiscover"
"$program" verify "$out/plan" "$out/swapped.ibnetdiscover" |
    sed 's/^/  /' || true
"$program" verify "$out/plan" "$out/swapped.ibnetdiscover" --format svg \
    -o "$out/swapped.svg" || true
echo
echo "Routed in four layers, and audited:"
echo
"$program" route "$out/plan" --layers 4 -o "$out/tables" | sed 's/^/  /'
echo
"$program" audit "$out/tables" | sed 's/^/  /' || true
echo
echo "To look at: $out/sf5.svg, $out/plan/guide.html, $out/swapped.svg"
