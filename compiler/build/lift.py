"""Lifting semantic calls out of expressions into Score nodes, lazily guarded.

SQL before: ``CASE WHEN g > 3 THEN AI_IF(x) END``. After: a Score of `AI_IF(x)` guarded by `g > 3`
below, and ``CASE WHEN g > 3 THEN "#if_1" END`` above. Equal calls become one Score whose guard is
the OR of theirs: this is the common-subexpression elimination of semantic calls.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeAlias

from sqlglot import exp

from sqlax.compiler.build.tree import (
    Templates,
    conjunction,
    has_semantic,
    is_semantic,
    rewrite,
    semantic_nodes,
)
from sqlax.compiler.plan.nodes import Node, Score, column, columns_of
from sqlax.compiler.plan.schema import WRITTEN, Field
from sqlax.compiler.sql.call import SemanticCall, answer_type

DETAILS = "details"
"""Metadata of the STRUCT that `return_error_details` gives."""

Guards: TypeAlias = tuple[exp.Expr, ...]


def lift(
    plan: Node, expressions: list[exp.Expr], templates: Templates
) -> tuple[Node, list[exp.Expr]]:
    """The plan with a Score for each semantic call, and the expressions reading its answers."""
    for node, guard in _wanted(expressions):
        plan = _place(plan, node, guard, templates)
    return plan, [answers(expression, templates) for expression in expressions]


def answers(expression: exp.Expr, templates: Templates) -> exp.Expr:
    """The expression with each semantic call replaced by the column of its answer."""

    def visit(node: exp.Expr) -> exp.Expr | None:
        if isinstance(node, exp.Dot) and _has_details(node.this.unnest(), templates):
            return _detail(node, templates)
        return _answer(node, templates) if is_semantic(node) else None

    return rewrite(expression, visit)


def _answer(node: exp.Expr, templates: Templates) -> exp.Expr:
    """The answer's column; with `return_error_details` a STRUCT of it and its error."""
    name = templates.column_name(node)
    if not templates.call(node).return_error_details:
        return _value(node, templates)
    parts = {"value": _value(node, templates), "error": column(name + "!")}
    details = exp.Struct(
        expressions=[
            exp.PropertyEQ(this=exp.to_identifier(key), expression=value)
            for key, value in parts.items()
        ]
    )
    details.meta[DETAILS] = True
    return details


def _has_details(node: exp.Expr, templates: Templates) -> bool:
    return is_semantic(node) and templates.call(node).return_error_details


def _detail(node: exp.Dot, templates: Templates) -> exp.Expr:
    name = templates.column_name(node.this.unnest())
    wants_error = node.expression.name.lower() == "error"
    return column(name + "!") if wants_error else _value(node.this.unnest(), templates)


def _value(node: exp.Expr, templates: Templates) -> exp.Expr:
    """The answer as a value of the call's type: a typed text is read where it is used."""
    call, answer = templates.call(node), column(templates.column_name(node))
    return answer if call.generation is None else call.generation.form.value(answer)


def _wanted(
    expressions: list[exp.Expr],
) -> list[tuple[exp.Expr, exp.Expr | None]]:
    """Each distinct call once, in evaluation order, with the OR of its guards."""
    found: dict[exp.Expr, list[Guards]] = {}
    for expression in expressions:
        for node, guards in occurrences(expression, ()):
            found.setdefault(node, []).append(guards)
    places = {node: place for place, node in enumerate(found)}
    return [
        (node, _either([conjunction(_known(g, places, place)) for g in found[node]]))
        for node, place in places.items()
    ]


def _known(guards: Guards, places: dict[exp.Expr, int], place: int) -> list[exp.Expr]:
    """The guards that read only answers of calls before `place`; dropping one asks more rows."""
    return [g for g in guards if all(places[call] < place for call in semantic_nodes(g))]


def _either(guards: list[exp.Expr | None]) -> exp.Expr | None:
    wanted = [guard for guard in guards if guard is not None]
    return exp.or_(*dict.fromkeys(wanted), copy=True) if len(wanted) == len(guards) else None


def _place(plan: Node, node: exp.Expr, guard: exp.Expr | None, templates: Templates) -> Node:
    call, name = templates.call(node), templates.column_name(node)
    values = tuple(answers(value, templates) for value in call.values)
    ready = answers(guard, templates) if guard is not None else None
    if name in plan.schema:
        return _widen(plan, name, ready)
    call = replace(call, return_error_details=False).with_values(values)
    kind = answer_type(call)
    labels = tuple(label.text for label in call.labels) if kind.endswith("[]") else None
    answer = Field(name, kind, labels, made=WRITTEN if _is_written(call) else None)
    fields = (answer, Field(name + "!", "VARCHAR"))
    schema = replace(plan.schema, fields=plan.schema.fields + fields)
    return Score(schema, plan, call, name, ready)


def _is_written(call: SemanticCall) -> bool:
    """Whether the program itself writes the answer; what reduces lists is a stage of its own."""
    return call.generation is not None and not call.reduces


def _widen(plan: Node, name: str, guard: exp.Expr | None) -> Node:
    """The plan with the existing Score of that name also answering where `guard` holds."""
    if isinstance(plan, Score) and plan.name == name:
        known = guard is not None and columns_of(guard) <= set(plan.input.schema.names)
        wider = _either([plan.guard, guard if known else None])
        return replace(plan, guard=wider)
    children = (_widen(c, name, guard) if name in c.schema else c for c in plan.inputs)
    return plan.with_inputs(tuple(children))


def occurrences(node: exp.Expr, guards: Guards) -> Iterator[tuple[exp.Expr, Guards]]:
    """Semantic calls below `node`, inner before outer, with the conditions that need them."""
    if not has_semantic(node):
        return
    for child, extra in _children(node):
        yield from occurrences(child, guards + extra)
    if is_semantic(node):
        yield node, guards


def _children(node: exp.Expr) -> Iterator[tuple[exp.Expr, Guards]]:
    """Operands in evaluation order, each with the conditions under which it is evaluated."""
    if isinstance(node, exp.And | exp.Or):
        yield from _short_circuit(node)
    elif isinstance(node, exp.Case):
        yield from _branches(_when_clauses(node), node.args.get("default"))
    elif isinstance(node, exp.If):
        clause = (node.this, node.args["true"])
        yield from _branches([clause], node.args.get("false"))
    elif isinstance(node, exp.Coalesce):
        yield from _first_known([node.this, *node.expressions])
    elif isinstance(node, exp.Filter):
        condition = node.expression.this
        yield condition, ()
        yield node.this, (condition,)
    else:
        yield from ((child, ()) for child in node.iter_expressions())


def _short_circuit(node: exp.And | exp.Or) -> Iterator[tuple[exp.Expr, Guards]]:
    """Operands without a model call first; each runs while the ones before leave it open."""
    before: Guards = ()
    for operand in sorted(node.flatten(), key=has_semantic):
        yield operand, before
        before += (_not_false(operand) if isinstance(node, exp.And) else _not_true(operand),)


def _branches(
    clauses: list[tuple[exp.Expr, exp.Expr]], default: exp.Expr | None
) -> Iterator[tuple[exp.Expr, Guards]]:
    before: Guards = ()
    for condition, result in clauses:
        yield condition, before
        yield result, (*before, condition)
        before += (_not_true(condition),)
    if default is not None:
        yield default, before


def _when_clauses(case: exp.Case) -> list[tuple[exp.Expr, exp.Expr]]:
    operand = case.this
    return [
        (
            exp.EQ(this=operand.copy(), expression=i.this.copy()) if operand else i.this,
            i.args["true"],
        )
        for i in case.args["ifs"]
    ]


def _first_known(operands: list[exp.Expr]) -> Iterator[tuple[exp.Expr, Guards]]:
    before: Guards = ()
    for operand in operands:
        yield operand, before
        before += (exp.Is(this=exp.paren(operand, copy=True), expression=exp.Null()),)


def _not_false(condition: exp.Expr) -> exp.Expr:
    return exp.Coalesce(this=condition.copy(), expressions=[exp.true()])


def _not_true(condition: exp.Expr) -> exp.Expr:
    return exp.Not(this=exp.Coalesce(this=condition.copy(), expressions=[exp.false()]))
