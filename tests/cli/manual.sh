#!/usr/bin/env bash
# manual.sh YOKE: the options in --help and those in the manual pages are the same.
set -eu
yoke=$1 folder=$(dirname "$0")/../../docs/man status=0
for command in run sim info doctor explain kb tune; do
    helped=$("$yoke" help $command | grep -oE '^ +--[a-z-]+' | tr -d ' ' | sort -u)
    written=$(sed 's/\\-/-/g' "$folder/yoke-$command.1" | grep -A1 -E '^\.T[PQ]' | grep -oE -e '^\.BI? --[a-z-]+' |
        sed 's/^\.BI* //' | grep -vx -e --help | sort -u)
    [ "$helped" = "$written" ] || {
        echo "yoke-$command.1 and 'yoke help $command' differ:"
        diff <(echo "$written") <(echo "$helped") || status=1
    }
done
for command in $("$yoke" help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
    grep -qE "^\.B(R)? (\"?$command)" "$folder/yoke.1" || { echo "yoke.1 lacks the command $command"; status=1; }
done
exit $status
