#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# An adapter in Python: it answers cases of `tmaref` (docs/conformance-kit.md) with the package tmaref, which stands for
# the simulator under test. Take it as a pattern: replace what calls `tmaref.` by calls of your own.
#   tmaref replay --executor command:'python3 adapter.py' traces
import json
import struct
import sys

import numpy as np
from arena import ARENA_BASE, arena

import tmaref

LOAD_END, STORE_END = 233472, 102400  # of the shared memory that the kernels of these families have


class Unsupported(Exception):
    """Why a case cannot be run here."""


GLOBAL = arena()


def number(value):
    return int(value, 0) if isinstance(value, str) else value


def map_of(case, mode=""):
    """The map of an encode call. The lists of a case begin with the innermost dimension, those of the package end so."""
    is_known = case["function"] in ("cuTensorMapEncodeTiled", "cuTensorMapEncodeIm2col")
    if not is_known or case.keys() & {"null", "misalign"}:
        raise Unsupported("only the tiled and im2col calls, without NULL, and maps at 64-byte boundaries")
    if not case["function"].endswith(mode):
        raise Unsupported("an instruction for the other kind of map")
    kinds = ("u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f64", "bf16", "f32.ftz", "tf32", "tf32.ftz")
    values = [number(case[k]) for k in ("tensorDataType", "swizzle", "interleave", "l2Promotion", "oobFill")]
    if not 1 <= case["tensorRank"] <= 5 or max(values) >= len(kinds):
        raise Unsupported("a rank or a value of an enumeration that there is not")
    kind = kinds[values[0]]
    element = {"u8": 1, "u16": 2, "f16": 2, "bf16": 2, "u64": 8, "s64": 8, "f64": 8}.get(kind, 4)
    strides = (*(number(s) for s in reversed(case["globalStrides"])), element)
    tensor = tmaref.Tensor(kind, tuple(number(d) for d in reversed(case["globalDim"])), strides,
                           address=number(case["globalAddress"]))
    same = {"element_strides": case["elementStrides"][::-1], "swizzle": values[1], "interleave": values[2],
            "l2_promotion": values[3], "oob_fill": values[4], "dtype": kind}  # fmt: skip
    if case["function"] == "cuTensorMapEncodeTiled":
        return tmaref.TensorMap.tiled(tensor, case["boxDim"][::-1], **same)
    return tmaref.TensorMap.im2col(tensor, lower=case["pixelBoxLowerCorner"][::-1], channels=case["channelsPerPixel"],
                                   upper=case["pixelBoxUpperCorner"][::-1], pixels=case["pixelsPerColumn"], **same)


def encode(case, before):
    return {"map": bytes(map_of(case))}


def pieces(tensor_map, shared, tile):
    """What a load writes: the tile, or pieces of 16 bytes where a swizzle leaves gaps after short rows."""
    size, span = tensor_map.transaction_bytes, {"32B": 32, "64B": 64, "128B": 128}.get(tensor_map.swizzle, 0)
    if size == len(tile):
        return {shared: tile}
    row = size // (len(tile) // span) if tensor_map.fields.interleave == "none" else span
    places = [shared + i // row * span + i % row for i in range(0, size, 16)]
    places = [place ^ (place >> 3 & span - 16) for place in places]
    return {place: tile[place - shared: place - shared + 16] for place in places}


def load(case, before):
    tensor_map = map_of(case["map"], "Im2col" if case.get("load_mode") == "im2col" else "Tiled")
    if case["dims"] != tensor_map.rank or case["shared"] + tensor_map.box_bytes > LOAD_END:
        raise Unsupported("another rank than the map's, or past the end of shared memory")
    offsets = case["im2colOffsets"][::-1] if "im2colOffsets" in case else None
    barrier = tmaref.Barrier(1)
    barrier.arrive_expect_tx(case["expect"])
    tile = tmaref.load(tensor_map, GLOBAL, case["tensorCoords"][::-1], shared=case["shared"], base=ARENA_BASE,
                       offsets=offsets)
    barrier.land(tensor_map.transaction_bytes)
    return {"mbarrier": struct.pack("<Q", barrier.word), "shared": pieces(tensor_map, case["shared"], tile.tobytes())}


def store(case, before, mode="Tiled"):
    tensor_map = map_of(case["map"], mode)
    if case["dims"] != tensor_map.rank or case["shared"] + tensor_map.box_bytes > STORE_END:
        raise Unsupported("another rank than the map's, or past the end of shared memory")
    memory = np.frombuffer(before["global"][1], np.uint8).copy()
    first, shared = before["shared"]
    at = case["shared"] - first
    tile = np.frombuffer(shared[at: at + tensor_map.box_bytes].ljust(tensor_map.box_bytes, b"\0"), np.uint8)
    place = {"shared": case["shared"], "base": before["global"][0]}
    if case["operation"] == "store":
        tmaref.store(tensor_map, memory, case["tensorCoords"][::-1], tile, **place)
    else:
        tmaref.reduce(case["operation"], tensor_map, memory, case["tensorCoords"][::-1], tile, **place)
    return {"global": memory.tobytes()}


def im2col_store(case, before):
    return store(case, before, "Im2col")


def mbarrier(case, before):
    barriers, log, answers = [tmaref.Barrier(1) for _ in range(4)], b"", []
    for barrier in barriers:
        barrier.word = 0
    for op in case["ops"]:
        if op.keys() & {"issuer", "offset", "spread"}:
            raise Unsupported("only barriers of the own CTA, one for all lanes")
        barrier, lanes = barriers[op.get("barrier", 0)], op.get("lanes", 1)
        values, ballot = [0] * 32, 0
        if op["op"] == "word":
            barrier.word = number(op["word"])
        else:
            operands = [(op.get("operand", 0) + lane * op.get("step", 0)) % 2**32 for lane in range(32)]
            if op["op"] in ("test_wait", "try_wait", "pending_count"):
                operands = [v << 32 for v in (answers[op["token"]] if "token" in op else operands)]
            values, ballot = barrier.operate(op["op"], operands, lanes)
            values = [v >> 32 if op["op"].startswith("arrive") else v for v in values]
        answers.append(values)
        log += struct.pack("<QII32I", barrier.word, ballot, lanes, *values)
    return {"log": log, "final": struct.pack("<4Q", *(barrier.word for barrier in barriers))}


FAMILIES = {"encode": encode, "load": load, "im2col": load, "store": store, "im2col_store": im2col_store,
            "mbarrier": mbarrier}  # fmt: skip


def window(base, held):
    if isinstance(held, bytes):
        return {"bytes": held.hex()}
    return {"changed": [{"at": address - base, "bytes": part.hex()} for address, part in held.items()]}


def answer(asked):
    if asked["family"] not in FAMILIES:
        return {"unsupported": f"no cases of {asked['family']}"}
    before = {name: (number(w["base"]), bytes.fromhex(w["bytes"])) for name, w in asked.get("before", {}).items()}
    try:
        windows = FAMILIES[asked["family"]](asked["case"], before)
    except Unsupported as reason:
        return {"unsupported": str(reason)}
    except tmaref.Broken as broken:
        return {"result": {"status": broken.cuda_error}}
    bases = {name: number(w["base"]) for name, w in asked["windows"].items()}
    return {"result": {"status": 0, **{name: window(bases[name], held) for name, held in windows.items()}}}


for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps({"index": request["index"], **answer(request)}), flush=True)
