#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Calls every name of a library's table, the refused ones as missing.
# cudaCreateChannelDesc is left out: it fills a struct of the caller's, and returns no error.
# usage: every_call.sh EVERY_CALL LIBRARY TABLE [FIRST LAST]
set -eu -o pipefail
rows=$(awk -v first="${4:-}" -v last="${5:-}" -f "$(dirname "$0")/../../cmake/calls.awk" "$3")
# shellcheck disable=SC2046
exec "$1" "$2" $(awk '$2 != "REFUSED" && $1 != "cudaCreateChannelDesc" { print $1 }' <<<"$rows") -- \
    $(awk '$2 == "REFUSED" { print $1 }' <<<"$rows")
