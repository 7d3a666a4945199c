#!/bin/sh
# headers_alone.sh INCLUDE COMPILER... - every public header compiles alone, as C11 and as C++, without a
# warning, with each installed compiler, and so do programs that use the shorthands; and kernel.h
# adds only its own macros to a C program.
set -eu
include=$1
here=$(cd "$(dirname "$0")" && pwd)
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tried=0
for compiler in "$@"; do
    command -v "$compiler" > /dev/null || continue
    for header in "$include"/yoke/*.h; do
        name=$(basename "$header")
        case $name in
        kernel_opencl.h | kernel_cuda.h | kernel_gather_cuda.h | kernel_group.h | kernel_reduce_device.h | kernel_spread_cuda.h | kernel_step_device.h | kernel_step_queue.h | kernel_step_vote.h | prelude_opencl.h | prelude_opencl_math.h | prelude_cuda.h) continue ;; # device texts
        kernel_cpu.h | kernel_each.h | kernel_group_cpu.h | kernel_lanes.h | kernel_reduce_cpu.h | kernel_sums.h | prelude.h) languages=c ;; # parts of kernel.h in C
        *) languages="c c++" ;;
        esac
        for language in $languages; do
            standard=c11
            [ "$language" = c ] || standard=c++17
            printf '#include <yoke/%s>\nextern int nothing;\n' "$name" > "$work/alone"
            "$compiler" -x "$language" -std=$standard -Wall -Wextra -pedantic -Werror -I"$include" \
                -fsyntax-only "$work/alone"
            tried=$((tried + 1))
        done
    done
    for program in "$here"/shorthands.c "$here"/shorthands.cpp; do
        standard=c11
        [ "$program" = "${program%.cpp}" ] || standard=c++17
        "$compiler" -std=$standard -Wall -Wextra -pedantic -Wno-missing-field-initializers -Werror -I"$include" \
            -fsyntax-only "$program"
        tried=$((tried + 1))
    done
    # Not promised, but it is what the compilers of old projects give.
    for standard in c99 gnu99; do
        "$compiler" -std=$standard -Wall -Wextra -Wno-missing-field-initializers -Werror -I"$include" \
            -fsyntax-only "$here"/shorthands.c
    done
    many=$(yes x | head -25 | paste -sd, -)
    printf '#include <yoke/for.h>\nint main(void) { int x = 0; return yoke_for(0, 0, 1, %s); }\n' "$many" > "$work/many"
    for language in c c++; do
        if "$compiler" -x $language -I"$include" -fsyntax-only "$work/many" 2> "$work/said" ||
            ! grep -q 'a.kernel.has.at.most.24.arguments' "$work/said"; then
            echo "25 arguments: $compiler -x $language does not say that there are too many"
            exit 1
        fi
    done
    macros() { "$compiler" -std=c11 -I"$include" -E -dM -x c "$1" | awk '{ print $2 }' | sort -u; }
    printf '#include <stdint.h>\n#include <stddef.h>\n#include <math.h>\n#include <float.h>\n' > "$work/before"
    printf '#include <yoke/kernel.h>\n' > "$work/after"
    macros "$work/before" > "$work/before.txt"
    macros "$work/after" > "$work/after.txt"
    if comm -13 "$work/before.txt" "$work/after.txt" | grep -vE '^(YOKE_|YK_|yoke_|yk_)'; then
        echo "kernel.h defines the macros above, which are not its own"
        exit 1
    fi
done
[ $tried -gt 0 ] || { echo "none of the compilers is installed: skipped"; exit 77; }
echo "$tried compilations without a warning"
