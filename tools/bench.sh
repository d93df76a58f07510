#!/bin/sh
# bench.sh BUILD -- builds for speed in a folder of its own and measures.
set -eu
build=$1
[ -f "$build/build.ninja" ] || echo "setting up $build"
[ -f "$build/build.ninja" ] || meson setup "$build" --buildtype=release >/dev/null
"$(dirname "$0")/build.sh" "$build" "" all bench/bench bench/jobs bench/packets \
    bench/sharing bench/turns
"$build/bench/bench"
"$build/bench/jobs"
"$build/bench/turns"
"$build/bench/packets"
"$build/bench/sharing"
"$build/bench/sharing" "$build/bench/all_to_all.txt"
g++ -O2 -o "$build/bench/simgrid" "$(dirname "$0")/../bench/simgrid.cpp" -lsimgrid
"$build/bench/simgrid" "$build/bench/all_to_all.txt" --log=root.thresh:error
/usr/bin/python3 "$(dirname "$0")/../bench/throughput.py" "$build/slimfly"
/usr/bin/python3 "$(dirname "$0")/../bench/quality.py" "$build/slimfly"
/usr/bin/python3 "$(dirname "$0")/../bench/job_packets.py" "$build/slimfly"
/usr/bin/python3 "$(dirname "$0")/../bench/changes.py" "$build/slimfly" 1
exec /usr/bin/python3 "$(dirname "$0")/../bench/bring_up.py" \
    "$build/slimfly" "$build/opensm"
