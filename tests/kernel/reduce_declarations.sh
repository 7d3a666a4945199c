#!/bin/sh
# reduce_declarations.sh INCLUDE COMPILER... - the compiler refuses a body that gives its values by the wrong one of yoke_reduce,
# yoke_reduce_at and yoke_fold, and says which the parameter takes; with the right one it compiles. Nor does
# it take a YOKE_LOCAL without a constant size, or one that overflows stacks.
set -eu
include=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# COMPILER PARAMETER STATEMENT
compiles()
{
    form='YOKE_KERNEL(mine, i'
    case $2 in YOKE_LOCAL*) form='YOKE_GROUP_KERNEL(mine, i, 32, 32, YOKE_VALUE(int, m)' ;; esac
    cat >"$work/mine.c" <<END
#include <yoke/kernel.h>
YOKE_FN float both(float a, float b) { return a + b; }
YOKE_FN float other(float a, float b) { return a * b; }
$form, YOKE_IN(float, x), $2) { $3; }
END
    "$1" -std=c11 -O1 -Wall -Wextra -Werror -I"$include" -c "$work/mine.c" -o "$work/mine.o" >"$work/log" 2>&1
}
accepts()
{
    compiles "$@" || { echo "$1 refuses $3:"; cat "$work/log"; exit 1; }
}
# ... WORD
refuses()
{
    if compiles "$1" "$2" "$3" || ! grep -q "$4" "$work/log"; then
        echo "$1 says to $3 on $2:"
        cat "$work/log"
        exit 1
    fi
}
sum='YOKE_REDUCE(SUM, float, s)' least='YOKE_REDUCE(MIN_AT, float, s)' own='YOKE_FOLD(both, 0, float, s)'
found=77
for compiler; do
    command -v "$compiler" >/dev/null || continue
    found=0
    accepts "$compiler" "$sum" 'yoke_reduce(s, x[i])'
    accepts "$compiler" "$least" 'yoke_reduce_at(s, x[i], i)'
    accepts "$compiler" "$own" 'yoke_fold(s, both, x[i])'
    refuses "$compiler" "$least" 'yoke_reduce(s, x[i])' s_takes_yoke_reduce
    refuses "$compiler" "$own" 'yoke_reduce(s, x[i])' s_takes_yoke_reduce
    refuses "$compiler" "$own" 'yoke_fold(s, other, x[i])' s_takes_yoke_fold_other
    refuses "$compiler" "$sum" 'yoke_fold(s, both, x[i])' s_takes_yoke_fold
    refuses "$compiler" "$least" 'yoke_fold(s, both, x[i])' s_takes_yoke_fold
    refuses "$compiler" "$sum" 'yoke_reduce_at(s, x[i], i)' s_takes_yoke_reduce_at
    refuses "$compiler" "$own" 'yoke_reduce_at(s, x[i], i)' s_takes_yoke_reduce_at
    accepts "$compiler" 'YOKE_LOCAL(float, t, 64), YOKE_PRIVATE(float, p)' 'YOKE_LANES(l) YOKE_MINE(p) = t[l] = x[i] * (float)m'
    refuses "$compiler" 'YOKE_LOCAL(float, t, 4 << 20)' 'YOKE_LANES(l) t[l] = x[i] * (float)m' 'at most 1 MiB'
    refuses "$compiler" 'YOKE_LOCAL(float, t, m)' 'YOKE_LANES(l) t[l] = x[i] * (float)m' constant
done
exit $found
