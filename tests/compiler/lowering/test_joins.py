"""Joins of every kind against DuckDB: hand-made plans over tables of edges."""

from __future__ import annotations

import pytest

from sqlax.compiler.lowering import join_sides
from sqlax.compiler.plan.nodes import Join, JoinKey, JoinKind, Node, Project, column
from sqlax.compiler.plan.schema import Field, Schema
from tests.compiler.lowering.plans import Tables, assert_same_set, parse

LEFT = ("k", "v", "d", "s", "m", "at_")
KEYS = {
    "one key": ("l.k = r.k", [("lk", "rk", False)]),
    "two keys": ("l.k = r.k AND l.v = r.v", [("lk", "rk", False), ("lv", "rv", False)]),
    "other integers": ("l.k = r.v", [("lk", "rv", False)]),
    "floats": ("l.d = r.d", [("ld", "rd", False)]),
    "text": ("l.s = r.s", [("ls", "rs", False)]),
    "integer and decimal": ("l.k = r.m", [("lk", "rm", False)]),
    "null-safe": ("l.k IS NOT DISTINCT FROM r.k", [("lk", "rk", True)]),
    "null-safe and not": (
        "l.k IS NOT DISTINCT FROM r.k AND l.s = r.s",
        [("lk", "rk", True), ("ls", "rs", False)],
    ),
    "no key": ("TRUE", []),
}
RESIDUALS = {"none": None, "residual": "lv < rv OR lv IS NULL"}
SIDES = [("many", "few"), ("more", "none"), ("none", "few")]
IDS = [f"{a} and {b}" for a, b in SIDES]
BOTH = ", ".join(f"{letter}.{name}" for letter in "lr" for name in LEFT)


def side(tables: Tables, table: str, letter: str) -> Node:
    """A table with its columns renamed."""
    scan = tables.scan(table)
    fields = tuple(Field(f"{letter}{n}", scan.schema[n].type) for n in LEFT)
    return Project(Schema(fields), scan, tuple(column(n) for n in LEFT))


def join(
    tables: Tables,
    names: tuple[str, str],
    kind: JoinKind,
    keys: str,
    residual: str | None = None,
    *,
    null_aware: bool = False,
) -> Join:
    """A join of two tables, with the schema of its kind."""
    left, right = side(tables, names[0], "l"), side(tables, names[1], "r")
    schema = left.schema + right.schema
    if kind in (JoinKind.SEMI, JoinKind.ANTI):
        schema = left.schema
    if kind is JoinKind.MARK:
        schema = left.schema + Schema((Field("mark", "BOOLEAN"),))
    made = tuple(JoinKey(parse(a), parse(b), safe) for a, b, safe in KEYS[keys][1])
    condition = None if residual is None else parse(residual)
    return Join(schema, left, right, kind, made, condition, null_aware)


def sides_sql(names: tuple[str, str], keys: str, residual: str | None) -> tuple[str, str, str]:
    """The two FROM items and the condition, as SQL."""
    renamed = [
        f"(SELECT *, {', '.join(f'{n} AS {letter}{n}' for n in LEFT)} FROM {name}) {letter}"
        for name, letter in zip(names, "lr", strict=True)
    ]
    return renamed[0], renamed[1], f"({KEYS[keys][0]}) AND ({residual or 'TRUE'})"


def columns(letter: str) -> str:
    return ", ".join(f"{letter}.{n}" for n in LEFT)


@pytest.mark.parametrize("residual", RESIDUALS)
@pytest.mark.parametrize("keys", KEYS)
@pytest.mark.parametrize("kind", ["INNER", "LEFT", "FULL"])
def test_pairs(tables: Tables, kind: str, keys: str, residual: str) -> None:
    for names in SIDES:
        plan = join(tables, names, JoinKind(kind.lower()), keys, RESIDUALS[residual])
        left, right, condition = sides_sql(names, keys, RESIDUALS[residual])
        sql = (
            f"SELECT {columns('l')}, {columns('r')} FROM {left} {kind} JOIN {right} ON {condition}"
        )
        if kind == "FULL" and not plan.keys:
            sql = full_by_hand(left, right, condition)
        assert_same_set(tables.run(plan), tables.sql(sql))


def full_by_hand(left: str, right: str, condition: str) -> str:
    """DuckDB has no FULL JOIN on an arbitrary condition."""
    nulls = ", ".join("NULL" for _ in LEFT)
    return f"""
        SELECT {columns("l")}, {columns("r")} FROM {left} LEFT JOIN {right} ON {condition}
        UNION ALL SELECT {nulls}, {columns("r")} FROM {right}
        WHERE NOT EXISTS (SELECT 1 FROM {left} WHERE {condition})
    """


@pytest.mark.parametrize("residual", RESIDUALS)
@pytest.mark.parametrize("keys", KEYS)
@pytest.mark.parametrize("kind", ["SEMI", "ANTI", "MARK"])
def test_existence(tables: Tables, kind: str, keys: str, residual: str) -> None:
    for names in SIDES:
        plan = join(tables, names, JoinKind(kind.lower()), keys, RESIDUALS[residual])
        left, right, condition = sides_sql(names, keys, RESIDUALS[residual])
        exists = f"EXISTS (SELECT 1 FROM {right} WHERE {condition})"
        where = {"SEMI": f"WHERE {exists}", "ANTI": f"WHERE NOT {exists}", "MARK": ""}[kind]
        more = f", {exists}" if kind == "MARK" else ""
        expected = tables.sql(f"SELECT {columns('l')}{more} FROM {left} {where} ORDER BY l.at_")
        found = tables.run(plan)
        assert_same_set(found, expected)
        assert [row[5] for row in found] == [row[5] for row in expected]


@pytest.mark.parametrize("residual", RESIDUALS)
@pytest.mark.parametrize("keys", KEYS)
def test_marks_can_be_null(tables: Tables, keys: str, residual: str) -> None:
    """The condition of each pair, and of the pairs of a row: TRUE, else NULL, else FALSE."""
    for names in SIDES:
        plan = join(tables, names, JoinKind.MARK, keys, RESIDUALS[residual], null_aware=True)
        left, right, condition = sides_sql(names, keys, RESIDUALS[residual])
        mark = f"""CASE WHEN EXISTS (SELECT 1 FROM {right} WHERE {condition}) THEN TRUE
            WHEN EXISTS (SELECT 1 FROM {right} WHERE ({condition}) IS NULL) THEN NULL
            ELSE FALSE END"""
        assert_same_set(tables.run(plan), tables.sql(f"SELECT {columns('l')}, {mark} FROM {left}"))


@pytest.mark.parametrize("names", SIDES, ids=IDS)
def test_not_in(tables: Tables, names: tuple[str, str]) -> None:
    plan = join(tables, names, JoinKind.MARK, "one key", null_aware=True)
    left, right, _ = sides_sql(names, "one key", None)
    expected = f"SELECT {columns('l')}, l.k IN (SELECT k FROM {right}) FROM {left}"
    assert_same_set(tables.run(plan), tables.sql(expected))


@pytest.mark.parametrize("residual", [None, "lat_ <> rat_"], ids=["none", "residual"])
@pytest.mark.parametrize("keys", ["one key", "null-safe", "no key"])
def test_a_second_match_is_reported(tables: Tables, keys: str, residual: str | None) -> None:
    for names in SIDES:
        plan = join(tables, names, JoinKind.SINGLE, keys, residual)
        left, right, condition = sides_sql(names, keys, residual)
        sql = f"FROM {left} LEFT JOIN {right} ON {condition}"
        most = f"SELECT COALESCE(MAX(n), 0) > 1 FROM (SELECT COUNT(*) AS n {sql} GROUP BY l.at_)"
        found = tables.run(plan)
        alone = keys == "no key" and residual is None
        ((several,),) = tables.sql(f"SELECT COUNT(*) > 1 FROM {right}" if alone else most)
        assert tables.reports == several
        if not several:
            assert_same_set(found, tables.sql(f"SELECT {columns('l')}, {columns('r')} {sql}"))


@pytest.mark.parametrize("kind", ["INNER", "LEFT"])
@pytest.mark.parametrize("names", [("many", "ids"), ("ids", "many"), ("ids", "ids")])
def test_a_unique_side_is_looked_up(
    tables: Tables, kind: str, names: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(join_sides, "_FEWEST_TO_LOOK_UP", 1)
    tables.connection.execute("CREATE TABLE ids AS SELECT * REPLACE (at_ AS k) FROM other")
    plan = join(tables, names, JoinKind(kind.lower()), "one key", "lv < rv OR rv IS NULL")
    left, right, condition = sides_sql(names, "one key", "lv < rv OR rv IS NULL")
    sql = f"SELECT {BOTH} FROM {left} {kind} JOIN {right} ON {condition}"
    assert_same_set(tables.run(plan), tables.sql(sql))
    assert tables.runs == 1


@pytest.mark.parametrize("kind", ["INNER", "LEFT"])
def test_a_side_that_is_not_unique_makes_the_host_run_again(
    tables: Tables, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(join_sides, "_FEWEST_TO_LOOK_UP", 1)
    names = ("many", "other")
    left, right, condition = sides_sql(names, "one key", None)
    sql = f"SELECT {BOTH} FROM {left} {kind} JOIN {right} ON {condition}"
    assert_same_set(
        tables.run(join(tables, names, JoinKind(kind.lower()), "one key")), tables.sql(sql)
    )
    assert tables.runs == 2
