# SPDX-License-Identifier: MIT
# Reads a table of calls (driver_calls.def and its like) for what is not C: one line for each row,
#   NAME KIND SINCE UNTIL STREAMS WHY        WHY: of REFUSED and ALIAS, else -
# FIRST and LAST take the rows of some releases (12040 is CUDA 12.4), KINDS those of some kinds (a pattern). table=1 makes a
# table for C of them instead.
# usage: awk [-v first=FIRST -v last=LAST] [-v kinds=KINDS] [-v table=1] -f calls.awk TABLE
function end_row(    part, since, until, why) {
    if (row == "") return
    split(row, part, /[(), ]+/)
    since = until = part[3]
    sub(/_.*/, "", since)
    if (!sub(/.*_/, "", until)) until = 99999
    why = part[1] ~ /REFUSED|ALIAS/ ? part[5] : "-"
    if (part[1] ~ kinds && (last == "" || since + 0 <= last + 0) && until + 0 >= first + 0)
        print table ? row : part[2] " " part[1] " " since " " until " " (part[4] == "" ? "-" : part[4]) " " why
    row = ""
}
/^[A-Z_]+\(/ { end_row(); row = $0; next }
/^    / && row != "" { row = row substr($0, 4); next }
{ end_row() }
/^#/ && table # the directives of the table
END { end_row() }
