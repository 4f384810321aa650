# SPDX-License-Identifier: MIT
import jax
import jax.numpy as jnp
from harness.python_baseline import run

jax.config.update("jax_enable_x64", True)


@jax.jit
def layer(channels, weights):
    return jax.lax.conv(channels[None], weights, (1, 1), "VALID")[0]


run(layer, prepare=jnp.asarray, finish=jax.block_until_ready)
