#!/usr/bin/env bash
# interrupt_matrix.sh YOKE: Ctrl-C ends a matrix quickly, exit 130, with the JSON of the measurements so far: here all of
# the first size and usually some runs of the second. As with timeout(1), one request arrives as two signals.
set -u -m # -m: children of a shell with job control do not ignore the signal
yoke=$1
command -v jq >/dev/null || exit 77
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
fail() { echo "$1"; cat "$folder/err"; exit 1; }
for patience in 2 8 30 90; do # on a slow machine the first size may not be done yet
    "$yoke" run saxpy --matrix --sizes 1k,40M --repeat 300 --devices cpu --json "$folder/a.json" >"$folder/out" 2>"$folder/err" &
    pid=$!
    sleep $patience
    kill -INT $pid || fail "it ended before it was interrupted"
    sleep 0.002
    kill -INT $pid 2>/dev/null
    start=$SECONDS
    wait $pid
    status=$?
    [ $status = 130 ] || fail "exit $status, not 130"
    [ $((SECONDS - start)) -le 10 ] || fail "it took $((SECONDS - start)) seconds to stop"
    [ "$(wc -l <"$folder/err")" = 1 ] || fail "not one line of message"
    [ -s "$folder/a.json" ] || continue
    [ "$(jq '.complete' "$folder/a.json")" = false ] || fail "it says that it is complete"
    runs=$(jq '.sizes[0].sets[0].runs | length' "$folder/a.json")
    [ "$runs" = 300 ] && break
done
[ "${runs:-0}" = 300 ] || fail "${runs:-no} runs of the first size"
[ "$(jq '.sizes[1].sets[0].runs | length < 300' "$folder/a.json")" = true ] || fail "the second size is complete"
grep -q "not complete: '-' was not measured" "$folder/out" || fail "the table does not say that it is not complete"
[ "$(ls "$folder" | grep -c json)" = 1 ] || fail "it left $(ls "$folder")"
