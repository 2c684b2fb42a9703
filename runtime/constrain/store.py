"""Token automata kept in the user's cache folder, so that a constraint is lifted once."""

from __future__ import annotations

import hashlib
import os
import tempfile
import zipfile
from contextlib import suppress
from pathlib import Path

import numpy as np

from sqlax.models.registry.cache import models_folder
from sqlax.runtime.constrain.byte_automaton import ByteAutomaton
from sqlax.runtime.constrain.lift import HostBools, Lifted, lift
from sqlax.runtime.constrain.token_automaton import TokenAutomaton
from sqlax.runtime.constrain.vocabulary import Vocabulary
from sqlax.runtime.load.columns import device_like

VERSION = "2"
"""To be changed with whatever changes the arrays that `lift` makes."""

_DTYPES = {
    "class_of_token": np.int32,
    "ends": np.bool_,
    "next": np.int32,
    "accepting": np.bool_,
    "closing": np.int32,
    "forced": np.int32,
}


def automata_folder() -> Path:
    """`$SQLAX_CACHE/automata`, else `sqlax/automata` in the user's cache folder."""
    return models_folder().parent / "automata"


def lift_once(
    automaton: ByteAutomaton, vocabulary: Vocabulary, over: HostBools | None = None
) -> Lifted:
    """`lift`, or what it gave before for the same arguments; by default no state is over.

    A file that cannot be read is made again, a folder that cannot be written is done without.

    Raises:
        BindError: as `lift` does.
        CapacityError: as `lift` does.
    """
    over = np.zeros(len(automaton.accepting), bool) if over is None else over
    key = hashlib.sha256(f"{VERSION}:{automaton.digest}:{vocabulary.digest}:".encode())
    key.update(over.tobytes())
    path = automata_folder() / f"{key.hexdigest()}.npz"
    found = _read(path, len(vocabulary.length))
    if found is None:
        found = lift(automaton, vocabulary, over)
        with suppress(OSError):
            _write(path, found)
    return found


def _read(path: Path, tokens: int) -> Lifted | None:
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            origin, arrays = stored["origin"], {name: stored[name] for name in _DTYPES}
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
    states, classes = arrays["next"].shape if arrays["next"].ndim == 2 else (0, 0)
    shapes = [(tokens,), (tokens,), (states, classes), (states,), (states,), (states,)]
    kinds = list(zip(shapes, _DTYPES.values(), strict=True))
    if [(array.shape, array.dtype) for array in arrays.values()] != kinds:
        return None
    if origin.dtype != np.int32 or origin.ndim != 1 or len(origin) > states:
        return None
    given = {name: device_like(a, a.dtype) for name, a in arrays.items()}
    return Lifted(TokenAutomaton(**given), origin)


def _write(path: Path, lifted: Lifted) -> None:
    """Writes the file as a whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    arrays = {name: np.asarray(getattr(lifted.automaton, name)) for name in _DTYPES}
    arrays["origin"] = lifted.origin
    with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as file:
        try:
            np.savez_compressed(file, **arrays)  # type: ignore[arg-type]
            file.close()
            os.replace(file.name, path)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise
