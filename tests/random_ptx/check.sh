#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What `random_ptx check` says of recordings that are altered on purpose.
# Usage: check.sh RANDOM_PTX LIBRARY RECORDED
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
program=$1 library=$2
grep -v '^[#!]' "$3" | head -3 >"$tmp/whole"

expect() { # STATUS PATTERN FILE: how the check ends, and what it says
    local status=0
    "$program" check "$library" "$3" >"$tmp/said" 2>&1 || status=$?
    if [ $status != "$1" ] || ! grep -q "$2" "$tmp/said"; then
        echo "expected status $1 and '$2'; status $status:"
        cat "$tmp/said"
        exit 1
    fi
}

expect 0 '^3 programs, 3 agree' "$tmp/whole"
awk 'NR == 2 { $2 = $2 == "00000000" ? "00000001" : "00000000" } { print }' "$tmp/whole" >"$tmp/text"
expect 1 'is not the one that was recorded: record it again' "$tmp/text"
awk 'NR == 2 { $6 = (substr($6, 1, 4) == "0000" ? "0001" : "0000") substr($6, 5) } { print }' "$tmp/whole" >"$tmp/step"
expect 1 'step 0 differs from the recording' "$tmp/step"
expect 1 '^3 programs, 2 agree' "$tmp/step"
awk 'NR == 2 { $6 = substr($6, 1, length($6) - 4) } { print }' "$tmp/whole" >"$tmp/short"
expect 1 'memory after step .* differs from the recording' "$tmp/short"
sed '2s/ .*//' "$tmp/whole" >"$tmp/cut"
expect 1 'no line of a recording' "$tmp/cut"
: >"$tmp/empty"
expect 2 'names no program to run' "$tmp/empty"
if "$program" ptx x >"$tmp/said" 2>&1 || ! grep -q "'x' is no number" "$tmp/said"; then
    echo "program x:"
    cat "$tmp/said"
    exit 1
fi
