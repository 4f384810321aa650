# SPDX-License-Identifier: MIT
import jax
import jax.numpy as jnp
from jax.scipy.special import ndtr
from harness.python_baseline import run

jax.config.update("jax_enable_x64", True)


@jax.jit
def prices(spot, strike, years):
    deviation = 0.3 * jnp.sqrt(years)
    d1 = (jnp.log(spot / strike) + (0.02 + 0.3 ** 2 / 2) * years) / deviation
    n1, n2, discounted = ndtr(d1), ndtr(d1 - deviation), strike * jnp.exp(-0.02 * years)
    return spot * n1 - discounted * n2, discounted * (1 - n2) - spot * (1 - n1)


run(prices, prepare=jnp.asarray, finish=jax.block_until_ready)
