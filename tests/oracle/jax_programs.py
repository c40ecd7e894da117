# SPDX-License-Identifier: Apache-2.0
"""Whole programs of JAX as files, for corpus_programs_test.cpp.

    python3 tests/oracle/jax_programs.py OUT_DIR

For every program NAME: NAME.mlir and NAME.export.mlir, NAME.in.npz (the leaves of its arguments, in order), NAME.out.npz (of its
results). For every function f of FORWARD, which gives a scalar: the same, and NAME.grad.npz with its gradient by all arguments.
"""
import os

os.environ.setdefault('PJRT_NPROC', '64')    # threads for XLA: with fewer than 2 per device its collectives can deadlock
os.environ['XLA_FLAGS'] = os.environ.get('XLA_FLAGS', '') + ' --xla_force_host_platform_device_count=8'

import json
import pathlib
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax import export, lax
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

import jax_transformer as transformer

GRID = {'data': 4, 'model': 2}
LINE = {'x': 8}
PROGRAMS, FORWARD = [], []


def mesh_of(sizes):
    return jax.make_mesh(tuple(sizes.values()), tuple(sizes), axis_types=(AxisType.Auto,) * len(sizes))


def numbers(*shape, seed=0, scale=1.0):
    return (np.random.default_rng([seed, *shape]).standard_normal(shape) * scale).astype(np.float32)


def mapped(body, mesh, ins, outs):
    return jax.shard_map(body, mesh=mesh_of(mesh), in_specs=ins, out_specs=outs)


def program(f):
    PROGRAMS.append(f)
    return f


def forward(f):
    FORWARD.append(f)
    return f


# ---- training steps
@program
def digits_step():
    """A perceptron of 64-128-10 on 256 digits: batches along `data`, hidden units along `model`."""
    def loss(params, images, labels):
        w1, b1, w2, b2 = params
        hidden = jax.nn.relu(images @ w1 + b1)
        logits = lax.psum(hidden @ w2, 'model') + b2
        chosen = jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=1)
        return lax.pmean(-jnp.mean(chosen), 'data')

    def step(params, momentum, images, labels):
        value, gradient = jax.value_and_grad(loss)(params, images, labels)
        momentum = jax.tree.map(lambda m, g: 0.9 * m + g, momentum, gradient)
        return value, jax.tree.map(lambda p, m: p - 0.1 * m, params, momentum), momentum

    specs = (P(None, 'model'), P('model'), P('model'), P())
    params = (numbers(64, 128, scale=0.1), np.zeros(128, np.float32), numbers(128, 10, scale=0.1), np.zeros(10, np.float32))
    images = np.abs(numbers(256, 64))
    labels = (np.arange(256) * 7 % 10).astype(np.int32)
    step = mapped(step, GRID, (specs, specs, P('data'), P('data')), (P(), specs, specs))
    return step, (params, tuple(np.zeros_like(p) for p in params), images, labels)


def transformer_params(layers, width=64):
    norm = lambda: transformer.Norm(np.ones(width, np.float32), np.zeros(width, np.float32))
    weights = lambda rows, columns, seed: numbers(rows, columns, seed=seed, scale=rows**-0.5)
    def layer(k):
        return transformer.Layer(norm(), *(weights(width, width, 10 * k + i) for i in range(4)), norm(),
                                 weights(width, 4 * width, 10 * k + 4), weights(4 * width, width, 10 * k + 5))
    return transformer.Params(weights(96, width, 1), weights(32, width, 2), tuple(map(layer, range(layers))), norm(),
                              weights(width, 96, 3))


def transformer_step(params):
    step = transformer.sharded_step(transformer.mesh_of(4, 2), params)
    momentum = jax.tree.map(np.zeros_like, params)
    tokens = (np.arange(32 * 33) * 31 % 96).reshape(32, 33).astype(np.int32)
    return step, (params, momentum, tokens[:, :-1].copy(), tokens[:, 1:].copy())


@program
def transformer_unrolled():
    return transformer_step(transformer_params(12))


@program
def transformer_scan():
    return transformer_step(transformer.stacked(transformer_params(12)))


@program
def ring_attention():
    """Keys and values go around; each device keeps its queries. With its gradient."""
    ring = [(i, (i + 1) % 8) for i in range(8)]

    def attention(q, k, v):
        def one(carry, _):
            k, v, numerator, denominator, largest = carry
            scores = q @ k.T / 4
            new = jnp.maximum(largest, scores.max(1, keepdims=True))
            weights, old = jnp.exp(scores - new), jnp.exp(largest - new)
            numerator, denominator = numerator * old + weights @ v, denominator * old + weights.sum(1, keepdims=True)
            return (lax.ppermute(k, 'x', ring), lax.ppermute(v, 'x', ring), numerator, denominator, new), None

        start = (k, v, jnp.zeros_like(q), jnp.zeros_like(q[:, :1]), jnp.full_like(q[:, :1], -jnp.inf))
        _, _, numerator, denominator, _ = lax.scan(one, start, None, length=8)[0]
        return numerator / denominator

    def loss(q, k, v):
        return (mapped(attention, LINE, (P('x'),) * 3, P('x'))(q, k, v) ** 2).sum()

    return jax.value_and_grad(loss, argnums=(0, 1, 2)), tuple(numbers(64, 16, seed=s) for s in range(3))


@program
def one_device_adam():
    """No mesh: a convolution-free model with an optimizer, as many users have it."""
    def loss(params, x, y):
        for w, b in params[:-1]: x = jnp.tanh(x @ w + b)
        w, b = params[-1]
        return jnp.mean((x @ w + b - y) ** 2)

    def step(params, first, second, count, x, y):
        gradient = jax.grad(loss)(params, x, y)
        count = count + 1
        first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, gradient)
        second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, second, gradient)
        def new(p, m, v): return p - 1e-3 * (m / (1 - 0.9**count)) / (jnp.sqrt(v / (1 - 0.999**count)) + 1e-8)
        return jax.tree.map(new, params, first, second), first, second, count

    sizes = (16, 32, 32, 4)
    params = [(numbers(a, b, scale=a**-0.5), np.zeros(b, np.float32)) for a, b in zip(sizes, sizes[1:])]
    zeros = lambda: jax.tree.map(np.zeros_like, params)
    return step, (params, zeros(), zeros(), np.float32(3), numbers(8, 16), numbers(8, 4))


@program
def dropout_and_cache():
    """Random bits, a write at a place that is computed, a sort, a cumulative sum."""
    def f(x, cache, at, seed):
        key = jax.random.fold_in(jax.random.key(seed), 3)
        kept = jnp.where(jax.random.bernoulli(key, 0.75, x.shape), x / 0.75, 0)
        cache = lax.dynamic_update_slice_in_dim(cache, kept, at, 0)
        values, places = lax.top_k(cache.sum(1), 3)
        return cache, jnp.cumsum(cache, 0), values, places, jnp.argsort(cache[:, 0])
    return f, (numbers(2, 5), numbers(9, 5), np.int32(4), np.int32(11))


# ---- functions whose gradient is taken here, of the program that is read
@forward
def mlp_of_shards():
    body = lambda x, w1, w2: lax.pmean(jnp.mean(lax.psum(jax.nn.relu(x @ w1) @ w2, 'model') ** 2), 'data')
    f = mapped(body, GRID, (P('data'), P(None, 'model'), P('model')), P())
    return f, (numbers(8, 6), numbers(6, 4), numbers(4, 3))


@forward
def gathered_weights():
    body = lambda x, w: lax.psum((jnp.tanh(x @ lax.all_gather(w, 'x', tiled=True)) ** 2).sum(), 'x')
    return mapped(body, LINE, (P('x'), P('x')), P()), (numbers(16, 8), numbers(8, 3))


@forward
def scattered_sums():
    body = lambda x: lax.psum((lax.psum_scatter(x * x, 'x', tiled=True) * 3).sum(), 'x')
    return mapped(body, LINE, (P(None, 'x'),), P()), (numbers(8, 16),)


@forward
def exchanged_blocks():
    body = lambda x: lax.psum((jnp.sin(lax.all_to_all(x, 'x', 1, 0, tiled=True)) * x.sum()).sum(), 'x')
    return mapped(body, LINE, (P('x'),), P()), (numbers(8, 8),)


@forward
def shifted_around():
    ring = [(i, (i + 1) % 8) for i in range(8)]
    body = lambda x: lax.psum((lax.ppermute(x, 'x', ring) * x**2).sum(), 'x')
    return mapped(body, LINE, (P('x'),), P()), (numbers(16, 2),)


@forward
def ring_in_a_scan():
    ring = [(i, (i + 1) % 8) for i in range(8)]
    def body(x, w):
        def one(carry, row): return (lax.ppermute(jnp.tanh(carry * row), 'x', ring), carry.sum())
        last, sums = lax.scan(one, x, w)
        return lax.psum(last.sum() + (sums**2).sum(), 'x')
    return mapped(body, LINE, (P('x'), P()), P()), (numbers(8, 4), numbers(5, 4))


@forward
def normalised_over_devices():
    def body(x):
        mean = lax.pmean(x.mean(), 'x')
        variance = lax.pmean(((x - mean) ** 2).mean(), 'x')
        return lax.psum(((x - mean) * lax.rsqrt(variance + 1e-5) * x**2).sum(), 'x')
    return mapped(body, LINE, (P('x'),), P()), (numbers(16, 3),)


@forward
def looked_up_rows():
    f = lambda table, x: (table[jnp.array([1, 3, 3, 0])] * x).sum() + jnp.log1p(jnp.exp(x)).sum()
    return f, (numbers(5, 3), numbers(4, 3))


@forward
def chosen_branch():
    def f(x, w):
        y = lax.cond(x.sum() > 0, lambda x: jnp.sin(x) * w, lambda x: x * x, x)
        return (y * jnp.where(x > 0.5, 2.0, x)).sum()
    return f, (numbers(6), numbers(6, seed=1))


@forward
def two_maps():
    inner = mapped(lambda x: lax.psum(x, 'data'), GRID, (P('data', 'model'),), P(None, 'model'))
    def f(x):
        return (inner(jnp.cos(x)) ** 2).sum() + inner(x * 2).sum()
    return f, (numbers(8, 4),)


def save(path, leaves):
    np.savez(path, **{f'arg{i}': np.asarray(leaf) for i, leaf in enumerate(leaves)})


def write(folder, name, function, arguments, gradient=None):
    jax.config.update('jax_hlo_source_file_canonicalization_regex', '.*/')    # no paths in locations
    jitted = jax.jit(function, keep_unused=True)
    (folder / f'{name}.mlir').write_text(jitted.lower(*arguments).as_text())
    (folder / f'{name}.export.mlir').write_text(export.export(jitted)(*arguments).mlir_module())
    save(folder / f'{name}.in.npz', jax.tree.leaves(arguments))
    save(folder / f'{name}.out.npz', jax.tree.leaves(jitted(*arguments)))
    if gradient: save(folder / f'{name}.grad.npz', jax.tree.leaves(jax.jit(gradient)(*arguments)))


def main():
    if len(sys.argv) != 2: sys.exit(f'usage: {sys.argv[0]} OUT_DIR')
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for make in PROGRAMS: write(folder, make.__name__, *make())
    for make in FORWARD:
        function, arguments = make()
        write(folder, make.__name__, function, arguments, jax.grad(function, argnums=tuple(range(len(arguments)))))
    names = {'programs': [f.__name__ for f in PROGRAMS], 'forward': [f.__name__ for f in FORWARD]}
    (folder / 'index.json').write_text(json.dumps(names))


if __name__ == '__main__':
    main()
