#!/usr/bin/env bash
# Searches all that the model of coherence can do, and tells whether it may. Prints states, memory and time of each search.
#
#     run.sh              every configuration, for safety and deadlock, then for runs that never end; then the mutants
#     run.sh --mutants    the mutants only: mistakes that have to be found, or the model proves nothing
#     run.sh --replay     all configurations; the first error is printed step by step
#
# Exits 77 (skipped) without spin or a compiler. README.md says how to read what is searched.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
for tool in spin gcc; do
    if ! command -v $tool >/dev/null; then
        echo "the model of coherence is not checked: there is no $tool (Debian, Ubuntu: apt-get install spin gcc)"
        exit 77
    fi
done
"$here/names.sh" || exit 1

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here"/*.pml "$work"
cd "$work" || exit 1
failed=0
memory_mib=2900
depth=100000

# Compiling pan well takes longer than most searches: -O1 where there are millions of states, -O0 for mutants.
optimize=-O1

# search NAME safety|ends SPIN-OPTIONS...: leaves the outcome in $found: none, error, or broken (did not run to its end)
search()
{
    local name=$1 kind=$2 start=$SECONDS compile=(-DSAFETY) run=()
    shift 2
    if [ "$kind" = ends ]; then # any cycle is one without progress, for nothing is called progress
        compile=(-DNP) run=(-l)
    fi
    rm -f pan pan.* ./*.trail
    found=broken
    if spin "$@" -a coherence.pml >log 2>&1 &&
        gcc $optimize -w "${compile[@]}" -DNOFAIR -DCOLLAPSE -DMEMLIM=$memory_mib -o pan pan.c >log 2>&1 &&
        ./pan "${run[@]}" -m$depth -w20 -n >log 2>&1 &&
        ! grep -qE 'max search depth too small|Search not completed|out of memory|pan: reached' log; then
        found=none
    fi
    if grep -q 'errors: [1-9]' log; then
        found=error
    fi
    printf '%-44s %-6s %-6s %9s states %5s MB %3d s\n' "$name" "$kind" "$found" "$(awk '/states, stored/ { print $1 }' log)" \
        "$(awk '/total actual memory/ { printf "%d", $1 }' log)" $((SECONDS - start))
}

# must_hold NAME KIND SPIN-OPTIONS...
must_hold()
{
    search "$@"
    if [ "$found" != none ]; then
        grep -E 'pan:|error|Error' log | head -5
        if [ "${replay-}" ] && [ "$found" = error ]; then
            spin -t -p "${@:3}" coherence.pml | grep -E 'proc +[0-9]' | grep -vE '\.\(goto\)|\[IF\]|\[DO\]|sub-seq|break\]|assert|\[else\]'
            exit 1
        fi
        failed=1
    fi
}

# must_fail NAME KIND SPIN-OPTIONS...
must_fail()
{
    search "$@"
    if [ "$found" != error ]; then
        echo "$1 was not found"
        tail -5 log
        failed=1
    fi
}

# That all runs end hangs on retries, which a failure or a write brings about: three rows in the one with most of both.
configurations()
{
    optimize=-O1
    must_hold "1 readers and writers, both evict" safety -DCONFIGURATION=1 -DROWS=3
    must_hold "2 a device dies: writing, evicting" safety -DCONFIGURATION=2 -DROWS=3
    must_hold "3 a device dies: two chunks on it, two rows" safety -DCONFIGURATION=3 -DROWS=2
    must_hold "4 a device dies: others want its rows" safety -DCONFIGURATION=4 -DROWS=3
    must_hold "5 results sent home at once, two rows" safety -DCONFIGURATION=5 -DROWS=2
    must_hold "1 with two rows" ends -DCONFIGURATION=1 -DROWS=2
    must_hold "2 a device dies: writing, evicting" ends -DCONFIGURATION=2 -DROWS=3
    must_hold "3 with two rows" ends -DCONFIGURATION=3 -DROWS=2
    must_hold "4 with two rows" ends -DCONFIGURATION=4 -DROWS=2
    must_hold "5 with two rows" ends -DCONFIGURATION=5 -DROWS=2
}

mutants()
{
    local mutant
    optimize=-O0
    for mutant in OVERTAKEN_COPY_COUNTS FAILED_COPY_COUNTS WRITTEN_LEAVES_OTHERS LOSS_UNREPORTED \
        WRITTEN_WAITS_FOR_NO_COPY HOLD_WHILE_LEAVING DROP_WITHOUT_WRITE_BACK REFUSED_COPY_IS_AN_ERROR \
        OVERWRITTEN_UNANNOUNCED; do
        must_fail "mutant: $mutant" safety -DCONFIGURATION=2 -DROWS=3 -DMUTANT_$mutant
    done
    must_fail "mutant: HOME_LOCK_KEPT" safety -DCONFIGURATION=4 -DROWS=3 -DMUTANT_HOME_LOCK_KEPT
    must_fail "mutant: FAILURE_NOT_TOLD" ends -DCONFIGURATION=2 -DROWS=3 -DMUTANT_FAILURE_NOT_TOLD
    for mutant in SENT_HOME_UNANNOUNCED SENT_HOME_UNDER_A_COPY SPOILT_ROWS_KEPT BACK_FROM_ANYBODY EVICTS_WHAT_DROP_KEPT; do
        must_fail "mutant: $mutant" safety -DCONFIGURATION=5 -DROWS=2 -DMUTANT_$mutant
    done
}

case ${1-} in
"") configurations; mutants ;;
--mutants) mutants ;;
--replay) replay=1 configurations ;;
*)
    echo "usage: run.sh [--mutants | --replay]" >&2
    exit 2
    ;;
esac
if [ $failed = 0 ]; then
    echo "all as it must be, $SECONDS s"
fi
exit $failed
