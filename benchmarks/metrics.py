"""Measures of quality, exact and without dependencies. A row without an answer holds None."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Mapping, Sequence
from itertools import combinations


def accuracy(said: Sequence[object], gold: Sequence[object]) -> float:
    """The share of rows whose answer is the gold one; no answer is a wrong one."""
    return sum(a == b for a, b in zip(said, gold, strict=True)) / len(gold)


def auc(scores: Sequence[float], positive: Sequence[bool]) -> float:
    """The chance that a positive row scores above a negative one, a tie counting half.

    NaN where one of the two classes has no row.
    """
    ones = sum(positive)
    zeros = len(positive) - ones
    if not ones or not zeros:
        return math.nan
    rank_sum = sum(rank for rank, one in zip(ranks(scores), positive, strict=True) if one)
    return (rank_sum - ones * (ones + 1) / 2) / (ones * zeros)


def ranks(values: Sequence[float]) -> list[float]:
    """Each value's place in ascending order, from 1; equal values share their mean place."""
    places: dict[float, list[int]] = {}
    for place, value in enumerate(sorted(values), start=1):
        places.setdefault(value, []).append(place)
    return [sum(places[value]) / len(places[value]) for value in values]


def spearman(x: Sequence[float], y: Sequence[float]) -> float:
    """Pearson's correlation of the ranks; NaN where one side is constant."""
    a, b = _centred(ranks(x)), _centred(ranks(y))
    scale = math.sqrt(sum(v * v for v in a) * sum(v * v for v in b))
    return sum(u * v for u, v in zip(a, b, strict=True)) / scale if scale else math.nan


def kendall(x: Sequence[float], y: Sequence[float]) -> float:
    """Kendall's tau-b, which allows for ties; NaN where one side is constant."""
    concordance = in_x = in_y = 0
    for (a, b), (c, d) in combinations(zip(x, y, strict=True), 2):
        first, second = _sign(a - c), _sign(b - d)
        concordance += first * second
        in_x += first * first
        in_y += second * second
    return concordance / math.sqrt(in_x * in_y) if in_x and in_y else math.nan


def f1_at_limit(returned: Sequence[Hashable], gold: Collection[Hashable], wanted: int) -> float:
    """F1 of a query with a LIMIT, which need not find every gold row.

    Precision is the share of returned rows that are gold. Recall is the number of returned gold
    rows over `wanted`, the smaller of the limit and the number of gold rows.
    """
    hits = sum(row in gold for row in returned)
    if not hits:
        return 0.0
    precision, recall = hits / len(returned), hits / wanted
    return 2 * precision * recall / (precision + recall)


def relative_error(value: float | None, gold: float) -> float:
    """How far a number is from the gold one, as a share of the gold one; no number counts as 0.

    NaN where the gold number is 0.
    """
    if not gold:
        return math.nan
    return abs((value or 0.0) - gold) / abs(gold)


def mean_relative_error(values: Mapping[str, float], gold: Mapping[str, float]) -> float:
    """The mean of `relative_error` over the gold groups; a group that is missing counts as 0."""
    return sum(relative_error(values.get(name), gold[name]) for name in gold) / len(gold)


def defined(value: float) -> float | None:
    """The value as JSON can hold it: None for NaN."""
    return None if math.isnan(value) else value


def _centred(values: Sequence[float]) -> list[float]:
    mean = sum(values) / len(values)
    return [value - mean for value in values]


def _sign(difference: float) -> int:
    return (difference > 0) - (difference < 0)
