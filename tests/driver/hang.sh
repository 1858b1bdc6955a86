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
exit $failed
