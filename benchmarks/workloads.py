"""The single-operator workloads: one prompt with two labels, put to every row as written."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.movie import QUIET_MOVIE
from benchmarks.peers.task import Question
from sqlax.models.language_model import LanguageModel

NAMES = ("W1", "W1b", "W3")
LABELS = (" positive", " negative")
INSTRUCTION_TOKENS = 120
INSTRUCTION = (
    "You are an editor who sorts what critics and moviegoers write about films. "
    "Each entry below is one short review of one film. Decide whether its author liked the film. "
    "A review is positive when it praises the story, the acting, the direction or the music, "
    "or when it tells readers to see the film. A review is negative when it complains, mocks, "
    "warns readers or calls the film a waste of time. Judge only the words of the review and not "
    "what you happen to know about the film. If praise and blame are mixed, go with the stronger "
    "of both.\n"
)


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
    if name == "W1":
        return (Workload("W1", _answers("snippets", "id", _is_positive("text"))),)
    if name == "W1b":
        prompt = _is_positive("text", INSTRUCTION)
        return (Workload("W1b", _answers("snippets", "id", prompt)),)
    return (_count("W3", None), _count(f"W3 {QUIET_MOVIE}", QUIET_MOVIE))


def question(name: str) -> Question:
    """What W1 or W1b asks of every snippet, for peers."""
    before = "Review: " if name == "W1" else f"{INSTRUCTION}Review: "
    return Question(before, "\nSentiment:", LABELS)


def check_instruction(model: LanguageModel) -> None:
    """Raises ValueError unless the model reads the instruction as 120 tokens."""
    tokens = len(model.tokenizer.encode(INSTRUCTION))
    if tokens != INSTRUCTION_TOKENS:
        raise ValueError(
            f"W1b needs an instruction of {INSTRUCTION_TOKENS} tokens; "
            f"{model.name} reads {tokens} in it"
        )


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
