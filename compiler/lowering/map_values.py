"""The values of a map: DuckDB evaluates its expression once for each value of its argument."""

from __future__ import annotations

from dataclasses import dataclass

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sqlax.compiler.lowering.maps import ValueMap
from sqlax.compiler.plan.catalog import Catalog, quote, used_parameters
from sqlax.errors import OutsideGraphError
from sqlax.runtime.load.arrow import HostArray

_VALUES = "__sqlax_map_values"


@dataclass(frozen=True)
class MapValues:
    """What a map gives: entry 0 for NULL, then one for each value of the domain.

    Attributes:
        values: the results.
        failed: where DuckDB raised an error.
    """

    values: pa.ChunkedArray
    failed: HostArray


def evaluate_map(wanted: ValueMap, domain: pa.ChunkedArray | None, catalog: Catalog) -> MapValues:
    """The values of a map over a domain; None for a map that reads parameters only.

    Where an error is raised for any value, DuckDB's TRY finds out for which. A NULL that TRY gives
    counts as an error: rows that have it make the query fall back to DuckDB.
    """
    values = pa.chunked_array([], pa.null()) if domain is None else domain
    nothing = pa.nulls(1, values.type)
    try:
        given = pa.chunked_array([nothing, *values.chunks], values.type)
        found = _evaluated(wanted, wanted.text, given, catalog)
        return MapValues(found, np.zeros(len(found), bool))
    except duckdb.Error:
        tried = _evaluated(wanted, f"TRY({wanted.text})", values, catalog)
    first, first_failed = _value_of_null(wanted, nothing, tried.type, catalog)
    failed = np.concatenate([[first_failed], pc.is_null(tried).to_numpy()])
    return MapValues(pa.chunked_array([first, *tried.chunks], tried.type), failed)


def _value_of_null(
    wanted: ValueMap, nothing: pa.Array, kind: pa.DataType, catalog: Catalog
) -> tuple[pa.Array, bool]:
    try:
        found = _evaluated(wanted, wanted.text, pa.chunked_array([nothing]), catalog)
        return found.combine_chunks().cast(kind), False
    except duckdb.Error:
        return pa.nulls(1, kind), True


def _evaluated(
    wanted: ValueMap, text: str, values: pa.ChunkedArray, catalog: Catalog
) -> pa.ChunkedArray:
    """The expression for each value, in their order."""
    connection = catalog.connection
    source = "SELECT i FROM __given" if wanted.argument is None else _argument(wanted)
    sql = f"WITH __given AS (FROM {_VALUES}) SELECT i, {text} AS v FROM ({source})"
    connection.register(_VALUES, pa.table({"i": pa.array(np.arange(len(values))), "v": values}))
    try:
        parameters = used_parameters(connection, sql, catalog.parameters)
        found = connection.sql(sql, params=parameters).to_arrow_table()
    finally:
        connection.unregister(_VALUES)
    if len(found) != len(values):
        raise OutsideGraphError(f"{text} does not give one value for each row")
    return _in_order(found)


def _argument(wanted: ValueMap) -> str:
    field = wanted.argument
    assert field is not None
    return f"SELECT i, CAST(v AS {field.type}) AS {quote(field.name)} FROM __given"


def _in_order(found: pa.Table) -> pa.ChunkedArray:
    """The values by row number: DuckDB may give rows in any order where it is told so."""
    places = found.column("i").to_numpy()
    values = found.column("v")
    if np.array_equal(places, np.arange(len(places))):
        return values
    return values.take(pa.array(np.argsort(places)))
