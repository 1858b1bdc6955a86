#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `tmaref exec --remedies` where the compiler has unrolled a loop: an edit is made at each copy of its line, with the
# operands of the copy. usage: remedies_copies.sh; TMAREF is the command, RUN_ZOO a program.
set -u
. "$(dirname "$0")/expect.sh"

# In each turn a thread stores what all have written, and nobody waits for it: two stores are at fault, one edit at
# one line leaves the other. In each turn bytes come at another mbarrier that nobody announced: the third finding needs
# its own address.
cat >"$scratch/copies.ptx" <<'PTX'
.version 8.6
.target sm_90a
.address_size 64
// zoo stores 1 64 0
.visible .entry stores(.param .u64 out)
{
    .reg .pred %first;
    .reg .b32 %t, %r<4>;
    .reg .b64 %out<4>;
    .shared .align 128 .b8 tile[256];
    ld.param.u64 %out0, [out];
    mov.u32 %t, %tid.x;
    setp.eq.u32 %first, %t, 0;
    mov.u32 %r0, tile;
    mad.lo.u32 %r1, %t, 4, %r0;
PTX
for turn in 1 2 3; do
    cat <<PTX
    .loc 1 7 9
    st.shared.u32 [%r1], $turn;
    .loc 1 8 9
    fence.proxy.async;
    bar.sync 0;
    .loc 1 9 9
    @%first cp.async.bulk.global.shared::cta.bulk_group [%out$((turn - 1))], [%r0], 256;
    .loc 1 10 9
    @%first cp.async.bulk.commit_group;
    @%first cp.async.bulk.wait_group $((turn == 3 ? 0 : 1));
    .loc 1 11 9
    bar.sync 0;
    add.u64 %out$turn, %out0, $((256 * turn));
PTX
done >>"$scratch/copies.ptx"
cat >>"$scratch/copies.ptx" <<'PTX'
    ret;
}
// zoo announces 1 64 0
.visible .entry announces(.param .u64 out)
{
    .reg .pred %first, %p;
    .reg .b32 %t, %r<8>;
    .reg .b64 %out;
    .shared .align 128 .b8 tile[256];
    .shared .align 8 .b64 full[3];
    ld.param.u64 %out, [out];
    mov.u32 %t, %tid.x;
    setp.eq.u32 %first, %t, 0;
    mov.u32 %r0, tile;
    mov.u32 %r1, full;
    mov.u32 %r2, full + 8;
    mov.u32 %r3, full + 16;
    @%first mbarrier.init.shared.b64 [%r1], 1;
    @%first mbarrier.init.shared.b64 [%r2], 1;
    @%first mbarrier.init.shared.b64 [%r3], 1;
    bar.sync 0;
PTX
for turn in 1 2 3; do
    cat <<PTX
    .loc 1 27 9
    @%first mbarrier.arrive.shared.b64 _, [%r$turn];
    .loc 1 28 9
    @%first cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r0], [%out], 256, [%r$turn];
    .loc 1 29 9
WAIT$turn:
    mbarrier.try_wait.parity.shared.b64 %p, [%r$turn], 0;
    @!%p bra WAIT$turn;
PTX
done >>"$scratch/copies.ptx"
printf '    ret;\n}\n.file 1 "turns.cu"\n' >>"$scratch/copies.ptx"
expect 0 '^    remedy: cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; behind PTX line 22 \(turns.cu:9\) and its copies \(lines 35, 48\): tried, and with it the run is clean$' \
    --remedies -- "$RUN_ZOO" "$scratch/copies.ptx" stores
expect 0 '"remedy": "clean", "remedy_edits": \[\{"where": "behind", "ptx_line": 22, "text": "[^"]*", "copies": \[35, 48\]\}\]' \
    --remedies --json -- "$RUN_ZOO" "$scratch/copies.ptx" stores
expect 0 '^    remedy: @%first mbarrier.expect_tx.relaxed.cta.shared::cta.b64 \[%r1\], 256; before PTX line 77 \(turns.cu:27\) and its copies \(lines 85, 93\): tried, and with it the run is clean$' \
    --remedies -- "$RUN_ZOO" "$scratch/copies.ptx" announces
# Without .loc nothing says what is a copy.
grep -v '\.loc' "$scratch/copies.ptx" >"$scratch/plain.ptx"
expect 0 '^    remedy: .*: tried, and with it this finding is gone; the run has 2 others$' --remedies -- "$RUN_ZOO" "$scratch/plain.ptx" announces
exit $failed
