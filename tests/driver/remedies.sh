#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `tmaref exec --remedies`: which mistakes of the zoo an edit mends. usage: remedies.sh FOLDER; TMAREF is the
# command, RUN_ZOO a program. The table in docs/sanitizer.md has the counts.
set -u
. "$(dirname "$0")/expect.sh"
folder=$1
page=$(dirname "$0")/../../docs/sanitizer.md

for file in "$folder"/*.ptx; do
    class=$(basename "$file" .ptx)
    planted=0 mended=0 confirmed=0
    sed -E 's|^//-||; s|^//\+.*||' "$file" >"$scratch/mistake.ptx"
    for kernel in $(sed -nE 's|^// zoo ([a-z_0-9]+) .*|\1|p' "$file"); do
        "$TMAREF" exec --remedies --json -- "$RUN_ZOO" "$scratch/mistake.ptx" "$kernel" >/dev/null 2>"$scratch/err"
        planted=$((planted + 1))
        grep -q '"remedy": "clean"' "$scratch/err" && mended=$((mended + 1))
        grep -q '"confirmed": "--schedule ' "$scratch/err" && confirmed=$((confirmed + 1))
    done
    echo "| $class | $planted mistakes | $mended mended | $confirmed confirmed |" >>"$scratch/table"
done
cat "$scratch/table"
while read -r row; do
    grep -qxF -- "$row" "$page" || { echo "docs/sanitizer.md lacks: $row"; failed=1; }
done <"$scratch/table"

# The edit, where it goes, and what came of it.
sed -E 's|^//-||; s|^//\+.*||' "$folder/fences.ptx" >"$scratch/mistake.ptx"
expect 0 '^    remedy: fence.proxy.async; behind PTX line 26 .*: tried, and with it the run is clean$' \
    --remedies -- "$RUN_ZOO" "$scratch/mistake.ptx" store_unfenced
expect 0 '"remedy": "clean", "remedy_edits": \[\{"where": "behind", "ptx_line": 26, "text": "fence.proxy.async;"\}\]' \
    --remedies --json -- "$RUN_ZOO" "$scratch/mistake.ptx" store_unfenced
grep -q '"confirmed": "--schedule late"' "$scratch/out" || { echo "not confirmed:"; cat "$scratch/out"; failed=1; }
expect 0 '^    confirmed: under --schedule late the launch ends otherwise; with the remedy it does not$' --remedies -- "$RUN_ZOO" "$scratch/mistake.ptx" store_unfenced
grep -qx 'tmaref: sanitize: kernel store_unfenced: under --schedule late it leaves other bytes in memory' "$scratch/out" || { echo "no schedule:"; cat "$scratch/out"; failed=1; }
# Three lines of one edit, a statement that moves with a barrier, a wait, and a parity that turns.
mend() { # CLASS KERNEL LINE
    sed -E 's|^//-||; s|^//\+.*||' "$folder/$1.ptx" >"$scratch/$1.ptx"
    expect 0 "$3" --remedies -- "$RUN_ZOO" "$scratch/$1.ptx" "$2"
}
mend maps no_barrier '^    remedy: fence.proxy.tensormap::generic.release.gpu; behind PTX line 181 \(.*\), and bar.sync 0; before PTX line 186 \(.*\), and fence.proxy.tensormap::generic.acquire.gpu \[%d2\], 128; before PTX line 186 \(.*\): tried, and with it the run is clean$'
mend scopes flag_before_data '^    remedy: without PTX line 379 \(.*\), and bar.sync 0; @%first st.release.gpu.global.u32 \[%out \+ 4096\], 7; behind PTX line 382 \(.*\): tried, and with it the run is clean$'
mend waits no_wait '^    remedy: \{ .reg .pred %p; WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p, \[full\], 0; @!%p bra WAIT; \} before PTX line 33 \(.*\): tried, and with it the run is clean$'
mend waits old_parity '^    remedy: .*mbarrier.try_wait.parity.shared.b64 %p, \[full\], %q; \} in place of PTX line 178 \(.*\): tried, and with it the run is clean$'
# A ring of mbarriers without a name, and products of a straight run: one edit for all that is found.
cat >"$scratch/rings.ptx" <<'PTX'
.version 8.6
.target sm_90a
.address_size 64
// zoo ring 1 64 0
.visible .entry ring(.param .u64 out)
{
    .reg .pred %p, %first;
    .reg .b32 %t, %r<8>;
    .reg .b64 %out;
    .shared .align 128 .b8 all[1024];
    ld.param.u64 %out, [out];
    mov.u32 %t, %tid.x;
    setp.eq.u32 %first, %t, 0;
    mov.u32 %r0, all;
    @%first mbarrier.init.shared.b64 [%r0 + 512], 1;
    @%first mbarrier.init.shared.b64 [%r0 + 520], 1;
    bar.sync 0;
    mov.u32 %r1, 0;
turn:
    and.b32 %r2, %r1, 1;
    mad.lo.u32 %r3, %r2, 256, %r0;
    mad.lo.u32 %r4, %r2, 8, %r0;
    setp.lt.u32 %p, %r1, 2;
    @%p bra issue;
    shr.u32 %r6, %r1, 1;
    add.u32 %r6, %r6, 1;
    and.b32 %r6, %r6, 1;
before:
    mbarrier.try_wait.parity.shared.b64 %p, [%r4 + 512], %r6;
    @!%p bra before;
issue:
    @%first mbarrier.arrive.expect_tx.shared.b64 _, [%r4 + 512], 256;
    @%first cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%out], 256, [%r4 + 512];
    mad.lo.u32 %r3, %t, 4, %r3;
    ld.shared.u32 %r5, [%r3];
    bar.sync 0;
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p, %r1, 5;
    @%p bra turn;
    ret;
}
// zoo products 1 128 0
.visible .entry products(.param .u64 out)
{
    .reg .b32 %d<2>;
    .reg .b64 %a;
    .shared .align 1024 .b8 tile[4096];
    mov.b64 %a, 0x0001000100010040;
    wgmma.fence.sync.aligned;
    wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%d0, %d1}, %a, %a, 0, 1, 1, 0, 0;
    wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%d0, %d1}, %a, %a, 1, 1, 1, 0, 0;
    wgmma.wait_group.sync.aligned 0;
    ret;
}
// zoo second 1 64 0
.visible .entry second(.param .u64 out)
{
    .reg .pred %first;
    .reg .b32 %t, %r<4>;
    .shared .align 128 .b8 all[1024];
    mov.u32 %t, %tid.x;
    setp.eq.u32 %first, %t, 0;
    mov.u32 %r0, all;
    mov.u32 %r1, 2;
    @%first mbarrier.init.shared.b64 [%r0 + 512], %r1;
    bar.sync 0;
    @%first mbarrier.expect_tx.relaxed.cta.shared.b64 [%r0 + 520], 16;
    ret;
}
PTX
expect 0 '^    remedy: \{ .reg .b32 %at; mov.b32 %at, 0x608; @%first mbarrier.init.shared::cta.b64 \[%at\], %r1; \} behind PTX line 65 \(.*\): tried, and with it the run is clean$' \
    --remedies -- "$RUN_ZOO" "$scratch/rings.ptx" second
expect 0 '^    remedy: .reg .b32 %turn; mov.b32 %turn, 0; before PTX line 7 .*rem.u32 %q, %turn, 2; .* before PTX line 35 \(.*\): tried, and with it the run is clean$' \
    --remedies -- "$RUN_ZOO" "$scratch/rings.ptx" ring
[ "$(grep -c 'error: sanitize' "$scratch/out")" = "$(grep -c 'with it the run is clean' "$scratch/out")" ] || { echo "ring: not one edit for all:"; cat "$scratch/out"; failed=1; }
expect 0 '^    remedy: wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; behind PTX line 51 \(.*\): tried, and with it the run is clean$' \
    --remedies -- "$RUN_ZOO" "$scratch/rings.ptx" products
# From what the text has of a wait or an arrival. A branch past the first wait, whose loop is there; a loop that gives up, whose
# first try is there; a parity in a block; an arrive without a wait for its token; a token that nothing gives; no announcement.
cat >"$scratch/head" <<'PTX'
.version 8.6
.target sm_90a
.address_size 64
.const .align 4 .b32 numbers[4] = {1, 2, 3, 4};
.global .align 4 .b8 bytes[64];
// zoo KERNEL 1 64 0
.visible .entry KERNEL(.param .u64 out)
{
    .reg .pred %p, %first;
    .reg .b32 %t, %r<8>;
    .reg .b64 %out, %s, %before;
    .shared .align 128 .b8 tile[256];
    .shared .align 8 .b64 full;
    ld.param.u64 %out, [out];
    mov.u32 %t, %tid.x;
    setp.eq.u32 %first, %t, 0;
    @%first mbarrier.init.shared.b64 [full], 1;
    bar.sync 0;
    mov.u32 %r0, full;
    mov.u32 %r1, 0;
turn:
    mov.u32 %r3, 0;
PTX
cat >"$scratch/copy" <<'PTX'
    @%first mbarrier.arrive.expect_tx.shared.b64 _, [%r0], 256;
    @%first cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%out], 256, [%r0];
PTX
cat >"$scratch/tail" <<'PTX'
    mad.lo.u32 %r4, %t, 4, %r5;
    ld.shared.u32 %r4, [%r4];
    bar.sync 0;
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p, %r1, 5;
    @%p bra turn;
    ret;
}
PTX
again() { # KERNEL REMEDY, between the head and the tail standard input
    { sed "s/KERNEL/$1/" "$scratch/head"; cat; echo '    mov.u32 %r5, tile;'; cat "$scratch/tail"; } >"$scratch/$1.ptx"
    "$TMAREF" exec --remedies -- "$RUN_ZOO" "$scratch/$1.ptx" "$1" >"$scratch/out" 2>&1
    grep -qE "^    remedy: $2: tried, and with it the run is clean\$" "$scratch/out" || { echo "$1: not $2:"; cat "$scratch/out"; failed=1; }
}
{ cat "$scratch/copy"; cat <<'PTX'
    and.b32 %r2, %r1, 1;
    setp.eq.u32 %p, %r1, %r1;
    @%p bra past;
loop:
    mbarrier.try_wait.parity.shared.b64 %p, [%r0], %r2;
    @!%p bra loop;
past:
PTX
} | again branch_past 'without PTX line 27 \(.*\)'
{ cat "$scratch/copy"; cat <<'PTX'
    and.b32 %r2, %r1, 1;
    mbarrier.try_wait.parity.shared.b64 %p, [%r0], %r2;
PTX
} | again gives_up '\{ .reg .pred %p; WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p, \[%r0\], %r2; @!%p bra WAIT; \} before PTX line 29 \(.*\)'
{ cat "$scratch/copy"; cat <<'PTX'
    not.b32 %r2, %r1;
    and.b32 %r2, %r2, 1;
    { .reg .pred %q; L: mbarrier.try_wait.parity.shared.b64 %q, [%r0], %r2; @!%q bra L; }
PTX
} | again block '\{ .reg .pred %q; L: \{ .reg .b32 %other; xor.b32 %other, %r2, 1; mbarrier.try_wait.parity.shared.b64 %q, \[%r0\], %other; \} @!%q bra L; \} in place of PTX line 27 \(.*\)'
again token_left '\{ .reg .pred %p; WAIT: mbarrier.try_wait.shared::cta.b64 %p, \[%r0\], %s; @!%p bra WAIT; \} behind PTX line 26 \(.*\)' <<'PTX'
    @!%first bra others;
    mbarrier.expect_tx.relaxed.cta.shared.b64 [%r0], 256;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%out], 256, [%r0];
    mbarrier.arrive.shared.b64 %s, [%r0];
others:
    bar.sync 0;
PTX
again never_given 'mbarrier.arrive.shared::cta.b64 %s, \[%r0\]; before PTX line 33 \(.*\)' <<'PTX'
    @!%first bra others;
    mbarrier.expect_tx.relaxed.cta.shared.b64 [%r0], 256;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%out], 256, [%r0];
    mbarrier.arrive.shared.b64 %before, [%r0];
loop_before:
    mbarrier.try_wait.shared.b64 %p, [%r0], %before;
    @!%p bra loop_before;
    mbarrier.expect_tx.relaxed.cta.shared.b64 [%r0], 256;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%out], 256, [%r0];
    mov.u32 %r1, 5;
loop:
    mbarrier.try_wait.shared.b64 %p, [%r0], %s;
    @!%p bra loop;
others:
    mov.u32 %r1, 5;
    bar.sync 0;
PTX
again unannounced '@%first mbarrier.arrive.expect_tx.shared::cta.b64 _, \[%r0\], 256; before PTX line 23 \(.*\)' <<'PTX'
    @%first cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%out], 256, [%r0];
    and.b32 %r2, %r1, 1;
loop:
    mbarrier.try_wait.parity.shared.b64 %p, [%r0], %r2;
    @%p bra past;
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p, %r3, 8;
    @%p bra loop;
past:
PTX
again too_few_threads '@!%p bar.sync 1; in place of PTX line 27 \(.*\)' <<'PTX'
    @%first mov.u32 %r3, 0;
    bar.sync 0;
    setp.gt.u32 %p, %t, 31;
    @%p bar.sync 1;
    @!%p bar.sync 1, 32;
PTX
# None that mends, and none at all.
mend races global_same_word '^    remedy: [0-9]+ edits were tried, and none mends this$'
mend races lanes_gone '^    remedy: none was tried: there is no edit for it$'
expect 0 '^tmaref: --remedies: no remedy is tried with --stats' --remedies --stats -- "$RUN_ZOO" "$scratch/mistake.ptx" store_unfenced
grep -q 'remedy:' "$scratch/out" && { echo "a remedy with --stats:"; cat "$scratch/out"; failed=1; }
# --check is part of it.
expect 0 '^    remedy: fence.proxy.async; behind PTX line 26 .*: tried, and with it the run is clean$' --remedies --check -- "$RUN_ZOO" "$scratch/mistake.ptx" store_unfenced
# A right kernel stays clean.
sed -E 's|^//\+||; s|^//-.*||' "$folder/fences.ptx" >"$scratch/right.ptx"
expect 0 'kernel store_unfenced: clean' --remedies -- "$RUN_ZOO" "$scratch/right.ptx" store_unfenced
# Each try begins with the memory from before the launch: else `once` traps. The program sees nothing of the tries: else
# `seen` does, which runs behind it.
cat >"$scratch/once.ptx" <<'PTX'
.version 8.6
.target sm_90a
.address_size 64
// zoo once 1 64 0 seen
.visible .entry once(.param .u64 out)
{
    .reg .pred %p, %first;
    .reg .b32 %t, %r<4>;
    .reg .b64 %out, %d;
    .shared .align 128 .b8 tile[1024];
    ld.param.u64 %out, [out];
    mov.u32 %t, %tid.x;
    setp.eq.u32 %first, %t, 0;
    mov.u32 %r0, tile;
    mad.lo.u32 %r0, %t, 4, %r0;
    ld.volatile.global.u32 %r1, [%out];
    setp.ne.u32 %p, %r1, 0;
    @%p trap;
    bar.sync 0;
    @%first red.global.add.u32 [%out], 1;
    st.shared.u32 [%r0], %t;
    bar.sync 0;
    @%first cp.async.bulk.global.shared::cta.bulk_group [%out + 4096], [tile], 256;
    @%first cp.async.bulk.commit_group;
    @%first cp.async.bulk.wait_group 0;
    ret;
}
.visible .entry seen(.param .u64 out)
{
    .reg .pred %p;
    .reg .b32 %r;
    .reg .b64 %out;
    ld.param.u64 %out, [out];
    griddepcontrol.wait;
    ld.global.u32 %r, [%out];
    setp.ne.u32 %p, %r, 1;
    @%p trap;
    ret;
}
PTX
for memory in '' mapped; do # of cuMemCreate too, which is copied for the tries
    expect 0 '^    remedy: fence.proxy.async; behind PTX line 21 .*: tried, and with it the run is clean$' --remedies -- "$RUN_ZOO" "$scratch/once.ptx" once $memory
    grep -q 'kernel seen: clean' "$scratch/out" || { echo "the launch behind the tries:"; cat "$scratch/out"; failed=1; }
done
exit $failed
