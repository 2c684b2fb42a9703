"""Operators that share compiled bodies: what differs between them is data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import jax
import jax.numpy as jnp

from sqlax.compiler.lowering.blueprint import Blueprint
from sqlax.models.language_model import LanguageModel
from sqlax.runtime.generate.operator import GenerateOperator
from sqlax.runtime.prompt.inputs import PromptInputs
from sqlax.runtime.prompt.operator import PromptOperator, Tile
from sqlax.runtime.score.inputs import ScoreInputs
from sqlax.runtime.score.operator import ScoreOperator
from sqlax.runtime.state import ProgramState

Picked = TypeVar("Picked")


@dataclass(frozen=True)
class Group:
    """Operators that share compiled bodies.

    Attributes:
        model: the model that all of them ask.
        members: their numbers.
        tiles: the tile shapes that any of them needs; none for generate operators.
    """

    model: LanguageModel
    members: tuple[int, ...]
    tiles: tuple[Tile, ...]


def groups_of(blueprint: Blueprint, inputs: Sequence[PromptInputs]) -> tuple[Group, ...]:
    """The operators of a blueprint by what their bodies are compiled for.

    Args:
        blueprint: the plan.
        inputs: each operator's constants, or their shapes.
    """
    found: dict[Any, list[int]] = {}
    for number, (operator, given) in enumerate(zip(blueprint.operators, inputs, strict=True)):
        key = (operator.model.name, given.prefix_tokens.shape, *_own_shapes(operator, given))
        found.setdefault(key, []).append(number)
    return tuple(_group(blueprint, tuple(members)) for members in found.values())


def _own_shapes(operator: PromptOperator, inputs: PromptInputs) -> tuple[Any, ...]:
    """What the bodies of one kind of operators are compiled for, model and prefix apart."""
    if isinstance(operator, GenerateOperator):
        return ("generate", operator.lanes)
    assert isinstance(inputs, ScoreInputs)
    shapes = tuple((leaf.shape, str(leaf.dtype)) for leaf in jax.tree.leaves(inputs.trie))
    return ("score", shapes, inputs.trie.normalise)


def _group(blueprint: Blueprint, members: tuple[int, ...]) -> Group:
    operators = [blueprint.operators[number] for number in members]
    tiles = max((o.tiles for o in operators if isinstance(o, ScoreOperator)), key=len, default=())
    return Group(operators[0].model, members, tiles)


def generate_operators(blueprint: Blueprint, group: Group) -> dict[int, GenerateOperator]:
    """The members of a group of generate operators, by number."""
    members = ((number, blueprint.operators[number]) for number in group.members)
    return {n: operator for n, operator in members if isinstance(operator, GenerateOperator)}


def pick(group: Group, state: ProgramState, of_operator: Callable[[int], Picked]) -> Picked:
    """`of_operator(n)` for the member n of the group that is at work."""
    if len(group.members) == 1:
        return of_operator(group.members[0])
    number = state.phase // 3
    place = jnp.sum(jnp.asarray(group.members, jnp.int32) < number, dtype=jnp.int32)
    choices = [lambda n=n: of_operator(n) for n in group.members]
    picked: Picked = jax.lax.switch(place, choices)
    return picked
