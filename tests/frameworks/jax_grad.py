# SPDX-License-Identifier: MIT
# needs: jax[cuda13] absl-py
# jit, grad and vmap, and a kernel of Pallas. (Pallas imports absl, which JAX's wheel does not ask for.)
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

assert jax.devices()[0].platform == "gpu", jax.devices()


@jax.jit
def loss(weights, x):
    return jnp.mean((x @ weights - x.sum(1)) ** 2)


x = jax.random.normal(jax.random.key(0), (32, 8))
weights = jnp.zeros(8)
first = loss(weights, x)
for _ in range(20):
    weights = weights - 0.1 * jax.grad(loss)(weights, x)
assert loss(weights, x) < first / 2
assert jnp.allclose(jax.vmap(lambda row: row @ weights)(x), x @ weights, atol=1e-5)


def add_kernel(x_ref, y_ref, out_ref):
    out_ref[...] = x_ref[...] + y_ref[...]


a = jnp.arange(128, dtype=jnp.float32)
add = pl.pallas_call(add_kernel, out_shape=jax.ShapeDtypeStruct(a.shape, a.dtype))
assert (add(a, a) == 2 * a).all()
