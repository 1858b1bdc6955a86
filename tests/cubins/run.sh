#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Programs that make cubins under `tmaref exec`. usage: run.sh PROGRAMS_FOLDER LIBRARIES_FOLDER; TMAREF is the command,
# DEVICE_RUNTIME libcudadevrt.a, where the libraries are NVIDIA's.
set -u
programs=$1 failed=0
export LD_LIBRARY_PATH=$2${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1

fail() {
    echo "$1:"
    cat out err
    failed=1
}

# expect STATUS PROGRAM SECTION OUT [ERR]: what it prints on both streams, but for what exec says where no kernel ran.
expect() {
    "$TMAREF" exec -- "$programs/$2" "$3" >out 2>err
    local got=$?
    [ $got = "$1" ] || fail "$2 $3: status $got, $1 expected"
    [ "$(<out)" = "$4" ] || fail "$2 $3: '$4' expected"
    [ "$(sed '/^tmaref exec: no kernel ran/,+1d' err)" = "${5-}" ] || fail "$2 $3: on standard error '${5-}' expected"
}

cp "$2/libnvrtc.so.13" other.so
export OTHER_NVRTC=$PWD/other.so
ran='the kernel ran' refused='cuModuleLoadData(&module, image): 209'
no_ptx='tmaref: cuModuleLoadData: the image is machine code (a cubin), without the PTX that it was made of: tmaref exec runs '
no_ptx+='PTX; make the cubin with -lineinfo (nvcc, ptxas), which keeps its PTX, or load the PTX instead (nvrtcGetPTX, nvcc -ptx)'
for program in maker_linked maker_finding; do
    expect 0 $program compiled "$ran"
    expect 1 $program other_gpu "$refused" \
        'tmaref: cuModuleLoadData: the cubin is for sm_80: an H200 loads those for sm_90 and sm_90a'
    expect 0 $program virtual "0 bytes"$'\n'"$ran"
    [ -n "${DEVICE_RUNTIME-}" ] || expect 1 $program no_ptx "$refused" "$no_ptx" # NVIDIA's always has the PTX
    expect 0 $program linked "$ran"
    expect 0 $program any "$ran"
    expect 0 $program lto "$ran"
    expect 0 $program driver_link "$ran"
    expect 0 $program two_copies "$ran"
    expect 0 $program reloaded "$ran"
    [ -z "${DEVICE_RUNTIME-}" ] || expect 0 $program lto_library "$ran"
done

# What the user preloads is preloaded, too. A path with a blank does not go into LD_PRELOAD; the name alone does.
shows() { # shows PATTERN WORD
    grep -qE -- "$1" <<<"$2" && return
    echo "not like '$1': $2"
    failed=1
}
shows '/exec/libtmaref_cubins\.so:/no/such\.so verify_asan_link_order=0:color=never$' \
    "$(LD_PRELOAD=/no/such.so ASAN_OPTIONS=color=never "$TMAREF" exec -- sh -c 'echo "$LD_PRELOAD $ASAN_OPTIONS"' 2>err)"
mkdir 'a blank'
cp -r "$TMAREF" "${TMAREF%/*}/exec" 'a blank'
TMAREF="$PWD/a blank/tmaref"
shows '^libtmaref_cubins\.so$' "$("$TMAREF" exec -- sh -c 'echo "$LD_PRELOAD"' 2>err)"
expect 0 maker_linked compiled "$ran"
exit $failed
