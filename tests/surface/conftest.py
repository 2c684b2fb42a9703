"""Connections whose model is an answer table."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator

import pytest

import sqlax
from sqlax.connection import Connection
from sqlax.models.fake import FakeModel

ANSWERS: dict[str, str | float] = {"good": "yes", "bad": "no", "odd": "maybe"}

Open = Callable[..., Connection]


@pytest.fixture
def fake() -> Iterator[Open]:
    """Open a connection; keyword arguments go to the fake model."""
    opened: list[Connection] = []

    def connect(answers: dict[str, str | float] | None = None, **model: object) -> Connection:
        table = FakeModel(ANSWERS if answers is None else answers, **model)  # type: ignore[arg-type]
        opened.append(sqlax.connect(model=table))
        return opened[-1]

    yield connect
    for connection in opened:
        connection.close()


@pytest.fixture
def _interrupts() -> Iterator[None]:
    """SIGINT interrupts, also where the tests run in the background of a shell that ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
