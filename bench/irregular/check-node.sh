#!/usr/bin/env bash
# Step kernels on a GPU node: random trees of items, each of which must be handled exactly once
# (tests/runtime/test_steps_stress.c), on the GPU through both its drivers, on the cores, and on all devices together;
# then small trees under each of compute-sanitizer's tools. About two and a half minutes.
#
#     bench/irregular/check-node.sh BUILD OUT
#
# Writes OUT/check.md (what passed, what failed, what this machine cannot run) and a log for each row. Exits 1
# if a check failed. From the environment: GPU (cuda:0), OPENCL (the same GPU's name there, found by its
# model; "none": leave it out), CPU (cpu), SECONDS_EACH (12, for a machine), TOOL_SECONDS (15, for a tool),
# SEED (the time), LIMIT_S (480)
set -u
if [ $# -ne 2 ] || [ ! -x "$1/tests/runtime/test_steps_stress" ]; then
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2
    exit 2
fi
tests=$(cd "$1/tests/runtime" && pwd)
yoke=$(cd "$1" && pwd)/cli/yoke
mkdir -p "$2" && out=$(cd "$2" && pwd) || exit 1
gpu=${GPU:-cuda:0} cpu=${CPU:-cpu} each=${SECONDS_EACH:-12} tool_s=${TOOL_SECONDS:-15}
seed=${SEED:-$(date +%s)} limit=${LIMIT_S:-480}
export YOKE_CACHE=$out/kernel-cache
unset YOKE_DEVICES YOKE_PARTITIONER YOKE_THREADS YOKE_WAIT YOKE_TRACE
PATH=$PATH:/usr/local/cuda/bin
failures=0

say() { printf '%4d s  %s\n' "$SECONDS" "$*"; }
# ROW RESULT WORDS...
write()
{
    local row=$1 result=$2
    shift 2
    echo "| $row | $result | $* |" >>"$out/check.md"
    say "$row: $result; $*"
    [ "$result" != FAILED ] || failures=$((failures + 1))
}
# ROW COMMAND...: the time limit is the woods' seconds plus time for starting and compiling
check()
{
    local row=$1 log=$out/${1//[: ,=]/-}.log status
    shift
    if [ "$SECONDS" -ge "$limit" ]; then
        write "$row" "not run" "$limit s are over"
        return
    fi
    timeout -s KILL 150 "$@" >"$log" 2>&1
    status=$?
    if [ "$status" = 0 ]; then
        write "$row" passed "$(grep -E 'each once|PASSED|SUMMARY:' "$log" | sed 's/^=* *//' | tr '\n' ' ')"
    elif grep -qE '^there is no ' "$log" || { [ "$1" = compute-sanitizer ] && ! grep -q 'each once' "$log" &&
        grep -qiE 'not supported|unable to|failed to initialize|could not' "$log"; }; then
        write "$row" "not available" "$(grep -iE '^there is no |not supported|unable to|failed to|could not' "$log" | head -n 1)"
    else
        write "$row" FAILED "exit status $status: $(grep -vE '^ *$' "$log" | tail -n 4 | cut -c1-300 | tr '\n' ' ')"
    fi
}
woods() { echo "$tests/test_steps_stress --seed $seed --hang 60 --items 1000000000000 $*"; }

# The GPU's name in OpenCL: the first device that is no CPU and has its model, if the model is known.
if [ -z "${OPENCL:-}" ]; then
    OPENCL=$(python3 "$here/../opencl_name.py" "$yoke" "$gpu" 2>/dev/null)
    OPENCL=${OPENCL:-none}
fi

{ date -u; uname -a; nproc; nvidia-smi -L; nvidia-smi --query-gpu=driver_version --format=csv,noheader
    compute-sanitizer --version; } >"$out/machine.log" 2>&1
{
    echo "Seed $seed; GPU $gpu, through OpenCL ${OPENCL:-none}; $(nproc) cores."
    echo
    echo "| check | result | what it said |"
    echo "| --- | --- | --- |"
} >"$out/check.md"

# shellcheck disable=SC2046
{
    check "woods on $gpu" $(woods --devices "$gpu" --seconds "$each" --wood 4000000 --turns 300000)
    if [ "${OPENCL:-none}" = none ]; then
        write "woods through OpenCL" "not available" "no GPU is found through OpenCL"
    else
        check "woods on $OPENCL" $(woods --devices "$OPENCL" --seconds "$each" --wood 4000000 --turns 300000)
        check "cases on $OPENCL" "$tests/test_steps" "$OPENCL"
    fi
    check "woods on $cpu" $(woods --devices "$cpu" --seconds "$each" --wood 4000000 --turns 100000000)
    check "woods on all" $(woods --devices "$cpu,$gpu:lanes=2" --seconds "$each" --wood 4000000 --turns 300000)
    check "cases on $gpu" "$tests/test_steps" "$gpu" "cpu:1,$gpu:lanes=2"
    for tool in memcheck racecheck initcheck synccheck; do
        if ! command -v compute-sanitizer >/dev/null; then
            write "$tool" "not available" "no compute-sanitizer in PATH or /usr/local/cuda/bin"
            continue
        fi
        check "$tool" compute-sanitizer --tool "$tool" --error-exitcode 9 \
            $(woods --devices "$gpu" --seconds "$tool_s" --wood 30000 --turns 500 --groups 16 --hang 120)
    done
}
rm -rf "$YOKE_CACHE"
cat "$out/check.md"
[ "$failures" = 0 ]
