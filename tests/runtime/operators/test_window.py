"""Ranks, against DuckDB."""

from __future__ import annotations

import jax
from hypothesis import given

from sqlax.runtime.operators.order import SortKey
from sqlax.runtime.operators.window import rank_rows
from sqlax.runtime.relation import Relation
from tests.runtime.operators.relations import (
    FLOATS,
    INTEGERS,
    Rows,
    few,
    read,
    relation,
    rows_of,
    same,
    tables,
)

TYPES = {"p": "BIGINT", "d": "DOUBLE", "i": "BIGINT"}
FUNCTIONS = ("row_number", "rank", "dense_rank")
NAMES = (*FUNCTIONS, *(f"all_{name}" for name in FUNCTIONS), "n")


@jax.jit
def ranked(rows: Relation) -> Relation:
    partition, order = (rows.columns["p"],), (SortKey(rows.columns["d"], descending=True),)
    made = {name: rank_rows(name, rows.mask, partition, order) for name in FUNCTIONS}
    made |= {f"all_{name}": rank_rows(name, rows.mask, (), order) for name in FUNCTIONS}
    return Relation(made | {"n": rank_rows("rank", rows.mask, (), ())}, rows.mask)


@few
@given(rows_of(INTEGERS, FLOATS, INTEGERS))
def test_ranks_are_duckdbs(rows: Rows) -> None:
    ties = "d DESC NULLS LAST, at_"
    with tables(t=(rows, TYPES)) as duck:
        sql = f"""
            SELECT ROW_NUMBER() OVER (PARTITION BY p ORDER BY {ties}),
                RANK() OVER (PARTITION BY p ORDER BY d DESC NULLS LAST),
                DENSE_RANK() OVER (PARTITION BY p ORDER BY d DESC NULLS LAST),
                ROW_NUMBER() OVER (ORDER BY {ties}), RANK() OVER (ORDER BY d DESC NULLS LAST),
                DENSE_RANK() OVER (ORDER BY d DESC NULLS LAST), 1
            FROM t ORDER BY at_
        """
        same(read(ranked(relation(rows, TYPES)), NAMES), duck.sql(sql).fetchall())
