#!/bin/sh
# deps.sh [--check] STAGE... -- sees what is missing of tools/packages.txt for
# the stages and installs it with apt-get, or, with --check or without
# apt-get, names it and fails.
set -u
list=$(dirname "$0")/packages.txt
mode=install
if [ "${1:-}" = --check ]; then
    mode=check
    shift
fi

packages='' names=''
while IFS= read -r line; do
    case $line in '#'* | '') continue ;; esac
    # "\|" stands for a bar inside a column.
    line=$(printf '%s\n' "$line" | sed 's/\\|/\x01/g')
    stage=$(printf '%s\n' "$line" | cut -d'|' -f1 | tr -d ' ')
    package=$(printf '%s\n' "$line" | cut -d'|' -f2 | tr -d ' ')
    probe=$(printf '%s\n' "$line" | cut -d'|' -f3 | tr '\001' '|')
    what=$(printf '%s\n' "$line" | cut -d'|' -f4 | sed 's/^ *//')
    case " $* " in *" $stage "*) ;; *) continue ;; esac
    if ! sh -c "$probe" >/dev/null 2>&1 </dev/null; then
        packages="$packages $package"
        names="$names
    $package: $what"
    fi
done <"$list"

[ -n "$packages" ] || exit 0

if [ $mode = install ] && command -v apt-get >/dev/null; then
    sudo=
    if [ "$(id -u)" -ne 0 ]; then
        sudo=sudo
    fi
    echo "installing what is missing:$packages"
    log=$(mktemp)
    # That takes minutes: the last line of apt-get every few seconds.
    (while sleep 5 && [ -s "$log" ] && kill -0 $$; do
        printf '    %.70s\n' "$(tail -n 1 "$log")"
    done) 2>/dev/null &
    ticker=$!
    trap 'kill $ticker 2>/dev/null; rm -f "$log"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    # shellcheck disable=SC2086
    if { $sudo apt-get update && DEBIAN_FRONTEND=noninteractive $sudo \
        apt-get install -y --no-install-recommends $packages; } \
        >"$log" 2>&1; then
        "$0" --check "$@"
        exit
    fi
    tail -n 20 "$log" >&2
    echo "apt-get could not install:$packages" >&2
    exit 1
fi
echo "missing (Debian's names; 'make deps' installs them where there is apt-get):$names" >&2
exit 1
