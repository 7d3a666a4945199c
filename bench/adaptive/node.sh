#!/usr/bin/env bash
# The adaptive loop on a GPU node: compares every partitioner with the best fixed split, for several ways of
# waiting and numbers of threads, and repeats the experiments of Navarro et al., section 5.
#
#     bench/adaptive/node.sh BUILD OUT
#
# BUILD is a build folder with YOKE_BENCH=ON. Writes OUT/table.md and OUT/raw.tar.gz. From the
# environment: CORES (all), GPU (cuda:0), ROUNDS (5), SECONDS_EACH (12, for a group of
# rows), JOBS (all: saxpy mxv nbody-131072 nbody-16384 denoise barnes-hut-100000 barnes-hut-1048576),
# PARTS (turns alpha ratio), SMALL=1 (small sizes, to try the script), LIMIT_S (480)
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=bench/record.sh
. "$here/../record.sh"
begin bench/adaptive/yoke-bench-adaptive "$@"
cores=${CORES:-$(nproc)} gpu=${GPU:-cuda:0} rounds=${ROUNDS:-5} seconds=${SECONDS_EACH:-12} each=150 limit=${LIMIT_S:-480}
parts=" ${PARTS:-turns alpha ratio} "
jobs=${JOBS:-saxpy mxv nbody-131072 nbody-16384 denoise barnes-hut-100000 barnes-hut-1048576}
small=${SMALL:-0}

# JOB: "APP SIZE OPTIONS..."
words()
{
    case $1:$small in
    saxpy:0) echo saxpy 134217728 ;;
    saxpy:1) echo saxpy 4194304 ;;
    mxv:0) echo mxv 200000 ;;
    mxv:1) echo mxv 4000 ;;
    denoise:0) echo denoise 301x370x316 steps=5 ;;
    denoise:1) echo denoise 60x74x63 steps=2 ;;
    nbody-*:0) echo nbody "${1#nbody-}" ;;
    nbody-*:1) echo nbody 2048 ;;
    barnes-hut-*:0) echo barnes-hut "${1#barnes-hut-}" ;;
    barnes-hut-*:1) echo barnes-hut 5000 ;;
    esac
}
describe_machine
case $parts in *" turns "*)
    for job in $jobs; do
        # The judged process finds its kernels on disk, as in a program's second run.
        # shellcheck disable=SC2046
        set -- $(words "$job")
        "$yoke" run "$1" --size "$2" --devices "cpu,$gpu" --repeat 1 >/dev/null 2>&1
        record "turns-$job" "$build/bench/adaptive/yoke-bench-adaptive" "$1" "$2" "cpu,$gpu" "rounds=$rounds" \
            "seconds=$seconds" "threads=$cores" "${@:3}"
    done ;;
esac

case $parts in *" alpha "*)
    # shellcheck disable=SC2046
    set -- $(words mxv)
    for alpha in 0.1 0.3 0.5 0.7 0.9; do
        for kind in nc-ht c-ht; do
            record "alpha-$kind-$alpha" "$yoke" run "$1" --size "$2" --devices "cpu,$gpu" --threads "$cores" \
                --partitioner "$kind:alpha=$alpha" --repeat 7 --json -
        done
    done ;;
esac
# fig. 10: cores with and without the GPU
case $parts in *" ratio "*)
    for job in mxv barnes-hut-100000; do
        # shellcheck disable=SC2046
        set -- $(words "$job")
        for count in $((cores / 4)) $((cores / 2)) "$cores"; do
            [ "$count" -ge 1 ] || continue
            record "ratio-$job-$count-cpu" "$yoke" run "$1" --size "$2" --devices "cpu:$count" --repeat 5 --json -
            for kind in nc-ht c-ht auto; do
                record "ratio-$job-$count-$kind" "$yoke" run "$1" --size "$2" --devices "cpu:$count,$gpu" --threads "$count" \
                    --partitioner "$kind" --repeat 5 --json -
            done
        done
        record "ratio-$job-gpu" "$yoke" run "$1" --size "$2" --devices "$gpu" --repeat 5 --json -
    done ;;
esac
finish table.py
