"""What a program reads and what changes while it runs: two pytrees."""

from __future__ import annotations

import dataclasses

import jax
from jaxtyping import Array, Bool, Int

from sqlax.models.language_model import PageArrays
from sqlax.runtime.lists import Lists
from sqlax.runtime.mapping import MapTable
from sqlax.runtime.narrow import NarrowRelation
from sqlax.runtime.prompt.inputs import PromptInputs, TokenPool
from sqlax.runtime.prompt.state import PromptState
from sqlax.runtime.relation import Column, Relation
from sqlax.runtime.text.tables import TextTables


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class ProgramInputs:
    """Everything a program reads beside the weights; never donated.

    Attributes:
        scans: the rows of each scan as they were loaded, in the manifest's order.
        constants: dictionary code of each string constant, in the manifest's order.
        maps: what the host has computed for each value of a column, in the manifest's order.
        parameters: run-time parameters as columns of one row.
        pools: the tokens of the texts that prompts read, by model name.
        operators: constants of each operator that asks a model.
        texts: what written texts are spelled and compared with; None where none are written.
        counted: constant tokens of each AI_COUNT_TOKENS prompt, in the manifest's order.
    """

    scans: tuple[NarrowRelation, ...]
    constants: Int[Array, " constants"]
    maps: tuple[MapTable, ...]
    parameters: dict[str, Column]
    pools: dict[str, TokenPool]
    operators: tuple[PromptInputs, ...]
    counted: Column
    texts: TextTables | None


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class ProgramState:
    """Everything that changes; it stays on the device and each step donates it.

    Attributes:
        phase: what happens next, by number.
        waiting: an operator needs windows of the token pool that are not loaded.
        wanted: dictionary codes that those windows must hold.
        windows: input rows each early-stopping LIMIT asks for; 0 before it has asked for more.
        operators: progress of each operator that asks a model.
        output: the result rows, compacted, once the program is done.
        lists: what columns of the output that the program makes are numbers of, by name.
        needed: output rows that each join would need.
        overflow: a number left the range of its SQL type.
        steps: morsels done.
        pages: key-value state of the rows at work, by model name.
    """

    phase: Int[Array, ""]
    waiting: Bool[Array, ""]
    wanted: Int[Array, " ways"]
    windows: Int[Array, " limits"]
    operators: tuple[PromptState, ...]
    output: Relation
    lists: dict[str, Lists]
    needed: Int[Array, " joins"]
    overflow: Bool[Array, ""]
    steps: Int[Array, ""]
    pages: dict[str, PageArrays]
