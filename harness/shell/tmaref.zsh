#compdef tmaref
# SPDX-License-Identifier: MIT
# Completion of tmaref in zsh. The command itself says what can stand next: `tmaref --complete WORD... CURRENT`.

_tmaref() {
    local line word files
    local -a open closed # what a value follows, and what a blank follows
    for line in "${(@f)$(${(Q)words[1]} --complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
        word=${line%%$'\t'*}
        case $line in
        :files) files=yes ;;
        '') ;;
        *=$'\t'*) open+=("${word//:/\\:}:${line#*$'\t'}") ;;
        *$'\t'*) closed+=("${word//:/\\:}:${line#*$'\t'}") ;;
        *) closed+=("${word//:/\\:}") ;;
        esac
    done
    ((${#closed})) && _describe tmaref closed
    ((${#open})) && _describe tmaref open -S ''
    [[ -n $files ]] && { compset -P '--*='; _files }
}

if [ "$funcstack[1]" = _tmaref ]; then _tmaref "$@"; else compdef _tmaref tmaref; fi
