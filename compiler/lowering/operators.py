"""From a semantic call to the operator that answers it: its constants, then its shapes."""

from __future__ import annotations

from typing import NamedTuple

from sqlax.compiler.lowering.prompts import answer_of, row_values
from sqlax.compiler.plan.nodes import Score
from sqlax.compiler.sql.generation import Generation
from sqlax.errors import UnsupportedError
from sqlax.kvcache.paged import PAGE
from sqlax.models.language_model import GeneratingModel, LanguageModel
from sqlax.runtime.constrain.constraint import token_automaton
from sqlax.runtime.constrain.expression import choice
from sqlax.runtime.constrain.vocabulary import vocabulary_of
from sqlax.runtime.generate.inputs import GenerateInputs
from sqlax.runtime.generate.operator import GenerateOperator
from sqlax.runtime.load.generate import Drawing, load_generate
from sqlax.runtime.load.markup import end_tokens
from sqlax.runtime.load.prompt import LoadedOperator, Loading
from sqlax.runtime.load.score import load_score
from sqlax.runtime.load.stop import load_stop
from sqlax.runtime.memory import machine_bytes
from sqlax.runtime.prompt.layout import PromptLayout
from sqlax.runtime.prompt.operator import PromptOperator
from sqlax.runtime.relation import bucket
from sqlax.runtime.score.operator import ScoreOperator

FEWEST_LANES = 8
MOST_LANES = 204
"""Rows that generate at once. Measured: a step of 200 rows takes 15% less than two of 100; more
lanes gain little, and what a few long texts leave of them empty is lost. A multiple of the 12 rows
that XLA's product on a CPU computes at a time, and of 6, so that attention goes by 34 rows: with
208 lanes, in groups of 52, the same step took 5% longer."""
PAGE_BYTES = 2 << 30
"""Most bytes of pages, and no more than an eighth of the machine's memory: what all rows at work
may need together. With 512 MiB only 73 rows of 300 tokens are at work where 204 could be."""


class Sizes(NamedTuple):
    """What the data decides about an operator's shapes.

    Attributes:
        items: capacity of the list of distinct prompts.
        rows: most input rows, a capacity.
        few: the same in finer steps.
        longest: tokens of the longest text that a prompt may hold.
        first_id: text id of the operator's first text.
    """

    items: int
    rows: int
    few: int
    longest: int
    first_id: int


def reasons(model: LanguageModel) -> tuple[str, ...]:
    """The error text of each status, in the order of `Status`."""
    return (
        "",
        "",
        f"the prompt is longer than the context of {model.context_length} tokens",
        "the model gave none of the labels a probability",
        "the prompt and its answer are longer than the pages of key-value state hold",
    )


def load_operator(score: Score, layout: PromptLayout, loading: Loading) -> LoadedOperator:
    """The constants of an operator.

    Raises:
        BindError: the labels cannot be told apart.
        CapacityError: no answer fits `max_tokens`.
    """
    wanted = score.call.generation
    if wanted is None:
        return load_score(layout, loading)
    vocabulary = vocabulary_of(loading.tokenizer, end_tokens(loading.tokenizer))
    if wanted.stop:
        automaton, stop = load_stop(wanted.stop, loading.tokenizer, vocabulary)
        return load_generate(layout, loading, automaton, _drawing(wanted), stop)
    allowed = choice(*layout.labels) if layout.labels else wanted.form.expression()
    automaton = token_automaton(allowed, vocabulary, wanted.max_tokens)
    return load_generate(layout, loading, automaton, _drawing(wanted))


def _drawing(wanted: Generation) -> Drawing:
    return Drawing(
        max_tokens=wanted.max_tokens,
        min_tokens=wanted.min_tokens,
        temperature=wanted.temperature,
        top_k=wanted.top_k,
        top_p=wanted.top_p,
        min_p=wanted.min_p,
        seed=wanted.seed,
    )


def make_operator(
    score: Score, model: LanguageModel, layout: PromptLayout, loaded: LoadedOperator, sizes: Sizes
) -> PromptOperator:
    """The static side of an operator for data of these sizes."""
    if score.call.generation is not None:
        return _generate_operator(score, score.call.generation, model, loaded, sizes)
    longest = loaded.constant_tokens + loaded.slots * sizes.longest
    return ScoreOperator(
        name=score.name,
        answer=answer_of(score.call),
        model=model,
        values=values_of(score),
        parts=loaded.parts,
        items=sizes.items,
        neutral=len(layout.neutral),
        row_tokens=max(1, min(longest, model.context_length + loaded.inputs.nodes)),
    )


def values_of(score: Score) -> tuple[str, ...]:
    """The columns that the prompt reads."""
    return tuple(value.name for value in row_values(score.call))


def lanes_for(rows: int) -> int:
    """Rows that generate at once where there are at most `rows`, a power of two.

    Few numbers, because each is another program: up to 64 as many lanes as rows, then half of the
    most, which the last rows of 128 go through in a second round, then the most.
    """
    if rows <= MOST_LANES // 2:
        return max(FEWEST_LANES, rows)
    return MOST_LANES // 2 if rows <= MOST_LANES else MOST_LANES


def _generate_operator(
    score: Score,
    wanted: Generation,
    model: LanguageModel,
    loaded: LoadedOperator,
    sizes: Sizes,
) -> GenerateOperator:
    if not isinstance(model, GeneratingModel):
        raise UnsupportedError(f"the model {model.name} cannot generate text")
    longest = loaded.constant_tokens + loaded.slots * sizes.longest
    row_tokens = bucket(max(1, min(longest, model.context_length)), 32)
    places = bucket(sizes.rows)
    most_tokens = bucket(wanted.max_tokens)
    lanes = lanes_for(sizes.few)
    per_row = -(-(row_tokens + most_tokens - 1) // PAGE)
    affordable = min(PAGE_BYTES, machine_bytes() // 8) // (PAGE * model.kv_bytes_per_token)
    return GenerateOperator(
        name=score.name,
        model=model,
        values=values_of(score),
        parts=loaded.parts,
        items=sizes.items,
        neutral=0,
        row_tokens=row_tokens,
        places=places,
        most_tokens=most_tokens,
        spare_tokens=_spare_tokens(loaded),
        lanes=lanes,
        pages=1 + min(lanes * per_row, max(1, affordable)),
        sampled=wanted.is_sampled,
        first_id=sizes.first_id,
    )


def most_written(score: Score, loaded: LoadedOperator) -> int:
    """Most tokens of a text that an operator writes; 0 for one that writes none."""
    wanted = score.call.generation
    return 0 if wanted is None else wanted.max_tokens + _spare_tokens(loaded)


def _spare_tokens(loaded: LoadedOperator) -> int:
    """Tokens that a text may come to have where it is cut in the middle of one."""
    stop = loaded.inputs.stop if isinstance(loaded.inputs, GenerateInputs) else None
    return 0 if stop is None else stop.most_kept
