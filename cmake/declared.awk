# SPDX-License-Identifier: MIT
# What C declares at file scope. In: C without comments and directives (cc -E -P). Out, one line each:
#   function NAME            declared here, defined elsewhere
#   inline NAME              static: a name of the header alone
#   tag NAME                 of a struct, union or enum, whether it is defined here or not
#   enumerator NAME TAG VALUE  TAG is - for an enum without one; VALUE is empty, or the tokens behind =
# Typedefs and variables are not for public headers: they are errors.

function fail(what)
{
    print "declared.awk: " what > "/dev/stderr"
    failed = 1
}

function declare(line)
{
    if (!(line in said)) print line
    said[line]
}

function end_of_enumerator()
{
    if (enumerator != "") declare("enumerator " enumerator " " tag " " value)
    enumerator = value = ""
}

function in_enum(token)
{
    if (token == "," || token == "}") {
        end_of_enumerator()
        enum_is_open = token == ","
    } else if (enumerator == "") {
        enumerator = token
    } else if (token != "=" || value != "") {
        value = value token
    }
}

function at_file_scope(token)
{
    if (token == "typedef") fail("a typedef: name a struct or an enum instead")
    if (token == "static") is_static = 1
    if (token == "extern") fail("a variable or an extern: declare a function that returns it")
    if (token == "(" && parens == 0 && last ~ /^[A-Za-z_]/ && last !~ /^_/)
        declare((is_static ? "inline " : "function ") last)
    if (token == ";") is_static = 0
}

function take(token)
{
    if (enum_is_open) {
        in_enum(token)
        return
    }
    if (last ~ /^(struct|union|enum)$/ && token ~ /^[A-Za-z_]/) declare("tag " token)
    if (depth == 0) at_file_scope(token)
    if (token == "{" && (last == "enum" || before == "enum")) {
        enum_is_open = 1
        tag = last == "enum" ? "-" : last
    } else if (token == "{") {
        depth++
    } else if (token == "}" && --depth == 0) {
        is_static = 0
    }
    if (token == "(") parens++
    if (token == ")") parens--
    before = last
    last = token
}

{
    line = $0
    while (match(line, /"([^"\\]|\\.)*"|[A-Za-z_][A-Za-z_0-9]*|[0-9][A-Za-z_0-9.]*|[^ \t]/)) {
        take(substr(line, RSTART, RLENGTH))
        line = substr(line, RSTART + RLENGTH)
    }
}

END {
    if (depth != 0 || parens != 0) fail("brackets that are not closed")
    exit failed
}
