# SPDX-License-Identifier: MIT
"""PyTorch's random numbers under `tmaref exec`, against those that users printed on GPUs; eager.sh runs it.

The numbers come from these public reports: pytorch 47347 (rand), 79496 (randn), 158398 (a generator of its own; its
last numbers differ, see docs/frameworks.md), and 143086
(9,483,264 elements on an H100, where each thread draws 9 times; an A100's last ones are 0.1549, -0.6797, -0.1656).
"""

import torch

cuda = torch.device("cuda")


def close(tensor, expected):
    assert torch.allclose(tensor.cpu().float(), torch.tensor(expected), atol=6e-5), (tensor, expected)


def seeded(seed):
    return torch.Generator("cuda").manual_seed(seed)


# What a GPU printed: catches another mapping of elements to threads, another order of words, and a wrong Box-Muller.
torch.manual_seed(0)
close(torch.rand(5, device=cuda), [0.3990, 0.5167, 0.0249, 0.9401, 0.9459])
close(torch.rand(4, device=cuda), [0.9722, 0.7910, 0.4690, 0.3300])  # the offset went on
torch.manual_seed(10)
close(torch.randn(3, device=cuda), [-0.1029, 1.6810, -0.2708])
large = torch.randn([1, 64, 2048], generator=seeded(42), device=cuda)
close(large[0, 0, :3], [0.1940, 2.1614, -0.1721])
larger = torch.randn(1, 49 * 12 * 112 * 144, generator=seeded(1), device=cuda)
close(larger[0, :3], [-0.2963, 2.6764, -0.1408])
close(larger[0, -3:], [-0.6970, -0.7780, 0.3267])

# Every kind of the fillers has the numbers of one stream of words: the lowest bits of integers, the floats, what is below a bound.
for kind in (torch.float16, torch.bfloat16):
    assert torch.equal(torch.rand(99, generator=seeded(0), device=cuda, dtype=kind), torch.rand(99, generator=seeded(0), device=cuda).to(kind))
words = torch.randint(0, 1 << 27, (1000,), generator=seeded(3), device=cuda)
assert torch.equal(torch.randint(-5, 59, (1000,), generator=seeded(3), device=cuda, dtype=torch.int32), (words % 64 - 5).int())
uniform = torch.rand(1000, generator=seeded(3), device=cuda)
assert torch.equal(torch.empty(1000, device=cuda, dtype=torch.bool).bernoulli_(0.25, generator=seeded(3)), uniform < 0.25)
exponential = torch.empty(1000, device=cuda).exponential_(2.0, generator=seeded(3))
assert torch.allclose(exponential, uniform.log() / -2, atol=1e-6)
wide = torch.randint(0, 1 << 62, (1000,), generator=seeded(3), device=cuda)
double = torch.rand(1000, generator=seeded(3), device=cuda, dtype=torch.float64)
assert 0 < double.min() and double.max() < 1 and abs(double.mean() - 0.5) < 0.05 and wide.max() > 1 << 61 > wide.min() >= 0

# Where the elements lie does not matter to a tensor without gaps: CUDA's kernels count in the order of memory.
turned = torch.empty(8, 4, device=cuda).t().uniform_(generator=seeded(5))
assert torch.equal(turned.t(), torch.rand(8, 4, generator=seeded(5), device=cuda))
# The state is the generator's own: it is read, put back, and the CPU's does not change.
state, of_cpu = torch.cuda.get_rng_state(), torch.get_rng_state()
first = torch.randn(7, device=cuda)
torch.cuda.set_rng_state(state)
assert torch.equal(first, torch.randn(7, device=cuda)) and torch.equal(of_cpu, torch.get_rng_state())
# An operator that draws from the CPU's generator follows the generator that it is given.
weights = torch.ones(1000, device=cuda)
drawn = [torch.multinomial(weights, 20, generator=one) for one in (seeded(1), seeded(1), seeded(2))]
assert torch.equal(drawn[0], drawn[1]) and not torch.equal(drawn[0], drawn[2])
# A replay of a graph draws new numbers.
graph, drawn = torch.cuda.CUDAGraph(), torch.zeros(4, device=cuda)
with torch.cuda.graph(graph):
    drawn.uniform_()
graph.replay()
once = drawn.clone()
graph.replay()
assert not torch.equal(once, drawn) and 0 < once.min() and once.max() <= 1
print("done")
