"""Golden files of rules: a comment, a query, a blank line, the plan after the rule; then a line.

`python -m tests.compiler.rules.fixtures` writes the plans anew; read the diff.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import duckdb

from sqlax.compiler.plan.nodes import Node, Score
from sqlax.compiler.plan.text import node_text, plan_text, prompt_text
from sqlax.compiler.query import QueryPlan, plan_query
from sqlax.compiler.rules import RULES

FOLDER = Path(__file__).parent
NAMES = tuple(rule.__name__ for rule in RULES)
SEPARATOR = "-" * 80
TABLES = """
CREATE TABLE t AS SELECT * FROM (VALUES
  (1, 1, 'good 1', 2.5), (2, 1, 'bad 1', 1.0), (3, 2, 'odd', 0.5), (4, 2, NULL, 4.0),
  (5, 3, 'good 2', NULL), (6, NULL, 'good 1', 3.0), (7, 3, 'bad 2', 2.0), (8, 5, 'good 3', 9.0)
) v(id, g, x, w);
CREATE TABLE u AS SELECT * FROM (VALUES (1, 'a', 'good u'), (2, 'b', 'bad u'), (2, 'c', 'good v'),
  (3, NULL, 'odd')) v(k, name, y);
"""


@dataclass(frozen=True)
class Fixture:
    """A query with the plan it has after one rule.

    Attributes:
        rule: the rule's name.
        title: what the query shows.
        sql: the query.
        plan: its plan as text.
    """

    rule: str
    title: str
    sql: str
    plan: str

    def text(self) -> str:
        """The fixture as it stands in its file."""
        return f"-- {self.title}\n{self.sql}\n\n{self.plan}\n"


def read_fixtures(rule: str) -> list[Fixture]:
    blocks = (FOLDER / f"{rule}.sql").read_text(encoding="utf-8").split(f"{SEPARATOR}\n")
    return [_fixture(rule, block) for block in blocks if block.strip()]


def _fixture(rule: str, block: str) -> Fixture:
    title, _, rest = block.strip("\n").partition("\n")
    sql, _, plan = rest.partition("\n\n")
    return Fixture(rule, title.removeprefix("-- "), sql.strip(), plan.strip("\n"))


def connect() -> duckdb.DuckDBPyConnection:
    """DuckDB with the tables that the fixtures read."""
    connection = duckdb.connect()
    connection.execute(TABLES)
    return connection


def planned(sql: str, connection: duckdb.DuckDBPyConnection, rules: Iterable[str]) -> QueryPlan:
    """The query with only some of the rules."""
    return plan_query(sql, connection, mode="graph", disabled_rules=set(NAMES) - set(rules))


def plan_after(fixture: Fixture, connection: duckdb.DuckDBPyConnection) -> str:
    """The plan after the fixture's rule alone."""
    return plan_text(planned(fixture.sql, connection, [fixture.rule]).logical, _line)


def _line(node: Node) -> str:
    if not isinstance(node, Score):
        return node_text(node)
    guard = "" if node.guard is None else f" WHERE {node.guard.sql('duckdb')}"
    return f"{node.call.function.value} {prompt_text(node.call)} AS {node.name}{guard}"


def rewrite_golden() -> None:
    """Write every plan anew."""
    with connect() as connection:
        for rule in NAMES:
            fixtures = read_fixtures(rule)
            texts = [replace(f, plan=plan_after(f, connection)).text() for f in fixtures]
            text = f"{SEPARATOR}\n".join(texts)
            (FOLDER / f"{rule}.sql").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    rewrite_golden()
