#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `tmaref export`: the programs that check themselves pass on the simulated GPU, and one with a wrong expected byte says where.
# Arguments: nvcc, the compiler of C++, the root of the project.
. "$(dirname "$0")/../cli/expect.sh" || exit 2
nvcc=$1 cxx=$2 root=$(realpath "$3")
cd "$work" || exit 2
build() { # build NAME: check_NAME.cu, for the simulated GPU alone
    "$nvcc" -ccbin "$cxx" -std=c++17 -gencode arch=compute_90a,code=compute_90a -cudart shared -I "$root/kernels" \
        -I "$root/model/core" -I "$root/conformance" -o "check_$1" "check_$1.cu" >build.log 2>&1 ||
        { cat build.log; fail "check_$1.cu does not compile"; }
}
for name in load store bulk mbarrier multicast; do
    run 0 export -o . --sample=3 "$root/traces/sm_90a/$name.jsonl.zst"
    out "./check_$name.cu"
    build $name
    run 0 exec -- "./check_$name"
    out "PASSED: $name, "
done

# The last digit of the first window of shared memory.
awk '/self_check\(.*"shared"/ && !done { inside = 1 }
     inside && /\);$/ { digit = substr($0, length($0) - 3, 1); sub(/.("\);)$/, (digit == "0" ? "1" : "0") "\");"); inside = 0; done = 1 }
     { print }' check_load.cu >wrong.cu && mv wrong.cu check_load.cu
build load
run 1 exec -- ./check_load
out "load:"
check "the place, the byte expected and the one found" grep -Eq \
    '^load:[0-9]+: shared 0x[0-9a-f]+ \(byte 0x[0-9a-f]+ of the window\): expected [0-9a-f]{2}, found [0-9a-f]{2}$' out
out "FAILED: load, 1 of "

run 2 export -o . "$root/traces/sm_90a/gemm.jsonl.zst"
err "the family gemm needs more of the host than a program of one launch has"
run 2 export -o . "$root/traces/sm_90a/load_fault.jsonl.zst"
err "no case of the sample ends well"
run 2 export "$root/traces/sm_90a/load.jsonl.zst"
err "--output is needed"
finish
