"""A placed plan with everything static that lowering needs."""

from __future__ import annotations

from dataclasses import dataclass

from sqlax.compiler.lowering.chains import Chain, chains_of
from sqlax.compiler.lowering.maps import ValueMap
from sqlax.compiler.lowering.phases import Phases
from sqlax.compiler.plan.catalog import Catalog
from sqlax.compiler.plan.nodes import Node, Scan, Score
from sqlax.runtime.prompt.operator import PromptOperator


@dataclass(frozen=True)
class TokenCount:
    """One AI_COUNT_TOKENS call: the model whose tokens count, and (column, lead) of its values."""

    model: str
    values: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Blueprint:
    """A placed plan with everything static that lowering needs.

    Attributes:
        plan: the plan; its leaves are scans.
        catalog: gives DuckDB's types.
        scans: the plan's scans in loading order.
        scores: the plan's score operators, inputs before readers.
        operators: the static side of each score operator.
        counts: what AI_COUNT_TOKENS counts, by plan node.
        joins: the nodes that may ask for more slots: joins and sorts.
        capacities: slots of each join that a run before found too small; else 0.
        constants: string constants of the plan's expressions.
        maps: what DuckDB has evaluated for each value of a column.
        parameter_types: DuckDB type of each run-time parameter.
    """

    plan: Node
    catalog: Catalog
    scans: tuple[Scan, ...]
    scores: tuple[Score, ...]
    operators: tuple[PromptOperator, ...]
    counts: dict[Score, TokenCount]
    joins: tuple[Node, ...]
    capacities: tuple[int, ...]
    constants: tuple[str, ...]
    maps: tuple[ValueMap, ...]
    parameter_types: dict[str, str]

    @property
    def chains(self) -> tuple[Chain, ...]:
        """The early-stopping LIMITs with the operators below each."""
        return chains_of(self.plan, self.scores)


def phases_of(blueprint: Blueprint) -> Phases:
    """The phases of a blueprint's program."""
    return Phases(len(blueprint.operators), len(blueprint.chains))
