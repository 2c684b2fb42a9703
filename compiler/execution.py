"""Running a planned query: load, compile what is new, run, decode."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import duckdb
import jax
import numpy as np
import pyarrow as pa

from sqlax.compiler.lowering.assemble import Assembly, Models
from sqlax.compiler.lowering.columns import Tables, loading_sql
from sqlax.compiler.lowering.machine import Blueprint, phases_of
from sqlax.compiler.lowering.map_sites import MapSite, map_sites
from sqlax.compiler.lowering.step import build_step, start
from sqlax.compiler.placement import Stage
from sqlax.compiler.plan.catalog import Catalog, first_line, used_parameters
from sqlax.compiler.plan.flow import carried_from
from sqlax.compiler.plan.nodes import Node, Scan
from sqlax.compiler.plan.output import Output
from sqlax.compiler.plan.schema import Field, decimal_scale, enum_values
from sqlax.compiler.query import QueryPlan
from sqlax.compiler.report import RunReport, Spent, check_errors, run_report, whole_report
from sqlax.compiler.streaming.answers import Left, following_answers, following_inputs
from sqlax.compiler.streaming.run import run_divided
from sqlax.errors import DataError, OutsideGraphError
from sqlax.runtime.decode import OutputColumn, arrow_column
from sqlax.runtime.load.morsel import Morsel
from sqlax.runtime.load.pool import DEFAULT_TOKEN_BUDGET
from sqlax.runtime.program import Program, Progress, progress_of
from sqlax.runtime.relation import bucket
from sqlax.runtime.score.inputs import ScoreInputs
from sqlax.runtime.state import ProgramInputs, ProgramState

OnProgress = Callable[[Progress], None]


@dataclass(frozen=True)
class Outcome:
    """A query's result and what it took.

    Attributes:
        table: the result; DuckDB casts it to the exact SQL types.
        outputs: the result columns over the table's columns c0, c1, ...
        report: what each operator did.
    """

    table: pa.Table
    outputs: tuple[Output, ...]
    report: RunReport


@dataclass
class Execution:
    """A planned query with the programs compiled for it so far.

    Attributes:
        plan: the query.
        models: the models it may ask.
        token_budget: most tokens in a token pool at once.
        budget: morsels a slice; None for slices of about half a second.
        memory_budget: bytes for the rows of a part; None for half of the machine's memory.
        depth: how many parts of the same stage have been run before this one.
        resident: rows that stay loaded between runs, by what decided them; None to load for each.
    """

    plan: QueryPlan
    models: Models
    token_budget: int = DEFAULT_TOKEN_BUDGET
    budget: int | None = None
    memory_budget: int | None = None
    depth: int = 0
    resident: dict[tuple[Node, str], tuple[Assembly, ProgramInputs]] | None = None
    programs: dict[Any, Program] = field(default_factory=dict)
    stage_programs: dict[str, dict[Any, Program]] = field(default_factory=dict)
    part_programs: dict[Node, dict[Any, Program]] = field(default_factory=dict)
    _join_capacities: dict[Node, int] = field(default_factory=dict)
    _sites: dict[Node, tuple[MapSite, ...]] = field(default_factory=dict)

    def with_parameters(self, parameters: Mapping[str, Any]) -> Execution:
        """The same query over other values of its parameters; compiled programs are shared."""
        catalog = Catalog(self.plan.catalog.connection, parameters)
        return replace(self, plan=replace(self.plan, catalog=catalog))

    def keeping(self) -> Execution:
        """The same query over the tables' rows as its first run finds them: they stay loaded."""
        return replace(self, resident={})

    def run(self, on_progress: OnProgress | None = None) -> Outcome:
        """Run the query to its end, stage by stage.

        A value that the graph's numbers cannot hold is left to DuckDB, with the whole query.

        Raises:
            RowError: an operator with `on_error => 'raise'` failed, or too many rows did.
            DataError: DuckDB could not produce the input rows, or a number left its type's range.
            CapacityError: the data does not fit the memory it was given.
        """
        try:
            return self._run_stages(on_progress)
        except OutsideGraphError as error:
            if self.plan.mode == "duckdb":
                raise
            plan = self.plan.in_mode("duckdb")
            other = replace(
                self, plan=plan, programs={}, stage_programs={}, resident=None, _join_capacities={}
            )
            outcome = other._run_stages(on_progress)
            return replace(outcome, report=replace(outcome.report, outside=error.reason))

    def _run_stages(self, on_progress: OnProgress | None) -> Outcome:
        begin, reports = time.perf_counter(), []
        connection = self.plan.catalog.connection
        try:
            for stage in self.plan.stages:
                outcome = run_divided(self.part(stage), on_progress)
                reports.append(outcome.report)
                connection.register(stage.name, outcome.table)
            outcome = run_divided(self, on_progress)
        finally:
            for stage in self.plan.stages[: len(reports)]:
                connection.unregister(stage.name)
        seconds = time.perf_counter() - begin
        return replace(outcome, report=whole_report(reports, outcome.report, seconds))

    def part(self, stage: Stage) -> Execution:
        """The execution of one stage."""
        programs = self.stage_programs.setdefault(stage.name, {})
        return replace(self, plan=self.plan.stage(stage), programs=programs)

    def over(self, plan: Node, outputs: tuple[Output, ...], depth: int) -> Execution:
        """The execution of a part of the plan."""
        if plan == self.plan.placed:
            return self
        programs = self.part_programs.setdefault(plan, {})
        part = replace(self.plan, placed=plan, stages=(), outputs=outputs)
        return replace(self, plan=part, programs=programs, depth=depth)

    def run_whole(self, on_progress: OnProgress | None) -> Outcome:
        """One program; where DuckDB does everything, no program at all."""
        begin = time.perf_counter()
        if isinstance(self.plan.placed, Scan):
            return self._as_loaded(self.load()[self.plan.placed], begin)
        outcome, left = self.run_program(self._kept_or_loaded(), on_progress)
        if self.resident is not None:
            self.resident[self._data_key()] = left.assembly, left.inputs
        check_errors(self.plan.scores, outcome.report)
        seconds = time.perf_counter() - begin
        return replace(outcome, report=replace(outcome.report, seconds=seconds))

    def run_program(
        self, assembly: Assembly, on_progress: OnProgress | None, earlier: Left | None = None
    ) -> tuple[Outcome, Left]:
        """The plan's program over some rows; rows that fail are reported only.

        Args:
            assembly: the rows, loaded.
            on_progress: told after each slice.
            earlier: left by a run over other rows; with the same dictionary its answers are kept.

        Returns:
            The result, and what is left to another run.
        """
        begin, spent = time.perf_counter(), self._spent()
        with jax.enable_x64(True):
            inputs = self._first_inputs(assembly, earlier)
            while True:
                known = following_answers(assembly, earlier)
                state = self._drive(assembly, inputs, known, on_progress)
                if not self._grow_joins(assembly, state):
                    break
                earlier = Left(assembly, inputs, state)
                assembly = assembly.grown(self._join_capacities)
            _check_numbers(state)
            table = _decode(assembly, state)
            now = self._spent()
            compiling = Spent(now.traces - spent.traces, now.seconds - spent.seconds)
            report = run_report(assembly, state, compiling, time.perf_counter() - begin)
        outcome = Outcome(table, self.plan.outputs, report)
        return outcome, Left(assembly, inputs, state)

    def _kept_or_loaded(self) -> Assembly:
        """The rows of an earlier run where they stay loaded, or the tables' rows as they are now."""
        if self.resident is not None and self._data_key() in self.resident:
            return self.resident[self._data_key()][0]
        with jax.enable_x64(True):
            return self.assembly(self.load())

    def _data_key(self) -> tuple[Node, str]:
        """What decides which rows are loaded, the tables aside."""
        return self.plan.placed, repr(sorted(self.plan.catalog.parameters.items()))

    def _first_inputs(self, assembly: Assembly, earlier: Left | None) -> ProgramInputs:
        known = (self.resident or {}).get(self._data_key())
        if known is not None and known[0] is assembly:
            return known[1]
        return following_inputs(assembly, earlier)

    def _as_loaded(self, table: pa.Table, begin: float) -> Outcome:
        numbered = table.rename_columns([f"c{place}" for place in range(table.num_columns)])
        report = RunReport((), (len(table),), 0, time.perf_counter() - begin, 0.0, 0)
        return Outcome(numbered, self.plan.outputs, report)

    def assembly(self, tables: Tables, morsels: Mapping[Scan, Morsel] | None = None) -> Assembly:
        """The rows of each scan, loaded; of those in `morsels` a table holds only a part."""
        return Assembly(
            self.plan,
            self.models,
            tables,
            self.token_budget,
            self._join_capacities,
            self.map_sites(),
            morsels,
        )

    def map_sites(self) -> tuple[MapSite, ...]:
        """Where the plan reads maps; looked for once for all values of the parameters."""
        if self.plan.placed not in self._sites:
            self._sites[self.plan.placed] = map_sites(self.plan.placed, self.plan.catalog)
        return self._sites[self.plan.placed]

    def _spent(self) -> Spent:
        """Traces and seconds of compiling so far."""
        programs = self.programs.values()
        return Spent(sum(p.traces for p in programs), sum(p.compile_seconds for p in programs))

    def stablehlo(self) -> str:
        """The program for the present data's capacities, as StableHLO text."""
        tables = self.load()
        with jax.enable_x64(True):
            assembly = self.assembly(tables)
            lowered, _ = self.program(assembly).lower(assembly.inputs())
            return str(lowered.as_text())

    def load(self, without: Scan | None = None) -> Tables:
        """The rows of every scan, or of all but one, from DuckDB.

        Raises:
            DataError: with DuckDB's reason.
        """
        self._check_columns()
        scans = (scan for scan in self.plan.scans if scan != without)
        with _readable():
            return {scan: self._relation(scan).to_arrow_table() for scan in scans}

    @contextmanager
    def reading(self, scan: Scan, rows: int) -> Iterator[pa.RecordBatchReader]:
        """The rows of a scan batch by batch; DuckDB's connection is busy until the end.

        Raises:
            DataError: with DuckDB's reason.
        """
        with _readable(), self._relation(scan).to_arrow_reader(rows) as reader:
            yield reader

    def _relation(self, scan: Scan) -> duckdb.DuckDBPyRelation:
        connection, parameters = self.plan.catalog.connection, self.plan.catalog.parameters
        used = used_parameters(connection, scan.sql, parameters)
        return connection.sql(loading_sql(scan), params=used)

    def _check_columns(self) -> None:
        """Raise where a table has changed since the query was planned.

        Raises:
            DataError: a column has another type now.
        """
        for scan in self.plan.scans:
            if self.plan.catalog.describe(scan.sql) != scan.schema.fields:
                raise DataError("the tables' columns changed since the query was compiled")

    def program(self, assembly: Assembly) -> Program:
        """The program for data of this assembly's capacities; made once."""
        blueprint = assembly.blueprint()
        operators = [assembly.loaded[score].inputs for score in self.plan.scores]
        key = _program_key(blueprint, operators)
        if key not in self.programs:
            self.programs[key] = self._make_program(blueprint, operators)
        return self.programs[key]

    def _make_program(self, blueprint: Blueprint, operators: Sequence[ScoreInputs]) -> Program:
        used = {operator.model.name: operator.model.params for operator in blueprint.operators}
        return Program(
            step=build_step(blueprint, operators),
            start=lambda params, inputs: start(blueprint, params, inputs),
            done=phases_of(blueprint).done,
            models=used,
        )

    def _drive(
        self,
        assembly: Assembly,
        inputs: ProgramInputs,
        begin: Callable[[ProgramState], ProgramState],
        on_progress: OnProgress | None,
    ) -> ProgramState:
        program = self.program(assembly)
        state: ProgramState | None = None
        if on_progress is not None:
            on_progress(Progress(0, 0, 0))

        def load_windows(codes: tuple[int, ...]) -> ProgramInputs:
            return assembly.with_windows(inputs, codes)

        for state in program.slices(inputs, load_windows, self.budget, begin):
            if on_progress is not None:
                on_progress(progress_of(state))
        assert state is not None, "a program has at least one phase"
        return state

    def _grow_joins(self, assembly: Assembly, state: ProgramState) -> bool:
        """Whether a join needs more output slots than it had; they are given for the next run."""
        grown = False
        for join, needed in zip(self.plan.joins, np.asarray(state.needed), strict=True):
            if needed > 0:
                self._join_capacities[join] = bucket(int(needed))
                grown = True
        return grown


@contextmanager
def _readable() -> Iterator[None]:
    """DuckDB's errors as ours."""
    try:
        yield
    except duckdb.InterruptException as error:
        raise KeyboardInterrupt from error
    except (duckdb.Error, UnicodeDecodeError, pa.ArrowInvalid) as error:
        raise DataError(first_line(error)) from error


def _program_key(blueprint: Blueprint, constants: Sequence[ScoreInputs]) -> Any:
    """Everything static that a run's data decided."""
    operators = tuple(
        (o.model.identity, o.parts, o.items, o.neutral, o.tiles) for o in blueprint.operators
    )
    shapes = tuple(leaf.shape for given in constants for leaf in jax.tree.leaves(given))
    types = tuple(sorted(blueprint.parameter_types.items()))
    return operators, shapes, blueprint.capacities, blueprint.constants, types


def _check_numbers(state: ProgramState) -> None:
    """Raise where the graph cannot give the answer, but DuckDB gives it or its own error.

    Raises:
        OutsideGraphError: a value left its type's range or 64 bits, or was divided by zero.
    """
    if bool(state.overflow):
        raise OutsideGraphError("a number left the range of its SQL type, or was divided by zero")


def _decode(assembly: Assembly, state: ProgramState) -> pa.Table:
    plan = assembly.plan.placed
    count = int(np.asarray(state.output.mask).sum())
    columns = []
    for output in plan.schema.fields:
        column = state.output.columns[output.name]
        data, valid = np.asarray(column.data[:count]), np.asarray(column.valid[:count])
        held = _held(assembly, output)
        columns.append(arrow_column(held, data, valid, assembly.dictionary))
    numbered = [f"c{place}" for place in range(len(columns))]
    return pa.table(columns, names=numbered)


def _held(assembly: Assembly, output: Field) -> OutputColumn:
    origin = carried_from(assembly.plan.placed, output.name)
    if origin is not None and assembly.columns.is_carried(*origin):
        scan, name = origin
        return OutputColumn(output.kind, source=assembly.tables[scan].column(name))
    labels = output.labels or enum_values(output.type)
    return OutputColumn(output.kind, decimal_scale(output.type), labels=labels)
