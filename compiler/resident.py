"""Rows that stay on the device between the runs of a query."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from sqlax.compiler.lowering.assemble import Assembly
from sqlax.compiler.plan.nodes import Node
from sqlax.compiler.query import QueryPlan
from sqlax.runtime.state import ProgramInputs

Loaded: TypeAlias = tuple[Assembly, ProgramInputs]


@dataclass
class Resident:
    """The rows of earlier runs, by the plan and the parameters that decided which were read."""

    _held: dict[tuple[Node, str], Loaded] = field(default_factory=dict)

    def of(self, plan: QueryPlan) -> Loaded | None:
        """The rows of an earlier run of this plan with these parameters."""
        return self._held.get(_key(plan))

    def keep(self, plan: QueryPlan, loaded: Loaded) -> None:
        """Let rows stay."""
        self._held[_key(plan)] = loaded


def _key(plan: QueryPlan) -> tuple[Node, str]:
    return plan.placed, repr(sorted(plan.catalog.parameters.items()))
