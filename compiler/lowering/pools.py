"""The texts that a run's prompts may read, and their tokens, model by model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sqlax.compiler.lowering.columns import RunColumns
from sqlax.compiler.lowering.models import Models
from sqlax.compiler.lowering.operators import reasons
from sqlax.compiler.lowering.prompts import row_values
from sqlax.compiler.plan.flow import carried_from, prompt_columns
from sqlax.compiler.plan.nodes import Score
from sqlax.compiler.plan.schema import Kind
from sqlax.compiler.query import QueryPlan
from sqlax.runtime.load.pool import PoolBuilder
from sqlax.runtime.prompt.inputs import TokenPool
from sqlax.runtime.prompt.layout import PromptLayout

Layouts = Mapping[Score, PromptLayout]


def run_texts(
    plan: QueryPlan, models: Models, constants: Iterable[str], layouts: Layouts
) -> list[str]:
    """Texts of the run that no table holds: constants, parameters, answers, error texts."""
    texts = list(constants)
    texts += [v for v in plan.catalog.parameters.values() if isinstance(v, str)]
    for score, layout in layouts.items():
        texts += [*layout.answers, *reasons(models.of(score))]
    return texts


class TokenPools:
    """One pool of tokens for each model that the plan asks.

    Args:
        plan: the query.
        models: its models.
        layouts: the prompt of each semantic operator.
        columns: the loaded columns.
        texts: texts that no table holds.
        budget: most tokens in a pool at once.
    """

    def __init__(
        self,
        plan: QueryPlan,
        models: Models,
        layouts: Layouts,
        columns: RunColumns,
        texts: list[str],
        budget: int,
    ) -> None:
        self._semantic = (*plan.scores, *plan.counts)
        self._models = models
        self._columns = columns
        wanted = self._wanted(plan, texts)
        ways = max((len(row_values(s.call)) for s in plan.scores), default=1) or 1
        names = dict.fromkeys(models.of(score).name for score in self._semantic)
        self._by_name = {
            name: PoolBuilder(
                models.by_name[name].tokenizer,
                columns.dictionary,
                wanted,
                self._leads(name, layouts),
                budget,
                ways,
            )
            for name in names
        }

    def of(self, name: str) -> PoolBuilder:
        """The pool of a model."""
        return self._by_name[name]

    def measure(self) -> dict[str, int]:
        """Tokens of the longest text in each pool."""
        return {name: pool.measure() for name, pool in self._by_name.items()}

    def first(self, codes: int) -> dict[str, TokenPool]:
        """The pools with the first texts, for so many dictionary codes."""
        pools = self._by_name.items()
        return {name: pool.load(pool.first_codes(), codes) for name, pool in pools}

    def holding(self, wanted: tuple[int, ...], codes: int) -> dict[str, TokenPool]:
        """The pools with the windows of some dictionary codes."""
        return {name: pool.load(wanted, codes) for name, pool in self._by_name.items()}

    def _leads(self, name: str, layouts: Layouts) -> tuple[str, ...]:
        own = (layout for score, layout in layouts.items() if self._models.of(score).name == name)
        return tuple(dict.fromkeys(lead for layout in own for lead in layout.leads))

    def _wanted(self, plan: QueryPlan, texts: list[str]) -> npt.NDArray[np.bool_]:
        """Which texts of the dictionary prompts may read."""
        dictionary = self._columns.dictionary
        wanted = np.zeros(len(dictionary), bool)
        found = [pa.array(texts, pa.large_string())]
        mapped = {wanted.expression for wanted in self._columns.maps}
        for scan, name in prompt_columns(plan.placed, mapped):
            if scan.schema[name].kind is Kind.STRING:
                found.append(self._columns.loaded_texts((scan, name)))
        if any(map(_reads_computed_text, self._semantic)):
            found.append(self._columns.mapped_texts)
        for values in found:
            wanted[dictionary.codes(values)] = True
        return wanted


def _reads_computed_text(score: Score) -> bool:
    """Whether a prompt reads a text that the plan computes."""
    values = (value.name for value in row_values(score.call))
    return any(carried_from(score.input, name) is None for name in values)
