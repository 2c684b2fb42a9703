"""The progress bar: patient, on standard error, gone when the run is over."""

from __future__ import annotations

import pytest

from sqlax.progress import ProgressBar
from sqlax.runtime.program import Progress


def test_a_short_run_shows_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    bar = ProgressBar()
    for answered in (0, 5, 10):
        bar(Progress(answered, answered, 10))
    assert capsys.readouterr() == ("", "")


def test_a_long_run_shows_a_bar_and_takes_it_away(capsys: pytest.CaptureFixture[str]) -> None:
    bar = ProgressBar(patience=0.0)
    bar(Progress(1, 5, 10))
    assert bar.is_shown
    bar(Progress(2, 10, 10))
    assert not bar.is_shown
    assert capsys.readouterr().out == ""
