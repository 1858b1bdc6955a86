# SPDX-License-Identifier: MIT
# Completion of tmaref in bash. The command itself says what can stand next: `tmaref --complete WORD... CURRENT`.

_tmaref() {
    local i word words=()
    for ((i = 1; i <= COMP_CWORD; i++)); do # bash makes words of the = in --name=value
        word=${COMP_WORDS[i]}
        if [ "$word" != = ]; then words+=("$word"); elif [ "$i" = "$COMP_CWORD" ]; then words+=(""); fi
    done
    COMPREPLY=()
    while IFS=$'\t' read -r word _; do
        if [ "$word" = :files ]; then compopt -o default; else COMPREPLY+=("$word"); fi
    done < <("${COMP_WORDS[0]}" --complete "${words[@]}" 2>/dev/null)
    if [ ${#COMPREPLY[@]} = 1 ] && [ "${COMPREPLY[0]%=}" != "${COMPREPLY[0]}" ]; then compopt -o nospace; fi
}

complete -F _tmaref tmaref
