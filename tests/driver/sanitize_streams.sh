#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `tmaref exec --sanitize` on works of several streams. usage: sanitize_streams.sh FOLDER; TMAREF is the command,
# RUN_STREAMS a program.
set -u
. "$(dirname "$0")/expect.sh"
file=$1/streams.ptx

# wrong RULE NAME "WORK...": one finding of that rule, whose first line has NAME
wrong() {
    expect 0 "^\{\"sanitize\": \"$1\".*$2" --sanitize --json -- "$RUN_STREAMS" "$file" $3
    [ "$(grep -c '"message"' "$scratch/out")" = 1 ] || { echo "$3: not one finding:"; cat "$scratch/out"; failed=1; }
    grep -q '^CUDA error 0$' "$scratch/out" || { echo "$3: it fails"; failed=1; }
}

# right "WORK...": no finding
right() {
    expect 0 '^CUDA error 0$' --sanitize --json -- "$RUN_STREAMS" "$file" $1
    ! grep -q '"message"' "$scratch/out" || { echo "$1: a finding:"; cat "$scratch/out"; failed=1; }
}

# Two streams, and what orders them.
wrong SANITIZE_STREAMS '"line": 12, .*"work": "kernel consume".*"other_line": 2, .*"other_work": "kernel produce"' 'pA cB'
wrong SANITIZE_STREAMS '"line": 2, .*"other_line": 12' 'cA pB'
wrong SANITIZE_STREAMS '"line": 13, .*"other_line": 13' 'pA sA cA cB'
right 'pA cA'
right 'pA rA wB cB'
right 'pA sA cB'
right 'pA rA eA cB'
right 'pA DA cB'
right 'pA iA cB'
wrong SANITIZE_STREAMS consume 'rA pA wB cB'
wrong SANITIZE_STREAMS consume 'rA pA eA cB'
wrong SANITIZE_STREAMS consume 'pA sB cB'
right 'pA rA wB rB wC cC'

# Of a CTA on a course (model/machine/run/course.h), lanes that have left access nothing.
right 'xA yB'
wrong SANITIZE_STREAMS '"work": "kernel consume".*"other_work": "kernel right"' 'yA cB'
wrong SANITIZE_STREAMS '"work": "kernel right".*"other_work": "kernel right"' 'yA yB'

# The default stream waits for streams that do not ask to be left out, and they for it.
right 'pC cL'
right 'pL cC'
wrong SANITIZE_STREAMS consume 'pL cB'
wrong SANITIZE_STREAMS produce 'cB pL'

# Copies and fills, memory that is allocated and freed in the order of a stream.
wrong SANITIZE_STREAMS '"work": "copy".*"other_work": "kernel produce"' 'pA dB'
wrong SANITIZE_STREAMS '"work": "kernel consume".*"other_work": "fill"' 'mL cB'
right 'mA rA wB dB'
wrong SANITIZE_STREAM_FREED '"work": "free".*"other_work": "kernel produce"' 'nA rA wB pB fA'
right 'nA rA wB pB rB wA fA'
wrong SANITIZE_STREAM_NEW '"work": "kernel produce".*"other_work": "allocation"' 'nA pB DA'
right 'nA pA fA nB pB fB'

# Nodes of graphs.
right '[A pA rA wB cB rB wA ]A'
wrong SANITIZE_STREAMS '"work": "kernel consume".*"submitted": "cuGraphLaunch.*"other_work": "kernel produce"' '[A rA wB pA cB rB wA ]A'
right '[A pA ]A cA'
wrong SANITIZE_STREAMS consume '[A pA ]A cB'
right '[A pA cA dA ]A rA wB cB'

# Two kernels that speak by memory, and a stream that the program asks whether it is done.
right 'vA aB'

# Clusters that add to one word, which no clocks are kept of: two kernels speak by it, and no copy does.
right 'uA uB'
right 'pA uA uB cB'
wrong SANITIZE_STREAMS '"work": "copy".*"other_line": 42, .*"other_work": "kernel add"' 'uA dB'

# The host in memory that a copy still writes, or reads.
wrong SANITIZE_HOST '"access": "read".*"other_work": "copy".*"other_access": "write"' 'hA RA'
wrong SANITIZE_HOST '"access": "write".*"other_work": "copy".*"other_access": "write"' 'hA WA sA'
wrong SANITIZE_HOST read 'hA sB RA'
right 'hA sA RA hA sA WA'
right 'RA WA hA rA eA RA WA'
wrong SANITIZE_HOST '"access": "write".*"other_access": "read"' 'kA WA'
right 'kA RA sA WA'
# So does a function of the host: it may touch what its stream is behind.
wrong SANITIZE_HOST '"access": "read".*"other_work": "copy".*"other_access": "write"' 'hA lB'
wrong SANITIZE_HOST '"access": "read"' 'lA hA rA hA wB lB'
right 'hA lA'
right 'hA rA wB lB'
right 'hA sA lB RA'
right 'lA hA lA RA'
# Of a small buffer a work uses a part: what the host does beside it is right.
wrong SANITIZE_HOST '"access": "read"' 'HA FA'
right 'HA RA WA sA FA'

# In words.
expect 0 '^streams.cu:12: error: sanitize: kernel consume: nothing orders two works' --sanitize -- "$RUN_STREAMS" "$file" pA cB
grep -q '    the other: streams.cu:2, kernel produce, on stream 2, by cuLaunchKernel (called in .*), a write' "$scratch/out" || { echo 'not in words:'; cat "$scratch/out"; failed=1; }
grep -q 'sanitize: kernel consume: 1 finding' "$scratch/out" || { echo 'no verdict:'; cat "$scratch/out"; failed=1; }
exit $failed
