# SPDX-License-Identifier: MIT
"""CuTe layouts: what they mean, which tensor copies fill them, and which matrix descriptor of wgmma reads them."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ._library import ffi, library, pointer, text
from .maps import TensorMap
from .tensors import number_of

_SWIZZLES = ("none", "32B", "64B", "128B")


class LayoutError(ValueError):
    """A text is no layout, or a layout cannot be what is asked. ``column`` is the place in the text, or None."""

    def __init__(self, why: str, of: str, column: int) -> None:
        at = f"\n  {of}\n  {' ' * column}^" if column >= 0 else ""
        super().__init__(why + at)
        self.column = column if column >= 0 else None


@dataclass(frozen=True)
class Loop:
    """Copies in a row: ``count`` of them, ``elements`` apart along the tensor's dimension ``mode`` (the layout's mode;
    None: these are stages) and ``bytes`` apart in shared memory."""

    count: int
    mode: int | None
    elements: int
    bytes: int


@dataclass(frozen=True)
class Filling:
    """The tensor copies that fill a layout.

    box     as `TensorMap.tiled` takes it, outermost dimension first; modes: the layout's mode that each dimension is
    swizzle "none", "32B", "64B" or "128B"
    copies  how many boxes; loops: where each of them goes
    align   what the layout's shared address is a multiple of; offset: where the first copy goes (bytes)
    """

    box: tuple[int, ...]
    modes: tuple[int, ...]
    swizzle: str
    copies: int
    loops: tuple[Loop, ...]
    align: int
    offset: int


@dataclass(frozen=True)
class Operand:
    """The matrix descriptor of wgmma that reads a layout at shared address 0.

    mn_major  rows of M or N run through memory first; atom: CuTe's name of the layout that it is tiled of
    rows      of M or N that one descriptor reaches; k: elements of K of one instruction
    leading, stride   the byte offsets of the descriptor
    starts    the start address of each instruction along K (bytes)
    """

    descriptor: int
    mn_major: bool
    atom: str
    rows: int
    k: int
    leading: int
    stride: int
    starts: tuple[int, ...]


def _tuple(number: str) -> Any:
    return ast.literal_eval(number.replace(")", ",)"))


class Layout:
    """A layout of CuTe, by the text that CuTe prints, or by shape and stride.

    Modes and coordinates have CuTe's order, as the text has them.

    >>> sw = tmaref.Layout("Sw<3,4,3> o smem_ptr[16b](unset) o ((8,16),(64,2)):((64,512),(1,8192))")
    >>> sw.size, sw.cosize, sw.rank, sw.depth, sw.shape
    (16384, 16384, 2, 2, ((8, 16), (64, 2)))
    >>> sw(1, 8), sw((1, 0), 8)
    (64, 64)
    >>> sw.box("bf16").box, sw.box("bf16").copies
    ((128, 64), 2)
    >>> hex(sw.operand("bf16").descriptor)
    '0x4000004000010000'
    >>> tmaref.Layout((4096, 4096), (4096, 1)).tiled_divide((128, 64))
    Layout('((128,64),32,64):((4096,1),524288,64)')
    >>> tmaref.Layout("(8,64):(72,1)").box("bf16")
    Traceback (most recent call last):
      ...
    tmaref.cute.LayoutError: stride 72 is 144 bytes: a copy begins at a multiple of 128 bytes, and the rows of a box lie 128 bytes apart
      (8,64):(72,1)
              ^
    """

    def __init__(self, layout: str | int | Sequence[Any], stride: int | Sequence[Any] | None = None) -> None:
        given = layout if isinstance(layout, str) else _written(layout)
        if stride is not None:
            given += ":" + _written(stride)
        self._c = ffi.new("struct native_layout *")
        if not library.native_layout_read(given.encode(), self._c):
            raise LayoutError(text(self._c.why), given, self._c.column)

    @classmethod
    def _of(cls, c: Any) -> Layout:
        layout = cls.__new__(cls)
        layout._c = c
        return layout

    @classmethod
    def of_box(cls, tensor_map: TensorMap) -> Layout:
        """The layout of a map's box in shared memory, outermost dimension first. ValueError for im2col and interleave.

        >>> a = tmaref.Tensor("bf16", (4096, 4096))
        >>> tmaref.Layout.of_box(tmaref.TensorMap.tiled(a, box=(128, 64), swizzle="128B"))
        Layout('Sw<3,4,3> o smem_ptr[16b](unset) o (128,64):(64,1)')
        """
        c = ffi.new("struct native_layout *")
        if not library.native_layout_of_box(ffi.from_buffer("uint8_t[128]", bytes(tensor_map)), c):
            raise ValueError("the boxes of im2col maps and of interleaved ones are no layouts of CuTe's")
        return cls._of(c)

    def __str__(self) -> str:
        return text(self._c.text)

    def __repr__(self) -> str:
        return f"Layout({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Layout) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    @property
    def size(self) -> int:
        """Elements."""
        return int(self._c.size)

    @property
    def cosize(self) -> int:
        """The last index without the swizzle, and 1."""
        return int(self._c.cosize)

    @property
    def rank(self) -> int:
        """Modes."""
        return int(self._c.rank)

    @property
    def depth(self) -> int:
        """How deep the modes are nested."""
        return int(self._c.depth)

    @property
    def shape(self) -> Any:
        """The shape, as nested tuples."""
        return _tuple(str(self).split(" o ")[-1].split(":")[0])

    @property
    def stride(self) -> Any:
        """The strides in elements, nested as the shape."""
        return _tuple(str(self).split(" o ")[-1].split(":")[1])

    @property
    def mode_sizes(self) -> tuple[int, ...]:
        """Elements of each mode."""
        return tuple(self._c.mode[0 : self.rank])

    def __call__(self, *coordinate: Any) -> int:
        """The index of an element, swizzled: by its number, or by a coordinate for each mode, nested or not."""
        given = coordinate[0] if len(coordinate) == 1 else coordinate
        return int(self._indices(np.array([_number(given, self.shape)], np.uint64))[0])

    def indices(self) -> npt.NDArray[np.int64]:
        """The index of every element, in an array with an axis for each mode.

        >>> tmaref.Layout("((2,2),3):((1,8),2)").indices()
        array([[ 0,  2,  4],
               [ 1,  3,  5],
               [ 8, 10, 12],
               [ 9, 11, 13]])
        """
        found = self._indices(np.arange(self.size, dtype=np.uint64)).astype(np.int64)
        return found.reshape(self.mode_sizes, order="F")

    def _indices(self, numbers: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
        index = np.empty_like(numbers)
        library.native_layout_indices(self._c.text, len(numbers), pointer("uint64_t *", numbers),
                                      pointer("uint64_t *", index))
        return index

    def _make(self, what: int, other: Layout | str) -> Layout:
        second = other if isinstance(other, Layout) else Layout(other)
        c = ffi.new("struct native_layout *")
        if not library.native_layout_make(what, self._c.text, second._c.text, c):
            raise LayoutError(text(c.why), str(self), c.column)
        return Layout._of(c)

    def coalesce(self) -> Layout:
        """The same indices with as few numbers as possible."""
        return self._make(library.NATIVE_COALESCE, "1")

    def compose(self, other: Layout | str) -> Layout:
        """CuTe's composition(self, other).

        >>> tmaref.Layout("(6,4):(1,10)").compose("(3,4):(2,6)")
        Layout('(3,4):(2,10)')
        """
        return self._make(library.NATIVE_COMPOSE, other)

    def zipped_divide(self, tile: Sequence[int]) -> Layout:
        """CuTe's zipped_divide: mode 0 is a tile of so many elements along each mode, mode 1 counts the tiles."""
        return self._make(library.NATIVE_ZIPPED, _written(tile))

    def tiled_divide(self, tile: Sequence[int]) -> Layout:
        """The same with a mode for each direction in which tiles are counted."""
        return self._make(library.NATIVE_TILED, _written(tile))

    def box(self, dtype: Any, *, modes: int | None = None) -> Filling:
        """The tensor copies that fill the layout in shared memory, the boxes as large as can be.

        dtype   of the elements, by any name of Tensor.dtype, or as NumPy has it
        modes   the first so many modes are dimensions of the tensor, the others stages; None: all, at most 5
        raises  LayoutError with the reason where there are none
        """
        filling = ffi.new("struct native_filling *")
        why = ffi.new("struct native_layout *")
        wanted = min(self.rank, 5) if modes is None else modes
        if not library.native_layout_box(self._c.text, _dtype_number(dtype), wanted, filling, why):
            raise LayoutError(text(why.why), str(self), why.column)
        rank = filling.rank
        loops = tuple(
            Loop(filling.count[i], filling.mode[filling.dim[i]] if filling.dim[i] >= 0 else None, filling.step_elems[i],
                 filling.step_bytes[i]) for i in range(filling.loops))
        return Filling(tuple(filling.box[0:rank])[::-1], tuple(filling.mode[0:rank])[::-1], _SWIZZLES[filling.swizzle],
                       filling.copies, loops, filling.align_bytes, filling.offset_bytes)

    def operand(self, dtype: Any) -> Operand:
        """The matrix descriptor that reads the layout: mode 0 are rows of M or N, mode 1 is K.

        raises  LayoutError with the reason where none reads every element from where the layout has it
        """
        size = int(library.native_dtype_bytes(_dtype_number(dtype)))
        operand = ffi.new("struct native_operand *")
        why = ffi.new("struct native_layout *")
        if not library.native_layout_operand(self._c.text, size, operand, why):
            raise LayoutError(text(why.why), str(self), why.column)
        starts = tuple(int(library.native_layout_start(self._c.text, size, step)) for step in range(operand.steps))
        return Operand(operand.descriptor, bool(operand.is_mn_major), text(operand.atom), operand.rows, operand.k,
                       operand.leading_bytes, operand.stride_bytes, starts)


def _dtype_number(dtype: Any) -> int:
    number = number_of("dtype", 0, dtype if isinstance(dtype, str) else np.dtype(dtype).name)
    if library.native_dtype_bytes(number) == 0:
        raise ValueError(f"dtype {dtype}: a tensor map has no such type")
    return number


def _written(shape: Any) -> str:
    """A nested tuple as CuTe writes it."""
    if isinstance(shape, Sequence) and not isinstance(shape, str):
        return "(" + ",".join(_written(x) for x in shape) + ")"
    return str(operator.index(shape))


def _elements(shape: Any) -> int:
    return math.prod(map(_elements, shape)) if isinstance(shape, tuple) else int(shape)


def _number(coordinate: Any, shape: Any) -> int:
    """The number of an element, in CuTe's order."""
    if not isinstance(coordinate, Sequence):
        number = operator.index(coordinate)
        if not 0 <= number < _elements(shape):
            raise IndexError(f"coordinate {number} of a mode of {_elements(shape)} elements")
        return number
    if not isinstance(shape, tuple) or len(coordinate) != len(shape):
        raise IndexError(f"coordinate {coordinate} of shape {shape}")
    number, step = 0, 1
    for c, s in zip(coordinate, shape):
        number += _number(c, s) * step
        step *= _elements(s)
    return number
