# SPDX-License-Identifier: MIT
"""CuTe layouts: the copies that `Layout.box` says fill what the layout says, and its algebra keeps indices."""

import numpy as np
import pytest

import tmaref

SW128 = "Sw<3,4,3> o smem_ptr[16b](unset) o ((8,16),(64,2)):((64,512),(1,8192))"


def fill(layout, dtype, shape):
    """The shared memory that the copies of a two-dimensional layout leave, in elements."""
    matrix = np.arange(np.prod(shape), dtype=dtype).reshape(shape)
    filling = layout.box(dtype)
    tensor = np.ascontiguousarray(matrix.transpose(filling.modes))
    tensor_map = tmaref.TensorMap.tiled(tensor, box=filling.box, swizzle=filling.swizzle)
    shared = np.zeros(layout.cosize, dtype)
    places = [((0, 0), 0)]
    for loop in filling.loops:
        places = [
            (tuple(c + i * loop.elements * (m == loop.mode) for c, m in zip(coords, filling.modes)), at + i * loop.bytes)
            for coords, at in places
            for i in range(loop.count)
        ]
    assert len(places) == filling.copies
    for coords, at in places:
        tile = tmaref.load(tensor_map, tensor, coords, shared=1024 + at).view(dtype).ravel()
        shared[at // shared.itemsize :][: tile.size] = tile
    return matrix, shared


@pytest.mark.parametrize("text, dtype", [
    (SW128, np.uint16),
    ("Sw<2,4,3> o smem_ptr[16b](unset) o ((32,4),(8,8)):((1,256),(32,1024))", np.uint16),
    ("Sw<3,4,3> o smem_ptr[32b](unset) o ((8,4),(32,2)):((32,256),(1,1024))", np.uint32),
    ("Sw<1,5,3> o 0 o (64,32):(32,1)", np.uint8),
    ("(16,64):(64,1)", np.float32),
])
def test_copies_fill_the_layout(text, dtype):
    layout = tmaref.Layout(text)
    if "Sw<1,5,3>" in text:
        with pytest.raises(tmaref.LayoutError, match="in bytes the swizzle is Sw<1,5,3>"):
            layout.box(dtype)
        return
    matrix, shared = fill(layout, dtype, layout.mode_sizes)
    assert (shared[layout.indices()] == matrix).all()


def test_tiles_cover_the_tensor():
    tensor = tmaref.Layout((96, 40), (40, 1))
    tiles = tensor.zipped_divide((32, 8))
    assert str(tiles) == "((32,8),(3,5)):((40,1),(1280,8))"
    assert sorted(tiles.indices().ravel()) == list(range(96 * 40))
    assert tiles((3, 2), (1, 4)) == tensor(32 + 3, 32 + 2)


def test_back_and_forth():
    a = tmaref.Tensor("bf16", (512, 512))
    tensor_map = tmaref.TensorMap.tiled(a, box=(128, 64), swizzle="128B")
    layout = tmaref.Layout.of_box(tensor_map)
    filling = layout.box("bf16")
    assert (filling.box, filling.swizzle, filling.copies, filling.align) == ((128, 64), "128B", 1, 1024)
    operand = layout.operand("bf16")
    assert (operand.mn_major, operand.atom, operand.starts) == (False, "Layout_K_SW128_Atom", (0, 32, 64, 96))
    with pytest.raises(ValueError, match="im2col"):
        tmaref.Layout.of_box(
            tmaref.TensorMap.tiled(tmaref.Tensor("u8", (4, 4, 64, 32)), box=(1, 1, 8, 16), interleave="16B"))


@pytest.mark.parametrize("text, column", [("(8,64", 5), ("(8,64):(64,1", 12), ("Sw<3,4> o 0 o (8,64)", 6)])
def test_what_is_no_layout(text, column):
    with pytest.raises(tmaref.LayoutError) as caught:
        tmaref.Layout(text)
    assert caught.value.column == column


def test_the_caret_stands_under_the_text_that_is_wrong():
    layout = tmaref.Layout("(6,4):(1,10)")
    with pytest.raises(tmaref.LayoutError) as caught:
        layout.compose("(3,4x):(2,6)")
    assert str(caught.value).endswith("\n  (3,4x):(2,6)\n      ^") and caught.value.column == 4
    with pytest.raises(tmaref.LayoutError) as caught:
        layout.zipped_divide((3, 0))
    assert str(caught.value).endswith("\n  (3,0)\n     ^")


@pytest.mark.parametrize("front", ["Sw<1,1,2> o 0 o ", "Sw<0,4,3> o 5 o ", "smem_ptr[16b](unset) o "])
def test_only_the_first_layout_of_a_composition_has_a_swizzle(front):
    layout = tmaref.Layout(front + "(6,4):(1,10)")
    assert str(layout.compose("(3,4):(2,6)")) == front + "(3,4):(2,10)"
    with pytest.raises(tmaref.LayoutError, match="the second layout has a swizzle, a pointer or an offset"):
        tmaref.Layout("(6,4):(1,10)").compose(layout)


def test_coordinates():
    layout = tmaref.Layout("((2,2),3):((1,8),2)")
    assert [layout(i) for i in range(4)] == [0, 1, 8, 9]
    assert layout((1, 1), 2) == layout(3, 2) == layout(11) == 13
    assert layout == tmaref.Layout(((2, 2), 3), ((1, 8), 2)) and layout.stride == ((1, 8), 2)
    for wrong in [(4, 0), (0, 3), ((0, 0, 0), 0), (0, 0, 0)]:
        with pytest.raises(IndexError):
            layout(*wrong)
