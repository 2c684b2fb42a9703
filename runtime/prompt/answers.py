"""From items to rows: each row's answer, or its error."""

from __future__ import annotations

from jaxtyping import Array, Shaped

from sqlax.runtime.prompt.inputs import PromptInputs
from sqlax.runtime.prompt.operator import PromptOperator
from sqlax.runtime.prompt.state import PromptState, Status
from sqlax.runtime.relation import Column, Relation


def with_answers(
    operator: PromptOperator,
    inputs: PromptInputs,
    state: PromptState,
    value: Shaped[Array, " items"],
) -> Relation:
    """The operator's rows with the answer and its error text as two more columns."""
    status = state.status[: operator.items][state.row_item]
    asked = state.row_known & state.needed
    answer = Column(value[state.row_item], asked & (status == Status.DONE))
    failed = Column(inputs.reason_code[status], asked & (status > Status.DONE))
    columns = {operator.name: answer, operator.name + "!": failed}
    return Relation({**state.relation.columns, **columns}, state.relation.mask)
