"""What tests may need beyond the repository, and what skips them where it is absent."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import jax
import pytest

from sqlax.models import registry

DEFAULT_MODEL = "smollm2-135m-instruct"
BESIDE_THE_REPOSITORY = Path(__file__).resolve().parents[2] / "shared" / "data"
TESTS_BEFORE_CLEARING = 150
"""A process that evaluates many programs keeps a compiled operation for every shape it met."""
FINISHED = pytest.StashKey[int]()
DATA = Path(os.environ.get("SQLAX_DATA") or BESIDE_THE_REPOSITORY)


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("data") and not DATA.is_dir():
        pytest.skip(f"there is no data folder {DATA}; SQLAX_DATA names another one")
    if item.get_closest_marker("real_model") and not model_is_here():
        pytest.skip(f"the model is not here; get it with: sqlax models pull {DEFAULT_MODEL}")


def pytest_runtest_teardown(item: pytest.Item) -> None:
    finished = item.session.stash.get(FINISHED, 0) + 1
    item.session.stash[FINISHED] = finished
    if finished % TESTS_BEFORE_CLEARING == 0:
        jax.clear_caches()  # type: ignore[no-untyped-call]


def model_is_here() -> bool:
    return any(model.name == DEFAULT_MODEL and model.is_here for model in registry.known())


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of data sets; for tests marked `data`."""
    return DATA


@pytest.fixture(scope="session")
def default_model() -> str:
    """The name of the default model; for tests marked `real_model`."""
    return DEFAULT_MODEL


@pytest.fixture(scope="module")
def compile_quickly() -> Iterator[None]:
    """Programs that run once are not worth all of XLA's optimisation."""
    jax.config.update("jax_disable_most_optimizations", True)  # type: ignore[no-untyped-call]
    yield
    jax.config.update("jax_disable_most_optimizations", False)  # type: ignore[no-untyped-call]
