"""The collector is off within the block and afterwards as it was."""

from __future__ import annotations

import gc

import pytest

from sqlax.runtime.collection import no_collection


def test_it_is_off_within_and_on_again_behind() -> None:
    with no_collection():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_an_error_turns_it_on_again() -> None:
    with pytest.raises(ValueError, match="within"), no_collection():
        raise ValueError("within")
    assert gc.isenabled()


def test_where_it_was_off_it_stays_off() -> None:
    gc.disable()
    try:
        with no_collection():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
