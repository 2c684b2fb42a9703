"""The fields of each benchmark's report, over a few rows and a model that is a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import sqlax
from benchmarks import new_process, operators, quality, selectivity, sembench
from benchmarks.movie import LEAKS, Gold, store_movie
from benchmarks.peers.race import Race
from benchmarks.roof import Roof
from benchmarks.sembench_scoring import score
from benchmarks.sembench_texts import numbers, text_of
from benchmarks.snippets import load_snippets
from benchmarks.workloads import workloads
from sqlax.compiler.sql.tokens import Dialect
from sqlax.models.fake import FakeModel

OPERATOR_FIELDS = {
    *("workload", "system", "rows", "seconds", "compile_seconds", "rows_per_second"),
    *("tokens_per_second", "roof_share", "accuracy", "peak_rss_bytes"),
}
SEMBENCH_FIELDS = {
    *("query", "seconds", "compile_seconds", "metric", "quality"),
    *("rows", "calls", "tokens_prefilled", "tokens_reused"),
}


def test_operators_time_every_row_of_w1(data: Path, model: FakeModel) -> None:
    report = operators.measure("W1", model, data, rows=8, repeats=1)
    (line,) = report["results"]
    assert report["roof_gflops"] > 0
    assert line.keys() >= OPERATOR_FIELDS
    assert (line["workload"], line["rows"], line["accuracy"]) == ("W1", 8, 1.0)
    assert line["traces"] == 1
    assert line["phases"]["program"] > 0


def test_a_new_process_says_what_it_answered(data: Path, model: FakeModel) -> None:
    (query,), snippets = workloads("W1"), load_snippets(data, 8)
    rows = list(enumerate(snippets.texts))
    said = new_process.answer({"model": model, "sql": query.sql, "rows": rows})
    answered = new_process.Answered(1.0, **said)
    assert answered.positive == list(snippets.positive)
    assert answered.compile_seconds > 0


def test_w3_asks_about_all_films_and_about_one(data: Path, model: FakeModel) -> None:
    whole, one = workloads("W3")
    assert (whole.movie, one.movie) == (None, "taken_3")
    with sqlax.connect(model=model) as connection:
        store_movie(connection, data)
        sentiments = Gold(data).sentiments()
        race = Race(None, model.tokenizer)
        (line,) = operators.measure_lines(connection, one, sentiments, Roof(), 1, race)
    assert (line["workload"], line["rows"], line["accuracy"]) == ("W3 taken_3", 3, 1.0)


def test_selectivity_traces_once_where_the_graph_filters(data: Path, model: FakeModel) -> None:
    lines = selectivity.measure("graph", model, load_snippets(data, 8), repeats=1)
    assert [(line["share"], line["rows"]) for line in lines] == [(1, 1), (10, 1), (50, 4), (100, 8)]
    assert [line["traces"] for line in lines] == [0, 0, 0, 1]
    assert {line["warm_traces"] for line in lines} == {0}
    assert lines[-1]["relative_seconds"] == 1.0


def test_quality_of_a_model_that_is_always_right(data: Path, model: FakeModel) -> None:
    prompt = f"AI_SCORE({quality.QUESTION}, examples => {quality.EXAMPLES})"
    line = quality.auc_line("task", prompt, model, load_snippets(data, 8))
    assert line.keys() >= {"task", "system", "metric", "value"}
    assert (line["metric"], line["value"], line["answered"]) == ("auc", 1.0, 8)


@pytest.mark.parametrize(
    ("query", "dialect", "metrics"),
    [
        pytest.param(9, "duckdb", ["spearman", "kendall"], id="duckdb"),
        pytest.param(1, "bigquery", ["f1_at_limit"], id="bigquery"),
    ],
)
def test_sembench_has_a_line_for_each_metric(
    data: Path, model: FakeModel, query: int, dialect: Dialect, metrics: list[str]
) -> None:
    with sqlax.connect(model=model, dialect=dialect) as connection:
        store_movie(connection, data)
        lines = sembench.measure(query, connection, Gold(data), repeats=1)
    assert all(line.keys() >= SEMBENCH_FIELDS for line in lines)
    assert [line["metric"] for line in lines] == metrics
    assert all(abs(line["quality"]) == 1.0 for line in lines)


@pytest.mark.parametrize(
    ("query", "rows", "expected"),
    [
        pytest.param(1, [(2,), (2,), (3,)], {"f1_at_limit": 1.0}, id="Q1"),
        pytest.param(2, [(2,), (1,)], {"f1_at_limit": 0.5}, id="Q2"),
        pytest.param(3, [(3,)], {"relative_error": 0.5}, id="Q3"),
        pytest.param(4, [(1.0,)], {"relative_error": 0.5}, id="Q4"),
        pytest.param(8, [("POSITIVE", 3)], {"mean_relative_error": 0.75}, id="Q8"),
        pytest.param(9, [(3, 5.0), (4, 1.0)], {"spearman": 1.0, "kendall": 1.0}, id="Q9"),
        pytest.param(
            10,
            [("taken_3", 2.0), ("other", 3.0), ("ant_man_and_the_wasp_quantumania", 4.0)],
            {"spearman": 0.5, "kendall": 1 / 3},
            id="Q10",
        ),
    ],
)
def test_sembench_scores(
    data: Path, query: int, rows: list[tuple[Any, ...]], expected: dict[str, float]
) -> None:
    assert score(query, rows, Gold(data)) == pytest.approx(expected)


@pytest.mark.parametrize("dialect", ["duckdb", "bigquery"])
@pytest.mark.parametrize("query", numbers())
def test_every_text_is_planned(data: Path, model: FakeModel, query: int, dialect: Dialect) -> None:
    with sqlax.connect(model=model, dialect=dialect) as connection:
        store_movie(connection, data)
        assert connection.compile(text_of(query, dialect)).plan_hash()


def test_a_query_cannot_see_the_gold_columns(data: Path, model: FakeModel) -> None:
    with sqlax.connect(model=model) as connection:
        store_movie(connection, data)
        described: Any = connection.duckdb.execute("SELECT * FROM Reviews LIMIT 0").description
    assert not {name for name, *_ in described} & set(LEAKS)
