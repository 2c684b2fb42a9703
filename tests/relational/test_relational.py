"""Every query of this folder in the graph and in DuckDB stage by stage, against DuckDB itself."""

from __future__ import annotations

import pytest

from sqlax.compiler.placement import Mode
from tests.fuzz.compare import difference
from tests.relational.cases import Case, cases, topics
from tests.relational.conftest import Engines

CASES = [case for topic in topics() for case in cases(topic)]
MODES: tuple[Mode, ...] = ("graph", "duckdb")
_A_SAMPLE = 45


def test_there_are_more_than_four_hundred() -> None:
    assert len({case.sql for case in CASES}) > 400


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_equals_duckdb(engines: Engines, case: Case, mode: Mode) -> None:
    """Names, types and rows."""
    expected = engines.expected(case.sql)
    assert expected.error is None, case.sql
    got = engines.answer(case.sql, mode)
    assert difference(expected, got, ordered=case.ordered) is None, case.sql


@pytest.mark.parametrize("case", CASES[::_A_SAMPLE], ids=lambda case: case.name)
def test_a_sample_compiled(engines: Engines, case: Case) -> None:
    got = engines.answer(case.sql, "graph", compiled=True)
    what = difference(engines.expected(case.sql), got, ordered=case.ordered)
    assert what is None, case.sql


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("case", [*cases("errors")], ids=lambda case: case.name)
def test_what_is_impossible_is_an_error(engines: Engines, case: Case, mode: Mode) -> None:
    assert engines.expected(case.sql).error is not None, case.sql
    error = engines.answer(case.sql, mode).error
    assert error is not None, case.sql
    assert "CRASH" not in error, case.sql
