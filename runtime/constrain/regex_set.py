"""Sets of characters in RE2's regular expressions: escapes, classes in brackets."""

from __future__ import annotations

from sqlax.runtime.constrain.characters import ANY, Characters, case_folding, category
from sqlax.runtime.constrain.scanner import Scanner

_DIGITS = Characters.of("0123456789")
_WORD = Characters.between((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
_SPACE = Characters.of("\t\n\f\r ")
_PERL = {"d": _DIGITS, "w": _WORD, "s": _SPACE}
_SINGLE = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_UPPER, _LOWER = Characters.between((0x41, 0x5A)), Characters.between((0x61, 0x7A))
_ALPHA = _UPPER.union(_LOWER)
_GRAPH = Characters.between((0x21, 0x7E))
_POSIX = {
    "alnum": _ALPHA.union(_DIGITS),
    "alpha": _ALPHA,
    "ascii": Characters.between((0, 0x7F)),
    "blank": Characters.of("\t "),
    "cntrl": Characters.between((0, 0x1F), (0x7F, 0x7F)),
    "digit": _DIGITS,
    "graph": _GRAPH,
    "lower": _LOWER,
    "print": Characters.between((0x20, 0x7E)),
    "punct": _GRAPH.minus(_ALPHA.union(_DIGITS)),
    "space": Characters.of("\t\n\v\f\r "),
    "upper": _UPPER,
    "word": _WORD,
    "xdigit": Characters.between((0x30, 0x39), (0x41, 0x46), (0x61, 0x66)),
}


def bracket_set(scanner: Scanner, fold: bool) -> Characters:
    """The set that `[...]` means; the opening bracket is passed already."""
    negated = scanner.take_if("^")
    found, first = Characters(()), True
    while first or not scanner.at("]"):
        first = False
        found = found.union(_item(scanner, fold))
    scanner.take()
    return found.complement() if negated else found


def escaped_set(scanner: Scanner, fold: bool) -> Characters:
    """The set that an escape means; the backslash is passed already."""
    character = scanner.take()
    if character.lower() in _PERL:
        return _signed(_PERL[character.lower()], character.isupper(), fold)
    if character in "pP":
        return _property(scanner, character == "P", fold)
    return folded(Characters.of(_escaped(scanner, character)), fold)


def folded(characters: Characters, fold: bool) -> Characters:
    """The characters, in either case where `fold` is true."""
    return characters.closed(case_folding()) if fold else characters


def _item(scanner: Scanner, fold: bool) -> Characters:
    """One class, character or range inside brackets."""
    if scanner.at("[:") and ":]" in scanner.rest():
        return _posix(scanner, fold)
    if scanner.at("\\") and scanner.rest()[1:2] in tuple("dDwWsSpP"):
        scanner.take()
        return escaped_set(scanner, fold)
    first = last = _one(scanner)
    if scanner.at("-") and not scanner.at("-]"):
        scanner.take()
        last = _one(scanner)
    if last < first:
        raise scanner.wrong(f"the range {first}-{last} is empty")
    return folded(Characters.between((ord(first), ord(last))), fold)


def _one(scanner: Scanner) -> str:
    character = scanner.take()
    return _escaped(scanner, scanner.take()) if character == "\\" else character


def _posix(scanner: Scanner, fold: bool) -> Characters:
    scanner.take_if("[:")
    negated = scanner.take_if("^")
    name = scanner.take_until(":]")
    if name not in _POSIX:
        raise scanner.wrong(f"no class [:{name}:]; there are {', '.join(_POSIX)}")
    return _signed(_POSIX[name], negated, fold)


def _property(scanner: Scanner, negated: bool, fold: bool) -> Characters:
    name = scanner.take()
    if name == "{":
        name = scanner.take_until("}")
    if name.startswith("^"):
        negated, name = not negated, name[1:]
    return _signed(_of_category(name), negated, fold)


def _of_category(name: str) -> Characters:
    if name == "Any":
        return ANY
    found = category(name)
    # U+0000 is one of these; DuckDB's chr does not make it.
    return found.union(Characters.of("\0")) if name in ("C", "Cc", "Common") else found


def _signed(characters: Characters, negated: bool, fold: bool) -> Characters:
    characters = folded(characters, fold)
    return characters.complement() if negated else characters


def _escaped(scanner: Scanner, character: str) -> str:
    """The character that an escape of one stands for."""
    if character in _SINGLE:
        return _SINGLE[character]
    if character == "x":
        return _code_point(scanner, _hexadecimal(scanner), 16)
    if character in "01234567":
        return _octal(scanner, character)
    if character.isascii() and not character.isalnum():
        return character
    raise scanner.wrong(f"no escape \\{character}")


def _hexadecimal(scanner: Scanner) -> str:
    return scanner.take_until("}") if scanner.take_if("{") else scanner.take() + scanner.take()


def _octal(scanner: Scanner, first: str) -> str:
    digits = first
    while len(digits) < 3 and not scanner.done() and any(map(scanner.at, "01234567")):
        digits += scanner.take()
    if digits == first != "0":
        raise scanner.unsupported(f"the backreference \\{first}")
    return _code_point(scanner, digits, 8)


def _code_point(scanner: Scanner, digits: str, base: int) -> str:
    try:
        return chr(int(digits, base))
    except (ValueError, OverflowError):
        raise scanner.wrong(f"{digits!r} is no code point") from None
