"""Command lines, samples of data, and the tables in the README."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from benchmarks import operators, table
from benchmarks.arguments import argument_parser, write_report
from benchmarks.selectivity import hundredths
from benchmarks.sembench import read_queries
from benchmarks.snippets import load_snippets
from benchmarks.workloads import check_instruction
from sqlax.models.fake import FakeModel


def test_defaults_are_five_warm_runs_of_the_default_model() -> None:
    given = argument_parser("quality", None).parse_args(["--json", "out.json"])
    assert (given.repeats, given.rows, given.model) == (5, None, "smollm2-135m-instruct")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param([], "--json", id="no-file"),
        pytest.param(["--json", "x", "--workload", "W9"], "W9", id="unknown-workload"),
        pytest.param(
            ["--json", "x", "--workload", "W1", "--rows", "0"], "not a positive", id="no-rows"
        ),
    ],
)
def test_bad_arguments_are_refused(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        operators.main(arguments)
    assert message in capsys.readouterr().err


def test_query_numbers() -> None:
    assert read_queries("1-4,8-10") == (1, 2, 3, 4, 8, 9, 10)


@pytest.mark.parametrize("text", ["7", "1-5", "a", "", "4-"])
def test_unknown_queries_are_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match=r"no query|no list"):
        read_queries(text)


def test_w1b_refuses_a_model_that_reads_other_tokens() -> None:
    with pytest.raises(ValueError, match="an instruction of 120 tokens"):
        check_instruction("W1b", FakeModel({}))


def test_a_sample_is_balanced_and_part_of_a_larger_one(data: Path) -> None:
    large, small = load_snippets(data, 8), load_snippets(data, 4)
    assert sum(small.positive) == 2
    assert small.texts == large.texts[:4]
    assert any("café" in text for text in large.texts)
    assert all(text == text.strip() for text in large.texts)


def test_each_hundredth_stands_equally_often() -> None:
    numbers = hundredths(1000)
    assert [sum(g < share for g in numbers) for share in (1, 10, 50, 100)] == [10, 100, 500, 1000]


def test_a_report_becomes_a_table(tmp_path: Path) -> None:
    line = {"task": "AI_IF", "system": "sqlax", "metric": "auc", "value": 0.8125, "rows": 1000}
    write_report(
        tmp_path / "quality.json",
        "quality",
        ["--json", "x y"],
        {"results": [{**line, "answered": 9}]},
    )
    readme = tmp_path / "README.md"
    readme.write_text(f"before\n{table.BEGIN}\nold\n{table.END}\nafter\n", "utf-8")
    table.main(["--results", str(tmp_path), "--readme", str(readme)])
    text = readme.read_text("utf-8")
    assert text.startswith("before\n")
    assert text.endswith("\nafter\n")
    assert "old" not in text
    assert (
        "| AI_IF | sqlax | auc | 0.812 | 1,000 | 9 | `python -m benchmarks.quality --json 'x y'`"
        in text
    )


def test_a_report_says_where_it_comes_from(tmp_path: Path) -> None:
    write_report(tmp_path / "new" / "r.json", "quality", [], {"results": []})
    report = json.loads((tmp_path / "new" / "r.json").read_text("utf-8"))
    assert list(report) == ["benchmark", "command", "machine", "commit", "date", "results"]
    assert report["machine"].keys() >= {"cpu", "cores", "bf16", "jax"}


def test_a_document_without_markers_is_refused() -> None:
    with pytest.raises(ValueError, match="there is no <!-- end of results"):
        table.put_between_markers(f"text {table.BEGIN} text", "table")


def test_the_readme_has_the_markers() -> None:
    assert "x" in table.put_between_markers(table.README.read_text("utf-8"), "x")
