# SPDX-License-Identifier: Apache-2.0
"""The twin of bench/programs_loops.cpp, programs_arrays.cpp, programs_random.cpp and programs_functions.cpp in JAX, on
one device: the programs that bench/programs.py prints beside JAX. Takes the commands "measure" and "forget" of
bench/rows.hpp and answers like them.
"""

import json
import math
import statistics
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

UPDATED, TRIPS, EDGE = (512, 2048), 512, 2048
BATCH, HEADS, HEAD_SIZE = 8, 4, 64
WIDTH = HEADS * HEAD_SIZE
EINSUM_BATCH, EINSUM_EDGE = 8, 256


def values(shape, salt=0):
    """value_of of bench/rows.hpp, from element `salt` on."""
    i = np.arange(salt, salt + math.prod(shape), dtype=np.int64)
    return ((i * 7919 % 2001).astype(np.float32) / np.float32(1000) - np.float32(1)).reshape(shape)


def rows_of_all(devices, of_rows):
    """In each trip one row of what every device of ours has; the carry is donated."""

    def trip(i, carry):
        return of_rows(carry, jnp.broadcast_to(row + i.astype(np.float32), (devices, *UPDATED[1:])), i)

    row = jnp.asarray(values(UPDATED[1:]))
    loop = jax.jit(lambda start: lax.fori_loop(0, TRIPS, trip, start), donate_argnums=0)
    before = values((devices, *UPDATED))
    carry = loop(jnp.asarray(before))
    change = np.asarray(row) + np.arange(TRIPS, dtype=np.float32)[:, None]
    assert (np.asarray(carry) == (before + change if of_rows is add_rows else change)).all()

    def call():
        nonlocal carry
        carry = jax.block_until_ready(loop(carry))

    return call, None


def set_rows(carry, rows, i):
    return lax.dynamic_update_slice(carry, rows[:, None], (0, i, 0))


def add_rows(carry, rows, i):
    return carry.at[:, i].add(rows, mode="drop")


def next_token(t, token, weights):
    x, keys, seen = token
    query, key, value = ((x @ weights[k]).reshape(BATCH, HEADS, HEAD_SIZE) for k in ("query", "key", "value"))
    keys = lax.dynamic_update_slice(keys, key[:, :, None], (0, 0, t, 0))
    seen = lax.dynamic_update_slice(seen, value[:, :, None], (0, 0, t, 0))
    likeness = jnp.einsum("bhd,bhtd->bht", query, keys)
    is_past = jnp.arange(keys.shape[2]) <= t
    weight = jax.nn.softmax(jnp.where(is_past, likeness * 0.125, -1e9))
    mixed = jnp.einsum("bht,bhtd->bhd", weight, seen).reshape(BATCH, WIDTH)
    return x * 0.5 + (mixed @ weights["output"]) * 0.5, keys, seen


def decode(tokens):
    weights = {
        name: jnp.asarray(values((WIDTH, WIDTH), salt) * np.float32(0.1))
        for salt, name in enumerate(("query", "key", "value", "output"))
    }
    x = jnp.asarray(values((BATCH, WIDTH)))

    @jax.jit
    def run(x, weights):
        cache = jnp.zeros((BATCH, HEADS, tokens, HEAD_SIZE))
        return lax.fori_loop(0, tokens, lambda t, token: next_token(t, token, weights), (x, cache, cache))[0]

    decoded = np.asarray(run(x, weights))
    assert np.isfinite(decoded).all() and decoded.any()
    return (lambda: run(x, weights).block_until_ready()), decoded


def of_array(function, x):
    run, x = jax.jit(function), jnp.asarray(x)
    return (lambda: run(x).block_until_ready()), np.asarray(run(x))


def einsum_of_three(_):
    shape = EINSUM_BATCH, EINSUM_EDGE, EINSUM_EDGE
    operands = [jnp.asarray(values(shape, salt)) for salt in range(3)]
    run = jax.jit(lambda *x: jnp.einsum("bij,bjk,bkl->bil", *x))
    return (lambda: run(*operands).block_until_ready()), np.asarray(run(*operands))


def small_numbers():
    """Those of bench/programs_arrays.cpp."""
    x = (np.arange(4096 * 4096, dtype=np.int64) * 2 % 3 - 1).astype(np.float32)
    x[12_345_678] = 2
    return x.reshape(4096, 4096)


def scattered(shape):
    """That of bench/programs_functions.cpp."""
    hashed = np.arange(math.prod(shape), dtype=np.uint32) * np.uint32(2_654_435_761) >> np.uint32(8)
    return (hashed.astype(np.float32) * np.float32(2**-23) - np.float32(1)).reshape(shape)


def layer_norm(x):
    """That of flax and of our library, without scale and shift."""
    mean = jnp.mean(x, -1, keepdims=True)
    return (x - mean) * lax.rsqrt(jnp.var(x, -1, keepdims=True) + 1e-5)


def complex_scattered(shape):
    """That of bench/programs_functions.cpp."""
    return scattered((*shape, 2)).view(np.complex64)[..., 0]


def potential(source):
    n = source.shape[0]
    k, half = jnp.fft.fftfreq(n, 1 / n, dtype=jnp.float32), jnp.arange(n // 2 + 1, dtype=jnp.float32)
    squares = k[:, None, None] ** 2 + k[:, None] ** 2 + half**2
    factor = jnp.where(squares == 0, 0, 1 / jnp.where(squares == 0, 1, squares))
    return jnp.fft.irfftn(jnp.fft.rfftn(source) * factor, (n, n, n))


def max_pool(x):
    """That of flax, 2x2."""
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def dominated(x):
    return x + x.T + 1100 * jnp.eye(len(x), dtype=x.dtype)


def cholesky_f64(x):
    return jnp.linalg.cholesky(dominated(x.astype(jnp.float64))).astype(jnp.float32)


def of_array_in_f64(function, x):
    """The call, and the result, while JAX has f64."""
    jax.config.update("jax_enable_x64", True)
    try:
        call, result = of_array(function, x)
        call()
    finally:
        jax.config.update("jax_enable_x64", False)

    def in_f64():
        jax.config.update("jax_enable_x64", True)
        call()
        jax.config.update("jax_enable_x64", False)

    return in_f64, result


def drawn(draw):
    run, key = jax.jit(draw), jax.random.PRNGKey(42)
    return (lambda: run(key).block_until_ready()), np.asarray(run(key))


def of_layer(function):
    """Of images and a kernel, both as bench/programs_functions.cpp has them; the first result is compared."""
    operands = jnp.asarray(scattered((8, 32, 32, 64))), jnp.asarray(scattered((3, 3, 64, 64)))
    run = jax.jit(function)
    return (lambda: jax.block_until_ready(run(*operands))), np.asarray(run(*operands)[0])


def layer(x, kernel):
    return lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def gradient_of_layer(x, kernel):
    of_x, of_kernel = jax.grad(lambda x, kernel: jnp.sum(jnp.square(layer(x, kernel))), (0, 1))(x, kernel)
    return of_kernel, of_x


ROWS = {
    "random_bits": lambda n: drawn(lambda key: jax.random.bits(key, (n,), jnp.uint32)),
    "random_normal": lambda n: drawn(lambda key: jax.random.normal(key, (n,), jnp.float32)),
    "sort": lambda _: of_array(jnp.sort, scattered((1 << 20,))),
    "top_k": lambda _: of_array(lambda x: lax.top_k(x, 64)[0], scattered((1 << 20,))),
    "cumsum": lambda _: of_array(jnp.cumsum, scattered((1 << 20,))),
    "gelu": lambda _: of_array(jax.nn.gelu, scattered((1024, 1024))),
    "layer_norm": lambda _: of_array(layer_norm, scattered((1024, 1024))),
    "fft": lambda _: of_array(jnp.fft.fft, complex_scattered((1 << 20,))),
    "fft2": lambda _: of_array(jnp.fft.fft2, complex_scattered((256, 256))),
    "fft2s": lambda _: of_array(jnp.fft.fft2, complex_scattered((16, 256, 256))),
    "poisson": lambda _: of_array(potential, scattered((128, 128, 128))),
    "convolution": lambda _: of_layer(lambda x, kernel: (layer(x, kernel),)),
    "convolution_gradient": lambda _: of_layer(gradient_of_layer),
    "max_pool": lambda _: of_array(max_pool, scattered((8, 32, 32, 64))),
    "max_pool_gradient": lambda _: of_array(jax.grad(lambda x: jnp.sum(max_pool(x))), scattered((8, 32, 32, 64))),
    "qr": lambda _: of_array(lambda x: sum(jnp.linalg.qr(x + 30 * jnp.eye(512))), scattered((512, 512))),
    "eigh": lambda _: of_array(lambda x: jnp.linalg.eigh(x)[0], scattered((256, 256))),
    "svd": lambda _: of_array(lambda x: jnp.linalg.svd(x)[1], scattered((256, 256))),
    "cholesky": lambda _: of_array(lambda x: jnp.linalg.cholesky(dominated(x)), scattered((512, 512))),
    "cholesky_f64": lambda _: of_array_in_f64(cholesky_f64, scattered((512, 512))),
    "solve": lambda _: of_array(lambda x: jnp.linalg.solve(x + 30 * jnp.eye(512), x[0]), scattered((512, 512))),
    "update_on_devices": lambda n: rows_of_all(n, set_rows),
    "add_on_devices": lambda n: rows_of_all(n, add_rows),
    "decode": decode,
    "einsum_of_three": einsum_of_three,
    "sum": lambda _: of_array(jnp.sum, small_numbers()),
    "psum_of_squares": lambda _: of_array(lambda x: jnp.sum(x * x), small_numbers()),
    "argmax_along": lambda dim: of_array(lambda x: jnp.argmax(x, dim), values((EDGE, EDGE))),
    "functions": lambda _: of_array(
        lambda x: jnp.exp(x) + jnp.sin(x) * jnp.tanh(x) + lax.erf(x), values((EDGE, EDGE))
    ),
}


def microseconds(call):
    """microseconds_a_call of bench/rows.hpp."""
    call()
    times = []
    while sum(times) < 50_000 or len(times) < 3 and sum(times) < 1_000_000:
        start = time.perf_counter()
        call()
        times.append((time.perf_counter() - start) * 1e6)
    return statistics.median(times)


def answer(prepare):
    """`prepare` gives the call to time, or the microseconds that it took, and its result or None, for a name and a size."""
    prepared = {}
    for line in sys.stdin:
        command, *what = line.split()
        if command == "forget":
            prepared.clear()
            print("{}", flush=True)
            continue
        name, size = what
        if line not in prepared:
            prepared[line] = prepare(name, int(size))
        call, result = prepared[line]
        reply = {"us": call if isinstance(call, float) else microseconds(call)}
        if result is not None:
            reply["value"] = float(np.mean(np.abs(result), dtype=np.float64))
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    answer(lambda name, size: ROWS[name](size))
