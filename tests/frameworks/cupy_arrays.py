# SPDX-License-Identifier: MIT
# needs: cupy-cuda13x[ctk]
# Kernels of one's own, a product of matrices, sorting, an FFT and an SVD.
import cupy as cp
import numpy as np

scale = cp.RawKernel(r"""
extern "C" __global__ void scale(float *values, float by, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) values[i] *= by;
}""", "scale")
values = cp.arange(1000, dtype=cp.float32)
scale((8,), (128,), (values, cp.float32(3), 1000))
assert (values.get() == 3 * np.arange(1000, dtype=np.float32)).all()

distance = cp.ElementwiseKernel("float32 x, float32 y", "float32 z", "z = (x - y) * (x - y)", "distance")
assert (distance(values, values + 2) == 4).all()
largest = cp.ReductionKernel("float32 x", "float32 y", "x", "max(a, b)", "y = a", "-1e30f", "largest")
assert float(largest(values)) == 2997

matrix = cp.random.default_rng(7).standard_normal((64, 64))
host = matrix.get()
assert np.allclose((matrix @ matrix).get(), host @ host)
assert (cp.sort(matrix.ravel()).get() == np.sort(host.ravel())).all()
assert np.allclose(cp.fft.fft(matrix).get(), np.fft.fft(host))
assert np.allclose(cp.linalg.svd(matrix, compute_uv=False).get(), np.linalg.svd(host, compute_uv=False))
