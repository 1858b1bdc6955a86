#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The table of docs/explore.md: how many of the zoo's kernels fail visibly under which schedules, without the sanitizer. No
# test: it takes minutes. usage: explore_zoo.sh FOLDER [SEEDS]; TMAREF is the command, RUN_ZOO a program.
#
# A kernel is made visible first: each thread adds up what its loads of 32 bits bring, and stores the sum before it ends.
# It fails if a report comes, or if the memory that it leaves differs from that of its first run.
set -u
folder=$1 seeds=${2:-16}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

variant() { [ "$1" = mistake ] && sed -E 's|^//-||; s|^//\+.*||' "$2" || sed -E 's|^//\+||; s|^//-.*||' "$2"; }

visible() {
    sed -E '/^\{/a .reg .b32 %zoosum, %zoo<4>; .reg .b64 %zoowide<2>;
        s/^( *(@!?%[a-z]+ )?ld\.[a-z0-9_.:]*\.[usb]32 (%r[0-9]+), \[[^;]*;)/\1 mad.lo.u32 %zoosum, %zoosum, 31, \3;/
        s/^    ret;/ld.param.u64 %zoowide0, [out]; mov.u32 %zoo0, %ctaid.x; mov.u32 %zoo1, %ntid.x; mov.u32 %zoo2, %tid.x; mad.lo.u32 %zoo0, %zoo0, %zoo1, %zoo2; mul.wide.u32 %zoowide1, %zoo0, 4; add.u64 %zoowide0, %zoowide0, %zoowide1; st.global.u32 [%zoowide0+65536], %zoosum; ret;/'
}

# fails FILE KERNEL OPTION...: does it?
fails() { ! "$TMAREF" explore --reduce 0 --same-output --run-seconds 20 "${@:3}" -- setarch -R "$RUN_ZOO" "$1" "$2" digest >/dev/null 2>&1; }

for file in "$folder"/*.ptx; do
    class=$(basename "$file" .ptx)
    for of in mistake right; do variant $of "$file" | visible >"$scratch/$of.ptx"; done
    planted=0 default=0 late=0 shuffled=0 pct=0 any=0 false=0
    for kernel in $(sed -nE 's|^// zoo ([a-z_0-9]+) .*|\1|p' "$file"); do
        planted=$((planted + 1)) is=0
        fails "$scratch/mistake.ptx" "$kernel" --runs 1 && { default=$((default + 1)) late=$((late + 1)) shuffled=$((shuffled + 1)) pct=$((pct + 1)) is=1; }
        if [ $is = 0 ]; then
            fails "$scratch/mistake.ptx" "$kernel" --schedule late --runs 2 && late=$((late + 1)) is=1
            fails "$scratch/mistake.ptx" "$kernel" --schedule shuffled --runs $((seeds + 1)) && shuffled=$((shuffled + 1)) is=1
            fails "$scratch/mistake.ptx" "$kernel" --schedule pct --runs $((seeds + 1)) && pct=$((pct + 1)) is=1
        fi
        any=$((any + is))
        fails "$scratch/right.ptx" "$kernel" --runs $((2 * seeds + 3)) && { false=$((false + 1)); echo "$class: the right $kernel fails" >&2; }
    done
    echo "| $class | $planted | $default | $late | $shuffled | $pct | $any | $false |"
done
