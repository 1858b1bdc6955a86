# SPDX-License-Identifier: MIT
"""Copies against plain NumPy slices."""

import numpy as np
import pytest

import tmaref

AT = 0x10000


def boxes_of(array, shape, coords, fill=0):
    """The boxes at `coords`, by padding and slicing."""
    room = np.pad(array, [(n, n) for n in shape], constant_values=fill)
    return np.stack([room[tuple(slice(c + n, c + 2 * n) for c, n in zip(coord, shape))] for coord in coords])


@pytest.mark.parametrize("swizzle", ["none", "32B", "64B", "128B"])
def test_thousands_of_boxes(swizzle):
    chance = np.random.default_rng(7)
    array = chance.integers(0, 2**16, (200, 160), np.uint16)
    columns = {"none": 24, "32B": 16, "64B": 32, "128B": 64}[swizzle]
    tensor_map = tmaref.TensorMap.tiled(array, (8, columns), swizzle=swizzle, address=AT)
    coords = np.stack([chance.integers(-8, 200, 3000), 8 * chance.integers(-columns // 8, 20, 3000)], 1)
    tiles = tmaref.load(tensor_map, array, coords)
    index = tmaref.swizzle_index((8, columns), np.uint16, swizzle)
    assert tiles.shape == (3000, 8 * columns)
    assert (tiles[:, index] == boxes_of(array, (8, columns), coords)).all()


def test_store_is_the_inverse_of_load():
    chance = np.random.default_rng(8)
    array = chance.random((64, 64), np.float32)
    tensor_map = tmaref.TensorMap.tiled(array, (16, 32), swizzle="128B")
    coords = [(r, c) for r in range(0, 64, 16) for c in range(0, 64, 32)]
    copy = np.zeros_like(array)
    tmaref.store(tensor_map, copy, coords, tmaref.load(tensor_map, array, coords), base=tensor_map.address)
    assert (copy == array).all()


def test_reduce_adds_and_clips():
    memory = np.full((16, 16), 5, np.int32)
    tensor_map = tmaref.TensorMap.tiled(memory, (8, 16), address=AT)
    tmaref.reduce("add", tensor_map, memory, (12, 0), np.arange(128, dtype=np.int32))
    assert (memory[12:] == 5 + np.arange(64).reshape(4, 16)).all() and (memory[:12] == 5).all()
    tmaref.reduce("max", tensor_map, memory, (0, 0), np.full(128, 9, np.int32))
    assert (memory[:8] == 9).all()


def test_im2col_is_the_pixels_of_a_filter_tap():
    chance = np.random.default_rng(9)
    image = chance.integers(0, 2**16, (2, 6, 7, 32), np.uint16)  # N, H, W, C; a 3 x 3 filter, no padding
    tensor_map = tmaref.TensorMap.im2col(image, lower=(0, 0), upper=(-2, -2), channels=32, pixels=40, address=AT)
    for tap in [(0, 0), (1, 2), (2, 2)]:
        tile = tmaref.load(tensor_map, image, (0, 0, 0, 0), offsets=tap).reshape(40, 32)
        patch = image[:, tap[0] : tap[0] + 4, tap[1] : tap[1] + 5].reshape(-1, 32)
        assert (tile == patch[:40]).all()


def test_multicast_goes_to_those_of_the_mask():
    array = np.arange(64 * 64, dtype=np.uint16).reshape(64, 64)
    tensor_map = tmaref.TensorMap.tiled(array, (8, 64), address=AT)
    tiles = tmaref.multicast(tensor_map, array, (16, 0), ctas=4, mask=0b1010, issuer=1)
    assert (tiles[1] == array[16:24].ravel()).all() and (tiles[1] == tiles[3]).all()
    assert not tiles[0].any() and not tiles[2].any()


def test_bulk():
    memory = np.arange(256, dtype=np.uint8)
    at = memory.ctypes.data
    assert (tmaref.bulk_load(memory, 32, 16, base=0) == np.arange(32, 48)).all()
    assert (tmaref.bulk_load(memory, [0, 64], 16, base=0)[1] == np.arange(64, 80)).all()
    room = np.zeros(64, np.int32)
    tmaref.bulk_store(room, [0, 128], np.arange(8, dtype=np.int32).reshape(2, 4), base=0)
    tmaref.bulk_store(room, 0, np.full(4, 10, np.int32), op="add", dtype="s32", base=0)
    assert list(room[:4]) == [10, 11, 12, 13] and list(room[32:36]) == [4, 5, 6, 7]
    with pytest.raises(tmaref.Fault, match="BULK") as caught:
        tmaref.bulk_load(memory, at + 8 - at % 16, 16)
    assert caught.value.cuda_error in (700, 716)


def test_faults_name_rule_and_box():
    array = np.zeros((64, 64), np.float16)
    tensor_map = tmaref.TensorMap.tiled(array, (8, 64), swizzle="128B", address=AT)
    with pytest.raises(tmaref.Fault) as caught:
        tmaref.load(tensor_map, array, (0, 0), shared=1024 + 16)
    assert caught.value.cuda_error == 716 and caught.value.findings[0].rule.startswith("LOAD_")
    with pytest.raises(tmaref.Fault, match="the load 1 of 3"):
        tmaref.load(tensor_map, array[:8], [(0, 0), (8, 0), (16, 0)])
    frozen = np.zeros((64, 64), np.float16)
    frozen.flags.writeable = False
    with pytest.raises(tmaref.Fault) as caught:
        tmaref.store(tensor_map, frozen, (0, 0), np.zeros(512, np.float16))
    assert caught.value.cuda_error == 700


@pytest.mark.parametrize("call, says", [
    (lambda m, a: tmaref.load(m, a, (0, 0, 0)), "2 coordinates"),
    (lambda m, a: tmaref.load(m, a, (2**31, 0)), "signed number of 32 bits"),
    (lambda m, a: tmaref.store(m, a, (0, 0), np.zeros(5, np.uint8)), "a tile has 5 bytes"),
    (lambda m, a: tmaref.reduce("mul", m, a, (0, 0), np.zeros(512, np.float16)), "op takes add"),
    (lambda m, a: tmaref.multicast(m, a, (0, 0), ctas=17, mask=1), "ctas is 17: it takes 1 to 16"),
    (lambda m, a: tmaref.swizzle_index((8, 64), "f16", "16B"), "swizzle|mode"),
])  # fmt: skip
def test_what_means_nothing_is_said(call, says):
    array = np.zeros((64, 64), np.float16)
    with pytest.raises(ValueError, match=says):
        call(tmaref.TensorMap.tiled(array, (8, 64), address=AT), array)


@pytest.mark.parametrize("call, says", [
    (lambda m, a: tmaref.load(a, m, (0, 0)), "ndarray is no TensorMap: the map comes first"),
    (lambda m, a: tmaref.load(m, a, (0.5, 0)), r"coords \(0.5, 0\): not all of these are whole numbers"),
    (lambda m, a: tmaref.load(m, a, "ab"), "coords 'ab': not all"),
])  # fmt: skip
def test_wrong_types_are_told(call, says):
    array = np.zeros((64, 64), np.float16)
    with pytest.raises(TypeError, match=says):
        call(tmaref.TensorMap.tiled(array, (8, 64), address=AT), array)


def test_bank_conflicts():
    rows = np.arange(32)
    plain = tmaref.conflicts(rows * 128 + 1024)
    index = tmaref.swizzle_index((32, 64), "f16", "128B")
    swizzled = tmaref.conflicts(1024 + 2 * index[rows[:8], 0], 16)
    assert plain.extra == 31 and swizzled.extra == 0
    with pytest.raises(tmaref.Fault, match="SHARED_ACCESS_ALIGN"):
        tmaref.conflicts([2])


def test_barriers():
    barrier = tmaref.Barrier(2)
    assert barrier.fields == tmaref.BarrierFields(0, 0, 2, 2, 0)
    barrier.expect_tx(64)
    barrier.arrive()
    assert not barrier.test_wait_parity(0)
    barrier.operate("arrive", [1])
    assert barrier.fields.tx == 64
    assert repr(barrier).endswith(": phase 0, pending 0, tx 64>")
    barrier.land(64)
    assert barrier.test_wait_parity(0) and barrier.fields.phase == 1
    with pytest.raises(tmaref.Fault):
        barrier.arrive(3)
    with pytest.raises(ValueError, match="there is no mbarrier.arriv;"):
        barrier.operate("arriv")
    assert [finding.rule for finding in tmaref.Barrier(0).findings] == ["MBARRIER_INIT_COUNT"]
    assert tmaref.Barrier(2**20 - 1).findings == ()


def test_diagnose_and_assert_tile(assert_tile):
    array = np.random.default_rng(3).integers(0, 2**16, (64, 64), np.uint16)
    swizzled = tmaref.TensorMap.tiled(array, (8, 64), swizzle="128B", address=AT)
    plain = tmaref.TensorMap.tiled(array, (8, 64), address=AT)
    assert_tile(tmaref.load(swizzled, array, (8, 0)), array, swizzled, (8, 0))
    with pytest.raises(AssertionError, match="(?s)of 1024 bytes are not those of the box.*[Ss]wizzle"):
        assert_tile(tmaref.load(plain, array, (8, 0)), array, swizzled, (8, 0))
    part = array[16:, :]  # the map begins inside the memory, and the memory has strides of its own
    of_part = tmaref.TensorMap.tiled(part, (8, 64), swizzle="128B")
    tile = tmaref.load(of_part, array, (8, 0))
    assert_tile(tile, array, of_part, (8, 0))
    tile[5] ^= 1
    with pytest.raises(AssertionError, match="^[12] of 1024 bytes are not those of the box"):
        assert_tile(tile, array, of_part, (8, 0))
    wide = np.arange(64 * 128, dtype=np.uint16).reshape(64, 128)
    half = wide[:, :64]
    of_half = tmaref.TensorMap.tiled(half, (8, 64), swizzle="128B")
    with pytest.raises(AssertionError, match="COORD"):
        assert_tile(tmaref.load(of_half, half, (0, 0)), half, of_half, (8, 0))
    said = tmaref.diagnose(tmaref.load(swizzled, array, (0, 0)), array, swizzled, (8, 0))
    assert not said.is_right and "COORD" in str(said)
    assert "MAP_STRIDE_ALIGN" in tmaref.explain("MAP_STRIDE_ALIGN") and tmaref.explain(716) == tmaref.explain("716")
    with pytest.raises(ValueError, match="MAP_STRIDE_ALIN"):
        tmaref.explain("MAP_STRIDE_ALIN")


def test_addresses_and_offsets_are_not_wrapped():
    memory = np.arange(64, dtype=np.uint8)
    assert (tmaref.bulk_load(memory, [np.uint64(4096), 4112], 16, base=4096) == memory[:32].reshape(2, 16)).all()
    for wrong in (-16, [4096, -16], np.array([-16]), 2**64):
        with pytest.raises(ValueError, match="addresses .*: these are unsigned numbers of 64 bits"):
            tmaref.bulk_load(memory, wrong, 16, base=4096)
        with pytest.raises(ValueError, match="addresses .*: these are unsigned numbers of 64 bits"):
            tmaref.bulk_store(memory, wrong, memory[:16], base=4096)
    for wrong in (4096.5, 4096.0, [np.uint64(4096), 4112.5], [None], ["4096"]):
        with pytest.raises(TypeError, match="addresses .*: not all of these are whole numbers"):
            tmaref.bulk_load(memory, wrong, 16, base=4096)
    array = np.zeros((2, 8, 8, 16), np.uint16)
    im2col = tmaref.TensorMap.im2col(array, lower=(0, 0), upper=(-1, -1), channels=16, pixels=8, address=AT)
    for wrong in ([70000, 0], [0, -1]):
        with pytest.raises(ValueError, match="offsets .*: these are unsigned numbers of 16 bits"):
            tmaref.load(im2col, array, (0, 0, 0, 0), offsets=wrong)


def test_rows_shorter_than_the_span_lie_anywhere_in_it() -> None:
    """Rows of 16 bytes, the 128-byte swizzle: row r is piece r of its 128 bytes, and the box ends with a whole span."""
    a = np.arange(8 * 8, dtype=np.uint16).reshape(8, 8) + 1
    short = tmaref.TensorMap.tiled(a, (8, 8), swizzle="128B", address=0x1000)
    assert (short.box_bytes, short.transaction_bytes) == (1024, 128)
    tile = tmaref.load(short, a, (0, 0)).reshape(8, 8, 8)
    assert all((tile[row, row] == a[row]).all() for row in range(8))
    to = np.zeros_like(a)
    tmaref.store(short, to, (0, 0), tile)
    assert (to == a).all()
