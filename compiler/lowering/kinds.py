"""The kinds of operators that ask a model, told apart once."""

from __future__ import annotations

from dataclasses import dataclass

from sqlax.models.language_model import Prefix
from sqlax.runtime.prompt.inputs import PromptInputs
from sqlax.runtime.prompt.operator import PromptOperator
from sqlax.runtime.prompt.state import PromptState
from sqlax.runtime.relation import Relation
from sqlax.runtime.score.answers import answered
from sqlax.runtime.score.inputs import ScoreInputs
from sqlax.runtime.score.operator import ScoreOperator
from sqlax.runtime.score.state import ScoreState, initial_state


@dataclass(frozen=True)
class Scoring:
    """A score operator with what it reads and how far it is."""

    operator: ScoreOperator
    inputs: ScoreInputs
    state: ScoreState


def scoring(operator: PromptOperator, inputs: PromptInputs, state: PromptState) -> Scoring:
    """The three parts of a score operator."""
    assert isinstance(operator, ScoreOperator)
    assert isinstance(inputs, ScoreInputs)
    assert isinstance(state, ScoreState)
    return Scoring(operator, inputs, state)


def answers_of(operator: PromptOperator, inputs: PromptInputs, state: PromptState) -> Relation:
    """The operator's rows with its answers."""
    asked = scoring(operator, inputs, state)
    return answered(asked.operator, asked.inputs, asked.state)


def begin(
    operator: PromptOperator, inputs: PromptInputs, relation: Relation, prefix: Prefix, ways: int
) -> PromptState:
    """The operator's state before its first morsel.

    Args:
        operator: the operator.
        inputs: its constants.
        relation: zeros in the shape of its input rows.
        prefix: zeros in the shape of its prefix's key-value state.
        ways: windows in the token pool at once.
    """
    assert isinstance(operator, ScoreOperator)
    assert isinstance(inputs, ScoreInputs)
    return initial_state(operator, relation, prefix, inputs.trie.path.shape[0], ways)
