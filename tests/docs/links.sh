#!/usr/bin/env bash
# links.sh FOLDER [HEADERS] - relative links of all documents in FOLDER lead to a file, and to a heading of it if they name one;
# files of the source that they name are there, if FOLDER is the source; so are documents that the comments of HEADERS name.
set -euo pipefail
cd "$1"
headers=${2-}
bad=0

report()
{
    echo "$1: $2 leads nowhere"
    bad=1
}

# Without blocks of code, fenced or in a line.
text_of()
{
    sed -e '/^```/,/^```$/d' "$1" | sed 's/`[^`]*`//g'
}

# A heading's name in links: "Who's `x`, and why" is whos-x-and-why.
anchors_of()
{
    sed -e '/^```/,/^```$/d' "$1" | sed -n 's/^##* *//p' | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}

check_page()
{
    local page=$1 link file anchor
    while read -r link; do
        file=${link%%#*} anchor=${link#"$file"}
        case $link in http:* | https:* | mailto:*) continue ;; esac
        file=${file:+$(dirname "$page")/$file}
        file=${file:-$page}
        if ! [ -e "$file" ]; then
            report "$page" "$link"
        elif [ -n "$anchor" ] && ! anchors_of "$file" | grep -qxF -- "${anchor#?}"; then
            report "$page" "$link"
        fi
    done < <(text_of "$page" | grep -oE '\]\([^) ]+' | sed 's/^](//')
}

while read -r page; do check_page "$page"; done < <(find . -path ./build -prune -o -name '*.md' -print)
if [ -d src ]; then
    while IFS=: read -r page file; do
        [ -e "$file" ] || report "$page" "$file"
    done < <(grep -roHE --include='*.md' --exclude-dir=build '`(apps|bench|cli|examples|include|src|tests|tools)/[A-Za-z0-9_/-]+\.[ch]`' . | tr -d '`')
fi
if [ -n "$headers" ]; then
    while IFS=: read -r header page; do
        compgen -G "$page*" >/dev/null || report "$header" "$page"
    done < <(grep -roE 'docs/[a-z0-9_/-]+[a-z0-9](\.md)?' "$headers")
fi
exit $bad
