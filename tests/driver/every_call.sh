#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Calls every name of a library's table, with those that the library has as weak symbols as missing ones: model/driver/missing.c.
# cudaCreateChannelDesc is left out: it fills a struct of the caller's, and returns no error.
# usage: every_call.sh EVERY_CALL LIBRARY TABLE
set -eu -o pipefail
shown=$(nm -D --defined-only "$2" | awk '{ sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort)
names=$(LC_ALL=C comm -12 <(echo "$shown") \
    <(sed -nE 's/^[A-Z]+_NAME\(([A-Za-z0-9_]+).*/\1/p' "$3" | grep -v '^cudaCreateChannelDesc$' | LC_ALL=C sort))
weak=$(nm -D --defined-only "$2" | awk '$2 == "W" || $2 == "V" { sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort)
missing=$(LC_ALL=C comm -12 <(echo "$names") <(echo "$weak"))
[ -n "$missing" ] || { echo "$2 has no weak symbol: which names are missing?"; exit 1; }
# shellcheck disable=SC2046
exec "$1" "$2" $(LC_ALL=C comm -23 <(echo "$names") <(echo "$missing")) -- $missing
