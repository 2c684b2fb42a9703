"""Name resolution inside one SELECT: sources, their columns, select aliases, stars."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field

from sqlglot import exp

from sqlax.compiler.plan.nodes import OUTER, column
from sqlax.errors import BindError, Span


@dataclass(frozen=True)
class Source:
    """One FROM item: its name and its columns, each with the plan field that holds it."""

    name: str
    columns: tuple[tuple[str, str], ...]

    def find(self, name: str) -> str | None:
        """The plan field of a column, compared without case as DuckDB does."""
        wanted = name.lower()
        return next((f for visible, f in self.columns if visible.lower() == wanted), None)


@dataclass
class Scope:
    """What names mean inside one SELECT.

    Attributes:
        sources: the FROM items in order.
        sql: the user's text, for error messages.
        hidden: fields that USING merged into another source's column.
        merged: what such a column is without a table's name, where it is not simply the field.
        aliases: select aliases in lower case, with their resolved expressions.
        parent: the scope of the query around this one.
    """

    sources: list[Source]
    sql: str
    hidden: set[str] = field(default_factory=set)
    merged: dict[str, exp.Expr] = field(default_factory=dict)
    aliases: dict[str, exp.Expr] = field(default_factory=dict)
    parent: Scope | None = None

    def owns(self, name: str) -> bool:
        """Whether a field belongs to a source of this scope."""
        return any(name == held for source in self.sources for _, held in source.columns)

    def visible_name(self, node: exp.Column) -> str:
        """A column's name as its table spells it."""
        table, wanted = node.table.lower(), node.name.lower()
        chosen = (s for s in self.sources if not table or s.name.lower() == table)
        names = (name for s in chosen for name, _ in s.columns if name.lower() == wanted)
        return next(names, node.name)

    def resolve(self, node: exp.Column, *, alias_first: bool = False) -> exp.Expr:
        """The field (or aliased expression) a column reference means.

        Raises:
            BindError: the name is unknown or ambiguous.
        """
        found = self._own(node, alias_first=alias_first)
        if found is not None:
            return found
        scope = self.parent
        while scope is not None:
            found = scope._own(node, alias_first=False)
            if found is not None:
                return _outward(found)
            scope = scope.parent
        raise self._unknown(node)

    def _own(self, node: exp.Column, *, alias_first: bool) -> exp.Expr | None:
        """What the reference means among this scope's sources and aliases, if anything."""
        alias = None if node.table else self.aliases.get(node.name.lower())
        if alias is not None and alias_first:
            return alias.copy()
        found = self._fields(node)
        if len(found) == 1:
            merged = None if node.table else self.merged.get(found[0])
            return column(found[0]) if merged is None else merged.copy()
        if not found:
            return alias.copy() if alias is not None else self._struct_field(node)
        sources = ", ".join(source.name for source in self.sources if source.find(node.name))
        raise BindError(
            f"column {node.name!r} is ambiguous: {sources} have it", self.sql, span(node)
        )

    def _fields(self, node: exp.Column) -> list[str]:
        table = node.table.lower()
        chosen = [s for s in self.sources if not table or s.name.lower() == table]
        found = [f for s in chosen if (f := s.find(node.name)) is not None]
        return found if table else [f for f in found if f not in self.hidden]

    def _struct_field(self, node: exp.Column) -> exp.Expr | None:
        """`a.b` where a is a column and b a field of it."""
        owner = exp.column(node.table) if node.table else None
        if owner is None or not self._fields(owner):
            return None
        found = self._own(owner, alias_first=False)
        return None if found is None else exp.Dot(this=found, expression=node.this.copy())

    def _unknown(self, node: exp.Column) -> BindError:
        names = [source.name for source in self.sources]
        if node.table and node.table.lower() not in [name.lower() for name in names]:
            known = ", ".join(names) or "none"
            return BindError(
                f"unknown table {node.table!r}; there are: {known}", self.sql, span(node)
            )
        visible = [name for source in self.sources for name, _ in source.columns]
        close = difflib.get_close_matches(node.name, visible, n=3) or visible[:12]
        hint = f"; did you mean {', '.join(close)}?" if close else ""
        return BindError(f"unknown column {node.name!r}{hint}", self.sql, span(node))

    def expand_star(self, star: exp.Expr) -> list[tuple[str, exp.Expr, bool]]:
        """The columns of `*` or `t.*`, with EXCLUDE and REPLACE.

        Returns:
            Each column's name, its value, and whether the value's names are bound already.
        """
        table = star.table.lower() if isinstance(star, exp.Column) else ""
        inner = star.this if isinstance(star, exp.Column) else star
        excluded = {e.name.lower() for e in inner.args.get("except_") or []}
        replaced = {r.alias.lower(): r.this for r in inner.args.get("replace") or []}
        chosen = [s for s in self.sources if not table or s.name.lower() == table]
        if not chosen:
            raise self._unknown(exp.column("*", table=table))
        return [
            (
                name,
                replaced.get(name.lower()) or self._starred(field, table),
                name.lower() not in replaced,
            )
            for source in chosen
            for name, field in source.columns
            if name.lower() not in excluded and (table or field not in self.hidden)
        ]

    def _starred(self, field: str, table: str) -> exp.Expr:
        merged = None if table else self.merged.get(field)
        return column(field) if merged is None else merged.copy()


def _outward(found: exp.Expr) -> exp.Expr:
    """An expression of an enclosing query, its columns marked as such."""
    for reference in found.find_all(exp.Column):
        reference.meta[OUTER] = True
    return found


def span(node: exp.Expr) -> Span | None:
    """Where a column reference stands in the user's text, where the parser recorded it."""
    metas = [part.meta for part in node.find_all(exp.Identifier) if "start" in part.meta]
    metas = metas or ([node.meta] if "start" in node.meta else [])
    if not metas:
        return None
    return Span(min(m["start"] for m in metas), max(m["end"] for m in metas) + 1)
