# SPDX-License-Identifier: MIT
import jax
import jax.numpy as jnp
from harness.python_baseline import run

jax.config.update("jax_enable_x64", True)


@jax.jit
def histogram(values):
    return jnp.bincount(values, length=256)


run(histogram, prepare=jnp.asarray, finish=jax.block_until_ready)
