"""`FROM a, b FULL JOIN c`: a comma binds looser than JOIN.

The parser gives one flat list of joins. Read from left to right it means the same for inner and
left joins, not for those that keep rows of their right side: `c` without a match stands once for
each row of `a`.
"""

from __future__ import annotations

from sqlglot import exp


def bracket_items(joins: list[exp.Join]) -> list[exp.Join]:
    """The joins with `b FULL JOIN c` behind a comma as one item in brackets.

    SQL before and after::

        FROM a, b FULL JOIN c ON b.k = c.k
        FROM a, (b FULL JOIN c ON b.k = c.k)
    """
    groups: list[list[exp.Join]] = [[]]
    for join in joins:
        if _is_comma(join):
            groups.append([])
        groups[-1].append(join)
    return [join for place, group in enumerate(groups) for join in _item(place, group)]


def _is_comma(join: exp.Join) -> bool:
    said = (join.side, join.kind, join.method, join.args.get("on"), join.args.get("using"))
    return not any(said)


def _item(place: int, group: list[exp.Join]) -> list[exp.Join]:
    """One item with its joins: in brackets where it needs them, which the first one does not."""
    keeps_right = any(join.side.upper() in ("RIGHT", "FULL") for join in group)
    if place == 0 or not keeps_right:
        return group
    head = group[0].this.copy()
    head.set("joins", [join.copy() for join in group[1:]])
    return [exp.Join(this=exp.Subquery(this=head))]
