# SPDX-License-Identifier: MIT
"""For tests: a tile asserted, with what `diagnose` says when it is wrong. Under pytest the fixture `assert_tile` is there
without an import."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from .command import diagnose
from .copies import SHARED, load
from .maps import TensorMap


def assert_tile(dump: Any, tensor: Any, tensor_map: TensorMap, coords: Any, *, shared: int = SHARED,
                before: Any = None) -> None:
    """Asserts that `dump`, the bytes of shared memory from `shared` on, is what an H200 loads of the box at `coords`.
    If it is not, the AssertionError says how many bytes differ, and what explains them."""
    __tracebackhide__ = True  # pytest shows the line of the test
    meant = np.ascontiguousarray(load(tensor_map, tensor, coords, shared=shared)).view(np.uint8).ravel()
    found = np.ascontiguousarray(dump).view(np.uint8).ravel()
    if len(found) != len(meant):
        raise AssertionError(f"the dump has {len(found)} bytes, the box {len(meant)}")
    wrong = int(np.count_nonzero(meant != found))
    if wrong:
        said = diagnose(found, tensor, tensor_map, coords, shared=shared, before=before)
        raise AssertionError(f"{wrong} of {len(meant)} bytes are not those of the box\n{said}")


@pytest.fixture(name="assert_tile")
def _assert_tile() -> Any:
    return assert_tile
