#!/usr/bin/env bash
# interrupt_moments.sh YOKE SIGNALED: at whatever moment a signal comes, from the first instruction to the last, the command ends
# with 130 or 143, unless it was done before; never by the signal's default action, and never with both outcomes in one file.
set -u
yoke=$1 signaled=$2
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
export YOKE_KB=$folder/knowledge.db
RANDOM=1
fail() { echo "$1"; cat "$folder/err"; exit 1; }
# MICROSECONDS WORDS...: COUNT moments spread over this time
moments()
{
    local span=$1 i number at how what ms
    for i in $(seq 40); do
        number=$((i % 2 ? 2 : 15))
        at=$((span * i / 40 * (512 + RANDOM % 512) / 1024))
        "$signaled" $number $at "$yoke" "${@:2}" >"$folder/out" 2>"$folder/err"
        read -r how what ms <<<"$(tail -n 1 "$folder/out")"
        case "$how $what" in
        "exit 0") ended=$((ended + 1)) ;;
        "exit $((128 + number))") stopped=$((stopped + 1)) ;;
        *) fail "signal $number after $at us of 'yoke ${*:2}': $how $what" ;;
        esac
        [ -z "$(ls "$folder" | grep new)" ] || fail "it left $(ls "$folder")"
        [ ! -s "$folder/a.json" ] || [ "$(tail -c 2 "$folder/a.json")" = "}" ] || fail "half a JSON file"
        rm -f "$folder/a.json"
    done
}
stopped=0 ended=0
moments 4000 --version                                                                        # start and end
moments 60000 run saxpy --size 10k --devices sim:gpu --json "$folder/a.json"                  # a short job, opening and closing
moments 400000 run saxpy --size 1M --devices cpu --repeat 3 --verify --json "$folder/a.json"  # all phases
echo "$stopped stopped, $ended were done"
[ $stopped -ge 20 ] || fail "only $stopped of 120 came in time"
