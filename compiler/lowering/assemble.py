"""From a placed plan and loaded data to a blueprint and the inputs of its program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import jax
import numpy as np
import pyarrow as pa

from sqlax.compiler.lowering.constants import string_constants
from sqlax.compiler.lowering.expressions import device_number
from sqlax.compiler.lowering.machine import Blueprint, TokenCount
from sqlax.compiler.lowering.prompts import answer_of, lay_out, row_values
from sqlax.compiler.plan.flow import computed_columns, prompt_columns
from sqlax.compiler.plan.nodes import Aggregate, Join, Node, Scan, Score
from sqlax.compiler.plan.schema import Kind, decimal_scale, is_wide, kind_of
from sqlax.compiler.query import QueryPlan
from sqlax.errors import CapacityError
from sqlax.models.language_model import LanguageModel
from sqlax.models.profile import BARE
from sqlax.runtime.load.columns import device_like, host_column, numbers, validity
from sqlax.runtime.load.dictionary import StringDictionary
from sqlax.runtime.load.operator import LoadedOperator, load_operator
from sqlax.runtime.load.pool import PoolBuilder
from sqlax.runtime.relation import Column, Relation, bucket
from sqlax.runtime.score.layout import Slot, Text
from sqlax.runtime.score.operator import ScoreOperator
from sqlax.runtime.state import ProgramInputs

Tables = dict[Scan, pa.Table]

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


def reasons(model: LanguageModel) -> tuple[str, ...]:
    """The error text of each status, in the order of `Status`."""
    return (
        "",
        "",
        f"the prompt is longer than the context of {model.context_length} tokens",
        "the model gave none of the labels a probability",
    )


class Assembly:
    """One run's data, loaded: dictionary, columns, token pools, and what shapes follow.

    Args:
        plan: the query.
        models: the models it asks.
        tables: the rows of each scan.
        token_budget: most tokens in a pool at once.
        join_capacities: output slots of joins that were found too small.
    """

    def __init__(
        self,
        plan: QueryPlan,
        models: Models,
        tables: Tables,
        token_budget: int,
        join_capacities: Mapping[Join, int],
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
        self._computed = computed_columns(plan.placed)
        self.dictionary = self._make_dictionary()
        self._scan_capacity = {scan: _row_capacity(len(tables[scan])) for scan in plan.scans}
        self._join_capacities = dict(join_capacities)
        self._pools = {name: self._make_pool(name, token_budget) for name in self._names()}
        self.loaded = {score: self._load(score) for score in plan.scores}
        self._longest = {name: pool.measure() for name, pool in self._pools.items()}

    def _names(self) -> tuple[str, ...]:
        semantic = (*self.plan.scores, *self.plan.counts)
        return tuple(dict.fromkeys(self.models.of(score).name for score in semantic))

    def _make_dictionary(self) -> StringDictionary:
        columns = [
            self.tables[scan].column(name)
            for scan, name in sorted(self._computed, key=lambda origin: (origin[0].sql, origin[1]))
            if scan.schema[name].kind is Kind.STRING
        ]
        return StringDictionary.of(columns, self._run_texts())

    def _run_texts(self) -> list[str]:
        """Texts of the run that no table holds: constants, parameters, answers, error texts."""
        texts = list(self.constants)
        texts += [v for v in self.plan.catalog.parameters.values() if isinstance(v, str)]
        for score, layout in self.layouts.items():
            texts += [*layout.answers, *reasons(self.models.of(score))]
        return texts

    def _make_pool(self, name: str, budget: int) -> PoolBuilder:
        wanted = np.zeros(len(self.dictionary), bool)
        for scan, column in prompt_columns(self.plan.placed):
            if scan.schema[column].kind is Kind.STRING:
                wanted[self.dictionary.codes(self.tables[scan].column(column))] = True
        layouts = {**self.layouts, **self._counted}
        for text in self._run_texts():
            wanted[self.dictionary.code(text)] = True
        leads = dict.fromkeys(
            lead
            for s, layout in layouts.items()
            if self.models.of(s).name == name
            for lead in layout.leads
        )
        tokenizer = self.models.by_name[name].tokenizer
        return PoolBuilder(tokenizer, self.dictionary, wanted, tuple(leads), budget, self._ways())

    def _ways(self) -> int:
        """The most values that a prompt has: each may stand in another window of the pool."""
        return max((len(row_values(s.call)) for s in self.plan.scores), default=1) or 1

    def _load(self, score: Score) -> LoadedOperator:
        model = self.models.of(score)
        return load_operator(
            self.layouts[score],
            model.tokenizer,
            self._pools[model.name],
            self._pools[model.name].leads,
            self.dictionary,
            reasons(model),
        )

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
            capacities=tuple(self.capacity(join) for join in plan.joins),
            constants=self.constants,
            parameter_types=plan.parameter_types,
        )

    def _operator(self, score: Score) -> ScoreOperator:
        loaded, model = self.loaded[score], self.models.of(score)
        values = tuple(value.name for value in row_values(score.call))
        items = {0: 1, 1: self.code_capacity}.get(len(values), self.capacity(score.input))
        nodes = len(loaded.inputs.trie.node_token)
        longest = loaded.constant_tokens + loaded.slots * self._longest[model.name]
        return ScoreOperator(
            name=score.name,
            answer=answer_of(score.call),
            model=model,
            values=values,
            parts=loaded.parts,
            items=items,
            neutral=len(self.layouts[score].neutral),
            row_tokens=max(1, min(longest, model.context_length + nodes)),
        )

    def _token_count(self, score: Score) -> TokenCount:
        """The values of an AI_COUNT_TOKENS call with the lead each is tokenised with."""
        name, values = self.models.of(score).name, row_values(score.call)
        slots = (part for part in self._counted[score].row if isinstance(part, Slot))
        leads = self._pools[name].leads
        return TokenCount(name, tuple((values[s.value].name, leads.index(s.lead)) for s in slots))

    def _constant_tokens(self, score: Score) -> int:
        tokenizer, layout = self.models.of(score).tokenizer, self._counted[score]
        texts = [layout.prefix, *(p.text for p in layout.row if isinstance(p, Text))]
        return sum(len(tokenizer.encode(text)) for text in texts)

    def _counts(self) -> Column:
        """Constant tokens of each AI_COUNT_TOKENS prompt; NULL where a constant part is."""
        known = [self._counted[score].known for score in self.plan.counts]
        tokens = [self._constant_tokens(score) for score in self.plan.counts]
        return Column(device_like(tokens, np.int32), device_like(known, bool))

    @property
    def code_capacity(self) -> int:
        """Slots for dictionary codes."""
        return bucket(len(self.dictionary))

    def capacity(self, node: Node) -> int:
        """Row slots of a node's relation."""
        if isinstance(node, Scan):
            return self._scan_capacity[node]
        if isinstance(node, Aggregate) and not node.keys:
            return 1
        if isinstance(node, Join):
            sides = [self.capacity(side) for side in node.inputs]
            return max(self._join_capacities.get(node, 0), *sides)
        return self.capacity(node.inputs[0])

    def inputs(self) -> ProgramInputs:
        """The program's inputs on the device, with the first texts in the token pools."""
        plan = self.plan
        with jax.enable_x64(True):
            inputs: ProgramInputs = jax.device_put(
                ProgramInputs(
                    scans=tuple(self._relation(scan) for scan in plan.scans),
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
                )
            )
        return inputs

    def with_windows(self, inputs: ProgramInputs, codes: tuple[int, ...]) -> ProgramInputs:
        """The inputs with the windows of some dictionary codes in the token pools."""
        loaded = {name: pool.load(codes, self.code_capacity) for name, pool in self._pools.items()}
        with jax.enable_x64(True):
            return replace(inputs, pools=jax.device_put(loaded))

    def _relation(self, scan: Scan) -> Relation:
        table, capacity = self.tables[scan], self._scan_capacity[scan]
        columns = {name: self._column(scan, name, capacity) for name in scan.schema.names}
        return Relation(columns, device_like(np.arange(capacity) < len(table), bool))

    def _column(self, scan: Scan, name: str, capacity: int) -> Column:
        field, column = scan.schema[name], self.tables[scan].column(name)
        if self.is_carried(scan, name):
            data = np.arange(len(column), dtype=np.int32)
        elif field.kind is Kind.STRING:
            data = self.dictionary.codes(column)
        else:
            data = numbers(column, field.kind, decimal_scale(field.type))
        return host_column(data, validity(column), capacity)

    def is_carried(self, scan: Scan, name: str) -> bool:
        """Whether a scan column is held as row numbers of its Arrow column."""
        field, computed = scan.schema[name], (scan, name) in self._computed
        indirect = field.kind is Kind.STRING or is_wide(field.type)
        return field.kind is Kind.OPAQUE or (indirect and not computed)

    def _parameters(self) -> dict[str, Column]:
        return {
            name: _parameter(value, self.plan.parameter_types[name], self.dictionary)
            for name, value in self.plan.catalog.parameters.items()
        }


def _row_capacity(rows: int) -> int:
    if rows > _MOST_ROWS:
        raise CapacityError(f"{rows:,} rows reach the program at once; it takes {_MOST_ROWS:,}")
    return bucket(rows)


def _parameter(value: Any, kind: str, dictionary: StringDictionary) -> Column:
    if value is None:
        return host_column(np.zeros(1, np.int32), np.zeros(1, bool), 1)
    if kind_of(kind) is Kind.STRING:
        data = np.asarray([dictionary.code(value)], np.int32)
    else:
        with jax.enable_x64(True):
            data = np.asarray(device_number(value, kind)).reshape(1)
    return host_column(data, np.ones(1, bool), 1)
