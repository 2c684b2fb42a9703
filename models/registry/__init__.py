"""From the name of a model to its files; `registry.load` makes a language model of them."""

from sqlax.models.registry.catalogue import KnownModel, known
from sqlax.models.registry.fetch import pull
from sqlax.models.registry.lookup import resolve

__all__ = ["KnownModel", "known", "pull", "resolve"]
