"""Models from Hugging Face repositories: config, tokenizer and safetensors, never pickle."""

from __future__ import annotations

import re
from pathlib import Path

from sqlax.errors import ModelError, ModelNotFoundError
from sqlax.models.registry.redact import redact

REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")
WANTED = ["*.safetensors", "*.json"]


def is_repository(name: str) -> bool:
    """Whether `name` has the form `organisation/model`."""
    return REPOSITORY.fullmatch(name) is not None


def snapshot(name: str) -> Path:
    """The folder of a repository's files, downloaded where the network allows."""
    from huggingface_hub import snapshot_download  # here: 0.3 s that no other command waits for
    from huggingface_hub.errors import RepositoryNotFoundError

    try:
        return Path(snapshot_download(name, allow_patterns=WANTED))
    except RepositoryNotFoundError:
        raise ModelNotFoundError(
            f"{name!r} is neither a path here nor a public Hugging Face repository"
        ) from None
    except Exception as error:  # its network errors have no common class
        raise ModelError(
            f"{name!r} is no path here, and as a Hugging Face repository it could not be "
            f"downloaded ({type(error).__name__}): {redact(str(error))}"
        ) from None
