"""Which columns a plan computes with, which it only carries, and where they come from."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from sqlglot import exp

from sqlax.compiler.plan.list_call import list_call
from sqlax.compiler.plan.nodes import (
    Aggregate,
    Distinct,
    Filter,
    Join,
    Node,
    Project,
    Scan,
    Score,
    Sort,
    Union,
    Window,
    columns_of,
)

Origin = tuple[Scan, str]
Reads = Callable[[Node, set[str]], set[str]]


def computed_columns(plan: Node, mapped: Collection[exp.Expr] = ()) -> set[Origin]:
    """Scan columns whose values an expression, key or prompt reads; the others are carried.

    Args:
        plan: the plan.
        mapped: expressions that DuckDB evaluates: what only they read is carried too.
    """

    def reads(node: Node, wanted: set[str]) -> set[str]:
        return _values_read(node, wanted, mapped)

    return set(_sources(plan, set(), reads, mapped))


def prompt_columns(plan: Node, mapped: Collection[exp.Expr] = ()) -> set[Origin]:
    """Scan columns whose texts may end up in a prompt other than through a mapped expression."""
    return set(_sources(plan, set(), _prompts_read, mapped))


def carried_from(plan: Node, name: str) -> Origin | None:
    """The scan column that an output column repeats unchanged, if it does."""
    if isinstance(plan, Scan):
        return plan, name
    if isinstance(plan, Aggregate):
        return None
    if isinstance(plan, Project):
        value = dict(zip(plan.schema.names, plan.values, strict=True))[name]
        return carried_from(plan.input, value.name) if isinstance(value, exp.Column) else None
    if isinstance(plan, Union):
        place = plan.schema.names.index(name)
        origins = {carried_from(side, side.schema.names[place]) for side in plan.inputs}
        return origins.pop() if len(origins) == 1 else None
    child = next((child for child in plan.inputs if name in child.schema), None)
    return carried_from(child, name) if child is not None else None


def written_by(plan: Node, name: str) -> Score | None:
    """The semantic operator that writes the texts of a column; None where none does."""
    if isinstance(plan, Score) and name == plan.name:
        return plan
    if isinstance(plan, Project | Aggregate):
        values = (*plan.keys, *plan.calls) if isinstance(plan, Aggregate) else plan.values
        value = dict(zip(plan.schema.names, values, strict=True))[name]
        return written_by(plan.input, value.name) if isinstance(value, exp.Column) else None
    child = next((child for child in plan.inputs if name in child.schema), None)
    return written_by(child, name) if child is not None else None


def _sources(
    node: Node, wanted: set[str], reads: Reads, mapped: Collection[exp.Expr] = ()
) -> Iterable[Origin]:
    """Scan columns that flow into the wanted output columns or into what `reads` names."""
    if isinstance(node, Scan):
        return [(node, name) for name in wanted]
    below = _through(node, wanted, mapped) | reads(node, wanted)
    return [
        origin
        for child in node.inputs
        for origin in _sources(child, below & set(child.schema.names), reads, mapped)
    ]


def _through(node: Node, wanted: set[str], mapped: Collection[exp.Expr]) -> set[str]:
    """Input columns from which the wanted output columns are made."""
    if isinstance(node, Project):
        kept = (value for field, value in node.items() if field.name in wanted)
        return {name for value in kept for name in _read_outside(value, mapped)}
    if isinstance(node, Aggregate):
        made = zip(node.schema.names, (*node.keys, *node.calls), strict=True)
        kept = (value for name, value in made if name in wanted)
        return {name for value in kept for name in _read_outside(value, mapped)}
    if isinstance(node, Union):
        return _of_sides(node, wanted)
    return set(wanted)


def _of_sides(node: Union, wanted: set[str]) -> set[str]:
    """What both sides call the wanted columns."""
    named = zip(node.schema.names, *(side.schema.names for side in node.inputs), strict=True)
    return {name for own, *sides in named if own in wanted for name in sides}


def _values_read(node: Node, wanted: set[str], mapped: Collection[exp.Expr]) -> set[str]:
    if isinstance(node, Project):
        made = (v for v in node.values if not isinstance(v, exp.Column))
        return {name for value in made for name in _read_outside(value, mapped)}
    if isinstance(node, Distinct):
        return set(node.schema.names)
    if isinstance(node, Union):
        return _of_sides(node, set(node.schema.names))
    if isinstance(node, Aggregate):
        calls = {name for call in node.calls for name in _read_by_call(call, mapped)}
        return calls | {name for key in node.keys for name in _read_outside(key, mapped)}
    if isinstance(node, Filter | Score | Join | Sort | Window):
        return {name for e in node.expressions() for name in _read_outside(e, mapped)}
    return set()


def _read_by_call(call: exp.Expr, mapped: Collection[exp.Expr]) -> set[str]:
    """Columns that an aggregate computes with: what a list collects unchanged is only carried."""
    collected = list_call(call)
    parts = [call] if collected is None else collected.parts_read()
    return {name for part in parts for name in _read_outside(part, mapped)}


def _read_outside(expression: exp.Expr, mapped: Collection[exp.Expr]) -> set[str]:
    """Columns that an expression reads other than inside of a mapped one."""
    if not mapped or isinstance(expression, exp.Column):
        return columns_of(expression)
    if expression in mapped:
        return set()
    parts = expression.iter_expressions()
    return {name for part in parts for name in _read_outside(part, mapped)}


def _prompts_read(node: Node, wanted: set[str]) -> set[str]:
    return _all_columns(node.call.values) if isinstance(node, Score) else set()


def _all_columns(expressions: Iterable[exp.Expr]) -> set[str]:
    return {name for expression in expressions for name in columns_of(expression)}
