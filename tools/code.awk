# Returns a line without its comments and without the text between quotes; for limits.sh and calls.sh. in_comment is kept from line to
# line; the caller sets it to 0 at the beginning of a file.
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
