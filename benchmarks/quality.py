"""How good are the answers of the default profile on film reviews it has never seen?

python -m benchmarks.quality --json FILE
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import sqlax
from benchmarks.arguments import argument_parser, write_report
from benchmarks.metrics import accuracy, auc, defined
from benchmarks.model import load_model, with_profile
from benchmarks.snippets import Snippets, load_snippets
from sqlax.models.language_model import LanguageModel
from sqlax.models.profile import PromptProfile

EXAMPLES = """[
  ('The best thing I have seen all year.', TRUE),
  ('A waste of good actors.', FALSE),
  ('Clumsy, loud and far too long.', FALSE),
  ('Moving, funny and over too soon.', TRUE)
]"""
"""Written for this benchmark; none is from its data."""

CLASSIFY = (
    "AI_CLASSIFY(text, ['positive', 'negative'], "
    "task_description => 'the sentiment of a review') = 'positive'"
)
QUESTION = "('Is this movie review positive? ', text)"
RAW = "AI_CLASSIFY(('Review: ', text, '\nSentiment:'), [' positive', ' negative'], raw => TRUE)"
RAW_PROFILE = PromptProfile(yes=" positive", no=" negative")
"""AI_SCORE under this profile is the share of ' positive' in the same two labels, uncalibrated."""

Line = dict[str, Any]


def main(arguments: Sequence[str]) -> None:
    """Run the command."""
    given = argument_parser("quality", __doc__).parse_args(arguments)
    snippets, model = load_snippets(given.data, given.rows or 1000), load_model(given.model)
    write_report(given.json, "quality", arguments, {"results": measure(model, snippets)})


def measure(model: LanguageModel, snippets: Snippets) -> list[Line]:
    """A line for each task and metric."""
    with_examples = f"{QUESTION}, examples => {EXAMPLES}"
    bare = with_profile(model, RAW_PROFILE)
    lines = [accuracy_line("AI_CLASSIFY", CLASSIFY, model, snippets)]
    for task, prompt in (("", QUESTION), (" with 4 examples", with_examples)):
        lines.append(accuracy_line(f"AI_IF{task}", f"AI_IF({prompt})", model, snippets))
        lines.append(auc_line(f"AI_SCORE{task}", f"AI_SCORE({prompt})", model, snippets))
    lines.append(accuracy_line("W1 (raw)", f"{RAW} = ' positive'", model, snippets))
    score = "AI_SCORE(('Review: ', text, '\nSentiment:'))"
    return [*lines, auc_line("W1 (raw)", score, bare, snippets)]


def accuracy_line(task: str, expression: str, model: LanguageModel, snippets: Snippets) -> Line:
    """The share of right answers."""
    answers = ask(expression, model, snippets)
    return _line(task, "accuracy", accuracy(answers, snippets.positive), answers)


def auc_line(task: str, expression: str, model: LanguageModel, snippets: Snippets) -> Line:
    """How well scores part positive from negative, over the rows that have one."""
    answers = ask(expression, model, snippets)
    pairs = zip(answers, snippets.positive, strict=True)
    scored = [(score, side) for score, side in pairs if score is not None]
    value = auc([score for score, _ in scored], [side for _, side in scored])
    return _line(task, "auc", value, answers)


def _line(task: str, metric: str, value: float, answers: Sequence[object]) -> Line:
    answered = sum(answer is not None for answer in answers)
    line = {"task": task, "system": "sqlax", "metric": metric, "value": defined(value)}
    return {**line, "rows": len(answers), "answered": answered}


def ask(expression: str, model: LanguageModel, snippets: Snippets) -> list[Any]:
    """The expression's value for each snippet, in their order."""
    with sqlax.connect(model=model) as connection:
        snippets.store(connection)
        rows = connection.compile(f"SELECT id, {expression} FROM snippets").run().fetchall()
    answers = dict(rows)
    return [answers[place] for place in range(len(snippets.texts))]


if __name__ == "__main__":
    main(sys.argv[1:])
