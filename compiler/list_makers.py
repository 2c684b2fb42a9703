"""Which aggregates of a plan make lists in the graph: those whose lists are only carried."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from sqlax.compiler.plan.list_call import list_call
from sqlax.compiler.plan.nodes import Aggregate, Distinct, Node, Union, columns_of
from sqlax.compiler.plan.schema import Schema


@dataclass
class ListMakers:
    """What is known of a plan's lists while it is placed.

    Attributes:
        left: aggregates that are DuckDB's, because something above computes with their lists, and
            why; those that are found are added.
        makers: the aggregates that the graph runs, by `Field.made`.
    """

    left: dict[Node, str]
    makers: dict[str, Node] = field(default_factory=dict)

    def named(self, node: Node, placed: Node) -> Node:
        """A placed node, its columns of lists with names for what they are numbers of."""
        if not isinstance(placed, Aggregate):
            return placed
        fields = [*placed.schema.fields]
        for place, call in enumerate(placed.calls, start=len(placed.keys)):
            if list_call(call) is not None:
                made = f"list{len(self.makers)}"
                self.makers[made] = node
                fields[place] = replace(fields[place], made=made)
        return replace(placed, schema=Schema(tuple(fields)))

    def leave(self, placed: Node, obstacle: str) -> None:
        """Leave the lists that a node reads to DuckDB: it would take them from a stage.

        Args:
            placed: a node that DuckDB runs.
            obstacle: why.
        """
        read = {name for value in placed.expressions() for name in columns_of(value)}
        for field_ in (f for child in placed.inputs for f in child.schema.fields):
            is_read = isinstance(placed, Union | Distinct) or field_.name in read
            if field_.made in self.makers and is_read:
                self.left = {self.makers[field_.made]: obstacle, **self.left}
