"""Runs random queries in all modes and collects what differs."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import jax

from tests.fuzz.case import Case, Failure
from tests.fuzz.compare import Answer, difference
from tests.fuzz.draw import Draw
from tests.fuzz.engines import MODES, Engines
from tests.fuzz.oracle import InvalidQueryError
from tests.fuzz.planning import MIXED, is_mixed
from tests.fuzz.queries import random_query
from tests.fuzz.tables import Table, random_tables

QUERIES_A_ROUND = 25
"""Queries over the same random tables."""
_ROUNDS_IN_MEMORY = 8
"""Compiled operations take gigabytes: after so many rounds they are dropped, and read from disk."""


@dataclass(frozen=True)
class Plan:
    """What to run.

    Attributes:
        count: how many queries.
        seed: decides tables and queries; with a query's number it decides that query.
        modes: where their parts run.
        semantic: the share of queries that ask the fake model.
        compiled: the share of programs that are compiled.
        first: the first query's number.
        job: which of the `jobs` this one is; each runs a part of the rounds.
        jobs: how many run at once.
    """

    count: int
    seed: int
    modes: Sequence[str] = (*MODES, MIXED)
    semantic: float = 0.04
    compiled: float = 0.02
    first: int = 0
    job: int = 0
    jobs: int = 1

    def rounds(self) -> Iterator[tuple[int, range]]:
        """Each of the job's rounds with the numbers of its queries."""
        end = self.first + self.count
        for number in range(self.first // QUERIES_A_ROUND, -(-end // QUERIES_A_ROUND)):
            begin = number * QUERIES_A_ROUND
            if number % self.jobs == self.job:
                yield number, range(max(begin, self.first), min(begin + QUERIES_A_ROUND, end))


@dataclass
class Tally:
    """What was run.

    Attributes:
        queries: how many.
        seconds: of each mode.
        mixed: how many plans of each mode had parts both in DuckDB and in the graph.
        answers: how many were errors, had no rows, or had some.
        failures: what differed.
    """

    queries: int = 0
    seconds: dict[str, float] = field(default_factory=dict)
    mixed: Counter[str] = field(default_factory=Counter)
    answers: Counter[str] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        """Add what another job has run."""
        self.queries += other.queries
        self.mixed += other.mixed
        self.answers += other.answers
        self.failures += other.failures
        for mode, seconds in other.seconds.items():
            self.seconds[mode] = self.seconds.get(mode, 0.0) + seconds


def run(plan: Plan, on_failure: Callable[[Failure], None] | None = None) -> Tally:
    """Run a job's queries in all modes.

    Args:
        plan: how many, and of what kind.
        on_failure: called for each difference as soon as it is found.
    """
    tally = Tally()
    for done, (number, places) in enumerate(plan.rounds(), 1):
        tables = random_tables(Draw(f"{plan.seed}:tables {number}"))
        with Engines(tables) as engines:
            for place in places:
                for failure in _query(plan, place, tables, engines, tally):
                    tally.failures.append(failure)
                    if on_failure is not None:
                        on_failure(failure)
        if done % _ROUNDS_IN_MEMORY == 0:
            jax.clear_caches()  # type: ignore[no-untyped-call]
    return tally


def _query(
    plan: Plan, number: int, tables: tuple[Table, ...], engines: Engines, tally: Tally
) -> Iterator[Failure]:
    name = f"{plan.seed}:{number}"
    draw = Draw(name)
    semantic, compiled = draw.chance(plan.semantic), draw.chance(plan.compiled)
    sql, expected = _valid(draw, tables, engines, semantic)
    tally.queries += 1
    tally.answers[_kind(expected)] += 1
    for mode in plan.modes:
        exact = f"{MIXED}:{name}" if mode == MIXED else mode
        what = difference(expected, _timed(engines, sql, exact, compiled, tally))
        if what is not None:
            yield Failure(name, Case(tables, sql), exact, compiled, what)


def _valid(
    draw: Draw, tables: tuple[Table, ...], engines: Engines, semantic: bool
) -> tuple[str, Answer]:
    """The first query that DuckDB can bind and has one answer to."""
    while True:
        sql = random_query(draw, tables, semantic)
        try:
            return sql, engines.expected(sql)
        except InvalidQueryError:
            continue


def _timed(engines: Engines, sql: str, mode: str, compiled: bool, tally: Tally) -> Answer:
    begin, kind = time.perf_counter(), mode.partition(":")[0]
    got = engines.answer(sql, mode, compiled=compiled)
    tally.seconds[kind] = tally.seconds.get(kind, 0.0) + time.perf_counter() - begin
    if engines.planner.last is not None:
        tally.mixed[kind] += is_mixed(engines.planner.last)
    return got


def _kind(answer: Answer) -> str:
    if answer.error is not None:
        return "errors"
    return "with rows" if answer.rows else "without rows"
