#!/usr/bin/env bash
# The path tracer on a node with one or more GPUs. Compares the plain kernel with the step kernel and with a hand-written kernel, and
# profiles them. Runs every set of devices over a range of samples per pixel, also with the scene sent in every run. Runs StarPU and Embree
# on the cores. All pictures of a scene are bitwise equal, so one picture of each scene is verified.
#
#     bench/path/node.sh BUILD OUT
#
# BUILD is a build folder with YOKE_BENCH=ON. Writes OUT/table.md and OUT/raw.tar.gz (every JSON and log). From the environment:
#     PARTS    kernels several megakernel ncu sets upload long longest cores (all, in this order of importance)
#                kernels     each kernel at each of SHADOWS, on one GPU
#                several     the same on all GPUs
#                megakernel  the hand-written kernel on one GPU, in turns with each of yoke's kernels
#                ncu         the profiler, for plain, step and the hand-written kernel
#                sets        every set of devices for COUNTS samples, by `yoke run --matrix`
#                upload      the same, with the scene sent in every run
#                long        every set but the cores alone, for LONG samples; longest: for LONGEST, one run each
#                cores       each kernel on the cores, StarPU and Embree
#     SCENES   room many (room many). room: the bunny in the Cornell box; many: 16 bunnies, diffuse, mirrors and glass by turns
#     MODEL    another model than Debian's bunny (glmark2-data); "none": the box with its two blocks, and no bunnies
#     KERNELS  of kernels, several and cores: plain step auto
#     SETS_KERNELS  of sets, upload, long and longest (auto); SETS_SCENES (room)
#     DEVICES  cpu and all CUDA devices, as "cpu cuda:0 cuda:1"; PoCL to test the script: "cpu:1 opencl:0"
#     REPEAT   timed runs (5, of sets 3); ROUNDS: turns of the hand-written kernel and of StarPU (5)
#     SHADOWS  1 2 4 8 16 32; MEGA_SHADOWS: 1 8
#     SIZE     samples per pixel in kernels, several, megakernel, ncu (16), at PICTURE (1024x1024)
#     COUNTS   1,4,16; LONG: 64 256; LONGEST: 1024; at SETS_PICTURE (2048x2048)
#     CORE_SIZE  samples on the cores (4), at CORE_PICTURE (512x512); EMBREE_WIDTH: rays across (1024)
#     NCU      the profiler (ncu, if PATH or /usr/local/cuda/bin has it)
#     SECONDS_EACH  limit for one command (100); then it is interrupted, and its results so far count
#     LIMIT_S  limit in seconds for all commands together (560)
#     SMALL    1: small pictures, to test the script itself
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=bench/record.sh
. "$here/../record.sh"
begin cli/yoke "$@"
parts=${PARTS:-kernels several megakernel ncu sets upload long longest cores} small=${SMALL:-0}
scenes=${SCENES:-room many} kernels=${KERNELS:-plain step auto} sets_kernels=${SETS_KERNELS:-auto} sets_scenes=${SETS_SCENES:-room}
repeat=${REPEAT:-5} seldom=${REPEAT:-3} each=${SECONDS_EACH:-100} limit=${LIMIT_S:-560}
# VARIABLE AS-MEASURED SMALL: sets the default of a variable
choose() { [ -n "${!1:-}" ] || printf -v "$1" %s "$([ "$small" = 1 ] && echo "$3" || echo "$2")"; }
choose SHADOWS "1 2 4 8 16 32" "1 4"
choose MEGA_SHADOWS "1 8" 2
choose ROUNDS 5 2
choose SIZE 16 2
choose PICTURE 1024x1024 64x48
choose SETS_PICTURE 2048x2048 96x64
choose COUNTS 1,4,16 1,4
choose LONG "64 256" 8
choose LONGEST 1024 16
choose CORE_SIZE 4 1
choose CORE_PICTURE 512x512 128x96
choose EMBREE_WIDTH 1024 64

# SCENE: its options, in the syntax of yoke run and in that of the other programs
words()
{
    case $1:${MODEL:-} in
    room:none) options=(--scene blocks) words=(scene=blocks) ;;
    room:*) options=() words=() ;;
    many:none) say "many: there is no model"; return 1 ;;
    many:*) options=(--copies 16 --surface mixed) words=(copies=16 surface=mixed) ;;
    *) say "there is no scene '$1'"; return 1 ;;
    esac
    [ -z "${MODEL:-}" ] || [ "$MODEL" = none ] || options+=(--input "$MODEL") words+=("input=$MODEL")
}
# LABEL SAMPLES DEVICES KERNEL OPTIONS...
run()
{
    local label=$1 samples=$2 on=$3 kernel=$4
    shift 4
    record "$label" "$yoke" run path "${options[@]}" --size "$samples" --devices "$on" --kernel "$kernel" --json - "$@"
}
# PART SCENE DEVICES: each kernel at each number of shadow rays; the first picture is verified.
each_kernel()
{
    local shadow kernel check=(--verify)
    [ -n "$3" ] || { say "$1: no GPU"; return; }
    for shadow in $SHADOWS; do
        for kernel in $kernels; do
            run "$2-$1-$kernel-$shadow" "$SIZE" "$3" "$kernel" --picture "$PICTURE" --shadows "$shadow" --repeat "$repeat" "${check[@]}"
            check=()
        done
    done
}
# SCENE KERNEL SAMPLES OPTIONS...: every set of GPUs, as in the matrix, with and without the cores; not the cores alone.
each_set()
{
    local scene=$1 kernel=$2 samples=$3 count set on name
    shift 3
    for count in 1 2 4 8; do
        [ "$count" -le "$gpus" ] || break
        on=$(echo "$gpu_list" | cut -d ' ' -f "1-$count" | tr ' ' ',')
        name=$([ "$count" = 1 ] || echo "$count")G
        for set in "$on" ${cores:+"$cores,$on"}; do
            [ "$set" = "$on" ] || name=C+$name
            run "$scene-long-$kernel-$samples-$name" "$samples" "$set" "$kernel" --picture "$SETS_PICTURE" "$@"
        done
    done
}
# LABEL KERNEL COMMAND...: skips `skip` launches of yoke_entry_path_KERNEL, then profiles two; the longer one counts.
profile()
{
    local label=$1 kernel=$2
    shift 2
    record "$label" "$ncu" --set full --clock-control none --kernel-name "yoke_entry_path_$kernel" --launch-skip "$skip" --launch-count 2 \
        --force-overwrite --export "$out/$label" "$@"
    [ -e "$out/$label.ncu-rep" ] || { say "$label: no report; $(grep -m 1 -h '==ERROR==' "$raw/$label".*)"; return; }
    "$ncu" --import "$out/$label.ncu-rep" --page raw --csv >"$raw/$label.csv"
    "$ncu" --import "$out/$label.ncu-rep" --page details >"$raw/$label.txt"
    rm -f "$out/$label.ncu-rep" "$raw/$label.json"
}
# The first launch of a kernel is a rehearsal without work.
profile_all()
{
    local skip=1 yoke_run=("$yoke" run path "${options[@]}" --size "$SIZE" --picture "$PICTURE" --devices "$gpu" --partitioner even --repeat 1 --quiet)
    profile "$1-ncu-plain" lanes "${yoke_run[@]}" --kernel plain
    profile "$1-ncu-step" steps "${yoke_run[@]}" --kernel step
    skip=3 # the handwritten kernel starts with blocks of 32: a run to warm up, and two more
    profile "$1-ncu-hand" plain "$mega" "$SIZE" 1 "picture=$PICTURE" "${words[@]}"
}
beside_on_cores()
{
    local kernel starpu=$build/bench/irregular/yoke-bench-irregular-starpu rays=$build/bench/path/yoke-bench-rays
    for kernel in $kernels; do
        run "$1-core-$kernel" "$CORE_SIZE" cpu:1 "$kernel" --picture "$CORE_PICTURE" --repeat "$seldom"
        run "$1-cores-$kernel" "$CORE_SIZE" cpu "$kernel" --picture "$CORE_PICTURE" --repeat "$seldom"
    done
    if [ -x "$starpu" ]; then
        STARPU_SILENT=1 STARPU_HOME=$out/starpu record "$1-starpu" "$starpu" path "$CORE_SIZE" "$ROUNDS" "picture=$CORE_PICTURE" "${words[@]}"
    else
        say "no StarPU in this build; install libstarpu-dev"
    fi
    [ "$1" = room ] || return 0
    if [ -x "$rays" ]; then
        record rays "$rays" "${MODEL:-/usr/share/glmark2/models/bunny.obj}" "$EMBREE_WIDTH" 9
    else
        say "no Embree in this build; install libembree-dev"
    fi
}

record_machine
gpu=${gpu_list%% *} mega=$build/bench/path/yoke-bench-path-megakernel ncu=${NCU:-ncu}
cores=$(echo "$devices" | tr ' ' '\n' | grep '^cpu' | head -n 1)
[ "$gpus" -gt 0 ] || say "no GPU: the cores only"
for part in $parts; do
    case $part in
    sets | upload | long | longest) of=$sets_scenes with=$sets_kernels ;;
    *) of=$scenes with=one ;;
    esac
    for scene in $of; do
        words "$scene" || continue
        for kernel in $with; do
            case $part in
            kernels) each_kernel one "$scene" "$gpu" ;;
            several) [ "$gpus" -lt 2 ] || each_kernel all "$scene" "${gpu_list// /,}" ;;
            megakernel)
                for shadow in $MEGA_SHADOWS; do
                    DEVICE=$gpu record "$scene-hand-$shadow" "$mega" "$SIZE" "$ROUNDS" "picture=$PICTURE" "shadows=$shadow" "${words[@]}"
                done
                ;;
            ncu) if command -v "$ncu" >/dev/null; then profile_all "$scene"; else say "there is no $ncu"; fi ;;
            sets | upload)
                extra=() && [ "$part" = sets ] || extra=(--upload)
                record "$scene-$part-$kernel" "$yoke" run path "${options[@]}" --matrix --sizes "$COUNTS" --picture "$SETS_PICTURE" \
                    --devices "${devices// /,}" --kernel "$kernel" --repeat "$seldom" "${extra[@]}" --json -
                ;;
            long) for count in $LONG; do each_set "$scene" "$kernel" "$count" --repeat "$seldom"; done ;;
            longest) for count in $LONGEST; do each_set "$scene" "$kernel" "$count" --repeat 1; done ;;
            cores) beside_on_cores "$scene" ;;
            *) say "there is no part '$part'" ;;
            esac
        done
    done
done

finish tables.py "$out/starpu"
