# SPDX-License-Identifier: MIT
"""Is the swizzle that my kernel computes the hardware's? Puts an index array of one's own beside it."""

import numpy as np

import tmaref

ROWS, COLUMNS = 64, 64


def my_index(row, column):
    """Where my kernel looks for element (row, column) of a tile of 64 x 64 f16 in the 128B swizzle."""
    chunk = column // 8
    return row * COLUMNS + (chunk ^ (row % 8)) * 8 + column % 8


def main():
    mine = np.fromfunction(my_index, (ROWS, COLUMNS), dtype=np.intp)
    theirs = tmaref.swizzle_index((ROWS, COLUMNS), "f16", "128B")
    print(f"the first rows agree: {(mine == theirs).all()}")

    # The pattern depends on the address: a tile that does not begin at a multiple of 1024 bytes has another one.
    moved = tmaref.swizzle_index((ROWS, COLUMNS), "f16", "128B", shared=1024 + 128)
    row, column = (int(i) for i in np.argwhere(mine != moved)[0])
    print(f"128 bytes on, element ({row}, {column}) lies at {moved[row, column]}, not at {mine[row, column]}")

    # What reading a column costs: all 32 lanes of a warp read element 0 of their row.
    for name, index in [("without", np.arange(ROWS * COLUMNS).reshape(ROWS, COLUMNS)), ("with", theirs)]:
        cost = tmaref.conflicts(1024 + 2 * index[:8, 0], 16)
        print(f"{name} the swizzle 8 lanes that read 16 bytes of a column take {cost.wavefronts} wavefronts")
    return (mine == theirs).all()


if __name__ == "__main__":
    raise SystemExit(0 if main() else 1)
