#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `tmaref run`, `diff`, `record` and `replay` on files that are damaged, unreadable or in the way: one sentence, exit
# status 2, nothing printed as a result and nothing half-written.
. "$(dirname "$0")/expect.sh" || exit 2
cd "$work" || exit 2
[ -x "$TMAREF" ] || { echo "files.sh: TMAREF is to be an absolute path" >&2 && exit 2; }

# What is refused: a sentence of this command that names the file or the option, and nothing on standard output.
refused() { # refused TEXT ARGUMENT...
    local text=$1
    shift
    run 2 "$@"
    err "tmaref $1: "
    err "$text"
    quiet
    check "more than a sentence and a hint" test "$(wc -l <err)" -le 2
    check "a crash" eval '! grep -qiE "sanitizer|assert|core dumped" err'
}

# --- cases from files ---
good='{"ops":[{"op":"init","operand":1},{"op":"arrive","operand":1}]}'
printf '%s\n' "$good" >good.jsonl
run 0 run -f mbarrier -I good.jsonl
out '"index":1'
run 0 diff -f mbarrier -I good.jsonl model model
out "1 cases compared"

bad_cases() { # bad_cases TEXT [FAMILY]: the file bad.jsonl, in each command that reads cases
    refused "$1" run -f "${2:-mbarrier}" -I bad.jsonl
    refused "$1" run --show-cases -f "${2:-mbarrier}" -I bad.jsonl
    refused "$1" diff -f "${2:-mbarrier}" -I bad.jsonl model model
    refused "$1" record -x model -f "${2:-mbarrier}" -I bad.jsonl -o out.jsonl
    check "something was written" test ! -e out.jsonl -a ! -e MANIFEST
}
: >bad.jsonl && bad_cases "bad.jsonl: the file holds no case"
printf '\n \r\n\t\n' >bad.jsonl && bad_cases "bad.jsonl: the file holds no case"
printf '%s\0\n' "$good" >bad.jsonl && bad_cases "bad.jsonl: not JSON lines: it holds a NUL byte"
echo 'ops' >bad.jsonl && bad_cases "line 1: "
echo '{"ops":[' >bad.jsonl && bad_cases "line 1: "
printf '\377\376\n' >bad.jsonl && bad_cases "line 1: unable to decode byte 0xff"
echo '[]' >bad.jsonl && bad_cases 'line 1: mbarrier case is not a JSON object'
echo '{"ops":[],"colour":1}' >bad.jsonl && bad_cases 'there is no key "colour" here'
echo '{"ops":[],"ops":[]}' >bad.jsonl && bad_cases "line 1: duplicate object key"
echo '{"ops":[{"op":"init","operand":4294967296}]}' >bad.jsonl && bad_cases '"operand" is not in 0 .. 4294967295'
echo '{"ops":[{"op":"init","operand":1e3}]}' >bad.jsonl && bad_cases '"operand" is not a whole number'
echo '{"ops":[{"op":"init","operand":9223372036854775808}]}' >bad.jsonl && bad_cases "line 1: "
echo '{"ops":"\u0000"}' >bad.jsonl && bad_cases "line 1: "
head -c 100000 /dev/zero | tr '\0' '[' >bad.jsonl && bad_cases "line 1: maximum parsing depth reached"
head -c 10000000 /dev/zero | tr '\0' 'x' >bad.jsonl && bad_cases "line 1: "
{ printf '{"' && head -c 1000000 /dev/zero | tr '\0' 'x' && printf '":1}\n'; } >bad.jsonl && bad_cases "there is no key"
{ printf '{"' && head -c 2000000 /dev/zero | tr '\0' 'x' && printf '":1}\n'; } >bad.jsonl && bad_cases "line 1: more than 1048576 bytes of JSON"
printf '%s\n%s\n\n{}\n' "$good" "$good" >bad.jsonl
refused "bad.jsonl: line 4: mbarrier case: \"ops\" is an array of 1 to 16 objects" run -f mbarrier -I bad.jsonl
run 0 run -f mbarrier -n 2 -I bad.jsonl
check "two results" test "$(wc -l <out)" -eq 2
bad_cases 'there is no key "ops" here' encode
bad_cases 'there is no key "ops" here' load
cp good.jsonl in && run 0 run -f mbarrier -I -
printf '{"ops":' >in && refused "line 1: " run -f mbarrier -I -
: >in && refused "the file holds no case" run -f mbarrier -I -

# Numbers of the other families, each out of its range.
"$TMAREF" run -c -f load -n 1 --seed 3 >load.jsonl
"$TMAREF" run -c -f encode -n 1 --seed 3 >encode.jsonl
run 0 run -f load -I load.jsonl
run 0 run -f encode -I encode.jsonl
bad_number() { # bad_number FAMILY KEY VALUE TEXT
    sed -E "s/\"$2\":(\"[^\"]*\"|[^],}]*)/\"$2\":$3/" "$1.jsonl" >bad.jsonl
    check "$2 is not changed" eval '! cmp -s bad.jsonl "$1.jsonl"'
    refused "$4" run -f "$1" -I bad.jsonl
}
bad_number load dims 0 '"dims" is not in 1 .. 5'
bad_number load dims 6 '"dims" is not in 1 .. 5'
bad_number load shared 2047 '"shared" is not in 2048 .. 233472'
bad_number load shared 233473 '"shared" is not in 2048 .. 233472'
bad_number load expect -1 '"expect" is not in 0 .. 4294967295'
bad_number load tensorRank 0 'is not an array of 0 numbers'
bad_number load tensorRank 6 'is not an array of 5 numbers'
bad_number load function '"cuTensorMapEncodeIm2col"' 'is missing'
bad_number load function '"cuTensorMap"' '"function" is none of "cuTensorMapEncodeTiled"'
bad_number encode globalAddress '"0x10000000000000000"' '"globalAddress" is not a whole number'
bad_number encode globalAddress -1 '"globalAddress" is not in 0 .. 18446744073709551615'

for command in run "diff model model" "record -x model -o out.jsonl"; do
    refused "none.jsonl: No such file or directory" $command -f load -I none.jsonl
    refused "/: Is a directory" $command -f load -I /
    refused "/proc/self/mem: Input/output error" $command -f load -I /proc/self/mem
    refused "--family is needed" $command
    refused "there is no family 'nosuch'" $command -f nosuch
    refused "--cases takes a whole number from 0 to 18446744073709551615, not '-1'" $command -f load --cases -1
    refused "--cases takes a whole number from 0 to 18446744073709551615, not ''" $command -f load --cases=
    refused "--seed takes a whole number from 0 to 18446744073709551615, not '99999999999999999999'" $command -f load --seed 99999999999999999999
    refused "--first and --cases together are too large" $command -f load -i 18446744073709551615 -n 2
done
refused "there is no executor 'slow'" run -f load -x slow
refused "there is no executor 'slow'" diff -f load model slow
refused "needs two executors" diff -f load model
check "something was written" test ! -e out.jsonl -a ! -e MANIFEST
if [ "$(id -u)" -ne 0 ]; then
    cp good.jsonl secret.jsonl && chmod 0 secret.jsonl
    refused "secret.jsonl: Permission denied" run -f mbarrier -I secret.jsonl
    refused "secret.jsonl: Permission denied" replay secret.jsonl
fi

# --- traces ---
mkdir traces
run 0 record -x model -f load --keep 20 --curated -o traces/good.jsonl
run 0 record -x model -f load --keep 20 -o traces/good.jsonl.zst
cp traces/MANIFEST kept
run 0 replay traces
out "good.jsonl.zst"
run 0 replay --json traces/good.jsonl
json 20 0 compared

run 0 replay --sample=3 --json traces/good.jsonl
json 3 0 compared
run 0 replay --sample=3 traces
out "a sample: 6 of the 40 cases of these traces"
refused "--schedules is for the executor sim" replay --schedules=4 traces
refused "--schedules takes" replay -x sim --schedules=65 traces
refused "--pairs is for the executor sim" replay --pairs=0:4 traces
refused "--pairs takes FIRST:END" replay -x sim --pairs=4 traces
refused "--pairs takes a whole number from 5 to 64, not '4'" replay -x sim --pairs=4:4 traces
refused "--pairs takes a whole number from 0 to 63, not '64'" replay -x sim --pairs=64:65 traces
refused "takes --schedules or --pairs, not both" replay -x sim --pairs=0:4 --schedules=4 traces

bad_trace() { refused "$1" replay bad.jsonl; } # bad_trace TEXT: the file bad.jsonl
header=$(head -1 traces/good.jsonl)
line=$(sed -n 2p traces/good.jsonl)
: >bad.jsonl && bad_trace "bad.jsonl: first line (trace header) is not a JSON object"
echo "$header" >bad.jsonl && bad_trace "bad.jsonl: holds 0 cases, its header says 20: cut short?"
echo "$header" | sed 's/"cases":20/"cases":0/' >bad.jsonl && bad_trace "bad.jsonl: holds no case"
sed '1s/"tmaref_trace":1/"tmaref_trace":2/' traces/good.jsonl >bad.jsonl && bad_trace "this tmaref reads version 1"
sed '1s/"load"/"nosuch"/' traces/good.jsonl >bad.jsonl && bad_trace 'there is no family "nosuch"'
sed '1s/"load"/"encode"/' traces/good.jsonl >bad.jsonl && bad_trace 'bad.jsonl: line 2: encode case: '
sed '1s/"seed"/"sed"/' traces/good.jsonl >bad.jsonl && bad_trace 'there is no key "sed" here'
sed '1s/"seed":1/"seed":-1/' traces/good.jsonl >bad.jsonl && bad_trace '"seed" is not in 0 .. 18446744073709551615'
sed '1s/"cases":20/"cases":21/' traces/good.jsonl >bad.jsonl && bad_trace "holds 20 cases, its header says 21"
sed 1d traces/good.jsonl >bad.jsonl && bad_trace 'first line (trace header): "tmaref_trace" is missing'
sed '3s/"case"/"casus"/' traces/good.jsonl >bad.jsonl && bad_trace 'bad.jsonl: line 3: trace line: "case" is missing'
sed '3s/"status":0/"status":"x"/' traces/good.jsonl >bad.jsonl && bad_trace 'line 3: trace line: "status" is not'
sed '3s/^{/{"note":1,/' traces/good.jsonl >bad.jsonl && bad_trace 'line 3: trace line: there is no key "note" here'
sed '3s/$/x/' traces/good.jsonl >bad.jsonl && bad_trace "line 3: end of file expected near 'x'"
sed '3s/.*//' traces/good.jsonl >bad.jsonl && bad_trace "line 3: "
head -c -100 traces/good.jsonl >bad.jsonl && bad_trace "line 21: "
{ cat traces/good.jsonl && printf '\0'; } >bad.jsonl && bad_trace "it holds a NUL byte"
{ echo "$header" && head -c 10000000 /dev/zero | tr '\0' 'x'; } >bad.jsonl && bad_trace "line 2: "
{ echo "$header" && head -c 100000 /dev/zero | tr '\0' '['; } >bad.jsonl && bad_trace "maximum parsing depth reached"
for bytes in 5 10 100; do
    head -c -$bytes traces/good.jsonl.zst >bad.jsonl && bad_trace "damaged"
    head -c $bytes traces/good.jsonl.zst >bad.jsonl && bad_trace "zstd frame"
done
{ cat traces/good.jsonl.zst && printf 'x'; } >bad.jsonl && bad_trace "damaged zstd frame"
printf '\x28\xb5\x2f\xfd\xe0\xff\xff\xff\xff\xff\xff\xff\x7f\x01\x00\x00' >bad.jsonl && bad_trace "damaged zstd frame: Frame requires too much memory"
printf '\x28\xb5\x2f\xfd\xa0\x00\x00\x00\x10\x01\x00\x00' >bad.jsonl && bad_trace "damaged zstd frame"
refused "none.jsonl: No such file or directory" replay none.jsonl
refused "/proc/self/mem: Input/output error" replay /proc/self/mem
# A name cannot move the cursor of the terminal.
refused 'a\x1b[31m\x07: No such file' replay $'a\033[31m\a'
printf '\033[31mred\n' >red.litmus && run 2 litmus red.litmus && err '\x1b[31mred'
mkdir empty && refused "empty: the folder holds no trace" replay empty
mkdir many && for i in {1..257}; do ln traces/good.jsonl many/$i.jsonl; done
refused "at most 256" replay many
refused "--print takes a whole number" replay -p -1 traces

# All families at once, within a time.
run 0 diff -f all -n 600 model model
out "bulk: model against model"
out "all: model against model"
run 0 diff -f all -n 600 --json model model
run 0 diff -f encode -n 4000000000 --seconds 1 model model
out "more cases were not begun: --seconds ended the run"
refused "takes a whole number from 1 to" diff -f encode --seconds 0 model model
run 0 diff -f mbarrier -I good.jsonl --seconds 5 model model
refused "--family=all is for random cases" diff -f all -I good.jsonl model model
refused "--family=all is for diff" run -f all

# A trace is no list of cases, and goes with diff alone by itself.
for trace in good.jsonl good.jsonl.zst; do
    refused "traces/$trace: this is a trace, not a list of cases: use tmaref replay" run -f load -I traces/$trace
done
run 0 diff trace model --input traces/good.jsonl
out "against model"
refused "trace needs --input" diff trace model
for option in family=load cases=3 first=1 seed=2 faults=1 print=1; do
    refused "--${option%=*} does not go with trace" diff trace model --input traces/good.jsonl --$option
done
refused "--cases is 0: there is no case to compare" diff -f load --cases 0 model model

# A mismatch is status 1 and says where.
echo "$header" | sed 's/"cases":20/"cases":1/' >bad.jsonl
echo "$line" | sed 's/"status":0/"status":700/' >>bad.jsonl
run 1 replay bad.jsonl
err "bad.jsonl:2: recorded status 700 CUDA_ERROR_ILLEGAL_ADDRESS, found 0"
{ echo "$header" | sed 's/"cases":20/"cases":1/' && echo "$line" | sed -E 's/"digest":"[^"]*"/"digest":"0"/;
    s/"lines":"../"lines":"zz/; s/"lines":"zz/"lines":"00/'; } >bad.jsonl
run 1 replay bad.jsonl
err "first differs in the 128 bytes at 0x"
err "of these 128 bytes "
err "likely rule "
run 1 replay --print 0 bad.jsonl

# --- any number of processors: the same output ---
{ echo "$header" && sed 1d traces/good.jsonl | sed 's/"status":0/"status":700/'; } >bad.jsonl
for jobs in 1 3 16; do
    "$TMAREF" replay --print 7 --jobs $jobs bad.jsonl >replayed.$jobs 2>told.$jobs
    what="run --jobs $jobs" && "$TMAREF" run -f load -n 300 --jobs $jobs >ran.$jobs 2>err
    "$TMAREF" diff trace model --input bad.jsonl --jobs $jobs >compared.$jobs 2>err
    "$TMAREF" diff -f mbarrier -n 3000 --each 2 --json --jobs $jobs model model | grep -v seconds >limits.$jobs
    check "another table" cmp -s replayed.1 replayed.$jobs
    check "other mismatches" cmp -s told.1 told.$jobs
    check "other results" cmp -s ran.1 ran.$jobs
    check "another table of diff" cmp -s compared.1 compared.$jobs
    check "other cases at the limits" cmp -s limits.1 limits.$jobs
    check "no cases at the limits" grep -q '"mismatches": 0' limits.$jobs
    check "not 7 mismatches" test "$(grep -c 'recorded status 700' told.$jobs)" -eq 7
done
"$TMAREF" run -c -f mbarrier -n 50 >bad.jsonl && echo '{"ops":[{}]}' >>bad.jsonl && "$TMAREF" run -c -f mbarrier -n 9 >>bad.jsonl
refused "bad.jsonl: line 51: " diff -f mbarrier --each 2 --input bad.jsonl model model
refused "--jobs takes a whole number from 1 to 64" replay --jobs 0 traces
refused "--jobs takes a whole number from 1 to 64" diff -f load --jobs 65 model model

# --- where nothing can be written ---
mkdir inside
refused "No such file or directory" record -x model -f load -n 5 -o none/out.jsonl
refused "'inside': it is a directory" record -x model -f load -n 5 -o inside
refused "that names a directory" record -x model -f load -n 5 -o inside/
refused "'/dev/full': No space left on device" record -x model -f load -n 5 -o /dev/full
refused "--output is needed" record -x model -f load -n 5

# --- where output is a stream ---
"$TMAREF" record -x model -f load -n 5 -o /dev/stdout 2>err | head -1 >out
out '"tmaref_trace"'
err "5 cases of family load"
"$TMAREF" record -x model -f load -n 5 -o /dev/stdout >redirected 2>err
check "a trace through /dev/stdout" test "$(wc -l <redirected)" -eq 6
run 0 replay redirected
mkfifo pipe
cat pipe >out &
run_in_view() { what="$*"; "$TMAREF" "$@" >seen 2>err; check "exit status" test $? -eq 0; }
run_in_view swizzle 128B --svg=pipe
wait
out "<svg"
refused "no case is in this lane" record -x model -f load -n 0 -o out.jsonl
refused "--lane is normal, faults or all, not 'fast'" record -x model -f load -l fast -o out.jsonl
if [ "$(id -u)" -ne 0 ]; then
    mkdir locked && chmod 555 locked
    refused "Permission denied" record -x model -f load -n 5 -o locked/out.jsonl
    check "something was written" test -z "$(ls -A locked)"
fi
mkdir disk && cp traces/good.jsonl disk/ # a disk of 8 KiB
what="record on a full disk"
(
    trap '' XFSZ
    ulimit -f 8
    "$TMAREF" record -x model -f load -n 200 -o disk/good.jsonl 2>err >out
)
check "exit status on a full disk" test $? -eq 2
err "cannot write 'disk/good.jsonl': File too large"
check "the old trace is gone" cmp -s disk/good.jsonl traces/good.jsonl
check "something is left" test "$(ls -A disk)" = good.jsonl
for command in "run -f load -n 2000" "run -f load -n 1" "diff -f load -n 5 model model" "replay traces"; do
    what="$command >/dev/full"
    "$TMAREF" $command >/dev/full 2>err
    check "exit status on a full disk" test $? -eq 2
    err "standard output"
done

# Interrupted: nothing is written. --foreground: one SIGINT and not another to the group, as the second ends the process.
what="record, interrupted"
mkdir stopped
timeout --foreground --signal=INT 0.5 "$TMAREF" record -x model -f load -n 100000000 -o stopped/out.jsonl.zst >out 2>err
check "exit status when interrupted" test $? -eq 124
check "something was written" test -z "$(ls -A stopped)"

# A diff and a replay that are interrupted say what they compared.
what="diff, interrupted"
timeout --foreground --preserve-status --signal=INT 1 "$TMAREF" diff -f load -n 1000000000 model model >out 2>err
check "exit status of an interrupted diff" test $? -eq 2
out "cases compared in"
out "more cases were not begun: Ctrl-C ended the run"
err "interrupted; the tally counts the cases that were compared"
timeout --foreground --preserve-status --signal=INT 1 "$TMAREF" diff -f all -n 1000000000 --json model model >out 2>err
check "exit status of an interrupted diff" test $? -eq 2
json true 0 interrupted

# The traces and their manifest are as they were.
check "the manifest changed" cmp -s kept traces/MANIFEST
check "files beside the traces" test "$(ls -A traces | tr '\n' ' ')" = "MANIFEST good.jsonl good.jsonl.zst "
finish
