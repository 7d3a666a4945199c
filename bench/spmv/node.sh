#!/usr/bin/env bash
# Sparse products on a node with one or more GPUs. Measures the share of the memory bandwidth that they reach on the cores and on a GPU with
# a resident matrix, single products from the host on every set of devices, and conjugate gradients, beside OpenMP's loop and cuSPARSE.
#
#     bench/spmv/node.sh BUILD OUT
#
# BUILD is a build folder with YOKE_BENCH=ON. Writes OUT/table.md and OUT/raw.tar.gz (every JSON and log). From the environment:
#     PARTS    peers kernel resident host cg items (all, in this order of importance)
#                peers       a loop by OpenMP, copies of memory, cuSPARSE (CUSPARSE=FILE if the loader does not find it)
#                kernel      20 recorded products on a GPU: the kernel's time by the device's clock, without the job's overhead
#                resident    STEPS products of one x per run, on the cores, on one GPU, on both and on two GPUs
#                host        one product with everything sent from the host and y home, on the same sets
#                cg          CG_STEPS steps of conjugate gradients, on the same sets
#                items       resident products of the skewed matrix with tiles of the same rows instead of the same work
#     MATRICES middle large skewed (all). middle: ch2's random walker, 49,541,329 non-zeros, large: ch2better's, 245,703,628
#              (mricron-data; if it is not installed, stencils of equally many points); skewed: 3,000,000 rows, 45 million non-zeros
#     TYPES    double single
#     DEVICES  cpu and all CUDA devices, as "cpu cuda:0 cuda:1"; PoCL to test the script: "cpu:1 opencl:0"
#     REPEAT   timed runs (5); ROUNDS of the peers (7); STEPS (200; on the cores a tenth); CG_STEPS (200; on the cores a tenth)
#     SECONDS_EACH  limit for one command (40); then it is interrupted, and its results so far count
#     LIMIT_S  limit in seconds for all commands together (230)
#     SMALL    1: small matrices, to test the script itself
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=bench/record.sh
. "$here/../record.sh"
begin cli/yoke "$@"
parts=${PARTS:-peers kernel resident host cg items} matrices=${MATRICES:-middle large skewed} types=${TYPES:-double single}
small=${SMALL:-0} repeat=${REPEAT:-5} rounds=${ROUNDS:-7} each=${SECONDS_EACH:-40} limit=${LIMIT_S:-230}
steps=${STEPS:-200} cg_steps=${CG_STEPS:-200} heads=/usr/share/mricron/templates peers=$build/bench/spmv/yoke-bench-spmv

# MATRIX: its options, in the syntax of yoke run and in that of the peers' program
words()
{
    local image='' rows=''
    case $1:$small in
    middle:0) image=$heads/ch2.nii.gz rows=7109137 ;;
    large:0) image=$heads/ch2better.nii.gz rows=35192920 ;;
    skewed:0) rows=3000000 ;;
    middle:* | large:* | skewed:*) rows=100000 ;;
    *) say "there is no matrix '$1'"; return 1 ;;
    esac
    options=(--size "$rows") words=("size=$rows")
    if [ -n "$image" ] && [ -r "$image" ]; then
        options=(--input "$image") words=("input=$image")
    elif [ "$1" = skewed ]; then
        options+=(--make skewed) words+=(make=skewed)
    fi
}
# LABEL MATRIX TYPE DEVICES OPTIONS...
run()
{
    local label=$1-$2-$3-$4 type=$3 on=$4
    shift 4
    record "${label//[,:]/_}" "$yoke" run spmv "${options[@]}" --type "$type" --devices "$on" --repeat "$repeat" --json - "$@"
}
# STEPS DEVICES: fewer on the cores
fewer() { case $2 in cpu*,* | [!c]* | cu*) echo "$1" ;; *) echo $((($1 + 9) / 10)) ;; esac; }

record_machine
gpu=$(echo "$gpu_list" | cut -d ' ' -f 1) cores=$(echo "$devices" | tr ' ' '\n' | grep '^cpu' | head -n 1)
sets=$cores
[ -z "$gpu" ] || sets="$sets $gpu ${cores:+$cores,$gpu}"
[ "$gpus" -lt 2 ] || sets="$sets $(echo "$gpu_list" | cut -d ' ' -f 1-2 | tr ' ' ',')"
for part in $parts; do
    for matrix in $matrices; do
        words "$matrix" || continue
        for type in $types; do
            case $part in
            peers) record "peers-$matrix-$type" "$peers" "$rounds" "type=$type" "${words[@]}" ;;
            resident)
                for on in $sets; do
                    run resident "$matrix" "$type" "$on" --resident --steps "$(fewer "$steps" "$on")" --verify
                done
                ;;
            kernel)
                [ -z "$gpu" ] || record "kernel-$matrix-$type-${gpu//:/_}" "$yoke" run spmv "${options[@]}" --type "$type" \
                    --devices "$gpu" --resident --steps 20 --repeat 1 --json - --trace "$raw/trace-$matrix-$type.json"
                ;;
            host) for on in $sets; do run host "$matrix" "$type" "$on"; done ;;
            cg)
                [ "$matrix" != skewed ] || continue
                for on in $sets; do
                    verify=(--verify)
                    [ "$matrix" != large ] || verify=() # verifying takes the host several seconds
                    run cg "$matrix" "$type" "$on" --solve cg --steps "$(fewer "$cg_steps" "$on")" "${verify[@]}"
                done
                ;;
            items)
                [ "$matrix" = skewed ] || continue
                for on in $sets; do
                    run items "$matrix" "$type" "$on" --resident --steps "$(fewer "$steps" "$on")" --items rows
                done
                ;;
            *) say "there is no part '$part'" ;;
            esac
        done
    done
done
finish tables.py
