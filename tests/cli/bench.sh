#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `tmaref bench`: what it refuses before it looks for a GPU, and what it says where there is none. That it measures is
# tested with a stand-in driver (tests/executor/run.sh).
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
    err "--sample takes 1 to 10000 milliseconds, not '$ms'"
    quiet
done
run 2 bench copi
err "there is no benchmark 'copi'"
quiet
if ldconfig -p | grep -q libcuda.so.1; then
    echo "bench.sh: there is a CUDA driver: what is said without one was not looked at"
else
    run 2 bench copy
    err "no CUDA driver on this machine"
    quiet
fi
finish
