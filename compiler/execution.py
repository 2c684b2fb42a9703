"""Running a planned query: load, compile what is new, run, decode."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import jax
import numpy as np

from sqlax.compiler.decoding import check_numbers, decode
from sqlax.compiler.lowering.assemble import Assembly
from sqlax.compiler.lowering.blueprint import Blueprint, phases_of
from sqlax.compiler.lowering.columns import Tables
from sqlax.compiler.lowering.map_sites import MapSite
from sqlax.compiler.lowering.models import Models
from sqlax.compiler.lowering.step import build_step, program_key, start
from sqlax.compiler.outcome import OnProgress, Outcome, as_loaded
from sqlax.compiler.placement import SPLIT
from sqlax.compiler.plan.catalog import Catalog
from sqlax.compiler.plan.nodes import Node, Scan
from sqlax.compiler.plan.output import Output
from sqlax.compiler.programs import Programs
from sqlax.compiler.query import QueryPlan
from sqlax.compiler.reading import read_scans
from sqlax.compiler.reduction import run_reduction
from sqlax.compiler.report import Spent, check_errors, run_report, whole_report
from sqlax.compiler.resident import Resident
from sqlax.compiler.stage import Reduction, Stage
from sqlax.compiler.streaming.answers import Left, following_answers, following_inputs
from sqlax.compiler.streaming.run import run_divided
from sqlax.compiler.texts import RunTexts
from sqlax.errors import OutsideGraphError
from sqlax.runtime.load.morsel import Morsel
from sqlax.runtime.load.pool import DEFAULT_TOKEN_BUDGET
from sqlax.runtime.program import Program, Progress, progress_of
from sqlax.runtime.prompt.inputs import PromptInputs
from sqlax.runtime.state import ProgramInputs, ProgramState


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
        resident: the rows that stay loaded between runs; None to read them for each.
        programs: what has been compiled for the plan.
    """

    plan: QueryPlan
    models: Models
    token_budget: int = DEFAULT_TOKEN_BUDGET
    budget: int | None = None
    memory_budget: int | None = None
    depth: int = 0
    resident: Resident | None = None
    programs: Programs = field(default_factory=Programs)

    def with_parameters(self, parameters: Mapping[str, Any]) -> Execution:
        """The same query over other values of its parameters; compiled programs are shared."""
        catalog = Catalog(self.plan.catalog.connection, parameters)
        return replace(self, plan=replace(self.plan, catalog=catalog))

    def keeping(self) -> Execution:
        """The same query over the tables' rows as its first run finds them: they stay loaded."""
        return replace(self, resident=Resident())

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
            if self.plan.mode in SPLIT:
                raise
            plan, programs = self.plan.in_mode("duckdb"), self.programs.of("duckdb")
            other = replace(self, plan=plan, programs=programs, resident=None)
            outcome = other._run_stages(on_progress)
            return replace(outcome, report=replace(outcome.report, outside=error.reason))

    def _run_stages(self, on_progress: OnProgress | None) -> Outcome:
        begin, reports = time.perf_counter(), []
        connection = self.plan.catalog.connection
        try:
            for stage in self.plan.stages:
                outcome = self._run_stage(stage, on_progress)
                reports.append(outcome.report)
                connection.register(stage.name, outcome.table)
            outcome = run_divided(self, on_progress)
        finally:
            for stage in self.plan.stages[: len(reports)]:
                connection.unregister(stage.name)
        seconds = time.perf_counter() - begin
        return replace(outcome, report=whole_report(reports, outcome.report, seconds))

    def _run_stage(self, stage: Stage, on_progress: OnProgress | None) -> Outcome:
        part = self.part(stage)
        if isinstance(stage, Reduction):
            return run_reduction(part, stage, on_progress)
        return run_divided(part, on_progress)

    def part(self, stage: Stage) -> Execution:
        """The execution of one stage."""
        programs = self.programs.of(stage.name)
        return replace(self, plan=self.plan.stage(stage), programs=programs)

    def over(self, plan: Node, outputs: tuple[Output, ...], depth: int) -> Execution:
        """The execution of a part of the plan."""
        if plan == self.plan.placed:
            return self
        programs = self.programs.of(plan)
        part = replace(self.plan, placed=plan, stages=(), outputs=outputs)
        return replace(self, plan=part, programs=programs, depth=depth)

    def run_whole(self, on_progress: OnProgress | None) -> Outcome:
        """One program; where DuckDB does everything, no program at all."""
        begin = time.perf_counter()
        if isinstance(self.plan.placed, Scan):
            table = self.load()[self.plan.placed]
            return as_loaded(table, self.plan.outputs, time.perf_counter() - begin)
        known = None if self.resident is None else self.resident.of(self.plan)
        assembly, inputs = known or (self.assembly(self.load()), None)
        outcome, left = self.run_program(assembly, on_progress, inputs=inputs)
        if self.resident is not None:
            self.resident.keep(self.plan, (left.assembly, left.inputs))
        check_errors(self.plan.scores, outcome.report)
        seconds = time.perf_counter() - begin
        return replace(outcome, report=replace(outcome.report, seconds=seconds))

    def run_program(
        self,
        assembly: Assembly,
        on_progress: OnProgress | None,
        earlier: Left | None = None,
        inputs: ProgramInputs | None = None,
    ) -> tuple[Outcome, Left]:
        """The plan's program over some rows; rows that fail are reported only.

        Args:
            assembly: the rows, loaded.
            on_progress: told after each slice.
            earlier: left by a run over other rows; with the same dictionary its answers are kept.
            inputs: the rows on the device, where they are there already.

        Returns:
            The result, and what is left to another run.
        """
        begin, spent = time.perf_counter(), self.programs.spent()
        with jax.enable_x64(True):
            inputs = following_inputs(assembly, earlier) if inputs is None else inputs
            while True:
                known = following_answers(assembly, earlier)
                state = self._drive(assembly, inputs, known, on_progress)
                if not self.programs.grow(self.plan.joins, np.asarray(state.needed).tolist()):
                    break
                earlier = Left(assembly, inputs, state)
                assembly = assembly.grown(self.programs.capacities)
            check_numbers(state)
            texts = RunTexts(assembly, state)
            table = decode(assembly, state, texts)
            now = self.programs.spent()
            compiling = Spent(now.traces - spent.traces, now.seconds - spent.seconds)
            report = run_report(assembly, state, texts, compiling, time.perf_counter() - begin)
        outcome = Outcome(table, self.plan.outputs, report)
        return outcome, Left(assembly, inputs, state)

    def assembly(self, tables: Tables, morsels: Mapping[Scan, Morsel] | None = None) -> Assembly:
        """The rows of each scan, loaded; of those in `morsels` a table holds only a part."""
        with jax.enable_x64(True):
            return Assembly(
                self.plan,
                self.models,
                tables,
                self.token_budget,
                self.programs.capacities,
                self.map_sites(),
                morsels,
            )

    def map_sites(self) -> tuple[MapSite, ...]:
        """Where the plan reads maps; looked for once for all values of the parameters."""
        return self.programs.sites_of(self.plan.placed, self.plan.catalog)

    def stablehlo(self) -> str:
        """The program for the present data's capacities, as StableHLO text."""
        tables = self.load()
        with jax.enable_x64(True):
            assembly = self.assembly(tables)
            lowered, _ = self.program(assembly).lower(assembly.inputs())
            return str(lowered.as_text())

    def load(self) -> Tables:
        """The rows of every scan, from DuckDB; see `read_scans`."""
        return read_scans(self.plan)

    def program(self, assembly: Assembly) -> Program:
        """The program for data of this assembly's capacities; made once."""
        blueprint = assembly.blueprint()
        operators = [assembly.loaded[score].inputs for score in self.plan.scores]
        key = program_key(blueprint, operators)
        known = self.programs.compiled
        if key not in known:
            known[key] = self._make_program(blueprint, operators)
        return known[key]

    def _make_program(self, blueprint: Blueprint, operators: Sequence[PromptInputs]) -> Program:
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
