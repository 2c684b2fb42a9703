"""Own data in the files' own formats, and a model that answers from a table."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqlax.models.fake import FakeModel

POSITIVE = ["a good film", "good fun, café included", "so good", "good"]
NEGATIVE = ["a bad film", "bad taste", "so bad", "bad"]
REVIEWS = """\
id,reviewId,creationDate,criticName,originalScore,reviewState,reviewText,scoreSentiment
taken_3,1,2015-01-01,A,1/5,rotten,a bad film,NEGATIVE
taken_3,2,2015-01-02,B,4/5,fresh,a good film,POSITIVE
taken_3,2,2015-01-02,B,4/5,fresh,a good film,POSITIVE
ant_man_and_the_wasp_quantumania,3,2023-01-01,A,3.5/5,fresh,good fun,POSITIVE
ant_man_and_the_wasp_quantumania,4,2023-01-02,B,1/5,rotten,bad taste,NEGATIVE
other,5,2020-01-01,C,,rotten,bad,NEGATIVE
"""
MOVIES = """\
id,title,audienceScore
taken_3,Taken 3,60.0
ant_man_and_the_wasp_quantumania,Ant-Man,83.0
ant_man_and_the_wasp_quantumania,Ant-Man,83.0
other,Other,20.0
"""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder with eight snippets and six reviews of three films."""
    snippets, movie = tmp_path / "rt_polarity", tmp_path / "sembench_movie"
    snippets.mkdir()
    movie.mkdir()
    for name, texts in (("rt-polarity.pos", POSITIVE), ("rt-polarity.neg", NEGATIVE)):
        (snippets / name).write_text("".join(f"{text} \n" for text in texts), "latin-1")
    (movie / "Reviews.csv").write_text(REVIEWS, "utf-8")
    (movie / "Movies.csv").write_text(MOVIES, "utf-8")
    return tmp_path


@pytest.fixture
def model() -> FakeModel:
    """Gives the first label (yes, positive) nine chances of ten for what is good."""
    return FakeModel({"good": 0.9, "bad": 0.1})
