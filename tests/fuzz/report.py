"""A failure as a test case."""

from __future__ import annotations

from tests.fuzz.case import Case, Failure


def as_test(failure: Failure, case: Case) -> str:
    """A line for the list in `tests/fuzz/test_found.py`.

    Args:
        failure: what differed.
        case: its smallest form.
    """
    tables = "\n".join(table.sql() for table in case.tables)
    identifier = f"{failure.name} {failure.mode}"
    return (
        f"    # {failure.what[:300]}\n"
        f"    pytest.param(\n"
        f"        {_text(tables)},\n"
        f"        {_text(case.sql)},\n"
        f'        id="{identifier}",\n'
        f"    ),"
    )


def _text(text: str) -> str:
    quotes = '"""' if '"' in text or "\n" in text else '"'
    escaped = text.replace("\\", "\\\\")
    return f"{quotes}{escaped}{quotes}"
