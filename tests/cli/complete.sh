#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What the command says to shells that complete a line, and what bash, zsh and fish make of it. Argument: harness/shell.
. "$(dirname "$0")/expect.sh" || exit 2
scripts=$(cd "${1:?the folder harness/shell}" && pwd) || exit 2

same_words() { # same_words "WORD..." <LINES: a word each, what it means behind a tab
    local got
    got=$(cut -f 1 | tr '\n' ' ')
    check "the words are '${got% }' and not '$1'" test "${got% }" = "$1"
}
words() { # words "WORD..." ARGUMENT...: these can stand in place of the last argument
    local want=$1
    shift
    run 0 --complete "$@"
    same_words "$want" <"$work/out"
}

words "encode" enc
words "--swizzle=" encode --sw
words "none 32B 64B 128B" encode --dtype f16 --swizzle ""
words "--swizzle=128B" encode --swizzle=1
words "--tensor-data-type=bf16" encode --tensor-data-type=b # an alias
words "load ladder" diff -f l
words "model gpu sim command:PROGRAM" replay --executor ""
words "model" diff -f load m
words "gemm-pingpong gemm-pingpong-turned" run gemm-p
words "--cluster=" run gemm-pingpong --clu
words "MAP_STRIDE_ALIGN MAP_STRIDE_ALIGN_32" explain MAP_STRIDE_A
words "test_wait test_wait.parity" mbarrier "init 1" test
words ":files" replay ""
words "--raw=" encode --raw
words ":files" encode --raw=
words ":files" encode --raw x
words "" encode --dim=
words "" encode --nosuch=
words "--schedule=" exec --seed 3 --sch
words ":files" exec -- ""
words ":files" exec --schedule late ./program --sch # what follows the program is the program's
words ":files" exec touch "$work/started" ""
check "the program was started" test ! -e "$work/started"
run 2 --complete nosuch ""
err "Try 'tmaref --help'."
words "help" he
words "--help" --h
words "--help --version" --
words "encode" help en
words "" help encode --sw

# Every value that is offered is taken.
for option in dtype interleave swizzle l2-promotion oob-fill wide; do
    run 0 --complete encode --$option ""
    cp "$work/out" "$work/values"
    check "there are not two values" test "$(wc -l <"$work/values")" -ge 2
    while read -r value; do
        what="encode --$option=$value"
        "$TMAREF" encode --dtype u8 --dim 64,64,64,64 --lower-corner=0 --upper-corner=0 --channels 16 --pixels 16 \
            --wide W "--$option=$value" >"$work/out" 2>"$work/err"
        [ $? -ne 2 ]
        check "a word that is offered is not taken" test $? -eq 0
    done <"$work/values"
done

# The shells: each runs the command by its name.
mkdir "$work/bin" && ln -s "$TMAREF" "$work/bin/tmaref" && PATH=$work/bin:$PATH
touch "$work/tile one.dump"
have() { command -v "$1" >/dev/null || { echo "skipped: completion in $1; there is no $1 here"; return 1; }; }

in_bash() { # in_bash "WORD..." LINE: what bash makes of the line, with the cursor at its end
    what="completion in bash of: $2"
    bash --norc -c '. "$1"
        read -r -a parts <<<"${2//=/ = }"
        [ "${2% }" = "$2" ] || parts+=("")
        COMP_WORDS=("${parts[@]}") COMP_CWORD=$((${#parts[@]} - 1))
        compopt() { echo "compopt $*"; } # it works in a completion alone
        _tmaref
        printf "%s\n" "${COMPREPLY[@]}"' bash "$scripts/tmaref.bash" "$2" 2>"$work/err" | same_words "$1"
}
in_bash "encode" "tmaref enc"
in_bash "help" "tmaref he"
in_bash "encode" "tmaref help en"
in_bash "compopt -o nospace --swizzle=" "tmaref encode --sw"
in_bash "none 32B 64B 128B" "tmaref encode --swizzle="
in_bash "128B" "tmaref encode --swizzle=1"
in_bash "f16 f32 f64 f32.ftz" "tmaref encode --swizzle=128B --dtype f"
in_bash "load ladder" "tmaref diff --family=l"
in_bash "compopt -o default " "tmaref replay "
what="bash: complete -p tmaref"
check "tmaref is not completed" bash --norc -c '. "$1" && complete -p tmaref' bash "$scripts/tmaref.bash" >/dev/null

if have zsh; then
    in_zsh() { # in_zsh "WORD..." WORD...: with a shell's own functions in place of those of its line editor
        what="completion in zsh of: ${*:2}"
        zsh -f -c 'compdef() { }
            _describe() { print -rl -- "${(@P)2}" | sed "s/:.*//" }
            _files() { print files }
            compset() { }
            . $1
            shift
            words=("$@") CURRENT=$#
            _tmaref' zsh "$scripts/tmaref.zsh" "${@:2}" 2>"$work/err" | same_words "$1"
        check "zsh complains" test ! -s "$work/err"
    }
    in_zsh "encode" tmaref enc
    in_zsh "--swizzle=" tmaref encode --sw
    in_zsh "--swizzle=128B" tmaref encode --swizzle=1
    in_zsh "load ladder" tmaref diff --family l
    in_zsh "files" tmaref replay ""
fi

if have fish; then
    in_fish() { # in_fish "WORD..." LINE
        what="completion in fish of: $2"
        (cd "$work" && HOME=$work fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$scripts/tmaref.fish" "$2") \
            2>"$work/err" | same_words "$1"
        check "fish complains" test ! -s "$work/err"
    }
    in_fish "encode" "tmaref enc"
    in_fish "--swizzle=" "tmaref encode --sw"
    in_fish "--swizzle=128B" "tmaref encode --swizzle=1"
    in_fish "ladder load" "tmaref diff --family l"
    in_fish "tile one.dump" "tmaref replay til"
    in_fish "--raw=tile one.dump" "tmaref encode --raw=til"
fi
finish
