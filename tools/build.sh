#!/bin/sh
# build.sh BUILD [JOBS [TARGET...]] -- builds in a folder that meson has set up.
# A terminal sees ninja's one line of progress, a log one line in all.
set -u
build=$1 jobs=${2:-}
shift
[ $# -eq 0 ] || shift
if [ -t 1 ]; then
    exec ninja -C "$build" ${jobs:+-j "$jobs"} "$@"
fi
echo "building in $build"
exec ninja -C "$build" ${jobs:+-j "$jobs"} --quiet "$@"
