#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `tmaref explore --paths`, and `exec --write-sync`: each kernel of paths.ptx with its mistake, and without; the right kernels
# of the zoo; the project's pipelines. usage: explore_paths.sh FOLDER ZOO; TMAREF is the command, RUN_ZOO launches kernels.
set -u
. "$(dirname "$0")/expect.sh"
folder=$1
cd "$scratch" || exit 2

variant() { [ "$1" = mistake ] && sed -E 's|^//-||; s|^//\+.*||' "$2" || sed -E 's|^//\+||; s|^//-.*||' "$2"; }

# paths STATUS PATTERN FILE KERNEL OPTION...: explore --paths ends so and prints a line like PATTERN.
paths() {
    local status=$1 pattern=$2
    timeout 60 "$TMAREF" explore --paths "${@:5}" -- "$RUN_ZOO" "$3" "$4" >out 2>&1
    local got=$?
    [ $got = "$status" ] && grep -qE -- "$pattern" out && return
    echo "tmaref explore --paths of $4 ${*:5}: status $got ($status expected), and not like '$pattern':"
    cat out
    failed=1
}

whole='in every order of them, no deadlock, no arrival too many and no lap'
for of in mistake right; do variant $of "$folder/paths.ptx" >$of.ptx; done
while read -r kernel kind line; do
    paths 0 "$whole" right.ptx "$kernel"
    if [ "$kind" = NONE ]; then
        paths 0 "$whole" mistake.ptx "$kernel"
        continue
    fi
    words=$(grep "^$kind " <<'END' | cut -d ' ' -f 2-
DEADLOCK threads wait for ever, in an order of steps that the run did not have
LAP a wait of .* for phase [0-9]+ of mbarrier full may go on (behind phase [0-9]+|before the first phase ends)
OVER an arrival of .* may be too many for phase 0 of mbarrier full
PHASE warp [0-9]+ of CTA \(0,0,0\) may come to phase 0 of .*, and comes to phase 1 in the run
LIFE .* may use mbarrier full when that is not initialised
END
)
    paths 1 "^PTX line $line: error: kernel $kernel: $words\$" mistake.ptx "$kernel"
    # The run itself has no mistake: no schedule is needed to find this one.
    timeout 60 "$TMAREF" exec -- "$RUN_ZOO" mistake.ptx "$kernel" >run 2>&1 || { echo "the run of $kernel fails itself:"; cat run; failed=1; }
done < <(awk '/^\/\/ zoo/ { kernel = $3; getline; kind = $2; line = 0; if (kind == "NONE") print kernel, kind, 0 }
    /\/\/ HERE/ { print kernel, kind, NR }' mistake.ptx)

# The kernels of the zoo without their mistakes have none here.
for file in "$2"/*.ptx; do
    variant right "$file" >zoo.ptx
    timeout 300 "$TMAREF" explore --paths --json -- "$RUN_ZOO" zoo.ptx >out 2>&1
    [ $? = 0 ] && grep -q '"findings": \[\]' out && ! grep -qE '"whole": false|not searched' out ||
        { echo "the right kernels of $file:"; grep -B3 -A12 '"findings": \[$' out | head -40; failed=1; }
done

# The project's pipelines are proven. A sanitized build preloads nothing, so none of its programs is run there.
pipeline() {
    [ -e "$(dirname "$TMAREF")/exec/libtmaref_cubins.so" ] || return
    timeout 300 "$TMAREF" explore --paths --json -- "$TMAREF" run "$@" --executor gpu >out 2>&1
    [ $? = 0 ] && grep -q '"whole": true' out && ! grep -qE '"whole": false|not searched' out ||
        { echo "tmaref run $*:"; head -60 out; failed=1; }
}
pipeline gemm-pingpong --m 256 --n 512 --k 512 --cluster 2x1
pipeline gemm-cooperative --m 256 --n 512 --k 256 --cluster 2x2
pipeline ladder-pipeline --m 256 --n 256 --k 256
pipeline ladder-cooperative --m 256 --n 256 --k 256
pipeline ladder-pingpong --m 256 --n 256 --k 256
pipeline attention
pipeline prefetch

# Files of steps that are none; a run that made more steps than were written; a search that has no steps left.
copies() { "$TMAREF" explore --paths "${@:2}" -- sh -c "cp '$PWD/$1' \"\$TMAREF_WRITE_SYNC\"" >out 2>&1; }
says() { [ $? = "$1" ] && grep -qE -- "$2" out || { echo "not '$2':"; cat out; failed=1; }; }
"$TMAREF" exec --write-sync steps -- "$RUN_ZOO" right.ptx second >/dev/null
copies steps
says 0 "$whole"
{ cat steps; echo full; } >more
copies more
says 0 'The run made more steps, which were not searched'
printf '%s\n' 'tmaref sync 1' 'L 1 k' 'P 1 k.cu:1' 'C 1 0 0 0,0,0 2' 's 1 0 0 1 ff 0 1 x' 's 1 0 0 0 ffffffff 0 1 A 1 0 0 32' \
    's 1 0 0 0 ffffffff 0 1 M 1 0' 's 1 0 0 0 ffffffff 0 1 x' >part # a warp of eight lanes has exited when they have
copies part
says 0 "$whole"
sed 's/ t 0 / t x /' steps >bad
copies bad
says 2 'line [0-9]+ of .* is .*t x'
sed 's/^tmaref sync 1/tmaref sync 2/' steps >bad
copies bad
says 2 'line 1 of .* is .tmaref sync 2'
"$TMAREF" exec --write-sync open -- "$RUN_ZOO" mistake.ptx third >/dev/null
copies open --steps 5
says 0 'in 1 orders of them, .*; others are left'
"$TMAREF" explore --paths --seconds 1 -- sh -c "cp '$PWD/open' \"\$TMAREF_WRITE_SYNC\"; sleep 1.2" >out 2>&1
says 0 'in 1 orders of them, .*; others are left'
"$TMAREF" explore --paths --all -- true >out 2>&1
says 2 '--paths goes with none of'
"$TMAREF" explore --paths -- true >out 2>&1
says 2 'no kernel of the program ran'
exit $failed
