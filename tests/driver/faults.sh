#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What exec says of kernels that fault: the error, the rule, the values, the line, the thread and the instruction, for each
# error and each kind of instruction. usage: faults.sh FOLDER; TMAREF is the command, RUN_PTX a program.
set -u
. "$(dirname "$0")/expect.sh"

faults() { # faults KERNEL CLUSTER ERROR LINE RULE PATTERN...
    local kernel=$1 cluster=$2 error=$3 line=$4 rule=$5
    shift 5
    expect 1 "^tmaref: kernel $kernel stopped: $error" -- "$RUN_PTX" "$folder/faults.ptx" "$kernel" 2 128 "$cluster"
    for pattern in "^  $rule: " "at $kernel, PTX line [0-9]+ \\(faults.cu:$line\\), CTA \\([01],0,0\\), thread \\([0-9]+,0,0\\): " \
        '^    operands: 0x' "$@"; do
        grep -qE -- "$pattern" "$scratch/out" || { echo "$kernel: no '$pattern' in:"; cat "$scratch/out"; failed=1; }
    done
}
folder=$1

faults load 0 'CUDA_ERROR_ILLEGAL_ADDRESS \(700\)' 6 GLOBAL_ACCESS_UNMAPPED 'has 65536 bytes at 0x[0-9a-f]+; the address is 65536 bytes past its start' \
    'ld.global.u32 %r, \[%rd\+65536\]'
faults odd 0 'CUDA_ERROR_MISALIGNED_ADDRESS \(716\)' 13 SHARED_ACCESS_ALIGN 'address 0x402: 4 bytes of shared memory' \
    'operands: 0x400 \+ 0x2, 0x7'
faults bulk 0 'CUDA_ERROR_MISALIGNED_ADDRESS \(716\)' 21 BULK_ALIGN 'The copy moves 32 bytes from 0x[0-9a-f]+ to 0x[01]*408; mbarrier full = ' 'dstMem is [0-9]+, limit 16'
faults tensor_load 0 'CUDA_ERROR_MISALIGNED_ADDRESS \(716\)' 31 LOAD_SMEM_ALIGN 'coordinates -4 3; shared memory buffer \+ 16 = 0x410; mbarrier full = 0xc00' \
    'the map: tiled of UINT32 at 0x[0-9a-f]+, dimensions 64 x 64, strides 256, box 16 x 16, no swizzle' \
    'dstMem is 1040, limit 128, nearest legal value' 'Declare the buffer __align__\(128\)'
faults tensor_store 0 'CUDA_ERROR_ILLEGAL_INSTRUCTION \(715\)' 41 STORE_COORD_ALIGN 'tensorCoords\[0\] is 1, limit 4, nearest legal value 0'
faults mbarrier 0 'CUDA_ERROR_MISALIGNED_ADDRESS \(716\)' 51 MBARRIER_ADDRESS_ALIGN 'address 0x404: full \+ 4'
faults remote 0 'CUDA_ERROR_ILLEGAL_INSTRUCTION \(715\)' 61 CLUSTER_NONE 'address 0x5000400: 4 bytes of shared memory of the cluster'
faults remote 2 'CUDA_ERROR_LAUNCH_FAILED \(719\)' 61 '[A-Z_]*' 'address 0x5000400'
faults product 0 'CUDA_ERROR_ILLEGAL_ADDRESS \(700\)' 71 WGMMA_SMEM_BOUNDS 'descriptor of A: start address 0x400, leading dimension 16 bytes, stride 16 bytes' \
    'descriptor of B: start address 0x3fff0'
expect 1 'at inlined, PTX line [0-9]+ \(cell.h:9, inlined at faults.cu:80\), CTA' -- "$RUN_PTX" "$folder/faults.ptx" inlined 2 128 0
for pattern in 'address 0x8: 4 bytes of global memory; it is 8 bytes past a null pointer' \
    'inlined, from the inside out, at cell.h:5, faults.cu:80$'; do
    grep -qE -- "$pattern" "$scratch/out" || { echo "inlined: no '$pattern' in:"; cat "$scratch/out"; failed=1; }
done
expect 1 '"file": "cell.h", "line": 9,.*"inlined_at": \[\{"line": 5, "file": "cell.h"\}, \{"line": 80, "file": "faults.cu"\}\]' --json -- \
    "$RUN_PTX" "$folder/faults.ptx" inlined
expect 1 '"error": 716, "kernel": "mbarrier".*"rule": "MBARRIER_ADDRESS_ALIGN".*"file": "faults.cu", "line": 51' --json -- \
    "$RUN_PTX" "$folder/faults.ptx" mbarrier
exit $failed
