#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# --sanitize and --check say the same, and memory is the same, whatever --threads is: the zoo on grids of several clusters.
# usage: sanitize_threads.sh FOLDER; TMAREF is the command, RUN_ZOO a program.
set -u
. "$(dirname "$0")/expect.sh"
folder=$1

# kernels VARIANT FILE: as in zoo.sh, on four times as many CTAs
kernels() {
    if [ "$1" = mistake ]; then sed -E 's|^//-||; s|^//\+.*||' "$2"; else sed -E 's|^//\+||; s|^//-.*||' "$2"; fi |
        awk '/^\/\/ zoo /{$4 = 4 * $4} {print}'
}

# report THREADS OPTION ARGUMENT...: addresses differ from run to run
report() {
    local threads=$1 option=$2
    shift 2
    { "$TMAREF" exec $option --json --threads "$threads" -- "$RUN_ZOO" "$@" 2>&1; echo "status $?"; } | sed -E 's/0x[0-9a-f]{9,}/ADDRESS/g'
}

# same OPTION ARGUMENT...
same() {
    report 1 "$@" >"$scratch/one"
    report 8 "$@" >"$scratch/eight"
    runs=$((runs + 1))
    cmp -s "$scratch/one" "$scratch/eight" && return
    echo "$*: 8 threads do not say what one does:"
    diff "$scratch/one" "$scratch/eight"
    failed=1
}

# exact FILE: the same as when one thread follows all clusters together, as it does with a limit
exact() {
    report 1 "--sanitize --limit-instructions=1000000000" "$1" >"$scratch/all"
    report 1 --sanitize "$1" | cmp -s - "$scratch/all" && return
    echo "$1: clusters together say something else:"
    report 1 --sanitize "$1" | diff - "$scratch/all"
    failed=1
}

runs=0
for file in "$folder"/*.ptx; do
    for variant in mistake right; do
        kernels $variant "$file" >"$scratch/$variant.ptx"
        for option in --sanitize --check; do same $option "$scratch/$variant.ptx"; done
        exact "$scratch/$variant.ptx"
        case $file in
        */races.ptx | */scopes.ptx)
            for kernel in $(sed -nE 's|^// zoo ([a-z_0-9]+) .*|\1|p' "$file"); do
                same --sanitize "$scratch/$variant.ptx" "$kernel" digest
            done
            ;;
        esac
    done
done

# A programmatic launch behind one that several threads have looked at, neither of which speaks of it.
cat >"$scratch/behind.ptx" <<'PTX'
.version 8.6
.target sm_90a
.address_size 64
// zoo first 4 32 0 second
.visible .entry first(.param .u64 out)
{
.reg .b64 %out;
.reg .b32 %c;
ld.param.u64 %out, [out];
mov.u32 %c, %ctaid.x;
mad.wide.u32 %out, %c, 4, %out;
st.global.u32 [%out], %c;
ret;
}
.visible .entry second(.param .u64 out)
{
.reg .b64 %out;
.reg .b32 %c;
ld.param.u64 %out, [out];
ld.global.u32 %c, [%out];
ret;
}
PTX
same --sanitize "$scratch/behind.ptx"
expect 0 'sanitize: kernel second: a programmatic launch may use memory before the launch in front of it has written it' \
    --sanitize -- "$RUN_ZOO" "$scratch/behind.ptx"
grep -qE '^    the write: PTX line 12, kernel first in front of it$' "$scratch/out" || { echo "behind: whose write it is:"; cat "$scratch/out"; failed=1; }

# Of an atomic the even lanes count in shared memory, the odd ones in global memory; then one of these reads the first bin.
cat >"$scratch/mixed.ptx" <<'PTX'
.version 8.6
.target sm_90a
.address_size 64
// zoo mixed 4 32 0
.visible .entry mixed(.param .u64 out)
{
.reg .pred %p;
.reg .b32 %t, %c, %r;
.reg .b64 %out, %bin, %at;
.shared .align 128 .b8 bins[128];
ld.param.u64 %out, [out];
mov.u32 %t, %tid.x;
mov.u64 %bin, bins;
cvta.shared.u64 %bin, %bin;
mad.wide.u32 %bin, %t, 4, %bin;
st.u32 [%bin], 0;
bar.warp.sync -1;
mov.u32 %c, %ctaid.x;
mad.lo.u32 %c, %c, 32, %t;
mad.wide.u32 %at, %c, 4, %out;
and.b32 %r, %t, 1;
setp.eq.u32 %p, %r, 0;
@%p mov.u64 %at, %bin;
red.add.u32 [%at], 1;
setp.eq.u32 %p, %t, 1;
@%p ld.shared.u32 %r, [bins];
ret;
}
PTX
exact "$scratch/mixed.ptx"
expect 0 'sanitize: kernel mixed: two accesses are ordered only if lanes of a warp run in step' --sanitize -- "$RUN_ZOO" "$scratch/mixed.ptx"

# Clusters that look at memory again and again, and count, until one that begins later stores.
cat >"$scratch/spin.ptx" <<'PTX'
.version 8.6
.target sm_90a
.address_size 64
// zoo spin 4 32 0
.visible .entry spin(.param .u64 out)
{
.reg .b64 %out;
.reg .pred %p;
.reg .b32 %c, %v, %n;
ld.param.u64 %out, [out];
mov.u32 %c, %ctaid.x;
mov.u32 %n, 0;
setp.eq.u32 %p, %c, 3;
@%p bra W;
L:
add.u32 %n, %n, 1;
ld.global.u32 %v, [%out];
setp.eq.u32 %p, %v, 0;
@%p bra L;
ret;
W:
mov.u32 %v, 7;
st.global.u32 [%out], %v;
ret;
}
PTX
same --sanitize "$scratch/spin.ptx"

# is_done_once KERNEL: it leaves what it leaves without --sanitize.
is_done_once() {
    "$TMAREF" exec -- "$RUN_ZOO" "$scratch/$1.ptx" $1 digest >"$scratch/plain" 2>/dev/null
    "$TMAREF" exec --sanitize -- "$RUN_ZOO" "$scratch/$1.ptx" $1 digest 2>/dev/null | cmp - "$scratch/plain" || failed=1
}

# Clusters behind the first take courses (model/machine/run/course.h). Nothing races but the last warp of the second and
# the first of the third, in `some` only half of their lanes, in `lanes` in no order. What is done again is done once.
for name in all some lanes; do
    cat >"$scratch/$name.ptx" <<PTX
.version 8.6
.target sm_90a
.address_size 64
// zoo $name 3 64 0
.visible .entry $name(.param .u64 out)
{
.reg .pred %p;
.reg .b64 %out, %at;
.reg .b32 %c, %f, %t, %n, %v, %w;
ld.param.u64 %out, [out];
mov.u32 %c, %ctaid.x;
mov.u32 %t, %tid.x;
$([ $name = some ] && printf 'and.b32 %%n, %%t, 31;\nsetp.ge.u32 %%p, %%n, 16;\n@%%p bra over;')
$([ $name = lanes ] && printf 'mul.lo.u32 %%n, %%t, 7;\nand.b32 %%n, %%n, 31;\nand.b32 %%t, %%t, 32;\nadd.u32 %%t, %%t, %%n;')
mul.lo.u32 %f, %c, 100;
shr.u32 %c, %c, 1;
mul.lo.u32 %c, %c, 99;
sub.u32 %f, %f, %c;
mad.lo.u32 %f, %f, 32, %t;
mul.wide.u32 %at, %f, 4;
add.s64 %at, %out, %at;
ld.global.u32 %v, [%at];
add.u32 %w, %v, 1;
st.global.u32 [%at], %w;
over:
ret;
}
PTX
    same --sanitize "$scratch/$name.ptx"
    expect 0 "sanitize: kernel $name: nothing orders two accesses to the same bytes of global memory" --sanitize -- "$RUN_ZOO" "$scratch/$name.ptx"
    is_done_once $name
done

# Half of a warp counts in memory while the other half is at the barrier: no stamps tell what it has written. In `row` its lanes lie side by side,
# in `jump` in no order.
for name in row jump; do
    half='ld.global.u32 %v, [%at]; add.u32 %v, %v, 1; st.global.u32 [%at], %v; bar.sync 0;'
    cat >"$scratch/$name.ptx" <<PTX
.version 8.6
.target sm_90a
.address_size 64
// zoo $name 3 32 0
.visible .entry $name(.param .u64 out)
{
.reg .pred %p;
.reg .b64 %out, %at;
.reg .b32 %c, %t, %v;
ld.param.u64 %out, [out];
mov.u32 %c, %ctaid.x;
mov.u32 %t, %tid.x;
setp.ge.u32 %p, %t, 16;
$([ $name = jump ] && printf 'mul.lo.u32 %%t, %%t, 7;\nand.b32 %%t, %%t, 31;')
mad.lo.u32 %t, %c, 32, %t;
mad.wide.u32 %at, %t, 4, %out;
@%p bra other;
$half
ret;
other:
$half
ret;
}
PTX
    same --sanitize "$scratch/$name.ptx"
    is_done_once $name
done

# Threads of the host that wait for clusters are none of the program's: that nobody will write is said at once.
cat >"$scratch/stuck.ptx" <<'PTX'
.version 8.6
.target sm_90a
.address_size 64
// zoo first 64 64 0
// zoo stuck 2 32 0
.visible .entry first(.param .u64 out)
{
.reg .b64 %out;
.reg .b32 %c, %t;
ld.param.u64 %out, [out];
mov.u32 %c, %ctaid.x;
mov.u32 %t, %tid.x;
mad.lo.u32 %c, %c, 64, %t;
mad.wide.u32 %out, %c, 4, %out;
st.global.u32 [%out], %c;
ret;
}
.visible .entry stuck(.param .u64 out)
{
.reg .pred %p;
.reg .b64 %out;
.reg .b32 %c;
ld.param.u64 %out, [out];
L:
ld.acquire.gpu.global.u32 %c, [%out];
setp.ne.u32 %p, %c, 12345;
@%p bra L;
ret;
}
PTX
same --sanitize "$scratch/stuck.ptx"

# CTAs that take turns, and count: the order is that of `exec` without --sanitize.
cat >"$scratch/turns.ptx" <<'PTX'
.version 8.6
.target sm_90a
.address_size 64
// zoo turns 4 32 0
.visible .entry turns(.param .u64 out)
{
.reg .b64 %out, %own;
.reg .pred %p;
.reg .b32 %c, %v, %n;
ld.param.u64 %out, [out];
mov.u32 %c, %ctaid.x;
mad.wide.u32 %own, %c, 4096, %out;
mov.u32 %n, 0;
L:
and.b32 %v, %n, 0xffff;
setp.ne.u32 %p, %v, 0;
@%p bra M;
atom.global.add.u32 %v, [%out], 1;
add.u64 %own, %own, 128;
mov.u32 %c, %laneid;
setp.eq.u32 %p, %c, 0;
@%p st.global.u32 [%own], %v;
M:
add.u32 %n, %n, 1;
setp.lt.u32 %p, %n, 400000;
@%p bra L;
ret;
}
PTX
"$TMAREF" exec -- "$RUN_ZOO" "$scratch/turns.ptx" turns digest >"$scratch/plain" 2>&1
for threads in 1 8; do
    "$TMAREF" exec --sanitize --threads $threads -- "$RUN_ZOO" "$scratch/turns.ptx" turns digest 2>"$scratch/err" |
        cmp -s - "$scratch/plain" || { echo "turns: $threads threads run CTAs in another order than exec"; failed=1; }
    grep -q 'kernel turns: clean' "$scratch/err" || { cat "$scratch/err"; failed=1; }
done
echo "$runs reports of one thread and of eight"
exit $failed
