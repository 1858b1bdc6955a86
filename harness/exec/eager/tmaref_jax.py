# SPDX-License-Identifier: MIT
"""JAX under `tmaref exec`.

JAX asks for the device nodes of NVIDIA's kernel driver before it opens CUDA, and there are none. JAX finds this module by its
entry point of the group jax_plugins, and calls initialize() before it chooses a device.
"""

import os


def initialize():
    """Lets JAX ask the simulated driver for its devices, whatever nodes there are."""
    if os.environ.get("TMAREF_RUN") is None:
        return
    from jax._src import hardware_utils

    hardware_utils.has_visible_nvidia_gpu = lambda: True
