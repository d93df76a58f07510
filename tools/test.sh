#!/bin/sh
# test.sh JOBS BUILD... -- builds and tests in each of the build folders, then
# counts every test case of the whole run in one last line.
set -u
jobs=$1
shift
failed=0
for build; do
    echo "== $build"
    if ! ninja -C "$build" -j "$jobs" --quiet; then
        echo "$build does not build" >&2
        echo "0 passed, 1 failed"
        exit 1
    fi
    meson test -C "$build" --no-rebuild --num-processes "$jobs" \
        --print-errorlogs || failed=1
done
/usr/bin/python3 "$(dirname "$0")/tally.py" "$@" || failed=1
exit $failed
