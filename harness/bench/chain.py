# SPDX-License-Identifier: MIT
"""Chains of layers in PyTorch: rms_norm, a GEMM and relu, with the GEMM of tmaref against torch's own (cuBLAS), in bf16.

    python3 chain.py FOLDER [LAYERS]

FOLDER holds tmaref_gemm.py and libtmaref_gemm.so. Each side's chain is a CUDA graph; both run in turn. A line says the
median ratio of their speeds over the rounds, the least and the greatest, and how far apart the results are.
"""

import statistics
import sys

import torch

SHAPES = [(16, 1024), (64, 2048), (64, 4096), (256, 2048), (512, 4096), (2048, 4096)]  # rows, hidden
ROUNDS, REPLAYS, MOST_APART = 15, 20, 0.02


def chain(x, weights, gemm):
    for weight in weights:
        x = torch.relu(gemm(torch.nn.functional.rms_norm(x, x.shape[1:]), weight))
    return x


def capture(x, weights, gemm):
    """The graph of the chain, and where its result will be. The first call outside of it loads the kernels."""
    chain(x, weights, gemm)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = chain(x, weights, gemm)
    graph.replay()
    return graph, result


def time_of(graph):
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    for _ in range(REPLAYS):
        graph.replay()
    end.record()
    end.synchronize()
    return start.elapsed_time(end) / REPLAYS


def measure(rows, hidden, layers, gemm):
    torch.manual_seed(rows * hidden)
    x = torch.randn(rows, hidden, device="cuda", dtype=torch.bfloat16)
    weights = [torch.randn(hidden, hidden, device="cuda", dtype=torch.bfloat16) * hidden**-0.5 for _ in range(layers)]
    sides = [capture(x, weights, by) for by in (gemm, torch.nn.functional.linear)]
    torch.cuda.synchronize()
    ours, theirs = (result.float() for _, result in sides)
    apart = ((ours - theirs).norm() / theirs.norm()).item()
    times = [[], []]
    for turn in range(2 * (ROUNDS + 1)):
        side = (turn + turn // 2) % 2  # who comes first changes from round to round
        times[side].append(time_of(sides[side][0]))
    ratios = sorted(b / a for a, b in zip(times[0][1:], times[1][1:]))
    us = [1e3 * statistics.median(side[1:]) / layers for side in times]
    print(f"chain bf16 {rows}x{hidden}, {layers} layers: tmaref {us[0]:.2f} us a layer, torch {us[1]:.2f} us: "
          f"{statistics.median(ratios):.3f}x ({ratios[0]:.3f} to {ratios[-1]:.3f}), results {apart:.4f} apart", flush=True)  # fmt: skip
    return apart <= MOST_APART


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    sys.path.insert(0, sys.argv[1])
    import tmaref_gemm

    layers = int(sys.argv[2]) if len(sys.argv) == 3 else 12
    agree = [measure(rows, hidden, layers, tmaref_gemm.gemm) for rows, hidden in SHAPES]
    sys.exit(0 if all(agree) else f"results are more than {MOST_APART} apart")


if __name__ == "__main__":
    main()
