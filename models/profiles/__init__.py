"""The prompt profiles of the models that have one."""

from sqlax.models.profile import BARE, PromptProfile

PROFILES: dict[str, PromptProfile] = {}
"""By the name under which a query asks for the model."""


def profile_for(name: str) -> PromptProfile:
    """The profile of the model `name`; the bare one, prompt as written, where there is none."""
    return PROFILES.get(name, BARE)
