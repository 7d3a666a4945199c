#!/usr/bin/env bash
# Searches all states of the coherence model and checks them. Prints states, memory and time of each search.
#
#     run.sh              every configuration, for safety and deadlock, then for runs that never end; then the mutants
#     run.sh --mutants    the mutants only: planted errors that must be found, otherwise the model proves nothing
#     run.sh --replay     all configurations; the first error is printed step by step
#
# Exits 77 (skipped) without spin or a compiler. README.md explains what is searched.
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
# As they are, states are stored in two thirds of the time and four times the memory that compressed ones take.
if awk '/MemAvailable/ { exit !($2 > 6e6) }' /proc/meminfo; then
    memory_mib=2200 store=()
else
    memory_mib=900 store=(-DCOLLAPSE)
fi
depth=100000
at_once=2

# Searches spend their time on storing states: on these few functions and on the chains of the hash table, which has 2^23 heads
# (2^20 gave chains of eight). Optimizing all of pan takes longer than it saves in a search; with a Spin whose functions have
# other names the search is only slower.
storing='h_store|compress|ordinal|d_sfh|s_hash|col_p|col_q'
table=23
# Mutants are found early, so compiling takes longer than searching: clang needs half of gcc's time.
compiler=gcc

# search NAME safety|ends SPIN-OPTIONS...: sets $found to none, error, or broken (the search did not complete). Every
# search has its own directory.
search()
{
    local name=$1 kind=$2 start=$SECONDS compile=(-DSAFETY) run=() directory
    shift 2
    if [ "$kind" = ends ]; then # every cycle is one without progress, because no state is labelled progress
        compile=(-DNP) run=(-l)
    fi
    directory=$(mktemp -d -p "$work")
    cp "$here"/*.pml "$directory"
    cd "$directory" || exit 1
    found=broken
    if spin "$@" -a coherence.pml >log 2>&1 &&
        sed -i -E "s/^($storing)\\(/__attribute__((optimize(\"O2\"))) \\1(/" pan.c &&
        $compiler -O0 -w "${compile[@]}" -DNOFAIR "${store[@]}" -DMEMLIM=$memory_mib -o pan pan.c >log 2>&1 &&
        ./pan "${run[@]}" -m$depth -w$table -n >log 2>&1 &&
        ! grep -qE 'max search depth too small|Search not completed|out of memory|pan: reached' log; then
        found=none
    fi
    if grep -q 'errors: [1-9]' log; then
        found=error
    fi
    printf '%-52s %-6s %-6s %9s states %5s MB %3d s\n' "$name" "$kind" "$found" "$(awk '/states, stored/ { print $1 }' log)" \
        "$(awk '/total actual memory/ { printf "%d", $1 }' log)" $((SECONDS - start))
}

# one EXPECTED NAME KIND SPIN-OPTIONS...
one()
{
    local expected=$1
    shift
    search "$@"
    if [ "$found" != "$expected" ]; then
        touch "$work/failed"
        echo "$1: expected $expected, found $found"
        grep -E 'pan:|rror' log | head -5
        if [ "${replay-}" ] && [ "$found" = error ]; then
            spin -t -p "${@:3}" coherence.pml | grep -E 'proc +[0-9]' |
                grep -vE '\.\(goto\)|\[IF\]|\[DO\]|sub-seq|break\]|assert|\[else\]'
        fi
    fi
}

# The same, in parallel with others.
start()
{
    while [ "$(jobs -rp | wc -l)" -ge $at_once ]; do
        wait -n
    done
    if [ "${replay-}" ] && [ -e "$work/failed" ]; then
        exit 1
    fi
    one "$@" &
}

must_hold() { start none "$@"; }
must_fail() { start error "$@"; }

across=(-DROWS=2 -DLINK=NEARER)

# Endless runs could come from retries, which a failure or a write causes. The longest searches come first.
configurations()
{
    must_hold "1" ends -DCONFIGURATION=1 -DROWS=2
    must_hold "7 a source dies: two chunks take rows from it" safety -DCONFIGURATION=7 "${across[@]}"
    must_hold "4 a device dies: others want its rows; three rows" safety -DCONFIGURATION=4 -DROWS=3
    must_hold "6 rows from the other device; both evict" safety -DCONFIGURATION=6 "${across[@]}"
    must_hold "10 the other device dies: two chunks share out" safety -DCONFIGURATION=10 "${across[@]}" -DSHARING=1
    must_hold "8 shared out; an upload cannot be issued" safety -DCONFIGURATION=8 "${across[@]}" -DSHARING=1 -DFAULTS=1
    must_hold "9 shared out; a device dies" safety -DCONFIGURATION=9 "${across[@]}" -DSHARING=1
    must_hold "1 readers and writers, both evict" safety -DCONFIGURATION=1 -DROWS=2
    must_hold "3 a device dies: two chunks on it" safety -DCONFIGURATION=3 -DROWS=2
    must_hold "2 a device dies: writing, evicting" safety -DCONFIGURATION=2 -DROWS=2
    must_hold "5 results sent home at once" safety -DCONFIGURATION=5 -DROWS=2
    must_hold "2" ends -DCONFIGURATION=2 -DROWS=2
    must_hold "3" ends -DCONFIGURATION=3 -DROWS=2
    must_hold "4 with two rows" ends -DCONFIGURATION=4 -DROWS=2
    must_hold "5" ends -DCONFIGURATION=5 -DROWS=2
    must_hold "8" ends -DCONFIGURATION=8 "${across[@]}" -DSHARING=1 -DFAULTS=1
    must_hold "9" ends -DCONFIGURATION=9 "${across[@]}" -DSHARING=1
    must_hold "9 over a link slower than the host's" ends -DCONFIGURATION=9 -DROWS=2 -DLINK=DIRECT
}

mutants()
{
    local mutant compiler=$compiler
    command -v clang >/dev/null && compiler=clang
    for mutant in OVERTAKEN_COPY_COUNTS FAILED_COPY_COUNTS WRITTEN_LEAVES_OTHERS LOSS_UNREPORTED \
        WRITTEN_WAITS_FOR_NO_COPY HOLD_WHILE_LEAVING DROP_WITHOUT_WRITE_BACK REFUSED_COPY_IS_AN_ERROR \
        OVERWRITTEN_UNANNOUNCED; do
        must_fail "mutant: $mutant" safety -DCONFIGURATION=2 -DROWS=3 -DMUTANT_$mutant
    done
    must_fail "mutant: HOME_LOCK_KEPT" safety -DCONFIGURATION=4 -DROWS=2 -DMUTANT_HOME_LOCK_KEPT
    must_fail "mutant: FAILURE_NOT_TOLD" ends -DCONFIGURATION=2 -DROWS=2 -DMUTANT_FAILURE_NOT_TOLD
    for mutant in SENT_HOME_UNANNOUNCED SENT_HOME_UNDER_A_COPY SPOILT_ROWS_KEPT BACK_FROM_ANY_PLACE EVICTS_WHAT_DROP_KEPT; do
        must_fail "mutant: $mutant" safety -DCONFIGURATION=5 -DROWS=2 -DMUTANT_$mutant
    done
    for mutant in SOURCE_NOT_HELD LEAVES_WHILE_SENT LOST_SOURCE_NOT_ASKED DROPPED_UNDER_A_COPY_HOME; do
        must_fail "mutant: $mutant" safety -DCONFIGURATION=7 "${across[@]}" -DMUTANT_$mutant
    done
    for mutant in FOLLOWS_AT_ONCE FOLLOWS_WHAT_IS_NOT_SENT FAILED_UPLOAD_TOLD_LATE; do
        must_fail "mutant: $mutant" safety -DCONFIGURATION=8 "${across[@]}" -DSHARING=1 -DFAULTS=1 -DMUTANT_$mutant
    done
    must_fail "mutant: PASSED_ROWS_NOT_AWAITED" safety -DCONFIGURATION=9 "${across[@]}" -DSHARING=1 \
        -DMUTANT_PASSED_ROWS_NOT_AWAITED
    must_fail "mutant: ISSUED_WITHOUT_LOCK" safety -DCONFIGURATION=10 "${across[@]}" -DSHARING=1 -DMUTANT_ISSUED_WITHOUT_LOCK
}

case ${1-} in
"") configurations; mutants ;;
--mutants) mutants ;;
--replay)
    replay=1 at_once=1
    configurations
    ;;
*)
    echo "usage: run.sh [--mutants | --replay]" >&2
    exit 2
    ;;
esac
wait
if [ -e "$work/failed" ]; then
    exit 1
fi
echo "all as it must be, $SECONDS s"
