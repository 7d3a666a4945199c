#!/usr/bin/env bash
# Finds which file of src calls which other one. Without arguments it prints each cycle of calls through more than MOST files, and exits 1
# if there is one: files of a cycle can only be understood together. "--svg FILE" draws the folders from the lowest layer up. Each file is
# a box; its width is its number of lines. Calls between two folders are a line; its thickness is the number of pairs of files that call.
#
# A file calls another one if it names a function that the other one defines for others. Calls through tables of functions are not seen.
set -euo pipefail
cd "$(dirname "$0")/.."
svg=
[ "${1:-}" != --svg ] || svg=${2:?"--svg needs a file"}
[ -d src ] || { echo "no folder src here" >&2; exit 2; }

git ls-files 'src/*.c' | awk -v svg="$svg" "$(cat tools/code.awk)"'
# The name of the function whose head ends before a "{" that stands alone.
function name_of(head,    name) {
    sub(/[ \t\n]*\(.*/, "", head)
    name = head
    sub(/.*[^A-Za-z0-9_]/, "", name)
    return name
}

function read(file,    line, code, head, words, n, i) {
    in_comment = 0; head = ""; lines[file] = 0
    while ((getline line < file) > 0) {
        lines[file]++
        code = code_of(line)
        if (code == "{" && head !~ /(^|\n)static / && head ~ /\)[ \t\n]*$/ && !(name_of(head) in owner)) owner[name_of(head)] = file
        if (code ~ /^[A-Za-z]/) head = code
        else if (code ~ /^[ \t]/ && head !~ /[;{}]/) head = head "\n" code
        else head = ""
        n = split(code, words, /[^A-Za-z0-9_]+/)
        for (i = 1; i <= n; i++)
            if (words[i] ~ /^(yk|yoke)_/) names[file] = names[file] " " words[i]
    }
    close(file)
}

function link(file,    words, n, i, to) {
    n = split(names[file], words, " ")
    for (i = 1; i <= n; i++) {
        to = owner[words[i]]
        if (to == "" || to == file || (file, to) in calls) continue
        calls[file, to]
        next_of[file] = next_of[file] " " to
    }
}

# Tarjan: files that reach each other.
function visit(file,    to, words, n, i) {
    number[file] = low[file] = ++visited
    stack[++depth] = file; on[file] = 1
    n = split(next_of[file], words, " ")
    for (i = 1; i <= n; i++) {
        to = words[i]
        if (!(to in number)) { visit(to); if (low[to] < low[file]) low[file] = low[to] }
        else if (on[to] && number[to] < low[file]) low[file] = number[to]
    }
    if (low[file] != number[file]) return
    n = 0; words[0] = ""
    do { to = stack[depth--]; on[to] = 0; n++; words[0] = words[0] " " to } while (to != file)
    if (n > most) { print "a cycle of calls of " n " files, " most " are allowed:" words[0]; bad = 1 }
}

function folder_of(file) { sub(/^src\//, "", file); sub(/\/[^\/]*$/, "", file); sub(/\/.*/, "", file); return file }

function draw(    f, r, x, y, width, name, pair, at, from, to) {
    print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1240 " rooms * 100 + 20 "\" font-family=\"sans-serif\" font-size=\"9\">" >svg
    for (r = 1; r <= rooms; r++) {
        y = (rooms - r) * 100 + 10; x = 110; top[room[r]] = y
        print "<text x=\"8\" y=\"" y + 14 "\" font-size=\"13\">" room[r] "</text>" >svg
        for (f = 1; f <= files; f++) {
            if (folder_of(file[f]) != room[r]) continue
            width = 6 + lines[file[f]] / 8
            if (x + width > 1230) { x = 110; y += 22 }
            name = file[f]; sub(/.*\//, "", name); sub(/\.c$/, "", name)
            print "<g><title>" file[f] ": " lines[file[f]] " lines</title><rect x=\"" x "\" y=\"" y "\" width=\"" width "\" height=\"18\" fill=\"#dde6f0\" stroke=\"#567\"/><text x=\"" x + 2 "\" y=\"" y + 12 "\" textLength=\"" (length(name) * 5 > width - 4 ? width - 4 : length(name) * 5) "\" lengthAdjust=\"spacingAndGlyphs\">" name "</text></g>" >svg
            x += width + 3
        }
    }
    for (pair in calls) {
        split(pair, at, SUBSEP)
        from = folder_of(at[1]); to = folder_of(at[2])
        if (from != to) between[from, to]++
    }
    for (pair in between) {
        split(pair, at, SUBSEP)
        x = 40 + 55 * (index_of[at[1]] * 7 % 10) / 10
        print "<line x1=\"" x "\" y1=\"" top[at[1]] + 20 "\" x2=\"" x "\" y2=\"" top[at[2]] + 2 "\" stroke=\"" (top[at[1]] < top[at[2]] ? "#68a" : "#c33") "\" stroke-opacity=\"0.6\" stroke-width=\"" sqrt(between[pair]) / 2 "\"><title>" at[1] " calls " at[2] ": " between[pair] " pairs of files</title></line>" >svg
    }
    print "</svg>" >svg
}

BEGIN { most = 5 }
{ file[++files] = $0; read($0) }
END {
    for (f = 1; f <= files; f++) link(file[f])
    for (f = 1; f <= files; f++) if (!(file[f] in number)) visit(file[f])
    while ((getline line < "src/CMakeLists.txt") > 0)
        if (line ~ /^foreach\(layer /) {
            sub(/^foreach\(layer /, "", line); sub(/\).*/, "", line)
            rooms = split(line, room, " ")
            for (r = 1; r <= rooms; r++) index_of[room[r]] = r
        }
    if (svg != "") draw()
    exit bad
}'
