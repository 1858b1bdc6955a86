# SPDX-License-Identifier: MIT
# For the scripts of checks.
offences() { # prints what comes in, one offence a line, and returns 1 if anything came
    local lines
    lines=$(cat)
    [ -z "$lines" ] && return 0
    printf '%s\n' "$lines"
    return 1
}
