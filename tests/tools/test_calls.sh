#!/usr/bin/env bash
# tools/calls.sh finds a cycle of six files and allows one of five; comments, strings and static functions are no calls.
set -euo pipefail
root=$1
command -v git >/dev/null || exit 77
at=$(mktemp -d)
trap 'rm -rf "$at"' EXIT
cd "$at"
mkdir -p tools src/low src/high
cp "$root/tools/calls.sh" "$root/tools/code.awk" tools/
echo 'foreach(layer low high)' >src/CMakeLists.txt
git init -q .

# file I of a ring calls the next one of N
ring()
{
    local n=$1 i
    for ((i = 0; i < n; i++)); do
        printf 'void yk_ring_%d(void)\n{\n    yk_ring_%d();\n}\n' "$i" $(((i + 1) % n)) >"src/low/ring_$i.c"
    done
}

fails() { echo "$1" >&2; exit 1; }

ring 5
printf '/* yk_top() */\nstatic void yk_top(void)\n{\n    puts("yk_ring_0()"); // yk_ring_0()\n}\n' >src/high/top.c
git add -A
out=$(tools/calls.sh) || fails "a cycle of five is refused: $out"
[ -z "$out" ] || fails "said without need: $out"

ring 6
git add -A
if out=$(tools/calls.sh); then fails "a cycle of six is allowed"; fi
[[ $out == "a cycle of calls of 6 files, 5 are allowed:"* ]] || fails "said: $out"
for i in 0 1 2 3 4 5; do [[ $out == *src/low/ring_$i.c* ]] || fails "does not name ring_$i.c: $out"; done
[[ $out != *top.c* ]] || fails "names a file that takes no part: $out"

ring 5
rm src/low/ring_5.c
printf 'void yk_above(void)\n{\n    yk_ring_0();\n}\n' >src/high/above.c
git add -A
tools/calls.sh --svg picture.svg
grep -q 'high calls low: 1 pairs' picture.svg || fails "the picture lacks the call from high to low"
grep -q 'src/low/ring_4.c: 4 lines' picture.svg || fails "the picture lacks a file"
