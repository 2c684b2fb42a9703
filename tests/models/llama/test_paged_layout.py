"""How the new tokens of a run are cut into blocks of queries."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

from sqlax.models.llama.paged_layout import Blocks, lay_out_paged
from sqlax.models.tile import QUERY_BLOCK
from tests.models.paging import Run, lay

TOKENS, ROWS = 256, 16


def blocks_of(lengths: list[int], before: list[int]) -> tuple[Blocks, list[int]]:
    """The blocks of a run, and the row of each flat token."""
    table = np.arange(1, 1 + ROWS * 20, dtype=np.int32).reshape(ROWS, 20)
    new: Run = {row: [1] * length for row, length in enumerate(lengths)}
    held = np.asarray([*before, *[0] * (ROWS - len(before))], np.int32)
    rows = lay(new, held, held * 0, table, TOKENS, TOKENS)
    made = lay_out_paged(rows, jnp.int32(0), 8).blocks
    assert made is not None
    return made, np.asarray(rows.row).tolist()


@pytest.mark.parametrize("seed", range(12))
def test_every_token_has_a_slot_of_its_own_row_and_sees_itself_and_what_is_before(
    seed: int,
) -> None:
    draw = np.random.default_rng(seed)
    ends = np.sort(draw.choice(np.arange(1, TOKENS), ROWS - 1, replace=False))
    lengths = np.diff([0, *ends, TOKENS]).tolist()
    before = draw.integers(0, 60, ROWS).tolist()
    blocks, row = blocks_of(lengths, before)
    flat, seen = np.asarray(blocks.flat).reshape(-1), np.asarray(blocks.seen).reshape(-1)
    slot, start = np.asarray(blocks.slot), np.cumsum([0, *lengths])
    assert flat[slot].tolist() == list(range(TOKENS))
    assert len(set(slot.tolist())) == TOKENS
    wanted = [before[r] + i - start[r] + 1 for i, r in enumerate(row)]
    assert seen[slot].tolist() == wanted
    assert (np.asarray(blocks.table)[slot // QUERY_BLOCK, 0] == 1 + np.asarray(row) * 20).all()


def test_blocks_that_see_most_stand_first_and_unused_ones_see_nothing() -> None:
    blocks, _ = blocks_of([40, 3, 90], [0, 300, 0])
    longest = np.asarray(blocks.seen).max(axis=1)
    used = [303, 90, 64, 40, 32, 32]
    assert longest.tolist() == [*used, *[0] * (len(longest) - len(used))]
