"""Which layout of a yes/no question does a model answer best in? The protocol of docs/quality.md.

python -m benchmarks.profile_search.blind FILE

Each layout is run through sqlax on texts of our own; no data of a benchmark is read.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import pyarrow as pa

import sqlax
from benchmarks.arguments import DEFAULT_MODEL
from benchmarks.metrics import auc
from benchmarks.model import load_model, with_profile
from sqlax.models.language_model import LanguageModel
from sqlax.models.profile import Layout, PromptProfile

HERE = Path(__file__).parent
BANKS: dict[str, Any] = json.loads((HERE / "banks.json").read_text("utf-8"))
NEUTRAL, OPINIONS = BANKS["neutral"], BANKS["opinions"]
CALIBRATIONS = {"neutral": NEUTRAL, "opinions": OPINIONS, "both": NEUTRAL + OPINIONS}
AFTER = {"The answer is": ".\n\n", "Answer:": "\n\n", "->": "\n\n"}
"""What follows the prompt, and what ends a solved example."""
WORDS = (("yes", "no"), ("true", "false"))
FINALISTS = 2

Scores = dict[tuple[str, str], float]
"""Log-odds of yes, by question and text."""
Marks = dict[str, float]
"""AUC, and the accuracy by the name of the calibration."""


class Form(NamedTuple):
    """What follows the prompt, and the words of the answer."""

    after: str
    words: tuple[str, str]

    def solved(self, rows: Sequence[Sequence[Any]]) -> str:
        """Rows of question, text and truth as one text of solved examples."""
        return "".join(
            f"{question.strip()} {text}\n{self.after} {self.words[not truth]}{AFTER[self.after]}"
            for question, text, truth in rows
        )

    def profile(self, bank: str) -> PromptProfile:
        """An uncalibrated profile that shows `bank` first."""
        layout = Layout(bank=bank, after=f"\n{self.after}", label=" {label}")
        return PromptProfile(predicate=layout, yes=self.words[0], no=self.words[1])


class Domain(NamedTuple):
    """A question with its texts and their right answers."""

    question: str
    texts: tuple[str, ...]
    truth: tuple[bool, ...]


class Bench(NamedTuple):
    """The model and all texts."""

    model: LanguageModel
    domains: tuple[Domain, ...]
    examples: list[list[list[Any]]]
    banks: dict[str, list[list[Any]]]

    def plain(self, form: Form, bank: str) -> Marks:
        """Without examples: means over the domains."""
        scores = ask(self.model, form.profile(form.solved(self.banks[bank])), self.domains)
        return mean([mark(domain, scores) for domain in self.domains])

    def shown(self, form: Form, bank: str, place: str) -> Marks:
        """With four examples before or after the bank: means over the sets, films only."""
        films = self.domains[0]
        marks = []
        for chosen in self.examples:
            parts = [[films.question, *example] for example in chosen], self.banks[bank]
            text = "".join(form.solved(p) for p in (parts if place == "before" else parts[::-1]))
            marks.append(mark(films, ask(self.model, form.profile(text), [films])))
        return mean(marks)


def ask(model: LanguageModel, profile: PromptProfile, domains: Sequence[Domain]) -> Scores:
    """The score of every text, and of every calibration text, under its domain's question."""
    pairs = [(d.question, text) for d in domains for text in (*d.texts, *CALIBRATIONS["both"])]
    questions, texts = zip(*pairs, strict=True)
    with sqlax.connect(model=with_profile(model, profile)) as connection:
        connection.register("given", pa.table({"question": questions, "text": texts}))
        connection.execute("CREATE TABLE asked AS FROM given")
        answers = connection.sql("SELECT question, text, AI_SCORE((question, text)) FROM asked")
        return {(q, text): math.log(p / (1 - p)) for q, text, p in answers.fetchall()}


def mark(domain: Domain, scores: Scores) -> Marks:
    """AUC and accuracies of a domain; a text is a yes at or above the calibration's mean."""
    own = [scores[domain.question, text] for text in domain.texts]
    marks = {"auc": auc(own, domain.truth)}
    for name, texts in CALIBRATIONS.items():
        bar = fmean(scores[domain.question, text] for text in texts)
        marks[name] = fmean((s >= bar) == right for s, right in zip(own, domain.truth, strict=True))
    return marks


def mean(marks: Sequence[Marks]) -> Marks:
    """The mean of each mark."""
    return {name: fmean(m[name] for m in marks) for name in marks[0]}


def load_bench(texts: Path = HERE / "opinions.json") -> Bench:
    """The default model, a file of texts and the banks."""
    given = json.loads(texts.read_text("utf-8"))
    solved = BANKS["predicate_bank"]
    banks = {"mixed": solved, "opinions": solved[4:], "none": []}
    domains = tuple(map(_domain, given["domains"]))
    return Bench(load_model(DEFAULT_MODEL), domains, given["examples"], banks)


def _domain(given: Mapping[str, Any]) -> Domain:
    sides = [(text, True) for text in given["positive"]]
    sides += [(text, False) for text in given["negative"]]
    texts = tuple(text for text, _ in sides)
    return Domain(given["question"], texts, tuple(good != given["reversed"] for _, good in sides))


def first_stage(bench: Bench) -> list[tuple[Form, Marks]]:
    """All forms with the mixed bank, without examples; the best first."""
    forms = [Form(after, words) for after in AFTER for words in WORDS]
    marks = [(form, show(bench.plain(form, "mixed"), form, "mixed")) for form in forms]
    return sorted(marks, key=lambda pair: -pair[1]["auc"] - max(pair[1][c] for c in CALIBRATIONS))


def second_stage(bench: Bench, form: Form, mixed: Marks) -> list[dict[str, Any]]:
    """A line for each bank, place of the examples and calibration."""
    lines: list[dict[str, Any]] = []
    for bank in bench.banks:
        plain = mixed if bank == "mixed" else show(bench.plain(form, bank), form, bank)
        for place in ("before", "after") if bank == "mixed" else ("before",):
            shown = show(bench.shown(form, bank, place), form, bank, place)
            lines += [_line(form, bank, place, c, plain, shown) for c in CALIBRATIONS]
    return lines


def candidate(bench: Bench, form: Form, bank: str, calibration: str) -> dict[str, Any]:
    """The line of one profile, with the user's examples before its bank."""
    plain = show(bench.plain(form, bank), form, bank)
    shown = show(bench.shown(form, bank, "before"), form, bank, "before")
    return _line(form, bank, "before", calibration, plain, shown)


def _line(
    form: Form, bank: str, place: str, calibration: str, plain: Marks, shown: Marks
) -> dict[str, Any]:
    figures = [plain["auc"], plain[calibration], shown["auc"], shown[calibration]]
    names = ("auc", "accuracy", "auc with examples", "accuracy with examples")
    chosen = {"after": form.after, "words": form.words, "bank": bank, "examples": place}
    rounded = {name: round(value, 4) for name, value in zip(names, figures, strict=True)}
    return {**chosen, "calibration": calibration, **rounded, "mean": round(fmean(figures), 4)}


def show(marks: Marks, *what: object) -> Marks:
    """Print the marks of a run, and give them back."""
    print(*what, {name: round(value, 3) for name, value in marks.items()}, flush=True)
    return marks


def main(arguments: Sequence[str]) -> None:
    """Run both stages and write what they gave; the best of the second comes first."""
    bench = load_bench()
    first = first_stage(bench)
    lines = [line for form, marks in first[:FINALISTS] for line in second_stage(bench, form, marks)]
    lines.sort(key=lambda line: -line["mean"])
    report = {"first": [{**form._asdict(), **marks} for form, marks in first], "second": lines}
    Path(arguments[0]).write_text(json.dumps(report, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
