"""T17: texts are bit-equal alone, in any batch, in any order; no part of the pool is copied."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import sqlax
from sqlax.compiled import CompiledQuery
from sqlax.compiler.lowering import operators
from sqlax.connection import Connection
from sqlax.kvcache.paged import PAGE
from sqlax.models.causal_lm import CausalLanguageModel
from sqlax.models.fake import ByteTokenizer, FakeModel
from sqlax.models.llama.load import build
from sqlax.models.profile import BARE
from tests.models.random_llama import TINY, random_tensors

pytestmark = pytest.mark.slow

GREEDY = "AI_GENERATE(('q ', x), max_tokens => 12) AS g"
DRAWN = "AI_GENERATE(('q ', x), max_tokens => 12, temperature => 1.5, top_p => 0.9, seed => 3) AS d"


def random_writer() -> CausalLanguageModel:
    """A random Llama over bytes, in bfloat16."""
    config = replace(TINY, vocabulary=257)
    decoder = build(config, random_tensors(config), jnp.dtype("bfloat16"))
    return CausalLanguageModel.of(decoder, ByteTokenizer(), BARE, "random", "random writer")


@pytest.fixture(scope="module")
def con() -> Iterator[Connection]:
    connection = sqlax.connect(model=random_writer())
    connection.execute("CREATE TABLE t (i INTEGER, x VARCHAR)")
    yield connection
    connection.close()


def texts(count: int) -> list[str]:
    """Texts of 1 to about 90 letters, all different."""
    random = np.random.default_rng(7)
    letters = [random.choice(list("abcdefg hij"), random.integers(1, 90)) for _ in range(count)]
    return [f"{i}{''.join(row)}" for i, row in enumerate(letters)]


Rows = list[tuple[int, str]]


def answers(con: Connection, query: CompiledQuery, rows: Rows) -> dict[int, tuple[Any, ...]]:
    con.execute("DELETE FROM t")
    con.duckdb.executemany("INSERT INTO t VALUES (?, ?)", [[*row] for row in rows])
    return {row[0]: row[1:] for row in query.run().fetchall()}


def test_t17_texts_are_equal_in_any_batch_and_order(con: Connection) -> None:
    query, rows = con.compile(f"SELECT i, {GREEDY}, {DRAWN} FROM t"), [*enumerate(texts(64))]
    together = answers(con, query, rows)
    assert len({row[0] for row in together.values()}) > 5
    order = np.random.default_rng(1).permutation(len(rows))
    assert answers(con, query, [rows[i] for i in order]) == together
    for part in (rows[:1], rows[30:32], rows[7:24]):
        assert answers(con, query, part) == {i: together[i] for i, _ in part}


def test_temperature_0_and_top_k_1_are_greedy_and_seeds_differ(con: Connection) -> None:
    call = "AI_GENERATE(('q ', x), max_tokens => 12, "
    query = con.compile(
        f"SELECT i, {GREEDY}, {call}temperature => 0, seed => 5) AS a,"
        f" {call}temperature => 2, top_k => 1) AS b,"
        f" {call}temperature => 20, seed => 1) AS c, {call}temperature => 20, seed => 2) AS d"
        " FROM t"
    )
    said = answers(con, query, [*enumerate(texts(8))])
    assert all(greedy == cold == first for greedy, cold, first, _, _ in said.values())
    assert sum(one != other for _, _, _, one, other in said.values()) >= 6
    assert answers(con, query, [*enumerate(texts(8))]) == said


@pytest.mark.parametrize("call", [GREEDY, GREEDY.replace("x)", "x, y)")], ids=["one", "two values"])
@pytest.mark.parametrize("writer", ["fake", "random"])
def test_no_part_of_the_pool_is_copied(
    writer: str, call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program needs the same memory beside its arguments, however many pages there are."""
    model = FakeModel({}) if writer == "fake" else random_writer()
    con = sqlax.connect(model=model)
    con.execute(
        "CREATE TABLE t AS SELECT 'text ' || i AS x, 'other' || i AS y FROM range(100) r(i)"
    )

    def used(pages: int) -> tuple[int, int]:
        """Temporary bytes, and bytes of the pages themselves."""
        monkeypatch.setattr(operators, "PAGE_BYTES", pages * PAGE * model.kv_bytes_per_token)
        execution = con.compile(f"SELECT {call} FROM t")._for({})
        with jax.enable_x64(True):
            assembly = execution.assembly(execution.load())
            lowered, state = execution.program(assembly).lower(assembly.inputs())
            memory = lowered.compile().memory_analysis()
        held = sum(leaf.size * leaf.dtype.itemsize for leaf in jax.tree.leaves(state.pages))
        return memory.temp_size_in_bytes, held

    (few, small), (many, large) = used(63), used(1023)
    assert large == 16 * small
    # The allocator's own two lists have 8 bytes a page, an eighth of the fake model's pages.
    assert many - few < (large - small) / 4
