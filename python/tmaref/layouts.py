# SPDX-License-Identifier: MIT
"""Where elements lie in shared memory, and what it costs to reach them there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ._library import ffi, library, pointer
from .copies import SHARED
from .errors import Report
from .maps import TensorMap
from .tensors import Tensor, number_of, unsigned, unsigned_numbers, whole_number


def swizzle_index(shape: Sequence[int], dtype: Any, mode: str | int, *, shared: int = SHARED) -> npt.NDArray[np.intp]:
    """The place of each element of a box in shared memory, in elements from `shared` on: an index array to put beside a
    kernel's own, or to read a tile with (``tile[swizzle_index(...)]`` is the box as it was).

    shape   of the box, outermost dimension first; rows lie one behind the other
    dtype   of the elements, by any name of Tensor.dtype, or as NumPy has it
    mode    "none", "32B", "64B" or "128B"
    shared  shared address of the box (bytes): the swizzle depends on it
    raises  Refused for a box that no tensor map has (with "128B" a row of more than 128 bytes, say)

    >>> tmaref.swizzle_index((2, 64), "f16", "128B")[1, :9]
    array([72, 73, 74, 75, 76, 77, 78, 79, 64])
    """
    name = dtype if isinstance(dtype, str) else np.dtype(dtype).name
    size = int(library.native_dtype_bytes(number_of("dtype", 0, name)))
    if size == 0:
        raise ValueError(f"dtype {dtype}: a tensor map has no such type")
    unsigned("shared", shared, 32)
    extents = tuple(whole_number(f"shape[{i}]", extent, 1, 256) for i, extent in enumerate(shape))
    if number_of("swizzle", 2, mode):
        TensorMap.tiled(Tensor(name, extents, _whole_strides(extents, size)), extents, swizzle=mode)
    address = np.arange(shared, shared + math.prod(shape) * size, size, dtype=np.uint32)
    place = np.empty_like(address)
    library.native_swizzle(number_of("swizzle", 2, mode), len(address), pointer("uint32_t *", address),
                           pointer("uint32_t *", place))
    return ((place.astype(np.intp) - shared) // size).reshape(tuple(shape))


def _whole_strides(extents: tuple[int, ...], size: int) -> tuple[int, ...]:
    """Strides that every map takes, for a tensor of which the box alone matters."""
    strides = [size]
    for extent in reversed(extents[1:]):
        strides.insert(0, -(-extent * strides[0] // 32) * 32)
    return tuple(strides)


@dataclass(frozen=True)
class Conflicts:
    """What one access of a warp costs: wavefronts, the fewest that its size allows, and clocks of the data path."""

    wavefronts: int
    ideal: int
    clocks: int

    @property
    def extra(self) -> int:
        """Wavefronts that bank conflicts add."""
        return self.wavefronts - self.ideal


def conflicts(addresses: npt.ArrayLike, size_bytes: int = 4, *, store: bool = False,
              active: int | None = None) -> Conflicts:
    """Bank conflicts of one ld.shared or st.shared.

    addresses   shared addresses of up to 32 lanes, multiples of `size_bytes`
    size_bytes  of each lane: 1, 2, 4, 8 or 16
    active      the lanes that take part, bit by bit; by default as many as there are addresses
    raises      Fault for misaligned addresses; ValueError for a size that no access has

    >>> tmaref.conflicts([128 * lane for lane in range(32)])
    Conflicts(wavefronts=32, ideal=1, clocks=32)
    """
    given = unsigned_numbers("addresses", addresses, 32).ravel()
    if not 1 <= len(given) <= 32:
        raise ValueError(f"a warp has 1 to 32 lanes, not {len(given)}")
    lanes = np.zeros(32, np.uint32)
    lanes[: len(given)] = given
    if whole_number("size_bytes", size_bytes, 1, 16) not in (1, 2, 4, 8, 16):
        raise ValueError(f"size_bytes is {size_bytes}: an access of a lane has 1, 2, 4, 8 or 16 bytes")
    mask = (1 << len(given)) - 1 if active is None else unsigned("active", active, 32)
    result = ffi.new("int[3]")
    report = Report()
    library.native_bank(store, pointer("uint32_t *", lanes), mask, size_bytes, result, report.c)
    report.raise_fault("the access")
    return Conflicts(result[0], result[2], result[1])
