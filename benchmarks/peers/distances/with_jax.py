# SPDX-License-Identifier: MIT
import jax
import jax.numpy as jnp
from harness.python_baseline import run

jax.config.update("jax_enable_x64", True)


@jax.jit
def distances(p, q):
    return jnp.sqrt(((p[:, None, :] - q[None, :, :]) ** 2).sum(axis=2))


run(distances, prepare=jnp.asarray, finish=jax.block_until_ready)
