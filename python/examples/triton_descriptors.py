# SPDX-License-Identifier: MIT
"""Are the descriptors legal that a Triton kernel with tensor descriptors makes? The kernel is compiled for sm_90a, which
needs no GPU; the boxes and swizzles are those that the compiler chose."""

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget

import tmaref

BLOCK = 64


@triton.jit
def copy(a, b, BLOCK: tl.constexpr):
    row = tl.program_id(0) * BLOCK
    b.store([row, 0], a.load([row, 0]))


def descriptors():
    """Box, swizzle and element size of each descriptor, as Triton hands them to its launcher."""
    kind = f"tensordesc<fp16[{BLOCK}, {BLOCK}]>"
    source = triton.compiler.ASTSource(copy, {"a": kind, "b": kind, "BLOCK": "constexpr"}, {(2,): BLOCK})
    return triton.compile(source, target=GPUTarget("cuda", 90, 32)).metadata.tensordesc_meta


def main():
    legal = True
    tensor = tmaref.Tensor("f16", (4096, BLOCK), (2 * BLOCK, 2), address=0x7F0000000000)
    for meta in descriptors():
        box, swizzle = meta["block_size"], ("none", "32B", "64B", "128B")[meta["swizzle"]]
        try:
            print(f"box {box}, swizzle {swizzle}: {tmaref.TensorMap.tiled(tensor, box, swizzle=swizzle)}")
        except tmaref.Refused as refused:
            legal = False
            print(f"box {box}, swizzle {swizzle}: {refused}")
    return legal


if __name__ == "__main__":
    raise SystemExit(0 if main() else 1)
