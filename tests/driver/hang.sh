#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What exec says of kernels that hang or reach a limit. usage: hang.sh FOLDER; TMAREF is the command, RUN_PTX a program.
set -u
. "$(dirname "$0")/expect.sh"

# The first line is the user's own place; then the barrier by its name, its phase, who came, and the likely mistake.
expect 1 '^hang.cu:11: error: kernel arrivals hangs: 32 threads of CTA \(0,0,0\) wait for mbarrier full: 1 of 3 arrivals is missing$' \
    -- "$RUN_PTX" "$1/hang.ptx" arrivals 1 64
has "$scratch/out" \
    '  at arrivals, PTX line 38 (hang.cu:11), CTA (0,0,0), thread (0,0,0): mbarrier.try_wait.parity.shared.b64 %p2, [%r1], 1;' \
    '  full: shared address 0x408, made by init at hang.cu:5; its phase 1 has parity 1, the wait parity 1' \
    '    came in this phase: instructions of warp 0 at hang.cu:9, 2 arrivals' \
    '    came in the phase before, but not in this one: instructions of warp 0 at hang.cu:7, 3 arrivals, 192 bytes expected; instructions of warp 0 at hang.cu:8, 192 bytes brought' \
    '  no thread can make progress: CUDA_ERROR_LAUNCH_TIMEOUT (702)'

expect 1 '^hang.cu:21: error: kernel meeting hangs: 48 threads of CTA \(0,0,0\) wait at barrier 1: 48 of 64 threads have come' \
    -- "$RUN_PTX" "$1/hang.ptx" meeting 1 64

# The limits, and where the kernel was.
expect 1 '^  the limit of 10000 warp instructions is reached' --limit-instructions 10000 -- "$RUN_PTX" "$1/hang.ptx" spin
grep -q '^hang.cu:31: error: kernel spin was stopped at its limit: thread (0,0,0) of CTA (0,0,0) runs$' "$scratch/out" || {
    cat "$scratch/out"; failed=1; }
expect 1 '^hang.cu:7[12]: error: kernel apart also was stopped at its limit: 32 threads of CTA \(0,0,0\) run$' \
    --limit-instructions 10000 -- "$RUN_PTX" "$1/hang.ptx" apart 1 64
# A wait that failed once and was left is none.
expect 1 'the limit of 20000 warp' --limit-instructions 20000 -- "$RUN_PTX" "$1/hang.ptx" left
grep -q '^hang.cu:42: error: kernel left was stopped at its limit: thread (0,0,0) of CTA (0,0,0) runs$' "$scratch/out" || {
    echo "not where it spins:"; cat "$scratch/out"; failed=1; }
expect 1 'the limit of 1 seconds is reached; of 1 CTAs 0 have ended and 1 are running' --limit-seconds 1 -- "$RUN_PTX" "$1/hang.ptx" counts

# A loop that looks at memory which nobody is left to write.
expect 1 'the kernel waits for memory that no thread will write' -- "$RUN_PTX" "$1/hang.ptx" spin
grep -qE '^hang.cu:31: error: kernel spin hangs: thread \(0,0,0\) of CTA \(0,0,0\) polls memory at 0x[0-9a-f]+, which is 0x0$' \
    "$scratch/out" || { cat "$scratch/out"; failed=1; }
expect 1 'the kernel waits for memory that no thread will write' -- "$RUN_PTX" "$1/hang.ptx" sleeps

# Stores into local memory, as nvcc -G puts them into each try, are nothing that another thread waits for.
expect 1 '^  no thread can make progress: CUDA_ERROR_LAUNCH_TIMEOUT' --limit-seconds 20 -- "$RUN_PTX" "$1/hang.ptx" debug 1 32
grep -q '^hang.cu:71: error: kernel debug hangs: 32 threads of CTA (0,0,0) wait for mbarrier full: its arrival is missing' "$scratch/out" &&
    grep -q '(wait.h:9, called at hang.cu:71)' "$scratch/out" && # of the init too, the line that called the header's function
    grep -q '^  full: shared address 0x[0-9a-f]*, made by init at hang.cu:70; ' "$scratch/out" || { cat "$scratch/out"; failed=1; }

# The same before the eyes of --stats, which counts what ran.
expect 1 'the kernel waits for memory that no thread will write' --stats -- "$RUN_PTX" "$1/hang.ptx" sleeps
grep -q 'statistics of kernel sleeps: 1 launch' "$scratch/out" || failed=1
expect 1 '"kind": "hung".*"file": "hang.cu", "line": 11' --json -- "$RUN_PTX" "$1/hang.ptx" arrivals 1 32

# A guarded wait that traps: the trap, and then what was waited for.
expect 1 '^hang.cu:83: error: CUDA_ERROR_LAUNCH_FAILED \(719\) in kernel guarded: the kernel executed trap' -- "$RUN_PTX" "$1/hang.ptx" guarded 1 64
has "$scratch/out" \
    'hang.cu:82: error: kernel guarded has waited in vain: 32 threads of CTA (0,0,0) wait for mbarrier full: 1 of 2 arrivals is missing; see hang.cu:80, hang.cu:81' \
    '    came in this phase: instructions of warp 0 at hang.cu:81, 1 arrival' \
    '  follows: 32 threads of CTA (0,0,0) wait at barrier 1: 32 of 64 threads have come (hang.cu:84)' \
    '  A thread that had waited in vain executed trap.'
expect 1 '"kind": "trapped".*"line": 83,.*"hang": \{.*"wait": "mbarrier", "root": true, "group": 0, "place": \{"ptx_line": [0-9]+, "line": 82' \
    --json -- "$RUN_PTX" "$1/hang.ptx" guarded 1 64

# Common mistakes: the first line of the report, and what else it says.
tells() { # tells KERNEL BLOCK LINE...
    local kernel=$1 block=$2
    shift 2
    expect 1 "error: (kernel $kernel hangs|CUDA_.* in kernel $kernel)" -- "$RUN_PTX" "$folder/causes.ptx" "$kernel" 1 "$block"
    has "$scratch/out" "$@"
}
hangs() { # hangs KERNEL LINE WHAT LIKELY: both of the lines, of two warps; the first names the other places of the second
    local see
    see=$(grep -oE 'causes\.cu:[0-9]+' <<<"$4" | grep -vxF "causes.cu:$2" | awk '!seen[$0]++' | paste -sd, | sed 's/,/, /g')
    tells "$1" 64 "causes.cu:$2: error: kernel $1 hangs: $3${see:+; see $see}" "  Likely: $4"
}
folder=$1
all='64 threads of CTA (0,0,0) wait for mbarrier full'
hangs no_arrival 14 "$all: its arrival is missing" \
    'expect_tx (causes.cu:12) is not an arrival. Use mbarrier.arrive.expect_tx, or arrive as well.'
hangs too_few 24 "$all: 32 of 64 expected bytes have not come" \
    'expect_tx (causes.cu:20) asks for 64 bytes, and the copies (causes.cu:20) bring 32. Both must be the same: the sum of all copies; of a tensor copy, the whole box in the type of the map.'
hangs no_copy 34 "$all: 64 of 64 expected bytes have not come" \
    'no copy has signalled it: none was issued, or it names another mbarrier. expect_tx (causes.cu:30) asks for 64 bytes.'
hangs rounded 44 "$all: 12 of 60 expected bytes have not come" \
    'expect_tx (causes.cu:40) asks for 60 bytes, and the copies (causes.cu:40) bring 48. Both must be the same: the size of a bulk copy is rounded down to a multiple of 16 bytes.'
hangs too_many 54 "$all: 32 more bytes came than were expected" \
    'the copies (causes.cu:50) bring 64 bytes, and expect_tx (causes.cu:50) asks for 32. Both must be the same: a tensor copy brings its whole box, with what is out of bounds; a copy may run more than once.'
hangs unexpected 64 "$all: its arrival is missing, 64 more bytes came than were expected" \
    'the copies (causes.cu:60) bring 64 bytes, and no expect_tx has announced them on this mbarrier.'
hangs made_again 74 "$all: its arrival is missing, 64 more bytes came than were expected" \
    'mbarrier.init (causes.cu:72) ran 2 times, and discarded what had come before: 1 arrival, 64 expected bytes. Initialise a barrier once, in one thread.'
hangs by_warps 84 "$all: 62 of 64 arrivals are missing" \
    'the count of init (causes.cu:80) is 64, and 2 arrivals came (causes.cu:80): it is the number of threads, but one lane of each warp arrives.'
hangs too_high 94 "$all: 2 of 3 arrivals are missing" \
    'the count of init (causes.cu:90) is 3, and 1 arrival came (causes.cu:90): the count is too high, or an arrive is missing.'
first='nothing has arrived since its init (causes.cu:1%d0). If its buffer starts empty, the first wait must have parity 1, which returns at once; else the arrive is missing or names another mbarrier.'
hangs first_parity 104 "$all: its arrival is missing" "${first/\%d/0}"
hangs left_early 114 '32 threads of CTA (0,0,0) wait for mbarrier full: its arrival is missing' \
    'warp 1 arrived in the phase before (causes.cu:112), but has not in this one, and has exited: it made a round less than the waiter, or left it out in one, or the wait is for a phase too many.'
hangs elects 174 '56 threads of CTA (0,0,0) wait for mbarrier full: its arrival is missing' "${first/\%d/7}"
has "$scratch/out" '  follows: 8 threads of CTA (0,0,0) wait for other lanes of their warp (causes.cu:172)'
tells named 96 'causes.cu:142: error: kernel named hangs: 32 threads of CTA (0,0,0) wait at barrier 3: 32 of 96 threads have come' \
    '  Likely: the other threads have exited: 1 of 3 warps of the CTA remain, and barrier 3 asks for 96 threads.'
tells named 64 '  Likely: barrier 3 asks for 96 threads, and the CTA has only 64.'
tells counted 64 '  Likely: barrier 3 asks for 96 threads, and the CTA has only 64. Other threads name it with 64.'
tells registers 512 'causes.cu:152: error: kernel registers hangs: 512 threads of CTA (0,0,0) wait for registers: they want 240 each, and can have 128' \
    '  Likely: other warps must release registers with setmaxnreg.dec before these can have 240 each.'
tells part 128 'causes.cu:164: error: kernel part hangs: 96 threads of CTA (0,0,0) wait for other warps of their warpgroup at a wgmma' \
    '  Likely: the four warps of a warpgroup execute a wgmma together, and 1 of them is not there or has exited.'

# The one CTA that keeps up 131 others leads, however many there are; they are one line.
expect 1 '^causes.cu:184: error: kernel one_of_many hangs: 128 threads of CTA \(77,0,0\) wait for mbarrier full: its arrival is missing; see causes.cu:180$' \
    -- "$RUN_PTX" "$folder/causes.ptx" one_of_many 132 128
grep -qE '^  follows: 16768 threads of 131 CTAs poll memory at 0x[0-9a-f]+, which is 0x0 \(causes.cu:186\)$' "$scratch/out" || {
    cat "$scratch/out"; failed=1; }
# What does not fit is counted; --verbose has it.
expect 1 'and [0-9]+ more (waits that depend on no other|groups of threads that follow); --verbose shows all' \
    -- "$RUN_PTX" "$folder/causes.ptx" sixteen 1 512
[ "$(wc -l <"$scratch/out")" -le 17 ] || { echo "more than one screen:"; cat "$scratch/out"; failed=1; }
expect 1 'wait at barrier 15: 32 of 64' --verbose -- "$RUN_PTX" "$folder/causes.ptx" sixteen 1 512
grep -q 'shows all' "$scratch/out" && { cat "$scratch/out"; failed=1; }

# The whole state as JSON, by its schema.
for kernel in "too_few 64" "left_early 64" "named 96" "registers 512" "part 128" "elects 64"; do
    "$TMAREF" exec --json -- "$RUN_PTX" "$folder/causes.ptx" ${kernel% *} 1 ${kernel#* }
done >"$scratch/json" 2>&1
"$TMAREF" exec --json -- "$RUN_PTX" "$folder/hang.ptx" spin >>"$scratch/json" 2>&1
"$TMAREF" exec --json -- "$RUN_PTX" "$folder/hang.ptx" guarded 1 64 >>"$scratch/json" 2>&1
"$TMAREF" exec --json --limit-instructions 10000 -- "$RUN_PTX" "$folder/hang.ptx" spin >>"$scratch/json" 2>&1
grep -qE '"see": \["causes\.cu:[0-9]+"' "$scratch/json" || { echo "no place behind see"; failed=1; }
if command -v python3 >/dev/null; then
    root=$(dirname "$0")/../..
    python3 "$root/tests/hang/schema.py" "$root/docs/hang.schema.json" "$scratch/json" || failed=1
else
    echo "no python3: docs/hang.schema.json is not checked"
fi

# Faults at a barrier.
tells not_made 64 'causes.cu:120: error: CUDA_ERROR_LAUNCH_FAILED (719) in kernel not_made: nobody has initialised mbarrier full at shared address 0x800' \
    '      No mbarrier.init has created a barrier there.' \
    '      Likely: the init is missing, or there is no barrier of all threads after it.'
tells next_phase 64 '      Its current phase has parity 0: 0 of 1 arrivals and 64 bytes are missing.' \
    '      Likely: this arrival belongs to the next phase, or to another mbarrier. The wait before it is missing or returned at once because it had the parity of another phase, or the arrival names the wrong stage.'
exit $failed
