#!/usr/bin/env bash
# Header and model must have the same names: every yk_coherence_NAME of coherence.h that changes the state, or says what is lacking,
# is an inline NAME of coherence_rules.pml below "transitions", and the reverse; so are the states of a row, and the routes of shared
# rows (broadcast.h). Each step of the model below "--- FILE.c ---" is a function of src/array/FILE.c, with or without yk_.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
header=${1-$here/../../src/array/coherence.h}
rules=${2-$here/coherence_rules.pml}
source=$here/../../src/array
routes=$source/broadcast.h

# Queries, opening and closing: they move no rows.
not_modelled='open|close|state|current|version|check|whereabouts|flying|source'

header_transitions()
{
    grep -oE '^[a-z].*\byk_coherence_[a-z_]+\(' "$header" | grep -oE 'yk_coherence_[a-z_]+' | sed 's/^yk_coherence_//' |
        grep -vxE "$not_modelled" | sort
}

model_transitions()
{
    sed -n '/--- transitions ---/,$p' "$rules" | sed -nE 's/^inline ([a-z_]+)\(.*/\1/p' | sort
}

header_states()
{
    sed -nE '/^enum yk_row_state/s/.*\{(.*)\}.*/\1/p' "$header" | tr ',' '\n' | sed -E 's/ *YK_([A-Z]+) */\L\1/' | sort
}

model_states()
{
    sed -nE 's/^mtype:state = \{(.*)\};/\1/p' "$rules" | tr ',' '\n' | tr -d ' ' | sort
}

header_routes()
{
    sed -n '/^enum yk_route {/,/^};/p' "$routes" | grep -oE 'YK_ROUTE_[A-Z_]+' | sed -E 's/^YK_(.*)/\L\1/' | sort
}

model_routes()
{
    sed -nE 's/^mtype:route = \{(.*)\};/\1/p' "$here/coherence_upload_copy.pml" | tr ',' '\n' | tr -d ' ' | sort
}

# FILE NAME of each step
model_steps()
{
    awk '/^\/\* --- / { file = $3 } /^inline/ && file ~ /\.c$/ { sub(/\(.*/, "", $2); print file, $2 }' "$here"/coherence*.pml
}

steps_are_functions()
{
    local file name count=0
    while read -r file name; do
        if ! grep -qE "^[a-z].*\b(yk_)?$name\(" "$source/$file"; then
            echo "the model has $name in $file, and src/array/$file has no such function"
            return 1
        fi
        count=$((count + 1))
    done < <(model_steps)
    echo "steps of the model that are functions of src/array: $count"
    [ $count -gt 0 ]
}

same()
{
    local what=$1 in_header=$2 in_model=$3
    if [ -z "$in_header" ] || [ "$in_header" != "$in_model" ]; then
        echo "$what differ; header (<) and model (>):"
        diff <(echo "$in_header") <(echo "$in_model") || true
        return 1
    fi
    # shellcheck disable=SC2086 # lines become words
    echo "$what, in header and model:" $in_header
}

same transitions "$(header_transitions)" "$(model_transitions)"
same states "$(header_states)" "$(model_states)"
same routes "$(header_routes)" "$(model_routes)"
steps_are_functions
