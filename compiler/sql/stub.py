"""What stands for a semantic call where DuckDB checks or describes a query."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sqlax.compiler.sql.call import return_type

if TYPE_CHECKING:
    from sqlax.compiler.sql.call import SemanticCall


def stub_of(call: SemanticCall) -> exp.Expr:
    """A NULL of the call's type; for an aggregate one that is an aggregate."""
    kind = exp.DataType.build(return_type(call), dialect="duckdb")
    null = exp.cast(exp.Null(), "VARCHAR")
    return exp.cast(exp.Max(this=null) if call.reduces else exp.Null(), kind)
