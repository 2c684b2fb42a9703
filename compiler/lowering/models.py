"""The models that a query may ask."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlax.compiler.plan.nodes import Score
from sqlax.models.language_model import LanguageModel


@dataclass(frozen=True)
class Models:
    """The models a query may ask: one is the default."""

    default: str
    by_name: Mapping[str, LanguageModel]

    def of(self, node: Score) -> LanguageModel:
        """The model of a semantic operator."""
        return self.by_name[node.call.model or self.default]
