"""From a placed plan and loaded data to a blueprint and the inputs of its program."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import jax
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sqlax.compiler.lowering.columns import RunColumns, Tables
from sqlax.compiler.lowering.constants import string_constants
from sqlax.compiler.lowering.environment import dtype_of_kind
from sqlax.compiler.lowering.machine import Blueprint, TokenCount
from sqlax.compiler.lowering.map_sites import MapSite, map_sites
from sqlax.compiler.lowering.operators import (
    FEWEST_LANES,
    Sizes,
    load_operator,
    make_operator,
    reasons,
    values_of,
)
from sqlax.compiler.lowering.prompts import lay_out, row_values
from sqlax.compiler.plan.flow import carried_from, prompt_columns
from sqlax.compiler.plan.nodes import Aggregate, Join, JoinKind, Node, Scan, Score, Union
from sqlax.compiler.plan.schema import Kind, kind_of
from sqlax.compiler.query import QueryPlan
from sqlax.errors import CapacityError
from sqlax.models.language_model import LanguageModel
from sqlax.models.profile import BARE
from sqlax.runtime.load.columns import device_like, host_column, load_column
from sqlax.runtime.load.markup import tokens_of
from sqlax.runtime.load.morsel import Morsel
from sqlax.runtime.load.pool import PoolBuilder
from sqlax.runtime.load.prompt import LoadedOperator, Loading
from sqlax.runtime.narrow import NarrowRelation
from sqlax.runtime.prompt.layout import Slot
from sqlax.runtime.prompt.operator import PromptOperator
from sqlax.runtime.relation import Column, bucket
from sqlax.runtime.state import ProgramInputs
from sqlax.runtime.text.dictionary_bytes import DictionaryBytes
from sqlax.runtime.text.tables import TextTables
from sqlax.runtime.text.token_bytes import token_bytes_of

_MOST_ROWS = 1 << 30
"""Row numbers are int32."""


@dataclass(frozen=True)
class Models:
    """The models a query may ask: one is the default."""

    default: str
    by_name: Mapping[str, LanguageModel]

    def of(self, node: Score) -> LanguageModel:
        """The model of a semantic operator."""
        return self.by_name[node.call.model or self.default]


class Assembly:
    """One run's data, loaded: dictionary, columns, token pools, and what shapes follow.

    Args:
        plan: the query.
        models: the models it asks.
        tables: the rows of each scan.
        token_budget: most tokens in a pool at once.
        join_capacities: output slots of joins that were found too small.
        sites: where the plan reads maps; looked for where not given.
        morsels: scans whose table is one of many.
    """

    def __init__(
        self,
        plan: QueryPlan,
        models: Models,
        tables: Tables,
        token_budget: int,
        join_capacities: Mapping[Node, int],
        sites: Sequence[MapSite] | None = None,
        morsels: Mapping[Scan, Morsel] | None = None,
    ) -> None:
        self.plan = plan
        self.models = models
        self.tables = tables
        self.layouts = {
            s: lay_out(s.call, models.of(s).profile, self._evaluate) for s in plan.scores
        }
        self._counted = {
            s: lay_out(replace(s.call, raw=True), BARE, self._evaluate) for s in plan.counts
        }
        self.constants = string_constants(plan.placed, plan.catalog)
        texts = self._run_texts()
        if sites is None:
            sites = map_sites(plan.placed, plan.catalog)
        self.columns = RunColumns(plan.placed, plan.catalog, tables, sites, texts, morsels)
        self.dictionary = self.columns.dictionary
        self._morsels = morsels or {}
        self._scan_capacity = {scan: _row_capacity(len(tables[scan])) for scan in plan.scans}
        self._join_capacities: dict[Node, int] = {**join_capacities}
        self._pools = {name: self._make_pool(name, token_budget) for name in self._names()}
        self.loaded = {score: self._load(score) for score in plan.scores}
        self._longest = {name: pool.measure() for name, pool in self._pools.items()}

    def following(self, tables: Tables, morsels: Mapping[Scan, Morsel]) -> Assembly | None:
        """The assembly of the next morsel of the same scans; None where it must be made anew."""
        columns = self.columns.following(tables, morsels)
        if columns is None:
            return None
        other = copy.copy(self)
        other.columns, other.tables, other._morsels = columns, tables, morsels
        return other

    def grown(self, join_capacities: Mapping[Node, int]) -> Assembly:
        """The same data with other output slots of joins."""
        other = copy.copy(self)
        other._join_capacities = dict(join_capacities)
        return other

    def _names(self) -> tuple[str, ...]:
        semantic = (*self.plan.scores, *self.plan.counts)
        return tuple(dict.fromkeys(self.models.of(score).name for score in semantic))

    def _run_texts(self) -> list[str]:
        """Texts of the run that no table holds: constants, parameters, answers, error texts."""
        texts = list(self.constants)
        texts += [v for v in self.plan.catalog.parameters.values() if isinstance(v, str)]
        for score, layout in self.layouts.items():
            texts += [*layout.answers, *reasons(self.models.of(score))]
        return texts

    def _make_pool(self, name: str, budget: int) -> PoolBuilder:
        layouts, wanted = {**self.layouts, **self._counted}, self._wanted_texts()
        leads = dict.fromkeys(
            lead
            for s, layout in layouts.items()
            if self.models.of(s).name == name
            for lead in layout.leads
        )
        tokenizer = self.models.by_name[name].tokenizer
        return PoolBuilder(tokenizer, self.dictionary, wanted, tuple(leads), budget, self._ways())

    def _wanted_texts(self) -> npt.NDArray[np.bool_]:
        """Which texts of the dictionary prompts may read."""
        wanted = np.zeros(len(self.dictionary), bool)
        texts = [pa.array(self._run_texts(), pa.large_string())]
        mapped = {wanted.expression for wanted in self.columns.maps}
        for scan, name in prompt_columns(self.plan.placed, mapped):
            if scan.schema[name].kind is Kind.STRING:
                texts.append(self.columns.loaded_texts((scan, name)))
        semantic = (*self.plan.scores, *self.plan.counts)
        if any(_reads_made_text(score) for score in semantic):
            texts.append(self.columns.mapped_texts)
        for values in texts:
            wanted[self.dictionary.codes(values)] = True
        return wanted

    def _ways(self) -> int:
        """The most values that a prompt has: each may stand in another window of the pool."""
        return max((len(row_values(s.call)) for s in self.plan.scores), default=1) or 1

    def _load(self, score: Score) -> LoadedOperator:
        model = self.models.of(score)
        pool = self._pools[model.name]
        loading = Loading(model.tokenizer, pool, self.dictionary, reasons(model))
        return load_operator(score, self.layouts[score], loading)

    def _evaluate(self, sql: str) -> str | None:
        ((value,),) = self.plan.catalog.rows(sql)
        return None if value is None else str(value)

    def blueprint(self) -> Blueprint:
        """The plan with the shapes that this data needs."""
        plan = self.plan
        return Blueprint(
            plan=plan.placed,
            catalog=plan.catalog,
            scans=plan.scans,
            scores=plan.scores,
            operators=tuple(self._operator(score) for score in plan.scores),
            counts={score: self._token_count(score) for score in plan.counts},
            joins=plan.joins,
            capacities=tuple(self._join_capacities.get(join, 0) for join in plan.joins),
            constants=self.constants,
            maps=self.columns.maps,
            parameter_types=plan.parameter_types,
        )

    def _operator(self, score: Score) -> PromptOperator:
        sizes = Sizes(
            {0: 1, 1: self.id_capacity}.get(len(values_of(score)), self.capacity(score.input)),
            self.capacity(score.input),
            self.capacity(score.input, FEWEST_LANES),
            self._longest[self.models.of(score).name],
            self._first_id(score),
        )
        model = self.models.of(score)
        return make_operator(score, model, self.layouts[score], self.loaded[score], sizes)

    def _first_id(self, score: Score) -> int:
        """The text id of the first text that an operator writes."""
        before = self.plan.scores[: self.plan.scores.index(score)]
        return self.code_capacity + sum(self._texts(other) for other in before)

    def _texts(self, score: Score) -> int:
        """Text ids that an operator takes up."""
        return bucket(self.capacity(score.input)) if score.call.generation is not None else 0

    @property
    def id_capacity(self) -> int:
        """Slots for text ids: dictionary codes, then generated texts."""
        return self.code_capacity + sum(map(self._texts, self.plan.scores))

    def _token_count(self, score: Score) -> TokenCount:
        """The values of an AI_COUNT_TOKENS call with the lead each is tokenised with."""
        name, values = self.models.of(score).name, row_values(score.call)
        slots = (part for part in self._counted[score].row if isinstance(part, Slot))
        leads = self._pools[name].leads
        return TokenCount(name, tuple((values[s.value].name, leads.index(s.lead)) for s in slots))

    def _constant_tokens(self, score: Score) -> int:
        tokenizer, layout = self.models.of(score).tokenizer, self._counted[score]
        return len(tokens_of(layout.constants(), tokenizer))

    def _counts(self) -> Column:
        """Constant tokens of each AI_COUNT_TOKENS prompt; NULL where a constant part is."""
        known = [self._counted[score].known for score in self.plan.counts]
        tokens = [self._constant_tokens(score) for score in self.plan.counts]
        return Column(device_like(tokens, np.int32), device_like(known, bool))

    @property
    def code_capacity(self) -> int:
        """Slots for dictionary codes."""
        return bucket(len(self.dictionary))

    def capacity(self, node: Node, least: int = 256) -> int:
        """The most row slots that a node's relation can have; `least` slots for few rows."""
        if isinstance(node, Scan):
            return min(self._scan_capacity[node], bucket(len(self.tables[node]), least))
        if isinstance(node, Aggregate) and not node.keys:
            return 1
        sides = [self.capacity(side, least) for side in node.inputs]
        if isinstance(node, Union) or (isinstance(node, Join) and node.kind is JoinKind.FULL):
            return max(sum(sides), self._join_capacities.get(node, 0))
        if isinstance(node, Join) and node.kind in (JoinKind.INNER, JoinKind.LEFT):
            return max(self._join_capacities.get(node, 0), *sides)
        return sides[0]

    def inputs(self) -> ProgramInputs:
        """The program's inputs on the device, with the first texts in the token pools."""
        plan = self.plan
        with jax.enable_x64(True):
            inputs: ProgramInputs = jax.device_put(
                ProgramInputs(
                    scans=tuple(self._scan(scan) for scan in plan.scans),
                    maps=self.columns.tables(),
                    constants=device_like(
                        [self.dictionary.code(text) for text in self.constants], np.int32
                    ),
                    parameters=self._parameters(),
                    pools={
                        name: pool.load(pool.first_codes(), self.code_capacity)
                        for name, pool in self._pools.items()
                    },
                    operators=tuple(self.loaded[score].inputs for score in plan.scores),
                    counted=self._counts(),
                    texts=self._text_tables(),
                )
            )
        return inputs

    def _text_tables(self) -> TextTables | None:
        """What written texts are spelled with; None where no operator writes."""
        writing = [self.models.of(s) for s in self.plan.scores if s.call.generation is not None]
        if not writing:
            return None
        tokens = {model.name: token_bytes_of(model.tokenizer) for model in writing}
        return TextTables(tokens, DictionaryBytes.of(self.dictionary, self.code_capacity))

    def inputs_after(self, before: ProgramInputs) -> ProgramInputs:
        """The inputs where those of an earlier run with the same dictionary are on the device."""
        pairs = zip(self.plan.scans, before.scans, strict=True)
        scans = [self._scan(s) if s in self._morsels else held for s, held in pairs]
        known = zip(self.columns.maps, before.maps, strict=True)
        by_row = self.columns.by_row
        maps = [self.columns.table(m) if m in by_row else held for m, held in known]
        with jax.enable_x64(True):
            return replace(before, scans=jax.device_put((*scans,)), maps=jax.device_put((*maps,)))

    def _scan(self, scan: Scan) -> NarrowRelation:
        return self.columns.relation(scan, self._scan_capacity[scan])

    def with_windows(self, inputs: ProgramInputs, codes: tuple[int, ...]) -> ProgramInputs:
        """The inputs with the windows of some dictionary codes in the token pools."""
        loaded = {name: pool.load(codes, self.code_capacity) for name, pool in self._pools.items()}
        with jax.enable_x64(True):
            return replace(inputs, pools=jax.device_put(loaded))

    def _parameters(self) -> dict[str, Column]:
        return {name: self._parameter(name) for name in self.plan.catalog.parameters}

    def _parameter(self, name: str) -> Column:
        """A parameter as a column of one row; without bounds, for its value is not the shape's."""
        kind = kind_of(self.plan.parameter_types[name])
        column = self.plan.catalog.arrow(f"SELECT ${name} AS v").column(0)
        if kind is Kind.STRING:
            codes = self.dictionary.codes(column)
            return host_column(codes, np.asarray([column[0].is_valid]), 1)
        if kind is Kind.OPAQUE:
            return host_column(np.zeros(1, np.int32), np.zeros(1, bool), 1)
        return load_column(column, dtype_of_kind(kind), 1)


def _reads_made_text(score: Score) -> bool:
    """Whether a prompt reads a text that the plan computes."""
    values = (value.name for value in row_values(score.call))
    return any(carried_from(score.input, name) is None for name in values)


def _row_capacity(rows: int) -> int:
    if rows > _MOST_ROWS:
        raise CapacityError(f"{rows:,} rows reach the program at once; it takes {_MOST_ROWS:,}")
    return bucket(rows)
