"""From calls and profiles to prompt layouts."""

from __future__ import annotations

import pytest

from sqlax.compiler.lowering.prompts import lay_out
from sqlax.compiler.sql.call import bind_call
from sqlax.compiler.sql.rewrite import find_calls, parse_query
from sqlax.models.profile import BARE, Layout, PromptProfile
from sqlax.runtime.prompt.layout import PromptLayout, Slot, Text

FORM = Layout(
    bank="BANK\n",
    before="Text: ",
    after="\n{task}:",
    example="Text: {prompt}\n{task}:{answer}\n",
    label=" {label}",
)
PROFILE = PromptProfile(predicate=Layout(after="\nAnswer:", label=" {label}"), classify=FORM)


def layout(expression: str, profile: PromptProfile = PROFILE) -> PromptLayout:
    sql = f"SELECT {expression} FROM t"
    (node, *_) = find_calls(parse_query(sql))
    call = bind_call(node, sql)
    alone = call.with_values(tuple(value.copy() for value in call.values))
    return lay_out(alone, profile, lambda _: "constant")


@pytest.mark.parametrize(
    ("expression", "prefix", "row"),
    [
        ("AI_IF(('Is it? ', x))", "Is it?", (Slot(0, " "), Text("\nAnswer:"))),
        ("AI_IF((x, ' Is it?'))", "", (Slot(0, ""), Text(" Is it?\nAnswer:"))),
        (
            "AI_IF((x, ' and ', y))",
            "",
            (Slot(0, ""), Text(" and"), Slot(1, " "), Text("\nAnswer:")),
        ),
        ("AI_IF((x, x))", "", (Slot(0, ""), Slot(0, ""), Text("\nAnswer:"))),
        ("AI_IF('Is it?')", "", (Text("Is it?\nAnswer:"),)),
        ("AI_IF(('a ', $p, x))", "a constant", (Slot(0, ""), Text("\nAnswer:"))),
        ("AI_IF(('a ', x, $p))", "a", (Slot(0, " "), Text("constant\nAnswer:"))),
        ("AI_IF(('Is it? ', x), raw => TRUE)", "Is it?", (Slot(0, " "),)),
    ],
)
def test_constants_go_before_the_row_and_spaces_with_the_value(
    expression: str, prefix: str, row: tuple[Text | Slot, ...]
) -> None:
    made = layout(expression)
    assert ("".join(part.text for part in made.prefix), made.row) == (prefix, row)


def test_labels_are_written_as_the_profile_says_and_returned_as_given() -> None:
    made = layout("AI_CLASSIFY(x, ['a', 'b'])")
    assert (made.labels, made.answers) == ((" a", " b"), ("a", "b"))
    assert layout("AI_CLASSIFY(x, ['a', 'b'], raw => TRUE)").labels == ("a", "b")


def test_examples_stand_before_the_bank_and_a_task_may_hold_braces() -> None:
    call = (
        "AI_CLASSIFY(x, ['a', 'b'], task_description => 'the {prompt}', examples => [('y', 'b')])"
    )
    made = layout(call)
    assert made.prefix == (Text("Text: y\nthe {prompt}: b\nBANK\nText:"),)
    assert made.row == (Slot(0, " "), Text("\nthe {prompt}:"))


def test_a_null_constant_makes_every_answer_unknown() -> None:
    sql = "SELECT AI_IF(('a ', $p, x)) FROM t"
    (node,) = find_calls(parse_query(sql))
    assert not lay_out(bind_call(node, sql), BARE, lambda _: None).known
