"""What every branch of an OR demands is a condition of its own."""

from __future__ import annotations

from sqlglot import exp

from sqlax.compiler.build.tree import conjunction, conjuncts
from sqlax.compiler.plan.nodes import Filter, Node


def factor_or(node: Node) -> Node | None:
    """Take the common conditions out of the branches of an OR.

    Before: ``WHERE (t.k = u.k AND a > 1) OR (t.k = u.k AND b < 2)``.
    After: ``WHERE t.k = u.k AND (a > 1 OR b < 2)``, in which the join has a key.
    """
    if not isinstance(node, Filter):
        return None
    operands = conjuncts(node.predicate)
    factored = [part for operand in operands for part in _factored(operand)]
    if factored == operands:
        return None
    predicate = conjunction(factored)
    assert predicate is not None, "factoring keeps what is common"
    return Filter(node.schema, node.input, predicate)


def _factored(operand: exp.Expr) -> list[exp.Expr]:
    inner = operand.unnest()
    if not isinstance(inner, exp.Or):
        return [operand]
    branches = [conjuncts(branch) for branch in inner.flatten()]
    common = [part for part in branches[0] if all(part in branch for branch in branches[1:])]
    if not common:
        return [operand]
    rests = [conjunction([p for p in branch if p not in common]) for branch in branches]
    known = [rest for rest in rests if rest is not None]
    if len(known) < len(rests):  # one branch demands nothing else
        return common
    return [*common, exp.paren(exp.or_(*known))]
