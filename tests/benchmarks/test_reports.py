"""The fields of each benchmark's report, over a few rows and a model that is a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import sqlax
from benchmarks import operators, quality, selectivity, sembench
from benchmarks.movie import LEAKS, Gold, store_movie
from benchmarks.snippets import load_snippets
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


def test_w3_has_a_line_for_all_films_and_one_for_a_film(data: Path, model: FakeModel) -> None:
    lines = operators.measure("W3", model, data, rows=None, repeats=1)["results"]
    found = [(line["workload"], line["rows"], line["accuracy"]) for line in lines]
    assert found == [("W3", 6, 1.0), ("W3 taken_3", 3, 1.0)]


def test_selectivity_traces_once_where_the_graph_filters(data: Path, model: FakeModel) -> None:
    lines = selectivity.measure("graph", model, load_snippets(data, 8), repeats=1)
    assert [(line["share"], line["rows"]) for line in lines] == [(1, 1), (10, 1), (50, 4), (100, 8)]
    assert {line["traces"] for line in lines} == {1}
    assert lines[-1]["relative_seconds"] == 1.0


def test_quality_of_a_model_that_is_always_right(data: Path, model: FakeModel) -> None:
    snippets = load_snippets(data, 8)
    right = quality.accuracy_line("task", quality.CLASSIFY, model, snippets)
    assert right.keys() >= {"task", "system", "metric", "value"}
    assert (right["metric"], right["value"], right["answered"]) == ("accuracy", 1.0, 8)
    ranked = quality.auc_line("task", f"AI_SCORE({quality.QUESTION})", model, snippets)
    assert (ranked["metric"], ranked["value"]) == ("auc", 1.0)


@pytest.mark.parametrize("dialect", ["duckdb", "bigquery"])
def test_sembench_counts_what_it_finds(data: Path, model: FakeModel, dialect: Dialect) -> None:
    with sqlax.connect(model=model, dialect=dialect) as connection:
        store_movie(connection, data)
        gold = Gold(data)
        found = {query: sembench.measure(query, connection, gold, 1) for query in (1, 8, 9)}
    lines = [line for query in found.values() for line in query]
    assert all(line.keys() >= SEMBENCH_FIELDS for line in lines)
    assert [(line["metric"], line["quality"]) for line in lines[:2]] == [
        ("f1_at_limit", 1.0),
        ("mean_relative_error", 0.0),
    ]
    assert [line["metric"] for line in found[9]] == ["spearman", "kendall"]


def test_a_query_cannot_see_the_gold_columns(data: Path, model: FakeModel) -> None:
    with sqlax.connect(model=model) as connection:
        store_movie(connection, data)
        described: Any = connection.duckdb.execute("SELECT * FROM Reviews LIMIT 0").description
    assert not {name for name, *_ in described} & set(LEAKS)
