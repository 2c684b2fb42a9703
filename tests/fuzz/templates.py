"""What each family's expressions look like: SQL with holes.

`{int}` is an expression of that family, `{any}` of any, `{n}` a small number, `{lit_int}` a
constant, `{agg_int}` and `{row_int}` scalar subqueries, `{in_int}` a subquery of one column,
`{exists}` any subquery, `{judged}` a text for the fake model, `{strings}` a text, a separator and
an order. All holes `{any:1}` of a template get expressions of one family.
"""

from __future__ import annotations

from tests.fuzz.families import FAMILIES, Family


def _choices(family: Family) -> tuple[str, ...]:
    hole = f"{{{family}}}"
    return (
        f"CASE WHEN {{bool}} THEN {hole} ELSE {hole} END",
        f"CASE WHEN {{bool}} THEN {hole} WHEN {{bool}} THEN {hole} END",
        f"CASE {{any:1}} WHEN {{any:1}} THEN {hole} ELSE {hole} END",
        f"COALESCE({hole}, {hole})",
        f"COALESCE({hole}, {{lit_{family}}})",
        f"NULLIF({hole}, {hole})",
        f"{{agg_{family}}}",
        f"{{row_{family}}}",
    )


_EXTREMES = ("int", "double", "decimal", "text", "date")

SCALARS: dict[Family, tuple[str, ...]] = {
    "int": (
        *("({int} + {int})", "({int} - {int})", "({int} * {lit_int})", "(- {int})", "abs({int})"),
        *("({int} % NULLIF({int}, 0))", "({int} // NULLIF({int}, 0))", "sign({int})"),
        *("length({text})", "year({date})", "month({date})", "day({date})", "dayofweek({date})"),
        *("({date} - {date})", "date_diff('day', {date}, {date})", "EXTRACT(quarter FROM {date})"),
        *("CAST({int} AS BIGINT)", "CAST({bool} AS INTEGER)", "CAST({decimal} AS INTEGER)"),
        *("TRY_CAST({text} AS INTEGER)", "strpos({text}, {text})", "date_part('month', {date})"),
        *("TRY_CAST({double} AS INTEGER)", "TRY_CAST({int} AS TINYINT)"),
        *("GREATEST({int}, {int})", "LEAST({int}, {int})", "CAST({int} AS SMALLINT)"),
        *_choices("int"),
    ),
    "double": (
        *("({double} + {double})", "({double} - {double})", "({double} * {double})"),
        *("({double} / {lit_double})", "({int} / NULLIF({int}, 0))", "(- {double})"),
        *("CAST({int} AS DOUBLE)", "CAST({decimal} AS DOUBLE)", "sqrt(abs({double}))"),
        *("floor({double})", "ceil({double})", "abs({double})", "round({double})"),
        *("({decimal} + {double})", "({int} * {double})", "GREATEST({double}, {double})"),
        *_choices("double"),
    ),
    "decimal": (
        *("({decimal} + {decimal})", "({decimal} - {decimal})", "({decimal} * {decimal})"),
        *("CAST({int} AS DECIMAL(18,2))", "(- {decimal})", "abs({decimal})", "({int} + {decimal})"),
        *("CAST({decimal} AS DECIMAL(18,1))", "({decimal} * {lit_int})", "round({decimal}, 1)"),
        *("TRY_CAST({double} AS DECIMAL(9,2))", "LEAST({decimal}, {decimal})"),
        *_choices("decimal"),
    ),
    "text": (
        *("({text} || {text})", "upper({text})", "lower({text})", "substr({text}, {n}, {n})"),
        *(
            "trim({text})",
            "replace({text}, 'a', 'xy')",
            "concat({text}, {text})",
            "left({text}, {n})",
        ),
        *("CAST({int} AS VARCHAR)", "CAST({date} AS VARCHAR)", "reverse({text})"),
        *("concat_ws('-', {text}, {text})", "CAST({bool} AS VARCHAR)", "right({text}, {n})"),
        *("lpad({text}, {n}, '*')", "CAST({decimal} AS VARCHAR)", "GREATEST({text}, {text})"),
        *("regexp_replace({text}, '[ab]', 'q')", "split_part({text}, ' ', 1)", "repeat({text}, 2)"),
        *_choices("text"),
    ),
    "date": (
        *("({date} + {n})", "({date} - {n})", "CAST(({date} + INTERVAL {n} MONTH) AS DATE)"),
        *("CAST(({date} - INTERVAL {n} DAY) AS DATE)", "CAST(date_trunc('month', {date}) AS DATE)"),
        *("last_day({date})", "LEAST({date}, {date})", "CAST(date_trunc('year', {date}) AS DATE)"),
        *("TRY_CAST({text} AS DATE)",),
        *_choices("date"),
    ),
    "bool": (
        *("({bool} AND {bool})", "({bool} OR {bool})", "(NOT {bool})", "({bool} AND {bool})"),
        *("({bool} IS TRUE)", "({bool} IS NOT FALSE)", "({any} IS NULL)", "({any} IS NOT NULL)"),
        *(f"({{{f}}} {op} {{{f}}})" for f in _EXTREMES for op in ("=", "<", ">=", "<>")),
        *("({int} = {lit_int})", "({int} > {lit_int})", "({text} = {lit_text})", "({int} = {int})"),
        *("({int} < {double})", "({decimal} >= {int})", "({decimal} = {double})"),
        *("({any:1} IS DISTINCT FROM {any:1})", "({any:1} IS NOT DISTINCT FROM {any:1})"),
        *("({any:1} BETWEEN {any:1} AND {any:1})", "({any:1} NOT BETWEEN {any:1} AND {any:1})"),
        *("({any:1} IN ({any:1}, {any:1}))", "({any:1} NOT IN ({lit_any:1}, {lit_any:1}))"),
        *("({any:1} IN ({lit_any:1}, {lit_any:1}, NULL))", "({bool} = {bool})"),
        *("({text} LIKE {pattern})", "({text} NOT LIKE {pattern})", "({text} ILIKE {pattern})"),
        *(
            "starts_with({text}, {text})",
            "contains({text}, {lit_text})",
            "({text} SIMILAR TO '[a-b]+')",
        ),
        *(
            "regexp_matches({text}, '^[ab]')",
            "isnan({double})",
            "(date_part('year', {date}) > 2000)",
        ),
        *("EXISTS {exists}", "(NOT EXISTS {exists})", "EXISTS {exists}"),
        *("({any:1} IN {in_any:1})", "({any:1} NOT IN {in_any:1})", "({int} IN {in_int})"),
        *("({int} = ANY {in_int})", "({any:1} > ALL {in_any:1})", "({any:1} <> ALL {in_any:1})"),
        *("({any:1} < ANY {in_any:1})", "({int} > {agg_int})", "({double} <= {agg_double})"),
        *_choices("bool"),
    ),
}

SEMANTIC: dict[Family, tuple[str, ...]] = {
    "bool": ("AI_IF({judged})", "(NOT AI_IF({judged}))", "(AI_IF({judged}) IS NULL)"),
    "double": ("AI_SCORE({judged})",),
    "text": ("AI_CLASSIFY({judged}, ['pos', 'neg'])",),
}

PATTERNS = ("'a%'", "'%b'", "'_'", "'%a%b%'", "''", "'A%'", "'%'", "'a\\%'", "'_b'")

AGGREGATES: dict[Family, tuple[str, ...]] = {
    "int": (
        *("COUNT(*)", "COUNT({any})", "COUNT(DISTINCT {any})", "SUM({int})", "MIN({int})"),
        *("MAX({int})", "SUM(DISTINCT {int})", "COUNT_IF({bool})", "FIRST({int} ORDER BY {all})"),
        *("quantile_disc({int}, 0.5)", "BIT_AND({int})", "MAX({int})", "SUM({int})", "COUNT(*)"),
        *("LAST({int} ORDER BY {all})",),
    ),
    "double": (
        *("SUM({double})", "AVG({int})", "AVG({double})", "AVG({decimal})", "MIN({double})"),
        *("MAX({double})", "STDDEV_SAMP({int})", "VAR_POP({int})", "MEDIAN({int})"),
        *("quantile_cont({double}, 0.25)", "STDDEV_POP({decimal})", "VAR_SAMP({double})"),
        *("AVG(DISTINCT {int})",),
    ),
    "decimal": ("SUM({decimal})", "MIN({decimal})", "MAX({decimal})", "SUM(DISTINCT {decimal})"),
    "text": (
        *("MIN({text})", "MAX({text})", "STRING_AGG({strings})", "FIRST({text} ORDER BY {all})"),
        *("STRING_AGG(DISTINCT {strings})",),
    ),
    "date": ("MIN({date})", "MAX({date})"),
    "bool": ("BOOL_AND({bool})", "BOOL_OR({bool})", "(COUNT(*) > 1)", "MAX({bool})"),
}
"""Aggregates whose value does not depend on the order of rows; `{all}` orders by every column."""

RANKS = ("RANK()", "DENSE_RANK()", "PERCENT_RANK()", "CUME_DIST()")
"""Window functions that give peers one value."""

PLACES: dict[Family, tuple[str, ...]] = {
    family: (
        f"LAG({{{family}}}, {{n}})",
        f"LEAD({{{family}}})",
        f"LAG({{{family}}}, 1, {{lit_{family}}})",
        f"FIRST_VALUE({{{family}}})",
        f"LAST_VALUE({{{family}}})",
        f"NTH_VALUE({{{family}}}, 2)",
    )
    for family in FAMILIES
}
"""Window functions that tell peers apart; they are given an order without peers."""

FRAMES = (
    *("", "", "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"),
    *("ROWS BETWEEN {n} PRECEDING AND CURRENT ROW", "ROWS BETWEEN {n} PRECEDING AND {n} FOLLOWING"),
    *("ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING", "ROWS {n} PRECEDING"),
    *("ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",),
    *("ROWS BETWEEN {n} FOLLOWING AND UNBOUNDED FOLLOWING",),
    "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
)
