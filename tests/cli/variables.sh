#!/usr/bin/env bash
# variables.sh YOKE: a name in the environment that resembles one of yoke's is reported once, with the intended name; names that
# the sources read are never reported; the manual has all of them.
set -u
yoke=$1
top=$(dirname "$0")/../..
fail() { echo "$1"; exit 1; }
# WORD...: yoke's messages in this environment
said() { env "$@" "$yoke" info --devices sim:gpu 2>&1 >/dev/null; }
expect() # TEXT WORD...
{
    local text=$1
    shift
    [ "$(said "$@" | grep -c -F "$text")" = 1 ] || fail "$*: not once '$text' but '$(said "$@")'"
}
expect "YOKE_DEVICE is not a variable of yoke's; did you mean YOKE_DEVICES?" YOKE_DEVICE=cpu
expect "YOKE_PARTITONER is not a variable of yoke's; did you mean YOKE_PARTITIONER?" YOKE_PARTITONER=auto
expect "YOKE_LOG=wran is no level; give off, error, warn, info or debug; did you mean warn?" YOKE_LOG=wran
expect "YOKE_LOG=loud is no level; give off, error, warn, info or debug" YOKE_LOG=loud
[ -z "$(said YOKE_OF_SOMETHING_ELSE=1 yoke_device=1)" ] || fail "it speaks of names of others"
names=$(grep -rhoE '(yk_environment\(|^ *\{ "[a-z-]+", )"YOKE_[A-Z_]+"' "$top/src" "$top/cli" | grep -oE 'YOKE_[A-Z_]+' | sort -u)
[ "$(wc -w <<<"$names")" -ge 15 ] || fail "only these names were found: $names"
for name in $names; do
    said "$name=" | grep "not a variable" && fail "$name, which is read"
    said "${name}X=" | grep -q "did you mean $name?" || fail "${name}X is not told"
    sed 's/\\//g' "$top/docs/man/yoke.1" | grep -q "\<$name\>" || sed 's/\\//g' "$top"/docs/man/*.1 | grep -q "\<$name\>" || fail "no page has $name"
done
# PoCL without a folder to write to has no device: installing it again would not help.
if "$yoke" info --devices opencl:0 2>/dev/null | grep -q "Portable Computing Language"; then
    text=$(env -u XDG_CACHE_HOME -u POCL_CACHE_DIR HOME=/proc/nowhere "$yoke" info --devices opencl:0 2>&1 >/dev/null)
    case $text in *install* | "") fail "with a HOME that cannot be written: '$text'" ;; *POCL_CACHE_DIR*) ;; *) fail "no cure in '$text'" ;; esac
fi
exit 0
