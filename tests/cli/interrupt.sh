#!/usr/bin/env bash
# interrupt.sh YOKE: Ctrl-C and SIGTERM end the command within a moment, whatever it is at: exit 130 or 143, at most one line, no
# half-written file, no process that ends by the signal's default action.
set -u -m # -m: children of a shell with job control do not ignore the signal
yoke=$1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
fail() { echo "$1"; cat "$folder/err"; exit 1; }
# SIGNAL STATUS SECONDS WORD...: a run that takes minutes
stopped_by()
{
    local pid start status signal=$1 expected=$2 after=$3
    shift 3
    "$yoke" "$@" --json "$folder/a.json" >"$folder/out" 2>"$folder/err" &
    pid=$!
    sleep "$after"
    kill -"$signal" $pid || fail "'$*' ended before it was interrupted"
    start=$SECONDS
    wait $pid
    status=$?
    [ $status = "$expected" ] || fail "'$*': exit $status, not $expected"
    [ $((SECONDS - start)) -le 5 ] || fail "'$*' took $((SECONDS - start)) seconds to stop"
    [ ! -s "$folder/out" ] || fail "'$*' wrote an answer"
    [ "$(grep -c . "$folder/err")" = 1 ] || fail "'$*': not one line of message"
    [ -z "$(ls "$folder" | grep json)" ] || fail "'$*' left $(ls "$folder")"
}
stopped_by INT 130 1 run saxpy --size 1M --repeat 1000 --baselines --sweep 1 --devices cpu
stopped_by TERM 143 1 run saxpy --size 1M --repeat 1000 --baselines --sweep 1 --devices cpu
# chunks of minutes, a check of minutes
stopped_by INT 130 2 run path --size 64 --devices cpu
stopped_by TERM 143 1.5 run nbody --size 200k --verify --devices cpu
stopped_by INT 130 1 run photons --size 100M --devices cpu --baselines
# at any moment, from the first instruction to the last
for n in $(seq 40); do
    for signal in INT TERM; do
        "$yoke" run saxpy --size 1k --devices cpu >"$folder/out" 2>"$folder/err" &
        pid=$!
        sleep "0.0$(printf %02d $n)"
        kill -$signal $pid 2>/dev/null
        wait $pid
        status=$?
        case $status in
        0 | 130 | 143) ;;
        *) fail "signal $signal after $n times 10 ms: exit $status" ;;
        esac
    done
done
