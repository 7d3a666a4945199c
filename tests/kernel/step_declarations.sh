#!/bin/sh
# step_declarations.sh INCLUDE COMPILER... - the compiler refuses a step kernel whose declaration exceeds a limit, with a message
# that gives the reason; the limits themselves are accepted.
set -eu
include=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# COMPILER MOST GENERATIONS
compiles()
{
    cat >"$work/mine.c" <<END
#include <yoke/kernel_step.h>
YOKE_STEP_KERNEL(mine, int32_t, x, i, $2, $3, YOKE_ADD(int32_t, sum))
{
    yoke_add(&sum[0], 1);
    if (i > 7)
        YOKE_EMIT(x + 1);
}
END
    "$1" -std=c11 -O1 -Wall -Wextra -Werror -I"$include" -c "$work/mine.c" -o "$work/mine.o" >"$work/log" 2>&1
}
found=77
for compiler; do
    command -v "$compiler" >/dev/null || continue
    found=0
    for fine in "1 1" "256 1" "1 4000000" "256 100"; do
        # shellcheck disable=SC2086 # two words
        compiles "$compiler" $fine || { echo "$compiler refuses $fine:"; cat "$work/log"; exit 1; }
    done
    for wrong in "0 1" "-1 5" "257 1" "1 0" "4 -3"; do
        # shellcheck disable=SC2086 # two words
        if compiles "$compiler" $wrong || ! grep -q 'yk_step_emits_1_to_256_in_1_generation_or_more_mine' "$work/log"; then
            echo "$compiler says to $wrong:"
            cat "$work/log"
            exit 1
        fi
    done
done
exit $found
