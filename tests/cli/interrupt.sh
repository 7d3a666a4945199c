#!/usr/bin/env bash
# interrupt.sh YOKE SIGNALED: one Ctrl-C or SIGTERM ends the command in every phase, long before its work would be done: exit
# 130 or 143, one line, no result, no partial file. The goal is half a second; a machine under load gets LIMIT.
set -u
yoke=$1 signaled=$2
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
export YOKE_KB=$folder/knowledge.db
limit_ms=8000
fail() { echo "$1"; cat "$folder/err"; exit 1; }
# NUMBER MICROSECONDS WORDS...: ends with 128 + NUMBER
stopped_by()
{
    local number=$1 how what ms
    "$signaled" "$1" "$2" "$yoke" "${@:3}" >"$folder/out" 2>"$folder/err"
    read -r how what ms <<<"$(tail -n 1 "$folder/out")"
    [ "$how $what" = "exit $((128 + number))" ] || fail "$*: $how $what, not exit $((128 + number))"
    [ "$ms" -le $limit_ms ] || fail "$*: it took $ms ms to stop"
    [ "$(wc -l <"$folder/out")" = 1 ] || fail "$*: it wrote an answer"
    [ "$(grep -c 'stopped on request' "$folder/err")" = 1 ] && [ "$(wc -l <"$folder/err")" = 1 ] || fail "$*: not one line of message"
    [ -z "$(ls "$folder" | grep -e json -e new)" ] || fail "$*: it left $(ls "$folder")"
}
# Short jobs, and the baselines after them.
long=(run saxpy --size 1M --repeat 1000 --baselines --sweep 1 --devices cpu --json "$folder/a.json")
stopped_by 2 1000000 "${long[@]}"
stopped_by 15 1000000 "${long[@]}"
# One job, whose chunks alone take minutes; and generated data.
stopped_by 15 1500000 run nbody --size 1M --devices cpu --json "$folder/a.json"
stopped_by 2 1500000 run path --size 64 --devices cpu --json "$folder/a.json"
stopped_by 2 500000 run spmv --size 20M --devices cpu --json "$folder/a.json"
# Seconds of verification; the runs before it are usually over.
stopped_by 15 4000000 run barnes-hut --size 1M --repeat 1 --verify --devices cpu --json "$folder/a.json"
# The waiting thread does the jobs of simulated devices.
stopped_by 15 1000000 run nbody --size 1M --devices sim:gpu --json "$folder/a.json"
# A chunk on a device that cannot be interrupted is reported, and not waited for.
if "$yoke" info --devices opencl:0 >"$folder/out" 2>"$folder/err"; then
    stopped_by 15 4000000 run nbody --size 1M --devices opencl:0 --json "$folder/a.json"
    grep -q "was not waited for" "$folder/err" || fail "it does not say that it did not wait"
fi
