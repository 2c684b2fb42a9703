"""How good is AI_IF on film reviews that took no part in any choice? SemBench's, half positive.

python -m benchmarks.profile_search.unseen --json FILE
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from pathlib import Path

import sqlax
from benchmarks.arguments import argument_parser, write_report
from benchmarks.metrics import accuracy, auc, defined
from benchmarks.model import load_model
from benchmarks.movie import Gold, store_movie
from benchmarks.quality import EXAMPLES, QUESTION, Line, ask
from benchmarks.snippets import SEED, Snippets
from sqlax.models.language_model import LanguageModel


def main(arguments: Sequence[str]) -> None:
    """Run the command; `--rows` is the size of the sample, 500 unless given."""
    given = argument_parser("profile_search.unseen", __doc__).parse_args(arguments)
    reviews, model = sample(given.data, given.rows or 500), load_model(given.model)
    lines = measure("AI_IF", QUESTION, model, reviews)
    lines += measure("AI_IF with 4 examples", f"{QUESTION}, examples => {EXAMPLES}", model, reviews)
    write_report(given.json, "profile_search.unseen", arguments, {"results": lines})


def measure(task: str, prompt: str, model: LanguageModel, reviews: Snippets) -> list[Line]:
    """AUC, and the accuracy at AI_IF's threshold; no answer is a wrong one."""
    scores = ask(f"AI_SCORE({prompt})", model, reviews)
    said = [None if score is None else score >= 0.5 for score in scores]
    scored = [p for p in zip(scores, reviews.positive, strict=True) if p[0] is not None]
    values = {
        "auc": auc([score for score, _ in scored], [side for _, side in scored]),
        "accuracy": accuracy(said, reviews.positive),
    }
    counts = {"rows": len(said), "answered": len(scored)}
    return [{"task": task, "metric": m, "value": defined(v), **counts} for m, v in values.items()]


def sample(data: Path, rows: int) -> Snippets:
    """Different review texts drawn with a fixed seed, half of them positive."""
    with sqlax.connect() as connection:
        store_movie(connection, data)
        found = connection.execute(
            "SELECT min(reviewId), reviewText FROM Reviews "
            "WHERE trim(reviewText) <> '' GROUP BY reviewText ORDER BY 1, 2"
        ).fetchall()
    sentiments = Gold(data).sentiments()
    pairs = [(text, sentiments[review]) for review, text in found]
    random.Random(SEED).shuffle(pairs)
    chosen = [p for side in (True, False) for p in [q for q in pairs if q[1] is side][: rows // 2]]
    texts, positive = zip(*chosen, strict=True)
    return Snippets(texts, positive)


if __name__ == "__main__":
    main(sys.argv[1:])
