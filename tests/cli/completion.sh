#!/usr/bin/env bash
# completion.sh YOKE: each shell offers all options and words of help at the right places, and none elsewhere. For zsh and fish
# the test reads the completion files, and loads them if the shells are installed.
set -u
yoke=$(readlink -f "$1")
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
fail() { echo "$1"; exit 1; }
for shell in bash zsh fish; do
    "$yoke" completion $shell >"$folder/$shell" || fail "nothing for $shell"
done
options() { grep -oE '^ +--[a-z-]+' | tr -d ' '; }
# WORD...: the words that bash offers for the last one
offered()
{
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    _yoke
    printf '%s\n' "${COMPREPLY[@]}" | sort -u
}
# True if the second text has the same lines.
same() { [ "$2" = "$3" ] || fail "$1: $(diff <(echo "$2") <(echo "$3"))"; }
# shellcheck disable=SC1091
. "$folder/bash"
complete -p yoke >/dev/null || fail "bash is not told"
commands=$("$yoke" help | sed -n 's/^  \([a-z]*\) .*/\1/p')
apps=$("$yoke" apps | sed -n 's/^  \([a-z-]*\) .*/\1/p')
[ "$(wc -w <<<"$commands")" -ge 9 ] && [ "$(wc -w <<<"$apps")" -ge 9 ] || fail "too little was found"
same "yoke" "$(offered yoke '')" "$(printf '%s\n' $commands --help --version | sort -u)"
for command in $commands; do
    same "yoke $command" "$(offered yoke $command -)" "$({ "$yoke" help $command | options; echo --help; } | sort -u)"
done
same "yoke run" "$(offered yoke run '' | grep -v '^-')" "$(sort <<<"$apps")"
same "yoke help" "$(offered yoke help '' | grep -v '^-')" "$(printf '%s\n' $commands $apps | sort -u)"
same "yoke kb" "$(offered yoke kb '' | grep -v '^-')" "$(printf '%s\n' export forget import list show)"
for app in $apps; do
    for command in run tune; do
        all=$({ "$yoke" help $command | options; "$yoke" run $app --help | sed '/^Options of every/,$d' | options; echo --help; } | sort -u)
        same "yoke $command $app" "$(offered yoke $command $app --)" "$all"
        for option in $all; do
            for shell in zsh fish; do
                grep -q -e "'$option:" -e "from $command.*-l ${option#--} " "$folder/$shell" || fail "$shell: $command $app $option"
            done
        done
    done
done
same "a partitioner" "$(offered yoke run saxpy --partitioner gu)" guided
same "a size" "$(offered yoke run saxpy --size '')" ""
touch "$folder/a.json"
same "a file" "$(offered yoke run saxpy --json "$folder/a.")" "$folder/a.json"
if command -v zsh >/dev/null; then
    # the arguments of zsh's own functions
    # shellcheck disable=SC2016
    asked=$(zsh -fc 'compdef() { }; _describe() { print -rl -- ${(P)2} }; . $1; words=(yoke run mxv --); CURRENT=4; _yoke; words=(yoke kb ""); CURRENT=3; _yoke' zsh "$folder/zsh")
    for entry in --flops --size --help import; do grep -q -e "^$entry:" <<<"$asked" || fail "zsh does not offer $entry: $asked"; done
    grep -q -e "^--events:" <<<"$asked" && fail "zsh offers an option of another application"
fi
if command -v fish >/dev/null; then
    # $1 is expanded by the shell that completes
    # shellcheck disable=SC2016
    asked=$(HOME=$folder fish -c "source $folder/fish; complete -C 'yoke run mxv --fl'; complete -C 'yoke k'; complete -C 'yoke doctor --fl'" | cut -f1 | xargs)
    [ "$asked" = "--flops kb" ] || fail "fish offers '$asked'"
fi
"$yoke" completion tcsh 2>"$folder/err" && fail "there is nothing for tcsh"
grep -q "bash', zsh or fish" "$folder/err" || fail "$(cat "$folder/err")"
