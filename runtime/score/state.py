"""What changes while a score operator works."""

from __future__ import annotations

import dataclasses

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from sqlax.models.language_model import Prefix
from sqlax.runtime.prompt.state import PromptState, initial_fields
from sqlax.runtime.relation import Relation
from sqlax.runtime.score.operator import ScoreOperator


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class ScoreState(PromptState):
    """One score operator's progress.

    Attributes:
        logp: log-probability of each label for each slot.
    """

    logp: Float[Array, "slots labels"]

    @property
    def answer_fields(self) -> tuple[str, ...]:
        """The label scores."""
        return ("logp",)


def initial_state(
    operator: ScoreOperator, relation: Relation, prefix: Prefix, labels: int, ways: int
) -> ScoreState:
    """A state in which nothing is known yet; see `initial_fields`.

    Args:
        operator: the operator.
        relation: zeros in the shape of its input rows.
        prefix: zeros in the shape of its prefix's key-value state.
        labels: capacity of its labels.
        ways: windows in the token pool at once.
    """
    logp = jnp.zeros((operator.slots, labels), jnp.float32)
    return ScoreState(**initial_fields(operator, relation, prefix, ways), logp=logp)
