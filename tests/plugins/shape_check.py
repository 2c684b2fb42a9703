"""The type checker that jaxtyping applies to every function of the packages that hold arrays.

`pyproject.toml` names it after `--jaxtyping-packages`. It looks at shapes alone: mypy has seen to
the ordinary types.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

from beartype import beartype
from jaxtyping import AbstractArray


def check(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` with its annotated shapes checked, unless it is a constructor.

    JAX calls the constructor of a registered dataclass with whatever stands in for its arrays:
    shapes, batch axes, stacked arrays. Their annotations describe only the arrays themselves.
    """
    shaped = {name: hint for name, hint in function.__annotations__.items() if is_shaped(hint)}
    if function.__name__ == "__init__" or not shaped:
        return function
    function.__annotations__ = shaped
    return beartype(function)


def is_shaped(hint: object) -> bool:
    """Whether a jaxtyping shape stands anywhere in `hint`."""
    if isinstance(hint, type) and issubclass(hint, AbstractArray):
        return True
    return any(is_shaped(part) for part in get_args(hint))
