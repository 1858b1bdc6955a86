#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What a signal that ends a program leaves. usage: signals.sh FOLDER; TMAREF is the command, RUN_PTX and
# RUN_STREAMS are programs.
set -u
. "$(dirname "$0")/expect.sh"
cat >"$scratch/ends.ptx" <<'PTX'
.version 8.0
.target sm_90a
.address_size 64
.visible .entry busy(.param .u64 out)
{
.reg .b32 %r<2>;
.reg .b64 %rd<2>;
ld.param.u64 %rd1, [out];
AGAIN:
add.u32 %r1, %r1, 1;
st.global.u32 [%rd1+4], %r1;
bra AGAIN;
}
PTX

# ended SIGNAL KERNEL WHAT: the signal comes when the trace shows that the kernel runs; it says where it is, and files are whole.
ended() { # bash has its children in the background ignore SIGINT
    local status
    rm -f "$scratch"/trace.json "$scratch"/lines.info
    timeout 30 env --default-signal=INT "$TMAREF" exec --stats --coverage "$scratch/lines.info" \
        --trace "$scratch/trace.json" -- sh -c 'echo $$ >"$0"; exec "$@"' "$scratch/child" "$RUN_PTX" "$scratch/ends.ptx" "$2" \
        >"$scratch/out" 2>&1 &
    for ((i = 0; i < 200; i++)); do
        [ -s "$scratch/child" ] && [ "$(wc -c <"$scratch/trace.json" 2>/dev/null || echo 0)" -gt 10000 ] && break
        sleep 0.1
    done
    kill -"$1" "$(cat "$scratch/child")"
    wait $!
    status=$?
    [ $status = $((128 + $(kill -l "$1"))) ] || { echo "$1: status $status"; cat "$scratch/out"; failed=1; }
    for pattern in "$3" "kernel $2" 'PTX line (10|11|12)'; do
        grep -qE -- "$pattern" "$scratch/out" || { echo "$1 $2: no '$pattern' in:"; cat "$scratch/out"; failed=1; }
    done
    grep -q '^TN:\|^DA:' "$scratch/lines.info" || { echo "$1 $2: no coverage"; failed=1; }
    [ "$(tail -n 1 "$scratch/trace.json")" = ']}' ] || { echo "$1 $2: the trace is cut"; failed=1; }
    rm -f "$scratch/child"
}
ended INT busy 'received signal 2 \(Interrupt\); of 1 CTAs 0 have ended and 1 are running'
ended ALRM busy 'received signal 14'
ended TERM busy 'received signal 15'

# begin: a program whose host function takes a minute, as products of a library do; `child` is its process.
begin() {
    rm -f "$scratch/out"
    timeout 50 "$TMAREF" exec --stats -- sh -c 'echo $$ >"$0"; exec "$@"' "$scratch/child" "$RUN_STREAMS" "$1/streams.ptx" pA zA \
        >"$scratch/out" 2>&1 &
    for ((i = 0; i < 200; i++)); do
        grep -q begun "$scratch/out" && break
        sleep 0.1
    done
    child=$(cat "$scratch/child")
}
begin "$1"
begun=$SECONDS
kill -TERM "$child"
wait $!
status=$?
{ [ $status = 143 ] && [ $((SECONDS - begun)) -lt 8 ]; } || { echo "a host function: status $status after $((SECONDS - begun)) s"; failed=1; }
grep -q 'kernel produce' "$scratch/out" || { echo "no statistics in:"; cat "$scratch/out"; failed=1; }
begin "$1"
kill -KILL "$(pgrep -P $!)" # tmaref itself: its program ends with it
wait $! 2>/dev/null
for ((i = 0; i < 50; i++)); do
    kill -0 "$child" 2>/dev/null || break
    sleep 0.1
done
kill -KILL "$child" 2>/dev/null && { echo "the program goes on without tmaref exec"; failed=1; }
exit $failed
