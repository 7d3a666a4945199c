# The line without comments and without what stands between quotes; for limits.sh and calls.sh. in_comment goes on to the next line, and
# is 0 where a file begins.
function code_of(text,    out, at, two, one) {
    if (!in_comment && text !~ /["\047]|\/\*|\/\//) return text
    out = ""
    for (at = 1; at <= length(text); at++) {
        two = substr(text, at, 2)
        one = substr(text, at, 1)
        if (in_comment) {
            if (two == "*/") { in_comment = 0; at++ }
        } else if (two == "/*") {
            in_comment = 1; at++
        } else if (two == "//") {
            break
        } else if (one == "\"" || one == "\047") {
            for (at++; at <= length(text) && substr(text, at, 1) != one; at++)
                if (substr(text, at, 1) == "\\") at++
            out = out one one
        } else {
            out = out one
        }
    }
    return out
}
