# SPDX-License-Identifier: MIT
"""The arena: the global memory that the cases of `tmaref` read, which no request holds (docs/conformance-kit.md)."""
import numpy as np

ARENA_BASE, ARENA_WORDS = 1 << 44, 1 << 22


def mix(x):
    """64 bits that depend on all bits of each x: the last step of SplitMix64."""
    x = (x ^ x >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ x >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return x ^ x >> np.uint64(31)


def arena():
    """The global memory that loads read: 8 bytes that are found nowhere else, then floats at the limits of formats."""
    words = mix(np.arange(ARENA_WORDS, dtype=np.uint64) + np.uint64(0x746D61726566))
    upper = words[ARENA_WORDS // 2:]
    bits = np.stack([mix(upper), upper], axis=1)
    limits = "0 1 1000 2fff 7fffff 800000 3f800000 3f801000 3f802fff 7f7fefff 7f7ff000 7f7fffff 7f800000 7f800001 " \
             "7f801000 7fc00000 7fffffff 7ff77ff7"
    limit = np.array([int(digits, 16) for digits in limits.split()], np.uint64)[(bits >> np.uint64(32)) % np.uint64(18)]
    low, small = bits & np.uint64(0xFFFFFFFF), bits >> np.uint64(3) & np.uint64(0x7FFFFF)
    some = [small, small | np.uint64(0x7F800000), bits >> np.uint64(3) & np.uint64(0x0FFFE000) | np.uint64(0x1000), low]
    choices = [bits & np.uint64(7) == k for k in range(4)]
    floats = low & np.uint64(0x80000000) | np.select(choices, some, limit)
    upper[:] = floats[:, 0] | floats[:, 1] << np.uint64(32)
    return words.view(np.uint8)
