"""From hidden states to the log-probability of each label."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from sqlax.models.language_model import LabelTrie
from sqlax.models.linear import contract

VOCABULARY_BYTES = 16 << 20
"""Most bytes of full-vocabulary logits held at once."""


@jax.named_scope("head")
def label_scores(
    hidden: Float[Array, "rows reads width"],
    output_embedding: Float[Array, "vocabulary width"],
    labels: LabelTrie,
) -> Float[Array, "rows labels"]:
    """Sum of each label's edge log-probabilities; -inf for unused labels.

    Args:
        hidden: final hidden states at the root and at each node of the trie.
        output_embedding: only the labels' rows are read unless `labels.normalise`.
        labels: the labels.
    """
    edges = edge_logits(hidden, output_embedding, labels)
    if labels.normalise:
        total = log_normaliser(hidden, output_embedding)
        edges = edges - total.at[:, labels.edge_parent].get(mode="clip")
    scores = contract(edges, labels.path, ((1,), (1,)))
    return jnp.where(labels.label_valid, scores, -jnp.inf)


def edge_logits(
    hidden: Float[Array, "rows reads width"],
    output_embedding: Float[Array, "vocabulary width"],
    labels: LabelTrie,
) -> Float[Array, "rows edges"]:
    """The logit of each edge's token at the state that the edge leaves."""
    rows, reads, width = hidden.shape
    token = output_embedding.at[labels.edge_token].get(mode="clip")
    logits = contract(hidden.reshape(rows * reads, width), token, ((1,), (1,)))
    logits = logits.reshape(rows, reads, -1)
    if reads == 1:
        return logits[:, 0]
    return jnp.take_along_axis(logits, labels.edge_parent[None, None], 1, mode="clip")[:, 0]


def log_normaliser(
    hidden: Float[Array, "rows reads width"], output_embedding: Float[Array, "vocabulary width"]
) -> Float[Array, "rows reads"]:
    """Log of the sum of exp over the vocabulary's logits, a few states at a time."""
    rows, reads, width = hidden.shape
    vocabulary = output_embedding.shape[0]
    step = max(16, VOCABULARY_BYTES // (4 * vocabulary) // 16 * 16)
    states = hidden.reshape(rows * reads, width)
    step = min(step, states.shape[0])
    padded = jnp.pad(states, ((0, -states.shape[0] % step), (0, 0)))

    def chunk(some: Float[Array, "states width"]) -> Float[Array, " states"]:
        return jax.nn.logsumexp(contract(some, output_embedding, ((1,), (1,))), axis=-1)

    totals: Array = jax.lax.map(chunk, padded.reshape(-1, step, width)).reshape(-1)
    return totals[: rows * reads].reshape(rows, reads)
