"""What building one query's plan needs to know beside the tree."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

from sqlglot import exp

from sqlax.compiler.build.tree import Templates
from sqlax.compiler.plan.catalog import Catalog
from sqlax.compiler.plan.nodes import Node
from sqlax.compiler.sql.tokens import Dialect


@dataclass
class Context:
    """One query's catalog, text, common table expressions and semantic calls.

    Attributes:
        catalog: names and types, from DuckDB.
        sql: the user's text, for error messages.
        dialect: the session's dialect of semantic functions.
        templates: the semantic calls seen so far.
        plain: CTEs without semantic calls, in order; they stay SQL.
        planned: CTEs with semantic calls, by lower-case name, with their output names.
        aggregates: lower-case names of aggregate functions.
        numbers: gives fresh numbers for column names.
    """

    catalog: Catalog
    sql: str
    dialect: Dialect
    aggregates: frozenset[str]
    templates: Templates = field(default_factory=Templates)
    plain: tuple[exp.CTE, ...] = ()
    planned: dict[str, Node] = field(default_factory=dict)
    numbers: itertools.count[int] = field(default_factory=itertools.count)

    def fresh(self, stem: str) -> str:
        """A column name that no other column of the query has."""
        return f"#{stem}{next(self.numbers)}"

    def nested(self, plain: tuple[exp.CTE, ...], planned: dict[str, Node]) -> Context:
        """The context inside a query that has its own WITH."""
        return Context(
            self.catalog,
            self.sql,
            self.dialect,
            self.aggregates,
            self.templates,
            self.plain + plain,
            {**self.planned, **planned},
            self.numbers,
        )

    def with_clause(self) -> str:
        """The WITH clause that makes the plain CTEs visible to a pushed-down text."""
        texts = ", ".join(cte.sql("duckdb") for cte in self.plain)
        return f"WITH {texts} " if texts else ""
