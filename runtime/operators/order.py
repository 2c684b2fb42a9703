"""Sorting: every key becomes an integer code, the codes are packed with the row number.

A code is a non-negative int64 whose order is the SQL order and a static number of bits. Codes of
all keys together with the row number make words of 63 bits; sorting words of one int64 is five
times faster than sorting with several operands. Keys with bounds need one word, others more: the
words are sorted from the least significant on, each pass keeping the order of the one before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int, Shaped

from sqlax.runtime.relation import Column, Relation

_WORD = 63
"""Bits of a non-negative int64."""


@dataclass(frozen=True)
class SortKey:
    """A column to sort by, its direction and where NULLs go."""

    column: Column
    descending: bool = False
    nulls_first: bool = False


@dataclass(frozen=True)
class Code:
    """Unsigned integers below `2**bits`, held as uint64, whose order is that of a key."""

    value: Shaped[Array, " rows"]
    bits: int


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


def value_of_code(code: Int[Array, " rows"], dtype: Any) -> Shaped[Array, " rows"]:
    """The value that has an order code; of the floats that are equal, 0.0 and the positive NaN."""
    if not jnp.issubdtype(dtype, jnp.floating):
        return code.astype(dtype)
    bits = jnp.where(code < 0, jnp.bitwise_xor(code, np.iinfo(np.int64).max), code)
    return jax.lax.bitcast_convert_type(bits, jnp.float64)


def null_code(column: Column) -> Int[Array, " rows"]:
    """The order code with NULL as 0; tell NULLs apart by `valid`."""
    return jnp.where(column.valid, order_code(column.data), 0)


def sort_codes(key: SortKey) -> tuple[Code, ...]:
    """The codes of a key, most significant first: whether it is NULL, then its value."""
    value = value_code(key.column)
    most = np.uint64((1 << value.bits) - 1)
    data = most - value.value if key.descending else value.value
    flag = key.column.valid if key.nulls_first else ~key.column.valid
    null = Code(flag.astype(jnp.uint64), 1)
    return null, Code(jnp.where(key.column.valid, data, 0), value.bits)


def value_code(column: Column) -> Code:
    """The code of a column's values alone: anything of its bits where NULL."""
    if column.bits is not None:
        return Code(column.offset().astype(jnp.uint64), column.bits)
    if column.data.dtype == jnp.bool_:
        return Code(column.data.astype(jnp.uint64), 1)
    if column.data.dtype == jnp.int32:
        return Code((column.data.astype(jnp.int64) + (1 << 31)).astype(jnp.uint64), 32)
    flipped = jax.lax.bitcast_convert_type(order_code(column.data), jnp.uint64)
    return Code(flipped ^ np.uint64(1 << 63), 64)


def key_bits(column: Column) -> int:
    """Bits of a column's codes: few where it has bounds."""
    return 1 + value_code(column).bits


def key_word(keys: tuple[SortKey, ...]) -> Int[Array, " rows"]:
    """All keys as one non-negative int64 in their order, for keys of at most 63 bits together."""
    return one_word([code for key in keys for code in sort_codes(key)])


def one_word(codes: list[Code]) -> Int[Array, " rows"]:
    """Codes of at most 63 bits together as one non-negative int64, the first one highest."""
    (word,) = _words(codes, _WORD)
    return word.astype(jnp.int64)


def sort_permutation(keys: tuple[SortKey, ...], mask: Bool[Array, " rows"]) -> Int[Array, " rows"]:
    """Row positions in key order, ties in row order, rows that do not exist last. O(n log n)."""
    codes = [Code((~mask).astype(jnp.uint64), 1)]
    for key in keys:
        codes += sort_codes(key)
    row_bits = max(1, (mask.shape[0] - 1).bit_length())
    permutation = jnp.arange(mask.shape[0], dtype=jnp.int32)
    for word in _words(codes, _WORD - row_bits):
        permutation = _pass(word, permutation, row_bits)
    return permutation


def _words(codes: list[Code], room: int) -> list[Shaped[Array, " rows"]]:
    """The codes as words of `room` bits, least significant word first."""
    words, word, used = [], jnp.zeros_like(codes[0].value), 0
    for code in reversed(codes):
        value, left = code.value, code.bits
        while left:
            taken = min(left, room - used)
            word = word | ((value & np.uint64((1 << taken) - 1)) << np.uint64(used))
            value, left, used = value >> np.uint64(taken), left - taken, used + taken
            if used == room:
                words.append(word)
                word, used = jnp.zeros_like(word), 0
    return [*words, word] if used else words


def _pass(
    word: Shaped[Array, " rows"], permutation: Int[Array, " rows"], row_bits: int
) -> Int[Array, " rows"]:
    """The permutation sorted by the word; equal words keep their order."""
    place = jnp.arange(permutation.shape[0], dtype=jnp.int64)
    packed = (word[permutation].astype(jnp.int64) << row_bits) | place
    return permutation[jnp.sort(packed) & ((1 << row_bits) - 1)]


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
