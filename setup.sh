#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# From a fresh Debian 12 or 13 to a result: installs what is missing, builds, and does one of the jobs of usage().
# Every command's output goes to build/setup.log; when one fails, its last lines are shown with what to do.
set -u -o pipefail
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 2

usage() {
    cat <<'END'
Usage: ./setup.sh [JOB] [OPTION...]
  replay      build the command, and compare the model with every recorded trace (the default)
  test        build, and run the tests, the replay of every trace among them, but not those that need a GPU, benchmarks,
              long sweeps and tests of what is published (docs/conformance.md, "What a test run leaves out"); those of
              the PTX machine need nvcc, which is put into build/cuda where there is none
  coverage    measure which lines and branches of model/ the tests reach (build/coverage/html), and which formats,
              operations and rules the recordings reach (build/coverage/functional.html)
  bench       build with -O3 and run the benchmarks; with an H100 or H200 those of the kernels too (tmaref bench)
  gpu         compare the model with the H100 or H200 of this machine (needs nvcc, see --with-cuda)
Options:
  --no-install   install nothing; stop when something is missing
  --with-cuda    if there is no nvcc of CUDA 13.0 or later, put one of 13.0 from PyPI into build/cuda (no GPU needed to
                 build kernels); TMAREF_CUDA=1 does the same, and so does the job test
  --help         this text
Exit status: 0 all agree, 1 a mismatch or a failed test, 2 usage or environment error.
END
}

job=replay
install=yes
cuda=${TMAREF_CUDA:-0}
for argument in "$@"; do
    case $argument in
    replay | test | coverage | bench | gpu) job=$argument ;;
    --no-install) install=no ;;
    --with-cuda) cuda=1 ;;
    --help | -h) usage; exit 0 ;;
    *)
        echo "setup: '$argument' is neither a job (replay, test, coverage, bench, gpu) nor an option; see ./setup.sh --help" >&2
        exit 2
        ;;
    esac
done

log=build/setup.log
{ mkdir -p build && : >"$log"; } || { echo "setup: cannot write $log" >&2; exit 2; }
say() { printf 'setup: %s\n' "$*" | tee -a "$log"; }

# How far the build in the log has come: "[ 42%]" of make, "[210/500]" of ninja; nothing before it has begun.
progress() {
    tail -n 20 "$log" | sed -nE 's|^(\[ *[0-9]+(%\|/[0-9]+)\]).*|\1|p' | tail -n 1
}

# watch PID "what": says how far a build has come as long as PID runs: all the time on a terminal, else a line every
# SETUP_ALIVE_SECONDS, which is 30.
watch() {
    local begin=$SECONDS next=$((SECONDS + ${SETUP_ALIVE_SECONDS:-30}))
    while kill -0 "$1" 2>/dev/null; do
        if [ -t 2 ]; then
            printf '\rsetup: %s: %s\033[K' "$2" "$(progress)" >&2
        elif [ "$SECONDS" -ge "$next" ]; then
            printf 'setup: %s: %s after %d s\n' "$2" "$(progress)" $((SECONDS - begin)) >&2
            next=$((SECONDS + ${SETUP_ALIVE_SECONDS:-30}))
        fi
        sleep 0.5
    done
    [ ! -t 2 ] || printf '\r\033[K' >&2
}

# step STATUS "what" "what to do when it fails" command...: runs it into the log, or ends with exit status STATUS.
step() {
    local status=$1 what=$2 advice=$3 start=$SECONDS first running
    shift 3
    first=$(wc -l <"$log")
    "$@" >>"$log" 2>&1 </dev/null &
    running=$!
    trap 'kill $running; exit 130' INT TERM
    watch "$running" "$what"
    if wait "$running"; then
        trap - INT TERM
        say "$what: done in $((SECONDS - start)) s"
        return
    fi
    tail -n "+$((first + 1))" "$log" | grep -v "^\[ *[0-9]*%\]" | tail -n 25 >&2
    say "$what: FAILED. $advice (the whole log: $log)" >&2
    exit "$status"
}

# --- what the job needs: a Debian package, and how to see that it is there -------------------------------------------
needs=(
    "gcc command -v gcc"
    "libc6-dev test -e /usr/include/stdio.h"
    "make command -v make"
    "cmake command -v cmake"
    "pkg-config command -v pkg-config"
    "check pkg-config --exists check"
    "libjansson-dev pkg-config --exists jansson"
    "libzstd-dev pkg-config --exists libzstd"
    "liblz4-dev pkg-config --exists liblz4"
    "libxxhash-dev pkg-config --exists libxxhash"
    "libffi-dev pkg-config --exists libffi"
)
[ "$job" = coverage ] && needs+=("lcov command -v lcov")
[ "$job" = test ] && needs+=("python3-venv python3 -c 'import ensurepip, venv'") # the Python package, with PyPI
# Where kernels/CMakeLists.txt looks for nvcc too, which takes none older.
nvcc_here() {
    local nvcc
    for nvcc in "$(command -v nvcc)" /usr/local/cuda/bin/nvcc build/cuda/nvidia/cu13/bin/nvcc; do
        [ -x "$nvcc" ] && "$nvcc" --version 2>/dev/null | grep -qE 'release (1[3-9]|[2-9][0-9])\.' && return
    done
    return 1
}
[ "$job" = test ] && cuda=1
[ "$cuda" = 1 ] && nvcc_here && say "nvcc is here already" && cuda=0
[ "$cuda" = 1 ] && needs+=("python3-pip python3 -m pip --version")
[ "$cuda" = 1 ] || [ "$job" = test ] && needs+=("g++ command -v g++")
[ "$cuda" = 1 ] && [ "$install" = no ] &&
    { say "missing: nvcc of CUDA 13.0 or later, and --no-install forbids to fetch one" >&2; exit 2; }

missing=()
for need in "${needs[@]}"; do
    read -r package probe <<<"$need"
    eval "$probe" >/dev/null 2>&1 || missing+=("$package")
done

as_root=()
install_missing() {
    local by_hand="apt-get install ${missing[*]}"
    [ "$install" = yes ] || { say "missing: ${missing[*]}. Run: $by_hand" >&2; exit 2; }
    command -v apt-get >/dev/null ||
        { say "this system has no apt-get; install the counterparts of: ${missing[*]}, then ./setup.sh --no-install" >&2
          exit 2; }
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null ||
            { say "packages are missing and this is neither root nor is there sudo. As root run: $by_hand" >&2; exit 2; }
        as_root=(sudo)
        sudo -v || { say "sudo refused. As root run: $by_hand" >&2; exit 2; }
    fi
    say "installing ${missing[*]}"
    step 2 "package lists" "Is the network up, and do the apt sources work?" "${as_root[@]}" apt-get update
    step 2 "packages" "Try by hand: $by_hand" "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends "${missing[@]}"
}
[ ${#missing[@]} = 0 ] || install_missing

# These five wheels, in the versions of the nvcc that the traces name (tests/conformance/digests.c), together are a working nvcc, with the headers of CUDA and CCCL.
if [ "$cuda" = 1 ]; then
    step 2 "nvcc of CUDA 13.0 into build/cuda" "Is PyPI in reach?" python3 -m pip install --no-deps --only-binary :all: \
        --disable-pip-version-check --upgrade --target build/cuda nvidia-cuda-nvcc==13.0.88 nvidia-cuda-crt==13.0.88 \
        nvidia-nvvm==13.0.88 nvidia-cuda-cccl==13.0.85 nvidia-cuda-runtime==13.0.96
fi
# The wheels lack the names under which nvcc and the linker look for libraries.
if [ -d build/cuda/nvidia/cu13/lib ]; then
    ln -sfn lib build/cuda/nvidia/cu13/lib64
    ln -sf libcudart.so.13 build/cuda/nvidia/cu13/lib/libcudart.so
fi

# --- the job ---------------------------------------------------------------------------------------------------------
build() { # PRESET CMAKE-ARGUMENT...: of every target, or of those in `targets`
    step 2 "configure ($1)" "The first 'CMake Error' above is the cause; if build/$1 was made elsewhere, remove it." \
        cmake --preset "$@"
    step 2 "build ($1)" "The first 'error:' above is the cause." cmake --build --preset "$1" --parallel "$(nproc)" \
        ${targets:+--target "$targets"}
}

has_gpu() {
    ls /dev/nvidia[0-9]* >/dev/null 2>&1
}

# Without a GPU nothing loads a cubin, and to make them all takes minutes.
build_default() {
    if has_gpu; then build default -DTMAREF_CUBINS=ON; else build default -DTMAREF_CUBINS=OFF; fi
}

# Runs a command in view, and ends with 2 or 1 as usage() says if it does not end with 0. A terminal has its standard
# error, for progress bars.
show() {
    say "$*"
    if [ -t 2 ]; then
        "$@" | tee -a "$log"
    else
        "$@" 2>&1 | tee -a "$log"
    fi
    local status=${PIPESTATUS[0]}
    [ "$status" = 0 ] && return
    say "$1 ended with status $status; the whole log: $log" >&2
    [ "$status" = 2 ] && exit 2
    exit 1
}

case $job in
replay) # the command alone: tests, kernels and the library take longer than it
    targets=tmaref build_default
    show build/default/harness/tmaref replay traces
    say "the command is build/default/harness/tmaref; the library, the kernels and the tests: cmake --build build/default"
    ;;
test)
    build_default
    show ctest --preset default --parallel "$(nproc)"
    ;;
coverage)
    build coverage
    show bash tests/meta/coverage.sh build/coverage
    ;;
bench)
    build release
    show ctest --preset bench
    bench=(build/release/harness/tmaref bench)
    python3 -c 'import triton' 2>/dev/null && python3 harness/bench/triton_gemm.py build/triton >>"$log" 2>&1 &&
        bench+=(--triton=build/triton)
    if has_gpu; then show "${bench[@]}"; else say "no GPU here: ${bench[*]} left out"; fi
    ;;
gpu)
    build gpu
    show ctest --preset gpu
    ;;
esac
