"""What building one query's plan needs to know beside the tree."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from sqlglot import exp

from sqlax.compiler.build.tree import Templates
from sqlax.compiler.plan.catalog import Catalog
from sqlax.compiler.plan.nodes import Node, columns_of, outer_columns_of
from sqlax.compiler.plan.schema import Field, Schema
from sqlax.compiler.sql.tokens import Dialect

if TYPE_CHECKING:
    from sqlax.compiler.build.scope import Scope
    from sqlax.compiler.build.subquery import Subquery


@dataclass
class Context:
    """One query's catalog, text, common table expressions, semantic calls and subqueries.

    Attributes:
        catalog: names and types, from DuckDB.
        sql: the user's text, for error messages.
        dialect: the session's dialect of semantic functions.
        aggregates: lower-case names of aggregate functions.
        build_query: plans a query inside the query.
        whole: plan every part of the query; without it what calls no model stays SQL.
        outer: the scope around the query, whose columns it may read.
        templates: the semantic calls seen so far.
        subqueries: the subqueries of expressions seen so far, by key.
        attached: the value of each subquery that was joined to a plan.
        plain: CTEs without semantic calls, in order, as SQL.
        planned: CTEs as plans, by lower-case name.
        semantic: lower-case names of the CTEs that call a model.
        known: every field that a FROM item made visible so far.
        prefixes: how often each FROM name was given.
        numbers: gives fresh numbers for column names.
    """

    catalog: Catalog
    sql: str
    dialect: Dialect
    aggregates: frozenset[str]
    build_query: Callable[[exp.Query, Context], Node]
    whole: bool = False
    outer: Scope | None = None
    templates: Templates = field(default_factory=Templates)
    subqueries: dict[str, Subquery] = field(default_factory=dict)
    attached: dict[exp.Expr, exp.Expr] = field(default_factory=dict)
    plain: tuple[exp.CTE, ...] = ()
    planned: dict[str, Node] = field(default_factory=dict)
    semantic: frozenset[str] = frozenset()
    known: dict[str, Field] = field(default_factory=dict)
    prefixes: dict[str, int] = field(default_factory=dict)
    numbers: itertools.count[int] = field(default_factory=itertools.count)

    def fresh(self, stem: str) -> str:
        """A column name that no other column of the query has."""
        return f"#{stem}{next(self.numbers)}"

    def prefix(self, alias: str) -> str:
        """What the fields of a FROM item begin with: its name, numbered from the second on."""
        times = self.prefixes[alias] = self.prefixes.get(alias, 0) + 1
        return alias if times == 1 else f"{alias}#{times}"

    def with_cte(self, name: str, plain: exp.CTE | None, planned: Node | None) -> Context:
        """The context in which a common table expression is visible, as SQL, as a plan or both."""
        name = name.lower()
        rest = {key: plan for key, plan in self.planned.items() if key != name}
        return replace(
            self,
            plain=self.plain if plain is None else (*self.plain, plain),
            planned=rest if planned is None else {**rest, name: planned},
            semantic=self.semantic - {name} if plain is not None else self.semantic | {name},
        )

    def inside(self, scope: Scope | None) -> Context:
        """The context of a query that may read the columns of `scope`."""
        return replace(self, outer=scope)

    def with_clause(self) -> str:
        """The WITH clause that makes the plain CTEs visible to a pushed-down text."""
        texts = ", ".join(cte.sql("duckdb") for cte in self.plain)
        return f"WITH {texts} " if texts else ""

    def types(self, expressions: Iterable[exp.Expr], plan: Node) -> tuple[str, ...]:
        """DuckDB's types of expressions over a plan; they may read fields of enclosing queries."""
        listed = list(expressions)
        names = {name for e in listed for name in columns_of(e)} & set(plan.schema.names)
        fields = [plan.schema[name] for name in sorted(names)]
        outer = {name for e in listed for name in outer_columns_of(e)} - names
        fields += [self.known[name] for name in sorted(outer)]
        return self.catalog.types_of(listed, Schema(tuple(fields)))
