"""Pairs of equal keys, compiled: their order, and what is told when slots are short."""

from __future__ import annotations

from functools import partial

import jax
import pytest
from hypothesis import given

from sqlax.runtime.operators.join import pair_rows
from sqlax.runtime.operators.join_keys import Key, shared_ids
from sqlax.runtime.relation import Relation
from tests.runtime.operators.relations import Rows, assert_same, few, read, relation, rows, tables

LEFT = {"a": "BIGINT", "b": "DOUBLE", "i": "BIGINT"}
RIGHT = {"c": "BIGINT", "d": "DOUBLE", "j": "BIGINT"}


@partial(jax.jit, static_argnames=("capacity", "outer"))
def joined(
    left: Relation, right: Relation, capacity: int, outer: bool
) -> tuple[Relation, jax.Array]:
    keys = tuple(Key(left.columns[a], right.columns[b]) for a, b in (("a", "c"), ("b", "d")))
    pairs = pair_rows(shared_ids(left, right, keys), left.mask, capacity, outer=outer)
    return pairs.rows(left, right), pairs.needed


@pytest.mark.parametrize("outer", [False, True], ids=["inner", "left"])
@few
@given(left=rows, right=rows)
def test_rows_come_in_left_then_right_order(outer: bool, left: Rows, right: Rows) -> None:
    found, needed = joined(relation(left, LEFT), relation(right, RIGHT), 64, outer)
    kind = "LEFT" if outer else "INNER"
    with tables(l=(left, LEFT), r=(right, RIGHT)) as duck:
        sql = (
            f"SELECT a, b, i, c, d, j FROM l {kind} JOIN r ON a = c AND b = d"
            " ORDER BY l.at_, r.at_ NULLS LAST"
        )
        expected = duck.sql(sql).fetchall()
    assert_same(read(found, "abicdj"), expected)
    assert int(needed) == len(expected)


@pytest.mark.parametrize("capacity", [8, 15, 16, 17], ids="capacity {}".format)
def test_a_short_output_tells_how_many_rows_it_needs(capacity: int) -> None:
    left = relation([(1, 1.0, i) for i in range(4)], LEFT)
    right = relation([(1, 1.0, j) for j in range(4)], RIGHT)
    found, needed = joined(left, right, capacity, False)
    assert int(needed) == 16
    assert read(found, "ij") == [(i, j) for i in range(4) for j in range(4)][:capacity]
