"""From label scores to SQL values: calibration, probabilities, the answer of each row."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Shaped

from sqlax.runtime.prompt.answers import with_answers
from sqlax.runtime.prompt.state import Status
from sqlax.runtime.relation import Relation
from sqlax.runtime.score.inputs import ScoreInputs
from sqlax.runtime.score.operator import Answer, ScoreOperator
from sqlax.runtime.score.state import ScoreState


def answered(operator: ScoreOperator, inputs: ScoreInputs, state: ScoreState) -> Relation:
    """The operator's rows with the answer and its error text as two more columns."""
    value = _value(operator, inputs, probabilities(operator, inputs, state))
    return with_answers(operator, inputs, state, value)


def probabilities(
    operator: ScoreOperator, inputs: ScoreInputs, state: ScoreState
) -> Float[Array, "items labels"]:
    """Calibrated label probabilities of each item, float32.

    The mean log-probability of the labels after content-free texts is taken off (Zhao et al.,
    "Calibrate Before Use", 2021): it depends on the prompt alone, never on other rows.
    """
    logp = jnp.where(inputs.trie.label_valid, state.logp, -jnp.inf)
    own = jax.nn.log_softmax(logp[: operator.items], axis=1)
    if operator.neutral:
        own = own - inputs.strength * _bias(operator, inputs, state, logp[operator.items :])
    return jax.nn.softmax(own, axis=1)


def _bias(
    operator: ScoreOperator,
    inputs: ScoreInputs,
    state: ScoreState,
    logp: Float[Array, "neutral labels"],
) -> Float[Array, " labels"]:
    """The mean over the neutral texts that all labels could be scored after; 0 without any."""
    usable = inputs.trie.label_valid & (logp > -jnp.inf)
    whole = jnp.all(usable == inputs.trie.label_valid, axis=1)
    used = whole & (state.status[operator.items :] == Status.DONE)
    relative = jnp.where(usable, jax.nn.log_softmax(logp, axis=1), 0.0)
    total = jnp.sum(jnp.where(used[:, None], relative, 0.0), axis=0)
    return total / jnp.maximum(jnp.sum(used), 1).astype(jnp.float32)


def _value(
    operator: ScoreOperator, inputs: ScoreInputs, probability: Float[Array, "items labels"]
) -> Shaped[Array, " items"]:
    first = probability[:, 0].astype(jnp.float64)
    best = jnp.argmax(probability, axis=1)
    if operator.answer is Answer.TRUTH:
        return probability[:, 0] >= inputs.threshold
    if operator.answer is Answer.PROBABILITY:
        return first
    if operator.answer is Answer.EXPECTATION:
        return jnp.sum(probability.astype(jnp.float64) * inputs.label_value, axis=1)
    if operator.answer is Answer.LABEL:
        return inputs.label_code[best]
    return _label_set(probability >= inputs.threshold, best)


def _label_set(
    chosen: Shaped[Array, "items labels"], best: Shaped[Array, " items"]
) -> Shaped[Array, " items"]:
    """A set of label numbers as the bits of an int64; the best label is always in it."""
    bits = jnp.left_shift(jnp.int64(1), jnp.arange(chosen.shape[1], dtype=jnp.int64))
    return jnp.sum(jnp.where(chosen, bits, 0), axis=1) | bits[best]
