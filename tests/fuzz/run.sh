#!/bin/sh
# run.sh TARGET SEEDS [SECONDS [CORPUS]] -- replays the seeds, then fuzzes from
# them for a bounded time; findings go into a new folder whose name is said.
set -u
target=$1 seeds=$2
case ${SLIMFLY_TESTS:-short} in short) seconds=1 ;; *) seconds=20 ;; esac
seconds=${3:-$seconds}
work=$(mktemp -d)
corpus=${4:-$work/corpus}
mkdir -p "$corpus"
name=$(basename "$target")

echo "TAP version 13"
echo "1..2"
if "$target" -runs=0 "$seeds" >"$work/log" 2>&1; then
    echo "ok 1 - $name replays its seeds"
else
    echo "not ok 1 - $name replays its seeds"
    sed 's/^/# /' "$work/log"
fi
if "$target" -max_total_time="$seconds" -timeout=100 -rss_limit_mb=4096 \
    -max_len=4096 -artifact_prefix="$work/" "$corpus" "$seeds" \
    >"$work/log" 2>&1; then
    echo "ok 2 - $name finds nothing in $seconds seconds"
    tail -n 1 "$work/log" | sed 's/^/# /'
    rm -rf "$work"
else
    echo "not ok 2 - $name finds nothing in $seconds seconds"
    echo "# what it found is in $work"
    tail -n 60 "$work/log" | sed 's/^/# /'
    exit 1
fi
