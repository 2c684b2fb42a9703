"""The kinds of joins and their keys."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum, auto

from sqlglot import exp


class JoinKind(StrEnum):
    """What a join yields.

    INNER, LEFT and FULL are SQL's; an INNER join without keys is the cross product, and a RIGHT
    join is a LEFT one with its sides exchanged. SEMI and ANTI keep the left rows that have a match
    or none. MARK adds to each left row whether it has a match. SINGLE is LEFT where a second match
    is an error: the join of a scalar subquery. OTHER is what only DuckDB runs, such as ASOF.
    """

    INNER = auto()
    LEFT = auto()
    FULL = auto()
    SEMI = auto()
    ANTI = auto()
    MARK = auto()
    SINGLE = auto()
    OTHER = auto()


KEEPS_LEFT_ONLY = (JoinKind.SEMI, JoinKind.ANTI, JoinKind.MARK)
"""The joins that yield no column of their right side."""


@dataclass(frozen=True)
class JoinKey:
    """An equality between an expression over each side; `null_safe` takes NULL as equal to NULL."""

    left: exp.Expr
    right: exp.Expr
    null_safe: bool = False

    def condition(self) -> exp.Expr:
        """The equality as an expression."""
        kind = exp.NullSafeEQ if self.null_safe else exp.EQ
        return kind(this=self.left.copy(), expression=self.right.copy())
