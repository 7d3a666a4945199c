#!/usr/bin/env bash
# sweep.sh YOKE: the oracle of --sweep is the best of all splits in steps of one per cent, tried one by one. Simulated devices
# have a virtual clock, so both are exact; the machines have their best split in the middle and at either end.
set -u
yoke=$1 status=0
command -v jq >/dev/null || exit 77
seconds() { "$yoke" run saxpy --size 200k --devices "$1" --partitioner "$2" --repeat 1 --json - | jq .seconds; }
for devices in sim:cpu:cores=4:rate=1e8,sim:gpu sim:cpu:cores=16:rate=4e9,sim:gpu:link=1e9 sim:cpu:cores=1:rate=1e7,sim:gpu; do
    found=$("$yoke" run saxpy --size 200k --devices "$devices" --repeat 1 --sweep 5 --json - | jq '.oracle.seconds')
    best=$(for s in $(seq 0 100); do
        seconds "$devices" "static:shares=$(printf '%d.%02d/%d.%02d' $((s / 100)) $((s % 100)) $(((100 - s) / 100)) $(((100 - s) % 100)))"
    done | sort -g | head -n 1)
    echo "$found $best" | awk '{ exit !($1 <= 1.001 * $2 && $1 >= 0.98 * $2) }' || {
        echo "$devices: the sweep found $found s, the best of 101 splits takes $best s"
        status=1
    }
done
exit $status
