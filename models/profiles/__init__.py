"""The prompt profiles of the models that have one."""

from sqlax.models.profile import BARE, PromptProfile
from sqlax.models.profiles.smollm2 import SMOLLM2

PROFILES: dict[str, PromptProfile] = {"smollm2-135m-instruct": SMOLLM2}
"""By the name under which a query asks for the model."""


def profile_for(name: str) -> PromptProfile:
    """The profile of the model `name`; the bare one, prompt as written, where there is none."""
    return PROFILES.get(name, BARE)
