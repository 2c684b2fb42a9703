"""Does a numeric filter make a query cheaper in proportion to the rows it keeps out?

python -m benchmarks.selectivity --json FILE

One query, compiled once, whose parameter says what share of the rows passes: in mode `graph` the
filter is part of the program, in mode `hybrid` DuckDB filters before it.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from typing import Any

import sqlax
from benchmarks.arguments import argument_parser, write_report
from benchmarks.cold_cache import cold_cache
from benchmarks.model import load_model
from benchmarks.snippets import SEED, Snippets, load_snippets
from benchmarks.timing import time_query
from sqlax.compiler.placement import Mode
from sqlax.models.language_model import LanguageModel

SHARES = (1, 10, 50, 100)
MODES: tuple[Mode, ...] = ("graph", "hybrid")
QUERY = """\
SELECT COUNT(*) AS positive
FROM snippets
WHERE g < $share
  AND AI_CLASSIFY(
    ('Review: ', text, '\nSentiment:'), [' positive', ' negative'], raw => TRUE
  ) = ' positive'"""


def main(arguments: Sequence[str]) -> None:
    """Run the command."""
    given = argument_parser("selectivity", __doc__).parse_args(arguments)
    snippets, model = load_snippets(given.data, given.rows or 1000), load_model(given.model)
    with cold_cache():
        results = [line for mode in MODES for line in measure(mode, model, snippets, given.repeats)]
    write_report(given.json, "selectivity", arguments, {"results": results})


def measure(
    mode: Mode, model: LanguageModel, snippets: Snippets, repeats: int
) -> list[dict[str, Any]]:
    """A line for each share, with its time against that of all rows."""
    with sqlax.connect(model=model, mode=mode) as connection:
        snippets.store(connection, hundredths(len(snippets.texts)))
        query = connection.compile(QUERY, {"share": 100})
        timings = {share: time_query(query, repeats, share=share) for share in reversed(SHARES)}
    whole = timings[100]
    return [
        {
            "mode": mode,
            "share": share,
            "rows": timings[share].report.operators[0].rows,
            "seconds": timings[share].seconds,
            "relative_seconds": timings[share].seconds / whole.seconds,
            "tokens": timings[share].report.tokens,
            "relative_tokens": timings[share].report.tokens / whole.report.tokens,
            "traces": timings[share].traces,
            "warm_traces": timings[share].warm_traces,
            "runs": timings[share].runs,
        }
        for share in SHARES
    ]


def hundredths(rows: int) -> list[int]:
    """Numbers from 0 to 99 in mixed order, each as often as the others."""
    numbers = [place * 100 // rows for place in range(rows)]
    random.Random(SEED).shuffle(numbers)
    return numbers


if __name__ == "__main__":
    main(sys.argv[1:])
