"""The conversation with peers and their lines in a report, over peers of a few lines of code."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.model import load_model
from benchmarks.peers import peer
from benchmarks.peers.peer import start_peer
from benchmarks.peers.race import Race
from benchmarks.peers.systems import SYSTEMS, System, systems_for
from benchmarks.peers.task import Question, Task, task_of
from benchmarks.peers.worker import common_prefix
from benchmarks.workloads import question, workloads
from sqlax.models.fake import FakeModel
from sqlax.models.registry.lookup import resolve

LABELS = ("yes", "no")
FIRST_LABEL = "serve(lambda task: lambda rows: [0 for _ in task['prompts'][:rows]])"
LENGTHS = "serve(lambda task: lambda rows: [len(p) % 2 for p in task['prompts'][:rows]])"
SAME_TEXT = "serve(lambda task: lambda rows: [t[:task['tokens']] for t in task['texts'][:rows]])"
SAME_TOKENS = "serve(lambda task: lambda n: [p[:task['tokens']] for p in task['prompts'][:n]])"
NO_LIBRARY = "import a_library_that_is_not_there"
ENDS_IN_A_RUN = "serve(lambda task: lambda rows: exit('out of memory'))"
OURS = {"workload": "W1", "rows": 8, "seconds": 4.0, "tokens": 80}

Install = Callable[..., None]


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Install:
    """Adds a peer of a few lines; the real ones are left out."""
    monkeypatch.setattr(peer, "HOME", tmp_path)
    for name in [*SYSTEMS]:
        monkeypatch.delitem(SYSTEMS, name)

    def add(name: str, code: str, **fields: Any) -> None:
        text = f"from benchmarks.peers.worker import serve\n{code}\n"
        (tmp_path / f"{name}.py").write_text(text, "utf-8")
        system = System(str(tmp_path), f"{name}.py", is_own=True, **fields)
        monkeypatch.setitem(SYSTEMS, name, system)

    return add


def labelling(rows: int = 8) -> Task:
    """Rows of one token more each."""
    prompts = tuple([1] * (row + 1) for row in range(rows))
    question = Question("", "", LABELS)
    return Task("model.gguf", "", question, ("",) * rows, prompts, (5, 6))


def writing(model: FakeModel, texts: tuple[str, ...]) -> Task:
    return task_of(Question("", "", tokens=2), "", texts, Path("model.gguf"), model.tokenizer)


def lines(task: Task, model: FakeModel, answers: list[str], runs: int = 3) -> list[dict[str, Any]]:
    with Race(task, model.tokenizer) as race:
        for _ in range(runs):
            race.run()
        return race.lines(OURS, answers, [LABELS[0]] * len(answers))


def test_a_peer_that_chooses_labels_has_speed_accuracy_and_equal_answers(
    install: Install, model: FakeModel
) -> None:
    install("lengths", LENGTHS)
    (line,) = lines(labelling(), model, ["yes"] * 2 + ["no"] * 6)
    assert (line["workload"], line["system"], line["rows"]) == ("W1", "lengths", 8)
    assert (line["accuracy"], line["equal_answers"]) == (0.5, 0.5)
    assert line["rows_per_second"] == pytest.approx(8 / line["seconds"])
    assert line["tokens_per_second"] == pytest.approx(80 / line["seconds"])
    assert line["relative_throughput"] == pytest.approx(line["seconds"] / 4)
    assert line["peak_rss_bytes"] > 2**20
    assert line["start_seconds"] >= 0
    assert len(line["runs"]) == 3
    assert "written_per_second" not in line


def test_a_slow_peer_gets_the_first_rows_and_their_tokens(
    install: Install, model: FakeModel
) -> None:
    install("slow", FIRST_LABEL, part=4)
    (line,) = lines(labelling(), model, ["yes", "no"] + ["no"] * 6)
    assert (line["rows"], line["equal_answers"]) == (2, 0.5)
    assert line["tokens_per_second"] == pytest.approx(20 / line["seconds"])
    assert line["relative_throughput"] == pytest.approx(2 / (2 / line["seconds"]))


def test_the_first_run_is_over_a_part_of_the_rows(install: Install, model: FakeModel) -> None:
    install("counts", "serve(lambda task: lambda rows: [rows % 2] * rows)")
    for rows, warm_up in ((8, 8), (100, 64), (1000, 125)):
        with Race(labelling(rows), model.tokenizer) as race:
            for asked in (warm_up, rows, rows):
                race.run()
                assert race.lines(OURS, ["no"] * rows)[0]["rows"] == asked


def test_only_the_systems_that_are_named_take_part(install: Install, model: FakeModel) -> None:
    install("one", FIRST_LABEL)
    install("other", FIRST_LABEL)
    with Race(labelling(), model.tokenizer, ("other",)) as race:
        race.run()
        assert [line["system"] for line in race.lines(OURS, ["yes"] * 8)] == ["other"]


@pytest.mark.parametrize("code", [SAME_TEXT, SAME_TOKENS], ids=["text", "token ids"])
def test_a_peer_may_write_texts_or_token_ids(install: Install, model: FakeModel, code: str) -> None:
    install("writer", code)
    (line,) = lines(writing(model, ("abc", "def")), model, ["ab", "xx"])
    assert line["equal_answers"] == 0.5
    assert line["written_per_second"] == pytest.approx(4 / line["seconds"])


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (NO_LIBRARY, "ended with status 1: ModuleNotFoundError: No module named 'a_library_"),
        (ENDS_IN_A_RUN, "ended with status 1: out of memory"),
        ("exit(3)", "ended with status 3: no reason given"),
    ],
    ids=["no library", "ends in a run", "no reason"],
)
def test_a_peer_that_ends_has_a_line_with_its_last_words(
    install: Install, model: FakeModel, code: str, reason: str
) -> None:
    install("gone", code)
    install("here", FIRST_LABEL)
    gone, here = lines(labelling(), model, ["yes"] * 8)
    assert gone.keys() == {"workload", "system", "missing"}
    assert gone["missing"].startswith(reason)
    assert here["equal_answers"] == 1.0


def test_what_a_peer_cannot_do_it_is_not_asked(install: Install, model: FakeModel) -> None:
    install("chooser", FIRST_LABEL, kinds=("label",))
    install("writer", SAME_TEXT, kinds=("write",))
    assert (systems_for("label"), systems_for("write")) == (("chooser",), ("writer",))


def test_a_label_of_several_tokens_is_refused(model: FakeModel) -> None:
    with pytest.raises(ValueError, match="labels of one token; 'yes' has 3"):
        task_of(Question("", "", LABELS), "", ("a",), Path("m"), model.tokenizer)


@pytest.mark.parametrize(
    ("rows", "length"),
    [([[1, 2, 3], [1, 2, 4]], 2), ([[1, 2], [1, 2]], 1), ([[1], [1, 2]], 0), ([[2, 1], [1, 1]], 0)],
    ids=["differ", "equal", "short", "nothing"],
)
def test_a_common_prefix_leaves_each_row_a_token(rows: list[list[int]], length: int) -> None:
    assert common_prefix(rows) == length


@pytest.mark.parametrize("system", SYSTEMS.values(), ids=SYSTEMS)
def test_every_peer_can_be_found_and_installed(system: System) -> None:
    assert (peer.HERE / system.folder / system.script).exists()
    assert system.is_own or (peer.HERE / system.folder / "requirements.txt").exists()


@pytest.mark.slow
@pytest.mark.real_model
def test_sqlax_in_split_mode_is_a_peer(default_model: str) -> None:
    loaded, texts = load_model(default_model), ("a good film", "a bad film")
    (workload,) = workloads("W1")
    task = task_of(question("W1"), workload.sql, texts, resolve(default_model), loaded.tokenizer)
    split = start_peer("sqlax split", task)
    split.run()
    split.close()
    assert split.answers == [0, 1]
