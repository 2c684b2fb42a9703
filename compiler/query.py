"""From SQL text to a placed plan: everything about a query that does not depend on data."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

import duckdb
from sqlglot import exp

from sqlax.compiler.build import build_plan
from sqlax.compiler.placement import Mode, place
from sqlax.compiler.plan.catalog import Catalog
from sqlax.compiler.plan.nodes import (
    Aggregate,
    Distinct,
    Join,
    Node,
    Scan,
    Score,
    Sort,
    Window,
)
from sqlax.compiler.plan.output import Output, outputs_of
from sqlax.compiler.plan.text import plan_text
from sqlax.compiler.rules import Applied, rewrite_plan
from sqlax.compiler.sql.functions import Function
from sqlax.compiler.sql.rewrite import parse_query
from sqlax.compiler.sql.tokens import Dialect
from sqlax.compiler.stage import Stage
from sqlax.errors import BindError, ParseError, Span


@dataclass(frozen=True)
class QueryPlan:
    """A query that is ready to be lowered.

    Attributes:
        sql: the user's text.
        catalog: names and types; holds the run-time parameters.
        logical: the plan after all rules.
        placed: the last part of the plan; its scans are what DuckDB runs.
        stages: the parts that run before it, and whose rows its scans read.
        mode: how the plan was placed.
        log: what each rule changed.
        outputs: the result columns as the user sees them.
        parameters: names of the run-time parameters that the text has.
        parameter_types: DuckDB's type of each.
        fixed: parameters whose values are part of the plan, such as those of LIMIT.
    """

    sql: str
    catalog: Catalog
    logical: Node
    placed: Node
    stages: tuple[Stage, ...]
    mode: Mode
    log: tuple[Applied, ...]
    outputs: tuple[Output, ...]
    parameters: frozenset[str]
    parameter_types: dict[str, str]
    fixed: frozenset[str]

    def stage(self, stage: Stage) -> QueryPlan:
        """One of the stages as a query of its own."""
        return replace(self, placed=stage.plan, stages=(), outputs=())

    def in_mode(self, mode: Mode) -> QueryPlan:
        """The same query placed anew."""
        placed = place(self.logical, self.catalog, mode)
        return replace(self, placed=placed.plan, stages=placed.stages, mode=mode)

    @property
    def models(self) -> frozenset[str | None]:
        """The names of the models that any part asks or counts tokens for; None is the default."""
        plans = (self.placed, *(stage.plan for stage in self.stages))
        nodes = (node for plan in plans for node in plan.walk())
        return frozenset(node.call.model for node in nodes if isinstance(node, Score))

    @property
    def scans(self) -> tuple[Scan, ...]:
        """What DuckDB runs, each once, in plan order."""
        return tuple(dict.fromkeys(n for n in self.placed.walk() if isinstance(n, Scan)))

    @property
    def scores(self) -> tuple[Score, ...]:
        """The operators that ask a model, inputs before readers."""
        return tuple(score for score in self._semantic if asks_model(score))

    @property
    def counts(self) -> tuple[Score, ...]:
        """The calls of AI_COUNT_TOKENS: they read lengths and ask no model."""
        return tuple(score for score in self._semantic if not asks_model(score))

    @property
    def _semantic(self) -> tuple[Score, ...]:
        return tuple(dict.fromkeys(n for n in self.placed.walk() if isinstance(n, Score)))

    @property
    def joins(self) -> tuple[Node, ...]:
        """The nodes that may ask for more slots: joins, and what sorts its rows."""
        asking = (Join, Aggregate, Distinct, Sort, Window)
        return tuple(dict.fromkeys(n for n in self.placed.walk() if isinstance(n, asking)))

    def hash(self) -> str:
        """The same for every spelling of one query."""
        return hashlib.sha256(plan_text(self.logical).encode()).hexdigest()[:16]


def asks_model(score: Score) -> bool:
    """Whether a semantic operator puts prompts to a model."""
    return score.call.function is not Function.COUNT_TOKENS


def named_parameters(tree: exp.Query) -> frozenset[str]:
    """The names of a query's parameters."""
    return frozenset(str(node.this) for node in tree.find_all(exp.Placeholder))


def fixed_parameters(tree: exp.Query) -> frozenset[str]:
    """The parameters that LIMIT and OFFSET read: another value of one is another plan."""
    clauses = tree.find_all(exp.Limit, exp.Offset, exp.Fetch)
    return frozenset(str(p.this) for clause in clauses for p in clause.find_all(exp.Placeholder))


def _used(tree: exp.Query, parameters: Mapping[str, Any], sql: str) -> dict[str, Any]:
    """The values of the query's parameters.

    Raises:
        BindError: a parameter has no value, or a value no parameter.
    """
    named = named_parameters(tree)
    for name in sorted(named ^ parameters.keys()):
        known = ", ".join(f"${n}" for n in sorted(named)) or "none"
        what = "has no value" if name in named else "is not in the query"
        raise BindError(f"parameter ${name} {what}; the query has: {known}", sql)
    return dict(parameters)


def plan_query(
    sql: str,
    connection: duckdb.DuckDBPyConnection,
    *,
    parameters: Mapping[str, Any] | None = None,
    dialect: Dialect = "duckdb",
    mode: Mode = "hybrid",
    whole: bool | None = None,
    span: Span | None = None,
    disabled_rules: Collection[str] = (),
) -> QueryPlan:
    """Parse, bind, rewrite and place one semantic query.

    Args:
        sql: the whole text; errors underline it.
        connection: knows the tables.
        parameters: run-time parameters by name; `?` is named by its place from 1.
        dialect: whose spelling of functions and strings the text follows.
        mode: how much DuckDB runs.
        whole: plan what calls no model too, where it would stay SQL; `graph` always does.
        span: the part of the text that is the query.
        disabled_rules: names of rewrites to leave out.

    Raises:
        ParseError, BindError, UnsupportedError: with the place in the text where it is known.
    """
    tree = parse_query(sql, dialect, span)
    if isinstance(tree, exp.Values):
        tree = exp.select("*").from_(exp.alias_(tree, "v", table=True))
    if not isinstance(tree, exp.Query):
        raise ParseError("a semantic statement must be a query", sql)
    catalog = Catalog(connection, _used(tree, parameters or {}, sql))
    built = build_plan(tree, sql, dialect, catalog, span=span, whole=bool(whole) or mode == "graph")
    logical, log = rewrite_plan(built, disabled_rules)
    placed = place(logical, catalog, mode)
    return QueryPlan(
        sql,
        catalog,
        logical,
        placed.plan,
        placed.stages,
        mode,
        log,
        outputs_of(built.schema),
        named_parameters(tree),
        catalog.parameter_types(),
        fixed_parameters(tree),
    )
