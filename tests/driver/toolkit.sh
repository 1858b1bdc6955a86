#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Has a toolkit of CUDA a call that the tables of calls do not have, or with other parameters? FOLDER is a toolkit, or holds
# unpacked wheels of one release: nvidia-cuda-runtime, nvidia-cuda-nvcc or nvidia-cuda-crt, nvidia-cuda-profiler-api and
# nvidia-nvml-dev (those of CUDA 12 end in -cu12).
# usage: toolkit.sh FOLDER...    (CC: the compiler)
set -u
here=$(dirname "$0") model=$(dirname "$0")/../../model
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT

# cudaTypedefs.h of a later toolkit says that these came before the cuda.h that is the first to have them; and CUDA 12.1's
# nvml.h lacks three calls that those of 12.0 and 12.2 have.
late='^((cuMemBatchDecompressAsync|cuGreenCtxGetId|cuLaunchHostFunc_v2|cuStream(Begin|End)CaptureToCig)(_ptsz)?'
late+='|nvmlDeviceGetVgpuScheduler(Capabilities|Log|State))$'

rows() { awk -v first="$2" -v last="$3" -v table="${4:-}" -f "$here/../../cmake/calls.awk" "$model/$1/$1_calls.def"; }
names() { awk '{ print $1; if ($5 != "-") print $1 $5 }' | LC_ALL=C sort; }
shown() { nm "$@" 2>/dev/null | awk '$2 ~ /[TWV]/ { sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort -u; }

# declared FOLDER HEADER... -- the names that are followed by parameters
declared() {
    local folder=$1 flags
    shift
    mapfile -t flags < <(find -L "$folder" -type d -name include -printf '-isystem\n%p\n')
    printf '#include <%s>\n' "$@" | "${CC:-cc}" -E -P -D__CUDA_API_VERSION_INTERNAL -DNVML_NO_UNVERSIONED_FUNC_DEFS "${flags[@]}" - 2>"$temporary/errors" |
        tr '\n' ' ' | grep -oE '\b(cu|cuda|nvml)[A-Z][A-Za-z0-9_]* *\(' | tr -d ' (' | LC_ALL=C sort -u
    sed 's/^/    /' "$temporary/errors"
}

# gap WHAT THEIRS OURS: prints what only one of two sorted files has
gap() {
    local only
    echo "${1##*/} $(wc -l <"$2")" >>"$temporary/compared"
    only=$(LC_ALL=C comm -23 "$2" "$3" | tr '\n' ' ')
    [ -z "$only" ] || echo "$1: without a row: $only"
    only=$(LC_ALL=C comm -13 "$2" "$3" | grep -vE "$late" | tr '\n' ' ')
    [ -z "$only" ] || echo "$1: a row, and not in this release: $only"
}

# Of the rows of a table, those that the headers declare. A few have other types there, and the same bytes: a pointer to a
# union, which is any pointer here; one to enumerators that may be negative; a struct of NVML by another name.
declared_rows() {
    local other='^cu(da)?((Stream|GraphKernelNode)[GS]etAttribute|DeviceGet(Host|P2P)AtomicCapabilities)$'
    other+='|^nvmlDeviceGet(BAR1MemoryInfo|ComputeRunningProcesses|PciInfoExt)$'
    awk -F '[(,]' -v other="$other" 'FNR == NR { is[$1] = 1; next } /^#/ || ($2 in is && $2 !~ other)' \
        "$temporary/declared" - >"$temporary/$1_rows.def"
}

# compile FILE FLAG...: prints the errors
compile() { "${CC:-cc}" -fsyntax-only -w "${@:2}" -I "$temporary" "$here/$1" 2>&1 | grep error | head -n 40; }

check() {
    local folder=$1 release=$2 library flags profiler=()
    mapfile -t flags < <(find -L "$folder" -type d -name include -printf '-isystem\n%p\n')
    rows driver 0 "$release" | names >"$temporary/ours"
    if [ -n "$(find -L "$folder" -name cudaProfiler.h -print -quit)" ]; then
        profiler=(cudaProfiler.h)
    else # it is in a wheel of its own
        sed -i '/^cuProfiler/d' "$temporary/ours"
    fi
    declared "$folder" cuda.h "${profiler[@]}" >"$temporary/theirs"
    gap "cuda.h" "$temporary/theirs" "$temporary/ours"
    while read -r library; do
        shown -D --defined-only "$library" >"$temporary/theirs"
        gap "$library" "$temporary/theirs" "$temporary/ours"
    done < <(find -L "$folder" -path '*/stubs/libcuda.so')
    while read -r library; do
        grep -sohE 'PFN_cu\w+_v[0-9]+\)?\(' "$library" "${library%/*}/cudaProfilerTypedefs.h" |
            sed -E 's/PFN_(cu.*)_v([0-9]+).*/\1@\2/' | LC_ALL=C sort -u >"$temporary/theirs"
        rows driver 0 "$release" | sed -E 's/^(cu[A-Za-z0-9]+)(_v[0-9]+)? [A-Z]+ ([0-9]+).*/\1@\3/' |
            LC_ALL=C sort -u >"$temporary/ours"
        LC_ALL=C comm -12 "$temporary/theirs" "$temporary/ours" >"$temporary/both" # it lacks some that a later one has
        gap "$library" "$temporary/theirs" "$temporary/both"
    done < <(find -L "$folder" -name cudaTypedefs.h)
    rows runtime "$release" "$release" | names >"$temporary/ours"
    while read -r library; do
        if [[ $library = *.a ]]; then shown "$library" | grep -E '^_*cuda'; else shown -D --defined-only "$library"; fi >"$temporary/theirs"
        gap "$library" "$temporary/theirs" "$temporary/ours"
    done < <(find -L "$folder" -name 'libcudart.so.1[1-9]*' ! -name '*.*.*.*.*' -o -name libcudart_static.a)
    while read -r library; do
        declared "$folder" nvml.h >"$temporary/theirs"
        rows nvml "$release" "$release" | names >"$temporary/ours"
        gap "$library" "$temporary/theirs" "$temporary/ours"
        cp "$temporary/theirs" "$temporary/declared"
        rows nvml "$release" "$release" 1 | declared_rows nvml
        compile toolkit_nvml_check.c "${flags[@]}"
    done < <(find -L "$folder" -name nvml.h)
    declared "$folder" cuda.h "${profiler[@]}" cuda_runtime_api.h >"$temporary/declared"
    rows driver 0 "$release" 1 | declared_rows driver
    rows runtime "$release" "$release" 1 | declared_rows runtime
    echo "parameters of $(cat "$temporary"/*_rows.def | grep -cE '^(VALUE|[A-Z]+\(.*\()')" >>"$temporary/compared"
    compile toolkit_check.c "${flags[@]}"
}

failed=0
for folder; do
    release=$(find -L "$folder" -name cuda.h -path '*include*' -exec sed -nE 's/^#define CUDA_VERSION +([0-9]+)/\1/p' {} + | head -n 1)
    [ -n "$release" ] || { echo "$folder: no cuda.h"; failed=1; continue; }
    rm -f "$temporary/compared"
    gaps=$(check "$folder" "$release")
    compared=$(sort -u "$temporary/compared" | paste -sd, | sed 's/,/, /g')
    echo "$folder: CUDA $release: ${gaps:-its calls are in the tables: $compared}"
    [ -z "$gaps" ] || failed=1
done
exit $failed
