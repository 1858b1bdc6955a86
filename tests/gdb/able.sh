# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# For the tests of gdb: ends the script with 77, and says why, where there is no gdb that can do what they need.
skip() { echo "skipped: $1"; exit 77; }
command -v gdb >/dev/null || skip "there is no gdb here"
[ "$(gdb -nx -batch -ex 'python print(6 * 7)' 2>&1)" = 42 ] || skip "gdb has no Python here"
gdb -nx -batch -ex run -ex 'print $_exitcode' true 2>&1 | grep -q '= 0$' || skip "gdb cannot start a program here"
