# SPDX-License-Identifier: MIT
"""A split-K GEMM written in Triton, compiled for sm_90: the third opponent of `tmaref bench gemm`.

    python3 triton_gemm.py FOLDER

writes FOLDER/<kernel>.cubin and FOLDER/kernels.json, which says how to launch each: the function's name, tile, splits,
warps and shared memory. D[m, n] = A[m, k] B[n, k]^T; every split adds its part to a D of f16 that was zeroed before.
Needs Triton 3; no GPU.
"""

import json
import pathlib
import sys

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def split_k(a, b, d, m, n, k, TILE_M: tl.constexpr, TILE_N: tl.constexpr, TILE_K: tl.constexpr, SPLITS: tl.constexpr,
            GROUP: tl.constexpr):
    tiles_m = tl.cdiv(m, TILE_M)
    tiles_n = tl.cdiv(n, TILE_N)
    tile = tl.program_id(0)
    part = tl.program_id(1)
    first = tile // (GROUP * tiles_n) * GROUP
    height = min(tiles_m - first, GROUP)
    row = (first + tile % (GROUP * tiles_n) % height) * TILE_M + tl.arange(0, TILE_M)
    column = tile % (GROUP * tiles_n) // height * TILE_N + tl.arange(0, TILE_N)
    depth = part * TILE_K + tl.arange(0, TILE_K)
    from_a = a + (row % m)[:, None] * k + depth[None, :]
    from_b = b + (column % n)[None, :] * k + depth[:, None]
    total = tl.zeros((TILE_M, TILE_N), dtype=tl.float32)
    for start in range(0, tl.cdiv(k, TILE_K * SPLITS)):
        left = k - start * TILE_K * SPLITS
        block_a = tl.load(from_a, mask=depth[None, :] < left, other=0.0)
        block_b = tl.load(from_b, mask=depth[:, None] < left, other=0.0)
        total = tl.dot(block_a, block_b, total)
        from_a += TILE_K * SPLITS
        from_b += TILE_K * SPLITS
    to = d + row[:, None] * n + column[None, :]
    inside = (row[:, None] < m) & (column[None, :] < n)
    if SPLITS == 1:
        tl.store(to, total.to(tl.float16), mask=inside)
    else:
        tl.atomic_add(to, total.to(tl.float16), mask=inside, sem="relaxed")


# Tiles (m, n, k in elements), splits, warps and pipeline stages; large shapes first, then few rows.
SHAPES = [
    (128, 256, 128, 1, 8, 3),
    (128, 128, 128, 1, 4, 4),
    (64, 128, 128, 4, 4, 4),
    (16, 64, 256, 4, 4, 4),
    (64, 64, 128, 8, 4, 4),
]


def build(folder, number, shape):
    tile_m, tile_n, tile_k, splits, warps, stages = shape
    pointer = {"a": "*fp8e4nv", "b": "*fp8e4nv", "d": "*fp16"}
    constants = {"TILE_M": tile_m, "TILE_N": tile_n, "TILE_K": tile_k, "SPLITS": splits, "GROUP": 8}
    signature = {**pointer, "m": "i32", "n": "i32", "k": "i32", **{name: "constexpr" for name in constants}}
    # Pointers and sizes are multiples of 16, which lets Triton load 16 bytes at a time.
    aligned = {(i,): [["tt.divisibility", 16]] for i in range(6)}
    source = ASTSource(split_k, signature, constexprs=constants, attrs=aligned)
    kernel = triton.compile(source, target=GPUTarget("cuda", 90, 32),
                            options={"num_warps": warps, "num_stages": stages})
    name = f"triton_e4m3_{number}"
    (folder / f"{name}.cubin").write_bytes(kernel.asm["cubin"])
    return {"module": name, "function": kernel.metadata.name, "tile_m": tile_m, "tile_n": tile_n, "splits": splits,
            "threads": warps * 32, "shared_bytes": kernel.metadata.shared}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    kernels = [build(folder, number, shape) for number, shape in enumerate(SHAPES)]
    text = json.dumps({"triton": triton.__version__, "kernels": kernels}, indent=1)
    (folder / "kernels.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
