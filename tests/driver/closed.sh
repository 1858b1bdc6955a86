#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Closed libraries under `tmaref exec`: a handle of cuDNN is given, its calls are refused by name; and JAX, where it is.
# TMAREF is the command, JAX_PYTHON a Python that has JAX for CUDA (default: python3). usage: closed.sh PROGRAM LIBRARY
set -u
python=${JAX_PYTHON:-python3} failed=0
told=$("$TMAREF" exec -- "$1" "$2" 2>&1) || failed=1
[ "$(grep -c '^tmaref: cudnnConvolutionForward: cuDNN is machine code' <<<"$told")" = 1 ] || failed=1
grep -q 'no kernel ran; the first refusal was cudnnConvolutionForward' <<<"$told" || failed=1
[ -z "$("$TMAREF" exec -q -- "$1" "$2" 2>&1)" ] || { echo "--quiet speaks"; failed=1; }
[ $failed = 0 ] || { echo "$told"; exit 1; }
[ "$("$1" "$2")" = "the library's own cudnnCreate ran" ] || { echo "without exec the library is not its own"; exit 1; }

command -v "$python" >/dev/null || { echo "skipped: there is no $python here"; exit 0; }
found='from importlib.metadata import entry_points as e; print([one.value for one in e(group="jax_plugins")])'
"$TMAREF" exec -- "$python" -c "$found" | grep -q tmaref_jax || { echo "JAX would not find the module"; exit 1; }
"$python" -c 'import jax_plugins.xla_cuda13' 2>/dev/null || { echo "skipped: $python has no JAX for CUDA 13; the rest was shown"; exit 0; }
"$TMAREF" exec -- "$python" - <<'END'
import jax, jax.numpy as jnp, math
assert jax.devices()[0].platform == "gpu" and "H200" in jax.devices()[0].device_kind, jax.devices()
assert jax.jit(lambda x: x * 2 + 1)(jnp.arange(8.0)).tolist() == [1, 3, 5, 7, 9, 11, 13, 15]
x = jnp.arange(64.0).reshape(8, 8)
assert x.sum() == 2016 and jnp.sort(-x.ravel())[0] == -63 and jax.lax.fori_loop(0, 5, lambda i, v: v * 2, x)[1, 0] == 256
assert abs(jax.jit(jax.grad(lambda v: (jnp.sin(v) ** 2).sum()))(x)[0, 1] - math.sin(2)) < 1e-6
assert jax.vmap(lambda r: jnp.dot(r, r))(x).tolist()[0] == 140
END
