# SPDX-License-Identifier: MIT
# needs: torch triton
# A sum of two vectors in Triton, three steps of AdamW, and a function that torch.compile compiles.
import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x, y, out, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    tl.store(out + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)


assert torch.cuda.is_available()
device = "cuda"
x, y = torch.rand(1000, device=device), torch.rand(1000, device=device)
out = torch.empty_like(x)
add_kernel[(triton.cdiv(1000, 256),)](x, y, out, 1000, BLOCK=256)
assert torch.equal(out, x + y)

model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.GELU(), torch.nn.Linear(32, 1)).to(device)
steps = torch.optim.AdamW(model.parameters(), lr=1e-2)
data, losses = torch.randn(64, 16, device=device), []
for _ in range(3):
    steps.zero_grad()
    loss = (model(data) - data.sum(1, keepdim=True)).square().mean()
    loss.backward()
    steps.step()
    losses.append(loss.item())
assert losses[2] < losses[0]


@torch.compile
def gate(a, b):
    return torch.sigmoid(a) * b + 1


assert torch.allclose(gate(x, y), torch.sigmoid(x) * y + 1)
