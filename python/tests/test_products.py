# SPDX-License-Identifier: MIT
"""Products: small integers are exact in every format; the rest is where tensor cores cut."""

import ml_dtypes
import numpy as np
import pytest

import tmaref

FORMATS = [np.float16, ml_dtypes.bfloat16, np.float32, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2]


@pytest.mark.parametrize("dtype", FORMATS)
@pytest.mark.parametrize("shape", [(1, 1, 1), (70, 33, 129), (64, 8, 16)])
def test_small_integers_are_exact(dtype, shape):
    m, n, k = shape
    chance = np.random.default_rng(m)
    a = chance.integers(-2, 3, (m, k))
    b = chance.integers(-2, 3, (k, n))
    c = chance.integers(-9, 9, (m, n))
    assert (tmaref.matmul(a.astype(dtype), b.astype(dtype)) == a @ b).all()
    assert (tmaref.matmul(a.astype(dtype), b.astype(dtype), c=c) == a @ b + c).all()


@pytest.mark.parametrize("types", [(np.int8, np.int8), (np.int8, np.uint8), (np.uint8, np.uint8)])
def test_integers(types):
    chance = np.random.default_rng(1)
    a, b = (chance.integers(np.iinfo(t).min, np.iinfo(t).max + 1, s, t) for t, s in zip(types, [(65, 100), (100, 17)]))
    assert (tmaref.matmul(a, b) == a.astype(np.int32) @ b.astype(np.int32)).all()


def test_strides_and_threads_change_nothing():
    chance = np.random.default_rng(2)
    a = chance.standard_normal((200, 96)).astype(ml_dtypes.bfloat16)
    b = chance.standard_normal((96, 72)).astype(ml_dtypes.bfloat16)
    one = tmaref.matmul(a, b, threads=1)
    assert (tmaref.matmul(np.asfortranarray(a), np.asfortranarray(b), threads=3) == one).all()
    assert (tmaref.matmul(np.repeat(a, 2, 0)[::2], b) == one).all()


def test_fp8_sums_keep_13_bits():
    a = np.array([[1, 2**-6]], ml_dtypes.float8_e4m3fn)
    b = np.array([[256], [2**-3]], ml_dtypes.float8_e4m3fn)
    assert tmaref.matmul(a, b)[0, 0] == 256  # 2**-9 lies below 13 bits under 256: cut
    f16 = tmaref.matmul(a.astype(np.float16), b.astype(np.float16))
    assert f16[0, 0] == 256 + 2**-9


def test_epilogue_and_accumulators():
    a = np.full((2, 16), 1.0078125, ml_dtypes.bfloat16)
    b = np.ones((16, 8), ml_dtypes.bfloat16)
    assert tmaref.matmul(a, b, ml_dtypes.bfloat16).dtype == ml_dtypes.bfloat16
    assert tmaref.matmul(a, b, np.float16)[0, 0] == np.float16(16.125)
    assert tmaref.matmul(a.astype(np.float16), b.astype(np.float16), accumulate="f16").dtype == np.float16
    with pytest.raises(TypeError, match="no f16.bf16.bf16"):
        tmaref.matmul(a, b, accumulate="f16")
    with pytest.raises(TypeError, match="not stored as int32"):
        tmaref.matmul(a, b, np.int32)


def test_single_instructions():
    chance = np.random.default_rng(4)
    a = chance.integers(-4, 5, (64, 16)).astype(np.float16)
    b = chance.integers(-4, 5, (16, 24)).astype(np.float16)
    d = chance.integers(-4, 5, (64, 24)).astype(np.float32)
    assert (tmaref.wgmma(a, b, d) == a.astype(np.float32) @ b.astype(np.float32) + d).all()
    with pytest.raises(ValueError, match=r"takes \(64, 16\)"):
        tmaref.wgmma(a[:, :8], b[:8])
    c = np.ones((16, 8), np.float32)
    assert (tmaref.mma("m16n8k16.f32.f16.f16", a[:16], b[:, :8], c) == a[:16].astype(np.float32) @ b[:, :8] + 1).all()
    with pytest.raises(ValueError, match="there is no dense mma"):
        tmaref.mma("m16n8k17.f32.f16.f16", a[:16], b[:, :8], c)
    with pytest.raises(ValueError, match="c is float16"):
        tmaref.mma("m16n8k16.f32.f16.f16", a[:16], b[:, :8], c.astype(np.float16))


def test_wrong_operands_are_told():
    with pytest.raises(ValueError, match="do not fit"):
        tmaref.matmul(np.ones((2, 3), np.float16), np.ones((4, 2), np.float16))
    with pytest.raises(TypeError, match="a has the type float64"):
        tmaref.matmul(np.ones((2, 3)), np.ones((3, 2)))
    with pytest.raises(TypeError, match="a has the type int64"):
        tmaref.matmul([[1, 2]], [[1], [2]])
    with pytest.raises(TypeError, match="a has elements of 8 bits, f16 has 16"):
        tmaref.matmul(np.ones((2, 16), np.uint8), np.ones((16, 2), np.float16), a_format="f16")
    with pytest.raises(TypeError, match="b has elements of 32 bits, e4m3 has 8"):
        tmaref.wgmma(np.ones((64, 32), np.uint8), np.ones((32, 8)).astype("f4"), a_format="e4m3", b_format="e4m3")
    with pytest.raises(TypeError, match="no s32.b1.b1 with rows|b1"):
        tmaref.matmul(np.ones((2, 16), np.uint32), np.ones((16, 2), np.uint32), a_format="b1", b_format="b1")
