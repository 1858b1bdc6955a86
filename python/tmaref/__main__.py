# SPDX-License-Identifier: MIT
"""python -m tmaref"""

from .command import main

main()
