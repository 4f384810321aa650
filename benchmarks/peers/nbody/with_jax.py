# SPDX-License-Identifier: MIT
import jax
import jax.numpy as jnp
from harness.python_baseline import run

jax.config.update("jax_enable_x64", True)


@jax.jit
def accelerations(mass, x, y, z):
    dx, dy, dz = x - x[:, None], y - y[:, None], z - z[:, None]
    square = dx * dx + dy * dy + dz * dz + 1e-3
    factor = mass / (square * jnp.sqrt(square))
    return (factor * dx).sum(axis=1), (factor * dy).sum(axis=1), (factor * dz).sum(axis=1)


run(accelerations, prepare=jnp.asarray, finish=jax.block_until_ready)
