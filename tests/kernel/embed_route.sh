#!/bin/sh
# embed_route.sh EMBED INCLUDE - the way without CMake: a kernel file in a separate folder, flattened by
# yoke-embed and compiled as by a Makefile, without warnings from gcc and clang; then yoke-embed's messages
# about errors.
set -eu
embed=$1 include=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/sub dir"
cat > "$work/sub dir/shared.h" << 'END'
#include <stdint.h>
#define FACTOR 3
#define PRODUCT(a, b, c) ((a) * (b) * (c))



/* empty lines, and a call of a macro over two lines: preprocessors differ there */
typedef struct { int32_t a; double b; } pair_t;
END
cat > "$work/mine.c" << 'END'
#include <yoke/kernel.h>
#include <math.h>
#include "shared.h"
YOKE_KERNEL(mine, i, YOKE_VALUE(float, a), YOKE_IN(pair_t, x), YOKE_OUT(double, y))
{
    y[i] = x[i].b + PRODUCT(a, FACTOR,
                            OFFSET);
}
END
for compiler in gcc clang; do
    command -v $compiler > /dev/null || continue
    export CC=$compiler
    "$embed" -o "$work/mine.inc" -M "$work/mine.d" "$work/mine.c" -I"$work/sub dir" -DOFFSET=7
    grep -q 'shared.h' "$work/mine.d"
    cp "$work/mine.inc" "$work/$compiler.inc"
    # shellcheck disable=SC2046 # the flags are words
    $compiler -std=c11 -Wall -Wextra -pedantic -Werror $("$embed" --flags) -I"$include" -I"$work/sub dir" \
        -DOFFSET=7 -DYOKE_SOURCE_FILE="\"$work/mine.inc\"" -c "$work/mine.c" -o "$work/mine.o"
    # The same without a build step: CPU only, still without warnings.
    $compiler -std=c11 -O2 -Wall -Wextra -pedantic -Werror -I"$include" -I"$work/sub dir" -DOFFSET=7 \
        -c "$work/mine.c" -o "$work/plain.o"
    # For one processor: a single variant.
    $compiler -std=c11 -O2 -march=native -Wall -Wextra -pedantic -Werror -I"$include" -I"$work/sub dir" \
        -DOFFSET=7 -c "$work/mine.c" -o "$work/native.o"
    strings -n 12 "$work/mine.o" > "$work/texts"
    grep -q '#line 4 "mine.c"' "$work/texts"
    grep -q 'yoke_entry_mine' "$work/texts"
    grep -q '(3) \* (7)' "$work/texts" || { echo "the text's macros are not expanded"; exit 1; }
    if grep -q "#line.*$work" "$work/texts"; then
        echo "the text tells the build folder"
        exit 1
    fi
done
if [ -e "$work/gcc.inc" ] && [ -e "$work/clang.inc" ] && ! cmp "$work/gcc.inc" "$work/clang.inc"; then
    echo "the text depends on the preprocessor, and so do the caches that are keyed by it"
    exit 1
fi
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
# Arguments that mean nothing.
misuses() { # words of the message, arguments
    said=$1 rc=0
    shift
    "$embed" "$@" > "$work/out" 2> "$work/words" || rc=$?
    if [ $rc -ne 2 ] || [ -s "$work/out" ] || ! grep -q "^yoke-embed: .*$said" "$work/words"; then
        echo "yoke-embed $*: $rc"
        cat "$work/words"
        exit 1
    fi
}
misuses 'OPENCL and CUDA' --print FOO "$work/mine.c"
misuses '.-print needs' --print
misuses '.o needs' -o
misuses '.M needs' -o "$work/file" -M
misuses 'no name' --array 1bad "$work/mine.c"
misuses 'no name' --array 'a b' "$work/mine.c"
misuses 'NAME and FILE' --array name
misuses 'cannot read' --array name "$work/nosuch"
misuses 'overwrite the kernel file' -o "$work/mine.c" "$work/mine.c"
misuses 'none.list' "$work/mine.c" @none.list
"$embed" --print opencl "$work/mine.c" -I"$work/sub dir" -DOFFSET=7 > "$work/lower"
"$embed" --print OPENCL "$work/mine.c" -I"$work/sub dir" -DOFFSET=7 | cmp "$work/lower"
# What is not a plain file stays what it is.
"$embed" -o "$work/file" "$work/mine.c" -I"$work/sub dir" -DOFFSET=7
mkdir "$work/folder"
mkfifo "$work/pipe"
: > "$work/target"
ln -s target "$work/link"
cat "$work/pipe" > "$work/from_pipe" &
for out in link pipe; do
    "$embed" -o "$work/$out" "$work/mine.c" -I"$work/sub dir" -DOFFSET=7
done
wait
if "$embed" -o "$work/folder" "$work/mine.c" -I"$work/sub dir" -DOFFSET=7 2> "$work/words"; then exit 1; fi
grep -q folder "$work/words"
[ -L "$work/link" ] && [ -p "$work/pipe" ] && [ -z "$(ls "$work/folder")" ]
cmp "$work/file" "$work/target"
cmp "$work/file" "$work/from_pipe"
"$embed" -o /dev/stdout "$work/mine.c" -I"$work/sub dir" -DOFFSET=7 | cmp "$work/file"
# Code that a device would refuse or sum incorrectly is reported with file and line, with every compiler.
cat > "$work/told.c" << 'END'
#include <yoke/kernel.h>
static float square(float x) { return x * x; }
YOKE_FN float twice(float x) { return 2 * x; }
typedef struct { float a; } one_t;
YOKE_CONST float taps[2] = { 1, 2 };
YOKE_KERNEL(sum, i, YOKE_IN(float, x), YOKE_ADD(float, s))
{
    const char odd = '{'; /* " */
    s[0] += square(x[i]);
    yoke_add(&s[i % 2], twice(taps[0]));
}
YOKE_KERNEL(copy, i, YOKE_IN(float, s), YOKE_OUT(one_t, y))
{
    y[i].a = s[i];
}
extern const yoke_kernel sum;
YOKE_KERNEL(star, i, YOKE_IN(float, x), YOKE_ADD(float, s))
{
    *s += 2 * x[i];
}
struct sums { float s[2]; };
YOKE_KERNEL(fields, i, YOKE_IN(float, x), YOKE_ADD(float, s))
{
    struct sums a = { .s[1] = 2 }, *at = &a;
    int k = 2;
    a.s[0] = x[i];
    at->s[1] += at -> s[0];
    yoke_add(&s[0], a.s[1]);
    while (k-->s[0]) {} // 29
}
YOKE_KERNEL(lines, i, YOKE_IN(float, x), YOKE_ADD(float, s))
{
    yoke_add(&
        s[i % 2], x[i]);
}
END
cat > "$work/fold.c" << 'END'
#include <yoke/kernel.h>
#include <yoke/kernel_reduce.h>
YOKE_FN float both(float a, float b) { return a + b; }
YOKE_KERNEL(one, i, YOKE_IN(float, x), YOKE_REDUCE(SUM, float, s))
{
    s += (int)x[i];
}
#define GIVE(v) yoke_reduce(s, v)
YOKE_KERNEL(two, i, YOKE_IN(float, x), YOKE_REDUCE(SUM, float, s), YOKE_FOLD(both, 0.0f, float, t),
            YOKE_REDUCE(MIN_AT, float, u), YOKE_REDUCE(MAX_AT, float, v))
{
    if (i > 0) { GIVE(x[i]); }
    yoke_reduce_at(v, x[i], i);
}
YOKE_GROUP_KERNEL(three, i, 32, 32, YOKE_IN(float, x), YOKE_REDUCE(MAX, float, s), YOKE_FOLD(both, 0.0f, float, t))
{
    YOKE_ONCE { yoke_fold(t, both, x[i]); }
}
YOKE_KERNEL(directly, i, YOKE_IN(float, x), YOKE_FOLD(both, 0.0f, float, t))
{
    *t += x[i];
}
YOKE_FN int8_t reduce(int8_t a, int8_t b) { return a | b; }
YOKE_KERNEL(small, i, YOKE_IN(int8_t, x), YOKE_FOLD(reduce, 0, int8_t, t))
{
    yoke_fold(t, reduce, x[i]);
}
END
# What no device has; the lines without a number at their end are right.
cat > "$work/none.c" << 'END'
#include <yoke/kernel.h>
typedef struct pair { int x, y[2 * 3]; } pair_t, *pair_p;
enum { N = 3, M };
YOKE_CONST int primes[M] = { 2, 3, 5, 7 }, more[2] = { 11, 13 };
static const int one = 1; // 5
unsigned int two; // 6
static const int odds[N] = { 1, 3, 5 }, evens[2] = { 2, 4 }; // 7
YOKE_FN int is_even(int n);
YOKE_FN int is_odd(int n) { return n && is_even(n - 1); } // 9
YOKE_FN int is_even(int n) { return !n || is_odd(n - 1); } // 10
YOKE_FN int twice(YOKE_GLOBAL const int *x, int n) { return x[n] * (2 * (n)); }
YOKE_FN int apply(int (*f)(int), int n) { return f(n); } // 12
YOKE_KERNEL(none, i, YOKE_IN(int, x), YOKE_OUT(int, y))
{
    static int count; // 15
    const int is_odd = (*(x + i)) * (i == 0);
    y[i] = twice(x, i) + primes[i % N] + is_odd;
}
END
# What lanes must not do; the lines without a number at their end are right.
cat > "$work/lanes.c" << 'END'
#include <yoke/kernel.h>
YOKE_GROUP_KERNEL(right, i, 64, 64, YOKE_IN(float, x), YOKE_OUT(float, y), YOKE_LOCAL(float, t, 64))
{
    YOKE_LANES(l) { if (l < YOKE_COUNT) { t[l] = x[i + l]; } }
    YOKE_BARRIER;
    YOKE_LANES(l) t[l] += 1;
    for (int k = 0; k < 3; k++) { YOKE_BARRIER; YOKE_LANES_BY(8, part, l) { t[l] += (float)part; } }
    YOKE_LANE_SUM(float, s, j, 0, 64, t[j])
    YOKE_LANE_ANY(any, l, t[l] > 3)
    if (!any) return;
    YOKE_ONCE { if (s < 0) continue; y[i] = s; }
    YOKE_LANES(l)
    {
        for (int k = 0; k < 3; k++) if (t[k] > 1) y[i] = 1; else break;
        for (int k = 0; k < 3; k++) { if (t[k] > 2) { break; } }
        do { if (t[0] > 1) break; } while (t[1] > 2);
        switch (l) { case 0: y[i] = 3; break; default: break; }
    }
    for (int k = 0; k < 3; k++) { if (k > YOKE_COUNT) break; }
}
YOKE_GROUP_KERNEL(wrong, i, 64, 64, YOKE_IN(float, x), YOKE_OUT(float, y), YOKE_LOCAL(float, t, 64))
{
    YOKE_LANES(l)
    {
        if (l >= YOKE_COUNT) { return; } // 25
        t[l] = x[i + l];
        YOKE_BARRIER; // 27
        y[i + l] = t[YOKE_COUNT - 1 - l];
    }
    YOKE_LANES(l) { YOKE_LANE_SUM(float, s, j, 0, 64, x[j]) y[i + l] = s; } // 30
    YOKE_LANES(l) if (l >= YOKE_COUNT) break; // 31
    YOKE_LANES(l)
    {
        for (int k = 0; k < 3; k++) { if (t[k] > 1) break; }
        if (t[l] > 1) { break; } // 35
    }
    YOKE_ONCE { if (t[0] > 1) return; y[i] = 1; } // 37
    YOKE_ONCE { YOKE_BARRIER; } // 38
}
YOKE_GROUP_KERNEL(gives, i, 32, 1, YOKE_IN(int, x), YOKE_REDUCE(SUM, int64_t, s), YOKE_ADD(int, a), YOKE_PRIVATE(int, p))
{
    YOKE_LANES(l) YOKE_MINE(p) = x[i];
    YOKE_LANES(l) { yoke_add(&a[0], YOKE_MINE(p)); if (l == 0) yoke_reduce(s, x[i]); }
    YOKE_ONCE yoke_add(&a[0], 1);
    yoke_add(&a[0], 1); // 45
    yoke_reduce(s, x[i]); // 46
    YOKE_MINE(p) = x[i]; // 47
}
YOKE_KERNEL(none, i, YOKE_IN(float, x), YOKE_OUT(float, y))
{
    y[i] = x[i];
    YOKE_BARRIER; // 52
}
END
# Parameters that no compiler accepts, with hundreds of lines of macros: the lines with a number are refused before, by a word each.
cat > "$work/unfit.c" << 'END'
#include <yoke/kernel.h>
typedef double real;
YOKE_KERNEL(most, i, YOKE_IN(int8_t, x), YOKE_REDUCE(MAX, int8_t, r)) { yoke_reduce(r, x[i]); } // 3
YOKE_KERNEL(real_most, i, YOKE_IN(real, x), YOKE_REDUCE(MAX, real, r)) { yoke_reduce(r, x[i]); } // 4
YOKE_KERNEL(bits, i, YOKE_IN(float, x), YOKE_REDUCE(OR, float, r)) { yoke_reduce(r, x[i]); } // 5
YOKE_KERNEL(sum, i, YOKE_IN(short, x), YOKE_REDUCE(SUM, short, r)) { yoke_reduce(r, x[i]); } // 6
YOKE_KERNEL(where, i, YOKE_IN(uint8_t, x), YOKE_REDUCE(MIN_AT, uint8_t, r)) { yoke_reduce_at(r, x[i], i); } // 7
YOKE_KERNEL(shared, i, YOKE_INOUT(float, x), YOKE_LOCAL(float, t, 64)) { x[i] = t[0]; } // 8
YOKE_KERNEL(inside, i, YOKE_INOUT(float, x)) { YOKE_LOCAL(float, t, 64); x[i] = 1; } // 9
YOKE_KERNEL(emits, i, YOKE_OUT(float, x)) { x[i] = 1; YOKE_EMIT(i); } // 10
#include <yoke/kernel_step.h>
YOKE_STEP_KERNEL(steps, int, v, i, 1, 1, YOKE_REDUCE(SUM, int64_t, r)) { YOKE_SEED { v = 1; } yoke_reduce(r, v); } // 12
YOKE_KERNEL(right, i, YOKE_IN(int8_t, x), YOKE_REDUCE(MAX, int32_t, r)) { yoke_reduce(r, x[i]); }
YOKE_KERNEL(real_sum, i, YOKE_IN(real, x), YOKE_REDUCE(SUM, real, r)) { yoke_reduce(r, x[i]); }
END
printf '#include <stdio.h>\n#include <yoke/kernel.h>\n' > "$work/host.c"
cat > "$work/plain.c" << 'END'
#include <yoke/kernel.h>
YOKE_KERNEL(saxpy, i, float a, const float *x, float *y)
{
    y[i] = a * x[i] + y[i];
}
END
tells() { # FILE, then words that its messages must contain
    file=$1
    shift
    for words; do
        grep -q "$words" "$file" || { echo "'$words' is not told:"; cat "$file"; exit 1; }
    done
}
for compiler in gcc clang; do
    command -v $compiler > /dev/null || continue
    export CC=$compiler
    "$embed" -o "$work/told.inc" "$work/told.c" 2> "$work/words"
    tells "$work/words" '^told.c:2: warning: square: .*YOKE_FN' '^told.c:9: warning: s is YOKE_ADD' \
        '^told.c:16: warning: yoke_kernel is of the host' '^told.c:19: warning: s is YOKE_ADD' \
        '^told.c:29: warning: s is YOKE_ADD'
    [ "$(wc -l < "$work/words")" -eq 5 ] || { echo "more is told"; cat "$work/words"; exit 1; }
    "$embed" -o "$work/fold.inc" "$work/fold.c" 2> "$work/words"
    tells "$work/words" '^fold.c:5: warning: s is YOKE_REDUCE; the body must call yoke_reduce(s, value)$' \
        '^fold.c:11: warning: t is YOKE_FOLD; the body must call yoke_fold(t, both, value)' \
        '^fold.c:11: warning: u is YOKE_REDUCE; the body must call yoke_reduce_at(u, value, place)' \
        '^fold.c:16: warning: s is YOKE_REDUCE;'
    [ "$(wc -l < "$work/words")" -eq 4 ] || { echo "more is told"; cat "$work/words"; exit 1; }
    "$embed" -o "$work/none.inc" "$work/none.c" 2> "$work/words"
    tells "$work/words" '^none.c:5: warning: one: .*YOKE_CONST' '^none.c:6: warning: two: ' '^none.c:7: warning: odds: ' \
        '^none.c:9: warning: is_odd calls itself' '^none.c:10: warning: is_even calls itself' \
        '^none.c:12: warning: f: .*pointers to functions' '^none.c:15: warning: .*static in a function'
    [ "$(wc -l < "$work/words")" -eq 7 ] || { echo "more is told"; cat "$work/words"; exit 1; }
    "$embed" -o "$work/lanes.inc" "$work/lanes.c" 2> "$work/words"
    tells "$work/words" '^lanes.c:25: warning: return inside YOKE_LANES' '^lanes.c:27: warning: a barrier' \
        '^lanes.c:30: warning: a barrier' '^lanes.c:31: warning: break' '^lanes.c:35: warning: break' \
        '^lanes.c:37: warning: return inside YOKE_ONCE' '^lanes.c:38: warning: a barrier .*YOKE_ONCE' \
        '^lanes.c:45: warning: yoke_add outside' '^lanes.c:46: warning: a value given outside' \
        '^lanes.c:47: warning: YOKE_MINE outside' '^lanes.c:52: warning: YOKE_BARRIER in a kernel without lanes'
    [ "$(wc -l < "$work/words")" -eq 11 ] || { echo "more is told"; cat "$work/words"; exit 1; }
    rm "$work/none.inc"
    if "$embed" -w -o "$work/none.inc" "$work/unfit.c" 2> "$work/words"; then exit 1; fi
    tells "$work/words" '^unfit.c:3: error: .*not int8_t: reduce into' '^unfit.c:4: error: .*not real: reduce into' \
        '^unfit.c:5: error: .*AND, OR and XOR .*not float$' '^unfit.c:6: error: .*not short: reduce into' \
        '^unfit.c:7: error: .*not uint8_t: reduce into' '^unfit.c:8: error: YOKE_LOCAL is a parameter' \
        '^unfit.c:9: error: YOKE_LOCAL is a parameter' '^unfit.c:10: error: YOKE_EMIT is of YOKE_STEP_KERNEL' \
        '^unfit.c:12: error: r: a step kernel has no YOKE_REDUCE'
    [ "$(wc -l < "$work/words")" -eq 9 ] || { echo "more is told"; cat "$work/words"; exit 1; }
    "$embed" -w -o "$work/quiet.inc" "$work/told.c" 2> "$work/words"
    [ ! -s "$work/words" ] || { echo "told although -w was given"; cat "$work/words"; exit 1; }
    cmp "$work/told.inc" "$work/quiet.inc"
    if "$embed" -w -o "$work/none.inc" "$work/plain.c" 2> "$work/words"; then exit 1; fi
    tells "$work/words" '^plain.c:2: error: '
    for wrong in host plain; do
        if "$embed" -o "$work/none.inc" "$work/$wrong.c" 2> "$work/$wrong.words"; then
            echo "$wrong.c was accepted"
            exit 1
        fi
    done
    tells "$work/host.words" 'stdio.h' 'between #ifndef YOKE_FLATTEN and #endif'
    tells "$work/plain.words" '^plain.c:2: error: parameters of a kernel are written YOKE_VALUE'
    [ "$(wc -l < "$work/plain.words")" -eq 1 ] || { echo "more than one line is told"; exit 1; }
done
# Other macros for the compiler than for the texts: the file does not compile, with every compiler.
cat > "$work/macros.c" << 'END'
#ifndef YOKE_FLATTEN
#include <limits.h>
#endif
#include <yoke/kernel.h>
#include <math.h>
#ifndef M_PI
#define M_PI 3.0
#endif
#ifndef EXTRA
#define EXTRA 0
#endif
#if defined(linux) || defined(INT_MAX)
#define ON_HOST (1)
#endif
YOKE_KERNEL(plus, i, YOKE_VALUE(float, MODE), YOKE_INOUT(float, y))
{
    y[i] = y[i] + (float)M_PI + EXTRA /* of two words: MODE, OTHER */;
}
END
compiles() { # options for yoke-embed, and for the compiler
    # shellcheck disable=SC2086 # words
    "$embed" -o "$work/macros.inc" -M "$work/macros.d" "$work/macros.c" $1 &&
        $compiler $2 -pedantic -Werror -I"$include" "-DYOKE_SOURCE_FILE=\"$work/macros.inc\"" -c "$work/macros.c" \
            -o "$work/macros.o" 2> "$work/words"
}
refuses() { # the same, and words of the message
    if compiles "$1" "$2"; then
        echo "$compiler: $2 compiles with the texts of '$1'"
        exit 1
    fi
    tells "$work/words" "$3"
}
for compiler in gcc clang; do
    command -v $compiler > /dev/null || continue
    export CC=$compiler
    # Options that say nothing of macros, or of none that the kernel file asks for; those of files.
    compiles "" "-std=c11 -DNDEBUG -DOTHER -DTWO=2 -O2"
    compiles "-std=c11 -g3 -Wall -Werror -MMD -MF $work/none -c -o $work/none" "-std=c11"
    compiles "-DEXTRA=5 -D MODE=a" "-DMODE=a -DEXTRA=5 -Wno-pedantic"
    printf '%s\n' '-DNAME="a b"' "SHELL:-DMODE='a' -DEXTRA=\"5 + 1\"" > "$work/list"
    compiles "@$work/list" '-DMODE=a -DNAME -DEXTRA=5+1' && exit 1
    tells "$work/words" 'EXTRA = 5 + 1'
    "$embed" --print OPENCL "$work/macros.c" "@$work/list" | grep -q '+ 5 + 1 *;'
    refuses "" "-DEXTRA" "EXTRA is defined here"
    refuses "-DEXTRA=5" "-UEXTRA" "EXTRA was defined for the device texts"
    refuses "-DEXTRA=5" "-DEXTRA=6" "EXTRA = 5: give yoke-embed"
    refuses "-DMODE=a" "" "MODE was defined for the device texts"
    if [ -e "$work/none" ]; then
        echo "options of the compiler made yoke-embed write a file"
        exit 1
    fi
    if grep yoke_watch "$work/macros.d"; then
        echo "the texts depend on a file of yoke-embed's own"
        exit 1
    fi
done
# Any bytes: a message or none, and no crash.
head -c 20000 "$0" | tr '(){}"' '}{"()' | sed 's/^#/ /' > "$work/odd.c"
"$embed" -o "$work/odd.inc" "$work/odd.c" > "$work/words" 2>&1 || [ ! -e "$work/odd.inc" ]
echo ok
