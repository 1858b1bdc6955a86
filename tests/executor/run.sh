#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The gpu executor on the driver of `tmaref exec`, which goes wrong where it is told to (sabotage.c):
# run.sh TMAREF SABOTAGE_LIBRARY DRIVER KERNELS_DIR PART. The part `starts`: drivers that cannot start, and calls that end
# the process; it needs no kernels. `records`: traces. `breaks`: a driver that crashes, hangs or breaks its device at one
# case among many, and bytes that come wrong. `rules`: the executor sim, whose driver names another rule.
set -u
tmaref=$(realpath "$1")
driver=$(dirname "$(realpath "$2")")
SABOTAGE_DRIVER=$(realpath "$3")
kernels=$4
part=$5
export SABOTAGE_DRIVER TMAREF_QUIET=1 # the driver does not tell of each fault
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
unset SABOTAGE SABOTAGE_CAPABILITY TMAREF_GPU_SECONDS TMAREF_SCHEDULE TMAREF_SEED
checks=0 failed=0 what= status=

# The command beside kernels: the executor gpu loads cubins, and this driver takes PTX for them.
mkdir bin bin/kernels bin/exec
cp "$tmaref" bin/tmaref
cp "$driver/libcuda.so.1" bin/exec/libcuda.so.1
for ptx in "$kernels"/*.ptx; do
    name=${ptx##*/}
    [ ! -e "$ptx" ] || ln -s "$ptx" "bin/kernels/${name%.ptx}.cubin"
    [ ! -e "$ptx" ] || ln -s "$ptx" "bin/kernels/$name"
done
echo "no toolkit" >bin/kernels/toolkit.txt

fail() {
    failed=$((failed + 1))
    printf 'FAILED: %s: %s\n--- status %s, stdout:\n%s\n--- stderr:\n%s\n' "$what" "$1" "$status" \
        "$(head -c 3000 out)" "$(head -c 3000 err)"
}

run() { # run STATUS ARGUMENT...: tmaref ARGUMENT... with the driver
    local want=$1
    shift
    what="${SABOTAGE:-} tmaref $*"
    LD_LIBRARY_PATH=$driver bin/tmaref "$@" >out 2>err </dev/null
    status=$?
    checks=$((checks + 1))
    [ "$status" -eq "$want" ] || fail "exit status $want expected"
}

out() {
    checks=$((checks + 1))
    grep -qF -- "$1" out || fail "stdout lacks: $1"
}

err() {
    checks=$((checks + 1))
    grep -qF -- "$1" err || fail "stderr lacks: $1"
}

is() { # is TEXT TEXT MESSAGE
    checks=$((checks + 1))
    [ "$1" = "$2" ] || fail "$3: $1, not $2"
}

# A trace of this driver is one that the model agrees with, and the other way round.
records() {
    local family device='Sabotaged, driver unknown, CUDA 13.0'
    for family in encode load async misuse wgmma_order; do
        run 0 record -f $family --keep 20 -n 60 -o traces/$family.jsonl.zst
    done
    for family in load async; do run 0 record -f $family --keep 3 -n 600 --lane faults -o traces/$family-faults.jsonl; done
    run 0 replay traces
    out "$device"
    run 0 replay -x gpu traces
    out "against gpu"
    is "$(grep -v '^[#e]' traces/MANIFEST | cut -f 4,5 | sort -u)" "$(printf '%s\tno toolkit' "$device")" \
        "device and toolkit in the manifest"
    is "$(grep '^encode' traces/MANIFEST | cut -f 4-6 | sort -u)" "$(printf '%s\t\t' "$device")" \
        "encode has no kernel, so no toolkit and no digest in the manifest"
}

# A trace recorded anew is the same, line for line; one that the machine does not agree with is not written.
records_anew() {
    local trace
    mkdir anew
    for trace in async-faults.jsonl load.jsonl.zst load-faults.jsonl misuse.jsonl.zst wgmma_order.jsonl.zst; do
        run 0 record --from traces/$trace -o anew/$trace
        out "anew/$trace: "
        run 0 replay anew/$trace
    done
    cmp traces/load-faults.jsonl anew/load-faults.jsonl || fail "load-faults.jsonl: recorded anew it is another one"
    is "$(grep '^load' traces/MANIFEST)" "$(grep '^load' anew/MANIFEST)" "lines of the manifest"
    sed '0,/"status":71[0-9]/s//"status":700/' traces/load-faults.jsonl >false.jsonl
    run 1 record --from false.jsonl -o anew/false.jsonl
    err ": recorded status 700 CUDA_ERROR_ILLEGAL_ADDRESS, found 71"
    err "1 of 3 cases differ from what was recorded; not written"
    [ ! -e anew/false.jsonl ] || fail "a trace that differs was written"
    run 2 record --from traces/load.jsonl.zst -f load -o anew/load.jsonl
    err "leave --family out"
}

# A core dump tells of many faults in one launch, and may be wrong: it says 719 (exception 17) of cases that end with
# 715, 716 or 700 alone. What differs from the recording runs again alone.
dumps_are_doubted() {
    SABOTAGE=dump:17 run 0 replay -x gpu traces/load-faults.jsonl
    SABOTAGE=dump:17 run 0 diff -f load -n 600 model gpu
}

# 40 cases that live, and a special one in the midst of them.
cases() { # cases FAMILY SPECIAL
    run 0 run -f "$1" -n 150 --seed 9 -x model
    sed -nE 's/.*"case":(.*),"result":\{"status":0,.*/\1/p' out >lived
    { head -20 lived && echo "$2" && sed -n 21,40p lived; } >cases.jsonl
    is "$(wc -l <cases.jsonl)" 41 "lines of cases.jsonl"
}

# The special case alone is told apart, and all others have results.
blamed() { # blamed FAMILY KIND:NUMBER VERDICT
    export SABOTAGE=$2
    run 1 diff -f "$1" -I cases.jsonl model gpu
    out "$1: model against gpu, 41 cases compared"
    out ", 1 mismatches"
    out "mismatch: $1 case 21"
    out "expected: accepted"
    out "found:    $3"
    unset SABOTAGE
}

map='"function":"cuTensorMapEncodeTiled","tensorDataType":6,"tensorRank":2,"globalDim":[64,64]'
map=$map',"globalStrides":[128],"elementStrides":[1,1],"boxDim":[16,8]'

ends_in_a_call() {
    cases encode "{$map,\"globalAddress\":74496}"
    blamed encode crash:74496 "process killed by signal 11"
    blamed encode exit:74496 "process killed by signal 9"
}

breaks() {
    cases load "{\"map\":{$map,\"globalAddress\":17592186044416},\"dims\":2,\"tensorCoords\":[0,0],\"shared\":4096,\"expect\":654321}"
    blamed load sticky:654321 "CUDA_ERROR_LAUNCH_FAILED (719)"
    blamed load crash:654321 "process killed by signal 11"
    cases transpose '{"kernel":"article","bytes":16,"rows":10,"columns":700,"source":3729168,"sourcePitch":11200,"resultPitch":160,"swizzle":"none","x":601,"y":7,"loaded":3584,"transposed":2048}'
    blamed transpose late:601 "CUDA_ERROR_LAUNCH_TIMEOUT (702): 32 threads gave up waiting; the first is thread 0 of CTA 0, which waited for parity 1 of the mbarrier at shared address 0x400"
    cases mbarrier '{"ops":[{"op":"init","operand":654321}]}'
    blamed mbarrier sticky:654321 "CUDA_ERROR_LAUNCH_FAILED (719)"
    # A hang costs its second at each halving: few cases.
    { head -4 lived && echo '{"ops":[{"op":"init","operand":654321}]}'; } >cases.jsonl
    export SABOTAGE=hang:654321 TMAREF_GPU_SECONDS=5
    run 1 diff -f mbarrier -I cases.jsonl model gpu
    out "5 cases compared"
    out "mismatch: mbarrier case 5"
    out "(702)"
    run 0 run -x gpu -f mbarrier -I cases.jsonl
    is "$(grep -c '"status":0,' out)" 4 "cases with a result"
    is "$(grep -c '"status":702' out)" 1 "cases that hang"
    unset SABOTAGE TMAREF_GPU_SECONDS
}

# One byte of what comes back: the case is named, and a trace that has it does not replay.
comes_wrong() {
    SABOTAGE=wrong:0 run 1 diff -f mbarrier -I cases.jsonl model gpu
    out ", 1 mismatches"
    out "mismatch: mbarrier case 1"
    SABOTAGE=wrong:0 run 0 record -f mbarrier -n 20 -o traces/wrong.jsonl
    run 1 replay traces/wrong.jsonl
    err "wrong.jsonl:2: "
    run 1 replay -x gpu traces/wrong.jsonl
}

# The executor sim, whose driver lies in exec: the rule of a fault is compared too, and told.
names_another_rule() {
    run 0 diff -f mbarrier -n 400 --each 2 model sim
    out ", 0 mismatches"
    SABOTAGE=rule:0 run 1 diff -f mbarrier -n 400 --each 2 model sim
    out "(719), rule MBARRIER_LAYOUT"
    out "found by the machine, by rule MBARRIER_LAYOUT:"
    out "      in two lines"
    run 0 record -x model -f mbarrier --keep 3 -n 400 --lane faults -o traces/rules.jsonl
    run 0 replay -x sim traces/rules.jsonl
    SABOTAGE=rule:0 run 1 replay -x sim traces/rules.jsonl
    err "as recorded, by rule MBARRIER_"
    err "for the model, by rule MBARRIER_LAYOUT for the machine"
    sed -n 's/.*"case":\(.*\),"status".*/\1/p' traces/rules.jsonl | head -1 >fault.jsonl
    run 0 run -x sim -f mbarrier -I fault.jsonl
    out '"told":"mbarrier slots[0] at shared address 0x'
    out '\nMBARRIER_'
}

# What the executor sim does not have counts as no mismatch: the crash of a driver, the clocks of an H200, and what a
# schedule does not promise.
has_not_all() {
    run 0 record -x model -f encode -n 60000 --keep 1 --lane faults -o traces/crash.jsonl
    sed -n 's/.*"case":\(.*\),"status":-11.*/\1/p' traces/crash.jsonl | head -1 >crash.jsonl
    run 0 diff -f encode -I crash.jsonl model sim
    out "1 cases compared"
    out "    1 of these cases were predicted to kill their process"
    run 0 diff -f encode -I crash.jsonl sim model
    run 0 diff -f bank -n 4 model sim
    TMAREF_SCHEDULE=late run 0 diff -f async -s 5 -n 100 model sim
    TMAREF_SCHEDULE=late run 0 diff -f async -s 5 -n 100 sim model
}

# One sentence and status 2 where nothing can run.
does_not_start() {
    SABOTAGE=start:100 run 2 diff -f load model gpu
    err "cuInit failed: CUDA_ERROR_NO_DEVICE (100)"
    SABOTAGE=startcrash:0 run 2 diff -f load model gpu
    err "the CUDA driver did not start"
    run 0 record -x model -f load -n 20 -o traces/load.jsonl
    SABOTAGE_CAPABILITY=80 run 2 replay -x gpu traces
    err "Sabotaged has compute capability 8.0: the kernels are for sm_90a (9.0) alone"
    SABOTAGE_CAPABILITY=100 run 2 record -f load -o traces/new.jsonl
    err "Sabotaged has compute capability 10.0"
    is "$(ls traces | grep -c new)" 0 "files made by a record that failed"
    mv bin/kernels bin/none
    run 2 diff -f load -n 2000 model gpu
    err "this build has no kernels"
    mv bin/none bin/kernels
    mkdir nothing && echo "not a library" >nothing/libcuda.so.1
    driver=$work/nothing run 2 run -x gpu -f load
    err "no CUDA driver on this machine"
}

# The benchmark finds its device; there is nothing worth timing on it.
measures() {
    run 2 bench copy --only=nothing
    err "no contest's name contains 'nothing'"
    out "Sabotaged, driver"
    run 2 bench gemm --triton=nowhere
    err "nowhere/kernels.json: unable to open"
    SABOTAGE_CAPABILITY=80 run 2 bench
    err "the kernels are for sm_90a (9.0) alone"
}

mkdir traces
case $part in
starts)
    does_not_start
    ends_in_a_call
    measures
    ;;
records)
    records
    records_anew
    dumps_are_doubted
    ;;
breaks)
    breaks
    comes_wrong
    ;;
rules)
    names_another_rule
    has_not_all
    ;;
esac
printf 'executor %s: %d checks, %d failed\n' "$part" "$checks" "$failed"
[ "$checks" -gt 0 ] && [ "$failed" -eq 0 ]
