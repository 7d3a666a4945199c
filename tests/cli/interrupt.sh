#!/usr/bin/env bash
# interrupt.sh YOKE: Ctrl-C stops a run within a moment, exit 130, one line, and no half-written file.
set -u -m # -m: children of a shell with job control do not ignore the signal
yoke=$1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
"$yoke" run saxpy --size 1M --repeat 1000 --baselines --sweep 1 --devices cpu --json "$folder/a.json" >"$folder/out" 2>"$folder/err" &
pid=$!
sleep 1
kill -INT $pid || { echo "it ended before it was interrupted"; exit 1; }
start=$SECONDS
wait $pid
status=$?
fail() { echo "$1"; cat "$folder/err"; exit 1; }
[ $status = 130 ] || fail "exit $status, not 130"
[ $((SECONDS - start)) -le 5 ] || fail "it took $((SECONDS - start)) seconds to stop"
[ ! -s "$folder/out" ] || fail "it wrote an answer"
[ "$(wc -l <"$folder/err")" = 1 ] || fail "not one line of message"
[ -z "$(ls "$folder" | grep json)" ] || fail "it left $(ls "$folder")"
