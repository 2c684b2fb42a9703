"""The block pool and its prefix cache: the values of kv_conformance.md, section 3.

Those of one full-attention group stand here, namespaces and the radix index in
`test_prefix_index.py`. Left to the issues that bring their subjects are the rows: hybrid, hybrid +
draft, draft + SWA, retention survives recycling, SWA possible prefix, chunked-local attention, SWA
remove-skipped; of "block sizes 32/16" the 16-token window; of "blocks to allocate" the null blocks;
of "predictor equals allocator" the cap, which is a window's; of "admission" the window's 13 blocks;
of the radix index the recurrent state. They need sliding windows, recurrent state, drafts or
retention.
"""

from __future__ import annotations

import pytest

from sqlax.kvcache.block_pool import BlockPool
from tests.kvcache.engine import Engine

COMMON = [token for token in range(3) for _ in range(16)]


def test_prefill_takes_and_gives_back_blocks_in_this_order() -> None:
    engine = Engine(11, 16)
    first = engine.admit(COMMON + [3] * 7)
    assert (first.hits, first.fresh) == ([], [1, 2, 3, 4])
    assert [engine.pool.references(block) for block in (1, 2, 3, 4)] == [1, 1, 1, 1]
    second = engine.admit(COMMON + [3] * 5)
    assert (second.hits, second.fresh) == ([1, 2, 3], [5])
    assert [engine.pool.references(block) for block in (1, 2, 3)] == [2, 2, 2]
    assert engine.pool.num_free == 5
    engine.end(first)
    engine.end(second)
    assert engine.pool.free_queue == [5, 4, 6, 7, 8, 9, 10, 3, 2, 1]

    third = engine.admit(COMMON + [3] * 6)
    assert (third.hits, third.fresh) == ([1, 2, 3], [5])
    assert engine.pool.num_free == 6
    engine.end(third)
    miss = engine.admit([99] * 160)
    assert (miss.hits, miss.fresh) == ([], [5, 4, 6, 7, 8, 9, 10, 3, 2, 1])
    assert engine.pool.num_free == 0


def test_eviction_takes_the_tail_of_the_oldest_row_first() -> None:
    engine = Engine(11, 16)
    first = engine.admit(range(87))
    second = engine.admit(range(87, 87 + 48))
    assert engine.pool.num_free == 1
    engine.end(first)
    assert engine.pool.free_queue == [6, 10, 5, 4, 3, 2, 1]
    engine.end(second)
    assert engine.pool.free_queue == [6, 10, 5, 4, 3, 2, 1, 9, 8, 7]
    prefix = engine.admit(range(35))
    assert (prefix.hits, prefix.fresh) == ([1, 2], [6])
    assert engine.pool.num_free == 7


def test_blocks_without_a_hash_are_reused_first_the_tail_of_the_row_before_its_head() -> None:
    pool = BlockPool(8)
    first, second = pool.take(3), pool.take(2)
    pool.release(first)
    assert pool.free_queue == [3, 2, 1, 6, 7]
    pool.release(second)
    assert pool.free_queue == [5, 4, 3, 2, 1, 6, 7]
    assert pool.check()


def test_a_hit_is_whole_blocks_and_leaves_the_last_token_to_compute() -> None:
    """Block size 32: 113 tokens have a hit of 96, in 3 blocks; so have 97, but 96 only 64."""
    engine = Engine(20, 32)
    engine.end(engine.admit(range(113)))
    assert [len(engine.group.hit(engine.table(range(n)))) for n in (113, 97, 96)] == [3, 3, 2]
    assert [len(engine.group.hit(engine.table(range(n)))) for n in (0, 1, 32, 33)] == [0, 0, 0, 1]


def test_free_hits_count_as_blocks_to_allocate() -> None:
    """20 blocks are wanted, 10 are hits: 20 go where the hits are free, 10 where they are held."""
    engine = Engine(100, 2)
    row = engine.admit(range(20))
    longer = engine.table(range(40))
    hits = engine.group.hit(longer)
    assert len(hits) == 10
    assert engine.group.blocks_to_allocate(longer, 40, hits) == 10
    engine.end(row)
    assert engine.group.blocks_to_allocate(longer, 40, hits) == 20


def test_the_predictor_is_exactly_what_the_allocator_takes() -> None:
    engine = Engine(100, 2)
    table = engine.table(range(16))
    for num_tokens in (4, 8, 12, 16):
        predicted = engine.group.blocks_to_allocate(table, num_tokens)
        free = engine.pool.num_free
        fresh = engine.group.allocate(table, num_tokens)
        assert fresh is not None
        assert len(fresh) == predicted == free - engine.pool.num_free == 2


@pytest.mark.parametrize(("num_blocks", "fits"), [(64 + 1, True), (32 + 1, True), (5, False)])
def test_a_prompt_of_32_blocks_is_admitted_where_it_fits(num_blocks: int, fits: bool) -> None:
    engine = Engine(num_blocks, 16)
    row = engine.offer(range(32 * 16))
    assert (row is not None) == fits


@pytest.mark.parametrize("num_lookahead", [2, 4])
def test_lookahead_tokens_get_a_place_but_are_not_indexed(num_lookahead: int) -> None:
    engine = Engine(10, 4)
    table = engine.table(range(3))
    fresh = engine.group.allocate(table, 3, num_lookahead=num_lookahead)
    assert fresh is not None
    assert len(fresh) == 2
    engine.group.index(table, 3 + num_lookahead)
    assert len(engine.pool.index) == 0


def test_a_row_that_does_not_fit_changes_nothing() -> None:
    engine = Engine(11, 16)
    holder = engine.admit(COMMON + [3] * 7)
    freed = engine.admit([*COMMON[:16], *[5] * 60])
    engine.end(freed)
    before = ([engine.pool.references(block) for block in range(11)], engine.pool.free_queue)
    known = len(engine.pool.index)
    for tokens in ([*COMMON[:16], *[5] * 160], COMMON + [7] * 160, [8] * 160):
        assert engine.offer(tokens) is None
    assert before == (
        [engine.pool.references(block) for block in range(11)],
        engine.pool.free_queue,
    )
    assert len(engine.pool.index) == known
    assert engine.admit(COMMON).hits == holder.table.blocks[:2]


def test_a_free_hit_is_not_given_out_as_a_new_block() -> None:
    """The hits stand at the queue's front, where new blocks are taken from."""
    engine = Engine(5, 4)
    engine.end(engine.admit(range(12)))
    engine.end(engine.admit([90, 91, 92]))
    row = engine.admit(range(16))
    assert sorted(row.table.blocks) == [1, 2, 3, 4]
    assert row.table.blocks[:3] == row.hits == [1, 2, 3]


def test_losing_one_of_two_equal_blocks_keeps_the_other() -> None:
    engine = Engine(6, 4)
    tables = [engine.table(range(5)) for _ in range(2)]
    for table in tables:
        assert engine.group.hit(table) == []
        assert engine.group.allocate(table, 5) is not None
    for table in tables:
        engine.group.index(table, 5)
    assert engine.group.hit(engine.table(range(5))) == [1]
    engine.group.release(tables[0])
    assert engine.admit([7] * 10).table.blocks == [2, 5, 1]
    assert engine.group.hit(engine.table(range(5))) == [3]


def test_a_reset_is_refused_while_blocks_are_in_use() -> None:
    engine = Engine(11, 16)
    row = engine.admit(COMMON)
    assert not engine.pool.reset()
    assert len(engine.pool.index) == 3
    engine.end(row)
    assert engine.pool.reset()
    assert engine.group.hit(engine.table(COMMON)) == []
    assert engine.pool.num_free == 10


def test_generated_blocks_are_indexed_as_they_fill() -> None:
    engine = Engine(11, 4)
    row = engine.admit(range(6))
    table, whole = row.table, engine.table(range(13))
    table.num_tokens, table.hashes = whole.num_tokens, whole.hashes
    for num_computed in (7, 8, 12):
        assert engine.group.allocate(table, num_computed) is not None
        engine.group.index(table, num_computed)
        assert len(engine.pool.index) == num_computed // 4
    engine.end(row)
    assert engine.admit(range(13)).hits == [1, 2, 3]


def test_releasing_what_nobody_holds_is_our_own_bug() -> None:
    pool = BlockPool(4)
    blocks = pool.take(2)
    pool.release(blocks)
    with pytest.raises(AssertionError, match="block 2 is released but nobody holds it"):
        pool.release(blocks)
    with pytest.raises(AssertionError, match="4 blocks wanted, 3 are free"):
        pool.take(4)
