#!/bin/sh
# embed_route.sh EMBED INCLUDE - the route without CMake: a kernel file in a folder of its own, flattened by
# yoke-embed and compiled as a Makefile would, warning-free with gcc and clang; then what yoke-embed says to
# mistakes.
set -eu
embed=$1 include=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/sub dir"
cat > "$work/sub dir/shared.h" << 'END'
#include <stdint.h>
#define FACTOR 3
typedef struct { int32_t a; double b; } pair_t;
END
cat > "$work/mine.c" << 'END'
#include <yoke/kernel.h>
#include <math.h>
#include "shared.h"
YOKE_KERNEL(mine, i, YOKE_VALUE(float, a), YOKE_IN(pair_t, x), YOKE_OUT(double, y))
{
    y[i] = a * FACTOR * OFFSET + x[i].b;
}
END
for compiler in gcc clang; do
    command -v $compiler > /dev/null || continue
    export CC=$compiler
    "$embed" -o "$work/mine.inc" -M "$work/mine.d" "$work/mine.c" -I"$work/sub dir" -DOFFSET=7
    grep -q 'shared.h' "$work/mine.d"
    # shellcheck disable=SC2046 # the flags are words
    $compiler -std=c11 -Wall -Wextra -pedantic -Werror $("$embed" --flags) -I"$include" -I"$work/sub dir" \
        -DOFFSET=7 -DYOKE_SOURCE_FILE="\"$work/mine.inc\"" -c "$work/mine.c" -o "$work/mine.o"
    # The same without any build step: CPU only, still warning-free.
    $compiler -std=c11 -O2 -Wall -Wextra -pedantic -Werror -I"$include" -I"$work/sub dir" -DOFFSET=7 \
        -c "$work/mine.c" -o "$work/plain.o"
    # For one processor: a single variant.
    $compiler -std=c11 -O2 -march=native -Wall -Wextra -pedantic -Werror -I"$include" -I"$work/sub dir" \
        -DOFFSET=7 -c "$work/mine.c" -o "$work/native.o"
    strings -n 12 "$work/mine.o" > "$work/texts"
    grep -q '#line 4 "mine.c"' "$work/texts"
    grep -q 'yoke_entry_mine' "$work/texts"
    grep -q '3 \* 7' "$work/texts" || { echo "the text's macros are not expanded"; exit 1; }
    if grep -q "#line.*$work" "$work/texts"; then
        echo "the text tells the build folder"
        exit 1
    fi
done
if "$embed" -o "$work/none.inc" "$work/missing.c" 2> "$work/words"; then
    echo "a missing file was accepted"
    exit 1
fi
grep -q 'missing.c' "$work/words"
[ ! -e "$work/none.inc" ] || { echo "a failed run left a file"; exit 1; }
if "$embed" 2> "$work/words"; then
    echo "no file at all was accepted"
    exit 1
fi
grep -q 'yoke-embed --flags' "$work/words"
echo ok
