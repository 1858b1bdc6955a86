#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `tmaref` itself and `tmaref list`: no command, unknown ones, help, and streams that are closed or full.
. "$(dirname "$0")/expect.sh" || exit 2

run 2
err "Usage: tmaref COMMAND"
quiet
for name in '' lst 'list ' LIST -x --list; do
    run 2 "$name"
    err "there is no command '$name'"
    quiet
done
# Mistyped names: what was meant is said.
meant() { # meant "WORDS" ARGUMENT...
    local words=$1
    shift
    run 2 "$@"
    err "$words"
    quiet
}
meant "did you mean replay?" reply
meant "did you mean diagnose?" diagnos
meant "did you mean load?" diff -f laod model model
meant "did you mean gpu?" diff -f load model gpus
meant "did you mean model?" run -f load -x modl
meant "did you mean mbarrier?" coverage --closing mbarier
meant "did you mean gemm-pingpong, gemm-pingpong-turned?" run gemm-pingpon
meant "did you mean gemm-pingpong, gemm-pingpong-turned, ladder-pingpong?" run pingpong
for name in half fp16; do meant "did you mean f16?" encode --dtype $name --dim 64 --box 64; done
meant "did you mean FLOAT16, " swizzle 128B --dtype float16_
meant "FP8 moves as u8" explain --dtype e4m3 --dim 64 --box 64
meant "did you mean f32?" encode --dtype float --dim 64 --box 64
meant "did you mean TFLOAT32, TFLOAT32_FTZ?" encode --dtype tfloat --dim 64 --box 64
for name in --help -h help; do
    run 0 "$name"
    out "Usage: tmaref COMMAND"
done
run 2 help nothing
err "there is no command 'nothing'"
for name in --version -V; do
    run 0 "$name"
    out "tmaref "
done

# Every command that the help names has a help of its own, and refuses an option that it does not know.
"$TMAREF" --help | sed -n 's/^  \([a-z]*\) .*/\1/p' >"$work/commands"
check "no commands in the help" test "$(wc -l <"$work/commands")" -ge 8
while read -r name; do
    for option in --help -h; do
        run 0 "$name" $option
        out "Usage: tmaref $name"
    done
    run 0 "$name" -V
    out "tmaref "
    run 0 help "$name"
    out "Usage: tmaref $name"
    run 2 "$name" --no-such-option
    err "there is no option '--no-such-option'"
    quiet
done <"$work/commands"

run 0 list
out "families:"
out "executors:"
run 0 list --rules
out "MAP_BOX_DIM"
rules=$(wc -l <"$work/out")
run 0 list --rules --json
json '"MAP_NULL_POINTER"' 0 id
check "as many rules as lines" test "$("$JSON_CHECK" <"$work/out" && grep -c '"id"' "$work/out")" -eq "$rules"
run 0 list --error 716
out "LOAD_SMEM_ALIGN"
no_out "LOAD_SMEM_BOUNDS"
check "fewer rules behind an error" test "$(wc -l <"$work/out")" -lt "$rules"
run 0 list --error misalignedaddress --json
json 716 0 cuda_error
run 0 list --error silent
out "MBARRIER_INIT_COUNT"
no_out "FAULT"
run 2 list --error 717000
err "'717000' is not the CUDA error"
run 0 list --json
json '"the C reference model, on this CPU"' executors model
json '"programs of mbarrier operations: words, tokens, waits and faults"' families mbarrier
run 2 list rules
quiet

# A rule's id, as list prints it, is one that explain knows.
"$TMAREF" list --rules | awk 'NR % 20 == 1 { print $1 }' >"$work/ids"
while read -r id; do
    run 0 explain "$id"
    out "$id"
done <"$work/ids"

# Nothing to work on.
run 2 run -f load -n 0
err "--cases is 0: there is no case to run"
mkdir "$work/empty" && cd "$work/empty" || exit 2
for command in replay coverage; do
    run 2 $command
    err "no trace is named, there is no folder 'traces' here, and none was installed"
done
cd "$OLDPWD" || exit 2

# Standard output that cannot be written to.
hex=$("$TMAREF" encode --dtype f16 --dim 64 --box 64 | head -1)
full() { # full ARGUMENT...
    what="$* >/dev/full"
    "$TMAREF" "$@" >/dev/full 2>"$work/err"
    check "exit status on a full disk" test $? -eq 2
    err "standard output"
    what="$* >&-"
    "$TMAREF" "$@" >&- 2>"$work/err"
    check "exit status with standard output closed" test $? -eq 2
    err "standard output"
}
full list
full help
full encode --help
full list --rules --json
full encode --dtype f16 --dim 64 --box 64
full decode "$hex"
full decode --json "$hex"
full explain 716
full explain --dtype f16 --dim 64 --box 64

# Input that is closed, or cannot be read.
for name in encode decode; do
    what="$name - <&-"
    "$TMAREF" "$name" - <&- >"$work/out" 2>"$work/err"
    check "exit status with standard input closed" test $? -eq 2
    err "tmaref $name: "
    run 2 "$name" "$work"
    err "Is a directory"
    run 2 "$name" "$work/nowhere"
    err "$work/nowhere"
done
if [ "$(id -u)" -ne 0 ]; then
    echo 00 >"$work/secret" && chmod 0 "$work/secret"
    run 2 decode "$work/secret"
    err "Permission denied"
fi
finish
