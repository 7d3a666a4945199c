#!/usr/bin/env bash
# run_cases.sh YOKE FILE.test: runs the cases of one file and compares their results.
#
# A case is a block of lines, blocks are separated by empty lines, "#" begins a comment:
#     name:   what it shows
#     env:    NAME=value ...        put before the command (optional)
#     run:    shell line; `yoke` is the command under test, $DATA this folder, $HERE an empty folder
#     exit:   expected status [0]
#     expect: golden file of standard output, numbers normalised; "-" for none at all
#     exact:  golden file of standard output with its numbers, for what is the same on every machine
#     says:   text that standard error contains (any number of lines); without any it has to be empty
# `expect` and `exact` may be left out where standard output does not matter. UPDATE=1 writes the golden files.
yoke=$(readlink -f "$1")
file=$(readlink -f "$2")
export YOKE_KB=off
export DATA=$(dirname "$file") HERE
HERE=$(mktemp -d) || exit 1
trap 'rm -rf "$HERE"' EXIT
mkdir "$HERE/bin" && ln -s "$yoke" "$HERE/bin/yoke"
export PATH=$HERE/bin:$PATH
failed=0 count=0

# Replaces numbers, with sign, unit prefix and alignment blanks, by N.
normalise()
{
    sed -E -e 's/[-+]?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?/N/g' -e 's/\b(nan|inf)\b/N/g' \
        -e 's/N (ns|us|ms|s)\b/N s/g' -e 's/N ([KMGT]i)?B\b/N B/g' -e 's/ +/ /g' -e 's/ $//' -e "s|$HERE|HERE|g"
}

complain()
{
    printf '%s: %s\n  run: %s\n  %s\n' "${file##*/}" "$name" "$run" "$1"
    failed=$((failed + 1))
}

run_case()
{
    [ -n "$run" ] || return
    count=$((count + 1))
    rm -rf "$HERE/work" && mkdir "$HERE/work"
    (cd "$HERE/work" && env ${environment} bash -c "$run") >"$HERE/out" 2>"$HERE/err"
    local status=$?
    [ "$status" = "$want" ] || complain "exit $status, not $want; standard error: $(cat "$HERE/err")"
    if [ ${#says[@]} = 0 ] && [ -s "$HERE/err" ]; then
        complain "standard error is not empty: $(cat "$HERE/err")"
    fi
    local text
    for text in "${says[@]}"; do
        grep -qF -- "$text" "$HERE/err" || complain "standard error lacks '$text': $(cat "$HERE/err")"
    done
    case "$golden" in
    "") ;;
    -) [ ! -s "$HERE/out" ] || complain "standard output is not empty: $(head -3 "$HERE/out")" ;;
    *)
        if [ -n "$exact" ]; then cp "$HERE/out" "$HERE/normal"; else normalise <"$HERE/out" >"$HERE/normal"; fi
        [ -z "$UPDATE" ] || cp "$HERE/normal" "$DATA/$golden"
        diff -u "$DATA/$golden" "$HERE/normal" >"$HERE/diff" || complain "$(cat "$HERE/diff")"
        ;;
    esac
}

new_case()
{
    name= environment= run= want=0 golden= exact= says=()
}

new_case
while IFS= read -r line || [ -n "$line" ]; do
    case "$line" in
    "") run_case; new_case ;;
    "#"*) ;;
    name:*) name=${line#name: } ;;
    env:*) environment=${line#env: } ;;
    run:*) run=${line#run: } ;;
    exit:*) want=${line#exit: } ;;
    expect:*) golden=${line#expect: } ;;
    exact:*) golden=${line#exact: } exact=1 ;;
    says:*) says+=("${line#says: }") ;;
    *) echo "${file##*/}: what is '$line'?"; failed=$((failed + 1)) ;;
    esac
done <"$file"
run_case
[ $count -gt 0 ] || { echo "${file##*/}: no cases"; exit 1; }
echo "${file##*/}: $count cases, $failed complaints"
[ $failed = 0 ]
