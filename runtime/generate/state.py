"""What changes while a generate operator works."""

from __future__ import annotations

import dataclasses

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int, UInt32

from sqlax.kvcache.pages import Pages, new_pages
from sqlax.models.language_model import Prefix
from sqlax.runtime.generate.operator import GenerateOperator
from sqlax.runtime.prompt.state import PromptState, initial_fields
from sqlax.runtime.relation import Relation


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Lanes:
    """The rows at work; all int32 but `key`.

    Attributes:
        item: each lane's item; -1 for an empty lane.
        place: the number of its text.
        prompt: tokens of its prompt, prefix not counted.
        made: tokens of its text so far.
        fed: tokens of prompt and text that its pages hold.
        state: its automaton's state.
        table: its pages in order, 0 behind them.
        key: hash of the prompt tokens that its pages hold, uint32.
        head: tokens of its prompt's head; 0 where it has none. See `head`.
        head_code: what heads are known by; -1 where it has none.
        head_key: hash of the head's tokens once its pages hold them, uint32.
        leader: the lane that reads the head for it; -1 for none.
    """

    item: Int[Array, " lanes"]
    place: Int[Array, " lanes"]
    prompt: Int[Array, " lanes"]
    made: Int[Array, " lanes"]
    fed: Int[Array, " lanes"]
    state: Int[Array, " lanes"]
    table: Int[Array, "lanes pages_per_row"]
    key: UInt32[Array, " lanes"]
    head: Int[Array, " lanes"]
    head_code: Int[Array, " lanes"]
    head_key: UInt32[Array, " lanes"]
    leader: Int[Array, " lanes"]

    @property
    def active(self) -> Bool[Array, " lanes"]:
        """Lanes with a row."""
        return self.item >= 0

    @property
    def pending(self) -> Int[Array, " lanes"]:
        """Tokens of the row that its pages do not hold yet; 0 for an empty lane."""
        return jnp.where(self.active, self.prompt + self.made - self.fed, 0)

    @property
    def run(self) -> Int[Array, " lanes"]:
        """Of those, tokens that may be in the next run: a head is read in runs of its own."""
        left = self.head - self.fed
        return jnp.where(left > 0, jnp.minimum(self.pending, left), self.pending)

    @property
    def waits(self) -> Bool[Array, " lanes"]:
        """Lanes whose head another one reads."""
        return self.active & (self.leader >= 0)

    @property
    def decodes(self) -> Bool[Array, " lanes"]:
        """Lanes whose pages lack the last token of their text alone."""
        return (self.pending == 1) & (self.made > 0)

    @property
    def reads(self) -> Bool[Array, " lanes"]:
        """Lanes whose next tokens are a chunk: of the prompt, or forced ones."""
        return (self.pending > 0) & ~self.decodes & ~self.waits


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Texts:
    """The texts made so far, in the order of their rows' admission; all int32.

    Attributes:
        of_item: the number of each item's text.
        tokens: the tokens of each text, anything behind its last.
        length: tokens of each text.
        count: texts begun.
    """

    of_item: Int[Array, " items"]
    tokens: Int[Array, "places most_tokens"]
    length: Int[Array, " places"]
    count: Int[Array, ""]


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Work:
    """What the loop did; int64.

    Attributes:
        decode_steps: decode steps.
        decode_rows: rows in them, summed.
        decode_lanes: lanes in them, empty or not, summed.
        chunks: prefill and forced runs.
        most_pages: most pages held at once.
        most_unused: most positions of held pages without a token at once.
    """

    decode_steps: Int[Array, ""]
    decode_rows: Int[Array, ""]
    decode_lanes: Int[Array, ""]
    chunks: Int[Array, ""]
    most_pages: Int[Array, ""]
    most_unused: Int[Array, ""]


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class GenerateState(PromptState):
    """One generate operator's progress.

    Attributes:
        lanes: the rows at work.
        texts: what they have written.
        pages: which pages are free.
        waited: decode steps since lanes began to wait for a chunk.
        idle: items that could have begun in each decode step since some did, summed.
        work: what was done.
    """

    lanes: Lanes
    texts: Texts
    pages: Pages
    waited: Int[Array, ""]
    idle: Int[Array, ""]
    work: Work

    @property
    def answer_fields(self) -> tuple[str, ...]:
        """The texts, and what it took to write them."""
        return ("texts", "work")


def initial_state(
    operator: GenerateOperator, relation: Relation, prefix: Prefix, ways: int
) -> GenerateState:
    """A state in which nothing is known yet; see `initial_fields`."""
    return GenerateState(
        **initial_fields(operator, relation, prefix, ways),
        lanes=empty_lanes(operator),
        texts=Texts(
            of_item=jnp.zeros(operator.items, jnp.int32),
            tokens=jnp.zeros(
                (operator.places, operator.most_tokens + operator.spare_tokens), jnp.int32
            ),
            length=jnp.zeros(operator.places, jnp.int32),
            count=jnp.zeros((), jnp.int32),
        ),
        pages=new_pages(operator.pages),
        waited=jnp.zeros((), jnp.int32),
        idle=jnp.zeros((), jnp.int32),
        work=Work(*(jnp.zeros((), jnp.int64) for _ in dataclasses.fields(Work))),
    )


def empty_lanes(operator: GenerateOperator) -> Lanes:
    """No row at work."""

    def zeros() -> Int[Array, " lanes"]:
        return jnp.zeros(operator.lanes, jnp.int32)

    return Lanes(
        item=zeros() - 1,
        place=zeros(),
        prompt=zeros(),
        made=zeros(),
        fed=zeros(),
        state=zeros(),
        table=jnp.zeros((operator.lanes, operator.pages_per_row), jnp.int32),
        key=jnp.zeros(operator.lanes, jnp.uint32),
        head=zeros(),
        head_code=zeros() - 1,
        head_key=jnp.zeros(operator.lanes, jnp.uint32),
        leader=zeros() - 1,
    )
