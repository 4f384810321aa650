# SPDX-License-Identifier: MIT
import jax
import jax.numpy as jnp
from harness.python_baseline import run

jax.config.update("jax_enable_x64", True)


@jax.jit
def heat(start, steps):
    def step(_, t):
        change = t[1:-1, :-2] + t[1:-1, 2:] + t[:-2, 1:-1] + t[2:, 1:-1] - 4 * t[1:-1, 1:-1]
        return t.at[1:-1, 1:-1].add(0.2 * change)
    return jax.lax.fori_loop(0, steps, step, start)


run(heat, "steps", prepare=jnp.asarray, finish=jax.block_until_ready)
