#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# run.sh SOURCE BUILD: makes the site and looks at it in headless Chromium. Ends with 77, and says why, where something is missing.
set -eu
source=$1 build=$2
bash "$source/site/build.sh" "$build"
skip() {
    echo "skipped: the site is made, and every link leads somewhere, but $1"
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip "there is no chromium to look at it"
python3 -m venv "$work/venv" >"$work/log" 2>&1 || skip "python3 makes no virtual environment here (Debian: python3-venv)"
"$work/venv/bin/python" -m pip install -q playwright >"$work/log" 2>&1 || skip "PyPI is not in reach: $(tail -n 1 "$work/log")"
"$work/venv/bin/python" "$source/tests/site/look.py" "$build/site" "$browser"
