"""A stand-in for a language model, for tests: it answers from a table, inside the program.

No weights: a row that holds a pattern gets the pattern's answer. The first pattern that occurs
wins. An answer is a label's text, or the probability of the first label. Asked to generate, the
model writes the answer's text and ends it; a probability has no text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
from jaxtyping import Array, Float, Int

from sqlax.errors import DataError
from sqlax.kvcache.paged import PAGE
from sqlax.models import fake_writing
from sqlax.models.fake_rules import first_rule
from sqlax.models.language_model import LabelTrie, PackedRows, PagedRows, Params, Prefix
from sqlax.models.profile import BARE, PromptProfile

_BASE = 1_000_003


class ByteTokenizer:
    """One token for each UTF-8 byte, and one control token that ends a document."""

    @property
    def vocabulary_size(self) -> int:
        """256 bytes and one control token."""
        return 257

    @property
    def end_of_text(self) -> int:
        """The control token."""
        return 256

    def encode(self, text: str) -> list[int]:
        """The bytes of `text`."""
        try:
            return list(text.encode())
        except UnicodeEncodeError as error:
            raise DataError(f"a text is not valid Unicode: {error}") from error

    def encode_batch(
        self, texts: Sequence[str]
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """The bytes of all texts in one array, and each text's number of bytes."""
        rows = [self.encode(text) for text in texts]
        flat = np.asarray([token for row in rows for token in row], np.int32)
        return flat, np.asarray([len(row) for row in rows], np.int32)

    def control(self, name: str) -> int:
        """The id of `<|end|>`, the only control token."""
        return {"<|end|>": self.end_of_text}[name]

    def decode(self, tokens: Sequence[int]) -> str:
        """The text of `tokens`, control tokens left out."""
        return bytes(token for token in tokens if token < 256).decode(errors="replace")

    def token_bytes(self) -> list[bytes | None]:
        """Each byte, and None for the control token."""
        return [*(bytes([byte]) for byte in range(256)), None]


@dataclass(frozen=True)
class FakeModel:
    """A `LanguageModel` that answers from a table of patterns.

    Attributes:
        answers: answer of each pattern, in the order they are tried: a label's text, or the
            probability of the first label.
        default: answer of a row that holds none of the patterns.
        context_length: most tokens of prefix, prompt and label together.
        name: the name under which a query asks for it.
        profile: the prompt as written, unless a test wants another.
    """

    answers: Mapping[str, str | float]
    default: str | float = "no"
    context_length: int = 4096
    name: str = "fake"
    profile: PromptProfile = BARE
    tokenizer: ByteTokenizer = field(default_factory=ByteTokenizer)
    flops_per_token: int = 2
    kv_bytes_per_token: int = 4

    @property
    def identity(self) -> str:
        """Changes with the table."""
        return f"fake:{sorted(self.answers.items())}:{self.default}"

    @property
    def params(self) -> Params:
        """Patterns and answers as arrays; the default answer comes last."""
        patterns = [self.tokenizer.encode(pattern) for pattern in self.answers]
        width = max((len(pattern) for pattern in patterns), default=1)
        padded = [p + [-1] * (width - len(p)) for p in patterns] or [[-2] * width]
        given = list(self.answers.values()) or [self.default]
        return {
            "pattern": np.asarray(padded, np.int32),
            "answer": np.asarray(
                [_hash(self._tokens(a)) for a in [*given, self.default]], np.uint32
            ),
            "chance": np.asarray([_chance(a) for a in [*given, self.default]], np.float32),
            "text": _padded([self._tokens(a) for a in [*given, self.default]]),
        }

    def prefill(
        self, params: Params, tokens: Int[Array, " capacity"], length: Int[Array, ""]
    ) -> Prefix:
        """The prefix's length: it has no influence on an answer."""
        return length.astype(jnp.int32)

    def score(
        self,
        params: Params,
        prefix: Prefix,
        prefix_length: Int[Array, ""],
        rows: PackedRows,
        labels: LabelTrie,
    ) -> Float[Array, "rows labels"]:
        """0 for the label the table says and -inf for the others; -inf for all if there is none."""
        rule = first_rule(params["pattern"], _row_tokens(rows))
        matches = _label_hash(labels)[None, :] == params["answer"][rule][:, None]
        chance = params["chance"][rule][:, None]
        place = jnp.arange(labels.label_valid.shape[0])[None, :]
        weighed = jnp.where(place == 0, chance, jnp.where(place == 1, 1 - chance, 0.0))
        said = jnp.where(jnp.isnan(chance), matches.astype(jnp.float32), weighed)
        return jnp.where(labels.label_valid[None, :], jnp.log(said), -jnp.inf)

    def new_pages(self, count: int) -> fake_writing.Entries:
        """Pages that hold the rows' tokens; int32."""
        return jnp.zeros((count, PAGE), jnp.int32)

    def extend(
        self,
        params: Params,
        prefix: Prefix,
        prefix_length: Int[Array, ""],
        rows: PagedRows,
        pages: fake_writing.Entries,
    ) -> tuple[Float[Array, "rows 2"], fake_writing.Entries]:
        """Each row's rule and how far its answer is written; the prefix has no influence."""
        rows = jax.tree.map(jnp.asarray, rows)
        return fake_writing.extend(params, rows, pages)

    def copy_pages(
        self,
        pages: fake_writing.Entries,
        source: Int[Array, " rows"],
        target: Int[Array, " rows"],
    ) -> fake_writing.Entries:
        """Some pages copied to others; see `GeneratingModel.copy_pages`."""
        return pages.at[target].set(pages[source])

    def logits(
        self, params: Params, hidden: Float[Array, "rows 2"]
    ) -> Float[Array, "rows vocabulary"]:
        """The answer's next byte is the likeliest token; after its end the control token is."""
        return fake_writing.logits(params, hidden)

    def _tokens(self, answer: str | float) -> list[int]:
        return self.tokenizer.encode(answer) if isinstance(answer, str) else []


def _chance(answer: str | float) -> float:
    return float("nan") if isinstance(answer, str) else float(answer)


def _padded(texts: list[list[int]]) -> npt.NDArray[np.int32]:
    """One row a text, each with the control token behind it."""
    longest = max(len(text) for text in texts)
    return np.asarray([text + [256] * (1 + longest - len(text)) for text in texts], np.int32)


def _hash(tokens: list[int]) -> int:
    """A sum over places, so that a label's hash adds up along its path in the trie."""
    return sum((token + 1) * pow(_BASE, depth, 1 << 32) for depth, token in enumerate(tokens)) % (
        1 << 32
    )


def _row_tokens(rows: PackedRows) -> Int[Array, "rows width"]:
    """Each row's prompt, -1 after its end."""
    offset = jnp.arange(rows.row_capacity, dtype=jnp.int32)
    tokens = jnp.take(rows.tokens, rows.start[:, None] + offset[None, :], mode="clip")
    return jnp.where(offset[None, :] < rows.prompt_length[:, None], tokens, -1)


def _label_hash(labels: LabelTrie) -> Array:
    """Each label's hash without its end: what `_hash` gives for the label's own tokens."""
    depth = jnp.concatenate([jnp.zeros(1, jnp.int32), labels.node_depth.astype(jnp.int32)])
    power = jnp.asarray([pow(_BASE, d, 1 << 32) for d in range(64)], jnp.uint32)
    ends = labels.edge_token == ord("\n")
    edge = (labels.edge_token.astype(jnp.uint32) + 1) * power[depth[labels.edge_parent]]
    edge = jnp.where(ends, jnp.uint32(0), edge)
    return jnp.sum(labels.path.astype(jnp.uint32) * edge[None, :], axis=1, dtype=jnp.uint32)
