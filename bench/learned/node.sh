#!/usr/bin/env bash
# The CPU weight (Odajima et al., figures 3 and 4) and load that comes and goes (Soldado et al., figure 4), on a node with GPUs.
#
#     bench/learned/node.sh BUILD OUT
#
# weight: from 0.2 the paper's rule and the rate rule, nbody and mm on the cores and a GPU; gain: CPU+kG over kG for three sizes, beside
# the ceiling 1 + T_kG / T_C; load: saxpy while one busy thread per core runs, from one run to another, with `auto` and `trained`.
# Writes OUT/table.md, OUT/*.svg (if gnuplot is installed; otherwise bench/learned/plots.py RAW OUT draws them later) and OUT/raw.tar.gz
# (every JSON and log). From the environment:
#     PARTS    weight gain load (all)
#     DEVICES  cpu and all CUDA devices, as "cpu cuda:0 cuda:1"; to test the script: "sim:cpu:cores=4:rate=1e7 sim:gpu:rate=2e8"
#     GPUS     how many of them, for `gain` (1 2 4)
#     NBODY, MM, SAXPY  sizes (65536 131072 262144, 4096 8192 12288, 50000000); the second is that of `weight`
#     STEPS    of `weight` (60), ROUNDS of `gain` (12), RUNS of `load` (75, in thirds)
#     SECONDS_EACH  limit for one command (40); LIMIT_S: for all (230)
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=bench/record.sh
. "$here/../record.sh"
begin bench/learned/yoke-bench-history "$@"
parts=${PARTS:-weight gain load} gpu_counts=${GPUS:-1 2 4}
nbody=${NBODY:-65536 131072 262144} mm=${MM:-4096 8192 12288} saxpy=${SAXPY:-50000000}
steps=${STEPS:-60} rounds=${ROUNDS:-12} runs=${RUNS:-75} each=${SECONDS_EACH:-40} limit=${LIMIT_S:-230}
history=$build/bench/learned/yoke-bench-history

# COUNT: the first COUNT GPUs, separated by commas.
some_gpus() { echo "$gpu_list" | cut -d ' ' -f "1-$1" | tr ' ' ','; }
middle() { echo "$1" | cut -d ' ' -f 2; }

record_weight()
{
    local rule
    for rule in paper rate; do
        record "weight-nbody-$rule" "$history" nbody "$(middle "$nbody")" "$cores,$(some_gpus 1)" "runs=$steps" weight=0.2 "policy=$rule"
        record "weight-mm-$rule" "$history" mm "$(middle "$mm")" "$cores,$(some_gpus 1)" "runs=$steps" weight=0.2 "policy=$rule"
    done
}
# APP SIZE
record_gain()
{
    local count
    record "gain-$1-$2-C" "$history" "$1" "$2" "$cores" runs=3
    for count in $gpu_counts; do
        [ "$count" -le "$gpus" ] || continue
        record "gain-$1-$2-${count}G" "$history" "$1" "$2" "$(some_gpus "$count")" "runs=$rounds"
        record "gain-$1-$2-C+${count}G" "$history" "$1" "$2" "$cores,$(some_gpus "$count")" "runs=$rounds" weight=0.05 policy=rate
    done
}
record_load()
{
    local third=$((runs / 3)) partitioner
    for partitioner in auto trained trained:w=0.8; do
        record "load-$partitioner" "$history" saxpy "$saxpy" "$cores,$(some_gpus 1)" "runs=$runs" "from=$third" "to=$((2 * third))" \
            "partitioner=$partitioner" sweep=3
    done
}

record_machine
cores=$(echo "$devices" | tr ' ' '\n' | grep cpu | head -n 1)
gpu_list=$(echo "$devices" | tr ' ' '\n' | grep -v cpu | tr '\n' ' ')
gpu_list=${gpu_list% }
gpus=$(echo "$gpu_list" | wc -w)
case " $parts " in *" weight "*) record_weight ;; esac
case " $parts " in *" load "*) record_load ;; esac
case " $parts " in *" gain "*)
    for size in $nbody; do record_gain nbody "$size"; done
    for size in $mm; do record_gain mm "$size"; done ;;
esac
python3 "$here/plots.py" "$raw" "$out"
finish tables.py
