#!/bin/sh
# test.sh NAME JOBS RUN... -- builds, runs tests, then counts every test case of
# all runs in one last line.  A RUN is "BUILD LENGTHS [OPTION...]": a build
# folder, the cases to run there (short, long or all) and options of 'meson
# test'.  NAME is that of the logs, so that 'make test' and 'make test-long' do
# not overwrite each other's.
set -u
here=$(dirname "$0")
name=$1 jobs=$2
shift 2
failed=0
logs=''
# Sanitizers of older clangs do not find their memory where the kernel spreads
# addresses widely.
fixed=''
if setarch -R true 2>/dev/null; then
    fixed='setarch -R'
fi
for run; do
    # shellcheck disable=SC2086
    set -- $run
    build=$1 lengths=$2
    shift 2
    echo "== $build, $lengths cases"
    # The log of an earlier run must not be counted.
    log=$build/meson-logs/$name-$lengths.json
    rm -f "$log" "${log%.json}-again.json"
    logs="$logs $log"
    if ! "$here/build.sh" "$build" "$jobs"; then
        echo "$build does not build" >&2
        failed=1
        continue
    fi
    case $build in *gcc) wrapper='' ;; *) wrapper=$fixed ;; esac
    # shellcheck disable=SC2086
    SLIMFLY_TESTS=$lengths $wrapper meson test -C "$build" --no-rebuild \
        --num-processes "$jobs" --print-errorlogs \
        --logbase "$name-$lengths" "$@" && continue
    # What fails beside other tests and passes alone shows a weak test, not a
    # broken product: the count names it and goes on.
    again=$(/usr/bin/python3 "$here/tally.py" --failed "$log")
    [ "$again" ] || { failed=1; continue; }
    echo "== $build, again, one at a time"
    # shellcheck disable=SC2086
    printf '%s\n' "$again" | SLIMFLY_TESTS=$lengths xargs -d '\n' \
        $wrapper meson test -C "$build" --no-rebuild --num-processes 1 \
        --print-errorlogs --logbase "$name-$lengths-again"
done
# shellcheck disable=SC2086
/usr/bin/python3 "$here/tally.py" "make $name" $logs || failed=1
exit $failed
