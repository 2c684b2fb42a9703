"""What the compiler and the runtime ask of a language model.

The runtime knows tokens and shapes; a model knows weights. Everything below that takes or returns
JAX arrays is a pure function called inside the one compiled program of a query.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Protocol, TypeAlias, runtime_checkable

import jax
from jaxtyping import Array, Bool, Float, Int

from sqlax.models.profile import PromptProfile
from sqlax.models.tokenizer import Tokenizer

Params: TypeAlias = Any
"""A pytree of the model's arrays; passed to the compiled program, never captured by it."""

Prefix: TypeAlias = Any
"""A pytree: the key-value state of a constant prefix, shared by every row of an operator."""

PageArrays: TypeAlias = Any
"""A pytree: what the pages of all rows hold. Page i is page i of every array in it."""


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class PackedRows:
    """Rows laid one after another in one flat run of tokens, padded at its end.

    A row is its prompt's tokens followed by one token for each node of the label trie::

        tokens  [ row 0 prompt | nodes | row 1 prompt | nodes | ... | padding ]
                  ^ start[0]             ^ start[1]

    Attributes:
        tokens: token ids.
        row: the number of each token's row; `rows` (one too many) for padding.
        start: first flat position of each row.
        prompt_length: prompt tokens of each row, without trie nodes; 0 marks an empty slot.
        row_capacity: the attention length: prompt plus trie nodes of every row fit in it.
    """

    tokens: Int[Array, " tokens"]
    row: Int[Array, " tokens"]
    start: Int[Array, " rows"]
    prompt_length: Int[Array, " rows"]
    row_capacity: int = dataclasses.field(metadata={"static": True})


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class PagedRows:
    """New tokens of several rows, behind what the rows' pages hold already.

    The rows lie one after another as in `PackedRows`. Where `row_capacity` is 1 there are as many
    tokens as rows and token i is row i's, with or without an empty slot between.

    Attributes:
        tokens: new tokens of all rows, padded.
        row: the number of each token's row; `rows` (one too many) for padding.
        start: first flat position of each row.
        length: new tokens of each row; 0 marks an empty slot.
        before: tokens of the row that its pages hold already, prefix not counted.
        prompt: how many of the row's first tokens are its prompt; those behind are its text.
        table: the row's pages in order, 0 where it has none; they have room for the new tokens.
        row_capacity: most new tokens of a row.
    """

    tokens: Int[Array, " tokens"]
    row: Int[Array, " tokens"]
    start: Int[Array, " rows"]
    length: Int[Array, " rows"]
    before: Int[Array, " rows"]
    prompt: Int[Array, " rows"]
    table: Int[Array, "rows most"]
    row_capacity: int = dataclasses.field(metadata={"static": True})


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class LabelTrie:
    """The labels of one operator as a trie over tokens, so that one forward pass scores them all.

    The root is the prompt's last token; a node is a label token that some label continues after.
    An edge is a label token seen from the node before it. Unused nodes, edges and labels have
    token 0, no ancestors and an all-zero `path`.

    Attributes:
        node_token: token of each node.
        node_depth: depth of each node; 1 for a child of the root.
        ancestors: `ancestors[i, j]` is true where node j lies on the path to node i, i included.
        edge_parent: the node an edge leaves: 0 for the root, i + 1 for node i.
        edge_token: the token an edge stands for.
        path: 1.0 where an edge lies on a label's path.
        label_valid: false for unused labels.
        normalise: take log-softmax over the whole vocabulary before adding edges up. It is false
            when every label is a single token: the normaliser then cancels between labels, and
            only the label rows of the output embedding are read.
    """

    node_token: Int[Array, " nodes"]
    node_depth: Int[Array, " nodes"]
    ancestors: Bool[Array, "nodes nodes"]
    edge_parent: Int[Array, " edges"]
    edge_token: Int[Array, " edges"]
    path: Float[Array, "labels edges"]
    label_valid: Bool[Array, " labels"]
    normalise: bool = dataclasses.field(metadata={"static": True})


@runtime_checkable
class LanguageModel(Protocol):
    """A model that can score labels inside a compiled program."""

    @property
    def name(self) -> str:
        """The name under which a query asks for it."""
        ...

    @property
    def identity(self) -> str:
        """Changes whenever an answer could: weights, dtype and attention path."""
        ...

    @property
    def context_length(self) -> int:
        """Most tokens of prefix, prompt and label together."""
        ...

    @property
    def flops_per_token(self) -> int:
        """Multiply-adds of the linear layers counted twice, per token."""
        ...

    @property
    def kv_bytes_per_token(self) -> int:
        """Bytes of key-value state one token leaves behind."""
        ...

    @property
    def tokenizer(self) -> Tokenizer:
        """Turns text into the model's tokens."""
        ...

    @property
    def profile(self) -> PromptProfile:
        """How the model wants to be asked."""
        ...

    @property
    def params(self) -> Params:
        """The weights."""
        ...

    def prefill(
        self, params: Params, tokens: Int[Array, " capacity"], length: Int[Array, ""]
    ) -> Prefix:
        """The key-value state of the first `length` tokens; `capacity` may be 0."""
        ...

    def score(
        self,
        params: Params,
        prefix: Prefix,
        prefix_length: Int[Array, ""],
        rows: PackedRows,
        labels: LabelTrie,
    ) -> Float[Array, "rows labels"]:
        """The log-probability of each label after prefix and prompt, float32.

        Without `labels.normalise` it is known up to one constant per row. Unused labels get
        -inf, empty slots anything. NaN, or -inf for every label, means "no answer".
        """
        ...


@runtime_checkable
class GeneratingModel(LanguageModel, Protocol):
    """A model that can also continue rows token by token, their state kept in pages.

    The page arrays must be given to nothing but `extend`, `copy_pages` and loops: XLA copies what
    goes through a `switch` or a `cond`. In a `while_loop` over donated arrays they are updated in
    place.
    """

    def new_pages(self, count: int) -> PageArrays:
        """Arrays of `count` pages of `kvcache.paged.PAGE` positions; page 0 is nobody's."""
        ...

    def extend(
        self,
        params: Params,
        prefix: Prefix,
        prefix_length: Int[Array, ""],
        rows: PagedRows,
        pages: PageArrays,
    ) -> tuple[Float[Array, "rows width"], PageArrays]:
        """The final hidden state of each row's last new token, float32, and the pages written to.

        A token sees the prefix, what its row's pages hold up to `before`, and the new tokens of
        its row up to itself. Empty slots write nothing and get anything.
        """
        ...

    def copy_pages(
        self, pages: PageArrays, source: Int[Array, " rows"], target: Int[Array, " rows"]
    ) -> PageArrays:
        """The pages with what each `source` holds in `target` too; 0 to 0 for no copy."""
        ...

    def logits(
        self, params: Params, hidden: Float[Array, "rows width"]
    ) -> Float[Array, "rows vocabulary"]:
        """What every token of the vocabulary scores as the next one, float32."""
        ...
