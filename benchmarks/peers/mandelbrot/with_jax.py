# SPDX-License-Identifier: MIT
import functools

import jax
import jax.numpy as jnp
from harness.python_baseline import run

jax.config.update("jax_enable_x64", True)


@functools.partial(jax.jit, static_argnums=(4, 5))
def mandelbrot(left, top, step, limit, w, h):
    c = left + step * jnp.arange(w) + 1j * (top + step * jnp.arange(h))[:, None]

    def again(_, state):
        z, count = state
        inside = z.real ** 2 + z.imag ** 2 <= 4
        return jnp.where(inside, z * z + c, z), count + inside
    return jax.lax.fori_loop(0, limit, again, (jnp.zeros_like(c), jnp.zeros(c.shape, jnp.int32)))[1]


run(mandelbrot, "w", "h", prepare=jnp.asarray, finish=jax.block_until_ready)
