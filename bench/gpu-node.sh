#!/usr/bin/env bash
# Measures a GPU node: yoke on all devices, on each device alone, and programs without yoke
# (oracle.cu, links.cu). All take turns in one call.
#
#     bench/gpu-node.sh BUILD OUT [HEAD.nii.gz]
#
# BUILD is a build folder with YOKE_BENCH=ON. Writes OUT/table.md (each target, its limit and the measured
# value) and OUT/raw.tar.gz (every JSON and log). Settings, all from the environment:
#     PARTS    saxpy mxv nbody denoise links alone chunk opencl pageable faults
#              memcheck (all of them);
#              denoise-head, denoise-cube: one of the two volumes only;
#              opencl: the other parts also through OpenCL instead of CUDA
#     SWEEP    1: also yoke's own search for the best split (--sweep 5), in every job
#     REPEAT   timed runs of a process (15); ROUNDS: turns between the programs (2)
#     CPU GPU  device texts (cpu, cuda:0); OPENCL: the same GPU's (found by its model)
#     SMALL    1: small sizes, to try the script itself
#     LIMIT_S  time in seconds after which no further command starts (540)
# Without nvcc or an NVIDIA GPU the oracle's columns stay empty; everything else is measured.
set -u
here=$(cd "$(dirname "$0")" && pwd)
if [ $# -lt 2 ] || [ ! -x "$1/cli/yoke" ]; then
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2
    exit 2
fi
build=$(cd "$1" && pwd)
out=$2
head=${3:-/usr/share/mricron/templates/ch2better.nii.gz}
yoke=$build/cli/yoke
parts=" ${PARTS:-saxpy mxv nbody denoise links alone chunk opencl pageable faults memcheck} "
repeat=${REPEAT:-15}
rounds=${ROUNDS:-2}
cpu=${CPU:-cpu}
gpu=${GPU:-cuda:0}
limit=${LIMIT_S:-540}
mkdir -p "$out" && out=$(cd "$out" && pwd) && raw=$out/raw && rm -rf "$raw" && mkdir -p "$raw" || exit 1
export YOKE_CACHE=$raw/../kernel-cache
rm -rf "$YOKE_CACHE"
unset YOKE_DEVICES YOKE_PARTITIONER YOKE_THREADS YOKE_WAIT YOKE_TRACE

with() { case $parts in *" $1 "*) return 0 ;; *) return 1 ;; esac; }
say() { printf '%4d s  %s\n' "$SECONDS" "$*"; }

# LABEL COMMAND...: writes the command to raw/LABEL.command, and its output to raw/LABEL.log.
record()
{
    local label=$1 status
    shift
    if [ "$SECONDS" -ge "$limit" ]; then
        say "$label: left out, $limit s are over"
        return 1
    fi
    echo "$*" >"$raw/$label.command"
    timeout 180 "$@" >"$raw/$label.log" 2>&1
    status=$?
    echo "$status" >"$raw/$label.status"
    say "$label"
    [ "$status" = 0 ] || { say "$label: exit status $status"; tail -n 3 "$raw/$label.log" | cut -c1-300; }
    return "$status"
}
# LABEL DEVICES APP OPTIONS...
run()
{
    local label=$1 devices=$2
    shift 2
    record "$label" "$yoke" run "$@" --devices "$devices" --verify --json "$raw/$label.json"
}
# LABEL PROGRAM WORDS...: a program that prints JSON
program()
{
    local label=$1
    shift
    [ -x "$1" ] || return 1
    record "$label" "$@" && cp "$raw/$label.log" "$raw/$label.json"
}
# FILE KEY: a top-level number of a JSON file
number()
{
    python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$@" 2>/dev/null
}

# --- the machine and its programs ---
{
    date -u; uname -a; nproc; head -3 /proc/meminfo; ulimit -l; cat /sys/kernel/mm/transparent_hugepage/enabled
    nvidia-smi; lscpu; git -C "$here" log -1 --format=%H
} >"$raw/machine.log" 2>&1
record info "$yoke" info
record doctor "$yoke" doctor
oracle=$out/oracle links=$out/links
rm -f "$oracle" "$links"
PATH=$PATH:/usr/local/cuda/bin
if command -v nvcc >/dev/null; then
    host=-O3,-march=native,-fopenmp-simd,-ffast-math,-fno-finite-math-only
    arch=${ARCH:-native}
    nvcc -O3 -arch="$arch" -Xcompiler "$host" -o "$oracle" "$here/oracle.cu" >"$raw/nvcc-oracle.log" 2>&1 &
    nvcc -O3 -arch="$arch" -o "$links" "$here/links.cu" >"$raw/nvcc-links.log" 2>&1
    wait
    [ -x "$oracle" ] || { say "oracle.cu was not compiled:"; cat "$raw/nvcc-oracle.log"; }
    [ -x "$links" ] || { say "links.cu was not compiled:"; cat "$raw/nvcc-links.log"; }
else
    say "no nvcc in PATH or /usr/local/cuda/bin: no oracle, no links"
fi

# The GPU's name in OpenCL: the first device that is no CPU and has the model of $gpu, if the model
# is known. On many machines the first device is PoCL, which is the CPU.
if [ -z "${OPENCL:-}" ]; then
    OPENCL=$(python3 "$here/opencl_name.py" "$yoke" "$gpu" NVIDIA)
fi
vias=cuda
with opencl && [ -n "$OPENCL" ] && vias="cuda opencl"
with opencl && [ -z "$OPENCL" ] && say "no GPU is found through OpenCL: those rows stay empty"
say "GPU: $gpu, through OpenCL: ${OPENCL:-none}"
device() { [ "$1" = cuda ] && echo "$gpu" || echo "$OPENCL"; }

if [ "${SMALL:-0}" = 1 ]; then
    elements=4194304 rows=4000 bodies="8192 2048" cube=64x64x64 steps=5
    shrink="--size 60x74x63"
else
    elements=134217728 rows=200000 bodies="131072 16384" cube=512x512x512 steps=50
    shrink=
fi

# --- the jobs: in turns, the oracle at its best share, then yoke through each driver ---

# JOB APP SIZE [SHARE]: in the rounds the oracle uses SHARE, if given
turns()
{
    local job=$1 app=$2 size=$3 share=${4:-} round via extra
    if [ ! -e "$raw/$job-sweep.json" ]; then
        program "$job-sweep" "$oracle" "$app" "$size" repeat=9
    fi
    if [ ! -s "$raw/$job-sweep.json" ]; then
        share=
    elif [ -z "$share" ]; then
        share=$(number "$raw/$job-sweep.json" share)
    fi
    for round in $(seq "$rounds"); do
        [ -z "$share" ] || program "$job-oracle-$round" "$oracle" "$app" "$size" "repeat=$repeat" "share=$share"
        for via in $vias; do
            extra=
            [ "$round" = 1 ] && extra=--baselines
            [ "$round" = 1 ] && [ "${SWEEP:-0}" = 1 ] && extra="--baselines --sweep 5"
            rm -rf "$YOKE_CACHE" # a first run has no compiled kernels
            # shellcheck disable=SC2086
            run "$via-$job-auto-$round" "$cpu,$(device "$via")" "$app" --size "$size" --repeat "$repeat" $extra
        done
    done
}

with links && program links "$links"
with saxpy && turns saxpy saxpy "$elements"
with mxv && turns mxv mxv "$rows"
if with nbody; then
    for size in $bodies; do
        turns "nbody-$size" nbody "$size" 1
    done
fi

# The GPU alone, one process per job.
if with alone; then
    for via in $vias; do
        run "$via-saxpy-alone" "$(device "$via")" saxpy --size "$elements" --repeat "$repeat"
        run "$via-mxv-alone" "$(device "$via")" mxv --size "$rows" --repeat "$repeat"
    done
fi

if with pageable; then
    for via in $vias; do
        for memory in pinned pageable; do
            run "$via-saxpy-$memory" "$cpu,$(device "$via")" saxpy --size "$elements" --repeat 9 --memory "$memory"
            run "$via-mxv-$memory" "$cpu,$(device "$via")" mxv --size "$rows" --repeat 9 --memory "$memory"
            run "$via-saxpy-alone-$memory" "$(device "$via")" saxpy --size "$elements" --repeat 9 --memory "$memory"
            run "$via-mxv-alone-$memory" "$(device "$via")" mxv --size "$rows" --repeat 9 --memory "$memory"
        done
    done
fi

if with chunk; then
    for via in $vias; do
        program "$via-chunk" "$build/bench/yoke-bench-overhead" "$(device "$via")"
    done
fi

if with denoise || with denoise-head || with denoise-cube; then
    [ -r "$head" ] || say "no $head: denoise works on its phantom"
    set --
    [ -r "$head" ] && set -- --input "$head"
    for via in $vias; do
        # shellcheck disable=SC2086
        with denoise-cube ||
            run "$via-denoise-head" "$cpu,$(device "$via")" denoise "$@" $shrink --steps "$steps" --repeat 5 --baselines --sweep 5
        with denoise-head ||
            run "$via-denoise-cube" "$cpu,$(device "$via")" denoise "$@" --size "$cube" --steps "$steps" --repeat 5 --baselines --sweep 5
    done
fi

# --- conditions that must not stop a job ---
if with faults; then
    small="saxpy --size 16777216 --repeat 2"
    fault()
    {
        local label=$1
        shift
        record "fault-$label" env "$@" --verify --json "$raw/fault-$label.json"
    }
    # shellcheck disable=SC2086
    {
        fault none-visible CUDA_VISIBLE_DEVICES= "$yoke" run $small
        fault odd-visible CUDA_VISIBLE_DEVICES=nonsense "$yoke" run $small
        fault far-visible CUDA_VISIBLE_DEVICES=99 "$yoke" run $small
        fault little-memory A=b "$yoke" run $small --devices "$cpu,$gpu:mem=16M"
        fault locked-limit A=b bash -c 'ulimit -l 64; exec "$@"' - "$yoke" run $small --devices "$gpu" --memory pageable
        fault no-compiler YOKE_NVRTC_LIBRARY=/nowhere/libnvrtc.so "$yoke" run $small
    }
    if [ -x "$links" ]; then
        "$links" hog 0.02 25 >"$raw/hog.log" 2>&1 &
        hog=$!
        for _ in $(seq 100); do
            grep -q left "$raw/hog.log" || sleep 0.1
        done
        # shellcheck disable=SC2086
        fault full-gpu A=b "$yoke" run $small
        kill "$hog" 2>/dev/null
        wait "$hog" 2>/dev/null
    fi
fi

# --- compute-sanitizer finds no error of a kernel, a copy or a driver call ---
if with memcheck; then
    check=(compute-sanitizer --tool memcheck --error-exitcode 9)
    if command -v compute-sanitizer >/dev/null; then
        contract=$build/tests/contract/test_backend_contract
        # some of its requests must be refused by the driver
        [ -x "$contract" ] && record memcheck-contract "${check[@]}" --report-api-errors no "$contract" "$gpu"
        for words in "saxpy --size 4194304" "mxv --size 4000" "nbody --size 4096" "denoise --size 60x74x63"; do
            # shellcheck disable=SC2086
            record "memcheck-${words%% *}" "${check[@]}" "$yoke" run $words --devices "$cpu,$gpu" --repeat 2 --verify
        done
    else
        say "no compute-sanitizer in PATH or /usr/local/cuda/bin: no memcheck"
    fi
fi

python3 "$here/gpu-table.py" "$raw" >"$out/table.md" || say "the table could not be made"
rm -rf "$YOKE_CACHE" "$oracle" "$links"
tar -C "$out" -czf "$out/raw.tar.gz" raw && rm -rf "$raw"
cat "$out/table.md"
say "written: $out/table.md, $out/raw.tar.gz"
