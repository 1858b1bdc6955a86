# SPDX-License-Identifier: MIT
"""What a compiler generated, checked on a machine without a GPU: pytest --junitxml results.xml test_generated.py"""

import numpy as np
import pytest

import tmaref


def generated_index(row, column):
    """The address arithmetic of the generated kernel: element (row, column) of a tile of 64 columns of bf16."""
    byte = row * 128 + column * 2
    return (byte ^ ((byte >> 7) & 7) << 4) // 2


@pytest.mark.parametrize("rows", [8, 64, 128])
def test_swizzle(rows):
    mine = np.fromfunction(np.vectorize(generated_index), (rows, 64), dtype=int)
    assert (mine == tmaref.swizzle_index((rows, 64), "bf16", "128B")).all()


@pytest.mark.parametrize("box", [(128, 64), (64, 64), (256, 32)])
def test_descriptors(box):
    matrix = tmaref.Tensor("bf16", (4096, 4096), address=0x10000)
    tmaref.TensorMap.tiled(matrix, box, swizzle="128B" if box[1] == 64 else "64B")  # Refused says every reason


def generated_gemm(a, b):
    """Stands for the kernel: read its result from a dump of a GPU, or run it with `tmaref exec`."""
    return tmaref.matmul(a, b, np.float16)


def test_gemm_bit_for_bit():
    chance = np.random.default_rng(1)
    a, b = (chance.standard_normal(shape).astype(np.float16) for shape in [(128, 256), (256, 64)])
    found, wanted = generated_gemm(a, b), tmaref.matmul(a, b, np.float16)
    assert (found.view(np.uint16) == wanted.view(np.uint16)).all()
