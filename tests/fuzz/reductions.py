"""Ways to make a query smaller; most give no valid query, which the caller finds out."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sqlglot import exp

_OPTIONAL = (
    *("with_", "where", "having", "qualify", "group", "order", "limit", "offset", "distinct"),
    *("partition_by", "spec"),
)
_LISTS = ("expressions", "joins", "ifs", "grouping_sets", "rollup", "cube")


def reductions(tree: exp.Expr) -> Iterator[exp.Expr]:
    """Smaller trees, each a copy with one change; large changes first."""
    for select in tree.find_all(exp.Select, exp.SetOperation):
        if select is not tree:
            yield select.copy()
    for place, node in enumerate(tree.walk()):
        for change in _changes(node):
            changed = _changed(tree, place, change)
            if changed is not None:
                yield changed


Change = Callable[[exp.Expr], exp.Expr | None]
"""Changes a node in place; a node that it gives takes the old one's place."""


def _changed(tree: exp.Expr, place: int, change: Change) -> exp.Expr | None:
    copy = tree.copy()
    node = next(n for number, n in enumerate(copy.walk()) if number == place)
    replacement = change(node)
    if replacement is None:
        return copy
    if node is copy:
        return replacement
    node.replace(replacement)
    return copy


def _changes(node: exp.Expr) -> Iterator[Change]:
    for name in _OPTIONAL:
        if node.args.get(name):
            yield lambda n, name=name: n.set(name, None)  # type: ignore[misc]
    for name in _LISTS:
        yield from _without_one(node, name)
    if isinstance(node, exp.Join):
        yield lambda n: n.set("side", None)
    if isinstance(node, exp.Condition | exp.SetOperation | exp.Alias):
        yield from _by_children(node)
    if isinstance(node, exp.Condition) and not isinstance(
        node, exp.Literal | exp.Null | exp.Column
    ):
        yield lambda n: exp.Null()


def _without_one(node: exp.Expr, name: str) -> Iterator[Change]:
    items = node.args.get(name)
    if not isinstance(items, list) or len(items) < (2 if name == "expressions" else 1):
        return
    for place in reversed(range(len(items))):

        def drop(n: exp.Expr, place: int = place) -> None:
            left = [item for at, item in enumerate(n.args[name]) if at != place]
            n.set(name, left)

        yield drop


def _by_children(node: exp.Expr) -> Iterator[Change]:
    """Each child that may stand in the node's place."""
    for place, child in enumerate(node.iter_expressions()):
        inner = child.this if isinstance(child, exp.If) else child
        if isinstance(inner, exp.Condition | exp.Query | exp.Subquery):
            yield lambda n, place=place: _child(n, place)  # type: ignore[misc]
        if isinstance(child, exp.If):
            yield lambda n, place=place: _child(n, place, "true")  # type: ignore[misc]


def _child(node: exp.Expr, place: int, name: str = "this") -> exp.Expr:
    child = list(node.iter_expressions())[place]
    found = child.args[name] if isinstance(child, exp.If) else child
    return found.copy()
