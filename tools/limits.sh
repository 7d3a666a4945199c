#!/usr/bin/env bash
# Checks what the compiler does not: sizes, complexity, layers, and words that belong in one place only. Reads the files that git tracks,
# prints each violation as FILE:LINE: WHAT, and exits 1 if there is one.
#
# A function lies between a "{" and a "}" that stand alone in the first column; the formatting guarantees that.
set -euo pipefail
cd "$(dirname "$0")/.."

scan()
{
    awk "$(cat tools/code.awk)"'
function report(line, what) { print FILENAME ":" line ": " what; bad = 1 }
function has(text, words) { return text ~ ("(^|[^A-Za-z0-9_.>])(" words ")([^A-Za-z0-9_]|$)") }
function calls(text, names) { return text ~ ("(^|[^A-Za-z0-9_.>])(" names ") *[(]") }

# The folder of src that `name`, included from the current file, lies in; "" if in none.
function folder_of(name,    path, parts, n, i, kept, depth) {
    path = FILENAME
    sub(/[^\/]*$/, "", path)
    n = split(path name, parts, "/")
    depth = 0
    for (i = 1; i <= n; i++) {
        if (parts[i] == "..") depth--
        else if (parts[i] != ".") kept[++depth] = parts[i]
    }
    return kept[1] == "src" && depth > 2 ? kept[2] : ""
}

# Whether the compiler finds the name under src/.
function is_in_src(name,    line, path) {
    path = "src/" name
    if (name !~ /^[a-z]+\/[a-z_]+\.h$/ || (getline line < path) < 0) return 0
    close(path)
    return 1
}

function check_include(text,    name, target) {
    if (text !~ /^[ \t]*#[ \t]*include[ \t]*[<"]/) return
    name = text
    sub(/^[^<"]*[<"]/, "", name)
    sub(/[>"].*$/, "", name)
    if (text !~ /</) {
        target = folder_of(name)
        if (programs && target == "" && !(name in lent) && is_in_src(name))
            report(FNR, "includes src/" name "; only include/yoke is for others")
        if (folder == "" && target != "" && !tests)
            report(FNR, "includes src/" target "; only include/yoke is for others")
        else if (store && target == "platform")
            ;
        else if (folder != "" && target != "" && target != folder && index(below[folder], " " target " ") == 0)
            report(FNR, "src/" folder " includes src/" target ", which is not below it")
        if (pure && target != "" && target != "base" && target != "model" && target != "knowledge" && target != folder && \
            !(folder == "simulator" && (target == "partition" || target == "machine")))
            report(FNR, "pure code includes src/" target)
    }
    if (pure && !(atomic && name == "stdatomic.h") && name ~ /^(pthread|stdatomic|threads|time|sys\/time|unistd|fcntl|signal|dlfcn|hwloc)\.h$/)
        report(FNR, "pure code includes <" name ">")
    if (!tests && name == "sqlite3.h" && !store)
        report(FNR, "<" name "> belongs to src/knowledge/store*")
    if (folder != "" && folder != "platform" && name ~ /^(dlfcn|hwloc|sched|link)\.h$/)
        report(FNR, "<" name "> belongs to src/platform")
}

# How many parameters the function has whose head, all that is before its body, is given. "..." is none. 0 for what the public headers
# fix: kernels, which are macros in capitals, and the functions declared there. 0 for functions of kernels (YOKE_FN), too: compilers
# vectorise loops over scalar parameters, and not over a struct of them.
function parameters(head,    at, one, depth, count, text) {
    if (head ~ /(^|[^A-Za-z0-9_])YOKE_FN[^A-Za-z0-9_]/) return 0
    for (at = length(head); at > 0; at--) {
        one = substr(head, at, 1)
        if (one == ")" && ++depth == 1) continue
        if (one == "(" && --depth == 0) break
        if (one == "," && depth == 1) count++
        if (depth) text = one text
    }
    head = substr(head, 1, at - 1)
    sub(/^.*[^A-Za-z0-9_]/, "", head)
    if (head ~ /^[A-Z0-9_]+$/ || head ~ /^yoke_/ || text ~ /^ *(void)? *$/) return 0
    return count + (text !~ /[.][.][.]$/)
}

# How many branches the line has.
function branches(code,    count) {
    count = gsub(/&&|[|][|]|[?]/, " ", code)
    gsub(/[^A-Za-z0-9_]+/, "  ", code)
    code = " " code " "
    return count + gsub(/ (if|for|while|case) /, "", code)
}

# `head` is the text since the last declaration ended, `ways` the cyclomatic complexity of the function so far.
function check_function(code,    count) {
    if (code == "{") {
        count = parameters(head)
        start = FNR
        ways = 1
        if (own && count > 4) report(start, "function of " count " parameters; 4 at most")
    } else if (code == "}" && start) {
        if (FNR - start + 1 > 100) report(start, "function of " FNR - start + 1 " lines; 100 at most")
        if (own && ways > 15) report(start, "function of complexity " ways "; 15 at most")
        start = 0
        head = ""
    } else if (start) {
        ways += branches(code)
    } else {
        head = code ~ /^#|^ *$|[;}] *$/ ? "" : head " " code
    }
}

function check_words(code) {
    if (own && FILENAME != "src/base/option.c" && has(code, "getenv|secure_getenv"))
        report(FNR, "getenv; settings are read in src/base/option.c")
    if (folder != "" && FILENAME != "src/base/alloc.c" && \
        calls(code, "malloc|calloc|realloc|reallocarray|free|strdup|strndup|asprintf|posix_memalign|aligned_alloc"))
        report(FNR, "memory not from src/base/alloc.h")
    if (folder != "" && folder != "platform" && has(code, "__linux__|_WIN32|__APPLE__|__FreeBSD__"))
        report(FNR, "an operating system is named outside of src/platform")
    if (pure && (code ~ /pthread_|yk_lock|yk_mutex|yk_parker|yk_thread|yk_clock/ || (!atomic && code ~ /atomic_|_Atomic|__atomic/) || \
                 calls(code, "clock_gettime|gettimeofday|time|fopen|open|read|write|printf|fprintf|puts|getline|rand")))
        report(FNR, "pure code uses threads, a clock, atomics or I/O")
}

BEGIN {
    # What the command and the applications share with the library, which is not about yoke.
    lent["base/closest.h"]; lent["base/plain.h"]; lent["platform/new_file.h"]
    below["base"] = " "
    below["machine"] = " base "
    below["access"] = " base "
    below["platform"] = " base "
    below["trace"] = below["platform"] "platform "
    below["backend"] = below["trace"] "trace access machine "
    below["array"] = below["backend"] "backend "
    below["model"] = " base "
    below["knowledge"] = below["model"] "model "
    below["partition"] = below["knowledge"] "knowledge "
    below["simulator"] = below["partition"] "partition machine "
    below["job"] = below["array"] "array model knowledge partition "
    below["flight"] = below["job"] "job "
    below["life"] = below["flight"] "flight "
    below["work"] = below["life"] "life "
    below["runtime"] = below["work"] "work simulator "
    below["skeleton"] = below["runtime"] "runtime "
    below["xmp"] = below["skeleton"] "skeleton "
}

FNR == 1 {
    if (NR > 1) end_file()
    file = FILENAME
    split(FILENAME, parts, "/")
    tests = parts[1] == "tests"
    own = parts[1] == "src" || parts[1] == "include" || parts[1] == "apps" || parts[1] == "cli"
    programs = parts[1] == "apps" || parts[1] == "cli" || parts[1] == "examples"
    folder = parts[1] == "src" && parts[3] != "" ? parts[2] : ""
    store = FILENAME ~ /^src\/knowledge\/store/ # the knowledge base on disk
    atomic = FILENAME ~ /^src\/partition\/lease[.]/ # pure but for its atomics
    pure = !store && (folder == "access" || folder == "machine" || folder == "partition" || folder == "model" || folder == "knowledge" || folder == "simulator" || FILENAME ~ /^src\/array\/coherence/)
    in_comment = 0
    start = 0
    head = ""
    if (folder != "" && !(folder in below)) report(1, "src/" folder " is no layer; name it in tools/limits.sh")
    if (FILENAME ~ /\/[^\/]*(util|misc|common|helper)[^\/]*$/) report(1, "a file is named for the noun it owns")
}
{
    last_line = FNR
    check_include($0)
    code = code_of($0)
    check_words(code)
    check_function(code)
    if (has($0, "TODO|FIXME|XXX")) report(FNR, "unfinished work is an issue, not a comment")
}

function end_file(    most) {
    most = file ~ /^include\/yoke\// ? 300 : 600
    if (last_line > most) { print file ":" last_line ": " most " lines at most"; bad = 1 }
}
END { if (NR) end_file(); exit bad }
' "$@"
}

mapfile -d '' sources < <(git ls-files -z '*.c' '*.h')
present=()
for file in "${sources[@]}"; do
    if [ -s "$file" ]; then
        present+=("$file")
    fi
done

failed=0
scan "${present[@]}" || failed=1
# Build files and scripts: the words only. Split, so that this line does not find itself.
unfinished='TO''DO|FIX''ME|XX''X'
if git grep -nwE "$unfinished" -- '*.cmake' '*CMakeLists.txt' '*.sh' '*.py' Makefile .ci ':!tools/limits.sh'; then
    echo "unfinished work is an issue, not a comment"
    failed=1
fi
# Who reads of papers/NNN finds there which paper that is.
while read -r paper; do
    if ! grep -qs "^| $paper |" docs/references.md; then
        git grep -noF "$paper" -- ':!tests/tools' | sed "s|:$paper\$|: $paper is not in docs/references.md|"
        failed=1
    fi
done < <(git grep -hoE 'papers/[0-9]{3}' -- ':!tests/tools' | sort -u)
exit $failed
