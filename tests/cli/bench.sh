#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `tmaref bench`: what it refuses before it looks for a GPU, and what it says where there is none. That it measures is
# tested with a driver that goes wrong (tests/executor/run.sh).
. "$(dirname "$0")/expect.sh" || exit 2

run 0 bench --help
out "copy "
for rounds in 0 4 101 -1 x ''; do
    run 2 bench --rounds="$rounds"
    err "--rounds takes an odd number up to 99, not '$rounds'"
    quiet
done
for ms in 0 10001 x; do
    run 2 bench --sample="$ms"
    err "--sample takes a whole number from 1 to 10000, not '$ms'"
    quiet
done
for shape in 512 512x512 512x512x 512x0x512 512x512x512x 100000x8x8 ''; do
    run 2 bench --shape="$shape"
    err "--shape takes three sizes below 100000, as 512x1280x8192, not '$shape'"
    quiet
done
for count in 0 10001 x; do
    run 2 bench --random="$count"
    err "--random takes a whole number from 1 to 10000, not '$count'"
    quiet
done
run 2 bench --seed=-1
err "--seed takes a whole number from 0 to 4294967295, not '-1'"
quiet
run 2 bench --long=60001
err "--long takes a whole number from 0 to 60000, not '60001'"
quiet
run 2 bench copi
err "there is no benchmark 'copi'"
quiet
run 0 bench model --rounds=1 --sample=1 --only=wgmma
out "one core of this machine"
out "wgmma f32.bf16.bf16 m64n256k16"
if ldconfig -p | grep -q libcuda.so.1; then
    echo "bench.sh: there is a CUDA driver: what is said without one was not looked at"
else
    run 2 bench copy
    err "no CUDA driver on this machine"
    quiet
fi
finish
