"""From the last state of a program to the rows of its result."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from sqlglot import exp

from sqlax.compiler.lowering.assemble import Assembly
from sqlax.compiler.plan.catalog import Catalog
from sqlax.compiler.plan.flow import carried_from
from sqlax.compiler.plan.list_call import ListCall, makers
from sqlax.compiler.plan.nodes import Node
from sqlax.compiler.plan.schema import WRITTEN, Field, Schema, decimal_scale, enum_values
from sqlax.compiler.texts import RunTexts
from sqlax.errors import OutsideGraphError
from sqlax.runtime.decode import OutputColumn, arrow_column, arrow_lists, joined_texts
from sqlax.runtime.load.arrow import HostArray
from sqlax.runtime.state import ProgramState


def check_numbers(state: ProgramState) -> None:
    """Raise where the graph cannot give the answer, but DuckDB gives it or its own error.

    Raises:
        OutsideGraphError: a value left its type's range or 64 bits, or was divided by zero.
    """
    if bool(state.overflow):
        raise OutsideGraphError("a number left the range of its SQL type, or was divided by zero")


def decode(assembly: Assembly, state: ProgramState, texts: RunTexts) -> pa.Table:
    """The result rows of a finished run, its columns named c0, c1, ..."""
    plan = assembly.plan.placed
    count = int(np.asarray(state.output.mask).sum())
    columns = []
    for output in plan.schema.fields:
        column = state.output.columns[output.name]
        data, valid = np.asarray(column.data)[:count], np.asarray(column.valid)[:count]
        if output.made in state.lists:
            columns.append(_lists(assembly, state, texts, output.made, data, valid))
            continue
        held = _held(assembly, texts, plan, output)
        columns.append(arrow_column(held, data, valid, assembly.dictionary))
    numbered = [f"c{place}" for place in range(len(columns))]
    return pa.table(columns, names=numbered)


def _lists(
    assembly: Assembly,
    state: ProgramState,
    texts: RunTexts,
    made: str,
    data: HostArray,
    valid: HostArray,
) -> pa.Array:
    """The lists with some numbers; of STRING_AGG as one text each."""
    plan, catalog = assembly.plan.placed, assembly.plan.catalog
    node, call = next((node, call) for name, node, call in makers(plan) if name == made)
    held = _held(assembly, texts, node.input, _collected(call, node.input.schema, catalog))
    lists = arrow_lists(held, state.lists[made], data, valid, assembly.dictionary)
    if call.separator is None:
        return lists
    ((separator,),) = catalog.rows(f"SELECT {call.separator.sql('duckdb')}")
    return joined_texts(lists, separator)


def _collected(call: ListCall, below: Schema, catalog: Catalog) -> Field:
    """What a list's values are; a field without a name where they are computed."""
    if isinstance(call.value, exp.Column):
        return below[call.value.name]
    (kind,) = catalog.types_of([call.value], below)
    return Field("", kind)


def _held(assembly: Assembly, texts: RunTexts, plan: Node, output: Field) -> OutputColumn:
    if output.made == WRITTEN:
        return OutputColumn(output.kind, source=texts.values)
    origin = carried_from(plan, output.name) if output.name in plan.schema else None
    if origin is not None and assembly.columns.is_carried(*origin):
        scan, name = origin
        return OutputColumn(output.kind, source=assembly.tables[scan].column(name))
    labels = output.labels or enum_values(output.type)
    return OutputColumn(output.kind, decimal_scale(output.type), labels=labels)
