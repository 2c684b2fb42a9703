"""Where a plan that is too large for memory is divided: what is streamed, and what follows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from sqlax.compiler.lowering.check import node_obstacle
from sqlax.compiler.placement import Mode
from sqlax.compiler.plan.catalog import Catalog
from sqlax.compiler.plan.held import as_sql
from sqlax.compiler.plan.nodes import (
    Filter,
    Join,
    JoinKind,
    Limit,
    Node,
    Project,
    Scan,
    Score,
    Sort,
)
from sqlax.compiler.plan.render import render
from sqlax.compiler.streaming.partial import Halves, halves_of
from sqlax.compiler.streaming.size import Sizes, morsel_rows, scans_of
from sqlax.compiler.streaming.stored import Store, is_partial
from sqlax.compiler.streaming.tree import readers_of, replaced

_BY_LEFT_ROW = (JoinKind.LEFT, JoinKind.SEMI, JoinKind.ANTI, JoinKind.MARK, JoinKind.SINGLE)


@dataclass(frozen=True)
class Division:
    """What is run first, and what is left.

    Attributes:
        plan: what is run first.
        scan: the scan whose rows come in morsels; None where the plan is run at once.
        rows: rows of a morsel.
        enough: result rows after which no more morsels are wanted; None where all are.
        above: what is run over the stored result; None where nothing is left.
        store: where the result is stored for it.
    """

    plan: Node
    scan: Scan | None = None
    rows: int = 0
    enough: int | None = None
    above: Node | None = None
    store: Store | None = None

    @property
    def is_whole(self) -> bool:
        """Whether the plan is run at once, and nothing after it."""
        return self.scan is None and self.store is None


@dataclass(frozen=True)
class _Climb:
    """How far up a plan can be computed morsel by morsel.

    Attributes:
        top: the highest node that can.
        reader: the one that reads it and cannot; None above the plan's root.
        is_shared: whether several nodes read the top.
    """

    top: Node
    reader: Node | None
    is_shared: bool = False


class Divider:
    """Divides plans by a memory budget.

    Args:
        catalog: gives DuckDB's types.
        mode: where merged partial results are computed.
        budget: bytes for the rows of one part.
        sizes: expected rows.
        number: of the part that is run first.
    """

    def __init__(
        self, catalog: Catalog, mode: Mode, budget: int, sizes: Sizes, number: int
    ) -> None:
        self._catalog, self._mode = catalog, mode
        self._budget, self._sizes, self._number = budget, sizes, number

    def divide(self, plan: Node) -> Division:
        """What to run first. Operators that no morsel can hold become DuckDB's, which spills."""
        while not isinstance(plan, Scan) and not self._fits(scans_of(plan)):
            scan = max(scans_of(plan), key=self._sizes.bytes)
            climb = self._climb(plan, scan)
            division = self._streamed(plan, scan, climb)
            if division is not None:
                return division
            assert climb.reader is not None, "a plan without a reader streams to its end"
            first = _first_semantic(climb.reader, climb.top)
            if first is not None:
                return self._stored(plan, first, Division(first))
            in_duckdb = Scan(as_sql(climb.reader.schema), render(climb.reader))
            plan = replaced(plan, {climb.reader: in_duckdb})
        return Division(plan)

    def _fits(self, scans: Iterable[Scan], share: float = 1.0) -> bool:
        return sum(map(self._sizes.bytes, scans)) <= self._budget * share

    def _streamed(self, plan: Node, scan: Scan, climb: _Climb) -> Division | None:
        """The division that streams a scan; None where that would gain nothing."""
        rows = morsel_rows(scan, self._budget // 2)
        if climb.reader is None:
            return Division(plan, scan, rows)
        if climb.is_shared:
            return self._stored(plan, climb.top, Division(climb.top, scan, rows))
        whole = _limited(plan, climb.reader)
        halves = None if is_partial(scan) else halves_of(whole, climb.top, self._catalog)
        if halves is None:
            return None
        store = Store(self._number, is_partial=True)
        above = replaced(plan, {whole: self._merged(halves, store)})
        return Division(halves.partial, scan, rows, halves.enough, above, store)

    def _stored(self, plan: Node, part: Node, division: Division) -> Division:
        """The division whose result is read in the place of a part of the plan."""
        store = Store(self._number)
        above = replaced(plan, {part: store.scan(part.schema)})
        return replace(division, above=above, store=store)

    def _merged(self, halves: Halves, store: Store) -> Node:
        """The merging half: in the graph where it is wanted and can be there."""
        merged = halves.merge(store.scan(halves.partial.schema))
        steps = (node for node in merged.walk() if not isinstance(node, Scan))
        if self._mode == "graph" and not any(node_obstacle(n, self._catalog) for n in steps):
            return merged
        return Scan(merged.schema, render(merged))

    def _climb(self, plan: Node, scan: Scan) -> _Climb:
        readers, beside = readers_of(plan), set[Scan]()
        top: Node = scan
        while top in readers:
            reader, *more = readers[top]
            if more and _is_semantic(top):
                return _Climb(top, reader, is_shared=True)
            beside |= {s for side in reader.inputs if side != top for s in scans_of(side)}
            asks = any(_is_semantic(side) for side in reader.inputs if side != top)
            if asks or not _is_row_wise(reader, top):
                return _Climb(top, reader)
            if scan in beside or not self._fits(beside, 0.5):
                return _Climb(top, reader)
            top = reader
        return _Climb(top, None)


def _is_row_wise(node: Node, child: Node) -> bool:
    """Whether the rows over a part of the child's rows are a part of the node's rows."""
    if isinstance(node, Join):
        inner = node.kind is JoinKind.INNER
        return inner or (node.kind in _BY_LEFT_ROW and child == node.left)
    return isinstance(node, Filter | Project | Score)


def _first_semantic(node: Node, top: Node) -> Node | None:
    """An input with a semantic operator in it: what does not come in morsels is asked first."""
    asking = [side for side in node.inputs if _is_semantic(side)]
    return next((side for side in asking if side != top), asking[0] if asking else None)


def _is_semantic(plan: Node) -> bool:
    return any(isinstance(node, Score) for node in plan.walk())


def _limited(plan: Node, node: Node) -> Node:
    """The LIMIT of a sort that nothing else reads, or the node itself."""
    readers = readers_of(plan).get(node, [])
    alone = len(readers) == 1 and isinstance(readers[0], Limit)
    return readers[0] if isinstance(node, Sort) and alone else node
