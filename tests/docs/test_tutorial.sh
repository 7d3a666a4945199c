#!/usr/bin/env bash
# test_tutorial.sh SOURCE PROGRAMS TRAPS - docs/tutorial.md shows what is there. A block of code is part of the file that its fence
# names, and of each program the tutorial shows every line that the program before has not. A console block is what its commands
# print, on the cores; other devices give the same results. What the table of traps quotes is what yoke says.
set -euo pipefail
source=$1 programs=$2 traps=$3
page=$source/docs/tutorial.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

complain()
{
    echo "docs/tutorial.md: $*"
    failed=1
}

# Every fenced block goes to its own file: $work/N.KIND, with the fence's second word in $work/N.of.
cut_blocks()
{
    awk -v work="$work" '
        /^```./ { n++; kind = substr($1, 4); print $2 >(work "/" n ".of"); next }
        /^```$/ { kind = ""; next }
        kind { print >(work "/" n "." kind) }
        END { if (kind) { print "a block without an end"; exit 1 } }' "$page"
}

part_of() # BLOCK FILE: whole lines, one after another
{
    local part whole
    part=$'\n'$(cat "$1")$'\n' whole=$'\n'$(cat "$2")$'\n'
    [[ $whole == *"$part"* ]]
}

check_code()
{
    local block file
    for block in "$work"/*.c "$work"/*.cmake; do
        file=$(cat "${block%.*}.of")
        if ! part_of "$block" "$source/$file"; then
            complain "this is not in $file:"
            cat "$block"
        fi
        cat "$block" >>"$work/shown-$(basename "$file")"
    done
}

# 8-runtime.c has `rt` where 7-acquire.c has `yoke_default()`, and the text says so.
check_growth()
{
    local file before=/dev/null
    for file in "$source"/examples/tutorial/*.c; do
        sed 's/yoke_default()/rt/' "$before" | cat "$before" - "$work/shown-$(basename "$file")" >"$work/known"
        if grep -vxFf "$work/known" "$file"; then
            complain "these lines are new in $file, and are not shown"
        fi
        before=$file
    done
}

check_outputs()
{
    local block command
    export YOKE_DEVICES=cpu
    cd "$programs"
    for block in "$work"/*.console; do
        grep '^\$ ' "$block" | while read -r _ command; do
            echo "\$ $command"
            bash -c "$command" 2>&1 || echo "exit $?"
        done >"$work/printed"
        diff "$block" "$work/printed" || complain "< is what it shows, > what is printed"
    done
}

# What each device did is another matter.
check_devices()
{
    local program
    for program in "$programs"/[1-9]-*; do
        YOKE_DEVICES=cpu "$program" | grep -v ' rows$' >"$work/expected"
        for devices in sim:cpu:cores=4,sim:gpu*2 cpu,opencl checked; do
            (
                export YOKE_DEVICES=$devices
                [ "$devices" != checked ] || export YOKE_CHECK=1 YOKE_DEVICES=
                "$program" 2>"$work/errors" | grep -v ' rows$' >"$work/printed"
            ) || true
            case $devices:$(cat "$work/errors") in
            *opencl:*install* | *opencl:*"no device"*) continue ;;
            esac
            diff "$work/expected" "$work/printed" || complain "$program, $devices: $(cat "$work/errors")"
        done
    done
}

# What yoke-embed says of a program without the guard, beside what the program of traps prints.
check_traps()
{
    local embed=$source/cmake/yoke-embed message
    "$traps" >"$work/messages" 2>&1
    sed -e '/^#ifndef YOKE_FLATTEN/d' -e '$d' "$source/examples/tutorial/1-kernel.c" >"$work/bare.c"
    "$embed" -o "$work/bare.texts.h" "$work/bare.c" -I"$source/include" 2>>"$work/messages" || true
    sed -n 's/^| [^|]* | [^`|]*`\(.*\)` | [^|]* |$/\1/p' <(sed -n '/^## Traps/,/^## Where/p' "$page") >"$work/quoted"
    [ -s "$work/quoted" ] || complain "no message is quoted"
    while read -r message; do
        case $message in *OpenCL*) grep -q OpenCL "$work/messages" || continue ;; esac
        grep -qxF -- "$message" "$work/messages" || complain "yoke does not say: $message"
    done <"$work/quoted"
    "$traps" 2>/dev/null | grep -vxFf "$work/quoted" && complain "yoke says this of a trap, and the table does not"
    return 0
}

cut_blocks
check_code
check_growth
check_outputs
check_devices
check_traps
exit $failed
