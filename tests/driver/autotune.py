# SPDX-License-Identifier: MIT
"""Triton's autotuner under `tmaref exec` runs one configuration, the first that compiles; eager.sh runs this."""

import torch
import triton
import triton.language as tl


@triton.autotune([triton.Config({"BLOCK": size}) for size in (64, 32, 16)], key=["count"])
@triton.jit
def add_one(out, runs, count, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK < 64)  # so the first one does not compile
    tl.atomic_add(runs + BLOCK // 16, 1)
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + place, tl.load(out + place, mask=place < count) + 1, mask=place < count)


def ran_with(count):
    """How often the kernel ran for one launch with blocks of 16, and of 32."""
    out, runs = torch.zeros(count, device="cuda"), torch.zeros(5, dtype=torch.int32, device="cuda")
    add_one[(1,)](out, runs, count)
    assert out.min() == 2, out  # the trial and the launch
    return runs.tolist()[1:3]


assert ran_with(20) == [0, 2] and add_one.best_config.kwargs["BLOCK"] == 32
assert ran_with(30) == [0, 2]  # another key is another search
