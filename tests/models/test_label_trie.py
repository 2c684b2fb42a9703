"""Labels as a trie."""

from __future__ import annotations

import numpy as np
import pytest

from sqlax.models.label_trie import build_trie


def test_single_tokens_need_no_nodes_and_no_normaliser() -> None:
    trie = build_trie([[5], [9], [11]])
    assert trie.node_token.shape == (0,)
    assert not trie.normalise
    np.testing.assert_array_equal(trie.edge_token, [5, 9, 11, 0])
    np.testing.assert_array_equal(trie.edge_parent, [0, 0, 0, 0])
    np.testing.assert_array_equal(trie.path[:3, :3], np.eye(3))
    np.testing.assert_array_equal(trie.label_valid, [True, True, True, False])


def test_labels_share_their_beginnings() -> None:
    trie = build_trie([[5, 6, 7], [5, 6, 8], [5, 3], [9]])
    assert trie.normalise
    np.testing.assert_array_equal(trie.node_token, [5, 6])
    np.testing.assert_array_equal(trie.node_depth, [1, 2])
    np.testing.assert_array_equal(trie.ancestors, [[True, False], [True, True]])
    np.testing.assert_array_equal(trie.edge_token, [5, 6, 7, 8, 3, 9, 0, 0])
    np.testing.assert_array_equal(trie.edge_parent, [0, 1, 2, 2, 1, 0, 0, 0])
    np.testing.assert_array_equal(trie.path.sum(1), [3, 3, 2, 1])


def test_unused_capacity_is_empty() -> None:
    trie = build_trie([[5, 6], [7]], node_capacity=4, edge_capacity=8, label_capacity=8)
    assert (len(trie.node_token), len(trie.edge_token), len(trie.label_valid)) == (4, 8, 8)
    assert not trie.ancestors[1:].any()
    assert not trie.path[2:].any()


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([], "there are no labels"),
        ([[5], []], "a label has no tokens"),
        ([[5, 6], [5]], "label 1 is the beginning of another label"),
        ([[5], [5]], "label 1 is given twice"),
    ],
    ids=["none", "empty", "beginning", "twice"],
)
def test_labels_that_cannot_be_told_apart(labels: list[list[int]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        build_trie(labels)


def test_a_capacity_that_is_too_small() -> None:
    with pytest.raises(ValueError, match="2 edges do not fit a capacity of 1"):
        build_trie([[5], [6]], edge_capacity=1)
