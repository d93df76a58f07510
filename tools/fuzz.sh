#!/bin/sh
# fuzz.sh FOLDER SECONDS CORPUS -- every fuzz target of FOLDER for SECONDS
# each, keeping what it learns in CORPUS.
set -u
folder=$1 seconds=$2 corpus=$3
here=$(dirname "$0")/../tests/fuzz
failed=0
for target in "$folder"/fuzz_*; do
    [ -x "$target" ] && [ -f "$target" ] || continue
    reader=${target##*/fuzz_}
    echo "== $reader, $seconds s"
    sh "$here/run.sh" "$target" "$here/corpus/$reader" "$seconds" \
        "$corpus/$reader" || failed=1
done
exit $failed
