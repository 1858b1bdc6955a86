# SPDX-License-Identifier: MIT
"""What means nothing is refused by the argument's name, and no bytes of a map end the interpreter."""

import random

import ml_dtypes
import numpy as np
import pytest

import tmaref

ONES = np.ones((16, 16), np.float16)
BYTES = np.ones((16, 16), np.int8)
MAP = tmaref.TensorMap.tiled(ONES, (8, 16), address=0x1000)


# --- Bytes of a map ----------------------------------------------------------------------------------------------------


def use(tensor_map):
    """Everything that takes a map: each call returns, or raises what it documents."""
    array = np.zeros((64, 64), np.float32)
    assert repr(tensor_map) and tensor_map.fields and tensor_map.mode and tensor_map.swizzle and tensor_map.address >= 0
    assert tensor_map.transaction_bytes <= tensor_map.box_bytes and tensor_map.numpy_dtype.itemsize
    coords = [0] * min(tensor_map.rank, 5)
    size = tensor_map.box_bytes if 0 < tensor_map.box_bytes < 1 << 16 else 16
    for call in (lambda: tmaref.load(tensor_map, array, coords),
                 lambda: tmaref.store(tensor_map, array, coords, np.zeros(size, np.uint8)),
                 lambda: tmaref.reduce("add", tensor_map, array, coords, np.zeros(size, np.uint8)),
                 lambda: tmaref.multicast(tensor_map, array, coords, ctas=2, mask=3)):
        try:
            call()
        except (tmaref.Fault, ValueError):
            continue
    return tensor_map.box_bytes


@pytest.mark.parametrize("seed", range(4))
def test_no_bytes_of_a_map_end_the_interpreter(seed):
    chance = random.Random(seed)
    good = bytes(tmaref.TensorMap.tiled(np.zeros((64, 64), np.float32), (16, 16), swizzle="64B"))
    has_box = 0
    for _ in range(1000):
        damaged = bytearray(good)
        for _ in range(chance.randint(1, 4)):
            damaged[chance.randrange(128)] ^= 1 << chance.randrange(8)
        has_box += use(tmaref.TensorMap.from_bytes(bytes(damaged))) > 0
        use(tmaref.TensorMap.from_bytes(chance.randbytes(128)))
    assert 0 < has_box < 1000  # the test has maps of both kinds


@pytest.mark.parametrize("flips", [[(8, 6)], [(9, 2)], [(8, 6), (9, 2)], [(byte, bit) for byte in range(128) for bit in range(8)]])
def test_bytes_that_ended_it(flips):
    image = bytearray(bytes(tmaref.TensorMap.tiled(np.zeros((64, 64), np.float32), (16, 16), address=0)))
    for byte, bit in flips:
        image[byte] ^= 1 << bit
    use(tmaref.TensorMap.from_bytes(bytes(image)))
    use(tmaref.TensorMap.from_bytes(b"\xff" * 128))
    assert tmaref.TensorMap.from_bytes(b"\xff" * 128).box_bytes == 0
    with pytest.raises(tmaref.Fault) as caught:
        tmaref.load(tmaref.TensorMap.from_bytes(b"\xff" * 128), ONES, [0] * 5)
    assert caught.value.cuda_error == 715 and caught.value.findings[0].rule == "LOAD_MAP_FORMAT"


# --- Byte orders and masks ---------------------------------------------------------------------------------------------


def other_order(kind):
    return np.ones((16, 16), np.dtype(kind).newbyteorder())


MASKED = np.ma.masked_array(ONES, mask=ONES > 0)


@pytest.mark.parametrize("call, name", [
    (lambda a: tmaref.matmul(a, ONES), "a"), (lambda a: tmaref.matmul(ONES, a), "b"),
    (lambda a: tmaref.matmul(ONES, ONES, c=a), "c"), (lambda a: tmaref.wgmma(np.ones((64, 16), "f2"), a), "b"),
    (lambda a: tmaref.mma("m16n8k16.f32.f16.f16", a, ONES, ONES), "a"),
    (lambda a: tmaref.TensorMap.tiled(a, (8, 16)), "tensor"), (lambda a: tmaref.load(MAP, a, (0, 0)), "memory"),
    (lambda a: tmaref.store(MAP, ONES.copy(), (0, 0), a[:8]), "tiles"),
    (lambda a: tmaref.bulk_store(ONES.copy(), 0, a), "tiles"), (lambda a: tmaref.bulk_load(a, 0, 16), "memory"),
])  # fmt: skip
@pytest.mark.parametrize("made", [lambda: other_order("f2"), lambda: MASKED])
def test_other_byte_orders_and_masks_are_refused(call, name, made):
    array = made()
    says = f"{name} is a masked array" if array is MASKED else rf"{name} has the type '>f2'.*{name}.astype\({name}.dtype.newbyteorder"
    with pytest.raises(TypeError, match=says):
        call(array)


def test_what_the_message_says_to_type_works():
    a = other_order("f2")
    assert tmaref.matmul(a.astype(a.dtype.newbyteorder("=")), ONES)[0, 0] == 16
    assert tmaref.matmul(MASKED.data, ONES)[0, 0] == 16
    for kind in ("i2", "f4"):
        with pytest.raises(TypeError, match="byte order"):
            tmaref.TensorMap.tiled(other_order(kind), (8, 16))
    assert tmaref.matmul(ONES.astype(ml_dtypes.bfloat16), ONES.astype(ml_dtypes.bfloat16))[0, 0] == 16


def test_an_interface_in_another_byte_order_is_refused():
    class Other:
        __array_interface__ = other_order("f2").__array_interface__

    with pytest.raises(TypeError, match="byte order"):
        tmaref.TensorMap.tiled(Other(), (8, 16))


# --- Numbers -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("call, error, says", [
    (lambda: tmaref.matmul(BYTES, BYTES, c=1.5), TypeError, "c has the type float64: accumulators of s32"),
    (lambda: tmaref.matmul(BYTES, BYTES, c=float("nan")), TypeError, "c has the type float64"),
    (lambda: tmaref.matmul(BYTES, BYTES, c=2**40), ValueError, "c has numbers from 1099511627776"),
    (lambda: tmaref.matmul(ONES, ONES, threads=-1), ValueError, "threads is -1: it takes 1 to 1024"),
    (lambda: tmaref.matmul(ONES, ONES, threads=10**6), ValueError, "threads is 1000000"),
    (lambda: tmaref.Tensor("f16", (-4, 64)), ValueError, r"shape\[0\] is -4"),
    (lambda: tmaref.Tensor("f17", (4, 64)), ValueError, "dtype takes"),
    (lambda: tmaref.Tensor("f16", (2**70, 64)), ValueError, r"shape\[0\] is 1180591620717411303424: it takes 0 to 2\*\*64 - 1"),
    (lambda: tmaref.Tensor("f16", (4, 64), address=-16), ValueError, "address is -16"),
    (lambda: tmaref.Tensor("f16", (4, 64), (2,)), ValueError, "strides has 1 entries, shape has 2"),
    (lambda: tmaref.Tensor("f16", (4, 6.5)), TypeError, r"shape\[1\] is 6.5: it takes a whole number"),
    (lambda: tmaref.TensorMap.tiled(ONES, (8, 16), address=-16), ValueError, "address is -16"),
    (lambda: tmaref.TensorMap.tiled(ONES, (True, 16)), TypeError, "True and False are no whole numbers"),
    (lambda: tmaref.TensorMap.tiled(ONES, (8, 16), swizzle=-1), ValueError, "swizzle is -1"),
    (lambda: tmaref.TensorMap.im2col(np.ones((2, 6, 7, 32), "f2"), lower=(0, 2**40), upper=(0, 0), channels=32, pixels=4),
     ValueError, "lower is 1099511627776"),
    (lambda: tmaref.TensorMap.im2col(np.ones((2, 6, 7, 32), "f2"), lower=(0, 0), upper=(0, 0), channels=-1, pixels=4),
     ValueError, "channels is -1"),
    (lambda: tmaref.load(MAP, ONES, (0, 0), shared=-1), ValueError, "shared is -1"),
    (lambda: tmaref.load(MAP, ONES, (0, 0), base=-1), ValueError, "base is -1"),
    (lambda: tmaref.load(MAP, ONES, (0, True)), TypeError, "True and False"),
    (lambda: tmaref.multicast(MAP, ONES, (0, 0), ctas=2, mask=-1), ValueError, "mask is -1"),
    (lambda: tmaref.multicast(MAP, ONES, (0, 0), ctas=2, mask=1, issuer=99), ValueError, "issuer is 99: it takes 0 to 1"),
    (lambda: tmaref.multicast(MAP, ONES, (0, 0), ctas=17, mask=1), ValueError, "ctas is 17: it takes 1 to 16"),
    (lambda: tmaref.bulk_load(ONES, 0, -16), ValueError, "size_bytes is -16"),
    (lambda: tmaref.conflicts([-4]), ValueError, r"addresses \[-4\]"),
    (lambda: tmaref.conflicts([0, 4], 3), ValueError, "size_bytes is 3: an access of a lane has 1, 2, 4, 8 or 16 bytes"),
    (lambda: tmaref.conflicts([0, 4], active=-1), ValueError, "active is -1"),
    (lambda: tmaref.Barrier(1.5), TypeError, "count is 1.5: it takes a whole number"),
    (lambda: tmaref.Barrier(-1), ValueError, "count is -1"),
    (lambda: tmaref.Barrier(1).expect_tx(-5), ValueError, r"size_bytes is -5: it takes 0 to 2\*\*32 - 1"),
    (lambda: tmaref.Barrier(1).land(-5), ValueError, "size_bytes is -5"),
    (lambda: tmaref.Barrier(1).operate("arrive", [1], lanes=0), ValueError, "lanes is 0"),
    (lambda: tmaref.Barrier(1).test_wait(2**64), ValueError, "token is 18446744073709551616"),
    (lambda: tmaref.swizzle_index((64, 128), "f16", "128B"), tmaref.Refused, "MAP_SWIZZLE_SPAN"),
    (lambda: tmaref.swizzle_index((64, -1), "f16", "none"), ValueError, r"shape\[1\] is -1"),
    (lambda: tmaref.swizzle_index((64, 64), "f16", "128B", shared=-1), ValueError, "shared is -1"),
])  # fmt: skip
def test_the_argument_is_named(call, error, says):
    with pytest.raises(error, match=says):
        call()


def test_whole_accumulators_are_exact():
    assert tmaref.matmul(BYTES, BYTES, c=np.int64(7))[0, 0] == 23
    assert tmaref.matmul(BYTES, BYTES, c=-(2**31))[0, 0] == 16 - 2**31


def test_what_helps_is_not_in_the_traceback(monkeypatch):
    monkeypatch.setenv("TMAREF_COMMAND", "/bin/false")  # the tile has the wrong size: nothing is asked
    from tmaref.testing import assert_tile

    with pytest.raises(AssertionError) as caught:
        assert_tile(np.zeros(3, np.uint8), ONES, MAP, (0, 0))
    assert [entry.frame.code.name for entry in caught.traceback.filter(caught)][-1] != "assert_tile"
