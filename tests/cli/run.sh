#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `tmaref run KERNEL`: its options are the fields of the case, wrong ones are told with the nearest legal value. What
# `tmaref run --family` does is in list.sh and files.sh.
. "$(dirname "$0")/expect.sh" || exit 2

run 0 run --help
out "gemm-pingpong"
run 2 run gemm-ping
err "there is no kernel 'gemm-ping'"
run 2 run gem
err "there is no kernel 'gem'; did you mean gemm-"
run 2 enc
err "did you mean encode, "
run 0 run gemm-split-k --help
out "--splits=VALUE"
out "default 4"
run 0 run gemm-pingpong --m 65 --n=130 --k 33 --type f16
out '"type":"f16","out":"f16","tile":[128,128],"m":65,"n":130,"k":33,"pitch":[80,80,272]'
out "model: accepted"
out "65"
run 0 run gemm-cooperative --m 9 --n 9 --k 9 --tile 128x256 --cluster 2x1 --dump 1
out '"cluster":[2,1]'
out "shared"
run 0 run gemm-cp-async --m 9 --n 9 --k 9 --out f32
out '"kernel":"cp_async"'
run 0 run gemm-layout --m 9 --n 9 --k 9 --swizzle-a none --major-b mn --shift 0,128
out '"swizzle_a":"none"'
run 0 run gemm-split-k --m 64 --n 64 --k 512 --splits 2 --workspace 1
out '"workspace":1'
run 0 run cluster-histogram --cluster 16 --nbins 77 --variant split
out "bins"
run 0 run attention --variant pull --parts 3
out "model: accepted"

# Without a GPU, --diff says so before the model computes: m, n, k of 4096 take it minutes.
if [ ! -e /dev/nvidiactl ]; then
    run 2 run gemm-pingpong --m 512 --n 512 --k 64 --diff
    err "tmaref run gemm-pingpong:"
    quiet
fi

# A timeline of the simulated device counts steps, and says so.
if [ -e "$(dirname "$TMAREF")/../kernels/gemm_pingpong.ptx" ]; then
    run 0 exec -- "$TMAREF" run gemm-pingpong --m 65 --n 130 --k 33 --svg "$work/timeline.svg"
    check "the axis is not that of the machine" grep -q "thousand clocks of the machine: steps, not time" "$work/timeline.svg"
else
    echo "left out: the timeline under exec, for kernels/gemm_pingpong.ptx is not built"
fi

while IFS='|' read -r arguments sentence; do
    # shellcheck disable=SC2086
    run 2 run $arguments
    err "$sentence"
done <<'END'
gemm-pingpong --cluster 3x1|the nearest is 2
gemm-pingpong --stages 99|the nearest is
gemm-pingpong --m 0|"m" is not in 1 .. 32768
gemm-pingpong --tile 1x1|"tile" is none of 128x128
gemm-pingpong --type e4m3 --out f16|"out" is none of bf16, f32
gemm-pingpong --cluster 2|"cluster"
gemm-pingpong --m 100000000|"m" is not in 1 .. 32768
gemm-pingpong --splits 2|only gemm-split-k, gemm-turned and gemm-gather cut k
gemm-cp-async --cluster 2x1|gemm-cp-async has no more
gemm-layout --time|cannot be timed
gemm-layout --svg x.svg|has no timeline
gemm-layout --k 9999|"k" is 1 to 384
gemm-layout --frog 1|there is no option '--frog'
gemm-pingpong --tpye f16|there is no option '--tpye'; did you mean --type, 
cluster-histogram --cluster 17|"cluster"
attention --variant frog|"variant"
gemm-layout 12|takes no argument '12'
gemm-pingpong --window 5|--window takes two numbers
gemm-pingpong --executor frog|there is no executor 'frog'
END
finish
