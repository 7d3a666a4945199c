#!/usr/bin/env bash
# Formats the C files that git tracks and the new ones that it does not ignore, as .clang-format says. With --check it only names the
# files that are not formatted. Versions of clang-format disagree with each other, so it must be version 14.
set -euo pipefail
cd "$(dirname "$0")/.."

case ${1-} in
"" | --check) ;;
*)
    echo "usage: tools/format.sh [--check]" >&2
    exit 2
    ;;
esac

formatter=
for name in clang-format-14 clang-format; do
    if command -v "$name" >/dev/null && "$name" --version | grep -q 'version 14\.'; then
        formatter=$name
        break
    fi
done
if [ -z "$formatter" ]; then
    echo "tools/format.sh: clang-format 14 is not here; install it (Debian, Ubuntu: apt install clang-format-14)" >&2
    exit 1
fi

mapfile -d '' kept < <(git ls-files -z --cached --others --exclude-standard '*.c' '*.h')
files=()
for file in "${kept[@]}"; do
    if [ -e "$file" ]; then # not one that is about to be removed
        files+=("$file")
    fi
done

if [ -z "${1-}" ]; then
    exec "$formatter" -i "${files[@]}"
fi
if ! said=$("$formatter" --dry-run -Werror "${files[@]}" 2>&1); then
    echo "$said" | sed -n 's/^\([^: ]*\):[0-9]*:[0-9]*: error: .*/\1: not formatted; run tools\/format.sh/p' | sort -u
    exit 1
fi
