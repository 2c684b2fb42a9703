"""Sinking: what only DuckDB can compute is computed below the first semantic operator.

SQL before: ``SELECT upper(title), AI_IF(text)``. After: a projection that adds ``upper(title)``
as a column, then the Score. Prompt values that are not text are cast to text there too.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlglot import exp

from sqlax.compiler.build.aggregate import Grouping
from sqlax.compiler.build.context import Context
from sqlax.compiler.build.tree import has_semantic, has_subquery, is_semantic, rewrite
from sqlax.compiler.lowering.expressions import is_constant, is_volatile
from sqlax.compiler.lowering.support import is_lowerable
from sqlax.compiler.plan.nodes import Node, Project, Score, column, columns_of, outer_columns_of
from sqlax.compiler.plan.schema import Field, Schema


def sink(plan: Node, expressions: list[exp.Expr], context: Context) -> tuple[Node, list[exp.Expr]]:
    """The plan with a projection for what the graph cannot compute, and the expressions over it.

    Nothing is sunk when the plan already holds a semantic operator, or no expression calls one.
    """
    calls_model = any(has_semantic(expression) for expression in expressions)
    if not calls_model or any(isinstance(node, Score) for node in plan.walk()):
        return plan, expressions
    sinker = _Sinker(plan, context)
    rewritten = [rewrite(expression, sinker.visit) for expression in expressions]
    return sinker.plan_with_columns(), rewritten


def _stays(node: exp.Expr) -> bool:
    """Whether a node needs no column of its own: it is one, a plain value, or a WHEN of a CASE."""
    plain = isinstance(node, exp.Column | exp.Literal | exp.Boolean | exp.Null)
    return plain or (isinstance(node, exp.If) and isinstance(node.parent, exp.Case))


def _is_fixed(node: exp.Expr) -> bool:
    """Whether DuckDB can compute the node now; the function of a window it cannot."""
    return is_constant(node) and not isinstance(node.parent, exp.Window)


@dataclass
class _Sinker:
    """Collects the expressions to compute below, each under a name of its own."""

    plan: Node
    context: Context
    sunk: dict[exp.Expr, str] = field(default_factory=dict)

    def visit(self, node: exp.Expr) -> exp.Expr | None:
        """The column that replaces a node, or None to look at its operands."""
        if is_semantic(node):
            key, *values = node.expressions
            reduces = self.context.templates.call(node).reduces
            texts = [rewrite(v, self.visit) if reduces else self._as_text(v) for v in values]
            return exp.Anonymous(this=node.this, expressions=[key.copy(), *texts])
        if _stays(node) or not (self._is_movable(node) or _is_fixed(node)):
            return None
        if is_lowerable(node, self.context.catalog, self.plan.schema):
            return None
        return self._sunk(node, "value")

    def _as_text(self, value: exp.Expr) -> exp.Expr:
        """A prompt value as a VARCHAR column; constants stay what they are."""
        if has_semantic(value) or not self._is_movable(value):
            return rewrite(value, self.visit)
        if isinstance(value, exp.Column) and self.plan.schema[value.name].type == "VARCHAR":
            return value.copy()
        return self._sunk(exp.cast(value.copy(), "VARCHAR"), "text")

    def _sunk(self, node: exp.Expr, stem: str) -> exp.Expr:
        if node not in self.sunk:
            self.sunk[node] = self.context.fresh(stem)
        return column(self.sunk[node])

    def _is_movable(self, node: exp.Expr) -> bool:
        """Whether the expression means the same below: no model, no aggregate, known columns."""
        if not isinstance(node, exp.Condition | exp.Query):
            return False
        if (
            has_semantic(node)
            or has_subquery(node)
            or outer_columns_of(node)
            or node.find(exp.Window, exp.Grouping)
            or any(Grouping.aggregates_in(node, self.context))
        ):
            return False
        reads = columns_of(node)
        moving = bool(reads) or is_volatile(node)
        return moving and reads <= set(self.plan.schema.names)

    def plan_with_columns(self) -> Node:
        """The plan with a column for each collected expression."""
        if not self.sunk:
            return self.plan
        types = self.context.types(self.sunk, self.plan)
        added = Schema(tuple(Field(n, t) for n, t in zip(self.sunk.values(), types, strict=True)))
        kept = tuple(column(name) for name in self.plan.schema.names)
        return Project(self.plan.schema + added, self.plan, (*kept, *self.sunk))
