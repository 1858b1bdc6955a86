# SPDX-License-Identifier: MIT
"""Copies between arrays, as the copy engine of an H200 does them: thousands of boxes a call.

`memory` is an array on the host that stands for global memory. Its first byte has the array's own address if the map's
address lies in it, and the map's address if not; `base` says otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ._library import ffi, library, pointer
from .errors import Report
from .maps import TensorMap
from .tensors import number_of, plain_array, span_of, unsigned, unsigned_numbers, whole_number, whole_numbers

Bytes = npt.NDArray[np.uint8]

# The kinds of operations, numbered as enum operation_kind of the library.
_TENSOR_LOAD, _TENSOR_STORE, _TENSOR_REDUCE = 0, 1, 2
_BULK_LOAD, _BULK_STORE, _BULK_STORE_REDUCE = 4, 5, 6
_BARRIER_ROOM, _LINE = 16, 128
SHARED = 1024  # where shared memory begins for a CTA
_MOST_RANK = 5
_MOST_BYTES = 232_448  # of shared memory of an SM: a copy of more faults


def _memory(memory: Any, base: int) -> Any:
    span = span_of(memory)
    return ffi.new("struct native_memory *", {"bytes": ffi.cast("uint8_t *", span.address), "base": base,
                                              "size_bytes": span.size_bytes, "is_read_only": span.is_read_only})


def base_of(tensor_map: TensorMap, memory: Any, base: int | None = None) -> int:
    """Global address of the first byte of `memory`."""
    if base is not None:
        return unsigned("base", base, 64)
    span = span_of(memory)
    return span.address if span.address <= tensor_map.address < span.address + span.size_bytes else tensor_map.address


def _coordinates(tensor_map: TensorMap, coords: npt.ArrayLike) -> npt.NDArray[np.int32]:
    """(boxes, 5), innermost first."""
    if not isinstance(tensor_map, TensorMap):
        raise TypeError(f"{type(tensor_map).__name__} is no TensorMap: the map comes first, the memory second")
    given = np.atleast_2d(whole_numbers("coords", coords))
    rank = min(tensor_map.rank, _MOST_RANK)
    if given.ndim != 2 or given.shape[1] != rank:
        raise ValueError(f"coords has the shape {np.shape(coords)}: a box of this map has {rank} coordinates")
    if given.size and (given.min() < -(2**31) or given.max() >= 2**31):
        raise ValueError("coords: a coordinate is a signed number of 32 bits")
    padded = np.zeros((len(given), 5), np.int32)
    padded[:, :rank] = given[:, ::-1]
    return padded


def _offsets(tensor_map: TensorMap, offsets: npt.ArrayLike | None, count: int) -> npt.NDArray[np.uint16] | None:
    if offsets is None:
        return None
    spatial = max(min(tensor_map.rank, _MOST_RANK) - 2, 0)
    given = np.broadcast_to(np.atleast_2d(unsigned_numbers("offsets", offsets, 16)), (count, spatial))
    padded = np.zeros((count, 3), np.uint16)
    padded[:, :spatial] = given[:, ::-1]
    return padded


def _where(done: int, count: int, what: str) -> str:
    return what if count == 1 else f"{what} {done} of {count} (the ones before it are done)"


class _Tiles:
    """Shared memory for many boxes: the boxes, and behind each of them room for a barrier."""

    def __init__(self, count: int, size_bytes: int) -> None:
        self.size_bytes = min(size_bytes, _MOST_BYTES)
        lines = -(-self.size_bytes // _LINE) * _LINE  # an H200 counts whole lines, also where a box ends in the midst of one
        self.room = np.zeros((count, lines + _BARRIER_ROOM), np.uint8)

    def fill(self, tiles: Any) -> None:
        given = np.ascontiguousarray(plain_array("tiles", tiles)).view(np.uint8).reshape(len(self.room), -1)
        if self.size_bytes and given.shape[1] != self.size_bytes:
            raise ValueError(f"a tile has {given.shape[1]} bytes, a box of this map {self.size_bytes}")
        self.room[:, : self.size_bytes] = given[:, : self.size_bytes]

    def boxes(self) -> Bytes:
        return np.ascontiguousarray(self.room[:, : self.size_bytes])


def _run(what: str, fields: dict[str, Any], count: int, coords: Any, offsets: Any, addresses: Any, memory: Any,
         tiles: _Tiles) -> None:
    unsigned("shared", fields["shared"], 32)
    copy = ffi.new("struct native_copy *", {"ctas": 1, "op": 0, "dtype": 0, **fields})
    report = Report()
    done = library.native_copy(copy, count, pointer("int32_t *", coords), pointer("uint16_t *", offsets),
                               pointer("uint64_t *", addresses), memory, pointer("uint8_t *", tiles.room),
                               tiles.room.shape[1], report.c)
    if done < count:
        report.raise_fault(_where(done, count, what))


def load(tensor_map: TensorMap, memory: Any, coords: npt.ArrayLike, *, offsets: npt.ArrayLike | None = None,
         shared: int = SHARED, base: int | None = None) -> npt.NDArray[Any]:
    """cp.async.bulk.tensor from global to shared memory, tiled or im2col as the map is.

    coords   (rank,) or (boxes, rank), outermost dimension first
    offsets  im2colOffsets, as the spatial dimensions of the tensor, of each box or of all
    shared   shared address of the box: it decides where the swizzle begins
    returns  what lies in shared memory from `shared` on, as elements of the map's type: (elements,) for one box,
             (boxes, elements) for many. swizzle_index() says where each element of the box is
    raises   Fault, with all findings, for the first box that an H200 would not load

    >>> import numpy as np
    >>> a = np.arange(64 * 64, dtype=np.uint16).reshape(64, 64)
    >>> tile = tmaref.load(tmaref.TensorMap.tiled(a, (8, 64), swizzle="128B", address=0x1000), a, (8, 0))
    >>> tile[:3], tile[64:67]
    (array([512, 513, 514], dtype=uint16), array([584, 585, 586], dtype=uint16))
    >>> (tile[tmaref.swizzle_index((8, 64), "u16", "128B")] == a[8:16]).all()
    np.True_
    """
    boxes = _coordinates(tensor_map, coords)
    image = ffi.from_buffer(bytes(tensor_map))
    tiles = _Tiles(len(boxes), tensor_map.box_bytes)
    _run("the load", {"kind": _TENSOR_LOAD, "image": image, "shared": shared}, len(boxes), boxes,
         _offsets(tensor_map, offsets, len(boxes)), None, _memory(memory, base_of(tensor_map, memory, base)), tiles)
    return _elements(tensor_map, tiles.boxes(), np.ndim(coords) == 1)


def _elements(tensor_map: TensorMap, boxes: Bytes, is_one: bool) -> npt.NDArray[Any]:
    kind = tensor_map.numpy_dtype
    if boxes.shape[-1] % kind.itemsize == 0:
        boxes = boxes.view(kind)
    return boxes[0] if is_one else boxes


def multicast(tensor_map: TensorMap, memory: Any, coords: npt.ArrayLike, *, ctas: int, mask: int, issuer: int = 0,
              offsets: npt.ArrayLike | None = None, shared: int = SHARED, base: int | None = None) -> npt.NDArray[Any]:
    """The same with .multicast::cluster: CTA `issuer` of a cluster of `ctas` loads one box for the CTAs of `mask`.

    returns  (ctas, elements): what each CTA has; zeros where it got nothing
    """
    box = _coordinates(tensor_map, coords)
    if len(box) != 1:
        raise ValueError("a multicast is of one box")
    whole_number("ctas", ctas, 1, 16)
    whole_number("issuer", issuer, 0, ctas - 1)
    unsigned("mask", mask, 32)
    image = ffi.from_buffer(bytes(tensor_map))
    tiles = _Tiles(ctas, tensor_map.box_bytes)
    _run("the multicast load",
         {"kind": _TENSOR_LOAD, "image": image, "shared": shared, "ctas": ctas, "issuer": issuer, "is_multicast": 1,
          "mask": mask}, 1, box, _offsets(tensor_map, offsets, 1), None,
         _memory(memory, base_of(tensor_map, memory, base)), tiles)
    return _elements(tensor_map, tiles.boxes(), False)


def store(tensor_map: TensorMap, memory: Any, coords: npt.ArrayLike, tiles: Any, *, shared: int = SHARED,
          base: int | None = None) -> None:
    """cp.async.bulk.tensor from shared to global memory. `memory` is changed.

    coords  (rank,) or (boxes, rank), outermost dimension first; what lies outside the tensor is not written
    tiles   the bytes of shared memory from `shared` on, of one box or (boxes, ...) of many: elements of any type, in the
            order in which they lie there. Of a swizzled map it is what load() returns: to make one of a box b, write
            tile[swizzle_index(b.shape, b.dtype, mode)] = b
    shared  shared address of the box: it decides where the swizzle begins
    base    global address of the first byte of `memory`
    raises  Fault, with all findings, for the first box that an H200 would not store; the boxes before it are stored

    >>> import numpy as np
    >>> a = np.zeros((8, 16), np.float32)
    >>> tmaref.store(tmaref.TensorMap.tiled(a, (4, 8)), a, (4, 8), np.ones((4, 8), np.float32))
    >>> a.sum(), a[4:, 8:].sum()
    (np.float32(32.0), np.float32(32.0))
    """
    _store(tensor_map, memory, coords, tiles, {"kind": _TENSOR_STORE}, "the store", shared, base)


def reduce(op: str, tensor_map: TensorMap, memory: Any, coords: npt.ArrayLike, tiles: Any, *, shared: int = SHARED,
           base: int | None = None) -> None:
    """cp.reduce.async.bulk.tensor: as store(), with `op` one of add, min, max, inc, dec, and, or, xor."""
    fields = {"kind": _TENSOR_REDUCE, "op": _reduction(op)}
    _store(tensor_map, memory, coords, tiles, fields, f"the reduction by {op}", shared, base)


def _reduction(op: str) -> int:
    number = int(library.native_reduction(op.encode()))
    if number < 0:
        raise ValueError(f"op takes add, min, max, inc, dec, and, or, xor, not {op!r}")
    return number


def _store(tensor_map: TensorMap, memory: Any, coords: npt.ArrayLike, tiles: Any, fields: dict[str, Any], what: str,
           shared: int, base: int | None) -> None:
    boxes = _coordinates(tensor_map, coords)
    image = ffi.from_buffer(bytes(tensor_map))
    room = _Tiles(len(boxes), tensor_map.box_bytes)
    room.fill(tiles)
    _run(what, {**fields, "image": image, "shared": shared}, len(boxes), boxes, None, None,
         _memory(memory, base_of(tensor_map, memory, base)), room)


# --- Bulk copies: no map, bytes side by side ---------------------------------------------------------------------------


def bulk_load(memory: Any, addresses: npt.ArrayLike, size_bytes: int, *, shared: int = SHARED,
              base: int | None = None) -> Bytes:
    """cp.async.bulk from global memory at each address: (size,) or (copies, size) bytes. `base`: the address of the
    array's first byte, by default its own."""
    where = np.atleast_1d(unsigned_numbers("addresses", addresses, 64))
    tiles = _Tiles(len(where), whole_number("size_bytes", size_bytes, 0, _MOST_BYTES))
    _run("the bulk load", {"kind": _BULK_LOAD, "shared": shared, "size_bytes": size_bytes}, len(where), None, None, where,
         _memory(memory, span_of(memory).address if base is None else unsigned("base", base, 64)), tiles)
    return tiles.boxes()[0] if np.ndim(addresses) == 0 else tiles.boxes()


def bulk_store(memory: Any, addresses: npt.ArrayLike, tiles: Any, *, op: str | None = None, dtype: str = "u8",
               shared: int = SHARED, base: int | None = None) -> None:
    """cp.async.bulk to global memory at each address; with `op` cp.reduce.async.bulk of elements of `dtype`."""
    where = np.atleast_1d(unsigned_numbers("addresses", addresses, 64))
    given = np.ascontiguousarray(plain_array("tiles", tiles)).view(np.uint8).reshape(len(where), -1)
    whole_number("bytes of a tile", given.shape[1], 0, _MOST_BYTES)
    room = _Tiles(len(where), given.shape[1])
    room.fill(given)
    fields = {"kind": _BULK_STORE, "shared": shared, "size_bytes": given.shape[1]}
    if op is not None:
        fields |= {"kind": _BULK_STORE_REDUCE, "op": _reduction(op), "dtype": number_of("dtype", 0, dtype)}
    _run("the bulk store", fields, len(where), None, None, where,
         _memory(memory, span_of(memory).address if base is None else unsigned("base", base, 64)), room)
