#!/bin/bash
# SPDX-License-Identifier: MIT
# Checks `tmaref watch` on programs that call the stand-in driver: run.sh TMAREF PROGRAMS_DIR DRIVER_DIR. Prints each
# failed check with what was seen, and exits 1 if there was one.
set -u
tmaref=$1 programs=$2
export LD_LIBRARY_PATH=$3${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
unset STANDIN LD_PRELOAD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
checks=0 failed=0

# watch [OPTION...] -- PROGRAM...: leaves its streams in $out and $err, its exit status in $status.
watch() {
    "$tmaref" watch "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$? out=$(<"$work/out") err=$(<"$work/err")
}

fail() {
    failed=$((failed + 1))
    printf 'FAILED: %s\n--- status %s, standard output:\n%s\n--- standard error:\n%s\n' "$1" "$status" "$out" "$err"
}

expect_status() {
    checks=$((checks + 1))
    [ "$status" = "$2" ] || fail "$1: exit status $2 expected"
}

expect_out() {
    checks=$((checks + 1))
    [ "$out" = "$2" ] || fail "$1: standard output '$2' expected"
}

# expect_text NAME TEXT, expect_no_text NAME TEXT: fixed strings in the report.
expect_text() {
    checks=$((checks + 1))
    [[ $err == *"$2"* ]] || fail "$1: '$2' expected in the report"
}

expect_no_text() {
    checks=$((checks + 1))
    [[ $err != *"$2"* ]] || fail "$1: '$2' not expected in the report"
}

every_way_is_seen() {
    local way
    for way in "watch_direct call" "watch_direct pointer" "watch_direct default" "watch_direct self" \
        "watch_fixed call" "watch_fixed pointer" "watch_fixed default" "watch_fixed self" "watch_dynamic dlsym" \
        "watch_dynamic address" "watch_dynamic address2" "watch_dynamic again" "watch_dynamic old"; do
        watch -- "$programs"/$way legal
        expect_status "$way" 0
        expect_out "$way" "answer 0"
        expect_text "$way" "call 1: cuTensorMapEncodeTiled"
        expect_text "$way" "call 1: the driver returned 0 CUDA_SUCCESS"
        expect_text "$way" "tmaref watch: 1 call, 0 refused, 0 warnings"
    done
    watch -- "$programs/watch_dynamic" absent legal
    expect_status "a driver that is not there stays absent" 9
}

arguments_are_named() {
    watch -- "$programs/watch_dynamic" dlsym legal
    expect_text "arguments" "tensorDataType           6 CU_TENSOR_MAP_DATA_TYPE_FLOAT16"
    expect_text "arguments" "globalAddress            0x10000"
    expect_text "arguments" "globalDim                {64, 32} at 0x"
    expect_text "arguments" "globalStrides            {128} at 0x"
    expect_text "arguments" "swizzle                  2 CU_TENSOR_MAP_SWIZZLE_64B"
    watch -- "$programs/watch_dynamic" again im2col
    expect_out "four calls" "answer 1"
    expect_text "four calls" "call 1: cuTensorMapEncodeIm2col "
    expect_text "four calls" "pixelBoxLowerCorner      {-1, -1} at 0x"
    expect_text "four calls" "call 2: cuTensorMapEncodeIm2colWide "
    expect_text "four calls" "mode                     1 CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128"
    expect_text "four calls" "call 3: cuTensorMapReplaceAddress "
    expect_text "four calls" "rule REPLACE_ADDRESS_ALIGN: globalAddress is 0x20001"
    expect_text "four calls" "4 calls, 1 refused"
}

refusals_are_explained() {
    watch -- "$programs/watch_dynamic" dlsym refused
    expect_status "refused" 0
    expect_out "refused" "answer 1"
    expect_text "refused" "rule MAP_BOX_DIM: boxDim[1] is 257, must be at most 256"
    expect_text "refused" "rule MAP_STRIDE_ALIGN: globalStrides[0] is 24, must be a multiple of 16, nearest legal value 32"
    expect_text "refused" "rule MAP_ELEMENT_STRIDE: elementStrides[1] is 9, must be at most 8"
    expect_text "refused" "returned 1 CUDA_ERROR_INVALID_VALUE"
    expect_no_text "refused" "DIFFER"
    watch -- "$programs/watch_dynamic" dlsym null
    expect_text "null" "rule MAP_NULL_POINTER: elementStrides is NULL"
    watch -- "$programs/watch_dynamic" dlsym rank
    expect_text "rank 6" "rule MAP_RANK: tensorRank is 6"
    expect_text "rank 6" "globalDim                {64, 32, 4, 4, 4} at 0x"
    watch -- "$programs/watch_dynamic" dlsym warned
    expect_text "warned" "warning, rule MAP_STRIDE_ORDER: globalStrides[0] is 64"
    expect_text "warned" "warning, rule MAP_OBJECT_ALIGN: tensorMap is 0x"
    expect_text "warned" "1 call, 0 refused, 2 warnings"
}

crashes_leave_a_report() {
    local action
    for action in huge corner unreadable; do
        watch -- "$programs/watch_dynamic" dlsym $action
        expect_status "$action" 139
        expect_text "$action" "call 1: cuTensorMapEncode"
        expect_text "$action" "1 did not return"
    done
    watch -- "$programs/watch_dynamic" dlsym abort
    expect_status "abort" 134
    watch -- "$programs/watch_dynamic" dlsym exit
    expect_status "exit" 3
    expect_text "exit" "1 call, 0 refused"
}

differences_are_loud() {
    export STANDIN=verdict
    watch --only-refused -- "$programs/watch_dynamic" dlsym legal
    expect_text "verdict" "MODEL AND DRIVER DIFFER: the model of an H200 breaks no rule here"
    STANDIN=bytes
    watch --only-refused -- "$programs/watch_dynamic" dlsym legal
    expect_text "bytes" "MODEL AND DRIVER DIFFER: both accept, but not the same 128 bytes"
    expect_text "bytes" "bytes  56 to  63: driver 0000000000000006, model 0000000000000007"
    STANDIN=context
    watch -- "$programs/watch_dynamic" dlsym legal
    expect_text "context" "returned 201 CUDA_ERROR_INVALID_CONTEXT: it did not judge the arguments"
    expect_no_text "context" "DIFFER"
    unset STANDIN
}

repeats_are_folded() {
    watch -- "$programs/watch_dynamic" dlsym threads
    # Of calls of several threads any may be the one that is told.
    local told=${err#*tmaref watch: } && told=${told%%: cuTensorMapEncodeTiled*}
    expect_text "repeats" "tmaref watch: $told was repeated 99 times, addresses apart"
    expect_text "repeats" "100 calls, 100 refused"
    checks=$((checks + 1))
    [ "$(grep -c 'refused, rule MAP_BOX_DIM' "$work/err")" = 1 ] || fail "repeats: one report expected"
    watch --every -- "$programs/watch_dynamic" dlsym threads
    expect_no_text "every call" "was repeated"
    checks=$((checks + 1))
    [ "$(grep -c 'refused, rule MAP_BOX_DIM' "$work/err")" = 100 ] || fail "every call: 100 reports expected"
    watch -- "$programs/watch_dynamic" again im2col
    expect_text "other calls are no repeats" "call 4: cuTensorMapReplaceAddress"
}

output_goes_where_it_is_sent() {
    watch --only-refused -- "$programs/watch_dynamic" dlsym legal
    expect_no_text "only-refused" "call 1"
    expect_text "only-refused" "1 call, 0 refused"
    watch --output "$work/report" -- "$programs/watch_dynamic" dlsym refused
    checks=$((checks + 1))
    [ -z "$err" ] || fail "--output: nothing expected on standard error"
    err=$(<"$work/report")
    expect_text "--output" "rule MAP_BOX_DIM"
    expect_text "--output" "1 call, 1 refused"
    watch --output /dev/stdout -- "$programs/watch_dynamic" dlsym legal
    err=$out
    expect_text "/dev/stdout" "answer 0"
    expect_text "/dev/stdout" "1 call, 0 refused"
    watch -- "$programs/watch_dynamic" dlsym closed
    expect_out "closed descriptors" "answer 0"
    expect_text "closed descriptors" "call 1: the driver returned 0"
    watch -- sh -c "'$programs/watch_dynamic' dlsym legal; '$programs/watch_direct' call legal"
    expect_text "children" "call 2: cuTensorMapEncodeTiled"
    expect_text "children" "2 calls, 0 refused"
}

json_is_valid() {
    watch --json --output "$work/report" -- "$programs/watch_dynamic" dlsym threads
    err=$(<"$work/report")
    expect_text "json" '{"event":"summary","processes":1,"calls":100,"refused":100,'
    expect_text "json" '"name":"CUDA_ERROR_INVALID_VALUE"'
    expect_text "json" '"index":1,"value":257,"limit":256,"nearest":256'
    checks=$((checks + 2))
    [ "$(wc -l <"$work/report")" = 201 ] || fail "json: 201 lines expected"
    [ "$(sed -n 's/^{"event":"call","call":\([0-9]*\),.*/\1/p' "$work/report" | sort -nu | wc -l)" = 100 ] ||
        fail "json: 100 call numbers expected"
    STANDIN=bytes watch --json -- "$programs/watch_dynamic" dlsym im2col
    cat "$work/err" >>"$work/report"
    watch --json -- "$programs/watch_dynamic" dlsym null
    cat "$work/err" >>"$work/report"
    checks=$((checks + 1))
    if command -v jq >/dev/null; then
        jq -e . "$work/report" >/dev/null || fail "json: every line is to be JSON"
    elif grep -qv '^{"event":".*}$' "$work/report"; then
        fail "json: every line is to be an object"
    fi
}

misuse_is_named() {
    watch
    expect_status "no program" 2
    expect_text "no program" "no program given"
    watch -- "$work/nothing"
    expect_status "missing program" 2
    expect_text "missing program" "cannot start the program $work/nothing: No such file or directory"
    watch --output "$work/nothing/file" -- true
    expect_status "bad output" 2
    expect_text "bad output" "cannot be written"
    watch --nonsense -- true
    expect_status "bad option" 2
    watch echo --json -- x
    expect_out "options of the program" "--json -- x"
    watch -- "$programs/watch_dynamic" dlsym nothing
    expect_text "no calls" "tmaref watch: 0 calls, 0 refused, 0 warnings"
}

# As installed, moved, and where it cannot work: no library at all, and a path that LD_PRELOAD cannot spell.
library_is_found() {
    local build=$tmaref
    mkdir -p "$work/moved/bin" "$work/moved/lib/tmaref" "$work/a blank"
    cp "$build" "$work/moved/bin/tmaref"
    tmaref=$work/moved/bin/tmaref
    watch -- "$programs/watch_dynamic" dlsym legal
    expect_status "no library" 2
    expect_text "no library" "libtmaref_watch.so is neither beside the tmaref command nor in its lib folder"
    cp "$(dirname "$build")/libtmaref_watch.so" "$work/moved/lib/tmaref"
    watch -- "$programs/watch_dynamic" dlsym legal
    expect_text "installed" "1 call, 0 refused"
    cp "$build" "$(dirname "$build")/libtmaref_watch.so" "$work/a blank"
    tmaref="$work/a blank/tmaref"
    watch -- "$programs/watch_dynamic" dlsym legal
    expect_status "path with a blank" 2
    expect_text "path with a blank" "cannot be preloaded"
    tmaref=$build
}

# Where there is no driver, that is what is said, and nothing of static programs.
missing_driver_is_named() {
    if [ -e /usr/lib/x86_64-linux-gnu/libcuda.so.1 ] || ldconfig -p | grep -q 'libcuda\.so\.1'; then
        echo "left out: a driver is installed here, so it cannot be missing"
        return
    fi
    local kept=$LD_LIBRARY_PATH
    unset LD_LIBRARY_PATH
    watch -- "$programs/watch_direct" legal
    export LD_LIBRARY_PATH=$kept
    expect_text "no driver" "there is no libcuda.so.1 here"
    expect_no_text "no driver" "statically linked"
}

every_way_is_seen
missing_driver_is_named
library_is_found
arguments_are_named
refusals_are_explained
crashes_leave_a_report
differences_are_loud
output_goes_where_it_is_sent
repeats_are_folded
json_is_valid
misuse_is_named
echo "$checks checks, $failed failed"
[ "$failed" = 0 ]
