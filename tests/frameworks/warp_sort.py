# SPDX-License-Identifier: MIT
# needs: warp-lang
# Lengths of vectors by a kernel, and a radix sort.
import numpy as np
import warp as wp


@wp.kernel
def lengths(points: wp.array(dtype=wp.vec3), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = wp.length(points[i])


wp.init()
assert wp.is_cuda_available()
points = np.random.default_rng(3).normal(size=(500, 3)).astype(np.float32)
out = wp.zeros(500, dtype=float, device="cuda")
wp.launch(lengths, dim=500, inputs=[wp.array(points, dtype=wp.vec3, device="cuda")], outputs=[out], device="cuda")
assert np.allclose(out.numpy(), np.linalg.norm(points, axis=1), rtol=1e-6)
keys = np.random.default_rng(4).integers(0, 1 << 30, 400, dtype=np.int32)
sorted_keys, order = wp.zeros(800, dtype=wp.int32, device="cuda"), wp.zeros(800, dtype=wp.int32, device="cuda")
wp.copy(sorted_keys, wp.array(keys, device="cuda"))
wp.copy(order, wp.array(np.arange(400, dtype=np.int32), device="cuda"))
wp.utils.radix_sort_pairs(sorted_keys, order, 400)
assert (sorted_keys.numpy()[:400] == np.sort(keys)).all()
assert (keys[order.numpy()[:400]] == np.sort(keys)).all()
