#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `tmaref core`: dumps that an H200's driver wrote of eleven hangs and nine faults (tests/core/programs has what ran), and files
# that are no such dumps. core.sh FOLDER, where the dumps are.
. "$(dirname "$0")/expect.sh" || exit 2
dumps=$1

# says DUMP LINE TEXT...: the first line of the report is of that line of DUMP's program, and the report has the texts.
says() {
    local name=$1 line=$2
    shift 2
    run 1 core "$dumps/$name.core.zst"
    check "the first line is not of $name.cu:$line" grep -q "^/[^ ]*/$name.cu:$line: error: kernel " <(head -1 "$work/out")
    for text; do out "$text"; done
}

# Hangs: the barrier, what is missing, the line of the wait, who follows, and the mistake.
says hang_missing_arrive 28 "2 threads of 2 CTAs wait for mbarrier bytes + 8208: 1 of 4 arrivals is missing" \
    "the wait parity 0" "Likely: 3 of 4 arrivals came (hang_missing_arrive.cu:39)" \
    "follows: 256 threads of 2 CTAs wait for mbarrier bytes + 8192: its arrival is missing (hang_missing_arrive.cu:37)" \
    "tensor map in the parameters of ring_kernel(CUtensorMap_st, float*), at byte 112: tiled of FLOAT32" \
    "(program.cuh:59, inlined at hang_missing_arrive.cu:28), CTA (0,0,0), warp 4, lanes 0x00000001"
says hang_parity 22 "3 threads of 3 CTAs wait for mbarrier empty[0]: 64 of 64 arrivals are missing" \
    "the first wait must have parity 1" \
    "follows: 192 threads of 3 CTAs wait for mbarrier full[0]: its arrival is missing (hang_parity.cu:27)"
says hang_expect_large 19 "512 threads of 4 CTAs wait for mbarrier full: 1024 of the expected bytes have not come" \
    "Likely: expect_tx (hang_expect_large.cu:16) asks for 1024 bytes more than the copies (hang_expect_large.cu:17) bring" \
    "tensor map in constant memory, at byte 0 of bank 3: tiled of FLOAT32" "box 32 x 8"
says hang_expect_small 17 "wait for mbarrier full: 4096 more bytes came than were expected" \
    "Likely: the copies (hang_expect_small.cu:15) bring 4096 bytes more than expect_tx (hang_expect_small.cu:14) asks for" \
    "tensor map in global memory, at 0x" "box 64 x 32"
says hang_producer_exit 27 "256 threads of 2 CTAs wait for mbarrier full: its arrival is missing" \
    "no thread that is left can come to an instruction that arrives at it (hang_producer_exit.cu:21); 32 of its 160 threads have exited"
no_out follows
says hang_cluster 19 "128 threads of 2 CTAs wait for mbarrier ready: its arrival is missing" \
    "no thread that is left can come to an instruction that arrives at it (hang_cluster.cu:18)" \
    "follows: 128 threads of 2 CTAs wait at barrier.cluster (hang_cluster.cu:23)"
says hang_multicast 23 "192 threads of 2 CTAs wait for mbarrier full[1]: its arrival is missing, 1024 more bytes came" \
    "CTA (1,0,0)" "In a multicast each destination CTA expects the bytes on its own mbarrier." \
    "follows: 192 threads of 2 CTAs wait at barrier.cluster (hang_multicast.cu:26)"
says hang_named 11 "192 threads of 2 CTAs wait at barrier 1: 96 of 128 threads stand there" "bar.sync 1, 128;" \
    "Likely: no other thread of the CTA can come to a barrier of that number any more" \
    "follows: 64 threads of 2 CTAs wait for mbarrier done: 96 of 96 arrivals are missing (hang_named.cu:14)"
says hang_flag 8 "64 threads of 64 CTAs poll memory at 0x" "which is 0x11111111" "inlined at hang_flag.cu:19" \
    "follows: 1984 threads of 64 CTAs wait for other lanes of their warp (hang_flag.cu:20)" \
    "follows: 2048 threads of 64 CTAs wait at barrier 0: 32 of 64 threads stand there (hang_flag.cu:20)"
says hang_deadlock 14 "wait for mbarrier a: 32 of 32 arrivals are missing" "wait for mbarrier b: 32 of 32" \
    "hang_deadlock.cu:17: error: kernel deadlock_kernel(int*) also hangs" "Likely: these threads wait for each other"
says hang_stage 38 "2 threads of 2 CTAs wait for mbarrier empty[3]: its arrival is missing" "(hang_stage.cu:49)" \
    "follows: 256 threads of 2 CTAs wait for mbarrier full[0]: its arrival is missing (hang_stage.cu:47)"
check "a report of more than 15 lines" test "$(wc -l <"$work/out")" -le 15

# Faults: the exception, what a launch returns, the line of the instruction, and what it was about.
says fault_700_bulk 13 "2 warps of 2 CTAs raised WARP_ILLEGAL_ADDRESS (a launch returns 700)" "Likely: the source is not allocated"
says fault_715_map 13 "WARP_ILLEGAL_INSTRUCTION (a launch returns 715 or 719)" "no encoder makes such a map" \
    "that a parameter points to is a tensor map that the driver would have made"
says fault_715_rank 15 "WARP_ILLEGAL_INSTRUCTION" "the instruction has 2 dimensions, the only tensor map of the dump has 3"
says fault_716_shared 8 "WARP_MISALIGNED_ADDRESS (a launch returns 716)" "st.shared.u64"
says fault_716_tensor 14 "WARP_MISALIGNED_ADDRESS" "Likely: the shared address of a tensor copy must be a multiple of 128"
says fault_719_over 13 "raised WARP_ILLEGAL_INSTRUCTION" "it arrives at mbarrier done = 0x418; 1 of its 1 arrivals is missing, and its error bit is set"
says fault_719_exited 16 "raised CLUSTER_BLOCK_NOT_PRESENT (a launch returns 719)" "has exited"
says fault_trap 7 "thread (40,0,0) of CTA (2,0,0) executed trap" "lanes 0x00000100"
says fault_stack 8 "at deeper(int, int volatile*)" "is there a recursion without an end?"

# JSON: the same, every thread.
run 1 core --json "$dumps/hang_multicast.core.zst"
json '"mbarrier"' waits 0 wait
json true waits 0 root
json 23 waits 0 place line
json '"full[1]"' waits 0 barrier name
json 1 waits 0 barrier pending
json -1024 waits 0 barrier tx
json 0 waits 0 parity
json 1 waits 0 threads 0 cta 0
json '"0xffffffff"' waits 0 threads 0 lanes
json '"barrier.cluster"' waits 1 wait
run 1 core --json "$dumps/hang_named.core.zst"
json 96 waits 0 come
json 128 waits 0 wanted
run 1 core --json "$dumps/hang_flag.core.zst"
json '"0x11111111"' waits 0 value
run 1 core --json "$dumps/fault_stack.core.zst"
json '"WARP_OUT_OF_RANGE_ADDRESS"' waits 0 exception
run 1 core --json "$dumps/hang_expect_small.core.zst"
json '"global"' maps 0 place
run 1 core --verbose "$dumps/hang_flag.core.zst"
out "follows: 2048 threads"

run 1 core --verbose "$dumps/hang_missing_arrive.core.zst"
out "mbarrier bytes + 8192 (0x2400) of 2 CTAs: word 0xfffff800001ffffe: parity 1, 1 of 1 arrivals missing"
out "mbarrier bytes + 8216 (0x2418) of 2 CTAs: word 0x7ffff800001ffff8: parity 0, 1 of 4 arrivals missing"
run 1 core -v "$dumps/hang_multicast.core.zst"
out "mbarrier full[1] (0x808) of 2 CTAs: word 0x7ffff800801ffffe: parity 0, 1 of 1 arrivals missing, 1024 bytes too many"
run 1 core --json "$dumps/hang_stage.core.zst"
json '"empty[3]"' barriers 7 name
json 1 barriers 7 pending

# Arrivals are missing because of another wait, which nobody ends: that one alone is the root.
run 1 core "$dumps/arrived.core.zst"
out "follows: 64 threads of 2 CTAs wait for mbarrier done: 90 of 96 arrivals are missing (hang_named.cu:14)"
no_out "also hangs"

# Less in the dump, less in the report: never a guess.
run 1 core "$dumps/no-shared.core.zst"
out "wait for mbarrier done, whose word is not in the dump (hang_named.cu:14)"
run 1 core "$dumps/no-registers.core.zst"
out "wait for an mbarrier: the dump has no registers that say which (hang_named.cu:14)"

run 1 core "$dumps/no-lines.core.zst"
out "tmaref: error: kernel named_kernel(int*) hangs: 192 threads of 2 CTAs wait at barrier 1: 96 of 128 threads stand there"
out "wait for mbarrier at 0x400: 96 of 96 arrivals are missing (+0x180)"
out "compile with nvcc -lineinfo"

run 1 core "$dumps/two-units.core.zst"
out "hang_named.cu:11: error: kernel"
out "wait for mbarrier at 0x400: 96 of 96 arrivals are missing (hang_named.cu:14)"
no_out "bar.sync" # of which unit a line of the PTX is, is not known

# What is no dump of sm_90 is refused with a sentence.
refused() { # refused SENTENCE FILE
    run 2 core "$2"
    quiet
    err "$1"
}
refused "it is of a GPU of sm_100" "$dumps/sm-100.core.zst"
refused "it is cut off" "$dumps/fault_assert.core.zst" # as the driver left it when the process ended too early
refused "No such file" "$work/none"
refused "it is not an ELF file" "$work/in"
head -c 4096 /dev/urandom >"$work/random"
refused "it is not an ELF file" "$work/random"
cp "$TMAREF" "$work/program"
refused "it is an ELF file of a CPU (machine" "$work/program"
head -c 3000 "$dumps/hang_named.core.zst" >"$work/half.zst"
refused "damaged zstd frame" "$work/half.zst"
run 2 core
err "give the file of a core dump"
finish
