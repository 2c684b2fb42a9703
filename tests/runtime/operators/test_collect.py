"""The values of groups as lists, against DuckDB."""

from __future__ import annotations

from typing import Any

import hypothesis.strategies as st
import jax
import numpy as np
import pyarrow as pa
from hypothesis import given

from sqlax.runtime.decode import OutputColumn, arrow_lists, joined_texts
from sqlax.runtime.lists import Lists
from sqlax.runtime.load.dictionary import StringDictionary
from sqlax.runtime.operators.collect import collect
from sqlax.runtime.operators.group import first_of_group, group_rows
from sqlax.runtime.operators.order import SortKey
from sqlax.runtime.relation import Column, Relation
from tests.runtime.operators.relations import (
    INTEGERS,
    Rows,
    assert_same,
    few,
    relation,
    rows_of,
    tables,
)

TYPES = {"k": "BIGINT", "v": "BIGINT", "o": "BIGINT", "i": "BIGINT"}
SMALL = st.one_of(st.none(), st.integers(-1, 1))
NOTHING = StringDictionary(pa.array([], pa.large_string()))


@jax.jit
def collected(found: Relation) -> tuple[Relation, Lists]:
    columns = {name: column.only(found.mask) for name, column in found.columns.items()}
    groups = group_rows(found.mask, (columns["k"],))
    order = (SortKey(columns["o"], descending=True, nulls_first=True),)
    column, lists = collect(groups, columns["v"], found.mask, order)
    return Relation({"k": first_of_group(groups, columns["k"]), "l": column}, groups.exists), lists


def decoded(column: Column, mask: Any, lists: Lists) -> list[Any]:
    data, valid = np.asarray(column.data)[mask], np.asarray(column.valid)[mask]
    made: list[Any] = arrow_lists(OutputColumn("integer"), lists, data, valid, NOTHING).to_pylist()
    return made


@few
@given(rows_of(SMALL, INTEGERS, SMALL))
def test_lists_are_in_order_and_ties_in_row_order(found: Rows) -> None:
    numbered = [(*row, place) for place, row in enumerate(found)]
    with tables(t=(numbered, TYPES)) as duck:
        sql = (
            "SELECT LIST(v ORDER BY o DESC NULLS FIRST, i) FROM t GROUP BY k ORDER BY k NULLS LAST"
        )
        expected = duck.sql(sql).fetchall()
    made, lists = collected(relation(numbered, TYPES))
    mask = np.asarray(made.mask)
    assert_same([(value,) for value in decoded(made.columns["l"], mask, lists)], expected)


def test_a_group_without_rows_has_no_list() -> None:
    one = relation([(1, 2, 3, 4)], TYPES)
    nowhere = jax.numpy.zeros(one.capacity, bool)
    column, lists = collect(group_rows(one.mask, ()), one.columns["v"], nowhere, ())
    assert decoded(column, [True], lists) == [None]
    assert np.asarray(lists.length).tolist() == [0]


def test_texts_are_joined_by_a_separator() -> None:
    texts = pa.array(["a", "", "c"], pa.large_string())
    lists = pa.LargeListArray.from_arrays(
        pa.array([0, 2, 2, 3], pa.int64()), texts, mask=pa.array([False, True, False])
    )
    assert joined_texts(lists, "--").to_pylist() == ["a--", None, "c"]
    assert joined_texts(lists, "").to_pylist() == ["a", None, "c"]
    assert joined_texts(lists, None).to_pylist() == [None, None, None]
    flags = pa.LargeListArray.from_arrays(pa.array([0, 2], pa.int64()), pa.array([True, False]))
    assert joined_texts(flags, ",").to_pylist() == ["true,false"]
