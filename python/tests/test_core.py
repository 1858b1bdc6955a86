# SPDX-License-Identifier: MIT
from pathlib import Path

import pytest

import tmaref

DUMPS = Path(__file__).parents[2] / "tests" / "core"


@pytest.mark.skipif(not DUMPS.is_dir(), reason="the dumps are in the source tree alone")
def test_core_reports_of_a_dump() -> None:
    report = tmaref.core(DUMPS / "hang_missing_arrive.core.zst")
    root = report["waits"][0]
    assert root["root"] and root["place"]["line"] == 28
    assert (root["barrier"]["pending"], root["barrier"]["count"]) == (1, 4)
    assert "1 of 4 arrivals is missing" in str(report)
    with pytest.raises(ValueError, match="not an ELF file"):
        tmaref.core(__file__)
