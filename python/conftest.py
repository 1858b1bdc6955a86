# SPDX-License-Identifier: MIT
"""Examples in docstrings see the package under its name; the fixture is there without an installed package too."""

import pytest

import tmaref
from tmaref.testing import _assert_tile  # noqa: F401


@pytest.fixture(autouse=True)
def _names(doctest_namespace):
    doctest_namespace["tmaref"] = tmaref
