# SPDX-License-Identifier: MIT
"""A reference for an FP8 GEMM: what an H200 leaves, bit for bit, and how far a plain float32 product is from it.

Needs ml_dtypes for NumPy's FP8 types: pip install ml_dtypes"""

import ml_dtypes
import numpy as np

import tmaref

M, N, K = 128, 64, 1024


def main():
    chance = np.random.default_rng(0)
    a = chance.standard_normal((M, K)).astype(ml_dtypes.float8_e4m3fn)
    b = chance.standard_normal((K, N)).astype(ml_dtypes.float8_e4m3fn)

    hopper = tmaref.matmul(a, b)  # float32 accumulators of wgmma.f32.e4m3.e4m3
    plain = a.astype(np.float32) @ b.astype(np.float32)
    exact = a.astype(np.float64) @ b.astype(np.float64)
    for name, result in [("wgmma", hopper), ("float32", plain)]:
        print(f"{name:8} is at most {np.abs(result - exact).max():.2g} from the exact product")

    # DeepGEMM's remedy: sum 128 of K on the tensor cores, and those sums in float32.
    promoted = np.zeros((M, N), np.float32)
    for k in range(0, K, 128):
        promoted += tmaref.matmul(a[:, k : k + 128], b[k : k + 128])
    print(f"promoted is at most {np.abs(promoted - exact).max():.2g} from it")

    # What a test of a kernel compares with: equality, not a tolerance.
    d = tmaref.matmul(a, b, ml_dtypes.bfloat16)
    return (d == hopper.astype(ml_dtypes.bfloat16)).all()


if __name__ == "__main__":
    raise SystemExit(0 if main() else 1)
