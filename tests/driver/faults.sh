#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What exec says of kernels that fault: the error, the rule, the values, the line, the thread and the instruction, for each
# error and each kind of instruction. usage: faults.sh FOLDER; TMAREF is the command, RUN_PTX a program.
set -u
. "$(dirname "$0")/expect.sh"

faults() { # faults KERNEL CLUSTER ERROR LINE RULE PATTERN...
    local kernel=$1 cluster=$2 error=$3 line=$4 rule=$5
    shift 5
    expect 1 "^faults.cu:$line: error: $error in kernel $kernel: " -- "$RUN_PTX" "$folder/faults.ptx" "$kernel" 2 128 "$cluster"
    for pattern in "^  $rule: " "at $kernel, PTX line [0-9]+ \\(faults.cu:$line\\), CTA \\([01],0,0\\), thread \\([0-9]+,0,0\\): " \
        '^    operands: 0x' "$@"; do
        grep -qE -- "$pattern" "$scratch/out" || { echo "$kernel: no '$pattern' in:"; cat "$scratch/out"; failed=1; }
    done
}
folder=$1

faults load 0 'CUDA_ERROR_ILLEGAL_ADDRESS \(700\)' 6 GLOBAL_ACCESS_UNMAPPED '; it lies right behind the 65536 bytes at 0x[0-9a-f]+, which cuMemAlloc \(called in [a-z_]+ of run_ptx, at 0x[0-9a-f]+\) allocated$' \
    'ld.global.u32 %r, \[%rd\+65536\]'
faults odd 0 'CUDA_ERROR_MISALIGNED_ADDRESS \(716\)' 13 SHARED_ACCESS_ALIGN 'address 0x402: 4 bytes of shared memory' \
    'operands: 0x400 \+ 0x2, 0x7'
faults bulk 0 'CUDA_ERROR_MISALIGNED_ADDRESS \(716\)' 21 BULK_ALIGN 'The copy moves 32 bytes from 0x[0-9a-f]+ to buffer \+ 8 = 0x[01]*408; mbarrier full = ' 'dstMem is 0x[0-9a-f]*408, must be a multiple of 0x10'
faults tensor_load 0 'CUDA_ERROR_MISALIGNED_ADDRESS \(716\)' 31 LOAD_SMEM_ALIGN 'coordinates -4 3; shared memory buffer \+ 16 = 0x410; mbarrier full = 0xc00' \
    'the map: tiled of UINT32 at 0x[0-9a-f]+, dimensions 64 x 64, strides 256, box 16 x 16, no swizzle' \
    'dstMem is 0x410, must be a multiple of 0x80, nearest legal value 0x480' 'Declare the buffer __align__\(128\)'
faults tensor_store 0 'CUDA_ERROR_ILLEGAL_INSTRUCTION \(715\)' 41 STORE_COORD_ALIGN 'tensorCoords\[0\] is 1, must be a multiple of 4, nearest legal value 0'
faults mbarrier 0 'CUDA_ERROR_MISALIGNED_ADDRESS \(716\)' 51 MBARRIER_ADDRESS_ALIGN 'address 0x404: full \+ 4'
faults remote 0 'CUDA_ERROR_ILLEGAL_INSTRUCTION \(715\)' 61 CLUSTER_NONE 'address 0x5000400: 4 bytes of shared memory of the cluster'
faults remote 2 'CUDA_ERROR_LAUNCH_FAILED \(719\)' 61 '[A-Z_]*' 'address 0x5000400'
faults product 0 'CUDA_ERROR_ILLEGAL_ADDRESS \(700\)' 71 WGMMA_SMEM_BOUNDS 'descriptor of A: start address 0x400, leading dimension 16 bytes, stride 16 bytes' \
    'descriptor of B: start address 0x3fff0'

# An instruction for multicast objects, of which there are none: a kernel that has it and does not reach it ends, as on an H200.
expect 0 '' -- "$RUN_PTX" "$folder/multimem.ptx" spare 1 32
expect 1 '^  the machine does not run multimem.ld_reduce: it has no multicast objects over several GPUs$' -- "$RUN_PTX" "$folder/multimem.ptx" reduce 1 32
grep -qxF 'launch: CUDA_ERROR_NOT_SUPPORTED' "$scratch/out" || { echo "not 801:"; cat "$scratch/out"; failed=1; }
expect 1 "tmaref does not support 'multimem.ld_reduce' \(sums of f32 of multicast objects" -- "$RUN_PTX" "$folder/multimem.ptx" wide 1 32

# What came and what may; the element, its size and the memory near it. All at line 11 of operations.ptx.
operation() { # operation KERNEL ERROR RULE FIRST_LINE
    expect 1 "^faults.cu:11: error: $2 in kernel $1: $4" -- "$RUN_PTX" "$folder/operations.ptx" "$1" 1 32
    grep -q "^  $3: " "$scratch/out" || { echo "$1: not of rule $3:"; cat "$scratch/out"; failed=1; }
}
failed719='CUDA_ERROR_LAUNCH_FAILED \(719\)' misaligned='CUDA_ERROR_MISALIGNED_ADDRESS \(716\)' illegal='CUDA_ERROR_ILLEGAL_ADDRESS \(700\)'
near='64 bytes past the end of the 65536 bytes at 0x[0-9a-f]+, which cuMemAlloc'
operation many_arrivals "$failed719" MBARRIER_ARRIVALS 'mbarrier full at shared address 0x400 takes 16 more arrivals in its phase, and 32 come now; see faults.cu:10$'
operation no_more_arrivals "$failed719" MBARRIER_ARRIVALS 'mbarrier full at shared address 0x400 takes no more arrivals in its phase, and 16 come now$'
operation many_at_once "$failed719" MBARRIER_COUNT_LIMIT 'mbarrier full at shared address 0x400: 1048576 arrivals come at once, at most 1048575 may$'
operation many_bytes "$failed719" MBARRIER_TX_LIMIT 'mbarrier full at shared address 0x400: 1048576 bytes are counted at once, at most 1048575 may be$'
operation wide_range "$failed719" MBARRIER_TX_RANGE 'mbarrier full at shared address 0x400: its tx-count would be 1048608; it must be from -1048575 to 1048576$'
operation odd_row "$misaligned" MATRIX_ROW_ALIGN 'p\[1\] is 0x404, must be a multiple of 0x10, nearest legal value 0x400$'
grep -q 'at odd_row, .*thread (1,0,0)' "$scratch/out" || { echo "odd_row: not thread 1"; failed=1; }
operation far_row "$illegal" MATRIX_ROW_BOUNDS 'p\[0\] is 0x10400, the memory ends at 0x880, nearest legal value 0x870$'
operation odd_copy "$misaligned" CP_ASYNC_ALIGN 'dst is 0x402, must be a multiple of 0x4, nearest legal value 0x400$'
grep -qE 'The copy moves 4 bytes from 0x[0-9a-f]+ to buffer \+ 2 = 0x402$' "$scratch/out" || { echo "odd_copy: no size"; failed=1; }
operation far_copy "$illegal" CP_ASYNC_UNMAPPED 'src is 0x[0-9a-f]+; it lies right behind the 65536 bytes at 0x[0-9a-f]+, which cuMemAlloc'
operation shared_map "$illegal" MAP_LOCATION_SPACE 'tensorMap is 0x1000000000440; it is in shared memory, buffer \+ 64 = 0x440$'
operation far_map "$illegal" MAP_LOCATION_UNMAPPED "tensorMap is 0x[0-9a-f]+; it lies $near"
operation far_prefetch "$illegal" PREFETCH_MAP_UNMAPPED 'a is 0x[0-9a-f]+; it lies right behind the 65536 bytes'
grep -q 'The instruction takes 128 bytes there' "$scratch/out" || { echo "far_prefetch: no size"; failed=1; }

expect 1 'at inlined, PTX line [0-9]+ \(cell.h:9, inlined at faults.cu:80\), CTA' -- "$RUN_PTX" "$folder/faults.ptx" inlined 2 128 0
for pattern in 'address 0x8: 4 bytes of global memory; it is 8 bytes past a null pointer' \
    'inlined, from the inside out, at cell.h:5, faults.cu:80$'; do
    grep -qE -- "$pattern" "$scratch/out" || { echo "inlined: no '$pattern' in:"; cat "$scratch/out"; failed=1; }
done
expect 1 '"file": "cell.h", "line": 9,.*"inlined_at": \[\{"line": 5, "file": "cell.h"\}, \{"line": 80, "file": "faults.cu"\}\]' --json -- \
    "$RUN_PTX" "$folder/faults.ptx" inlined
expect 1 '"error": 716, "kernel": "mbarrier".*"rule": "MBARRIER_ADDRESS_ALIGN".*"file": "faults.cu", "line": 51' --json -- \
    "$RUN_PTX" "$folder/faults.ptx" mbarrier

# Names as the source has them, of the kernel and of its variables; the user's own line before that of a header.
expect 1 '^faults.cu:92: error: CUDA_ERROR_ILLEGAL_ADDRESS \(700\) in kernel before\(int\*\): address 0x[0-9a-f]+: .*; it lies 4 bytes before the 65536 bytes' -- \
    "$RUN_PTX" "$folder/faults.ptx" _Z6beforePi
for pattern in 'at before\(int\*\), PTX line [0-9]+ \(cell.h:20, inlined at faults.cu:92\)' 'ld.global.u32 tile_of, \[%rd\+-4\];'; do
    grep -qE -- "$pattern" "$scratch/out" || { echo "before: no '$pattern' in:"; cat "$scratch/out"; failed=1; }
done
expect 1 '"kernel": "_Z6beforePi".*"signature": "before\(int\*\)", "user_file": "faults.cu", "user_line": 92, "address": "0x[0-9a-f]+"' --json -- \
    "$RUN_PTX" "$folder/faults.ptx" _Z6beforePi

# An assertion has CUDA's own line for each thread of the warp, and no operands.
expect 1 '^faults.cu:101: error: CUDA_ERROR_ASSERT \(710\) in kernel asserts: the assertion `i < 9` failed for 2 threads of warp 0$' -- \
    "$RUN_PTX" "$folder/faults.ptx" asserts 1 32
has "$scratch/out" 'a.cu:42: void k: block: [0,0,0], thread: [30,0,0] Assertion `i < 9` failed.' \
    'a.cu:42: void k: block: [0,0,0], thread: [31,0,0] Assertion `i < 9` failed.'
grep -q 'operands' "$scratch/out" && { echo "operands of a call:"; cat "$scratch/out"; failed=1; }

# Refusals have the names of the source too.
expect 1 'cuLaunchKernelEx: before\(int\*\): blockDim\[0\] is 2048, must be at most 1024 \(rule ' -- "$RUN_PTX" "$folder/faults.ptx" _Z6beforePi 1 2048

# Without lines the report says what gives them, in the words of the compiler that made the PTX.
hint() { # hint KERNEL HEAD WORDS
    { echo "// $2"; sed "/\.loc/d; s/_Z6beforePi/$1/g" "$folder/faults.ptx"; } >"$scratch/hint.ptx"
    expect 1 "^  \($3" -- "$RUN_PTX" "$scratch/hint.ptx" "$1"
}
hint _Z6beforePi 'Generated by NVIDIA NVVM Compiler' '-lineinfo of nvcc, or --generate-line-info of NVRTC'
hint _ZN6cudapy8__main__6beforeE5ArrayIfLi1E1C7mutable7alignedE 'Generated by NVIDIA NVVM Compiler' '@cuda.jit\(lineinfo=True\)'
grep -qF 'in kernel __main__.before(Array<float, 1, C, mutable, aligned>): ' "$scratch/out" || { echo "Numba's name:"; cat "$scratch/out"; failed=1; }
hint before 'Generated by LLVM NVPTX Back-End' 'Triton adds the line'

# Memory that there is not has a reason.
large() { # large KERNEL BODY PATTERN
    printf '.version 8.6\n.target sm_90a\n.address_size 64\n%s\n' "$1" >"$scratch/large.ptx"
    ASAN_OPTIONS=allocator_may_return_null=1 expect 1 "$2" -- "$RUN_PTX" "$scratch/large.ptx" k
}
large '.global .align 1 .b8 g[1000000000000];
.visible .entry k() { ret; }' 'the host has not enough memory for the variables of the module'
large '.visible .entry k() { .local .align 4 .b8 l[1000000000]; .reg .b32 %r; mov.u32 %r, l; st.local.u32 [%r], 1; ret; }' \
    'k: the host has not enough memory for the kernel, or its .local'

# Control characters of PTX do not reach the terminal, and JSON has none.
esc=$(printf '\033')
sed "s/cell.h\"/ce${esc}]0;title$(printf '\007')ll.h\"/; s|tile_of, \[%rd+-4\];|& /* ${esc}[31mred */|" "$folder/faults.ptx" >"$scratch/evil.ptx"
for option in --quiet --json; do
    "$TMAREF" exec $option -- "$RUN_PTX" "$scratch/evil.ptx" _Z6beforePi >"$scratch/out" 2>&1
    grep -q "title" "$scratch/out" && grep -q "31mred" "$scratch/out" || { echo "the names are gone:"; cat "$scratch/out"; failed=1; }
    LC_ALL=C grep -q "[$esc$(printf '\007')]" "$scratch/out" && { echo "$option: control characters in:"; cat -v "$scratch/out"; failed=1; }
done
exit $failed
