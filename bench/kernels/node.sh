#!/usr/bin/env bash
# The loops of kernels.c on a GPU node. Compares yoke on the cores with OpenMP, and yoke on a GPU, through CUDA and through OpenCL, with plain
# CUDA. All results are verified. Each group takes turns in one process (turns.c says how).
#
#     bench/kernels/node.sh BUILD OUT
#
# BUILD is a build folder with yoke-bench-kernels. If it has none, yoke is built there (this needs cmake, hwloc and SQLite). The hand-written
# loops are always compiled, for this machine's processor and GPU. Writes OUT/table.md and OUT/raw.tar.gz. Takes 3 to 6 minutes.
# From the environment:
#     PARTS    cores gpu (both)
#     CC NVCC  the compilers of the hand-written loops (gcc, nvcc)
#     CORES    cpu; "cpu cpu:variant=base cpu:variant=v3" also has these variants of kernels
#     GPU      cuda:0; OPENCL: the same GPU there (found by its model)
#     PAIRS    rounds (15)
#     WORDS    more arguments for yoke-bench-kernels: "only=stencil size=large"
#     SECONDS_EACH  limit for a group (165); its rows so far count
set -u
here=$(cd "$(dirname "$0")" && pwd)
tree=$(cd "$here/../.." && pwd)
parts=" ${PARTS:-cores gpu} " gpu=${GPU:-cuda:0}
export each=${SECONDS_EACH:-165} limit=600 # record's
if [ $# -ne 2 ]; then
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2
    exit 2
fi
# shellcheck source=bench/record.sh
. "$here/../record.sh"
if [ ! -x "$1/bench/kernels/yoke-bench-kernels" ]; then
    say "building yoke in $1"
    mkdir -p "$1" || exit 1
    cmake -S "$tree" -B "$1" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DYOKE_BENCH=ON -DYOKE_TESTS=OFF -DYOKE_COMMAND=OFF >"$1/node.log" 2>&1
    cmake --build "$1" -j "$(nproc)" --target yoke-bench-kernels >>"$1/node.log" 2>&1 || { tail -n 5 "$1/node.log"; exit 1; }
fi
begin bench/kernels/yoke-bench-kernels "$@"
describe_machine

# NAME COMPILER...: compiles the handwritten loops to OUT/NAME.so
by_hand()
{
    local name=$1
    shift
    "$@" -shared "-I$here/$name" "-I$tree/include" -o "$out/$name.so" >"$raw/$name-compiler.log" 2>&1 ||
        { say "$name.so was not compiled: $(tail -n 1 "$raw/$name-compiler.log")"; return 1; }
}
# LABEL NAME DEVICES...: the handwritten loops in NAME.so, and yoke on each of these devices
turns()
{
    local label=$1 file=$out/$2.so
    shift 2
    # shellcheck disable=SC2086 # words
    record "$label" "$build/bench/kernels/yoke-bench-kernels" "$file" "${@/#/devices=}" "pairs=${PAIRS:-15}" ${WORDS:-}
}

case $parts in *" cores "*)
    # shellcheck disable=SC2086 # words
    by_hand openmp "${CC:-gcc}" -std=gnu11 -O3 -march=native -fopenmp -fPIC "$here/openmp.c" &&
        turns cores openmp ${CORES:-cpu} ;;
esac
case $parts in *" gpu "*)
    if by_hand cuda "${NVCC:-nvcc}" -O3 -arch=native -Xcompiler -fPIC "$here/cuda.cu"; then
        opencl=${OPENCL:-}
        [ -n "$opencl" ] || [ ! -x "$yoke" ] || opencl=$(python3 "$here/../opencl_name.py" "$yoke" "$gpu" NVIDIA)
        [ -n "$opencl" ] || say "the GPU was not found in OpenCL; name it: OPENCL=opencl:0"
        # shellcheck disable=SC2086 # none or one
        turns gpu cuda "$gpu" $opencl
    fi ;;
esac

for label in cores gpu; do
    [ ! -e "$raw/$label.json" ] || { cat "$raw/$label.json"; echo; }
done >"$out/table.md"
rm -rf "$YOKE_CACHE" "$out/openmp.so" "$out/cuda.so"
tar -C "$out" -czf "$out/raw.tar.gz" raw && rm -rf "$raw"
cat "$out/table.md"
say "written: $out/table.md, $out/raw.tar.gz"
