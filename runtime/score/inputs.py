"""What a score operator reads."""

from __future__ import annotations

import dataclasses

import jax
from jaxtyping import Array, Float, Int

from sqlax.models.language_model import LabelTrie
from sqlax.runtime.prompt.inputs import PromptInputs


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class ScoreInputs(PromptInputs):
    """One score operator's constants.

    Attributes:
        trie: the labels.
        label_code: dictionary code of each label.
        label_value: number each label stands for on a scale.
        threshold: probability from which AI_IF is TRUE.
        strength: share of the neutral texts' bias taken off.
    """

    trie: LabelTrie
    label_code: Int[Array, " labels"]
    label_value: Float[Array, " labels"]
    threshold: Float[Array, ""]
    strength: Float[Array, ""]

    @property
    def nodes(self) -> int:
        """The label trie's nodes stand behind each row's prompt."""
        return self.trie.node_token.shape[0]
