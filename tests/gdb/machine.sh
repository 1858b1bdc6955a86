#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What a developer sees of the machine in gdb (machine.py), where a warp returns. machine.sh RUN_PTX. Ends with 77, and says
# why, without a gdb that can do it.
set -u
run_ptx=$1
here=$(dirname "${BASH_SOURCE[0]}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$here/able.sh"
gdb -nx -batch -ex 'info scope main' "$run_ptx" 2>&1 | grep -q '^Symbol' || skip "this build has no debug information"

cat >"$work/halves.ptx" <<'END'
.version 8.5
.target sm_90a
.address_size 64
.visible .entry halves(.param .u64 out)
{
    .reg .pred %low;
    .reg .b32 %lane;
    .reg .b64 %to;
    mov.u32 %lane, %laneid;
    setp.lt.u32 %low, %lane, 16;
    @%low bra DONE;
    ld.param.b64 %to, [out];
    st.global.b32 [%to+8], %lane;
DONE:
    ret;
}
END
gdb -nx -batch -ex 'set confirm off' -ex 'set debuginfod enabled off' -ex "source $here/machine.py" -ex 'set breakpoint pending on' \
    -ex 'break machine_return' -ex "run $work/halves.ptx halves 1 64" -ex 'print *strand' -ex 'print *strand->warp' \
    -ex 'print *strand->warp->cta' -ex 'print code->operand[0]' -ex 'print strand->frame->function->source->name' \
    -ex 'tmaref-code strand->frame->function' -ex 'tmaref-code strand' "$run_ptx" >"$work/out" 2>&1 </dev/null

failed=0
says() { # says REGEX
    grep -qE -- "$1" "$work/out" && return
    failed=1
    echo "FAILED: gdb does not say: $1"
}
says '^\$1 = lanes 0xffffffff at code [0-9]+ of halves, line 15: ret;$'
says '^\$2 = warp 0 of CTA 0: 1 strands = \{strand\[0\] = lanes 0x'
says '^\$3 = CTA 0 \(0, 0, 0\), rank 0: 2 warps, 2 live = \{warp\[0\] = warp 0 of CTA 0'
says '^\$5 = "halves"$'
says '^halves: [0-9]+ codes, [0-9]+ bytes of a frame$'
says '^  +[0-9]+ +10  .*frame\+[0-9]+:pred .*setp\.lt\.u32 %low, %lane, 16;$'
says '^  +[0-9]+ +11  bra +@frame\+[0-9]+ .*bra DONE;$'
says '^  +[0-9]+ +13  .*frame\+[0-9]+:64\+8.*st\.global\.b32 \[%to\+8\], %lane;$'
says '^-> +[0-9]+ +15  machine_return .*ret;$'
says '^  +[0-9]+ +-  machine_return *$'
says '^tmaref-code: write an expression of type struct machine_function \*$'
[ $failed = 0 ] && echo "machine.sh: all as it should be" || cat "$work/out"
exit $failed
