#!/usr/bin/env bash
# interrupt.sh YOKE: Ctrl-C stops a run within a moment, exit 130, one line, and no half-written file; so does SIGTERM, exit 143.
set -u -m # -m: children of a shell with job control do not ignore the signal
yoke=$1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
fail() { echo "$1"; cat "$folder/err"; exit 1; }
# SIGNAL STATUS
stopped_by()
{
    local pid start status
    "$yoke" run saxpy --size 1M --repeat 1000 --baselines --sweep 1 --devices cpu --json "$folder/a.json" >"$folder/out" 2>"$folder/err" &
    pid=$!
    sleep 1
    kill -"$1" $pid || fail "it ended before it was interrupted"
    start=$SECONDS
    wait $pid
    status=$?
    [ $status = "$2" ] || fail "exit $status, not $2"
    [ $((SECONDS - start)) -le 5 ] || fail "it took $((SECONDS - start)) seconds to stop"
    [ ! -s "$folder/out" ] || fail "it wrote an answer"
    [ "$(wc -l <"$folder/err")" = 1 ] || fail "not one line of message"
    [ -z "$(ls "$folder" | grep json)" ] || fail "it left $(ls "$folder")"
}
stopped_by INT 130
stopped_by TERM 143
