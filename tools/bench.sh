#!/bin/sh
# bench.sh BUILD -- builds for speed in a folder of its own and measures.
set -eu
build=$1
[ -f "$build/build.ninja" ] || meson setup "$build" --buildtype=release >/dev/null
ninja -C "$build" --quiet bench/bench
exec "$build/bench/bench"
