#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `tmaref exec --trace`. usage: trace.sh FOLDER; TMAREF is the command, RUN_PTX a program, JSON_CHECK reads JSON.
set -u
. "$(dirname "$0")/expect.sh"
trace=$scratch/trace.json

wants() { # wants PATTERN...: each is in a line of the trace, which is JSON
    [ "$("$JSON_CHECK" displayTimeUnit <"$trace")" = '"ns"' ] || { echo "no JSON: $trace"; failed=1; }
    for pattern in "$@"; do
        grep -qE -- "$pattern" "$trace" || { echo "no '$pattern' in:"; cat "$trace"; failed=1; }
    done
}

expect 0 '' --trace "$trace" -- "$RUN_PTX" "$1/tile.ptx" tile 2 64
wants '"process_name","args":\{"name":"launch 1, tile: CTA \(1,0,0\)"' '"thread_name","args":\{"name":"warp 1"' \
    '"name":"mbarrier full at 0x800"' '"ph":"X",.*"name":"tile.cu:14","args":\{"place":"tile.cu:14","PTX line":39\}' \
    '"ph":"b",.*"name":"cp.async.bulk.tensor","args":\{"PTX line":31,"warp":0,"bytes":1024,"barrier":"0x800"\}' \
    '"ph":"e",.*"name":"cp.async.bulk.tensor"' '"name":"expect_tx","args":\{"arrivals":1,"expects":1024' \
    '"name":"phase 0","args":\{"arrivals":1,"bytes expected":1024,"bytes completed":1024,"parity":0\}' \
    '"name":"missing bytes of 0x800","args":\{"bytes":1024\}' '"name":"CTA \(0,0,0\)"\}'
[ "$(grep -c '"ph":"b"' "$trace")" = "$(grep -c '"ph":"e"' "$trace")" ] || { echo "a copy does not end"; failed=1; }

# A phase that ends at the time it begins has a length all the same, else a timeline does not show it.
expect 0 '' --trace "$trace" -- "$RUN_PTX" "$1/phases.ptx" phases 1 256
wants '"ts":0.014,"dur":0.001,"name":"phase 6"' '"ts":0.014,"dur":0.001,"name":"phase 7","args":\{"arrivals":1,'

# A file that is full has the ends of what it shows.
expect 0 'holds the first 1000000 events; [0-9]+ more are left out' --trace "$trace" -- "$RUN_PTX" "$1/long.ptx" loads 1 1
tail -n 2 "$trace" | head -n 1 | grep -q '"name":"CTA (0,0,0)"}$' || { echo "the CTA does not end"; failed=1; }
[ "$(grep -c '"ph":"b"' "$trace")" = "$(grep -c '"ph":"e"' "$trace")" ] || { echo "a copy of many does not end"; failed=1; }

# A kernel that fails leaves a whole file too.
expect 1 '' --trace "$trace" -- "$RUN_PTX" "$1/hang.ptx" arrivals 1 64
wants '"name":"CTA \(0,0,0\) \(did not end\)"' '"name":"phase 1 \(not complete\)","args":\{"arrivals":2'
expect 2 'cannot write /no/such/file: No such file' --trace /no/such/file -- true

# A file keeps what it has where the program does not start; what is no regular file is refused.
echo kept >"$scratch/keep.txt"
expect 2 '' --trace="$scratch/keep.txt" --bogus -- true
"$TMAREF" exec --coverage=/dev/stdout -- true 2>"$scratch/out" | cat
grep -q "cannot write /dev/stdout: it is not a regular file" "$scratch/out" || { cat "$scratch/out"; failed=1; }
[ "$(cat "$scratch/keep.txt")" = kept ] || { echo "the file was emptied"; failed=1; }
mkfifo "$scratch/fifo"
expect 2 'fifo: it is not a regular file' --trace "$scratch/fifo" -- true
TMAREF_TRACE=/no/such/file "$RUN_PTX" "$1/tile.ptx" plain >"$scratch/out" 2>&1
grep -q 'TMAREF_TRACE: cannot write /no/such/file: No such file' "$scratch/out" || { cat "$scratch/out"; failed=1; }
TMAREF_TRACE=/dev/null "$RUN_PTX" "$1/tile.ptx" plain >"$scratch/out" 2>&1
grep -q 'TMAREF_TRACE: cannot write /dev/null: it is not a regular file' "$scratch/out" || { cat "$scratch/out"; failed=1; }

# A disk that is full: a limit of the file's size stands for it. The file goes, and nobody says that no kernel ran.
full() { # full OPTION FILE
    (trap '' XFSZ
     ulimit -f 1
     failed=0
     expect 1 "$2 could not be written, and was removed: File too large" "$1" "$2" -- "$RUN_PTX" "$folder/tile.ptx" tile 2 64
     exit $failed) || failed=1
    [ ! -e "$2" ] || { echo "$2 is still there"; failed=1; }
    grep -q 'no kernel was recorded' "$scratch/out" && { cat "$scratch/out"; failed=1; }
}
folder=$1
full --trace "$scratch/full.json"

# Two processes of one run have a file each, and the next run begins again.
expect 0 'another process of this run writes .*trace.json; this one writes .*trace.json\.[0-9]+' --trace "$trace" \
    --coverage "$scratch/two.info" -- sh -c "'$RUN_PTX' '$1/tile.ptx' tile 2 64 && '$RUN_PTX' '$1/tile.ptx' plain"
wants '"name":"launch 1, tile: CTA'
grep -q 'SF:tile.cu' "$scratch/two.info" || { echo "the first coverage is gone"; failed=1; }
set -- "$1" "$scratch"/two.info.*[0-9]
[ $# = 2 ] && grep -q '^FNDA:1,plain' "$2" || { echo "no coverage of the second process"; failed=1; }
trace=$(ls "$trace".[0-9]*)
wants '"name":"launch 1, plain: CTA'
trace=$scratch/trace.json
expect 0 '' --trace "$trace" -- "$RUN_PTX" "$1/tile.ptx" plain
wants '"name":"launch 1, plain: CTA'
[ "$(ls "$trace"* | wc -l)" = 2 ] || { echo "more files than processes"; failed=1; }
exit $failed
