#!/bin/sh
# narrow_random.sh GENERATOR CC SEED COUNT - random bodies give the same results with 32-bit indexes (narrow_random.c).
# Skipped (77) if CC cannot check for overflow.
set -eu
generator=$1 cc=$2 seed=$3 count=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo 'int main(void) { return 0; }' > "$work/none.c"
check="-fsanitize=signed-integer-overflow -fsanitize-undefined-trap-on-error"
# shellcheck disable=SC2086
"$cc" $check -o "$work/none" "$work/none.c" || { echo "$cc knows no $check: skipped"; exit 77; }
"$generator" "$seed" "$count" > "$work/program.c"
# shellcheck disable=SC2086
"$cc" -std=gnu11 -w -O0 $check -o "$work/program" "$work/program.c"
"$work/program" || { echo "seed $seed"; exit 1; }
