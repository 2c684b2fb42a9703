"""The single-operator workloads: one prompt with two labels, put to every row as written."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.movie import QUIET_MOVIE
from benchmarks.peers.task import Question
from sqlax.models.language_model import LanguageModel

NAMES = ("W1", "W1b", "W1b-128", "W3")
LABELS = (" positive", " negative")
_INSTRUCTION = (
    "You are an editor who sorts what critics and moviegoers write about films. "
    "Each entry below is one short review of one film. Decide whether its author liked the film. "
    "A review is positive when it praises the story, the acting, the direction or the music, "
    "or when it tells readers to see the film. A review is negative when it complains, mocks, "
    "warns readers or calls the film a waste of time. Judge only the words of the review and not "
    "what you happen to know about the film. If praise and blame are mixed, go with the stronger "
    "of both.{}\n"
)
INSTRUCTIONS = {
    "W1b": (_INSTRUCTION.format(""), 120),
    "W1b-128": (_INSTRUCTION.format(" Do not explain what you choose here."), 128),
}
"""What stands before each row, and its tokens: 128 are a block of vLLM's cache on a CPU."""


@dataclass(frozen=True)
class Workload:
    """A query to time, and one that gives its answers row by row.

    Attributes:
        name: as in the report.
        sql: what is timed.
        answers: a query of `(key, is positive)`; None where `sql` is one.
        movie: the one movie whose rows are asked about.
    """

    name: str
    sql: str
    answers: str | None = None
    movie: str | None = None


def workloads(name: str) -> tuple[Workload, ...]:
    """The queries of a workload; one for each line of the report."""
    if name == "W3":
        return (_count("W3", None), _count(f"W3 {QUIET_MOVIE}", QUIET_MOVIE))
    prompt = _is_positive("text", _instruction(name))
    return (Workload(name, _answers("snippets", "id", prompt)),)


def question(name: str) -> Question:
    """What W1 or W1b asks of every snippet, for peers."""
    return Question(f"{_instruction(name)}Review: ", "\nSentiment:", LABELS)


def check_instruction(name: str, model: LanguageModel) -> None:
    """Raises ValueError unless the model reads the instruction as so many tokens."""
    text, wanted = INSTRUCTIONS[name]
    tokens = len(model.tokenizer.encode(text))
    if tokens != wanted:
        raise ValueError(
            f"{name} needs an instruction of {wanted} tokens; {model.name} reads {tokens} in it"
        )


def _instruction(name: str) -> str:
    return INSTRUCTIONS[name][0] if name in INSTRUCTIONS else ""


def _count(name: str, movie: str | None) -> Workload:
    condition, only = _is_positive("reviewText"), "" if movie is None else f"id = '{movie}'"
    sql = f"SELECT COUNT(*) FROM Reviews WHERE {' AND '.join(filter(None, (only, condition)))}"
    answers = _answers("Reviews", "reviewId", condition)
    return Workload(name, sql, f"{answers} WHERE {only}" if only else answers, movie)


def _answers(table: str, key: str, condition: str) -> str:
    return f"SELECT {key}, {condition} AS positive FROM {table}"


def _is_positive(column: str, instruction: str = "") -> str:
    parts = f"'{instruction}', 'Review: '" if instruction else "'Review: '"
    return (
        f"AI_CLASSIFY(({parts}, {column}, '\nSentiment:'), "
        "[' positive', ' negative'], raw => TRUE) = ' positive'"
    )
