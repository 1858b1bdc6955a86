# SPDX-License-Identifier: MIT
"""Maps and refusals are those of the command, which is held against an H200's recordings."""

import json
import random

import ml_dtypes
import numpy as np
import pytest

import tmaref
from tmaref.command import run

TYPES = ["u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f64", "bf16", "f32.ftz", "tf32", "tf32.ftz"]
SIZES = {"u8": 1, "u16": 2, "f16": 2, "bf16": 2, "u64": 8, "s64": 8, "f64": 8}


def a_call(chance):
    """Arguments of a random tiled call, legal or nearly so."""
    rank = chance.randint(1, 5)
    dtype = chance.choice(TYPES)
    size = SIZES.get(dtype, 4)
    shape = [chance.choice([1, 7, 64, 100, 4096]) for _ in range(rank)]
    shape[-1] = chance.choice([16, 64, 256, 100])
    strides = [0] * rank
    strides[-1] = size
    for i in range(rank - 2, -1, -1):
        strides[i] = strides[i + 1] * shape[i + 1] if i < rank - 2 else chance.choice([16, 8]) * shape[-1] * size
    box = [chance.choice([1, 2, 8, 64]) for _ in range(rank)]
    box[-1] = chance.choice([16 // size, 32 // size, 64, 10])
    return {
        "dtype": dtype, "shape": tuple(shape), "strides": tuple(strides), "box": tuple(box),
        "element_strides": tuple(chance.choice([1, 1, 1, 2, 9]) for _ in range(rank)),
        "swizzle": chance.choice(["none", "32B", "64B", "128B"]), "interleave": chance.choice(["none"] * 4 + ["16B", "32B"]),
        "l2_promotion": chance.choice(["none", "128B"]), "oob_fill": chance.choice(["none", "nan"]),
        "address": chance.choice([0, 0x1000, 0x7F0000000010, 0x7F0000000008]),
    }  # fmt: skip


def as_options(call):
    def listed(values):
        return ",".join(str(v) for v in reversed(values))

    options = [f"--dtype={call['dtype']}", f"--dim={listed(call['shape'])}", f"--box={listed(call['box'])}",
               f"--element-strides={listed(call['element_strides'])}", f"--address={call['address']}"]
    if len(call["shape"]) > 1:
        options.append(f"--strides={listed(call['strides'][:-1])}")
    return options + [f"--{name.replace('_', '-')}={call[name]}"
                      for name in ("swizzle", "interleave", "l2_promotion", "oob_fill")]


@pytest.mark.parametrize("seed", range(60))
def test_call_says_what_the_command_says(seed):
    call = a_call(random.Random(seed))
    status, printed = run("encode", "--json", *as_options(call))
    answer = json.loads(printed)
    tensor = tmaref.Tensor(call["dtype"], call["shape"], call["strides"])
    options = {name: call[name] for name in ("element_strides", "swizzle", "interleave", "l2_promotion", "oob_fill", "address")}
    try:
        made = tmaref.TensorMap.tiled(tensor, call["box"], **options)
        assert status == 0 and bytes(made).hex() == answer["map"].replace("0x", "")
        findings = made.findings
    except tmaref.Refused as refused:
        assert status == 1 and refused.cuda_error == answer["result"]
        assert str(refused).split("\n", 1)[1] in run("encode", *as_options(call))[1]
        findings = refused.findings
    expected = answer.get("findings", [])
    assert [(f.rule, f.index, f.severity) for f in findings] == [
        (f["rule"], f.get("index"), f["severity"]) for f in expected]


def test_both_outcomes_are_in_the_test():
    outcomes = set()
    for seed in range(60):
        call = a_call(random.Random(seed))
        outcomes.add(run("encode", *as_options(call))[0])
    assert outcomes == {0, 1}


def test_applying_what_is_nearest_makes_the_call_legal():
    tensor = tmaref.Tensor("f16", (100, 100), (200, 2))
    with pytest.raises(tmaref.Refused) as caught:
        tmaref.TensorMap.tiled(tensor, (8, 100), swizzle="128B")
    nearest = {(f.argument, f.index): f.nearest for f in caught.value.findings}
    mended = tmaref.Tensor("f16", (100, 100), (nearest["globalStrides", 0], 2))
    assert tmaref.TensorMap.tiled(mended, (8, nearest["boxDim", 0]), swizzle="128B").box_bytes == 1024


@pytest.mark.parametrize("dtype, name", [(np.float16, "f16"), (ml_dtypes.bfloat16, "bf16"), (ml_dtypes.float8_e4m3fn, "u8"),
                                         (ml_dtypes.float8_e5m2, "u8"), (np.int32, "s32"), (np.int8, "u8"), (bool, "u8")])
def test_types_of_arrays(dtype, name):
    array = np.zeros((64, 64), dtype)
    made = tmaref.TensorMap.tiled(array, (8, 16), address=0)
    assert made.fields.dtype == name
    assert made.fields.dim == (64, 64) and made.fields.stride == (array.itemsize, 64 * array.itemsize)


def test_an_array_brings_its_address_and_strides():
    whole = np.zeros((64, 128), np.float32)
    part = whole[8:, 32:96]
    made = tmaref.TensorMap.tiled(part, (4, 32))
    assert made.address == whole.ctypes.data + 8 * 512 + 128
    assert made.fields.dim == (64, 56) and made.fields.stride == (4, 512)


def test_dlpack():
    class Only:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **_):
            return self.array.__dlpack__()

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    array = np.zeros((16, 32), np.float32)
    assert tmaref.TensorMap.tiled(Only(array), (8, 32)) == tmaref.TensorMap.tiled(array, (8, 32))


def test_im2col_fields():
    made = tmaref.TensorMap.im2col(tmaref.Tensor("f16", (4, 20, 30, 64)), lower=(-1, -2), upper=(-3, -4), channels=64,
                                   pixels=128, swizzle="128B")
    assert (made.mode, made.fields.lower, made.fields.upper, made.fields.pixels) == ("im2col", (-2, -1), (-4, -3), 128)


def test_bytes_come_back():
    made = tmaref.TensorMap.tiled(tmaref.Tensor("u8", (256, 256)), (64, 64))
    again = tmaref.TensorMap.from_bytes(bytes(made))
    assert again == made and again.fields == made.fields and hash(again) == hash(made) and "u8" in repr(again)
    odd = tmaref.TensorMap.from_bytes(b"\xff" * 128)
    assert odd.findings
    with pytest.raises(ValueError, match="128 bytes, not 3"):
        tmaref.TensorMap.from_bytes(b"abc")


@pytest.mark.parametrize("options, says", [
    ({"swizzle": "129B"}, "swizzle takes none, 32B, 64B, 128B"), ({"dtype": "fp16"}, "dtype takes"),
    ({"box": (8,)}, "box has 1 entries, the tensor has 2 dimensions"), ({"box": (8, -1)}, "unsigned numbers"),
])  # fmt: skip
def test_what_means_nothing_is_said(options, says):
    with pytest.raises(ValueError, match=says):
        tmaref.TensorMap.tiled(tmaref.Tensor("f16", (64, 64)), **{"box": (8, 64), **options})


def test_boxes_are_whole_numbers():
    assert tmaref.TensorMap.tiled(tmaref.Tensor("f16", (64,)), box=8).fields.box == (8,)
    with pytest.raises(TypeError, match=r"box \(8.5, 64\): not all of these are whole numbers"):
        tmaref.TensorMap.tiled(tmaref.Tensor("f16", (64, 64)), box=(8.5, 64))


def test_a_transposed_array_is_told():
    with pytest.raises(ValueError, match="transpose the tensor"):
        tmaref.TensorMap.tiled(np.zeros((64, 64), np.float16).T, (8, 64))
    with pytest.raises(TypeError, match="is not a tensor"):
        tmaref.TensorMap.tiled([1, 2], (2,))
