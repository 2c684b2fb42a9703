"""A failure as a test case."""

from __future__ import annotations

from tests.fuzz.case import Case, Failure
from tests.fuzz.planning import MIXED


def as_test(failure: Failure, case: Case) -> str:
    """A line for a list in `tests/fuzz/test_found.py`; a mixed placement is the last parameter.

    Args:
        failure: what differed.
        case: its smallest form.
    """
    tables = "\n".join(table.sql() for table in case.tables)
    placement = f"        {_text(failure.mode)},\n" if failure.mode.startswith(MIXED) else ""
    identifier = f"{failure.name} {failure.mode.partition(':')[0]}"
    return (
        f"    # {failure.what[:300]}\n"
        f"    pytest.param(\n"
        f"        {_text(tables)},\n"
        f"        {_text(case.sql)},\n"
        f"{placement}"
        f'        id="{identifier}",\n'
        f"    ),"
    )


def _text(text: str) -> str:
    quotes = '"""' if '"' in text or "\n" in text else '"'
    escaped = text.replace("\\", "\\\\")
    return f"{quotes}{escaped}{quotes}"
