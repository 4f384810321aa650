# SPDX-License-Identifier: MIT
import jax
import jax.numpy as jnp
from harness.python_baseline import run

jax.config.update("jax_enable_x64", True)


@jax.jit
def step(points, centres):
    nearest = ((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2).argmin(axis=1)
    count = jnp.bincount(nearest, length=len(centres))[:, None]
    sums = jax.ops.segment_sum(points, nearest, len(centres))
    return nearest, jnp.where(count > 0, sums / count, centres)


run(step, prepare=jnp.asarray, finish=jax.block_until_ready)
