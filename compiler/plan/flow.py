"""Which columns a plan computes with, which it only carries, and where they come from."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sqlglot import exp

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


def computed_columns(plan: Node) -> set[Origin]:
    """Scan columns whose values an expression, key or prompt reads; the others are carried."""
    return set(_sources(plan, set(), _values_read))


def prompt_columns(plan: Node) -> set[Origin]:
    """Scan columns whose texts may end up in a prompt."""
    return set(_sources(plan, set(), _prompts_read))


def carried_from(plan: Node, name: str) -> Origin | None:
    """The scan column that an output column repeats unchanged, if it does."""
    if isinstance(plan, Scan):
        return plan, name
    if isinstance(plan, Aggregate):
        return None
    if isinstance(plan, Project):
        value = dict(zip(plan.schema.names, plan.values, strict=True))[name]
        return carried_from(plan.input, value.name) if isinstance(value, exp.Column) else None
    child = next((child for child in plan.inputs if name in child.schema), None)
    return carried_from(child, name) if child is not None else None


def _sources(node: Node, wanted: set[str], reads: Reads) -> Iterable[Origin]:
    """Scan columns that flow into the wanted output columns or into what `reads` names."""
    if isinstance(node, Scan):
        return [(node, name) for name in wanted]
    below = _through(node, wanted) | reads(node, wanted)
    return [
        origin
        for child in node.inputs
        for origin in _sources(child, below & set(child.schema.names), reads)
    ]


def _through(node: Node, wanted: set[str]) -> set[str]:
    """Input columns from which the wanted output columns are made."""
    if isinstance(node, Project):
        return _all_columns(value for field, value in node.items() if field.name in wanted)
    if isinstance(node, Aggregate):
        made = zip(node.schema.names, (*node.keys, *node.calls), strict=True)
        return _all_columns(value for name, value in made if name in wanted)
    if isinstance(node, Union):
        return _of_sides(node, wanted)
    return set(wanted)


def _of_sides(node: Union, wanted: set[str]) -> set[str]:
    """What both sides call the wanted columns."""
    named = zip(node.schema.names, *(side.schema.names for side in node.inputs), strict=True)
    return {name for own, *sides in named if own in wanted for name in sides}


def _values_read(node: Node, wanted: set[str]) -> set[str]:
    if isinstance(node, Project):
        return _all_columns(v for v in node.values if not isinstance(v, exp.Column))
    if isinstance(node, Distinct):
        return set(node.schema.names)
    if isinstance(node, Union):
        return _of_sides(node, wanted)
    if isinstance(node, Filter | Score | Join | Aggregate | Sort | Window):
        return _all_columns(node.expressions())
    return set()


def _prompts_read(node: Node, wanted: set[str]) -> set[str]:
    return _all_columns(node.call.values) if isinstance(node, Score) else set()


def _all_columns(expressions: Iterable[exp.Expr]) -> set[str]:
    return {name for expression in expressions for name in columns_of(expression)}
