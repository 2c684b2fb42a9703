"""Where each part of a plan runs: DuckDB or the graph, and in how many stages.

The graph runs a plan from its scans to its result in one program. What it has no operation for runs
in DuckDB: below the semantic operators as the SQL of a scan; above one as the SQL of a scan that
reads what an earlier *stage*, a program of its own, has stored.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Literal, TypeAlias

from sqlglot import exp

from sqlax.compiler.cost.model import CostModel
from sqlax.compiler.cost.rates import Rates, rates
from sqlax.compiler.list_makers import ListMakers
from sqlax.compiler.lowering.check import node_obstacle
from sqlax.compiler.plan.catalog import Catalog, quote
from sqlax.compiler.plan.held import as_below, as_sql
from sqlax.compiler.plan.nodes import (
    Aggregate,
    Distinct,
    Join,
    Node,
    Project,
    Scan,
    Score,
    Sort,
    Stored,
    Union,
    Unnest,
    Window,
    column,
)
from sqlax.compiler.plan.schema import Field, Schema
from sqlax.compiler.stage import Stage, answered, reduction, scan_of

Mode: TypeAlias = Literal["hybrid", "graph", "duckdb", "split"]
SPLIT: tuple[Mode, ...] = ("duckdb", "split")
"""The modes in which each semantic operator is a program of its own, and DuckDB runs the rest."""
Choice: TypeAlias = Callable[[Node], bool]
"""Whether DuckDB runs a node that both could run."""


_WORTH_A_STAGE = (Score, Join, Aggregate, Window, Distinct, Sort, Union, Unnest)
"""What the graph keeps although DuckDB runs an operator above it."""


@dataclass(frozen=True)
class Placed:
    """A plan divided into what DuckDB runs and what the graph runs.

    Attributes:
        plan: the last part: its leaves are scans, and it is one itself where DuckDB runs it.
        stages: the parts before it, in the order in which they run.
    """

    plan: Node
    stages: tuple[Stage, ...]


def place(
    plan: Node,
    catalog: Catalog,
    mode: Mode,
    known: Rates | None = None,
    choice: Choice | None = None,
) -> Placed:
    """The plan with every part that DuckDB runs turned into a scan.

    Args:
        plan: a plan whose scans read tables.
        catalog: gives DuckDB's types.
        mode: `duckdb` leaves the graph only the semantic operators, `graph` leaves DuckDB only the
            reading of tables and what the graph cannot compute, `hybrid` gives each part without
            semantic operators to whichever is expected to be faster. `split` places as `duckdb`.
        known: the machine's rates, for `hybrid`; measured, or read from the cache folder, where
            they are not given and a part could run in either.
        choice: decides in place of costs, for `hybrid`; asked once for each node.
    """
    left: dict[Node, str] = {}
    decides = None if choice is None else cache(choice)
    while True:
        placer = _Placer(catalog, mode, known, decides, ListMakers(left))
        placed = placer.place(plan)
        if placer.lists.left == left:
            return Placed(placed, tuple(placer.stages))
        left = placer.lists.left


@dataclass
class _Placer:
    """Places the nodes of one plan, inputs first; a node that is read twice is placed once."""

    catalog: Catalog
    mode: Mode
    known: Rates | None
    choice: Choice | None
    lists: ListMakers
    stages: list[Stage] = field(default_factory=list)
    stored: dict[Node, Stored] = field(default_factory=dict)
    done: dict[Node, Node] = field(default_factory=dict)

    def place(self, node: Node) -> Node:
        """The node over placed inputs, or the scan that replaces it."""
        if node not in self.done:
            self.done[node] = self._place(node)
        return self.done[node]

    def _place(self, node: Node) -> Node:
        if isinstance(node, Scan):
            return node
        if isinstance(node, Score):
            return self._score(node)
        placed = as_below(node.with_inputs(tuple(self.place(child) for child in node.inputs)))
        obstacle = self._obstacle(node, placed)
        if obstacle is None:
            return self.lists.named(node, placed)
        self.lists.leave(placed, obstacle)
        inputs = tuple(self._in_duckdb(child, obstacle) for child in placed.inputs)
        return scan_of(node.with_inputs(inputs))

    def _obstacle(self, node: Node, placed: Node) -> str | None:
        """Why DuckDB runs a node; None where the graph does, over the inputs that are placed."""
        if self.mode in SPLIT:
            return f"mode => '{self.mode}'"
        if self.mode == "hybrid" and self._is_cheaper_in_duckdb(node):
            return "no semantic operator below"
        return self.lists.left.get(node) or node_obstacle(placed, self.catalog)

    def _is_cheaper_in_duckdb(self, node: Node) -> bool:
        """Whether DuckDB runs a part without semantic operators; joins alone are a question."""
        if self.choice is not None:
            return self.choice(node)
        below = [*node.walk()]
        if any(isinstance(part, Score) for part in below):
            return False
        if not any(isinstance(part, Join) for part in below):
            return True
        return self.costs.prefers_duckdb(node)

    @cached_property
    def costs(self) -> CostModel:
        """Estimates of this plan's parts."""
        return CostModel(self.catalog, self.known or rates())

    def _score(self, node: Score) -> Node:
        """A semantic operator; what the graph cannot read of its prompt DuckDB computes."""
        child = self.place(node.input)
        if node.call.reduces:
            return self._reduced(node, child)
        placed = as_below(node.with_inputs((child,)))
        obstacle = node_obstacle(placed, self.catalog)
        if obstacle is None and self.mode not in SPLIT:
            return placed
        self.lists.leave(placed, obstacle or "")
        stored = self._in_duckdb(child, obstacle or f"mode => '{self.mode}'")
        if obstacle is None:
            return as_below(node.with_inputs((stored,)))
        return self._prepared(node, stored)

    def _reduced(self, node: Score, child: Node) -> Scan:
        """What answers for whole lists: a stage of its own between two others."""
        if child not in self.stored:
            self.stored[child] = self._stage(child, f"{node.call.function} reads whole groups")
        stage = reduction(node, self.stored[child], f"sqlax_stage_{len(self.stages) + 1}")
        self.stages.append(stage)
        return answered(node, self.stored[child], stage)

    def _in_duckdb(self, node: Node, reason: str) -> Node:
        """A placed node as something that DuckDB can read."""
        if not any(isinstance(below, _WORTH_A_STAGE) for below in node.walk()):
            return node
        if node not in self.stored:
            self.stored[node] = self._stage(node, reason)
        return self.stored[node]

    def _stage(self, node: Node, reason: str) -> Stored:
        """The rows of a program of its own."""
        name = f"sqlax_stage_{len(self.stages) + 1}"
        self.stages.append(Stage(name, node, reason))
        stored = as_sql(node.schema)
        items = (f"CAST(c{i} AS {f.type}) AS {quote(f.name)}" for i, f in enumerate(stored.fields))
        return Stored(stored, f"SELECT {', '.join(items)} FROM {name}", stage=name)

    def _prepared(self, node: Score, below: Node) -> Node:
        """The operator over texts and a guard that DuckDB has computed as columns."""
        values = [_as_text(value) for value in node.call.values]
        guard = [] if node.guard is None else [node.guard]
        made = [
            v for v in (*values, *guard) if not isinstance(v, exp.Column) and v.find(exp.Column)
        ]
        names = {value: f"#prepared{i}" for i, value in enumerate(dict.fromkeys(made))}
        known = as_sql(below.schema)
        types = self.catalog.types_of(names, known)
        fields = tuple(Field(n, t) for n, t in zip(names.values(), types, strict=True))
        kept = tuple(column(name) for name in known.names)
        prepared = Project(known + Schema(fields), below, (*kept, *names))
        scan = scan_of(prepared)
        changed = replace(
            node,
            schema=prepared.schema + node.schema.select((node.name, node.name + "!")),
            input=scan,
            call=node.call.with_values(tuple(_named(v, names) for v in values)),
            guard=None if node.guard is None else _named(node.guard, names),
        )
        outputs = tuple(column(name) for name in node.schema.names)
        return Project(node.schema, changed, outputs)


def _as_text(value: exp.Expr) -> exp.Expr:
    """A prompt's value as VARCHAR; constants stay what they are."""
    return exp.cast(value.copy(), "VARCHAR") if value.find(exp.Column) else value


def _named(value: exp.Expr, names: dict[exp.Expr, str]) -> exp.Expr:
    return column(names[value]) if value in names else value
