"""SQL with semantic operators, compiled with its language model into one XLA program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlax import errors
from sqlax.errors import SqlaxError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlax.compiled import CompiledQuery
    from sqlax.connection import Connection
    from sqlax.models.language_model import LanguageModel

__version__ = "0.1.0"

__all__ = [
    "CompiledQuery",
    "Connection",
    "SqlaxError",
    "__version__",
    "compile",
    "connect",
    "errors",
]


def connect(
    database: Any = ":memory:", model: Any = "smollm2-135m-instruct", **options: Any
) -> Connection:
    """A connection to a DuckDB database with a language model beside it.

    Args:
        database: DuckDB's database file, or `:memory:`.
        model: name or path of the default model, or a `LanguageModel`.
        **options: see `Connection`.
    """
    from sqlax.connection import Connection

    return Connection(database, model, **options)


def compile(
    sql: str,
    tables: Mapping[str, object] | None = None,
    model: str | LanguageModel = "smollm2-135m-instruct",
    params: object = None,
    **options: Any,
) -> CompiledQuery:
    """A semantic query over data frames or Arrow tables, compiled once and run many times.

    Args:
        sql: one query with semantic functions.
        tables: data frames or Arrow tables by the names the query uses.
        model: name or path of the model, or a `LanguageModel`.
        params: sample values of the query's parameters.
        **options: see `Connection`.
    """
    connection = connect(model=model, **options)
    for name, data in (tables or {}).items():
        connection.register(name, data)
    return connection.compile(sql, params)


def __getattr__(name: str) -> Any:
    if name == "Connection":
        from sqlax.connection import Connection

        return Connection
    if name == "CompiledQuery":
        from sqlax.compiled import CompiledQuery

        return CompiledQuery
    raise AttributeError(f"module 'sqlax' has no attribute {name!r}")
