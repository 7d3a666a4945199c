#!/usr/bin/env bash
# test_bootstrap.sh SOURCE_FOLDER - bootstrap.sh on simulated machines: the commands that it calls are stand-ins
# that answer for such a machine and record their arguments.
set -euo pipefail
script=$1/bootstrap.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
log=$work/log
export log

# machine NAME...: a PATH with only these stand-ins and the few tools that the script uses
machine()
{
    rm -rf "${work:?}/bin" "$log"
    mkdir "$work/bin"
    : >"$log"
    for tool in sh env cat grep; do
        ln -s "$(command -v $tool)" "$work/bin/$tool"
    done
    for name in "$@"; do
        cp "$work/stand-in/$name" "$work/bin/$name"
    done
}

stand_in()
{
    mkdir -p "$work/stand-in"
    { echo '#!/bin/sh'; cat; } >"$work/stand-in/$1"
    chmod +x "$work/stand-in/$1"
}

# The file `installed` lists the installed packages.
stand_in dpkg-query <<'S'
shift 3
for package; do
    if grep -qx "$package" "${log%/*}/installed"; then printf '%s:installed ' "$package"; fi
done
S
stand_in apt-get <<'S'
echo "apt-get $*" >>"$log"
if [ "$1" = update ] && [ -e "${log%/*}/offline" ]; then
    echo "E: Could not resolve 'deb.example'" >&2
    exit 100
fi
[ "$1" = install ] || exit 0
[ ! -e "${log%/*}/broken" ] || exit 100
for word; do echo "$word"; done >>"${log%/*}/installed"
S
stand_in sudo <<'S'
echo "sudo $1" >>"$log"
[ ! -e "${log%/*}/no-rights" ] || exit 1
[ "$1" != -n ] || shift
exec "$@"
S
printf 'echo 0\n' | stand_in id
cp "$work/stand-in/id" "$work/root-id"
printf 'exit 0\n' | stand_in true

run()
{
    set +e
    PATH="$work/bin" "$work/bin/sh" "$script" "$@" >"$work/out" 2>&1 </dev/null
    status=$?
    set -e
}

expect()
{
    if [ "$status" != "$1" ] || { [ -n "${2-}" ] && ! grep -qF -- "$2" "$work/out" "$log"; }; then
        echo "status $status, expected $1 and '${2-}'; it said:"
        cat "$work/out" "$log"
        exit 1
    fi
}

packages=$(sh "$script" --list)

# all installed: no output, no action
echo "$packages" >"$work/installed"
machine dpkg-query apt-get id
run
expect 0
[ ! -s "$work/out" ] && [ ! -s "$log" ]

# some missing, root: only these are installed, without a question and without removing any package
grep -vx -e cmake -e libcjson-dev <<<"$packages" >"$work/installed"
machine dpkg-query apt-get id
run
expect 0 "apt-get install -y -qq --no-install-recommends --no-remove"
expect 0 " cmake libcjson-dev"
if grep -q mricron "$log"; then exit 1; fi
run
expect 0

# not root: through sudo, which must not prompt if there is no terminal
grep -vx make <<<"$packages" >"$work/installed"
printf 'echo 1000\n' | stand_in id
machine dpkg-query apt-get id sudo true
run
expect 0 "sudo -n"
expect 0 " make"

# sudo, but no permission
grep -vx make <<<"$packages" >"$work/installed"
machine dpkg-query apt-get id sudo true
touch "$work/no-rights"
run
expect 1 "no sudo rights"
rm "$work/no-rights"

# neither root nor sudo
grep -vx make <<<"$packages" >"$work/installed"
machine dpkg-query apt-get id
run
expect 1 "no sudo. As root: apt-get install make"
cp "$work/root-id" "$work/stand-in/id"

# apt fails
machine dpkg-query apt-get id
touch "$work/broken"
run
expect 1 "apt could not install all of: make"

# apt fails without a network
machine dpkg-query apt-get id
touch "$work/offline"
run
expect 1 "offline"
rm "$work/offline"

# library and command alone need no test harness, no pictures, no PoCL
: >"$work/installed"
rm "$work/broken"
machine dpkg-query apt-get id
run --install
expect 0 "libhwloc-dev"
if grep -qE 'cmocka|mricron|pocl|openblas|doxygen' "$log"; then exit 1; fi
: >"$work/installed"
machine dpkg-query apt-get id
run --demo
expect 0 "pocl"
if grep -qE 'cmocka|openblas' "$log"; then exit 1; fi
run --docs
expect 0 "doxygen"

# no apt
machine id
run
expect 1 "no Debian or Ubuntu"
expect 1 "libhwloc-dev"

run --wrong
expect 2 "usage:"

# sourced, it neither ends nor changes the calling shell
(
    set -u
    set -- --list
    # shellcheck source=/dev/null
    . "$script" >/dev/null
    ! command -v missing_packages >/dev/null
)
