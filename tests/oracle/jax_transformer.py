# SPDX-License-Identifier: Apache-2.0
"""The transformer example in JAX, the twin of examples/transformer_model.hpp; bench/transformer_peer.py times it."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P
from jax_functions import program

HEAD_SIZE = 16


class Norm(NamedTuple):
    scale: Any
    shift: Any


class Layer(NamedTuple):
    before_attention: Norm
    query: Any
    key: Any
    value: Any
    output: Any
    before_mlp: Norm
    up: Any
    down: Any


class Params(NamedTuple):
    characters: Any
    places: Any
    layers: Any  # a tuple of Layer, or one Layer whose arrays have the layers as dim 0
    last: Norm
    scores: Any


def whole(rows):
    return lax.all_gather(rows, "data", axis=0, tiled=True)


def normalised(x, norm):
    away = x - jnp.mean(x, axis=-1, keepdims=True)
    return away * lax.rsqrt(jnp.mean(away * away, axis=-1, keepdims=True) + 1e-5) * norm.scale + norm.shift


def attention(x, layer):
    batch, time, _ = x.shape

    def by_head(weights):
        return (x @ whole(weights)).reshape(batch, time, -1, HEAD_SIZE).transpose(0, 2, 1, 3)

    query, key, value = by_head(layer.query), by_head(layer.key), by_head(layer.value)
    likeness = query @ key.swapaxes(2, 3) / HEAD_SIZE**0.5
    is_past = jnp.tril(jnp.ones((time, time), bool))
    mixed = jax.nn.softmax(jnp.where(is_past, likeness, -1e9)) @ value
    joined = mixed.transpose(0, 2, 1, 3).reshape(batch, time, -1)
    return lax.psum(joined @ whole(layer.output), "model")


def mlp(x, layer):
    return lax.psum(jax.nn.relu(x @ whole(layer.up)) @ whole(layer.down), "model")


def through(layer, x):
    x = x + attention(normalised(x, layer.before_attention), layer)
    return x + mlp(normalised(x, layer.before_mlp), layer)


def through_all(layers, x):
    if isinstance(layers, Layer):
        return lax.scan(lambda x, layer: (through(layer, x), None), x, layers)[0]
    for layer in layers:
        x = through(layer, x)
    return x


def loss(params, seen, following):
    x = whole(params.characters)[seen] + whole(params.places)
    logits = normalised(through_all(params.layers, x), params.last) @ whole(params.scores)
    chosen = jnp.take_along_axis(jax.nn.log_softmax(logits), following[..., None], axis=-1)
    return lax.pmean(-jnp.mean(chosen), "data")


def step(params, momentum, seen, following):
    value, gradient = jax.value_and_grad(loss)(params, seen, following)
    velocity = jax.tree.map(lambda m, g: 0.9 * m + g, momentum, gradient)
    return value, jax.tree.map(lambda p, v: p - 0.1 * v, params, velocity), velocity


def specs_of(params):
    norm = Norm(P(), P())

    def of_layer(*before):
        columns, rows = P(*before, "data", "model"), P(*before, ("model", "data"))
        return Layer(norm, columns, columns, columns, rows, norm, columns, rows)

    stacked = isinstance(params.layers, Layer)
    layers = of_layer(None) if stacked else tuple(of_layer() for _ in params.layers)
    return Params(P("data"), P("data"), layers, norm, P("data"))


def mesh_of(data, model):
    return Mesh(np.array(jax.devices()[: data * model]).reshape(data, model), ("data", "model"))


def sharded_step(mesh, params):
    split = specs_of(params)
    of_batch = P("data")
    mapped = jax.shard_map(
        step, mesh=mesh, in_specs=(split, split, of_batch, of_batch), out_specs=(P(), split, split)
    )
    return jax.jit(mapped)


def placed(mesh, tree, specs):
    return jax.tree.map(lambda array, spec: jax.device_put(array, NamedSharding(mesh, spec)), tree, specs)


def stacked(params):
    return params._replace(layers=jax.tree.map(lambda *parts: np.stack(parts), *params.layers))


def params_of(arrays):
    """In the order of their fields, layer after layer."""
    norm = Norm(0, 0)
    layer = Layer(norm, 0, 0, 0, 0, norm, 0, 0)
    around = len(jax.tree.leaves(Params(0, 0, (), norm, 0)))
    layers = (layer,) * ((len(arrays) - around) // len(jax.tree.leaves(layer)))
    return jax.tree.unflatten(jax.tree.structure(Params(0, 0, layers, norm, 0)), arrays)


@program
def transformer_losses(*arrays):
    """Of one step per batch; the arguments are the parameters, then the batches, stacked."""
    *leaves, seen, following = arrays
    mesh, params = mesh_of(4, 2), params_of(leaves)
    train, specs = sharded_step(mesh, params), specs_of(params)
    momentum = placed(mesh, jax.tree.map(np.zeros_like, params), specs)
    params = placed(mesh, params, specs)  # where results will lie, or it is compiled again for them
    losses = []
    for batch in zip(seen, following, strict=True):
        value, params, momentum = train(params, momentum, *batch)
        losses.append(np.asarray(value))
    return [np.stack(losses)]
