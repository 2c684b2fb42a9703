"""From hidden states to the log-probability of each label."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from sqlax.models.language_model import LabelTrie
from sqlax.models.linear import contract

VOCABULARY_BYTES = 16 << 20
"""Most bytes of full-vocabulary logits held at once."""


@jax.named_scope("head")
def label_scores(
    hidden: Float[Array, "rows reads width"],
    output_embedding: Float[Array, "vocabulary width"],
    labels: LabelTrie,
    used: Int[Array, ""],
) -> Float[Array, "rows labels"]:
    """Sum of each label's edge log-probabilities; -inf for unused labels.

    Args:
        hidden: final hidden states at the root and at each node of the trie.
        output_embedding: only the labels' rows are read unless `labels.normalise`.
        labels: the labels.
        used: how many of the rows, the first ones, are asked about; the others get anything.
    """
    edges = edge_logits(hidden, output_embedding, labels)
    if labels.normalise:
        total = log_normaliser(hidden, output_embedding, used)
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
    hidden: Float[Array, "rows reads width"],
    output_embedding: Float[Array, "vocabulary width"],
    used: Int[Array, ""],
) -> Float[Array, "rows reads"]:
    """Log of the sum of exp over the vocabulary's logits, a few states of the used rows at a time.

    0 where no state was looked at.
    """
    rows, reads, width = hidden.shape
    vocabulary = output_embedding.shape[0]
    step = max(16, VOCABULARY_BYTES // (4 * vocabulary) // 16 * 16)
    states = hidden.reshape(rows * reads, width)
    step = min(step, states.shape[0])
    padded = jnp.pad(states, ((0, -states.shape[0] % step), (0, 0)))

    def chunk(number: Int[Array, ""], done: Float[Array, " states"]) -> Float[Array, " states"]:
        some = jax.lax.dynamic_slice_in_dim(padded, number * step, step)
        total = jax.nn.logsumexp(contract(some, output_embedding, ((1,), (1,))), axis=-1)
        return jax.lax.dynamic_update_slice_in_dim(done, total, number * step, 0)

    chunks = (used * reads + (step - 1)) // step
    nothing = jnp.zeros(padded.shape[0], jnp.float32)
    totals: Array = jax.lax.fori_loop(jnp.int32(0), chunks, chunk, nothing)
    return totals[: rows * reads].reshape(rows, reads)
