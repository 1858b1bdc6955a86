#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# build.sh BUILD: the pages as a site in BUILD/site, searchable, with links checked: a broken one is an error. The playground and
# the reference of the functions are in it where BUILD has them. MkDocs comes from PyPI. Ends with 77, and says why, without it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
skip() {
    echo "skipped: $1"
    exit 77
}
export PIP_DISABLE_PIP_VERSION_CHECK=1 NO_MKDOCS_2_WARNING=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv" >"$work/log" 2>&1 || skip "python3 makes no virtual environment here (Debian: python3-venv)"
"$work/venv/bin/python" -m pip install -q "mkdocs<2" "mkdocs-material<10" >"$work/log" 2>&1 ||
    skip "PyPI is not in reach: $(tail -n 1 "$work/log")"
[ -f "$build/pages/rules.md" ] || { echo "build.sh: there is no $build/pages/rules.md: build the target pages"; exit 1; }
export TMAREF_PAGES=$build/pages
playground=$build/playground/playground.html reference=$build/reference/html
[ ! -f "$playground" ] || export TMAREF_PLAYGROUND=$playground
[ ! -d "$reference" ] || export TMAREF_REFERENCE=$reference
"$work/venv/bin/python" -m mkdocs build --strict --config-file "$here/mkdocs.yml" --site-dir "$build/site"
echo "see $build/site/index.html"
