"""Aggregates with FILTER, DISTINCT and ORDER BY, against DuckDB."""

from __future__ import annotations

import pytest

from sqlax.compiler.lowering.aggregates import stream
from sqlax.compiler.lowering.environment import NotLowerableError
from sqlax.compiler.plan.nodes import Aggregate, Filter, Union
from tests.compiler.lowering.plans import Tables, assert_same, assert_same_set, parse

NAMES = ("none", "few", "many")
COUNTS = (
    *("COUNT(*)", "COUNT(v)", "COUNT(s)", "COUNT(DISTINCT v)", "COUNT(DISTINCT (v, s))"),
    *("COUNT(*) FILTER (WHERE v > 0)", "COUNT(DISTINCT s) FILTER (WHERE d > 0)", "COUNT_IF(b)"),
)
SUMS = (
    *("SUM(v)", "SUM(m)", "SUM(b)", "SUM(q)", "SUM(DISTINCT v)", "SUM(k) FILTER (WHERE b)"),
    *("AVG(v)", "AVG(m)", "AVG(q)", "AVG(k) FILTER (WHERE v > 5)", "AVG(DISTINCT v)"),
)
EXTREMES = (
    *("MIN(v)", "MAX(v)", "MIN(d)", "MAX(d)", "MIN(s)", "MAX(s)", "MIN(t)", "MAX(m)", "MAX(b)"),
    *("BOOL_AND(b)", "BOOL_OR(b)", "MIN(v) FILTER (WHERE s > 'a')", "MAX(DISTINCT v)"),
)
MOMENTS = (
    *("STDDEV(q)", "STDDEV_POP(q)", "STDDEV_SAMP(v)", "VARIANCE(m)", "VAR_POP(v)", "VAR_SAMP(q)"),
    *("COVAR_POP(q, v)", "COVAR_SAMP(v, q)", "VARIANCE(DISTINCT v)", "VAR_POP(q) FILTER (WHERE b)"),
)
CHOICES = (
    *(
        "FIRST(v)",
        "LAST(v)",
        "ANY_VALUE(v)",
        "FIRST(s ORDER BY q, at_)",
        "LAST(v ORDER BY at_ DESC)",
    ),
    *("ANY_VALUE(m ORDER BY at_ DESC)", "FIRST(t ORDER BY d DESC NULLS FIRST, at_)"),
    *("FIRST(v) FILTER (WHERE b)", "ARG_MIN(s, at_)", "ARG_MAX(v, at_)", "MAX_BY(at_, v)"),
    *("MIN_BY(m, v) FILTER (WHERE b)", "ARG_MAX(at_, s)"),
)
QUANTILES = (
    *("MEDIAN(v)", "MEDIAN(q)", "MEDIAN(m)", "MEDIAN(t)", "MEDIAN(s)", "MEDIAN(DISTINCT v)"),
    *("QUANTILE_CONT(v, 0.3)", "QUANTILE_CONT(m, 0.77)", "QUANTILE_CONT(q, 1)", "MEDIAN(b)"),
    *("QUANTILE_DISC(s, 0.3)", "QUANTILE(v, 0.5)", "QUANTILE_DISC(d, 0)", "QUANTILE_DISC(v, 1)"),
    "PERCENTILE_CONT(0.3) WITHIN GROUP (ORDER BY v)",
    "PERCENTILE_CONT(0.3) WITHIN GROUP (ORDER BY q DESC)",
    "PERCENTILE_DISC(0.3) WITHIN GROUP (ORDER BY v DESC)",
    "QUANTILE_CONT(t, 0.3) FILTER (WHERE b)",
)
CALLS = {
    "counts": COUNTS,
    "sums": SUMS,
    "extremes": EXTREMES,
    "moments": MOMENTS,
    "choices": CHOICES,
    "quantiles": QUANTILES,
}
KEYS = {"no key": (), "one key": ("k",), "two keys": ("s", "b"), "a float": ("d",)}


def aggregate(
    tables: Tables, table: str, keys: tuple[str, ...], calls: tuple[str, ...]
) -> Aggregate:
    """GROUP BY over a table."""
    scan = tables.scan(table)
    values = tuple(parse(text) for text in (*keys, *calls))
    names = [f"c{i}" for i in range(len(values))]
    fields = tables.fields(names[: len(keys)], values[: len(keys)], scan.schema)
    fields += tables.fields(names[len(keys) :], values[len(keys) :], scan.schema)
    return Aggregate(fields, scan, values[: len(keys)], values[len(keys) :])


@pytest.mark.parametrize("keys", KEYS)
@pytest.mark.parametrize("kind", CALLS)
def test_aggregates(tables: Tables, kind: str, keys: str) -> None:
    for table in NAMES:
        found = tables.run(aggregate(tables, table, KEYS[keys], CALLS[kind]))
        by = ", ".join(KEYS[keys])
        columns = ", ".join((*KEYS[keys], *CALLS[kind]))
        grouped = f"GROUP BY {by}" if by else ""
        sql = f"SELECT {columns} FROM (SELECT * FROM {table} ORDER BY at_) {grouped}"
        assert_same_set(found, tables.sql(sql))


FOLDED = (
    *("COUNT(*)", "COUNT(v)", "SUM(v)", "SUM(m)", "SUM(q)", "AVG(v)", "AVG(m)", "AVG(q)"),
    *("MIN(v)", "MAX(m)", "MIN(d)", "MAX(d)", "MIN(s)", "MAX(t)", "BOOL_AND(b)", "BOOL_OR(b)"),
    *("SUM(v * k)", "COUNT(*) FILTER (WHERE b)", "SUM(v) FILTER (WHERE v > 0)", "MAX(b)"),
)


@pytest.mark.parametrize("piece", [8, 16])
@pytest.mark.parametrize("keys", KEYS)
def test_many_rows_are_aggregated_piece_by_piece(
    tables: Tables, keys: str, piece: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "_FEWEST_ROWS", 16)
    monkeypatch.setattr(stream, "_PIECE", piece)
    for condition in ("d IS NULL OR d > 0.5", "at_ > 100"):
        whole = aggregate(tables, "many", KEYS[keys], FOLDED)
        below = Filter(whole.input.schema, whole.input, parse(condition))
        plan = Aggregate(whole.schema, below, whole.keys, whole.calls)
        grouped = f"GROUP BY {', '.join(KEYS[keys])}" if KEYS[keys] else ""
        columns = ", ".join((*KEYS[keys], *FOLDED))
        assert_same_set(
            tables.run(plan), tables.sql(f"SELECT {columns} FROM many WHERE {condition} {grouped}")
        )


def test_groups_come_in_key_order_with_null_last(tables: Tables) -> None:
    found = tables.run(aggregate(tables, "many", ("k", "s"), ("COUNT(*)",)))
    assert_same(
        found,
        tables.sql("SELECT k, s, COUNT(*) FROM many GROUP BY k, s ORDER BY k, s NULLS LAST"),
    )


def test_correlation(tables: Tables) -> None:
    calls = ("CORR(q, v)", "CORR(v, v)")
    found = tables.run(aggregate(tables, "many", (), calls))
    assert_same(found, tables.sql(f"SELECT {', '.join(calls)} FROM many"))


@pytest.mark.parametrize("value", [2**63 - 1, 1 - 2**63])
def test_a_sum_beyond_64_bits_is_reported_and_a_mean_is_right(tables: Tables, value: int) -> None:
    tables.connection.execute(
        f"CREATE TABLE wide AS SELECT i AS k, ({value})::BIGINT AS v, i AS at_"
        " FROM range(1, 4) r(i), range(i)"
    )
    tables.run(aggregate(tables, "wide", ("k",), ("SUM(v)",)))
    assert tables.reports
    found = tables.run(aggregate(tables, "wide", ("k",), ("AVG(v)", "MIN(v)", "MAX(v)")))
    assert_same_set(found, tables.sql("SELECT k, AVG(v), MIN(v), MAX(v) FROM wide GROUP BY k"))
    assert not tables.reports


@pytest.mark.parametrize("value", [2**63 - 1, 1 - 2**63])
def test_so_are_those_of_pieces(
    tables: Tables, value: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "_FEWEST_ROWS", 16)
    monkeypatch.setattr(stream, "_PIECE", 8)
    tables.connection.execute(
        f"CREATE TABLE wide AS SELECT ({value})::BIGINT AS v, i AS at_ FROM range(20) r(i)"
    )
    tables.run(aggregate(tables, "wide", (), ("SUM(v)",)))
    assert tables.reports
    found = tables.run(aggregate(tables, "wide", (), ("AVG(v)", "MIN(v)", "MAX(v)")))
    assert_same_set(found, tables.sql("SELECT AVG(v), MIN(v), MAX(v) FROM wide"))
    assert not tables.reports
    tables.run(aggregate(tables, "wide", (), ("SUM(v - 5)",)))
    assert tables.reports


REFUSED = (
    *("LIST(NULL)", "LIST([v])", "MAX(v, 2)", "QUANTILE_CONT(v, [0.1, 0.5])", "AVG(t)"),
    *("BIT_XOR(v)", "MODE(v)", "QUANTILE_CONT(v, -0.25)", "APPROX_COUNT_DISTINCT(v)"),
)


@pytest.mark.parametrize("call", REFUSED)
def test_what_the_graph_does_not_have_is_refused(tables: Tables, call: str) -> None:
    with pytest.raises(NotLowerableError, match=r"\w"):
        tables.run(aggregate(tables, "few", ("k",), (call,)))


def test_union_of_two_tables_and_of_aggregates(tables: Tables) -> None:
    for names in (("few", "more"), ("none", "one"), ("none", "none")):
        left, right = (tables.scan(name) for name in names)
        union = Union(left.schema, left, right)
        sql = f"SELECT * FROM {names[0]} UNION ALL SELECT * FROM {names[1]}"
        assert_same_set(tables.run(union), tables.sql(sql))
    one = aggregate(tables, "few", (), ("COUNT(*)", "MAX(s)"))
    other = aggregate(tables, "many", (), ("COUNT(*)", "MIN(s)"))
    assert_same(
        tables.run(Union(one.schema, one, other)),
        tables.sql("SELECT COUNT(*), MAX(s) FROM few UNION ALL SELECT COUNT(*), MIN(s) FROM many"),
    )
