#!/bin/sh
# demo.sh PROGRAM -- what slimfly does, on a set of networks of about 50
# switches: builds each, measures it, and draws the Slim Fly of the paper.
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
echo "The Slim Fly that was installed:"
echo
"$program" topology sf:q=5 | sed 's/^/  /'
"$program" topology sf:q=5 --format svg -o "$out/sf5.svg"
"$program" topology sf:q=5 --format json -o "$out/sf5.json"
echo
echo "A drawing and the same in JSON: $out/sf5.svg, $out/sf5.json"
