"""The texts that models write in a program, as expressions read them: ordered and matched."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int

from sqlax.runtime.constrain.byte_automaton import ByteAutomaton
from sqlax.runtime.prompt.texts import Written
from sqlax.runtime.text.matches import matches
from sqlax.runtime.text.spelled import Spelled, joined, spelled, text_length
from sqlax.runtime.text.tables import TextTables
from sqlax.runtime.text.text_ranks import representative, text_ranks

RANKED = "ranked VARCHAR"
"""The type of texts held as ranks: they compare as the texts do, and nothing else."""


class WrittenTexts(Protocol):
    """What is known of all texts of a program, by text id."""

    def rank(self, text: Int[Array, " rows"]) -> Int[Array, " rows"]:
        """int64 that compare as the texts do."""
        ...

    def matching(self, automaton: ByteAutomaton, text: Int[Array, " rows"]) -> Bool[Array, " rows"]:
        """Whether written texts are accepted; of no meaning for dictionary codes."""
        ...

    def characters(self, text: Int[Array, " rows"]) -> Int[Array, " rows"]:
        """int64, characters of written texts; of no meaning for dictionary codes."""
        ...


class NoTexts:
    """Stands in where only the shapes matter."""

    def rank(self, text: Int[Array, " rows"]) -> Int[Array, " rows"]:
        """Zeros."""
        return jnp.zeros(text.shape, jnp.int64)

    def matching(self, automaton: ByteAutomaton, text: Int[Array, " rows"]) -> Bool[Array, " rows"]:
        """False."""
        return jnp.zeros(text.shape, bool)

    def characters(self, text: Int[Array, " rows"]) -> Int[Array, " rows"]:
        """Zeros."""
        return jnp.zeros(text.shape, jnp.int64)


@dataclass
class ProgramTexts:
    """The texts that are there while one phase runs; spelled and ordered at most once in it.

    Attributes:
        codes: capacity of the dictionary; the first written text has this id.
        written: what each generate operator has written, with its model, in id order.
        tables: what its tokens spell.
    """

    codes: int
    written: tuple[tuple[str, Written], ...]
    tables: TextTables

    def rank(self, text: Int[Array, " rows"]) -> Int[Array, " rows"]:
        """int64 that compare as the texts do."""
        return self._ranks.at[text].get(mode="clip")

    def first_equal(self, text: Int[Array, " rows"]) -> Int[Array, " rows"]:
        """The first id of an equal text, int32."""
        return representative(self._ranks, self.codes).at[text].get(mode="clip")

    def matching(self, automaton: ByteAutomaton, text: Int[Array, " rows"]) -> Bool[Array, " rows"]:
        """Whether written texts are accepted; of no meaning for dictionary codes."""
        return matches(automaton, self._spelled).at[text - self.codes].get(mode="clip")

    def characters(self, text: Int[Array, " rows"]) -> Int[Array, " rows"]:
        """int64, characters of written texts; of no meaning for dictionary codes."""
        return text_length(self._spelled).at[text - self.codes].get(mode="clip")

    @cached_property
    def _spelled(self) -> Spelled:
        return joined([spelled(w.tokens, w.length, self.tables.tokens[m]) for m, w in self.written])

    @cached_property
    def _ranks(self) -> Int[Array, " ids"]:
        count = sum(made.length.shape[0] for _, made in self.written)
        made = text_ranks(self.codes, self._spelled, jnp.ones(count, bool), self.tables.dictionary)
        ranks: Int[Array, " ids"] = jax.lax.optimization_barrier(made)  # type: ignore[no-untyped-call]
        return ranks
