"""Ranges of code points as sequences of ranges of bytes."""

from __future__ import annotations

from collections.abc import Iterator

ByteRanges = tuple[tuple[int, int], ...]


def byte_ranges(first: int, last: int) -> Iterator[ByteRanges]:
    """The UTF-8 of the characters from `first` to `last`: every byte in its range, and no others.

    The range is cut until all its characters have the same number of bytes, and until each byte
    runs through its range independently of the others (Thompson, as in RE2 and utf8-ranges).
    """
    cut = _cut(first, last)
    if cut is None:
        low, high = chr(first).encode(), chr(last).encode()
        yield tuple(zip(low, high, strict=True))
        return
    yield from byte_ranges(first, cut)
    yield from byte_ranges(cut + 1, last)


def _cut(first: int, last: int) -> int | None:
    """The last code point of the first piece; None where the range is one piece."""
    for end in (0x7F, 0x7FF, 0xFFFF):
        if first <= end < last:
            return end
    if last <= 0x7F:
        return None
    for bits in (6, 12, 18):
        low = (1 << bits) - 1
        if first & ~low == last & ~low:
            continue
        if first & low:
            return first | low
        if last & low != low:
            return (last & ~low) - 1
    return None
