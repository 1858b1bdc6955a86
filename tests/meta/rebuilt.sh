#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# How many objects a change of a table compiles again, by what ninja recorded of the last build, held against the most that
# it may be. Usage: rebuilt.sh BUILD [table]: as a table for docs/architecture.md. Skipped (77) where the build is not ninja's; objects that are not built do not count.
set -eu
build=$1 as=${2:-lines}
[ -f "$build/.ninja_deps" ] || { echo "rebuilt: $build is not a build of ninja's"; exit 77; }
ninja -C "$build" -t deps | awk -v as="$as" '
    # What changes, the files of which one then does, and the most objects that may include one of them.
    function limit(change, files, most) { changes[++n] = change; pattern[n] = files; mosts[n] = most }
    BEGIN {
        limit("a sentence of a rule", "/core/rules[.]def$", 3)
        limit("a new rule", "(^|/)ids/rules/.*[.]h$|(^|/)ids/rule_ids[.]def$", 60)
        limit("a new instruction form", "(^|/)ids/form_ids[.]def$", 30)
        limit("a column of an instruction form", "/ptx/forms[.]def$", 3)
        limit("a call of the driver", "/driver/driver_calls[.]def$", 130)
        limit("a call that tmaref makes of a driver", "(^|/)ids/made_calls[.]def$", 110)
        limit("a call of the runtime", "/cudart/release_calls[.]def$", 70)
        limit("a column of a family", "/family/families[.]def$", 5)
    }
    /^[^ ].*: #deps/ { objects++ }
    /^ / { for (i = 1; i <= n; i++) if ($1 ~ pattern[i] && ++count[i, $1] > count[i, most[i]]) most[i] = $1 }
    END {
        if (as == "table") print "| a change of | compiles again | at most |\n|---|---|---|"
        for (i = 1; i <= n; i++) {
            had = count[i, most[i]]
            printf as == "table" ? "| %s | %d of %d objects | %d |\n" : "%s: %d of %d objects, at most %d\n", \
                changes[i], had, objects, mosts[i]
            if (had > mosts[i]) {
                print "rebuilt: too many include " most[i] ": take the id out of a header, or ask the table by a call"
                failed = 1
            }
            if (had == 0) {
                print "rebuilt: nothing includes " pattern[i] "; is it built?"
                failed = 1
            }
        }
        exit failed
    }'
