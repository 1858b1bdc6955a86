# SPDX-License-Identifier: MIT
# Which folder includes which, held against the tables of docs/architecture.md: no include that a table does not allow, no
# circle, no two headers of one name. Usage: awk -f folders.awk docs/architecture.md HEADERS INCLUDES; HEADERS are paths of
# headers, a line each, INCLUDES lines "FILE:#include "HEADER"". Headers that the build makes are of no folder.
function folder_of(path,    part, n) {
    n = split(path, part, "/")
    if (part[1] == "harness" && part[2] == "family" && n > 3) return "harness/family/" part[3]
    return (part[1] == "model" || part[1] == "harness") && n > 2 ? part[1] "/" part[2] : part[1]
}

function allow(from, names, prefix,    name, n, i) {
    listed[from]
    n = split(names, name, " ")
    for (i = 1; i <= n; i++)
        if (name[i] != "-") allowed[from, name[i] ~ /^(kernels|conformance|model|native)$/ ? name[i] : prefix name[i]]
}

function is_allowed(from, to) {
    if (from == "tests" || (from == "model" && to ~ /^model/) || (from, to) in allowed || (to ~ /^model/ && (from, "model") in allowed)) return 1
    if (from ~ /^harness/ && to ~ /^model/) return 1
    return from ~ /^harness\/family\// && (("harness/family/NAME", to) in allowed || to ~ /^harness\/(family|timeline|diagnose|watch)/)
}

# The tables: the column "may use" is the third one.
FNR == NR && /^\| folder/ { prefix = /`harness/ ? "harness/" : /`model/ ? "model/" : "" }
FNR == NR && /^\| `[A-Za-z\/_]+` \|/ && !done {
    split($0, cell, / *\| */)
    gsub(/`/, "", cell[2])
    if (cell[4] ~ /^[a-z\/_ -]+$/) allow(prefix cell[2], cell[4], prefix)
}
FNR == NR && /^## How large/ { done = 1 }
FNR == NR { next }

!/:/ {
    name = $0
    sub(/.*\//, "", name)
    if (name in header) print $0 ": " header[name] " has this name too; one name, one header"
    header[name] = $0
    next
}

{
    file = $0
    sub(/:.*/, "", file)
    name = $0
    sub(/^[^"]*"/, "", name)
    sub(/".*/, "", name)
    if (name ~ /^(rules|ids)\//) next
    sub(/.*\//, "", name)
    if (!(name in header)) next
    from = folder_of(file)
    to = folder_of(header[name])
    if (from == to) next
    if (!((from, to) in edge)) {
        edge[from, to] = file " includes " name
        if (!(from in node)) node[from]
        if (!(to in node)) node[to]
    }
    if (!is_allowed(from, to)) print file ": includes " name " of " to ", which docs/architecture.md does not allow " from
}

# A folder that uses none of those left, or is used by none, is in no circle.
function leaves(folder,    other, uses, is_used) {
    for (other in node) {
        if ((folder, other) in edge) uses = 1
        if ((other, folder) in edge) is_used = 1
    }
    return !uses || !is_used
}

END {
    for (pair in allowed) {
        split(pair, of, SUBSEP)
        if (!(pair in edge) && of[1] ~ /^harness/ && of[1] !~ /NAME$/)
            print "docs/architecture.md: " of[1] " may use " of[2] ", and does not"
    }
    do {
        removed = 0
        for (folder in node)
            if (leaves(folder)) {
                delete node[folder]
                removed = 1
            }
    } while (removed)
    for (from in node)
        for (to in node)
            if ((from, to) in edge) print "a circle of folders: " from " uses " to " (" edge[from, to] ")"
}
