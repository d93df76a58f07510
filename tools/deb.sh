#!/bin/sh
# deb.sh OUT -- builds the Debian packages from a copy of the tree and leaves
# them in OUT, with what dpkg says of the build.  Nothing is left elsewhere.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
version=$(sed -n "s/^  version: '\(.*\)',$/\1/p" "$here/meson.build")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# What git knows, or all of a copy that it does not know.
tree=$work/slimfly-$version
mkdir "$tree"
(cd "$here" && {
    git ls-files -z --cached --others --exclude-standard 2>/dev/null ||
        find . -type f ! -path './build/*' ! -path './out/*' \
            ! -name '*.pyc' -print0
} | xargs -0 sh -c 'for file; do [ ! -e "$file" ] || printf "%s\0" "$file"; done' sh |
    tar --null -T - -cf -) | tar -xf - -C "$tree"

echo "building packages of slimfly $version"
if ! (cd "$tree" && dpkg-buildpackage -us -uc -b) >"$out/build.log" 2>&1; then
    tail -n 30 "$out/build.log" >&2
    echo "the packages cannot be built; $out/build.log has all of it" >&2
    exit 1
fi
rm -f "$out"/*.deb "$out"/*.changes "$out"/*.buildinfo
mv "$work"/*.deb "$work"/*.changes "$work"/*.buildinfo "$out"
ls "$out"/*.deb
