# SPDX-License-Identifier: MIT
"""Tensor maps: the 128 bytes that the driver makes, exactly, or all the reasons why it refuses."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._library import ffi, library
from .errors import Finding, Report
from .tensors import Tensor, dtype_name, innermost_first, number_of, tensor_of, unsigned, whole_number, whole_numbers

_MODES = ("tiled", "im2col")
_INTERLEAVES = ("none", "16B", "32B")
_SWIZZLES = ("none", "32B", "64B", "128B")
_L2 = ("none", "64B", "128B", "256B")
_FILLS = ("zeros", "nan")
_MAX_RANK = 5


@dataclasses.dataclass(frozen=True)
class Fields:
    """The fields of a map in the driver's order: innermost dimension first. Strides in bytes, the box in elements."""

    mode: str
    rank: int
    dtype: str
    interleave: str
    swizzle: str
    l2_promotion: str
    oob_fill: str
    address: int
    dim: tuple[int, ...]
    stride: tuple[int, ...]
    box: tuple[int, ...]
    element_strides: tuple[int, ...]
    lower: tuple[int, ...]
    upper: tuple[int, ...]
    pixels: int


def _name(names: tuple[str, ...], number: int) -> str:
    return names[number] if number < len(names) else str(number)


class TensorMap:
    """A CUtensorMap of an sm_90a: ``bytes(map)`` are its 128 bytes.

    Shapes, boxes, element strides and coordinates have the order of the tensor's shape, outermost dimension first, as
    NumPy, PyTorch and Triton have it. `fields`, and the arguments that findings name, have the driver's order.

    >>> import numpy as np
    >>> a = tmaref.Tensor("f16", (256, 512), address=0x7f0000000000)
    >>> tensor_map = TensorMap.tiled(a, box=(64, 64), swizzle="128B")
    >>> tensor_map.fields.box, tensor_map.box_bytes
    ((64, 64), 8192)
    >>> TensorMap.tiled(a, box=(64, 65))
    Traceback (most recent call last):
    tmaref.errors.Refused: cuTensorMapEncodeTiled returns CUDA error 1:
      refused, rule MAP_INNER_BYTES: boxDim[0] is 65, must be a multiple of 8, nearest legal value 64
          boxDim[0] (channelsPerPixel) times the element size must be a multiple of 16 bytes, with every interleave.
          Widen the box to the next multiple of 16 bytes; what lies outside the tensor is filled.
    """

    def __init__(self, image: bytes) -> None:
        if len(image) != 128:
            raise ValueError(f"a tensor map has 128 bytes, not {len(image)}")
        self._image = bytes(image)
        self._fields = ffi.new("struct native_fields *")
        self._report = Report()
        library.native_decode(image, self._fields, self._report.c)

    # --- Making one --------------------------------------------------------------------------------------------------

    @classmethod
    def from_bytes(cls, image: bytes) -> TensorMap:
        """The map that these 128 bytes are. Any bytes are taken; `findings` says what no encoder would have made. Bytes that
        do not say what a box is have box_bytes 0, and each copy through them raises Fault."""
        return cls(image)

    @classmethod
    def tiled(cls, tensor: Any, box: Sequence[int], *, swizzle: str | int = "none", interleave: str | int = "none",
              element_strides: Sequence[int] | None = None, l2_promotion: str | int = "none",
              oob_fill: str | int = "none", dtype: str | None = None, address: int | None = None) -> TensorMap:
        """cuTensorMapEncodeTiled.

        tensor    a Tensor, or anything that tensor_of() takes
        box       elements along each dimension, outermost first
        dtype     of the map, where it is not that of the tensor ("tf32" of float32, "u8" of FP8)
        address   in place of the tensor's
        raises    Refused, with all findings; ValueError for names and lengths that mean nothing
        """
        facts = tensor_of(tensor)
        rank = len(facts.shape)
        fields = _fields_of(facts, dtype, address)
        fields.box = _padded("box", box, rank, 0)
        fields.estride = _padded("element_strides", element_strides or [1] * rank, rank, 1)
        _set_values(fields, interleave, swizzle, l2_promotion, oob_fill)
        return cls._encode(fields, "cuTensorMapEncodeTiled")

    @classmethod
    def im2col(cls, tensor: Any, *, lower: Sequence[int], upper: Sequence[int], channels: int, pixels: int,
               swizzle: str | int = "none", interleave: str | int = "none",
               element_strides: Sequence[int] | None = None, l2_promotion: str | int = "none",
               oob_fill: str | int = "none", dtype: str | None = None, address: int | None = None) -> TensorMap:
        """cuTensorMapEncodeIm2col of a tensor (N, W, C), (N, H, W, C) or (N, D, H, W, C).

        lower, upper      pixelBoxLowerCorner and pixelBoxUpperCorner, as the spatial dimensions of the shape: (H, W)
        channels, pixels  channelsPerPixel and pixelsPerColumn
        The rest as tiled().
        """
        facts = tensor_of(tensor)
        rank = len(facts.shape)
        fields = _fields_of(facts, dtype, address)
        fields.mode = 1
        fields.box[0] = unsigned("channels", channels, 32)
        fields.pixels = unsigned("pixels", pixels, 32)
        for field, name, corner in ((fields.lower, "lower", lower), (fields.upper, "upper", upper)):
            if len(corner) != max(rank - 2, 0):
                raise ValueError(f"{name} has {len(corner)} entries, a tensor of rank {rank} has {max(rank - 2, 0)}")
            for i, value in enumerate(innermost_first(corner)[:3]):
                field[i] = whole_number(name, value, -(2**31), 2**31 - 1)
        fields.estride = _padded("element_strides", element_strides or [1] * rank, rank, 1)
        _set_values(fields, interleave, swizzle, l2_promotion, oob_fill)
        return cls._encode(fields, "cuTensorMapEncodeIm2col")

    @classmethod
    def _encode(cls, fields: Any, call: str) -> TensorMap:
        image = ffi.new("uint8_t[128]")
        report = Report()
        library.native_encode(fields, image, report.c)
        report.raise_refused(call)
        made = cls(bytes(ffi.buffer(image)))
        made._report = report  # its warnings
        return made

    # --- What it says ------------------------------------------------------------------------------------------------

    def __bytes__(self) -> bytes:
        return self._image

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorMap) and self._image == other._image

    def __hash__(self) -> int:
        return hash(self._image)

    def __repr__(self) -> str:
        f = self.fields
        return (f"<TensorMap {f.mode} {f.dtype} dim {list(f.dim)} box {list(f.box)} swizzle {f.swizzle} "
                f"at {f.address:#x}>")

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Warnings of the call that made it; of a map from bytes, what no encoder would have set."""
        return self._report.findings

    @property
    def fields(self) -> Fields:
        """Its fields in the driver's order, innermost dimension first."""
        f = self._fields
        rank = min(f.rank, _MAX_RANK)  # the bits have room for a rank of 8
        spatial = max(rank - 2, 0) if f.mode == 1 else 0
        return Fields(_name(_MODES, f.mode), f.rank, dtype_name(f.dtype), _name(_INTERLEAVES, f.interleave),
                      _name(_SWIZZLES, f.swizzle), _name(_L2, f.l2_promotion), _name(_FILLS, f.oob_fill), f.address,
                      tuple(f.dim[0:rank]), tuple(f.stride[0:rank]), tuple(f.box[0:rank]), tuple(f.estride[0:rank]),
                      tuple(f.lower[0:spatial]), tuple(f.upper[0:spatial]), f.pixels)

    @property
    def rank(self) -> int:
        """Dimensions."""
        return int(self._fields.rank)

    @property
    def mode(self) -> str:
        """ "tiled" or "im2col"."""
        return _name(_MODES, self._fields.mode)

    @property
    def address(self) -> int:
        """Global address of the tensor."""
        return int(self._fields.address)

    @property
    def swizzle(self) -> str:
        """ "none", "32B", "64B" or "128B"."""
        return _name(_SWIZZLES, self._fields.swizzle)

    @property
    def box_bytes(self) -> int:
        """Bytes of shared memory from the first to the last byte of a box; 0 for bytes that are no map."""
        return int(library.native_box_bytes(self._image))

    @property
    def transaction_bytes(self) -> int:
        """Bytes that a load of a box tells its mbarrier: what arrive.expect_tx announces."""
        return int(library.native_transaction_bytes(self._image))

    @property
    def numpy_dtype(self) -> np.dtype[Any]:
        """The NumPy type of its elements; unsigned integers for types that NumPy lacks."""
        size = int(library.native_dtype_bytes(self._fields.dtype)) or 1
        named = {"f16": "f2", "f32": "f4", "f64": "f8", "s32": "i4", "s64": "i8", "f32.ftz": "f4", "tf32": "f4",
                 "tf32.ftz": "f4"}  # fmt: skip
        return np.dtype(named.get(dtype_name(self._fields.dtype), f"u{size}"))


def _padded(name: str, values: Sequence[int], rank: int, rest: int) -> list[int]:
    given = np.atleast_1d(whole_numbers(name, values)).tolist()
    if len(given) != rank:
        raise ValueError(f"{name} has {len(given)} entries, the tensor has {rank} dimensions")
    if any(v < 0 or v > 0xFFFFFFFF for v in given):
        raise ValueError(f"{name} {tuple(given)}: entries are unsigned numbers of 32 bits")
    return (innermost_first(given) + [rest] * _MAX_RANK)[:_MAX_RANK]


def _fields_of(facts: Tensor, dtype: str | None, address: int | None) -> Any:
    strides = innermost_first(facts.byte_strides)
    size = int(library.native_dtype_bytes(facts.dtype_number))
    if strides and strides[0] != size and facts.shape[-1] > 1:
        raise ValueError(f"the innermost dimension has a stride of {strides[0]} bytes: TMA reads elements that lie side "
                         f"by side ({size} bytes); transpose the tensor, or copy it")
    if any(s < 0 for s in strides):
        raise ValueError(f"strides {tuple(facts.byte_strides)}: a tensor map has no negative strides")
    fields = ffi.new("struct native_fields *")
    fields.rank = len(facts.shape)
    fields.dtype = facts.dtype_number if dtype is None else number_of("dtype", 0, dtype)
    fields.address = facts.address if address is None else unsigned("address", address, 64)
    for i, (dim, stride) in enumerate(list(zip(innermost_first(facts.shape), strides))[:_MAX_RANK]):
        fields.dim[i] = dim
        fields.stride[i] = stride
    return fields


def _set_values(fields: Any, interleave: str | int, swizzle: str | int, l2_promotion: str | int,
                oob_fill: str | int) -> None:
    fields.interleave = number_of("interleave", 1, interleave)
    fields.swizzle = number_of("swizzle", 2, swizzle)
    fields.l2_promotion = number_of("l2_promotion", 3, l2_promotion)
    fields.oob_fill = number_of("oob_fill", 4, oob_fill)


__all__ = ["Fields", "TensorMap"]
