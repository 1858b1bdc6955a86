#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# jobs.sh SETUP: what each job of setup.sh builds. A stranger who wants a first report waits for the command alone, not for tests and kernels.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$1" "$work/setup.sh"
mkdir -p "$work/bin" "$work/build/default/harness"
# In place of CMake, ctest and the command: each says what it was asked.
for name in bin/cmake bin/ctest build/default/harness/tmaref; do
    printf '#!/bin/sh\necho "%s $*" >>"%s/asked"\n' "${name##*/}" "$work" >"$work/$name"
    chmod +x "$work/$name"
done
failed=0
asks() { # asks JOB "A LINE" "ANOTHER"...: no other builds, replays and tests than these
    local job=$1
    shift
    : >"$work/asked"
    PATH=$work/bin:$PATH bash "$work/setup.sh" "$job" --no-install >"$work/said" 2>&1 || { cat "$work/said"; failed=1; }
    sed -E 's/ --parallel [0-9]+//' "$work/asked" | grep -v '^cmake --preset' >"$work/shown" || :
    printf '%s\n' "$@" | diff - "$work/shown" || { echo "setup.sh $job asks for something else"; failed=1; }
}
asks replay "cmake --build --preset default --target tmaref" "tmaref replay traces"
grep -q 'the command is build/default/harness/tmaref' "$work/said" || { echo "it does not say where the command is"; failed=1; }
if command -v /usr/local/cuda/bin/nvcc >/dev/null; then # without one the job test would fetch it
    asks test "cmake --build --preset default" "ctest --preset default"
else
    echo "skipped: the job test, as there is no /usr/local/cuda/bin/nvcc"
fi
exit $failed
