"""Programs that run before a query's last one, and whose rows are stored."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from sqlax.compiler.plan.held import as_sql
from sqlax.compiler.plan.join import JoinKey, JoinKind
from sqlax.compiler.plan.nodes import Filter, Join, Node, Project, Scan, Score, Stored, column
from sqlax.compiler.plan.render import render
from sqlax.compiler.plan.schema import WRITTEN, Field, Schema

TEXTS = "#texts"
"""The column of the lists that a reduction answers for."""


@dataclass(frozen=True)
class Stage:
    """A program whose rows are stored under a name, for later stages to read.

    Attributes:
        name: of the stored rows.
        plan: what is run; its leaves are scans.
        reason: what the graph has no operation for, above it.
    """

    name: str
    plan: Node
    reason: str


@dataclass(frozen=True)
class Reduction(Stage):
    """A stage that answers for lists of texts, level by level; `plan` is one level.

    Its rows are each list, its answer and the reason where there is none.

    Attributes:
        lists: the lists.
        is_ordered: whether their order was asked for; else they are sorted.
    """

    lists: Scan
    is_ordered: bool

    @property
    def windows(self) -> str:
        """The name under which a level's texts are stored: their numbers, and they themselves."""
        return windows_of(self.name)


def windows_of(stage: str) -> str:
    """The name of a reduction's texts."""
    return f"{stage}_texts"


def scan_of(node: Node) -> Scan:
    """A plan that DuckDB runs; it tells which stage's rows it reads."""
    stages = [leaf.stage for leaf in node.walk() if isinstance(leaf, Stored)]
    if not stages:
        return Scan(as_sql(node.schema), render(node))
    return Stored(as_sql(node.schema), render(node), stage=stages[-1])


def reduction(node: Score, below: Node, name: str) -> Reduction:
    """The stage that answers a call over lists, whose rows `below` are stored."""
    wanted = below if node.guard is None else Filter(below.schema, below, node.guard)
    schema = Schema((Field(TEXTS, "VARCHAR[]"),))
    lists = scan_of(Project(schema, wanted, (_list(node),)))
    reason = f"{node.call.function} asks level by level"
    return Reduction(name, _level(node, lists, name), reason, lists, node.call.is_ordered)


def answered(node: Score, below: Node, stage: Reduction) -> Scan:
    """The rows `below` with the answers for their lists."""
    fields = (Field(TEXTS, "VARCHAR[]"), *(Field(n, "VARCHAR") for n in _answer(node)))
    items = (f'CAST(c{i} AS {f.type}) AS "{f.name}"' for i, f in enumerate(fields))
    sql = f"SELECT {', '.join(items)} FROM {stage.name}"
    answers = Stored(Schema(fields), sql, stage=stage.name)
    keys = (JoinKey(_list(node), column(TEXTS)),)
    joined = Join(below.schema + answers.schema, below, answers, JoinKind.LEFT, keys)
    schema = as_sql(node.schema)
    return scan_of(Project(schema, joined, tuple(column(name) for name in schema.names)))


def _level(node: Score, lists: Scan, name: str) -> Score:
    fields = (Field("#number", "BIGINT"), Field("#text", "VARCHAR"))
    stage = lists.stage if isinstance(lists, Stored) else ""
    sql = f'SELECT c0 AS "#number", c1 AS "#text" FROM {windows_of(name)}'
    windows = Stored(Schema(fields), sql, stage=stage)
    answer, error = _answer(node)
    made = (Field(answer, "VARCHAR", made=WRITTEN), Field(error, "VARCHAR"))
    call = node.call.with_values((*node.call.values[:-1], column("#text")))
    return Score(Schema((*fields, *made)), windows, call, answer, None)


def _list(node: Score) -> exp.Expr:
    return exp.cast(node.call.values[-1].copy(), "VARCHAR[]")


def _answer(node: Score) -> tuple[str, str]:
    return node.name, node.name + "!"
