#!/usr/bin/env bash
# Measures how well lines learned in one process predict times in the next, on a node with one or more GPUs. For each job, size and set of
# devices, a first process without knowledge runs `auto` a few times and ends. A second one starts with these lessons, runs `linear`
# and searches for the best split. A third one runs `auto`. A fourth one runs the third one's split as a fixed split. papers/004, section 5.
# Part `derived` measures splits for a size never seen. Two processes learn at the sizes beside the middle one. A third one runs the middle
# size for the first time, with a derived split. A fourth one runs that split and searches for the best. papers/003, section 3.
#
#     bench/learned/lines.sh BUILD OUT
#
# Writes OUT/table.md and OUT/raw.tar.gz (every JSON and log). From the environment:
#     PARTS    lines derived (lines)
#     JOBS     saxpy mxv spmv nbody denoise (all)
#     SIZES    instead of the usual five of a job
#     DEVICES  cpu and all CUDA devices, as "cpu cuda:0 cuda:1"; PoCL to test the script: "cpu:1 opencl:0"
#     GPUS     how many of them beside the cores (1 2)
#     LESSONS  timed runs of the first process after its first (20: by then memory that GPUs copy often is pinned); REPEAT: of the others (11)
#     SWEEP    the step of the search for the best split (5%); "": none
#     SECONDS_EACH  limit for one command (60); LIMIT_S: for all (560)
#     SMALL    1: small jobs, to test the script itself
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=bench/record.sh
. "$here/../record.sh"
begin cli/yoke "$@"
parts=${PARTS:-lines} jobs=${JOBS:-saxpy mxv spmv nbody denoise} small=${SMALL:-0} gpu_counts=${GPUS:-1 2}
lessons=${LESSONS:-20} repeat=${REPEAT:-11} sweep=${SWEEP-5%} each=${SECONDS_EACH:-60} limit=${LIMIT_S:-560}

sizes_of()
{
    case ${SIZES:+given}$small:$1 in
    given*) echo "$SIZES" ;;
    1:denoise) echo 24x24x24 32x32x32 40x40x40 ;;
    1:nbody) echo 512 1024 2048 ;;
    1:*) echo 10k 100k 1M ;;
    *:saxpy) echo 4M 16M 64M 134217728 402653184 ;;
    *:mxv) echo 10k 50k 200k 400k 800k ;;
    *:spmv) echo 500k 2M 7M 16M 35M ;;
    *:nbody) echo 8k 32k 65536 131072 262144 ;;
    *:denoise) echo 64x64x64 128x128x128 192x192x192 256x256x256 301x370x316 ;;
    esac
}
# SET DEVICES JOB SIZE
three_processes()
{
    local label=$1-$3-$4 run=("$yoke" run "$3" --size "$4" --devices "$2" --json -)
    export YOKE_KB=$out/knowledge.db
    rm -f "$YOKE_KB"*
    record "$label-first" "${run[@]}" --repeat "$lessons"
    record "$label-linear" "${run[@]}" --repeat "$repeat" --partitioner linear ${sweep:+--sweep "$sweep"}
    record "$label-again" "${run[@]}" --repeat "$repeat" --baselines
    export YOKE_KB=off
    # A process's first run also pays for memory, programs and rising clocks, whatever its split. The process with the fixed split does, too.
    shares=$(python3 "$here/lines.py" --shares "$raw/$label-again.json") && [ -n "$shares" ] &&
        record "$label-same" "${run[@]}" --repeat 1 --partitioner "static:shares=$shares"
}
# SET DEVICES JOB SIZES...: an odd number of sizes
derived()
{
    local label=$1 devices=$2 job=$3 sizes=("${@:4}") shares size
    local middle=$(((${#sizes[@]} - 1) / 2))
    local run=("$yoke" run "$job" --devices "$devices" --json -) own=(--size "${sizes[middle]}")
    label=$label-$job-${sizes[middle]}
    export YOKE_KB=$out/knowledge.db
    rm -f "$YOKE_KB"*
    for size in "${sizes[middle - 1]}" "${sizes[middle + 1]}"; do
        record "$label-taught-$size" "${run[@]}" --size "$size" --repeat "$lessons"
    done
    record "$label-derived" "${run[@]}" "${own[@]}" --repeat 1 --partitioner linear
    export YOKE_KB=off
    shares=$(python3 "$here/lines.py" --shares "$raw/$label-derived.json") && [ -n "$shares" ] &&
        record "$label-split" "${run[@]}" "${own[@]}" --repeat "$repeat" --partitioner "static:shares=$shares" --sweep "$sweep"
}

record_machine
cores=$(echo "$devices" | tr ' ' '\n' | grep '^cpu' | head -n 1)
for job in $jobs; do
    read -ra sizes <<<"$(sizes_of "$job" | tr '\n' ' ')"
    for count in $gpu_counts; do
        [ "$count" -le "$gpus" ] || continue
        set=C+$([ "$count" = 1 ] || echo "$count")G
        on=$cores,$(echo "$gpu_list" | cut -d ' ' -f "1-$count" | tr ' ' ',')
        case " $parts " in *" lines "*) for size in "${sizes[@]}"; do three_processes "$set" "$on" "$job" "$size"; done ;; esac
        case " $parts " in *" derived "*) derived "$set" "$on" "$job" "${sizes[@]}" ;; esac
    done
done
finish lines.py "$out"/knowledge.db*
