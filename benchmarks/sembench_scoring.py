"""How far the result of each SemBench query is from the right one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from benchmarks.metrics import (
    f1_at_limit,
    kendall,
    mean_relative_error,
    relative_error,
    spearman,
)
from benchmarks.movie import QUIET_MOVIE, RATED_MOVIE, Gold
from benchmarks.sembench_texts import LIMIT

Rows = list[tuple[Any, ...]]
Qualities = dict[str, float]
"""A figure for each metric."""


def score(query: int, rows: Rows, gold: Gold) -> Qualities:
    """The metrics that SemBench names for a query."""
    return _SCORING[query](rows, gold)


def _all_reviews(rows: Rows, gold: Gold) -> Qualities:
    return _limited(rows, gold.positive())


def _one_movie(rows: Rows, gold: Gold) -> Qualities:
    return _limited(rows, gold.positive(QUIET_MOVIE))


def _limited(rows: Rows, positive: list[int]) -> Qualities:
    wanted = min(LIMIT, len(positive))
    return {"f1_at_limit": f1_at_limit([review for (review,) in rows], set(positive), wanted)}


def _count(rows: Rows, gold: Gold) -> Qualities:
    return {"relative_error": relative_error(rows[0][0], len(gold.positive(QUIET_MOVIE)))}


def _share(rows: Rows, gold: Gold) -> Qualities:
    right = len(gold.positive(QUIET_MOVIE)) / gold.reviews(QUIET_MOVIE)
    return {"relative_error": relative_error(rows[0][0], right)}


def _groups(rows: Rows, gold: Gold) -> Qualities:
    positive = len(gold.positive(QUIET_MOVIE))
    right = {"POSITIVE": positive, "NEGATIVE": gold.reviews(QUIET_MOVIE) - positive}
    return {"mean_relative_error": mean_relative_error(dict(rows), right)}


def _ratings(rows: Rows, gold: Gold) -> Qualities:
    return _correlations(rows, gold.ratings(RATED_MOVIE))


def _movies(rows: Rows, gold: Gold) -> Qualities:
    return _correlations(rows, gold.audience())


def _correlations(rows: Rows, gold: Mapping[Any, float]) -> Qualities:
    """Over the rows with a score on both sides."""
    pairs = [(said, gold[key]) for key, said in rows if said is not None and key in gold]
    said, right = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    return {"spearman": spearman(said, right), "kendall": kendall(said, right)}


_SCORING: dict[int, Callable[[Rows, Gold], Qualities]] = {
    1: _all_reviews,
    2: _one_movie,
    3: _count,
    4: _share,
    8: _groups,
    9: _ratings,
    10: _movies,
}
