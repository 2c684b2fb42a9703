"""A query compiled once and run many times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlax.compiler.plan.catalog import Catalog
from sqlax.errors import BindError
from sqlax.result import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sqlax.compiler.estimate import Cost
    from sqlax.compiler.execution import Execution
    from sqlax.compiler.outcome import OnProgress
    from sqlax.compiler.query import QueryPlan


class CompiledQuery:
    """A planned query with its compiled programs.

    Programs are compiled for capacity buckets: new data that fits the same buckets runs without
    tracing or compiling anything.
    """

    def __init__(
        self,
        make: Callable[[Mapping[str, Any]], Execution],
        parameters: Mapping[str, Any],
        on_progress: OnProgress | None = None,
    ) -> None:
        self._make = make
        self._defaults = dict(parameters)
        self._on_progress = on_progress
        self._execution: Execution | None = None

    def run(self, **parameters: Any) -> Result:
        """Run the query over the tables as they are now.

        Args:
            **parameters: values of `$name` parameters; those given to `compile` are the default.

        Raises:
            SqlaxError: see the classes in `sqlax.errors`.
        """
        execution = self._for({**self._defaults, **parameters})
        return Result(execution.run(self._on_progress), execution.plan.catalog.connection)

    def resident(self) -> CompiledQuery:
        """The same query with its tables' rows kept on the device between runs.

        Its first run, and the first with other parameters, reads the tables; later runs do not, and
        do not see what has changed since. Model answers are computed anew.
        """

        def make(parameters: Mapping[str, Any]) -> Execution:
            return self._make(parameters).keeping()

        return CompiledQuery(make, self._defaults, self._on_progress)

    def explain(self, *, analyze: bool = False, verbose: bool = False) -> str:
        """The plan with estimates; with `analyze` the query is run and measured."""
        from sqlax.compiler.explain import explain_text

        execution = self._for(self._defaults)
        report = execution.run(self._on_progress).report if analyze else None
        return explain_text(execution, report, verbose=verbose)

    def stablehlo(self) -> str:
        """The program for the present data's capacities, as StableHLO text."""
        return self._for(self._defaults).stablehlo()

    def cost(self) -> Cost:
        """What a run over the present data is expected to take."""
        from sqlax.compiler.explain import parts_of, whole_cost

        return whole_cost(parts_of(self._for(self._defaults)))

    def plan(self) -> QueryPlan:
        """The plan; made at the first call.

        Raises:
            BindError, UnsupportedError: the query cannot be compiled.
        """
        return self._for(self._defaults).plan

    def plan_hash(self) -> str:
        """The same for every spelling of one query."""
        return self.plan().hash()

    def _for(self, parameters: Mapping[str, Any]) -> Execution:
        """The execution for these parameters; planned anew only when the plan depends on it."""
        known = self._execution
        if known is None or _differ(known.plan, parameters):
            known = self._execution = self._make(parameters)
        return known.with_parameters(parameters)


def _differ(plan: QueryPlan, parameters: Mapping[str, Any]) -> bool:
    """Whether the plan would be another with these parameters: their types are part of it."""
    planned = plan.catalog
    if planned.parameters.keys() != parameters.keys():
        return True
    if any(parameters[name] != planned.parameters[name] for name in plan.fixed):
        return True
    return Catalog(planned.connection, parameters).parameter_types() != plan.parameter_types


def name_parameters(parameters: object) -> dict[str, Any]:
    """Parameters by name: a sequence's values are named 1, 2, ... as DuckDB does.

    Raises:
        BindError: neither a sequence nor a mapping.
    """
    if parameters is None:
        return {}
    if isinstance(parameters, dict):
        return {str(name): value for name, value in parameters.items()}
    if isinstance(parameters, list | tuple):
        return {str(place): value for place, value in enumerate(parameters, start=1)}
    kind = type(parameters).__name__
    raise BindError(f"parameters must be a list, tuple or dict, not {kind}")
