# SPDX-License-Identifier: MIT
"""The command `tmaref` of a wheel. A module of its own, so that it starts without NumPy."""

import os
import sys
from pathlib import Path


def main() -> None:
    """Becomes the program that lies in the package."""
    program = str(Path(__file__).parent / "tmaref" / "_programs" / "tmaref")
    os.execv(program, ["tmaref", *sys.argv[1:]])
