#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The programs of this folder under `tmaref exec`. usage: programs.sh NAME FOLDER; TMAREF is the command.
set -u
name=$1 folder=$2 failed=0

expect() { # expect WHAT PATTERN FILE
    grep -qE "$2" "$3" && return
    echo "$1: no line like '$2' in:"
    cat "$3"
    failed=1
}

run() { # run STATUS ARGUMENT...: into out and err
    local status=$1
    shift
    "$TMAREF" exec "$@" >"$scratch/out" 2>"$scratch/err"
    local got=$?
    [ $got = "$status" ] && return
    echo "$name: exit status $got, $status expected"
    cat "$scratch/out" "$scratch/err"
    failed=1
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
case $name in
broken)
    run 0 -- "$folder/broken"
    expect "$name" '^cudaErrorIllegalAddress$' "$scratch/out"
    expect "$name" 'CUDA_ERROR_ILLEGAL_ADDRESS \(700\)' "$scratch/err"
    expect "$name" "broken.cu:8" "$scratch/err"
    expect "$name" 'thread \((2[4-9]|3[01]),0,0\)' "$scratch/err"
    run 0 --json -- "$folder/broken"
    expect "$name" '"error": 700, "kernel": "_Z5shiftPKiPii".*"line": 8,' "$scratch/err"
    run 0 -- "$folder/broken" # the line is within a page of 2 MiB
    expect "$name" 'whole pages of 2 MiB, .*--bounds=pages' "$scratch/err"
    run 0 --bounds=pages -- "$folder/broken"
    expect "$name" '^cudaSuccess$' "$scratch/out"
    ;;
print)
    run 0 -- "$folder/print"
    printf 'thread %d of 2: text 2.50 c 123456789abc\n' 0 1 | cat - <(echo end) | diff - "$scratch/out" || failed=1
    ;;
dumps) # tmaref_dump.h, unchanged, and results: what an H200 wrote
    tar -xzf "$(dirname "$0")/recorded_dumps.tar.gz" -C "$scratch"
    for schedule in default late early shuffled; do
        run 0 --schedule $schedule --seed 5 -- "$folder/dumps" "$scratch"
        for file in swizzled.dump outside.dump plain.dump; do
            "$TMAREF" compare "$scratch/h200/$file" "$scratch/$file" || failed=1
        done
        "$TMAREF" compare --type f32 "$scratch/h200/sums.f32" "$scratch/sums.f32" || failed=1
    done
    ;;
wmma) # what an H200 printed
    for schedule in default late early shuffled; do
        run 0 --schedule $schedule --seed 5 -- "$folder/wmma"
        diff "$(dirname "$0")/programs/wmma.h200.txt" "$scratch/out" || failed=1
    done
    ;;
late_errors) # an H200 reports some errors of barriers late; exec reports them by the first call, and all others as an H200
    run 0 --quiet -- "$folder/late_errors"
    paste -d ' ' "$(dirname "$0")/programs/late_errors.h200.txt" "$scratch/out" | awk '
        { half = NF / 2; late = $2 == "at_once" && $1 ~ /^(arrive|arrive_drop|expect_tx|expect_tx_sum|complete_tx)$/ }
        { for (i = 1; i <= half; i++) {
              split($i, h200, "="); split($(i + half), exec, "=")
              if (h200[1] != exec[1] || h200[2] != exec[2] && !(late && h200[2] == 0 && exec[2] == 719)) { print; failed = 1; break }
          } }
        END { if (NR < 60) print NR " sequences"; exit failed || NR < 60 }' || failed=1
    ;;
children)
    for schedule in default late early shuffled; do
        run 0 --schedule $schedule --seed 7 --threads 2 -- "$folder/children"
        expect "$name" '^tmaref: a kernel: .*leaf.*: blockDim\[0\] is 2000, must be at most 1024 ' "$scratch/err"
        [ "$(grep -c '^tmaref:' "$scratch/err")" = 1 ] || { cat "$scratch/err"; failed=1; }
    done
    ;;
stripped)
    run 0 -- "$folder/stripped"
    # Another byte in a function that is not called: no archive has that code, but the names that it refers to are found.
    # Without those too, there is no way. `static` has the same code, with names.
    at=$(nm "$folder/static" | awk '$3 == "cudaGraphDebugDotPrint" { print $1 }')
    read -r address offset < <(readelf -SW "$folder/static" | sed -nE 's/.* \.text +PROGBITS +([0-9a-f]+) ([0-9a-f]+) .*/\1 \2/p')
    cp "$folder/stripped" "$scratch/altered"
    printf '\314' | dd of="$scratch/altered" bs=1 seek=$((16#$at - 16#$address + 16#$offset)) conv=notrunc status=none
    run 0 -- "$scratch/altered"
    [ -s "$scratch/err" ] && { cat "$scratch/err"; failed=1; }
    sed -i 's/\x00__cudaInitModule/\x00__cudaInitModulo/' "$scratch/altered"
    run 1 -- "$scratch/altered"
    expect "$name" 'its names were stripped, and no libcudart_static.a that it was linked with was found' "$scratch/err"
    ;;
stripped_host) # what asks for the private interface is not the runtime, so there is nothing to say
    run 0 -- "$folder/stripped_host"
    [ -s "$scratch/err" ] && { cat "$scratch/err"; failed=1; }
    expect "$name" '^the driver says 13000$' "$scratch/out"
    # Of a later release of the runtime, movl $13040, (%rdi), which no archive has.
    LC_ALL=C sed 's/\xc7\x07.\x32\x00\x00/\xc7\x07\xf0\x32\x00\x00/g' "$folder/stripped_host" >"$scratch/later"
    chmod +x "$scratch/later"
    run 0 -- "$scratch/later"
    expect "$name" '^the driver says 13040$' "$scratch/out"
    ;;
no_ptx)
    run 1 -- "$folder/no_ptx"
    expect "$name" 'carries machine code and no PTX; compile it with -lineinfo, .* or with -gencode' "$scratch/err"
    expect "$name" 'cudaErrorNoKernelImageForDevice' "$scratch/out"
    ;;
linked_no_ptx)
    run 1 -- "$folder/$name"
    expect "$name" 'part 1 of a program of -rdc=true: .* no PTX; compile it with -lineinfo' "$scratch/err"
    expect "$name" 'cudaErrorNoKernelImageForDevice' "$scratch/out"
    ;;
*)
    for schedule in default late early shuffled; do
        run 0 --quiet --schedule $schedule --seed 7 --threads 2 -- "$folder/$name"
        [ -s "$scratch/err" ] && { cat "$scratch/err"; failed=1; }
    done
    ;;
esac
exit $failed
