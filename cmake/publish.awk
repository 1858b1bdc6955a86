# SPDX-License-Identifier: MIT
# Makes a public header of one of the model's: every name that the public headers declare gets its prefix, tmaref_ or
# TMAREF_, in code and in comments; includes name the installed tree; lists that macros make are written out.
# Usage: awk -f publish.awk -v path=tma/copy.h NAMES HEADER; NAMES is what declared.awk prints, "macro NAME" for each
# macro without parameters, "header PATH" for each public header, and "about NAME TEXT" for a constant that has a comment.

function public(name)
{
    return (name ~ /^[A-Z]/ ? "TMAREF_" : "tmaref_") name
}

# --- Words -----------------------------------------------------------------------------------------------------------

function code(text,    out, word, last)
{
    while (match(text, /"([^"\\]|\\.)*"|[A-Za-z_][A-Za-z_0-9]*|[0-9][A-Za-z_0-9.]*|->|[^ \t]/)) {
        out = out substr(text, 1, RSTART - 1)
        word = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        if (last ~ /^(struct|union|enum)$/ ? word in tags : word in names && last != "." && last != "->") {
            if (word in functions && text !~ /^\(/ && !(last ~ /^(struct|union|enum)$/))
                fail(word " is a function and something else")
            out = out public(word)
        } else {
            out = out word
        }
        last = word
    }
    return out text
}

# Words of a comment that are names: functions, constants, tags behind their keyword, headers. Ids of rules are not, even
# where a constant is called the same.
function prose(text,    out, word, last, is_of_rules)
{
    is_of_rules = text ~ /[Rr]ule/
    while (match(text, /[A-Za-z_][A-Za-z_0-9\/]*(\.h)?/)) {
        out = out substr(text, 1, RSTART - 1)
        word = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        if (is_of_rules && "RULE_" word in names)
            ;
        else if (word ~ /\.h$/ && base(word) in headers)
            word = "tmaref/" headers[base(word)]
        else if (last ~ /^(struct|union|enum)$/ ? word in tags : word in names && (text ~ /^\(/ || word ~ /^[A-Z].*_/))
            word = public(word)
        out = out word
        last = word
    }
    return out text
}

function base(file)
{
    sub(/.*\//, "", file)
    return file
}

function line_of(text,    at)
{
    at = match(text, /\/\//)
    return at ? code(substr(text, 1, at - 1)) prose(substr(text, at)) : code(text)
}

# --- Lines -----------------------------------------------------------------------------------------------------------

function put(text)
{
    sub(/ +$/, "", text)
    if (text == "" && was_empty) return
    was_empty = text == ""
    print text
}

# Prefixes make lines longer than 120. Puts what fits up to the last place that matches `where`, and returns the rest.
function put_start(text, where,    at, end)
{
    if (length(text) <= 120) return text
    for (at = 121; at > 1 && (substr(text, at) !~ ("^(" where ")") || substr(text, at, 1) == "," && at > 120); ) at--
    end = at + (substr(text, at, 1) == ",")
    if (at <= 1 || substr(text, 1, end - 1) ~ /^ *(\/\/ *)?$/) return text
    put(substr(text, 1, end - 1))
    return substr(text, end)
}

function put_all(text, where, indent,    rest)
{
    while ((rest = put_start(text, where)) != text) {
        sub(/^ +/, "", rest)
        text = indent rest
    }
    put(text)
}

# The lines of a comment: what does not fit goes on in the next line, where that goes on with the same text.
function put_held(    i, text, rest, indent, next_indent)
{
    for (i = 0; i < held; i++) {
        text = prose(hold[i])
        match(text, /^ *\/\/ */)
        next_indent = substr(text, 1, RLENGTH)
        if (rest != "" && next_indent == indent && substr(text, RLENGTH + 1) !~ /[^ ]  +[^ ]/) {
            text = indent rest substr(text, RLENGTH + 1)
        } else {
            if (rest != "") put_all(indent rest, " ", indent)
            indent = next_indent
            if (match(text, /^ *\/\/   +[a-z_0-9.\[\], ]*[a-z_0-9\]]  +/)) indent = spaces_behind(text, RLENGTH)
        }
        rest = put_start(text, " ")
        if (rest == text) {
            put(text)
            rest = ""
        } else {
            sub(/^ +/, "", rest)
            rest = rest " "
        }
    }
    sub(/ +$/, "", rest)
    if (rest != "") put_all(indent rest, " ", indent)
    held = 0
}

# The slashes of a comment, and blanks up to column `width`.
function spaces_behind(text, width,    slashes)
{
    slashes = index(text, "//") + 1
    return substr(text, 1, slashes) sprintf("%" (width - slashes) "s", "")
}

function put_code(text,    indent, at)
{
    text = line_of(text)
    match(text, /^ */)
    indent = substr(text, 1, RLENGTH)
    at = index(text, "//")
    if (at && length(text) > 120) { # the comment goes before it
        put_all(indent substr(text, at), " ", indent "// ")
        text = substr(text, 1, at - 1)
        sub(/ +$/, "", text)
    }
    put_all(text, text ~ / [?:] / ? " [?:] " : " ", indent "    ")
}

# A declaration of a function is laid out anew.
function put_function(text,    open)
{
    text = code(text)
    open = index(text, "(")
    put_all(text, ", ", sprintf("%" (open < 60 ? open : 4) "s", ""))
}

# --- What a header is made of ----------------------------------------------------------------------------------------

function without_comment(text)
{
    sub(/ *\/\/.*/, "", text)
    return text
}

function is_made_by_macros(from, to,    i)
{
    for (i = from; i <= to; i++)
        if (lines[i] ~ /^ *#/ || without_comment(lines[i]) ~ /[A-Z_0-9]+\(/) return 1
    return 0
}

# What the macros of a list made, one a line.
function put_list(tag,    i, value)
{
    put("enum " public(tag) " {")
    for (i = 0; i < members[tag]; i++) {
        if (member[tag, i] in about) put_all("    // " about[member[tag, i]], " ", "    // ")
        value = member_value[tag, i]
        if (value ~ /^1(\+1)+$/) value = (length(value) + 1) / 2
        put("    " public(member[tag, i]) (value == "" ? "" : " = " code(value)) ",")
    }
    put("};")
}

# An enum on one line: one constant a line where it has become too long for that.
function put_enum_line(text,    at, part, parts, i)
{
    at = index(text, "//")
    if (length(code(without_comment(text))) <= 120) {
        put_code(text)
        return
    }
    if (at) put_all(prose(substr(text, at)), " ", "// ")
    text = code(without_comment(text))
    put(substr(text, 1, index(text, "{")))
    parts = split(substr(text, index(text, "{") + 1, index(text, "}") - index(text, "{") - 1), part, ",")
    for (i = 1; i <= parts; i++) {
        gsub(/^ +| +$/, "", part[i])
        put("    " part[i] ",")
    }
    put("};")
}

function enum_at(i,    end, tag, n)
{
    for (end = i; lines[end] !~ /}/ && end < count; ) end++
    tag = lines[i]
    sub(/^enum */, "", tag)
    sub(/ *{.*/, "", tag)
    if (is_made_by_macros(i, end)) put_list(tag)
    else if (i == end) put_enum_line(lines[i])
    else for (n = i; n <= end; n++) put_code(lines[n])
    return end
}

function function_at(i,    text, opened)
{
    text = lines[i]
    while (gsub(/\(/, "(", text) != gsub(/\)/, ")", text) || lines[i + 1] ~ /^ +__attribute__/) {
        sub(/^ +/, "", lines[++i])
        text = text (text ~ /\($/ ? "" : " ") lines[i]
    }
    put_function(text)
    return i
}

function end_of_macro(i)
{
    while (lines[i] ~ /\\$/) i++
    return i
}

function include_at(i,    file)
{
    file = lines[i]
    gsub(/^#include "|".*/, "", file)
    if (file ~ /^rules\//) return # what these have, the public rule.h has
    if (lines[i] ~ /^#include </) put(lines[i])
    else if (file in headers) put("#include <tmaref/" headers[file] ">")
    else fail("includes " file ", which is not public")
}

# One thing that begins at line i; returns its last line.
function thing_at(i)
{
    if (lines[i] ~ /^ *\/\/ clang-format/) return i
    if (lines[i] ~ /^ *\/\//) {
        hold[held++] = lines[i]
        return i
    }
    if (lines[i] ~ /^#define [A-Za-z_0-9]+\(/) {
        held = 0 # what is said of it goes with it
        return end_of_macro(i)
    }
    put_held()
    if (lines[i] ~ /^#(undef|pragma)/) return i
    if (lines[i] ~ /^#include/) include_at(i)
    else if (lines[i] ~ /^enum [a-z_0-9]* ?{/ || lines[i] ~ /^enum {/) return enum_at(i)
    else if (lines[i] ~ /^[a-z].*\(/ && lines[i] !~ /^(struct|union|enum) [a-z_0-9]* ?{/) return function_at(i)
    else put_code(lines[i])
    return i
}

# The last line of what includes and guards take; what follows is for C++ as C has it.
function end_of_head(    i, last)
{
    for (i = 1; i <= count; i++)
        if (lines[i] ~ /^#include ["<]/ && lines[i] !~ /\.def"/ || lines[i] ~ /^#define TMAREF_[A-Z_0-9]*_H$/) last = i
    return last
}

function fail(what)
{
    print path ": " what > "/dev/stderr"
    failed = 1
}

FNR == NR && $1 == "header" { headers[base($2)] = $2 }
FNR == NR && $1 == "tag" { tags[$2] }
FNR == NR && $1 == "function" || $1 == "inline" { functions[$2] }
FNR == NR && $1 == "enumerator" {
    member[$3, members[$3] + 0] = $2
    member_value[$3, members[$3]++ + 0] = $4
}
FNR == NR && $1 == "about" { about[$2] = substr($0, length("about " $2) + 2) }
FNR == NR {
    if ($1 != "tag" && $1 != "header") names[$2]
    next
}
{ lines[++count] = $0 }

END {
    head = end_of_head()
    for (tail = count; lines[tail] !~ /^#endif/ && tail > head; ) tail--
    for (i = 1; i <= head; i++) i = thing_at(i)
    put("")
    put("#ifdef __cplusplus")
    put("extern \"C\" {")
    put("#endif")
    put("")
    for (i = head + 1; i < tail; i++) i = thing_at(i)
    put_held()
    put("")
    put("#ifdef __cplusplus")
    put("}")
    put("#endif")
    put("")
    put(lines[tail])
    exit failed
}
