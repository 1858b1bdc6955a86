#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `tmaref exec --sanitize`. usage: sanitize.sh FOLDER; TMAREF is the command, RUN_PTX a program.
set -u
. "$(dirname "$0")/expect.sh"
folder=$1

# finds SCHEDULE KERNEL LINE SENTENCE PLACE...: that finding alone, at that line
finds() {
    local kernel=$2 threads=64
    [ "$kernel" = multiplied ] && threads=128
    expect 0 "^checks.cu:$3: error: sanitize: kernel $kernel: $4" --sanitize --schedule "$1" -- "$RUN_PTX" "$folder/checks.ptx" "$kernel" 1 "$threads"
    shift 4
    for place in "$@"; do
        grep -qF -- "    $place" "$scratch/out" || { echo "$kernel: no '$place' in:"; cat "$scratch/out"; failed=1; }
    done
    grep -qF "tmaref: sanitize: kernel $kernel: 1 finding" "$scratch/out" || { echo "$kernel: not one finding:"; cat "$scratch/out"; failed=1; }
}

# is_clean SCHEDULE KERNEL GRID [CLUSTER]
is_clean() {
    expect 0 "^tmaref: sanitize: kernel $2: clean" --sanitize --schedule "$1" -- "$RUN_PTX" "$folder/checks.ptx" "$2" "$3" 64 ${4:+"$4"}
}

# Registers of wgmma.
of_registers() { # KERNEL LINE SENTENCE PLACE
    expect 0 "^products.cu:$2: error: sanitize: kernel $1: $3" --sanitize -- "$RUN_PTX" "$folder/products.ptx" "$1" 1 128
    grep -qF -- "    $4" "$scratch/out" && grep -qF "kernel $1: 1 finding" "$scratch/out" || { echo "$1: no '$4', or not one finding:"; cat "$scratch/out"; failed=1; }
}
of_registers used 12 'a register is used that a wgmma may not have written yet: register 0 of D' 'the wgmma: products.cu:10, CTA (0,0,0), warps 0 to 3'
of_registers one_too_many 23 'a register is used' 'the wgmma: products.cu:20'
of_registers uncommitted 32 'a register is used' 'the wgmma: products.cu:30'
of_registers changed 42 'a register is overwritten that a wgmma may still read: register 1 of A' 'the wgmma: products.cu:40'
of_registers chained 52 'a register is used' 'the wgmma: products.cu:50'
of_registers renumbered 82 'a register is used that a wgmma may not have written yet: register 1 of D' 'the wgmma: products.cu:80'
of_registers unfenced 64 'wgmma.fence is missing between the use of a register and a wgmma that takes it: register 1 of D' 'the use: products.cu:63'
of_registers never_fenced 72 'wgmma.fence is missing' 'the wgmma: products.cu:72'
for kernel in ordered one_behind late_constant; do
    expect 0 "^tmaref: sanitize: kernel $kernel: clean" --sanitize -- "$RUN_PTX" "$folder/products.ptx" $kernel 1 128
done

# What is found does not depend on the order in which things were done.
copy='copy.h:5, inlined at checks.cu'
for schedule in default late early shuffled; do
    finds $schedule unfenced 14 'fence.proxy.async is missing' "the operation: $copy:14, CTA (0,0,0), thread (0,0,0), async proxy, " 'the write: checks.cu:12, CTA (0,0,0), thread '
    finds $schedule other 154 'fence.proxy.async is missing' 'the write: checks.cu:152'
    finds $schedule again 62 'an mbarrier was initialised again' 'the init before it: checks.cu:60'
    finds $schedule missing 74 'an mbarrier is used that no mbarrier.init has created'
    finds $schedule early 24 'a thread may read bytes before a copy has written them: tile' "the copy: $copy:22" \
        'missing: a wait that acquires the phase in which the copy completes; the copy completes on mbarrier full'
    finds $schedule covered 34 'a thread may write bytes while a copy writes them' "the copy: $copy:32"
    finds $schedule direction 132 'an operation may read bytes before a copy has written them' 'the copy: checks.cu:131'
    finds $schedule multiplied 94 'an operation may read bytes before a copy has written them' "the copy: $copy:92"
    finds $schedule reused 46 'bytes may be overwritten that an operation still reads' "the operation: $copy:44"
    finds $schedule refilled 56 'bytes may be overwritten that an operation still reads' "the operation: $copy:54"
    finds $schedule unexpected 82 'a copy brings bytes to an mbarrier that no expect_tx announces'
    is_clean $schedule right 1
    is_clean $schedule behind 1
    is_clean $schedule resident 300
    is_clean $schedule spread 2 2
    is_clean $schedule beside 2 2
    is_clean $schedule signals 2 2
    is_clean $schedule stored_over 2 2
    is_clean $schedule numbers 1
done
finds default awaited 174 'an mbarrier may be used before it is initialised: full' 'the init: checks.cu:172'
# Of the copies since the announcements fell behind, the first.
finds default unannounced 182 'a copy brings bytes to an mbarrier that no expect_tx announces: full' 'the copy: checks.cu:182'
finds default maximum 192 'nothing orders two accesses to the same bytes of global memory' 'the other: checks.cu:191'

# setmaxnreg needs a meeting of the warpgroup behind the one before it.
expect 0 '^checks.cu:211: error: sanitize: kernel registers_twice: a warp executes setmaxnreg again .*: registers of the four warps from 0 on' --sanitize -- "$RUN_PTX" "$folder/checks.ptx" registers_twice 1 128
grep -q 'one of another warp before it: checks.cu:210' "$scratch/out" && grep -q 'kernel registers_twice: 1 finding' "$scratch/out" || { echo "registers_twice:"; cat "$scratch/out"; failed=1; }
expect 0 '^tmaref: sanitize: kernel registers_apart: clean' --sanitize -- "$RUN_PTX" "$folder/checks.ptx" registers_apart 1 128

# Strong accesses of two sizes are advice.
expect 0 '^checks.cu:22[01]: note: sanitize: kernel two_sizes: two strong accesses of different sizes to the same bytes' --sanitize -- "$RUN_PTX" "$folder/checks.ptx" two_sizes 1 64
grep -q '^    the other: checks.cu:22[01]' "$scratch/out" && grep -q 'kernel two_sizes: clean$' "$scratch/out" || { echo "two_sizes:"; cat "$scratch/out"; failed=1; }
expect 0 '^tmaref: sanitize: kernel one_size: clean$' --sanitize -- "$RUN_PTX" "$folder/checks.ptx" one_size 1 64
grep -q 'note:' "$scratch/out" && { echo "one_size: advice"; cat "$scratch/out"; failed=1; }

# Where one access is kept for several, each of them is found.
hides() { # KERNEL THREADS LINE OTHER
    expect 0 "^hidden.cu:$3: error: sanitize: kernel $1: nothing orders two accesses" --sanitize -- "$RUN_PTX" "$folder/hidden.ptx" "$1" 1 "$2"
    grep -qF "    the other: hidden.cu:$4," "$scratch/out" && grep -qF "kernel $1: 1 finding" "$scratch/out" ||
        { echo "$1: no other at line $4, or not one finding:"; cat "$scratch/out"; failed=1; }
}
hides turned_rows 32 2 1
hides first_word 32 2 1
hides near_guess 64 5 1
hides first_line 64 3 1
hides beside 64 192 191
hides crowded 448 3 1
hides late_use 64 5 2
hides far_write 32 3 1
hides far_write_and_read 32 4 1
hides byte_of_a_word 32 3 1
hides lines_of_a_cell 64 3 1
for kernel in met_for_a_byte tiles_of_lanes; do
    expect 0 "^tmaref: sanitize: kernel $kernel: clean$" --sanitize -- "$RUN_PTX" "$folder/hidden.ptx" $kernel 1 32
done
expect 0 '^tmaref: sanitize: kernel counter_reset: clean$' --sanitize -- "$RUN_PTX" "$folder/hidden.ptx" counter_reset 2 1
expect 0 '^hidden.cu:2: note: sanitize: kernel flag_of_lanes: .*both wrote the same value in this run: flag' --sanitize -- "$RUN_PTX" "$folder/hidden.ptx" flag_of_lanes 1 32
grep -q '^    missing: __syncwarp()' "$scratch/out" && grep -q 'kernel flag_of_lanes: clean$' "$scratch/out" || { echo "flag_of_lanes:"; cat "$scratch/out"; failed=1; }

expect 0 '^hidden.cu:2: note: sanitize: kernel volatile_steps: lanes of a warp exchange' --sanitize -- "$RUN_PTX" "$folder/hidden.ptx" volatile_steps 1 32
[ "$(grep -c 'note: sanitize' "$scratch/out")" = 1 ] || { echo "volatile_steps:"; cat "$scratch/out"; failed=1; }

# A copy leads with the call of its helper, once for all that a report shows alike.
expect 0 '^hidden.cu:3: error: sanitize: kernel wrapped: a copy brings bytes' --sanitize -- "$RUN_PTX" "$folder/hidden.ptx" wrapped 1 32
grep -q '^    the copy: hidden.cu:7, inlined at hidden.cu:3,' "$scratch/out" && [ "$(grep -c 'a copy brings' "$scratch/out")" = 1 ] ||
    { echo "wrapped:"; cat "$scratch/out"; failed=1; }

# Threads that give a barrier different numbers.
for seed in 0 1 2 3; do
    "$TMAREF" exec --sanitize --json --schedule shuffled --seed $seed -- "$RUN_PTX" "$folder/checks.ptx" counts 1 128 >>"$scratch/counts" 2>&1
done
grep -qE '^\{"sanitize": "SANITIZE_COUNT", "kernel": "counts", .*"line": 12[24],.*"other_line": 12[24],.*"name": "barrier 1 of the CTA".*"space": "barrier"' "$scratch/counts" ||
    { echo "counts:"; cat "$scratch/counts"; failed=1; }
# Rows of a block that is narrower than a warp, and lanes that write where others have read.
expect 0 'kernel next_row: 1 finding$' --sanitize -- "$RUN_PTX" "$folder/rows.ptx" next_row 1 16x4
expect 0 'error: sanitize: kernel next_row: nothing orders two accesses of threads to the same bytes' --sanitize -- "$RUN_PTX" "$folder/rows.ptx" next_row 1 16x4
expect 0 'kernel next_lane: 1 finding$' --sanitize -- "$RUN_PTX" "$folder/rows.ptx" next_lane 1 32
# --check adds nothing.
expect 0 'kernel unfenced: 1 finding' --sanitize --check -- "$RUN_PTX" "$folder/checks.ptx" unfenced 1 64
grep -q 'check: kernel' "$scratch/out" && { echo "told twice:"; cat "$scratch/out"; failed=1; }

expect 0 "^tmaref: note: sanitize: kernel same_value: .*both wrote the same value" --sanitize -- "$RUN_PTX" "$folder/checks.ptx" same_value 1 64
grep -q 'error:' "$scratch/out" && { echo "same_value: an error:"; cat "$scratch/out"; failed=1; }

# What the user knows is not told: by the line of either side, by kernel, everywhere.
for line in 'SANITIZE_FENCE checks.cu:14' '* checks.cu:12 # the write' 'SANITIZE_FENCE kernel:unfenced' '* *'; do
    printf '# known\n\n%s\n' "$line" >"$scratch/known"
    expect 0 '^tmaref: sanitize: kernel unfenced: clean, 1 suppressed$' --sanitize --suppressions "$scratch/known" --error-exitcode 9 -- "$RUN_PTX" "$folder/checks.ptx" unfenced 1 64
    grep -q 'error:' "$scratch/out" && { echo "$line: it is told:"; cat "$scratch/out"; failed=1; }
done
for line in 'SANITIZE_RACE checks.cu:14' 'SANITIZE_FENCE checks.cu:13' '* hecks.cu:14' '* kernel:unfence'; do
    echo "$line" >"$scratch/known"
    expect 9 'kernel unfenced: 1 finding$' --sanitize --suppressions "$scratch/known" --error-exitcode 9 -- "$RUN_PTX" "$folder/checks.ptx" unfenced 1 64
done
echo '* *' >"$scratch/known"
expect 0 '"verdict": "clean", .*"findings": 0, "suppressed": 1' --sanitize --json --suppressions "$scratch/known" -- "$RUN_PTX" "$folder/checks.ptx" unfenced 1 64
for line in 'SANITIZE_NONE *' '* checks.cu' '* checks.cu:0' '* kernel:' '*' '* * *'; do
    echo "$line" >"$scratch/known"
    expect 2 "--suppressions: $scratch/known:1: " --sanitize --suppressions "$scratch/known" -- "$RUN_PTX" "$folder/checks.ptx" unfenced 1 64
done
expect 2 '--suppressions: cannot read /no/such/file: No such file' --sanitize --suppressions /no/such/file -- "$RUN_PTX" "$folder/checks.ptx" unfenced 1 64

# A mistake of a kernel that runs twice is told once, and both verdicts count it.
export RUN_PTX_TWICE=1
expect 0 '^tmaref: sanitize: kernel unfenced: 1 finding, 1 told before$' --sanitize -- "$RUN_PTX" "$folder/checks.ptx" unfenced 1 64
[ "$(grep -c 'error: sanitize' "$scratch/out")" = 1 ] || { echo "unfenced: not told once:"; cat "$scratch/out"; failed=1; }
expect 0 '"findings": 1, "again": 1' --sanitize --json -- "$RUN_PTX" "$folder/checks.ptx" unfenced 1 64
[ "$(grep -c SANITIZE_FENCE "$scratch/out")" = 1 ] || { echo "unfenced: not one line of JSON:"; cat "$scratch/out"; failed=1; }
expect 0 'error: check: kernel unfenced' --check -- "$RUN_PTX" "$folder/checks.ptx" unfenced 1 64
[ "$(grep -c 'error: check' "$scratch/out")" = 1 ] || { echo "unfenced: --check did not tell it once:"; cat "$scratch/out"; failed=1; }
unset RUN_PTX_TWICE

# A launch that does not end is not clean.
expect 1 '^tmaref: sanitize: kernel stopped: 1 finding, and incomplete: the kernel did not run to its end' --sanitize -- "$RUN_PTX" "$folder/checks.ptx" stopped 1 64

# A launch that ran what is not followed is not clean either.
expect 0 '^tmaref: sanitize: kernel busy: incomplete: this ran, and is not followed: fence.proxy.alias \(two addresses of the same bytes\)' --sanitize -- "$RUN_PTX" "$folder/checks.ptx" busy 2 64 2

# For machines, and for scripts.
expect 0 '^\{"sanitize": "SANITIZE_FENCE", "kernel": "unfenced", .*"what": "the operation", "file": "copy.h", "line": 5,.*"user_line": 14, "cta": \[0, 0, 0\], "thread": \[0, 0, 0\], "proxy": "async", .*"other_line": 12.*"name": "tile"' \
    --sanitize --json -- "$RUN_PTX" "$folder/checks.ptx" unfenced 1 64
grep -m 1 "^{" "$scratch/out" | "$JSON_CHECK" sanitize >"$scratch/key" && grep -q 'SANITIZE_FENCE' "$scratch/key" || { echo "no JSON:"; cat "$scratch/out"; failed=1; }
expect 0 '^\{"sanitize": "VERDICT", "verdict": "clean", "kernel": "right"' --sanitize --json -- "$RUN_PTX" "$folder/checks.ptx" right 1 64
expect 9 'fence.proxy.async is missing' --sanitize --error-exitcode 9 -- "$RUN_PTX" "$folder/checks.ptx" unfenced 1 64
expect 0 'clean' --sanitize --error-exitcode 9 -- "$RUN_PTX" "$folder/checks.ptx" right 1 64
# The page shows the table of what is followed.
root=$(dirname "$0")/../..
tr '\n' ' ' <"$root/model/look/sanitize_forms.def" | grep -oE 'SANITIZED\([A-Z0-9_]+, [A-Z0-9_]+, [A-Z]+, "[^"]*", +"[^"]*"\)' |
    sed -E 's/SANITIZED\([A-Z0-9_]+, [A-Z0-9_]+, ([A-Z]+), "([^"]*)", +"([^"]*)"\)/| \2 | \1 | \3 |/
        s/\| NOTHING \|/| nothing to order |/; s/\| EXACT \|/| exact |/; s/\| COARSE \|/| coarse |/; s/\| NOT \|/| not followed |/' >"$scratch/rows"
[ "$(grep -c '^SANITIZED(' "$root/model/look/sanitize_forms.def")" = "$(wc -l <"$scratch/rows")" ] || { echo "not every row of sanitize_forms.def was read"; failed=1; }
while read -r row; do
    grep -qxF -- "$row" "$root/docs/sanitizer.md" || { echo "docs/sanitizer.md lacks: $row"; failed=1; }
done <"$scratch/rows"
exit $failed
