"""SemBench's Movie tables: what a query may see, and the gold columns kept aside."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb

from sqlax.connection import Connection

LEAKS = ("scoreSentiment", "originalScore", "reviewState")
"""Columns of Reviews that hold the answers; no query sees them."""
QUIET_MOVIE = "taken_3"
RATED_MOVIE = "ant_man_and_the_wasp_quantumania"


def store_movie(connection: Connection, data: Path, rows: int | None = None) -> None:
    """Make the tables Reviews and Movies, and the same under BigQuery's data set `movie`.

    Args:
        connection: where.
        data: the folder of data sets, or the one that holds Reviews.csv and Movies.csv.
        rows: use only so many reviews.
    """
    reviews, movies = _files(data)
    without = ", ".join(LEAKS)
    limit = "" if rows is None else f" LIMIT {rows}"
    create = "CREATE TABLE Reviews AS SELECT * EXCLUDE ({}) FROM read_csv('{}'){}"
    connection.execute(create.format(without, reviews, limit))
    connection.execute(f"CREATE TABLE Movies AS FROM read_csv('{movies}')")
    connection.execute("CREATE SCHEMA movie")
    for name in ("Reviews", "Movies"):
        connection.execute(f"CREATE TABLE movie.{name} AS FROM main.{name}")


class Gold:
    """The right answers, in a database of their own.

    Args:
        data: as for `store_movie`.
        rows: as for `store_movie`.
    """

    def __init__(self, data: Path, rows: int | None = None) -> None:
        reviews, movies = _files(data)
        limit = "" if rows is None else f" LIMIT {rows}"
        self._duckdb = duckdb.connect()
        self._duckdb.execute(f"CREATE TABLE Reviews AS FROM read_csv('{reviews}'){limit}")
        self._duckdb.execute(f"CREATE TABLE Movies AS FROM read_csv('{movies}')")

    def positive(self, movie: str | None = None) -> list[int]:
        """The reviewId of each positive review, of one movie or of all; some stand twice."""
        sql = (
            "SELECT reviewId FROM Reviews WHERE scoreSentiment = 'POSITIVE' "
            "AND ($movie IS NULL OR id = $movie)"
        )
        return [review for (review,) in self._rows(sql, movie)]

    def sentiments(self) -> dict[int, bool]:
        """Whether a review is positive, by reviewId."""
        sql = "SELECT reviewId, scoreSentiment = 'POSITIVE' FROM Reviews WHERE $movie IS NULL"
        return dict(self._rows(sql, None))

    def reviews(self, movie: str | None = None) -> int:
        """The number of reviews."""
        sql = "SELECT COUNT(*) FROM Reviews WHERE $movie IS NULL OR id = $movie"
        return int(self._rows(sql, movie)[0][0])

    def ratings(self, movie: str) -> dict[int, float]:
        """The numerator of originalScore by reviewId, where there is one."""
        sql = (
            "SELECT reviewId, TRY_CAST(split_part(originalScore, '/', 1) AS DOUBLE) AS rating "
            "FROM Reviews WHERE id = $movie AND rating IS NOT NULL"
        )
        return dict(self._rows(sql, movie))

    def audience(self) -> dict[str, float]:
        """The audience's score by movie; movies that stand twice have the same one."""
        sql = "SELECT id, any_value(audienceScore) FROM Movies WHERE $movie IS NULL GROUP BY id"
        return dict(self._rows(sql, None))

    def _rows(self, sql: str, movie: str | None) -> list[tuple[Any, ...]]:
        return self._duckdb.execute(sql, {"movie": movie}).fetchall()


def _files(data: Path) -> tuple[Path, Path]:
    folder = data / "sembench_movie" if (data / "sembench_movie").is_dir() else data
    return folder / "Reviews.csv", folder / "Movies.csv"
