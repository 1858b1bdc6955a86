#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# alive.sh SETUP: without a terminal setup.sh says every SETUP_ALIVE_SECONDS how far a build has come, of make and of ninja.
set -eu
setup=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
log=$work/log
eval "$(sed -n '/^progress() {/,/^}/p; /^watch() {/,/^}/p' "$setup")"
failed=0
for line in '[ 42%] Building C object' '[210/500] Building C object'; do
    printf 'a line before\n%s\nand a warning\n' "$line" >"$log"
    sleep 4 &
    SETUP_ALIVE_SECONDS=1 watch $! "build (default)" 2>"$work/err"
    wanted="setup: build (default): ${line%%]*}] after"
    [ "$(grep -cF "$wanted" "$work/err")" -ge 2 ] || { echo "not twice: $wanted"; cat "$work/err"; failed=1; }
done
exit $failed
