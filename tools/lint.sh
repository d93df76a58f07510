#!/bin/sh
# lint.sh BUILD JOBS -- layout (clang-format), static checks (clang-tidy,
# cppcheck) and shell scripts that parse.  BUILD has a compile_commands.json.
set -u
build=$1 jobs=$2
failed=0
files=$(git ls-files '*.c' '*.h')

echo "== clang-format"
# shellcheck disable=SC2086
clang-format --dry-run --Werror $files || failed=1

echo "== clang-tidy"
# shellcheck disable=SC2086
git ls-files '*.c' | xargs -P "$jobs" -n 4 clang-tidy --quiet -p "$build" \
    2>/dev/null || failed=1

echo "== cppcheck"
cppcheck --quiet --std=c11 --inline-suppr --error-exitcode=1 -j "$jobs" \
    --enable=warning,performance,portability \
    --suppress=normalCheckLevelMaxBranches -I include -I lib -I cli -I opensm \
    lib cli opensm examples || failed=1

echo "== scripts"
for script in tools/*.sh tests/fuzz/*.sh .ci/run; do
    bash -n "$script" || failed=1
done
/usr/bin/python3 -m compileall -q tests tools bench || failed=1

[ $failed -eq 0 ] && echo "nothing to mend"
exit $failed
