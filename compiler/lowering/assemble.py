"""From a placed plan and loaded data to a blueprint and the inputs of its program."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace

import jax
import numpy as np

from sqlax.compiler.lowering.blueprint import Blueprint, TokenCount
from sqlax.compiler.lowering.capacities import Capacities
from sqlax.compiler.lowering.columns import RunColumns, Tables
from sqlax.compiler.lowering.constants import string_constants
from sqlax.compiler.lowering.environment import dtype_of_kind
from sqlax.compiler.lowering.map_sites import MapSite, map_sites
from sqlax.compiler.lowering.models import Models
from sqlax.compiler.lowering.operators import (
    FEWEST_LANES,
    Sizes,
    load_operator,
    make_operator,
    most_written,
    reasons,
    values_of,
)
from sqlax.compiler.lowering.pools import TokenPools, run_texts
from sqlax.compiler.lowering.prompts import lay_out, row_values
from sqlax.compiler.plan.nodes import Node, Scan, Score
from sqlax.compiler.plan.schema import Kind, kind_of
from sqlax.compiler.query import QueryPlan
from sqlax.models.profile import BARE
from sqlax.runtime.load.columns import device_like, host_column, load_column
from sqlax.runtime.load.markup import tokens_of
from sqlax.runtime.load.morsel import Morsel
from sqlax.runtime.load.prompt import LoadedOperator, Loading
from sqlax.runtime.narrow import NarrowRelation
from sqlax.runtime.prompt.layout import Slot
from sqlax.runtime.prompt.operator import PromptOperator
from sqlax.runtime.relation import Column
from sqlax.runtime.state import ProgramInputs
from sqlax.runtime.text.dictionary_bytes import DictionaryBytes
from sqlax.runtime.text.tables import TextTables
from sqlax.runtime.text.token_bytes import token_bytes_of


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
        texts = run_texts(plan, models, self.constants, self.layouts)
        if sites is None:
            sites = map_sites(plan.placed, plan.catalog)
        self.columns = RunColumns(plan.placed, plan.catalog, tables, sites, texts, morsels)
        self.dictionary = self.columns.dictionary
        self._morsels = morsels or {}
        self.capacities = Capacities(plan, tables, {**join_capacities}, len(self.dictionary))
        layouts = {**self.layouts, **self._counted}
        self._pools = TokenPools(plan, models, layouts, self.columns, texts, token_budget)
        self.loaded = {score: self._load(score) for score in plan.scores}
        self._longest = self._pools.measure()

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
        other.capacities = replace(self.capacities, joins=dict(join_capacities))
        return other

    def _load(self, score: Score) -> LoadedOperator:
        model = self.models.of(score)
        pool = self._pools.of(model.name)
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
            capacities=tuple(self.capacities.joins.get(join, 0) for join in plan.joins),
            constants=self.constants,
            maps=self.columns.maps,
            parameter_types=plan.parameter_types,
        )

    def _operator(self, score: Score) -> PromptOperator:
        slots = self.capacities
        sizes = Sizes(
            {0: 1, 1: slots.ids}.get(len(values_of(score)), slots.rows(score.input)),
            slots.rows(score.input),
            slots.rows(score.input, FEWEST_LANES),
            self._longest_text(score),
            slots.first_id(score),
        )
        model = self.models.of(score)
        return make_operator(score, model, self.layouts[score], self.loaded[score], sizes)

    def _longest_text(self, score: Score) -> int:
        """Tokens of the longest text that a prompt may hold, yet to be written or not."""
        known, schema = self._longest[self.models.of(score).name], score.input.schema
        if not any(schema[name].kind is Kind.WRITTEN for name in values_of(score)):
            return known
        below = (node for node in score.input.walk() if isinstance(node, Score))
        return max([known, *(most_written(node, self.loaded[node]) for node in below)])

    def _token_count(self, score: Score) -> TokenCount:
        """The values of an AI_COUNT_TOKENS call with the lead each is tokenised with."""
        name, values = self.models.of(score).name, row_values(score.call)
        slots = (part for part in self._counted[score].row if isinstance(part, Slot))
        leads = self._pools.of(name).leads
        return TokenCount(name, tuple((values[s.value].name, leads.index(s.lead)) for s in slots))

    def _constant_tokens(self, score: Score) -> int:
        tokenizer, layout = self.models.of(score).tokenizer, self._counted[score]
        return len(tokens_of(layout.constants(), tokenizer))

    def _counts(self) -> Column:
        """Constant tokens of each AI_COUNT_TOKENS prompt; NULL where a constant part is."""
        known = [self._counted[score].known for score in self.plan.counts]
        tokens = [self._constant_tokens(score) for score in self.plan.counts]
        return Column(device_like(tokens, np.int32), device_like(known, bool))

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
                    pools=self._pools.first(self.capacities.codes),
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
        return TextTables(tokens, DictionaryBytes.of(self.dictionary, self.capacities.codes))

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
        return self.columns.relation(scan, self.capacities.scan(scan))

    def with_windows(self, inputs: ProgramInputs, codes: tuple[int, ...]) -> ProgramInputs:
        """The inputs with the windows of some dictionary codes in the token pools."""
        loaded = self._pools.holding(codes, self.capacities.codes)
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
