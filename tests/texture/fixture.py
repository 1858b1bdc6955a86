#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""fixture.py FETCH_BIN CASES > recorded.txt: a line for each case, a digest of 16 bits for each 16 fetches of it.

CASES has a line for each case: its fetches, and 1 if they are floats.
"""
import struct
import sys

GROUP = 16
data = open(sys.argv[1], "rb").read()
at = 0
for line in open(sys.argv[2]):
    fetches, is_float = map(int, line.split())
    digests = []
    for first in range(0, fetches, GROUP):
        digest = 2166136261
        for word in struct.unpack_from(f"<{4 * GROUP}I", data, 16 * (at + first)):
            if is_float and word & 0x7FFFFFFF > 0x7F800000:
                word = 0x7FC00000
            digest = ((digest ^ word) * 16777619) & 0xFFFFFFFF
            digest ^= digest >> 15
        digests.append(f"{digest & 0xFFFF:04x}")
    print("".join(digests))
    at += fetches
