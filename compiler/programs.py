"""What has been compiled for a plan: kept by a query, and by a connection for texts seen before."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlax.compiler.lowering.map_sites import MapSite, map_sites
from sqlax.compiler.plan.catalog import Catalog
from sqlax.compiler.plan.nodes import Node
from sqlax.compiler.query import QueryPlan
from sqlax.compiler.report import Spent
from sqlax.runtime.program import Program
from sqlax.runtime.relation import bucket


@dataclass
class Programs:
    """The programs of one plan, and what its runs have found out about it.

    Attributes:
        compiled: a program for each `program_key`.
        parts: the same of the plan's parts: its stages, what morsels run, the plan placed anew.
        capacities: slots of the joins that had too few.
        sites: where a plan reads maps, whatever the parameters are.
    """

    compiled: dict[Any, Program] = field(default_factory=dict)
    parts: dict[Hashable, Programs] = field(default_factory=dict)
    capacities: dict[Node, int] = field(default_factory=dict)
    sites: dict[Node, tuple[MapSite, ...]] = field(default_factory=dict)

    def of(self, part: Hashable) -> Programs:
        """Those of a part."""
        return self.parts.setdefault(part, Programs())

    def sites_of(self, plan: Node, catalog: Catalog) -> tuple[MapSite, ...]:
        """Where a plan reads maps; looked for once."""
        if plan not in self.sites:
            self.sites[plan] = map_sites(plan, catalog)
        return self.sites[plan]

    def grow(self, joins: Sequence[Node], needed: Sequence[int]) -> bool:
        """Give joins that need more slots than they had those; whether any did."""
        wanting = {join: bucket(int(n)) for join, n in zip(joins, needed, strict=True) if n > 0}
        self.capacities.update(wanting)
        return bool(wanting)

    def spent(self) -> Spent:
        """Traces and seconds of compiling so far, without those of the parts."""
        programs = self.compiled.values()
        return Spent(sum(p.traces for p in programs), sum(p.compile_seconds for p in programs))


class ProgramCache:
    """The programs of the plans used last.

    A plan is known again by its text and by itself, types included, and only while every constant
    that its programs were made with still has its value: of `getvariable('x')` it may have changed.

    Args:
        most: plans kept.
    """

    def __init__(self, most: int = 64) -> None:
        self._most = most
        self._kept: OrderedDict[Hashable, tuple[Catalog, Programs]] = OrderedDict()

    def of(self, plan: QueryPlan) -> Programs:
        """The plan's programs; empty for a plan that is new."""
        types = tuple(sorted(plan.parameter_types.items()))
        key = (plan.sql, plan.mode, plan.placed, plan.stages, types)
        known = self._kept.pop(key, None)
        if known is None or not plan.catalog.agrees_with(known[0]):
            known = plan.catalog, Programs()
        self._kept[key] = known
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)
        return known[1]
