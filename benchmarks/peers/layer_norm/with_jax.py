# SPDX-License-Identifier: MIT
import jax
import jax.numpy as jnp
from harness.python_baseline import run

jax.config.update("jax_enable_x64", True)


@jax.jit
def layer_norm(rows, gain, bias):
    mean, variance = rows.mean(axis=1, keepdims=True), rows.var(axis=1, keepdims=True)
    return (rows - mean) / jnp.sqrt(variance + 1e-5) * gain + bias


run(layer_norm, prepare=jnp.asarray, finish=jax.block_until_ready)
