#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# An adapter to the interpreter of Triton (TRITON_INTERPRET=1, triton from PyPI): loads and stores through tensor
# descriptors. A tile of Triton lies in registers: it has no interleave, no element strides and no barrier. The swizzle is
# this adapter's, and the barrier's word that of the package tmaref.
#   tmaref score --executor command:'python3 triton_adapter.py' traces
import json
import os
import struct
import sys

os.environ["TRITON_INTERPRET"] = "1"
import numpy as np  # noqa: E402
import triton  # noqa: E402
import triton.language as tl  # noqa: E402
from arena import ARENA_BASE, arena  # noqa: E402

import tmaref  # noqa: E402

GLOBAL = arena()
TYPES = {0: (tl.uint8, "u1"), 1: (tl.uint16, "u2"), 2: (tl.uint32, "u4"), 3: (tl.int32, "i4"), 4: (tl.uint64, "u8"),
         5: (tl.int64, "i8"), 6: (tl.float16, "f2"), 7: (tl.float32, "f4"), 8: (tl.float64, "f8"),
         9: (tl.uint16, "u2")}  # fmt: skip


@triton.jit
def copy(tensor, tile, shape, strides, box: tl.constexpr, coords, kind: tl.constexpr, nan: tl.constexpr,
         is_store: tl.constexpr, size: tl.constexpr):
    base = tl.cast(tensor, tl.pointer_type(kind), bitcast=True)
    rows = tl.cast(tile, tl.pointer_type(kind), bitcast=True)
    flat = rows + tl.arange(0, size)
    descriptor = tl.make_tensor_descriptor(base, shape, strides, box, padding_option="nan" if nan else "zero")
    if is_store:
        descriptor.store(coords, tl.reshape(tl.load(flat), box))
    else:
        tl.store(flat, tl.reshape(descriptor.load(coords), [size]))


def why_not(case, map_, first, end):
    """What of a case Triton cannot say."""
    if map_["function"] != "cuTensorMapEncodeTiled" or case["dims"] != map_["tensorRank"]:
        return "tensor descriptors are tiled maps, with instructions of their rank"
    if map_["interleave"] or any(step != 1 for step in map_["elementStrides"]):
        return "a tile of Triton has no interleave or element stride"
    if map_["tensorDataType"] not in TYPES or (map_["tensorDataType"] == 9 and map_["oobFill"]):
        return "no such type in NumPy"
    if any(size & (size - 1) for size in map_["boxDim"]):
        return "blocks of Triton are powers of two"
    size = np.dtype(TYPES[map_["tensorDataType"]][1]).itemsize
    strides = [size, *(int(str(s), 0) for s in map_["globalStrides"])]
    dims = [int(str(d), 0) for d in map_["globalDim"]]
    if any(stride % size for stride in strides):
        return "strides of Triton are elements"
    address = int(str(map_["globalAddress"]), 0)
    if map_["boxDim"][0] * size % 16 or address % 16 or any(s % 16 for s in strides[1:]) or max(dims) >= 2**31:
        return "nothing refuses a descriptor in the interpreter"
    last = address + sum((dim - 1) * stride for dim, stride in zip(dims, strides)) + size
    if address < first or last > end:
        return "the interpreter would read outside of what is mapped"
    return ""


def run(case, map_, memory, base, tile, is_store):
    kind, name = TYPES[map_["tensorDataType"]]
    size = np.dtype(name).itemsize
    shape = [int(str(d), 0) for d in reversed(map_["globalDim"])]
    strides = [int(str(s), 0) // size for s in reversed(map_["globalStrides"])] + [1]
    address = memory.ctypes.data + int(str(map_["globalAddress"]), 0) - base
    copy[(1,)](address, tile.ctypes.data, tuple(shape), tuple(strides), tuple(map_["boxDim"][::-1]),
               tuple(case["tensorCoords"][::-1]), kind, bool(map_["oobFill"]), is_store,
               int(np.prod(map_["boxDim"])))


def pieces(tile, map_, row, shared, base):
    """Where the tile lies in shared memory: rows that are shorter than the span of a swizzle have gaps behind them."""
    span = 16 << map_["swizzle"] if map_["swizzle"] else 0
    if not span:
        return [{"at": shared - base, "bytes": tile.hex()}]
    places = ((i, shared + i // row * span + i % row) for i in range(0, len(tile), 16))
    return [{"at": (at ^ (at >> 3 & span - 16)) - base, "bytes": tile[i:i + 16].hex()} for i, at in places]


def load(case, before):
    map_ = case["map"]
    reason = why_not(case, map_, ARENA_BASE, ARENA_BASE + len(GLOBAL))
    tile = np.zeros(int(np.prod(map_.get("boxDim", [0]))) * 8, np.uint8)
    bytes_ = len(tile) // 8 * np.dtype(TYPES.get(map_["tensorDataType"], (0, "u1"))[1]).itemsize
    if reason or case["shared"] % 128 or case["shared"] + 8 * bytes_ > 233472:
        return {"unsupported": reason or "registers are always aligned, and never end"}
    run(case, map_, GLOBAL, ARENA_BASE, tile, False)
    barrier = tmaref.Barrier(1)
    barrier.arrive_expect_tx(case["expect"])
    barrier.land(bytes_)
    base = int(str(before["shared"]["base"]), 0)
    changed = pieces(tile[:bytes_].tobytes(), map_, bytes_ // int(np.prod(map_["boxDim"][1:])), case["shared"], base)
    return {"result": {"status": 0, "mbarrier": {"bytes": struct.pack("<Q", barrier.word).hex()},
                       "shared": {"changed": changed}}}  # fmt: skip


def store(case, before):
    map_, base = case["map"], int(str(before["global"]["base"]), 0)
    memory = np.frombuffer(bytes.fromhex(before["global"]["bytes"]), np.uint8).copy()
    reason = why_not(case, map_, base, base + len(memory))
    if reason or case["operation"] != "store" or map_["swizzle"]:
        return {"unsupported": reason or "only stores, and no swizzle"}
    held, at = bytes.fromhex(before["shared"]["bytes"]), case["shared"] - int(str(before["shared"]["base"]), 0)
    tile = np.frombuffer(held[at:].ljust(8 * int(np.prod(map_["boxDim"])), b"\0"), np.uint8).copy()
    run(case, map_, memory, base, tile, True)
    return {"result": {"status": 0, "global": {"bytes": memory.tobytes().hex()}}}


for line in sys.stdin:
    asked = json.loads(line)
    family = {"load": load, "store": store}.get(asked["family"])
    try:
        answer = family(asked["case"], asked["before"]) if family else {"unsupported": f"no cases of {asked['family']}"}
    except triton.runtime.errors.InterpreterError as refusal:
        answer = {"unsupported": f"the interpreter stops: {refusal}"[:300]}
    print(json.dumps({"index": asked["index"], **answer}), flush=True)
