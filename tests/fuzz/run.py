"""Runs random queries in all modes and collects what differs."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import jax

from sqlax.compiler.placement import Mode
from tests.fuzz.case import Case, Failure
from tests.fuzz.compare import Answer, difference
from tests.fuzz.draw import Draw
from tests.fuzz.engines import MODES, Engines
from tests.fuzz.oracle import InvalidQueryError
from tests.fuzz.queries import random_query
from tests.fuzz.tables import Table, random_tables

_QUERIES_A_ROUND = 25
"""Queries over the same random tables."""
_ROUNDS_IN_MEMORY = 4
"""Compiled operations are megabytes: after so many rounds they are dropped, and read from disk."""


@dataclass(frozen=True)
class Plan:
    """What to run.

    Attributes:
        count: how many queries.
        seed: decides tables and queries.
        modes: where their parts run.
        semantic: the share of queries that ask the fake model.
        compiled: the share of programs that are compiled.
    """

    count: int
    seed: int
    modes: Sequence[Mode] = MODES
    semantic: float = 0.04
    compiled: float = 0.02


@dataclass
class Tally:
    """What was run.

    Attributes:
        queries: how many DuckDB could bind.
        seconds: of each mode.
        answers: how many were errors, had no rows, or had some.
        failures: what differed.
    """

    queries: int = 0
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    answers: Counter[str] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)


def run(plan: Plan, on_failure: Callable[[Failure], None] | None = None) -> Tally:
    """Run `plan.count` queries in all modes.

    Args:
        plan: how many, and of what kind.
        on_failure: called for each difference as soon as it is found.
    """
    tally = Tally()
    number = 0
    while tally.queries < plan.count:
        tables = random_tables(Draw(f"{plan.seed}:{number}"))
        with Engines(tables) as engines:
            for failure in _round(plan, number, tables, engines, tally):
                tally.failures.append(failure)
                if on_failure is not None:
                    on_failure(failure)
        number += 1
        if number % _ROUNDS_IN_MEMORY == 0:
            jax.clear_caches()  # type: ignore[no-untyped-call]
    return tally


def _round(
    plan: Plan, number: int, tables: tuple[Table, ...], engines: Engines, tally: Tally
) -> Iterator[Failure]:
    for place in range(_QUERIES_A_ROUND):
        if tally.queries == plan.count:
            return
        name = f"{plan.seed}:{number}:{place}"
        draw = Draw(name)
        semantic, compiled = draw.chance(plan.semantic), draw.chance(plan.compiled)
        case = Case(tables, random_query(draw, tables, semantic))
        try:
            expected = engines.expected(case.sql)
        except InvalidQueryError:
            continue
        tally.queries += 1
        tally.answers[_kind(expected)] += 1
        for mode in plan.modes:
            begin = time.perf_counter()
            got = engines.answer(case.sql, mode, compiled=compiled)
            tally.seconds[mode] += time.perf_counter() - begin
            what = difference(expected, got)
            if what is not None:
                yield Failure(name, case, mode, compiled, what)


def _kind(answer: Answer) -> str:
    if answer.error is not None:
        return "errors"
    return "with rows" if answer.rows else "without rows"
