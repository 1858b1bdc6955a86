#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tries tmaref::gemm on this machine: odd and real sizes, what it refuses, torch.compile and a CUDA graph; and its times
beside those of torch. Prints why it is skipped, and exits with 77, where there is no PyTorch, library or Hopper GPU."""

import statistics
import sys
import time

SKIPPED = 77
CALLS = 16


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


try:
    import torch.cuda  # not only torch: a build folder of that name would do for it
except ImportError as error:
    skip(f"no PyTorch here ({error})")
if not torch.cuda.is_available() or torch.cuda.get_device_capability() != (9, 0):
    skip("PyTorch sees no GPU of compute capability 9.0 here")
try:
    import tmaref_gemm
except (ImportError, OSError) as error:
    sys.exit(f"tmaref_gemm.py cannot be loaded, is its folder in PYTHONPATH? {error}")

TYPES = [torch.bfloat16, torch.float16, torch.float8_e4m3fn, torch.float8_e5m2]
SIZES = [(1, 1, 1), (3, 5, 7), (17, 33, 65), (64, 1280, 8192), (129, 257, 511), (200, 72, 4104), (1000, 1000, 1000)]
TIMED = [(4096, 4096, 4096), (8192, 8192, 8192), (512, 8192, 8192), (64, 7168, 8192), (4096, 1280, 8192)]


def integers(rows, columns, dtype):
    """-1, 0 and 1: their sums are exact in any order and in f32, so that results can be compared for equality."""
    return tmaref_gemm.aligned(torch.randint(-1, 2, (rows, columns), device="cuda", dtype=torch.float32).to(dtype))


def check_sizes():
    for dtype in TYPES:
        own = torch.float16 if dtype == torch.float16 else torch.bfloat16
        for m, n, k in SIZES:
            a, b = integers(m, k, dtype), integers(n, k, dtype)
            exact = a.float() @ b.float().T
            for out in (own, torch.float32):
                assert torch.equal(tmaref_gemm.gemm(a, b, out), exact.to(out)), (dtype, out, m, n, k)
            a, b = (tmaref_gemm.aligned(torch.randn(rows, k, device="cuda").to(dtype)) for rows in (m, n))
            near = a.double() @ b.double().T
            tolerance = k**0.5 * 1e-4 + 1e-5
            if dtype.itemsize == 1:  # each step of 32 keeps 13 bits of the largest product and of the sum so far
                largest = max(float(near.abs().max()), float(a.float().abs().max() * b.float().abs().max()))
                tolerance = (k / 32 + 32) * 2**-13 * largest
            torch.testing.assert_close(tmaref_gemm.gemm(a, b, torch.float32).double(), near, rtol=0, atol=tolerance)
    print(f"{len(SIZES)} sizes of {len(TYPES)} types: equal where sums are exact, near where they are not")


def check_refusals():
    a, b = integers(64, 64, torch.bfloat16), integers(32, 64, torch.bfloat16)
    for arguments, error, words in [
        ((a, b.half()), TypeError, "both must be of one type"),
        ((a.float(), b.float()), TypeError, "a is of torch.float32"),
        ((a, b[:, :32]), ValueError, "the second numbers must be equal"),
        ((a.T, b), ValueError, "are not side by side"),
        ((a[:, :7].contiguous(), b[:, :7]), ValueError, "a: its rows are 14 bytes apart"),
        ((a[:, 1:], b[:, 1:]), ValueError, "a: it starts 2 bytes behind"),
        ((a, b, torch.float16), TypeError, "not into torch.float16"),
        ((a[0], b), ValueError, "it must be a matrix"),
        ((a, b.cpu()), ValueError, "b is on cpu"),
    ]:
        try:
            tmaref_gemm.gemm(*arguments)
        except error as refusal:
            assert words in str(refusal), refusal
        else:
            sys.exit(f"not refused: {words}")
    assert tmaref_gemm.gemm(a[:0], b).shape == (0, 32) and not tmaref_gemm.gemm(a[:, :0], b[:, :0]).any()


def check_compile_and_graph():
    a, b = integers(130, 256, torch.bfloat16), integers(70, 256, torch.bfloat16)
    want = tmaref_gemm.gemm(a, b)
    compiled = torch.compile(lambda x, y: tmaref_gemm.gemm(x, y) + 1, fullgraph=True, backend="aot_eager")
    assert torch.equal(compiled(a, b), want + 1)
    torch.library.opcheck(torch.ops.tmaref.gemm.default, (a, b, torch.bfloat16))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        d = tmaref_gemm.gemm(a, b)
    graph.replay()
    assert torch.equal(d, want)
    print("torch.compile and a CUDA graph take it")


def graph_of(call, operands):
    """CALLS calls as a graph, for the time of the GPU alone. The operands take turns: small ones are not all in L2."""
    graph = torch.cuda.CUDAGraph()
    call(*operands[0])
    with torch.cuda.graph(graph):
        for i in range(CALLS):
            call(*operands[i % len(operands)])
    return graph


def milliseconds(graphs, rounds=9):
    """The median of each graph's time for one call; the graphs are replayed in turns."""
    times = [[] for _ in graphs]
    for _ in range(rounds):
        for graph, of_graph in zip(graphs, times):
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            graph.replay()
            end.record()
            torch.cuda.synchronize()
            of_graph.append(start.elapsed_time(end) / CALLS)
    return [statistics.median(of_graph[1:]) for of_graph in times]


def scaled(a, b):
    one = torch.ones((), device="cuda")
    return torch._scaled_mm(a, b.T, one, one, out_dtype=torch.bfloat16, use_fast_accum=True)


def print_times():
    print(f"{'type':16}{'m':>6}{'n':>6}{'k':>6}{'tmaref ms':>11}{'torch ms':>10}{'TFLOP/s':>9}{'ratio':>7}")
    for dtype in (torch.bfloat16, torch.float8_e4m3fn):
        theirs = scaled if dtype.itemsize == 1 else lambda a, b: a @ b.T
        for m, n, k in TIMED:
            sets = max(1, min(4, 2**28 // ((m + n) * k)))
            operands = [[torch.randn(rows, k, device="cuda").to(dtype) for rows in (m, n)] for _ in range(sets)]
            ours, torchs = milliseconds([graph_of(call, operands) for call in (tmaref_gemm.gemm, theirs)])
            flops = 2e-9 * m * n * k / ours
            print(f"{str(dtype)[6:]:16}{m:6}{n:6}{k:6}{ours:11.4f}{torchs:10.4f}{flops:9.0f}{torchs / ours:7.2f}")
    for name, call in (("tmaref_gemm.gemm", tmaref_gemm.gemm), ("torch.matmul", lambda a, b: a @ b.T)):
        a = integers(64, 64, torch.bfloat16)
        began = time.perf_counter()
        for _ in range(1000):
            call(a, a)
        print(f"the host takes {1e3 * (time.perf_counter() - began):.1f} us for {name}")
        torch.cuda.synchronize()


check_sizes()
check_refusals()
check_compile_and_graph()
if "--no-times" not in sys.argv:
    print_times()
