# SPDX-License-Identifier: MIT
"""The C library behind the package: native.h is the list of its functions, read when the package is imported."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import cffi  # type: ignore[import-untyped,unused-ignore]

ffi: Any = cffi.FFI()


def _find(name: str, *folders: str) -> Path:
    """A file of the package: beside this module in a wheel, else where the environment says a build has put it."""
    here = Path(__file__).parent
    for place in [here, *(Path(f) for f in folders if f), here.parent.parent / "native"]:
        if (place / name).exists():
            return place / name
    raise ImportError(f"{name} is not in {here}: install the package with pip, or set TMAREF_PYTHON_LIBRARY to the "
                      "folder of a build that holds it")


def _open() -> Any:
    header = _find("native.h").read_text(encoding="utf-8")
    ffi.cdef("\n".join(line for line in header.splitlines() if not line.startswith("#")))
    return ffi.dlopen(str(_find("_native.so", os.environ.get("TMAREF_PYTHON_LIBRARY", ""))))


library: Any = _open()


def pointer(kind: str, array: Any) -> Any:
    """The address of a NumPy array's first element as a C pointer; NULL for None."""
    if array is None:
        return ffi.NULL
    return ffi.cast(kind, array.ctypes.data)


def text(c_string: Any) -> str:
    """A C string as a str."""
    return str(ffi.string(c_string).decode())
