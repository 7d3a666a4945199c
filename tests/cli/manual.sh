#!/usr/bin/env bash
# manual.sh YOKE: --help and the manual pages have the same options, and the pages have all fields of JSON.
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
# The fields of JSON, if jq is installed.
fields()
{
    command -v jq >/dev/null || return 0
    for field in $(jq -r '[.. | objects | keys[]] | unique[]'); do
        cat "$@" | sed 's/\\-/-/g' | grep -qw -e "$field" || { echo "$* do not tell of JSON's '$field'"; status=1; }
    done
}
export YOKE_KB=off
here=$(mktemp -d) && trap 'rm -rf "$here"' EXIT
machine='sim:cpu,sim:gpu'
"$yoke" info --json --devices $machine >"$here/info" && fields "$folder/yoke-info.1" <"$here/info"
"$yoke" doctor --json >"$here/doctor" && fields "$folder/yoke-doctor.1" "$folder/yoke-info.1" <"$here/doctor"
"$yoke" run saxpy --size 10k --devices $machine --sweep 25 --json - >"$here/run" && fields "$folder/yoke-run.1" "$folder/yoke-info.1" <"$here/run"
"$yoke" run saxpy --size 10k --devices $machine --matrix --json - >"$here/matrix" && fields "$folder/yoke-run.1" "$folder/yoke-info.1" <"$here/matrix"
"$yoke" tune saxpy --size 10k --devices $machine --json - >"$here/tune" && fields "$folder/yoke-tune.1" <"$here/tune"
"$yoke" kb import "$(dirname "$0")/kb.json" --file "$here/kb" >"$here/said" && "$yoke" kb export --file "$here/kb" >"$here/lessons" &&
    fields "$folder/yoke-kb.1" <"$here/lessons"
exit $status
