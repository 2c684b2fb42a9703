"""The frame clause of a window call."""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Int
from sqlglot import exp

from sqlax.compiler.lowering.environment import NotLowerableError
from sqlax.runtime.operators.window import Frame, Ordered


def frame_of(rows: Ordered, window: exp.Expr) -> Frame:
    """The frame of each place; without a clause all rows up to the last peer.

    Raises:
        NotLowerableError: EXCLUDE, or an offset of RANGE or GROUPS.
    """
    spec = window.args.get("spec")
    if spec is None:
        return Frame(rows.start, rows.peer_end)
    if spec.args.get("exclude"):
        raise NotLowerableError(window.sql("duckdb"))
    first = _edge(rows, window, "start", default="CURRENT ROW")
    last = _edge(rows, window, "end", default="CURRENT ROW")
    return Frame(jnp.maximum(first, rows.start), jnp.minimum(last, rows.end))


def _edge(rows: Ordered, window: exp.Expr, end: str, *, default: str) -> Int[Array, " places"]:
    spec = window.args["spec"]
    bound, side = spec.args.get(end) or default, spec.args.get(f"{end}_side")
    if bound == "UNBOUNDED":
        return rows.start if side == "PRECEDING" else rows.end
    by_rows = spec.args["kind"] == "ROWS"
    if bound == "CURRENT ROW":
        peers = rows.peer_start if end == "start" else rows.peer_end
        return rows.place if by_rows else peers
    if not by_rows or not isinstance(bound, exp.Literal) or bound.is_string:
        raise NotLowerableError(window.sql("duckdb"))
    offset = _whole(bound, window)
    return rows.place - offset if side == "PRECEDING" else rows.place + offset


def _whole(bound: exp.Expr, window: exp.Expr) -> int:
    if not bound.name.isdigit() or len(bound.name) > 18:
        raise NotLowerableError(window.sql("duckdb"))
    return int(bound.name)


def is_whole_partition(window: exp.Expr) -> bool:
    """Whether the frame of every row is its partition, whatever the order."""
    spec = window.args.get("spec")
    if spec is None:
        return window.args.get("order") is None
    edges = (spec.args.get("start"), spec.args.get("end"))
    sides = (spec.args.get("start_side"), spec.args.get("end_side"))
    unbounded = edges == ("UNBOUNDED", "UNBOUNDED") and sides == ("PRECEDING", "FOLLOWING")
    return unbounded and not spec.args.get("exclude")
