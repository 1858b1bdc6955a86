# SPDX-License-Identifier: MIT
"""Products of matrices with the numbers of an H200's tensor cores: chains of wgmma along K, and single mma."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from ._library import ffi, library, pointer
from .tensors import plain_array, whole_number

Array = npt.NDArray[Any]

_FORMATS = {"float16": "f16", "bfloat16": "bf16", "float32": "tf32", "float8_e4m3fn": "e4m3", "float8_e5m2": "e5m2",
            "int8": "s8", "uint8": "u8"}  # fmt: skip
_ACCUMULATORS: dict[str, np.dtype[Any]] = {"f32": np.dtype("f4"), "f16": np.dtype("f2"), "s32": np.dtype("i4")}
_ROWS = 64
_MOST_THREADS = 1024


def _format(name: str, array: Array, given: str | None) -> str:
    if given is not None:
        return given
    found = _FORMATS.get(array.dtype.name)
    if found is None:
        raise TypeError(f"{name} has the type {array.dtype.name}; the tensor cores multiply {', '.join(_FORMATS)} "
                        "(FP8 and bfloat16: of ml_dtypes)")
    return found


def _types(a: Array, b: Array, accumulate: str | None, a_format: str | None, b_format: str | None) -> tuple[int, str]:
    """The types of the wgmma, and the accumulator's format; the arrays are as wide as their formats."""
    formats = _format("a", a, a_format), _format("b", b, b_format)
    d = accumulate or ("s32" if formats[0] in ("s8", "u8") else "f32")
    types = int(library.native_wgmma_types(f"{d}.{formats[0]}.{formats[1]}".encode()))
    if types < 0:
        raise TypeError(f"wgmma has no {d}.{formats[0]}.{formats[1]} (D, A, B)")
    shape = ffi.new("int[6]")
    library.native_wgmma_shape(types, shape)
    for what, array, name, bits in (("a", a, formats[0], shape[4]), ("b", b, formats[1], shape[5])):
        if bits != 8 * array.itemsize:
            raise TypeError(f"{what} has elements of {8 * array.itemsize} bits, {name} has {bits}")
    return types, d


def _exact(name: str, values: npt.ArrayLike, kind: np.dtype[Any]) -> Array:
    """`values` as accumulators. Floats are rounded as NumPy rounds them; a whole number is never cut."""
    given = np.asarray(plain_array(name, values))
    if kind.kind != "i":
        return given.astype(kind)
    if given.dtype.kind not in "iu":
        raise TypeError(f"{name} has the type {given.dtype.name}: accumulators of s32 start from whole numbers, "
                        f"for example np.asarray({name}, np.int32)")
    if given.size and (int(given.min()) < -(2**31) or int(given.max()) >= 2**31):
        raise ValueError(f"{name} has numbers from {given.min()} to {given.max()}: accumulators of s32 have -2**31 to 2**31 - 1")
    return given.astype(kind)


def _operand(name: str, values: Any) -> Array:
    return np.asarray(plain_array(name, values))


def _accumulator(d: str, shape: tuple[int, int], c: npt.ArrayLike | None) -> npt.NDArray[np.uint32]:
    room = np.zeros(shape, np.uint32)
    if c is None:
        return room
    given = np.ascontiguousarray(np.broadcast_to(_exact("c", c, _ACCUMULATORS[d]), shape))
    room[...] = given.view(f"u{given.itemsize}")
    return room


def matmul(a: Array, b: Array, dtype: Any = None, *, accumulate: str | None = None, c: npt.ArrayLike | None = None,
           a_format: str | None = None, b_format: str | None = None, threads: int | None = None) -> Array:
    """a @ b as a GEMM of wgmma computes it, bit for bit: each element of D is one chain of instructions along K.

    a, b        (M, K) and (K, N), of float16, bfloat16, float32 (as tf32), float8_e4m3fn, float8_e5m2, int8 or uint8;
                any strides
    accumulate  format of the accumulator: "f32" (the default of floats), "f16" or "s32"
    dtype       of the result: by default the accumulator's; float16 and bfloat16 are rounded as an epilogue does
    c           accumulators to start from, (M, N)
    a_format, b_format   "f16", "bf16", "tf32", "e4m3", "e5m2", "s8" or "u8", for arrays of plain bytes
    threads     of the host, 1 to 1024; by default as many as there are processors. The GIL is free meanwhile
    raises      TypeError for types that no wgmma has, masked arrays, and arrays in another byte order than the host's

    >>> import numpy as np
    >>> a = np.full((1, 3), 1, np.float16)
    >>> tmaref.matmul(a, np.array([[2**-14], [1], [2**-14]], np.float16))[0, 0]
    np.float32(1.0001221)
    """
    a, b = _operand("a", a), _operand("b", b)
    workers = os.cpu_count() or 1 if threads is None else whole_number("threads", threads, 1, _MOST_THREADS)
    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[0]:
        raise ValueError(f"shapes {a.shape} and {b.shape} do not fit: (M, K) and (K, N)")
    types, d = _types(a, b, accumulate, a_format, b_format)
    shape = (a.shape[0], b.shape[1])
    sums = _accumulator(d, shape, c)
    product = ffi.new("struct native_product *", {
        "types": types, "accumulate": c is not None, "n": shape[1], "k": a.shape[1],
        "a": pointer("uint8_t *", a), "b": pointer("uint8_t *", b), "a_row": a.strides[0], "a_k": a.strides[1],
        "b_k": b.strides[0], "b_column": b.strides[1], "d": pointer("uint32_t *", sums)})
    _multiply(product, shape[0], workers)
    return _result(sums, d, dtype)


def _multiply(product: Any, rows: int, threads: int) -> None:
    parts = [(first, min(first + _ROWS, rows)) for first in range(0, rows, _ROWS)]

    def part(bounds: tuple[int, int]) -> bool:
        return bool(library.native_multiply(product, *bounds))

    with ThreadPoolExecutor(max(1, min(threads, len(parts)))) as pool:
        if not all(pool.map(part, parts)):
            raise MemoryError("no memory for the operands taken apart")


def _result(sums: npt.NDArray[np.uint32], d: str, dtype: Any) -> Array:
    kind = _ACCUMULATORS[d]
    own: Array = sums.view(kind) if kind.itemsize == 4 else sums.astype(np.uint16).view(kind)
    if dtype is None or np.dtype(dtype) == kind:
        return own
    wanted = np.dtype(dtype)
    if d != "f32" or wanted.name not in ("float16", "bfloat16"):
        raise TypeError(f"an accumulator of {d} is not stored as {wanted.name}; float16 and bfloat16 are made of f32")
    rounded = np.empty(sums.shape, np.uint16)
    library.native_round(wanted.name == "bfloat16", sums.size, pointer("uint32_t *", sums),
                         pointer("uint16_t *", rounded))
    return rounded.view(wanted)


def wgmma(a: Array, b: Array, d: npt.ArrayLike | None = None, **options: Any) -> Array:
    """One wgmma.mma_async.m64nNkK: D = A * B + D, bit for bit.

    a, b     (64, K) and (K, N): K is 16 for 16-bit types, 8 for float32 (as tf32), 32 for 8-bit types; N is 8 to 256 in
             steps of 8. Both lie as matrices, not as in shared memory
    d        (64, N): the accumulators; None for scale-d 0
    options  those of matmul(): dtype, accumulate, a_format, b_format, threads
    returns  (64, N), of the accumulator's type
    raises   ValueError for shapes that this wgmma has not, TypeError for types that none has

    >>> import numpy as np
    >>> tmaref.wgmma(np.ones((64, 16), np.float16), np.ones((16, 8), np.float16))[0, 0]
    np.float32(16.0)
    """
    a, b = _operand("a", a), _operand("b", b)
    types, _ = _types(a, b, *(options.get(name) for name in ("accumulate", "a_format", "b_format")))
    shape = ffi.new("int[6]")
    library.native_wgmma_shape(types, shape)
    n = b.shape[1] if b.ndim == 2 else 0
    if a.shape != (shape[0], shape[2]) or not 8 <= n <= 256 or n % 8 != 0:
        raise ValueError(f"a has the shape {a.shape} and b {b.shape}: this wgmma takes ({shape[0]}, {shape[2]}) and "
                         f"({shape[2]}, N), N = 8 to 256 in steps of 8")
    return matmul(a, b, c=d, **options)


def mma(name: str, a: Array, b: Array, c: Array) -> Array:
    """One dense mma.sync: D = A * B + C.

    name     shape and types as PTX has them, D, A, B: "m16n8k16.f32.bf16.bf16"
    a, b, c  (m, k), (k, 8) and (m, 8): of types as wide as the formats (tf32: float32)
    """
    a, b, c = _operand("a", a), _operand("b", b), _operand("c", c)
    form = int(library.native_mma_form(name.encode()))
    if form < 0:
        raise ValueError(f"there is no dense mma {name!r} on sm_90a; for example m16n8k16.f32.bf16.bf16")
    shape = ffi.new("int[6]")
    library.native_mma_shape(form, shape)
    m, n, k, d_bits, a_bits, b_bits = shape
    if min(a_bits, b_bits) < 8:
        raise ValueError(f"{name}: formats below 8 bits are not taken here")
    for what, array, wanted, bits in (("a", a, (m, k), a_bits), ("b", b, (k, n), b_bits), ("c", c, (m, n), d_bits)):
        if array.shape != wanted or array.itemsize * 8 != max(bits, 8):
            raise ValueError(f"{what} is {array.dtype.name}{list(array.shape)}: {name} takes {list(wanted)} of {bits} bits")
    units = [np.ascontiguousarray(x).view(f"u{x.itemsize}").astype(np.uint64) for x in (a, b, c)]
    library.native_mma(form, *(pointer("uint64_t *", x) for x in units))
    result: Array = units[2].astype(f"u{c.itemsize}").view(c.dtype)
    return result
