#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# libtmaref_gemm.so without a GPU: run.sh CALL_GEMM LIBRARY DRIVER_DIR INSTALLED_KERNELS. What it refuses, what it says
# where there is no driver, device or kernel, and a product by the stand-in driver.
set -u
call=$1 library=$2 driver=$3 installed=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset STANDIN_TROUBLE STANDIN_CAPABILITY
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
STANDIN_CAPABILITY=80 expect "$driver" fails "the kernels are for sm_90a (9.0) alone"
STANDIN_TROUBLE=start:100 expect "$driver" fails "cuInit failed: CUDA_ERROR_NO_DEVICE (100)"
if [ -e "$installed" ]; then
    echo "skipped, what is said without kernels: there is $installed"
else
    expect "$driver" fails ".cubin can be loaded neither from beside libtmaref_gemm.so nor from $installed"
fi
mkdir "$work/kernels" # the stand-in does not look into them
for kernel in cooperative pingpong split_k; do echo "not a cubin" >"$work/kernels/gemm_$kernel.cubin"; done
expect "$driver" multiplies
exit $failed
