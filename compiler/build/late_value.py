"""What a correlated scalar subquery computes of its row, computed once that row is found."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from sqlax.compiler.build.context import Context
from sqlax.compiler.build.pull_up import Pulled
from sqlax.compiler.build.tree import substituted
from sqlax.compiler.plan.nodes import Node, Project, column, columns_of, outer_columns_of
from sqlax.compiler.plan.schema import Field, Schema


@dataclass(frozen=True)
class Late:
    """A subquery's rows to be joined, and its value over the joined row."""

    pulled: Pulled
    value: exp.Expr


def late_value(pulled: Pulled, name: str, context: Context) -> Late:
    """The subquery's rows as they are before its value is computed of them.

    SQL before: ``(SELECT CAST(u.s AS INT) FROM u WHERE u.k = t.k)``. After: the rows of
    ``SELECT k, s, TRUE AS there FROM u`` and the value ``CASE WHEN there THEN CAST(s AS INT) END``.
    So no error comes of a row that belongs to none around it: DuckDB does not compute it either.

    Args:
        pulled: the subquery's rows and its conditions; without conditions nothing changes.
        name: the column of its value.
        context: gives names and knows types.
    """
    wanted = {n for c in pulled.conditions for n in columns_of(c)} & {*pulled.plan.schema.names}
    found = _first_computed(pulled.plan, {n: column(n) for n in (name, *sorted(wanted - {name}))})
    if not pulled.conditions or found is None or name in wanted:
        return Late(pulled, column(name))
    below, values = found
    value = values.pop(name)
    there = context.fresh("there")
    fields = [pulled.plan.schema[n] for n in values]
    fields += [below.schema[n] for n in sorted(columns_of(value) - {*values})]
    values |= {f.name: column(f.name) for f in fields[len(values) :]}
    schema = Schema((*fields, Field(there, "BOOLEAN")))
    plan = Project(schema, below, (*values.values(), exp.true()))
    case = exp.Case(ifs=[exp.If(this=column(there), true=value.copy())])
    return Late(Pulled(plan, pulled.conditions), case)


def _first_computed(
    node: Node, values: dict[str, exp.Expr]
) -> tuple[Node, dict[str, exp.Expr]] | None:
    """What lies below the projection that computes the first of some columns, and all over it.

    None where nothing is computed, or where a name would mean two things.
    """
    name = next(iter(values))
    while isinstance(values[name].unnest(), exp.Column) and isinstance(node, Project):
        made = dict(zip(node.schema.names, node.values, strict=True))
        values = {n: substituted(value, made) for n, value in values.items()}
        node = node.input
    value = values[name].unnest()
    reads = columns_of(value)
    if isinstance(value, exp.Column | exp.Literal) or outer_columns_of(value) or not reads:
        return None
    clash = any(n in reads and values[n].unnest() != column(n) for n in values if n != name)
    made_by_model = any(node.schema[n].made for n in reads)
    return None if clash or made_by_model else (node, values)
