# SPDX-License-Identifier: MIT
"""The GEMM kernels of tmaref (ping-pong, cooperative, split-K) as an operator of PyTorch, for an H100 or H200.

    import tmaref_gemm
    d = tmaref_gemm.gemm(a, b)         # a [m, k], b [n, k] as torch.nn.Linear keeps its weight: d = a @ b.T

torch.compile and CUDA graphs take it (call it once before a capture: the first call loads the kernel). It has no gradient.
"""

import ctypes
import pathlib

import torch

_OPERANDS = {torch.bfloat16: "bf16", torch.float16: "f16", torch.float8_e4m3fn: "e4m3", torch.float8_e5m2: "e5m2"}
_RESULTS = {torch.float32: "f32", torch.bfloat16: "bf16", torch.float16: "f16"}
_GRANULE = 16  # TMA: addresses and the distance of rows are multiples of so many bytes

_library = ctypes.CDLL(str(pathlib.Path(__file__).resolve().with_name("libtmaref_gemm.so")))
_library.tmaref_gemm_error.restype = ctypes.c_char_p
_library.tmaref_gemm.argtypes = (
    [ctypes.c_int] + [ctypes.c_char_p] * 2 + [ctypes.c_uint64] * 9 + [ctypes.c_void_p]
)


def _rows(rows, columns, dtype, device):
    """An empty matrix whose rows start at multiples of 16 bytes: a view of a wider one where `columns` do not fit."""
    unit = _GRANULE // dtype.itemsize
    return torch.empty(rows, -(-columns // unit) * unit, dtype=dtype, device=device)[:, :columns]


def aligned(x):
    """x itself if gemm() takes it as it lies in memory, else a copy that it takes."""
    if _fault(x) is None:
        return x
    return _rows(*x.shape, x.dtype, x.device).copy_(x)


def _fault(x):
    """What is wrong with where the elements of x lie; None if nothing is."""
    if x.shape[1] > 1 and x.stride(1) != 1:
        return f"the elements of a row are not side by side (strides {tuple(x.stride())})"
    if x.data_ptr() % _GRANULE:
        return f"it starts {x.data_ptr() % _GRANULE} bytes behind a multiple of {_GRANULE}"
    if x.shape[0] > 1 and (x.stride(0) * x.itemsize % _GRANULE or x.stride(0) < x.shape[1]):
        return f"its rows are {x.stride(0) * x.itemsize} bytes apart, and TMA needs a multiple of {_GRANULE} that holds a row"
    return None


def _check(a, b, out_dtype):
    for name, x in (("a", a), ("b", b)):
        if x.dim() != 2:
            raise ValueError(f"{name} has the shape {tuple(x.shape)}; it must be a matrix")
        if x.dtype not in _OPERANDS:
            raise TypeError(f"{name} is of {x.dtype}; there are kernels for {', '.join(map(str, _OPERANDS))}")
    if a.dtype != b.dtype:
        raise TypeError(f"a is of {a.dtype} and b of {b.dtype}; both must be of one type")
    if a.device != b.device:
        raise ValueError(f"a is on {a.device} and b on {b.device}; both must be on one device")
    if a.shape[1] != b.shape[1]:
        raise ValueError(
            f"a is {tuple(a.shape)} and b {tuple(b.shape)}: gemm(a, b) is a @ b.T, so the second numbers must be equal"
        )
    own = torch.float16 if a.dtype == torch.float16 else torch.bfloat16
    if out_dtype not in (own, torch.float32):
        raise TypeError(f"{a.dtype} is multiplied into {own} or torch.float32, not into {out_dtype}")


def _pitch(x):
    return x.stride(0) * x.itemsize if x.shape[0] > 1 else -(-x.shape[1] * x.itemsize // _GRANULE) * _GRANULE


@torch.library.custom_op("tmaref::gemm", mutates_args=(), device_types="cuda")
def _gemm(a: torch.Tensor, b: torch.Tensor, out_dtype: torch.dtype) -> torch.Tensor:
    _check(a, b, out_dtype)
    for name, x in (("a", a), ("b", b)):
        if fault := _fault(x):
            raise ValueError(f"{name}: {fault}; tmaref_gemm.aligned({name}) makes a copy that will do")
    d = _rows(a.shape[0], b.shape[0], out_dtype, a.device)
    if 0 in (*a.shape, b.shape[0]):
        return d.zero_()
    with torch.cuda.device(a.device):
        status = _library.tmaref_gemm(
            a.device.index, _OPERANDS[a.dtype].encode(), _RESULTS[out_dtype].encode(), a.shape[0], b.shape[0], a.shape[1],
            a.data_ptr(), _pitch(a), b.data_ptr(), _pitch(b), d.data_ptr(), _pitch(d),
            torch.cuda.current_stream().cuda_stream,
        )  # fmt: skip
    if status != 0:
        raise RuntimeError(f"tmaref::gemm: {_library.tmaref_gemm_error().decode()}")
    return d


@_gemm.register_fake
def _(a, b, out_dtype):
    _check(a, b, out_dtype)
    return _rows(a.shape[0], b.shape[0], out_dtype, a.device)


def gemm(a, b, out_dtype=None):
    """a @ b.T, added up in f32. `out_dtype`: torch.float32, or (and by default) float16 for float16, bfloat16 for others."""
    for name, x in (("a", a), ("b", b)):
        if x.device.type != "cuda":
            raise ValueError(f"{name} is on {x.device}; the kernels are for a GPU")
    if out_dtype is None:
        out_dtype = torch.float16 if a.dtype == torch.float16 else torch.bfloat16
    return _gemm(a, b, out_dtype)
