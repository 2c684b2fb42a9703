"""GROUP BY, DISTINCT and the aggregates, against DuckDB."""

from __future__ import annotations

import hypothesis.strategies as st
import jax
from hypothesis import given

from sqlax.runtime.operators import aggregate, group
from sqlax.runtime.relation import Relation
from tests.runtime.operators.relations import (
    FLOATS,
    INTEGERS,
    Rows,
    assert_same,
    assert_same_set,
    few,
    read,
    relation,
    rows_of,
    tables,
)

TYPES = {"k": "BIGINT", "f": "DOUBLE", "v": "BIGINT", "d": "DOUBLE"}
SMALL = st.one_of(st.none(), st.integers(-3, 3))
rows = rows_of(INTEGERS, FLOATS, SMALL, FLOATS)


@jax.jit
def grouped(given_rows: Relation) -> Relation:
    columns = {name: column.only(given_rows.mask) for name, column in given_rows.columns.items()}
    keys = (columns["k"], columns["f"])
    groups = group.group_rows(given_rows.mask, keys)
    distinct = group.first_of_equal(groups, columns["d"].valid, (columns["d"],))
    made = {
        "k": group.first_of_group(groups, keys[0]),
        "f": group.first_of_group(groups, keys[1]),
        "n": aggregate.count(groups, given_rows.mask),
        "nv": aggregate.count(groups, columns["v"].valid),
        "sum": aggregate.total(groups, columns["v"])[0],
        "mean": aggregate.mean(groups, columns["v"]),
        "least": aggregate.extreme(groups, columns["d"], largest=False),
        "most": aggregate.extreme(groups, columns["d"], largest=True),
        "kinds": aggregate.count(groups, distinct),
    }
    return Relation(made, groups.exists)


NAMES = ("k", "f", "n", "nv", "sum", "mean", "least", "most", "kinds")
AGGREGATES = "COUNT(*), COUNT(v), SUM(v)::BIGINT, AVG(v), MIN(d), MAX(d), COUNT(DISTINCT d)"


@few
@given(rows)
def test_groups_come_in_key_order_with_their_aggregates(found: Rows) -> None:
    with tables(t=(found, TYPES)) as duck:
        sql = f"SELECT k, f, {AGGREGATES} FROM t GROUP BY k, f ORDER BY k NULLS LAST, f NULLS LAST"
        assert_same(read(grouped(relation(found, TYPES)), NAMES), duck.sql(sql).fetchall())


@jax.jit
def whole(given_rows: Relation) -> Relation:
    groups = group.group_rows(given_rows.mask, ())
    value = given_rows.columns["v"].only(given_rows.mask)
    made = {
        "n": aggregate.count(groups, given_rows.mask),
        "sum": aggregate.total(groups, value)[0],
        "most": aggregate.extreme(groups, value, largest=True),
        "kinds": aggregate.count(groups, group.first_of_equal(groups, value.valid, (value,))),
    }
    return Relation(made, groups.exists)


@few
@given(rows)
def test_without_keys_there_is_one_group_even_of_no_rows(found: Rows) -> None:
    with tables(t=(found, TYPES)) as duck:
        sql = "SELECT COUNT(*), SUM(v)::BIGINT, MAX(v), COUNT(DISTINCT v) FROM t"
        assert_same(
            read(whole(relation(found, TYPES)), ("n", "sum", "most", "kinds")),
            duck.sql(sql).fetchall(),
        )


@few
@given(rows)
def test_distinct_keeps_the_first_of_equal_rows_in_place(found: Rows) -> None:
    kept = read(jax.jit(group.distinct)(relation(found, TYPES).select(("f", "v"))), ("f", "v"))
    with tables(t=(found, TYPES)) as duck:
        sql = "SELECT f, v FROM t GROUP BY f, v ORDER BY MIN(at_)"
        assert_same(kept, duck.sql(sql).fetchall())
        assert_same_set(kept, duck.sql("SELECT DISTINCT f, v FROM t").fetchall())


def test_a_group_of_nothing_but_nulls_has_null_aggregates() -> None:
    given_rows = relation([(1, None, None, None), (1, None, None, None)], TYPES)
    assert read(grouped(given_rows), NAMES) == [(1, None, 2, 0, None, None, None, None, 0)]
