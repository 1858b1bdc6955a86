#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What exec says of kernels that hang or reach a limit. usage: hang.sh FOLDER; TMAREF is the command, RUN_PTX a program.
set -u
. "$(dirname "$0")/expect.sh"

# The barrier by its name in the source, its phase, what is missing, who came, and who came before.
expect 1 'kernel arrivals hangs: CUDA_ERROR_LAUNCH_TIMEOUT \(702\)' -- "$RUN_PTX" "$1/hang.ptx" arrivals 1 64
has "$scratch/out" \
    '    lanes ffffffff of warp 0 wait at arrivals, PTX line 37 (hang.cu:11), CTA (0,0,0), thread (0,0,0): mbarrier.try_wait.parity.shared.b64 %p2, [%r1], 1;' \
    '      It waits for the mbarrier full: shared address 0x408 of CTA 0 in the cluster, until the phase with parity 1 completes.' \
    '      Its current phase has parity 1: 1 of 3 arrivals and 0 bytes are missing.' \
    '      The phase completes with 1 more arrival.' \
    '      mbarrier.init created it: CTA 0 warp 0 at hang.cu:5 (PTX line 22)' \
    '      1 phase has completed since its init. In the current phase these arrived:' \
    '        CTA 0 warp 0 at hang.cu:9 (PTX line 34), arrived 2' \
    '      The last expect_tx was in an earlier phase: CTA 0 warp 0 at hang.cu:7 (PTX line 28)'

expect 1 'barrier 1: 48 of 64 threads have arrived' -- "$RUN_PTX" "$1/hang.ptx" meeting 1 64
grep -q 'lanes 0000ffff of warp 0 wait at meeting, PTX line 52 (hang.cu:21)' "$scratch/out" || failed=1

# The limits, and where the kernel was.
expect 1 'the limit of 10000 warp instructions is reached' --limit-instructions 10000 -- "$RUN_PTX" "$1/hang.ptx" spin
grep -q 'lanes 00000001 of warp 0 are at spin, PTX line 6[5-7] (hang.cu:31)' "$scratch/out" || failed=1
# A wait that failed once and was left is none.
expect 1 'the limit of 20000 warp' --limit-instructions 20000 -- "$RUN_PTX" "$1/hang.ptx" left
grep -qE 'lanes 00000001 of warp 0 are at left, PTX line [89][0-9] \(hang.cu:42\)' "$scratch/out" || {
    echo "not where it spins:"; cat "$scratch/out"; failed=1; }
grep -q 'It waits for' "$scratch/out" && { echo "it does not wait"; failed=1; }
expect 1 'the limit of 1 seconds is reached' --limit-seconds 1 -- "$RUN_PTX" "$1/hang.ptx" counts

# A loop that looks at memory which nobody is left to write.
expect 1 'the kernel waits for memory that no thread will write' -- "$RUN_PTX" "$1/hang.ptx" spin
grep -qE 'lanes 00000001 of warp 0 wait at spin, PTX line [67][0-9] \(hang.cu:31\)' "$scratch/out" || failed=1
expect 1 'the kernel waits for memory that no thread will write' -- "$RUN_PTX" "$1/hang.ptx" sleeps

# The same before the eyes of --stats, which counts what ran.
expect 1 'the kernel waits for memory that no thread will write' --stats -- "$RUN_PTX" "$1/hang.ptx" sleeps
grep -q 'statistics of kernel sleeps: 1 launch' "$scratch/out" || failed=1
expect 1 '"kind": "hung".*"file": "hang.cu", "line": 11' --json -- "$RUN_PTX" "$1/hang.ptx" arrivals 1 32

# Common mistakes: what the report adds to the state of the barrier.
tells() { # tells KERNEL BLOCK LINE...
    local kernel=$1 block=$2
    shift 2
    expect 1 "kernel $kernel (hangs|stopped)" -- "$RUN_PTX" "$folder/causes.ptx" "$kernel" 1 "$block"
    has "$scratch/out" "$@"
}
folder=$1
wait='mbarrier.try_wait.parity.shared.b64 %p, [full]'
tells no_arrival 64 '      Likely: expect_tx is not an arrival. Use mbarrier.arrive.expect_tx, or arrive as well.' \
    "    lanes ffffffff of warps 0 to 1 wait at no_arrival, PTX line 31 (wait.h:7, inlined at causes.cu:14), CTA (0,0,0), thread (0,0,0): $wait, 0;" \
    '        CTA 0 warp 0 at causes.cu:12 (PTX line 26), expected 64 bytes'
tells too_few 64 '      Likely: expect_tx is wrong. It must be the sum of the bytes of all copies; for a tensor copy, the bytes of the whole box in the type of the map.'
tells no_copy 64 '      Likely: no copy to this mbarrier was issued, or it signals that of another CTA.'
tells rounded 64 '      Likely: the size of a bulk copy is rounded down to a multiple of 16 bytes. Copy and expect a multiple of 16.'
tells too_many 64 '      Likely: expect_tx is too small, or a copy runs more than once. A tensor copy brings its whole box, including what is out of bounds.'
tells unexpected 64 '      Likely: expect_tx is missing. In a multicast, each destination CTA must expect the bytes on its own mbarrier.'
tells made_again 64 '      Likely: an mbarrier.init after the expect_tx discarded it. Initialise a barrier once, in one thread.' \
    '      mbarrier.init created it: CTA 0 warp 1 at causes.cu:72 (PTX line 174). This was its init number 2. Each init starts at parity 0 and discards what has arrived'
tells by_warps 64 '      Likely: the count of init is the number of threads, but only one lane of each warp arrives.'
tells too_high 64 '      Likely: the count of init is higher than the number of arrivals in a phase.'
tells first_parity 64 '      Nothing has arrived since its init. If its buffer starts empty, the first wait must have parity 1, which returns at once.'
tells left_early 64 '      The last arrival was in an earlier phase: CTA 0 warp 1 at causes.cu:112 (PTX line 272). That warp has exited' \
    '      A wait with parity 0 would return at once. Either this wait is one phase ahead, or the thread that should arrive has left its loop or waits itself.'
tells not_made 64 '      No mbarrier.init has created a barrier there.' \
    '      Likely: the init is missing, or there is no barrier of all threads after it.'
tells next_phase 64 '      Its current phase has parity 0: 0 of 1 arrivals and 64 bytes are missing.' \
    '      Likely: this arrival belongs to the next phase. The wait before it is missing, or returned at once because it had the parity of another phase.'
tells named 96 '      barrier 3: 32 of 96 threads have arrived in phase 0. The other threads have exited: 1 of 3 warps of the CTA remain'
tells named 64 '      barrier 3: 32 of 96 threads have arrived in phase 0. The CTA has only 2 warps'
tells registers 512 '      Its threads have 128 registers each. 0 more are free for them in this quarter of the SM. Other warps must release registers with setmaxnreg.dec.'
tells part 128 '      The four warps of a warpgroup execute a wgmma together: that at causes.cu:162 (PTX line 382). Warp 3 has exited.'
tells elects 64 '      Nothing has arrived since its init. If its buffer starts empty, the first wait must have parity 1, which returns at once.'
exit $failed
