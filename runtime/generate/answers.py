"""From generated texts to SQL values: each row's text id."""

from __future__ import annotations

from sqlax.runtime.generate.inputs import GenerateInputs
from sqlax.runtime.generate.operator import GenerateOperator
from sqlax.runtime.generate.state import GenerateState
from sqlax.runtime.prompt.answers import with_answers
from sqlax.runtime.relation import Relation


def generated(operator: GenerateOperator, inputs: GenerateInputs, state: GenerateState) -> Relation:
    """The operator's rows with the id of the text and the error as two more columns."""
    return with_answers(operator, inputs, state, state.texts.of_item + operator.first_id)
