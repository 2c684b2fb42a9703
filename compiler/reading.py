"""Reading a plan's scans: the rows that DuckDB hands over, whole or batch by batch."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import duckdb
import pyarrow as pa

from sqlax.compiler.lowering.columns import Tables, loading_sql
from sqlax.compiler.plan.catalog import first_line, used_parameters
from sqlax.compiler.plan.nodes import Scan
from sqlax.compiler.query import QueryPlan
from sqlax.errors import DataError


def read_scans(plan: QueryPlan, without: Scan | None = None) -> Tables:
    """The rows of every scan, or of all but one.

    Raises:
        DataError: with DuckDB's reason; or a column has another type than when it was planned.
    """
    scans = (scan for scan in plan.scans if scan != without)
    with _readable():
        return {scan: _checked(plan, scan).to_arrow_table() for scan in scans}


@contextmanager
def reading(plan: QueryPlan, scan: Scan, rows: int) -> Iterator[pa.RecordBatchReader]:
    """The rows of a scan in batches; DuckDB's connection is busy until the end.

    Raises:
        DataError: with DuckDB's reason.
    """
    with _readable(), _relation(plan, scan).to_arrow_reader(rows) as reader:
        yield reader


def _relation(plan: QueryPlan, scan: Scan) -> duckdb.DuckDBPyRelation:
    connection, parameters = plan.catalog.connection, plan.catalog.parameters
    used = used_parameters(connection, scan.sql, parameters)
    return connection.sql(loading_sql(scan), params=used)


def _checked(plan: QueryPlan, scan: Scan) -> duckdb.DuckDBPyRelation:
    """The rows of a scan whose columns are those it was planned with.

    The relation tells its columns, so that DuckDB binds the text once; where it tells others,
    DESCRIBE is asked, for a few types are loaded as text.
    """
    try:
        relation = _relation(plan, scan)
        told = [*zip(relation.columns, map(str, relation.types), strict=True)]
    except duckdb.CatalogException:
        told = []
    if told != [(field.name, field.type) for field in scan.schema.fields]:
        if plan.catalog.describe(scan.sql) != scan.schema.fields:
            raise DataError("the tables' columns changed since the query was compiled")
        relation = _relation(plan, scan)
    return relation


@contextmanager
def _readable() -> Iterator[None]:
    """DuckDB's errors as ours."""
    try:
        yield
    except duckdb.InterruptException as error:
        raise KeyboardInterrupt from error
    except (duckdb.Error, UnicodeDecodeError, pa.ArrowInvalid, OSError) as error:
        raise DataError(first_line(error)) from error
