"""GROUPING SETS, ROLLUP and CUBE: one aggregate for each set, over one shared input."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

from sqlglot import exp

Sets = tuple[frozenset[int], ...]


@dataclass(frozen=True)
class GroupBy:
    """A GROUP BY clause.

    Attributes:
        keys: every grouping expression.
        sets: the grouping sets as places in `keys`; None where there is one set of all.
    """

    keys: list[exp.Expr]
    sets: Sets | None


def grouping_sets(clause: exp.Group, bind: Callable[[exp.Expr], exp.Expr]) -> GroupBy:
    """The clause with its names bound; several parts multiply, as SQL says."""
    keys: dict[exp.Expr, int] = {}
    parts = [_part(item, bind, keys) for item in _items(clause)]
    if all(len(part) == 1 for part in parts) and not _has_sets(clause):
        return GroupBy([*keys], None)
    sets = tuple(frozenset().union(*choice) for choice in product(*parts))
    return GroupBy([*keys], sets)


def _items(clause: exp.Group) -> list[exp.Expr]:
    held = (clause.args.get(kind) for kind in ("rollup", "cube", "grouping_sets"))
    return [*clause.expressions, *(item for items in held for item in items or [])]


def _has_sets(clause: exp.Group) -> bool:
    return any(
        isinstance(item, exp.Rollup | exp.Cube | exp.GroupingSets) for item in _items(clause)
    )


def _part(
    item: exp.Expr, bind: Callable[[exp.Expr], exp.Expr], keys: dict[exp.Expr, int]
) -> list[frozenset[int]]:
    """The sets of one item of the clause."""
    if isinstance(item, exp.GroupingSets):
        return [found for part in item.expressions for found in _part(part, bind, keys)]
    if isinstance(item, exp.Rollup):
        sets = [_places(part, bind, keys) for part in item.expressions]
        return [frozenset().union(*sets[:count]) for count in range(len(sets), -1, -1)]
    if isinstance(item, exp.Cube):
        sets = [_places(part, bind, keys) for part in item.expressions]
        choices = product(*((one, frozenset[int]()) for one in sets))
        return [frozenset().union(*choice) for choice in choices]
    return [_places(item, bind, keys)]


def _places(
    item: exp.Expr, bind: Callable[[exp.Expr], exp.Expr], keys: dict[exp.Expr, int]
) -> frozenset[int]:
    """The places of `a` or of the members of `(a, b)`; new keys are added."""
    members = item.expressions if isinstance(item, exp.Tuple) else [item.unnest()]
    return frozenset(keys.setdefault(bind(member), len(keys)) for member in members)
