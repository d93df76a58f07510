#!/bin/sh
# lint.sh BUILD JOBS -- layout (clang-format), static checks (clang-tidy,
# cppcheck) and scripts that parse.  BUILD has a compile_commands.json.
#
# lint.sh --fast JOBS -- the same without clang-tidy, which takes minutes.
# cppcheck takes seconds for everything, so that there is no need to find out
# what changed: that differs between a branch, a fresh clone and a shallow one.
set -u
build=$1 jobs=$2
failed=0

# A copy without git has all of it as well.
list() {
    git ls-files --cached --others --exclude-standard "$@" 2>/dev/null ||
        for pattern; do
            find . -name "$pattern" ! -path './build/*' ! -path './out/*'
        done
}

echo "== clang-format"
list '*.c' '*.h' | xargs clang-format --dry-run --Werror || failed=1

if [ "$build" != --fast ]; then
    echo "== clang-tidy"
    list '*.c' | xargs -P "$jobs" -n 4 clang-tidy --quiet -p "$build" \
        2>/dev/null || failed=1
fi

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
