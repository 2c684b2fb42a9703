"""Hashes of blocks and what is found by them: rows of kv_conformance.md, sections 3 and 4.

The radix index of SGLang answers the same questions as our chain of hashes with the pool's free
queue as its order of eviction, so its values are restated for the two together. Left to the issue
of recurrent state: inserting length 0, a shorter match, a longer insert, a late short insert.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from sqlax.kvcache.block_pool import BlockPool
from sqlax.kvcache.identity import Identity, Item
from sqlax.kvcache.prefix_index import BlockHash, PrefixIndex, hash_blocks
from tests.kvcache.engine import PLAIN, Engine


def equal_blocks(left: Identity, right: Identity) -> list[bool]:
    """Which of four blocks of the same tokens have equal own keys, the chain left aside."""
    return [left.keys(at, at + 4) == right.keys(at, at + 4) for at in (0, 4, 8, 12)]


def test_only_full_blocks_have_a_hash_and_known_ones_are_not_computed_again() -> None:
    tokens = list(range(19))
    hashes = hash_blocks(tokens, 4, PLAIN)
    assert len(hashes) == 4
    assert hash_blocks(tokens[:16], 4, PLAIN) == hashes
    assert hash_blocks(tokens, 4, PLAIN, known=hashes[:3]) == hashes
    marked = [BlockHash(b"known")]
    assert hash_blocks(tokens, 4, PLAIN, known=marked)[0] == b"known"
    assert hash_blocks([], 4, PLAIN) == []


def test_a_block_depends_on_all_tokens_before_it_and_on_none_behind() -> None:
    tokens = list(range(16))
    hashes = hash_blocks(tokens, 4, PLAIN)
    for changed in range(16):
        other = hash_blocks([*tokens[:changed], -1, *tokens[changed + 1 :]], 4, PLAIN)
        same = [left == right for left, right in zip(hashes, other, strict=True)]
        assert same == [block < changed // 4 for block in range(4)]


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(Identity("other weights"), id="execution"),
        pytest.param(Identity(PLAIN.execution, namespace="a"), id="namespace"),
        pytest.param(Identity(PLAIN.execution, adapter="a"), id="adapter"),
        pytest.param(Identity(PLAIN.execution, items=(Item("a", 0, 1),)), id="item"),
    ],
)
def test_every_part_of_the_identity_changes_every_hash(other: Identity) -> None:
    tokens = list(range(16))
    hashes = {*hash_blocks(tokens, 4, PLAIN), *hash_blocks(tokens, 4, other)}
    assert len(hashes) == 8
    assert not hashes & set(hash_blocks(tokens, 8, other))


def test_a_namespace_enters_the_first_block_and_an_adapter_every_block() -> None:
    namespace = Identity(PLAIN.execution, namespace="a")
    adapter = Identity(PLAIN.execution, adapter="a")
    assert equal_blocks(PLAIN, namespace) == [False, True, True, True]
    assert equal_blocks(PLAIN, adapter) == [False] * 4
    assert namespace.keys(0, 4) != adapter.keys(0, 4)


def test_an_item_enters_each_block_it_touches_with_its_place() -> None:
    with_item = Identity(PLAIN.execution, items=(Item("image", 3, 6),))
    assert equal_blocks(PLAIN, with_item) == [False, False, False, True]
    assert [with_item.keys(at, at + 4)[2:] for at in (0, 4, 8, 12)] == [
        ["image", 3],
        ["image", -1],
        ["image", -5],
        [],
    ]
    ending = Identity(PLAIN.execution, items=(Item("image", 4, 4),))
    assert equal_blocks(PLAIN, ending) == [True, False, True, True]
    moved = Identity(PLAIN.execution, items=(Item("image", 4, 6),))
    assert equal_blocks(with_item, moved) == [False, False, False, True]
    other = Identity(PLAIN.execution, items=(Item("other", 9, 1),))
    hashes = [hash_blocks(range(16), 4, identity) for identity in (PLAIN, other)]
    same = [left == right for left, right in zip(*hashes, strict=True)]
    assert same == [True, True, False, False]


def test_names_that_read_alike_are_told_apart() -> None:
    """One item of digest "a", or two; a name that is spelled like a missing one."""
    pairs = [
        (Identity("x", namespace="null"), Identity("x")),
        (
            Identity("x", items=(Item('a", 0, "a', 0, 1),)),
            Identity("x", items=(Item("a", 0, 1),) * 2),
        ),
        (Identity("x", namespace='a", "b'), Identity("x", namespace="a", adapter="b")),
    ]
    for left, right in pairs:
        assert hash_blocks(range(4), 4, left) != hash_blocks(range(4), 4, right)


def test_namespaces_see_only_their_own_blocks() -> None:
    engine = Engine(32, 1)
    spaces = {name: Identity(PLAIN.execution, namespace=name) for name in "abc"}
    for name in "ab":
        row = engine.admit(range(8), spaces[name])
        assert row.hits == []
        engine.end(row)
    assert len(engine.pool.index) == 16
    found = {
        name: engine.pool.index.longest(engine.table(range(8), identity).hashes)
        for name, identity in spaces.items()
    }
    assert found == {"a": [1, 2, 3, 4, 5, 6, 7, 8], "b": [9, 10, 11, 12, 13, 14, 15, 16], "c": []}


def test_the_oldest_of_equal_blocks_is_found_until_it_is_forgotten() -> None:
    index = PrefixIndex()
    first, second = hash_blocks(range(8), 4, PLAIN)
    for block, block_hash in ((5, first), (3, first), (4, second)):
        index.add(block, block_hash)
        assert index.check()
    assert index.longest([first, second]) == [5, 4]
    index.forget(5)
    index.forget(9)
    assert index.check()
    assert index.longest([first, second]) == [3, 4]
    index.forget(3)
    assert index.longest([first, second]) == []
    assert len(index) == 1
    with pytest.raises(AssertionError, match="block 4 is in the index already"):
        index.add(4, first)


def insert(pool: BlockPool, hashes: Sequence[BlockHash]) -> int:
    """Computes a row and ends it; how many of its blocks were there already."""
    hits = pool.index.longest(hashes)
    pool.touch(hits)
    fresh = pool.take(len(hashes) - len(hits))
    for block, block_hash in zip(fresh, hashes[len(hits) :], strict=True):
        pool.index.add(block, block_hash)
    pool.release(hits + fresh)
    assert pool.check()
    return len(hits)


def test_the_radix_index_with_pages_of_one_token() -> None:
    a, b, c = (
        hash_blocks(list(word), 1, PLAIN) for word in (b"aaaabbbb", b"aaaacccc", b"dddddddd")
    )
    pool = BlockPool(20 + 1)
    assert [insert(pool, row) for row in (a, b, c)] == [0, 4, 0]
    assert len(pool.index) == 20
    locked = pool.index.longest(a)
    pool.touch(locked)
    assert 20 - pool.num_free == 8
    evicted = pool.take(4)
    assert [len(pool.index.longest(row)) for row in (a, b, c)] == [8, 4, 8]
    pool.release(evicted)
    pool.release(locked)
    assert len(pool.index) == 16
    pool.take(20)
    assert len(pool.index) == 0


def test_the_radix_index_with_pages_of_128_tokens() -> None:
    """A is used once more before anything is evicted: the least recent tail is then B's."""
    tokens = list(range(300))
    a = hash_blocks(tokens, 128, PLAIN)
    b = hash_blocks(tokens[:128] + tokens[:128], 128, PLAIN)
    pool = BlockPool(3 + 1)
    insert(pool, a)
    assert len(pool.index) * 128 == 256
    assert len(pool.index.longest(hash_blocks(tokens[:270], 128, PLAIN))) * 128 == 256
    assert insert(pool, b) * 128 == 128
    assert len(pool.index) * 128 == 384
    insert(pool, a)
    pool.release(pool.take(1))
    assert len(pool.index.longest(a)) * 128 == len(pool.index) * 128 == 256
    pool.take(3)
    assert len(pool.index) == 0
