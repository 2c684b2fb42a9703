"""The last phase of a program: its rows, and the lists that they have numbers of."""

from __future__ import annotations

import dataclasses

from sqlax.compiler.lowering.blueprint import Blueprint, phases_of
from sqlax.compiler.lowering.machine import Branch, goto, merged, relational
from sqlax.compiler.lowering.relational import Relational
from sqlax.compiler.plan.list_call import makers
from sqlax.compiler.plan.nodes import Node
from sqlax.models.language_model import Params
from sqlax.runtime.lists import Lists
from sqlax.runtime.operators.compact import compact
from sqlax.runtime.relation import Relation
from sqlax.runtime.state import ProgramInputs, ProgramState


def finish_phase(blueprint: Blueprint) -> Branch:
    """Compute the output rows and move them to the front."""
    phases = phases_of(blueprint)

    def branch(params: Params, inputs: ProgramInputs, state: ProgramState) -> ProgramState:
        rows = relational(blueprint, inputs, state)
        output, lists = finished(blueprint.plan, rows)
        state = dataclasses.replace(state, output=output, lists=lists)
        return goto(merged(blueprint, state, rows), phases.done)

    return branch


def finished(plan: Node, rows: Relational) -> tuple[Relation, dict[str, Lists]]:
    """The rows of a plan, compacted, and the lists that its columns have numbers of, by name.

    An aggregate below a semantic operator is computed once more: the rows that the operator kept
    have the same numbers.
    """
    output = compact(rows.evaluate(plan))
    wanted = {field.made for field in plan.schema.fields}
    for name, node, _ in makers(plan):
        if name in wanted:
            rows.evaluate(node)
    made = rows.environment.lists
    return output, {name: made[name] for name in sorted(made) if name in wanted}
