"""The fields of W2's and of the paper's report, over a few rows and a model that is a table."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

import sqlax
from benchmarks import paper
from benchmarks.mixed import mixed_lines
from benchmarks.peers import peer
from benchmarks.peers.race import Race
from benchmarks.peers.systems import SYSTEMS
from benchmarks.peers.task import Rivals
from benchmarks.writing import TOKENS, measure_writing
from sqlax.models.fake import FakeModel

MISSING = {
    "llama.cpp row by row": "not installed: benchmarks/peers/install.sh llama_cpp",
    "llama.cpp batched": "not installed: benchmarks/peers/install.sh llama_cpp",
    "transformers": "not installed: benchmarks/peers/install.sh transformers",
    "vLLM": "not installed: benchmarks/peers/install.sh vllm",
}


def test_w2_writes_exactly_so_many_tokens_and_names_missing_peers(
    data: Path, model: FakeModel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(peer, "HOME", tmp_path)
    monkeypatch.delitem(SYSTEMS, "sqlax split")  # it needs weights
    report = measure_writing(model, Rivals(data / "weights.gguf"), data, rows=8, repeats=1)
    ours, *rest = report["results"]
    assert (ours["workload"], ours["rows"], ours["written_tokens"]) == ("W2", 8, 8 * TOKENS)
    assert 0 < ours["occupancy"] <= 1
    assert ours["unused_positions"] < 16 * 8
    assert {line["system"]: line["missing"] for line in rest} == MISSING


def test_mixed_lengths_stand_beside_their_mean(data: Path, model: FakeModel) -> None:
    with sqlax.connect(model=model) as connection:
        mixed, uniform = mixed_lines(connection, data, rows=8, repeats=1)
    assert (mixed["workload"], uniform["workload"][:3]) == ("W2 mixed", "W2 ")
    assert mixed["relative_throughput"] > 0


def test_a_race_without_peers_has_no_lines(model: FakeModel) -> None:
    with Race(None, model.tokenizer) as race:
        race.run()
        assert race.lines({}, []) == []


def test_the_paper_counts_passing_rows(data: Path, model: FakeModel) -> None:
    with sqlax.connect(model=model) as connection:
        paper.store(connection, argparse.Namespace(data=data, rows=None))
        lines = paper.measure(connection, "A1", repeats=1)
    assert [line["passing"] for line in lines] == [6, 4, 1, 1, 0]
    assert [line["threshold"] for line in lines][:3] == [101, 70, 30]
    assert lines[0]["relative_seconds"] == 1.0


@pytest.mark.slow
def test_texts_stand_beside_those_of_mode_split(data: Path, model: FakeModel) -> None:
    with sqlax.connect(model=model) as connection:
        paper.store(connection, argparse.Namespace(data=data, rows=None))
        *ours, split = paper.measure(connection, "A3", repeats=1, is_split=True, most=1)
        (counted,) = paper.measure(connection, "A5", repeats=1)
    assert (split["system"], split["equal_answers"]) == ("sqlax split", 1.0)
    assert ours[0]["rows_per_second"] == 6 / ours[0]["seconds"]
    assert (counted["calls"], counted["stages"], counted["answer"]) == (5, 0, 0)


def test_names_of_the_papers_queries() -> None:
    assert paper.read_names("A1-A3,A5") == ("A1", "A2", "A3", "A5")


@pytest.mark.parametrize("text", ["A4", "A1-A5", "B", "", "A1,"])
def test_unknown_queries_of_the_paper_are_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match=r"no query|no list"):
        paper.read_names(text)
