# SPDX-License-Identifier: MIT
import jax
import jax.numpy as jnp
from harness.python_baseline import run

jax.config.update("jax_enable_x64", True)

run(jax.jit(jnp.sum), prepare=jnp.asarray, finish=jax.block_until_ready)
