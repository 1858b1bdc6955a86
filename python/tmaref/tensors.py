# SPDX-License-Identifier: MIT
"""Tensors of any kind: where they lie, their type, shape and strides. Nothing is copied."""

from __future__ import annotations

import ctypes
import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ._library import library, text
from .errors import Report

# The names that arrays use for a type, and the map's type that moves its bytes.
_TYPES = {
    "bool": "u8", "int8": "u8", "uint8": "u8", "float8_e4m3fn": "u8", "float8_e5m2": "u8", "int16": "u16",
    "uint16": "u16", "float16": "f16", "bfloat16": "bf16", "int32": "s32", "uint32": "u32", "float32": "f32",
    "int64": "s64", "uint64": "u64", "float64": "f64",
}  # fmt: skip


@dataclass(frozen=True)
class Tensor:
    """A tensor as a map sees it, whether or not its bytes can be reached from here.

    dtype    "f16", "u8", ... as the command takes it, a driver's name, or the name of a NumPy type
    shape    elements, outermost dimension first, as NumPy and PyTorch have it
    strides  bytes from one element to the next along each dimension; None: packed
    address  global address of element 0
    raises   TypeError and ValueError, which name the argument, for what is no number of 64 bits
    """

    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None = None
    address: int = 0

    def __post_init__(self) -> None:
        number_of("dtype", 0, self.dtype)
        for i, extent in enumerate(self.shape):
            unsigned(f"shape[{i}]", extent, 64)
        for i, stride in enumerate(self.strides or ()):
            whole_number(f"strides[{i}]", stride, -(2**63), 2**64 - 1)
        if self.strides is not None and len(self.strides) != len(self.shape):
            raise ValueError(f"strides has {len(self.strides)} entries, shape has {len(self.shape)}")
        unsigned("address", self.address, 64)

    @property
    def dtype_number(self) -> int:
        """CUtensorMapDataType."""
        return number_of("dtype", 0, self.dtype)

    @property
    def byte_strides(self) -> tuple[int, ...]:
        """Strides in bytes, also where they were left out."""
        if self.strides is not None:
            return self.strides
        size = int(library.native_dtype_bytes(self.dtype_number))
        return tuple(size * math.prod(self.shape[i + 1 :]) for i in range(len(self.shape)))


def whole_number(name: str, value: Any, least: int, most: int) -> int:
    """One whole number from `least` to `most`; TypeError for what is none, ValueError for one outside."""
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}: it takes a whole number") from None
    if not least <= number <= most:
        raise ValueError(f"{name} is {number}: it takes {least} to {_bound(most)}")
    return number


def _bound(most: int) -> str:
    bits = most.bit_length()
    return f"2**{bits} - 1" if most == 2**bits - 1 and bits >= 31 else str(most)


def unsigned(name: str, value: Any, bits: int) -> int:
    """One unsigned number of `bits` bits."""
    return whole_number(name, value, 0, 2**bits - 1)


def plain_array(name: str, source: Any) -> Any:
    """`source`, unless it is a NumPy array whose bytes are not what it means: TypeError for one with masked elements,
    and for one in the other byte order, which a copy by the hardware would not turn."""
    if isinstance(source, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array, and the hardware knows no masks: pass {name}.filled(0), or {name}.data")
    if isinstance(source, np.ndarray) and not source.dtype.isnative:
        raise TypeError(f"{name} has the type {source.dtype.str!r}, whose byte order is not the GPU's: pass "
                        f"{name}.astype({name}.dtype.newbyteorder('='))")
    return source


def number_of(argument: str, which: int, value: str | int) -> int:
    """The driver's number of a value given by name or number; ValueError names what is understood."""
    if not isinstance(value, str):
        return whole_number(argument, value, 0, 2**31 - 1)
    report = Report()
    name = _TYPES.get(value.lower(), value) if which == 0 else value
    number = int(library.native_value(which, name.encode(), report.c))
    if number < 0:
        raise ValueError(f"{argument} {report.text}")
    return number


def dtype_name(number: int) -> str:
    """The PTX name of a CUtensorMapDataType ("f16"); "?" for a number that is none."""
    name = library.native_dtype_name(number)
    return text(name) if name else "?"


def _of_interface(interface: dict[str, Any], dtype: str | None) -> Tensor:
    shape = tuple(interface["shape"])
    kind = np.dtype(interface["typestr"])
    if not kind.isnative:
        raise TypeError(f"the tensor has the type {kind.str!r}, whose byte order is not the GPU's: turn its bytes, in NumPy by "
                        "a.astype(a.dtype.newbyteorder('='))")
    strides = interface.get("strides")
    if strides is None:
        strides = tuple(kind.itemsize * math.prod(shape[i + 1 :]) for i in range(len(shape)))
    return Tensor(dtype or kind.name, shape, tuple(strides), interface["data"][0])


def tensor_of(source: Any, dtype: str | None = None, name: str = "tensor") -> Tensor:
    """What a map needs to know of `source`: a Tensor, a NumPy array (of ml_dtypes too), a PyTorch or CuPy tensor on any
    device, or anything with ``__array_interface__``, ``__cuda_array_interface__`` or ``__dlpack__``.

    dtype  overrides the type's name (an array of bytes that holds FP8, say)
    name   of the argument, for what is refused
    """
    if isinstance(source, Tensor):
        return source
    plain_array(name, source)
    if isinstance(source, np.ndarray):
        return Tensor(dtype or source.dtype.name, source.shape, source.strides, source.ctypes.data)
    if hasattr(source, "data_ptr") and hasattr(source, "stride"):  # PyTorch: bf16 and FP8 have no array interface
        size = source.element_size()
        return Tensor(dtype or str(source.dtype).split(".")[-1], tuple(source.shape),
                      tuple(s * size for s in source.stride()), source.data_ptr())
    for name in ("__array_interface__", "__cuda_array_interface__"):
        if hasattr(source, name):
            return _of_interface(getattr(source, name), dtype)
    if hasattr(source, "__dlpack__"):
        return tensor_of(np.from_dlpack(source), dtype, name)
    raise TypeError(f"{type(source).__name__} is not a tensor: it has neither __array_interface__ nor __dlpack__; "
                    "tmaref.Tensor(dtype, shape, strides, address) describes one")


@dataclass(frozen=True)
class Span:
    """The bytes of an array in the host's memory: where the first one lies, and how many there are."""

    address: int
    size_bytes: int
    is_read_only: bool


def span_of(memory: Any) -> Span:
    """The bytes from the first to the last element of an array on the host; TypeError for arrays on a device."""
    device = getattr(memory, "device", "cpu")
    if str(getattr(device, "type", device)) != "cpu" or hasattr(memory, "__cuda_array_interface__"):
        raise TypeError(f"the array is on {device}: bytes can be copied only from and to the host's memory")
    facts = tensor_of(memory, "u8", "memory")
    item = getattr(memory, "itemsize", None) or getattr(memory, "element_size")()
    if 0 in facts.shape:
        return Span(facts.address, 0, False)
    reach = [(n - 1) * s for n, s in zip(facts.shape, facts.byte_strides)]
    first = facts.address + sum(r for r in reach if r < 0)
    past = facts.address + sum(r for r in reach if r > 0) + item
    flags = getattr(memory, "flags", None)
    return Span(first, past - first, flags is not None and not getattr(flags, "writeable", True))


def raw_bytes(memory: Any, skip: int = 0) -> bytes:
    """The bytes of an array on the host as they lie in memory, from byte `skip` on, gaps between its rows included."""
    span = span_of(memory)
    return ctypes.string_at(span.address + skip, max(span.size_bytes - skip, 0))


def innermost_first(values: Sequence[int]) -> list[int]:
    """A list in the driver's order."""
    return [operator.index(v) for v in reversed(values)]


def _has_bool(values: Any) -> bool:
    if isinstance(values, (list, tuple)):
        return any(_has_bool(v) for v in values)
    return isinstance(values, (bool, np.bool_)) or getattr(values, "dtype", None) == np.bool_


def whole_numbers(name: str, values: npt.ArrayLike) -> npt.NDArray[Any]:
    """An array of integers; TypeError for anything else, which NumPy would cut off."""
    given = np.asarray(plain_array(name, values))
    if _has_bool(values):
        raise TypeError(f"{name} {values!r}: True and False are no whole numbers")
    if not given.size or given.dtype.kind in "iu":
        return given
    try:
        if given.dtype.kind not in "fO":
            raise TypeError
        each = np.asarray(values, object)  # NumPy makes floats of uint64 beside int, objects of integers past 64 bits
        whole = np.empty(each.shape, object)
        whole.reshape(-1)[:] = [operator.index(v) for v in each.flat]
    except TypeError:
        raise TypeError(f"{name} {values!r}: not all of these are whole numbers") from None
    return whole


def unsigned_numbers(name: str, values: npt.ArrayLike, bits: int) -> npt.NDArray[Any]:
    """The same as unsigned integers of `bits`; ValueError for a number outside them, which NumPy would wrap."""
    given = whole_numbers(name, values)
    if given.size and (int(given.min()) < 0 or int(given.max()) >> bits):
        raise ValueError(f"{name} {values!r}: these are unsigned numbers of {bits} bits")
    return given.astype(f"u{bits // 8}")
