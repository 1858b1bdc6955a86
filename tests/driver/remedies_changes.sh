#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `tmaref exec --remedies`: edits that give a statement another place, condition, number or kind.
# usage: remedies_changes.sh; TMAREF is the command, RUN_ZOO a program.
set -u
. "$(dirname "$0")/expect.sh"

kernel() { # NAME CTAS THREADS, then its statements as standard input
    cat <<PTX
// zoo $1 $2 $3 0
.visible .entry $1(.param .u64 out)
{
    .reg .pred %p, %first, %lane;
    .reg .b32 %t, %r<8>;
    .reg .b64 %out, %token;
    .shared .align 128 .b8 tile[256];
    .shared .align 8 .b64 full;
    .shared .align 8 .b64 empty;
    ld.param.u64 %out, [out];
    mov.u32 %t, %tid.x;
    setp.eq.u32 %first, %t, 0;
$(cat)
    ret;
}
PTX
}
printf '.version 8.6\n.target sm_90a\n.address_size 64\n' >"$scratch/changes.ptx"
# A lock is let go before the count that it guards is written.
kernel flag 2 1 >>"$scratch/changes.ptx" <<'PTX'
TAKE:
    atom.cas.global.b32 %r0, [%out], 0, 1;
    setp.ne.u32 %p, %r0, 0;
    @%p bra TAKE;
    fence.acq_rel.gpu;
    ld.global.u32 %r1, [%out + 4];
    add.u32 %r1, %r1, 1;
    st.volatile.global.u32 [%out], 0;
    st.global.u32 [%out + 4], %r1;
PTX
# Two CTAs add to one word.
kernel sum 2 32 >>"$scratch/changes.ptx" <<'PTX'
    mad.wide.u32 %out, %t, 4, %out;
    ld.global.u32 %r0, [%out];
    add.u32 %r1, %r0, 5;
    st.global.u32 [%out], %r1;
PTX
# The number of threads of bar.arrive is another than that of bar.sync.
kernel number 1 64 >>"$scratch/changes.ptx" <<'PTX'
    setp.lt.u32 %p, %t, 32;
    mov.u32 %r0, 96;
    mov.u32 %r1, 64;
    @%p bar.arrive 1, %r0;
    @!%p bar.sync 1, %r1;
PTX
# The second init is in front of what the first one's phase brings.
kernel again 1 1 >>"$scratch/changes.ptx" <<'PTX'
    mbarrier.init.shared.b64 [full], 1;
    mbarrier.arrive.expect_tx.shared.b64 %token, [full], 256;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%out], 256, [full];
    mbarrier.init.shared.b64 [full], 1;
    mbarrier.arrive.shared.b64 %token, [full];
PTX
# One warp copies and two read. early: a lane tells that the tile may be filled again before its warp has read it.
# half: one warp tells it for both.
for name in early half; do
    kernel $name 1 96 >>"$scratch/changes.ptx" <<PTX
    mov.u32 %r2, 0;
    @%first mbarrier.init.shared.b64 [full], 1;
    @%first mbarrier.init.shared.b64 [empty], $([ $name = early ] && echo 2 || echo 1);
    bar.sync 0;
    and.b32 %r0, %t, 31;
    $([ $name = early ] && echo "setp.ne.u32 %lane, %r0, 0;" || echo "setp.ne.u32 %lane, %t, 32;")
    setp.lt.u32 %p, %t, 32;
    @%p bra FILL;
    mad.lo.u32 %r1, %t, 4, -128;
    mov.u32 %r3, tile;
    add.u32 %r1, %r1, %r3;
READ:
    mbarrier.try_wait.parity.shared.b64 %p, [full], %r2;
    @!%p bra READ;
$(if [ $name = early ]; then
            printf '    @%%lane bra USE;\n    mbarrier.arrive.shared.b64 %%token, [empty];\nUSE:\n    ld.shared.u32 %%r4, [%%r1];\n'
        else
            printf '    ld.shared.u32 %%r4, [%%r1];\n    bar.warp.sync -1;\n    @!%%lane mbarrier.arrive.shared.b64 %%token, [empty];\n'
        fi)
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p, %r2, 2;
    @%p bra READ;
    ret;
FILL:
    @!%first bra END;
    mbarrier.arrive.expect_tx.shared.b64 %token, [full], 256;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%out], 256, [full];
GONE:
    mbarrier.try_wait.parity.shared.b64 %p, [empty], 0;
    @!%p bra GONE;
    mbarrier.arrive.expect_tx.shared.b64 %token, [full], 256;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%out], 256, [full];
END:
PTX
done
mend() { # KERNEL REMEDY
    expect 0 "^    remedy: $2: tried, and with it the run is clean\$" --remedies -- "$RUN_ZOO" "$scratch/changes.ptx" "$1"
}
line='PTX line [0-9]+ \([^()]*\)'
mend flag "without $line, and fence.acq_rel.gpu; st.volatile.global.u32 \[%out\], 0; behind $line"
mend sum "mov.u32 %r0, 0; in place of $line, and red.global.add.u32 \[%out\], %r1; in place of $line"
mend number "@%p bar.arrive 1, 64; in place of $line"
mend again ".*try_wait.parity.shared::cta.b64 %p, \[full\], 0; @!%p bra WAIT; }  mbarrier.inval.shared::cta.b64 \[full\]; before $line"
mend early "without $line, and bar.warp.sync -1; @!%lane mbarrier.arrive.shared.b64 %token, \[empty\]; behind $line"
mend half "\{ .reg .b32 %n; mov.u32 %n, %ntid.x; sub.u32 %n, %n, 32; bar.sync 15, %n; \} behind $line"
exit $failed
