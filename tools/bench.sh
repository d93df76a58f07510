#!/bin/sh
# bench.sh BUILD -- builds for speed in a folder of its own and measures.
set -eu
build=$1
[ -f "$build/build.ninja" ] || meson setup "$build" --buildtype=release >/dev/null
ninja -C "$build" --quiet all bench/bench
"$build/bench/bench"
/usr/bin/python3 "$(dirname "$0")/../bench/quality.py" "$build/slimfly"
exec /usr/bin/python3 "$(dirname "$0")/../bench/bring_up.py" \
    "$build/slimfly" "$build/opensm"
