#!/bin/sh
# build.sh BUILD [JOBS [TARGET...]] -- builds in a folder that meson has set up.
# A terminal sees ninja's one line of progress, a log a line every few seconds.
set -u
build=$1 jobs=${2:-}
here=$(dirname "$0")
shift
[ $# -eq 0 ] || shift
if [ -t 1 ]; then
    exec ninja -C "$build" ${jobs:+-j "$jobs"} "$@"
fi
echo "building in $build"
exec /usr/bin/python3 "$here/thin.py" ninja -C "$build" \
    ${jobs:+-j "$jobs"} "$@"
