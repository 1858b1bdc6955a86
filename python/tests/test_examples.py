# SPDX-License-Identifier: MIT
"""The examples run, and say that all is well."""

import importlib.util
import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"


@pytest.mark.parametrize("name", sorted(p.stem for p in EXAMPLES.glob("*.py")))
def test_example(name):
    if name.startswith("triton") and importlib.util.find_spec("triton") is None:
        pytest.skip("Triton is not installed (pip install triton); it compiles for sm_90a without a GPU")
    with pytest.raises(SystemExit) as end:
        runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    assert end.value.code == 0
