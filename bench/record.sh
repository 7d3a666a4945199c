# shellcheck shell=bash
# shellcheck disable=SC2154,SC2034 # the sourcing script sets and uses these variables
# The common part of the scripts for GPU nodes. They set `here`, their folder, and source this file. `record` also needs `each` and `limit`
# (the time limits in seconds for a command and for all).

# PROGRAM BUILD OUT: if BUILD does not have PROGRAM, prints the script's first lines, its usage, and ends. Sets `build`, `yoke`, `out` and
# `raw` (the folder for files).
begin()
{
    if [ $# -ne 3 ] || [ ! -x "$2/$1" ]; then
        sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2
        exit 2
    fi
    build=$(cd "$2" && pwd)
    yoke=$build/cli/yoke
    mkdir -p "$3/raw" && out=$(cd "$3" && pwd) && raw=$out/raw || exit 1
    export YOKE_CACHE=$out/kernel-cache
    export YOKE_KB=off # a run knows nothing of those before it
    unset YOKE_DEVICES YOKE_PARTITIONER YOKE_THREADS YOKE_WAIT YOKE_TRACE YOKE_EXPLAIN YOKE_CPU_WEIGHT
    PATH=$PATH:/usr/local/cuda/bin
}
# TABLE FILES...: the script in `here` that makes the tables; and files to delete
finish()
{
    python3 "$here/$1" "$raw" >"$out/table.md" || say "the table could not be made"
    shift
    rm -rf "$YOKE_CACHE" "$@"
    tar -C "$out" -czf "$out/raw.tar.gz" raw && rm -rf "$raw"
    cat "$out/table.md"
    say "written: $out/table.md, $out/raw.tar.gz"
}

say() { printf '%4d s  %s\n' "$SECONDS" "$*"; }
# LABEL COMMAND...: standard output goes to raw/LABEL.json. A command out of time is interrupted: yoke then prints its results so far.
record()
{
    local label=$1 left=$((limit - SECONDS)) status
    shift
    [ "$left" -gt 5 ] || { say "$label: left out, $limit s are over"; return; }
    echo "$*" >"$raw/$label.command"
    timeout -s INT -k 60 "$((left < each ? left : each))" "$@" >"$raw/$label.json" 2>"$raw/$label.log"
    status=$?
    [ -s "$raw/$label.json" ] || rm -f "$raw/$label.json"
    say "$label$([ $status = 0 ] || echo ": exit status $status: $(tail -n 1 "$raw/$label.log" | cut -c1-300)")"
}

describe_machine()
{
    { date -u; uname -a; nproc; head -3 /proc/meminfo; nvidia-smi; nvidia-smi topo -m; lscpu; git -C "$here" log -1 --format=%H; } \
        >"$raw/machine.log" 2>&1
}
# Records the machine and chooses the devices: DEVICES, or cpu and all CUDA devices, as "cpu cuda:0 cuda:1". Sets `devices`, `gpu_list`
# (all but cpu) and `gpus`, their number.
record_machine()
{
    describe_machine
    record info "$yoke" info --devices cpu,cuda --json
    [ -e "$raw/info.json" ] || record info "$yoke" info --json
    devices=${DEVICES:-cpu $(grep -oE '"name":[[:space:]]*"cuda:[0-9]+"' "$raw/info.json" | grep -oE 'cuda:[0-9]+' | tr '\n' ' ')}
    devices=${devices% }
    gpu_list=$(echo "$devices" | tr ' ' '\n' | grep -v '^cpu' | tr '\n' ' ')
    gpu_list=${gpu_list% }
    gpus=$(echo "$gpu_list" | wc -w)
    say "devices: $devices"
}
