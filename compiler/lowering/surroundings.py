"""What expressions and prompts read beside the rows, from a program's inputs and state."""

from __future__ import annotations

from sqlax.compiler.lowering.blueprint import Blueprint
from sqlax.compiler.lowering.environment import Environment, Typed
from sqlax.compiler.lowering.kinds import written
from sqlax.compiler.lowering.written import NoTexts, ProgramTexts
from sqlax.runtime.prompt.texts import TextTokens
from sqlax.runtime.state import ProgramInputs, ProgramState


def texts_of(
    blueprint: Blueprint, inputs: ProgramInputs, state: ProgramState, model: str
) -> TextTokens:
    """Where prompts to a model read tokens: its pool, and what it has written."""
    pairs = zip(blueprint.operators, state.operators, strict=False)
    made = (written(o, progress) for o, progress in pairs if o.model.name == model)
    return TextTokens(inputs.pools[model], tuple(m for m in made if m is not None))


def environment(blueprint: Blueprint, inputs: ProgramInputs, state: ProgramState) -> Environment:
    """Constants and parameters as the expressions read them."""
    parameters = {
        name: Typed(inputs.parameters[name], kind)
        for name, kind in blueprint.parameter_types.items()
        if name in inputs.parameters
    }
    return Environment(
        lambda text: inputs.constants[blueprint.constants.index(text)],
        parameters,
        table=lambda wanted: inputs.maps[blueprint.maps.index(wanted)],
        written=program_texts(blueprint, inputs, state) or NoTexts(),
    )


def program_texts(
    blueprint: Blueprint, inputs: ProgramInputs, state: ProgramState
) -> ProgramTexts | None:
    """What is written so far; None where no operator has a place for texts yet."""
    pairs = zip(blueprint.operators, state.operators, strict=False)
    made = [(o.model.name, written(o, progress)) for o, progress in pairs]
    texts = tuple((model, w) for model, w in made if w is not None)
    if not texts or inputs.texts is None:
        return None
    return ProgramTexts(texts[0][1].first_id, texts, inputs.texts)
