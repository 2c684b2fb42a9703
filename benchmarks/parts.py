"""Which part of a compiled program takes its time: from XLA's own record of every operation.

An operation belongs to the innermost `jax.named_scope` around it; `PARTS` are the model's.
"""

from __future__ import annotations

import re
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import jax
from jax.profiler import ProfileData

PARTS = ("projection", "attention", "norm", "head", "gather", "pages")
OTHER = "loop and rest"
CONTAINERS = ("while", "conditional", "call")
"""Operations whose time is that of the operations in them."""

_INSTRUCTION = re.compile(r"^\s*(?:ROOT )?%?([\w.-]+) = ", re.MULTILINE)
_NAME = re.compile(r'op_name="([^"]*)"')


def parts_of_run(run: Callable[[], object], program: str) -> dict[str, float]:
    """Seconds of each part, largest first, over all threads.

    Args:
        run: runs the program once.
        program: its optimised HLO text, which tells where each operation comes from.
    """
    places = places_of(program)
    spent: defaultdict[str, float] = defaultdict(float)
    for name, seconds in _operations(run, places):
        spent[part_of(places[name])] += seconds
    return dict(sorted(spent.items(), key=lambda item: -item[1]))


def places_of(program: str) -> dict[str, str]:
    """The scopes of each operation of an HLO text, by its name; "" where it has none."""
    places = {}
    for line in program.splitlines():
        if found := _INSTRUCTION.match(line):
            scope = _NAME.search(line)
            places[found[1]] = scope[1] if scope else ""
    return places


def part_of(place: str) -> str:
    """The part that an operation's scopes name."""
    named = [scope for scope in place.split("/") if scope in PARTS]
    return named[-1] if named else OTHER


def _operations(
    run: Callable[[], object], places: Mapping[str, str]
) -> Iterator[tuple[str, float]]:
    with tempfile.TemporaryDirectory() as folder:
        with jax.profiler.trace(folder):
            run()
        (file,) = Path(folder).rglob("*.xplane.pb")
        planes = list(ProfileData.from_file(str(file)).planes)
    for plane in planes:
        for line in plane.lines:
            for event in line.events:
                if event.name in places and not event.name.startswith(CONTAINERS):
                    yield event.name, event.duration_ns / 1e9
