"""Order-preserving integer codes and sorting.

Every sort key becomes an int64 code whose integer order is the SQL order, so that sorting,
grouping and joining know one data type only.
"""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int, Shaped

from sqlax.runtime.relation import Column, Relation


@dataclass(frozen=True)
class SortKey:
    """A column to sort by, its direction and where NULLs go."""

    column: Column
    descending: bool = False
    nulls_first: bool = False


def order_code(data: Shaped[Array, " rows"]) -> Int[Array, " rows"]:
    """An int64 code with DuckDB's order: NaN is the greatest float and -0.0 equals 0.0."""
    if not jnp.issubdtype(data.dtype, jnp.floating):
        return data.astype(jnp.int64)
    number = data.astype(jnp.float64)
    number = jnp.where(number == 0.0, 0.0, number)
    number = jnp.where(jnp.isnan(number), jnp.nan, number)
    bits = jax.lax.bitcast_convert_type(number, jnp.int64)
    ordered = jnp.where(bits < 0, jnp.bitwise_xor(bits, np.iinfo(np.int64).max), bits)
    return jnp.where(jnp.isnan(number), np.iinfo(np.int64).max, ordered)


def null_code(column: Column) -> Int[Array, " rows"]:
    """The order code with NULL as 0; tell NULLs apart by `valid`."""
    return jnp.where(column.valid, order_code(column.data), 0)


def sort_permutation(keys: tuple[SortKey, ...], mask: Bool[Array, " rows"]) -> Int[Array, " rows"]:
    """Row positions in key order, ties in row order, rows that do not exist last. O(n log n)."""
    operands: list[Array] = [jnp.logical_not(mask)]
    for key in keys:
        code = null_code(key.column)
        operands.append(key.column.valid if key.nulls_first else jnp.logical_not(key.column.valid))
        operands.append(jnp.bitwise_not(code) if key.descending else code)
    rows = jnp.arange(mask.shape[0], dtype=jnp.int32)
    *_, permutation = jax.lax.sort((*operands, rows), num_keys=len(operands), is_stable=True)
    return permutation


def sort(relation: Relation, keys: tuple[SortKey, ...]) -> Relation:
    """ORDER BY: the relation's rows in key order."""
    permutation = sort_permutation(keys, relation.mask)
    return relation.take(permutation, relation.mask[permutation])


def limit(relation: Relation, count: Int[Array, ""] | None, offset: Int[Array, ""]) -> Relation:
    """LIMIT and OFFSET: rows number offset to offset + count, in row order."""
    rank = jnp.cumsum(relation.mask, dtype=jnp.int64)
    keep = rank > offset
    if count is not None:
        keep &= rank <= offset + count
    return relation.where(keep)


def changes(keys: tuple[Column, ...], permutation: Int[Array, " rows"]) -> Bool[Array, " rows"]:
    """True at the first place and where any key differs from the place before; NULL equals NULL."""
    differs = jnp.arange(permutation.shape[0]) == 0
    for key in keys:
        code, valid = null_code(key)[permutation], key.valid[permutation]
        differs |= (code != jnp.roll(code, 1)) | (valid != jnp.roll(valid, 1))
    return differs
