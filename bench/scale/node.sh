#!/usr/bin/env bash
# Jobs at scale on a node with one or more GPUs. Runs every set of devices by `yoke run --matrix`, and jobs larger than the (limited) device
# memory. Compares the product with direct calls of cuBLAS on a GPU and with threaded OpenBLAS on the cores.
#
#     bench/scale/node.sh BUILD OUT
#
# BUILD is a build folder with YOKE_BENCH=ON. Writes OUT/table.md and OUT/raw.tar.gz: every JSON and log, and a picture of each matrix
# (LABEL.svg; without gnuplot its commands, to draw it later: gnuplot LABEL.gnuplot >LABEL.svg). From the environment:
#     PARTS    links mm product nbody barnes-hut mxv saxpy barnes-hut-large mm-large nbody-large stream blas (all, in this order of
#              importance)
#     DEVICES  cpu and all CUDA devices, as "cpu cuda:0 cuda:1"; PoCL to test the script: "cpu:1 opencl:0"
#     REPEAT   timed runs of a set (9, of jobs of a few ms 15, of long ones 5 or 3); SWEEP: step of the search for the best fixed split in
#              the small jobs, none by default
#     SECONDS_EACH  limit for one command (150); then it is interrupted, and its results so far count
#     LIMIT_S  limit in seconds for all commands together (560)
#     MM_LARGE size of the product that takes a second on all devices; by default from the number of GPUs
#     SMALL    1: small sizes, to test the script itself
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=bench/record.sh
. "$here/../record.sh"
begin cli/yoke "$@"
parts=${PARTS:-links mm product nbody barnes-hut mxv saxpy barnes-hut-large mm-large nbody-large stream blas}
repeat=${REPEAT:-9} often=${REPEAT:-15} seldom=${REPEAT:-3} each=${SECONDS_EACH:-150} limit=${LIMIT_S:-560} small=${SMALL:-0}

# LABEL REPEAT APP SIZE OPTIONS...
matrix()
{
    local label=$1 count=$2 app=$3 size=$4
    shift 4
    record "matrix-$label" "$yoke" run "$app" --matrix --size "$size" --devices "${devices// /,}" --repeat "$count" --verify \
        --plot "$raw/$label.svg" --json - "$@"
    [ ! -d "$words" ] || [ ! -e "$raw/$label.svg" ] || mv "$raw/$label.svg" "$raw/$label.gnuplot"
}

# Without gnuplot, a replacement stores its input.
words=$out/words
rm -rf "$words"
if ! command -v gnuplot >/dev/null; then
    mkdir "$words" && printf '#!/bin/sh\n[ -n "$1" ] || cat\n' >"$words/gnuplot" && chmod +x "$words/gnuplot"
    PATH=$words:$PATH
fi

record_machine
gpu=${gpu_list%% *}
[ "$gpus" -gt 0 ] || say "no GPU: sets of one device only"

# For doubles: 2 n^3 operations take about a second at these sizes, at 60 TFLOP/s per GPU.
case $gpus in 0 | 1) large=30000 ;; 2) large=38000 ;; 3) large=44000 ;; *) large=48000 ;; esac
large=${MM_LARGE:-$large}
mm=7000 bodies=524288 more=2097152 cluster=1048576 clusters=29360128 rows=800000 elements=134217728 room=1G
if [ "$small" = 1 ]; then
    mm=300 large=500 bodies=4096 more=8192 cluster=5000 clusters=10000 rows=4000 elements=4194304 room=16M
fi
sweep=()
[ -z "${SWEEP:-}" ] || sweep=(--sweep "$SWEEP")

for part in $parts; do
    case $part in
    links) record links "$yoke" info --devices "${devices// /,}" --measure --json ;;
    mm) matrix mm "$repeat" mm "$mm" "${sweep[@]}" ;;
    mm-large) matrix mm-large "$seldom" mm "$large" ;;
    product)
        if command -v nvcc >/dev/null && [ "${gpu%%:*}" = cuda ]; then
            nvcc -O3 -arch="${ARCH:-native}" -o "$out/product" "$here/product.cu" -lcublas >"$raw/nvcc.log" 2>&1 ||
                say "product.cu was not compiled: $(tail -n 1 "$raw/nvcc.log")"
            [ ! -x "$out/product" ] || record product "$out/product" "$mm" 9
        else
            say "product: no nvcc, or no CUDA device: nothing beside cuBLAS"
        fi
        ;;
    nbody) matrix nbody "$repeat" nbody "$bodies" "${sweep[@]}" ;;
    nbody-large) matrix nbody-large "$seldom" nbody "$more" ;;
    barnes-hut) matrix barnes-hut "$often" barnes-hut "$cluster" "${sweep[@]}" ;;
    barnes-hut-large) matrix barnes-hut-large "${REPEAT:-5}" barnes-hut "$clusters" ;;
    mxv) matrix mxv "$repeat" mxv "$rows" "${sweep[@]}" ;;
    saxpy) matrix saxpy "$often" saxpy "$elements" "${sweep[@]}" ;;
    stream)
        [ ! -x "$build/bench/streaming/yoke-bench-streaming" ] ||
            record streaming "$build/bench/streaming/yoke-bench-streaming" "$gpu" mem="$room" times=4
        # Arrays of 4 x the device's memory limit: 8 kB per row of mxv, 8 bytes per element of saxpy. Then the same without a limit.
        [ -n "$gpu" ] || continue
        record stream-mxv "$yoke" run mxv --size "$rows" --devices "$gpu:mem=$((rows * 8000 / 4))" --repeat "$repeat" --verify --json -
        record whole-mxv "$yoke" run mxv --size "$rows" --devices "$gpu" --repeat "$repeat" --json -
        record stream-saxpy "$yoke" run saxpy --size "$elements" --devices "$gpu:mem=$((elements * 2))" --repeat "$repeat" --verify --json -
        record whole-saxpy "$yoke" run saxpy --size "$elements" --devices "$gpu" --repeat "$repeat" --json -
        ;;
    blas) [ -x "$build/bench/yoke-bench-mm" ] && record blas "$build/bench/yoke-bench-mm" "$mm" double 5 ;;
    *) say "there is no part '$part'" ;;
    esac
done

finish table.py "$words" "$out/product"
