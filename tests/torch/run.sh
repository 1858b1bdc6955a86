#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# libtmaref_gemm.so without a GPU: run.sh CALL_GEMM LIBRARY DRIVER_DIR EXEC_DRIVER KERNELS INSTALLED_KERNELS. What it
# refuses, what it says where there is no driver, device or kernel, and a product by the driver of `tmaref exec`, behind
# the library of tests/executor that can be told to go wrong.
set -u
call=$1 library=$2 driver=$3 kernels=$5 installed=$6
export SABOTAGE_DRIVER=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset SABOTAGE SABOTAGE_CAPABILITY
failed=0

expect() { # expect LIBRARY_DIR ARGUMENT...: call_gemm ARGUMENT... with the libraries of that folder, in $work/lib
    local drivers=$1
    shift
    LD_LIBRARY_PATH=$work/lib:$drivers "$call" "$@" && return
    echo "FAILED: call_gemm $*"
    failed=1
}

mkdir "$work/lib" "$work/none"
cp "$library" "$work/lib"
echo "not a library" >"$work/none/libcuda.so.1"

expect "$work/none" refuses
expect "$work/none" fails "no CUDA driver on this machine"
SABOTAGE_CAPABILITY=80 expect "$driver" fails "the kernels are for sm_90a (9.0) alone"
SABOTAGE=start:100 expect "$driver" fails "cuInit failed: CUDA_ERROR_NO_DEVICE (100)"
if [ -e "$installed" ]; then
    echo "skipped, what is said without kernels: there is $installed"
else
    expect "$driver" fails ".cubin can be loaded neither from beside libtmaref_gemm.so nor from $installed"
fi
if [ -e "$kernels/gemm_cooperative.ptx" ]; then
    mkdir "$work/kernels" # that driver takes PTX for cubins
    for kernel in cooperative pingpong split_k; do ln -s "$kernels/gemm_$kernel.ptx" "$work/kernels/gemm_$kernel.cubin"; done
    expect "$driver" multiplies
else
    echo "skipped, a product: no kernels are built in $kernels"
fi
exit $failed
