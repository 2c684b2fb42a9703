"""The order of the rules as data, and the one place that applies, checks and times them."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass

from sqlax.compiler.plan.nodes import Node
from sqlax.compiler.rules.drop_empty import drop_empty
from sqlax.compiler.rules.factor_or import factor_or
from sqlax.compiler.rules.order_joins import order_joins
from sqlax.compiler.rules.prune_columns import prune_columns
from sqlax.compiler.rules.push_condition import push_condition
from sqlax.compiler.rules.push_filter import push_filter
from sqlax.compiler.rules.push_limit import push_limit
from sqlax.compiler.rules.push_sort import push_sort

Rule = Callable[[Node], Node | None]

RULES: tuple[Rule, ...] = (
    drop_empty,  # first: nothing else need look at what is not there
    factor_or,  # before the others: what it finds can be pushed, and be the key of a join
    push_filter,  # fewer rows for everything above
    push_sort,  # before push_limit, which can only pass what ORDER BY has left
    push_limit,
    push_condition,
    order_joins,  # after the filters have reached the tables, whose rows they tell
    prune_columns,  # last: the rules above still read columns that nobody sees
)

WHOLE: tuple[Rule, ...] = (order_joins, prune_columns)
"""The rules that rewrite a plan from its root in one go."""


@dataclass(frozen=True)
class Applied:
    """One change of a plan, for EXPLAIN VERBOSE."""

    rule: str
    seconds: float
    plan: Node


def rewrite_plan(plan: Node, disabled: Collection[str] = ()) -> tuple[Node, tuple[Applied, ...]]:
    """The plan after every rule, and the log of the changes.

    Args:
        plan: a valid plan.
        disabled: names of rules to leave out.
    """
    log: list[Applied] = []
    for rule in RULES:
        name = rule.__name__
        if name in disabled:
            continue
        begin = time.perf_counter()
        changed = rule(plan) or plan if rule in WHOLE else _exhaust(plan, rule, {})
        assert changed.schema == plan.schema, f"{name} changed the schema of the result"
        if changed != plan:
            log.append(Applied(name, time.perf_counter() - begin, changed))
        plan = changed
    return plan, tuple(log)


def _exhaust(node: Node, rule: Rule, done: dict[Node, Node]) -> Node:
    """The node with the rule applied here as often as it answers, then below.

    A subplan that is read twice is rewritten once, so that it stays one subplan.
    """
    if node not in done:
        changed = node
        while (next_one := rule(changed)) is not None:
            changed = next_one
        inputs = tuple(_exhaust(child, rule, done) for child in changed.inputs)
        done[node] = changed if inputs == changed.inputs else changed.with_inputs(inputs)
    return done[node]
