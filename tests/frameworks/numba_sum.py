# SPDX-License-Identifier: MIT
# needs: numba-cuda[cu13] numpy<2.4
# A sum of two vectors, and a sum of all by blocks in shared memory with an atomic. (numba-cuda 0.30.4 asks NumPy for
# row_stack, which NumPy 2.5 does not have any more.)
import numpy as np
from numba import cuda, float32


@cuda.jit
def add(left, right, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = left[i] + right[i]


@cuda.jit
def total(values, out):
    shared = cuda.shared.array(128, float32)
    i, lane = cuda.grid(1), cuda.threadIdx.x
    shared[lane] = values[i] if i < values.size else 0
    cuda.syncthreads()
    half = 64
    while half > 0:
        if lane < half:
            shared[lane] += shared[lane + half]
        cuda.syncthreads()
        half //= 2
    if lane == 0:
        cuda.atomic.add(out, 0, shared[0])


left, right = np.arange(1000, dtype=np.float32), np.full(1000, 2, np.float32)
out, sum_of_all = cuda.device_array(1000, np.float32), cuda.to_device(np.zeros(1, np.float32))
add[8, 128](cuda.to_device(left), cuda.to_device(right), out)
total[8, 128](out, sum_of_all)
assert (out.copy_to_host() == left + 2).all()
assert sum_of_all.copy_to_host()[0] == (left + 2).sum()
