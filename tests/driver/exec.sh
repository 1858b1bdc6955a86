#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `tmaref exec` itself: options and exit statuses. TMAREF is the command, CALLS a program.
set -u
failed=0
scratch=$(mktemp)
trap 'rm -f "$scratch"' EXIT

expect() { # expect STATUS PATTERN ARGUMENT...
    local status=$1 pattern=$2
    shift 2
    "$TMAREF" exec "$@" >"$scratch" 2>&1
    local got=$?
    [ $got = "$status" ] && { [ -z "$pattern" ] || grep -qE -- "$pattern" "$scratch"; } && return
    echo "tmaref exec $*: status $got ($status expected), and not like '$pattern':"
    cat "$scratch"
    failed=1
}

expect 2 'no program given'
expect 2 'cannot start the program /no/such/program: No such file' -- /no/such/program
# What people type instead of a program.
expect 2 'x.cu is a source: compile it \(nvcc -arch=sm_90a -lineinfo x.cu -o x\), and type: tmaref exec -- ./x$' -- x.cu
expect 2 'type: tmaref exec -- python3 ./script.py$' -- ./script.py
(cd "$(dirname "$CALLS")" && expect 2 'it is not in PATH; did you mean ./'"${CALLS##*/}"'\?$' -- "${CALLS##*/}" && exit $failed) || failed=1
# The files of --trace and --coverage: none of a program that did not start, and a word of one that ran no kernel.
files=$(mktemp -d)
trap 'rm -rf "$scratch" "$files"' EXIT
expect 2 'cannot start' --trace "$files/t" --coverage "$files/c" -- /no/such/program
expect 2 '--trace and --coverage name one file' --trace "$files/y" --coverage "$files/./y" -- true
[ -z "$(ls "$files")" ] || { echo "a program that did not start left files"; failed=1; }
expect 1 'no kernel was recorded: .*/t is empty' --trace "$files/t" -- false
expect 0 'no kernel was recorded: .*/c is empty' --coverage "$files/c" -- true
echo old >"$files/c"
expect 0 'no kernel was recorded: .*/c is as it was' --coverage "$files/c" -- true
expect 2 "--schedule is default, late, early, shuffled, pct or delay, not 'fast'" --schedule fast -- true
expect 2 "--schedule is .*, not 'late early'" --schedule 'late early' -- true
expect 2 "--threads takes a whole number from 0 to 64, not '65'" --threads 65 -- true
expect 2 "--threads takes a whole number from 0 to 64, not '-1'" --threads -1 -- true
expect 2 "--limit-seconds takes a whole number from 0 to 4294967295, not '-1'" --limit-seconds=-1 -- true
expect 2 "--device is h200 or h100, not 'a100'" --device a100 -- true
expect 2 "--cuda takes a whole number from 12000 to 99990, not '13.5'" --cuda 13.5 -- true
expect 2 "--seed takes a whole number from 0 to 18446744073709551615, not '-1'" --seed=-1 -- true
expect 3 '' -- sh -c 'exit 3'
expect 143 '' -- sh -c 'kill -TERM $$'
# A library that is not there: the loader names it, and exec says what to do.
expect 127 'linked with libcublas.so.99: tmaref does not have it' -- "${NEEDS}_cublas"
expect 127 'linked with libnvrtc.so.99: it needs no GPU' -- "${NEEDS}_nvrtc"
PATH=${NEEDS%/*}:$PATH expect 127 'linked with libcudart.so.99: tmaref has the runtimes of CUDA 11, 12 and 13' -- needs_cudart
expect 127 '^$' -- sh -c 'echo; exit 127'
expect 127 'libcurl.so.99: cannot open' -- "${NEEDS}_curl"
grep 'linked with' "$scratch" && failed=1 # it is none of CUDA
expect 0 '/exec(:|$)' -- sh -c 'echo "$LD_LIBRARY_PATH"'
expect 0 '^shuffled 5 2 h100$' -S shuffled -s 5 -t 2 --device h100 -- \
    sh -c 'echo $TMAREF_SCHEDULE $TMAREF_SEED $TMAREF_THREADS $TMAREF_DEVICE'

# A map that the driver refuses: every rule, as `tmaref encode` prints it.
expect 0 '^tmaref: cuTensorMapEncodeTiled: returns CUDA_ERROR_INVALID_VALUE \(1\):$' -- "$CALLS" maps
expect 0 '^  refused, rule MAP_BOX_DIM: boxDim\[[01]\] is [0-9]+, must be at (most 256|least 1)' -- "$CALLS" maps
expect 0 '^  refused, rule MAP_INNER_BYTES: boxDim\[0\] is 257, must be a multiple of 4, nearest legal value 256$' -- "$CALLS" maps

# At the end the refusal is one sentence, as the rest has been told.
expect 0 'no kernel ran; the first refusal was cuTensorMapEncodeTiled: returns CUDA_ERROR_INVALID_VALUE \(1\): refused, rule MAP_[A-Z_]+: [^.]*$' -- "$CALLS" maps
expect 0 'the message of that call, above, says which argument to correct' -- "$CALLS" maps

# No kernel ran, though the program asked for one: not where one ran, in whatever process, nor where nothing was refused.
told='no kernel ran; the first refusal was cuTensorMapEncodeTiled: returns CUDA_ERROR_INVALID_VALUE'
ptx=$(dirname "$0")/ptx
silent() { # silent ARGUMENT...
    expect 0 '' "$@"
    grep 'no kernel ran' "$scratch" && { echo "tmaref exec $*: says so"; failed=1; }
}
expect 0 "$told" -- "$CALLS" maps
expect 0 "$told" -- sh -c '"$1" maps & "$1" names; wait' - "$CALLS"
expect 9 "$told" -- sh -c '"$1" maps; exit 9' - "$CALLS"
silent -q -- "$CALLS" maps
silent -- "$CALLS" names
silent -- true
silent -- sh -c '"$1" maps; "$2" "$3" right 1 64; "$1" maps' - "$CALLS" "$RUN_PTX" "$ptx/checks.ptx"
silent -- sh -c '"$1" "$2" load; true' - "$RUN_PTX" "$ptx/faults.ptx" # it failed, and its report says so
expect 0 'no kernel ran; the first refusal was cuModuleLoadData: .*machine code' -- \
    sh -c 'printf "\177ELF\2\1\1%057d" 0 >"$3"; "$1" "$3" k; rm "$3"' - "$RUN_PTX" "" "$files/k.cubin"
expect 0 'type: nvcc -arch=sm_90a -lineinfo' -- sh -c 'printf "\177ELF\2\1\1%057d" 0 >"$3"; "$1" "$3" k; rm "$3"' - \
    "$RUN_PTX" "" "$files/k.cubin"
TMPDIR=/no/such/folder expect 0 "$told" -- "$CALLS" maps # the notes lie in no folder

# What Triton finds: a ptxas that gives PTX on, and says so in its version. A user's own stays.
expect 0 'tmaref.*release 13\.0, V13' -- sh -c '"$TRITON_PTXAS_PATH" --version'
if [ -e "$(dirname "$TMAREF")/exec/libtmaref_cubins.so" ]; then # a sanitized build preloads nothing
    mkdir -p "$files/triton/_C" "$files/triton/backends/nvidia/bin" # as in Triton's wheel; `sh` is the Triton that asks
    cp "$(dirname "$TMAREF")/exec/libtmaref_cubins.so" "$files/triton/_C/libtriton.so"
    printf '#!/bin/sh\necho "Cuda compilation tools, release 12.8, V12.8.93"\n' >"$files/triton/backends/nvidia/bin/ptxas"
    chmod +x "$files/triton/backends/nvidia/bin/ptxas"
    asked='LD_PRELOAD=$LD_PRELOAD:$1/triton/_C/libtriton.so sh -c "\"\$TRITON_PTXAS_PATH\" --version; true"'
    expect 0 'tmaref.*tools, release 12\.8, V12\.8\.93$' -- sh -c "$asked" - "$files"
    touch "$files/triton/backends/nvidia/bin/ptxas-blackwell"
    expect 0 'tmaref.*release 13\.0, V13' -- sh -c "$asked" - "$files"
fi
TRITON_PTXAS_PATH=/mine expect 0 '^/mine .*/exec .*/exec/ptxas$' -- \
    sh -c 'echo "$TRITON_PTXAS_PATH $TRITON_LIBCUDA_PATH $TRITON_PTXAS_BLACKWELL_PATH"'
expect 0 '^\.version 8\.6$' -- sh -c 'echo .version 8.6 >"$1.ptx"
    "$TRITON_PTXAS_PATH" -lineinfo -v --opt-level 0 --gpu-name=sm_90a "$1.ptx" -o "$1.cubin" && cat "$1.cubin"
    rm -f "$1.ptx" "$1.cubin"' - "$scratch"
expect 2 'write: ptxas .* FILE -o OUTPUT' -- sh -c '"$TRITON_PTXAS_PATH" -v kernel.ptx'
expect 1 'cannot read /no/such/file' -- sh -c '"$TRITON_PTXAS_PATH" /no/such/file -o /dev/null'
expect 0 '^ 012 0 $' -- sh -c 'echo .version 8.6 >"$1.ptx" && "$TRITON_PTXAS_PATH" "$1.ptx" -o "$1.cubin"
    tail -c 2 "$1.cubin" | od -An -b | sed "s/ 000/ 0 /"; rm -f "$1.ptx" "$1.cubin"' - "$scratch"
# A nvcc that the program runs keeps the PTX; CuPy asks for no machine code.
NVCC_APPEND_FLAGS=-O1 CUPY_ACCELERATORS=cub expect 0 '^-lineinfo -O1 cub$' -- sh -c 'echo "$NVCC_APPEND_FLAGS $CUPY_ACCELERATORS"'
XLA_FLAGS=--mine=1 expect 0 '^--xla_gpu_generate_line_info=true .* --mine=1$' -- sh -c 'echo "$XLA_FLAGS"'
XLA_FLAGS=/a/file expect 0 '^/a/file$' -- sh -c 'echo "$XLA_FLAGS"'
expect 0 '^-lineinfo -$' -- sh -c 'echo "$NVCC_APPEND_FLAGS $CUPY_ACCELERATORS-"'

TMAREF_SCHEDULE=lat expect 1 "TMAREF_SCHEDULE is 'lat', which is not one of" -q -- "$CALLS" names
TMAREF_SEED=x expect 1 "TMAREF_SEED is 'x', which is not a whole number" -- "$CALLS" names
LD_LIBRARY_PATH=$(printf '/none/%.0s' {1..6000}) expect 0 '^[0-9]{5}$' -- sh -c 'echo ${#LD_LIBRARY_PATH}'
# The executor sim says what is wrong with the environment, too.
TMAREF_SCHEDULE=lat "$TMAREF" replay -x sim "$(dirname "$0")/../../traces/sm_90a/load_claims.jsonl" >"$scratch" 2>&1
grep -q "TMAREF_SCHEDULE is 'lat', which is not one of" "$scratch" || { cat "$scratch"; failed=1; }
exit $failed
