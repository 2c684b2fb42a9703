"""Sets of characters, as ranges of code points."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import duckdb

from sqlax.errors import BindError

Ranges = tuple[tuple[int, int], ...]
_LAST = 0x10FFFF
_RUNS_OF_MATCHES = """
    SELECT min(c), max(c) FROM (
        SELECT c, c - row_number() OVER (ORDER BY c) AS run FROM range(1, 1114112) AS r(c)
        WHERE c NOT BETWEEN 55296 AND 57343 AND regexp_full_match(chr(c::INTEGER), ?, 's')
    ) GROUP BY run
"""
"""First and last code point of each run of characters that match, but for U+0000."""
_LAST_CASED = 0x1F000
"""Unicode has no cased letters from here on."""
_SURROGATES = (0xD800, 0xDFFF)


@dataclass(frozen=True)
class Characters:
    """A set of characters: ranges of code points, in order and apart; never a surrogate."""

    ranges: Ranges

    @staticmethod
    def of(text: str) -> Characters:
        """The characters of `text`."""
        return Characters.between(*((ord(c), ord(c)) for c in text))

    @staticmethod
    def between(*ranges: tuple[int, int]) -> Characters:
        """The characters of all ranges, first and last included."""
        return Characters(_joined(ranges)).without_surrogates()

    @property
    def is_ascii(self) -> bool:
        """Whether all of them are of one byte."""
        return not self.ranges or self.ranges[-1][1] < 0x80

    def union(self, other: Characters) -> Characters:
        """The characters of either."""
        return Characters(_joined([*self.ranges, *other.ranges]))

    def complement(self) -> Characters:
        """All other characters."""
        return Characters(_gaps(self.ranges)).without_surrogates()

    def minus(self, other: Characters) -> Characters:
        """The characters that `other` does not hold."""
        return self.complement().union(other).complement()

    def without_surrogates(self) -> Characters:
        """The same set: surrogates are no characters and no UTF-8."""
        return Characters(_gaps(_joined([*_gaps(self.ranges), _SURROGATES])))

    def closed(self, kin: Kinship) -> Characters:
        """These characters and all that are kin to one of them."""
        found = [other for first, last in self.ranges for other in kin.within(first, last)]
        return self.union(Characters.between(*((c, c) for c in found)))


class Kinship:
    """Which characters stand for one another where case does not count."""

    def __init__(self, lowered: Iterable[tuple[int, int]]) -> None:
        """Characters and what each becomes in lower case; the others stay as they are."""
        families: dict[int, list[int]] = defaultdict(list)
        for character, lower in lowered:
            families[lower].append(character)
        self._kin = {c: [lower, *f] for lower, f in families.items() for c in (lower, *f)}
        self._sorted = sorted(self._kin)

    def within(self, first: int, last: int) -> Iterator[int]:
        """All that are kin to a character between `first` and `last`."""
        for place in range(bisect_left(self._sorted, first), len(self._sorted)):
            if self._sorted[place] > last:
                return
            yield from self._kin[self._sorted[place]]


@cache
def case_folding() -> Kinship:
    """Unicode's simple case folding, by which RE2 reads (?i)."""
    folded = ((c, _simple_fold(chr(c))) for c in range(_LAST_CASED))
    return Kinship((c, to) for c, to in folded if c != to)


@cache
def duckdb_lower() -> Kinship:
    """Characters that DuckDB's lower() makes the same, by which it reads ILIKE."""
    with duckdb.connect() as connection:
        rows = connection.execute(
            "SELECT c, unicode(lower(chr(c::INTEGER))) AS lowered FROM range(1, 1114112) AS r(c) "
            "WHERE c NOT BETWEEN 55296 AND 57343 AND lowered <> c"
        )
        return Kinship(rows.fetchall())


@cache
def category(name: str) -> Characters:
    """The characters of a general category or script of Unicode, such as `L`, `Nd` or `Greek`.

    They are those that RE2 in DuckDB takes for it: about half a second of work, once for a name.

    Raises:
        BindError: RE2 knows no such category or script.
    """
    with duckdb.connect() as connection:
        try:
            rows = connection.execute(_RUNS_OF_MATCHES, [rf"\p{{{name}}}"]).fetchall()
        except duckdb.InvalidInputException:
            raise BindError(rf"\p{{{name}}} is no general category or script of Unicode") from None
    return Characters.between(*rows)


def _simple_fold(character: str) -> int:
    """One character for another: where full folding gives several, lower case is the simple one."""
    for folded in (character.casefold(), character.lower()):
        if len(folded) == 1:
            return ord(folded)
    return ord(character)


def _joined(ranges: Iterable[tuple[int, int]]) -> Ranges:
    joined: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    return tuple(joined)


def _gaps(ranges: Sequence[tuple[int, int]]) -> Ranges:
    starts = [0, *(last + 1 for _, last in ranges)]
    ends = [*(first - 1 for first, _ in ranges), _LAST]
    return tuple((s, e) for s, e in zip(starts, ends, strict=True) if s <= e)


ANY = Characters.between((0, _LAST))
"""Every character."""
