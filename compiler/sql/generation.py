"""How a call wants text to be generated, read from its arguments."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlax.compiler.sql.constants import read_items, read_number, read_text
from sqlax.compiler.sql.form import ANY, Form, Kind, read_form
from sqlax.compiler.sql.prompt import unwrap

if TYPE_CHECKING:
    from sqlax.compiler.sql.examples import Answers
    from sqlax.compiler.sql.options import Options

MAX_TOKENS: Final = 128
"""Tokens of a text where the call does not say."""
MOST_LABEL_BYTES: Final = 1024
"""Labels of more bytes together are not scored but generated, constrained to them."""
EVERY_TOKEN: Final = (1 << 31) - 1
"""`top_k` that cuts nothing."""


@dataclass(frozen=True)
class Generation:
    """How text is generated; equal ones give equal texts for equal prompts.

    Attributes:
        max_tokens: most tokens of a text.
        min_tokens: tokens before which no text ends unless it can only end.
        temperature: 0 takes the likeliest token.
        top_k: only so many of the likeliest tokens.
        top_p: only the likeliest tokens with so much of the probability together.
        min_p: only tokens with at least that share of the likeliest one's probability.
        seed: of the random numbers.
        form: what the text may be.
        stop: strings before the first of which the text ends, in order, each once.
    """

    max_tokens: int = MAX_TOKENS
    min_tokens: int = 0
    temperature: float = 0.0
    top_k: int = EVERY_TOKEN
    top_p: float = 1.0
    min_p: float = 0.0
    seed: int = 0
    form: Form = ANY
    stop: tuple[str, ...] = ()

    @property
    def is_sampled(self) -> bool:
        """Whether tokens are drawn."""
        return self.temperature > 0


def read_generation(options: Options, form: Form | None = None) -> Generation:
    """The generation that the arguments ask for; `form` where the function itself gives it.

    Raises:
        BindError: a number is of the wrong kind or out of range.
    """
    top_p, min_p = options.share("top_p"), options.share("min_p")
    max_tokens = options.integer("max_tokens", least=1) or MAX_TOKENS
    form = read_form(options) if form is None else form
    return Generation(
        max_tokens=max_tokens,
        min_tokens=_min_tokens(options, max_tokens),
        temperature=_temperature(options),
        top_k=options.integer("top_k", least=1) or EVERY_TOKEN,
        top_p=1.0 if top_p is None else top_p,
        min_p=0.0 if min_p is None else min_p,
        seed=options.integer("seed", least=0) or 0,
        form=form,
        stop=_stop(options, form),
    )


def _min_tokens(options: Options, most: int) -> int:
    value = options.integer("min_tokens", least=0) or 0
    given = options.given("min_tokens")
    if given is not None and value > most:
        raise given.place.error(f"min_tokens is {value}, and max_tokens is {most}")
    return value


def _stop(options: Options, form: Form) -> tuple[str, ...]:
    """The stop strings: a constant text, or a list of them."""
    given = options.given("stop")
    if given is None:
        return ()
    if not form.is_free:
        raise given.place.error("stop is for free text: the form of an answer says where it ends")
    is_list = isinstance(unwrap(given.value), exp.Array | exp.Tuple)
    items = read_items(given.value, given.place, "stop") if is_list else [given.value]
    texts = [read_text(item, given.place, "a stop string") for item in items]
    if not texts:
        raise given.place.error("stop is empty: give at least one string")
    if "" in texts:
        raise given.place.error("a stop string is empty: every text would end before it begins")
    return tuple(sorted(set(texts)))


def generation_of_labels(answers: Answers) -> Generation | None:
    """Labels that are many or long are written token by token: a row would read them all."""
    sizes = [len(label.text.encode()) for label in answers.labels]
    if answers.multi or sum(sizes) <= MOST_LABEL_BYTES:
        return None
    texts = json.dumps([label.text for label in answers.labels], ensure_ascii=False)
    return Generation(max_tokens=max(sizes) + 1, form=Form(Kind.CHOICES, texts))


def _temperature(options: Options) -> float:
    given = options.given("temperature")
    if given is None:
        return 0.0
    value = float(read_number(given.value, given.place, "temperature"))
    if value < 0:
        raise given.place.error(f"temperature must be at least 0, not {value:g}")
    return value
