# SPDX-License-Identifier: MIT
"""A GEMM of fp8 written in Triton, compiled for sm_90 in many ways: the third opponent of `tmaref bench gemm`, which
times all of them for each shape and takes the best, as Triton's autotuner does.

    python3 triton_gemm.py FOLDER

writes FOLDER/<kernel>.cubin and FOLDER/kernels.json, which says how to launch each: the function's name, tile, splits,
warps and shared memory. D[m, n] = A[m, k] B[n, k]^T. `split_k` loads by pointers, and every split adds its part to a D
of bf16 that was zeroed before; `persistent` loads and stores by tensor descriptors that it makes itself, with its warps
specialised or not. Needs Triton 3.6; no GPU.
"""

import json
import multiprocessing
import pathlib
import sys

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def place(tile, m, n, TILE_M: tl.constexpr, TILE_N: tl.constexpr, GROUP: tl.constexpr):
    tiles_m = tl.cdiv(m, TILE_M)
    tiles_n = tl.cdiv(n, TILE_N)
    first = tile // (GROUP * tiles_n) * GROUP
    height = min(tiles_m - first, GROUP)
    row = (first + tile % (GROUP * tiles_n) % height) * TILE_M
    return row, tile % (GROUP * tiles_n) // height * TILE_N


@triton.jit
def split_k(a, b, d, m, n, k, TILE_M: tl.constexpr, TILE_N: tl.constexpr, TILE_K: tl.constexpr, SPLITS: tl.constexpr,
            GROUP: tl.constexpr):
    row, column = place(tl.program_id(0), m, n, TILE_M, TILE_N, GROUP)
    row += tl.arange(0, TILE_M)
    column += tl.arange(0, TILE_N)
    depth = tl.program_id(1) * TILE_K + tl.arange(0, TILE_K)
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
        tl.store(to, total.to(tl.bfloat16), mask=inside)
    else:
        tl.atomic_add(to, total.to(tl.bfloat16), mask=inside, sem="relaxed")


@triton.jit
def persistent(a, b, d, m, n, k, TILE_M: tl.constexpr, TILE_N: tl.constexpr, TILE_K: tl.constexpr, GROUP: tl.constexpr,
               SPECIALIZE: tl.constexpr):
    from_a = tl.make_tensor_descriptor(a, [m, k], [k, 1], [TILE_M, TILE_K])
    from_b = tl.make_tensor_descriptor(b, [n, k], [k, 1], [TILE_N, TILE_K])
    to = tl.make_tensor_descriptor(d, [m, n], [n, 1], [TILE_M, TILE_N])
    tiles = tl.cdiv(m, TILE_M) * tl.cdiv(n, TILE_N)
    for tile in tl.range(tl.program_id(0), tiles, tl.num_programs(0), flatten=not SPECIALIZE,
                         warp_specialize=SPECIALIZE):
        row, column = place(tile, m, n, TILE_M, TILE_N, GROUP)
        total = tl.zeros((TILE_M, TILE_N), dtype=tl.float32)
        for start in range(0, tl.cdiv(k, TILE_K)):
            block_a = from_a.load([row, start * TILE_K])
            block_b = from_b.load([column, start * TILE_K])
            total = tl.dot(block_a, block_b.T, total)
        to.store([row, column], total.to(tl.bfloat16))


# Tiles (m, n, k in elements), warps and pipeline stages of each kernel, and what each of them is compiled with. Warps
# are specialised on sm_90 only where there are 4 of them (Triton adds 8).
TILES = [(128, 256, 128, 8, 3), (256, 128, 128, 8, 3), (128, 128, 128, 8, 4), (128, 128, 128, 4, 4),
         (128, 64, 128, 4, 5), (64, 128, 128, 4, 5), (64, 256, 128, 4, 4), (64, 64, 128, 4, 6), (64, 64, 256, 4, 3)]
NARROW = [(16, 64, 256, 4, 4), (16, 128, 256, 4, 3), (32, 64, 256, 4, 4), (64, 32, 256, 4, 4), (64, 16, 256, 4, 4)]
SPLITS = [1, 4, 8, 16]


def choices():
    for shape in TILES + NARROW:
        for splits in SPLITS:
            yield split_k, shape, {"SPLITS": splits}
    for shape in TILES:
        yield persistent, shape, {"SPECIALIZE": False}
    for shape in sorted({(*shape[:3], 4, shape[4]) for shape in TILES}):
        yield persistent, shape, {"SPECIALIZE": True}


def build(folder, choice):
    function, shape, more = choice
    tile_m, tile_n, tile_k, warps, stages = shape
    pointer = {"a": "*fp8e4nv", "b": "*fp8e4nv", "d": "*bf16"}
    constants = {"TILE_M": tile_m, "TILE_N": tile_n, "TILE_K": tile_k, "GROUP": 8, **more}
    signature = {**pointer, "m": "i32", "n": "i32", "k": "i32", **{name: "constexpr" for name in constants}}
    # Pointers and sizes are multiples of 16, which lets Triton load 16 bytes at a time.
    aligned = {(i,): [["tt.divisibility", 16]] for i in range(6)}
    source = ASTSource(function, signature, constexprs=constants, attrs=aligned)
    kernel = triton.compile(source, target=GPUTarget("cuda", 90, 32),
                            options={"num_warps": warps, "num_stages": stages})
    splits = more.get("SPLITS", 1)
    how = f"split{splits}" if function is split_k else "specialised" if more["SPECIALIZE"] else "descriptors"
    name = f"triton_{how}_{tile_m}x{tile_n}x{tile_k}_{warps}w{stages}s"
    (folder / f"{name}.cubin").write_bytes(kernel.asm["cubin"])
    meta = kernel.metadata
    return {"module": name, "function": meta.name, "tile_m": tile_m, "tile_n": tile_n, "splits": splits,
            "persistent": int(function is persistent), "threads": 32 * meta.num_warps,
            "shared_bytes": meta.shared, "scratch_bytes": meta.global_scratch_size}


# A choice that Triton cannot compile (too much shared memory, a pass that gives up) is left out, and said so. By its
# number: a process cannot be handed a kernel.
def try_build(work):
    folder, number = work
    choice = list(choices())[number]
    try:
        return build(folder, choice)
    except Exception as error:
        print(f"{choice[0].__name__} {choice[1:]}: {str(error).splitlines()[0] if str(error) else error}", file=sys.stderr)
        return None


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    with multiprocessing.Pool() as pool:
        kernels = pool.map(try_build, [(folder, number) for number, _ in enumerate(choices())], chunksize=1)
    text = json.dumps({"triton": triton.__version__, "kernels": [k for k in kernels if k]}, indent=1)
    (folder / "kernels.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
