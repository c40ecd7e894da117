# SPDX-License-Identifier: Apache-2.0
"""x[..] and x.at[..]; see jax_functions.py."""

import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P
from jax_functions import spmd


def over_devices(x):
    return lax.psum(jnp.sum(x), "x")


def rows_by_position(rows, step, n):
    return (jnp.arange(rows) * step + lax.axis_index("x")) % n


@spmd(P("x"), P())
def indexed_by_numbers_and_ranges(x, table):
    backwards = table[::-1, ::-2]  # [4, 2]
    last, corner = table[-1, None], table[0, 0]
    some = table[1::2, ...] * corner  # [2, 3]
    return over_devices(jnp.sin(x * last) * some) + over_devices(
        lax.pcast(jnp.exp(backwards) * table[:, 1, None], "x", to="varying")
    )


@spmd(P("x"), P())
def indexed_by_arrays(x, table):
    rows, columns = rows_by_position(3, 2, 4), rows_by_position(3, 1, 3)
    cube = table[:, None] * x  # [4, 2, 3]
    in_front = cube[rows, :, columns]  # [3, 2]
    in_place = cube[1::2, rows % 2, columns]  # [2, 3]
    of_pairs = table[rows[:, None] - 4, columns]  # [3, 3]
    one = table[lax.axis_index("x"), 1:]  # [2]
    whole = in_front * one + cube[1, ::-1, columns]
    return over_devices(jnp.tanh(whole) + jnp.sin(in_place[None, 0, :, None])) + over_devices(of_pairs * in_place[1])


@spmd(P("x"), P())
def indexed_out_of_range(x, table):
    rows = jnp.arange(2) * 5 + lax.axis_index("x") - 2
    filled = jnp.where(rows[:, None] < 4, table.at[rows].get(mode="fill"), 0.5)
    return over_devices(jnp.sin(filled * x) * table.at[rows].get(mode="clip"))


@spmd(P("x"), P())
def written_by_arrays(x, table):
    rows = rows_by_position(2, 2, 4)
    far, beyond = rows * 2 - 3, rows + lax.axis_index("x")
    added = table.at[far].add(x) + table.at[beyond].add(x * x, mode="clip")
    put = table.at[rows].set(x) * table.at[beyond, 1:].set(x[:, 1, None])
    multiplied = table.at[rows, ::-1].multiply(x, unique_indices=True)
    bounded = table.at[beyond].min(x) * table.at[rows[:, None], rows % 3].max(x[:, :2])
    return over_devices(jnp.sin(added) * multiplied + jnp.tanh(put) * bounded)


@spmd(P("x"), P())
def extremes_that_meet(x, table):
    rows = rows_by_position(2, 4, 4)
    doubled = jnp.concatenate([x, x[0][None]])
    thrice = jnp.concatenate([rows, rows[0:1]])
    return over_devices(jnp.sin(table.at[thrice].max(doubled)) + table * table.at[thrice].min(doubled))


@spmd(P("x"), P())
def written_by_numbers_and_ranges(x, table):
    put = table.at[::2, ::-1].set(x)
    corner = table.at[-1, 0:2].multiply(x[0, 1:])
    added = table.at[1:3].add(jnp.sin(x)).at[:, 0].max(0.25)
    return over_devices(jnp.tanh(put) * corner * added.at[..., 1:].min(x[0, 0]))
