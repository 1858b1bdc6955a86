# SPDX-License-Identifier: MIT
# What doxygen reads of a public header: a comment that stands right before a declaration becomes its documentation. The
# lines "//   name  text" of it become parameters, "returns" and "source" what doxygen has for them.

function escape(text)
{
    gsub(/[\\@#&<>%"]/, "\\\\&", text)
    gsub(/::/, "\\::", text)
    while (match(text, /`[^`]*`/))
        text = substr(text, 1, RSTART - 1) "<tt>" substr(text, RSTART + 1, RLENGTH - 2) "</tt>" substr(text, RSTART + RLENGTH)
    return text
}

# Is each name of "a, b" a parameter of the declaration that has not been spoken of?
function are_parameters(names, declaration,    name, n, i)
{
    n = split(names, name, /, */)
    for (i = 1; i <= n; i++)
        if (declaration !~ ("[ *(]" name[i] "[][0-9A-Z_]*[,)]") || (declaration, name[i]) in told) return 0
    for (i = 1; i <= n; i++) told[declaration, name[i]]
    return 1
}

# "//   name  text" of a comment.
function item(name, text, declaration)
{
    if (declaration ~ /\(/ && name ~ /^[a-z_, ]+$/ && are_parameters(name, declaration)) {
        gsub(/, +/, ",", name)
        return "@param " name " " text
    }
    if (name ~ /^returns/) return "@return " text
    if (name == "errors") return "@par Errors\n/// " text
    if (name == "source") return "@par Source\n/// " text
    return "- <tt>" name "</tt>: " text
}

function line_of(text, declaration,    name)
{
    sub(/^ *\/\/ ?/, "", text)
    if (text ~ /^  [^ ].*[^ ]  +[^ ]/ && text !~ /^  +[0-9]/) {
        sub(/^ +/, "", text)
        name = text
        sub(/  .*/, "", name)
        sub(/^.*[^ ]  +/, "", text)
        return item(escape(name), escape(text), declaration)
    }
    sub(/^ +/, "", text)
    return escape(text)
}

function put_block(declaration, first,    i)
{
    for (i = 0; i < held; i++) print (declaration == "" ? hold[i] : (i == 0 ? first : "/// ") line_of(hold[i], declaration))
    held = 0
}

# A comment behind code is about what stands before it.
function put_code(text,    at)
{
    at = match(text, /[,;] *\/\/ /)
    if (at) text = substr(text, 1, at) " ///< " escape(substr(text, RSTART + RLENGTH))
    print text
}

function declaration_at(i,    text)
{
    for (text = lines[i]; text !~ /[;{]/ && i < NR; ) text = text " " lines[++i]
    return text
}

{ lines[NR] = $0 }

END {
    for (i = 1; i <= NR; i++) {
        if (lines[i] ~ /SPDX/) continue
        if (lines[i] ~ /^ *\/\//) {
            hold[held++] = lines[i]
        } else {
            if (lines[i] ~ /^#ifndef/ && !has_file++)
                put_block(FILENAME ~ /\/tmaref\.h$/ ? "page" : "file", "/// " (FILENAME ~ /\/tmaref\.h$/ ? "@mainpage tmaref\n/// " : "@file\n/// "))
            else
                put_block(lines[i] ~ /^ *($|#i|\})/ ? "" : declaration_at(i), "/// ")
            put_code(lines[i])
        }
    }
}
