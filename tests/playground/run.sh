#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# run.sh SOURCE BUILD: builds playground.html and clicks through it. Ends with 77, and says why, where something is missing.
set -eu
source=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

skip() {
    echo "skipped: $1"
    exit 77
}

command -v emcc >/dev/null || skip "there is no emcc (Debian: emscripten node-acorn)"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip "there is no chromium"
python3 -m venv "$work/venv" >"$work/log" 2>&1 || skip "python3 makes no virtual environment here (Debian: python3-venv)"
"$work/venv/bin/python" -m pip install -q playwright >"$work/log" 2>&1 || skip "PyPI is not in reach: $(tail -n 1 "$work/log")"

cmake -B "$build" -S "$source" >/dev/null # it may have been configured before emcc was there
cmake --build "$build" --target playground >"$work/log" 2>&1 || { tail -20 "$work/log"; exit 1; }
size=$(stat -c %s "$build/playground/playground.html")
[ "$size" -lt 2000000 ] || { echo "playground.html has $size bytes; it is to stay under 2 MB"; exit 1; }
"$work/venv/bin/python" "$source/tests/playground/click.py" "$build/playground/playground.html" \
    "$build/harness/tmaref" "$browser"
