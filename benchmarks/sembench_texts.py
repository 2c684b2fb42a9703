"""The texts of SemBench's Movie queries, in DuckDB's dialect and in BigQuery's."""

from __future__ import annotations

from benchmarks.movie import QUIET_MOVIE, RATED_MOVIE
from sqlax.compiler.sql.tokens import Dialect

LIMIT = 5
_QUESTION = "Determine if the following movie review is clearly positive, review: "
_RUBRIC = """\
Rate from 1 to 5 how much the author of the review enjoyed the movie.
5: delighted, praises it without reserve
4: pleased, mostly praise
3: undecided, or only describes it
2: disappointed, mostly complaints
1: angry or bored, nothing good to say
Review: """
_REMOTE = """connection_id => 'us.benchmark', model_params => JSON '{"labels": {"run": "1"}}'"""


def text_of(query: int, dialect: Dialect) -> str:
    """The text of a query.

    Raises:
        KeyError: a query that there is no text of.
    """
    return (_bigquery() if dialect == "bigquery" else _duckdb())[query]


def numbers() -> tuple[int, ...]:
    """The queries there are texts of."""
    return tuple(_duckdb())


def _duckdb() -> dict[int, str]:
    positive, quiet = f"AI_IF(('{_QUESTION}', reviewText))", f"id = '{QUIET_MOVIE}'"
    score = f"AI_SCORE(('{_RUBRIC}', reviewText), scale => [1, 5])"
    return {
        1: f"SELECT reviewId FROM Reviews WHERE {positive} LIMIT {LIMIT}",
        2: f"SELECT reviewId FROM Reviews WHERE {quiet} AND {positive} LIMIT {LIMIT}",
        3: f"SELECT COUNT(*) AS positive FROM Reviews WHERE {quiet} AND {positive}",
        4: f"SELECT SUM(CASE WHEN {positive} THEN 1 ELSE 0 END) * 1.0 / COUNT(*) AS share "
        f"FROM Reviews WHERE {quiet}",
        8: f"SELECT CASE WHEN {positive} THEN 'POSITIVE' ELSE 'NEGATIVE' END AS sentiment, "
        f"COUNT(*) AS reviews FROM Reviews WHERE {quiet} GROUP BY 1",
        9: f"SELECT reviewId, {score} AS score FROM Reviews WHERE id = '{RATED_MOVIE}'",
        10: f"SELECT id, AVG({score}) AS score FROM Reviews GROUP BY id",
    }


def _bigquery() -> dict[int, str]:
    """Dotted functions, strings in double quotes; AI.SCORE has no scale there."""
    positive = f'AI.IF(("{_QUESTION}", r.reviewText), {_REMOTE})'
    score = f'AI.SCORE(("""{_RUBRIC}""", reviewText), {_REMOTE})'
    source, quiet = "FROM movie.Reviews AS r", f'r.id = "{QUIET_MOVIE}"'
    return {
        1: f"SELECT r.reviewId {source} WHERE {positive} LIMIT {LIMIT};",
        2: f"SELECT r.reviewId {source} WHERE {quiet} AND {positive} LIMIT {LIMIT};",
        3: f"SELECT COUNT(*) AS positive {source} WHERE {quiet} AND {positive};",
        4: f"SELECT CAST(SUM(CASE WHEN {positive} THEN 1 ELSE 0 END) AS FLOAT64) / COUNT(*) "
        f"AS share {source} WHERE {quiet};",
        8: f'SELECT CASE WHEN {positive} THEN "POSITIVE" ELSE "NEGATIVE" END AS sentiment, '
        f"COUNT(*) AS reviews {source} WHERE {quiet} GROUP BY sentiment;",
        9: f'SELECT reviewId, {score} AS score FROM movie.Reviews WHERE id = "{RATED_MOVIE}";',
        10: f"SELECT id, AVG(score) AS score FROM (SELECT id, {score} AS score FROM movie.Reviews) "
        "GROUP BY id;",
    }
