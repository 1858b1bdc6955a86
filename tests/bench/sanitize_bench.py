#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How many times as long tmaref exec --sanitize takes as tmaref exec, of kernels that hardly compute: CPU time of one launch on one
thread of the host, the least of all rounds, in which both take turns. Prints a table of docs/sanitizer.md ("Cost").
usage: sanitize_bench.py TMAREF NVCC [--rounds N] [--elements N] [KERNEL...]"""

import argparse
import pathlib
import subprocess
import tempfile

KERNELS = {
    "sum": "sum of two vectors, an element a thread",
    "stencil": "stencil of five points",
    "blocks": "sum of all, by blocks",
    "softmax": "softmax of rows of 1,024",
    "gemv": "matrix by vector, a warp a row",
    "scan": "prefix sums in blocks of 256, of an eighth of the elements",
    "transpose": "transpose through shared memory",
    "histogram": "histogram by atomics in shared memory",
    "spmv": "sparse matrix by vector, rows of 12",
    "gather": "gather from random places",
    "update": "sum of one to each element, in another order than that of threads",
}
LAUNCHES = 4


def seconds(tmaref: str, program: pathlib.Path, kernel: str, elements: int, *options: str) -> float:
    command = [tmaref, "exec", *options, "--threads", "1", "--", program, kernel, str(LAUNCHES), str(elements)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description="what --sanitize costs where kernels hardly compute")
    parser.add_argument("tmaref")
    parser.add_argument("nvcc")
    parser.add_argument("kernels", nargs="*", metavar="KERNEL", help=", ".join(KERNELS))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--elements", type=int, default=1 << 20, help="a power of two from 65536 on")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        program, source = pathlib.Path(scratch) / "sanitize", pathlib.Path(__file__).with_suffix(".cu").with_stem("sanitize")
        subprocess.run([options.nvcc, "-arch=sm_90a", "-lineinfo", "-cudart=shared", "-o", program, source], check=True)
        print("| kernel | `exec` | `--sanitize` | ratio |\n|---|---|---|---|")
        for kernel in options.kernels or KERNELS:
            plain = watched = float("inf")
            for _ in range(options.rounds):
                plain = min(plain, seconds(options.tmaref, program, kernel, options.elements))
                watched = min(watched, seconds(options.tmaref, program, kernel, options.elements, "--sanitize"))
            print(f"| {KERNELS[kernel]} | {plain * 1e3:.2f} ms | {watched * 1e3:.2f} ms | {watched / plain:.1f} |", flush=True)


if __name__ == "__main__":
    main()
