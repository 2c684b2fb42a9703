"""Each measure against values worked out elsewhere."""

from __future__ import annotations

import math

import pytest

from benchmarks.metrics import (
    accuracy,
    auc,
    defined,
    f1_at_limit,
    kendall,
    mean_relative_error,
    ranks,
    relative_error,
    spearman,
)


def test_accuracy_counts_a_missing_answer_as_wrong() -> None:
    assert accuracy([True, None, False, True], [True, False, False, False]) == 0.5


@pytest.mark.parametrize(
    ("scores", "positive", "expected"),
    [
        pytest.param([0.1, 0.4, 0.35, 0.8], [False, False, True, True], 0.75, id="one-swap"),
        pytest.param([1.0, 2.0], [False, True], 1.0, id="perfect"),
        pytest.param([2.0, 1.0], [False, True], 0.0, id="inverse"),
        pytest.param([1.0, 1.0, 1.0], [True, False, True], 0.5, id="all-tied"),
        pytest.param([1.0, 2.0, 2.0, 3.0], [False, True, False, True], 0.875, id="one-tie"),
    ],
)
def test_auc(scores: list[float], positive: list[bool], expected: float) -> None:
    assert auc(scores, positive) == pytest.approx(expected)


def test_auc_of_one_class_is_nan() -> None:
    assert math.isnan(auc([1.0, 2.0], [True, True]))


def test_ranks_of_ties_are_their_mean() -> None:
    assert ranks([10.0, 20.0, 10.0, 30.0]) == [1.5, 3.0, 1.5, 4.0]


# The expected values are those of scipy.stats.spearmanr and scipy.stats.kendalltau.
CORRELATIONS = [
    pytest.param(
        [1, 2, 3, 4, 5], [5, 6, 7, 8, 7], 0.8207826816681233, 0.7378647873726218, id="tie"
    ),
    pytest.param(
        [12, 2, 1, 12, 2],
        [1, 4, 7, 1, 0],
        -0.5407380704358752,
        -0.4714045207910316,
        id="ties-in-both",
    ),
    pytest.param([1, 2, 3], [4, 5, 6], 1.0, 1.0, id="same-order"),
    pytest.param([1, 2, 3], [6, 5, 4], -1.0, -1.0, id="opposite-order"),
]


@pytest.mark.parametrize(("x", "y", "rho", "tau"), CORRELATIONS)
def test_rank_correlations(x: list[float], y: list[float], rho: float, tau: float) -> None:
    assert spearman(x, y) == pytest.approx(rho)
    assert kendall(x, y) == pytest.approx(tau)


@pytest.mark.parametrize("measure", [spearman, kendall], ids=lambda measure: measure.__name__)
def test_a_constant_side_has_no_correlation(measure: object) -> None:
    assert callable(measure)
    assert math.isnan(measure([1.0, 1.0], [1.0, 2.0]))


@pytest.mark.parametrize(
    ("returned", "expected"),
    [
        pytest.param([1, 2, 3, 4, 5], 1.0, id="all-gold"),
        pytest.param([1, 2, 8, 9, 10], 0.4, id="two-of-five"),
        pytest.param([1, 2], 2 * 1.0 * 0.4 / 1.4, id="too-few"),
        pytest.param([], 0.0, id="none"),
        pytest.param([8], 0.0, id="no-hit"),
    ],
)
def test_f1_at_limit(returned: list[int], expected: float) -> None:
    assert f1_at_limit(returned, {1, 2, 3, 4, 5, 6, 7}, wanted=5) == pytest.approx(expected)


def test_relative_error() -> None:
    assert relative_error(21, 14) == 0.5
    assert relative_error(None, 14) == 1.0
    assert defined(relative_error(3, 0)) is None


def test_a_missing_group_counts_as_zero() -> None:
    assert mean_relative_error({"a": 5.0}, {"a": 10.0, "b": 4.0}) == 0.75
