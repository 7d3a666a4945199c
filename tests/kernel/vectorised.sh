#!/bin/sh
# vectorised.sh forms|photons OBJECT... - checks in the disassembly that the CPU variants of kernels are vectorised.
#
# For each of these kernels the v3 variant must contain packed instructions on ymm registers and the v4 variant
# on zmm or ymm; fused ones if the arithmetic has a product and a sum. A missing variant is an error.
set -eu
command -v objdump > /dev/null || { echo "objdump is not installed: skipped"; exit 77; }
[ "$(uname -m)" = x86_64 ] || { echo "not an x86-64 processor: skipped"; exit 77; }
set=$1
shift
listing=$(mktemp)
trap 'rm -f "$listing"' EXIT
objdump -d --no-show-raw-insn "$@" > "$listing"
failed=0

check() { # KERNEL VARIANT PATTERN [LEAST]
    code=$(awk -v name="<yk_cpu$2_$1>:" '$2 == name { on = 1 } on && /^$/ { on = 0 } on' "$listing")
    count=$(printf '%s\n' "$code" | grep -cE "$3" || true)
    if [ "$count" -lt "${4:-1}" ]; then
        echo "$1, variant v$2: $count instructions like $3 among $(printf '%s\n' "$code" | wc -l)"
        failed=1
    else
        echo "$1, variant v$2: $count of $(printf '%s\n' "$code" | wc -l) instructions are like $3"
    fi
}

case $set in
forms)
    for kernel in saxpy mxv nbody; do
        check $kernel 3 'vfn?m(add|sub)[0-9]+ps .*%ymm'
        check $kernel 4 'vfn?m(add|sub)[0-9]+ps .*%[yz]mm'
    done
    check daxpy 3 'vfmadd[0-9]+pd .*%ymm'
    check daxpy 4 'vfmadd[0-9]+pd .*%[yz]mm'
    check nbody 3 'vsqrtps .*%ymm'
    check plane 3 'vfn?m(add|sub)[0-9]+ps .*%ymm|vmulps .*%ymm'
    check moments3 0 'addpd .*%xmm'
    check moments3 3 'vaddpd .*%ymm'
    check structs 0 'ret' # the baseline exists under its name
    ;;
photons) # arithmetic that is not fused, in the loop over lanes: hundreds of instructions, not a few
    check photons_lanes 3 'vmulps .*%ymm' 100
    check photons_lanes 4 'vmulps .*%[yz]mm' 100
    ;;
esac
exit $failed
