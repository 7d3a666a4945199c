#!/usr/bin/env bash
# Irregular work on a node with one or more GPUs. Compares the plain kernel with the step kernel on each GPU and on the cores, and with StarPU
# on the cores (plain kernel). Runs every set of devices by `yoke run --matrix`, and a sweep over sizes. All results are verified.
#
#     bench/irregular/node.sh BUILD OUT
#
# BUILD is a build folder with YOKE_BENCH=ON. Writes OUT/table.md and OUT/raw.tar.gz (every JSON and log). From the environment:
#     LOADS    slab tissue cluster clusterN (slab tissue). slab: the built-in slab of photons, van de Hulst's with a yield of a half;
#              tissue: apps/photons/tissue.mci, four layers of which two fluoresce; cluster: barnes-hut's Plummer sphere; clusterN
#              also computes the Fibonacci sequence up to N at each visit of a node (papers/002 has 20 40 80 160)
#     PARTS    alone cores starpu sets sweep (all, in this order of importance), each for all loads
#     KERNELS  plain step auto (all that this yoke has)
#     DEVICES  cpu and all CUDA devices, as "cpu cuda:0 cuda:1"; PoCL to test the script: "cpu:1 opencl:0"
#     REPEAT   timed runs (7, of the sets 5); ROUNDS: turns of StarPU and yoke (5)
#     COUNTS   sizes of the sweep (100k 1M 10M 100M 1G; of the cluster 10k 100k 1M 10M)
#     SIZE     of all other parts, instead of each load's own
#     SECONDS_EACH  limit for one command (100); then it is interrupted, and its results so far count
#     LIMIT_S  limit in seconds for all commands together (560)
#     SMALL    1: small sizes, to test the script itself
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=bench/record.sh
. "$here/../record.sh"
begin cli/yoke "$@"
loads=${LOADS:-slab tissue} parts=${PARTS:-alone cores starpu sets sweep} small=${SMALL:-0}
repeat=${REPEAT:-7} seldom=${REPEAT:-5} rounds=${ROUNDS:-5} each=${SECONDS_EACH:-100} limit=${LIMIT_S:-560}

tissue=$here/../../apps/photons/tissue.mci
# LOAD: application, size (at most some seconds of all cores; smaller for one core), sizes of the sweep, options
words()
{
    case $1:$small in
    slab:0) app=photons size=320M core_size=16M counts="100k 1M 10M 100M 1G" ;;
    slab:1) app=photons size=200k core_size=200k counts="20k 100k" ;;
    tissue:0) app=photons size=8M core_size=400k counts="100k 1M 10M 100M" ;;
    tissue:1) app=photons size=4k core_size=4k counts="2k 8k" ;;
    cluster*:0) app=barnes-hut size=1048576 core_size=65536 counts="10k 100k 1M 10M" ;;
    cluster*:1) app=barnes-hut size=5000 core_size=5000 counts="2k 8k" ;;
    *) say "there is no load '$1'"; return 1 ;;
    esac
    options=() plain_options=()
    [ "$1" != tissue ] || options=(--input "$tissue") plain_options=("input=$tissue")
    [[ $1 != cluster?* ]] || options=(--load "${1#cluster}") plain_options=("load=${1#cluster}")
    size=${SIZE:-$size} counts=${COUNTS:-$counts}
}
# LABEL SIZE DEVICES KERNEL OPTIONS...
run()
{
    local label=$1 of=$2 on=$3 kernel=$4
    shift 4
    record "$label" "$yoke" run "$app" "${options[@]}" --size "$of" --devices "$on" --kernel "$kernel" --verify --json - "$@"
}
# Finds which of the kernels the application has, by runs of a few items on one core.
kernels_of()
{
    local kernel
    for kernel in ${KERNELS:-plain step auto}; do
        "$yoke" run "$app" --size 100 --devices cpu:1 --repeat 1 --quiet --kernel "$kernel" >/dev/null 2>&1 && echo "$kernel"
    done
}

record_machine
[ "$gpus" -gt 0 ] || say "no GPU: the cores only"
for part in $parts; do
    for load in $loads; do
        words "$load" || continue
        kernels=$(kernels_of)
        case $part in
        alone)
            for gpu in $gpu_list; do
                for kernel in $kernels; do run "$load-alone-$kernel-$gpu" "$size" "$gpu" "$kernel" --repeat "$repeat"; done
            done
            ;;
        cores)
            for kernel in $kernels; do
                run "$load-core-$kernel" "$core_size" cpu:1 "$kernel" --repeat 3
                run "$load-cores-$kernel" "$core_size" cpu "$kernel" --repeat "$repeat"
            done
            ;;
        starpu)
            if [ -x "$build/bench/irregular/yoke-bench-irregular-starpu" ]; then
                STARPU_SILENT=1 STARPU_HOME=$out/starpu record "$load-starpu" "$build/bench/irregular/yoke-bench-irregular-starpu" \
                    "$app" "$(numfmt --from=si "${core_size^^}")" "$rounds" "${plain_options[@]}"
            else
                say "no StarPU in this build; install libstarpu-dev"
            fi
            ;;
        sets)
            for kernel in $kernels; do run "$load-sets-$kernel" "$size" "${devices// /,}" "$kernel" --matrix --repeat "$seldom"; done
            ;;
        sweep)
            for count in $counts; do
                for kernel in $kernels; do
                    [ "$gpus" = 0 ] || run "$load-sweep-$kernel-$count-one" "$count" "${gpu_list%% *}" "$kernel" --repeat "$repeat"
                    run "$load-sweep-$kernel-$count-all" "$count" "${devices// /,}" "$kernel" --repeat "$repeat"
                done
            done
            ;;
        *) say "there is no part '$part'" ;;
        esac
    done
done

finish tables.py "$out/starpu"
