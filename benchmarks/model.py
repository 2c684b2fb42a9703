"""The model under test, as the contract that the runtime asks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

from sqlax.models.language_model import LanguageModel
from sqlax.models.profile import PromptProfile
from sqlax.models.registry.load import load


def load_model(name_or_path: str) -> LanguageModel:
    """A model of a known name or a path.

    Raises:
        ModelNotFoundError: there is none of that name, or it is not pulled yet.
    """
    return cast("LanguageModel", load(name_or_path))


def with_profile(model: LanguageModel, profile: PromptProfile) -> LanguageModel:
    """The same model, asked in another way."""
    changed: LanguageModel = replace(cast("Any", model), profile=profile)
    return changed
