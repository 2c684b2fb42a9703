"""The kinds of operators that ask a model, told apart once."""

from __future__ import annotations

from dataclasses import dataclass

from sqlax.models.language_model import Prefix
from sqlax.runtime.generate import state as generate
from sqlax.runtime.generate.admit import begin_run
from sqlax.runtime.generate.answers import generated
from sqlax.runtime.generate.inputs import GenerateInputs
from sqlax.runtime.generate.operator import GenerateOperator
from sqlax.runtime.generate.state import GenerateState
from sqlax.runtime.prompt.inputs import PromptInputs
from sqlax.runtime.prompt.operator import PromptOperator
from sqlax.runtime.prompt.state import PromptState
from sqlax.runtime.prompt.texts import Written
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


@dataclass(frozen=True)
class Generating:
    """A generate operator with what it reads and how far it is."""

    operator: GenerateOperator
    inputs: GenerateInputs
    state: GenerateState


def generating(operator: PromptOperator, inputs: PromptInputs, state: PromptState) -> Generating:
    """The three parts of a generate operator."""
    assert isinstance(operator, GenerateOperator)
    assert isinstance(inputs, GenerateInputs)
    assert isinstance(state, GenerateState)
    return Generating(operator, inputs, state)


def answers_of(operator: PromptOperator, inputs: PromptInputs, state: PromptState) -> Relation:
    """The operator's rows with its answers."""
    if isinstance(operator, GenerateOperator):
        made = generating(operator, inputs, state)
        return generated(made.operator, made.inputs, made.state)
    asked = scoring(operator, inputs, state)
    return answered(asked.operator, asked.inputs, asked.state)


def written(operator: PromptOperator, state: PromptState) -> Written | None:
    """The texts that an operator has written; None for one that writes none."""
    if not isinstance(operator, GenerateOperator):
        return None
    assert isinstance(state, GenerateState)
    return Written(operator.first_id, state.texts.tokens, state.texts.length)


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
    if isinstance(operator, GenerateOperator):
        return generate.initial_state(operator, relation, prefix, ways)
    assert isinstance(operator, ScoreOperator)
    assert isinstance(inputs, ScoreInputs)
    return initial_state(operator, relation, prefix, inputs.trie.path.shape[0], ways)


def listed(operator: PromptOperator, state: PromptState) -> PromptState:
    """The state once its work has been listed."""
    if isinstance(operator, GenerateOperator):
        assert isinstance(state, GenerateState)
        return begin_run(operator, state)
    return state
