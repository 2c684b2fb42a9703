"""Window functions against DuckDB: ranks, neighbours, values and aggregates of frames."""

from __future__ import annotations

import pytest

from sqlax.compiler.lowering.environment import NotLowerableError
from sqlax.compiler.plan.nodes import Window
from tests.compiler.lowering.plans import Tables, assert_same, parse

ORDER = "(PARTITION BY k ORDER BY v, at_)"
PEERS = "(PARTITION BY k ORDER BY v DESC NULLS FIRST)"
RANKS = (
    *(f"ROW_NUMBER() OVER {ORDER}", "ROW_NUMBER() OVER (ORDER BY d NULLS FIRST, at_)"),
    *(f"{f}() OVER {PEERS}" for f in ("RANK", "DENSE_RANK", "PERCENT_RANK", "CUME_DIST")),
    *(f"{f}() OVER (ORDER BY s)" for f in ("RANK", "DENSE_RANK", "PERCENT_RANK", "CUME_DIST")),
    *(f"NTILE({n}) OVER {ORDER}" for n in (1, 2, 3, 100)),
    "RANK() OVER ()",
)
NEIGHBOURS = (
    *(f"LAG(v) OVER {ORDER}", f"LEAD(s, 2) OVER {ORDER}", f"LAG(m, 1, 7) OVER {ORDER}"),
    *(f"LEAD(v, 3, at_) OVER {ORDER}", f"LAG(d, 0) OVER {ORDER}", f"LAG(v, -1) OVER {ORDER}"),
    *(f"LAG(v IGNORE NULLS) OVER {ORDER}", f"LEAD(s, 2 IGNORE NULLS) OVER {ORDER}"),
    *(f"LAG(v, 2, -9 IGNORE NULLS) OVER {ORDER}", "LEAD(t) OVER (ORDER BY at_ DESC)"),
)
FRAMES = (
    "",
    "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
    "ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING",
    "ROWS BETWEEN 3 PRECEDING AND 2 PRECEDING",
    "ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING",
    "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
    "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
    "RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
    "RANGE BETWEEN CURRENT ROW AND CURRENT ROW",
)
VALUES = (
    *("FIRST_VALUE(v)", "LAST_VALUE(s)", "NTH_VALUE(v, 2)", "FIRST_VALUE(d IGNORE NULLS)"),
    *("LAST_VALUE(v IGNORE NULLS)", "NTH_VALUE(s, 2 IGNORE NULLS)", "FIRST(m)", "LAST(t)"),
    "ANY_VALUE(v)",
)
AGGREGATES = (
    *("COUNT(*)", "COUNT(v)", "SUM(v)", "SUM(q)", "SUM(m)", "AVG(v)", "AVG(m)", "AVG(q)"),
    *("MIN(v)", "MAX(v)", "MIN(d)", "MAX(d)", "MIN(s)", "MAX(t)", "BOOL_AND(b)", "BOOL_OR(b)"),
    *("COUNT(*) FILTER (WHERE b)", "SUM(v) FILTER (WHERE d > 0)", "MAX(s) FILTER (WHERE b)"),
    "COUNT_IF(b)",
)
WHOLE = (
    *("COUNT(DISTINCT v)", "MEDIAN(v)", "STDDEV(q)", "SUM(v)", "MIN(d)", "ARG_MAX(v, at_)"),
    *("AVG(m) FILTER (WHERE b)", "COUNT(*)", "LAST_VALUE(v)", "FIRST(s)"),
)


def window(tables: Tables, table: str, calls: tuple[str, ...]) -> Window:
    """A table with window calls as further columns."""
    scan = tables.scan(table)
    made = tuple(parse(text) for text in calls)
    added = tables.fields([f"w{i}" for i in range(len(made))], made, scan.schema)
    return Window(scan.schema + added, scan, made)


def check(tables: Tables, calls: tuple[str, ...]) -> None:
    for table in ("none", "few", "many"):
        sql = f"SELECT *, {', '.join(calls)} FROM {table} ORDER BY at_"
        assert_same(tables.run(window(tables, table, calls)), tables.sql(sql))


def test_ranks(tables: Tables) -> None:
    check(tables, RANKS)


def test_neighbours(tables: Tables) -> None:
    check(tables, NEIGHBOURS)


@pytest.mark.parametrize("frame", FRAMES, ids=lambda frame: frame or "default")
def test_values_of_frames(tables: Tables, frame: str) -> None:
    check(tables, tuple(f"{f} OVER (PARTITION BY k ORDER BY v, at_ {frame})" for f in VALUES))


@pytest.mark.parametrize("frame", FRAMES, ids=lambda frame: frame or "default")
def test_aggregates_of_frames(tables: Tables, frame: str) -> None:
    ties = "v" if "ROWS" not in frame else "v, at_"
    check(tables, tuple(f"{f} OVER (PARTITION BY k ORDER BY {ties} {frame})" for f in AGGREGATES))


def test_whole_partitions(tables: Tables) -> None:
    check(tables, tuple(f"{call} OVER (PARTITION BY k)" for call in WHOLE))
    check(tables, tuple(f"{call} OVER ()" for call in WHOLE))


def test_a_sum_that_leaves_64_bits_only_on_its_way_is_right(tables: Tables) -> None:
    tables.connection.execute(
        "CREATE TABLE wide AS SELECT i AS at_, (9223372036854775807 - i)::BIGINT AS v"
        " FROM range(5) r(i)"
    )
    one = "SUM(v) OVER (ORDER BY at_ ROWS BETWEEN CURRENT ROW AND CURRENT ROW)"
    found = tables.run(window(tables, "wide", (one, "AVG(v) OVER (ORDER BY at_)")))
    assert_same(found, tables.sql(f"SELECT *, {one}, AVG(v) OVER (ORDER BY at_) FROM wide"))
    assert not tables.reports
    tables.run(window(tables, "wide", ("SUM(v) OVER (ORDER BY at_)",)))
    assert tables.reports


REFUSED = (
    "SUM(v) OVER (ORDER BY v RANGE BETWEEN 1 PRECEDING AND CURRENT ROW)",
    "SUM(v) OVER (ORDER BY v GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW)",
    "SUM(v) OVER (ORDER BY v ROWS BETWEEN 1 PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW)",
    "STDDEV(v) OVER (ORDER BY v)",
    "SUM(DISTINCT v) OVER (ORDER BY v)",
    "LAG(v, at_) OVER (ORDER BY v)",
    "LAST_VALUE(v ORDER BY q) OVER (ORDER BY v)",
)


@pytest.mark.parametrize("call", REFUSED)
def test_what_the_graph_does_not_have_is_refused(tables: Tables, call: str) -> None:
    with pytest.raises(NotLowerableError, match="OVER"):
        tables.run(window(tables, "few", (call,)))
