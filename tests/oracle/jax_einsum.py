# SPDX-License-Identifier: Apache-2.0
"""einsum of whole arrays; see jax_functions.py. A function for each row, named by its subscripts."""

import jax.numpy as jnp
from jax_functions import FUNCTIONS

ROWS = ("ii->i", "ii", "iij->ji", "iii->i", "ij->ji", "ba", "ij->j", "...i->...", "i,i->", "i,j->ji", "ij,j->i",
        "ij,jk->ik", "ij,jk", "ij,kj->ki", "ij,ij->", "ij,ij->ij", "ab,bc->ac", "ab,cb->c", "bi,bj->bij",
        "bij,bjk->ibk", "bhqd,bhkd->bhqk", "ijk,jil->kl", "...ij,...jk", "...,i->...i", "i...,i...->...",
        "i,j,k->ijk", "i,ij,j->", "ij,jk,ki->", "abc,cd,de->abe", "bij,bjk,bkl->bil", "ab,bc,cd,de->ae")


def name_of(subscripts):
    for written, named in (("...", "dots"), ("->", "_to_"), (",", "_")):
        subscripts = subscripts.replace(written, named)
    return "einsum_" + subscripts


def twin(subscripts):
    def function(*arguments):
        if "," in subscripts:
            return jnp.sum(jnp.sin(jnp.einsum(subscripts, *arguments)))
        return jnp.sum(jnp.sin(jnp.einsum(subscripts, arguments[0]))) * jnp.sum(arguments[1])

    return function


for row in ROWS:
    FUNCTIONS[name_of(row)] = twin(row)
