"""W2: how fast is text generated, alone and beside other systems?"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import sqlax
from benchmarks.peers.race import Race
from benchmarks.peers.task import Question, Rivals, Task, task_of
from benchmarks.phases import time_phases
from benchmarks.roof import Roof
from benchmarks.snippets import Snippets, load_snippets
from benchmarks.timing import time_query
from benchmarks.written import Line, written_line
from sqlax.connection import Connection
from sqlax.models.language_model import LanguageModel

ROWS = 200
TOKENS = 32
BEFORE, BEHIND = "Review: ", "\nOne sentence summary:"
QUERY = f"""\
SELECT id, AI_GENERATE(
  ('{BEFORE}', text, '{BEHIND}'), raw => TRUE, min_tokens => {TOKENS}, max_tokens => {TOKENS}
) AS summary
FROM snippets
ORDER BY id"""


def measure_writing(
    model: LanguageModel, rivals: Rivals | None, data: Path, rows: int | None, repeats: int
) -> dict[str, Any]:
    """The report's fields: a line for W2, and one for each peer.

    Args:
        model: the model.
        rivals: the peers; None to leave them out.
        data: the folder of data sets.
        rows: use only so many rows; `ROWS` by default.
        repeats: warm runs; a peer runs between any two of them.
    """
    roof, snippets = Roof(), load_snippets(data, rows or ROWS)
    task = None if rivals is None else _task(model, rivals.file, snippets)
    names = () if rivals is None else rivals.names
    with Race(task, model.tokenizer, names) as race, sqlax.connect(model=model) as connection:
        lines = _w2(connection, model, snippets, repeats, roof, race)
    _add_roof_share(lines[0], model, roof)
    return {
        **roof.fields(),
        "flops_per_token": model.flops_per_token,
        "results": lines,
    }


def _task(model: LanguageModel, file: Path, snippets: Snippets) -> Task:
    question = Question(BEFORE, BEHIND, tokens=TOKENS)
    return task_of(question, QUERY, snippets.texts, file, model.tokenizer)


def _w2(
    connection: Connection,
    model: LanguageModel,
    snippets: Snippets,
    repeats: int,
    roof: Roof,
    race: Race,
) -> list[Line]:
    """Our own line, then the peers'."""
    snippets.store(connection)

    def between() -> None:
        roof.sample()
        race.run()

    timing = time_query(connection.compile(QUERY), repeats, between)
    line = written_line("W2", timing)
    if not race.is_run:
        line["phases"] = asdict(time_phases(connection, QUERY, model, timing.seconds))
    return [line, *race.lines(line, [text for _, text in timing.rows])]


def _add_roof_share(line: Line, model: LanguageModel, roof: Roof) -> None:
    """Of the linear layers for each token; the vocabulary's product comes on top of them."""
    gflops = line["tokens"] * model.flops_per_token / 1e9
    line["roof_share"] = gflops / line["seconds"] / roof.gflops
    line["roof_share_of_best"] = gflops / line["seconds"] / roof.best_gflops
    if "phases" in line:
        line["roof_share_of_program"] = gflops / line["phases"]["program"] / roof.gflops
