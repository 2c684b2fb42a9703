"""Who takes part in a chunk, and with how many tokens."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import jax.numpy as jnp
import numpy as np
import pytest

from sqlax.models.tile import QUERY_BLOCK
from sqlax.runtime.generate.chunk import chunk_crew
from sqlax.runtime.generate.operator import CHUNK
from sqlax.runtime.generate.state import Lanes, empty_lanes
from tests.runtime.generate.test_decode_loop import OPERATOR


def lanes(prompt: Sequence[int], made: Sequence[int] = (), fed: Sequence[int] = ()) -> Lanes:
    """Rows at work with so many tokens of prompt, of text, and of both in their pages."""
    count = len(prompt)
    empty = empty_lanes(dataclasses.replace(OPERATOR, lanes=count))
    none = (0,) * count
    given = zip(("prompt", "made", "fed"), (prompt, made or none, fed or none), strict=True)
    numbers = {name: jnp.asarray(values, jnp.int32) for name, values in given}
    return dataclasses.replace(empty, item=jnp.arange(count, dtype=jnp.int32), **numbers)


@pytest.mark.parametrize(
    ("given", "runs"),
    [
        (lanes([300, 300, 40]), [300, 192]),  # 212 are left: six blocks, and nothing behind them
        (lanes([512, 40]), [512]),
        (lanes([600, 40]), [512]),
        (lanes([512], made=[1]), [480]),  # the last block is read with what is forced behind it
        (lanes([505], made=[10]), [480]),
        (lanes([1, 600], made=[600, 0]), [512]),
        (lanes([500, 40]), [500]),  # 12 are left, less than a block
        (lanes([480, 64]), [480, 32]),
        (lanes([480, 10, 31], made=[0, 40, 2]), [480]),  # a text is not cut, nor a prompt's end
        (lanes([600, 40], fed=[512, 0]), [88, 40]),
        (lanes([10] * 40), [10] * 32),
    ],
)
def test_a_chunk_is_filled_and_prompts_are_cut_between_blocks(
    given: Lanes, runs: Sequence[int]
) -> None:
    crew = chunk_crew(given)
    assert np.asarray(crew.run)[np.asarray(crew.used)].tolist() == runs
    assert np.asarray(crew.run)[~np.asarray(crew.used)].sum() == 0
    assert sum(runs) <= CHUNK.tokens


def test_reading_goes_on_to_the_end_of_every_prompt() -> None:
    """In cuts at multiples of a block, however the rest of the chunk is used."""
    now = lanes([700, 33, 1, 515, 64, 260])
    for _ in range(20):
        if not bool(now.reads.any()):
            break
        crew = chunk_crew(now)
        now = dataclasses.replace(now, fed=now.fed.at[crew.lane].add(crew.run))
        cut = (now.fed < now.prompt) & (now.fed % QUERY_BLOCK > 0)
        assert not bool(cut.any())
    assert now.fed.tolist() == now.prompt.tolist()


@pytest.mark.parametrize(("prompt", "forced"), [(505, 10), (512, 1), (400, 200), (33, 1100)])
def test_company_changes_no_block_and_no_last_run(prompt: int, forced: int) -> None:
    """Alone, and behind others that leave less room: cuts differ in whole blocks alone."""
    alone = _ends(prompt, forced, 0)
    for before in (1, 100, 250, 480):
        beside = _ends(prompt, forced, before)
        assert [end for end in beside if end >= prompt] == [end for end in alone if end >= prompt]
        assert all(end % QUERY_BLOCK == 0 for end in beside if end < prompt)


def _ends(prompt: int, forced: int, before: int) -> list[int]:
    """Where the runs of a row end that shares its first chunk with `before` tokens of another."""
    now = lanes([before, prompt], made=[0, forced])
    now = dataclasses.replace(now, item=jnp.where(now.prompt > 0, now.item, -1))
    ends: list[int] = []
    while bool(now.reads.any()):
        crew = chunk_crew(now)
        now = dataclasses.replace(now, fed=now.fed.at[crew.lane].add(crew.run))
        ends += [int(now.fed[1])]
    return sorted({*ends} - {0})


def test_few_lanes_decode_in_one_width() -> None:
    widths = {n: dataclasses.replace(OPERATOR, lanes=n).widths for n in (8, 64, 102, 204)}
    assert widths == {8: (8,), 64: (64,), 102: (32, 102), 204: (32, 102, 204)}
