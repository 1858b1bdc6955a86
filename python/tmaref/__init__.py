# SPDX-License-Identifier: MIT
"""NVIDIA Hopper's asynchronous machinery on the CPU, bit for bit as an H200 does it: tensor maps, TMA copies, mbarriers,
swizzles, bank conflicts, and the numbers of the tensor cores.

>>> import tmaref
>>> tmaref.TensorMap.tiled(tmaref.Tensor("f16", (4096, 4096)), box=(128, 64), swizzle="128B").transaction_bytes
16384
"""

from .barriers import Barrier, BarrierFields
from .command import CoreReport, Diagnosis, core, diagnose, explain
from .copies import bulk_load, bulk_store, load, multicast, reduce, store
from .cute import Filling, Layout, LayoutError, Loop, Operand
from .errors import Broken, Fault, Finding, Refused, version
from .layouts import Conflicts, conflicts, swizzle_index
from .maps import Fields, TensorMap
from .products import matmul, mma, wgmma
from .tensors import Tensor

__version__ = version()
__all__ = [
    "Barrier", "BarrierFields", "Broken", "Conflicts", "Diagnosis", "Fault", "Fields", "Filling", "Finding", "Layout",
    "LayoutError", "Loop", "Operand", "Refused", "Tensor", "TensorMap", "bulk_load", "bulk_store", "conflicts",
    "core", "diagnose", "explain", "load", "matmul", "mma", "multicast", "reduce", "store", "swizzle_index", "wgmma",
]  # fmt: skip
