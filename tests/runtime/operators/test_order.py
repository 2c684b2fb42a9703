"""Sorting, LIMIT and OFFSET, against DuckDB."""

from __future__ import annotations

from functools import partial

import hypothesis.strategies as st
import jax
import jax.numpy as jnp
import pytest
from hypothesis import given

from sqlax.runtime.operators.compact import compact
from sqlax.runtime.operators.order import SortKey, limit, sort
from sqlax.runtime.relation import Relation
from tests.runtime.operators.relations import (
    TYPES,
    Rows,
    assert_same,
    few,
    read,
    relation,
    rows,
    tables,
)


@partial(jax.jit, static_argnames=("descending", "nulls_first"))
def ordered(found: Relation, descending: bool, nulls_first: bool) -> Relation:
    key = SortKey(found.columns["d"], descending, nulls_first)
    return sort(found, (key, SortKey(found.columns["a"], not descending, nulls_first)))


@pytest.mark.parametrize("nulls_first", [False, True], ids=["nulls last", "nulls first"])
@pytest.mark.parametrize("descending", [False, True], ids=["asc", "desc"])
@few
@given(found=rows)
def test_order_is_duckdbs_and_ties_keep_their_order(
    descending: bool, nulls_first: bool, found: Rows
) -> None:
    way, other = ("DESC", "ASC") if descending else ("ASC", "DESC")
    nulls = "NULLS FIRST" if nulls_first else "NULLS LAST"
    with tables(t=(found, TYPES)) as duck:
        sql = f"SELECT a, d, i FROM t ORDER BY d {way} {nulls}, a {other} {nulls}, at_"
        expected = duck.sql(sql).fetchall()
    assert_same(read(ordered(relation(found, TYPES), descending, nulls_first), TYPES), expected)


@few
@given(rows, st.one_of(st.none(), st.integers(0, 9)), st.integers(0, 9))
def test_limit_and_offset_count_the_rows_that_exist(
    found: Rows, count: int | None, offset: int
) -> None:
    most = None if count is None else jnp.asarray(count, jnp.int64)
    kept = limit(relation(found, TYPES), most, jnp.asarray(offset, jnp.int64))
    assert_same(read(kept, TYPES), found[offset:][:count])


@few
@given(rows)
def test_compaction_moves_the_rows_to_the_front_in_order(found: Rows) -> None:
    moved = jax.jit(compact)(relation(found, TYPES))
    assert_same(read(moved, TYPES), found)
    assert moved.mask.tolist() == [place < len(found) for place in range(moved.capacity)]
