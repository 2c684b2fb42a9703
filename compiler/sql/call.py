"""One semantic call, validated: what every later stage works with."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlax.compiler.sql.arguments import Argument, collect_arguments
from sqlax.compiler.sql.examples import (
    Answers,
    Example,
    Label,
    read_examples,
    read_labels,
    read_scale,
)
from sqlax.compiler.sql.form import ANY, read_fields
from sqlax.compiler.sql.functions import (
    AGGREGATES,
    CALL_PREFIX,
    SIGNATURES,
    Function,
    compiled_function,
)
from sqlax.compiler.sql.generation import Generation, generation_of_labels, read_generation
from sqlax.compiler.sql.options import Options
from sqlax.compiler.sql.place import Place, span_of
from sqlax.compiler.sql.prompt import Literal, Prompt, Value, read_parts, read_prompt
from sqlax.compiler.sql.rewrite import CALL_SPAN
from sqlax.errors import Span

if TYPE_CHECKING:
    from sqlax.compiler.sql.constants import Number
    from sqlax.compiler.sql.tokens import Dialect

DEFAULT_THRESHOLD: Final = 0.5
SENTIMENTS: Final = ("positive", "negative", "neutral")
"""What AI_SENTIMENT may answer."""


@dataclass(frozen=True)
class SemanticCall:
    """A call of one semantic function; equal calls give equal answers for equal rows.

    Where it was written, and what has no influence on a score, takes no part in equality. `subject`
    is what the function's instruction names: a language, or fields; `is_ordered` says whether the
    list of an aggregate has an order of its own.
    """

    function: Function
    prompt: Prompt
    labels: tuple[Label, ...] = ()
    multi: bool = False
    scale: tuple[Number, ...] | None = None
    threshold: float = DEFAULT_THRESHOLD
    task_description: str | None = None
    examples: tuple[Example, ...] = ()
    model: str | None = None
    on_error: str = "null"
    return_error_details: bool = False
    max_error_ratio: float | None = None
    raw: bool = False
    generation: Generation | None = None
    subject: str | None = None
    is_ordered: bool = False
    warnings: tuple[str, ...] = field(default=(), compare=False)
    span: Span = field(default=Span(0, 0), compare=False)

    @property
    def reduces(self) -> bool:
        """Whether the last value is a list: all texts of a group, for one answer."""
        return self.function in AGGREGATES

    @property
    def values(self) -> tuple[exp.Expr, ...]:
        """The expressions of the prompt that a row fills in, in order."""
        return tuple(part.expression for part in self.prompt if isinstance(part, Value))

    def with_values(self, values: tuple[exp.Expr, ...]) -> SemanticCall:
        """The call with the expressions of its prompt replaced, in order."""
        rest = iter(values)
        parts = (p if isinstance(p, Literal) else Value(next(rest)) for p in self.prompt)
        return replace(self, prompt=tuple(parts))


def bind_call(node: exp.Anonymous, sql: str, dialect: Dialect = "duckdb") -> SemanticCall:
    """The call that a node of a rewritten tree makes, with every argument checked.

    Args:
        node: a node of `find_calls`.
        sql: the text that was parsed, which errors underline.
        dialect: the session's; Snowflake's AI_CLASSIFY returns an object, which is refused.

    Raises:
        BindError: an argument is missing, unknown, given twice or of the wrong kind.
        UnsupportedError: a form of the call that cannot be compiled.
    """
    function = compiled_function(node.name.removeprefix(CALL_PREFIX))
    assert function is not None, f"not a semantic call: {node.name}"
    place = Place(sql, node.meta.get(CALL_SPAN) or span_of(node) or Span(0, len(sql)))
    _check_use(node, place, function, dialect)
    arguments = collect_arguments(node, place, SIGNATURES[function])
    return _Binder(Options(arguments), place, function).call()


def return_type(call: SemanticCall) -> str:
    """The DuckDB type of a call's result."""
    value = answer_type(call)
    if call.generation is not None:
        value = call.generation.form.type
    return f'STRUCT("value" {value}, "error" VARCHAR)' if call.return_error_details else value


def answer_type(call: SemanticCall) -> str:
    """The DuckDB type of the column that an operator answers with; generated text is VARCHAR."""
    return "VARCHAR[]" if call.multi else SIGNATURES[call.function].returns


@dataclass(frozen=True)
class _Binder:
    """Reads the arguments of one call, each with the rules of its name and of the function."""

    options: Options
    place: Place
    function: Function

    def call(self) -> SemanticCall:
        options, prompt = self.options, self._prompt()
        multi = options.choice("output_mode", ("single", "multi")) == "multi"
        answers = Answers(self.function, self._labels(), multi, self._scale())
        subject, generation = self._written(answers)
        is_sentiment = self.function is Function.SENTIMENT
        return SemanticCall(
            Function.CLASSIFY if is_sentiment else self.function,
            prompt,
            labels=answers.labels,
            multi=multi,
            scale=answers.scale,
            threshold=self._threshold(answers),
            task_description=options.text("task_description"),
            examples=self._examples(answers, prompt),
            model=options.model(),
            on_error=options.choice("on_error", ("null", "raise")),
            return_error_details=options.flag("return_error_details"),
            max_error_ratio=options.share("max_error_ratio"),
            raw=options.flag("raw"),
            generation=generation,
            subject=subject,
            is_ordered=options.arguments["prompt"].value.find(exp.Order) is not None,
            warnings=options.warnings(),
            span=self.place.span,
        )

    def _prompt(self) -> Prompt:
        given = self.options.arguments["prompt"]
        if self.function in AGGREGATES:
            return (*self._told(), Value(given.value))
        prompt = read_prompt(given.value, given.place)
        if not prompt and self.function is not Function.COUNT_TOKENS:
            raise given.place.error(f"the prompt of {self.function} is empty")
        return prompt

    def _told(self) -> Prompt:
        """What AI_AGG is to do with the texts: a constant."""
        if self.function is not Function.AGG:
            return ()
        given = self._required("instruction", "'Which faults are named?'")
        told = read_parts(given.value, given.place)
        if any(part.expression.find(exp.Column) for part in told if isinstance(part, Value)):
            raise given.place.error("the instruction must be the same for all rows: a constant")
        if not told:
            raise given.place.error("the instruction is empty")
        return (*told, Literal("\n\n"))

    def _written(self, answers: Answers) -> tuple[str | None, Generation | None]:
        """What an instruction names, and how text is generated; neither for what only scores."""
        options = self.options
        if self.function is Function.EXTRACT:
            subject, form = read_fields(self._required("fields", "{'price': 'DOUBLE'}"))
            return subject, read_generation(options, form)
        if self.function is Function.TRANSLATE:
            self._required("language", "'French'")
            return options.text("language"), read_generation(options, ANY)
        if self.function is Function.SUMMARIZE or self.function in AGGREGATES:
            return None, read_generation(options, ANY)
        if self.function is Function.GENERATE:
            return None, read_generation(options)
        options.integer("max_tokens", least=1)
        options.zero_temperature()
        options.integer("seed")
        return None, generation_of_labels(answers)

    def _required(self, name: str, such: str) -> Argument:
        given = self.options.given(name)
        if given is None:
            raise self.place.error(f"{self.function} needs {name}, such as {such}")
        return given

    def _labels(self) -> tuple[Label, ...]:
        given = self.options.given("categories")
        if given is not None:
            return read_labels(given.value, given.place)
        if self.function is Function.SENTIMENT:
            return tuple(Label(text) for text in SENTIMENTS)
        if self.function is Function.CLASSIFY:
            raise self.place.error("AI_CLASSIFY needs categories, such as ['positive', 'negative']")
        return ()

    def _scale(self) -> tuple[Number, ...] | None:
        given = self.options.given("scale")
        return None if given is None else read_scale(given.value, given.place)

    def _threshold(self, answers: Answers) -> float:
        given = self.options.given("threshold")
        if given is not None and self.function is Function.CLASSIFY and not answers.multi:
            raise given.place.error("threshold needs output_mode => 'multi': one answer has none")
        share = self.options.share("threshold")
        return DEFAULT_THRESHOLD if share is None else share

    def _examples(self, answers: Answers, prompt: Prompt) -> tuple[Example, ...]:
        given = self.options.given("examples")
        if given is None:
            return ()
        values = sum(isinstance(part, Value) for part in prompt)
        return read_examples(given.value, given.place, answers, values)


def _check_use(node: exp.Anonymous, place: Place, function: Function, dialect: Dialect) -> None:
    if isinstance(node.parent, exp.Window) and function in AGGREGATES:
        raise place.unsupported(f"{function} OVER a window cannot be compiled yet")
    if isinstance(node.parent, exp.Window | exp.Filter) and node.parent.this is node:
        raise place.error(f"{function} is no aggregate: it takes neither OVER nor FILTER")
    if dialect == "snowflake" and function is Function.CLASSIFY:
        message = "Snowflake's AI_CLASSIFY returns an OBJECT, which cannot be compiled yet"
        raise place.unsupported(f"{message}; dialect='duckdb' has it as a VARCHAR")
