# comments.awk - turns the headers' plain comments into Doxygen's: a comment on lines of its own describes what follows it, a comment after
# code describes that code, and a file's first comment describes the file. So headers need no marks.

# Doxygen takes a comment after several names for the last one's: each gets it.
function print_each(declaration, comment) {
    gsub(/,/, " /**<" comment ",", declaration)
    print declaration "/**<" comment
}

{
    at = index($0, "/*")
    before = substr($0, 1, at - 1)
    rest = substr($0, at + 2)
}

names { # further lines of such a comment
    sub(/^[ \t]*\*?/, "")
    text = text $0
    if (/\*\//) {
        print_each(names, text)
        names = ""
    }
    next
}

FNR == 1 && at == 1 && match($0, / - /) {
    print "/** @file " substr($0, 4, RSTART - 4)
    print " * " substr($0, RSTART + 3)
    inside = rest !~ /\*\//
    next
}

at && !inside && before ~ /^ +[^{(#]*,[^{(]*;[ \t]*$/ {
    if (rest ~ /\*\//) {
        print_each(before, rest)
    } else {
        names = before
        text = rest
    }
    next
}

at && !inside && rest !~ /^ ----/ {
    print before (before ~ /^[ \t]*$/ ? "/**" : "/**<") rest
    inside = rest !~ /\*\//
    next
}

{
    if (/\*\//) inside = 0
    print
}
